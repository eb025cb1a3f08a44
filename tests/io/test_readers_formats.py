import bz2
import csv
import gzip
import io
import json
import lzma
import string
import subprocess
import sys
import tarfile

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from strategies import texts as nasty_texts
from tallytext import TextVectorizer
from tallytext.errors import FileError
from tallytext.io import DocumentReader, load_documents, read_documents
from tallytext.io.parquet import _split_points
from tallytext.io.text_formats import wide_encoding

# What a file in UTF-8 can hold: no lone surrogates.
texts = nasty_texts().map(lambda text: text.encode("utf-8", "replace").decode())
labels = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=8).filter(str.strip)
documents = st.lists(st.tuples(texts, labels), min_size=1, max_size=12)
limits = st.fixed_dictionaries(
    {"max_documents": st.integers(1, 5), "max_bytes": st.integers(1, 300)}
)


def write_csv(path, rows, delimiter=","):
    with path.open("w", newline="", encoding="utf-8") as file:
        csv.writer(file, delimiter=delimiter).writerows([("text", "label"), *rows])


def write_tsv(path, rows):
    write_csv(path, rows, "\t")


def write_jsonl(path, rows):
    lines = [json.dumps({"text": text, "label": label}) for text, label in rows]
    path.write_text("\n".join(lines), encoding="utf-8")


def write_parquet(path, rows):
    columns = {"text": [text for text, _ in rows], "label": [label for _, label in rows]}
    pq.write_table(pa.table(columns), path, row_group_size=3)


WRITERS = {"csv": write_csv, "tsv": write_tsv, "jsonl": write_jsonl, "parquet": write_parquet}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("files")


def strings(batch):
    return batch.texts if isinstance(batch.texts, list) else batch.texts.to_pylist()


def documents_of(reader):
    return [pair for batch in reader for pair in zip(strings(batch), batch.labels, strict=True)]


@pytest.mark.parametrize("format", WRITERS)
@given(rows=documents, limits=limits)
def test_what_was_written_is_read_in_batches_of_any_size(folder, format, rows, limits):
    path = folder / f"round.{format}"
    WRITERS[format](path, rows)
    reader = DocumentReader(path, **limits)
    assert documents_of(reader) == documents_of(reader) == rows
    assert load_documents(path) == ([text for text, _ in rows], [label for _, label in rows])


@pytest.mark.parametrize("format", WRITERS)
@given(rows=documents, limits=limits)
def test_a_batch_stays_within_its_limits_or_has_one_document(folder, format, rows, limits):
    path = folder / f"limits.{format}"
    WRITERS[format](path, rows)
    for batch in DocumentReader(path, **limits):
        size = sum(len(text.encode()) for text in strings(batch))
        assert 1 <= len(batch) <= limits["max_documents"]
        assert size <= limits["max_bytes"] or len(batch) == 1
        assert len(batch.labels) == len(batch.places) == len(batch)


@pytest.mark.parametrize("format", WRITERS)
@given(rows=documents, limits=limits)
def test_the_bytes_of_the_batches_are_those_of_the_file(folder, format, rows, limits):
    path = folder / f"bytes.{format}"
    WRITERS[format](path, rows)
    reader = DocumentReader(path, **limits)
    assert sum(batch.n_bytes for batch in reader) == reader.size == path.stat().st_size


@pytest.mark.parametrize("delimiter, format", [(",", "csv"), ("\t", "tsv")])
@given(rows=documents)
def test_records_are_numbered_from_one_however_many_lines_they_take(
    folder, delimiter, format, rows
):
    path = folder / f"numbered.{format}"
    write_csv(path, rows, delimiter)
    (batch,) = DocumentReader(path)
    assert batch.places == list(range(1, len(rows) + 1))


@pytest.mark.parametrize("delimiter, format", [(",", "csv"), ("\t", "tsv")])
@given(rows=documents)
def test_a_message_names_the_first_line_of_a_record(folder, delimiter, format, rows):
    path = folder / f"broken.{format}"
    write_csv(path, [*rows, ("too", "many", "fields")], delimiter)
    record = io.StringIO(newline="")
    csv.writer(record, delimiter=delimiter).writerows(rows)
    reader = DocumentReader(path, on_error="skip")
    list(reader)
    line = record.getvalue().count("\n") + 2
    assert reader.skipped.messages == [f"line {line}: 3 fields, but the header has 2"]


@given(rows=documents, blank=st.integers(0, 3))
def test_blank_lines_between_json_documents_are_not_counted(folder, rows, blank):
    path = folder / "blank.jsonl"
    lines = [json.dumps({"text": text, "label": label}) for text, label in rows]
    path.write_text(("\n" + " \n" * blank).join(lines))
    (batch,) = DocumentReader(path)
    assert batch.places == list(range(1, len(rows) + 1))


@given(st.lists(texts.map(lambda text: text.replace("\n", "").rstrip("\r")), min_size=1))
def test_plain_text_has_one_document_a_line(folder, lines):
    path = folder / "plain.txt"
    content = ("\n".join(lines) + "\n").encode()
    assume(wide_encoding(content) is None)  # lines that begin with NUL, a letter, NUL, a letter
    path.write_bytes(content)
    texts, labels = load_documents(path, label=None)
    assert texts == [lines[0].removeprefix("\ufeff"), *lines[1:]]
    assert labels is None


def zstd(content):
    sink = pa.BufferOutputStream()
    with pa.CompressedOutputStream(sink, "zstd") as stream:
        stream.write(content)
    return sink.getvalue().to_pybytes()


COMPRESS = {"gz": gzip.compress, "bz2": bz2.compress, "xz": lzma.compress, "zst": zstd}


@pytest.mark.parametrize("suffix", COMPRESS)
@pytest.mark.parametrize("format", ["csv", "jsonl"])
def test_compressed_files_are_read_as_if_they_were_not(tmp_path, format, suffix):
    rows = [(f"document {i} " * 20, str(i % 7)) for i in range(1000)]
    path = tmp_path / f"mails.{format}"
    WRITERS[format](path, rows)
    packed = tmp_path / f"mails.{format}.{suffix}"
    packed.write_bytes(COMPRESS[suffix](path.read_bytes()))
    reader = DocumentReader(packed, max_documents=300)
    assert documents_of(reader) == rows
    assert sum(batch.n_bytes for batch in reader) == packed.stat().st_size
    both = tmp_path / f"both.{format}.{suffix}"
    both.write_bytes(packed.read_bytes() + COMPRESS[suffix](b"\n"))
    assert documents_of(DocumentReader(both)) == rows


def test_a_generated_stream_larger_than_a_batch_stays_in_bounds(tmp_path):
    path = tmp_path / "large.jsonl.gz"
    with gzip.open(path, "wt") as file:
        file.writelines(
            json.dumps({"text": "word " * (i % 2000), "label": i % 3}) + "\n" for i in range(3000)
        )
    sizes = [sum(map(len, batch.texts)) for batch in DocumentReader(path, max_bytes=100_000)]
    assert max(sizes) <= 100_000
    assert sum(sizes) == sum(5 * (i % 2000) for i in range(3000))


@pytest.mark.parametrize(
    "type",
    [pa.string(), pa.large_string(), pa.dictionary(pa.int32(), pa.string())],
    ids=str,
)
def test_parquet_columns_stay_columns_that_are_counted_where_they_lie(tmp_path, type):
    path = tmp_path / "mails.parquet"
    rows = ["cheap cheap pills", "", "see you at noon", "cheap"]
    pq.write_table(pa.table({"text": pa.array(rows).cast(type), "label": [1, 2, 1, 2]}), path)
    batches = list(DocumentReader(path, max_bytes=20))
    assert all(isinstance(batch.texts, pa.Array) for batch in batches)
    assert [place for batch in batches for place in batch.places] == [1, 2, 3, 4]
    assert [label for batch in batches for label in batch.labels] == [1, 2, 1, 2]
    vectorizer = TextVectorizer().fit(rows)
    counted = [vectorizer.transform(batch.texts).sum() for batch in batches]
    assert sum(counted) == vectorizer.transform(rows).sum() == 8


@pytest.mark.parametrize(
    "labels, type",
    [
        (["a", "b"], pa.string()),
        (["a", "b"], pa.dictionary(pa.int8(), pa.string())),
        ([["a", "b"], []], pa.list_(pa.string())),
        ([["a", "b"], []], pa.large_list(pa.large_string())),
        ([7, -1], pa.int16()),
        ([True, False], pa.bool_()),
        ([0.5, 2.0], pa.float64()),
    ],
    ids=str,
)
def test_parquet_labels_are_python_values(tmp_path, labels, type):
    path = tmp_path / "mails.parquet"
    pq.write_table(pa.table({"text": ["x", "y"], "label": pa.array(labels, type)}), path)
    assert load_documents(path) == (["x", "y"], labels)


@pytest.mark.parametrize("lengths, ends", [([4, 2, 2, 0, 1], [0, 1, 4, 5]), ([9, 9], [0, 1, 2])])
def test_parquet_parts_are_filled_to_the_last_byte(lengths, ends):
    assert _split_points(pa.array(["x" * length for length in lengths]), 4) == ends


@pytest.mark.parametrize("format", WRITERS)
def test_further_columns_come_along(tmp_path, format):
    path = tmp_path / f"mails.{format}"
    WRITERS[format](path, [("one", "a"), ("two", "b"), ("three", "c")])
    batches = list(DocumentReader(path, text="label", label=None, also=["text"], max_documents=2))
    assert [batch.also for batch in batches] == [{"text": ["one", "two"]}, {"text": ["three"]}]
    assert [strings(batch) for batch in batches] == [["a", "b"], ["c"]]
    assert [batch.labels for batch in batches] == [None, None]


@pytest.mark.parametrize(
    "record, label",
    [
        ('{"mail": {"body": "x"}, "label": "a"}', "a"),
        ('{"mail.body": "x", "label": 3}', 3),
        ('{"mail": {"body": "x"}, "label": ["a", 2]}', ["a", 2]),
        ('{"mail": {"body": "x"}, "label": []}', []),
    ],
)
def test_json_keys_lead_into_objects_and_labels_may_be_many(tmp_path, record, label):
    path = tmp_path / "mails.jsonl"
    path.write_text(record)
    assert load_documents(path, text="mail.body") == (["x"], [label])


def test_a_separator_makes_lists_of_labels(tmp_path):
    path = tmp_path / "mails.csv"
    path.write_text('text,label\nx,a; b\ny,\nz,c\nw,"d;e;"\n')
    assert load_documents(path, label_separator=";")[1] == [["a", "b"], [], ["c"], ["d", "e"]]


@pytest.mark.parametrize("name", ["mails.csv", "mails.jsonl", "mails.txt"])
def test_the_mark_in_front_of_utf_8_is_no_text(tmp_path, name):
    content = {"csv": "text\nx\n", "jsonl": '{"text": "x"}', "txt": "x"}[name.split(".")[1]]
    (tmp_path / name).write_bytes(b"\xef\xbb\xbf" + content.encode())
    assert load_documents(tmp_path / name, label=None) == (["x"], None)


def test_other_encodings_are_read_when_named(tmp_path):
    path = tmp_path / "mails.csv"
    path.write_bytes("text,label\ncafé,a\n".encode("latin-1"))
    assert load_documents(path, encoding="latin-1") == (["café"], ["a"])


def test_the_name_tells_the_format_unless_it_is_given(tmp_path):
    record = '{"text": "x", "label": "a"}'
    for name, format in [("a.ndjson", None), ("A.JSONL", None), ("a.log", "jsonl")]:
        (tmp_path / name).write_text(record)
        assert load_documents(tmp_path / name, format=format) == (["x"], ["a"])


STDIN = "import sys; from tallytext.io import *; print(load_documents('-', **eval(sys.argv[1])))"


@pytest.mark.parametrize(
    "content, options, expected",
    [
        (b'{"text": "x", "label": "a"}\n', {}, (["x"], ["a"])),
        (b"text,label\nx,a\n", {"format": "csv"}, (["x"], ["a"])),
        (b"x\ny", {"format": "txt", "label": None}, (["x", "y"], None)),
    ],
)
def test_standard_input_is_read(content, options, expected):
    command = [sys.executable, "-c", STDIN, repr(options)]
    done = subprocess.run(command, input=content, capture_output=True, check=True)
    assert done.stdout.decode().strip() == repr(expected)


def test_an_archive_is_read_from_standard_input():
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w") as archive:
        member = tarfile.TarInfo("spam/1")
        member.size = 5
        archive.addfile(member, io.BytesIO(b"pills"))
    command = [sys.executable, "-c", STDIN, repr({"format": "tar"})]
    done = subprocess.run(command, input=packed.getvalue(), capture_output=True, check=True)
    assert done.stdout.decode().strip() == repr((["pills"], ["spam"]))


def test_a_document_is_there_before_the_next_is_written():
    code = (
        "from tallytext.io import *\n"
        "for batch in DocumentReader('-', max_documents=1): print(batch.texts, flush=True)"
    )
    command = [sys.executable, "-c", code]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as child:
        for letter in string.ascii_lowercase[:3]:
            child.stdin.write(b'{"text": "%s", "label": 1}\n' % letter.encode())
            child.stdin.flush()
            assert child.stdout.readline().decode().split() == [f"['{letter}']"]


@pytest.mark.parametrize(
    "code",
    [
        "import tallytext.io",
        "from tallytext.io import DocumentReader; list(DocumentReader(sys.argv[1]))",
    ],
)
def test_pyarrow_is_not_imported_unless_needed(tmp_path, code):
    path = tmp_path / "mails.jsonl"
    path.write_text('{"text": "x", "label": "a"}')
    check = f"import sys; {code}; assert not {{'pyarrow', 'numpy', 'sklearn'}} & set(sys.modules)"
    subprocess.run([sys.executable, "-c", check, path], check=True)


class TestLinesOfFastText:
    LINES = "__label__bread why does it   not rise ?\n\n__label__meat __label__oven roast beef\n"

    def read(self, folder, content, **options):
        path = folder / "lines.txt"
        path.write_text(content, encoding="utf-8")
        reader = read_documents(path, format="fasttext", **options)
        (batch,) = reader
        return batch, reader.skipped

    def test_words_with_the_mark_are_labels_and_no_text(self, tmp_path):
        batch, _ = self.read(tmp_path, self.LINES)
        assert batch.texts == ["why does it not rise ?", "roast beef"]
        assert batch.labels == ["bread", ["meat", "oven"]]
        assert batch.places == [1, 2]

    def test_labels_are_left_out_where_they_are_not_wanted(self, tmp_path):
        batch, _ = self.read(tmp_path, self.LINES + "unknown\n", label=None)
        assert batch.texts[1:] == ["roast beef", "unknown"]
        assert batch.labels is None

    def test_a_line_without_a_label_is_told_or_skipped(self, tmp_path):
        with pytest.raises(FileError, match="line 4: no word begins with __label__"):
            self.read(tmp_path, self.LINES + "unknown\n")
        batch, skipped = self.read(tmp_path, self.LINES + "unknown\n", on_error="skip")
        assert (len(batch.texts), skipped.count) == (2, 1)

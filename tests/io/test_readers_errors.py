import bz2
import csv
import gzip
import io
import json
import lzma
import os
import sys
from concurrent.futures import ThreadPoolExecutor

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tallytext.errors import FileError, InputError
from tallytext.io import DocumentReader, load_documents


@pytest.fixture
def mails(tmp_path):
    """A file by its name and content, in and out."""

    def write(name, content):
        path = tmp_path / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    return write


def parquet(**columns):
    sink = io.BytesIO()
    pq.write_table(pa.table(columns), sink)
    return sink.getvalue()


BROKEN = [
    ("m.csv", "text,label\nx,a\nbroken\ny,b\n", "line 3: 1 fields, but the header has 2"),
    ("m.csv", "text,label\nx,a\ny,b,c\ny,b\n", "line 3: 3 fields, but the header has 2"),
    ("m.csv", 'text,label\nx,a\n"z"z,c\ny,b\n', "line 3: ',' expected after '\"'"),
    ("m.csv", "text,label\nx,a\n\nz,\ny,b\n", "line 4: the label is empty"),
    ("m.csv", b"text,label\nx,a\n\xff,c\ny,b\n", "line 3: not utf-8: byte 0xff at 0"),
    ("m.csv", b'text,label\nx,a\n"1\n2\n\xe93",c\ny,b\n', "line 3: not utf-8: byte 0xe9 at 0"),
    ("m.tsv", 'text\tlabel\n"x"\ta\n"1\n2"\ny\tb\n', "line 3: 1 fields, but the header has 2"),
    *(
        ("m.jsonl", f'{{"text": "x", "label": "a"}}\n{row}\n{{"text": "y", "label": "b"}}', message)
        for row, message in [
            ('{"text', "line 2: not JSON: Invalid control character, column 7"),
            ("[1]", "line 2: not an object, but '[1]'"),
            ("{}", "line 2: no key 'text'"),
            ('{"texts": "", "label": 1}', "Did you mean 'texts'?"),
            ('{"text": 3, "label": 1}', "line 2: 'text' is 3, not a string"),
            ('{"text": null, "label": 1}', "line 2: 'text' is None, not a string"),
            ('{"text": ""}', "line 2: no key 'label'"),
            ('{"text": "", "label": null}', "line 2: the label is null"),
            ('{"text": "", "label": ["a", null]}', "line 2: a label of the list is null"),
            ('{"text": "", "label": {}}', "line 2: {} cannot be a label"),
            ('{"text": "", "label": NaN}', "line 2: the label is null"),
            ('{"text": "", "label": " "}', "line 2: the label is empty"),
            ('{"text": "", "label": Infinity}', "line 2: inf cannot be a label"),
            ('{"text": "", "label": %s}' % ("1" * 5000), "line 2: not readable as JSON"),
            ("[" * 100_000, "line 2: not readable as JSON"),
        ]
    ),
    ("m.parquet", parquet(text=["x", None, "y"], label=["a", "c", "b"]), "row 2: the text is null"),
    ("m.parquet", parquet(text=["x", "", "y"], label=["a", None, "b"]), "row 2: the label is null"),
    (
        "m.parquet",
        parquet(
            text=pa.array([b"x", b"\xff", b"y"]).view(pa.string()), label=["a", "c", "b"]
        ),
        "row 2: not utf-8: byte 0xff at 0",
    ),
]  # fmt: skip


@pytest.mark.parametrize("name, content, message", BROKEN)
def test_a_row_that_cannot_be_read_is_named_or_skipped(mails, name, content, message):
    path = mails(name, content)
    with pytest.raises(FileError) as problem:
        load_documents(path)
    assert message in str(problem.value)
    assert str(path) in str(problem.value) and "on_error='skip'" in str(problem.value)
    reader = DocumentReader(path, on_error="skip")
    read = [(list(map(str, batch.texts)), batch.labels) for batch in reader]
    assert read == [(["x", "y"], ["a", "b"])]
    assert reader.skipped.count == 1 and message in reader.skipped.messages[0]


@given(st.lists(st.sampled_from(["good", "bad"]), min_size=1), st.integers(1, 4))
def test_skipping_keeps_the_good_rows_and_counts_the_others(tmp_path_factory, kinds, size):
    path = tmp_path_factory.getbasetemp() / "mixed.jsonl"
    good = [json.dumps({"text": str(i), "label": i}) for i in range(len(kinds))]
    rows = [row if kind == "good" else row[:-1] for row, kind in zip(good, kinds, strict=True)]
    path.write_text("\n".join(rows))
    reader = DocumentReader(path, on_error="skip", max_documents=size)
    for _ in range(2):  # what was skipped is counted anew each time
        labels = [label for batch in reader for label in batch.labels]
        assert labels == [i for i, kind in enumerate(kinds) if kind == "good"]
        assert reader.skipped.count == kinds.count("bad")
        assert len(reader.skipped.messages) == min(10, kinds.count("bad"))


def test_a_quote_left_open_is_reported_where_it_began(mails):
    path = mails("m.csv", 'text,label\nx,a\n"open,b\n' + "y,c\n" * 100)
    with pytest.raises(FileError, match=r"line 3: a quote is opened .* 100 more lines"):
        load_documents(path)
    reader = DocumentReader(path, on_error="skip")
    assert [batch.texts for batch in reader] == [["x"]]


def test_quotes_that_do_not_match_cost_the_rows_they_span(mails):
    path = mails("m.csv", 'text,label\n"open,b\ny,c\n"z",d\nw,e\n')
    reader = DocumentReader(path, on_error="skip")
    assert [(batch.texts, batch.places) for batch in reader] == [(["w"], [2])]
    assert reader.skipped.messages[0].startswith("line 2: ")
    assert "2 more lines" in reader.skipped.messages[0]


@pytest.mark.parametrize("long", ["x" * 1000, "x" * 1000 + "\n" + "y" * 1000])
def test_a_document_that_is_too_large_is_passed_over_without_being_read(mails, long):
    path = mails("m.txt", f"short\n{long}\nlast\n")
    reader = DocumentReader(path, label=None, on_error="skip", max_row=100)
    (batch,) = reader
    n_long = long.count("\n") + 1
    assert batch.texts == ["short", "last"] and batch.places == [1, 2 + n_long]
    assert reader.skipped.count == n_long and "larger than" in reader.skipped.messages[0]


LONG = "x" * 1_000_000
LONG_FIELDS = f"text,label\n{LONG},a\nshort,b\n{LONG},c\n"


@pytest.fixture(params=[10, 131_072, 1 << 40])
def users_limit(request):
    """The limit of the whole process, as a user has set it."""
    before = csv.field_size_limit(request.param)
    yield request.param
    csv.field_size_limit(before)


def test_reading_long_fields_leaves_the_users_field_size_limit_alone(mails, users_limit):
    path = mails("m.csv", LONG_FIELDS)
    assert list(map(len, load_documents(path)[0])) == [1_000_000, 5, 1_000_000]
    assert csv.field_size_limit() == users_limit


def test_suspended_and_interleaved_readers_leave_the_field_size_limit_alone(mails, users_limit):
    path = mails("m.csv", LONG_FIELDS)
    readers = [iter(DocumentReader(path, max_documents=1)) for _ in range(2)]
    for _ in range(3):
        for reader in readers:
            assert next(reader).texts in ([LONG], ["short"])
            assert csv.field_size_limit() == users_limit
    readers[0].close()
    assert csv.field_size_limit() == users_limit


def test_a_limit_that_the_user_sets_between_batches_stays(mails):
    before = csv.field_size_limit()
    try:
        reader = iter(DocumentReader(mails("m.csv", LONG_FIELDS), max_documents=1))
        next(reader)
        csv.field_size_limit(77)
        assert [batch.texts for batch in reader] == [["short"], [LONG]]
        assert csv.field_size_limit() == 77
    finally:
        csv.field_size_limit(before)


def test_the_users_field_size_limit_holds_in_other_threads_while_documents_are_read(mails):
    path = mails("m.csv", "text,label\n" + f"{'x' * 200_000},a\n" * 50)
    before = csv.field_size_limit(131_072)
    try:
        with ThreadPoolExecutor(2) as pool:
            reading = [pool.submit(load_documents, path) for _ in range(2)]
            limits = {csv.field_size_limit()}
            while not all(each.done() for each in reading):
                limits.add(csv.field_size_limit())
                with pytest.raises(csv.Error, match="field larger"):
                    next(csv.reader(["x" * 140_000]))
        assert limits == {131_072}
        assert [len(each.result()[0]) for each in reading] == [50, 50]
    finally:
        csv.field_size_limit(before)


@pytest.mark.parametrize(
    "name, content",
    [
        ("mails.csv", "body,folder,date\nx,a,1\n"),
        ("mails.parquet", parquet(body=["x"], folder=["a"], date=[1])),
    ],
)
def test_a_missing_column_is_told_with_those_there_are(mails, name, content):
    path = mails(name, content)
    expected = f"'{path}' has no column 'boddy'. It has: body, folder, date. Did you mean 'body'?"
    for on_error in ("fail", "skip"):
        with pytest.raises(FileError) as problem:
            load_documents(path, text="boddy", label="folder", on_error=on_error)
        assert str(problem.value) == expected
    with pytest.raises(FileError, match="no column 'id'"):
        load_documents(path, text="body", label="folder", also=["id"])


COMPRESS = {"gz": gzip.compress, "bz2": bz2.compress, "xz": lzma.compress}


@pytest.mark.parametrize("suffix", COMPRESS)
def test_a_compressed_file_that_was_cut_short_is_an_error(mails, suffix):
    rows = "".join(f'{{"text": "{os.urandom(40).hex()}", "label": 1}}\n' for _ in range(5000))
    packed = COMPRESS[suffix](rows.encode())
    path = mails(f"m.jsonl.{suffix}", packed[: len(packed) // 2])
    with pytest.raises(FileError, match="in the middle of its compressed data"):
        load_documents(path, on_error="skip")


@pytest.mark.parametrize("name", ["m.jsonl.gz", "m.csv.bz2", "m.txt.xz", "m.tsv.zst", "m.tar.gz"])
@pytest.mark.parametrize("content", [b"this is not compressed at all" * 10, b"\x1f\x8b\x08" * 9])
def test_a_file_that_is_not_compressed_as_its_name_says_is_an_error(mails, name, content):
    path = mails(name, content)
    with pytest.raises(FileError, match=r"cannot read|in the middle"):
        load_documents(path, label=None)


@pytest.mark.parametrize("name", ["m.csv", "m.jsonl", "m.parquet", "m.tar", "m.txt"])
def test_a_missing_file_or_a_folder_in_its_place_is_an_error(tmp_path, name):
    with pytest.raises(FileError, match="there is no file"):
        DocumentReader(tmp_path / name, label=None)
    (tmp_path / name).mkdir()
    with pytest.raises(FileError, match=f"is a folder, so it cannot be read as {name[2:]}"):
        load_documents(tmp_path / name, label=None, format=name[2:])


@pytest.mark.skipif(os.name == "nt" or os.geteuid() == 0, reason="may read everything")
def test_a_file_that_may_not_be_read_is_an_error(mails):
    path = mails("m.csv", "text,label\n")
    path.chmod(0)
    with pytest.raises(FileError, match="Permission denied"):
        load_documents(path)


@pytest.mark.parametrize("content", [b"", b"PAR1", b"nonsense" * 10, parquet(text=["x"])[:-9]])
def test_a_damaged_parquet_file_is_an_error(mails, content):
    with pytest.raises(FileError, match="as parquet"):
        load_documents(mails("m.parquet", content))


def test_damage_within_a_parquet_file_is_an_error(mails):
    content = bytearray(parquet(text=["some text"] * 100, label=["a"] * 100))
    content[4:60] = b"\xff" * 56
    with pytest.raises(FileError, match="cannot read"):
        load_documents(mails("m.parquet", bytes(content)))


@pytest.mark.parametrize(
    "columns, message",
    [
        ({"text": [1], "label": ["a"]}, "column 'text' of .* holds int64, not text"),
        ({"text": [b"x"], "label": ["a"]}, "holds binary, not text"),
        ({"text": ["x"], "label": [{"a": 1}]}, "column 'label' of .* labels are strings"),
        ({"text": ["x"], "label": pa.array([0], pa.date32())}, "labels are strings"),
    ],
)
def test_parquet_columns_of_other_types_are_refused(mails, columns, message):
    with pytest.raises(FileError, match=message):
        load_documents(mails("m.parquet", parquet(**columns)))


@pytest.mark.parametrize(
    "name, options, message",
    [
        ("m.dat", {}, "csv, tsv, jsonl, parquet, xlsx, sqlite, duckdb, folder, tar, txt"),
        ("m", {}, "does not show the format"),
        ("m.csv", {"format": "cvs"}, "no format 'cvs'. Known: csv, .* Did you mean 'csv'"),
        ("m.csv", {"format": "folder"}, "is a file, so it cannot be read as folder"),
        ("m.csv", {"match": "*.txt"}, "match is for folders and archives"),
        ("m.csv", {}, "no header line"),
        ("m.txt", {}, "label=None"),
        ("m.txt", {"label": None, "also": ["id"]}, "not the columns 'id'"),
        ("m.parquet.gz", {}, "cannot read parquet from"),
    ],
)
def test_what_cannot_be_is_an_error(mails, name, options, message):
    path = mails(name, b"")
    with pytest.raises(FileError, match=message):
        load_documents(path, **options)


@pytest.mark.parametrize(
    "options, message",
    [
        ({"on_error": "ignore"}, "'fail' or 'skip'"),
        ({"max_documents": 0}, "1 or more"),
        ({"max_bytes": 0}, "1 or more"),
        ({"encoding": "latin-99"}, "no encoding 'latin-99'"),
        ({"encoding": "cp500"}, "convert them to UTF-8"),
        ({"where": "split"}, "COLUMN=VALUE or COLUMN!=VALUE"),
        ({"where": ["=a"]}, "COLUMN=VALUE or COLUMN!=VALUE"),
        ({"on_unlabelled": "use"}, "'fail', 'skip' or 'keep', not 'use'"),
    ],
)
def test_impossible_options_are_refused(mails, options, message):
    with pytest.raises(InputError, match=message):
        DocumentReader(mails("m.csv", "text,label\n"), **options)


def test_columns_of_one_name_are_ambiguous(mails):
    with pytest.raises(FileError, match="has 2 columns 'text'"):
        load_documents(mails("m.csv", "text,label,text\nx,a,y\n"))


@pytest.mark.parametrize("format, message", [("parquet", "must be a file"), ("folder", "a folder")])
def test_what_standard_input_cannot_be_is_an_error(format, message):
    with pytest.raises(FileError, match=message):
        load_documents("-", format=format)


def test_standard_input_can_be_read_once(monkeypatch):
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b'{"text": "x", "label": 1}')))
    reader = DocumentReader("-")
    assert reader.size is None
    assert [batch.texts for batch in reader] == [["x"]]
    with pytest.raises(FileError, match="only once"):
        list(reader)
    assert not sys.stdin.buffer.closed


def test_leaving_early_leaves_nothing_open(mails):
    path = mails("m.jsonl.gz", gzip.compress(b'{"text": "x", "label": 1}\n' * 10))
    for _ in range(3):
        batches = iter(DocumentReader(path, max_documents=1))
        assert len(next(batches)) == 1
        batches.close()

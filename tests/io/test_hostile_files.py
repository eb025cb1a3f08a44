"""Files made to fill the memory, to hang, or to reach outside: an error, or documents."""

import gzip
import inspect
import io
import json
import lzma
import os
import re
import sqlite3
import struct
import subprocess
import sys
import tarfile
import tracemalloc
import zipfile
import zlib
from pathlib import Path

import duckdb
import openpyxl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from tallytext.errors import FileError, InputError
from tallytext.io import DocumentReader, batches, load_documents, sources, tables
from tallytext.io.table_writer import open_table

MIB = 1 << 20
FINE = "text,label\nCheap pills!,spam\nSee you at noon,ham\n"


def read(path, **options):
    """Return the texts that can be read, and what was said about other rows."""
    reader = DocumentReader(path, on_error="skip", **options)
    return [text for batch in reader for text in batch.strings], reader.skipped.messages


def peak_of(read):
    tracemalloc.start()
    try:
        read()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


def pack_zst(content):
    return sources.import_zstd().compress(content)


# What a source may unpack to.


@pytest.mark.parametrize(
    "suffix, pack", [("gz", gzip.compress), ("xz", lzma.compress), ("zst", pack_zst)]
)
def test_a_source_unpacks_to_a_limit_that_an_option_raises(tmp_path, suffix, pack):
    path = tmp_path / f"bomb.txt.{suffix}"
    path.write_bytes(pack(b"word " * 1000 + b"\n") * 1000)
    with pytest.raises(FileError, match=r"unpacks to more than 1 MiB.*\(--max-unpacked 1G\)"):
        load_documents(path, label=None, max_unpacked=MIB)
    assert len(load_documents(path, label=None, max_unpacked=6 * MIB)[0]) == 1000


def test_by_default_a_source_unpacks_to_200_times_its_size(tmp_path, monkeypatch):
    monkeypatch.setattr(sources, "_ALWAYS_ALLOWED_BYTES", MIB)
    path = tmp_path / "bomb.txt.gz"
    path.write_bytes(gzip.compress(b"word " * MIB) * 2)
    with pytest.raises(FileError, match=r"unpacks to more than 200 times its size: \d+\.?\d* MiB"):
        load_documents(path, label=None)
    path.write_bytes(gzip.compress(os.urandom(2 * MIB).hex().encode()))
    assert len(load_documents(path, label=None)[0]) == 1


def test_a_limit_is_positive(tmp_path):
    (tmp_path / "mails.csv").write_text(FINE)
    for limits in ({"max_row": 0}, {"max_unpacked": 0}):
        with pytest.raises(InputError, match="must be 1 or more"):
            load_documents(tmp_path / "mails.csv", **limits)


def test_xz_streams_follow_each_other_with_zeros_between(tmp_path):
    path = tmp_path / "mails.txt.xz"
    packed = [lzma.compress(text) for text in (b"one\n", b"", b"two\n")]
    path.write_bytes(bytes(4).join(packed) + bytes(8))
    assert load_documents(path, label=None)[0] == ["one", "two"]
    path.write_bytes(packed[0][:-4])
    with pytest.raises(FileError, match="in the middle of its compressed data"):
        load_documents(path, label=None)


def test_an_xz_header_that_demands_gigabytes_is_refused(tmp_path):
    filters = [{"id": lzma.FILTER_LZMA2, "dict_size": 1 << 16}]
    content = bytearray(lzma.compress(FINE.encode(), filters=filters))
    at = content.index(b"\x21\x01", 12)
    content[at + 2] = 37  # 1.5 GiB
    end = 12 + (content[12] + 1) * 4
    content[end - 4 : end] = struct.pack("<I", zlib.crc32(content[12 : end - 4]))
    path = tmp_path / "mails.csv.xz"
    path.write_bytes(content)
    with pytest.raises(FileError, match=r"Memory usage limit .*exceeded\. Unpack it"):
        load_documents(path)


# Rows.


def test_a_row_that_is_too_large_names_the_option(tmp_path):
    path = tmp_path / "mails.jsonl"
    path.write_text('{"text": "%s", "label": "a"}\n' % ("x" * 1000))
    with pytest.raises(FileError, match=r"line 1: larger than 100 bytes.*\(--max-row 1G\)"):
        load_documents(path, max_row=100)
    assert load_documents(path, max_row=2000)[1] == ["a"]


def test_a_quote_that_is_never_closed_takes_no_more_than_a_row(tmp_path):
    path = tmp_path / "mails.csv"
    path.write_text(FINE + '"open,a\n' + "word,b\n" * 100)
    texts, messages = read(path, max_row=200)
    assert messages[0].startswith("line 4: larger than 200 bytes, with ")
    assert "is a quote not closed?" in messages[0]
    assert texts[:2] == ["Cheap pills!", "See you at noon"] and set(texts[2:]) == {"word"}


def test_the_row_limit_covers_all_fields_of_a_record(tmp_path):
    path = tmp_path / "mails.csv"
    path.write_text(FINE + '"a\nb\nc","d\ne"\n' + "," * 500 + "\n")
    texts, messages = read(path, max_row=100)
    assert len(texts) == 3 and messages == ["line 8: larger than 100 bytes"]


@pytest.mark.parametrize("suffix", ["json", "jsonl"])
def test_json_with_many_small_values_is_not_read_into_memory(tmp_path, monkeypatch, suffix):
    path = tmp_path / f"mails.{suffix}"
    row = json.dumps({"text": "a", "label": "b", "other": [[]] * 100_000})
    path.write_text(f"[{row}]" if suffix == "json" else row)
    monkeypatch.setattr("tallytext.io.text_formats._MIN_BYTES_TO_MEASURE", 1000)
    with pytest.raises(FileError, match=r"larger than 8 MiB in memory.*--max-row"):
        load_documents(path, max_row=MIB)
    assert load_documents(path)[1] == ["b"]


@pytest.mark.parametrize("text, label", [("deep", '"a"'), ('"a"', "deep")])
def test_values_too_deep_to_print_are_unreadable(tmp_path, text, label):
    path = tmp_path / "mails.jsonl"
    row = f'{{"text": {text}, "label": {label}}}'
    path.write_text(row.replace("deep", "[" * 900 + "]" * 900))
    texts, (message,) = read(path)
    assert texts == [] and len(message) < 200


def test_a_label_as_long_as_a_text_is_unreadable(tmp_path):
    path = tmp_path / "mails.csv"
    path.write_text(FINE + "a," + "x" * 100_000 + "\n")
    with pytest.raises(FileError, match="line 4: the label has 100,000 characters"):
        load_documents(path)


def test_many_columns_take_linear_time(tmp_path):
    # Comparing each name with each takes minutes.
    names = [f"c{i}" for i in range(100_000)]
    path = tmp_path / "wide.csv"
    path.write_text(",".join(["text", "label", *names]) + "\na,b" + ",7" * 100_000 + "\n")
    (batch,) = DocumentReader(path, also="all")
    assert batch.also["c99999"] == ["7"]
    with pytest.raises(FileError, match=r"has no column 'body'. It has: .* and 99972 more") as told:
        load_documents(path, text="body")
    assert len(str(told.value)) < 1000


def test_many_columns_are_written_in_linear_time(tmp_path):
    columns = {f"c{i}": ["7"] for i in range(100_000)}
    with open_table(tmp_path / "wide.csv") as table:
        for _ in range(3):
            table.write(columns)
    assert (tmp_path / "wide.csv").read_text().count("\n") == 4


def test_further_columns_count_as_memory_of_a_batch(tmp_path, monkeypatch):
    monkeypatch.setattr(batches, "_MAX_OTHER_BYTES", 100_000)
    path = tmp_path / "mails.jsonl"
    row = {"text": "a", "label": "b", "other": {"x": ["y" * 20_000]}}
    path.write_text(f"{json.dumps(row)}\n" * 30)
    assert max(len(batch) for batch in DocumentReader(path, also="all")) < 10
    assert [len(batch) for batch in DocumentReader(path)] == [30]


# Pipes, devices and folders.


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="named pipes are of Unix")
@pytest.mark.parametrize("name", ["p.csv", "p.db", "p.xlsx", "p.parquet", "p.tar.gz"])
def test_a_named_pipe_is_refused_and_does_not_hang(tmp_path, name):
    os.mkfifo(tmp_path / name)
    with pytest.raises(FileError, match="is a pipe or a device, not a file"):
        load_documents(tmp_path / name)


@pytest.mark.skipif(not Path("/dev/fd/0").exists(), reason="no open files by name here")
def test_a_pipe_that_is_open_already_is_read():
    reader, writer = os.pipe()
    os.write(writer, FINE.encode())
    os.close(writer)
    try:
        assert load_documents(f"/dev/fd/{reader}", format="csv")[1] == ["spam", "ham"]
    finally:
        os.close(reader)


@pytest.mark.skipif(not Path("/dev/zero").exists(), reason="there is no /dev/zero")
def test_a_device_is_refused(tmp_path):
    (tmp_path / "zeros.csv").symlink_to("/dev/zero")
    with pytest.raises(FileError, match="is a pipe or a device"):
        load_documents(tmp_path / "zeros.csv")


def test_links_that_lead_to_each_other_are_passed_over(tmp_path):
    (tmp_path / "spam").mkdir()
    (tmp_path / "spam/1.txt").write_text("Cheap pills!")
    (tmp_path / "spam/a").symlink_to(tmp_path / "spam/b")
    (tmp_path / "spam/b").symlink_to(tmp_path / "spam/a")
    (tmp_path / "spam/up").symlink_to(tmp_path)
    assert read(tmp_path) == (["Cheap pills!"], [])


@pytest.mark.skipif(os.open not in os.supports_dir_fd, reason="no paths as long as this here")
def test_folders_may_be_nested_more_deeply_than_functions(tmp_path):
    here = os.open(tmp_path, os.O_RDONLY)
    depth = 300
    for _ in range(depth):
        os.mkdir("d", dir_fd=here)
        inner = os.open("d", os.O_RDONLY, dir_fd=here)
        os.close(here)
        here = inner
    os.close(os.open("1.txt", os.O_CREAT | os.O_WRONLY, dir_fd=here))
    os.close(here)
    before = sys.getrecursionlimit()
    sys.setrecursionlimit(len(inspect.stack()) + 150)
    try:
        assert load_documents(tmp_path) == ([""], ["d"])
    finally:
        sys.setrecursionlimit(before)


# Archives.


def header(name, size, kind=b"0", at=None):
    block = bytearray(512)
    block[: len(name)] = name
    block[124:136] = size if isinstance(size, bytes) else b"%011o\0" % size
    block[156:157] = kind
    block[257:265] = b"ustar\x0000"
    for start, value in (at or {}).items():
        block[start : start + len(value)] = value
    block[148:156] = b" " * 8
    block[148:156] = b"%06o\0 " % sum(block)
    return bytes(block)


def member(name, content, kind=b"0"):
    return header(name, len(content), kind) + content + bytes(-len(content) % 512)


def attributes(**given):
    content = b""
    for key, value in given.items():
        record = f" {key.replace('__', '.')}={value}\n".encode()
        length = len(record) + len(str(len(record) + 3))
        content += f"{length}".encode() + record
    return member(b"pax", content, b"x")


def archive(tmp_path, *parts):
    path = tmp_path / "mails.tar"
    path.write_bytes(b"".join(parts) + bytes(1024))
    return path


A, B = member(b"a/1", b"one"), member(b"b/2", b"two")


def test_a_chain_of_long_names_is_no_recursion(tmp_path):
    path = archive(tmp_path, member(b"@", b"a/long\0", b"L") * 3000, A, B)
    assert load_documents(path) == (["one", "two"], ["a", "b"])


def test_the_map_of_a_sparse_file_is_not_kept(tmp_path):
    sparse = attributes(GNU__sparse__major=1, GNU__sparse__minor=0, GNU__sparse__realsize=10**15)
    numbers = b"999999999\n" + b"1\n" * (8 * MIB)
    path = archive(tmp_path, A, sparse, member(b"a/sparse", numbers), B)
    assert peak_of(lambda: read(path)) < 8 * MIB
    assert read(path) == (["one", "two"], [])
    more = (b"00000000001\0" * 42)[:504] + b"\1" + bytes(7)
    old = header(b"a/old", 0, b"S", {482: b"\1"})
    path = archive(tmp_path, A, old, more * 20_000, bytes(512), B)
    assert peak_of(lambda: read(path)) < 8 * MIB
    assert read(path) == (["one", "two"], [])


def test_attributes_for_all_members_are_not_kept(tmp_path):
    many = member(b"g", b"".join(b"12 k%05d=v\n" % i for i in range(80_000)), b"g")
    path = archive(tmp_path, many * 5, A, B)
    assert peak_of(lambda: read(path)) < 8 * MIB
    assert read(path) == (["one", "two"], [])


@pytest.mark.parametrize(
    "size", [b"\xff" * 12, b"-0000000001\0", b"\x80" + b"\1" * 11, b"77777777777\0", b"9z999\0" * 2]
)
def test_absurd_sizes_are_damage(tmp_path, size):
    with pytest.raises(FileError, match="as a tar archive"):
        read(archive(tmp_path, A, header(b"a/3", size), B))


@pytest.mark.parametrize("size", ["-1", "1e9", "9" * 40, "", "\u0661"])
def test_absurd_sizes_in_attributes_are_damage(tmp_path, size):
    with pytest.raises(FileError, match=r"as a tar archive: a size is|a damaged attribute"):
        read(archive(tmp_path, A, attributes(size=size), B))


@pytest.mark.parametrize("format", [tarfile.USTAR_FORMAT, tarfile.GNU_FORMAT, tarfile.PAX_FORMAT])
def test_long_names_of_each_format_are_read(tmp_path, format):
    path, name = tmp_path / "mails.tar", "/".join(["folder" * 4] * 5) + "/é.txt"
    with tarfile.open(path, "w", format=format, encoding="utf-8") as made:
        for each, text in ((name, b"x"), ("a/short", b"y")):
            info = tarfile.TarInfo(each)
            info.size = len(text)
            made.addfile(info, io.BytesIO(text))
    (batch,) = DocumentReader(path)
    assert batch.places == [name, "a/short"] and batch.texts == ["x", "y"]


# Workbooks and databases.


def workbook(path, sheet):
    book = openpyxl.Workbook()
    book.save(path)
    main = 'xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"'
    with zipfile.ZipFile(path) as old:
        parts = {info.filename: old.read(info) for info in old.infolist()}
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as new:
        for name, content in parts.items():
            new.writestr(name, sheet.replace("MAIN", main) if "sheet1" in name else content)
    return path


def cells(*values, start="<row>"):
    inline = "".join(f'<c t="inlineStr"><is><t>{each}</t></is></c>' for each in values)
    return f"{start}{inline}</row>"


SHEET = "<worksheet MAIN><sheetData>" + cells("text", "label") + cells("a", "b")
END = "</sheetData></worksheet>"


def test_a_workbook_that_takes_too_much_memory_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(tables, "_MAX_WORKBOOK_BYTES", MIB)
    path = workbook(tmp_path / "bomb.xlsx", SHEET + "<x/>" * 20_000 + END)
    with pytest.raises(FileError, match=r"takes more than 1 MiB of memory.*--max-unpacked 1G"):
        load_documents(path)
    assert load_documents(path, max_unpacked=1 << 30)[0] == ["a"]
    # What is in rows is not kept, however long the sheet is.
    path = workbook(tmp_path / "fine.xlsx", SHEET + cells("text " * 20, "b") * 5000 + END)
    assert len(load_documents(path)[0]) == 5001


def test_a_workbook_defines_no_entities(tmp_path):
    entity = '<!DOCTYPE x [<!ENTITY a "ha">]>'
    path = workbook(tmp_path / "laughs.xlsx", entity + SHEET + cells("&a;", "b") + END)
    with pytest.raises(FileError, match="it defines entities"):
        load_documents(path)


def test_a_sheet_has_no_more_rows_than_excel_allows(tmp_path, monkeypatch):
    monkeypatch.setattr(tables, "_MAX_SHEET_ROWS", 1000)
    sheet = SHEET + cells("c", "d", start='<row r="2000000000">') + END
    with pytest.raises(FileError, match="more than 1,000 rows"):
        load_documents(workbook(tmp_path / "far.xlsx", sheet))


def database(path, *statements):
    connection = sqlite3.connect(path)
    for statement in statements:
        connection.execute(statement)
    connection.commit()
    connection.close()
    return path


ENDLESS = "CREATE VIEW mails AS WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c) "


def test_a_view_without_end_is_an_error(tmp_path, monkeypatch):
    monkeypatch.setattr(tables, "_MAX_STEPS", 3_000_000)
    path = database(tmp_path / "a.db", ENDLESS + "SELECT 'a' AS text, 'b' AS label FROM c")
    with pytest.raises(FileError, match=r"unpacks to more than 1 MiB.*--max-unpacked"):
        load_documents(path, max_unpacked=MIB)
    none = "SELECT 'a' AS text, 'b' AS label FROM c WHERE x < 0"
    with pytest.raises(FileError, match=r"a view takes too long. Write its rows to a table"):
        load_documents(database(tmp_path / "b.db", ENDLESS + none))


def test_a_value_of_a_view_is_limited(tmp_path):
    view = "CREATE VIEW mails AS SELECT hex(zeroblob({})) AS text, 'a' AS label"
    path = database(tmp_path / "a.db", view.format(20_000_000))
    with pytest.raises(FileError, match=r"too big.*--max-row"):
        load_documents(path, max_row=MIB)
    path = database(tmp_path / "b.db", view.format(1_000_000))
    assert read(path, max_row=MIB) == ([], ["row 1: larger than 1 MiB"])


def test_names_of_a_database_that_are_not_utf_8_are_damage(tmp_path):
    path = database(tmp_path / "a.db", "CREATE TABLE mails (text, label, other)")
    path.write_bytes(path.read_bytes().replace(b"other", b"oth\xffr"))
    with pytest.raises(FileError, match="as SQLite: the name of a column is not UTF-8"):
        load_documents(path)


def test_rows_of_views_are_read(tmp_path):
    path = database(
        tmp_path / "a.db",
        "CREATE TABLE mails (text, label)",
        "INSERT INTO mails VALUES ('a', 'b'), ('c', 'd')",
        "CREATE VIEW some AS SELECT * FROM mails WHERE label = 'd'",
    )
    assert load_documents(f"{path}::some") == (["c"], ["d"])
    with duckdb.connect(str(tmp_path / "a.duckdb")) as connection:
        connection.execute("CREATE VIEW mails AS SELECT 'a' AS text, 'b' AS label")
    assert load_documents(tmp_path / "a.duckdb", max_unpacked=MIB) == (["a"], ["b"])


def test_a_duckdb_view_cannot_fill_the_memory(tmp_path):
    with duckdb.connect(str(tmp_path / "a.duckdb")) as connection:
        connection.execute(
            "CREATE VIEW mails AS SELECT repeat('x', 100000) AS text, 'b' AS label "
            "FROM range(1000000000)"
        )
    with pytest.raises(FileError, match=r"unpacks to more than 8 MiB"):
        load_documents(tmp_path / "a.duckdb", max_unpacked=8 * MIB)
    # DuckDB computes 2,048 rows at once, whatever their size.
    with pytest.raises(FileError, match=r"is a view, .* Write them to a table.*--max-unpacked 1G"):
        load_documents(tmp_path / "a.duckdb")


def test_damage_of_a_duckdb_file_is_no_lock(tmp_path):
    path = tmp_path / "a.duckdb"
    with duckdb.connect(str(path)) as connection:
        connection.execute("CREATE TABLE mails AS SELECT 'a' AS text, 'b' AS label")
    content = bytearray(path.read_bytes())
    content[5000:5100] = bytes(range(100))
    path.write_bytes(content)
    with pytest.raises(FileError, match="as DuckDB") as told:
        load_documents(path)
    assert "Another program" not in str(told.value)


def test_a_directory_before_the_start_of_a_workbook_is_damage(tmp_path):
    path = workbook(tmp_path / "mails.xlsx", SHEET + END)
    content = bytearray(path.read_bytes())
    at = content.rindex(b"PK\5\6")
    content[at + 12 : at + 16] = struct.pack("<I", 1 << 20)
    path.write_bytes(content)
    with pytest.raises(FileError, match=r"as xlsx: it is damaged .*Save it again"):
        load_documents(path)


# Parquet.


def one_text(length, times):
    indices = pa.array([0] * times, pa.int32())
    return pa.DictionaryArray.from_arrays(indices, ["x" * length])


@pytest.mark.parametrize("column", ["text", "other"])
def test_a_text_that_is_written_once_is_not_repeated_in_memory(tmp_path, column):
    table = {"text": pa.array(["a"] * 4000), "label": pa.array(["a", "b"] * 2000)}
    path = tmp_path / "mails.parquet"
    pq.write_table(pa.table({**table, column: one_text(MIB // 8, 4000)}), path, store_schema=False)
    reader = DocumentReader(path, also="all", max_bytes=1 << 40)
    sizes = [len(batch) for batch, _ in zip(reader, range(1), strict=False)]
    assert max(sizes) <= 1024


def test_a_page_that_unpacks_to_far_more_is_refused(tmp_path):
    path = tmp_path / "mails.parquet"
    table = pa.table({"text": ["a b " * (20 * MIB)], "label": ["a"]})
    pq.write_table(table, path, use_dictionary=False, compression="zstd", write_statistics=False)
    with pytest.raises(FileError, match=r"column 'text' .*200 times its size.*--max-unpacked"):
        load_documents(path)
    texts, messages = read(path, max_unpacked=1 << 30)
    assert (texts, messages) == ([], ["row 1: larger than 32 MiB"])


@pytest.fixture
def table():
    return pa.table({"text": ["a b", "c d"], "label": ["spam", "ham"], "other": ["café", "x"]})


@pytest.mark.parametrize("column", ["text", "other"])
def test_encrypted_columns_of_parquet_are_an_error_if_they_are_wanted(tmp_path, table, column):
    pe = pytest.importorskip("pyarrow.parquet.encryption")

    class Kms(pe.KmsClient):
        def __init__(self, config):
            super().__init__()

        def wrap_key(self, key, name):
            return key

        def unwrap_key(self, key, name):
            return key

    settings = pe.EncryptionConfiguration("k", column_keys={"k": [column]}, plaintext_footer=True)
    properties = pe.CryptoFactory(Kms).file_encryption_properties(
        pe.KmsConnectionConfig(), settings
    )
    path = tmp_path / "mails.parquet"
    pq.write_table(table, path, encryption_properties=properties)
    # In a process of its own, which Arrow would end.
    read = f"from tallytext.io import load_documents; print(load_documents({str(path)!r}))"
    ended = subprocess.run([sys.executable, "-c", read], capture_output=True, text=True)
    if column == "other":
        assert (ended.returncode, ended.stderr) == (0, "")
    else:
        assert ended.returncode == 1
        assert "Decrypt it first." in ended.stderr.splitlines()[-1]


def bent_parquet(path, table, old, new, at):
    """Write a table, and replace one of the places at which bytes occur."""
    pq.write_table(table, path, compression="none", use_dictionary=False, write_statistics=False)
    content = bytearray(path.read_bytes())
    places = [found.start() for found in re.finditer(re.escape(old), bytes(content))]
    content[places[at] : places[at] + len(old)] = new
    path.write_bytes(content)
    return path


@pytest.mark.parametrize("at", [0, 1])  # in the schema, and beside the column
def test_names_of_parquet_that_are_not_utf_8_are_damage(tmp_path, table, at):
    path = bent_parquet(tmp_path / "mails.parquet", table, b"label", b"l\xffbel", at)
    try:  # most places are not looked at
        assert load_documents(path) == (["a b", "c d"], ["spam", "ham"])
    except FileError as problem:
        assert "as parquet" in str(problem)


def test_labels_of_parquet_that_are_not_utf_8_are_unreadable_rows(tmp_path, table):
    path = bent_parquet(tmp_path / "mails.parquet", table, b"spam", b"sp\xffm", 0)
    assert load_documents(path, on_error="skip") == (["c d"], ["ham"])
    with pytest.raises(FileError, match=r"row 1: .* cannot be a label"):
        load_documents(path)


@pytest.mark.parametrize("also", [["other"], "all"])
def test_further_columns_of_parquet_that_are_not_utf_8_are_an_error(tmp_path, table, also):
    path = bent_parquet(tmp_path / "mails.parquet", table, "é".encode(), b"\xff\xff", 0)
    with pytest.raises(FileError, match="as parquet"):
        list(DocumentReader(path, also=also))


def test_damage_of_parquet_has_a_remedy(tmp_path):
    path = tmp_path / "mails.parquet"
    pq.write_table(pa.table({"text": ["a"], "label": ["b"]}), path)
    content = path.read_bytes()
    for length in (0, 1, len(content), 2**32 - 1):
        path.write_bytes(content[:-8] + struct.pack("<I", length) + b"PAR1")
        with pytest.raises(FileError, match=r"as parquet: .*. Was it copied completely\?") as told:
            load_documents(path)
        assert "\n" not in str(told.value)


@pytest.mark.parametrize("suffix", ["arrow", "feather"])
def test_arrow_files_are_to_be_converted(tmp_path, suffix):
    path = tmp_path / f"mails.{suffix}"
    path.write_bytes(b"ARROW1")
    with pytest.raises(FileError, match="Convert it to Parquet first"):
        load_documents(path)

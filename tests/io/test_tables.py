"""Workbooks, databases, JSON arrays, UTF-16 and standard input without a name."""

import csv
import io
import json
import random
import sqlite3
import string
import sys
from datetime import datetime

import duckdb
import openpyxl
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tallytext.errors import FileError
from tallytext.io import DocumentReader, load_documents

# What every format can hold: a workbook has no control characters and ends no text in a return.
characters = st.characters(exclude_categories=["Cs", "Cc"], exclude_characters="\ufeff\ufffe\uffff")
texts = st.text(characters, max_size=30)
labels = st.text(characters, min_size=1, max_size=8).filter(str.strip)
documents = st.lists(st.tuples(texts, labels), min_size=1, max_size=8)


def write_csv(path, rows, encoding="utf-8"):
    with path.open("w", newline="", encoding=encoding) as file:
        csv.writer(file).writerows([("text", "label"), *rows])


def as_objects(rows):
    return [{"text": text, "label": label} for text, label in rows]


def write_xlsx(path, rows, title="Sheet"):
    book = openpyxl.Workbook()
    book.active.title = title
    for at, row in enumerate([("text", "label"), *rows], 1):
        for column, value in enumerate(row, 1):
            cell = book.active.cell(at, column, value)
            if isinstance(value, str):
                cell.data_type = "s"  # a text that begins with = is no formula
    book.save(path)


def write_sqlite(path, rows, table="mails"):
    path.unlink(missing_ok=True)
    connection = sqlite3.connect(path)
    connection.execute(f'CREATE TABLE "{table}" (text, label)')
    connection.executemany(f'INSERT INTO "{table}" VALUES (?, ?)', rows)
    connection.commit()
    connection.close()


def write_duckdb(path, rows):
    path.unlink(missing_ok=True)
    with duckdb.connect(str(path)) as connection:
        connection.execute("CREATE TABLE mails (text TEXT, label TEXT)")
        if rows:
            connection.executemany("INSERT INTO mails VALUES (?, ?)", [list(row) for row in rows])


WRITERS = {
    "m.csv": write_csv,
    "bom.csv": lambda path, rows: write_csv(path, rows, "utf-8-sig"),
    "wide.csv": lambda path, rows: write_csv(path, rows, "utf-16"),
    "little.csv": lambda path, rows: write_csv(path, rows, "utf-16-le"),
    "big.csv": lambda path, rows: write_csv(path, rows, "utf-16-be"),
    "m.jsonl": lambda path, rows: path.write_text("\n".join(map(json.dumps, as_objects(rows)))),
    "array.json": lambda path, rows: path.write_text(json.dumps(as_objects(rows))),
    "pretty.json": lambda path, rows: path.write_text(
        json.dumps(as_objects(rows), indent=1, ensure_ascii=False), encoding="utf-16"
    ),
    "m.xlsx": write_xlsx,
    "m.db": write_sqlite,
    "m.duckdb": write_duckdb,
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("tables")


@pytest.mark.parametrize("name", WRITERS)
@settings(max_examples=25, suppress_health_check=[HealthCheck.too_slow])
@given(rows=documents)
def test_a_table_is_the_same_in_every_format(folder, name, rows):
    path = folder / name
    WRITERS[name](path, rows)
    assert load_documents(path) == ([text for text, _ in rows], [label for _, label in rows])
    (batch,) = DocumentReader(path)
    assert list(batch.places) == list(range(1, len(rows) + 1))
    assert batch.n_bytes == path.stat().st_size


@pytest.mark.parametrize("format", ["csv", "jsonl", "array"])
def test_standard_input_is_recognised(monkeypatch, format):
    content = {
        "csv": "text;label\nx;a\n",
        "jsonl": ' \n{"text": "x", "label": "a"}\n',
        "array": ' \n[{"text": "x", "label": "a"}]\n',
    }[format]
    for encoding in ("utf-8", "utf-8-sig", "utf-16"):
        stream = io.TextIOWrapper(io.BytesIO(content.encode(encoding)))
        monkeypatch.setattr(sys, "stdin", stream)
        assert load_documents("-") == (["x"], ["a"])


def test_a_format_of_standard_input_is_not_guessed(monkeypatch):
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"{x}\n")))
    assert load_documents("-", format="txt", label=None) == (["{x}"], None)


def test_lines_of_text_are_told_their_format(monkeypatch):
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"see you at noon\n")))
    with pytest.raises(FileError, match="--format txt reads lines of text"):
        load_documents("-", label=None)


def test_an_array_is_read_in_blocks_of_any_cut(tmp_path):
    letters = random.Random(0)
    rows = [
        {"text": "".join(letters.choices(string.printable + "äß€𝄞", k=i * 37)), "label": f"{i}"}
        for i in range(300)
    ]
    path = tmp_path / "m.json"
    path.write_text(json.dumps(rows, ensure_ascii=False), encoding="utf-8")
    assert path.stat().st_size > 1 << 20
    assert load_documents(path)[0] == [row["text"] for row in rows]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ('[{"text": "x", "label": "a"}', "row 2: the array has no end"),
        ('[{"text": "x", "label": "a"},', "row 2: the array is damaged, or was not written"),
        ('[{"text": "x", "label": "a"} {', r"row 2: no ',' but '\{'"),
        ('[{"text": "x", "lab', "row 1: the array is damaged"),
        ('[{"text" "x"' + " " * 50, "row 1: not JSON: Expecting ':'"),
        ('[{"text": "x", "label": "a"}] 1', "row 2: there is more after the end"),
        ('[{"text": "x", "label": "a"}, 3]', "row 2: not an object, but 3"),
        ('[{"text": "x", "label": {}}]', "row 1: {} cannot be a label"),
        ("[" * 100_000, "row 1: not readable as JSON"),
    ],
)
def test_a_broken_array_is_named_with_its_row(tmp_path, content, message):
    (tmp_path / "m.json").write_text(content)
    with pytest.raises(FileError, match=message):
        load_documents(tmp_path / "m.json")


def test_an_array_may_be_empty_and_in_another_encoding(tmp_path):
    (tmp_path / "m.json").write_text(" [ ] ")
    assert load_documents(tmp_path / "m.json") == ([], [])
    (tmp_path / "l.json").write_bytes('[{"text": "Grüße", "label": "a"}]'.encode("cp1252"))
    with pytest.raises(FileError, match=r"not utf-8: byte 0xfc.*--encoding cp1252"):
        load_documents(tmp_path / "l.json")
    assert load_documents(tmp_path / "l.json", encoding="cp1252")[0] == ["Grüße"]


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be"])
def test_half_a_character_is_one_unreadable_line(tmp_path, encoding):
    path = tmp_path / "m.csv"
    lone = "text,label\nx,a\n\ud800y,b\nz,c\n".encode(encoding, "surrogatepass")
    path.write_bytes(lone + b"\0")
    with pytest.raises(FileError, match="line 3: not utf-8"):
        load_documents(path)
    assert load_documents(path, on_error="skip") == (["x", "z"], ["a", "c"])


def test_files_in_folders_may_be_utf_16(tmp_path):
    (tmp_path / "spam").mkdir()
    (tmp_path / "spam" / "1.txt").write_text("Grüße", encoding="utf-16")
    (tmp_path / "spam" / "2.txt").write_text("cheap", encoding="utf-16-le")
    assert load_documents(tmp_path) == (["Grüße", "cheap"], ["spam", "spam"])


def test_a_cell_is_text(tmp_path):
    path = tmp_path / "m.xlsx"
    day = datetime(2024, 5, 31)
    write_xlsx(path, [(3, day), (2.5, day.replace(hour=12)), (2.0, True), (None, 7)])
    texts, labels = load_documents(path)
    assert texts == ["3", "2.5", "2", ""]
    assert labels == ["2024-05-31", "2024-05-31T12:00:00", "true", "7"]


def test_blank_rows_of_a_sheet_are_counted_and_not_read(tmp_path):
    path = tmp_path / "m.xlsx"
    write_xlsx(path, [("x", "a"), (None, None), ("y", "b"), (None, None)])
    (batch,) = DocumentReader(path)
    assert (batch.texts, batch.places) == (["x", "y"], [1, 3])


def test_a_cover_sheet_is_told_with_the_other_sheets(tmp_path):
    from openpyxl import Workbook

    book = Workbook()
    book.active.title = "Cover"
    book.active.append(["Ticket export"])
    other = book.create_sheet("All tickets")
    other.append(["text", "label"])
    other.append(["cheap pills", "spam"])
    path = tmp_path / "tickets.xlsx"
    book.save(path)
    with pytest.raises(FileError, match=r"first sheet of Cover, All tickets.*xlsx::All tickets'"):
        load_documents(path)
    assert load_documents(f"{path}::All tickets")[0] == ["cheap pills"]


def test_a_sheet_is_chosen_by_its_name_and_is_the_first_otherwise(tmp_path):
    path = tmp_path / "m.xlsx"
    book = openpyxl.Workbook()
    book.active.append(["text", "label"])
    book.active.append(["x", "a"])
    other = book.create_sheet("More mails")
    other.append(["text", "label"])
    other.append(["y", "b"])
    book.save(path)
    assert load_documents(path) == (["x"], ["a"])
    assert load_documents(f"{path}::More mails") == (["y"], ["b"])
    with pytest.raises(FileError, match=r"no sheet 'More mail'. It has: Sheet, More mails. Did"):
        load_documents(f"{path}::More mail")


def execute(kind, path, sql):
    connection = kind.connect(str(path))
    connection.execute(sql)
    connection.commit()
    connection.close()


@pytest.mark.parametrize("name", ["m.db", "m.sqlite", "m.sqlite3", "other.db"])
def test_a_table_is_named_if_there_are_several(tmp_path, name):
    path = tmp_path / name
    kind = duckdb if name == "other.db" else sqlite3
    execute(kind, path, "CREATE TABLE mails (text TEXT, label TEXT)")
    execute(kind, path, "INSERT INTO mails VALUES ('x', 'a'), ('y', 'b')")
    assert load_documents(path) == (["x", "y"], ["a", "b"])
    execute(kind, path, """CREATE VIEW "odd ""name" AS SELECT text, 'c' AS label FROM mails""")
    with pytest.raises(FileError, match=r"has 2 tables: mails, odd \"name.*as in .*::mails"):
        load_documents(path)
    # A view of DuckDB is read only if a limit is given.
    assert load_documents(f'{path}::odd "name', max_unpacked=1 << 20) == (["x", "y"], ["c", "c"])
    with pytest.raises(FileError, match=r"no table 'mail'. It has: mails, .*Did you mean 'mails'"):
        load_documents(f"{path}::mail")
    with pytest.raises(FileError, match=r"no column 'body'. It has: text, label"):
        load_documents(f"{path}::mails", text="body")


def test_values_of_a_database_keep_their_types(tmp_path):
    path = tmp_path / "m.db"
    rows = [("x", 1), (2, "b"), ("z", 0.5), (b"\xff", "c"), (None, "d"), ("v", b"\x01")]
    write_sqlite(path, rows)
    reader = DocumentReader(path, on_error="skip", also="all")
    (batch,) = reader
    assert (batch.texts, batch.labels) == (["x", "2", "z", "v"], [1, "b", 0.5, "01"])
    assert reader.skipped.messages == [
        "row 4: not utf-8: byte 0xff at 0",
        "row 5: the text is null",
    ]


def test_a_table_without_rows_has_no_documents(folder):
    for name in ("m.xlsx", "m.db", "m.duckdb"):
        WRITERS[name](folder / f"empty-{name}", [])
        assert load_documents(folder / f"empty-{name}") == ([], [])


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("m.xlsx", b"text,label\nx,a\n", "it is not a workbook, .*--format"),
        ("m.xlsx", bytes.fromhex("d0cf11e0a1b11ae1") + bytes(600), "it has a password, or is in"),
        ("m.db", b"text,label\nx,a\n" * 100, "as SQLite: file is not a database.*--format"),
        ("m.duckdb", b"text,label\nx,a\n" * 1000, "as DuckDB: .*not a valid DuckDB database"),
        ("m.db", b"", "has 0 tables: none"),
        ("m.db.gz", b"", "must be a file, and not compressed"),
        ("m.csv::mails", None, "there is no file"),
    ],
)
def test_a_file_that_is_no_table_is_an_error_with_a_remedy(tmp_path, name, content, message):
    if content is not None:
        (tmp_path / name).write_bytes(content)
    with pytest.raises(FileError, match=message):
        load_documents(tmp_path / name)


def test_a_name_after_two_colons_is_for_files_with_tables(tmp_path):
    (tmp_path / "m.csv").write_text("text,label\n")
    with pytest.raises(FileError, match=r"::mails' has no tables: .*xlsx, sqlite, duckdb"):
        load_documents(f"{tmp_path / 'm.csv'}::mails")


@pytest.mark.parametrize("name", ["m.xlsx", "m.db", "m.duckdb"])
def test_a_damaged_file_is_one_clear_error(folder, name):
    path = folder / f"damaged-{name}"
    rows = [(f"document {i} " * 20, "ab"[i % 2]) for i in range(2000)]
    WRITERS[name](path, rows)
    whole = path.read_bytes()
    path.write_bytes(whole[: len(whole) // 2])
    with pytest.raises(FileError, match="cannot read"):
        load_documents(path)
    for seed in range(30):
        bent = bytearray(whole)
        for at in random.Random(seed).choices(range(len(whole)), k=20):
            bent[at] ^= 0xFF
        path.write_bytes(bent)
        try:
            load_documents(path, on_error="skip")
        except FileError as problem:
            assert "\n" not in str(problem)


def test_a_locked_database_is_an_error_that_says_so(tmp_path, monkeypatch):
    monkeypatch.setattr("tallytext.io.tables._LOCK_SECONDS", 0.0)
    path = tmp_path / "m.db"
    write_sqlite(path, [("x", "a")])
    writer = sqlite3.connect(path, isolation_level=None)
    writer.execute("BEGIN EXCLUSIVE")
    with pytest.raises(FileError, match=r"database is locked. Another program is writing"):
        load_documents(path)
    writer.execute("ROLLBACK")
    writer.close()
    assert load_documents(path) == (["x"], ["a"])


def test_reading_changes_no_database(tmp_path):
    path = tmp_path / "m.db"
    write_sqlite(path, [("x", "a")])
    before = path.read_bytes()
    load_documents(path)
    assert path.read_bytes() == before and [each.name for each in tmp_path.iterdir()] == ["m.db"]


@pytest.mark.parametrize(("module", "extra"), [("openpyxl", "excel"), ("duckdb", "duckdb")])
def test_a_missing_package_is_named(folder, monkeypatch, module, extra):
    name = {"openpyxl": "m.xlsx", "duckdb": "m.duckdb"}[module]
    WRITERS[name](folder / f"extra-{name}", [("x", "a")])
    monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(FileError, match=rf"pip install {module} \(tallytext\[{extra}\]\)"):
        load_documents(folder / f"extra-{name}")

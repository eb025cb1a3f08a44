"""Rows without a label, and conditions on columns, in every format."""

import csv
import json
import sqlite3

import duckdb
import openpyxl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from tallytext.errors import FileError
from tallytext.io import DocumentReader, load_documents

# One label, none in three ways, one more; a row of another split, with a label that is broken.
ROWS = [
    {"text": "cheap pills", "label": "spam", "split": "train", "year": 2023},
    {"text": "see you", "label": None, "split": "train", "year": 2024},
    {"text": "at noon", "label": "ham", "split": "train", "year": 2024},
    {"text": "at two", "label": "ham", "split": "test", "year": None},
]
NAMES = list(ROWS[0])


def values(row):
    return [row[name] for name in NAMES]


def write_csv(path, encoding="utf-8"):
    with path.open("w", newline="", encoding=encoding) as file:
        csv.writer(file).writerows([NAMES, *map(values, ROWS)])


def write_jsonl(path):
    path.write_text("\n".join(map(json.dumps, ROWS)))


def write_array(path):
    path.write_text(json.dumps(ROWS, indent=2))


def write_parquet(path):
    pq.write_table(pa.Table.from_pylist(ROWS), path)


def write_xlsx(path):
    book = openpyxl.Workbook()
    for row in [NAMES, *map(values, ROWS)]:
        book.active.append(row)
    book.save(path)


def write_sqlite(path):
    connection = sqlite3.connect(path)
    connection.execute("CREATE TABLE mails (text, label, split, year)")
    connection.executemany("INSERT INTO mails VALUES (?, ?, ?, ?)", map(values, ROWS))
    connection.commit()
    connection.close()


def write_duckdb(path):
    with duckdb.connect(str(path)) as connection:
        connection.execute("CREATE TABLE mails (text TEXT, label TEXT, split TEXT, year INT)")
        connection.executemany("INSERT INTO mails VALUES (?, ?, ?, ?)", list(map(values, ROWS)))


WRITERS = {
    "m.csv": write_csv,
    "wide.csv": lambda path: write_csv(path, "utf-16"),
    "m.jsonl": write_jsonl,
    "array.json": write_array,
    "m.parquet": write_parquet,
    "m.xlsx": write_xlsx,
    "m.db": write_sqlite,
    "m.duckdb": write_duckdb,
}


@pytest.fixture(params=WRITERS)
def path(request, tmp_path):
    """The rows in one of the formats."""
    path = tmp_path / request.param
    WRITERS[request.param](path)
    return path


def documents(path, **options):
    reader = DocumentReader(path, **options)
    found = [
        (place, text, label)
        for batch in reader
        for place, text, label in zip(batch.places, batch.strings, batch.labels, strict=True)
    ]
    return found, reader


def test_rows_without_a_label_are_kept_skipped_or_refused(path):
    kept, reader = documents(path, on_unlabelled="keep")
    assert kept == [
        (1, "cheap pills", "spam"),
        (2, "see you", None),
        (3, "at noon", "ham"),
        (4, "at two", "ham"),
    ]
    assert (reader.n_unlabelled, reader.skipped.count) == (1, 0)
    skipped, reader = documents(path, on_unlabelled="skip", max_documents=1)
    assert skipped == [row for row in kept if row[2] is not None]
    assert reader.n_unlabelled == 1
    with pytest.raises(FileError, match=r"the label is (null|empty).*--where label!="):
        load_documents(path)
    unreadable, reader = documents(path, on_error="skip")
    assert unreadable == skipped
    assert (reader.n_unlabelled, reader.skipped.count) == (0, 1)


def test_all_conditions_hold(path):
    def texts(*where):
        return [text for _, text, _ in documents(path, where=where, on_unlabelled="keep")[0]]

    assert texts("split=train") == ["cheap pills", "see you", "at noon"]
    assert texts("split!=train") == texts("split=test") == ["at two"]
    assert texts("split=train", "year=2024") == ["see you", "at noon"]
    assert texts("year=") == ["at two"]
    assert texts("label!=") == ["cheap pills", "at noon", "at two"]
    assert texts("split=nothing") == []


def test_a_row_that_is_left_out_is_not_examined(path):
    assert documents(path, where="label!=")[0][1] == (3, "at noon", "ham")


def test_a_condition_on_a_missing_column_names_the_columns(path):
    with pytest.raises(FileError, match=r"'splits'.*text, label, split, year.*mean 'split'"):
        load_documents(path, where="splits=train")


def test_all_columns_come_with_the_rows_of_a_condition(path):
    (batch,) = DocumentReader(path, where="split=test", also="all")
    assert list(batch.also) == NAMES
    assert [str(value) for value in list(batch.also["split"])] == ["test"]


def test_further_columns_are_read_beside_a_condition(path):
    (batch,) = DocumentReader(path, label=None, where="split=test", also=["label"])
    assert list(batch.also) == ["label"] and [str(each) for each in batch.also["label"]] == ["ham"]


def test_folders_have_no_columns_for_a_condition(tmp_path):
    with pytest.raises(FileError, match="texts only, not the columns 'split'"):
        DocumentReader(tmp_path, where="split=train")


@pytest.mark.parametrize(
    ("written", "label"),
    [('""', None), ('"  "', None), ("NaN", None), ("null", None), ("[]", []), ("0", 0)],
)
def test_what_is_no_label(tmp_path, written, label):
    path = tmp_path / "m.jsonl"
    path.write_text(f'{{"text": "x", "label": {written}}}\n')
    assert documents(path, on_unlabelled="keep")[0] == [(1, "x", label)]


def test_an_empty_string_is_an_empty_list_if_labels_are_separated(tmp_path):
    (tmp_path / "m.csv").write_text("text,label\nx,a;b\ny,\n")
    (tmp_path / "m.jsonl").write_text('{"text": "y", "label": ""}\n{"text": "z", "label": null}\n')
    options = {"on_unlabelled": "keep", "label_separator": ";"}
    assert [each[2] for each in documents(tmp_path / "m.csv", **options)[0]] == [["a", "b"], []]
    assert [each[2] for each in documents(tmp_path / "m.jsonl", **options)[0]] == [[], None]


def test_some_objects_may_lack_the_key_of_labels_but_not_all(tmp_path):
    path = tmp_path / "m.jsonl"
    path.write_text('{"text": "x", "kind": "b"}\n{"text": "y", "label": "a"}\n')
    assert documents(path, on_unlabelled="keep")[0] == [(1, "x", None), (2, "y", "a")]
    path.write_text('{"text": "x", "kind": "b"}\n' * 2)
    with pytest.raises(FileError, match=r"line 1: no key 'label'. It has: text, kind. Did you"):
        documents(path, on_unlabelled="keep")


def test_a_line_of_fasttext_may_have_no_label(tmp_path):
    path = tmp_path / "m.fasttext"
    path.write_text("__label__a x\ny\n")
    assert documents(path, on_unlabelled="keep")[0] == [(1, "x", "a"), (2, "y", None)]
    with pytest.raises(FileError, match="line 2: no word begins with __label__"):
        load_documents(path)

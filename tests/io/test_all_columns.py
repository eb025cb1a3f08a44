"""All columns of a source, read beside the texts."""

import json

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from tallytext.errors import FileError
from tallytext.io import DocumentReader
from tallytext.io.batches import ABSENT

COLUMNS = {
    "id": ["7", "8", "9"],
    "text": ["Cheap, cheap!", 'a "quote"\nand a line', "naïve"],
    "": ["x", "", "z"],
}


@pytest.mark.parametrize("separator, format", [(",", "csv"), (";", "csv"), ("\t", "tsv")])
def test_all_columns_of_a_text_file_are_read_in_their_order(tmp_path, separator, format):
    path = tmp_path / f"mails.{format}"
    lines = [COLUMNS, *zip(*COLUMNS.values(), strict=True)]
    quoted = [['"' + value.replace('"', '""') + '"' for value in line] for line in lines]
    path.write_text("".join(separator.join(line) + "\n" for line in quoted))
    (batch,) = DocumentReader(path, label=None, also="all")
    assert list(batch.also.items()) == list(COLUMNS.items())
    assert batch.texts == COLUMNS["text"]


def test_all_columns_of_a_parquet_file_keep_their_types(tmp_path):
    table = pa.table(
        {
            "when": pa.array([1, 2, None], pa.timestamp("ns", "UTC")),
            "text": COLUMNS["text"],
            "parts": [{"a": 1}, None, {"a": 3}],
        }
    )
    pq.write_table(table, tmp_path / "mails.parquet")
    batches = list(DocumentReader(tmp_path / "mails.parquet", label=None, also="all", max_bytes=20))
    assert len(batches) > 1
    for name, column in zip(table.column_names, table.columns, strict=True):
        assert pa.chunked_array([batch.also[name] for batch in batches]) == column
    assert batches[0].take([0]).also["when"] == table["when"].chunk(0)[:1]


def test_a_key_that_an_object_lacks_is_absent_and_not_null(tmp_path):
    records = [{"text": "a", "n": None}, {"b": [1, {"c": 2}], "text": "b"}]
    path = tmp_path / "mails.jsonl"
    path.write_text("\n".join(map(json.dumps, records)))
    (batch,) = DocumentReader(path, label=None, also="all")
    assert batch.also == {"text": ["a", "b"], "n": [None, ABSENT], "b": [ABSENT, [1, {"c": 2}]]}


def test_texts_alone_are_the_only_column(tmp_path):
    (tmp_path / "spam").mkdir()
    (tmp_path / "spam" / "1.txt").write_text("Cheap!")
    (batch,) = DocumentReader(tmp_path, text="body", label=None, also="all")
    assert (batch.places, batch.also) == (["spam/1.txt"], {"body": ["Cheap!"]})
    (tmp_path / "a.txt").write_text("Cheap!\nNoon")
    (batch,) = DocumentReader(tmp_path / "a.txt", label=None, also="all")
    assert (batch.places, batch.also) == ([1, 2], {"text": ["Cheap!", "Noon"]})


def test_columns_of_the_same_name_cannot_all_be_read(tmp_path):
    path = tmp_path / "mails.csv"
    path.write_text("text,note,note\na,b,c\n")
    assert [batch.texts for batch in DocumentReader(path, label=None)] == [["a"]]
    with pytest.raises(FileError, match=r"2 columns 'note'.*Rename one"):
        list(DocumentReader(path, label=None, also="all"))

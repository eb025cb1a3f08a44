"""What somebody meets who has never used this: files of other programs, slips, first words."""

import json

import pytest

from commands import MAILS, run, succeed, trained, write_csv
from tallytext.datasets import load_documents
from tallytext.errors import FileError


def refusal(path, **options):
    """Return why documents cannot be read."""
    with pytest.raises(FileError) as caught:
        load_documents(path, **options)
    return str(caught.value)


def told(*arguments, input=None):
    """Run a command that must fail with one paragraph, and return it."""
    result = run(*arguments, input=input)
    assert result.exit_code == 1, result.output
    assert result.stderr.startswith("error: ")
    assert result.stderr.count("\n") == 1
    return result.stderr


@pytest.mark.parametrize("separator", [";", "\t", ","])
def test_the_separator_is_found_in_the_header(tmp_path, separator):
    path = tmp_path / "excel.csv"
    lines = [("label", "Nr", "text"), ("spam", "1", '"buy, now; ""today"""'), ("work", "2", "x")]
    path.write_text("".join(separator.join(line) + "\r\n" for line in lines))
    assert load_documents(path) == (['buy, now; "today"', "x"], ["spam", "work"])


def test_a_header_that_has_the_columns_is_read_as_it_is(tmp_path):
    path = tmp_path / "odd.csv"
    path.write_text("text,label,a;b;c\nx,spam,1\n")
    assert load_documents(path) == (["x"], ["spam"])


def test_columns_between_semicolons_are_offered(tmp_path):
    path = tmp_path / "excel.csv"
    path.write_text("Nummer;Betreff;Ordner\n1;x;spam\n")
    assert "It has: Nummer, Betreff, Ordner." in refusal(path)


@pytest.mark.parametrize(
    ("name", "content", "helps"),
    [
        ("m.csv", "text,label\nGrüße,a\n".encode("cp1252"), "--encoding cp1252"),
        ("m.csv", "text,label\nx,a\n".encode("utf-16"), "iconv -f UTF-16"),
        ("m.jsonl", b'[{"text": "x", "label": "a"}]', "jq -c '.[]'"),
        ("m.json", b'[\n{"text": "x", "label": "a"}\n]', "jq -c '.[]'"),
        ("m.xlsx", b"PK", "Save the sheet as CSV"),
        ("m.docx", b"PK", "plain text"),
        ("m.tally", b"", "MODEL INPUT"),
    ],
)
def test_files_of_other_programs_are_refused_with_what_to_do(tmp_path, name, content, helps):
    path = tmp_path / name
    path.write_bytes(content)
    assert helps in refusal(path)


def test_files_beside_folders_of_labels_are_told_where_to_go(tmp_path):
    (tmp_path / "1.txt").write_text("x")
    assert "named after their labels" in refusal(tmp_path)


def test_lines_of_json_may_be_called_json(tmp_path):
    path = tmp_path / "m.json"
    path.write_text('{"text": "x", "label": "a"}\n')
    assert load_documents(path) == (["x"], ["a"])

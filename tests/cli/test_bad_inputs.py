"""More than ninety bad inputs: each gets one clear line with the remedy, and nothing is lost.

A case is a command line and the words that its message must have: the value, and the remedy. The
files are made once for the module; each case sees the same ones, and must leave them as they were.
"""

import gzip
import json
import os
import sqlite3
import subprocess
import sys
import zipfile
from contextlib import closing
from dataclasses import dataclass

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from commands import MAILS, run, succeed, write_csv, write_jsonl
from tallytext import TextClassifier, TextVectorizer

SPAM = [(text, label) for text, label in MAILS if label == "spam"]


@dataclass(frozen=True)
class Case:
    """A command line that must fail; names in braces are files."""

    line: str
    words: tuple[str, ...]
    code: int = 1


def case(line, *words, code=1):
    return Case(line, words, code)


def make_tables(folder):
    """Delimited files, good and bad."""
    write_csv(folder / "good.csv")
    write_csv(folder / "spam.csv", SPAM)
    write_csv(folder / "header.csv", [])
    write_csv(folder / "bare.csv", MAILS, ("cheap pills, and forty letters of a text too", "spam"))
    write_csv(folder / "bare-numbers.csv", [("3", "4")], ("1", "2"))
    write_csv(folder / "twice.csv", [("a", "b", "c")], ("text", "label", "label"))
    write_csv(folder / "columns.csv", MAILS, ("Body", "Folder"))
    write_csv(folder / "blank.csv", [("", "spam"), (" ", "ham")] * 5)
    write_csv(folder / "nan.csv", [*MAILS, ("cheap", "NaN")])
    write_csv(folder / "alike.csv", [*MAILS, ("cheap pills", "Spam")])
    write_csv(folder / "moon.csv", [("moon and stars", "astronomy")])
    write_csv(folder / "number.csv", [("cheap", 1), ("lunch", 2)] * 9)
    (folder / "empty.csv").touch()
    (folder / "blanks.csv").write_text("\n\n\n")
    (folder / "tilde.csv").write_text("text~label\ncheap pills~spam\nlunch~ham\n")
    (folder / "quote.csv").write_text('text,label\n"cheap pills,spam\nlunch,ham\n')
    (folder / "wide.csv").write_text("text,label\ncheap pills,spam,and,more\n")
    (folder / "latin.csv").write_bytes("text,label\ncafé au lait,food\n".encode("latin-1"))
    (folder / "binary.csv").write_bytes(bytes(range(256)) * 40)
    (folder / "cut.csv.gz").write_bytes(gzip.compress((folder / "good.csv").read_bytes())[:-20])
    (folder / "not.csv.gz").write_bytes(b"text,label\ncheap,spam\n")
    (folder / "good.cvs").write_bytes((folder / "good.csv").read_bytes())
    (folder / "none").write_bytes((folder / "good.csv").read_bytes())


def make_records(folder):
    """JSON lines, Parquet and archives, good and bad."""
    write_jsonl(folder / "number.jsonl", [{"text": 7, "label": "spam"}])
    write_jsonl(folder / "keys.jsonl", [{"body": "cheap", "label": "spam"}])
    write_jsonl(folder / "null.jsonl", [{"text": None, "label": "spam"}])
    write_jsonl(folder / "nested.jsonl", [{"text": {"body": "cheap"}, "label": "spam"}])
    (folder / "broken.jsonl").write_text('{"text": "cheap", "label": "spam"}\n{"text": "lun\n')
    (folder / "scalar.jsonl").write_text('"cheap pills"\n"lunch"\n')
    (folder / "object.json").write_text(json.dumps({"texts": ["cheap"], "labels": ["spam"]}))
    (folder / "utf8.jsonl").write_bytes(b'{"text": "caf\xe9", "label": "food"}\n')
    table = pa.table({"body": ["cheap"], "label": ["spam"]})
    pq.write_table(table, folder / "keys.parquet")
    pq.write_table(pa.table({"text": [1, 2], "label": ["a", "b"]}), folder / "number.parquet")
    whole = (folder / "keys.parquet").read_bytes()
    (folder / "cut.parquet").write_bytes(whole[: len(whole) // 2])
    (folder / "not.parquet").write_text("text,label\n")
    (folder / "cut.tar").write_bytes(b"text/1.txt" + bytes(600))
    with zipfile.ZipFile(folder / "mails.zip", "w") as archive:
        archive.writestr("good.csv", (folder / "good.csv").read_text())
    (folder / "bad.xlsx").write_text("text,label\n")
    (folder / "not.db").write_text("text,label\n")
    with closing(sqlite3.connect(folder / "data.db")) as database:
        database.execute("create table mails (text, label)")
    (folder / "loose").mkdir()
    (folder / "loose" / "one.txt").write_text("a text without a folder that is its label")
    (folder / "nothing").mkdir()


def make_models(folder):
    """Models, good and bad."""
    model = folder / "m.tally"
    succeed("train", folder / "good.csv", "-o", model, "--model", "multinomial", "-q")
    whole = model.read_bytes()
    (folder / "cut.tally").write_bytes(whole[:-50])
    flipped = bytearray(whole)
    flipped[len(whole) // 2] ^= 0xFF
    (folder / "flipped.tally").write_bytes(flipped)
    (folder / "empty.tally").touch()
    texts, labels = map(list, zip(*MAILS, strict=True))
    pairs = TextVectorizer(ngram_range=(1, 2))
    TextClassifier("multinomial", vectorizer=pairs).fit(texts, labels).save(folder / "pairs.tally")
    TextClassifier("refined", keep="counts").fit(texts, labels).save(folder / "fixed.tally")


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    folder = tmp_path_factory.mktemp("bad")
    make_tables(folder)
    make_records(folder)
    make_models(folder)
    return folder


@pytest.fixture
def place(files, monkeypatch):
    """The folder of the files, as the current one."""
    monkeypatch.chdir(files)
    return files


def contents(folder):
    """The bytes of each file of a folder."""
    return {
        str(each.relative_to(folder)): each.read_bytes() if each.is_file() else None
        for each in sorted(folder.rglob("*"))
    }


CASES = {
    # Columns
    "no text column": case("train columns.csv", "Body, Folder", "--text Body"),
    "no label column": case("train columns.csv --text Body", "Body, Folder", "--label Folder"),
    "misspelt column": case("train good.csv --text txt", "'txt'", "It has: text, label", "'text'"),
    "other case": case("train columns.csv --text body --label Folder", "mean 'Body'?"),
    "a slip at the start": case("train good.csv --label abel", "mean 'label'?"),
    "a text in the first line": case("train bare.csv", "looks like data", "text,label"),
    "numbers in the first line": case("train bare-numbers.csv", "looks like data"),
    "column twice": case("train twice.csv", "2 columns 'label'", "Rename"),
    "no such id": case("predict m.tally good.csv --id number", "'number'", "text, label"),
    "no header": case("train good.csv --text cheap", "'cheap'", "It has"),
    "wrong delimiter": case("train tilde.csv", "'text'", "It has: text~label"),
    "parquet without the column": case("train keys.parquet", "'text'", "--text body"),
    "key missing": case("train keys.jsonl", "line 1", "--text body"),
    # Files
    "missing file": case("train lost.csv", "there is no file", "lost.csv"),
    "missing model": case("info lost.tally", "there is no model", "has: cut.tally, empty"),
    "folder of no labels": case("train loose", "loose", "folder"),
    "empty folder": case("train nothing", "nothing"),
    "folder for a model": case("info nothing", "nothing", "folder"),
    "empty file": case("train empty.csv", "'empty.csv' is empty"),
    "blank lines only": case("train blanks.csv", "blanks.csv"),
    "only a header": case("train header.csv", "no document", "header.csv"),
    "unknown ending": case("train none", "does not show the format", "--format"),
    "misspelt ending": case("train good.cvs", "good.cvs", "--format"),
    "zip archive": case("train mails.zip", "mails.zip"),
    "binary file": case("train binary.csv", "binary.csv"),
    "latin-1 table": case("train latin.csv", "--encoding"),
    "broken UTF-8 in JSON": case("train utf8.jsonl", "line 1", "--encoding"),
    "unknown encoding": case("train good.csv --encoding utf9", "'utf9'", "utf-8"),
    "truncated gzip": case("train cut.csv.gz", "compressed data", "copied completely"),
    "gzip by name only": case("train not.csv.gz", "not.csv.gz"),
    "truncated parquet": case("train cut.parquet", "cut.parquet"),
    "parquet by name only": case("train not.parquet", "not.parquet"),
    "tar by name only": case("train cut.tar", "cut.tar"),
    "workbook by name only": case("train bad.xlsx", "not a workbook", "--format"),
    "database by name only": case("train not.db::mails", "not a database", "--format"),
    "no such table": case("train data.db::letters", "no table 'letters'", "It has: mails"),
    # Rows
    "unclosed quote": case("train quote.csv", "quote.csv", "line 2", "quot"),
    "row too wide": case("train wide.csv", "wide.csv", "line 2"),
    "JSON number as text": case("train number.jsonl", "line 1", "not a string", "--on-error skip"),
    "JSON null as text": case("train null.jsonl", "line 1", "--on-error skip"),
    "JSON object as text": case("train nested.jsonl", "line 1", "--text text.body"),
    "JSON cut off": case("train broken.jsonl", "line 2", "--on-error skip"),
    "JSON strings": case("train scalar.jsonl", "line 1", "object"),
    "JSON object per file": case("train object.json --format jsonl", "'text'", "texts, labels"),
    "parquet numbers as text": case("train number.parquet", "'text'", "int64"),
    # Labels
    "NaN as a label": case("train nan.csv", "'NaN'", "--yes"),
    "labels that differ by case": case("train alike.csv", "'Spam'", "'spam'", "--merge-labels"),
    "one class to compare": case("compare spam.csv", "'spam'", "--label"),
    "texts of blanks": case("compare blank.csv", "--text", "all documents are empty"),
    "unknown labels to evaluate": case(
        "evaluate m.tally moon.csv",
        "'astronomy'",
        "'friends', 'spam', 'work'",
        "Is --label the right",
    ),
    "two ways with labels": case(
        "train nan.csv --merge-labels --yes", "--yes", "Leave out one", code=2
    ),
    "unknown label to forget": case("forget m.tally moon.csv", "'astronomy'"),
    "never learned": case("forget m.tally good.csv spam.csv", "cannot forget", "ever learned"),
    "nothing to label": case("label header.csv", "no document"),
    # Models
    "data for a model": case("predict good.csv m.tally", "Give the model first"),
    "model for data": case("train m.tally -o other.tally", "m.tally"),
    "model for data to learn": case("learn m.tally pairs.tally", "pairs.tally"),
    "truncated model": case("predict cut.tally good.csv", "cut.tally"),
    "flipped bytes": case("predict flipped.tally good.csv", "flipped.tally"),
    "empty model": case("predict empty.tally good.csv", "empty.tally"),
    "models of different terms": case("merge m.tally pairs.tally -o all.tally", "same options"),
    "model that is fixed": case("learn fixed.tally good.csv", "cannot", "--model auto"),
    "unknown class to explain": case("explain m.tally cheap --label spm", "'spm'", "'spam'"),
    "unknown class of terms": case("terms m.tally --label hobby", "'hobby'", "friends, spam, work"),
    "file to explain": case("explain m.tally good.csv", "tally predict m.tally good.csv --explain"),
    "model for a text": case(
        "explain late m.tally", "Give the model first, then the text", "m.tally late"
    ),
    "text without quotes": case("explain m.tally a parcel", "in quotes", code=2),
    "nothing to explain": case("explain m.tally -", "there is no text"),
    "text to predict": case("predict m.tally stocks", "tally explain m.tally stocks", "echo"),
    "thresholds of one label": case("thresholds m.tally macro", "tally predict --min-confidence"),
    # Output
    "output is the data": case("train good.csv -o spam.csv", "spam.csv", "Choose another name"),
    "output is a folder": case("train good.csv -o nothing", "folder", "name of a file"),
    "output in no folder": case("train good.csv -o no/m.tally", "no folder 'no'", "Create it"),
    "predictions over data": case("predict m.tally good.csv -o spam.csv", "spam.csv", "--force"),
    "predictions of no format": case("predict m.tally good.csv -o out.docx", "out.docx", ".csv"),
    "errors over data": case("evaluate m.tally good.csv --errors spam.csv", "Choose another name"),
    "page over data": case("explain m.tally cheap --html good.csv", "Choose another name"),
    # Options
    "top of nothing": case(
        "predict m.tally good.csv --top 0", "--top", "greater than or equal to 1", code=2
    ),
    "confidence of two": case(
        "predict m.tally good.csv --min-confidence 2",
        "--min-confidence",
        "less than or equal to 1. Write 0.7 for 70 %.",
        code=2,
    ),
    "set of 95": case("predict m.tally good.csv --set 95", "--set", code=2),
    "no such model": case("train good.csv --model nonsense", "'nonsense'", "There are", code=2),
    "misspelt model": case("train good.csv --model poison", "Did you mean 'poisson'", code=2),
    "unfinished expression": case("train good.csv --model knn(k=", "knn(k=", code=2),
    "no such selector": case("train good.csv --select nonsense", "'nonsense'", "ig", code=2),
    "misspelt option": case("train good.csv --lable x", "--lable", "--label", code=2),
    "misspelt command": case("trian good.csv", "trian", "train", code=2),
    "no command line at all": case("predict m.tally", "INPUT", "For example", code=2),
    "no number": case("train good.csv --budget soon", "--budget", "valid number", code=2),
    "no such format": case("train good.csv --format cvs", "'cvs'", "csv"),
    "n-grams of words": case("train good.csv --ngrams one", "--ngrams", "1-2", code=2),
    "n-grams backwards": case("train good.csv --ngrams 3-1", "--ngrams", "'3-1'", code=2),
    "no such language": case("train good.csv --language klingon", "'klingon'"),
    "explanations as a table": case(
        "predict m.tally good.csv --explain --to csv", "--to jsonl", code=2
    ),
    "features of another model": case(
        "train good.csv --model poisson --features svd", "--features", "Leave out one", code=2
    ),
    "engine without labels": case(
        "train good.csv --engine dask --unlabelled spam.csv", "Leave out one", code=2
    ),
    "separator of one label": case("train good.csv --label-separator", "--label-separator", code=2),
    "no such groups": case("compare good.csv --groups sender", "'sender'", "It has: text, label"),
    "one fold": case("compare good.csv --folds 1", "--folds", "equal to 2", code=2),
    "quiet and verbose": case("train good.csv -q -v", "--quiet", "Leave out one", code=2),
    "condition on no column": case(
        "train good.csv --where split=train", "'split'", "It has: text, label"
    ),
    "condition without a value": case("train good.csv --where label", "COLUMN=VALUE", "'label'"),
    "test of nothing": case("train good.csv --test-size 0", "--test-size", "0.2", code=2),
    "match of a table": case("train good.csv --match *.txt", "--match", "'good.csv' is csv"),
    "thresholds that are none": case(
        "train good.csv --thresholds half", "--thresholds", "'half'", "micro"
    ),
    "score and label": case("terms m.tally --score ig --label spam", "Leave out --label", code=2),
    "standard input has no name": case("train -", "--output", code=2),
    "nothing on standard input": case("train - -o new.tally", "no document in standard input"),
}


def test_documents_that_are_none_are_told(place):
    result = succeed("predict", "m.tally", "header.csv")
    assert "warning: there are no documents in header.csv." in result.stderr


def test_there_are_sixty():
    assert len(CASES) >= 60


@pytest.mark.parametrize("name", CASES)
def test_a_bad_input_gets_one_clear_line_and_loses_nothing(name, place):
    each, before = CASES[name], contents(place)
    result = run(*each.line.split(" "), input="")
    # Usage errors are framed by lines, and broken to the width of the terminal.
    shown = " ".join(result.stderr.replace("│", " ").split())
    assert result.exit_code == each.code, result.output
    assert isinstance(result.exception, SystemExit), result.exception
    assert "Traceback" not in shown
    for word in each.words:
        assert word in shown
    assert len(shown) < 900
    assert not any(
        python in shown for python in ("=None", "self.", "texts=", "(texts", "Classifier(", "fit(")
    )
    assert contents(place) == before


@pytest.mark.skipif(os.name == "nt", reason="streams are closed as a Unix shell does it")
@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("predict m.tally - <&-", "standard input is closed"),
        ("explain m.tally - <&-", "standard input is closed"),
        ("info m.tally >&-", "standard output is closed"),
        ("info m.tally >/dev/full", "cannot write to standard output: No space left on device"),
        ("predict m.tally good.csv >/dev/full", "cannot write to standard output"),
        ("info lost.tally 2>&-", ""),
    ],
)
def test_closed_and_full_streams_give_one_line(line, expected, place):
    if "/dev/full" in line and not os.path.exists("/dev/full"):  # noqa: PTH110
        pytest.skip("this system has no full device")
    script = f"exec {sys.executable} -m tallytext {line}"
    done = subprocess.run(["sh", "-c", script], capture_output=True, text=True, cwd=place)
    assert done.returncode == 1
    assert expected in done.stderr
    assert done.stderr.count("\n") == bool(expected)
    assert "Traceback" not in done.stderr


def test_a_character_of_no_width_separates_words(tmp_path):
    source = tmp_path / "nul.csv"
    source.write_bytes(b"text,label\ncheap\0pills,spam\nlunch\0noon,ham\n" * 1)
    succeed("train", source, "-o", tmp_path / "nul.tally", "-q")
    assert TextClassifier.load(tmp_path / "nul.tally").predict("noon").tolist() == ["ham"]


def test_huge_words_and_numbers_as_labels_are_no_bad_input(tmp_path):
    rows = [("x" * 1_000_000, 1), ("cheap pills", 1), ("lunch", 2), ("y" * 70_000, 2)] * 5
    source = write_csv(tmp_path / "huge.csv", rows)
    succeed("train", source, "-o", tmp_path / "huge.tally", "--model", "multinomial", "-q")
    assert TextClassifier.load(tmp_path / "huge.tally").classes_.tolist() == ["1", "2"]


def test_one_class_trains_with_a_warning(place, tmp_path):
    result = succeed("train", "spam.csv", "-o", tmp_path / "one.tally")
    assert "all documents have the label 'spam'" in result.stderr
    assert "Is --label the right column?" in result.stderr

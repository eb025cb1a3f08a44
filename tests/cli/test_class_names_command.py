"""``tally train --class`` and ``--descriptions``: classes known by their names."""

import csv
import json

import pytest

from commands import run as run_tally
from tallytext import TextClassifier

WORDS = {
    "sport": ["goal", "match", "team", "league", "referee", "stadium"],
    "business": ["shares", "bank", "profit", "market", "investor", "merger"],
}


@pytest.fixture
def news(tmp_path):
    """Texts of two topics without labels, a half of them with the name of their topic."""
    path = tmp_path / "news.csv"
    with path.open("w", newline="") as file:
        rows = csv.writer(file)
        rows.writerow(["text", "label"])
        for at in range(120):
            topic = [*WORDS][at % 2]
            words = [WORDS[topic][(at + step) % 6] for step in range(0, 6, 1 + at % 3)]
            rows.writerow([" ".join([*words, *([topic] if at % 4 < 2 else [])]), ""])
    return path


def run(*arguments):
    return run_tally("train", *arguments)


def test_names_of_classes_and_unlabelled_texts_make_a_model(news, tmp_path):
    model = tmp_path / "news.tally"
    done = run(
        "--class", "sport", "--class", "business", "--unlabelled", news, "-o", model, "--json"
    )
    assert done.exit_code == 0, done.output
    told = json.loads(done.stdout)
    assert (told["n_documents"], told["n_classes"], told["n_unlabelled"]) == (0, 2, 120)
    assert told["score"] is None
    clf = TextClassifier.load(model)
    assert clf.predict(["the referee left the stadium", "a bank merger"]).tolist() == [
        "sport",
        "business",
    ]


def test_rows_without_a_label_are_enough_if_classes_are_given(news, tmp_path):
    model = tmp_path / "m.tally"
    assert run(news, "--class", "sport", "--class", "business", "-o", model).exit_code == 0
    assert TextClassifier.load(model).predict(["goal"]).tolist() == ["sport"]
    done = run(news, "-o", model)
    assert done.exit_code == 1
    assert "has a label" in done.stderr


def test_descriptions_give_words_to_labels(news, tmp_path):
    toml, model = tmp_path / "labels.toml", tmp_path / "m.tally"
    toml.write_text('A = "sport"\n"B.1" = "business"\n', encoding="utf-8")
    arguments = ["--class", "A", "--class", "B.1", "--unlabelled", news, "-o", model]
    assert run(*arguments).exit_code == 1  # no text has a word "b"
    assert run(*arguments, "--descriptions", toml).exit_code == 0
    assert TextClassifier.load(model).predict(["goal", "bank"]).tolist() == ["A", "B.1"]


@pytest.mark.parametrize(
    "content, words",
    [
        (None, "No such file"),
        ("sport", "not a TOML file"),
        ("sport = 7", "not a text"),
        ("rec.autos = 'cars'", "Quote labels"),
        (b"sport = '\xff'", "not a TOML file"),
    ],
)
def test_impossible_descriptions_are_told(content, words, news, tmp_path):
    toml = tmp_path / "labels.toml"
    if content is not None:
        toml.write_bytes(content if isinstance(content, bytes) else content.encode())
    done = run(news, "--class", "sport", "--descriptions", toml, "-o", tmp_path / "m.tally")
    assert done.exit_code == 2
    assert words in " ".join(done.stderr.replace("│", " ").split())


@pytest.mark.parametrize(
    "arguments, words",
    [
        ([], "Missing argument 'INPUT'"),
        (["--class", "sport"], "--unlabelled FILE"),
        (["--class", "sport", "--unlabelled", "none"], "--unlabelled FILE"),
    ],
)
def test_something_to_learn_from_is_needed(arguments, words):
    done = run(*arguments)
    assert done.exit_code == 2
    assert words in " ".join(done.stderr.replace("│", " ").split())


def test_a_class_that_no_text_names_is_told(news, tmp_path):
    done = run("--class", "sport", "--class", "xyzzy", "--unlabelled", news, "-o", tmp_path / "m")
    assert done.exit_code == 1
    assert "xyzzy" in done.stderr and "description" in done.stderr

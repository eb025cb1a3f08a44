"""Suspect labels: written by compare, corrected by a person, forgotten and learned by a model."""

import csv

import pytest

from commands import run, succeed, write_csv, write_jsonl
from tallytext import TextClassifier
from topics import made_up

LEARNERS = ["--learner", "multinomial", "--folds", 2]


def read_csv(path):
    with path.open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def rewrite(path, rows):
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, rows[0])
        writer.writeheader()
        writer.writerows(rows)


@pytest.fixture
def mislabelled(tmp_path):
    texts, labels = made_up(60)
    right, wrong = labels[4], next(each for each in labels if each != labels[4])
    texts[4] = f'{texts[4]},\n"quoted"\r\nand a line more'
    labels[4] = wrong
    source = write_csv(tmp_path / "docs.csv", zip(texts, labels, strict=True))
    return source, texts, labels, right


def test_a_wrong_label_is_corrected_by_forget_and_learn(mislabelled, tmp_path):
    source, texts, labels, right = mislabelled
    suspects, model = tmp_path / "suspects.csv", tmp_path / "docs.tally"
    succeed("compare", source, *LEARNERS, "-o", tmp_path / "r.html", "--suspects", suspects)
    rows = read_csv(suspects)
    (row,) = [each for each in rows if each["text"] == texts[4]]
    assert (row["label"], row["suggested_label"]) == (labels[4], right)
    assert row["file"] == str(source)
    assert float(row["probability"]) > float(row["label_probability"])
    # A person agrees with one suggestion, and leaves the other rows as they are.
    row["corrected"] = row["suggested_label"]
    rewrite(suspects, rows)
    succeed("train", source, "-o", model, "--model", "multinomial", "-q")
    succeed("forget", model, suspects, "--label", "label", "-q")
    succeed("learn", model, suspects, "--label", "corrected", "-q")
    labels[4] = right
    expected = TextClassifier("multinomial").fit(texts, labels)
    assert TextClassifier.load(model).tally_ == expected.tally_


def test_suspects_of_several_labels_are_corrected_with_a_separator(tmp_path):
    texts, labels = made_up(60)
    both = [[label, "even"] if at % 2 else [label] for at, label in enumerate(labels)]
    both[4] = ["even", *both[4]]
    records = [{"text": a, "label": b} for a, b in zip(texts, both, strict=True)]
    source = write_jsonl(tmp_path / "docs.jsonl", records)
    suspects, model = tmp_path / "suspects.csv", tmp_path / "docs.tally"
    succeed("compare", source, *LEARNERS, "-o", tmp_path / "r.html", "--suspects", suspects)
    assert any(";" in each["label"] for each in read_csv(suspects))
    succeed("train", source, "-o", model, "--model", "multinomial", "-q")
    before = TextClassifier.load(model)
    for command, column in (("forget", "label"), ("learn", "corrected")):
        succeed(command, model, suspects, "--label", column, "--label-separator", ";", "-q")
    assert TextClassifier.load(model).tally_ == before.tally_


def test_suspects_in_a_workbook_are_forgotten_and_learned(mislabelled, tmp_path):
    source, texts, labels, _ = mislabelled
    suspects, model = tmp_path / "suspects.xlsx", tmp_path / "docs.tally"
    succeed("compare", source, *LEARNERS, "-o", tmp_path / "r.html", "--suspects", suspects)
    succeed("train", source, "-o", model, "--model", "multinomial", "-q")
    succeed("forget", model, suspects, "--label", "label", "-q")
    n_left = TextClassifier.load(model).tally_.n_documents
    assert n_left < len(texts)
    succeed("learn", model, suspects, "--label", "corrected", "-q")
    expected = TextClassifier("multinomial").fit(texts, labels)
    assert TextClassifier.load(model).tally_ == expected.tally_


def test_an_existing_file_is_kept(mislabelled, tmp_path):
    suspects = tmp_path / "suspects.csv"
    suspects.write_text("corrected by hand")
    result = run("compare", mislabelled[0], *LEARNERS, "--suspects", suspects)
    assert result.exit_code == 1
    assert suspects.read_text() == "corrected by hand"


def test_the_report_tells_where_it_comes_from_and_shows_suspects(mislabelled, tmp_path):
    source = mislabelled[0]
    report = tmp_path / "report.html"
    succeed("compare", source, *LEARNERS, "-o", report)
    page = report.read_text(encoding="utf-8")
    header = page[page.index("<header") : page.index("</header>")]
    for part in ("docs.csv", "tallytext 0", "<dt>command</dt><dd>tally", "202"):
        assert part in header
    heads = ["summary", "problems", "suspects", "classes", "learners"]
    places = [page.index(f'<section id="{name}"') for name in heads]
    assert places == sorted(places)
    suspects = page[places[2] : places[3]]
    assert "and a line more" in suspects
    assert "<details" not in suspects

"""``tally evaluate``: wrong documents, the order of classes, accuracy by confidence, the page."""

import csv
import json
import os
import re
import shutil

import numpy as np
import pytest

import browser
from commands import MAILS, json_of, run, succeed, trained, write_csv, write_jsonl
from tallytext import TextClassifier

NASTY = "<script>alert(1)</script> <img src=x onerror=alert(2)> \x1b[31mcheap\x1b[0m watches"
WRONG = [("cheap pills", "work"), ("lunch at noon", "spam"), (NASTY, "friends")]
TEST = [*MAILS[:4], WRONG[0], MAILS[4], *WRONG[1:]]


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    return trained(tmp_path_factory.mktemp("model"))


@pytest.fixture
def test_file(tmp_path):
    rows = [(text, label, f"m{at}") for at, (text, label) in enumerate(TEST)]
    return write_csv(tmp_path / "test.csv", rows, ("text", "label", "message"))


def read_csv(path):
    with path.open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def test_all_wrong_documents_are_written_in_the_order_of_the_input(model, test_file, tmp_path):
    wrong = tmp_path / "wrong.csv"
    succeed("evaluate", model, test_file, "--errors", wrong, "--id", "message")
    found = read_csv(wrong)
    assert [(each["text"], each["label"]) for each in found] == WRONG
    assert [each["message"] for each in found] == ["m4", "m6", "m7"]
    classifier = TextClassifier.load(model)
    for each in found:
        proba = classifier.predict_proba([each["text"]])[0]
        classes = classifier.classes_.tolist()
        assert each["predicted"] == classes[proba.argmax()]
        assert float(each["probability"]) == pytest.approx(proba.max(), abs=1e-6)
        label_probability = proba[classes.index(each["label"])]
        assert float(each["label_probability"]) == pytest.approx(label_probability, abs=1e-6)


def test_the_words_are_those_for_the_answer_against_the_truth(model, test_file, tmp_path):
    wrong = tmp_path / "wrong.jsonl"
    succeed("evaluate", model, test_file, "--errors", wrong)
    records = [json.loads(line) for line in wrong.read_text().splitlines()]
    classifier = TextClassifier.load(model)
    for each in records:
        why = classifier.explain(each["text"], each["predicted"], each["label"])
        expected = {f"{c.term} {c.value:+.2f}" for c in why.contributions if c.known and c.value}
        assert each["words"]
        assert {*each["words"]} <= expected


@pytest.mark.parametrize("ending", ["csv", "xlsx"])
def test_rows_of_the_file_can_be_forgotten_and_learned(model, test_file, tmp_path, ending):
    wrong, changed = tmp_path / f"wrong.{ending}", tmp_path / "changed.tally"
    succeed("evaluate", model, test_file, "--errors", wrong)
    before = TextClassifier.load(model)
    succeed("learn", model, wrong, "--label", "label", "-o", changed, "-q")
    succeed("forget", changed, wrong, "--label", "label", "-q")
    assert TextClassifier.load(changed).tally_ == before.tally_
    assert json_of("info", changed)["changes"]["learned"] == len(WRONG)


def test_an_existing_file_is_not_overwritten(model, test_file, tmp_path):
    wrong = tmp_path / "wrong.csv"
    wrong.write_text("mine")
    result = run("evaluate", model, test_file, "--errors", wrong)
    assert result.exit_code == 1
    assert "exists already" in result.stderr
    assert wrong.read_text() == "mine"


def test_an_unknown_ending_is_refused_before_the_work(model, test_file, tmp_path):
    result = run("evaluate", model, test_file, "--errors", tmp_path / "wrong.doc")
    assert result.exit_code == 1
    assert ".jsonl" in result.stderr


def test_an_id_that_is_a_column_of_mistakes_is_refused(model, test_file):
    assert run("evaluate", model, test_file, "--id", "text").exit_code == 2


def test_the_terminal_shows_the_surest_mistakes(model, test_file):
    shown = succeed("evaluate", model, test_file, "--show-errors", 2).stdout
    assert "The 2 most confident of 3 mistakes" in shown
    probabilities = [float(p) for p in re.findall(r"predicted \w+ \((\d+\.\d)%\)", shown)]
    assert len(probabilities) == 2
    assert probabilities == sorted(probabilities, reverse=True)
    assert re.search(r"\+cheap \d", shown)
    assert "mistakes" not in succeed("evaluate", model, test_file, "--show-errors", 0).stdout


def test_mistakes_of_equal_probability_are_sorted_by_margin(tmp_path):
    mails = [*MAILS, *[("lunch pills", "spam"), ("cheap lunch", "friends")] * 5]
    model = trained(tmp_path, "mails.tally", mails, "--model", "refined")
    texts = [" ".join(["cheap"] * n + ["pills"] * (n % 3)) for n in range(1, 20)]
    source = write_csv(tmp_path / "new.csv", [(text, "work") for text in texts])
    found = json_of("evaluate", model, source, "--show-errors", 9)["mistakes"]
    assert len({each["probability"] for each in found}) == 1
    shown, every = (
        np.sort(TextClassifier.load(model).decision_function(some), axis=1)
        for some in ([each["text"] for each in found], texts)
    )
    largest = sorted(every[:, -1] - every[:, -2], reverse=True)[:9]
    assert (shown[:, -1] - shown[:, -2]).round(5).tolist() == np.round(largest, 5).tolist()


def test_a_terminal_does_not_obey_a_text(model, test_file):
    assert "\x1b[31m" not in succeed("evaluate", model, test_file).stdout


def test_json_has_the_mistakes_and_the_accuracy_by_confidence(model, test_file):
    found = json_of("evaluate", model, test_file)
    assert found["wrong"] == 3
    assert len(found["mistakes"]) == 3
    levels = found["confidence"]
    assert levels[0]["share"] == 1.0
    assert levels[0]["accuracy"] == pytest.approx(found["accuracy"])
    shares = [level["share"] for level in levels]
    assert shares == sorted(shares, reverse=True)


def test_accuracy_by_confidence_is_that_of_predict(model, test_file):
    labels = [label for _, label in TEST]
    for level in json_of("evaluate", model, test_file)["confidence"]:
        least = level["min_confidence"]
        options = ["--min-confidence", least, "--always"]
        lines = succeed("predict", model, test_file, *options).stdout.splitlines()
        answers = [json.loads(line)["label"] for line in lines]
        given = [(a, b) for a, b in zip(answers, labels, strict=True) if a is not None]
        assert level["n_answers"] == len(given)
        if given:
            assert level["accuracy"] == pytest.approx(sum(a == b for a, b in given) / len(given))


@pytest.mark.parametrize("order", ["f1", "precision", "recall"])
def test_the_worst_classes_come_first(model, test_file, order):
    classes = json_of("evaluate", model, test_file, "--sort", order)["classes"]
    values = [each[order] for each in classes]
    assert values == sorted(values)


def test_classes_can_be_sorted_by_support_and_by_name(model, test_file):
    by_support = json_of("evaluate", model, test_file, "--sort", "support")["classes"]
    assert [each["support"] for each in by_support] == [3, 3, 2]
    by_name = json_of("evaluate", model, test_file, "--sort", "name")["classes"]
    assert [each["label"] for each in by_name] == ["friends", "spam", "work"]


def test_labels_that_are_all_unknown_are_an_error(model, test_file):
    result = run("evaluate", model, test_file, "--label", "message")
    assert result.exit_code == 1
    assert "'m0'" in result.stderr
    assert "'friends'" in result.stderr
    assert "Is --label the right column?" in result.stderr


def test_unknown_labels_are_shortened_inside_their_quotes(model, tmp_path):
    source = write_csv(
        tmp_path / "new.csv", [("noon", "a whole sentence " * 9), ("lunch", 'a "b"')]
    )
    shown = " ".join(run("evaluate", model, source).stderr.split())
    assert "'a whole sentence a whole sentence a who…'" in shown
    assert """'a "b"'""" in shown
    assert "JSON" not in shown


def test_some_unknown_labels_count_as_errors(model, tmp_path):
    source = write_csv(tmp_path / "test.csv", [*MAILS[:3], ("cheap pills", "news")])
    found = json_of("evaluate", model, source)
    assert found["unknown_labels"] == [["news", 1]]
    (mistake,) = found["mistakes"]
    assert (mistake["label"], mistake["label_probability"]) == ("news", 0.0)


@pytest.mark.parametrize("option", ["--errors", "--html", "--id"])
def test_options_that_need_documents_are_refused_with_an_engine(model, test_file, option):
    result = run("evaluate", model, test_file, "--engine", "dask", option, "x.csv")
    assert result.exit_code == 2
    assert "--engine" in result.stderr


@pytest.fixture(scope="module")
def topics(tmp_path_factory):
    """A model of several labels, and documents with labels missing and too many."""
    folder = tmp_path_factory.mktemp("topics")
    records = [{"text": text, "label": [label, "mail"]} for text, label in MAILS]
    source = write_jsonl(folder / "train.jsonl", records)
    model = folder / "topics.tally"
    succeed("train", source, "-o", model, "--model", "multinomial", "-q")
    documents = [
        {"text": "cheap pills buy now", "label": ["mail", "spam"]},
        {"text": "cheap pills buy now", "label": ["mail"]},
        {"text": "lunch at noon tomorrow", "label": ["mail", "friends", "work"]},
    ]
    return model, write_jsonl(folder / "test.jsonl", documents)


def test_mistakes_of_several_labels_are_missing_and_extra_ones(topics, tmp_path):
    model, source = topics
    wrong = tmp_path / "wrong.csv"
    shown = succeed("evaluate", model, source, "--errors", wrong).stdout
    found = read_csv(wrong)
    assert [(each["missing"], each["extra"]) for each in found] == [("", "spam"), ("work", "")]
    assert {*found[0]["predicted"].split(";")} == {"mail", "spam"}
    assert "not true spam" in shown
    assert "missing work" in shown
    assert "labels given" in shown


@pytest.mark.parametrize("kind", ["single", "several"])
def test_the_page_is_complete_and_safe(kind, model, test_file, topics, tmp_path):
    source = test_file
    if kind == "several":
        model, source = topics
    page = tmp_path / "report.html"
    succeed("evaluate", model, source, "--html", page)
    html = page.read_text(encoding="utf-8")
    assert model.name in html
    assert source.name in html
    assert "tallytext 0" in html
    for name in ("summary", "confidence", "classes", "wrong"):
        assert f'<section id="{name}"' in html
    assert html.count("<script") == 1
    assert "<img" not in html and "src=" not in html.replace("src=x onerror", "")
    assert len(re.findall("<article", html)) == json_of("evaluate", model, source)["wrong"]
    succeed("evaluate", model, source, "--html", page)  # a page of ours is replaced


def test_a_foreign_page_is_not_overwritten(model, test_file, tmp_path):
    page = tmp_path / "index.html"
    page.write_text("<p>mine")
    assert run("evaluate", model, test_file, "--html", page).exit_code == 1
    assert page.read_text() == "<p>mine"


MISSING = not (os.name == "posix" and shutil.which("bash") and browser.find_browser())


@pytest.mark.skipif(MISSING, reason="there is no browser")
def test_the_page_searches_and_sorts_without_errors(model, test_file, tmp_path):
    page = tmp_path / "report.html"
    succeed("evaluate", model, test_file, "--html", page)
    check = """
    (function () {
      var find = document.getElementById("find"), order = document.getElementById("order");
      var cards = function () {
        return Array.from(document.querySelectorAll("article")).filter(function (each) {
          return !each.hidden;
        });
      };
      if (cards().length !== 3) { throw new Error("3 cards"); }
      find.value = "LUNCH"; find.dispatchEvent(new Event("input"));
      if (cards().length !== 1) { throw new Error("search"); }
      find.value = ""; find.dispatchEvent(new Event("input"));
      order.value = "n"; order.dispatchEvent(new Event("change"));
      var rows = cards().map(function (each) { return Number(each.dataset.n); });
      if (rows.join() !== "4,6,7") { throw new Error("order " + rows); }
      var table = document.querySelector("#classes table");
      table.tHead.rows[0].children[4].firstChild.click();
      var values = Array.from(table.tBodies[0].rows).map(function (row) {
        return Number(row.children[4].textContent);
      });
      if (values.join() !== values.slice().sort().join()) { throw new Error("sort " + values); }
    }());
    """
    assert browser.faults(page.as_uri(), check=check) == []


def test_the_page_lists_confusions_in_the_order_of_classes_and_names_lines_apart(tmp_path):
    model = trained(tmp_path)
    names = {"spam": "work", "work": "friends", "friends": "spam"}
    rows = [(text, names[label] if at % 3 else label) for at, (text, label) in enumerate(MAILS)]
    source, page = write_csv(tmp_path / "t.csv", rows), tmp_path / "report.html"
    succeed("evaluate", model, source, "--html", page, "--sort", "name")
    html = page.read_text(encoding="utf-8")
    confusions = html[html.index('<section id="confusions"') :]
    body = confusions[confusions.index("<tbody>") : confusions.index("</tbody>")]
    truths = re.findall(r"<tr>\s*<t[hd][^>]*>(.*?)</t", body)
    assert len(truths) >= 3
    assert truths == sorted(truths)
    places = re.findall(r'class="entry" x="([\d.]+)" y="([\d.]+)"', html)
    assert len({x for x, _ in places}) == len(places) == 2

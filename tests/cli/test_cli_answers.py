"""Commands that ask a model: predict, evaluate and explain."""

import csv
import io
import json

import numpy as np
import pytest

from commands import MAILS, json_of, run, start, succeed, trained, write_csv, write_jsonl
from tallytext import MultinomialNB, TextClassifier
from tallytext.evaluation import average_precision_11, break_even
from tallytext.models import AbsoluteDiscount

TEXTS = ["cheap lunch", "lunch at noon tomorrow", "watches and pills", "nothing known here", ""]


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    return trained(tmp_path_factory.mktemp("model"))


@pytest.fixture(scope="module")
def multi_label(tmp_path_factory):
    mails = [(text, f"{label};mail" if at % 2 else label) for at, (text, label) in enumerate(MAILS)]
    folder = tmp_path_factory.mktemp("several")
    return trained(folder, "several.tally", mails, "--label-separator", ";")


def answers_of(*arguments, input=None):
    return [json.loads(line) for line in succeed(*arguments, input=input).stdout.splitlines()]


def new(folder):
    records = [{"text": text, "key": f"k{at}"} for at, text in enumerate(TEXTS)]
    return write_jsonl(folder / "new.jsonl", records)


def test_answers_are_those_of_the_classifier(model, tmp_path):
    classifier = TextClassifier.load(model)
    options = ("--top", "2", "--set", "0.9", "--explain", "--id", "key", "--always")
    found = answers_of("predict", model, new(tmp_path), *options)
    proba = classifier.predict_proba(TEXTS)
    assert [each["row"] for each in found] == [1, 2, 3, 4, 5]
    assert [each["key"] for each in found] == [f"k{at}" for at in range(len(TEXTS))]
    best = [classifier.classes_[c] for c in proba.argmax(axis=1)]
    assert [each["label"] for each in found] == best
    assert [each["probability"] for each in found] == proba.max(axis=1).tolist()
    top = [[each._asdict() for each in row] for row in classifier.top_k(TEXTS, 2)]
    assert [each["top"] for each in found] == top
    assert [each["set"] for each in found] == classifier.predict_set(TEXTS, 0.9)
    why = {**classifier.explain(TEXTS[0]).to_dict()}
    assert found[0]["explanation"] == {name: why[name] for name in why if name != "text"}


def test_a_text_without_a_known_word_has_no_label_unless_one_is_requested(
    model, multi_label, tmp_path
):
    texts = write_jsonl(tmp_path / "odd.jsonl", [{"text": "cheap lunch"}, {"text": "xyzzy"}])
    for path, nothing in ((model, None), (multi_label, [])):
        classifier = TextClassifier.load(path)
        known, unknown = answers_of("predict", path, texts)
        assert known["label"] and unknown["label"] == nothing
        expected = classifier.predict(["xyzzy"], always=False).tolist()
        assert [unknown["label"]] == expected
        always = answers_of("predict", path, texts, "--always")
        assert [each["label"] for each in always] == [
            *classifier.predict(["cheap lunch"]).tolist(),
            *classifier.predict(["xyzzy"]).tolist(),
        ]


def test_known_share_and_novelty_are_written_alike_as_json_and_csv(model, tmp_path):
    options = ("--known", "--novelty", "--set", "0.9", "--top", "2")
    found = answers_of("predict", model, new(tmp_path), *options)
    classifier = TextClassifier.load(model)
    assert [each["known_share"] for each in found] == classifier.known_share(TEXTS).tolist()
    assert [each["novelty"] for each in found] == classifier.novelty(TEXTS).tolist()
    output = succeed("predict", model, new(tmp_path), *options, "--to", "csv").stdout
    rows = list(csv.DictReader(io.StringIO(output)))
    for name in ("known_share", "novelty"):
        expected = [float(f"{each[name]:.6g}") for each in found]  # tables have 6 digits
        assert [float(row[name]) for row in rows] == expected
    assert [row["set"] for row in rows] == [";".join(each["set"]) for each in found]


def test_only_what_was_asked_for_is_answered(model, tmp_path):
    found = answers_of("predict", model, new(tmp_path))
    assert found[0].keys() == {"row", "label", "probability"}


def test_no_label_is_given_below_the_confidence(model, tmp_path):
    sure = answers_of("predict", model, new(tmp_path), "--min-confidence", "0.3")
    assert sure == answers_of("predict", model, new(tmp_path))
    unsure = answers_of("predict", model, new(tmp_path), "--min-confidence", "0.999")
    assert unsure == [{**each, "label": None} for each in sure]


def test_several_labels_are_those_of_the_classifier(multi_label, tmp_path):
    classifier = TextClassifier.load(multi_label)
    found = answers_of("predict", multi_label, new(tmp_path), "--always")
    expected = [set(labels) for labels in classifier.predict(TEXTS)]
    assert [set(each["label"]) for each in found] == expected
    assert {len(labels) for labels in expected} != {1}
    names, proba = classifier.classes_.tolist(), classifier.predict_proba(TEXTS)
    for each, row in zip(found, proba, strict=True):
        assert each["probability"] == [row[names.index(label)] for label in each["label"]]
        assert each["probability"] == sorted(each["probability"], reverse=True)
    options = ("--always", "--min-confidence", "0.6")
    likely = answers_of("predict", multi_label, new(tmp_path), *options)
    expected = [set(labels) for labels in classifier.predict(TEXTS, min_confidence=0.6)]
    assert [set(each["label"]) for each in likely] == expected


def test_answers_can_be_csv(model, tmp_path):
    options = ("--to", "csv", "--top", "5", "--set", "0.9", "--id", "key")
    output = succeed("predict", model, new(tmp_path), *options).stdout
    rows = list(csv.DictReader(io.StringIO(output)))
    found = answers_of("predict", model, new(tmp_path), "--top", "5", "--set", "0.9")
    for row, each in zip(rows, found, strict=True):
        assert (row["label"] or None) == each["label"]
        assert float(row["probability"]) == float(f"{each['probability']:.6g}")
        assert len(row["probability"]) < len("0.0123456789")
        assert row["label_2"] == each["top"][1]["label"]
        assert row["set"] == ";".join(each["set"])
        assert row["label_4"] == row["probability_5"] == ""
        third = each["top"][2]["probability"]
        assert float(row["probability_3"]) == float(f"{third:.6g}")
    assert rows[1]["key"] == "k1"
    assert run("predict", model, new(tmp_path), "--to", "csv", "--explain").exit_code == 2


def test_batches_change_nothing(model, tmp_path):
    whole = answers_of("predict", model, new(tmp_path), "--top", "2")
    assert answers_of("predict", model, new(tmp_path), "--top", "2", "--batch", "2") == whole


def test_plain_lines_are_read_from_standard_input(model):
    found = answers_of("predict", model, "-", "--format", "txt", input="cheap\nlunch\n")
    assert [each["row"] for each in found] == [1, 2]
    assert [each["label"] for each in found] == ["spam", "friends"]


def test_stale_probabilities_are_told_once(model, tmp_path):
    changed = tmp_path / "changed.tally"
    # All labels are wrong, so that what the model was sure of does not hold any more.
    more = write_csv(tmp_path / "more.csv", [(text, "news") for text, _ in MAILS])
    succeed("learn", model, more, "-o", changed)
    result = succeed("predict", changed, new(tmp_path), "--batch", "1")
    assert result.stderr.count("warning: probabilities, sets and thresholds are stale") == 1
    assert len(result.stdout.splitlines()) == len(TEXTS)


def test_evaluation_is_that_of_the_library(model, tmp_path):
    wrong = [(text, "work") for text, _ in MAILS[:4]]
    test = write_csv(tmp_path / "test.csv", [*MAILS, *wrong, ("a new thing", "news")])
    found = json_of("evaluate", model, test)
    classifier = TextClassifier.load(model)
    texts, labels = zip(*MAILS, *wrong, ("a new thing", "news"), strict=True)
    np.testing.assert_allclose(found["accuracy"], classifier.score(list(texts), list(labels)))
    assert found["n_documents"] == len(MAILS) + 5
    assert found["unknown_labels"] == [["news", 1]]
    shown = succeed("evaluate", model, test).stdout
    assert "labels that the model does not know: news (1)" in shown


def test_accuracy_can_be_demanded(model, tmp_path):
    test = write_csv(tmp_path / "test.csv", [*MAILS, ("see you at lunch", "work")])
    for option in ("--min-score", "--min-accuracy"):
        assert run("evaluate", model, test, option, "0.9", "--quiet").output == ""
        result = run("evaluate", model, test, option, "1")
        assert result.exit_code == 1
        assert "error: accuracy is 0.98" in result.stderr


def test_with_several_labels_the_score_is_micro_f1(multi_label, tmp_path):
    mails = [(text, f"{label};mail") for text, label in MAILS]
    test = write_csv(tmp_path / "test.csv", mails)
    arguments = ("evaluate", multi_label, test, "--label-separator", ";")
    found, classifier = json_of(*arguments, "--ranking"), TextClassifier.load(multi_label)
    texts, labels = [text for text, _ in MAILS], [[label, "mail"] for _, label in MAILS]
    assert found["measure"] == "micro-F1"
    assert found["score"] == found["micro_f1"] == pytest.approx(classifier.score(texts, labels))
    truth = [[name in some for name in classifier.classes_] for some in labels]
    proba = classifier.predict_proba(texts)
    assert found["average_precision_11"] == pytest.approx(average_precision_11(proba, truth))
    assert found["break_even"] == pytest.approx(break_even(proba, truth), abs=0.01)
    assert json_of(*arguments)["break_even"] is None
    shown = succeed(*arguments, "--ranking").stdout
    assert shown.index("micro-F1") < shown.index("macro-F1") < shown.index("11-point average")
    assert "break-even" in shown and "subset accuracy" in shown
    failed = run(*arguments, "--min-score", "1")
    assert failed.exit_code == 1 and "error: micro-F1 is" in failed.stderr


def test_labels_of_another_kind_are_pointed_out(model, tmp_path):
    test = write_jsonl(tmp_path / "test.jsonl", [{"text": "cheap", "label": 1}])
    result = run("evaluate", model, test)
    assert result.exit_code == 1
    assert "the model knows none of the labels" in result.stderr


def test_several_labels_are_evaluated(multi_label, tmp_path):
    mails = [(text, f"{label};mail" if at % 2 else label) for at, (text, label) in enumerate(MAILS)]
    test = write_csv(tmp_path / "test.csv", mails)
    found = json_of("evaluate", multi_label, test, "--label-separator", ";")
    classifier = TextClassifier.load(multi_label)
    expected = classifier.score([t for t, _ in mails], [c.split(";") for _, c in mails])
    np.testing.assert_allclose(found["micro_f1"], expected)


def test_a_text_is_explained(model, tmp_path):
    text = "Cheap lunch at noon"
    shown = succeed("explain", model, text).stdout
    assert "friends rather than spam" in shown
    assert "\x1b" not in shown
    found = json_of("explain", model, text, "--label", "spam", "--against", "work")
    assert (found["label"], found["against"]) == ("spam", "work")
    assert json_of("explain", model, text)["top"][0]["label"] == "friends"
    assert succeed("explain", model, "-", input=text).stdout == shown
    page = tmp_path / "why.html"
    succeed("explain", model, text, "--html", page)
    written = page.read_text(encoding="utf-8")
    assert "<h1" in written and "Why friends?</h1>" in written
    assert shown.splitlines()[0] in written and shown.startswith("friends ")
    assert "Compared are <b>friends</b> and <b>spam</b>." in written
    assert f"model: {model.name} · date: 20" in written
    assert "(prior) is the share of the label" in written
    assert run("explain", model, text, "--label", "spaam").exit_code == 1


def test_a_reader_that_leaves_early_is_no_error(model, tmp_path):
    many = tmp_path / "many.jsonl"
    many.write_text('{"text": "cheap lunch"}\n' * 20_000)
    process = start("predict", model, many, "--batch", "1000")
    assert json.loads(process.stdout.readline())["row"] == 1
    process.stdout.close()
    process.stdout = None
    assert process.communicate() == (None, b"")
    assert process.returncode == 0


def test_a_training_report_that_nobody_reads_to_the_end_is_no_error(tmp_path):
    source, path = write_csv(tmp_path / "mails.csv", MAILS), tmp_path / "m.tally"
    process = start("train", source, "-o", path)
    process.stdout.close()
    process.stdout = None
    process.communicate()
    assert process.returncode == 0
    assert json_of("info", path)["n_documents"] == len(MAILS)


def test_the_most_probable_label_of_a_text_without_a_known_word_is_explained(tmp_path):
    rows = [("cheap pills", "spam")] * 2 + [("long lunch", "work")] * 9 + [("a walk", "home")] * 4
    path = tmp_path / "m.tally"
    TextClassifier("bernoulli").fit(*map(list, zip(*rows, strict=True))).save(path)
    shown = succeed("explain", path, "0123").stdout.splitlines()
    assert shown[0].startswith("work ")
    assert shown[1].startswith("work rather than ")
    assert json_of("explain", path, "0123", "--against", "work")["label"] == "home"
    result = run("explain", path, "-", input=" \n")
    assert result.exit_code == 1
    assert "there is no text" in result.stderr


def test_info_shows_the_discount_that_is_used_and_its_bounds(tmp_path):
    texts, labels = zip(*MAILS, strict=True)
    smoothing = AbsoluteDiscount("leave-one-out")
    classifier = TextClassifier(MultinomialNB(smoothing)).fit(list(texts), list(labels))
    classifier.save(tmp_path / "m.tally")
    b, bounds = classifier.model_.smoothing_.b, classifier.model_.discount_bounds_
    shown = succeed("info", tmp_path / "m.tally", "-v").stdout
    expected = f"b = {b:.4g} (leave-one-out; bounds {bounds.lower:.4f} and {bounds.upper:.4f})"
    assert expected in shown
    assert json_of("info", tmp_path / "m.tally")["chosen"] == [expected]

"""The report of a classifier: how good, on what, whether that is enough, what to do next."""

import json

import numpy as np
import pytest

from tallytext import TextClassifier, TextVectorizer
from tallytext.classifier.registry import learners
from tallytext.classifier.report import Advice, describe_features

TEXTS = ["salt wave", "deep wave", "white cloud", "cloud wind"] * 25
LABELS = ["sea", "sea", "sky", "sky"] * 25


def report(labels=LABELS, texts=TEXTS, model="multinomial", **options):
    return TextClassifier(model, **options).fit(list(texts), list(labels)).report()


def line(shown, heading):
    """The first line of a report with a heading, without the heading."""
    (found,) = (each for each in shown.splitlines() if each.startswith(f"  {heading} "))
    return found[15:]


def noise(n, n_classes=2):
    """Labels that no text shows."""
    rng = np.random.default_rng(3)
    words = [f"w{i}" for i in range(50)]
    texts = [" ".join(rng.choice(words, 12)) for _ in range(n)]
    return rng.integers(0, n_classes, n).tolist(), texts


def test_the_first_line_is_how_good_and_the_second_on_what():
    first, second, *_ = str(report()).splitlines()
    assert first.startswith("100.0% accuracy expected")
    assert "96.3% to 100.0%" in first
    assert "100 documents, each predicted by a model trained without it" in second


def test_the_baseline_is_the_share_of_the_most_frequent_class():
    found = report(["sea"] * 70 + ["sky"] * 30)
    assert (found.baseline, found.most_frequent) == (0.7, "sea")
    assert "70.0%" in line(str(found), "baseline") and "'sea'" in line(str(found), "baseline")


def test_the_baseline_of_several_labels_is_the_micro_f1_of_the_most_frequent():
    labels = [["sea"], ["sea", "sky"], ["sea"], ["sky"]] * 25
    found = report(labels)
    # 75 of 100 answers are right, among 125 labels.
    assert found.baseline == pytest.approx(2 * 75 / (100 + 125))
    assert found.interval is None


def test_a_model_of_noise_is_not_enough_and_the_data_are_to_be_checked():
    found = report(*noise(600))
    assert found.verdict == "not enough"
    shown = str(found).splitlines()
    (first,) = (at for at, each in enumerate(shown) if each.startswith("  next "))
    assert "each label belongs to its text" in shown[first]
    assert "tallytext.compare" in shown[first + 1]


def test_a_single_class_asks_for_another():
    found = report(["a"] * 40, TEXTS[:40])
    assert line(str(found), "next") == "clf.fit(texts, labels), with texts of at least two labels"


@pytest.mark.parametrize("model", ["multinomial", "refined", "pooled"])
def test_changes_since_the_training_are_told_after_calibrating_again(model):
    clf = TextClassifier(model).fit(TEXTS, LABELS)
    clf.learn(["salt"] * 3, ["sea"] * 3).forget(["salt"], ["sea"]).settle()
    loaded = TextClassifier.from_bytes(clf.recalibrate(TEXTS[:40], LABELS[:40]).to_bytes())
    told = "3 learned, 1 forgotten documents since the training; calibrated afterwards"
    for each in (clf, loaded):
        assert line(str(each.report()), "changed") == told


def test_a_good_model_is_to_be_used():
    found = report()
    assert found.verdict == "good"
    assert line(str(found), "next") == "clf.predict(new_texts)"


def test_a_weak_model_is_said_to_be_weak():
    labels, texts = noise(600)
    texts = [f"{text} {'salt' if label else 'cloud'}" if i % 5 < 2 else text for i, (text, label)
             in enumerate(zip(texts, labels, strict=True))]  # fmt: skip
    found = report(labels, texts)
    assert found.verdict == "weak"
    assert "only" in line(str(found), "verdict")
    assert "tallytext.compare" in line(str(found), "next")


@pytest.mark.parametrize("n", [8, 20])
def test_few_documents_ask_for_more_labels(n):
    shown = str(report(LABELS[:n], TEXTS[:n]))
    assert f"uncertain, because it was measured on {n} documents only" in shown
    assert "more labelled texts" in line(shown, "next")


def test_nothing_held_out_is_no_accuracy():
    found = report(["a"] * 4, TEXTS[:4])
    assert found.verdict == "unknown"
    assert str(found).startswith("accuracy unknown")
    assert "%" not in str(found)


def test_settings_and_learners_are_details():
    found = report(model="auto", select="ig:3")
    brief, full = str(found), found.to_text(verbose=True)
    for detail in ("chosen as the best of", "ig:3", "k=3"):
        assert detail not in brief
    assert "chosen as the best of" in full and "ig(k=3)" in full
    assert "verbose=True" in brief and "verbose=True" not in full


@pytest.mark.parametrize("learner", learners(), ids=lambda each: each.name)
def test_every_learner_has_a_name_in_words(learner):
    assert learner.title and "-contrast" not in learner.title


def test_the_model_is_told_in_words():
    vectorizer = TextVectorizer(ngram_range=(1, 2))
    found = report(vectorizer=vectorizer)
    assert found.description == "multinomial naive Bayes on words and pairs of words"
    assert line(str(found), "model") == found.description


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({}, "words"),
        ({"ngram_range": (2, 2)}, "pairs of words"),
        ({"ngram_range": (1, 3)}, "words and strings of 2 to 3 words"),
        ({"ngram_range": (3, 3)}, "strings of 3 words"),
        ({"chars": (3, 4)}, "words and strings of 3 to 4 characters"),
        ({"tokens": "chars", "ngram_range": (3, 3)}, "strings of 3 characters"),
        ({"tokens": str.split}, "tokens"),
    ],
)
def test_features_in_words(options, words):
    assert describe_features(TextVectorizer(**options)) == words


def test_the_advice_can_be_that_of_another_place():
    advice = Advice(predict="tally predict", groups="tally compare", details="tally info -v")
    shown = report(model="auto").to_text(advice=advice)
    assert line(shown, "next") == "tally predict"
    assert line(shown, "details") == "tally info -v"
    assert "clf." not in shown and "groups=" not in shown


def test_the_json_has_verdict_interval_and_baseline():
    found = json.loads(json.dumps(report().to_dict()))
    assert (found["verdict"], found["baseline"], found["most_frequent"]) == ("good", 0.5, "sea")
    low, high = found["interval"]
    assert low < found["score"] <= high


def test_a_notebook_has_every_line_of_the_report():
    found = report(model="auto")
    page = found._repr_html_()
    for each in (found.description, "most frequent label", "clf.predict(new_texts)"):
        assert each.replace("'", "&#x27;") in page
    assert page.count("<table>") == page.count("</table>") == 2


def test_the_most_frequent_label_does_not_depend_on_the_order_of_documents():
    texts, labels = ["salt", "wind"] * 4, ["sky", "sea"] * 4
    for each in (labels, labels[::-1]):
        assert report(each, texts).most_frequent == "sea"

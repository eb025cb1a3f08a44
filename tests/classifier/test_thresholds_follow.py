"""Thresholds of documents with several labels: chosen, set, and following what is learned."""

from itertools import count

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from classifiers import NAMED, fitted, spread_several
from tallytext import TextClassifier
from tallytext.errors import NegativeCountError, ScoreError, SettingsError, UnknownNameError

MODELS = [*NAMED, "neighbours"]
few = settings(max_examples=25, deadline=None)


def state(clf):
    """Everything that thresholds are a function of, and what comes of it."""
    calibration, histograms = clf.calibration_, clf._histograms
    return (
        histograms.classes,
        histograms.counts.tolist(),
        histograms.unscored.tolist(),
        histograms.n_documents,
        None if calibration is None else calibration.to_dict(),
    )


@few
@given(st.data(), st.sampled_from(MODELS), st.booleans())
def test_learning_then_forgetting_is_identity_for_thresholds_too(data, model, new_class):
    texts, labels = spread_several()
    n = data.draw(st.integers(20, 60))
    clf = fitted(model, (texts[:n], labels[:n]), True)
    before = state(clf)
    end = data.draw(st.integers(n, n + 80))
    more = texts[n:end], [*labels[n:end]]
    if new_class and more[1]:
        more[1][0] = [*more[1][0], "new"]
    clf.learn(*more)
    clf.forget(*more)
    assert state(clf) == before


def test_documents_that_are_refused_change_no_threshold():
    texts, labels = spread_several()
    clf = fitted("multinomial", (texts[:60], labels[:60]), True)
    before = state(clf)
    with pytest.raises(NegativeCountError):
        # The last ones were learned, the first ones never.
        clf.forget([*texts[100:160], *texts[:60]], [*labels[100:160], *labels[:60]])
    assert state(clf) == before


@pytest.mark.parametrize("verb", ["learn", "forget"])
def test_an_error_in_a_later_step_changes_nothing(verb, monkeypatch):
    texts, labels = spread_several()
    clf = fitted("multinomial", (texts, labels), True)
    before, tally, n_calls = state(clf), clf.tally_.copy(), count(1)
    score = TextClassifier._score_histograms

    def score_twice(self, *given):
        if next(n_calls) == 3:
            raise MemoryError
        return score(self, *given)

    monkeypatch.setattr(TextClassifier, "_score_histograms", score_twice)
    with pytest.raises(MemoryError):
        getattr(clf, verb)(texts, labels)
    assert clf.tally_ == tally
    assert state(clf) == before


def test_many_documents_are_learned_in_steps_and_equal_one_training():
    texts, labels = spread_several()
    clf = fitted("multinomial", (texts[:40], labels[:40]), True).learn(texts[40:], labels[40:])
    assert clf.tally_ == fitted("multinomial", (texts, labels), True).tally_
    assert clf.calibration_.n_documents == len(texts)


def test_merged_thresholds_are_those_of_both():
    texts, labels = spread_several()
    a = fitted("multinomial", (texts[:80], labels[:80]), True)
    b = fitted("multinomial", (texts[80:], labels[80:]), True)
    n = a.calibration_.n_documents + b.calibration_.n_documents
    assert (a + b).calibration_.n_documents == n


@pytest.mark.parametrize("model", MODELS)
def test_a_file_holds_the_scores(model, tmp_path):
    texts, labels = spread_several()
    clf = TextClassifier(model, thresholds="macro").fit(texts[:80], labels[:80])
    clf.learn(texts[80:100], labels[80:100]).save(tmp_path / "m")
    again = TextClassifier.load(tmp_path / "m")
    assert state(again) == state(clf)
    assert again.thresholds == "macro"
    assert state(again.learn(texts[100:], labels[100:])) == state(
        clf.learn(texts[100:], labels[100:])
    )


def test_thresholds_can_be_set(tmp_path):
    texts, labels = spread_several()
    clf = fitted("multinomial", (texts, labels), True)
    micro = clf.report().thresholds
    assert len({*micro.values()}) == 1
    assert {*clf.set_thresholds(0.9).report().thresholds.values()} == {0.9}
    assert clf.set_thresholds({"sea": 0.25}).report().thresholds == {**micro, "sea": 0.25}
    clf.save(tmp_path / "m")
    assert TextClassifier.load(tmp_path / "m").thresholds == {"sea": 0.25}
    assert clf.learn("salt", ["sea"]).report().thresholds["sea"] == 0.25
    clf.forget("salt", ["sea"])
    assert clf.set_thresholds("micro").report().thresholds == micro
    with pytest.raises(UnknownNameError, match="moon"):
        clf.set_thresholds({"moon": 0.5})
    with pytest.raises(ScoreError, match="thresholds must be"):
        clf.set_thresholds("f1")


def test_one_label_per_document_has_no_thresholds():
    clf = TextClassifier("multinomial").fit(["salt", "wind"] * 9, ["sea", "sky"] * 9)
    with pytest.raises(SettingsError, match="no thresholds"):
        clf.set_thresholds(0.5)
    assert clf.report().thresholds is None
    with pytest.raises(ScoreError, match="thresholds must be"):
        TextClassifier("multinomial", thresholds=7).fit(["salt"], ["sea"])
    with pytest.raises(ScoreError, match="thresholds must be"):
        TextClassifier("multinomial", thresholds="mikro").fit_batches([(["salt"], [["sea"]])])


def test_every_document_gets_a_label_if_every_training_document_had_one():
    texts, labels = spread_several()
    full = [each or ["sea"] for each in labels]
    clf = fitted("multinomial", (texts, full), True).set_thresholds(1.0)
    assert all(len(found) == 1 for found in clf.predict(texts))
    # A document without labels has been learned: now there may be none.
    clf.learn("unheard", [])
    assert not all(len(found) for found in clf.predict(texts))
    clf.forget("unheard", [])
    assert all(len(found) == 1 for found in clf.predict(texts))


def test_expected_f1_is_that_of_the_labels_that_predict_gives():
    rng = np.random.default_rng(1)
    words = {label: [f"{label}{at}" for at in range(30)] for label in "abcd"}
    noise = [f"n{at}" for at in range(200)]

    def document():
        own = [label for label in "abcd" if rng.random() < 0.3]
        terms = [rng.choice(words[label]) for label in own for _ in range(2)]
        return " ".join([*terms, *rng.choice(noise, 8)]), own

    texts, labels = map(list, zip(*(document() for _ in range(4000)), strict=True))
    for model in ("multinomial", "poisson", "contrast"):
        clf = TextClassifier(model).fit(texts[:1500], labels[:1500])
        assert abs(clf.report().score - clf.score(texts[1500:], labels[1500:])) < 0.02

"""Histograms of scores: additive, and the thresholds that are chosen from them."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tallytext.decision import Isotonic, Platt
from tallytext.decision.score_histograms import (
    CENTRES,
    N_INTERVALS,
    ScoreHistograms,
    interval_numbers,
)
from tallytext.decision.thresholds import check_threshold_rule, fit_thresholds
from tallytext.errors import ScoreError


@st.composite
def documents(draw, labels="abc"):
    """Scores of some classes, -inf for unknown ones, and the labels of documents."""
    classes = sorted(draw(st.sets(st.sampled_from(labels), min_size=1)))
    n = draw(st.integers(0, 5))
    score = st.one_of(st.floats(-20, 20), st.just(-np.inf))
    rows = draw(st.lists(st.lists(score, min_size=3, max_size=3), min_size=n, max_size=n))
    marks = draw(st.lists(st.lists(st.booleans(), min_size=3, max_size=3), min_size=n, max_size=n))
    width = len(classes)
    scores = np.array(rows, float).reshape(n, 3)[:, :width]
    return ScoreHistograms.from_scores(
        classes, scores, np.array(marks, bool).reshape(n, 3)[:, :width]
    )


def contents(histograms):
    counted = {
        (label, half, at): int(histograms.counts[c, half, at])
        for c, label in enumerate(histograms.classes)
        for half, at in np.argwhere(histograms.counts[c])
    }
    unscored = {
        label: int(n) for label, n in zip(histograms.classes, histograms.unscored, strict=True) if n
    }
    return counted, unscored, histograms.n_documents


@given(documents(), documents(), documents())
def test_adding_is_commutative_and_associative(a, b, c):
    assert contents(a + b) == contents(b + a)
    assert contents((a + b) + c) == contents(a + (b + c))


@given(documents(), documents())
def test_subtracting_takes_back_what_was_added(a, b):
    assert contents((a + b).subtract(b)) == contents(a)


@given(documents(), documents())
def test_subtracting_anything_leaves_no_negative_count(a, b):
    left = a.subtract(b)
    assert left.counts.min(initial=0) >= 0
    for label, own in zip(left.classes, left.n_own, strict=True):
        before = dict(zip(a.classes, a.n_own, strict=True)).get(label, 0)
        taken = dict(zip(b.classes, b.n_own, strict=True)).get(label, 0)
        assert own == max(before - taken, 0)


def test_a_count_that_is_missing_comes_from_the_nearest_interval():
    truth = np.ones((2, 1), bool)
    learned = ScoreHistograms.from_scores(["a"], np.array([[0.0], [3.0]]), truth)
    forgotten = ScoreHistograms.from_scores(["a"], np.array([[2.0]]), truth[:1])
    left = learned.subtract(forgotten)
    assert left.with_class[0, interval_numbers(np.array([0.0]))].tolist() == [1]
    assert left.n_own.tolist() == [1]


@given(st.lists(st.floats(-900, 900), min_size=1))
def test_the_centre_of_an_interval_is_close_to_its_scores(scores):
    given_ = np.array(scores)
    centres = CENTRES[interval_numbers(given_)]
    np.testing.assert_allclose(centres, given_, rtol=0.05, atol=0.003)
    assert (np.diff(interval_numbers(np.sort(given_))) >= 0).all()


def test_impossible_histograms_are_refused():
    with pytest.raises(ScoreError, match="count of at least 0"):
        ScoreHistograms(("a",), np.full((1, 2, N_INTERVALS), -1), np.zeros(1, np.int64), 1)


def test_calibrators_of_histograms_are_close_to_those_of_the_scores():
    rng = np.random.default_rng(0)
    truth = rng.random((4000, 2)) < [0.3, 0.008]
    scores = rng.normal(np.where(truth, 0.6, -0.6), 0.8)
    histograms = ScoreHistograms.from_scores(["a", "b"], scores, truth)
    for kind in (Platt, Isotonic):
        exact, close = kind.fit(scores, truth), kind.from_histograms(histograms)
        difference = np.abs(exact.proba(scores) - close.proba(scores))
        assert difference.mean() < 0.01


@st.composite
def cells(draw):
    n, width = draw(st.integers(1, 3)), draw(st.integers(1, 5))
    counts = st.lists(st.integers(0, 4), min_size=n * width, max_size=n * width)
    own, others = (np.array(draw(counts)).reshape(n, width) for _ in range(2))
    levels = st.sampled_from([0.1, 0.25, 0.5, 0.75, 0.9])
    proba = np.array(draw(st.lists(levels, min_size=n * width, max_size=n * width)))
    return proba.reshape(n, width), own, others


def micro_f1(proba, own, others, thresholds):
    assigned = proba >= np.reshape(thresholds, (-1, 1))
    right, n = own[assigned].sum(), (own + others)[assigned].sum()
    return 2 * right / max(n + own.sum(), 1)


@given(cells())
def test_no_common_threshold_has_a_better_micro_f1(sample):
    proba, own, others = sample
    fitted = fit_thresholds(proba, own, others, int(own.sum()))
    assert fitted.f1 == micro_f1(*sample, fitted.by_class)
    assert (fitted.by_class == fitted.common).all()
    for threshold in [*np.unique(proba), 1.0]:
        assert micro_f1(*sample, np.full(len(proba), threshold)) <= fitted.f1 + 1e-12


@given(cells(), st.sampled_from(["macro", "per-class"]))
def test_no_class_is_given_to_more_than_twice_its_documents(sample, rule):
    proba, own, others = sample
    fitted = fit_thresholds(proba, own, others, int(own.sum()), rule)
    for c, threshold in enumerate(fitted.by_class):
        assigned = proba[c] >= threshold
        n = (own + others)[c, assigned].sum()
        assert n <= 2 * own[c].sum()
        # A class that is not trusted is given strictly above what was seen, at the common
        # threshold or higher.
        if not n:
            assert threshold >= min(fitted.common, 1.0)


def test_a_class_without_evidence_is_given_to_no_document():
    # 17 documents of 3,000 have the class, and its probability is the same for all of them.
    proba, own, others = (
        np.array([[0.006], [0.9]]),
        np.array([[17], [900]]),
        np.array([[2983], [9]]),
    )
    for rule in ("micro", "macro", "per-class"):
        fitted = fit_thresholds(proba, own, others, 917, rule)
        assert fitted.by_class[0] > 0.006
        assert fitted.by_class[1] <= 0.9


def test_a_number_is_the_threshold_of_all_classes():
    fitted = fit_thresholds(np.array([[0.2, 0.8]]), np.array([[1, 3]]), np.array([[3, 1]]), 4, 0.7)
    assert fitted.by_class.tolist() == [0.7]
    assert fitted.f1 == 2 * 3 / (4 + 4)


@pytest.mark.parametrize("rule", ["mikro", 0, -0.5, 1.5, True, None, {"a": "micro"}, {"a": 2}])
def test_rules_that_do_not_exist_are_refused(rule):
    with pytest.raises(ScoreError, match="thresholds must be"):
        check_threshold_rule(rule)

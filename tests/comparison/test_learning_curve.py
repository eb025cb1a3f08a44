"""Learning curves and their extrapolation."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import tallytext
from tallytext.comparison import Documents, LearningCurve
from tallytext.comparison.documents import make_splits
from tallytext.comparison.learning_curve import SHARES, extrapolate_score, learning_curve
from topics import made_up


@given(st.lists(st.floats(0.05, 1.0), min_size=3, max_size=6))
def test_the_extrapolated_score_is_at_least_the_last_one(scores):
    sizes = np.array([10 * 2**i for i in range(len(scores))])
    assert scores[-1] - 1e-9 <= extrapolate_score(sizes, np.array([scores]))[0] <= 1.0


@given(st.floats(0.1, 1.0), st.floats(0.05, 0.9))
def test_the_extrapolation_follows_a_power_law(exponent, error):
    sizes = np.array([50, 90, 200, 400])
    scores = 1 - error * (sizes / 50) ** -exponent
    expected = 1 - error * (800 / 50) ** -exponent
    assert extrapolate_score(sizes, scores[None])[0] == pytest.approx(expected)


def test_the_interval_contains_the_extrapolated_score():
    texts, labels = made_up(120, noise=16)
    curve = tallytext.compare(texts, labels, learners=["multinomial"]).learning_curve
    low, high = curve.interval
    assert low <= curve.at_double <= high
    assert curve.n_evaluated == 120  # all folds, because documents are few


def test_with_time_the_latest_documents_are_added_first():
    """Labels change their meaning half-way, so early documents do not help."""
    texts, labels = made_up(200, noise=0)
    turned = {"sea": "sky", "sky": "field", "field": "sea"}
    old = [turned[label] for label in labels]
    order = np.random.default_rng(0).permutation(200)  # rows are in no order
    time = np.empty(200)
    time[order] = np.arange(200)
    mixed = [labels[row] if time[row] >= 140 else old[row] for row in range(200)]
    found = tallytext.compare(texts, mixed, time=time, folds=4, learners=["multinomial"])
    assert found.learning_curve.scores[0] > 0.8


def test_a_learner_that_fails_has_no_curve():
    class Failing:
        def fit(self, texts, labels):
            raise ZeroDivisionError("no luck")

    texts, labels = made_up(60)
    steps = []
    curve = learning_curve(
        Failing,
        Documents(texts, labels, False),
        make_splits(labels, False, 3),
        lambda: steps.append(1),
    )
    assert curve == LearningCurve((), ())
    assert len(steps) == len(SHARES)

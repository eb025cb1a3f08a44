"""Posteriors and odds, against sums in long decimals."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from oracle import decisions as oracle
from tallytext.decision import log_odds, log_posteriors
from tallytext.errors import ScoreError

# Joint probabilities of a multinomial model of the documents a a b, a c (X) and b c c d (Y), both
# smoothed by one, for the queries a b d, c d d and b b c.
JOINT = np.array(
    [[-5.023057814, -5.768320996], [-6.409352175, -4.669708707], [-5.023057814, -4.669708707]]
)
MATRICES = hnp.arrays(
    float,
    st.tuples(st.integers(1, 4), st.integers(2, 6)),
    elements=st.one_of(st.floats(-400, 0), st.floats(-1, 1), st.just(-3.0)),
)


def test_odds_rank_documents_that_joints_cannot():
    assert JOINT[0, 0] == JOINT[2, 0]
    odds = log_odds(JOINT)[:, 0]
    assert odds == pytest.approx([0.7452631817, -1.739643468, -0.353349107], abs=1e-6)
    assert np.argsort(-odds).tolist() == [0, 2, 1]


def test_posteriors_of_the_toy_corpus():
    posteriors = np.exp(log_posteriors(JOINT))
    assert posteriors[:, 0] == pytest.approx([0.6781456954, 0.1493582264, 0.4125705077], abs=1e-6)


@given(MATRICES)
def test_log_odds_equal_high_precision_arithmetic(scores):
    expected = np.array([oracle.log_odds(row) for row in scores])
    assert np.abs(log_odds(scores) - expected).max() <= 1e-13 * max(1, np.abs(scores).max())


@given(MATRICES, st.floats(-1e4, 1e4))
def test_a_constant_of_a_document_changes_nothing(scores, constant):
    for function in (log_odds, log_posteriors):
        assert function(scores + constant) == pytest.approx(function(scores), abs=1e-9)


@given(MATRICES)
def test_posteriors_sum_to_one_and_go_with_the_odds(scores):
    posteriors = np.exp(log_posteriors(scores))
    assert posteriors.sum(axis=1) == pytest.approx(1)
    assert posteriors == pytest.approx(1 / (1 + np.exp(-log_odds(scores))), abs=1e-12)


def test_odds_do_not_saturate_where_posteriors_do():
    scores = np.array([[0.0, -800.0, -801.0], [0.0, -900.0, -901.0]])
    assert (log_posteriors(scores)[:, 0] == 0).all()
    expected = [800 - np.log1p(np.exp(-1)), 900 - np.log1p(np.exp(-1))]
    assert log_odds(scores)[:, 0] == pytest.approx(expected, rel=1e-15)
    assert log_odds([[-1e300, 1e300]]).tolist() == [[-2e300, 2e300]]


def test_impossible_classes_have_no_odds():
    assert log_odds([[0.0, -np.inf, 0.0]]).tolist() == [[0.0, -np.inf, 0.0]]
    assert log_odds([[-5.0, -np.inf]]).tolist() == [[np.inf, -np.inf]]
    assert log_posteriors([[-5.0, -np.inf]]).tolist() == [[0.0, -np.inf]]
    assert log_odds([[-5.0]]).tolist() == [[np.inf]]


def test_no_documents_have_no_odds():
    assert log_odds(np.zeros((0, 3))).shape == log_posteriors(np.zeros((0, 3))).shape == (0, 3)


@pytest.mark.parametrize("scores", [[1.0], [[np.nan, 0.0]], [[np.inf, 0.0]], [[-np.inf, -np.inf]]])
def test_scores_that_are_no_logarithms_are_refused(scores):
    for function in (log_odds, log_posteriors):
        with pytest.raises(ScoreError):
            function(scores)

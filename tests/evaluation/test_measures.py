"""F measures, eleven-point precision and break-even: published figures, laws, obvious versions."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from sklearn.metrics import f1_score, precision_recall_fscore_support

from oracle import decisions as oracle
from tallytext.errors import LabelError, ScoreError
from tallytext.evaluation import (
    FMeasures,
    average_precision_11,
    break_even,
    f_measures,
    precision_at_recall,
    relative_gain,
)

SHAPES = st.tuples(st.integers(1, 8), st.integers(2, 6))
# Few distinct values, so that there are ties; some classes are not scored.
SCORES = st.sampled_from([-np.inf, np.nan, -1.0, 0.0, 0.5, 2.0])


@st.composite
def decisions(draw):
    shape = draw(SHAPES)
    return draw(hnp.arrays(bool, shape)), draw(hnp.arrays(bool, shape))


@st.composite
def rankings(draw):
    shape = draw(SHAPES)
    return draw(hnp.arrays(float, shape, elements=SCORES)), draw(hnp.arrays(bool, shape))


def test_micro_and_macro_f1_of_the_published_counts():
    counts = [8, 1, 0], [2, 0, 0], [4, 3, 0]
    zero, one, skip = (FMeasures.from_counts(*counts, empty=e) for e in (0, 1, "skip"))
    assert zero.f1 == pytest.approx([0.7272727273, 0.4, 0.0], abs=1e-6)
    assert zero.micro_f1 == one.micro_f1 == skip.micro_f1 == pytest.approx(0.6666666667, abs=1e-6)
    assert zero.macro_f1 == pytest.approx(0.3757575758, abs=1e-6)
    assert one.macro_f1 == pytest.approx(0.7090909091, abs=1e-6)
    assert skip.macro_f1 == pytest.approx((0.7272727273 + 0.4) / 2, abs=1e-6)
    assert np.isnan(skip.f1[2])
    assert (zero.micro_precision, zero.micro_recall) == pytest.approx((9 / 11, 9 / 16))


@given(decisions(), st.sampled_from([0.0, 1.0]))
def test_f1_is_that_of_scikit_learn(pair, empty):
    truth, decided = pair
    found = f_measures(truth, decided, empty=empty)
    for average, value in (("micro", found.micro_f1), ("macro", found.macro_f1), (None, found.f1)):
        theirs = f1_score(truth, decided, average=average, zero_division=empty)
        assert value == pytest.approx(theirs, abs=1e-12)


@given(decisions())
def test_precision_and_recall_are_those_of_scikit_learn(pair):
    found = f_measures(*pair)
    for average in ("micro", "macro"):
        precision, recall, _, _ = precision_recall_fscore_support(
            *pair, average=average, zero_division=0.0
        )
        assert getattr(found, f"{average}_precision") == pytest.approx(precision)
        assert getattr(found, f"{average}_recall") == pytest.approx(recall)


@given(decisions())
def test_skipped_classes_do_not_move_the_average(pair):
    truth, decided = pair
    used = truth.any(axis=0) | decided.any(axis=0)
    found = f_measures(truth, decided, empty="skip")
    if used.any():
        assert found.macro_f1 == f_measures(truth[:, used], decided[:, used]).macro_f1
    else:
        assert np.isnan([found.macro_f1, found.micro_f1]).all()


def test_class_indices_are_truth_too():
    decided = np.array([[1, 0, 0], [1, 0, 0], [0, 0, 1]])
    by_index, by_matrix = f_measures([0, 1, 2], decided), f_measures(np.eye(3), decided)
    assert by_index.f1.tolist() == by_matrix.f1.tolist()
    assert by_index.tp.tolist() == [1, 0, 1]


@pytest.mark.parametrize(
    ("truth", "decided", "error"),
    [
        ([[1, 0]], [[1, 0], [0, 1]], ScoreError),
        ([[1, 0, 0]], [[1, 0]], LabelError),
        ([2], [[1, 0]], LabelError),
        ([-1], [[1, 0]], LabelError),
        ([0.5], [[1, 0]], LabelError),
        ([[1, 0]], [[2, 0]], LabelError),
        ([0], [1], LabelError),
    ],
)
def test_decisions_that_do_not_fit_are_refused(truth, decided, error):
    with pytest.raises(error):
        f_measures(truth, decided)


@pytest.mark.parametrize("empty", [-0.1, 1.5, np.nan, "drop"])
def test_conventions_that_do_not_exist_are_refused(empty):
    with pytest.raises(ScoreError, match="skip"):
        f_measures([[1, 0]], [[1, 0]], empty=empty)


@pytest.mark.parametrize(
    ("value", "baseline", "percent"),
    [
        (0.8190, 0.7212, 13.56073211),
        (0.6601, 0.3414, 93.35090803),
        (0.6601, 0.3214, 105.3827007),
        (0.7409, 0.6502, 13.94955398),
        (0.6305, 0.5208, 21.06374808),
    ],
)
def test_gains_of_published_tables(value, baseline, percent):
    assert relative_gain(value, baseline) == pytest.approx(percent, abs=1e-6)


def test_a_gain_over_nothing_is_refused():
    with pytest.raises(ScoreError, match="baseline"):
        relative_gain(0.5, 0.0)


@pytest.mark.parametrize(
    ("ranked", "n_relevant", "interpolated", "first_reach"),
    [
        ("100", 1, [1] * 11, [1] * 11),
        ("001", 1, [1 / 3] * 11, [1 / 3] * 11),
        ("1010", 2, [1] * 6 + [2 / 3] * 5, [1] * 6 + [2 / 3] * 5),
        ("10011", 3, [1] * 4 + [0.6] * 7, [1] * 4 + [0.5] * 3 + [0.6] * 4),
        ("011", 2, [2 / 3] * 11, [0.5] * 6 + [2 / 3] * 5),
        ("10", 2, [1] * 6 + [0] * 5, [1] * 6 + [0] * 5),
    ],
)
def test_eleven_precisions_by_hand(ranked, n_relevant, interpolated, first_reach):
    relevance = [mark == "1" for mark in ranked]
    for expected, interpolate in ((interpolated, True), (first_reach, False)):
        found = precision_at_recall(relevance, n_relevant, interpolate)
        assert found == pytest.approx(expected, abs=1e-6)


@pytest.mark.parametrize(
    ("relevant", "interpolated", "first_reach"),
    [
        ([0], 1.0, 1.0),
        ([2], 0.3333333333, 0.3333333333),
        ([0, 2], 0.8484848485, 0.8484848485),
        ([0, 3, 4], 0.7454545455, 0.7181818182),
        ([1, 2], 0.6666666667, 0.5757575758),
        ([0, 5], 0.5454545455, 0.5454545455),
    ],
)
def test_average_precision_by_hand(relevant, interpolated, first_reach):
    scores = np.array([[5.0, 4.0, 3.0, 2.0, 1.0, -np.inf]])
    truth = np.isin(np.arange(6), relevant)[None]
    for expected, interpolate in ((interpolated, True), (first_reach, False)):
        found = average_precision_11(scores, truth, interpolated=interpolate)
        assert found == pytest.approx(expected, abs=1e-6)


@given(st.lists(st.booleans(), max_size=40), st.integers(0, 9), st.booleans())
def test_eleven_precisions_are_the_obvious_ones(relevance, n_missing, interpolated):
    n_relevant = max(1, sum(relevance) + n_missing)
    found = precision_at_recall(relevance, n_relevant, interpolated)
    assert found == pytest.approx(oracle.eleven_precisions(relevance, n_relevant, interpolated))


@given(rankings(), st.booleans())
def test_average_precision_is_the_obvious_one(ranking, interpolated):
    scores, truth = ranking
    if truth.any():
        found = average_precision_11(scores, truth, interpolated=interpolated)
        expected = oracle.average_precision_11(scores, truth.tolist(), interpolated)
        assert found == pytest.approx(expected)


@given(rankings())
def test_interpolation_never_lowers_precision(ranking):
    scores, truth = ranking
    truth[:, 0] = True
    plain = average_precision_11(scores, truth, interpolated=False)
    assert average_precision_11(scores, truth) >= plain - 1e-12


def test_invalid_rankings_are_refused():
    with pytest.raises(LabelError, match="no document has a class"):
        average_precision_11([[1.0, 2.0]], [[False, False]])
    for n_relevant in (0, 1, [2]):
        with pytest.raises(ScoreError, match="relevant"):
            precision_at_recall([True, True], n_relevant)


@given(rankings())
def test_break_even_lies_between_the_neighbouring_thresholds(ranking):
    scores, truth = ranking
    truth[0, 0] = True
    pooled = np.where(np.isnan(scores), -np.inf, scores)
    value, total = break_even(scores, truth), truth.sum()
    below = above = None
    for threshold in [np.inf, *sorted(set(pooled[pooled > -np.inf]), reverse=True)]:
        decided = pooled >= threshold
        share = (decided & truth).sum() / total
        if decided.sum() <= total:
            below = share
        if decided.sum() >= total and above is None:
            above = share
    assert below - 1e-12 <= value
    # Pairs without a score cannot be assigned, so the last threshold is the end of it.
    assert value <= (below if above is None else above) + 1e-12


@given(decisions())
def test_break_even_of_distinct_scores_is_precision_and_recall(pair):
    truth, noise = pair
    truth[0, 0] = True
    scores = np.arange(truth.size, dtype=float).reshape(truth.shape) * np.where(noise, -1, 1)
    decided = scores >= np.sort(scores, axis=None)[-truth.sum()]
    found = f_measures(truth, decided)
    assert break_even(scores, truth) == pytest.approx(found.micro_precision)
    assert break_even(scores, truth) == pytest.approx(found.micro_recall)


def test_break_even_of_equal_scores_is_the_share_of_right_pairs():
    assert break_even(np.zeros((2, 4)), [0, 3]) == 0.25
    with pytest.raises(LabelError, match="recall"):
        break_even([[1.0, 2.0]], [[False, False]])

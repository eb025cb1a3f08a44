"""Tests of differences, against sums of binomial coefficients and known intervals."""

from math import comb, erfc, sqrt

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from tallytext.errors import LabelError, ScoreError
from tallytext.evaluation import bootstrap_interval, mcnemar, micro_sign_test

PAIRS = st.integers(0, 30).flatmap(
    lambda n: st.tuples(hnp.arrays(bool, n), hnp.arrays(bool, n), hnp.arrays(bool, n))
)


def upper_tail(k, n):
    return sum(comb(n, i) for i in range(k, n + 1)) / 2**n


@given(PAIRS)
def test_mcnemar_is_a_sum_of_binomial_coefficients(pair):
    a, b, _ = pair
    found = mcnemar(a, b)
    assert (found.only_a, found.only_b) == ((a & ~b).sum(), (b & ~a).sum())
    n, more = found.only_a + found.only_b, max(found.only_a, found.only_b)
    assert found.p_value == pytest.approx(min(1.0, 2 * upper_tail(more, n)))


@given(PAIRS)
def test_tests_do_not_care_which_classifier_comes_first(triple):
    a, b, truth = triple
    assert mcnemar(a, b).p_value == mcnemar(b, a).p_value
    assert mcnemar(a, b).chi_squared == mcnemar(b, a).chi_squared
    a, b, truth = a[:, None], b[:, None], truth[:, None]
    ours, theirs = micro_sign_test(a, b, truth), micro_sign_test(b, a, truth)
    assert (ours.only_a, ours.only_b) == (theirs.only_b, theirs.only_a)
    assert ours.p_value == theirs.p_value


def test_chi_squared_has_a_continuity_correction():
    a = [True] * 25 + [False] * 10
    found = mcnemar(a, np.invert(a))
    assert found.chi_squared == pytest.approx(14**2 / 35)
    assert found.chi_squared_p_value == pytest.approx(erfc(sqrt(14**2 / 35 / 2)))


def test_the_same_classifier_twice_differs_by_chance():
    same = mcnemar([True, False], [True, False])
    assert (same.only_a, same.p_value, same.chi_squared, same.chi_squared_p_value) == (0, 1, 0, 1)
    assert micro_sign_test(np.eye(2), np.eye(2), [0, 1]).p_value == 1


@given(PAIRS)
def test_the_sign_test_drops_equal_decisions(triple):
    a, b, truth = (x[:, None] for x in triple)
    differ = (a != b)[:, 0]
    kept = micro_sign_test(a[differ], b[differ], truth[differ])
    assert micro_sign_test(a, b, truth) == kept
    assert kept.only_a + kept.only_b == differ.sum()


def test_the_sign_test_can_be_one_sided():
    truth = np.ones((10, 2), dtype=bool)
    a, b = truth.copy(), ~truth
    a[0] = False
    b[0] = True
    better = micro_sign_test(a, b, truth, alternative="greater")
    assert (better.only_a, better.only_b) == (18, 2)
    assert better.p_value == pytest.approx(upper_tail(18, 20))
    assert micro_sign_test(a, b, truth, alternative="less").p_value == pytest.approx(
        1 - upper_tail(19, 20)
    )
    assert micro_sign_test(a, b, truth).p_value == pytest.approx(2 * upper_tail(18, 20))


def test_classifiers_of_other_documents_are_refused():
    with pytest.raises(ScoreError, match="3 documents, but 2"):
        mcnemar([1, 0, 1], [1, 0])
    with pytest.raises(ScoreError, match="same documents"):
        micro_sign_test([[1, 0]], [[1, 0], [0, 1]], [0])
    with pytest.raises(ScoreError, match="1 documents, but 2 rows"):
        micro_sign_test([[1, 0]], [[1, 0]], [0, 1])
    with pytest.raises(LabelError, match="True and False"):
        mcnemar([2, 0], [1, 0])


def test_the_bootstrap_finds_the_interval_of_a_mean():
    sample = np.random.default_rng(1).normal(10, 2, size=400)
    found = bootstrap_interval(np.mean, sample, n_resamples=4000)
    error = sample.std() / 20
    assert found.estimate == sample.mean()
    assert found.low == pytest.approx(sample.mean() - 1.96 * error, abs=error / 8)
    assert found.high == pytest.approx(sample.mean() + 1.96 * error, abs=error / 8)


def test_the_bootstrap_draws_pairs():
    sample = np.random.default_rng(2).normal(size=(50, 3))
    found = bootstrap_interval(lambda a, b: float((a - b).mean()), sample, sample)
    assert (found.low, found.estimate, found.high) == (0, 0, 0)


def test_the_bootstrap_repeats_itself_and_widens_with_its_level():
    sample = np.arange(30)
    narrow, wide = (bootstrap_interval(np.mean, sample, level=level) for level in (0.5, 0.99))
    assert bootstrap_interval(np.mean, sample, level=0.5) == narrow
    assert bootstrap_interval(np.mean, sample, level=0.5, random_state=1) != narrow
    assert wide.low < narrow.low < narrow.estimate < narrow.high < wide.high


@pytest.mark.parametrize(
    ("arrays", "settings"),
    [
        (([1, 2], [1, 2, 3]), {}),
        (([],), {}),
        ((), {}),
        (([1, 2],), {"level": 1.0}),
        (([1, 2],), {"n_resamples": 0}),
    ],
)
def test_intervals_that_make_no_sense_are_refused(arrays, settings):
    with pytest.raises(ScoreError):
        bootstrap_interval(np.mean, *arrays, **settings)

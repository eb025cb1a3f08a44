import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import chi2_contingency

from oracle import phrases as oracle
from tallytext.semantic import gensim_score, log_likelihood, npmi, pmi


def test_published_figures():
    assert pmi(20, 50, 40, 10_000) == pytest.approx(4.605170186, abs=1e-6)
    assert npmi(20, 50, 40, 10_000) == pytest.approx(0.7410234263, abs=1e-6)
    assert gensim_score(20, 50, 40, 2000, 5) == pytest.approx(15.0, abs=1e-6)


@st.composite
def counts(draw):
    n_ab = draw(st.integers(1, 50))
    n_a, n_b = (n_ab + draw(st.integers(0, 1000)) for _ in range(2))
    return n_ab, n_a, n_b, n_a + n_b - n_ab + draw(st.integers(0, 10_000))


@given(counts())
def test_the_likelihood_ratio_is_that_of_the_table(numbers):
    n_ab, n_a, n_b, n = numbers
    table = np.array([[n_ab, n_a - n_ab], [n_b - n_ab, n - n_a - n_b + n_ab]])
    if (table.sum(axis=0) == 0).any() or (table.sum(axis=1) == 0).any():
        assert log_likelihood(*numbers) == pytest.approx(0, abs=1e-6)
        return
    wanted = chi2_contingency(table, correction=False, lambda_="log-likelihood").statistic
    sign = 1 if n_ab * n >= n_a * n_b else -1
    assert log_likelihood(*numbers) == pytest.approx(sign * wanted, rel=1e-6, abs=1e-6)


@given(counts())
def test_scores_are_the_obvious_ones(numbers):
    for method, score in (("npmi", npmi), ("likelihood", log_likelihood)):
        wanted = oracle.score(method, *numbers, 0, 0)
        assert score(*numbers) == pytest.approx(wanted, rel=1e-9, abs=1e-9)


@given(counts())
def test_npmi_is_from_minus_one_to_one(numbers):
    assert -1 <= npmi(*numbers) <= 1
    n_ab, *_, n = numbers
    assert npmi(n_ab, n_ab, n_ab, n) == 1
    assert npmi(0, *numbers[1:]) == -1


def test_words_that_never_meet_have_no_information():
    assert pmi(0, 50, 40, 10_000) == -np.inf


def test_a_word_that_follows_itself_all_the_time_is_no_error():
    assert np.isfinite(log_likelihood(9, 10, 10, 10))


def test_scores_are_vectors():
    found = npmi([20, 10], [50, 50], 40, 10_000)
    assert found.tolist() == [float(npmi(20, 50, 40, 10_000)), float(npmi(10, 50, 40, 10_000))]

"""Term strength: published values, an oracle, and how the threshold is found."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

from oracle import cosine as oracle
from tallytext.errors import CountError
from tallytext.features import related_pairs, strength, term_strength, term_strength_from_pairs

TOY = [[2, 1, 0, 0], [1, 0, 1, 0], [0, 1, 2, 1]]
LAW = settings(deadline=None)
ROWS = st.lists(st.lists(st.integers(0, 3), min_size=5, max_size=5), min_size=2, max_size=12)


def test_the_toy_corpus_has_the_strengths_that_were_worked_out():
    expected = [0.6666666667, 0.0, 0.6666666667, 0.0]
    np.testing.assert_allclose(term_strength_from_pairs(TOY, [(0, 1), (1, 2)]), expected, rtol=1e-6)
    found = related_pairs(TOY, threshold=0.3)
    assert found.pairs.tolist() == [[1, 0], [2, 1]]
    assert found.mean_related == pytest.approx(1.333333333)
    np.testing.assert_allclose(term_strength(TOY, threshold=0.3), expected, rtol=1e-6)


@LAW
@given(ROWS, st.data())
def test_strengths_are_the_obvious_ones(rows, data):
    every = [(a, b) for a in range(len(rows)) for b in range(a)]
    pairs = data.draw(st.lists(st.sampled_from(every), unique=True))
    expected = oracle.strength(rows, pairs)
    np.testing.assert_allclose(term_strength_from_pairs(rows, pairs), expected, rtol=1e-12)
    turned = [(b, a) for a, b in pairs]
    assert (
        term_strength_from_pairs(sparse.csr_matrix(rows), turned).tolist()
        == term_strength_from_pairs(rows, pairs).tolist()
    )


@LAW
@given(ROWS, st.sampled_from([0.0, 0.1234, 0.4321, 0.87654]))
def test_related_documents_are_those_above_the_threshold(rows, threshold):
    weights = oracle.weights(rows, "ltc", rows)
    expected = [
        [a, b]
        for a in range(len(rows))
        for b in range(a)
        if (s := oracle.similarity(weights[a], weights[b])) >= threshold and s > 0
    ]
    assert related_pairs(rows, threshold=threshold, n_jobs=2).pairs.tolist() == expected


def test_the_threshold_gives_as_many_as_are_wanted():
    rows = np.random.default_rng(0).poisson(0.05, (400, 300))
    for related in (2, 15):
        found = related_pairs(rows, related)
        assert found.mean_related >= related
        assert related_pairs(rows, threshold=found.threshold + 0.001).mean_related < related
        assert round(found.threshold * 1000) == pytest.approx(found.threshold * 1000)


def test_where_too_few_share_a_word_all_that_do_are_related():
    found = related_pairs([[1, 0], [1, 0], [0, 1]], related=15, weighting="nnc")
    assert (found.pairs.tolist(), found.threshold) == ([[1, 0]], 0.0)


def test_a_sample_is_compared_where_there_are_too_many(monkeypatch):
    monkeypatch.setattr(strength, "MAX_DOCUMENTS", 50)
    rows = sparse.csr_array(np.random.default_rng(0).poisson(0.1, (200, 60)))
    first, again, other = (related_pairs(rows, 5, random_state=seed) for seed in (0, 0, 1))
    assert len({*first.pairs.ravel().tolist()}) <= 50 < first.pairs.max()
    assert np.array_equal(first.pairs, again.pairs)
    assert not np.array_equal(first.pairs, other.pairs)
    assert np.array_equal(term_strength(rows, 5), term_strength_from_pairs(rows, first.pairs))


def test_threads_change_nothing():
    rows = np.random.default_rng(1).poisson(0.05, (700, 200))
    one, many = (related_pairs(rows, n_jobs=n) for n in (1, 4))
    assert np.array_equal(one.pairs, many.pairs) and one[1:] == many[1:]


def test_verbose_shows_a_progress_bar(capsys, monkeypatch):
    monkeypatch.setenv("TTY_COMPATIBLE", "1")
    term_strength(TOY, 1, verbose=True)
    assert "comparing documents" in capsys.readouterr().err
    term_strength(TOY, 1, verbose=False)
    assert not capsys.readouterr().err


def test_invalid_arguments_are_refused():
    for options in ({"related": 0}, {"threshold": -0.5}, {"threshold": np.nan}):
        with pytest.raises(ValueError):
            term_strength(TOY, **options)
    for pairs in ([(0, 3)], [(-1, 0)], [(1, 1)]):
        with pytest.raises(CountError, match="pair"):
            term_strength_from_pairs(TOY, pairs)
    with pytest.raises(CountError, match="negative"):
        term_strength([[1, -1], [1, 1]])

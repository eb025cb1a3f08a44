"""Term weights by topicality."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse

from pools import topical
from tallytext.errors import CountError
from tallytext.models import Topicality
from tallytext.models.pool import TermPresence, length_groups

counts = arrays.arrays(
    np.int64,
    st.tuples(st.integers(1, 25), st.integers(1, 8)),
    elements=st.integers(0, 5) | st.sampled_from([0, 0, 10**6]),
)


@given(counts, st.sampled_from([0.01, 0.05, 1.0]))
def test_weights_are_shares_and_sparse_ones_those_of_dense(X, half):
    found = Topicality(half).weights(X)
    assert found.shape == (X.shape[1],)
    assert (found >= 0).all() and (found <= 1).all()
    assert_array_equal(Topicality(half).weights(sparse.csc_matrix(X)), found)


def test_function_words_weigh_nothing_and_topical_words_nearly_one():
    made = topical(n=600)
    found = Topicality().weights(made.counts)
    assert found[: made.n_function].max() < 0.2
    assert found[: made.n_function].mean() < 0.05
    assert found[made.n_function :].min() > 0.85


def test_words_that_long_documents_have_more_of_are_no_topic():
    # Long documents are all of the first topic, so that a word anywhere leans towards it.
    random = np.random.default_rng(1)
    made = topical(n=600, n_topics=2, n_function=1, share=0.0)
    topics, X = made.topics, made.counts.toarray()[:, 1:]
    X[topics == 0] = random.poisson(X[topics == 0] * 6)
    anywhere = random.poisson(0.01 * X.sum(axis=1))
    with_it = np.column_stack([anywhere, X])
    share = (anywhere[topics == 0] > 0).sum() / (anywhere > 0).sum()
    assert share > 0.7
    found = Topicality().weights(with_it)
    assert found[0] < 0.3 < 0.7 < found[1:].min()


def test_half_is_where_a_word_has_half_its_weight():
    made = topical()
    distances = {half: Topicality(half, passes=1).weights(made.counts) for half in (0.05, 0.2)}
    tau = [half * g / (1 - g) for half, g in distances.items()]
    assert_allclose(tau[0], tau[1], rtol=1e-9, atol=1e-12)


def test_no_half_is_one_for_all():
    assert_array_equal(Topicality(half=0).weights(topical().counts), np.ones(140))


def test_rare_words_count_as_topical():
    made = topical(n=200)
    rare, unseen = np.zeros((200, 1)), np.zeros((200, 1))
    rare[:9] = 1
    X = sparse.hstack([sparse.csr_array(rare), sparse.csr_array(unseen), made.counts])
    found = Topicality(half=0.05).weights(X)
    assert_allclose(found[:2], 1 / 1.05)
    rare[9] = 1
    spread = Topicality(half=0.05).weights(sparse.hstack([sparse.csr_array(rare), made.counts]))
    assert spread[0] < 0.9


@pytest.mark.parametrize("shape", [(0, 0), (0, 3), (3, 0), (1, 4), (4, 1)])
def test_where_there_is_nothing_to_compare_all_words_weigh_one(shape):
    assert_array_equal(Topicality().weights(np.ones(shape)), np.ones(shape[1]))


def test_documents_without_words_are_nowhere():
    made = topical(n=200)
    with_empty = sparse.vstack([made.counts, sparse.csr_array((50, made.counts.shape[1]))])
    found, expected = (Topicality().weights(X) for X in (with_empty, made.counts))
    # They change how rare words seem, and nothing else.
    assert_allclose(found, expected, atol=0.1)
    assert_allclose(Topicality().weights(np.zeros((20, 3))), 1 / 1.05)


@given(st.integers(0, 99))
@settings(max_examples=10)
def test_the_order_of_documents_changes_nothing(seed):
    X = topical(n=150, length=8, seed=3).counts
    order = np.random.default_rng(seed).permutation(150)
    one, other = (Topicality().weights(rows) for rows in (X, X[order]))
    assert_allclose(one, other, atol=1e-6)


def test_weights_are_reproducible_with_any_number_of_threads():
    X = topical().counts
    one, many = Topicality().weights(X, 1), Topicality().weights(X, 3)
    assert_allclose(one, many, atol=1e-12)
    assert_array_equal(one, Topicality().weights(X, 1))


def test_a_sample_of_documents_places_them_all():
    made = topical(n=600)
    some = Topicality(n_documents=100).weights(made.counts)
    assert some[: made.n_function].mean() < 0.1 < 0.8 < some[made.n_function :].min()
    other = Topicality(n_documents=100, seed=1).weights(made.counts)
    assert not np.array_equal(some, other)
    all_of_them = Topicality(n_documents=600).weights(made.counts)
    assert_array_equal(all_of_them, Topicality(n_documents=601, seed=0).weights(made.counts))


def test_the_matrix_is_not_changed_and_may_have_duplicates():
    plain = topical(n=60).counts
    halves = plain.copy()
    halves.data /= 2
    parts = [halves.tocoo(), halves.tocoo(), (0 * halves).tocoo()]
    data = np.concatenate([part.data for part in parts])
    at = [np.concatenate([getattr(part, axis) for part in parts]) for axis in ("row", "col")]
    order = np.argsort(at[0], kind="stable")
    starts = np.searchsorted(at[0][order], np.arange(61))
    twice = sparse.csr_array((data[order], at[1][order], starts), shape=plain.shape)
    before = twice.data.copy()
    assert_allclose(Topicality().weights(twice), Topicality().weights(plain), atol=1e-9)
    assert_array_equal(twice.data, before)


@pytest.mark.parametrize("bad", [-1.0, np.nan, np.inf])
def test_counts_that_cannot_be_are_refused(bad):
    with pytest.raises(CountError, match="negative, infinite"):
        Topicality().weights([[1.0, bad], [0.0, 1.0]])


@pytest.mark.parametrize(
    "parameters",
    [
        {"half": -0.1},
        {"half": np.nan},
        {"half": "no"},
        {"n_components": 0},
        {"passes": 0},
        {"n_documents": 0},
        {"seed": -1},
        {"seed": 0.5},
    ],
)
def test_parameters_that_cannot_be_are_refused(parameters):
    with pytest.raises(ValueError, match=next(iter(parameters))):
        Topicality(**parameters)


@given(st.lists(st.integers(0, 9), min_size=1, max_size=300))
def test_documents_of_one_length_are_in_one_group(lengths):
    lengths = np.array(lengths, dtype=np.float64)
    groups = length_groups(lengths)
    for size in np.unique(lengths):
        assert len(set(groups[lengths == size])) == 1
    order = np.argsort(lengths, kind="stable")
    assert (np.diff(groups[order]) >= 0).all()
    assert_array_equal(np.unique(groups), np.arange(groups.max() + 1))


def test_groups_are_of_about_one_size():
    sizes = np.bincount(length_groups(np.random.default_rng(0).permutation(np.arange(1000.0))))
    assert len(sizes) == 64
    assert set(sizes) <= {15, 16}


def test_distances_are_those_of_the_obvious_way():
    random = np.random.default_rng(0)
    X = random.poisson(0.7, (40, 5)).astype(float)
    X[:, 4] = 0
    X[:3, 4] = 1
    places = random.normal(size=(40, 3))
    found = TermPresence.from_counts(sparse.csr_array(X), 1).topicality(places)
    lengths = X.sum(axis=1)
    groups = length_groups(lengths)
    for word in range(4):
        holding = X[:, word] > 0
        rate = X[:, word].sum() / X.sum()
        typical = np.array([lengths[groups == group].mean() for group in groups])
        chance = 1 - np.exp(-rate * typical)
        by_chance = (chance[:, None] * places).sum(axis=0) / chance.sum()
        away = np.square(places[holding].mean(axis=0) - by_chance).sum() - 1 / holding.sum()
        assert found[word] == pytest.approx(max(away, 0.0))
    assert found[4] == 1.0

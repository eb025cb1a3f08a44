"""SMART weights: published values, an oracle, and scikit-learn's checks."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from sklearn.utils.estimator_checks import parametrize_with_checks

from oracle import cosine as oracle
from tallytext import SmartWeighting
from tallytext.errors import CountError
from tallytext.features import document_frequencies, smart_weights
from tallytext.features.tf_idf import IDF, NORM, TF

TOY = [[2, 1, 0, 0], [1, 0, 1, 0], [0, 1, 2, 1]]
QUERIES = [[1, 1, 0, 1], [0, 0, 1, 2], [0, 2, 1, 0]]
EXPECTED = {
    "ltc": [
        [0.8610369959, 0.5085423204, 0, 0],
        [0.7071067812, 0, 0.7071067812, 0],
        [0, 0.2986978434, 0.5057394114, 0.8093251794],
        [0.3271845742, 0.3271845742, 0, 0.8865102982],
        [0, 0, 0.2129777551, 0.9770570484],
        [0, 0.8610369959, 0.5085423204, 0],
    ],
    "lnc": [
        [0.8610369959, 0.5085423204, 0, 0],
        [0.7071067812, 0, 0.7071067812, 0],
        [0, 0.4532946552, 0.7674945675, 0.4532946552],
        [0.5773502692, 0.5773502692, 0, 0.5773502692],
        [0, 0, 0.5085423204, 0.8610369959],
        [0, 0.8610369959, 0.5085423204, 0],
    ],
    "atc": [
        [0.8, 0.6, 0, 0],
        [0.7071067812, 0, 0.7071067812, 0],
        [0, 0.3143592785, 0.4191457046, 0.8517600145],
        [0.3271845742, 0.3271845742, 0, 0.8865102982],
        [0, 0, 0.2667713163, 0.9637598585],
        [0, 0.8, 0.6, 0],
    ],
    "bnn": [[1, 1, 0, 0], [1, 0, 1, 0], [0, 1, 1, 1], [1, 1, 0, 1], [0, 0, 1, 1], [0, 1, 1, 0]],
}
COUNTS = st.lists(st.lists(st.integers(0, 4), min_size=5, max_size=5), min_size=1, max_size=8)
SCHEMES = ["".join(letters) for letters in product(TF, IDF, NORM)]


@pytest.mark.parametrize("scheme", EXPECTED)
def test_the_toy_corpus_has_the_weights_that_were_worked_out(scheme):
    weighting = SmartWeighting(scheme).fit(TOY)
    found = weighting.transform(TOY + QUERIES).toarray()
    np.testing.assert_allclose(found, EXPECTED[scheme], rtol=1e-6, atol=1e-9)


@settings(deadline=None)
@given(COUNTS, COUNTS, st.sampled_from(SCHEMES))
def test_weights_are_the_obvious_ones(training, rows, scheme):
    found = SmartWeighting(scheme).fit(training).transform(rows)
    expected = oracle.weights(rows, scheme, training)
    np.testing.assert_allclose(found.toarray(), expected, rtol=1e-12, atol=1e-15)
    assert found.data.all() and found.has_canonical_format


@pytest.mark.parametrize("scheme", SCHEMES)
def test_every_scheme_gives_weights_that_can_be_compared(scheme):
    rows = np.random.default_rng(0).poisson(0.4, (30, 20)) * 0.3
    found = SmartWeighting(scheme).fit(rows).transform(rows)
    assert np.isfinite(found.data).all() and (found.data > 0).all()


@settings(deadline=None)
@given(COUNTS)
def test_sparse_and_dense_matrices_of_any_kind_weigh_the_same(rows):
    dense = np.array(rows)
    expected = SmartWeighting().fit(dense).transform(dense).toarray()
    for kind in (sparse.csr_array, sparse.csr_matrix, sparse.csc_array, sparse.coo_array):
        found = SmartWeighting().fit(kind(dense)).transform(kind(dense))
        assert found.toarray().tolist() == expected.tolist()
    assert sparse.isspmatrix(SmartWeighting().fit_transform(sparse.csr_matrix(dense)))


def test_the_matrix_that_was_given_stays_as_it_was():
    rows = sparse.csr_array(([1, 2, 3, 1], [2, 0, 0, 1], [0, 3, 4]), shape=(2, 3))
    before = rows.data.tolist(), rows.indices.tolist(), rows.indptr.tolist()
    weighted = SmartWeighting("ntn").fit(rows).transform(rows)
    weighted.data[:] = 7.0
    assert (rows.data.tolist(), rows.indices.tolist(), rows.indptr.tolist()) == before


def test_entries_of_one_cell_are_one_count():
    rows = sparse.csr_array(([1, 2, 1], [0, 0, 1], [0, 3]), shape=(1, 2))
    assert smart_weights(rows, "nnn", [1, 1], 1).toarray().tolist() == [[3.0, 1.0]]
    assert document_frequencies(rows).tolist() == [1, 1]


@pytest.mark.parametrize("scheme", SCHEMES)
def test_words_that_nobody_has_seen_weigh_nothing(scheme):
    weighting = SmartWeighting(scheme).fit([[1, 2, 0], [2, 0, 0], [0, 1, 0]])
    assert weighting.transform([[0, 0, 3]]).nnz == 0
    beyond = sparse.csr_array([[1, 0, 0, 5]])
    found = smart_weights(beyond, scheme, weighting.document_frequencies_, 3)
    assert found.shape == (1, 4) and not found[:, [2, 3]].nnz


def test_the_logarithm_goes_on_smoothly_below_one():
    rows = np.array([[1 - 1e-7], [1.0], [1 + 1e-7], [0.25]])
    found = smart_weights(sparse.csr_array(rows), "lnn", [4], 4).toarray().ravel()
    np.testing.assert_allclose(found, [1 - 1e-7, 1.0, 1 + 1e-7, 0.25], rtol=1e-12)


@pytest.mark.parametrize("scheme", ["", "lt", "ltcc", "xtc", "lxc", "ltx", None, 3])
def test_an_invalid_scheme_is_refused(scheme):
    with pytest.raises(ValueError, match="SMART scheme"):
        SmartWeighting(scheme).fit(TOY)


def test_counts_that_cannot_be_are_refused():
    with pytest.raises(CountError, match="Negative"):
        SmartWeighting().fit([[1, -1]])
    with pytest.raises(CountError, match="one frequency per term"):
        smart_weights(sparse.csr_array([[1]]), "ltc", [[1]], 1)
    with pytest.raises(ValueError, match="features"):
        SmartWeighting().fit(TOY).transform([[1, 2]])


def test_columns_keep_their_names():
    weighting = SmartWeighting().fit(TOY)
    assert weighting.get_feature_names_out(["a", "b", "c", "d"]).tolist() == ["a", "b", "c", "d"]


@parametrize_with_checks([SmartWeighting(), SmartWeighting("Lpm")])
@pytest.mark.filterwarnings("default")
def test_the_weighting_is_a_transformer(estimator, check):
    check(estimator)

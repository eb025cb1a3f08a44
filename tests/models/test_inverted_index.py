"""The native index against loops, whatever the number of threads and of documents."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

from oracle import cosine as oracle
from tallytext._core import InvertedIndex

LAW = settings(deadline=None)
WEIGHTS = st.sampled_from([0.0, 0.0, 0.0, 0.125, 0.25, 0.5, 1.0, 3.0])
N_TERMS = 6
MATRICES = st.lists(st.lists(WEIGHTS, min_size=N_TERMS, max_size=N_TERMS), min_size=1, max_size=40)


def arrays(rows, width=N_TERMS):
    made = sparse.csr_array(np.array(rows, dtype=np.float64).reshape(-1, width))
    return made.indptr.astype(np.int64), made.indices.astype(np.int32), made.data


def index_of(rows):
    return InvertedIndex(*arrays(rows), N_TERMS)


def zipf(n_documents, seed, n_terms=2000):
    """Documents as texts are: a few words are nearly everywhere, most are rare."""
    random = np.random.default_rng(seed)
    share = np.minimum(0.9, 8 / np.arange(1, n_terms + 1))
    made = sparse.csr_array(random.random((n_documents, n_terms)) < share).astype(np.float64)
    idf = np.log(n_documents / np.maximum(1, made.sum(axis=0)))
    made.data = (1 + random.poisson(0.5, made.nnz)) * idf[made.indices] + 1e-9
    norms = np.sqrt(made.multiply(made).sum(axis=1))
    made.data /= np.repeat(norms, np.diff(made.indptr))
    return made


def parts(made):
    return made.indptr.astype(np.int64), made.indices.astype(np.int32), made.data


@LAW
@given(MATRICES, MATRICES, st.integers(1, 50))
def test_the_nearest_are_those_of_comparing_with_all(documents, queries, k):
    found, similarities = index_of(documents).nearest(*arrays(queries), k, 1)
    assert found.shape == similarities.shape == (len(queries), min(k, len(documents)))
    for query, docs, values in zip(queries, found.tolist(), similarities.tolist(), strict=True):
        expected = oracle.nearest(query, documents, k)
        missing = min(k, len(documents)) - len(expected)
        assert docs == [n for _, n in expected] + [-1] * missing
        assert values == [s for s, _ in expected] + [0.0] * missing


@pytest.mark.parametrize("k", [1, 30])
def test_pruning_loses_no_neighbour(k):
    documents, queries = zipf(3000, 0), zipf(200, 1)
    found, similarities = InvertedIndex(*parts(documents), 2000).nearest(*parts(queries), k, 2)
    dense = (queries @ documents.T).toarray()
    expected = np.argsort(-dense, axis=1, kind="stable")[:, :k]
    np.testing.assert_allclose(
        similarities, np.take_along_axis(dense, expected, axis=1), rtol=1e-12
    )
    np.testing.assert_array_equal(np.sort(found, axis=1), np.sort(expected, axis=1))


def test_documents_of_many_blocks_are_found():
    documents = sparse.vstack([zipf(500, seed, 400) for seed in range(70)]).tocsr()
    assert documents.shape[0] > 32768
    queries = documents[[0, 33000, 34999]]
    index = InvertedIndex(*parts(documents), 400)
    found, similarities = index.nearest(*parts(queries), 40, 2)
    dense = (queries @ documents.T).toarray()
    expected = -np.sort(-dense, axis=1)[:, :40]
    np.testing.assert_allclose(similarities, expected, rtol=1e-12)
    np.testing.assert_allclose(np.take_along_axis(dense, found, axis=1), expected, rtol=1e-12)
    docs, earlier, values = index.pairs(0.5, 34990, 35000, 2)
    every = (documents[34990:] @ documents.T).toarray()
    wanted = [(34990 + a, b) for a, b in np.argwhere(every >= 0.5).tolist() if b < 34990 + a]
    assert [*zip(docs.tolist(), earlier.tolist(), strict=True)] == wanted
    np.testing.assert_allclose(values, [every[a - 34990, b] for a, b in wanted], rtol=1e-12)


def test_equal_documents_are_taken_in_order():
    rows = [[0.3, 0.1, 0.7, 0, 0, 0.2], [0.1, 0.2, 0.3, 0.4, 0.5, 0.6]] * 20
    found, similarities = index_of(rows).nearest(*arrays(rows[:1]), 25, 1)
    assert found[0].tolist() == [*range(0, 40, 2), 1, 3, 5, 7, 9]
    assert len({*similarities[0].tolist()}) == 2


def test_threads_and_batches_change_nothing():
    documents, queries = zipf(1500, 2), zipf(90, 3)
    index = InvertedIndex(*parts(documents), 2000)
    one = index.nearest(*parts(queries), 10, 1)
    for n_threads in (2, 3, 16):
        many = index.nearest(*parts(queries), 10, n_threads)
        assert [part.tobytes() for part in one] == [part.tobytes() for part in many]
        for method, least in ((index.pairs, 0.2), (index.count_pairs, 50)):
            mine, theirs = method(least, 0, 1500, 1), method(least, 0, 1500, n_threads)
            assert np.array_equal(np.array(mine), np.array(theirs))
    for row in range(0, 90, 9):
        alone = index.nearest(*parts(queries[[row]]), 10, 1)
        assert [part[0].tolist() for part in alone] == [part[row].tolist() for part in one]


@LAW
@given(MATRICES, st.sampled_from([0.0, 0.1, 0.5, 1.0, 4.0]), st.integers(0, 40))
def test_pairs_are_those_of_comparing_all(documents, least, first):
    first = min(first, len(documents))
    found = index_of(documents).pairs(least, first, len(documents), 2)
    expected = [
        (a, b, s)
        for a in range(first, len(documents))
        for b in range(a)
        if (s := oracle.similarity(documents[a], documents[b])) >= least and s > 0
    ]
    assert [*zip(*(part.tolist() for part in found), strict=True)] == expected


@LAW
@given(MATRICES)
def test_a_histogram_counts_each_pair_that_shares_a_term(documents):
    bins = index_of(documents).count_pairs(7, 0, len(documents), 2)
    similarities = [oracle.similarity(a, b) for i, a in enumerate(documents) for b in documents[:i]]
    assert bins.sum() == sum(s > 0 for s in similarities)
    for at in range(1, 7):
        edge = at / 7
        least = sum(s > edge * (1 + 1e-4) for s in similarities)
        most = sum(s > edge * (1 - 1e-4) for s in similarities)
        assert least <= bins[at:].sum() <= most


@LAW
@given(st.lists(st.tuples(st.floats(1e-300, 1e15), st.floats(1e-300, 1e15)), max_size=8))
def test_no_neighbour_is_lost_however_small_or_large_weights_are(weights):
    documents = [[a, b, 0, 0, 0, 0] for a, b in weights] or [[0.0] * N_TERMS]
    found, _ = index_of(documents).nearest(*arrays([[1.0, 1e-300, 0, 0, 0, 0]]), 3, 1)
    expected = [n for _, n in oracle.nearest([1.0, 1e-300, 0, 0, 0, 0], documents, 3)]
    assert [n for n in found[0].tolist() if n >= 0] == expected


def test_terms_beyond_the_index_are_similar_to_nothing():
    starts, terms = np.array([0, 3]), np.array([-1, 0, N_TERMS + 5], dtype=np.int32)
    index = index_of([[2.0, 0, 0, 0, 0, 1.0]])
    found, similarities = index.nearest(starts, terms, np.array([9.0, 0.5, 9.0]), 1, 1)
    assert (found.tolist(), similarities.tolist()) == ([[0]], [[1.0]])


GOOD = (np.array([0, 2]), np.array([0, 1], dtype=np.int32), np.array([0.5, 0.5]))


@pytest.mark.parametrize(
    ("at", "value"),
    [
        (0, [0, 1]),
        (0, [0, 3]),
        (0, [0, 2, 1, 2]),
        (0, []),
        (1, [1, 0]),
        (1, [1, 1]),
        (2, [0.5]),
        (2, [0.5, -0.5]),
        (2, [0.5, np.nan]),
        (2, [0.5, np.inf]),
        (2, [0.5, 2e15]),
    ],
)
def test_rows_that_cannot_be_are_refused(at, value):
    bad = [*GOOD]
    bad[at] = np.array(value, dtype=GOOD[at].dtype)
    with pytest.raises(ValueError):
        InvertedIndex(*bad, 6)
    with pytest.raises(ValueError):
        InvertedIndex(*GOOD, 6).nearest(*bad, 1, 1)


def test_arguments_out_of_range_are_refused():
    with pytest.raises(IndexError):
        InvertedIndex(*GOOD, 1)
    index = InvertedIndex(*GOOD, 6)
    for first, last in ((1, 0), (0, 2)):
        with pytest.raises(IndexError):
            index.pairs(0.1, first, last, 1)
        with pytest.raises(IndexError):
            index.count_pairs(9, first, last, 1)
    for least in (-0.1, np.nan):
        with pytest.raises(ValueError):
            index.pairs(least, 0, 1, 1)
    with pytest.raises(ValueError):
        index.count_pairs(0, 0, 1, 1)
    for call in (
        lambda: index.nearest(*GOOD, 1, 0),
        lambda: index.pairs(0.1, 0, 1, 0),
        lambda: index.count_pairs(9, 0, 1, 0),
    ):
        with pytest.raises(ValueError, match="thread"):
            call()


def test_no_documents_no_queries_and_no_neighbours_are_accepted():
    none = np.array([0]), np.empty(0, dtype=np.int32), np.empty(0)
    assert InvertedIndex(*none, 0).nearest(*GOOD, 3, 2)[0].shape == (1, 0)
    index = InvertedIndex(*GOOD, 6)
    assert (index.n_documents, index.n_terms) == (1, 6)
    assert index.nearest(*none, 3, 2)[0].shape == (0, 1)
    assert index.nearest(*GOOD, 0, 2)[0].shape == (1, 0)
    assert InvertedIndex(*none, 5).count_pairs(3, 0, 0, 2).tolist() == [0, 0, 0]

"""The native scorers against loops, whatever the number of threads."""

import math
from typing import NamedTuple

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from oracle import score as oracle
from tallytext._core import add_rows, score_sparse, top_sparse

WEIGHTS = st.floats(-8, 8).map(lambda value: round(value, 2))
VALUES = st.sampled_from([1.0, 2.0, 5.0, 0.25])
LAW = settings(max_examples=60, deadline=None)


class Problem(NamedTuple):
    documents: list
    postings: list
    common: list
    mass: list
    intercept: list
    slope: list
    order: list


@st.composite
def problems(draw, weights=WEIGHTS):
    n_terms, n_classes = draw(st.integers(1, 7)), draw(st.integers(1, 5))
    some = st.dictionaries(st.integers(0, n_classes - 1), weights)
    every = st.fixed_dictionaries(dict.fromkeys(range(n_classes), weights))
    row = st.lists(st.tuples(st.integers(-2, n_terms + 2), VALUES), max_size=9)

    def listed(n, values):
        return draw(st.lists(values, min_size=n, max_size=n))

    return Problem(
        draw(st.lists(row, max_size=6)),
        listed(n_terms, st.one_of(some, every)),
        listed(n_terms, weights),
        listed(n_terms, WEIGHTS),
        listed(n_classes, weights),
        listed(n_classes, WEIGHTS),
        draw(st.permutations(range(n_classes))),
    )


def rows_of(documents, dtype=np.float64):
    starts = np.cumsum([0, *map(len, documents)], dtype=np.int64)
    flat = [item for document in documents for item in document]
    terms = np.array([t for t, _ in flat], dtype=np.int32)
    return starts, terms, np.array([x for _, x in flat], dtype=dtype)


def arrays_of(problem, dtype=np.float64):
    postings = [sorted(posting.items()) for posting in problem.postings]
    rest = [np.array(values, dtype=dtype) for values in problem[2:6]]
    return [*rows_of(problem.documents, dtype), *rows_of(postings, dtype), *rest]


def large(n_documents=400, n_terms=900, n_classes=20, seed=0):
    random = np.random.default_rng(seed)
    documents = [
        list(zip(random.choice(n_terms, 90, replace=False).tolist(), [2.0] * 90, strict=True))
        for _ in range(n_documents)
    ]
    postings = [
        {c: random.normal() for c in range(n_classes) if w < 100 or random.random() < 0.3}
        for w in range(n_terms)
    ]
    by_term, by_class = random.normal(size=(2, n_terms)), random.normal(size=(2, n_classes))
    order = random.permutation(n_classes).tolist()
    return Problem(documents, postings, *by_term, *by_class, order)


@LAW
@given(problems())
def test_scores_and_lengths_are_the_obvious_ones(problem):
    scores, lengths = score_sparse(*arrays_of(problem), 1)
    rows, expected = oracle.scores(*problem[:6])
    assert scores.shape == (len(problem.documents), len(problem.intercept))
    np.testing.assert_allclose(scores.tolist(), rows, rtol=1e-12, atol=1e-12)
    np.testing.assert_allclose(lengths, expected, rtol=1e-12, atol=1e-12)


@LAW
@given(problems())
def test_single_precision_is_close(problem):
    scores, lengths = score_sparse(*arrays_of(problem, np.float32), 1)
    exact, exact_lengths = score_sparse(*arrays_of(problem), 1)
    assert scores.dtype == lengths.dtype == np.float32
    np.testing.assert_allclose(scores, exact, atol=1e-2)
    np.testing.assert_allclose(lengths, exact_lengths, atol=1e-3)


@LAW
@given(problems(st.one_of(WEIGHTS, st.just(-math.inf))))
def test_what_is_impossible_stays_impossible(problem):
    scores, _ = score_sparse(*arrays_of(problem), 1)
    rows, _ = oracle.scores(*problem[:6])
    assert np.array_equal(np.isneginf(scores).tolist(), np.isneginf(rows).tolist())
    assert not np.isnan(scores).any()


@LAW
@given(problems(st.sampled_from([-math.inf, -1.0, 0.0, 1.0])), st.data())
def test_the_best_are_those_of_sorting_all(problem, data):
    k = data.draw(st.integers(1, len(problem.intercept)))
    arrays, order = arrays_of(problem), np.array(problem.order, dtype=np.int32)
    scores, _ = score_sparse(*arrays, 1)
    classes, best = top_sparse(*arrays, order, k, 1)
    assert classes.shape == best.shape == (len(problem.documents), k)
    for row, found, values in zip(scores.tolist(), classes.tolist(), best.tolist(), strict=True):
        assert found == oracle.best(row, problem.order, k)
        assert values == [row[c] for c in found]


def test_what_is_not_a_number_is_never_best():
    none = np.zeros(1, dtype=np.int64), np.zeros(0, dtype=np.int32), np.zeros(0)
    intercept, order = np.array([math.nan, -math.inf, 3.0]), np.arange(3, dtype=np.int32)
    document = np.zeros(2, dtype=np.int64), *none[1:]
    rest = (np.zeros(0), np.zeros(0), intercept, np.zeros(3), order)
    assert [top_sparse(*document, *none, *rest, k, 1)[0].tolist() for k in (1, 3)] == [
        [[2]],
        [[2, 1, 0]],
    ]


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_threads_change_nothing(dtype):
    problem = large()
    arrays, order = arrays_of(problem, dtype), np.array(problem.order, dtype=np.int32)
    dense = np.random.default_rng(1).normal(size=(300, 20)).astype(dtype)
    results = []
    for n_threads in (1, 2, 3, 16):
        scores, lengths = score_sparse(*arrays, n_threads)
        added = scores.copy()
        add_rows(*arrays[:3], dense, 50, added, n_threads)
        results.append([scores, lengths, *top_sparse(*arrays, order, 5, n_threads), added])
    for other in results[1:]:
        for mine, theirs in zip(results[0], other, strict=True):
            assert mine.tobytes() == theirs.tobytes()


def test_a_large_batch_is_scored_as_its_documents():
    problem = large()
    scores, _ = score_sparse(*arrays_of(problem), 2)
    alone = [
        score_sparse(*arrays_of(problem._replace(documents=[document])), 1)[0][0]
        for document in problem.documents[:50]
    ]
    assert scores[:50].tolist() == np.array(alone).tolist()
    np.testing.assert_allclose(scores, oracle.scores(*problem[:6])[0], rtol=1e-10, atol=1e-10)


@LAW
@given(problems(), st.integers(-1, 4), st.data())
def test_dense_rows_add_to_the_scores(problem, first, data):
    n_rows, n_classes = data.draw(st.integers(0, 4)), len(problem.intercept)
    weights = st.lists(WEIGHTS, min_size=n_classes, max_size=n_classes)
    rows = data.draw(st.lists(weights, min_size=n_rows, max_size=n_rows))
    scores = np.ones((len(problem.documents), n_classes))
    dense = np.array(rows, dtype=np.float64).reshape(n_rows, n_classes)
    add_rows(*rows_of(problem.documents), dense, first, scores, 2)
    for document, row in zip(problem.documents, scores.tolist(), strict=True):
        hits = [(x, rows[t - first]) for t, x in document if 0 <= t - first < n_rows]
        expected = [1 + math.fsum(x * weights[c] for x, weights in hits) for c in range(n_classes)]
        np.testing.assert_allclose(row, expected, rtol=1e-12, atol=1e-12)


def test_an_impossible_row_makes_a_score_impossible():
    scores = np.zeros((1, 2))
    add_rows(*rows_of([[(3, 2.0), (4, 1.0)]]), np.array([[-math.inf, 1.0]]), 3, scores, 1)
    assert scores.tolist() == [[-math.inf, 2.0]]


GOOD = Problem([[(0, 1.0)], [(1, 2.0)]], [{0: 1.0}, {0: 2.0, 1: 3.0}], *[[0.0, 0.0]] * 4, [0, 1])


@pytest.mark.parametrize(
    ("at", "value"),
    [
        (0, [0, 1]),
        (0, [0, 2, 1, 2]),
        (0, [1, 2, 2]),
        (0, []),
        (2, [1.0]),
        (3, [0, 1]),
        (3, [0, 2, 1]),
        (3, [-1, 1, 3]),
        (3, [0, 1, 4]),
        (4, [0, 1, 0]),
        (4, [0, 0, 0]),
        (4, [0, 0, 2]),
        (4, [-1, 0, 1]),
        (5, [1.0, 2.0]),
        (6, [0.0]),
        (7, [0.0, 0.0, 0.0]),
        (8, [0.0]),
        (9, [0.0, 0.0, 0.0]),
    ],
)
def test_arrays_that_do_not_fit_are_refused(at, value):
    arrays, order = arrays_of(GOOD), np.arange(2, dtype=np.int32)
    score_sparse(*arrays, 1)
    arrays[at] = np.array(value, dtype=arrays[at].dtype)
    with pytest.raises(ValueError):
        score_sparse(*arrays, 1)
    with pytest.raises(ValueError):
        top_sparse(*arrays, order, 1, 1)


def test_a_table_is_checked_as_a_whole_when_all_of_it_is_used():
    arrays = arrays_of(GOOD._replace(documents=[[(0, 1.0)]] * 9))
    arrays[4] = np.array([0, 1, 0], dtype=np.int32)
    with pytest.raises(ValueError, match="do not ascend"):
        score_sparse(*arrays, 1)


@pytest.mark.parametrize(
    ("order", "k", "n_threads"), [([0, 1], 0, 1), ([0, 1], 3, 1), ([0], 1, 1), ([0, 1], 1, 0)]
)
def test_a_choice_that_cannot_be_made_is_refused(order, k, n_threads):
    with pytest.raises(ValueError):
        top_sparse(*arrays_of(GOOD), np.array(order, dtype=np.int32), k, n_threads)


def test_dense_scores_of_another_shape_or_kind_are_refused():
    rows, documents = np.zeros((1, 2)), rows_of(GOOD.documents)
    for shape in [(1, 2), (2, 3)]:
        with pytest.raises(ValueError, match="one row per document"):
            add_rows(*documents, rows, 0, np.zeros(shape), 1)
    with pytest.raises(TypeError):
        add_rows(*documents, rows, 0, np.zeros((2, 2), dtype=np.float32), 1)
    frozen = np.zeros((2, 2))
    frozen.flags.writeable = False
    with pytest.raises(TypeError):
        add_rows(*documents, rows, 0, frozen, 1)


def test_no_documents_and_no_classes_are_scored_too():
    arrays = arrays_of(GOOD._replace(documents=[]))
    assert score_sparse(*arrays, 2)[0].shape == (0, 2)
    bare = GOOD._replace(postings=[{}, {}], intercept=[], slope=[])
    assert score_sparse(*arrays_of(bare), 2)[0].shape == (2, 0)

"""The sweeps of the core beside slow, obvious ones."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from scipy import sparse

from oracle import dual_descent as oracle
from tallytext._core import DualDescent, unit_scores


@st.composite
def problems(draw):
    n, n_terms, n_classes = (
        draw(st.integers(1, 12)),
        draw(st.integers(1, 6)),
        draw(st.integers(1, 9)),
    )
    counts = draw(
        hnp.arrays(np.float64, (n, n_terms), elements=st.sampled_from([0, 0, 0.5, 1, 2, 300]))
    )
    truth = draw(hnp.arrays(np.int8, (n, n_classes), elements=st.integers(0, 1)))
    scale = draw(hnp.arrays(np.float32, n_terms, elements=st.sampled_from([0, 0.5, 1, 3])))
    centre = draw(
        hnp.arrays(np.float64, (n_terms, n_classes), elements=st.sampled_from([-1, 0, 0.5]))
    )
    return counts, truth, scale, centre


def descent_of(counts, truth, scale, cost=1.0, seed=7, n_threads=1):
    documents, labels = sparse.csr_array(counts), sparse.csr_array(truth)
    return DualDescent(
        documents.indptr.astype(np.int64),
        documents.indices.astype(np.int32),
        documents.data.astype(np.float64),
        scale,
        labels.indptr.astype(np.int64),
        labels.indices.astype(np.int32),
        truth.shape[1],
        np.full(len(counts), cost, dtype=np.float32),
        seed,
        n_threads,
    )


def swept(problem, n_threads=1, cost=1.0, seeds=(1, 2, 3)):
    counts, truth, scale, centre = problem
    descent = descent_of(counts, truth, scale, cost=cost, n_threads=n_threads)
    descent.place(0, centre)
    descent.start(0.5, np.linspace(-1, 1, truth.shape[1], dtype=np.float32))
    for seed in seeds:
        descent.sweep(seed)
    return descent


def obvious(problem, cost=1.0, seeds=(1, 2, 3)):
    counts, truth, scale, centre = problem
    rows = [oracle.unit_row(row, scale.tolist()) for row in counts.tolist()]
    biases = np.linspace(-1, 1, truth.shape[1])
    for c, bias in enumerate(biases):
        start = [*(0.5 * centre[:, c]), bias]
        yield oracle.descend(rows, 2.0 * truth[:, c] - 1, start, cost, 7, seeds)


@given(problems(), st.sampled_from([0.1, 1.0, 10.0]))
def test_sweeps_are_the_obvious_ones(problem, cost):
    descent = swept(problem, cost=cost)
    weights, bias, duals = descent.weights(), descent.bias()[0], descent.duals()
    for c, (expected, expected_duals) in enumerate(obvious(problem, cost)):
        np.testing.assert_allclose(weights[:, c], expected[:-1], rtol=1e-3, atol=1e-4)
        np.testing.assert_allclose(bias[c], expected[-1] * oracle.BIAS, rtol=1e-3, atol=1e-4)
        np.testing.assert_allclose(duals[:, c], expected_duals, rtol=1e-3, atol=1e-3)


@given(problems(), st.integers(2, 5))
def test_the_number_of_threads_does_not_change_the_solution(problem, n_threads):
    one, many = swept(problem), swept(problem, n_threads)
    for part in ("weights", "bias", "duals"):
        assert np.array_equal(getattr(one, part)(), getattr(many, part)())
    assert one.agreement() == many.agreement()


def test_runs_of_documents_are_the_obvious_ones():
    random = np.random.default_rng(0)
    counts = random.poisson(0.3, (1500, 20)).astype(np.float64)
    truth = np.eye(3, dtype=np.int8)[random.integers(3, size=1500)]
    problem = counts, truth, np.ones(20, np.float32), np.zeros((20, 3))
    weights = swept(problem, n_threads=2, seeds=(5,)).weights()
    for c, (expected, _) in enumerate(obvious(problem, seeds=(5,))):
        np.testing.assert_allclose(weights[:, c], expected[:-1], rtol=1e-3, atol=1e-3)


@given(problems())
def test_weights_are_the_start_plus_the_sum_over_duals(problem):
    counts, truth, scale, centre = problem
    before = swept(problem)
    after = descent_of(counts, truth, scale)
    after.place(0, centre)
    after.start(0.5, np.linspace(-1, 1, truth.shape[1], dtype=np.float32))
    after.resume(before.duals())
    np.testing.assert_allclose(after.weights(), before.weights(), rtol=1e-4, atol=1e-4)
    np.testing.assert_allclose(after.bias(), before.bias(), rtol=1e-4, atol=1e-4)
    assert np.array_equal(after.duals(), before.duals())


@given(problems())
def test_agreement_is_that_of_scores_and_signs(problem):
    counts, truth, scale, centre = problem
    descent = descent_of(counts, truth, scale)
    descent.place(0, centre)
    rows = np.array([oracle.unit_row(row, scale.tolist())[:-1] for row in counts.tolist()])
    scores, signs = rows @ centre, 2 * truth - 1
    expected = (scores * signs).sum(), (scores**2).sum()
    np.testing.assert_allclose(descent.agreement(), expected, rtol=1e-4, atol=1e-4)


@given(problems(), st.integers(1, 4))
def test_scores_are_products_of_directions(problem, n_threads):
    counts, truth, scale, centre = problem
    documents, bias = sparse.csr_array(counts), np.arange(truth.shape[1], dtype=np.float32)
    arrays = documents.indptr.astype(np.int64), documents.indices.astype(np.int32), documents.data
    found = unit_scores(*arrays, scale, centre.astype(np.float32), bias, n_threads)
    rows = np.array([oracle.unit_row(row, scale.tolist())[:-1] for row in counts.tolist()])
    np.testing.assert_allclose(found, rows @ centre + bias, rtol=1e-4, atol=1e-4)


def test_terms_without_a_weight_are_ignored():
    starts, terms = np.array([0, 2]), np.array([0, 5], np.int32)
    scale, weights = np.ones(1, np.float32), np.full((1, 1), 2, np.float32)
    bias = np.zeros(1, np.float32)
    assert unit_scores(starts, terms, np.ones(2), scale, weights, bias, 1).tolist() == [[2.0]]


@pytest.mark.parametrize(
    ("change", "error"),
    [
        ({"starts": np.array([0, 9])}, "do not fit the terms"),
        ({"counts": np.ones(3)}, "more or fewer counts"),
        ({"labels": np.array([2], np.int32)}, "out of range"),
        ({"labels": np.array([-1], np.int32)}, "out of range"),
        ({"label_starts": np.array([0, 1, 1])}, "more or fewer labels"),
        ({"costs": np.ones(2, np.float32)}, "labels or costs"),
        ({"costs": np.zeros(1, np.float32)}, "positive"),
        ({"costs": np.full(1, np.nan, np.float32)}, "positive"),
        ({"n_threads": 0}, "thread"),
    ],
)
def test_invalid_arguments_are_refused(change, error):
    arguments = {
        "starts": np.array([0, 1]),
        "terms": np.array([0], np.int32),
        "counts": np.ones(1),
        "scale": np.ones(1, np.float32),
        "label_starts": np.array([0, 1]),
        "labels": np.array([0], np.int32),
        "n_classes": 2,
        "costs": np.ones(1, np.float32),
        "seed": 0,
        "n_threads": 1,
    }
    with pytest.raises((ValueError, IndexError), match=error):
        DualDescent(**(arguments | change))


def test_rows_and_duals_of_another_shape_are_refused():
    descent = descent_of(np.ones((2, 3)), np.eye(2, dtype=np.int8), np.ones(3, np.float32))
    for first, shape in ((0, (4, 2)), (2, (2, 2)), (0, (3, 1)), (4, (0, 2))):
        with pytest.raises(ValueError, match="rows of the weights"):
            descent.place(first, np.zeros(shape))
    for shape in ((3, 2), (1, 3)):
        with pytest.raises(ValueError, match="duals"):
            descent.resume(np.zeros(shape, np.float32))
    with pytest.raises(ValueError, match="bias"):
        descent.start(1.0, np.zeros(3, np.float32))

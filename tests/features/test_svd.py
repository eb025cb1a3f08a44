"""Products of sparse matrices with dense ones."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse

from tallytext._core import sparse_times
from tallytext.features.svd import SparseProducts


def matrix(n_rows, n_columns, seed=0, density=0.3):
    random = np.random.default_rng(seed)
    return sparse.csr_array(
        random.random((n_rows, n_columns)) * (random.random((n_rows, n_columns)) < density)
    )


sizes = st.integers(0, 12)


@given(sizes, sizes, sizes, st.integers(0, 99))
def test_products_are_those_of_scipy(n_rows, n_columns, width, seed):
    A, random = matrix(n_rows, n_columns, seed), np.random.default_rng(seed)
    right, left = random.normal(size=(n_columns, width)), random.normal(size=(n_rows, width))
    products = SparseProducts(A)
    assert products.shape == (n_rows, n_columns)
    assert_allclose(products.times(right), A @ right, atol=1e-12)
    assert_allclose(products.transposed_times(left), A.T @ left, atol=1e-12)
    # The transpose is kept, and is still the transpose.
    assert_allclose(products.transposed_times(2 * left), A.T @ (2 * left), atol=1e-12)


@given(st.integers(2, 9), sizes, st.integers(0, 99))
def test_the_number_of_threads_does_not_change_products(n_threads, width, seed):
    A = matrix(50, 20, seed)
    one, many = SparseProducts(A), SparseProducts(A, n_threads)
    right, left = np.random.default_rng(seed).normal(size=(2, 50, width))
    assert_array_equal(one.times(right[:20]), many.times(right[:20]))
    assert_array_equal(one.transposed_times(left), many.transposed_times(left))


def test_any_kind_of_matrix_will_do():
    dense = np.array([[1, 0, 2], [0, 3, 0]])
    expected = dense @ np.eye(3)
    kinds = (sparse.coo_array, sparse.csc_matrix, sparse.csr_matrix, np.asarray)
    for kind in kinds:
        assert_array_equal(SparseProducts(kind(dense)).times(np.eye(3)), expected)
    twice = sparse.csr_array(([1.0, 1.0], [0, 0], [0, 2]), shape=(1, 1))
    assert_array_equal(SparseProducts(twice).times(np.ones((1, 1))), [[2.0]])
    # Neither must tables be of a certain type or lie in a certain way.
    assert_array_equal(
        SparseProducts(dense).times(np.eye(3, dtype=int)[:, ::-1]), expected[:, ::-1]
    )


@pytest.mark.parametrize("shape", [(4, 2), (2, 3), (3,), (3, 1, 1), ()])
def test_tables_that_do_not_fit_are_refused(shape):
    with pytest.raises(ValueError, match="3 rows"):
        SparseProducts(matrix(2, 3)).times(np.zeros(shape))
    with pytest.raises(ValueError, match="2 rows"):
        SparseProducts(matrix(2, 3)).transposed_times(np.zeros((3, 1)))


def native(starts=(0, 1, 2), columns=(0, 2), values=(1.0, 2.0), dense=None, n_threads=1):
    dense = np.ones((3, 2)) if dense is None else dense
    parts = np.array(starts, np.int64), np.array(columns, np.int32), np.array(values)
    return sparse_times(*parts, dense, n_threads)


def test_the_native_product_is_that_of_the_rows():
    assert_array_equal(native(), [[1.0, 1.0], [2.0, 2.0]])


@pytest.mark.parametrize(
    "bad",
    [
        {"starts": ()},
        {"starts": (0, 1)},
        {"starts": (1, 2)},
        {"starts": (0, 2, 1, 2)},
        {"starts": (0, -1, 2)},
        {"starts": (0, 1, 3)},
        {"columns": (0, 3)},
        {"columns": (-1, 0)},
        {"values": (1.0,)},
        {"values": (1.0, 2.0, 3.0)},
        {"dense": np.ones((2, 2))},
        {"dense": np.ones((0, 2))},
        {"n_threads": 0},
    ],
)
def test_native_code_refuses_arguments_out_of_range(bad):
    with pytest.raises((ValueError, IndexError)):
        native(**bad)


@pytest.mark.parametrize("dense", [np.ones(3), np.ones((3, 2, 1)), [["one"]] * 3])
def test_native_code_takes_tables_of_numbers_only(dense):
    with pytest.raises(TypeError):
        native(dense=dense)


def test_a_product_larger_than_any_memory_is_refused():
    # A table without rows takes no memory, however wide it is.
    nothing = np.zeros((0, 2**59))
    with pytest.raises(ValueError, match="memory"):
        SparseProducts(sparse.csr_array((32, 0))).times(nothing)

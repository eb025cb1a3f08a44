"""Matrices whose arrays contradict each other are refused, by every method that takes one."""

import copy
import itertools

import matrix_calls
import numpy as np
import pytest
from matrix_calls import FUNCTIONS, LABELS, MALFORMED, malformed
from scipy import sparse

from tallytext import MultinomialNB, Tally
from tallytext._validation import check_sparse
from tallytext.errors import CountError, TallytextError

METHODS = list(matrix_calls.methods())
CLASSES = sorted({cls for cls, _, _ in METHODS})


@pytest.mark.parametrize("cls", CLASSES)
def test_methods_refuse_malformed_matrices(cls):
    subject = matrix_calls.fitted(cls)
    for _, name, parameter in [each for each in METHODS if each[0] == cls]:
        for what in MALFORMED:
            with pytest.raises(TallytextError):
                matrix_calls.method_call(cls, name, parameter, malformed(what), subject)
                pytest.fail(f"{cls}.{name} accepts {parameter}: {what}")


@pytest.mark.parametrize("name", FUNCTIONS)
def test_functions_refuse_malformed_matrices(name):
    for what in MALFORMED:
        with pytest.raises(TallytextError):
            matrix_calls.function_call(name, malformed(what))
            pytest.fail(f"{name} accepts {what}")


@pytest.mark.parametrize(
    ("what", "message"),
    [
        ("starts descend", "row 1 starts at 1000000 and ends at"),
        ("starts not from zero", "row 0 starts at 1, not 0"),
        ("starts are too few", "12 rows, but 1 starts"),
        ("an index too large", "row 0 has a column index out of range, 6 of 6"),
        ("an index below zero", "row 0 has a column index out of range, -1 of 6"),
        ("too few values", r"it has \d+ indices, but \d+ values"),
        ("starts are fractions", "are not arrays of integers"),
        ("indices are objects", "are not arrays of integers"),
        ("values are complex", "counts must be numbers, not complex128"),
    ],
)
def test_the_message_says_what_is_wrong(what, message):
    with pytest.raises(CountError, match=message):
        check_sparse(malformed(what)(matrix_calls.counts()))


@pytest.mark.parametrize("form", ["csc", "bsr", "coo", "lil"])
def test_other_formats_are_checked_too(form):
    X = matrix_calls.counts().asformat(form)
    assert check_sparse(X) is X
    if form == "coo":
        X.col[5] = 6
    elif form == "lil":
        X.rows[3][0] = 6
    else:
        X.indptr[1] = 10**6
    with pytest.raises(CountError, match="not a valid sparse matrix"):
        check_sparse(X)


def test_too_many_columns_are_refused_before_memory_is():
    wide = sparse.csr_array((2, 2**40), dtype=np.int64)
    for refused in (
        lambda: MultinomialNB().fit(wide, ["a", "b"]),
        lambda: Tally().learn(wide, ["a", "b"]),
    ):
        with pytest.raises(CountError, match="1,099,511,627,776 columns are too many"):
            refused()


def test_a_refused_matrix_changes_nothing():
    tally = matrix_calls.fitted("Tally").copy()
    before = copy.deepcopy(tally)
    for what, sign in itertools.product(MALFORMED, ("learn", "forget")):
        with pytest.raises(TallytextError):
            getattr(tally, sign)(malformed(what)(matrix_calls.counts()), ["new"] * 12)
    assert tally == before
    assert tally.classes == before.classes


SCORERS = [
    "BernoulliNB",
    "MultinomialNB",
    "PoissonNB",
    "RefinedNB",
    "PooledNB",
    "CosineKNN",
    "LLSF",
]


@pytest.mark.parametrize("cls", SCORERS)
@pytest.mark.parametrize("dtype", [np.int64, np.float64, np.int32])
def test_duplicates_are_added_and_order_does_not_matter(cls, dtype):
    X = matrix_calls.counts().astype(dtype)
    other = untidy(X)
    model = matrix_calls.fitted(cls)
    np.testing.assert_allclose(model.scores(other), model.scores(X), rtol=1e-6, atol=1e-6)
    again = type(model)(**model.get_params()).fit(other, LABELS)
    np.testing.assert_allclose(again.scores(X), model.scores(X), rtol=1e-4, atol=1e-4)
    assert other.nnz > X.nnz  # and the matrix of the caller is as it was


def untidy(X):
    """Return an equal matrix with columns that descend, zeros, and each entry in two parts."""
    rows = []
    for row in X.toarray():
        columns = [column for column in range(len(row))[::-1] for _ in range(2)]
        halves = [part for n in row[::-1] for part in (n - 1 if n else 0, 1 if n else 0)]
        rows.append((columns, halves))
    data = np.concatenate([halves for _, halves in rows]).astype(X.dtype)
    indices = np.concatenate([columns for columns, _ in rows])
    return sparse.csr_array((data, indices, np.arange(len(rows) + 1) * 12), shape=X.shape)


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf, -1.0])
@pytest.mark.parametrize("cls", [*SCORERS, "FisherFeatures", "SmartWeighting"])
def test_what_is_no_count_is_refused(cls, value):
    model = matrix_calls.fitted(cls)
    X = matrix_calls.counts().astype(np.float64)
    X.data[3] = value
    for refused in (
        lambda: model.fit(X, LABELS),
        lambda: (model.predict if hasattr(model, "predict") else model.transform)(X),
    ):
        with pytest.raises(ValueError, match=r"NaN|infinity|[Nn]egative|not a number"):
            refused()


def test_the_row_of_a_negative_count_is_named():
    X = matrix_calls.counts()
    X.data[X.indptr[4] + 1] = -3
    with pytest.raises(CountError, match="row 4 holds -3"):
        MultinomialNB().fit(X, LABELS)
    with pytest.raises(CountError, match="row 4 holds -3"):
        MultinomialNB().fit(X.toarray(), LABELS)

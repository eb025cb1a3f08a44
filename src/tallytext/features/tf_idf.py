"""SMART weights of terms: term frequency, inverse document frequency (idf) and normalisation.

:func:`smart_weights` computes the weights and :class:`SmartWeighting` is its transformer. The
formulas of tf, idf and norm are in the tables ``TF``, ``IDF`` and ``NORM``, by letter.
:class:`TermWeighting` is the form in which models store the weighting of their training documents.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Self, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import sparse

from tallytext._estimators import (
    BaseEstimator,
    OneToOneFeatureMixin,
    TransformerMixin,
    check_is_fitted,
)
from tallytext._typing import FloatArray
from tallytext._validation import check_matrix, check_sparse
from tallytext.errors import CountError, FileError
from tallytext.io.array_checks import check_int_array

Starts: TypeAlias = NDArray[Any]  # of the rows of a CSR matrix: its indptr


def reduce_rows(
    ufunc: np.ufunc, values: FloatArray, starts: Starts, empty: float = 0.0
) -> FloatArray:
    """Reduce the values of each row by a ufunc, such as ``np.add``.

    Parameters
    ----------
    ufunc : np.ufunc
    values : ndarray of shape (n_values,)
    starts : ndarray of int of shape (n_rows + 1,)
        The position of the first value of each row, and the number of values.
    empty : float, default=0.0
        The result for a row without values.

    Examples
    --------
    >>> reduce_rows(np.add, np.array([1.0, 2.0, 4.0]), np.array([0, 2, 2, 3]))
    array([3., 0., 4.])
    """
    # reduceat returns the first value of the next row for an empty one, so these are left out.
    filled = np.flatnonzero(np.diff(starts))
    found = np.full(len(starts) - 1, empty)
    if len(filled):
        found[filled] = ufunc.reduceat(values, starts[filled])
    return found


def row_sums(values: FloatArray, starts: Starts) -> FloatArray:
    """Return the sum of each row, zero for an empty one.

    Examples
    --------
    >>> row_sums(np.array([1.0, 2.0, 4.0]), np.array([0, 2, 2, 3]))
    array([3., 0., 4.])
    """
    return reduce_rows(np.add, values, starts)


def row_maxima(values: FloatArray, starts: Starts) -> FloatArray:
    """Return the largest of each row of values that are not negative, zero for an empty one.

    Examples
    --------
    >>> row_maxima(np.array([1.0, 2.0, 4.0]), np.array([0, 2, 2, 3]))
    array([2., 0., 4.])
    """
    return reduce_rows(np.maximum, values, starts)


def _repeat_rows(values: FloatArray, starts: Starts) -> FloatArray:
    """Return the value of its row for each entry."""
    return np.repeat(values, np.diff(starts))


def log_tf(tf: FloatArray) -> FloatArray:
    """Return 1 + ln tf; below 1, where the logarithm would be negative, its tangent tf."""
    return np.where(tf < 1.0, tf, 1.0 + np.log(np.maximum(tf, 1.0)))


def _augmented_tf(tf: FloatArray, starts: Starts) -> FloatArray:
    return 0.5 + 0.5 * _max_normalised_tf(tf, starts)


def _max_normalised_tf(tf: FloatArray, starts: Starts) -> FloatArray:
    return tf / _repeat_rows(row_maxima(tf, starts), starts)


def _log_average_tf(tf: FloatArray, starts: Starts) -> FloatArray:
    mean = row_sums(tf, starts) / np.maximum(np.diff(starts), 1)
    return log_tf(tf) / _repeat_rows(log_tf(mean), starts)


TF: dict[str, Callable[[FloatArray, Starts], FloatArray]] = {
    "n": lambda tf, starts: tf,
    "b": lambda tf, starts: np.ones_like(tf),
    "a": _augmented_tf,
    "m": _max_normalised_tf,
    "l": lambda tf, starts: log_tf(tf),
    "L": _log_average_tf,
    "d": lambda tf, starts: log_tf(log_tf(tf)),
    "s": lambda tf, starts: tf * tf,
}
"""Term frequency, the first letter: the weight of a word that is tf > 0 times in a document."""

IDF: dict[str, Callable[[FloatArray, float], FloatArray]] = {
    "n": lambda df, n: np.ones_like(df),
    "t": lambda df, n: np.log(n / df),
    "p": lambda df, n: np.log(np.maximum((n - df) / df, 1.0)),
    "s": lambda df, n: np.log(n / df) ** 2,
    "f": lambda df, n: 1.0 / df,
}
"""Inverse document frequency, the second letter: the weight of a word of df > 0 of n documents."""

NORM: dict[str, Callable[[FloatArray, Starts], FloatArray]] = {
    "n": lambda weights, starts: np.ones(len(starts) - 1),
    "c": lambda weights, starts: np.sqrt(row_sums(weights * weights, starts)),
    "s": row_sums,
    "m": row_maxima,
}
"""Normalisation, the third letter: the divisor of the weights of a document."""

_PLACES = (("first", [*TF]), ("second", [*IDF]), ("third", [*NORM]))


def check_scheme(scheme: Any) -> str:
    """Return a SMART scheme; raise ValueError if it is not three valid letters.

    Examples
    --------
    >>> check_scheme("ltx")
    Traceback (most recent call last):
    ValueError: 'ltx' is not a SMART scheme: its third letter must be one of n, c, s, m.
    """
    if not isinstance(scheme, str) or len(scheme) != 3:
        raise ValueError(f"a SMART scheme has three letters, such as 'ltc', not {scheme!r:.40}.")
    for letter, (place, letters) in zip(scheme, _PLACES, strict=True):
        if letter not in letters:
            raise ValueError(
                f"{scheme!r} is not a SMART scheme: its {place} letter must be one of "
                f"{', '.join(letters)}."
            )
    return scheme


def document_frequencies(X: Any) -> NDArray[np.int64]:
    """Return the document frequency of each column: the number of rows in which it is not zero.

    Parameters
    ----------
    X : sparse matrix or array of shape (n_documents, n_terms)
        Counts.

    Examples
    --------
    >>> from scipy import sparse
    >>> document_frequencies(sparse.csr_array([[2, 1, 0], [1, 0, 0]]))
    array([2, 1, 0])
    """
    rows = canonical_csr(X)
    return np.bincount(rows.indices, minlength=rows.shape[1])


def smart_weights(X: Any, scheme: str, frequencies: ArrayLike, n_documents: float) -> Any:
    r"""Return the SMART weights of the words of documents.

    .. math:: w_{dw} = \frac{tf(x_{dw}) \cdot idf(w)}{norm(d)}

    The letters of the scheme name, in this order, tf, idf and norm, as in
    :class:`SmartWeighting`.

    Parameters
    ----------
    X : sparse matrix or sparse array of shape (n_rows, n_terms)
        Counts, none of them negative.
    scheme : str
        Three letters.
    frequencies : array-like of shape (n_terms,)
        Document frequency of each term among the documents that idf is computed from. Terms of X
        beyond these, and terms with a frequency of 0, have the weight 0.
    n_documents : float
        The number of these documents.

    Returns
    -------
    csr_array, or csr_matrix if X is a matrix
        Columns ascend in each row, and no stored weight is zero.

    Examples
    --------
    >>> from scipy import sparse
    >>> X = sparse.csr_array([[2, 1, 0, 0], [1, 0, 1, 0], [0, 1, 2, 1]])
    >>> smart_weights(X, "ltc", document_frequencies(X), 3).toarray().round(3)
    array([[0.861, 0.509, 0.   , 0.   ],
           [0.707, 0.   , 0.707, 0.   ],
           [0.   , 0.299, 0.506, 0.809]])
    """
    tf, idf, norm = list(check_scheme(scheme))
    rows = canonical_csr(X)
    counts = rows.data.astype(np.float64)
    df = _pad_frequencies(np.asarray(frequencies, dtype=np.float64), rows.shape[1])
    weights = TF[tf](counts, rows.indptr) * _idf(idf, df, float(n_documents))[rows.indices]
    weights = weights / np.repeat(_norms(norm, weights, rows.indptr), np.diff(rows.indptr))
    # eliminate_zeros works in place, so the matrix must not share its arrays with X.
    parts = weights, rows.indices, rows.indptr
    made = type(rows)(parts, shape=rows.shape, copy=not weights.all())
    if not weights.all():
        made.eliminate_zeros()
    return made


class SmartWeighting(OneToOneFeatureMixin, TransformerMixin, BaseEstimator):  # type: ignore[misc]
    r"""Weight the words of documents by a scheme of the SMART system: three letters.

    =====  ======  =====================================================
    place  letter  value
    =====  ======  =====================================================
    tf     ``n``   :math:`tf`, occurrences of the word
    tf     ``b``   1
    tf     ``a``   :math:`½ + ½\, tf / \max_w tf`
    tf     ``m``   :math:`tf / \max_w tf`
    tf     ``l``   :math:`1 + \ln tf`
    tf     ``L``   :math:`(1 + \ln tf) / (1 + \ln \overline{tf})`
    tf     ``d``   :math:`1 + \ln(1 + \ln tf)`
    tf     ``s``   :math:`tf^2`
    idf    ``n``   1
    idf    ``t``   :math:`\ln(N / df)`
    idf    ``p``   :math:`\max(0, \ln((N - df) / df))`
    idf    ``s``   :math:`\ln^2(N / df)`
    idf    ``f``   :math:`1 / df`
    norm   ``n``   1
    norm   ``c``   :math:`\sqrt{\sum_w w^2}`: inner products are cosines
    norm   ``s``   :math:`\sum_w w`
    norm   ``m``   :math:`\max_w w`
    =====  ======  =====================================================

    Maxima, means (:math:`\overline{tf}`) and sums are over the words of a document; N is the
    number of training documents and df the number of them with the word. Words of no training
    document have the weight 0, whatever the letters. The logarithm of fractional counts below 1
    may be negative: ``l``, ``L`` and ``d`` use tf itself there, the tangent of 1 + ln tf at 1.

    Parameters
    ----------
    scheme : str, default="ltc"
        Three letters: tf, idf, norm.

    Attributes
    ----------
    n_documents_ : int
        N.
    document_frequencies_ : ndarray of shape (n_terms,)
        df.
    n_features_in_ : int
    feature_names_in_ : ndarray
        If the columns of X have names.

    Examples
    --------
    >>> X = [[2, 1, 0, 0], [1, 0, 1, 0], [0, 1, 2, 1]]
    >>> weighting = SmartWeighting("ltc").fit(X)
    >>> weighting.transform([[1, 1, 0, 1]]).toarray().round(6)
    array([[0.327185, 0.327185, 0.      , 0.88651 ]])
    """

    n_documents_: int
    document_frequencies_: NDArray[np.int64]
    n_features_in_: int

    def __init__(self, scheme: str = "ltc") -> None:
        self.scheme = scheme

    def fit(self, X: Any, y: Any = None) -> Self:
        """Count the documents, and the document frequency of each word.

        Parameters
        ----------
        X : sparse matrix, sparse array or array-like of shape (n_documents, n_terms)
            Counts.
        y : ignored
        """
        check_scheme(self.scheme)
        X = check_matrix(self, X, reset=True, open_width=False)
        self.n_documents_ = X.shape[0]
        self.document_frequencies_ = document_frequencies(X)
        return self

    def transform(self, X: Any) -> Any:
        """Return the weights of the words of documents as a sparse matrix.

        Parameters
        ----------
        X : sparse matrix, sparse array or array-like of shape (n_documents, n_terms)
            Counts.
        """
        check_is_fitted(self)
        X = check_matrix(self, X, reset=False, open_width=False)
        return smart_weights(X, self.scheme, self.document_frequencies_, self.n_documents_)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = tags.input_tags.positive_only = True
        return tags


def canonical_csr(X: Any) -> Any:
    """Return a sparse matrix as CSR with sorted rows, without duplicates or stored zeros.

    Examples
    --------
    >>> from scipy import sparse
    >>> twice = sparse.csr_array(([1, 2, 0], [1, 1, 0], [0, 3]), shape=(1, 2))
    >>> canonical_csr(twice).indices, canonical_csr(twice).data
    (array([1]), array([3]))
    """
    rows = check_sparse(X).tocsr()
    if rows.has_canonical_format and rows.data.all():
        return rows
    rows = rows.copy()
    rows.sum_duplicates()
    rows.eliminate_zeros()
    return rows


def _pad_frequencies(df: FloatArray, width: int) -> FloatArray:
    """Return frequencies of at least this many columns, padded with zeros."""
    if df.ndim != 1:
        raise CountError(
            f"frequencies must be one-dimensional, one frequency per term, not of shape {df.shape}."
        )
    return np.append(df, np.zeros(max(0, width - len(df))))


def _idf(letter: str, df: FloatArray, n_documents: float) -> FloatArray:
    known = df > 0
    found = np.zeros_like(df)
    # Frequencies of 0 are left out, since every formula divides by df or takes its logarithm.
    found[known] = IDF[letter](df[known], max(n_documents, 1.0))
    return found


def _norms(letter: str, weights: FloatArray, starts: NDArray[Any]) -> FloatArray:
    norms = NORM[letter](weights, starts)
    # A document whose words all have the weight 0 stays 0, and not NaN.
    return np.where(norms > 0, norms, 1.0)


@dataclass(frozen=True)
class TermWeighting:
    """A SMART scheme with the document frequencies of the training documents.

    Attributes
    ----------
    scheme : str or None
        Three letters; None for unweighted counts.
    frequencies : ndarray of shape (n_terms,)
    n_documents : int

    Examples
    --------
    >>> X = sparse.csr_array([[2, 1, 0, 0], [1, 0, 1, 0], [0, 1, 2, 1]])
    >>> weighting = TermWeighting.from_documents(X, "ltc")
    >>> weighting(X[[0]]).toarray().round(3)
    array([[0.861, 0.509, 0.   , 0.   ]])
    """

    scheme: str | None
    frequencies: NDArray[np.int64]
    n_documents: int

    @classmethod
    def from_documents(cls, X: Any, scheme: str | None) -> Self:
        """Compute the document frequencies of training documents."""
        if scheme is not None:
            check_scheme(scheme)
        return cls(scheme, document_frequencies(X), X.shape[0])

    def __call__(self, X: Any) -> sparse.csr_array[Any]:
        """Return the weights of the words of documents."""
        if self.scheme is None:
            return sparse.csr_array(X, dtype=np.float64)
        return sparse.csr_array(smart_weights(X, self.scheme, self.frequencies, self.n_documents))

    def to_arrays(self) -> dict[str, NDArray[Any]]:
        """Return the arrays that a model file stores.

        Examples
        --------
        >>> TermWeighting("ltc", np.array([2, 1]), 3).to_arrays()
        {'document_frequencies': array([2, 1]), 'n_documents': array([3])}
        """
        return {
            "document_frequencies": self.frequencies,
            "n_documents": np.array([self.n_documents], dtype=np.int64),
        }

    @classmethod
    def from_arrays(
        cls, arrays: Mapping[str, NDArray[Any]], scheme: Any, n_terms: int | None
    ) -> tuple[Self, dict[str, NDArray[Any]]]:
        """Read the arrays of :meth:`to_arrays`; return the weighting and all other arrays.

        Parameters
        ----------
        arrays : mapping of str to ndarray
            The arrays of a model with a weighting.
        scheme : str or None
        n_terms : int or None
            The number of terms; None for that of the file.

        Raises
        ------
        FileError
            If the scheme or the numbers are not valid.
        """
        try:
            given = None if scheme is None else check_scheme(scheme)
        except ValueError as problem:
            raise FileError(str(problem)) from None
        total = int(check_int_array(arrays, "n_documents", (1,), 1, 2**53)[0])
        frequencies = check_int_array(arrays, "document_frequencies", (n_terms,), 0, total + 1)
        if not len(frequencies):
            raise FileError("document_frequencies has no terms.")
        weighting = cls(given, frequencies, total)
        own = weighting.to_arrays()
        return weighting, {name: part for name, part in arrays.items() if name not in own}

"""SMART weights: a function of counts, and a transformer over it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Self, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import sparse
from sklearn.base import BaseEstimator, OneToOneFeatureMixin, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from tallytext._validation import checked_matrix
from tallytext.errors import CountError, FileError
from tallytext.io.array_checks import whole_part

# ------------------------------------------------------------------------------------------------
# What each letter of a SMART scheme stands for. Pure: arrays in, arrays out.

Floats: TypeAlias = NDArray[np.float64]
Starts: TypeAlias = NDArray[Any]


def sums(values: Floats, starts: Starts) -> Floats:
    """Return the sum of each row, zero for an empty one.

    Examples
    --------
    >>> sums(np.array([1.0, 2.0, 4.0]), np.array([0, 2, 2, 3]))
    array([3., 0., 4.])
    """
    return _reduced(np.add, values, starts)


def largest(values: Floats, starts: Starts) -> Floats:
    """Return the largest of each row of values that are not negative, zero for an empty one.

    Examples
    --------
    >>> largest(np.array([1.0, 2.0, 4.0]), np.array([0, 2, 2, 3]))
    array([2., 0., 4.])
    """
    return _reduced(np.maximum, values, starts)


def _reduced(how: np.ufunc, values: Floats, starts: Starts) -> Floats:
    # reduceat would give an empty row the first value of the next one.
    filled = np.flatnonzero(np.diff(starts))
    found = np.zeros(len(starts) - 1)
    if len(filled):
        found[filled] = how.reduceat(values, starts[filled])
    return found


def _by_row(values: Floats, starts: Starts) -> Floats:
    return np.repeat(values, np.diff(starts))


def _log(tf: Floats) -> Floats:
    # Below one the tangent in the place of the logarithm, which would become negative.
    return np.where(tf < 1.0, tf, 1.0 + np.log(np.maximum(tf, 1.0)))


def _augmented(tf: Floats, starts: Starts) -> Floats:
    return 0.5 + 0.5 * _of_largest(tf, starts)


def _of_largest(tf: Floats, starts: Starts) -> Floats:
    return tf / _by_row(largest(tf, starts), starts)


def _log_average(tf: Floats, starts: Starts) -> Floats:
    mean = sums(tf, starts) / np.maximum(np.diff(starts), 1)
    return _log(tf) / _by_row(_log(mean), starts)


TF: dict[str, Callable[[Floats, Starts], Floats]] = {
    "n": lambda tf, starts: tf,
    "b": lambda tf, starts: np.ones_like(tf),
    "a": _augmented,
    "m": _of_largest,
    "l": lambda tf, starts: _log(tf),
    "L": _log_average,
    "d": lambda tf, starts: _log(_log(tf)),
    "s": lambda tf, starts: tf * tf,
}
"""The first letter: what a word weighs for occurring tf > 0 times in a document."""

IDF: dict[str, Callable[[Floats, float], Floats]] = {
    "n": lambda df, n: np.ones_like(df),
    "t": lambda df, n: np.log(n / df),
    "p": lambda df, n: np.log(np.maximum((n - df) / df, 1.0)),
    "s": lambda df, n: np.log(n / df) ** 2,
    "f": lambda df, n: 1.0 / df,
}
"""The second letter: what a word weighs for occurring in df > 0 of n documents."""

NORM: dict[str, Callable[[Floats, Starts], Floats]] = {
    "n": lambda weights, starts: np.ones(len(starts) - 1),
    "c": lambda weights, starts: np.sqrt(sums(weights * weights, starts)),
    "s": sums,
    "m": largest,
}
"""The third letter: what the weights of a document are divided by."""

_PLACES = (("first", [*TF]), ("second", [*IDF]), ("third", [*NORM]))


def check_scheme(scheme: Any) -> str:
    """Refuse what is not three letters of SMART.

    Examples
    --------
    >>> check_scheme("ltx")
    Traceback (most recent call last):
    ValueError: 'ltx' is no SMART scheme: its third letter must be one of n, c, s, m.
    """
    if not isinstance(scheme, str) or len(scheme) != 3:
        raise ValueError(f"a SMART scheme has three letters, as 'ltc' has, not {scheme!r:.40}.")
    for letter, (place, letters) in zip(scheme, _PLACES, strict=True):
        if letter not in letters:
            raise ValueError(
                f"{scheme!r} is no SMART scheme: its {place} letter must be one of "
                f"{', '.join(letters)}."
            )
    return scheme


def document_frequencies(X: Any) -> NDArray[np.int64]:
    """Return in how many rows of a sparse matrix each column is not zero.

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
    rows = canonical(X)
    return np.bincount(rows.indices, minlength=rows.shape[1])


def smart_weights(X: Any, scheme: str, frequencies: ArrayLike, n_documents: float) -> Any:
    r"""Return the weights of the words of documents, by a SMART scheme.

    .. math:: w_{dw} = \frac{tf(x_{dw}) \cdot idf(w)}{norm(d)}

    The letters of the scheme say, in this order, what tf, idf and norm are; those of
    :class:`SmartWeighting`.

    Parameters
    ----------
    X : sparse matrix or sparse array of shape (n_rows, n_terms)
        Counts, none of them negative.
    scheme : str
        Three letters.
    frequencies : array-like of shape (n_terms,)
        In how many documents each term occurs, of those that idf is taken from. Terms of X
        beyond, and terms that occur in none, weigh nothing.
    n_documents : float
        How many documents these are.

    Returns
    -------
    csr_array, or csr_matrix if X is a matrix
        Rows ascend by column, and no weight that is stored is zero.

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
    rows = canonical(X)
    counts = rows.data.astype(np.float64)
    df = _beyond(np.asarray(frequencies, dtype=np.float64), rows.shape[1])
    weights = TF[tf](counts, rows.indptr) * _idf(idf, df, float(n_documents))[rows.indices]
    weights = weights / np.repeat(_norms(norm, weights, rows.indptr), np.diff(rows.indptr))
    # Zeros are taken out in place, which must not be that of X.
    parts = weights, rows.indices, rows.indptr
    made = type(rows)(parts, shape=rows.shape, copy=not weights.all())
    if not weights.all():
        made.eliminate_zeros()
    return made


class SmartWeighting(OneToOneFeatureMixin, TransformerMixin, BaseEstimator):  # type: ignore[misc]
    r"""Weigh the words of documents by a scheme of the SMART system: three letters.

    =====  ======  =====================================================
    place  letter  what it stands for
    =====  ======  =====================================================
    tf     ``n``   :math:`tf`, how often the word occurs
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
    number of training documents and df how many of them have the word. Words that none of them
    has weigh nothing, whatever the letters; a document of such words alone stays zero. Fractional
    counts below 1 have no logarithm that could be a weight: ``l``, ``L`` and ``d`` take tf itself
    there, the tangent of 1 + ln tf at 1.

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
        Where the names of columns were given.

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
        """Count the documents, and in how many of them each word is.

        Parameters
        ----------
        X : sparse matrix, sparse array or array-like of shape (n_documents, n_terms)
            Counts.
        y : ignored
        """
        check_scheme(self.scheme)
        X = checked_matrix(self, X, reset=True, open_width=False)
        self.n_documents_ = X.shape[0]
        self.document_frequencies_ = document_frequencies(X)
        return self

    def transform(self, X: Any) -> Any:
        """Return the weights of the words of documents, sparse.

        Parameters
        ----------
        X : sparse matrix, sparse array or array-like of shape (n_documents, n_terms)
            Counts.
        """
        check_is_fitted(self)
        X = checked_matrix(self, X, reset=False, open_width=False)
        return smart_weights(X, self.scheme, self.document_frequencies_, self.n_documents_)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = tags.input_tags.positive_only = True
        return tags


def canonical(X: Any) -> Any:
    """Return a sparse matrix as CSR whose rows ascend, each column once and none zero.

    Examples
    --------
    >>> from scipy import sparse
    >>> twice = sparse.csr_array(([1, 2, 0], [1, 1, 0], [0, 3]), shape=(1, 2))
    >>> canonical(twice).indices, canonical(twice).data
    (array([1]), array([3]))
    """
    rows = X.tocsr()
    if rows.has_canonical_format and rows.data.all():
        return rows
    rows = rows.copy()
    rows.sum_duplicates()
    rows.eliminate_zeros()
    return rows


def _beyond(df: Floats, width: int) -> Floats:
    """Return frequencies of so many columns; those that nobody has counted occur nowhere."""
    if df.ndim != 1:
        raise CountError(f"one frequency per term is needed, not an array of shape {df.shape}.")
    return np.append(df, np.zeros(max(0, width - len(df))))


def _idf(letter: str, df: Floats, n_documents: float) -> Floats:
    known = df > 0
    found = np.zeros_like(df)
    found[known] = IDF[letter](df[known], max(n_documents, 1.0))
    return found


def _norms(letter: str, weights: Floats, starts: NDArray[Any]) -> Floats:
    norms = NORM[letter](weights, starts)
    return np.where(norms > 0, norms, 1.0)


# ------------------------------------------------------------------------------------------------
# How a model weighs words: a scheme, and what it needs to know of the training documents.


@dataclass(frozen=True)
class Weigher:
    """A SMART scheme with the document frequencies of the training documents.

    Attributes
    ----------
    scheme : str or None
        Three letters; None for counts as they are.
    frequencies : ndarray of shape (n_terms,)
    n_documents : int

    Examples
    --------
    >>> X = sparse.csr_array([[2, 1, 0, 0], [1, 0, 1, 0], [0, 1, 2, 1]])
    >>> weigher = Weigher.of(X, "ltc")
    >>> weigher(X[[0]]).toarray().round(3)
    array([[0.861, 0.509, 0.   , 0.   ]])
    """

    scheme: str | None
    frequencies: NDArray[np.int64]
    n_documents: int

    @classmethod
    def of(cls, X: Any, scheme: str | None) -> Self:
        """Learn from training documents what the scheme needs."""
        if scheme is not None:
            check_scheme(scheme)
        return cls(scheme, document_frequencies(X), X.shape[0])

    def __call__(self, X: Any) -> sparse.csr_array[Any]:
        """Return the weights of the words of documents."""
        if self.scheme is None:
            return sparse.csr_array(X, dtype=np.float64)
        return sparse.csr_array(smart_weights(X, self.scheme, self.frequencies, self.n_documents))

    def to_arrays(self) -> dict[str, NDArray[Any]]:
        """Return what was learned, for a file.

        Examples
        --------
        >>> Weigher("ltc", np.array([2, 1]), 3).to_arrays()
        {'document_frequencies': array([2, 1]), 'n_documents': array([3])}
        """
        return {
            "document_frequencies": self.frequencies,
            "n_documents": np.array([self.n_documents], dtype=np.int64),
        }

    @classmethod
    def read(cls, arrays: Mapping[str, NDArray[Any]], scheme: Any, n_terms: int | None) -> Self:
        """Read what :meth:`to_arrays` returned; None for as many terms as the file has.

        Raises
        ------
        FileError
            If there is no such scheme, or the numbers cannot be.
        """
        try:
            given = None if scheme is None else check_scheme(scheme)
        except ValueError as problem:
            raise FileError(str(problem)) from None
        total = int(whole_part(arrays, "n_documents", (1,), 1, 2**53)[0])
        frequencies = whole_part(arrays, "document_frequencies", (n_terms,), 0, total + 1)
        if not len(frequencies):
            raise FileError("document_frequencies has no terms.")
        return cls(given, frequencies, total)


WEIGHER_PARTS = frozenset({"document_frequencies", "n_documents"})
"""The names of the arrays of a weigher."""

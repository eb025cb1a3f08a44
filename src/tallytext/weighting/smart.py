"""SMART weights: a function of counts, and a transformer over it."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, OneToOneFeatureMixin, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from tallytext.errors import CountError
from tallytext.matrices import checked_matrix
from tallytext.weighting.letters import IDF, NORM, TF, Floats, expect_scheme


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
    tf, idf, norm = list(expect_scheme(scheme))
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
        expect_scheme(self.scheme)
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

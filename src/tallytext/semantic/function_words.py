"""Words that every text has, whatever it is about, found from the texts themselves."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from tallytext.errors import SettingsError


def function_words(
    X: Any, *, min_share: float = 0.05, min_evenness: float = 0.75
) -> NDArray[np.bool_]:
    r"""Tell words that any text may have from words that are about something.

    A function word is in many documents, and comes as often in each as its length and chance
    would have it. A word that is about something keeps to fewer documents, and comes in these again
    and again. So words are judged by how many documents they are in, :math:`d_w`, against how many
    they would be in if their :math:`n_w` occurrences were spread by chance over documents of
    lengths :math:`L_d`:

    .. math::

        \mathrm{evenness}_w = \frac{d_w}{\sum_d 1 - e^{-n_w L_d / N}}, \quad N = \sum_d L_d

    Parameters
    ----------
    X : sparse matrix of shape (n_documents, n_words)
        Counts.
    min_share : float, default=0.05
        The least share of the documents that a function word is in.
    min_evenness : float, default=0.75
        The least evenness of a function word.

    Returns
    -------
    ndarray of bool, of shape (n_words,)
        Which words are function words.

    Examples
    --------
    >>> X = np.array([[2, 1, 0, 0], [1, 0, 5, 0], [2, 0, 0, 1], [2, 1, 4, 0]])
    >>> function_words(X).tolist()
    [True, True, False, True]
    """
    for name, value in (("min_share", min_share), ("min_evenness", min_evenness)):
        if not value >= 0:
            raise SettingsError(f"{name} must be a number from 0 on, not {value!r}.")
    counts = sp.csr_matrix(X)
    documents = np.bincount(counts.indices[counts.data > 0], minlength=counts.shape[1])
    found = (documents > 0) & (documents >= min_share * counts.shape[0])
    frequent = np.flatnonzero(found)
    found[frequent] = documents[frequent] >= min_evenness * _expected(counts, frequent)
    return found


def _expected(counts: sp.csr_matrix, words: NDArray[np.intp]) -> NDArray[np.float64]:
    """Return in how many documents words would be if they were spread by chance."""
    lengths = np.asarray(counts.sum(axis=1), dtype=np.float64).ravel()
    shares = np.asarray(counts.sum(axis=0), dtype=np.float64).ravel()[words] / lengths.sum()
    different, how_many = np.unique(lengths, return_counts=True)
    return np.array([how_many @ -np.expm1(-share * different) for share in shares])

"""Signatures of classes or documents put together to one distribution over words."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse


def signature_shares(
    counts: Any, kinds: NDArray[np.int8], phrase_weight: float
) -> sparse.csr_array[np.float64]:
    r"""Return :math:`p(t \mid c)` for each row c of counts of signatures.

    Words and phrases are each divided by their own sum. Where a row has both, phrases and concepts
    weigh ``phrase_weight`` and words the rest; a row without any signature stays empty.

    Examples
    --------
    >>> kinds = np.array([0, 0, 1], np.int8)
    >>> signature_shares(np.array([[3, 1, 5], [1, 0, 0], [0, 0, 0]]), kinds, 0.5).toarray()
    array([[0.375, 0.125, 0.5  ],
           [1.   , 0.   , 0.   ],
           [0.   , 0.   , 0.   ]])
    """
    held = sparse.csr_array(counts).astype(np.float64, copy=True)
    is_word = kinds == 0
    words, phrases = held @ is_word.astype(np.float64), held @ (~is_word).astype(np.float64)
    weight = np.where(words > 0, np.where(phrases > 0, phrase_weight, 0.0), 1.0)
    of_words, of_phrases = _divided(1 - weight, words), _divided(weight, phrases)
    row = np.repeat(np.arange(held.shape[0]), np.diff(held.indptr))
    held.data *= np.where(is_word[held.indices], of_words[row], of_phrases[row])
    held.eliminate_zeros()
    return held


def _divided(weight: NDArray[np.float64], total: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.divide(weight, total, out=np.zeros_like(total), where=total > 0)


def rows_to_one(rows: Any) -> sparse.csr_array[np.float64]:
    """Return rows divided by their sums; empty ones stay so.

    Examples
    --------
    >>> rows_to_one(sparse.csr_array([[1.0, 3.0], [0.0, 0.0]])).toarray()
    array([[0.25, 0.75],
           [0.  , 0.  ]])
    """
    made = sparse.csr_array(rows, dtype=np.float64, copy=True)
    sums = np.asarray(made.sum(axis=1)).ravel()
    made.data /= np.repeat(sums, np.diff(made.indptr))
    return made

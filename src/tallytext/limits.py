"""Which terms of a vocabulary are kept: limits on document frequency and on their number."""

from __future__ import annotations

from numbers import Integral, Real

import numpy as np
from numpy.typing import NDArray

from tallytext.documents import Rows
from tallytext.errors import VocabularyError
from tallytext.vocabulary import Vocabulary


def are_limits(min_df: int | float, max_df: int | float, max_features: int | None) -> bool:
    """Whether the settings can leave a term out at all.

    Examples
    --------
    >>> are_limits(1, 1.0, None), are_limits(2, 1.0, None), are_limits(1, 1, None)
    (False, True, True)
    """
    all_frequent = min_df == 0 or (isinstance(min_df, Integral) and min_df == 1)
    none_too_frequent = not isinstance(max_df, Integral) and max_df == 1.0
    return not (all_frequent and none_too_frequent and max_features is None)


def kept_terms(
    rows: Rows,
    vocabulary: Vocabulary,
    min_df: int | float,
    max_df: int | float,
    max_features: int | None,
) -> NDArray[np.intp]:
    """Return the ids of the terms to keep, ascending.

    A limit that is a float is a share of the documents. Of more than ``max_features`` terms those
    with most occurrences stay; ties go by code points.

    Raises
    ------
    VocabularyError
        If the limits contradict each other, or no term remains.
    """
    n_documents = len(rows.starts) - 1
    least, most = (
        _documents(min_df, n_documents, "min_df"),
        _documents(max_df, n_documents, "max_df"),
    )
    if most < least:
        raise VocabularyError(
            f"max_df={max_df} is {most:g} documents, fewer than the {least:g} of min_df={min_df}."
        )
    frequency = np.bincount(rows.terms, minlength=len(vocabulary))
    kept = np.flatnonzero((frequency >= least) & (frequency <= most))
    if max_features is not None and len(kept) > max_features:
        kept = _most_frequent(kept, rows, vocabulary, max_features)
    if not len(kept):
        raise VocabularyError("no terms remain: try a lower min_df or a higher max_df.")
    return kept


def _documents(limit: int | float, n_documents: int, name: str) -> float:
    if not isinstance(limit, Real) or isinstance(limit, bool):
        raise VocabularyError(f"{name} must be a number, not {limit!r}.")
    if limit < 0 or (not isinstance(limit, Integral) and limit > 1):
        raise VocabularyError(
            f"{name} must be a number of documents, or a share from 0.0 to 1.0, not {limit!r}."
        )
    return float(limit) if isinstance(limit, Integral) else limit * n_documents


def _most_frequent(
    kept: NDArray[np.intp], rows: Rows, vocabulary: Vocabulary, n: int
) -> NDArray[np.intp]:
    if n < 1:
        raise VocabularyError(f"max_features must be at least 1, not {n}.")
    occurrences = np.bincount(rows.terms, weights=rows.counts, minlength=len(vocabulary))
    rank = np.empty(len(vocabulary), dtype=np.intp)
    rank[vocabulary.sorted()] = np.arange(len(vocabulary))
    order = np.lexsort((rank[kept], -occurrences[kept]))
    return np.sort(kept[order[:n]])

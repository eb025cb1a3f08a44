"""Phrases to be found in streams of words: the longest, from left to right, none that overlaps."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tallytext._core import PhraseTree
from tallytext.documents import Rows
from tallytext.semantic.streams import Cutter, RawStreams
from tallytext.vocabulary import Vocabulary


class Matcher:
    """Finds phrases in documents.

    Parameters
    ----------
    phrases : sequence of sequences of str
        The words of each, at least one; no phrase twice.
    columns : ndarray of int32
        In which column each phrase is counted.

    Examples
    --------
    >>> matcher = Matcher([["new", "york"], ["new", "york", "city"]], np.array([0, 1], np.int32))
    >>> raw = Cutter().cut(Cutter().batches(["New York City is in New York"]), 1)
    >>> matcher.rows(raw, Cutter(), 1).terms
    array([1, 0], dtype=int32)
    """

    def __init__(self, phrases: Sequence[Sequence[str]], columns: NDArray[np.int32]) -> None:
        self._phrases, self._columns = phrases, columns
        self._vocabulary = Vocabulary()
        words = self._vocabulary.add([word for phrase in phrases for word in phrase])
        self._tree = tree_of([len(phrase) for phrase in phrases], words, len(self._vocabulary))

    def rows(self, raw: RawStreams, cutter: Cutter, n_threads: int) -> Rows:
        """Count the phrases of each document."""
        words = cutter.located(raw.vocabulary, self._vocabulary)[raw.ids]
        return Rows(*self._tree.count(raw.starts, words, self._columns, n_threads))

    def __reduce__(self) -> tuple[Any, ...]:
        return Matcher, (self._phrases, self._columns)


def tree_of(lengths: Sequence[int], words: NDArray[np.int32], n_words: int) -> PhraseTree:
    """Return the tree of phrases of these lengths, whose words lie end to end."""
    starts = np.concatenate([np.zeros(1, np.int64), np.cumsum(lengths, dtype=np.int64)])
    return PhraseTree(starts, words, n_words)

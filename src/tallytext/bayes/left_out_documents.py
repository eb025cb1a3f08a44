"""Documents that are left out, and what their signatures stand for."""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from tallytext.bayes.left_out import LeftOut
from tallytext.bayes.translated import ClassTranslations
from tallytext.smoothing.base import Numbers
from tallytext.smoothing.signatures import Translations


class LeftDocuments:
    """Documents that are left out, as translations look at them.

    Attributes
    ----------
    left : LeftOut
    word : ndarray of int
        Which word of the translation each place has, or -1.
    gone : ndarray of bool
        Whether no other document has it.
    """

    def __init__(self, made: ClassTranslations, left: LeftOut, word_of: NDArray[np.intp]) -> None:
        self.left, self._made = left, made
        self.word, self.gone = word_of[left.terms], left.gone

    def places(self, row: int) -> slice:
        """Return the places of a document."""
        starts = self.left.documents.starts
        return slice(int(starts[row]), int(starts[row + 1]))

    @cached_property
    def translated(self) -> Translations:
        """What the signatures of each document stand for."""
        left = self.left
        shape = left.n, left.reading.n_terms
        amounts = left.amount(0), left.terms, left.documents.starts
        found = self._made.signatures.translated(sparse.csr_array(amounts, shape=shape))
        for words in found.words:
            words.sort_indices()
        return found

    @cached_property
    def member(self) -> NDArray[np.bool_]:
        """Which document has which class."""
        found = np.zeros((self.left.n, self.left.reading.n_classes), dtype=bool)
        found[self.left.slot_row, self.left.slot_class] = True
        return found

    def gone_words(self, row: int) -> NDArray[np.intp]:
        """Return which words of the translation a document takes with it."""
        places = self.places(row)
        word = self.word[places][self.gone[places]]
        return word[word >= 0]

    def elsewhere(self, values: Numbers) -> Numbers:
        """Return a number per document for classes that it does not have, zero for those it has."""
        return np.where(self.member, 0.0, values[:, None])

    def gone_sums(self, values: Numbers) -> Numbers:
        """Return the sums over the words that each document takes with it."""
        left = self.left
        sums = np.zeros((left.n, values.shape[1]))
        at = np.flatnonzero(self.gone)
        np.add.at(sums, left.row[at], values[at])
        return sums


def entries(matrix: Any, row: int) -> tuple[NDArray[Any], Numbers]:
    """Return the columns and values of a row of a CSR matrix."""
    start, stop = matrix.indptr[row], matrix.indptr[row + 1]
    return matrix.indices[start:stop], matrix.data[start:stop]


def looked_up(row: tuple[NDArray[Any], Numbers], columns: NDArray[Any]) -> Numbers:
    """Return the values of a row, whose columns ascend, at some columns; zero where it has none."""
    known, values = row
    found = np.append(values, 0.0)[np.searchsorted(known, columns)]
    return np.where(held(known, columns), found, 0.0)


def held(known: NDArray[Any], columns: NDArray[Any]) -> NDArray[np.bool_]:
    """Return which columns are among those known, which ascend."""
    return np.append(known, -2)[np.searchsorted(known, columns)] == columns

"""A reading with a cell for every word that a class shows or that its signatures stand for."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from tallytext.bayes.reading import Reading
from tallytext.bayes.translated import ClassTranslations, counts_by_class, counts_by_term
from tallytext.smoothing.base import Numbers


@dataclass(frozen=True, eq=False)
class TranslatedReading:
    """A reading joined with what the signatures of its classes stand for.

    Attributes
    ----------
    made : ClassTranslations
    reading : Reading
        Its first column knows no signatures that are not words.
    terms : ndarray of int
        Which columns of the model the terms of the reading are.
    shares : ndarray of shape (n_cells,)
        p_t of each cell.
    """

    made: ClassTranslations
    reading: Reading
    terms: NDArray[Any]
    shares: Numbers

    @classmethod
    def of(cls, made: ClassTranslations, part: Reading) -> TranslatedReading:
        """Join the cells of a reading of this moment with those of the translation."""
        n_terms = made.whole.n_terms
        terms = np.arange(n_terms) if part.terms is None else np.minimum(part.terms, n_terms)
        words = sparse.diags_array(made.events[terms] * 1.0)
        counted = sparse.csr_array(words @ counts_by_term(part))
        counted.eliminate_zeros()
        shares = made.shares[terms]
        joined = sparse.csr_array(counted + shares)  # neither is negative: nothing cancels out
        joined.sort_indices()
        cells = np.zeros((len(part.cells), joined.nnz))
        cells[0] = _values_at(counted, joined)
        reading = replace(
            part,
            starts=joined.indptr.astype(np.int64),
            classes=joined.indices.astype(np.int32),
            cells=cells,
        )
        reading = _words_only(made, reading, terms)
        return cls(made, reading, terms, _values_at(shares, joined))

    def rows(self, first: int, last: int) -> Numbers:
        """Return p_t of a range of words, words by classes."""
        return self.reading.dense(self.shares, first, last)

    def rest_rows(self, first: int, last: int) -> Numbers:
        """Return p_t outside each class, of a range of words."""
        return self.made.rests.rows(self.terms[first:last])


def _words_only(made: ClassTranslations, part: Reading, terms: NDArray[Any]) -> Reading:
    """Return a reading whose first column has no signatures that are no words in its sums."""
    only = made.signatures.only
    term_totals, class_totals, totals = (
        np.array(sums, dtype=np.float64)
        for sums in (part.term_totals, part.class_totals, part.totals)
    )
    term_totals[0] *= made.events[terms]
    class_totals[0] -= counts_by_class(made.whole)[:, only].sum(axis=1)
    totals[0] -= made.whole.term_totals[0, only].sum()
    return replace(part, term_totals=term_totals, class_totals=class_totals, totals=totals)


def _values_at(values: Any, joined: Any) -> Numbers:
    """Return the entries of a matrix where another one has some, zero where it has none."""
    width, coo = joined.shape[1], values.tocoo()
    rows = np.repeat(np.arange(joined.shape[0]), np.diff(joined.indptr))
    keys = rows * width + joined.indices
    made = np.zeros(joined.nnz)
    made[np.searchsorted(keys, coo.coords[0].astype(np.int64) * width + coo.coords[1])] = coo.data
    return made

"""What the signatures of classes stand for, in all words, at one version of the tally.

:math:`p_t(w \\mid c)` is linear in the counts of signatures, so that it follows from a reading of
all terms, and what is outside a class is a subtraction.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from tallytext._typing import FloatArray
from tallytext.models.reading import Reading
from tallytext.models.scorer import sums_of_rows
from tallytext.models.smoothing.base import safe_ratio
from tallytext.models.smoothing.semantic import Signatures, Translations, less

LEAST = 1e-5
"""The least share that has a number of its own; less is left to the background."""

_AT_A_TIME = 1 << 24  # numbers of classes by words


@dataclass(frozen=True, eq=False)
class ClassTranslations:
    """What the signatures of each class stand for.

    Attributes
    ----------
    signatures : Signatures
    whole : Reading
        Of all terms.
    live : ndarray of bool of shape (n_words,)
        Which words of the translation occur.
    shares : CSR matrix of shape (n_terms + 1, n_classes)
        p_t(w|c) by column of the model, and nothing for columns beyond them.
    pruned, usable : ndarray of shape (n_classes,)
        What was too little to be kept, and whether there is anything.
    """

    signatures: Signatures
    whole: Reading
    live: NDArray[np.bool_]
    shares: Any
    pruned: FloatArray
    usable: NDArray[np.bool_]

    @classmethod
    def of(cls, signatures: Signatures, whole: Reading) -> ClassTranslations:
        """Translate the signatures of all classes, some of them at a time."""
        live = np.append(whole.term_totals[0], 0.0)[signatures.words] > 0
        counts = counts_by_class(whole)
        step = max(1, _AT_A_TIME // max(1, len(live)))
        blocks = range(0, max(counts.shape[0], 1), step)
        parts = [_pruned(signatures, counts[at : at + step], live) for at in blocks]
        found = sparse.vstack([part[0] for part in parts], format="csr")
        shares = _in_columns(found, signatures.words, whole.n_terms + 1)
        pruned, usable = (np.concatenate([part[k] for part in parts]) for k in (1, 2))
        return cls(signatures, whole, live, shares, pruned, usable)

    @cached_property
    def events(self) -> NDArray[np.bool_]:
        """Which columns are words of documents, and not signatures only."""
        event = np.ones(self.whole.n_terms + 1, dtype=bool)
        event[self.signatures.only] = False
        return event

    @cached_property
    def classes(self) -> Translations:
        """What signatures stand for in each class, nothing pruned."""
        return self.signatures.translated(counts_by_class(self.whole))

    @cached_property
    def all(self) -> Translations:
        """What signatures stand for in all documents together."""
        return self.signatures.translated(sparse.csr_array(self.whole.term_totals[0][None]))

    @cached_property
    def rests(self) -> RestTranslations:
        """What signatures stand for outside each class."""
        return RestTranslations.of(self)


@dataclass(frozen=True, eq=False)
class RestTranslations:
    """What the signatures outside each class stand for; whole rows, so nothing is pruned.

    Attributes
    ----------
    factors : ndarray of shape (n_groups, n_classes)
        What the sums of each group are multiplied by to be p_t.
    totals : ndarray of shape (n_groups, n_terms + 1)
        Sums over all documents, by column of the model.
    classes : list of CSR matrix of shape (n_terms + 1, n_classes)
        Sums over each class, for each group.
    usable : ndarray of bool of shape (n_classes,)
    """

    factors: FloatArray
    totals: FloatArray
    classes: list[Any]
    usable: NDArray[np.bool_]

    @classmethod
    def of(cls, made: ClassTranslations) -> RestTranslations:
        """Subtract each class from all documents."""
        words, live, n_terms = made.signatures.words, made.live, made.whole.n_terms + 1
        factors = made.signatures.factors(less(made.all.sizes[:, :1], made.classes.sizes))
        keep = sparse.diags_array(live * 1.0)
        totals = [part.toarray()[0] * live for part in made.all.words]
        classes = [sparse.csr_array(part @ keep) for part in made.classes.words]
        mass = np.zeros(factors.shape[1])
        for factor, total, inside in zip(factors, totals, classes, strict=True):
            mass += factor * less(total.sum(), np.asarray(inside @ np.ones(len(live))))
        return cls(
            factors=factors * safe_ratio(1.0, mass, 0.0),
            totals=np.array([_by_column(total, words, n_terms) for total in totals]),
            classes=[_in_columns(part, words, n_terms) for part in classes],
            usable=mass > 0,
        )

    def rows(self, terms: NDArray[Any]) -> FloatArray:
        """Return p_t(w|c̄) of some terms, words by classes."""
        made = np.zeros((len(terms), self.factors.shape[1]))
        for factor, total, inside in zip(self.factors, self.totals, self.classes, strict=True):
            made += factor * less(total[terms][:, None], inside[terms].toarray())
        return made


def counts_by_class(reading: Reading) -> Any:
    """Return what is counted as a CSR matrix of classes by terms."""
    return sparse.csr_array(counts_by_term(reading).T)


def counts_by_term(reading: Reading) -> Any:
    """Return what is counted as a CSR matrix of terms by classes."""
    shape = reading.n_terms, reading.n_classes
    return sparse.csr_array((reading.cells[0], reading.classes, reading.starts), shape=shape)


def _pruned(
    signatures: Signatures, counts: Any, live: NDArray[np.bool_]
) -> tuple[Any, FloatArray, NDArray[np.bool_]]:
    """Return p_t of some classes, how much of it was pruned, and whether there is any."""
    mixed = signatures.mixed(counts) @ sparse.diags_array(live * 1.0)
    sums = mixed.sum(axis=1)
    shares = sparse.csr_array(sparse.diags_array(safe_ratio(1.0, sums, 0.0)) @ mixed)
    few = shares.data < LEAST
    pruned = sums_of_rows(shares.data * few, shares.indptr.astype(np.int64))
    shares.data[few] = 0.0
    shares.eliminate_zeros()
    return shares, pruned, sums > 0


def _in_columns(shares: Any, words: NDArray[Any], n_terms: int) -> Any:
    """Return classes by words of the translation as columns of the model by classes."""
    inside = np.flatnonzero(words >= 0)
    coo = shares[:, inside].tocoo()
    rows, columns = coo.coords
    places = words[inside][columns], rows
    return sparse.csr_array((coo.data, places), shape=(n_terms, shares.shape[0]))


def _by_column(values: FloatArray, words: NDArray[Any], n_terms: int) -> FloatArray:
    made = np.zeros(n_terms)
    made[words[words >= 0]] = values[words >= 0]
    return made


# ------------------------------------------------------------------------------------------------
# A reading with a cell for every word that a class shows or that its signatures stand for.


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
    shares: FloatArray

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

    def rows(self, first: int, last: int) -> FloatArray:
        """Return p_t of a range of words, words by classes."""
        return self.reading.dense(self.shares, first, last)

    def rest_rows(self, first: int, last: int) -> FloatArray:
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


def _values_at(values: Any, joined: Any) -> FloatArray:
    """Return the entries of a matrix where another one has some, zero where it has none."""
    width, coo = joined.shape[1], values.tocoo()
    rows = np.repeat(np.arange(joined.shape[0]), np.diff(joined.indptr))
    keys = rows * width + joined.indices
    made = np.zeros(joined.nnz)
    made[np.searchsorted(keys, coo.coords[0].astype(np.int64) * width + coo.coords[1])] = coo.data
    return made

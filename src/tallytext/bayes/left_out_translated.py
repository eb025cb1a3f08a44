"""What the signatures of classes stand for when a document is left out.

The class of the document loses its signatures, and so do all rests of other classes. Words that no
other document has are gone for all classes, which share out what is left anew.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from tallytext.bayes.left_out import LeftOut
from tallytext.bayes.translated import LEAST, ClassTranslations
from tallytext.smoothing.base import Numbers, safe_ratio
from tallytext.smoothing.signatures import Translations, less


class LeftShares(NamedTuple):
    """P_t of each place in each class, and per document and class what the smoothing asks for."""

    shares: Numbers
    usable: NDArray[np.bool_]
    pruned: Numbers


@dataclass(frozen=True, eq=False)
class LeftTranslations:
    """Translations of classes without a document, for each of some documents."""

    made: ClassTranslations

    def classes(self, left: LeftOut) -> LeftShares:
        """Return what is left in each class."""
        document = _Documents(self, left)
        found = self._others(document)
        for slot in range(len(left.slot_row)):
            self._put_own(document, slot, found)
        return found

    def rests(self, left: LeftOut) -> LeftShares:
        """Return what is left outside each class; nothing is pruned there."""
        document = _Documents(self, left)
        shares, mass = np.zeros((len(left.terms), left.reading.n_classes)), 0.0
        factors = self.made.signatures.factors(
            np.array([less(*pair) for pair in self._rest_sizes(document)])
        )
        for group, factor in enumerate(factors):
            at_places = less(*self._rest_places(document, group))
            shares += factor[left.row] * at_places
            inside = less(*self._rest_mass(document, group))
            mass = mass + factor * less(inside, document.gone_sums(at_places))
        shares *= safe_ratio(1.0, mass, 0.0)[left.row]
        return LeftShares(shares, np.asarray(mass) > 0, np.zeros_like(mass))

    # ------------------------------------------------------------------ classes

    def _others(self, document: _Documents) -> LeftShares:
        """Return what is left in classes that never had the document."""
        mixed = self._at_places(self._mixed_by_word, document)
        sums = less(self._sums, document.gone_sums(mixed))
        least = LEAST * sums
        there = mixed >= np.maximum(least, np.finfo(np.float64).tiny)[document.left.row]
        shares = np.where(there, mixed, 0.0) * safe_ratio(1.0, sums, 0.0)[document.left.row]
        below = self._below(least) - document.gone_sums(np.where(there, 0.0, mixed))
        return LeftShares(shares, sums > 0, safe_ratio(np.maximum(below, 0.0), sums, 0.0))

    def _below(self, least: Numbers) -> Numbers:
        """Return the sum of what is below a limit, for each document and class."""
        below = np.empty_like(least)
        for c, (ordered, sums) in enumerate(self._ordered):
            below[:, c] = sums[np.searchsorted(ordered, least[:, c], side="left")]
        return below

    @cached_property
    def mixed(self) -> Any:
        """What the signatures of each class stand for, before it is brought to the words known."""
        made = self.made
        found = made.classes.mixed(made.signatures.factors(made.classes.sizes))
        return sparse.csr_array(found @ sparse.diags_array(made.live * 1.0))

    @cached_property
    def _sums(self) -> Numbers:
        return np.asarray(self.mixed.sum(axis=1))

    @cached_property
    def _ordered(self) -> list[tuple[Numbers, Numbers]]:
        """The numbers of each class in ascending order, and the sum of those before each."""
        starts, values = self.mixed.indptr, self.mixed.data
        rows = [np.sort(values[a:b]) for a, b in pairwise(starts)]
        return [(row, np.append(0.0, np.cumsum(row))) for row in rows]

    def _put_own(self, document: _Documents, slot: int, found: LeftShares) -> None:
        """Put in what is left of a class that had the document."""
        row, label = document.left.slot_row[slot], document.left.slot_class[slot]
        classes, own = self.made.classes, document.translated
        factors = self.made.signatures.factors(less(classes.sizes[:, label], own.sizes[:, row]))
        mixed = np.zeros(len(self.made.live))
        for factor, all_of, its in zip(factors, classes.words, own.words, strict=True):
            mixed += factor * less(all_of[[label]].toarray()[0], its[[row]].toarray()[0])
        places = document.places(row)
        mixed[~self.made.live] = 0.0
        mixed[document.word[places][document.gone[places] & (document.word[places] >= 0)]] = 0.0
        total = mixed.sum()
        shares = mixed / total if total > 0 else mixed
        few = shares < LEAST
        found.usable[row, label], found.pruned[row, label] = total > 0, shares[few].sum()
        here = np.append(np.where(few, 0.0, shares), 0.0)
        found.shares[places, label] = here[document.word[places]]

    # ------------------------------------------------------------------ rests

    def _rest_sizes(self, document: _Documents) -> Any:
        whole, classes, own = self.made.all, self.made.classes, document.translated
        for group in range(len(whole.sizes)):
            outside = less(whole.sizes[group], classes.sizes[group])
            yield outside[None], document.elsewhere(own.sizes[group])

    def _rest_places(self, document: _Documents, group: int) -> tuple[Numbers, Numbers]:
        """Return the sums of each place outside each class, and what the document has of them."""
        known = np.maximum(document.word, 0)
        inside = (document.word >= 0) & self.made.live[known]
        total = self.made.all.words[group].toarray()[0][known] * inside
        classes = self._at_places(self._classes_by_word[group], document)
        own = document.translated.words[group][document.left.row, known] * inside
        its_class = document.member[document.left.row]
        return less(total[:, None], classes), np.where(its_class, 0.0, own[:, None])

    def _rest_mass(self, document: _Documents, group: int) -> tuple[Numbers, Numbers]:
        """Return the sums of all words outside each class, and what the document has of them."""
        live = self.made.live
        whole = self.made.all.words[group] @ live
        outside = less(whole, self.made.classes.words[group] @ live)
        return outside[None], document.elsewhere(document.translated.words[group] @ live)

    def _at_places(self, by_word: Any, document: _Documents) -> Numbers:
        """Return words of the translation by classes as places by classes, live words only."""
        known = np.maximum(document.word, 0)
        inside = (document.word >= 0) & self.made.live[known]
        found: Numbers = by_word[known].toarray() * inside[:, None]
        return found

    @cached_property
    def _mixed_by_word(self) -> Any:
        return self.mixed.T.tocsr()

    @cached_property
    def _classes_by_word(self) -> list[Any]:
        return [words.T.tocsr() for words in self.made.classes.words]

    @cached_property
    def word_of(self) -> NDArray[np.intp]:
        """Which word of the translation each column of the model is, or -1."""
        words = self.made.signatures.words
        found = np.full(self.made.whole.n_terms, -1, dtype=np.intp)
        found[words[words >= 0]] = np.flatnonzero(words >= 0)
        return found


class _Documents:
    """Documents that are left out, as translations look at them."""

    def __init__(self, of: LeftTranslations, left: LeftOut) -> None:
        self.left, self._made = left, of.made
        self.word = of.word_of[left.terms]
        self.gone = left.gone

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
        return self._made.signatures.translated(sparse.csr_array(amounts, shape=shape))

    @cached_property
    def member(self) -> NDArray[np.bool_]:
        """Which document has which class."""
        found = np.zeros((self.left.n, self.left.reading.n_classes), dtype=bool)
        found[self.left.slot_row, self.left.slot_class] = True
        return found

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

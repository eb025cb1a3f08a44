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
from tallytext.bayes.left_out_documents import LeftDocuments, entries, held, looked_up
from tallytext.bayes.translated import LEAST, ClassTranslations
from tallytext.smoothing.base import Numbers, safe_ratio
from tallytext.smoothing.signatures import less

_TINY = np.finfo(np.float64).tiny


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
        document = LeftDocuments(self.made, left, self.word_of)
        found = self._others(document)
        for slot in range(len(left.slot_row)):
            self._put_own(document, slot, found)
        return found

    def rests(self, left: LeftOut) -> LeftShares:
        """Return what is left outside each class; nothing is pruned there."""
        document = LeftDocuments(self.made, left, self.word_of)
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

    def _others(self, document: LeftDocuments) -> LeftShares:
        """Return what is left in classes that never had the document."""
        mixed = self._at_places(self._mixed_by_word, document)
        sums = less(self._sums, document.gone_sums(mixed))
        least = LEAST * sums
        there = mixed >= np.maximum(least, _TINY)[document.left.row]
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
        found = made.classes.mixed(self._factors)
        live = sparse.csr_array(found @ sparse.diags_array(made.live * 1.0))
        live.eliminate_zeros()
        live.sort_indices()
        return live

    @cached_property
    def _sums(self) -> Numbers:
        return np.asarray(self.mixed.sum(axis=1))

    @cached_property
    def _ordered(self) -> list[tuple[Numbers, Numbers]]:
        """The numbers of each class in ascending order, and the sum of those before each."""
        starts, values = self.mixed.indptr, self.mixed.data
        rows = [np.sort(values[a:b]) for a, b in pairwise(starts)]
        return [(row, np.append(0.0, np.cumsum(row))) for row in rows]

    def _put_own(self, document: LeftDocuments, slot: int, found: LeftShares) -> None:
        """Put in what is left of a class that had the document."""
        row, label = document.left.slot_row[slot], document.left.slot_class[slot]
        before, own = self.made.classes.sizes[:, label], document.translated.sizes[:, row]
        factors = self.made.signatures.factors(less(before, own))
        alone = np.flatnonzero(factors)
        one_group = len(alone) == 1 and np.array_equal(
            alone, np.flatnonzero(self._factors[:, label])
        )
        left = self._few_words if one_group else self._all_words
        places = document.places(row)
        shares, usable, pruned = left(document, row, label, factors)
        found.usable[row, label], found.pruned[row, label] = usable, pruned
        found.shares[places, label] = shares

    def _all_words(
        self, document: LeftDocuments, row: int, label: int, factors: Numbers
    ) -> tuple[Numbers, bool, float]:
        """Return what is left of a class that has signatures of both groups: all words change."""
        mixed = np.zeros(len(self.made.live))
        pairs = zip(factors, self.made.classes.words, document.translated.words, strict=True)
        for factor, all_of, its in pairs:
            mixed += factor * less(all_of[[label]].toarray()[0], its[[row]].toarray()[0])
        word = document.word[document.places(row)]
        mixed[~self.made.live] = 0.0
        mixed[document.gone_words(row)] = 0.0
        total = float(mixed.sum())
        shares = mixed / total if total > 0 else mixed
        few = shares < LEAST
        pruned = float(shares[few].sum())
        return np.append(np.where(few, 0.0, shares), 0.0)[word], total > 0, pruned

    def _few_words(
        self, document: LeftDocuments, row: int, label: int, factors: Numbers
    ) -> tuple[Numbers, bool, float]:
        """Return the same for signatures of one group: only what the document's mean changes."""
        group = int(np.flatnonzero(factors)[0])
        here, its = self._row_of(label), entries(document.translated.words[group], row)
        gone = document.gone_words(row)
        changed = np.sort(np.append(its[0], gone[~held(its[0], gone)]), kind="stable")
        before = looked_up(here, changed)
        after = less(before, self._factors[group, label] * looked_up(its, changed))
        after[np.searchsorted(changed, gone)] = 0.0
        all_of = self._sums[label]
        total = float(less(all_of, before.sum() - after.sum()))
        least, (ordered, sums) = LEAST * total, self._ordered[label]
        below = sums[np.searchsorted(ordered, least, side="left")]
        below += after[after < least].sum() - before[before < least].sum()
        word = document.word[document.places(row)]
        moved = looked_up((changed, after), word)
        left = np.where(held(changed, word), moved, looked_up(here, word))
        shares = np.where(left < max(least, _TINY), 0.0, left) * (1 / total if total > 0 else 0.0)
        return shares, total > 0, max(below, 0.0) / total if total > 0 else 0.0

    def _row_of(self, label: int) -> tuple[NDArray[Any], Numbers]:
        return entries(self.mixed, label)

    @cached_property
    def _factors(self) -> Numbers:
        return self.made.signatures.factors(self.made.classes.sizes)

    # ------------------------------------------------------------------ rests

    def _rest_sizes(self, document: LeftDocuments) -> Any:
        whole, classes, own = self.made.all, self.made.classes, document.translated
        for group in range(len(whole.sizes)):
            outside = less(whole.sizes[group], classes.sizes[group])
            yield outside[None], document.elsewhere(own.sizes[group])

    def _rest_places(self, document: LeftDocuments, group: int) -> tuple[Numbers, Numbers]:
        """Return the sums of each place outside each class, and what the document has of them."""
        known = np.maximum(document.word, 0)
        inside = (document.word >= 0) & self.made.live[known]
        total = self.made.all.words[group].toarray()[0][known] * inside
        classes = self._at_places(self._classes_by_word[group], document)
        own = document.translated.words[group][document.left.row, known] * inside
        its_class = document.member[document.left.row]
        return less(total[:, None], classes), np.where(its_class, 0.0, own[:, None])

    def _rest_mass(self, document: LeftDocuments, group: int) -> tuple[Numbers, Numbers]:
        """Return the sums of all words outside each class, and what the document has of them."""
        live = self.made.live
        whole = self.made.all.words[group] @ live
        outside = less(whole, self.made.classes.words[group] @ live)
        return outside[None], document.elsewhere(document.translated.words[group] @ live)

    def _at_places(self, by_word: Any, document: LeftDocuments) -> Numbers:
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

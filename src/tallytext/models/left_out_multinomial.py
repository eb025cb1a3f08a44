r"""Scores without a document, of which all but the cells of its words follow from few numbers.

A class that does not have the document keeps its counts, and :math:`f / \gamma` of its cells with
them. Without the document the word costs :math:`\log \gamma_c + \log g(w)` in a class that has not
shown it, and a cell adds :math:`\log(1 + f / (\gamma_c g))` to that.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from tallytext._core import add_rows, left_out_gains
from tallytext._typing import FloatArray, Measure
from tallytext.errors import ScoreError
from tallytext.models.left_out import Leaving, LeftOut, in_pieces
from tallytext.models.scorer import filled_rows
from tallytext.models.smoothing.base import Classes, Smoothing, Terms, safe_ratio
from tallytext.models.smoothing.semantic import Translations, less
from tallytext.models.translation import LEAST, ClassTranslations
from tallytext.models.word_probabilities import WordCounts, contrast_logs, taken

# ------------------------------------------------------------------------------------------------
# The counts of a multinomial model without a document, as a smoothing asks for them.


@dataclass(frozen=True)
class LeftCounts:
    """Counts of all documents but one, for each of some documents.

    Attributes
    ----------
    counts : WordCounts
        Of all documents.
    left : LeftOut
        The documents that are left out, each on its own.
    """

    counts: WordCounts
    left: LeftOut

    @property
    def smoothing(self) -> Smoothing:
        """The smoothing, its parameters held."""
        return self.counts.smoothing

    @cached_property
    def events(self) -> Any:
        """Whether each place is a word, or only the signature of others; one if all are words."""
        translated = self.counts.translated
        return 1.0 if translated is None else translated.made.events[self.left.terms] * 1.0

    @cached_property
    def words(self) -> FloatArray:
        """:math:`T_w` of each place."""
        return self.left.words(0) * self.counts.scale * self.events

    @cached_property
    def own(self) -> FloatArray:
        """:math:`N_{cw}` of each own entry."""
        own = self.left.own(0) * self.counts.scale
        return own * taken(self.events, self.left.own_place)

    @cached_property
    def removed(self) -> FloatArray:
        """How many words each document has, as they are counted."""
        if self.counts.translated is None:
            return self.left.removed(0)
        return self.left.by_document(self.left.amount(0) * self.events)

    @cached_property
    def own_before(self) -> FloatArray:
        """The same with the document."""
        return self.left.own_before(0) * self.counts.scale

    @cached_property
    def n_terms(self) -> Any:
        """V: a number, or one for each document."""
        return self.counts.n_terms if self.counts.closed else self.n_live

    @cached_property
    def n_live(self) -> FloatArray:
        """How many words occur, for each document."""
        return self.left.reading.n_live_terms - self.left.n_gone

    @cached_property
    def total(self) -> FloatArray:
        """:math:`T` for each document."""
        left = (self.counts.reading.totals[0] - self.removed) * self.counts.scale
        return np.where(self.n_live > 0, left, 0.0)

    @cached_property
    def own_tokens(self) -> FloatArray:
        """:math:`T_c` of each slot."""
        before = self.counts.reading.class_totals[0][self.left.slot_class]
        left = (before - self.removed[self.left.slot_row]) * self.counts.scale
        return np.where(self.left.own_terms > 0, left, 0.0)

    @cached_property
    def spread(self) -> FloatArray:
        """:math:`g(w)` of each place."""
        return self.spread_of(self.words, self.left.row)

    def spread_of(self, words: FloatArray, at: Any) -> FloatArray:
        """Return the background of words that occur so often without the documents ``at``."""
        known = np.full(words.shape, True) if self.counts.closed else words > 0
        terms = Terms(words, self.total[at], taken(self.n_terms, at), known)
        return self.smoothing.spread(terms)

    @cached_property
    def known(self) -> NDArray[np.bool_]:
        """Whether the word of each place still counts."""
        return self.spread > 0

    @cached_property
    def slots(self) -> Classes:
        """What is known of the class of each slot."""
        row = self.left.slot_row
        return Classes(
            tokens=self.own_tokens,
            terms=self.left.own_terms,
            total=self.total[row],
            n_terms=taken(self.n_terms, row),
            whole=self.counts.whole,
            sum=self._slot_sum,
        )

    @cached_property
    def classes(self) -> Classes:
        """What is known of each class, documents by classes, for sums that ask for no T_w."""
        reading = self.left.reading
        return Classes(
            tokens=self.with_slots(self.counts.tokens, self.own_tokens),
            terms=self.with_slots(reading.class_terms, self.left.own_terms),
            total=self.total[:, None],
            n_terms=_column(self.n_terms),
            whole=self.counts.whole,
            sum=self._class_sum,
        )

    @cached_property
    def rests(self) -> Classes:
        """The same of all documents outside each class, for a smoothing that asks for no sums."""
        all_of_class = self.classes.tokens
        return replace(
            self.classes,
            tokens=np.maximum(self.total[:, None] - all_of_class, 0.0),
            terms=np.broadcast_to(self.n_live[:, None], all_of_class.shape),
        )

    def with_slots(self, classes: FloatArray, slots: FloatArray) -> FloatArray:
        """Return a number per class as rows, one for each document, with those of slots put in."""
        rows = np.tile(classes, (self.left.n, 1))
        rows[self.left.slot_row, self.left.slot_class] = slots
        return rows

    def _class_sum(self, measure: Measure, occurrences: bool = False) -> FloatArray:
        own = self._slot_sum(measure, occurrences)
        return self.with_slots(self.counts.classes.sum(measure), own)

    def _slot_sum(self, measure: Measure, occurrences: bool = False) -> FloatArray:
        if occurrences:
            raise ScoreError(
                f"{type(self.smoothing).__name__} sums over words that other classes have too, so "
                "it is not local: let its property local return False."
            )
        full = self.counts.classes.sum(measure)[self.left.slot_class]
        return full - self.left.by_slot(measure(self.own_before) - measure(self.own))


def gathered(classes: Classes, at: Any) -> Classes:
    """Return what is known of the rows ``at``, one entry for each."""

    def total(measure: Measure, occurrences: bool = False) -> FloatArray:
        return classes.sum(measure, occurrences)[at]

    return replace(
        classes,
        tokens=classes.tokens[at],
        terms=classes.terms[at],
        total=taken(classes.total, at),
        n_terms=taken(classes.n_terms, at),
        sum=total,
        usable=taken(classes.usable, at),
        pruned=taken(classes.pruned, at),
    )


def _column(numbers: Any) -> Any:
    return numbers[:, None] if isinstance(numbers, np.ndarray) else numbers


# ------------------------------------------------------------------------------------------------
# All documents outside a class but one, for smoothings whose f is proportional to the count.
#
# In the rest of a class that does not show w, w has a probability of the form A(w) B(c). In that of
# a class that does it is :math:`\bar\rho_c (T_w - N_{cw}) + \bar\gamma_c g(w)`.


class RestArrays(NamedTuple):
    """What the kernel reads: per place, and per document and class, less what B says."""

    spread: FloatArray
    words: FloatArray
    inverse: FloatArray
    seen: FloatArray
    freed: FloatArray


def no_rests() -> RestArrays:
    """Return the arrays of rests that are not asked for."""
    return RestArrays(*[np.empty(0)] * 3, *[np.empty((0, 0))] * 2)


@dataclass(frozen=True)
class LeftRests:
    """Rests of classes without a document, for each of some documents."""

    part: LeftCounts

    @cached_property
    def seen(self) -> FloatArray:
        """What one count is worth in each rest, documents by classes."""
        rests = self.part.rests
        return self.part.smoothing.seen(np.ones(rests.tokens.shape), rests)

    @cached_property
    def freed(self) -> FloatArray:
        """Gamma of each rest."""
        rests = self.part.rests
        return np.broadcast_to(self.part.smoothing.freed(rests), rests.tokens.shape)

    @cached_property
    def absent(self) -> FloatArray:
        """A of each place: its probability in the largest rest of a class that has not shown it."""
        row = np.arange(self.part.left.n), self._first
        seen, freed = self.seen[row][self.part.left.row], self.freed[row][self.part.left.row]
        return seen * self.part.words + freed * self.part.spread

    @cached_property
    def ratio(self) -> FloatArray:
        """B of each class, for each document."""
        total, rows = self.part.total, np.arange(self.part.left.n)
        any_word = self.seen * total[:, None]
        any_word = any_word + self.freed * self.part.spread_of(total, rows)[:, None]
        first = any_word[rows, self._first][:, None]
        return np.divide(any_word, first, out=np.ones_like(any_word), where=any_word > 0)

    @property
    def slope(self) -> FloatArray:
        """Log B."""
        return np.log(self.ratio)

    @property
    def common(self) -> FloatArray:
        """Log A."""
        return np.log(np.where(self.absent > 0, self.absent, 1.0))

    @property
    def own(self) -> FloatArray:
        """Log p(w|rest) of each own entry: the rest never had the document."""
        part, left = self.part, self.part.left
        at = left.slot_row, left.slot_class
        counts = np.maximum(part.words[left.own_place] - part.own, 0.0)
        seen = self.seen[at][left.own_slot] * counts
        rest = seen + self.freed[at][left.own_slot] * part.spread[left.own_place]
        return np.log(np.where(rest > 0, rest, 1.0))

    def arrays(self) -> RestArrays:
        """Return what the kernel reads."""
        inverse = 1.0 / np.where(self.absent > 0, self.absent, np.inf)
        seen, freed = self.seen / self.ratio, self.freed / self.ratio
        return RestArrays(self.part.spread, self.part.words, inverse, seen, freed)

    @cached_property
    def _first(self) -> NDArray[np.intp]:
        return self.part.rests.tokens.argmax(axis=1)


@dataclass(frozen=True)
class SparseScores:
    """Scores documents by models that have forgotten them, in time that the cells take.

    Attributes
    ----------
    counts : WordCounts
        Of all documents. The smoothing is local; for contrasts it is linear.
    emphasis : ndarray of shape (n_terms,)
        Weights of words, held.
    contrasts, only_rest : bool
    otherwise : callable
        Scores documents without which a class sets nothing free.
    """

    counts: WordCounts
    emphasis: FloatArray
    contrasts: bool
    only_rest: bool
    otherwise: Leaving

    wide = False

    def __call__(self, left: LeftOut, intercept: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return the score of each document for each class, and its length."""
        part = LeftCounts(self.counts, left)
        freed = np.broadcast_to(part.smoothing.freed(part.classes), intercept.shape)
        if not (freed > 0).all():
            return self._otherwise(left, intercept)
        exponents = self._exponents(part)
        lengths = left.by_document(exponents)
        rests = LeftRests(part) if self.contrasts else None
        slope = np.zeros_like(freed) if self.only_rest else _logs(freed)
        common = np.zeros(1) if self.only_rest else _logs_of_most(part.spread)
        own = np.zeros_like(part.own) if self.only_rest else _own_logs(part, freed)
        if rests is not None:
            slope, common, own = slope - rests.slope, common - rests.common, own - rests.own
        scores = self._gains(part, exponents, rests)
        scores += slope * lengths[:, None]
        scores += left.by_document(exponents * common)[:, None]
        own = left.by_slot(exponents[left.own_place] * own)
        scores[left.slot_row, left.slot_class] = own
        return scores + intercept, lengths

    def _exponents(self, part: LeftCounts) -> FloatArray:
        """Return how often each place counts: its value, weighed, zero for a word unknown."""
        left, exponents = part.left, part.left.documents.values
        if self.weighed:
            exponents = exponents * self.emphasis[left.terms]
        return exponents if part.known.all() else exponents * part.known

    @cached_property
    def weighed(self) -> bool:
        """Whether words differ in weight."""
        return not bool((self.emphasis == 1).all())

    def _otherwise(self, left: LeftOut, intercept: FloatArray) -> tuple[FloatArray, FloatArray]:
        rows = iter(intercept)

        def judge(piece: LeftOut) -> tuple[FloatArray, FloatArray]:
            return self.otherwise(piece, np.array([next(rows) for _ in range(piece.n)]))

        return in_pieces(judge, left.pieces(self.otherwise.wide), n_threads=1)

    def _gains(
        self, part: LeftCounts, exponents: FloatArray, rests: LeftRests | None
    ) -> FloatArray:
        left, reading = part.left, self.counts.reading
        gains = np.zeros((left.n, reading.n_classes))
        if not len(reading.classes):
            return gains
        rest = no_rests() if rests is None else rests.arrays()
        cells = self.counts.cells if self.contrasts else np.empty(0)
        starts, classes, ratios = self.postings
        inverse = 1.0 / np.where(part.known, part.spread, np.inf)
        left_out_gains(
            starts=left.documents.starts,
            terms=left.terms,
            exponents=_doubles(exponents),
            post_starts=starts,
            post_classes=classes,
            ratios=_doubles(ratios),
            counts=_doubles(cells),
            tops=_doubles(self.tops),
            inverse=_doubles(inverse),
            spread=_doubles(rest.spread),
            words=_doubles(rest.words),
            absent=_doubles(rest.inverse),
            seen=_doubles(rest.seen),
            freed=_doubles(rest.freed),
            gains=gains,
            n_threads=1,
        )
        return gains

    @cached_property
    def ratios(self) -> FloatArray:
        r""":math:`f / \gamma` of each cell."""
        counts, classes = self.counts, self.counts.reading.classes
        if self.only_rest:
            return np.zeros(len(classes))
        freed = counts.smoothing.freed(counts.classes)
        return counts.seen(counts.cells, counts.classes, classes) / freed[classes]

    @cached_property
    def postings(self) -> tuple[NDArray[np.int64], NDArray[np.int32], FloatArray]:
        """The ratios by term; a ratio of zero changes no score, but the counts of a rest would."""
        reading = self.counts.reading
        if self.contrasts:
            return reading.starts, reading.classes, self.ratios
        return filled_rows(reading.starts, reading.classes, self.ratios, reading.n_classes)

    @cached_property
    def tops(self) -> FloatArray:
        """The largest ratio of each word."""
        starts = self.counts.reading.starts
        some = np.flatnonzero(np.diff(starts))
        tops = np.zeros(len(starts) - 1)
        tops[some] = np.maximum.reduceat(self.ratios, starts[some]) if len(some) else 0.0
        return tops

    def suits(self) -> bool:
        """Whether these scores can be had this way."""
        smoothing = self.counts.smoothing
        if not smoothing.local or smoothing.exclusive or (self.contrasts and not smoothing.linear):
            return False
        return bool((smoothing.freed(self.counts.classes) > 0).all())


def _own_logs(part: LeftCounts, freed: FloatArray) -> FloatArray:
    """Return log p(w|c) of each own entry, c having lost the document."""
    left = part.left
    classes = gathered(part.slots, left.own_slot)
    seen = part.smoothing.seen(part.own, classes)
    of_slot = freed[left.slot_row, left.slot_class]
    return _logs(seen + of_slot[left.own_slot] * part.spread[left.own_place])


def _logs(values: FloatArray) -> FloatArray:
    # Without a mask the loop is several times as fast.
    return np.log(np.where(values > 0, values, 1.0))


def _logs_of_most(values: FloatArray) -> FloatArray:
    # A background of one for every word is common enough to look for.
    return np.zeros(1) if (values == 1).all() else _logs(values)


def _doubles(values: FloatArray) -> NDArray[np.float64]:
    return np.ascontiguousarray(values, dtype=np.float64)


# ------------------------------------------------------------------------------------------------
# Documents that are left out, and what their signatures stand for.


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

    def elsewhere(self, values: FloatArray) -> FloatArray:
        """Return a number per document for classes that it does not have, zero for those it has."""
        return np.where(self.member, 0.0, values[:, None])

    def gone_sums(self, values: FloatArray) -> FloatArray:
        """Return the sums over the words that each document takes with it."""
        left = self.left
        sums = np.zeros((left.n, values.shape[1]))
        at = np.flatnonzero(self.gone)
        np.add.at(sums, left.row[at], values[at])
        return sums


def entries(matrix: Any, row: int) -> tuple[NDArray[Any], FloatArray]:
    """Return the columns and values of a row of a CSR matrix."""
    start, stop = matrix.indptr[row], matrix.indptr[row + 1]
    return matrix.indices[start:stop], matrix.data[start:stop]


def looked_up(row: tuple[NDArray[Any], FloatArray], columns: NDArray[Any]) -> FloatArray:
    """Return the values of a row, whose columns ascend, at some columns; zero where it has none."""
    known, values = row
    found = np.append(values, 0.0)[np.searchsorted(known, columns)]
    return np.where(held(known, columns), found, 0.0)


def held(known: NDArray[Any], columns: NDArray[Any]) -> NDArray[np.bool_]:
    """Return which columns are among those known, which ascend."""
    return np.append(known, -2)[np.searchsorted(known, columns)] == columns


# ------------------------------------------------------------------------------------------------
# What the signatures of classes stand for when a document is left out.
#
# The class of the document loses its signatures, and so do all rests of other classes. Words that
# no other document has are gone for all classes, which share out what is left anew.

_TINY = np.finfo(np.float64).tiny


class LeftShares(NamedTuple):
    """P_t of each place in each class, and per document and class what the smoothing asks for."""

    shares: FloatArray
    usable: NDArray[np.bool_]
    pruned: FloatArray


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

    def _below(self, least: FloatArray) -> FloatArray:
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
    def _sums(self) -> FloatArray:
        return np.asarray(self.mixed.sum(axis=1))

    @cached_property
    def _ordered(self) -> list[tuple[FloatArray, FloatArray]]:
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
        self, document: LeftDocuments, row: int, label: int, factors: FloatArray
    ) -> tuple[FloatArray, bool, float]:
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
        self, document: LeftDocuments, row: int, label: int, factors: FloatArray
    ) -> tuple[FloatArray, bool, float]:
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

    def _row_of(self, label: int) -> tuple[NDArray[Any], FloatArray]:
        return entries(self.mixed, label)

    @cached_property
    def _factors(self) -> FloatArray:
        return self.made.signatures.factors(self.made.classes.sizes)

    # ------------------------------------------------------------------ rests

    def _rest_sizes(self, document: LeftDocuments) -> Any:
        whole, classes, own = self.made.all, self.made.classes, document.translated
        for group in range(len(whole.sizes)):
            outside = less(whole.sizes[group], classes.sizes[group])
            yield outside[None], document.elsewhere(own.sizes[group])

    def _rest_places(self, document: LeftDocuments, group: int) -> tuple[FloatArray, FloatArray]:
        """Return the sums of each place outside each class, and what the document has of them."""
        known = np.maximum(document.word, 0)
        inside = (document.word >= 0) & self.made.live[known]
        total = self.made.all.words[group].toarray()[0][known] * inside
        classes = self._at_places(self._classes_by_word[group], document)
        own = document.translated.words[group][document.left.row, known] * inside
        its_class = document.member[document.left.row]
        return less(total[:, None], classes), np.where(its_class, 0.0, own[:, None])

    def _rest_mass(self, document: LeftDocuments, group: int) -> tuple[FloatArray, FloatArray]:
        """Return the sums of all words outside each class, and what the document has of them."""
        live = self.made.live
        whole = self.made.all.words[group] @ live
        outside = less(whole, self.made.classes.words[group] @ live)
        return outside[None], document.elsewhere(document.translated.words[group] @ live)

    def _at_places(self, by_word: Any, document: LeftDocuments) -> FloatArray:
        """Return words of the translation by classes as places by classes, live words only."""
        known = np.maximum(document.word, 0)
        inside = (document.word >= 0) & self.made.live[known]
        found: FloatArray = by_word[known].toarray() * inside[:, None]
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


# ------------------------------------------------------------------------------------------------
# Word probabilities without a document, in all classes: the long way that suits any smoothing.

Emphasis = Callable[[NDArray[np.int32]], FloatArray]


@dataclass(frozen=True)
class LeftTable:
    """Counts of each place in each class, before and after the document is left out.

    Attributes
    ----------
    part : LeftCounts
    before, after : ndarray of shape (n_places, n_classes)
    words_before, words : ndarray of shape (n_places, 1)
        :math:`T_w`.
    translations : LeftTranslations or None
        What signatures stand for.
    """

    part: LeftCounts
    before: FloatArray
    after: FloatArray
    words_before: FloatArray
    words: FloatArray
    translations: Any = None

    @classmethod
    def of(cls, part: LeftCounts, translations: Any = None) -> LeftTable:
        """Return the table of some documents."""
        left = part.left
        before = part.counts.reading.rows(part.counts.cells, left.terms)
        after = before.copy()
        after[left.own_at] = part.own
        words_before = part.counts.words[left.terms]
        return cls(part, before, after, words_before[:, None], part.words[:, None], translations)

    @cached_property
    def rest(self) -> LeftTable:
        """The counts of all documents outside each class."""
        before = np.maximum(self.words_before - self.before, 0.0)
        return replace(self, before=before, after=np.maximum(self.words - self.after, 0.0))

    @cached_property
    def classes(self) -> Classes:
        """What a smoothing may know of each class, documents by classes."""
        return replace(self.part.classes, sum=lambda *args, **kw: self._sum(self.full, *args, **kw))

    @property
    def full(self) -> Classes:
        """The same of all documents."""
        return self.part.counts.classes

    def rests(self) -> Classes:
        """Return what it may know of all documents outside each class."""
        counts, rest = self.part.counts, self.rest
        gone = (self._in_rest(self.before, self.words_before) * 1.0) - self._in_rest(
            self.after, self.words
        )
        return replace(
            self.part.rests,
            terms=counts.rests.terms - self._by_document(gone),
            sum=lambda *args, **kw: rest._sum(counts.rests, *args, **kw),
        )

    def inside(self) -> FloatArray:
        """Return p(w|c) of each place in each class."""
        if self.translations is None:
            return self.probabilities(self.classes)
        return self._translated(self.classes, self.translations.classes(self.part.left))

    def outside(self) -> FloatArray:
        """Return p(w|c̄) of each place, c̄ being all documents outside c."""
        if self.translations is None:
            return self.rest.probabilities(self.rests())
        return self.rest._translated(self.rests(), self.translations.rests(self.part.left))

    def _translated(self, classes: Classes, left: LeftShares) -> FloatArray:
        known = replace(classes, usable=left.usable, pruned=left.pruned)
        return self.probabilities(known, left.shares)

    def probabilities(self, classes: Classes, shares: FloatArray | None = None) -> FloatArray:
        """Return the probability of each place under what is known of classes."""
        smoothing, row = self.part.smoothing, self.part.left.row
        here = gathered(classes, row)
        seen = smoothing.seen(self.after, here)
        if shares is not None:
            seen = seen + smoothing.translated(shares, here)
        freed = np.broadcast_to(smoothing.freed(classes), classes.tokens.shape)
        spread = freed[row] * self.part.spread[:, None]
        if smoothing.exclusive:
            return np.where(seen > 0, seen, spread)
        return np.maximum(seen + spread, 0.0)

    def _in_rest(self, counts: FloatArray, words: FloatArray) -> NDArray[np.bool_]:
        # Words that no other class has: what is left of them is rounding.
        return (words > 0) & ~((counts > 0) & (words - counts <= 1e-9 * words))

    def _sum(self, full: Classes, measure: Measure, occurrences: bool = False) -> FloatArray:
        before, after = measure(self.before), measure(self.after)
        if occurrences:
            before, after = before * self.words_before, after * self.words
        return full.sum(measure, occurrences) - self._by_document(before - after)

    def _by_document(self, values: FloatArray) -> FloatArray:
        left = self.part.left
        sums = np.zeros((left.n, values.shape[1]))
        add_places(left, np.ones(len(left.terms)), np.ascontiguousarray(values), sums)
        return sums


@dataclass(frozen=True)
class TableScores:
    """Scores documents by models that have forgotten them, with a number per place and class.

    Attributes
    ----------
    counts : WordCounts
        Of all documents.
    emphasis : callable
        From terms to weights of them, terms by one or by classes.
    mass : ndarray of shape (n_terms,)
        What a token of each word adds to the length of a document.
    contrasts, only_rest : bool
    given : LeftTranslations, default=None
        What signatures stand for, if it is known already.
    """

    counts: WordCounts
    emphasis: Emphasis
    mass: FloatArray
    contrasts: bool
    only_rest: bool
    given: Any = None

    wide = True

    def __call__(self, left: LeftOut, intercept: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return the score of each document for each class, and its length."""
        part = LeftCounts(self.counts, left)
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            table = LeftTable.of(part, self.translations)
            emphasis, logs = self.emphasis(left.terms), self._logs(table)
            heard = part.known[:, None] & (emphasis > 0)
            logs = np.multiply(logs, emphasis, out=np.zeros_like(logs), where=heard)
        scores = intercept.copy()
        add_places(left, left.documents.values, logs, scores)
        lost = ~(scores > -np.inf).any(axis=1)
        # No class can have written these: only the prior is left.
        scores[lost] = intercept[lost]
        mass = self.mass[left.terms] * part.known
        return scores, left.by_document(left.documents.values * mass)

    def _logs(self, table: LeftTable) -> FloatArray:
        if not self.contrasts:
            return np.log(table.inside())
        inside = None if self.only_rest else table.inside()
        return contrast_logs(inside, table.outside())

    @cached_property
    def translations(self) -> Any:
        """What signatures stand for, if the smoothing knows any."""
        if self.given is not None:
            return self.given
        translated = self.counts.translated
        return None if translated is None else LeftTranslations(translated.made)


def add_places(left: LeftOut, values: FloatArray, rows: FloatArray, into: FloatArray) -> None:
    """Add to each document the rows of its places, times a value."""
    places = np.arange(len(left.terms), dtype=np.int32)
    add_rows(left.documents.starts, places, values, rows, 0, into, 1)

r"""Topic signatures of classes, translated into words: p_t(w|c) of semantic smoothing.

.. math:: p_t(w \mid c) = \sum_t p(w \mid t)\, \frac{n_{ct}}{\sum_s n_{cs}}

It is linear in the counts of signatures :math:`n_{ct}`. So :class:`TopicSignatures` translates the
counts of all classes once; the translation of the complement of a class, and that of a class minus
one document (:class:`LeaveOneOutTranslations`), follow by subtraction. :class:`TranslatedCounts`
joins the translation to class counts.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING, Any, NamedTuple
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from tallytext._typing import FloatArray
from tallytext.models.base import sum_rows
from tallytext.models.class_counts import ClassCounts
from tallytext.models.smoothing.base import safe_ratio
from tallytext.models.smoothing.semantic import GroupTranslations, Signatures, subtract
from tallytext.runtime import rows_per_block

if TYPE_CHECKING:
    from tallytext.models.leave_one_out import LeaveOneOutCounts

_MIN_POSITIVE = np.finfo(np.float64).tiny


@dataclass(frozen=True, eq=False)
class TopicSignatures:
    """p_t(w|c): the signatures of each class, translated into words.

    Attributes
    ----------
    signatures : Signatures
    whole : ClassCounts
        Of all terms.
    live : ndarray of bool of shape (n_words,)
        True for words of the translation that occur.
    shares : CSR matrix of shape (n_terms + 1, n_classes)
        p_t(w|c) by column of the model, with an empty row for unknown columns.
    pruned, usable : ndarray of shape (n_classes,)
        The pruned mass, and whether the class has a translation at all.
    """

    signatures: Signatures
    whole: ClassCounts
    live: NDArray[np.bool_]
    shares: Any
    pruned: FloatArray
    usable: NDArray[np.bool_]

    @classmethod
    def from_counts(cls, signatures: Signatures, whole: ClassCounts) -> TopicSignatures:
        """Translate the signatures of all classes, a block of classes at a time."""
        # Words that no document has are no events of the model: their mass goes to the others. A
        # word without a column has the number -1 and reads the zero at the end.
        live = np.append(whole.term_totals[0], 0.0)[signatures.words] > 0
        counts = counts_by_class(whole)
        step = rows_per_block(len(live))
        blocks = range(0, max(counts.shape[0], 1), step)
        parts = [_prune(signatures, counts[at : at + step], live) for at in blocks]
        found = sparse.vstack([part[0] for part in parts], format="csr")
        shares = _to_columns(found, signatures.words, whole.n_terms + 1)
        pruned, usable = (np.concatenate([part[k] for part in parts]) for k in (1, 2))
        return cls(signatures, whole, live, shares, pruned, usable)

    @cached_property
    def is_word(self) -> NDArray[np.bool_]:
        """True for columns that are words, False for signatures that are not words."""
        event = np.ones(self.whole.n_terms + 1, dtype=bool)
        event[self.signatures.only] = False
        return event

    @cached_property
    def classes(self) -> GroupTranslations:
        """Translated signatures of each class, without pruning."""
        return self.signatures.translate_groups(counts_by_class(self.whole))

    @cached_property
    def all(self) -> GroupTranslations:
        """Translated signatures of all documents together."""
        return self.signatures.translate_groups(sparse.csr_array(self.whole.term_totals[0][None]))

    @cached_property
    def complements(self) -> ComplementTranslations:
        """Translated signatures of the documents outside each class."""
        return ComplementTranslations.from_topics(self)

    @cached_property
    def leave_one_out(self) -> LeaveOneOutTranslations:
        """Translated signatures of classes and complements minus one document."""
        return LeaveOneOutTranslations(self)


@dataclass(frozen=True, eq=False)
class ComplementTranslations:
    """p_t(w|c̄): translated signatures of the complement of each class, without pruning.

    Attributes
    ----------
    factors : ndarray of shape (n_groups, n_classes)
        Factors that turn the sums of each group into p_t.
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
    def from_topics(cls, topics: TopicSignatures) -> ComplementTranslations:
        """Subtract the translated signatures of each class from those of all documents."""
        words, live, n_terms = topics.signatures.words, topics.live, topics.whole.n_terms + 1
        factors = topics.signatures.factors(subtract(topics.all.sizes[:, :1], topics.classes.sizes))
        keep = sparse.diags_array(live * 1.0)
        totals = [part.toarray()[0] * live for part in topics.all.words]
        classes = [sparse.csr_array(part @ keep) for part in topics.classes.words]
        mass = np.zeros(factors.shape[1])
        for factor, total, inside in zip(factors, totals, classes, strict=True):
            mass += factor * subtract(total.sum(), np.asarray(inside @ np.ones(len(live))))
        return cls(
            factors=factors * safe_ratio(1.0, mass, 0.0),
            totals=np.array([_scatter_columns(total, words, n_terms) for total in totals]),
            classes=[_to_columns(part, words, n_terms) for part in classes],
            usable=mass > 0,
        )

    def rows(self, terms: NDArray[Any]) -> FloatArray:
        """Return p_t(w|c̄) of some terms, words by classes."""
        probabilities = np.zeros((len(terms), self.factors.shape[1]))
        for factor, total, inside in zip(self.factors, self.totals, self.classes, strict=True):
            probabilities += factor * subtract(total[terms][:, None], inside[terms].toarray())
        return probabilities


def counts_by_class(class_counts: ClassCounts) -> Any:
    """Return the first column of the counts as a CSR matrix of classes by terms."""
    return sparse.csr_array(counts_by_term(class_counts).T)


def counts_by_term(class_counts: ClassCounts) -> Any:
    """Return the first column of the counts as a CSR matrix of terms by classes."""
    shape = class_counts.n_terms, class_counts.n_classes
    return sparse.csr_array(
        (class_counts.cells[0], class_counts.classes, class_counts.starts), shape=shape
    )


def _prune(
    signatures: Signatures, counts: Any, live: NDArray[np.bool_]
) -> tuple[Any, FloatArray, NDArray[np.bool_]]:
    """Return p_t of a block of classes, the pruned mass, and True for classes that have a p_t."""
    mixed = signatures.translate(counts) @ sparse.diags_array(live * 1.0)
    sums = mixed.sum(axis=1)
    shares = sparse.csr_array(sparse.diags_array(safe_ratio(1.0, sums, 0.0)) @ mixed)
    few = shares.data < signatures.min_probability
    pruned = sum_rows(shares.data * few, shares.indptr.astype(np.int64))
    shares.data[few] = 0.0
    shares.eliminate_zeros()
    return shares, pruned, sums > 0


def _to_columns(shares: Any, words: NDArray[Any], n_terms: int) -> Any:
    """Return a matrix of classes by words of the translation as columns of the model by classes."""
    inside = np.flatnonzero(words >= 0)
    coo = shares[:, inside].tocoo()
    places = words[inside][coo.col], coo.row
    return sparse.csr_array((coo.data, places), shape=(n_terms, shares.shape[0]))


def _scatter_columns(values: FloatArray, words: NDArray[Any], n_terms: int) -> FloatArray:
    columns = np.zeros(n_terms)
    columns[words[words >= 0]] = values[words >= 0]
    return columns


@dataclass(frozen=True, eq=False)
class TranslatedCounts:
    """Class counts with a cell for every word that a class shows or its signatures translate to.

    Attributes
    ----------
    topics : TopicSignatures
    class_counts : ClassCounts
        The first column has no signatures that are not words.
    terms : ndarray of int
        The column of the model of each term of ``class_counts``.
    shares : ndarray of shape (n_cells,)
        p_t of each cell.
    """

    topics: TopicSignatures
    class_counts: ClassCounts
    terms: NDArray[Any]
    shares: FloatArray

    @classmethod
    def join(cls, topics: TopicSignatures, part: ClassCounts) -> TranslatedCounts:
        """Join the cells of class counts of the same version with those of the translation."""
        # Columns beyond the vocabulary share the empty last row of the translation.
        n_terms = topics.whole.n_terms
        terms = np.arange(n_terms) if part.terms is None else np.minimum(part.terms, n_terms)
        words = sparse.diags_array(topics.is_word[terms] * 1.0)
        counted = sparse.csr_array(words @ counts_by_term(part))
        counted.eliminate_zeros()
        shares = topics.shares[terms]
        joined = sparse.csr_array(counted + shares)  # neither is negative: nothing cancels out
        joined.sort_indices()
        cells = np.zeros((len(part.cells), joined.nnz))
        cells[0] = _align_values(counted, joined)
        class_counts = replace(
            part,
            starts=joined.indptr.astype(np.int64),
            classes=joined.indices.astype(np.int32),
            cells=cells,
        )
        class_counts = _drop_signatures(topics, class_counts, terms)
        return cls(topics, class_counts, terms, _align_values(shares, joined))

    def rows(self, first: int, last: int) -> FloatArray:
        """Return p_t of a range of words, words by classes."""
        return self.class_counts.dense(self.shares, first, last)

    def complement_rows(self, first: int, last: int) -> FloatArray:
        """Return p_t of the complement of each class, of a range of words."""
        return self.topics.complements.rows(self.terms[first:last])


def _drop_signatures(
    topics: TopicSignatures, part: ClassCounts, terms: NDArray[Any]
) -> ClassCounts:
    """Return class counts whose first column counts words only, not signatures."""
    only = topics.signatures.only
    term_totals, class_totals, totals = (
        np.array(sums, dtype=np.float64)
        for sums in (part.term_totals, part.class_totals, part.totals)
    )
    term_totals[0] *= topics.is_word[terms]
    class_totals[0] -= counts_by_class(topics.whole)[:, only].sum(axis=1)
    totals[0] -= topics.whole.term_totals[0, only].sum()
    return replace(part, term_totals=term_totals, class_totals=class_totals, totals=totals)


def _align_values(values: Any, joined: Any) -> FloatArray:
    """Return the values of a matrix at the entries of another one, zero where it has none."""
    width, coo = joined.shape[1], values.tocoo()
    rows = np.repeat(np.arange(joined.shape[0]), np.diff(joined.indptr))
    keys = rows * width + joined.indices
    aligned = np.zeros(joined.nnz)
    aligned[np.searchsorted(keys, coo.row.astype(np.int64) * width + coo.col)] = coo.data
    return aligned


class TranslatedShares(NamedTuple):
    """Translated signatures minus each document of a batch.

    Attributes
    ----------
    shares : ndarray of shape (n_entries, n_classes)
        p_t(w|c) of each term of each document.
    usable, pruned : ndarray of shape (n_documents, n_classes)
        True for a class that has a translation, and the mass that was pruned.
    """

    shares: FloatArray
    usable: NDArray[np.bool_]
    pruned: FloatArray


class LeaveOneOutTranslations:
    """p_t(w|c) minus each document of a batch, for classes and for their complements.

    The classes of a document lose its signatures, and so do the complements of all other classes.
    A word that no other document has vanishes from the translation of every class, whose other
    words then share its mass.

    Parameters
    ----------
    topics : TopicSignatures
        Of all documents.
    """

    def __init__(self, topics: TopicSignatures) -> None:
        self._topics = topics
        self._factors = topics.signatures.factors(topics.classes.sizes)
        words = topics.signatures.words
        #: The word of the translation of each column of the model, or -1.
        self._word_of = np.full(topics.whole.n_terms, -1, dtype=np.intp)
        self._word_of[words[words >= 0]] = np.flatnonzero(words >= 0)
        # Several smoothings may score the same batch: shares are forgotten together with it.
        self._class_cache: WeakKeyDictionary[Any, TranslatedShares] = WeakKeyDictionary()
        self._complement_cache: WeakKeyDictionary[Any, TranslatedShares] = WeakKeyDictionary()

    def classes(self, left: LeaveOneOutCounts) -> TranslatedShares:
        """Return p_t(w|c), pruned as that of all documents."""
        found = self._class_cache.get(left)
        if found is None:
            batch = _TranslatedBatch(self._topics, left, self._word_of)
            found = self._other_classes(batch)
            for pair in range(len(left.pair_row)):
                self._replace_own_class(batch, pair, found)
            self._class_cache[left] = found
        return found

    def complements(self, left: LeaveOneOutCounts) -> TranslatedShares:
        """Return p_t(w|c̄), without pruning."""
        found = self._complement_cache.get(left)
        if found is None:
            batch = _TranslatedBatch(self._topics, left, self._word_of)
            found = self._complement_cache[left] = self._complements(batch)
        return found

    # Classes.

    @cached_property
    def _mixture(self) -> Any:
        """Translated signatures of each class, restricted to words that occur, not normalised."""
        mixed = self._topics.classes.mix(self._factors)
        live = sparse.csr_array(mixed @ sparse.diags_array(self._topics.live * 1.0))
        live.eliminate_zeros()
        live.sort_indices()
        return live

    @cached_property
    def _mixture_by_word(self) -> Any:
        return self._mixture.T.tocsr()

    @cached_property
    def _class_sums(self) -> FloatArray:
        return np.asarray(self._mixture.sum(axis=1))

    @cached_property
    def _ascending(self) -> list[tuple[FloatArray, FloatArray]]:
        """The values of each class in ascending order, and the sum of all values before each."""
        rows = [np.sort(self._mixture.data[a:b]) for a, b in pairwise(self._mixture.indptr)]
        return [(row, np.append(0.0, np.cumsum(row))) for row in rows]

    def _other_classes(self, batch: _TranslatedBatch) -> TranslatedShares:
        """Return p_t of classes that the document does not have: only vanished words change."""
        row = batch.left.row
        mixed = batch.at_entries(self._mixture_by_word)
        sums = subtract(self._class_sums, batch.vanished_sums(mixed))
        least = self._topics.signatures.min_probability * sums
        there = mixed >= np.maximum(least, _MIN_POSITIVE)[row]
        shares = np.where(there, mixed, 0.0) * safe_ratio(1.0, sums, 0.0)[row]
        below = np.empty_like(least)
        for c, (values, before) in enumerate(self._ascending):
            below[:, c] = before[np.searchsorted(values, least[:, c], side="left")]
        below = below - batch.vanished_sums(np.where(there, 0.0, mixed))
        return TranslatedShares(shares, sums > 0, safe_ratio(np.maximum(below, 0.0), sums, 0.0))

    def _replace_own_class(
        self, batch: _TranslatedBatch, pair: int, found: TranslatedShares
    ) -> None:
        """Put in p_t of a class that the document has."""
        row, label = batch.left.pair_row[pair], batch.left.pair_class[pair]
        sizes = subtract(self._topics.classes.sizes[:, label], batch.translated.sizes[:, row])
        factors = self._topics.signatures.factors(sizes)
        groups = np.flatnonzero(factors)
        # With one group of signatures, before and after, factors cancel out when p_t is normalised.
        same = np.array_equal(groups, np.flatnonzero(self._factors[:, label]))
        compute = self._own_sparse if len(groups) == 1 and same else self._own_dense
        shares, usable, pruned = compute(batch, row, label, factors)
        found.usable[row, label], found.pruned[row, label] = usable, pruned
        found.shares[batch.entries(row), label] = shares

    def _own_dense(
        self, batch: _TranslatedBatch, row: int, label: int, factors: FloatArray
    ) -> tuple[FloatArray, bool, float]:
        """Return p_t of a class with signatures of both groups: all of its words change."""
        live = self._topics.live
        mixed = np.zeros(len(live))
        parts = zip(factors, self._topics.classes.words, batch.translated.words, strict=True)
        for factor, inside, own in parts:
            mixed += factor * subtract(inside[[label]].toarray()[0], own[[row]].toarray()[0])
        mixed[~live] = 0.0
        mixed[batch.vanished_words(row)] = 0.0
        total = float(mixed.sum())
        shares = mixed / total if total > 0 else mixed
        few = shares < self._topics.signatures.min_probability
        pruned = float(shares[few].sum())
        word = batch.word[batch.entries(row)]
        return np.append(np.where(few, 0.0, shares), 0.0)[word], total > 0, pruned

    def _own_sparse(
        self, batch: _TranslatedBatch, row: int, label: int, factors: FloatArray
    ) -> tuple[FloatArray, bool, float]:
        """Return p_t of a class with signatures of one group: few words change."""
        group = int(np.flatnonzero(factors)[0])
        here, own = (
            _sparse_row(self._mixture, label),
            _sparse_row(batch.translated.words[group], row),
        )
        vanished = batch.vanished_words(row)
        others = vanished[~_contains(own[0], vanished)]
        changed = np.sort(np.append(own[0], others), kind="stable")
        before = _look_up(here, changed)
        after = subtract(before, self._factors[group, label] * _look_up(own, changed))
        after[np.searchsorted(changed, vanished)] = 0.0
        total = float(subtract(self._class_sums[label], before.sum() - after.sum()))
        least = self._topics.signatures.min_probability * total
        values, sums = self._ascending[label]
        below = sums[np.searchsorted(values, least, side="left")]
        below += after[after < least].sum() - before[before < least].sum()
        word = batch.word[batch.entries(row)]
        moved = _look_up((changed, after), word)
        left = np.where(_contains(changed, word), moved, _look_up(here, word))
        shares = np.where(left < max(least, _MIN_POSITIVE), 0.0, left)
        if total > 0:
            return shares * (1 / total), True, max(below, 0.0) / total
        return shares * 0.0, False, 0.0

    # Complements.

    @cached_property
    def _classes_by_word(self) -> list[Any]:
        return [words.T.tocsr() for words in self._topics.classes.words]

    def _complements(self, batch: _TranslatedBatch) -> TranslatedShares:
        left, topics, own = batch.left, self._topics, batch.translated
        outside = [
            subtract(subtract(total, inside)[None], np.where(batch.member, 0.0, sizes[:, None]))
            for total, inside, sizes in zip(
                topics.all.sizes, topics.classes.sizes, own.sizes, strict=True
            )
        ]
        shares, mass = np.zeros((len(left.terms), left.class_counts.n_classes)), 0.0
        for group, factor in enumerate(topics.signatures.factors(np.array(outside))):
            at_entries = self._complement_entries(batch, group)
            shares += factor[left.row] * at_entries
            whole = topics.all.words[group] @ topics.live
            sums = subtract(whole, topics.classes.words[group] @ topics.live)[None]
            of_document = (own.words[group] @ topics.live)[:, None]
            sums = subtract(sums, np.where(batch.member, 0.0, of_document))
            mass = mass + factor * subtract(sums, batch.vanished_sums(at_entries))
        shares *= safe_ratio(1.0, mass, 0.0)[left.row]
        return TranslatedShares(shares, np.asarray(mass) > 0, np.zeros_like(mass))

    def _complement_entries(self, batch: _TranslatedBatch, group: int) -> FloatArray:
        """Return the sums of one group outside each class at each entry, minus its document."""
        row, known = batch.left.row, batch.known_word
        total = self._topics.all.words[group].toarray()[0][known] * batch.live
        classes = batch.at_entries(self._classes_by_word[group])
        own = batch.translated.words[group][row, known] * batch.live
        of_document = np.where(batch.member[row], 0.0, own[:, None])
        return subtract(subtract(total[:, None], classes), of_document)


class _TranslatedBatch:
    """Documents of a batch with their translated signatures.

    Attributes
    ----------
    word, known_word : ndarray of int of shape (n_entries,)
        The word of the translation of each entry, or -1; in ``known_word`` 0 in place of -1.
    live : ndarray of bool of shape (n_entries,)
        True for entries with a word of the translation that occurs.
    translated : GroupTranslations
        The translated signatures of each document.
    member : ndarray of bool of shape (n, n_classes)
        True for the classes of each document.
    """

    def __init__(
        self, topics: TopicSignatures, left: LeaveOneOutCounts, word_of: NDArray[np.intp]
    ) -> None:
        self.left, self.word = left, word_of[left.terms]
        self.known_word = np.maximum(self.word, 0)
        self.live = (self.word >= 0) & topics.live[self.known_word]
        counts = sparse.csr_array(
            (left.column(0).removed, left.terms, left.documents.starts),
            shape=(left.n, left.class_counts.n_terms),
        )
        self.translated = topics.signatures.translate_groups(counts)
        for words in self.translated.words:
            words.sort_indices()
        self.member = np.zeros((left.n, left.class_counts.n_classes), dtype=bool)
        self.member[left.pair_row, left.pair_class] = True

    def entries(self, row: int) -> slice:
        """Return the entries of a document."""
        starts = self.left.documents.starts
        return slice(int(starts[row]), int(starts[row + 1]))

    def vanished_words(self, row: int) -> NDArray[np.intp]:
        """Return the words of the translation that only this document has."""
        entries = self.entries(row)
        word = self.word[entries][self.left.vanished[entries]]
        return word[word >= 0]

    def vanished_sums(self, values: FloatArray) -> FloatArray:
        """Return the sums over the words that only the document has, documents by classes."""
        sums = np.zeros((self.left.n, values.shape[1]))
        at = np.flatnonzero(self.left.vanished)
        np.add.at(sums, self.left.row[at], values[at])
        return sums

    def at_entries(self, by_word: Any) -> FloatArray:
        """Return a matrix of words of the translation by classes as entries by classes."""
        found: FloatArray = by_word[self.known_word].toarray() * self.live[:, None]
        return found


def _sparse_row(matrix: Any, row: int) -> tuple[NDArray[Any], FloatArray]:
    """Return the columns and values of a row of a CSR matrix."""
    start, stop = matrix.indptr[row], matrix.indptr[row + 1]
    return matrix.indices[start:stop], matrix.data[start:stop]


def _look_up(row: tuple[NDArray[Any], FloatArray], columns: NDArray[Any]) -> FloatArray:
    """Return the values of a sparse row with ascending columns at some columns."""
    known, values = row
    found = np.append(values, 0.0)[np.searchsorted(known, columns)]
    return np.where(_contains(known, columns), found, 0.0)


def _contains(known: NDArray[Any], columns: NDArray[Any]) -> NDArray[np.bool_]:
    """Return True for columns that are among the known ones, which ascend."""
    return np.append(known, -2)[np.searchsorted(known, columns)] == columns

r"""Leave-one-out counts: the tally minus each document of a batch, without refitting.

A model that is estimated from sums forgets a document by a subtraction. Only the cells of the
document's own terms change in its classes, and a few totals::

                     w1   w2   w3   w4   w5  |  T_c                document d of class b:
        class a    [  4    .    2    1    .  ]    7                x_d = [ .  2  1  .  . ]
        class b    [  .    6    1    .    3  ]   10
        ---------------------------------------------
        T_w           4    6    3    1    3      17  = T           N_b = 3 documents, N = 5

    minus d:
        class a    [  4    .    2    1    .  ]    7                counts of other classes: the same
        class b    [  .    4    0    .    3  ]    7  = T_b - |d|   cells of d's terms: N_bw - x_dw
        ---------------------------------------------
        T_w           4    4    2    1    3      14  = T - |d|     background g(w): from T_w and T
                                                                   N_b = 2 documents, N = 4

.. math:: N^{-d}_{cw} = N_{cw} - [c \in d]\, x_{dw}, \qquad T^{-d}_c = T_c - [c \in d]\, |d|, \qquad
          T^{-d}_w = T_w - x_{dw}, \qquad T^{-d} = T - |d|

Here w3 vanishes from class b, and a term that only d has vanishes from the vocabulary: the numbers
of terms :math:`K_c` and :math:`V` change, too. Priors change by one document. Hyperparameters,
weights of terms and the normalised length are those of all documents.

One vocabulary of indices holds in the whole module:

- an *entry* is a term of a document (:math:`d, w`), a nonzero of the matrix;
- a *pair* is a document and a label of it (:math:`d, c`);
- a *cell* is a term of a document in a class of it (:math:`d, c, w`), where the counts of a class
  change.

:class:`LeaveOneOutCounts` subtracts, column by column of the tally. :class:`LeaveOneOutWords` are
the statistics that a smoothing reads. :class:`SparseLeaveOneOut` scores in the time of the cells,
:class:`DenseLeaveOneOut` in that of entries times classes, for any smoothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from tallytext._core import add_rows, left_out_gains, own_cells
from tallytext._typing import FloatArray, Measure
from tallytext._validation import check_weights
from tallytext.decision.calibrators import OutOfSample
from tallytext.errors import CountError, NegativeCountError, ScoreError
from tallytext.models.base import DocumentRows, fill_rows, sum_rows, to_documents, transform_counts
from tallytext.models.class_counts import (
    ClassCounts,
    Column,
    check_has_classes,
    class_priors,
    log_priors,
    with_snapshot,
)
from tallytext.models.smoothing.base import (
    ClassStatistics,
    ClassSum,
    Smoothing,
    TermStatistics,
    WordCounts,
    combine_with_background,
    contrast_logs,
)
from tallytext.runtime import thread_count
from tallytext.tally.labels import LabelIndex, Targets, indicator_matrix
from tallytext.tally.planes import UNIT, Plane

if TYPE_CHECKING:
    from tallytext.models.multinomial import MultinomialNB
    from tallytext.models.naive_bayes import NaiveBayes
    from tallytext.models.smoothing.topic_signatures import TranslatedShares

_MAX_BATCH_NUMBERS = 1 << 17  # of one array of a batch: 1 MB
_MAX_THREADS = 4  # each thread has arrays of its own
_MIN_COUNT = UNIT / 2  # less than any count: a smaller difference is a rounding error

Scores = tuple[FloatArray, FloatArray]  # of documents by classes, and the length of documents


# Training documents.


@dataclass(frozen=True)
class TrainingRows:
    """Documents with labels and weights, in the units in which a tally counted them.

    Attributes
    ----------
    documents : DocumentRows
        Counts in whole units.
    label_starts, labels : ndarray
        The tally's numbers of the classes of each document.
    weights : ndarray of shape (n_documents,) or None
        The weight of each document.
    """

    documents: DocumentRows
    label_starts: NDArray[np.int64]
    labels: NDArray[np.int32]
    weights: FloatArray | None

    @classmethod
    def from_labels(
        cls,
        documents: DocumentRows,
        labels: list[Any],
        index: LabelIndex,
        weights: FloatArray | None,
    ) -> TrainingRows:
        """Number the labels of documents as a tally does."""
        return cls(documents, *index.encode(labels, documents.n_documents), weights)

    def some(self, first: int, last: int) -> TrainingRows:
        """Return the documents from ``first`` up to ``last``."""
        start, stop = self.label_starts[first], self.label_starts[last]
        return TrainingRows(
            self.documents.some(first, last),
            self.label_starts[first : last + 1] - start,
            self.labels[start:stop],
            None if self.weights is None else self.weights[first:last],
        )

    def drop_zero_weights(self) -> TrainingRows:
        """Return the same documents with counts of zero and no label where the weight is zero."""
        if self.weights is None or self.weights.all():
            return self
        # Rows stay where they are: the result has a row for each document that was given.
        there, n_labels = self.weights > 0, np.diff(self.label_starts)
        starts = np.concatenate([[0], np.cumsum(np.where(there, n_labels, 0))]).astype(np.int64)
        values = self.documents.values * there[self.documents.row]
        labels = self.labels[np.repeat(there, n_labels)]
        return TrainingRows(self.documents._replace(values=values), starts, labels, self.weights)

    def cell_entries(self) -> NDArray[np.intp]:
        """Return the entry (document, term) of each cell (document, label, term)."""
        n_labels = np.diff(self.label_starts)
        starts, lengths = self.documents.starts[:-1], np.diff(self.documents.starts)
        first, length = np.repeat(starts, n_labels), np.repeat(lengths, n_labels)
        offsets = np.arange(length.sum()) - np.repeat(np.cumsum(length) - length, length)
        return np.repeat(first, length) + offsets

    def find_cells(self, class_counts: ClassCounts) -> NDArray[np.int64]:
        """Return the index in ``class_counts`` of each cell (document, label, term), or -1."""
        return own_cells(
            self.documents.starts,
            self.documents.terms,
            self.label_starts,
            class_counts.order.places[self.labels],
            class_counts.starts,
            class_counts.classes,
            1,
        )

    def contributions(self, column: Column) -> FloatArray:
        """Return the amount that each entry added to a column of the tally."""
        values = self.documents.values
        if not isinstance(column, Plane):
            return values if column == "occurrences" else (values > 0) * 1.0
        return self._frequencies(column) * self.scales(column)[self.documents.row]

    def scales(self, column: Column) -> FloatArray:
        """Return s(d), the factor of each document in a column."""
        ones = np.ones(self.documents.n_documents)
        if not isinstance(column, Plane):
            return ones
        weights = ones if self.weights is None or not column.weighted else self.weights
        return weights * (ones if column.norm is None else self._norm_scales(column))

    def _frequencies(self, column: Plane) -> FloatArray:
        values = self.documents.values
        if column.tf == "binary":
            return (values > 0) * 1.0
        return np.log1p(values) if column.tf == "log" else values

    def _norm_scales(self, column: Plane) -> FloatArray:
        parts = self._frequencies(column)
        parts = parts * parts if column.norm == "l2" else parts
        # The tally adds multiples of UNIT, so that the order of terms does not matter.
        parts = _round_to_unit(parts) if column.tf == "log" else parts
        length = sum_rows(parts, self.documents.starts)
        if column.norm in ("log_length", "log_length_squared"):
            return np.log1p(length) ** (2 if column.norm == "log_length_squared" else 1)
        below = np.sqrt(length) if column.norm == "l2" else length
        return np.divide(1.0, below, out=np.zeros_like(below), where=below > 0)


def _round_to_unit(values: FloatArray) -> FloatArray:
    """Round as the tally does, so that exactly the amount that was added is subtracted."""
    return np.rint(values / UNIT) * UNIT


# The tally minus each document.


class LeaveOneOutColumn(NamedTuple):
    """One column of the tally minus each document.

    Attributes
    ----------
    removed : ndarray of shape (n_entries,)
        The amount that each entry had added, which is subtracted.
    occurrences : ndarray of shape (n_entries,)
        :math:`T_w - x_{dw}`.
    cells_before, cells : ndarray of shape (n_cells,)
        :math:`N_{cw}`, and :math:`N_{cw} - x_{dw}`.
    """

    removed: FloatArray
    occurrences: FloatArray
    cells_before: FloatArray
    cells: FloatArray


class LeaveOneOutCounts:
    """Counts of a tally minus each document of a batch.

    Parameters
    ----------
    class_counts : ClassCounts
        Of all terms and documents; the last column counts documents.
    columns : sequence of Column
        The columns of ``class_counts``.
    documents : DocumentRows
        The documents as they are scored.
    training : TrainingRows
        The documents as they were counted, with the same entries.

    Attributes
    ----------
    n : int
        Number of documents.
    terms, row : ndarray of int of shape (n_entries,)
        The term and the document of each entry.
    pair_row, pair_class : ndarray of int of shape (n_pairs,)
        The document and the class of each pair.
    cell_entry, cell_pair : index of shape (n_cells,)
        The entry and the pair of each cell.
    vanished : ndarray of bool of shape (n_entries,)
        True for terms that no other document has.
    vanished_cells : ndarray of bool of shape (n_cells,)
        True for terms that no other document of the class has.
    n_vanished : ndarray of shape (n,)
        Number of terms that no other document has.

    Raises
    ------
    NegativeCountError
        If a count would fall below zero: the document was never learned with this label.
    """

    def __init__(
        self,
        class_counts: ClassCounts,
        columns: Sequence[Column],
        documents: DocumentRows,
        training: TrainingRows,
    ) -> None:
        self.class_counts, self.columns = class_counts, columns
        self.documents, self.training = documents, training
        self.n, self.terms, self.row = documents.n_documents, documents.terms, documents.row
        self._index_cells()
        self._subtract_exactly()

    def _index_cells(self) -> None:
        """Set the indices of pairs and cells."""
        n_labels = np.diff(self.training.label_starts)
        self.pair_row = np.repeat(np.arange(self.n), n_labels)
        self.pair_class = self.class_counts.order.places[self.training.labels]
        self.cell_entry: NDArray[np.intp] | slice
        if (n_labels == 1).all():
            # Cells are entries: a slice does not copy.
            self.cell_entry, self.cell_pair = slice(None), self.row
            self._pair_starts = self.documents.starts
        else:
            lengths = np.diff(self.documents.starts)[self.pair_row]
            self.cell_entry = self.training.cell_entries()
            self.cell_pair = np.repeat(np.arange(len(lengths)), lengths)
            self._pair_starts = np.concatenate([[0], np.cumsum(lengths)])
        self._found = self.training.find_cells(self.class_counts)
        self._all_found = not self._found.size or bool(self._found.min() >= 0)

    def _subtract_exactly(self) -> None:
        """Find the terms that vanish, in a column of whole numbers if there is one."""
        # Fractions leave rounding errors; numbers of documents show exactly when nothing is left.
        self._exact_at = -1 if isinstance(self.columns[0], Plane) else 0
        exact = self._exact = self._subtract(self._exact_at)
        if not self._all_found:
            # A fraction that is too small to be counted has no cell either.
            missing = (self._found < 0) & (exact.removed[self.cell_entry] > 0)
            if missing.any():
                raise self._never_learned(int(np.argmax(missing)))
        if exact.cells.size and exact.cells.min() < -_MIN_COUNT:
            raise self._never_learned(int(np.argmin(exact.cells)))
        self.vanished = exact.occurrences < _MIN_COUNT
        vanished = exact.cells < _MIN_COUNT
        self.vanished_cells = vanished if self._all_found else vanished & (self._found >= 0)
        self.n_vanished = self.by_document(self.vanished & (exact.removed > 0))

    def column(self, at: int) -> LeaveOneOutColumn:
        """Return a column of the tally minus each document."""
        if (at - self._exact_at) % len(self.columns) == 0:
            return self._exact
        # Rounding errors of fractions must not look like a word that is left.
        column = self._subtract(at)
        column.occurrences[self.vanished] = 0.0
        column.cells[self.vanished_cells] = 0.0
        return column

    def _subtract(self, at: int) -> LeaveOneOutColumn:
        removed = self.training.contributions(self.columns[at])
        removed = _round_to_unit(removed) if isinstance(self.columns[at], Plane) else removed
        occurrences = self.class_counts.term_totals[at].take(self.terms) - removed
        cells = self.class_counts.cells[at]
        if self._all_found:
            before = cells.take(self._found)
        else:
            before = np.where(self._found >= 0, np.append(cells, 0.0)[self._found], 0.0)
        return LeaveOneOutColumn(removed, occurrences, before, before - removed[self.cell_entry])

    def _never_learned(self, cell: int) -> NegativeCountError:
        entry = np.arange(len(self.terms))[self.cell_entry][cell]
        label = self.class_counts.order.classes.tolist()[self.pair_class[self.cell_pair[cell]]]
        return NegativeCountError(
            f"cannot leave out: class {label!r} has less of term {self.terms[entry]} than a "
            "document of it. Was this document ever learned by this model, with this label?"
        )

    @property
    def cell_at(self) -> tuple[NDArray[np.intp], NDArray[np.int32]]:
        """The entry and the class of each cell: its place in a table of entries by classes."""
        return np.arange(len(self.terms))[self.cell_entry], self.pair_class[self.cell_pair]

    def document_scales(self, at: int) -> FloatArray:
        """Return the amount that each document had added to the scale of a column."""
        return _round_to_unit(self.training.scales(self.columns[at]))

    def subtract_documents(self, class_documents: FloatArray) -> FloatArray:
        """Return numbers of documents of each class minus each document, documents by classes."""
        left = np.tile(class_documents, (self.n, 1))
        left[self.pair_row, self.pair_class] -= self.document_scales(-1)[self.pair_row]
        # Weights of documents may be fractions: what is left of an empty class is rounding.
        return np.where(left < _MIN_COUNT, 0.0, left)

    @cached_property
    def class_documents(self) -> FloatArray:
        """:math:`N_c` minus each document, documents by classes."""
        return self.subtract_documents(self.class_counts.class_documents)

    @cached_property
    def n_documents(self) -> FloatArray:
        """:math:`N` minus each document."""
        return np.maximum(self.class_counts.n_documents - self.document_scales(-1), 0.0)

    def by_document(self, values: FloatArray | NDArray[np.bool_]) -> FloatArray:
        """Return the sum over the entries of each document."""
        return sum_rows(values, self.documents.starts)

    def by_pair(self, values: FloatArray | NDArray[np.bool_]) -> FloatArray:
        """Return the sum over the cells of each pair."""
        return sum_rows(values, self._pair_starts)

    def add_rows(self, values: FloatArray, rows: FloatArray, into: FloatArray) -> None:
        """Add to each document the rows of its entries, times a value of each."""
        entries = np.arange(len(self.terms), dtype=np.int32)
        add_rows(self.documents.starts, entries, values, rows, 0, into, 1)

    def split(self, dense: bool) -> Iterator[LeaveOneOutCounts]:
        """Yield the documents in smaller batches, see :func:`split_batches`."""
        width = self.class_counts.n_classes
        for documents, training in split_batches(self.documents, self.training, width, dense):
            yield LeaveOneOutCounts(self.class_counts, self.columns, documents, training)


def split_batches(
    documents: DocumentRows, training: TrainingRows, n_classes: int, dense: bool
) -> list[tuple[DocumentRows, TrainingRows]]:
    """Split documents into batches that fit into memory.

    Parameters
    ----------
    documents, training : DocumentRows and TrainingRows
        The same documents, as they are scored and as they were counted.
    n_classes : int
        Number of classes.
    dense : bool
        True if each entry needs a number per class.
    """
    numbers = np.diff(documents.starts) * (n_classes if dense else 1) + n_classes
    batch = (np.cumsum(numbers) - numbers) // _MAX_BATCH_NUMBERS
    ends = [*np.flatnonzero(np.diff(batch, prepend=-1)).tolist(), documents.n_documents]
    return [(documents.some(*ends), training.some(*ends)) for ends in pairwise(ends)]


# Scores of each training document by the model without it.


class LeaveOneOutScorer(Protocol):
    """Scores each document of a batch by the model without it."""

    @property
    def dense(self) -> bool:
        """True if it needs memory for a number per entry and class."""
        ...

    def __call__(self, left: LeaveOneOutCounts, intercept: FloatArray) -> Scores:
        """Return the score of each document for each class, and its length."""
        ...


def leave_one_out(
    model: NaiveBayes, X: Any, targets: Targets, sample_weight: Any = None
) -> OutOfSample:
    """Return the scores of each document by the model without it."""
    return with_snapshot(
        model._reader(),
        lambda reader: _score_left_out(model, X, targets, sample_weight, reader.read()),
    )


def _score_left_out(
    model: NaiveBayes, X: Any, targets: Targets, sample_weight: Any, class_counts: ClassCounts
) -> OutOfSample:
    check_has_classes(class_counts)
    scorer = model._leave_one_out_scorer(class_counts)
    documents, training = _training_rows(model, X, targets, sample_weight, class_counts)
    batches = split_batches(documents, training, class_counts.n_classes, scorer.dense)
    columns = model._columns(model.unit_, model.weighted_)

    def score(batch: tuple[DocumentRows, TrainingRows]) -> Scores:
        left = LeaveOneOutCounts(class_counts, columns, *batch)
        scores, lengths = scorer(left, log_priors_without(model, left))
        return model._add_left_out_length_scores(scores, left), lengths

    n_threads = min(thread_count(model.n_jobs), _MAX_THREADS, len(batches))
    if n_threads <= 1:
        found = list(map(score, batches))
    else:
        # Kernels and NumPy release the lock of the interpreter.
        with ThreadPoolExecutor(n_threads) as pool:
            found = list(pool.map(score, batches))
    return OutOfSample(
        scores=np.concatenate([scores for scores, _ in found]),
        lengths=np.concatenate([lengths for _, lengths in found]),
        truth=indicator_matrix(targets.labels, class_counts.order.classes),
        classes=class_counts.order.classes,
        contrasts=model.contrasts,
        multi_label=model.multi_label_,
        method="leave-one-out",
    )


def leave_one_out_accuracies(
    model: MultinomialNB, X: Any, targets: Targets, weights: Any, candidates: Sequence[Smoothing]
) -> list[float]:
    """Return the leave-one-out accuracy of each of several smoothings.

    They differ in their parameters only, so that the counts of a batch and its translated
    signatures are computed once for all of them.
    """
    class_counts = model._reader().read()
    documents, training = _training_rows(model, X, targets, weights, class_counts)
    counts = model.word_counts(class_counts, candidates[0])
    scorers = [
        model._leave_one_out_scorer(class_counts, replace(counts, smoothing=each))
        for each in candidates
    ]
    truth = indicator_matrix(targets.labels, class_counts.order.classes)
    columns = model._columns(model.unit_, model.weighted_)
    right, first = np.zeros(len(scorers)), 0
    for batch in split_batches(documents, training, class_counts.n_classes, dense=True):
        left = LeaveOneOutCounts(class_counts, columns, *batch)
        intercept, here = log_priors_without(model, left), truth[first : first + left.n]
        first += left.n
        for at, scorer in enumerate(scorers):
            scores = model._add_left_out_length_scores(scorer(left, intercept)[0], left)
            right[at] += _count_right(scores, here, model.multi_label_)
    return [float(share) for share in right / max(documents.n_documents, 1)]


def _count_right(scores: FloatArray, truth: NDArray[np.bool_], multi_label: bool) -> int:
    if multi_label:
        return int(((scores > 0) == truth).all(axis=1).sum())
    return int(truth[np.arange(len(scores)), scores.argmax(axis=1)].sum())


def _training_rows(
    model: NaiveBayes, X: Any, targets: Targets, sample_weight: Any, class_counts: ClassCounts
) -> tuple[DocumentRows, TrainingRows]:
    """Return documents as they are scored and as they were counted; check terms and labels."""
    weights = check_weights(sample_weight, X.shape[0])
    if weights is not None and not model.weighted_:
        raise CountError("sample_weight was not given when these documents were learned.")
    documents = to_documents(X)
    last_term = int(documents.terms.max()) if documents.terms.size else -1
    if last_term >= class_counts.n_terms:
        raise NegativeCountError(
            f"cannot leave out: column {last_term} is none of the {class_counts.n_terms} terms of "
            "this model. Were these documents ever learned by it?"
        )
    # A fraction cannot have been learned by a model of whole counts: its cell shows that later.
    units = documents.values if model.unit_ == 1 else np.rint(documents.values / model.unit_)
    training = TrainingRows.from_labels(
        documents._replace(values=units), targets.labels, model.tally_.label_index, weights
    ).drop_zero_weights()
    _check_classes(training, targets, class_counts)
    return transform_counts(documents, model.tf_test), training


def _check_classes(training: TrainingRows, targets: Targets, class_counts: ClassCounts) -> None:
    known = np.zeros(int(training.labels.max(initial=-1)) + 1, dtype=bool)
    sources = class_counts.order.sources
    known[sources[(sources >= 0) & (sources < len(known))]] = True
    unknown = ~known[training.labels]
    if unknown.any():
        pair = int(np.argmax(unknown))
        document = int(np.searchsorted(training.label_starts, pair, side="right")) - 1
        raise NegativeCountError(
            f"cannot leave out: the model has no document of a class of document {document}, "
            f"{targets.labels[document]!r}. Was it ever learned, with this label?"
        )


def log_priors_without(model: NaiveBayes, left: LeaveOneOutCounts) -> FloatArray:
    """Return the log-priors minus each document; minus infinity for a class without documents.

    They depend on the labels and the weight of the document only, and are computed once for each
    combination of them.
    """
    class_counts, training = left.class_counts, left.training
    classes = class_counts.order.classes
    inside, total = class_counts.prior_documents
    documents = left.subtract_documents(inside)
    n_documents = np.maximum(total - left.document_scales(-1), 0.0)
    announced = [label in model.ordering_.announced for label in classes.tolist()]
    alive = left.subtract_documents(class_counts.labelled_documents) > 0
    alive = alive | np.array(announced, dtype=bool)
    first, group = _group_by_labels(training)
    rows = [
        _log_prior_row(model, documents[at], float(n_documents[at]), alive[at], classes)
        for at in first
    ]
    return np.array(rows).reshape(-1, len(classes))[group]


def _group_by_labels(training: TrainingRows) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Group documents with the same labels and weight: the first of each group, and the groups."""
    n, weights = training.documents.n_documents, training.weights
    if weights is None and (np.diff(training.label_starts) == 1).all():
        _, first, group = np.unique(training.labels, return_index=True, return_inverse=True)
        return first, group
    labels = [training.labels[a:b].tobytes() for a, b in pairwise(training.label_starts)]
    keys = zip(labels, [1.0] * n if weights is None else weights.tolist(), strict=True)
    firsts: dict[Any, int] = {}
    first, group = np.unique(
        [firsts.setdefault(key, at) for at, key in enumerate(keys)], return_inverse=True
    )
    return first, group


def _log_prior_row(
    model: NaiveBayes,
    documents: FloatArray,
    n_documents: float,
    alive: NDArray[np.bool_],
    classes: NDArray[Any],
) -> FloatArray:
    row = np.full(len(classes), -np.inf)
    if not alive.any():
        return row
    multi_label, prior = model.multi_label_, model.prior
    if isinstance(prior, str | Mapping):
        total = n_documents if multi_label else None
        priors = class_priors(prior, model.prior_beta, documents[alive], classes[alive], total)
    else:
        # Numbers given in the order of all classes are not normalised again.
        priors = np.asarray(prior, dtype=np.float64)[alive]
    weights, contrasts = model.class_weight, model.contrasts
    row[alive] = log_priors(priors, weights, classes[alive], multi_label, contrasts)
    return row


# Multinomial models.


def _take_rows(values: Any, at: Any) -> Any:
    """Return the rows ``at`` of an array, or the one number that holds for all rows."""
    return values[at] if isinstance(values, np.ndarray) else values


class LeaveOneOutWords:
    """Word counts of a multinomial model minus each document: the statistics of its smoothing.

    Parameters
    ----------
    counts : WordCounts
        Of all documents.
    left : LeaveOneOutCounts
        The batch.

    Attributes
    ----------
    occurrences, background : ndarray of shape (n_entries,)
        :math:`T_w` and :math:`g(w)`.
    in_vocabulary : ndarray of bool of shape (n_entries,)
        True for words that still count.
    cells : ndarray of shape (n_cells,)
        :math:`N_{cw}`.
    n_live, total : ndarray of shape (n,)
        The number of words that occur, and :math:`T`.
    n_terms : int or ndarray of shape (n,)
        :math:`V`.
    """

    def __init__(self, counts: WordCounts, left: LeaveOneOutCounts) -> None:
        self.counts, self.left, scale = counts, left, counts.scale
        # A signature that is not a word counts for the translation only.
        topics = None if counts.translated is None else counts.translated.topics
        is_word = 1.0 if topics is None else topics.is_word[left.terms] * 1.0
        column = left.column(0)
        self.occurrences = column.occurrences * scale * is_word
        self.cells = column.cells * scale * _take_rows(is_word, left.cell_entry)
        self._cells_before = column.cells_before * scale
        self.n_live = left.class_counts.n_live_terms - left.n_vanished
        self.n_terms: Any = counts.n_terms if counts.closed else self.n_live
        removed, sums = left.by_document(column.removed * is_word), counts.class_counts
        total = (sums.totals[0] - removed) * scale
        self.total = np.where(self.n_live > 0, total, 0.0)
        vanished = left.by_pair(left.vanished_cells)
        self._pair_terms = left.class_counts.class_terms[left.pair_class] - vanished
        tokens = (sums.class_totals[0][left.pair_class] - removed[left.pair_row]) * scale
        self._pair_tokens = np.where(self._pair_terms > 0, tokens, 0.0)
        self.background = self.background_for(self.occurrences, left.row)
        self.in_vocabulary = self.background > 0

    def background_for(self, occurrences: FloatArray, at: Any) -> FloatArray:
        """Return g of words with these T_w, without the documents ``at``."""
        known = np.full(occurrences.shape, True) if self.counts.closed else occurrences > 0
        terms = TermStatistics(occurrences, self.total[at], _take_rows(self.n_terms, at), known)
        return self.counts.smoothing.background_weight(terms)

    @cached_property
    def pairs(self) -> ClassStatistics:
        """Statistics of the class of each pair."""
        row = self.left.pair_row
        return ClassStatistics(
            tokens=self._pair_tokens,
            terms=self._pair_terms,
            total=self.total[row],
            n_terms=_take_rows(self.n_terms, row),
            whole=self.counts.whole,
            sum=self._pair_sum,
        )

    @cached_property
    def classes(self) -> ClassStatistics:
        """Statistics of each class, documents by classes; their sums do not support T_w."""
        n_terms = self.n_terms
        return ClassStatistics(
            tokens=self._with_pairs(self.counts.tokens, self._pair_tokens),
            terms=self._with_pairs(self.left.class_counts.class_terms, self._pair_terms),
            total=self.total[:, None],
            n_terms=n_terms[:, None] if isinstance(n_terms, np.ndarray) else n_terms,
            whole=self.counts.whole,
            sum=lambda measure, occurrences=False: self._with_pairs(
                self.counts.classes.sum(measure), self._pair_sum(measure, occurrences)
            ),
        )

    @cached_property
    def complements(self) -> ClassStatistics:
        """Statistics of the complement of each class, for a smoothing without sums."""
        tokens = self.classes.tokens
        return replace(
            self.classes,
            tokens=np.maximum(self.total[:, None] - tokens, 0.0),
            terms=np.broadcast_to(self.n_live[:, None], tokens.shape),
        )

    def _with_pairs(self, classes: FloatArray, pairs: FloatArray) -> FloatArray:
        """Return numbers of all classes as one row per document, replaced for its own classes."""
        rows = np.tile(classes, (self.left.n, 1))
        rows[self.left.pair_row, self.left.pair_class] = pairs
        return rows

    def _pair_sum(self, measure: Measure, occurrences: bool = False) -> FloatArray:
        if occurrences:
            raise ScoreError(
                f"{type(self.counts.smoothing).__name__} sums over words that other classes have "
                "too, so it is not local: let its property local return False."
            )
        full = self.counts.classes.sum(measure)[self.left.pair_class]
        return full - self.left.by_pair(measure(self._cells_before) - measure(self.cells))


# The kernel takes empty arrays if scores are joint.
_NO_COMPLEMENT: Mapping[str, FloatArray] = {
    **dict.fromkeys(("spread", "words", "absent"), np.empty(0)),
    **dict.fromkeys(("seen", "freed"), np.empty((0, 0))),
}


class SparseComplement:
    r"""Log-probabilities of complements minus each document, for a linear smoothing.

    A word that class c does not have has a probability of the form A(w) B(c) in the complement of
    c. A word that it has, has :math:`\bar\rho_c (T_w - N_{cw}) + \bar\gamma_c g(w)`.

    Attributes
    ----------
    class_logs : ndarray of shape (n, n_classes)
        log B.
    entry_logs : ndarray of shape (n_entries,)
        log A.
    cell_logs : ndarray of shape (n_cells,)
        log p(w|c̄) of each cell: the complement never had the document.
    arrays : dict of str to ndarray
        The arguments of the kernel: by entry, and by document and class divided by B.
    """

    def __init__(self, words: LeaveOneOutWords) -> None:
        left, complements, smoothing = words.left, words.complements, words.counts.smoothing
        shape, rows = complements.tokens.shape, np.arange(left.n)
        rate = smoothing.seen_probability(np.ones(shape), complements)
        mass = np.broadcast_to(smoothing.backoff_mass(complements), shape)
        # A is the probability in the largest complement, which is the most precise.
        first = rows, complements.tokens.argmax(axis=1)
        absent = rate[first][left.row] * words.occurrences
        absent = absent + mass[first][left.row] * words.background
        any_word = rate * words.total[:, None]
        any_word = any_word + mass * words.background_for(words.total, rows)[:, None]
        largest = any_word[first][:, None]
        ratio = np.divide(any_word, largest, out=np.ones_like(any_word), where=any_word > 0)
        self.class_logs, self.entry_logs = np.log(ratio), _log_or_zero(absent)
        pair, of_pair, entry = left.cell_pair, (left.pair_row, left.pair_class), left.cell_entry
        outside = np.maximum(words.occurrences[entry] - words.cells, 0.0)
        here = rate[of_pair][pair] * outside
        self.cell_logs = _log_or_zero(here + mass[of_pair][pair] * words.background[entry])
        self.arrays = {
            "spread": words.background,
            "words": words.occurrences,
            "absent": 1.0 / np.where(absent > 0, absent, np.inf),
            "seen": rate / ratio,
            "freed": mass / ratio,
        }


@dataclass(frozen=True)
class SparseLeaveOneOut:
    r"""Scores documents in the time of the cells of their terms.

    A word that class c does not have adds :math:`\log \gamma_c + \log g(w)`, a word that it has
    :math:`\log(1 + f / (\gamma_c g))` more. For a local smoothing :math:`f / \gamma_c` of a class
    does not change unless the class had the document, so the kernel reads ratios that are computed
    once; the cells of the document itself are then replaced.

    Attributes
    ----------
    counts : WordCounts
        Of all documents.
    emphasis : ndarray of shape (n_terms,)
        Weights of words, those of all documents.
    contrasts, only_complement : bool
        Subtract the complement of each class, or score by it alone.
    fallback : LeaveOneOutScorer
        Scores batches in which a class without the document has no background mass.
    """

    counts: WordCounts
    emphasis: FloatArray
    contrasts: bool
    only_complement: bool
    fallback: LeaveOneOutScorer

    dense = False

    def applies(self) -> bool:
        """Return True if the scores are exact for this smoothing."""
        smoothing = self.counts.smoothing
        if not smoothing.local or smoothing.exclusive or (self.contrasts and not smoothing.linear):
            return False
        return bool((smoothing.backoff_mass(self.counts.classes) > 0).all())

    def __call__(self, left: LeaveOneOutCounts, intercept: FloatArray) -> Scores:
        """Return the score of each document for each class, and its length."""
        words = LeaveOneOutWords(self.counts, left)
        mass = self.counts.smoothing.backoff_mass(words.classes)
        mass = np.broadcast_to(mass, intercept.shape)
        if not (mass > 0).all():
            return self._fall_back(left, intercept)
        exponents = left.documents.values
        if self._has_emphasis:
            exponents = exponents * self.emphasis[left.terms]
        if not words.in_vocabulary.all():
            exponents = exponents * words.in_vocabulary
        lengths = left.by_document(exponents)
        class_logs, entry_logs, cell_logs = self._logs(words, mass)
        arrays = _NO_COMPLEMENT
        if self.contrasts:
            complement = SparseComplement(words)
            class_logs = class_logs - complement.class_logs
            entry_logs = entry_logs - complement.entry_logs
            cell_logs = cell_logs - complement.cell_logs
            arrays = complement.arrays
        scores = self._gains(words, exponents, arrays)
        scores += class_logs * lengths[:, None]
        scores += left.by_document(exponents * entry_logs)[:, None]
        own = left.by_pair(exponents[left.cell_entry] * cell_logs)
        scores[left.pair_row, left.pair_class] = own
        return scores + intercept, lengths

    def _logs(
        self, words: LeaveOneOutWords, mass: FloatArray
    ) -> tuple[FloatArray, FloatArray, FloatArray]:
        r"""Return :math:`\log \gamma_c`, :math:`\log g(w)`, and log p(w|c) of each cell."""
        if self.only_complement:
            return np.zeros_like(mass), np.zeros(1), np.zeros_like(words.cells)
        left = words.left
        # A background of one for every word is common enough to skip its logarithms.
        flat = (words.background == 1).all()
        entry_logs = np.zeros(1) if flat else _log_or_zero(words.background)
        own = words.pairs.select(left.cell_pair)
        seen = self.counts.smoothing.seen_probability(words.cells, own)
        own_mass = mass[left.pair_row, left.pair_class][left.cell_pair]
        cell_logs = _log_or_zero(seen + own_mass * words.background[left.cell_entry])
        return _log_or_zero(mass), entry_logs, cell_logs

    def _gains(
        self, words: LeaveOneOutWords, exponents: FloatArray, complement: Mapping[str, FloatArray]
    ) -> FloatArray:
        """Return the sums of log(1 + f / (gamma g)) over the cells of all classes."""
        left, class_counts = words.left, self.counts.class_counts
        gains = np.zeros((left.n, class_counts.n_classes))
        if not len(class_counts.classes):
            return gains
        starts, classes, ratios, max_ratios = self._postings
        arrays = {
            "exponents": exponents,
            "ratios": ratios,
            "counts": self.counts.cells if self.contrasts else np.empty(0),
            "tops": max_ratios,
            "inverse": 1.0 / np.where(words.in_vocabulary, words.background, np.inf),
            **complement,
        }
        left_out_gains(
            starts=left.documents.starts,
            terms=left.terms,
            post_starts=starts,
            post_classes=classes,
            gains=gains,
            n_threads=1,
            **{name: np.ascontiguousarray(a, dtype=np.float64) for name, a in arrays.items()},
        )
        return gains

    @cached_property
    def _postings(
        self,
    ) -> tuple[NDArray[np.int64], NDArray[np.int32], FloatArray, FloatArray]:
        r"""The cells by term with :math:`f / \gamma_c` of each, and the largest of each term."""
        counts, class_counts = self.counts, self.counts.class_counts
        starts, classes = class_counts.starts, class_counts.classes
        if self.only_complement:
            ratios = np.zeros(len(classes))
        else:
            mass = counts.smoothing.backoff_mass(counts.classes)
            seen = counts.smoothing.seen_probability(counts.cells, counts.classes.select(classes))
            ratios = seen / mass[classes]
        some = np.flatnonzero(np.diff(starts))
        max_ratios = np.zeros(len(starts) - 1)
        max_ratios[some] = np.maximum.reduceat(ratios, starts[some]) if len(some) else 0.0
        if self.contrasts:
            return starts, classes, ratios, max_ratios
        # Full rows are faster. A ratio of zero changes no joint score, but a contrast needs the
        # counts of the complement, too, which such a row does not have.
        return *fill_rows(starts, classes, ratios, class_counts.n_classes), max_ratios

    @cached_property
    def _has_emphasis(self) -> bool:
        return not bool((self.emphasis == 1).all())

    def _fall_back(self, left: LeaveOneOutCounts, intercept: FloatArray) -> Scores:
        found, first = [], 0
        for batch in left.split(self.fallback.dense):
            found.append(self.fallback(batch, intercept[first : first + batch.n]))
            first += batch.n
        scores, lengths = zip(*found, strict=True)
        return np.concatenate(scores), np.concatenate(lengths)


def _log_or_zero(values: FloatArray) -> FloatArray:
    # Several times as fast as np.log with a mask.
    return np.log(np.where(values > 0, values, 1.0))


class DenseWords:
    """Counts of each entry in each class, before and after its document is left out.

    Parameters
    ----------
    words : LeaveOneOutWords
        The batch.
    """

    def __init__(self, words: LeaveOneOutWords) -> None:
        self._words, left, counts = words, words.left, words.counts
        self._before = counts.class_counts.rows(counts.cells, left.terms)
        self._after = self._before.copy()
        self._after[left.cell_at] = words.cells
        self._occurrences_before = counts.occurrences[left.terms][:, None]
        self._occurrences = words.occurrences[:, None]

    def probabilities(self) -> FloatArray:
        """Return p(w|c) of each entry in each class."""
        words, translated = self._words, self._words.counts.translated
        total = self._sum(words.counts.classes, self._before, self._after)
        classes = replace(words.classes, sum=total)
        shares = None if translated is None else translated.topics.leave_one_out.classes(words.left)
        return self._smooth(self._after, classes, shares)

    def complement_probabilities(self) -> FloatArray:
        """Return p(w|c̄) of each entry, c̄ being all documents outside c."""
        words, full = self._words, self._words.counts.complements
        before = np.maximum(self._occurrences_before - self._before, 0.0)
        after = np.maximum(self._occurrences - self._after, 0.0)
        vanished = self._occur_outside(self._before, self._occurrences_before) * 1.0
        vanished = vanished - self._occur_outside(self._after, self._occurrences)
        complements = replace(
            words.complements,
            terms=full.terms - self._by_document(vanished),
            sum=self._sum(full, before, after),
        )
        shares = None
        if words.counts.translated is not None:
            shares = words.counts.translated.topics.leave_one_out.complements(words.left)
        return self._smooth(after, complements, shares)

    def _smooth(
        self, counts: FloatArray, classes: ClassStatistics, translated: TranslatedShares | None
    ) -> FloatArray:
        smoothing, row = self._words.counts.smoothing, self._words.left.row
        if translated is not None:
            classes = replace(classes, usable=translated.usable, pruned=translated.pruned)
        here = classes.select(row)
        seen = smoothing.seen_probability(counts, here)
        if translated is not None:
            seen = seen + smoothing.translated_probability(translated.shares, here)
        # The mass is computed per document and class, then repeated for the entries: entries are
        # many more.
        mass = np.broadcast_to(smoothing.backoff_mass(classes), classes.tokens.shape)
        return combine_with_background(smoothing, seen, mass[row] * self._words.background[:, None])

    def _occur_outside(self, counts: FloatArray, occurrences: FloatArray) -> NDArray[np.bool_]:
        # The count of a word of one class outside that class is a rounding error.
        alone = (counts > 0) & (occurrences - counts <= 1e-9 * occurrences)
        return (occurrences > 0) & ~alone

    def _sum(self, full: ClassStatistics, before: FloatArray, after: FloatArray) -> ClassSum:
        """Return a function that sums a measure of counts over the words of each class."""

        def sum_measure(measure: Measure, occurrences: bool = False) -> FloatArray:
            old, new = measure(before), measure(after)
            if occurrences:
                old, new = old * self._occurrences_before, new * self._occurrences
            return full.sum(measure, occurrences) - self._by_document(old - new)

        return sum_measure

    def _by_document(self, values: FloatArray) -> FloatArray:
        left = self._words.left
        sums = np.zeros((left.n, values.shape[1]))
        left.add_rows(np.ones(len(left.terms)), np.ascontiguousarray(values), sums)
        return sums


@dataclass(frozen=True)
class DenseLeaveOneOut:
    """Scores documents with a number per entry and class, for any smoothing.

    Attributes
    ----------
    counts : WordCounts
        Of all documents.
    emphasis : callable
        From terms to their weights, terms by one or by classes; those of all documents.
    mass : ndarray of shape (n_terms,)
        The length that a token of each word adds to a document.
    contrasts, only_complement : bool
        Subtract the complement of each class, or score by it alone.
    """

    counts: WordCounts
    emphasis: Callable[[NDArray[np.int32]], FloatArray]
    mass: FloatArray
    contrasts: bool
    only_complement: bool

    dense = True

    def __call__(self, left: LeaveOneOutCounts, intercept: FloatArray) -> Scores:
        """Return the score of each document for each class, and its length."""
        words = LeaveOneOutWords(self.counts, left)
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            table = DenseWords(words)
            if self.contrasts:
                inside = None if self.only_complement else table.probabilities()
                logs = contrast_logs(inside, table.complement_probabilities())
            else:
                logs = np.log(table.probabilities())
            emphasis = self.emphasis(left.terms)
            counted = words.in_vocabulary[:, None] & (emphasis > 0)
            logs = np.multiply(logs, emphasis, out=np.zeros_like(logs), where=counted)
        scores = intercept.copy()
        left.add_rows(left.documents.values, logs, scores)
        impossible = ~(scores > -np.inf).any(axis=1)
        # No class can have generated the document: only the prior is left.
        scores[impossible] = intercept[impossible]
        mass = self.mass[left.terms] * words.in_vocabulary
        return scores, left.by_document(left.documents.values * mass)

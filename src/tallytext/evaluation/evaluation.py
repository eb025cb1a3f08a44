"""Evaluation of predictions batch by batch, in sums that can be merged and stored.

:class:`Evaluation` counts true and predicted labels; :class:`CalibrationSums` and
:class:`RankingSums` are its parts for probabilities.
:class:`~tallytext.evaluation.EvaluationReport` computes the measures.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tallytext.errors import FileError, LabelError, ScoreError
from tallytext.evaluation.measures import precision_at_recall, probability_matrix
from tallytext.evaluation.reliability import ReliabilityCurve, top_label
from tallytext.io.array_checks import check_array_names, check_int_array
from tallytext.tally.labels import Encoded, LabelIndex, list_labels

_N_BINS = 15
# Probabilities are rounded to this unit once and then added as integers, so that sums are exact in
# any order of documents and batches.
_UNIT = 2.0**-32
_BIN_SUMS = ("count", "confidence", "right")
# Pairs of document and class are counted in bins of their log-odds, from -32 to 32.
_MAX_LOG_ODDS, _BINS_PER_UNIT = 32, 256
_N_RANKING_BINS = 2 * _MAX_LOG_ODDS * _BINS_PER_UNIT

_MAX_COUNT = 2**63 - 1
_LABEL_TYPES = (str, int, float, bool)

CONFIDENCE_LEVELS = (0.0, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.99)
"""Probabilities from which answers are counted, to choose ``--min-confidence``."""


class Evaluation:
    """Counts of true and predicted labels: memory grows with classes, not with documents.

    Parameters
    ----------
    multi_label : bool, default=False
        True if the model may predict several labels or none. Documents with several labels or none
        are multi-label documents for any model.
    ranking : bool, default=False
        True to add up the ranking measures, too; they need a sort of all classes per document.

    Attributes
    ----------
    labels : list
        All labels that were seen, in order of arrival. The arrays below refer to their positions.
    by_class : ndarray of int64 of shape (3, n_labels)
        For each label the number of documents to which it was assigned correctly, to which it was
        assigned, and which have it.
    documents : Counter
        The number of documents by their numbers of correctly assigned labels, of assigned labels
        and of true labels.
    confusions : Counter
        The number of documents by true and predicted label, if they have one of each and these
        differ.
    known : set of int
        Positions of the labels of the model, if ``classes`` were given.
    calibration : CalibrationSums
        Sums of the probabilities, if there were any.
    answers : AnswerSums
        Predicted labels and correct ones by their probability, if there were any.
    ranking : RankingSums or None
        Sums for average precision and break-even point, if they were requested.

    Examples
    --------
    >>> evaluation = Evaluation()
    >>> evaluation.add(["ham", "spam"], ["ham", "ham"])
    >>> evaluation.add(["spam"], ["spam"])
    >>> evaluation.n_documents, evaluation.confusions
    (3, Counter({(1, 0): 1}))
    """

    def __init__(self, *, multi_label: bool = False, ranking: bool = False) -> None:
        self._index = LabelIndex()
        self.by_class: NDArray[np.int64] = np.zeros((3, 0), dtype=np.int64)
        self.documents: Counter[tuple[int, int, int]] = Counter()
        self.confusions: Counter[tuple[int, int]] = Counter()
        self.known: set[int] = set()
        # Documents that the model was trained on; set by whoever knows.
        self.n_learned = 0
        self.calibration = CalibrationSums()
        self.answers = AnswerSums()
        self.ranking = RankingSums() if ranking else None
        self._multi_label = multi_label

    @property
    def multi_label(self) -> bool:
        """True if the model, or some document, may have several labels or none."""
        return self._multi_label or any(kind[1:] != (1, 1) for kind in self.documents)

    @property
    def labels(self) -> list[Any]:
        """All labels that were seen, in order of arrival."""
        return self._index.names

    @property
    def n_documents(self) -> int:
        """The number of documents that were added."""
        return self.documents.total()

    @property
    def reliability(self) -> ReliabilityCurve | None:
        """Accuracy of the most likely class by its probability; None without probabilities."""
        return self.calibration.curve

    @property
    def brier(self) -> float | None:
        """The mean Brier score; None without probabilities."""
        return self.calibration.brier

    def add(
        self,
        truth: Any,
        predicted: Any,
        probabilities: ArrayLike | None = None,
        classes: Sequence[Any] | None = None,
    ) -> None:
        """Add a batch of documents; nothing changes if an error is raised.

        Parameters
        ----------
        truth, predicted : sequence of n_documents labels, or of lists of labels
        probabilities : array-like of shape (n_documents, n_classes), default=None
            The probability of each class. Calibration is measured on the documents that have them.
        classes : sequence of labels, default=None
            All classes of the model, which are the columns of ``probabilities``.
        """
        listed, size = list_labels(truth), len(self._index)
        n_documents = len(listed)
        try:
            wanted = self._index.encode(listed, n_documents)
            given = self._index.encode(predicted, n_documents)
            columns = self._class_columns(classes)
            if probabilities is not None and n_documents:
                matrix = _check_probabilities(probabilities, n_documents, len(columns))
                # Before the labels are counted, because only this part can fail.
                self._add_probabilities(matrix, wanted, given, columns)
        except ValueError:
            # Labels of the failed batch were numbered already.
            self._index.truncate(size)
            raise
        self.known.update(columns.tolist())
        self._add_labels(wanted, given)

    def __iadd__(self, other: Evaluation) -> Evaluation:
        """Add the documents of another evaluation; the sums are exact in any order."""
        self._add_ranking(other)
        self._multi_label |= other._multi_label
        position = self._index.join(other._index)
        by_class = np.zeros((3, len(self._index)), dtype=np.int64)
        by_class[:, : self.by_class.shape[1]] = self.by_class
        by_class[:, position[: other.by_class.shape[1]]] += other.by_class
        self.by_class = by_class
        self.documents.update(other.documents)
        number = position.tolist()
        confusions = {(number[a], number[b]): n for (a, b), n in other.confusions.items()}
        self.confusions.update(confusions)
        self.known.update(number[c] for c in other.known)
        self.calibration += other.calibration
        self.answers += other.answers
        return self

    def _add_ranking(self, other: Evaluation) -> None:
        """Add the sums for rankings; there are none if one of two has documents without them."""
        if other.ranking is None:
            self.ranking = None if other.n_documents else self.ranking
            return
        if self.ranking is None and not self.n_documents:
            self.ranking = RankingSums()
        if self.ranking is not None:
            self.ranking += other.ranking

    def _class_columns(self, classes: Sequence[Any] | None) -> NDArray[np.intp]:
        """Return the position of each class among the labels."""
        names = [] if classes is None else list_labels(classes)
        columns = [self._index.add(name) for name in names]
        if len(set(columns)) < len(columns):
            raise LabelError(f"classes must differ from each other: {names!r:.80}")
        return np.array(columns, dtype=np.intp)

    def _add_labels(self, truth: Encoded, predicted: Encoded) -> None:
        """Count correctly assigned, assigned and true labels by class and by document."""
        n_labels, n_documents = len(self._index), len(truth[0]) - 1
        wanted, given = _label_cells(truth, n_labels), _label_cells(predicted, n_labels)
        right = np.intersect1d(wanted, given, assume_unique=True)
        cells = right, given, wanted
        added = np.array([np.bincount(each % n_labels, minlength=n_labels) for each in cells])
        added[:, : self.by_class.shape[1]] += self.by_class
        self.by_class = added
        by_document = (np.bincount(each // n_labels, minlength=n_documents) for each in cells)
        self.documents.update(zip(*(counts.tolist() for counts in by_document), strict=True))
        self.confusions.update(zip(*_confused_pairs(truth, predicted).T.tolist(), strict=True))

    def _add_probabilities(
        self,
        matrix: NDArray[np.float64],
        wanted: Encoded,
        given: Encoded,
        columns: NDArray[np.intp],
    ) -> None:
        """Add to the calibration; a true label without a column has the probability 0."""
        starts, ids = wanted
        truth = np.zeros((len(matrix), len(self._index)), dtype=np.bool_)
        truth[np.repeat(np.arange(len(matrix)), np.diff(starts)), ids] = True
        right = truth[:, columns]
        n_unknown = truth.sum(axis=1) - right.sum(axis=1)
        self.calibration.add(matrix, right, n_unknown)
        # The class of each label, and a column of zeros for labels that are no class.
        place = np.full(len(self._index), len(columns))
        place[columns] = np.arange(len(columns))
        rows, assigned = np.repeat(np.arange(len(matrix)), np.diff(given[0])), given[1]
        padded = np.pad(matrix, ((0, 0), (0, 1)))
        self.answers.add(padded[rows, place[assigned]], truth[rows, assigned])
        if self.ranking is not None:
            self.ranking.add(matrix, right, n_unknown)

    def to_arrays(self) -> tuple[dict[str, NDArray[Any]], dict[str, Any]]:
        """Return all sums as arrays and plain values, to store or send them."""
        arrays = {
            "by_class": self.by_class,
            "documents": _counter_table(self.documents, 3),
            "confusions": _counter_table(self.confusions, 2),
            "known": np.array(sorted(self.known), dtype=np.int64),
            "ranked_pairs": np.zeros((0, 3), np.int64)
            if self.ranking is None
            else self.ranking.to_table(),
        }
        header = {
            "labels": self.labels,
            "multi_label": self._multi_label,
            "certainty": self.calibration.to_dict(),
            "answers": self.answers.to_dict(),
            "ranking": None if self.ranking is None else self.ranking.to_dict(),
        }
        return arrays, header

    @classmethod
    def from_arrays(
        cls, arrays: Mapping[str, NDArray[Any]], header: Mapping[str, Any]
    ) -> Evaluation:
        """Make an evaluation from the values of :meth:`to_arrays`, and check all of them.

        Parameters
        ----------
        arrays : mapping of str to ndarray
        header : mapping

        Raises
        ------
        FileError
            If something is missing, or the sums are impossible.

        Examples
        --------
        >>> evaluation = Evaluation()
        >>> evaluation.add(["ham", "spam"], ["ham", "ham"])
        >>> more = Evaluation.from_arrays(*evaluation.to_arrays())
        >>> more += evaluation
        >>> more.n_documents, more.confusions
        (4, Counter({(1, 0): 2}))
        """
        check_array_names(arrays, {"by_class", "documents", "confusions", "known", "ranked_pairs"})
        made = cls()
        made._index = _read_labels(header)
        n_labels = len(made._index)
        made.by_class = check_int_array(arrays, "by_class", (3, None), 0, _MAX_COUNT)
        # Classes of the model that no document has may have no counts, so there may be fewer.
        if made.by_class.shape[1] > n_labels or (made.by_class[0] > made.by_class[1:]).any():
            raise FileError("by_class has more correct labels than labels.")
        kinds = check_int_array(arrays, "documents", (None, 4), 0, _MAX_COUNT)
        if (kinds[:, 0] > kinds[:, 1:3].min(axis=1, initial=_MAX_COUNT)).any():
            raise FileError("documents have more correct labels than labels.")
        pairs = check_int_array(arrays, "confusions", (None, 3), 0, _MAX_COUNT)
        if (pairs[:, :2] >= n_labels).any() or (pairs[:, 0] == pairs[:, 1]).any():
            raise FileError("confusions must be between two different labels.")
        made.documents, made.confusions = _read_counter(kinds), _read_counter(pairs)
        made.known = {*check_int_array(arrays, "known", (None,), 0, n_labels).tolist()}
        made._multi_label = header.get("multi_label") is True
        pairs = check_int_array(arrays, "ranked_pairs", (None, 3), 0, _MAX_COUNT)
        try:
            made.calibration = CalibrationSums.from_dict(header["certainty"])
            made.answers = AnswerSums.from_dict(header["answers"])
            if header["ranking"] is not None:
                made.ranking = RankingSums.from_dict(header["ranking"], pairs)
        except (KeyError, TypeError) as problem:
            raise FileError(f"the sums of probabilities cannot be read: {problem}.") from None
        return made


class CalibrationSums:
    """Sums over probabilities for the reliability curve and the Brier score.

    The contribution of a document is rounded once, to units of 2^-32, and added as integers
    without limit, so that sums do not depend on the order of documents and batches.

    Attributes
    ----------
    count, confidence, right : list of int
        For each of 15 bins of the probability of the most likely class: the number of documents,
        the sum of their probabilities in units of 2^-32, and the number of correct ones.
    squares : int
        The sum over documents of squared distances of probabilities to the truth, in units of
        2^-32.

    Examples
    --------
    >>> sums = CalibrationSums()
    >>> sums.add(np.array([[0.75, 0.25]]), np.array([[True, False]]), np.array([0]))
    >>> sums.brier
    0.125
    """

    def __init__(self) -> None:
        self.count, self.confidence, self.right = ([0] * _N_BINS for _ in _BIN_SUMS)
        self.squares = 0

    def add(
        self, matrix: NDArray[np.float64], truth: NDArray[np.bool_], n_unknown: NDArray[np.int64]
    ) -> None:
        """Add documents.

        Parameters
        ----------
        matrix, truth : ndarray of shape (n_documents, n_classes)
            Probabilities, and True for the classes of each document.
        n_unknown : ndarray of shape (n_documents,)
            The number of true labels without a column; their probability is 0.
        """
        probability, correct = top_label(matrix, truth)
        edges = np.linspace(0, 1, _N_BINS + 1)
        # Bins are closed on the left; the last one also holds probabilities of exactly 1.
        bins = np.minimum(np.searchsorted(edges, probability, side="right"), _N_BINS) - 1
        _add_to_bins(self.count, bins, np.ones(len(bins), np.int64))
        _add_to_bins(self.confidence, bins, _in_units(probability))
        _add_to_bins(self.right, bins, correct.astype(np.int64))
        # The order of additions, and so the last bits of a sum, depends on the memory layout.
        squares = np.ascontiguousarray((matrix - truth) ** 2).sum(axis=1) + n_unknown
        self.squares += sum(_in_units(squares).tolist())

    def __iadd__(self, other: CalibrationSums) -> CalibrationSums:
        for name in _BIN_SUMS:
            pairs = zip(getattr(self, name), getattr(other, name), strict=True)
            setattr(self, name, [a + b for a, b in pairs])
        self.squares += other.squares
        return self

    @property
    def curve(self) -> ReliabilityCurve | None:
        """Accuracy of the most likely class by its probability; None without probabilities."""
        count = np.array(self.count, dtype=np.int64)
        filled = np.flatnonzero(count)
        if not len(filled):
            return None
        edges = np.linspace(0, 1, _N_BINS + 1)
        means = [_UNIT * (self.confidence[b] / self.count[b]) for b in filled]
        shares = [self.right[b] / self.count[b] for b in filled]
        return ReliabilityCurve(
            edges[filled], edges[filled + 1], np.array(means), np.array(shares), count[filled]
        )

    @property
    def brier(self) -> float | None:
        """The mean Brier score; None without probabilities."""
        n_documents = sum(self.count)
        return _UNIT * (self.squares / n_documents) if n_documents else None

    def to_dict(self) -> dict[str, Any]:
        """Return all sums as plain values for JSON."""
        return {name: getattr(self, name) for name in (*_BIN_SUMS, "squares")}

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> CalibrationSums:
        """Make sums from the values of :meth:`to_dict`, and check them."""
        made = cls()
        made.count, made.confidence, made.right = (_read_sums(values[name]) for name in _BIN_SUMS)
        (made.squares,) = _read_sums([values["squares"]], 1)
        sums = zip(made.count, made.confidence, made.right, strict=True)
        if not all(right <= n and confidence <= n << 32 for n, confidence, right in sums):
            raise FileError("the sums of probabilities exceed the number of documents.")
        return made


class AnswerSums:
    """Numbers of predicted labels, and of correct ones, from each of several probabilities on.

    Attributes
    ----------
    given, right : list of int
        For each of ``CONFIDENCE_LEVELS``, the predicted labels that are at least as probable, and
        the correct ones among them.

    Examples
    --------
    >>> sums = AnswerSums()
    >>> sums.add(np.array([0.55, 0.97]), np.array([False, True]))
    >>> sums.given
    [2, 2, 1, 1, 1, 1, 1, 0]
    """

    def __init__(self) -> None:
        self.given, self.right = ([0] * len(CONFIDENCE_LEVELS) for _ in range(2))

    def add(self, probability: NDArray[np.float64], correct: NDArray[np.bool_]) -> None:
        """Add predicted labels with their probabilities."""
        enough = probability >= np.array(CONFIDENCE_LEVELS)[:, np.newaxis]
        for sums, counted in ((self.given, enough), (self.right, enough & correct)):
            sums[:] = [a + b for a, b in zip(sums, counted.sum(axis=1).tolist(), strict=True)]

    def __iadd__(self, other: AnswerSums) -> AnswerSums:
        self.given = [a + b for a, b in zip(self.given, other.given, strict=True)]
        self.right = [a + b for a, b in zip(self.right, other.right, strict=True)]
        return self

    def to_dict(self) -> dict[str, Any]:
        """Return the sums as plain values for JSON."""
        return {"given": self.given, "right": self.right}

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> AnswerSums:
        """Make sums from the values of :meth:`to_dict`, and check them."""
        made, size = cls(), len(CONFIDENCE_LEVELS)
        made.given, made.right = (_read_sums(values[name], size) for name in ("given", "right"))
        if any(right > given for given, right in zip(made.given, made.right, strict=True)):
            raise FileError("more answers are correct than were given.")
        return made


class RankingSums:
    r"""Sums for the eleven-point average precision and the micro-averaged break-even point.

    The average precision of a document is rounded once, to units of 2^-32. Pairs of document and
    class are counted in bins of the log-odds of their probability, 256 bins per unit from -32 to
    32; the pairs of one bin count as ties, as in :func:`~tallytext.evaluation.break_even`.

    Attributes
    ----------
    n_ranked : int
        The number of documents with a true label.
    precision : int
        The sum of their average precisions, in units of 2^-32.
    n_true : int
        The number of true pairs of document and class, including classes without a probability.
    pairs, right : ndarray of int64 of shape (n_bins,)
        The number of pairs in each bin, and of true pairs.

    Examples
    --------
    >>> sums = RankingSums()
    >>> sums.add(np.array([[0.75, 0.25]]), np.array([[False, True]]), np.array([0]))
    >>> sums.average_precision_11, sums.break_even
    (0.5, 0.0)
    """

    def __init__(self) -> None:
        self.n_ranked = self.precision = self.n_true = 0
        self.pairs: NDArray[np.int64] = np.zeros(_N_RANKING_BINS, dtype=np.int64)
        self.right = self.pairs.copy()

    def add(
        self, matrix: NDArray[np.float64], truth: NDArray[np.bool_], n_unknown: NDArray[np.int64]
    ) -> None:
        """Add documents; see :meth:`CalibrationSums.add`."""
        n_relevant = truth.sum(axis=1) + n_unknown
        labelled = n_relevant > 0
        order = np.argsort(-matrix[labelled], axis=1, kind="stable")
        ranked = np.take_along_axis(truth[labelled], order, axis=1)
        precision = precision_at_recall(ranked, n_relevant[labelled]).mean(axis=1)
        self.n_ranked += int(labelled.sum())
        self.precision += sum(_in_units(precision).tolist())
        self.n_true += int(n_relevant.sum())
        bins = _log_odds_bins(matrix)
        self.pairs += np.bincount(bins.ravel(), minlength=_N_RANKING_BINS)
        self.right += np.bincount(bins[truth], minlength=_N_RANKING_BINS)

    def __iadd__(self, other: RankingSums) -> RankingSums:
        for name in ("n_ranked", "precision", "n_true"):
            setattr(self, name, getattr(self, name) + getattr(other, name))
        self.pairs, self.right = self.pairs + other.pairs, self.right + other.right
        return self

    @property
    def average_precision_11(self) -> float | None:
        """The mean over documents with a true label; None without one."""
        return _UNIT * (self.precision / self.n_ranked) if self.n_ranked else None

    @property
    def break_even(self) -> float | None:
        """The precision at the threshold where it equals recall; None without a true label."""
        if not self.n_true:
            return None
        pairs, right = self.pairs[::-1], self.right[::-1]
        above = np.cumsum(pairs) - pairs
        # As many pairs are assigned as are true: all of the highest bins, a share of the last.
        shares = np.clip((self.n_true - above) / np.maximum(pairs, 1), 0, 1)
        return float(shares @ right / self.n_true)

    def to_dict(self) -> dict[str, Any]:
        """Return the sums over documents as plain values for JSON."""
        return {"n_ranked": self.n_ranked, "precision": self.precision, "n_true": self.n_true}

    def to_table(self) -> NDArray[np.int64]:
        """Return bins that are not empty as rows: bin, pairs, true pairs."""
        filled = np.flatnonzero(self.pairs)
        return np.stack([filled, self.pairs[filled], self.right[filled]], axis=1)

    @classmethod
    def from_dict(cls, values: Mapping[str, Any], table: NDArray[np.int64]) -> RankingSums:
        """Make sums from the values of :meth:`to_dict` and :meth:`to_table`, and check them."""
        made, names = cls(), ("n_ranked", "precision", "n_true")
        made.n_ranked, made.precision, made.n_true = _read_sums(
            [values[name] for name in names], len(names)
        )
        bins, pairs, right = table.T
        if (bins >= _N_RANKING_BINS).any() or (right > pairs).any():
            raise FileError("the sums of ranked pairs are impossible.")
        made.pairs[bins], made.right[bins] = pairs, right
        if made.precision > made.n_ranked << 32 or made.right.sum() > made.n_true:
            raise FileError("the sums of ranked pairs exceed the number of documents or labels.")
        return made


def _log_odds_bins(probabilities: NDArray[np.float64]) -> NDArray[np.int64]:
    with np.errstate(divide="ignore"):
        odds = np.log(probabilities) - np.log1p(-probabilities)
    clipped = np.clip(odds, -_MAX_LOG_ODDS, _MAX_LOG_ODDS)
    bins = ((clipped + _MAX_LOG_ODDS) * _BINS_PER_UNIT).astype(np.int64)
    return np.minimum(bins, _N_RANKING_BINS - 1)


def _add_to_bins(sums: list[int], bins: NDArray[np.intp], values: NDArray[np.int64]) -> None:
    added = np.zeros(_N_BINS, dtype=np.int64)
    # np.bincount() would add its weights as floats.
    np.add.at(added, bins, values)
    for b, value in enumerate(added.tolist()):
        sums[b] += value


def _in_units(values: NDArray[np.float64]) -> NDArray[np.int64]:
    return np.rint(values / _UNIT).astype(np.int64)


def _label_cells(encoded: Encoded, n_labels: int) -> NDArray[np.int64]:
    """Return the flat position of each label in a matrix of documents by labels."""
    starts, ids = encoded
    rows = np.repeat(np.arange(len(starts) - 1), np.diff(starts))
    return np.asarray(rows * max(n_labels, 1) + ids, dtype=np.int64)


def _confused_pairs(truth: Encoded, predicted: Encoded) -> NDArray[np.int64]:
    """Return the true and the predicted label of documents with one of each that differ."""
    single = np.flatnonzero((np.diff(truth[0]) == 1) & (np.diff(predicted[0]) == 1))
    pairs = [ids[starts[single]].astype(np.int64) for starts, ids in (truth, predicted)]
    both = np.stack(pairs, axis=1)
    return both[both[:, 0] != both[:, 1]]


def _check_probabilities(
    probabilities: ArrayLike, n_documents: int, n_classes: int
) -> NDArray[np.float64]:
    shape = np.shape(probabilities)
    if shape != (n_documents, n_classes):
        raise ScoreError(
            f"{n_documents} documents and {n_classes} classes need as many rows and columns of "
            f"probabilities, not the shape {shape}. Were all classes given?"
        )
    return probability_matrix(probabilities)


def _counter_table(counter: Mapping[Any, int], width: int) -> NDArray[np.int64]:
    """Return the keys of a counter, which are tuples, and their counts as rows of a table."""
    # Sorted, so that equal evaluations have equal bytes.
    rows = [(*key, n) for key, n in sorted(counter.items())]
    return np.array(rows, dtype=np.int64).reshape(-1, width + 1)


def _read_counter(table: NDArray[np.int64]) -> Counter[Any]:
    if (table[:, -1] < 1).any():
        raise FileError("counts of documents must be at least 1.")
    return Counter({tuple(row[:-1]): row[-1] for row in table.tolist()})


def _read_labels(header: Mapping[str, Any]) -> LabelIndex:
    labels = header.get("labels")
    if not isinstance(labels, list) or not all(type(label) in _LABEL_TYPES for label in labels):
        raise FileError(f"labels must be a list of strings, numbers or booleans: {labels!r:.80}.")
    index = LabelIndex(labels)
    if len(index) != len(labels):
        raise FileError("labels must differ from each other.")
    return index


def _read_sums(values: Any, size: int = _N_BINS) -> list[int]:
    fits = isinstance(values, list) and len(values) == size
    if not fits or not all(type(value) is int and value >= 0 for value in values):
        raise FileError(f"sums must be {size} integers from 0 on, not {values!r:.80}.")
    return list(values)

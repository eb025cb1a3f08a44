"""Sums over predictions that come batch by batch, from which a report is made."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tallytext.errors import FileError, LabelError, ScoreError
from tallytext.evaluation.measures import probability_matrix
from tallytext.evaluation.reliability import ReliabilityCurve, top_label
from tallytext.io.array_checks import check_parts, whole_part
from tallytext.tally.labels import Encoded, LabelIndex, listed_labels

# ------------------------------------------------------------------------------------------------
# Sums that tell whether probabilities mean what they say; exact, in whatever order they come.

_BINS = 15
_UNIT = 2.0**-32
_ROWS = ("count", "confidence", "right")


class Certainty:
    """How likely the likeliest classes were, how often they were right, and squared errors.

    What a document adds is rounded once, to units of 2^-32, and summed up as whole numbers
    without limit, so that sums do not depend on who added what.

    Attributes
    ----------
    count, confidence, right : list of int
        For each of 15 bins of probabilities, how many documents are in it, the sum of their
        probabilities in units of 2^-32, and how many of them are right.
    squares : int
        The sum over documents of squared distances of probabilities to the truth, in units of
        2^-32.

    Examples
    --------
    >>> certainty = Certainty()
    >>> certainty.add(np.array([[0.75, 0.25]]), np.array([[True, False]]), np.array([0]))
    >>> certainty.brier
    0.125
    """

    def __init__(self) -> None:
        self.count, self.confidence, self.right = ([0] * _BINS for _ in _ROWS)
        self.squares = 0

    def add(
        self, matrix: NDArray[np.float64], truth: NDArray[np.bool_], n_unknown: NDArray[np.int64]
    ) -> None:
        """Add documents.

        Parameters
        ----------
        matrix, truth : ndarray of shape (n_documents, n_classes)
            Probabilities, and which classes apply.
        n_unknown : ndarray of shape (n_documents,)
            How many classes apply besides, whose probability is 0.
        """
        probability, correct = top_label(matrix, truth)
        edges = np.linspace(0, 1, _BINS + 1)
        bins = np.minimum(np.searchsorted(edges, probability, side="right"), _BINS) - 1
        self._add_to_bins(self.count, bins, np.ones(len(bins), np.int64))
        self._add_to_bins(self.confidence, bins, _units(probability))
        self._add_to_bins(self.right, bins, correct.astype(np.int64))
        squares = np.ascontiguousarray((matrix - truth) ** 2).sum(axis=1) + n_unknown
        self.squares += sum(_units(squares).tolist())

    def __iadd__(self, other: Certainty) -> Certainty:
        for name in _ROWS:
            pairs = zip(getattr(self, name), getattr(other, name), strict=True)
            setattr(self, name, [a + b for a, b in pairs])
        self.squares += other.squares
        return self

    @property
    def curve(self) -> ReliabilityCurve | None:
        """How often the most likely class was right, by its probability; None without these."""
        count = np.array(self.count, dtype=np.int64)
        kept = np.flatnonzero(count)
        if not len(kept):
            return None
        edges = np.linspace(0, 1, _BINS + 1)
        means = [_UNIT * (self.confidence[b] / self.count[b]) for b in kept]
        shares = [self.right[b] / self.count[b] for b in kept]
        return ReliabilityCurve(
            edges[kept], edges[kept + 1], np.array(means), np.array(shares), count[kept]
        )

    @property
    def brier(self) -> float | None:
        """The mean Brier score; None without probabilities."""
        n_judged = sum(self.count)
        return _UNIT * (self.squares / n_judged) if n_judged else None

    def to_dict(self) -> dict[str, Any]:
        """Return plain values, as JSON has them."""
        return {name: getattr(self, name) for name in (*_ROWS, "squares")}

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> Certainty:
        """Read what :meth:`to_dict` returned, and check it."""
        made = cls()
        made.count, made.confidence, made.right = (_sums(values[name]) for name in _ROWS)
        (made.squares,) = _sums([values["squares"]], 1)
        sums = zip(made.count, made.confidence, made.right, strict=True)
        if not all(right <= n and sure <= n << 32 for n, sure, right in sums):
            raise FileError("its probabilities are of more documents than there are.")
        return made

    @staticmethod
    def _add_to_bins(sums: list[int], bins: NDArray[np.intp], values: NDArray[np.int64]) -> None:
        added = np.zeros(_BINS, dtype=np.int64)
        np.add.at(added, bins, values)
        for b, value in enumerate(added.tolist()):
            sums[b] += value


def _units(values: NDArray[np.float64]) -> NDArray[np.int64]:
    return np.rint(values / _UNIT).astype(np.int64)


def _sums(values: Any, size: int = _BINS) -> list[int]:
    fits = isinstance(values, list) and len(values) == size
    if not fits or not all(type(value) is int and value >= 0 for value in values):
        raise FileError(f"{values!r:.80} are no sums over documents.")
    return list(values)


# ------------------------------------------------------------------------------------------------
# An evaluation as arrays and plain values; what is read is checked.

_MOST = 2**63 - 1
_KINDS = (str, int, float, bool)


def arrays_of(evaluation: Evaluation) -> dict[str, NDArray[Any]]:
    """Return the counts of an evaluation."""
    return {
        "by_class": evaluation.by_class,
        "documents": _table(evaluation.documents, 3),
        "confusions": _table(evaluation.confusions, 2),
        "known": np.array(sorted(evaluation.known), dtype=np.int64),
    }


def header_of(evaluation: Evaluation) -> dict[str, Any]:
    """Return the rest of it."""
    return {"labels": evaluation.labels, "certainty": evaluation.certainty.to_dict()}


def index_of(header: Mapping[str, Any]) -> LabelIndex:
    """Return the labels of an evaluation that was stored."""
    labels = header.get("labels")
    if not isinstance(labels, list) or not all(type(label) in _KINDS for label in labels):
        raise FileError(f"{labels!r:.80} are no labels.")
    index = LabelIndex(labels)
    if len(index) != len(labels):
        raise FileError("it has a label twice.")
    return index


def fill(
    evaluation: Evaluation, arrays: Mapping[str, NDArray[Any]], header: Mapping[str, Any]
) -> None:
    """Give an evaluation, that has its labels, all the rest."""
    check_parts(arrays, {"by_class", "documents", "confusions", "known"})
    n_labels = len(evaluation.labels)
    # Labels that came last, of classes no document has, may be without counts.
    counts = whole_part(arrays, "by_class", (3, None), 0, _MOST)
    if counts.shape[1] > n_labels or (counts[0] > counts[1:]).any():
        raise FileError("by_class says of more labels to be right than there are.")
    kinds = whole_part(arrays, "documents", (None, 4), 0, _MOST)
    if (kinds[:, 0] > kinds[:, 1:3].min(axis=1, initial=_MOST)).any():
        raise FileError("documents have more labels that are right than labels.")
    pairs = whole_part(arrays, "confusions", (None, 3), 0, _MOST)
    if (pairs[:, :2] >= n_labels).any() or (pairs[:, 0] == pairs[:, 1]).any():
        raise FileError("confusions are not between two of the labels.")
    evaluation.by_class = counts
    evaluation.documents = _counter(kinds)
    evaluation.confusions = _counter(pairs)
    evaluation.known = {*whole_part(arrays, "known", (None,), 0, n_labels).tolist()}
    try:
        evaluation.certainty = Certainty.from_dict(header["certainty"])
    except (KeyError, TypeError) as problem:
        raise FileError(f"its certainty cannot be read: {problem}.") from None


def _table(counter: Mapping[Any, int], width: int) -> NDArray[np.int64]:
    rows = [(*key, n) for key, n in sorted(counter.items())]
    return np.array(rows, dtype=np.int64).reshape(-1, width + 1)


def _counter(table: NDArray[np.int64]) -> Counter[Any]:
    if (table[:, -1] < 1).any():
        raise FileError("it counts what is not there.")
    return Counter({tuple(row[:-1]): row[-1] for row in table.tolist()})


# ------------------------------------------------------------------------------------------------
# What became of the labels of a batch of documents: counts by class, by document, by pair.

_Encoded = tuple[NDArray[np.int64], NDArray[np.int32]]


@dataclass(frozen=True, eq=False)
class Outcomes:
    """True and predicted labels of documents, compared.

    Attributes
    ----------
    by_class : ndarray of int64 of shape (3, n_classes)
        How many documents were given the class rightly, were given it, and have it.
    by_document : ndarray of int64 of shape (n_documents, 3)
        How many labels each document was given rightly, was given, and has.
    pairs : ndarray of int64 of shape (n_pairs, 2)
        The true and the predicted label of documents that have and were given one, where they
        differ.

    Examples
    --------
    >>> truth = np.array([0, 1, 2]), np.array([0, 1], dtype=np.int32)
    >>> predicted = np.array([0, 1, 2]), np.array([0, 0], dtype=np.int32)
    >>> found = Outcomes.of(truth, predicted, n_classes=2)
    >>> found.by_class.tolist(), found.pairs.tolist()
    ([[1, 0], [2, 0], [1, 1]], [[1, 0]])
    """

    by_class: NDArray[np.int64]
    by_document: NDArray[np.int64]
    pairs: NDArray[np.int64]

    @classmethod
    def of(cls, truth: _Encoded, predicted: _Encoded, n_classes: int) -> Outcomes:
        """Compare labels that are numbered: those of document d are at ``starts[d]`` and on."""
        wanted, given = _cells(truth, n_classes), _cells(predicted, n_classes)
        right = np.intersect1d(wanted, given, assume_unique=True)
        cells, n_documents = (right, given, wanted), len(truth[0]) - 1
        return cls(
            np.array([np.bincount(each % n_classes, minlength=n_classes) for each in cells]),
            np.stack([_by_row(each // n_classes, n_documents) for each in cells], axis=1),
            _differing(truth, predicted),
        )


def _cells(encoded: _Encoded, n_classes: int) -> NDArray[np.int64]:
    """Return the place of each label in a matrix of documents by classes."""
    starts, ids = encoded
    rows = np.repeat(np.arange(len(starts) - 1), np.diff(starts))
    return np.asarray(rows * max(n_classes, 1) + ids, dtype=np.int64)


def _by_row(rows: NDArray[Any], n_documents: int) -> NDArray[np.int64]:
    return np.bincount(rows, minlength=n_documents).astype(np.int64)


def _differing(truth: _Encoded, predicted: _Encoded) -> NDArray[np.int64]:
    single = np.flatnonzero((np.diff(truth[0]) == 1) & (np.diff(predicted[0]) == 1))
    pairs = [ids[starts[single]].astype(np.int64) for starts, ids in (truth, predicted)]
    both = np.stack(pairs, axis=1)
    return both[both[:, 0] != both[:, 1]]


class Evaluation:
    """True and predicted labels, summed up: memory grows with classes, not with documents.

    Attributes
    ----------
    labels : list
        All labels that were seen, in order of arrival; places in the arrays below.
    by_class : ndarray of int64 of shape (3, n_labels)
        How many documents were given each label rightly, were given it, and have it.
    documents : Counter
        How many documents there were by how many labels they were given rightly, were given, and
        have.
    confusions : Counter
        How many documents there were by true and predicted label, where they have one each and
        these differ.
    known : set of int
        Places of the labels that the model knows, as far as was said.
    certainty : Certainty
        Sums of probabilities, where there were any.

    Examples
    --------
    >>> evaluation = Evaluation()
    >>> evaluation.add(["ham", "spam"], ["ham", "ham"])
    >>> evaluation.add(["spam"], ["spam"])
    >>> evaluation.n_documents, evaluation.confusions
    (3, Counter({(1, 0): 1}))
    """

    def __init__(self) -> None:
        self._index = LabelIndex()
        self.by_class: NDArray[np.int64] = np.zeros((3, 0), dtype=np.int64)
        self.documents: Counter[tuple[int, int, int]] = Counter()
        self.confusions: Counter[tuple[int, int]] = Counter()
        self.known: set[int] = set()
        self.certainty = Certainty()

    @property
    def labels(self) -> list[Any]:
        """All labels that were seen, in order of arrival."""
        return self._index.names

    @property
    def n_documents(self) -> int:
        """How many documents were added."""
        return self.documents.total()

    def add(
        self,
        truth: Any,
        predicted: Any,
        probabilities: ArrayLike | None = None,
        classes: Sequence[Any] | None = None,
    ) -> None:
        """Add a batch of documents; one that is refused leaves everything as it was.

        Parameters
        ----------
        truth, predicted : sequence of n_documents labels, or of lists of labels
        probabilities : array-like of shape (n_documents, n_classes), default=None
            Of each class. Calibration is judged by the documents that have them.
        classes : sequence of labels, default=None
            All that the model knows, which are the columns of ``probabilities``.
        """
        listed, size = listed_labels(truth), len(self._index)
        n_documents = len(listed)
        try:
            wanted = self._index.encode(listed, n_documents)
            given = self._index.encode(predicted, n_documents)
            columns = self._columns(classes)
            if probabilities is not None and n_documents:
                matrix = _checked(probabilities, n_documents, len(columns))
                self._add_probabilities(matrix, wanted, columns)
        except ValueError:
            self._index.truncate(size)
            raise
        self.known.update(columns.tolist())
        self._add(Outcomes.of(wanted, given, len(self._index)))

    def __iadd__(self, other: Evaluation) -> Evaluation:
        """Add the documents of another evaluation; the sums are exact, whoever added what."""
        place = self._index.join(other._index)
        by_class = np.zeros((3, len(self._index)), dtype=np.int64)
        by_class[:, : self.by_class.shape[1]] = self.by_class
        by_class[:, place[: other.by_class.shape[1]]] += other.by_class
        self.by_class = by_class
        self.documents.update(other.documents)
        number = place.tolist()
        named = {(number[a], number[b]): n for (a, b), n in other.confusions.items()}
        self.confusions.update(named)
        self.known.update(number[c] for c in other.known)
        self.certainty += other.certainty
        return self

    @property
    def reliability(self) -> ReliabilityCurve | None:
        """How often the most likely class was right, by its probability; None without these."""
        return self.certainty.curve

    @property
    def brier(self) -> float | None:
        """The mean Brier score; None without probabilities."""
        return self.certainty.brier

    def to_arrays(self) -> tuple[dict[str, NDArray[Any]], dict[str, Any]]:
        """Return all sums as arrays and plain values, to be sent somewhere."""
        return arrays_of(self), header_of(self)

    @classmethod
    def from_arrays(
        cls, arrays: Mapping[str, NDArray[Any]], header: Mapping[str, Any]
    ) -> Evaluation:
        """Read what :meth:`to_arrays` returned, and check all of it.

        Parameters
        ----------
        arrays : mapping of str to ndarray
        header : mapping

        Raises
        ------
        FileError
            If something is missing, or the sums cannot be.

        Examples
        --------
        >>> evaluation = Evaluation()
        >>> evaluation.add(["ham", "spam"], ["ham", "ham"])
        >>> more = Evaluation.from_arrays(*evaluation.to_arrays())
        >>> more += evaluation
        >>> more.n_documents, more.confusions
        (4, Counter({(1, 0): 2}))
        """
        made = cls()
        made._index = index_of(header)
        fill(made, arrays, header)
        return made

    def _columns(self, classes: Sequence[Any] | None) -> NDArray[np.intp]:
        names = [] if classes is None else listed_labels(classes)
        columns = [self._index.add(name) for name in names]
        if len(set(columns)) < len(columns):
            raise LabelError(f"classes must differ from each other: {names!r:.80}")
        return np.array(columns, dtype=np.intp)

    def _add(self, outcomes: Outcomes) -> None:
        added = outcomes.by_class
        added[:, : self.by_class.shape[1]] += self.by_class
        self.by_class = added
        self.documents.update(zip(*outcomes.by_document.T.tolist(), strict=True))
        self.confusions.update(zip(*outcomes.pairs.T.tolist(), strict=True))

    def _add_probabilities(
        self, matrix: NDArray[np.float64], wanted: Encoded, columns: NDArray[np.intp]
    ) -> None:
        """Add to the certainty; a true label without a column has no probability."""
        truth = _indicator(wanted, len(self._index))
        right = truth[:, columns]
        self.certainty.add(matrix, right, truth.sum(axis=1) - right.sum(axis=1))


def _checked(probabilities: ArrayLike, n_documents: int, n_classes: int) -> NDArray[np.float64]:
    shape = np.shape(probabilities)
    if shape != (n_documents, n_classes):
        raise ScoreError(
            f"{n_documents} documents and {n_classes} classes need as many rows and columns of "
            f"probabilities, not the shape {shape}. Were all classes given?"
        )
    return probability_matrix(probabilities)


def _indicator(encoded: Encoded, n_labels: int) -> NDArray[np.bool_]:
    starts, ids = encoded
    matrix = np.zeros((len(starts) - 1, n_labels), dtype=np.bool_)
    matrix[np.repeat(np.arange(len(matrix)), np.diff(starts)), ids] = True
    return matrix

"""Sums over predictions that come batch by batch, from which a report is made."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tallytext.errors import LabelError, ScoreError
from tallytext.evaluation.inputs import probability_matrix
from tallytext.evaluation.outcomes import Outcomes
from tallytext.evaluation.reliability import ReliabilityCurve, reliability_curve, top_label
from tallytext.labels import Encoded, LabelIndex, listed_labels

_BINS = 15


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
        self._bins = np.zeros((3, _BINS))
        self._squares = 0.0

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

    @property
    def reliability(self) -> ReliabilityCurve | None:
        """How often the most likely class was right, by its probability; None without these."""
        count, confidence, right = self._bins
        kept = count > 0
        if not kept.any():
            return None
        edges = np.linspace(0, 1, _BINS + 1)
        means = confidence[kept] / count[kept], right[kept] / count[kept]
        return ReliabilityCurve(edges[:-1][kept], edges[1:][kept], *means, count[kept].astype(int))

    @property
    def brier(self) -> float | None:
        """The mean Brier score; None without probabilities."""
        n_judged = self._bins[0].sum()
        return float(self._squares / n_judged) if n_judged else None

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
        """Add to the bins and the squares; a true label without a column has no probability."""
        truth = _indicator(wanted, len(self._index))
        right = truth[:, columns]
        curve = reliability_curve(*top_label(matrix, right), _BINS)
        bins = np.rint(curve.low * _BINS).astype(np.intp)
        sums = curve.count, curve.count * curve.confidence, curve.count * curve.accuracy
        self._bins[:, bins] += np.array(sums)
        self._squares += float(((matrix - right) ** 2).sum()) + int(truth.sum() - right.sum())


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

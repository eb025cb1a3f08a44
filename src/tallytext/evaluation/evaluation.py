"""Sums over predictions that come batch by batch, from which a report is made."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tallytext.errors import LabelError, ScoreError
from tallytext.evaluation import stored
from tallytext.evaluation.certainty import Certainty
from tallytext.evaluation.inputs import probability_matrix
from tallytext.evaluation.outcomes import Outcomes
from tallytext.evaluation.reliability import ReliabilityCurve
from tallytext.labels import Encoded, LabelIndex, listed_labels


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
        return stored.arrays_of(self), stored.header_of(self)

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
        made._index = stored.index_of(header)
        stored.fill(made, arrays, header)
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

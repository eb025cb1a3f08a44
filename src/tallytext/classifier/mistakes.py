"""Wrong predictions: document, true and predicted label, probabilities, misleading words."""

from __future__ import annotations

import heapq
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from tallytext.classifier.evaluation import Answers
from tallytext.errors import ScoreError

if TYPE_CHECKING:
    from tallytext.classifier.classifier import TextClassifier
    from tallytext.decision.explanation import Explanation
    from tallytext.io.batches import Batch

# Probabilities that differ less are the same step of a calibration.
_DIGITS = 9


@dataclass(frozen=True)
class Mistake:
    """A document with a wrong prediction.

    Of a multi-label document, ``predicted`` and ``label`` are lists, and the probabilities are
    those of the most confident wrong decision: of a label that is predicted and not true
    (``extra``), or of one that is true and not predicted (``missing``), whose probability is that
    of lacking it.

    Attributes
    ----------
    number : int
        Position among all documents, from 0.
    file : str
        Name of the input.
    row : int or str
        Place in the input.
    ids : dict of str to object
        Values of further columns.
    text : str
    label, predicted : label or list of labels
        The true label and the predicted one.
    probability, label_probability : float
        Their probabilities; 0 for a true label that the model does not know.
    answer, truth : label or None
        The labels to explain: the answer against the truth. None for all other labels.
    missing, extra : list of labels
        Of a multi-label document.
    """

    number: int
    file: str
    row: Any
    ids: Mapping[str, Any]
    text: str
    label: Any
    predicted: Any
    probability: float
    label_probability: float
    answer: Any
    truth: Any
    missing: list[Any] = field(default_factory=list)
    extra: list[Any] = field(default_factory=list)

    def explain(self, classifier: TextClassifier) -> Explanation | None:
        """Return the explanation of the answer; None if the model cannot explain its scores."""
        try:
            return classifier.explain(self.text, self.answer, self.truth)
        except ScoreError:
            return None

    def to_record(self, words: Sequence[tuple[str, float]]) -> dict[str, Any]:
        """Return the values of the columns of a file."""
        return {
            "file": self.file,
            "row": self.row,
            **self.ids,
            "text": self.text,
            "label": self.label,
            "predicted": self.predicted,
            "missing": self.missing,
            "extra": self.extra,
            "probability": round(self.probability, 6),
            "label_probability": round(self.label_probability, 6),
            "words": [f"{term} {value:+.2f}" for term, value in words],
        }


def mistake_columns(multi_label: bool, ids: Sequence[str] = ()) -> list[str]:
    """Return the columns of a file of mistakes.

    Examples
    --------
    >>> ", ".join(mistake_columns(False, ["message"]))
    'file, row, message, text, label, predicted, probability, label_probability, words'
    """
    several = ["missing", "extra"] if multi_label else []
    figures = ["probability", "label_probability", "words"]
    return ["file", "row", *ids, "text", "label", "predicted", *several, *figures]


class MistakeFinder:
    """Finds wrong predictions, and keeps the most confident of them.

    Memory grows with the number that is kept, not with the documents.

    Parameters
    ----------
    classifier : TextClassifier
    n_surest : int
        The number of mistakes to keep.

    Attributes
    ----------
    n_wrong : int
        The number of mistakes so far.
    """

    def __init__(self, classifier: TextClassifier, n_surest: int) -> None:
        self.n_wrong = 0
        self._n_documents = 0
        self._column = {label: c for c, label in enumerate(classifier.classes_.tolist())}
        self._n_surest = n_surest
        self._classifier = classifier
        self._surest: list[tuple[float, float, int, Mistake]] = []

    @property
    def surest(self) -> list[Mistake]:
        """The mistakes with the highest probabilities, the most confident first."""
        ranked = sorted(self._surest, key=lambda each: each[:3], reverse=True)
        return [mistake for *_, mistake in ranked]

    def find(self, answers: Answers, batch: Batch, file: str) -> list[Mistake]:
        """Return the mistakes of some predictions, in the order of the documents.

        Parameters
        ----------
        answers : Answers
            The predictions of a part of a batch.
        batch : Batch
        file : str
            The input that the batch was read from.
        """
        found = [*self._mistakes(answers, batch, file)]
        self._n_documents += len(answers.labels)
        self.n_wrong += len(found)
        margins = self._margins(found) if self._n_surest else [0.0] * len(found)
        for each, margin in zip(found, margins, strict=True):
            # Calibrated probabilities come in steps. Of equal ones the larger margin counts, and of
            # equal margins the earlier document.
            entry = (round(each.probability, _DIGITS), margin, -each.number, each)
            if len(self._surest) < self._n_surest:
                heapq.heappush(self._surest, entry)
            elif self._n_surest and entry[:3] > self._surest[0][:3]:
                heapq.heapreplace(self._surest, entry)
        return found

    def _margins(self, found: list[Mistake]) -> list[float]:
        """Return the best score minus the next of each document; 0 for several labels."""
        classifier = self._classifier
        if not found or classifier.multi_label_ or len(classifier.classes_) < 2:
            return [0.0] * len(found)
        values = classifier.decision_function([each.text for each in found])
        if values.ndim == 1:  # of two classes
            return [float(each) for each in np.abs(values)]
        ordered = np.sort(values, axis=1)
        return [float(each) for each in ordered[:, -1] - ordered[:, -2]]

    def _mistakes(self, answers: Answers, batch: Batch, file: str) -> Iterator[Mistake]:
        rows = zip(answers.labels, answers.predicted, answers.proba, strict=True)
        for at, (label, (predicted, probability), proba) in enumerate(rows):
            wanted, given = _as_list(label), _as_list(predicted)
            if set(wanted) == set(given):
                continue
            place = answers.start + at
            text = answers.texts[at]
            common = {
                "number": self._n_documents + at,
                "file": file,
                "row": batch.places[place],
                "ids": {name: values[place] for name, values in batch.also.items()},
                "text": text if isinstance(text, str) else (text.as_py() or ""),
            }
            if len(wanted) == 1 and not isinstance(predicted, list):
                column = self._column.get(wanted[0])
                likely = 0.0 if column is None else float(proba[column])
                truth = None if column is None else wanted[0]
                yield Mistake(
                    **common,
                    label=wanted[0],
                    predicted=predicted,
                    probability=float(probability),
                    label_probability=likely,
                    answer=predicted,
                    truth=truth,
                )
            else:
                yield self._multi_label_mistake(common, wanted, given, proba)

    def _multi_label_mistake(
        self, common: dict[str, Any], wanted: list[Any], given: list[Any], proba: Any
    ) -> Mistake:
        missing = [label for label in wanted if label not in given]
        extra = [label for label in given if label not in wanted]
        known = [label for label in missing if label in self._column]
        doubts = [(float(proba[self._column[label]]), label) for label in extra]
        doubts += [(1 - float(proba[self._column[label]]), label) for label in known]
        # All missing labels may be unknown to the model: then its probability is 0.
        surest, answer = max(doubts, key=lambda each: each[0], default=(1.0, None))
        if answer is None and len(self._column):
            answer = list(self._column)[int(np.argmax(proba))]
        return Mistake(
            **common,
            label=wanted,
            predicted=given,
            probability=surest,
            label_probability=1 - surest,
            answer=answer,
            truth=None,
            missing=missing,
            extra=extra,
        )


def _as_list(label: Any) -> list[Any]:
    return list(label) if isinstance(label, list | tuple | set | frozenset) else [label]

"""Answers to documents: what is said of each."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from tallytext.smoothing.base import Numbers

if TYPE_CHECKING:
    from tallytext import TextClassifier
    from tallytext.datasets import Batch

Answer: TypeAlias = dict[str, Any]


class Answers:
    """What a classifier says of documents.

    Parameters
    ----------
    classifier : TextClassifier
    top : int, default=None
        How many of the likeliest labels to tell.
    coverage : float, default=None
        How often the right label is to be in the set that is told.
    min_confidence : float, default=None
        Say None rather than a label less likely than this.
    explain : bool, default=False
        Whether to say why.
    """

    def __init__(
        self,
        classifier: TextClassifier,
        *,
        top: int | None = None,
        coverage: float | None = None,
        min_confidence: float | None = None,
        explain: bool = False,
    ) -> None:
        self._classifier, self._names = classifier, classifier.classes_.tolist()
        self._top, self._coverage = top, coverage
        self._least, self._explain = min_confidence or 0.0, explain
        if coverage is not None:
            classifier.predict_set([], coverage)  # refuses what would fail later

    def of(self, batch: Batch) -> list[Answer]:
        """Return an answer to each document."""
        proba = self._classifier.predict_proba(batch.texts)
        ids = next(iter(batch.also.values()), [])
        answers: list[Answer] = [{"row": place} for place in batch.places]
        _put(answers, "id", ids)
        for answer, said in zip(answers, self.labels(proba), strict=True):
            answer["label"], answer["probability"] = said
        if self._top is not None:
            _put(answers, "top", self._likeliest(proba, self._top))
        if self._coverage is not None:
            _put(answers, "set", self._classifier.predict_set(batch.texts, self._coverage))
        if self._explain:
            _put(answers, "explanation", self._reasons(batch))
        return answers

    def labels(self, proba: Numbers) -> Iterator[tuple[Any, Any]]:
        """Yield the label of each document and its probability, or lists of both."""
        return self._several(proba) if self._classifier.multi_label_ else self._one(proba)

    def _one(self, proba: Numbers) -> Iterator[tuple[Any, float]]:
        best = proba.argmax(axis=1)
        for c, p in zip(best.tolist(), proba[np.arange(len(best)), best].tolist(), strict=True):
            yield self._names[c] if p >= self._least else None, p

    def _several(self, proba: Numbers) -> Iterator[tuple[list[Any], list[float]]]:
        for row, chosen in zip(proba, self._decided(proba), strict=True):
            likely = np.flatnonzero(chosen & (row >= self._least))
            ranked = likely[np.argsort(-row[likely], kind="stable")]
            yield [self._names[c] for c in ranked], row[ranked].tolist()

    def _decided(self, proba: Numbers) -> NDArray[np.bool_]:
        calibration = self._classifier.calibration_
        if calibration is None:
            return proba >= 0.5
        return calibration.decided(proba, self._classifier.classes_)

    def _likeliest(self, proba: Numbers, k: int) -> Iterator[list[Answer]]:
        order = np.argsort(-proba, axis=1, kind="stable")[:, :k]
        values = np.take_along_axis(proba, order, axis=1)
        for ranked, row in zip(order.tolist(), values.tolist(), strict=True):
            yield [
                {"label": self._names[c], "probability": p}
                for c, p in zip(ranked, row, strict=True)
            ]

    def _reasons(self, batch: Batch) -> Iterator[Answer]:
        texts = batch.strings
        for text in texts:
            why = self._classifier.explain(text or "").to_dict()
            del why["text"]
            yield why


def _put(answers: list[Answer], name: str, values: Any) -> None:
    for answer, value in zip(answers, values, strict=False):
        answer[name] = value

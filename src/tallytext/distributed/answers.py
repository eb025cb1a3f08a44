"""Answers to documents: what is said of each."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from tallytext.classifier.answers import labels_and_probabilities
from tallytext.smoothing.base import Numbers

if TYPE_CHECKING:
    from tallytext.classifier import TextClassifier
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
        self._least, self._explain = min_confidence, explain
        if coverage is not None:
            classifier.predict_set([], coverage)  # refuses what would fail later

    def of(self, batch: Batch, file: str | None = None) -> list[Answer]:
        """Return an answer to each document, with the name of its file if there are several."""
        proba = self._classifier.predict_proba(batch.texts)
        ids = next(iter(batch.also.values()), [])
        named = {} if file is None else {"file": file}
        answers: list[Answer] = [{**named, "row": place} for place in batch.places]
        _put(answers, "id", ids)
        told = labels_and_probabilities(self._classifier, batch.texts, proba, self._least)
        for answer, said in zip(answers, told, strict=True):
            answer["label"], answer["probability"] = said
        if self._top is not None:
            _put(answers, "top", self._likeliest(proba, self._top))
        if self._coverage is not None:
            _put(answers, "set", self._classifier.predict_set(batch.texts, self._coverage))
        if self._explain:
            _put(answers, "explanation", self._reasons(batch))
        return answers

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

"""Answers to documents: what is said of each."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias

import numpy as np

from tallytext._typing import FloatArray
from tallytext.classifier.evaluation import labels_and_probabilities

if TYPE_CHECKING:
    from tallytext.classifier.classifier import TextClassifier
    from tallytext.io.batches import Batch

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

    def _likeliest(self, proba: FloatArray, k: int) -> Iterator[list[Answer]]:
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


# ------------------------------------------------------------------------------------------------
# Answers as lines of text, wherever they are written.

_encode = json.JSONEncoder(ensure_ascii=False).encode


class Lines(Protocol):
    """How answers become lines."""

    @property
    def head(self) -> bytes:
        """What comes before all answers."""

    def of(self, answers: list[dict[str, Any]]) -> bytes:
        """Return answers as lines."""


class JsonLines:
    """Answers as lines of JSON.

    Examples
    --------
    >>> JsonLines().of([{"row": 1, "label": "café"}]).decode()
    '{"row": 1, "label": "café"}\\n'
    """

    head = b""

    def of(self, answers: list[dict[str, Any]]) -> bytes:
        """Return answers as lines."""
        return "".join(as_json(answer) + "\n" for answer in answers).encode()


class CsvLines:
    """Answers as CSV, several labels in one field with ; between them.

    Parameters
    ----------
    has_file : bool
        Whether each names its file.
    has_id : bool
        Whether each has an id.
    top : int
        How many of the likeliest labels each has.
    has_sets : bool
        Whether each has a set of labels.

    Examples
    --------
    >>> lines = CsvLines(has_file=False, has_id=False, top=0, has_sets=False)
    >>> lines.head, lines.of([{"row": 1, "label": ["sea", "sky"], "probability": [0.9, 0.8]}])
    (b'row,label,probability\\n', b'1,sea;sky,0.9;0.8\\n')
    """

    def __init__(self, *, has_file: bool, has_id: bool, top: int, has_sets: bool) -> None:
        self._top = top
        ranks = [f"{name}_{rank + 1}" for rank in range(top) for name in ("label", "probability")]
        files, ids, sets = ["file"] * has_file, ["id"] * has_id, ["set"] * has_sets
        self.head = _csv([[*files, "row", *ids, "label", "probability", *ranks, *sets]])

    def of(self, answers: list[dict[str, Any]]) -> bytes:
        """Return answers as lines."""
        return _csv([self._fields(answer) for answer in answers])

    def _fields(self, answer: dict[str, Any]) -> list[Any]:
        plain = {name: value for name, value in answer.items() if name not in ("top", "set")}
        ranked = [value for each in answer.get("top", []) for value in each.values()]
        ranked += [""] * (2 * self._top - len(ranked))
        sets = [_field(answer["set"])] if "set" in answer else []
        return [*map(_field, plain.values()), *ranked, *sets]


def as_json(value: Any) -> str:
    """Return a value as one line of JSON, which can be written as UTF-8 in any case.

    Examples
    --------
    >>> as_json({"label": "café"}), as_json("\\ud800")
    ('{"label": "café"}', '"\\\\ud800"')
    """
    text = _encode(value)
    try:
        text.encode()
    except UnicodeEncodeError:
        return json.dumps(value)
    return text


def _field(value: Any) -> Any:
    return ";".join(map(str, value)) if isinstance(value, list) else value


def _csv(rows: list[list[Any]]) -> bytes:
    file = io.StringIO()
    csv.writer(file, lineterminator="\n").writerows(rows)
    return file.getvalue().encode("utf-8", "replace")


# ------------------------------------------------------------------------------------------------
# What is asked of a model, and how its answers are written: the same wherever that is done.


@dataclass(frozen=True)
class Asked:
    """What is asked of a model; plain values, so that it can be sent.

    Attributes
    ----------
    top : int or None
        How many of the likeliest labels to tell.
    coverage : float or None
        How often the right label is to be in the set that is told.
    min_confidence : float or None
        No label is said that is less likely.
    explain : bool
        Whether to say why.
    to : {"jsonl", "csv"}
        How answers are written.
    has_file, has_id : bool
        Whether an answer names its file, and has an id.

    Examples
    --------
    >>> Asked(top=1, to="csv").lines().head
    b'row,label,probability,label_1,probability_1\\n'
    """

    top: int | None = None
    coverage: float | None = None
    min_confidence: float | None = None
    explain: bool = False
    to: str = "jsonl"
    has_file: bool = False
    has_id: bool = False

    def answers(self, classifier: TextClassifier) -> Answers:
        """Return what answers."""

        return Answers(
            classifier,
            top=self.top,
            coverage=self.coverage,
            min_confidence=self.min_confidence,
            explain=self.explain,
        )

    def lines(self) -> Lines:
        """Return what makes lines of answers."""
        if self.to == "jsonl":
            return JsonLines()
        sets, top = self.coverage is not None, self.top or 0
        return CsvLines(has_file=self.has_file, has_id=self.has_id, top=top, has_sets=sets)

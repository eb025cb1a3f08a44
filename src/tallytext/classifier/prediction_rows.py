"""Predictions as rows, one per document, and their output as JSON lines or CSV.

``tally predict`` writes them, in this process or by the workers of an engine.
"""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias

import numpy as np

from tallytext._typing import FloatArray
from tallytext.classifier.evaluation import labels_and_probabilities

if TYPE_CHECKING:
    from tallytext.classifier.classifier import TextClassifier
    from tallytext.io.batches import Batch

PredictionRow: TypeAlias = dict[str, Any]

_encode = json.JSONEncoder(ensure_ascii=False).encode


@dataclass(frozen=True)
class OutputOptions:
    """Content and format of predictions; plain values, so that they can be sent to workers.

    Attributes
    ----------
    top : int or None
        Number of most probable labels to list.
    coverage : float or None
        Probability with which the set of labels contains the right one; None for no set.
    min_confidence : float or None
        Smallest probability of a label; less likely labels become null.
    explain : bool
        Whether to add explanations.
    always : bool
        Whether a document without a known word gets a label; otherwise its label is null.
    known, novelty : bool
        Whether to add the share of known words, and the novelty.
    to : {"jsonl", "csv"}
        Format.
    has_file, has_id : bool
        Whether a row has the name of its file, and an id.

    Examples
    --------
    >>> OutputOptions(top=1, to="csv").formatter().header
    b'row,label,probability,label_1,probability_1\\n'
    """

    top: int | None = None
    coverage: float | None = None
    min_confidence: float | None = None
    explain: bool = False
    always: bool = False
    known: bool = False
    novelty: bool = False
    to: str = "jsonl"
    has_file: bool = False
    has_id: bool = False

    def predictor(self, classifier: TextClassifier) -> RowPredictor:
        """Return a predictor of rows with this content."""
        return RowPredictor(classifier, self)

    def formatter(self) -> RowFormatter:
        """Return a formatter of rows for this format."""
        if self.to == "jsonl":
            return JsonFormatter()
        return CsvFormatter(
            has_file=self.has_file,
            has_id=self.has_id,
            top=self.top or 0,
            has_sets=self.coverage is not None,
            more=["known_share"] * self.known + ["novelty"] * self.novelty,
        )


class RowPredictor:
    """Predictor that returns one row per document.

    Parameters
    ----------
    classifier : TextClassifier
    options : OutputOptions

    Raises
    ------
    ScoreError
        If the classifier cannot predict sets of labels with this coverage.
    """

    def __init__(self, classifier: TextClassifier, options: OutputOptions) -> None:
        self._classifier, self._options = classifier, options
        self._names = classifier.classes_.tolist()
        if options.coverage is not None:
            classifier.predict_set([], options.coverage)  # raises an error before the first batch

    def predict(self, batch: Batch, file: str | None = None) -> list[PredictionRow]:
        """Return the row of each document, with the name of its file if one is given."""
        options = self._options
        proba, unknown = self._classifier._proba_and_unknown(batch.texts)
        first = {} if file is None else {"file": file}
        rows: list[PredictionRow] = [{**first, "row": place} for place in batch.places]
        _set_column(rows, "id", next(iter(batch.also.values()), []))
        pairs = labels_and_probabilities(
            self._classifier, batch.texts, proba, options.min_confidence
        )
        multi_label = self._classifier.multi_label_
        for row, (label, probability), is_unknown in zip(rows, pairs, unknown, strict=True):
            if is_unknown and not options.always:
                label, probability = ([], []) if multi_label else (None, probability)
            row["label"], row["probability"] = label, probability
        if options.top is not None:
            _set_column(rows, "top", self._top_labels(proba, options.top))
        if options.coverage is not None:
            _set_column(rows, "set", self._classifier.predict_set(batch.texts, options.coverage))
        if options.known:
            _set_column(rows, "known_share", self._classifier.known_share(batch.texts).tolist())
        if options.novelty:
            _set_column(rows, "novelty", self._classifier.novelty(batch.texts).tolist())
        if options.explain:
            _set_column(rows, "explanation", self._explanations(batch))
        return rows

    def _top_labels(self, proba: FloatArray, k: int) -> Iterator[list[PredictionRow]]:
        order = np.argsort(-proba, axis=1, kind="stable")[:, :k]
        values = np.take_along_axis(proba, order, axis=1)
        for ranked, row in zip(order.tolist(), values.tolist(), strict=True):
            yield [
                {"label": self._names[c], "probability": p}
                for c, p in zip(ranked, row, strict=True)
            ]

    def _explanations(self, batch: Batch) -> Iterator[PredictionRow]:
        for text in batch.strings:
            explanation = self._classifier.explain(text or "").to_dict()
            del explanation["text"]
            yield explanation


def _set_column(rows: list[PredictionRow], name: str, values: Any) -> None:
    for row, value in zip(rows, values, strict=False):
        row[name] = value


class RowFormatter(Protocol):
    """Format of rows as lines of text."""

    @property
    def header(self) -> bytes:
        """The line before all rows, if the format has one."""

    def format(self, rows: list[PredictionRow]) -> bytes:
        """Return rows as lines."""


class JsonFormatter:
    """Rows as JSON lines.

    Examples
    --------
    >>> JsonFormatter().format([{"row": 1, "label": "café"}]).decode()
    '{"row": 1, "label": "café"}\\n'
    """

    header = b""

    def format(self, rows: list[PredictionRow]) -> bytes:
        """Return rows as lines."""
        return "".join(as_json(row) + "\n" for row in rows).encode()


class CsvFormatter:
    """Rows as CSV; several labels are in one field, separated by semicolons.

    Parameters
    ----------
    has_file : bool
        Whether rows have the name of their file.
    has_id : bool
        Whether rows have an id.
    top : int
        Number of most probable labels in each row.
    has_sets : bool
        Whether rows have a set of labels.
    more : sequence of str
        Names of further columns of numbers, which come last.

    Examples
    --------
    >>> csv = CsvFormatter(has_file=False, has_id=False, top=0, has_sets=False)
    >>> csv.header, csv.format([{"row": 1, "label": ["sea", "sky"], "probability": [0.9, 0.8]}])
    (b'row,label,probability\\n', b'1,sea;sky,0.9;0.8\\n')
    """

    def __init__(
        self, *, has_file: bool, has_id: bool, top: int, has_sets: bool, more: Sequence[str] = ()
    ) -> None:
        self._top, self._more = top, more
        ranks = [f"{name}_{rank + 1}" for rank in range(top) for name in ("label", "probability")]
        files, ids, sets = ["file"] * has_file, ["id"] * has_id, ["set"] * has_sets
        columns = [*files, "row", *ids, "label", "probability", *ranks, *sets, *more]
        self.header = csv_lines([columns])

    def format(self, rows: list[PredictionRow]) -> bytes:
        """Return rows as lines."""
        return csv_lines([self._values(row) for row in rows])

    def _values(self, row: PredictionRow) -> list[Any]:
        later = {"top", "set", *self._more}
        plain = {name: value for name, value in row.items() if name not in later}
        ranked = [value for each in row.get("top", []) for value in each.values()]
        # A model may have fewer classes than labels were requested.
        ranked += [""] * (2 * self._top - len(ranked))
        sets = [_join_list(row["set"])] if "set" in row else []
        more = [row[name] for name in self._more]
        return [*map(_join_list, plain.values()), *ranked, *sets, *more]


def as_json(value: Any) -> str:
    """Return a value as one line of JSON that can be encoded as UTF-8.

    Examples
    --------
    >>> as_json({"label": "café"}), as_json("\\ud800")
    ('{"label": "café"}', '"\\\\ud800"')
    """
    text = _encode(value)
    try:
        text.encode()
    except UnicodeEncodeError:  # a lone surrogate, which JSON can only escape
        return json.dumps(value)
    return text


def _join_list(value: Any) -> Any:
    return ";".join(map(str, value)) if isinstance(value, list) else value


def csv_lines(rows: Iterable[Sequence[Any]]) -> bytes:
    """Return rows as lines of CSV in UTF-8.

    Examples
    --------
    >>> csv_lines([["id", "text"], [7, "a, b"]])
    b'id,text\\n7,"a, b"\\n'
    """
    file = io.StringIO()
    csv.writer(file, lineterminator="\n").writerows(rows)
    # A lone surrogate has no form in UTF-8, and unlike JSON, CSV cannot escape it.
    return file.getvalue().encode("utf-8", "replace")

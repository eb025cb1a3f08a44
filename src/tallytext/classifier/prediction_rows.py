"""Predictions as rows, one per document, and their output as JSON lines or CSV.

``tally predict`` writes them, in this process or by the workers of an engine.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, count
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias

import numpy as np

from tallytext._typing import FloatArray
from tallytext.classifier.evaluation import labels_and_probabilities
from tallytext.errors import FileError
from tallytext.io.table_writer import as_json, csv_lines

if TYPE_CHECKING:
    from tallytext.classifier.classifier import TextClassifier
    from tallytext.io.batches import Batch

PredictionRow: TypeAlias = dict[str, Any]


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
    has_file : bool
        Whether a row has the name of its file.
    ids : sequence of str
        Columns of the input that a row has.
    escape_formulas : bool
        Whether text in CSV that a spreadsheet would run as a formula begins with an apostrophe.

    Examples
    --------
    >>> OutputOptions(top=1, to="csv", ids=["key"]).formatter().header
    b'row,key,label,probability,label_1,probability_1\\n'
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
    ids: Sequence[str] = ()
    escape_formulas: bool = False

    def predictor(self, classifier: TextClassifier) -> RowPredictor:
        """Return a predictor of rows with this content."""
        return RowPredictor(classifier, self)

    def formatter(self) -> RowFormatter:
        """Return a formatter of rows for this format."""
        if self.to == "jsonl":
            return JsonFormatter()
        return CsvFormatter(self)

    @property
    def prediction_columns(self) -> list[str]:
        """The names of the predicted columns of a table."""
        ranks = [
            f"{name}_{rank + 1}"
            for rank in range(self.top or 0)
            for name in ("label", "probability")
        ]
        more = {
            "set": self.coverage is not None,
            "known_share": self.known,
            "novelty": self.novelty,
            "explanation": self.explain,
        }
        return ["label", "probability", *ranks, *(name for name, has in more.items() if has)]

    def names(self) -> dict[str, str]:
        """Return the name under which each prediction is shown, beside the ids."""
        return free_names([*self.prediction_columns, "top"], self.ids)

    def first_columns(self) -> list[str]:
        """Return the names of the columns before the predicted ones."""
        return [*dict.fromkeys([*["file"] * self.has_file, "row", *self.ids])]


def free_names(
    names: Sequence[str], taken: Iterable[str], prefix: str = "predicted"
) -> dict[str, str]:
    """Return a name for each new column that no other column has.

    If one of the names is taken, all of them get a prefix.

    Parameters
    ----------
    names : sequence of str
        The names of the new columns.
    taken : iterable of str
        The names of the columns that a table has.
    prefix : str, default="predicted"
        The prefix, without the underscore.

    Examples
    --------
    >>> free_names(["label", "probability"], ["text", "label"])
    {'label': 'predicted_label', 'probability': 'predicted_probability'}
    >>> free_names(["label"], ["label", "predicted_label"])
    {'label': 'predicted2_label'}
    """
    present = set(taken)
    prefixes = chain(["", f"{prefix}_"], (f"{prefix}{number}_" for number in count(2)))
    free = next(each for each in prefixes if present.isdisjoint(each + name for name in names))
    return {name: free + name for name in names}


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
        first = {} if file is None else {"file": file}
        rows: list[PredictionRow] = [{**first, "row": place} for place in batch.places]
        for name, values in batch.also.items():
            _set_column(rows, name, values)
        names = self._options.names()
        for row, each in zip(rows, self.predictions(batch), strict=True):
            row |= {names[name]: value for name, value in each.items()}
        return rows

    def predictions(self, batch: Batch) -> list[PredictionRow]:
        """Return the predictions of each document, by name."""
        options = self._options
        proba, unknown = self._classifier._proba_and_unknown(batch.texts)
        rows: list[PredictionRow] = [{} for _ in batch.places]
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


class TablePredictor:
    """Predictor that adds columns to those of the input.

    Predicted columns have the names of :attr:`OutputOptions.prediction_columns`. If the input has
    one of these, all have a prefix.

    Parameters
    ----------
    classifier : TextClassifier
    options : OutputOptions
    is_flat : bool
        True to join several labels in one string, for formats without lists.

    Attributes
    ----------
    names : dict of str to str
        The name of each predicted column in the table, once a batch was predicted.
    taken : list of str
        The usual names of predicted columns that the input has.
    """

    def __init__(
        self, classifier: TextClassifier, options: OutputOptions, *, is_flat: bool = False
    ) -> None:
        self._rows, self._options, self._is_flat = options.predictor(classifier), options, is_flat
        self._several, self._classes = classifier.multi_label_, classifier.classes_.tolist()
        self.names: dict[str, str] = {}
        self.taken: list[str] = []
        self._file = ""
        self._n_documents = 0

    def predict(self, batch: Batch, file: str | None = None) -> dict[str, Any]:
        """Return the columns of a batch that has all columns of its source, and predictions.

        The first column is the file: the given one, in folders and archives with the name of the
        document.

        Raises
        ------
        FileError
            If a column appears whose name a predicted column got in an earlier batch.
        """
        if not self.names:
            self._file = free_names(["file"], batch.also, "input")["file"]
            self.names = free_names(self._options.prediction_columns, [self._file, *batch.also])
            self.taken = [name for name in self.names if name in batch.also]
        self._check_names(batch)
        self._n_documents += len(batch)
        files = _file_names(file, batch)
        rows = self._rows.predictions(batch)
        flat = [_flat_values(row, self._options.prediction_columns) for row in rows]
        columns = {
            shown: [flat_cell(name, row[at]) if self._is_flat else row[at] for row in flat]
            for at, (name, shown) in enumerate(self.names.items())
        }
        return ({self._file: files} if files else {}) | batch.also | columns

    @property
    def kinds(self) -> dict[str, Any]:
        """The type of each predicted column, for formats with types."""
        found = {type(label) for label in self._classes}
        single = next(iter(found)) if len(found) == 1 else str
        label = single if single in (str, int, float, bool) else str
        several: dict[str, Any] = {"label": list[label], "probability": list[float]}  # type: ignore[valid-type]
        own = {"set": list[label]} | (several if self._several else {})  # type: ignore[valid-type]
        return {
            # The columns of ranks are those of single labels.
            shown: own.get(name, label if name.startswith("label") else float)
            for name, shown in self.names.items()
        }

    def _check_names(self, batch: Batch) -> None:
        twice = next((name for name in self.names.values() if name in batch.also), None)
        if twice is not None:
            raise FileError(
                f"the column {twice!r} occurs in the input after {self._n_documents:,} documents, "
                "when predictions were already written under this name. Put a document that has "
                "this column first, or rename the column."
            )


def _file_names(file: str | None, batch: Batch) -> list[str]:
    """Return the file of each document, or an empty list if there is only one, which is known."""
    first = [] if file is None else [file]
    if len(batch) and isinstance(batch.places[0], str):
        return ["/".join([*first, place]) for place in batch.places]
    return first * len(batch)


def _flat_values(row: PredictionRow, names: Sequence[str]) -> list[Any]:
    """Return the values of a row, with columns for the most probable labels; None if there is none.

    A model may have fewer classes than labels were requested.
    """
    ranks = {
        f"{name}_{rank}": value
        for rank, each in enumerate(row.get("top", ()), 1)
        for name, value in each.items()
    }
    return [row[name] if name in row else ranks.get(name) for name in names]


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
    options : OutputOptions

    Examples
    --------
    >>> csv = CsvFormatter(OutputOptions())
    >>> csv.header, csv.format([{"row": 1, "label": ["sea", "sky"], "probability": [0.9, 0.8]}])
    (b'row,label,probability\\n', b'1,sea;sky,0.9;0.8\\n')
    """

    def __init__(self, options: OutputOptions) -> None:
        self._first, self._predicted = options.first_columns(), options.prediction_columns
        self._names = options.names()
        shown = [self._names[name] for name in self._predicted]
        self._escape_formulas = options.escape_formulas
        self.header = self._lines([[*self._first, *shown]])

    def format(self, rows: list[PredictionRow]) -> bytes:
        """Return rows as lines."""
        return self._lines([self._values(row) for row in rows])

    def _lines(self, rows: list[list[Any]]) -> bytes:
        return csv_lines(rows, escape_formulas=self._escape_formulas)

    def _values(self, row: PredictionRow) -> list[Any]:
        own = {name: row[shown] for name, shown in self._names.items() if shown in row}
        predicted = zip(self._predicted, _flat_values(own, self._predicted), strict=True)
        first = [_join_list(row[name]) for name in self._first]
        return first + [flat_cell(name, value) for name, value in predicted]


def flat_cell(column: str, value: Any) -> Any:
    """Return a predicted value for a cell that holds no list.

    Labels are joined by semicolons. Probabilities and other figures have 6 significant digits: more
    are noise to those who read a table.

    Examples
    --------
    >>> flat_cell("label", ["sea", "sky"]), flat_cell("probability", 0.9924242424242424)
    ('sea;sky', 0.992424)
    """
    if not column.startswith(("label", "set")):
        several = isinstance(value, list)
        value = [_round(each) for each in value] if several else _round(value)
    return _join_list(value)


def _round(value: Any) -> Any:
    return float(f"{value:.6g}") if isinstance(value, float) else value


def _join_list(value: Any) -> Any:
    return ";".join(map(str, value)) if isinstance(value, list) else value

"""A partition of documents, counted batch by batch."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from decimal import Decimal
from numbers import Real
from time import perf_counter
from typing import Any

import numpy as np
import pyarrow as pa
from sklearn.base import clone

from tallytext.distributed.job import Job, OnError, Split
from tallytext.distributed.part import Drawn, Notes, Part, limited
from tallytext.errors import CountOverflowError, InputError
from tallytext.io.batches import Batch, Columns, Limits, Row, Skipped, UnreadableRow, in_batches
from tallytext.io.documents import MAX_BYTES, MAX_DOCUMENTS
from tallytext.io.parquet import batches_of, check_types
from tallytext.runtime import at_most
from tallytext.tally.gathered import Costs, added
from tallytext.tally.labels import distinct_labels
from tallytext.tally.tally import Tally
from tallytext.text.vectorizer import TextVectorizer

# ------------------------------------------------------------------------------------------------
# Documents of a partition, of whatever it is made, in batches of bounded size.

_LIMITS = Limits(MAX_DOCUMENTS, MAX_BYTES)


class PartReader:
    """Reads a partition once.

    Parameters
    ----------
    columns : Columns
        Where texts and labels are.
    on_error : {"fail", "skip"}
        Whether a row that cannot be read ends the reading or is left out.
    name : str
        What the partition is called in messages.

    Attributes
    ----------
    skipped : Skipped
        What was left out so far.

    Examples
    --------
    >>> reader = PartReader(Columns("text", "label"), "skip", "partition 7")
    >>> rows = [("to be", "x"), {"text": "or not", "label": ["x", "y"]}, ("to do", None)]
    >>> [batch.labels for batch in reader.of_rows(rows)]
    [['x', ['x', 'y']]]
    >>> reader.skipped.count
    1
    """

    def __init__(self, columns: Columns, on_error: OnError, name: str) -> None:
        self.skipped = Skipped()
        self._columns, self._on_error, self._name = columns, on_error, name
        self._n_records = 0

    def of_records(self, records: Iterable[Any]) -> Iterator[Batch]:
        """Yield the documents of Arrow's record batches, which follow those of earlier calls."""
        for each in records:
            first = self._n_records
            if not first:
                self._columns.find(each.schema.names, self._name)
                check_types(each.schema, self._columns, self._name)
            yield from batches_of(first, each, self._columns, self.report, _LIMITS)
            self._n_records += each.num_rows

    def of_rows(self, rows: Iterable[Any]) -> Iterator[Batch]:
        """Yield documents that are Python objects: pairs of text and label, or mappings."""
        return in_batches(self._readable(rows), self._columns, _LIMITS, lambda: 0)

    def of_split(self, split: Split) -> Iterator[Batch]:
        """Yield the documents of a piece of a file."""
        columns = self._columns
        reader = split.reader(
            text=columns.text,
            label=columns.label,
            also=columns.also,
            label_separator=columns.separator,
            on_error=self._on_error,
        )
        yield from reader
        self.skipped = reader.skipped

    def _readable(self, rows: Iterable[Any]) -> Iterator[Row]:
        for number, row in enumerate(rows):
            try:
                yield number, *document_in(row, self._columns)
            except UnreadableRow as reason:
                self.report(f"row {number}", str(reason))

    def report(self, place: str, reason: str) -> None:
        """Leave a row out, and take note of it, or raise an error, as was asked for.

        Raises
        ------
        InputError
            If rows that cannot be read end the reading.
        """
        if self._on_error == "skip":
            self.skipped.add(f"{place}: {reason}")
            return
        raise InputError(
            f"cannot read {self._name}, {place}: {reason}. With on_error='skip' such rows are left "
            "out, and counted."
        )


def document_in(row: Any, columns: Columns) -> tuple[str, Any, tuple[Any, ...]]:
    """Return the text, the label or labels, and the further values of a row.

    Raises
    ------
    UnreadableRow
        If it has none.

    Examples
    --------
    >>> document_in(("to be", np.int64(3)), Columns("text", "label"))
    ('to be', 3, ())
    >>> document_in("to be", Columns("text", None))
    ('to be', None, ())
    """
    text, *others = _values_in(row, columns)
    if not isinstance(text, str):
        raise UnreadableRow("the text is null" if text is None else f"{text!r:.60} is no text")
    if columns.label is None:
        return text, None, tuple(others)
    return text, columns.label_in(_plain(others[0])), tuple(others[1:])


def _values_in(row: Any, columns: Columns) -> tuple[Any, ...]:
    if isinstance(row, Mapping):
        missing = [name for name in columns.names if name not in row]
        if missing:
            raise UnreadableRow(f"there is no {missing[0]!r}, but {', '.join(map(str, row))}")
        return tuple(row[name] for name in columns.names)
    values = (row,) if isinstance(row, str) or row is None else row
    if not isinstance(values, tuple | list) or len(values) != len(columns.names):
        wanted = ", ".join(columns.names)
        raise UnreadableRow(f"{row!r:.60} is neither ({wanted}) nor a mapping with these names")
    return tuple(values)


def _plain(label: Any) -> Any:
    """Return a label of Python for one of NumPy, and a list for any collection."""
    if isinstance(label, np.generic):
        return label.item()
    if isinstance(label, set | frozenset):
        label = sorted(label, key=repr)  # as on one machine: a set has no order of its own
    if isinstance(label, np.ndarray | tuple | list):
        return [_plain(each) for each in label]
    return label


_DRAWS = 8  # samples of batches become one
_ROOM = 4  # times as many terms as may stay are met before rare ones are left out


class PartCounter:
    """Counts the documents of one partition, in memory that does not grow with their number.

    Parameters
    ----------
    job : Job
        What is to be counted.
    name : str
        What the partition is called in messages.

    Examples
    --------
    >>> job = Job.of(text="body", labels="topic")
    >>> counter = PartCounter(job, "partition 0")
    >>> counter.add(pa.record_batch({"body": ["to be", "or not"], "topic": ["x", "y"]}))
    >>> [Part.unpack(piece).tally for piece in counter.pack()]
    [<Tally of 2 documents: 4 tokens, 4 terms, 2 classes>]
    """

    def __init__(self, job: Job, name: str) -> None:
        self._job, self._name = job, name
        self._reader = PartReader(job.columns, job.on_error, name)
        self._skipped = Skipped()
        self._part = Part(Tally(planes=job.planes), Drawn(), Notes())
        self._tally = Tally(planes=job.planes)
        self._drawn: list[Drawn] = []
        self._last_drawn: int | None = None
        self._begin_anew()

    def add(self, records: Any) -> None:
        """Count the rows of a record batch.

        Raises
        ------
        InputError
            If a row cannot be read, unless such rows are to be left out.
        """
        for batch in self._reader.of_records([records]):
            self.add_batch(batch)

    def add_batch(self, batch: Batch) -> None:
        """Count documents that were read before."""
        begin = perf_counter()
        batch = self._weighed(batch)
        with at_most(1):
            try:
                self._count(batch)
            except CountOverflowError:  # a plane is full
                self._settle()
                self._count_apart(batch)
            self._draw(batch.texts, _labels(batch))
        self._note(Costs(text_bytes=_n_bytes(batch.texts), count_seconds=perf_counter() - begin))
        if self._is_full():
            self._settle()

    def skip(self, skipped: Skipped) -> None:
        """Take note of rows that a reader has left out."""
        self._skipped.count += skipped.count
        self._skipped.messages += [f"{self._name}, {each}" for each in skipped.messages]

    def pack(self) -> list[bytes]:
        """Return what was counted as bytes, in as many pieces as the job says."""
        begin = perf_counter()
        self._settle()
        seconds = perf_counter() - begin
        self.skip(self._reader.skipped)
        skipped = Notes(self._skipped.count, tuple(self._skipped.messages))
        self._part.notes += skipped
        self._part.drawn = Drawn.together(self._drawn, self._job.n_drawn)
        self._note(Costs(n_parts=1, count_seconds=seconds))
        return self._part.pack(self._job.n_shards)

    def _count(self, batch: Batch) -> None:
        weighted = any(plane.weighted for plane in self._tally.planes)
        weights = next(iter(batch.also.values()), None) if weighted else None
        labels = _labels(batch)
        X = self._vectorizer.partial_fit_transform(batch.texts)
        terms = self._vectorizer.vocabulary_
        if not self._tally.n_documents:  # in order from the start, most are so in the end
            self._tally.number_labels(distinct_labels(labels))
        self._tally.learn(X, labels, terms=terms, sample_weight=weights)

    def _count_apart(self, batch: Batch) -> None:
        """Count documents that may be too many for a plane, if only by their weights."""
        try:
            self._count(batch)
        except CountOverflowError:
            if len(batch) > 1:
                for half in _halves(batch):
                    self._settle()
                    self._count_apart(half)
                return
            self._tally = Tally(planes=[each for each in self._tally.planes if not each.weighted])
            self._count(batch)

    def _weighed(self, batch: Batch) -> Batch:
        """Return the documents whose weights are numbers, from 0 up."""
        if not batch.also:
            return batch
        ((name, given),) = batch.also.items()
        weights = [_weight(each) for each in given]
        for row, weight in enumerate(weights):
            if weight is None:
                what = f"its weight is {given[row]!r:.40}, not a number from 0 up"
                self._reader.report(f"row {batch.places[row]}", what)
        batch = replace(batch, also={name: weights})
        if None not in weights:
            return batch
        return batch.some([row for row, weight in enumerate(weights) if weight is not None])

    def _settle(self) -> None:
        """Add what was counted since to the rest, in which rare terms are left out."""
        if self._part.tally.n_documents:
            self._part.tally = added(self._part.tally, self._tally)
        else:
            self._part.tally = self._tally
        self._part = limited(self._part, self._job.max_terms)
        self._begin_anew()

    def _begin_anew(self) -> None:
        self._vectorizer: TextVectorizer = clone(self._job.vectorizer).set_params(n_jobs=1)
        self._tally = Tally(planes=self._job.planes)

    def _is_full(self) -> bool:
        most = self._job.max_terms
        return most is not None and len(self._vectorizer.vocabulary_) > _ROOM * most

    def _draw(self, texts: Any, labels: list[Any]) -> None:
        size = self._job.n_drawn
        some = Drawn.of(texts, labels, size, self._last_drawn)
        if len(some.texts) == size:  # none with a higher key will be among the lowest
            self._last_drawn = some.last
        self._drawn.append(some)
        if len(self._drawn) == _DRAWS:
            self._drawn = [Drawn.together(self._drawn, size)]
            if len(self._drawn[0].texts) == size:
                self._last_drawn = self._drawn[0].last

    def _note(self, costs: Costs) -> None:
        self._part.notes += Notes(costs=costs)


def counted(job: Job, name: str, batches: Iterable[Any]) -> list[bytes]:
    """Count the record batches of a partition.

    Parameters
    ----------
    job : Job
    name : str
        What the partition is called in messages.
    batches : iterable of pyarrow.RecordBatch

    Returns
    -------
    list of bytes
        One for each shard.
    """
    counter = PartCounter(job, name)
    for records in batches:
        counter.add(records)
    return counter.pack()


def _labels(batch: Batch) -> list[Any]:
    return [[]] * len(batch) if batch.labels is None else batch.labels


def _weight(given: Any) -> float | None:
    """Return a weight as a number, however a file has it; None if it is none.

    Examples
    --------
    >>> [_weight(each) for each in (2, "1.5", Decimal("0.5"), "heavy", -1.0, None)]
    [2.0, 1.5, 0.5, None, None, None]
    """
    if isinstance(given, bool) or not isinstance(given, Real | Decimal | str):
        return None
    try:
        weight = float(given)
    except (ValueError, OverflowError):
        return None
    return weight if 0 <= weight < math.inf else None


def _halves(batch: Batch) -> list[Batch]:
    middle, end = len(batch) // 2, len(batch)
    return [batch.some(range(*each)) for each in ((0, middle), (middle, end))]


def _n_bytes(texts: Any) -> int:
    return int(texts.nbytes) if isinstance(texts, pa.Array) else sum(map(len, texts))

"""Counting of one partition, batch by batch, in bounded memory."""

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

from tallytext._estimators import clone
from tallytext.distributed.files import Split
from tallytext.distributed.options import CountingOptions, OnError
from tallytext.distributed.partial_tally import ContentSample, PartialNotes, PartialTally
from tallytext.errors import CountOverflowError, InputError
from tallytext.io.batches import (
    Batch,
    BatchLimits,
    Columns,
    Row,
    SkippedRows,
    UnreadableRow,
    batch_rows,
)
from tallytext.io.documents import MAX_BATCH_BYTES, MAX_BATCH_DOCUMENTS
from tallytext.io.parquet import check_column_types, split_record_batch
from tallytext.runtime import limit_threads
from tallytext.tally.gathered import Costs, add_tallies
from tallytext.tally.labels import distinct_labels
from tallytext.tally.tally import Tally
from tallytext.text.vectorizer import TextVectorizer

_LIMITS = BatchLimits(MAX_BATCH_DOCUMENTS, MAX_BATCH_BYTES)
_MAX_SAMPLES = 8  # samples of batches that wait to be merged
_VOCABULARY_FACTOR = 4  # times max_terms: the vocabulary at which rare terms are dropped


class PartitionReader:
    """Reader of one partition: record batches, Python objects or a split of a file.

    Parameters
    ----------
    columns : Columns
        Names of the columns of texts and labels.
    on_error : {"fail", "skip"}
        Treatment of rows that cannot be read.
    name : str
        The partition, as messages call it.

    Attributes
    ----------
    skipped : SkippedRows
        Rows skipped so far.

    Examples
    --------
    >>> reader = PartitionReader(Columns("text", "label"), "skip", "partition 7")
    >>> rows = [("to be", "x"), {"text": "or not", "label": ["x", "y"]}, ("to do", None)]
    >>> [batch.labels for batch in reader.read_rows(rows)]
    [['x', ['x', 'y']]]
    >>> reader.skipped.count
    1
    """

    def __init__(self, columns: Columns, on_error: OnError, name: str) -> None:
        self.skipped = SkippedRows()
        self._columns, self._on_error, self._name = columns, on_error, name
        self._n_rows = 0

    def read_records(self, records: Iterable[Any]) -> Iterator[Batch]:
        """Yield the documents of Arrow record batches; rows are numbered on from earlier calls."""
        for each in records:
            if not self._n_rows:
                self._columns.positions(each.schema.names, self._name)
                check_column_types(each.schema, self._columns, self._name)
            yield from split_record_batch(
                self._n_rows + 1, each, self._columns, self.report, _LIMITS
            )
            self._n_rows += each.num_rows

    def read_rows(self, rows: Iterable[Any]) -> Iterator[Batch]:
        """Yield documents that are Python objects: pairs of text and label, or mappings."""
        return batch_rows(self._parse_rows(rows), self._columns, _LIMITS, lambda: 0)

    def read_split(self, split: Split) -> Iterator[Batch]:
        """Yield the documents of a split of a file."""
        columns = self._columns
        reader = split.reader(
            text=columns.text,
            label=columns.label,
            also=columns.also,
            label_separator=columns.separator,
            on_error=self._on_error,
        )
        yield from reader
        self.skipped += reader.skipped

    def report(self, place: str, reason: str) -> None:
        """Skip a row that cannot be read, or raise an error, as ``on_error`` demands.

        Raises
        ------
        InputError
            If ``on_error`` is "fail".
        """
        if self._on_error == "skip":
            self.skipped.add(f"{place}: {reason}")
            return
        raise InputError(
            f"cannot read {self._name}, {place}: {reason}. With on_error='skip', such rows are "
            "skipped and counted."
        )

    def named_skipped(self) -> SkippedRows:
        """Return the rows skipped so far, with the name of the partition in each message."""
        messages = [f"{self._name}, {message}" for message in self.skipped.messages]
        return SkippedRows(self.skipped.count, messages)

    def _parse_rows(self, rows: Iterable[Any]) -> Iterator[Row]:
        for number, row in enumerate(rows, 1):
            try:
                yield number, *parse_document(row, self._columns)
            except UnreadableRow as reason:
                self.report(f"row {number}", str(reason))


def parse_document(row: Any, columns: Columns) -> tuple[str, Any, tuple[Any, ...]]:
    """Return the text, the label or labels, and the further values of a row.

    Raises
    ------
    UnreadableRow
        If the row lacks one of them.

    Examples
    --------
    >>> parse_document(("to be", np.int64(3)), Columns("text", "label"))
    ('to be', 3, ())
    >>> parse_document("to be", Columns("text", None))
    ('to be', None, ())
    """
    text, *others = _row_values(row, columns)
    if not isinstance(text, str):
        raise UnreadableRow("the text is null" if text is None else f"{text!r:.60} is not a string")
    if columns.label is None:
        return text, None, tuple(others)
    return text, columns.parse_label(_python_label(others[0])), tuple(others[1:])


def _row_values(row: Any, columns: Columns) -> tuple[Any, ...]:
    if isinstance(row, Mapping):
        missing = [name for name in columns.names if name not in row]
        if missing:
            raise UnreadableRow(f"there is no {missing[0]!r}, but {', '.join(map(str, row))}")
        return tuple(row[name] for name in columns.names)
    # A Bag of texts alone has no tuples; None becomes the message that the text is null.
    values = (row,) if isinstance(row, str) or row is None else row
    if not isinstance(values, tuple | list) or len(values) != len(columns.names):
        wanted = ", ".join(columns.names)
        raise UnreadableRow(f"{row!r:.60} is neither ({wanted}) nor a mapping with these names")
    return tuple(values)


def _python_label(label: Any) -> Any:
    """Return a Python value for a label of NumPy, and a list for any collection of labels."""
    if isinstance(label, np.generic):
        return label.item()
    if isinstance(label, set | frozenset):
        label = sorted(label, key=repr)  # the order of a set differs between processes
    if isinstance(label, np.ndarray | tuple | list):
        return [_python_label(each) for each in label]
    return label


class PartitionCounter:
    """Counter of the documents of one partition, in memory independent of their number.

    Parameters
    ----------
    options : CountingOptions
    name : str
        The partition, as messages call it.

    Attributes
    ----------
    reader : PartitionReader
        Reads the documents to count; the rows that it skips are part of the result.
    partial : PartialTally
        The counts so far, except those of the latest batches.

    Examples
    --------
    >>> options = CountingOptions.from_arguments(text="body", labels="topic")
    >>> counter = PartitionCounter(options, "partition 0")
    >>> records = pa.record_batch({"body": ["to be", "or not"], "topic": ["x", "y"]})
    >>> counter.add_batches(counter.reader.read_records([records]))
    >>> [PartialTally.unpack(block).tally for block in counter.pack()]
    [<Tally of 2 documents: 4 tokens, 4 terms, 2 classes>]
    """

    def __init__(self, options: CountingOptions, name: str) -> None:
        self._options = options
        self.reader = PartitionReader(options.columns, options.on_error, name)
        self.partial = PartialTally(Tally(planes=options.planes), ContentSample(), PartialNotes())
        self._samples: list[ContentSample] = []
        self._max_key: int | None = None
        self._tally = Tally(planes=options.planes)
        self._reset()

    def add_batches(self, batches: Iterable[Batch]) -> None:
        """Count the documents of batches.

        Raises
        ------
        InputError
            If a weight is not a number, unless such rows are skipped.
        """
        for batch in batches:
            self._add_batch(batch)

    def pack(self) -> list[bytes]:
        """Return the partial tally as bytes, one block per shard."""
        start = perf_counter()
        self._flush()
        costs = Costs(n_parts=1, count_seconds=perf_counter() - start)
        skipped = self.reader.named_skipped()
        self.partial.notes += PartialNotes(skipped.count, tuple(skipped.messages), costs=costs)
        self.partial.sample = ContentSample.merge(self._samples, self._options.n_sampled)
        return self.partial.pack(self._options.n_shards)

    def _add_batch(self, batch: Batch) -> None:
        start = perf_counter()
        batch = self._parse_weights(batch)
        # The engine runs one task per core, and threads of tasks would compete for them.
        with limit_threads(1):
            try:
                self._count(batch)
            except CountOverflowError:  # a plane is full
                self._flush()
                self._count_or_halve(batch)
            self._sample(batch.texts, _labels(batch))
        costs = Costs(text_bytes=_n_bytes(batch.texts), count_seconds=perf_counter() - start)
        self.partial.notes += PartialNotes(costs=costs)
        max_terms = self._options.max_terms
        # The factor makes flushes rare, each of which takes time for all terms.
        if max_terms and len(self._vectorizer.vocabulary_) > _VOCABULARY_FACTOR * max_terms:
            self._flush()

    def _count(self, batch: Batch) -> None:
        weighted = any(plane.weighted for plane in self._tally.planes)
        weights = next(iter(batch.also.values()), None) if weighted else None
        labels = _labels(batch)
        X = self._vectorizer.partial_fit_transform(batch.texts)
        if not self._tally.n_documents:
            # Labels numbered in order from the start seldom need to be renumbered at the end.
            self._tally.number_labels(distinct_labels(labels))
        terms = self._vectorizer.vocabulary_
        self._tally.learn(X, labels, terms=terms, sample_weight=weights)

    def _count_or_halve(self, batch: Batch) -> None:
        """Count documents whose weights may overflow a plane, in ever smaller batches.

        Each half gets an empty tally, and the sum of tallies leaves out a plane that overflows. A
        document that overflows a plane on its own is counted without weighted planes.
        """
        try:
            self._count(batch)
        except CountOverflowError:
            if len(batch) > 1:
                for half in _halves(batch):
                    self._flush()
                    self._count_or_halve(half)
                return
            self._tally = Tally(planes=[each for each in self._tally.planes if not each.weighted])
            self._count(batch)

    def _parse_weights(self, batch: Batch) -> Batch:
        """Return the documents whose weights are finite numbers from 0 up, and report others."""
        if not batch.also:
            return batch
        ((name, given),) = batch.also.items()
        weights = [_parse_weight(each) for each in given]
        for row, weight in enumerate(weights):
            if weight is None:
                reason = f"its weight is {given[row]!r:.40}, not a number from 0 up"
                self.reader.report(f"row {batch.places[row]}", reason)
        batch = replace(batch, also={name: weights})
        if None not in weights:
            return batch
        return batch.take([row for row, weight in enumerate(weights) if weight is not None])

    def _flush(self) -> None:
        """Add the latest counts to the partial tally, and drop rare terms from it."""
        if self.partial.tally.n_documents:
            # Drops a plane that overflows instead of raising an error, unlike the addition of
            # tallies.
            self.partial.tally = add_tallies(self.partial.tally, self._tally)
        else:
            self.partial.tally = self._tally
        self.partial = self.partial.limit_terms(self._options.max_terms)
        self._reset()

    def _reset(self) -> None:
        # A new vocabulary: it only grows, so that terms dropped from the tally would stay in
        # memory.
        self._vectorizer: TextVectorizer = clone(self._options.vectorizer).set_params(n_jobs=1)
        self._tally = Tally(planes=self._options.planes)

    def _sample(self, texts: Any, labels: list[Any]) -> None:
        size = self._options.n_sampled
        self._samples.append(ContentSample.from_documents(texts, labels, size, self._max_key))
        self._lower_max_key()
        if len(self._samples) == _MAX_SAMPLES:
            self._samples = [ContentSample.merge(self._samples, size)]
            self._lower_max_key()

    def _lower_max_key(self) -> None:
        # Once a sample is full, a document with a higher key cannot be in the merged one.
        latest = self._samples[-1]
        if len(latest.texts) == self._options.n_sampled:
            self._max_key = latest.last_key


def count_partition(options: CountingOptions, name: str, records: Iterable[Any]) -> list[bytes]:
    """Count the record batches of a partition.

    Parameters
    ----------
    options : CountingOptions
    name : str
        The partition, as messages call it.
    records : iterable of pyarrow.RecordBatch

    Returns
    -------
    list of bytes
        One packed partial tally per shard.
    """
    counter = PartitionCounter(options, name)
    counter.add_batches(counter.reader.read_records(records))
    return counter.pack()


def _labels(batch: Batch) -> list[Any]:
    return [[]] * len(batch) if batch.labels is None else batch.labels


def _parse_weight(value: Any) -> float | None:
    """Return a weight as a float, from any type that files have; None if it is not a weight.

    Examples
    --------
    >>> [_parse_weight(each) for each in (2, "1.5", Decimal("0.5"), "heavy", -1.0, None)]
    [2.0, 1.5, 0.5, None, None, None]
    """
    # bool is a subtype of int in Python, but a column of flags is hardly one of weights.
    if isinstance(value, bool) or not isinstance(value, Real | Decimal | str):
        return None
    try:
        weight = float(value)
    except (ValueError, OverflowError):
        return None
    return weight if 0 <= weight < math.inf else None


def _halves(batch: Batch) -> list[Batch]:
    middle, end = len(batch) // 2, len(batch)
    return [batch.take(range(*each)) for each in ((0, middle), (middle, end))]


def _n_bytes(texts: Any) -> int:
    return int(texts.nbytes) if isinstance(texts, pa.Array) else sum(map(len, texts))

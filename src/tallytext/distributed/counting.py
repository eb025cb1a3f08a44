"""A partition of documents, counted batch by batch."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import replace
from decimal import Decimal
from numbers import Real
from time import perf_counter
from typing import Any

import pyarrow as pa
from sklearn.base import clone

from tallytext.datasets.batch import Batch, Skipped
from tallytext.distributed.drawn import Drawn
from tallytext.distributed.job import Job
from tallytext.distributed.part import Notes, Part, limited
from tallytext.distributed.part_reading import PartReader
from tallytext.errors import CountOverflowError
from tallytext.labels import distinct_labels
from tallytext.tally import Costs, Tally
from tallytext.tally.outgrown import added
from tallytext.threads import at_most
from tallytext.vectorizer import TextVectorizer

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

"""What Spark's workers do with a classifier: answer, and judge it."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from itertools import chain
from typing import Any, TypeAlias

import pyarrow as pa

from tallytext.datasets.batch import Skipped
from tallytext.datasets.columns import Columns
from tallytext.distributed.answering import answer_columns, text_column
from tallytext.distributed.files import Split
from tallytext.distributed.job import OnError
from tallytext.distributed.judging import judged
from tallytext.distributed.part_reading import PartReader
from tallytext.distributed.spark_failures import failures_told
from tallytext.distributed.spark_tasks import numbers_in, partition_number

JUDGED = "n_skipped long, sums binary"
"""What a partition tells of a classifier."""

Task: TypeAlias = Callable[[Iterator[Any]], Iterator[Any]]


def answering_rows(
    packed: bytes, text: str, min_confidence: float | None, into: tuple[str, str]
) -> Task:
    """Return what adds two columns to rows."""

    def answer(batches: Iterator[Any]) -> Iterator[Any]:
        for records in batches:
            answers = answer_columns(packed, records.column(text), min_confidence=min_confidence)
            names = [*records.schema.names, *into]
            yield pa.record_batch([*records.columns, *answers], names)

    return answer


def answering_splits(
    packed: bytes,
    splits: Sequence[str],
    text: str,
    min_confidence: float | None,
    into: tuple[str, str],
) -> Task:
    """Return what answers to the documents of splits, whose numbers it is given."""

    def answer(batches: Iterator[Any]) -> Iterator[Any]:
        for number in numbers_in(batches):
            split = Split(**json.loads(splits[number]))
            for batch in split.reader(text=text, label=None):
                answers = answer_columns(packed, batch.texts, min_confidence=min_confidence)
                yield pa.record_batch([text_column(batch.strings), *answers], [text, *into])

    return answer


def judging_rows(packed: bytes, columns: Columns, on_error: OnError) -> Task:
    """Return what judges a classifier by the rows of a partition."""

    def judge(batches: Iterator[Any]) -> Iterator[Any]:
        name = f"partition {partition_number()}"
        with failures_told(name):
            first = next(batches, None)
            if first is not None:
                reader = PartReader(columns, on_error, name)
                sums = judged(packed, reader.of_records(chain([first], batches)))
                yield _row(reader.skipped, sums)

    return judge


def judging_splits(
    packed: bytes, splits: Sequence[str], columns: Columns, on_error: OnError
) -> Task:
    """Return what judges a classifier by the documents of splits, whose numbers it is given."""

    def judge(batches: Iterator[Any]) -> Iterator[Any]:
        for number in numbers_in(batches):
            split = Split(**json.loads(splits[number]))
            with failures_told(str(split)):
                reader = PartReader(columns, on_error, str(split))
                sums = judged(packed, reader.of_split(split))
                yield _row(reader.skipped, sums)

    return judge


def _row(skipped: Skipped, sums: bytes) -> Any:
    columns = [pa.array([skipped.count]), pa.array([sums], pa.binary())]
    return pa.record_batch(columns, ["n_skipped", "sums"])

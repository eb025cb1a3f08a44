"""What Spark's workers do: count partitions, merge pieces. Rows in, rows out, as Arrow batches.

All of it is a function of its input, so a task that is tried again gives the same.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from itertools import chain
from typing import Any, TypeAlias

import pyarrow as pa

from tallytext.distributed.counting import PartCounter, PartReader, counted
from tallytext.distributed.job import Job, OnError, Split
from tallytext.distributed.part import merged
from tallytext.distributed.predicting import answer_columns, judged, text_column
from tallytext.distributed.spark_session import failures_told
from tallytext.errors import EngineError
from tallytext.io.batches import Columns, Skipped
from tallytext.runtime import peak_memory

PIECES = "part int, shard int, piece binary"
"""What travels: a piece of what some partition has, or partitions have, and which it is."""

_NAMES = ["part", "shard", "piece"]
_CHUNK = 8 << 20  # of a last piece, so that no message to the driver is large
_CELLS = (2 << 30) - (1 << 20)  # what a column of an Arrow batch can hold, and some room


def counting_rows(job: bytes, memory: Any = None) -> Callable[[Iterator[Any]], Iterator[Any]]:
    """Return what counts a partition of a DataFrame.

    Parameters
    ----------
    job : bytes
        A packed job.
    memory : Accumulator, default=None
        Is told how much memory it took.
    """

    def count(batches: Iterator[Any]) -> Iterator[Any]:
        yield from _count_rows(job, batches)
        _tell(memory)

    return count


def counting_splits(
    job: bytes, splits: Sequence[str], memory: Any = None
) -> Callable[[Iterator[Any]], Iterator[Any]]:
    """Return what counts the splits whose numbers it is given.

    Parameters
    ----------
    job : bytes
        A packed job.
    splits : sequence of str
        All of them, as JSON.
    memory : Accumulator, default=None
        Is told how much memory it took.
    """

    def count(batches: Iterator[Any]) -> Iterator[Any]:
        for number in numbers_in(batches):
            yield from _count_split(job, number, splits[number])
        _tell(memory)

    return count


def merging(
    job: bytes, fan_in: int, is_last: bool, memory: Any = None
) -> Callable[[Any, Any], Any]:
    """Return what makes one piece of some pieces of the same shard.

    Parameters
    ----------
    job : bytes
        A packed job.
    fan_in : int
        How many pieces are merged at a time.
    is_last : bool
        Whether pieces go to the driver now. Then they are cut into chunks, numbered as parts.
    memory : Accumulator, default=None
        Is told how much memory it took.
    """

    # Spark looks at types here, and knows Table by that name only.
    def merge(key, table):  # type: ignore[no-untyped-def]
        shard, part = (each.as_py() for each in key)
        with failures_told(f"the merge of group {part} of shard {shard}"):
            piece = _merged(job, table.column("piece"))
            _tell(memory)
            rows = _chunks(shard, piece) if is_last else [row(part, shard, _fitting(piece, fan_in))]
            # Spark may be configured to count bytes in 64 bits, and then wants them back so.
            return pa.Table.from_batches(rows).cast(table.select(_NAMES).schema)

    return merge


def numbers_in(batches: Iterator[Any]) -> Iterator[int]:
    """Yield the numbers in the first column of batches."""
    for records in batches:
        yield from records.column(0).to_pylist()


def row(part: int, shard: int, piece: bytes) -> Any:
    """Return a batch of one row, so that none has more bytes than Arrow can count."""
    columns = [pa.array([part], pa.int32()), pa.array([shard], pa.int32()), pa.array([piece])]
    return pa.record_batch(columns, _NAMES)


def partition_number() -> int:
    """Return which partition this is."""
    from pyspark import TaskContext

    context = TaskContext.get()
    assert context is not None
    return int(context.partitionId())


def _count_rows(packed: bytes, batches: Iterator[Any]) -> Iterator[Any]:
    part = partition_number()
    name = f"partition {part}"
    with failures_told(name):
        first = next(batches, None)
        if first is None:
            return
        job = Job.unpack(packed)
        pieces = counted(job, name, chain([first], batches))
        yield from (row(part, shard, piece) for shard, piece in enumerate(pieces))


def _count_split(packed: bytes, number: int, spelt: str) -> Iterator[Any]:
    split = Split(**json.loads(spelt))
    with failures_told(str(split)):
        job = Job.unpack(packed)
        counter = PartCounter(job, str(split))
        reader = PartReader(job.columns, job.on_error, str(split))
        for batch in reader.of_split(split):
            counter.add_batch(batch)
        counter.skip(reader.skipped)
        yield from (row(number, shard, piece) for shard, piece in enumerate(counter.pack()))


def _merged(packed: bytes, column: Any) -> bytes:
    """Add up the pieces of a group; one alone stays what it is."""
    pieces: list[bytes] = column.to_pylist()
    if len(pieces) == 1:
        return pieces[0]
    job = Job.unpack(packed)
    return merged(pieces, job.n_drawn, job.most_in_shard)


def _chunks(shard: int, piece: bytes) -> list[Any]:
    starts = enumerate(range(0, len(piece), _CHUNK))
    return [row(at, shard, piece[start : start + _CHUNK]) for at, start in starts]


def _fitting(piece: bytes, fan_in: int) -> bytes:
    """Refuse a piece of which Spark could not send as many as are merged at a time."""
    if len(piece) * fan_in > _CELLS:
        raise EngineError(
            f"a piece of {len(piece):,} bytes is too large for Spark to send {fan_in} at a time: "
            "cut tallies into more pieces (shards), or merge fewer at a time (fan_in)."
        )
    return piece


def _tell(memory: Any) -> None:
    if memory is not None:
        memory.add(peak_memory())


# ------------------------------------------------------------------------------------------------
# What Spark's workers do with a classifier: answer, and judge it.

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

"""Tasks that Spark's workers run: count, merge, predict and evaluate, on Arrow batches.

Each function returns a task for ``mapInArrow`` or ``applyInArrow``. A task depends on its input
only, so it returns the same when Spark retries it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import chain
from typing import Any, NamedTuple, TypeAlias

import pyarrow as pa

from tallytext.distributed.counting import PartitionCounter, PartitionReader
from tallytext.distributed.files import Split
from tallytext.distributed.options import CountingOptions, EvaluationOptions, PredictionOptions
from tallytext.distributed.partial_tally import merge_packed
from tallytext.distributed.prediction import evaluate_batches, predict_columns, text_column
from tallytext.distributed.spark_session import mark_failures
from tallytext.errors import EngineError
from tallytext.io.batches import Batch
from tallytext.runtime import peak_memory

BLOCK_SCHEMA = "part int, shard int, block binary"
"""Columns of packed partial tallies: number of the partition or merge, shard, and content."""

EVALUATION_SCHEMA = "n_skipped long, evaluation binary"
"""Columns of evaluations: number of skipped rows, and packed evaluation."""

RESULT_SCHEMA = "number long, result binary"
"""Columns of the results of a function: number of the split, and result."""

Task: TypeAlias = Callable[[Iterator[Any]], Iterator[Any]]

_BLOCK_COLUMNS = ["part", "shard", "block"]
_CHUNK_BYTES = 8 << 20  # of the last blocks, so that no message to the driver is large
_MAX_COLUMN_BYTES = (2 << 30) - (1 << 20)  # of an Arrow batch, with a margin


def count_partitions(options: bytes, splits: Sequence[str] | None, memory: Any = None) -> Task:
    """Return a task that counts documents.

    Parameters
    ----------
    options : bytes
        Packed :class:`CountingOptions`.
    splits : sequence of str or None
        All splits as JSON, if the input is numbers of splits; None if it is documents.
    memory : Accumulator, default=None
        Gets the peak memory of the process.
    """

    def count(batches: Iterator[Any]) -> Iterator[Any]:
        for number, name, read in _inputs(batches, splits):
            with mark_failures(name):
                counter = PartitionCounter(CountingOptions.unpack(options), name)
                counter.add_batches(read(counter.reader))
                for shard, block in enumerate(counter.pack()):
                    yield _block_row(number, shard, block)
        _report_memory(memory)

    return count


def merge_blocks(options: bytes, is_last: bool, memory: Any = None) -> Callable[[Any, Any], Any]:
    """Return a task that merges a group of blocks of the same shard into one.

    Parameters
    ----------
    options : bytes
        Packed :class:`CountingOptions`.
    is_last : bool
        Whether the result goes to the driver. Then it is split into chunks, numbered as parts.
    memory : Accumulator, default=None
        Gets the peak memory of the process.
    """

    # Without annotations, since Spark reads them here and accepts "pa.Table" by that name only.
    def merge(key, table):  # type: ignore[no-untyped-def]
        shard, part = (each.as_py() for each in key)
        with mark_failures(f"the merge of group {part} of shard {shard}"):
            unpacked, blocks = CountingOptions.unpack(options), table.column("block").to_pylist()
            # A single block is passed on without unpacking it.
            merged = blocks[0]
            if len(blocks) > 1:
                merged = merge_packed(blocks, unpacked.n_sampled, unpacked.max_shard_terms)
            _report_memory(memory)
            if is_last:
                rows = _chunk_rows(shard, merged)
            else:
                _check_size(merged, unpacked.fan_in)
                rows = [_block_row(part, shard, merged)]
            # With useLargeVarTypes, Spark expects the types of the input.
            return pa.Table.from_batches(rows).cast(table.select(_BLOCK_COLUMNS).schema)

    return merge


def evaluate_partitions(
    model: bytes, options: EvaluationOptions, splits: Sequence[str] | None
) -> Task:
    """Return a task that evaluates a classifier on documents.

    Parameters
    ----------
    model : bytes
        The classifier.
    options : EvaluationOptions
    splits : sequence of str or None
        As for :func:`count_partitions`.
    """

    def evaluate(batches: Iterator[Any]) -> Iterator[Any]:
        for _, name, read in _inputs(batches, splits):
            with mark_failures(name):
                reader = PartitionReader(options.columns, options.on_error, name)
                evaluation = evaluate_batches(model, read(reader), ranking=options.ranking)
                columns = [pa.array([reader.skipped.count]), pa.array([evaluation], pa.binary())]
                yield pa.record_batch(columns, ["n_skipped", "evaluation"])

    return evaluate


def predict_rows(model: bytes, options: PredictionOptions) -> Task:
    """Return a task that adds the columns of predictions to rows."""

    def predict(batches: Iterator[Any]) -> Iterator[Any]:
        for records in batches:
            texts = records.column(options.text)
            columns = predict_columns(model, texts, min_confidence=options.min_confidence)
            names = [*records.schema.names, *options.into]
            yield pa.record_batch([*records.columns, *columns], names)

    return predict


def predict_splits(model: bytes, options: PredictionOptions, splits: Sequence[str]) -> Task:
    """Return a task that gets numbers of splits, and returns their texts with predictions."""

    def predict(batches: Iterator[Any]) -> Iterator[Any]:
        names = [options.text, *options.into]
        for number in _split_numbers(batches):
            for batch in Split.from_json(splits[number]).reader(text=options.text, label=None):
                columns = predict_columns(model, batch.texts, min_confidence=options.min_confidence)
                yield pa.record_batch([text_column(batch.strings), *columns], names)

    return predict


def call_on_splits(
    function: Callable[[Split, bytes], bytes], splits: Sequence[str], shared: bytes
) -> Task:
    """Return a task that gets numbers of splits, and calls a function on each."""

    def call(batches: Iterator[Any]) -> Iterator[Any]:
        for number in _split_numbers(batches):
            split = Split.from_json(splits[number])
            with mark_failures(str(split)):
                result = function(split, shared)
            columns = [pa.array([number]), pa.array([result], pa.binary())]
            yield pa.record_batch(columns, ["number", "result"])

    return call


class _Input(NamedTuple):
    """A partition of a DataFrame, or a split of a file."""

    number: int
    name: str
    read: Callable[[PartitionReader], Iterator[Batch]]


def _inputs(batches: Iterator[Any], splits: Sequence[str] | None) -> Iterator[_Input]:
    """Yield the documents of a task: one partition, or the splits of which it gets the numbers."""
    if splits is None:
        part = _partition_number()
        name = f"partition {part}"
        with mark_failures(name):
            # The query that makes the rows runs here, and its errors need the name of the
            # partition.
            first = next(batches, None)
        if first is not None:  # an empty partition has no result, not even an empty one
            records = chain([first], batches)
            yield _Input(part, name, lambda reader: reader.read_records(records))
        return
    for number in _split_numbers(batches):
        split = Split.from_json(splits[number])
        yield _Input(number, str(split), partial(PartitionReader.read_split, split=split))


def _split_numbers(batches: Iterator[Any]) -> Iterator[int]:
    for records in batches:
        yield from records.column(0).to_pylist()


def _partition_number() -> int:
    from pyspark import TaskContext

    context = TaskContext.get()
    assert context is not None
    return int(context.partitionId())


def _block_row(part: int, shard: int, block: bytes) -> Any:
    """Return a record batch of one row: several blocks may have more bytes than Arrow can count."""
    columns = [pa.array([part], pa.int32()), pa.array([shard], pa.int32()), pa.array([block])]
    return pa.record_batch(columns, _BLOCK_COLUMNS)


def _chunk_rows(shard: int, block: bytes) -> list[Any]:
    starts = enumerate(range(0, len(block), _CHUNK_BYTES))
    return [_block_row(at, shard, block[start : start + _CHUNK_BYTES]) for at, start in starts]


def _check_size(block: bytes, fan_in: int) -> None:
    """Raise EngineError if a group of blocks of this size would not fit into an Arrow column."""
    if len(block) * fan_in > _MAX_COLUMN_BYTES:
        raise EngineError(
            f"a block of {len(block):,} bytes is too large for Spark to send {fan_in} to one task: "
            "split tallies into more shards (shards), or merge fewer at a time (fan_in)."
        )


def _report_memory(memory: Any) -> None:
    if memory is not None:
        memory.add(peak_memory())

"""Tasks that Dask's workers run, and the graphs of them: count or evaluate partitions, then merge.

A document that cannot be read is a permanent failure: a cluster would retry a task that raises it,
and in vain. On a cluster such tasks therefore return a :class:`PermanentFailure`, merges pass it
on, and the client raises it as an error.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import lru_cache, partial
from importlib import import_module
from typing import Any, NamedTuple, TypeAlias, TypeGuard, TypeVar
from uuid import uuid4

import pyarrow as pa
import pyarrow.compute as pc

from tallytext import errors
from tallytext.distributed.counting import PartitionCounter, PartitionReader
from tallytext.distributed.files import Files, Split
from tallytext.distributed.options import CountingOptions, EvaluationOptions
from tallytext.distributed.partial_tally import merge_packed, sum_packed
from tallytext.distributed.prediction import evaluate_batches, merge_evaluations
from tallytext.distributed.progress import TaskReport
from tallytext.errors import EngineError, InputError, TallytextError
from tallytext.io.batches import Batch, Columns, SkippedRows
from tallytext.io.documents import MAX_BATCH_DOCUMENTS
from tallytext.io.parquet import is_string_type
from tallytext.runtime import peak_memory

EVENT_TOPIC = "tallytext"
"""Topic of the events of all runs: a scheduler stores every topic for good, so one must do."""

MERGE_PREFIX = "tallytext-merge"
"""Begins the keys of merges, by which local schedulers recognise them."""

_Result = TypeVar("_Result")
Key: TypeAlias = Any

_MAX_EDGES = 65_536  # partial tallies times shards, which a scheduler can handle
_EVALUATION_FAN_IN = 16

_NOT_ARROW = (
    pa.ArrowInvalid,
    pa.ArrowTypeError,
    pa.ArrowNotImplementedError,
    UnicodeEncodeError,
    OverflowError,
)
_MAX_EXACT_DOUBLE = 2.0**53  # from here on, different integers become the same double

# The repr of lists, tuples, sets and NumPy arrays of strings or numbers. A tuple of one item has a
# comma. Empty tuples and sets are not included, since "()" and "{}" may well be labels.
_ITEM = r"('.*'|\".*\"|-?([0-9][0-9.e+-]*|inf)|True|False|None|nan|np\.\w+\(.*\))"
_ITEMS = rf"{_ITEM}(,?\s+{_ITEM})*"
_SET = rf"\{{{_ITEMS}\}}"
_LIST_REPR = (
    rf"(?s)^(\[\s*({_ITEMS})?\s*\]|\(({_ITEM},|{_ITEM}(, {_ITEM})+)\)|{_SET}|frozenset\({_SET}\))$"
)


def dask_module(name: str) -> Any:
    """Import a module of Dask.

    Raises
    ------
    EngineError
        If it is not installed, with the command that installs it.
    """
    try:
        return import_module(name)
    except ImportError as missing:
        raise EngineError(
            f"this needs Dask, but a package is missing ({missing}): install it with "
            "pip install 'tallytext[dask]' (in a clone of the sources, '.[dask]')."
        ) from None


def send_event(topic: str, event: TaskReport | PermanentFailure) -> None:
    """Send an event to the client, if this is a worker of a cluster; ``topic`` is the run."""
    if not topic:
        return
    # Results do not depend on events: without them, progress is not shown.
    with suppress(ValueError, OSError):
        dask_module("distributed").get_worker().log_event(EVENT_TOPIC, [topic, event.to_list()])


# Failures and retries


class PermanentFailure(NamedTuple):
    """An error that a retry would not cure, as the result of a task.

    Examples
    --------
    >>> PermanentFailure.from_error(InputError("row 7 is bad")).error()
    InputError('row 7 is bad')
    """

    kind: str
    message: str

    @classmethod
    def from_error(cls, problem: TallytextError) -> PermanentFailure:
        """Return an error as a result."""
        return cls(type(problem).__name__, str(problem))

    def error(self) -> TallytextError:
        """Return the error."""
        # By name, since events hold JSON values only.
        error: TallytextError = getattr(errors, self.kind, InputError)(self.message)
        return error

    def to_list(self) -> list[str]:
        """Return the values as a list, as JSON can hold it."""
        return list(self)


def run_with_retries(
    work: Callable[[], _Result], tries: int, name: str, on_cluster: bool
) -> _Result | PermanentFailure:
    """Run some work, and retry it if it fails, unless the failure is permanent.

    Parameters
    ----------
    work : callable
    tries : int
        How often to run it at most.
    name : str
        The work, as messages call it.
    on_cluster : bool
        Whether to return permanent failures instead of raising them.

    Raises
    ------
    TallytextError
        A permanent failure, if this is not a cluster.
    EngineError
        If the last try failed.
    """
    for left in reversed(range(tries)):
        try:
            return work()
        except Exception as problem:
            if _is_permanent(problem):
                if on_cluster:
                    return PermanentFailure.from_error(problem)
                raise
            if not left:
                if isinstance(problem, TallytextError):
                    raise
                raise EngineError(failure_message(name, problem)) from problem
    raise AssertionError("tries must be at least 1")


def run_on_split(function: Any, tries: int, on_cluster: bool, shared: bytes, split: str) -> Any:
    """Call a function on a split and the shared bytes, with retries.

    Raises
    ------
    EngineError
        If it fails, with the name of the split.
    """
    parsed = Split.from_json(split)
    return run_with_retries(lambda: function(parsed, shared), tries, str(parsed), on_cluster)


def merge_unless_failed(
    merge: Callable[..., _Result], *arguments: Any
) -> _Result | PermanentFailure:
    """Merge the results in the last argument; if one is a failure, return it instead."""
    for result in arguments[-1]:
        if isinstance(result, PermanentFailure):
            return result
    return merge(*arguments)


def failure_message(name: str, problem: BaseException) -> str:
    """Return an error message about a failed partition, with a remedy."""
    message = str(problem).strip().rstrip(".")
    remedy = (
        "Make partitions smaller, or give workers more memory or fewer threads"
        if isinstance(problem, MemoryError)
        else "Remove the cause and run it again; if the cause is temporary, allow more retries"
    )
    colon = ": " if message else ""
    return f"{name} failed: {type(problem).__name__}{colon}{message}. {remedy}."


def _is_permanent(problem: Exception) -> TypeGuard[TallytextError]:
    """Return True if the documents cause an error, and not the disk or the engine."""
    # A file server that is away for a moment raises OSError, and a retry may succeed.
    transient = isinstance(problem, EngineError) or isinstance(problem.__cause__, OSError)
    return isinstance(problem, TallytextError) and not transient


# Partitions, and their documents


@dataclass(frozen=True)
class Partitions:
    """The partitions of a Dask collection or of files.

    Attributes
    ----------
    kind : {"frame", "rows", "split"}
        Content of a partition: a pandas DataFrame, Python objects, or a split of a file.
    names : list of str
        The partitions, as messages call them.
    sources : list
        For each partition the key of the task that makes it, or a split as JSON.
    graph : dict
        The tasks that make the partitions.
    default_get : callable or None
        The scheduler function that Dask uses by default for such a collection.
    """

    kind: str
    names: list[str]
    sources: list[Any]
    graph: dict[Any, Any] = field(default_factory=dict)
    default_get: Any = None

    def __len__(self) -> int:
        return len(self.sources)

    def task_names(self, leaves: list[Any]) -> dict[Any, str]:
        """Return the names of partitions by the keys of the tasks that make or read them."""
        return dict(zip(self.sources + leaves, self.names * 2, strict=True))


def list_partitions(source: Any, columns: Columns) -> Partitions:
    """Return the partitions of a Dask DataFrame or Bag, or of files.

    Raises
    ------
    InputError
        If the source is something else.
    FileError
        If a column is missing.
    """
    if isinstance(source, Files):
        splits = source.splits()
        return Partitions("split", list(map(str, splits)), [each.to_json() for each in splits])
    kind = collection_kind(source)
    if kind is None:
        raise InputError(
            f"{type(source).__name__} cannot be read with Dask: pass a Dask DataFrame "
            "(dask.dataframe.from_pandas makes one), a Bag, or Files."
        )
    if kind == "frame":
        collection = _select_columns(source, columns)
    else:
        # Lists, since a task that is retried would find an iterator empty.
        collection = source.map_partitions(list)
    delayed = collection.to_delayed()
    graph = dict(delayed[0].__dask_graph__()) if delayed else {}
    names = [f"partition {number}" for number in range(len(delayed))]
    keys = [each.key for each in delayed]
    return Partitions(kind, names, keys, graph, collection.__dask_scheduler__)


def collection_kind(source: Any) -> str | None:
    """Return "frame" for a Dask DataFrame, "rows" for a Bag, and None for all else."""
    if isinstance(source, dask_module("dask.dataframe").DataFrame):
        return "frame"
    if isinstance(source, dask_module("dask.bag").Bag):
        return "rows"
    return None


def _select_columns(source: Any, columns: Columns) -> Any:
    columns.positions(list(source.columns), "the DataFrame")
    # Selected first, so that Dask reads no other column from files.
    source = source[list(dict.fromkeys(columns.names))]
    # Only a column declared as integers: floats that happen to be whole stay floats.
    if columns.label is None or source._meta[columns.label].dtype.kind not in "iu":
        return source
    return source.map_partitions(with_integers, columns.label, meta=source._meta)


def with_integers(frame: Any, label: str) -> Any:
    """Return a pandas DataFrame with integer labels, if missing ones made floats of them.

    Examples
    --------
    >>> import pandas as pd
    >>> with_integers(pd.DataFrame({"label": [1, None]}), "label")["label"].tolist()
    [1, <NA>]
    """
    labels = frame[label]
    if labels.dtype.kind != "f" or not (labels.dropna() % 1 == 0).all():
        return frame
    if (labels.abs() >= _MAX_EXACT_DOUBLE).any():
        raise InputError(
            f"column {label!r} holds integers and nulls, which pandas has converted to floats, and "
            f"some are too large for that: {labels.abs().max():.0f}. Read the data with "
            "dtype_backend='pyarrow'."
        )
    return frame.assign(**{label: labels.astype("Int64")})


def read_partition(
    reader: PartitionReader, kind: str, source: Any, columns: Columns
) -> Iterator[Batch]:
    """Yield the documents of a partition of any kind."""
    if kind == "frame":
        return read_frame(reader, source, columns)
    if kind == "rows":
        return reader.read_rows(source)
    return reader.read_split(Split.from_json(source))


def read_frame(reader: PartitionReader, frame: Any, columns: Columns) -> Iterator[Batch]:
    """Yield the documents of a pandas DataFrame.

    Columns that Arrow cannot hold, since they have labels of several types, are read row by row.

    Examples
    --------
    >>> import pandas as pd
    >>> columns = Columns("text", "label")
    >>> frame = pd.DataFrame({"text": ["to be", "or not"], "label": ["x", 7]})
    >>> reader = PartitionReader(columns, "fail", "partition 0")
    >>> [batch.labels for batch in read_frame(reader, frame, columns)]
    [['x', 7]]
    """
    wanted = frame[list(dict.fromkeys(columns.names))]
    try:
        # The index is neither text nor label, and may have a type that Arrow cannot hold.
        table = with_string_types(pa.Table.from_pandas(wanted, preserve_index=False))
    except _NOT_ARROW:
        values = (_none_if_missing(wanted[name]) for name in columns.names)
        yield from reader.read_rows(zip(*values, strict=True))
        return
    _check_lists(table, columns)
    yield from reader.read_records(table.to_batches(max_chunksize=MAX_BATCH_DOCUMENTS))


def frame_texts(frame: Any, text: str) -> Any:
    """Return a column of texts as an Arrow column, or as a list if Arrow cannot hold it."""
    try:
        table = pa.Table.from_pandas(frame[[text]], preserve_index=False)
        return with_string_types(table).column(0)
    except _NOT_ARROW:
        return _none_if_missing(frame[text])


def with_string_types(table: Any) -> Any:
    """Return a table with columns of strings where Arrow found no value, and so no type."""
    for at, column in enumerate(table.schema):
        if (type := _typed_as_string(column.type)) != column.type:
            table = table.set_column(at, column.name, table.column(at).cast(type))
    return table


def _typed_as_string(type: Any) -> Any:
    if pa.types.is_dictionary(type):
        return pa.string() if pa.types.is_null(type.value_type) else type
    if pa.types.is_list(type) and pa.types.is_null(type.value_type):
        return pa.list_(pa.string())
    return pa.string() if pa.types.is_null(type) else type


def _none_if_missing(column: Any) -> list[Any]:
    missing = column.isna()
    return [None if gone else value for value, gone in zip(column, missing, strict=True)]


def _check_lists(table: Any, columns: Columns) -> None:
    """Raise InputError if lists of labels became strings, to which Dask converts all objects."""
    if columns.label is None or columns.separator is not None:
        return
    labels = table.column(columns.label)
    if not is_string_type(labels.type):
        return
    lists = labels.filter(pc.match_substring_regex(labels, _LIST_REPR))
    if len(lists):
        raise InputError(
            f"column {columns.label!r} holds {lists[0].as_py()!r:.60}: Dask has converted a list "
            "of labels to a string. Make the DataFrame under "
            "dask.config.set({'dataframe.convert-string': False}), or give the column of pandas an "
            "Arrow list type. If it really is one label, pass a label_separator that does not "
            "occur in labels."
        )


# Tasks


class PartitionTask(NamedTuple):
    """Settings of a task that works on one partition.

    Attributes
    ----------
    kind : {"frame", "rows", "split"}
        Content of a partition.
    tries : int
        How often to try.
    topic : str
        The run to which events belong; empty if this is not a cluster.
    """

    kind: str
    tries: int
    topic: str

    def run(self, work: Callable[[], Any], name: str) -> Any:
        """Run some work with retries, and send an event about its result."""
        result = run_with_retries(work, self.tries, name, on_cluster=bool(self.topic))
        send_event(self.topic, result if isinstance(result, PermanentFailure) else result.report)
        return result


class CountedPartition(NamedTuple):
    """The packed shards of one or more partitions, and a report about them."""

    shards: list[bytes]
    report: TaskReport


class EvaluatedPartition(NamedTuple):
    """The evaluation on one or more partitions, the skipped rows, and a report."""

    packed: bytes
    skipped: SkippedRows
    report: TaskReport


# A worker runs many tasks of one job; the vectorizer is restored once for all of them.
load_options = lru_cache(maxsize=4)(CountingOptions.unpack)


def count_task(
    task: PartitionTask, n_shards: int, packed: bytes, number: int, name: str, source: Any
) -> CountedPartition | PermanentFailure:
    """Count a partition.

    Raises
    ------
    TallytextError
        If a document cannot be read. On a cluster, a PermanentFailure is returned instead.
    EngineError
        If something else fails, with the name of the partition.
    """
    options = load_options(packed).with_shards(n_shards)

    def count() -> CountedPartition:
        counter = PartitionCounter(options, name)
        counter.add_batches(read_partition(counter.reader, task.kind, source, options.columns))
        shards = counter.pack()
        tally, costs = counter.partial.tally, counter.partial.notes.costs
        n_bytes = sum(map(len, shards))
        sizes = (tally.n_documents, costs.text_bytes, tally.n_terms, n_bytes)
        return CountedPartition(shards, TaskReport(number, *sizes, peak_memory()))

    result: CountedPartition | PermanentFailure = task.run(count, name)
    return result


def merge_whole(
    topic: str, n_shards: int, packed: bytes, parts: Sequence[CountedPartition]
) -> CountedPartition:
    """Merge partial tallies of a single shard, and split the sum into ``n_shards``."""
    options = load_options(packed)
    blocks = [part.shards[0] for part in parts]
    shards = sum_packed(blocks, options.n_sampled, options.max_terms).pack(n_shards)
    report = TaskReport(-1, n_bytes=sum(map(len, shards)), peak_memory=peak_memory())
    send_event(topic, report)
    return CountedPartition(shards, report)


def merge_shard(topic: str, packed: bytes, shards: Sequence[bytes]) -> bytes:
    """Merge packed shards of the same number."""
    options = load_options(packed)
    merged = merge_packed(shards, options.n_sampled, options.max_shard_terms)
    send_event(topic, TaskReport(-1, n_bytes=len(merged), peak_memory=peak_memory()))
    return merged


def select_shard(
    part: CountedPartition | PermanentFailure, number: int
) -> bytes | PermanentFailure:
    """Return one shard of a partial tally, or its failure."""
    return part if isinstance(part, PermanentFailure) else part.shards[number]


def evaluate_task(
    task: PartitionTask,
    options: EvaluationOptions,
    model: bytes,
    number: int,
    name: str,
    source: Any,
) -> EvaluatedPartition | PermanentFailure:
    """Evaluate a classifier on a partition; errors are those of :func:`count_task`."""

    def evaluate() -> EvaluatedPartition:
        reader, n_documents = PartitionReader(options.columns, options.on_error, name), 0

        def batches() -> Iterator[Batch]:
            nonlocal n_documents
            for batch in read_partition(reader, task.kind, source, options.columns):
                n_documents += len(batch)
                yield batch

        packed = evaluate_batches(model, batches(), ranking=options.ranking)
        report = TaskReport(number, n_documents, peak_memory=peak_memory())
        return EvaluatedPartition(packed, reader.named_skipped(), report)

    result: EvaluatedPartition | PermanentFailure = task.run(evaluate, name)
    return result


def merge_evaluated(parts: Sequence[EvaluatedPartition]) -> EvaluatedPartition:
    """Add up evaluations."""
    skipped = SkippedRows()
    for part in parts:
        skipped += part.skipped
    packed = merge_evaluations(part.packed for part in parts)
    return EvaluatedPartition(packed, skipped, TaskReport(-1, peak_memory=peak_memory()))


# Graphs


@dataclass(frozen=True)
class TaskGraph:
    """A tree of tasks: partitions at the leaves, merges above them.

    Attributes
    ----------
    tasks : dict
        The tasks by their keys, as Dask takes them.
    ends : list
        Keys of the last merges, one per shard.
    names : dict
        Names of partitions for messages, by the keys of the tasks that make or read them.
    n_partitions : int
        Number of partitions.
    activity : str
        The activity, as the progress bar calls it.
    n_merges : int
        Number of merges that send events.
    """

    tasks: dict[Key, Any]
    ends: list[Key]
    names: dict[Key, str]
    n_partitions: int
    activity: str = "Counting"
    n_merges: int = 0


def counting_graph(
    partitions: Partitions, options: CountingOptions, tries: int, topic: str = ""
) -> TaskGraph:
    """Return the tasks that count partitions and merge their tallies.

    The first merges are of whole tallies, which are still small: so there are few tasks, and each
    tally is sent once. Their results are split into shards, and all further merges, which are
    larger, run shard by shard and in parallel. Dask frees all results but the last once they are
    merged.

    Parameters
    ----------
    partitions : Partitions
    options : CountingOptions
    tries : int
        How often a task tries to count a partition.
    topic : str, default=""
        The run to which events belong; empty if this is not a cluster.
    """
    n_shards, task = options.n_shards, PartitionTask(partitions.kind, tries, topic)
    sizes = whole_merge_levels(len(partitions), options.fan_in, n_shards)
    # The packed options are a task, so that each worker gets one copy and the scheduler keeps it.
    graph = _GraphBuilder(partitions, options.pack(), options.fan_in)
    leaves = graph.add_leaves("count", partial(count_task, task, 1 if sizes else n_shards))
    level = leaves
    for left in reversed(range(len(sizes))):
        merge = partial(merge_unless_failed, merge_whole, topic, 1 if left else n_shards)
        level = [graph.add_merge(merge, graph.shared, group) for group in graph.groups(level)]
    merge_shards = partial(merge_unless_failed, merge_shard, topic)
    ends = []
    for shard in range(n_shards):
        keys = graph.add_selections(level, shard)
        while len(keys) > 1:
            keys = [
                group[0] if len(group) == 1 else graph.add_merge(merge_shards, graph.shared, group)
                for group in graph.groups(keys)
            ]
        ends += keys
    names = partitions.task_names(leaves)
    return TaskGraph(graph.tasks, ends, names, len(partitions), n_merges=graph.n_merges)


def whole_merge_levels(n_parts: int, fan_in: int, n_shards: int) -> list[int]:
    """Return the number of tallies that remain after each round of merges of whole tallies.

    Whole tallies grow with every round. So there is one round, and another one only while the
    scheduler would have to handle too many shards.

    Examples
    --------
    >>> [whole_merge_levels(n, 8, 32) for n in (8, 9, 64, 5_000, 100_000)]
    [[], [2], [8], [625], [12500, 1563]]
    """
    levels: list[int] = []
    while n_parts > fan_in and (not levels or n_parts * n_shards > _MAX_EDGES):
        n_parts = -(-n_parts // fan_in)
        levels.append(n_parts)
    return levels


def evaluation_graph(
    partitions: Partitions, options: EvaluationOptions, model: Any, tries: int, topic: str = ""
) -> TaskGraph:
    """Return the tasks that evaluate a classifier on partitions and add up the evaluations.

    Parameters
    ----------
    partitions : Partitions
    options : EvaluationOptions
    model : bytes or Future
        The classifier.
    tries, topic
        As for :func:`counting_graph`.
    """
    graph = _GraphBuilder(partitions, model, _EVALUATION_FAN_IN)
    task = PartitionTask(partitions.kind, tries, topic)
    level = leaves = graph.add_leaves("evaluate", partial(evaluate_task, task, options))
    merge = partial(merge_unless_failed, merge_evaluated)
    while len(level) > 1:
        level = [graph.add_merge(merge, group) for group in graph.groups(level)]
    # These merges are quick and send no events, so they are no steps of the progress bar.
    names = partitions.task_names(leaves)
    return TaskGraph(graph.tasks, level, names, len(partitions), "Evaluating")


class _GraphBuilder:
    """A graph of tasks under construction.

    Keys have a random token, so that no task is taken for one of an earlier run.
    """

    def __init__(self, partitions: Partitions, shared: Any, fan_in: int) -> None:
        self._partitions, self._fan_in, self._token = partitions, fan_in, uuid4().hex
        self.n_merges = 0
        self.shared = f"tallytext-shared-{self._token}"
        self.tasks: dict[Key, Any] = partitions.graph | {self.shared: shared}

    def add_leaves(self, name: str, task: Callable[..., Any]) -> list[Key]:
        """Add a task for each partition; it gets the shared value, number, name and source."""
        keys = [(f"tallytext-{name}-{self._token}", at) for at in range(len(self._partitions))]
        leaves = zip(keys, self._partitions.names, self._partitions.sources, strict=True)
        for number, (key, name, source) in enumerate(leaves):
            self.tasks[key] = (task, self.shared, number, name, source)
        return keys

    def add_selections(self, level: list[Key], shard: int) -> list[Key]:
        """Add a task for each key that selects one of its shards."""
        keys = [(f"tallytext-pick-{self._token}", shard, at) for at in range(len(level))]
        pairs = zip(keys, level, strict=True)
        self.tasks |= {key: (select_shard, part, shard) for key, part in pairs}
        return keys

    def add_merge(self, merge: Callable[..., Any], *arguments: Any) -> Key:
        """Add a merge; the last argument is the list of keys to merge."""
        self.n_merges += 1
        key = (f"{MERGE_PREFIX}-{self._token}", self.n_merges)
        self.tasks[key] = (merge, *arguments)
        return key

    def groups(self, level: list[Key]) -> list[list[Key]]:
        """Return groups of keys that are merged by one task each."""
        return [level[at : at + self._fan_in] for at in range(0, len(level), self._fan_in)]

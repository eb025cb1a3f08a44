"""What Dask's workers are given to do: count a partition, merge parts."""

from __future__ import annotations

import json
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
from tallytext.distributed.counting import PartCounter, PartReader
from tallytext.distributed.job import Files, Job, Split
from tallytext.distributed.part import merged, summed
from tallytext.distributed.watching import Note
from tallytext.errors import EngineError, InputError, TallytextError
from tallytext.io.batches import Batch, Columns
from tallytext.io.documents import MAX_DOCUMENTS
from tallytext.io.parquet import is_string
from tallytext.runtime import peak_memory

# ------------------------------------------------------------------------------------------------
# Partitions of a Dask DataFrame as columns of Arrow, whose strings are not copied.

_NOT_ARROW = (
    pa.ArrowInvalid,
    pa.ArrowTypeError,
    pa.ArrowNotImplementedError,
    UnicodeEncodeError,
    OverflowError,
)
_LARGEST = 2.0**53  # up to here, a double is one integer

# As Python spells lists, tuples, sets and NumPy arrays of strings or numbers. Of one item, a tuple
# has a comma; those of none but lists may well be labels.
_ITEM = r"('.*'|\".*\"|-?([0-9][0-9.e+-]*|inf)|True|False|None|nan|np\.\w+\(.*\))"
_ITEMS = rf"{_ITEM}(,?\s+{_ITEM})*"
_SET = rf"\{{{_ITEMS}\}}"
_SPELT_LIST = (
    rf"(?s)^(\[\s*({_ITEMS})?\s*\]|\(({_ITEM},|{_ITEM}(, {_ITEM})+)\)|{_SET}|frozenset\({_SET}\))$"
)


def batches_of_frame(reader: PartReader, frame: Any, columns: Columns) -> Iterator[Batch]:
    """Yield the rows of a pandas DataFrame.

    Columns that Arrow cannot hold, as they have labels of several types, are read row by row.

    Examples
    --------
    >>> import pandas as pd
    >>> columns = Columns("text", "label")
    >>> frame = pd.DataFrame({"text": ["to be", "or not"], "label": ["x", 7]})
    >>> reader = PartReader(columns, "fail", "partition 0")
    >>> [batch.labels for batch in batches_of_frame(reader, frame, columns)]
    [['x', 7]]
    """
    wanted = frame[list(dict.fromkeys(columns.names))]
    try:
        table = typed(pa.Table.from_pandas(wanted, preserve_index=False))
    except _NOT_ARROW:
        yield from reader.of_rows(_rows_of(wanted, columns))
        return
    _refuse_spelt_lists(table, columns)
    yield from reader.of_records(table.to_batches(max_chunksize=MAX_DOCUMENTS))


def texts_of_frame(frame: Any, text: str) -> Any:
    """Return a column of texts, in Arrow if that can hold it."""
    try:
        return typed(pa.Table.from_pandas(frame[[text]], preserve_index=False)).column(0)
    except _NOT_ARROW:
        return _missing_as_none(frame[text])


def with_integers(frame: Any, label: str) -> Any:
    """Return a pandas DataFrame with integers where missing labels have made doubles of them.

    Examples
    --------
    >>> import pandas as pd
    >>> with_integers(pd.DataFrame({"label": [1, None]}), "label")["label"].tolist()
    [1, <NA>]
    """
    labels = frame[label]
    if labels.dtype.kind != "f" or not (labels.dropna() % 1 == 0).all():
        return frame
    if (labels.abs() >= _LARGEST).any():
        raise InputError(
            f"column {label!r} holds integers and nulls, of which pandas has made doubles, and "
            f"some are too large for these: {labels.abs().max():.0f}. Read it with "
            "dtype_backend='pyarrow'."
        )
    return frame.assign(**{label: labels.astype("Int64")})


def typed(table: Any) -> Any:
    """Give columns without a value, of which Arrow knows no type, that of strings."""
    for at, column in enumerate(table.schema):
        if (type := _type_of(column.type)) != column.type:
            table = table.set_column(at, column.name, table.column(at).cast(type))
    return table


def _type_of(type: Any) -> Any:
    if pa.types.is_dictionary(type):
        return pa.string() if pa.types.is_null(type.value_type) else type
    if pa.types.is_list(type) and pa.types.is_null(type.value_type):
        return pa.list_(pa.string())
    return pa.string() if pa.types.is_null(type) else type


def _refuse_spelt_lists(table: Any, columns: Columns) -> None:
    """Refuse lists of labels that became strings, as Dask makes them of objects."""
    if columns.label is None or columns.separator is not None:
        return
    labels = table.column(columns.label)
    if not is_string(labels.type):
        return
    spelt = labels.filter(pc.match_substring_regex(labels, _SPELT_LIST))
    if len(spelt):
        raise InputError(
            f"column {columns.label!r} holds {spelt[0].as_py()!r:.60}: Dask has made a string of "
            "several labels. Make the DataFrame under "
            "dask.config.set({'dataframe.convert-string': False}), or give pandas' column the type "
            "of Arrow's lists. If it is one label, as you write it, give a label_separator that "
            "does not occur in labels."
        )


def _rows_of(frame: Any, columns: Columns) -> Iterator[tuple[Any, ...]]:
    """Yield rows of Python objects; what pandas takes as missing is None."""
    return zip(*(_missing_as_none(frame[name]) for name in columns.names), strict=True)


def _missing_as_none(column: Any) -> list[Any]:
    return [None if gone else value for value, gone in zip(column, column.isna(), strict=True)]


# ------------------------------------------------------------------------------------------------
# Dask, imported when it is needed.


def dask_module(name: str) -> Any:
    """Return a module of Dask.

    Raises
    ------
    EngineError
        If it is not installed, with the name of the extra.
    """
    try:
        return import_module(name)
    except ImportError as missing:
        raise EngineError(
            f"this needs Dask, and there is a package missing ({missing}): install it with "
            "pip install 'tallytext[dask]' (in a clone of the sources, '.[dask]')."
        ) from None


TOPIC = "tallytext"
"""Under which workers tell of all work: a scheduler keeps each topic for good."""

_Result = TypeVar("_Result")

job_of = lru_cache(maxsize=4)(Job.unpack)


class Told(NamedTuple):
    """The pieces of some partitions, and a note about them."""

    pieces: list[bytes]
    note: Note


class Wrong(NamedTuple):
    """What is wrong with a document: a result, as a cluster would try again what raises it.

    Examples
    --------
    >>> Wrong.of(InputError("row 7 is bad")).error()
    InputError('row 7 is bad')
    """

    kind: str
    said: str

    @classmethod
    def of(cls, problem: TallytextError) -> Wrong:
        """Return an error as a result."""
        return cls(type(problem).__name__, str(problem))

    def error(self) -> TallytextError:
        """Return the error."""
        made: TallytextError = getattr(errors, self.kind, InputError)(self.said)
        return made

    def to_list(self) -> list[str]:
        """Return plain values, as JSON has them."""
        return list(self)


class Leaf(NamedTuple):
    """How a partition is counted.

    Attributes
    ----------
    kind : {"frame", "rows", "split"}
        What it is made of: a pandas DataFrame, Python objects, or a piece of a file.
    n_pieces : int
        Into how many pieces its tally is cut.
    tries : int
        How often to try.
    topic : str
        By what whoever has begun the work knows it, on a cluster.
    """

    kind: str
    n_pieces: int
    tries: int
    topic: str


def count(leaf: Leaf, packed: bytes, number: int, name: str, source: Any) -> Told | Wrong:
    """Count a partition.

    Raises
    ------
    TallytextError
        What is wrong with a document, as it is on one machine. On a cluster, it is returned.
    EngineError
        Whatever else went wrong, with the name of the partition.
    """
    job = job_of(packed).in_shards(leaf.n_pieces)
    work = partial(_counted, job, leaf.kind, number, name, source)
    found = tried(work, leaf.tries, name, bool(leaf.topic))
    tell(leaf.topic, found if isinstance(found, Wrong) else found.note)
    return found


def work_on_split(function: Any, tries: int, on_cluster: bool, shared: bytes, told: str) -> Any:
    """Do something with a piece of a file.

    Raises
    ------
    EngineError
        If it fails, with the name of the piece.
    """
    split = Split(**json.loads(told))
    return tried(lambda: function(split, shared), tries, str(split), on_cluster)


def tried(work: Callable[[], _Result], tries: int, name: str, on_cluster: bool) -> _Result | Wrong:
    """Do some work, and try again where it fails; what is wrong with documents will be so again.

    On a cluster, which tries again whatever is raised, that is returned.
    """
    for left in reversed(range(tries)):
        try:
            return work()
        except Exception as problem:
            if _is_lasting(problem):
                if on_cluster:
                    return Wrong.of(problem)
                raise
            if not left:
                raise _named(problem, name) from problem
    raise AssertionError("tried at least once")


def _is_lasting(problem: Exception) -> TypeGuard[TallytextError]:
    """Whether it is wrong with documents, and not with the disk that they are on."""
    transient = isinstance(problem, EngineError) or isinstance(problem.__cause__, OSError)
    return isinstance(problem, TallytextError) and not transient


def _named(problem: Exception, name: str) -> TallytextError:
    if isinstance(problem, TallytextError):
        return problem
    return EngineError(failure(name, problem))


def unless_wrong(merge: Callable[..., _Result], *given: Any) -> _Result | Wrong:
    """Merge parts, which are given last; what is wrong with one of them is wrong with all."""
    for part in given[-1]:
        if isinstance(part, Wrong):
            return part
    return merge(*given)


def failure(name: str, problem: BaseException) -> str:
    """Return a sentence on what went wrong with a partition, and what to do."""
    what = f"{name} failed: {type(problem).__name__}"
    said = str(problem).strip().rstrip(".")
    remedy = (
        "Make partitions smaller, or give workers more memory or fewer threads"
        if isinstance(problem, MemoryError)
        else "Nothing was lost: mend the cause and try again; where it passes by itself, allow "
        "for more retries"
    )
    return f"{what}{': ' if said else ''}{said}. {remedy}."


def _counted(job: Job, kind: str, number: int, name: str, source: Any) -> Told:
    reader = PartReader(job.columns, job.on_error, name)
    counter = _Counter(job, name)
    for batch in batches_in(reader, kind, source, job.columns):
        counter.add_batch(batch)
    counter.skip(reader.skipped)
    pieces = counter.pack()
    return Told(pieces, counter.note(number, pieces))


def batches_in(reader: PartReader, kind: str, source: Any, columns: Columns) -> Iterator[Batch]:
    """Yield the documents of a partition of any kind."""
    if kind == "frame":
        return batches_of_frame(reader, source, columns)
    if kind == "rows":
        return reader.of_rows(source)
    return reader.of_split(Split(**json.loads(source)))


class _Counter(PartCounter):
    """Tells besides how much there was to count."""

    def note(self, number: int, pieces: list[bytes]) -> Note:
        """Return what there is to tell of a partition of this number, once it was packed."""
        tally, costs = self._part.tally, self._part.notes.costs
        n_bytes = sum(map(len, pieces))
        told = (tally.n_documents, costs.text_bytes, tally.n_terms, n_bytes, peak_memory())
        return Note(number, *told)


def merge_whole(topic: str, n_pieces: int, packed: bytes, parts: Sequence[Told]) -> Told:
    """Merge parts that are in one piece, and cut the sum into so many."""
    job = job_of(packed)
    whole = summed([part.pieces[0] for part in parts], job.n_drawn, job.max_terms)
    pieces = whole.pack(n_pieces)
    note = Note(-1, n_bytes=sum(map(len, pieces)), peak_memory=peak_memory())
    tell(topic, note)
    return Told(pieces, note)


def merge_shard(topic: str, packed: bytes, pieces: Sequence[bytes]) -> bytes:
    """Merge pieces of one shard."""
    job = job_of(packed)
    piece = merged(pieces, job.n_drawn, job.most_in_shard)
    tell(topic, Note(-1, n_bytes=len(piece), peak_memory=peak_memory()))
    return piece


def pick(told: Told | Wrong, shard: int) -> bytes | Wrong:
    """Return the piece of one shard."""
    return told if isinstance(told, Wrong) else told.pieces[shard]


def tell(topic: str, told: Note | Wrong) -> None:
    """Tell whoever has begun the work, if this is a worker of a cluster."""
    if not topic:
        return
    # Not told, nothing is lost but a line on a screen.
    with suppress(ValueError, OSError):
        dask_module("distributed").get_worker().log_event(TOPIC, [topic, told.to_list()])


# ------------------------------------------------------------------------------------------------
# What Dask has documents in: the partitions of a DataFrame or Bag, or of files.


@dataclass(frozen=True)
class Partitions:
    """Pieces of work.

    Attributes
    ----------
    kind : {"frame", "rows", "split"}
        What they are made of.
    names : list of str
        What they are called in messages.
    sources : list
        For each the key under which Dask makes it, or what says where to read it.
    graph : dict
        How Dask makes them.
    default_get : callable or None
        What computes graphs of this kind, where nothing else is asked for.
    """

    kind: str
    names: list[str]
    sources: list[Any]
    graph: dict[Any, Any] = field(default_factory=dict)
    default_get: Any = None

    def __len__(self) -> int:
        return len(self.sources)

    def named(self, leaves: list[Any]) -> dict[Any, str]:
        """Return the names of partitions by the keys of what makes them, and of what reads them."""
        return dict(zip(self.sources + leaves, self.names * 2, strict=True))


def partitions_of(source: Any, columns: Columns) -> Partitions:
    """Return the partitions of a Dask DataFrame or Bag, or of files.

    Raises
    ------
    InputError
        If it is something else.
    FileError
        If there is no such column.
    """
    if isinstance(source, Files):
        splits = source.splits()
        told = [json.dumps(split.to_dict()) for split in splits]
        return Partitions("split", [str(split) for split in splits], told)
    kind = kind_of(source)
    if kind is None:
        raise InputError(
            f"{type(source).__name__} cannot be counted with Dask: give a Dask DataFrame "
            "(dask.dataframe.from_pandas makes one), a Bag, or Files."
        )
    return _of_collection(kind, _of_frame(source, columns) if kind == "frame" else _listed(source))


def kind_of(source: Any) -> str | None:
    """Return "frame" for a Dask DataFrame, "rows" for a Bag, and None for all else."""
    if isinstance(source, dask_module("dask.dataframe").DataFrame):
        return "frame"
    if isinstance(source, dask_module("dask.bag").Bag):
        return "rows"
    return None


def _of_frame(source: Any, columns: Columns) -> Any:
    columns.find(list(source.columns), "the DataFrame")
    # All else is dropped first, so that no other column is read from files.
    source = source[list(dict.fromkeys(columns.names))]
    if columns.label is None or source._meta[columns.label].dtype.kind not in "iu":
        return source
    return source.map_partitions(with_integers, columns.label, meta=source._meta)


def _listed(source: Any) -> Any:
    """Return a Bag whose partitions can be read twice: iterators would be empty by then."""
    return source.map_partitions(list)


def _of_collection(kind: str, collection: Any) -> Partitions:
    delayed = collection.to_delayed()
    graph = dict(delayed[0].__dask_graph__()) if delayed else {}
    names = [f"partition {number}" for number in range(len(delayed))]
    keys = [each.key for each in delayed]
    return Partitions(kind, names, keys, graph, collection.__dask_scheduler__)


# ------------------------------------------------------------------------------------------------
# The graph of tasks that counts partitions and merges parts, as a tree.

Key: TypeAlias = Any

_MOST_PIECES = 65_536


@dataclass(frozen=True)
class Tree:
    """Tasks, and the keys of the last: one for each shard.

    Attributes
    ----------
    tasks : dict
    ends : list
    names : dict
        What the tasks at the leaves, and those that make partitions, are called in messages.
    what : str
        What is done.
    n_merges : int
        How many tasks merge parts, and tell of it.
    """

    tasks: dict[Key, Any]
    ends: list[Key]
    names: dict[Key, str]
    what: str = "Counting"
    n_merges: int = 0


def tree_of(partitions: Partitions, job: Job, fan_in: int, tries: int, topic: str = "") -> Tree:
    """Return the tasks that count and merge.

    The first merges are of whole parts, which are small yet: so there are few tasks, and each part
    is sent once. Then they are cut, and all further merges, which are larger, are done shard by
    shard, by many at a time. Nothing but the ends is kept once it was merged.

    The job is a task, of which each worker gets a copy; so it is there as long as the scheduler is.

    Parameters
    ----------
    partitions : Partitions
    job : Job
    fan_in : int
        How many parts are merged at a time.
    tries : int
        How often a partition is tried before it has failed.
    topic : str, default=""
        By which workers of a cluster tell how far they are.
    """
    sizes = whole_levels(len(partitions), fan_in, job.n_shards)
    leaf = Leaf(partitions.kind, 1 if sizes else job.n_shards, tries, topic)
    growing = _Growing(partitions.graph, job, fan_in, leaf)
    level = leaves = growing.leaves(partitions)
    for left in reversed(range(len(sizes))):
        level = growing.merged_whole(level, 1 if left else job.n_shards)
    ends = [growing.merged_shard(level, shard) for shard in range(job.n_shards)]
    names = partitions.named(leaves)
    return Tree(growing.tasks, ends, names, n_merges=growing.n_merges)


def whole_levels(n_parts: int, fan_in: int, n_shards: int) -> list[int]:
    """Return how many parts are left after each round of merging whole ones.

    Whole parts must stay small, so that there are no more rounds of them than it takes for a number
    of tasks that a scheduler can bear.

    Examples
    --------
    >>> [whole_levels(n, 8, 32) for n in (8, 9, 64, 5_000, 100_000)]
    [[], [2], [8], [625], [12500, 1563]]
    """
    levels: list[int] = []
    while n_parts > fan_in and (not levels or n_parts * n_shards > _MOST_PIECES):
        n_parts = -(-n_parts // fan_in)
        levels.append(n_parts)
    return levels


class _Growing:
    """A graph to which tasks are added."""

    def __init__(self, graph: dict[Key, Any], job: Job, fan_in: int, leaf: Leaf) -> None:
        self._token, self._fan_in, self._leaf, self.n_merges = uuid4().hex, fan_in, leaf, 0
        self._job = f"tallytext-job-{self._token}"
        self.tasks = graph | {self._job: job.pack()}

    def leaves(self, partitions: Partitions) -> list[Key]:
        keys = [(f"tallytext-count-{self._token}", number) for number in range(len(partitions))]
        task = partial(count, self._leaf)
        given = zip(keys, partitions.names, partitions.sources, strict=True)
        for number, (key, name, source) in enumerate(given):
            self.tasks[key] = (task, self._job, number, name, source)
        return keys

    def merged_whole(self, level: list[Key], n_pieces: int) -> list[Key]:
        """Return the level above, the parts of which are in so many pieces."""
        task = partial(unless_wrong, merge_whole, self._leaf.topic, n_pieces)
        return [self._merge(task, group) for group in self._groups(level)]

    def merged_shard(self, level: list[Key], shard: int) -> Key:
        """Return the last of one shard."""
        picked = [(f"tallytext-pick-{self._token}", shard, at) for at in range(len(level))]
        self.tasks |= {one: (pick, key, shard) for one, key in zip(picked, level, strict=True)}
        task = partial(unless_wrong, merge_shard, self._leaf.topic)
        while len(picked) > 1:
            groups = self._groups(picked)
            picked = [each[0] if len(each) == 1 else self._merge(task, each) for each in groups]
        return picked[0]

    def _groups(self, level: list[Key]) -> list[list[Key]]:
        return [level[at : at + self._fan_in] for at in range(0, len(level), self._fan_in)]

    def _merge(self, task: Any, group: list[Key]) -> Key:
        self.n_merges += 1
        key = (f"tallytext-merge-{self._token}", self.n_merges)
        self.tasks[key] = (task, self._job, group)
        return key

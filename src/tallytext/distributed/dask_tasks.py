"""What Dask's workers are given to do: count a partition, merge parts."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from functools import lru_cache, partial
from typing import Any, NamedTuple, TypeGuard, TypeVar

from tallytext import errors
from tallytext.datasets.batch import Batch
from tallytext.datasets.columns import Columns
from tallytext.distributed.counting import PartCounter
from tallytext.distributed.dask_frames import batches_of_frame
from tallytext.distributed.dask_modules import dask_module
from tallytext.distributed.files import Split
from tallytext.distributed.job import Job
from tallytext.distributed.part import merged, summed
from tallytext.distributed.part_reading import PartReader
from tallytext.distributed.watching import Note
from tallytext.errors import EngineError, InputError, TallytextError
from tallytext.memory import peak_memory

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

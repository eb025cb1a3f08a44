"""What is known of some of the documents, as it travels between those who count and merge."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field, replace
from time import perf_counter
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from tallytext.distributed.bounding import bounded
from tallytext.distributed.drawn import Drawn
from tallytext.distributed.job import Job
from tallytext.distributed.outgrown import with_room
from tallytext.distributed.shards import cut, joined
from tallytext.errors import FileError
from tallytext.memory import peak_memory
from tallytext.storage import pack_arrays, unpack_arrays
from tallytext.storage.layout import parsed
from tallytext.tally import Costs, Dropped, GatheredTally, Origin, Tally
from tallytext.tally.outgrown import added

KIND = "tallytext.part"

_MAGIC = b"tallyz1\n"
_MESSAGES = 10
_CLASSES, _LABELS = "classes.json", "drawn.labels.json"


@dataclass(frozen=True)
class Notes:
    """What is known of documents besides their counts.

    Attributes
    ----------
    n_skipped : int
        How many rows could not be read.
    skipped : tuple of str
        Why, of the first ten.
    dropped : Dropped
        What a limit of the vocabulary cost.
    costs : Costs
        What it took so far.
    """

    n_skipped: int = 0
    skipped: tuple[str, ...] = ()
    dropped: Dropped = field(default_factory=Dropped)
    costs: Costs = field(default_factory=Costs)

    def __add__(self, other: Notes) -> Notes:
        return Notes(
            self.n_skipped + other.n_skipped,
            tuple(sorted({*self.skipped, *other.skipped})[:_MESSAGES]),
            Dropped(
                self.dropped.n_tokens + other.dropped.n_tokens,
                self.dropped.bound + other.dropped.bound,
            ),
            self.costs + other.costs,
        )


@dataclass
class Part:
    """The counts of some documents, or a piece of them, and what else is known."""

    tally: Tally
    drawn: Drawn
    notes: Notes

    def pack(self, n_shards: int = 1) -> list[bytes]:
        """Return this as bytes, in so many pieces; all but the counts is in the first."""
        pieces = cut(self.tally, n_shards)
        alone = Notes(dropped=replace(self.notes.dropped, n_tokens=0))
        rest = [_packed(arrays, header, Drawn(), alone) for arrays, header in pieces[1:]]
        here = Notes(costs=Costs(peak_memory=peak_memory()))
        return [_packed(*pieces[0], self.drawn, self.notes + here), *rest]

    @classmethod
    def unpack(cls, packed: bytes) -> Part:
        """Read one piece, and check all of it."""
        arrays, header, drawn, notes = _unpacked(packed)
        return cls(Tally.from_arrays(arrays, header), drawn, notes)


def merged(packed: Sequence[bytes], n_drawn: int, max_terms: int | None = None) -> bytes:
    """Add up pieces of one number; the parameters are those of :func:`summed`."""
    return summed(packed, n_drawn, max_terms).pack()[0]


def summed(packed: Sequence[bytes], n_drawn: int, max_terms: int | None = None) -> Part:
    """Add up pieces of one number; no more than the sum and one of them is unpacked at a time.

    Parameters
    ----------
    packed : sequence of bytes
        At least one.
    n_drawn : int
        How many documents are kept.
    max_terms : int or None, default=None
        How many terms the sum may have.
    """
    begin = perf_counter()
    whole = Part.unpack(packed[0])
    samples = [whole.drawn]
    for more in packed[1:]:
        part = Part.unpack(more)
        whole.tally = added(whole.tally, part.tally)
        whole.notes += part.notes
        samples.append(part.drawn)
    whole.drawn = Drawn.together(samples, n_drawn)
    whole = limited(whole, max_terms)
    seconds, sent = perf_counter() - begin, sum(map(len, packed))
    whole.notes += Notes(costs=Costs(n_merges=1, merge_seconds=seconds, sent_bytes=sent))
    return whole


def limited(part: Part, max_terms: int | None) -> Part:
    """Return a part whose rarest terms are left out, if there are too many."""
    if max_terms is None:
        return part
    tally, dropped = bounded(part.tally, max_terms)
    return Part(tally, part.drawn, part.notes + Notes(dropped=dropped))


def gathered(pieces: Sequence[bytes], job: Job) -> GatheredTally:
    """Return the tally whose pieces these are, one of each number.

    Parameters
    ----------
    pieces : sequence of bytes
    job : Job
        What was to be counted.

    Raises
    ------
    TallytextError
        If they are not pieces of one tally.
    """
    counts, samples, all_notes = [], [], []
    for each in pieces:
        arrays, header, drawn, notes = _unpacked(each)
        counts.append((arrays, header))
        samples.append(drawn)
        all_notes.append(notes)
    del arrays
    tally = joined(with_room(counts), GatheredTally)
    assert isinstance(tally, GatheredTally)
    drawn, notes = samples[0], sum(all_notes[1:], all_notes[0])
    tally.origin = Origin(
        vectorizer=job.vectorizer,
        texts=drawn.texts,
        labels=drawn.labels,
        n_skipped=notes.n_skipped,
        skipped=list(notes.skipped),
        # A term is in one piece, so what the others lost is nothing to it.
        dropped=replace(notes.dropped, bound=max(each.dropped.bound for each in all_notes)),
        outgrown=[plane for plane in job.planes if plane not in tally.planes],
        costs=notes.costs + Costs(sent_bytes=sum(map(len, pieces))),
    )
    return tally


def _packed(arrays: Any, header: Any, drawn: Drawn, notes: Notes) -> bytes:
    of_drawn, labels = drawn.to_parts()
    # Labels may be more than a header can be long.
    many = {_CLASSES: _as_bytes(header["classes"]), _LABELS: _as_bytes(labels)}
    told = {"kind": KIND, "tally": header | {"classes": []}, "notes": asdict(notes)}
    plain = pack_arrays(arrays | of_drawn | many, told)
    small = pa.compress(plain, codec="zstd", asbytes=True)
    return _MAGIC + len(plain).to_bytes(8, "little") + small


def _unpacked(packed: bytes) -> tuple[Any, Any, Drawn, Notes]:
    if packed[: len(_MAGIC)] != _MAGIC:
        raise FileError("cannot read what was sent: it is no part of a tally.")
    size = int.from_bytes(packed[len(_MAGIC) : len(_MAGIC) + 8], "little")
    try:
        plain = pa.decompress(memoryview(packed)[len(_MAGIC) + 8 :], size, "zstd", asbytes=True)
    except (pa.ArrowException, ArithmeticError, OSError, MemoryError) as problem:
        raise FileError(f"cannot read what was sent: {problem}.") from None
    arrays, header = unpack_arrays(plain, KIND)
    try:
        told = header["notes"]
        notes = Notes(
            told["n_skipped"],
            tuple(told["skipped"]),
            Dropped(**told["dropped"]),
            Costs(**told["costs"]),
        )
        labels, classes = _from_bytes(arrays[_LABELS]), _from_bytes(arrays[_CLASSES])
        drawn = Drawn.from_parts(arrays, labels)
        return arrays, header["tally"] | {"classes": classes}, drawn, notes
    except (KeyError, TypeError) as problem:
        raise FileError(f"cannot read what was sent: it lacks {problem}.") from None


def _as_bytes(values: list[Any]) -> NDArray[np.uint8]:
    return np.frombuffer(json.dumps(values).encode(), np.uint8)


def _from_bytes(array: NDArray[np.uint8]) -> Any:
    return parsed(array.tobytes(), "a list of labels")

"""What is known of some of the documents, as it travels between those who count and merge."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from time import perf_counter
from typing import Any, TypeAlias

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from tallytext.classifier.sampling import scattered
from tallytext.distributed.job import Job
from tallytext.errors import FileError, TallytextError
from tallytext.io.parquet import plain_texts
from tallytext.io.safetensors import pack_arrays, parsed, unpack_arrays
from tallytext.runtime import peak_memory
from tallytext.tally.gathered import FULL, Costs, Dropped, GatheredTally, Origin, added
from tallytext.tally.labels import sort_labels
from tallytext.tally.planes import UNIT
from tallytext.tally.tally import Tally
from tallytext.text.sources import fingerprints
from tallytext.text.vocabulary import Vocabulary

# ------------------------------------------------------------------------------------------------
# Tallies cut by terms, so that each piece can be merged by itself, and put together again.
#
# A piece has some of the terms, and all documents: it is what :meth:`tallytext.Tally.mask` makes. A
# term belongs to one piece wherever it is met, so that pieces of different numbers have no term in
# common and are put together by laying them side by side.

Arrays: TypeAlias = dict[str, NDArray[Any]]
Header: TypeAlias = dict[str, Any]

_OF_DOCUMENTS = ("class_documents", "class_scales", "whole")


_TERMS_IN_SHARD = 65_536  # so many that shards have almost equal shares of them


def n_shards_for(n_parts: int, max_terms: int | None = None) -> int:
    """Return into how many pieces to cut the tallies of so many partitions.

    Few where there is little to merge; where there is much, the last merges, which are the largest,
    are done by as many at a time. Where terms are limited each piece has its share of them, and few
    are not cut.

    Examples
    --------
    >>> [n_shards_for(n) for n in (1, 4, 64, 100_000)]
    [1, 2, 8, 32]
    >>> n_shards_for(64, max_terms=200_000)
    3
    """
    many = max(1, min(32, round(n_parts**0.5)))
    return many if max_terms is None else max(1, min(many, max_terms // _TERMS_IN_SHARD))


def cut(tally: Tally, n_shards: int) -> list[tuple[Arrays, Header]]:
    """Return a tally as arrays, in so many pieces; terms that do not occur are left out.

    Examples
    --------
    >>> tally = Tally.from_counts([[1, 2], [3, 0]], ["x", "y"], ["sea", "sky"])
    >>> joined(cut(tally, 3), Tally) == tally
    True
    """
    arrays, header = tally.to_arrays()
    live = np.flatnonzero(arrays["term_totals"][:, 0])
    if n_shards == 1:
        return [(taken(arrays, live), header)]
    shard = _term_hashes(arrays)[live] % np.uint64(n_shards)
    return [(taken(arrays, live[shard == number]), header) for number in range(n_shards)]


def compacted(tally: Tally) -> Tally:
    """Return the same tally with a vocabulary of its own, of the terms that occur.

    Examples
    --------
    >>> tally = Tally.from_counts([[1, 2], [3, 0]], ["x", "y"], ["sea", "sky"])
    >>> list(compacted(tally.mask(["sky"])).vocabulary)
    ['sky']
    """
    return Tally.from_arrays(*cut(tally, 1)[0])


def joined(pieces: list[tuple[Arrays, Header]], kind: type[Tally]) -> Tally:
    """Return the tally that pieces are of, its terms and classes in order.

    Parameters
    ----------
    pieces : list of (arrays, header)
        Is emptied, so that no more than needed is in memory at a time.
    kind : type
        What to make of them.

    Raises
    ------
    TallytextError
        If they are not pieces of one tally.
    """
    header = pieces[0][1]
    classes = sort_labels(header["classes"])
    ordered = [_in_order(*pieces.pop(0), classes) for _ in range(len(pieces))]
    for arrays in ordered[1:]:
        if any(not np.array_equal(arrays[name], ordered[0][name]) for name in _OF_DOCUMENTS):
            raise TallytextError(
                "the pieces of the tally are of different documents: a part was lost, or counted "
                "twice. Please report this."
            )
    whole = _side_by_side(ordered)
    order = Vocabulary.from_arrays(whole["terms"], whole["lengths"]).sorted()
    whole = taken(whole, order.astype(np.intp))
    return kind.from_arrays(whole, {**header, "classes": classes})


def taken(arrays: Arrays, terms: NDArray[np.intp]) -> Arrays:
    """Return the arrays of a tally of these terms only, in this order."""
    starts, ends = arrays["starts"][:-1], arrays["starts"][1:]
    cells = _ranges(starts[terms], ends[terms])
    text_ends = np.cumsum(arrays["lengths"], dtype=np.int64)
    text_starts = text_ends - arrays["lengths"]
    letters = _ranges(text_starts[terms], text_ends[terms])
    return arrays | {
        "starts": _starts(ends[terms] - starts[terms]),
        "classes": arrays["classes"][cells],
        "cells": arrays["cells"][cells],
        "term_totals": arrays["term_totals"][terms],
        "terms": arrays["terms"][letters],
        "lengths": arrays["lengths"][terms],
    }


def _term_hashes(arrays: Arrays) -> NDArray[np.uint64]:
    """Return a number for each term, the same wherever the term is met."""
    offsets = pa.py_buffer(_starts(arrays["lengths"]))
    terms = pa.py_buffer(np.ascontiguousarray(arrays["terms"]))
    column = pa.LargeBinaryArray.from_buffers(
        pa.large_binary(), len(arrays["lengths"]), [None, offsets, terms]
    )
    return fingerprints(column, n_jobs=1)


def _in_order(arrays: Arrays, header: Header, classes: list[Any]) -> Arrays:
    """Return the arrays of a piece with classes numbered in a common order."""
    number = {label: at for at, label in enumerate(classes)}
    if {*header["classes"]} != {*classes}:
        raise TallytextError("the pieces of the tally have different classes. Please report this.")
    place = np.array([number[label] for label in header["classes"]], dtype=np.int32)
    if np.array_equal(place, np.arange(len(place))):
        return dict(arrays)
    order, renamed = np.argsort(place), place[arrays["classes"]]
    by_term = np.repeat(np.arange(len(arrays["starts"]) - 1), np.diff(arrays["starts"]))
    cells = np.lexsort((renamed, by_term))  # of each term, classes ascend
    return arrays | {
        "classes": renamed[cells],
        "cells": arrays["cells"][cells],
        "class_documents": arrays["class_documents"][order],
        "class_scales": arrays["class_scales"][order],
    }


def _side_by_side(pieces: list[Arrays]) -> Arrays:
    names = ("classes", "cells", "term_totals", "terms", "lengths")
    sizes = np.concatenate([np.diff(piece["starts"]) for piece in pieces])
    whole = {name: np.concatenate([piece.pop(name) for piece in pieces]) for name in names}
    return pieces[0] | whole | {"starts": _starts(sizes)}


def _starts(sizes: NDArray[Any]) -> NDArray[np.int64]:
    return np.concatenate([np.zeros(1, np.int64), np.cumsum(sizes, dtype=np.int64)])


def _ranges(starts: NDArray[np.int64], ends: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return all numbers from each start to the end of it, one range after the other.

    Examples
    --------
    >>> _ranges(np.array([5, 0]), np.array([7, 3]))
    array([5, 6, 0, 1, 2])
    """
    sizes = ends - starts
    before = np.cumsum(sizes) - sizes
    return np.repeat(starts - before, sizes) + np.arange(sizes.sum())


# ------------------------------------------------------------------------------------------------
# A vocabulary kept small by leaving the rarest terms out, with a bound on what that costs.
#
# Let every count of a tally be too low by at most :math:`\varepsilon`. The sum of two tallies is
# too low by at most :math:`\varepsilon_1 + \varepsilon_2`. Where terms with counts up to t are left
# out of a tally, those have lost t more, and :math:`\varepsilon + t` bounds the error of all.


def bounded(tally: Tally, max_terms: int) -> tuple[Tally, Dropped]:
    """Return the tally of the terms that occur most often, and what leaving the others out costs.

    Terms that occur equally often go together, so that it does not matter which comes first.

    Parameters
    ----------
    tally : Tally
    max_terms : int
        How many terms may stay.

    Examples
    --------
    >>> tally = Tally.from_counts([[5, 1, 2, 1]], ["x"], ["sea", "sky", "ice", "fog"])
    >>> bounded(tally, 3)
    (<Tally of 1 documents: 7 tokens, 2 terms, 1 classes>, Dropped(n_tokens=2, bound=1))
    """
    if tally.n_terms <= max_terms:
        return tally, Dropped()
    occurrences = tally.term_occurrences
    live = occurrences[occurrences > 0]
    n_left_out = len(live) - max_terms
    most = int(np.partition(live, n_left_out - 1)[n_left_out - 1])
    rare = live[live <= most]
    return compacted(tally.mask(occurrences > most)), Dropped(int(rare.sum()), most)


# ------------------------------------------------------------------------------------------------
# Some of all documents, the same whoever counted which of them, and in which order.

_NO_END = 2**64
_CHARACTERS = 8192  # of each of the documents that are wanted, on average at most
_LEAST = 1 << 24  # characters that there is room for, however few documents are wanted
_SHARE = 16  # so many documents have room at least: longer ones are not drawn

_TEXTS, _LENGTHS, _KEYS, _END = "drawn.texts", "drawn.lengths", "drawn.keys", "drawn.end"


@dataclass(frozen=True)
class Drawn:
    """The documents with the lowest keys, of those that differ; fewer where they are long.

    There is room for so many characters. A document that would take a large part of it by itself
    is not drawn.

    A key is a function of the text alone, and as good as random. So what is drawn from the union of
    two sets of documents is drawn from what was drawn from each, and texts that come often have the
    same chance as others.

    Attributes
    ----------
    keys : ndarray of uint64
        Ascending.
    texts : list of str
    labels : list
        For each document its label, or the list of its labels.
    end : int
        The key of the first document that was left out since texts are long: what comes after it
        has no place, wherever it is from.

    Examples
    --------
    >>> one, other = Drawn.of(["to be", "or not"], ["a", "b"], 2), Drawn.of(["to do"], ["a"], 2)
    >>> one.merged(other, 2) == other.merged(one, 2)
    True
    """

    keys: NDArray[np.uint64] = field(default_factory=lambda: np.empty(0, np.uint64))
    texts: list[str] = field(default_factory=list)
    labels: list[Any] = field(default_factory=list)
    end: int = _NO_END

    @classmethod
    def of(cls, texts: Any, labels: list[Any], size: int, below: int | None = None) -> Drawn:
        """Draw from some documents.

        Parameters
        ----------
        texts : list of str or pyarrow.Array
        labels : list
        size : int
            How many to draw at most.
        below : int, default=None
            A key, if it is known that none above it will be drawn in the end.
        """
        keys = scattered(fingerprints(texts, n_jobs=1))
        short = _is_shorter(texts, _room(size) // _SHARE)
        cutoff = np.unique(keys[short])[:size].max(initial=0)
        if below is not None:
            cutoff = min(cutoff, np.uint64(below))
        rows = np.flatnonzero(short & (keys <= cutoff)) if size else np.empty(0, np.intp)
        arrow = isinstance(texts, pa.Array)
        strings = texts.take(pa.array(rows)).to_pylist() if arrow else [texts[r] for r in rows]
        documents = zip(keys[rows].tolist(), strings, (labels[r] for r in rows), strict=True)
        return cls._of({(key, text, repr(label)): label for key, text, label in documents}, size)

    def merged(self, other: Drawn, size: int) -> Drawn:
        """Draw from the documents of both."""
        return self.together([self, other], size)

    @classmethod
    def together(cls, many: Iterable[Drawn], size: int) -> Drawn:
        """Draw from the documents of many."""
        listed = list(many)
        end = min((each.end for each in listed), default=_NO_END)
        return cls._of(
            {key: label for each in listed for key, label in each._documents()}, size, end
        )

    def to_parts(self) -> tuple[dict[str, NDArray[Any]], list[Any]]:
        """Return arrays, and labels as JSON can hold them."""
        spelt = [text.encode("utf-8", "surrogatepass") for text in self.texts]
        arrays: dict[str, NDArray[Any]] = {
            _TEXTS: np.frombuffer(b"".join(spelt), np.uint8),
            _LENGTHS: np.array([len(text) for text in spelt], np.int64),
            _KEYS: self.keys,
            _END: np.array([self.end] if self.end < _NO_END else [], np.uint64),
        }
        return arrays, self.labels

    @classmethod
    def from_parts(cls, arrays: Mapping[str, NDArray[Any]], labels: list[Any]) -> Drawn:
        """Read what :meth:`to_parts` returned.

        Raises
        ------
        FileError
            If the parts do not fit each other.
        """
        lengths = arrays[_LENGTHS]
        sizes = {len(lengths), len(arrays[_KEYS]), len(labels)}
        if len(sizes) > 1 or (lengths < 0).any() or lengths.sum() != len(arrays[_TEXTS]):
            raise FileError("cannot read what was sent: its sample contradicts itself.")
        letters, ends = arrays[_TEXTS].tobytes(), np.cumsum(lengths).tolist()
        texts = [
            letters[start:end].decode("utf-8", "surrogatepass")
            for start, end in zip([0, *ends[:-1]], ends, strict=False)
        ]
        end = arrays[_END].tolist()
        return cls(np.array(arrays[_KEYS]), texts, labels, end[0] if end else _NO_END)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Drawn):
            return NotImplemented
        return (self.texts, self.labels, self.end) == (other.texts, other.labels, other.end)

    __hash__ = None  # type: ignore[assignment]

    @property
    def last(self) -> int | None:
        """The highest key."""
        return int(self.keys[-1]) if len(self.keys) else None

    def _documents(self) -> Iterator[tuple[tuple[int, str, str], Any]]:
        rows = zip(self.keys.tolist(), self.texts, self.labels, strict=True)
        return (((key, text, repr(label)), label) for key, text, label in rows)

    @classmethod
    def _of(
        cls, documents: dict[tuple[int, str, str], Any], size: int, end: int = _NO_END
    ) -> Drawn:
        first = sorted(each for each in documents if each[0] < end)[:size]
        lengths = np.cumsum([len(text) for _, text, _ in first])
        n_short = int(np.searchsorted(lengths, _room(size), side="right"))
        if n_short < len(first):
            end = first[n_short][0]
            first = [each for each in first[:n_short] if each[0] < end]
        elif len(first) == size:
            end = _NO_END  # there are enough before
        keys = np.array([key for key, _, _ in first], np.uint64)
        texts, labels = [text for _, text, _ in first], [documents[each] for each in first]
        return cls(keys, texts, labels, end)


def _room(size: int) -> int:
    """Return how many characters so many documents may have."""
    return max(size * _CHARACTERS, _LEAST)


def _is_shorter(texts: Any, length: int) -> NDArray[np.bool_]:
    """Return which texts have no more characters than this."""
    if not isinstance(texts, pa.Array):
        return np.array([len(text) <= length for text in texts], dtype=bool)
    shorter = pc.binary_length(plain_texts(texts)).to_numpy(zero_copy_only=False) <= length
    for row in np.flatnonzero(~shorter).tolist():  # of few bytes more, characters may be fewer
        shorter[row] = len(texts[row].as_py()) <= length
    return np.asarray(shorter, dtype=bool)


# ------------------------------------------------------------------------------------------------
# Planes that are full once the pieces of a tally lie side by side are left out of all of them.


def with_room(pieces: list[tuple[Any, Any]]) -> list[tuple[Any, Any]]:
    """Return pieces of a tally, of the planes that all have and that have room for all of them.

    Parameters
    ----------
    pieces : list of (arrays, header)
        As :meth:`tallytext.Tally.to_arrays` has them. Is emptied, so that no more than needed is in
        memory at a time.
    """
    kept = [plane for plane in pieces[0][1]["planes"] if _has_room(plane, pieces)]
    return [_of_planes(*pieces.pop(0), kept) for _ in range(len(pieces))]


def _has_room(plane: Any, pieces: Sequence[tuple[Any, Any]]) -> bool:
    if not all(plane in header["planes"] for _, header in pieces):
        return False
    columns = [
        arrays["term_totals"][:, 2 + header["planes"].index(plane)] for arrays, header in pieces
    ]
    return sum(float(np.sum(each, dtype=np.float64)) for each in columns) * UNIT < FULL


def _of_planes(arrays: Any, header: Any, planes: list[Any]) -> tuple[Any, Any]:
    if header["planes"] == planes:
        return arrays, header
    at = np.array([header["planes"].index(plane) for plane in planes], dtype=np.intp)
    columns = np.concatenate([[0, 1], 2 + at]).astype(np.intp)
    fewer = {
        "cells": arrays["cells"][:, columns],
        "term_totals": arrays["term_totals"][:, columns],
        "class_scales": arrays["class_scales"].reshape(-1, len(header["planes"]))[:, at],
        "whole": arrays["whole"][np.concatenate([[0, 1, 2], 3 + at]).astype(np.intp)],
    }
    return arrays | fewer, {**header, "planes": planes}


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

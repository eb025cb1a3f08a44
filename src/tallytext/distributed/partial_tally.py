"""Partial tallies: the counts of some partitions, as they travel between workers and are merged.

A :class:`PartialTally` has a tally, a sample of the documents and notes about skipped rows, dropped
terms and costs. It is packed into one block of bytes per shard. A shard has some of the terms and
all documents, as :meth:`tallytext.Tally.mask` would return it. The hash of a term decides on its
shard, so shards of the same number can be merged independently of the others, and different shards
have no term in common: joined side by side, they are the whole tally again.
"""

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

from tallytext.distributed.options import CountingOptions
from tallytext.errors import FileError, TallytextError
from tallytext.io.parquet import decode_dictionary
from tallytext.io.safetensors import pack_arrays, parse_json, unpack_arrays
from tallytext.runtime import peak_memory
from tallytext.tally.gathered import (
    MAX_PLANE_SUM,
    Costs,
    Dropped,
    GatheredTally,
    Origin,
    add_tallies,
)
from tallytext.tally.labels import sort_labels
from tallytext.tally.planes import UNIT
from tallytext.tally.tally import Tally
from tallytext.text.duplicates import splitmix64
from tallytext.text.sources import fingerprints
from tallytext.text.vocabulary import Vocabulary

Arrays: TypeAlias = dict[str, NDArray[Any]]
Header: TypeAlias = dict[str, Any]
Shard: TypeAlias = tuple[Arrays, Header]
"""A tally of some terms, in the form of :meth:`tallytext.Tally.to_arrays`."""

_KIND = "tallytext.part"
_MAGIC = b"tallyz1\n"
_MAX_MESSAGES = 10
_CLASSES, _LABELS = "classes.json", "drawn.labels.json"

# Arrays that describe all documents, so that they must be equal in all shards of a tally.
_DOCUMENT_ARRAYS = ("class_documents", "class_scales", "whole")


@dataclass(frozen=True)
class PartialNotes:
    """Facts about counted documents besides their counts.

    Attributes
    ----------
    n_skipped : int
        Number of rows that could not be read.
    skipped : tuple of str
        The reasons, for the first ten.
    dropped : Dropped
        The counts left out because of a limit on the vocabulary.
    costs : Costs
        Time, traffic and memory so far.
    """

    n_skipped: int = 0
    skipped: tuple[str, ...] = ()
    dropped: Dropped = field(default_factory=Dropped)
    costs: Costs = field(default_factory=Costs)

    def __add__(self, other: PartialNotes) -> PartialNotes:
        return PartialNotes(
            self.n_skipped + other.n_skipped,
            # Sorted before the cut, so that the result does not depend on the order of merges.
            tuple(sorted({*self.skipped, *other.skipped})[:_MAX_MESSAGES]),
            Dropped(
                self.dropped.n_tokens + other.dropped.n_tokens,
                self.dropped.bound + other.dropped.bound,
            ),
            self.costs + other.costs,
        )


@dataclass
class PartialTally:
    """The tally of some documents, or one shard of it, with a sample of them and notes."""

    tally: Tally
    sample: ContentSample
    notes: PartialNotes

    def pack(self, n_shards: int = 1) -> list[bytes]:
        """Return one block of bytes per shard; the first one also has the sample and notes."""
        first, *others = shard_tally(self.tally, n_shards)
        notes = self.notes + PartialNotes(costs=Costs(peak_memory=peak_memory()))
        # Every shard needs the error bound of its own counts; all else is stored once.
        bound = PartialNotes(dropped=replace(self.notes.dropped, n_tokens=0))
        return [
            _pack(*first, self.sample, notes),
            *(_pack(*shard, ContentSample(), bound) for shard in others),
        ]

    @classmethod
    def unpack(cls, packed: bytes) -> PartialTally:
        """Restore a shard from one of the blocks of :meth:`pack`, and check it."""
        arrays, header, sample, notes = _unpack(packed)
        return cls(Tally.from_arrays(arrays, header), sample, notes)

    def limit_terms(self, max_terms: int | None) -> PartialTally:
        """Return the partial tally without its rarest terms, if it has more than ``max_terms``."""
        if max_terms is None:
            return self
        tally, dropped = drop_rare_terms(self.tally, max_terms)
        return PartialTally(tally, self.sample, self.notes + PartialNotes(dropped=dropped))


def merge_packed(packed: Sequence[bytes], n_sampled: int, max_terms: int | None = None) -> bytes:
    """Merge packed shards of the same number; the parameters are those of :func:`sum_packed`."""
    return sum_packed(packed, n_sampled, max_terms).pack()[0]


def sum_packed(
    packed: Sequence[bytes], n_sampled: int, max_terms: int | None = None
) -> PartialTally:
    """Add up packed shards of the same number.

    They are unpacked one at a time, so that memory holds the sum and one of them.

    Parameters
    ----------
    packed : sequence of bytes
        At least one.
    n_sampled : int
        Largest number of documents in the sample.
    max_terms : int or None, default=None
        Largest number of terms of the sum.
    """
    start = perf_counter()
    total = PartialTally.unpack(packed[0])
    samples = [total.sample]
    for block in packed[1:]:
        part = PartialTally.unpack(block)
        total.tally = add_tallies(total.tally, part.tally)
        total.notes += part.notes
        samples.append(part.sample)
    total.sample = ContentSample.merge(samples, n_sampled)
    total = total.limit_terms(max_terms)
    seconds, n_bytes = perf_counter() - start, sum(map(len, packed))
    costs = Costs(n_merges=1, merge_seconds=seconds, sent_bytes=n_bytes)
    total.notes += PartialNotes(costs=costs)
    return total


def gather_tally(packed: Sequence[bytes], options: CountingOptions) -> GatheredTally:
    """Return the tally of all documents from its packed shards, one of each number.

    Parameters
    ----------
    packed : sequence of bytes
    options : CountingOptions
        The options that the documents were counted with.

    Raises
    ------
    TallytextError
        If they are not shards of one tally.
    """
    shards, samples, all_notes = [], [], []
    for block in packed:
        arrays, header, sample, notes = _unpack(block)
        shards.append((arrays, header))
        samples.append(sample)
        all_notes.append(notes)
    del arrays  # join_shards frees each shard as soon as it is copied
    tally = join_shards(drop_full_planes(shards), GatheredTally)
    assert isinstance(tally, GatheredTally)
    sample, notes = samples[0], sum(all_notes[1:], all_notes[0])
    tally.origin = Origin(
        vectorizer=options.vectorizer,
        texts=sample.texts,
        labels=sample.labels,
        n_skipped=notes.n_skipped,
        skipped=list(notes.skipped),
        # A term is in one shard only, so the errors of different shards do not add up.
        dropped=replace(notes.dropped, bound=max(each.dropped.bound for each in all_notes)),
        overflowing=[plane for plane in options.planes if plane not in tally.planes],
        costs=notes.costs + Costs(sent_bytes=sum(map(len, packed))),
    )
    return tally


def _pack(arrays: Arrays, header: Header, sample: ContentSample, notes: PartialNotes) -> bytes:
    sample_arrays, labels = sample.to_arrays()
    # Labels are arrays of JSON, since there may be more of them than a header can hold.
    json_arrays = {_CLASSES: _json_array(header["classes"]), _LABELS: _json_array(labels)}
    facts = {"kind": _KIND, "tally": header | {"classes": []}, "notes": asdict(notes)}
    plain = pack_arrays(arrays | sample_arrays | json_arrays, facts)
    compressed = pa.compress(plain, codec="zstd", asbytes=True)
    # Arrow cannot decompress without the size of the result.
    return _MAGIC + len(plain).to_bytes(8, "little") + compressed


def _unpack(packed: bytes) -> tuple[Arrays, Header, ContentSample, PartialNotes]:
    if packed[: len(_MAGIC)] != _MAGIC:
        raise FileError("cannot read a message of a worker: it is not a partial tally.")
    size = int.from_bytes(packed[len(_MAGIC) : len(_MAGIC) + 8], "little")
    try:
        plain = pa.decompress(memoryview(packed)[len(_MAGIC) + 8 :], size, "zstd", asbytes=True)
    except (pa.ArrowException, ArithmeticError, OSError, MemoryError) as problem:
        raise FileError(f"cannot read a message of a worker: {problem}.") from None
    arrays, header = unpack_arrays(plain, _KIND)
    try:
        facts = header["notes"]
        notes = PartialNotes(
            facts["n_skipped"],
            tuple(facts["skipped"]),
            Dropped(**facts["dropped"]),
            Costs(**facts["costs"]),
        )
        labels, classes = _from_json_array(arrays[_LABELS]), _from_json_array(arrays[_CLASSES])
        sample = ContentSample.from_arrays(arrays, labels)
        return arrays, header["tally"] | {"classes": classes}, sample, notes
    except (KeyError, TypeError) as problem:
        raise FileError(f"cannot read a message of a worker: it lacks {problem}.") from None


def _json_array(values: list[Any]) -> NDArray[np.uint8]:
    return np.frombuffer(json.dumps(values).encode(), np.uint8)


def _from_json_array(array: NDArray[np.uint8]) -> Any:
    return parse_json(array.tobytes(), "a list of labels")


def shard_tally(tally: Tally, n_shards: int) -> list[Shard]:
    """Split a tally into shards; terms that do not occur are left out.

    Examples
    --------
    >>> tally = Tally.from_counts([[1, 2], [3, 0]], ["x", "y"], ["sea", "sky"])
    >>> join_shards(shard_tally(tally, 3), Tally) == tally
    True
    """
    arrays, header = tally.to_arrays()
    # The vocabulary never shrinks, so it may hold terms whose counts are all gone.
    live = np.flatnonzero(arrays["term_totals"][:, 0])
    if n_shards == 1:
        return [(select_terms(arrays, live), header)]
    # By spelling and not by id: ids differ between partitions.
    shard = _term_hashes(arrays)[live] % np.uint64(n_shards)
    return [(select_terms(arrays, live[shard == number]), header) for number in range(n_shards)]


def join_shards(shards: list[Shard], tally_class: type[Tally]) -> Tally:
    """Join all shards of a tally; terms and classes are sorted.

    Parameters
    ----------
    shards : list of (arrays, header)
        Emptied on the way, so that shards are freed as soon as they are copied.
    tally_class : type
        Class of the result.

    Raises
    ------
    TallytextError
        If they are not shards of one tally.
    """
    header = shards[0][1]
    classes = sort_labels(header["classes"])
    # Popped, so that the arrays of a shard are freed once they are copied.
    ordered = [_sort_classes(*shards.pop(0), classes) for _ in range(len(shards))]
    for arrays in ordered[1:]:
        if any(not np.array_equal(arrays[name], ordered[0][name]) for name in _DOCUMENT_ARRAYS):
            raise TallytextError(
                "the shards of the tally have different documents: a partition was lost, or "
                "counted twice. Please report this."
            )
    whole = _concatenate(ordered)
    # Sorted, so that the result does not depend on the order in which tasks finished.
    order = Vocabulary.from_arrays(whole["terms"], whole["lengths"]).sorted_ids()
    whole = select_terms(whole, order.astype(np.intp))
    return tally_class.from_arrays(whole, {**header, "classes": classes})


def select_terms(arrays: Arrays, terms: NDArray[np.intp]) -> Arrays:
    """Return the arrays of a tally with these terms only, in this order."""
    starts, ends = arrays["starts"][:-1], arrays["starts"][1:]
    cells = _ranges(starts[terms], ends[terms])
    text_ends = np.cumsum(arrays["lengths"], dtype=np.int64)
    text_starts = text_ends - arrays["lengths"]
    letters = _ranges(text_starts[terms], text_ends[terms])
    return arrays | {
        "starts": _offsets(ends[terms] - starts[terms]),
        "classes": arrays["classes"][cells],
        "cells": arrays["cells"][cells],
        "term_totals": arrays["term_totals"][terms],
        "terms": arrays["terms"][letters],
        "lengths": arrays["lengths"][terms],
    }


def _term_hashes(arrays: Arrays) -> NDArray[np.uint64]:
    """Return the hash of each term, which depends on its spelling only."""
    offsets = pa.py_buffer(_offsets(arrays["lengths"]))
    terms = pa.py_buffer(np.ascontiguousarray(arrays["terms"]))
    column = pa.LargeBinaryArray.from_buffers(
        pa.large_binary(), len(arrays["lengths"]), [None, offsets, terms]
    )
    return fingerprints(column, n_jobs=1)


def _sort_classes(arrays: Arrays, header: Header, classes: list[Any]) -> Arrays:
    """Return the arrays of a shard with its classes renumbered in the order of ``classes``."""
    number = {label: at for at, label in enumerate(classes)}
    if {*header["classes"]} != {*classes}:
        raise TallytextError("the shards of the tally have different classes. Please report this.")
    place = np.array([number[label] for label in header["classes"]], dtype=np.int32)
    if np.array_equal(place, np.arange(len(place))):
        return dict(arrays)
    order, renumbered = np.argsort(place), place[arrays["classes"]]
    by_term = np.repeat(np.arange(len(arrays["starts"]) - 1), np.diff(arrays["starts"]))
    cells = np.lexsort((renumbered, by_term))  # the classes of each term must ascend
    return arrays | {
        "classes": renumbered[cells],
        "cells": arrays["cells"][cells],
        "class_documents": arrays["class_documents"][order],
        "class_scales": arrays["class_scales"][order],
    }


def _concatenate(shards: list[Arrays]) -> Arrays:
    names = ("classes", "cells", "term_totals", "terms", "lengths")
    sizes = np.concatenate([np.diff(shard["starts"]) for shard in shards])
    # Popped, so that at most one kind of array is in memory twice.
    whole = {name: np.concatenate([shard.pop(name) for shard in shards]) for name in names}
    return shards[0] | whole | {"starts": _offsets(sizes)}


def _offsets(sizes: NDArray[Any]) -> NDArray[np.int64]:
    return np.concatenate([np.zeros(1, np.int64), np.cumsum(sizes, dtype=np.int64)])


def _ranges(starts: NDArray[np.int64], ends: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the integers of each half-open range from start to end, concatenated.

    Examples
    --------
    >>> _ranges(np.array([5, 0]), np.array([7, 3]))
    array([5, 6, 0, 1, 2])
    """
    sizes = ends - starts
    before = np.cumsum(sizes) - sizes
    # Vectorised: a Python loop over millions of terms would take longer than the merge.
    return np.repeat(starts - before, sizes) + np.arange(sizes.sum())


def drop_rare_terms(tally: Tally, max_terms: int) -> tuple[Tally, Dropped]:
    r"""Return the tally of the most frequent terms, and a bound on the error this causes.

    Let every count of a tally be too low by at most :math:`\varepsilon`. The sum of two tallies is
    too low by at most :math:`\varepsilon_1 + \varepsilon_2`. If all terms with a count of up to t
    are dropped, their counts lose another t, and :math:`\varepsilon + t` bounds the error of all.

    Terms that occur equally often are dropped together, so that the result does not depend on
    their order; fewer than ``max_terms`` may remain.

    Parameters
    ----------
    tally : Tally
    max_terms : int
        Largest number of terms.

    Examples
    --------
    >>> tally = Tally.from_counts([[5, 1, 2, 1]], ["x"], ["sea", "sky", "ice", "fog"])
    >>> drop_rare_terms(tally, 3)
    (<Tally of 1 documents: 7 tokens, 2 terms, 1 classes>, Dropped(n_tokens=2, bound=1))
    """
    if tally.n_terms <= max_terms:
        return tally, Dropped()
    occurrences = tally.term_occurrences
    live = occurrences[occurrences > 0]
    n_dropped = len(live) - max_terms
    # The count of the most frequent term that has to go: t of the docstring.
    threshold = int(np.partition(live, n_dropped - 1)[n_dropped - 1])
    rare = live[live <= threshold]
    # A single shard has a vocabulary of its own, without the terms that were masked.
    ((arrays, header),) = shard_tally(tally.mask(occurrences > threshold), 1)
    return Tally.from_arrays(arrays, header), Dropped(int(rare.sum()), threshold)


def drop_full_planes(shards: list[Shard]) -> list[Shard]:
    """Return shards with only the planes that all have, and whose sums do not overflow when joined.

    Parameters
    ----------
    shards : list of (arrays, header)
        Emptied on the way, so that shards are freed as soon as they are copied.
    """
    planes = [plane for plane in shards[0][1]["planes"] if _has_room(plane, shards)]
    return [_select_planes(*shards.pop(0), planes) for _ in range(len(shards))]


def _has_room(plane: Any, shards: Sequence[Shard]) -> bool:
    if not all(plane in header["planes"] for _, header in shards):
        return False
    columns = [
        arrays["term_totals"][:, 2 + header["planes"].index(plane)] for arrays, header in shards
    ]
    # In floating point, because the sum of fixed-point numbers could itself overflow.
    return sum(float(np.sum(each, dtype=np.float64)) for each in columns) * UNIT < MAX_PLANE_SUM


def _select_planes(arrays: Arrays, header: Header, planes: list[Any]) -> Shard:
    if header["planes"] == planes:
        return arrays, header
    at = np.array([header["planes"].index(plane) for plane in planes], dtype=np.intp)
    # Two integer counts precede the planes of a cell, and three integers those of the totals.
    columns = np.concatenate([[0, 1], 2 + at]).astype(np.intp)
    selected = {
        "cells": arrays["cells"][:, columns],
        "term_totals": arrays["term_totals"][:, columns],
        "class_scales": arrays["class_scales"].reshape(-1, len(header["planes"]))[:, at],
        "whole": arrays["whole"][np.concatenate([[0, 1, 2], 3 + at]).astype(np.intp)],
    }
    return arrays | selected, {**header, "planes": planes}


_NO_END = 2**64  # larger than any key
_MEAN_CHARACTERS = 8192  # allowed per document of the sample
_MIN_CHARACTERS = 1 << 24  # allowed for all of them, however small the sample
_MIN_DOCUMENTS = 16  # that must fit: longer documents are not sampled

_TEXTS, _LENGTHS, _KEYS, _END = "drawn.texts", "drawn.lengths", "drawn.keys", "drawn.end"


@dataclass(frozen=True)
class ContentSample:
    """Order-independent sample: the n distinct documents with the smallest content hash.

    The key of a document is a hash of its text alone. So the sample of a union of two sets is the
    sample of their two samples, in whatever order documents are counted, and texts that occur often
    are not more likely to be sampled than others.

    The sample has a limit of characters: it has fewer documents if they are long, and documents
    that would take a large part of the limit are not sampled.

    Attributes
    ----------
    keys : ndarray of uint64
        Ascending.
    texts : list of str
    labels : list
        For each document its label, or the list of its labels.
    end : int
        Key of the first document that exceeds the limit of characters. Documents with this key or
        a higher one are not in the sample, nor in any sample merged from it.

    Examples
    --------
    >>> one = ContentSample.from_documents(["to be", "or not"], ["a", "b"], 2)
    >>> other = ContentSample.from_documents(["to do"], ["a"], 2)
    >>> ContentSample.merge([one, other], 2) == ContentSample.merge([other, one], 2)
    True
    """

    keys: NDArray[np.uint64] = field(default_factory=lambda: np.empty(0, np.uint64))
    texts: list[str] = field(default_factory=list)
    labels: list[Any] = field(default_factory=list)
    end: int = _NO_END

    @classmethod
    def from_documents(
        cls, texts: Any, labels: list[Any], size: int, below: int | None = None
    ) -> ContentSample:
        """Sample from documents.

        Parameters
        ----------
        texts : list of str or pyarrow.Array
        labels : list
        size : int
            Largest number of documents in the sample.
        below : int, default=None
            A key that no document of the final sample will exceed, if one is known.
        """
        keys = splitmix64(fingerprints(texts, n_jobs=1))
        short = _is_shorter(texts, _max_characters(size) // _MIN_DOCUMENTS)
        # Distinct keys, because copies of one text count as one document of the sample.
        cutoff = np.unique(keys[short])[:size].max(initial=0)
        if below is not None:
            cutoff = min(cutoff, np.uint64(below))
        rows = np.flatnonzero(short & (keys <= cutoff)) if size else np.empty(0, np.intp)
        arrow = isinstance(texts, pa.Array)
        strings = texts.take(pa.array(rows)).to_pylist() if arrow else [texts[r] for r in rows]
        documents = zip(keys[rows].tolist(), strings, (labels[r] for r in rows), strict=True)
        return cls._select(
            {(key, text, repr(label)): label for key, text, label in documents}, size
        )

    @classmethod
    def merge(cls, samples: Iterable[ContentSample], size: int) -> ContentSample:
        """Return the sample of the union of the documents that were sampled from."""
        listed = list(samples)
        # Beyond the first end, one of the samples lacks documents that the union has.
        end = min((sample.end for sample in listed), default=_NO_END)
        documents = {key: label for sample in listed for key, label in sample._documents()}
        return cls._select(documents, size, end)

    def to_arrays(self) -> tuple[Arrays, list[Any]]:
        """Return arrays, and the labels as JSON can hold them."""
        # JSON and Python strings can hold lone surrogates, which must survive the transport.
        encoded = [text.encode("utf-8", "surrogatepass") for text in self.texts]
        arrays: Arrays = {
            _TEXTS: np.frombuffer(b"".join(encoded), np.uint8),
            _LENGTHS: np.array([len(text) for text in encoded], np.int64),
            _KEYS: self.keys,
            _END: np.array([self.end] if self.end < _NO_END else [], np.uint64),
        }
        return arrays, self.labels

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, NDArray[Any]], labels: list[Any]) -> ContentSample:
        """Restore a sample from the arrays and labels of :meth:`to_arrays`.

        Raises
        ------
        FileError
            If their sizes do not match.
        """
        lengths = arrays[_LENGTHS]
        sizes = {len(lengths), len(arrays[_KEYS]), len(labels)}
        if len(sizes) > 1 or (lengths < 0).any() or lengths.sum() != len(arrays[_TEXTS]):
            raise FileError("cannot read a message of a worker: its sample is inconsistent.")
        letters, ends = arrays[_TEXTS].tobytes(), np.cumsum(lengths).tolist()
        texts = [
            letters[start:end].decode("utf-8", "surrogatepass")
            for start, end in zip([0, *ends[:-1]], ends, strict=False)
        ]
        end = arrays[_END].tolist()
        return cls(np.array(arrays[_KEYS]), texts, labels, end[0] if end else _NO_END)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, ContentSample):
            return NotImplemented
        return (self.texts, self.labels, self.end) == (other.texts, other.labels, other.end)

    __hash__ = None  # type: ignore[assignment]

    @property
    def last_key(self) -> int | None:
        """The highest key; None if the sample is empty."""
        return int(self.keys[-1]) if len(self.keys) else None

    def _documents(self) -> Iterator[tuple[tuple[int, str, str], Any]]:
        rows = zip(self.keys.tolist(), self.texts, self.labels, strict=True)
        return (((key, text, repr(label)), label) for key, text, label in rows)

    @classmethod
    def _select(
        cls, documents: dict[tuple[int, str, str], Any], size: int, end: int = _NO_END
    ) -> ContentSample:
        """Sample from distinct documents, of which each has (key, text, repr of label)."""
        first = sorted(each for each in documents if each[0] < end)[:size]
        lengths = np.cumsum([len(text) for _, text, _ in first])
        n_fitting = int(np.searchsorted(lengths, _max_characters(size), side="right"))
        if n_fitting < len(first):
            end = first[n_fitting][0]
            # All documents with the key of the end are left out, so that ties have no order.
            first = [each for each in first[:n_fitting] if each[0] < end]
        elif len(first) == size:
            end = _NO_END  # the sample is full before it reaches the end
        keys = np.array([key for key, _, _ in first], np.uint64)
        texts, labels = [text for _, text, _ in first], [documents[each] for each in first]
        return cls(keys, texts, labels, end)


def _max_characters(size: int) -> int:
    """Return the largest total number of characters of a sample of this size."""
    return max(size * _MEAN_CHARACTERS, _MIN_CHARACTERS)


def _is_shorter(texts: Any, length: int) -> NDArray[np.bool_]:
    """Return a mask of the texts with at most this number of characters."""
    if not isinstance(texts, pa.Array):
        return np.array([len(text) <= length for text in texts], dtype=bool)
    shorter = pc.binary_length(decode_dictionary(texts)).to_numpy(zero_copy_only=False) <= length
    # A text has at least as many bytes as characters, so only the long ones need to be decoded.
    for row in np.flatnonzero(~shorter).tolist():
        shorter[row] = len(texts[row].as_py()) <= length
    return np.asarray(shorter, dtype=bool)

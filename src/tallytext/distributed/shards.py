"""Tallies cut by terms, so that each piece can be merged by itself, and put together again.

A piece has some of the terms, and all documents: it is what :meth:`tallytext.Tally.mask` makes. A
term belongs to one piece wherever it is met, so that pieces of different numbers have no term in
common and are put together by laying them side by side.
"""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from tallytext.errors import TallytextError
from tallytext.labels import sort_labels
from tallytext.tally import Tally
from tallytext.text.sources import fingerprints
from tallytext.vocabulary import Vocabulary

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

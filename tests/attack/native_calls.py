"""A valid call of every function of the native module that takes arrays or numbers.

Each argument has a role, and each role has ways to be wrong. What must be refused is refused before
the core works on it; what may be accepted must not do harm.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from tallytext import _core as core

#: How a wrong argument is refused. MemoryError is not among them: sizes are bounded before.
REFUSALS = (TypeError, ValueError, IndexError, OverflowError, BufferError)

HUGE = [2**31 - 1, 2**32, 2**40, 2**60, 2**63 - 1, 2**64 - 1, 2**64, 10**30]


@dataclass(frozen=True)
class Given:
    """An argument: its value when all is well, and its role."""

    value: Any
    role: str
    #: Ids lie below it.
    limit: int = 0


@dataclass(frozen=True)
class Wrong:
    """A wrong value of an argument, and whether it must be refused."""

    name: str
    value: Any
    refused: bool = True


Call = tuple[Callable[..., Any], dict[str, Given]]


def longs(*values: int) -> Any:
    return np.array(values, np.int64)


def starts(*values: int) -> Given:
    """Rows: ascending from 0 to the length of the arrays that they divide."""
    return Given(longs(*values), "starts")


def ids(*values: int, below: int) -> Given:
    """Numbers of terms, words, classes or the like, each of which must exist."""
    return Given(np.array(values, np.int32), "ids", below)


def any_ids(*values: int) -> Given:
    """The same, but unknown ones are skipped."""
    return Given(np.array(values, np.int32), "any ids")


def values(*numbers: float, dtype: Any = np.float64, role: str = "values") -> Given:
    """A number for each id."""
    return Given(np.array(numbers, dtype), role)


def size(value: int) -> Given:
    """A number that memory is proportional to."""
    return Given(value, "size")


def number(value: Any) -> Given:
    """A number that may be as large as it likes, or not."""
    return Given(value, "number")


def fixed(value: Any) -> Given:
    return Given(value, "fixed")


def threads(value: int = 2) -> Given:
    return Given(value, "threads")


def matrix(rows: Any, dtype: Any) -> Given:
    return Given(np.array(rows, dtype), "matrix")


def native_functions() -> Iterator[tuple[str, str]]:
    """Yield name and signatures of every function of the module that takes arrays or numbers."""
    for name, found in vars(core).items():
        members = vars(found).items() if inspect.isclass(found) else [("", found)]
        for member, function in members:
            if member == "__new__":  # also an __init__
                continue
            # A constructor is a slot, whose signature hangs on the attribute of the class.
            at = getattr(found, member) if member else function
            signatures = getattr(at, "__nb_signature__", ())
            text = "\n".join(each[0].rpartition("->")[0] for each in signatures)
            if re.search(r"ndarray\[|: int\b|Sequence\[int\]", text):
                yield f"{name}.{member}".rstrip("."), text


def _vocabulary(*terms: str) -> Any:
    vocabulary = core.Vocabulary()
    vocabulary.add(list(terms))
    return vocabulary


def _texts() -> Any:
    return core.Texts.from_strings(["a b a", "b", ""])


def _documents(dtype: Any = np.float64, prefix: str = "") -> dict[str, Given]:
    """Three documents over four terms, one of them without a term."""
    return {
        f"{prefix}starts": starts(0, 3, 3, 5),
        f"{prefix}terms": any_ids(0, 2, 3, 1, 2),
        f"{prefix}values": values(1, 2, 1, 1, 4, dtype=dtype),
    }


def _change() -> Any:
    row = np.array([0, 2], np.int32)
    return core.Change.of_documents(
        longs(0, 2), row, longs(1, 3), longs(0, 1), np.array([1], np.int32), []
    )


def _tally() -> Any:
    tally = core.Tally(0, 64)
    assert tally.apply(_change(), 1, 3, 2) is None
    return tally


def _index() -> Any:
    parts = {**_documents()}
    return core.InvertedIndex(*(each.value for each in parts.values()), 4)


def _labels() -> dict[str, Given]:
    return {"label_starts": starts(0, 1, 1, 3), "labels": ids(0, 0, 1, below=2)}


def _costs() -> Given:
    return Given(np.ones(3, np.float32), "costs")


def _keys() -> Given:
    return Given(np.array([7, 8, 9], np.uint64), "keys")


def _scale() -> Given:
    return Given(np.ones(4, np.float32), "scale")


def _descent() -> Any:
    made = [*_documents().values(), _scale(), *_labels().values(), fixed(2), _costs()]
    return core.DualDescent(*(each.value for each in made), 5, 1)


def _live(filled: bool = True) -> Any:
    zeros = np.zeros((4, 2), np.float32)
    live = core.LiveDescent(np.ones(4, np.float32), 1.0, zeros, zeros[0], 5)
    if filled:
        made = [*_documents().values(), *_labels().values(), _keys(), _costs()]
        live.fill(*(each.value for each in made), np.zeros((3, 2), np.float32))
    return live


def _tree() -> Any:
    return core.PhraseTree(longs(0, 2, 4), np.array([0, 1, 1, 2], np.int32), 3)


def _streams(below: int = 3) -> dict[str, Given]:
    return {"starts": starts(0, 4, 4, 6), "words": ids(0, 1, 2, 1, 1, 2, below=below)}


def _places() -> Any:
    return core.WordPlaces(*(each.value for each in _streams().values()), 3)


def _translation() -> Any:
    run, arguments = TABLE["Translation.__init__"]()
    return run(*(each.value for each in arguments.values()))


def _weights(dtype: Any) -> dict[str, Given]:
    return {
        "post_starts": Given(longs(0, 2, 3, 3, 4), "postings"),
        "post_classes": ids(0, 1, 1, 0, below=2),
        "post_values": values(1, -1, 2, 0.5, dtype=dtype),
        "common": values(0, 0, 1, 0, dtype=dtype),
        "mass": values(1, 1, 1, 0, dtype=dtype),
        "intercept": values(0.5, -0.5, dtype=dtype),
        "slope": values(0, 0, dtype=dtype),
    }


def _buffer(*numbers: int, dtype: Any) -> Given:
    return Given(np.array(numbers, dtype), "buffer")


def _rules() -> Given:
    return fixed(core.WordRules(False, True, False, 1))


def _counting() -> dict[str, Given]:
    return {
        "vocabulary": fixed(core.Vocabulary()),
        "grow": fixed(True),
        "ngrams": fixed(core.NgramRange(1, 2)),
        "n_threads": threads(),
        "in_order": fixed(True),
    }


def _in_new_texts(name: str) -> Callable[..., Any]:
    return lambda *arguments: getattr(core.Texts(), name)(*arguments)


def _parts_of_text() -> dict[str, Given]:
    return {"offset": number(0), "length": number(2), "validity": fixed(None)}


#: For each function the call; made anew each time, since some change what they are called on.
TABLE: dict[str, Callable[[], Call]] = {
    "Texts.fingerprints": lambda: (_texts().fingerprints, {"n_threads": threads()}),
    "Texts.append_nulls": lambda: (_in_new_texts("append_nulls"), {"length": size(2)}),
    "Texts.append_offsets": lambda: (
        _in_new_texts("append_offsets"),
        {
            **_parts_of_text(),
            "offsets": _buffer(0, 1, 3, dtype=np.int32),
            "data": _buffer(97, 98, 99, dtype=np.uint8),
            "width": number(4),
        },
    ),
    "Texts.append_views": lambda: (
        _in_new_texts("append_views"),
        {
            **_parts_of_text(),
            "headers": _buffer(2, 25185, 0, 0, 1, 97, 0, 0, dtype=np.int32),
            "data": fixed([]),
        },
    ),
    "Texts.append_entries": lambda: (
        _in_new_texts("append_entries"),
        {
            **_parts_of_text(),
            "indices": _buffer(2, 0, dtype=np.int16),
            "width": number(2),
            "signed": fixed(True),
            "dictionary": fixed(_texts()),
        },
    ),
    "Texts.from_rows": lambda: (
        core.Texts.from_rows,
        {"rows": _buffer(97, 0, 98, 99, dtype=np.uint32), "width": number(2)},
    ),
    "Vocabulary.fill_terms": lambda: (
        _vocabulary("a", "b", "c").fill_terms,
        {"array": Given(np.empty(2, object), "objects"), "ids": ids(2, 0, below=3)},
    ),
    "Vocabulary.select": lambda: (
        _vocabulary("a", "b", "c").select,
        {"ids": Given(np.array([2, 0], np.int32), "some ids", 3)},
    ),
    "Vocabulary.from_arrays": lambda: (
        core.Vocabulary.from_arrays,
        {
            "arena": Given(np.frombuffer(b"abc", np.uint8), "bytes"),
            "lengths": Given(np.array([1, 2], np.uint32), "lengths"),
        },
    ),
    "WordRules.__init__": lambda: (
        core.WordRules,
        {**dict.fromkeys("plh", fixed(True)), "shortest": size(1)},
    ),
    "CharRules.__init__": lambda: (
        core.CharRules,
        {**dict.fromkeys("il", fixed(True)), "shortest": Given(1, "length"), "longest": number(2)},
    ),
    "NgramRange.__init__": lambda: (
        core.NgramRange,
        {"shortest": Given(1, "length"), "longest": number(2)},
    ),
    "count_terms": lambda: (
        core.count_terms,
        {"texts": fixed(_texts()), "rules": _rules(), **_counting()},
    ),
    "stream_terms": lambda: (
        core.stream_terms,
        {
            "texts": fixed(_texts()),
            "rules": _rules(),
            "vocabulary": fixed(core.Vocabulary()),
            "n_threads": threads(),
        },
    ),
    "stream_broken": lambda: (
        core.stream_broken,
        {
            "texts": fixed(_texts()),
            "rules": _rules(),
            "vocabulary": fixed(core.Vocabulary()),
            "n_threads": threads(),
        },
    ),
    "count_analysed": lambda: (
        core.count_analysed,
        {
            "starts": starts(0, 3, 3, 4),
            "ids": ids(0, 1, 0, 2, below=4),
            "analysed_of": Given(np.array([1, -1, 0, 1], np.int32), "analysed", 2),
            "analysed": fixed(_vocabulary("x", "y")),
            "marked": fixed(False),
            **_counting(),
        },
    ),
    "Recipe.__init__": lambda: (
        core.Recipe,
        {"tf": size(1), "norm": size(2), "theta": number(0.5), "w": fixed(True), "s": fixed(True)},
    ),
    "Change.of_documents": lambda: (
        core.Change.of_documents,
        {
            "starts": starts(0, 3, 3, 5),
            "terms": ids(0, 2, 3, 1, 2, below=2**28 + 1),
            "counts": values(1, 2, 1, 1, 4, dtype=np.int64, role="counts"),
            "label_starts": starts(0, 1, 1, 3),
            "labels": ids(0, 0, 1, below=2**24 + 1),
            "recipes": fixed([core.Recipe(0, 1, 0.0, True, False)]),
            "weights": values(1, 2, 0.5, role="weights"),
            "n_threads": threads(),
        },
    ),
    "Change.of_arrays": lambda: (
        core.Change.of_arrays,
        {
            "n_planes": size(0),
            "starts": starts(0, 1, 2),
            "classes": ids(0, 1, below=2),
            "cells": values(3, 1, 2, 1, dtype=np.int64, role="sums"),
            "term_totals": values(3, 1, 2, 1, dtype=np.int64, role="sums"),
            "class_documents": values(1, 1, dtype=np.int64, role="sums"),
            "class_scales": values(dtype=np.int64, role="sums"),
            "whole": values(2, 0, 0, dtype=np.int64, role="whole"),
        },
    ),
    "Change.masked": lambda: (
        _change().masked,
        {"kept": values(1, 0, 1, dtype=np.uint8, role="mask")},
    ),
    "check_compressed": lambda: (
        core.check_compressed,
        {
            "starts": starts(0, 3, 3, 5),
            "indices": ids(0, 2, 3, 1, 2, below=4),
            "n_values": size(5),
            "n_rows": size(3),
            "width": number(4),
        },
    ),
    "rows_are_clean": lambda: (
        core.rows_are_clean,
        {
            "starts": starts(0, 3, 3, 5),
            "terms": ids(0, 2, 3, 1, 2, below=4),
            "counts": values(1, 2, 1, 1, 4, dtype=np.int64),
            "width": number(4),
            "n_threads": threads(),
        },
    ),
    "Tally.__init__": lambda: (core.Tally, {"n_planes": size(1), "smallest_delta": size(8)}),
    "Tally.apply": lambda: (
        _tally().apply,
        {
            "change": fixed(_change()),
            "sign": Given(1, "column"),
            "n_terms": size(3),
            "n_classes": size(2),
        },
    ),
    "Tally.reshaped": lambda: (
        _tally().reshaped,
        {
            "term_map": Given(np.array([1, -1, 0], np.int32), "map", 2**28 + 1),
            "class_map": Given(np.array([-1, 0], np.int32), "map", 2**24 + 1),
        },
    ),
    "Tally.with_planes": lambda: (
        _tally().with_planes,
        {"planes": Given([], "list")},
    ),
    "Tally.cells": lambda: (_tally().cells, {"column": Given(1, "column")}),
    "Tally.slice": lambda: (
        _tally().slice,
        {"columns": Given([0, 1], "list"), "terms": any_ids(2, 0, 99, -5)},
    ),
    "score_sparse": lambda: (
        core.score_sparse,
        {**_documents(), **_weights(np.float64), "n_threads": threads()},
    ),
    "top_sparse": lambda: (
        core.top_sparse,
        {
            **_documents(np.float32),
            **_weights(np.float32),
            "order": Given(np.array([1, 0], np.int32), "order"),
            "k": size(2),
            "n_threads": threads(),
        },
    ),
    "add_rows": lambda: (
        core.add_rows,
        {
            **_documents(),
            "rows": matrix([[1, 2], [3, 4]], np.float64),
            "first": number(1),
            "scores": matrix(np.zeros((3, 2)), np.float64),
            "n_threads": threads(),
        },
    ),
    "sparse_times": lambda: (
        core.sparse_times,
        {
            "starts": starts(0, 3, 3, 5),
            "columns": ids(0, 2, 3, 1, 2, below=4),
            "values": values(1, 2, 1, 1, 4),
            "dense": Given(np.ones((4, 2)), "table"),
            "n_threads": threads(),
        },
    ),
    "own_cells": lambda: (
        core.own_cells,
        {
            "starts": starts(0, 3, 3, 5),
            "terms": any_ids(0, 2, 3, 1, 2),
            "label_starts": starts(0, 1, 1, 3),
            "labels": any_ids(0, 0, 1),
            "post_starts": starts(0, 2, 3, 3, 4),
            "post_classes": any_ids(0, 1, 1, 0),
            "n_threads": threads(),
        },
    ),
    "left_out_gains": lambda: (
        core.left_out_gains,
        {
            "starts": starts(0, 3, 3, 5),
            "terms": any_ids(0, 2, 3, 1, 2),
            "exponents": values(1, 2, 1, 1, 4, role="finite"),
            "post_starts": starts(0, 2, 3, 3, 4),
            "post_classes": ids(0, 1, 1, 0, below=2),
            "ratios": values(1, 2, 1, 0.5),
            "counts": values(1, 2, 1, 1),
            "tops": values(2, 1, 0, 0.5),
            "inverse": values(1, 1, 1, 1, 1),
            "spread": values(1, 1, 1, 1, 1),
            "words": values(3, 3, 3, 3, 3),
            "absent": values(1, 1, 1, 1, 1),
            "seen": matrix(np.ones((3, 2)), np.float64),
            "freed": matrix(np.ones((3, 2)), np.float64),
            "gains": matrix(np.zeros((3, 2)), np.float64),
            "n_threads": threads(),
        },
    ),
    "DualDescent.__init__": lambda: (
        core.DualDescent,
        {
            **_documents(),
            "scale": _scale(),
            **_labels(),
            "n_classes": size(2),
            "costs": _costs(),
            "seed": number(5),
            "n_threads": threads(1),
        },
    ),
    "DualDescent.place": lambda: (
        _descent().place,
        {"first": size(1), "rows": matrix(np.ones((2, 2)), np.float64)},
    ),
    "DualDescent.start": lambda: (
        _descent().start,
        {"factor": number(1.0), "bias": values(0, 1, dtype=np.float32)},
    ),
    "DualDescent.resume": lambda: (
        _descent().resume,
        {"duals": matrix(np.ones((3, 2)), np.float32)},
    ),
    "DualDescent.sweep": lambda: (_descent().sweep, {"seed": number(3)}),
    "LiveDescent.__init__": lambda: (
        core.LiveDescent,
        {
            "scale": _scale(),
            "new_scale": number(1.0),
            "weights": matrix(np.zeros((4, 2)), np.float32),
            "bias": values(0, 0, dtype=np.float32),
            "seed": number(5),
        },
    ),
    "LiveDescent.fill": lambda: (
        _live(filled=False).fill,
        {
            "starts": starts(0, 3, 3, 5),
            "terms": ids(0, 2, 3, 1, 2, below=2**28 + 1),
            "values": values(1, 2, 1, 1, 4),
            **_labels(),
            "keys": _keys(),
            "costs": _costs(),
            "duals": matrix(np.zeros((3, 2)), np.float32),
        },
    ),
    "LiveDescent.learn": lambda: (
        _live().learn,
        {
            "starts": starts(0, 3, 3, 5),
            "terms": ids(0, 2, 3, 1, 2, below=2**28 + 1),
            "values": values(1, 2, 1, 1, 4),
            "label_starts": starts(0, 1, 1, 3),
            "labels": ids(0, 0, 2, below=3),
            "keys": _keys(),
            "costs": _costs(),
            "new_classes": fixed([0.5]),
            "n_steps": fixed(3),
        },
    ),
    "LiveDescent.forget": lambda: (
        _live().forget,
        {"keys": Given(np.array([8, 7], np.uint64), "numbers"), "n_steps": fixed(3)},
    ),
    "LiveDescent.scores": lambda: (
        _live().scores,
        {**_documents(), "n_threads": threads()},
    ),
    "LiveDescent.holds": lambda: (
        _live().holds,
        {"keys": Given(np.array([8, 1], np.uint64), "numbers")},
    ),
    "row_hashes": lambda: (
        core.row_hashes,
        {
            "starts": starts(0, 3, 3, 5),
            "terms": ids(0, 2, 3, 1, 2, below=4),
            "values": values(1, 2, 1, 1, 4),
            "hashes": Given(np.arange(4, dtype=np.uint64), "numbers"),
            "n_threads": threads(),
        },
    ),
    "unit_scores": lambda: (
        core.unit_scores,
        {
            **_documents(),
            "scale": _scale(),
            "weights": matrix(np.ones((4, 2)), np.float32),
            "bias": values(0, 0, dtype=np.float32),
            "n_threads": threads(),
        },
    ),
    "InvertedIndex.__init__": lambda: (
        core.InvertedIndex,
        {
            "starts": starts(0, 3, 3, 5),
            "terms": ids(0, 2, 3, 1, 2, below=4),
            "weights": values(1, 2, 1, 1, 4, role="weights"),
            "n_terms": size(4),
        },
    ),
    "InvertedIndex.nearest": lambda: (
        _index().nearest,
        {
            "starts": starts(0, 3, 3, 5),
            "terms": any_ids(0, 2, 3, 1, 2),
            "weights": values(1, 2, 1, 1, 4, role="weights"),
            "k": number(2),
            "n_threads": threads(),
        },
    ),
    "InvertedIndex.pairs": lambda: (
        _index().pairs,
        {"least": fixed(0.1), "first": size(0), "last": size(3), "n_threads": threads()},
    ),
    "InvertedIndex.count_pairs": lambda: (
        _index().count_pairs,
        {"n_bins": size(10), "first": size(0), "last": size(3), "n_threads": threads()},
    ),
    "Translation.__init__": lambda: (
        core.Translation,
        {
            "starts": starts(0, 3, 3, 5),
            "words": ids(0, 2, 3, 1, 2, below=4),
            "values": values(1, 2, 1, 1, 4, role="weights"),
            "background": values(0.25, 0.25, 0.25, 0.25, role="shares"),
            "signature_starts": starts(0, 1, 1, 3),
            "signatures": ids(0, 0, 1, below=2),
            "n_signatures": size(2),
        },
    ),
    "Translation.rows": lambda: (
        lambda first, last, n_steps, most, min_df, n_threads: _translation().rows(
            first,
            last,
            beta=0.5,
            exact=False,
            n_steps=n_steps,
            trim=False,
            least=0.0,
            most=most,
            min_df=min_df,
            n_threads=n_threads,
        ),
        {
            "first": size(0),
            "last": size(2),
            "n_steps": fixed(3),
            "most": number(9),
            "min_df": number(1),
            "n_threads": threads(),
        },
    ),
    "PhraseTree.__init__": lambda: (
        core.PhraseTree,
        {
            "starts": starts(0, 2, 3, 5),
            "words": ids(0, 1, 2, 1, 2, below=3),
            "n_words": size(3),
        },
    ),
    "PhraseTree.count": lambda: (
        _tree().count,
        {**_streams(), "columns": ids(1, 0, below=2**28 + 1), "n_threads": threads()},
    ),
    "PhraseTree.join": lambda: (_tree().join, {**_streams(), "n_threads": threads()}),
    "PhraseTree.occurrences": lambda: (
        _tree().occurrences,
        {**_streams(), "n_threads": threads()},
    ),
    "count_word_pairs": lambda: (
        core.count_word_pairs,
        {**_streams(2**28 + 1), "min_count": number(1), "n_threads": threads()},
    ),
    "WordPlaces.__init__": lambda: (core.WordPlaces, {**_streams(), "n_words": size(3)}),
    "WordPlaces.histograms": lambda: (
        _places().histograms,
        {
            "words": Given(np.array([0, 1], np.int32), "some ids", 3),
            "window": size(5),
            "least": number(1),
            "n_threads": threads(),
        },
    ),
    "WordPlaces.align": lambda: (
        _places().align,
        {
            "words": ids(0, 1, below=3),
            "collocates": ids(1, 2, below=3),
            "offsets": ids(1, -1, below=1001),
            "reach": size(5),
            "n_threads": threads(),
        },
    ),
}


def changed(array: Any, at: int, value: Any, dtype: Any = None) -> Any:
    """Return a copy of an array with another number in one place."""
    copy = array.astype(dtype or array.dtype)
    copy[at] = value
    return copy


def wrong_values(given: Given) -> Iterator[Wrong]:
    """Yield the ways in which an argument can be wrong."""
    value, role = given.value, given.role
    if isinstance(value, np.ndarray):
        yield from _wrong_arrays(value, role)
    if role in ("starts", "postings"):
        yield from _wrong_starts(value, role == "starts")
    elif role in ("ids", "any ids", "some ids", "analysed", "map"):
        yield from _wrong_ids(value, given)
    elif role in ("size", "length", "threads", "number", "first", "column"):
        yield from _wrong_numbers(value, role)
    elif role == "list":
        yield Wrong("unknown numbers", [*value, 2**31])
        yield Wrong("too many", [0] * 5000)
    yield from _wrong_contents(value, role)


#: The roles of arrays that may have another length than the others.
_FREE_LENGTHS = {"starts", "numbers", "mask", "any ids", "some ids", "analysed", "scale", "shares"}


def _wrong_arrays(value: Any, role: str) -> Iterator[Wrong]:
    yield Wrong("None", None, role not in ("weights", "buffer", "any ids"))
    yield Wrong("a string", "text")
    if role == "buffer":
        yield Wrong("shorter", value[:-1])
        return
    yield Wrong("no dimension", np.array(1, value.dtype), role != "objects")
    if role != "objects":
        yield Wrong("one dimension more", value[np.newaxis])
        yield Wrong("objects", value.astype(object))
        yield Wrong("strings", value.astype(str))
        yield Wrong("complex", value.astype(np.complex128))
        yield Wrong("times", np.zeros(value.shape, "datetime64[s]"))
    if role != "objects" and value.dtype.kind in "iu":
        yield Wrong("fractions", value + 0.5)
        yield Wrong("not numbers", np.full(value.shape, np.nan))
    lengths_are_free = role in _FREE_LENGTHS
    if role not in ("map", "keys") and value.ndim == 1:
        longer = np.concatenate([value, value[-1:] if len(value) else np.ones(1, value.dtype)])
        yield Wrong("one more", longer, not lengths_are_free)
        yield Wrong("one less", value[:-1], not lengths_are_free and len(value) > 0)
    if role == "matrix":
        yield Wrong("one row more", np.concatenate([value, value[:1]]), refused=False)
        yield Wrong("one column less", value[:, :-1].copy())
        yield Wrong("no columns", value[:, :0].copy(), refused=False)


def _wrong_starts(value: Any, whole: bool) -> Iterator[Wrong]:
    # Of postings, the rows of the terms of the documents are checked.
    yield Wrong("no start", value[:0])
    yield Wrong("not from 0", changed(value, 0, 1), whole)
    yield Wrong("from below 0", changed(value, 0, -1))
    yield Wrong("descending", changed(value, 1, value[-1] + 1))
    yield Wrong("descending below 0", changed(value, 1, -(2**63)))
    yield Wrong("beyond the end", changed(value, -1, value[-1] + 1))
    yield Wrong("before the end", changed(value, -1, value[-1] - 1), whole)
    yield Wrong("far beyond the end", changed(value, -1, 2**63 - 1))
    yield Wrong("beyond 63 bits", changed(value, -1, 2**64 - 1, np.uint64))


def _wrong_ids(value: Any, given: Given) -> Iterator[Wrong]:
    unknown = given.role == "any ids"
    lowest = -2 if given.role == "map" else -1001 if given.limit == 1001 else -3
    below_zero = not unknown and given.role != "analysed"  # there every negative one is dropped
    yield Wrong("negative", changed(value, 0, lowest), below_zero)
    yield Wrong("very negative", changed(value, 0, -(2**31)), below_zero)
    if not unknown:
        yield Wrong("too large", changed(value, -1, given.limit))
    yield Wrong("largest", changed(value, -1, 2**31 - 1), not unknown)
    yield Wrong("beyond 32 bits", changed(value, -1, 2**32, np.int64))
    yield Wrong("beyond 32 bits below", changed(value, -1, -(2**32), np.int64))


def _wrong_numbers(value: Any, role: str) -> Iterator[Wrong]:
    yield Wrong("a string", "text")
    yield Wrong("None", None)
    if isinstance(value, float):
        return
    yield Wrong("a fraction", 1.5)
    negative = role not in ("number", "column", "first")
    yield Wrong("negative", -1, negative)
    yield Wrong("far below zero", -(2**63), role != "number")
    if role in ("threads", "length"):
        yield Wrong("zero", 0)
    for each in HUGE:
        yield Wrong(f"{each:,}", each, role not in ("number",))


def _wrong_contents(value: Any, role: str) -> Iterator[Wrong]:
    if role == "counts":
        yield Wrong("zero", changed(value, 1, 0))
        yield Wrong("negative", changed(value, 1, -1))
        yield Wrong("a sum beyond 64 bits", changed(value, [0, 1], 2**63 - 1))
    if role in ("costs", "weights"):
        yield Wrong("not a number", changed(value, 1, np.nan))
        yield Wrong("negative", changed(value, 1, -1), refused=False)
        yield Wrong("infinite", changed(value, 1, np.inf), role == "weights")
    if role == "finite":
        yield Wrong("not a number", changed(value, 1, np.nan))
        yield Wrong("infinite", changed(value, 1, -np.inf))
    if role == "values" and value.dtype.kind == "f":
        for each in (np.nan, np.inf, -np.inf, -1.0, 1e300):
            with np.errstate(all="ignore"):
                yield Wrong(str(each), changed(value, -1, each), refused=False)
    if role == "shares":
        for each in (np.nan, -0.5, 1.5):
            yield Wrong(str(each), changed(value, 0, each))
    if role == "sums" and len(value):
        for each in (-1, 2**63 - 1, -(2**63)):
            yield Wrong(str(each), changed(value, 0, each))
    if role == "lengths":
        yield Wrong("longer than the bytes", changed(value, 0, 2**32 - 1))
    if role == "objects":
        yield Wrong("numbers", np.zeros(len(value)))
        yield Wrong("integers", np.ones(len(value), np.int64))
        yield Wrong("bytes", b"x" * 16)


def wrong_calls(name: str) -> Iterator[tuple[str, bool, Callable[[], Any]]]:
    """Yield the calls of a function with one wrong argument each, and if they must be refused."""
    for argument, given in TABLE[name]()[1].items():
        for wrong in wrong_values(given):
            yield (
                f"{name}: {argument} {wrong.name}",
                wrong.refused,
                lambda argument=argument, wrong=wrong: call(name, {argument: wrong.value}),
            )


def call(name: str, replaced: dict[str, Any] | None = None) -> Any:
    """Call a function, with other values for some arguments."""
    run, arguments = TABLE[name]()
    each = {argument: given.value for argument, given in arguments.items()} | (replaced or {})
    return run(*each.values())

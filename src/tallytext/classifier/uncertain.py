"""Terms of which a tally has too few, because they were dropped and came again."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tallytext.tally import Tally

Counts = NDArray[np.int64]


def uncertain_terms(tally: Tally, part: Tally) -> NDArray[np.intp]:
    """Return the terms of which a tally has less than a part of it, in a class or over all.

    Terms that were dropped, and came again, are counted without what they lost. What remained of
    them without the part might be what no documents can add up to.

    Parameters
    ----------
    tally, part : Tally
        With the same planes; ids of the tally are those of the part.

    Examples
    --------
    >>> tally = Tally.from_counts([[1, 1], [1, 3]], ["x", "x"], ["sea", "sky"])
    >>> part = Tally.from_counts([[1, 5]], ["x"], ["sea", "sky"])
    >>> uncertain_terms(tally, part)
    array([1])
    """
    used = np.flatnonzero(part.live)
    whole = tally.mask(used)
    number = {label: at for at, label in enumerate(dict.fromkeys([*whole.classes, *part.classes]))}
    places, counted = _cells(whole, number)
    theirs, taken = _cells(part, number)
    every = np.union1d(places, theirs)
    left = _found(places, counted, every) - _found(theirs, taken, every)
    totals = _totals(whole, used) - _totals(part, used)
    row = np.searchsorted(used, every // max(1, len(number)))
    wrong = _impossible(totals)
    wrong[row[_impossible(left) | (left > totals[row]).any(axis=1)]] = True
    return used[wrong | _unlike(totals, left, row, whole, part)]


def _unlike(
    totals: Counts, left: Counts, row: NDArray[np.intp], whole: Tally, part: Tally
) -> NDArray[np.bool_]:
    """Whether classes do not add up to the total, where no document of several labels is left."""
    if whole.n_several > part.n_several:
        return np.zeros(len(totals), dtype=bool)
    sums = np.zeros_like(totals)
    np.add.at(sums, row, left)
    exact = whole.n_unlabelled == part.n_unlabelled
    return np.asarray((sums != totals if exact else sums > totals).any(axis=1))


def _impossible(left: Counts) -> NDArray[np.bool_]:
    """Whether no documents can add up to occurrences, documents and planes."""
    occurrences, documents = left[:, 0], left[:, 1]
    odd = (documents > occurrences) | ((documents == 0) != (occurrences == 0))
    empty = (occurrences == 0) & left.any(axis=1)
    return np.asarray(odd | empty | (left < 0).any(axis=1))


def _cells(tally: Tally, number: Mapping[Any, int]) -> tuple[Counts, Counts]:
    """Return a number for each term and class that have counts, ascending, and the counts."""
    arrays, header = tally._arrays()
    names = np.array([number[label] for label in header["classes"]], dtype=np.int64)
    term = np.repeat(np.arange(len(arrays["starts"]) - 1), np.diff(arrays["starts"]))
    places = term * len(number) + names[arrays["classes"]]
    order = np.argsort(places, kind="stable")
    return places[order], arrays["cells"][order]


def _found(places: Counts, counted: Counts, wanted: Counts) -> Counts:
    """Return the counts at some places, 0 where there are none."""
    at = np.searchsorted(places, wanted)
    found = np.zeros((len(wanted), counted.shape[1]), dtype=np.int64)
    there = at < len(places)
    there[there] = places[at[there]] == wanted[there]
    found[there] = counted[at[there]]
    return found


def _totals(tally: Tally, terms: NDArray[np.intp]) -> Counts:
    totals: Counts = tally._arrays()[0]["term_totals"]
    # Terms after the last one that occurs may be without a row.
    rows = np.zeros((int(terms.max(initial=-1)) + 1, totals.shape[1]), dtype=np.int64)
    rows[: len(totals)] = totals[: len(rows)]
    return rows[terms]

"""Fractional planes whose sums would leave 64 bits are left out, and the rest goes on.

Sums of planes are kept in units of :math:`2^{-32}`, so that they end at :math:`2^{31}`: a plane
that adds one for each token is full after two thousand million tokens, where plain counts have
hardly begun. Nothing that is added is negative, so that whether a plane is full in the end does not
depend on the order of adding.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from tallytext.planes import UNIT, Plane
from tallytext.tally import Tally

FULL = 2.0**31 * (1 - 2.0**-30)  # as far as sums of floats can tell


def added(one: Tally, other: Tally) -> Tally:
    """Return the sum of two tallies, of the planes that both have and that have room for it.

    Parameters
    ----------
    one : Tally
        May become the sum itself.
    other : Tally
        Is left as it is.

    Examples
    --------
    >>> half = Tally(planes=[Plane()]).learn({"sea": 2**30}, "x")
    >>> added(half.copy(), half).planes, added(half.copy(), half).n_tokens
    ((), 2147483648)
    """
    planes = [each for each in one.planes if each in other.planes and _fits(each, one, other)]
    mine, theirs = (_only(each, planes) for each in (one, other))
    mine += theirs
    return mine


def _only(tally: Tally, planes: list[Plane]) -> Tally:
    return tally if list(tally.planes) == planes else tally.keep_planes(planes)


def _fits(plane: Plane, one: Tally, other: Tally) -> bool:
    totals = [tally.plane_totals(plane) for tally in (one, other)]
    sums = sum(each.total for each in totals), sum(each.scale for each in totals)
    return max(sums) < FULL


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

"""Planes that are full once the pieces of a tally lie side by side are left out of all of them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from tallytext.planes import UNIT
from tallytext.tally.outgrown import FULL


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

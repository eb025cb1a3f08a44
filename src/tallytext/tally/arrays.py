"""A tally as plain arrays and a header, and back, trusting nothing."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from tallytext._core import Change
from tallytext.errors import CountOverflowError, TallytextError
from tallytext.labels import LabelIndex
from tallytext.planes import Plane, in_order
from tallytext.tally.statistics import Statistics
from tallytext.vocabulary import Vocabulary

Arrays: TypeAlias = dict[str, NDArray[Any]]
Header: TypeAlias = dict[str, Any]

KIND = "tallytext.tally"


class Storing(Statistics):
    """Writes the sums that cannot be derived from others; reading derives the rest anew."""

    def _arrays(self) -> tuple[Arrays, Header]:
        return self._snapshot()._arrays_of_now()

    def _arrays_of_now(self) -> tuple[Arrays, Header]:
        starts, classes, cells = self._native.cells(-1)
        width = self._width()
        whole = [self.n_documents, self.n_several, self.n_unlabelled, *self._native.scales()]
        arrays: Arrays = {
            "starts": starts,
            "classes": self._places()[classes],
            "cells": cells.reshape(-1, width),
            "term_totals": self._native.term_totals().reshape(-1, width),
            "class_documents": self.class_documents,
            "class_scales": self._class_scales(),
            "whole": np.array(whole, dtype=np.int64),
        }
        planes = [plane.to_dict() for plane in self._planes]
        return arrays, {"kind": KIND, "classes": self.classes, "planes": planes}


def vocabulary_from(arrays: Mapping[str, NDArray[Any]]) -> Vocabulary:
    """Read the terms of a stored tally."""
    terms, lengths = array_of(arrays, "terms", np.uint8), array_of(arrays, "lengths", np.uint32)
    return Vocabulary.from_arrays(terms, lengths)


def header_from(header: Mapping[str, Any]) -> tuple[LabelIndex, tuple[Plane, ...]]:
    """Read the classes and the recipes of a stored tally."""
    if header.get("kind") != KIND:
        raise TallytextError(f"this is not a tally, but {header.get('kind')!r}.")
    labels = LabelIndex(_list_of(header, "classes"))
    if len(labels) != len(_list_of(header, "classes")):
        raise TallytextError("this is not a tally: a class is named twice.")
    stored = tuple(Plane.from_dict(_mapping(plane)) for plane in _list_of(header, "planes"))
    if stored != in_order(stored):
        raise TallytextError("this is not a tally: its planes are not in order.")
    return labels, stored


def change_from(arrays: Mapping[str, NDArray[Any]], n_classes: int, n_planes: int) -> Change:
    """Read the sums of a stored tally."""
    names = ("cells", "term_totals", "class_documents", "class_scales", "whole")
    sums = {name: array_of(arrays, name, np.int64) for name in names}
    if len(sums["class_documents"]) != n_classes:
        raise TallytextError("this is not a tally: it names more or fewer classes than it counts.")
    starts, classes = array_of(arrays, "starts", np.int64), array_of(arrays, "classes", np.int32)
    try:
        return Change.of_arrays(n_planes, starts, classes, **sums)
    except OverflowError as problem:
        raise CountOverflowError(f"this is not a tally: {problem}") from None
    except ValueError as problem:
        raise TallytextError(f"this is not a tally: {problem}") from None


def array_of(arrays: Mapping[str, NDArray[Any]], name: str, dtype: type[Any]) -> NDArray[Any]:
    """Return one array of a stored tally, flat, if it is there and of the right kind."""
    found = arrays.get(name)
    if not isinstance(found, np.ndarray) or found.dtype != dtype:
        raise TallytextError(f"this is not a tally: {name!r} must be an array of {dtype.__name__}.")
    return np.ascontiguousarray(found).reshape(-1)


def _list_of(header: Mapping[str, Any], key: str) -> list[Any]:
    found = header.get(key)
    if not isinstance(found, list):
        raise TallytextError(f"this is not a tally: its header has no list of {key}.")
    return found


def _mapping(value: Any) -> Mapping[str, Any]:
    if not isinstance(value, Mapping):
        raise TallytextError(f"this is not a tally: {value!r} is no recipe of a plane.")
    return value

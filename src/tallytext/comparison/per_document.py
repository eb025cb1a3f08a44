"""What users say of each document besides its label: its group, or its moment."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tallytext.errors import InputError


def group_numbers(groups: ArrayLike, n_documents: int) -> NDArray[np.intp]:
    """Number groups in order of arrival; a document without a value is a group of its own.

    Examples
    --------
    >>> group_numbers(["tea", None, "milk", "tea", None], 5)
    array([0, 1, 2, 0, 3])
    """
    numbers: dict[Any, int] = {}
    values = _values(groups, n_documents, "groups")
    named = [("none", at) if is_missing(value) else (value,) for at, value in enumerate(values)]
    return np.array([numbers.setdefault(name, len(numbers)) for name in named], dtype=np.intp)


def moment_numbers(time: ArrayLike, n_documents: int) -> NDArray[np.intp]:
    """Number moments from the earliest to the latest.

    Examples
    --------
    >>> moment_numbers([2009, 1999, 2024, 2009], 4)
    array([1, 0, 2, 1])
    """
    values = _values(time, n_documents, "time")
    missing = [at for at, value in enumerate(values) if is_missing(value)]
    if missing:
        others = f", nor for {len(missing) - 1:,} more" if len(missing) > 1 else ""
        raise InputError(
            f"time has no value for document {missing[0]}{others}. "
            "Leave such documents out: they are neither earlier nor later than others."
        )
    try:
        moments = sorted(set(values))
    except TypeError as problem:
        raise InputError(f"moments cannot be put in order: {problem}.") from problem
    place = {moment: at for at, moment in enumerate(moments)}
    return np.array([place[value] for value in values], dtype=np.intp)


def is_missing(value: Any) -> bool:
    """Whether there is no value: None, NaN, or an empty string.

    Examples
    --------
    >>> [is_missing(value) for value in (None, float("nan"), "", 0, "0")]
    [True, True, True, False, False]
    """
    # pandas.NA is neither equal to itself nor unequal.
    known = value is not None and isinstance(value == value, bool) and value == value
    return not known or value == ""


def _values(given: ArrayLike, n_documents: int, name: str) -> list[Any]:
    if hasattr(given, "to_pylist"):
        given = given.to_pylist()
    values = given if isinstance(given, list) else np.asarray(given).tolist()
    shape = np.shape(values) if values and isinstance(values[0], list) else (len(values),)
    if shape != (n_documents,):
        raise InputError(f"{n_documents} documents, but {name} of shape {shape}.")
    return values

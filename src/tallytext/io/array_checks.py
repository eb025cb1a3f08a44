"""Checks of the arrays of a model file: type, shape and range."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tallytext.errors import FileError

Shape = tuple[int | None, ...]


def check_float_array(arrays: Mapping[str, NDArray[Any]], name: str, shape: Shape) -> NDArray[Any]:
    """Return a copy of an array, if it holds finite floats and has a shape; None is any size.

    Examples
    --------
    >>> check_float_array({"bias": np.zeros(2)}, "bias", (3,))
    Traceback (most recent call last):
    tallytext.errors.FileError: bias should be of shape (3,), not (2,).
    """
    array = _copy_array(arrays, name, shape, "f")
    if not np.isfinite(array).all():
        raise FileError(f"{name} holds numbers that are not finite.")
    return array


def check_int_array(
    arrays: Mapping[str, NDArray[Any]], name: str, shape: Shape, least: int, below: int
) -> NDArray[np.int64]:
    """Return a copy of an array, if it holds integers within a range and has a shape.

    Examples
    --------
    >>> check_int_array({"terms": np.array([0, 4])}, "terms", (None,), 0, 4)
    Traceback (most recent call last):
    tallytext.errors.FileError: terms should lie from 0 to 3, but some are 0 to 4.
    """
    array = _copy_array(arrays, name, shape, "iu")
    if array.size and (array.min() < least or array.max() >= below):
        raise FileError(
            f"{name} should lie from {least} to {below - 1}, but some are {array.min()} to "
            f"{array.max()}."
        )
    return array.astype(np.int64)


def check_offsets(
    arrays: Mapping[str, NDArray[Any]], name: str, n_parts: int, total: int
) -> NDArray[np.int64]:
    """Return a copy of an array, if it holds ascending offsets of parts from 0 to a total.

    Examples
    --------
    >>> check_offsets({"starts": np.array([0, 2, 5])}, "starts", 2, 5)
    array([0, 2, 5])
    """
    starts = check_int_array(arrays, name, (n_parts + 1,), 0, total + 1)
    if starts[0] != 0 or starts[-1] != total or (np.diff(starts) < 0).any():
        raise FileError(f"{name} should ascend from 0 to {total}, and does not.")
    return starts


def check_array_names(arrays: Mapping[str, NDArray[Any]], names: set[str]) -> None:
    """Raise FileError unless the arrays have exactly these names.

    Examples
    --------
    >>> check_array_names({"bias": np.zeros(2)}, {"bias", "weights"})
    Traceback (most recent call last):
    tallytext.errors.FileError: the arrays should be bias, weights, and are bias.
    """
    if set(arrays) != names:
        given = ", ".join(sorted(map(str, arrays))) or "none"
        raise FileError(f"the arrays should be {', '.join(sorted(names))}, and are {given:.200}.")


def _copy_array(
    arrays: Mapping[str, NDArray[Any]], name: str, shape: Shape, kinds: str
) -> NDArray[Any]:
    if name not in arrays:
        raise FileError(f"{name} is missing.")
    # Copied before the checks: the view may be mapped from a file that changes meanwhile.
    array = np.array(arrays[name])
    if array.dtype.kind not in kinds:
        raise FileError(f"{name} cannot be an array of {array.dtype}.")
    fits = array.ndim == len(shape) and all(
        wanted in (None, size) for wanted, size in zip(shape, array.shape, strict=True)
    )
    if not fits:
        wanted = str(shape).replace("None", "any")
        raise FileError(f"{name} should be of shape {wanted}, not {array.shape}.")
    return array

"""Arrays that a file holds, checked one by one before a model is made of them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tallytext.errors import FileError

Shape = tuple[int | None, ...]


def float_part(arrays: Mapping[str, NDArray[Any]], name: str, shape: Shape) -> NDArray[Any]:
    """Return a copy of an array of finite floats of a certain shape; None stands for any size.

    Examples
    --------
    >>> float_part({"bias": np.zeros(2)}, "bias", (3,))
    Traceback (most recent call last):
    tallytext.errors.FileError: bias should be of shape (3,), not (2,).
    """
    part = _part(arrays, name, shape, "f")
    if not np.isfinite(part).all():
        raise FileError(f"{name} holds numbers that are not finite.")
    return part


def whole_part(
    arrays: Mapping[str, NDArray[Any]], name: str, shape: Shape, least: int, below: int
) -> NDArray[np.int64]:
    """Return a copy of an array of whole numbers of a certain shape and within a range.

    Examples
    --------
    >>> whole_part({"terms": np.array([0, 4])}, "terms", (None,), 0, 4)
    Traceback (most recent call last):
    tallytext.errors.FileError: terms should lie from 0 to 3, but some are 0 to 4.
    """
    part = _part(arrays, name, shape, "iu")
    if part.size and (part.min() < least or part.max() >= below):
        raise FileError(
            f"{name} should lie from {least} to {below - 1}, but some are {part.min()} to "
            f"{part.max()}."
        )
    return part.astype(np.int64)


def starts_part(
    arrays: Mapping[str, NDArray[Any]], name: str, n_parts: int, total: int
) -> NDArray[np.int64]:
    """Return where each of some parts starts, and where the last one ends.

    Examples
    --------
    >>> starts_part({"starts": np.array([0, 2, 5])}, "starts", 2, 5)
    array([0, 2, 5])
    """
    starts = whole_part(arrays, name, (n_parts + 1,), 0, total + 1)
    if starts[0] != 0 or starts[-1] != total or (np.diff(starts) < 0).any():
        raise FileError(f"{name} should ascend from 0 to {total}, and does not.")
    return starts


def check_parts(arrays: Mapping[str, NDArray[Any]], names: set[str]) -> None:
    """Refuse more arrays than these, or fewer.

    Examples
    --------
    >>> check_parts({"bias": np.zeros(2)}, {"bias", "weights"})
    Traceback (most recent call last):
    tallytext.errors.FileError: the arrays should be bias, weights, and are bias.
    """
    if set(arrays) != names:
        given = ", ".join(sorted(map(str, arrays))) or "none"
        raise FileError(f"the arrays should be {', '.join(sorted(names))}, and are {given:.200}.")


def _part(arrays: Mapping[str, NDArray[Any]], name: str, shape: Shape, kinds: str) -> NDArray[Any]:
    if name not in arrays:
        raise FileError(f"{name} is missing.")
    part = np.array(arrays[name])
    if part.dtype.kind not in kinds:
        raise FileError(f"{name} cannot be an array of {part.dtype}.")
    fits = part.ndim == len(shape) and all(
        wanted in (None, size) for wanted, size in zip(shape, part.shape, strict=True)
    )
    if not fits:
        wanted = str(shape).replace("None", "any")
        raise FileError(f"{name} should be of shape {wanted}, not {part.shape}.")
    return part

"""What each letter of a SMART scheme stands for. Pure: arrays in, arrays out."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

Floats: TypeAlias = NDArray[np.float64]
Starts: TypeAlias = NDArray[Any]


def sums(values: Floats, starts: Starts) -> Floats:
    """Return the sum of each row, zero for an empty one.

    Examples
    --------
    >>> sums(np.array([1.0, 2.0, 4.0]), np.array([0, 2, 2, 3]))
    array([3., 0., 4.])
    """
    return _reduced(np.add, values, starts)


def largest(values: Floats, starts: Starts) -> Floats:
    """Return the largest of each row of values that are not negative, zero for an empty one.

    Examples
    --------
    >>> largest(np.array([1.0, 2.0, 4.0]), np.array([0, 2, 2, 3]))
    array([2., 0., 4.])
    """
    return _reduced(np.maximum, values, starts)


def _reduced(how: np.ufunc, values: Floats, starts: Starts) -> Floats:
    # reduceat would give an empty row the first value of the next one.
    filled = np.flatnonzero(np.diff(starts))
    found = np.zeros(len(starts) - 1)
    if len(filled):
        found[filled] = how.reduceat(values, starts[filled])
    return found


def _by_row(values: Floats, starts: Starts) -> Floats:
    return np.repeat(values, np.diff(starts))


def _log(tf: Floats) -> Floats:
    # Below one the tangent in the place of the logarithm, which would become negative.
    return np.where(tf < 1.0, tf, 1.0 + np.log(np.maximum(tf, 1.0)))


def _augmented(tf: Floats, starts: Starts) -> Floats:
    return 0.5 + 0.5 * _of_largest(tf, starts)


def _of_largest(tf: Floats, starts: Starts) -> Floats:
    return tf / _by_row(largest(tf, starts), starts)


def _log_average(tf: Floats, starts: Starts) -> Floats:
    mean = sums(tf, starts) / np.maximum(np.diff(starts), 1)
    return _log(tf) / _by_row(_log(mean), starts)


TF: dict[str, Callable[[Floats, Starts], Floats]] = {
    "n": lambda tf, starts: tf,
    "b": lambda tf, starts: np.ones_like(tf),
    "a": _augmented,
    "m": _of_largest,
    "l": lambda tf, starts: _log(tf),
    "L": _log_average,
    "d": lambda tf, starts: _log(_log(tf)),
    "s": lambda tf, starts: tf * tf,
}
"""The first letter: what a word weighs for occurring tf > 0 times in a document."""

IDF: dict[str, Callable[[Floats, float], Floats]] = {
    "n": lambda df, n: np.ones_like(df),
    "t": lambda df, n: np.log(n / df),
    "p": lambda df, n: np.log(np.maximum((n - df) / df, 1.0)),
    "s": lambda df, n: np.log(n / df) ** 2,
    "f": lambda df, n: 1.0 / df,
}
"""The second letter: what a word weighs for occurring in df > 0 of n documents."""

NORM: dict[str, Callable[[Floats, Starts], Floats]] = {
    "n": lambda weights, starts: np.ones(len(starts) - 1),
    "c": lambda weights, starts: np.sqrt(sums(weights * weights, starts)),
    "s": sums,
    "m": largest,
}
"""The third letter: what the weights of a document are divided by."""

_PLACES = (("first", [*TF]), ("second", [*IDF]), ("third", [*NORM]))


def expect_scheme(scheme: Any) -> str:
    """Refuse what is not three letters of SMART.

    Examples
    --------
    >>> expect_scheme("ltx")
    Traceback (most recent call last):
    ValueError: 'ltx' is no SMART scheme: its third letter must be one of n, c, s, m.
    """
    if not isinstance(scheme, str) or len(scheme) != 3:
        raise ValueError(f"a SMART scheme has three letters, as 'ltc' has, not {scheme!r:.40}.")
    for letter, (place, letters) in zip(scheme, _PLACES, strict=True):
        if letter not in letters:
            raise ValueError(
                f"{scheme!r} is no SMART scheme: its {place} letter must be one of "
                f"{', '.join(letters)}."
            )
    return scheme

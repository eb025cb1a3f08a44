"""What is to be tried: scores and models by name, and numbers of terms."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from numbers import Integral
from typing import Any


def named(given: Any, what: str) -> dict[str, Any]:
    """Return things by their names, or by what they are called where they are a list."""
    if isinstance(given, Mapping):
        named = {str(name): each for name, each in given.items()}
    else:
        listed = [given] if isinstance(given, str) else list(given)
        named = {_name(each, listed): each for each in listed}
        if len(named) < len(listed):
            raise ValueError(f"two of the {what} have one name: give a mapping of names to them.")
    if not named:
        raise ValueError(f"there is nothing to try: {what} is empty.")
    return named


def _name(each: Any, among: list[Any]) -> str:
    if isinstance(each, str):
        return each
    kinds = [type(other) for other in among]
    short = getattr(each, "__name__", type(each).__name__)
    return (
        str(short) if kinds.count(type(each)) == 1 or short != type(each).__name__ else repr(each)
    )


def sizes_of(sizes: Iterable[int] | None, n_terms: int) -> list[int]:
    """Return numbers of terms, ascending, none above all of them.

    Examples
    --------
    >>> sizes_of(None, 130), sizes_of([7, 500, 90], 130)
    ([10, 20, 50, 100, 130], [7, 90, 130])
    """
    if not n_terms:
        raise ValueError("there is no term to keep: documents are empty, or min_df is too high.")
    if sizes is None:
        powers = range(0 if n_terms <= 20 else 1, len(str(n_terms)))
        steps = {step * 10**power for power in powers for step in (1, 2, 5)}
        return sorted({min(size, n_terms) for size in steps} | {n_terms})
    wanted = list(sizes)
    for size in wanted:
        if not isinstance(size, Integral) or size < 1:
            raise ValueError(f"sizes must be whole numbers from 1 on, not {size!r}.")
    if not wanted:
        raise ValueError("there is nothing to try: sizes is empty.")
    return sorted({min(int(size), n_terms) for size in wanted})

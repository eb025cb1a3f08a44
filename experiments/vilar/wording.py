"""Sentences that follow from figures."""

from __future__ import annotations

from collections.abc import Mapping, Sequence


def changes(points: float, decimals: int = 1) -> str:
    """Say what is done to an error.

    Examples
    --------
    >>> changes(-1.78), changes(0.04, 2), changes(0.01)
    ('lowers it by 1.8 points', 'raises it by 0.04 points', 'leaves it as it is')
    """
    size = f"{abs(points):.{decimals}f}"
    if float(size) == 0.0:
        return "leaves it as it is"
    return f"{'lowers' if points < 0 else 'raises'} it by {size} points"


def listed(names: Sequence[str], nothing: str = "none") -> str:
    """Write names as a list in a sentence.

    Examples
    --------
    >>> listed(["a", "b", "c"]), listed(["a"]), listed([])
    ('a, b and c', 'a', 'none')
    """
    if not names:
        return nothing
    return " and ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)


def where(hold: Mapping[str, bool]) -> str:
    """Name those for which something is so, or say all or none.

    Examples
    --------
    >>> where({"a": True, "b": True}), where({"a": True, "b": False}), where({"a": False})
    ('all', 'a', 'none')
    """
    kept = [name for name, so in hold.items() if so]
    return "all" if len(kept) == len(hold) else listed(kept)


def between(values: Sequence[float], decimals: int = 2) -> str:
    """Write the smallest and the largest of some changes.

    Examples
    --------
    >>> between([0.5, -1.25, 0.0])
    '−1.25 to +0.50'
    """
    return " to ".join(signed(value, decimals) for value in (min(values), max(values)))


def signed(value: float, decimals: int = 2) -> str:
    """Write a number with its sign.

    Examples
    --------
    >>> signed(-0.25), signed(0.001)
    ('−0.25', '+0.00')
    """
    size = f"{abs(value):.{decimals}f}"
    return f"{'−' if value < 0 and float(size) else '+'}{size}"

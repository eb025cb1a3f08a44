"""Quantities as the page of scale writes them."""

from __future__ import annotations

_RAISED = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")
_SIZES = (("PB", 1e15), ("TB", 1e12), ("GB", 1e9), ("MB", 1e6), ("kB", 1e3))


def number(value: float) -> str:
    """Write a number with three digits, or more if it is large: 0.15, 14.6, 1,924."""
    decimals = 0 if value >= 99.95 else 1 if value >= 9.995 else 2
    return f"{value:,.{decimals}f}"


def size(n_bytes: float) -> str:
    """Write bytes in a unit that suits them: 414 GB, 1.57 TB."""
    for unit, worth in _SIZES:
        if n_bytes >= 0.9995 * worth:
            return f"{number(n_bytes / worth)} {unit}"
    return f"{n_bytes:.0f} bytes"


def span(seconds: float) -> str:
    """Write a time in minutes, or in hours if there are many of them."""
    minutes = seconds / 60
    return f"{number(minutes)} min" if minutes <= 120 else f"{number(minutes / 60)} h"


def power(exponent: int) -> str:
    """Write a power of ten: 10⁹."""
    return "10" + str(exponent).translate(_RAISED)


def rounded(value: float) -> str:
    """Write a number with two digits, as a multiple of a power of ten if it is large: 8.2·10⁷."""
    if value < 10_000:
        return f"{value:,.0f}"
    digits, _, raised = f"{value:.1e}".partition("e")
    tens = power(int(raised))
    return tens if digits == "1.0" else f"{digits}·{tens}"

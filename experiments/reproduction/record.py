"""Results as plain values: written as JSON, read with dots."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

_DIGITS = 7


class Record(dict[str, Any]):
    """A dictionary whose entries can be read as attributes, and so on inside.

    Examples
    --------
    >>> found = Record.of({"knn": {"ig": [0.8, 0.9]}})
    >>> found.knn.ig[-1]
    0.9
    """

    @classmethod
    def of(cls, value: Any) -> Any:
        """Make records of all dictionaries in a value."""
        if isinstance(value, Mapping):
            return cls({name: cls.of(inner) for name, inner in value.items()})
        return [cls.of(inner) for inner in value] if isinstance(value, list) else value

    def __getattribute__(self, name: str) -> Any:
        # Entries come before the methods of dictionaries: one may be called "values".
        return self[name] if dict.__contains__(self, name) else super().__getattribute__(name)

    def __getattr__(self, name: str) -> Any:
        raise AttributeError(f"there is {', '.join(self)}, but no {name}")


def plain(value: Any) -> Any:
    """Return a value as JSON has it; numbers with as many digits as anybody could want.

    Examples
    --------
    >>> plain({"error": np.float64(1 / 3), "sizes": np.array([1, 2])})
    {'error': 0.3333333, 'sizes': [1, 2]}
    """
    if isinstance(value, Mapping):
        return {str(name): plain(inner) for name, inner in value.items()}
    if isinstance(value, np.ndarray | np.generic):
        return plain(value.tolist())
    if isinstance(value, list | tuple):
        return [plain(inner) for inner in value]
    return float(f"{value:.{_DIGITS}g}") if isinstance(value, float) else value

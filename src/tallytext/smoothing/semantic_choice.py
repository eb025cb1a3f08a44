"""How much of semantic smoothing: what judges left-out documents best."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

WEIGHTS = [step / 10 for step in range(10)]
ALPHAS = [step / 10 for step in range(1, 10)]

Accuracies = Callable[[Sequence[Any]], list[float]]


def best_of(candidates: Sequence[Any], accuracies: Accuracies) -> Any | None:
    """Return the candidate of the highest accuracy, the first of equal ones.

    None if nothing was right under any of them, so that they say nothing.

    Examples
    --------
    >>> best_of([0.1, 0.2, 0.3], lambda candidates: [0.5, 0.7, 0.7])
    0.2
    """
    found = accuracies(candidates)
    highest = max(found)
    return candidates[found.index(highest)] if highest > 0 else None

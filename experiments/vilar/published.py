"""What the paper prints in its tables: what is tested here, and what is not to be had."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

from experiments.reproduction.expected import Expected

_EXPECTED = Path(__file__).with_name("expected.toml")


class Elsewhere(NamedTuple):
    """Lines of a corpus that is not to be had: Table 1, and the errors of Table 2."""

    described: tuple[int, int, int, float]  # documents, classes, words, mean length
    errors: tuple[float, float, float]  # none, Laplace, absolute discounting


ELSEWHERE = {
    "Industry Sector": Elsewhere((9637, 105, 59132, 118.4), (60.1, 26.7, 19.8)),
    "7 Sectors": Elsewhere((4572, 48, 36056, 101.8), (56.2, 21.4, 16.9)),
    "Job Category": Elsewhere((131643, 65, 77267, 67.5), (35.0, 31.2, 31.1)),
}
NOT_HERE = "not to be had"


@lru_cache(maxsize=1)
def _numbers() -> dict[str, float]:
    return {number.what: number.published for number in Expected.read(_EXPECTED).numbers}


def published(corpus: str, what: str) -> float | None:
    """Return a figure of Table 1 or 2 as ``expected.toml`` has it, if the paper has it.

    Examples
    --------
    >>> published("20 Newsgroups", "Laplace"), published("Debian sections", "Laplace")
    (15.3, None)
    """
    return _numbers().get(f"{corpus}, {what}")

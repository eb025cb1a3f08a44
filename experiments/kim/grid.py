"""What was found on Reuters for each weighting and α, computed once for all parts that ask."""

from __future__ import annotations

from functools import lru_cache

from experiments.kim.judging import Judged, judged, judged_by_oracle
from experiments.kim.jury import ALPHA, ALPHAS, Scores, poisson_scores, unigram_scores
from experiments.kim.published import STAR, UM, WEIGHTINGS
from experiments.kim.split import reuters
from experiments.kim.star import star_scores
from experiments.reproduction.workplace import Workplace


def alphas(work: Workplace) -> tuple[float, ...]:
    return (0.2, 0.8) if work.quick else ALPHAS


def row_scores(work: Workplace, row: str) -> Scores:
    """Return the scores of a row of Table 4."""
    if row == UM:
        return unigram_scores(work)
    return star_scores(work) if row == STAR else poisson_scores(work, WEIGHTINGS[row])


@lru_cache(maxsize=8)
def row_judged(work: Workplace, row: str) -> Judged:
    """Return the decisions of a row of Table 4, by thresholds of training documents."""
    return judged(reuters(work), row_scores(work, row))


def cell(work: Workplace, weighting: str | None, alpha: float = ALPHA) -> Judged:
    """Return the decisions of a weighting at an α."""
    return _cell(work, weighting, alpha)


@lru_cache(maxsize=64)
def _cell(work: Workplace, weighting: str | None, alpha: float) -> Judged:
    return judged(reuters(work), poisson_scores(work, weighting, alpha))


def oracle_cell(work: Workplace, weighting: str | None, alpha: float = ALPHA) -> Judged:
    """Return the same with thresholds of the oracle."""
    return _oracle_cell(work, weighting, alpha)


@lru_cache(maxsize=64)
def _oracle_cell(work: Workplace, weighting: str | None, alpha: float) -> Judged:
    return judged_by_oracle(reuters(work), poisson_scores(work, weighting, alpha))

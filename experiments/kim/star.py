"""PNB*: each class with its own weighting and α, chosen on training documents."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from experiments.kim.jury import ALPHAS, Scores
from experiments.kim.split import Split, reuters
from experiments.reproduction.workplace import Workplace
from tallytext import PoissonNB
from tallytext.models import choose_per_class

FOLDS, REPEATS = 5, 3


def chosen(work: Workplace, split: Split, repeats: int = 1, *, multi_label: bool = False) -> Any:
    """Choose for each class by out-of-fold F1, without a look at test documents."""
    model = PoissonNB(multi_label=multi_label)
    sides = split.train.counts, split.train.labels
    if work.quick:
        return choose_per_class(model, *sides, folds=2, alphas=(0.2, 0.8))
    return choose_per_class(model, *sides, folds=FOLDS, repeats=repeats, alphas=ALPHAS)


@lru_cache(maxsize=1)
def chosen_for_reuters(work: Workplace) -> Any:
    return chosen(work, reuters(work), REPEATS, multi_label=True)


def star_scores(work: Workplace) -> Scores:
    """Return z* of Reuters under the choices."""
    choice = chosen_for_reuters(work)
    return Scores(choice.scores, choice.model.z_star(reuters(work).test.counts))

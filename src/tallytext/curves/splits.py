"""Documents to learn from and documents to judge, each counted once."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import reduce
from operator import add
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tallytext.bayes.folds import fold_numbers
from tallytext.tally import Tally
from tallytext.targets import Targets


@dataclass(frozen=True)
class Documents:
    """Counts and labels."""

    X: Any
    targets: Targets

    def some(self, rows: NDArray[np.intp]) -> Documents:
        """Return some of them."""
        return Documents(self.X[rows], self.targets.some(rows))


@dataclass(frozen=True)
class Split:
    """Training documents, their tally, and the documents to judge."""

    train: Documents
    tally: Tally
    test: Documents


def folds_of(
    whole: Documents, n_folds: int, random_state: int, counted: Callable[[Documents], Tally]
) -> Iterator[Split]:
    """Yield a split for each fold; the tally of the others is that of all less that of the fold."""
    number = fold_numbers(whole.targets, n_folds, None, random_state)
    rows = [np.flatnonzero(number == fold) for fold in range(n_folds)]
    folds = [whole.some(each) for each in rows]
    tallies = [counted(fold) for fold in folds]
    total = reduce(add, tallies)
    for fold, tally, mine in zip(folds, tallies, rows, strict=True):
        others = np.setdiff1d(np.arange(len(number)), mine, assume_unique=True)
        yield Split(whole.some(others), total - tally, fold)

"""What may make scores other than they seem."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from tallytext.comparison.comparison import Comparison

_FEW_GROUPS = 10


def remarks_on(comparison: Comparison) -> list[str]:
    """Return sentences, none if there is nothing to say."""
    found = (
        comparison.near_duplicates.warning,
        _alone(comparison),
        _few_groups(comparison),
        _fewer_folds(comparison),
        _failed(comparison),
    )
    return [sentence for sentence in found if sentence]


def _alone(comparison: Comparison) -> str:
    """Say how many documents no learner could have got right."""
    if comparison.documents.several:
        return ""
    counts = Counter(comparison.documents.labels)
    alone = sum(1 for count in counts.values() if count == 1)
    if not alone:
        return ""
    few = "1 label is that" if alone == 1 else f"{alone:,} labels are those"
    return (
        f"{few} of a single document, which no model can learn before it is judged: "
        "it counts as a mistake of all learners."
    )


def _few_groups(comparison: Comparison) -> str:
    n = len(np.unique(comparison.splits.units))
    if comparison.splits.method != "groups" or n >= _FEW_GROUPS:
        return ""
    return (
        f"there are {n} groups only, so that intervals are wide: what a new group brings is open."
    )


def _fewer_folds(comparison: Comparison) -> str:
    """Name learners that look better than the best, as far as they were judged."""
    ahead = [
        each
        for each in comparison.contenders[1:]
        if each.difference is not None and each.difference.value > 0
    ]
    if not ahead:
        return ""
    names = " and ".join(each.name for each in ahead)
    return (
        f"{names} did better than {comparison.best.name} on the folds that there was time for: "
        "allow more time (--budget) to know."
    )


def _failed(comparison: Comparison) -> str:
    failed = [each.name for each in comparison.contenders if each.failure]
    return f"could not be judged on all folds: {', '.join(failed)}." if failed else ""

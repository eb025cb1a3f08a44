"""Scores of terms with their variants, and documents cut down to the best terms."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from experiments.yang_pedersen.corpora import Deal
from tallytext.features import score_terms, term_strength

Floats = NDArray[np.float64]
Score = Callable[[Deal], Floats]


def _of_tally(deal: Deal, method: Any, **options: Any) -> Floats:
    return score_terms(deal.tally, method, **options)


def _strength(deal: Deal, related: float) -> Floats:
    return term_strength(deal.train.counts, related)


def _variants(method: str, option: str, *values: str) -> dict[str, Score]:
    return {each: partial(_of_tally, method=method, **{option: each}) for each in values}


SCORES: Mapping[str, Mapping[str, Score]] = {
    "DF": {"": partial(_of_tally, method="df")},
    "IG": _variants("ig", "labels", "fractional", "pairs", "binary"),
    "CHI": _variants("chi", "average", "avg", "max"),
    "MI": _variants("mi", "average", "avg", "max"),
    "TS": {f"AREL {n}": partial(_strength, related=n) for n in (10, 15, 20)},
}
"""The five scores; of some there are variants, which the paper does not tell apart."""

PLAIN = {"DF": "", "IG": "fractional", "CHI": "max", "MI": "max", "TS": "AREL 15"}
"""The variants that are the defaults of the library."""


def plain_score(name: str) -> Score:
    return SCORES[name][PLAIN[name]]


@dataclass(frozen=True)
class Ranking:
    """The terms of training documents, best first.

    Attributes
    ----------
    found : ndarray
        The score of each column.
    order : ndarray
        The columns of terms that occur in training; of equals the one in more documents is first.
    """

    found: Floats
    order: NDArray[np.intp]

    @classmethod
    def of(cls, deal: Deal, score: Score) -> Ranking:
        found, there = score(deal), deal.frequencies > 0
        found = np.where(there, found, -np.inf)
        order = np.lexsort((-deal.frequencies, -found))
        return cls(found, order[there[order]])

    def n_kept(self, share: float) -> int:
        return max(1, round(share * len(self.order)))

    def cut(self, deal: Deal, share: float) -> Deal:
        """Return the documents with a share of the terms; none becomes empty."""
        kept = np.zeros(len(self.found), dtype=bool)
        kept[self.order[: self.n_kept(share)]] = True
        sides = [never_empty(side.counts, self.found, kept) for side in (deal.train, deal.test)]
        used = np.unique(sides[0].indices)
        return deal.with_counts(*(side[:, used] for side in sides))


def never_empty(counts: Any, found: Floats, kept: NDArray[np.bool_]) -> sparse.csr_array:
    """Return the counts of some terms; a document without any keeps those with its best score.

    The rule of the paper: apply the closest threshold that leaves the document something. Terms
    with a score of minus infinity did not occur in training, and are never kept.
    """
    rows = sparse.csr_array(counts)
    row = np.repeat(np.arange(rows.shape[0]), np.diff(rows.indptr))
    theirs, stays = found[rows.indices], kept[rows.indices]
    best = np.full(rows.shape[0], -np.inf)
    np.maximum.at(best, row, theirs)
    empty = np.bincount(row[stays], minlength=rows.shape[0]) == 0
    stays |= empty[row] & (theirs == best[row]) & (theirs > -np.inf)
    starts = np.append(0, np.cumsum(stays))[rows.indptr]
    return sparse.csr_array((rows.data[stays], rows.indices[stays], starts), shape=rows.shape)

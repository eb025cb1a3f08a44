"""Eleven-point average precision of kNN and LLSF."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from experiments.yang_pedersen.corpora import Deal
from tallytext import LLSF, CosineKNN
from tallytext.evaluation import average_precision_11

KS = (10, 20, 30, 45)
"""Numbers of neighbours to choose from; the paper does not say its own."""

K = 30


def precision_of(deal: Deal, decided: NDArray[np.float64], **options: Any) -> float:
    """Return the measure of the paper; a class that no training document had is never found."""
    nothing = np.full((len(decided), 1), -np.inf)
    return average_precision_11(np.hstack([decided, nothing]), deal.wanted, **options)


def neighbour_sums(
    deal: Deal, ks: Sequence[int], weighting: str = "ltc"
) -> list[NDArray[np.float64]]:
    """Return for each k the similarities of the nearest documents, summed for each class."""
    model = CosineKNN(max(ks), weighting, multi_label=True)
    model.fit(deal.train.counts, deal.train.labels)
    near = model.kneighbors(deal.test.counts)
    return [_summed(deal, near.similarities[:, :k], near.documents[:, :k]) for k in ks]


def _summed(deal: Deal, similarities: Any, documents: Any) -> NDArray[np.float64]:
    there = documents >= 0
    starts = np.append(0, np.cumsum(there.sum(axis=1)))
    shape = len(documents), len(deal.train)
    cells = sparse.csr_array((similarities[there], documents[there], starts), shape=shape)
    return (cells @ deal.learned).toarray()


def neighbour_precisions(
    deal: Deal, ks: Sequence[int] = KS, weighting: str = "ltc"
) -> NDArray[np.float64]:
    """Return the average precision of kNN for each k, with one search."""
    return np.array([precision_of(deal, sums) for sums in neighbour_sums(deal, ks, weighting)])


def neighbour_precision(deal: Deal, k: int = K, weighting: str = "ltc") -> float:
    return float(neighbour_precisions(deal, (k,), weighting)[0])


def fit_precision(deal: Deal, model: LLSF) -> float:
    """Return the average precision of a linear least squares fit."""
    model.fit(deal.train.counts, deal.train.labels)
    return precision_of(deal, model.decision_function(deal.test.counts))


def percent(share: float) -> str:
    """Write a share as results name it.

    Examples
    --------
    >>> percent(0.02), percent(0.005)
    ('2%', '0.5%')
    """
    return f"{100 * share:g}%"

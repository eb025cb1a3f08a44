"""The likelihood of tokens of normalised documents, each left out in its turn."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from experiments.vilar.corpora import Split

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Tokens:
    """An entry for each document and word of it.

    Attributes
    ----------
    counts, totals : ndarray
        N_cw of the word in the class of the document, and T_w.
    weights, shares : ndarray
        What a token of the document weighs, and all of the word in it.
    class_of : ndarray
        The class of the document.
    cells, cell_class : ndarray
        All N_cw > 0, and their classes.
    class_totals : ndarray
        T_c.
    """

    counts: Floats
    totals: Floats
    weights: Floats
    shares: Floats
    class_of: NDArray[Any]
    cells: Floats
    cell_class: NDArray[Any]
    class_totals: Floats

    @property
    def mean_weight(self) -> float:
        """What a token weighs on average."""
        return float(self.shares.sum() / (self.shares / self.weights).sum())

    @classmethod
    def of(cls, split: Split) -> Tokens:
        """Normalise documents to their mean length, and count them."""
        x, n_words = split.train.tocoo(), split.train.shape[1]
        lengths = np.asarray(split.train.sum(axis=1)).ravel()
        weights = (split.mean_length / np.maximum(lengths, 1))[x.row]
        shares = weights * x.data
        names, number = np.unique(split.labels, return_inverse=True)
        keys, at = np.unique(number[x.row] * n_words + x.col, return_inverse=True)
        cells = np.bincount(at, shares)
        return cls(
            counts=cells[at],
            totals=np.bincount(x.col, shares, n_words)[x.col],
            weights=weights,
            shares=shares,
            class_of=number[x.row],
            cells=cells,
            cell_class=keys // n_words,
            class_totals=np.bincount(keys // n_words, cells, len(names)),
        )

    def log_likelihood(self, b: float, unigram_left_out: bool = True) -> float:
        r"""Return the mean log-probability of a token, predicted from all others.

        .. math:: \sum_n a_n \sum_w x_{nw} \log\left[\frac{\max(0, N_{cw} - a_n - b)}{T_c - a_n}
                  + M^-\, \beta^-(w)\right] \Big/ \sum_n a_n x_{n+}
        """
        left, below = self.counts - self.weights, self.class_totals[self.class_of] - self.weights
        gone = self.weights if unigram_left_out else 0.0
        unigram = (self.totals - gone) / (self.class_totals.sum() - gone)
        taken = np.bincount(self.cell_class, np.minimum(self.cells, b), len(self.class_totals))
        freed = taken[self.class_of] - np.minimum(self.counts, b) + np.minimum(left, b)
        inside = np.maximum(left - b, 0.0) + freed * unigram
        kept = (unigram > 1e-12) & (below > 0) & (inside > 1e-12)
        logs = np.log(inside[kept] / below[kept])
        return float((self.shares[kept] * logs).sum() / self.shares[kept].sum())

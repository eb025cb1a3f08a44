"""A discount for fractional counts: leave out one token at a time, by what it weighs."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize_scalar

from tallytext.smoothing.base import Numbers

_GRID = 40


@dataclass(frozen=True)
class TokenDocuments:
    """Training documents, one entry per (document, word, label of the document).

    Attributes
    ----------
    tokens : ndarray
        :math:`x_{nw}`, how many tokens of the word the document has.
    weights : ndarray
        :math:`a_n`, what one of these tokens weighs in the counts.
    classes : ndarray of int
        The label.
    cells : ndarray of int
        Which of ``cell_counts`` the word has in that class.
    cell_counts, cell_classes : ndarray
        :math:`N_{cw}`, and the class of each.
    term_totals : ndarray
        :math:`T_w` of each entry's word.
    class_totals : ndarray of shape (n_classes,)
        :math:`T_c`.
    total, n_tokens : float
        :math:`T`, and how many tokens the documents have together.
    """

    tokens: Numbers
    weights: Numbers
    classes: NDArray[Any]
    cells: NDArray[Any]
    cell_counts: Numbers
    cell_classes: NDArray[Any]
    term_totals: Numbers
    class_totals: Numbers
    total: float
    n_tokens: float

    @cached_property
    def counts(self) -> Numbers:
        """:math:`N_{cw}` of each entry."""
        return self.cell_counts[self.cells]

    @cached_property
    def left_shares(self) -> Numbers:
        """The unigram of each entry's word without the token."""
        return np.maximum(self.term_totals - self.weights, 0.0) / (self.total - self.weights)

    @cached_property
    def kept(self) -> NDArray[np.bool_]:
        """Whether the word is known without the token."""
        return self.left_shares > 1e-9 / self.total

    def taken(self, b: float) -> Numbers:
        """Return the sum of min(N, b) over the words of each class."""
        cut = np.minimum(self.cell_counts, b)
        return np.bincount(self.cell_classes, cut, len(self.class_totals)).astype(np.float64)


def token_log_likelihood(documents: TokenDocuments, b: float) -> float:
    r"""Return the likelihood of all tokens, each predicted from all others.

    .. math:: F(b) = \sum_n a_n \sum_{w \in n} x_{nw} \log\left[
              \frac{\max(0, N_{cw} - a_n - b)}{T_c - a_n} + M^-\, \beta^-(w) \right]

    The token is taken out of its class, of the total and of the unigram.
    """
    counts, weights = documents.counts, documents.weights
    left, below = counts - weights, documents.class_totals[documents.classes] - weights
    taken = documents.taken(b)[documents.classes] - np.minimum(counts, b) + np.minimum(left, b)
    inside = np.maximum(left - b, 0.0) + taken * documents.left_shares
    good = documents.kept & (below > 0) & (inside > 0)
    logs = np.log(inside[good] / below[good])
    return float((weights[good] * documents.tokens[good] * logs).sum())


def token_leave_one_out_discount(documents: TokenDocuments) -> float:
    """Return the b that predicts left-out tokens best, below the mean weight of a token.

    The likelihood has kinks where a count equals b, so it is first looked at on a logarithmic grid.
    """
    mean = documents.total / documents.n_tokens
    grid = np.geomspace(0.01 * mean, 0.99 * mean, _GRID)
    values = np.array([token_log_likelihood(documents, b) for b in grid])
    best = int(np.argmax(values))
    around = grid[max(best - 1, 0)], grid[min(best + 1, _GRID - 1)]
    found = minimize_scalar(
        lambda b: -token_log_likelihood(documents, b),
        bounds=around,
        method="bounded",
        options={"xatol": 1e-5 * mean},
    )
    better = -found.fun > values[best] + 1e-12 * abs(values[best])
    return float(found.x if better else grid[best])

"""A discount for fractional counts: leave out one token at a time, by what it weighs."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tallytext.smoothing.base import Numbers, safe_ratio
from tallytext.smoothing.discount_search import searched_discount

NOTHING = 1e-5  # of what a token weighs: less is what rounding leaves


@dataclass(frozen=True)
class TokenDocuments:
    """Training documents, one entry per (document, word, label of the document).

    Attributes
    ----------
    documents : ndarray of int
        The number of the document.
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

    documents: NDArray[Any]
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

    @property
    def mean_weight(self) -> float:
        """What a token weighs on average; one where there is none."""
        return self.total / self.n_tokens if self.n_tokens else 1.0

    @cached_property
    def counts(self) -> Numbers:
        """:math:`N_{cw}` of each entry."""
        return self.cell_counts[self.cells]

    @cached_property
    def left_shares(self) -> Numbers:
        """The unigram of each entry's word without the token."""
        return safe_ratio(
            np.maximum(self.term_totals - self.weights, 0.0), self.total - self.weights, 0.0
        )

    @cached_property
    def kept(self) -> NDArray[np.bool_]:
        """Whether the word is known without the token.

        Fractions are rounded when they are counted, so that what is left of a word that was seen
        once is not quite nothing; of one that was seen again it is the weight of a token.
        """
        return self.left_shares * self.total > NOTHING * self.mean_weight

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


def token_leave_one_out_discount(documents: TokenDocuments, most: float = 0.99) -> float:
    """Return the b that predicts left-out tokens best, below ``most`` mean weights of a token."""
    return searched_discount(
        lambda b: token_log_likelihood(documents, b), documents.mean_weight, most
    )

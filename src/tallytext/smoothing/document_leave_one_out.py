"""A discount from documents left out one at a time."""

from __future__ import annotations

from typing import Any

import numpy as np

from tallytext.smoothing.base import Numbers, safe_ratio
from tallytext.smoothing.discount_search import searched_discount
from tallytext.smoothing.token_leave_one_out import NOTHING, TokenDocuments


def document_log_likelihood(documents: TokenDocuments, b: float) -> float:
    r"""Return the likelihood of all documents, each predicted from all others.

    .. math:: F(b) = \sum_n \sum_{w \in n} \tilde x_{nw} \log\left[
              \frac{\max(0, N_{cw} - \tilde x_{nw} - b)}{T_c - \tilde x_{n+}}
              + M^-\, \beta^-(w) \right]

    :math:`\tilde x` is what the document counts. It is taken out of its class, of the total and of
    the unigram. Documents that are alone in their class are left out of the sum, and so are words
    that no other document has.
    """
    inside = documents.tokens * documents.weights
    within, size, total = _sizes(documents, inside)
    counts, left = documents.counts, np.maximum(documents.counts - inside, 0.0)
    below = documents.class_totals[documents.classes] - size
    moved = np.bincount(within, np.minimum(counts, b) - np.minimum(left, b))[within]
    elsewhere = documents.term_totals - inside
    shares = safe_ratio(elsewhere, total, 0.0)
    kept = np.maximum(left - b, 0.0) + (documents.taken(b)[documents.classes] - moved) * shares
    good = (elsewhere > NOTHING * documents.mean_weight) & (kept > 0)
    good &= below > 1e-9 * documents.class_totals[documents.classes]
    return float((inside[good] * np.log(kept[good] / below[good])).sum())


def document_leave_one_out_discount(documents: TokenDocuments, most: float = 0.99) -> float:
    """Return the b that predicts left-out documents best, below ``most`` mean token weights."""
    return searched_discount(
        lambda b: document_log_likelihood(documents, b), documents.mean_weight, most
    )


def _sizes(documents: TokenDocuments, inside: Numbers) -> tuple[Any, Numbers, Numbers]:
    """Return the (document, class) of each entry, its size, and the total without the document."""
    pairs = documents.documents * len(documents.class_totals) + documents.classes
    _, within = np.unique(pairs, return_inverse=True)
    size = np.bincount(within, inside)[within].astype(np.float64)
    return within, size, documents.total - size

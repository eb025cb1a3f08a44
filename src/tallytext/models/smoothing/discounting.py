"""Absolute discounting: every seen word gives up the same amount."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import brentq, minimize_scalar

from tallytext._typing import FloatArray
from tallytext._validation import check_between
from tallytext.errors import RecipeError
from tallytext.models.smoothing.base import Classes, Corpus, Smoothing, Terms, safe_ratio, uniform

# ------------------------------------------------------------------------------------------------
# Which discount: from how many events were seen once, twice and more often.

_LEAST, _MOST = 0.01, 0.99


def closed_form_discount(counts_of_counts: Mapping[int, int]) -> float:
    r"""Return :math:`n_1 / (n_1 + 2 n_2)`, the upper bound of the leaving-one-out discount.

    Examples
    --------
    >>> round(closed_form_discount({1: 4, 2: 1, 3: 1}), 6)
    0.666667
    """
    once, twice = max(counts_of_counts.get(1, 0), 1), max(counts_of_counts.get(2, 0), 1)
    return float(np.clip(once / (once + 2 * twice), _LEAST, _MOST))


def leave_one_out_discount(counts_of_counts: Mapping[int, int]) -> float:
    r"""Return the b that maximises the likelihood of tokens left out one at a time.

    .. math:: F(b) = n_1 \log b + \sum_{r \ge 2} r\, n_r \log(r - 1 - b), \qquad 0 < b < 1

    F is concave; the result is the root of its derivative, kept between 0.01 and 0.99.

    Examples
    --------
    >>> round(leave_one_out_discount({1: 4, 2: 1, 3: 1}), 6)
    0.580889
    """
    once = max(counts_of_counts.get(1, 0), 1)
    more = {r: n for r, n in counts_of_counts.items() if r >= 2 and n > 0} or {2: 1}
    if 2 not in more:
        more[2] = 1
    r = np.array(list(more), dtype=np.float64)
    weight = r * np.array(list(more.values()), dtype=np.float64)

    def slope(b: float) -> float:
        return once / b - float((weight / (r - 1 - b)).sum())

    return float(np.clip(brentq(slope, 1e-12, 1 - 1e-12, xtol=1e-14), _LEAST, _MOST))


def interpolated_discount(once: float, events: Iterable[tuple[float, float]]) -> float:
    r"""Return the b that maximises the interpolated model's likelihood of left-out tokens.

    .. math:: F(b) = n_1 \log b + \sum_{r \ge 2} r \log(r - 1 - b (1 - q)), \qquad
              q_{cw} = K_c\, \beta(w)

    F is concave, its maximum never below that of :func:`leave_one_out_discount`, possibly above
    one, and infinite when every q is at least one. Not for choosing b on small data: the
    background still holds the token that is left out, so that ever more smoothing looks better.

    Parameters
    ----------
    once : float
        :math:`n_1`, how many events were seen once.
    events : iterable of (r, q)
        Each event that was seen r > 1 times, and its q.

    Examples
    --------
    >>> round(interpolated_discount(4, [(2, 0.0), (3, 0.0)]), 6)
    0.580889
    >>> round(interpolated_discount(4, [(2, 0.2), (3, 0.5)]), 6)
    0.776297
    """
    pairs = np.array(list(events), dtype=np.float64).reshape(-1, 2)
    r, pull = pairs[:, 0], 1 - pairs[:, 1]
    if not (pull > 0).any():
        return float("inf")
    most = float(((r - 1)[pull > 0] / pull[pull > 0]).min())

    def slope(b: float) -> float:
        return once / b - float((r * pull / (r - 1 - b * pull)).sum())

    return float(brentq(slope, 1e-12 * most, (1 - 1e-12) * most, xtol=1e-14))


# ------------------------------------------------------------------------------------------------
# The best discount by a likelihood that has kinks.

_GRID = 40


def searched_discount(
    log_likelihood: Callable[[float], float], mean: float, most: float = 0.99
) -> float:
    """Return the b between 0.01 and ``most`` times ``mean`` that a likelihood is largest at.

    The likelihood has kinks where a count equals b, so it is first looked at on a logarithmic grid.

    Examples
    --------
    >>> round(searched_discount(lambda b: -abs(b - 0.25), 1.0), 4)
    0.25
    """
    grid = np.geomspace(0.01 * mean, most * mean, _GRID)
    values = np.array([log_likelihood(b) for b in grid])
    best = int(np.argmax(values))
    around = grid[max(best - 1, 0)], grid[min(best + 1, _GRID - 1)]
    found = minimize_scalar(
        lambda b: -log_likelihood(b),
        bounds=around,
        method="bounded",
        options={"xatol": 1e-5 * mean},
    )
    better = -found.fun > values[best] + 1e-12 * abs(values[best])
    return float(found.x if better else grid[best])


# ------------------------------------------------------------------------------------------------
# A discount for fractional counts: leave out one token at a time, by what it weighs.

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
    tokens: FloatArray
    weights: FloatArray
    classes: NDArray[Any]
    cells: NDArray[Any]
    cell_counts: FloatArray
    cell_classes: NDArray[Any]
    term_totals: FloatArray
    class_totals: FloatArray
    total: float
    n_tokens: float

    @property
    def mean_weight(self) -> float:
        """What a token weighs on average; one where there is none."""
        return self.total / self.n_tokens if self.n_tokens else 1.0

    @cached_property
    def counts(self) -> FloatArray:
        """:math:`N_{cw}` of each entry."""
        return self.cell_counts[self.cells]

    @cached_property
    def left_shares(self) -> FloatArray:
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

    def taken(self, b: float) -> FloatArray:
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


# ------------------------------------------------------------------------------------------------
# A discount from documents left out one at a time.


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


def _sizes(documents: TokenDocuments, inside: FloatArray) -> tuple[Any, FloatArray, FloatArray]:
    """Return the (document, class) of each entry, its size, and the total without the document."""
    pairs = documents.documents * len(documents.class_totals) + documents.classes
    _, within = np.unique(pairs, return_inverse=True)
    size = np.bincount(within, inside)[within].astype(np.float64)
    return within, size, documents.total - size


_RULES = ("closed-form", "leave-one-out", "leave-one-document-out")
_CHOICES = {
    "background": ("unigram", "uniform"),
    "scheme": ("interpolate", "backoff"),
    "events": ("cells", "pooled"),
}


@dataclass(frozen=True)
class AbsoluteDiscount(Smoothing):
    r"""Take ``b`` from every count and share it out by a background (Vilar et al., eqs. 11-15).

    .. math:: p(w \mid c) = \frac{\max(0, N_{cw} - b)}{T_c} + M_c\, g(w), \qquad
              M_c = \frac{1}{T_c} \sum_w \min(N_{cw}, b)

    Under ``scheme="backoff"`` only the words with :math:`N_{cw} \le b` share the mass set free.

    Parameters
    ----------
    b : float or {"closed-form", "leave-one-out", "leave-one-document-out"}, default="closed-form"
        The discount. ``"closed-form"`` is :math:`n_1 / (n_1 + 2 n_2)`. ``"leave-one-out"`` is the
        exact maximum of the leaving-one-out likelihood: the root of its derivative for whole
        counts, a search over the training documents for fractional ones.
        ``"leave-one-document-out"`` leaves out whole documents and always needs them.
    background : {"unigram", "uniform"}, default="unigram"
        g: the share of the word in all documents, or 1/V.
    scheme : {"interpolate", "backoff"}, default="interpolate"
        Who shares in the mass set free: all words, or those not seen.
    events : {"cells", "pooled"}, default="cells"
        What n_r counts: pairs of word and class, or words whatever their class.
    literal : bool, default=False
        Use :math:`M_c = b\, |\{w : N_{cw} > b\}| / T_c` as printed, whose probabilities add up to
        less than one when a positive count is not above b.

    Examples
    --------
    >>> AbsoluteDiscount(0.5, scheme="backoff").scheme
    'backoff'
    """

    b: float | Literal["closed-form", "leave-one-out", "leave-one-document-out"] = "closed-form"
    background: Literal["unigram", "uniform"] = "unigram"
    scheme: Literal["interpolate", "backoff"] = "interpolate"
    events: Literal["cells", "pooled"] = "cells"
    literal: bool = False

    def __post_init__(self) -> None:
        if isinstance(self.b, str) and self.b not in _RULES:
            raise ValueError(f"b must be a number or one of {_RULES}, not {self.b!r}.")
        if not isinstance(self.b, str):
            check_between("b", self.b, 0.0, math.inf)
        for name, choices in _CHOICES.items():
            if getattr(self, name) not in choices:
                raise ValueError(f"{name} must be one of {choices}, not {getattr(self, name)!r}.")

    @property
    def local(self) -> bool:
        """Whether f / gamma of a class follows from its own counts alone."""
        return self.scheme == "interpolate"

    @property
    def exclusive(self) -> bool:
        """Whether seen words have no part in the background."""
        return self.scheme == "backoff"

    def seen(self, counts: FloatArray, classes: Classes) -> FloatArray:
        """Return f of counts."""
        kept = np.maximum(counts - self._discount, 0.0)
        if self.exclusive:
            # Nobody is left to give the mass to: the class keeps it.
            kept = np.where(self._left(classes) > 0, kept, counts)
        return safe_ratio(kept, classes.tokens, 0.0)

    def freed(self, classes: Classes) -> FloatArray:
        """Return gamma of each class."""
        mass = safe_ratio(self._taken(classes), classes.tokens, 1.0)
        return safe_ratio(mass, self._left(classes), 0.0) if self.exclusive else mass

    def spread(self, terms: Terms) -> FloatArray:
        """Return g of each word."""
        return uniform(terms) if self.background == "uniform" else super().spread(terms)

    def resolved(self, corpus: Corpus) -> AbsoluteDiscount:
        """Return the smoothing with a number for b.

        Raises
        ------
        RecipeError
            If b cannot be chosen from sums, as for fractional counts, and there are no documents.
        """
        return replace(self, b=self._chosen(corpus)) if isinstance(self.b, str) else self

    def _chosen(self, corpus: Corpus) -> float:
        by_document = self.b == "leave-one-document-out"
        if corpus.counts_of_counts is not None and not by_document:
            closed = self.b == "closed-form"
            events = corpus.counts_of_counts(self.events, closed)
            return closed_form_discount(events) if closed else leave_one_out_discount(events)
        if corpus.documents is None:
            raise RecipeError(
                f"b={self.b!r} cannot be found from {'sums' if by_document else 'fractional sums'} "
                "alone: it needs the training documents. Fit on them, or give b as a number."
            )
        choose = document_leave_one_out_discount if by_document else token_leave_one_out_discount
        return choose(corpus.documents())

    def _taken(self, classes: Classes) -> FloatArray:
        b = self._discount
        if self.literal:
            return classes.sum(lambda counts: np.where(counts > b, b, 0.0))
        if classes.whole and b <= 1:
            return b * classes.terms
        return classes.sum(lambda counts: np.minimum(counts, b))

    def _left(self, classes: Classes) -> FloatArray:
        b, uniform = self._discount, self.background == "uniform"
        shared = classes.sum(lambda counts: np.where(counts > b, 1.0, 0.0), occurrences=not uniform)
        left = 1.0 - safe_ratio(shared, classes.n_terms if uniform else classes.total, 0.0)
        return np.where(left > 1e-12, left, 0.0)

    @property
    def _discount(self) -> float:
        if isinstance(self.b, str):
            raise ValueError(f"b={self.b!r} is not a number yet: call resolved(corpus) first.")
        return self.b

"""Absolute discounting: take the same amount b from every count and give it to a background.

:class:`AbsoluteDiscount` is the smoothing. The functions below it choose b, from the numbers of
events seen once, twice and more often, or by leaving out tokens or documents.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tallytext._typing import FloatArray
from tallytext._validation import check_between
from tallytext.errors import RecipeError
from tallytext.models.smoothing.base import (
    ClassStatistics,
    CorpusStatistics,
    Smoothing,
    TermStatistics,
    safe_ratio,
    uniform_background,
)

if TYPE_CHECKING:
    from tallytext.models.class_counts import ClassCounts, Column
    from tallytext.models.leave_one_out import TrainingRows

_DISCOUNT_RULES = ("closed-form", "leave-one-out", "leave-one-document-out")
_OPTIONS = {
    "background": ("unigram", "uniform"),
    "scheme": ("interpolate", "backoff"),
    "events": ("cells", "pooled"),
}


@dataclass(frozen=True)
class AbsoluteDiscount(Smoothing):
    r"""Subtract ``b`` from every count, add the mass to a background (Vilar et al., eqs. 11-15).

    .. math:: p(w \mid c) = \frac{\max(0, N_{cw} - b)}{T_c} + M_c\, g(w), \qquad
              M_c = \frac{1}{T_c} \sum_w \min(N_{cw}, b)

    Under ``scheme="backoff"`` only words with :math:`N_{cw} \le b` get a share of :math:`M_c`.

    Parameters
    ----------
    b : float or {"closed-form", "leave-one-out", "leave-one-document-out"}, default="closed-form"
        The discount. ``"closed-form"`` is :math:`n_1 / (n_1 + 2 n_2)`. ``"leave-one-out"`` is the
        exact maximum of the leave-one-out likelihood: the root of its derivative for whole
        counts, a search over the training documents for fractional ones.
        ``"leave-one-document-out"`` leaves out whole documents and always needs them.
    background : {"unigram", "uniform"}, default="unigram"
        g: the share of the word in all documents, or 1/V.
    scheme : {"interpolate", "backoff"}, default="interpolate"
        The words that get the discounted mass: all words, or unseen words only.
    events : {"cells", "pooled"}, default="cells"
        The events that n_r counts: pairs of word and class, or words in any class.
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
        if isinstance(self.b, str) and self.b not in _DISCOUNT_RULES:
            raise ValueError(f"b must be a number or one of {_DISCOUNT_RULES}, not {self.b!r}.")
        if not isinstance(self.b, str):
            check_between("b", self.b, 0.0, math.inf)
        for name, choices in _OPTIONS.items():
            if getattr(self, name) not in choices:
                raise ValueError(f"{name} must be one of {choices}, not {getattr(self, name)!r}.")

    @property
    def local(self) -> bool:
        """True if f / gamma of a class depends on its own counts only."""
        return self.scheme == "interpolate"

    @property
    def exclusive(self) -> bool:
        """True if seen words get nothing from the background."""
        return self.scheme == "backoff"

    def seen_probability(self, counts: FloatArray, classes: ClassStatistics) -> FloatArray:
        """Return f of counts."""
        kept = np.maximum(counts - self._discount, 0.0)
        if self.scheme == "backoff":
            # Without unseen words there is nowhere to back off to: do not discount.
            kept = np.where(self._unseen_background(classes) > 0, kept, counts)
        return safe_ratio(kept, classes.tokens, 0.0)

    def backoff_mass(self, classes: ClassStatistics) -> FloatArray:
        r"""Return gamma of each class: :math:`M_c`, or its ratio to the unseen background."""
        b = self._discount
        if self.literal:
            taken = classes.sum(lambda counts: np.where(counts > b, b, 0.0))
        elif classes.whole and b <= 1:
            # Every whole count is at least b: no pass over all counts is needed.
            taken = b * classes.terms
        else:
            taken = classes.sum(lambda counts: np.minimum(counts, b))
        mass = safe_ratio(taken, classes.tokens, 1.0)
        if self.scheme == "interpolate":
            return mass
        return safe_ratio(mass, self._unseen_background(classes), 0.0)

    def background_weight(self, terms: TermStatistics) -> FloatArray:
        """Return g of each word."""
        if self.background == "uniform":
            return uniform_background(terms)
        return super().background_weight(terms)

    def choose_parameters(self, corpus: CorpusStatistics) -> AbsoluteDiscount:
        """Return the smoothing with a number for b.

        Raises
        ------
        RecipeError
            If b cannot be chosen from sums, as for fractional counts, and there are no documents.
        """
        if not isinstance(self.b, str):
            return self
        by_document = self.b == "leave-one-document-out"
        if corpus.counts_of_counts is not None and not by_document:
            # The closed form needs n_1 and n_2 only, which are faster to count than all n_r.
            closed = self.b == "closed-form"
            events = corpus.counts_of_counts(self.events, closed)
            choose_b = closed_form_discount if closed else leave_one_out_discount
            return replace(self, b=choose_b(events))
        if corpus.documents is None:
            sums = "sums" if by_document else "fractional sums"
            raise RecipeError(
                f"b={self.b!r} cannot be computed from {sums} alone: it needs the training "
                "documents. Fit on them, or give b as a number."
            )
        choose = document_leave_one_out_discount if by_document else token_leave_one_out_discount
        return replace(self, b=choose(corpus.documents()))

    def _unseen_background(self, classes: ClassStatistics) -> FloatArray:
        """Return the share of the background that words with a count of at most b have."""
        b, uniform = self._discount, self.background == "uniform"
        shared = classes.sum(lambda counts: np.where(counts > b, 1.0, 0.0), occurrences=not uniform)
        # A class with all words leaves a rounding error of nothing: dividing by it would explode.
        left = 1.0 - safe_ratio(shared, classes.n_terms if uniform else classes.total, 0.0)
        return np.where(left > 1e-12, left, 0.0)

    @property
    def _discount(self) -> float:
        if isinstance(self.b, str):
            raise ValueError(
                f"b={self.b!r} is not a number yet: call choose_parameters(corpus) first."
            )
        return self.b


_MIN_DISCOUNT, _MAX_DISCOUNT = 0.01, 0.99


def closed_form_discount(counts_of_counts: Mapping[int, int]) -> float:
    r"""Return :math:`n_1 / (n_1 + 2 n_2)`, an upper bound of the leave-one-out discount.

    Examples
    --------
    >>> round(closed_form_discount({1: 4, 2: 1, 3: 1}), 6)
    0.666667
    """
    # At least one of each: b of zero would give unseen words nothing, b of one no word would keep.
    once, twice = max(counts_of_counts.get(1, 0), 1), max(counts_of_counts.get(2, 0), 1)
    return float(np.clip(once / (once + 2 * twice), _MIN_DISCOUNT, _MAX_DISCOUNT))


def leave_one_out_discount(counts_of_counts: Mapping[int, int]) -> float:
    r"""Return the b that maximises the likelihood of tokens left out one at a time.

    .. math:: F(b) = n_1 \log b + \sum_{r \ge 2} r\, n_r \log(r - 1 - b), \qquad 0 < b < 1

    F is concave; the result is the root of its derivative, clipped to 0.01 ... 0.99.

    Examples
    --------
    >>> round(leave_one_out_discount({1: 4, 2: 1, 3: 1}), 6)
    0.580889
    """
    once = max(counts_of_counts.get(1, 0), 1)
    more = {r: n for r, n in counts_of_counts.items() if r >= 2 and n > 0} or {2: 1}
    # Without pairs F rises up to b = 1, where a word seen twice would get probability zero.
    if 2 not in more:
        more[2] = 1
    r = np.array(list(more), dtype=np.float64)
    weight = r * np.array(list(more.values()), dtype=np.float64)

    def slope(b: float) -> float:
        return once / b - float((weight / (r - 1 - b)).sum())

    # Imported where needed, since loading a model does not need it.
    from scipy.optimize import brentq

    return float(np.clip(brentq(slope, 1e-12, 1 - 1e-12, xtol=1e-14), _MIN_DISCOUNT, _MAX_DISCOUNT))


class DiscountBounds(NamedTuple):
    r"""Bounds of the leave-one-out discount (Vilar et al., eq. 14).

    .. math:: \frac{n_1}{n_1 + 2 n_2 + \sum_{r \ge 3} \frac{r}{r - 1} n_r} \le b \le
              \frac{n_1}{n_1 + 2 n_2}

    Attributes
    ----------
    lower, upper : float
        The bounds, which always hold.
    printed_lower : float
        The lower bound as printed, :math:`n_1 / (n_1 + 2 n_2 + \sum_{r \ge 3} n_r)`. It can exceed
        the discount if that is below one half.

    Examples
    --------
    >>> DiscountBounds.from_counts({1: 1, 2: 1, 3: 10}).printed_lower > leave_one_out_discount(
    ...     {1: 1, 2: 1, 3: 10}
    ... )
    True
    """

    lower: float
    upper: float
    printed_lower: float

    @classmethod
    def from_counts(cls, counts_of_counts: Mapping[int, int]) -> DiscountBounds:
        """Compute the bounds from the number of events seen r times.

        Parameters
        ----------
        counts_of_counts : mapping of int to int
            :math:`n_r` by r; at least one each is assumed of :math:`n_1` and :math:`n_2`.
        """
        once, twice = max(counts_of_counts.get(1, 0), 1), max(counts_of_counts.get(2, 0), 1)
        more = {r: n for r, n in counts_of_counts.items() if r > 2}
        below = once + 2 * twice
        return cls(
            once / (below + sum(n * r / (r - 1) for r, n in more.items())),
            once / below,
            once / (below + sum(more.values())),
        )


def interpolated_discount(once: float, events: Iterable[tuple[float, float]]) -> float:
    r"""Return the b that maximises the interpolated model's likelihood of left-out tokens.

    .. math:: F(b) = n_1 \log b + \sum_{r \ge 2} r \log(r - 1 - b (1 - q)), \qquad
              q_{cw} = K_c\, \beta(w)

    F is concave, its maximum never below that of :func:`leave_one_out_discount`, possibly above
    one, and infinite when every q is at least one. Do not choose b by it on small data: the
    background still contains the token that is left out, so more smoothing always looks better.

    Parameters
    ----------
    once : float
        :math:`n_1`, the number of events seen once.
    events : iterable of (r, q)
        The count r > 1 and the q of each event seen more than once.

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
    # F is minus infinity where the first of the logarithms reaches zero: the root is below that.
    most = float(((r - 1)[pull > 0] / pull[pull > 0]).min())

    def slope(b: float) -> float:
        return once / b - float((r * pull / (r - 1 - b * pull)).sum())

    from scipy.optimize import brentq

    return float(brentq(slope, 1e-12 * most, (1 - 1e-12) * most, xtol=1e-14))


_GRID_SIZE = 40


def search_discount(
    log_likelihood: Callable[[float], float], mean: float, most: float = 0.99
) -> float:
    """Return the b between 0.01 and ``most`` times ``mean`` that maximises a likelihood.

    The likelihood has kinks where a count equals b, so a logarithmic grid is searched first.

    Examples
    --------
    >>> round(search_discount(lambda b: -abs(b - 0.25), 1.0), 4)
    0.25
    """
    from scipy.optimize import minimize_scalar

    grid = np.geomspace(0.01 * mean, most * mean, _GRID_SIZE)
    values = np.array([log_likelihood(b) for b in grid])
    best = int(np.argmax(values))
    around = grid[max(best - 1, 0)], grid[min(best + 1, _GRID_SIZE - 1)]
    found = minimize_scalar(
        lambda b: -log_likelihood(b),
        bounds=around,
        method="bounded",
        options={"xatol": 1e-5 * mean},
    )
    # The bounded search assumes a smooth function; a kink may lead it away from the grid's best.
    better = -found.fun > values[best] + 1e-12 * abs(values[best])
    return float(found.x if better else grid[best])


_ROUNDING = 1e-5  # relative to the weight of a token: smaller counts are rounding errors


@dataclass(frozen=True)
class TokenDocuments:
    """Training documents, one entry per (document, word, label of the document).

    Attributes
    ----------
    documents : ndarray of int
        The row of the document.
    tokens : ndarray
        :math:`x_{nw}`, the number of tokens of the word in the document.
    weights : ndarray
        :math:`a_n`, the weight of one of these tokens in the counts.
    classes : ndarray of int
        The class of the label.
    cells : ndarray of int
        The index in ``cell_counts`` of the word in that class.
    cell_counts, cell_classes : ndarray
        :math:`N_{cw}`, and the class of each.
    term_totals : ndarray
        :math:`T_w` of each entry's word.
    class_totals : ndarray of shape (n_classes,)
        :math:`T_c`.
    total, n_tokens : float
        :math:`T`, and the number of tokens of all documents.
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

    @classmethod
    def from_training(
        cls,
        training: TrainingRows,
        column: Column,
        class_counts: ClassCounts,
        scale: float,
        unit: float,
    ) -> TokenDocuments:
        """Read the entries of training documents.

        Parameters
        ----------
        training : TrainingRows
            The documents in the units of the tally.
        column : Column
            The column of the tally that is counted.
        class_counts : ClassCounts
            Of all terms.
        scale : float
            Factor of all counts.
        unit : float
            The number of tokens of one count of a training document.
        """
        tokens = training.documents.values * unit
        weights = training.contributions(column) * scale / tokens
        entry, cells = training.cell_entries(), training.find_cells(class_counts)
        return cls(
            documents=training.documents.row[entry],
            tokens=tokens[entry],
            weights=weights[entry],
            classes=class_counts.classes[cells],
            cells=cells,
            cell_counts=class_counts.cells[0] * scale,
            cell_classes=class_counts.classes,
            term_totals=class_counts.term_totals[0, training.documents.terms[entry]] * scale,
            class_totals=class_counts.class_totals[0] * scale,
            total=float(class_counts.totals[0]) * scale,
            n_tokens=float(tokens.sum()),
        )

    @property
    def mean_weight(self) -> float:
        """Mean weight of a token; one if there is none."""
        return self.total / self.n_tokens if self.n_tokens else 1.0

    @cached_property
    def counts(self) -> FloatArray:
        """:math:`N_{cw}` of each entry."""
        return self.cell_counts[self.cells]

    @cached_property
    def unigram_without_token(self) -> FloatArray:
        """The unigram probability of each entry's word without the token."""
        return safe_ratio(
            np.maximum(self.term_totals - self.weights, 0.0), self.total - self.weights, 0.0
        )

    @cached_property
    def occurs_elsewhere(self) -> NDArray[np.bool_]:
        """True for a word that still occurs without the token."""
        # The tally rounds fractions, so the count of a word seen once does not fall to exactly
        # zero.
        return self.unigram_without_token * self.total > _ROUNDING * self.mean_weight

    def discounted_mass(self, b: float) -> FloatArray:
        """Return the sum of min(N, b) over the words of each class."""
        cut = np.minimum(self.cell_counts, b)
        return np.bincount(self.cell_classes, cut, len(self.class_totals)).astype(np.float64)


def token_log_likelihood(documents: TokenDocuments, b: float) -> float:
    r"""Return the log-likelihood of all tokens, each predicted from all others.

    .. math:: F(b) = \sum_n a_n \sum_{w \in n} x_{nw} \log\left[
              \frac{\max(0, N_{cw} - a_n - b)}{T_c - a_n} + M^-\, \beta^-(w) \right]

    The token is removed from its class, from the total and from the unigram.
    """
    counts, weights = documents.counts, documents.weights
    left, below = counts - weights, documents.class_totals[documents.classes] - weights
    taken = (
        documents.discounted_mass(b)[documents.classes]
        - np.minimum(counts, b)
        + np.minimum(left, b)
    )
    inside = np.maximum(left - b, 0.0) + taken * documents.unigram_without_token
    # A word that occurs nowhere else has probability zero for every b: it would only add -inf.
    good = documents.occurs_elsewhere & (below > 0) & (inside > 0)
    logs = np.log(inside[good] / below[good])
    return float((weights[good] * documents.tokens[good] * logs).sum())


def token_leave_one_out_discount(documents: TokenDocuments, most: float = 0.99) -> float:
    """Return the b that predicts left-out tokens best, at most ``most`` mean weights of a token."""
    return search_discount(
        lambda b: token_log_likelihood(documents, b), documents.mean_weight, most
    )


def document_log_likelihood(documents: TokenDocuments, b: float) -> float:
    r"""Return the log-likelihood of all documents, each predicted from all others.

    .. math:: F(b) = \sum_n \sum_{w \in n} \tilde x_{nw} \log\left[
              \frac{\max(0, N_{cw} - \tilde x_{nw} - b)}{T_c - \tilde x_{n+}}
              + M^-\, \beta^-(w) \right]

    :math:`\tilde x` are the weighted counts of the document. They are removed from its class, from
    the total and from the unigram. The sum skips documents that are alone in their class, and words
    that occur in no other document.
    """
    inside = documents.tokens * documents.weights
    within, size, total = _document_sizes(documents, inside)
    counts, left = documents.counts, np.maximum(documents.counts - inside, 0.0)
    below = documents.class_totals[documents.classes] - size
    moved = np.bincount(within, np.minimum(counts, b) - np.minimum(left, b))[within]
    elsewhere = documents.term_totals - inside
    shares = safe_ratio(elsewhere, total, 0.0)
    kept = (
        np.maximum(left - b, 0.0)
        + (documents.discounted_mass(b)[documents.classes] - moved) * shares
    )
    good = (elsewhere > _ROUNDING * documents.mean_weight) & (kept > 0)
    # Relative: without its only document a class of fractional counts has rounding errors left.
    good &= below > 1e-9 * documents.class_totals[documents.classes]
    return float((inside[good] * np.log(kept[good] / below[good])).sum())


def document_leave_one_out_discount(documents: TokenDocuments, most: float = 0.99) -> float:
    """Return the b that predicts left-out documents best, at most ``most`` mean token weights."""
    return search_discount(
        lambda b: document_log_likelihood(documents, b), documents.mean_weight, most
    )


def _document_sizes(
    documents: TokenDocuments, inside: FloatArray
) -> tuple[Any, FloatArray, FloatArray]:
    """Return the (document, class) of each entry, its size, and the total without the document."""
    # A multi-label document is left out of each of its classes separately.
    pairs = documents.documents * len(documents.class_totals) + documents.classes
    _, within = np.unique(pairs, return_inverse=True)
    size = np.bincount(within, inside)[within].astype(np.float64)
    return within, size, documents.total - size

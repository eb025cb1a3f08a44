"""Absolute discounting: every seen word gives up the same amount."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from tallytext.errors import RecipeError
from tallytext.smoothing.base import (
    Classes,
    Corpus,
    Numbers,
    Smoothing,
    Terms,
    expect_between,
    safe_ratio,
    uniform,
)
from tallytext.smoothing.discount_choice import closed_form_discount, leave_one_out_discount
from tallytext.smoothing.document_leave_one_out import document_leave_one_out_discount
from tallytext.smoothing.token_leave_one_out import token_leave_one_out_discount

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
            expect_between("b", self.b, 0.0, math.inf)
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

    def seen(self, counts: Numbers, classes: Classes) -> Numbers:
        """Return f of counts."""
        kept = np.maximum(counts - self._discount, 0.0)
        if self.exclusive:
            # Nobody is left to give the mass to: the class keeps it.
            kept = np.where(self._left(classes) > 0, kept, counts)
        return safe_ratio(kept, classes.tokens, 0.0)

    def freed(self, classes: Classes) -> Numbers:
        """Return gamma of each class."""
        mass = safe_ratio(self._taken(classes), classes.tokens, 1.0)
        return safe_ratio(mass, self._left(classes), 0.0) if self.exclusive else mass

    def spread(self, terms: Terms) -> Numbers:
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

    def _taken(self, classes: Classes) -> Numbers:
        b = self._discount
        if self.literal:
            return classes.sum(lambda counts: np.where(counts > b, b, 0.0))
        if classes.whole and b <= 1:
            return b * classes.terms
        return classes.sum(lambda counts: np.minimum(counts, b))

    def _left(self, classes: Classes) -> Numbers:
        b, uniform = self._discount, self.background == "uniform"
        shared = classes.sum(lambda counts: np.where(counts > b, 1.0, 0.0), occurrences=not uniform)
        left = 1.0 - safe_ratio(shared, classes.n_terms if uniform else classes.total, 0.0)
        return np.where(left > 1e-12, left, 0.0)

    @property
    def _discount(self) -> float:
        if isinstance(self.b, str):
            raise ValueError(f"b={self.b!r} is not a number yet: call resolved(corpus) first.")
        return self.b

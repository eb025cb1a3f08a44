"""Smoothing: how a class shares its probability with words that it has not shown."""

from tallytext.smoothing.background import Background
from tallytext.smoothing.base import Classes, Corpus, Smoothing, Terms, safe_ratio
from tallytext.smoothing.dirichlet import Dirichlet
from tallytext.smoothing.discount import AbsoluteDiscount
from tallytext.smoothing.laplace import Laplace
from tallytext.smoothing.semantic import Semantic
from tallytext.smoothing.translation import Translation
from tallytext.smoothing.unsmoothed import Unsmoothed

__all__ = [
    "AbsoluteDiscount",
    "Background",
    "Classes",
    "Corpus",
    "Dirichlet",
    "Laplace",
    "Semantic",
    "Smoothing",
    "Terms",
    "Translation",
    "Unsmoothed",
    "safe_ratio",
]

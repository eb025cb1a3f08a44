"""Classifiers on term counts, and the smoothing methods of naive Bayes."""

from typing import TYPE_CHECKING

from tallytext.runtime import lazy_exports

if TYPE_CHECKING:
    from tallytext.models.anchored_em import (
        Anchor,
        AnchoredEM,
        ClassWords,
        PoolPosteriors,
        Trust,
        document_weights,
        posterior_regression,
    )
    from tallytext.models.bernoulli import BernoulliNB
    from tallytext.models.calibrated import Calibrated
    from tallytext.models.cross_validation import cross_validate
    from tallytext.models.discriminant import LinearDiscriminant
    from tallytext.models.em import ExpectationMaximisation
    from tallytext.models.knn import CosineKNN, Neighbours
    from tallytext.models.llsf import LLSF
    from tallytext.models.multinomial import MultinomialNB
    from tallytext.models.poisson import PoissonNB, choose_per_class
    from tallytext.models.pool import DocumentPool, Topicality
    from tallytext.models.pooled import PooledNB
    from tallytext.models.refined import RefinedNB
    from tallytext.models.rotation import RotationForest
    from tallytext.models.smoothing.base import (
        Background,
        ClassStatistics,
        CorpusStatistics,
        Dirichlet,
        Laplace,
        Smoothing,
        TermStatistics,
        Unsmoothed,
        safe_ratio,
    )
    from tallytext.models.smoothing.discounting import AbsoluteDiscount, DiscountBounds
    from tallytext.models.smoothing.semantic import Semantic, Translation

__all__ = [
    "LLSF",
    "AbsoluteDiscount",
    "Anchor",
    "AnchoredEM",
    "Background",
    "BernoulliNB",
    "Calibrated",
    "ClassStatistics",
    "ClassWords",
    "CorpusStatistics",
    "CosineKNN",
    "Dirichlet",
    "DiscountBounds",
    "DocumentPool",
    "ExpectationMaximisation",
    "Laplace",
    "LinearDiscriminant",
    "MultinomialNB",
    "Neighbours",
    "PoissonNB",
    "PoolPosteriors",
    "PooledNB",
    "RefinedNB",
    "RotationForest",
    "Semantic",
    "Smoothing",
    "TermStatistics",
    "Topicality",
    "Translation",
    "Trust",
    "Unsmoothed",
    "choose_per_class",
    "cross_validate",
    "document_weights",
    "posterior_regression",
    "safe_ratio",
]

__getattr__, __dir__ = lazy_exports(
    __name__,
    {
        "anchored_em": [
            "Anchor",
            "AnchoredEM",
            "ClassWords",
            "PoolPosteriors",
            "Trust",
            "document_weights",
            "posterior_regression",
        ],
        "bernoulli": ["BernoulliNB"],
        "calibrated": ["Calibrated"],
        "cross_validation": ["cross_validate"],
        "discriminant": ["LinearDiscriminant"],
        "em": ["ExpectationMaximisation"],
        "knn": ["CosineKNN", "Neighbours"],
        "llsf": ["LLSF"],
        "multinomial": ["MultinomialNB"],
        "poisson": ["PoissonNB", "choose_per_class"],
        "pool": ["DocumentPool", "Topicality"],
        "pooled": ["PooledNB"],
        "refined": ["RefinedNB"],
        "rotation": ["RotationForest"],
        "smoothing.base": [
            "Background",
            "ClassStatistics",
            "CorpusStatistics",
            "Dirichlet",
            "Laplace",
            "Smoothing",
            "TermStatistics",
            "Unsmoothed",
            "safe_ratio",
        ],
        "smoothing.discounting": ["AbsoluteDiscount", "DiscountBounds"],
        "smoothing.semantic": ["Semantic", "Translation"],
    },
)

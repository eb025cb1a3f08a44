"""Classifiers on term counts, and the smoothing methods of naive Bayes."""

from typing import TYPE_CHECKING

from tallytext._lazy import lazy_exports

if TYPE_CHECKING:
    from tallytext.models.anchor import Anchor, Trust, document_weights, expected_regression
    from tallytext.models.anchored_em import AnchoredEM, ClassWords, Expected
    from tallytext.models.bernoulli import BernoulliNB
    from tallytext.models.calibrated import Calibrated
    from tallytext.models.cross_validation import cross_validate
    from tallytext.models.em import ExpectationMaximisation
    from tallytext.models.knn import CosineKNN, Neighbours
    from tallytext.models.llsf import LLSF
    from tallytext.models.multinomial import MultinomialNB
    from tallytext.models.poisson import PoissonNB
    from tallytext.models.poisson_choice import choose_per_class
    from tallytext.models.pool import Pool, Topicality
    from tallytext.models.pooled import PooledNB
    from tallytext.models.refined import RefinedNB
    from tallytext.models.rotation import RotationForest
    from tallytext.models.smoothing.base import Classes, Corpus, Smoothing, Terms, safe_ratio
    from tallytext.models.smoothing.closed_form import Background, Dirichlet, Laplace, Unsmoothed
    from tallytext.models.smoothing.discounting import AbsoluteDiscount
    from tallytext.models.smoothing.semantic import Semantic, Translation

__all__ = [
    "LLSF",
    "AbsoluteDiscount",
    "Anchor",
    "AnchoredEM",
    "Background",
    "BernoulliNB",
    "Calibrated",
    "ClassWords",
    "Classes",
    "Corpus",
    "CosineKNN",
    "Dirichlet",
    "ExpectationMaximisation",
    "Expected",
    "Laplace",
    "MultinomialNB",
    "Neighbours",
    "PoissonNB",
    "Pool",
    "PooledNB",
    "RefinedNB",
    "RotationForest",
    "Semantic",
    "Smoothing",
    "Terms",
    "Topicality",
    "Translation",
    "Trust",
    "Unsmoothed",
    "choose_per_class",
    "cross_validate",
    "document_weights",
    "expected_regression",
    "safe_ratio",
]

__getattr__, __dir__ = lazy_exports(
    __name__,
    {
        "anchor": ["Anchor", "Trust", "document_weights", "expected_regression"],
        "anchored_em": ["AnchoredEM", "ClassWords", "Expected"],
        "bernoulli": ["BernoulliNB"],
        "calibrated": ["Calibrated"],
        "cross_validation": ["cross_validate"],
        "em": ["ExpectationMaximisation"],
        "knn": ["CosineKNN", "Neighbours"],
        "llsf": ["LLSF"],
        "multinomial": ["MultinomialNB"],
        "poisson": ["PoissonNB"],
        "poisson_choice": ["choose_per_class"],
        "pool": ["Pool", "Topicality"],
        "pooled": ["PooledNB"],
        "refined": ["RefinedNB"],
        "rotation": ["RotationForest"],
        "smoothing.base": ["Classes", "Corpus", "Smoothing", "Terms", "safe_ratio"],
        "smoothing.closed_form": ["Background", "Dirichlet", "Laplace", "Unsmoothed"],
        "smoothing.discounting": ["AbsoluteDiscount"],
        "smoothing.semantic": ["Semantic", "Translation"],
    },
)

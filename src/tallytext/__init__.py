"""Text classification from exact, additive counts."""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tallytext.bayes import (
        BernoulliNB,
        ExpectationMaximisation,
        MultinomialNB,
        PoissonNB,
    )
    from tallytext.calibrated import Calibrated
    from tallytext.classifier import TextClassifier
    from tallytext.comparison import compare
    from tallytext.curves import vocabulary_curve
    from tallytext.fisher import FisherFeatures
    from tallytext.linear import LLSF, L1Selector, RefinedNB
    from tallytext.neighbours import CosineKNN
    from tallytext.planes import Plane
    from tallytext.rotation import RotationForest
    from tallytext.selection import TermSelector
    from tallytext.tally import Tally
    from tallytext.tuning import tune
    from tallytext.unlabelled import PooledNB
    from tallytext.vectorizer import TextVectorizer
    from tallytext.vocabulary import Vocabulary
    from tallytext.weighting import SmartWeighting

__all__ = [
    "LLSF",
    "BernoulliNB",
    "Calibrated",
    "CosineKNN",
    "ExpectationMaximisation",
    "FisherFeatures",
    "L1Selector",
    "MultinomialNB",
    "Plane",
    "PoissonNB",
    "PooledNB",
    "RefinedNB",
    "RotationForest",
    "SmartWeighting",
    "Tally",
    "TermSelector",
    "TextClassifier",
    "TextVectorizer",
    "Vocabulary",
    "compare",
    "tune",
    "vocabulary_curve",
]

# Imported when first asked for, so that "tally --help" does not wait for scikit-learn.
_HOMES = {
    "BernoulliNB": "tallytext.bayes",
    "Calibrated": "tallytext.calibrated",
    "CosineKNN": "tallytext.neighbours",
    "ExpectationMaximisation": "tallytext.bayes",
    "FisherFeatures": "tallytext.fisher",
    "L1Selector": "tallytext.linear",
    "LLSF": "tallytext.linear",
    "MultinomialNB": "tallytext.bayes",
    "Plane": "tallytext.planes",
    "PoissonNB": "tallytext.bayes",
    "PooledNB": "tallytext.unlabelled",
    "RefinedNB": "tallytext.linear",
    "RotationForest": "tallytext.rotation",
    "SmartWeighting": "tallytext.weighting",
    "Tally": "tallytext.tally",
    "TermSelector": "tallytext.selection",
    "TextClassifier": "tallytext.classifier",
    "TextVectorizer": "tallytext.vectorizer",
    "Vocabulary": "tallytext.vocabulary",
    "compare": "tallytext.comparison",
    "tune": "tallytext.tuning",
    "vocabulary_curve": "tallytext.curves",
}


def __getattr__(name: str) -> object:
    if name not in _HOMES:
        raise AttributeError(f"module 'tallytext' has no attribute {name!r}")
    return getattr(import_module(_HOMES[name]), name)


def __dir__() -> list[str]:
    return sorted({*__all__, *(name for name in globals() if name.startswith("__"))})

"""Text classification from exact, additive counts."""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tallytext.bayes import BernoulliNB, MultinomialNB, PoissonNB
    from tallytext.calibrated import Calibrated
    from tallytext.classifier import TextClassifier
    from tallytext.planes import Plane
    from tallytext.tally import Tally
    from tallytext.tuning import tune
    from tallytext.vectorizer import TextVectorizer
    from tallytext.vocabulary import Vocabulary

__all__ = [
    "BernoulliNB",
    "Calibrated",
    "MultinomialNB",
    "Plane",
    "PoissonNB",
    "Tally",
    "TextClassifier",
    "TextVectorizer",
    "Vocabulary",
    "tune",
]

# Imported when first asked for, so that "tally --help" does not wait for scikit-learn.
_HOMES = {
    "BernoulliNB": "tallytext.bayes",
    "Calibrated": "tallytext.calibrated",
    "MultinomialNB": "tallytext.bayes",
    "Plane": "tallytext.planes",
    "PoissonNB": "tallytext.bayes",
    "Tally": "tallytext.tally",
    "TextClassifier": "tallytext.classifier",
    "TextVectorizer": "tallytext.vectorizer",
    "Vocabulary": "tallytext.vocabulary",
    "tune": "tallytext.tuning",
}


def __getattr__(name: str) -> object:
    if name not in _HOMES:
        raise AttributeError(f"module 'tallytext' has no attribute {name!r}")
    return getattr(import_module(_HOMES[name]), name)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})

"""Text classification from exact, additive counts."""

from typing import TYPE_CHECKING

from tallytext.runtime import lazy_exports

if TYPE_CHECKING:
    from tallytext.classifier.classifier import TextClassifier
    from tallytext.comparison.comparison import compare
    from tallytext.features.fisher import FisherFeatures
    from tallytext.features.l1 import L1Selector
    from tallytext.features.selector import TermSelector
    from tallytext.features.tf_idf import SmartWeighting
    from tallytext.filtering import DocumentFilter
    from tallytext.models.bernoulli import BernoulliNB
    from tallytext.models.calibrated import Calibrated
    from tallytext.models.em import ExpectationMaximisation
    from tallytext.models.knn import CosineKNN
    from tallytext.models.llsf import LLSF
    from tallytext.models.multinomial import MultinomialNB
    from tallytext.models.poisson import PoissonNB
    from tallytext.models.pooled import PooledNB
    from tallytext.models.refined import RefinedNB
    from tallytext.models.rotation import RotationForest
    from tallytext.tally.planes import Plane
    from tallytext.tally.tally import Tally
    from tallytext.text.vectorizer import TextVectorizer
    from tallytext.text.vocabulary import Vocabulary
    from tallytext.tuning.curves import vocabulary_curve
    from tallytext.tuning.grid_search import tune

__all__ = [
    "LLSF",
    "BernoulliNB",
    "Calibrated",
    "CosineKNN",
    "DocumentFilter",
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


__getattr__, __dir__ = lazy_exports(
    __name__,
    {
        "classifier.classifier": ["TextClassifier"],
        "comparison.comparison": ["compare"],
        "features.fisher": ["FisherFeatures"],
        "features.l1": ["L1Selector"],
        "features.selector": ["TermSelector"],
        "features.tf_idf": ["SmartWeighting"],
        "filtering": ["DocumentFilter"],
        "models.bernoulli": ["BernoulliNB"],
        "models.calibrated": ["Calibrated"],
        "models.em": ["ExpectationMaximisation"],
        "models.knn": ["CosineKNN"],
        "models.llsf": ["LLSF"],
        "models.multinomial": ["MultinomialNB"],
        "models.poisson": ["PoissonNB"],
        "models.pooled": ["PooledNB"],
        "models.refined": ["RefinedNB"],
        "models.rotation": ["RotationForest"],
        "tally.planes": ["Plane"],
        "tally.tally": ["Tally"],
        "text.vectorizer": ["TextVectorizer"],
        "text.vocabulary": ["Vocabulary"],
        "tuning.curves": ["vocabulary_curve"],
        "tuning.grid_search": ["tune"],
    },
)

"""Text classification from exact, additive counts.

Packages export their names lazily, so that a light command does not import heavy modules.
"""

from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from sys import modules
from typing import TYPE_CHECKING

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


def lazy_exports(
    package: str, homes: Mapping[str, Sequence[str]]
) -> tuple[Callable[[str], object], Callable[[], list[str]]]:
    """Return the ``__getattr__`` and ``__dir__`` of a package that imports names on first use.

    Parameters
    ----------
    package : str
        ``__name__`` of the package.
    homes : mapping of str to sequence of str
        The public names defined in each module of the package.
    """
    home_of = {name: f"{package}.{home}" for home, names in homes.items() for name in names}

    def __getattr__(name: str) -> object:
        if name not in home_of:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        value = getattr(import_module(home_of[name]), name)
        # Importing a module binds its name in the package, and a function may have the same name.
        setattr(modules[package], name, value)
        return value

    def __dir__() -> list[str]:
        return sorted({*home_of, *vars(modules[package])})

    return __getattr__, __dir__


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

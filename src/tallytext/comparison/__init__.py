"""Comparison of learners on the same folds of a data set, with an HTML report."""

from typing import TYPE_CHECKING

from tallytext._lazy import lazy_exports

if TYPE_CHECKING:
    from tallytext.comparison.comparing import compare
    from tallytext.comparison.documents import Documents, NearDuplicates, Split, Splits
    from tallytext.comparison.learning_curve import LearningCurve
    from tallytext.comparison.result import Comparison, Contender, Difference
    from tallytext.comparison.suspects import Suspect

__all__ = [
    "Comparison",
    "Contender",
    "Difference",
    "Documents",
    "LearningCurve",
    "NearDuplicates",
    "Split",
    "Splits",
    "Suspect",
    "compare",
]

__getattr__, __dir__ = lazy_exports(
    __name__,
    {
        "comparing": ["compare"],
        "documents": ["Documents", "NearDuplicates", "Split", "Splits"],
        "learning_curve": ["LearningCurve"],
        "result": ["Comparison", "Contender", "Difference"],
        "suspects": ["Suspect"],
    },
)

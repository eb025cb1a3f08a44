"""Comparison of learners on the same folds of a data set, with an HTML report."""

from typing import TYPE_CHECKING

from tallytext.runtime import lazy_exports

if TYPE_CHECKING:
    from tallytext.comparison.comparison import Comparison, LearnerResult, compare
    from tallytext.comparison.documents import Documents, Splits
    from tallytext.comparison.learning_curve import LearningCurve
    from tallytext.comparison.near_duplicates import NearDuplicates
    from tallytext.comparison.outcomes import Difference
    from tallytext.comparison.suspects import Suspect

__all__ = [
    "Comparison",
    "Difference",
    "Documents",
    "LearnerResult",
    "LearningCurve",
    "NearDuplicates",
    "Splits",
    "Suspect",
    "compare",
]

__getattr__, __dir__ = lazy_exports(
    __name__,
    {
        "comparison": ["Comparison", "LearnerResult", "compare"],
        "documents": ["Documents", "Splits"],
        "near_duplicates": ["NearDuplicates"],
        "learning_curve": ["LearningCurve"],
        "outcomes": ["Difference"],
        "suspects": ["Suspect"],
    },
)

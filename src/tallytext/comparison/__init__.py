"""Every learner on somebody's own documents, by the same folds, and a report to look at."""

from tallytext.comparison.comparing import compare
from tallytext.comparison.comparison import Comparison
from tallytext.comparison.contender import Contender
from tallytext.comparison.documents import Documents
from tallytext.comparison.intervals import Difference
from tallytext.comparison.learning_curve import LearningCurve
from tallytext.comparison.near_duplicates import NearDuplicates
from tallytext.comparison.splits import Split, Splits
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

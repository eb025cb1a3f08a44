"""Every learner on somebody's own documents, by the same folds, and a report to look at."""

from tallytext.comparison.comparing import compare
from tallytext.comparison.comparison import Comparison
from tallytext.comparison.contender import Contender
from tallytext.comparison.intervals import Difference

__all__ = ["Comparison", "Contender", "Difference", "compare"]

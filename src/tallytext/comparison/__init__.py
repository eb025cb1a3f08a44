"""Every learner on somebody's own documents, by the same folds, and a report to look at."""

from tallytext.comparison.comparison import Comparison, compare
from tallytext.comparison.contender import Contender

__all__ = ["Comparison", "Contender", "compare"]

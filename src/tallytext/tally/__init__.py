"""THE statistic: exact, additive counts of terms in classes."""

from tallytext.tally.gathered import Costs, Dropped, GatheredTally, Origin
from tallytext.tally.tally import Tally

__all__ = ["Costs", "Dropped", "GatheredTally", "Origin", "Tally"]

"""THE statistic: exact, additive counts of terms in classes."""

from tallytext.tally.tally import Tally

__all__ = ["Tally"]

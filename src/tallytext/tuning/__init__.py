"""Settings chosen from training documents alone."""

from tallytext.tuning.search import Tuned, tune

__all__ = ["Tuned", "tune"]

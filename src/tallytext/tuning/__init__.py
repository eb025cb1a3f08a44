"""Settings chosen from training documents alone."""

from tallytext.tuning.tune import Tuned, tune

__all__ = ["Tuned", "tune"]

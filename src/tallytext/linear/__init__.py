"""Linear classifiers that look at whole documents, and not at sums of them alone."""

from tallytext.linear.refined import RefinedNB

__all__ = ["RefinedNB"]

"""Linear models that look at whole documents, and not at sums of them alone."""

from tallytext.linear.l1 import L1Selector
from tallytext.linear.llsf import LLSF
from tallytext.linear.refined import RefinedNB

__all__ = ["LLSF", "L1Selector", "RefinedNB"]

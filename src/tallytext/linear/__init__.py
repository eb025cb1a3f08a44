"""Linear models that look at whole documents, and not at sums of them alone."""

from typing import TYPE_CHECKING

from tallytext.linear.llsf import LLSF
from tallytext.linear.refined import RefinedNB

if TYPE_CHECKING:
    from tallytext.linear.l1 import L1Selector

__all__ = ["LLSF", "L1Selector", "RefinedNB"]


def __getattr__(name: str) -> object:
    # Brings scikit-learn's linear models along, which no other needs.
    if name == "L1Selector":
        from tallytext.linear.l1 import L1Selector

        return L1Selector
    raise AttributeError(f"module 'tallytext.linear' has no attribute {name!r}")

"""Which terms tell classes apart: scores of terms, and the best of them."""

from tallytext.selection.best import selected, top_terms
from tallytext.selection.scores import scores

__all__ = ["scores", "selected", "top_terms"]

"""Which terms tell classes apart: scores of terms, and the best of them."""

from tallytext.selection.best import selected, top_terms
from tallytext.selection.scores import scores
from tallytext.selection.selected_tally import SelectedTally
from tallytext.selection.selector import TermSelector

__all__ = ["SelectedTally", "TermSelector", "scores", "selected", "top_terms"]

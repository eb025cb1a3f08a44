"""Which terms tell classes apart: scores of terms, and the best of them."""

from tallytext.selection.best import selected, top_terms
from tallytext.selection.scores import scores
from tallytext.selection.selected_tally import SelectedTally
from tallytext.selection.selector import TermSelector
from tallytext.selection.strength import (
    RelatedPairs,
    related_pairs,
    strength_of_pairs,
    term_strength,
)

__all__ = [
    "RelatedPairs",
    "SelectedTally",
    "TermSelector",
    "related_pairs",
    "scores",
    "selected",
    "strength_of_pairs",
    "term_strength",
    "top_terms",
]

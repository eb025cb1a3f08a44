"""Feature selection and weighting: term scores, selectors, SMART weights, Fisher features."""

from typing import TYPE_CHECKING

from tallytext._lazy import lazy_exports

if TYPE_CHECKING:
    from tallytext.features.fisher import Fisher, FisherFeatures, fisher_directions
    from tallytext.features.l1 import L1Selector
    from tallytext.features.selected_tally import SelectedTally
    from tallytext.features.selector import TermSelector, selected, top_terms
    from tallytext.features.smart import SmartWeighting, document_frequencies, smart_weights
    from tallytext.features.strength import (
        RelatedPairs,
        related_pairs,
        strength_of_pairs,
        term_strength,
    )
    from tallytext.features.term_scores import scores

__all__ = [
    "Fisher",
    "FisherFeatures",
    "L1Selector",
    "RelatedPairs",
    "SelectedTally",
    "SmartWeighting",
    "TermSelector",
    "document_frequencies",
    "fisher_directions",
    "related_pairs",
    "scores",
    "selected",
    "smart_weights",
    "strength_of_pairs",
    "term_strength",
    "top_terms",
]

__getattr__, __dir__ = lazy_exports(
    __name__,
    {
        "fisher": ["Fisher", "FisherFeatures", "fisher_directions"],
        "l1": ["L1Selector"],
        "selected_tally": ["SelectedTally"],
        "selector": ["TermSelector", "selected", "top_terms"],
        "smart": ["SmartWeighting", "document_frequencies", "smart_weights"],
        "strength": ["RelatedPairs", "related_pairs", "strength_of_pairs", "term_strength"],
        "term_scores": ["scores"],
    },
)

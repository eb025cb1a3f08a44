"""Feature selection and weighting of terms.

- :mod:`~tallytext.features.term_scores`: chi-square, information gain and other scores of terms;
- :mod:`~tallytext.features.selector`: ``TermSelector``, selection of terms by a score;
- :mod:`~tallytext.features.selected_tally`: a tally of selected terms that can learn and forget;
- :mod:`~tallytext.features.l1`: ``L1Selector``, selection by an L1-penalised linear model;
- :mod:`~tallytext.features.strength`: term strength;
- :mod:`~tallytext.features.tf_idf`: SMART weights: tf, idf and normalisation;
- :mod:`~tallytext.features.svd`: truncated singular value decomposition of sparse matrices;
- :mod:`~tallytext.features.fisher`: Fisher's discriminant as features of documents.
"""

from typing import TYPE_CHECKING

from tallytext.runtime import lazy_exports

if TYPE_CHECKING:
    from tallytext.features.fisher import FisherDirections, FisherFeatures, fisher_directions
    from tallytext.features.l1 import L1Selector
    from tallytext.features.selected_tally import SelectedTally
    from tallytext.features.selector import TermSelector, select_terms, top_terms
    from tallytext.features.strength import (
        RelatedPairs,
        related_pairs,
        term_strength,
        term_strength_from_pairs,
    )
    from tallytext.features.term_scores import score_terms
    from tallytext.features.tf_idf import SmartWeighting, document_frequencies, smart_weights

__all__ = [
    "FisherDirections",
    "FisherFeatures",
    "L1Selector",
    "RelatedPairs",
    "SelectedTally",
    "SmartWeighting",
    "TermSelector",
    "document_frequencies",
    "fisher_directions",
    "related_pairs",
    "score_terms",
    "select_terms",
    "smart_weights",
    "term_strength",
    "term_strength_from_pairs",
    "top_terms",
]

__getattr__, __dir__ = lazy_exports(
    __name__,
    {
        "fisher": ["FisherDirections", "FisherFeatures", "fisher_directions"],
        "l1": ["L1Selector"],
        "selected_tally": ["SelectedTally"],
        "selector": ["TermSelector", "select_terms", "top_terms"],
        "tf_idf": ["SmartWeighting", "document_frequencies", "smart_weights"],
        "strength": ["RelatedPairs", "related_pairs", "term_strength_from_pairs", "term_strength"],
        "term_scores": ["score_terms"],
    },
)

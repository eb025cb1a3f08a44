"""Topic signatures for semantic smoothing: phrases, concepts and translation models."""

from typing import TYPE_CHECKING

from tallytext.runtime import lazy_exports

if TYPE_CHECKING:
    from tallytext.semantic.association import gensim_score, log_likelihood, npmi, pmi
    from tallytext.semantic.concepts import Concepts
    from tallytext.semantic.phrases import Phrases, function_words
    from tallytext.semantic.translation import TranslationModel

__all__ = [
    "Concepts",
    "Phrases",
    "TranslationModel",
    "function_words",
    "gensim_score",
    "log_likelihood",
    "npmi",
    "pmi",
]

__getattr__, __dir__ = lazy_exports(
    __name__,
    {
        "association": ["gensim_score", "log_likelihood", "npmi", "pmi"],
        "concepts": ["Concepts"],
        "phrases": ["Phrases", "function_words"],
        "translation": ["TranslationModel"],
    },
)

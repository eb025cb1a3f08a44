"""Topic signatures: phrases and words, and what other words they bring with them."""

from tallytext.semantic.concepts import Concepts
from tallytext.semantic.function_words import function_words
from tallytext.semantic.phrases import Phrases
from tallytext.semantic.translation import TranslationModel

__all__ = ["Concepts", "Phrases", "TranslationModel", "function_words"]

"""Topic signatures: phrases and words, and what other words they bring with them."""

from tallytext.semantic.concepts import Concepts
from tallytext.semantic.function_words import function_words
from tallytext.semantic.phrases import Phrases

__all__ = ["Concepts", "Phrases", "function_words"]

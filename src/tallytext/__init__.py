"""Text classification from exact, additive counts."""

from tallytext.vocabulary import Vocabulary

__all__ = ["Vocabulary"]

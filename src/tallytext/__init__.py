"""Text classification from exact, additive counts."""

from tallytext.vectorizer import TextVectorizer
from tallytext.vocabulary import Vocabulary

__all__ = ["TextVectorizer", "Vocabulary"]

"""Text analysis and counting: from documents to sparse rows of term counts."""

from typing import TYPE_CHECKING

from tallytext.runtime import lazy_exports

if TYPE_CHECKING:
    from tallytext.text.duplicates import Conflict, ConflictingLabels, Duplicates
    from tallytext.text.vectorizer import TextVectorizer
    from tallytext.text.vocabulary import Vocabulary

__all__ = [
    "Conflict",
    "ConflictingLabels",
    "Duplicates",
    "TextVectorizer",
    "Vocabulary",
]

__getattr__, __dir__ = lazy_exports(
    __name__,
    {
        "duplicates": ["Conflict", "ConflictingLabels", "Duplicates"],
        "vectorizer": ["TextVectorizer"],
        "vocabulary": ["Vocabulary"],
    },
)

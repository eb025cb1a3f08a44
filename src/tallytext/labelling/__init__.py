"""Interactive labelling of documents with a model in the loop."""

from typing import TYPE_CHECKING

from tallytext._lazy import lazy_exports

if TYPE_CHECKING:
    from tallytext.labelling.journal import Answer, Journal
    from tallytext.labelling.session import Accuracy, Guess, Question, Session, Standing

__all__ = [
    "Accuracy",
    "Answer",
    "Guess",
    "Journal",
    "Question",
    "Session",
    "Standing",
]

__getattr__, __dir__ = lazy_exports(
    __name__,
    {
        "journal": ["Answer", "Journal"],
        "session": ["Accuracy", "Guess", "Question", "Session", "Standing"],
    },
)

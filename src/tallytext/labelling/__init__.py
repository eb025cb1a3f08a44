"""Labelling documents with the model in the loop."""

from tallytext.labelling.journal import Answer, Journal
from tallytext.labelling.session import Accuracy, Guess, Question, Session
from tallytext.labelling.standing import Standing

__all__ = [
    "Accuracy",
    "Answer",
    "Guess",
    "Journal",
    "Question",
    "Session",
    "Standing",
]

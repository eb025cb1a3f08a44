"""Labelling documents with the model in the loop."""

from tallytext.labelling.journal import Answer, Journal

__all__ = ["Answer", "Journal"]

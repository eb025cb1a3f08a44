"""Texts with labels to try things on."""

from tallytext.datasets.docstrings import load_docstrings

__all__ = ["load_docstrings"]

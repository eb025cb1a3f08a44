"""Docstrings of commands as help."""

from __future__ import annotations

from inspect import cleandoc


def flowing(docstring: str) -> str:
    r"""Return a docstring whose paragraphs fill the width of the terminal, whatever that is.

    A paragraph after a line with ``\b`` keeps its lines.

    Examples
    --------
    >>> flowing("Two\nlines.\n\n\b\nfirst\nsecond")
    'Two lines.\n\n\x08\nfirst\nsecond'
    """
    paragraphs = cleandoc(docstring).split("\n\n")
    return "\n\n".join(
        text if text.startswith("\b") else " ".join(text.split("\n")) for text in paragraphs
    )

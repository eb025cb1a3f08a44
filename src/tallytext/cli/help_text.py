"""Docstrings of commands as help."""

from __future__ import annotations

from inspect import cleandoc


def flowing(docstring: str) -> str:
    r"""Return a docstring whose paragraphs fill the width of the terminal, whatever that is.

    A paragraph after a line with ``\b`` holds examples, a command on each line.

    Examples
    --------
    >>> print(flowing("Two\nlines.\n\n\b\nfirst\nsecond"))
    Two lines.
    <BLANKLINE>
    Examples:
    $ first
    $ second
    """
    paragraphs = cleandoc(docstring).split("\n\n")
    return "\n\n".join(
        "\n".join(["Examples:", *(f"$ {line}" for line in examples_in(text))])
        if text.startswith("\b")
        else " ".join(text.split("\n"))
        for text in paragraphs
    )


def examples_in(docstring: str) -> list[str]:
    r"""Return the commands that a docstring shows.

    Examples
    --------
    >>> examples_in("Learn.\n\n\b\ntally learn a.csv\ntally learn b.csv")
    ['tally learn a.csv', 'tally learn b.csv']
    """
    _, _, examples = cleandoc(docstring).partition("\b\n")
    return examples.split("\n\n")[0].splitlines()

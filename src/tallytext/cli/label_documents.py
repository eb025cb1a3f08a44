"""Documents to be labelled, and the labels that some of them have."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Any

from tallytext.cli.documents import Documents
from tallytext.cli.options import Reading
from tallytext.errors import InputError


def labelled_texts(
    sources: Sequence[str], reading: Reading, column: str | None, quiet: bool
) -> tuple[list[str], dict[int, str]]:
    """Return all documents, and by number the labels of those that have one.

    Parameters
    ----------
    sources : sequence of str
    reading : Reading
        How they are read; without labels.
    column : str or None
        The column of labels, which may be empty.
    quiet : bool
        Whether to say nothing but warnings.
    """
    texts: list[str] = []
    given: dict[int, str] = {}
    for batch in Documents(sources, reading, quiet, also=() if column is None else (column,)):
        if column is not None:
            given |= _given(batch.also[column], len(texts))
        texts += batch.strings
    return texts, given


def _given(values: Sequence[Any], first: int) -> dict[int, str]:
    return {row: label for row, label in _labels(values, first) if label is not None}


def _labels(values: Sequence[Any], first: int) -> Iterator[tuple[int, str | None]]:
    for row, value in enumerate(values, first):
        try:
            yield row, label_in(value)
        except ValueError:
            raise InputError(
                f"document {row} has no single label but {value!r:.60}: tally label is for "
                "documents with one label each."
            ) from None


def label_in(value: Any) -> str | None:
    """Return the label that a value stands for; None for none.

    Examples
    --------
    >>> label_in(" spam "), label_in(""), label_in(None), label_in(float("nan"))
    ('spam', None, None, None)
    >>> label_in(3), label_in(3.0), label_in(0.1), label_in(["spam"])
    ('3', '3', '0.1', 'spam')
    """
    if isinstance(value, list):
        if len(value) > 1:
            raise ValueError
        return label_in(value[0]) if value else None
    if isinstance(value, float):
        return None if math.isnan(value) else _shortest(value)
    if isinstance(value, str | int):
        return str(value).strip() or None
    if value is None:
        return None
    raise ValueError


def _shortest(number: float) -> str:
    """Return the least digits that mean this number and no other."""
    return str(int(number)) if number.is_integer() else repr(float(number))

"""Which columns of a source are wanted, and what may stand in them."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from tallytext.errors import FileError, InputError, did_you_mean

#: Is told the place of a row that cannot be read, and why; raises, or lets the reader go on.
Report: TypeAlias = Callable[[str, str], None]

#: Said of a row whose label is missing.
UNKNOWN = (
    "Texts whose label is not known go into a file of their own, for train --unlabelled (which "
    "has no --engine)"
)

_SHOWN = 30

# What columns of documents and of labels are often called.
_USUAL = {
    "text": {"text", "body", "content", "message", "document", "review", "comment", "description"},
    "label": {"label", "labels", "category", "class", "folder", "target", "topic", "tag", "tags"},
}


class UnreadableRow(Exception):
    """Why one row cannot be read; never leaves the readers."""


@dataclass(frozen=True)
class Columns:
    """The names of the columns to read.

    Parameters
    ----------
    text : str
        The column of the documents.
    label : str or None
        The column of their labels, if they are wanted.
    also : tuple of str
        Further columns.
    separator : str or None
        What stands between the labels of a document in a string of them.

    Examples
    --------
    >>> columns = Columns("body", "folder", separator=";")
    >>> columns.names
    ('body', 'folder')
    >>> columns.label_in("work; urgent"), columns.label_in("")
    (['work', 'urgent'], [])
    """

    text: str
    label: str | None
    also: tuple[str, ...] = ()
    separator: str | None = None

    def __post_init__(self) -> None:
        for name in self.names:
            if not isinstance(name, str):
                raise InputError(f"columns go by names that are strings, not by {name!r}: rename.")

    @property
    def names(self) -> tuple[str, ...]:
        """All of them: text, label if wanted, and the others."""
        return (self.text, *(() if self.label is None else (self.label,)), *self.also)

    def find(self, header: Sequence[str], source: str) -> list[int]:
        """Return where each of the names stands in a header."""
        for name in self.names:
            if name not in header:
                raise FileError(f"{source} has no column {name!r}. {offered(name, header)}")
            if header.count(name) > 1:
                raise FileError(f"{source} has {header.count(name)} columns {name!r}.")
        return [header.index(name) for name in self.names]

    def label_in(self, value: Any) -> Any:
        """Return the label, or the list of labels, that a value stands for."""
        if self.separator is not None and isinstance(value, str):
            return [part for text in value.split(self.separator) if (part := text.strip())]
        if type(value) is str:
            return value
        if isinstance(value, list):
            return [_checked(label) for label in value]
        return _checked(value)


def offered(name: str, known: Sequence[str]) -> str:
    """Return a sentence with the names there are, and the nearest to the one that was wanted.

    Examples
    --------
    >>> offered("boddy", ["body", "folder"])
    "It has: body, folder. Did you mean 'body'?"
    >>> offered("label", ["body", "kind"])
    "It has: body, kind. Did you mean 'kind' (--label kind)?"
    """
    more = f" and {len(known) - _SHOWN} more" if len(known) > _SHOWN else ""
    names = [str(each) for each in known]  # those of a table without a header are numbers
    return f"It has: {', '.join(names[:_SHOWN])}{more}.{_hint(name, names)}"


def _hint(name: str, known: Sequence[str]) -> str:
    """Return which columns may be meant by a name, which is often one that nobody has chosen."""
    if nearest := did_you_mean(name, known):
        return nearest
    likely = _likely(name, known)
    if len(likely) == 1:
        return f" Did you mean {likely[0]!r} (--{name} {likely[0]})?"
    return f" Say with --{name} which of them to read." if name in _USUAL else ""


def _likely(name: str, known: Sequence[str]) -> list[str]:
    """Return the columns with a usual name, or of two columns the one that is not the other."""
    usual = [column for column in known if column.lower() in _USUAL.get(name, ())]
    if usual or len(known) != 2 or name not in _USUAL:
        return usual
    (other,) = _USUAL.keys() - {name}
    return [column for column in known if column.lower() not in _USUAL[other]]


def _checked(label: Any) -> Any:
    if label is None:
        raise UnreadableRow(f"the label is null; write [] for a document that has none. {UNKNOWN}")
    infinite = isinstance(label, float) and not math.isfinite(label)
    if infinite or not isinstance(label, str | int | float):
        raise UnreadableRow(f"{label!r:.60} cannot be a label; use a string or a number")
    return label

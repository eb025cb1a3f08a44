"""Model files of commands: checked before the work, read, and written when it is done."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tallytext.cli.interrupts import held_back
from tallytext.errors import FileError, UnknownNameError, did_you_mean

if TYPE_CHECKING:
    from tallytext import TextClassifier

_SHOWN = 20


def load(path: Path, documents: Sequence[str] = ()) -> TextClassifier:
    """Read a model.

    Parameters
    ----------
    path : Path
        Its file.
    documents : sequence of str
        What was named after it, which is the model if the two were mixed up.
    """
    from tallytext import TextClassifier
    from tallytext.storage import is_arrays_file

    try:
        return TextClassifier.load(path)
    except FileError as problem:
        if not is_arrays_file(path) and any(is_arrays_file(each) for each in documents):
            raise FileError(f"{problem} The model comes first, then the documents.") from None
        raise


def save(classifier: TextClassifier, path: Path) -> None:
    """Write a model, all of it even if Ctrl-C is pressed meanwhile."""
    with held_back():
        classifier.save(path)


def expect_place(path: Path, *, page: bool = False) -> Path:
    """Refuse early what could not be written after all the work, or would be a loss.

    Parameters
    ----------
    path : Path
    page : bool, default=False
        Whether a page of HTML will be written: it replaces such a page, and a model a model.
    """
    where = f"cannot write to {str(path)!r}"
    if path.is_dir():
        raise FileError(f"{where}: it is a folder. Give the name of a file.")
    if not path.parent.is_dir():
        raise FileError(f"{where}: there is no folder {str(path.parent)!r}.")
    if not os.access(path.parent, os.W_OK):
        raise FileError(f"{where}: you may not write to the folder {str(path.parent)!r}.")
    if _would_be_lost(path, page):
        kind = "page that tally wrote" if page else "model"
        raise FileError(
            f"{where}: there is such a file, which is no {kind}. Give another name, or move the "
            "file away."
        )
    return path


def _would_be_lost(path: Path, page: bool) -> bool:
    """Whether a file is there that this command cannot have written: data, most likely."""
    from tallytext.storage import is_arrays_file
    from tallytext.storage.pages import is_page_file

    if not path.is_file() or not path.stat().st_size:
        return False
    return not (is_page_file(path) if page else is_arrays_file(path))


def class_named(classifier: TextClassifier, name: str) -> Any:
    """Return the label that is written like this, which may be a number."""
    classes = classifier.classes_.tolist()
    for label in classes:
        if str(label) == name:
            return label
    shown = ", ".join(map(str, classes[:_SHOWN])) + (", …" if len(classes) > _SHOWN else "")
    raise UnknownNameError(
        f"the model has no class {name!r}.{did_you_mean(name, classes)} It has: {shown}."
    )

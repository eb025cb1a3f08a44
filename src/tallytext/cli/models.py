"""Model files of commands: checked before the work, read, and written when it is done."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from tallytext.cli.interrupts import held_back
from tallytext.errors import FileError, UnknownNameError, did_you_mean

if TYPE_CHECKING:
    from tallytext import TextClassifier

_SHOWN = 20
_MOST_PROBABILITIES = 1 << 24


def load(path: Path) -> TextClassifier:
    """Read a model."""
    from tallytext import TextClassifier

    return TextClassifier.load(path)


def save(classifier: TextClassifier, path: Path) -> None:
    """Write a model, all of it even if Ctrl-C is pressed meanwhile."""
    with held_back():
        classifier.save(path)


def expect_place(path: Path) -> Path:
    """Refuse early what could not be written after all the work."""
    if path.is_dir():
        raise FileError(f"cannot write to {str(path)!r}: it is a folder. Give the name of a file.")
    if not path.parent.is_dir():
        raise FileError(f"cannot write to {str(path)!r}: there is no folder {str(path.parent)!r}.")
    return path


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


def batch_size(classifier: TextClassifier, most: int) -> int:
    """Return how many documents to ask about at a time: probabilities of all classes are held."""
    return min(most, max(1, _MOST_PROBABILITIES // max(1, len(classifier.classes_))))

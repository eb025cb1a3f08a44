"""Files of phrases and their concepts."""

from __future__ import annotations

from dataclasses import dataclass
from os import PathLike
from pathlib import Path

from tallytext.errors import FileError


@dataclass(frozen=True)
class ConceptLine:
    """A line of the file that says something."""

    number: int
    phrase: str
    concept: str


def read_concepts(path: str | PathLike[str]) -> list[ConceptLine]:
    """Return the lines of a file that hold a phrase, a TAB and a concept.

    Raises
    ------
    FileError
        If it cannot be read, holds no phrase, or has a line of another kind.
    """
    lines = [
        _parsed(path, number, line)
        for number, line in enumerate(_text(path).split("\n"), 1)
        if line.strip() and not line.startswith("#")
    ]
    if not lines:
        raise FileError(f"cannot read {str(path)!r}: it holds no concepts.")
    return lines


def bad_line(path: str | PathLike[str], number: int, why: str) -> FileError:
    """Return the error that says what is wrong with a line."""
    return FileError(f"cannot read {str(path)!r}: line {number}: {why}.")


def _text(path: str | PathLike[str]) -> str:
    try:
        data = Path(path).read_bytes()
    except OSError as problem:
        raise FileError(f"cannot read {str(path)!r}: {problem.strerror or problem}.") from None
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as problem:
        number = data.count(b"\n", 0, problem.start) + 1
        raise bad_line(path, number, "it is not UTF-8") from None


def _parsed(path: str | PathLike[str], number: int, line: str) -> ConceptLine:
    parts = [part.strip() for part in line.split("\t")]
    if len(parts) != 2:
        why = f"a phrase, a TAB and a concept are wanted, but it has {len(parts) - 1} TABs"
        raise bad_line(path, number, why)
    if not all(parts):
        raise bad_line(path, number, f"the {'phrase' if not parts[0] else 'concept'} is missing")
    return ConceptLine(number, *parts)

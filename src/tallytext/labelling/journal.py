"""Answers in a file that loses none: each is on disk before the next question is asked."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from pathlib import Path
from types import TracebackType
from typing import Any, BinaryIO, NamedTuple, Self

from tallytext.errors import FileError

_IN_USE = "is in use by another session of tally label"


class Answer(NamedTuple):
    """The label that somebody gave a document.

    Attributes
    ----------
    row : int
        Which document, by its number in the source.
    text : str
        The document itself, so that the file is a data set.
    label : str
    at_random : bool
        Whether it was drawn at random, and not because it would teach most.
    guess : str or None
        What the model had said before.
    """

    row: int
    text: str
    label: str
    at_random: bool = False
    guess: str | None = None


class Journal:
    """A file of JSON lines, one answer each, which every reader of documents can read.

    An answer is written and on disk when :meth:`add` returns; :meth:`undo` cuts the last one off.
    A last line that was cut short, because the machine stopped while it was written, was never
    answered for, and is dropped. Any other damage is refused, and nothing is changed.

    Parameters
    ----------
    path : str or Path
        The file; it is made if it is not there.

    Examples
    --------
    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "mails.labels.jsonl"
    >>> with Journal(path) as journal:
    ...     journal.add(Answer(7, "See you at noon", "ham"))
    ...     journal.add(Answer(2, "Cheap pills!", "ham"))
    ...     undone = journal.undo()
    >>> with Journal(path) as journal:
    ...     journal.answers
    [Answer(row=7, text='See you at noon', label='ham', at_random=False, guess=None)]
    """

    def __init__(self, path: str | Path) -> None:
        self.path = Path(path)
        self._file = self._opened()
        try:
            self.answers: list[Answer] = []
            self._starts: list[int] = []
            end = 0
            for start, line in self._lines():
                self.answers.append(self._read(line))
                self._starts.append(start)
                end = start + len(line)
            self._cut(end)
        except BaseException:
            self._file.close()
            raise

    def add(self, answer: Answer) -> None:
        """Write an answer; when this returns, it is on disk."""
        start = self._file.seek(0, os.SEEK_END)
        line = json.dumps(answer._asdict(), ensure_ascii=True) + "\n"
        try:
            self._file.write(line.encode())
            self._sync()
        except OSError:
            self._cut(start)  # what was written of it, if anything, would be taken for damage
            raise
        self.answers.append(answer)
        self._starts.append(start)

    def undo(self) -> Answer:
        """Take the last answer back.

        Raises
        ------
        IndexError
            If there is none.
        """
        self._cut(self._starts[-1])
        self._starts.pop()
        return self.answers.pop()

    def close(self) -> None:
        """Let go of the file."""
        self._file.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()

    def _opened(self) -> BinaryIO:
        # Neither truncates nor appends by itself: what is there is read, and perhaps cut.
        flags = os.O_RDWR | os.O_CREAT | getattr(os, "O_BINARY", 0)
        file = os.fdopen(os.open(self.path, flags, 0o644), "r+b")
        try:
            _lock(file)
        except OSError:
            file.close()
            raise FileError(f"{str(self.path)!r} {_IN_USE}.") from None
        return file

    def _lines(self) -> Iterator[tuple[int, bytes]]:
        """Yield the whole lines, and where each begins."""
        content, start = self._file.read(), 0
        while (end := content.find(b"\n", start)) >= 0:
            yield start, content[start : end + 1]
            start = end + 1

    def _read(self, line: bytes) -> Answer:
        try:
            values: dict[str, Any] = json.loads(line)
            answer = Answer(**values)
            ok = isinstance(answer.row, int) and isinstance(answer.text, str)
            if not (ok and isinstance(answer.label, str)):
                raise ValueError
        except (ValueError, TypeError):
            number = len(self.answers) + 1
            raise FileError(
                f"cannot read {str(self.path)!r}, line {number}: this is no answer that tally "
                "label wrote. Give another file, or mend the line."
            ) from None
        return answer

    def _cut(self, end: int) -> None:
        if self._file.seek(0, os.SEEK_END) != end:
            self._file.truncate(end)
            self._sync()
        self._file.seek(end)

    def _sync(self) -> None:
        self._file.flush()
        os.fsync(self._file.fileno())


def _lock(file: BinaryIO) -> None:
    """Keep other sessions out for as long as the file is open, where the system can."""
    try:
        import fcntl
    except ImportError:
        return
    fcntl.flock(file.fileno(), fcntl.LOCK_EX | fcntl.LOCK_NB)

"""Answers in a file that loses none: each is on disk before the next question is asked."""

from __future__ import annotations

import json
import os
import stat
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple, Self

from tallytext.errors import FileError

# ------------------------------------------------------------------------------------------------
# Lines of an open file, on disk when they are written.

_BEGINNING = b'{"row": '


def content_of(file: int) -> bytes:
    """Return all that is in an open file."""
    with os.fdopen(os.dup(file), "rb") as reader:
        return reader.read()


def lines(content: bytes) -> Iterator[tuple[int, bytes]]:
    """Yield lines, and where each begins.

    Examples
    --------
    >>> list(lines(b"one\\ntwo"))
    [(0, b'one\\n'), (4, b'two')]
    """
    start = 0
    for line in content.splitlines(keepends=True):
        yield start, line
        start += len(line)


def is_cut_short(rest: bytes) -> bool:
    """Tell whether a last line, not ended, is what is left of an answer that nobody was told of.

    Anything else was not written here, and is not ours to cut. A machine that lost its power may
    leave zeros.

    Examples
    --------
    >>> is_cut_short(b'{"row": 7, "te'), is_cut_short(b'{"ro'), is_cut_short(b"\\0" * 9)
    (True, True, True)
    >>> is_cut_short(b"Dear diary,"), is_cut_short(b'{"row": 7, "text": "a", "label": "b"}')
    (False, False)
    """
    if not rest.strip(b"\0"):
        return True
    if not (rest.startswith(_BEGINNING) or _BEGINNING.startswith(rest)):
        return False
    try:
        json.loads(rest)
    except ValueError:
        return True
    return False


def write_line(file: int, line: bytes) -> None:
    """Write all of a line at the end, and see it on disk."""
    os.lseek(file, 0, os.SEEK_END)
    while line:
        line = line[os.write(file, line) :]
    os.fsync(file)


def is_locked(file: int) -> bool:
    """Keep other sessions out for as long as the file is open, where the system can."""
    try:
        import fcntl
    except ImportError:
        return True
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError:  # a file system without locks
        return True
    return True


def sync_folder(folder: Path) -> None:
    """See to it that the name of a new file is on disk, too, where the system can."""
    with suppress(OSError):
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


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
    answered for, and is dropped. Any other damage is refused, and nothing is changed. Lines may be
    changed by hand while nobody has the file open, and may have further names in them.

    Parameters
    ----------
    path : str or Path
        The file; it is made if it is not there, and goes again if it stays empty.

    Raises
    ------
    FileError
        If another session has the file open, or a line is no answer.

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
        self.answers: list[Answer] = []
        self._starts: list[int] = []
        self._is_new = not self.path.exists()
        self._file = self._opened()
        try:
            self._take_up(content_of(self._file))
        except BaseException:
            self.close()
            raise

    def add(self, answer: Answer) -> None:
        """Write an answer; when this returns, it is on disk.

        Parameters
        ----------
        answer : Answer

        Raises
        ------
        OSError
            If it cannot be written. The file is as it was, and the answer can be given again.
        FileError
            If the file is not there any more, or is another one.
        """
        self._check_same()
        start = os.lseek(self._file, 0, os.SEEK_END)
        line = json.dumps(answer._asdict(), ensure_ascii=True) + "\n"
        try:
            write_line(self._file, line.encode())
        except OSError as problem:
            # What was written of it, if anything, must not be taken for an answer.
            with suppress(OSError):
                self._cut(start)
            problem.filename = str(self.path)
            raise
        self.answers.append(answer)
        self._starts.append(start)

    def undo(self) -> Answer:
        """Take the last answer back.

        Raises
        ------
        IndexError
            If there is none.
        OSError
            If the file cannot be changed. It is as it was.
        FileError
            If the file is not there any more, or is another one.
        """
        self._check_same()
        self._cut_off(self._starts[-1])
        self._starts.pop()
        return self.answers.pop()

    def close(self) -> None:
        """Let go of the file."""
        if self._file < 0:
            return
        if self._is_new and self._is_same() and not os.fstat(self._file).st_size:
            with suppress(OSError):
                self.path.unlink()
        os.close(self._file)
        self._file = -1

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *failure: object) -> None:
        self.close()

    def _opened(self) -> int:
        # Neither truncates nor appends by itself: what is there is read, and perhaps cut.
        flags = os.O_RDWR | os.O_CREAT | getattr(os, "O_BINARY", 0) | getattr(os, "O_NONBLOCK", 0)
        file = os.open(self.path, flags, 0o644)
        try:
            if not stat.S_ISREG(os.fstat(file).st_mode):
                raise FileError(f"{str(self.path)!r} is no file that answers can be kept in.")
            if not is_locked(file):
                raise FileError(f"{str(self.path)!r} {_IN_USE}.")
            if self._is_new:
                sync_folder(self.path.parent)
        except BaseException:
            os.close(file)
            raise
        return file

    def _take_up(self, content: bytes) -> None:
        """Read what is there, and see to it that it ends with a whole line."""
        end = content.rfind(b"\n") + 1
        whole = is_cut_short(content[end:])
        lines_of: dict[int, int] = {}
        for number, (start, line) in enumerate(lines(content[:end] if whole else content), 1):
            if line.strip():
                answer = self._read(line, number)
                self._check_first(answer, number, lines_of)
                self.answers.append(answer)
                self._starts.append(start)
        if whole:
            self._cut(end)
        else:  # an editor may leave out the end of the last line
            write_line(self._file, b"\n")

    def _read(self, line: bytes, number: int) -> Answer:
        try:
            values: dict[str, Any] = json.loads(line)
            answer = Answer(**{name: values[name] for name in Answer._fields if name in values})
            is_one = type(answer.row) is int and isinstance(answer.text, str)
            if not (is_one and isinstance(answer.label, str) and answer.label.strip()):
                raise ValueError
        except (ValueError, TypeError, RecursionError):
            raise FileError(
                f"cannot read {str(self.path)!r}, line {number}: this is no answer that tally "
                "label wrote. Give another file, or mend the line."
            ) from None
        return answer

    def _check_first(self, answer: Answer, number: int, lines_of: dict[int, int]) -> None:
        before = lines_of.setdefault(answer.row, number)
        if before != number:
            raise FileError(
                f"{str(self.path)!r} has two answers to document {answer.row}, in lines {before} "
                f"and {number}. Take one of them out."
            )

    def _check_same(self) -> None:
        """Refuse to write where nobody would find it."""
        if not self._is_same():
            raise FileError(
                f"{str(self.path)!r} was moved, removed or replaced meanwhile, so that nothing "
                "more can be kept there. Put it back, end, and begin again."
            )

    def _is_same(self) -> bool:
        """Tell whether the file still has its name, and no other file has it."""
        try:
            return os.path.samestat(self.path.stat(), os.fstat(self._file))
        except OSError:
            return False

    def _cut_off(self, start: int) -> None:
        """Take the end off; if that fails, it is put back."""
        os.lseek(self._file, start, os.SEEK_SET)
        last = content_of(self._file)
        try:
            self._cut(start)
        except OSError as problem:
            with suppress(OSError):
                os.ftruncate(self._file, start)
                write_line(self._file, last)
            problem.filename = str(self.path)
            raise

    def _cut(self, end: int) -> None:
        if os.fstat(self._file).st_size != end:
            os.ftruncate(self._file, end)
            os.fsync(self._file)

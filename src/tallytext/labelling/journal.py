"""Journal of annotations: a file of JSON lines in which each label is on disk once it is added."""

from __future__ import annotations

import json
import os
import stat
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple, Self

from tallytext.errors import FileError
from tallytext.io.locks import in_use, try_lock

# How json.dumps() begins an annotation, whose first field is the row.
_LINE_PREFIX = b'{"row": '


class Annotation(NamedTuple):
    """The label of a document, as a line of the journal stores it.

    Attributes
    ----------
    row : int
        The number of the document in the source.
    text : str
        The document itself, so that the journal is a data set.
    label : str
        The label.
    at_random : bool
        True if the document was sampled at random, False if the query strategy selected it.
    guess : str or None
        The model's prediction before the document was labelled.
    key : str or None
        The key that gave the label, so that it keeps this key in later sessions.
    """

    row: int
    text: str
    label: str
    at_random: bool = False
    guess: str | None = None
    key: str | None = None


class Journal:
    """A file of JSON lines, one annotation each, which every reader of documents can read.

    An annotation is on disk when :meth:`add` returns; :meth:`undo` removes the last one. If the
    machine stopped in the middle of a write, the incomplete last line was never acknowledged and
    is dropped. Any other damage is an error, and the file is not changed. Lines may be edited by
    hand while no session has the file open, and may have further keys.

    Parameters
    ----------
    path : str or Path
        The file; it is created if it does not exist, and removed again if it stays empty.

    Raises
    ------
    FileInUseError
        If another session has the file open.
    FileError
        If a line is not an annotation.

    Examples
    --------
    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "mails.labels.jsonl"
    >>> with Journal(path) as journal:
    ...     journal.add(Annotation(7, "See you at noon", "ham"))
    ...     journal.add(Annotation(2, "Cheap pills!", "ham"))
    ...     undone = journal.undo()
    >>> with Journal(path) as journal:
    ...     journal.annotations
    [Annotation(row=7, text='See you at noon', label='ham', at_random=False, guess=None, key=None)]
    """

    def __init__(self, path: str | Path) -> None:
        self.path = Path(path)
        self.annotations: list[Annotation] = []
        self._starts: list[int] = []
        # Determined before the file is opened, because opening creates it.
        self._is_new = not self.path.exists()
        self._file = self._open_file()
        try:
            self._load(_read_to_end(self._file))
        # KeyboardInterrupt included: an open descriptor would keep the lock.
        except BaseException:
            self.close()
            raise

    def add(self, annotation: Annotation) -> None:
        """Append an annotation; it is on disk when this returns.

        Parameters
        ----------
        annotation : Annotation

        Raises
        ------
        OSError
            If it cannot be written. The file is unchanged, and the call can be repeated.
        FileError
            If the file was removed or replaced.
        """
        self._check_in_place()
        start = os.lseek(self._file, 0, os.SEEK_END)
        # ASCII, because lone surrogates in a text cannot be encoded as UTF-8, and because some
        # readers end a line at U+2028.
        values = annotation._asdict()
        if annotation.key is None:
            del values["key"]
        line = json.dumps(values, ensure_ascii=True) + "\n"
        try:
            _append_line(self._file, line.encode())
        except OSError as problem:
            # A part of the line may have been written, and must not be read as an annotation.
            with suppress(OSError):
                self._truncate(start)
            problem.filename = str(self.path)
            raise
        self.annotations.append(annotation)
        self._starts.append(start)

    def undo(self) -> Annotation:
        """Remove the last annotation and return it.

        Raises
        ------
        IndexError
            If there is none.
        OSError
            If the file cannot be changed. It is unchanged.
        FileError
            If the file was removed or replaced.
        """
        self._check_in_place()
        start = self._starts[-1]
        os.lseek(self._file, start, os.SEEK_SET)
        # Kept in memory, to be written again if the removal fails halfway.
        last = _read_to_end(self._file)
        try:
            self._truncate(start)
        except OSError as problem:
            with suppress(OSError):
                os.ftruncate(self._file, start)
                _append_line(self._file, last)
            problem.filename = str(self.path)
            raise
        self._starts.pop()
        return self.annotations.pop()

    def close(self) -> None:
        """Close the file, and remove it if it is new and empty."""
        if self._file < 0:
            return
        # Only a file that this session created is removed, and not one that replaced it meanwhile.
        if self._is_new and self._is_in_place() and not os.fstat(self._file).st_size:
            with suppress(OSError):
                self.path.unlink()
        os.close(self._file)
        self._file = -1

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *failure: object) -> None:
        self.close()

    def _open_file(self) -> int:
        # Neither O_TRUNC nor O_APPEND: the content is read first, and its end perhaps cut off.
        # O_NONBLOCK, so that opening a named pipe does not wait for a writer.
        flags = os.O_RDWR | os.O_CREAT | getattr(os, "O_BINARY", 0) | getattr(os, "O_NONBLOCK", 0)
        file = os.open(self.path, flags, 0o666)
        try:
            if not stat.S_ISREG(os.fstat(file).st_mode):
                raise FileError(
                    f"{str(self.path)!r} is not a regular file, so answers cannot be "
                    "stored there. Give another file."
                )
            # Two sessions would query the same documents, and store two labels for them.
            if not _lock(file):
                raise in_use(self.path, "another session of tally label")
            if self._is_new:
                _sync_directory(self.path.parent)
        except BaseException:
            os.close(file)
            raise
        return file

    def _load(self, content: bytes) -> None:
        """Read the annotations, and make the file end with a complete line."""
        # A line counts as complete only with its newline, which is written last.
        end = content.rfind(b"\n") + 1
        is_cut = is_truncated(content[end:])
        line_of_row: dict[int, int] = {}
        numbered = enumerate(_lines_with_offsets(content[:end] if is_cut else content), 1)
        for number, (start, line) in numbered:
            if line.strip():
                annotation = self._parse(line, number)
                self._check_unique(annotation, number, line_of_row)
                self.annotations.append(annotation)
                self._starts.append(start)
        if is_cut:
            self._truncate(end)
        else:  # an editor may leave out the end of the last line
            _append_line(self._file, b"\n")

    def _parse(self, line: bytes, number: int) -> Annotation:
        try:
            values: dict[str, Any] = json.loads(line)
            known = {name: values[name] for name in Annotation._fields if name in values}
            annotation = Annotation(**known)
            # type() and not isinstance(): JSON's true would pass as an int.
            is_valid = type(annotation.row) is int and isinstance(annotation.text, str)
            if not (is_valid and isinstance(annotation.label, str) and annotation.label.strip()):
                raise ValueError
        # RecursionError: json.loads() of deeply nested brackets.
        except (ValueError, TypeError, RecursionError):
            raise FileError(
                f"cannot read {str(self.path)!r}, line {number}: this is not an answer written by "
                "tally label. Give another file, or correct the line."
            ) from None
        return annotation

    def _check_unique(
        self, annotation: Annotation, number: int, line_of_row: dict[int, int]
    ) -> None:
        earlier = line_of_row.setdefault(annotation.row, number)
        if earlier != number:
            raise FileError(
                f"{str(self.path)!r} has two answers for document {annotation.row}, in lines "
                f"{earlier} and {number}. Remove one of them."
            )

    def _check_in_place(self) -> None:
        if not self._is_in_place():
            raise FileError(
                f"{str(self.path)!r} was moved, removed or replaced in the meantime, so no more "
                "answers can be stored there. Put it back, quit, and start again."
            )

    def _is_in_place(self) -> bool:
        """Return True if the path still leads to the open file."""
        try:
            # Compares device and inode: editors often save by renaming a new file onto the old one.
            return os.path.samestat(self.path.stat(), os.fstat(self._file))
        except OSError:
            return False

    def _truncate(self, end: int) -> None:
        if os.fstat(self._file).st_size != end:
            os.ftruncate(self._file, end)
            os.fsync(self._file)


def is_truncated(tail: bytes) -> bool:
    """Return True if the bytes after the last newline are an annotation that was cut short.

    Any other text was not written by a journal, and must not be removed. A machine that lost its
    power may leave zeros.

    Examples
    --------
    >>> is_truncated(b'{"row": 7, "te'), is_truncated(b'{"ro'), is_truncated(b"\\0" * 9)
    (True, True, True)
    >>> is_truncated(b"Dear diary,"), is_truncated(b'{"row": 7, "text": "a", "label": "b"}')
    (False, False)
    """
    if not tail.strip(b"\0"):
        return True
    if not (tail.startswith(_LINE_PREFIX) or _LINE_PREFIX.startswith(tail)):
        return False
    try:
        json.loads(tail)
    except ValueError:
        return True
    except RecursionError:  # nested deeply, which no annotation is
        return False
    return False


def _read_to_end(file: int) -> bytes:
    """Return the content of an open file from its current position."""
    # A duplicate, because the file object closes its descriptor and the lock belongs to ours.
    with os.fdopen(os.dup(file), "rb") as reader:
        return reader.read()


def _lines_with_offsets(content: bytes) -> Iterator[tuple[int, bytes]]:
    start = 0
    # bytes.splitlines() splits at newlines and carriage returns only, unlike str.splitlines().
    for line in content.splitlines(keepends=True):
        yield start, line
        start += len(line)


def _append_line(file: int, line: bytes) -> None:
    """Write a whole line at the end, and wait until it is on disk."""
    os.lseek(file, 0, os.SEEK_END)
    while line:  # os.write may write a part only
        line = line[os.write(file, line) :]
    os.fsync(file)


def _lock(file: int) -> bool:
    """Lock a file until it is closed; return False if another process has locked it.

    File systems without locks are treated as if the lock were free.
    """
    try:
        return try_lock(file)
    except OSError:
        return True


def _sync_directory(folder: Path) -> None:
    """Wait until the name of a new file is on disk too, where the system can do this."""
    with suppress(OSError):
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)

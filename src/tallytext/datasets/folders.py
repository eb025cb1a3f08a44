"""Documents in folders of files, the name of a folder being the class of what is in it."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

from tallytext.datasets.batch import Row
from tallytext.datasets.columns import Columns, Report, UnreadableRow
from tallytext.datasets.text_lines import LARGEST_DOCUMENT, TOO_LARGE
from tallytext.datasets.whole_files import file_row, is_wanted


class Folder:
    """The files below a folder, sorted by name in every folder, and what was read of them.

    Hidden files and folders are passed over, and so is what is neither a file nor a folder; links
    to folders are not followed.

    Parameters
    ----------
    path : Path
        The folder.
    match : str or None
        A pattern for the path of a file below the folder.

    Examples
    --------
    >>> import tempfile
    >>> root = Path(tempfile.mkdtemp())
    >>> (root / "spam").mkdir()
    >>> (root / "spam" / "1.txt").write_text("Cheap pills!")
    12
    >>> list(Folder(root, "*.txt").rows(Columns("text", "label"), print, "utf-8"))
    [('spam/1.txt', 'Cheap pills!', 'spam', ())]
    """

    def __init__(self, path: Path, match: str | None) -> None:
        self.n_bytes = 0
        self._path = path
        self._match = match

    @property
    def size(self) -> int:
        """How many bytes the files have, all together."""
        return sum(entry.stat().st_size for _, entry in self._files())

    def rows(self, columns: Columns, report: Report, encoding: str) -> Iterator[Row]:
        """Yield one document a file, under its path below the folder."""
        for name, entry in self._files():
            try:
                row = file_row(name, self._content(entry), columns, encoding)
            except UnreadableRow as reason:
                report(name, str(reason))
            else:
                yield row

    def _files(self) -> Iterator[tuple[str, os.DirEntry[str]]]:
        for name, entry in _below(self._path, ""):
            if is_wanted(name, self._match):
                yield name, entry

    def _content(self, entry: os.DirEntry[str]) -> bytes:
        try:
            size = entry.stat().st_size
            self.n_bytes += size
            if size > LARGEST_DOCUMENT:
                raise UnreadableRow(TOO_LARGE)
            return Path(entry.path).read_bytes()
        except OSError as problem:
            raise UnreadableRow(problem.strerror or str(problem)) from None


def _below(folder: str | Path, prefix: str) -> Iterator[tuple[str, os.DirEntry[str]]]:
    with os.scandir(folder) as entries:
        listed = sorted(entries, key=lambda entry: entry.name)
    for entry in listed:
        if entry.name.startswith("."):
            continue
        if entry.is_dir(follow_symlinks=False):
            yield from _below(entry.path, f"{prefix}{entry.name}/")
        elif entry.is_file():
            yield prefix + entry.name, entry

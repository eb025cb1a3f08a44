"""Files that all who count can read, cut into pieces of work."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

from tallytext.datasets import DocumentReader
from tallytext.datasets.opening import Source
from tallytext.datasets.parquet import row_groups
from tallytext.distributed.job import expect_count
from tallytext.errors import FileError, InputError

SPLIT_BYTES = 128 << 20
"""How much of a parquet file is one piece of work, as it lies on disk."""


# Of two slashes a path keeps one; a single letter is a drive.
_ADDRESS = re.compile(r"[a-z][a-z0-9+]+:/")


@dataclass(frozen=True)
class Split:
    """A piece of work: a file, or some row groups of a parquet file.

    Attributes
    ----------
    path : str
        From the root on, since those who work may be in other folders.
    first, end : int or None
        The row groups from the first to before the end; None for a whole file.
    options : mapping
        How it is read, as :func:`tallytext.datasets.read_documents` takes it.
    n_bytes : int
        How large it is, as it lies on disk.
    number : int
        Which of all pieces it is, from 0 on.
    name : str
        The file as its user has called it.
    """

    path: str
    first: int | None = None
    end: int | None = None
    options: Mapping[str, Any] = field(default_factory=dict)
    n_bytes: int = 0
    number: int = 0
    name: str = ""

    def __str__(self) -> str:
        name = repr(self.name or self.path)
        if self.first is None or self.end is None:
            return name
        if self.end == self.first + 1:
            return f"{name}, row group {self.first}"
        return f"{name}, row groups {self.first} to {self.end - 1}"

    def reader(self, **options: Any) -> DocumentReader:
        """Return what reads it in batches.

        Documents are at the places that they have in the file, whatever comes before this piece.

        Parameters
        ----------
        **options
            More of how, as for :func:`tallytext.datasets.read_documents`.
        """
        groups = None if self.first is None or self.end is None else range(self.first, self.end)
        return DocumentReader(self.path, **self.options, **options)._of_groups(groups, self.name)

    def check(self, **options: Any) -> None:
        """Refuse a parquet file that lacks a column, by what it says of itself; no row is read.

        Parameters
        ----------
        **options
            As for :meth:`reader`.
        """
        self.reader(**options)._expect_columns()

    def to_dict(self) -> dict[str, Any]:
        """Return plain values, as JSON has them, by the names of the attributes."""
        return asdict(self)


@dataclass(frozen=True)
class Files:
    """Files, folders or archives that lie where every worker finds them under the same name.

    Parquet files are cut at their row groups, so that several can work on one; a file of another
    format, a folder or an archive is one piece of work. Each is read in batches, in memory that
    does not depend on its size.

    Parameters
    ----------
    paths : iterable of str or path
        Whatever :func:`tallytext.datasets.read_documents` reads, but for standard input.
    format, encoding, match : str, default=None
        As for :func:`tallytext.datasets.read_documents`.
    split_bytes : int, default=128 MiB
        How much of a parquet file is one piece of work at most, if its row groups allow.

    Raises
    ------
    InputError
        If the paths are one path, or one of them is standard input.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> path = Path(tempfile.mkdtemp()) / "mails.csv"
    >>> _ = path.write_text("text,label\\nCheap pills!,spam\\n")
    >>> [split.n_bytes for split in Files([path]).splits()]
    [29]
    """

    paths: Iterable[str | os.PathLike[str]]
    format: str | None = None
    encoding: str | None = None
    match: str | None = None
    split_bytes: int = SPLIT_BYTES

    def __post_init__(self) -> None:
        if isinstance(self.paths, str | os.PathLike):
            raise InputError(f"paths must be a list of files, not {str(self.paths)!r} alone.")
        # Kept as a tuple: an iterator would have nothing to give the second time.
        object.__setattr__(self, "paths", tuple(os.fspath(path) for path in self.paths))
        if "-" in self.paths:
            raise InputError("standard input cannot be read by several at a time: name files.")
        expect_count("split_bytes", self.split_bytes, 1)

    def splits(self) -> list[Split]:
        """Return the pieces of work, in order.

        Raises
        ------
        FileError
            If a file is missing, or of an unknown format.
        """
        pieces = (split for path in self.paths for split in self._of(os.fspath(path)))
        return [replace(split, number=number) for number, split in enumerate(pieces)]

    def _of(self, name: str) -> Iterator[Split]:
        _expect_file(name)
        asked = {"format": self.format, "encoding": self.encoding, "match": self.match}
        options: dict[str, Any] = {
            option: value for option, value in asked.items() if value is not None
        }
        # Refuses here what every worker would refuse.
        size = DocumentReader(name, label=None, **options).size or 0
        whole = Split(str(Path(name).absolute()), options=options, n_bytes=size, name=name)
        groups = self._groups(Source.of(name, self.format))
        if not groups:  # a table without rows has columns all the same: they may be the wrong ones
            yield whole
        for first, end, n_bytes in groups:
            yield replace(whole, first=first, end=end, n_bytes=n_bytes)

    def _groups(self, source: Source) -> list[tuple[int, int, int]]:
        is_cut = source.format == "parquet" and source.compression is None
        return row_groups(source, self.split_bytes) if is_cut else []


def _expect_file(name: str) -> None:
    """Refuse what is often taken for the name of a file."""
    if Path(name).exists():
        return
    if _ADDRESS.match(name):
        raise FileError(
            f"{name!r} is no file but an address, which dask.dataframe.read_parquet and "
            "spark.read.parquet read."
        )
    if any(sign in name for sign in "*?["):
        raise FileError(
            f"there is no file {name!r}, and patterns are not expanded here: name the files, as a "
            "shell does for those that there are, or glob.glob in Python."
        )

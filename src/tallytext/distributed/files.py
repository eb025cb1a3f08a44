"""Files that every worker can read, divided into splits: the units of work of an engine."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

from tallytext.distributed.options import check_count
from tallytext.errors import FileError, InputError
from tallytext.io.documents import DocumentReader
from tallytext.io.parquet import split_row_groups
from tallytext.io.sources import Source

SPLIT_BYTES = 128 << 20
"""Size of a split of a parquet file, in bytes on disk."""

# One slash is enough, since Path removes the second; a single letter would be a drive of Windows.
_ADDRESS = re.compile(r"[a-z][a-z0-9+]+:/")


@dataclass(frozen=True)
class Split:
    """A file, or some row groups of a parquet file, that one task reads.

    Attributes
    ----------
    path : str
        The absolute path, since workers may run in other folders.
    first, end : int or None
        The row groups from ``first`` up to, but without, ``end``; None for a whole file.
    options : mapping
        Options of :func:`tallytext.io.read_documents`.
    n_bytes : int
        Size on disk.
    number : int
        Position among all splits, from 0.
    name : str
        The file as the user named it, for messages.
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
        """Return a reader of the documents in batches.

        The places of documents are those in the whole file, whatever precedes the split.

        Parameters
        ----------
        **options
            Further options of :func:`tallytext.io.read_documents`.
        """
        groups = None if self.first is None or self.end is None else range(self.first, self.end)
        return DocumentReader(self.path, **self.options, **options)._select_row_groups(
            groups, self.name
        )

    def check(self, **options: Any) -> None:
        """Raise FileError if a parquet file lacks a column; reads its schema, but no row.

        Parameters
        ----------
        **options
            As for :meth:`reader`.
        """
        self.reader(**options)._check_columns()

    def to_dict(self) -> dict[str, Any]:
        """Return the attributes by name, as JSON can hold them."""
        return asdict(self)

    def to_json(self) -> str:
        """Return the split as JSON, in which engines send it to their workers."""
        return json.dumps(self.to_dict())

    @classmethod
    def from_json(cls, text: str) -> Split:
        """Restore a split from the text of :meth:`to_json`."""
        return cls(**json.loads(text))


@dataclass(frozen=True)
class Files:
    """Files, folders or archives that every worker finds under the same name.

    Parquet files are split at their row groups, so that several workers can read one file; a file
    of another format, a folder or an archive is one split. Each split is read in batches, in memory
    that does not depend on its size.

    Parameters
    ----------
    paths : iterable of str or path
        The sources that :func:`tallytext.io.read_documents` reads, except standard input.
    format, encoding, match : str, default=None
        As for :func:`tallytext.io.read_documents`.
    where : iterable of str, default=()
        Conditions such as ``"split=train"``, as for :func:`tallytext.io.read_documents`.
    max_row, max_unpacked : int, default=None
        As for :func:`tallytext.io.read_documents`.
    split_bytes : int, default=128 MiB
        Largest size of a split of a parquet file, unless one row group is larger.

    Raises
    ------
    InputError
        If ``paths`` is a single path, or one of them is standard input.

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
    where: Iterable[str] = ()
    max_row: int | None = None
    max_unpacked: int | None = None
    split_bytes: int = SPLIT_BYTES

    def __post_init__(self) -> None:
        if isinstance(self.paths, str | os.PathLike):
            raise InputError(f"paths must be a list of files, not the string {str(self.paths)!r}.")
        # A tuple, since an iterator would be empty when splits() is called a second time.
        object.__setattr__(self, "paths", tuple(os.fspath(path) for path in self.paths))
        where = (self.where,) if isinstance(self.where, str) else tuple(self.where)
        object.__setattr__(self, "where", where)
        if "-" in self.paths:
            raise InputError("several workers cannot read standard input: name files.")
        check_count("split_bytes", self.split_bytes, 1)

    def splits(self) -> list[Split]:
        """Return the splits of all files, in order.

        Raises
        ------
        FileError
            If a file is missing, or of an unknown format.
        """
        splits = (split for path in self.paths for split in self._split_file(os.fspath(path)))
        return [replace(split, number=number) for number, split in enumerate(splits)]

    def _split_file(self, name: str) -> Iterator[Split]:
        _check_exists(name)
        given: dict[str, Any] = {
            "format": self.format,
            "encoding": self.encoding,
            "match": self.match,
            "where": list(self.where) or None,
            "max_row": self.max_row,
            "max_unpacked": self.max_unpacked,
        }
        options = {option: value for option, value in given.items() if value is not None}
        # The reader raises an error here that otherwise every worker would raise.
        size = DocumentReader(name, label=None, **options).size or 0
        # Absolute, because workers have other working directories; messages show the given name.
        whole = Split(str(Path(name).absolute()), options=options, n_bytes=size, name=name)
        source = Source.from_name(name, self.format)
        is_splittable = source.format == "parquet" and source.compression is None
        groups = split_row_groups(source, self.split_bytes) if is_splittable else []
        if not groups:  # also a table without rows: its columns are still to be checked
            yield whole
        for first, end, n_bytes in groups:
            yield replace(whole, first=first, end=end, n_bytes=n_bytes)


def _check_exists(name: str) -> None:
    """Raise FileError with a remedy for addresses and patterns; the reader reports other names."""
    if Path(name).exists():
        return
    if _ADDRESS.match(name):
        raise FileError(
            f"{name!r} is an address, not a file: read it with dask.dataframe.read_parquet or "
            "spark.read.parquet."
        )
    if any(sign in name for sign in "*?["):
        raise FileError(
            f"there is no file {name!r}, and patterns are not expanded here: list the files, with "
            "glob.glob in Python or an unquoted pattern in a shell."
        )

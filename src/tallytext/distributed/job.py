"""What is to be counted, and how: sent once to all who count."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass, field, replace
from importlib.metadata import version
from numbers import Integral
from pathlib import Path
from typing import Any, Literal, TypeAlias

from sklearn.base import clone

from tallytext.classifier.training import SAMPLE
from tallytext.errors import EngineError, FileError, InputError, RecipeError, VocabularyError
from tallytext.io.batches import Columns
from tallytext.io.documents import DocumentReader, check_on_error
from tallytext.io.parquet import row_groups
from tallytext.io.safetensors import pack_arrays, unpack_arrays
from tallytext.io.sources import Source
from tallytext.models.parameters import estimator_from, settings_of
from tallytext.tally.planes import Plane, in_order
from tallytext.text.vectorizer import TextVectorizer

OnError: TypeAlias = Literal["fail", "skip"]

KIND = "tallytext.job"


@dataclass(frozen=True)
class Job:
    """How documents are counted.

    Attributes
    ----------
    columns : Columns
        Where texts and labels are; the weights of documents, if there are any, are the further one.
    vectorizer : TextVectorizer
        Not fitted.
    planes : tuple of Plane
    on_error : {"fail", "skip"}
    n_drawn : int
        How many documents to keep, to judge models on.
    max_terms : int or None
        How many terms a tally may have; None for any number.
    n_shards : int
        Into how many pieces tallies are cut.
    """

    columns: Columns
    vectorizer: TextVectorizer
    planes: tuple[Plane, ...] = ()
    on_error: OnError = "fail"
    n_drawn: int = SAMPLE
    max_terms: int | None = None
    n_shards: int = 1

    @classmethod
    def of(
        cls,
        *,
        text: str,
        labels: str | None,
        weights: str | None = None,
        label_separator: str | None = None,
        vectorizer: TextVectorizer | None = None,
        planes: Iterable[Plane] = (),
        on_error: OnError = "fail",
        sample: int = SAMPLE,
        max_terms: int | None = None,
    ) -> Job:
        """Check what a user asks for.

        Raises
        ------
        VocabularyError
            If the vectorizer has limits that need all documents at once.
        """
        also = () if weights is None else (weights,)
        job = cls(
            Columns(text, labels, also, label_separator or None),
            TextVectorizer() if vectorizer is None else clone(vectorizer),
            in_order(planes),
            on_error,
            sample,
            max_terms,
        )
        job._check()
        most = None if max_terms is None else int(max_terms)  # NumPy's numbers cannot be sent
        return replace(job, n_drawn=int(sample), max_terms=most)

    def in_shards(self, n_shards: int) -> Job:
        """Return the same job, for tallies that are cut into so many pieces."""
        check_count("shards", n_shards, 1)
        return replace(self, n_shards=int(n_shards))

    @property
    def most_in_shard(self) -> int | None:
        """How many terms a piece may have; None for any number."""
        return None if self.max_terms is None else -(-self.max_terms // self.n_shards)

    def pack(self) -> bytes:
        """Return the job as bytes that hold no code.

        Raises
        ------
        FileError
            If the vectorizer has a Python function, which cannot be sent.
        """
        columns = self.columns
        header = {
            "kind": KIND,
            "version": version("tallytext"),
            "columns": [columns.text, columns.label, list(columns.also), columns.separator],
            "vectorizer": settings_of(self.vectorizer),
            "planes": [plane.to_dict() for plane in self.planes],
            "on_error": self.on_error,
            "n_drawn": self.n_drawn,
            "max_terms": self.max_terms,
            "n_shards": self.n_shards,
        }
        return pack_arrays({}, header)

    @classmethod
    def unpack(cls, packed: bytes) -> Job:
        """Read what :meth:`pack` returned.

        Raises
        ------
        EngineError
            If another version of tallytext has packed it: it may count otherwise.
        """
        _, header = unpack_arrays(packed, KIND)
        here, there = version("tallytext"), header.get("version")
        if here != there:
            raise EngineError(
                f"this worker has tallytext {here}, and the work comes from {there}: install the "
                "same version on all machines."
            )
        text, label, also, separator = header["columns"]
        vectorizer: Any = estimator_from(header["vectorizer"])
        return cls(
            Columns(text, label, tuple(also), separator),
            vectorizer,
            tuple(Plane.from_dict(plane) for plane in header["planes"]),
            header["on_error"],
            header["n_drawn"],
            header["max_terms"],
            header["n_shards"],
        )

    def _check(self) -> None:
        if self.vectorizer.is_limited:
            raise VocabularyError(
                "min_df, max_df and max_features need all documents at once: count without them "
                "and mask the tally, or bound the vocabulary with max_terms."
            )
        check_on_error(self.on_error)
        if self.max_terms is not None and not _is_count(self.max_terms, 1):
            raise VocabularyError(
                f"max_terms must be a whole number, 1 or more, not {self.max_terms!r}."
            )
        if not _is_count(self.n_drawn, 0):
            raise InputError(f"sample must be a number of documents, not {self.n_drawn!r}.")
        if self.columns.also and not any(plane.weighted for plane in self.planes):
            raise RecipeError("weights have no effect here: keep a Plane(weighted=True).")


def check_count(name: str, value: object, least: int) -> None:
    """Refuse what is no whole number, or too small.

    Raises
    ------
    InputError

    Examples
    --------
    >>> check_count("fan_in", 2.5, 2)
    Traceback (most recent call last):
    tallytext.errors.InputError: fan_in must be a whole number, 2 or more, not 2.5.
    """
    if not _is_count(value, least):
        raise InputError(f"{name} must be a whole number, {least} or more, not {value!r}.")


def _is_count(value: object, least: int) -> bool:
    return isinstance(value, Integral) and not isinstance(value, bool) and int(value) >= least


# ------------------------------------------------------------------------------------------------
# Files that all who count can read, cut into pieces of work.

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
        How it is read, as :func:`tallytext.io.read_documents` takes it.
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
            More of how, as for :func:`tallytext.io.read_documents`.
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
        self.reader(**options)._check_columns()

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
        Whatever :func:`tallytext.io.read_documents` reads, but for standard input.
    format, encoding, match : str, default=None
        As for :func:`tallytext.io.read_documents`.
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
        check_count("split_bytes", self.split_bytes, 1)

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
        _check_file(name)
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


def _check_file(name: str) -> None:
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

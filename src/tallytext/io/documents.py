"""Labelled documents from files of many formats, a bounded number at a time."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Any, BinaryIO, Literal, Self

from tallytext.errors import FileError, InputError
from tallytext.io.batches import Batch, Columns, Limits, Row, Skipped, in_batches, remedy
from tallytext.io.formats import checked_encoding, csv_rows, json_rows, marked_rows, plain_rows
from tallytext.io.sources import Folder, Source, opened, plain_errors, tar_rows

MAX_DOCUMENTS = 16_384
MAX_BYTES = 32 << 20


class DocumentReader:
    """The documents of a source in batches, as often as it is iterated over.

    Memory is bounded by the batch, not by the source: files are read as they are needed, archives
    are never extracted. A document of more than 64 MiB cannot be read.

    Parameters
    ----------
    source : str or path
        A file, a folder, or ``"-"`` for standard input, which can be read once.
    text : str, default="text"
        The column of the documents. In JSON, dots lead into objects: ``"mail.body"``.
    label : str or None, default="label"
        The column of their labels, which are strings, numbers or lists of them; None for
        documents without labels. In folders and archives, the label is the innermost folder of
        a file, whatever the name given here.
    also : iterable of str, default=()
        Further columns to keep, an identifier for instance.
    format : {"csv", "tsv", "jsonl", "parquet", "folder", "tar", "txt", "fasttext"}, optional
        By default what the name tells (``.ndjson`` and ``.json`` are ``"jsonl"``, ``.tgz`` is
        ``"tar"``), and ``"jsonl"`` for standard input. In ``"csv"``, semicolons or tabs may stand
        in place of commas, if they do in the header. Where the name ends in ``.gz``, ``.bz2``,
        ``.xz`` or ``.zst`` the file is decompressed. ``"txt"`` has one document a line, and no
        labels; ``"fasttext"`` has one a line, in which words such as ``__label__spam`` are labels.
    label_separator : str, optional
        Makes lists of labels of strings: with ``";"``, ``"a; b"`` stands for two labels and an
        empty string for none.
    on_error : {"fail", "skip"}, default="fail"
        Whether a row that cannot be read ends the reading or is left out, and counted.
    encoding : str, default="utf-8"
        Of the text; files in folders and archives are tried as UTF-8 first.
    match : str, optional
        A pattern for the paths of files in a folder or archive, such as ``"*/train/*.txt"``, in
        which ``*`` stands for any text.
    max_documents, max_bytes : int
        The largest number of documents in a batch, and of bytes in their texts; a longer
        document is a batch of its own.

    Attributes
    ----------
    skipped : Skipped
        What was left out, the last time the source was read.

    Raises
    ------
    FileError
        If the source is missing, damaged or of an unknown format; when it is iterated over, if a
        column is missing or, unless they are to be skipped, a row cannot be read.
    InputError
        If an option has an impossible value.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> path = Path(tempfile.mkdtemp()) / "mails.csv"
    >>> path.write_text('body,folder\\n"Cheap, cheap!",spam\\nbroken\\nSee you at noon,ham\\n')
    60
    >>> reader = DocumentReader(path, text="body", label="folder", on_error="skip")
    >>> for batch in reader:
    ...     print(batch.texts, batch.labels, batch.places)
    ['Cheap, cheap!', 'See you at noon'] ['spam', 'ham'] [2, 4]
    >>> reader.skipped
    Skipped(count=1, messages=['line 3: 1 fields, but the header has 2'])
    """

    def __init__(
        self,
        source: str | os.PathLike[str],
        *,
        text: str = "text",
        label: str | None = "label",
        also: Iterable[str] = (),
        format: str | None = None,
        label_separator: str | None = None,
        on_error: Literal["fail", "skip"] = "fail",
        encoding: str = "utf-8",
        match: str | None = None,
        max_documents: int = MAX_DOCUMENTS,
        max_bytes: int = MAX_BYTES,
    ) -> None:
        check_on_error(on_error)
        if max_documents < 1 or max_bytes < 1:
            raise InputError(
                "a batch needs room for a document: max_documents and max_bytes must be 1 or "
                f"more, not {max_documents} and {max_bytes}."
            )
        self.skipped = Skipped()
        self._columns = Columns(text, label, tuple(also), label_separator or None)
        self._limits = Limits(max_documents, max_bytes)
        self._skip = on_error == "skip"
        self._encoding = checked_encoding(encoding)
        self._match = match
        self._source = Source.of(source, format)
        self._is_read = False
        self._groups: range | None = None
        self._check()

    @property
    def size(self) -> int | None:
        """How many bytes there are to read in all; None for standard input."""
        if self._source.format != "folder":
            return self._source.size
        with plain_errors(self._source):
            return self._folder().size

    def __iter__(self) -> Iterator[Batch]:
        if self._is_read and self._source.path is None:
            raise FileError("standard input can be read only once.")
        self._is_read = True
        self.skipped = Skipped()
        with plain_errors(self._source):
            yield from self._batches()

    def _of_groups(self, groups: range | None, name: str) -> Self:
        """Read some row groups of a parquet file only, and call it by a name in messages."""
        self._groups, self._source = groups, replace(self._source, name=name or None)
        return self

    def _check_columns(self) -> None:
        """Refuse a parquet file that lacks a column, before it is read."""
        if self._source.format == "parquet":
            from tallytext.io.parquet import check_columns

            with plain_errors(self._source):
                check_columns(self._source, self._columns)

    def _check(self) -> None:
        source, columns = self._source, self._columns
        if source.format in ("folder", "tar", "txt", "fasttext") and columns.also:
            raise FileError(
                f"{source} has texts only, not the columns {', '.join(map(repr, columns.also))}."
            )
        if source.format == "txt" and columns.label is not None:
            raise FileError(
                f"{source} has one document a line and no labels: read it with label=None, "
                "to predict them. Lines such as '__label__spam Buy now' are format='fasttext'."
            )
        if self._match is not None and source.format not in ("folder", "tar"):
            raise FileError(f"match is for folders and archives, but {source} is {source.format}.")
        source.check()

    def _batches(self) -> Iterator[Batch]:
        source, columns, limits = self._source, self._columns, self._limits
        if source.format == "parquet":
            from tallytext.io.parquet import parquet_batches

            yield from parquet_batches(source, columns, self._report, limits, self._groups)
        elif source.format == "folder":
            folder = self._folder()
            rows = folder.rows(columns, self._report, self._encoding)
            yield from in_batches(rows, columns, limits, lambda: folder.n_bytes)
        else:
            with opened(source) as (stream, counted):
                rows = self._rows(stream)
                yield from in_batches(rows, columns, limits, lambda: counted.n_bytes)

    def _folder(self) -> Folder:
        assert self._source.path is not None
        return Folder(self._source.path, self._match)

    def _rows(self, stream: BinaryIO) -> Iterator[Row]:
        source, encoding = self._source, self._encoding
        given = (stream, self._columns, self._report, encoding)
        if source.format == "tar":
            return tar_rows(*given, str(source), self._match)
        if source.format == "jsonl":
            return json_rows(*given)
        if source.format == "fasttext":
            return marked_rows(*given)
        if source.format == "txt":
            return plain_rows(stream, self._report, encoding)
        return csv_rows(*given, str(source), "," if source.format == "csv" else "\t")

    def _report(self, place: str, reason: str) -> None:
        if self._skip:
            self.skipped.add(f"{place}: {reason}")
            return
        ended = reason if reason.endswith("?") else f"{reason}."
        raise FileError(f"cannot read {self._source}, {place}: {ended} {remedy(reason)}")


def check_on_error(on_error: object) -> None:
    """Refuse what does not say what becomes of a row that cannot be read.

    Raises
    ------
    InputError
    """
    if on_error not in ("fail", "skip"):
        raise InputError(f"on_error must be 'fail' or 'skip', not {on_error!r}.")


def read_documents(source: str | os.PathLike[str], **options: Any) -> DocumentReader:
    """Return the documents of a file, folder or archive, to be iterated over in batches.

    Parameters
    ----------
    source : str or path
        A file, a folder, or ``"-"`` for standard input.
    **options
        As for :class:`DocumentReader`.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> path = Path(tempfile.mkdtemp()) / "mails.jsonl"
    >>> path.write_text('{"text": "See you at noon", "label": ["work", "lunch"]}')
    55
    >>> [batch.labels for batch in read_documents(path)]
    [[['work', 'lunch']]]
    """
    return DocumentReader(source, **options)


def load_documents(
    source: str | os.PathLike[str], **options: Any
) -> tuple[list[str], list[Any] | None]:
    """Read all documents of a file, folder or archive into memory.

    Parameters
    ----------
    source : str or path
        A file, a folder, or ``"-"`` for standard input.
    **options
        As for :class:`DocumentReader`.

    Returns
    -------
    texts : list of str
        The documents.
    labels : list or None
        The label or labels of each; None with ``label=None``.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> path = Path(tempfile.mkdtemp()) / "mails.tsv"
    >>> path.write_text("text\\tlabel\\nCheap pills!\\tspam\\n")
    29
    >>> load_documents(path)
    (['Cheap pills!'], ['spam'])
    """
    texts: list[str] = []
    labels: list[Any] = []
    for batch in DocumentReader(source, **options):
        texts += batch.strings
        labels += batch.labels or []
    return texts, None if options.get("label", "label") is None else labels

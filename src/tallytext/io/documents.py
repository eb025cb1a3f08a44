"""DocumentReader: labelled documents from files, tables and folders, in bounded batches."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from dataclasses import replace
from io import BufferedReader
from typing import Any, Literal, Self

from tallytext.errors import FileError, InputError
from tallytext.io.archives import Folder, tar_rows
from tallytext.io.batches import (
    MAX_ROW_BYTES,
    Batch,
    BatchLimits,
    Columns,
    Condition,
    Row,
    SkippedRows,
    batch_rows,
    row_remedy,
)
from tallytext.io.sources import TABLE_FORMATS, Source, open_source, wrap_os_errors
from tallytext.io.text_formats import (
    as_narrow,
    check_encoding,
    csv_rows,
    detect_text_format,
    fasttext_rows,
    json_rows,
    txt_rows,
)

MAX_BATCH_DOCUMENTS = 16_384
MAX_BATCH_BYTES = 32 << 20


class DocumentReader:
    """Read the documents of a source in batches, each time it is iterated over.

    Memory is bounded by the size of a batch, not of the source: files are read as needed, and
    archives are never extracted.

    Parameters
    ----------
    source : str or path
        A file, a folder, or ``"-"`` for standard input, which can be read once. A sheet of a
        workbook or a table of a database is ``"mails.xlsx::Inbox"`` or ``"mails.db::inbox"``; by
        default the first sheet, or the only table.
    text : str, default="text"
        The column of the documents. In JSON, dots lead into nested objects: ``"mail.body"``.
    label : str or None, default="label"
        The column of the labels: strings, numbers or lists of them. None reads documents without
        labels. In folders and archives, the label is always the innermost folder of a file.
    also : iterable of str or "all", default=()
        Further columns to read, an identifier for instance; "all" for every column of the source,
        the texts included.
    format : {"csv", "tsv", "jsonl", "parquet", "xlsx", "sqlite", "duckdb", "folder", "tar", \
            "txt", "fasttext"}, optional
        By default the suffix of the name (``.ndjson`` and ``.json`` are ``"jsonl"``, ``.db`` is
        ``"sqlite"`` or ``"duckdb"``, ``.tgz`` is ``"tar"``). Standard input is ``"jsonl"`` if its
        first byte that is not blank is ``{`` or ``[``, and else ``"csv"``. A ``"jsonl"`` file may
        also be one array of objects. A ``"csv"`` file may have semicolons or tabs instead of
        commas; the header decides. A file whose name ends in ``.gz``, ``.bz2``, ``.xz`` or
        ``.zst`` is decompressed. ``"xlsx"`` needs ``pip install 'tallytext[excel]'`` and
        ``"duckdb"`` needs ``pip install 'tallytext[duckdb]'``; cells of a workbook are read as
        text. ``"txt"`` has one document per line and no labels; ``"fasttext"`` has one per line,
        in which words such as ``__label__spam`` are labels.
    label_separator : str, optional
        Splits strings into lists of labels: with ``";"``, ``"a; b"`` is two labels, and an empty
        string is none.
    on_error : {"fail", "skip"}, default="fail"
        ``"fail"`` raises FileError at an unreadable row; ``"skip"`` skips and counts it.
    encoding : str, default="utf-8"
        Encoding of the text; files in folders and archives are tried as UTF-8 first. UTF-16 is
        recognised by its byte order mark, or by the zero bytes of its first two characters.
    match : str, optional
        A pattern for the paths of files in a folder or archive, such as ``"*/train/*.txt"``;
        ``*`` matches any text.
    where : str or iterable of str, default=()
        Conditions that all hold for the rows to read: ``"split=train"`` or ``"split!=test"``.
        Values are compared as text: null is ``""``, the number 2.0 is ``"2"``, a date has the ISO
        format.
    on_unlabelled : {"fail", "skip", "keep"}, default="fail"
        Treatment of a row without a label: null, NaN, a missing key, or an empty or blank string.
        ``"fail"`` treats it as unreadable, ``"skip"`` leaves it out, and ``"keep"`` gives it the
        label None; the last two count it. An empty list is not a missing label but a document of
        no class, and so is an empty string if there is a ``label_separator``.
    max_documents, max_bytes : int
        Largest number of documents in a batch, and of bytes in their texts; a longer document is
        a batch of its own.
    max_row : int, default=32 MiB
        Largest number of bytes of a row: a line, a record of a CSV file, an element of a JSON
        array, a file in a folder or archive, or the text in other formats. A larger one is
        unreadable.
    max_unpacked : int, optional
        Largest number of bytes that a compressed source, a workbook or a database may unpack to.
        By default 256 MiB, or 200 times the compressed size if that is more, so that a small file
        cannot keep its reader busy for hours.

    Attributes
    ----------
    skipped : SkippedRows
        The unreadable rows of the last iteration.
    n_unlabelled : int
        Number of rows without a label in the last iteration, unless ``on_unlabelled="fail"``.

    Raises
    ------
    FileError
        If the source is missing, damaged or of an unknown format. During iteration, if a column
        is missing or, with ``on_error="fail"``, a row cannot be read.
    InputError
        If an option is invalid.

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
    ['Cheap, cheap!', 'See you at noon'] ['spam', 'ham'] [1, 3]
    >>> reader.skipped
    SkippedRows(count=1, messages=['line 3: 1 fields, but the header has 2'])

    Labelled rows of a file in which some rows have no label:

    >>> path.write_text('text,label,split\\nCheap!,spam,train\\nHello,,train\\nAt noon,ham,test\\n')
    65
    >>> reader = DocumentReader(path, where="split=train", on_unlabelled="skip")
    >>> [(batch.texts, batch.labels) for batch in reader], reader.n_unlabelled
    ([(['Cheap!'], ['spam'])], 1)
    """

    def __init__(
        self,
        source: str | os.PathLike[str],
        *,
        text: str = "text",
        label: str | None = "label",
        also: Iterable[str] | Literal["all"] = (),
        format: str | None = None,
        label_separator: str | None = None,
        on_error: Literal["fail", "skip"] = "fail",
        encoding: str = "utf-8",
        match: str | None = None,
        where: str | Iterable[str] = (),
        on_unlabelled: Literal["fail", "skip", "keep"] = "fail",
        max_documents: int = MAX_BATCH_DOCUMENTS,
        max_bytes: int = MAX_BATCH_BYTES,
        max_row: int | None = None,
        max_unpacked: int | None = None,
    ) -> None:
        check_on_error(on_error)
        max_row = MAX_ROW_BYTES if max_row is None else max_row
        if max_row < 1 or (max_unpacked is not None and max_unpacked < 1):
            raise InputError(
                f"max_row and max_unpacked must be 1 or more, not {max_row} and {max_unpacked}."
            )
        if max_documents < 1 or max_bytes < 1:
            raise InputError(
                "a batch needs room for a document: max_documents and max_bytes must be 1 or "
                f"more, not {max_documents} and {max_bytes}."
            )
        if on_unlabelled not in ("fail", "skip", "keep"):
            raise InputError(
                f"on_unlabelled must be 'fail', 'skip' or 'keep', not {on_unlabelled!r}."
            )
        self.skipped, self.n_unlabelled = SkippedRows(), 0
        every = also == "all"
        written = [where] if isinstance(where, str) else where
        self._columns = Columns(
            text,
            label,
            () if every else tuple(also),
            label_separator or None,
            every,
            tuple(map(Condition.parse, written)),
            on_unlabelled != "fail",
        )
        self._on_unlabelled = on_unlabelled
        self._limits = BatchLimits(max_documents, max_bytes)
        self._skip = on_error == "skip"
        self._encoding = check_encoding(encoding)
        self._match = match
        self._max_row = max_row
        self._source = replace(Source.from_name(source, format), max_unpacked=max_unpacked)
        self._is_read = False
        self._groups: range | None = None
        self._check()

    @property
    def size(self) -> int | None:
        """Size of the source in bytes; None for standard input."""
        if self._source.format != "folder":
            return self._source.size
        with wrap_os_errors(self._source):
            return self._folder().size

    def __iter__(self) -> Iterator[Batch]:
        if self._is_read and self._source.path is None:
            raise FileError("standard input can be read only once.")
        self._is_read = True
        self.skipped, self.n_unlabelled = SkippedRows(), 0
        with wrap_os_errors(self._source):
            for batch in self._batches():
                if batch.labels is not None and None in batch.labels:
                    batch = self._count_unlabelled(batch, batch.labels)
                if len(batch):
                    yield batch

    def _count_unlabelled(self, batch: Batch, labels: list[Any]) -> Batch:
        """Count the rows without a label, and leave them out if they are to be skipped."""
        labelled = [row for row, label in enumerate(labels) if label is not None]
        self.n_unlabelled += len(batch) - len(labelled)
        return batch if self._on_unlabelled == "keep" else batch.take(labelled)

    def _select_row_groups(self, groups: range | None, name: str) -> Self:
        """Read only some row groups of a parquet file, and set its name in messages."""
        self._groups, self._source = groups, replace(self._source, name=name or None)
        return self

    def _check_columns(self) -> None:
        """Raise FileError if a parquet file lacks a column, before any document is read."""
        if self._source.format == "parquet":
            from tallytext.io.parquet import check_columns

            with wrap_os_errors(self._source):
                check_columns(self._source, self._columns)

    def _check(self) -> None:
        source, columns = self._source, self._columns
        others = [*columns.also, *(each.column for each in columns.where)]
        if source.format in ("folder", "tar", "txt", "fasttext") and others:
            raise FileError(
                f"{source} has texts only, not the columns {', '.join(map(repr, others))}."
            )
        if source.format == "txt" and columns.label is not None:
            raise FileError(
                f"{source} has one document per line and no labels, so it can be read without "
                "labels only (label=None), to predict them. If its lines begin with labels such as "
                "__label__spam, use format='fasttext'."
            )
        if self._match is not None and source.format not in ("folder", "tar"):
            raise FileError(f"match is for folders and archives, but {source} is {source.format}.")
        source.check()

    def _batches(self) -> Iterator[Batch]:
        source, columns, limits = self._source, self._columns, self._limits
        if source.format == "parquet":
            from tallytext.io.parquet import parquet_batches

            yield from parquet_batches(
                source, columns, self._report, limits, self._max_row, self._groups
            )
        elif source.format == "folder":
            folder = self._folder()
            rows = folder.rows(columns, self._report, self._encoding)
            yield from batch_rows(rows, columns, limits, lambda: folder.n_bytes)
        elif source.format in TABLE_FORMATS:
            from tallytext.io.tables import TableFile

            with TableFile.of_source(source, self._max_row) as table:
                rows = table.rows(columns, self._report)
                yield from batch_rows(rows, columns, limits, lambda: table.n_bytes)
        else:
            with open_source(source) as (stream, counter):
                rows = self._rows(stream)
                yield from batch_rows(rows, columns, limits, lambda: counter.n_bytes)

    def _folder(self) -> Folder:
        assert self._source.path is not None
        return Folder(self._source.path, self._match, self._max_row)

    def _rows(self, stream: BufferedReader[Any]) -> Iterator[Row]:
        source, columns, report = self._source, self._columns, self._report
        most = self._max_row
        if source.format == "tar":
            encoding, match = self._encoding, self._match
            return tar_rows(stream, columns, report, encoding, most, str(source), match)
        text, encoding = as_narrow(stream, self._encoding)
        format = source.format or detect_text_format(text)
        if format == "jsonl":
            return json_rows(text, columns, report, encoding, most, str(source))
        if format == "fasttext":
            return fasttext_rows(text, columns, report, encoding, most)
        if format == "txt":
            return txt_rows(text, columns, report, encoding, most)
        guessed = (
            " (read as CSV; --format txt reads lines of text)" if source.format is None else ""
        )
        delimiter = "," if format == "csv" else "\t"
        return csv_rows(text, columns, report, encoding, most, f"{source}{guessed}", delimiter)

    def _report(self, place: str, reason: str) -> None:
        if self._skip:
            self.skipped.add(f"{place}: {reason}")
            return
        ended = reason if reason.endswith("?") else f"{reason}."
        raise FileError(f"cannot read {self._source}, {place}: {ended} {row_remedy(reason)}")


def check_on_error(on_error: object) -> None:
    """Raise InputError unless the value is 'fail' or 'skip'.

    Raises
    ------
    InputError
    """
    if on_error not in ("fail", "skip"):
        raise InputError(f"on_error must be 'fail' or 'skip', not {on_error!r}.")


def read_documents(source: str | os.PathLike[str], **options: Any) -> DocumentReader:
    """Return a reader of the documents of a file, folder or archive, in batches.

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

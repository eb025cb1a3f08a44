"""Documents whose labels are not known, beside those that have some."""

from __future__ import annotations

import typer

from tallytext.cli.documents import Documents
from tallytext.cli.options import Reading, UnlabelledReading
from tallytext.errors import FileError


def unlabelled_documents(
    sources: list[str], labelled: list[str], reading: Reading, quiet: bool
) -> Documents:
    """Return documents that are read as others are, but for their labels.

    Parameters
    ----------
    sources : list of str
    labelled : list of str
        Where the others are read from.
    reading : Reading
        How these are read.
    quiet : bool
        Whether to say nothing but warnings.
    """
    if sum(source == "-" for source in (*sources, *labelled)) > 1:
        raise typer.BadParameter("standard input can be read only once.")
    readings = [_without_labels(source, reading) for source in sources]
    return Documents(sources, readings, quiet)


def _without_labels(source: str, reading: Reading) -> UnlabelledReading:
    """Return how to read a source; what the others need and this does not is left out."""
    format = _format_of(source, reading.format)
    return UnlabelledReading(
        text=reading.text,
        format=format,
        on_error=reading.on_error,
        encoding=reading.encoding,
        match=reading.match if format in ("folder", "tar") else None,
    )


def _format_of(source: str, given: str | None) -> str | None:
    """Return what the name of a source tells, and what was said of the others if it does not."""
    from tallytext.datasets.opening import Source

    if source == "-":
        return given
    try:
        return Source.of(source).format
    except FileError:
        return given

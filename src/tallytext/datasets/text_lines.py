"""The lines of a stream as text, and documents that are a line each."""

from __future__ import annotations

from collections.abc import Iterator
from typing import BinaryIO

from tallytext.datasets.batch import Row
from tallytext.datasets.columns import Report
from tallytext.errors import InputError

#: A document with more bytes than this is taken for an accident, or for an attack.
LARGEST_DOCUMENT = 1 << 26

TOO_LARGE = f"larger than {LARGEST_DOCUMENT >> 20} MiB"

_BOM = b"\xef\xbb\xbf"


def checked_encoding(encoding: str) -> str:
    """Return an encoding whose lines can be told apart before they are decoded.

    Examples
    --------
    >>> checked_encoding("latin-1")
    'latin-1'
    """
    try:
        lines = "x\n".encode(encoding).removeprefix(_BOM)
    except LookupError:
        raise InputError(f"there is no encoding {encoding!r}.") from None
    if lines != b"x\n":
        raise InputError(
            f"files in {encoding} cannot be read: convert them to UTF-8 first, "
            f"as in iconv -f {encoding} -t UTF-8 old.csv > new.csv."
        )
    return encoding


def text_lines(stream: BinaryIO, encoding: str) -> Iterator[tuple[str, str]]:
    r"""Yield each line with its end, and what is wrong with it: nothing, most of the time.

    Examples
    --------
    >>> from io import BytesIO
    >>> list(text_lines(BytesIO(b"fine\nbro\xffken\n"), "utf-8"))
    [('fine\n', ''), ('bro\udcffken\n', 'not utf-8: byte 0xff at 3')]
    """
    for line in _byte_lines(stream):
        if len(line) > LARGEST_DOCUMENT:
            yield "\n", TOO_LARGE
            continue
        try:
            text = line.decode(encoding)
        except UnicodeDecodeError as problem:
            yield line.decode(encoding, "surrogateescape"), undecodable(problem)
        else:
            yield text, ""


def undecodable(problem: UnicodeDecodeError) -> str:
    """Return why bytes are no text, in few words."""
    byte = problem.object[problem.start]
    return f"not {problem.encoding}: byte 0x{byte:02x} at {problem.start}"


def plain_rows(stream: BinaryIO, report: Report, encoding: str) -> Iterator[Row]:
    """Yield one document a line, under its number; nothing tells their labels."""
    for number, (line, problem) in enumerate(text_lines(stream, encoding), 1):
        if problem:
            report(f"line {number}", problem)
        else:
            yield number, line.removesuffix("\n").removesuffix("\r"), None, ()


def _byte_lines(stream: BinaryIO) -> Iterator[bytes]:
    """Yield lines without the mark that some programs put in front of UTF-8.

    Of one that is too long for a document only the beginning is kept.
    """
    line = stream.readline(LARGEST_DOCUMENT + 1).removeprefix(_BOM)
    while line:
        yield line
        while len(line) > LARGEST_DOCUMENT and not line.endswith(b"\n"):
            line = stream.readline(LARGEST_DOCUMENT + 1)
        line = stream.readline(LARGEST_DOCUMENT + 1)

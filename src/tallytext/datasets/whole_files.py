"""Documents that are whole files, in a folder or in an archive; the class is the folder."""

from __future__ import annotations

from fnmatch import fnmatchcase
from pathlib import PurePosixPath

from tallytext.datasets.batch import Row
from tallytext.datasets.columns import Columns, UnreadableRow
from tallytext.datasets.text_lines import LARGEST_DOCUMENT, TOO_LARGE, undecodable


def is_wanted(name: str, match: str | None) -> bool:
    """Whether a file is neither hidden nor left out by a pattern, in which * matches any text.

    Examples
    --------
    >>> is_wanted("spam/1.txt", "*.txt"), is_wanted("spam/.1.swp", None)
    (True, False)
    """
    hidden = any(part[0] == "." and part != ".." for part in PurePosixPath(name).parts)
    return not hidden and (match is None or fnmatchcase(name, match))


def file_row(name: str, content: bytes, columns: Columns, encoding: str) -> Row:
    """Return the document that a file is.

    Examples
    --------
    >>> file_row("mails/spam/1.txt", b"Cheap pills!", Columns("text", "label"), "utf-8")
    ('mails/spam/1.txt', 'Cheap pills!', 'spam', ())
    """
    if len(content) > LARGEST_DOCUMENT:
        raise UnreadableRow(TOO_LARGE)
    if columns.label is None:
        return name, _decoded(content, encoding), None, ()
    folder = PurePosixPath(name).parent.name
    if folder in ("", ".."):
        raise UnreadableRow("not in a folder, which would be its label")
    return name, _decoded(content, encoding), columns.label_in(folder), ()


def _decoded(content: bytes, encoding: str) -> str:
    """Decode as UTF-8, which is hardly ever so by chance, and else as what was asked for."""
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError:
        pass
    try:
        return content.decode(encoding)
    except UnicodeDecodeError as problem:
        raise UnreadableRow(undecodable(problem)) from None

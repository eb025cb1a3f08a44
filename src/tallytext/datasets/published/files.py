"""What is in the archives that corpora are published in, document by document."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any, TypeAlias

from tallytext.datasets.tar_archives import tar_files
from tallytext.errors import FileError

#: A document: text, labels, split, id, and what else is known of it, by name.
Record: TypeAlias = dict[str, Any]


def files_like(path: Path, like: re.Pattern[str], example: str) -> list[tuple[re.Match[str], str]]:
    """Return the names, taken apart, and contents of some files of an archive, by their names.

    Bytes are taken for Latin-1, in which every byte is a character.

    Parameters
    ----------
    path : Path
        The archive.
    like : re.Pattern
        Of the names that are wanted.
    example : str
        One of these, for whoever has another archive.
    """
    found = [(name, content.decode("latin-1")) for name, content in tar_files(path, like)]
    if not found:
        raise FileError(
            f"{str(path)!r} is the archive of something else: "
            f"no file in it has a name like {example!r}."
        )
    return sorted(found, key=lambda file: file[0][0])


def in_columns(records: Iterable[Record], source: str) -> dict[str, list[Any]]:
    """Return what was known of each document, as columns.

    Examples
    --------
    >>> in_columns([{"id": "1", "text": "a"}, {"id": "2", "text": "b"}], "'file'")
    {'id': ['1', '2'], 'text': ['a', 'b']}
    """
    rows = list(records)
    if not rows:
        raise FileError(f"there are no documents in {source}.")
    return {name: [row[name] for row in rows] for name in rows[0]}

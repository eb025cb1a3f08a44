"""KLUE's topic classification, YNAT: in an archive a file of JSON for each half."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from tallytext.datasets.published.files import Record
from tallytext.datasets.tar_archives import tar_files
from tallytext.errors import FileError

_HALF = re.compile(r"(?:.*/)?ynat-v1(?:\.1)?_(train|dev)\.json")
_SIDES = {"train": "train", "dev": "test"}


def read_headlines(paths: Sequence[Path]) -> Iterator[Record]:
    """Yield the headlines; those to judge by are the published development set."""
    halves = {name[1]: content for name, content in tar_files(paths[0], _HALF)}
    for half, side in _SIDES.items():
        try:
            entries = json.loads(halves[half])
            yield from [_record(entry, side) for entry in entries]
        except (KeyError, TypeError, ValueError, RecursionError):
            raise FileError(
                f"cannot read {str(paths[0])!r}: there should be a file ynat-v1_{half}.json in it, "
                "a list of objects with guid, title and label. Is it the archive of KLUE's YNAT?"
            ) from None


def _record(entry: Any, side: str) -> Record:
    text, label, number = (entry[name] for name in ("title", "label", "guid"))
    if not all(isinstance(value, str) for value in (text, label, number)):
        raise TypeError
    more = {name: entry.get(name) for name in ("date", "url")}
    return {"text": text, "labels": [label], "split": side, "id": number, **more}

"""OHSUMED, the first 20,000 abstracts of 1991: in the folder of each class a copy of the file."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from pathlib import Path

from tallytext.datasets.published.files import Record, files_like

_ABSTRACT = re.compile(r"(?:.*/)?(training|test)/(C\d\d)/(\d+)")
_SIDES = {"training": "train", "test": "test"}


def read_abstracts(paths: Sequence[Path]) -> Iterable[Record]:
    """Return each abstract once, with all the classes it has a copy in."""
    records: dict[tuple[str, str], Record] = {}
    for name, text in files_like(paths[0], _ABSTRACT, "training/C01/0000021"):
        side, label, number = name.groups()
        record: Record = {"text": text, "labels": [], "split": _SIDES[side], "id": number}
        records.setdefault((side, number), record)["labels"].append(label)
    return records.values()

"""AG's news: a file of lines for each half, in each the number of a class, a title, a summary."""

from __future__ import annotations

import csv
from collections.abc import Iterator, Sequence
from pathlib import Path

from tallytext.datasets.opening import Source, plain_errors
from tallytext.datasets.published.files import Record
from tallytext.errors import FileError

_CLASSES = {"1": "World", "2": "Sports", "3": "Business", "4": "Sci/Tech"}


def read_news(paths: Sequence[Path]) -> Iterator[Record]:
    """Yield the news of the training half, then those of the test half."""
    for side, path in zip(("train", "test"), paths, strict=True):
        with plain_errors(Source(path, "csv")), path.open(encoding="utf-8", newline="") as file:
            yield from _half(side, file, path)


def _half(side: str, lines: Iterator[str], path: Path) -> Iterator[Record]:
    rows = csv.reader(lines, strict=True)
    try:
        for number, row in enumerate(rows):
            given, title, summary = row
            label = _CLASSES[given]
            text = f"{title}\n{summary}"
            yield {"text": text, "labels": [label], "split": side, "id": f"{side}-{number}"}
    except (ValueError, KeyError, csv.Error):
        raise FileError(
            f"cannot read {str(path)!r}, line {rows.line_num}: each line should have the number "
            "of a class, from 1 to 4, a title and a summary. Is it a half of AG's news?"
        ) from None

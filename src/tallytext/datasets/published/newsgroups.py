"""20 Newsgroups: a folder for each group, a file for each post."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import Path

from tallytext.datasets.published.fields import header_field, in_utc
from tallytext.datasets.published.files import Record, files_like

_ALL = re.compile(r"(?:.*/)?20_newsgroups?/([^/]+)/(\d+)")
_BY_DATE = re.compile(r"(?:.*/)?20news-bydate-(train|test)/([^/]+)/(\d+)")


def read_posts(paths: Sequence[Path]) -> Iterator[Record]:
    """Yield the 19,997 posts of the first distribution, with their whole headers."""
    for name, text in files_like(paths[0], _ALL, "20_newsgroups/sci.space/59848"):
        date = header_field(text, "Date")
        yield {
            "text": text,
            "labels": [name[1]],
            "split": "",
            "id": f"{name[1]}/{name[2]}",
            "date": in_utc(date),
            "date_raw": date,
            "message_id": header_field(text, "Message-ID"),
        }


def read_posts_by_date(paths: Sequence[Path]) -> Iterator[Record]:
    """Yield the 18,846 posts that were split by their date; the date itself was taken out."""
    example = "20news-bydate-train/sci.space/59848"
    for name, text in files_like(paths[0], _BY_DATE, example):
        yield {
            "text": text,
            "labels": [name[2]],
            "split": name[1],
            "id": f"{name[2]}/{name[3]}",
        }

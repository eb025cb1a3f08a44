"""WebKB: a folder for each class, in it one for each university, a file for each page."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import Path

from tallytext.datasets.published.fields import header_field, in_utc
from tallytext.datasets.published.files import Record, files_like

_PAGE = re.compile(r"(?:.*/)?webkb/([^/]+)/([^/]+)/([a-z]+)[:_](\^\^[^/]*)")


def read_pages(paths: Sequence[Path]) -> Iterator[Record]:
    """Yield the pages, under the header of the answer that they came in.

    Their addresses are the names of the files, with ^ for every slash. Where these were copied
    to a system that has no colons in names, the first is an underscore, as it is in the ids here.
    """
    example = "webkb/course/cornell/http:^^cs.cornell.edu^Info^Courses"
    for name, text in files_like(paths[0], _PAGE, example):
        label, university, scheme, rest = name.groups()
        date = header_field(text, "Date")
        yield {
            "text": text,
            "labels": [label],
            "split": "",
            "id": f"{label}/{university}/{scheme}_{rest}",
            "date": in_utc(date),
            "date_raw": date,
            "university": university,
            "url": f"{scheme}:{rest.replace('^', '/')}",
        }

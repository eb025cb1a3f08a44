"""Reuters-21578: 22 files of SGML, in which every article says which split it is of."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import Path

from tallytext.datasets.published.files import Record, files_like
from tallytext.datasets.published.sgml import Element, MarkupError, elements
from tallytext.datasets.published.splits import lewis_side
from tallytext.errors import FileError

_FILE = re.compile(r"(?:.*/)?reut2-\d{3}\.sgm")
_DATE = re.compile(r"(\d{1,2})-([A-Z]{3})-(\d{4})(?: +(\d\d:\d\d:\d\d\.\d+))?")
_MONTHS = ["JAN", "FEB", "MAR", "APR", "MAY", "JUN", "JUL", "AUG", "SEP", "OCT", "NOV", "DEC"]
_NEEDED = ("NEWID", "OLDID", "LEWISSPLIT", "CGISPLIT", "TOPICS")


def read_articles(paths: Sequence[Path]) -> Iterator[Record]:
    """Yield the articles in the order of their new numbers; the split is ModApte."""
    for name, markup in files_like(paths[0], _FILE, "reut2-000.sgm"):
        try:
            yield from map(_record, elements(markup, "REUTERS"))
        except MarkupError as problem:
            raise FileError(f"cannot read {str(paths[0])!r}, {name[0]}: {problem}.") from None


def _record(article: Element) -> Record:
    given = article.attributes
    if missing := [name for name in _NEEDED if name not in given]:
        raise MarkupError(f"an article without {missing[0]}")
    text = article.child("TEXT")
    date = article.child("DATE").markup.strip()
    return {
        "text": _text(text),
        "labels": article.child("TOPICS").texts("D"),
        "split": lewis_side(given["LEWISSPLIT"], given["TOPICS"], {"YES"}),
        "id": given["NEWID"],
        "date": _iso(date),
        "date_raw": date,
        "lewissplit": given["LEWISSPLIT"],
        "topics_attr": given["TOPICS"],
        "cgisplit": given["CGISPLIT"],
        "oldid": given["OLDID"],
        "texttype": text.attributes.get("TYPE", "NORM"),
        "title": text.child("TITLE").text,
        "dateline": text.child("DATELINE").text,
        "places": article.child("PLACES").texts("D"),
        "people": article.child("PEOPLE").texts("D"),
        "orgs": article.child("ORGS").texts("D"),
        "exchanges": article.child("EXCHANGES").texts("D"),
    }


def _text(text: Element) -> str:
    """Return title and body; where the article was not taken apart, all of it."""
    if text.attributes.get("TYPE") == "UNPROC":
        return text.text
    return f"{text.child('TITLE').text}\n{text.child('BODY').text}"


def _iso(date: str) -> str | None:
    """Return a date in ISO 8601, without the time where that is damaged."""
    found = _DATE.match(date)
    if found is None or found[2] not in _MONTHS:
        return None
    day = f"{found[3]}-{_MONTHS.index(found[2]) + 1:02d}-{int(found[1]):02d}"
    return f"{day}T{found[4]}" if found[4] else day

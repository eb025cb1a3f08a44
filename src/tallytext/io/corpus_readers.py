"""Readers of the files in which public corpora were published, one function per corpus."""

from __future__ import annotations

import csv
import json
import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import UTC
from pathlib import Path
from typing import Any, TypeAlias

from tallytext.errors import FileError
from tallytext.io.archives import read_tar_files
from tallytext.io.sources import Source, wrap_os_errors

#: A document by column: text, labels, split, id, and columns of its own.
Record: TypeAlias = dict[str, Any]


def read_matching_files(
    path: Path, pattern: re.Pattern[str], example: str
) -> list[tuple[re.Match[str], str]]:
    """Return the matches of names and the contents of files in an archive, sorted by name.

    Files are decoded as Latin-1, in which every byte is a character.

    Parameters
    ----------
    path : Path
        The archive.
    pattern : re.Pattern
        Pattern of the names.
    example : str
        A matching name, for the error message if no name matches.
    """
    found = [(name, content.decode("latin-1")) for name, content in read_tar_files(path, pattern)]
    if not found:
        raise FileError(
            f"{str(path)!r} is the archive of another corpus: "
            f"no file in it has a name like {example!r}."
        )
    # By name, since the order in an archive depends on the machine that packed it.
    return sorted(found, key=lambda file: file[0][0])


def columns_from_records(records: Iterable[Record], source: str) -> dict[str, list[Any]]:
    """Return records as columns by name.

    Examples
    --------
    >>> columns_from_records([{"id": "1", "text": "a"}, {"id": "2", "text": "b"}], "'file'")
    {'id': ['1', '2'], 'text': ['a', 'b']}
    """
    rows = list(records)
    if not rows:
        raise FileError(f"there are no documents in {source}.")
    return {name: [row[name] for row in rows] for name in rows[0]}


# AG's news: a CSV file for each split, with the number of a class, a title and a summary.

_CLASSES = {"1": "World", "2": "Sports", "3": "Business", "4": "Sci/Tech"}


def read_news(paths: Sequence[Path]) -> Iterator[Record]:
    """Yield the news of the training half, then those of the test half."""
    for side, path in zip(("train", "test"), paths, strict=True):
        # newline="": the csv module has to see line ends itself, inside quotes as well.
        with wrap_os_errors(Source(path, "csv")), path.open(encoding="utf-8", newline="") as file:
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


# KLUE's topic classification, YNAT: an archive with a JSON file for each split.

_YNAT_FILE = re.compile(r"(?:.*/)?ynat-v1(?:\.1)?_(train|dev)\.json")
_SIDES = {"train": "train", "dev": "test"}


def read_headlines(paths: Sequence[Path]) -> Iterator[Record]:
    """Yield the headlines; the published development set is the test set."""
    halves = {name[1]: content for name, content in read_tar_files(paths[0], _YNAT_FILE)}
    for half, side in _SIDES.items():
        try:
            entries = json.loads(halves[half])
            yield from [_headline_record(entry, side) for entry in entries]
        except (KeyError, TypeError, ValueError, RecursionError):
            raise FileError(
                f"cannot read {str(paths[0])!r}: there should be a file ynat-v1_{half}.json in it, "
                "a list of objects with guid, title and label. Is it the archive of KLUE's YNAT?"
            ) from None


def _headline_record(entry: Any, side: str) -> Record:
    text, label, number = (entry[name] for name in ("title", "label", "guid"))
    if not all(isinstance(value, str) for value in (text, label, number)):
        raise TypeError
    more = {name: entry.get(name) for name in ("date", "url")}
    return {"text": text, "labels": [label], "split": side, "id": number, **more}


# Header fields of posts and pages, and their dates.

_HEADER_END = re.compile(r"\n[ \t\r]*\n")


def header_field(document: str, name: str) -> str | None:
    r"""Return the value of a field of the header, which ends at the first blank line; or None.

    Examples
    --------
    >>> header_field("Path: a!b\nDate: 5 Apr 93 12:42:16 -0600\n\nDate: never", "Date")
    '5 Apr 93 12:42:16 -0600'
    """
    header = _HEADER_END.split(document, maxsplit=1)[0]
    found = re.search(rf"^{re.escape(name)}:(.*)", header, re.M)
    return found[1].strip() if found else None


def to_utc(date: str | None) -> str | None:
    """Return the date of a mail or of an HTTP response in ISO 8601, or None.

    A date without a time zone is read as UTC.

    Examples
    --------
    >>> to_utc("5 Apr 93 12:42:16 -0600"), to_utc("Sunday, 01-Dec-96 19:26:46 GMT")
    ('1993-04-05T18:42:16Z', '1996-12-01T19:26:46Z')
    >>> to_utc("yesterday")
    """
    from email.utils import parsedate_to_datetime

    try:
        when = parsedate_to_datetime(date or "")
        when = when.astimezone(UTC) if when.tzinfo else when
    # The parser raises all of these for damaged dates, depending on the Python version.
    except (TypeError, ValueError, IndexError, OverflowError):
        return None
    return when.replace(tzinfo=None).isoformat(timespec="seconds") + "Z"


# 20 Newsgroups: a folder for each group, a file for each post.

_POST_FILE = re.compile(r"(?:.*/)?20_newsgroups?/([^/]+)/(\d+)")
_POST_BY_DATE_FILE = re.compile(r"(?:.*/)?20news-bydate-(train|test)/([^/]+)/(\d+)")


def read_posts(paths: Sequence[Path]) -> Iterator[Record]:
    """Yield the 19,997 posts of the first distribution, with complete headers."""
    for name, text in read_matching_files(paths[0], _POST_FILE, "20_newsgroups/sci.space/59848"):
        date = header_field(text, "Date")
        yield {
            "text": text,
            "labels": [name[1]],
            "split": "",
            "id": f"{name[1]}/{name[2]}",
            "date": to_utc(date),
            "date_raw": date,
            "message_id": header_field(text, "Message-ID"),
        }


def read_posts_by_date(paths: Sequence[Path]) -> Iterator[Record]:
    """Yield the 18,846 posts that were split by date; the authors removed the dates."""
    example = "20news-bydate-train/sci.space/59848"
    for name, text in read_matching_files(paths[0], _POST_BY_DATE_FILE, example):
        yield {
            "text": text,
            "labels": [name[2]],
            "split": name[1],
            "id": f"{name[2]}/{name[3]}",
        }


# OHSUMED, the first 20,000 abstracts of 1991: a copy of the file in the folder of each class.

_ABSTRACT = re.compile(r"(?:.*/)?(training|test)/(C\d\d)/(\d+)")
_OHSUMED_SPLITS = {"training": "train", "test": "test"}


def read_abstracts(paths: Sequence[Path]) -> Iterable[Record]:
    """Return each abstract once, with the classes of all its copies."""
    records: dict[tuple[str, str], Record] = {}
    for name, text in read_matching_files(paths[0], _ABSTRACT, "training/C01/0000021"):
        side, label, number = name.groups()
        record: Record = {
            "text": text,
            "labels": [],
            "split": _OHSUMED_SPLITS[side],
            "id": number,
        }
        # The side is part of the key, so that training and test set stay apart.
        records.setdefault((side, number), record)["labels"].append(label)
    return records.values()


# The subset of SGML that Reuters-21578 uses: every element has a start and an end tag.

_TAG = re.compile(r"<(/?)([A-Za-z][\w.-]*)((?:\s[^<>]*)?)>")
_ATTRIBUTE = re.compile(r"""([\w.-]+)\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'<>]+))""")
_ENTITY = re.compile(r"&(?:#(\d{1,7})|(lt|gt|amp|quot));")
_CHARACTERS = {"lt": "<", "gt": ">", "amp": "&", "quot": '"'}
# All but tab and newline; a value of None makes translate() delete a character.
_CONTROLS = dict.fromkeys([*range(9), *range(11, 32), 127])


class MarkupError(Exception):
    """Tags that do not match; the reader adds the name of the file."""


@dataclass
class Element:
    """An SGML element: its name in capitals, attributes, own text and children.

    Examples
    --------
    >>> [element] = parse_elements('<note kind="a">one<d>x</d><d>y</d> &lt;two></note>', "NOTE")
    >>> element.attributes, element.text, element.texts("D")
    ({'KIND': 'a'}, 'one <two>', ['x', 'y'])
    """

    name: str
    attributes: dict[str, str]
    children: list[Element] = field(default_factory=list)
    pieces: list[str] = field(default_factory=list)

    @property
    def markup(self) -> str:
        """Its own text, as in the source."""
        return "".join(self.pieces)

    @property
    def text(self) -> str:
        """Its own text, with entities decoded and without control characters."""
        return _ENTITY.sub(_character, self.markup).translate(_CONTROLS)

    def texts(self, name: str) -> list[str]:
        """Return the texts of the children with a name."""
        return [child.text for child in self.children if child.name == name]

    def first(self, name: str) -> Element:
        """Return the first child with a name; an empty element if there is none."""
        named = (child for child in self.children if child.name == name)
        return next(named, Element(name, {}))


def parse_elements(markup: str, name: str) -> Iterator[Element]:
    """Yield the elements with a name, in order.

    Raises
    ------
    MarkupError
        If a tag is missing.
    """
    within: list[Element] = []
    end = 0
    for tag in _TAG.finditer(markup):
        if within:
            within[-1].pieces.append(markup[end : tag.start()])
        end = tag.end()
        if not tag[1]:
            within.append(Element(tag[2].upper(), _attributes(tag[3])))
        elif (closed := _close_element(within, tag[2].upper())).name == name:
            yield closed
    if within:
        raise MarkupError(f"<{within[-1].name}> has no end tag")


def _close_element(within: list[Element], name: str) -> Element:
    if not within or within[-1].name != name:
        raise MarkupError(f"</{name}> has no start tag")
    element = within.pop()
    if within:
        within[-1].children.append(element)
    return element


def _attributes(markup: str) -> dict[str, str]:
    given = _ATTRIBUTE.finditer(markup)
    return {each[1].upper(): each[2] or each[3] or each[4] or "" for each in given}


def _character(entity: re.Match[str]) -> str:
    if entity[2]:
        return _CHARACTERS[entity[2]]
    number = int(entity[1])
    # Larger numbers may be surrogates, or beyond Unicode.
    return chr(number) if number < 0xD800 else "\ufffd"


# Reuters-21578: 22 SGML files; attributes of each article give its splits.

_FILE = re.compile(r"(?:.*/)?reut2-\d{3}\.sgm")
_DATE = re.compile(r"(\d{1,2})-([A-Z]{3})-(\d{4})(?: +(\d\d:\d\d:\d\d\.\d+))?")
_LEWIS = {"TRAIN": "train", "TEST": "test"}
_MONTHS = ["JAN", "FEB", "MAR", "APR", "MAY", "JUN", "JUL", "AUG", "SEP", "OCT", "NOV", "DEC"]
_NEEDED = ("NEWID", "OLDID", "LEWISSPLIT", "CGISPLIT", "TOPICS")


def lewis_side(lewissplit: str, topics: str, wanted: Collection[str]) -> str:
    """Return the split of a Reuters-21578 article: "train", "test", or "" if it is not used.

    Examples
    --------
    >>> lewis_side("TRAIN", "YES", {"YES"}), lewis_side("TRAIN", "NO", {"YES"})
    ('train', '')
    """
    return _LEWIS.get(lewissplit, "") if topics in wanted else ""


def read_articles(paths: Sequence[Path]) -> Iterator[Record]:
    """Yield the articles in the order of NEWID; the split is ModApte."""
    for name, markup in read_matching_files(paths[0], _FILE, "reut2-000.sgm"):
        try:
            yield from map(_article_record, parse_elements(markup, "REUTERS"))
        except MarkupError as problem:
            raise FileError(f"cannot read {str(paths[0])!r}, {name[0]}: {problem}.") from None


def _article_record(article: Element) -> Record:
    given = article.attributes
    if missing := [name for name in _NEEDED if name not in given]:
        raise MarkupError(f"an article has no attribute {missing[0]}")
    text = article.first("TEXT")
    date = article.first("DATE").markup.strip()
    return {
        "text": _text(text),
        "labels": article.first("TOPICS").texts("D"),
        "split": lewis_side(given["LEWISSPLIT"], given["TOPICS"], {"YES"}),
        "id": given["NEWID"],
        "date": _iso(date),
        "date_raw": date,
        "lewissplit": given["LEWISSPLIT"],
        "topics_attr": given["TOPICS"],
        "cgisplit": given["CGISPLIT"],
        "oldid": given["OLDID"],
        "texttype": text.attributes.get("TYPE", "NORM"),
        "title": text.first("TITLE").text,
        "dateline": text.first("DATELINE").text,
        "places": article.first("PLACES").texts("D"),
        "people": article.first("PEOPLE").texts("D"),
        "orgs": article.first("ORGS").texts("D"),
        "exchanges": article.first("EXCHANGES").texts("D"),
    }


def _text(text: Element) -> str:
    """Return title and body; the whole text of an article of type UNPROC."""
    if text.attributes.get("TYPE") == "UNPROC":
        return text.text
    return f"{text.first('TITLE').text}\n{text.first('BODY').text}"


def _iso(date: str) -> str | None:
    """Return a date in ISO 8601, without the time if that is damaged."""
    found = _DATE.match(date)
    if found is None or found[2] not in _MONTHS:
        return None
    day = f"{found[3]}-{_MONTHS.index(found[2]) + 1:02d}-{int(found[1]):02d}"
    return f"{day}T{found[4]}" if found[4] else day


# WebKB: a folder for each class and university, a file for each page.

_PAGE = re.compile(r"(?:.*/)?webkb/([^/]+)/([^/]+)/([a-z]+)[:_](\^\^[^/]*)")


def read_pages(paths: Sequence[Path]) -> Iterator[Record]:
    """Yield the pages, each with the header of its HTTP response.

    The names of the files are their addresses, with ^ for every slash. On systems without colons
    in file names, the first colon is an underscore; ids here always have the underscore.
    """
    example = "webkb/course/cornell/http:^^cs.cornell.edu^Info^Courses"
    for name, text in read_matching_files(paths[0], _PAGE, example):
        label, university, scheme, rest = name.groups()
        date = header_field(text, "Date")
        yield {
            "text": text,
            "labels": [label],
            "split": "",
            "id": f"{label}/{university}/{scheme}_{rest}",
            "date": to_utc(date),
            "date_raw": date,
            "university": university,
            "url": f"{scheme}:{rest.replace('^', '/')}",
        }

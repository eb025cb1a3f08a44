"""The public corpora: the files that hold them, how these are read, and where they are from."""

from __future__ import annotations

import csv
import json
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC
from pathlib import Path
from typing import Any, TypeAlias

from tallytext.errors import FileError
from tallytext.io.corpus import Corpus
from tallytext.io.sources import Source, plain_errors, tar_files

# ------------------------------------------------------------------------------------------------
# What is in the archives that corpora are published in, document by document.

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


# ------------------------------------------------------------------------------------------------
# AG's news: a file of lines for each half, in each the number of a class, a title, a summary.

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


# ------------------------------------------------------------------------------------------------
# KLUE's topic classification, YNAT: in an archive a file of JSON for each half.

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


# ------------------------------------------------------------------------------------------------
# Fields in the headers of posts and of pages, and the dates in them.

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


def in_utc(date: str | None) -> str | None:
    """Return the date of a mail, or of an answer of a web server, in ISO 8601; or None.

    One without a time zone is taken for UTC.

    Examples
    --------
    >>> in_utc("5 Apr 93 12:42:16 -0600"), in_utc("Sunday, 01-Dec-96 19:26:46 GMT")
    ('1993-04-05T18:42:16Z', '1996-12-01T19:26:46Z')
    >>> in_utc("yesterday")
    """
    from email.utils import parsedate_to_datetime

    try:
        when = parsedate_to_datetime(date or "")
        when = when.astimezone(UTC) if when.tzinfo else when
    except (TypeError, ValueError, IndexError, OverflowError):
        return None
    return when.replace(tzinfo=None).isoformat(timespec="seconds") + "Z"


# ------------------------------------------------------------------------------------------------
# 20 Newsgroups: a folder for each group, a file for each post.

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


# ------------------------------------------------------------------------------------------------
# OHSUMED, the first 20,000 abstracts of 1991: in the folder of each class a copy of the file.

_ABSTRACT = re.compile(r"(?:.*/)?(training|test)/(C\d\d)/(\d+)")
_SIDES_of_ohsumed = {"training": "train", "test": "test"}


def read_abstracts(paths: Sequence[Path]) -> Iterable[Record]:
    """Return each abstract once, with all the classes it has a copy in."""
    records: dict[tuple[str, str], Record] = {}
    for name, text in files_like(paths[0], _ABSTRACT, "training/C01/0000021"):
        side, label, number = name.groups()
        record: Record = {
            "text": text,
            "labels": [],
            "split": _SIDES_of_ohsumed[side],
            "id": number,
        }
        records.setdefault((side, number), record)["labels"].append(label)
    return records.values()


# ------------------------------------------------------------------------------------------------
# As much of SGML as Reuters-21578 is written in: every element has both its tags.

_TAG = re.compile(r"<(/?)([A-Za-z][\w.-]*)((?:\s[^<>]*)?)>")
_ATTRIBUTE = re.compile(r"""([\w.-]+)\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'<>]+))""")
_ENTITY = re.compile(r"&(?:#(\d{1,7})|(lt|gt|amp|quot));")
_CHARACTERS = {"lt": "<", "gt": ">", "amp": "&", "quot": '"'}
_CONTROLS = dict.fromkeys([*range(9), *range(11, 32), 127])


class MarkupError(Exception):
    """Tags that do not belong together; the reader tells of which file."""


@dataclass
class Element:
    """An element: its name in capitals, attributes, own text, and the elements in it.

    Examples
    --------
    >>> [element] = elements('<note kind="a">one<d>x</d><d>y</d> &lt;two></note>', "NOTE")
    >>> element.attributes, element.text, element.texts("D")
    ({'KIND': 'a'}, 'one <two>', ['x', 'y'])
    """

    name: str
    attributes: dict[str, str]
    children: list[Element] = field(default_factory=list)
    pieces: list[str] = field(default_factory=list)

    @property
    def markup(self) -> str:
        """What it says itself, as it is written."""
        return "".join(self.pieces)

    @property
    def text(self) -> str:
        """What it says itself, without control characters."""
        return _ENTITY.sub(_character, self.markup).translate(_CONTROLS)

    def texts(self, name: str) -> list[str]:
        """Return the texts of the elements of a name in it."""
        return [child.text for child in self.children if child.name == name]

    def child(self, name: str) -> Element:
        """Return the first element of a name in it; an empty one if there is none."""
        named = (child for child in self.children if child.name == name)
        return next(named, Element(name, {}))


def elements(markup: str, name: str) -> Iterator[Element]:
    """Yield the elements of a name, one after the other.

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
        elif (closed := _closed(within, tag[2].upper())).name == name:
            yield closed
    if within:
        raise MarkupError(f"<{within[-1].name}> has no end")


def _closed(within: list[Element], name: str) -> Element:
    if not within or within[-1].name != name:
        raise MarkupError(f"</{name}> ends what did not begin")
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
    return chr(number) if number < 0xD800 else "\ufffd"


# ------------------------------------------------------------------------------------------------
# Splits into training and test documents that papers refer to by name.

#: Gives a corpus other sides.
Split: TypeAlias = Callable[[Corpus], Corpus]

_LEWIS = {"TRAIN": "train", "TEST": "test"}
_HAYES = {"TRAINING-SET": "train", "PUBLISHED-TESTSET": "test"}


def lewis_side(lewissplit: str, topics: str, wanted: Collection[str]) -> str:
    """Return the side of an article of Reuters-21578 whose attribute TOPICS is one of some.

    Examples
    --------
    >>> lewis_side("TRAIN", "YES", {"YES"}), lewis_side("TRAIN", "NO", {"YES"})
    ('train', '')
    """
    return _LEWIS.get(lewissplit, "") if topics in wanted else ""


def mod_apte(corpus: Corpus) -> Corpus:
    """9,603 and 3,299 articles whose topics an indexer thought about; 8,676 are not used."""
    return _by_lewis(corpus, {"YES"})


def mod_lewis(corpus: Corpus) -> Corpus:
    """13,625 and 6,188 articles, those without topics included; 1,765 are not used."""
    return _by_lewis(corpus, {"YES", "NO"})


def mod_hayes(corpus: Corpus) -> Corpus:
    """20,856 articles to train on, and the 722 that the first published system was tested on."""
    return replace(corpus, splits=[_HAYES.get(side, "") for side in _column(corpus, "cgisplit")])


def mod_apte_90(corpus: Corpus) -> Corpus:
    """The 90 topics with articles on both sides of ModApte: 7,770 and 3,019 have one of them.

    No other topic is left among the labels.
    """
    split = mod_apte(corpus)
    kept = set(split.train.classes) & set(split.test.classes)
    labels = [[label for label in given if label in kept] for given in split.labels]
    sides = [side if given else "" for side, given in zip(split.splits, labels, strict=True)]
    return replace(split, labels=labels, splits=sides)


def held_out(column: str, value: str) -> Split:
    """Return the split that tests on the documents with a value in a column."""

    def split(corpus: Corpus) -> Corpus:
        values = _column(corpus, column)
        return replace(corpus, splits=["test" if each == value else "train" for each in values])

    return split


def _by_lewis(corpus: Corpus, topics: Collection[str]) -> Corpus:
    sides = _column(corpus, "lewissplit")
    given = _column(corpus, "topics_attr")
    pairs = zip(sides, given, strict=True)
    return replace(corpus, splits=[lewis_side(side, each, topics) for side, each in pairs])


def _column(corpus: Corpus, name: str) -> Iterable[str]:
    if name not in corpus.columns:
        raise FileError(
            f"the table of {corpus.name!r} has no column {name!r}, which the split is made by."
        )
    return corpus.columns[name]


# ------------------------------------------------------------------------------------------------
# Reuters-21578: 22 files of SGML, in which every article says which split it is of.

_FILE = re.compile(r"(?:.*/)?reut2-\d{3}\.sgm")
_DATE = re.compile(r"(\d{1,2})-([A-Z]{3})-(\d{4})(?: +(\d\d:\d\d:\d\d\.\d+))?")
_MONTHS = ["JAN", "FEB", "MAR", "APR", "MAY", "JUN", "JUL", "AUG", "SEP", "OCT", "NOV", "DEC"]
_NEEDED = ("NEWID", "OLDID", "LEWISSPLIT", "CGISPLIT", "TOPICS")


def read_articles(paths: Sequence[Path]) -> Iterator[Record]:
    """Yield the articles in the order of their new numbers; the split is ModApte."""
    for name, markup in files_like(paths[0], _FILE, "reut2-000.sgm"):
        try:
            yield from map(_record_of_reuters, elements(markup, "REUTERS"))
        except MarkupError as problem:
            raise FileError(f"cannot read {str(paths[0])!r}, {name[0]}: {problem}.") from None


def _record_of_reuters(article: Element) -> Record:
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


# ------------------------------------------------------------------------------------------------
# WebKB: a folder for each class, in it one for each university, a file for each page.

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


@dataclass(frozen=True)
class Original:
    """A file as the authors of a corpus published it.

    Parameters
    ----------
    name : str
        What it is called, in the folder of data or in ``originals`` there.
    address, sha256 : str, optional
        Where it is downloaded from, and the checksum it must have.
    """

    name: str
    address: str = ""
    sha256: str = ""


@dataclass(frozen=True)
class Published:
    """A corpus that can be asked for by name.

    Parameters
    ----------
    table : str
        The parquet file that holds it, with columns text, labels, split and id.
    multi_label : bool
        Whether a document may have several labels, or none.
    originals : tuple of Original
        The files that hold it otherwise; empty if there is only the table.
    read : callable, optional
        Takes the paths of these and returns the documents.
    page : str
        Where to read about it, and get the files.
    splits : mapping of str to callable
        Splits that can be asked for by name; the usual one is in the files.

    Examples
    --------
    >>> CORPORA["reuters21578"].originals[0].name, list(CORPORA["reuters21578"].splits)
    ('reuters21578.tar.gz', ['modapte', 'modlewis', 'modhayes', 'modapte-90'])
    """

    table: str
    multi_label: bool = False
    originals: tuple[Original, ...] = ()
    read: Callable[[Sequence[Path]], Iterable[Record]] | None = None
    page: str = ""
    splits: Mapping[str, Split] = field(default_factory=dict)


_NEWSGROUPS = "http://qwone.com/~jason/20Newsgroups/"
_AG_NEWS = "https://raw.githubusercontent.com/mhjabreel/CharCnn_Keras/master/data/"
_KLUE = "http://klue-benchmark.com.s3.amazonaws.com/app/Competitions/"
_UCI = "https://archive.ics.uci.edu/ml/machine-learning-databases/"
_UNIVERSITIES = ("cornell", "texas", "washington", "wisconsin")

CORPORA = {
    "20newsgroups": Published(
        "20ng_orig19997.parquet",
        originals=(
            Original(
                "20news-19997.tar.gz",
                f"{_NEWSGROUPS}20news-19997.tar.gz",
                "ab7bbf82b7831f7dbb1a09d9312f66fa78565c8de25526999b0d66f69d37e414",
            ),
        ),
        read=read_posts,
        page=_NEWSGROUPS,
    ),
    "20newsgroups-bydate": Published(
        "20ng_bydate.parquet",
        originals=(
            Original(
                "20news-bydate.tar.gz",
                f"{_NEWSGROUPS}20news-bydate.tar.gz",
                "8f1b2514ca22a5ade8fbb9cfa5727df95fa587f4c87b786e15c759fa66d95610",
            ),
        ),
        read=read_posts_by_date,
        page=_NEWSGROUPS,
    ),
    "ag-news": Published(
        "ag_news.parquet",
        originals=(
            Original(
                "ag_news_csv/train.csv",
                f"{_AG_NEWS}ag_news_csv/train.csv",
                "76a0a2d2f92b286371fe4d4044640910a04a803fdd2538e0f3f29a5c6f6b672e",
            ),
            Original(
                "ag_news_csv/test.csv",
                f"{_AG_NEWS}ag_news_csv/test.csv",
                "521465c2428ed7f02f8d6db6ffdd4b5447c1c701962353eb2c40d548c3c85699",
            ),
        ),
        read=read_news,
        page="https://github.com/mhjabreel/CharCnn_Keras/tree/master/data/ag_news_csv",
    ),
    "ag-news-20k": Published("ag_news_20k.parquet"),
    "debian-sections": Published("debian_sections.parquet"),
    "klue-ynat": Published("klue_ynat.parquet"),
    "klue-ynat-v1": Published(
        "klue_ynat_v1.parquet",
        originals=(
            Original(
                "ynat-v1.tar.gz",
                f"{_KLUE}000066/data/ynat-v1.tar.gz",
                "820a4d1d6d1fd83e2a421f856965d3cfc5c93627935ce8c5b27468c6113fc482",
            ),
        ),
        read=read_headlines,
        page="https://klue-benchmark.com/tasks/66/overview/description",
    ),
    "korean-news": Published("korean_news8_1600.parquet"),
    "ohsumed": Published(
        "ohsumed_first20000.parquet",
        multi_label=True,
        originals=(Original("ohsumed-first-20000-docs.tar.gz"),),
        read=read_abstracts,
        page="http://disi.unitn.it/moschitti/corpora.htm",
    ),
    "reuters21578": Published(
        "reuters21578.parquet",
        multi_label=True,
        originals=(
            Original(
                "reuters21578.tar.gz",
                f"{_UCI}reuters21578-mld/reuters21578.tar.gz",
                "3bae43c9b14e387f76a61b6d82bf98a4fb5d3ef99ef7e7075ff2ccbcf59f9d30",
            ),
        ),
        read=read_articles,
        page="https://kdd.ics.uci.edu/databases/reuters21578/reuters21578.html",
        splits={
            "modapte": mod_apte,
            "modlewis": mod_lewis,
            "modhayes": mod_hayes,
            "modapte-90": mod_apte_90,
        },
    ),
    "webkb": Published(
        "webkb.parquet",
        originals=(Original("webkb-data.gtar.gz"),),
        read=read_pages,
        page="http://www.cs.cmu.edu/afs/cs.cmu.edu/project/theo-20/www/data/",
        splits={name: held_out("university", name) for name in _UNIVERSITIES},
    ),
    "wordnet-hypernyms": Published("wordnet_gloss_hypernym.parquet", multi_label=True),
}
"""The corpora that :func:`tallytext.io.load` knows by name, and where each comes from."""

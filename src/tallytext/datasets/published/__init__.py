"""The public corpora: the files that hold them, how these are read, and where they are from."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from tallytext.datasets.published.ag_news import read_news
from tallytext.datasets.published.files import Record
from tallytext.datasets.published.klue import read_headlines
from tallytext.datasets.published.newsgroups import read_posts, read_posts_by_date
from tallytext.datasets.published.ohsumed import read_abstracts
from tallytext.datasets.published.reuters import read_articles
from tallytext.datasets.published.splits import (
    Split,
    held_out,
    mod_apte,
    mod_apte_90,
    mod_hayes,
    mod_lewis,
)
from tallytext.datasets.published.webkb import read_pages


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
"""The corpora that :func:`tallytext.datasets.load` knows by name, and where each comes from."""

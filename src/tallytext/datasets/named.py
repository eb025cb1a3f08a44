"""Public corpora by name, from a folder of data."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tallytext.datasets.corpus import Corpus
from tallytext.errors import FileError, InputError, did_you_mean

FOLDER_VARIABLE = "TALLYTEXT_DATA"


@dataclass(frozen=True)
class Published:
    """A corpus that can be asked for by name.

    Parameters
    ----------
    table : str
        The parquet file that holds it, with columns text, labels, split and id.
    multi_label : bool
        Whether a document may have several labels, or none.
    """

    table: str
    multi_label: bool = False


CORPORA = {
    "20newsgroups": Published("20ng_orig19997.parquet"),
    "20newsgroups-bydate": Published("20ng_bydate.parquet"),
    "ag-news-20k": Published("ag_news_20k.parquet"),
    "debian-sections": Published("debian_sections.parquet"),
    "klue-ynat": Published("klue_ynat.parquet"),
    "korean-news": Published("korean_news8_1600.parquet"),
    "ohsumed": Published("ohsumed_first20000.parquet", multi_label=True),
    "reuters21578": Published("reuters21578.parquet", multi_label=True),
    "webkb": Published("webkb.parquet"),
    "wordnet-hypernyms": Published("wordnet_gloss_hypernym.parquet", multi_label=True),
}


def load(name: str, *, folder: str | os.PathLike[str] | None = None) -> Corpus:
    """Return a public corpus.

    Parameters
    ----------
    name : str
        One of ``CORPORA``.
    folder : str or path, optional
        Where the files are; by default ``$TALLYTEXT_DATA``.
    """
    if name not in CORPORA:
        raise InputError(f"there is no corpus {name!r}.{did_you_mean(name, CORPORA)}")
    published = CORPORA[name]
    path = Path(folder or os.environ.get(FOLDER_VARIABLE, ".")) / published.table
    if not path.is_file():
        raise FileError(f"the corpus {name!r} is not there: there is no file {str(path)!r}.")
    return _from_table(name, path, published)


def _from_table(name: str, path: Path, published: Published) -> Corpus:
    import pyarrow.parquet as pq

    columns: dict[str, list[Any]] = pq.read_table(path).to_pydict()
    texts, labels = columns.pop("text"), columns.pop("labels")
    return Corpus(
        name,
        texts,
        labels if published.multi_label else [given[0] for given in labels],
        columns.pop("id"),
        columns.pop("split"),
        columns,
    )

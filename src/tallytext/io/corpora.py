"""Public corpora by name, from a folder of data or from the network."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

from tallytext.errors import FileError, InputError, did_you_mean
from tallytext.io.corpus_readers import (
    Record,
    columns_from_records,
    lewis_side,
    read_abstracts,
    read_articles,
    read_headlines,
    read_news,
    read_pages,
    read_posts,
    read_posts_by_date,
)
from tallytext.io.download import download_file
from tallytext.io.sources import Source, wrap_os_errors

if TYPE_CHECKING:
    import pyarrow as pa

DATA_FOLDER_VARIABLE = "TALLYTEXT_DATA"

_ORIGINALS = "originals"
_REQUIRED_COLUMNS = ("text", "labels", "split", "id")
#: Function that returns a corpus with other splits.
Split: TypeAlias = Callable[["Corpus"], "Corpus"]

_HAYES = {"TRAINING-SET": "train", "PUBLISHED-TESTSET": "test"}


@dataclass(frozen=True, repr=False)
class Corpus:
    """Labelled documents with ids, splits and further columns; its length is their number.

    Attributes
    ----------
    name : str
        Name of the corpus.
    texts : list of str
        The documents, exactly as in the source.
    labels : list of str or list of list of str
        The label of each document; the list of its labels if the corpus is multi-label.
    ids : list of str
        The id of each document in the source.
    splits : list of str
        ``"train"``, ``"test"``, or ``""`` for documents in neither.
    columns : dict of str to list
        Further columns of the source by name: a date, a university.

    Examples
    --------
    >>> corpus = Corpus("mails", ["Cheap!", "At noon?"], ["spam", "ham"], ["1", "2"],
    ...                 ["train", "test"])
    >>> corpus
    Corpus('mails', 2 documents, 2 classes, 1 train, 1 test)
    >>> corpus.train.texts, corpus.test.labels
    (['Cheap!'], ['ham'])
    """

    name: str
    texts: list[str]
    labels: list[Any]
    ids: list[str]
    splits: list[str]
    columns: dict[str, list[Any]] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self.texts)

    def __repr__(self) -> str:
        sides = [f"{self.splits.count(side):,} {side}" for side in ("train", "test")]
        split = [] if not any(self.splits) else sides
        described = [f"{len(self):,} documents", f"{len(self.classes):,} classes", *split]
        return f"Corpus({self.name!r}, {', '.join(described)})"

    @property
    def multi_label(self) -> bool:
        """True if the labels are lists, of any length."""
        return any(not isinstance(given, str) for given in self.labels)

    @property
    def classes(self) -> list[str]:
        """The distinct labels, sorted."""
        return sorted({label for given in self.labels for label in _each(given)})

    @property
    def train(self) -> Corpus:
        """The training documents."""
        return self.where(side == "train" for side in self.splits)

    @property
    def test(self) -> Corpus:
        """The test documents."""
        return self.where(side == "test" for side in self.splits)

    def where(self, mask: Iterable[Any]) -> Corpus:
        """Return the documents that a mask selects.

        Parameters
        ----------
        mask : iterable of bool
            One for each document.
        """
        return self.take([row for row, keep in zip(range(len(self)), mask, strict=True) if keep])

    def take(self, rows: Sequence[int]) -> Corpus:
        """Return the documents with these row numbers, in this order.

        Parameters
        ----------
        rows : sequence of int
            Row numbers, from 0 on.
        """
        return replace(
            self,
            texts=[self.texts[row] for row in rows],
            labels=[self.labels[row] for row in rows],
            ids=[self.ids[row] for row in rows],
            splits=[self.splits[row] for row in rows],
            columns={name: [values[row] for row in rows] for name, values in self.columns.items()},
        )


def _each(given: Any) -> Iterable[str]:
    return (given,) if isinstance(given, str) else given


def load_corpus(
    name: str,
    *,
    folder: str | os.PathLike[str] | None = None,
    split: str | None = None,
    download: bool = True,
    verbose: bool | None = None,
) -> Corpus:
    """Load a public corpus by name.

    It is read from the first of these that exists: its table, a parquet file in the folder; the
    files that its authors published, in the folder or in ``originals`` below it; the same files,
    downloaded to the folder. The page on corpora lists the names of all files. Archives are not
    extracted.

    Parameters
    ----------
    name : str
        One of ``tallytext.io.CORPORA``.
    folder : str or path, optional
        Where the files are; by default ``$TALLYTEXT_DATA`` or else the user's cache.
    split : str, optional
        A split into training and test documents, by default that of the files.
        Of ``"reuters21578"``: ``"modapte"`` (which is that of the files), ``"modlewis"``,
        ``"modhayes"``, or ``"modapte-90"``, which is ModApte reduced to the 90 topics that are on
        both sides, and to articles with one of them.
        Of ``"webkb"``: a university to test on, ``"cornell"``, ``"texas"``, ``"washington"`` or
        ``"wisconsin"``; all other pages are for training.
    download : bool, default=True
        True downloads missing files whose checksum is known. This needs the package pooch.
    verbose : bool, optional
        True shows a progress bar; by default on a terminal.

    Raises
    ------
    InputError
        If there is no such corpus or split.
    FileError
        If the corpus is missing, cannot be downloaded, or is damaged.

    Examples
    --------
    >>> from tallytext.errors import FileError
    >>> try:
    ...     corpus = load_corpus("webkb", folder="nowhere")
    ... except FileError as problem:
    ...     print(problem)
    the corpus 'webkb' is not in 'nowhere': put 'webkb-data.gtar.gz' there, from \
http://www.cs.cmu.edu/afs/cs.cmu.edu/project/theo-20/www/data/.
    """
    spec = _find_corpus(name, split)
    place = data_folder(folder)
    columns, source = _columns(name, spec, place, download, verbose)
    corpus = _corpus(name, columns, spec, source)
    return corpus if split is None else spec.splits[split](corpus)


def _find_corpus(name: str, split: str | None) -> CorpusSpec:
    if name not in CORPORA:
        hint = did_you_mean(name, CORPORA) or f" There are {', '.join(CORPORA)}."
        raise InputError(f"there is no corpus {name!r}.{hint}")
    splits = CORPORA[name].splits
    if split is not None and split not in splits:
        known = (
            f" There are {', '.join(splits)}." if splits else " It has only the split of its files."
        )
        raise InputError(
            f"the corpus {name!r} has no split {split!r}.{did_you_mean(split, splits) or known}"
        )
    return CORPORA[name]


def _columns(
    name: str, spec: CorpusSpec, folder: Path, download: bool, verbose: bool | None
) -> tuple[dict[str, list[Any]], str]:
    """Return the columns of a corpus, and the file they come from, for messages."""
    table = folder / spec.table
    if table.is_file():
        return read_corpus_table(table), repr(str(table))
    found = {each: find_file(folder, each.name) for each in spec.originals}
    missing = [each for each, path in found.items() if path is None]
    # Files without a published address or checksum have to be fetched by hand.
    can_download = download and all(each.sha256 for each in missing)
    if spec.read is None or (not can_download and missing):
        raise FileError(_missing(name, spec, folder, missing))
    paths = [
        path or _download_original(each, folder, spec, verbose) for each, path in found.items()
    ]
    source = repr(str(paths[0]))
    return columns_from_records(spec.read(paths), source), source


def _download_original(
    original: OriginalFile, folder: Path, spec: CorpusSpec, verbose: bool | None
) -> Path:
    path = folder / original.name
    try:
        return download_file(original.address, original.sha256, path, verbose)
    except FileError as problem:
        raise FileError(
            f"{problem} Or put {original.name!r} into {str(folder)!r}, from {spec.page}."
        ) from None


def _missing(name: str, spec: CorpusSpec, folder: Path, missing: list[OriginalFile]) -> str:
    names = " and ".join(repr(each.name) for each in missing) or repr(spec.table)
    page = f", from {spec.page}" if spec.page else ""
    return f"the corpus {name!r} is not in {str(folder)!r}: put {names} there{page}."


def _corpus(name: str, columns: dict[str, list[Any]], spec: CorpusSpec, source: str) -> Corpus:
    labels = columns.pop("labels")
    if not spec.multi_label:
        check_single_labels({"labels": labels, "id": columns["id"]}, source)
        labels = [given[0] for given in labels]
    texts, ids, splits = (columns.pop(key) for key in ("text", "id", "split"))
    return Corpus(name, texts, labels, ids, splits, columns)


def data_folder(folder: str | os.PathLike[str] | None = None) -> Path:
    """Return the given folder; else the one in ``$TALLYTEXT_DATA``; else the user's cache.

    Parameters
    ----------
    folder : str or path, optional
        A folder that takes precedence.

    Examples
    --------
    >>> data_folder("corpora").name
    'corpora'
    """
    named = folder or os.environ.get(DATA_FOLDER_VARIABLE)
    # A shell expands "~", but a settings file does not.
    return Path(named).expanduser() if named else cache_folder()


def cache_folder() -> Path:
    """Return the folder of tallytext in the user's cache, by the convention of the system.

    Examples
    --------
    >>> cache_folder().name
    'tallytext'
    """
    if sys.platform == "win32":
        named, usual = os.environ.get("LOCALAPPDATA", ""), Path("AppData", "Local")
    elif sys.platform == "darwin":
        named, usual = "", Path("Library", "Caches")
    else:
        named, usual = os.environ.get("XDG_CACHE_HOME", ""), Path(".cache")
    # The XDG specification says that relative paths are to be ignored.
    base = Path(named) if Path(named).is_absolute() else _home() / usual
    return base / "tallytext"


def _home() -> Path:
    try:
        return Path.home()
    except RuntimeError:
        raise FileError(
            f"this user has no home folder: set {DATA_FOLDER_VARIABLE} to one for corpora."
        ) from None


def find_file(folder: Path, name: str) -> Path | None:
    """Return the path of a file in a folder or in ``originals`` below it; None if missing.

    Parameters
    ----------
    folder : Path
    name : str
        Name of the file.
    """
    places = (folder / name, folder / _ORIGINALS / name)
    return next((path for path in places if path.is_file()), None)


def read_corpus_table(path: Path) -> dict[str, list[Any]]:
    """Read the columns of a corpus from its table.

    Parameters
    ----------
    path : Path
        A parquet file with the string columns text, split and id, and the column labels of lists
        of strings.

    Raises
    ------
    FileError
        If it is damaged, or a column is missing or of the wrong type.
    """
    from tallytext.io.parquet import pq, wrap_arrow_errors

    source = Source(path, "parquet")
    with wrap_os_errors(source), wrap_arrow_errors(source):
        table = pq.read_table(path)
        _check_columns(table, source)
        columns: dict[str, list[Any]] = table.to_pydict()
    return columns


def check_single_labels(columns: Mapping[str, list[Any]], source: object) -> None:
    """Raise FileError if a document of a single-label corpus does not have one label."""
    for number, given in enumerate(columns["labels"]):
        if len(given) != 1:
            raise FileError(
                f"cannot read {source}: each document should have one label, "
                f"but {columns['id'][number]!r} has {len(given)}."
            )


def _check_columns(table: pa.Table, source: Source) -> None:
    names = table.schema.names
    if missing := [name for name in _REQUIRED_COLUMNS if name not in names]:
        raise FileError(
            f"{source} is not the table of a corpus: there is no column {' or '.join(missing)}. "
            f"It has {', '.join(names)}."
        )
    for name in _REQUIRED_COLUMNS:
        found = table.schema.field(name).type
        if not _has_required_type(name, found):
            needed = "lists of text" if name == "labels" else "text"
            raise FileError(f"column {name!r} of {source} holds {found}, not {needed}.")
        if table.column(name).null_count:
            raise FileError(f"column {name!r} of {source} has null values.")


def _has_required_type(name: str, found: Any) -> bool:
    import pyarrow as pa

    from tallytext.io.parquet import is_string_type

    if name != "labels":
        return is_string_type(found)
    return (pa.types.is_list(found) or pa.types.is_large_list(found)) and is_string_type(
        found.value_type
    )


def mod_apte(corpus: Corpus) -> Corpus:
    """Split ModApte: 9,603 and 3,299 articles with indexed topics; 8,676 are not used."""
    return _by_lewis(corpus, {"YES"})


def mod_lewis(corpus: Corpus) -> Corpus:
    """Split ModLewis: 13,625 and 6,188 articles, also without topics; 1,765 are not used."""
    return _by_lewis(corpus, {"YES", "NO"})


def mod_hayes(corpus: Corpus) -> Corpus:
    """Split ModHayes: 20,856 articles, and the 722 that tested the first published system."""
    return replace(corpus, splits=[_HAYES.get(side, "") for side in _column(corpus, "cgisplit")])


def mod_apte_90(corpus: Corpus) -> Corpus:
    """Split ModApte reduced to the 90 topics in both of its parts: 7,770 and 3,019 articles.

    Other topics are removed from the labels.
    """
    split = mod_apte(corpus)
    # Classes of documents that are used, so that topics of the unused part do not count.
    kept = set(split.train.classes) & set(split.test.classes)
    labels = [[label for label in given if label in kept] for given in split.labels]
    sides = [side if given else "" for side, given in zip(split.splits, labels, strict=True)]
    return replace(split, labels=labels, splits=sides)


def hold_out_value(column: str, value: str) -> Split:
    """Return the split whose test set is the documents with a value in a column."""

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
            f"the table of {corpus.name!r} has no column {name!r}, which the split needs."
        )
    return corpus.columns[name]


@dataclass(frozen=True)
class OriginalFile:
    """A file that the authors of a corpus spec.

    Parameters
    ----------
    name : str
        Its name in the data folder, or in ``originals`` below that.
    address, sha256 : str, optional
        The URL to download it from, and its checksum.
    """

    name: str
    address: str = ""
    sha256: str = ""


@dataclass(frozen=True)
class CorpusSpec:
    """Files, reader and splits of a corpus.

    Parameters
    ----------
    table : str
        Name of its parquet file, with the columns text, labels, split and id.
    multi_label : bool
        True if a document may have several labels, or none.
    originals : tuple of Original
        The published files; empty if there is only the table.
    read : callable, optional
        Function from the paths of these to the documents.
    page : str
        Web page of the corpus.
    splits : mapping of str to callable
        Further splits by name; the default is that of the files.

    Examples
    --------
    >>> CORPORA["reuters21578"].originals[0].name, list(CORPORA["reuters21578"].splits)
    ('reuters21578.tar.gz', ['modapte', 'modlewis', 'modhayes', 'modapte-90'])
    """

    table: str
    multi_label: bool = False
    originals: tuple[OriginalFile, ...] = ()
    read: Callable[[Sequence[Path]], Iterable[Record]] | None = None
    page: str = ""
    splits: Mapping[str, Split] = field(default_factory=dict)


_NEWSGROUPS = "http://qwone.com/~jason/20Newsgroups/"
_AG_NEWS = "https://raw.githubusercontent.com/mhjabreel/CharCnn_Keras/master/data/"
_KLUE = "http://klue-benchmark.com.s3.amazonaws.com/app/Competitions/"
_UCI = "https://archive.ics.uci.edu/ml/machine-learning-databases/"
_UNIVERSITIES = ("cornell", "texas", "washington", "wisconsin")

CORPORA = {
    "20newsgroups": CorpusSpec(
        "20ng_orig19997.parquet",
        originals=(
            OriginalFile(
                "20news-19997.tar.gz",
                f"{_NEWSGROUPS}20news-19997.tar.gz",
                "ab7bbf82b7831f7dbb1a09d9312f66fa78565c8de25526999b0d66f69d37e414",
            ),
        ),
        read=read_posts,
        page=_NEWSGROUPS,
    ),
    "20newsgroups-bydate": CorpusSpec(
        "20ng_bydate.parquet",
        originals=(
            OriginalFile(
                "20news-bydate.tar.gz",
                f"{_NEWSGROUPS}20news-bydate.tar.gz",
                "8f1b2514ca22a5ade8fbb9cfa5727df95fa587f4c87b786e15c759fa66d95610",
            ),
        ),
        read=read_posts_by_date,
        page=_NEWSGROUPS,
    ),
    "ag-news": CorpusSpec(
        "ag_news.parquet",
        originals=(
            OriginalFile(
                "ag_news_csv/train.csv",
                f"{_AG_NEWS}ag_news_csv/train.csv",
                "76a0a2d2f92b286371fe4d4044640910a04a803fdd2538e0f3f29a5c6f6b672e",
            ),
            OriginalFile(
                "ag_news_csv/test.csv",
                f"{_AG_NEWS}ag_news_csv/test.csv",
                "521465c2428ed7f02f8d6db6ffdd4b5447c1c701962353eb2c40d548c3c85699",
            ),
        ),
        read=read_news,
        page="https://github.com/mhjabreel/CharCnn_Keras/tree/master/data/ag_news_csv",
    ),
    "ag-news-20k": CorpusSpec("ag_news_20k.parquet"),
    "debian-sections": CorpusSpec("debian_sections.parquet"),
    "klue-ynat": CorpusSpec("klue_ynat.parquet"),
    "klue-ynat-v1": CorpusSpec(
        "klue_ynat_v1.parquet",
        originals=(
            OriginalFile(
                "ynat-v1.tar.gz",
                f"{_KLUE}000066/data/ynat-v1.tar.gz",
                "820a4d1d6d1fd83e2a421f856965d3cfc5c93627935ce8c5b27468c6113fc482",
            ),
        ),
        read=read_headlines,
        page="https://klue-benchmark.com/tasks/66/overview/description",
    ),
    "korean-news": CorpusSpec("korean_news8_1600.parquet"),
    "ohsumed": CorpusSpec(
        "ohsumed_first20000.parquet",
        multi_label=True,
        originals=(OriginalFile("ohsumed-first-20000-docs.tar.gz"),),
        read=read_abstracts,
        page="http://disi.unitn.it/moschitti/corpora.htm",
    ),
    "reuters21578": CorpusSpec(
        "reuters21578.parquet",
        multi_label=True,
        originals=(
            OriginalFile(
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
    "webkb": CorpusSpec(
        "webkb.parquet",
        originals=(OriginalFile("webkb-data.gtar.gz"),),
        read=read_pages,
        page="http://www.cs.cmu.edu/afs/cs.cmu.edu/project/theo-20/www/data/",
        splits={name: hold_out_value("university", name) for name in _UNIVERSITIES},
    ),
    "wordnet-hypernyms": CorpusSpec("wordnet_gloss_hypernym.parquet", multi_label=True),
}
"""Specifications of the corpora that :func:`tallytext.io.load_corpus` can load, by name."""

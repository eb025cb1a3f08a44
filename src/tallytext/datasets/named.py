"""Public corpora by name, from a folder of data or from the network."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from tallytext.datasets.corpus import Corpus
from tallytext.datasets.download import download as downloaded
from tallytext.datasets.places import FOLDER_VARIABLE, data_folder, found_in
from tallytext.datasets.published import CORPORA, Original, Published
from tallytext.datasets.published.files import in_columns
from tallytext.datasets.tables import check_labels, read_table
from tallytext.errors import FileError, InputError, did_you_mean

__all__ = ["CORPORA", "FOLDER_VARIABLE", "Published", "load"]


def load(
    name: str,
    *,
    folder: str | os.PathLike[str] | None = None,
    split: str | None = None,
    download: bool = True,
    verbose: bool | None = None,
) -> Corpus:
    """Return a public corpus.

    It is read from the first of these that is in the folder: its table, a parquet file; the files
    that its authors published, there or in a folder ``originals``; or from these once they are
    downloaded to it. The page on corpora has the names of all files. Nothing is unpacked.

    Parameters
    ----------
    name : str
        One of ``tallytext.datasets.CORPORA``.
    folder : str or path, optional
        Where the files are; by default ``$TALLYTEXT_DATA`` or else the user's cache.
    split : str, optional
        A split into training and test documents other than that of the files.
        Of ``"reuters21578"``: ``"modapte"`` (which is that of the files), ``"modlewis"``,
        ``"modhayes"``, or ``"modapte-90"``, which is ModApte reduced to the 90 topics that are on
        both sides, and to articles with one of them.
        Of ``"webkb"``: a university to test on, ``"cornell"``, ``"texas"``, ``"washington"`` or
        ``"wisconsin"``; the rest is for training.
    download : bool, default=True
        Whether to download what is missing. That needs the package pooch, and is done where a
        checksum was published.
    verbose : bool, optional
        Whether to show how far a download is; by default on a terminal.

    Raises
    ------
    InputError
        If there is no such corpus or split.
    FileError
        If the corpus is not there, cannot be downloaded, or is damaged.

    Examples
    --------
    >>> from tallytext.errors import FileError
    >>> try:
    ...     corpus = load("webkb", folder="nowhere")
    ... except FileError as problem:
    ...     print(problem)
    the corpus 'webkb' is not in 'nowhere': put 'webkb-data.gtar.gz' there, from \
http://www.cs.cmu.edu/afs/cs.cmu.edu/project/theo-20/www/data/.
    """
    published = _published(name, split)
    place = data_folder(folder)
    columns, source = _columns(name, published, place, download, verbose)
    corpus = _corpus(name, columns, published, source)
    return corpus if split is None else published.splits[split](corpus)


def _published(name: str, split: str | None) -> Published:
    if name not in CORPORA:
        hint = did_you_mean(name, CORPORA) or f" There are {', '.join(CORPORA)}."
        raise InputError(f"there is no corpus {name!r}.{hint}")
    splits = CORPORA[name].splits
    if split is not None and split not in splits:
        known = f" There are {', '.join(splits)}." if splits else " It has that of its files only."
        raise InputError(
            f"the corpus {name!r} has no split {split!r}.{did_you_mean(split, splits) or known}"
        )
    return CORPORA[name]


def _columns(
    name: str, published: Published, folder: Path, download: bool, verbose: bool | None
) -> tuple[dict[str, list[Any]], str]:
    """Return what is known of the documents, and the file that says so."""
    table = folder / published.table
    if table.is_file():
        return read_table(table), repr(str(table))
    found = {each: found_in(folder, each.name) for each in published.originals}
    missing = [each for each, path in found.items() if path is None]
    can_be_had = download and all(each.sha256 for each in missing)
    if published.read is None or (not can_be_had and missing):
        raise FileError(_missing(name, published, folder, missing))
    paths = [path or _fetched(each, folder, published, verbose) for each, path in found.items()]
    source = repr(str(paths[0]))
    return in_columns(published.read(paths), source), source


def _fetched(original: Original, folder: Path, published: Published, verbose: bool | None) -> Path:
    path = folder / original.name
    try:
        return downloaded(original.address, original.sha256, path, verbose)
    except FileError as problem:
        raise FileError(
            f"{problem} Or put {original.name!r} into {str(folder)!r}, from {published.page}."
        ) from None


def _missing(name: str, published: Published, folder: Path, missing: list[Original]) -> str:
    names = " and ".join(repr(each.name) for each in missing) or repr(published.table)
    page = f", from {published.page}" if published.page else ""
    return f"the corpus {name!r} is not in {str(folder)!r}: put {names} there{page}."


def _corpus(name: str, columns: dict[str, list[Any]], published: Published, source: str) -> Corpus:
    labels = columns.pop("labels")
    if not published.multi_label:
        check_labels({"labels": labels, "id": columns["id"]}, source)
        labels = [given[0] for given in labels]
    texts, ids, splits = (columns.pop(key) for key in ("text", "id", "split"))
    return Corpus(name, texts, labels, ids, splits, columns)

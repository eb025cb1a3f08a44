"""Public corpora by name, from a folder of data or from the network."""

from __future__ import annotations

import logging
import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

from tallytext.errors import FileError, InputError, did_you_mean
from tallytext.io.corpus import Corpus, check_labels, read_table
from tallytext.io.published import CORPORA, Original, Published, in_columns
from tallytext.runtime import progress_bar

# ------------------------------------------------------------------------------------------------
# Files from the network, taken only whole and with the right checksum.

_CHUNK = 1 << 16
_PATIENCE = 30  # seconds for a connection, and between two pieces
_STEPS = 100


def download(address: str, sha256: str, path: Path, verbose: bool | None = None) -> Path:
    """Download a file, unless it is there.

    It is written beside its place, and put there when its checksum is right.

    Parameters
    ----------
    address : str
        Where it is on the network.
    sha256 : str
        Its checksum, in hexadecimal digits.
    path : Path
        Where it is to be.
    verbose : bool, optional
        Whether to show a bar; by default on a terminal.

    Raises
    ------
    FileError
        If it cannot be had, is not what it was, or cannot be written.
    """
    pooch = _pooch()
    with (
        _plain_errors(address, path),
        _silenced(pooch.get_logger()),
        progress_bar(f"Downloading {path.name}", _STEPS, verbose) as step,
    ):
        fetch = partial(_fetch, step)
        pooch.retrieve(address, f"sha256:{sha256}", path.name, path.parent, downloader=fetch)
        _let_others_read(path)
    return path


def _let_others_read(path: Path) -> None:
    """Give a file, which was a temporary one for its user alone, the mode of any new file."""
    mask = os.umask(0)
    os.umask(mask)
    path.chmod(0o666 & ~mask)


def _fetch(step: Callable[[], None], address: str, output: str, _: object) -> None:
    """Write what is at an address to a file, byte by byte as it is there."""
    import requests

    # Not one that a server compressed, nor a .gz that requests would decompress.
    plain = {"Accept-Encoding": "identity"}
    with (
        requests.get(address, stream=True, timeout=_PATIENCE, headers=plain) as answer,
        Path(output).open("wb") as file,
    ):
        answer.raise_for_status()
        length = answer.headers.get("Content-Length", "")
        share = Share(int(length) if length.isdecimal() else 0, step)
        for piece in answer.raw.stream(_CHUNK, decode_content=False):
            file.write(piece)
            share.add(len(piece))


class Share:
    """Makes a step for every hundredth part of something that is done.

    Examples
    --------
    >>> share = Share(300, lambda: print("step"))
    >>> share.add(2)
    >>> share.add(5)
    step
    step
    """

    def __init__(self, total: int, step: Callable[[], None]) -> None:
        self._total, self._step, self._done, self._n_steps = total, step, 0, 0

    def add(self, n: int) -> None:
        """Tell of more that is done; of an unknown total, 0, no share is known."""
        self._done += n
        due = min(self._done, self._total) * _STEPS // (self._total or 1)
        while self._n_steps < due:
            self._n_steps += 1
            self._step()


def _pooch() -> Any:
    try:
        import pooch
    except ImportError:
        raise FileError(
            "downloading needs the package pooch: install it with "
            "pip install 'tallytext[datasets]'."
        ) from None
    return pooch


@contextmanager
def _silenced(logger: logging.Logger) -> Iterator[None]:
    level = logger.level
    logger.setLevel(logging.WARNING)
    try:
        yield
    finally:
        logger.setLevel(level)


@contextmanager
def _plain_errors(address: str, path: Path) -> Iterator[None]:
    import requests
    from urllib3.exceptions import HTTPError as BrokenOff

    try:
        yield
    except requests.HTTPError as problem:
        reason = f"the answer is {str(problem).partition(' for url')[0]}"
    except requests.Timeout:
        reason = "there is no answer"
    except (requests.ConnectionError, BrokenOff):
        reason = "there is no connection, or it broke off. Is there a network?"
    except requests.RequestException as problem:
        reason = str(problem)
    except OSError as problem:
        # Where a folder must not be written to, pooch adds a page of its own words.
        cause = problem.__cause__ if isinstance(problem.__cause__, OSError) else problem
        raise FileError(f"cannot write {str(path)!r}: {cause.strerror or cause}.") from None
    except ValueError:
        reason = "the file there is not the one that was published, its checksum being another"
    else:
        return
    ended = reason if reason.endswith("?") else f"{reason}."
    raise FileError(f"cannot download {address}: {ended}") from None


# ------------------------------------------------------------------------------------------------
# Where corpora are looked for, and kept.

FOLDER_VARIABLE = "TALLYTEXT_DATA"

_ORIGINALS = "originals"


def data_folder(folder: str | os.PathLike[str] | None = None) -> Path:
    """Return the folder given; else that in ``$TALLYTEXT_DATA``; else the user's cache.

    Parameters
    ----------
    folder : str or path, optional
        The one to take whatever the rest.

    Examples
    --------
    >>> data_folder("corpora").name
    'corpora'
    """
    named = folder or os.environ.get(FOLDER_VARIABLE)
    # A shell has made a folder of "~" already; a file of settings has not.
    return Path(named).expanduser() if named else cache_folder()


def cache_folder() -> Path:
    """Return the user's folder for files that can be had again, as is usual on the system.

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
    base = Path(named) if Path(named).is_absolute() else _home() / usual
    return base / "tallytext"


def _home() -> Path:
    try:
        return Path.home()
    except RuntimeError:
        raise FileError(
            f"this user has no folder of their own: set {FOLDER_VARIABLE} to one for corpora."
        ) from None


def found_in(folder: Path, name: str) -> Path | None:
    """Return a file of a folder, or of the folder ``originals`` in it; None if it is in neither.

    Parameters
    ----------
    folder : Path
    name : str
        Of the file.
    """
    places = (folder / name, folder / _ORIGINALS / name)
    return next((path for path in places if path.is_file()), None)


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
        One of ``tallytext.io.CORPORA``.
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
        return download(original.address, original.sha256, path, verbose)
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

"""Files from the network, taken only whole and with the right checksum."""

from __future__ import annotations

import logging
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

from tallytext.errors import FileError
from tallytext.progress import progress_bar

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

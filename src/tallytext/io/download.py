"""Download of files with a known SHA-256 checksum."""

from __future__ import annotations

import logging
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

from tallytext.errors import FileError
from tallytext.runtime import progress_bar

_CHUNK_BYTES = 1 << 16
_TIMEOUT_SECONDS = 30  # for a connection, and between two chunks
_PROGRESS_STEPS = 100


def download_file(address: str, sha256: str, path: Path, verbose: bool | None = None) -> Path:
    """Download a file, unless it exists with the right checksum.

    It is written beside its destination, and moved there if its checksum is right.

    Parameters
    ----------
    address : str
        The URL.
    sha256 : str
        The checksum, in hexadecimal digits.
    path : Path
        The destination.
    verbose : bool, optional
        True shows a progress bar; by default on a terminal.

    Raises
    ------
    FileError
        If the file cannot be downloaded or written, or its checksum is wrong.
    """
    pooch = _import_pooch()
    with (
        _wrap_network_errors(address, path),
        _quiet_logger(pooch.get_logger()),
        progress_bar(f"Downloading {path.name}", _PROGRESS_STEPS, verbose) as step,
    ):
        fetch = partial(_fetch, step)
        pooch.retrieve(address, f"sha256:{sha256}", path.name, path.parent, downloader=fetch)
        _set_default_mode(path)
    return path


def _set_default_mode(path: Path) -> None:
    """Give a file the mode of any new file: pooch makes temporary files for the user alone."""
    # The mask can only be read by setting it.
    mask = os.umask(0)
    os.umask(mask)
    path.chmod(0o666 & ~mask)


def _fetch(step: Callable[[], None], address: str, output: str, _: object) -> None:
    """Write the body of a response to a file, without decoding it."""
    import requests

    # The checksum is that of the stored file: neither the server may compress it, nor may
    # requests decompress a .gz.
    plain = {"Accept-Encoding": "identity"}
    with (
        requests.get(address, stream=True, timeout=_TIMEOUT_SECONDS, headers=plain) as response,
        Path(output).open("wb") as file,
    ):
        response.raise_for_status()
        length = response.headers.get("Content-Length", "")
        progress = DownloadProgress(int(length) if length.isdecimal() else 0, step)
        for chunk in response.raw.stream(_CHUNK_BYTES, decode_content=False):
            file.write(chunk)
            progress.add(len(chunk))


class DownloadProgress:
    """Calls ``step`` once for each per cent of a total number of bytes.

    Examples
    --------
    >>> progress = DownloadProgress(300, lambda: print("step"))
    >>> progress.add(2)
    >>> progress.add(5)
    step
    step
    """

    def __init__(self, total: int, step: Callable[[], None]) -> None:
        self._total, self._step, self._done, self._n_steps = total, step, 0, 0

    def add(self, n: int) -> None:
        """Count n more bytes. If the total is 0, it is unknown, and no step is made."""
        self._done += n
        # A server may send more bytes than it announced.
        due = min(self._done, self._total) * _PROGRESS_STEPS // (self._total or 1)
        while self._n_steps < due:
            self._n_steps += 1
            self._step()


def _import_pooch() -> Any:
    try:
        import pooch
    except ImportError:
        raise FileError(
            "downloading needs the package pooch: install it with "
            "pip install pooch (tallytext[datasets])."
        ) from None
    return pooch


@contextmanager
def _quiet_logger(logger: logging.Logger) -> Iterator[None]:
    level = logger.level
    logger.setLevel(logging.WARNING)
    try:
        yield
    finally:
        logger.setLevel(level)


@contextmanager
def _wrap_network_errors(address: str, path: Path) -> Iterator[None]:
    """Raise errors of the network and of the disk as FileError."""
    import requests
    from urllib3.exceptions import HTTPError as ConnectionLost

    try:
        yield
    except requests.HTTPError as problem:
        reason = f"the answer is {str(problem).partition(' for url')[0]}"
    except requests.Timeout:
        reason = "there is no answer"
    # urllib3's own errors, because the body is read from response.raw.
    except (requests.ConnectionError, ConnectionLost):
        reason = "the connection failed or was interrupted. Check the network and try again."
    except requests.RequestException as problem:
        reason = str(problem)
    except OSError as problem:
        # If the folder is not writable, pooch wraps the error in a long message of its own.
        cause = problem.__cause__ if isinstance(problem.__cause__, OSError) else problem
        raise FileError(f"cannot write {str(path)!r}: {cause.strerror or cause}.") from None
    except ValueError:
        reason = "the file there is not the one that was published: its checksum differs"
    else:
        return
    ended = reason if reason.endswith("?") else f"{reason}."
    raise FileError(f"cannot download {address}: {ended}") from None

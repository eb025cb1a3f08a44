"""What is shown: results on standard output, everything else on standard error."""

from __future__ import annotations

import os
import shutil
import signal
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict
from fnmatch import fnmatchcase
from pathlib import Path
from time import perf_counter
from typing import IO, TYPE_CHECKING, Any
from uuid import uuid4

import typer

from tallytext.cli.options import Reading, UnlabelledReading
from tallytext.errors import FileError, InputError, UnknownNameError, did_you_mean

if TYPE_CHECKING:
    from rich.console import Console
    from rich.progress import Progress

    from tallytext.classifier.classifier import TextClassifier
    from tallytext.io.batches import Batch, Skipped
    from tallytext.io.documents import DocumentReader


def results() -> Console:
    """Return the console for results; without colours where it is no terminal."""
    from rich.console import Console

    return Console(highlight=False, markup=False, emoji=False, soft_wrap=not sys.stdout.isatty())


def remarks(screen: IO[str] | None = None) -> Console:
    """Return the console for everything else: standard error, or another way to the screen."""
    from rich.console import Console

    return Console(file=screen, stderr=screen is None, highlight=False, markup=False, emoji=False)


def say(message: str) -> None:
    """Write a line to standard error."""
    remarks().print(message, soft_wrap=True)


def warn(message: str) -> None:
    """Write a warning to standard error."""
    _write("warning", "yellow", message)


def complain(message: str) -> None:
    """Write an error to standard error."""
    _write("error", "bold red", message)


def _write(kind: str, style: str, message: str) -> None:
    from rich.text import Text

    remarks().print(Text.assemble((f"{kind}: ", style), message), soft_wrap=True)


def print_json(value: Any) -> None:
    """Write one JSON object to standard output."""
    from tallytext.distributed.answers import as_json

    sys.stdout.write(as_json(value) + "\n")


def is_watched(quiet: bool) -> bool:
    """Whether somebody would see a progress bar, and wants to."""
    return not quiet and sys.stderr.isatty()


# ------------------------------------------------------------------------------------------------
# Documents that a command reads, shown as they go by.

_WORTH_TELLING = 0.1  # megabytes


class Documents:
    """The batches of one source after another, counted, with a bar for those who watch.

    Parameters
    ----------
    sources : sequence of str
    reading : Reading, or sequence of Reading
        How to read them; or each of them.
    quiet : bool
        Whether to say nothing but warnings.
    **options
        More of it, as for :func:`tallytext.io.read_documents`.

    Attributes
    ----------
    n_documents, n_bytes, n_skipped : int
        Read so far, and left out.
    """

    def __init__(
        self,
        sources: Sequence[str],
        reading: Reading | Sequence[Reading],
        quiet: bool,
        **options: Any,
    ) -> None:
        from tallytext.io.documents import read_documents

        self.n_documents = self.n_bytes = self.n_skipped = 0
        self._start, self._quiet, self._sources = perf_counter(), quiet, sources
        each = [reading] * len(sources) if isinstance(reading, Reading) else reading
        self._readers = [
            read_documents(source, **asdict(how), **options)
            for source, how in zip(sources, each, strict=True)
        ]

    def __iter__(self) -> Iterator[Batch]:
        for _, batch in self.named():
            yield batch

    def named(self) -> Iterator[tuple[str, Batch]]:
        """Yield each batch with the name of its source."""
        self._start = perf_counter()
        for source, reader in zip(self._sources, self._readers, strict=True):
            for batch in self._counted(self._shown(source, reader)):
                yield source, batch
            self.n_skipped += reader.skipped.count
            warn_of_skipped(reader.skipped, source)

    def pairs(self) -> Iterator[tuple[Any, Any]]:
        """Yield the texts and labels of the batches; that there is none is an error."""
        for batch in self:
            yield batch.texts, batch.labels
        check_some(self.n_documents, self.n_skipped, self._sources)

    def texts(self) -> Iterator[Any]:
        """Yield the texts of the batches."""
        for batch in self:
            yield batch.texts

    def close(self, more: Documents | None = None) -> None:
        """Say how many documents there were, and more read since, and how long they took."""
        if self._quiet:
            return
        n = self.n_documents + (0 if more is None else more.n_documents)
        n_bytes = self.n_bytes + (0 if more is None else more.n_bytes)
        tell_speed(n, n_bytes, perf_counter() - self._start)

    def _counted(self, batches: Iterator[Batch]) -> Iterator[Batch]:
        for batch in batches:
            self.n_documents += len(batch)
            self.n_bytes += batch.n_bytes
            yield batch

    def _shown(self, source: str, reader: DocumentReader) -> Iterator[Batch]:
        if not is_watched(self._quiet):
            yield from reader
            return
        with _bar() as progress:
            task = progress.add_task(source, total=reader.size, documents=0)
            for batch in reader:
                yield batch
                progress.update(task, advance=batch.n_bytes, documents=f"{self.n_documents:,}")


def check_some(n_documents: int, n_skipped: int, sources: Sequence[str]) -> None:
    """Refuse to learn from nothing."""
    if not n_documents:
        skipped = f", but for {n_skipped:,} that were left out" if n_skipped else ""
        raise InputError(f"there is no document in {', '.join(sources)}{skipped}.")


def warn_of_skipped(skipped: Skipped, source: str) -> None:
    """Warn of rows that were left out of a source."""
    if skipped.count:
        more = skipped.count - len(skipped.messages)
        lines = [*skipped.messages, *([f"and {more:,} more"] if more else [])]
        rows = "row was" if skipped.count == 1 else "rows were"
        warn(f"{skipped.count:,} {rows} left out of {source}:\n  " + "\n  ".join(lines))


def tell_speed(n_documents: int, n_bytes: int, seconds: float) -> None:
    """Say how many documents there were, and how long they took."""
    count, megabytes = f"{n_documents:,} document{'s' * (n_documents != 1)}", n_bytes / 1e6
    if megabytes < _WORTH_TELLING:
        say(f"{count} in {seconds:,.1f} s")
    else:
        speed = f"{_short(megabytes / seconds)} MB/s"
        say(f"{count}, {_short(megabytes)} MB in {seconds:,.1f} s ({speed})")


def _bar() -> Progress:
    from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn
    from rich.progress import TransferSpeedColumn as Speed

    described = TextColumn("{task.description}", markup=False)
    documents = TextColumn("{task.fields[documents]} documents")
    columns = (described, BarColumn(), documents, Speed(), TimeRemainingColumn())
    return Progress(*columns, console=remarks(), transient=True)


def _short(value: float) -> str:
    return f"{value:,.0f}" if value >= 10 else f"{value:.1f}"


# ------------------------------------------------------------------------------------------------
# What Ctrl-C may interrupt, and what is said about the work that was done by then.


@contextmanager
def told(outcome: Callable[[], str]) -> Iterator[None]:
    """Say of an interruption what it comes to.

    Parameters
    ----------
    outcome : callable
        Returns what was saved by then, and what was not.
    """
    try:
        yield
    except KeyboardInterrupt as stop:
        stop.add_note(outcome())
        raise


@contextmanager
def held_back() -> Iterator[None]:
    """Let an interruption wait until this is done, so that no line or file is half written.

    A second one does not wait: who reads the lines may have stopped to do so.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    waiting: list[int] = []

    def wait(number: int, _: Any) -> None:
        if waiting:
            raise KeyboardInterrupt
        waiting.append(number)

    before = signal.signal(signal.SIGINT, wait)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
    if waiting:
        raise KeyboardInterrupt


# ------------------------------------------------------------------------------------------------
# Model files of commands: checked before the work, read, and written when it is done.

_SHOWN = 20


def load(path: Path, documents: Sequence[str] = ()) -> TextClassifier:
    """Read a model.

    Parameters
    ----------
    path : Path
        Its file.
    documents : sequence of str
        What was named after it, which is the model if the two were mixed up.
    """
    from tallytext import TextClassifier
    from tallytext.io.safetensors import is_arrays_file

    try:
        return TextClassifier.load(path)
    except FileError as problem:
        if not is_arrays_file(path) and any(is_arrays_file(each) for each in documents):
            raise FileError(f"{problem} The model comes first, then the documents.") from None
        raise


def save(classifier: TextClassifier, path: Path) -> None:
    """Write a model, all of it even if Ctrl-C is pressed meanwhile."""
    with held_back():
        classifier.save(path)


def check_place(path: Path, *, page: bool = False) -> Path:
    """Refuse early what could not be written after all the work, or would be a loss.

    Parameters
    ----------
    path : Path
    page : bool, default=False
        Whether a page of HTML will be written: it replaces such a page, and a model a model.
    """
    where = f"cannot write to {str(path)!r}"
    if path.is_dir():
        raise FileError(f"{where}: it is a folder. Give the name of a file.")
    if not path.parent.is_dir():
        raise FileError(f"{where}: there is no folder {str(path.parent)!r}.")
    if not os.access(path.parent, os.W_OK):
        raise FileError(f"{where}: you may not write to the folder {str(path.parent)!r}.")
    if _would_be_lost(path, page):
        kind = "page that tally wrote" if page else "model"
        raise FileError(
            f"{where}: there is such a file, which is no {kind}. Give another name, or move the "
            "file away."
        )
    return path


def _would_be_lost(path: Path, page: bool) -> bool:
    """Whether a file is there that this command cannot have written: data, most likely."""
    from tallytext.io.html import is_page_file
    from tallytext.io.safetensors import is_arrays_file

    if not path.is_file() or not path.stat().st_size:
        return False
    return not (is_page_file(path) if page else is_arrays_file(path))


def class_named(classifier: TextClassifier, name: str) -> Any:
    """Return the label that is written like this, which may be a number."""
    classes = classifier.classes_.tolist()
    for label in classes:
        if str(label) == name:
            return label
    shown = ", ".join(map(str, classes[:_SHOWN])) + (", …" if len(classes) > _SHOWN else "")
    raise UnknownNameError(
        f"the model has no class {name!r}.{did_you_mean(name, classes)} It has: {shown}."
    )


# ------------------------------------------------------------------------------------------------
# Answers on standard output, in whole lines.


class Writer:
    """Writes lines, all of them even if Ctrl-C is pressed meanwhile, and does not keep any.

    Attributes
    ----------
    n_written : int
        How many answers were written.
    """

    def __init__(self) -> None:
        self.n_written = 0

    def write(self, lines: bytes, n_answers: int = 0) -> None:
        """Write lines that hold so many answers."""
        with held_back():
            sys.stdout.buffer.write(lines)
            sys.stdout.buffer.flush()
            self.n_written += n_answers


# ------------------------------------------------------------------------------------------------
# Folders that appear whole or not at all.


def check_new(path: Path) -> Path:
    """Refuse early a folder that has files, or that could not be made after all the work."""
    path = path.resolve()
    where = f"cannot write to {str(path)!r}"
    if path.exists() and not path.is_dir():
        raise FileError(f"{where}: it is a file. Give the name of a folder.")
    if path.is_dir() and any(path.iterdir()):
        raise FileError(f"{where}: there are files in it. Give a new folder, or an empty one.")
    if not path.parent.is_dir():
        raise FileError(f"{where}: there is no folder {str(path.parent)!r}.")
    if not os.access(path.parent, os.W_OK):
        raise FileError(f"{where}: you may not write to the folder {str(path.parent)!r}.")
    return path


@contextmanager
def new_folder(path: Path, pattern: str) -> Iterator[Path]:
    """Yield a folder to write to; it takes the name ``path`` when all went well.

    Parameters
    ----------
    path : Path
    pattern : str
        What files are called that belong there. Others are removed: who was killed while writing
        leaves the beginning of a file.

    Examples
    --------
    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "answers"
    >>> with new_folder(path, "part-*") as folder:
    ...     _ = (folder / "part-0").write_text("whole")
    ...     _ = (folder / ".part-1.tmp").write_text("wh")
    >>> [file.name for file in path.iterdir()]
    ['part-0']
    """
    temporary = path.with_name(f".{path.name[:40]}.{uuid4().hex}.part")
    temporary.mkdir()
    try:
        yield temporary
        with held_back():
            _keep_only(pattern, temporary)
            if path.is_dir():
                path.rmdir()  # it is empty; what came into it meanwhile is not ours to lose
            temporary.rename(path)
    finally:
        shutil.rmtree(temporary, ignore_errors=True)


def _keep_only(pattern: str, folder: Path) -> None:
    for path in folder.iterdir():
        if not fnmatchcase(path.name, pattern):
            path.unlink(missing_ok=True)


# ------------------------------------------------------------------------------------------------
# Documents whose labels are not known, beside those that have some.


def unlabelled_documents(
    sources: list[str], labelled: list[str], reading: Reading, quiet: bool
) -> Documents:
    """Return documents that are read as others are, but for their labels.

    Parameters
    ----------
    sources : list of str
    labelled : list of str
        Where the others are read from.
    reading : Reading
        How these are read.
    quiet : bool
        Whether to say nothing but warnings.
    """
    if sum(source == "-" for source in (*sources, *labelled)) > 1:
        raise typer.BadParameter("standard input can be read only once.")
    readings = [_without_labels(source, reading) for source in sources]
    return Documents(sources, readings, quiet)


def _without_labels(source: str, reading: Reading) -> UnlabelledReading:
    """Return how to read a source; what the others need and this does not is left out."""
    format = _format_of(source, reading.format)
    return UnlabelledReading(
        text=reading.text,
        format=format,
        on_error=reading.on_error,
        encoding=reading.encoding,
        match=reading.match if format in ("folder", "tar") else None,
    )


def _format_of(source: str, given: str | None) -> str | None:
    """Return what the name of a source tells, and what was said of the others if it does not."""
    from tallytext.io.sources import Source

    if source == "-":
        return given
    try:
        return Source.of(source).format
    except FileError:
        return given

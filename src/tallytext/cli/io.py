"""Input and output of commands: results on standard output, messages on standard error."""

from __future__ import annotations

import os
import re
import signal
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import asdict
from fnmatch import fnmatchcase
from pathlib import Path
from time import perf_counter
from typing import IO, TYPE_CHECKING, Any, Literal

import typer

from tallytext.cli.options import AnswerFormat, ReadingOptions, UnlabelledReadingOptions
from tallytext.errors import (
    FileError,
    FileInUseError,
    InputError,
    UnknownNameError,
    did_you_mean,
)
from tallytext.terminal import console, escape_controls

if TYPE_CHECKING:
    from rich.console import Console
    from rich.progress import Progress

    from tallytext.classifier.classifier import TextClassifier
    from tallytext.io.batches import Batch, SkippedRows
    from tallytext.io.documents import DocumentReader

NO_OUTPUT_TO_FORCE = "--force needs --output: it replaces the file named there."

_MIN_MEGABYTES_SHOWN = 0.1
_MAX_CLASSES_SHOWN = 20
_MAX_MODELS_SHOWN = 5
# Seconds of waiting for another command without a message.
_SILENT_WAIT = 1.0

# Messages of the library name Python calls and parameters. These are the commands and options that
# do the same; the patterns apply in this order.
_PYTHON_ADVICE = (
    (re.compile(r"\b\w+=(?:'[^']*'|\d+) \((--[^)]+)\)"), r"\1"),
    (re.compile(r"\b(\w+) \(--\1\)"), r"--\1"),
    (re.compile(r" \(label=None\)"), ""),
    (re.compile(r"\b(?:call|run) (?:clf\.)?recalibrate\(texts, labels\)"), "run tally recalibrate"),
    (re.compile(r"\bCall recalibrate\(texts, labels\)"), "Run tally recalibrate"),
    (re.compile(r"\bpredict\(\.\.\., min_confidence=\.\.\.\)"), "tally predict --min-confidence"),
    (
        re.compile(r"settings, for example the second with the model of the first: TextClass.*"),
        "options, such as --model, --select, --tokens and --ngrams.",
    ),
    (re.compile(r"\bvectorizer\.(\w+) is "), r"the setting \1 of the words is "),
    (re.compile(r"\bTrain it with select=, for "), "Train it with --select, for "),
    (re.compile(r"\bkeep=True\b"), "--keep documents"),
    (re.compile(r"\bthresholds must be \""), '--thresholds must be "'),
    (re.compile(r"^match is for"), "--match is for"),
    (re.compile(r"\bmulti_label=True\b"), "--multi-label"),
    (re.compile(r"\bmulti_label=False\b"), "--single-label"),
    (re.compile(r"\b(unlabelled|descriptions)=(?=\W)"), r"--\1"),
    (re.compile(r"""\b(format|language|model|select|tokens)=(["'])([\w:.+-]+)\2"""), r"--\1 \3"),
)


def for_command_line(message: str) -> str:
    """Return a message of the library with commands and options in the place of Python code.

    Examples
    --------
    >>> for_command_line("probabilities are stale: call recalibrate(texts, labels).")
    'probabilities are stale: run tally recalibrate.'
    >>> for_command_line("Skip such rows with on_error='skip' (--on-error skip).")
    'Skip such rows with --on-error skip.'
    >>> for_command_line('select terms by a score, as in select="chi".')
    'select terms by a score, as in --select chi.'
    """
    for pattern, command in _PYTHON_ADVICE:
        message = pattern.sub(command, message)
    return message


def result_console() -> Console:
    """Return the console for results, on standard output; without colours unless a terminal."""
    # Labels and terms are data: "[bold]" or ":smile:" in them must be printed as they are. Without
    # a terminal, lines are not wrapped, because programs read them.
    return console(highlight=False, markup=False, emoji=False, soft_wrap=not sys.stdout.isatty())


def message_console(screen: IO[str] | None = None) -> Console:
    """Return the console for messages, on standard error or another stream."""
    return console(screen, stderr=screen is None, highlight=False, markup=False, emoji=False)


def show_message(message: str) -> None:
    """Write a line to standard error."""
    message_console().print(message, soft_wrap=True)


def show_warning(message: str) -> None:
    """Write a warning to standard error."""
    _show_labelled("warning", "yellow", message)


def show_error(message: str) -> None:
    """Write an error to standard error."""
    _show_labelled("error", "bold red", message)


def _show_labelled(kind: str, style: str, message: str) -> None:
    from rich.text import Text

    message_console().print(Text.assemble((f"{kind}: ", style), message), soft_wrap=True)


def print_json(value: Any) -> None:
    """Write one JSON object to standard output."""
    from tallytext.io.table_writer import as_json

    line = as_json(value) + "\n"
    sys.stdout.write(escape_controls(line) if sys.stdout.isatty() else line)


def shows_progress(quiet: bool) -> bool:
    """Return True if progress is shown: on a terminal, unless the command is quiet."""
    return not quiet and sys.stderr.isatty()


def reading_parameters(reading: ReadingOptions) -> dict[str, Any]:
    """Return options as parameters of a reader of documents."""
    return asdict(reading) | {"where": tuple(reading.where or ())}


class InputDocuments:
    """Batches of documents from one source after another, with counts and a progress bar.

    Parameters
    ----------
    sources : sequence of str
        Names of files and folders.
    reading : ReadingOptions, or sequence of ReadingOptions
        Options for all sources, or for each of them.
    quiet : bool
        True to show warnings only.
    log : bool, default=False
        True to write lines about the progress to standard error if it is not a terminal.
    on_unlabelled : {"skip", "keep", "fail"}, default="skip"
        As for :class:`tallytext.io.DocumentReader`. With "skip", a warning counts the rows without
        a label; it is an error if all rows are.
    **options
        Further parameters of :class:`tallytext.io.DocumentReader`.

    Attributes
    ----------
    n_documents, n_bytes, n_skipped, n_unlabelled : int
        Numbers of documents and bytes read so far, of rows skipped, and of rows without a label.
    """

    def __init__(
        self,
        sources: Sequence[str],
        reading: ReadingOptions | Sequence[ReadingOptions],
        quiet: bool,
        log: bool = False,
        on_unlabelled: Literal["fail", "skip", "keep"] = "skip",
        **options: Any,
    ) -> None:
        from tallytext.io.documents import DocumentReader

        self.n_documents = self.n_bytes = self.n_skipped = self.n_unlabelled = 0
        self._on_unlabelled = on_unlabelled
        self._start, self._quiet, self._sources = perf_counter(), quiet, sources
        self._log = log and not quiet
        each = [reading] * len(sources) if isinstance(reading, ReadingOptions) else reading
        self._readers = [
            DocumentReader(
                source, **reading_parameters(how), on_unlabelled=on_unlabelled, **options
            )
            for source, how in zip(sources, each, strict=True)
        ]

    def __iter__(self) -> Iterator[Batch]:
        for _, batch in self.by_source():
            yield batch

    def by_source(self) -> Iterator[tuple[str, Batch]]:
        """Yield each batch with the name of its source."""
        # The clock starts with the first document, so that loading a model does not count as
        # reading.
        self._start = perf_counter()
        for source, reader in zip(self._sources, self._readers, strict=True):
            for batch in self._show_progress(source, reader):
                self.n_documents += len(batch)
                self.n_bytes += batch.n_bytes
                yield source, batch
            self.n_skipped += reader.skipped.count
            self.n_unlabelled += reader.n_unlabelled
            warn_about_skipped(reader.skipped, source)
        if self._on_unlabelled == "skip":
            warn_about_unlabelled(self.n_unlabelled, self.n_documents, self._sources)

    def pairs(self) -> Iterator[tuple[Any, Any]]:
        """Yield the texts and labels of the batches; raise InputError if there is no document."""
        for batch in self:
            yield batch.texts, batch.labels
        check_not_empty(self.n_documents, self.n_skipped, self._sources)

    def texts(self) -> Iterator[Any]:
        """Yield the texts of the batches."""
        for batch in self:
            yield batch.texts

    def close(self, more: InputDocuments | None = None) -> None:
        """Show the number of documents, with those of another input, and the time they took."""
        n = self.n_documents + (0 if more is None else more.n_documents)
        if not n:
            names = ("standard input" if each == "-" else each for each in self._sources)
            show_warning(f"there are no documents in {', '.join(names)}.")
        if self._quiet:
            return
        n_bytes = self.n_bytes + (0 if more is None else more.n_bytes)
        show_speed(n, n_bytes, perf_counter() - self._start)

    def _show_progress(self, source: str, reader: DocumentReader) -> Iterator[Batch]:
        if not shows_progress(self._quiet):
            yield from self._log_progress(source, reader) if self._log else reader
            return
        with _progress_bar() as progress:
            task = progress.add_task(source, total=reader.size, documents=0)
            for batch in reader:
                yield batch
                # After the yield: the consumer has finished the batch when the bar advances.
                progress.update(task, advance=batch.n_bytes, documents=f"{self.n_documents:,}")

    def _log_progress(self, source: str, reader: DocumentReader) -> Iterator[Batch]:
        """Write a line every few seconds, and one at the end of the source."""
        from tallytext.distributed.progress import LineProgress

        lines = LineProgress(f"reading {source}")
        for batch in reader:
            yield batch
            megabytes = _format_megabytes(self.n_bytes / 1e6)
            lines.show(f"{self.n_documents:,} documents, {megabytes} MB")
        lines.write()


def _progress_bar() -> Progress:
    from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn
    from rich.progress import TransferSpeedColumn as Speed

    described = TextColumn("{task.description}", markup=False)
    documents = TextColumn("{task.fields[documents]} documents")
    columns = (described, BarColumn(), documents, Speed(), TimeRemainingColumn())
    return Progress(*columns, console=message_console(), transient=True)


def unlabelled_documents(
    sources: list[str], labelled: list[str], reading: ReadingOptions, quiet: bool
) -> InputDocuments:
    """Return the documents of ``--unlabelled``, read with the options of the labelled ones.

    Parameters
    ----------
    sources : list of str
        Names of the unlabelled files and folders.
    labelled : list of str
        Names of the labelled ones.
    reading : ReadingOptions
        Options of the labelled ones.
    quiet : bool
        True to show warnings only.
    """
    if sum(source == "-" for source in (*sources, *labelled)) > 1:
        raise typer.BadParameter(
            "standard input can be read only once. Write it to a file, and give that."
        )
    readings = [_without_labels(source, reading) for source in sources]
    return InputDocuments(sources, readings, quiet)


def _without_labels(source: str, reading: ReadingOptions) -> UnlabelledReadingOptions:
    format = format_by_name(source, reading.format)
    return UnlabelledReadingOptions(
        text=reading.text,
        format=format,
        on_error=reading.on_error,
        encoding=reading.encoding,
        # Other formats reject a pattern, which was given for the labelled documents.
        match=reading.match if format in ("folder", "tar") else None,
        max_row=reading.max_row,
        max_unpacked=reading.max_unpacked,
    )


def format_by_name(source: str, default: str | None) -> str | None:
    """Return the format that the name of a source implies, or else the default.

    The unlabelled documents may have another format than the labelled ones, for which the user
    gave --format.
    """
    from tallytext.io.sources import Source

    if source == "-":
        return default
    try:
        return Source.from_name(source).format
    except FileError:
        return default


def check_not_empty(n_documents: int, n_skipped: int, sources: Sequence[str]) -> None:
    """Raise InputError if no document was read."""
    if not n_documents:
        rows = "The only row was" if n_skipped == 1 else f"All {n_skipped:,} rows were"
        skipped = f" {rows} skipped (--on-error skip)." * bool(n_skipped)
        names = ", ".join("standard input" if each == "-" else each for each in sources)
        raise InputError(f"there is no document in {names}.{skipped}")


def warn_about_skipped(skipped: SkippedRows, source: str) -> None:
    """Show a warning with the rows of a source that were skipped, if any."""
    if skipped.count:
        more = skipped.count - len(skipped.messages)
        lines = [*skipped.messages, *([f"and {more:,} more"] if more else [])]
        rows = "row was" if skipped.count == 1 else "rows were"
        show_warning(f"{skipped.count:,} {rows} skipped in {source}:\n  " + "\n  ".join(lines))


def warn_about_unlabelled(n_unlabelled: int, n_documents: int, sources: Sequence[str]) -> None:
    """Show a warning with the number of rows without a label; raise InputError if all are."""
    if n_unlabelled and not n_documents:
        raise InputError(
            f"none of the {n_unlabelled:,} rows in {', '.join(sources)} has a label. Is --label "
            "the right column?"
        )
    if n_unlabelled:
        rows = "row without a label was" if n_unlabelled == 1 else "rows without a label were"
        show_warning(f"{n_unlabelled:,} {rows} left out.")


def show_speed(n_documents: int, n_bytes: int, seconds: float) -> None:
    """Show the number of documents, their megabytes, and the time they took."""
    count, megabytes = f"{n_documents:,} document{'s' * (n_documents != 1)}", n_bytes / 1e6
    if megabytes < _MIN_MEGABYTES_SHOWN * max(seconds, 1):
        show_message(f"{count} in {seconds:,.1f} s")
    else:
        speed = f"{_format_megabytes(megabytes / seconds)} MB/s"
        show_message(f"{count}, {_format_megabytes(megabytes)} MB in {seconds:,.1f} s ({speed})")


def _format_megabytes(value: float) -> str:
    return f"{value:,.0f}" if value >= 10 else f"{value:.1f}"


@contextmanager
def note_on_interrupt(outcome: Callable[[], str]) -> Iterator[None]:
    """Add a note to a KeyboardInterrupt, which the command shows when it ends.

    Parameters
    ----------
    outcome : callable
        Returns a sentence about the work that was saved before the interruption.
    """
    try:
        yield
    except KeyboardInterrupt as stop:
        stop.add_note(outcome())
        raise


@contextmanager
def delay_interrupts() -> Iterator[None]:
    """Delay Ctrl-C until the end of the block, so that no line or file is written by half.

    A second Ctrl-C interrupts at once, because the block may wait for a reader that has stopped.
    """
    # Python allows only the main thread to set signal handlers.
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    waiting: list[int] = []

    def wait(number: int, _: Any) -> None:
        if waiting:
            raise KeyboardInterrupt
        waiting.append(number)

    # A handler and not a blocked signal, because it has to see a second Ctrl-C.
    before = signal.signal(signal.SIGINT, wait)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
    if waiting:
        raise KeyboardInterrupt


def load_model(path: Path, documents: Sequence[str] = ()) -> TextClassifier:
    """Read a model.

    Parameters
    ----------
    path : Path
        Its file.
    documents : sequence of str
        The inputs that follow on the command line; if one of them is a model, the error message
        explains the order.
    """
    from tallytext import TextClassifier
    from tallytext.io.safetensors import is_array_file

    try:
        return TextClassifier.load(path)
    except FileError as error:
        problem = error if os.path.lexists(path) else missing_model(path)
        if not is_array_file(path) and any(is_array_file(each) for each in documents):
            raise FileError(f"{problem} Give the model first, then the documents.") from None
        raise problem from None


def missing_model(path: Path) -> FileError:
    """Return the error for a model file that does not exist, with the models of its folder."""
    problem = f"there is no model {str(path)!r}."
    try:
        names = sorted(str(each) for each in path.parent.glob("*.tally"))
    except OSError:
        return FileError(problem)
    if not names:
        return FileError(f"{problem} Train one with tally train.")
    more = f" and {len(names) - _MAX_MODELS_SHOWN} more" * (len(names) > _MAX_MODELS_SHOWN)
    return FileError(f"{problem} The folder has: {', '.join(names[:_MAX_MODELS_SHOWN])}{more}.")


def save_model(classifier: TextClassifier, path: Path) -> None:
    """Write a model; Ctrl-C takes effect when the file is complete."""
    with delay_interrupts():
        classifier.save(path)


def find_class(classifier: TextClassifier, name: str) -> Any:
    """Return the class label that is written like this, which may be a number."""
    classes = classifier.classes_.tolist()
    for label in classes:
        if str(label) == name:
            return label
    shown = ", ".join(map(str, classes[:_MAX_CLASSES_SHOWN]))
    shown += ", …" if len(classes) > _MAX_CLASSES_SHOWN else ""
    raise UnknownNameError(
        f"the model has no label {name!r}.{did_you_mean(name, classes)} It has: {shown}."
    )


def check_output_file(
    path: Path, kind: Literal["tally model", "page written by tally", "drawing"] = "tally model"
) -> Path:
    """Raise FileError before the work if the result could not be written after it.

    Parameters
    ----------
    path : Path
        The file to write.
    kind : {"tally model", "page written by tally", "drawing"}, default="tally model"
        What is written: a model may replace a model, a report in HTML a report, and a drawing in
        SVG a drawing. Other files are never overwritten.
    """
    where = f"cannot write to {str(path)!r}"
    _check_is_file(path, where)
    _check_parent(path, where)
    if _is_foreign_file(path, kind):
        raise FileError(
            f"{where}. This file exists and is not a {kind}, so it is not overwritten. Choose "
            "another name."
        )
    return path


@contextmanager
def lock_output(path: Path, wait: float, quiet: bool) -> Iterator[None]:
    """Check the file of a model before the work, and let no other command change it meanwhile.

    The block holds all from the reading of a model to its saving, so that no update is lost.

    Parameters
    ----------
    path : Path
        The file to write.
    wait : float
        Seconds to wait for another command, the value of --wait.
    quiet : bool
        True to show nothing while waiting.
    """
    from tallytext.io.locks import lock_file

    check_output_file(path)
    with ExitStack() as stack:
        try:
            stack.enter_context(lock_file(path, min(wait, _SILENT_WAIT)))
        except FileInUseError as problem:
            if wait > _SILENT_WAIT and not quiet:
                show_message(f"waiting for {problem.holder}, which uses {str(path)!r} …")
            try:
                stack.enter_context(lock_file(path, max(wait - _SILENT_WAIT, 0)))
            except FileInUseError as still:
                longer = max(60, round(6 * wait))
                raise FileInUseError(f"{still} To wait longer, add --wait {longer}.") from None
        yield


def check_new_file(path: Path) -> Path:
    """Raise FileError before the work if a file exists already, or could not be created."""
    where = f"cannot write to {str(path)!r}"
    if path.exists():
        raise FileError(f"{where}: it exists already. Choose another name, or remove it.")
    _check_parent(path, where)
    return path


def check_escapes_formulas(wanted: bool, format: str | None) -> None:
    """Raise BadParameter if --escape-formulas is given and no table for a spreadsheet is written.

    Parameters
    ----------
    wanted : bool
        The value of --escape-formulas.
    format : str or None
        The format, or the ending of a file; None if there is no such output.
    """
    from tallytext.io.table_writer import FLAT_FORMATS

    if wanted and (format or "").lstrip(".").lower() not in FLAT_FORMATS:
        raise typer.BadParameter(
            "--escape-formulas is for CSV and TSV, which a spreadsheet may open. Give a file whose "
            "name ends in .csv or .tsv, or leave it out."
        )


def check_table_file(
    path: Path, inputs: Sequence[str | Path], *, force: bool, to: AnswerFormat
) -> str:
    """Return the format of a table to write; raise FileError if it could not be written.

    Parameters
    ----------
    path : Path
        The file; its ending gives the format.
    inputs : sequence of str or Path
        Files that the command reads, which are never overwritten.
    force : bool
        True to replace an existing file; but never a model.
    to : AnswerFormat
        The value of --to, which is for standard output.
    """
    from tallytext.io.table_writer import table_format

    format, _ = table_format(path)
    if to is AnswerFormat.csv and format != "csv":
        raise typer.BadParameter(
            "the ending of --output gives the format of a file, and --to csv that of standard "
            "output. Leave out --to, or give a name that ends in .csv."
        )
    check_appended_file(path, inputs)
    # An empty file, as mktemp makes it, holds nothing that could be lost.
    if path.exists() and path.stat().st_size and not force:
        where = f"cannot write to {str(path)!r}"
        raise FileError(f"{where}: it exists already. Choose another name, or add --force.")
    return format


def is_same_file(path: Path, other: str | Path) -> bool:
    """Return True if two names lead to one existing file."""
    try:
        return path.samefile(other)
    except OSError:
        return False


def check_output_folder(path: Path) -> Path:
    """Raise FileError before the work if a folder has files in it or could not be made."""
    path = path.resolve()
    where = f"cannot write to {str(path)!r}"
    if path.exists() and not path.is_dir():
        raise FileError(f"{where}: it is a file. Give the name of a folder.")
    if path.is_dir() and any(path.iterdir()):
        raise FileError(f"{where}: there are files in it. Give a new folder, or an empty one.")
    _check_parent(path, where)
    return path


def _check_is_file(path: Path, where: str) -> None:
    if path.exists() and not path.is_file():
        kind = "a folder" if path.is_dir() else "a device or a pipe"
        raise FileError(f"{where}: it is {kind}. Give the name of a file.")
    if Path(os.path.realpath(path)).is_symlink():
        raise FileError(f"{where}: it is a link that leads to itself. Give the name of a file.")


def _check_parent(path: Path, where: str) -> None:
    # A link stays, and the file that it leads to is written.
    folder = Path(os.path.realpath(path) if path.is_symlink() else path).parent
    if not folder.is_dir():
        raise FileError(
            f"{where}: there is no folder {str(folder)!r}. Create it, or choose another one."
        )
    if not os.access(folder, os.W_OK):
        raise FileError(
            f"{where}: you may not write to the folder {str(folder)!r}. Choose another one."
        )


def check_appended_file(path: Path, inputs: Sequence[str | Path]) -> None:
    """Raise FileError before the work if rows cannot be appended to a file, or must not be.

    Parameters
    ----------
    path : Path
        The file.
    inputs : sequence of str or Path
        Files that the command reads.
    """
    from tallytext.io.safetensors import is_array_file

    where = f"cannot write to {str(path)!r}"
    _check_is_file(path, where)
    if any(is_same_file(path, each) for each in inputs):
        raise FileError(f"{where}: it is read by this command. Choose another name.")
    if path.exists() and is_array_file(path):
        raise FileError(f"{where}: it is a tally model. Choose another name.")
    _check_parent(path, where)


def _is_foreign_file(path: Path, kind: str) -> bool:
    """Return True if a file exists that tally did not write: most likely it is the user's data."""
    from tallytext.io.html import is_report_page
    from tallytext.io.safetensors import is_array_file
    from tallytext.io.svg import is_drawing

    # An empty file, as mktemp makes it, holds nothing that could be lost.
    if not path.is_file() or not path.stat().st_size:
        return False
    is_own = {"page written by tally": is_report_page, "drawing": is_drawing}
    return not is_own.get(kind, is_array_file)(path)


class LineWriter:
    """Writes whole lines to standard output, without buffering them.

    On a terminal, control characters are escaped: in JSON as JSON escapes them. Into a pipe or a
    file, the lines are written as they are.

    Attributes
    ----------
    n_written : int
        Number of predictions written.
    """

    def __init__(self) -> None:
        self.n_written = 0

    def write(self, lines: bytes, n_predictions: int = 0) -> None:
        """Write lines that hold this number of predictions."""
        if sys.stdout.isatty():
            lines = escape_controls(lines.decode()).encode()
        with delay_interrupts():
            sys.stdout.buffer.write(lines)
            sys.stdout.buffer.flush()
            # Counted inside the block, so that the note after an interrupt reports whole lines
            # only.
            self.n_written += n_predictions


@contextmanager
def new_folder(path: Path, pattern: str) -> Iterator[Path]:
    """Yield a temporary folder to write to; it is renamed to ``path`` if the block succeeds.

    Parameters
    ----------
    path : Path
        The final name.
    pattern : str
        Pattern of the names of complete files. Others are removed: a worker that was killed leaves
        a partial file.

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
    from tallytext.io.atomic import temporary_folder

    with temporary_folder(path) as temporary:
        yield temporary
        with delay_interrupts():
            for file in temporary.iterdir():
                # A worker that was killed leaves its unfinished temporary file here.
                if not fnmatchcase(file.name, pattern):
                    file.unlink(missing_ok=True)
            if path.is_dir():
                path.rmdir()  # fails if files came into it meanwhile, which are not ours to lose
            temporary.rename(path)

"""Documents that a command reads, shown as they go by."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict
from time import perf_counter
from typing import TYPE_CHECKING, Any

from tallytext.cli.console import is_watched, remarks, say, warn
from tallytext.cli.options import Reading
from tallytext.errors import InputError

if TYPE_CHECKING:
    from rich.progress import Progress

    from tallytext.datasets import Batch, DocumentReader, Skipped

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
        More of it, as for :func:`tallytext.datasets.read_documents`.

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
        from tallytext.datasets import read_documents

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
        expect_some(self.n_documents, self.n_skipped, self._sources)

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


def expect_some(n_documents: int, n_skipped: int, sources: Sequence[str]) -> None:
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

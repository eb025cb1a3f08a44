"""Documents that are read where they are worked on, by those an engine gives the work to."""

from __future__ import annotations

from collections.abc import Callable, Generator
from contextlib import AbstractContextManager
from dataclasses import asdict
from time import perf_counter
from typing import TYPE_CHECKING, Any

from tallytext.cli.documents import expect_some, tell_speed, warn_of_skipped
from tallytext.cli.engine_options import Many
from tallytext.cli.engines import Engine, opened_engine
from tallytext.cli.options import Reading
from tallytext.progress import progress_bar

if TYPE_CHECKING:
    from tallytext.datasets import Skipped
    from tallytext.distributed.files import Split
    from tallytext.distributed.outcome import Outcome
    from tallytext.tally import GatheredTally

# Of reading: what is known of files, before anybody reads them.
_OF_FILES = ("format", "encoding", "match")


class SharedWork:
    """Pieces of work, shared out by an engine; it counts as it hears of them.

    Parameters
    ----------
    sources : list of str
    reading : Reading
        How to read them.
    many : Many
        Where the work is done.
    quiet : bool
        Whether to say nothing but warnings.

    Attributes
    ----------
    n_documents, n_bytes, n_skipped : int
        Read so far, and left out.
    """

    def __init__(self, sources: list[str], reading: Reading, many: Many, quiet: bool) -> None:
        from tallytext.distributed.files import Files

        self.n_documents = self.n_bytes = self.n_skipped = 0
        self._start, self._quiet, self._sources, self._many = perf_counter(), quiet, sources, many
        values = asdict(reading) | {"on_error": reading.on_error.value}
        self._files = Files(sources, **{name: values.pop(name) for name in _OF_FILES})
        self._splits = self._files.splits()
        self.reading: dict[str, Any] = values

    def tally(self, **counted: Any) -> GatheredTally:
        """Return the counts of all documents; that there is none is an error.

        Parameters
        ----------
        **counted
            What is counted, as the engines take it.
        """
        how = {"labels" if name == "label" else name: v for name, v in self.reading.items()}
        with self._engine() as engine:
            tally = engine.tally(self._files, **how, **counted)
        assert tally.origin is not None
        self.n_documents = int(tally.n_documents)
        self.n_bytes = sum(split.n_bytes for split in self._splits)
        self.n_skipped = tally.origin.n_skipped
        expect_some(self.n_documents, self.n_skipped, self._sources)
        self._warn_of_all(self.n_skipped, tally.origin.skipped)
        return tally

    def outcomes(
        self, function: Callable[[Split, bytes], bytes], question: bytes
    ) -> Generator[Outcome, None, None]:
        """Yield what became of each piece of work, in order.

        Parameters
        ----------
        function : callable
            Takes a split and what all have to know, and returns an outcome, packed.
        question : bytes
            What all have to know.
        """
        from tallytext.datasets import Skipped
        from tallytext.distributed.outcome import Outcome

        left_out: dict[str, Skipped] = {}
        n_splits = len(self._splits)
        with (
            self._engine() as engine,
            progress_bar("Working", n_splits, False if self._quiet else None) as step,
        ):
            sent = engine.mapped(function, self._splits, question)
            for split, packed in zip(self._splits, sent, strict=True):
                outcome = Outcome.unpack(packed)
                self._count(outcome)
                left_out.setdefault(split.name, Skipped())
                left_out[split.name] += outcome.skipped
                step(f"{self.n_documents:,} documents")
                yield outcome
        for source, skipped in left_out.items():
            warn_of_skipped(skipped, source)

    def close(self) -> None:
        """Say how many documents there were, and how long they took."""
        if not self._quiet:
            tell_speed(self.n_documents, self.n_bytes, perf_counter() - self._start)

    def _engine(self) -> AbstractContextManager[Engine]:
        """Open the engine, which takes seconds, once the first file is seen to be of use."""
        for split in self._splits[:1]:
            split.check(**self.reading)
        return opened_engine(self._many, len(self._splits), self._quiet)

    def _count(self, outcome: Outcome) -> None:
        self.n_documents += outcome.n_documents
        self.n_bytes += outcome.n_bytes
        self.n_skipped += outcome.skipped.count

    def _warn_of_all(self, count: int, messages: list[str]) -> None:
        from tallytext.datasets import Skipped

        warn_of_skipped(Skipped(count, messages), ", ".join(self._sources))

"""``tally demo``: learn from the docstrings on this machine which package one is from."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from time import perf_counter
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table

    from tallytext import Tally
    from tallytext.cli.trial import Trial
    from tallytext.datasets.docstrings import Source


def demo(
    classes: Annotated[int, typer.Option(min=1, help="How many classes to show.")] = 12,
    top: Annotated[int, typer.Option(min=1, help="How many terms to show for each.")] = 8,
    quick: Annotated[
        bool, typer.Option("--quick", help="Read NumPy and SciPy's sources only.")
    ] = False,
) -> None:
    """Learn from the docstrings on this machine which package one is from.

    Reads the sources of NumPy, SciPy, scikit-learn and the standard library, without importing
    them. The class of a docstring is the sub-package it is from. Shows what is typical of each,
    trains a classifier on nine docstrings of ten, judges it by the tenth, and explains a decision.
    """
    from rich.console import Console

    from tallytext.cli.trial import on_trial

    console = Console()
    watch = Stopwatch()
    with watch.step("read and parse the sources"):
        texts, labels = _read(console, quick)
    tally = _count(texts, labels, watch)
    megabytes = sum(len(text.encode("utf-8", "surrogatepass")) for text in texts) / 1e6
    console.print(_figures(tally, megabytes))
    console.print(_times(watch, megabytes))
    console.print(_typical_terms(tally, classes, top))
    trial = on_trial(texts, labels)
    console.print(_verdict(trial))
    console.print(trial.explained.to_text(top), markup=False, highlight=False)


@dataclass
class Stopwatch:
    """Seconds by step."""

    seconds: dict[str, float] = field(default_factory=dict)

    @contextmanager
    def step(self, name: str) -> Iterator[None]:
        """Time what happens inside."""
        start = perf_counter()
        yield
        self.seconds[name] = perf_counter() - start


def _read(console: Console, quick: bool) -> tuple[list[str], list[str]]:
    from tallytext.datasets import load_docstrings

    track = _progress_bar(console)
    if quick:
        return load_docstrings(["numpy", "scipy"], standard_library=False, track=track)
    return load_docstrings(track=track)


def _progress_bar(console: Console) -> Callable[[Sequence[Source]], Iterable[Source]]:
    from rich.progress import track

    return lambda sources: track(sources, "Reading docstrings", console=console, transient=True)


def _count(texts: list[str], labels: list[str], watch: Stopwatch) -> Tally:
    from tallytext import Tally, TextVectorizer

    vectorizer = TextVectorizer()
    with watch.step("texts to document counts"):
        counts = vectorizer.fit_transform(texts)
    with watch.step("document counts to the tally"):
        return Tally.from_counts(counts, labels, vectorizer.vocabulary_)


def _figures(tally: Tally, megabytes: float) -> Table:
    table = _table("The corpus", "documents", "classes", "MB", "terms", "tokens")
    table.add_row(
        f"{tally.n_documents:,}",
        f"{len(tally.classes):,}",
        f"{megabytes:.1f}",
        f"{tally.n_terms:,}",
        f"{tally.n_tokens:,}",
    )
    return table


def _times(watch: Stopwatch, megabytes: float) -> Table:
    table = _table("The work", "step", "seconds", "MB/s")
    for name, seconds in watch.seconds.items():
        table.add_row(name, f"{seconds:.3f}", f"{megabytes / seconds:,.1f}")
    return table


def _verdict(trial: Trial) -> Table:
    title = "A classifier (chi-weighted contrast, trained on nine of ten)"
    table = _table(title, "held out", "right", "most common", "train, s", "predict, s")
    table.add_row(
        f"{trial.n_held_out:,}",
        f"{trial.accuracy:.1%}",
        f"{trial.most_common:.1%}",
        f"{trial.train:.3f}",
        f"{trial.predict:.3f}",
    )
    return table


def _typical_terms(tally: Tally, classes: int, top: int) -> Table:
    """Show the terms with the highest log-likelihood ratio for the largest classes."""
    from tallytext.selection.typical import typical_terms

    title = "Most characteristic terms (log-likelihood ratio against all other classes)"
    table = _table(title, "class", "documents", "tokens", "terms")
    by_size = sorted(range(len(tally.classes)), key=lambda c: -int(tally.class_documents[c]))
    largest = by_size[:classes]
    for c, terms in zip(largest, typical_terms(tally, largest, top), strict=True):
        table.add_row(
            str(tally.classes[c]),
            f"{int(tally.class_documents[c]):,}",
            f"{int(tally.class_tokens[c]):,}",
            " ".join(terms),
        )
    return table


def _table(title: str, *columns: str) -> Table:
    from rich import box
    from rich.table import Table

    words = {"step", "class", "terms"} if len(columns) < 5 else set()
    table = Table(title=title, title_justify="left", box=box.SIMPLE_HEAD)
    for column in columns:
        table.add_column(column, justify="left" if column in words else "right")
    return table

"""``tally demo``: what this is for, shown on the docstrings of this machine."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Annotated

import typer

from tallytext.cli.console import is_watched, remarks, results, say
from tallytext.cli.demo_steps import Demonstration, Texts

if TYPE_CHECKING:
    from tallytext.datasets.docstrings import Source

_KEPT_OUT = 10  # one document of so many

_BEGIN = """\
What tallytext does, on texts that every Python has: docstrings. The label of
each is the package it is from. One of ten is kept to judge by.
"""
_END = """\
  tally label notes.csv        no labels yet? Give some, with the model's help
  tally compare mails.csv      which learner is best for you, and a report to see
  tally --help                 all commands; each has --help with examples
"""


def demo(
    classes: Annotated[int, typer.Option(min=1, metavar="N", help="How many classes to show.")] = 6,
    top: Annotated[
        int, typer.Option(min=1, metavar="K", help="How many terms to show for each.")
    ] = 8,
    quick: Annotated[
        bool, typer.Option("--quick", help="Read NumPy and SciPy's sources only.")
    ] = False,
) -> None:
    """See it at work: learn from docstrings which package one is from.

    Reads the sources of NumPy, SciPy, scikit-learn and the standard library, without running
    them. Trains on nine docstrings of ten, judges by the tenth, explains a decision, learns from
    five labels per class, learns something new and forgets it, and says which commands do the same
    with files of your own. Writes no file.

    \b
    tally demo
    tally demo --quick
    """
    texts, labels = _read(quick)
    kept = [at for at in range(len(texts)) if at % _KEPT_OUT]
    learned = Texts([texts[at] for at in kept], [labels[at] for at in kept])
    others = Texts(texts[::_KEPT_OUT], labels[::_KEPT_OUT])
    console = results()
    console.print(_BEGIN)
    shown = Demonstration(console, learned, others)
    shown.training()
    shown.typical_terms(classes, top)
    shown.trial()
    shown.decision(top)
    shown.few_labels()
    shown.change()
    shown.rule("What next")
    console.print(_END, end="")


def _read(quick: bool) -> tuple[list[str], list[str]]:
    from tallytext.datasets import load_docstrings

    if not is_watched(False):
        say("reading docstrings, which takes some seconds")
    track = _progress_bar() if is_watched(False) else iter
    if quick:
        return load_docstrings(["numpy", "scipy"], standard_library=False, track=track)
    return load_docstrings(track=track)


def _progress_bar() -> Callable[[Sequence[Source]], Iterable[Source]]:
    from rich.progress import track

    return lambda sources: track(sources, "Reading docstrings", console=remarks(), transient=True)

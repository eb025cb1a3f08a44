"""``tally demo``: learn from the docstrings on this machine which package one is from."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from time import perf_counter
from typing import TYPE_CHECKING, Annotated

import typer

from tallytext.cli.console import is_watched, remarks, results

if TYPE_CHECKING:
    from rich.console import Console

    from tallytext import TextClassifier
    from tallytext.datasets.docstrings import Source

_KEPT_OUT = 10  # one document of so many


def demo(
    classes: Annotated[int, typer.Option(min=1, help="How many classes to show.")] = 12,
    top: Annotated[int, typer.Option(min=1, help="How many terms to show for each.")] = 8,
    quick: Annotated[
        bool, typer.Option("--quick", help="Read NumPy and SciPy's sources only.")
    ] = False,
) -> None:
    """Learn from the docstrings on this machine which package one is from.

    Reads the sources of NumPy, SciPy, scikit-learn and the standard library, without importing
    them. The class of a docstring is the sub-package it is from. Trains a classifier on nine
    docstrings of ten, shows what it chose and what is typical of each class, judges it by the
    tenth, and explains a decision.
    """
    from tallytext import TextClassifier

    texts, labels = _read(quick)
    kept = [at for at in range(len(texts)) if at % _KEPT_OUT]
    learned = [texts[at] for at in kept]
    start = perf_counter()
    classifier = TextClassifier(verbose=is_watched(False))
    classifier.fit(learned, [labels[at] for at in kept])
    seconds = perf_counter() - start
    megabytes = sum(len(text.encode("utf-8", "surrogatepass")) for text in learned) / 1e6
    console = results()
    _show_training(console, classifier, f"{megabytes:.1f} MB of docstrings in {seconds:.1f} s")
    _show_terms(console, classifier, classes, top)
    _show_trial(console, classifier, texts[::_KEPT_OUT], labels[::_KEPT_OUT], top)


def _read(quick: bool) -> tuple[list[str], list[str]]:
    from tallytext.datasets import load_docstrings

    track = _progress_bar() if is_watched(False) else iter
    if quick:
        return load_docstrings(["numpy", "scipy"], standard_library=False, track=track)
    return load_docstrings(track=track)


def _progress_bar() -> Callable[[Sequence[Source]], Iterable[Source]]:
    from rich.progress import track

    return lambda sources: track(sources, "Reading docstrings", console=remarks(), transient=True)


def _show_training(console: Console, classifier: TextClassifier, cost: str) -> None:
    console.rule("What was learned", align="left")
    console.print(str(classifier.report()))
    console.print(f"  took         {cost}\n")


def _show_terms(console: Console, classifier: TextClassifier, classes: int, top: int) -> None:
    from tallytext.cli.terms import terms_table

    tally = classifier.tally_
    by_size = sorted(range(len(tally.classes)), key=lambda c: -int(tally.class_documents[c]))
    console.rule("What is typical of the largest classes", align="left")
    console.print(terms_table(tally, by_size[:classes], top))
    console.print()


def _show_trial(
    console: Console, classifier: TextClassifier, texts: list[str], labels: list[str], top: int
) -> None:
    from tallytext.cli.answers import Answers
    from tallytext.evaluation import Evaluation, EvaluationReport

    proba = classifier.predict_proba(texts)
    given = [label for label, _ in Answers(classifier).labels(proba)]
    evaluation = Evaluation()
    evaluation.add(labels, given, proba, classifier.classes_.tolist())
    console.rule("How well it does on docstrings it has not seen", align="left")
    console.print(EvaluationReport.of(evaluation, n_confusions=5).to_rich(5))
    right = [text for text, a, b in zip(texts, labels, given, strict=True) if a == b] or texts
    console.print()
    console.rule("Why", align="left")
    console.print(classifier.explain(_short_one(right)).to_rich(top))


def _short_one(texts: list[str]) -> str:
    """Return a text of which there are three longer ones for each that is shorter."""
    return sorted(texts, key=len)[len(texts) // 4]

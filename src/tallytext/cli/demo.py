"""``tally demo``: what this is for, shown on the docstrings of this machine."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from random import Random
from time import perf_counter
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

import typer

from tallytext.cli.io import is_watched, remarks, results, say

if TYPE_CHECKING:
    from rich.console import Console

    from tallytext.io.docstrings import Source


# ------------------------------------------------------------------------------------------------
# The steps of the demonstration: what is done, what comes of it, and the command for it.

_LABELS, _CLASSES = 5, 10  # of the step with few labels
_NEW = "An old silent pond: a frog jumps into the pond, splash! Silence again.", "haiku"
_ASKED = "A frog in a silent pond"


class Texts(NamedTuple):
    """Documents and the label of each."""

    texts: list[str]
    labels: list[str]


class Demonstration:
    """A classifier of docstrings, shown from all sides.

    Parameters
    ----------
    console : Console
        Where to.
    learned, others : Texts
        What it learns, and what it is judged by.
    """

    def __init__(self, console: Console, learned: Texts, others: Texts) -> None:
        from tallytext import TextClassifier

        self._console, self._learned, self._others = console, learned, others
        start = perf_counter()
        self._classifier = TextClassifier(verbose=is_watched(False)).fit(*learned)
        self._seconds = perf_counter() - start

    def rule(self, title: str) -> None:
        """Begin a step."""
        self._console.rule(title, align="left")

    def training(self) -> None:
        """Show what was chosen."""
        from tallytext.cli.train import print_report

        megabytes = sum(len(text.encode("utf-8", "replace")) for text in self._learned.texts) / 1e6
        self.rule("1. What was learned")
        print_report(self._classifier.report())
        cost = f"{megabytes:.1f} MB of docstrings in {self._seconds:.1f} s"
        self._console.print(f"  took         {cost}")
        self._with("tally train mails.csv --text body --label folder")

    def typical_terms(self, classes: int, top: int) -> None:
        """Show the words of the largest classes."""
        from tallytext.cli.inspect import terms_table

        tally = self._classifier.tally_
        by_size = sorted(range(len(tally.classes)), key=lambda c: -int(tally.class_documents[c]))
        self.rule("2. What is typical of the largest classes")
        self._console.print(terms_table(tally, by_size[:classes], top))
        self._with("tally terms mails.tally")

    def trial(self) -> None:
        """Judge the classifier."""
        from tallytext.classifier.evaluation import evaluated
        from tallytext.evaluation.report import EvaluationReport

        evaluation = evaluated(self._classifier, [self._others])
        self.rule("3. How well it does on docstrings it has not seen")
        self._console.print(EvaluationReport.of(evaluation, n_confusions=3).to_rich(3))
        self._with("tally evaluate mails.tally test.csv --text body --label folder")

    def decision(self, top: int) -> None:
        """Explain a decision: that of a text of which there are three longer ones for a shorter."""
        texts, labels = self._others
        given = self._classifier.predict(texts).tolist()
        right = [text for text, a, b in zip(texts, labels, given, strict=True) if a == b] or texts
        self.rule("4. Why one of them has its label")
        why = self._classifier.explain(sorted(right, key=len)[len(right) // 4])
        self._console.print(why.to_rich(top))
        self._console.print("each number: how much a word speaks for the label (+) or against (-)")
        self._with('tally explain mails.tally "Lunch on Friday, or a cheap prize?"')

    def few_labels(self) -> None:
        """Learn from a few labels, without and with the texts that have none."""
        from tallytext import TextClassifier

        few, pool = few_of(self._learned, _LABELS, _CLASSES)
        others = [pair for pair in zip(*self._others, strict=True) if pair[1] in set(few.labels)]
        alone = TextClassifier().fit(*few)
        both = TextClassifier().fit(*few, unlabelled=pool)
        self.rule(f"5. Few labels: {_LABELS} for each of {len(set(few.labels))} packages")
        self._console.print(
            f"  {_right(alone, others):6.1%} right, learned from {len(few.labels):,} labelled "
            f"docstrings\n  {_right(both, others):6.1%} right, learned from {len(pool):,} without "
            "labels, too"
        )
        self._with("tally train few.csv --unlabelled the-rest.csv -o notes.tally")

    def change(self) -> None:
        """Learn a document of a new class, and forget it."""
        classifier, (text, label) = self._classifier, _NEW
        texts = self._others.texts
        before, n = classifier.scores(texts), len(classifier.classes_)
        start = perf_counter()
        classifier.learn(text, label)
        milliseconds = 1000 * (perf_counter() - start)
        answer, n_more = (
            classifier.predict([_ASKED])[0],
            len(classifier.classes_),
        )
        classifier.forget(text, label)
        same = (before == classifier.scores(texts)).all()
        self.rule("6. Learn more, and forget")
        self._console.print(
            f"  learned      one text with a new label, {label!r}, in {milliseconds:.1f} ms: "
            f"{n} classes, now {n_more}\n"
            f"  asked        {_ASKED!r} is {str(answer)!r}\n"
            f"  forgotten    scores of {len(texts):,} docstrings are "
            f"{'' if same else 'not '}what they were, to the last bit"
        )
        self._with(
            "tally learn mails.tally more.csv --text body --label folder",
            "tally forget mails.tally wrong.csv --text body --label folder",
        )

    def _with(self, *commands: str) -> None:
        from rich.text import Text

        for command in commands:
            self._console.print(Text.assemble(("  your own:    ", "dim"), (command, "bold green")))
        self._console.print()


def few_of(learned: Texts, n_labels: int, n_classes: int) -> tuple[Texts, list[str]]:
    """Draw documents of each of the largest classes; return them, and all other texts there.

    Examples
    --------
    >>> few, pool = few_of(Texts(list("abcd"), list("xxyx")), 1, 2)
    >>> sorted(few.labels), sorted([*few.texts, *pool])
    (['x', 'y'], ['a', 'b', 'c', 'd'])
    """
    largest = {label for label, _ in Counter(learned.labels).most_common(n_classes)}
    pairs = [pair for pair in zip(*learned, strict=True) if pair[1] in largest]
    Random(0).shuffle(pairs)
    seen: Counter[str] = Counter()
    few, pool = Texts([], []), []
    for text, label in pairs:
        seen[label] += 1
        if seen[label] > n_labels:
            pool.append(text)
        else:
            few.texts.append(text)
            few.labels.append(label)
    return few, pool


def _right(classifier: Any, pairs: list[tuple[str, str]]) -> float:
    given = classifier.predict([text for text, _ in pairs]).tolist()
    return sum(a == b for a, (_, b) in zip(given, pairs, strict=True)) / max(1, len(pairs))


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
    from tallytext.io.docstrings import load_docstrings

    if not is_watched(False):
        say("reading docstrings, which takes some seconds")
    track = _progress_bar() if is_watched(False) else iter
    if quick:
        return load_docstrings(["numpy", "scipy"], standard_library=False, track=track)
    return load_docstrings(track=track)


def _progress_bar() -> Callable[[Sequence[Source]], Iterable[Source]]:
    from rich.progress import track

    return lambda sources: track(sources, "Reading docstrings", console=remarks(), transient=True)

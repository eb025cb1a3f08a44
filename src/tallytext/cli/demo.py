"""``tally demo``: a demonstration on the docstrings of installed Python packages."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from random import Random
from time import perf_counter
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

import typer

from tallytext.cli.io import message_console, result_console, show_message, shows_progress

if TYPE_CHECKING:
    from rich.console import Console

    from tallytext.io.docstrings import PythonFile


# Numbers of labels per class and of classes in the step with few labels.
_N_LABELS, _N_CLASSES = 5, 10
_NEW_DOCUMENT = "An old silent pond: a frog jumps into the pond, splash! Silence again.", "haiku"
_QUERY_TEXT = "A frog in a silent pond"


class LabelledTexts(NamedTuple):
    """Documents and the label of each."""

    texts: list[str]
    labels: list[str]


class Demonstration:
    """The steps of the demonstration: each shows a result and the command for it.

    Parameters
    ----------
    console : Console
        Console to print to.
    learned, others : LabelledTexts
        Training documents, and held-out documents.
    """

    def __init__(self, console: Console, learned: LabelledTexts, others: LabelledTexts) -> None:
        from tallytext import TextClassifier

        self._console, self._learned, self._others = console, learned, others
        start = perf_counter()
        self._classifier = TextClassifier(verbose=shows_progress(False)).fit(*learned)
        self._seconds = perf_counter() - start

    def rule(self, title: str) -> None:
        """Print the title of a step."""
        self._console.rule(title, align="left")

    def training(self) -> None:
        """Show the training report."""
        from tallytext.cli.train import command_advice, print_report

        megabytes = sum(len(text.encode("utf-8", "replace")) for text in self._learned.texts) / 1e6
        self.rule("1. Training")
        print_report(self._classifier.report(), command_advice(Path("mails.tally")))
        cost = f"{megabytes:.1f} MB of docstrings in {self._seconds:.1f} s"
        self._console.print(f"  took         {cost}")
        self._show_commands("tally train mails.csv --text body --label folder")

    def typical_terms(self, classes: int, top: int) -> None:
        """Show the typical words of the largest classes."""
        from tallytext.cli.inspect import terms_table

        tally = self._classifier.tally_
        by_size = sorted(range(len(tally.classes)), key=lambda c: -int(tally.class_documents[c]))
        self.rule("2. Typical words of the largest classes")
        self._console.print(terms_table(tally, by_size[:classes], top))
        self._show_commands("tally terms mails.tally")

    def evaluation(self) -> None:
        """Evaluate the classifier on the held-out documents."""
        from tallytext.classifier.evaluation import evaluate_classifier
        from tallytext.evaluation.report import EvaluationReport

        evaluation = evaluate_classifier(self._classifier, [self._others])
        self.rule("3. Evaluation on docstrings it was not trained on")
        self._console.print(EvaluationReport.from_evaluation(evaluation, n_confusions=3).to_rich(3))
        self._show_commands("tally evaluate mails.tally test.csv --text body --label folder")

    def decision(self, top: int) -> None:
        """Explain a correct prediction for a short text, at the first quartile of the lengths."""
        texts, labels = self._others
        predicted = self._classifier.predict(texts).tolist()
        right = [
            text for text, a, b in zip(texts, labels, predicted, strict=True) if a == b
        ] or texts
        self.rule("4. Explanation of one prediction")
        why = self._classifier.explain(sorted(right, key=len)[len(right) // 4])
        self._console.print(why.to_rich(top))
        self._console.print("each number: the weight of a word for the label (+) or against it (-)")
        self._show_commands('tally explain mails.tally "Lunch on Friday, or a cheap prize?"')

    def few_labels(self) -> None:
        """Train on a few labels, without and with unlabelled documents."""
        from tallytext import TextClassifier

        few, pool = sample_few_labels(self._learned, _N_LABELS, _N_CLASSES)
        others = [pair for pair in zip(*self._others, strict=True) if pair[1] in set(few.labels)]
        alone = TextClassifier().fit(*few)
        both = TextClassifier().fit(*few, unlabelled=pool)
        self.rule(f"5. Few labels: {_N_LABELS} for each of {len(set(few.labels))} packages")
        self._console.print(
            f"  {_accuracy(alone, others):6.1%} accuracy, trained on {len(few.labels):,} labelled "
            f"docstrings\n  {_accuracy(both, others):6.1%} accuracy, trained also on {len(pool):,} "
            "unlabelled ones"
        )
        self._show_commands("tally train few.csv --unlabelled the-rest.csv -o notes.tally")

    def change(self) -> None:
        """Learn a document of a new class, and forget it again."""
        classifier, (text, label) = self._classifier, _NEW_DOCUMENT
        texts = self._others.texts
        # Scores and not labels: the comparison below is bit for bit, since settling is exact.
        before, n = classifier.scores(texts), len(classifier.classes_)
        start = perf_counter()
        classifier.learn(text, label)
        milliseconds = 1000 * (perf_counter() - start)
        predicted, n_more = classifier.predict([_QUERY_TEXT])[0], len(classifier.classes_)
        classifier.forget(text, label).settle()
        same = (before == classifier.scores(texts)).all()
        self.rule("6. Learn and forget")
        self._console.print(
            f"  learned      one text with a new label, {label!r}, in {milliseconds:.1f} ms: "
            f"{n} classes, now {n_more}\n"
            f"  predicted    {_QUERY_TEXT!r} is {str(predicted)!r}\n"
            f"  forgotten    and settled: the scores of {len(texts):,} docstrings are "
            f"{'' if same else 'not '}the same as before, to the last bit"
        )
        self._show_commands(
            "tally learn mails.tally more.csv --text body --label folder",
            "tally forget mails.tally wrong.csv --text body --label folder",
        )

    def _show_commands(self, *commands: str) -> None:
        from rich.text import Text

        for command in commands:
            self._console.print(Text.assemble(("  your own:    ", "dim"), (command, "bold green")))
        self._console.print()


def sample_few_labels(
    learned: LabelledTexts, n_labels: int, n_classes: int
) -> tuple[LabelledTexts, list[str]]:
    """Sample a few documents of each of the largest classes; also return their other texts.

    Examples
    --------
    >>> few, pool = sample_few_labels(LabelledTexts(list("abcd"), list("xxyx")), 1, 2)
    >>> sorted(few.labels), sorted([*few.texts, *pool])
    (['x', 'y'], ['a', 'b', 'c', 'd'])
    """
    largest = {label for label, _ in Counter(learned.labels).most_common(n_classes)}
    pairs = [pair for pair in zip(*learned, strict=True) if pair[1] in largest]
    Random(0).shuffle(pairs)
    seen: Counter[str] = Counter()
    few, pool = LabelledTexts([], []), []
    for text, label in pairs:
        seen[label] += 1
        if seen[label] > n_labels:
            pool.append(text)
        else:
            few.texts.append(text)
            few.labels.append(label)
    return few, pool


def _accuracy(classifier: Any, pairs: list[tuple[str, str]]) -> float:
    predicted = classifier.predict([text for text, _ in pairs]).tolist()
    return sum(a == b for a, (_, b) in zip(predicted, pairs, strict=True)) / max(1, len(pairs))


_HOLD_OUT_EVERY = 10  # every tenth document

_BEGIN = """\
A demonstration on texts that every Python has: docstrings. The label of each
is its package. One in ten is held out for evaluation.
"""
_END = """\
  tally label notes.csv        label documents, with suggestions of a model
  tally compare mails.csv      compare all learners on your documents
  tally --help                 list all commands; each has --help with examples
"""


def demo(
    classes: Annotated[
        int, typer.Option(min=1, metavar="N", help="Number of classes to show.")
    ] = 6,
    top: Annotated[
        int, typer.Option(min=1, metavar="K", help="Number of terms to show for each class.")
    ] = 8,
    quick: Annotated[
        bool, typer.Option("--quick", help="Read the docstrings of NumPy and SciPy only.")
    ] = False,
) -> None:
    """Show a demonstration: classify docstrings by their package.

    Reads the source files of NumPy, SciPy, scikit-learn and the standard library, without running
    them. Trains on nine docstrings in ten, evaluates on the tenth, explains a prediction, trains on
    five labels per class, learns a new class and forgets it again. Shows the commands that do the
    same with your files. Writes no file.

    \b
    tally demo
    tally demo --quick
    """
    texts, labels = _read(quick)
    training = [row for row in range(len(texts)) if row % _HOLD_OUT_EVERY]
    learned = LabelledTexts([texts[row] for row in training], [labels[row] for row in training])
    others = LabelledTexts(texts[::_HOLD_OUT_EVERY], labels[::_HOLD_OUT_EVERY])
    console = result_console()
    console.print(_BEGIN)
    shown = Demonstration(console, learned, others)
    shown.training()
    shown.typical_terms(classes, top)
    shown.evaluation()
    shown.decision(top)
    shown.few_labels()
    shown.change()
    shown.rule("Next steps")
    console.print(_END, end="")


def _read(quick: bool) -> tuple[list[str], list[str]]:
    from tallytext.io.docstrings import load_docstrings

    if not shows_progress(False):
        show_message("reading docstrings, which takes a few seconds")
    track = _progress_bar() if shows_progress(False) else iter
    if quick:
        return load_docstrings(["numpy", "scipy"], standard_library=False, track=track)
    return load_docstrings(track=track)


def _progress_bar() -> Callable[[Sequence[PythonFile]], Iterable[PythonFile]]:
    from rich.progress import track

    return lambda sources: track(
        sources, "Reading docstrings", console=message_console(), transient=True
    )

"""``tally demo``: the main jobs, shown on example tickets and on docstrings of this machine."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from importlib import resources
from pathlib import Path
from random import Random
from shlex import quote
from shutil import which
from time import perf_counter
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

import typer

from tallytext.cli.io import (
    check_new_file,
    message_console,
    result_console,
    show_message,
    shows_progress,
)

if TYPE_CHECKING:
    from rich.console import Console

    from tallytext.classifier.classifier import TextClassifier
    from tallytext.io.docstrings import PythonFile


# Numbers of labels per class and of classes in the step with few labels.
_N_LABELS, _N_CLASSES = 5, 10
_HOLD_OUT_EVERY = 10  # every tenth document
_N_SHOWN = 6  # tickets
_TICKET = "The courier never came, and I want my money back"
_NEW_DOCUMENT = "Summer job. I would like to apply for a summer job in your shop.", "jobs"
_QUERY_TEXT = "Can I apply for a job?"


class LabelledTexts(NamedTuple):
    """Documents and the label of each."""

    texts: list[str]
    labels: list[str]


class Ticket(NamedTuple):
    """An example ticket; its queue is empty if nobody has labelled it."""

    id: str
    date: str
    queue: str
    body: str


def load_tickets() -> list[Ticket]:
    """Read the example tickets.

    Examples
    --------
    >>> tickets = load_tickets()
    >>> len(tickets), sum(ticket.queue == "" for ticket in tickets)
    (150, 40)
    """
    import csv

    return [Ticket(*row) for row in csv.reader(_ticket_file().splitlines()[1:])]


def _ticket_file() -> str:
    return (resources.files("tallytext.cli") / "tickets.csv").read_text(encoding="utf-8")


class TicketDemonstration:
    """The steps on tickets: each shows a result and the command for it.

    Parameters
    ----------
    console : Console
        Console to print to.
    tickets : list of Ticket
        Tickets with a queue are trained on; queues of the others are predicted.
    """

    def __init__(self, console: Console, tickets: list[Ticket]) -> None:
        from tallytext import TextClassifier

        self._console = console
        self._others = [ticket for ticket in tickets if not ticket.queue]
        labelled = [ticket for ticket in tickets if ticket.queue]
        self._classifier = TextClassifier().fit(
            [ticket.body for ticket in labelled], [ticket.queue for ticket in labelled]
        )

    def training(self) -> None:
        """Show the training report."""
        from tallytext.cli.options import ReadingOptions
        from tallytext.cli.train import command_advice, print_report

        _rule(self._console, "1. Train on the tickets that have a label")
        advice = command_advice(
            Path("tickets.tally"), ["tickets.csv"], ReadingOptions(text="body", label="queue")
        )
        print_report(self._classifier.report(), advice)
        _show_commands(self._console, "tally train tickets.csv --text body --label queue")

    def prediction(self) -> None:
        """Show labels of some tickets without one, and how sure they are."""
        from rich.table import Table
        from rich.text import Text

        proba = self._classifier.predict_proba([ticket.body for ticket in self._others])
        labels = self._classifier.classes_[proba.argmax(axis=1)].tolist()
        _rule(self._console, f"2. Predict a label for the other {len(self._others)} tickets")
        table = Table(box=None, pad_edge=False, header_style="dim")
        for name in ("id", "predicted", "probability", "ticket"):
            table.add_column(name, justify="right" if name == "probability" else "left")
        rows = list(zip(self._others, labels, proba.max(axis=1).tolist(), strict=True))
        for ticket, label, best in rows[:_N_SHOWN]:
            shown = Text(ticket.body, no_wrap=True, overflow="ellipsis")
            table.add_row(ticket.id, label, f"{best:.2f}", shown)
        self._console.print(table)
        n_sure = sum(best >= 0.7 for _, _, best in rows)
        self._console.print(
            f"{n_sure} of {len(rows)} labels have a probability of at least 0.7; "
            "a person should look at the others"
        )
        _show_commands(
            self._console,
            "tally predict tickets.tally new.csv --text body --min-confidence 0.7",
        )

    def explanation(self) -> None:
        """Explain the label of a ticket."""
        _rule(self._console, "3. Explain a label")
        self._console.print(self._classifier.explain(_TICKET).to_rich(10))
        self._console.print("each number: the weight of a word for the label (+) or against it (-)")
        _show_commands(self._console, f'tally explain tickets.tally "{_TICKET}"')

    def change(self) -> None:
        """Learn a document of a new class, and forget it again."""
        classifier, (text, label) = self._classifier, _NEW_DOCUMENT
        texts = [ticket.body for ticket in self._others]
        # Scores and not labels: the comparison below is bit for bit, since settling is exact.
        before, n = classifier.settle().scores(texts), len(classifier.classes_)
        start = perf_counter()
        classifier.learn(text, label)
        milliseconds = 1000 * (perf_counter() - start)
        predicted, n_more = classifier.predict([_QUERY_TEXT])[0], len(classifier.classes_)
        classifier.forget(text, label).settle()
        same = (before == classifier.scores(texts)).all()
        _rule(self._console, "4. Learn a ticket of a new class, and forget it again")
        self._console.print(
            f"  learned      one ticket of the new class {label!r} in {milliseconds:.1f} ms: "
            f"{n} classes, now {n_more}\n"
            f"  predicted    {_QUERY_TEXT!r} is {str(predicted)!r}\n"
            f"  forgotten    the scores of all tickets are {'' if same else 'not '}the same as "
            "before, to the last bit"
        )
        _show_commands(
            self._console,
            "tally learn tickets.tally more.csv --text body --label queue",
            "tally forget tickets.tally wrong.csv --text body --label queue",
        )


def show_docstring_job(console: Console, texts: list[str], labels: list[str]) -> None:
    """Train on nine docstrings in ten and evaluate on the tenth; then train on few labels."""
    from tallytext import TextClassifier
    from tallytext.classifier.evaluation import evaluate_classifier
    from tallytext.evaluation.report import EvaluationReport

    training = [row for row in range(len(texts)) if row % _HOLD_OUT_EVERY]
    learned = LabelledTexts([texts[row] for row in training], [labels[row] for row in training])
    held_out = LabelledTexts(texts[::_HOLD_OUT_EVERY], labels[::_HOLD_OUT_EVERY])
    start = perf_counter()
    classifier = TextClassifier(verbose=shows_progress(False)).fit(*learned)
    seconds = perf_counter() - start
    held_out = leave_out_learned(classifier, held_out)
    megabytes = sum(len(text.encode("utf-8", "replace")) for text in learned.texts) / 1e6
    console.print(
        f"trained on {len(learned.texts):,} docstrings of {len(classifier.classes_)} packages, "
        f"{megabytes:.1f} MB, in {seconds:.1f} s\nevaluated on others, which it was not trained on:"
    )
    evaluation = evaluate_classifier(classifier, [held_out])
    console.print(EvaluationReport.from_evaluation(evaluation, n_confusions=3).to_rich(3))
    _show_commands(console, "tally evaluate tickets.tally test.csv --text body --label queue")
    _rule(console, f"6. Few labels: {_N_LABELS} for each package")
    show_few_labels(console, learned, held_out)


def leave_out_learned(classifier: TextClassifier, held_out: LabelledTexts) -> LabelledTexts:
    """Leave out documents that the classifier learned: packages repeat some docstrings.

    Examples
    --------
    >>> from tallytext import TextClassifier
    >>> classifier = TextClassifier("refined").fit(["wave", "cloud"], ["sea", "sky"])
    >>> leave_out_learned(classifier, LabelledTexts(["wave", "wind"], ["sea", "sky"])).texts
    ['wind']
    """
    if not classifier.n_kept:
        return held_out
    learned = classifier.is_learned(*held_out).tolist()
    pairs = zip(*held_out, learned, strict=True)
    new = [(text, label) for text, label, is_old in pairs if not is_old]
    return LabelledTexts([text for text, _ in new], [label for _, label in new])


def show_few_labels(console: Console, learned: LabelledTexts, held_out: LabelledTexts) -> None:
    """Train on a few labels, without and with unlabelled documents."""
    from tallytext import TextClassifier

    few, pool = sample_few_labels(learned, _N_LABELS, _N_CLASSES)
    others = [pair for pair in zip(*held_out, strict=True) if pair[1] in set(few.labels)]
    alone = TextClassifier().fit(*few)
    both = TextClassifier().fit(*few, unlabelled=pool)
    console.print(
        f"  {_accuracy(alone, others):6.1%} accuracy on {len(set(few.labels))} packages, trained "
        f"on {len(few.labels):,} labelled docstrings\n"
        f"  {_accuracy(both, others):6.1%} accuracy, trained also on {len(pool):,} unlabelled ones"
    )
    _show_commands(console, "tally train few.csv --unlabelled the-rest.csv -o notes.tally")


def _rule(console: Console, title: str) -> None:
    console.rule(title, align="left")


def _show_commands(console: Console, *commands: str) -> None:
    from rich.text import Text

    for command in commands:
        console.print(Text.assemble(("  your own:    ", "dim"), (command, "bold green")))
    console.print()


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


_BEGIN = """\
A demonstration on 150 support tickets of a shop, in five classes; 40 of them have no label yet.
To try the commands yourself, write them to a file: tally demo --tickets tickets.csv
"""
_END = """\
  tally label new.csv          label documents one by one, with suggestions of a model
  tally compare tickets.csv --text body --label queue
                               compare all learners on your documents
  tally terms tickets.tally    list the typical words of each class
  tally --help                 list all commands; each has --help with examples
"""


def demo(
    quick: Annotated[
        bool, typer.Option("--quick", help="Show the tickets only, not the larger job.")
    ] = False,
    tickets: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Write the example tickets to this CSV file, and stop."),
    ] = None,
) -> None:
    """Show what tally can do, on example support tickets.

    Trains on example tickets, predicts labels, explains one, learns a new class and forgets it
    again. A larger job follows, on texts of your machine: the docstrings of NumPy, SciPy,
    scikit-learn and the standard library, classified by package. Shows the commands that do the
    same with your files. Writes no file, except with --tickets.

    \b
    tally demo
    tally demo --quick
    tally demo --tickets tickets.csv
    """
    if tickets:
        from tallytext.io.atomic import save_text

        save_text(check_new_file(tickets), _ticket_file())
        show_message(f"wrote 150 example tickets to {tickets}")
        return
    console = result_console()
    console.print(_BEGIN + _activation_hint())
    shown = TicketDemonstration(console, load_tickets())
    shown.training()
    shown.prediction()
    shown.explanation()
    shown.change()
    if not quick:
        _rule(console, "5. A larger job: which package is a docstring from?")
        show_docstring_job(console, *_read_docstrings())
    _rule(console, "Next steps")
    console.print(_END, end="")


def _activation_hint() -> str:
    """Return the command that puts tally on the path of the shell; '' if it is there."""
    script = Path(sys.executable).parent / "activate"
    if which("tally") or not script.is_file():
        return ""
    here = Path.cwd()
    shown = script.relative_to(here) if script.is_relative_to(here) else script
    return f"Your shell does not find tally yet. First run: . {quote(str(shown))}\n"


def _read_docstrings() -> tuple[list[str], list[str]]:
    from tallytext.io.docstrings import load_docstrings

    if not shows_progress(False):
        show_message("reading docstrings, which takes a few seconds")
    return load_docstrings(track=_progress_bar() if shows_progress(False) else iter)


def _progress_bar() -> Callable[[Sequence[PythonFile]], Iterable[PythonFile]]:
    from rich.progress import track

    return lambda sources: track(
        sources, "Reading docstrings", console=message_console(), transient=True
    )

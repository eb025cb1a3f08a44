"""``tally label``: give documents their labels, with the model in the loop."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, TextIO

import typer

from tallytext.cli import options
from tallytext.cli.console import is_watched, remarks, say
from tallytext.cli.interrupts import told
from tallytext.cli.keys import EndOfKeys, Keys
from tallytext.cli.models import expect_place, save
from tallytext.cli.train import default_output

if TYPE_CHECKING:
    from tallytext.labelling import Session

Answers = Annotated[
    Path | None,
    typer.Option(
        "--answers",
        metavar="FILE",
        help="Where answers are kept, a line of JSON each.",
        show_default="MODEL with .labels.jsonl",
    ),
]
Classes = Annotated[
    list[str] | None,
    typer.Option(
        "--class",
        metavar="LABEL",
        help="A label that there will be, to have its key from the start; several times.",
        show_default="none",
    ),
]
Column = Annotated[
    str | None,
    typer.Option(
        "--label",
        metavar="COLUMN",
        help="A column of labels: documents that have one keep it, the others are asked for.",
        show_default="none",
        rich_help_panel="Documents",
    ),
]
Seed = Annotated[int, typer.Option(help="For what is drawn at random.")]


def label(
    sources: options.Sources,
    *,
    output: options.Output = None,
    answers: Answers = None,
    classes: Classes = None,
    column: Column = None,
    seed: Seed = 0,
    reading: options.UnlabelledReading,
    threads: options.Threads = None,
    quiet: options.Quiet = False,
) -> None:
    """Give documents their labels one by one, one label each, and get a model of them.

    Shows the document that would teach most (every fifth is drawn at random, so that accuracy can
    be told), what the model guesses and the words that speak for it. Enter takes the guess, a
    digit or letter gives a label that was given before, n makes a new one, u takes the last answer
    back, s skips, ? helps, q ends. From a pipe, a line is a key or a label.

    Every answer is on disk before the next question: end at any time, and go on with the same
    command. The file of answers can be trained from (tally train FILE). At the end a model is
    written that learned from the answers and from all documents without one.

    \b
    tally label notes.csv -o notes.tally
    tally label mails.jsonl --text body --class spam --class ham
    tally label half-done.csv --label topic
    """
    with _busy("loading libraries", quiet):  # a second or more, in which nothing else is seen
        from tallytext.cli.label_documents import labelled_texts
        from tallytext.cli.label_standing import answers_told
        from tallytext.labelling import Journal, Session
    path = expect_place(output or default_output(sources))
    with Journal(answers or path.with_suffix(".labels.jsonl")) as journal:
        texts, given = labelled_texts(sources, reading, column, quiet)
        if journal.answers and not quiet:
            say(f"going on after {answers_told(len(journal.answers))} in {journal.path}")
        with _busy(f"making {len(texts):,} documents ready", quiet):
            session = Session(texts, journal, given=given, seed=seed)
        with told(lambda: _interrupted(session)):
            _ask(session, _keyboard(sources), classes or [], quiet)
            _finish(session, path, quiet)


def _ask(session: Session, stream: TextIO | None, classes: list[str], quiet: bool) -> None:
    from tallytext.cli.label_dialogue import Dialogue
    from tallytext.cli.label_screen import Screen
    from tallytext.cli.label_standing import Pace

    pace = Pace()
    with Keys(stream) as keys, suppress(EndOfKeys):
        Dialogue(session, keys, Screen(session, pace), pace, classes, quiet).run()
    if not quiet:
        say("\nevery document has a label, or was skipped" if session.is_over else "")


def _keyboard(sources: list[str]) -> TextIO | None:
    """Return where keys come from: the terminal itself where documents come from standard input."""
    if "-" not in sources:
        return sys.stdin
    try:
        return Path("/dev/tty").open(encoding="utf-8")
    except OSError:
        raise typer.BadParameter(
            "documents from standard input leave none for answers: give a file, or a terminal."
        ) from None


@contextmanager
def _busy(what: str, quiet: bool) -> Iterator[None]:
    """Show those who watch that something goes on."""
    if not is_watched(quiet):
        yield
        return
    with remarks().status(f"{what} …"):
        yield


def _interrupted(session: Session) -> str:
    from tallytext.cli.label_standing import answers_told

    return (
        f"{answers_told(session.n_answers)} in {session.journal.path}; no model was written now. "
        "The same command goes on; q ends, and writes one."
    )


def _finish(session: Session, path: Path, quiet: bool) -> None:
    from tallytext.cli.label_standing import accuracy_parts, answers_told

    parts = [f"{answers_told(session.n_answers)} in {session.journal.path}"]
    parts += [part.plain for part in accuracy_parts(session)]
    if session.n_answers and not quiet:
        say(", ".join(parts))
    if len(session.classes) < 2:
        say("a model needs labels of two kinds: none was written")
        return
    rest = len(session.texts) - len(session.labelled)
    with _busy(f"learning from these and from {rest:,} documents without a label", quiet):
        classifier = session.classifier()
    save(classifier, path)
    if not quiet:
        say(f"saved as {path}")

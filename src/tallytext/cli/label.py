"""``tally label``: give documents their labels, with the model in the loop."""

from __future__ import annotations

import math
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TextIO

import typer

from tallytext.cli import options
from tallytext.cli.io import Documents, check_place, is_watched, remarks, save, say, told
from tallytext.cli.options import Reading
from tallytext.cli.terminal import EndOfKeys, Keys
from tallytext.cli.train import default_output
from tallytext.errors import InputError

if TYPE_CHECKING:
    from tallytext.labelling.session import Session

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
        from tallytext.cli.label_screen import answers_told
        from tallytext.labelling.journal import Journal
        from tallytext.labelling.session import Session
    path = check_place(output or default_output(sources))
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
    from tallytext.cli.label_screen import Dialogue, Pace, Screen

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
    from tallytext.cli.label_screen import answers_told

    return (
        f"{answers_told(session.n_answers)} in {session.journal.path}; no model was written now. "
        "The same command goes on; q ends, and writes one."
    )


def _finish(session: Session, path: Path, quiet: bool) -> None:
    from tallytext.cli.label_screen import accuracy_parts, answers_told

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


# ------------------------------------------------------------------------------------------------
# Documents to be labelled, and the labels that some of them have.


def labelled_texts(
    sources: Sequence[str], reading: Reading, column: str | None, quiet: bool
) -> tuple[list[str], dict[int, str]]:
    """Return all documents, and by number the labels of those that have one.

    Parameters
    ----------
    sources : sequence of str
    reading : Reading
        How they are read; without labels.
    column : str or None
        The column of labels, which may be empty.
    quiet : bool
        Whether to say nothing but warnings.
    """
    texts: list[str] = []
    given: dict[int, str] = {}
    for batch in Documents(sources, reading, quiet, also=() if column is None else (column,)):
        if column is not None:
            given |= _given(batch.also[column], len(texts))
        texts += batch.strings
    return texts, given


def _given(values: Sequence[Any], first: int) -> dict[int, str]:
    return {row: label for row, label in _labels(values, first) if label is not None}


def _labels(values: Sequence[Any], first: int) -> Iterator[tuple[int, str | None]]:
    for row, value in enumerate(values, first):
        try:
            yield row, label_in(value)
        except ValueError:
            raise InputError(
                f"document {row} has no single label but {value!r:.60}: tally label is for "
                "documents with one label each."
            ) from None


def label_in(value: Any) -> str | None:
    """Return the label that a value stands for; None for none.

    Examples
    --------
    >>> label_in(" spam "), label_in(""), label_in(None), label_in(float("nan"))
    ('spam', None, None, None)
    >>> label_in(3), label_in(3.0), label_in(0.1), label_in(["spam"])
    ('3', '3', '0.1', 'spam')
    """
    if isinstance(value, list):
        if len(value) > 1:
            raise ValueError
        return label_in(value[0]) if value else None
    if isinstance(value, float):
        return None if math.isnan(value) else _shortest(value)
    if isinstance(value, str | int):
        return str(value).strip() or None
    if value is None:
        return None
    raise ValueError


def _shortest(number: float) -> str:
    """Return the least digits that mean this number and no other."""
    return str(int(number)) if number.is_integer() else repr(float(number))

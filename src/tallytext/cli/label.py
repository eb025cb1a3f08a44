"""``tally label``: label documents one by one, with active learning."""

from __future__ import annotations

import math
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TextIO

import typer

from tallytext.cli import options
from tallytext.cli.io import (
    InputDocuments,
    check_output_file,
    lock_output,
    message_console,
    note_on_interrupt,
    save_model,
    show_message,
    shows_progress,
)
from tallytext.cli.keys import EndOfKeys, Keys
from tallytext.cli.options import ReadingOptions
from tallytext.cli.train import default_output
from tallytext.errors import InputError

if TYPE_CHECKING:
    from tallytext.labelling.session import Session

Answers = Annotated[
    Path | None,
    typer.Option(
        "--answers",
        metavar="FILE",
        help="File of the labels given, one JSON object per line.",
        show_default="MODEL with .labels.jsonl",
    ),
]
Classes = Annotated[
    list[str] | None,
    typer.Option(
        "--class",
        metavar="LABEL",
        help="A label to offer from the start, with a key of its own. Can be repeated.",
        show_default="none",
    ),
]
Column = Annotated[
    str | None,
    typer.Option(
        "--label",
        metavar="COLUMN",
        help="Column of known labels. Only documents without one are shown.",
        show_default="none",
        rich_help_panel="Documents",
    ),
]
Seed = Annotated[int, typer.Option(metavar="N", help="Seed of the random sample.")]


def label(
    sources: options.Sources,
    *,
    output: options.Output = None,
    wait: options.Wait = options.DEFAULT_WAIT,
    answers: Answers = None,
    classes: Classes = None,
    column: Column = None,
    seed: Seed = 0,
    reading: options.UnlabelledReadingOptions,
    threads: options.Threads = None,
    quiet: options.Quiet = False,
) -> None:
    """Label documents one by one, with one label each, and train a model on them.

    Shows the most informative document, the label that the model predicts, and the words that
    count for it. Every fifth document is sampled at random, to estimate the accuracy. Press Enter
    to accept the prediction, a digit or letter for a known label, n for a new one, / to search the
    labels, u to undo, s to skip, ? for help, and q to quit. From a pipe, each line is a key or a
    label.

    Every label is on disk before the next document is shown. You can stop at any time and continue
    with the same command. The file of labels can be used for training (tally train FILE). At the
    end, a model is trained on the labels and on all other documents as unlabelled ones.

    \b
    tally label notes.csv -o notes.tally
    tally label mails.jsonl --text body --class spam --class ham
    tally label half-done.csv --label topic
    """
    with _show_status("loading libraries", quiet):  # takes a second or more
        from tallytext.cli.label_screen import format_answers
        from tallytext.labelling.journal import Journal
        from tallytext.labelling.session import Session
    path = check_output_file(output or default_output(sources))
    # Both files are locked before the documents are read, so that a conflict is found early.
    with (
        Journal(answers or path.with_suffix(".labels.jsonl")) as journal,
        lock_output(path, wait, quiet),
    ):
        texts, given, places = labelled_texts(sources, reading, column, quiet)
        if journal.annotations and not quiet:
            show_message(
                f"continuing after {format_answers(len(journal.annotations))} in {journal.path}"
            )
        with _show_status(f"counting the words of {len(texts):,} documents", quiet):
            session = Session(texts, journal, given=given, seed=seed)
        with note_on_interrupt(lambda: _interruption_note(session)):
            _run_dialogue(session, places, _keyboard(sources), classes or [], quiet)
            _finish(session, path, quiet)


def _run_dialogue(
    session: Session, places: list[str], stream: TextIO | None, classes: list[str], quiet: bool
) -> None:
    from tallytext.cli.label_screen import Dialogue, Pace, Screen

    pace = Pace()
    with Keys(stream) as keys, suppress(EndOfKeys):
        Dialogue(session, keys, Screen(session, pace, places=places), pace, classes, quiet).run()
    if not quiet:
        show_message("\nevery document has a label or was skipped" if session.is_complete else "")


def _keyboard(sources: list[str]) -> TextIO | None:
    """Return the stream of keys: the terminal if documents come from standard input."""
    if "-" not in sources:
        return sys.stdin
    try:
        return Path("/dev/tty").open(encoding="utf-8")
    except OSError:
        raise typer.BadParameter(
            "documents and labels cannot both come from standard input. Give the documents as a "
            "file, or run the command in a terminal."
        ) from None


@contextmanager
def _show_status(status: str, quiet: bool) -> Iterator[None]:
    """Show a status line during the block, on a terminal."""
    if not shows_progress(quiet):
        yield
        return
    with message_console().status(f"{status} …"):
        yield


def _interruption_note(session: Session) -> str:
    from tallytext.cli.label_screen import format_answers

    return (
        f"{format_answers(session.n_annotations)} in {session.journal.path}; no model was "
        "written. Run the same command to continue, and press q to write the model."
    )


def _finish(session: Session, path: Path, quiet: bool) -> None:
    from tallytext.cli.label_screen import accuracy_parts, format_answers

    parts = [f"{format_answers(session.n_annotations)} in {session.journal.path}"]
    parts += [part.plain for part in accuracy_parts(session)]
    if session.n_annotations and not quiet:
        show_message(", ".join(parts))
    if len(session.classes) < 2:
        show_message("no model was written: it needs two different labels. Label more documents.")
        return
    # Skipped documents are part of the unlabelled pool.
    rest = len(session.texts) - len(session.labels)
    with _show_status(f"training on these and on {rest:,} unlabelled documents", quiet):
        classifier = session.classifier()
    save_model(classifier, path)
    if not quiet:
        show_message(f"saved as {path}")


def labelled_texts(
    sources: Sequence[str], reading: ReadingOptions, column: str | None, quiet: bool
) -> tuple[list[str], dict[int, str], list[str]]:
    """Return all documents, the known labels by position from 0, and the places of the documents.

    A place is the row in the input, as in "row 7", or the name of a file in a folder.

    Parameters
    ----------
    sources : sequence of str
        Names of files and folders.
    reading : ReadingOptions
        Options for reading them.
    column : str or None
        The column of labels, which may be empty.
    quiet : bool
        True to show warnings only.
    """
    texts: list[str] = []
    given: dict[int, str] = {}
    places: list[str] = []
    documents = InputDocuments(sources, reading, quiet, also=() if column is None else (column,))
    for source, batch in documents.by_source():
        file = [source] if len(sources) > 1 else []
        rows = [f"row {place}" if isinstance(place, int) else place for place in batch.places]
        places += [" ".join([*file, row]) for row in rows]
        if column is not None:
            given |= _known_labels(batch.also[column], len(texts), places)
        texts += batch.strings
    return texts, given, places


def _known_labels(values: Sequence[Any], first: int, places: Sequence[str]) -> dict[int, str]:
    labels: dict[int, str] = {}
    for row, value in enumerate(values, first):
        try:
            label = parse_label(value)
        except ValueError:
            raise InputError(
                f"{places[row]} has {value!r:.60} as its label, but tally label needs documents "
                "with one label each. Is --label the right column?"
            ) from None
        if label is not None:
            labels[row] = label
    return labels


def parse_label(value: Any) -> str | None:
    """Return the label in a cell, as a string; None if it is empty.

    Examples
    --------
    >>> parse_label(" spam "), parse_label(""), parse_label(None), parse_label(float("nan"))
    ('spam', None, None, None)
    >>> parse_label(3), parse_label(3.0), parse_label(0.1), parse_label(["spam"])
    ('3', '3', '0.1', 'spam')
    """
    if isinstance(value, list):
        if len(value) > 1:
            raise ValueError
        return parse_label(value[0]) if value else None
    if isinstance(value, float):
        # A column of whole numbers with gaps is read as floats, in which a missing value is NaN.
        return None if math.isnan(value) else _shortest(value)
    if isinstance(value, str | int):
        return str(value).strip() or None
    if value is None:
        return None
    raise ValueError


def _shortest(number: float) -> str:
    """Return the shortest digits that represent this number."""
    return str(int(number)) if number.is_integer() else repr(float(number))

"""``tally label``: give documents their labels, with the model in the loop."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from tallytext.cli import options
from tallytext.cli.console import say
from tallytext.cli.documents import Documents
from tallytext.cli.keys import EndOfKeys, Keys
from tallytext.cli.models import expect_place, save
from tallytext.cli.train import default_output

if TYPE_CHECKING:
    from tallytext.cli.label_screen import Screen
    from tallytext.labelling import Session

Answers = Annotated[
    Path | None,
    typer.Option(
        "--answers",
        metavar="FILE",
        help="Where answers are kept, a line of JSON each (MODEL with .labels.jsonl).",
    ),
]
Classes = Annotated[
    list[str] | None,
    typer.Option(
        "--class",
        metavar="LABEL",
        help="A label that there will be, to have its key from the start; several times.",
    ),
]
Seed = Annotated[int, typer.Option(help="For what is drawn at random.")]


def label(
    sources: options.Sources,
    *,
    output: options.Output = None,
    answers: Answers = None,
    classes: Classes = None,
    seed: Seed = 0,
    reading: options.Reading,
    threads: options.Threads = None,
    quiet: options.Quiet = False,
) -> None:
    """Give documents their labels one by one, and get a model of them.

    Shows the document that would teach most (every fifth is drawn at random, so that accuracy can
    be told), what the model guesses and the words that speak for it. Enter takes the guess, a
    digit or letter gives a label that was given before, n makes a new one, u takes the last answer
    back, s skips, q ends.

    Every answer is on disk before the next question: end at any time, and go on with the same
    command. The file of answers can be trained from (tally train FILE). At the end a model is
    written that learned from the answers and from all documents without one.

    \b
    tally label notes.csv -o notes.tally
    tally label mails.jsonl --text body --class spam --class ham
    """
    from tallytext.cli.label_screen import Screen
    from tallytext.labelling import Journal, Session

    path = expect_place(output or default_output(sources))
    texts = _texts(Documents(sources, replace(reading, label=None), quiet))
    with Journal(answers or path.with_suffix(".labels.jsonl")) as journal:
        if journal.answers:
            say(f"going on after {len(journal.answers):,} answers in {journal.path}")
        session = Session(texts, journal, seed=seed)
        try:
            asked(session, Screen(session, Keys(), classes or []))
        except (KeyboardInterrupt, EndOfKeys):
            say("")
        _finish(session, path)


def asked(session: Session, screen: Screen) -> None:
    """Ask until all is answered, or somebody has had enough."""
    while not session.is_over:
        screen.show()
        if not screen.obey():
            return
    say("every document has a label, or was skipped")


def _texts(documents: Documents) -> list[str]:
    texts: list[str] = []
    for batch in documents:
        texts += batch.texts if isinstance(batch.texts, list) else batch.texts.to_pylist()
    return texts


def _finish(session: Session, path: Path) -> None:
    n = session.n_answers
    say(f"{n:,} answer{'s' * (n != 1)} in {session.journal.path}")
    if len(session.classes) < 2:
        say("a model needs answers of two labels: nothing else was written")
        return
    save(session.classifier(), path)
    say(f"saved as {path}")

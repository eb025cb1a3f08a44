"""Writes docs/labelling.svg: a page of ``tally label``, as a terminal of 80 by 24 shows it."""

from __future__ import annotations

import io
import random
import re
import tempfile
from pathlib import Path

from rich._export_format import CONSOLE_SVG_FORMAT
from rich.console import Console

from tallytext.cli.label_screen import Pace, Screen, label_keys
from tallytext.labelling import Journal, Session

PICTURE = Path(__file__).resolve().parents[1] / "docs" / "labelling.svg"
WIDTH, HEIGHT, ANSWERS = 80, 24, 92
OPENINGS = ("Hello,", "Good morning,", "Dear all,", "Hi,", "To whom it may concern,")
ENDINGS = ("Thank you.", "Please answer soon.", "Kind regards", "What can be done?", "Thanks!")
SENTENCES = {
    "delivery": (
        "my parcel should have come on Monday and is still not here.",
        "the courier left the parcel with a neighbour whom I do not know.",
        "the tracking number says that it was delivered, but it was not.",
        "can you send the parcel to another address, or to my office?",
        "nobody was at home when the courier came; when will he try again?",
    ),
    "payment": (
        "my card was charged twice for one order.",
        "the invoice shows another price than the page did.",
        "can I pay by bank transfer instead of by card?",
        "the refund that you promised has not reached my bank.",
        "please send the invoice again, with the address of my office.",
    ),
    "damage": (
        "the lamp was broken when I opened the box.",
        "one of the cups has a crack, and the box was wet.",
        "the screen of the clock is scratched, and a screw is missing.",
        "the lid does not close, so the box must have been dropped.",
        "a leg of the chair broke off after two days.",
    ),
}


def mails(n: int = 240) -> tuple[list[str], list[str]]:
    """Return mails to a shop, and what each is about; now and then it is about two things."""
    chance = random.Random(5)
    texts, labels = [], []
    for _ in range(n):
        label, other = chance.sample([*SENTENCES], 2)
        said = chance.sample(SENTENCES[label], chance.choice([1, 2]))
        said += [chance.choice(SENTENCES[other])] * (chance.random() < 0.5)
        chance.shuffle(said)
        told = " ".join(each[0].upper() + each[1:] for each in said)
        texts.append(f"{chance.choice(OPENINGS)}\n\n{told}\n\n{chance.choice(ENDINGS)}")
        labels.append(label)
    return texts, labels


def picture() -> str:
    """Return the page after some answers, as SVG that loads nothing from elsewhere."""
    console = Console(
        file=io.StringIO(),
        record=True,
        force_terminal=True,
        color_system="truecolor",
        width=WIDTH,
        height=HEIGHT,
    )
    texts, labels = mails()
    seconds = iter(range(0, 10_000, 5))
    pace = Pace(lambda: float(next(seconds)))
    with tempfile.TemporaryDirectory() as folder, Journal(Path(folder) / "a.jsonl") as journal:
        session = Session(texts, journal)
        for _ in range(ANSWERS):
            session.annotate(labels[session.query().row])
            pace.step()
        last = journal.annotations[-1].label
        Screen(session, pace, console).show(
            label_keys(session.labels.values()), notice=f"{last}: saved. Press u to undo."
        )
    own_fonts = re.sub(r"@font-face \{\{.*?\}\}", "", CONSOLE_SVG_FORMAT, flags=re.S)
    return console.export_svg(
        title="tally label mails.csv", code_format=own_fonts, unique_id="labelling"
    )


if __name__ == "__main__":
    PICTURE.write_text(picture(), encoding="utf-8")
    print(f"Wrote {PICTURE.name}.")

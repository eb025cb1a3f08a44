"""Writes docs/explain.svg: the output of ``tally explain`` for a ticket, as a terminal shows it.

The model is trained on the example tickets, as in the README, so readers see the same.
"""

from __future__ import annotations

import io
import re
from pathlib import Path

from rich._export_format import CONSOLE_SVG_FORMAT
from rich.console import Console
from rich.text import Text

from tallytext import TextClassifier
from tallytext.cli.demo import load_tickets

ROOT = Path(__file__).resolve().parents[1]
PICTURE = ROOT / "docs" / "explain.svg"
ASKED = "The courier never came, and I want my money back"


def picture() -> str:
    """Return the decision and its reasons, as SVG that loads nothing from elsewhere."""
    tickets = load_tickets()
    labelled = [ticket for ticket in tickets if ticket.queue]
    classifier = TextClassifier().fit(
        [ticket.body for ticket in labelled],
        [ticket.queue for ticket in labelled],
        unlabelled=[ticket.body for ticket in tickets if not ticket.queue],
    )
    console = Console(
        file=io.StringIO(),
        record=True,
        force_terminal=True,
        color_system="truecolor",
        width=80,
        highlight=False,
    )
    console.print(Text.assemble(("$ ", "dim"), f'tally explain tickets.tally "{ASKED}"'))
    likeliest = classifier.top_k([ASKED], 3)[0]
    console.print(", ".join(f"{each.label} {each.probability:.1%}" for each in likeliest))
    console.print(classifier.explain(ASKED).to_rich(10))
    own_fonts = re.sub(r"@font-face \{\{.*?\}\}", "", CONSOLE_SVG_FORMAT, flags=re.S)
    drawn = console.export_svg(title="tally explain", code_format=own_fonts, unique_id="explain")
    return "\n".join(line.rstrip() for line in drawn.splitlines()) + "\n"


if __name__ == "__main__":
    PICTURE.write_text(picture(), encoding="utf-8")
    print(f"Wrote {PICTURE.name}.")

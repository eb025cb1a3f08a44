"""Writes docs/explain.svg: what ``tally explain`` says of a mail, as a terminal shows it.

The mails are those of the quick start in the README, so that who follows it sees the same.
"""

from __future__ import annotations

import csv
import io
import re
from pathlib import Path

from rich._export_format import CONSOLE_SVG_FORMAT
from rich.console import Console
from rich.text import Text

from tallytext import TextClassifier

ROOT = Path(__file__).resolve().parents[1]
PICTURE = ROOT / "docs" / "explain.svg"
ASKED = "Lunch on Friday, or a cheap prize?"


def mails() -> tuple[list[str], list[str]]:
    """Return the texts and labels of the quick start."""
    page = (ROOT / "README.md").read_text(encoding="utf-8")
    written = re.search(r"cat > mails\.csv <<'END'\n(.*?)^END", page, re.M | re.S)
    assert written is not None
    rows = list(csv.DictReader(io.StringIO(written[1])))
    return [row["body"] for row in rows], [row["folder"] for row in rows]


def picture() -> str:
    """Return the decision and its reasons, as SVG that loads nothing from elsewhere."""
    classifier = TextClassifier().fit(*mails())
    console = Console(
        file=io.StringIO(),
        record=True,
        force_terminal=True,
        color_system="truecolor",
        width=72,
        highlight=False,
    )
    console.print(Text.assemble(("$ ", "dim"), f'tally explain mails.tally "{ASKED}"'))
    likeliest = classifier.top_k([ASKED], 3)[0]
    console.print(", ".join(f"{each.label} {each.probability:.1%}" for each in likeliest))
    console.print(classifier.explain(ASKED).to_rich(10))
    own_fonts = re.sub(r"@font-face \{\{.*?\}\}", "", CONSOLE_SVG_FORMAT, flags=re.S)
    drawn = console.export_svg(title="tally explain", code_format=own_fonts, unique_id="explain")
    return "\n".join(line.rstrip() for line in drawn.splitlines()) + "\n"


if __name__ == "__main__":
    PICTURE.write_text(picture(), encoding="utf-8")
    print(f"Wrote {PICTURE.name}.")

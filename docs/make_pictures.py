"""Draws what a terminal shows, for pages: ``python docs/make_pictures.py``.

The documents are those of the quick start in the README, so that who follows it sees the same.
"""

import csv
import io
import re
from pathlib import Path

from rich._export_format import CONSOLE_SVG_FORMAT
from rich.console import Console
from rich.text import Text

from tallytext import TextClassifier

FOLDER = Path(__file__).parent
ASKED = "Lunch on Friday, or a cheap prize?"


def mails() -> tuple[list[str], list[str]]:
    """Return the texts and labels of the quick start."""
    page = (FOLDER.parent / "README.md").read_text(encoding="utf-8")
    written = re.search(r"cat > mails\.csv <<'END'\n(.*?)^END", page, re.M | re.S)
    assert written is not None
    rows = list(csv.DictReader(io.StringIO(written[1])))
    return [row["body"] for row in rows], [row["folder"] for row in rows]


def explained() -> str:
    """Return a picture of ``tally explain``."""
    classifier = TextClassifier().fit(*mails())
    console = Console(record=True, width=72, file=io.StringIO(), highlight=False)
    console.print(Text.assemble(("$ ", "dim"), f'tally explain mails.tally "{ASKED}"'))
    likeliest = classifier.top_k([ASKED], 3)[0]
    console.print(", ".join(f"{each.label} {each.probability:.1%}" for each in likeliest))
    console.print(classifier.explain(ASKED).to_rich(10))
    # Fonts are taken from where the picture is looked at, and nothing is fetched for it.
    plain = re.sub(r"@font-face \{\{.*?\}\}\n", "", CONSOLE_SVG_FORMAT, flags=re.S)
    shown = console.export_svg(title="tally explain", code_format=plain, unique_id="explain")
    return "\n".join(line.rstrip() for line in shown.splitlines()) + "\n"


if __name__ == "__main__":
    (FOLDER / "explain.svg").write_text(explained(), encoding="utf-8")

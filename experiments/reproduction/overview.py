"""The page that leads to those of the papers: what was claimed, and how much of it holds."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

from experiments.reproduction.expected import FAILS, HOLDS, UNKNOWN, Claim, Expected
from experiments.reproduction.page import Found
from experiments.reproduction.paper import Paper
from experiments.reproduction.store import found_in
from experiments.reproduction.tables import Table
from tallytext.io import save_text

NAME = "README.md"
ABOUT = """Five publications describe the methods of tallytext. Each has a page with its tables and
figures, measured again with the public interface of the library. Each published claim is checked by
code: a test computes the verdict from the results. Tests were written before the first run; the
pages mark those that were added or corrected later, and why. `tally reproduce all` runs everything.
[Methods](../methods.md) has the equations of all methods."""


def text_of(papers: Iterable[Paper]) -> str:
    """Return the page in Markdown."""
    known = [
        (paper, paper.expectations(), found_in(paper.results))
        for paper in papers
        if paper.results.is_file()
    ]
    table = Table("", ("source", *_VERDICTS, "published figures that agree"), [*map(_row, known)])
    asked = [line for each in known for line in _questions(*each)]
    sections = [
        "# The papers, reproduced",
        ABOUT,
        table.markdown(),
        "## Open questions",
        "\n".join(asked),
    ]
    return "\n\n".join(text for text in sections if text) + "\n"


def write(papers: Sequence[Paper], folder: Path) -> None:
    """Write the page."""
    save_text(folder / NAME, text_of(papers))


_VERDICTS = (HOLDS, FAILS, UNKNOWN)


def _row(known: tuple[Paper, Expected, Found]) -> tuple[str, ...]:
    paper, expected, found = known
    verdicts = [claim.verdict(found) for claim in expected.claims if not claim.ours]
    pairs = [(number, number.value(found)) for number in expected.numbers]
    agree = sum(
        value is not None and abs(value - number.published) <= number.within
        for number, value in pairs
    )
    counts = [str(verdicts.count(each)) for each in _VERDICTS]
    return f"[{expected.title}]({paper.name}.md)", *counts, f"{agree} of {len(pairs)}"


def _questions(paper: Paper, expected: Expected, found: Found) -> list[str]:
    lines = []
    for part in paper.parts:
        if part.is_open:
            claims = [claim for claim in expected.claims if claim.part == part.name]
            lines.append(f"- [{part.heading}]({paper.name}.md#{_anchor(part.heading)})")
            lines += [f"    - {_answer(claim, found)}" for claim in claims]
    return lines


def _answer(claim: Claim, found: Found) -> str:
    later = " (added after a first run)" if claim.later else ""
    return f"{claim.says}{later} **{claim.verdict(found)}**"


def _anchor(heading: str) -> str:
    kept = "".join(sign for sign in heading.lower() if sign.isalnum() or sign in " -_")
    return kept.replace(" ", "-")

"""The page of a paper: what was published, what was found, and whether they agree."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from experiments.reproduction.expected import Claim, Expected, Number
from experiments.reproduction.figures import Figure
from experiments.reproduction.paper import Paper, Part, Shown
from experiments.reproduction.record import Record
from experiments.reproduction.store import Results, found_of
from experiments.reproduction.tables import Table
from tallytext.io import save_text

Found = Mapping[str, Mapping[str, Any]]
AllShown = Mapping[str, Sequence[Shown]]


def page_of(paper: Paper, results: Results) -> str:
    """Return the page in Markdown; its figures are files beside it."""
    return _page(paper, results, shown_of(paper, found_of(results)))


def _page(paper: Paper, results: Results, shown: AllShown) -> str:
    expected, found = paper.expectations(), found_of(results)
    sections = [f"# {expected.title}", expected.reference, expected.about, _note(paper, results)]
    sections += [*_summary(expected, found), _yourself(paper)]
    for part in paper.parts:
        sections += _section(part, expected, found, shown)
    return "\n\n".join(text.strip() for text in sections if text.strip()) + "\n"


def shown_of(paper: Paper, found: Found) -> AllShown:
    """Make what each part that was measured shows; its figures are drawn."""
    measured = [part for part in paper.parts if part.name in found]
    return {part.name: [*part.show(Record.of(found[part.name]))] for part in measured}


def figures_in(shown: AllShown) -> Iterator[Figure]:
    """Return all figures of a page."""
    for some in shown.values():
        yield from (each for each in some if isinstance(each, Figure))


def write(paper: Paper, results: Results, folder: Path, kinds: Sequence[str] = ("svg",)) -> Path:
    """Write page and figures into a folder."""
    shown = shown_of(paper, found_of(results))
    for figure in figures_in(shown):
        figure.write(folder, kinds)
    path = folder / f"{paper.name}.md"
    path.parent.mkdir(parents=True, exist_ok=True)
    save_text(path, _page(paper, results, shown))
    return path


def _note(paper: Paper, results: Results) -> str:
    if any(result.quick for result in results.values()):
        return (
            "**A quick run on small samples, to test that everything runs. Its figures and "
            "verdicts have no meaning.**"
        )
    minutes = sum(result.seconds for result in results.values()) / 60
    return (
        f"`tally reproduce {paper.name}` wrote this page in {minutes:.0f} minutes. Its code is in "
        f"`experiments/{paper.folder.name}/`. The published figures, the tolerated differences and "
        "the test of each claim are in `expected.toml` there."
    )


def _summary(expected: Expected, found: Found) -> list[str]:
    claims = [claim for claim in expected.claims if not claim.ours]
    rows = [(claim.says, claim.where, _verdict(claim, found)) for claim in claims]
    table = Table("", ("claim", "", "here"), rows).markdown().replace("---:", "---")
    return ["## Claims and verdicts", table, _on_mended(expected)]


def _on_mended(expected: Expected) -> str:
    n = sum(bool(claim.mended) for claim in expected.claims)
    if not n:
        return ""
    tests = "One test was" if n == 1 else f"{n} tests were"
    return (
        f"{tests} corrected after a review, because the test did not match the sentence. The "
        "sections state the reason and the earlier verdict."
    )


def _verdict(claim: Claim, found: Found) -> str:
    return f"**{claim.verdict(found)}**" + (" (test corrected)" if claim.mended else "")


def _yourself(paper: Paper) -> str:
    """Return the commands that run the paper's system on other documents, if they are written."""
    path = paper.folder / "yourself.md"
    return path.read_text(encoding="utf-8") if path.is_file() else ""


def _yourself(paper: Paper) -> str:
    """Return the commands that run the paper's system on other documents, if they are written."""
    path = paper.folder / "yourself.md"
    return path.read_text(encoding="utf-8") if path.is_file() else ""


def _section(part: Part, expected: Expected, found: Found, shown: AllShown) -> list[str]:
    heading = f"## {part.heading}"
    about = ["*An open question of the paper.*"] if part.is_open else []
    if part.name not in found:
        return [heading, *about, part.about, "Not measured: a corpus was not available."]
    return [
        heading,
        *about,
        part.about,
        *map(_written, shown[part.name]),
        _numbers([number for number in expected.numbers if number.part == part.name], found),
        _claims([claim for claim in expected.claims if claim.part == part.name], found),
    ]


def _written(shown: Shown) -> str:
    if isinstance(shown, Figure):
        return f"![{shown.about}]({shown.name}.svg)"
    return shown.markdown() if isinstance(shown, Table) else shown


def _numbers(numbers: list[Number], found: Found) -> str:
    if not numbers:
        return ""
    rows = [_row(number, number.value(found)) for number in numbers]
    columns = ("", "", "published", "ours", "difference", "tolerance", "")
    return Table("Published figures", columns, rows).markdown()


def _row(number: Number, ours: float | None) -> tuple[str, ...]:
    head, within = (number.what, number.where, _short(number.published)), _short(number.within)
    if ours is None:
        return *head, "", "", within, "not measured"
    difference = ours - number.published
    agrees = "agrees" if abs(difference) <= number.within else "differs"
    sign = "+" if difference >= 0 else "−"
    return *head, _short(ours), f"{sign}{_short(abs(difference))}", within, agrees


def _short(value: float) -> str:
    """Write large numbers without decimals, and small ones with four digits.

    Examples
    --------
    >>> _short(19974), _short(0.14908), _short(86.4)
    ('19,974', '0.1491', '86.4')
    """
    return f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.4g}"


def _claims(claims: list[Claim], found: Found) -> str:
    return "\n".join(f"- {_sentence(claim)} {_answer(claim, found)}" for claim in claims)


def _sentence(claim: Claim) -> str:
    whose = "expected" if claim.ours else claim.where
    when = "added after a first run" if claim.later else ""
    known = ", ".join(part for part in ("" if claim.ours and when else whose, when) if part)
    return f"{claim.says} ({known})" if known else claim.says


def _answer(claim: Claim, found: Found) -> str:
    reason = f": {claim.untestable}" if claim.untestable else ""
    mended = f" *Test corrected (before: {claim.formerly}):* {claim.mended}" if claim.mended else ""
    return f"**{claim.verdict(found)}**{reason}{mended}"

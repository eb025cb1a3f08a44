"""``tally reproduce``: run papers, judge them, write their pages."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from importlib import import_module
from pathlib import Path

from experiments.reproduction import overview, page
from experiments.reproduction.expected import FAILS, HOLDS, UNKNOWN, Expected
from experiments.reproduction.paper import Paper
from experiments.reproduction.running import run
from experiments.reproduction.store import Result, Store, found_in, gathered
from experiments.reproduction.workplace import Workplace

PAPERS = ("vilar", "zhou", "yang-pedersen", "kim", "aggarwal")
ROOT = Path(__file__).resolve().parents[2]
DOCS = ROOT / "docs" / "papers"


def paper_of(name: str) -> Paper:
    """Return a paper by its name."""
    paper: Paper = import_module(f"experiments.{name.replace('-', '_')}.run").PAPER
    return paper


def default_data() -> Path | None:
    """Return the folder beside the project that holds corpora by convention, if it is there.

    Where ``$TALLYTEXT_DATA`` is set, it says what to take.
    """
    folder = ROOT.parent / "shared" / "data"
    return folder if folder.is_dir() and not os.environ.get("TALLYTEXT_DATA") else None


def reproduce(
    names: Iterable[str],
    output: Path,
    *,
    data: Path | None = None,
    quick: bool = False,
    fresh: bool = False,
    download: bool = False,
    write_docs: bool = False,
) -> list[str]:
    """Reproduce papers; return a line on each.

    Parameters
    ----------
    names : iterable of str
        Of ``PAPERS``.
    output : Path
        The folder for results, tables, figures and counts that are kept.
    data : Path, optional
        The folder of the corpora.
    quick : bool
        Whether small samples will do.
    fresh : bool
        Whether to measure again what is known.
    download : bool
        Whether to download corpora that are missing, where that can be done.
    write_docs : bool
        Whether to write the pages of the documentation, too.
    """
    papers = [paper_of(name) for name in names]
    work = Workplace(data or default_data(), quick, output / "counts", download)
    results = run(papers, work, Store(output), fresh=fresh)
    for paper in papers:
        _write(paper, results[paper.name], output)
        if write_docs:
            _write_docs(paper, results[paper.name])
    if write_docs:
        overview.write([paper_of(name) for name in PAPERS], DOCS)
    return [_summary(paper, results[paper.name]) for paper in papers]


def _write(paper: Paper, results: dict[str, Result], output: Path) -> None:
    folder = output / paper.name
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / "results.json"
    path.write_text(gathered(results), encoding="utf-8")
    page.write(paper, found_in(path), folder, ("svg", "png"))


def _write_docs(paper: Paper, results: dict[str, Result]) -> None:
    paper.results.write_text(gathered(results), encoding="utf-8")
    page.write(paper, found_in(paper.results), DOCS)


def _summary(paper: Paper, results: dict[str, Result]) -> str:
    found = {name: result.found for name, result in results.items()}
    claims = Expected.read(paper.expected).claims
    verdicts = [claim.verdict(found) for claim in claims]
    counted = ", ".join(f"{verdicts.count(each)} {_plural(each)}" for each in _KINDS)
    seconds = sum(result.seconds for result in results.values())
    return f"{paper.name}: {len(results)} of {len(paper.parts)} parts, {seconds:.0f} s; {counted}"


_KINDS: Sequence[str] = (HOLDS, FAILS, UNKNOWN)


def _plural(verdict: str) -> str:
    return {HOLDS: "claims hold", FAILS: "do not hold", UNKNOWN: "cannot be tested here"}[verdict]

"""``tally reproduce``: run papers, judge them, write their pages."""

from __future__ import annotations

import shutil
from collections.abc import Iterable, Mapping, Sequence
from importlib import import_module
from pathlib import Path

from benchmarks.corpora import default_folder

from experiments.reproduction import overview, page
from experiments.reproduction.expected import FAILS, HOLDS, UNKNOWN
from experiments.reproduction.page import Found
from experiments.reproduction.paper import Paper
from experiments.reproduction.running import run
from experiments.reproduction.store import Results, Store, found_of, gathered, results_in
from experiments.reproduction.workplace import Workplace
from tallytext.errors import InputError
from tallytext.io import save_text

PAPERS = ("vilar", "zhou", "yang-pedersen", "kim", "aggarwal")
ROOT = Path(__file__).resolve().parents[2]
DOCS = ROOT / "docs" / "papers"


def paper_of(name: str) -> Paper:
    """Return a paper by its name."""
    paper: Paper = import_module(f"experiments.{name.replace('-', '_')}.run").PAPER
    return paper


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
        The folder of the corpora; by default ``$TALLYTEXT_DATA``, or the folder beside the project
        that holds them by convention, or the user's cache.
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
    for paper in papers:
        paper.expectations()  # refuses what would fail after an hour
    if fresh:
        shutil.rmtree(output / "counts", ignore_errors=True)
    work = Workplace(data or default_folder(), quick, output / "counts", download)
    results = run(papers, work, Store(output), fresh=fresh)
    for paper in papers:
        _write(paper, results[paper.name], output)
    if write_docs:
        _write_docs(papers, results)
    return [_summary(paper, found_of(results[paper.name])) for paper in papers]


def _write(paper: Paper, results: Results, output: Path) -> None:
    folder = output / paper.name
    folder.mkdir(parents=True, exist_ok=True)
    save_text(folder / "results.json", gathered(results))
    page.write(paper, results, folder, ("svg", "png"))


def _write_docs(papers: Sequence[Paper], results: Mapping[str, Results]) -> None:
    """Write results and pages of the documentation, if nothing would be lost by it."""
    for paper in papers:
        missing = [part.name for part in paper.parts if part.name not in results[paper.name]]
        if missing:
            raise InputError(
                f"the pages in {DOCS} were left as they are, since {', '.join(missing)} of "
                f"{paper.name} could not be measured."
            )
    for paper in papers:
        save_text(paper.results, gathered(results[paper.name]))
        page.write(paper, results_in(paper.results), DOCS)
    overview.write([paper_of(name) for name in PAPERS], DOCS)


def _summary(paper: Paper, found: Found) -> str:
    claims = paper.expectations().claims
    parts = f"{len(found)} of {len(paper.parts)} parts"
    theirs = _counted([claim.verdict(found) for claim in claims if not claim.ours])
    ours = _counted([claim.verdict(found) for claim in claims if claim.ours])
    return f"{paper.name}: {parts}; claims: {theirs}; expected by us: {ours}"


def _counted(verdicts: list[str]) -> str:
    """Count verdicts.

    Examples
    --------
    >>> _counted(["holds", "does not hold", "holds"])
    '2 hold, 1 do not, 0 cannot be tested here'
    """
    words = {HOLDS: "hold", FAILS: "do not", UNKNOWN: "cannot be tested here"}
    return ", ".join(f"{verdicts.count(each)} {word}" for each, word in words.items())

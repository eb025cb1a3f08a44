"""Whether the recipe does what is asked of it, found from the results."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from benchmarks.tables import Table

from experiments.few_labels.methods import RECIPE
from experiments.few_labels.published import MINILM, PROTOTYPE, K, Published
from experiments.few_labels.results import Results
from experiments.few_labels.tables import BASELINE, by_seed

MOST_BELOW = 0.5
"""Points that the recipe may be below the baseline."""
AHEAD_OF_MINILM = ("20ng_bydate", "ag_news_20k")


@dataclass(frozen=True)
class Verdict:
    """A requirement, whether it is met, and by how much; None for what was not measured."""

    requirement: str
    corpus: str
    met: bool | None
    details: str

    @property
    def word(self) -> str:
        return {True: "met", False: "**not met**", None: "not measured"}[self.met]


def verdicts(results: Results) -> list[Verdict]:
    """Return what is asked of each corpus that there are results of."""
    found = []
    for corpus in results.corpora():
        if corpus in PROTOTYPE.figures:
            found.append(_at_least_prototype(results, corpus))
        if corpus in AHEAD_OF_MINILM:
            found.append(_ahead_of_minilm(results, corpus))
        found.append(_not_below_baseline(results, corpus))
    return found


def table(found: list[Verdict]) -> Table:
    """Tabulate verdicts."""
    rows = [(each.requirement, each.corpus, each.word, each.details) for each in found]
    return Table("Verdicts", ("asked of the recipe", "corpus", "", "found"), rows)


def _at_least_prototype(results: Results, corpus: str) -> Verdict:
    asked = "mean over k at least the prototype's"
    pairs = [*_beside(results, corpus, PROTOTYPE)]
    if len(pairs) < len(K):
        return Verdict(asked, corpus, None, _missing(pairs))
    ours, theirs = float(np.mean([pair[1] for pair in pairs])), PROTOTYPE.mean(corpus)
    return Verdict(asked, corpus, ours >= theirs, f"{ours:.1f}, prototype {theirs:.1f}")


def _ahead_of_minilm(results: Results, corpus: str) -> Verdict:
    asked = "ahead of MiniLM + LR at every k"
    pairs = [*_beside(results, corpus, MINILM)]
    behind = [(k, ours - theirs) for k, ours, theirs in pairs if not ours > theirs]
    if behind:
        return Verdict(asked, corpus, False, _cells(behind))
    if len(pairs) < len(K):
        return Verdict(asked, corpus, None, _missing(pairs))
    least = min((ours - theirs, k) for k, ours, theirs in pairs)
    return Verdict(asked, corpus, True, f"least: {_cells([least[::-1]])}")


def _not_below_baseline(results: Results, corpus: str) -> Verdict:
    asked = f"never more than {MOST_BELOW:g} point below tf-idf + LR"
    differences = [*_against_baseline(results, corpus)]
    below = [(k, difference) for k, difference in differences if difference < -MOST_BELOW]
    if below:
        return Verdict(asked, corpus, False, _cells(below))
    if len(differences) < len(K):
        return Verdict(asked, corpus, None, _missing(differences))
    least = min(differences, key=lambda pair: pair[1])
    return Verdict(asked, corpus, True, f"least: {_cells([least])}")


def _beside(
    results: Results, corpus: str, figures: Published
) -> Iterator[tuple[int, float, float]]:
    """Yield each k with the mean of the recipe and the published figure."""
    for k, found in results.of(corpus, RECIPE).items():
        theirs = figures.at(corpus, k)
        if theirs is not None:
            yield k, float(np.mean([*by_seed(found).values()])), theirs


def _against_baseline(results: Results, corpus: str) -> Iterator[tuple[int, float]]:
    """Yield each k with the mean difference over the draws that both had."""
    ours, theirs = (results.of(corpus, method) for method in (RECIPE, BASELINE))
    for k in sorted({*ours} & {*theirs} & {*K}):
        mine, other = by_seed(ours[k]), by_seed(theirs[k])
        common = sorted({*mine} & {*other})
        if common:
            yield k, float(np.mean([mine[seed] - other[seed] for seed in common]))


def _cells(pairs: list[tuple[int, float]]) -> str:
    return ", ".join(f"k = {k}: {difference:+.1f}" for k, difference in pairs)


def _missing(found: Sequence[tuple[Any, ...]]) -> str:
    known = {each[0] for each in found}
    return f"no results for k = {', '.join(str(k) for k in K if k not in known)}"

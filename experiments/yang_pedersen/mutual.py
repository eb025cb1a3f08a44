"""Can mutual information be corrected?"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import numpy as np

from experiments.intervals import mean_and_error
from experiments.reproduction.paper import Shown
from experiments.reproduction.record import Record
from experiments.reproduction.tables import Table
from experiments.reproduction.workplace import Workplace
from experiments.yang_pedersen.cells import Cells, shrunken_information
from experiments.yang_pedersen.corpora import Deal, corpus_of, deals_of, documents_of
from experiments.yang_pedersen.judging import K, neighbour_precision, percent
from experiments.yang_pedersen.terms import Floats, Ranking, Score, plain_score

HEADING = "Can mutual information be corrected?"
IS_OPEN = True
ABOUT = f"""The paper gives two reasons for the poor results of MI: it favours rare terms, and it is
sensitive to errors in estimated probabilities. It does not try to correct them. The table has:
pseudo-counts in every cell of the table of a term and a class (½ is the usual shrinkage);
pseudo-counts that shrink the observed number of documents A towards the expected one E, log (A + μ)
/ (E + μ), added when the former were known to have no effect; no terms of fewer than 3, 10 or 30
documents; division by the logarithm of the joint probability (normalised MI); and weighting by the
joint probability Pr(t, c), which the paper names as one of two differences between MI and IG. The
last is summed over classes; all others are the largest over the classes with the term. Average
precision of kNN on Reuters, k = {K}, three random splits; the median DF is that of the best 2 % of
the terms. Pseudo-counts are not chosen on held-out documents: all that were tried are shown."""
PSEUDO = (0.5, 2, 10, 50, 200)
LEAST = (3, 10, 30)
SHARES = (0.1, 0.02)


def measure(work: Workplace) -> dict[str, Any]:
    documents = documents_of(work, corpus_of(work, "reuters21578"))
    found: dict[str, list[list[float]]] = {}
    for deal in deals_of(work, documents):
        for name, score in work.track([*_all_scores(deal).items()]):
            found.setdefault(name, []).append(_judged(deal, score))
    return {"at": {name: _summary(deals) for name, deals in found.items()}}


def _judged(deal: Deal, score: Score) -> list[float]:
    ranking = Ranking.of(deal, score)
    median = np.median(deal.frequencies[ranking.order[: ranking.n_kept(SHARES[-1])]])
    cuts = [ranking.cut(deal, share) for share in SHARES]
    return [*(neighbour_precision(cut) for cut in cuts), float(median)]


def _summary(deals: list[list[float]]) -> dict[str, Any]:
    found: dict[str, Any] = {"median_df": float(np.mean([deal[-1] for deal in deals]))}
    for at, share in enumerate(SHARES):
        mean, half = mean_and_error([deal[at] for deal in deals])
        found[percent(share)] = {"mean": mean, "half": half}
    return found


def _all_scores(deal: Deal) -> dict[str, Score]:
    cells = Cells.of(deal)
    plain = largest(shrunken_information(cells, 0.0))
    found: dict[str, Floats] = {"MI": plain}
    found |= {
        f"MI, {pseudo:g} in every cell": largest(shrunken_information(cells, pseudo))
        for pseudo in PSEUDO
    }
    found |= {
        f"MI, {pseudo:g} towards chance": largest(towards_chance(cells, pseudo))
        for pseudo in PSEUDO
    }
    found |= {
        f"MI, {least} documents or more": np.where(cells.with_term >= least, plain, -np.inf)
        for least in LEAST
    }
    found |= {name: score(cells) for name, score in _WEIGHTED.items()}
    ready: dict[str, Score] = {name: partial(_given, found=each) for name, each in found.items()}
    return ready | {name: plain_score(name) for name in ("DF", "IG", "CHI")}


def _given(deal: Deal, found: Floats) -> Floats:
    return found


def largest(by_class: Floats) -> Floats:
    """Return the largest over classes."""
    return by_class.max(axis=0)


def towards_chance(cells: Cells, pseudo: float) -> Floats:
    """Return log of (A + μ) / (E + μ), classes by terms; E is expected if they are independent."""
    expected = cells.of_class * cells.with_term / cells.n
    ratio = (cells.both + pseudo) / np.maximum(expected + pseudo, 1e-12)
    return np.where(cells.both > 0, np.log(np.maximum(ratio, 1e-12)), -np.inf)


def normalised(cells: Cells) -> Floats:
    """Return MI over −log Pr(t, c), at most 1, the largest over classes."""
    joint = np.maximum(cells.both, 1) / cells.n
    ratio = shrunken_information(cells, 0.0) / np.maximum(-np.log(joint), 1e-12)
    return largest(ratio)


def weighted_sum(cells: Cells) -> Floats:
    """Return the sum over classes of Pr(t, c) times MI."""
    return _weighted(cells).sum(axis=0)


def weighted_largest(cells: Cells) -> Floats:
    return largest(_weighted(cells))


def _weighted(cells: Cells) -> Floats:
    there = cells.both > 0
    information = np.where(there, shrunken_information(cells, 0.0), 0.0)
    return cells.both / cells.n * information


_WEIGHTED: dict[str, Callable[[Cells], Floats]] = {
    "MI, normalised": normalised,
    "MI × Pr(t, c), largest": weighted_largest,
    "MI × Pr(t, c), sum": weighted_sum,
}


def show(found: Record) -> Iterator[Shown]:
    rows = [
        (name, f"{row.median_df:.0f}", *(row[percent(share)].mean for share in SHARES))
        for name, row in found["at"].items()
    ]
    columns = ("score", "median DF", *(percent(share) for share in SHARES))
    yield Table("Average precision of kNN", columns, rows, 3)
    yield (
        "The same number in every cell does not pull a table towards independence: the cell of a "
        "rare term and a rare class is expected to hold next to nothing, and any pseudo-count "
        "there looks like a strong tie. Pseudo-counts for the number observed and the number "
        "expected do what was wanted."
    )

"""Table 1: what the five scores have in common, tested on terms of Reuters."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from scipy import sparse, stats

from experiments.reproduction.paper import Shown
from experiments.reproduction.record import Record
from experiments.reproduction.tables import Table
from experiments.reproduction.workplace import Workplace
from experiments.yang_pedersen.cells import Cells, shrunken_information
from experiments.yang_pedersen.corpora import Deal, Documents, corpus_of, dealt, documents_of
from experiments.yang_pedersen.judging import fit_precision, neighbour_precision, percent
from experiments.yang_pedersen.terms import (
    PLAIN,
    SCORES,
    Floats,
    Ranking,
    Score,
    plain_score,
)
from tallytext import LLSF
from tallytext.features import related_pairs, term_strength_from_pairs

HEADING = "Table 1: properties of the scores"
ABOUT = """The paper's table compares the five scores by four properties. Its cells were missing in
our copy: the values given as published are from memory, and agree with the paper's discussion where
that mentions them. Here each property is an experiment on the first split. *Favours common terms*:
the rank correlation ρ of the score with DF, and the median number of documents of the best 2 % of
the terms. *Uses categories*: the rank correlation of the scores before and after the labels of the
training documents are permuted; it is 1 if labels do not matter. *Uses absence*: each of the 200
most frequent terms is replaced by its absence. A score that uses both has the same value for a term
and its absence; the figure is the largest difference, as a share of the largest score.
*Performance*: average precision with a tenth and a fiftieth of the terms, minus that with all. The
words in the table are defined as follows. Common terms are favoured if ρ is at least ½; rare ones
if half of the best 2 % have two documents or fewer, and ρ is −½ or less within classes; neither, if
the best tenth has terms of five documents or fewer and of fifty or more (at least a tenth of them
each), and ρ is between −½ and ½ among terms with a score. Performance is excellent if at most .02
is lost with a tenth of the terms and at most .1 with a fiftieth, poor if more than .1 is lost with
a tenth, OK in between. CHI is the average over classes, which the paper plots against DF; MI is the
maximum; TS has 15 related documents on average; k = 30, 200 singular values."""
VARIANTS = {**PLAIN, "CHI": "avg"}
PUBLISHED = {
    "favours common terms": ("yes", "yes", "yes", "no", "yes/no"),
    "uses categories": ("no", "yes", "yes", "yes", "no"),
    "uses absence": ("no", "yes", "yes", "no", "no"),
    "performance": ("excellent", "excellent", "excellent", "poor", "OK"),
}
SHARES = (0.1, 0.02)
N_COMPLEMENTED, N_CLASSES = 200, 10
EXCELLENT, POOR = 0.02, 0.1
RARE = 2


def measure(work: Workplace) -> dict[str, Any]:
    deal = dealt(documents_of(work, corpus_of(work, "reuters21578")), 0)
    model = LLSF("svd", 20 if work.quick else 200, multi_label=True)
    whole = neighbour_precision(deal), fit_precision(deal, model)
    complements = _complement_changes(deal)
    shuffled = _relabelled(deal)
    found = {}
    for name in work.track(SCORES):
        ranking = Ranking.of(deal, _score(name))
        found[name] = {
            "with_df": _rank_correlation(ranking.found, deal.frequencies),
            "median_df": float(np.median(deal.frequencies[ranking.order[: ranking.n_kept(0.02)]])),
            "best_tenth_df": _best_frequencies(deal, ranking),
            "relabelled": _rank_correlation(ranking.found, _score(name)(shuffled)),
            "complement": complements[name],
            **_losses(deal, ranking, whole, model),
        }
    return found | {"more": _more_correlations(deal)}


def _best_frequencies(deal: Deal, ranking: Ranking) -> list[float]:
    """Return the documents of the best tenth of the terms: of the rarest tenth, half, and so on."""
    best = deal.frequencies[ranking.order[: ranking.n_kept(SHARES[0])]]
    return [float(at) for at in np.quantile(best, (0.1, 0.5, 0.9))]


def _more_correlations(deal: Deal) -> dict[str, Any]:
    """Return rank correlations with DF that explain the first line of the table."""
    df, strength = deal.frequencies, plain_score("TS")(deal)
    strong = strength > 0
    return {
        "chi_max": _rank_correlation(Ranking.of(deal, SCORES["CHI"]["max"]).found, df),
        "ts_positive": _rank_correlation(strength[strong], df[strong]),
        "ts_zeros": float(np.mean(strength[df > 0] == 0)),
        "mi_in_class": within_classes(Cells.of(deal)),
    }


def within_classes(cells: Cells) -> list[float]:
    """Return for the largest classes the rank correlation of MI with DF, terms of the class."""
    information = shrunken_information(cells, 0.0)
    classes = np.argsort(-cells.of_class.ravel(), kind="stable")[:N_CLASSES]
    return [_rank_correlation(information[at], cells.with_term) for at in classes]


def _score(name: str) -> Score:
    return SCORES[name][VARIANTS[name]]


def _rank_correlation(found: Floats, other: Any) -> float:
    there = np.isfinite(found)
    return float(stats.spearmanr(found[there], other[there]).statistic)


def _relabelled(deal: Deal) -> Deal:
    order = np.random.default_rng(0).permutation(len(deal.train))
    labels = [deal.train.labels[row] for row in order.tolist()]
    return Deal(Documents(deal.train.counts, labels), deal.test)


def _complement_changes(deal: Deal) -> dict[str, float]:
    """Return by how much scores change if terms are replaced by their absence."""
    frequent = np.argsort(-deal.frequencies, kind="stable")[:N_COMPLEMENTED]
    present = (deal.train.counts[:, frequent] > 0).toarray()
    pairs = related_pairs(deal.train.counts).pairs
    found = [_scores_of(deal, cells, pairs) for cells in (present, ~present)]
    return {name: difference(found[0][name], found[1][name]) for name in SCORES}


def _scores_of(deal: Deal, present: Any, pairs: Any) -> dict[str, Floats]:
    counts = sparse.csr_array(present.astype(np.int64))
    side = Deal(Documents(counts, deal.train.labels), deal.test)
    names = [name for name in SCORES if name != "TS"]
    return {name: _score(name)(side) for name in names} | {
        "TS": term_strength_from_pairs(counts, pairs)
    }


def difference(one: Floats, other: Floats) -> float:
    """Return the largest difference as a share of the largest value.

    Terms without a score, or whose absence has none, are left out.

    Examples
    --------
    >>> difference(np.array([1.0, 4.0, 3.0]), np.array([1.0, 2.0, -np.inf]))
    0.5
    """
    known = np.isfinite(one) & np.isfinite(other)
    return float(np.abs(one - other)[known].max() / np.abs(one[known]).max())


def _losses(deal: Deal, ranking: Ranking, whole: tuple[float, float], model: LLSF) -> Any:
    cuts = {percent(share): ranking.cut(deal, share) for share in SHARES}
    return {
        "knn": {name: neighbour_precision(cut) - whole[0] for name, cut in cuts.items()},
        "llsf": {name: fit_precision(cut, model) - whole[1] for name, cut in cuts.items()},
    }


def in_words(name: str, found: Record) -> dict[str, str]:
    """Return what the figures of one score say, as the paper's table has it."""
    row = found[name]
    tenth, fiftieth = (min(row.knn[share], row.llsf[share]) for share in ("10%", "2%"))
    excellent = tenth >= -EXCELLENT and fiftieth >= -POOR
    return {
        "favours common terms": _favours(name, found),
        "uses categories": "no" if row.relabelled > 1 - 1e-9 else "yes",
        "uses absence": "yes" if row.complement < 1e-9 else "no",
        "performance": "excellent" if excellent else "poor" if tenth < -POOR else "OK",
    }


def _favours(name: str, found: Record) -> str:
    row = found[name]
    within = {"MI": max(found.more.mi_in_class), "TS": found.more.ts_positive}.get(name)
    if within is not None and within <= -0.5 and row.median_df <= RARE:
        return "no"
    rarest, _, commonest = row.best_tenth_df
    if abs(row.with_df if within is None else within) < 0.5 and rarest <= 5 and commonest >= 50:
        return "yes/no"
    return "yes" if row.with_df >= 0.5 else "no clear answer"


def show(found: Record) -> Iterator[Shown]:
    names = [name for name in PLAIN if name in found]
    said = {name: in_words(name, found) for name in names}
    rows = [
        (
            what,
            *(f"{said[name][what]} ({word})" for name, word in zip(names, published, strict=True)),
        )
        for what, published in PUBLISHED.items()
    ]
    yield Table("Ours (published)", ("", *names), rows)
    figures = {
        "ρ of score and DF": lambda row: f"{row.with_df:.2f}",
        "median DF of the best 2 %": lambda row: f"{row.median_df:g}",
        "DF of the best tenth: 10 %, 50 %, 90 %": lambda row: ", ".join(
            f"{at:g}" for at in row.best_tenth_df
        ),
        "ρ with labels dealt anew": lambda row: f"{row.relabelled:.2f}",
        "change by absence": lambda row: f"{row.complement:.2g}",
        "kNN, 10 % of terms": lambda row: f"{row.knn['10%']:+.3f}",
        "kNN, 2 %": lambda row: f"{row.knn['2%']:+.3f}",
        "LLSF, 10 % of terms": lambda row: f"{row.llsf['10%']:+.3f}",
        "LLSF, 2 %": lambda row: f"{row.llsf['2%']:+.3f}",
    }
    lines = [(what, *(value(found[name]) for name in names)) for what, value in figures.items()]
    yield Table("The figures behind it", ("", *names), lines)
    yield _explained(found.more)


def _explained(more: Record) -> str:
    inside = sorted(more.mi_in_class)
    return (
        f"What is behind the first line: of the terms, {more.ts_zeros:.0%} have strength 0, all "
        "terms of one document among them; for the others the ρ of TS and DF is "
        f"{more.ts_positive:.2f}. MI favours rare terms within a class (ρ from {inside[0]:.2f} to "
        f"{inside[-1]:.2f} in the {len(inside)} largest), but a common term has more classes to be "
        "the largest over, so that ρ over all terms does not show it; the best terms by MI do. The "
        "maximum of CHI over classes favours common terms less than its average does "
        f"(ρ {more.chi_max:.2f})."
    )

"""Figure 1: kNN against the number of terms."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from experiments.intervals import mean_and_error
from experiments.reproduction.figures import Figure, draw_lines, legend_below, panels
from experiments.reproduction.paper import Shown
from experiments.reproduction.record import Record
from experiments.reproduction.tables import Table
from experiments.reproduction.workplace import Workplace
from experiments.yang_pedersen.corpora import Deal, corpus_of, deals_of, documents_of
from experiments.yang_pedersen.judging import (
    KS,
    neighbour_precision,
    neighbour_precisions,
    percent,
)
from experiments.yang_pedersen.terms import SCORES, Ranking, Score

HEADING = "Figure 1: kNN on Reuters"
SHARES = (0.75, 0.5, 0.4, 0.25, 0.1, 0.05, 0.02, 0.01, 0.005, 0.002)
QUICK_SHARES = (0.5, 0.1, 0.05, 0.02, 0.002)
ABOUT = f"""Eleven-point average precision of kNN with a share of the terms that occur in training,
the best by each score; a document that would become empty keeps its best terms. Weights are ltc;
terms are scored on training documents only. The paper went from 16,039 terms to 321, which is 2 %.
It states neither the number of neighbours nor the variant of a score. Here k (of
{", ".join(map(str, KS))}) is chosen for each point, and the variant for each curve (CHI and MI:
average or maximum over classes; IG: the treatment of several labels; TS: 10, 15 or 20 related
documents on average), all on a held-out fifth of the training documents. Means of three random
splits; ± is half of a 95 % interval over these (Student). This procedure was decided knowing
figures for 2 % of the terms from an earlier measurement in this project (all terms .934, IG .939,
CHI .930, DF .902, TS .732, MI .588)."""


class Chosen(NamedTuple):
    """The variant of a score that did best on held-out documents, and k for each share."""

    variant: str
    ks: list[int]


def measure(work: Workplace) -> dict[str, Any]:
    documents = documents_of(work, corpus_of(work, "reuters21578"))
    shares = QUICK_SHARES if work.quick else SHARES
    curves: dict[str, list[list[float]]] = {name: [] for name in SCORES}
    whole, kept, variants = [], [], []
    for deal in deals_of(work, documents):
        side = deal.held_out()
        k = KS[int(neighbour_precisions(side).argmax())]
        whole.append(neighbour_precision(deal, k))
        kept.append([Ranking.of(deal, SCORES["DF"][""]).n_kept(share) for share in (1, *shares)])
        chosen = {name: _chosen(side, SCORES[name], shares) for name in work.track(SCORES)}
        variants.append({name: found.variant for name, found in chosen.items()} | {"k": k})
        for name, found in chosen.items():
            curves[name].append(_curve(deal, SCORES[name][found.variant], shares, found.ks))
    return {
        "shares": [1, *shares],
        "n_terms": np.mean(kept, axis=0).round().astype(int),
        "chosen": variants,
        "at": _by_share(whole, curves, shares),
    }


def _chosen(side: Deal, variants: Any, shares: Any) -> Chosen:
    tried = {}
    for variant, score in variants.items():
        ranking = Ranking.of(side, score)
        tried[variant] = np.array(
            [neighbour_precisions(ranking.cut(side, share)) for share in shares]
        )
    best = max(tried, key=lambda each: tried[each].max(axis=1).mean())
    return Chosen(best, [KS[at] for at in tried[best].argmax(axis=1)])


def _curve(deal: Deal, score: Score, shares: Any, ks: list[int]) -> list[float]:
    ranking = Ranking.of(deal, score)
    return [
        neighbour_precision(ranking.cut(deal, share), k)
        for share, k in zip(shares, ks, strict=True)
    ]


def _by_share(whole: list[float], curves: Any, shares: Any) -> dict[str, Any]:
    """Return by share and score the mean, half an interval, and the mean gain over all terms."""
    found = {percent(1): {name: _summary(whole, whole) for name in curves}}
    for at, share in enumerate(shares):
        found[percent(share)] = {
            name: _summary([deal[at] for deal in deals], whole) for name, deals in curves.items()
        }
    return found


def _summary(values: list[float], whole: list[float]) -> dict[str, Any]:
    mean, half = mean_and_error(values)
    gain, its_half = mean_and_error(np.subtract(values, whole).tolist())
    return {"mean": mean, "half": half, "gain": gain, "gain_half": its_half}


def show(found: Record) -> Iterator[Shown]:
    rows = [
        (share, n, *(f"{row[name].mean:.3f}{_margin(row[name].half)}" for name in SCORES))
        for (share, row), n in zip(found["at"].items(), found.n_terms, strict=True)
    ]
    yield Table("Average precision of kNN", ("kept", "terms", *SCORES), rows)
    gains = [
        (share, *(f"{row[name].gain:+.4f}{_margin(row[name].gain_half, 4)}" for name in SCORES))
        for share, row in found["at"].items()
        if share != percent(1)
    ]
    yield Table("Less that with all terms, split by split", ("kept", *SCORES), gains)
    yield _compared(found)
    yield _judged_gain(found["at"]["2%"].IG)
    yield _choices(found)
    yield Figure(
        "yang-pedersen-knn",
        "Figure 1: average precision of kNN on Reuters by number of terms",
        curves_drawn(found, "kNN, Reuters", SCORES),
    )


def _judged_gain(at: Record) -> str:
    if at.gain_half is None:
        return f"With 2 % of the terms by IG the gain is {at.gain:+.4f}, on one split."
    sure = "more" if abs(at.gain) > at.gain_half else "no more"
    return (
        f"With 2 % of the terms by IG the gain is {at.gain:+.4f} ± {at.gain_half:.4f}, {sure} than "
        "chance between splits may account for. It depends on k being chosen for each point: see "
        "below for one k and ten splits."
    )


def _compared(found: Record) -> Table:
    pairs = (("CHI", "IG"), ("DF", "IG"), ("TS", "DF"), ("MI", "TS"))
    rows = [
        (share, *(f"{row[one].mean - row[other].mean:+.4f}" for one, other in pairs))
        for share, row in found["at"].items()
        if share != percent(1)
    ]
    columns = ("kept", *(f"{one} less {other}" for one, other in pairs))
    return Table("One score less another", columns, rows)


def _margin(half: float | None, decimals: int = 3) -> str:
    return "" if half is None else f" ± {half:.{decimals}f}"


def _choices(found: Record) -> str:
    lines = []
    for name in SCORES:
        taken = [deal[name] for deal in found.chosen]
        if any(taken):
            lines.append(f"{name}: {', '.join(taken)}")
    ks = ", ".join(str(deal.k) for deal in found.chosen)
    return f"Chosen by split: k with all terms {ks}; {'; '.join(lines)}."


def curves_drawn(found: Record, title: str, names: Any) -> Any:
    """Draw average precision against the number of terms, all of it and the upper part."""
    drawn, plots = panels(2, across=2, width=4.4, height=3.4)
    lines = {name: [row[name].mean for row in found["at"].values()] for name in names}
    for plot, what in zip(plots, (title, f"{title}: the upper part"), strict=True):
        labels = {"x_label": "terms", "y_label": "average precision"}
        draw_lines(plot, found.n_terms, lines, title=what, log_x=True, **labels)
        plot.axhline(lines[next(iter(names))][0], color="#999999", lw=0.8, ls=":")
    top = max(max(values) for values in lines.values())
    plots[1].set_ylim(top - 0.08, top + 0.01)
    legend_below(drawn, plots, 5)
    return drawn

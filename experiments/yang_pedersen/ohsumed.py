"""Figure 6: kNN with DF and with IG on OHSUMED."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np

from experiments.reproduction.figures import Figure
from experiments.reproduction.paper import Shown
from experiments.reproduction.record import Record
from experiments.reproduction.tables import Table
from experiments.reproduction.workplace import Workplace
from experiments.yang_pedersen.corpora import (
    Deal,
    corpus_of,
    documents_of,
    given_split,
    sides_by_group,
)
from experiments.yang_pedersen.judging import (
    KS,
    K,
    neighbour_precision,
    neighbour_precisions,
    percent,
)
from experiments.yang_pedersen.knn import curves_drawn
from experiments.yang_pedersen.terms import Ranking, plain_score

HEADING = "Figure 6: DF and IG on OHSUMED"
SHARES = (0.5, 0.25, 0.1, 0.05, 0.02, 0.01, 0.005)
QUICK_SHARES = (0.1, 0.02)
NAMES = ("DF", "IG")
N_DEBIAN = 20_000
LABEL_SHARES = (0.1, 0.02, 0.005)
ABOUT = f"""kNN on abstracts of OHSUMED, with 23 classes instead of 14,321 and the published split
of the subset. The paper's curves with DF and with IG are identical. k is chosen once, with all
terms, on a held-out fifth of the training documents. IG splits a document among its labels. Is the
number of classes the reason? The second table uses the same documents, Debian's package
descriptions, with two sets of labels: sections (one per package) and tags (hundreds, several per
package), k = {K}; packages that have both, of a sample of {N_DEBIAN:,}, split by source package."""


def measure(work: Workplace) -> dict[str, Any]:
    corpus = corpus_of(work, "ohsumed")
    deal = given_split(documents_of(work, corpus), corpus.splits)
    shares = QUICK_SHARES if work.quick else SHARES
    k = KS[int(neighbour_precisions(deal.held_out()).argmax())]
    rankings = {name: Ranking.of(deal, plain_score(name)) for name in NAMES}
    whole = neighbour_precision(deal, k)
    found = {percent(1): {name: {"mean": whole} for name in NAMES}}
    for share in work.track(shares):
        found[percent(share)] = {
            name: {"mean": _judged(deal, ranking, share, k)} for name, ranking in rankings.items()
        }
    gaps = {share: row["DF"]["mean"] - row["IG"]["mean"] for share, row in found.items()}
    n_terms = [rankings["DF"].n_kept(share) for share in (1, *shares)]
    return {
        "k": k,
        "n_terms": n_terms,
        "at": found,
        "gaps": gaps,
        "labels": {name: _by_labels(one) for name, one in _with_two_labels(work).items()},
    }


def _with_two_labels(work: Workplace) -> dict[str, Deal]:
    corpus = corpus_of(work, "debian-sections")
    n = min(N_DEBIAN, len(corpus))
    drawn = np.sort(np.random.default_rng(0).choice(len(corpus), n, replace=False))
    corpus = corpus.take(drawn.tolist())
    corpus = corpus.where(corpus.columns["tags"])
    documents, sides = documents_of(work, corpus), sides_by_group(corpus.columns["source"])
    tagged = replace(documents, labels=corpus.columns["tags"])
    return {"sections": given_split(documents, sides), "tags": given_split(tagged, sides)}


def _by_labels(deal: Deal) -> dict[str, Any]:
    df, ig = (Ranking.of(deal, plain_score(name)) for name in NAMES)
    found: dict[str, Any] = {"n_classes": len(deal.classes), "all": neighbour_precision(deal)}
    for share in LABEL_SHARES:
        n = ig.n_kept(share)
        found[percent(share)] = {
            "gap": _judged(deal, df, share, K) - _judged(deal, ig, share, K),
            "overlap": len(np.intersect1d(df.order[:n], ig.order[:n])) / n,
        }
    return found


def _judged(deal: Deal, ranking: Ranking, share: float, k: int) -> float:
    return neighbour_precision(ranking.cut(deal, share), k)


def show(found: Record) -> Iterator[Shown]:
    rows = [
        (share, n, *(row[name].mean for name in NAMES), f"{found.gaps[share]:+.4f}")
        for (share, row), n in zip(found["at"].items(), found.n_terms, strict=True)
    ]
    columns = ("kept", "terms", *NAMES, "DF less IG")
    yield Table(f"Average precision of kNN on OHSUMED, k = {found.k}", columns, rows, 4)
    rows = [_label_row(name, row) for name, row in found.labels.items()]
    columns = ("", "classes", "all terms", *(percent(share) for share in LABEL_SHARES))
    title = "The same documents with few and with many classes: DF less IG (overlap of best terms)"
    yield Table(title, columns, rows)
    yield (
        "This is one corpus, and three sizes of which one was picked for the test when all had "
        "been seen: a hint at the reason, and no proof of it."
    )
    yield Figure(
        "yang-pedersen-ohsumed",
        "Figure 6: average precision of kNN on OHSUMED with terms by DF and by IG",
        curves_drawn(found, "kNN, OHSUMED", NAMES),
    )


def _label_row(name: str, row: Record) -> tuple[Any, ...]:
    cells = [row[percent(share)] for share in LABEL_SHARES]
    written = [f"{cell.gap:+.3f} ({cell.overlap:.2f})" for cell in cells]
    return name, row.n_classes, row["all"], *written

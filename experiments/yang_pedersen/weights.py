"""The weights of SMART that the paper tried with kNN."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from experiments.intervals import mean_and_error
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
from experiments.yang_pedersen.terms import Ranking, plain_score

HEADING = "ltc and other weights"
SCHEMES = {
    "ltc": "(1 + ln tf) ln(N/df), length one",
    "atc": "(½ + ½ tf / largest tf) ln(N/df), length one",
    "lnc": "1 + ln tf, length one",
    "bnn": "1, inner products in the place of cosines",
}
SHARES = (1.0, 0.1, 0.02)
ABOUT = """The paper tried "ltc", "atc", "lnc", "bnn" and others, and shows the best, ltc. The four
named ones are compared here with kNN on all terms and on the best by IG, on three random splits,
with k chosen for each point on a held-out fifth of the training documents."""


def measure(work: Workplace) -> dict[str, Any]:
    documents = documents_of(work, corpus_of(work, "reuters21578"))
    found: dict[str, list[list[float]]] = {scheme: [] for scheme in SCHEMES}
    for deal in deals_of(work, documents):
        pairs = [*zip(_cuts(deal.held_out()), _cuts(deal), strict=True)]
        for scheme in work.track(SCHEMES):
            found[scheme].append([_judged(*pair, scheme) for pair in pairs])
    names = [percent(share) for share in SHARES]
    return {
        scheme: {
            name: dict(zip(("mean", "half"), mean_and_error(values), strict=True))
            for name, values in zip(names, np.transpose(deals), strict=True)
        }
        for scheme, deals in found.items()
    }


def _cuts(deal: Deal) -> list[Deal]:
    ranking = Ranking.of(deal, plain_score("IG"))
    return [ranking.cut(deal, share) for share in SHARES]


def _judged(side: Deal, deal: Deal, scheme: str) -> float:
    k = KS[int(neighbour_precisions(side, KS, scheme).argmax())]
    return neighbour_precision(deal, k, scheme)


def show(found: Record) -> Iterator[Shown]:
    names = [percent(share) for share in SHARES]
    rows = [
        (scheme, about, *(found[scheme][name].mean for name in names))
        for scheme, about in SCHEMES.items()
    ]
    yield Table("Average precision of kNN, terms by IG", ("", "weight of a term", *names), rows, 4)

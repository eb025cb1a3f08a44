"""The variants of each score, which the paper tried and does not tell apart."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import partial
from typing import Any

import numpy as np

from experiments.intervals import mean_and_error
from experiments.reproduction.paper import Shown
from experiments.reproduction.record import Record
from experiments.reproduction.tables import Table
from experiments.reproduction.workplace import Workplace
from experiments.yang_pedersen.cells import gain_as_printed
from experiments.yang_pedersen.corpora import Deal, corpus_of, deals_of, documents_of
from experiments.yang_pedersen.judging import (
    K,
    neighbour_precision,
    percent,
)
from experiments.yang_pedersen.terms import SCORES, Floats, Ranking, Score, plain_score

HEADING = "Average or maximum: variants of the scores"
SHARES = (0.5, 0.1, 0.02, 0.005)
LEAST = 3
ABOUT = f"""The paper combined the scores of a term with each class into an average, weighted by the
size of classes, and a maximum, for CHI and MI; it plotted the better one without naming it. It does
not define information gain for documents with several labels. Here all variants are measured with k
= {K} on three random splits. CHI: also without terms of fewer than {LEAST} documents, because it is
said to be unreliable for these. IG: splitting a document among its labels (fractional), with each
pair of document and label as an event (pairs), as the sum over classes of the gain about that class
(binary), and as its formula is printed, with shares of documents that do not sum to one. TS: with
different numbers of related documents, and with the rarer of two equally strong terms first (a term
of one document is never shared by two, so many terms have strength 0; in the other sections the
more frequent of equal terms is first). MI is minus infinity for a class without the term: the
maximum is over the classes that have it, and the average has ½ added to every cell."""


def _with_least(deal: Deal, score: Score, least: int = LEAST) -> Floats:
    return np.where(deal.frequencies >= least, score(deal), -np.inf)


def _rarer_first(deal: Deal, score: Score) -> Floats:
    return score(deal) - 1e-9 * deal.frequencies


def _share_of_zeros(deal: Deal) -> float:
    """Return the share of the terms that no two related documents share."""
    found = plain_score("TS")(deal)[deal.frequencies > 0]
    return float(np.mean(found == 0))


VARIANTS: Mapping[str, Mapping[str, Score]] = SCORES | {
    "TS": {
        **SCORES["TS"],
        "AREL 15, the rarer of equals first": partial(_rarer_first, score=plain_score("TS")),
    },
    "IG": {**SCORES["IG"], "as printed": gain_as_printed},
    "CHI": {
        **SCORES["CHI"],
        **{
            f"{name}, {LEAST} documents or more": partial(_with_least, score=score)
            for name, score in SCORES["CHI"].items()
        },
    },
}


def measure(work: Workplace) -> dict[str, Any]:
    documents = documents_of(work, corpus_of(work, "reuters21578"))
    shares = SHARES[1:3] if work.quick else SHARES
    found: dict[str, dict[str, list[list[float]]]] = {
        name: {variant: [] for variant in variants} for name, variants in VARIANTS.items()
    }
    zeros = []
    for deal in deals_of(work, documents):
        for name, variants in VARIANTS.items():
            for variant, score in variants.items():
                ranking = Ranking.of(deal, score)
                cuts = [ranking.cut(deal, share) for share in shares]
                found[name][variant].append([neighbour_precision(cut) for cut in cuts])
        zeros.append(_share_of_zeros(deal))
    return {
        name: {variant: _by_share(deals, shares) for variant, deals in variants.items()}
        for name, variants in found.items()
    } | {"strength_zero": float(np.mean(zeros))}


def _by_share(deals: list[list[float]], shares: Any) -> dict[str, Any]:
    found = {}
    for at, share in enumerate(shares):
        mean, half = mean_and_error([deal[at] for deal in deals])
        found[percent(share)] = {"mean": mean, "half": half}
    return found


def show(found: Record) -> Iterator[Shown]:
    shares = [*next(iter(found.IG.values()))]
    rows = [
        (f"{name} {variant}".strip(), *(at[share].mean for share in shares))
        for name in VARIANTS
        for variant, at in found[name].items()
    ]
    yield Table(f"Average precision of kNN, k = {K}", ("score", *shares), rows)
    strengths = [f"{found.TS[name]['2%'].mean:.3f} ({name})" for name in SCORES["TS"]]
    yield (
        f"Of the terms, {found.strength_zero:.0%} have strength 0 (15 related documents). With 2 % "
        f"of the terms TS comes to {', '.join(strengths)}."
    )

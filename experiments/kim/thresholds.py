"""How classes are given to documents: what it does to the figures of Table 4."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from experiments.kim.grid import row_scores
from experiments.kim.judging import FBR, Judged, judged, judged_by_oracle
from experiments.kim.jury import ALPHA, poisson_jury
from experiments.kim.published import REUTERS, UM, WEIGHTINGS
from experiments.kim.split import Split, reuters
from experiments.reproduction.paper import Shown
from experiments.reproduction.record import Record
from experiments.reproduction.tables import Table
from experiments.reproduction.workplace import Workplace
from tallytext import MultinomialNB, PoissonNB
from tallytext.decision import PCut, RCut, SCut
from tallytext.models import Laplace

HEADING = "Thresholds: how classes are given to documents"
ABOUT = """Eq. 15 ranks documents within a class; F1 needs decisions, and the paper does not state
its decision rule. The table has the same scores of the same models with several rules: SCut as in
Table 4 with other bounds below which a threshold is not used; SCut without folds, fitted to the
scores of the model's own training documents; PCut, which assigns each class to its share of
documents; RCut, which assigns each document its best class; no threshold, that is a probability
above one half; break-even, which assigns each class to as many test documents as truly have it, so
that precision equals recall, a usual measure at the time; and the oracle's thresholds. The last two
use the labels of the test documents. RCut and probabilities use scores that are comparable between
classes (eq. 14), the others z*. The last column is the mean distance of a row from the published
figures. Break-even was added after a first run. That one of a dozen rules comes closest does not
show that the paper used it.

The second table counts classes: in macro-F1 a class with one test document counts as much as one
with a thousand, and a class of which no document is found counts 0."""
ROWS = (UM, *WEIGHTINGS)
RULES = {
    "SCut, all trusted": SCut(fbr=0.0),
    "SCut, below .1 not trusted": SCut(fbr=FBR),
    "SCut, below .3 not trusted": SCut(fbr=0.3),
    "SCut, below .5 not trusted": SCut(fbr=0.5),
    "SCut, bound chosen by halves": SCut(fbr="auto"),
    "SCut, below .1 never given": SCut(fbr=FBR, fallback="never"),
}
TESTS = (1, 2, 5, 10, 20, 50)
LEARNED, PROPORTIONAL, RANKED = "SCut, without folds", "PCut", "RCut"
LIKELY, BREAK_EVEN, ORACLE = "more likely than not", "break-even", "oracle"


def measure(work: Workplace) -> dict[str, Any]:
    found = {row: _decided(work, row) for row in work.track(ROWS)}
    split = reuters(work)
    rules = [*found[UM]]
    return {
        "rules": {rule: {row: found[row][rule].averages for row in ROWS} for rule in rules},
        "tests": _by_tests(split, found),
        "nothing_found": {row: _n_lost(split, found[row]) for row in ROWS},
    }


def _decided(work: Workplace, row: str) -> dict[str, Judged]:
    split, scores = reuters(work), row_scores(work, row)
    found = {name: judged(split, scores, rule) for name, rule in RULES.items()}
    learned, comparable = _other_scores(work, row)
    in_sample = SCut(fbr=FBR).fit(learned, split.train.truth)
    shares = PCut().fit(split.train.truth)
    others = {
        LEARNED: in_sample.decide(scores.test),
        PROPORTIONAL: shares.decide(scores.test),
        RANKED: RCut(1).decide(comparable),
        LIKELY: comparable > 0,
        BREAK_EVEN: PCut().fit(split.test.truth).decide(scores.test),
    }
    found |= {name: Judged.of(split, given) for name, given in others.items()}
    return {**found, ORACLE: judged_by_oracle(split, scores)}


def _other_scores(work: Workplace, row: str) -> tuple[Any, Any]:
    """Return ranks of documents that were learned, and comparable scores of test documents."""
    split = reuters(work)
    if row == UM:
        sides = split.train.counts, split.train.labels
        unigram = MultinomialNB(Laplace(1), multi_label=True).fit(*sides)
        return unigram.evidence(split.train.counts), unigram.scores(split.test.counts)
    settings = {"weighting": WEIGHTINGS[row], "alpha": ALPHA}
    jury = poisson_jury(work)
    scores = jury.test(PoissonNB.scores, **settings)
    return jury.whole.z_star(split.train.counts), scores


def _by_tests(split: Split, found: dict[str, dict[str, Judged]]) -> list[dict[str, Any]]:
    """Return macro-F1 over the classes with so many test documents or more."""
    tests = split.test.truth.sum(axis=0)
    return [
        {
            "least": least,
            "classes": int((tests >= least).sum()),
            **{
                rule: {row: _mean(found[row][name].f1[tests >= least]) for row in ROWS}
                for rule, name in (("honest", _HONEST), ("oracle", ORACLE))
            },
        }
        for least in TESTS
    ]


_HONEST = "SCut, below .1 not trusted"


def _mean(values: Any) -> float:
    return float(np.mean(values)) if len(values) else 0.0


def _n_lost(split: Split, found: dict[str, Judged]) -> list[int]:
    """Return of how many classes nothing is found: by our thresholds, and by the oracle's."""
    return [int((found[rule].f1 == 0).sum()) for rule in (_HONEST, ORACLE)]


def show(found: Record) -> Iterable[Shown]:
    for at, name in enumerate(("micro", "macro")):
        published = [REUTERS[row][at] for row in ROWS]
        rows = [(rule, *_distant(each, name, published)) for rule, each in found.rules.items()]
        columns, first = ("", *ROWS, "distance"), ("published", *published, None)
        yield Table(f"{name}-F1 of Reuters by rule", columns, [first, *rows], 4)
    yield _nearest(found)
    yield _between(found)
    heads = [f"{row}{by}" for row in ROWS for by in ("", ", oracle")]
    rows = [(f"{each.least} or more", each.classes, *_pairs(each)) for each in found.tests]
    lost = [n for row in ROWS for n in found.nothing_found[row]]
    last = ("classes of which nothing is found", None, *lost)
    columns = ("test documents", "classes", *heads)
    yield Table("Macro-F1 by the test documents of a class", columns, [*rows, last])


def _nearest(found: Record) -> str:
    """Say by which rule figures come nearest to the published ones."""
    said = []
    for at, name in enumerate(("micro", "macro")):
        published = [REUTERS[row][at] for row in ROWS]
        far = {rule: _distant(each, name, published)[-1] for rule, each in found.rules.items()}
        rule = min(far, key=lambda each: far[each])
        said.append(f"in {name}-F1 by *{rule}* ({far[rule]:.3f} on average)")
    return f"Closest to the published figures are those {' and '.join(said)}."


def _between(found: Record) -> str:
    """Say where the published macro-F1 lies between our thresholds and those of the oracle."""
    honest, oracle = found.rules[_HONEST], found.rules[ORACLE]
    said = [
        f"{row} {_place(REUTERS[row][1], honest[row].macro, oracle[row].macro)}" for row in ROWS
    ]
    return (
        "Of the way in macro-F1 from thresholds of training documents (0 %) to those of the oracle "
        f"(100 %), the published figure is at: {', '.join(said)}."
    )


def _place(published: float, low: float, high: float) -> str:
    return f"{100 * (published - low) / (high - low):.0f} %" if high > low else "–"


def _distant(each: Record, name: str, published: list[float]) -> list[float]:
    values = [each[row][name] for row in ROWS]
    return [*values, float(np.mean(np.abs(np.subtract(values, published))))]


def _pairs(each: Record) -> list[float]:
    return [each[rule][row] for row in ROWS for rule in ("honest", "oracle")]

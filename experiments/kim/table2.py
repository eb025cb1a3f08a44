"""Tables 2 and 3, Figure 1: the unigram model and the Poisson model over α."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from experiments.kim import korean
from experiments.kim.grid import alphas, cell, oracle_cell
from experiments.kim.judging import both
from experiments.kim.jury import unigram_scores
from experiments.kim.published import KOREAN as KOREAN_TABLE
from experiments.kim.published import KOREAN_RANGE, REUTERS_RANGE, UM
from experiments.kim.published import REUTERS as REUTERS_TABLE
from experiments.kim.split import reuters
from experiments.reproduction.figures import Figure, draw_lines, legend_below, panels
from experiments.reproduction.paper import Shown
from experiments.reproduction.record import Record
from experiments.reproduction.tables import Table
from experiments.reproduction.workplace import Workplace
from tallytext.evaluation import micro_sign_test

HEADING = "Tables 2 and 3, Figure 1: the unigram model and the Poisson model over α"
ABOUT = """The Poisson mean of a word in a class is an average over the documents of the class: α =
1 weights documents equally, α = 0 weights them by length. The paper compares α from 0 to 1 with the
unigram model, which is multinomial naive Bayes, without weights for words. It states neither the
smoothing θ nor the decision rule. Here the unigram model has Laplace smoothing with one count per
word, and the Poisson model has Θ = θ|V| = 10 pseudo-words per document. On Reuters each class has a
threshold on its score per word (log-odds per word; z* of eq. 15), fitted for the best F1 to scores
of 5 folds of the training documents (SCut); if that F1 is below .1, only documents above all of
those get the class. "Oracle" are thresholds fitted to the test documents, an upper bound for the F1
of each class; their micro-F1 may be lower than with our thresholds. On Korean, each document gets
the class with the highest score.

The micro sign test on the decisions of the best and the worst α tests whether micro-F1 depends on
α. These two are selected from all α, so p is somewhat too small."""
CORPORA = ("headlines", "articles", "uneven")


def measure(work: Workplace) -> dict[str, Any]:
    found = {name: _korean(work, name) for name in work.track(CORPORA, "α")}
    return {"alphas": alphas(work), "reuters": _reuters(work), **found}


def _reuters(work: Workplace) -> dict[str, Any]:
    honest = [cell(work, None, alpha) for alpha in alphas(work)]
    oracle = [oracle_cell(work, None, alpha) for alpha in alphas(work)]
    worst, best = (at(honest, key=lambda each: each.micro) for at in (min, max))
    p = micro_sign_test(best.decided, worst.decided, reuters(work).test.truth).p_value
    return {
        "um": both(reuters(work), unigram_scores(work)),
        "micro": [each.micro for each in honest],
        "macro": [each.macro for each in honest],
        "oracle_micro": [each.micro for each in oracle],
        "oracle_macro": [each.macro for each in oracle],
        "p": float(p),
    }


def _korean(work: Workplace, corpus: str) -> dict[str, Any]:
    curves = [korean.curve(split, alphas(work)) for split in korean.splits(work, corpus)]
    means = {
        name: np.mean([each[name] for each in curves], axis=0).tolist()
        for name in ("micro", "macro")
    }
    return {"um": korean.mean_averages(korean.rows_of(work, corpus), UM), **means}


def show(found: Record) -> Iterable[Shown]:
    columns = ("", "UM", "PNB, lowest", "PNB, highest", "lowest at α", "highest at α")
    yield Table("F1 over α", columns, [*_rows(found)], 4)
    yield _moved(found)
    drawn, plots = panels(4, 2)
    for plot, name in zip(plots, ("reuters", *CORPORA), strict=True):
        each, ones = found[name], [1.0] * len(found.alphas)
        lines = {
            "PNB, micro": each.micro,
            "UM, micro": [each.um.micro * one for one in ones],
            "PNB, macro": each.macro,
            "UM, macro": [each.um.macro * one for one in ones],
        }
        draw_lines(plot, found.alphas, lines, title=_TITLES[name], x_label="α", y_label="F1")
        _widen(plot)
    legend_below(drawn, plots)
    yield Figure("kim-figure1", "F1 of the Poisson model over α, and of the unigram model", drawn)


def _moved(found: Record) -> str:
    """Say how far micro-F1 moves over α on Reuters, and whether that is chance."""
    _, lowest, highest, *where = _range(found, found.reuters, "micro")
    low, high = REUTERS_RANGE["micro"]
    p = f"{found.reuters.p:.4f}" if found.reuters.p >= 1e-4 else "below .0001"
    return (
        f"On Reuters micro-F1 moves by {highest - lowest:.4f} over α (published: "
        f"{high - low:.4f}). The sign test on the decisions at α = {where[1]} and at "
        f"α = {where[0]}: p is {p}."
    )


def _widen(plot: Any) -> None:
    """Show at least a tenth, so that nothing looks like a difference that is none."""
    low, high = plot.get_ylim()
    missing = max(0.0, 0.1 - (high - low)) / 2
    plot.set_ylim(low - missing, high + missing)


_TITLES = {
    "reuters": "Reuters",
    "headlines": "headlines",
    "articles": "articles",
    "uneven": "uneven headlines",
}


def _rows(found: Record) -> Iterable[tuple[Any, ...]]:
    for at, name in enumerate(("micro", "macro")):
        published = REUTERS_TABLE[UM][at], *REUTERS_RANGE[name]
        yield f"Reuters, {name}: published", *published, None, None
        yield f"Reuters, {name}: ours", *_range(found, found.reuters, name)
        yield f"Reuters, {name}: oracle", *_range(found, found.reuters, f"oracle_{name}")
    for at, name in enumerate(("micro", "macro")):
        published = KOREAN_TABLE[UM][at], *KOREAN_RANGE[name]
        yield f"KoreanNews2002, {name}: published", *published, None, None
        for corpus in CORPORA:
            yield f"{_TITLES[corpus]}, {name}", *_range(found, found[corpus], name)


def _range(found: Record, each: Record, name: str) -> tuple[Any, ...]:
    values = each[name]
    lowest, highest = min(values), max(values)
    where = (str(found.alphas[values.index(value)]) for value in (lowest, highest))
    return each.um[name], lowest, highest, *where

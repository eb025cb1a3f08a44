"""Equations 14 and 15: bounds of b, ways to choose it, and what each costs."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from statistics import fmean
from typing import Any

import numpy as np

from experiments.reproduction.figures import Figure, draw_lines, panels
from experiments.reproduction.record import Record
from experiments.reproduction.tables import Table
from experiments.reproduction.workplace import Workplace
from experiments.vilar.corpora import NAMES, Split, splits_of
from experiments.vilar.judging import (
    DISCOUNTS,
    counted,
    discount_left_out,
    error_with,
    errors_of,
    means,
    right_left_out,
    with_errors,
)
from experiments.vilar.rules import BEST, columns_and_rows, summed_up
from experiments.vilar.wording import listed, signed
from tallytext import MultinomialNB, Tally
from tallytext.models import AbsoluteDiscount, CorpusStatistics, Laplace

HEADING = "Equations 14 and 15: the discount"
ABOUT = """The leave-one-out b has no closed form, but bounds (eq. 14). The paper takes the upper
one, n₁/(n₁ + 2n₂); eq. 15 prints n₁/(n₁ + n₂), which is not that bound and must be a misprint. Its
n_r counts words over all classes ("pooled"), but eq. 13 subtracts b from pairs of word and class
("cells"). Compared are both, the exact maximum of the likelihood, b by leaving out whole documents
(by likelihood and by errors), and, as in the paper's "cheating" experiment, the best b on the test
documents, from a grid from 0.02 to 0.99 and the values of the rules. For 4 Universities b is the
mean of four models. All words are kept. The last rows are not in the paper: Laplace's estimate with
an ε chosen by errors on held-out documents."""

EPSILONS = (1.0, 0.5, 0.2, 0.1, 0.05, 0.02, 0.01, 0.005, 0.002, 0.001)
RULES = {
    "closed_cells": "closed form, cells",
    "closed_pooled": "closed form, pooled",
    "printed": "eq. 15 as printed, pooled",
    "exact_cells": "leaving one token out, cells",
    "exact_pooled": "leaving one token out, pooled",
    "document": "leaving one document out, likelihood",
    "left_out_errors": "leaving one document out, errors",
    BEST: "best on the test documents",
}


def measure(work: Workplace) -> dict[str, Any]:
    grid, found = DISCOUNTS[:: 4 if work.quick else 1], {}
    epsilons = EPSILONS[:: 3 if work.quick else 1]
    for name in work.track(NAMES, "discounts of"):
        found[name] = _of_corpus(splits_of(name, work), grid, epsilons)
    return {"discounts": list(grid), **found}


def bounds(counts_of_counts: Mapping[int, int]) -> tuple[float, float]:
    """Return the bounds of eq. 14.

    Examples
    --------
    >>> [round(bound, 4) for bound in bounds({1: 4, 2: 1, 3: 1, 7: 1})]
    [0.5, 0.6667]
    """
    once, twice = counts_of_counts.get(1, 0), counts_of_counts.get(2, 0)
    more = sum(n for r, n in counts_of_counts.items() if r >= 3)
    return once / (once + 2 * twice + more), once / (once + 2 * twice)


def _of_corpus(
    splits: Sequence[Split], grid: Sequence[float], epsilons: Sequence[float]
) -> dict[str, Any]:
    runs = [_of_split(split, grid, epsilons) for split in splits]
    limits = {
        events: [means([run[events][0] for run in runs]), all(run[events][1] for run in runs)]
        for events in ("cells", "pooled")
    }
    return {
        **summed_up(runs, RULES, grid),
        **{events: {"bounds": both, "hold": hold} for events, (both, hold) in limits.items()},
        "epsilon": {
            part: fmean(run["epsilon"][part] for run in runs) for part in ("value", "error", "one")
        },
    }


def _of_split(split: Split, grid: Sequence[float], epsilons: Sequence[float]) -> dict[str, Any]:
    model = counted(split)
    chosen = discounts_of(model.tally_)
    chosen["left_out_errors"] = discount_left_out(model, split, grid)
    by_document = MultinomialNB(AbsoluteDiscount("leave-one-document-out"))
    chosen["document"] = by_document.fit(split.train, split.labels).chosen_[1].b
    return {
        **with_errors(model, split, chosen),
        "errors": errors_of(model, split, grid),
        **{events: _limits(model.tally_, events, chosen) for events in ("cells", "pooled")},
        "epsilon": _epsilon(model, split, epsilons),
    }


def discounts_of(tally: Tally) -> dict[str, float]:
    """Return the discounts that follow from how many events were seen how often."""

    def b(rule: str, events: str) -> float:
        corpus = CorpusStatistics(
            tally.class_tokens, lambda kind, few: tally.counts_of_counts(kind)
        )
        return AbsoluteDiscount(rule, events=events).choose_parameters(corpus).b

    pooled = tally.counts_of_counts("pooled")
    return {
        "closed_cells": b("closed-form", "cells"),
        "closed_pooled": b("closed-form", "pooled"),
        "printed": pooled[1] / (pooled[1] + pooled[2]),
        "exact_cells": b("leave-one-out", "cells"),
        "exact_pooled": b("leave-one-out", "pooled"),
    }


def _limits(tally: Tally, events: str, chosen: dict[str, float]) -> tuple[list[float], bool]:
    low, high = bounds(tally.counts_of_counts(events))
    return [low, high], bool(low < chosen[f"exact_{events}"] < high)


def _epsilon(model: MultinomialNB, split: Split, epsilons: Sequence[float]) -> dict[str, float]:
    smoothings = [Laplace(epsilon) for epsilon in epsilons]
    best = int(np.argmax([right_left_out(model, split, each) for each in smoothings]))
    one, error = (error_with(model, split, each) for each in (Laplace(1.0), smoothings[best]))
    return {"value": epsilons[best], "error": error, "one": one}


def show(found: Record) -> Iterator[str | Table | Figure]:
    yield _bounds(found)
    yield _rules(found)
    yield _figure(found)
    yield (
        f"In points: between b = 0.3 and 0.8 errors differ by {_by_corpus(found, _spread)}. "
        "Against the best b on the test documents, the closed form (cells) loses "
        f"{_by_corpus(found, partial(_lost, rule='closed_cells'))}; the b with fewest errors on "
        f"held-out documents loses {_by_corpus(found, partial(_lost, rule='left_out_errors'))}. "
        f"An ε that is chosen changes the error of Laplace by {_by_corpus(found, _by_epsilon)}. "
        "Copies and answers of a post are still there when it is left out, which may mislead a "
        "choice by errors on 20 Newsgroups; this was not measured for b."
    )


def _by_corpus(found: Record, measured: Callable[[Record, str], str]) -> str:
    return listed([f"{measured(found, name)} on {title}" for name, title in NAMES.items()])


def _spread(found: Record, name: str) -> str:
    pairs = zip(found.discounts, found[name].errors, strict=True)
    errors = [error for b, error in pairs if 0.3 <= b <= 0.8]
    return f"{max(errors) - min(errors):.1f}"


def _lost(found: Record, name: str, rule: str) -> str:
    return f"{found[name][rule].error - found[name][BEST].error:.1f}"


def _by_epsilon(found: Record, name: str) -> str:
    return signed(found[name].epsilon.error - found[name].epsilon.one, 1)


def _bounds(found: Record) -> Table:
    columns = ("", "n_r counts", "lower bound", "exact", "upper bound", "exact lies between")
    rows = []
    for name, title in NAMES.items():
        for events in ("cells", "pooled"):
            low, high = found[name][events].bounds
            exact, hold = found[name][f"exact_{events}"].b, found[name][events].hold
            rows.append((title, events, low, exact, high, "yes" if hold else "no"))
    return Table("Bounds of eq. 14, and the exact maximum", columns, rows)


def _rules(found: Record) -> Table:
    columns, rows = columns_and_rows(found, RULES)
    tried = [found[name].epsilon for name in NAMES]
    rows.append(["Laplace, ε = 1", *(each for one in tried for each in (None, one.one))])
    pairs = [(f"ε {one.value:.3f}", one.error) for one in tried]
    rows.append(
        ["Laplace, ε chosen by errors left out", *(each for pair in pairs for each in pair)]
    )
    return Table("Ways to choose b, with all words", columns, rows, 2)


def _figure(found: Record) -> Figure:
    drawn, plots = panels(len(NAMES))
    for plot, (name, title) in zip(plots, NAMES.items(), strict=True):
        labels = {"title": title, "x_label": "b", "y_label": "error, %"}
        draw_lines(plot, found.discounts, {"discounting": found[name].errors}, **labels)
        low, high = found[name].cells.bounds
        plot.axvspan(low, high, color="#e69f00", alpha=0.3, label="bounds of eq. 14")
        plot.axhline(found[name].epsilon.one, color="#666666", ls="--", lw=1, label="Laplace")
    plots[0].legend(frameon=False)
    return Figure("vilar-discount", "Error against the discount", drawn)

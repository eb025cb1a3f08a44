"""b under length normalisation: what the paper left open."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from statistics import fmean
from typing import Any

import numpy as np
from scipy.optimize import minimize_scalar

from experiments.reproduction.figures import COLOURS, Figure, draw_lines, panels
from experiments.reproduction.record import Record
from experiments.reproduction.tables import Table
from experiments.reproduction.workplace import Workplace
from experiments.vilar.corpora import NAMES, Split, splits_of
from experiments.vilar.discount import discounts_of
from experiments.vilar.judging import (
    counted,
    discount_left_out,
    error,
    errors_of,
    means,
    with_errors,
)
from experiments.vilar.likelihood import Tokens
from experiments.vilar.rules import BEST, columns_and_rows, summed_up
from experiments.vilar.wording import listed, signed, where
from tallytext import MultinomialNB
from tallytext.models import AbsoluteDiscount

IS_OPEN = True
HEADING = "A discount for normalised documents"
ABOUT = """"The next natural step is to find a well-defined estimation for the discounting
parameter" of normalised documents, according to the paper. A token of document n now has the weight
a_n = L/|n|. This weight is left out from its class, from the total of the class and from the
unigram, and b maximises the likelihood of the left-out tokens, below the mean weight of a token.
`AbsoluteDiscount("leave-one-out")` does this for fractional counts. It is compared with the b of
raw counts (closed form), the same likelihood without the limit on b or with a unigram that keeps
the token, whole held-out documents (by likelihood and by errors), and the best b on the test
documents, from a grid and the values of the rules. All words, L the mean length."""

GRID = (0.02, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.8, 0.95, 1.5, 2.5, 4.0, 8.0)
RULES = {
    "closed": "closed form of raw counts",
    "token": "tokens left out, b limited (the library's)",
    "unlimited": "tokens left out, b not limited",
    "unigram_kept": "tokens left out, but not of the unigram",
    "document": "held-out documents, likelihood, b limited",
    "left_out_errors": "held-out documents, errors",
    BEST: "best on the test documents",
}


def measure(work: Workplace) -> dict[str, Any]:
    grid = GRID[:: 4 if work.quick else 1]
    found = {name: _of_corpus(splits_of(name, work), grid) for name in work.track(NAMES, "b of")}
    return {"grid": list(grid), **found}


def _of_corpus(splits: Sequence[Split], grid: Sequence[float]) -> dict[str, Any]:
    runs = [_of_split(split, grid) for split in splits]
    return {
        **summed_up(runs, RULES, grid),
        "likelihood": means([run["likelihood"] for run in runs]),
        "raw": error(MultinomialNB(AbsoluteDiscount()), splits),
        "mean_weight": fmean(run["mean_weight"] for run in runs),
    }


def _of_split(split: Split, grid: Sequence[float]) -> dict[str, Any]:
    length = {"normalize": "l1", "norm_length": split.mean_length}
    model, tokens = counted(split, **length), Tokens.of(split)
    likelihood = [tokens.log_likelihood(b) for b in grid]
    kept = [tokens.log_likelihood(b, unigram_left_out=False) for b in grid]
    chosen = {
        "closed": discounts_of(model.tally_)["closed_cells"],
        "token": _by_rule("leave-one-out", split, length),
        "unlimited": highest(tokens.log_likelihood, grid, likelihood),
        "unigram_kept": highest(lambda b: tokens.log_likelihood(b, False), grid, kept),
        "document": _by_rule("leave-one-document-out", split, length),
        "left_out_errors": discount_left_out(model, split, grid),
    }
    return {
        **with_errors(model, split, chosen),
        "errors": errors_of(model, split, grid),
        "likelihood": likelihood,
        "mean_weight": tokens.mean_weight,
    }


def highest(
    measure: Callable[[float], float], grid: Sequence[float], values: Sequence[float]
) -> float:
    """Return where a function is largest: on a grid, and then between the neighbours of the best.

    Examples
    --------
    >>> round(highest(lambda b: -((b - 0.3) ** 2), (0.1, 0.4, 1.0), (-0.04, -0.01, -0.49)), 4)
    0.3
    """
    best = int(np.argmax(values))
    around = grid[max(best - 1, 0)], grid[min(best + 1, len(grid) - 1)]
    found = minimize_scalar(lambda b: -measure(b), bounds=around, method="bounded")
    return float(found.x) if -found.fun > values[best] else grid[best]


def _by_rule(rule: Any, split: Split, length: dict[str, Any]) -> float:
    model = MultinomialNB(AbsoluteDiscount(rule), **length)
    return model.fit(split.train, split.labels).chosen_[1].b


def show(found: Record) -> Iterator[str | Table | Figure]:
    columns, rows = columns_and_rows(found, RULES)
    raw = [value for name in NAMES for value in (None, found[name].raw)]
    rows.append(["not normalised, closed form", *raw])
    yield Table("Ways to choose b for normalised documents", columns, rows, 2)
    yield _figure(found)
    beyond = {title: found[name][BEST].b > found[name].token.b for name, title in NAMES.items()}
    limits = [
        f"{signed(found[name].token.b - found[name].unlimited.b)} on {title}"
        for name, title in NAMES.items()
    ]
    yield (
        f"The library's b less that of the likelihood without a limit is {listed(limits)}. On "
        "average over corpora the closed form of raw counts, which costs nothing, errs on "
        f"{_mean(found, 'closed'):.2f} %, tokens left out on {_mean(found, 'token'):.2f} %, and "
        f"the best b on {_mean(found, BEST):.2f} %. The best b is above that of tokens left out on "
        f"{where(beyond)}."
    )


def _mean(found: Record, rule: str) -> float:
    return fmean(found[name][rule].error for name in NAMES)


def _figure(found: Record) -> Figure:
    drawn, plots = panels(len(NAMES))
    for plot, (name, title) in zip(plots, NAMES.items(), strict=True):
        labels = {"title": title, "x_label": "b", "y_label": "error, %"}
        draw_lines(plot, found.grid, {"error": found[name].errors}, **labels, log_x=True)
        plot.minorticks_off()
        plot.axvline(found[name].token.b, color="#666666", ls=":", lw=1)
        other = plot.twinx()
        other.plot(found.grid, found[name].likelihood, color=COLOURS[1], marker="s", ms=3, lw=1.2)
        other.set_ylabel("log-likelihood of a token", color=COLOURS[1])
    about = "Error and likelihood of left-out tokens against b; dots: the b that is taken"
    return Figure("vilar-normalised", about, drawn)

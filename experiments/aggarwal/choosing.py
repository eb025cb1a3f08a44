"""5.3.3: a choice between the event models that needs nobody to make it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from experiments.aggarwal.corpora import TITLES, Documents, cut, documents_of, names, split_of
from experiments.aggarwal.event_models import (
    FEWER_SIZES,
    ORDERS,
    fewer_lengths_of,
    ranked_terms,
)
from experiments.aggarwal.events import bernoulli, multinomial
from experiments.reproduction.figures import COLOURS, Figure, panels
from experiments.reproduction.record import Record
from experiments.reproduction.tables import Table
from experiments.reproduction.workplace import Workplace

HEADING = "Choosing the event model automatically"
IS_OPEN = True
ABOUT = """The book names the factors but no thresholds. Two methods choose without test documents:
a *rule* (Bernoulli if the lexicon has fewer than 1,000 terms and an average document more than 5 %
of them, otherwise multinomial), and *leave-one-out*: each training document is predicted by both
models without it, and the more accurate model is chosen. The rule was fixed before anything was
measured. The squares are a part of those above (cuts after 5, 20 and 100 words and none; 100, 1,000
and 10,000 terms and all); terms are chosen once, with all training documents. *Loss* is the
accuracy lost by a choice against the better model of each square on the test documents."""

_LIMITS = {"ynat": 20000, "ag_news": 10000, "newsgroups": 5000}
CHOICES = {
    "rule": "rule",
    "left_out": "leaving one out",
    "multinomial": "always multinomial",
    "bernoulli": "always Bernoulli",
}


def measure(work: Workplace) -> dict[str, Any]:
    cells = [cell for name in work.track(names(work)) for cell in _cells(work, name)]
    choices = {name: _judged(cells, name) for name in CHOICES}
    best = [_better(cell) for cell in cells]
    return {"cells": cells, "choices": choices, "best": round(float(np.mean(best)), 5)}


def _cells(work: Workplace, name: str) -> Iterator[dict[str, Any]]:
    split = split_of(work, name, _LIMITS.get(name))
    for n in fewer_lengths_of(split, work):
        documents = documents_of(work, cut(split, n))
        for order in ORDERS:
            yield from _of_order(documents, order, {"corpus": name, "cut": n, "order": order})


def _of_order(documents: Documents, order: str, cell: dict[str, Any]) -> Iterator[dict[str, Any]]:
    ranked = ranked_terms(documents, order)
    n_terms = len(ranked)
    # All terms are the same lexicon in both orders.
    every = [n_terms] if order == "ig" else []
    for size in [*(size for size in FEWER_SIZES if size < n_terms), *every]:
        yield cell | {"size": size} | judged(documents.terms(ranked[:size]))


def judged(documents: Documents) -> dict[str, Any]:
    """Return what both models get right, of test documents and of those left out."""
    found: dict[str, Any] = {
        "density": float(f"{documents.X.nnz / np.prod(documents.X.shape, dtype=float):.4g}")
    }
    for name, model in (("bernoulli", bernoulli()), ("multinomial", multinomial())):
        found[name] = documents.accuracy(model)
        found[f"{name}_left_out"] = round(model.leave_one_out(documents.X, documents.y).accuracy, 5)
    return found


def chosen(cell: dict[str, Any], by: str) -> str:
    """Return the model that is taken; equals go to the multinomial.

    Examples
    --------
    >>> chosen({"size": 100, "density": 0.1}, "rule")
    'bernoulli'
    >>> chosen({"bernoulli_left_out": 0.7, "multinomial_left_out": 0.8}, "left_out")
    'multinomial'
    """
    if by == "rule":
        return "bernoulli" if cell["size"] < 1000 and cell["density"] > 0.05 else "multinomial"
    if by == "left_out":
        ahead = cell["bernoulli_left_out"] > cell["multinomial_left_out"]
        return "bernoulli" if ahead else "multinomial"
    return by


def _judged(cells: list[dict[str, Any]], by: str) -> dict[str, float]:
    got = np.array([cell[chosen(cell, by)] for cell in cells])
    best = np.array([_better(cell) for cell in cells])
    return {
        "accuracy": round(float(got.mean()), 5),
        "loss": round(float((best - got).mean()), 5),
        "worst": round(float((best - got).max()), 5),
        "right": round(float((got == best).mean()), 5),
    }


def show(found: Record) -> Iterable[str | Table | Figure]:
    rows = [
        (title, *(100 * found.choices[name][key] for key in ("accuracy", "loss", "worst", "right")))
        for name, title in CHOICES.items()
    ]
    rows.append(("the better one", 100 * found.best, 0.0, 0.0, 100.0))
    columns = ("choice", "mean accuracy", "mean loss", "worst loss", "better model taken")
    yield Table(f"Over {len(found.cells)} squares, in %", columns, rows, 2)
    yield _figure(found)
    yield _by_corpus(found)
    yield _remark(found)


def _remark(found: Record) -> str:
    wrong = [cell for cell in found.cells if cell[chosen(cell, "rule")] < _better(cell)]
    sparse = sum(chosen(cell, "rule") == "multinomial" for cell in wrong)
    line, left_out = best_line(found.cells), found.choices.left_out.loss
    return (
        f"The rule takes the worse model in {len(wrong)} squares of {len(found.cells)}: {sparse} "
        f"times the multinomial where Bernoulli is ahead, {len(wrong) - sparse} times Bernoulli "
        f"where it is behind. No line in density alone could lose less than "
        f"{100 * line:.2f} points in the mean, even if it were drawn with test labels; leaving one "
        f"out needs no line and misses {100 * left_out:.2f}."
    )


def best_line(cells: Sequence[Mapping[str, Any]]) -> float:
    """Return the least mean loss of all lines in density, with Bernoulli on either side.

    Examples
    --------
    >>> cells = [{"density": d, "bernoulli": b, "multinomial": 0.5} for d, b in
    ...          [(0.1, 0.25), (0.2, 0.75), (0.3, 0.25)]]
    >>> round(3 * best_line(cells), 2)
    0.25
    """
    ordered = sorted(cells, key=lambda cell: cell["density"])
    best = sum(map(_better, cells))
    got = [
        sum(cell[below] for cell in ordered[:at]) + sum(cell[above] for cell in ordered[at:])
        for at in range(len(ordered) + 1)
        for below, above in (("bernoulli", "multinomial"), ("multinomial", "bernoulli"))
    ]
    return (best - max(got)) / len(cells)


def _better(cell: Mapping[str, Any]) -> float:
    return max(cell["bernoulli"], cell["multinomial"])


def _figure(found: Record) -> Figure:
    drawn, plots = panels(2, across=2, width=4.2, height=3.4)
    for at, name in enumerate(dict.fromkeys(cell.corpus for cell in found.cells)):
        cells = [cell for cell in found.cells if cell.corpus == name]
        leads = [100 * (cell.multinomial - cell.bernoulli) for cell in cells]
        left_out = [100 * (cell.multinomial_left_out - cell.bernoulli_left_out) for cell in cells]
        look = {"color": COLOURS[at], "s": 14, "label": TITLES[name]}
        plots[0].scatter(left_out, leads, **look)
        plots[1].scatter([cell.density for cell in cells], leads, **look)
    plots[0].set(xlabel="lead of the multinomial, left out", ylabel="on test documents, points")
    plots[1].set(xlabel="density", xscale="log")
    for plot in plots:
        plot.axhline(0, color="grey", lw=0.7)
        plot.grid(alpha=0.25)
    plots[0].axvline(0, color="grey", lw=0.7)
    plots[1].axvline(0.05, color="grey", lw=0.7, ls="--")
    plots[0].legend(fontsize=7)
    about = "The lead of the multinomial, by what can be known before: left out, and by density."
    return Figure("aggarwal-choosing", about, drawn)


def _by_corpus(found: Record) -> Table:
    rows = []
    for name in dict.fromkeys(cell.corpus for cell in found.cells):
        cells = [cell for cell in found.cells if cell.corpus == name]
        losses = [100 * _judged(cells, by)["loss"] for by in CHOICES]
        bernoulli_ahead = sum(cell.bernoulli > cell.multinomial for cell in cells)
        rows.append((TITLES[name], len(cells), bernoulli_ahead, *losses))
    columns = ("", "squares", "Bernoulli ahead", *CHOICES.values())
    return Table("Mean loss by corpus, in points", columns, rows, 2)

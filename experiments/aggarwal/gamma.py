"""Is it the event model, or γ? Both with the γ that training documents choose."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np

from experiments.aggarwal.corpora import (
    TITLES,
    Documents,
    Split,
    cut,
    documents_of,
    names,
    split_of,
)
from experiments.aggarwal.event_models import FEWER_SIZES, fewer_lengths_of, ranked_terms
from experiments.reproduction.figures import COLOURS, Figure, panels
from experiments.reproduction.record import Record
from experiments.reproduction.tables import Table
from experiments.reproduction.workplace import Workplace
from tallytext import BernoulliNB, MultinomialNB
from tallytext.models import Laplace

HEADING = "The event model, or γ?"
IS_OPEN = True
ABOUT = """The squares above have γ = 1 in (5.17) and (5.21), which the book calls common in
practice. Here both models have γ of 1, 0.3, 0.1, 0.03 or 0.01, whichever has the best leave-one-out
accuracy on the training documents. Cuts after 5, 20 and 100 words and none; 100, 1,000 and 10,000
terms by information gain and all; at most 5,000 training documents."""

GAMMAS = (1.0, 0.3, 0.1, 0.03, 0.01)
_MOST = 5000


def measure(work: Workplace) -> dict[str, Any]:
    return {
        "cells": [
            {"corpus": name} | cell
            for name in work.track(names(work))
            for cell in _gammas(work, split_of(work, name, _MOST))
        ]
    }


def _gammas(work: Workplace, split: Split) -> Iterator[dict[str, Any]]:
    for n in fewer_lengths_of(split, work):
        documents = documents_of(work, cut(split, n))
        ranked = ranked_terms(documents, "ig")
        sizes = [size for size in FEWER_SIZES if size < len(ranked)]
        for size in [*sizes, len(ranked)]:
            every = size == len(ranked)
            found = chosen_gammas(documents.terms(ranked[:size]))
            yield {"cut": n, "size": size, "every": every} | found


def chosen_gammas(documents: Documents) -> dict[str, Any]:
    """Return how both models do with γ = 1, and with the one that leaving one out takes."""
    found: dict[str, Any] = {}
    for name, make in (("bernoulli", BernoulliNB), ("multinomial", _multinomial)):
        models = [make(gamma).fit(documents.X, documents.y) for gamma in GAMMAS]
        left_out = [model.leave_one_out(documents.X, documents.y).accuracy for model in models]
        best = int(np.argmax(left_out))
        test = [float(np.mean(models[at].predict(documents.Z) == documents.z)) for at in (0, best)]
        found[name], found[f"{name}_chosen"] = (round(value, 5) for value in test)
        found[f"{name}_gamma"] = GAMMAS[best]
    return found


def _multinomial(gamma: float) -> MultinomialNB:
    return MultinomialNB(Laplace(gamma), prior="smoothed")


def show(found: Record) -> Iterable[str | Table | Figure]:
    yield _figure(found)
    yield _gamma_table(found)
    yield " ".join(_gain(found.cells, key, title) for key, title in _MODELS.items())
    yield _remark(found)


_MODELS = {"multinomial": "the multinomial", "bernoulli": "Bernoulli"}


def _gain(cells: list[Record], key: str, title: str) -> str:
    gains = [100 * (cell[f"{key}_chosen"] - cell[key]) for cell in cells]
    most = cells[int(np.argmax(gains))]
    return (
        f"With γ chosen on training documents {title} is better than with γ = 1 in "
        f"{sum(gain > 0 for gain in gains)} squares of {len(cells)} and worse in "
        f"{sum(gain < 0 for gain in gains)}: {np.mean(gains):+.1f} points in the mean, from "
        f"{min(gains):+.1f} to {max(gains):+.1f} ({TITLES[most.corpus]}, {most.size:,} terms)."
    )


def _remark(found: Record) -> str:
    whole = [cell for cell in found.cells if cell.cut is None and cell.every]
    leads = [
        f"{TITLES[cell.corpus]} {100 * (cell.multinomial - cell.bernoulli):+.1f} and "
        f"{100 * (cell.multinomial_chosen - cell.bernoulli_chosen):+.1f}"
        for cell in whole
    ]
    apart = [abs(cell.multinomial - cell.bernoulli) for cell in found.cells]
    then = [abs(cell.multinomial_chosen - cell.bernoulli_chosen) for cell in found.cells]
    return (
        f"The lead of the multinomial with whole documents and all terms, in points, with γ = 1 "
        f"and with γ chosen: {'; '.join(leads)}. In the mean of squares the two models are "
        f"{100 * np.mean(apart):.1f} points apart with γ = 1, and {100 * np.mean(then):.1f} with γ "
        f"chosen."
    )


def _figure(found: Record) -> Figure:
    drawn, plots = panels(1, across=1, width=5.0, height=3.8)
    plot = plots[0]
    for at, name in enumerate(dict.fromkeys(cell.corpus for cell in found.cells)):
        cells = [cell for cell in found.cells if cell.corpus == name]
        before = [100 * (cell.multinomial - cell.bernoulli) for cell in cells]
        after = [100 * (cell.multinomial_chosen - cell.bernoulli_chosen) for cell in cells]
        plot.scatter(before, after, color=COLOURS[at], s=16, label=TITLES[name])
    low, high = plot.get_xlim()
    plot.plot([low, high], [low, high], color="grey", lw=0.7, ls="--")
    plot.axhline(0, color="grey", lw=0.7)
    plot.axvline(0, color="grey", lw=0.7)
    plot.set(xlabel="lead of the multinomial, γ = 1", ylabel="lead, γ by leaving one out")
    plot.grid(alpha=0.25)
    plot.legend(fontsize=7)
    about = "The lead of the multinomial in points, with γ = 1 and with γ that training chooses."
    return Figure("aggarwal-gamma", about, drawn)


def _gamma_table(found: Record) -> Table:
    rows = []
    for cell in found.cells:
        if cell.cut is None:
            pairs = (cell.multinomial, cell.bernoulli, cell.multinomial_chosen)
            scores = [100 * value for value in (*pairs, cell.bernoulli_chosen)]
            gammas = f"{cell.multinomial_gamma:g}", f"{cell.bernoulli_gamma:g}"
            rows.append((TITLES[cell.corpus], cell.size, *scores, *gammas))
    columns = (
        "whole documents",
        "terms",
        "multinomial, γ = 1",
        "Bernoulli, γ = 1",
        "multinomial, chosen",
        "Bernoulli, chosen",
        "γ, multinomial",
        "γ, Bernoulli",
    )
    return Table("With γ chosen by leaving one out: accuracy, %", columns, rows, 1)

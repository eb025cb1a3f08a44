"""What puts Bernoulli ahead or behind: documents without a term, lengths that differ, and γ."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np

from experiments.aggarwal.corpora import (
    SEED,
    TITLES,
    Documents,
    Split,
    at_least,
    cut,
    cut_each,
    documents_of,
    names,
    split_of,
)
from experiments.aggarwal.event_models import lengths_of, ranked_terms
from experiments.aggarwal.events import accuracies, predictions
from experiments.reproduction.figures import COLOURS, Figure, panels
from experiments.reproduction.record import Record
from experiments.reproduction.tables import Table
from experiments.reproduction.workplace import Workplace
from tallytext import BernoulliNB, MultinomialNB
from tallytext.smoothing import Laplace

HEADING = "What puts Bernoulli ahead, or behind"
IS_OPEN = True
ABOUT = """The book explains the choice by repetitions and by the noise of absent terms. Three
experiments on what is behind the squares above.

- *Documents without a term.* Whole documents, the 100 best terms by information gain: the lead of
  Bernoulli over the multinomial among test documents with none, one, two or three, and four or
  more of the terms, and how much each group adds to the lead over all.
- *Lengths that differ.* Documents of at least 130 words are cut to 40 words each, or to a length
  of their own, drawn evenly on a logarithmic scale from 6 to 130, which has the same mean.
  Lexicon, mean length and number of documents are the same; only the spread differs. Newsgroups
  and OHSUMED, whose documents are long enough.
- *γ.* Both models with γ of 1, 0.3, 0.1, 0.03 and 0.01, whichever is right most often of training
  documents when each is left out. Cuts after 5, 20 and 100 words and none; 100, 1,000 and 10,000
  terms by information gain and all; 5,000 training documents at most."""

GROUPS = {"none": (0, 0), "one": (1, 1), "two or three": (2, 3), "more": (4, np.inf)}
GAMMAS = (1.0, 0.3, 0.1, 0.03, 0.01)
_SPREAD = ("newsgroups", "ohsumed")
_RANGE = 6, 130
_EQUAL = 40
_CUTS = (5, 20, 100, None)
_SIZES = (100, 1000, 10000)
_MOST = 5000


def measure(work: Workplace) -> dict[str, Any]:
    found: dict[str, Any] = {"groups": {}, "lengths": {}, "gamma": []}
    for name in work.track(names(work)):
        split = split_of(work, name, _MOST)
        documents = documents_of(work, split)
        found["groups"][name] = by_terms(documents.terms(ranked_terms(documents, "ig")[:100]))
        if name in _SPREAD:
            found["lengths"][name] = _by_spread(work, at_least(split, _RANGE[1]))
        found["gamma"] += [{"corpus": name} | cell for cell in _gammas(work, split)]
    return found


def by_terms(documents: Documents) -> dict[str, dict[str, float]]:
    """Return, by how many terms test documents have, how far Bernoulli is ahead."""
    predicted = predictions(documents)
    hits = {name: (each == documents.z).astype(float) for name, each in predicted.items()}
    n_terms = np.diff((documents.Z > 0).indptr)
    found = {}
    for name, (least, most) in GROUPS.items():
        here = (n_terms >= least) & (n_terms <= most)
        lead = (hits["bernoulli"] - hits["multinomial"])[here].sum()
        found[name] = {
            "share": round(float(here.mean()), 5),
            "lead": round(float(lead / max(1, here.sum())), 5),
            "adds": round(float(lead / len(here)), 5),
        }
    return found


def _by_spread(work: Workplace, split: Split) -> dict[str, Any]:
    random = np.random.default_rng(SEED)
    kinds = {"equal": cut(split, _EQUAL), "spread": cut_each(split, lambda n: drawn(n, random))}
    found: dict[str, Any] = {}
    for kind, given in kinds.items():
        documents = documents_of(work, given)
        ranked = ranked_terms(documents, "ig")
        found[kind] = {
            "words": round(float(np.mean([len(text.split()) for text in given.train.texts])), 2),
            "sizes": [size for size in _SIZES if size < len(ranked)],
        }
        cells = [accuracies(documents.terms(ranked[:size])) for size in found[kind]["sizes"]]
        found[kind] |= {name: [cell[name] for cell in cells] for name in cells[0]}
    return found


def drawn(n: int, random: Any) -> Any:
    """Draw lengths evenly on a logarithmic scale."""
    low, high = np.log(_RANGE)
    return np.rint(np.exp(random.uniform(low, high, n))).astype(int)


def _gammas(work: Workplace, split: Split) -> Iterator[dict[str, Any]]:
    for n in lengths_of(split, work):
        if n in _CUTS:
            documents = documents_of(work, cut(split, n))
            ranked = ranked_terms(documents, "ig")
            sizes = [size for size in _SIZES if size < len(ranked)]
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
    rows = [
        (TITLES[name], *(100 * group[key] for group in groups.values() for key in group))
        for name, groups in found.groups.items()
    ]
    heads = [f"{name}: {key}" for name in GROUPS for key in ("share", "lead", "adds")]
    title = "100 terms: share of test documents by terms, lead of Bernoulli there, and what it adds"
    yield Table(f"{title}, in points", ("", *heads), rows, 1)
    if found.lengths:
        yield _spread_table(found)
    yield _figure(found)
    yield _gamma_table(found)


def _spread_table(found: Record) -> Table:
    rows = []
    for name, kinds in found.lengths.items():
        for kind, title in (("equal", "40 words each"), ("spread", "6 to 130 words")):
            each = kinds[kind]
            for at, size in enumerate(each.sizes):
                scores = [100 * each[key][at] for key in ("multinomial", "binary", "bernoulli")]
                head = f"{TITLES[name]}, {title}", each.words, size
                rows.append((*head, *scores, scores[2] - scores[1]))
    columns = ("", "mean words", "terms", "multinomial", "binary", "Bernoulli", "− binary")
    return Table("The same mean length, equal or spread: accuracy, %", columns, rows, 1)


def _figure(found: Record) -> Figure:
    drawn, plots = panels(1, across=1, width=5.0, height=3.8)
    plot = plots[0]
    for at, name in enumerate(dict.fromkeys(cell.corpus for cell in found.gamma)):
        cells = [cell for cell in found.gamma if cell.corpus == name]
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
    for cell in found.gamma:
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

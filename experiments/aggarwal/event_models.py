"""5.3.3: which event model, by the length of documents and the size of the lexicon."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np
from scipy.stats import spearmanr

from experiments.aggarwal.corpora import (
    TITLES,
    Documents,
    Split,
    cut,
    documents_of,
    names,
    split_of,
)
from experiments.aggarwal.event_remark import remark
from experiments.aggarwal.events import accuracies
from experiments.reproduction.figures import Figure, draw_lines, legend_below, panels
from experiments.reproduction.record import Record
from experiments.reproduction.tables import Table
from experiments.reproduction.workplace import Workplace
from tallytext import TermSelector

HEADING = "Bernoulli or multinomial (5.3.3)"
ABOUT = """The book names two factors, the length of documents and the size of the lexicon, and
gives no figures. Here both are varied: documents end after their first 2, 5, … 200 words (as long
as a tenth of them is longer), and the lexicon is the best 100, 300, … 30,000 terms by information
gain, or the 100, 300, … in most documents, counted again after each cut. A combination is called a
square below. Training and test documents are cut alike; each lexicon is chosen from training
documents only. Both models are the book's: Bernoulli with (5.15) and (5.17), multinomial with
(5.15) and (5.21), β = γ = 1.

Two more models are between them. *Binary multinomial* counts each word of a document once: compared
with the multinomial it shows the effect of frequencies, compared with Bernoulli the effect of
absent terms. *Presence only* is Bernoulli without the second product of (5.11).

Corpora: 20 Newsgroups by date (subject and body, 11,314 training and 7,532 test documents), AG News
(20,000 and 7,600), the documents of OHSUMED with a single label (3,357 and 4,043), and YNAT, Korean
headlines (a sample of 20,000 from 45,654, and 8,384). Words in lower case, including stop words:
with these, a small lexicon by document frequency is what the book calls non-sparse. *Density* is
the mean share of the lexicon that a training document contains."""

LENGTHS = (2, 5, 10, 20, 50, 100, 200, None)
SIZES = (100, 300, 1000, 3000, 10000, 30000)
ORDERS = {"ig": "information gain", "df": "document frequency"}
MODELS = {
    "multinomial": "multinomial",
    "binary": "binary multinomial",
    "bernoulli": "Bernoulli",
    "presence": "presence only",
}
LIMITS = {"ynat": 20000}
# The squares that other parts try again.
FEWER_LENGTHS = (5, 20, 100, None)
FEWER_SIZES = (100, 1000, 10000)


def measure(work: Workplace) -> dict[str, Any]:
    found = {}
    for name in work.track(names(work)):
        split = split_of(work, name, LIMITS.get(name))
        cells = [cell for n in lengths_of(split, work) for cell in _cells(work, cut(split, n), n)]
        found[name] = {"cells": cells, **_trends(cells)}
    return {"corpora": found}


def lengths_of(split: Split, work: Workplace) -> list[int | None]:
    """Return where to cut: where at least a tenth of training documents goes on."""
    longest = np.quantile([len(text.split()) for text in split.train.texts], 0.9)
    wanted = (5, 20, None) if work.quick else LENGTHS
    return [n for n in wanted if n is None or n < longest]


def fewer_lengths_of(split: Split, work: Workplace) -> list[int | None]:
    """Return where to cut in the parts that try some of the squares again."""
    return [n for n in lengths_of(split, work) if n in FEWER_LENGTHS]


def ranked_terms(documents: Documents, order: str) -> Any:
    """Return columns, the best first."""
    average: Any = "max" if order == "chi" else None
    selector = TermSelector(order, k=documents.X.shape[1], average=average)
    return selector.fit(documents.X, documents.y).best_


def _cells(work: Workplace, split: Split, n: int | None) -> Iterator[dict[str, Any]]:
    documents = documents_of(work, split)
    n_terms = documents.X.shape[1]
    sizes = [100, 1000] if work.quick else SIZES
    for order in ORDERS:
        ranked = ranked_terms(documents, order)
        for size in [*(size for size in sizes if size < n_terms), n_terms]:
            cell = {"order": order, "cut": n, "size": size, "every": size == n_terms}
            yield cell | described(documents.terms(ranked[:size]), documents)


def described(small: Documents, whole: Documents) -> dict[str, Any]:
    """Return what a lexicon makes of documents, and how well models do with it."""
    occurrences, distinct = small.X.sum(), small.X.nnz
    return {
        "words": round(float(whole.X.sum() / whole.X.shape[0]), 2),
        "density": float(f"{distinct / np.prod(small.X.shape, dtype=float):.4g}"),
        "repeats": round(float(occurrences / max(1, distinct)), 3),
        **accuracies(small),
    }


def _trends(cells: list[dict[str, Any]]) -> dict[str, Any]:
    """Return how the lead of the multinomial goes with lengths and with sizes, by Spearman."""
    found: dict[str, Any] = {"over_length": {}, "over_lexicon": {}}
    for order in ORDERS:
        chosen = [cell for cell in cells if cell["order"] == order]
        found["over_length"][order] = _trend(chosen, "size", "words")
        found["over_lexicon"][order] = _trend(chosen, "words", "size")
    return found


def _trend(cells: list[dict[str, Any]], held: str, along: str) -> float:
    """Hold one thing, go along the other; return the mean of the rank correlations."""
    found = []
    for value in {_held(cell, held) for cell in cells}:
        line = [cell for cell in cells if _held(cell, held) == value]
        if len(line) > 2:
            leads = [cell["multinomial"] - cell["bernoulli"] for cell in line]
            found.append(spearmanr([cell[along] for cell in line], leads).statistic)
    # Where nothing changes there is no trend.
    return round(float(np.nan_to_num(np.mean(found))) if found else 0.0, 4)


def _held(cell: dict[str, Any], name: str) -> Any:
    return "all" if name == "size" and cell["every"] else cell[name]


def show(found: Record) -> Iterable[str | Table | Figure]:
    yield _corner_table(found)
    yield (
        "In the figures, each square is a lexicon and a length; the number is by how many points "
        "the multinomial is ahead (blue) or behind (red)."
    )
    yield from (_maps(found, order) for order in ORDERS)
    yield "The next one cuts through the first: whole documents, terms by information gain."
    yield _lines(found)
    yield _trend_table(found)
    yield _cause_table(found)
    yield remark(found)


def _corner_table(found: Record) -> Table:
    rows = []
    for name, corpus in found.corpora.items():
        for where, cell in _corners(corpus.cells):
            scores = [100 * cell[model] for model in MODELS]
            head = f"{TITLES[name]}, {where}", f"{cell.words:.1f}", cell.size
            rows.append((*head, f"{cell.density:.2g}", *scores, f"{cell.p:.2g}"))
    columns = ("by information gain", "words", "terms", "density", *MODELS.values(), "p")
    return Table("Accuracy, %, in the corners", columns, rows, 2)


def _corners(cells: list[Record]) -> Iterator[tuple[str, Record]]:
    chosen = [cell for cell in cells if cell.order == "ig"]
    words = sorted({cell.words for cell in chosen})
    for length, title in ((words[0], "shortest"), (words[-1], "whole")):
        line = [cell for cell in chosen if cell.words == length]
        yield f"{title}, fewest terms", line[0]
        yield f"{title}, all terms", line[-1]


def _maps(found: Record, order: str) -> Figure:
    drawn, plots = panels(len(found.corpora), across=len(found.corpora), width=3.7, height=3.0)
    for plot, (name, corpus) in zip(plots, found.corpora.items(), strict=True):
        _draw_map(plot, [cell for cell in corpus.cells if cell.order == order])
        plot.set(title=TITLES[name], xlabel=f"terms, by {ORDERS[order]}", ylabel="cut after")
    about = f"Multinomial minus Bernoulli, in points of accuracy; terms by {ORDERS[order]}."
    return Figure(f"aggarwal-event-models-{order}", about, drawn)


def _draw_map(plot: Any, cells: list[Record]) -> None:
    cuts = [*dict.fromkeys(cell.cut for cell in cells)]
    sizes = [*sorted({cell.size for cell in cells if not cell.every}), "all"]
    grid = np.full((len(cuts), len(sizes)), np.nan)
    for cell in cells:
        at = cuts.index(cell.cut), sizes.index("all" if cell.every else cell.size)
        grid[at] = 100 * (cell.multinomial - cell.bernoulli)
        look = {"fontsize": 7, "color": "white" if abs(grid[at]) > 8 else "black"}
        plot.text(at[1], at[0], f"{grid[at]:.1f}", ha="center", va="center", **look)
    plot.imshow(grid, cmap="RdBu", vmin=-12, vmax=12, aspect="auto", origin="lower", alpha=0.75)
    plot.set_xticks(range(len(sizes)), [_short(size) for size in sizes], fontsize=7)
    plot.set_yticks(range(len(cuts)), ["whole" if n is None else str(n) for n in cuts])


def _short(size: int | str) -> str:
    return f"{size // 1000}k" if isinstance(size, int) and size >= 1000 else str(size)


def _lines(found: Record) -> Figure:
    drawn, plots = panels(len(found.corpora), across=len(found.corpora), height=2.7)
    for plot, (name, corpus) in zip(plots, found.corpora.items(), strict=True):
        line = [cell for cell in corpus.cells if cell.cut is None and cell.order == "ig"]
        values = {title: [100 * cell[model] for cell in line] for model, title in MODELS.items()}
        at = [cell.size for cell in line]
        draw_lines(plot, at, values, title=TITLES[name], x_label="terms", log_x=True)
    plots[0].set_ylabel("accuracy, %")
    legend_below(drawn, plots)
    return Figure("aggarwal-lexicons", "Accuracy over the size of the lexicon.", drawn)


def _trend_table(found: Record) -> Table:
    rows = [
        (TITLES[name], *(corpus[along][order] for along in _ALONG for order in ORDERS))
        for name, corpus in found.corpora.items()
    ]
    columns = ("", *(f"{title}, by {order}" for title in _ALONG.values() for order in ORDERS))
    title = "Does the lead of the multinomial grow? Spearman's correlation, mean over the other"
    return Table(title, columns, rows, 2)


_ALONG = {"over_length": "with length", "over_lexicon": "with the lexicon"}


def _cause_table(found: Record) -> Table:
    cells = [cell for corpus in found.corpora.values() for cell in corpus.cells]
    leads = {
        "multinomial − Bernoulli": [cell.multinomial - cell.bernoulli for cell in cells],
        "multinomial − binary (frequencies)": [cell.multinomial - cell.binary for cell in cells],
        "binary − Bernoulli (absence)": [cell.binary - cell.bernoulli for cell in cells],
    }
    traits = ("words", "size", "density", "repeats")
    rows = [
        (title, 100 * np.mean(lead).item(), *(_correlation(cells, trait, lead) for trait in traits))
        for title, lead in leads.items()
    ]
    columns = ("", "mean, points", *(f"with {trait}" for trait in traits))
    return Table("What the lead goes with, over all squares: Spearman", columns, rows, 2)


def _correlation(cells: list[Record], trait: str, lead: list[float]) -> float:
    return float(spearmanr([cell[trait] for cell in cells], lead).statistic)

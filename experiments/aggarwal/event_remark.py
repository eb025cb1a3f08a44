"""What the squares of lengths and lexicons say, in sentences that follow the figures."""

from __future__ import annotations

import numpy as np
from scipy.stats import spearmanr

from experiments.aggarwal.corpora import TITLES
from experiments.aggarwal.wording import listed
from experiments.reproduction.record import Record

DENSEST = 10


def remark(found: Record) -> str:
    """Return what decides, where Bernoulli is ahead, and what frequencies are worth."""
    cells = [(name, cell) for name, corpus in found.corpora.items() for cell in corpus.cells]
    said = (_factors(cells), _furthest(cells), _densest(cells), _advised(cells), _whole(found))
    return " ".join(sentence for sentence in said if sentence)


def _lead(cell: Record) -> float:
    return 100 * (cell.multinomial - cell.bernoulli)


def _factors(cells: list[tuple[str, Record]]) -> str:
    leads = [_lead(cell) for _, cell in cells]
    length, lexicon = (
        float(spearmanr([cell[trait] for _, cell in cells], leads).statistic)
        for trait in ("words", "size")
    )
    which = "more" if length > lexicon else "no more"
    return (
        f"Over all squares the lead goes {which} with length (Spearman {length:.2f}) than with the "
        f"lexicon ({lexicon:.2f})."
    )


def _furthest(cells: list[tuple[str, Record]]) -> str:
    name, cell = min(cells, key=lambda each: _lead(each[1]))
    cut = "whole documents" if cell.cut is None else f"cut after {cell.cut} words"
    return (
        f"Bernoulli is furthest ahead, by {-_lead(cell):.1f} points, on {TITLES[name]} ({cut}, "
        f"{cell.size:,} terms), where an average document has {cell.density * cell.size:.1f} of "
        f"the terms."
    )


def _densest(cells: list[tuple[str, Record]]) -> str:
    dense = sorted(cells, key=lambda each: -each[1].density)[:DENSEST]
    leads = [-_lead(cell) for _, cell in dense]
    corpora = listed(TITLES[name] for name in dict.fromkeys(name for name, _ in dense))
    return (
        f"In the {len(dense)} densest squares of all ({corpora}) its lead is {np.mean(leads):+.1f} "
        f"points in the mean, from {min(leads):+.1f} to {max(leads):+.1f}."
    )


def _advised(cells: list[tuple[str, Record]]) -> str:
    """Return how Bernoulli does where the book advises it: short, few terms, dense."""
    leads = [
        -_lead(cell)
        for _, cell in cells
        if cell.cut is not None and cell.cut <= 20 and cell.size == 100 and cell.density > 0.05
    ]
    if not leads:
        return ""
    return (
        f"Where the book advises it (short documents, few terms, dense), in {len(leads)} squares, "
        f"its lead is {np.mean(leads):+.2f} points in the mean, from {min(leads):+.2f} to "
        f"{max(leads):+.2f}."
    )


def _whole(found: Record) -> str:
    worth, level = [], []
    for name, corpus in found.corpora.items():
        whole = [cell for cell in corpus.cells if cell.cut is None]
        gain = 100 * np.mean([cell.multinomial - cell.binary for cell in whole])
        worth.append(f"{TITLES[name]} {gain:+.1f}")
        last = next(cell for cell in whole if cell.every)
        if last.multinomial <= last.bernoulli:
            level.append(f"{TITLES[name]} ({_lead(last):+.2f} points, p {last.p:.2g})")
    return (
        f"What frequencies are worth in points (multinomial minus binary, whole documents, mean of "
        f"lexicons): {', '.join(worth)}. With whole documents and all terms the multinomial is not "
        f"ahead on: {listed(level)}. *p* is McNemar's, for Bernoulli against multinomial."
    )

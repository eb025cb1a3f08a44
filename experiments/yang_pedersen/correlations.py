"""Figures 3 to 5: are document frequency, information gain and chi-square of a term related?"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from scipy import stats

from experiments.reproduction.figures import COLOURS, Figure, panels
from experiments.reproduction.paper import Shown
from experiments.reproduction.record import Record
from experiments.reproduction.tables import Table
from experiments.reproduction.workplace import Workplace
from experiments.yang_pedersen.corpora import (
    Deal,
    corpus_of,
    dealt,
    documents_of,
    given_split,
)
from experiments.yang_pedersen.terms import SCORES, Floats

HEADING = "Figures 3 to 5: DF, IG and CHI of a term"
ABOUT = """The paper plots DF against IG and against the average of CHI over classes for the terms
of Reuters, and DF against IG for those of OHSUMED. It calls the correlation very strong but gives
no coefficient. Here all terms of the training documents have both scores; the coefficients are
Pearson's (r) and Spearman's rank correlation (ρ). r is determined by the few frequent terms, ρ by
the many rare ones, so ρ is also given for the terms of ten documents or more. Verdicts use ρ over
all terms, the most favourable of the three. The plots show a sample of the terms, on logarithmic
axes."""
N_POINTS = 1200
FREQUENT = 10
PAIRS = {"ig": ("IG", "fractional"), "chi": ("CHI", "avg")}
TITLES = {"reuters": "Reuters", "ohsumed": "OHSUMED"}


def measure(work: Workplace) -> dict[str, Any]:
    reuters = documents_of(work, corpus_of(work, "reuters21578"))
    corpus = corpus_of(work, "ohsumed")
    medical = given_split(documents_of(work, corpus), corpus.splits)
    return {"reuters": _related(dealt(reuters, 0)), "ohsumed": _related(medical)}


def _related(deal: Deal) -> dict[str, Any]:
    there = deal.frequencies > 0
    df = deal.frequencies[there].astype(float)
    found = {key: SCORES[name][way](deal)[there] for key, (name, way) in PAIRS.items()}
    drawn = np.random.default_rng(0).permutation(len(df))[:N_POINTS]
    points = {key: [_short(value) for value in values[drawn]] for key, values in found.items()}
    return {
        "n_terms": len(df),
        **{key: correlations(df, values) for key, values in found.items()},
        "points": points | {"df": df[drawn].astype(int)},
    }


def _short(value: float) -> float:
    return float(f"{value:.3g}")


def correlations(df: Floats, other: Floats) -> dict[str, float]:
    """Return Pearson's r, Spearman's ρ, and ρ among frequent terms."""
    frequent = df >= FREQUENT
    return {
        "pearson": float(stats.pearsonr(df, other).statistic),
        "spearman": float(stats.spearmanr(df, other).statistic),
        "frequent": float(stats.spearmanr(df[frequent], other[frequent]).statistic),
    }


def show(found: Record) -> Iterator[Shown]:
    kinds = ("pearson", "spearman", "frequent")
    rows = [
        (f"{title}, DF and {PAIRS[pair][0]}", *(found[key][pair][kind] for kind in kinds))
        for key, title in TITLES.items()
        for pair in PAIRS
    ]
    columns = ("", "r", "ρ", f"ρ, {FREQUENT} documents or more")
    yield Table("Correlations", columns, rows)
    yield Figure(
        "yang-pedersen-correlations",
        "Figures 3 to 5: DF of terms against IG and CHI, on Reuters and OHSUMED",
        _drawn(found),
    )


def _drawn(found: Record) -> Any:
    drawn, plots = panels(4, across=2, width=3.8, height=2.8)
    places = [(key, pair) for key in TITLES for pair in PAIRS]
    for plot, (key, pair) in zip(plots, places, strict=True):
        points = found[key].points
        shown = [max(value, 1e-9) for value in points[pair]]
        plot.scatter(points.df, shown, s=5, alpha=0.4, lw=0, color=COLOURS[0], rasterized=True)
        rho = found[key][pair].spearman
        name = {"ig": "IG (nats)", "chi": "CHI (average)"}[pair]
        plot.set(xscale="log", yscale="log", xlabel="DF", ylabel=name)
        plot.set_title(f"{TITLES[key]}, ρ = {rho:.2f}")
        plot.grid(alpha=0.25)
    return drawn

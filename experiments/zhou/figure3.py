"""Figure 3: from one to 500 documents of each newsgroup."""

from __future__ import annotations

from collections.abc import Iterator
from statistics import fmean
from typing import Any

from experiments.reproduction.figures import Figure, draw_lines, legend_below, panels
from experiments.reproduction.record import Record
from experiments.reproduction.tables import Table
from experiments.reproduction.workplace import Workplace
from experiments.zhou.corpora import documents
from experiments.zhou.learned import learned
from experiments.zhou.trials import METHODS, Trial, listed, samples, spread

HEADING = "Figure 3: from one to 500 documents per class"
ABOUT = """20 Newsgroups with different numbers of labelled documents per group; all others are test
documents. Ten samples with one document, and fewer where larger samples overlap. The paper's F1 is
interpreted as micro-F1, which equals accuracy here. It mentions "12 % to 32 %" with one document
without naming the smoothing of the 12 %; we assume Laplace, the first of its two baselines."""
SIZES = {1: 10, 2: 6, 5: 5, 10: 4, 20: 3, 50: 3, 100: 2, 200: 2, 500: 2}


def measure(work: Workplace) -> dict[str, Any]:
    """Judge by each smoothing with samples of all sizes."""
    known, labels = learned(work, "newsgroups"), documents(work, "newsgroups").labels
    sizes = {1: 2, 5: 1, 20: 1} if work.quick else SIZES
    found = []
    for size in work.track(sizes):
        trials = [Trial(known, labels, each) for each in samples(labels, size, sizes[size])]
        found.append(listed(trial.all() for trial in trials))
    lines = {
        kind: {method: [fmean(each[method][kind]) for each in found] for method in METHODS}
        for kind in ("micro", "macro")
    }
    return {"sizes": [*sizes], "samples": [*sizes.values()], **lines, "one": found[0]}


def show(found: Record) -> Iterator[Any]:
    """Draw F1, and what semantic smoothing gains over others."""
    drawn, plots = panels(2, 2, 4.2, 3.2)
    lines = {title: found.micro[name] for name, title in METHODS.items()}
    labels = {"x_label": "documents per class", "log_x": True}
    draw_lines(plots[0], found.sizes, lines, title="micro-F1", **labels)
    gains = {
        f"CSSS over {METHODS[name]}": _gains(found, name) for name in METHODS if name != "csss"
    }
    # The colours of the methods on the left, which the gains are over.
    draw_lines(plots[1], found.sizes, _in_order(gains), title="gain of CSSS, points", **labels)
    for plot in plots:
        plot.set_xticks(found.sizes, [str(size) for size in found.sizes])
        plot.minorticks_off()
    plots[1].axhline(0, color="#999999", lw=0.8)
    legend_below(drawn, plots, 4)
    yield Figure("zhou-figure3", "F1 and gains against documents per class", drawn)
    columns = ("documents per class", "samples", *METHODS.values(), "CSSS / Laplace")
    yield Table("micro-F1", columns, [_row(found, at) for at in range(len(found.sizes))])
    rows = [
        (title, spread(found.one[name].micro), spread(found.one[name].macro))
        for name, title in METHODS.items()
    ]
    yield Table("One document per class", ("", "micro-F1", "macro-F1"), rows)


def _gains(found: Record, base: str) -> list[float]:
    pairs = zip(found.micro.csss, found.micro[base], strict=True)
    return [100 * (csss - other) for csss, other in pairs]


def _in_order(gains: dict[str, list[float]]) -> dict[str, list[Any]]:
    """Leave a line without points in the third place, which is that of CSSS itself."""
    names = [*gains]
    nothing: list[Any] = [None] * len(gains[names[0]])
    return {
        names[0]: gains[names[0]],
        names[1]: gains[names[1]],
        "": nothing,
        names[2]: gains[names[2]],
    }


def _row(found: Record, at: int) -> tuple[Any, ...]:
    values = [found.micro[name][at] for name in METHODS]
    ratio = found.micro.csss[at] / found.micro.laplace[at]
    return str(found.sizes[at]), found.samples[at], *values, f"{ratio:.2f}"

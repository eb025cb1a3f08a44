"""Figure 4: how much weight translations should have."""

from __future__ import annotations

from collections.abc import Iterator
from statistics import fmean
from typing import Any

from experiments.reproduction.figures import Figure, draw_lines, legend_below, panels
from experiments.reproduction.record import Record
from experiments.reproduction.tables import Table
from experiments.reproduction.workplace import Workplace
from experiments.zhou.corpora import JUDGED, TITLES, documents
from experiments.zhou.learned import learned
from experiments.zhou.trials import SHARE, Trial, samples

HEADING = "Figure 4: the weight λ of translations"
ABOUT = """Micro-F1 with labels for 5 %, for λ from 0 (background only) to 1 (translations only).
Two samples. The paper has CSSS on its four corpora; both kinds of signatures are shown here. The
table also has the result of choosing λ by leave-one-out on the labelled documents
(`Semantic(weight="leave-one-out")`), which uses no other label."""
WEIGHTS = [round(0.1 * step, 1) for step in range(11)]
SIGNATURES = {"csss": 1.0, "ciss": 0.0}


def measure(work: Workplace) -> dict[str, Any]:
    """Judge with each weight."""
    return {"weights": WEIGHTS, "curves": {name: _curves(work, name) for name in JUDGED}}


def _curves(work: Workplace, name: str) -> dict[str, Any]:
    labels = documents(work, name).labels
    drawn = samples(labels, SHARE, 1 if work.quick else 2)
    trials = [Trial(learned(work, name), labels, sample) for sample in drawn]
    return {kind: _curve(work, trials, share) for kind, share in SIGNATURES.items()}


def _curve(work: Workplace, trials: list[Trial], phrase_weight: float) -> dict[str, Any]:
    translation = trials[0].learned.mixed(phrase_weight)
    weights = WEIGHTS[::5] if work.quick else WEIGHTS
    lines = {
        weight: fmean(trial.semantic(translation, weight)["micro"] for trial in trials)
        for weight in work.track(weights)
    }
    chosen = [_chosen(trial, translation) for trial in trials]
    return {
        "micro": [lines.get(weight) for weight in WEIGHTS],
        "chosen": [weight for weight, _ in chosen],
        "chosen_micro": fmean(micro for _, micro in chosen),
    }


def _chosen(trial: Trial, translation: Any) -> tuple[float, float]:
    weight = trial.chosen_weight(translation)
    return weight, trial.semantic(translation, weight)["micro"]


def show(found: Record) -> Iterator[Any]:
    """Draw the curves."""
    drawn, plots = panels(len(found.curves), 2, 4.0, 2.7)
    for plot, (name, curves) in zip(plots, found.curves.items(), strict=True):
        lines = {kind.upper(): curve.micro for kind, curve in curves.items()}
        draw_lines(plot, found.weights, lines, title=TITLES[name], x_label="λ", y_label="micro-F1")
        plot.axhline(curves.csss.micro[0], color="#666666", lw=0.9, ls="--", label="background")
    legend_below(drawn, plots, 3)
    yield Figure("zhou-figure4", "Micro-F1 against λ on four corpora", drawn)
    columns = ("", "λ = 0", "best", "at λ =", "λ = .4", "leave-one-out", "its λ")
    rows = [
        _row(f"{TITLES[name]}, {kind.upper()}", curve, found.weights)
        for name, curves in found.curves.items()
        for kind, curve in curves.items()
    ]
    yield Table("micro-F1", columns, rows)


def _row(title: str, curve: Record, weights: list[float]) -> tuple[Any, ...]:
    pairs = [(value, weight) for value, weight in zip(curve.micro, weights, strict=True) if value]
    best, at = max(pairs)
    by_rule = ", ".join(f"{weight:g}" for weight in curve.chosen)
    return title, curve.micro[0], best, f"{at:g}", curve.micro[4], curve.chosen_micro, by_rule

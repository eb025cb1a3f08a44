"""Words and phrases together, and how to choose their shares."""

from __future__ import annotations

from collections.abc import Iterator
from statistics import fmean
from typing import Any

import numpy as np

from experiments.reproduction.figures import Figure, draw_lines, legend_below, panels
from experiments.reproduction.record import Record
from experiments.reproduction.tables import Table
from experiments.reproduction.workplace import Workplace
from experiments.zhou.corpora import JUDGED, TITLES, documents
from experiments.zhou.learned import learned
from experiments.zhou.trials import WEIGHT, Trial, samples

HEADING = "Words and phrases together"
IS_OPEN = True
ABOUT = """CSSS uses phrases as signatures, CISS words; the paper does not combine them. Here, if a
class has both, p_t = π p_phrases + (1 − π) p_words, from π = 0 (CISS) to 1 (CSSS), with λ = .4. π
is chosen on the labelled documents, leaving out each in turn: by the likelihood of its words (as is
usual for mixtures of language models), by the probability of its label, or by accuracy; among equal
values the one closest to one half. The best π on the test documents is given for comparison. Five
documents per class, where semantic smoothing matters more than with 5 %; three samples."""
SHARES = [0.0, 0.25, 0.5, 0.75, 1.0]
RULES = ("likelihood", "label", "accuracy")
TITLES_OF_RULES = {
    "likelihood": "likelihood of words",
    "label": "probability of the label",
    "accuracy": "right labels",
}
SIZE = 5


def measure(work: Workplace) -> dict[str, Any]:
    """Judge with each share, and choose it by each rule."""
    names = JUDGED[:1] if work.quick else JUDGED
    return {"shares": SHARES, "corpora": {name: _measured(work, name) for name in names}}


def _measured(work: Workplace, name: str) -> dict[str, Any]:
    labels = documents(work, name).labels
    drawn = samples(labels, SIZE, 1 if work.quick else 3)
    trials = [Trial(learned(work, name), labels, each) for each in drawn]
    judged = [_judged(trial) for trial in work.track(trials, name)]
    micro = np.array([micro for micro, _ in judged])
    rules = {rule: [choice(scores[rule]) for _, scores in judged] for rule in RULES}
    return {
        "micro": micro.mean(axis=0),
        "best": micro.max(axis=1).mean(),
        "chosen": {
            rule: {
                "shares": [SHARES[at] for at in chosen],
                "micro": fmean(line[at] for line, at in zip(micro, chosen, strict=True)),
            }
            for rule, chosen in rules.items()
        },
    }


def _judged(trial: Trial) -> tuple[list[float], dict[str, list[float]]]:
    """Return micro-F1 for each share, and what the rules say of each."""
    micro, rules = [], {rule: [] for rule in RULES}
    for share in SHARES:
        translation = trial.learned.mixed(share)
        micro.append(trial.semantic(translation, WEIGHT)["micro"])
        for rule, value in trial.left_out().items():
            rules[rule].append(value)
    return micro, rules


def choice(values: list[float]) -> int:
    """Return the place of the greatest value, of equal ones that nearest to the middle.

    Examples
    --------
    >>> choice([1.0, 3.0, 2.0, 3.0, 3.0])
    1
    """
    middle = len(values) // 2
    return max(range(len(values)), key=lambda at: (values[at], -abs(at - middle)))


def show(found: Record) -> Iterator[Any]:
    """Draw F1 over the share of phrases, and what the rules come to."""
    drawn, plots = panels(1, 1, 5.4, 3.2)
    lines = {TITLES[name]: each.micro for name, each in found.corpora.items()}
    x_label = "share of phrases π"
    draw_lines(plots[0], found.shares, lines, x_label=x_label, y_label="micro-F1")
    legend_below(drawn, plots, 4)
    yield Figure("zhou-mixture", "Micro-F1 over the share of phrases", drawn)
    columns = ("", "CISS", "π = .5", "CSSS", *TITLES_OF_RULES.values(), "best π, known afterwards")
    rows = [(TITLES[name], *_row(each)) for name, each in found.corpora.items()]
    yield Table("micro-F1; in brackets, the shares chosen", columns, rows)


def _row(each: Record) -> list[Any]:
    chosen = [_chosen(each.chosen[rule]) for rule in RULES]
    return [each.micro[0], each.micro[2], each.micro[4], *chosen, each.best]


def _chosen(rule: Record) -> str:
    return f"{rule.micro:.3f} ({', '.join(f'{share:g}' for share in rule.shares)})"

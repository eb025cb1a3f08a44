"""Weights of words that are learned: what the paper left open."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from statistics import fmean
from typing import Any

import numpy as np

from experiments.reproduction.figures import Figure, draw_lines, panels
from experiments.reproduction.record import Record
from experiments.reproduction.tables import Table
from experiments.reproduction.workplace import Workplace
from experiments.vilar.corpora import NAMES, SEED, Split, splits_of
from experiments.vilar.judging import counted, error, read_off, wrong
from experiments.vilar.word_groups import (
    Contributions,
    by_frequency,
    by_frequency_and_gain,
    fitted_weights,
)
from tallytext import MultinomialNB, RefinedNB
from tallytext.smoothing import AbsoluteDiscount

IS_OPEN = True
HEADING = "Weights of words that are learned"
ABOUT = """Weights need not come from a formula. Words are put into groups by the number of
documents that have them (1, 2, 3–4, 5–8 and so on), and each of these into four by information
gain. A document's score is then a sum over groups, and a weight for each group, shared by all
classes, and one for the prior are fitted by multinomial logistic regression on documents left out:
what the words of a group say of a document, by absolute discounting (closed form) that has
forgotten them, for at most 8,000 documents to learn from. Nothing else changes: it is rule 4 with a
few dozen weights. Beside it stand the χ²-weighted contrast and `RefinedNB`, a support vector
machine that starts from naive Bayes and learns a weight for each word and class."""

N_DOCUMENTS = 8000
TITLES = {
    "plain": "absolute discounting, rule 4",
    "frequency": "a weight for each group of document frequency",
    "frequency_and_gain": "a weight for each group of frequency and gain",
    "chi_contrast": "χ²-weighted contrast (`MultinomialNB.chi_contrast()`)",
    "refined": "`RefinedNB()`",
}
GROUPINGS = {"frequency": by_frequency, "frequency_and_gain": by_frequency_and_gain}


def measure(work: Workplace) -> dict[str, Any]:
    found = {}
    for name in work.track(NAMES, "learning weights of"):
        found[name] = _of_corpus(splits_of(name, work))
    return found


def _of_corpus(splits: Sequence[Split]) -> dict[str, Any]:
    runs = [_learned(split) for split in splits]
    found: dict[str, Any] = {kind: fmean(run[kind] for run in runs) for kind in GROUPINGS}
    return {
        "plain": error(MultinomialNB(AbsoluteDiscount()), splits),
        **found,
        "chi_contrast": error(MultinomialNB.chi_contrast(), splits),
        "refined": error(RefinedNB(verbose=False), splits),
        "weights": runs[0]["weights"],
        "prior_weight": runs[0]["prior_weight"],
    }


def _learned(split: Split) -> dict[str, Any]:
    model = read_off(counted(split), AbsoluteDiscount())
    rows = _drawn(split.labels)
    found: dict[str, Any] = {}
    for kind, grouping in GROUPINGS.items():
        groups = grouping(model.tally_)
        known = Contributions.left_out(model, split.train[rows], split.labels[rows], groups)
        weights = fitted_weights(known, np.searchsorted(model.classes_, split.labels[rows]))
        scores = Contributions.of(model, split.test, groups).weighed(weights)
        found[kind] = wrong(split, model.classes_[scores.argmax(axis=1)])
        if kind == "frequency":
            found |= {"weights": weights[1:], "prior_weight": weights[0]}
    return found


def _drawn(labels: Any) -> Any:
    """Return documents to fit on; one that is alone in its class would leave none of it."""
    _, number, sizes = np.unique(labels, return_inverse=True, return_counts=True)
    drawn = np.random.default_rng(SEED).permutation(len(labels))
    return drawn[sizes[number[drawn]] > 1][:N_DOCUMENTS]


def show(found: Record) -> Iterator[str | Table | Figure]:
    columns = ["", *NAMES.values()]
    rows = [[title, *(found[name][kind] for name in NAMES)] for kind, title in TITLES.items()]
    yield Table("Error in per cent", columns, rows, 2)
    drawn, plots = panels(len(NAMES))
    for plot, (name, title) in zip(plots, NAMES.items(), strict=True):
        weights = found[name].weights
        x = [2**at for at in range(len(weights))]
        labels = {"title": title, "x_label": "documents with the word, up to", "y_label": "weight"}
        draw_lines(plot, x, {"weight": weights}, **labels, log_x=True)
        plot.axhline(0, color="#666666", lw=0.8)
    yield Figure("vilar-learned", "Weights of words by the number of documents with them", drawn)
    yield "For 4 Universities the weights drawn are those of the first of the four runs."

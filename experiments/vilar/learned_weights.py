"""Weights of words that are learned: what the paper left open."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from statistics import fmean
from typing import Any

import numpy as np
from numpy.typing import NDArray

from experiments.reproduction.figures import Figure, draw_lines, legend_below, panels
from experiments.reproduction.record import Record
from experiments.reproduction.tables import Table
from experiments.reproduction.workplace import Workplace
from experiments.vilar.corpora import NAMES, SEED, Split, held_out, splits_of
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
few dozen weights.

A post that is left out alone has its answers and copies among the others, and one to be judged has
not: the split by date sees to that. So weights are fitted a second time, on documents that differ
from those learned from as the ones to judge do: the latest fifth of each newsgroup, the three other
universities, a fifth of the sources of packages, each judged by a model of the rest.

A long document says more, in nats, than a hundred short ones, and a few posts are files of ten
thousand tokens: a sum of such scores is hardly a likelihood. So weights are fitted a third time,
left out alone, on scores that are divided by the length of the document; rule 4 does not mind, but
for the prior.

Beside them stand the χ²-weighted contrast and `RefinedNB`, a support vector machine that starts
from naive Bayes and learns a weight for each word and class."""

N_DOCUMENTS = 8000
ENDINGS = ("", "_held", "_token")
TITLES = {
    "plain": "absolute discounting, rule 4",
    "frequency": "a weight for each group of document frequency",
    "frequency_and_gain": "a weight for each group of frequency and gain",
    "frequency_held": "frequency, fitted on documents held out together",
    "frequency_and_gain_held": "frequency and gain, fitted on documents held out together",
    "frequency_token": "frequency, by what a document says per token",
    "frequency_and_gain_token": "frequency and gain, by what a document says per token",
    "chi_contrast": "χ²-weighted contrast (`MultinomialNB.chi_contrast()`)",
    "refined": "`RefinedNB()`",
}
GROUPINGS = {"frequency": by_frequency, "frequency_and_gain": by_frequency_and_gain}


def measure(work: Workplace) -> dict[str, Any]:
    found = {}
    for name in work.track(NAMES, "learning weights of"):
        found[name] = _of_corpus(name, splits_of(name, work))
    return found


def _of_corpus(name: str, splits: Sequence[Split]) -> dict[str, Any]:
    runs = [_learned(split, held_out(name, split)) for split in splits]
    kinds = [f"{kind}{ending}" for kind in GROUPINGS for ending in ENDINGS]
    return {
        "plain": error(MultinomialNB(AbsoluteDiscount()), splits),
        **{kind: fmean(run[kind] for run in runs) for kind in kinds},
        "chi_contrast": error(MultinomialNB.chi_contrast(), splits),
        "refined": error(RefinedNB(verbose=False), splits),
        **{f"weights{ending}": runs[0][f"weights{ending}"] for ending in ENDINGS},
    }


def _learned(split: Split, held: NDArray[np.bool_]) -> dict[str, Any]:
    model = read_off(counted(split), AbsoluteDiscount())
    rest = MultinomialNB(AbsoluteDiscount()).fit(split.train[~held], split.labels[~held])
    alone = _drawn(np.flatnonzero(_have_others(split.labels)))
    together = _drawn(np.flatnonzero(held & np.isin(split.labels, rest.classes_)))
    found: dict[str, Any] = {}
    for kind, grouping in GROUPINGS.items():
        groups = grouping(model.tally_)
        X, y = split.train[alone], split.labels[alone]
        asked = Contributions.of(model, split.test, groups)
        known = Contributions.left_out(model, X, y, groups)
        apart = Contributions.of(rest, split.train[together], groups)
        places = np.searchsorted(model.classes_, y)
        fits = {
            "": (asked, fitted_weights(known, places)),
            "_held": (asked, fitted_weights(apart, _places(rest, split.labels[together]))),
            "_token": (
                asked.per_token(_lengths(split.test)),
                fitted_weights(known.per_token(_lengths(X)), places),
            ),
        }
        for ending, (judged, weights) in fits.items():
            best = judged.weighed(weights).argmax(axis=1)
            found[f"{kind}{ending}"] = wrong(split, model.classes_[best])
            if kind == "frequency":
                found[f"weights{ending}"] = weights[1:] / weights[1:].mean()
    return found


def _places(model: MultinomialNB, labels: NDArray[Any]) -> NDArray[np.intp]:
    return np.searchsorted(model.classes_, labels)


def _lengths(matrix: Any) -> NDArray[np.float64]:
    return np.asarray(matrix.sum(axis=1), dtype=np.float64).ravel()


def _drawn(rows: NDArray[np.intp]) -> NDArray[np.intp]:
    return np.random.default_rng(SEED).permutation(rows)[:N_DOCUMENTS]


def _have_others(labels: NDArray[Any]) -> NDArray[np.bool_]:
    """Return which documents are not alone in their class: nothing is left of such a class."""
    _, number, sizes = np.unique(labels, return_inverse=True, return_counts=True)
    return sizes[number] > 1


def show(found: Record) -> Iterator[str | Table | Figure]:
    columns = ["", *NAMES.values()]
    rows = [[title, *(found[name][kind] for name in NAMES)] for kind, title in TITLES.items()]
    yield Table("Error in per cent", columns, rows, 2)
    drawn, plots = panels(len(NAMES))
    for plot, (name, title) in zip(plots, NAMES.items(), strict=True):
        x = [2**at for at in range(len(found[name].weights))]
        lines = {called: found[name][f"weights{end}"] for end, called in _LINES.items()}
        labels = {"title": title, "x_label": "documents with the word, up to", "y_label": "weight"}
        draw_lines(plot, x, lines, **labels, log_x=True)
        plot.axhline(0, color="#666666", lw=0.8)
    legend_below(drawn, plots)
    about = "Weights of words by the number of documents with them, one on average"
    yield Figure("vilar-learned", about, drawn)
    yield "For 4 Universities the weights drawn are those of the first of the four runs."


_LINES = {"": "left out alone", "_held": "held out together", "_token": "per token"}

"""Figure 1 and Table 2: error against the number of words."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from experiments.reproduction.figures import Figure, draw_lines, legend_below, panels
from experiments.reproduction.record import Record
from experiments.reproduction.tables import Table
from experiments.reproduction.workplace import Workplace
from experiments.vilar.corpora import NAMES, Split, splits_of
from experiments.vilar.judging import counted, means, read_off
from experiments.vilar.published import ELSEWHERE, NOT_HERE, published
from experiments.vilar.wording import listed, where
from tallytext import MultinomialNB, vocabulary_curve
from tallytext.evaluation import mcnemar
from tallytext.models import AbsoluteDiscount, Laplace, Smoothing, Unsmoothed

HEADING = "Figure 1 and Table 2: error against the number of words"
ABOUT = """Words are ranked by information gain (eq. 9) on the training documents, where the event
is the presence of the word in a document, and the best are kept. The error is measured without
smoothing (relative frequencies; a document with probability zero in every class goes to the largest
class), with Laplace's estimate (ε = 1), and with absolute discounting and unigram interpolation
(eq. 13), where b is the closed form n₁/(n₁ + 2n₂) over cells of word and class. For 4 Universities,
each university is evaluated with a model of the three others and of the pages from elsewhere
("misc"); errors are means of the four. The paper does not describe its use of "misc", but its 4,199
pages include them.

As in the paper, the best number of words is chosen on the test documents, so the errors in Table 2
are optimistic. The errors with all words involve no such choice, and are also given."""

SIZES = (50, 100, 200, 500, 1000, 2000, 5000, 10000, 20000, 50000)
SMOOTHINGS: dict[str, Smoothing] = {
    "none": Unsmoothed(),
    "laplace": Laplace(1.0),
    "discount": AbsoluteDiscount(),
}
TITLES = {"none": "none", "laplace": "Laplace", "discount": "absolute discounting"}


def measure(work: Workplace) -> dict[str, Any]:
    models = {name: MultinomialNB(smoothing) for name, smoothing in SMOOTHINGS.items()}
    sizes = SIZES[1::3] if work.quick else SIZES
    found: dict[str, Any] = {}
    for name in work.track(NAMES, "curve of"):
        splits = splits_of(name, work)
        found[name] = {**curves(splits, models, sizes), "pairs": _pairs(splits)}
    return found


def curves(
    splits: Sequence[Split], models: dict[str, Any], sizes: Sequence[int]
) -> dict[str, list[float]]:
    """Return sizes, and for each model the mean error over splits with so many words and all."""
    n_words = [split.train.shape[1] for split in splits]
    kept = [size for size in sizes if size < min(n_words)]
    runs = [_curve(split, models, [*kept, split.train.shape[1]]) for split in splits]
    errors = {name: means([run[name] for run in runs]) for name in models}
    return {"sizes": [*kept, round(float(np.mean(n_words)))], **errors}


def _curve(split: Split, models: dict[str, Any], sizes: Sequence[int]) -> dict[str, list[float]]:
    documents = split.train, split.labels, split.test, split.truth
    curve = vocabulary_curve(*documents, scores=["ig"], models=models, sizes=sizes, verbose=False)
    return {line.model: [100 * error for error in line.errors] for line in curve.lines}


def _pairs(splits: Sequence[Split]) -> dict[str, Any]:
    """Compare discounting and Laplace with all words, document by document."""
    right: dict[str, list[Any]] = {"laplace": [], "discount": []}
    for split in splits:
        model = counted(split)
        for name, found in right.items():
            predicted = read_off(model, SMOOTHINGS[name]).predict(split.test)
            found.append(predicted == split.truth)
    tested = mcnemar(*(np.concatenate(right[name]) for name in ("discount", "laplace")))
    return {"discount": tested.only_a, "laplace": tested.only_b, "p": tested.p_value}


def show(found: Record) -> Iterator[str | Table | Figure]:
    yield _figure(found)
    yield _table(found)
    rows = [
        (title, found[name].pairs.discount, found[name].pairs.laplace, found[name].pairs.p)
        for name, title in NAMES.items()
    ]
    columns = ("", "only discounting is right", "only Laplace is right", "p of McNemar's test")
    yield Table("With all words, document by document", columns, rows, 4)
    there = published(NAMES["newsgroups"], TITLES["discount"])
    yield (
        "With all words, the error on 20 Newsgroups is "
        f"{found.newsgroups.discount[-1]:.1f} %; the paper has {there}. The effects of the order "
        "of posts and of the definition of a word are measured below. "
        f"{_all_words(found)} {_best_smoothings(found)} {_unsmoothed(found)}"
    )


def _all_words(found: Record) -> str:
    lost = [
        f"{found[name].discount[-1] - min(found[name].discount):.1f} on {title}"
        for name, title in NAMES.items()
    ]
    return f"With all words, discounting loses against its best number {listed(lost)} (points)."


def _best_smoothings(found: Record) -> str:
    best = {
        title: min(found[name].discount) < min(found[name].laplace) for name, title in NAMES.items()
    }
    return f"Each with its best number of words, discounting is below Laplace on {where(best)}."


def _unsmoothed(found: Record) -> str:
    times = [
        f"{found[name].none[-1] / found[name].discount[-1]:.1f} on {title} "
        f"(where that is {found[name].discount[-1]:.0f} %)"
        for name, title in NAMES.items()
    ]
    return (
        "Without smoothing the error with all words is so many times that of discounting: "
        f"{listed(times)}."
    )


def _figure(found: Record) -> Figure:
    drawn, plots = panels(2 * len(NAMES))
    for at, (name, title) in enumerate(NAMES.items()):
        lines = {TITLES[which]: found[name][which] for which in SMOOTHINGS}
        whole, near = plots[at], plots[at + len(NAMES)]
        labels = {"x_label": "words", "y_label": "error, %"}
        draw_lines(whole, found[name].sizes, lines, title=title, **labels, log_x=True)
        whole.minorticks_off()
        draw_lines(near, found[name].sizes, lines, title="the same, nearer", **labels, log_x=True)
        near.minorticks_off()
        whole.set_ylim(0, 100)
        near.set_ylim(*near_best(found[name]))
    legend_below(drawn, plots)
    return Figure("vilar-figure1", "Error against the number of words kept", drawn)


def near_best(found: Record) -> tuple[float, float]:
    """Return the errors between which smoothings can be told apart."""
    best = min(found.laplace + found.discount)
    last = max(found.laplace[-1], found.discount[-1])
    return best - 1.0, max(best + 8.0, last + 1.0)


def _table(found: Record) -> Table:
    columns = ("", "smoothing", "published", "best", "with words", "all words", "of them")
    rows: list[tuple[Any, ...]] = []
    for name, title in NAMES.items():
        for which in SMOOTHINGS:
            errors, sizes = found[name][which], found[name].sizes
            best = int(np.argmin(errors))
            head = title, TITLES[which], published(title, TITLES[which])
            rows.append((*head, errors[best], sizes[best], errors[-1], sizes[-1]))
    for title, theirs in ELSEWHERE.items():
        for smoothing, error in zip(TITLES.values(), theirs.errors, strict=True):
            rows.append((title, smoothing, error, NOT_HERE, None, None, None))
    return Table("Table 2: error in per cent", columns, rows, 1)

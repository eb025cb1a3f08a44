"""Which posts come first: dates, ties, and splits at random."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from statistics import fmean, stdev
from typing import Any

import numpy as np

from experiments.reproduction.counts import Counts
from experiments.reproduction.record import Record
from experiments.reproduction.tables import Table
from experiments.reproduction.workplace import Workplace
from experiments.vilar.corpora import Rows, first_of_each, n_train, newsgroups, split, words
from experiments.vilar.judging import counted, read_off, wrong
from experiments.vilar.published import published
from tallytext.io import Corpus
from tallytext.models import AbsoluteDiscount, Laplace

HEADING = "Why figures differ: which posts are learned from"
ABOUT = """The first 800 posts of each group by date are used for training. Nine of 19,997 posts
have no readable date (the paper has 19,974 posts), and some have the same date. The table has the
errors if the nine come first or last, if ties are broken in the opposite order, if article numbers
replace dates, if the field Date is sorted alphabetically ("Fri" before "Mon"), and in random order
(ten seeds). Then the effect of duplicates: some posts were sent to several groups, and with a
random split their copies, and answers that quote them, are on both sides. "Copies left out" keeps
only the first of the posts with the same text."""

SEEDS = 10
TITLES = {
    "dated": "by date, as on all of this page",
    "undated_last": "posts without a date come last",
    "undated_first": "posts without a date come first",
    "ties": "ties the other way round",
    "numbers": "by article number",
    "text": "by the letters of the field Date",
    "latest": "the latest 800 learned from, the earliest judged",
    "random": "at random",
    "dated_single": "by date, copies left out",
    "random_single": "at random, copies left out",
}


def measure(work: Workplace) -> dict[str, Any]:
    corpus = newsgroups(work, dated=False)
    counts = work.counts(corpus.texts, words())
    dated = np.flatnonzero([bool(date) for date in corpus.columns["date"]])
    single = np.intersect1d(dated, first_copies(corpus.texts))
    some = _Posts(corpus, counts)
    found: dict[str, Any] = {}
    for name, order in work.track(_orders(corpus).items(), "order"):
        rows = np.arange(len(corpus)) if name.startswith("undated") else dated
        found[name] = some.errors(rows, [order[row] for row in rows])
    dates = corpus.columns["date"]
    found["dated_single"] = some.errors(single, [dates[row] for row in single])
    seeds = range(2 if work.quick else SEEDS)
    for name, rows in {"random": dated, "random_single": single}.items():
        found[name] = _mean([some.errors(rows, _shuffled(len(rows), seed)) for seed in seeds])
    return {**found, "posts": len(dated), "single": len(single)}


def first_copies(texts: Sequence[str]) -> Rows:
    """Return the first document of each text, without its header.

    Examples
    --------
    >>> first_copies(["From: a\\n\\nsalt", "From: b\\n\\nsalt", "From: a\\n\\nsky"])
    array([0, 2])
    """
    first: dict[str, int] = {}
    for row, text in enumerate(texts):
        first.setdefault(text.partition("\n\n")[2], row)
    return np.array([*first.values()], dtype=np.intp)


class _Posts:
    """Posts, and the errors of both smoothings when some are split in an order."""

    def __init__(self, corpus: Corpus, counts: Counts) -> None:
        self.labels, self.counts = np.asarray(corpus.labels), counts
        self.n_train = n_train(corpus)

    def errors(self, rows: Rows, order: Sequence[Any]) -> dict[str, float]:
        labels = self.labels[rows].tolist()
        some = Counts(self.counts.matrix[rows], self.counts.words)
        # Where copies are left out, groups are smaller: four fifths of each, as of all.
        first = min(self.n_train, round(0.8 * len(rows) / len(set(labels))))
        parts = split(some, labels, *first_of_each(labels, order, first))
        model = counted(parts)
        smoothings = {"laplace": Laplace(1.0), "discount": AbsoluteDiscount()}
        return {
            name: wrong(parts, read_off(model, smoothing).predict(parts.test))
            for name, smoothing in smoothings.items()
        }


def _orders(corpus: Corpus) -> dict[str, list[Any]]:
    dates, rows = corpus.columns["date"], range(len(corpus))
    numbers = [int(name.rpartition("/")[2]) for name in corpus.ids]
    moments = {date: at for at, date in enumerate(sorted({date or "" for date in dates}))}
    return {
        "dated": [date or "" for date in dates],
        "undated_last": [date or "9" for date in dates],
        "undated_first": [date or "" for date in dates],
        "ties": [(date or "", -row) for date, row in zip(dates, rows, strict=True)],
        "numbers": numbers,
        "text": [text or "" for text in corpus.columns["date_raw"]],
        "latest": [-moments[date or ""] for date in dates],
    }


def _shuffled(n: int, seed: int) -> list[int]:
    return np.random.default_rng(seed).permutation(n).tolist()


def _mean(runs: list[dict[str, float]]) -> dict[str, float]:
    mean = {name: fmean(run[name] for run in runs) for name in runs[0]}
    return mean | {f"{name}_deviation": stdev(run[name] for run in runs) for name in runs[0]}


def show(found: Record) -> Iterator[str | Table]:
    columns = ("", "Laplace, %", "discounting, %", "standard deviation of the latter")
    rows = [
        (title, found[name].laplace, found[name].discount, found[name].get("discount_deviation"))
        for name, title in TITLES.items()
    ]
    yield Table("20 Newsgroups in other orders, all words", columns, rows, 2)
    yield (
        f"Of {found.posts:,} posts with a date {found.single:,} remain without copies; the first "
        "four fifths of each group are used for training."
    )
    dated, text, drawn = (found[name].discount for name in ("dated", "text", "random"))
    theirs = published("20 Newsgroups", "absolute discounting")
    yield (
        f"The error of discounting is {dated:.1f} % by date, {drawn:.1f} % at random; the "
        f"published {theirs} lies {_place(theirs, drawn, dated)}. Copies explain a part of the "
        f"difference. Dates sorted as text give {text:.1f} % (Laplace "
        f"{found.text.laplace:.1f} %). Ties and posts without a date change the error by "
        f"{_by_ties(found):.2f} points at most. Article numbers, together with encoded files that "
        "are left out, reproduce the published figures: see the next section."
    )


def _place(value: float | None, *ends: float) -> str:
    return "between" if min(ends) < (value or 0) < max(ends) else "outside"


def _by_ties(found: Record) -> float:
    """Return the largest change by ties and by posts that have no date."""
    others = ("undated_last", "undated_first", "ties")
    return max(abs(found[name].discount - found.dated.discount) for name in others)

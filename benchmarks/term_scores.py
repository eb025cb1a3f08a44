"""Scoring all terms of a corpus by how much they tell of the classes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial

from sklearn.feature_extraction.text import CountVectorizer
from sklearn.feature_selection import chi2

from benchmarks.corpora import Corpus
from benchmarks.tables import Table, duration, figure
from benchmarks.timing import Clock, on
from tallytext import Tally
from tallytext.features import score_terms

ABOUT = """Information gain and χ² (the largest over the classes) of all terms, both together, from
an existing tally; and scikit-learn's `chi2` only, from the matrix of the same counts. Speedups are
relative to chi2."""


def measure(corpora: Sequence[Corpus], clock: Clock) -> Iterator[Table]:
    for corpus in corpora:
        clock.say(f"term scores, {corpus.name}: counting")
        texts, labels = corpus.train
        counts, tally = CountVectorizer().fit_transform(texts), Tally.from_texts(texts, labels)
        contestants = on(counts, {"chi2": partial(chi2, y=labels)})
        contestants |= on(tally, {"scores, IG and χ²": _both})
        seconds = clock.best(f"term scores, {corpus.name}", contestants)
        rows = [
            (name, duration(time), figure(seconds["chi2"] / time)) for name, time in seconds.items()
        ]
        yield Table(f"{corpus}, {tally.n_terms:,} terms", ("", "time", "times as fast"), rows)


def _both(tally: Tally) -> None:
    score_terms(tally, "ig")
    score_terms(tally, "chi")

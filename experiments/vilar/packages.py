"""Debian sections: why discounting does not gain from all words."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from experiments.reproduction.figures import Figure
from experiments.reproduction.record import Record
from experiments.reproduction.tables import Table
from experiments.reproduction.workplace import Workplace
from experiments.vilar.corpora import SEED, Rows, random_groups, sections, split, words
from experiments.vilar.figure1 import SIZES, SMOOTHINGS, curves
from experiments.vilar.settings import figure_of, table_of
from experiments.vilar.wording import signed, where
from tallytext import MultinomialNB
from tallytext.io import Corpus

HEADING = "Why figures differ: Debian sections"
ABOUT = """Packages of one source have nearly the same description, and often different sections: a
library, its headers, its manual. In Figure 1, all packages of a source are on one side. The paper
samples documents at random, without regard to such groups. Here the packages are split by source
(Figure 1), split at random, so that nearly every test package has related training packages, and
reduced to one package of each source. Last, sources are not split, but each section has at most 400
packages, so that section sizes are more similar."""

SETTINGS = {
    "by_source": "sources whole",
    "random": "packages at random",
    "single": "one of each source",
    "even": "at most 400 of a section",
}
_MOST = 400
_NEARLY = 0.2  # points; as in expected.toml


def measure(work: Workplace) -> dict[str, Any]:
    corpus = sections(work)
    counts = work.counts(corpus.texts, words())
    models = {name: MultinomialNB(smoothing) for name, smoothing in SMOOTHINGS.items()}
    sizes = SIZES[1::4] if work.quick else SIZES
    found = {}
    for setting in work.track(SETTINGS, "packages:"):
        parts = [split(counts, corpus.labels, *_sides(setting, corpus))]
        found[setting] = curves(parts, models, sizes)
    return found


def _sides(setting: str, corpus: Corpus) -> tuple[Rows, Rows]:
    sources, rows = corpus.columns["source"], np.arange(len(corpus))
    judged = random_groups(rows if setting == "random" else sources, 0.2, SEED)
    kept = np.ones(len(rows), dtype=bool)
    if setting == "single":
        kept = one_of_each(sources, SEED)
    if setting == "even":
        kept = at_most(corpus.labels, _MOST, SEED)
    return rows[kept & ~judged], rows[kept & judged]


def one_of_each(groups: list[str], seed: int) -> Any:
    """Return which documents are the one that is drawn from their group.

    Examples
    --------
    >>> int(one_of_each(["a", "b", "b"], 0).sum())
    2
    """
    return at_most(groups, 1, seed)


def at_most(groups: list[str], most: int, seed: int) -> Any:
    """Return which documents are among so many that are drawn from their group.

    Examples
    --------
    >>> int(at_most(["a", "b", "b", "b"], 2, 0).sum())
    3
    """
    number = np.unique(np.asarray(groups), return_inverse=True)[1]
    drawn = np.random.default_rng(seed).permutation(len(number))
    order = drawn[np.argsort(number[drawn], kind="stable")]
    first = np.searchsorted(number[order], number[order])
    kept = np.empty(len(number), dtype=bool)
    kept[order] = np.arange(len(number)) - first < most
    return kept


def show(found: Record) -> Iterator[str | Table | Figure]:
    yield figure_of(found, SETTINGS, "vilar-packages", "Debian sections in four settings")
    yield table_of(found, SETTINGS, "Debian sections in four settings", [])
    yield _compared(found)


def _compared(found: Record) -> str:
    siblings = found.random.discount[-1] - found.by_source.discount[-1]
    full = {
        title: found[name].discount[-1] - min(found[name].discount) <= _NEARLY
        for name, title in SETTINGS.items()
    }
    better = {
        title: min(found[name].laplace) < min(found[name].discount)
        for name, title in SETTINGS.items()
    }
    return (
        "Siblings on both sides change the error of discounting with all words by "
        f"{signed(siblings, 1)} points. Settings in which discounting is best with all words "
        f"(within {_NEARLY} points): {where(full)}. Settings in which Laplace, each with its best "
        f"number of words, errs less than discounting: {where(better)}. With at most {_MOST} "
        "packages of a section there are also fewer training documents, which was not told "
        "apart from sections being more even."
    )

"""Translations learned from one collection of news, used with another."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from experiments.reproduction.record import Record
from experiments.reproduction.tables import Table
from experiments.reproduction.workplace import Workplace
from experiments.zhou.corpora import TITLES, documents
from experiments.zhou.learned import Learned, learned
from experiments.zhou.trials import METHODS, SHARE, Trial, listed, paired, samples, spread

HEADING = "Reuse: translations of another collection"
ABOUT = """The paper learns translations from TDT2 and judges the Los Angeles Times with them.
Here: from AG News for the ten largest topics of Reuters, and from Reuters for AG News. Rows are
known by their names; phrases and words that the other collection does not have are dropped. Six
samples with labels for 5 % of each class, λ = .4. *Coverage* is the share of the collection's own
phrases that have a row in the other's translations, of different phrases and of all that occur.

News of agencies from 1987, most of it on companies and prices, and headlines with a sentence from
2004 are further apart than the paper's two collections, which are of about the same time. The
sizes of topics differ, too: of the ten of Reuters the largest has 35 times as many documents as
the smallest."""
WAYS = {"reuters": "ag_news", "ag_news": "reuters"}
BORROWED = {"csss_borrowed": 1.0, "ciss_borrowed": 0.0}
ROWS = {**METHODS, "csss_borrowed": "CSSS, borrowed", "ciss_borrowed": "CISS, borrowed"}


def measure(work: Workplace) -> dict[str, Any]:
    """Judge each collection with its own translations, and with those of the other."""
    return {target: _judged(work, target, source) for target, source in WAYS.items()}


def _judged(work: Workplace, target: str, source: str) -> dict[str, Any]:
    read, own = documents(work, target), learned(work, target)
    borrowed = borrow(learned(work, source), own, read.texts)
    results = []
    for sample in work.track([*samples(read.labels, SHARE, 2 if work.quick else 6)], target):
        found = Trial(own, read.labels, sample).all()
        trial = Trial(borrowed, read.labels, sample)
        for method, share in BORROWED.items():
            found[method] = trial.semantic(borrowed.mixed(share))
        results.append(found)
    return {"coverage": coverage(own, borrowed), "f1": listed(results)}


def borrow(source: Learned, target: Learned, texts: list[str]) -> Learned:
    """Return the translations of one collection in the words of another, and its counts."""
    model = source.translation.restricted_to(target.translation.vectorizer_)
    return Learned(model, model.transform(texts))


def coverage(own: Learned, borrowed: Learned) -> dict[str, float]:
    """Return how many of a collection's own phrases have a row that is borrowed."""
    known = np.isin(own.phrase_names, borrowed.translation.signatures_)
    sums = np.asarray(own.phrases.sum(axis=0)).ravel()
    with_row = borrowed.translation.kinds_ == 1
    return {
        "different": known.mean(),
        "occurrences": sums[known].sum() / max(1, sums.sum()),
        "rows": int(with_row.sum()),
    }


def show(found: Record) -> Iterator[Any]:
    """Put own and borrowed translations side by side."""
    titles = {target: f"{TITLES[target]} (from {TITLES[WAYS[target]]})" for target in WAYS}
    rows = [_coverage(titles[target], found[target].coverage) for target in WAYS]
    columns = ("", "different phrases", "phrases as they occur", "rows of phrases")
    yield Table("Coverage", columns, rows)
    for target in WAYS:
        columns = ("", "micro-F1", "macro-F1", "micro over Laplace", "micro over background")
        f1 = found[target].f1
        yield Table(titles[target], columns, [_row(f1, name) for name in ROWS])


def _coverage(title: str, known: Record) -> tuple[Any, ...]:
    return title, f"{known.different:.1%}", f"{known.occurrences:.1%}", known.rows


def _row(f1: Record, name: str) -> tuple[str, ...]:
    micro = f1[name].micro
    gains = [paired(micro, f1[base].micro) for base in ("laplace", "background")]
    return ROWS[name], spread(micro), spread(f1[name].macro), *gains

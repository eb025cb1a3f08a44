"""Translations learned from one collection of news, used with another."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from experiments.reproduction.record import Record
from experiments.reproduction.tables import Table
from experiments.reproduction.workplace import Workplace
from experiments.zhou.corpora import TITLES, documents
from experiments.zhou.learned import Learned, learned, new_model
from experiments.zhou.trials import METHODS, SHARE, Trial, listed, paired, samples, spread

HEADING = "Reuse: translations of another collection"
ABOUT = """The paper learns translations from TDT2 and uses them on the Los Angeles Times. Here
translations from AG News are used on the ten largest topics of Reuters, and translations from
Reuters on AG News. Rows are identified by their names; phrases and words that the other collection
does not have are dropped. Six samples with labels for 5 % of each class, λ = .4. *Coverage* is the
share of the collection's own phrases that have a row in the other's translations, of distinct
phrases and of occurrences.

Agency news from 1987, mostly on companies and prices, and headlines with a sentence from 2004
differ more than the paper's two collections, which are of about the same time. Topics are also more
unequal in Reuters than in AG News. So the experiment is repeated within a collection: translations
for one half are learned from the other half, from a quarter of that, and from a sixteenth, which
cover fewer and fewer of its phrases; three samples. Rows learned from fewer texts are also less
accurate, so this does not separate coverage from quality."""
NEAR = ("newsgroups", "ag_news")
SHARES = {"all": 1, "a quarter": 4, "a sixteenth": 16}
WAYS = {"reuters": "ag_news", "ag_news": "reuters"}
BORROWED = {"csss_borrowed": 1.0, "ciss_borrowed": 0.0}
ROWS = {**METHODS, "csss_borrowed": "CSSS, borrowed", "ciss_borrowed": "CISS, borrowed"}


def measure(work: Workplace) -> dict[str, Any]:
    """Judge each collection with its own translations, and with those of the other."""
    found: dict[str, Any] = {name: _judged(work, name, source) for name, source in WAYS.items()}
    return {**found, "near": {name: _near(work, name) for name in NEAR}}


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


def _near(work: Workplace, name: str) -> dict[str, Any]:
    """Judge half of a collection with what all or a part of the other half teaches."""
    read = documents(work, name)
    order = np.random.default_rng(0).permutation(len(read.texts))
    source, target = np.array_split(order, 2)
    texts, labels = [read.texts[row] for row in target], read.labels[target]
    own = Learned.of(new_model(name), texts)
    drawn = [*samples(labels, SHARE, 1 if work.quick else 3)]
    found = {"own": {"f1": listed(Trial(own, labels, each).all() for each in drawn)}}
    for title, n in SHARES.items():
        work.say(f"{name}, {title} of the other half")
        lent = Learned.of(new_model(name), [read.texts[row] for row in source[::n]])
        borrowed = borrow(lent, own, texts)
        trials = [Trial(borrowed, labels, each) for each in drawn]
        f1 = listed({"csss": each.semantic(borrowed.mixed(1.0))} for each in trials)
        found[title] = {"coverage": coverage(own, borrowed), "f1": f1}
    return found


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
    columns = ("", "different phrases", "phrases as they occur", "micro-F1", "over Laplace")
    for name in NEAR:
        title = f"{TITLES[name]}, half of it: translations of phrases of the other half"
        yield Table(title, (*columns, "over background"), _near_rows(found.near[name]))


def _near_rows(near: Record) -> list[tuple[str, ...]]:
    own = near.own.f1
    rows = [
        (METHODS[name], "", "", *_levels(own[name].micro, own))
        for name in ("laplace", "background")
    ]
    for title in SHARES:
        known, micro = near[title].coverage, near[title].f1.csss.micro
        shares = f"{known.different:.1%}", f"{known.occurrences:.1%}"
        rows.append((f"CSSS, {title} of the other half", *shares, *_levels(micro, own)))
    return [*rows, ("CSSS, own", "100.0%", "100.0%", *_levels(own.csss.micro, own))]


def _levels(micro: list[float], own: Record) -> list[str]:
    return [spread(micro), *(paired(micro, own[base].micro) for base in ("laplace", "background"))]


def _coverage(title: str, known: Record) -> tuple[Any, ...]:
    return title, f"{known.different:.1%}", f"{known.occurrences:.1%}", known.rows


def _row(f1: Record, name: str) -> tuple[str, ...]:
    micro = f1[name].micro
    gains = [paired(micro, f1[base].micro) for base in ("laplace", "background")]
    return ROWS[name], spread(micro), spread(f1[name].macro), *gains

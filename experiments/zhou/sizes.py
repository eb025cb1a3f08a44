"""Whether classes of unequal sizes are why λ = .4 may be too much."""

from __future__ import annotations

from collections.abc import Iterator
from statistics import fmean
from typing import Any

import numpy as np
from numpy.typing import NDArray

from experiments.reproduction.record import Record
from experiments.reproduction.tables import Table
from experiments.reproduction.workplace import Workplace
from experiments.zhou.corpora import TITLES, documents
from experiments.zhou.learned import Learned, learned
from experiments.zhou.trials import SHARE, WEIGHT, Trial, listed, paired, samples, spread

HEADING = "Sizes of classes"
ABOUT = """Class sizes differ much in OHSUMED and Reuters, and little in the other corpora. Is this
why λ = .4 may be too large there? OHSUMED and Reuters get samples with the same number of documents
of each class. 20 Newsgroups gets samples of 1,000 documents in which groups are as unequal as the
largest classes of OHSUMED. Then 6,000 posts are used as the whole corpus, with equal and with
unequal groups and labels for 5 %, so that the test documents are unequal too. Three samples.

The last table, on two samples with labels for 5 %, shows the predicted classes."""
PER_CLASS = (1, 3, 10)
N_LARGE = 3


def measure(work: Workplace) -> dict[str, Any]:
    """Judge with equal and unequal samples."""
    large = {name: _large(work, name) for name in ("ohsumed", "reuters")}
    return {"samples": _sizes(work), "large": large}


def _sizes(work: Workplace) -> dict[str, Any]:
    found = {}
    for name in ("ohsumed", "reuters"):
        for size in PER_CLASS[:1] if work.quick else PER_CLASS:
            drawn = samples(documents(work, name).labels, size, 1 if work.quick else 3)
            found[f"{TITLES[name]}, {size} per class"] = _gains(work, name, [*drawn])
    labels = documents(work, "newsgroups").labels
    for title, shares in (("equal", np.ones(1)), ("unequal", _shares(work))):
        n = 1 if work.quick else 3
        drawn = [unequal(labels, shares, len(labels) // 20, seed) for seed in range(n)]
        found[f"20 Newsgroups, {title} classes"] = _gains(work, "newsgroups", drawn)
        kept = unequal(labels, shares, 3 * len(labels) // 10, seed=0)
        found[f"20 Newsgroups, {title} classes, judged, too"] = _kept(work, kept)
    return found


def _kept(work: Workplace, kept: NDArray[np.intp]) -> dict[str, Any]:
    """Judge some of the newsgroups' posts as if there were no others, with labels for 5 %."""
    whole, labels = learned(work, "newsgroups"), documents(work, "newsgroups").labels[kept]
    known = Learned(whole.translation, whole.counts[kept])
    drawn = samples(labels, SHARE, 1 if work.quick else 3)
    return listed(Trial(known, labels, each).all() for each in drawn)


def _large(work: Workplace, name: str) -> dict[str, list[float]]:
    """Return what share of documents is given one of the largest classes, and how many rightly."""
    known, labels = learned(work, name), documents(work, name).labels
    classes, sizes = np.unique(labels, return_counts=True)
    large = classes[np.argsort(-sizes, kind="stable")[:N_LARGE]]
    found: dict[str, list[float]] = {}
    for sample in samples(labels, SHARE, 1 if work.quick else 2):
        trial = Trial(known, labels, sample)
        truth = labels[trial.others]
        found.setdefault("truth", []).append(np.isin(truth, large).mean())
        for method, weight in (("background", 0.0), ("csss", WEIGHT)):
            given = trial.given(known.mixed(1.0), weight)
            for each, value in shares_of(given, truth, large).items():
                found.setdefault(f"{method}_{each}", []).append(value)
    return found


def shares_of(given: NDArray[Any], truth: NDArray[Any], large: NDArray[Any]) -> dict[str, float]:
    """Return the share of documents given a large class, and the recall of large and others."""
    of_large, is_right = np.isin(truth, large), given == truth
    return {
        "share": float(np.isin(given, large).mean()),
        "recall": float(is_right[of_large].mean()),
        "recall_of_others": float(is_right[~of_large].mean()),
    }


def _shares(work: Workplace) -> NDArray[np.float64]:
    sizes = np.unique(documents(work, "ohsumed").labels, return_counts=True)[1]
    return np.sort(sizes)[::-1] / sizes.sum()


def unequal(
    labels: NDArray[Any], shares: NDArray[np.float64], n: int, seed: int
) -> NDArray[np.intp]:
    """Return about n documents whose classes have given shares, dealt out to them by chance."""
    chance = np.random.default_rng(seed)
    classes = chance.permutation(np.unique(labels))
    wanted = np.resize(shares, len(classes))
    parts = []
    for label, share in zip(classes, wanted / wanted.sum(), strict=True):
        members = np.flatnonzero(labels == label)
        parts.append(chance.choice(members, min(len(members), max(1, round(n * share))), False))
    return np.sort(np.concatenate(parts))


def _gains(work: Workplace, name: str, drawn: list[NDArray[np.intp]]) -> dict[str, Any]:
    known, labels = learned(work, name), documents(work, name).labels
    return listed(Trial(known, labels, each).all() for each in work.track(drawn, name))


def show(found: Record) -> Iterator[Any]:
    """Show gains, and which classes documents are given."""
    rows = [(name, *_compared(each)) for name, each in found.samples.items()]
    columns = ("", "background", "CSSS", "CISS", "CSSS, gain in points", "CISS, gain in points")
    yield Table("Sizes of classes: micro-F1", columns, rows)
    rows = [
        (TITLES[name], *(spread(values) for values in _of_large(found.large[name])))
        for name in found.large
    ]
    pairs = [f"{what}, {whose}" for what in _LARGE.values() for whose in ("background", "CSSS")]
    title = f"The {N_LARGE} largest classes, with labels for 5 %"
    yield Table(title, ("", "documents of them", *pairs), rows)
    said = [f"{TITLES[name]}: {_moved(each)}" for name, each in found.large.items()]
    yield f"From background to CSSS, in points of these shares. {'; '.join(said)}."


_LARGE = {"share": "given to them", "recall": "recall", "recall_of_others": "recall of others"}


def _moved(large: Record) -> str:
    """Write what CSSS does to the largest classes and to others."""
    gains = [
        f"{title} {100 * (fmean(large[f'csss_{key}']) - fmean(large[f'background_{key}'])):+.1f}"
        for key, title in _LARGE.items()
    ]
    return ", ".join(gains)


def _of_large(found: Record) -> list[list[float]]:
    each = [found[f"{method}_{what}"] for what in _LARGE for method in ("background", "csss")]
    return [found.truth, *each]


def _compared(each: Record) -> list[str]:
    base = each.background.micro
    levels = [spread(each[name].micro) for name in ("background", "csss", "ciss")]
    return [*levels, *(paired(each[name].micro, base) for name in ("csss", "ciss"))]

"""An explicit model of document lengths: what the paper left open."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from statistics import fmean
from typing import Any

import numpy as np
from numpy.typing import NDArray

from experiments.reproduction.record import Record
from experiments.reproduction.tables import Table
from experiments.reproduction.workplace import Workplace
from experiments.vilar.corpora import NAMES, SEED, Split, splits_of
from experiments.vilar.lengths import DISTRIBUTIONS, lengths_of
from experiments.vilar.wording import between, listed
from tallytext import MultinomialNB
from tallytext.models import AbsoluteDiscount, cross_validate

IS_OPEN = True
HEADING = "A model of lengths"
ABOUT = """"Perhaps an explicit length model has to be included": eq. 1 has a factor p(|d| | c) that
the paper drops. Here it is kept: a log-normal or a negative binomial of the lengths of each class,
fitted by moments, added to the scores of absolute discounting (closed form, all words) with a
weight. The weight has the fewest errors in five folds of the training documents (packages of one
source in one fold), where words and lengths are learned without the fold; among equal weights the
smallest. A weight is needed because words of a document depend on each other: their scores are far
too large, so an unweighted length model hardly matters. The best weight on the test documents is
also given, as an upper bound."""

WEIGHTS = (0.0, 0.5, 1.0, 2.0, 4.0, 8.0, 16.0, 32.0)
TITLES = {"log_normal": "log-normal", "negative_binomial": "negative binomial"}


def measure(work: Workplace) -> dict[str, Any]:
    return {name: _of_corpus(splits_of(name, work)) for name in work.track(NAMES, "lengths of")}


def _of_corpus(splits: Sequence[Split]) -> dict[str, Any]:
    runs = [_of_split(split) for split in splits]
    found: dict[str, Any] = {"plain": fmean(run["plain"] for run in runs)}
    for kind in DISTRIBUTIONS:
        parts = ("weight", "chosen", "one", "best")
        found[kind] = {part: fmean(run[kind][part] for run in runs) for part in parts}
    return found


def _of_split(split: Split) -> dict[str, Any]:
    names, number = np.unique(split.labels, return_inverse=True)
    model = MultinomialNB(AbsoluteDiscount())
    folds = fold_numbers(split.groups, 5)
    inside = cross_validate(model, split.train, split.labels, folds=5, groups=folds).scores
    outside = model.fit(split.train, split.labels).scores(split.test)
    known, asked = (lengths_of(each) for each in (split.train, split.test))
    truth = numbers_of(split.truth, names)
    found: dict[str, Any] = {"plain": _errors(outside, 0.0, truth)}
    for kind, logs in DISTRIBUTIONS.items():
        held_out = np.empty_like(inside)
        for fold in np.unique(folds):
            there, others = folds == fold, folds != fold
            held_out[there] = logs(known[others], number[others], len(names), known[there])
        added = logs(known, number, len(names), asked)
        found[kind] = _chosen(inside, held_out, number, outside, added, truth)
    return found


def _chosen(
    inside: Any, held_out: Any, number: Any, outside: Any, added: Any, truth: Any
) -> dict[str, float]:
    """Choose a weight on documents left out, and see what it does to those judged."""
    tried = [_errors(inside, weight * held_out, number) for weight in WEIGHTS]
    errors = [_errors(outside, weight * added, truth) for weight in WEIGHTS]
    best = int(np.argmin(tried))
    one = errors[WEIGHTS.index(1.0)]
    return {"weight": WEIGHTS[best], "chosen": errors[best], "one": one, "best": min(errors)}


def fold_numbers(groups: NDArray[Any], n_folds: int) -> NDArray[Any]:
    """Deal groups out to folds, largest first, each to the fold that has fewest documents.

    Examples
    --------
    >>> fold_numbers(np.array(["a", "a", "b", "c", "d"]), 2)
    array([0, 0, 1, 1, 0])
    """
    names, number, sizes = np.unique(groups, return_inverse=True, return_counts=True)
    if len(names) < n_folds * 2:
        # A few large groups, such as universities, are no folds: deal out documents.
        return np.random.default_rng(SEED).permutation(len(groups)) % n_folds
    filled, fold = np.zeros(n_folds, dtype=np.intp), np.empty(len(names), dtype=np.intp)
    for group in np.argsort(-sizes, kind="stable"):
        fold[group] = int(np.argmin(filled))
        filled[fold[group]] += sizes[group]
    return fold[number]


def numbers_of(labels: NDArray[Any], names: NDArray[Any]) -> NDArray[Any]:
    """Return the place of labels among sorted names, -1 for those that are not there.

    Examples
    --------
    >>> numbers_of(np.array(["sun", "sea"]), np.array(["sea", "sky"]))
    array([-1,  0])
    """
    places = np.minimum(np.searchsorted(names, labels), len(names) - 1)
    return np.where(names[places] == labels, places, -1)


def _errors(scores: Any, added: Any, truth: Any) -> float:
    return 100.0 * float(np.mean((scores + added).argmax(axis=1) != truth))


def show(found: Record) -> Iterator[str | Table]:
    columns = ("", "lengths", "without", "weight 1", "weight chosen", "the weight", "best weight")
    rows = []
    for name, title in NAMES.items():
        for kind, called in TITLES.items():
            ours = found[name][kind]
            errors = found[name].plain, ours.one, ours.chosen, ours.weight, ours.best
            rows.append((title, called, *errors))
    yield Table("Error in per cent with a model of lengths", columns, rows, 2)
    best = [f"{_change(found, 'best', [name])} on {title}" for name, title in NAMES.items()]
    yield (
        f"A model of lengths changes the error by {_change(found, 'one')} points with a weight of "
        f"one, and by {_change(found, 'chosen')} with the weight that is chosen. With the weight "
        f"that is best on the test documents it would be {listed(best)}."
    )


def _change(found: Record, part: str, names: Iterable[str] = NAMES) -> str:
    """Write the smallest and largest change over corpora and distributions."""
    pairs = [(found[name][kind][part], found[name].plain) for name in names for kind in TITLES]
    return between([with_lengths - without for with_lengths, without in pairs])

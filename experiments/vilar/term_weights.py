"""Weights of words inside the multinomial: what the paper left open."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from statistics import fmean
from typing import Any

import numpy as np
from numpy.typing import NDArray

from experiments.reproduction.record import Record
from experiments.reproduction.tables import Table
from experiments.reproduction.workplace import Workplace
from experiments.vilar.corpora import NAMES, Split, splits_of
from experiments.vilar.judging import counted, wrong
from experiments.vilar.length_model import fold_numbers
from experiments.vilar.wording import listed, signed
from tallytext import MultinomialNB, Tally
from tallytext.models import AbsoluteDiscount, cross_validate

IS_OPEN = True
HEADING = "Weights of words"
ABOUT = """"Perhaps including a weighting of the different terms", according to the paper. In rule 4
a weight of word and class multiplies log p(w|c), which is negative, so a class with small weights
wins for every document. So weights of word and class are used with the contrast of a class and all
others, log p(w|c) − log p(w|not c), and rule 4 uses only weights that all classes share. Measured
with absolute discounting (closed form) and all words: rule 4 and the contrast, without weights,
with information gain or χ² of the word (the largest over the classes), and of word and class. The
score and its power (0.2, 0.5 or 1) are chosen by errors in three folds of the training documents.
The last row shows the mistake: χ² of word and class in rule 4."""

METHODS = ("ig", "chi")
POWERS = (0.2, 0.5, 1.0)
KINDS: dict[str, tuple[str, dict[str, Any]]] = {
    "plain": ("rule 4", {}),
    "shared": ("rule 4, weights shared by classes", {}),
    "contrast": ("contrast", {"complement": True}),
    "contrast_shared": ("contrast, weights shared by classes", {"complement": True}),
    "contrast_by_class": (
        "contrast, weights by class",
        {"complement": True, "weight_by_class": True},
    ),
}
_UNWEIGHTED = ("plain", "contrast")


def measure(work: Workplace) -> dict[str, Any]:
    found = {}
    for name in work.track(NAMES, "weights of"):
        found[name] = _of_corpus(splits_of(name, work), POWERS[-1:] if work.quick else POWERS)
    return found


def _of_corpus(splits: Sequence[Split], powers: Sequence[float]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for kind, (_, options) in KINDS.items():
        tried = [{}] if kind in _UNWEIGHTED else _weightings(powers)
        chosen = [_chosen(split, options, tried) for split in splits]
        found[kind] = {
            "error": fmean(_error(split, each) for split, each in zip(splits, chosen, strict=True)),
            "weighting": _named(chosen),
        }
    found["by_class_in_rule_4"] = {
        "error": fmean(_forbidden(split) for split in splits),
        "weighting": "chi, power 1",
    }
    return found


def _weightings(powers: Sequence[float]) -> list[dict[str, Any]]:
    return [{"weighting": how, "weight_power": power} for how in METHODS for power in powers]


def _chosen(split: Split, options: dict[str, Any], tried: list[dict[str, Any]]) -> dict[str, Any]:
    """Return the settings with fewest errors on documents left out."""
    settings = [options | each for each in tried]
    if len(settings) == 1:
        return settings[0]
    folds = fold_numbers(split.groups, 3)
    right = [_left_out(split, each, folds) for each in settings]
    return settings[int(np.argmax(right))]


def _left_out(split: Split, settings: dict[str, Any], folds: NDArray[Any]) -> float:
    model = MultinomialNB(AbsoluteDiscount(), **settings)
    return cross_validate(model, split.train, split.labels, folds=3, groups=folds).accuracy


def _error(split: Split, settings: dict[str, Any]) -> float:
    model = MultinomialNB(AbsoluteDiscount(), **settings)
    return wrong(split, model.fit(split.train, split.labels).predict(split.test))


def _named(chosen: list[dict[str, Any]]) -> str:
    pairs = [(each.get("weighting"), each.get("weight_power")) for each in chosen]
    return "; ".join(f"{how}, power {power:g}" for how, power in dict.fromkeys(pairs) if how)


def chi_by_class(tally: Tally) -> NDArray[np.float64]:
    """Return χ² of each class and word, by documents that have it.

    Examples
    --------
    >>> tally = Tally.from_counts([[2, 1], [1, 0], [0, 1]], ["X", "X", "Y"])
    >>> chi_by_class(tally)
    array([[3.  , 0.75],
           [3.  , 0.75]])
    """
    both = tally.documents.toarray().T.astype(np.float64)
    n, in_class = float(tally.n_documents), tally.class_documents[:, None].astype(np.float64)
    with_term = tally.term_documents[None, :].astype(np.float64)
    above = n * (both * n - in_class * with_term) ** 2
    below = in_class * (n - in_class) * with_term * (n - with_term)
    return np.divide(above, below, out=np.zeros_like(above), where=below > 0)


def _forbidden(split: Split) -> float:
    """Return the error of rule 4 with weights of word and class, one on average in each class."""
    tally = counted(split).tally_
    model = MultinomialNB(AbsoluteDiscount()).fit(split.train, split.labels)
    weights = chi_by_class(tally)
    weights /= np.maximum(weights.mean(axis=1, keepdims=True), 1e-12)
    table = model.to_sklearn()
    scores = split.test @ (weights * table.feature_log_prob_).T + table.class_log_prior_
    return wrong(split, model.classes_[np.asarray(scores).argmax(axis=1)])


def show(found: Record) -> Iterator[str | Table]:
    columns = [""]
    for title in NAMES.values():
        columns += [title, "weights"]
    kinds = {kind: title for kind, (title, _) in KINDS.items()}
    kinds["by_class_in_rule_4"] = "rule 4, weights by class"
    rows = []
    for kind, title in kinds.items():
        pairs = [(found[name][kind].error, found[name][kind].weighting) for name in NAMES]
        rows.append([title, *(value for pair in pairs for value in pair)])
    yield Table("Error in per cent with weights of words", columns, rows, 2)
    yield " ".join(_least(found[name], title, kinds) for name, title in NAMES.items())
    pairs = {"plain": "shared", "contrast": "contrast_shared"}
    gains = [
        f"{' and '.join(signed(_gain(found[name], *pair)) for pair in pairs.items())} on {title}"
        for name, title in NAMES.items()
    ]
    yield (
        "Weights that all classes share change the error of rule 4 and that of the contrast by "
        f"{listed(gains)} (points)."
    )


def _least(ours: Record, title: str, kinds: Mapping[str, str]) -> str:
    best = min(kinds, key=lambda kind: ours[kind].error)
    return f"On {title} errors are fewest with: {kinds[best]} ({ours[best].error:.1f} %)."


def _gain(ours: Record, without: str, weighted: str) -> float:
    return float(ours[weighted].error - ours[without].error)

"""Errors of models on splits, in per cent."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from statistics import fmean
from typing import Any

import numpy as np
from numpy.typing import NDArray

from experiments.vilar.corpora import Split
from tallytext import MultinomialNB
from tallytext.models import AbsoluteDiscount, Laplace, Smoothing

DISCOUNTS = (0.02, 0.05, *(round(0.1 * step, 1) for step in range(1, 10)), 0.95, 0.99)


def wrong(split: Split, predicted: NDArray[Any]) -> float:
    """Return the share of documents that got another label than theirs."""
    return 100.0 * float(np.mean(predicted != split.truth))


def error(model: Any, splits: Sequence[Split]) -> float:
    """Return the error of a model that is fitted on each split; the mean, as in the paper."""
    return fmean(
        wrong(split, model.fit(split.train, split.labels).predict(split.test)) for split in splits
    )


def counted(split: Split, **options: Any) -> MultinomialNB:
    """Return a model whose tally others can be read off; options say what it counts."""
    return MultinomialNB(Laplace(1.0), **options).fit(split.train, split.labels)


def read_off(model: MultinomialNB, smoothing: Smoothing, **options: Any) -> MultinomialNB:
    """Return a model of the same counts with another smoothing: nothing is counted again."""
    same = {name: getattr(model, name) for name in ("tf", "normalize", "norm_length")}
    return MultinomialNB.from_tally(model.tally_, smoothing=smoothing, **(same | options))


def error_with(model: MultinomialNB, split: Split, smoothing: Smoothing) -> float:
    """Return the error of a model of the same counts with another smoothing."""
    return wrong(split, read_off(model, smoothing).predict(split.test))


def right_left_out(model: MultinomialNB, split: Split, smoothing: Smoothing) -> float:
    """Return the share of training documents that are judged right when left out."""
    return read_off(model, smoothing).leave_one_out(split.train, split.labels).accuracy


def discount_left_out(model: MultinomialNB, split: Split, grid: Sequence[float]) -> float:
    """Return the discount of a grid with fewest errors on documents left out."""
    right = [right_left_out(model, split, AbsoluteDiscount(b)) for b in grid]
    return grid[int(np.argmax(right))]


def with_errors(model: MultinomialNB, split: Split, chosen: Mapping[str, float]) -> dict[str, Any]:
    """Return each discount that was chosen with its error."""
    return {
        rule: {"b": b, "error": error_with(model, split, AbsoluteDiscount(b))}
        for rule, b in chosen.items()
    }


def errors_of(model: MultinomialNB, split: Split, discounts: Sequence[float]) -> list[float]:
    """Return the error for each of some discounts."""
    return [error_with(model, split, AbsoluteDiscount(b)) for b in discounts]


def means(rows: Sequence[Sequence[float]]) -> list[float]:
    """Return the mean of each column."""
    return [fmean(column) for column in zip(*rows, strict=True)]

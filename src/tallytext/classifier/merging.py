"""Whether two classifiers can be added up."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from tallytext.classifier.base import ClassifierBase
from tallytext.errors import SettingsError

# How results are reached, and not what they are.
_NO_MATTER = {"n_jobs", "verbose", "budget"}


def expect_equal_settings(ours: ClassifierBase, theirs: ClassifierBase) -> None:
    """Refuse to merge classifiers that count or read differently, naming the first difference.

    Raises
    ------
    SettingsError
    NotAdditiveError
        If one of them is no function of counts.
    """
    ours._expect_additive("merge")
    theirs._expect_additive("merge")
    for what, mine, other in _differences(ours, theirs):
        raise SettingsError(
            f"cannot merge: {what} is {mine!r} here and {other!r} there. Train both with the same "
            "settings, for example the second with the model of the first: "
            "TextClassifier(model=first.model_, vectorizer=first.vectorizer_, select=first.select)."
        )


def _differences(
    ours: ClassifierBase, theirs: ClassifierBase
) -> Iterator[tuple[str, object, object]]:
    if ours.multi_label_ != theirs.multi_label_:
        yield "multi_label", ours.multi_label_, theirs.multi_label_
    for name in ("model_", "vectorizer_", "selector_"):
        mine, other = getattr(ours, name), getattr(theirs, name)
        if mine is None and other is None:
            continue
        if type(mine) is not type(other):
            yield name.strip("_"), type(mine).__name__, type(other).__name__
        yield from _of_parameters(name.strip("_"), mine, other)
    mine, other = (each.vectorizer_ for each in (ours, theirs))
    if mine.is_limited and mine.vocabulary_ != other.vocabulary_:
        # Each left out words of its own choice, so that sums would be of neither.
        sizes = f"{len(mine.vocabulary_):,} words", f"{len(other.vocabulary_):,} others"
        yield "the vocabulary that min_df, max_df and max_features left", *sizes
    if ours.n_columns_ != theirs.n_columns_:
        yield "the number of columns of labels", ours.n_columns_, theirs.n_columns_


def _of_parameters(owner: str, mine: Any, other: Any) -> Iterator[tuple[str, object, object]]:
    theirs = other.get_params(deep=False)
    for name, value in mine.get_params(deep=False).items():
        if name not in _NO_MATTER and not _same(value, theirs.get(name)):
            yield f"{owner}.{name}", value, theirs.get(name)


def _same(one: Any, other: Any) -> bool:
    if isinstance(one, np.ndarray):
        return isinstance(other, np.ndarray) and np.array_equal(one, other)
    return one is other or (type(one) is type(other) and bool(one == other))

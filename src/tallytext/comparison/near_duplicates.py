"""Near-duplicate documents that lie on both sides of a split."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from tallytext.comparison.documents import Splits
from tallytext.comparison.outcomes import Outcomes
from tallytext.evaluation.folds import Rows
from tallytext.evaluation.significance import falls_clearly
from tallytext.models.knn import CosineKNN
from tallytext.text.vectorizer import TextVectorizer

_MIN_COSINE = 0.9
_MAX_CHECKED = 2_000
_MIN_WARNING_SHARE = 0.02
_N_NEIGHBOURS = 20
_N_EXAMPLES = 10

# The remedy for each way to split: only options that are not in use already.
_REMEDIES = {
    "random": "keep such documents together with groups (--groups), or split by time (--time)",
    "groups": "give such documents the same group, or split by time (--time)",
    "time": "groups (--groups) would keep such documents together",
}


@dataclass(frozen=True)
class NearDuplicates:
    """Test documents with a near duplicate among the training documents of their split.

    Attributes
    ----------
    n_checked : int
        The number of test documents that were compared with training documents.
    n_duplicates : int
        The number of these with a near duplicate: a cosine of 0.9 or more of weighted words.
    examples : tuple of (int, int, float)
        The rows of a test document and a training document, and their cosine; the first ten.
    score, score_without : float or None
        The score of the best learner on the checked documents, and on those of them that have no
        near duplicate.
    method : {"random", "groups", "time"}
        The method of the splits.
    """

    n_checked: int
    n_duplicates: int
    examples: tuple[tuple[int, int, float], ...] = ()
    score: float | None = field(default=None, repr=False)
    score_without: float | None = field(default=None, repr=False)
    method: str = field(default="random", repr=False)

    @property
    def share(self) -> float:
        """The share of checked documents that have a near duplicate."""
        return self.n_duplicates / self.n_checked if self.n_checked else 0.0

    @property
    def warning(self) -> str:
        """A sentence if they are many and raise the score clearly, else an empty string."""
        if self.share < _MIN_WARNING_SHARE or not self._raises_score:
            return ""
        return (
            f"{self.share:.0%} of the test documents have a near duplicate among the training "
            f"documents{self._effect}: {_REMEDIES[self.method]}."
        )

    @property
    def _raises_score(self) -> bool:
        if self.score is None or self.score_without is None:
            return True  # as far as is known
        return falls_clearly(self.score, self.score_without, self.n_checked)

    @property
    def _effect(self) -> str:
        too_high = ", so scores are too high for documents that are really new"
        if self.score is None or self.score_without is None:
            return too_high
        return f"{too_high} (with them {self.score:.1%}, without them {self.score_without:.1%})"


def near_duplicates(
    texts: Sequence[str], splits: Splits, seed: int = 0, best: Outcomes | None = None
) -> NearDuplicates:
    """Find test documents that have nearly the same words as a training document.

    Parameters
    ----------
    texts : sequence of str
        The texts of all documents.
    splits : Splits
        The training and test documents.
    seed : int, default=0
        Seed of the sample of 2,000 test documents that are checked.
    best : Outcomes, default=None
        The outcomes of the best learner, for its score with and without near duplicates.

    Examples
    --------
    >>> from tallytext.evaluation import TrainTestSplit
    >>> texts = ["a blue bird sang", "red tea and milk", "a blue bird sang", "rain in may"]
    >>> split = TrainTestSplit(np.array([0, 1]), np.array([2, 3]))
    >>> near_duplicates(texts, Splits("random", (split,), np.arange(4)))
    NearDuplicates(n_checked=2, n_duplicates=1, examples=((2, 0, 1.0),))
    """
    counts = TextVectorizer(min_length=1).fit_transform(texts)
    if not counts.shape[1]:  # texts without words, such as those compared by characters
        return NearDuplicates(0, 0, method=splits.method)
    # One label for all, since only the index is used.
    index = CosineKNN().fit(counts, ["document"] * len(texts))
    fold_of = np.full(len(texts), -1)
    for fold, split in enumerate(splits):
        fold_of[split.test] = fold
    tested, chance = np.flatnonzero(fold_of >= 0), np.random.default_rng(seed)
    checked = np.sort(chance.choice(tested, min(_MAX_CHECKED, len(tested)), replace=False))
    # Several neighbours: the nearest are the document itself and copies in its own fold.
    near = index.kneighbors(counts[checked], min(_N_NEIGHBOURS, len(texts)))
    found = [
        _training_duplicate(int(row), splits.splits[fold_of[row]].train, neighbours, cosines)
        for row, neighbours, cosines in zip(checked, near.documents, near.similarities, strict=True)
    ]
    pairs = [pair for pair in found if pair is not None]
    without = checked[[pair is None for pair in found]]
    scores: tuple[float | None, float | None] = None, None
    # The best learner may not have predicted all folds, so perhaps none of these documents.
    if best is not None and best.evaluated[without].any():
        scores = best.score_on(checked), best.score_on(without)
    return NearDuplicates(
        len(checked), len(pairs), tuple(pairs[:_N_EXAMPLES]), *scores, splits.method
    )


def _training_duplicate(
    row: int, training: Rows, neighbours: Any, cosines: Any
) -> tuple[int, int, float] | None:
    """Return the nearest training document that is similar enough, as an example; else None."""
    for other, cosine in zip(neighbours.tolist(), cosines.tolist(), strict=True):
        if cosine >= _MIN_COSINE and other != row and _contains(training, other):
            return row, other, round(cosine, 3)
    return None


def _contains(sorted_rows: Rows, row: int) -> bool:
    at = int(np.searchsorted(sorted_rows, row))
    return at < len(sorted_rows) and bool(sorted_rows[at] == row)

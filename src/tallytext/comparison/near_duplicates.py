"""Documents that are nearly the same and stand on both sides of a split."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from tallytext.comparison.outcomes import Outcomes
from tallytext.comparison.splits import Splits
from tallytext.neighbours import CosineKNN
from tallytext.vectorizer import TextVectorizer

ALIKE = 0.9
MOST_ASKED = 2_000
WORTH_SAYING = 0.02
_MOST_LOOKED_AT = 20
# What helps, besides what was done already.
_ADVICE = {
    "random": "keep such documents together with groups (--groups), or judge by time (--time)",
    "groups": "give such documents the same group, or judge by time (--time)",
    "time": "groups (--groups) would keep such documents together",
}


@dataclass(frozen=True)
class NearDuplicates:
    """How many judged documents have a near duplicate among those learned.

    Attributes
    ----------
    n_asked : int
        How many judged documents were looked at.
    n_crossing : int
        How many of these have one: with a cosine of 0.9 or more between their weighted words.
    examples : tuple of (int, int, float)
        Rows of a judged document and a learned one, and how similar they are; the first ten.
    score, score_without : float or None
        Of the best learner on the documents looked at, and on those of them that have none.
    method : {"random", "groups", "time"}
        How documents were kept from models.
    """

    n_asked: int
    n_crossing: int
    examples: tuple[tuple[int, int, float], ...] = ()
    score: float | None = field(default=None, repr=False)
    score_without: float | None = field(default=None, repr=False)
    method: str = field(default="random", repr=False)

    @property
    def share(self) -> float:
        """Of judged documents that have one."""
        return self.n_crossing / self.n_asked if self.n_asked else 0.0

    @property
    def warning(self) -> str:
        """A sentence, if they are many enough to make scores too high; else nothing."""
        if self.share < WORTH_SAYING:
            return ""
        return (
            f"{self.share:.0%} of the judged documents have a near duplicate among those learned"
            f"{self._effect}: {_ADVICE[self.method]}."
        )

    @property
    def _effect(self) -> str:
        if self.score is None or self.score_without is None:
            return ", so that scores are too high for documents that are really new"
        scores = f"with them {self.score:.1%}, without them {self.score_without:.1%}"
        if self.score_without < self.score:
            return f", so that scores are too high for documents that are really new ({scores})"
        return f", though it does not show in the score ({scores})"


def near_duplicates(
    texts: Sequence[str], splits: Splits, seed: int = 0, best: Outcomes | None = None
) -> NearDuplicates:
    """Look for judged documents whose words are nearly those of a document learned.

    Parameters
    ----------
    texts : sequence of str
    splits : Splits
    seed : int
        Of all judged documents 2,000 are asked, drawn at random.
    best : Outcomes, default=None
        Of the best learner.

    Examples
    --------
    >>> from tallytext.comparison.splits import Split
    >>> texts = ["a blue bird sang", "red tea and milk", "a blue bird sang", "rain in may"]
    >>> halves = Splits("random", (Split(np.array([0, 1]), np.array([2, 3])),), np.arange(4))
    >>> near_duplicates(texts, halves)
    NearDuplicates(n_asked=2, n_crossing=1, examples=((2, 0, 1.0),))
    """
    counts = TextVectorizer(min_length=1).fit_transform(texts)
    if not counts.shape[1]:  # somebody counts other things than words
        return NearDuplicates(0, 0, method=splits.method)
    index = CosineKNN().fit(counts, ["document"] * len(texts))
    fold_of = _fold_of(splits, len(texts))
    judged = np.flatnonzero(fold_of >= 0)
    asked = np.sort(
        np.random.default_rng(seed).choice(judged, min(MOST_ASKED, len(judged)), replace=False)
    )
    near = index.kneighbors(counts[asked], min(_MOST_LOOKED_AT, len(texts)))
    found = [
        _other_side(int(row), documents, similarities, splits, fold_of)
        for row, documents, similarities in zip(
            asked, near.documents, near.similarities, strict=True
        )
    ]
    crossing = [each for each in found if each is not None]
    new = asked[[each is None for each in found]]
    return NearDuplicates(
        len(asked), len(crossing), tuple(crossing[:10]), *_scores(best, asked, new), splits.method
    )


def _scores(best: Outcomes | None, asked: Any, new: Any) -> tuple[float | None, float | None]:
    """Return those of all and of some documents, as far as the best was judged by any."""
    if best is None or not best.judged[new].any():
        return None, None
    return best.on(asked), best.on(new)


def _fold_of(splits: Splits, n: int) -> Any:
    fold_of = np.full(n, -1)
    for fold, split in enumerate(splits):
        fold_of[split.judged] = fold
    return fold_of


def _other_side(
    row: int, documents: Any, similarities: Any, splits: Splits, fold_of: Any
) -> tuple[int, int, float] | None:
    learned = splits.splits[fold_of[row]].learned
    for other, cosine in zip(documents.tolist(), similarities.tolist(), strict=True):
        if cosine >= ALIKE and other != row and _holds(learned, other):
            return row, other, round(cosine, 3)
    return None


def _holds(sorted_rows: Any, row: int) -> bool:
    at = int(np.searchsorted(sorted_rows, row))
    return at < len(sorted_rows) and bool(sorted_rows[at] == row)

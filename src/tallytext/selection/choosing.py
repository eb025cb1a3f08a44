"""Which terms are chosen: scores of terms, and how many of the best."""

from __future__ import annotations

from collections.abc import Callable
from numbers import Integral, Real
from typing import Any, Literal, Self, TypeAlias

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator

from tallytext.contingency import Floats
from tallytext.errors import CountError, LabelError
from tallytext.planes import Plane
from tallytext.selection.best import ranked
from tallytext.selection.gain import Labels
from tallytext.selection.masking import presence, whole_or_present
from tallytext.selection.scores import Average, Method, scores
from tallytext.selection.strength import term_strength
from tallytext.tally import Tally
from tallytext.targets import expect_lengths, targets_of
from tallytext.vocabulary import Vocabulary

Score: TypeAlias = Method | Literal["ts"] | Callable[[Tally], Any]

DEFAULT_SHARE = 0.1
"""The share of the terms that is kept unless something is said."""


class Choosing(BaseEstimator):  # type: ignore[misc]
    """The settings of a selector, and the choice that follows from them."""

    method: Score
    k: int | None
    threshold: float | None
    keep: float | None
    average: Average | None
    labels: Labels | None
    min_df: int

    scores_: Floats
    documents_: NDArray[np.int64]
    best_: NDArray[np.intp]
    kept_: NDArray[np.bool_]
    vocabulary_: Vocabulary
    n_features_in_: int
    open_: bool

    def _counted(self, X: Any, y: Any) -> Tally:
        if y is None and self._needs_labels:
            raise LabelError(
                f"method={self.method!r} needs labels: it requires y to be passed, "
                "but the target y is None."
            )
        targets = targets_of([[]] * X.shape[0] if y is None else y)
        expect_lengths(X, targets)
        names = getattr(self, "feature_names_in_", None)
        planes = [Plane("binary", shared=True)] if targets.several else []
        terms = None if names is None else list(names)
        counts = whole_or_present(X) if callable(self.method) else presence(X)
        return Tally.from_counts(counts, targets.labels, terms, planes=planes)

    def _choose(self, tally: Tally, found: Floats) -> None:
        documents = tally.term_documents[: len(found)]
        n_kept = self.k
        if self.keep is not None or (self.k is None and self.threshold is None):
            share = DEFAULT_SHARE if self.keep is None else self.keep
            n_kept = max(round(share * np.count_nonzero(documents)), 1)
        best = ranked(tally, found, k=n_kept, above=self.threshold, min_df=self.min_df)
        self._settle(found, documents, best, tally.vocabulary)

    def restored(
        self,
        scores: Floats,
        documents: NDArray[np.int64],
        best: NDArray[np.int64],
        vocabulary: Vocabulary,
        open_: bool,
    ) -> Self:
        """Become what another one was when it had chosen; nothing is scored.

        Parameters
        ----------
        scores : ndarray of shape (n_features,)
            The score of each term.
        documents : ndarray of int of shape (n_features,)
            How many documents had it.
        best : ndarray of int
            The terms that were kept, best first.
        vocabulary : Vocabulary
            The terms.
        open_ : bool
            Whether terms may still be added to it.
        """
        self._settle(scores, documents, best.astype(np.intp), vocabulary)
        self.n_features_in_, self.open_ = len(scores), open_
        return self

    def _settle(
        self,
        found: Floats,
        documents: NDArray[np.int64],
        best: NDArray[np.intp],
        vocabulary: Vocabulary,
    ) -> None:
        self.scores_, self.documents_, self.best_ = found, documents, best
        self.kept_ = np.zeros(len(found), dtype=bool)
        self.kept_[best] = True
        self.vocabulary_ = vocabulary

    def _scored(self, tally: Tally, X: Any = None) -> Floats:
        if self.method == "ts":
            return self._strengths(X)
        if not callable(self.method):
            return scores(tally, self.method, average=self.average, labels=self.labels)
        found = np.asarray(self.method(tally), dtype=np.float64)
        if found.shape != (len(tally.vocabulary),) or np.isnan(found).any():
            raise ValueError(
                f"method must give each of the {len(tally.vocabulary)} terms a number; "
                f"{self.method!r} gave {found!r:.80}."
            )
        return found

    def _strengths(self, X: Any) -> Floats:
        if X is None:
            raise CountError(
                "method='ts' compares documents with each other, and a tally holds their sums "
                "only: fit on the matrix of documents."
            )
        if not (self.average is None and self.labels is None):
            raise ValueError("average and labels have no effect on method='ts'.")
        return term_strength(X)

    @property
    def _needs_labels(self) -> bool:
        return not isinstance(self.method, str) or self.method not in ("df", "ts")

    def _expect_parameters(self) -> None:
        given = {"k": self.k, "threshold": self.threshold, "keep": self.keep}
        named = [f"{name}={value!r}" for name, value in given.items() if value is not None]
        if len(named) > 1:
            raise ValueError(f"give one of k, threshold and keep, not {' and '.join(named)}.")
        for name, value in (("k", self.k), ("min_df", self.min_df)):
            if value is not None and (not isinstance(value, Integral) or value < 1):
                raise ValueError(f"{name} must be a whole number from 1 on, not {value!r}.")
        if self.keep is not None and not (isinstance(self.keep, Real) and 0 < self.keep <= 1):
            raise ValueError(f"keep must be a share, above 0 and at most 1, not {self.keep!r}.")
        threshold = 0.0 if self.threshold is None else self.threshold
        if not isinstance(threshold, Real) or np.isnan(threshold):
            raise ValueError(f"threshold must be a number, not {self.threshold!r}.")
        if callable(self.method) and not (self.average is None and self.labels is None):
            raise ValueError("average and labels have no effect on a score of your own.")

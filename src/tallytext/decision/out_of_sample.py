"""Scores of training documents by models that have not seen them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tallytext._typing import FloatArray
from tallytext.decision.calibrators import log_odds, log_posteriors


@dataclass(frozen=True)
class OutOfSample:
    """What models say of documents that they were not trained on.

    Attributes
    ----------
    scores : ndarray of shape (n_documents, n_classes)
        Raw scores.
    lengths : ndarray of shape (n_documents,)
        How much of each document was known.
    truth : ndarray of bool of shape (n_documents, n_classes)
        Which document has which class.
    classes : ndarray
        The labels of the columns.
    contrasts : bool
        Whether scores are log-odds of each class against all others.
    several : bool
        Whether documents may have several labels or none.
    method : str
        How they were found: "leave-one-out" or "cross-validation".
    rows : ndarray of int, default=None
        Which of the documents given these are; None for all of them, in order.
    """

    scores: FloatArray
    lengths: FloatArray
    truth: NDArray[np.bool_]
    classes: NDArray[Any]
    contrasts: bool
    multi_label: bool
    method: str
    rows: NDArray[np.intp] | None = None

    def predict(self) -> NDArray[Any]:
        """Return the best label of each document, or which classes are more likely than not."""
        if self.multi_label:
            return (self.scores > 0).astype(np.int64)
        return self.classes[self.scores.argmax(axis=1)]

    def log_proba(self) -> FloatArray:
        """Return the logarithms of the raw probabilities."""
        return posteriors(self.scores, self.contrasts, self.multi_label)

    def log_odds(self) -> FloatArray:
        """Return the log-odds of each class against all others."""
        return self.scores if self.contrasts else log_odds(self.scores)

    @property
    def accuracy(self) -> float:
        """Share of documents whose labels were all found, and no others."""
        if self.multi_label:
            return float((self.predict().astype(bool) == self.truth).all(axis=1).mean())
        best = self.scores.argmax(axis=1)
        return float(self.truth[np.arange(len(best)), best].mean())


def in_columns(found: FloatArray, known: NDArray[Any], classes: NDArray[Any]) -> FloatArray:
    """Return scores of some classes as columns of all, minus infinity for the others.

    Both are sorted.

    Examples
    --------
    >>> in_columns(np.array([[0.5]]), np.array(["sky"]), np.array(["sea", "sky"]))
    array([[-inf,  0.5]])
    """
    scores = np.full((len(found), len(classes)), -np.inf)
    scores[:, np.isin(classes, known)] = found
    return scores


def joined(parts: Sequence[OutOfSample]) -> OutOfSample:
    """Return what was said of several lots of documents, one after the other.

    All must be of the same classes and of models of one kind.
    """
    return replace(
        parts[0],
        scores=np.concatenate([part.scores for part in parts]),
        lengths=np.concatenate([part.lengths for part in parts]),
        truth=np.concatenate([part.truth for part in parts]),
        rows=None,
    )


def posteriors(scores: FloatArray, contrasts: bool, multi_label: bool) -> FloatArray:
    """Return the logarithms of the probabilities that raw scores stand for.

    Contrasts say of each class how likely it is against its absence; where a document has exactly
    one label these are made to sum to one.
    """
    if not contrasts:
        return log_posteriors(scores)
    each: FloatArray = -np.logaddexp(0.0, -scores)
    return each if multi_label else log_posteriors(each)

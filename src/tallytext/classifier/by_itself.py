"""What a model says of its own documents, as if it did not know their labels."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tallytext.bayes.out_of_sample import in_columns
from tallytext.smoothing.base import Numbers

_NEVER = -1  # the fold of documents whose labels the model always knows


def own_scores(
    model: Any, n_documents: int, folds: Sequence[NDArray[np.int64]], classes: NDArray[Any]
) -> Numbers:
    """Return scores of all documents with labels, those of folds by models without their labels.

    Parameters
    ----------
    model : TrainedClassifier
        Fitted; has ``out_of_sample_scores``.
    n_documents : int
        How many documents with labels it was trained on.
    folds : sequence of ndarray
        Which of these are without their labels together.
    classes : ndarray
        The labels of the columns, sorted.
    """
    fold_of = np.full(n_documents, _NEVER)
    for fold, rows in enumerate(folds):
        fold_of[rows] = fold
    return in_columns(model.out_of_sample_scores(fold_of), model.classes_, classes)

"""A linear map from documents to the classes that they are expected to be of."""

from __future__ import annotations

from typing import Any

import numpy as np

from tallytext.linear.ridge import descend
from tallytext.smoothing.base import Numbers
from tallytext.unlabelled.pool import Pool

_STEPS = 12


def document_weights(
    pool: Pool, rows: Any, labelled_weight: float = 20.0, unseen: Any = ()
) -> Numbers:
    """Return what documents weigh: those with labels so much, those unseen nothing, others one.

    Parameters
    ----------
    pool : Pool
        All documents.
    rows : array-like of int
        Which of them have labels.
    labelled_weight : float, default=20.0
        What these weigh.
    unseen : array-like of int, default=()
        Which are left out.
    """
    weights = np.ones(pool.n_documents)
    weights[rows] = labelled_weight
    weights[np.asarray(unseen, dtype=np.intp)] = 0.0
    return weights


def expected_regression(
    pool: Pool, shares: Numbers, weights: Numbers, penalty: float
) -> tuple[Numbers, Numbers]:
    r"""Return weights of words for classes, and what is added for every document.

    .. math:: \min_B \sum_d \omega_d \left\lVert v_d B - (R_d - \bar R) \right\rVert^2
              + \lambda \lVert B \rVert^2

    by a few conjugate gradients, with :math:`\bar R` the weighted mean.

    Parameters
    ----------
    pool : Pool
    shares : ndarray of shape (n_documents, n_classes)
        R, the probability of each class for each document.
    weights : ndarray of shape (n_documents,)
        :math:`\omega`; see :func:`document_weights`.
    penalty : float
        :math:`\lambda`.
    """
    weights = weights[:, None]
    mean = (weights * shares).sum(axis=0) / weights.sum()

    def product(found: Numbers) -> Numbers:
        return pool.units.transposed_times(weights * pool.units.times(found))

    right = pool.units.transposed_times(weights * (shares - mean))
    solution = descend(product, right, penalty, 0.0, _STEPS, lambda: None)
    return solution.values, mean

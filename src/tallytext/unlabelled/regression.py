"""A linear map from documents to the classes that they are expected to be of."""

from __future__ import annotations

from typing import Any

import numpy as np

from tallytext.linear.ridge import descend
from tallytext.smoothing.base import Numbers
from tallytext.unlabelled.pool import Pool

_STEPS = 12


def expected_regression(
    pool: Pool, shares: Numbers, rows: Any, penalty: float, labelled_weight: float
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
    rows : ndarray of int
        Which documents have labels.
    penalty : float
        :math:`\lambda`.
    labelled_weight : float
        :math:`\omega` of documents with labels, beside one for the others.
    """
    weights = np.ones((pool.n_documents, 1))
    weights[rows] = labelled_weight
    mean = (weights * shares).sum(axis=0) / weights.sum()

    def product(found: Numbers) -> Numbers:
        return pool.units.transposed_times(weights * pool.units.times(found))

    right = pool.units.transposed_times(weights * (shares - mean))
    solution = descend(product, right, penalty, 0.0, _STEPS, lambda: None)
    return solution.values, mean

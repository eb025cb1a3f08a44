"""Active learning: select the next document to label by uncertainty and representativeness."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tallytext._typing import FloatArray

_MAX_CANDIDATES = 1_000
# Labelled documents whose cosines are held in memory at the same time.
_BLOCK_ROWS = 1_000
# With this number of labels, the model's own confidence is weighted by one half.
_HALF_TRUST_LABELS = 10


@dataclass(frozen=True)
class QueryStrategy:
    r"""Select the document that represents most of the documents the model is uncertain about.

    A query is chosen from a thousand candidates, sampled again for each query. The strategy is
    facility location weighted by uncertainty: it selects the candidate d with the largest gain

    .. math:: \sum_e u_e \max\left(0, \cos(d, e) - k_e\right)

    The sum is over all candidates :math:`e`. :math:`k_e` is the largest cosine between e and a
    labelled document. :math:`u_e = 1 - \frac{m}{m + 10} l_e` is the uncertainty about e of a model
    with m labels, where :math:`l_e` is the margin between its best and second-best class. Outliers
    gain little because few candidates are near them; neighbours of labelled documents gain little
    because :math:`k_e` is large there. The first queries spread over all documents, because the
    margins of a model with few labels are not reliable.

    Parameters
    ----------
    latent : ndarray of shape (n_documents, n_components)
        Documents in a latent space.
    seed : int, default=0
        Seed for the sample of candidates.

    Examples
    --------
    >>> latent = np.array([[1.0, 0.0], [2.0, 0.1], [0.0, 1.0], [0.1, 2.0], [0.1, 2.1]])
    >>> strategy = QueryStrategy(latent)
    >>> strategy.select(np.arange(5), None, [])
    3
    >>> strategy.select(np.arange(5), None, [3]) in (0, 1)
    True
    """

    latent: FloatArray
    seed: int = 0

    def sample_candidates(self, excluded: NDArray[np.bool_]) -> NDArray[np.intp]:
        """Return at most a thousand documents that are not excluded, in order.

        Parameters
        ----------
        excluded : ndarray of bool of shape (n_documents,)
            True for documents that are labelled or skipped.
        """
        free = np.flatnonzero(~excluded)
        if len(free) <= _MAX_CANDIDATES:
            return free
        # Seeded by the number of excluded documents, so that undoing a label and resuming a
        # session give the same candidates as before.
        rng = np.random.default_rng([self.seed, int(excluded.sum())])
        # Sorted, so that ties in the gain go to the first document.
        return np.sort(rng.choice(free, _MAX_CANDIDATES, replace=False))

    def select(
        self,
        candidates: NDArray[np.intp],
        margins: FloatArray | None,
        labelled: NDArray[np.intp] | list[int],
    ) -> int:
        """Return the candidate with the largest gain.

        Parameters
        ----------
        candidates : ndarray of int
            Row numbers of documents without a label.
        margins : ndarray of shape (n_candidates,) or None
            Margin between the best and second-best class of each; None without a model.
        labelled : ndarray or list of int
            Row numbers of labelled documents.
        """
        units = self._unit_vectors(candidates)
        gains = np.maximum(units @ units.T - self._max_cosines(units, labelled), 0.0)
        n = len(labelled)
        # u_e of the class docstring, where n is m.
        uncertainty = 1.0 if margins is None else 1.0 - n / (n + _HALF_TRUST_LABELS) * margins
        return int(candidates[np.argmax((gains * uncertainty).sum(axis=1))])

    def _max_cosines(self, units: FloatArray, labelled: NDArray[np.intp] | list[int]) -> FloatArray:
        """Return the largest cosine of each vector with a labelled document, at least 0."""
        # At least 0, since a negative cosine would reward documents for being unlike the labelled
        # ones.
        largest = np.zeros(len(units))
        for start in range(0, len(labelled), _BLOCK_ROWS):
            block = self._unit_vectors(labelled[start : start + _BLOCK_ROWS])
            np.maximum(largest, (units @ block.T).max(axis=1), out=largest)
        return largest

    def _unit_vectors(self, rows: NDArray[np.intp] | list[int]) -> FloatArray:
        vectors = np.asarray(self.latent[np.asarray(rows, dtype=np.intp)], dtype=np.float64)
        # A document without known words is the zero vector, which stays zero: its cosines are 0.
        return vectors / np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-12)


def class_margins(probabilities: FloatArray) -> FloatArray:
    """Return the difference between the two largest class probabilities of each document.

    Parameters
    ----------
    probabilities : ndarray of shape (n_documents, n_classes)

    Examples
    --------
    >>> class_margins(np.array([[0.5, 0.5, 0.0], [0.9, 0.1, 0.0], [1.0, 0.0, 0.0]])).round(3)
    array([0. , 0.8, 1. ])
    """
    if probabilities.shape[1] < 2:
        return np.ones(len(probabilities))
    # Linear in the number of classes, where sorting is not.
    two = np.partition(probabilities, probabilities.shape[1] - 2, axis=1)[:, -2:]
    return np.asarray(two[:, 1] - two[:, 0])

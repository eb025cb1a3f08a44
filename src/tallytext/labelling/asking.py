"""Which document to ask for next."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tallytext.labelling.places import Places
from tallytext.smoothing.base import Numbers

#: Of so many questions one is about a document drawn at random, so that accuracy can be told.
ONE_AT_RANDOM_OF = 5


@dataclass(frozen=True)
class Asking:
    """How much a document would teach: unsure, typical of many, and unlike those with labels.

    .. math:: u_d \\cdot t_d \\cdot (1 - n_d)

    where :math:`u` is one minus the lead of the best class over the second best (one, before there
    is a model), :math:`t` the typicality and :math:`n` the nearness of :class:`Places`.
    """

    places: Places

    def next(self, shares: Numbers | None, taken: NDArray[np.bool_]) -> int:
        """Return the document to ask for.

        Parameters
        ----------
        shares : ndarray of shape (n_documents, n_classes) or None
            How likely each class is, to the model of now; None without a model.
        taken : ndarray of bool of shape (n_documents,)
            Those that need not be asked for.
        """
        unsure = 1.0 if shares is None else unsureness(shares)
        worth = unsure * self.places.typicality * (1.0 - self.places.nearness)
        return int(np.argmax(np.where(taken, -1.0, worth)))


def unsureness(shares: Numbers) -> Numbers:
    """Return one minus the lead of the best class.

    Examples
    --------
    >>> unsureness(np.array([[0.5, 0.5, 0.0], [0.9, 0.1, 0.0], [1.0, 0.0, 0.0]])).round(3)
    array([1. , 0.2, 0. ])
    """
    if shares.shape[1] < 2:
        return np.ones(len(shares))
    two = np.partition(shares, shares.shape[1] - 2, axis=1)[:, -2:]
    return np.asarray(1.0 - (two[:, 1] - two[:, 0]))

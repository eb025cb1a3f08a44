"""How much a word tells what a document is about, found from documents without labels."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from tallytext.products import Products
from tallytext.smoothing.base import Numbers, expect_between, expect_whole
from tallytext.unlabelled.counts import Rows, inverse_frequencies, plain_counts
from tallytext.unlabelled.latent import leading_directions, unit_rows
from tallytext.unlabelled.presence import Presence
from tallytext.unlabelled.views import unit_weights


@dataclass(frozen=True)
class Topicality:
    r"""Weights between 0, for function words, and 1, found from a pool of documents.

    Documents are directions z in a latent space. A word that only holds sentences together is in
    documents of all directions; those of a topical word point one way. How far their mean is from
    that of documents drawn by their length alone, the noise of :math:`\mathrm{df}_w` draws taken
    off, is the topicality

    .. math:: \tau_w = \max\left(0,\, \left\lVert \bar z_w - \bar z^{\,\text{by length}}_w
              \right\rVert^2 - 1 / \mathrm{df}_w \right), \qquad
              g_w = \frac{\tau_w}{\tau_w + h}

    and :math:`g_w` the weight. No language is assumed, and no list of words needed. The latent
    space is found anew with the weights, ``passes`` times in all. Words of fewer than ten
    documents have :math:`\tau_w = 1`.

    Parameters
    ----------
    half : float, default=0.05
        h, the topicality at which a word has half its weight; 0 for weights of one.
    n_components : int, default=100
        Dimensions of the latent space.
    passes : int, default=2
        How often weights are found.
    n_documents : int, default=5000
        Documents that the latent space is found from, at most; all of them are placed in it.
    seed : int, default=0
        Decides which.

    Examples
    --------
    >>> Topicality(half=0).weights([[1, 0], [2, 1]])
    array([1., 1.])
    """

    half: float = 0.05
    n_components: int = 100
    passes: int = 2
    n_documents: int = 5000
    seed: int = 0

    def __post_init__(self) -> None:
        expect_between("half", self.half, 0.0, 1e6)
        expect_whole("n_components", self.n_components, 1)
        expect_whole("passes", self.passes, 1)
        expect_whole("n_documents", self.n_documents, 1)
        expect_whole("seed", self.seed, 0)

    def weights(self, X: Any, n_threads: int = 1) -> Numbers:
        """Return :math:`g_w` for the columns of a matrix of counts.

        Parameters
        ----------
        X : sparse matrix, sparse array or array-like of shape (n_documents, n_terms)
            Counts.
        n_threads : int, default=1
            How many threads to use.
        """
        counts = plain_counts(X)
        found = np.ones(counts.shape[1])
        if self.half == 0 or min(counts.shape) < 2:
            return found
        idf, presence = inverse_frequencies(counts), Presence.of(counts, n_threads)
        for _ in range(self.passes):
            distances = presence.distances(self._placed(counts, idf * found, n_threads))
            found = distances / (distances + self.half)
        return found

    def _placed(self, counts: Rows[Any], scale: Numbers, n_threads: int) -> Numbers:
        """Return the direction of each document in the latent space."""
        units = unit_weights(counts, scale)
        all_of_them = Products(units, n_threads)
        some = all_of_them
        if counts.shape[0] > self.n_documents:
            chosen = np.random.default_rng(self.seed).permutation(counts.shape[0])
            some = Products(units[np.sort(chosen[: self.n_documents])], n_threads)
        right = leading_directions(some, self.n_components, 2, self.seed)
        return unit_rows(all_of_them.times(right))

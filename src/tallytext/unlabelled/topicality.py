"""How much a word tells what a document is about, found from documents without labels."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse

from tallytext.products import Products
from tallytext.smoothing.base import Numbers, expect_between, expect_whole
from tallytext.unlabelled.latent import leading_directions, unit_rows
from tallytext.unlabelled.views import unit_weights

_LEAST_DOCUMENTS = 10  # a word of fewer documents cannot be told from a topical one
_LENGTHS = 64  # groups of documents of about equal length


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

    def weights(self, X: Any, n_threads: int = 1) -> Numbers:
        """Return :math:`g_w` for the columns of a matrix of counts."""
        counts = sparse.csr_array(X, dtype=np.float64)
        found = np.ones(counts.shape[1])
        if self.half == 0 or min(counts.shape) < 2:
            return found
        for _ in range(self.passes):
            distances = _distances(counts, self._placed(counts, found, n_threads), n_threads)
            found = distances / (distances + self.half)
        return found

    def _placed(self, counts: sparse.csr_array[Any], weights: Numbers, n_threads: int) -> Numbers:
        """Return the direction of each document in the latent space."""
        units = unit_weights(counts, _idf(counts) * weights)
        some = units
        if counts.shape[0] > self.n_documents:
            chosen = np.random.default_rng(self.seed).permutation(counts.shape[0])
            some = units[np.sort(chosen[: self.n_documents])]
        right = leading_directions(Products(some, n_threads), self.n_components, 2, self.seed)
        return unit_rows(Products(units, n_threads).times(right))


def _distances(counts: sparse.csr_array[Any], places: Numbers, n_threads: int) -> Numbers:
    """Return the topicality of each word."""
    there = counts.copy()
    there.data = np.ones_like(there.data)
    df = np.asarray(there.sum(axis=0)).ravel()
    often = np.flatnonzero(df >= _LEAST_DOCUMENTS)
    found = np.ones(counts.shape[1])
    if not often.size:
        return found
    means = Products(there, n_threads).transposed_times(places)[often] / df[often, None]
    expected = _expected(counts, places, often)
    found[often] = np.maximum(np.square(means - expected).sum(axis=1) - 1 / df[often], 0.0)
    return found


def _expected(counts: sparse.csr_array[Any], places: Numbers, words: Any) -> Numbers:
    """Return the mean place of documents that hold a word by chance: the longer, the likelier."""
    lengths = np.asarray(counts.sum(axis=1)).ravel()
    groups = np.array_split(np.argsort(lengths, kind="stable"), min(_LENGTHS, len(lengths)))
    sizes = np.array([len(group) for group in groups], dtype=np.float64)
    typical = np.array([lengths[group].mean() for group in groups])
    sums = np.array([places[group].sum(axis=0) for group in groups])
    rates = np.asarray(counts.sum(axis=0)).ravel()[words] / max(lengths.sum(), 1e-300)
    chances = -np.expm1(-np.outer(rates, typical))
    return (chances @ sums) / np.maximum(chances @ sizes, 1e-300)[:, None]


def _idf(counts: sparse.csr_array[Any]) -> Numbers:
    df = np.bincount(counts.indices, minlength=counts.shape[1])
    return np.log((counts.shape[0] + 1) / (df + 1)) + 1

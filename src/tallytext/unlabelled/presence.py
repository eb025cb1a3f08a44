"""Where the documents lie that have a word, and where they would by chance."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from tallytext.products import Products
from tallytext.smoothing.base import Numbers
from tallytext.unlabelled.counts import Rows
from tallytext.weighting import document_frequencies

_LEAST_DOCUMENTS = 10  # a word of fewer documents cannot be told from a topical one
_LENGTHS = 64  # groups of documents of about equal length


@dataclass(frozen=True)
class Presence:
    """Which documents have which words, made ready once for all places of documents.

    Attributes
    ----------
    holds : Products
        Ones where a document has a word.
    df : ndarray of shape (n_terms,)
        Documents of each word.
    often : ndarray of int of shape (n_often,)
        Words of enough documents.
    groups : ndarray of int of shape (n_documents,)
        Which group of about equal length each document is in.
    chances : ndarray of shape (n_often, n_groups)
        How likely a document of each group has each of these words, if words fell anywhere.
    """

    holds: Products
    df: NDArray[Any]
    often: NDArray[Any]
    groups: NDArray[Any]
    chances: Numbers

    @classmethod
    def of(cls, counts: Rows[Any], n_threads: int) -> Self:
        """Return the presence of words in documents."""
        holds = counts.copy()
        holds.data = np.ones_like(counts.data)
        df = document_frequencies(counts)
        often = np.flatnonzero(df >= _LEAST_DOCUMENTS)
        lengths = np.asarray(counts.sum(axis=1), dtype=np.float64).ravel()
        groups = of_equal_length(lengths)
        typical = np.bincount(groups, lengths) / np.bincount(groups)
        rates = np.asarray(counts.sum(axis=0)).ravel()[often] / max(lengths.sum(), 1e-300)
        chances = -np.expm1(-np.outer(rates, typical))
        return cls(Products(holds, n_threads), df, often, groups, chances)

    def distances(self, places: Numbers) -> Numbers:
        """Return the topicality of each word, where documents have these places."""
        found = np.ones(len(self.df))
        if not self.often.size:
            return found
        df = self.df[self.often]
        means = self.holds.transposed_times(places)[self.often] / df[:, None]
        away = np.square(means - self._by_chance(places)).sum(axis=1)
        found[self.often] = np.maximum(away - 1 / df, 0.0)
        return found

    def _by_chance(self, places: Numbers) -> Numbers:
        """Return the mean place of documents that hold a word by their length alone."""
        order = np.argsort(self.groups, kind="stable")
        sizes = np.bincount(self.groups)
        sums = np.add.reduceat(places[order], np.cumsum(sizes) - sizes, axis=0)
        return (self.chances @ sums) / np.maximum(self.chances @ sizes, 1e-300)[:, None]


def of_equal_length(lengths: Numbers) -> NDArray[Any]:
    """Return groups of about as many documents each; those of one length are never apart.

    Examples
    --------
    >>> of_equal_length(np.array([5.0, 1.0, 5.0, 2.0]))
    array([2, 0, 2, 1])
    """
    n = len(lengths)
    at = n * np.arange(1, min(_LENGTHS, n)) // min(_LENGTHS, n)
    cuts = np.unique(np.sort(lengths)[at])
    return np.unique(np.searchsorted(cuts, lengths, side="right"), return_inverse=True)[1]

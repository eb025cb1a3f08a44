"""A pool of documents, made ready once for all that is learned from it."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, Self

import numpy as np

from tallytext.products import Products
from tallytext.semantic.estimation import translation_rows
from tallytext.smoothing.base import Numbers
from tallytext.unlabelled.counts import (
    Rows,
    inverse_frequencies,
    plain_counts,
)
from tallytext.unlabelled.topicality import Topicality
from tallytext.unlabelled.views import Views, unit_weights
from tallytext.weighting import document_frequencies

_LEAST = 0.001  # what every word counts in the background, so that none is impossible


@dataclass(frozen=True)
class Pool:
    """Documents with and without labels, in all views.

    Attributes
    ----------
    views : Views
        Of the words that count; all below is about these.
    shares, units : Products
        u and v of all documents.
    latent : ndarray of shape (n_documents, n_components)
        z of all documents.
    background : ndarray of shape (n_terms,)
        The share of each word in all documents.
    n_distinct : float
        Words of a document, on average.
    n_threads : int
    beta : float
        How much of a word's company is put down to the background.
    """

    views: Views
    shares: Products
    units: Products
    latent: Numbers
    background: Numbers
    n_distinct: float
    n_threads: int
    beta: float

    @classmethod
    def of(
        cls,
        X: Any,
        topicality: Topicality,
        n_components: int,
        min_df: int,
        beta: float,
        n_threads: int,
    ) -> Self:
        """Return the pool of documents that are rows of counts.

        Parameters
        ----------
        X : sparse matrix, sparse array or array-like of shape (n_documents, n_terms)
            Counts.
        topicality : Topicality
            How words are weighed.
        n_components : int
            Dimensions of the latent space.
        min_df : int
            Words of fewer documents do not count.
        beta : float
            How much of the company of a word is put down to the background.
        n_threads : int
            How many threads to use.
        """
        counts = plain_counts(X)
        columns = _common(counts, min_df)
        counts = counts[:, columns]
        emphasis = topicality.weights(counts, n_threads)
        n_distinct = counts.nnz / max(counts.shape[0], 1)
        kept = _telling(emphasis)
        counts, columns, emphasis = counts[:, kept], columns[kept], emphasis[kept]
        idf = inverse_frequencies(counts)
        units = Products(unit_weights(counts, idf * emphasis), n_threads)
        views = Views.of(units, columns, emphasis, idf, n_components, topicality.seed)
        return cls(
            views=views,
            shares=Products(views.shares(counts), n_threads),
            units=units,
            latent=views.latent(units),
            background=_background(counts, emphasis),
            n_distinct=max(n_distinct, 1.0),
            n_threads=n_threads,
            beta=beta,
        )

    @property
    def n_documents(self) -> int:
        """Number of documents, with and without labels."""
        return self.shares.shape[0]

    @cached_property
    def translation(self) -> Products:
        """What words each word brings with it, in rows that sum to one."""
        rows = translation_rows(
            self.shares.matrix,
            self.background,
            beta=self.beta,
            max_entries=None,
            min_df=2,
            n_threads=self.n_threads,
        )
        return Products(rows.T.tocsr(), self.n_threads)


def _common(counts: Rows[Any], min_df: int) -> Any:
    """Return which words enough documents have; all of them where none is so common."""
    df = document_frequencies(counts)
    for enough in (df >= min_df, df > 0):
        if enough.any():
            return np.flatnonzero(enough)
    return np.arange(len(df))


def _telling(emphasis: Numbers) -> Any:
    """Return which words have a weight; the first, where none has."""
    found = np.flatnonzero(emphasis > 0)
    return found if found.size else np.arange(min(1, len(emphasis)))


def _background(counts: Rows[Any], emphasis: Numbers) -> Numbers:
    """Return the share of each word in all documents, by logarithmic counts."""
    weighed = np.log1p(counts.data) * emphasis[counts.indices]
    found = _LEAST + np.bincount(counts.indices, weighed, counts.shape[1])
    return found / max(found.sum(), 1e-300)

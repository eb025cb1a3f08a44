"""A pool of documents, made ready once for all that is learned from it."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, Self

import numpy as np
from scipy import sparse

from tallytext.products import Products
from tallytext.semantic.estimation import translation_rows
from tallytext.smoothing.base import Numbers
from tallytext.unlabelled.topicality import Topicality
from tallytext.unlabelled.views import Rows, Views

_LEAST = 0.001  # what every word counts in the background, so that none is impossible


@dataclass(frozen=True)
class Pool:
    """Documents with and without labels, in all views.

    Attributes
    ----------
    views : Views
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
        """Return the pool of documents that are rows of counts."""
        counts = sparse.csr_array(X, dtype=np.float64, copy=True)
        counts.eliminate_zeros()
        common = _common(counts, min_df)
        counts.data[~common[counts.indices]] = 0.0
        counts.eliminate_zeros()
        emphasis = topicality.weights(counts, n_threads) * common
        views = Views.of(counts, emphasis, n_components, topicality.seed, n_threads)
        units = Products(views.units(counts), n_threads)
        log_counts = np.bincount(
            counts.indices, np.log1p(counts.data) * emphasis[counts.indices], counts.shape[1]
        )
        background = (_LEAST + log_counts) * common
        return cls(
            views=views,
            shares=Products(views.shares(counts), n_threads),
            units=units,
            latent=views.latent(units),
            background=background / max(background.sum(), 1e-300),
            n_distinct=max(counts.nnz / max(counts.shape[0], 1), 1.0),
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
    df = np.bincount(counts.indices, minlength=counts.shape[1])
    enough = df >= min_df
    return enough if enough.any() else df > 0

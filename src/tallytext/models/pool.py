"""A pool of documents, made ready once for all that is learned from it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from scipy import linalg, sparse

from tallytext._typing import FloatArray
from tallytext._validation import check_between, check_whole
from tallytext.errors import CountError, FileError
from tallytext.features.smart import document_frequencies
from tallytext.features.svd import Products
from tallytext.io.array_checks import Shape, float_part, whole_part
from tallytext.models.refined import damped
from tallytext.semantic.estimation import translation_rows

# ------------------------------------------------------------------------------------------------
# Counts of documents as all that learns from a pool takes them.

Rows = sparse.csr_array


def plain_counts(X: Any) -> Rows[Any]:
    """Return counts in rows: each word of a document once, and none that it does not have.

    The matrix that was given stays as it is; where it is so already, no copy is made.

    Raises
    ------
    CountError
        If some are negative, infinite or not a number.

    Examples
    --------
    >>> twice = sparse.csr_array(([1.0, 2.0, 0.0], [0, 0, 1], [0, 3]), shape=(1, 2))
    >>> plain_counts(twice).data
    array([3.])
    """
    counts = sparse.csr_array(X, dtype=np.float64)
    if not np.isfinite(counts.data).all() or counts.data.min(initial=0.0) < 0:
        raise CountError("a count is negative, infinite or not a number.")
    if counts.has_canonical_format and counts.data.all():
        return counts
    counts = counts.copy()
    counts.sum_duplicates()
    counts.eliminate_zeros()
    return counts


def inverse_frequencies(counts: Rows[Any]) -> FloatArray:
    r"""Return :math:`\mathrm{idf}_w = 1 + \ln((1 + n) / (1 + \mathrm{df}_w))`.

    Examples
    --------
    >>> inverse_frequencies(sparse.csr_array([[1.0, 0.0], [2.0, 0.0]])).round(3)
    array([1.   , 2.099])
    """
    return np.log((counts.shape[0] + 1) / (document_frequencies(counts) + 1)) + 1


# ------------------------------------------------------------------------------------------------
# Directions in which documents differ most: the leading right singular vectors of a matrix.

_MORE = 10  # directions looked at besides those that are kept
_CLOSE = 1e-8  # squared lengths of columns, made orthogonal, that are as good as nothing


def leading_directions(products: Products, k: int, n_steps: int = 3, seed: int = 0) -> FloatArray:
    """Return the first k right singular vectors, about, in columns.

    By random directions that are brought towards the leading ones ``n_steps`` times. There are
    fewer where the matrix has fewer rows or columns, or where nothing is left of it.

    Examples
    --------
    >>> products = Products(np.diag([3.0, 2.0, 0.0]))
    >>> abs(leading_directions(products, 2).round(6))
    array([[1., 0.],
           [0., 1.],
           [0., 0.]])
    """
    n_rows, n_columns = products.shape
    width = min(k + _MORE, n_rows, n_columns)
    if not width:
        return np.zeros((n_columns, 0))
    found: FloatArray = np.random.default_rng(seed).standard_normal((n_columns, width))
    for _ in range(n_steps):
        found = _orthogonal(products.transposed_times(products.times(found)))
    images = products.times(found)
    values, turns = linalg.eigh(images.T @ images)
    first = np.argsort(-values, kind="stable")[:k]
    first = first[values[first] > 1e-12 * max(values.max(initial=0.0), 1e-300)]
    return np.ascontiguousarray(found @ turns[:, first])


def unit_rows(rows: FloatArray) -> FloatArray:
    """Return rows of length one; those of zeros as they are."""
    lengths = np.sqrt(np.einsum("ij,ij->i", rows, rows))
    return rows / np.where(lengths > 0, lengths, 1.0)[:, None]


def _orthogonal(columns: FloatArray) -> FloatArray:
    """Return orthogonal columns of length one that span the same space."""
    values, turns = linalg.eigh(columns.T @ columns)
    if values[0] > _CLOSE * values[-1]:
        return columns @ (turns / np.sqrt(values))
    # Columns that nearly depend on each other would lose digits so; otherwise it is much faster.
    return linalg.qr(columns, mode="economic", check_finite=False)[0]


# ------------------------------------------------------------------------------------------------
# Where the documents lie that have a word, and where they would by chance.

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
    chances: FloatArray

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

    def distances(self, places: FloatArray) -> FloatArray:
        """Return the topicality of each word, where documents have these places."""
        found = np.ones(len(self.df))
        if not self.often.size:
            return found
        df = self.df[self.often]
        means = self.holds.transposed_times(places)[self.often] / df[:, None]
        away = np.square(means - self._by_chance(places)).sum(axis=1)
        found[self.often] = np.maximum(away - 1 / df, 0.0)
        return found

    def _by_chance(self, places: FloatArray) -> FloatArray:
        """Return the mean place of documents that hold a word by their length alone."""
        order = np.argsort(self.groups, kind="stable")
        sizes = np.bincount(self.groups)
        sums = np.add.reduceat(places[order], np.cumsum(sizes) - sizes, axis=0)
        return (self.chances @ sums) / np.maximum(self.chances @ sizes, 1e-300)[:, None]


def of_equal_length(lengths: FloatArray) -> NDArray[Any]:
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


# ------------------------------------------------------------------------------------------------
# Documents seen in three ways: as shares of words, as directions, and in a latent space.

_MOST_IDF = 1000.0  # far beyond the logarithm of any number of documents


@dataclass(frozen=True)
class Views:
    r"""What documents are turned into before they are judged.

    .. math:: u_w \propto g_w \ln(1 + x_w), \quad \textstyle\sum_w u_w = 1; \qquad
              v_w \propto g_w\, \mathrm{idf}_w (1 + \ln x_w), \quad \lVert v \rVert = 1; \qquad
              z \propto D^T v, \quad \lVert z \rVert = 1

    Attributes
    ----------
    columns : ndarray of shape (n_terms,)
        Which columns of a matrix of counts are the words that count, ascending.
    emphasis : ndarray of shape (n_terms,)
        :math:`g_w`.
    idf : ndarray of shape (n_terms,)
    directions : ndarray of shape (n_terms, n_components)
        D, the leading right singular vectors of all v.
    """

    columns: NDArray[np.int64]
    emphasis: FloatArray
    idf: FloatArray
    directions: FloatArray

    @classmethod
    def of(
        cls,
        units: Products,
        columns: NDArray[np.int64],
        emphasis: FloatArray,
        idf: FloatArray,
        k: int,
        seed: int,
    ) -> Self:
        """Return the views of documents whose v are known, with k directions at most."""
        # As precise as a file will hold them, so that a saved model answers the same.
        right = leading_directions(units, k, seed=seed).astype(np.float32)
        return cls(columns, emphasis, idf, right.astype(np.float64))

    @property
    def n_components(self) -> int:
        """Dimensions of the latent space."""
        return self.directions.shape[1]

    def narrowed(self, counts: Rows[Any]) -> Rows[Any]:
        """Return documents with the words that count alone."""
        return counts[:, self.columns]

    def shares(self, counts: Rows[Any]) -> Rows[Any]:
        """Return u of documents."""
        return shares_of_words(counts, self.emphasis)

    def units(self, counts: Rows[Any]) -> Rows[Any]:
        """Return v of documents."""
        return unit_weights(counts, self.idf * self.emphasis)

    def latent(self, units: Products) -> FloatArray:
        """Return z of documents."""
        return unit_rows(units.times(self.directions))

    def to_arrays(self) -> dict[str, NDArray[Any]]:
        """Return what the views consist of, for a file."""
        directions = self.directions.astype(np.float32)
        return {
            "columns": self.columns,
            "emphasis": self.emphasis,
            "idf": self.idf,
            "directions": directions,
        }

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, NDArray[Any]], n_features: int) -> Self:
        """Return the views of matrices of so many columns that arrays of a file are."""
        columns = whole_part(arrays, "columns", (None,), 0, n_features)
        if (np.diff(columns) <= 0).any():
            raise FileError("columns should ascend, and do not.")
        n_terms = len(columns)
        emphasis = _within(arrays, "emphasis", (n_terms,), 1.0)
        return cls(
            columns=columns,
            emphasis=emphasis,
            idf=_within(arrays, "idf", (n_terms,), _MOST_IDF),
            directions=single_part(arrays, "directions", (n_terms, None)),
        )


def single_part(arrays: Mapping[str, NDArray[Any]], name: str, shape: Shape) -> FloatArray:
    """Return an array of finite 32-bit floats, as 64-bit ones."""
    part = float_part(arrays, name, shape)
    if part.dtype != np.float32:
        raise FileError(f"{name} should be an array of float32, not of {part.dtype}.")
    return part.astype(np.float64)


def _within(arrays: Mapping[str, NDArray[Any]], name: str, shape: Shape, most: float) -> FloatArray:
    part = float_part(arrays, name, shape).astype(np.float64)
    if part.size and not (part.min() >= 0 and part.max() <= most):
        raise FileError(
            f"{name} should lie from 0 to {most:g}, but some are {part.min():g} to {part.max():g}."
        )
    return part


def shares_of_words(counts: Rows[Any], emphasis: FloatArray) -> Rows[Any]:
    """Return logarithmic counts, weighed, that sum to one in each document.

    Examples
    --------
    >>> shares_of_words(Rows([[1.0, 1.0, 0.0]]), np.array([1.0, 3.0, 1.0])).toarray()
    array([[0.25, 0.75, 0.  ]])
    """
    found = counts.copy()
    found.data = np.log1p(counts.data) * emphasis[counts.indices]
    return _scaled(found, np.asarray(found.sum(axis=1), dtype=np.float64).ravel())


def unit_weights(counts: Rows[Any], scale: FloatArray) -> Rows[Any]:
    """Return damped counts, scaled, in rows of length one.

    Examples
    --------
    >>> unit_weights(Rows([[1.0, 1.0, 0.0]]), np.array([3.0, 4.0, 1.0])).toarray()
    array([[0.6, 0.8, 0. ]])
    """
    found = counts.copy()
    found.data = damped(counts.data) * scale[counts.indices]
    return _scaled(found, np.sqrt(np.asarray(found.multiply(found).sum(axis=1)).ravel()))


def _scaled(rows: Rows[Any], sizes: FloatArray) -> Rows[Any]:
    """Divide each row by its size; a row of nothing stays one."""
    rows.data /= np.repeat(np.where(sizes > 0, sizes, 1.0), np.diff(rows.indptr))
    return rows


# ------------------------------------------------------------------------------------------------
# How much a word tells what a document is about, found from documents without labels.


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
        check_between("half", self.half, 0.0, 1e6)
        check_whole("n_components", self.n_components, 1)
        check_whole("passes", self.passes, 1)
        check_whole("n_documents", self.n_documents, 1)
        check_whole("seed", self.seed, 0)

    def weights(self, X: Any, n_threads: int = 1) -> FloatArray:
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

    def _placed(self, counts: Rows[Any], scale: FloatArray, n_threads: int) -> FloatArray:
        """Return the direction of each document in the latent space."""
        units = unit_weights(counts, scale)
        all_of_them = Products(units, n_threads)
        some = all_of_them
        if counts.shape[0] > self.n_documents:
            chosen = np.random.default_rng(self.seed).permutation(counts.shape[0])
            some = Products(units[np.sort(chosen[: self.n_documents])], n_threads)
        right = leading_directions(some, self.n_components, 2, self.seed)
        return unit_rows(all_of_them.times(right))


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
    latent: FloatArray
    background: FloatArray
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


def _telling(emphasis: FloatArray) -> Any:
    """Return which words have a weight; the first, where none has."""
    found = np.flatnonzero(emphasis > 0)
    return found if found.size else np.arange(min(1, len(emphasis)))


def _background(counts: Rows[Any], emphasis: FloatArray) -> FloatArray:
    """Return the share of each word in all documents, by logarithmic counts."""
    weighed = np.log1p(counts.data) * emphasis[counts.indices]
    found = _LEAST + np.bincount(counts.indices, weighed, counts.shape[1])
    return found / max(found.sum(), 1e-300)

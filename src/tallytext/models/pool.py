"""Document pool of :class:`~tallytext.PooledNB`: term weights and views computed once per pool."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Literal, Self

import numpy as np
from numpy.typing import NDArray
from scipy import linalg, sparse

from tallytext._typing import FloatArray
from tallytext._validation import check_between, check_sparse, check_whole
from tallytext.errors import CountError, FileError
from tallytext.evaluation.folds import cyclic_fold_numbers, iter_splits, ranks_within_classes
from tallytext.features.svd import SparseProducts
from tallytext.features.tf_idf import document_frequencies, log_tf
from tallytext.io.array_checks import Shape, check_float_array, check_int_array
from tallytext.semantic.estimation import translation_rows

Rows = sparse.csr_array

_BACKGROUND_PSEUDO_COUNT = 0.001  # of every term, so that none has probability zero
_MIN_TOPICALITY_DF = 10  # a rarer term cannot be distinguished from a topical one
_MIN_STRING_DF = 5  # a string of fewer documents costs more time than it is worth
_SVD_DOCUMENTS = 5000  # sampled documents that the directions are computed from
_SVD_STEPS = 2
# Directions of the latent space: one for every 40 documents, within these bounds.
_MIN_COMPONENTS, _MAX_COMPONENTS, _DOCUMENTS_PER_COMPONENT = 100, 200, 40
_N_LENGTH_GROUPS = 64  # groups of documents of about equal length
_MAX_IDF = 1000.0  # in a file; far beyond the logarithm of any number of documents
_OVERSAMPLING = 10  # random directions in addition to those that are returned
_MAX_FOLDS = 5
_RIDGE_PENALTY = 0.1
_MAX_COMPARED = 2000  # labelled documents; a table of all pairs of them is inverted
_MIN_GRAM_RATIO = 1e-8  # of eigenvalues of a Gram matrix; below, its square root loses digits


@dataclass(frozen=True)
class DocumentPool:
    """Documents with and without labels, in three views.

    Attributes
    ----------
    views : Views
        The selected terms and their weights; all attributes below refer to these terms.
    shares, units : SparseProducts
        u and v of all documents.
    latent : ndarray of shape (n_documents, n_components)
        z of all documents.
    background : ndarray of shape (n_terms,)
        The share of each term in all documents.
    n_distinct : float
        Mean number of distinct terms of a document.
    n_threads : int
    beta : float
        Share of the background in the mixture model of the translation.
    n_columns : int
        Number of columns of the count matrix, selected or not.
    """

    views: Views
    shares: SparseProducts
    units: SparseProducts
    latent: FloatArray
    background: FloatArray
    n_distinct: float
    n_threads: int
    beta: float
    n_columns: int

    @classmethod
    def from_counts(
        cls,
        X: Any,
        topicality: Topicality,
        n_components: int | None,
        min_df: int,
        beta: float,
        n_threads: int,
        strings: NDArray[np.bool_] | None = None,
        labelled: tuple[NDArray[np.intp], FloatArray] | None = None,
    ) -> Self:
        """Return the pool of the documents of a count matrix.

        Parameters
        ----------
        X : sparse matrix, sparse array or array-like of shape (n_documents, n_terms)
            Counts.
        topicality : Topicality
            Computes the term weights.
        n_components : int or None
            Dimensions of the latent space; None for 100 to 200, by the number of documents.
        min_df : int
            Words of fewer documents are ignored, and strings of fewer than five.
        beta : float
            Share of the background in the mixture model of the translation.
        n_threads : int
            Number of threads.
        strings : ndarray of bool of shape (n_terms,), default=None
            True for terms that are strings of characters; None if all are words.
        labelled : (rows, truth), default=None
            The labelled documents, and their labels as an indicator matrix. If all words weighted
            equally predict them better than topical words, so are they here.
        """
        counts = canonical_counts(X)
        if strings is None:
            strings = np.zeros(counts.shape[1], dtype=bool)
        columns = _frequent_terms(counts, np.where(strings, max(min_df, _MIN_STRING_DF), min_df))
        counts, strings = counts[:, columns], strings[columns]
        words = np.flatnonzero(~strings)
        # Strings occur in words of many topics, so that their topicality says little.
        emphasis = np.ones(len(columns))
        emphasis[words] = topicality.weights(counts[:, words], n_threads)
        if labelled is not None:
            rows, truth = labelled
            share = plain_share(counts[rows], emphasis, smooth_idf(counts), truth)
            emphasis += share * (1 - emphasis)
        n_distinct = counts[:, words].nnz / max(counts.shape[0], 1)
        # Terms without weight, mostly function words, make up much of the matrix.
        weighted = np.flatnonzero(emphasis > 0)
        if not weighted.size:
            weighted = np.arange(min(1, len(emphasis)))
        counts, columns, emphasis = counts[:, weighted], columns[weighted], emphasis[weighted]
        strings, idf = strings[weighted], smooth_idf(counts)
        units = SparseProducts(unit_vectors(counts, idf * emphasis), n_threads)
        directions = leading_directions(units, n_components, topicality.seed)
        views = Views(columns, emphasis, idf, directions, strings)
        shares = views.shares(counts)
        shares.eliminate_zeros()  # those of strings
        return cls(
            views=views,
            shares=SparseProducts(shares, n_threads),
            units=units,
            latent=views.latent(units),
            background=_background(counts, views.word_emphasis),
            n_distinct=max(n_distinct, 1.0),
            n_threads=n_threads,
            beta=beta,
            n_columns=X.shape[1],
        )

    @property
    def n_documents(self) -> int:
        """Number of documents, with and without labels."""
        return self.shares.shape[0]

    @cached_property
    def translation(self) -> SparseProducts:
        """Translation probabilities p(w|t), one column that sums to one for each term t.

        The most expensive part of a pool, so it is computed on first use.
        """
        rows = translation_rows(
            self.shares.matrix,
            self.background,
            beta=self.beta,
            min_probability=0.001,
            max_entries=None,
            min_df=2,
            n_threads=self.n_threads,
        )
        return SparseProducts(rows.T.tocsr(), self.n_threads)

    def append(
        self,
        counts: Rows[Any],
        new_emphasis: float,
        strings: NDArray[np.bool_] | None = None,
    ) -> DocumentPool:
        """Return the pool with more documents; the weights of its terms stay the same.

        Parameters
        ----------
        counts : csr_array of shape (n_documents, n_columns)
            Counts; columns beyond those of the pool are new terms.
        new_emphasis : float
            Weight of new words.
        strings : ndarray of bool of shape (n_columns,), default=None
            True for terms that are strings of characters; None if all are words.
        """
        pool = self._with_terms(counts, new_emphasis, strings)
        selected = pool.views.select_terms(counts)
        return pool._append_views(pool.views.shares(selected), pool.views.units(selected))

    def append_weighted(self, weights: Rows[Any]) -> DocumentPool:
        """Return the pool with more documents, whose words have weights instead of counts.

        Parameters
        ----------
        weights : csr_array of shape (n_documents, n_columns)
            The weight of each word in each document.
        """
        selected = self.views.select_terms(weights)
        return self._append_views(
            _scaled_rows(selected, self.views.word_emphasis, "l1"),
            _scaled_rows(selected, self.views.idf * self.views.emphasis, "l2"),
        )

    def _append_views(self, shares: Rows[Any], units: Rows[Any]) -> DocumentPool:
        latent = self.views.latent(SparseProducts(units, self.n_threads))
        shares.eliminate_zeros()
        return self._with_documents(
            sparse.vstack([self.shares.matrix, shares], format="csr"),
            sparse.vstack([self.units.matrix, units], format="csr"),
            np.vstack([self.latent, latent]),
        )

    def take(self, rows: Any) -> DocumentPool:
        """Return the pool of some of its documents; the weights of its terms stay the same.

        Parameters
        ----------
        rows : array-like of int
            The documents.
        """
        return self._with_documents(
            self.shares.matrix[rows], self.units.matrix[rows], self.latent[rows]
        )

    def _with_terms(
        self, counts: Rows[Any], new_emphasis: float, strings: NDArray[np.bool_] | None
    ) -> DocumentPool:
        """Return the pool with a column for each new word of some documents."""
        # Terms that the pool had left out, as too rare or without weight, stay out; and so do new
        # strings, which are too rare.
        new = np.unique(counts.indices[counts.indices >= self.n_columns]).astype(np.int64)
        if strings is not None:
            new = new[~strings[new]]
        views, n_terms = self.views, len(self.views.columns) + len(new)
        # A new term occurs in one document so far, or a few, and has no place among the others.
        idf = np.log((self.n_documents + 1) / 2) + 1
        share = self.background.min(initial=1.0)
        background = np.append(self.background, np.full(len(new), share))
        pool = replace(
            self,
            views=Views(
                np.append(views.columns, new),
                np.append(views.emphasis, np.full(len(new), new_emphasis)),
                np.append(views.idf, np.full(len(new), idf)),
                np.vstack([views.directions, np.zeros((len(new), views.n_components))]),
                np.append(views.strings, np.zeros(len(new), dtype=bool)),
            ),
            shares=SparseProducts(with_columns(self.shares.matrix, n_terms), self.n_threads),
            units=SparseProducts(with_columns(self.units.matrix, n_terms), self.n_threads),
            background=background / max(background.sum(), 1e-300),
            n_columns=max(self.n_columns, counts.shape[1]),
        )
        if "translation" in vars(self):
            rows = with_columns(self.translation.matrix, n_terms)
            rows.resize(n_terms, n_terms)
            vars(pool)["translation"] = SparseProducts(rows, self.n_threads)
        return pool

    def _with_documents(self, shares: Any, units: Any, latent: FloatArray) -> DocumentPool:
        pool = replace(
            self,
            shares=SparseProducts(shares, self.n_threads),
            units=SparseProducts(units, self.n_threads),
            latent=latent,
        )
        # The cached translation is not a field, and too expensive to compute again.
        if "translation" in vars(self):
            vars(pool)["translation"] = self.translation
        return pool


def with_columns(rows: Any, n_columns: int) -> Any:
    """Return a CSR matrix of another number of columns, without copying its cells.

    Examples
    --------
    >>> with_columns(sparse.csr_array([[1, 2]]), 3).toarray()
    array([[1, 2, 0]])
    """
    cells = rows.data, rows.indices, rows.indptr
    return sparse.csr_array(cells, shape=(rows.shape[0], n_columns))


def default_components(n_documents: int) -> int:
    """Return the dimensions of the latent space of a pool: more for more documents.

    Examples
    --------
    >>> default_components(500), default_components(6000), default_components(10**5)
    (100, 150, 200)
    """
    wanted = n_documents // _DOCUMENTS_PER_COMPONENT
    return min(max(wanted, _MIN_COMPONENTS), _MAX_COMPONENTS)


def leading_directions(units: SparseProducts, k: int | None, seed: int = 0) -> FloatArray:
    """Return leading right singular vectors of documents, of a sample of them if they are many.

    Parameters
    ----------
    units : SparseProducts
        v of the documents.
    k : int or None
        Their number; None for 100 to 200, by the number of documents.
    seed : int, default=0
        Of the sample, and of the randomized algorithm.
    """
    n = units.shape[0]
    if k is None:
        k = default_components(n)
    if n > _SVD_DOCUMENTS:
        order = np.random.default_rng(seed).permutation(n)[:_SVD_DOCUMENTS]
        units = SparseProducts(units.matrix[np.sort(order)], units.n_threads)
    # Rounded to the precision of a file, so that a saved model predicts the same.
    directions = leading_singular_vectors(units, k, _SVD_STEPS, seed).astype(np.float32)
    return directions.astype(np.float64)


def _frequent_terms(counts: Rows[Any], min_df: Any) -> Any:
    """Return the columns of terms of at least min_df documents; if there are none, of any."""
    df = document_frequencies(counts)
    for selected in (df >= min_df, df > 0):
        if selected.any():
            return np.flatnonzero(selected)
    return np.arange(len(df))


def _background(counts: Rows[Any], emphasis: FloatArray) -> FloatArray:
    """Return the share of each term in all documents, by weighted logarithmic counts."""
    weights = np.log1p(counts.data) * emphasis[counts.indices]
    sums = _BACKGROUND_PSEUDO_COUNT + np.bincount(counts.indices, weights, counts.shape[1])
    return sums / max(sums.sum(), 1e-300)


@dataclass(frozen=True)
class Views:
    r"""Three representations of a document.

    .. math:: u_w \propto g_w \ln(1 + x_w), \quad \textstyle\sum_w u_w = 1; \qquad
              v_w \propto g_w\, \mathrm{idf}_w (1 + \ln x_w), \quad \lVert v \rVert = 1; \qquad
              z \propto D^T v, \quad \lVert z \rVert = 1

    Attributes
    ----------
    columns : ndarray of shape (n_terms,)
        The selected columns of a count matrix, ascending.
    emphasis : ndarray of shape (n_terms,)
        :math:`g_w`.
    idf : ndarray of shape (n_terms,)
    directions : ndarray of shape (n_terms, n_components)
        D, leading right singular vectors of the matrix of all v.
    strings : ndarray of bool of shape (n_terms,)
        True for terms that are strings of characters. They have no part in u.
    """

    columns: NDArray[np.int64]
    emphasis: FloatArray
    idf: FloatArray
    directions: FloatArray
    strings: NDArray[np.bool_]

    @property
    def word_emphasis(self) -> FloatArray:
        """The emphasis of words, and 0 for strings."""
        return np.where(self.strings, 0.0, self.emphasis)

    @property
    def n_components(self) -> int:
        """Dimensions of the latent space."""
        return self.directions.shape[1]

    def select_terms(self, counts: Rows[Any]) -> Rows[Any]:
        """Return the selected columns of a count matrix."""
        return counts[:, self.columns]

    def shares(self, counts: Rows[Any]) -> Rows[Any]:
        """Return u of documents."""
        return word_shares(counts, self.word_emphasis)

    def units(self, counts: Rows[Any]) -> Rows[Any]:
        """Return v of documents."""
        return unit_vectors(counts, self.idf * self.emphasis)

    def latent(self, units: SparseProducts) -> FloatArray:
        """Return z of documents."""
        return unit_rows(units.times(self.directions))

    def to_arrays(self) -> dict[str, NDArray[Any]]:
        """Return the attributes as arrays by name, for a file; strings only if there are any."""
        strings = {"strings": self.strings.astype(np.int8)} if self.strings.any() else {}
        return strings | {
            "columns": self.columns,
            "emphasis": self.emphasis,
            "idf": self.idf,
            "directions": self.directions.astype(np.float32),
        }

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, NDArray[Any]], n_features: int) -> Self:
        """Read the arrays of :meth:`to_arrays`, of a model of n_features columns."""
        columns = check_int_array(arrays, "columns", (None,), 0, n_features)
        if (np.diff(columns) <= 0).any():
            raise FileError("columns must be in ascending order. Is the file damaged?")
        n_terms, strings = len(columns), np.zeros(len(columns), dtype=np.int64)
        if "strings" in arrays:  # files of format 4 and earlier have words only
            strings = check_int_array(arrays, "strings", (n_terms,), 0, 2)
        return cls(
            columns=columns,
            emphasis=_check_range(arrays, "emphasis", (n_terms,), 1.0),
            idf=_check_range(arrays, "idf", (n_terms,), _MAX_IDF),
            directions=check_float32_array(arrays, "directions", (n_terms, None)),
            strings=strings.astype(bool),
        )


def check_float32_array(arrays: Mapping[str, NDArray[Any]], name: str, shape: Shape) -> FloatArray:
    """Check that an array holds finite 32-bit floats; return it as 64-bit floats."""
    array = check_float_array(arrays, name, shape)
    if array.dtype != np.float32:
        raise FileError(f"{name} must be an array of float32, not of {array.dtype}.")
    return array.astype(np.float64)


def _check_range(
    arrays: Mapping[str, NDArray[Any]], name: str, shape: Shape, largest: float
) -> FloatArray:
    array = check_float_array(arrays, name, shape).astype(np.float64)
    if array.size and not (array.min() >= 0 and array.max() <= largest):
        raise FileError(
            f"{name} must lie between 0 and {largest:g}, but its values range from "
            f"{array.min():g} to {array.max():g}."
        )
    return array


def canonical_counts(X: Any) -> Rows[Any]:
    """Return counts as CSR without repeated or zero entries.

    X is not changed, and not copied if it is canonical already.

    Raises
    ------
    CountError
        If some are negative, infinite or not a number.

    Examples
    --------
    >>> twice = sparse.csr_array(([1.0, 2.0, 0.0], [0, 0, 1], [0, 3]), shape=(1, 2))
    >>> canonical_counts(twice).data
    array([3.])
    """
    counts = sparse.csr_array(check_sparse(X), dtype=np.float64)
    if not np.isfinite(counts.data).all() or counts.data.min(initial=0.0) < 0:
        raise CountError("a count is negative, infinite or not a number.")
    if counts.has_canonical_format and counts.data.all():
        return counts
    counts = counts.copy()
    counts.sum_duplicates()
    counts.eliminate_zeros()
    return counts


def smooth_idf(counts: Rows[Any]) -> FloatArray:
    r"""Return :math:`\mathrm{idf}_w = 1 + \ln((1 + n) / (1 + \mathrm{df}_w))`.

    Examples
    --------
    >>> smooth_idf(sparse.csr_array([[1.0, 0.0], [2.0, 0.0]])).round(3)
    array([1.   , 2.099])
    """
    return np.log((counts.shape[0] + 1) / (document_frequencies(counts) + 1)) + 1


def word_shares(counts: Rows[Any], emphasis: FloatArray) -> Rows[Any]:
    """Return weighted logarithmic counts that sum to one in each document.

    Examples
    --------
    >>> word_shares(Rows([[1.0, 1.0, 0.0]]), np.array([1.0, 3.0, 1.0])).toarray()
    array([[0.25, 0.75, 0.  ]])
    """
    rows = counts.copy()
    rows.data = np.log1p(counts.data) * emphasis[counts.indices]
    return _divide_rows(rows, np.asarray(rows.sum(axis=1), dtype=np.float64).ravel())


def unit_vectors(counts: Rows[Any], scale: FloatArray) -> Rows[Any]:
    """Return logarithmic counts times a scale of each term, in rows of length one.

    Examples
    --------
    >>> unit_vectors(Rows([[1.0, 1.0, 0.0]]), np.array([3.0, 4.0, 1.0])).toarray()
    array([[0.6, 0.8, 0. ]])
    """
    rows = counts.copy()
    rows.data = log_tf(counts.data) * scale[counts.indices]
    return _divide_rows(rows, np.sqrt(np.asarray(rows.multiply(rows).sum(axis=1)).ravel()))


def _scaled_rows(weights: Rows[Any], scale: FloatArray, norm: Literal["l1", "l2"]) -> Rows[Any]:
    """Return weights times a scale of each term, in rows of norm one."""
    rows = weights.copy()
    rows.data = weights.data * scale[weights.indices]
    rows.eliminate_zeros()
    if norm == "l1":
        return _divide_rows(rows, np.asarray(rows.sum(axis=1), dtype=np.float64).ravel())
    return _divide_rows(rows, np.sqrt(np.asarray(rows.multiply(rows).sum(axis=1)).ravel()))


def _divide_rows(rows: Rows[Any], divisors: FloatArray) -> Rows[Any]:
    """Divide each row in place; rows of zeros stay zero."""
    rows.data /= np.repeat(np.where(divisors > 0, divisors, 1.0), np.diff(rows.indptr))
    return rows


def unit_rows(rows: FloatArray) -> FloatArray:
    """Return rows of length one; rows of zeros stay zero."""
    lengths = np.sqrt(np.einsum("ij,ij->i", rows, rows))
    return rows / np.where(lengths > 0, lengths, 1.0)[:, None]


def leading_singular_vectors(
    products: SparseProducts, k: int, n_steps: int = 3, seed: int = 0
) -> FloatArray:
    """Return approximations of the first k right singular vectors, in columns.

    Randomized subspace iteration with ``n_steps`` steps. There are fewer than k vectors if the
    matrix has fewer rows or columns, or a lower rank.

    Examples
    --------
    >>> products = SparseProducts(np.diag([3.0, 2.0, 0.0]))
    >>> abs(leading_singular_vectors(products, 2).round(6))
    array([[1., 0.],
           [0., 1.],
           [0., 0.]])
    """
    n_rows, n_columns = products.shape
    width = min(k + _OVERSAMPLING, n_rows, n_columns)
    if not width:
        return np.zeros((n_columns, 0))
    basis: FloatArray = np.random.default_rng(seed).standard_normal((n_columns, width))
    for _ in range(n_steps):
        basis = _orthonormalize(products.transposed_times(products.times(basis)))
    # Rayleigh-Ritz: rotate the basis to the singular vectors of the matrix within its span.
    images = products.times(basis)
    values, rotation = linalg.eigh(images.T @ images)
    first = np.argsort(-values, kind="stable")[:k]
    first = first[values[first] > 1e-12 * max(values.max(initial=0.0), 1e-300)]
    return np.ascontiguousarray(basis @ rotation[:, first])


def _orthonormalize(columns: FloatArray) -> FloatArray:
    """Return orthogonal columns of length one that span the same space."""
    values, vectors = linalg.eigh(columns.T @ columns)
    if values[0] > _MIN_GRAM_RATIO * values[-1]:
        return columns @ (vectors / np.sqrt(values))
    # QR keeps the digits that the Gram matrix loses for nearly dependent columns, but is slower.
    return linalg.qr(columns, mode="economic", check_finite=False)[0]


@dataclass(frozen=True)
class Topicality:
    r"""Term weights between 0, for function words, and 1, from documents without labels.

    Documents are directions z in a latent space. Documents of a function word point in all
    directions, documents of a topical word in one. The topicality of a word is the squared
    distance between the mean of its documents and the mean expected from document lengths, minus
    the sampling noise of :math:`\mathrm{df}_w` documents:

    .. math:: \tau_w = \max\left(0,\, \left\lVert \bar z_w - \bar z^{\,\text{by length}}_w
              \right\rVert^2 - 1 / \mathrm{df}_w \right), \qquad
              g_w = \frac{\tau_w}{\tau_w + h}

    and :math:`g_w` is the weight. It needs no stop list and works in any language. The latent
    space is recomputed with the weights, ``passes`` times in all. Words of fewer than ten
    documents have :math:`\tau_w = 1`.

    Parameters
    ----------
    half : float, default=0.05
        h, the topicality at which a word has half its weight; 0 for weights of one.
    n_components : int, default=100
        Dimensions of the latent space.
    passes : int, default=2
        Number of times the weights are computed.
    n_documents : int, default=5000
        Size of the sample that the latent space is computed from; all documents are projected
        into it.
    seed : int, default=0
        Seed of the sample.

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
        """Return :math:`g_w` for the columns of a count matrix.

        Parameters
        ----------
        X : sparse matrix, sparse array or array-like of shape (n_documents, n_terms)
            Counts.
        n_threads : int, default=1
            Number of threads.
        """
        counts = canonical_counts(X)
        weights = np.ones(counts.shape[1])
        if self.half == 0 or min(counts.shape) < 2:
            return weights
        idf, presence = smooth_idf(counts), TermPresence.from_counts(counts, n_threads)
        for _ in range(self.passes):
            latent = self._project(counts, idf * weights, n_threads)
            topicality = presence.topicality(latent)
            weights = topicality / (topicality + self.half)
        return weights

    def _project(self, counts: Rows[Any], scale: FloatArray, n_threads: int) -> FloatArray:
        """Return the direction z of each document in the latent space of a sample."""
        units = unit_vectors(counts, scale)
        products = sample = SparseProducts(units, n_threads)
        if counts.shape[0] > self.n_documents:
            order = np.random.default_rng(self.seed).permutation(counts.shape[0])
            sample = SparseProducts(units[np.sort(order[: self.n_documents])], n_threads)
        directions = leading_singular_vectors(sample, self.n_components, 2, self.seed)
        return unit_rows(products.times(directions))


def plain_share(
    counts: Rows[Any], emphasis: FloatArray, idf: FloatArray, truth: FloatArray
) -> float:
    """Return the evidence of labelled documents against the emphasis of topical words.

    Two ridge regressions are compared on held-out documents: with emphasis and without. The result
    is a share: 0 up to a lead of half a standard error of the latter, and 1 from one and a half on.

    Parameters
    ----------
    counts : csr_array of shape (n_labelled, n_terms)
        Of the labelled documents.
    emphasis, idf : ndarray of shape (n_terms,)
    truth : ndarray of shape (n_labelled, n_classes)
        Their labels as an indicator matrix, one each.
    """
    n_folds = n_label_folds(truth)
    if n_folds < 2:
        return 0.0
    rows = take_evenly(_MAX_COMPARED, truth)
    counts, truth = counts[rows], truth[rows]
    folds, labels = cyclic_fold_numbers(truth, n_folds), truth.argmax(axis=1)
    right = []
    for scale in (idf * emphasis, idf):
        units = unit_vectors(counts, scale)
        kernel = np.asarray((units @ units.T).todense())
        right.append(held_out_ridge(kernel, truth, folds).argmax(axis=1) == labels)
    topical, plain = right
    lead, error = plain.mean() - topical.mean(), paired_standard_error(plain, topical)
    return float(np.clip(lead / error - 0.5, 0.0, 1.0)) if error > 0 else 0.0


def n_label_folds(truth: FloatArray) -> int:
    """Return the number of folds for labelled documents: up to five, and 1 if they are too few.

    It is the median number of documents of a class, so that most classes have a document in every
    fold.

    Examples
    --------
    >>> n_label_folds(np.repeat(np.eye(2), [3, 4], axis=0)), n_label_folds(np.eye(4))
    (3, 1)
    """
    sizes = truth.sum(axis=0)
    sizes = sizes[sizes > 0]
    return min(_MAX_FOLDS, int(np.median(sizes))) if sizes.size else 1


def take_evenly(n: int, truth: FloatArray) -> NDArray[np.intp]:
    """Return at most n labelled documents, as many of each class as possible, ascending."""
    if len(truth) <= n:
        return np.arange(len(truth))
    return np.sort(np.argsort(ranks_within_classes(truth), kind="stable")[:n])


def paired_standard_error(first: Any, second: Any) -> float:
    """Return the standard error of the difference between two accuracies on the same documents."""
    return float(np.sqrt(np.mean(first != second) / len(first)))


def held_out_ridge(kernel: FloatArray, truth: FloatArray, folds: Any) -> FloatArray:
    r"""Return held-out scores of ridge regression, documents by classes.

    With :math:`G = (K + \lambda I)^{-1}` the error on a held-out block B is
    :math:`G_{BB}^{-1} (G y)_B`, so that one inverse serves all folds.

    Parameters
    ----------
    kernel : ndarray of shape (n_documents, n_documents)
        K, the inner products of the documents.
    truth : ndarray of shape (n_documents, n_classes)
    folds : array-like of int of shape (n_documents,)
    """
    targets = truth - 1 / truth.shape[1]
    inverse = np.linalg.inv(kernel + _RIDGE_PENALTY * np.eye(len(kernel)))
    dual = inverse @ targets
    scores = np.empty_like(targets)
    for _, held in iter_splits(folds):
        scores[held] = targets[held] - np.linalg.solve(inverse[np.ix_(held, held)], dual[held])
    return scores


@dataclass(frozen=True)
class TermPresence:
    r"""Incidence of terms in documents, and its expectation from document lengths.

    A document of length :math:`|d|` contains a term of rate :math:`\rho_w` with probability
    :math:`1 - e^{-\rho_w |d|}` if tokens fall anywhere. Long documents contain more terms, so
    without this expectation a word would look topical because long documents share a topic.

    Attributes
    ----------
    incidence : SparseProducts
        Ones where a document contains a term.
    df : ndarray of shape (n_terms,)
        Document frequencies.
    frequent : ndarray of int of shape (n_frequent,)
        Terms with enough documents to measure their topicality.
    groups : ndarray of int of shape (n_documents,)
        The length group of each document.
    chances : ndarray of shape (n_frequent, n_groups)
        Expected probability that a document of a length group contains a term.
    """

    incidence: SparseProducts
    df: NDArray[Any]
    frequent: NDArray[Any]
    groups: NDArray[Any]
    chances: FloatArray

    @classmethod
    def from_counts(cls, counts: Rows[Any], n_threads: int) -> Self:
        """Return the incidence of a count matrix."""
        incidence = counts.copy()
        incidence.data = np.ones_like(counts.data)
        df = document_frequencies(counts)
        frequent = np.flatnonzero(df >= _MIN_TOPICALITY_DF)
        lengths = np.asarray(counts.sum(axis=1), dtype=np.float64).ravel()
        groups = length_groups(lengths)
        mean_lengths = np.bincount(groups, lengths) / np.bincount(groups)
        rates = np.asarray(counts.sum(axis=0)).ravel()[frequent] / max(lengths.sum(), 1e-300)
        chances = -np.expm1(-np.outer(rates, mean_lengths))
        return cls(SparseProducts(incidence, n_threads), df, frequent, groups, chances)

    def topicality(self, latent: FloatArray) -> FloatArray:
        r"""Return :math:`\tau_w` of each term, given the direction of each document."""
        tau = np.ones(len(self.df))
        if not self.frequent.size:
            return tau
        df = self.df[self.frequent]
        means = self.incidence.transposed_times(latent)[self.frequent] / df[:, None]
        distances = np.square(means - self._expected_means(latent)).sum(axis=1)
        tau[self.frequent] = np.maximum(distances - 1 / df, 0.0)
        return tau

    def _expected_means(self, latent: FloatArray) -> FloatArray:
        """Return the mean direction of documents, each weighted by its chance of the term."""
        order = np.argsort(self.groups, kind="stable")
        sizes = np.bincount(self.groups)
        sums = np.add.reduceat(latent[order], np.cumsum(sizes) - sizes, axis=0)
        return (self.chances @ sums) / np.maximum(self.chances @ sizes, 1e-300)[:, None]


def length_groups(lengths: FloatArray) -> NDArray[Any]:
    """Return the number of the length group of each document, groups being of about equal size.

    Documents of equal length are in the same group.

    Examples
    --------
    >>> length_groups(np.array([5.0, 1.0, 5.0, 2.0]))
    array([2, 0, 2, 1])
    """
    n = len(lengths)
    at = n * np.arange(1, min(_N_LENGTH_GROUPS, n)) // min(_N_LENGTH_GROUPS, n)
    cuts = np.unique(np.sort(lengths)[at])
    return np.unique(np.searchsorted(cuts, lengths, side="right"), return_inverse=True)[1]

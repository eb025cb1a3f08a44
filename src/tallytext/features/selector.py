"""Select terms by their scores: ``TermSelector`` for pipelines, ``top_terms`` for a tally.

The scores are computed in :mod:`tallytext.features.term_scores`. :class:`ColumnSelector` is the
base of all selectors of columns; :func:`mask_columns` empties columns of a matrix.
"""

from __future__ import annotations

from collections.abc import Callable
from numbers import Real
from typing import TYPE_CHECKING, Any, Literal, Self, TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from tallytext._estimators import BaseEstimator, TransformerMixin, check_is_fitted
from tallytext._typing import FloatArray
from tallytext._validation import (
    check_array,
    check_matrix,
    check_sparse,
    check_whole,
    validate_data,
)
from tallytext.errors import CountError, LabelError
from tallytext.features.strength import term_strength
from tallytext.features.term_scores import Average, Labels, Method, score_terms
from tallytext.tally.labels import check_lengths, read_targets
from tallytext.tally.planes import Plane
from tallytext.tally.tally import Tally
from tallytext.text.vocabulary import Vocabulary

if TYPE_CHECKING:
    from tallytext.features.selected_tally import SelectedTally

Score: TypeAlias = Method | Literal["ts"] | Callable[[Tally], Any]

DEFAULT_KEEP = 0.1
"""The share of the terms that is selected without ``k``, ``threshold`` and ``keep``."""

# Scores that differ by less than this share of the largest one are equal: their difference may
# come from rounding, which must not decide ties.
_RELATIVE_STEP = 2.0**-40


def top_terms(
    tally: Tally, method: Method = "ig", k: int = 1000, **options: Any
) -> NDArray[np.intp]:
    """Return the ids of the k terms with the highest scores, best first.

    Of terms with the same score the one in more documents is better, then the one that is first
    by code points. Terms that do not occur are left out, so there may be fewer than k.

    Parameters
    ----------
    tally : Tally
        The counts.
    method : {"ig", "chi", "mi", "prr", "df"}, default="ig"
        The score, as for :func:`score_terms`.
    k : int, default=1000
        The largest number of terms to return.
    **options
        Other options of :func:`score_terms`.

    Examples
    --------
    >>> tally = Tally.from_counts([[2, 1, 0], [0, 1, 2]], ["X", "Y"], ["sky", "the", "sea"])
    >>> [tally.vocabulary.term(id) for id in top_terms(tally, k=2)]
    ['sea', 'sky']
    """
    if k < 1:
        raise ValueError(f"k must be at least 1, not {k}.")
    now = tally._snapshot()
    return rank_terms(now, score_terms(now, method, **options), k=k)


def select_terms(tally: Tally, method: Method = "ig", k: int = 1000, **options: Any) -> Tally:
    """Return a tally of only the :func:`top_terms`.

    To select by a threshold, mask the tally by ``score_terms(tally) > threshold``.

    Parameters
    ----------
    tally : Tally
        The counts.
    method : str, default="ig"
        The score, as for :func:`score_terms`.
    k : int, default=1000
        The largest number of terms to keep.
    **options : Any
        Other options of :func:`score_terms`.

    Examples
    --------
    >>> tally = Tally.from_counts([[2, 1, 0], [0, 1, 2]], ["X", "Y"], ["sky", "the", "sea"])
    >>> select_terms(tally, k=2)
    <Tally of 2 documents: 4 tokens, 2 terms, 2 classes>
    >>> select_terms(tally, k=2) == tally.mask(score_terms(tally) > 0.1)
    True
    """
    return tally.mask(top_terms(tally, method, k, **options))


class ColumnSelector(TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """Base of transformers that select some columns of a matrix.

    A subclass returns the mask of the selected columns from :meth:`_get_support_mask`.
    """

    # scikit-learn has the same as SelectorMixin, in a module that imports all of its linear models:
    # that takes longer than a short command should take.

    n_features_in_: int

    def _get_support_mask(self) -> NDArray[np.bool_]:
        raise NotImplementedError(f"{type(self).__name__} must define _get_support_mask.")

    def get_support(self, indices: bool = False) -> NDArray[Any]:
        """Return the mask of the selected columns, or their indices.

        Parameters
        ----------
        indices : bool, default=False
            True for indices.
        """
        mask = self._get_support_mask()
        return np.flatnonzero(mask) if indices else mask

    def mask(self, X: Any) -> Any:
        """Return X with all columns that are not selected emptied; its width stays.

        Columns beyond those that were selected from are emptied, too.

        Parameters
        ----------
        X : sparse matrix, sparse array or array-like of shape (n_documents, n_terms)
            Counts.

        Examples
        --------
        >>> X = np.array([[2, 1, 0], [0, 1, 2]])
        >>> TermSelector(k=1).fit(X, ["X", "Y"]).mask(X)
        array([[2, 0, 0],
               [0, 0, 0]])
        """
        support = self._get_support_mask()
        X = check_array(X, accept_sparse="csr", estimator=self)
        return mask_columns(X, resize(support, X.shape[1], False))

    def inverse_transform(self, X: Any) -> Any:
        """Return X at its full width, with zeros in the columns that were left out.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_documents, n_kept)
        """
        selected = self.get_support(indices=True)
        given: Any = check_array(X, accept_sparse="csr")
        if given.shape[1] != len(selected):
            raise ValueError(f"X has {given.shape[1]} columns, but {len(selected)} were selected.")
        shape = given.shape[0], len(self._get_support_mask())
        if not isinstance(given, np.ndarray):
            return type(given)((given.data, selected[given.indices], given.indptr), shape=shape)
        full = np.zeros(shape, dtype=given.dtype)
        full[:, selected] = given
        return full

    def get_feature_names_out(self, input_features: Any = None) -> NDArray[Any]:
        """Return the names of the selected columns.

        Parameters
        ----------
        input_features : array-like of str, default=None
            The names of all columns, where ``fit`` did not learn them.
        """
        from sklearn.utils.validation import _check_feature_names_in

        names: NDArray[Any] = _check_feature_names_in(self, input_features)
        return names[self._get_support_mask()]


class TermSelector(ColumnSelector):
    r"""Select the terms with the highest scores.

    Terms are scored on the training documents (:func:`~tallytext.features.score_terms`) and
    selected by their number, their share or a threshold. Of terms with the same score the one in
    more documents is better, then the one whose name is first by code points, so that the choice
    does not depend on the order of documents or columns. Terms that do not occur are never
    selected.

    Parameters
    ----------
    method : {"ig", "chi", "mi", "prr", "df", "ts"} or callable, default="ig"
        The score. ``ts`` is :func:`~tallytext.features.term_strength`: it compares documents with
        each other, so that a tally is not enough, and needs no labels. A callable takes a
        :class:`~tallytext.Tally` and returns a number for each term of its vocabulary; the tally
        has the counts if all of them are whole numbers, and otherwise one for each that is
        positive.
    k : int, default=None
        The largest number of terms to select.
    threshold : float, default=None
        Select the terms with a higher score.
    keep : float, default=None
        Select this share of the terms that occur, such as 0.02; at least one term.
        Without ``k``, ``threshold`` and ``keep`` a tenth of the terms is selected: with ``ig``,
        ``chi`` and ``df`` kNN and LLSF lost no accuracy by that in Yang and Pedersen (1997).
        Smoothed Bayes models may lose some: :func:`tallytext.vocabulary_curve` measures it.
    average : {"max", "avg"}, default=None
        For ``chi``, ``mi`` and ``prr``: the largest over all classes, or their mean. None for "avg"
        with ``chi`` and "max" with the others.
    labels : {"fractional", "pairs", "binary"}, default=None
        For ``ig`` and multi-label documents; see :func:`~tallytext.features.score_terms`.
    min_df : int, default=1
        Select no term of fewer documents. Three are a good choice for ``chi``, which is unreliable
        for rarer terms.
    nonempty : bool, default=False
        True to let a document that would become empty keep its highest-scoring terms, all of them
        in a tie. Any column may then be needed by some document, so ``transform`` returns all
        columns, with zeros for terms that are left out. Terms that no training document had are
        always left out. Sums do not show which documents would become empty: :meth:`fit_tally`
        therefore also selects the best term of each of the documents that it is given.

    Attributes
    ----------
    scores_ : ndarray of shape (n_terms,)
        The score of each term.
    documents_ : ndarray of shape (n_terms,)
        The number of training documents with each term.
    best_ : ndarray
        The columns of the selected terms, best first.
    kept_ : ndarray of bool of shape (n_terms,)
        True for the selected terms.
    n_features_in_ : int
        Number of terms.

    Examples
    --------
    >>> X = [[2, 1, 0, 0], [1, 0, 1, 0], [0, 1, 2, 1]]
    >>> selector = TermSelector(k=2).fit(X, ["X", "X", "Y"])
    >>> selector.scores_.round(6)
    array([0.636514, 0.174416, 0.174416, 0.636514])
    >>> selector.best_, selector.transform(np.array(X))
    (array([0, 3]), array([[2, 0],
           [1, 0],
           [0, 1]]))
    """

    scores_: FloatArray
    documents_: NDArray[np.int64]
    best_: NDArray[np.intp]
    kept_: NDArray[np.bool_]
    vocabulary_: Vocabulary
    #: True if matrices may have more columns, of terms that were added after the selection.
    open_: bool

    def __init__(
        self,
        method: Score = "ig",
        *,
        k: int | None = None,
        threshold: float | None = None,
        keep: float | None = None,
        average: Average | None = None,
        labels: Labels | None = None,
        min_df: int = 1,
        nonempty: bool = False,
    ) -> None:
        self.method = method
        self.k = k
        self.threshold = threshold
        self.keep = keep
        self.average = average
        self.labels = labels
        self.min_df = min_df
        self.nonempty = nonempty

    def fit(self, X: Any, y: Any = None) -> Self:
        """Score the terms of training documents and select among them.

        Parameters
        ----------
        X : sparse matrix, sparse array or array-like of shape (n_documents, n_terms)
            Counts, or any numbers that are not negative.
        y : sequence of length n_documents, default=None
            One label per document; or a list of labels per document, or an indicator matrix, for
            documents with several labels or none. Only ``df`` and ``ts`` need no labels.

        Returns
        -------
        self
        """
        self._check_parameters()
        X = check_matrix(self, X, reset=True, open_width=False)
        tally = self._count(X, y)
        self._select(tally, self._score(tally, X))
        self.open_ = False
        return self

    def fit_tally(self, tally: Tally, documents: Any = None) -> Self:
        """Score the terms of a tally and select among them; no document is needed.

        Columns are the ids of ``tally.vocabulary``. Terms that are added to the vocabulary later
        are not selected.

        Parameters
        ----------
        tally : Tally
            The counts.
        documents : sparse matrix of shape (n_documents, n_terms), default=None
            Counts of documents, such as a sample of those in the tally. With ``nonempty``, the best
            term of each that would become empty is selected, too, so that no document of them is
            empty. Other documents may be.

        Examples
        --------
        >>> tally = Tally().learn({"sky": 2, "the": 1}, "X").learn({"sea": 2, "the": 1}, "Y")
        >>> TermSelector(k=2).fit_tally(tally).get_feature_names_out()
        array(['sky', 'sea'], dtype=object)
        """
        self._check_parameters()
        if not isinstance(tally, Tally):
            raise CountError(f"fit_tally reads a Tally, not {tally!r:.60}. For a matrix, use fit.")
        check_sparse(documents)
        now = tally._snapshot()
        self._select(now, self._score(now))
        if self.nonempty and documents is not None:
            self._select_more(documents)
        self.n_features_in_, self.open_ = len(self.scores_), True
        # Names from an earlier fit on a DataFrame would be compared with the columns.
        if hasattr(self, "feature_names_in_"):
            del self.feature_names_in_
        return self

    def select(self, tally: Tally) -> SelectedTally:
        """Return a tally of the selected terms that can go on learning.

        Parameters
        ----------
        tally : Tally
            The counts.

        Examples
        --------
        >>> tally = Tally().learn({"sky": 2, "the": 1}, "X").learn({"sea": 2, "the": 1}, "Y")
        >>> TermSelector(k=2).select(tally).learn({"sky": 1, "the": 3}, "X").tally.n_tokens
        5
        """
        from tallytext.features.selected_tally import SelectedTally

        return SelectedTally(tally, self)

    def restore(
        self,
        scores: FloatArray,
        documents: NDArray[np.int64],
        best: NDArray[np.int64],
        vocabulary: Vocabulary,
        open_: bool,
    ) -> Self:
        """Set the fitted attributes to those of another selector, such as one from a file.

        Parameters
        ----------
        scores : ndarray of shape (n_features,)
            The score of each term.
        documents : ndarray of int of shape (n_features,)
            The number of documents with each term.
        best : ndarray of int
            The selected terms, best first.
        vocabulary : Vocabulary
            The terms.
        open_ : bool
            True if terms may still be added to the vocabulary.
        """
        self._set_fitted(scores, documents, best.astype(np.intp), vocabulary)
        self.n_features_in_, self.open_ = len(scores), open_
        return self

    def transform(self, X: Any) -> Any:
        """Return the selected columns of X, in their order.

        With ``nonempty`` all columns stay, and :meth:`mask` is returned.

        Parameters
        ----------
        X : sparse matrix, sparse array or array-like of shape (n_documents, n_terms)
            Counts.
        """
        if self.nonempty:
            return self.mask(X)
        check_is_fitted(self)
        if self.open_ and getattr(X, "ndim", 1) == 2:
            # Later columns are terms that were added after the selection.
            X = X[:, : self.n_features_in_]
        return self._check_input(X)[:, self.get_support(indices=True)]

    def mask(self, X: Any) -> Any:
        """Return X with all columns that are not selected emptied; its width stays.

        Parameters
        ----------
        X : sparse matrix, sparse array or array-like of shape (n_documents, n_terms)
            Counts.
        """
        check_is_fitted(self)
        X = self._check_input(X)
        kept = resize(self.kept_, X.shape[1], False)
        if not self.nonempty:
            return mask_columns(X, kept)
        return mask_columns_nonempty(X, kept, resize(self._ranks(), X.shape[1], np.nan))

    def get_feature_names_out(self, input_features: Any = None) -> NDArray[Any]:
        """Return the names of the columns that :meth:`transform` returns."""
        check_is_fitted(self)
        if self.open_ and input_features is None:
            return self.vocabulary_.terms(np.flatnonzero(self._get_support_mask()))
        return super().get_feature_names_out(input_features)

    def _count(self, X: Any, y: Any) -> Tally:
        """Count training documents as the score needs them: present or absent, or counts."""
        if y is None and self._needs_labels:
            raise LabelError(
                f"method={self.method!r} needs labels: it requires y to be passed, "
                "but the target y is None."
            )
        targets = read_targets([[]] * X.shape[0] if y is None else y)
        check_lengths(X, targets)
        names = getattr(self, "feature_names_in_", None)
        planes = [Plane("binary", shared=True)] if targets.multi_label else []
        terms = None if names is None else list(names)
        whole = callable(self.method) and (X.data == np.floor(X.data)).all()
        counts = X if whole else _presence(X)
        return Tally.from_counts(counts, targets.labels, terms, planes=planes)

    def _score(self, tally: Tally, X: Any = None) -> FloatArray:
        """Return the score of each term; X is the matrix that the tally was counted from."""
        if self.method == "ts":
            return self._score_strength(X)
        if not callable(self.method):
            return score_terms(tally, self.method, average=self.average, labels=self.labels)
        found = np.asarray(self.method(tally), dtype=np.float64)
        if found.shape != (len(tally.vocabulary),) or np.isnan(found).any():
            raise ValueError(
                f"method must return a number for each of the {len(tally.vocabulary)} terms; "
                f"{self.method!r} returned {found!r:.80}."
            )
        return found

    def _score_strength(self, X: Any) -> FloatArray:
        if X is None:
            raise CountError(
                "method='ts' compares documents with each other, and a tally has only their sums: "
                "fit on the matrix of documents."
            )
        if not (self.average is None and self.labels is None):
            raise ValueError("average and labels have no effect on method='ts'.")
        return term_strength(X)

    def _select(self, tally: Tally, scores: FloatArray) -> None:
        documents = tally.term_documents[: len(scores)]
        n_kept = self.k
        if self.keep is not None or (self.k is None and self.threshold is None):
            share = DEFAULT_KEEP if self.keep is None else self.keep
            n_kept = max(round(share * np.count_nonzero(documents)), 1)
        best = rank_terms(tally, scores, k=n_kept, above=self.threshold, min_df=self.min_df)
        self._set_fitted(scores, documents, best, tally.vocabulary)

    def _set_fitted(
        self,
        scores: FloatArray,
        documents: NDArray[np.int64],
        best: NDArray[np.intp],
        vocabulary: Vocabulary,
    ) -> None:
        self.scores_, self.documents_, self.best_ = scores, documents, best
        self.kept_ = np.zeros(len(scores), dtype=bool)
        self.kept_[best] = True
        self.vocabulary_ = vocabulary

    def _select_more(self, documents: Any) -> None:
        """Also select the best term of each document that would become empty."""
        X = sparse.csr_array(documents)[:, : len(self.scores_)]
        kept = mask_columns_nonempty(X, self.kept_, self._ranks())
        more = np.setdiff1d(np.unique(kept.indices), self.best_)
        # Best first, as before; the terms of a tie come in the order of their ids.
        more = more[np.argsort(-self.scores_[more], kind="stable")]
        best = np.concatenate([self.best_, more.astype(np.intp)])
        self._set_fitted(self.scores_, self.documents_, best, self.vocabulary_)

    def _ranks(self) -> FloatArray:
        """Return the scores without rounding errors; NaN for terms of no training document."""
        steps = round_to_steps(self.scores_, rounding_step(self.scores_))
        steps[self.documents_ == 0] = np.nan
        return steps

    def _get_support_mask(self) -> NDArray[np.bool_]:
        check_is_fitted(self)
        return np.ones_like(self.kept_) if self.nonempty else self.kept_

    def _check_input(self, X: Any) -> Any:
        if self.open_:
            return check_array(X, accept_sparse="csr", estimator=self)
        return validate_data(self, X, accept_sparse="csr", reset=False)

    @property
    def _needs_labels(self) -> bool:
        return not isinstance(self.method, str) or self.method not in ("df", "ts")

    def _check_parameters(self) -> None:
        given = {"k": self.k, "threshold": self.threshold, "keep": self.keep}
        named = [f"{name}={value!r}" for name, value in given.items() if value is not None]
        if len(named) > 1:
            raise ValueError(f"give one of k, threshold and keep, not {' and '.join(named)}.")
        for name, value in (("k", self.k), ("min_df", self.min_df)):
            if value is not None:
                check_whole(name, value, 1)
        if self.keep is not None and not (isinstance(self.keep, Real) and 0 < self.keep <= 1):
            raise ValueError(f"keep must be a share, above 0 and at most 1, not {self.keep!r}.")
        threshold = 0.0 if self.threshold is None else self.threshold
        if not isinstance(threshold, Real) or np.isnan(threshold):
            raise ValueError(f"threshold must be a number, not {self.threshold!r}.")
        if callable(self.method) and not (self.average is None and self.labels is None):
            raise ValueError("average and labels have no effect on a score of your own.")

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.positive_only = True
        tags.target_tags.required = self._needs_labels
        tags.target_tags.multi_output = True
        return tags


def rank_terms(
    tally: Tally,
    scores: FloatArray,
    *,
    k: int | None = None,
    above: float | None = None,
    min_df: int = 1,
) -> NDArray[np.intp]:
    """Return the ids of terms by their scores, best first, with ties as in :func:`top_terms`.

    Parameters
    ----------
    tally : Tally
        The counts that the terms were scored by.
    scores : ndarray of shape (n_terms,)
        The score of each term.
    k : int, default=None
        The largest number of terms to return; None for all.
    above : float, default=None
        Leave out terms whose score is not higher, apart from rounding.
    min_df : int, default=1
        Leave out terms of fewer documents.

    Examples
    --------
    >>> tally = Tally.from_counts([[2, 1, 0], [0, 1, 2]], ["X", "Y"], ["sky", "the", "sea"])
    >>> rank_terms(tally, np.array([0.25, 0.5, 0.25])).tolist()
    [1, 2, 0]
    """
    documents, step = tally.term_documents[: len(scores)], rounding_step(scores)
    steps = round_to_steps(scores, step)
    among = documents >= min_df
    if above is not None:
        among &= steps > round_to_steps(np.array([above]), step)[0]
    ids = np.flatnonzero(among)
    if k is not None and len(ids) > k:
        # Sorting by name is slow, so first leave out the terms that cannot be among the best k.
        bound = np.partition(steps[ids], len(ids) - k)[len(ids) - k]
        ids = ids[steps[ids] >= bound]
    order = tally.vocabulary.sorted_ids()
    place = np.empty(len(order), dtype=np.intp)
    # The inverse permutation: the position of each term by name, for ties.
    place[order] = np.arange(len(order))
    best: NDArray[np.intp] = ids[np.lexsort((place[ids], -documents[ids], -steps[ids]))[:k]]
    return best


def rounding_step(scores: FloatArray) -> float:
    """Return the smallest difference of scores that is not due to rounding; 0 if all are zero."""
    finite = np.isfinite(scores)
    largest = np.abs(scores, where=finite, out=np.zeros_like(scores)).max(initial=0.0)
    return float(largest) * _RELATIVE_STEP


def round_to_steps(scores: FloatArray, step: float) -> FloatArray:
    """Return scores as whole numbers of steps: equal if they differ by rounding alone."""
    return np.round(scores / step) if step else scores.copy()


def mask_columns(X: Any, kept: NDArray[np.bool_]) -> Any:
    """Return a CSR matrix or array with all other columns emptied; its width stays.

    Examples
    --------
    >>> mask_columns(np.array([[2, 1, 3]]), np.array([True, False, True]))
    array([[2, 0, 3]])
    """
    if isinstance(X, np.ndarray):
        return np.where(kept, X, np.zeros((), dtype=X.dtype))
    return _mask_entries(X, kept[X.indices])


def mask_columns_nonempty(X: Any, kept: NDArray[np.bool_], scores: FloatArray) -> Any:
    """Return X with all other columns emptied, without making a document empty.

    A document that would become empty keeps its highest-scoring terms, all of them in a tie (Yang
    and Pedersen 1997). A term whose score is NaN is never kept.

    Examples
    --------
    >>> X, kept = np.array([[1, 1, 0], [0, 1, 1], [0, 0, 4]]), np.array([True, False, False])
    >>> mask_columns_nonempty(X, kept, np.array([0.9, 0.2, 0.5]))
    array([[1, 0, 0],
           [0, 0, 1],
           [0, 0, 4]])
    """
    if isinstance(X, np.ndarray):
        masked = mask_columns_nonempty(sparse.csr_array(X), kept, scores)
        # A sparse matrix without entries loses its dtype.
        return masked.toarray().astype(X.dtype, copy=False)
    row = np.repeat(np.arange(X.shape[0]), np.diff(X.indptr))
    entry_scores, nonzero = scores[X.indices], X.data != 0
    stays = kept[X.indices] & nonzero
    empty = np.bincount(row[stays], minlength=X.shape[0]) == 0
    spare = empty[row] & nonzero & ~np.isnan(entry_scores)
    best = np.full(X.shape[0], -np.inf)
    np.maximum.at(best, row[spare], entry_scores[spare])
    return _mask_entries(X, stays | (spare & (entry_scores == best[row])))


def _mask_entries(X: Any, stays: NDArray[np.bool_]) -> Any:
    """Return a CSR matrix with the entries that stay."""
    before = np.concatenate([[0], np.cumsum(stays)])
    # The number of remaining entries before each row is its new start.
    starts = before[X.indptr].astype(X.indptr.dtype)
    return X.__class__((X.data[stays], X.indices[stays], starts), shape=X.shape)


def _presence(X: Any) -> Any:
    """Return a CSR matrix with 1 for each positive number."""
    return X.__class__(((X.data > 0).astype(np.int64), X.indices, X.indptr), shape=X.shape)


def resize(values: NDArray[Any], width: int, filler: Any) -> NDArray[Any]:
    """Return the first ``width`` values, with a filler for each that is missing.

    Examples
    --------
    >>> resize(np.array([1, 2]), 3, 0), resize(np.array([1, 2]), 1, 0)
    (array([1, 2, 0]), array([1]))
    """
    found = np.full(width, filler, dtype=values.dtype)
    shared = min(width, len(values))
    found[:shared] = values[:shared]
    return found

"""Terms chosen by their scores, as a step of a pipeline or for a tally."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from numbers import Integral, Real
from typing import TYPE_CHECKING, Any, Literal, Self, TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from scipy.sparse import csc_array
from scipy.special import xlogy
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils import check_array
from sklearn.utils.validation import _check_feature_names_in, check_is_fitted, validate_data

from tallytext._validation import checked_matrix
from tallytext.errors import CountError, LabelError
from tallytext.features.strength import term_strength
from tallytext.features.term_scores import Average, Floats, Labels, Method, scores
from tallytext.tally.labels import check_lengths, targets_of
from tallytext.tally.planes import Plane
from tallytext.tally.tally import Tally
from tallytext.text.vocabulary import Vocabulary

if TYPE_CHECKING:
    from tallytext.features.selected_tally import SelectedTally


# ------------------------------------------------------------------------------------------------
# The best terms of a tally, the same whatever order they came in.

# Of the largest score. Smaller differences may come of rounding, which ties must not depend on.
_STEP = 2.0**-40


def top_terms(
    tally: Tally, method: Method = "ig", k: int = 1000, **options: Any
) -> NDArray[np.intp]:
    """Return the ids of the k terms with the highest scores, best first.

    Of terms with the same score the one in more documents is better, then the one that is first
    by code points. Terms that do not occur are left out, so there may be fewer than k.

    Parameters
    ----------
    tally : Tally
        What was counted.
    method : {"ig", "chi", "mi", "prr", "df"}, default="ig"
        As for :func:`scores`.
    k : int, default=1000
        How many terms at most.
    **options
        Others of :func:`scores`.

    Examples
    --------
    >>> tally = Tally.from_counts([[2, 1, 0], [0, 1, 2]], ["X", "Y"], ["sky", "the", "sea"])
    >>> [tally.vocabulary.term(id) for id in top_terms(tally, k=2)]
    ['sea', 'sky']
    """
    if k < 1:
        raise ValueError(f"k must be at least 1, not {k}.")
    now = tally._snapshot()
    return ranked(now, scores(now, method, **options), k=k)


def selected(tally: Tally, method: Method = "ig", k: int = 1000, **options: Any) -> Tally:
    """Return the tally of the :func:`top_terms` alone. To select by a threshold, mask by it.

    Parameters
    ----------
    tally : Tally
        The counts.
    method : str, default="ig"
        The score, as for :func:`scores`.
    k : int, default=1000
        How many terms to keep.
    **options : Any
        As for :func:`top_terms`.

    Examples
    --------
    >>> tally = Tally.from_counts([[2, 1, 0], [0, 1, 2]], ["X", "Y"], ["sky", "the", "sea"])
    >>> selected(tally, k=2)
    <Tally of 2 documents: 4 tokens, 2 terms, 2 classes>
    >>> selected(tally, k=2) == tally.mask(scores(tally) > 0.1)
    True
    """
    return tally.mask(top_terms(tally, method, k, **options))


def ranked(
    tally: Tally,
    found: Floats,
    *,
    k: int | None = None,
    above: float | None = None,
    min_df: int = 1,
) -> NDArray[np.intp]:
    """Return the ids of terms by their scores, best first, with ties as in :func:`top_terms`.

    Parameters
    ----------
    tally : Tally
        What the terms were scored by.
    found : ndarray of shape (n_terms,)
        The score of each term.
    k : int, default=None
        How many terms at most; None for all.
    above : float, default=None
        Only terms whose score is higher, by more than rounding may account for.
    min_df : int, default=1
        Only terms in so many documents.

    Examples
    --------
    >>> tally = Tally.from_counts([[2, 1, 0], [0, 1, 2]], ["X", "Y"], ["sky", "the", "sea"])
    >>> ranked(tally, np.array([0.25, 0.5, 0.25])).tolist()
    [1, 2, 0]
    """
    documents, step = tally.term_documents[: len(found)], step_of(found)
    steps = in_steps(found, step)
    among = documents >= min_df
    if above is not None:
        among &= steps > in_steps(np.array([above]), step)[0]
    ids = np.flatnonzero(among)
    ids = ids if k is None else _at_least_the_best(ids, steps, k)
    order = tally.vocabulary.sorted()
    place = np.empty(len(order), dtype=np.intp)
    place[order] = np.arange(len(order))
    picked: NDArray[np.intp] = ids[np.lexsort((place[ids], -documents[ids], -steps[ids]))[:k]]
    return picked


def step_of(found: Floats) -> float:
    """Return the smallest difference of scores that is none of rounding; 0 if all are zero."""
    largest = np.abs(found, where=np.isfinite(found), out=np.zeros_like(found)).max(initial=0.0)
    return float(largest) * _STEP


def in_steps(found: Floats, step: float) -> Floats:
    """Return scores in whole steps, equal where they differ by rounding alone."""
    return np.round(found / step) if step else found


def _at_least_the_best(ids: NDArray[np.intp], found: Floats, k: int) -> NDArray[np.intp]:
    """Leave out what cannot be among the best k, before sorting."""
    if len(ids) <= k:
        return ids
    bound = np.partition(found[ids], len(ids) - k)[len(ids) - k]
    near: NDArray[np.intp] = ids[found[ids] >= bound]
    return near


# ------------------------------------------------------------------------------------------------
# Count matrices with some of their entries only. Pure: matrix in, matrix out.


def without_others(X: Any, kept: NDArray[np.bool_]) -> Any:
    """Return X with the columns emptied that are not kept; its width stays.

    Examples
    --------
    >>> without_others(np.array([[2, 1, 3]]), np.array([True, False, True]))
    array([[2, 0, 3]])
    """
    if isinstance(X, np.ndarray):
        return np.where(kept, X, np.zeros((), dtype=X.dtype))
    return _entries(X, kept[X.indices])


def without_others_or_best(X: Any, kept: NDArray[np.bool_], found: Floats) -> Any:
    """Return X with the columns emptied that are not kept, but no document with all of them.

    A document that would become empty keeps its terms with the highest score among its own, all of
    them in a tie (Yang and Pedersen 1997). NaN in ``found`` marks terms that cannot be kept.

    Examples
    --------
    >>> X, kept = np.array([[1, 1, 0], [0, 1, 1], [0, 0, 4]]), np.array([True, False, False])
    >>> without_others_or_best(X, kept, np.array([0.9, 0.2, 0.5]))
    array([[1, 0, 0],
           [0, 0, 1],
           [0, 0, 4]])
    """
    if isinstance(X, np.ndarray):
        rows = sparse.csr_array(X)
        # An empty sparse matrix forgets what it was to hold.
        return without_others_or_best(rows, kept, found).toarray().astype(X.dtype, copy=False)
    row = np.repeat(np.arange(X.shape[0]), np.diff(X.indptr))
    theirs, there = found[X.indices], X.data != 0
    stays = kept[X.indices] & there
    empty = np.bincount(row[stays], minlength=X.shape[0]) == 0
    spare = empty[row] & there & ~np.isnan(theirs)
    best = np.full(X.shape[0], -np.inf)
    np.maximum.at(best, row[spare], theirs[spare])
    return _entries(X, stays | (spare & (theirs == best[row])))


def _entries(X: Any, stays: NDArray[np.bool_]) -> Any:
    """Return a CSR matrix of some of its entries."""
    before = np.concatenate([[0], np.cumsum(stays)])
    starts = before[X.indptr].astype(X.indptr.dtype)
    return X.__class__((X.data[stays], X.indices[stays], starts), shape=X.shape)


def presence(X: Any) -> Any:
    """Return one for each number of a CSR matrix that is above zero."""
    return X.__class__(((X.data > 0).astype(np.int64), X.indices, X.indptr), shape=X.shape)


def whole_or_present(X: Any) -> Any:
    """Return a CSR matrix of counts as it is, or its :func:`presence` where some are fractions."""
    return X if (X.data == np.floor(X.data)).all() else presence(X)


def resized(values: NDArray[Any], width: int, filler: Any) -> NDArray[Any]:
    """Return values for the first ``width`` columns, with a filler where there are none.

    Examples
    --------
    >>> resized(np.array([1, 2]), 3, 0), resized(np.array([1, 2]), 1, 0)
    (array([1, 2, 0]), array([1]))
    """
    found = np.full(width, filler, dtype=values.dtype)
    shared = min(width, len(values))
    found[:shared] = values[:shared]
    return found


# ------------------------------------------------------------------------------------------------
# Which terms are chosen: scores of terms, and how many of the best.

Score: TypeAlias = Method | Literal["ts"] | Callable[[Tally], Any]

DEFAULT_SHARE = 0.1
"""The share of the terms that is kept unless something is said."""


class Choosing(BaseEstimator):  # type: ignore[misc]
    """The settings of a selector, and the choice that follows from them."""

    method: Score
    k: int | None
    threshold: float | None
    keep: float | None
    average: Average | None
    labels: Labels | None
    min_df: int

    scores_: Floats
    documents_: NDArray[np.int64]
    best_: NDArray[np.intp]
    kept_: NDArray[np.bool_]
    vocabulary_: Vocabulary
    n_features_in_: int
    open_: bool

    def _counted(self, X: Any, y: Any) -> Tally:
        if y is None and self._needs_labels:
            raise LabelError(
                f"method={self.method!r} needs labels: it requires y to be passed, "
                "but the target y is None."
            )
        targets = targets_of([[]] * X.shape[0] if y is None else y)
        check_lengths(X, targets)
        names = getattr(self, "feature_names_in_", None)
        planes = [Plane("binary", shared=True)] if targets.multi_label else []
        terms = None if names is None else list(names)
        counts = whole_or_present(X) if callable(self.method) else presence(X)
        return Tally.from_counts(counts, targets.labels, terms, planes=planes)

    def _choose(self, tally: Tally, found: Floats) -> None:
        documents = tally.term_documents[: len(found)]
        n_kept = self.k
        if self.keep is not None or (self.k is None and self.threshold is None):
            share = DEFAULT_SHARE if self.keep is None else self.keep
            n_kept = max(round(share * np.count_nonzero(documents)), 1)
        best = ranked(tally, found, k=n_kept, above=self.threshold, min_df=self.min_df)
        self._settle(found, documents, best, tally.vocabulary)

    def restored(
        self,
        scores: Floats,
        documents: NDArray[np.int64],
        best: NDArray[np.int64],
        vocabulary: Vocabulary,
        open_: bool,
    ) -> Self:
        """Become what another one was when it had chosen; nothing is scored.

        Parameters
        ----------
        scores : ndarray of shape (n_features,)
            The score of each term.
        documents : ndarray of int of shape (n_features,)
            How many documents had it.
        best : ndarray of int
            The terms that were kept, best first.
        vocabulary : Vocabulary
            The terms.
        open_ : bool
            Whether terms may still be added to it.
        """
        self._settle(scores, documents, best.astype(np.intp), vocabulary)
        self.n_features_in_, self.open_ = len(scores), open_
        return self

    def _settle(
        self,
        found: Floats,
        documents: NDArray[np.int64],
        best: NDArray[np.intp],
        vocabulary: Vocabulary,
    ) -> None:
        self.scores_, self.documents_, self.best_ = found, documents, best
        self.kept_ = np.zeros(len(found), dtype=bool)
        self.kept_[best] = True
        self.vocabulary_ = vocabulary

    def _scored(self, tally: Tally, X: Any = None) -> Floats:
        if self.method == "ts":
            return self._strengths(X)
        if not callable(self.method):
            return scores(tally, self.method, average=self.average, labels=self.labels)
        found = np.asarray(self.method(tally), dtype=np.float64)
        if found.shape != (len(tally.vocabulary),) or np.isnan(found).any():
            raise ValueError(
                f"method must give each of the {len(tally.vocabulary)} terms a number; "
                f"{self.method!r} gave {found!r:.80}."
            )
        return found

    def _strengths(self, X: Any) -> Floats:
        if X is None:
            raise CountError(
                "method='ts' compares documents with each other, and a tally holds their sums "
                "only: fit on the matrix of documents."
            )
        if not (self.average is None and self.labels is None):
            raise ValueError("average and labels have no effect on method='ts'.")
        return term_strength(X)

    @property
    def _needs_labels(self) -> bool:
        return not isinstance(self.method, str) or self.method not in ("df", "ts")

    def _check_parameters(self) -> None:
        given = {"k": self.k, "threshold": self.threshold, "keep": self.keep}
        named = [f"{name}={value!r}" for name, value in given.items() if value is not None]
        if len(named) > 1:
            raise ValueError(f"give one of k, threshold and keep, not {' and '.join(named)}.")
        for name, value in (("k", self.k), ("min_df", self.min_df)):
            if value is not None and (not isinstance(value, Integral) or value < 1):
                raise ValueError(f"{name} must be a whole number from 1 on, not {value!r}.")
        if self.keep is not None and not (isinstance(self.keep, Real) and 0 < self.keep <= 1):
            raise ValueError(f"keep must be a share, above 0 and at most 1, not {self.keep!r}.")
        threshold = 0.0 if self.threshold is None else self.threshold
        if not isinstance(threshold, Real) or np.isnan(threshold):
            raise ValueError(f"threshold must be a number, not {self.threshold!r}.")
        if callable(self.method) and not (self.average is None and self.labels is None):
            raise ValueError("average and labels have no effect on a score of your own.")


# ------------------------------------------------------------------------------------------------
# What transformers share that keep some columns.
#
# scikit-learn has the same, in a module that brings all of its linear models along: more than a
# command that answers a question has time for.


class KeepsColumns(TransformerMixin):  # type: ignore[misc]
    """Keeps the columns of a mask that a kind of transformer has (:meth:`_get_support_mask`)."""

    n_features_in_: int

    def _get_support_mask(self) -> NDArray[np.bool_]:
        """Return whether each column is kept."""
        raise TypeError(f"{type(self).__name__} must say which columns it keeps.")

    def get_support(self, indices: bool = False) -> NDArray[Any]:
        """Return whether each column is kept; or, with ``indices``, the numbers of those that are.

        Parameters
        ----------
        indices : bool, default=False
        """
        mask = self._get_support_mask()
        return np.flatnonzero(mask) if indices else mask

    def inverse_transform(self, X: Any) -> Any:
        """Return X with empty columns where some were left out.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_documents, n_kept)
        """
        kept = self.get_support(indices=True)
        given: Any = check_array(X, accept_sparse="csr")
        if given.shape[1] != len(kept):
            raise ValueError(f"X has {given.shape[1]} columns, but {len(kept)} were kept.")
        width = len(self._get_support_mask())
        shape = given.shape[0], width
        if not isinstance(given, np.ndarray):
            return type(given)((given.data, kept[given.indices], given.indptr), shape=shape)
        whole = np.zeros(shape, dtype=given.dtype)
        whole[:, kept] = given
        return whole

    def get_feature_names_out(self, input_features: Any = None) -> NDArray[Any]:
        """Return the names of the columns that are kept.

        Parameters
        ----------
        input_features : ignored
            Present by convention.
        """
        names: NDArray[Any] = _check_feature_names_in(self, input_features)
        return names[self._get_support_mask()]


class TermSelector(KeepsColumns, Choosing):
    r"""Keeps the terms that tell most of the classes.

    Terms are scored on the training documents (:func:`~tallytext.features.term_scores`) and kept by
    their number, their share or a threshold. Of terms with the same score the one in more documents
    is better, then the one whose name is first by code points, so that the choice does not depend
    on the order of documents or columns. Terms that do not occur are never kept.

    Parameters
    ----------
    method : {"ig", "chi", "mi", "prr", "df", "ts"} or callable, default="ig"
        What terms are scored by. ``ts`` is :func:`~tallytext.features.term_strength`: it compares
        documents with each other, so that a tally is not enough, and needs no labels. A callable
        is given a :class:`~tallytext.Tally` and returns a number for each term of its vocabulary;
        it is given counts as they are where they are whole numbers, and otherwise one for what is
        more than zero.
    k : int, default=None
        How many terms to keep at most.
    threshold : float, default=None
        Keep the terms whose score is higher.
    keep : float, default=None
        Keep this share of the terms that occur, such as 0.02; at least one.
        Without ``k``, ``threshold`` and ``keep`` a tenth of the terms is kept: with ``ig``, ``chi``
        and ``df`` kNN and LLSF lost nothing by that in Yang and Pedersen (1997). Smoothed Bayes
        models may: :func:`tallytext.vocabulary_curve` tells.
    average : {"max", "avg"}, default=None
        For ``chi``, ``mi`` and ``prr``: the largest of all classes, the default, or their mean.
    labels : {"fractional", "pairs", "binary"}, default=None
        For ``ig``, where documents have several labels; see :func:`~tallytext.features.scores`.
    min_df : int, default=1
        Keep no term of fewer documents. Three are a good choice for ``chi``, which is unreliable
        for rarer terms.
    nonempty : bool, default=False
        Let a document that would become empty keep its terms with the highest score among its own,
        all of them in a tie. Any column may then be kept in some document, so ``transform`` keeps
        all columns and empties what is left out. Terms that no training document had stay out.

    Attributes
    ----------
    scores_ : ndarray of shape (n_terms,)
        The score of each term.
    documents_ : ndarray of shape (n_terms,)
        The number of training documents with each term.
    best_ : ndarray
        The columns of the terms that are kept, best first.
    kept_ : ndarray of bool of shape (n_terms,)
        Whether each term is kept.
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

    n_features_in_: int
    #: Whether matrices may have more columns: terms that came after the choice.
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
        """Score the terms of training documents and choose among them.

        Parameters
        ----------
        X : sparse matrix, sparse array or array-like of shape (n_documents, n_terms)
            Counts, or any numbers that are not negative.
        y : sequence of length n_documents, default=None
            One label per document; or a list of labels per document, or an indicator matrix, for
            documents with several labels or none. Only ``df`` and ``ts`` do without.

        Returns
        -------
        self
        """
        self._check_parameters()
        X = checked_matrix(self, X, reset=True, open_width=False)
        tally = self._counted(X, y)
        self._choose(tally, self._scored(tally, X))
        self.open_ = False
        return self

    def fit_tally(self, tally: Tally) -> Self:
        """Score the terms of a tally and choose among them; no document is needed.

        Columns are the ids of ``tally.vocabulary``; columns beyond those of today are terms that
        are not kept.

        Parameters
        ----------
        tally : Tally
            What was counted.

        Examples
        --------
        >>> tally = Tally().learn({"sky": 2, "the": 1}, "X").learn({"sea": 2, "the": 1}, "Y")
        >>> TermSelector(k=2).fit_tally(tally).get_feature_names_out()
        array(['sky', 'sea'], dtype=object)
        """
        self._check_parameters()
        if not isinstance(tally, Tally):
            raise CountError(f"fit_tally reads a Tally, not {tally!r:.60}. For a matrix, use fit.")
        now = tally._snapshot()
        self._choose(now, self._scored(now))
        self.n_features_in_, self.open_ = len(self.scores_), True
        if hasattr(self, "feature_names_in_"):
            del self.feature_names_in_
        return self

    def select(self, tally: Tally) -> SelectedTally:
        """Return a tally of the chosen terms that goes on learning.

        Parameters
        ----------
        tally : Tally
            What was counted.

        Examples
        --------
        >>> tally = Tally().learn({"sky": 2, "the": 1}, "X").learn({"sea": 2, "the": 1}, "Y")
        >>> TermSelector(k=2).select(tally).learn({"sky": 1, "the": 3}, "X").tally.n_tokens
        5
        """
        from tallytext.features.selected_tally import SelectedTally

        return SelectedTally(tally, self)

    def transform(self, X: Any) -> Any:
        """Return X with the terms that are kept, in the order of their columns.

        With ``nonempty`` all columns stay, and :meth:`masked` is returned.

        Parameters
        ----------
        X : sparse matrix, sparse array or array-like of shape (n_documents, n_terms)
            Counts.
        """
        if self.nonempty:
            return self.masked(X)
        check_is_fitted(self)
        return self._checked(self._within(X))[:, self.get_support(indices=True)]

    def masked(self, X: Any) -> Any:
        """Return X with the columns emptied that are not kept; its width stays.

        Parameters
        ----------
        X : sparse matrix, sparse array or array-like of shape (n_documents, n_terms)
            Counts.

        Examples
        --------
        >>> X = np.array([[2, 1, 0], [0, 1, 2]])
        >>> TermSelector(k=1).fit(X, ["X", "Y"]).masked(X)
        array([[2, 0, 0],
               [0, 0, 0]])
        """
        check_is_fitted(self)
        X = self._checked(X)
        kept = resized(self.kept_, X.shape[1], False)
        if not self.nonempty:
            return without_others(X, kept)
        steps = in_steps(self.scores_, step_of(self.scores_))
        steps[self.documents_ == 0] = np.nan
        return without_others_or_best(X, kept, resized(steps, X.shape[1], np.nan))

    def get_feature_names_out(self, input_features: Any = None) -> NDArray[Any]:
        """Return the names of the columns that :meth:`transform` returns."""
        check_is_fitted(self)
        if self.open_ and input_features is None:
            return self.vocabulary_.terms(np.flatnonzero(self._get_support_mask()))
        return super().get_feature_names_out(input_features)

    def _get_support_mask(self) -> NDArray[np.bool_]:
        check_is_fitted(self)
        return np.ones_like(self.kept_) if self.nonempty else self.kept_

    def _within(self, X: Any) -> Any:
        """Return X without the columns of terms that came after the choice."""
        check_is_fitted(self)
        wider = self.open_ and getattr(X, "ndim", 1) == 2 and X.shape[1] > self.n_features_in_
        return X[:, : self.n_features_in_] if wider else X

    def _checked(self, X: Any) -> Any:
        if self.open_:
            return check_array(X, accept_sparse="csr", estimator=self)
        return validate_data(self, X, accept_sparse="csr", reset=False)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.positive_only = True
        tags.target_tags.required = self._needs_labels
        tags.target_tags.multi_output = True
        return tags


# ------------------------------------------------------------------------------------------------
# Which terms are typical of a class.


def typical_terms(tally: Tally, classes: Iterable[int], top: int) -> Iterator[list[str]]:
    """Yield the terms most typical of each of these classes, by :func:`signed_g2`."""
    occurrences = csc_array(tally.occurrences)
    for c in classes:
        cells = slice(occurrences.indptr[c], occurrences.indptr[c + 1])
        ids = occurrences.indices[cells]
        scores = signed_g2(
            occurrences.data[cells],
            int(tally.class_tokens[c]),
            tally.term_occurrences[ids],
            int(tally.n_tokens),
        )
        best = np.argsort(-scores, kind="stable")[:top]
        yield [str(term) for term in tally.vocabulary.terms(ids[best])]


def signed_g2(
    inside: NDArray[Any], class_tokens: int, everywhere: NDArray[Any], tokens: int
) -> NDArray[np.float64]:
    r"""Compare how often terms occur inside a class and outside of it.

    The log-likelihood ratio of two binomials against one, negative for a term that is rarer
    inside than outside:

    .. math:: G^2 = 2 \sum_{i} O_i \log \frac{O_i}{E_i}

    over the four cells of term or other term, inside or outside. Unlike a ratio of frequencies it
    does not prefer terms that were seen once.

    Parameters
    ----------
    inside : ndarray
        Occurrences of each term inside the class.
    class_tokens : int
        Occurrences of all terms inside the class.
    everywhere : ndarray
        Occurrences of each term in all classes together.
    tokens : int
        Occurrences of all terms in all classes together.

    Returns
    -------
    ndarray of float
        The score of each term.

    Examples
    --------
    >>> signed_g2(np.array([10, 5, 0]), 50, np.array([10, 10, 10]), 100).round(1)
    array([ 15.,   0., -15.])
    """
    a = np.asarray(inside, dtype=np.float64)
    b = np.asarray(everywhere, dtype=np.float64) - a
    observed = np.stack([a, b, class_tokens - a, tokens - class_tokens - b])
    term = observed[0] + observed[1]
    expected = np.stack(
        [
            term * class_tokens,
            term * (tokens - class_tokens),
            (tokens - term) * class_tokens,
            (tokens - term) * (tokens - class_tokens),
        ]
    ) / max(tokens, 1)
    ratio = np.divide(observed, expected, out=np.ones_like(observed), where=expected > 0)
    g2 = 2 * xlogy(observed, ratio).sum(axis=0)
    return np.asarray(np.where(observed[0] >= expected[0], g2, -g2))

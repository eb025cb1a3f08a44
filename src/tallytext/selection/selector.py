"""Terms chosen by their scores, as a step of a pipeline or for a tally."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import check_array
from sklearn.utils.validation import check_is_fitted, validate_data

from tallytext.errors import CountError
from tallytext.matrices import checked_matrix
from tallytext.selection.best import in_steps, step_of
from tallytext.selection.choosing import Choosing, Score
from tallytext.selection.gain import Labels
from tallytext.selection.masking import (
    resized,
    without_others,
    without_others_or_best,
)
from tallytext.selection.scores import Average
from tallytext.selection.support import KeepsColumns
from tallytext.tally import Tally

if TYPE_CHECKING:
    from tallytext.selection.selected_tally import SelectedTally


class TermSelector(KeepsColumns, Choosing):
    r"""Keeps the terms that tell most of the classes.

    Terms are scored on the training documents (:func:`~tallytext.selection.scores`) and kept by
    their number, their share or a threshold. Of terms with the same score the one in more documents
    is better, then the one whose name is first by code points, so that the choice does not depend
    on the order of documents or columns. Terms that do not occur are never kept.

    Parameters
    ----------
    method : {"ig", "chi", "mi", "prr", "df", "ts"} or callable, default="ig"
        What terms are scored by. ``ts`` is :func:`~tallytext.selection.term_strength`: it compares
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
        models may: :func:`tallytext.curves.vocabulary_curve` tells.
    average : {"max", "avg"}, default=None
        For ``chi``, ``mi`` and ``prr``: the largest of all classes, the default, or their mean.
    labels : {"fractional", "pairs", "binary"}, default=None
        For ``ig``, where documents have several labels; see :func:`~tallytext.selection.scores`.
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
        self._expect_parameters()
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
        self._expect_parameters()
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
        from tallytext.selection.selected_tally import SelectedTally

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

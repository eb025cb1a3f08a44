"""What a model says of documents: scores, labels, probabilities, ranks."""

from __future__ import annotations

from numbers import Integral
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tallytext.bayes.base import ModelBase
from tallytext.bayes.out_of_sample import posteriors
from tallytext.bayes.weight_cache import Seen
from tallytext.decision.ranking import log_odds
from tallytext.labels import place_of
from tallytext.scorer import (
    Best,
    Documents,
    best_of,
    order_of_ties,
    sums_of_rows,
)
from tallytext.smoothing.base import Numbers
from tallytext.threads import thread_count


class Predicting(ModelBase):
    """Scores documents with the weights of the moment."""

    @property
    def classes_(self) -> NDArray[Any]:
        """The labels, sorted."""
        return self._order().classes

    @property
    def contrasts(self) -> bool:
        """Whether scores are log-odds of each class against all others."""
        return self._contrasts

    def scores(self, X: Any) -> Numbers:
        """Return the raw score of each document for each class.

        Joint log-probabilities of document and class; for models of contrasts and for several
        labels per document, the log-odds of each class against all others.

        Parameters
        ----------
        X : sparse matrix, sparse array or array-like of shape (n_documents, n_terms)
            Counts.
        """
        return self._scores(self._documents(X))[0]

    def lengths(self, X: Any) -> Numbers:
        """Return how much of each document is known to the model, as it weighs words.

        Parameters
        ----------
        X : sparse matrix, sparse array or array-like of shape (n_documents, n_terms)
            Counts.
        """
        return self.scores_and_lengths(X)[1]

    def scores_and_lengths(self, X: Any) -> tuple[Numbers, Numbers]:
        """Return :meth:`scores` and :meth:`lengths`, for the price of one.

        Parameters
        ----------
        X : sparse matrix, sparse array or array-like of shape (n_documents, n_terms)
            Counts.

        Examples
        --------
        >>> from tallytext import MultinomialNB
        >>> model = MultinomialNB().fit([[2, 1, 0], [0, 1, 0]], ["sea", "sky"])
        >>> model.scores_and_lengths([[1, 2, 5]])[1]
        array([3.])
        """
        return self._scores(self._documents(X))

    def scores_lengths_classes(self, X: Any) -> tuple[Numbers, Numbers, NDArray[Any]]:
        """Return :meth:`scores`, :meth:`lengths` and the labels of the columns, of one moment.

        Between two calls another thread may learn a class, and columns move.

        Parameters
        ----------
        X : sparse matrix, sparse array or array-like of shape (n_documents, n_terms)
            Counts.

        Examples
        --------
        >>> from tallytext import MultinomialNB
        >>> model = MultinomialNB().fit([[2, 1, 0], [0, 1, 0]], ["sea", "sky"])
        >>> model.scores_lengths_classes([[1, 2, 5]])[2]
        array(['sea', 'sky'], dtype='<U3')
        """
        documents = self._documents(X)
        seen = self._seen(documents)
        return (*self._scores(documents, seen), seen.reading.order.classes)

    def predict(self, X: Any) -> NDArray[Any]:
        """Return the best class of each document, or which classes are more likely than not.

        Parameters
        ----------
        X : sparse matrix, sparse array or array-like of shape (n_documents, n_terms)
            Counts.

        Returns
        -------
        ndarray
            Labels; or, for several labels per document, an indicator matrix whose columns are
            ``classes_``.
        """
        documents = self._documents(X)
        seen = self._seen(documents)
        if self.multi_label_:
            return (self._scores(documents, seen)[0] > 0).astype(np.int64)
        return seen.reading.order.classes[self._top(documents, seen, 1).classes[:, 0]]

    def predict_log_proba(self, X: Any) -> Numbers:
        """Return the logarithms of :meth:`predict_proba`.

        Parameters
        ----------
        X : sparse matrix, sparse array or array-like of shape (n_documents, n_terms)
            Counts.
        """
        return self.posteriors(self.scores(X))

    def predict_proba(self, X: Any) -> Numbers:
        """Return the probability of each class, raw: on long documents far too sure of itself.

        For several labels per document, of each class against its absence; otherwise they sum to
        one.

        Parameters
        ----------
        X : sparse matrix, sparse array or array-like of shape (n_documents, n_terms)
            Counts.
        """
        return np.exp(self.predict_log_proba(X))

    def top_k(self, X: Any, k: int) -> Best:
        """Return the numbers in ``classes_`` and the scores of the k best classes, best first.

        Parameters
        ----------
        X : sparse matrix, sparse array or array-like of shape (n_documents, n_terms)
            Counts.
        k : int
            How many classes.
        """
        if not isinstance(k, Integral) or k < 1:
            raise ValueError(f"k must be a whole number from 1 up, not {k!r}.")
        documents = self._documents(X)
        seen = self._seen(documents)
        return self._top(documents, seen, min(int(k), seen.reading.n_classes))

    def rank(self, X: Any, label: Any) -> Numbers:
        """Return by how much each document speaks for a class: its log-odds, to sort by.

        Parameters
        ----------
        X : sparse matrix, sparse array or array-like of shape (n_documents, n_terms)
            Counts.
        label : label
            A class.
        """
        documents = self._documents(X)
        seen = self._seen(documents)
        odds = self.log_odds(self._scores(documents, seen)[0])
        return odds[:, place_of(label, seen.reading.order.classes)]

    def evidence(self, X: Any) -> Numbers:
        """Return what documents say for each class per token: log-odds without the prior.

        Unlike scores these can be compared between short and long documents, so that one threshold
        may serve both. Zero for documents of which nothing is known, -inf for classes that no
        document has.

        Parameters
        ----------
        X : sparse matrix, sparse array or array-like of shape (n_documents, n_terms)
            Counts.

        Returns
        -------
        ndarray of shape (n_documents, n_classes)
        """
        documents = self._documents(X)
        return self._evidence(documents, self._seen(documents))

    def _evidence(self, documents: Documents, seen: Seen) -> Numbers:
        scores, lengths = self._scores(documents, seen)
        prior = self._log_priors(seen.reading)
        possible, below = prior > -np.inf, self._divisors(lengths)[:, None]
        said = self.log_odds(scores - np.where(possible, prior, 0.0))
        per_token = np.divide(said, below, out=np.zeros_like(said), where=below > 0)
        per_token[:, ~possible] = -np.inf
        return per_token

    def posteriors(self, scores: Numbers) -> Numbers:
        """Return the logarithms of the probabilities that raw scores stand for.

        Parameters
        ----------
        scores : array-like of shape (n_documents, n_classes)
            The scores of each document.
        """
        return posteriors(scores, self._contrasts, self.multi_label_)

    def log_odds(self, scores: Numbers) -> Numbers:
        """Return the log-odds of each class against all others that raw scores stand for.

        Parameters
        ----------
        scores : array-like of shape (n_documents, n_classes)
            The scores of each document.
        """
        return scores if self._contrasts else log_odds(scores)

    def class_number(self, label: Any) -> int:
        """Return the place of a label in ``classes_``.

        Parameters
        ----------
        label : label
            A class.
        """
        return place_of(label, self.classes_)

    def unknown_shares(self, X: Any) -> Numbers:
        """Return the share of each document's tokens that the model has never seen.

        Parameters
        ----------
        X : sparse matrix, sparse array or array-like of shape (n_documents, n_terms)
            Counts.
        """
        documents = self._raw_documents(X)
        used, at = np.unique(documents.terms, return_inverse=True)
        known = (self._reader().read(used).term_totals[-1] > 0)[at]
        length = sums_of_rows(documents.values, documents.starts)
        unknown = sums_of_rows(documents.values * ~known, documents.starts)
        return np.divide(unknown, length, out=np.zeros_like(length), where=length > 0)

    def _scores(self, documents: Documents, seen: Seen | None = None) -> tuple[Numbers, Numbers]:
        seen = self._seen(documents) if seen is None else seen
        scores, lengths = seen.weights.scores(seen.local(documents), thread_count(self.n_jobs))
        scores = self._or_prior(scores, seen.weights)
        return self._lengthened(scores, documents, seen.reading), lengths

    def _top(self, documents: Documents, seen: Seen, k: int) -> Best:
        order = order_of_ties(seen.weights.intercept)
        if self._needs_all_scores(seen.weights):
            return best_of(self._scores(documents, seen)[0], k, order)
        return seen.weights.top(seen.local(documents), k, order, thread_count(self.n_jobs))

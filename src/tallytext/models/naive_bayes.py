"""What all naive Bayes models share: a tally that learns, and a scorer read off it."""

from __future__ import annotations

import copy
import math
from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import cache
from numbers import Integral
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.validation import check_is_fitted

from tallytext._typing import FloatArray
from tallytext._validation import check_between, checked_matrix, weights_of
from tallytext.decision.calibrators import log_odds
from tallytext.decision.explanation import Explanation
from tallytext.decision.out_of_sample import OutOfSample, posteriors
from tallytext.errors import CountError, ScoreError
from tallytext.models.em import ExpectationMaximisation, Expected, way_of_learning
from tallytext.models.explaining import Summands, as_row, explained, names_of, one_document
from tallytext.models.leave_one_out import leave_one_out
from tallytext.models.left_out import Leaving, LeftOut, Training, training_of
from tallytext.models.priors import Prior, check_prior, class_priors, log_priors, weighted_priors
from tallytext.models.reading import (
    ClassOrder,
    Column,
    Ordering,
    Reader,
    Reading,
    Seen,
    WeightCache,
    at_one_moment,
    check_classes,
    documents_of,
    in_units,
    transformed,
    unit_of,
    vocabulary_for,
)
from tallytext.models.scorer import (
    Best,
    Documents,
    RowWeights,
    Weights,
    best_of,
    order_of_ties,
    sums_of_rows,
)
from tallytext.runtime import thread_count
from tallytext.tally.labels import Label, Targets, check_lengths, place_of, sort_labels, targets_of
from tallytext.tally.planes import Plane
from tallytext.tally.tally import Tally
from tallytext.text.vocabulary import Vocabulary

# ------------------------------------------------------------------------------------------------
# What is known of a naive Bayes model, and what each kind of them has to say.


class ModelBase(BaseEstimator):  # type: ignore[misc]
    """Parameters, state, and the way from the tally to weights.

    A kind of model says which columns of the tally it reads (:meth:`_columns`), how they become
    weights (:meth:`_estimate`), and whether its scores are contrasts, the log-odds of each class
    against all others, or the joint log-probabilities of documents and classes.
    """

    prior: Prior
    prior_beta: float
    class_weight: Any
    multi_label: bool | None
    dtype: Any
    n_jobs: int | None

    tf_test: Any = "raw"
    has_leave_one_out = False
    expected_: Expected | None = None

    tally_: Tally
    ordering_: Ordering
    cache_: WeightCache
    n_features_in_: int
    unit_: float
    weighted_: bool
    open_: bool
    multi_label_: bool

    def _columns(self, unit: float, weighted: bool) -> list[Column]:
        """Return the columns to read, the last being that of documents."""
        raise TypeError(f"{type(self).__name__} must say which columns it reads.")

    def _estimate(self, reading: Reading, intercept: FloatArray) -> Weights:
        """Return the weights that follow from counts."""
        raise TypeError(f"{type(self).__name__} must say how counts become weights.")

    @property
    def _contrasts(self) -> bool:
        """Whether scores are log-odds of each class against all others."""
        return self.multi_label_

    def _check_parameters(self) -> None:
        """Refuse parameters that cannot be, or that contradict each other."""
        if self.multi_label not in (None, True, False):
            raise ValueError(f"multi_label must be True, False or None, not {self.multi_label!r}.")
        if self.dtype not in ("float64", "float32", np.float64, np.float32):
            raise ValueError(f"dtype must be 'float64' or 'float32', not {self.dtype!r}.")
        check_between("prior_beta", self.prior_beta, 0.0, math.inf)
        check_prior(self.prior)

    def _choose(self, X: Any, targets: Targets, weights: FloatArray | None) -> None:
        """Choose from training documents what cannot be chosen from their sums."""

    def _leaving(self, reading: Reading) -> Leaving:
        """Return what scores documents by models that have forgotten them."""
        raise ScoreError(
            f"{type(self).__name__} cannot leave out one document at a time: use cross_validate."
        )

    def _left_lengthened(self, scores: FloatArray, left: LeftOut) -> FloatArray:
        """Return scores of documents left out with what their lengths say added."""
        return scores

    def _lengthened(self, scores: FloatArray, documents: Documents, reading: Reading) -> FloatArray:
        """Return scores with what the length of a document says added."""
        return scores

    def _or_prior(self, scores: FloatArray, weights: Weights) -> FloatArray:
        """Return scores, but the prior for documents that no class can have written."""
        lost = ~(scores > -np.inf).any(axis=1)
        if lost.any():
            scores[lost] = weights.intercept
        return scores

    def _divisors(self, lengths: FloatArray) -> FloatArray:
        """Return what evidence is divided by."""
        return lengths

    def _needs_all_scores(self, weights: Weights) -> bool:
        """Whether the best class cannot be found without all scores."""
        return isinstance(weights, RowWeights)

    def _raw_documents(self, X: Any) -> Documents:
        """Return documents to be judged, as they were counted."""
        check_is_fitted(self)
        return documents_of(checked_matrix(self, X, reset=False, open_width=self.open_))

    def _documents(self, X: Any) -> Documents:
        """Return documents as they are to be judged."""
        return transformed(self._raw_documents(X), self.tf_test)

    def _seen(self, documents: Documents, reader: Reader | None = None) -> Seen:
        """Return weights of the terms of documents, all of one moment."""
        reader = self._reader() if reader is None else reader
        return self.cache_.weights(reader, documents.terms, self._weights, self._settings())

    def _settings(self) -> tuple[Any, ...]:
        """Return all that weights depend on, but for the tally."""
        model: Any = type(self)
        parameters = [self.__dict__[name] for name in _parameter_names(model)]
        return (*parameters, self.multi_label_, self.ordering_, self.expected_)

    def _weights(self, reading: Reading) -> Weights:
        self._check_parameters()
        check_classes(reading)
        return self._estimate(reading, self._log_priors(reading)).cast(np.dtype(self.dtype))

    def _log_priors(self, reading: Reading) -> FloatArray:
        classes, multi_label = reading.order.classes, self.multi_label_
        documents, whole = reading.prior_documents
        n_documents = whole if multi_label else None
        priors = class_priors(self.prior, self.prior_beta, documents, classes, n_documents)
        priors = weighted_priors(priors, self.class_weight, classes, multi_label)
        return log_priors(priors, self._contrasts)

    def _order(self) -> ClassOrder:
        return self.ordering_.of(self.tally_, self.tally_.slice([0], NO_TERMS).class_documents)

    def _reader(self) -> Reader:
        expected = self.expected_
        if expected is not None:
            expected = expected.in_columns(self._expected_columns())
        return self._labelled_reader(expected)

    def _labelled_reader(self, expected: Expected | None = None) -> Reader:
        """Return a reader of documents with labels, to which nothing else is added if not given."""
        columns = self._columns(self.unit_, self.weighted_)
        return Reader(self.tally_, columns, self.ordering_, expected)

    def _expected_columns(self) -> list[Plane]:
        """Return what documents that count in parts have in the place of the columns to read."""
        columns = self._columns(self.unit_, True)
        return [column for column in columns if isinstance(column, Plane)]


NO_TERMS = np.empty(0, dtype=np.int32)


@cache
def _parameter_names(model: Any) -> list[str]:
    # Asking for them looks at the signature, which takes longer than to judge a document.
    return model._get_param_names()


# ------------------------------------------------------------------------------------------------
# How documents enter a model: into its tally, and out of it again.


class Learning(ModelBase):
    """Counts documents; nothing else is ever learned."""

    def fit(
        self,
        X: Any,
        y: Any,
        sample_weight: ArrayLike | None = None,
        *,
        unlabelled: Any = None,
        em: ExpectationMaximisation | None = None,
    ) -> Self:
        """Count the documents anew.

        Parameters
        ----------
        X : sparse matrix, sparse array or array-like of shape (n_documents, n_terms)
            Counts. Fractions are counted in units of 2⁻²⁰.
        y : sequence of length n_documents
            One label per document; or a list of labels per document, or an indicator matrix, for
            documents with several labels or none.
        sample_weight : array-like of shape (n_documents,), default=None
            How often each document counts.
        unlabelled : matrix of shape (n_others, n_terms), default=None
            Documents without labels, to learn from as well: see :meth:`refresh`.
        em : ExpectationMaximisation, default=None
            How; None for ``ExpectationMaximisation()``.

        Returns
        -------
        self
        """
        how = way_of_learning(em)
        X = checked_matrix(self, X, reset=True, open_width=False)
        X, targets, weights = self._weighed(X, targets_of(y), sample_weight)
        self._begin(X, targets, weights)
        self._learn(X, targets, weights, +1)
        if unlabelled is not None:
            # What is chosen for a smoothing is chosen with the background that it will have.
            self.refresh(unlabelled, replace(how, rounds=0))
        self._choose(X, targets, weights)
        return self.refresh(unlabelled, how) if unlabelled is not None and how.rounds else self

    def refresh(
        self,
        X: Any,
        em: ExpectationMaximisation | None = None,
        *,
        anchors: ArrayLike | None = None,
    ) -> Self:
        """Learn from documents without labels, in the place of any from before.

        What they are expected to add to classes is held in ``expected_``, beside the counts of
        documents with labels, which stay exact. Learning and forgetting leave it as it is, until
        it is found anew or dropped.

        Parameters
        ----------
        X : matrix of shape (n_documents, n_terms)
            The documents; none for no more than :meth:`drop_unlabelled` does.
        em : ExpectationMaximisation, default=None
            How; None for ``ExpectationMaximisation()``.
        anchors : array-like of shape (n_documents, n_classes), default=None
            What is known of the documents besides, as logarithms: added to those of their shares,
            in the order of ``classes_``.

        Raises
        ------
        ScoreError
            If documents may have several labels, unless ``em.rounds`` is 0.

        Examples
        --------
        >>> from tallytext import MultinomialNB
        >>> model = MultinomialNB().fit([[1, 0, 0], [0, 0, 1]], ["sea", "sky"])
        >>> model.refresh([[2, 1, 0], [1, 2, 0]]).predict([[0, 1, 0]])
        array(['sea'], dtype='<U3')
        >>> model.drop_unlabelled().unknown_shares([[0, 1, 0]])
        array([1.])
        """
        check_is_fitted(self)
        how = way_of_learning(em)
        known = None if anchors is None else np.asarray(anchors, dtype=np.float64)
        self.expected_ = None if _is_empty(X) else how.run(self, X, known)
        return self

    def drop_unlabelled(self) -> Self:
        """Forget all documents without labels that :meth:`fit` or :meth:`refresh` were given."""
        self.expected_ = None
        return self

    def partial_fit(
        self,
        X: Any,
        y: Any,
        classes: Iterable[Any] | None = None,
        sample_weight: ArrayLike | None = None,
    ) -> Self:
        """Count more documents; new classes are welcome.

        Parameters
        ----------
        X, y, sample_weight
            As in :meth:`fit`.
        classes : iterable, default=None
            Classes to announce, as scikit-learn asks for in the first call; not needed here.

        Returns
        -------
        self
        """
        first = not hasattr(self, "tally_")
        X = checked_matrix(self, X, reset=first, open_width=not first and self.open_)
        X, targets, weights = self._weighed(X, targets_of(y), sample_weight)
        if first:
            self._begin(X, targets, weights)
        self._learn(X, targets, weights, +1)
        # Not before: documents that are refused must leave no trace.
        self._announce(_plain_labels(classes))
        self._announce(range(targets.columns or 0))
        self.multi_label_ = self.multi_label_ or (self.multi_label is None and targets.multi_label)
        if first:
            self._choose(X, targets, weights)
        return self

    def forget(self, X: Any, y: Any, sample_weight: ArrayLike | None = None) -> Self:
        """Take documents out that were learned, exactly.

        Parameters
        ----------
        X : sparse matrix, sparse array or array-like of shape (n_documents, n_terms)
            Counts of the documents.
        y : sequence of length n_documents
            Their labels, as they were learned.
        sample_weight : float or array-like of shape (n_documents,), default=None
            As they were learned with.

        Raises
        ------
        NegativeCountError
            If these documents were never learned with these labels. Nothing changes then.
        """
        check_is_fitted(self)
        X = checked_matrix(self, X, reset=False, open_width=self.open_)
        self._learn(*self._weighed(X, targets_of(y), sample_weight), -1)
        return self

    @classmethod
    def from_tally(cls, tally: Tally, **parameters: Any) -> Self:
        """Return a model of counts that are there already; no document is needed.

        The model reads this very tally: what the tally learns, the model knows. Matrices that it
        is asked about have the columns of ``tally.vocabulary``; columns beyond it are words that
        nobody has seen. Whether documents may have several labels is settled now: a tally that
        is to learn such documents later needs ``multi_label=True``.

        Parameters
        ----------
        tally : Tally
        **parameters
            Those of the constructor.

        Raises
        ------
        RecipeError
            If the tally does not keep the planes that the parameters ask for.
        """
        if not isinstance(tally, Tally):
            raise CountError(f"from_tally reads a Tally, not {tally!r:.60}. To learn, use fit.")
        model = cls(**parameters)
        multi_label = tally.n_several > 0 or tally.n_unlabelled > 0
        model._settle(multi_label)
        model._start(tally, 1.0, weighted=False, open_=True)
        return model

    def with_tally(self, tally: Tally) -> Self:
        """Return a model with the settings and choices of this one, which reads another tally.

        Parameters
        ----------
        tally : Tally
            What was counted.
        """
        model = copy.copy(self)
        model.tally_, model.cache_ = tally, WeightCache()
        model.ordering_ = Ordering(self.ordering_.announced)
        if self.open_:
            model.n_features_in_ = len(tally.vocabulary)
        return model

    def _begin(self, X: Any, targets: Targets, weights: FloatArray | None) -> None:
        check_documents(X)
        self._settle(targets.multi_label)
        unit, weighted = unit_of(X), weights is not None
        planes = [column for column in self._columns(unit, weighted) if isinstance(column, Plane)]
        tally = Tally(vocabulary_for(self), planes=planes)
        self._start(tally, unit, weighted, open_=False)
        self._announce(range(targets.columns or 0))
        tally.number_labels(sort_labels(targets.distinct))

    def _settle(self, multi_label: bool) -> None:
        self.multi_label_ = multi_label if self.multi_label is None else bool(self.multi_label)
        self._check_parameters()

    def _start(self, tally: Tally, unit: float, weighted: bool, open_: bool) -> None:
        self.tally_, self.unit_, self.weighted_, self.open_ = tally, unit, weighted, open_
        self.expected_ = None
        self.ordering_ = Ordering()
        self.cache_ = WeightCache()
        if open_:
            self.n_features_in_ = len(tally.vocabulary)
        for column in self._columns(unit, weighted):
            tally.column(column)

    def _weighed(
        self, X: Any, targets: Targets, sample_weight: Any
    ) -> tuple[Any, Targets, FloatArray | None]:
        """Return what was given without the documents that weigh nothing."""
        check_lengths(X, targets)
        weights = weights_of(sample_weight, X.shape[0])
        if weights is None or weights.all():
            return X, targets, weights
        kept = np.flatnonzero(weights)
        labels = [targets.labels[at] for at in kept]
        return X[kept], targets._replace(labels=labels), weights[kept]

    def _learn(self, X: Any, targets: Targets, weights: FloatArray | None, sign: int) -> None:
        if weights is not None and not self.weighted_:
            raise CountError("sample_weight must be given from the first call on, or never.")
        move = self.tally_.learn if sign > 0 else self.tally_.forget
        move(in_units(X, self.unit_), targets.labels, sample_weight=weights)

    def _announce(self, classes: Iterable[Label]) -> None:
        """Show these classes even while they have no document."""
        known = self.ordering_.announced
        if new := [label for label in classes if label not in known]:
            self.ordering_ = Ordering([*known, *new])

    def _training(self, X: Any, targets: Targets, sample_weight: Any = None) -> Training:
        counted = documents_of(in_units(X, self.unit_))
        weights = weights_of(sample_weight, X.shape[0])
        return training_of(counted, targets.labels, self.tally_.label_index, weights)


def _is_empty(X: Any) -> bool:
    shape: tuple[int, ...] = X.shape if hasattr(X, "shape") else np.shape(X)
    return shape[:1] == (0,)


def _plain_labels(classes: Iterable[Any] | None) -> list[Label]:
    if classes is None:
        return []
    return [label.item() if isinstance(label, np.generic) else label for label in classes]


def check_documents(X: Any) -> None:
    """Refuse to begin with documents that all weigh nothing."""
    if not X.shape[0]:
        raise CountError("every sample_weight is zero, so that no document is left to count.")


# ------------------------------------------------------------------------------------------------
# What a model says of documents: scores, labels, probabilities, ranks.


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

    def scores(self, X: Any) -> FloatArray:
        """Return the raw score of each document for each class.

        Joint log-probabilities of document and class; for models of contrasts and for several
        labels per document, the log-odds of each class against all others.

        Parameters
        ----------
        X : sparse matrix, sparse array or array-like of shape (n_documents, n_terms)
            Counts.
        """
        return self._scores(self._documents(X))[0]

    def lengths(self, X: Any) -> FloatArray:
        """Return how much of each document is known to the model, as it weighs words.

        Parameters
        ----------
        X : sparse matrix, sparse array or array-like of shape (n_documents, n_terms)
            Counts.
        """
        return self.scores_and_lengths(X)[1]

    def scores_and_lengths(self, X: Any) -> tuple[FloatArray, FloatArray]:
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

    def scores_lengths_classes(self, X: Any) -> tuple[FloatArray, FloatArray, NDArray[Any]]:
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

    def predict_log_proba(self, X: Any) -> FloatArray:
        """Return the logarithms of :meth:`predict_proba`.

        Parameters
        ----------
        X : sparse matrix, sparse array or array-like of shape (n_documents, n_terms)
            Counts.
        """
        return self.posteriors(self.scores(X))

    def predict_proba(self, X: Any) -> FloatArray:
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

    def rank(self, X: Any, label: Any) -> FloatArray:
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

    def evidence(self, X: Any) -> FloatArray:
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

    def _evidence(self, documents: Documents, seen: Seen) -> FloatArray:
        scores, lengths = self._scores(documents, seen)
        prior = self._log_priors(seen.reading)
        possible, below = prior > -np.inf, self._divisors(lengths)[:, None]
        said = self.log_odds(scores - np.where(possible, prior, 0.0))
        per_token = np.divide(said, below, out=np.zeros_like(said), where=below > 0)
        per_token[:, ~possible] = -np.inf
        return per_token

    def posteriors(self, scores: FloatArray) -> FloatArray:
        """Return the logarithms of the probabilities that raw scores stand for.

        Parameters
        ----------
        scores : array-like of shape (n_documents, n_classes)
            The scores of each document.
        """
        return posteriors(scores, self._contrasts, self.multi_label_)

    def log_odds(self, scores: FloatArray) -> FloatArray:
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

    def unknown_shares(self, X: Any) -> FloatArray:
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

    def _scores(
        self, documents: Documents, seen: Seen | None = None
    ) -> tuple[FloatArray, FloatArray]:
        seen = self._seen(documents) if seen is None else seen
        scores, lengths = seen.weights.scores(seen.local(documents), thread_count(self.n_jobs))
        scores = self._or_prior(scores, seen.weights)
        return self._lengthened(scores, documents, seen.reading), lengths

    def _top(self, documents: Documents, seen: Seen, k: int) -> Best:
        order = order_of_ties(seen.weights.intercept)
        if self._needs_all_scores(seen.weights):
            return best_of(self._scores(documents, seen)[0], k, order)
        return seen.weights.top(seen.local(documents), k, order, thread_count(self.n_jobs))


class NaiveBayes(ClassifierMixin, Learning, Predicting):  # type: ignore[misc]
    """Learns into a tally; predicts with weights that are a pure function of it."""

    def leave_one_out(self, X: Any, y: Any, sample_weight: ArrayLike | None = None) -> OutOfSample:
        """Return how each training document is judged by the model that has forgotten it.

        For each document the same as :meth:`forget` and then :meth:`scores`, but for what was
        chosen from all documents and is held: the parameters of the smoothing, the weights of
        words, the length that documents are brought to, and what documents without labels are
        expected to add. A class of which a document is the
        only one gets minus infinity from it, unless the class was announced. All documents
        together cost a few times as much as judging them. The result has a number for each
        document and class, so thousands of both need gigabytes.

        Parameters
        ----------
        X, y, sample_weight
            Documents that the model has learned, with their labels and weights.

        Raises
        ------
        NegativeCountError
            If the counts tell that a document was never learned with these labels.
        ScoreError
            If models of this kind cannot do it, see ``has_leave_one_out``; ``cross_validate`` can.

        Examples
        --------
        >>> from tallytext import MultinomialNB
        >>> X, y = [[2, 1, 0], [1, 0, 0], [0, 0, 3], [0, 1, 2]], ["sea", "sea", "sky", "sky"]
        >>> MultinomialNB().fit(X, y).leave_one_out(X, y).accuracy
        1.0
        """
        check_is_fitted(self)
        X = checked_matrix(self, X, reset=False, open_width=self.open_)
        targets = targets_of(y)
        check_lengths(X, targets)
        return leave_one_out(self, X, targets, sample_weight)

    def explain(
        self,
        x: Any,
        label: Any = None,
        against: Any = None,
        *,
        terms: Vocabulary | Sequence[str] | None = None,
        text: str | None = None,
        vectorizer: Any = None,
    ) -> Explanation:
        """Return what each term of one document adds to the score of a class.

        Parameters
        ----------
        x : matrix of one row, or a row
            The document.
        label : label, default=None
            The class to explain; None for the best.
        against : label, default=None
            The class to compare it with; None for the best of all others, or, for models of
            contrasts and for several labels per document, for all others together.
        terms : Vocabulary or sequence of str, default=None
            The names of the columns; None for those of the vectorizer, if there is one, or of the
            tally.
        text : str, default=None
            What the row was made of, to show its words where they stand. Needs ``vectorizer``.
        vectorizer : TextVectorizer, default=None
            What made the row.

        Examples
        --------
        >>> from tallytext import MultinomialNB, TextVectorizer
        >>> vectorizer = TextVectorizer()
        >>> X = vectorizer.fit_transform(["salt wave", "blue cloud"])
        >>> model = MultinomialNB().fit(X, ["sea", "sky"])
        >>> why = model.explain(vectorizer.transform(["A blue wave, a wave!"]),
        ...                     text="A blue wave, a wave!", vectorizer=vectorizer)
        >>> [(each.term, round(each.value, 2), each.spans) for each in why.contributions]
        [('blue', -1.1, ((2, 6),)), ('wave', 2.2, ((7, 11), (15, 19)))]
        """
        counted = one_document(self._raw_documents(as_row(x)))
        documents = transformed(counted, self.tf_test)
        summands = at_one_moment(self._reader(), lambda reader: self._summands(documents, reader))
        summands = replace(summands, counts=counted.values)
        first, second = (
            None if name is None else place_of(name, summands.classes) for name in (label, against)
        )
        pair = summands.pair(first, second, alone=self._contrasts)
        named = self.tally_.vocabulary if terms is None else terms
        if terms is None and vectorizer is not None:
            named = vectorizer.vocabulary_
        return explained(summands, pair, names_of(documents.terms, named), text, vectorizer)

    def to_sklearn(self) -> Any:
        """Return a fitted scikit-learn estimator that predicts the same without tallytext.

        - Joint models become ``MultinomialNB`` or ``BernoulliNB``.
        - Models of contrasts, and of several labels, become a ``OneVsRestClassifier`` of logistic
          models, whose probabilities are made to sum to one as they are here.
        - ``tf_test="log"`` and ``"binary"`` become a pipeline with a step that does it.

        It is of this moment, and dense: classes times terms, which a tally is not. It can be
        pickled, but not taught: it holds no counts.

        Raises
        ------
        ScoreError
            If the model has a length model, or words of probability zero.

        Examples
        --------
        >>> from tallytext import MultinomialNB
        >>> model = MultinomialNB().fit([[2, 1, 0], [0, 0, 3]], ["sea", "sky"])
        >>> plain = model.to_sklearn()
        >>> type(plain).__module__, plain.predict([[1, 0, 0]])
        ('sklearn.naive_bayes', array(['sea'], dtype='<U3'))
        """
        check_is_fitted(self)
        return self._at_rest()._as_sklearn()

    def _at_rest(self) -> Self:
        """Return the model of this moment, whatever is learned meanwhile."""
        model = copy.copy(self)
        model.tally_ = self.tally_._snapshot()
        if self.open_:
            model.n_features_in_ = len(model.tally_.vocabulary)
        return model

    def _as_sklearn(self) -> Any:
        # Here and below: these models are many, and few users ask for them.
        from tallytext.models.sklearn_export import as_one_vs_rest, behind, dense_weights

        reading = self._reader().read()
        check_classes(reading)
        weights = self._estimate(reading, self._log_priors(reading))
        table = dense_weights(weights, self.n_features_in_)
        if self._contrasts:
            made = as_one_vs_rest(table, weights.intercept, self, self.multi_label_)
            return behind(self.tf_test, made)
        return self._joint_sklearn(table, weights.intercept)

    def _joint_sklearn(self, table: FloatArray, intercept: FloatArray) -> Any:
        from tallytext.models.sklearn_export import as_multinomial, behind

        return behind(self.tf_test, as_multinomial(table, intercept, self))

    def _summands(self, documents: Documents, reader: Reader) -> Summands:
        seen_terms = np.unique(documents.terms)
        reading = reader.read(seen_terms)
        check_classes(reading)
        prior = self._log_priors(reading)
        seen = Seen(self._estimate(reading, prior), seen_terms, reading)
        nothing = np.zeros((1, reading.n_classes))
        return Summands.of(seen, documents, prior, self._lengthened(nothing, documents, reading)[0])

    def __sklearn_tags__(self) -> Any:
        return tags_of_counts(super().__sklearn_tags__())


def tags_of_counts(tags: Any) -> Any:
    """Return scikit-learn's tags of a classifier, for one that takes counts."""
    tags.input_tags.sparse = True
    tags.input_tags.positive_only = True
    tags.classifier_tags.multi_label = True
    # On coordinates of points in the plane, which are no counts.
    tags.classifier_tags.poor_score = True
    return tags

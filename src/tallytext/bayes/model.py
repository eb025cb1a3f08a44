"""What all naive Bayes models share: a tally that learns, and a scorer read off it."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from functools import cache
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.validation import check_is_fitted

from tallytext.bayes.class_order import ClassOrder, Ordering, sort_labels
from tallytext.bayes.explaining import Summands, explained, names_of, one_document
from tallytext.bayes.export import as_multinomial, as_one_vs_rest, behind, dense_weights
from tallytext.bayes.leave_one_out import leave_one_out
from tallytext.bayes.left_out import LeftOut
from tallytext.bayes.left_out_pieces import Leaving
from tallytext.bayes.matrices import (
    checked_matrix,
    documents_of,
    in_units,
    transformed,
    unit_of,
    vocabulary_for,
    weights_of,
)
from tallytext.bayes.out_of_sample import OutOfSample, posteriors
from tallytext.bayes.priors import Prior, class_priors, expect_prior, log_priors, weighted_priors
from tallytext.bayes.reading import Column, Reader, Reading
from tallytext.bayes.targets import Targets, targets_of
from tallytext.bayes.training import Training, training_of
from tallytext.bayes.weight_cache import Seen, WeightCache
from tallytext.decision.ranking import log_odds
from tallytext.errors import CountError, LabelError, ScoreError
from tallytext.explanation import Explanation
from tallytext.labels import Label, unknown_class
from tallytext.planes import Plane
from tallytext.scorer import (
    Best,
    Documents,
    RowWeights,
    Weights,
    best_of,
    order_of_ties,
    sums_of_rows,
)
from tallytext.smoothing.base import Numbers, expect_between
from tallytext.tally import Tally
from tallytext.threads import thread_count
from tallytext.vocabulary import Vocabulary


class NaiveBayes(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """Learns into a tally; predicts with weights that are a pure function of it.

    A subclass says which columns of the tally it reads (:meth:`_columns`), how they become weights
    (:meth:`_estimate`), and whether its scores are contrasts, the log-odds of each class against
    all others, or the joint log-probabilities of documents and classes.
    """

    prior: Prior
    prior_beta: float
    class_weight: Any
    multi_label: bool | None
    dtype: Any
    n_jobs: int | None

    tf_test: Any = "raw"
    has_leave_one_out = False

    tally_: Tally
    ordering_: Ordering
    cache_: WeightCache
    n_features_in_: int
    unit_: float
    weighted_: bool
    open_: bool
    multi_label_: bool

    # ------------------------------------------------------------------ learning

    def fit(self, X: Any, y: Any, sample_weight: ArrayLike | None = None) -> Self:
        """Count the documents anew.

        Parameters
        ----------
        X : sparse matrix, sparse array or array-like of shape (n_documents, n_terms)
            Counts. Fractions are counted in units of 2**-20.
        y : sequence of length n_documents
            One label per document; or a list of labels per document, or an indicator matrix, for
            documents with several labels or none.
        sample_weight : array-like of shape (n_documents,), default=None
            How often each document counts.

        Returns
        -------
        self
        """
        X = checked_matrix(self, X, reset=True, open_width=False)
        X, targets, weights = self._weighed(X, targets_of(y), sample_weight)
        self._begin(X, targets, weights)
        self._learn(X, targets, weights, +1)
        self._choose(X, targets, weights)
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
        self._announce(_plain_labels(classes))
        self._announce(range(targets.columns or 0))
        self.multi_label_ = self.multi_label_ or (self.multi_label is None and targets.several)
        self._learn(X, targets, weights, +1)
        if first:
            self._choose(X, targets, weights)
        return self

    def forget(self, X: Any, y: Any, sample_weight: ArrayLike | None = None) -> Self:
        """Take documents out that were learned, exactly.

        Raises
        ------
        NegativeCountError
            If these documents were never learned with these labels. Nothing changes then.
        """
        check_is_fitted(self)
        X = checked_matrix(self, X, reset=False, open_width=self.open_)
        self._learn(*self._weighed(X, targets_of(y), sample_weight), -1)
        return self

    def leave_one_out(self, X: Any, y: Any, sample_weight: ArrayLike | None = None) -> OutOfSample:
        """Return how each training document is judged by the model that has forgotten it.

        For each document the same as :meth:`forget` and then :meth:`scores`, but for what was
        chosen from all documents and is held: the parameters of the smoothing, the weights of
        words, and the length that documents are brought to. A class of which a document is the
        only one gets minus infinity from it, unless the class was announced. All documents
        together cost a few times as much as judging them.

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
        >>> from tallytext.bayes import MultinomialNB
        >>> X, y = [[2, 1, 0], [1, 0, 0], [0, 0, 3], [0, 1, 2]], ["sea", "sea", "sky", "sky"]
        >>> MultinomialNB().fit(X, y).leave_one_out(X, y).accuracy
        1.0
        """
        check_is_fitted(self)
        X = checked_matrix(self, X, reset=False, open_width=self.open_)
        targets = targets_of(y)
        _expect_lengths(X, targets)
        return leave_one_out(self, X, targets, sample_weight)

    @classmethod
    def from_tally(cls, tally: Tally, **parameters: Any) -> Self:
        """Return a model of counts that are there already; no document is needed.

        The model reads this very tally: what the tally learns, the model knows. Matrices that it
        is asked about have the columns of ``tally.vocabulary``; columns beyond it are words that
        nobody has seen.

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
        model = cls(**parameters)
        several = tally.n_several > 0 or tally.n_unlabelled > 0
        model._settle(several)
        model._start(tally, 1.0, weighted=False, open_=True)
        return model

    def _begin(self, X: Any, targets: Targets, weights: Numbers | None) -> None:
        if not X.shape[0]:
            raise CountError("every sample_weight is zero, so that no document is left to count.")
        self._settle(targets.several)
        unit, weighted = unit_of(X), weights is not None
        planes = [column for column in self._columns(unit, weighted) if isinstance(column, Plane)]
        tally = Tally(vocabulary_for(self), planes=planes)
        self._start(tally, unit, weighted, open_=False)
        self._announce(range(targets.columns or 0))
        tally.number_labels(sort_labels(targets.distinct))

    def _settle(self, several: bool) -> None:
        self.multi_label_ = several if self.multi_label is None else bool(self.multi_label)
        self._expect_parameters()

    def _start(self, tally: Tally, unit: float, weighted: bool, open_: bool) -> None:
        self.tally_, self.unit_, self.weighted_, self.open_ = tally, unit, weighted, open_
        self.ordering_ = Ordering()
        self.cache_ = WeightCache()
        if open_:
            self.n_features_in_ = len(tally.vocabulary)
        for column in self._columns(unit, weighted):
            tally.column(column)

    def _weighed(
        self, X: Any, targets: Targets, sample_weight: Any
    ) -> tuple[Any, Targets, Numbers | None]:
        """Return what was given without the documents that weigh nothing."""
        _expect_lengths(X, targets)
        weights = weights_of(sample_weight, X.shape[0])
        if weights is None or weights.all():
            return X, targets, weights
        kept = np.flatnonzero(weights)
        labels = [targets.labels[at] for at in kept]
        return X[kept], targets._replace(labels=labels), weights[kept]

    def _learn(self, X: Any, targets: Targets, weights: Numbers | None, sign: int) -> None:
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

    # ------------------------------------------------------------------ what subclasses say

    def _columns(self, unit: float, weighted: bool) -> list[Column]:
        """Return the columns to read, the last being that of documents."""
        raise TypeError(f"{type(self).__name__} must say which columns it reads.")

    def _estimate(self, reading: Reading, intercept: Numbers) -> Weights:
        """Return the weights that follow from counts."""
        raise TypeError(f"{type(self).__name__} must say how counts become weights.")

    @property
    def _contrasts(self) -> bool:
        """Whether scores are log-odds of each class against all others."""
        return self.multi_label_

    def _expect_parameters(self) -> None:
        """Refuse parameters that cannot be, or that contradict each other."""
        if self.multi_label not in (None, True, False):
            raise ValueError(f"multi_label must be True, False or None, not {self.multi_label!r}.")
        if self.dtype not in ("float64", "float32", np.float64, np.float32):
            raise ValueError(f"dtype must be 'float64' or 'float32', not {self.dtype!r}.")
        expect_between("prior_beta", self.prior_beta, 0.0, math.inf)
        expect_prior(self.prior)

    def _choose(self, X: Any, targets: Targets, weights: Numbers | None) -> None:
        """Choose from training documents what cannot be chosen from their sums."""

    def _leaving(self, reading: Reading) -> Leaving:
        """Return what scores documents by models that have forgotten them."""
        raise ScoreError(
            f"{type(self).__name__} cannot leave out one document at a time: use cross_validate."
        )

    def _left_lengthened(self, scores: Numbers, left: LeftOut) -> Numbers:
        """Return scores of documents left out with what their lengths say added."""
        return scores

    def _lengthened(self, scores: Numbers, documents: Documents, reading: Reading) -> Numbers:
        """Return scores with what the length of a document says added."""
        return scores

    def _divisors(self, lengths: Numbers) -> Numbers:
        """Return what evidence is divided by."""
        return lengths

    def _needs_all_scores(self, weights: Weights) -> bool:
        """Whether the best class cannot be found without all scores."""
        return isinstance(weights, RowWeights)

    # ------------------------------------------------------------------ predicting

    @property
    def classes_(self) -> NDArray[Any]:
        """The labels, sorted."""
        return self._order().classes

    def scores(self, X: Any) -> Numbers:
        """Return the raw score of each document for each class.

        Joint log-probabilities of document and class; for models of contrasts and for several
        labels per document, the log-odds of each class against all others.
        """
        return self._scores(self._documents(X))[0]

    def lengths(self, X: Any) -> Numbers:
        """Return how much of each document is known to the model, as it weighs words."""
        return self.scores_and_lengths(X)[1]

    def scores_and_lengths(self, X: Any) -> tuple[Numbers, Numbers]:
        """Return :meth:`scores` and :meth:`lengths`, for the price of one.

        Examples
        --------
        >>> from tallytext import MultinomialNB
        >>> model = MultinomialNB().fit([[2, 1, 0], [0, 1, 0]], ["sea", "sky"])
        >>> model.scores_and_lengths([[1, 2, 5]])[1]
        array([3.])
        """
        return self._scores(self._documents(X))

    def predict(self, X: Any) -> NDArray[Any]:
        """Return the best class of each document, or which classes are more likely than not.

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
        """Return the logarithms of :meth:`predict_proba`."""
        return self.posteriors(self.scores(X))

    def predict_proba(self, X: Any) -> Numbers:
        """Return the probability of each class, raw: on long documents far too sure of itself.

        For several labels per document, of each class against its absence; otherwise they sum to
        one.
        """
        return np.exp(self.predict_log_proba(X))

    def top_k(self, X: Any, k: int) -> Best:
        """Return the numbers in ``classes_`` and the scores of the k best classes, best first."""
        if k < 1:
            raise ValueError(f"k must be at least 1, not {k}.")
        documents = self._documents(X)
        seen = self._seen(documents)
        return self._top(documents, seen, min(k, seen.reading.n_classes))

    def rank(self, X: Any, label: Any) -> Numbers:
        """Return by how much each document speaks for a class: its log-odds, to sort by."""
        return self.log_odds(self.scores(X))[:, self.class_number(label)]

    def evidence(self, X: Any) -> Numbers:
        """Return what documents say for each class per token: log-odds without the prior.

        Unlike scores these can be compared between short and long documents, so that one threshold
        may serve both. Zero for documents of which nothing is known, -inf for classes that no
        document has.

        Returns
        -------
        ndarray of shape (n_documents, n_classes)
        """
        scores, lengths = self._scores(self._documents(X))
        prior = self._log_priors(self._reader().read(NO_TERMS))
        possible, below = prior > -np.inf, self._divisors(lengths)[:, None]
        said = self.log_odds(scores - np.where(possible, prior, 0.0))
        per_token = np.divide(said, below, out=np.zeros_like(said), where=below > 0)
        per_token[:, ~possible] = -np.inf
        return per_token

    def posteriors(self, scores: Numbers) -> Numbers:
        """Return the logarithms of the probabilities that raw scores stand for."""
        return posteriors(scores, self._contrasts, self.multi_label_)

    def log_odds(self, scores: Numbers) -> Numbers:
        """Return the log-odds of each class against all others that raw scores stand for."""
        return scores if self._contrasts else log_odds(scores)

    def class_number(self, label: Any) -> int:
        """Return the place of a label in ``classes_``."""
        found = np.flatnonzero(self.classes_ == label)
        if len(found) != 1:
            raise unknown_class(label, self.classes_.tolist())
        return int(found[0])

    def unknown_shares(self, X: Any) -> Numbers:
        """Return the share of each document's tokens that the model has never seen."""
        documents = self._documents(X)
        used, at = np.unique(documents.terms, return_inverse=True)
        known = (self._reader().read(used).term_totals[-1] > 0)[at]
        length = sums_of_rows(documents.values, documents.starts)
        unknown = sums_of_rows(documents.values * ~known, documents.starts)
        return np.divide(unknown, length, out=np.zeros_like(length), where=length > 0)

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
        x : matrix of one row
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
        documents = one_document(self._documents(x))
        summands = self._summands(documents)
        first, second = (
            None if name is None else self.class_number(name) for name in (label, against)
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
        reading = self._reader().read()
        weights = self._estimate(reading, self._log_priors(reading))
        table = dense_weights(weights, self.n_features_in_)
        if self._contrasts:
            made = as_one_vs_rest(table, weights.intercept, self, self.multi_label_)
            return behind(self.tf_test, made)
        return self._joint_sklearn(table, weights.intercept)

    def _joint_sklearn(self, table: Numbers, intercept: Numbers) -> Any:
        return behind(self.tf_test, as_multinomial(table, intercept, self))

    def _summands(self, documents: Documents) -> Summands:
        seen_terms = np.unique(documents.terms)
        reading = self._reader().read(seen_terms)
        prior = self._log_priors(reading)
        seen = Seen(self._estimate(reading, prior), seen_terms, reading)
        nothing = np.zeros((1, reading.n_classes))
        return Summands.of(seen, documents, prior, self._lengthened(nothing, documents, reading)[0])

    def _documents(self, X: Any) -> Documents:
        check_is_fitted(self)
        X = checked_matrix(self, X, reset=False, open_width=self.open_)
        return transformed(documents_of(X), self.tf_test)

    def _seen(self, documents: Documents) -> Seen:
        """Return weights of the terms of documents, all of one moment."""
        return self.cache_.weights(self._reader(), documents.terms, self._weights, self._settings())

    def _settings(self) -> tuple[Any, ...]:
        """Return all that weights depend on, but for the tally."""
        model: Any = type(self)
        parameters = [self.__dict__[name] for name in _parameter_names(model)]
        return (*parameters, self.multi_label_, self.ordering_)

    def _scores(self, documents: Documents, seen: Seen | None = None) -> tuple[Numbers, Numbers]:
        seen = self._seen(documents) if seen is None else seen
        scores, lengths = seen.weights.scores(seen.local(documents), thread_count(self.n_jobs))
        lost = ~(scores > -np.inf).any(axis=1)
        if lost.any():
            # No class can have written these: only the prior is left.
            scores[lost] = seen.weights.intercept
        return self._lengthened(scores, documents, seen.reading), lengths

    def _top(self, documents: Documents, seen: Seen, k: int) -> Best:
        order = order_of_ties(seen.weights.intercept)
        if self._needs_all_scores(seen.weights):
            return best_of(self._scores(documents, seen)[0], k, order)
        return seen.weights.top(seen.local(documents), k, order, thread_count(self.n_jobs))

    def _weights(self, reading: Reading) -> Weights:
        self._expect_parameters()
        if not reading.n_classes:
            raise LabelError("there is no class to predict: no document with a label was learned.")
        return self._estimate(reading, self._log_priors(reading)).cast(np.dtype(self.dtype))

    def _log_priors(self, reading: Reading) -> Numbers:
        classes, several = reading.order.classes, self.multi_label_
        n_documents = float(reading.n_documents) if several else None
        priors = class_priors(
            self.prior, self.prior_beta, reading.class_documents, classes, n_documents
        )
        priors = weighted_priors(priors, self.class_weight, classes, several)
        return log_priors(priors, self._contrasts)

    def _order(self) -> ClassOrder:
        return self.ordering_.of(self.tally_, self.tally_.slice([0], NO_TERMS).class_documents)

    def _reader(self) -> Reader:
        columns = self._columns(self.unit_, self.weighted_)
        return Reader(self.tally_, columns, self.ordering_)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.positive_only = True
        tags.classifier_tags.multi_label = True
        # On coordinates of points in the plane, which are no counts.
        tags.classifier_tags.poor_score = True
        return tags


NO_TERMS = np.empty(0, dtype=np.int32)


@cache
def _parameter_names(model: Any) -> list[str]:
    # Asking for them looks at the signature, which takes longer than to judge a document.
    return model._get_param_names()


def _plain_labels(classes: Iterable[Any] | None) -> list[Label]:
    if classes is None:
        return []
    return [label.item() if isinstance(label, np.generic) else label for label in classes]


def _expect_lengths(X: Any, targets: Targets) -> None:
    if len(targets.labels) != X.shape[0]:
        raise LabelError(
            f"X and y have inconsistent numbers of samples: {X.shape[0]} documents, "
            f"but labels for {len(targets.labels)}."
        )

"""Naive Bayes: count documents into a tally, estimate weights from it, score documents with them.

Each model (multinomial, Bernoulli, Poisson) states its log-likelihood in its own module, as the
columns of the tally that it reads and the weights that it estimates from them. Everything else is
here: :class:`NaiveBayes`.
"""

from __future__ import annotations

import copy
import math
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tallytext._estimators import check_is_fitted
from tallytext._typing import FloatArray
from tallytext._validation import check_between, check_matrix, check_weights
from tallytext.decision.calibrators import OutOfSample
from tallytext.errors import CountError, ScoreError
from tallytext.models.base import (
    CountClassifier,
    DocumentRows,
    EstimatedWeights,
    RowWeights,
    Summands,
    TopClasses,
    WeightCache,
    Weights,
    count_unit,
    freeze_parameter,
    sum_rows,
    tie_order,
    to_documents,
    to_units,
    top_classes,
    transform_counts,
    vocabulary_for,
)
from tallytext.models.class_counts import (
    ClassCounts,
    ClassOrder,
    ClassOrderCache,
    Column,
    CountsReader,
    Prior,
    check_has_classes,
    check_prior,
    class_priors,
    log_priors,
    with_snapshot,
)
from tallytext.models.em import ExpectationMaximisation, ExpectedCounts, check_em
from tallytext.models.leave_one_out import (
    LeaveOneOutCounts,
    LeaveOneOutScorer,
    TrainingRows,
    leave_one_out,
)
from tallytext.runtime import thread_count
from tallytext.tally.labels import Label, Targets, check_lengths, read_targets, sort_labels
from tallytext.tally.planes import Plane
from tallytext.tally.tally import Tally
from tallytext.text.vocabulary import Vocabulary

NO_TERMS = np.empty(0, dtype=np.int32)


class NaiveBayes(CountClassifier):
    r"""Base class of naive Bayes models: a tally of counts, and weights computed from it.

    .. math:: s_c(d) = \log p(c) + \log p(d \mid c)

    Three steps make a model:

    1. *Count*: :meth:`fit`, :meth:`partial_fit` and :meth:`forget` add documents to the tally or
       subtract them (:meth:`_count`). Nothing else is learned, so that order does not matter.
    2. *Estimate*: :meth:`_estimate` turns the counts of the classes and the log-priors of
       :meth:`_log_priors` into weights. They are cached until the tally or a parameter changes.
    3. *Score*: :meth:`_score` applies the weights, which are linear in the counts of a document.

    A subclass names the columns of the tally that it reads (:meth:`_columns`), implements
    :meth:`_estimate`, and says if its scores are contrasts of each class with its complement
    (:attr:`contrasts`).
    """

    prior: Prior
    prior_beta: float
    class_weight: Any
    dtype: Any

    complement: Any = False
    tf_test: Any = "raw"
    length_model: bool = False
    has_leave_one_out = False
    #: Expected counts of documents without labels, beside the exact counts of the tally.
    expected_: ExpectedCounts | None = None

    tally_: Tally
    ordering_: ClassOrderCache
    cache_: WeightCache
    unit_: float
    weighted_: bool

    @property
    def contrasts(self) -> bool:
        """True if scores compare a class with its complement, False if they are joint."""
        return self.multi_label_ or bool(self.complement)

    # Overridden by the models.

    def _columns(self, unit: float, weighted: bool) -> list[Column]:
        """Return the columns of the tally to read; the last one counts documents."""
        raise NotImplementedError

    def _estimate(self, class_counts: ClassCounts, intercept: FloatArray) -> Weights:
        """Estimate weights from the counts of the classes; the intercept is the log-prior."""
        raise NotImplementedError

    def _check_parameters(self) -> None:
        """Raise ValueError for parameters that are invalid or contradict each other."""
        self._check_multi_label()
        if self.dtype not in ("float64", "float32", np.float64, np.float32):
            raise ValueError(f"dtype must be 'float64' or 'float32', not {self.dtype!r}.")
        check_between("prior_beta", self.prior_beta, 0.0, math.inf)
        check_prior(self.prior)

    def _fit_hyperparameters(self, X: Any, targets: Targets, weights: FloatArray | None) -> None:
        """Choose parameters that need the training documents and not only their counts."""

    def _leave_one_out_scorer(self, class_counts: ClassCounts) -> LeaveOneOutScorer:
        """Return the scorer of documents by models without them."""
        raise ScoreError(
            f"{type(self).__name__} cannot leave out one document at a time: use cross_validate."
        )

    def _add_left_out_length_scores(
        self, scores: FloatArray, left: LeaveOneOutCounts
    ) -> FloatArray:
        """Add log p(length | class) to the scores of documents that are left out."""
        return scores

    def _add_length_scores(
        self, scores: FloatArray, documents: DocumentRows, class_counts: ClassCounts
    ) -> FloatArray:
        """Add log p(length | class) to scores, if the model has a length model."""
        return scores

    def _evidence_lengths(self, lengths: FloatArray) -> FloatArray:
        """Return the divisors of :meth:`evidence`."""
        return lengths

    # Count.

    def fit(
        self,
        X: Any,
        y: Any,
        sample_weight: ArrayLike | None = None,
        *,
        unlabelled: Any = None,
        em: ExpectationMaximisation | None = None,
    ) -> Self:
        """Count the training documents; documents that were counted before are dropped.

        Parameters
        ----------
        X : sparse matrix, sparse array or array-like of shape (n_documents, n_terms)
            Counts. Fractions are counted in units of 2⁻²⁰.
        y : sequence of length n_documents
            One label per document; or, for multi-label documents, a list of labels per document
            or an indicator matrix.
        sample_weight : array-like of shape (n_documents,), default=None
            The weight of each document: 2 counts it twice.
        unlabelled : matrix of shape (n_others, n_terms), default=None
            Documents without labels to learn from as well: see :meth:`refresh`.
        em : ExpectationMaximisation, default=None
            The method for them; None for ``ExpectationMaximisation()``.

        Returns
        -------
        self
        """
        em = check_em(em)
        X = check_matrix(self, X, reset=True, open_width=False)
        X, targets, weights = self._drop_zero_weights(X, read_targets(y), sample_weight)
        _start_counting([self], X, targets, weights)
        self._count(X, targets, weights, +1)
        if unlabelled is not None:
            # A smoothing is tuned with the background that it will have.
            self.refresh(unlabelled, replace(em, rounds=0))
        self._fit_hyperparameters(X, targets, weights)
        return self.refresh(unlabelled, em) if unlabelled is not None and em.rounds else self

    def refresh(
        self,
        X: Any,
        em: ExpectationMaximisation | None = None,
        *,
        anchors: ArrayLike | None = None,
    ) -> Self:
        """Learn from documents without labels, which replace those of an earlier call.

        Their expected counts are stored in ``expected_``, separately from the counts of labelled
        documents, which stay exact. Learning and forgetting do not change them until the next call
        of this method or of :meth:`drop_unlabelled`.

        Parameters
        ----------
        X : matrix of shape (n_documents, n_terms)
            The documents; with none, the same as :meth:`drop_unlabelled`.
        em : ExpectationMaximisation, default=None
            The method; None for ``ExpectationMaximisation()``.
        anchors : array-like of shape (n_documents, n_classes), default=None
            Logarithms that are added to the log-probabilities of the classes of each document, in
            the order of ``classes_``.

        Raises
        ------
        ScoreError
            If documents are multi-label, unless ``em.rounds`` is 0.

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
        em = check_em(em)
        known = None if anchors is None else np.asarray(anchors, dtype=np.float64)
        shape: tuple[int, ...] = X.shape if hasattr(X, "shape") else np.shape(X)
        self.expected_ = None if shape[:1] == (0,) else em.run(self, X, known)
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
        """Count more documents, which may have new classes.

        Parameters
        ----------
        X, y, sample_weight
            As in :meth:`fit`.
        classes : iterable, default=None
            Classes to list in ``classes_`` even before they have a document. scikit-learn requires
            them in the first call; they are optional here.

        Returns
        -------
        self
        """
        first = not hasattr(self, "tally_")
        X = check_matrix(self, X, reset=first, open_width=not first and self.open_)
        X, targets, weights = self._drop_zero_weights(X, read_targets(y), sample_weight)
        if first:
            _start_counting([self], X, targets, weights)
        self._count(X, targets, weights, +1)
        # After counting, so that documents that are refused change nothing.
        listed = [] if classes is None else classes
        self._announce(label.item() if isinstance(label, np.generic) else label for label in listed)
        self._announce(range(targets.columns or 0))
        self.multi_label_ = self.multi_label_ or (self.multi_label is None and targets.multi_label)
        if first:
            self._fit_hyperparameters(X, targets, weights)
        return self

    def forget(self, X: Any, y: Any, sample_weight: ArrayLike | None = None) -> Self:
        """Subtract documents that were learned, exactly.

        Parameters
        ----------
        X : sparse matrix, sparse array or array-like of shape (n_documents, n_terms)
            Counts of the documents.
        y : sequence of length n_documents
            Their labels, as they were learned.
        sample_weight : float or array-like of shape (n_documents,), default=None
            Their weights, as they were learned.

        Raises
        ------
        NegativeCountError
            If these documents were never learned with these labels. The model does not change
            then.
        """
        X = self._check_counts(X)
        self._count(*self._drop_zero_weights(X, read_targets(y), sample_weight), -1)
        return self

    @classmethod
    def from_tally(cls, tally: Tally, **parameters: Any) -> Self:
        """Return a model that reads an existing tally; no document is needed.

        The model shares the tally and follows its changes. Matrices to predict have the columns of
        ``tally.vocabulary``; further columns are unknown terms. The model is multi-label if the
        tally has multi-label documents now: a tally that will learn such documents later needs
        ``multi_label=True``.

        Parameters
        ----------
        tally : Tally
        **parameters
            Those of the constructor.

        Raises
        ------
        RecipeError
            If the tally lacks a plane that the parameters need.
        """
        if not isinstance(tally, Tally):
            raise CountError(f"from_tally reads a Tally, not {tally!r:.60}. To learn, use fit.")
        model = cls(**parameters)
        model._resolve_multi_label(tally.n_multi_label > 0 or tally.n_unlabelled > 0)
        model._set_tally(tally, 1.0, weighted=False, open_=True)
        return model

    def with_tally(self, tally: Tally) -> Self:
        """Return a model with the parameters and hyperparameters of this one on another tally.

        Parameters
        ----------
        tally : Tally
            The counts that the new model reads.
        """
        # A shallow copy: hyperparameters that were chosen from documents stay, clone() drops them.
        model = copy.copy(self)
        model.tally_, model.cache_ = tally, WeightCache()
        model.ordering_ = ClassOrderCache(self.ordering_.announced)
        if self.open_:
            model.n_features_in_ = len(tally.vocabulary)
        return model

    def _resolve_multi_label(self, multi_label: bool) -> None:
        """Set ``multi_label_`` by the parameter or else by the documents; check parameters."""
        self.multi_label_ = multi_label if self.multi_label is None else bool(self.multi_label)
        self._check_parameters()

    def _set_tally(self, tally: Tally, unit: float, weighted: bool, open_: bool) -> None:
        """Read this tally from now on; raise RecipeError if it lacks a column."""
        self.tally_, self.unit_, self.weighted_, self.open_ = tally, unit, weighted, open_
        self.expected_ = None
        self.ordering_ = ClassOrderCache()
        self.cache_ = WeightCache()
        if open_:
            self.n_features_in_ = len(tally.vocabulary)
        # A plane that the tally lacks must fail now, not in the first prediction.
        for column in self._columns(unit, weighted):
            tally.column(column)

    def _drop_zero_weights(
        self, X: Any, targets: Targets, sample_weight: Any
    ) -> tuple[Any, Targets, FloatArray | None]:
        """Return documents, targets and weights without the documents of weight zero."""
        check_lengths(X, targets)
        weights = check_weights(sample_weight, X.shape[0])
        if weights is None or weights.all():
            return X, targets, weights
        # Dropped, not counted as zero: their labels and terms must not become known.
        kept = np.flatnonzero(weights)
        labels = [targets.labels[at] for at in kept]
        return X[kept], targets._replace(labels=labels), weights[kept]

    def _count(self, X: Any, targets: Targets, weights: FloatArray | None, sign: int) -> None:
        """Add documents to the tally (sign +1), or subtract them (sign -1)."""
        if weights is not None and not self.weighted_:
            raise CountError("sample_weight must be given from the first call on, or never.")
        change = self.tally_.learn if sign > 0 else self.tally_.forget
        change(to_units(X, self.unit_), targets.labels, sample_weight=weights)

    def _announce(self, classes: Iterable[Label]) -> None:
        """List these classes in ``classes_`` even while they have no document."""
        known = self.ordering_.announced
        if new := [label for label in classes if label not in known]:
            self.ordering_ = ClassOrderCache([*known, *new])

    def _training(self, X: Any, targets: Targets, sample_weight: Any = None) -> TrainingRows:
        """Return training documents in the units of the tally."""
        documents = to_documents(to_units(X, self.unit_))
        weights = check_weights(sample_weight, X.shape[0])
        return TrainingRows.from_labels(documents, targets.labels, self.tally_.label_index, weights)

    # Estimate.

    @property
    def classes_(self) -> NDArray[Any]:
        """The labels, sorted."""
        return self._class_order().classes

    def _class_order(self) -> ClassOrder:
        return self.ordering_.order_for(
            self.tally_, self.tally_.slice([0], NO_TERMS).class_documents
        )

    def _reader(self, labelled_only: bool = False) -> CountsReader:
        """Return a reader of the counts, with those expected of documents without labels."""
        expected = None if labelled_only else self.expected_
        if expected is not None:
            expected = expected.in_columns(self._expected_columns())
        columns = self._columns(self.unit_, self.weighted_)
        return CountsReader(self.tally_, columns, self.ordering_, expected)

    def _expected_columns(self) -> list[Plane]:
        """Return the columns to read for documents that count in parts, as planes."""
        columns = self._columns(self.unit_, True)
        return [column for column in columns if isinstance(column, Plane)]

    def _log_priors(self, class_counts: ClassCounts) -> FloatArray:
        r"""Return :math:`\log p(c)`, or the log-odds of the prior for contrasts."""
        classes, multi_label = class_counts.order.classes, self.multi_label_
        documents, whole = class_counts.prior_documents
        n_documents = whole if multi_label else None
        priors = class_priors(self.prior, self.prior_beta, documents, classes, n_documents)
        return log_priors(priors, self.class_weight, classes, multi_label, self.contrasts)

    def _weights(self, class_counts: ClassCounts) -> Weights:
        """Return the weights of the terms of given counts, in the precision of ``dtype``."""
        # Parameters are checked here, since set_params may have changed them after fit.
        self._check_parameters()
        check_has_classes(class_counts)
        weights = self._estimate(class_counts, self._log_priors(class_counts))
        return weights.cast(np.dtype(self.dtype))

    def _weights_for(
        self, documents: DocumentRows, reader: CountsReader | None = None
    ) -> EstimatedWeights:
        """Return the weights of at least the terms of some documents, cached if possible."""
        reader = self._reader() if reader is None else reader
        return self.cache_.weights(reader, documents.terms, self._weights, self._settings())

    def _settings(self) -> tuple[Any, ...]:
        """Return everything that weights depend on, except for the tally."""
        # Parameters are the attributes without an underscore at the end. get_params, which reads
        # the signature of __init__, takes longer than predicting a document.
        values = [freeze_parameter(value) for name, value in vars(self).items() if name[-1] != "_"]
        return (*values, self.multi_label_, self.ordering_, self.expected_)

    # Score.

    def _documents(self, X: Any) -> DocumentRows:
        """Return documents to score, with counts transformed as ``tf_test`` says."""
        return transform_counts(to_documents(self._check_counts(X)), self.tf_test)

    def _score(
        self, documents: DocumentRows, estimated: EstimatedWeights
    ) -> tuple[FloatArray, FloatArray]:
        """Return the score of each document for each class, and the length of each document."""
        weights = estimated.weights
        scores, lengths = weights.scores(estimated.localize(documents), thread_count(self.n_jobs))
        impossible = ~(scores > -np.inf).any(axis=1)
        if impossible.any():
            # No class can have generated the document: only the prior is left.
            scores[impossible] = weights.intercept
        if self.length_model:
            scores = self._add_length_scores(scores, documents, estimated.class_counts)
        return scores, lengths

    def _top_classes(self, X: Any, k: int) -> tuple[TopClasses, NDArray[Any]]:
        documents = self._documents(X)
        estimated = self._weights_for(documents)
        weights, k = estimated.weights, min(k, estimated.class_counts.n_classes)
        order = tie_order(weights.intercept)
        if self.length_model or isinstance(weights, RowWeights):
            # The best class cannot be found without the scores of all classes.
            top = top_classes(self._score(documents, estimated)[0], k, order)
        else:
            top = weights.top(estimated.localize(documents), k, order, thread_count(self.n_jobs))
        return top, estimated.class_counts.order.classes

    def scores_lengths_classes(self, X: Any) -> tuple[FloatArray, FloatArray, NDArray[Any]]:
        """Return :meth:`scores`, :meth:`lengths` and the labels of the columns, of one snapshot.

        Between separate calls another thread may learn a class, which moves the columns.

        Parameters
        ----------
        X : sparse matrix, sparse array or array-like of shape (n_documents, n_terms)
            Counts.

        Examples
        --------
        >>> from tallytext import MultinomialNB
        >>> model = MultinomialNB().fit([[2, 1, 0], [0, 1, 0]], ["sea", "sky"])
        >>> scores, lengths, classes = model.scores_lengths_classes([[1, 2, 5]])
        >>> lengths, classes
        (array([3.]), array(['sea', 'sky'], dtype='<U3'))
        """
        documents = self._documents(X)
        estimated = self._weights_for(documents)
        return (*self._score(documents, estimated), estimated.class_counts.order.classes)

    def lengths(self, X: Any) -> FloatArray:
        """Return the length of each document in known tokens, weighted as the model weights terms.

        Parameters
        ----------
        X : sparse matrix, sparse array or array-like of shape (n_documents, n_terms)
            Counts.
        """
        return self.scores_and_lengths(X)[1]

    def evidence(self, X: Any) -> FloatArray:
        """Return the log-odds of each class per token, without the prior.

        Unlike scores, evidence is comparable between short and long documents, so that one
        threshold can serve both. It is zero for documents without a known term, and -inf for
        classes without a document.

        Parameters
        ----------
        X : sparse matrix, sparse array or array-like of shape (n_documents, n_terms)
            Counts.

        Returns
        -------
        ndarray of shape (n_documents, n_classes)
        """
        documents = self._documents(X)
        return self._evidence(documents, self._weights_for(documents))

    def _evidence(self, documents: DocumentRows, estimated: EstimatedWeights) -> FloatArray:
        """Return :meth:`evidence` of documents by given weights."""
        scores, lengths = self._score(documents, estimated)
        prior = self._log_priors(estimated.class_counts)
        possible, divisors = prior > -np.inf, self._evidence_lengths(lengths)[:, None]
        # The prior is removed before the odds: it does not grow with the length of a document.
        odds = self.log_odds(scores - np.where(possible, prior, 0.0))
        per_token = np.divide(odds, divisors, out=np.zeros_like(odds), where=divisors > 0)
        per_token[:, ~possible] = -np.inf
        return per_token

    def unknown_shares(self, X: Any) -> FloatArray:
        """Return the share of the tokens of each document that are unknown to the model.

        Parameters
        ----------
        X : sparse matrix, sparse array or array-like of shape (n_documents, n_terms)
            Counts.
        """
        documents = to_documents(self._check_counts(X))
        used, at = np.unique(documents.terms, return_inverse=True)
        known = (self._reader().read(used).term_totals[-1] > 0)[at]
        length = sum_rows(documents.values, documents.starts)
        unknown = sum_rows(documents.values * ~known, documents.starts)
        return np.divide(unknown, length, out=np.zeros_like(length), where=length > 0)

    @property
    def _explains_contrasts(self) -> bool:
        return self.contrasts

    def _term_names(self) -> Vocabulary | Sequence[str]:
        return self.tally_.vocabulary

    def _summands(self, row: Any) -> Summands:
        counted = to_documents(row)
        documents = transform_counts(counted, self.tf_test)

        def read_and_split(reader: CountsReader) -> Summands:
            terms = np.unique(documents.terms)
            class_counts = reader.read(terms)
            check_has_classes(class_counts)
            prior = self._log_priors(class_counts)
            estimated = EstimatedWeights(self._estimate(class_counts, prior), terms, class_counts)
            zeros = np.zeros((1, class_counts.n_classes))
            length = self._add_length_scores(zeros, documents, class_counts)[0]
            return Summands.from_weights(estimated, documents, prior, length)

        return replace(with_snapshot(self._reader(), read_and_split), counts=counted.values)

    def leave_one_out(self, X: Any, y: Any, sample_weight: ArrayLike | None = None) -> OutOfSample:
        """Return the scores of each training document by the model without it.

        For each document the same as :meth:`forget` followed by :meth:`scores`, except for values
        that were chosen from all documents and stay as they are: hyperparameters of the smoothing,
        weights of terms, the length that documents are normalised to, and expected counts of
        documents without labels. A class loses its only document and scores minus infinity for it,
        unless the class was announced. All documents together take a few times as long as
        predicting them. The result has a number for each document and class: thousands of both
        need gigabytes.

        Parameters
        ----------
        X, y, sample_weight
            Documents that the model has learned, with their labels and weights.

        Raises
        ------
        NegativeCountError
            If a document was never learned with these labels, as far as counts can show it.
        ScoreError
            If ``has_leave_one_out`` is False; use ``cross_validate`` instead.

        Examples
        --------
        >>> from tallytext import MultinomialNB
        >>> X, y = [[2, 1, 0], [1, 0, 0], [0, 0, 3], [0, 1, 2]], ["sea", "sea", "sky", "sky"]
        >>> MultinomialNB().fit(X, y).leave_one_out(X, y).accuracy
        1.0
        """
        X, targets = self._check_counts(X), read_targets(y)
        check_lengths(X, targets)
        return leave_one_out(self, X, targets, sample_weight)

    # Export.

    def to_sklearn(self) -> Any:
        """Return a fitted scikit-learn estimator with the same predictions, without tallytext.

        - Joint models become ``MultinomialNB`` or ``BernoulliNB``.
        - Contrasts and multi-label models become a ``OneVsRestClassifier`` of logistic models,
          whose probabilities are normalised as they are here.
        - ``tf_test="log"`` and ``"binary"`` become a pipeline with a step for it.

        The estimator is a snapshot and dense: classes times terms, which a tally is not. It can be
        pickled but not trained further, since it has no counts.

        Raises
        ------
        ScoreError
            If the model has a length model, or terms of probability zero.

        Examples
        --------
        >>> from tallytext import MultinomialNB
        >>> model = MultinomialNB().fit([[2, 1, 0], [0, 0, 3]], ["sea", "sky"])
        >>> plain = model.to_sklearn()
        >>> type(plain).__module__, plain.predict([[1, 0, 0]])
        ('sklearn.naive_bayes', array(['sea'], dtype='<U3'))
        """
        check_is_fitted(self)
        # Imported here: scikit-learn's models take time to import, and few users export.
        from tallytext.models.sklearn_export import add_count_step, dense_weights, to_one_vs_rest

        # A snapshot, so that names, priors and weights are those of one version.
        model = self.with_tally(self.tally_._snapshot())
        class_counts = model._reader().read()
        check_has_classes(class_counts)
        weights = model._estimate(class_counts, model._log_priors(class_counts))
        table = dense_weights(weights, model.n_features_in_)
        if not self.contrasts:
            return model._joint_sklearn(table, weights.intercept)
        exported = to_one_vs_rest(table, weights.intercept, model, self.multi_label_)
        return add_count_step(self.tf_test, exported)

    def _joint_sklearn(self, table: FloatArray, intercept: FloatArray) -> Any:
        from tallytext.models.sklearn_export import add_count_step, to_multinomial_nb

        return add_count_step(self.tf_test, to_multinomial_nb(table, intercept, self))


def fit_together(
    models: Sequence[NaiveBayes], X: Any, y: Any, sample_weight: Any = None
) -> Sequence[NaiveBayes]:
    """Fit models with different parameters, counting each document once for all of them.

    The models share one tally with all planes that any of them reads, so that all of them follow
    its later changes.

    Examples
    --------
    >>> from tallytext import MultinomialNB
    >>> plain, contrast = MultinomialNB(), MultinomialNB(tf="log", complement=True)
    >>> _ = fit_together([plain, contrast], [[2, 0], [0, 1]], ["sea", "sky"])
    >>> plain.tally_ is contrast.tally_, contrast.predict([[1, 0]])
    (True, array(['sea'], dtype='<U3'))
    """
    if not models:
        raise ValueError("there is no model to fit: models is empty.")
    first = models[0]
    X = check_matrix(first, X, reset=True, open_width=False)
    X, targets, weights = first._drop_zero_weights(X, read_targets(y), sample_weight)
    _start_counting(models, X, targets, weights)
    first._count(X, targets, weights, +1)
    for model in models:
        model._fit_hyperparameters(X, targets, weights)
    return models


def _start_counting(
    models: Sequence[NaiveBayes], X: Any, targets: Targets, weights: FloatArray | None
) -> None:
    """Give models an empty tally with all columns that any of them reads.

    The first model has checked X and knows its columns.
    """
    if not X.shape[0]:
        raise CountError("every sample_weight is zero, so no document is left to count.")
    first, unit, weighted = models[0], count_unit(X), weights is not None
    for model in models:
        model._resolve_multi_label(targets.multi_label)
    columns = [column for model in models for column in model._columns(unit, weighted)]
    planes = [column for column in columns if isinstance(column, Plane)]
    tally = Tally(vocabulary_for(first), planes=planes)
    for model in models:
        model._set_tally(tally, unit, weighted, open_=False)
        model._announce(range(targets.columns or 0))
        model.n_features_in_ = first.n_features_in_
        if hasattr(first, "feature_names_in_"):
            model.feature_names_in_ = first.feature_names_in_
        elif hasattr(model, "feature_names_in_"):
            del model.feature_names_in_  # of an earlier fit
    # Numbers in the order of the labels: then sorted classes need no reordering of counts.
    tally.number_labels(sort_labels(targets.distinct))

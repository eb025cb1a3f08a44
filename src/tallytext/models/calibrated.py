"""A model whose probabilities can be relied on: calibrated on documents that it had not seen."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Literal, Self, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, ClassifierMixin, MetaEstimatorMixin, clone
from sklearn.utils.validation import check_is_fitted

from tallytext._typing import FloatArray
from tallytext.decision.calibration import (
    Calibrator,
    Method,
    check_method,
    fit_calibrator,
    probabilities,
)
from tallytext.decision.out_of_sample import OutOfSample
from tallytext.models.cross_validation import cross_validate
from tallytext.models.multinomial import MultinomialNB
from tallytext.models.naive_bayes import NaiveBayes, tags_of_counts
from tallytext.tally.labels import check_lengths, targets_of, truth_of

OutOfSampleBy: TypeAlias = Literal["auto", "leave-one-out", "cross-validation"]

_OUT_OF_SAMPLE = ("auto", "leave-one-out", "cross-validation")


class Calibrated(ClassifierMixin, MetaEstimatorMixin, BaseEstimator):  # type: ignore[misc]
    """A naive Bayes model and a calibration, fitted on the same documents.

    The model learns all documents. The calibration is fitted on what models that had not seen a
    document say of it: exact leave-one-out where there is one, otherwise folds. Decisions stay
    what they are.

    Parameters
    ----------
    estimator : NaiveBayes, default=None
        The model; None for ``MultinomialNB()``.
    method : {"auto", "temperature", "platt", "isotonic"}, default="auto"
        For one label per document: a temperature that rises with length
        (:class:`~tallytext.decision.Temperature`), and, but for "temperature", a map of the
        probability of the best class to how often it is right
        (:class:`~tallytext.decision.TopLabel`), by a sigmoid or by isotonic regression. For several
        labels: a sigmoid or an isotonic regression for each class, on its log-odds per token;
        there is no temperature then. "auto" is "isotonic", which takes a sigmoid where there are
        few documents.
    out_of_sample : {"auto", "leave-one-out", "cross-validation"}, default="auto"
        "auto" takes folds when words are weighed with the help of labels, when the model has no
        leave-one-out, and when ``groups`` or ``time`` are given.
    folds : int, default=5
        Number of folds.

    Attributes
    ----------
    estimator_ : NaiveBayes
        The fitted model.
    calibrator_ : Temperature, TopLabel, Platt or Isotonic
    classes_ : ndarray
        The labels, sorted.
    out_of_sample_ : str
        How the scores were found: "leave-one-out" or "cross-validation".

    Notes
    -----
    Calibration is as good as out-of-sample scores are like those to come. Where documents come in
    threads, by the same authors or in time, one left out is known through its neighbours, and
    documents of tomorrow will not be: give ``groups`` or ``time`` to ``fit``. Weights of documents
    count in the model; in the calibration a document counts once, unless it weighs nothing. The
    scores of all documents for all classes are held in memory at a time.

    Examples
    --------
    >>> X = [[2, 1, 0], [1, 0, 0], [0, 0, 3], [0, 1, 2], [1, 2, 0], [0, 2, 2]]
    >>> y = ["sea", "sea", "sky", "sky", "sea", "sky"]
    >>> model = Calibrated().fit(X, y)
    >>> model.predict([[3, 1, 0]]), model.out_of_sample_
    (array(['sea'], dtype='<U3'), 'leave-one-out')
    """

    estimator_: NaiveBayes
    calibrator_: Calibrator
    out_of_sample_: str

    def __init__(
        self,
        estimator: NaiveBayes | None = None,
        *,
        method: Method = "auto",
        out_of_sample: OutOfSampleBy = "auto",
        folds: int = 5,
    ) -> None:
        self.estimator = estimator
        self.method = method
        self.out_of_sample = out_of_sample
        self.folds = folds

    def fit(
        self,
        X: Any,
        y: Any,
        sample_weight: ArrayLike | None = None,
        groups: ArrayLike | None = None,
        time: ArrayLike | None = None,
    ) -> Self:
        """Fit the model, and the calibration on what it says of documents left out.

        Parameters
        ----------
        X, y, sample_weight
            Documents, as for the model.
        groups : array-like of shape (n_documents,), default=None
            Documents of one group are never on both sides: threads, authors, near duplicates.
        time : array-like of shape (n_documents,), default=None
            Documents are judged by models of earlier ones only.
        """
        self._check_parameters(groups, time)
        model = MultinomialNB() if self.estimator is None else self.estimator
        if not isinstance(model, NaiveBayes):
            raise TypeError(f"estimator must be a model of tallytext.models, not {model!r:.80}.")
        model = clone(model)
        self.estimator_ = model.fit(X, y, sample_weight=sample_weight)
        seen = self._left_out(X, y, sample_weight, groups, time)
        self.out_of_sample_ = seen.method
        self.calibrator_ = fit_calibrator(_with_weight(seen, sample_weight), self.method)
        return self

    def recalibrate(self, X: Any, y: Any) -> Self:
        """Fit the calibration anew, on documents that the model has not learned.

        Parameters
        ----------
        X, y
            Documents and labels.
        """
        check_is_fitted(self)
        model, targets = self.estimator_, targets_of(y)
        scores, lengths = model.scores_and_lengths(X)
        check_lengths(scores, targets)
        seen = OutOfSample(
            scores=scores,
            lengths=lengths,
            truth=truth_of(targets.labels, model.classes_),
            classes=model.classes_,
            contrasts=model._contrasts,
            multi_label=model.multi_label_,
            method="held out",
        )
        self.out_of_sample_ = seen.method
        self.calibrator_ = fit_calibrator(seen, self.method)
        return self

    @property
    def classes_(self) -> NDArray[Any]:
        """The labels, sorted."""
        return self.estimator_.classes_

    @property
    def n_features_in_(self) -> int:
        """Number of columns of the training documents."""
        return self.estimator_.n_features_in_

    def predict(self, X: Any) -> NDArray[Any]:
        """Return the best class, as the model does; of several labels, those likelier than not.

        Parameters
        ----------
        X : sparse matrix, sparse array or array-like of shape (n_documents, n_terms)
            Counts.
        """
        check_is_fitted(self)
        if self.estimator_.multi_label_:
            return (self.predict_proba(X) > 0.5).astype(np.int64)
        return self.estimator_.predict(X)

    def predict_proba(self, X: Any) -> FloatArray:
        """Return the probability of each class; for one label per document they sum to one.

        Parameters
        ----------
        X : sparse matrix, sparse array or array-like of shape (n_documents, n_terms)
            Counts.
        """
        check_is_fitted(self)
        scores, lengths = self.estimator_.scores_and_lengths(X)
        odds = self.estimator_.log_odds
        return probabilities(self.calibrator_, scores, lengths, odds)

    def predict_log_proba(self, X: Any) -> FloatArray:
        """Return the logarithms of :meth:`predict_proba`.

        Parameters
        ----------
        X : sparse matrix, sparse array or array-like of shape (n_documents, n_terms)
            Counts.
        """
        with np.errstate(divide="ignore"):
            return np.log(self.predict_proba(X))

    def _left_out(self, X: Any, y: Any, weights: Any, groups: Any, time: Any) -> OutOfSample:
        if self._by_folds(groups, time):
            return cross_validate(
                self.estimator_,
                X,
                y,
                folds=self.folds,
                groups=groups,
                time=time,
                sample_weight=weights,
            )
        return self.estimator_.leave_one_out(X, y, weights)

    def _by_folds(self, groups: Any, time: Any) -> bool:
        if self.out_of_sample != "auto":
            return self.out_of_sample == "cross-validation"
        # Weights of words that were found with a document's own label would flatter it.
        weighed = getattr(self.estimator_, "weighting", None) is not None
        given = groups is not None or time is not None
        return given or weighed or not self.estimator_.has_leave_one_out

    def _check_parameters(self, groups: Any, time: Any) -> None:
        check_method(self.method)
        if self.out_of_sample not in _OUT_OF_SAMPLE:
            raise ValueError(
                f"out_of_sample must be one of {_OUT_OF_SAMPLE}, not {self.out_of_sample!r}."
            )
        if self.out_of_sample == "leave-one-out" and not (groups is None and time is None):
            raise ValueError("groups and time need folds: out_of_sample='cross-validation'.")

    def __sklearn_tags__(self) -> Any:
        return tags_of_counts(super().__sklearn_tags__())


def _with_weight(seen: OutOfSample, sample_weight: Any) -> OutOfSample:
    """Return what was said of documents that weigh anything."""
    if sample_weight is None or np.ndim(sample_weight) == 0:
        return seen
    weights = np.asarray(sample_weight, dtype=np.float64)
    there = (weights if seen.rows is None else weights[seen.rows]) > 0
    return replace(
        seen, scores=seen.scores[there], lengths=seen.lengths[there], truth=seen.truth[there]
    )

"""Naive Bayes with probabilities that are calibrated on documents the model was not trained on."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Literal, Self, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tallytext._estimators import (
    BaseEstimator,
    ClassifierMixin,
    MetaEstimatorMixin,
    check_is_fitted,
    clone,
)
from tallytext._typing import FloatArray
from tallytext.decision.calibrators import (
    Calibrator,
    Method,
    OutOfSample,
    check_method,
    fit_calibrator,
)
from tallytext.models.base import count_tags
from tallytext.models.cross_validation import cross_validate
from tallytext.models.multinomial import MultinomialNB
from tallytext.models.naive_bayes import NaiveBayes
from tallytext.tally.labels import check_lengths, indicator_matrix, read_targets

OutOfSampleBy: TypeAlias = Literal["auto", "leave-one-out", "cross-validation"]

_OUT_OF_SAMPLE_CHOICES = ("auto", "leave-one-out", "cross-validation")


class Calibrated(ClassifierMixin, MetaEstimatorMixin, BaseEstimator):  # type: ignore[misc]
    """A naive Bayes model with calibrated probabilities, both fitted on the same documents.

    The model is fitted on all documents. The calibrator is fitted on out-of-sample scores: those of
    exact leave-one-out if the model has it, otherwise of cross-validation. Single labels are
    predicted as without calibration.

    Parameters
    ----------
    estimator : NaiveBayes, default=None
        The model; None for ``MultinomialNB()``.
    method : {"auto", "temperature", "platt", "isotonic"}, default="auto"
        For one label per document: a temperature that rises with the length of a document
        (:class:`~tallytext.decision.Temperature`). Unless "temperature" is given, the probability
        of the best class is then mapped to its accuracy by a sigmoid or by isotonic regression
        (:class:`~tallytext.decision.TopLabel`). For multi-label documents: a sigmoid or an isotonic
        regression for each class, on its log-odds per token, and no temperature. "auto" is
        "isotonic", which uses a sigmoid if there are few documents.
    out_of_sample : {"auto", "leave-one-out", "cross-validation"}, default="auto"
        The way to get out-of-sample scores. "auto" uses cross-validation if words are weighted by
        labels, if the model has no leave-one-out, and if ``groups`` or ``time`` are given.
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
        The way that was used: "leave-one-out", "cross-validation" or "held out".

    Notes
    -----
    If documents come in threads, by author or over time, pass ``groups`` or ``time`` to ``fit``:
    otherwise similar documents stay in the training set, and probabilities of new documents are too
    high. Weights of documents count in the model; in the calibration each document with a weight
    above zero counts once. The scores of all documents for all classes are held in memory at the
    same time.

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
        """Fit the model on all documents, and the calibrator on out-of-sample scores.

        Parameters
        ----------
        X, y, sample_weight
            Documents, as for the model.
        groups : array-like of shape (n_documents,), default=None
            Documents of one group are held out together: threads, authors, near duplicates.
        time : array-like of shape (n_documents,), default=None
            Documents are scored by models of earlier documents only.
        """
        self._check_parameters(groups, time)
        model = MultinomialNB() if self.estimator is None else self.estimator
        if not isinstance(model, NaiveBayes):
            raise TypeError(f"estimator must be a model of tallytext.models, not {model!r:.80}.")
        model = clone(model)
        self.estimator_ = model.fit(X, y, sample_weight=sample_weight)
        scored = self._score_out_of_sample(X, y, sample_weight, groups, time)
        self.out_of_sample_ = scored.method
        self.calibrator_ = fit_calibrator(_drop_zero_weights(scored, sample_weight), self.method)
        return self

    def recalibrate(self, X: Any, y: Any) -> Self:
        """Fit the calibrator again, on documents that the model was not trained on.

        Parameters
        ----------
        X, y
            Documents and labels.
        """
        check_is_fitted(self)
        model, targets = self.estimator_, read_targets(y)
        scores, lengths = model.scores_and_lengths(X)
        check_lengths(scores, targets)
        scored = OutOfSample(
            scores=scores,
            lengths=lengths,
            truth=indicator_matrix(targets.labels, model.classes_),
            classes=model.classes_,
            contrasts=model.contrasts,
            multi_label=model.multi_label_,
            method="held out",
        )
        self.out_of_sample_ = scored.method
        self.calibrator_ = fit_calibrator(scored, self.method)
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
        """Return the best class of each document, or all classes that are more likely than not.

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
        return self.calibrator_.calibrate(scores, lengths, self.estimator_.log_odds)

    def predict_log_proba(self, X: Any) -> FloatArray:
        """Return the logarithms of :meth:`predict_proba`.

        Parameters
        ----------
        X : sparse matrix, sparse array or array-like of shape (n_documents, n_terms)
            Counts.
        """
        with np.errstate(divide="ignore"):
            return np.log(self.predict_proba(X))

    def _score_out_of_sample(
        self, X: Any, y: Any, weights: Any, groups: Any, time: Any
    ) -> OutOfSample:
        if self._needs_folds(groups, time):
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

    def _needs_folds(self, groups: Any, time: Any) -> bool:
        if self.out_of_sample != "auto":
            return self.out_of_sample == "cross-validation"
        # Weights of words depend on the labels of all documents. Leave-one-out does not change
        # them, so that the scores of a document would be too good.
        weighted = getattr(self.estimator_, "weighting", None) is not None
        given = groups is not None or time is not None
        return given or weighted or not self.estimator_.has_leave_one_out

    def _check_parameters(self, groups: Any, time: Any) -> None:
        check_method(self.method)
        if self.out_of_sample not in _OUT_OF_SAMPLE_CHOICES:
            raise ValueError(
                f"out_of_sample must be one of {_OUT_OF_SAMPLE_CHOICES}, "
                f"not {self.out_of_sample!r}."
            )
        if self.out_of_sample == "leave-one-out" and not (groups is None and time is None):
            raise ValueError("groups and time need folds: out_of_sample='cross-validation'.")

    def __sklearn_tags__(self) -> Any:
        return count_tags(super().__sklearn_tags__())


def _drop_zero_weights(scored: OutOfSample, sample_weight: Any) -> OutOfSample:
    """Return the scores of documents with a weight above zero."""
    if sample_weight is None or np.ndim(sample_weight) == 0:
        return scored
    weights = np.asarray(sample_weight, dtype=np.float64)
    kept = (weights if scored.rows is None else weights[scored.rows]) > 0
    return replace(
        scored, scores=scored.scores[kept], lengths=scored.lengths[kept], truth=scored.truth[kept]
    )

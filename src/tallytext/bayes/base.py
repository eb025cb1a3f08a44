"""What is known of a naive Bayes model, and what each kind of them has to say."""

from __future__ import annotations

import math
from functools import cache
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted

from tallytext.bayes.class_order import ClassOrder, Ordering
from tallytext.bayes.expected import Expected
from tallytext.bayes.left_out import LeftOut
from tallytext.bayes.left_out_pieces import Leaving
from tallytext.bayes.matrices import documents_of, transformed
from tallytext.bayes.priors import Prior, class_priors, expect_prior, log_priors, weighted_priors
from tallytext.bayes.reading import Column, Reader, Reading
from tallytext.bayes.weight_cache import Seen, WeightCache
from tallytext.errors import LabelError, ScoreError
from tallytext.matrices import checked_matrix
from tallytext.planes import Plane
from tallytext.scorer import (
    Documents,
    RowWeights,
    Weights,
)
from tallytext.smoothing.base import Numbers, expect_between
from tallytext.tally import Tally
from tallytext.targets import Targets


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

    def _or_prior(self, scores: Numbers, weights: Weights) -> Numbers:
        """Return scores, but the prior for documents that no class can have written."""
        lost = ~(scores > -np.inf).any(axis=1)
        if lost.any():
            scores[lost] = weights.intercept
        return scores

    def _divisors(self, lengths: Numbers) -> Numbers:
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
        self._expect_parameters()
        expect_classes(reading)
        return self._estimate(reading, self._log_priors(reading)).cast(np.dtype(self.dtype))

    def _log_priors(self, reading: Reading) -> Numbers:
        classes, several = reading.order.classes, self.multi_label_
        documents, whole = reading.prior_documents
        n_documents = whole if several else None
        priors = class_priors(self.prior, self.prior_beta, documents, classes, n_documents)
        priors = weighted_priors(priors, self.class_weight, classes, several)
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


def expect_classes(reading: Reading) -> None:
    """Refuse to judge documents before there is a class."""
    if not reading.n_classes:
        raise LabelError("there is no class to predict: no document with a label was learned.")


@cache
def _parameter_names(model: Any) -> list[str]:
    # Asking for them looks at the signature, which takes longer than to judge a document.
    return model._get_param_names()

"""Naive Bayes refined: a linear support vector machine that starts from what counts know."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.utils import check_random_state

from tallytext._core import DualDescent, unit_scores
from tallytext.bayes import MultinomialNB
from tallytext.bayes.explaining import Summands
from tallytext.bayes.matrices import documents_of
from tallytext.errors import CountError
from tallytext.labels import sort_labels
from tallytext.linear.centre import Centre
from tallytext.progress import progress_bar
from tallytext.smoothing.base import Numbers, expect_between
from tallytext.threads import thread_count
from tallytext.trained import Arrays, TrainedClassifier

_BIAS = 0.3


class RefinedNB(TrainedClassifier):
    def __init__(
        self,
        cost: float = 1.0,
        passes: int = 8,
        centre: float = 0.8,
        chi_power: float = 0.2,
        nb: MultinomialNB | None = None,
        random_state: Any = 0,
        warm_start: bool = False,
        multi_label: bool | None = None,
        n_jobs: int | None = None,
        verbose: bool | None = None,
    ) -> None:
        self.cost = cost
        self.passes = passes
        self.centre = centre
        self.chi_power = chi_power
        self.nb = nb
        self.random_state = random_state
        self.warm_start = warm_start
        self.multi_label = multi_label
        self.n_jobs = n_jobs
        self.verbose = verbose

    def _train(self, X: Any, truth: sparse.csr_array[Any]) -> None:
        threads = thread_count(self.n_jobs)
        known = Centre.of(self.nb, X, truth, self.multi_label_, self.n_jobs)
        self.scale_ = known.scale(self.chi_power)
        documents = documents_of(X)
        descent = DualDescent(
            documents.starts,
            documents.terms,
            documents.values,
            self.scale_,
            truth.indptr.astype(np.int64),
            truth.indices.astype(np.int32),
            truth.shape[1],
            self.cost,
            threads,
        )
        for first, rows in known.rows():
            descent.place(first, rows)
        agreement, square = descent.agreement()
        factor = self.centre * max(agreement, 0.0) / square if square > 0 else 0.0
        bias = (2 * self.class_documents_ / X.shape[0] - 1) / _BIAS
        descent.start(factor, bias.astype(np.float32))
        seeds = check_random_state(self.random_state).randint(2**31, size=self.passes)
        with progress_bar("refining", self.passes, self.verbose) as step:
            for seed in seeds.tolist():
                descent.sweep(seed)
                step()
        self.weights_ = descent.weights()
        self.intercept_ = descent.bias()[0]

    def _decide(self, X: Any) -> Numbers:
        documents = documents_of(X)
        return unit_scores(
            documents.starts,
            documents.terms,
            documents.values,
            self.scale_,
            self.weights_,
            self.intercept_,
            thread_count(self.n_jobs),
        ).astype(np.float64)

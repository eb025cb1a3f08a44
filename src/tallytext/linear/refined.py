"""Naive Bayes refined: a linear support vector machine that starts from what counts know."""

from __future__ import annotations

from collections.abc import Mapping
from numbers import Integral
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.utils import check_random_state

from tallytext._core import DualDescent
from tallytext.bayes import MultinomialNB
from tallytext.bayes.explaining import Summands
from tallytext.bayes.matrices import documents_of
from tallytext.errors import CountError
from tallytext.linear.centre import Centre
from tallytext.linear.unit_weights import Floats, UnitWeights
from tallytext.progress import progress_bar
from tallytext.smoothing.base import Numbers, expect_between
from tallytext.threads import thread_count
from tallytext.trained import Arrays, TrainedClassifier

MOST_BYTES = 2**31
"""The most that the weights of all words and classes may take."""

_BIAS = 0.3  # the value of the feature that all documents share; the core has the same


class Duals(NamedTuple):
    """Where the last training ended: a number for each document and class."""

    classes: list[Any]
    values: Floats

    def of(self, classes: list[Any]) -> Floats:
        """Return the columns of other classes, zero for those that were not there."""
        column = {label: at for at, label in enumerate(self.classes)}
        columns = np.array([column.get(label, -1) for label in classes])
        return np.ascontiguousarray(np.where(columns >= 0, self.values[:, columns], np.float32(0)))


class RefinedNB(TrainedClassifier):
    r"""A linear support vector machine whose regulariser is centred on naive Bayes.

    Documents are directions: :math:`v_w = (1 + \ln x_w)\, \mathrm{idf}_w\, (\chi^2_w)^p`, brought
    to length one. For each class, with y = +1 for its documents and −1 for all others, minimise

    .. math:: \tfrac12 \lVert w - w_0 \rVert^2 + C \sum_i \max(0,\, 1 - y_i\, w \cdot x_i)^2

    where :math:`w_0` are the weights of naive Bayes, brought to the size that fits ±1 best by
    least squares, times ``centre``. With ``centre=0`` and ``chi_power=0`` that is what
    ``LinearSVC`` does on tf-idf. What the documents do not contradict stays as counts have it.

    All classes are trained in one sweep over the documents by descent along dual coordinates; a
    few passes do. Weights need memory for all words times all classes, four bytes each.

    Parameters
    ----------
    cost : float, default=1.0
        C, what errors cost beside large weights.
    passes : int, default=8
        How often all documents are looked at.
    centre : float, default=0.8
        How much of naive Bayes the regulariser is centred on; 0 for none.
    chi_power : float, default=0.2
        p, the power of a word's largest :math:`\chi^2` over the classes; 0 for tf-idf alone.
    nb : MultinomialNB, default=None
        The model to refine; None for :meth:`MultinomialNB.chi_contrast`. It is copied.
    random_state : int, RandomState instance or None, default=0
        Decides the order of documents.
    warm_start : bool, default=False
        Whether :meth:`fit` goes on where the last one ended: see the notes.
    multi_label : bool, default=None
        Whether to judge each class on its own; None: if training documents have several labels.
    n_jobs : int, default=None
        Number of threads, see :func:`tallytext.threads.thread_count`. Results do not depend on it.
    verbose : bool, default=None
        Whether to show a bar; None: on a terminal, if it takes long.

    Attributes
    ----------
    classes_ : ndarray
        The labels, sorted.
    coef_ : ndarray of shape (n_classes, n_features)
        What one unit of each feature adds to each class.
    intercept_ : ndarray of shape (n_classes,)
        What is added for every document.
    scale_ : ndarray of shape (n_features,)
        :math:`\mathrm{idf}_w (\chi^2_w)^p`, zero for words that no training document has.

    Notes
    -----
    With ``warm_start=True`` a number per document and class is kept. The next ``fit`` takes the
    first documents for those of the last, and starts where these ended; more documents, columns and
    classes may have come. It solves the same problem as a new start, in fewer passes. Should the
    first documents be others, it solves theirs all the same.

    Examples
    --------
    >>> from tallytext import TextVectorizer
    >>> vectorizer = TextVectorizer()
    >>> X = vectorizer.fit_transform(["salt wave", "salt sea", "blue cloud", "blue sky"])
    >>> model = RefinedNB().fit(X, ["sea", "sea", "sky", "sky"])
    >>> model.predict(vectorizer.transform(["a blue wave in the sky"]))
    array(['sky'], dtype='<U3')
    """

    weights_: UnitWeights

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

    @property
    def coef_(self) -> Floats:
        """What one unit of each feature adds to each class."""
        return self.weights_.rows.T

    @property
    def intercept_(self) -> Floats:
        """What is added for every document."""
        return self.weights_.bias

    @property
    def scale_(self) -> Floats:
        """What one of each word weighs before documents are brought to length one."""
        return self.weights_.scale

    def to_arrays(self) -> tuple[dict[str, NDArray[Any]], dict[str, Any]]:
        """Return what was learned, for a file; where training ended is not kept."""
        return self.weights_.to_arrays(), {}

    def read_arrays(self, arrays: Arrays, values: Mapping[str, Any]) -> Self:
        """Become what :meth:`to_arrays` was taken of; ``classes_`` and its kin are set before."""
        self.weights_ = UnitWeights.from_arrays(arrays, len(self.classes_))
        self.n_features_in_ = len(self.weights_.scale)
        return self

    def _train(self, X: Any, truth: sparse.csr_array[Any]) -> None:
        self._expect_parameters()
        _expect_room(X.shape[1], truth.shape[1])
        seed, *seeds = check_random_state(self.random_state).randint(2**31, size=self.passes + 1)
        known = Centre.of(self.nb, X, truth, self.multi_label_, self.n_jobs)
        scale = known.scale(self.chi_power)
        descent = self._descent(X, truth, scale, int(seed))
        self._start(descent, known)
        with progress_bar("refining", self.passes, self.verbose) as step:
            for each in seeds:
                descent.sweep(int(each))
                step()
        self.weights_ = UnitWeights(scale, descent.weights(), descent.bias()[0])
        if self.warm_start:
            self.duals_ = Duals(self.classes_.tolist(), descent.duals())

    def _descent(
        self, X: Any, truth: sparse.csr_array[Any], scale: Floats, seed: int
    ) -> DualDescent:
        documents = documents_of(X)
        return DualDescent(
            documents.starts,
            documents.terms,
            documents.values.astype(np.float64, copy=False),
            scale,
            label_starts=truth.indptr.astype(np.int64),
            labels=truth.indices.astype(np.int32),
            n_classes=truth.shape[1],
            cost=self.cost,
            seed=seed,
            n_threads=thread_count(self.n_jobs),
        )

    def _start(self, descent: DualDescent, known: Centre) -> None:
        """Place the centre, and what earlier duals add to it."""
        if self.centre:
            for first, rows in known.rows():
                descent.place(first, rows)
        agreement, square = descent.agreement()
        factor = self.centre * max(agreement, 0.0) / square if square > 0 else 0.0
        share = known.reading.class_documents / known.reading.n_documents
        descent.start(factor, ((2 * share - 1) / _BIAS).astype(np.float32))
        if self.warm_start and hasattr(self, "duals_"):
            descent.resume(self.duals_.of(self.classes_.tolist())[: known.reading.n_documents])

    def _decide(self, X: Any) -> Numbers:
        return self.weights_.scores(documents_of(X), thread_count(self.n_jobs))

    def _summands(self, row: Any) -> Summands:
        return self.weights_.summands(documents_of(row), self.classes_)

    def _expect_parameters(self) -> None:
        expect_between("cost", self.cost, 1e-6, 1e6)
        expect_between("centre", self.centre, 0.0, 1e3)
        expect_between("chi_power", self.chi_power, 0.0, 10.0)
        if not isinstance(self.passes, Integral) or self.passes < 1:
            raise ValueError(f"passes must be a whole number from 1 up, not {self.passes!r}.")
        if self.nb is not None and not isinstance(self.nb, MultinomialNB):
            raise ValueError(f"nb must be a MultinomialNB, not {self.nb!r:.80}.")


def _expect_room(n_terms: int, n_classes: int) -> None:
    needed = 4 * n_terms * n_classes
    if needed > MOST_BYTES:
        raise CountError(
            f"{n_terms:,} columns times {n_classes:,} classes are weights of {needed / 2**30:.1f} "
            f"GiB, and RefinedNB takes no more than {MOST_BYTES / 2**30:.0f}. Keep fewer words, by "
            "min_df or max_features of the vectorizer, or use MultinomialNB, which has weights "
            "for words and the classes they were seen in alone."
        )

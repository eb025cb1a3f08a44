"""RefinedNB: a linear support vector machine whose regulariser is centred on naive Bayes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.base import clone
from sklearn.utils import check_random_state

from tallytext._core import DualDescent, unit_scores
from tallytext._typing import FloatArray
from tallytext._validation import check_between, check_whole
from tallytext.errors import CountError, FileError, ScoreError
from tallytext.features.tf_idf import log_tf
from tallytext.models.base import (
    ArraysByName,
    DocumentRows,
    Summands,
    TrainedClassifier,
    Weights,
    to_documents,
)
from tallytext.models.class_counts import ClassCounts
from tallytext.models.multinomial import MultinomialNB
from tallytext.models.smoothing.base import term_emphasis
from tallytext.runtime import progress_bar, rows_per_block, thread_count

MAX_WEIGHT_BYTES = 2**31
"""Largest size of the weights of all terms and classes."""

_BIAS_FEATURE = 0.3  # value of the constant feature of all documents; the core has the same
_MIN_CHI_SQUARE = 1e-6

Float32Array = NDArray[np.float32]


class RefinedNB(TrainedClassifier):
    r"""A linear support vector machine whose regulariser is centred on naive Bayes.

    A document is a vector of length one, :math:`v_w \propto (1 + \ln x_w)\, \mathrm{idf}_w\,
    (\chi^2_w)^p`. For each class, with y = +1 for its documents and −1 for all others, minimise

    .. math:: \tfrac12 \lVert w - w_0 \rVert^2 + C \sum_i \max(0,\, 1 - y_i\, w \cdot x_i)^2

    where :math:`w_0` are the weights of naive Bayes, scaled to fit ±1 best by least squares, times
    ``centre``. With ``centre=0`` and ``chi_power=0`` it is ``LinearSVC`` on tf-idf. Weights that
    the documents do not contradict stay those of naive Bayes.

    Dual coordinate descent trains all classes in one sweep over the documents; a few passes
    suffice. The weights need four bytes for each term and class.

    Parameters
    ----------
    cost : float, default=1.0
        C, the cost of errors relative to the regulariser.
    passes : int, default=8
        Number of sweeps over all documents.
    centre : float, default=0.8
        Factor of the naive Bayes weights in the centre of the regulariser; 0 for none.
    chi_power : float, default=0.2
        p, the power of a term's largest :math:`\chi^2` over the classes; 0 for tf-idf alone.
    nb : MultinomialNB, default=None
        The model to refine; None for :meth:`MultinomialNB.chi_contrast`. It is copied.
    random_state : int, RandomState instance or None, default=0
        Determines the order of documents.
    warm_start : bool, default=False
        True to start :meth:`fit` from the solution of the previous call: see the notes.
    multi_label : bool, default=None
        True to decide for each class independently; None if training documents have several
        labels.
    n_jobs : int, default=None
        Number of threads, see :func:`tallytext.runtime.thread_count`. Results do not depend on it.
    verbose : bool, default=None
        True to show a progress bar; None to show it on a terminal if training takes long.

    Attributes
    ----------
    classes_ : ndarray
        The labels, sorted.
    coef_ : ndarray of shape (n_classes, n_features)
        Weights of the features for each class.
    intercept_ : ndarray of shape (n_classes,)
        The bias of each class.
    scale_ : ndarray of shape (n_features,)
        :math:`\mathrm{idf}_w (\chi^2_w)^p`, zero for terms that no training document has.

    Notes
    -----
    With ``warm_start=True`` the model stores a dual variable for each document and class. The
    next ``fit`` takes its first documents for those of the previous call and starts from their
    dual variables; documents, columns and classes may have been added. It converges to the same
    solution as a cold start, in fewer passes, even if the first documents are different ones.

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
    def coef_(self) -> Float32Array:
        """Weights of the features for each class."""
        return self.weights_.rows.T

    @property
    def intercept_(self) -> Float32Array:
        """The bias of each class."""
        return self.weights_.bias

    @property
    def scale_(self) -> Float32Array:
        """Scale of each term, before documents are normalised to length one."""
        return self.weights_.scale

    def to_arrays(self) -> tuple[dict[str, NDArray[Any]], dict[str, Any]]:
        """Return the fitted state for a file, without the dual variables of a warm start."""
        return self.weights_.to_arrays(), {}

    def read_arrays(self, arrays: ArraysByName, values: Mapping[str, Any]) -> Self:
        """Restore the state that :meth:`to_arrays` returned; ``classes_`` must be set before."""
        self.weights_ = UnitWeights.from_arrays(arrays, len(self.classes_))
        self.n_features_in_ = len(self.weights_.scale)
        return self

    def _train(self, X: Any, truth: sparse.csr_array[Any]) -> None:
        self._check_parameters()
        _check_weight_size(X.shape[1], truth.shape[1])
        seed, *sweep_seeds = check_random_state(self.random_state).randint(
            2**31, size=self.passes + 1
        )
        start = NaiveBayesStart.from_documents(self.nb, X, truth, self.multi_label_, self.n_jobs)
        scale = start.scale(self.chi_power)
        documents = to_documents(X)
        descent = DualDescent(
            documents.starts,
            documents.terms,
            documents.values.astype(np.float64, copy=False),
            scale,
            label_starts=truth.indptr.astype(np.int64),
            labels=truth.indices.astype(np.int32),
            n_classes=truth.shape[1],
            cost=self.cost,
            seed=int(seed),
            n_threads=thread_count(self.n_jobs),
        )
        self._set_start(descent, start)
        with progress_bar("refining", self.passes, self.verbose) as step:
            for sweep_seed in sweep_seeds:
                descent.sweep(int(sweep_seed))
                step()
        self.weights_ = UnitWeights(scale, descent.weights(), descent.bias()[0])
        if self.warm_start:
            self.duals_ = DualVariables(self.classes_.tolist(), descent.duals())

    def _set_start(self, descent: DualDescent, start: NaiveBayesStart) -> None:
        """Set the centre of the regulariser, and the dual variables of a warm start."""
        if self.centre:
            for first, rows in start.weight_blocks():
                descent.place(first, rows)
        # Least squares: the factor f that minimises the sum of (y - f * w0 . x)^2.
        agreement, square = descent.agreement()
        factor = self.centre * max(agreement, 0.0) / square if square > 0 else 0.0
        counts = start.class_counts
        share = counts.class_documents / counts.n_documents
        # A document without words starts from the mean of y, which is 2 p(c) - 1.
        descent.start(factor, ((2 * share - 1) / _BIAS_FEATURE).astype(np.float32))
        if self.warm_start and hasattr(self, "duals_"):
            duals = self.duals_.select_classes(self.classes_.tolist())
            descent.resume(duals[: counts.n_documents])

    def _decide(self, X: Any) -> FloatArray:
        return self.weights_.scores(to_documents(X), thread_count(self.n_jobs))

    def _summands(self, row: Any) -> Summands:
        return self.weights_.summands(to_documents(row), self.classes_)

    def _check_parameters(self) -> None:
        check_between("cost", self.cost, 1e-6, 1e6)
        check_between("centre", self.centre, 0.0, 1e3)
        check_between("chi_power", self.chi_power, 0.0, 10.0)
        check_whole("passes", self.passes, 1)
        if self.nb is not None and not isinstance(self.nb, MultinomialNB):
            raise ValueError(f"nb must be a MultinomialNB, not {self.nb!r:.80}.")


def _check_weight_size(n_terms: int, n_classes: int) -> None:
    needed = 4 * n_terms * n_classes
    if needed > MAX_WEIGHT_BYTES:
        raise CountError(
            f"{n_terms:,} columns times {n_classes:,} classes need weights of "
            f"{needed / 2**30:.1f} GiB, and the limit of RefinedNB is "
            f"{MAX_WEIGHT_BYTES / 2**30:.0f}. Reduce the vocabulary by min_df or max_features of "
            "the vectorizer, or use MultinomialNB, which stores only weights of terms and classes "
            "that occur together."
        )


class DualVariables(NamedTuple):
    """Dual variables at the end of training, documents by classes."""

    classes: list[Any]
    values: Float32Array

    def select_classes(self, classes: list[Any]) -> Float32Array:
        """Return the columns of these classes, zero for new ones."""
        column = {label: at for at, label in enumerate(self.classes)}
        columns = np.array([column.get(label, -1) for label in classes])
        return np.ascontiguousarray(np.where(columns >= 0, self.values[:, columns], np.float32(0)))


@dataclass(frozen=True)
class NaiveBayesStart:
    """Class counts of the training documents, and the naive Bayes weights estimated from them.

    Attributes
    ----------
    class_counts : ClassCounts
        The counts; the last column counts documents.
    weights : Weights
        The naive Bayes weight of each term and class.
    multi_label : bool
        False if each document has one label: then only differences between classes matter.
    """

    class_counts: ClassCounts
    weights: Weights
    multi_label: bool

    @classmethod
    def from_documents(
        cls,
        model: MultinomialNB | None,
        X: Any,
        truth: sparse.csr_array[Any],
        multi_label: bool,
        n_jobs: int | None,
    ) -> Self:
        """Fit a copy of the model, to class numbers in the place of labels."""
        nb = MultinomialNB.chi_contrast() if model is None else clone(model)
        nb.set_params(multi_label=multi_label, n_jobs=n_jobs)
        nb.fit(X, _class_numbers(truth, multi_label))
        class_counts = nb._reader().read()
        return cls(class_counts, nb._weights(class_counts), multi_label)

    def scale(self, chi_power: float) -> Float32Array:
        r"""Return the scale of each term, zero for one that no document has.

        .. math:: s_w = \left(1 + \ln \frac{1 + n}{1 + n_w}\right) \max(\chi^2_w, 10^{-6})^p
        """
        df, n = self.class_counts.term_totals[-1], self.class_counts.n_documents
        scale: FloatArray = 1 + np.log((1 + n) / (1 + df))
        if chi_power:
            chi = term_emphasis(self.class_counts, "chi", 1.0)
            scale *= np.maximum(chi, _MIN_CHI_SQUARE) ** chi_power
        return np.where(df > 0, scale, 0.0).astype(np.float32)

    def weight_blocks(self) -> Iterator[tuple[int, NDArray[np.float64]]]:
        """Yield the weights in blocks of terms by classes, each with the number of its first term.

        Raises
        ------
        ScoreError
            If a weight is infinite, as it can be without smoothing.
        """
        n_terms = self.class_counts.n_terms
        step = rows_per_block(self.class_counts.n_classes)
        for first in range(0, n_terms, step):
            rows = self.weights.rows(first, min(first + step, n_terms)).astype(np.float64)
            if not np.isfinite(rows).all():
                raise ScoreError(
                    "cannot refine a naive Bayes model with infinite weights: some of its terms "
                    "have probability zero. Give nb a smoothing."
                )
            yield first, rows if self.multi_label else rows - rows.mean(axis=1, keepdims=True)


def _class_numbers(truth: sparse.csr_array[Any], multi_label: bool) -> Any:
    """Return class numbers as labels, in the form of single labels or of several per document."""
    if not multi_label:
        return truth.indices
    # An indicator matrix of one column would be read as single labels 0 and 1.
    return truth if truth.shape[1] > 1 else [[0] * n for n in np.diff(truth.indptr).tolist()]


@dataclass(frozen=True)
class UnitWeights:
    r"""Linear scores of documents of length one.

    .. math:: s_c(d) = b_c + \frac{\sum_w v_w W_{wc}}{\sqrt{\sum_w v_w^2}},
        \qquad v_w = s_w \cdot (1 + \ln x_w)

    A fractional count below one replaces its own 1 + ln x.

    Attributes
    ----------
    scale : ndarray of shape (n_terms,)
        :math:`s_w`.
    rows : ndarray of shape (n_terms, n_classes)
        :math:`W_{wc}`.
    bias : ndarray of shape (n_classes,)
        :math:`b_c`.

    Examples
    --------
    >>> scale, bias = np.array([3.0, 4.0], np.float32), np.array([0.5], np.float32)
    >>> weights = UnitWeights(scale, np.ones((2, 1), np.float32), bias)
    >>> document = DocumentRows(np.array([0, 2]), np.array([0, 1], np.int32), np.array([1.0, 1.0]))
    >>> weights.scores(document, 1).round(6)
    array([[1.9]])
    """

    scale: Float32Array
    rows: Float32Array
    bias: Float32Array

    def scores(self, documents: DocumentRows, n_threads: int) -> FloatArray:
        """Return the score of each document for each class, ignoring terms without a weight."""
        starts, terms = documents.starts, documents.terms
        counts = documents.values.astype(np.float64, copy=False)
        scores = unit_scores(starts, terms, counts, self.scale, self.rows, self.bias, n_threads)
        return scores.astype(np.float64)

    def summands(self, document: DocumentRows, classes: NDArray[Any]) -> Summands:
        """Return the part of each term in the scores of one document."""
        known = document.terms < len(self.scale)
        terms = np.where(known, document.terms, 0)
        values = log_tf(document.values) * np.where(known, self.scale[terms], 0.0)
        length = np.sqrt(values @ values)
        shares = values / length if length > 0 else values
        zeros = np.zeros(len(classes))
        return Summands(
            classes=classes,
            counts=document.values,
            known=values > 0,
            terms=shares[:, None] * self.rows[terms],
            prior=self.bias.astype(np.float64),
            constant=zeros,
            length=zeros,
            scores=self.scores(document, 1)[0],
        )

    def to_arrays(self) -> dict[str, NDArray[Any]]:
        """Return the attributes as arrays by name, for a file."""
        return {"scale": self.scale, "weights": self.rows, "bias": self.bias}

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, NDArray[Any]], n_classes: int) -> Self:
        """Read the arrays of :meth:`to_arrays`.

        Raises
        ------
        FileError
            If the arrays are not weights of n_classes classes.
        """
        scale = _check_float32(arrays, "scale", (None,))
        if (scale < 0).any():
            raise FileError("scale of a refined model has negative values. Is the file damaged?")
        rows = _check_float32(arrays, "weights", (len(scale), n_classes))
        return cls(scale, rows, _check_float32(arrays, "bias", (n_classes,)))


def _check_float32(
    arrays: Mapping[str, NDArray[Any]], name: str, shape: tuple[int | None, ...]
) -> Float32Array:
    array = arrays.get(name)
    if not isinstance(array, np.ndarray) or array.dtype != np.float32 or array.ndim != len(shape):
        raise FileError(
            f"{name} of a refined model must be an array of 32-bit floats with {len(shape)} "
            "dimensions."
        )
    if any(n is not None and n != size for n, size in zip(shape, array.shape, strict=True)):
        raise FileError(f"{name} of shape {array.shape} does not fit the other arrays.")
    if not np.isfinite(array).all():
        raise FileError(f"{name} of a refined model has values that are not finite.")
    return np.ascontiguousarray(array)

"""Naive Bayes refined: a linear support vector machine that starts from what counts know."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from numbers import Integral
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.base import clone
from sklearn.utils import check_random_state

from tallytext._core import DualDescent, unit_scores
from tallytext._typing import FloatArray
from tallytext._validation import check_between
from tallytext.errors import CountError, FileError, ScoreError
from tallytext.models.explaining import Summands
from tallytext.models.multinomial import MultinomialNB
from tallytext.models.reading import Reading, documents_of
from tallytext.models.scorer import Documents, Weights
from tallytext.models.trained import Arrays, TrainedClassifier
from tallytext.models.word_probabilities import term_emphasis
from tallytext.runtime import progress_bar, thread_count

# ------------------------------------------------------------------------------------------------
# What a naive Bayes model knows of words: how rare, how telling, and for which class each is.

_LEAST_CHI = 1e-6
_ROW_NUMBERS = 1 << 19  # of one block of rows: 4 MB


@dataclass(frozen=True)
class Centre:
    """The counts of training documents, and the weights that naive Bayes takes from them.

    Attributes
    ----------
    reading : Reading
        The counts; the last column is that of documents.
    weights : Weights
        What naive Bayes gives each word and class.
    several : bool
        Whether documents may have several labels: if not, only differences between classes count.
    """

    reading: Reading
    weights: Weights
    multi_label: bool

    @classmethod
    def of(
        cls,
        model: MultinomialNB | None,
        X: Any,
        truth: sparse.csr_array[Any],
        multi_label: bool,
        n_jobs: int | None,
    ) -> Self:
        """Count documents, of which ``truth`` says the classes by their numbers."""
        chosen = MultinomialNB.chi_contrast() if model is None else clone(model)
        chosen.set_params(multi_label=multi_label, n_jobs=n_jobs).fit(
            X, _numbers(truth, multi_label)
        )
        reading = chosen._reader().read()
        return cls(reading, chosen._weights(reading), multi_label)

    def scale(self, chi_power: float) -> NDArray[np.float32]:
        r"""Return what one of each word weighs, zero for one that was never seen.

        .. math:: s_w = \left(1 + \ln \frac{1 + n}{1 + n_w}\right) \max(\chi^2_w, 10^{-6})^p
        """
        documents, total = self.reading.term_totals[-1], self.reading.n_documents
        scale: FloatArray = 1 + np.log((1 + total) / (1 + documents))
        if chi_power:
            chi = term_emphasis(self.reading, "chi", 1.0)
            scale *= np.maximum(chi, _LEAST_CHI) ** chi_power
        return np.where(documents > 0, scale, 0.0).astype(np.float32)

    def rows(self) -> Iterator[tuple[int, NDArray[np.float64]]]:
        """Yield the weights of some words after others, words by classes, and the first of them.

        Raises
        ------
        ScoreError
            If a weight is infinite, as it can be without smoothing.
        """
        n_terms = self.reading.n_terms
        step = max(1, _ROW_NUMBERS // self.reading.n_classes)
        for first in range(0, n_terms, step):
            rows = self.weights.rows(first, min(first + step, n_terms)).astype(np.float64)
            if not np.isfinite(rows).all():
                raise ScoreError(
                    "a naive Bayes model whose words can have the probability zero cannot be "
                    "refined: its weights are infinite. Give it a smoothing."
                )
            yield first, rows if self.multi_label else rows - rows.mean(axis=1, keepdims=True)


def _numbers(truth: sparse.csr_array[Any], multi_label: bool) -> Any:
    """Return labels by their numbers, in a form that tells one from several."""
    if not multi_label:
        return truth.indices
    # An indicator matrix of one column would be taken for labels 0 and 1.
    return truth if truth.shape[1] > 1 else [[0] * n for n in np.diff(truth.indptr).tolist()]


# ------------------------------------------------------------------------------------------------
# Linear scores of documents as directions: logarithmic counts, scaled, of length one.

Floats = NDArray[np.float32]


@dataclass(frozen=True)
class UnitWeights:
    r"""Weights of words for documents of length one.

    .. math:: s_c(d) = b_c + \frac{\sum_w v_w W_{wc}}{\sqrt{\sum_w v_w^2}},
        \qquad v_w = s_w \cdot (1 + \ln x_w)

    A count below one, which only fractions are, stands for itself in the place of 1 + ln x.

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
    >>> document = Documents(np.array([0, 2]), np.array([0, 1], np.int32), np.array([1.0, 1.0]))
    >>> weights.scores(document, 1).round(6)
    array([[1.9]])
    """

    scale: Floats
    rows: Floats
    bias: Floats

    def scores(self, documents: Documents, n_threads: int) -> FloatArray:
        """Return the score of each document for each class; words without a weight are ignored."""
        starts, terms = documents.starts, documents.terms
        counts = documents.values.astype(np.float64, copy=False)
        found = unit_scores(starts, terms, counts, self.scale, self.rows, self.bias, n_threads)
        return found.astype(np.float64)

    def summands(self, document: Documents, classes: NDArray[Any]) -> Summands:
        """Return what adds up to the scores of one document."""
        known = document.terms < len(self.scale)
        terms = np.where(known, document.terms, 0)
        values = damped(document.values) * np.where(known, self.scale[terms], 0.0)
        length = np.sqrt(values @ values)
        shares = values / length if length > 0 else values
        nothing = np.zeros(len(classes))
        return Summands(
            classes=classes,
            counts=document.values,
            known=values > 0,
            terms=shares[:, None] * self.rows[terms],
            prior=self.bias.astype(np.float64),
            constant=nothing,
            length=nothing,
            scores=self.scores(document, 1)[0],
        )

    def to_arrays(self) -> dict[str, NDArray[Any]]:
        """Return the parts by name, for a file."""
        return {"scale": self.scale, "weights": self.rows, "bias": self.bias}

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, NDArray[Any]], n_classes: int) -> Self:
        """Read what :meth:`to_arrays` wrote.

        Raises
        ------
        FileError
            If these arrays cannot be weights of so many classes.
        """
        scale = _part(arrays, "scale", (None,))
        if (scale < 0).any():
            raise FileError("the scale of a word is negative.")
        rows = _part(arrays, "weights", (len(scale), n_classes))
        return cls(scale, rows, _part(arrays, "bias", (n_classes,)))


def damped(counts: FloatArray) -> FloatArray:
    """Return 1 + ln x, or x itself below one.

    Examples
    --------
    >>> damped(np.array([0.5, 1.0, np.e])).tolist()
    [0.5, 1.0, 2.0]
    """
    return np.where(counts < 1, counts, 1 + np.log(np.maximum(counts, 1)))


def _part(
    arrays: Mapping[str, NDArray[Any]], name: str, shape: tuple[int | None, ...]
) -> NDArray[np.float32]:
    found = arrays.get(name)
    if not isinstance(found, np.ndarray) or found.dtype != np.float32 or found.ndim != len(shape):
        raise FileError(f"{name} of a refined model must be 32-bit floats, {len(shape)} deep.")
    if any(n is not None and n != size for n, size in zip(shape, found.shape, strict=True)):
        raise FileError(f"{name} of shape {found.shape} does not fit the rest of the model.")
    if not np.isfinite(found).all():
        raise FileError(f"{name} holds what is not a finite number.")
    return np.ascontiguousarray(found)


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
        Number of threads, see :func:`tallytext.runtime.thread_count`. Results do not depend on it.
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
        self._check_parameters()
        _check_room(X.shape[1], truth.shape[1])
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

    def _decide(self, X: Any) -> FloatArray:
        return self.weights_.scores(documents_of(X), thread_count(self.n_jobs))

    def _summands(self, row: Any) -> Summands:
        return self.weights_.summands(documents_of(row), self.classes_)

    def _check_parameters(self) -> None:
        check_between("cost", self.cost, 1e-6, 1e6)
        check_between("centre", self.centre, 0.0, 1e3)
        check_between("chi_power", self.chi_power, 0.0, 10.0)
        if not isinstance(self.passes, Integral) or self.passes < 1:
            raise ValueError(f"passes must be a whole number from 1 up, not {self.passes!r}.")
        if self.nb is not None and not isinstance(self.nb, MultinomialNB):
            raise ValueError(f"nb must be a MultinomialNB, not {self.nb!r:.80}.")


def _check_room(n_terms: int, n_classes: int) -> None:
    needed = 4 * n_terms * n_classes
    if needed > MOST_BYTES:
        raise CountError(
            f"{n_terms:,} columns times {n_classes:,} classes are weights of {needed / 2**30:.1f} "
            f"GiB, and RefinedNB takes no more than {MOST_BYTES / 2**30:.0f}. Keep fewer words, by "
            "min_df or max_features of the vectorizer, or use MultinomialNB, which has weights "
            "for words and the classes they were seen in alone."
        )

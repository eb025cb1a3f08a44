"""Multinomial naive Bayes: documents as bags of tokens."""

from __future__ import annotations

from typing import Any, Literal, Self

import numpy as np

from tallytext.bayes.left_out import LeftOut
from tallytext.bayes.left_out_pieces import Leaving
from tallytext.bayes.left_out_sparse import SparseScores
from tallytext.bayes.left_out_table import TableScores
from tallytext.bayes.length import LengthModel, length_planes
from tallytext.bayes.multinomial_weights import (
    class_contrast_weights,
    contrast_weights,
    joint_weights,
)
from tallytext.bayes.priors import Prior
from tallytext.bayes.reading import Column, Reading
from tallytext.bayes.smoothed import Smoothed
from tallytext.bayes.weighting import METHODS, ClassWeighting, term_emphasis
from tallytext.bayes.word_probabilities import WordCounts
from tallytext.contingency import CLASS_METHODS
from tallytext.errors import ScoreError
from tallytext.planes import Norm, Plane, TermFrequency
from tallytext.scorer import Documents, RowWeights, Weights
from tallytext.smoothing import Laplace, Semantic, Smoothing
from tallytext.smoothing.base import Numbers, expect_between
from tallytext.smoothing.signatures import expect_translation

_CHOICES = {
    "tf": ("raw", "log", "binary"),
    "tf_test": ("raw", "log", "binary"),
    "normalize": (None, "l1", "l2"),
}


class MultinomialNB(Smoothed):
    r"""Multinomial naive Bayes with the smoothing of your choice.

    .. math:: s_c(d) = \log p(c) + \sum_w x_w \log p(w \mid c)

    Parameters
    ----------
    smoothing : Smoothing, default=None
        How p(w|c) is estimated; None for ``Background(0.5)``. ``Laplace(1)`` is what scikit-learn
        does.
    tf : {"raw", "log", "binary"}, default="raw"
        What a word of a training document counts: x, ln(1 + x) or 1.
    normalize : {None, "l1", "l2"}, default=None
        Whether all training documents are brought to one length (Vilar et al., eq. 16) or norm.
    norm_length : float, default=None
        That length; None for the harmonic mean over the training documents. Only its ratio to the
        amount of smoothing matters.
    tf_test : {"raw", "log", "binary"}, default="raw"
        What a word of a document to be judged counts.
    complement : bool or "only", default=False
        Judge each class against all documents outside it: subtract :math:`\log p(w \mid \bar c)`.
        With "only" nothing else is looked at.
    weighting : {None, "ig", "chi", "prr", "mi", "df"}, default=None
        Multiply what a word says by a score of the word: see :func:`tallytext.selection.scores`.
    weight_power : float, default=1.0
        The power to which weights are raised.
    weight_by_class : bool, default=False
        Use weights of word and class ("ig", "chi" or "prr"). They need ``complement=True``: on
        log p(w|c) itself they would reward classes with small weights.
    length_model : bool, default=False
        Add :math:`\log p(|d| \mid c)`, a log-normal for each class.
    prior : {"ml", "smoothed", "uniform"}, mapping or array-like, default="ml"
        p(c): N_c/N, (N_c + prior_beta)/(N + C prior_beta), 1/C, or given by label or in the order
        of ``classes_``.
    prior_beta : float, default=1.0
        Pseudo-documents per class of the "smoothed" prior.
    class_weight : dict or "balanced", default=None
        Multiplies the prior of each class.
    multi_label : bool, default=None
        Whether to judge each class on its own; None: if training documents have several labels.
    dtype : {"float64", "float32"}, default="float64"
        Precision of the weights; float32 scores faster.
    n_jobs : int, default=None
        Number of threads, see :func:`tallytext.threads.thread_count`.

    Attributes
    ----------
    tally_ : Tally
        The counts, all there is to know.
    classes_ : ndarray
        The labels, sorted.
    chosen_ : tuple of (Smoothing, Smoothing) or None
        The smoothing that was given, and what leaving out has made of it (a discount, a weight);
        None where it had nothing to choose.

    Examples
    --------
    >>> model = MultinomialNB().fit([[2, 1, 0], [0, 0, 3]], ["sea", "sky"])
    >>> model.partial_fit([[0, 4, 4]], ["sun"]).classes_
    array(['sea', 'sky', 'sun'], dtype='<U3')
    >>> model.predict([[1, 0, 0]])
    array(['sea'], dtype='<U3')
    """

    has_leave_one_out = True

    def __init__(
        self,
        smoothing: Smoothing | None = None,
        *,
        tf: TermFrequency = "raw",
        normalize: Literal["l1", "l2"] | None = None,
        norm_length: float | None = None,
        tf_test: TermFrequency = "raw",
        complement: bool | Literal["only"] = False,
        weighting: str | None = None,
        weight_power: float = 1.0,
        weight_by_class: bool = False,
        length_model: bool = False,
        prior: Prior = "ml",
        prior_beta: float = 1.0,
        class_weight: Any = None,
        multi_label: bool | None = None,
        dtype: Any = "float64",
        n_jobs: int | None = None,
    ) -> None:
        self.smoothing = smoothing
        self.tf = tf
        self.normalize = normalize
        self.norm_length = norm_length
        self.tf_test = tf_test
        self.complement = complement
        self.weighting = weighting
        self.weight_power = weight_power
        self.weight_by_class = weight_by_class
        self.length_model = length_model
        self.prior = prior
        self.prior_beta = prior_beta
        self.class_weight = class_weight
        self.multi_label = multi_label
        self.dtype = dtype
        self.n_jobs = n_jobs

    @classmethod
    def chi_contrast(cls, **parameters: Any) -> Self:
        r"""Return the chi-weighted contrast: one pass of counting, near a support vector machine.

        The contrast of each class with all others on documents of one Euclidean length, each word
        weighed by its largest :math:`\chi^2` to the power 0.3, scored on ln(1 + x) without a prior.

        Parameters
        ----------
        **parameters : Any
            Other parameters, or other values for these.

        Examples
        --------
        >>> MultinomialNB.chi_contrast().weighting
        'chi'
        """
        preset: dict[str, Any] = {
            "smoothing": Laplace(0.1),
            "normalize": "l2",
            "tf_test": "log",
            "complement": True,
            "weighting": "chi",
            "weight_power": 0.3,
            "prior": "uniform",
        }
        return cls(**(preset | parameters))

    @property
    def _contrasts(self) -> bool:
        return self.multi_label_ or bool(self.complement)

    def _expect_parameters(self) -> None:
        super()._expect_parameters()
        if self.smoothing is not None and not isinstance(self.smoothing, Smoothing):
            raise ValueError(
                f"smoothing must be a Smoothing such as Laplace(1), not {self.smoothing!r}."
            )
        if isinstance(self.smoothing, Semantic):
            expect_translation(self.smoothing.translation)
        for name, choices in _CHOICES.items():
            if getattr(self, name) not in choices:
                raise ValueError(f"{name} must be one of {choices}, not {getattr(self, name)!r}.")
        expect_between("weight_power", self.weight_power, 0.0, 1e3)
        if self.norm_length is not None:
            expect_between("norm_length", self.norm_length, 1e-12, 1e12)
        self._expect_weighting()

    def _expect_weighting(self) -> None:
        if self.complement not in (False, True, "only"):
            raise ValueError(f"complement must be True, False or 'only', not {self.complement!r}.")
        if self.weighting is not None and self.weighting not in METHODS:
            raise ValueError(f"weighting must be one of {[*METHODS]}, not {self.weighting!r}.")
        if self.weight_by_class and self.weighting not in (None, *CLASS_METHODS):
            raise ValueError(f"weights by class are {[*CLASS_METHODS]}, not {self.weighting!r}.")
        if self.weight_by_class and not self._contrasts:
            raise ValueError(
                "weights by class need complement=True: on log p(w|c) itself they would reward "
                "classes with small weights."
            )

    def _columns(self, unit: float, weighted: bool) -> list[Column]:
        if unit != 1 and self.length_model:
            raise ValueError("length_model=True needs whole counts: fractions are no lengths.")
        length: list[Column] = [*length_planes(weighted)] if self.length_model else []
        documents: Column = Plane("binary", weighted=True) if weighted else "documents"
        return [self._counted(unit, weighted), *length, documents]

    def _counted(self, unit: float, weighted: bool) -> Column:
        if unit != 1 and self.tf == "log":
            raise ValueError("tf='log' needs whole counts: fractions have no logarithm of a count.")
        norm: Norm | None = self.normalize
        if weighted or norm is not None or self.tf == "log":
            return Plane(self.tf, norm, weighted=weighted)
        return "documents" if self.tf == "binary" else "occurrences"

    def _estimate(self, reading: Reading, intercept: Numbers) -> Weights:
        counts = self.word_counts(reading)
        if self.weight_by_class:
            weighting = ClassWeighting(reading, self.weighting, self.weight_power)
            return class_contrast_weights(counts, intercept, weighting, self._only_rest)
        emphasis = term_emphasis(reading, self.weighting, self.weight_power)
        if self._contrasts:
            return contrast_weights(counts, intercept, emphasis, self._only_rest)
        return joint_weights(counts, intercept, emphasis)

    def _leaving(self, reading: Reading) -> Leaving:
        return self._leaving_of(reading, self.word_counts(reading), None)

    def _leaving_of(self, reading: Reading, counts: WordCounts, translations: Any) -> Leaving:
        contrasts, only_rest = self._contrasts, self._only_rest
        if self.weight_by_class:
            weighting = ClassWeighting(reading, self.weighting, self.weight_power)
            mass = np.ones(reading.n_terms)
            return TableScores(counts, weighting.held(), mass, contrasts, only_rest, translations)
        emphasis = term_emphasis(reading, self.weighting, self.weight_power)
        table = TableScores(
            counts,
            lambda terms: emphasis[terms, None],
            emphasis,
            contrasts,
            only_rest,
            translations,
        )
        sparse = SparseScores(counts, emphasis, contrasts, only_rest, table)
        return sparse if sparse.suits() else table

    @property
    def _only_rest(self) -> bool:
        return self.complement == "only"

    def _lengthened(self, scores: Numbers, documents: Documents, reading: Reading) -> Numbers:
        if not self.length_model:
            return scores
        scores += LengthModel.read(reading).logs(documents.sizes)
        if self._contrasts:
            scores -= LengthModel.read(reading, rest=True).logs(documents.sizes)
        return scores

    def to_sklearn(self) -> Any:
        """Return a fitted scikit-learn estimator that predicts the same without tallytext."""
        if self.length_model:
            raise ScoreError(
                "a length model is not linear in the counts of a document, so no estimator of "
                "scikit-learn can hold it. Use length_model=False."
            )
        return super().to_sklearn()

    def _left_lengthened(self, scores: Numbers, left: LeftOut) -> Numbers:
        if not self.length_model:
            return scores
        lengths = left.documents.sizes
        scores += LengthModel.without(left).logs(lengths)
        if self._contrasts:
            scores -= LengthModel.without(left, rest=True).logs(lengths)
        return scores

    def _needs_all_scores(self, weights: Weights) -> bool:
        return self.length_model or isinstance(weights, RowWeights)

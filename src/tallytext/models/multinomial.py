"""Multinomial naive Bayes: documents as bags of tokens.

:class:`MultinomialNB` names the columns of the tally that it reads, smooths their counts and turns
them into weights. The estimates of p(w|c) are in :mod:`tallytext.models.smoothing`.
:class:`LengthModel` is the optional distribution of the length of documents.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal, Self

import numpy as np

from tallytext._estimators import check_is_fitted
from tallytext._typing import FloatArray
from tallytext._validation import check_between
from tallytext.errors import ScoreError
from tallytext.features.term_scores import CLASS_WEIGHTS
from tallytext.models.base import DocumentRows, Weights
from tallytext.models.class_counts import ClassCounts, Column, CountsReader, Prior
from tallytext.models.leave_one_out import (
    DenseLeaveOneOut,
    LeaveOneOutCounts,
    LeaveOneOutScorer,
    SparseLeaveOneOut,
    leave_one_out_accuracies,
)
from tallytext.models.naive_bayes import NO_TERMS, NaiveBayes
from tallytext.models.smoothing.base import (
    WEIGHTING_METHODS,
    Background,
    ClassWeighting,
    CorpusStatistics,
    Laplace,
    Smoothing,
    WordCounts,
    class_contrast_weights,
    contrast_weights,
    joint_weights,
    term_emphasis,
)
from tallytext.models.smoothing.discounting import (
    AbsoluteDiscount,
    DiscountBounds,
    TokenDocuments,
)
from tallytext.models.smoothing.semantic import Semantic, Signatures, check_translation
from tallytext.models.smoothing.topic_signatures import TopicSignatures, TranslatedCounts
from tallytext.tally.labels import Targets
from tallytext.tally.planes import Norm, Plane, TermFrequency

_CHOICES = {
    "tf": ("raw", "log", "binary"),
    "tf_test": ("raw", "log", "binary"),
    "normalize": (None, "l1", "l2"),
    "weighting": (None, *WEIGHTING_METHODS),
}
_MIN_VARIANCE = 1e-3  # of ln(1 + length): the documents of a class may all have one length


class MultinomialNB(NaiveBayes):
    r"""Multinomial naive Bayes with the smoothing of your choice.

    .. math:: s_c(d) = \log p(c) + \sum_w x_w \log p(w \mid c)

    Parameters
    ----------
    smoothing : Smoothing, default=None
        The estimate of p(w|c); None for ``Background(0.5)``. ``Laplace(1)`` is scikit-learn's.
    tf : {"raw", "log", "binary"}, default="raw"
        The value of a word that occurs x times in a training document: x, ln(1 + x) or 1.
    normalize : {None, "l1", "l2"}, default=None
        Scale all training documents to one length (Vilar et al., eq. 16) or Euclidean norm.
    norm_length : float, default=None
        That length; None for the harmonic mean over the training documents. Only its ratio to the
        amount of smoothing matters.
    tf_test : {"raw", "log", "binary"}, default="raw"
        The value of a word of a document to predict, as ``tf``.
    complement : bool or "only", default=False
        Compare each class with all documents outside it: subtract :math:`\log p(w \mid \bar c)`.
        With "only" the score is :math:`-\log p(w \mid \bar c)` alone.
    weighting : {None, "ig", "chi", "prr", "mi", "df"}, default=None
        Multiply the evidence of a word by a score of the word, see
        :func:`tallytext.features.score_terms`.
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
        True to predict each class independently; None for True if training documents are
        multi-label.
    dtype : {"float64", "float32"}, default="float64"
        Precision of the weights; float32 scores faster.
    n_jobs : int, default=None
        Number of threads, see :func:`tallytext.runtime.thread_count`.

    Attributes
    ----------
    tally_ : Tally
        The counts that all weights are computed from.
    classes_ : ndarray
        The labels, sorted.
    chosen_ : tuple of (Smoothing, Smoothing) or None
        The smoothing that was given, and the same with the parameters (a discount, a weight) that
        leave-one-out chose; None if there was nothing to choose.
    smoothing_ : Smoothing
        The smoothing with the numbers that are used, e.g. ``smoothing_.b`` of a discount, for the
        counts at present.
    discount_bounds_ : DiscountBounds or None
        Bounds of the leave-one-out discount (Vilar et al., eq. 14); None for other smoothings and
        for fractional counts, which have no number of events seen once.

    Examples
    --------
    >>> model = MultinomialNB().fit([[2, 1, 0], [0, 0, 3]], ["sea", "sky"])
    >>> model.partial_fit([[0, 4, 4]], ["sun"]).classes_
    array(['sea', 'sky', 'sun'], dtype='<U3')
    >>> model.predict([[1, 0, 0]])
    array(['sea'], dtype='<U3')
    """

    has_leave_one_out = True
    chosen_: tuple[Smoothing, Smoothing] | None = None

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
        r"""Return the chi-weighted contrast, whose accuracy is close to a support vector machine's.

        It contrasts each class with its complement on documents of one Euclidean norm. Each word
        is weighted by its largest :math:`\chi^2` to the power 0.3, counts of a document to predict
        are ln(1 + x), and the prior is uniform.

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

    def _check_parameters(self) -> None:
        super()._check_parameters()
        if self.smoothing is not None and not isinstance(self.smoothing, Smoothing):
            raise ValueError(
                f"smoothing must be a Smoothing such as Laplace(1), not {self.smoothing!r}."
            )
        # Without a translation, a classifier learns one; fitting on counts raises an error.
        if isinstance(self.smoothing, Semantic) and self.smoothing.translation is not None:
            check_translation(self.smoothing.translation)
        for name, choices in _CHOICES.items():
            if getattr(self, name) not in choices:
                raise ValueError(f"{name} must be one of {choices}, not {getattr(self, name)!r}.")
        if self.complement not in (False, True, "only"):
            raise ValueError(f"complement must be True, False or 'only', not {self.complement!r}.")
        check_between("weight_power", self.weight_power, 0.0, 1e3)
        if self.norm_length is not None:
            check_between("norm_length", self.norm_length, 1e-12, 1e12)
        if self.weight_by_class and self.weighting not in (None, *CLASS_WEIGHTS):
            raise ValueError(f"weights by class are {[*CLASS_WEIGHTS]}, not {self.weighting!r}.")
        if self.weight_by_class and not self.contrasts:
            raise ValueError(
                "weights by class need complement=True: on log p(w|c) itself they would reward "
                "classes with small weights."
            )

    def _columns(self, unit: float, weighted: bool) -> list[Column]:
        if unit != 1 and self.length_model:
            raise ValueError("length_model=True needs whole counts: fractions are no lengths.")
        length: list[Column] = [*length_planes(weighted)] if self.length_model else []
        documents: Column = Plane("binary", weighted=True) if weighted else "documents"
        return [self._counted_column(unit, weighted), *length, documents]

    def _counted_column(self, unit: float, weighted: bool) -> Column:
        """Return the column of the tally with the counts of words."""
        if unit != 1 and self.tf == "log":
            raise ValueError("tf='log' needs whole counts: fractions have no logarithm of a count.")
        norm: Norm | None = self.normalize
        if weighted or norm is not None or self.tf == "log":
            return Plane(self.tf, norm, weighted=weighted)
        return "documents" if self.tf == "binary" else "occurrences"

    @property
    def smoothing_(self) -> Smoothing:
        """The smoothing with the numbers that are used for the counts at present.

        Examples
        --------
        >>> from tallytext.models import AbsoluteDiscount
        >>> X, y = [[3, 2, 1, 0], [0, 1, 1, 1]], ["X", "Y"]
        >>> model = MultinomialNB(AbsoluteDiscount("leave-one-out")).fit(X, y)
        >>> round(model.smoothing_.b, 4)
        0.5809
        """
        check_is_fitted(self)
        return self.word_counts(self._reader().read(NO_TERMS)).smoothing

    @property
    def discount_bounds_(self) -> DiscountBounds | None:
        """Bounds of the leave-one-out discount (Vilar et al., eq. 14), or None.

        Examples
        --------
        >>> from tallytext.models import AbsoluteDiscount
        >>> X, y = [[3, 2, 1, 0], [0, 1, 1, 1]], ["X", "Y"]
        >>> bounds = MultinomialNB(AbsoluteDiscount()).fit(X, y).discount_bounds_
        >>> round(bounds.lower, 4), round(bounds.upper, 4)
        (0.5333, 0.6667)
        """
        check_is_fitted(self)
        counts_of_counts = self._corpus(self._reader().read(NO_TERMS)).counts_of_counts
        if counts_of_counts is None or not isinstance(self.smoothing, AbsoluteDiscount):
            return None
        return DiscountBounds.from_counts(counts_of_counts(self.smoothing.events, False))

    def word_counts(
        self, class_counts: ClassCounts, smoothing: Smoothing | None = None
    ) -> WordCounts:
        """Return the smoothed counts that weights are computed from.

        Parameters
        ----------
        class_counts : ClassCounts
            The sums of one version of the tally.
        smoothing : Smoothing, default=None
            None for that of the model.
        """
        column = self._counted_column(self.unit_, self.weighted_)
        # Weights of documents may be fractions, so that weighted planes are not whole.
        whole = isinstance(column, str) or (
            column.norm is None and column.tf != "log" and not column.weighted
        )
        if smoothing is None:
            smoothing = Background() if self.smoothing is None else self.smoothing
            # By identity: a smoothing that was replaced by set_params has not been tuned.
            if self.chosen_ is not None and self.chosen_[0] is smoothing:
                smoothing = self.chosen_[1]
            else:
                smoothing = smoothing.choose_parameters(self._corpus(class_counts))
        translated = (
            self._translate_counts(class_counts, smoothing) if smoothing.translates else None
        )
        return WordCounts(
            class_counts=class_counts if translated is None else translated.class_counts,
            smoothing=smoothing,
            scale=self._scale(class_counts, column),
            n_terms=class_counts.n_live_terms if self.open_ else self.n_features_in_,
            closed=not self.open_,
            whole=whole and self.unit_ == 1 and self.expected_ is None,
            translated=translated,
        )

    def _translate_counts(
        self, class_counts: ClassCounts, smoothing: Smoothing
    ) -> TranslatedCounts:
        """Return the counts with those of the topic signatures of the smoothing."""

        def make() -> TopicSignatures:
            whole = class_counts.all_terms()
            found = self._signatures(whole.source, whole.n_terms, smoothing)
            return TopicSignatures.from_counts(found, whole)

        made = self.cache_.constants(class_counts.version, make, self._settings())
        return TranslatedCounts.join(made, class_counts)

    def _signatures(self, source: CountsReader, width: int, smoothing: Smoothing) -> Signatures:
        """Return the topic signatures of a vocabulary of this width, cached until it grows."""
        vocabulary = source.tally.vocabulary
        named = self.open_ or hasattr(self, "feature_names_in_")

        def make() -> Signatures:
            return smoothing.locate_signatures(vocabulary.ids if named else None, width)

        settings = vocabulary.native, smoothing
        return self.cache_.constants(width, make, settings, "signatures")

    def _scale(self, class_counts: ClassCounts, column: Column) -> float:
        """Return the factor from the counts of a column to tokens."""
        raw = column.tf == "raw" if isinstance(column, Plane) else column == "occurrences"
        unit = self.unit_ if raw else 1.0
        if not isinstance(column, Plane) or column.norm is None:
            return unit
        if self.norm_length is not None:
            return float(self.norm_length)
        if not class_counts.scales[0]:
            return 1.0
        # The plane sums 1 / length, so that its scale gives the harmonic mean without a pass.
        return float(class_counts.n_documents / class_counts.scales[0]) * unit

    def _corpus(
        self, class_counts: ClassCounts, documents: Any = None, left_out: Any = None
    ) -> CorpusStatistics:
        """Return the statistics that a smoothing chooses its parameters from."""
        column = self._counted_column(self.unit_, self.weighted_)
        # Fractions have no counts of counts.
        whole = column == "occurrences" and self.unit_ == 1
        counts_of_counts = class_counts.counts_of_counts if whole else None
        tokens = class_counts.class_totals[0] * self._scale(class_counts, column)
        return CorpusStatistics(tokens, counts_of_counts, documents, left_out)

    def _fit_hyperparameters(self, X: Any, targets: Targets, weights: FloatArray | None) -> None:
        smoothing, self.chosen_ = self.smoothing, None
        if smoothing is None:
            return
        class_counts = self._reader(labelled_only=True).read(NO_TERMS)
        if smoothing.translates:
            # A translation of other columns must fail now, not in the first prediction.
            self._signatures(class_counts.source, self.n_features_in_, smoothing)
        column = self._counted_column(self.unit_, self.weighted_)
        used: list[Any] = []  # documents or candidates, if the smoothing needs them

        def documents() -> TokenDocuments:
            training, whole = self._training(X, targets, weights), class_counts.all_terms()
            scale = self._scale(class_counts, column)
            used.append(TokenDocuments.from_training(training, column, whole, scale, self.unit_))
            return used[-1]

        def left_out(candidates: Sequence[Smoothing]) -> list[float]:
            used.append(candidates)
            return leave_one_out_accuracies(self, X, targets, weights, candidates)

        resolved = smoothing.choose_parameters(self._corpus(class_counts, documents, left_out))
        # Parameters that were chosen from sums alone are chosen again when the sums change.
        self.chosen_ = (smoothing, resolved) if used else None

    def _estimate(self, class_counts: ClassCounts, intercept: FloatArray) -> Weights:
        counts, only_complement = self.word_counts(class_counts), self.complement == "only"
        if self.weight_by_class:
            weighting = ClassWeighting(class_counts, self.weighting, self.weight_power)
            return class_contrast_weights(counts, intercept, weighting, only_complement)
        emphasis = term_emphasis(class_counts, self.weighting, self.weight_power)
        if self.contrasts:
            return contrast_weights(counts, intercept, emphasis, only_complement)
        return joint_weights(counts, intercept, emphasis)

    def _leave_one_out_scorer(
        self, class_counts: ClassCounts, counts: WordCounts | None = None
    ) -> LeaveOneOutScorer:
        contrasts, only_complement = self.contrasts, self.complement == "only"
        counts = self.word_counts(class_counts) if counts is None else counts
        if self.weight_by_class:
            weighting = ClassWeighting(class_counts, self.weighting, self.weight_power)
            mass = np.ones(class_counts.n_terms)
            return DenseLeaveOneOut(
                counts, weighting.weights_by_term(), mass, contrasts, only_complement
            )
        emphasis = term_emphasis(class_counts, self.weighting, self.weight_power)
        table = DenseLeaveOneOut(
            counts,
            lambda terms: emphasis[terms, None],
            emphasis,
            contrasts,
            only_complement,
        )
        # Contrasts of smoothings that are not linear have a weight for every word and class.
        sparse = SparseLeaveOneOut(counts, emphasis, contrasts, only_complement, table)
        return sparse if sparse.applies() else table

    def _add_length_scores(
        self, scores: FloatArray, documents: DocumentRows, class_counts: ClassCounts
    ) -> FloatArray:
        if not self.length_model:
            return scores
        scores += LengthModel.from_counts(class_counts).logs(documents.sizes)
        if self.contrasts:
            scores -= LengthModel.from_counts(class_counts, complement=True).logs(documents.sizes)
        return scores

    def to_sklearn(self) -> Any:
        """Return a fitted scikit-learn estimator that predicts the same without tallytext."""
        if self.length_model:
            raise ScoreError(
                "a length model is not linear in the counts of a document, so no estimator of "
                "scikit-learn can hold it. Use length_model=False."
            )
        return super().to_sklearn()

    def _add_left_out_length_scores(
        self, scores: FloatArray, left: LeaveOneOutCounts
    ) -> FloatArray:
        if not self.length_model:
            return scores
        lengths = left.documents.sizes
        scores += LengthModel.without(left).logs(lengths)
        if self.contrasts:
            scores -= LengthModel.without(left, complement=True).logs(lengths)
        return scores


def length_planes(weighted: bool = False) -> list[Plane]:
    """Return planes whose scales are the sums of ln(1 + length) and of its square."""
    return [
        Plane("raw", "log_length", weighted=weighted),
        Plane("raw", "log_length_squared", weighted=weighted),
    ]


@dataclass(frozen=True)
class LengthModel:
    r"""A normal distribution of :math:`\ln(1 + |d|)` for each class or for its complement.

    Mean and variance of a class are shrunk to those of all documents, which count as one more
    document of the class.
    """

    mean: FloatArray
    variance: FloatArray

    @classmethod
    def from_sums(
        cls, n: FloatArray, total: FloatArray, squares: FloatArray, whole: tuple[Any, ...]
    ) -> LengthModel:
        """Estimate the model from numbers of documents, sums of logs and sums of their squares.

        Parameters
        ----------
        n, total, squares : ndarray
            The sums of each class.
        whole : tuple
            The same three sums of all documents.
        """
        n_all, total_all, squares_all = whole
        # Shrunk moments, not a shrunk variance: sums stay additive, and a document can be left out.
        n_shrunk = n + 1.0
        mean = (total + total_all / np.maximum(n_all, 1.0)) / n_shrunk
        square = (squares + squares_all / np.maximum(n_all, 1.0)) / n_shrunk
        # Logarithms of lengths are small numbers, so that the difference of squares is accurate.
        return cls(mean, np.maximum(square - mean**2, _MIN_VARIANCE))

    @classmethod
    def from_counts(cls, class_counts: ClassCounts, complement: bool = False) -> LengthModel:
        """Return the model of each class, or of its complement."""
        total, squares = class_counts.class_scales[1], class_counts.class_scales[2]
        whole = (
            float(class_counts.n_documents),
            float(class_counts.scales[1]),
            float(class_counts.scales[2]),
        )
        if not complement:
            return cls.from_sums(class_counts.class_documents, total, squares, whole)
        n, total, squares = (
            whole[0] - class_counts.class_documents,
            whole[1] - total,
            whole[2] - squares,
        )
        return cls.from_sums(n, total, squares, whole)

    @classmethod
    def without(cls, left: LeaveOneOutCounts, complement: bool = False) -> LengthModel:
        """Return the same when a document is left out, documents by classes."""
        class_counts, at = left.class_counts, (left.pair_row, left.pair_class)
        whole, sides = [left.n_documents[:, None]], [left.class_documents]
        for column in (1, 2):
            removed = left.document_scales(column)
            side = np.tile(class_counts.class_scales[column], (left.n, 1))
            side[at] -= removed[left.pair_row]
            whole.append((class_counts.scales[column] - removed)[:, None])
            sides.append(side)
        if complement:
            sides = [all_of - side for all_of, side in zip(whole, sides, strict=True)]
        return cls.from_sums(sides[0], sides[1], sides[2], tuple(whole))

    def logs(self, lengths: FloatArray) -> FloatArray:
        """Return log p(length | class), documents by classes."""
        away = np.log1p(lengths)[:, None] - self.mean
        return -0.5 * (np.log(2 * np.pi * self.variance) + away**2 / self.variance)

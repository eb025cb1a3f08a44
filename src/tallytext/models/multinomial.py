"""Multinomial naive Bayes: documents as bags of tokens."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Literal, Self

import numpy as np

from tallytext._typing import FloatArray
from tallytext._validation import check_between
from tallytext.errors import ScoreError
from tallytext.features.term_scores import CLASS_METHODS
from tallytext.models.leave_one_out import left_out_accuracies
from tallytext.models.left_out import Leaving, LeftOut, token_documents
from tallytext.models.left_out_multinomial import SparseScores, TableScores
from tallytext.models.naive_bayes import NO_TERMS, NaiveBayes
from tallytext.models.priors import Prior
from tallytext.models.reading import Column, Reader, Reading
from tallytext.models.scorer import Documents, RowWeights, Weights
from tallytext.models.smoothing.base import Corpus, Smoothing
from tallytext.models.smoothing.closed_form import Background, Laplace
from tallytext.models.smoothing.discounting import TokenDocuments
from tallytext.models.smoothing.semantic import Semantic, Signatures, check_translation
from tallytext.models.translation import ClassTranslations, TranslatedReading
from tallytext.models.word_probabilities import (
    METHODS,
    ClassWeighting,
    WordCounts,
    class_contrast_weights,
    contrast_weights,
    joint_weights,
    term_emphasis,
)
from tallytext.tally.labels import Targets
from tallytext.tally.planes import Norm, Plane, TermFrequency

# ------------------------------------------------------------------------------------------------
# How long the documents of a class are: a log-normal, from additive sums.

_LEAST_VARIANCE = 1e-3


def length_planes(weighted: bool = False) -> list[Plane]:
    """Return planes whose scales are the sums of ln(1 + length) and of its square."""
    return [
        Plane("raw", "log_length", weighted=weighted),
        Plane("raw", "log_length_squared", weighted=weighted),
    ]


@dataclass(frozen=True)
class LengthModel:
    r"""A normal distribution of :math:`\ln(1 + |d|)` for each class, and for all others together.

    A class with few documents is drawn towards all documents: one document's worth of them is
    added to each class.
    """

    mean: FloatArray
    variance: FloatArray

    @classmethod
    def of(
        cls, n: FloatArray, total: FloatArray, squares: FloatArray, whole: tuple[Any, ...]
    ) -> LengthModel:
        """Return the model of classes with n documents and these sums of logs and their squares."""
        n_all, total_all, squares_all = whole
        below = n + 1.0
        mean = (total + total_all / np.maximum(n_all, 1.0)) / below
        square = (squares + squares_all / np.maximum(n_all, 1.0)) / below
        return cls(mean, np.maximum(square - mean**2, _LEAST_VARIANCE))

    @classmethod
    def read(cls, reading: Reading, rest: bool = False) -> LengthModel:
        """Return the model of each class, or of all documents outside it."""
        total, squares = reading.class_scales[1], reading.class_scales[2]
        whole = float(reading.n_documents), float(reading.scales[1]), float(reading.scales[2])
        if not rest:
            return cls.of(reading.class_documents, total, squares, whole)
        n, total, squares = whole[0] - reading.class_documents, whole[1] - total, whole[2] - squares
        return cls.of(n, total, squares, whole)

    @classmethod
    def without(cls, left: LeftOut, rest: bool = False) -> LengthModel:
        """Return the same when a document is left out, documents by classes."""
        reading, at = left.reading, (left.slot_row, left.slot_class)
        whole, sides = [left.n_documents[:, None]], [left.class_documents]
        for column in (1, 2):
            removed = left.scale(column)
            side = np.tile(reading.class_scales[column], (left.n, 1))
            side[at] -= removed[left.slot_row]
            whole.append((reading.scales[column] - removed)[:, None])
            sides.append(side)
        if rest:
            sides = [all_of - side for all_of, side in zip(whole, sides, strict=True)]
        return cls.of(sides[0], sides[1], sides[2], tuple(whole))

    def logs(self, lengths: FloatArray) -> FloatArray:
        """Return log p(length | class), documents by classes."""
        away = np.log1p(lengths)[:, None] - self.mean
        return -0.5 * (np.log(2 * np.pi * self.variance) + away**2 / self.variance)


# ------------------------------------------------------------------------------------------------
# Models whose counts are smoothed: which smoothing, by what it is chosen, and what it gives.


class Smoothed(NaiveBayes):
    """From a reading to smoothed counts; what cannot be chosen from sums is from documents."""

    smoothing: Smoothing | None
    norm_length: float | None
    chosen_: tuple[Smoothing, Smoothing] | None = None

    def _leaving_of(self, reading: Reading, counts: WordCounts, translations: Any) -> Leaving:
        """Return what scores documents left out by given counts."""
        raise TypeError(f"{type(self).__name__} must say how documents left out are scored.")

    def _counted(self, unit: float, weighted: bool) -> Column:
        """Return the column that is counted."""
        raise TypeError(f"{type(self).__name__} must say what it counts.")

    def word_counts(self, reading: Reading, smoothing: Smoothing | None = None) -> WordCounts:
        """Return the smoothed counts behind the weights, by a given smoothing or by the own one.

        Parameters
        ----------
        reading : Reading
            Sums of a tally, of one moment.
        smoothing : Smoothing, default=None
            None for that of the model.
        """
        column = self._counted(self.unit_, self.weighted_)
        whole = (
            self.expected_ is None
            and self.unit_ == 1
            and (isinstance(column, str) or self._whole_plane(column))
        )
        smoothing = self._resolved(reading) if smoothing is None else smoothing
        translated = self._translated(reading, smoothing)
        return WordCounts(
            reading=reading if translated is None else translated.reading,
            smoothing=smoothing,
            scale=self._scale(reading, column),
            n_terms=reading.n_live_terms if self.open_ else self.n_features_in_,
            closed=not self.open_,
            whole=whole,
            translated=translated,
        )

    def _translated(self, reading: Reading, smoothing: Smoothing) -> TranslatedReading | None:
        """Return the reading with what its signatures stand for, if the smoothing has any."""
        if not smoothing.translates:
            return None

        def make() -> ClassTranslations:
            whole = reading.all_terms()
            found = self._signatures(whole.source, whole.n_terms, smoothing)
            return ClassTranslations.of(found, whole)

        made = self.cache_.constants(reading.version, make, self._settings())
        return TranslatedReading.of(made, reading)

    def _signatures(self, source: Reader, width: int, smoothing: Smoothing) -> Signatures:
        """Return where the signatures of the smoothing are, found anew when terms were added."""
        vocabulary = source.vocabulary
        named = self.open_ or hasattr(self, "feature_names_in_")

        def make() -> Signatures:
            return smoothing.signatures(vocabulary.ids if named else None, width)

        settings = vocabulary.native, smoothing
        return self.cache_.constants(width, make, settings, "signatures")

    def _whole_plane(self, column: Plane) -> bool:
        # Weighed documents count whole only as long as nobody gives a fraction for a weight.
        return column.norm is None and column.tf != "log" and not column.weighted

    def _scale(self, reading: Reading, column: Column) -> float:
        raw = column.tf == "raw" if isinstance(column, Plane) else column == "occurrences"
        unit = self.unit_ if raw else 1.0
        if not isinstance(column, Plane) or column.norm is None:
            return unit
        if self.norm_length is not None:
            return float(self.norm_length)
        if not reading.scales[0]:
            return 1.0
        return float(reading.n_documents / reading.scales[0]) * unit

    def _resolved(self, reading: Reading) -> Smoothing:
        smoothing = Background() if self.smoothing is None else self.smoothing
        if self.chosen_ is not None and self.chosen_[0] is smoothing:
            return self.chosen_[1]
        return smoothing.resolved(self._corpus(reading))

    def _corpus(self, reading: Reading, documents: Any = None, left_out: Any = None) -> Corpus:
        column = self._counted(self.unit_, self.weighted_)
        counted = self._events(reading) if column == "occurrences" and self.unit_ == 1 else None
        tokens = reading.class_totals[0] * self._scale(reading, column)
        return Corpus(tokens, counted, documents, left_out)

    def _choose(self, X: Any, targets: Targets, weights: FloatArray | None) -> None:
        smoothing, self.chosen_ = self.smoothing, None
        if smoothing is None:
            return
        reading = self._labelled_reader().read(NO_TERMS)
        if smoothing.translates:
            # Columns that do not fit are refused now, and not when a document comes.
            self._signatures(reading.source, self.n_features_in_, smoothing)
        column = self._counted(self.unit_, self.weighted_)
        asked: list[Any] = []

        def documents() -> TokenDocuments:
            training, whole = self._training(X, targets, weights), reading.all_terms()
            scale = self._scale(reading, column)
            asked.append(token_documents(training, column, whole, scale, self.unit_))
            return asked[-1]

        def left_out(candidates: Sequence[Smoothing]) -> list[float]:
            asked.append(candidates)
            return left_out_accuracies(self, X, targets, weights, candidates)

        resolved = smoothing.resolved(self._corpus(reading, documents, left_out))
        # What sums can tell is asked of them again whenever they have changed.
        self.chosen_ = (smoothing, resolved) if asked else None

    def _events(self, reading: Reading) -> Callable[[str, bool], dict[int, int]]:
        def counts(events: str, few: bool) -> dict[int, int]:
            return reading.counts_of_counts("pooled" if events == "pooled" else "cells", few)

        return counts


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
        Multiply what a word says by a score of the word: see :func:`tallytext.features.scores`.
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
        Number of threads, see :func:`tallytext.runtime.thread_count`.

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

    def _check_parameters(self) -> None:
        super()._check_parameters()
        if self.smoothing is not None and not isinstance(self.smoothing, Smoothing):
            raise ValueError(
                f"smoothing must be a Smoothing such as Laplace(1), not {self.smoothing!r}."
            )
        if isinstance(self.smoothing, Semantic):
            check_translation(self.smoothing.translation)
        for name, choices in _CHOICES.items():
            if getattr(self, name) not in choices:
                raise ValueError(f"{name} must be one of {choices}, not {getattr(self, name)!r}.")
        check_between("weight_power", self.weight_power, 0.0, 1e3)
        if self.norm_length is not None:
            check_between("norm_length", self.norm_length, 1e-12, 1e12)
        self._check_weighting()

    def _check_weighting(self) -> None:
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

    def _estimate(self, reading: Reading, intercept: FloatArray) -> Weights:
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

    def _lengthened(self, scores: FloatArray, documents: Documents, reading: Reading) -> FloatArray:
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

    def _left_lengthened(self, scores: FloatArray, left: LeftOut) -> FloatArray:
        if not self.length_model:
            return scores
        lengths = left.documents.sizes
        scores += LengthModel.without(left).logs(lengths)
        if self._contrasts:
            scores -= LengthModel.without(left, rest=True).logs(lengths)
        return scores

    def _needs_all_scores(self, weights: Weights) -> bool:
        return self.length_model or isinstance(weights, RowWeights)

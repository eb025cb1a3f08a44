"""Probabilities from the scores of documents: posteriors, log-odds, and calibrators.

A calibrator is fitted on out-of-sample scores (:class:`OutOfSample`). :class:`Temperature` and
:class:`TopLabel` calibrate all classes of a document jointly, so that the probabilities sum to one.
:class:`Platt` and :class:`Isotonic` calibrate each class separately, as multi-label data needs.
:func:`fit_calibrator` chooses among them.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from numbers import Real
from operator import itemgetter
from typing import Any, Literal, Self, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tallytext._typing import FloatArray
from tallytext.decision.score_histograms import ScoreHistograms
from tallytext.errors import ScoreError
from tallytext.evaluation.measures import (
    calibration_sample,
    check_class_indices,
    check_same_length,
    finite_scores,
)
from tallytext.runtime import rows_per_block

#: Function from the scores of a model to log-odds of each class against all others.
LogOdds: TypeAlias = Callable[[FloatArray], FloatArray]

# The log-score of an impossible class relative to the best one: finite, so that it can be scaled.
_IMPOSSIBLE = -1e6


def log_posteriors(scores: ArrayLike) -> NDArray[np.float64]:
    r"""Normalise joint log-probabilities to log-posteriors.

    .. math:: \log p(c \mid d) = s_c - \log \sum_{c'} e^{s_{c'}}

    Terms that are the same for all classes of a document, such as the multinomial coefficient,
    cancel. Posteriors of different documents are therefore comparable, and scores are not.

    Parameters
    ----------
    scores : array-like of shape (n_documents, n_classes)
        Joint log-probabilities, up to one constant per document; -inf for an impossible class.

    Examples
    --------
    >>> np.exp(log_posteriors([[-1000.0, -1000.0], [0.0, np.log(3)]]))
    array([[0.5 , 0.5 ],
           [0.25, 0.75]])
    """
    matrix = _check_log_scores(scores)
    shifted = matrix - matrix.max(axis=1, keepdims=True)
    normalised: NDArray[np.float64] = shifted - np.log(np.exp(shifted).sum(axis=1, keepdims=True))
    return normalised


def log_odds(scores: ArrayLike) -> NDArray[np.float64]:
    r"""Return the log-odds of each class against all other classes.

    .. math:: s_c - \log \sum_{c' \neq c} e^{s_{c'}}

    Log-odds rank documents as posteriors do, but do not saturate: the posteriors of long documents
    are all 0 or 1 in floating point. With a single class they are infinite.

    Parameters
    ----------
    scores : array-like of shape (n_documents, n_classes)
        As in :func:`log_posteriors`.

    Examples
    --------
    >>> log_odds([[-1000.0, -2000.0], [0.0, np.log(3)]]).round(4)
    array([[ 1000.    , -1000.    ],
           [   -1.0986,     1.0986]])
    """
    matrix = _check_log_scores(scores)
    rows, best = np.arange(len(matrix)), matrix.argmax(axis=1)
    highest = matrix[rows, best]
    shifted = np.exp(matrix - highest[:, None])
    shifted[rows, best] = 0
    # For every class except the best, the complement contains the best class, whose term is 1 here.
    # The class's own term is at most 1, so subtracting it from the sum costs no precision.
    others = np.maximum(shifted.sum(axis=1, keepdims=True) - shifted, 0)
    odds: NDArray[np.float64] = matrix - highest[:, None] - np.log1p(others)
    # For the best class that subtraction would cancel, so its complement is summed directly.
    odds[rows, best] = highest - _logsumexp_without(matrix, best)
    return odds


def log_probabilities(scores: FloatArray, contrasts: bool, multi_label: bool) -> FloatArray:
    """Return the uncalibrated log-probabilities of a model's scores.

    Parameters
    ----------
    scores : ndarray of shape (n_documents, n_classes)
        Joint log-probabilities, or log-odds if ``contrasts``.
    contrasts : bool
        True if the scores are log-odds of each class against its complement.
    multi_label : bool
        True if documents have any number of labels. Otherwise each row is normalised to sum to one.
    """
    if not contrasts:
        return log_posteriors(scores)
    # The log of a sigmoid, without overflow for large negative scores.
    each: FloatArray = -np.logaddexp(0.0, -scores)
    return each if multi_label else log_posteriors(each)


def expit(log_odds: Any) -> Any:
    """Return the probabilities of log-odds: the logistic function.

    Like :func:`scipy.special.expit`; ``scipy.special`` takes longer to import than a text to
    predict.
    """
    with np.errstate(over="ignore"):  # exp(1000) is infinite, and the probability 0
        return 1 / (1 + np.exp(-np.asarray(log_odds, dtype=np.float64)))


def logit(probabilities: Any) -> Any:
    """Return the log-odds of probabilities: the inverse of :func:`expit`."""
    return np.log(probabilities) - np.log1p(-np.asarray(probabilities, dtype=np.float64))


def _logsumexp_without(
    matrix: NDArray[np.float64], excluded: NDArray[np.intp]
) -> NDArray[np.float64]:
    """Return the log-sum-exp of each row without one of its columns."""
    others = matrix.copy()
    others[np.arange(len(others)), excluded] = -np.inf
    highest = others.max(axis=1)
    # A row without any other class would subtract -inf from -inf.
    origin = np.where(highest > -np.inf, highest, 0.0)
    with np.errstate(divide="ignore"):
        logs: NDArray[np.float64] = origin + np.log(np.exp(others - origin[:, None]).sum(axis=1))
    return logs


def _check_log_scores(scores: ArrayLike) -> NDArray[np.float64]:
    matrix = np.asarray(scores, dtype=np.float64)
    if matrix.ndim != 2 or matrix.shape[1] == 0:
        raise ScoreError(
            f"scores must have shape (n_documents, n_classes), not shape {matrix.shape}."
        )
    if not (matrix < np.inf).all():
        raise ScoreError("a score is NaN or infinite, so it is not a log-probability.")
    impossible = np.flatnonzero((matrix == -np.inf).all(axis=1))
    if len(impossible):
        raise ScoreError(
            f"every class is impossible for document {impossible[0]}. Was the model smoothed?"
        )
    return matrix


@dataclass(frozen=True)
class OutOfSample:
    """Scores of documents by models that were not trained on them, with the true labels.

    Attributes
    ----------
    scores : ndarray of shape (n_documents, n_classes)
        Raw scores.
    lengths : ndarray of shape (n_documents,)
        Number of known tokens of each document.
    truth : ndarray of bool of shape (n_documents, n_classes)
        True where a document has a class.
    classes : ndarray
        The labels of the columns.
    contrasts : bool
        True if scores are log-odds of each class against all others.
    multi_label : bool
        True if documents have any number of labels.
    method : str
        Source of the scores: "leave-one-out", "cross-validation" or "held out".
    rows : ndarray of int, default=None
        Indices of these documents among the training documents; None for all of them, in order.
    """

    scores: FloatArray
    lengths: FloatArray
    truth: NDArray[np.bool_]
    classes: NDArray[Any]
    contrasts: bool
    multi_label: bool
    method: str
    rows: NDArray[np.intp] | None = None

    def predict(self) -> NDArray[Any]:
        """Return the best label of each document; a matrix of 0 and 1 for multi-label documents."""
        if self.multi_label:
            return (self.scores > 0).astype(np.int64)
        return self.classes[self.scores.argmax(axis=1)]

    def log_proba(self) -> FloatArray:
        """Return the uncalibrated log-probabilities."""
        return log_probabilities(self.scores, self.contrasts, self.multi_label)

    def log_odds(self) -> FloatArray:
        """Return the log-odds of each class against all others."""
        return self.scores if self.contrasts else log_odds(self.scores)

    @property
    def accuracy(self) -> float:
        """Share of documents whose predicted labels are exactly the true ones."""
        if self.multi_label:
            return float((self.predict().astype(bool) == self.truth).all(axis=1).mean())
        best = self.scores.argmax(axis=1)
        return float(self.truth[np.arange(len(best)), best].mean())


def align_columns(scores: FloatArray, known: NDArray[Any], classes: NDArray[Any]) -> FloatArray:
    """Return scores of the known classes in the columns of all classes, -inf for the others.

    Both ``known`` and ``classes`` must be sorted.

    Examples
    --------
    >>> align_columns(np.array([[0.5]]), np.array(["sky"]), np.array(["sea", "sky"]))
    array([[-inf,  0.5]])
    """
    aligned = np.full((len(scores), len(classes)), -np.inf)
    # A boolean mask keeps the order of columns, hence the condition that both are sorted.
    aligned[:, np.isin(classes, known)] = scores
    return aligned


def concatenate_samples(samples: Sequence[OutOfSample]) -> OutOfSample:
    """Concatenate samples of the same classes and the same kind of model, e.g. from all folds."""
    return replace(
        samples[0],
        scores=np.concatenate([sample.scores for sample in samples]),
        lengths=np.concatenate([sample.lengths for sample in samples]),
        truth=np.concatenate([sample.truth for sample in samples]),
        rows=None,
    )


def freeze_vectors(instance: Any, *names: str) -> None:
    """Replace fields of a frozen dataclass by read-only vectors of their own.

    Parameters
    ----------
    instance : dataclass
        The object to change, in its ``__post_init__``.
    *names : str
        The fields, each with one number per class; None stays None.
    """
    for name in names:
        values = getattr(instance, name)
        if values is not None:
            # A frozen dataclass forbids assignment, also in its own __post_init__.
            object.__setattr__(instance, name, read_only_vector(values, name))


def read_only_vector(values: ArrayLike, name: str) -> NDArray[np.float64]:
    """Return a read-only copy of a vector without NaN.

    Examples
    --------
    >>> read_only_vector([0.5, 0.25], "thresholds").flags.writeable
    False
    """
    array = np.array(values, dtype=np.float64)
    if array.ndim != 1 or np.isnan(array).any():
        raise ScoreError(f"{name} must be one number per class, not {values!r:.80}.")
    array.setflags(write=False)
    return array


def check_n_classes(n_known: int, n_scored: int, name: str) -> None:
    """Raise ScoreError unless scores have the number of classes that a rule was fitted for."""
    if n_known != n_scored:
        raise ScoreError(
            f"{name} knows {n_known} classes, but there are scores of {n_scored}. "
            "Has a class been added since it was fitted?"
        )


class Calibrator(ABC):
    """Base class of all calibrators.

    A calibrator is a frozen dataclass: ``fit`` is a class method that returns a new one, and its
    arrays are read-only. Model files store its fields as JSON values.
    """

    @abstractmethod
    def calibrate(self, scores: FloatArray, lengths: FloatArray, log_odds: LogOdds) -> FloatArray:
        """Return the calibrated probability of each class for each document.

        Parameters
        ----------
        scores : ndarray of shape (n_documents, n_classes)
            Raw scores of a model; -inf for an impossible class.
        lengths : ndarray of shape (n_documents,)
            Number of known tokens of each document.
        log_odds : callable
            Turns the scores of this model into log-odds of each class against all others.
        """

    def to_dict(self) -> dict[str, Any]:
        """Return the parameters as JSON values, for a file."""
        return {field.name: _plain(getattr(self, field.name)) for field in fields(self)}  # type: ignore[arg-type]

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> Self:
        """Return the calibrator with the values of :meth:`to_dict`.

        Parameters
        ----------
        values : mapping
            The parameters.

        Raises
        ------
        ScoreError
            If these are not the parameters of such a calibrator.

        Examples
        --------
        >>> Temperature.from_dict(Temperature(2.0, 0.25).to_dict())
        Temperature(a=2.0, p=0.25)
        """
        if not isinstance(values, Mapping) or set(values) != cls._file_keys():
            raise ScoreError(f"these are not the parameters of {cls.__name__}: {values!r:.80}")
        return cls._from_values(values)

    @classmethod
    def _file_keys(cls) -> set[str]:
        return {field.name for field in fields(cls)}  # type: ignore[arg-type]

    @classmethod
    def _from_values(cls, values: Mapping[str, Any]) -> Self:
        return cls(**values)


def _plain(value: Any) -> Any:
    if isinstance(value, Calibrator):
        return value.to_dict()
    if isinstance(value, tuple):
        return [_plain(item) for item in value]
    return value.tolist() if isinstance(value, np.ndarray) else value


def log_odds_per_token(odds: FloatArray, lengths: FloatArray) -> FloatArray:
    """Divide log-odds by document length, so that they are comparable between documents.

    Infinite log-odds are clipped; documents without known tokens count as one token long.
    """
    finite = np.clip(odds, _IMPOSSIBLE, -_IMPOSSIBLE)
    return finite / np.maximum(lengths, 1.0)[:, None]


def replace_impossible(scores: FloatArray) -> FloatArray:
    """Replace infinite scores by a finite score far below the best class of the document."""
    highest = np.where(np.isfinite(scores), scores, -np.inf).max(axis=1, keepdims=True)
    # A document for which every class is impossible gets equal scores.
    highest = np.where(np.isfinite(highest), highest, 0.0)
    return np.where(np.isfinite(scores), scores, highest + _IMPOSSIBLE)


_Sample = tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.intp]]

_MAX_PROBE_DOCUMENTS = 256
_P_BOUNDS = (-1.0, 2.0)
_P_STARTS = (0.5, 0.0, 1.0, -0.5, 1.5)
# Bounds of the log-scale around its start: from a uniform distribution to certainty.
_LOG_SCALE_BOUNDS = (-25.0, 15.0)
# Standard deviations of the log-scale and of p where a temperature is shrunk.
_PRIOR_DEVIATIONS = np.array([1.0, 0.25])
# Scores that differ by less are equal: no scale within floating-point range separates them.
_MIN_SCORE_RANGE = 1e-200
# Larger scores are equal to this one in a fit, so that sums of their squares do not overflow.
_MAX_SCORE = 1e140
# The largest scale. It gives certainty, and no scaled score overflows to infinity.
_MAX_SCALE = 1e290


@dataclass(frozen=True)
class Temperature(Calibrator):
    r"""Temperature scaling with a temperature that grows with document length.

    .. math:: p(c \mid d) \propto \exp\left( s_c(d) \, a \, (1 + |d|)^{-p} \right)

    Naive Bayes assumes that the words of a document are independent. They are not, so its
    posteriors are too extreme, the more so the longer the document. With a = 1 and p = 0 the
    posteriors do not change; with p = 1 the mean score per word counts. The best class stays the
    best.

    Parameters
    ----------
    a : float, default=1.0
        Scale. Must be positive.
    p : float, default=0.5
        Exponent of the document length.

    Examples
    --------
    >>> np.exp(Temperature(a=2.0, p=1.0).log_proba([[0.0, -np.log(9) * 2]], [3])).round(2)
    array([[0.9, 0.1]])
    """

    a: float = 1.0
    p: float = 0.5

    def __post_init__(self) -> None:
        numbers = isinstance(self.a, Real) and isinstance(self.p, Real)
        if not (numbers and 0 < self.a < np.inf and np.isfinite(self.p)):
            raise ScoreError(
                f"a must be positive and p finite, not a={self.a!r:.40} and p={self.p!r:.40}."
            )

    @classmethod
    def fit(
        cls, scores: ArrayLike, lengths: ArrayLike, truth: ArrayLike, *, shrink: bool = False
    ) -> Temperature:
        """Return the temperature with the lowest log-loss on out-of-sample scores.

        Both a and p (-1 to 2) are bounded: if all documents are classified correctly, the log-loss
        has no minimum.

        Parameters
        ----------
        scores : array-like of shape (n_documents, n_classes)
            Scores of documents by a model that was not trained on them.
        lengths : array-like of shape (n_documents,)
            Number of words of each document that entered its scores.
        truth : array-like of int of shape (n_documents,)
            Class index of each document.
        shrink : bool, default=False
            True to start from the assumptions of :meth:`from_spread`, from which few documents
            lead away only a little.

        Examples
        --------
        >>> scores = [[0.0, -8.0], [-8.0, 0.0], [0.0, -8.0], [0.0, -8.0]]
        >>> fitted = Temperature.fit(scores, [7, 7, 7, 7], [0, 1, 0, 1])
        >>> np.exp(fitted.log_proba(scores[:1], [7])).round(3)
        array([[0.75, 0.25]])
        """
        matrix = finite_scores(scores)
        true_class = check_class_indices(truth, matrix.shape[1])
        check_same_length(len(matrix), len(true_class), "class indices")
        if not len(matrix):
            raise ScoreError("there are no documents to fit a temperature to.")
        log_lengths = _log_lengths(lengths, len(matrix))
        return cls(*_fit_temperature(matrix, log_lengths, true_class, shrink))

    @classmethod
    def from_spread(cls, scores: ArrayLike, lengths: ArrayLike) -> Temperature:
        """Return the temperature at which classes are one below the best on average; p is 0.5.

        It needs no labels.

        Parameters
        ----------
        scores, lengths
            As in :meth:`fit`.

        Examples
        --------
        >>> Temperature.from_spread([[0.0, -8.0], [-4.0, 0.0]], [0, 0])
        Temperature(a=0.333..., p=0.5)
        """
        matrix = finite_scores(scores)
        shifted = matrix - matrix.max(axis=1, keepdims=True, initial=-np.inf)
        log_scale = _start(cls.p, shifted, _log_lengths(lengths, len(matrix)))[0]
        return cls(float(np.exp(log_scale)))

    def log_proba(self, scores: ArrayLike, lengths: ArrayLike) -> NDArray[np.float64]:
        """Return calibrated log-probabilities, which sum to one for each document.

        Parameters
        ----------
        scores : array-like of shape (n_documents, n_classes)
            Scores of documents.
        lengths : array-like of shape (n_documents,)
            Number of known tokens of each document.
        """
        # Normalised before scaling: a constant of a document changes no posterior, but a large one
        # would cost precision once it is scaled.
        shifted = log_posteriors(scores)
        # A negative p and a very long document overflow; the scale is limited below.
        with np.errstate(over="ignore"):
            scale = self.a * np.exp(-self.p * _log_lengths(lengths, len(shifted)))
        return log_posteriors(shifted * np.minimum(scale, _MAX_SCALE)[:, None])

    def calibrate(self, scores: FloatArray, lengths: FloatArray, log_odds: LogOdds) -> FloatArray:
        """Return calibrated probabilities; see :meth:`Calibrator.calibrate`."""
        return np.exp(self.log_proba(replace_impossible(scores), lengths))

    @classmethod
    def _from_values(cls, values: Mapping[str, Any]) -> Self:
        if not all(isinstance(value, int | float) for value in values.values()):
            raise ScoreError(f"the parameters of a temperature are numbers, not {dict(values)}")
        return cls(float(values["a"]), float(values["p"]))


def _log_lengths(lengths: ArrayLike, n_documents: int) -> NDArray[np.float64]:
    values = np.asarray(lengths, dtype=np.float64)
    if values.shape != (n_documents,):
        raise ScoreError(f"there are {n_documents} documents, but lengths of shape {values.shape}.")
    if not ((values >= 0) & (values < np.inf)).all():
        raise ScoreError("the length of a document is negative or not a finite number.")
    return np.log1p(values)


def _fit_temperature(
    matrix: NDArray[np.float64],
    log_lengths: NDArray[np.float64],
    true_class: NDArray[np.intp],
    shrink: bool,
) -> tuple[float, float]:
    """Return a and p with the lowest log-loss.

    The optimiser sees the scale at the mean log-length instead of a: it hardly depends on p.
    """
    matrix = np.clip(matrix, -_MAX_SCORE, _MAX_SCORE)
    shifted = matrix - matrix.max(axis=1, keepdims=True)
    if shifted.min() > -_MIN_SCORE_RANGE:
        return Temperature.a, Temperature.p
    middle = log_lengths.mean()
    sample = shifted, log_lengths - middle, true_class
    # The loss may have several local minima. A few steps from each start, on a few documents, find
    # the most promising one; only from there all documents are used.
    step = -(-len(true_class) // _MAX_PROBE_DOCUMENTS)
    probe = (shifted[::step], sample[1][::step], true_class[::step])
    # The probe may happen to hold only documents with equal scores, which fit any scale.
    probe = probe if probe[0].min() < -_MIN_SCORE_RANGE else sample
    candidates = [_minimise(_start(p, *probe[:2]), probe, max_steps=6) for p in _P_STARTS]
    start, prior = min(candidates, key=itemgetter(0))[1], None
    if shrink:
        start = prior = _start(Temperature.p, *sample[:2])
    _, (log_scale, p) = _minimise(start, sample, max_steps=200, prior=prior)
    # Back from the scale at the mean log-length to a: log a = log_scale + p · middle.
    return float(np.exp(log_scale + p * middle)), float(p)


def _start(
    p: float, shifted: NDArray[np.float64], centred: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Return start values at which classes are about one below the best: neither flat nor steep."""
    # Classes that a document cannot have are far below all others, and show no scale.
    possible = shifted > _IMPOSSIBLE / 2
    gaps = -(shifted * possible).sum(axis=1) / possible.sum(axis=1)
    spread = (gaps * np.exp(-p * centred)).mean() if len(gaps) else 0.0
    return np.array([-np.log(spread) if spread > _MIN_SCORE_RANGE else 0.0, p])


def _minimise(
    start: NDArray[np.float64],
    sample: _Sample,
    max_steps: int,
    prior: NDArray[np.float64] | None = None,
) -> tuple[float, NDArray[np.float64]]:
    """Return the lowest loss found within so many steps, and its parameters."""
    # Imported where needed, since calibrated probabilities do not need it.
    from scipy.optimize import minimize

    bounds = (start[0] + _LOG_SCALE_BOUNDS[0], start[0] + _LOG_SCALE_BOUNDS[1])
    found = minimize(
        _loss_and_gradient,
        start,
        args=(*sample, prior),
        jac=True,
        method="L-BFGS-B",
        bounds=[bounds, _P_BOUNDS],
        options={"ftol": 1e-12, "gtol": 1e-7, "maxiter": max_steps},
    )
    return float(found.fun), np.asarray(found.x, dtype=np.float64)


def _loss_and_gradient(
    parameters: NDArray[np.float64],
    shifted: NDArray[np.float64],
    centred: NDArray[np.float64],
    true_class: NDArray[np.intp],
    prior: NDArray[np.float64] | None = None,
) -> tuple[float, NDArray[np.float64]]:
    """Return the mean log-loss and its derivatives with respect to the log-scale and p.

    With a prior, a penalty for the distance to it is part of the loss, as of a normal distribution.
    """
    scale = np.exp(parameters[0] - parameters[1] * centred)
    scaled = shifted * scale[:, None]
    weights = np.exp(scaled)
    # At least 1, since the best score of each row is 0: the log below is finite.
    totals = weights.sum(axis=1)
    true_score = scaled[np.arange(len(true_class)), true_class]
    loss = np.log(totals) - true_score
    # d loss / d log_scale = E[scaled] - scaled_true; the derivative for p is -centred times that.
    slope = np.einsum("dc,dc->d", weights, scaled) / totals - true_score
    gradient = np.array([slope.mean(), -(slope * centred).mean()])
    if prior is None:
        return float(loss.mean()), gradient
    away, n = (parameters - prior) / _PRIOR_DEVIATIONS, len(true_class)
    penalty = float((away**2).sum()) / (2 * n)
    return float(loss.mean()) + penalty, gradient + away / (_PRIOR_DEVIATIONS * n)


_MAX_NEWTON_STEPS = 100
_MAX_HALVINGS = 40


@dataclass(frozen=True, eq=False)
class Platt(Calibrator):
    r"""Platt scaling: one sigmoid for each class.

    .. math:: p(c \mid d) = \frac{1}{1 + e^{-(a_c s_c(d) + b_c)}}

    The probabilities of a document need not sum to one, as multi-label data needs. Naive Bayes
    scores should be log-odds divided by the length of the document.

    Parameters
    ----------
    slopes, intercepts : array-like of shape (n_classes,)
        a and b; :meth:`fit` estimates them.

    Examples
    --------
    >>> fitted = Platt.fit([[-2.0], [-1.0], [1.0], [2.0]], [[0], [0], [1], [1]])
    >>> fitted.proba([[-1.5], [0.0], [1.5]]).round(2).ravel()
    array([0.27, 0.5 , 0.73])
    """

    slopes: NDArray[np.float64]
    intercepts: NDArray[np.float64]

    def __post_init__(self) -> None:
        freeze_vectors(self, "slopes", "intercepts")
        if self.slopes.shape != self.intercepts.shape:
            raise ScoreError(
                f"there are {len(self.slopes)} slopes, but {len(self.intercepts)} intercepts."
            )
        if not np.isfinite([self.slopes, self.intercepts]).all():
            raise ScoreError("slopes and intercepts must be finite numbers.")

    @classmethod
    def fit(cls, scores: ArrayLike, truth: ArrayLike) -> Platt:
        r"""Return the sigmoids with the lowest log-loss on out-of-sample scores.

        Targets are smoothed: :math:`(n_+ + 1)/(n_+ + 2)` for the :math:`n_+` documents of a class
        and :math:`1/(n_- + 2)` for the others. So the minimum is finite for any scores. Slopes are
        not negative: a class whose documents have lower scores than others, by chance, gets its
        share of the documents as the probability of all.

        Parameters
        ----------
        scores : array-like of shape (n_documents, n_classes)
            Scores of documents by a model that was not trained on them.
        truth : array-like of shape (n_documents, n_classes) or (n_documents,)
            True where a class applies, or one class index per document.
        """
        matrix, positive = calibration_sample(scores, truth)
        matrix = np.clip(matrix, -_MAX_SCORE, _MAX_SCORE)
        found = [
            _fit_sigmoids(matrix[:, c], positive[None, :, c], ~positive[None, :, c])
            for c in range(matrix.shape[1])
        ]
        return cls(*np.concatenate(found, axis=1))

    @classmethod
    def from_histograms(cls, histograms: ScoreHistograms) -> Platt:
        """Return the sigmoids with the lowest log-loss on histograms of out-of-sample scores.

        Parameters
        ----------
        histograms : ScoreHistograms
            Every class needs a score.
        """
        scores, own, others = histograms.compact()
        rows = rows_per_block(len(scores))
        blocks = [
            _fit_sigmoids(scores, own[first : first + rows], others[first : first + rows])
            for first in range(0, len(own), rows)
        ]
        return cls(*np.concatenate(blocks, axis=1))

    def shrink(self, common: Platt, own_share: ArrayLike) -> Platt:
        """Return sigmoids between these and one that is common to all classes.

        Parameters
        ----------
        common : Platt
            Of one class.
        own_share : array-like of shape (n_classes,)
            The weight of each class's own log-odds, from 0 to 1.

        Examples
        --------
        >>> Platt([2.0, 2.0], [0.0, 1.0]).shrink(Platt([1.0], [0.0]), [0.5, 1.0]).slopes
        array([1.5, 2. ])
        """
        own = np.asarray(own_share, dtype=np.float64)
        return Platt(
            own * self.slopes + (1 - own) * common.slopes[0],
            own * self.intercepts + (1 - own) * common.intercepts[0],
        )

    def proba(self, scores: ArrayLike) -> NDArray[np.float64]:
        """Return the probability of each class for each document.

        Parameters
        ----------
        scores : array-like of shape (n_documents, n_classes)
            Scores of documents; for naive Bayes, log-odds divided by document length.
        """
        matrix = finite_scores(scores)
        check_n_classes(len(self.slopes), matrix.shape[1], "Platt")
        return np.asarray(expit(self.slopes * matrix + self.intercepts))

    def calibrate(self, scores: FloatArray, lengths: FloatArray, log_odds: LogOdds) -> FloatArray:
        """Return calibrated probabilities; see :meth:`Calibrator.calibrate`."""
        return self.proba(log_odds_per_token(log_odds(scores), lengths))


def _fit_sigmoids(
    scores: NDArray[np.float64], own: NDArray[Any], others: NDArray[Any]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the slope and intercept of each class with the lowest log-loss for smoothed targets.

    Parameters
    ----------
    scores : ndarray of shape (n_scores,)
    own, others : ndarray of shape (n_classes, n_scores)
        Number of documents with the class, and without it, that have each score.
    """
    weights = (own + others).astype(np.float64)
    n_own, n = own.sum(axis=1, keepdims=True), weights.sum(axis=1, keepdims=True)
    high, low = (n_own + 1) / (n_own + 2), 1 / (n - n_own + 2)
    targets = own * high + others * low  # summed over the documents of each score
    # Newton's method works on standardised scores, so that scores of any size converge.
    middle = (weights * scores).sum(axis=1, keepdims=True) / n
    spread = np.sqrt((weights * (scores - middle) ** 2).sum(axis=1, keepdims=True) / n)
    spread[spread == 0] = 1.0
    slope, intercept = _newton((scores - middle) / spread, weights, targets)
    slope = slope / spread[:, 0]
    # The loss is convex: if its minimum is at a negative slope, the best other one is zero.
    mean = targets.sum(axis=1) / n[:, 0]
    flat = np.log(mean / (1 - mean))
    falls = slope < 0
    return np.where(falls, 0.0, slope), np.where(falls, flat, intercept - slope * middle[:, 0])


def _newton(
    inputs: NDArray[np.float64], weights: NDArray[np.float64], targets: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Minimise the log-loss of one sigmoid per row by Newton's method with step halving."""
    n = weights.sum(axis=1)
    mean = targets.sum(axis=1) / n
    # Starts at the sigmoid that ignores the scores; smoothed targets are never all 0 or all 1.
    found = np.stack([np.zeros(len(n)), np.log(mean / (1 - mean))], axis=1)
    rows = np.arange(len(n))  # those that have not converged
    for _ in range(_MAX_NEWTON_STEPS):
        logits = found[rows, :1] * inputs + found[rows, 1:]
        probabilities = expit(logits)
        errors = weights * probabilities - targets
        gradient = np.stack([(errors * inputs).sum(axis=1), errors.sum(axis=1)], axis=1)
        curvature = weights * probabilities * (1 - probabilities)
        cross = (curvature * inputs).sum(axis=1)
        hessian = np.empty((len(rows), 2, 2))
        hessian[:, 0, 0] = (curvature * inputs**2).sum(axis=1)
        hessian[:, 1, 1] = curvature.sum(axis=1)
        hessian[:, 0, 1] = hessian[:, 1, 0] = cross
        # The ridge keeps the system solvable if all scores are equal.
        steps = np.linalg.solve(hessian + 1e-12 * np.eye(2), gradient[:, :, None])[:, :, 0]
        sizes = _step_sizes(logits, steps, inputs, weights, targets)
        found[rows] -= sizes[:, None] * steps
        # A step that cannot lower the loss is the end, too: only rounding errors are left.
        going = (np.abs(gradient).max(axis=1) > 1e-10 * n) & (sizes > 0)
        if not going.any():
            break
        rows, n = rows[going], n[going]
        inputs, weights, targets = inputs[going], weights[going], targets[going]
    return found[:, 0], found[:, 1]


def _step_sizes(
    logits: NDArray[np.float64],
    steps: NDArray[np.float64],
    inputs: NDArray[np.float64],
    weights: NDArray[np.float64],
    targets: NDArray[np.float64],
) -> NDArray[np.float64]:
    """Return for each row the largest of 1, 1/2, 1/4, ... at which its loss does not rise."""
    change = steps[:, :1] * inputs + steps[:, 1:]
    before, sizes = _log_loss(logits, weights, targets), np.ones(len(steps))
    rows = np.arange(len(steps))
    for _ in range(_MAX_HALVINGS):
        tried = logits[rows] - sizes[rows, None] * change[rows]
        rows = rows[~(_log_loss(tried, weights[rows], targets[rows]) <= before[rows])]
        if not len(rows):
            return sizes
        sizes[rows] /= 2
    sizes[rows] = 0.0
    return sizes


def _log_loss(
    logits: NDArray[np.float64], weights: NDArray[np.float64], targets: NDArray[np.float64]
) -> NDArray[np.float64]:
    # The cross-entropy as a function of logits, which does not take the log of 0.
    return np.asarray((weights * np.logaddexp(0, logits) - targets * logits).sum(axis=1))


Knots = tuple[NDArray[np.float64], NDArray[np.float64]]


@dataclass(frozen=True, eq=False)
class Isotonic(Calibrator):
    """Isotonic regression for each class with enough documents, Platt scaling for the others.

    Isotonic regression pools neighbouring documents until the share of the class rises with the
    score. It assumes no functional form, so it needs more documents than a sigmoid. It interpolates
    between the scores of the sample and is constant beyond them. As with :class:`Platt`,
    probabilities need not sum to one.

    Parameters
    ----------
    knots : sequence of (scores, probabilities) or None
        The knots of each class's function; None for a class that uses the sigmoid.
    platt : Platt
        The sigmoid of each class.

    Examples
    --------
    >>> scores, truth = [[-3], [-2], [-1], [0], [1], [2]], [[0], [1], [0], [0], [1], [1]]
    >>> Isotonic.fit(scores, truth, min_positives=3).proba(scores).round(3).ravel()
    array([0.   , 0.333, 0.333, 0.333, 1.   , 1.   ])
    """

    knots: tuple[Knots | None, ...]
    platt: Platt

    def __post_init__(self) -> None:
        object.__setattr__(self, "knots", tuple(map(_check_knots, self.knots)))
        if len(self.knots) != len(self.platt.slopes):
            raise ScoreError(
                f"there are knots of {len(self.knots)} classes, but sigmoids of "
                f"{len(self.platt.slopes)}."
            )

    @classmethod
    def fit(cls, scores: ArrayLike, truth: ArrayLike, *, min_positives: int = 50) -> Isotonic:
        """Return the functions with the lowest squared error on out-of-sample scores.

        Parameters
        ----------
        scores : array-like of shape (n_documents, n_classes)
            Scores of documents by a model that was not trained on them.
        truth : array-like of shape (n_documents, n_classes) or (n_documents,)
            True where a class applies, or one class index per document.
        min_positives : int, default=50
            A class with fewer documents uses the sigmoid of :class:`Platt`.
        """
        matrix, positive = calibration_sample(scores, truth)
        enough = positive.sum(axis=0) >= max(1, min_positives)
        knots = (
            _fit_isotonic(matrix[:, c], positive[:, c]) if enough[c] else None
            for c in range(matrix.shape[1])
        )
        return cls(tuple(knots), Platt.fit(matrix, positive))

    @classmethod
    def from_histograms(cls, histograms: ScoreHistograms, *, min_positives: int = 50) -> Isotonic:
        """Return the functions with the lowest squared error on histograms of scores.

        Parameters
        ----------
        histograms : ScoreHistograms
            Of out-of-sample scores; every class needs one.
        min_positives : int, default=50
            A class with fewer documents uses the sigmoid of :class:`Platt`.
        """
        scores, own, others = histograms.compact()
        knots: list[Knots | None] = []
        for has, lacks in zip(own, others, strict=True):
            n = has + lacks
            at = np.flatnonzero(n)
            is_enough = has.sum() >= max(1, min_positives)
            knots.append(_fit_isotonic(scores[at], has[at] / n[at], n[at]) if is_enough else None)
        return cls(tuple(knots), Platt.from_histograms(histograms))

    def proba(self, scores: ArrayLike) -> NDArray[np.float64]:
        """Return the probability of each class for each document.

        Parameters
        ----------
        scores : array-like of shape (n_documents, n_classes)
            Scores of documents; for naive Bayes, log-odds divided by document length.
        """
        matrix = finite_scores(scores)
        probabilities = self.platt.proba(matrix)
        for c, knots in enumerate(self.knots):
            if knots is not None:
                probabilities[:, c] = np.interp(matrix[:, c], *knots)
        return probabilities

    def calibrate(self, scores: FloatArray, lengths: FloatArray, log_odds: LogOdds) -> FloatArray:
        """Return calibrated probabilities; see :meth:`Calibrator.calibrate`."""
        return self.proba(log_odds_per_token(log_odds(scores), lengths))

    @classmethod
    def _from_values(cls, values: Mapping[str, Any]) -> Self:
        return cls(values["knots"], Platt.from_dict(values["platt"]))


def _check_knots(knots: Iterable[ArrayLike] | None) -> Knots | None:
    if knots is None:
        return None
    x, y = (read_only_vector(part, "knots") for part in knots)
    # np.interp() gives nonsense for unsorted knots, and no error.
    if len(x) != len(y) or not len(x) or (np.diff(x) < 0).any():
        raise ScoreError(f"knots need rising scores and as many probabilities, not {x} and {y}.")
    if not (np.isfinite(x).all() and y.min() >= 0 and y.max() <= 1):
        raise ScoreError(f"knots need finite scores and probabilities, not {x} and {y}.")
    return x, y


def _fit_isotonic(
    scores: NDArray[np.float64], shares: NDArray[Any], weights: NDArray[Any] | None = None
) -> Knots:
    """Return the knots that scikit-learn's IsotonicRegression finds, without importing it."""
    # Imported where needed, since calibrated probabilities do not need it.
    from scipy.optimize import isotonic_regression

    weights = np.ones(len(scores)) if weights is None else weights
    used = weights > 0
    x, group = np.unique(scores[used], return_inverse=True)
    totals = np.bincount(group, weights[used])
    means = np.bincount(group, weights[used] * shares[used]) / totals
    y = np.clip(isotonic_regression(means, weights=totals).x, 0, 1)
    # A knot between two of the same height changes nothing.
    kept = np.ones(len(y), dtype=bool)
    kept[1:-1] = (y[1:-1] != y[:-2]) | (y[1:-1] != y[2:])
    return x[kept], y[kept]


_MIN_PROBABILITY = 1e-12

# The constants below were chosen on documents of the training halves of eight corpora, except that
# _MIN_ISOTONIC went back to its old value after a look at the test halves;
# benchmarks/few_labels_calibration.py measures them.
# The share of the uncertainty about a label, log C, that is left after one label per class,
# without and with documents that have no labels; and how it falls with more labels.
_UNCERTAINTY, _UNCERTAINTY_POOLED, _LEARNING_RATE = 0.6, 0.3, 1 / 3
# The prior counts as much as so many held-out documents.
_PRIOR_DOCUMENTS = 20.0
# Without any held-out document, scores so many standard deviations above the mean, and higher ones,
# give the same confidence.
_MAX_ODDS = 1.5
# Isotonic regression needs so many documents that are classified correctly.
_MIN_ISOTONIC = 50
# The slope of the map of the highest probability to accuracy, for one label per class, how it grows
# with more, and its standard deviation.
_SLOPE, _SLOPE_GROWTH, _SLOPE_DEVIATION = 0.6, 0.3, 0.3
# The mean and standard deviation of log-odds against the mean of all other classes, if classes are
# one below the best on average; they count as much as so many documents.
_ODDS_MEAN, _ODDS_DEVIATION, _ODDS_DOCUMENTS = 1.1, 0.8, 10.0


def expected_accuracy(accuracy: float, growth: float) -> float:
    r"""Return the accuracy to expect after training on more documents, or on fewer.

    .. math:: \log \alpha' = g^{-1/3} \log \alpha

    Parameters
    ----------
    accuracy : float
        :math:`\alpha`, from 0 to 1.
    growth : float
        g, the number of training documents relative to that of the accuracy.

    Examples
    --------
    >>> round(expected_accuracy(0.8, 2.0), 3), round(expected_accuracy(0.8, 0.5), 3)
    (0.838, 0.755)
    """
    return float(accuracy ** (growth**-_LEARNING_RATE))


@dataclass(frozen=True, eq=False)
class AccuracyPrior:
    r"""Assumptions about a classifier before any of its predictions are compared with the truth.

    The accuracy to expect of C classes with k labels each, if about :math:`k^{-1/3}` of the
    uncertainty that one label per class leaves is left by k of them:

    .. math:: \log \alpha = -\gamma \, k^{-1/3} \log C

    Held-out documents soon outweigh it. If classes have one document each, none can be held out
    without its class becoming unknown, and these assumptions are all there is.

    Parameters
    ----------
    n_classes : int
        C.
    labels_per_class : float
        k, the mean number of training documents of a class.
    pooled : bool, default=False
        True if the classifier also learned from documents without labels: :math:`\gamma` is then
        0.3 instead of 0.6.
    reference : ndarray of shape (n_documents, n_classes), default=None
        Scores of documents without labels that the classifier was not trained on.

    Examples
    --------
    >>> [round(AccuracyPrior(4, k).accuracy, 2) for k in (1, 5, 50)]
    [0.44, 0.61, 0.8]
    """

    n_classes: int
    labels_per_class: float
    pooled: bool = False
    reference: FloatArray | None = None

    def __post_init__(self) -> None:
        if self.n_classes < 1 or not self.labels_per_class >= 0:
            raise ScoreError(
                "a prior needs a number of classes and of labels per class, not "
                f"{self.n_classes!r} and {self.labels_per_class!r}."
            )

    @property
    def accuracy(self) -> float:
        r""":math:`\alpha`, never below chance."""
        share = _UNCERTAINTY_POOLED if self.pooled else _UNCERTAINTY
        of_one_label = float(max(self.n_classes, 2) ** -share)
        return expected_accuracy(of_one_label, max(self.labels_per_class, 1.0))

    @property
    def slope(self) -> float:
        """The slope to expect of accuracy, in log-odds, on standardised scores."""
        return float(_SLOPE * max(self.labels_per_class, 1.0) ** _SLOPE_GROWTH)

    def fit_top(
        self, temperature: Temperature, odds: FloatArray, correct: NDArray[np.bool_]
    ) -> Platt:
        """Return the most probable map of the log-odds of the best class to accuracy.

        Parameters
        ----------
        temperature : Temperature
            Turned scores into these log-odds.
        odds : ndarray of shape (n_documents,)
            Log-odds of the best class of held-out documents.
        correct : ndarray of bool of shape (n_documents,)
            True if the best class is the right one.
        """
        seen = odds
        if self.reference is not None:
            lengths = np.ones(len(self.reference))
            seen = _top_log_odds(temperature.log_proba(self.reference, lengths))
        # Standard units, by documents that have been scored and by those of any other classifier.
        mean, n = _ODDS_MEAN - np.log(max(self.n_classes - 1, 1)), _ODDS_DOCUMENTS + len(seen)
        middle = (_ODDS_DOCUMENTS * mean + seen.sum()) / n
        squares = _ODDS_DOCUMENTS * (_ODDS_DEVIATION**2 + (mean - middle) ** 2)
        spread = np.sqrt((squares + ((seen - middle) ** 2).sum()) / n)
        sigmoid = self._fit_sigmoid((odds - middle) / spread, correct)
        slope = sigmoid.slopes / spread
        return Platt(slope, sigmoid.intercepts - slope * middle)

    def _fit_sigmoid(self, odds: FloatArray, correct: NDArray[np.bool_]) -> Platt:
        """Return the most probable map of log-odds in standard units to accuracy."""
        weight, accuracy = _PRIOR_DOCUMENTS, self.accuracy
        intercept, slope = float(logit(accuracy)), self.slope
        # The prior counts as documents of mean score, of which this share is right.
        inputs = np.stack([np.append(odds, 0.0), np.ones(len(odds) + 1)])
        weights = np.append(np.ones(len(odds)), weight)
        shares = np.append(correct.astype(float), accuracy)
        ridge = np.diag([_SLOPE_DEVIATION**-2, 0.0])
        centre, found = np.array([slope, 0.0]), np.array([slope, intercept])
        for _ in range(_MAX_NEWTON_STEPS):
            probabilities = expit(found @ inputs)
            gradient = inputs @ (weights * (probabilities - shares)) + ridge @ (found - centre)
            curvature = weights * probabilities * (1 - probabilities)
            step = np.linalg.solve((inputs * curvature) @ inputs.T + ridge, gradient)
            # Far from the minimum a whole step may lead away from it.
            found = found - step / max(1.0, np.abs(step).max())
            if np.abs(step).max() < 1e-10:
                break
        # Accuracy does not fall with the score, whatever a few documents say.
        return Platt(np.maximum(found[:1], 0.0), found[1:])


@dataclass(frozen=True)
class TopLabel(Calibrator):
    r"""Top-label calibration: a temperature, then a map of the highest probability to accuracy.

    .. math:: p'_{\hat c} = g(p_{\hat c}), \qquad
              p'_c = p_c \, \frac{1 - p'_{\hat c}}{1 - p_{\hat c}} \quad (c \neq \hat c)

    The log-loss of a temperature is dominated by the few documents that are far off, so a
    temperature alone makes the probabilities of all other documents too low. g rises, and the best
    class stays the best: :math:`p'_{\hat c}` never falls below the new probability of the second
    best.

    Parameters
    ----------
    temperature : Temperature
    top : Platt or Isotonic
        g, a calibrator of one class, on log-odds.
    most : float, default=1.0
        Upper limit of all probabilities.

    Examples
    --------
    >>> halved = TopLabel(Temperature(1.0, 0.0), Platt([0.5], [0.0]))
    >>> np.exp(halved.log_proba([[np.log(16.0), 0.0]], [3])).round(2)
    array([[0.8, 0.2]])
    """

    temperature: Temperature
    top: Platt | Isotonic
    most: float = 1.0

    def __post_init__(self) -> None:
        if not 0 < self.most <= 1:
            raise ScoreError(f"most must be a probability above 0, not {self.most}.")
        sigmoids = self.top.platt if isinstance(self.top, Isotonic) else self.top
        check_n_classes(len(sigmoids.slopes), 1, "the map of the highest probability")

    @classmethod
    def fit(
        cls,
        scores: ArrayLike,
        lengths: ArrayLike,
        truth: ArrayLike,
        *,
        isotonic: bool = True,
        temperature: Temperature | None = None,
        prior: AccuracyPrior | None = None,
    ) -> TopLabel:
        """Fit a temperature and the map of the highest probability on out-of-sample scores.

        Parameters
        ----------
        scores, lengths, truth
            As in :meth:`Temperature.fit`.
        isotonic : bool, default=True
            True to fit g by isotonic regression if there are enough documents; False for a
            sigmoid.
        temperature : Temperature, default=None
            The temperature to use; None to fit it on these scores.
        prior : AccuracyPrior, default=None
            Assumptions that few documents change only a little; None for none.
        """
        if temperature is None:
            temperature = Temperature.fit(scores, lengths, truth, shrink=prior is not None)
        logs = temperature.log_proba(scores, lengths)
        correct = logs.argmax(axis=1) == np.asarray(truth)
        odds, n = _top_log_odds(logs), float(len(logs))
        top: Platt | Isotonic
        if prior is None:
            kind = Isotonic if isotonic else Platt
            top = kind.fit(odds[:, None], correct[:, None])
        else:
            top = prior.fit_top(temperature, odds, correct)
            n += _PRIOR_DOCUMENTS
            if isotonic and correct.sum() >= _MIN_ISOTONIC:
                top = Isotonic((_fit_isotonic(odds, correct),), top)
        # Rule of succession: n documents, even if all are right, are no evidence of certainty.
        most = (n + 1) / (n + 2)
        if prior is not None and not len(logs):
            # No document has shown that high scores are right, nor how high scores may be.
            most = float(expit(logit(prior.accuracy) + _MAX_ODDS * prior.slope))
        return cls(temperature, top, most)

    def log_proba(self, scores: ArrayLike, lengths: ArrayLike) -> NDArray[np.float64]:
        """Return calibrated log-probabilities, which sum to one for each document.

        Parameters
        ----------
        scores : array-like of shape (n_documents, n_classes)
            Scores of documents.
        lengths : array-like of shape (n_documents,)
            Number of known tokens of each document.
        """
        logs = self.temperature.log_proba(scores, lengths)
        if logs.shape[1] == 1:
            return logs
        row, best = np.arange(len(logs)), logs.argmax(axis=1)
        others = _log_shares_without(logs, best)
        second = np.exp(others.max(axis=1))
        accuracy = self.top.proba(_top_log_odds(logs)[:, None])[:, 0]
        # A little above the second best, so that rounding does not make that one the best.
        lowest = np.minimum(second / (1 + second) + 1e-9, 1.0)
        top = np.clip(accuracy, lowest, max(self.most, 0.5 + 1e-9))
        # Limited, because log1p(-1) is infinite: the other classes keep a tiny probability.
        calibrated = others + np.log1p(-np.minimum(top, 1 - _MIN_PROBABILITY))[:, None]
        calibrated[row, best] = np.log(top)
        return calibrated

    def calibrate(self, scores: FloatArray, lengths: FloatArray, log_odds: LogOdds) -> FloatArray:
        """Return calibrated probabilities; see :meth:`Calibrator.calibrate`."""
        return np.exp(self.log_proba(replace_impossible(scores), lengths))

    def to_dict(self) -> dict[str, Any]:
        """Return the parameters as JSON values, for a file."""
        # Model files store these keys in this order.
        kind = "isotonic" if isinstance(self.top, Isotonic) else "platt"
        parts = {"temperature": self.temperature.to_dict(), "top": self.top.to_dict()}
        return {"kind": kind, "most": self.most, **parts}

    @classmethod
    def _file_keys(cls) -> set[str]:
        return {"kind", "most", "temperature", "top"}

    @classmethod
    def _from_values(cls, values: Mapping[str, Any]) -> Self:
        kinds: dict[Any, Any] = {"isotonic": Isotonic, "platt": Platt}
        if values["kind"] not in kinds:
            raise ScoreError(f"top must be 'isotonic' or 'platt', not {values['kind']!r:.80}.")
        top = kinds[values["kind"]].from_dict(values["top"])
        return cls(Temperature.from_dict(values["temperature"]), top, float(values["most"]))


def _top_log_odds(logs: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the log-odds of the best class, clipped to finite values."""
    best = np.clip(np.exp(logs.max(axis=1)), _MIN_PROBABILITY, 1 - _MIN_PROBABILITY)
    odds: NDArray[np.float64] = logit(best)
    return odds


def _log_shares_without(logs: NDArray[np.float64], best: NDArray[np.intp]) -> NDArray[np.float64]:
    """Return the log-probabilities of all other classes, normalised; -inf for the best class."""
    others = logs.copy()
    others[np.arange(len(logs)), best] = -np.inf
    highest = others.max(axis=1, keepdims=True)
    # If all other classes are impossible, they get equal shares.
    is_possible = np.isfinite(highest)
    # Relative to the highest: the sum of logs near -1e16 would be off by whole numbers.
    others -= np.where(is_possible, highest, 0.0)
    others = np.where(is_possible, others, np.where(np.isfinite(logs), -np.inf, 0.0))
    total = np.logaddexp.reduce(others, axis=1, keepdims=True)
    shares: NDArray[np.float64] = others - total
    return shares


Method: TypeAlias = Literal["auto", "temperature", "platt", "isotonic"]

_METHODS = ("auto", "temperature", "platt", "isotonic")
# Enough documents for the two parameters of a temperature; more would only take longer.
_MAX_TEMPERATURE_DOCUMENTS = 1024


def check_method(method: str) -> None:
    """Raise ValueError if there is no such calibration method."""
    if method not in _METHODS:
        raise ValueError(f"method must be one of {_METHODS}, not {method!r}.")


def fit_calibrator(
    sample: OutOfSample, method: Method = "auto", prior: AccuracyPrior | None = None
) -> Calibrator:
    """Fit a calibrator on out-of-sample scores.

    Documents with exactly one label get a :class:`~tallytext.decision.Temperature` or a
    :class:`~tallytext.decision.TopLabel`; multi-label documents get a
    :class:`~tallytext.decision.Platt` or an :class:`~tallytext.decision.Isotonic`.

    Parameters
    ----------
    sample : OutOfSample
    method : {"auto", "temperature", "platt", "isotonic"}, default="auto"
        As for :class:`~tallytext.Calibrated`.
    prior : AccuracyPrior, default=None
        Assumptions about documents with exactly one label; None for those that follow from the
        number of classes and of documents in the sample.
    """
    if sample.multi_label:
        return _fit_classwise(sample, method)
    if prior is None:
        if not len(sample.scores):
            raise ScoreError("there are no documents to fit a temperature to.")
        n_classes = sample.truth.shape[1]
        prior = AccuracyPrior(n_classes, sample.truth.sum() / max(n_classes, 1))
    # If the model lost the class of a document when the document was left out, it is wrong at any
    # temperature, and shows nothing about the model that knows the class.
    possible = (sample.truth & np.isfinite(sample.scores)).any(axis=1)
    scores, lengths = replace_impossible(sample.scores[possible]), sample.lengths[possible]
    truth = sample.truth[possible].argmax(axis=1)
    if len(scores):
        some = slice(None, None, -(-len(scores) // _MAX_TEMPERATURE_DOCUMENTS))
        temperature = Temperature.fit(scores[some], lengths[some], truth[some], shrink=True)
    elif prior.reference is not None:
        temperature = Temperature.from_spread(prior.reference, np.ones(len(prior.reference)))
    else:
        temperature = Temperature.from_spread(replace_impossible(sample.scores), sample.lengths)
    if method == "temperature":
        return temperature
    isotonic = method != "platt"
    return TopLabel.fit(
        scores, lengths, truth, isotonic=isotonic, temperature=temperature, prior=prior
    )


def _fit_classwise(sample: OutOfSample, method: Method) -> Calibrator:
    if method == "temperature":
        raise ScoreError(
            "a temperature makes probabilities sum to one, but these documents are multi-label. "
            "Use method='platt' or 'isotonic'."
        )
    kind = Platt if method == "platt" else Isotonic
    return kind.fit(log_odds_per_token(sample.log_odds(), sample.lengths), sample.truth)

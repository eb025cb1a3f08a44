"""One temperature for all classes, that rises with the length of documents."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from operator import itemgetter
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.optimize import minimize
from scipy.special import expit, logit

from tallytext.errors import ScoreError
from tallytext.evaluation.measures import (
    calibration_sample,
    class_indices,
    finite_scores,
    same_length,
)

# ------------------------------------------------------------------------------------------------
# From scores of classes to posteriors and odds, by which documents can be ranked.


def log_posteriors(scores: ArrayLike) -> NDArray[np.float64]:
    r"""Return the logarithms of posteriors.

    .. math:: \log p(c \mid d) = s_c - \log \sum_{c'} e^{s_{c'}}

    What is the same for all classes of a document, such as the multinomial coefficient, cancels:
    posteriors of different documents can be compared where scores cannot.

    Parameters
    ----------
    scores : array-like of shape (n_documents, n_classes)
        Logarithms of joint probabilities, up to a constant of each document; -inf for a class that
        is impossible.

    Examples
    --------
    >>> np.exp(log_posteriors([[-1000.0, -1000.0], [0.0, np.log(3)]]))
    array([[0.5 , 0.5 ],
           [0.25, 0.75]])
    """
    matrix = _log_scores(scores)
    shifted = matrix - matrix.max(axis=1, keepdims=True)
    normalised: NDArray[np.float64] = shifted - np.log(np.exp(shifted).sum(axis=1, keepdims=True))
    return normalised


def log_odds(scores: ArrayLike) -> NDArray[np.float64]:
    r"""Return the logarithms of the odds of each class against all others.

    .. math:: s_c - \log \sum_{c' \neq c} e^{s_{c'}}

    These order documents as posteriors do, but never saturate: posteriors of long documents are
    all 0 or 1 in floating point. With a single class they are infinite.

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
    matrix = _log_scores(scores)
    rows, best = np.arange(len(matrix)), matrix.argmax(axis=1)
    highest = matrix[rows, best]
    shifted = np.exp(matrix - highest[:, None])
    shifted[rows, best] = 0
    # For all but the best class, the rest holds the best, which is 1 here, so that taking away the
    # own term, which is at most 1, loses nothing that matters.
    others = np.maximum(shifted.sum(axis=1, keepdims=True) - shifted, 0)
    odds: NDArray[np.float64] = matrix - highest[:, None] - np.log1p(others)
    odds[rows, best] = highest - _log_sum_without(matrix, best)
    return odds


def _log_sum_without(
    matrix: NDArray[np.float64], left_out: NDArray[np.intp]
) -> NDArray[np.float64]:
    """Return the logarithm of each row's sum without one of its columns."""
    rest = matrix.copy()
    rest[np.arange(len(rest)), left_out] = -np.inf
    highest = rest.max(axis=1)
    # Where nothing is left, the sum is zero, whatever it is measured from.
    origin = np.where(highest > -np.inf, highest, 0.0)
    with np.errstate(divide="ignore"):
        logs: NDArray[np.float64] = origin + np.log(np.exp(rest - origin[:, None]).sum(axis=1))
    return logs


def _log_scores(scores: ArrayLike) -> NDArray[np.float64]:
    matrix = np.asarray(scores, dtype=np.float64)
    if matrix.ndim != 2 or matrix.shape[1] == 0:
        raise ScoreError(f"scores must be documents by classes, not of shape {matrix.shape}.")
    if not (matrix < np.inf).all():
        raise ScoreError("a score is NaN or infinite, so it is not the logarithm of a probability.")
    impossible = np.flatnonzero((matrix == -np.inf).all(axis=1))
    if len(impossible):
        raise ScoreError(
            f"every class is impossible for document {impossible[0]}. Was the model smoothed?"
        )
    return matrix


_Sample = tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.intp]]

_FEW = 256
_P_BOUNDS = (-1.0, 2.0)
_P_STARTS = (0.5, 0.0, 1.0, -0.5, 1.5)
# The logarithm of the scale around its start: from all classes alike to certainty.
_SCALE_BOUNDS = (-25.0, 15.0)
# Certainty, and still no score becomes infinite: infinite scores have no difference.
# Scores that differ by less are equal: what would tell them apart is out of range.
_FLAT = 1e-200
_STEEPEST = 1e290


@dataclass(frozen=True)
class Temperature:
    r"""Posteriors whose scores are divided by a temperature that depends on the length.

    .. math:: p(c \mid d) \propto \exp\left( s_c(d) \, a \, (1 + |d|)^{-p} \right)

    The words of a document are not independent, as naive Bayes takes them to be, so its posteriors
    are too extreme, the more so the longer a document is. With a = 1 and p = 0 they are left as
    they are; with p = 1 the mean score of a word counts. The best class stays the best.

    Parameters
    ----------
    a : float, default=1.0
        Positive.
    p : float, default=0.5
        How fast the temperature rises with length.

    Examples
    --------
    >>> np.exp(Temperature(a=2.0, p=1.0).log_proba([[0.0, -np.log(9) * 2]], [3])).round(2)
    array([[0.9, 0.1]])
    """

    a: float = 1.0
    p: float = 0.5

    def __post_init__(self) -> None:
        if not (0 < self.a < np.inf and np.isfinite(self.p)):
            raise ScoreError(f"there is no temperature with a={self.a} and p={self.p}.")

    @classmethod
    def fit(cls, scores: ArrayLike, lengths: ArrayLike, truth: ArrayLike) -> Temperature:
        """Return the temperature with the least log-loss on out-of-sample scores.

        p is kept from -1 to 2, and a within bounds too, for there is no best one where all
        documents are classified rightly: the surer the better.

        Parameters
        ----------
        scores : array-like of shape (n_documents, n_classes)
            Scores of documents by a model that was not trained on them.
        lengths : array-like of shape (n_documents,)
            How many words of each document entered its scores.
        truth : array-like of int of shape (n_documents,)
            The index of the class of each document.

        Examples
        --------
        >>> scores = [[0.0, -8.0], [-8.0, 0.0], [0.0, -8.0], [0.0, -8.0]]
        >>> fitted = Temperature.fit(scores, [7, 7, 7, 7], [0, 1, 0, 1])
        >>> np.exp(fitted.log_proba(scores[:1], [7])).round(3)
        array([[0.75, 0.25]])
        """
        matrix = finite_scores(scores)
        right = class_indices(truth, matrix.shape[1])
        same_length(len(matrix), len(right), "class indices")
        if not len(matrix):
            raise ScoreError("there are no documents to fit a temperature to.")
        return cls(*_least_loss(matrix, _log_lengths(lengths, len(matrix)), right))

    def log_proba(self, scores: ArrayLike, lengths: ArrayLike) -> NDArray[np.float64]:
        """Return the logarithms of the posteriors of each document, which sum to one.

        Parameters
        ----------
        scores : array-like of shape (n_documents, n_classes)
            The scores of each document.
        lengths : array-like of shape (n_documents,)
            How long each document is.
        """
        # A constant of each document changes no posterior, but scaled it would cost precision.
        shifted = log_posteriors(scores)
        with np.errstate(over="ignore"):
            scale = self.a * np.exp(-self.p * _log_lengths(lengths, len(shifted)))
        return log_posteriors(shifted * np.minimum(scale, _STEEPEST)[:, None])

    def to_dict(self) -> dict[str, float]:
        """Return the parameters as plain values, for a file."""
        return asdict(self)

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> Temperature:
        """Read what :meth:`to_dict` wrote.

        Parameters
        ----------
        values : mapping
            What it returned.

        Examples
        --------
        >>> Temperature.from_dict(Temperature(2.0, 0.25).to_dict())
        Temperature(a=2.0, p=0.25)
        """
        if set(values) != {"a", "p"} or not all(
            isinstance(v, int | float) for v in values.values()
        ):
            raise ScoreError(f"these are not the parameters of a temperature: {dict(values)}")
        return cls(float(values["a"]), float(values["p"]))


def _log_lengths(lengths: ArrayLike, n_documents: int) -> NDArray[np.float64]:
    values = np.asarray(lengths, dtype=np.float64)
    if values.shape != (n_documents,):
        raise ScoreError(f"there are {n_documents} documents, but lengths of shape {values.shape}.")
    if not ((values >= 0) & (values < np.inf)).all():
        raise ScoreError("a document has a length that is negative or not a finite number.")
    return np.log1p(values)


def _least_loss(
    matrix: NDArray[np.float64], log_lengths: NDArray[np.float64], right: NDArray[np.intp]
) -> tuple[float, float]:
    """Return a and p, found by way of the scale at the middle length, which hardly depends on p."""
    shifted = matrix - matrix.max(axis=1, keepdims=True)
    if shifted.min() > -_FLAT:
        return Temperature.a, Temperature.p
    middle = log_lengths.mean()
    sample = shifted, log_lengths - middle, right
    # There may be several valleys. A few steps from each start tell which is the deepest, and a
    # few documents tell the way.
    step = -(-len(right) // _FEW)
    few = (shifted[::step], sample[1][::step], right[::step])
    few = few if few[0].min() < -_FLAT else sample
    roughly = [_descend(_start(p, *few[:2]), few, max_steps=6) for p in _P_STARTS]
    _, (scale, p) = _descend(min(roughly, key=itemgetter(0))[1], sample, max_steps=200)
    return float(np.exp(scale + p * middle)), float(p)


def _start(
    p: float, shifted: NDArray[np.float64], centred: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Return the parameters at which scores differ by one or so: neither flat nor too steep."""
    spread = -(shifted.mean(axis=1) * np.exp(-p * centred)).mean()
    return np.array([-np.log(spread), p])


def _descend(
    start: NDArray[np.float64], sample: _Sample, max_steps: int
) -> tuple[float, NDArray[np.float64]]:
    """Return the loss at the foot of the slope, or where the steps end, and the place."""
    around = (start[0] + _SCALE_BOUNDS[0], start[0] + _SCALE_BOUNDS[1])
    found = minimize(
        _loss_and_slope,
        start,
        args=sample,
        jac=True,
        method="L-BFGS-B",
        bounds=[around, _P_BOUNDS],
        options={"ftol": 1e-12, "gtol": 1e-7, "maxiter": max_steps},
    )
    return float(found.fun), np.asarray(found.x, dtype=np.float64)


def _loss_and_slope(
    parameters: NDArray[np.float64],
    shifted: NDArray[np.float64],
    centred: NDArray[np.float64],
    right: NDArray[np.intp],
) -> tuple[float, NDArray[np.float64]]:
    """Return the mean log-loss, and its derivatives by the log-scale and by p."""
    scale = np.exp(parameters[0] - parameters[1] * centred)
    scaled = shifted * scale[:, None]
    weights = np.exp(scaled)
    totals = weights.sum(axis=1)
    reached = scaled[np.arange(len(right)), right]
    loss = np.log(totals) - reached
    slope = np.einsum("dc,dc->d", weights, scaled) / totals - reached
    return float(loss.mean()), np.array([slope.mean(), -(slope * centred).mean()])


# ------------------------------------------------------------------------------------------------
# Arrays that cannot be written to, for what is fitted once and then shared.


def fixed(values: ArrayLike, name: str) -> NDArray[np.float64]:
    """Return one number per class as an array of its own that refuses to be changed.

    Examples
    --------
    >>> fixed([0.5, 0.25], "thresholds").flags.writeable
    False
    """
    array = np.array(values, dtype=np.float64)
    if array.ndim != 1 or np.isnan(array).any():
        raise ScoreError(f"{name} must be one number per class, not {values!r:.80}.")
    array.setflags(write=False)
    return array


def check_classes(n_known: int, n_scored: int, name: str) -> None:
    """Refuse scores of more or fewer classes than a rule knows."""
    if n_known != n_scored:
        raise ScoreError(
            f"{name} knows {n_known} classes, but there are scores of {n_scored}. "
            "Has a class been added since it was fitted?"
        )


# ------------------------------------------------------------------------------------------------
# Probabilities for each class on its own, by Platt's sigmoids.

_MAX_STEPS = 100
_MAX_HALVINGS = 40


@dataclass(frozen=True, eq=False)
class Platt:
    r"""Probabilities by one sigmoid for each class.

    .. math:: p(c \mid d) = \frac{1}{1 + e^{-(a_c s_c(d) + b_c)}}

    The probabilities of a document need not sum to one: each class is a question of its own, as in
    multi-label data. Naive Bayes scores should be log-odds divided by the length of the document.

    Parameters
    ----------
    slopes, intercepts : array-like of shape (n_classes,)
        a and b; :meth:`fit` finds them.

    Examples
    --------
    >>> fitted = Platt.fit([[-2.0], [-1.0], [1.0], [2.0]], [[0], [0], [1], [1]])
    >>> fitted.proba([[-1.5], [0.0], [1.5]]).round(2).ravel()
    array([0.27, 0.5 , 0.73])
    """

    slopes: NDArray[np.float64]
    intercepts: NDArray[np.float64]

    def __post_init__(self) -> None:
        for name in ("slopes", "intercepts"):
            object.__setattr__(self, name, fixed(getattr(self, name), name))
        if self.slopes.shape != self.intercepts.shape:
            raise ScoreError(f"{len(self.slopes)} slopes need as many intercepts.")
        if not np.isfinite([self.slopes, self.intercepts]).all():
            raise ScoreError("slopes and intercepts must be finite numbers.")

    @classmethod
    def fit(cls, scores: ArrayLike, truth: ArrayLike) -> Platt:
        r"""Return the sigmoids with the least log-loss on out-of-sample scores.

        Targets are smoothed: :math:`(n_+ + 1)/(n_+ + 2)` for the :math:`n_+` documents of a class
        and :math:`1/(n_- + 2)` for the others, so there is a best sigmoid for any scores.

        Parameters
        ----------
        scores : array-like of shape (n_documents, n_classes)
            Scores of documents by a model that was not trained on them.
        truth : array-like of shape (n_documents, n_classes) or (n_documents,)
            True where a class applies, or one class index per document.
        """
        matrix, wanted = calibration_sample(scores, truth)
        found = [_sigmoid(matrix[:, c], wanted[:, c]) for c in range(matrix.shape[1])]
        return cls(*np.transpose(found))

    def proba(self, scores: ArrayLike) -> NDArray[np.float64]:
        """Return the probability of each class for each document.

        Parameters
        ----------
        scores : array-like of shape (n_documents, n_classes)
            The scores of each document.
        """
        matrix = finite_scores(scores)
        check_classes(len(self.slopes), matrix.shape[1], "Platt")
        return np.asarray(expit(self.slopes * matrix + self.intercepts))

    def to_dict(self) -> dict[str, list[float]]:
        """Return the parameters as plain values, for a file."""
        return {"slopes": self.slopes.tolist(), "intercepts": self.intercepts.tolist()}

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> Platt:
        """Read what :meth:`to_dict` wrote.

        Parameters
        ----------
        values : mapping
            What it returned.

        Examples
        --------
        >>> Platt.from_dict({"slopes": [2.0], "intercepts": [0.0]}).proba([[0.0]])
        array([[0.5]])
        """
        if set(values) != {"slopes", "intercepts"}:
            raise ScoreError(f"these are not the parameters of sigmoids: {sorted(values)}")
        return cls(values["slopes"], values["intercepts"])


def _sigmoid(scores: NDArray[np.float64], wanted: NDArray[np.bool_]) -> tuple[float, float]:
    """Return slope and intercept with the least log-loss, for smoothed targets."""
    n_wanted = int(wanted.sum())
    high, low = (n_wanted + 1) / (n_wanted + 2), 1 / (len(wanted) - n_wanted + 2)
    middle, spread = scores.mean(), scores.std()
    # Standardised, so that Newton's steps fit scores of any size.
    inputs = np.stack([(scores - middle) / (spread or 1.0), np.ones(len(scores))])
    slope, intercept = _newton(inputs, np.where(wanted, high, low))
    slope = slope / (spread or 1.0)
    return float(slope), float(intercept - slope * middle)


def _newton(inputs: NDArray[np.float64], targets: NDArray[np.float64]) -> NDArray[np.float64]:
    """Minimise the log-loss of a sigmoid by Newton's method, halving steps that go too far."""
    weights = np.array([0.0, np.log(targets.mean() / (1 - targets.mean()))])
    for _ in range(_MAX_STEPS):
        probabilities = expit(weights @ inputs)
        slope = inputs @ (probabilities - targets)
        if np.abs(slope).max() <= 1e-10 * len(targets):
            break
        curvature = (inputs * (probabilities * (1 - probabilities))) @ inputs.T
        # The ridge keeps the system solvable where all scores are equal.
        step = np.asarray(np.linalg.solve(curvature + 1e-12 * np.eye(2), slope), np.float64)
        weights = weights - _damping(weights, step, inputs, targets) * step
    return weights


def _damping(
    weights: NDArray[np.float64],
    step: NDArray[np.float64],
    inputs: NDArray[np.float64],
    targets: NDArray[np.float64],
) -> float:
    """Return the largest of 1, 1/2, 1/4, ... at which a step does not raise the loss."""
    now = _log_loss(weights @ inputs, targets)
    for halvings in range(_MAX_HALVINGS):
        share = 0.5**halvings
        if _log_loss((weights - share * step) @ inputs, targets) <= now:
            return share
    return 0.0


def _log_loss(logits: NDArray[np.float64], targets: NDArray[np.float64]) -> float:
    return float((np.logaddexp(0, logits) - targets * logits).sum())


# ------------------------------------------------------------------------------------------------
# Probabilities for each class on its own, by isotonic regression where there are documents.

Knots = tuple[NDArray[np.float64], NDArray[np.float64]]


@dataclass(frozen=True, eq=False)
class Isotonic:
    """Probabilities by a rising step for each class with enough documents, else by a sigmoid.

    Isotonic regression pools neighbouring documents until the share of the class rises with the
    score. It assumes nothing about the form, so it needs documents. Between the scores of the
    sample it interpolates; beyond them it stays level. As with :class:`Platt`, probabilities need
    not sum to one.

    Parameters
    ----------
    knots : sequence of (scores, probabilities) or None
        The corners of each class's function; None where the sigmoid is taken.
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
        object.__setattr__(self, "knots", tuple(map(_checked_knots, self.knots)))
        if len(self.knots) != len(self.platt.slopes):
            raise ScoreError(f"{len(self.knots)} classes need as many sigmoids.")

    @classmethod
    def fit(cls, scores: ArrayLike, truth: ArrayLike, *, min_positives: int = 50) -> Isotonic:
        """Return the functions with the least squared error on out-of-sample scores.

        Parameters
        ----------
        scores : array-like of shape (n_documents, n_classes)
            Scores of documents by a model that was not trained on them.
        truth : array-like of shape (n_documents, n_classes) or (n_documents,)
            True where a class applies, or one class index per document.
        min_positives : int, default=50
            With fewer documents, a class gets the sigmoid of :class:`Platt`.
        """
        matrix, wanted = calibration_sample(scores, truth)
        enough = wanted.sum(axis=0) >= max(1, min_positives)
        knots = (
            _isotonic(matrix[:, c], wanted[:, c]) if enough[c] else None
            for c in range(matrix.shape[1])
        )
        return cls(tuple(knots), Platt.fit(matrix, wanted))

    def proba(self, scores: ArrayLike) -> NDArray[np.float64]:
        """Return the probability of each class for each document.

        Parameters
        ----------
        scores : array-like of shape (n_documents, n_classes)
            The scores of each document.
        """
        matrix = finite_scores(scores)
        probabilities = self.platt.proba(matrix)
        for c, knots in enumerate(self.knots):
            if knots is not None:
                probabilities[:, c] = np.interp(matrix[:, c], *knots)
        return probabilities

    def to_dict(self) -> dict[str, Any]:
        """Return the parameters as plain values, for a file."""
        plain = [
            None if knots is None else [part.tolist() for part in knots] for knots in self.knots
        ]
        return {"knots": plain, "platt": self.platt.to_dict()}

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> Isotonic:
        """Read what :meth:`to_dict` wrote.

        Parameters
        ----------
        values : mapping
            What it returned.

        Examples
        --------
        >>> sigmoid = {"slopes": [2.0], "intercepts": [0.0]}
        >>> Isotonic.from_dict({"knots": [[[0, 1], [0, 1]]], "platt": sigmoid}).proba([[0.25]])
        array([[0.25]])
        """
        if set(values) != {"knots", "platt"}:
            raise ScoreError(f"these are not the parameters of an Isotonic: {sorted(values)}")
        return cls(values["knots"], Platt.from_dict(values["platt"]))


def _checked_knots(knots: Iterable[ArrayLike] | None) -> Knots | None:
    if knots is None:
        return None
    x, y = (fixed(part, "knots") for part in knots)
    if len(x) != len(y) or not len(x) or (np.diff(x) < 0).any():
        raise ScoreError(f"knots need rising scores and as many probabilities, not {x} and {y}.")
    if not (np.isfinite(x).all() and y.min() >= 0 and y.max() <= 1):
        raise ScoreError(f"knots need finite scores and probabilities, not {x} and {y}.")
    return x, y


def _isotonic(scores: NDArray[np.float64], wanted: NDArray[np.bool_]) -> Knots:
    from sklearn.isotonic import IsotonicRegression

    fitted = IsotonicRegression(y_min=0, y_max=1, out_of_bounds="clip").fit(scores, wanted)
    return fitted.X_thresholds_, fitted.y_thresholds_


# ------------------------------------------------------------------------------------------------
# Probabilities whose largest is as large as it is often right.

_LEAST = 1e-12


@dataclass(frozen=True)
class TopLabel:
    r"""A temperature, and then a map of the probability of the best class to how often it is right.

    .. math:: p'_{\hat c} = g(p_{\hat c}), \qquad
              p'_c = p_c \, \frac{1 - p'_{\hat c}}{1 - p_{\hat c}} \quad (c \neq \hat c)

    A temperature alone has to please the few documents that are far off, and so makes all others
    less sure than they may be. g rises, and the best class stays the best: :math:`p'_{\hat c}` is
    never taken below what the second best would have then.

    Parameters
    ----------
    temperature : Temperature
    top : Platt or Isotonic
        g, of one class, on log-odds.
    most : float, default=1.0
        What no probability exceeds.

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
            raise ScoreError(f"no probability can be the largest with most={self.most}.")
        sigmoids = self.top.platt if isinstance(self.top, Isotonic) else self.top
        check_classes(len(sigmoids.slopes), 1, "the map of the largest probability")

    @classmethod
    def fit(
        cls,
        scores: ArrayLike,
        lengths: ArrayLike,
        truth: ArrayLike,
        *,
        isotonic: bool = True,
        temperature: Temperature | None = None,
    ) -> TopLabel:
        """Return what fits out-of-sample scores.

        Parameters
        ----------
        scores, lengths, truth
            As in :meth:`Temperature.fit`.
        isotonic : bool, default=True
            Whether g is isotonic, where there are documents enough, or a sigmoid.
        temperature : Temperature, default=None
            What to begin with; None for that of these scores.
        """
        if temperature is None:
            temperature = Temperature.fit(scores, lengths, truth)
        logs = temperature.log_proba(scores, lengths)
        right = (logs.argmax(axis=1) == np.asarray(truth))[:, None]
        kind = Isotonic if isotonic else Platt
        n = len(logs)
        return cls(temperature, kind.fit(_top_odds(logs)[:, None], right), (n + 1) / (n + 2))

    def log_proba(self, scores: ArrayLike, lengths: ArrayLike) -> NDArray[np.float64]:
        """Return the logarithms of the probabilities of each document, which sum to one.

        Parameters
        ----------
        scores : array-like of shape (n_documents, n_classes)
            The scores of each document.
        lengths : array-like of shape (n_documents,)
            How long each document is.
        """
        logs = self.temperature.log_proba(scores, lengths)
        if logs.shape[1] == 1:
            return logs
        row, best = np.arange(len(logs)), logs.argmax(axis=1)
        others = _normalised(logs, best)
        second = np.exp(others.max(axis=1))
        wanted = self.top.proba(_top_odds(logs)[:, None])[:, 0]
        # A little more than the second best, so that rounding does not make it the best.
        least = np.minimum(second / (1 + second) + 1e-9, 1.0)
        top = np.clip(wanted, least, max(self.most, 0.5 + 1e-9))
        made = others + np.log1p(-np.minimum(top, 1 - _LEAST))[:, None]
        made[row, best] = np.log(top)
        return made

    def to_dict(self) -> dict[str, Any]:
        """Return the parameters as plain values, for a file."""
        kind = "isotonic" if isinstance(self.top, Isotonic) else "platt"
        parts = {"temperature": self.temperature.to_dict(), "top": self.top.to_dict()}
        return {"kind": kind, "most": self.most, **parts}

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> TopLabel:
        """Read what :meth:`to_dict` wrote.

        Parameters
        ----------
        values : mapping
            What it returned.

        Examples
        --------
        >>> made = TopLabel(Temperature(), Platt([1.0], [0.0]), 0.9).to_dict()
        >>> TopLabel.from_dict(made).most
        0.9
        """
        kinds: dict[Any, Any] = {"isotonic": Isotonic, "platt": Platt}
        if set(values) != {"kind", "most", "temperature", "top"} or values["kind"] not in kinds:
            raise ScoreError(f"these are not the parameters of a TopLabel: {sorted(values)}")
        top = kinds[values["kind"]].from_dict(values["top"])
        return cls(Temperature.from_dict(values["temperature"]), top, float(values["most"]))


def _top_odds(logs: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the log-odds of the best class, kept from being infinite."""
    odds: NDArray[np.float64] = logit(np.clip(np.exp(logs.max(axis=1)), _LEAST, 1 - _LEAST))
    return odds


def _normalised(logs: NDArray[np.float64], best: NDArray[np.intp]) -> NDArray[np.float64]:
    """Return the logarithms of the shares of all classes but the best; -inf for that."""
    others = logs.copy()
    others[np.arange(len(logs)), best] = -np.inf
    highest = others.max(axis=1, keepdims=True)
    # Where all others are impossible they share alike what is left.
    others = np.where(np.isfinite(highest), others, np.where(np.isfinite(logs), -np.inf, 0.0))
    total = np.logaddexp.reduce(others, axis=1, keepdims=True)
    shares: NDArray[np.float64] = others - total
    return shares

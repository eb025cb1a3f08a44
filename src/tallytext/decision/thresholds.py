"""Decision rules: from scores to assigned classes, by thresholds or by ranks.

A rule turns scores of shape ``(n_documents, n_classes)`` into True where a class is assigned.
:class:`SCut` has one threshold for each class, chosen for the best F1; :class:`Argmax`,
:class:`RCut` and :class:`PCut` decide by ranks. Rules are immutable: ``fit`` returns a new one.
A class without a score (-inf or NaN) is not assigned.

:func:`fit_thresholds` chooses the thresholds of a classifier from histograms of calibrated scores.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from numbers import Real
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tallytext._validation import check_whole
from tallytext.decision.calibrators import check_n_classes, freeze_vectors
from tallytext.errors import ScoreError
from tallytext.evaluation.measures import score_matrix, scores_and_truth, truth_matrix
from tallytext.tally.labels import Label

Fallback = Literal["highest", "never"]

_FBR_CANDIDATES = np.arange(1, 9) / 10


@dataclass(frozen=True, eq=False)
class SCut:
    r"""Assign a class if its score reaches the threshold of the class.

    :meth:`fit` takes out-of-sample scores and chooses for each class the threshold
    :math:`\theta_c` with the best F1. Candidates are the midpoints between neighbouring distinct
    scores, and the lowest score; of equally good ones the highest wins. A class is assigned if
    :math:`s_c(d) \geq \theta_c`. A rare class has too few documents for a reliable threshold: if
    the best F1 is below ``fbr``, the fallback threshold is used. A class without documents in the
    sample is never assigned: its threshold is infinite.

    A rule that is fitted to the scores on which it then decides is an oracle: an upper bound for
    all thresholds, and not an estimate.

    Parameters
    ----------
    fbr : float or "auto", default=0.3
        The F1 below which a threshold is replaced by the fallback. "auto" tries .1, .2, ..., .8:
        thresholds fitted to the documents in even places are evaluated on those in odd places, and
        vice versa; the one with the best micro-averaged F1, or the lowest of equally good ones.
    fallback : {"highest", "never"}, default="highest"
        The threshold of a class whose best F1 is too low: just above the highest score in the
        sample, so that only a document with a higher score gets the class (FBR.1), or infinity
        (FBR.0).
    thresholds : array-like of shape (n_classes,), default=None
        The threshold of each class; :meth:`fit` chooses them.

    Examples
    --------
    >>> scores = [[0.9], [0.8], [0.7], [0.6], [0.5], [0.4]]
    >>> rule = SCut().fit(scores, [[1], [0], [1], [1], [0], [0]])
    >>> rule.thresholds.round(4)
    array([0.55])
    >>> rule.decide([[0.54], [0.55]])
    array([[False],
           [ True]])
    """

    fbr: float | Literal["auto"] = 0.3
    fallback: Fallback = "highest"
    thresholds: NDArray[np.float64] | None = None

    def __post_init__(self) -> None:
        if self.fbr != "auto" and not (isinstance(self.fbr, Real) and 0 <= self.fbr <= 1):
            raise ScoreError(f'fbr must be a number from 0 to 1, or "auto", not {self.fbr!r}.')
        if self.fallback not in ("highest", "never"):
            raise ScoreError(f'fallback must be "highest" or "never", not {self.fallback!r}.')
        freeze_vectors(self, "thresholds")

    def fit(self, scores: ArrayLike, truth: ArrayLike) -> SCut:
        """Return the rule with the best thresholds for out-of-sample scores.

        Parameters
        ----------
        scores : array-like of shape (n_documents, n_classes)
            Scores of documents by a model that was not trained on them.
        truth : array-like of shape (n_documents, n_classes) or (n_documents,)
            True where a class applies, or one class index per document.

        Returns
        -------
        SCut
            With ``thresholds``, and with the chosen number if ``fbr`` is "auto".
        """
        matrix, positive = scores_and_truth(scores, truth)
        matrix = _clip_infinity(matrix)
        if len(matrix) < (2 if self.fbr == "auto" else 1):
            raise ScoreError(f"{len(matrix)} documents are too few to choose thresholds from.")
        cuts = _best_cuts(matrix, positive, self.fallback)
        fbr = _best_fbr(matrix, positive, self.fallback) if self.fbr == "auto" else self.fbr
        return replace(self, fbr=fbr, thresholds=cuts.thresholds(fbr))

    def decide(self, scores: ArrayLike) -> NDArray[np.bool_]:
        """Return True where a class is assigned.

        Parameters
        ----------
        scores : array-like of shape (n_documents, n_classes)
            Scores of documents.
        """
        if self.thresholds is None:
            raise ScoreError("SCut has no thresholds yet: use the rule that fit returns.")
        matrix = _clip_infinity(score_matrix(scores))
        check_n_classes(len(self.thresholds), matrix.shape[1], "SCut")
        return (matrix >= self.thresholds) & (matrix > -np.inf)


@dataclass(frozen=True, eq=False)
class _Cuts:
    """For each class: the best threshold, its F1, and the fallback threshold."""

    best: NDArray[np.float64]
    f1: NDArray[np.float64]
    fallback: NDArray[np.float64]

    def thresholds(self, fbr: float) -> NDArray[np.float64]:
        """Return the best thresholds, replaced by the fallback where F1 is below ``fbr``."""
        return np.where(self.f1 < fbr, self.fallback, self.best)


def _clip_infinity(matrix: NDArray[np.float64]) -> NDArray[np.float64]:
    # An infinite threshold means "never", so no score may reach it.
    return np.minimum(matrix, np.finfo(np.float64).max)


def _best_cuts(
    matrix: NDArray[np.float64], positive: NDArray[np.bool_], fallback: Fallback
) -> _Cuts:
    found = [_best_cut(matrix[:, c], positive[:, c]) for c in range(matrix.shape[1])]
    best, f1 = np.array(found).T
    highest = matrix.max(axis=0)
    usable = (fallback == "highest") & positive.any(axis=0) & (highest > -np.inf)
    # Strictly above: often the highest score is that of many documents without evidence. Above the
    # largest number there is infinity, which means never.
    with np.errstate(over="ignore"):
        above = np.nextafter(highest, np.inf)
    return _Cuts(best, f1, np.where(usable, above, np.inf))


def _best_cut(scores: NDArray[np.float64], positive: NDArray[np.bool_]) -> tuple[float, float]:
    """Return the threshold of one class with the best F1, and that F1."""
    order = np.argsort(-scores)
    ranked = scores[order]
    below = np.append(ranked[1:], -np.inf)
    # F1 = 2 TP / (assigned + positive), for all cuts at once.
    f1 = 2 * np.cumsum(positive[order]) / (np.arange(1, len(ranked) + 1) + positive.sum())
    # A threshold can neither separate equal scores nor include documents without a score.
    f1[ranked == below] = 0
    # argmax() returns the first maximum, which is the highest threshold.
    last = int(f1.argmax())
    if f1[last] == 0:
        return np.inf, 0.0
    return _midpoint(ranked[last], below[last]), float(f1[last])


def _midpoint(above: float, below: float) -> float:
    """Return a threshold that ``above`` reaches and ``below`` does not."""
    # Halved before adding: the sum of two large scores would overflow.
    middle = above / 2 + below / 2
    # Adjacent floats have no number between them, and an infinite range has no middle.
    return float(middle if below < middle <= above else above)


def _best_fbr(
    matrix: NDArray[np.float64], positive: NDArray[np.bool_], fallback: Fallback
) -> float:
    """Return the ``fbr`` with the best micro-F1 in two-fold cross-validation."""
    # Alternating rows, because documents are often sorted by class.
    halves = [(matrix[start::2], positive[start::2]) for start in (0, 1)]
    n_correct, n_assigned = np.zeros((2, len(_FBR_CANDIDATES)), dtype=np.int64)
    for train, (test_scores, test_positive) in (halves, halves[::-1]):
        cuts = _best_cuts(*train, fallback)
        for i, fbr in enumerate(_FBR_CANDIDATES):
            assigned = test_scores >= cuts.thresholds(fbr)
            n_correct[i] += (assigned & test_positive).sum()
            n_assigned[i] += assigned.sum()
    f1 = 2 * n_correct / np.maximum(n_assigned + positive.sum(), 1)
    return float(_FBR_CANDIDATES[f1.argmax()])


#: How the thresholds of a classifier are chosen: a rule, a number for all classes, or by label.
ThresholdRule: TypeAlias = Literal["micro", "macro", "per-class"] | float | Mapping[Label, float]

_RULES = ("micro", "macro", "per-class")
# If each class has its own threshold, those with a best F1 below this are not trusted (SCutFBR).
_MIN_F1 = 0.1
# ... and no class may be given to more documents of the sample than this times its own documents.
# The expected F1 of a class without evidence is the highest if every document gets it.
_MAX_EXCESS = 2.0


def check_threshold_rule(rule: object) -> None:
    """Raise ScoreError unless ``rule`` is the name of a rule, a probability, or some by label.

    Examples
    --------
    >>> check_threshold_rule("mikro")
    Traceback (most recent call last):
    tallytext.errors.ScoreError: thresholds must be "micro", "macro", "per-class" or a probability \
above 0, not 'mikro'.
    """
    if isinstance(rule, Mapping):
        for each in rule.values():
            check_threshold_rule(each if isinstance(each, Real) else repr(each))
        return
    is_probability = isinstance(rule, Real) and not isinstance(rule, bool) and 0 < float(rule) <= 1
    if not is_probability and not (isinstance(rule, str) and rule in _RULES):
        raise ScoreError(
            'thresholds must be "micro", "macro", "per-class" or a probability above 0, not '
            f"{rule!r:.60}."
        )


@dataclass(frozen=True, eq=False)
class FittedThresholds:
    """The thresholds of classes on calibrated probabilities.

    Attributes
    ----------
    by_class : ndarray of shape (n_classes,)
        The probability from which each class is assigned.
    common : float
        The threshold of a class that came later.
    f1 : float
        The micro-averaged F1 of these thresholds on the documents that they were chosen on.
    """

    by_class: NDArray[np.float64]
    common: float
    f1: float


def fit_thresholds(
    proba: NDArray[np.float64],
    own: NDArray[np.int64],
    others: NDArray[np.int64],
    n_labels: int,
    rule: Literal["micro", "macro", "per-class"] | float = "micro",
) -> FittedThresholds:
    r"""Choose thresholds on calibrated probabilities from histograms of out-of-sample scores.

    With "micro", all classes have one threshold, the one with the best micro-averaged F1. For
    calibrated probabilities no other thresholds have a higher expected F1: the best label to add
    is the most probable one, down to :math:`F^*/2`. With "macro", each class has the threshold
    with the best F1 of the class as expected from its probabilities, so that classes with few
    documents get a smooth choice. With "per-class", each class has the threshold with the best F1
    on the sample, which follows chance where a class has few documents. Neither gives a class to
    more than twice as many documents of the sample as have it; if the best F1 is below 0.1, the
    threshold is just above the highest probability in the sample, and at least the common one.

    Parameters
    ----------
    proba : ndarray of shape (n_classes, n_intervals)
        The calibrated probability of each interval of scores.
    own, others : ndarray of shape (n_classes, n_intervals)
        Number of documents with and without the class that have such a score.
    n_labels : int
        Number of labels of all documents, including labels without a score.
    rule : {"micro", "macro", "per-class"} or float, default="micro"
        A number is the threshold of all classes.

    Examples
    --------
    >>> proba = np.array([[0.1, 0.4, 0.9]])
    >>> own, others = np.array([[1, 4, 9]]), np.array([[9, 6, 1]])
    >>> fitted = fit_thresholds(proba, own, others, n_labels=14)
    >>> fitted.common, round(fitted.f1, 3)
    (0.25, 0.765)
    """
    counts = own + others
    if isinstance(rule, str):
        common = _best_threshold(proba.ravel(), own.ravel(), counts.ravel(), n_labels)[0]
    else:
        common = float(rule)
    thresholds = np.full(len(proba), common)
    if rule in ("macro", "per-class"):
        for c, (p, n) in enumerate(zip(proba, counts, strict=True)):
            right, n_own = p * n if rule == "macro" else own[c], own[c].sum()
            thresholds[c], f1 = _best_threshold(p, right, n, right.sum(), _MAX_EXCESS * n_own)
            if f1 < _MIN_F1:
                highest = p[n > 0].max(initial=0.0)
                thresholds[c] = max(float(np.nextafter(highest, np.inf)), common)
    assigned = proba >= thresholds[:, None]
    n_right, n_assigned = own[assigned].sum(), counts[assigned].sum()
    return FittedThresholds(thresholds, common, float(2 * n_right / max(n_assigned + n_labels, 1)))


def _best_threshold(
    proba: NDArray[np.float64],
    right: NDArray[Any],
    counts: NDArray[Any],
    n_labels: float,
    max_assigned: float = np.inf,
) -> tuple[float, float]:
    """Return the threshold with the best F1, and that F1.

    Parameters
    ----------
    proba : ndarray of shape (n,)
    right : ndarray of shape (n,)
        Number of documents with the label, or their expected number.
    counts : ndarray of shape (n,)
        Number of documents with this probability.
    n_labels : float
        Number of labels in all.
    max_assigned : float, default=inf
        The largest number of documents above the threshold.
    """
    at = np.flatnonzero(counts)
    order = at[np.argsort(-proba[at], kind="stable")]
    ranked = proba[order]
    n_assigned = np.cumsum(counts[order])
    f1 = 2 * np.cumsum(right[order]) / (n_assigned + max(n_labels, 1e-300))
    f1[n_assigned > max_assigned] = 0.0
    # A threshold cannot separate equal probabilities.
    below = np.append(ranked[1:], 0.0)
    f1[ranked == below] = 0.0
    last = int(f1.argmax()) if len(f1) else -1
    if last < 0 or f1[last] == 0.0:
        return 1.0, 0.0
    return _midpoint(ranked[last], below[last]), float(f1[last])


@dataclass(frozen=True, eq=False)
class Argmax:
    """Assign the class with the highest score to each document.

    Ties go to the class with the larger prior, then to the lower index.

    Parameters
    ----------
    prior : array-like of shape (n_classes,), default=None
        Frequency of each class; equal by default.

    Examples
    --------
    >>> Argmax().choose([[0.5, 0.5, 0.1], [0.1, 0.2, 0.3]])
    array([0, 2])
    >>> Argmax(prior=[0.2, 0.6, 0.2]).decide([[0.5, 0.5, 0.1]])
    array([[False,  True, False]])
    """

    prior: NDArray[np.float64] | None = None

    def __post_init__(self) -> None:
        freeze_vectors(self, "prior")

    def choose(self, scores: ArrayLike) -> NDArray[np.intp]:
        """Return the class index of each document, including documents without any score.

        Parameters
        ----------
        scores : array-like of shape (n_documents, n_classes)
            Scores of documents.
        """
        matrix = score_matrix(scores)
        prior = np.zeros(matrix.shape[1]) if self.prior is None else self.prior
        check_n_classes(len(prior), matrix.shape[1], "the prior")
        # argmax() takes the first of equal scores, so classes are put in the order of ties first.
        order = np.argsort(-prior, kind="stable")
        return np.asarray(order[matrix[:, order].argmax(axis=1)])

    def decide(self, scores: ArrayLike) -> NDArray[np.bool_]:
        """Return True where a class is assigned: exactly one class for each document.

        Parameters
        ----------
        scores : array-like of shape (n_documents, n_classes)
            Scores of documents.
        """
        matrix = score_matrix(scores)
        return truth_matrix(self.choose(matrix), matrix.shape[1])


@dataclass(frozen=True)
class RCut:
    """Assign the t best classes to each document; ties go to the lower class index.

    Parameters
    ----------
    t : int, default=1
        Number of classes of each document.

    Examples
    --------
    >>> RCut(2).decide([[0.9, 0.2, 0.5]])
    array([[ True, False,  True]])
    """

    t: int = 1

    def __post_init__(self) -> None:
        check_whole("t", self.t, 1, error=ScoreError)

    def decide(self, scores: ArrayLike) -> NDArray[np.bool_]:
        """Return True where a class is assigned.

        Parameters
        ----------
        scores : array-like of shape (n_documents, n_classes)
            Scores of documents.
        """
        matrix = score_matrix(scores)
        best = np.argsort(-matrix, axis=1, kind="stable")[:, : self.t]
        assigned = np.zeros(matrix.shape, dtype=np.bool_)
        np.put_along_axis(assigned, best, True, axis=1)
        return assigned & (matrix > -np.inf)


@dataclass(frozen=True, eq=False)
class PCut:
    r"""Assign each class to its best documents, in proportion to its share in training.

    Of a batch of N documents, class c gets the :math:`k_c = \mathrm{round}(x \Pr(c) N)` best (a
    half is rounded up); ties go to the earlier document. The decision on one document depends on
    the whole batch.

    Parameters
    ----------
    x : float, default=1.0
        Above 1 assigns more classes than in training, below 1 fewer.
    shares : array-like of shape (n_classes,), default=None
        Pr(c); :meth:`fit` estimates them.

    Examples
    --------
    >>> rule = PCut().fit([[True, False], [True, False], [True, True], [False, False]])
    >>> rule.shares
    array([0.75, 0.25])
    >>> rule.decide([[0.9, 0.2], [0.4, 0.8]])
    array([[ True, False],
           [ True,  True]])
    """

    x: float = 1.0
    shares: NDArray[np.float64] | None = None

    def __post_init__(self) -> None:
        if not isinstance(self.x, Real) or not 0 <= self.x < np.inf:
            raise ScoreError(f"x must be a number of at least 0, not {self.x!r}.")
        freeze_vectors(self, "shares")

    def fit(self, truth: ArrayLike) -> PCut:
        """Return the rule with the shares of the classes in a boolean matrix.

        Parameters
        ----------
        truth : array-like of shape (n_documents, n_classes)
            True where a class applies.
        """
        positive = truth_matrix(truth)
        if not len(positive):
            raise ScoreError("there are no documents to count the shares of classes in.")
        return replace(self, shares=positive.mean(axis=0))

    def decide(self, scores: ArrayLike) -> NDArray[np.bool_]:
        """Return True where a class is assigned.

        Parameters
        ----------
        scores : array-like of shape (n_documents, n_classes)
            Scores of documents.
        """
        matrix = score_matrix(scores)
        if self.shares is None:
            raise ScoreError("PCut has no shares of classes yet: use the rule that fit returns.")
        check_n_classes(len(self.shares), matrix.shape[1], "PCut")
        # Rounded to 9 digits first: .29 · 50 is slightly below 14.5 in floating point, and a half
        # must be rounded up.
        n_assigned = np.floor(np.round(self.x * self.shares * len(matrix), 9) + 0.5)
        best = np.argsort(-matrix, axis=0, kind="stable")
        # The inverse permutation of the order: the rank of each document.
        rank = np.empty_like(best)
        np.put_along_axis(rank, best, np.arange(len(matrix))[:, None], axis=0)
        return np.asarray((rank < n_assigned) & (matrix > -np.inf))

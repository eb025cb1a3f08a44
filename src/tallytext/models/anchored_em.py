"""Anchored EM: class posteriors of the documents of a pool, estimated from few labels.

:class:`AnchoredEM` re-estimates the word distributions of the classes (:class:`ClassWords`) on the
whole pool. The :class:`Anchor`, a linear classifier of the labelled documents, keeps them from
drifting to other classes; :class:`Trust` is its held-out accuracy. :func:`posterior_regression`
fits a linear function of the terms to the resulting posteriors.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from scipy import linalg, sparse
from scipy.special import log_softmax, softmax

from tallytext._typing import FloatArray
from tallytext._validation import check_between, check_whole
from tallytext.errors import RecipeError
from tallytext.evaluation.folds import cyclic_fold_numbers, iter_splits
from tallytext.models.llsf import conjugate_gradient
from tallytext.models.pool import (
    DocumentPool,
    held_out_ridge,
    n_label_folds,
    paired_standard_error,
    take_evenly,
    unit_rows,
)
from tallytext.runtime import ignore_warnings

_LABELLED_DIRECTION_WEIGHT = 0.2  # of a class's labelled documents in its direction, in documents
_ANNEALING_RATE = 1.5  # growth of the evidence from round to round, until it counts in full
_FLOOR = 0.002  # probability added to all terms together, per distinct term of a mean document

_MIN_LOG_PROBABILITY = np.log(1e-6)  # of the anchor, so that EM can overrule it
_MAX_KERNEL_DOCUMENTS = 2000  # beyond, a table of all pairs of labelled documents is too large

_MAX_HELD_OUT = 4000  # documents; a table of all pairs of them is inverted
_FULL_TRUST_LEAD = 0.03  # lead in accuracy at which the anchor is trusted in full
_MIN_EVENNESS = 0.95  # below, class sizes in the pool are considered uneven
_UNEVEN_TRUST = 0.5  # smallest trust in the anchor if they are

# A name counts as so many documents if a model of the names alone is right about this share of the
# labelled documents, chance apart; the share is shrunk towards it as if by so many documents more.
_MAX_NAME_WEIGHT, _NAME_LEAD, _NAME_PSEUDO_DOCUMENTS = 1.0, 0.2, 4.0
_MIN_NAME_WEIGHT = 0.1  # below, names are left out

_REGRESSION_STEPS = 12  # of conjugate gradients
_WARM_REGRESSION_STEPS = 4  # from the weights before a small change


@dataclass(frozen=True)
class AnchoredEM:
    r"""Expectation maximisation over a pool (after Nigam et al.), with an anchor.

    The E-step of a round computes the class posteriors of every document without a label,

    .. math:: R_{dc} \propto \exp\left[ a_r \left(L \sum_w u_{dw} \ln p(w \mid c)
              + \kappa\, z_d \cdot m_c + \gamma \ln p_{\text{anchor}}(c \mid d) \right)
              + \ln \pi_c \right]

    The M-step re-estimates the classes: p(w|c) is a mixture of the words of labelled documents,
    their translations, the expected words :math:`\sum_d R_{dc} u_{dw}` and the background;
    :math:`m_c` is the direction of :math:`\sum_d R_{dc} z_d`; :math:`\pi_c` is the share of c in
    the pool. The mean log-probability of a token times a fixed length L keeps the posteriors of
    long documents away from 0 and 1. Without the anchor, documents of large classes leak into
    small ones.

    Parameters
    ----------
    rounds : int, default=12
    length : float, default=20.0
        L, the length assumed for every document.
    concentration : float, default=10.0
        :math:`\kappa`, the concentration of the documents of a class in the latent space.
    annealing : float, default=0.2
        :math:`a_1`, the weight of the evidence in the first round; 1 for full weight. It grows by
        half from round to round.
    even_share : float, default=0.1
        Share of the documents that is added in equal parts to the size of each class.
    """

    rounds: int = 12
    length: float = 20.0
    concentration: float = 10.0
    annealing: float = 0.2
    even_share: float = 0.1

    def __post_init__(self) -> None:
        check_whole("rounds", self.rounds, 1)
        check_between("length", self.length, 1e-9, 1e9)
        check_between("concentration", self.concentration, 0.0, 1e6)
        check_between("annealing", self.annealing, 1e-6, 1.0)
        check_between("even_share", self.even_share, 0.0, 1e6)

    def run(
        self,
        pool: DocumentPool,
        rows: Any,
        truth: FloatArray,
        class_words: ClassWords,
        anchor_evidence: FloatArray,
        step: Callable[[], None] = lambda: None,
        unseen: Any = (),
        start: FloatArray | None = None,
    ) -> PoolPosteriors:
        r"""Estimate the class posteriors of all documents of the pool.

        Parameters
        ----------
        pool : DocumentPool
        rows : ndarray of int
            The labelled documents of the pool.
        truth : ndarray of shape (n_rows, n_classes)
            Their labels as an indicator matrix, one each.
        class_words : ClassWords
            The words of classes in these documents.
        anchor_evidence : ndarray of shape (n_documents, n_classes)
            :math:`\gamma \ln p_{\text{anchor}}(c \mid d)`.
        step : callable
            Called after each round, for a progress bar.
        unseen : array-like of int, default=()
            Documents that are to be scored as new ones: they add no words to any class, and their
            posteriors are 0.
        start : ndarray of shape (n_documents, n_classes), default=None
            Posteriors to start from, with zeros for documents of unknown ones; None to start from
            the labelled documents only.
        """
        unseen = np.asarray(unseen, dtype=np.intp)
        labelled = unit_rows(truth.T @ pool.latent[rows])

        def estimate(posteriors: FloatArray) -> tuple[FloatArray, FloatArray]:
            posteriors[rows] = truth
            posteriors[unseen] = 0.0
            words = np.log(class_words.mix(pool.shares.transposed_times(posteriors)))
            own = _LABELLED_DIRECTION_WEIGHT * labelled
            return words, unit_rows(posteriors.T @ pool.latent + own).T

        if start is None:
            word_log_probs, directions = np.log(class_words.mix()), labelled.T
            log_priors: FloatArray = np.zeros(truth.shape[1])
        else:
            word_log_probs, directions = estimate(start.copy())
            log_priors = _estimate_log_priors(start, self.even_share)
        for at in range(self.rounds):
            evidence = anchor_evidence + self.evidence(pool, word_log_probs, directions)
            evidence *= min(1.0, self.annealing * _ANNEALING_RATE**at)
            posteriors = softmax(evidence + log_priors, axis=1)
            # Before the labels are restored: a balanced choice of labelled documents would make
            # all classes look equally large.
            log_priors = _estimate_log_priors(posteriors, self.even_share)
            word_log_probs, directions = estimate(posteriors)
            step()
        return PoolPosteriors(posteriors, word_log_probs, directions, log_priors)

    def evidence(
        self, pool: DocumentPool, word_log_probs: FloatArray, directions: FloatArray
    ) -> FloatArray:
        r"""Return :math:`L \sum_w u_{dw} \ln p(w|c) + \kappa\, z_d \cdot m_c` of all documents.

        Parameters
        ----------
        pool : DocumentPool
            The documents.
        word_log_probs : ndarray of shape (n_terms, n_classes)
            ln p(w|c).
        directions : ndarray of shape (n_components, n_classes)
            The direction :math:`m_c` of each class in the latent space.
        """
        evidence = self.length * pool.shares.times(word_log_probs)
        evidence += self.concentration * (pool.latent @ directions)
        return evidence


def _estimate_log_priors(posteriors: FloatArray, even_share: float) -> FloatArray:
    n, n_classes = posteriors.shape
    sizes = posteriors.sum(axis=0) + even_share * n / n_classes
    return np.log(sizes / ((1 + even_share) * n))


@dataclass(frozen=True)
class PoolPosteriors:
    r"""Class posteriors of the documents of a pool, and the classes estimated from them.

    Attributes
    ----------
    posteriors : ndarray of shape (n_documents, n_classes)
        The probability of each class for each document; 0 or 1 for labelled documents.
    word_log_probs : ndarray of shape (n_terms, n_classes)
        ln p(w|c).
    directions : ndarray of shape (n_components, n_classes)
        The direction :math:`m_c` of each class in the latent space.
    log_priors : ndarray of shape (n_classes,)
        :math:`\ln \pi_c`, from the class sizes in the pool.
    """

    posteriors: FloatArray
    word_log_probs: FloatArray
    directions: FloatArray
    log_priors: FloatArray

    @property
    def evenness(self) -> float:
        """The entropy of class sizes in the pool, relative to the largest possible."""
        sizes = self.posteriors.sum(axis=0) / self.posteriors.sum()
        entropy = -(sizes * np.log(np.maximum(sizes, 1e-300))).sum()
        return float(entropy / np.log(len(sizes))) if len(sizes) > 1 else 1.0


@dataclass(frozen=True)
class Mixture:
    """Weights of the components of p(w|c); they sum to one.

    Attributes
    ----------
    own : float
        Words of the labelled documents.
    translated : float
        Translations of those words.
    expected : float
        Words of the pool, weighted by class posteriors.
    background : float
        Words of all documents.
    """

    own: float
    translated: float
    expected: float
    background: float


# In the first E-step and in later ones; each with translation, and without it.
_INITIAL, _INITIAL_PLAIN = Mixture(0.1, 0.6, 0.0, 0.3), Mixture(0.5, 0.0, 0.0, 0.5)
_ROUND, _ROUND_PLAIN = Mixture(0.05, 0.05, 0.6, 0.3), Mixture(0.1, 0.0, 0.6, 0.3)


@dataclass(frozen=True)
class ClassWords:
    r"""Word distributions of classes, estimated from labelled documents only.

    Attributes
    ----------
    own : ndarray of shape (n_terms, n_classes)
        The mean of u over the labelled documents of each class.
    translated : ndarray of shape (n_terms, n_classes) or None
        The mean of ``own`` translated once and twice: :math:`\sum_t p(w|t)\, own(t|c)`.
    pool : DocumentPool
    """

    own: FloatArray
    translated: FloatArray | None
    pool: DocumentPool

    @classmethod
    def from_labels(cls, pool: DocumentPool, rows: Any, truth: FloatArray, translate: bool) -> Self:
        """Estimate the word distributions from labelled documents of the pool.

        Parameters
        ----------
        pool : DocumentPool
            The documents.
        rows : array-like of int
            The labelled documents of the pool.
        truth : ndarray of shape (n_labelled, n_classes)
            Their labels as an indicator matrix.
        translate : bool
            True to estimate ``translated``, too.
        """
        own = _normalize_columns(pool.shares.matrix[rows].T @ truth, pool.background)
        translated = None
        if translate:
            once = _normalize_columns(pool.translation.times(own), own)
            twice = _normalize_columns(pool.translation.times(once), once)
            translated = (once + twice) / 2
        return cls(own, translated, pool)

    def mix(self, expected: FloatArray | None = None) -> FloatArray:
        """Return p(w|c), terms by classes, up to a constant factor.

        Parameters
        ----------
        expected : ndarray, default=None
            Expected counts of terms by classes in the pool; None before the first round.
        """
        plain = self.translated is None
        if expected is None:
            weights = _INITIAL_PLAIN if plain else _INITIAL
        else:
            weights = _ROUND_PLAIN if plain else _ROUND
        mixture = weights.own * self.own
        mixture += weights.background * self.pool.background[:, None]
        if self.translated is not None:
            mixture += weights.translated * self.translated
        if expected is not None:
            mixture += weights.expected * _normalize_columns(expected, self.own)
        return mixture + _FLOOR / self.pool.n_distinct


def _normalize_columns(values: FloatArray, default: FloatArray) -> FloatArray:
    """Return columns that sum to one; a column of zeros is replaced by ``default``."""
    sums = values.sum(axis=0)
    replacement = default if default.ndim == 2 else default[:, None]
    return np.where(sums > 0, values / np.where(sums > 0, sums, 1.0), replacement)


@dataclass(frozen=True)
class Anchor:
    """Linear classifier on v and z, trained on the labelled documents only.

    Attributes
    ----------
    units : ndarray of shape (n_terms, n_classes)
        Weights of v.
    latent : ndarray of shape (n_components, n_classes)
        Weights of z.
    bias : ndarray of shape (n_classes,)
    """

    units: FloatArray
    latent: FloatArray
    bias: FloatArray

    @classmethod
    def from_labels(
        cls, pool: DocumentPool, rows: Any, truth: FloatArray, cost: float, estimator: Any
    ) -> Self:
        """Train on labelled documents of the pool.

        Parameters
        ----------
        pool : DocumentPool
        rows : ndarray of int
            The labelled documents of the pool.
        truth : ndarray of shape (n_rows, n_classes)
            Their labels as an indicator matrix, one each.
        cost : float
            C of the logistic regression.
        estimator : classifier or None
            A linear classifier of scikit-learn to use instead.
        """
        units, latent = pool.units.matrix[rows], pool.latent[rows]
        n_classes = truth.shape[1]
        labels, importance = truth.argmax(axis=1), truth.max(axis=1)
        if len(np.unique(labels)) < 2:
            n_terms, n_latent = units.shape[1], latent.shape[1]
            zeros = np.zeros((n_terms, n_classes)), np.zeros((n_latent, n_classes))
            return cls(*zeros, np.zeros(n_classes))
        if estimator is None and len(labels) > _MAX_KERNEL_DOCUMENTS:
            estimator = _logistic_regression(cost)
        if estimator is not None:
            views = sparse.hstack([units, latent], format="csr")
            weights, bias = _fit_linear(estimator, views, labels, importance)
            parts = weights[: units.shape[1]], weights[units.shape[1] :]
        else:
            coefficients, bias = _fit_dual(units, latent, labels, importance, cost)
            parts = np.asarray(units.T @ coefficients), latent.T @ coefficients
        return cls(*_with_all_classes(parts[0], parts[1], bias, np.unique(labels), n_classes))

    def log_probabilities(self, pool: DocumentPool) -> FloatArray:
        """Return log-probabilities of the classes for all documents of the pool, bounded below.

        Parameters
        ----------
        pool : DocumentPool
            The documents.
        """
        return np.maximum(log_softmax(self.scores(pool), axis=1), _MIN_LOG_PROBABILITY)

    def scores(self, pool: DocumentPool) -> FloatArray:
        """Return the scores of all documents of the pool.

        Parameters
        ----------
        pool : DocumentPool
            The documents.
        """
        return pool.units.times(self.units) + pool.latent @ self.latent + self.bias


def _with_all_classes(
    units: FloatArray, latent: FloatArray, bias: FloatArray, present: Any, n_classes: int
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Add columns for classes without documents, which the anchor never predicts."""
    if len(present) == n_classes:
        return units, latent, bias
    wide = [np.zeros((len(part), n_classes)) for part in (units, latent)]
    wide[0][:, present], wide[1][:, present] = units, latent
    biases = np.full(n_classes, bias.min() + _MIN_LOG_PROBABILITY)
    biases[present] = bias
    return wide[0], wide[1], biases


def _fit_dual(
    units: Any, latent: FloatArray, labels: Any, importance: FloatArray, cost: float
) -> tuple[FloatArray, FloatArray]:
    r"""Fit a logistic regression; return coefficients of documents, and the bias.

    There are fewer labelled documents than terms. With the kernel :math:`K = Q S^2 Q^T`, the
    regression on the rows of :math:`Q S` has the same solution as that on [v, z], in a space of
    at most as many dimensions as documents.
    """
    values, vectors = linalg.eigh(_kernel(units, latent))
    nonzero = values > 1e-9 * max(values.max(initial=0.0), 1e-300)
    values, vectors = np.sqrt(values[nonzero]), vectors[:, nonzero]
    if not nonzero.any():
        values, vectors = np.ones(1), np.zeros((len(labels), 1))
    weights, bias = _fit_linear(_logistic_regression(cost), vectors * values, labels, importance)
    return vectors @ (weights / values[:, None]), bias


def _kernel(units: Any, latent: FloatArray) -> FloatArray:
    """Return the inner products of documents, in v and z together."""
    return np.asarray((units @ units.T).todense()) + latent @ latent.T


def _logistic_regression(cost: float) -> Any:
    from sklearn.linear_model import LogisticRegression

    return LogisticRegression(C=cost, max_iter=200, tol=1e-3)


def _fit_linear(
    estimator: Any, X: Any, labels: Any, importance: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Fit a linear classifier; return its weights, features by classes, and its bias."""
    more = {} if (importance == 1).all() else {"sample_weight": importance}
    # scikit-learn warns of many classes for few documents, which is the usual case here.
    with ignore_warnings(UserWarning, "The number of unique classes"):
        fitted = estimator.fit(X, labels, **more)
    if not (hasattr(fitted, "coef_") and hasattr(fitted, "decision_function")):
        raise _not_linear(estimator, "has no coef_ after fit, or no decision_function")
    weights = np.atleast_2d(_to_dense(fitted.coef_)).T
    bias = np.broadcast_to(np.ravel(fitted.intercept_), weights.shape[1:])
    decisions, linear = fitted.decision_function(X), np.asarray(X @ weights + bias)
    # An SVC, for instance, has coef_ for each pair of classes.
    if np.size(decisions) != np.size(linear) or not np.allclose(
        decisions, linear.reshape(decisions.shape), atol=1e-6
    ):
        raise _not_linear(estimator, "does not decide by its coef_ for each class")
    if weights.shape[1] == 1:
        return np.hstack([-weights, weights]) / 2, np.array([-bias[0], bias[0]]) / 2
    return weights, bias


def _to_dense(coefficients: Any) -> FloatArray:
    if hasattr(coefficients, "toarray"):
        coefficients = coefficients.toarray()
    return np.asarray(coefficients, dtype=np.float64)


def _not_linear(estimator: Any, reason: str) -> RecipeError:
    return RecipeError(
        f"anchor={type(estimator).__name__} {reason}: use a linear classifier such as "
        "LogisticRegression."
    )


@dataclass(frozen=True)
class Trust:
    """Held-out accuracy of the anchor and of naive Bayes, on the labelled documents.

    Attributes
    ----------
    anchor, plain, translated : float
        Accuracy of least squares, of naive Bayes on words, and of naive Bayes on translated words.
        NaN if classes have one document each; ``translated`` also if it was not measured.
    n : int
        Number of held-out documents.
    standard_error : float
        Of the difference between the anchor and naive Bayes.
    translation_standard_error : float
        Of the difference between naive Bayes on words and on translated words.
    """

    anchor: float
    plain: float
    translated: float
    n: int
    standard_error: float
    translation_standard_error: float

    @classmethod
    def from_held_out(
        cls, pool: DocumentPool, rows: Any, truth: FloatArray, translate: bool = True
    ) -> Self:
        """Cross-validate on labelled documents, in up to five folds (:func:`n_label_folds`).

        Parameters
        ----------
        pool : DocumentPool
        rows : ndarray of int
            The labelled documents of the pool.
        truth : ndarray of shape (n_rows, n_classes)
            Their labels as an indicator matrix, one each.
        translate : bool, default=True
            True to measure naive Bayes on translated words, which takes most of the time.
        """
        n_folds = n_label_folds(truth)
        if n_folds < 2:
            return cls(np.nan, np.nan, np.nan, len(rows), np.nan, np.nan)
        taken = take_evenly(_MAX_HELD_OUT, truth)
        rows, truth = rows[taken], truth[taken]
        folds, labels = cyclic_fold_numbers(truth, n_folds), truth.argmax(axis=1)
        kernel = _kernel(pool.units.matrix[rows], pool.latent[rows])
        anchor_right = held_out_ridge(kernel, truth, folds).argmax(axis=1) == labels
        words_right = [
            _held_out_naive_bayes(pool, rows, truth, folds, translated).argmax(axis=1) == labels
            for translated in ([False, True] if translate else [False])
        ]
        # max returns the first of equals: the translated one.
        best = max(reversed(words_right), key=np.mean)
        return cls(
            anchor=float(anchor_right.mean()),
            plain=float(words_right[0].mean()),
            translated=float(words_right[1].mean()) if translate else np.nan,
            n=len(rows),
            standard_error=paired_standard_error(anchor_right, best),
            translation_standard_error=paired_standard_error(words_right[0], words_right[-1]),
        )

    @property
    def use_translation(self) -> bool:
        """False if naive Bayes on plain words was better by more than a standard error."""
        return not self.plain - self.translated > self.translation_standard_error

    @property
    def is_known(self) -> bool:
        """True if there were documents to hold out."""
        return not np.isnan(self.anchor)

    @property
    def lead(self) -> float:
        """Accuracy of the anchor minus that of naive Bayes; 0 if it is not known."""
        return self.anchor - self.naive_bayes if self.is_known else 0.0

    @property
    def naive_bayes(self) -> float:
        """Accuracy of naive Bayes, on plain or translated words, whichever is better."""
        return float(np.fmax(self.plain, self.translated))

    def anchor_trust(self, evenness: float, doubt: float = 0.5) -> float:
        """Return the trust in the anchor during EM, from 0 to 1.

        It is at least one half if class sizes in the pool are uneven: documents of large classes
        then leak into small ones, and labelled documents, as many of each class, do not show it.

        Parameters
        ----------
        evenness : float
            Of the pool, see :attr:`PoolPosteriors.evenness`.
        doubt : float, default=0.5
            Number of standard errors subtracted from the lead of the anchor.
        """
        smallest = _UNEVEN_TRUST if evenness < _MIN_EVENNESS else 0.0
        if not self.is_known:
            return smallest
        lead = self.lead - doubt * self.standard_error
        return float(np.clip(lead / _FULL_TRUST_LEAD, smallest, 1.0))

    def naive_bayes_trust(self, evenness: float) -> float:
        """Return the trust in naive Bayes in the final scores, from 0 to 1.

        Parameters
        ----------
        evenness : float
            Of the pool, see :attr:`PoolPosteriors.evenness`.
        """
        if evenness < _MIN_EVENNESS:
            return 0.0
        if not self.is_known:
            return 1.0
        return float(np.clip(0.5 - self.lead / (2 * _FULL_TRUST_LEAD), 0.0, 1.0))


def _held_out_naive_bayes(
    pool: DocumentPool, rows: Any, truth: FloatArray, folds: Any, translate: bool
) -> FloatArray:
    """Return held-out scores of naive Bayes on plain or translated words."""
    shares = pool.shares.matrix[rows]
    scores = np.empty_like(truth)
    for train, held in iter_splits(folds):
        words = ClassWords.from_labels(pool, rows[train], truth[train], translate).mix()
        scores[held] = shares[held] @ np.log(words)
    return scores


def add_names(
    pool: DocumentPool, rows: Any, truth: FloatArray, names: Any, translate: bool
) -> tuple[DocumentPool, Any, FloatArray]:
    r"""Add the name of each class to the labelled documents of a pool.

    A name counts as :math:`\omega` documents, where :math:`\omega` grows with the accuracy of a
    naive Bayes model of the names alone on the labelled documents. Names that are no better than
    chance are left out, except for classes without a labelled document.

    Parameters
    ----------
    pool : DocumentPool
    rows : ndarray of int
        The labelled documents of the pool.
    truth : ndarray of shape (n_rows, n_classes)
        Their labels as an indicator matrix, one each.
    names : csr_array of shape (n_classes, n_columns)
        The weights of the words of each name; a row may be empty.
    translate : bool
        True to use translated words.

    Returns
    -------
    pool, rows, truth
        With a row for each name; their entries in ``truth`` are :math:`\omega`.
    """
    if translate:
        _ = pool.translation  # of the documents only, which the larger pool inherits
    n_documents, n_classes = pool.n_documents, truth.shape[1]
    larger = pool.append_weighted(names)
    # Words of a name may all be too rare or too common to have a weight.
    known = np.diff(larger.shares.matrix.indptr[n_documents:]) > 0
    weight = _name_weight(larger, rows, truth, known, translate)
    named = np.flatnonzero(known & ((weight >= _MIN_NAME_WEIGHT) | ~truth.any(axis=0)))
    if not named.size:
        return pool, rows, truth
    kept = np.append(np.arange(n_documents), n_documents + named)
    return (
        larger.take(kept),
        np.append(rows, n_documents + np.arange(len(named))).astype(np.intp),
        np.vstack([truth, max(weight, _MIN_NAME_WEIGHT) * np.eye(n_classes)[named]]),
    )


def _name_weight(
    pool: DocumentPool, rows: Any, truth: FloatArray, known: Any, translate: bool
) -> float:
    """Return the number of documents that a name counts as, by its fit to the labelled ones.

    The names are the last documents of the pool; ``known`` says which of them have words.
    """
    checked = truth[:, known].any(axis=1)
    n, n_named = int(checked.sum()), int(known.sum())
    if not n or n_named < 2:
        return _MAX_NAME_WEIGHT if n_named else 0.0
    names = pool.n_documents - len(known) + np.flatnonzero(known)
    words = ClassWords.from_labels(pool, names, np.eye(n_named), translate).mix()
    scores = pool.shares.matrix[rows[checked]] @ np.log(words)
    right = scores.argmax(axis=1) == truth[checked][:, known].argmax(axis=1)
    lead = (right.sum() - n / n_named) / (1 - 1 / n_named)
    shrunk = (lead + _NAME_PSEUDO_DOCUMENTS * _NAME_LEAD) / (n + _NAME_PSEUDO_DOCUMENTS)
    return float(np.clip(shrunk / _NAME_LEAD, 0.0, 1.0)) * _MAX_NAME_WEIGHT


def document_weights(
    pool: DocumentPool, rows: Any, labelled_weight: float = 20.0, unseen: Any = ()
) -> FloatArray:
    """Return the weight of each document in the regression: 1 without a label.

    Parameters
    ----------
    pool : DocumentPool
        All documents.
    rows : array-like of int
        The labelled documents of the pool.
    labelled_weight : float, default=20.0
        The weight of these.
    unseen : array-like of int, default=()
        Documents of weight 0.
    """
    weights = np.ones(pool.n_documents)
    weights[rows] = labelled_weight
    weights[np.asarray(unseen, dtype=np.intp)] = 0.0
    return weights


def posterior_regression(
    pool: DocumentPool,
    posteriors: FloatArray,
    weights: FloatArray,
    penalty: float,
    start: FloatArray | None = None,
) -> tuple[FloatArray, FloatArray]:
    r"""Return weights of terms for classes, and the bias, of a regression on class posteriors.

    .. math:: \min_B \sum_d \omega_d \left\lVert v_d B - (R_d - \bar R) \right\rVert^2
              + \lambda \lVert B \rVert^2

    by a few steps of conjugate gradients, with :math:`\bar R` the weighted mean.

    Parameters
    ----------
    pool : DocumentPool
    posteriors : ndarray of shape (n_documents, n_classes)
        R, the probability of each class for each document.
    weights : ndarray of shape (n_documents,)
        :math:`\omega`; see :func:`document_weights`.
    penalty : float
        :math:`\lambda`.
    start : ndarray of shape (n_terms, n_classes), default=None
        Weights to start from, of a regression on nearly the same documents; None for zeros.
    """
    weights = weights[:, None]
    mean = (weights * posteriors).sum(axis=0) / weights.sum()

    def multiply(B: FloatArray) -> FloatArray:
        return pool.units.transposed_times(weights * pool.units.times(B))

    right = pool.units.transposed_times(weights * (posteriors - mean))
    n_steps = _REGRESSION_STEPS
    if start is not None:
        right -= multiply(start) + penalty * start
        n_steps = _WARM_REGRESSION_STEPS
    solution = conjugate_gradient(multiply, right, penalty, 0.0, n_steps, lambda: None).values
    return solution if start is None else start + solution, mean

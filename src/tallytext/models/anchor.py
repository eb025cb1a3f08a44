"""What labelled documents alone say: a linear classifier on two views of documents."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from scipy import linalg, sparse
from scipy.special import log_softmax

from tallytext._typing import FloatArray
from tallytext.errors import RecipeError
from tallytext.models.anchored_em import ClassWords
from tallytext.models.llsf import descend
from tallytext.models.pool import Pool

_LEAST = np.log(1e-6)  # no anchor is surer than that a document is not of a class
_MOST_PAIRED = 2000  # labelled documents of which a table of all pairs is made


@dataclass(frozen=True)
class Anchor:
    """Weights of words and of latent dimensions for classes.

    Attributes
    ----------
    units : ndarray of shape (n_terms, n_classes)
    latent : ndarray of shape (n_components, n_classes)
    bias : ndarray of shape (n_classes,)
    """

    units: FloatArray
    latent: FloatArray
    bias: FloatArray

    @classmethod
    def trained(cls, pool: Pool, rows: Any, truth: FloatArray, cost: float, estimator: Any) -> Self:
        """Train on some rows of the pool.

        Parameters
        ----------
        pool : Pool
        rows : ndarray of int
            Which documents have labels.
        truth : ndarray of shape (n_rows, n_classes)
            Their labels, one each.
        cost : float
            What errors cost a logistic regression.
        estimator : classifier or None
            A linear classifier of scikit-learn to take instead.
        """
        units, latent = pool.units.matrix[rows], pool.latent[rows]
        n_classes = truth.shape[1]
        labels = truth.argmax(axis=1)
        if n_classes == 1:
            return cls(np.zeros((units.shape[1], 1)), np.zeros((latent.shape[1], 1)), np.zeros(1))
        if estimator is None and len(labels) > _MOST_PAIRED:
            estimator = _logistic_regression(cost)
        if estimator is not None:
            views = sparse.hstack([units, latent], format="csr")
            weights, bias = _linear(estimator, views, labels)
            return cls(weights[: units.shape[1]], weights[units.shape[1] :], bias)
        coefficients, bias = _by_likeness(units, latent, labels, cost)
        return cls(np.asarray(units.T @ coefficients), latent.T @ coefficients, bias)

    def log_probabilities(self, pool: Pool) -> FloatArray:
        """Return what is made of all documents of the pool, none of them quite impossible.

        Parameters
        ----------
        pool : Pool
            The documents.
        """
        return np.maximum(log_softmax(self.scores(pool), axis=1), _LEAST)

    def scores(self, pool: Pool) -> FloatArray:
        """Return the score of all documents of the pool.

        Parameters
        ----------
        pool : Pool
            The documents.
        """
        return pool.units.times(self.units) + pool.latent @ self.latent + self.bias


def _by_likeness(
    units: Any, latent: FloatArray, labels: Any, cost: float
) -> tuple[FloatArray, FloatArray]:
    """Return coefficients of documents, and the bias, of a logistic regression.

    There are fewer labelled documents than words: in the space that they span the regression is
    the same, and small.
    """
    values, vectors = linalg.eigh(likeness(units, latent))
    kept = values > 1e-9 * max(values.max(initial=0.0), 1e-300)
    values, vectors = np.sqrt(values[kept]), vectors[:, kept]
    if not kept.any():
        values, vectors = np.ones(1), np.zeros((len(labels), 1))
    weights, bias = _linear(_logistic_regression(cost), vectors * values, labels)
    return vectors @ (weights / values[:, None]), bias


def _logistic_regression(cost: float) -> Any:
    from sklearn.linear_model import LogisticRegression

    return LogisticRegression(C=cost, max_iter=200, tol=1e-3)


def likeness(units: Any, latent: FloatArray) -> FloatArray:
    """Return how alike documents are, to each other, in both views."""
    return np.asarray((units @ units.T).todense()) + latent @ latent.T


def _linear(estimator: Any, X: Any, labels: Any) -> tuple[FloatArray, FloatArray]:
    """Fit a linear classifier and return its weights, by columns, and its bias."""
    with warnings.catch_warnings():
        # With a document or two of each class there are many classes, and none is a slip.
        warnings.filterwarnings("ignore", "The number of unique classes", UserWarning)
        fitted = estimator.fit(X, labels)
    if not (hasattr(fitted, "coef_") and hasattr(fitted, "decision_function")):
        raise _not_linear(estimator, "has no coef_ after fit, or no decision_function")
    weights = np.atleast_2d(_dense(fitted.coef_)).T
    bias = np.broadcast_to(np.ravel(fitted.intercept_), weights.shape[1:])
    said, own = fitted.decision_function(X), np.asarray(X @ weights + bias)
    if np.size(said) != np.size(own) or not np.allclose(said, own.reshape(said.shape), atol=1e-6):
        raise _not_linear(estimator, "does not decide by its coef_ for each class")
    if weights.shape[1] == 1:
        return np.hstack([-weights, weights]) / 2, np.array([-bias[0], bias[0]]) / 2
    return weights, bias


def _dense(coefficients: Any) -> FloatArray:
    if hasattr(coefficients, "toarray"):
        coefficients = coefficients.toarray()
    return np.asarray(coefficients, dtype=np.float64)


def _not_linear(estimator: Any, why: str) -> RecipeError:
    return RecipeError(
        f"anchor={type(estimator).__name__} {why}: give a linear classifier such as "
        "LogisticRegression."
    )


# ------------------------------------------------------------------------------------------------
# A linear map from documents to the classes that they are expected to be of.

_STEPS = 12


def document_weights(
    pool: Pool, rows: Any, labelled_weight: float = 20.0, unseen: Any = ()
) -> FloatArray:
    """Return what documents weigh: those with labels so much, those unseen nothing, others one.

    Parameters
    ----------
    pool : Pool
        All documents.
    rows : array-like of int
        Which of them have labels.
    labelled_weight : float, default=20.0
        What these weigh.
    unseen : array-like of int, default=()
        Which are left out.
    """
    weights = np.ones(pool.n_documents)
    weights[rows] = labelled_weight
    weights[np.asarray(unseen, dtype=np.intp)] = 0.0
    return weights


def expected_regression(
    pool: Pool, shares: FloatArray, weights: FloatArray, penalty: float
) -> tuple[FloatArray, FloatArray]:
    r"""Return weights of words for classes, and what is added for every document.

    .. math:: \min_B \sum_d \omega_d \left\lVert v_d B - (R_d - \bar R) \right\rVert^2
              + \lambda \lVert B \rVert^2

    by a few conjugate gradients, with :math:`\bar R` the weighted mean.

    Parameters
    ----------
    pool : Pool
    shares : ndarray of shape (n_documents, n_classes)
        R, the probability of each class for each document.
    weights : ndarray of shape (n_documents,)
        :math:`\omega`; see :func:`document_weights`.
    penalty : float
        :math:`\lambda`.
    """
    weights = weights[:, None]
    mean = (weights * shares).sum(axis=0) / weights.sum()

    def product(found: FloatArray) -> FloatArray:
        return pool.units.transposed_times(weights * pool.units.times(found))

    right = pool.units.transposed_times(weights * (shares - mean))
    solution = descend(product, right, penalty, 0.0, _STEPS, lambda: None)
    return solution.values, mean


# ------------------------------------------------------------------------------------------------
# How far to trust the anchor, and whether to translate: asked of labelled documents held out.

_MOST_FOLDS = 5
_MOST_ASKED = 4000  # documents; a table of all pairs of them is inverted
_PENALTY = 0.1  # of the least squares that stand in for the anchor
_FULL = 0.03  # by how much the anchor must be right more often to be trusted in full
_UNEVEN = 0.95  # of the evenness: below, class sizes differ much
_UNEVEN_TRUST = 0.5


@dataclass(frozen=True)
class Trust:
    """What labelled documents say that their own model had not seen.

    Attributes
    ----------
    anchor, plain, translated : float
        Shares of them that were right: by least squares, by naive Bayes on words, and by naive
        Bayes on what words stand for. NaN where classes have one document each, or where nobody
        asked for translations.
    n : int
        How many there were.
    doubt : float
        The standard error of the difference between the anchor and naive Bayes.
    plain_doubt : float
        That of the difference between naive Bayes on words and on what they stand for.
    """

    anchor: float
    plain: float
    translated: float
    n: int
    doubt: float
    plain_doubt: float

    @classmethod
    def measured(cls, pool: Pool, rows: Any, truth: FloatArray, translate: bool = True) -> Self:
        """Ask documents of some rows, in as many folds as classes have documents, five at most.

        Parameters
        ----------
        pool : Pool
        rows : ndarray of int
            Which documents have labels.
        truth : ndarray of shape (n_rows, n_classes)
            Their labels, one each.
        translate : bool, default=True
            Whether to ask what translation does; it takes most of the time.
        """
        n_folds = min(_MOST_FOLDS, int(np.median(truth.sum(axis=0))))
        if n_folds < 2:
            return cls(np.nan, np.nan, np.nan, len(rows), np.nan, np.nan)
        rows, truth = _at_most(_MOST_ASKED, rows, truth)
        folds, labels = _dealt(truth, n_folds), truth.argmax(axis=1)
        by_anchor = _held_out_squares(pool, rows, truth, folds).argmax(axis=1) == labels
        by_words = [
            _held_out_words(pool, rows, truth, folds, translated).argmax(axis=1) == labels
            for translated in ([False, True] if translate else [False])
        ]
        # Of equals, the translated one.
        best = max(reversed(by_words), key=np.mean)
        return cls(
            anchor=float(by_anchor.mean()),
            plain=float(by_words[0].mean()),
            translated=float(by_words[1].mean()) if translate else np.nan,
            n=len(rows),
            doubt=_standard_error(by_anchor, best),
            plain_doubt=_standard_error(by_words[0], by_words[-1]),
        )

    @property
    def translates(self) -> bool:
        """Whether translation pays; so it is taken to, unless it clearly does not."""
        return not self.plain - self.translated > self.plain_doubt

    @property
    def is_known(self) -> bool:
        """Whether there was anything to hold out."""
        return not np.isnan(self.anchor)

    @property
    def ahead(self) -> float:
        """By how much the anchor was right more often than naive Bayes; 0 where nobody can tell."""
        return self.anchor - self.words if self.is_known else 0.0

    @property
    def words(self) -> float:
        """Share that naive Bayes was right of, plain or translated, whichever was better."""
        return float(np.fmax(self.plain, self.translated))

    def of_anchor(self, evenness: float, doubt: float = 0.5) -> float:
        """Return how far to trust the anchor while the pool is shared out, from 0 to 1.

        At least half where classes of the pool turn out uneven: documents of large ones leak into
        small ones then, which labelled documents, as many of each class, cannot show.

        Parameters
        ----------
        evenness : float
            Of the pool, see :attr:`Expected.evenness`.
        doubt : float, default=0.5
            How many standard errors are taken off the lead of the anchor.
        """
        least = _UNEVEN_TRUST if evenness < _UNEVEN else 0.0
        if not self.is_known:
            return least
        return float(np.clip((self.ahead - doubt * self.doubt) / _FULL, least, 1.0))

    def of_words(self, evenness: float) -> float:
        """Return how far to trust naive Bayes when a document is judged, from 0 to 1.

        Parameters
        ----------
        evenness : float
            How even the classes of the pool are, from 0 to 1.
        """
        if evenness < _UNEVEN:
            return 0.0
        return float(np.clip(0.5 - self.ahead / (2 * _FULL), 0.0, 1.0)) if self.is_known else 1.0


def _standard_error(first: Any, second: Any) -> float:
    """Return that of the difference between two shares of right answers on the same documents."""
    return float(np.sqrt(np.mean(first != second) / len(first)))


def _at_most(n: int, rows: Any, truth: FloatArray) -> tuple[Any, FloatArray]:
    """Return so many of the documents at most, in turn from all classes."""
    if len(rows) <= n:
        return rows, truth
    kept = np.sort(np.argsort(_turns(truth), kind="stable")[:n])
    return rows[kept], truth[kept]


def _dealt(truth: FloatArray, n_folds: int) -> Any:
    """Return a fold for each document, those of each class dealt out in turn."""
    return _turns(truth) % n_folds


def _turns(truth: FloatArray) -> Any:
    """Return how many documents of its class come before each."""
    before = np.cumsum(truth, axis=0) - truth
    return (before * truth).sum(axis=1).astype(np.intp)


def _held_out_squares(pool: Pool, rows: Any, truth: FloatArray, folds: Any) -> FloatArray:
    r"""Return least-squares scores of documents by what those of other folds say.

    With :math:`G = (K + \lambda I)^{-1}` the error of a held-out block is
    :math:`G_{BB}^{-1} (G y)_B`, so that one inverse serves all folds.
    """
    targets = truth - 1 / truth.shape[1]
    likes = likeness(pool.units.matrix[rows], pool.latent[rows])
    inverse = np.linalg.inv(likes + _PENALTY * np.eye(len(likes)))
    solved = inverse @ targets
    found = np.empty_like(targets)
    for fold in range(folds.max() + 1):
        held = np.flatnonzero(folds == fold)
        found[held] = targets[held] - np.linalg.solve(inverse[np.ix_(held, held)], solved[held])
    return found


def _held_out_words(
    pool: Pool, rows: Any, truth: FloatArray, folds: Any, translate: bool
) -> FloatArray:
    """Return naive Bayes scores of documents by words of other folds, plain or translated."""
    shares = pool.shares.matrix[rows]
    found = np.empty_like(truth)
    for fold in range(folds.max() + 1):
        held, kept = np.flatnonzero(folds == fold), np.flatnonzero(folds != fold)
        words = ClassWords.of(pool, rows[kept], truth[kept], translate).mixed()
        found[held] = shares[held] @ np.log(words)
    return found

"""Which class each document of a pool is of: expectation and maximisation, held by an anchor."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from scipy.special import softmax

from tallytext._typing import FloatArray
from tallytext._validation import check_between, check_whole
from tallytext.models.pool import Pool, unit_rows

# ------------------------------------------------------------------------------------------------
# Words of classes: their own, those that these stand for, and those of the pool.

_FLOOR = 0.002  # shared by all words, of as much as an average document has different words


@dataclass(frozen=True)
class Mixture:
    """Shares of what a class model is mixed from; they sum to one.

    Attributes
    ----------
    own : float
        Words of the labelled documents.
    translated : float
        Words that those stand for.
    expected : float
        Words of the documents that are expected to be of the class.
    background : float
        Words of all documents.
    """

    own: float
    translated: float
    expected: float
    background: float


#: Before the pool was looked at, and while it is; with translation, and without it.
START, START_PLAIN = Mixture(0.1, 0.6, 0.0, 0.3), Mixture(0.5, 0.0, 0.0, 0.5)
ROUND, ROUND_PLAIN = Mixture(0.05, 0.05, 0.6, 0.3), Mixture(0.1, 0.0, 0.6, 0.3)


@dataclass(frozen=True)
class ClassWords:
    r"""What is known of the words of classes from labelled documents alone.

    Attributes
    ----------
    own : ndarray of shape (n_terms, n_classes)
        The mean of u over the labelled documents of each class.
    translated : ndarray of shape (n_terms, n_classes) or None
        Words that those of the class stand for, after one and after two steps of translation.
    pool : Pool
    """

    own: FloatArray
    translated: FloatArray | None
    pool: Pool

    @classmethod
    def of(cls, pool: Pool, rows: Any, truth: FloatArray, translate: bool) -> Self:
        """Return the words of classes from some rows of the pool and their labels.

        Parameters
        ----------
        pool : Pool
            The documents.
        rows : array-like of int
            Which documents have labels.
        truth : ndarray of shape (n_labelled, n_classes)
            1 where a class applies.
        translate : bool
            Whether words stand for others, too.
        """
        own = _columns(pool.shares.matrix[rows].T @ truth, pool.background)
        translated = None
        if translate:
            once = _columns(pool.translation.times(own), own)
            twice = _columns(pool.translation.times(once), once)
            translated = (once + twice) / 2
        return cls(own, translated, pool)

    def mixed(self, expected: FloatArray | None = None) -> FloatArray:
        """Return p(w|c), words by classes, but for a constant.

        Parameters
        ----------
        expected : ndarray, default=None
            Expected counts of words by classes, from documents without labels.
        """
        plain = self.translated is None
        if expected is None:
            shares = START_PLAIN if plain else START
        else:
            shares = ROUND_PLAIN if plain else ROUND
        found = shares.own * self.own
        found += shares.background * self.pool.background[:, None]
        if self.translated is not None:
            found += shares.translated * self.translated
        if expected is not None:
            found += shares.expected * _columns(expected, self.own)
        return found + _FLOOR / self.pool.n_distinct


def _columns(values: FloatArray, empty: FloatArray) -> FloatArray:
    """Return columns that sum to one; ``empty`` in the place of those of nothing."""
    sums = values.sum(axis=0)
    instead = empty if empty.ndim == 2 else empty[:, None]
    return np.where(sums > 0, values / np.where(sums > 0, sums, 1.0), instead)


_OWN_PLACE = 0.2  # of a document, what the labelled ones of a class add to its place in the pool
_SPARE = 0.1  # of the documents, that are shared out evenly when classes are counted
_FASTER = 1.5  # by which evidence grows from round to round, until it counts in full


@dataclass(frozen=True)
class Expected:
    """What a pool comes to.

    Attributes
    ----------
    shares : ndarray of shape (n_documents, n_classes)
        The probability of each class for each document; the label, where there is one.
    words : ndarray of shape (n_terms, n_classes)
        ln p(w|c).
    places : ndarray of shape (n_components, n_classes)
        Where each class lies in the latent space: directions.
    log_sizes : ndarray of shape (n_classes,)
        Logarithms of how large the classes are in the pool.
    """

    shares: FloatArray
    words: FloatArray
    places: FloatArray
    log_sizes: FloatArray

    @property
    def evenness(self) -> float:
        """The entropy of class sizes in the pool, as a share of the largest possible."""
        sizes = self.shares.mean(axis=0)
        entropy = -(sizes * np.log(np.maximum(sizes, 1e-300))).sum()
        return float(entropy / np.log(len(sizes))) if len(sizes) > 1 else 1.0


@dataclass(frozen=True)
class AnchoredEM:
    r"""Expectation and maximisation over a pool (after Nigam et al.), with an anchor.

    In each round every document without a label is shared out among the classes,

    .. math:: R_{dc} \propto \exp\left[ a_r \left(L \sum_w u_{dw} \ln p(w \mid c)
              + \kappa\, z_d \cdot m_c + \gamma \ln p_{\text{anchor}}(c \mid d) \right)
              + \ln \pi_c \right]

    and the classes are found anew: p(w|c) is mixed from the words of labelled documents, what
    these stand for, the expected words :math:`\sum_d R_{dc} u_{dw}` and the background;
    :math:`m_c` is the direction of :math:`\sum_d R_{dc} z_d`; :math:`\pi_c` the share of c in the
    pool. Scores per token times a length L keep long documents from being all or nothing. Without
    the anchor, documents of large classes leak into small ones.

    Parameters
    ----------
    rounds : int, default=12
    length : float, default=20.0
        L, the length that every document is given.
    concentration : float, default=10.0
        :math:`\kappa`, how closely documents of a class lie together in the latent space.
    annealing : float, default=0.2
        :math:`a_1`, how much evidence counts in the first round; 1 for in full. It grows by half
        from round to round.
    """

    rounds: int = 12
    length: float = 20.0
    concentration: float = 10.0
    annealing: float = 0.2

    def __post_init__(self) -> None:
        check_whole("rounds", self.rounds, 1)
        check_between("length", self.length, 1e-9, 1e9)
        check_between("concentration", self.concentration, 0.0, 1e6)
        check_between("annealing", self.annealing, 1e-6, 1.0)

    def run(
        self,
        pool: Pool,
        rows: Any,
        truth: FloatArray,
        start: ClassWords,
        held: FloatArray,
        step: Callable[[], None] = lambda: None,
    ) -> Expected:
        r"""Share out the pool.

        Parameters
        ----------
        pool : Pool
        rows : ndarray of int
            Which documents have labels.
        truth : ndarray of shape (n_rows, n_classes)
            Their labels, one each.
        start : ClassWords
            What these say of the words of classes.
        held : ndarray of shape (n_documents, n_classes)
            What the anchor says, times :math:`\gamma`.
        step : callable
            Is told of each round.
        """
        labelled = truth.T @ pool.latent[rows]
        words, places = np.log(start.mixed()), unit_rows(labelled).T
        log_sizes: FloatArray = np.zeros(truth.shape[1])
        for at in range(self.rounds):
            evidence = held + self.evidence(pool, words, places)
            evidence *= min(1.0, self.annealing * _FASTER**at)
            shares = softmax(evidence + log_sizes, axis=1)
            log_sizes = _log_sizes(shares)
            shares[rows] = truth
            words = np.log(start.mixed(pool.shares.transposed_times(shares)))
            places = unit_rows(shares.T @ pool.latent + _OWN_PLACE * unit_rows(labelled)).T
            step()
        return Expected(shares, words, places, log_sizes)

    def evidence(self, pool: Pool, words: FloatArray, places: FloatArray) -> FloatArray:
        """Return what words and latent places of all documents say of the classes.

        Parameters
        ----------
        pool : Pool
            The documents.
        words : ndarray
            What each word says for each class, words by classes.
        places : ndarray
            The mean of each class in the latent space.
        """
        found = self.length * pool.shares.times(words)
        found += self.concentration * (pool.latent @ places)
        return found


def _log_sizes(shares: FloatArray) -> FloatArray:
    n, n_classes = shares.shape
    return np.log((shares.sum(axis=0) + _SPARE * n / n_classes) / ((1 + _SPARE) * n))

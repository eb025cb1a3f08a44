"""How far to trust the anchor, and whether to translate: asked of labelled documents held out."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from tallytext.smoothing.base import Numbers
from tallytext.unlabelled.anchor import likeness
from tallytext.unlabelled.class_model import ClassWords
from tallytext.unlabelled.pool import Pool

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
    def measured(cls, pool: Pool, rows: Any, truth: Numbers, translate: bool = True) -> Self:
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


def _at_most(n: int, rows: Any, truth: Numbers) -> tuple[Any, Numbers]:
    """Return so many of the documents at most, in turn from all classes."""
    if len(rows) <= n:
        return rows, truth
    kept = np.sort(np.argsort(_turns(truth), kind="stable")[:n])
    return rows[kept], truth[kept]


def _dealt(truth: Numbers, n_folds: int) -> Any:
    """Return a fold for each document, those of each class dealt out in turn."""
    return _turns(truth) % n_folds


def _turns(truth: Numbers) -> Any:
    """Return how many documents of its class come before each."""
    before = np.cumsum(truth, axis=0) - truth
    return (before * truth).sum(axis=1).astype(np.intp)


def _held_out_squares(pool: Pool, rows: Any, truth: Numbers, folds: Any) -> Numbers:
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


def _held_out_words(pool: Pool, rows: Any, truth: Numbers, folds: Any, translate: bool) -> Numbers:
    """Return naive Bayes scores of documents by words of other folds, plain or translated."""
    shares = pool.shares.matrix[rows]
    found = np.empty_like(truth)
    for fold in range(folds.max() + 1):
        held, kept = np.flatnonzero(folds == fold), np.flatnonzero(folds != fold)
        words = ClassWords.of(pool, rows[kept], truth[kept], translate).mixed()
        found[held] = shares[held] @ np.log(words)
    return found

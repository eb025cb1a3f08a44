"""Known words and novelty: signs that a text is of no class that a classifier has learned."""

from __future__ import annotations

from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from tallytext._core import CHAR_MARK
from tallytext._typing import FloatArray
from tallytext.tally.tally import Tally
from tallytext.text.analysis import Analyzer
from tallytext.text.sources import as_texts
from tallytext.text.vocabulary import Vocabulary

COEFFICIENTS = (0.69, -0.50, 8.83)
"""Constant, and coefficients of the two signals: a logistic regression on corpora with classes left
out, fitted by benchmarks/novelty.py."""

# The calibration of a probability beyond this is not worth its extrapolation.
_MAX_PROBABILITY = 1 - 1e-4


class KnownShares(NamedTuple):
    """The shares of texts that occur in learned documents, from 0 to 1.

    A text without any word has the share 0.

    Attributes
    ----------
    words : ndarray of shape (n_documents,)
        Share of the words.
    terms : ndarray of shape (n_documents,)
        Share of all terms: words, and pairs of words and strings of characters if the classifier
        counts these.
    """

    words: FloatArray
    terms: FloatArray

    @classmethod
    def from_texts(
        cls, texts: Any, analyzer: Analyzer, vocabulary: Vocabulary, learned: NDArray[np.bool_]
    ) -> Self:
        """Count the known terms of texts.

        Parameters
        ----------
        texts : list or column of str
        analyzer : Analyzer
            Turns texts into terms.
        vocabulary : Vocabulary
            The terms of the classifier.
        learned : ndarray of bool
            For each id of the vocabulary, False if every document with the term was forgotten.

        Examples
        --------
        >>> shares = KnownShares.from_texts(
        ...     ["new york", "new new moon"], Analyzer(ngram_range=(1, 2)), Vocabulary(["new"]),
        ...     np.array([True]))
        >>> shares.words.round(2), shares.terms.round(2)
        (array([0.5 , 0.67]), array([0.33, 0.4 ]))
        """
        # All terms of the texts, by a vocabulary of their own; that of the classifier stays.
        own = Vocabulary()
        rows = analyzer.count(as_texts(texts), own, grow=True)
        ids = vocabulary.locate(own)
        # Terms that another thread has just added are not learned yet.
        known = (ids >= 0) & (ids < len(learned))
        known[known] = learned[ids[known]]
        n = len(rows.starts) - 1
        document = np.repeat(np.arange(n), np.diff(rows.starts))

        def share(counted: NDArray[np.bool_]) -> FloatArray:
            counts = rows.counts * counted[rows.terms]
            total = np.bincount(document, counts, n)
            found = np.bincount(document, counts * known[rows.terms], n)
            return np.asarray(found / np.maximum(total, 1.0))

        everything = np.ones(len(own), dtype=bool)
        return cls(share(_are_words(analyzer, own)), share(everything))


def _are_words(analyzer: Analyzer, terms: Vocabulary) -> NDArray[np.bool_]:
    """Return True for single words; for all terms if single words are not counted."""
    shortest, longest = analyzer.ngram_range
    if shortest > 1 or analyzer.tokens == "chars" or (longest == 1 and analyzer.chars is None):
        return np.ones(len(terms), dtype=bool)
    has_strings = analyzer.chars is not None
    return np.array(
        [not (" " in term or (has_strings and term.startswith(CHAR_MARK))) for term in terms],
        dtype=bool,
    )


def expected_unknown_share(tally: Tally) -> float:
    """Return the share of unknown terms that a new document of the known classes would have.

    It is Good and Turing's estimate: the share of tokens whose term occurs once.

    Examples
    --------
    >>> tally = Tally.from_texts(["salt wave salt", "blue wave"], ["sea", "sky"])
    >>> expected_unknown_share(tally)
    0.2
    """
    return tally.small_counts("pooled").get(1, 0) / max(int(tally.n_tokens), 1)


def novelty_scores(proba: FloatArray, known: FloatArray, expected_unknown: float) -> FloatArray:
    r"""Return the novelty of documents: how likely they are of no known class, from 0 to 1.

    .. math:: \sigma\bigl(a - b \operatorname{logit} \max_c p_c + k\,(u - \hat u)\bigr)

    where u is the share of unknown terms, and :math:`\hat u` the share that is expected of a
    document of a known class.

    Parameters
    ----------
    proba : ndarray of shape (n_documents, n_classes)
        Probabilities of classes.
    known : ndarray of shape (n_documents,)
        Share of known terms; a document without any has the novelty 1.
    expected_unknown : float
        See :func:`expected_unknown_share`.

    Examples
    --------
    >>> proba = np.array([[0.99, 0.01], [0.6, 0.4], [0.6, 0.4], [0.6, 0.4]])
    >>> novelty_scores(proba, np.array([1.0, 1.0, 0.5, 0.0]), 0.05).round(2)
    array([0.11, 0.51, 0.99, 1.  ])
    """
    constant, per_logit, per_share = COEFFICIENTS
    logit, surprise = novelty_signals(proba, known, expected_unknown)
    z = constant + per_logit * logit + per_share * surprise
    return np.where(known > 0, 1 / (1 + np.exp(-z)), 1.0)


def novelty_signals(
    proba: FloatArray, known: FloatArray, expected_unknown: float
) -> tuple[FloatArray, FloatArray]:
    """Return the log-odds of the best class, and the share of unexpected unknown terms.

    Parameters
    ----------
    proba, known, expected_unknown
        As for :func:`novelty_scores`.
    """
    best = np.clip(proba.max(axis=1, initial=0.0), 1 - _MAX_PROBABILITY, _MAX_PROBABILITY)
    return np.log(best / (1 - best)), (1.0 - known) - expected_unknown

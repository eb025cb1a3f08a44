"""What every smoothing of word probabilities has in common."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Protocol, Self

import numpy as np
from numpy.typing import NDArray

from tallytext._typing import FloatArray, Measure


class ClassSum(Protocol):
    """Sums a function of the counts of each class."""

    def __call__(self, measure: Measure, occurrences: bool = False) -> FloatArray:
        """Return the sum over the words of each class of ``measure(N)``."""
        ...


@dataclass(frozen=True)
class Classes:
    """What a smoothing may know of the classes; arrays of one shape, or that broadcast.

    Attributes
    ----------
    tokens : ndarray
        :math:`T_c`, the sum of the counts of the class.
    terms : ndarray
        :math:`K_c`, how many words have a count in it.
    total : float or ndarray
        :math:`T`, the count of all words in all documents.
    n_terms : float or ndarray
        :math:`V`, the size of the vocabulary.
    whole : bool
        Whether counts are whole numbers.
    sum : callable
        ``sum(h)`` is :math:`\\sum_{w} h(N_{cw})` over the words of the class, and
        ``sum(h, occurrences=True)`` is :math:`\\sum_{w} h(N_{cw})\\, T_w`, for a function with
        h(0) = 0. Costs a pass over all counts.
    usable : bool or ndarray of bool
        Whether the class has signatures that stand for words.
    pruned : float or ndarray
        How much of what they stand for is left to the background.
    """

    tokens: FloatArray
    terms: FloatArray
    total: Any
    n_terms: Any
    whole: bool
    sum: ClassSum
    usable: Any = False
    pruned: Any = 0.0


@dataclass(frozen=True)
class Terms:
    """What a smoothing may know of the words.

    Attributes
    ----------
    occurrences : ndarray
        :math:`T_w`, the count of the word in all documents.
    total : float or ndarray
        :math:`T`, the count of all words in all documents.
    n_terms : float or ndarray
        :math:`V`, the size of the vocabulary.
    known : ndarray of bool
        Whether the word is in the vocabulary.
    """

    occurrences: FloatArray
    total: Any
    n_terms: Any
    known: NDArray[np.bool_]


@dataclass(frozen=True)
class Corpus:
    """What the parameters of a smoothing may be chosen from.

    Attributes
    ----------
    class_tokens : ndarray of shape (n_classes,)
        :math:`T_c`.
    counts_of_counts : callable
        From "cells" or "pooled", and whether n_1 and n_2 are enough, to ``{r: n_r}``; None for
        fractional counts.
    documents : callable
        Returns the training documents, one entry per token (a ``TokenDocuments``); None when only
        their sums are at hand.
    left_out : callable
        From smoothings that differ in their numbers to the share of training documents that each
        judges right when each document is left out; None when only sums are at hand.
    """

    class_tokens: FloatArray
    counts_of_counts: Callable[[str, bool], dict[int, int]] | None = None
    documents: Callable[[], Any] | None = None
    left_out: Callable[[Sequence[Any]], list[float]] | None = None


class Smoothing:
    r"""A way to give words that a class has not shown a share of its probability.

    .. math:: p(w \mid c) = f(N_{cw}, c) + \gamma_c \, g(w)

    f is what the words seen in a class keep, g a background over all words, and :math:`\gamma_c`
    the mass set free in class c. A subclass says what they are: :meth:`seen`, :meth:`freed` and,
    unless it is the unigram of all documents, :meth:`spread`. They must be written so that
    :math:`\sum_w p(w \mid c) = 1`.

    Examples
    --------
    Witten and Bell's: a class sets free as much as it has shown different words.

    >>> class WittenBell(Smoothing):
    ...     def seen(self, counts, classes):
    ...         return safe_ratio(counts, classes.tokens + classes.terms, 0.0)
    ...     def freed(self, classes):
    ...         return safe_ratio(classes.terms, classes.tokens + classes.terms, 1.0)
    >>> from tallytext import MultinomialNB
    >>> model = MultinomialNB(WittenBell()).fit([[2, 1, 0], [0, 0, 3]], ["sea", "sky"])
    >>> model.predict([[1, 0, 0]])
    array(['sea'], dtype='<U3')
    """

    @property
    def local(self) -> bool:
        """Whether f / gamma of a class follows from its own counts alone, not from V, T or others.

        Leave-one-out is fast then, and takes a longer way otherwise.
        """
        return True

    @property
    def linear(self) -> bool:
        """Whether f is proportional to the count. Contrasts of classes are sparse then."""
        return False

    @property
    def translates(self) -> bool:
        """Whether columns stand for other words: see :meth:`signatures`."""
        return False

    @property
    def exclusive(self) -> bool:
        """Whether words with f > 0 have no part in the background: p is f or gamma g, not both."""
        return False

    def seen(self, counts: FloatArray, classes: Classes) -> FloatArray:
        """Return f of counts, where ``classes`` describes the class of each of them.

        Parameters
        ----------
        counts : ndarray
            How often words occur in classes.
        classes : Classes
            What is known of the class of each count.
        """
        raise TypeError(f"{type(self).__name__} must say what seen words keep: define seen().")

    def freed(self, classes: Classes) -> FloatArray:
        """Return gamma of each class; 1 for a class without tokens when g sums to one.

        Parameters
        ----------
        classes : Classes
            What is known of the classes.
        """
        raise TypeError(f"{type(self).__name__} must say what mass is freed: define freed().")

    def spread(self, terms: Terms) -> FloatArray:
        """Return g of each word, zero for a word that is to be ignored.

        Parameters
        ----------
        terms : Terms
            What is known of the words.
        """
        shares = terms.occurrences / np.maximum(terms.total, np.finfo(np.float64).tiny)
        return np.where(terms.known, shares, 0.0)

    def signatures(self, locate: Callable[[Iterable[str]], NDArray[Any]] | None, width: int) -> Any:
        """Return which columns stand for other words: a ``Signatures``.

        Parameters
        ----------
        locate : callable
            From names to columns, -1 for names that have none; None if columns have no names.
        width : int
            How many columns there are.
        """
        raise TypeError(f"{type(self).__name__} has no signatures: define signatures().")

    def translated(self, shares: FloatArray, classes: Classes) -> FloatArray:
        """Return what signatures add to f of words that are this share of what they mean.

        Parameters
        ----------
        shares : ndarray
            The share of each word in what its class means.
        classes : Classes
            What is known of the class of each.
        """
        return np.zeros_like(shares)

    def resolved(self, corpus: Corpus) -> Self:
        """Return the smoothing with numbers in the place of what is to be chosen from the data.

        Parameters
        ----------
        corpus : Corpus
            What was counted, and documents if there are any.
        """
        return self


def uniform(terms: Terms) -> FloatArray:
    """Return the same share of the vocabulary for every known word."""
    return np.where(terms.known, 1.0 / np.maximum(terms.n_terms, 1), 0.0)


def safe_ratio(above: Any, below: Any, empty: float) -> FloatArray:
    """Return ``above / below``, and ``empty`` where there is nothing below.

    Parameters
    ----------
    above, below : array-like
        What is divided, and by what.
    empty : float
        The ratio where there is nothing below.
    """
    there = np.asarray(below) > 0
    return np.where(there, above / np.where(there, below, 1.0), empty)

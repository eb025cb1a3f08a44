r"""Smoothing of word probabilities: from counts to estimates, and from these to weights.

Every smoothing is written as

.. math:: p(w \mid c) = f(N_{cw}, c) + \gamma_c \, g(w)

f is the probability that a seen word keeps (:meth:`Smoothing.seen_probability`), :math:`\gamma_c`
the mass that class c leaves to the background (:meth:`Smoothing.backoff_mass`) and g the background
itself (:meth:`Smoothing.background_weight`). A word that a class has not shown costs
:math:`\log \gamma_c + \log g(w)` in every class, so a scorer stores numbers for seen words only.

From counts to the weights of a scorer, in the order of this module:

- :class:`ClassStatistics`, :class:`TermStatistics` and :class:`CorpusStatistics` are the input of a
  smoothing; :class:`Smoothing` is the base class. Laplace's, Jelinek and Mercer's
  (:class:`Background`) and Dirichlet's estimates and relative frequencies follow. Absolute
  discounting and semantic smoothing have modules of their own.
- :class:`WordCounts` applies a smoothing to the counts of classes and of their complements.
- :func:`term_emphasis` and :class:`ClassWeighting` weight words by term scores.
- :func:`joint_weights` and :func:`contrast_weights` turn probabilities into weights.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, Protocol, Self, TypeAlias

import numpy as np
from numpy.typing import NDArray

from tallytext._typing import FloatArray, Measure
from tallytext._validation import check_between
from tallytext.features.term_scores import CLASS_WEIGHTS, ContingencyTable, Postings
from tallytext.features.tf_idf import reduce_rows
from tallytext.models.base import RowWeights, SparseWeights, Weights
from tallytext.models.class_counts import ClassCounts
from tallytext.runtime import rows_per_block

if TYPE_CHECKING:
    from tallytext.models.smoothing.topic_signatures import TranslatedCounts

MakeRows: TypeAlias = Callable[[int, int], FloatArray]  # of a range of words, words by classes


class ClassSum(Protocol):
    """Sums a function of the counts of each class."""

    def __call__(self, measure: Measure, occurrences: bool = False) -> FloatArray:
        """Return the sum of ``measure(N)`` over the words of each class."""
        ...


@dataclass(frozen=True)
class ClassStatistics:
    """Statistics of classes, the input of a smoothing; arrays of one shape, or that broadcast.

    Attributes
    ----------
    tokens : ndarray
        :math:`T_c`, the sum of the counts of the class.
    terms : ndarray
        :math:`K_c`, the number of distinct words in the class.
    total : float or ndarray
        :math:`T`, the count of all words in all documents.
    n_terms : float or ndarray
        :math:`V`, the size of the vocabulary.
    whole : bool
        True if counts are whole numbers.
    sum : callable
        ``sum(h)`` is :math:`\\sum_{w} h(N_{cw})` over the words of the class, and
        ``sum(h, occurrences=True)`` is :math:`\\sum_{w} h(N_{cw})\\, T_w`, for a function with
        h(0) = 0. Costs a pass over all counts.
    usable : bool or ndarray of bool
        True for a class with topic signatures that have a translation.
    pruned : float or ndarray
        The mass of the translation that was pruned and goes to the background.
    """

    tokens: FloatArray
    terms: FloatArray
    total: Any
    n_terms: Any
    whole: bool
    sum: ClassSum
    usable: Any = False
    pruned: Any = 0.0

    def select(self, at: Any) -> ClassStatistics:
        """Return the statistics of the rows ``at``, one entry for each.

        Parameters
        ----------
        at : index
            Indexes the arrays; a number that holds for all rows stays as it is.
        """
        selected: dict[str, Any] = {
            name: value[at] if isinstance(value, np.ndarray) else value
            for name, value in vars(self).items()
        }
        # The sum stays a function: most smoothings never call it, and it costs a pass.
        selected["sum"] = lambda measure, occurrences=False: self.sum(measure, occurrences)[at]
        return ClassStatistics(**selected)


@dataclass(frozen=True)
class TermStatistics:
    """Statistics of words, the input of a background.

    Attributes
    ----------
    occurrences : ndarray
        :math:`T_w`, the count of the word in all documents.
    total : float or ndarray
        :math:`T`, the count of all words in all documents.
    n_terms : float or ndarray
        :math:`V`, the size of the vocabulary.
    known : ndarray of bool
        True for words of the vocabulary.
    """

    occurrences: FloatArray
    total: Any
    n_terms: Any
    known: NDArray[np.bool_]


@dataclass(frozen=True)
class CorpusStatistics:
    """Statistics of the training documents, from which a smoothing chooses its parameters.

    Attributes
    ----------
    class_tokens : ndarray of shape (n_classes,)
        :math:`T_c`.
    counts_of_counts : callable
        ``counts_of_counts(events, few)`` returns ``{r: n_r}`` of the events "cells" or "pooled",
        only :math:`n_1` and :math:`n_2` if ``few``; None for fractional counts.
    documents : callable
        Returns the training documents, one entry per token (a ``TokenDocuments``); None if only
        their sums are available.
    leave_one_out_accuracies : callable
        Returns the leave-one-out accuracy of each of several smoothings that differ in their
        parameters only; None if only sums are available.
    """

    class_tokens: FloatArray
    counts_of_counts: Callable[[str, bool], dict[int, int]] | None = None
    documents: Callable[[], Any] | None = None
    leave_one_out_accuracies: Callable[[Sequence[Any]], list[float]] | None = None


class Smoothing:
    r"""Base class of smoothings: an estimate of p(w|c) that leaves mass to unseen words.

    .. math:: p(w \mid c) = f(N_{cw}, c) + \gamma_c \, g(w)

    A subclass defines f (:meth:`seen_probability`), :math:`\gamma_c` (:meth:`backoff_mass`) and,
    unless g is the unigram of all documents, g (:meth:`background_weight`). They must satisfy
    :math:`\sum_w p(w \mid c) = 1`.

    Examples
    --------
    Witten and Bell's estimate: the mass left to the background grows with the number of distinct
    words of the class.

    >>> class WittenBell(Smoothing):
    ...     def seen_probability(self, counts, classes):
    ...         return safe_ratio(counts, classes.tokens + classes.terms, 0.0)
    ...     def backoff_mass(self, classes):
    ...         return safe_ratio(classes.terms, classes.tokens + classes.terms, 1.0)
    >>> from tallytext import MultinomialNB
    >>> model = MultinomialNB(WittenBell()).fit([[2, 1, 0], [0, 0, 3]], ["sea", "sky"])
    >>> model.predict([[1, 0, 0]])
    array(['sea'], dtype='<U3')
    """

    @property
    def local(self) -> bool:
        """True if f / gamma of a class depends on its own counts only, not on V, T or T_w.

        Leave-one-out then takes the fast, sparse path.
        """
        return True

    #: True if f is proportional to the count. Contrasts of classes are sparse then.
    linear = False
    #: True if columns are topic signatures of other words: see :meth:`locate_signatures`.
    translates = False

    @property
    def exclusive(self) -> bool:
        """True if p is either f or gamma g: words with f > 0 get nothing from the background."""
        return False

    def seen_probability(self, counts: FloatArray, classes: ClassStatistics) -> FloatArray:
        """Return f of counts, where ``classes`` has an entry for the class of each count.

        Parameters
        ----------
        counts : ndarray
            Counts of words in classes.
        classes : ClassStatistics
            Statistics of the class of each count.
        """
        raise TypeError(
            f"{type(self).__name__} has no estimate for seen words: define seen_probability()."
        )

    def backoff_mass(self, classes: ClassStatistics) -> FloatArray:
        """Return gamma of each class; 1 for a class without tokens when g sums to one.

        Parameters
        ----------
        classes : ClassStatistics
            Statistics of the classes.
        """
        raise TypeError(
            f"{type(self).__name__} leaves no mass to the background: define backoff_mass()."
        )

    def background_weight(self, terms: TermStatistics) -> FloatArray:
        """Return g of each word, zero for a word to be ignored; by default the unigram.

        Parameters
        ----------
        terms : TermStatistics
            Statistics of the words.
        """
        shares = terms.occurrences / np.maximum(terms.total, np.finfo(np.float64).tiny)
        return np.where(terms.known, shares, 0.0)

    def locate_signatures(
        self, locate: Callable[[Iterable[str]], NDArray[Any]] | None, width: int
    ) -> Any:
        """Return the columns that are topic signatures of other words: a ``Signatures``.

        Parameters
        ----------
        locate : callable
            From names to columns, -1 for unknown names; None if columns have no names.
        width : int
            Number of columns.
        """
        raise TypeError(f"{type(self).__name__} has no signatures: define locate_signatures().")

    def translated_probability(self, shares: FloatArray, classes: ClassStatistics) -> FloatArray:
        """Return the term that the translation of signatures adds to f; zero by default.

        Parameters
        ----------
        shares : ndarray
            p_t(w|c), the probability of each word in the translation of its class.
        classes : ClassStatistics
            Statistics of the class of each share.
        """
        return np.zeros_like(shares)

    def choose_parameters(self, corpus: CorpusStatistics) -> Self:
        """Return the smoothing with a number for each parameter that is chosen from the data.

        Parameters
        ----------
        corpus : CorpusStatistics
            Statistics of the training documents.
        """
        return self


def uniform_background(terms: TermStatistics) -> FloatArray:
    """Return 1 / V for every word of the vocabulary, zero for others."""
    return np.where(terms.known, 1.0 / np.maximum(terms.n_terms, 1), 0.0)


def safe_ratio(above: Any, below: Any, empty: float) -> FloatArray:
    """Return ``above / below``, and ``empty`` where the denominator is not positive.

    Parameters
    ----------
    above, below : array-like
        Numerator and denominator.
    empty : float
        The ratio where the denominator is zero or negative.
    """
    # np.where evaluates both branches: without a safe divisor numpy would warn.
    there = np.asarray(below) > 0
    return np.where(there, above / np.where(there, below, 1.0), empty)


@dataclass(frozen=True)
class Laplace(Smoothing):
    r"""Add ``epsilon`` to every count (Vilar et al., eq. 10).

    .. math:: p(w \mid c) = \frac{N_{cw} + \epsilon}{T_c + \epsilon V}

    Parameters
    ----------
    epsilon : float, default=1.0
        Pseudo-count per word, positive.

    Examples
    --------
    >>> Laplace(0.1)
    Laplace(epsilon=0.1)
    """

    epsilon: float = 1.0

    linear = True

    def __post_init__(self) -> None:
        check_between("epsilon", self.epsilon, 1e-12, 1e12)

    def seen_probability(self, counts: FloatArray, classes: ClassStatistics) -> FloatArray:
        """Return f of counts."""
        # Zero only for a class without tokens and an empty vocabulary: do not divide by it.
        below = np.maximum(classes.tokens + self.epsilon * classes.n_terms, self.epsilon)
        return np.divide(counts, below, dtype=np.float64)

    def backoff_mass(self, classes: ClassStatistics) -> FloatArray:
        """Return gamma of each class, for a background of one per word."""
        below = np.maximum(classes.tokens + self.epsilon * classes.n_terms, self.epsilon)
        return np.divide(self.epsilon, below, dtype=np.float64)

    def background_weight(self, terms: TermStatistics) -> FloatArray:
        """Return one for each word of the vocabulary: f / gamma does not depend on V then."""
        return np.where(terms.known, 1.0, 0.0)


@dataclass(frozen=True)
class Background(Smoothing):
    r"""Mix each class with the unigram of all documents (Zhou et al.; Jelinek-Mercer).

    .. math:: p(w \mid c) = (1 - \alpha) \frac{N_{cw}}{T_c} + \alpha \frac{T_w}{T}

    Parameters
    ----------
    alpha : float, default=0.5
        The share of the unigram, above 0 and at most 1.

    Examples
    --------
    >>> Background(0.9)
    Background(alpha=0.9)
    """

    alpha: float = 0.5

    linear = True

    def __post_init__(self) -> None:
        check_between("alpha", self.alpha, 1e-12, 1.0)

    def seen_probability(self, counts: FloatArray, classes: ClassStatistics) -> FloatArray:
        """Return f of counts."""
        return safe_ratio((1 - self.alpha) * counts, classes.tokens, 0.0)

    def backoff_mass(self, classes: ClassStatistics) -> FloatArray:
        """Return gamma of each class."""
        return np.where(classes.tokens > 0, self.alpha, 1.0)


@dataclass(frozen=True)
class Dirichlet(Smoothing):
    r"""Add ``m`` tokens in proportion to the unigram of all documents (a Dirichlet prior).

    .. math:: p(w \mid c) = \frac{N_{cw} + m\, T_w / T}{T_c + m}

    Parameters
    ----------
    m : float, default=None
        Pseudo-tokens per class, positive; None for half the mean number of tokens of a class.

    Examples
    --------
    >>> Dirichlet(2000)
    Dirichlet(m=2000)
    """

    m: float | None = None

    linear = True

    def __post_init__(self) -> None:
        if self.m is not None:
            check_between("m", self.m, 1e-12, 1e12)

    def seen_probability(self, counts: FloatArray, classes: ClassStatistics) -> FloatArray:
        """Return f of counts."""
        return counts / (classes.tokens + self._mass)

    def backoff_mass(self, classes: ClassStatistics) -> FloatArray:
        """Return gamma of each class."""
        return safe_ratio(self._mass, classes.tokens + self._mass, 1.0)

    def choose_parameters(self, corpus: CorpusStatistics) -> Dirichlet:
        """Return the smoothing with a number for m, half the mean number of tokens of a class."""
        if self.m is not None:
            return self
        mean = float(corpus.class_tokens.mean()) if corpus.class_tokens.size else 0.0
        # Without tokens any positive m gives the background alone, as it should.
        return replace(self, m=0.5 * mean or 1.0)

    @property
    def _mass(self) -> float:
        if self.m is None:
            raise ValueError(
                "Dirichlet() has no m yet: call choose_parameters(corpus) first, or give m."
            )
        return self.m


@dataclass(frozen=True)
class Unsmoothed(Smoothing):
    r"""Relative frequencies, zero for a word that is not in the class (Vilar et al., eq. 8).

    .. math:: p(w \mid c) = N_{cw} / T_c

    If every class gives a document probability zero, only the prior decides.

    Examples
    --------
    >>> Unsmoothed()
    Unsmoothed()
    """

    def seen_probability(self, counts: FloatArray, classes: ClassStatistics) -> FloatArray:
        """Return f of counts."""
        return safe_ratio(counts, classes.tokens, 0.0)

    def backoff_mass(self, classes: ClassStatistics) -> FloatArray:
        """Return gamma of each class: zero, but one for a class without tokens."""
        return np.where(classes.tokens > 0, 0.0, 1.0)


@dataclass(eq=False)
class WordCounts:
    """The counts of a multinomial model with their smoothing: from N, T to p(w|c).

    Attributes
    ----------
    class_counts : ClassCounts
        The first column has the counts of words; the last one counts documents.
    smoothing : Smoothing
        Its parameters are numbers.
    scale : float
        Factor of all counts: the length that documents are normalised to, otherwise the unit.
    n_terms : int
        :math:`V`, the size of the vocabulary.
    closed : bool
        True if every column is in the vocabulary, False if only words that occur are.
    whole : bool
        True if counts are whole numbers.
    translated : TranslatedCounts or None
        The translated topic signatures of the classes, for a smoothing that translates.
    cells : ndarray of shape (n_cells,)
        :math:`N_{cw}`.
    occurrences, background : ndarray of shape (n_words,)
        :math:`T_w` and :math:`g(w)`, which is zero for words that scores ignore.
    tokens : ndarray of shape (n_classes,)
        :math:`T_c`.
    total : float
        :math:`T`.
    """

    class_counts: ClassCounts
    smoothing: Smoothing
    scale: float
    n_terms: int
    closed: bool
    whole: bool
    translated: TranslatedCounts | None = None
    cells: FloatArray = field(init=False)
    occurrences: FloatArray = field(init=False)
    tokens: FloatArray = field(init=False)
    total: float = field(init=False)
    background: FloatArray = field(init=False)

    def __post_init__(self) -> None:
        sums, scale = self.class_counts, self.scale
        # Cells are by far the largest array: a factor of one must not copy them.
        self.cells = sums.cells[0] if scale == 1 else sums.cells[0] * scale
        self.occurrences = sums.term_totals[0] * scale
        self.tokens = sums.class_totals[0] * scale
        self.total = float(sums.totals[0]) * scale
        self.background = self.background_for(self.occurrences)

    @cached_property
    def cell_term(self) -> NDArray[np.intp]:
        """The word of each cell."""
        # On demand: leaving one document out does not need an array of this size.
        return self.class_counts.term_of_cell()

    @cached_property
    def classes(self) -> ClassStatistics:
        """Statistics of each class."""
        topics = None if self.translated is None else self.translated.topics
        return ClassStatistics(
            tokens=self.tokens,
            terms=self.class_counts.class_terms,
            total=self.total,
            n_terms=self.n_terms,
            whole=self.whole,
            sum=lambda measure, occurrences=False: self._all_terms._class_sum(measure, occurrences),
            usable=False if topics is None else topics.usable,
            pruned=0.0 if topics is None else topics.pruned,
        )

    @cached_property
    def complements(self) -> ClassStatistics:
        """Statistics of the complement of each class, all documents outside it."""
        # A linear smoothing does not read the number of words, which costs a pass over all counts.
        linear = self.smoothing.linear
        alone = np.zeros_like(self.tokens) if linear else self._all_terms._words_of_one_class()
        return ClassStatistics(
            tokens=np.maximum(self.total - self.tokens, 0.0),
            terms=self.class_counts.n_live_terms - alone,
            total=self.total,
            n_terms=self.n_terms,
            whole=self.whole,
            sum=lambda measure, occurrences=False: self._all_terms._complement_sum(
                measure, occurrences
            ),
            usable=False if self.translated is None else self.translated.topics.complements.usable,
        )

    def background_for(self, occurrences: FloatArray) -> FloatArray:
        """Return g of words with these T_w."""
        known = np.full(occurrences.shape, True) if self.closed else occurrences > 0
        terms = TermStatistics(occurrences, self.total, self.n_terms, known)
        return self.smoothing.background_weight(terms)

    def rows(self, first: int, last: int) -> FloatArray:
        """Return p(w|c) of a range of words, words by classes."""
        counts = self.class_counts.dense(self.cells, first, last)
        shares = None if self.translated is None else self.translated.rows(first, last)
        return self._probabilities(counts, self.classes, self.background[first:last, None], shares)

    def complement_rows(self, first: int, last: int) -> FloatArray:
        """Return p(w|c̄) of a range of words, c̄ being all documents outside c."""
        inside = self.class_counts.dense(self.cells, first, last)
        counts = np.maximum(self.occurrences[first:last, None] - inside, 0.0)
        shares = None if self.translated is None else self.translated.complement_rows(first, last)
        background = self.background[first:last, None]
        return self._probabilities(counts, self.complements, background, shares)

    def _probabilities(
        self,
        counts: FloatArray,
        classes: ClassStatistics,
        background: FloatArray,
        shares: FloatArray | None,
    ) -> FloatArray:
        seen = self.smoothing.seen_probability(counts, classes)
        if shares is not None:
            seen = seen + self.smoothing.translated_probability(shares, classes)
        unseen = self.smoothing.backoff_mass(classes) * background
        return combine_with_background(self.smoothing, seen, unseen)

    @cached_property
    def _all_terms(self) -> WordCounts:
        return replace(self, class_counts=self.class_counts.all_terms())

    def _class_sum(self, measure: Measure, occurrences: bool) -> FloatArray:
        values = measure(self.cells)
        values = values * self.occurrences[self.cell_term] if occurrences else values
        return self.class_counts.class_sum(values)

    def _complement_sum(self, measure: Measure, occurrences: bool) -> FloatArray:
        # The sum over all documents, moved for the words that the class has: a complement has
        # nearly all words, so that its own cells would be dense.
        each = measure(self.occurrences) * (self.occurrences if occurrences else 1.0)
        words = self.occurrences[self.cell_term]
        moved = measure(np.maximum(words - self.cells, 0.0)) * (words if occurrences else 1.0)
        return each.sum() - self.class_counts.class_sum(each[self.cell_term] - moved)

    def _words_of_one_class(self) -> FloatArray:
        """Return the number of words of each class that no other class has."""
        # The count of such a word outside the class is a rounding error.
        words = self.occurrences[self.cell_term]
        alone = words - self.cells <= 1e-9 * words
        return self.class_counts.class_sum(alone.astype(np.float64))


def combine_with_background(
    smoothing: Smoothing, seen: FloatArray, unseen: FloatArray
) -> FloatArray:
    r"""Return p(w|c) from f and :math:`\gamma_c g(w)`: their sum, or one of both if exclusive."""
    if smoothing.exclusive:
        return np.where(seen > 0, seen, unseen)
    return np.maximum(seen + unseen, 0.0)


WEIGHTING_METHODS: dict[str, Callable[[Postings], FloatArray]] = {
    "ig": lambda postings: postings.sum_over_classes(
        ContingencyTable.gain, np.ones_like(postings.sizes)
    ),
    "chi": lambda postings: postings.max_over_classes(ContingencyTable.chi_square),
    "prr": lambda postings: postings.max_over_classes(ContingencyTable.probability_ratio),
    # Only over classes that have the word: mutual information is -inf with all others.
    "mi": lambda postings: reduce_rows(
        np.maximum, postings.tables().mutual_information(), postings.starts, -np.inf
    ),
    "df": lambda postings: postings.terms,
}
"""Scores of words over all classes. Information gain is summed over the binary decisions of each
class against its complement, which suits multi-label documents, too."""


def term_emphasis(class_counts: ClassCounts, method: str | None, power: float) -> FloatArray:
    """Return one weight per word, common to all classes.

    Parameters
    ----------
    class_counts : ClassCounts
        The last column counts documents.
    method : str or None
        One of ``WEIGHTING_METHODS``; None for weights of one.
    power : float
        The power to which scores are raised.
    """
    if method is None:
        return np.ones(class_counts.n_terms)
    postings = Postings(
        starts=class_counts.starts,
        classes=class_counts.classes,
        counts=class_counts.cells[-1],
        terms=class_counts.term_totals[-1],
        sizes=class_counts.class_documents.astype(np.float64),
        total=float(class_counts.n_documents),
    )
    # Words that never occur stay at zero: 0 ** 0 would give them a weight of one.
    live = postings.terms > 0
    scores = np.where(live, WEIGHTING_METHODS[method](postings), 0.0)
    return np.power(np.maximum(scores, 0.0), power, out=np.zeros_like(scores), where=live)


@dataclass(frozen=True)
class ClassWeighting:
    """Weights per word and class (Kim et al., eqs. 11-13), in rows made on demand."""

    class_counts: ClassCounts
    method: str | None
    power: float = 1.0

    def rows(self, first: int, last: int) -> FloatArray:
        """Return the weights of a range of words, words by classes."""
        words = self.class_counts.term_totals[-1, first:last, None]
        return self._weights(
            self.class_counts.dense(self.class_counts.cells[-1], first, last), words
        )

    def scale(self) -> FloatArray:
        """Return V / W of each class, the factor that makes its weights one on average."""
        whole = replace(self, class_counts=self.class_counts.all_terms())
        n_live = float((whole.class_counts.term_totals[-1] > 0).sum())
        total = sum(whole.rows(*ends).sum(axis=0) for ends in term_blocks(whole.class_counts))
        return np.divide(n_live, total, out=np.zeros(self.class_counts.n_classes), where=total > 0)

    def weights_by_term(self) -> Callable[[NDArray[np.int32]], FloatArray]:
        """Return a function from words to their weights, one on average."""
        scale = self.scale()
        return lambda terms: (
            scale
            * self._weights(
                self.class_counts.rows(self.class_counts.cells[-1], terms),
                self.class_counts.term_totals[-1, terms, None],
            )
        )

    def _weights(self, class_with: FloatArray, words: FloatArray) -> FloatArray:
        class_counts = self.class_counts
        if self.method is None:
            return np.broadcast_to((words > 0) * 1.0, class_with.shape)
        table = ContingencyTable.from_counts(
            class_with=class_with,
            with_term=words,
            in_class=class_counts.class_documents,
            n_documents=class_counts.n_documents,
        )
        weights: FloatArray = np.where(words > 0, CLASS_WEIGHTS[self.method](table), 0.0)
        return weights if self.power == 1 else weights**self.power


def term_blocks(class_counts: ClassCounts) -> list[tuple[int, int]]:
    """Return ranges of words whose rows fit into memory together."""
    step = rows_per_block(class_counts.n_classes)
    return [
        (at, min(at + step, class_counts.n_terms)) for at in range(0, class_counts.n_terms, step)
    ]


_MIN_PROBABILITY = np.finfo(np.float64).tiny


def joint_weights(counts: WordCounts, intercept: FloatArray, emphasis: FloatArray) -> Weights:
    r"""Return the weights of :math:`\log p(c) + \sum_w x_w q_w \log p(w \mid c)`.

    A word that the class does not have costs :math:`\log \gamma_c + \log g(w)`; a word that it has
    adds :math:`\log(1 + f / (\gamma_c g))`. So only cells need a weight of their own.
    """
    smoothing, class_of = counts.smoothing, counts.class_counts.classes
    mass = smoothing.backoff_mass(counts.classes)
    if not (mass > 0).all():
        # Unseen words have probability zero in some class: no common weight can express that.
        return row_weights(counts, intercept, emphasis, counts.rows)
    term, classes = counts.cell_term, counts.classes.select(class_of)
    seen = smoothing.seen_probability(counts.cells, classes)
    if counts.translated is not None:
        seen = seen + smoothing.translated_probability(counts.translated.shares, classes)
    unseen = mass[class_of] * counts.background[term]
    ratio = np.divide(seen, unseen, out=np.zeros_like(seen), where=unseen > 0)
    # log1p: with much smoothing f is small beside the background, and 1 + ratio would round it.
    gain = _log_or_zero(ratio) if smoothing.exclusive else np.log1p(ratio)
    return SparseWeights(
        intercept=intercept,
        slope=np.log(mass),
        common=emphasis * _log_or_zero(counts.background),
        mass=emphasis * (counts.background > 0),
        starts=counts.class_counts.starts,
        classes=class_of,
        values=gain * emphasis[term],
    )


def contrast_weights(
    counts: WordCounts, intercept: FloatArray, emphasis: FloatArray, only_complement: bool
) -> Weights:
    r"""Return the weights of :math:`\sum_w x_w q_w [\log p(w \mid c) - \log p(w \mid \bar c)]`.

    With ``only_complement`` the first logarithm is omitted. If f is proportional to the count, a
    word that class c does not have has a probability of the form A(w) B(c) in the complement of c,
    and only cells need a weight of their own.
    """
    # Emphasis is applied once, to the difference: the joint weights are made without it.
    dense = not counts.smoothing.linear
    joint = None if dense else joint_weights(counts, intercept, np.ones_like(emphasis))
    if not isinstance(joint, SparseWeights):
        rows = _contrast_rows(counts, only_complement)
        return row_weights(counts, intercept, emphasis, rows, already_logs=True)
    if only_complement:
        joint = replace(
            joint, slope=joint.slope * 0, common=joint.common * 0, values=joint.values * 0
        )
    of_word, of_class, of_cell = _complement_logs(counts)
    return replace(
        joint,
        slope=joint.slope - of_class,
        common=emphasis * (joint.common - of_word),
        mass=emphasis * (counts.background > 0),
        values=emphasis[counts.cell_term] * (joint.values - of_cell),
    )


def class_contrast_weights(
    counts: WordCounts, intercept: FloatArray, weighting: ClassWeighting, only_complement: bool
) -> RowWeights:
    r"""Return the weights of :math:`\sum_w x_w \frac{V w_{cw}}{\sum_v w_{cv}} [\dots]`.

    The brackets are those of :func:`contrast_weights`.
    """
    scale, contrast = weighting.scale(), _contrast_rows(counts, only_complement)
    return row_weights(
        counts,
        intercept,
        np.ones(counts.class_counts.n_terms),
        lambda first, last: contrast(first, last) * weighting.rows(first, last) * scale,
        already_logs=True,
    )


def row_weights(
    counts: WordCounts,
    intercept: FloatArray,
    emphasis: FloatArray,
    rows: MakeRows,
    already_logs: bool = False,
) -> RowWeights:
    """Return weights that are made row by row, from probabilities or from logarithms."""
    mass = emphasis * (counts.background > 0)

    def make(first: int, last: int) -> FloatArray:
        made = rows(first, last)
        with np.errstate(divide="ignore"):
            logs = made if already_logs else np.log(made)
        weights = np.zeros_like(logs)
        return np.multiply(
            logs, emphasis[first:last, None], out=weights, where=mass[first:last, None] > 0
        )

    # Sums over all counts are cached by the first call: make it now, before the tally changes.
    make(0, 0)
    return RowWeights(intercept, np.zeros_like(intercept), mass, make)


def contrast_logs(inside: FloatArray | None, outside: FloatArray) -> FloatArray:
    """Return log p(w|c) - log p(w|c̄), or only the second term if ``inside`` is None.

    Without smoothing a word may have probability zero in the class, in its complement, or in both.
    Probabilities are clipped, so that such a word adds a large but finite amount, or nothing.
    """
    logs = np.log(np.maximum(outside, _MIN_PROBABILITY))
    return -logs if inside is None else np.log(np.maximum(inside, _MIN_PROBABILITY)) - logs


def _contrast_rows(counts: WordCounts, only_complement: bool) -> MakeRows:
    def rows(first: int, last: int) -> FloatArray:
        inside = None if only_complement else counts.rows(first, last)
        return contrast_logs(inside, counts.complement_rows(first, last))

    return rows


def _complement_logs(counts: WordCounts) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return log A(w), log B(c), and log p(w|c̄) - log A(w) B(c) of each cell."""
    class_counts, complements, smoothing = counts.class_counts, counts.complements, counts.smoothing
    mass = smoothing.backoff_mass(complements)
    # A(w) is the probability of w in the largest complement, B(c) the ratio of c's to that.
    first = int(np.argmax(complements.tokens))
    largest = complements.select(np.full(class_counts.n_terms, first))
    absent = smoothing.seen_probability(counts.occurrences, largest)
    of_word = _log_or_zero(absent + mass[first] * counts.background)
    # B(c) is the same for every word: read it off an imaginary word that all tokens are.
    one = np.array([counts.total])
    any_word = smoothing.seen_probability(np.repeat(one, len(mass)), complements)
    any_word = any_word + mass * counts.background_for(one)
    of_class = _log_or_zero(any_word) - _log_or_zero(any_word[[first]])
    outside = np.maximum(counts.occurrences[counts.cell_term] - counts.cells, 0.0)
    here = smoothing.seen_probability(outside, complements.select(class_counts.classes))
    background = mass[class_counts.classes] * counts.background[counts.cell_term]
    log_here = _log_or_zero(here + background)
    of_cell = log_here - of_word[counts.cell_term] - of_class[class_counts.classes]
    return of_word, of_class, of_cell


def _log_or_zero(values: FloatArray) -> FloatArray:
    """Return the logarithms of positive values, zero for others."""
    values = np.asarray(values)
    return np.log(values, out=np.zeros_like(values), where=values > 0)

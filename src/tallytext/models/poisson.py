"""Poisson naive Bayes: words arrive at rates, each class against all documents outside it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Literal, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from tallytext._typing import FloatArray
from tallytext._validation import check_between
from tallytext.decision.out_of_sample import OutOfSample
from tallytext.errors import ScoreError
from tallytext.features.term_scores import CLASS_METHODS, Table
from tallytext.models.naive_bayes import NO_TERMS, NaiveBayes
from tallytext.models.priors import Prior
from tallytext.models.reading import Column, Reader, Reading, at_one_moment
from tallytext.models.scorer import RowWeights, Weights
from tallytext.models.word_probabilities import blocks
from tallytext.tally.labels import place_of
from tallytext.tally.planes import Plane

# ------------------------------------------------------------------------------------------------
# The Poisson rates of words, in classes and in what is outside them, from additive sums.


class Ends(NamedTuple):
    """Rates of a range of words for alpha = 1 (documents alike) and alpha = 0 (tokens alike)."""

    by_document: FloatArray
    by_token: FloatArray

    def mixed(self, alpha: FloatArray | float) -> FloatArray:
        """Return the rates for any other alpha, of which they are linear."""
        return self.by_token + alpha * (self.by_document - self.by_token)


@dataclass(frozen=True)
class Side:
    r"""The sums over the documents of each class, or over those outside it.

    Attributes
    ----------
    documents, tokens : ndarray of shape (n_classes,)
        :math:`n_c` and :math:`\ell_c`.
    inverse, mass : ndarray of shape (n_classes,)
        :math:`u_c = \sum 1/(x_+ + \Theta)` and :math:`p_c = \sum x_+/(x_+ + \Theta)`.
    """

    documents: FloatArray
    tokens: FloatArray
    inverse: FloatArray
    mass: FloatArray

    @classmethod
    def of(cls, documents: FloatArray, mass: FloatArray, squares: FloatArray, theta: float) -> Side:
        r"""Read all four from :math:`n_c`, :math:`\sum_w U_{cw}` and :math:`\sum_w P_{cw}`.

        :math:`n_c - p_c = \Theta u_c` and :math:`\ell_c - \sum_w P_{cw} = \Theta p_c`: so the rates
        of all words sum to one, whatever was rounded.
        """
        tokens = squares + theta * mass
        return cls(documents, tokens, np.maximum(documents - mass, 0.0) / theta, mass)

    def ends(self, shares: FloatArray, squares: FloatArray, theta: float) -> Ends:
        r"""Return :math:`(U + \theta u_c) / n_c` and :math:`(P + \theta p_c) / \ell_c`."""
        by_document = (shares + theta * self.inverse) / np.maximum(self.documents, _LEAST)
        by_token = (squares + theta * self.mass) / np.maximum(self.tokens, _LEAST)
        if not self.tokens.all():
            # Empty documents are alike, however their lengths are weighed.
            silent = self.tokens == 0
            by_token[:, silent] = by_document[:, silent]
        return Ends(by_document, by_token)


@dataclass(frozen=True)
class PoissonRates:
    r"""Mean relative frequencies of words, :math:`\lambda'_{cw}` and :math:`\mu'_{cw}`.

    .. math:: \lambda'_{cw} = \alpha \frac{U_{cw} + \theta u_c}{n_c}
              + (1 - \alpha) \frac{P_{cw} + \theta p_c}{\ell_c}, \qquad
              \theta = \frac{\Theta}{V}

    (Kim et al., eqs. 7-9 without :math:`\tau`); :math:`\mu'` is the same over all documents outside
    the class, each of them once. Both sum to one over the vocabulary.

    Attributes
    ----------
    reading : Reading
        Its columns are U, P and documents.
    alpha : ndarray of shape (n_classes,)
        1: all documents of a class are alike; 0: all its tokens are.
    theta : float
        :math:`\Theta`, the pseudo-tokens of a document.
    unit : float
        What a count of the tally is worth.
    n_terms : int
        V.
    closed : bool
        Whether all columns are in the vocabulary, or only the words that occur.
    """

    reading: Reading
    alpha: FloatArray
    theta: float
    unit: float
    n_terms: int
    closed: bool

    @property
    def live(self) -> NDArray[np.bool_]:
        """Whether a word has occurred."""
        return self.reading.term_totals[-1] > 0

    @property
    def known(self) -> NDArray[np.bool_]:
        """Whether a word counts at all."""
        return np.full(self.reading.n_terms, True) if self.closed else self.live

    @cached_property
    def modelled(self) -> NDArray[np.bool_]:
        """Whether there are documents of a class, and outside it."""
        inside = self.reading.class_documents
        return (inside > 0) & (inside < self.reading.n_documents)

    @cached_property
    def inside(self) -> Side:
        """The sums over the documents of each class."""
        reading, squares = self.reading, self.reading.class_totals[1] * self.unit
        return Side.of(reading.class_documents, reading.class_totals[0], squares, self.theta)

    @cached_property
    def outside(self) -> Side:
        """The sums over all other documents."""
        reading = self.reading
        shares, squares = _rest(reading.totals[:2, None], reading.class_totals[:2])
        documents = _rest(reading.n_documents, reading.class_documents)
        return Side.of(documents, shares, squares * self.unit, self.theta)

    def whole_vocabulary(self) -> PoissonRates:
        """Return the same of all words."""
        return replace(self, reading=self.reading.all_terms())

    def ends(self, first: int, last: int) -> tuple[Ends, Ends]:
        """Return what the rates of a range of words are mixed of, inside and outside classes."""
        reading, theta = self.reading, self.theta / max(self.n_terms, 1)
        cells = [reading.dense(reading.cells[at], first, last) for at in (0, 1)]
        rest = [_rest(reading.term_totals[at, first:last, None], cells[at]) for at in (0, 1)]
        inside = self.inside.ends(cells[0], cells[1] * self.unit, theta)
        return inside, self.outside.ends(rest[0], rest[1] * self.unit, theta)

    def rows(self, first: int, last: int) -> tuple[FloatArray, FloatArray]:
        r"""Return :math:`\lambda'` and :math:`\mu'` of a range of words, words by classes."""
        inside, outside = (ends.mixed(self.alpha) for ends in self.ends(first, last))
        for rates in (inside, outside):
            rates[:, ~self.modelled] = 1.0 / max(self.n_terms, 1)
        return inside, outside


_LEAST = np.finfo(np.float64).tiny


def _rest(whole: FloatArray | float, part: FloatArray) -> FloatArray:
    return np.maximum(whole - part, 0.0)


# ------------------------------------------------------------------------------------------------
# From Poisson rates to the weights of a scorer: weighed contrasts of classes with their rest.

Weighting: TypeAlias = Literal["ig", "chi", "prr"]
RatioSource: TypeAlias = Literal["documents", "poisson"]

LARGEST_RATIO = 100.0


@dataclass(frozen=True)
class PoissonWeighting:
    """What each word weighs in each class (Kim et al., eqs. 11-13), in rows made on demand.

    Attributes
    ----------
    methods : list of {None, "ig", "chi", "prr"}
        How each class weighs words; None: all alike.
    power : float
        The power to which weights are raised.
    prr_source : {"documents", "poisson"}
        Whether ratios are of shares of documents, or of Poisson rates.
    """

    methods: list[Weighting | None]
    power: float = 1.0
    prr_source: RatioSource = "documents"

    def rows(
        self, rates: PoissonRates, first: int, last: int, inside: FloatArray, outside: FloatArray
    ) -> FloatArray:
        """Return the weights of a range of words, words by classes; zero for dead words."""
        weights = np.repeat(rates.known[first:last, None] * 1.0, rates.reading.n_classes, axis=1)
        for method, columns in self._groups():
            if method == "prr" and self.prr_source == "poisson":
                made = ratio_both_ways(inside[:, columns], outside[:, columns])
            else:
                made = CLASS_METHODS[method](_table(rates, first, last, columns))
            live = rates.live[first:last, None]
            weights[:, columns] = np.where(live, made if self.power == 1 else made**self.power, 0.0)
        return weights

    def n_words(self, rates: PoissonRates) -> FloatArray:
        """Return how many words can weigh anything, for each class."""
        plain = np.array([method is None for method in self.methods], dtype=bool)
        return np.where(plain, rates.known.sum(), rates.live.sum()).astype(np.float64)

    def _groups(self) -> Iterator[tuple[Weighting, NDArray[np.intp]]]:
        """Yield each method in use, and the classes that use it."""
        for method in dict.fromkeys(self.methods):
            if method is not None:
                yield method, np.flatnonzero([used == method for used in self.methods])


@dataclass(frozen=True)
class PoissonConstants:
    r"""What the whole vocabulary says of each class (Kim et al., eq. 14).

    Attributes
    ----------
    a : ndarray of shape (n_classes,)
        :math:`A_c = \sum_w w_{cw} (\mu'_{cw} - \lambda'_{cw})`.
    b : ndarray of shape (n_classes,)
        :math:`B_c = \theta \sum_w w_{cw} \log(\lambda'_{cw} / \mu'_{cw})`.
    w : ndarray of shape (n_classes,)
        :math:`W_c = \sum_w w_{cw}`.
    n_words : ndarray of shape (n_classes,)
        V: how many words can weigh anything.
    """

    a: FloatArray
    b: FloatArray
    w: FloatArray
    n_words: FloatArray

    @classmethod
    def of(cls, rates: PoissonRates, weighting: PoissonWeighting) -> PoissonConstants:
        """Sum over the vocabulary, in blocks of words; the rates are those of all words."""
        n_classes, theta = rates.reading.n_classes, rates.theta / max(rates.n_terms, 1)
        a, b, w = np.zeros((3, n_classes))
        for first, last in blocks(rates.reading):
            inside, outside = rates.rows(first, last)
            weights = weighting.rows(rates, first, last, inside, outside)
            a += (weights * (outside - inside)).sum(axis=0)
            b += theta * (weights * log_ratio(inside, outside)).sum(axis=0)
            w += weights.sum(axis=0)
        return cls(a, b, w, weighting.n_words(rates))

    @property
    def scale(self) -> FloatArray:
        """:math:`V / W_c`: what makes the weights of a class one on average."""
        return np.divide(self.n_words, self.w, out=np.zeros_like(self.w), where=self.w > 0)


def poisson_weights(
    rates: PoissonRates,
    weighting: PoissonWeighting,
    constants: PoissonConstants,
    intercept: FloatArray,
) -> RowWeights:
    r"""Return the weights of :math:`\frac{V}{W_c} (A_c x'_+ + B_c + \hat z)` plus an intercept."""
    scale = constants.scale

    def make(first: int, last: int) -> FloatArray:
        inside, outside = rates.rows(first, last)
        weights = weighting.rows(rates, first, last, inside, outside)
        return scale * weights * log_ratio(inside, outside)

    constant = scale * (constants.a * rates.theta + constants.b)
    return RowWeights(intercept + constant, scale * constants.a, rates.known * 1.0, make)


def ratio_both_ways(inside: FloatArray, outside: FloatArray) -> FloatArray:
    r"""Return :math:`\lambda'/\mu' + \mu'/\lambda'`, at most 100."""
    ratio = inside / outside
    return np.minimum(ratio + 1 / ratio, LARGEST_RATIO)


def log_ratio(inside: FloatArray, outside: FloatArray) -> FloatArray:
    r"""Return :math:`\log(\lambda' / \mu')`."""
    return np.log(inside) - np.log(outside)


def _table(rates: PoissonRates, first: int, last: int, columns: NDArray[np.intp]) -> Table:
    reading = rates.reading
    return Table.of(
        class_with=reading.dense(reading.cells[-1], first, last)[:, columns],
        with_term=reading.term_totals[-1, first:last, None],
        in_class=reading.class_documents[columns],
        n_documents=reading.n_documents,
    )


class PoissonNB(NaiveBayes):
    r"""Poisson naive Bayes with weights of words by class (Kim, Seo and Rim, 2003).

    .. math:: z_c(d) = \frac{V}{W_c} \Bigl( A_c x'_+ + B_c
              + \sum_w w_{cw} x_w \log \frac{\lambda'_{cw}}{\mu'_{cw}} \Bigr), \qquad
              x'_+ = x_+ + \Theta

    :math:`\lambda'` and :math:`\mu'` are mean relative frequencies of a word in the documents of
    the class and in all others, each document smoothed by :math:`\Theta` pseudo-tokens
    (:class:`~tallytext.models.poisson.PoissonRates`). The score is z plus the log-odds of the
    prior, for single labels as for several. Without weights it is a multinomial contrast of
    document-averaged word probabilities.

    Scores cost words times classes, since every class has something to say of every word.

    Parameters
    ----------
    alpha : float, default=0.8
        1: all documents of a class count alike; 0: all its tokens do.
    theta : float, default=10.0
        :math:`\Theta`, the pseudo-tokens that smooth each document, spread over the vocabulary. It
        is counted with the documents, so it cannot be changed afterwards.
    weighting : {None, "ig", "chi", "prr"}, default=None
        Weigh words by information gain, :math:`\chi^2` or the ratio of probabilities.
    weight_power : float, default=1.0
        The power to which weights are raised.
    prr_source : {"documents", "poisson"}, default="documents"
        Whether "prr" is the ratio of shares of documents or of Poisson rates.
    per_class : mapping of label to (weighting, alpha), default=None
        What some classes use in the place of ``weighting`` and ``alpha``; see
        :func:`~tallytext.models.poisson_choice.choose_per_class`.
    prior, prior_beta, class_weight, multi_label, dtype, n_jobs
        As in :class:`MultinomialNB`.

    Attributes
    ----------
    tally_ : Tally
        The counts, all there is to know.
    classes_ : ndarray
        The labels, sorted.

    Examples
    --------
    >>> model = PoissonNB(weighting="chi").fit([[2, 1, 0], [0, 0, 3]], ["sea", "sky"])
    >>> model.predict([[1, 0, 0]])
    array(['sea'], dtype='<U3')
    """

    def __init__(
        self,
        alpha: float = 0.8,
        *,
        theta: float = 10.0,
        weighting: Weighting | None = None,
        weight_power: float = 1.0,
        prr_source: RatioSource = "documents",
        per_class: Mapping[Any, tuple[Weighting | None, float]] | None = None,
        prior: Prior = "ml",
        prior_beta: float = 1.0,
        class_weight: Any = None,
        multi_label: bool | None = None,
        dtype: Any = "float64",
        n_jobs: int | None = None,
    ) -> None:
        self.alpha = alpha
        self.theta = theta
        self.weighting = weighting
        self.weight_power = weight_power
        self.prr_source = prr_source
        self.per_class = per_class
        self.prior = prior
        self.prior_beta = prior_beta
        self.class_weight = class_weight
        self.multi_label = multi_label
        self.dtype = dtype
        self.n_jobs = n_jobs

    # ------------------------------------------------------------------ ranking

    def z_star(self, X: Any) -> FloatArray:
        r"""Return what ranks documents within a class (Kim et al., eq. 15).

        .. math:: z^*_c(d) = \frac{B_c + \hat z_c(d)}{x'_+}

        Classes cannot be compared by it. It is zero for a class that all documents have, -inf for
        one that none has.

        Parameters
        ----------
        X : sparse matrix, sparse array or array-like of shape (n_documents, n_terms)
            Counts.

        Returns
        -------
        ndarray of shape (n_documents, n_classes)

        Examples
        --------
        >>> model = PoissonNB(theta=1.0).fit([[2, 1, 0], [0, 0, 3]], ["sea", "sky"])
        >>> model.z_star([[1, 0, 0], [3, 0, 0]])[:, 0].round(3)
        array([1.145, 1.545])
        """
        return self._z_star(X)[0]

    def rank(self, X: Any, label: Any) -> FloatArray:
        """Return :meth:`z_star` of one class, to sort documents by."""
        ranks, classes = self._z_star(X)
        return ranks[:, place_of(label, classes)]

    def _z_star(self, X: Any) -> tuple[FloatArray, NDArray[Any]]:
        """Return the ranks of documents within classes, and the classes."""
        documents = self._documents(X)

        def ranks(reader: Reader) -> tuple[FloatArray, NDArray[Any]]:
            seen = self._seen(documents, reader)
            constants = self._constants(seen.reading)
            without = self._evidence(documents, seen) - constants.scale * constants.a
            np.divide(without, constants.scale, out=without, where=constants.scale > 0)
            return without, seen.reading.order.classes

        return at_one_moment(self._reader(), ranks)

    def _divisors(self, lengths: FloatArray) -> FloatArray:
        return lengths + self.theta

    def leave_one_out(self, *given: Any, **named: Any) -> OutOfSample:
        """Refuse: every document moves the rates of every word, so use ``cross_validate``.

        Parameters
        ----------
        *given : Any
            Whatever others take.
        **named : Any
            Whatever others take.
        """
        raise ScoreError(
            "PoissonNB cannot leave out one document at a time: each moves the rates of all words. "
            "Use cross_validate."
        )

    # ------------------------------------------------------------------ estimating

    def constants(self) -> PoissonConstants:
        """Return what the whole vocabulary says of each class: A, B and W, and V."""
        return at_one_moment(self._reader(), lambda reader: self._constants(reader.read(NO_TERMS)))

    def rates(self, reading: Reading) -> PoissonRates:
        r"""Return :math:`\lambda'` and :math:`\mu'` behind the weights.

        Parameters
        ----------
        reading : Reading
            Sums of a tally, of one moment.
        """
        alphas = [alpha for _, alpha in self._choices(reading)]
        n_terms = reading.n_live_terms if self.open_ else self.n_features_in_
        return PoissonRates(
            reading=reading,
            alpha=np.array(alphas, dtype=np.float64),
            theta=float(self.theta),
            unit=self.unit_,
            n_terms=n_terms,
            closed=not self.open_,
        )

    @property
    def _contrasts(self) -> bool:
        return True

    def _columns(self, unit: float, weighted: bool) -> list[Column]:
        theta = float(self.theta) / unit
        return [
            Plane("raw", "poisson", theta, weighted),
            Plane("raw", "poisson_mass", theta, weighted),
            Plane("binary", weighted=True) if weighted else "documents",
        ]

    def _estimate(self, reading: Reading, intercept: FloatArray) -> Weights:
        rates, weighting = self.rates(reading), self._class_weighting(reading)
        return poisson_weights(rates, weighting, self._constants(reading), intercept)

    def _constants(self, reading: Reading) -> PoissonConstants:
        def make() -> PoissonConstants:
            rates = self.rates(reading).whole_vocabulary()
            return PoissonConstants.of(rates, self._class_weighting(reading))

        return self.cache_.constants(reading.version, make, self._settings())

    def _class_weighting(self, reading: Reading) -> PoissonWeighting:
        methods = [method for method, _ in self._choices(reading)]
        return PoissonWeighting(methods, self.weight_power, self.prr_source)

    def _choices(self, reading: Reading) -> list[tuple[Weighting | None, float]]:
        own, usual = self.per_class or {}, (self.weighting, self.alpha)
        return [own.get(label, usual) for label in reading.order.classes.tolist()]

    def _check_parameters(self) -> None:
        super()._check_parameters()
        choices = [(self.weighting, self.alpha), *(self.per_class or {}).values()]
        for weighting, alpha in choices:
            if weighting is not None and weighting not in CLASS_METHODS:
                raise ValueError(f"weighting must be one of {[*CLASS_METHODS]}, not {weighting!r}.")
            check_between("alpha", alpha, 0.0, 1.0)
        check_between("theta", self.theta, 1e-12, 1e12)
        check_between("weight_power", self.weight_power, 0.0, 1e3)
        if self.prr_source not in ("documents", "poisson"):
            raise ValueError(f"prr_source is 'documents' or 'poisson', not {self.prr_source!r}.")

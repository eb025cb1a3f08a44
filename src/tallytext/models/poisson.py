r"""Poisson naive Bayes: rates of words in each class against those in its complement.

From sums of the tally to scores::

    U, P, N of each class       PoissonRates        lambda', mu'    mean relative frequencies
    documents with each term    PoissonWeighting    w_cw            weights of words by class
    the whole vocabulary        PoissonConstants    A, B, W         constants of each class
                                PoissonNB           the weights of a scorer

:func:`choose_per_class` then chooses the weighting and alpha of each class by cross-validated F1
(PNB*). Rates are linear in alpha, so that a grid of candidates costs little more than one of them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import pairwise
from types import MappingProxyType
from typing import Any, Literal, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from tallytext._core import add_rows
from tallytext._estimators import clone
from tallytext._typing import FloatArray
from tallytext._validation import check_between, check_matrix, check_whole
from tallytext.decision.calibrators import OutOfSample
from tallytext.decision.thresholds import SCut
from tallytext.errors import ScoreError
from tallytext.evaluation.folds import stratified_folds
from tallytext.features.selector import mask_columns, resize
from tallytext.features.term_scores import CLASS_WEIGHTS, ContingencyTable
from tallytext.models.base import DocumentRows, RowWeights, Weights, sum_rows, to_documents
from tallytext.models.class_counts import ClassCounts, Column, CountsReader, Prior, with_snapshot
from tallytext.models.cross_validation import HeldOutModels
from tallytext.models.naive_bayes import NO_TERMS, NaiveBayes
from tallytext.models.smoothing.base import term_blocks
from tallytext.runtime import progress_bar, rows_per_block, thread_count
from tallytext.tally.labels import Targets, class_position, indicator_matrix, read_targets
from tallytext.tally.planes import Plane

Weighting: TypeAlias = Literal["ig", "chi", "prr"]
RatioSource: TypeAlias = Literal["documents", "poisson"]
Candidate: TypeAlias = tuple[Weighting | None, float]

ALPHAS = tuple(step / 10 for step in range(11))
WEIGHTINGS: tuple[Weighting | None, ...] = (None, "ig", "chi", "prr")

_MAX_RATIO = 100.0  # the cap of ContingencyTable.probability_ratio, so that both sources agree
_MIN_DIVISOR = np.finfo(np.float64).tiny  # 0 / tiny is 0: empty classes need no branch
_N_BINS = 5
_MAX_SCORES = 1 << 25  # scores of all candidates at a time: 256 MB


class RateEnds(NamedTuple):
    """Rates of a range of words for alpha = 1 (equal documents) and 0 (equal tokens)."""

    by_document: FloatArray
    by_token: FloatArray


@dataclass(frozen=True)
class DocumentSums:
    r"""Sums over the documents of each class, or over those of its complement.

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
    def from_totals(
        cls, documents: FloatArray, mass: FloatArray, squares: FloatArray, theta: float
    ) -> DocumentSums:
        r"""Compute all four from :math:`n_c`, :math:`\sum_w U_{cw}` and :math:`\sum_w P_{cw}`.

        :math:`n_c - p_c = \Theta u_c` and :math:`\ell_c - \sum_w P_{cw} = \Theta p_c`, so the rates
        of all words sum to one in spite of rounding.
        """
        # The tally rounds U and P to its unit. Derived from the rounded sums, the smoothing makes
        # up for the rounding; sums of exact fractions would not add up with them.
        tokens = squares + theta * mass
        return cls(documents, tokens, np.maximum(documents - mass, 0.0) / theta, mass)

    def ends(self, shares: FloatArray, squares: FloatArray, theta: float) -> RateEnds:
        r"""Return :math:`(U + \theta u_c) / n_c` and :math:`(P + \theta p_c) / \ell_c`."""
        by_document = (shares + theta * self.inverse) / np.maximum(self.documents, _MIN_DIVISOR)
        by_token = (squares + theta * self.mass) / np.maximum(self.tokens, _MIN_DIVISOR)
        if not self.tokens.all():
            # A class of empty documents has no tokens to average over.
            empty = self.tokens == 0
            by_token[:, empty] = by_document[:, empty]
        return RateEnds(by_document, by_token)


@dataclass(eq=False)
class PoissonRates:
    r"""Mean relative frequencies of words, :math:`\lambda'_{cw}` and :math:`\mu'_{cw}`.

    .. math:: \lambda'_{cw} = \alpha \frac{U_{cw} + \theta u_c}{n_c}
              + (1 - \alpha) \frac{P_{cw} + \theta p_c}{\ell_c}, \qquad
              \theta = \frac{\Theta}{V}

    (Kim et al., eqs. 7-9 without :math:`\tau`); :math:`\mu'` is the same for the complement of the
    class, in which each document counts once. Both sum to one over the vocabulary.

    Attributes
    ----------
    class_counts : ClassCounts
        Its columns are U, P and documents.
    alpha : ndarray of shape (n_classes,)
        1: all documents of a class have the same weight; 0: all its tokens have.
    theta : float
        :math:`\Theta`, the pseudo-tokens of a document.
    unit : float
        The value of one count of the tally.
    n_terms : int
        :math:`V`, the size of the vocabulary.
    closed : bool
        True if every column is in the vocabulary, False if only words that occur are.
    live, in_vocabulary : ndarray of bool of shape (n_words,)
        True for words that occur, and for words that count; scores ignore all others.
    has_both_sides : ndarray of bool of shape (n_classes,)
        True for classes with documents in the class and in its complement.
    inside, outside : DocumentSums
        Sums over the documents of each class, and over those of its complement.
    """

    class_counts: ClassCounts
    alpha: FloatArray
    theta: float
    unit: float
    n_terms: int
    closed: bool
    live: NDArray[np.bool_] = field(init=False)
    in_vocabulary: NDArray[np.bool_] = field(init=False)
    has_both_sides: NDArray[np.bool_] = field(init=False)
    inside: DocumentSums = field(init=False)
    outside: DocumentSums = field(init=False)

    def __post_init__(self) -> None:
        sums, unit, theta = self.class_counts, self.unit, self.theta
        documents, (shares, squares) = sums.class_documents, sums.class_totals[:2]
        self.live = sums.term_totals[-1] > 0
        self.in_vocabulary = np.ones_like(self.live) if self.closed else self.live
        self.has_both_sides = (documents > 0) & (documents < sums.n_documents)
        self.inside = DocumentSums.from_totals(documents, shares, squares * unit, theta)
        # Sums of the complement are differences, which rounding must not make negative. For
        # multi-label documents a sum over the other classes would count documents repeatedly.
        shares, squares = np.maximum(sums.totals[:2, None] - sums.class_totals[:2], 0.0)
        documents = np.maximum(sums.n_documents - documents, 0.0)
        self.outside = DocumentSums.from_totals(documents, shares, squares * unit, theta)

    def ends(self, first: int, last: int) -> tuple[RateEnds, RateEnds]:
        """Return the rates for both ends of alpha, of classes and of complements."""
        sums, theta = self.class_counts, self.theta / max(self.n_terms, 1)
        shares, squares = (sums.dense(sums.cells[at], first, last) for at in (0, 1))
        inside = self.inside.ends(shares, squares * self.unit, theta)
        shares, squares = (
            np.maximum(sums.term_totals[at, first:last, None] - cells, 0.0)
            for at, cells in enumerate((shares, squares))
        )
        outside = self.outside.ends(shares, squares * self.unit, theta)
        for rates in (*inside, *outside):
            # Nothing to compare with: equal rates on both sides make every log-ratio zero.
            rates[:, ~self.has_both_sides] = 1.0 / max(self.n_terms, 1)
        return inside, outside

    def rows(self, first: int, last: int) -> tuple[FloatArray, FloatArray]:
        r"""Return :math:`\lambda'` and :math:`\mu'` of a range of words, words by classes."""
        inside, outside = (
            by_token + self.alpha * (by_document - by_token)
            for by_document, by_token in self.ends(first, last)
        )
        return inside, outside


@dataclass(frozen=True)
class PoissonWeighting:
    """Weights of words by class (Kim et al., eqs. 11-13), in rows made on demand.

    Attributes
    ----------
    methods : list of {None, "ig", "chi", "prr"}
        The weighting of each class; None for equal weights.
    power : float
        The power to which weights are raised.
    prr_source : {"documents", "poisson"}
        Compute ratios from shares of documents, or from Poisson rates.
    """

    methods: list[Weighting | None]
    power: float = 1.0
    prr_source: RatioSource = "documents"

    def rows(
        self, rates: PoissonRates, first: int, last: int, inside: FloatArray, outside: FloatArray
    ) -> FloatArray:
        """Return the weights of a range of words, words by classes; zero for unseen words."""
        sums, live = rates.class_counts, rates.live[first:last, None]
        weights = np.repeat(rates.in_vocabulary[first:last, None] * 1.0, sums.n_classes, axis=1)
        # Classes that share a method are computed together: a class at a time would be slow.
        for method in dict.fromkeys(self.methods):
            if method is None:
                continue
            columns = np.flatnonzero([used == method for used in self.methods])
            if method == "prr" and self.prr_source == "poisson":
                made = symmetric_ratio(inside[:, columns], outside[:, columns])
            else:
                table = ContingencyTable.from_counts(
                    class_with=sums.dense(sums.cells[-1], first, last)[:, columns],
                    with_term=sums.term_totals[-1, first:last, None],
                    in_class=sums.class_documents[columns],
                    n_documents=sums.n_documents,
                )
                made = CLASS_WEIGHTS[method](table)
            weights[:, columns] = np.where(live, made if self.power == 1 else made**self.power, 0.0)
        return weights


@dataclass(frozen=True)
class PoissonConstants:
    r"""Sums over the whole vocabulary for each class (Kim et al., eq. 14).

    Attributes
    ----------
    a : ndarray of shape (n_classes,)
        :math:`A_c = \sum_w w_{cw} (\mu'_{cw} - \lambda'_{cw})`.
    b : ndarray of shape (n_classes,)
        :math:`B_c = \theta \sum_w w_{cw} \log(\lambda'_{cw} / \mu'_{cw})`.
    w : ndarray of shape (n_classes,)
        :math:`W_c = \sum_w w_{cw}`.
    n_words : ndarray of shape (n_classes,)
        V, the number of words that can have a weight.
    scale : ndarray of shape (n_classes,)
        :math:`V / W_c`, the factor that makes the weights of a class one on average.
    """

    a: FloatArray
    b: FloatArray
    w: FloatArray
    n_words: FloatArray
    scale: FloatArray

    @classmethod
    def from_rates(cls, rates: PoissonRates, weighting: PoissonWeighting) -> PoissonConstants:
        """Sum over the whole vocabulary, in blocks of words since rates are dense."""
        rates = replace(rates, class_counts=rates.class_counts.all_terms())
        n_classes, theta = rates.class_counts.n_classes, rates.theta / max(rates.n_terms, 1)
        a, b, w = np.zeros((3, n_classes))
        for first, last in term_blocks(rates.class_counts):
            inside, outside = rates.rows(first, last)
            weights = weighting.rows(rates, first, last, inside, outside)
            a += (weights * (outside - inside)).sum(axis=0)
            b += theta * (weights * (np.log(inside) - np.log(outside))).sum(axis=0)
            w += weights.sum(axis=0)
        # A measure is zero for a word that never occurs; equal weights count such words as well.
        plain = np.array([method is None for method in weighting.methods], dtype=bool)
        n_words = np.where(plain, rates.in_vocabulary.sum(), rates.live.sum()).astype(np.float64)
        return cls(a, b, w, n_words, np.divide(n_words, w, out=np.zeros_like(w), where=w > 0))


def symmetric_ratio(inside: FloatArray, outside: FloatArray) -> FloatArray:
    r"""Return :math:`\lambda'/\mu' + \mu'/\lambda'`, at most 100."""
    ratio = inside / outside
    return np.minimum(ratio + 1 / ratio, _MAX_RATIO)


class PoissonNB(NaiveBayes):
    r"""Poisson naive Bayes with weights of words by class (Kim, Seo and Rim, 2003).

    .. math:: z_c(d) = \frac{V}{W_c} \Bigl( A_c x'_+ + B_c
              + \sum_w w_{cw} x_w \log \frac{\lambda'_{cw}}{\mu'_{cw}} \Bigr), \qquad
              x'_+ = x_+ + \Theta

    :math:`\lambda'` and :math:`\mu'` are mean relative frequencies of a word in the documents of
    the class and in all others, each document smoothed by :math:`\Theta` pseudo-tokens
    (:class:`~tallytext.models.poisson.PoissonRates`). The score is z plus the log-odds of the
    prior, for single-label and for multi-label documents. Without weights it is a multinomial
    contrast of document-averaged word probabilities.

    Scores cost words times classes, since every class has a weight for every word.

    Parameters
    ----------
    alpha : float, default=0.8
        1: all documents of a class have the same weight; 0: all its tokens have.
    theta : float, default=10.0
        :math:`\Theta`, the pseudo-tokens that smooth each document, spread over the vocabulary. The
        counts depend on it, so it cannot be changed after ``fit``.
    weighting : {None, "ig", "chi", "prr"}, default=None
        Weight words by information gain, :math:`\chi^2` or the ratio of probabilities.
    weight_power : float, default=1.0
        The power to which weights are raised.
    prr_source : {"documents", "poisson"}, default="documents"
        Compute "prr" from shares of documents, or from Poisson rates.
    per_class : bool or mapping of label to (weighting, alpha), default=None
        True: choose the weighting and alpha of each class by cross-validation on the training
        documents, as :func:`~tallytext.models.poisson.choose_per_class` does (PNB*). A mapping
        overrides ``weighting`` and ``alpha`` for some classes.
    prior, prior_beta, class_weight, multi_label, dtype, n_jobs
        As in :class:`MultinomialNB`.

    Attributes
    ----------
    tally_ : Tally
        The counts that all weights are computed from.
    classes_ : ndarray
        The labels, sorted.
    per_class_ : dict of label to (weighting, alpha)
        The choices that ``per_class=True`` made; classes that are learned later have none.

    Examples
    --------
    >>> model = PoissonNB(weighting="chi").fit([[2, 1, 0], [0, 0, 3]], ["sea", "sky"])
    >>> model.predict([[1, 0, 0]])
    array(['sea'], dtype='<U3')
    """

    #: The score of a class is a ratio to its complement by definition, so no joint scores exist.
    contrasts = True
    per_class_: Mapping[Any, Candidate] = MappingProxyType({})

    def __init__(
        self,
        alpha: float = 0.8,
        *,
        theta: float = 10.0,
        weighting: Weighting | None = None,
        weight_power: float = 1.0,
        prr_source: RatioSource = "documents",
        per_class: bool | Mapping[Any, tuple[Weighting | None, float]] | None = None,
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

    # Rank documents within a class.

    def z_star(self, X: Any) -> FloatArray:
        r"""Return :math:`z^*`, the score that ranks documents within a class (Kim et al., eq. 15).

        .. math:: z^*_c(d) = \frac{B_c + \hat z_c(d)}{x'_+}

        It does not compare classes. It is zero for a class that all documents have, -inf for a
        class that none has.

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

    def rank(self, X: Any, label: Any, normalize: bool = True) -> FloatArray:
        """Return :meth:`z_star` of one class, or its log-odds, to sort documents.

        Parameters
        ----------
        X : sparse matrix, sparse array or array-like of shape (n_documents, n_terms)
            Counts.
        label : label
            A class.
        normalize : bool, default=True
            True for :meth:`z_star`, which is divided by the length of the document; False for
            log-odds.
        """
        if not normalize:
            return super().rank(X, label)
        ranks, classes = self._z_star(X)
        return ranks[:, class_position(label, classes)]

    def _z_star(self, X: Any) -> tuple[FloatArray, NDArray[Any]]:
        """Return the ranks of documents within classes, and the classes."""
        documents = self._documents(X)

        def read_and_rank(reader: CountsReader) -> tuple[FloatArray, NDArray[Any]]:
            estimated = self._weights_for(documents, reader)
            _, _, constants = self._parts(estimated.class_counts)
            # The evidence per token has the constant term A, which does not rank documents.
            ranks = self._evidence(documents, estimated) - constants.scale * constants.a
            # A class that no word has a weight for has scale zero: its ranks are zero already.
            np.divide(ranks, constants.scale, out=ranks, where=constants.scale > 0)
            return ranks, estimated.class_counts.order.classes

        return with_snapshot(self._reader(), read_and_rank)

    def _evidence_lengths(self, lengths: FloatArray) -> FloatArray:
        return lengths + self.theta

    def leave_one_out(self, *given: Any, **named: Any) -> OutOfSample:
        """Raise ScoreError: every document changes the rates of every word.

        Use ``cross_validate``.

        Parameters
        ----------
        *given : Any
            Ignored.
        **named : Any
            Ignored.
        """
        raise ScoreError(
            "PoissonNB cannot leave out one document at a time: each changes the rates of all "
            "words. Use cross_validate."
        )

    # Estimate.

    def constants(self) -> PoissonConstants:
        """Return the sums over the whole vocabulary for each class: A, B, W and V."""
        return with_snapshot(self._reader(), lambda reader: self._parts(reader.read(NO_TERMS))[2])

    def rates(self, class_counts: ClassCounts) -> PoissonRates:
        r"""Return :math:`\lambda'` and :math:`\mu'` behind the weights.

        Parameters
        ----------
        class_counts : ClassCounts
            Sums of the tally.
        """
        own, labels = self._choices(), class_counts.order.classes.tolist()
        alphas = [own[label][1] if label in own else self.alpha for label in labels]
        n_terms = class_counts.n_live_terms if self.open_ else self.n_features_in_
        return PoissonRates(
            class_counts=class_counts,
            alpha=np.array(alphas, dtype=np.float64),
            theta=float(self.theta),
            unit=self.unit_,
            n_terms=n_terms,
            closed=not self.open_,
        )

    def _columns(self, unit: float, weighted: bool) -> list[Column]:
        # The tally counts units, so that the pseudo-tokens of its norms are units as well.
        theta = float(self.theta) / unit
        return [
            Plane("raw", "poisson", theta, weighted),
            Plane("raw", "poisson_mass", theta, weighted),
            Plane("binary", weighted=True) if weighted else "documents",
        ]

    def _estimate(self, class_counts: ClassCounts, intercept: FloatArray) -> Weights:
        r"""Return the weights of :math:`\frac{V}{W_c} (A_c x'_+ + B_c + \hat z)` and intercept."""
        rates, weighting, constants = self._parts(class_counts)
        scale = constants.scale

        def make(first: int, last: int) -> FloatArray:
            inside, outside = rates.rows(first, last)
            weights = weighting.rows(rates, first, last, inside, outside)
            return scale * weights * (np.log(inside) - np.log(outside))

        # The length that weights multiply is x_+ without the pseudo-tokens of x'_+.
        constant = scale * (constants.a * rates.theta + constants.b)
        return RowWeights(
            intercept + constant, scale * constants.a, rates.in_vocabulary * 1.0, make
        )

    def _parts(
        self, class_counts: ClassCounts
    ) -> tuple[PoissonRates, PoissonWeighting, PoissonConstants]:
        """Return the rates and the weighting of given counts, and the constants of all words."""
        rates = self.rates(class_counts)
        own, labels = self._choices(), class_counts.order.classes.tolist()
        methods = [own[label][0] if label in own else self.weighting for label in labels]
        weighting = PoissonWeighting(methods, self.weight_power, self.prr_source)
        # Constants sum over all words, whichever words a batch has: compute them once a version.
        compute = partial(PoissonConstants.from_rates, rates, weighting)
        constants = self.cache_.constants(class_counts.version, compute, self._settings())
        return rates, weighting, constants

    def _choices(self) -> Mapping[Any, Candidate]:
        """Return the weighting and alpha of the classes that have their own."""
        if isinstance(self.per_class, bool):
            return self.per_class_ if self.per_class else {}
        return self.per_class or {}

    def _fit_hyperparameters(self, X: Any, targets: Targets, weights: FloatArray | None) -> None:
        self.per_class_ = {}
        if self.per_class is not True or not targets.labels:
            return
        # Terms that the tally does not have were not selected: they must not decide either.
        known = resize(self.tally_.term_documents > 0, X.shape[1], False)
        # Cross-validation needs two folds with documents.
        folds = min(5, X.shape[0])
        if folds > 1:
            choice = choose_per_class(self, mask_columns(X, known), targets, folds=folds)
            self.per_class_ = choice.per_class

    def _check_parameters(self) -> None:
        super()._check_parameters()
        if not isinstance(self.per_class, bool | Mapping | None):
            raise ValueError(f"per_class must be True or a mapping, not {self.per_class!r:.80}.")
        choices = [(self.weighting, self.alpha), *self._choices().values()]
        for weighting, alpha in choices:
            if weighting is not None and weighting not in CLASS_WEIGHTS:
                raise ValueError(f"weighting must be one of {[*CLASS_WEIGHTS]}, not {weighting!r}.")
            check_between("alpha", alpha, 0.0, 1.0)
        check_between("theta", self.theta, 1e-12, 1e12)
        check_between("weight_power", self.weight_power, 0.0, 1e3)
        if self.prr_source not in ("documents", "poisson"):
            raise ValueError(f"prr_source is 'documents' or 'poisson', not {self.prr_source!r}.")


@dataclass(frozen=True)
class CandidateGrid:
    """Candidates: all pairs of a weighting and an alpha.

    Attributes
    ----------
    weightings : sequence of {None, "ig", "chi", "prr"}
    alphas : sequence of float
    power, prr_source
        As in :class:`~tallytext.models.poisson.PoissonWeighting`.
    """

    weightings: Sequence[Weighting | None]
    alphas: Sequence[float]
    power: float = 1.0
    prr_source: RatioSource = "documents"

    @property
    def candidates(self) -> list[Candidate]:
        """The pairs: all weightings with the first alpha, then with the next."""
        return [(weighting, float(alpha)) for alpha in self.alphas for weighting in self.weightings]

    def rows(self, rates: PoissonRates, first: int, last: int) -> Iterator[FloatArray]:
        """Yield the weighted log-ratios of a range of words for each candidate.

        Rates are linear in alpha and most weights do not depend on it, so both are computed once.
        """
        ends, weights = rates.ends(first, last), None
        for alpha in self.alphas:
            inside, outside = (
                by_token + alpha * (by_document - by_token) for by_document, by_token in ends
            )
            if weights is None or self.prr_source == "poisson":
                weights = self._weights(rates, first, last, inside, outside)
            logs = np.log(inside) - np.log(outside)
            yield from (each * logs for each in weights)

    def _weights(
        self, rates: PoissonRates, first: int, last: int, inside: FloatArray, outside: FloatArray
    ) -> list[FloatArray]:
        n_classes = rates.class_counts.n_classes
        weightings = [
            PoissonWeighting([weighting] * n_classes, self.power, self.prr_source)
            for weighting in self.weightings
        ]
        return [each.rows(rates, first, last, inside, outside) for each in weightings]

    def z_star(self, rates: PoissonRates, documents: DocumentRows, n_threads: int) -> FloatArray:
        """Return z* of candidates by documents by classes; NaN for classes without both sides."""
        shape = len(self.candidates), documents.n_documents, rates.class_counts.n_classes
        scores, constant = np.zeros(shape), np.zeros((shape[0], 1, shape[2]))
        starts, terms, values = documents.starts, documents.terms, documents.values
        for first, last in term_blocks(rates.class_counts):
            for at, rows in enumerate(self.rows(rates, first, last)):
                constant[at] += rows.sum(axis=0)
                add_rows(starts, terms, values, rows, first, scores[at], n_threads)
        lengths = sum_rows(
            documents.values * rates.in_vocabulary[documents.terms], documents.starts
        )
        # V / W_c is left out: a positive factor of the class does not change its ranking.
        scores += constant * (rates.theta / max(rates.n_terms, 1))
        scores /= (lengths + rates.theta)[:, None]
        scores[:, :, ~rates.has_both_sides] = np.nan
        return scores


class HeldOutRates(NamedTuple):
    """The documents of a fold, and the rates of all other documents."""

    rows: NDArray[np.intp]
    documents: DocumentRows
    rates: PoissonRates


@dataclass(frozen=True)
class GridF1:
    """F1 of each candidate and class with the best threshold, pooled and in each fold.

    Attributes
    ----------
    f1 : ndarray of shape (n_candidates, n_classes)
    by_fold : ndarray of shape (n_candidates, n_folds, n_classes)
        NaN for folds without a document of the class.
    """

    f1: FloatArray
    by_fold: FloatArray

    def standard_errors(self) -> FloatArray:
        """Return the standard errors of means over folds; infinite for fewer than two folds."""
        known = ~np.isnan(self.by_fold)
        n = known.sum(axis=1)
        mean = np.where(known, self.by_fold, 0.0).sum(axis=1) / np.maximum(n, 1)
        squares = np.where(known, self.by_fold - mean[:, None], 0.0) ** 2
        variance = squares.sum(axis=1) / np.maximum(n - 1, 1)
        return np.where(n > 1, np.sqrt(variance / np.maximum(n, 1)), np.inf)


def mean_f1(found: Sequence[GridF1]) -> GridF1:
    """Return the mean over repeated cross-validations, and all their folds."""
    pooled = np.mean([each.f1 for each in found], axis=0)
    return GridF1(pooled, np.concatenate([each.by_fold for each in found], axis=1))


def class_groups(n_documents: int, n_classes: int, n_candidates: int) -> list[tuple[int, int]]:
    """Return ranges of classes whose scores by all candidates fit into memory together.

    Examples
    --------
    >>> class_groups(10_000, 90, 44)
    [(0, 45), (45, 90)]
    """
    most = rows_per_block(n_documents * n_candidates, _MAX_SCORES)
    n_groups = -(-n_classes // most)
    ends = np.linspace(0, n_classes, n_groups + 1).astype(int).tolist()
    return list(pairwise(ends))


def group_f1(
    grid: CandidateGrid,
    folds: Iterable[HeldOutRates],
    truth: NDArray[np.bool_],
    first: int,
    last: int,
    n_threads: int,
) -> GridF1:
    """Return the F1 of all candidates for the classes from ``first`` up to ``last``."""
    wanted, n_candidates = truth[:, first:last], len(grid.candidates)
    scores = np.empty((n_candidates, *wanted.shape))
    rows = []
    for fold in folds:
        rates = _select_classes(fold.rates, first, last)
        scores[:, fold.rows] = grid.z_star(rates, fold.documents, n_threads)
        rows.append(fold.rows)
    found = [_f1_by_fold(scores[at], wanted, rows) for at in range(n_candidates)]
    return GridF1(np.array([f1 for f1, _ in found]), np.array([by for _, by in found]))


def _f1_by_fold(
    scores: FloatArray, wanted: NDArray[np.bool_], folds: Sequence[NDArray[np.intp]]
) -> tuple[FloatArray, FloatArray]:
    """Return the F1 of decisions by the best thresholds, pooled and in each fold."""
    predicted = SCut(fbr=0).fit(scores, wanted).decide(scores)
    right, given, true = (
        np.array([part[rows].sum(axis=0) for rows in folds], dtype=np.float64)
        for part in (predicted & wanted, predicted, wanted)
    )
    by_fold = np.divide(2 * right, given + true, out=np.full_like(right, np.nan), where=true > 0)
    pooled = 2 * right.sum(axis=0) / np.maximum((given + true).sum(axis=0), 1)
    return pooled, by_fold


def _select_classes(rates: PoissonRates, first: int, last: int) -> PoissonRates:
    class_counts, classes = rates.class_counts, rates.class_counts.classes
    selected = (classes >= first) & (classes < last)
    part: ClassCounts = replace(
        class_counts,
        starts=np.append(0, np.cumsum(selected))[class_counts.starts],
        classes=classes[selected] - np.int32(first),
        cells=class_counts.cells[:, selected],
        class_totals=class_counts.class_totals[:, first:last],
        class_scales=class_counts.class_scales[:, first:last],
        class_documents=class_counts.class_documents[first:last],
        class_terms=class_counts.class_terms[first:last],
    )
    return replace(rates, class_counts=part, alpha=rates.alpha[first:last])


@dataclass(frozen=True, eq=False)
class PerClassChoice:
    """The result of :func:`choose_per_class`.

    Attributes
    ----------
    model : PoissonNB
        Fitted to all documents, each class with its own choice.
    per_class : dict of label to (weighting, alpha)
        The choices.
    scores : ndarray of shape (n_documents, n_classes)
        Out-of-fold ``z_star`` under these choices, to fit thresholds to; -inf where all documents
        of a class were held out.
    truth : ndarray of bool of shape (n_documents, n_classes)
        True for the classes of each document.
    folds : ndarray of int of shape (n_documents,)
        The fold of each document in the first cross-validation.
    candidates : list of (weighting, alpha)
        All candidates.
    f1 : ndarray of shape (n_candidates, n_classes)
        Out-of-fold F1 with the best threshold: too optimistic, for all candidates equally.
    bins : ndarray of int of shape (n_classes,)
        Classes by size, 0 the smallest.
    """

    model: PoissonNB
    per_class: dict[Any, Candidate]
    scores: FloatArray
    truth: NDArray[np.bool_]
    folds: NDArray[np.intp]
    candidates: list[Candidate]
    f1: FloatArray
    bins: NDArray[np.intp]


def choose_per_class(
    model: PoissonNB,
    X: Any,
    y: Any,
    *,
    folds: int = 5,
    repeats: int = 1,
    random_state: int = 0,
    alphas: Sequence[float] = ALPHAS,
    progress: bool = False,
) -> PerClassChoice:
    """Choose the weighting and alpha of each class by out-of-fold F1 (PNB*).

    Classes are split into five bins by size. A class uses the candidate with the best mean F1 in
    its bin, unless its own best candidate is better by more than one standard error over folds: a
    single class has too few documents to choose among dozens of candidates.

    Parameters
    ----------
    model : PoissonNB
        Its other parameters are unchanged. It is not modified.
    X, y
        Training documents, as in :meth:`PoissonNB.fit`.
    folds : int, default=5
        Number of folds; each is scored by the sums of all documents minus its own.
    repeats : int, default=1
        Number of cross-validations with other folds, whose F1 is averaged.
    random_state : int, default=0
        Seed of the assignment of documents to folds.
    alphas : sequence of float, default=(0, 0.1, ..., 1)
        Combined with each weighting: none, "ig", "chi" and "prr".
    progress : bool, default=False
        Show a progress bar.

    Returns
    -------
    PerClassChoice

    Examples
    --------
    >>> X = [[2, 1, 0], [1, 0, 1], [0, 1, 2], [0, 0, 3]]
    >>> choice = choose_per_class(PoissonNB(), X, ["sea", "sea", "sky", "sky"], folds=2)
    >>> sorted(choice.per_class)
    ['sea', 'sky']
    >>> choice.model.predict([[1, 0, 0]])
    array(['sea'], dtype='<U3')
    """
    fitted: PoissonNB = clone(model).set_params(per_class=None).fit(X, y)
    matrix, targets = check_matrix(fitted, X, reset=False, open_width=False), read_targets(y)
    truth = indicator_matrix(targets.labels, fitted.classes_)
    check_whole("repeats", repeats, 1)
    grid = CandidateGrid(WEIGHTINGS, alphas, model.weight_power, model.prr_source)
    splits = [stratified_folds(truth, folds, random_state + again) for again in range(repeats)]
    found = mean_f1(
        [_grid_f1(fitted, grid, matrix, targets, truth, split, progress) for split in splits]
    )
    bins = size_bins(truth.sum(axis=0))
    chosen = choose_candidates(found, bins)
    per_class = {
        label: grid.candidates[at]
        for label, at in zip(fitted.classes_.tolist(), chosen, strict=True)
    }
    # The tally is the same for all choices, except for theta: no document is counted again.
    fitted.set_params(per_class=per_class)
    models = HeldOutModels(fitted, matrix, targets, all_classes=True)
    scores = models.apply(splits[0], PoissonNB.z_star)
    return PerClassChoice(
        fitted, per_class, scores, truth, splits[0], grid.candidates, found.f1, bins
    )


def size_bins(sizes: NDArray[np.integer[Any]]) -> NDArray[np.intp]:
    """Return the bin of each class by size, 0 for the smallest; equal sizes share a bin.

    Examples
    --------
    >>> size_bins(np.array([1, 1, 2, 10, 90])).tolist()
    [0, 0, 2, 3, 4]
    """
    bounds = np.quantile(sizes, np.arange(1, _N_BINS) / _N_BINS, method="lower")
    return np.searchsorted(bounds, sizes, side="left")


def choose_candidates(found: GridF1, bins: NDArray[np.intp]) -> list[int]:
    """Return the candidate of each class: the best of its bin, or its own if clearly better."""
    errors, chosen = found.standard_errors(), np.empty(len(bins), dtype=np.intp)
    for bin_ in np.unique(bins):
        members = np.flatnonzero(bins == bin_)
        common = int(found.f1[:, members].mean(axis=1).argmax())
        gain = found.f1[:, members].max(axis=0) - found.f1[common, members]
        own = found.f1[:, members].argmax(axis=0)
        chosen[members] = np.where(gain > errors[common, members], own, common)
    return chosen.tolist()


def _grid_f1(
    model: PoissonNB,
    grid: CandidateGrid,
    X: Any,
    targets: Targets,
    truth: NDArray[np.bool_],
    split: NDArray[np.intp],
    progress: bool,
) -> GridF1:
    folds = [
        HeldOutRates(rows, to_documents(X[rows]), others.rates(others._reader().read()))
        for rows, others in HeldOutModels(model, X, targets, all_classes=True).iter_folds(split)
    ]
    n_documents, n_classes = truth.shape
    groups = class_groups(n_documents, n_classes, len(grid.candidates))
    n_threads = thread_count(model.n_jobs)
    with progress_bar("Choosing weights", len(groups) * len(folds), progress) as step:
        found = [
            group_f1(grid, _with_progress(folds, step), truth, *ends, n_threads) for ends in groups
        ]
    return GridF1(
        np.concatenate([part.f1 for part in found], axis=-1),
        np.concatenate([part.by_fold for part in found], axis=-1),
    )


def _with_progress(folds: list[HeldOutRates], step: Callable[[], None]) -> Iterator[HeldOutRates]:
    for fold in folds:
        yield fold
        step()

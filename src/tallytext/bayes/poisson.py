"""Poisson naive Bayes: words arrive at rates, each class against all documents outside it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tallytext.bayes.base import NO_TERMS
from tallytext.bayes.model import NaiveBayes
from tallytext.bayes.out_of_sample import OutOfSample
from tallytext.bayes.poisson_rates import PoissonRates
from tallytext.bayes.poisson_weights import (
    PoissonConstants,
    PoissonWeighting,
    RatioSource,
    Weighting,
    poisson_weights,
)
from tallytext.bayes.priors import Prior
from tallytext.bayes.reading import Column, Reader, Reading, at_one_moment
from tallytext.contingency import CLASS_METHODS
from tallytext.errors import ScoreError
from tallytext.labels import place_of
from tallytext.planes import Plane
from tallytext.scorer import Weights
from tallytext.smoothing.base import Numbers, expect_between


class PoissonNB(NaiveBayes):
    r"""Poisson naive Bayes with weights of words by class (Kim, Seo and Rim, 2003).

    .. math:: z_c(d) = \frac{V}{W_c} \Bigl( A_c x'_+ + B_c
              + \sum_w w_{cw} x_w \log \frac{\lambda'_{cw}}{\mu'_{cw}} \Bigr), \qquad
              x'_+ = x_+ + \Theta

    :math:`\lambda'` and :math:`\mu'` are mean relative frequencies of a word in the documents of
    the class and in all others, each document smoothed by :math:`\Theta` pseudo-tokens
    (:class:`~tallytext.bayes.poisson_rates.PoissonRates`). The score is z plus the log-odds of the
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
        :func:`~tallytext.bayes.poisson_choice.choose_per_class`.
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

    def z_star(self, X: Any) -> Numbers:
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

    def rank(self, X: Any, label: Any) -> Numbers:
        """Return :meth:`z_star` of one class, to sort documents by."""
        ranks, classes = self._z_star(X)
        return ranks[:, place_of(label, classes)]

    def _z_star(self, X: Any) -> tuple[Numbers, NDArray[Any]]:
        """Return the ranks of documents within classes, and the classes."""
        documents = self._documents(X)

        def ranks(reader: Reader) -> tuple[Numbers, NDArray[Any]]:
            seen = self._seen(documents, reader)
            constants = self._constants(seen.reading)
            without = self._evidence(documents, seen) - constants.scale * constants.a
            np.divide(without, constants.scale, out=without, where=constants.scale > 0)
            return without, seen.reading.order.classes

        return at_one_moment(self._reader(), ranks)

    def _divisors(self, lengths: Numbers) -> Numbers:
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

    def _estimate(self, reading: Reading, intercept: Numbers) -> Weights:
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

    def _expect_parameters(self) -> None:
        super()._expect_parameters()
        choices = [(self.weighting, self.alpha), *(self.per_class or {}).values()]
        for weighting, alpha in choices:
            if weighting is not None and weighting not in CLASS_METHODS:
                raise ValueError(f"weighting must be one of {[*CLASS_METHODS]}, not {weighting!r}.")
            expect_between("alpha", alpha, 0.0, 1.0)
        expect_between("theta", self.theta, 1e-12, 1e12)
        expect_between("weight_power", self.weight_power, 0.0, 1e3)
        if self.prr_source not in ("documents", "poisson"):
            raise ValueError(f"prr_source is 'documents' or 'poisson', not {self.prr_source!r}.")

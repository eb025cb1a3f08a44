"""Multivariate Bernoulli naive Bayes: documents as sets of words."""

from __future__ import annotations

from typing import Any, Literal

from tallytext.bayes.bernoulli_weights import BernoulliCounts, contrast_weights, joint_weights
from tallytext.bayes.left_out_bernoulli import BernoulliScores
from tallytext.bayes.left_out_pieces import Leaving
from tallytext.bayes.model import NaiveBayes
from tallytext.bayes.priors import Prior
from tallytext.bayes.reading import Column, Reading
from tallytext.planes import Plane
from tallytext.scorer import Weights
from tallytext.smoothing.base import Numbers, expect_between


class BernoulliNB(NaiveBayes):
    r"""Multivariate Bernoulli naive Bayes (Aggarwal, 5.11-5.17): which words occur, which do not.

    .. math:: p(w \mid c) = \frac{\mathrm{df}_{cw} + \gamma}{N_c + \gamma V / d_a}, \qquad
              s_c(d) = \log p(c) + \sum_{w \in d} \log p(w \mid c)
              + \sum_{w \notin d} \log(1 - p(w \mid c))

    :math:`d_a` is the mean number of distinct words of a training document, so that a word nobody
    has seen is expected in a share :math:`d_a / V` of documents, not in half of them.

    Parameters
    ----------
    gamma : float, default=1.0
        Pseudo-documents per word, positive.
    complement : bool, default=False
        Judge each class against all documents outside it.
    prior, prior_beta, class_weight, multi_label, dtype, n_jobs
        As in :class:`MultinomialNB`; the prior is "smoothed" by default, as in the source.

    Attributes
    ----------
    tally_ : Tally
        The counts, all there is to know.
    classes_ : ndarray
        The labels, sorted.

    Examples
    --------
    >>> model = BernoulliNB().fit([[1, 1, 0], [0, 1, 1]], ["sea", "sky"])
    >>> model.predict([[1, 0, 0]])
    array(['sea'], dtype='<U3')
    """

    tf_test = "binary"
    has_leave_one_out = True

    def __init__(
        self,
        gamma: float = 1.0,
        *,
        complement: bool = False,
        prior: Prior = "smoothed",
        prior_beta: float = 1.0,
        class_weight: Any = None,
        multi_label: bool | None = None,
        dtype: Literal["float64", "float32"] = "float64",
        n_jobs: int | None = None,
    ) -> None:
        self.gamma = gamma
        self.complement = complement
        self.prior = prior
        self.prior_beta = prior_beta
        self.class_weight = class_weight
        self.multi_label = multi_label
        self.dtype = dtype
        self.n_jobs = n_jobs

    @property
    def _contrasts(self) -> bool:
        return self.multi_label_ or bool(self.complement)

    def _expect_parameters(self) -> None:
        super()._expect_parameters()
        expect_between("gamma", self.gamma, 1e-12, 1e12)
        if self.complement not in (False, True):
            raise ValueError(f"complement must be True or False, not {self.complement!r}.")

    def _columns(self, unit: float, weighted: bool) -> list[Column]:
        return [Plane("binary", weighted=True) if weighted else "documents"]

    def _joint_sklearn(self, table: Numbers, intercept: Numbers) -> Any:
        from tallytext.bayes.export import as_bernoulli

        return as_bernoulli(table, intercept, self)

    def _estimate(self, reading: Reading, intercept: Numbers) -> Weights:
        counts = self.document_counts(reading)
        if self._contrasts:
            return contrast_weights(counts, intercept)
        return joint_weights(counts, intercept)

    def _leaving(self, reading: Reading) -> Leaving:
        return BernoulliScores(self.document_counts(reading), self._contrasts)

    def document_counts(self, reading: Reading) -> BernoulliCounts:
        """Return the smoothed counts behind the weights.

        Parameters
        ----------
        reading : Reading
            Sums of a tally, of one moment.
        """
        n_terms = reading.n_live_terms if self.open_ else self.n_features_in_
        return BernoulliCounts(reading, self.gamma, n_terms, closed=not self.open_)

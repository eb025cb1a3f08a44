"""Learning from documents without labels: by expectation and maximisation."""

from __future__ import annotations

import copy
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from scipy.special import softmax

from tallytext.bayes.expected import Expected
from tallytext.bayes.matrices import documents_of, in_units, transformed
from tallytext.bayes.reading import Reader, Reading, at_one_moment
from tallytext.bayes.weight_cache import WeightCache
from tallytext.errors import CountError, ScoreError
from tallytext.matrices import checked_matrix
from tallytext.scorer import Documents
from tallytext.smoothing.base import Numbers, expect_between, expect_whole
from tallytext.threads import thread_count

if TYPE_CHECKING:
    from tallytext.bayes.learning import Learning

_PRIORS = ("labelled", "all")


@dataclass(frozen=True)
class ExpectationMaximisation:
    r"""How a naive Bayes model learns from documents without labels (Nigam et al., 2000).

    The model of the labelled documents says how likely each class is for each document n without a
    label. Every class is then given that share of its counts, and the model judges anew:

    .. math:: R_{nc} \propto p(c) \exp\left(\ell\, \frac{s_c(n) - \log p(c)}{|n|}\right), \qquad
              N_{cw} = N_{cw}^{\text{labelled}} + \omega \sum_n R_{nc}\, x_{nw}

    :math:`\ell` is the ``length`` that all documents are taken to have: naive Bayes takes each word
    for new evidence, so that long documents would otherwise belong to one class entirely, right or
    wrong. With ``length=None`` R is the posterior itself, and a round can only raise the likelihood
    of all documents under ``Laplace`` smoothing, times its prior, if ``prior="all"``.

    Parameters
    ----------
    rounds : int, default=6
        How often documents are judged. With 0 they are in no class: only the background knows them.
    length : float or None, default=20.0
        :math:`\ell`, positive; None: as long as each document is.
    weight : float, default=1.0
        :math:`\omega`, what a document without a label counts beside one with a label.
    prior : {"labelled", "all"}, default="labelled"
        Which documents say how likely classes are. Those with labels were often picked to be as
        many of each class; then "all" tells more, unless classes are hard to tell apart.

    Examples
    --------
    >>> from tallytext import MultinomialNB
    >>> X, y, pool = [[1, 0, 0], [0, 0, 1]], ["sea", "sky"], [[2, 1, 0], [1, 2, 0], [0, 0, 3]]
    >>> model = MultinomialNB().fit(X, y, unlabelled=pool, em=ExpectationMaximisation(rounds=2))
    >>> model.predict_proba([[0, 1, 0]]).round(2)
    array([[0.72, 0.28]])
    >>> model.tally_
    <Tally of 2 documents: 2 tokens, 2 terms, 2 classes>
    """

    rounds: int = 6
    length: float | None = 20.0
    weight: float = 1.0
    prior: Literal["labelled", "all"] = "labelled"

    def __post_init__(self) -> None:
        expect_whole("rounds", self.rounds, 0)
        if self.length is not None:
            expect_between("length", self.length, 1e-9, 1e9)
        expect_between("weight", self.weight, 1e-6, 1e6)
        if self.prior not in _PRIORS:
            raise ValueError(f"prior must be one of {_PRIORS}, not {self.prior!r}.")

    def run(self, model: Learning, X: Any, anchors: Numbers | None = None) -> Expected | None:
        """Return what documents without labels add to a model, judged by it again and again.

        The first judge is the model of the documents with labels. The model stays as it is.

        Parameters
        ----------
        model : NaiveBayes
            Fitted on documents with labels.
        X : CSR matrix of shape (n_documents, n_terms)
        anchors : ndarray of shape (n_documents, n_classes), default=None
            What is known of the documents besides: added to the logarithms of their shares.
        """
        pool, work = Pool.of(model, X), copy.copy(model)
        work.cache_, work.expected_ = WeightCache(), None
        if self.rounds and model.multi_label_:
            raise ScoreError(
                "documents without labels can be shared out to classes only where each has one "
                "label: use ExpectationMaximisation(rounds=0), so that only the background learns."
            )
        expect_anchors(anchors, pool.judged.n_documents, len(model._order().classes))
        if not self.rounds:
            return self._expected(work, pool, None)
        for _ in range(self.rounds):
            shares = self.shares(work, pool, anchors)
            work.expected_ = self._expected(work, pool, shares)
        return work.expected_

    def shares(self, model: Learning, pool: Pool, anchors: Numbers | None = None) -> Numbers:
        """Return how much of each document each class has, as the model judges it now.

        Parameters
        ----------
        model : estimator
            A naive Bayes model.
        pool : Pool
            The documents, counted.
        anchors : ndarray of shape (n_documents, n_classes), default=None
            What else speaks for the classes, as logarithms.
        """

        def judged(reader: Reader) -> Numbers:
            return self._shares(model, pool, reader.read(), anchors)

        return at_one_moment(model._reader(), judged)

    def _shares(
        self, model: Learning, pool: Pool, reading: Reading, anchors: Numbers | None
    ) -> Numbers:
        weights = model._weights(reading)
        scores, lengths = weights.scores(pool.judged, thread_count(model.n_jobs))
        scores = model._lengthened(model._or_prior(scores, weights), pool.judged, reading)
        prior = model._log_priors(reading)
        possible = prior > -np.inf
        evidence = scores[:, possible].astype(np.float64) - prior[possible]
        if self.length is not None:
            below = model._divisors(lengths)[:, None].astype(np.float64)
            evidence *= np.divide(self.length, below, out=np.zeros_like(below), where=below > 0)
        logs = np.full(scores.shape, -np.inf)
        logs[:, possible] = evidence + prior[possible]
        return softmax(logs if anchors is None else logs + anchors, axis=1)

    def _expected(self, model: Learning, pool: Pool, shares: Numbers | None) -> Expected:
        planes = model._expected_columns()
        classes = model._order().classes.tolist()
        whole = self.prior == "all"
        return Expected.of(
            model.tally_, planes, pool.counted, shares, classes, float(self.weight), whole
        )


def way_of_learning(em: ExpectationMaximisation | None) -> ExpectationMaximisation:
    """Return how to learn, as given or as usual.

    Raises
    ------
    ValueError
        If something else was given.
    """
    if em is None:
        return ExpectationMaximisation()
    if not isinstance(em, ExpectationMaximisation):
        raise ValueError(f"em must be an ExpectationMaximisation, not {em!r:.60}.")
    return em


def expect_anchors(anchors: Numbers | None, n_documents: int, n_classes: int) -> None:
    """Refuse what does not say a number for each document and class."""
    if anchors is None:
        return
    if anchors.shape != (n_documents, n_classes):
        raise CountError(
            f"anchors of shape {anchors.shape} for {n_documents} documents, {n_classes} classes."
        )
    if not np.isfinite(anchors).all():
        raise CountError("an anchor is infinite or not a number.")


@dataclass(frozen=True)
class Pool:
    """Documents without labels, as they are judged and as they are counted."""

    judged: Documents
    counted: Any

    @classmethod
    def of(cls, model: Learning, X: Any) -> Pool:
        """Return documents for a model, without columns that it has no term for."""
        matrix = checked_matrix(model, X, reset=False, open_width=model.open_)
        matrix = matrix[:, : len(model.tally_.vocabulary)]
        judged = transformed(documents_of(matrix), model.tf_test)
        return cls(judged, in_units(matrix, model.unit_))

"""Semi-supervised naive Bayes: learn from documents without labels by expectation-maximisation.

:class:`ExpectationMaximisation` is the algorithm, :class:`ExpectedCounts` its result: fractional
counts of the classes, which are added to those of the labelled documents.
"""

from __future__ import annotations

import copy
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import NDArray

from tallytext._typing import FloatArray
from tallytext._validation import check_between, check_matrix, check_whole
from tallytext.errors import CountError, FileError, ScoreError
from tallytext.models.base import (
    DocumentRows,
    EstimatedWeights,
    WeightCache,
    to_documents,
    to_units,
    transform_counts,
)
from tallytext.models.class_counts import ClassCounts, ClassOrder, with_snapshot
from tallytext.tally.planes import UNIT, Plane
from tallytext.tally.tally import Tally

if TYPE_CHECKING:
    from tallytext.models.naive_bayes import NaiveBayes


_BATCH_TOKENS = 1 << 22  # entries of documents that are counted at a time
_MIN_SHARE = 1e-6  # smaller shares of a document are given to its other classes
_PRIOR_CHOICES = ("labelled", "all")


@dataclass(frozen=True)
class ExpectationMaximisation:
    r"""Expectation-maximisation for naive Bayes (Nigam et al., 2000).

    The E-step gives each document n without a label a share :math:`R_{nc}` of each class c, its
    probability under the current model. The M-step adds this share of its counts to the class:

    .. math:: R_{nc} \propto p(c) \exp\left(\ell\, \frac{s_c(n) - \log p(c)}{|n|}\right), \qquad
              N_{cw} = N_{cw}^{\text{labelled}} + \omega \sum_n R_{nc}\, x_{nw}

    :math:`\ell` is the ``length`` that all documents are scaled to: naive Bayes treats each word as
    independent evidence, so that a long document would otherwise belong entirely to one class,
    right or wrong. With ``length=None`` R is the posterior itself. Then, with ``prior="all"``, no
    round lowers the likelihood of all documents times the prior of ``Laplace`` smoothing.

    Parameters
    ----------
    rounds : int, default=6
        Number of E-steps. With 0 the documents are in no class and only add to the background.
    length : float or None, default=20.0
        :math:`\ell`, positive; None for the length of each document.
    weight : float, default=1.0
        :math:`\omega`, the weight of a document without a label; one with a label weighs 1.
    prior : {"labelled", "all"}, default="labelled"
        The documents that the prior is computed from. If labelled documents were selected to be
        equally many of each class, "all" is better, unless classes are hard to distinguish.

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
        check_whole("rounds", self.rounds, 0)
        if self.length is not None:
            check_between("length", self.length, 1e-9, 1e9)
        check_between("weight", self.weight, 1e-6, 1e6)
        if self.prior not in _PRIOR_CHOICES:
            raise ValueError(f"prior must be one of {_PRIOR_CHOICES}, not {self.prior!r}.")

    def run(
        self, model: NaiveBayes, X: Any, anchors: FloatArray | None = None
    ) -> ExpectedCounts | None:
        """Return the expected counts of documents without labels, after all rounds.

        The first E-step uses the model of the labelled documents. The model does not change.

        Parameters
        ----------
        model : NaiveBayes
            Fitted on labelled documents.
        X : CSR matrix of shape (n_documents, n_terms)
        anchors : ndarray of shape (n_documents, n_classes), default=None
            Logarithms that are added to those of the shares.
        """
        pool, work = UnlabelledDocuments.from_matrix(model, X), copy.copy(model)
        # The cache of the model stays out of it: weights of the rounds are of no use afterwards.
        work.cache_, work.expected_ = WeightCache(), None
        if self.rounds and model.multi_label_:
            raise ScoreError(
                "documents without labels can be assigned to classes only if each document has one "
                "label: use ExpectationMaximisation(rounds=0), so that only the background learns."
            )
        check_anchors(anchors, pool.scored.n_documents, len(model._class_order().classes))
        if not self.rounds:
            return self._expected_counts(work, pool, None)
        for _ in range(self.rounds):
            shares = self.shares(work, pool, anchors)
            work.expected_ = self._expected_counts(work, pool, shares)
        return work.expected_

    def shares(
        self, model: NaiveBayes, pool: UnlabelledDocuments, anchors: FloatArray | None = None
    ) -> FloatArray:
        r"""Return the shares :math:`R_{nc}` of each document under the current model: the E-step.

        Parameters
        ----------
        model : NaiveBayes
        pool : UnlabelledDocuments
        anchors : ndarray of shape (n_documents, n_classes), default=None
            Logarithms that are added to those of the shares.
        """
        return with_snapshot(
            model._reader(), lambda reader: self._shares(model, pool, reader.read(), anchors)
        )

    def _shares(
        self,
        model: NaiveBayes,
        pool: UnlabelledDocuments,
        class_counts: ClassCounts,
        anchors: FloatArray | None,
    ) -> FloatArray:
        estimated = EstimatedWeights(model._weights(class_counts), None, class_counts)
        scores, lengths = model._score(pool.scored, estimated)
        prior = model._log_priors(class_counts)
        possible = prior > -np.inf
        # Only the evidence is scaled to one length. A prior is worth the same for every document.
        evidence = scores[:, possible].astype(np.float64) - prior[possible]
        if self.length is not None:
            own = model._evidence_lengths(lengths)[:, None].astype(np.float64)
            evidence *= np.divide(self.length, own, out=np.zeros_like(own), where=own > 0)
        logs = np.full(scores.shape, -np.inf)
        logs[:, possible] = evidence + prior[possible]
        from scipy.special import softmax

        return softmax(logs if anchors is None else logs + anchors, axis=1)

    def _expected_counts(
        self, model: NaiveBayes, pool: UnlabelledDocuments, shares: FloatArray | None
    ) -> ExpectedCounts:
        r"""Return :math:`\omega \sum_n R_{nc} x_{nw}`, which the M-step adds."""
        planes = model._expected_columns()
        classes = model._class_order().classes.tolist()
        pooled = self.prior == "all"
        return ExpectedCounts.from_shares(
            model.tally_, planes, pool.counted, shares, classes, float(self.weight), pooled
        )


def check_em(em: ExpectationMaximisation | None) -> ExpectationMaximisation:
    """Return the given settings or the default; raise ValueError for any other object."""
    if em is None:
        return ExpectationMaximisation()
    if not isinstance(em, ExpectationMaximisation):
        raise ValueError(f"em must be an ExpectationMaximisation, not {em!r:.60}.")
    return em


def check_anchors(anchors: FloatArray | None, n_documents: int, n_classes: int) -> None:
    """Raise CountError unless anchors are finite numbers for each document and class."""
    if anchors is None:
        return
    if anchors.shape != (n_documents, n_classes):
        raise CountError(
            f"anchors have shape {anchors.shape}, but there are {n_documents} documents and "
            f"{n_classes} classes."
        )
    if not np.isfinite(anchors).all():
        raise CountError("an anchor is infinite or NaN: all must be finite.")


@dataclass(frozen=True)
class UnlabelledDocuments:
    """Documents without labels, as the model scores them and as its tally counts them."""

    scored: DocumentRows
    counted: Any

    @classmethod
    def from_matrix(cls, model: NaiveBayes, X: Any) -> UnlabelledDocuments:
        """Prepare documents for a model, without columns that it has no term for."""
        matrix = check_matrix(model, X, reset=False, open_width=model.open_)
        matrix = matrix[:, : len(model.tally_.vocabulary)]
        scored = transform_counts(to_documents(matrix), model.tf_test)
        return cls(scored, to_units(matrix, model.unit_))


@dataclass(frozen=True, eq=False)
class ExpectedCounts:
    """Expected counts of the classes: a tally that counts each document in part in every class.

    Attributes
    ----------
    tally : Tally
        With the term ids of the tally of the model; documents are weighted by their shares.
    columns : sequence of Plane
        For each column of the model the plane with the same counts of weighted documents.
    prior : bool
        True if these documents count for the prior.
    cache : dict
        Numbers of terms, by the version of the tally of the model.
    """

    tally: Tally
    columns: Sequence[Plane]
    prior: bool
    cache: dict[str, Any] = field(default_factory=dict)

    @classmethod
    def from_shares(
        cls,
        like: Tally,
        columns: Sequence[Any],
        X: Any,
        shares: FloatArray | None,
        classes: list[Any],
        weight: float,
        prior: bool,
    ) -> ExpectedCounts:
        """Count each document in all classes, weighted by its shares.

        Parameters
        ----------
        like : Tally
            The tally of the model, with the vocabulary of the columns of X.
        columns : sequence of Plane
        X : CSR matrix of shape (n_documents, n_terms)
            Whole counts.
        shares : ndarray of shape (n_documents, n_classes) or None
            The share of each class in each document; None to count documents in no class.
        classes : list
            The labels.
        weight : float
            The weight of a document.
        prior : bool
        """
        tally = Tally(like.vocabulary, planes=columns)
        if shares is None:
            tally.learn(X, [[]] * X.shape[0], sample_weight=np.full(X.shape[0], weight))
            return cls(tally, columns, prior)
        tally.number_labels(classes)
        # Each share above zero is counted like a document: most documents have one that matters.
        shares = np.where(shares < _MIN_SHARE, 0.0, shares)
        shares = weight * shares / shares.sum(axis=1, keepdims=True)
        documents, numbers = np.nonzero(shares)
        # A document is repeated for each of its classes, so the copies are made in batches.
        run = np.cumsum(np.diff(X.indptr)[documents]) // _BATCH_TOKENS
        for part in np.split(np.arange(len(run)), np.flatnonzero(np.diff(run)) + 1):
            rows, labels = documents[part], [classes[number] for number in numbers[part]]
            tally.learn(X[rows], labels, sample_weight=shares[rows, numbers[part]])
        return cls(tally, columns, prior)

    def in_columns(self, columns: Sequence[Plane]) -> ExpectedCounts:
        """Return the expected counts of other columns, for a model with other parameters.

        Raises
        ------
        RecipeError
            If these columns were not counted: then call ``refresh`` with the documents.
        """
        if columns == self.columns:
            return self
        for column in columns:
            self.tally.column(column)
        return replace(self, columns=columns)

    def add_to(self, class_counts: ClassCounts) -> ClassCounts:
        """Return the counts of the model's tally plus the expected counts."""
        numbers = [self.tally.column(column) for column in self.columns]
        part = self.tally.slice(numbers, class_counts.terms)
        class_counts = _add_term_columns(class_counts, len(part.starts) - 1)
        places = self._places(class_counts.order)
        expected = _CountCells.from_places(
            part.starts, places[part.classes], part.values * UNIT, class_counts
        )
        cells = expected.add_cells_of(class_counts)

        def by_class(sums: NDArray[np.int64]) -> FloatArray:
            """Bring sums to the order of the classes of the model; drop classes it has lost."""
            placed = np.zeros((len(sums), class_counts.n_classes + 1))
            placed[:, places[: sums.shape[1]]] = sums * UNIT
            return placed[:, : class_counts.n_classes]

        total = replace(
            class_counts,
            starts=cells.starts,
            classes=cells.classes,
            cells=cells.cells,
            term_totals=class_counts.term_totals
            + _pad_terms(part.term_totals, class_counts.n_terms),
            class_totals=class_counts.class_totals + by_class(part.class_totals),
            class_scales=class_counts.class_scales + by_class(part.class_scales),
            totals=class_counts.totals + part.totals * UNIT,
            scales=class_counts.scales + part.scales * UNIT,
            class_documents=class_counts.class_documents + by_class(part.class_scales[-1:])[0],
            n_documents=class_counts.n_documents + part.scales[-1] * UNIT,
            labelled=(class_counts.class_documents, float(class_counts.n_documents)),
            pooled=self.prior,
        )
        return self._set_term_numbers(total)

    def _set_term_numbers(self, total: ClassCounts) -> ClassCounts:
        """Set the numbers of distinct terms, which need the counts of all terms."""
        cached = self.cache.get("sizes")
        if total.terms is None:
            class_terms = np.bincount(total.classes, minlength=total.n_classes).astype(np.float64)
            cached = total.version, class_terms, int((total.term_totals[-1] > 0).sum())
            self.cache["sizes"] = cached
        elif cached is None or cached[0] != total.version or len(cached[1]) != total.n_classes:
            whole = total.all_terms()
            cached = total.version, whole.class_terms, whole.n_live_terms
        return replace(total, class_terms=cached[1], n_live_terms=cached[2])

    def _places(self, order: ClassOrder) -> NDArray[np.int64]:
        """Return the position of each class in the model; n_classes for one that it has lost."""
        at = {label: place for place, label in enumerate(order.classes.tolist())}
        names = self.tally.label_names
        return np.array([at.get(label, len(at)) for label in names], dtype=np.int64)


@dataclass(frozen=True)
class _CountCells:
    """Cells of the sparse matrix of terms by classes, for several columns of the tally."""

    starts: NDArray[np.int64]
    classes: NDArray[np.int32]
    cells: FloatArray

    @classmethod
    def from_places(
        cls, starts: Any, places: Any, values: FloatArray, class_counts: ClassCounts
    ) -> _CountCells:
        """Return the cells of classes that the model has, by their positions in it."""
        rows = np.repeat(np.arange(len(starts) - 1), np.diff(starts))
        kept = np.flatnonzero((places < class_counts.n_classes) & (rows < class_counts.n_terms))
        kept = kept[np.lexsort((places[kept], rows[kept]))]
        n_cells = np.bincount(rows[kept], minlength=class_counts.n_terms)
        new_starts = np.append(0, np.cumsum(n_cells)).astype(np.int64)
        return cls(new_starts, places[kept].astype(np.int32), values[:, kept])

    def keys(self, width: int) -> NDArray[np.int64]:
        """Return an ascending key for each cell."""
        rows = np.repeat(np.arange(len(self.starts) - 1), np.diff(self.starts))
        return rows * width + self.classes

    def add_cells_of(self, class_counts: ClassCounts) -> _CountCells:
        """Return the sums of these cells and of those of the model."""
        width = max(class_counts.n_classes, 1)
        own = _CountCells(class_counts.starts, class_counts.classes, class_counts.cells)
        mine, theirs = self.keys(width), own.keys(width)
        # Both runs of keys ascend, so that the stable sort (a merge sort) takes linear time.
        keys = np.sort(np.concatenate([mine, theirs]), kind="stable")
        keys = keys[np.append(True, np.diff(keys) > 0)] if keys.size else keys
        cells = np.zeros((len(class_counts.cells), len(keys)))
        cells[:, np.searchsorted(keys, theirs)] = class_counts.cells
        cells[:, np.searchsorted(keys, mine)] += self.cells
        n_cells = np.bincount(keys // width, minlength=class_counts.n_terms)
        starts = np.append(0, np.cumsum(n_cells)).astype(np.int64)
        return _CountCells(starts, (keys % width).astype(np.int32), cells)


def _add_term_columns(class_counts: ClassCounts, n_terms: int) -> ClassCounts:
    """Append terms that only expected counts have, with zeros."""
    more = n_terms - class_counts.n_terms
    if more <= 0:
        return class_counts
    starts = np.append(class_counts.starts, np.repeat(class_counts.starts[-1], more))
    return replace(
        class_counts,
        starts=starts,
        term_totals=np.pad(class_counts.term_totals, ((0, 0), (0, more))),
    )


def _pad_terms(sums: NDArray[np.int64], n_terms: int) -> FloatArray:
    """Return sums by term for all terms of the model, zero for newer ones."""
    made = np.zeros((len(sums), n_terms))
    made[:, : sums.shape[1]] = sums[:, :n_terms] * UNIT
    return made


def expected_to_dict(expected: ExpectedCounts) -> dict[str, Any]:
    """Return the values of expected counts that are not arrays, for a file."""
    return {"tally": expected.tally.to_arrays()[1], "prior": expected.prior}


def expected_from_dict(
    stored: Any, arrays: Mapping[str, NDArray[Any]], like: Tally, columns: Sequence[Any]
) -> ExpectedCounts:
    """Restore expected counts from :func:`expected_to_dict` and the arrays of their tally.

    Parameters
    ----------
    stored : mapping
    arrays : mapping
    like : Tally
        The tally of the model, with the same vocabulary.
    columns : sequence of Plane
        The columns that the model reads.
    """
    if not isinstance(stored, Mapping) or stored.keys() != {"tally", "prior"}:
        raise FileError(f"invalid expected counts: {stored!r:.80}")
    if not isinstance(stored["prior"], bool) or not isinstance(stored["tally"], Mapping):
        raise FileError(f"invalid expected counts: {stored!r:.80}")
    found = Tally.from_arrays(arrays, stored["tally"])
    tally = Tally(like.vocabulary, planes=found.planes)
    tally.number_labels(found.classes)
    for plane in columns:
        tally.column(plane)
    tally += found
    if len(tally.vocabulary) != len(like.vocabulary):
        raise FileError("expected counts have terms that the model does not have")
    return ExpectedCounts(tally, columns, stored["prior"])

"""Learning from documents without labels: by expectation and maximisation."""

from __future__ import annotations

import copy
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import NDArray
from scipy.special import softmax

from tallytext._typing import FloatArray
from tallytext._validation import check_between, check_whole, checked_matrix
from tallytext.errors import CountError, FileError, ScoreError
from tallytext.models.reading import (
    ClassOrder,
    Reader,
    Reading,
    WeightCache,
    at_one_moment,
    documents_of,
    in_units,
    transformed,
)
from tallytext.models.scorer import Documents
from tallytext.runtime import thread_count
from tallytext.tally.planes import UNIT, Plane
from tallytext.tally.tally import Tally

if TYPE_CHECKING:
    from tallytext.models.naive_bayes import Learning


# ------------------------------------------------------------------------------------------------
# What documents without labels are expected to add to classes, beside the counts of others.

_AT_A_TIME = 1 << 22  # words of documents that are counted at a time
_LEAST = 1e-6  # shares of a document below this are given to its other classes


@dataclass(frozen=True, eq=False)
class Expected:
    """Expected counts of classes: a tally in which each document is shared out to all classes.

    Attributes
    ----------
    tally : Tally
        By the term ids of the model's own tally; its documents are weighed by their shares.
    columns : sequence of Plane
        For each column of the model the plane that has the same of weighed documents.
    prior : bool
        Whether these documents say how likely classes are.
    kept : dict
        What was found out at a version of the model's tally.
    """

    tally: Tally
    columns: Sequence[Plane]
    prior: bool
    kept: dict[str, Any] = field(default_factory=dict)

    @classmethod
    def of(
        cls,
        like: Tally,
        columns: Sequence[Any],
        X: Any,
        shares: FloatArray | None,
        classes: list[Any],
        weight: float,
        prior: bool,
    ) -> Expected:
        """Share documents out.

        Parameters
        ----------
        like : Tally
            Whose terms the columns of X are.
        columns : sequence of Plane
        X : CSR matrix of shape (n_documents, n_terms)
            Whole counts.
        shares : ndarray of shape (n_documents, n_classes) or None
            How much of each document each class has; None for none of it.
        classes : list
            The labels.
        weight : float
            What a document weighs in all.
        prior : bool
        """
        tally = Tally(like.vocabulary, planes=columns)
        if shares is None:
            tally.learn(X, [[]] * X.shape[0], sample_weight=np.full(X.shape[0], weight))
            return cls(tally, columns, prior)
        tally.number_labels(classes)
        shares = np.where(shares < _LEAST, 0.0, shares)
        shares = weight * shares / shares.sum(axis=1, keepdims=True)
        documents, numbers = np.nonzero(shares)
        run = np.cumsum(np.diff(X.indptr)[documents]) // _AT_A_TIME
        for part in np.split(np.arange(len(run)), np.flatnonzero(np.diff(run)) + 1):
            rows, labels = documents[part], [classes[number] for number in numbers[part]]
            tally.learn(X[rows], labels, sample_weight=shares[rows, numbers[part]])
        return cls(tally, columns, prior)

    def in_columns(self, columns: Sequence[Plane]) -> Expected:
        """Return the same for a model that reads other columns.

        Raises
        ------
        RecipeError
            If they were not counted: then documents have to be looked at again.
        """
        if columns == self.columns:
            return self
        for column in columns:
            self.tally.column(column)
        return replace(self, columns=columns)

    def joined(self, reading: Reading) -> Reading:
        """Return a reading of the model's own tally with the expected counts added."""
        numbers = [self.tally.column(column) for column in self.columns]
        part = self.tally.slice(numbers, reading.terms)
        reading = _widened(reading, len(part.starts) - 1)
        places = self._places(reading.order)
        here = _Cells.of(part.starts, places[part.classes], part.values * UNIT, reading)
        joined = here.with_cells_of(reading)
        by_class = _Classes(places, reading.n_classes)
        inside = reading.class_documents + by_class(part.class_scales[-1:])[0]
        joined_reading = replace(
            reading,
            starts=joined.starts,
            classes=joined.classes,
            cells=joined.cells,
            term_totals=reading.term_totals + _padded(part.term_totals, reading.n_terms),
            class_totals=reading.class_totals + by_class(part.class_totals),
            class_scales=reading.class_scales + by_class(part.class_scales),
            totals=reading.totals + part.totals * UNIT,
            scales=reading.scales + part.scales * UNIT,
            class_documents=inside,
            n_documents=reading.n_documents + part.scales[-1] * UNIT,
            labelled=(reading.class_documents, float(reading.n_documents)),
            pooled=self.prior,
        )
        return self._sized(joined_reading)

    def _sized(self, joined: Reading) -> Reading:
        """Return the reading with the numbers of terms, which only all terms tell."""
        kept = self.kept.get("sizes")
        if joined.complete:
            inside = np.bincount(joined.classes, minlength=joined.n_classes).astype(np.float64)
            kept = joined.version, inside, int((joined.term_totals[-1] > 0).sum())
            self.kept["sizes"] = kept
        elif kept is None or kept[0] != joined.version or len(kept[1]) != joined.n_classes:
            whole = joined.all_terms()
            kept = joined.version, whole.class_terms, whole.n_live_terms
        return replace(joined, class_terms=kept[1], n_live_terms=kept[2])

    def _places(self, order: ClassOrder) -> NDArray[np.int64]:
        """Return the place of each class, one beyond all for a class that the model lost."""
        at = {label: place for place, label in enumerate(order.classes.tolist())}
        names = self.tally.label_names
        return np.array([at.get(label, len(at)) for label in names], dtype=np.int64)


@dataclass(frozen=True)
class _Cells:
    """Cells of terms and classes, several columns of them."""

    starts: NDArray[np.int64]
    classes: NDArray[np.int32]
    cells: FloatArray

    @classmethod
    def of(cls, starts: Any, places: Any, values: FloatArray, reading: Reading) -> _Cells:
        """Return the cells of classes that the model has, by their places in it."""
        rows = np.repeat(np.arange(len(starts) - 1), np.diff(starts))
        kept = np.flatnonzero((places < reading.n_classes) & (rows < reading.n_terms))
        kept = kept[np.lexsort((places[kept], rows[kept]))]
        n_cells = np.bincount(rows[kept], minlength=reading.n_terms)
        new_starts = np.append(0, np.cumsum(n_cells)).astype(np.int64)
        return cls(new_starts, places[kept].astype(np.int32), values[:, kept])

    def keys(self, width: int) -> NDArray[np.int64]:
        """Return a number for each cell, ascending."""
        rows = np.repeat(np.arange(len(self.starts) - 1), np.diff(self.starts))
        return rows * width + self.classes

    def with_cells_of(self, reading: Reading) -> _Cells:
        """Return the sums of these and of the cells of a reading."""
        width = max(reading.n_classes, 1)
        own = _Cells(reading.starts, reading.classes, reading.cells)
        mine, theirs = self.keys(width), own.keys(width)
        # Two ascending runs, which a stable sort merges.
        keys = np.sort(np.concatenate([mine, theirs]), kind="stable")
        keys = keys[np.append(True, np.diff(keys) > 0)] if keys.size else keys
        cells = np.zeros((len(reading.cells), len(keys)))
        cells[:, np.searchsorted(keys, theirs)] = reading.cells
        cells[:, np.searchsorted(keys, mine)] += self.cells
        n_cells = np.bincount(keys // width, minlength=reading.n_terms)
        starts = np.append(0, np.cumsum(n_cells)).astype(np.int64)
        return _Cells(starts, (keys % width).astype(np.int32), cells)


class _Classes:
    """Brings sums by class to the places of the model's classes."""

    def __init__(self, places: NDArray[np.int64], n_classes: int) -> None:
        self._places, self._n_classes = places, n_classes

    def __call__(self, sums: NDArray[np.int64]) -> FloatArray:
        placed = np.zeros((len(sums), self._n_classes + 1))
        placed[:, self._places[: sums.shape[1]]] = sums * UNIT
        return placed[:, : self._n_classes]


def _widened(reading: Reading, n_terms: int) -> Reading:
    """Return a reading of all terms with room for terms that only expected counts have."""
    more = n_terms - reading.n_terms
    if more <= 0:
        return reading
    starts = np.append(reading.starts, np.repeat(reading.starts[-1], more))
    return replace(
        reading, starts=starts, term_totals=np.pad(reading.term_totals, ((0, 0), (0, more)))
    )


def _padded(sums: NDArray[np.int64], n_terms: int) -> FloatArray:
    """Return sums by term for all terms of the model, newer ones included."""
    made = np.zeros((len(sums), n_terms))
    made[:, : sums.shape[1]] = sums[:, :n_terms] * UNIT
    return made


def expected_to_dict(expected: Expected) -> dict[str, Any]:
    """Return what expected counts are besides arrays, for a file."""
    return {"tally": expected.tally.to_arrays()[1], "prior": expected.prior}


def expected_from_dict(
    stored: Any, arrays: Mapping[str, NDArray[Any]], like: Tally, columns: Sequence[Any]
) -> Expected:
    """Read what :func:`expected_to_dict` returned, and the arrays of its tally.

    Parameters
    ----------
    stored : mapping
    arrays : mapping
    like : Tally
        Of the model, whose terms these are.
    columns : sequence of Plane
        What the model reads of documents that count in parts.
    """
    if not isinstance(stored, Mapping) or stored.keys() != {"tally", "prior"}:
        raise FileError(f"these are no expected counts: {stored!r:.80}")
    if not isinstance(stored["prior"], bool) or not isinstance(stored["tally"], Mapping):
        raise FileError(f"these are no expected counts: {stored!r:.80}")
    found = Tally.from_arrays(arrays, stored["tally"])
    tally = Tally(like.vocabulary, planes=found.planes)
    tally.number_labels(found.classes)
    for plane in columns:
        tally.column(plane)
    tally += found
    if len(tally.vocabulary) != len(like.vocabulary):
        raise FileError("expected counts have terms that the model has not")
    return Expected(tally, columns, stored["prior"])


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
        check_whole("rounds", self.rounds, 0)
        if self.length is not None:
            check_between("length", self.length, 1e-9, 1e9)
        check_between("weight", self.weight, 1e-6, 1e6)
        if self.prior not in _PRIORS:
            raise ValueError(f"prior must be one of {_PRIORS}, not {self.prior!r}.")

    def run(self, model: Learning, X: Any, anchors: FloatArray | None = None) -> Expected | None:
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
        check_anchors(anchors, pool.judged.n_documents, len(model._order().classes))
        if not self.rounds:
            return self._expected(work, pool, None)
        for _ in range(self.rounds):
            shares = self.shares(work, pool, anchors)
            work.expected_ = self._expected(work, pool, shares)
        return work.expected_

    def shares(self, model: Learning, pool: Pool, anchors: FloatArray | None = None) -> FloatArray:
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

        def judged(reader: Reader) -> FloatArray:
            return self._shares(model, pool, reader.read(), anchors)

        return at_one_moment(model._reader(), judged)

    def _shares(
        self, model: Learning, pool: Pool, reading: Reading, anchors: FloatArray | None
    ) -> FloatArray:
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

    def _expected(self, model: Learning, pool: Pool, shares: FloatArray | None) -> Expected:
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


def check_anchors(anchors: FloatArray | None, n_documents: int, n_classes: int) -> None:
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

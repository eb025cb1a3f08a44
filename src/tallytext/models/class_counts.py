"""Class counts: the sums of a tally that a model is estimated from, and the priors of the classes.

:class:`CountsReader` reads the :class:`ClassCounts` of all terms, or of the terms of a few
documents, from one version of the tally. Another thread may change the tally between two reads:
:func:`with_snapshot` then repeats the work on a copy. :func:`class_priors` and its companions turn
numbers of documents into the prior probability of each class.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, Protocol, TypeAlias, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tallytext._typing import FloatArray
from tallytext.errors import LabelError, did_you_mean
from tallytext.tally.labels import Label, label_array, sort_labels
from tallytext.tally.planes import UNIT, Plane
from tallytext.tally.tally import Tally


@dataclass(frozen=True)
class ClassOrder:
    """Classes sorted by label, which the tally numbers in the order of arrival.

    Attributes
    ----------
    classes : ndarray
        The labels.
    sources : ndarray of int
        The number of each class in the tally, -1 for a class that is only announced.
    places : ndarray of int
        The position in ``classes`` of each number of the tally.
    ascending : bool
        True if the numbers of the tally ascend in this order.
    as_numbered : bool
        True if this is the order of the tally, with no class omitted or added.
    """

    classes: NDArray[Any]
    sources: NDArray[np.intp]
    places: NDArray[np.int32]
    ascending: bool
    as_numbered: bool

    def arrange(self, values: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return values that are ordered by the tally, along the last axis, in this order."""
        if self.as_numbered:
            return values
        # An announced class has source -1, which reads the zero at the end.
        padded = np.concatenate([values, np.zeros((*values.shape[:-1], 1), np.int64)], axis=-1)
        arranged: NDArray[np.int64] = padded[..., self.sources]
        return arranged


class ClassOrderCache:
    """Computes the class order once, until the set of classes changes.

    Parameters
    ----------
    announced : iterable of labels
        Classes to list even while they have no document.
    """

    def __init__(self, announced: Iterable[Label] = ()) -> None:
        self.announced = list(dict.fromkeys(announced))
        self._cached: tuple[NDArray[np.bool_], ClassOrder] | None = None

    def order_for(self, tally: Tally, class_documents: NDArray[np.int64]) -> ClassOrder:
        """Return the order of the classes that have a document or are announced."""
        live, cached = class_documents > 0, self._cached
        if cached is not None and np.array_equal(cached[0], live):
            return cached[1]
        # A class that lost its last document is not listed, though the tally keeps its number.
        names = tally.label_names
        numbers = {names[id]: int(id) for id in np.flatnonzero(live)}
        labels = sort_labels({**dict.fromkeys(self.announced, -1), **numbers})
        sources = np.array([numbers.get(label, -1) for label in labels], dtype=np.intp)
        counted = np.flatnonzero(sources >= 0)
        places = np.zeros(len(live), dtype=np.int32)
        places[sources[counted]] = counted
        order = ClassOrder(
            classes=label_array(labels),
            sources=sources,
            places=places,
            ascending=bool((np.diff(sources[counted]) > 0).all()),
            as_numbered=np.array_equal(sources, np.arange(len(live))),
        )
        self._cached = live, order
        return order


Column: TypeAlias = Plane | str  # "occurrences" or "documents"
Made = TypeVar("Made")


class TallyChanged(Exception):
    """The tally was changed by another thread since it was read."""


@dataclass(frozen=True)
class ClassCounts:
    """Sums of one version of a tally: by term and class, by term, by class, and in total.

    A model reads several columns of the tally, such as occurrences and documents; arrays have one
    row per column.

    Attributes
    ----------
    order : ClassOrder
        The classes, in the order of all arrays below.
    starts, classes : ndarray
        The cells of the sparse matrix of terms by classes: those of term i have the classes
        ``classes[starts[i]:starts[i + 1]]``, ascending.
    cells : ndarray of shape (n_columns, n_cells)
    term_totals : ndarray of shape (n_columns, n_terms)
    class_totals, class_scales : ndarray of shape (n_columns, n_classes)
    totals, scales : ndarray of shape (n_columns,)
    class_documents, class_terms : ndarray of shape (n_classes,)
        Numbers of documents and of distinct terms. Documents are weighted if the last column is a
        plane.
    n_documents : float
    n_live_terms, version : int
    terms : ndarray of int or None
        The terms that were read; None for all.
    source : CountsReader
        The reader, to read more.
    labelled : tuple of ndarray and float, or None
        The number of labelled documents of each class and in total; None if all are labelled.
    pooled : bool
        True if priors are those of all documents, False for those of labelled documents only.
    """

    order: ClassOrder
    starts: NDArray[np.int64]
    classes: NDArray[np.int32]
    cells: FloatArray
    term_totals: FloatArray
    class_totals: FloatArray
    class_scales: FloatArray
    totals: FloatArray
    scales: FloatArray
    class_documents: FloatArray
    class_terms: FloatArray
    n_documents: float
    n_live_terms: int
    version: int
    terms: NDArray[np.int32] | None
    source: CountsReader
    labelled: tuple[FloatArray, float] | None = None
    pooled: bool = False

    @property
    def labelled_documents(self) -> FloatArray:
        """Number of labelled documents of each class."""
        return self.class_documents if self.labelled is None else self.labelled[0]

    @property
    def prior_documents(self) -> tuple[FloatArray, float]:
        """Numbers of documents of each class and in total that the prior is computed from."""
        if self.labelled is None or self.pooled:
            return self.class_documents, float(self.n_documents)
        return self.labelled

    @property
    def n_terms(self) -> int:
        """Number of terms that were read."""
        return len(self.starts) - 1

    @property
    def n_classes(self) -> int:
        """Number of classes."""
        return len(self.class_documents)

    def all_terms(self) -> ClassCounts:
        """Return the counts of all terms, of the same version.

        Raises
        ------
        TallyChanged
            If the tally has changed since, so that counts of this version are lost.
        """
        if self.terms is None:
            return self
        whole = self.source.read()
        # Sums of two versions would not add up: a word may be in one and not in the other.
        if whole.version != self.version:
            raise TallyChanged
        return whole

    def counts_of_counts(self, events: str, few: bool) -> dict[int, int]:
        """Return the number of events that occurred r times, by r.

        Parameters
        ----------
        events : {"cells", "pooled"}
            Occurrences of a term in a class, or of a term in all documents.
        few : bool
            True for r of 1 and 2 only, which is faster.

        Raises
        ------
        TallyChanged
            If the tally has changed since these counts were read.
        """
        tally = self.source.tally
        kind: Literal["cells", "pooled"] = "pooled" if events == "pooled" else "cells"
        found = tally.small_counts(kind) if few else tally.counts_of_counts(kind)
        # Compared after reading: a change during the read must not go unnoticed.
        if tally.version != self.version:
            raise TallyChanged
        return found

    def term_of_cell(self) -> NDArray[np.intp]:
        """Return the term of each cell."""
        return np.repeat(np.arange(self.n_terms), np.diff(self.starts))

    def class_sum(self, values: FloatArray) -> FloatArray:
        """Return the sum over each class of a value per cell."""
        return np.bincount(self.classes, values, self.n_classes).astype(np.float64)

    def dense(self, values: FloatArray, first: int, last: int) -> FloatArray:
        """Return a value per cell as a matrix of a range of terms by classes."""
        # A range of terms is a slice of the cells, since they are sorted by term.
        rows = np.zeros((last - first, self.n_classes))
        cells = slice(self.starts[first], self.starts[last])
        term = np.repeat(np.arange(last - first), np.diff(self.starts[first : last + 1]))
        rows[term, self.classes[cells]] = values[cells]
        return rows

    def rows(self, values: FloatArray, terms: NDArray[np.int32]) -> FloatArray:
        """Return a value per cell as a matrix of given terms by classes; terms may repeat."""
        first, n = self.starts[terms], np.diff(self.starts)[terms]
        row = np.repeat(np.arange(len(n)), n)
        # The cells of row i are first[i], first[i] + 1 and so on; no loop over rows in Python.
        cell = np.arange(len(row)) + np.repeat(first - (np.cumsum(n) - n), n)
        rows = np.zeros((len(n), self.n_classes))
        rows[row, self.classes[cell]] = values[cell]
        return rows


class AddedCounts(Protocol):
    """Counts to add to those of the tally: :class:`~tallytext.models.em.ExpectedCounts`."""

    def add_to(self, class_counts: ClassCounts) -> ClassCounts:
        """Return the sum of both."""
        ...


class CountsReader:
    """Reads columns of a tally as :class:`ClassCounts`.

    Parameters
    ----------
    tally : Tally
    columns : sequence of Plane, "occurrences" or "documents"
        The last one counts the documents with each term.
    ordering : ClassOrderCache
        The order of classes.
    expected : AddedCounts, default=None
        Counts to add to those of the tally.
    """

    def __init__(
        self,
        tally: Tally,
        columns: Sequence[Column],
        ordering: ClassOrderCache,
        expected: AddedCounts | None = None,
    ) -> None:
        self.tally, self._ordering, self._expected = tally, ordering, expected
        self._columns, self._numbers = columns, [tally.column(column) for column in columns]
        self._units = np.array([UNIT if isinstance(column, Plane) else 1.0 for column in columns])

    def snapshot(self) -> CountsReader:
        """Return a reader of a copy of the tally, which other threads do not change."""
        return CountsReader(self.tally._snapshot(), self._columns, self._ordering, self._expected)

    def read(self, terms: NDArray[np.int32] | None = None) -> ClassCounts:
        """Read the counts of some terms, in ascending order, or of all."""
        # One call for all columns: the tally cannot change between them.
        part = self.tally.slice(self._numbers, terms)
        order = self._ordering.order_for(self.tally, part.class_documents)
        classes, values = order.places[part.classes], part.values
        if not order.ascending:
            # Cells are sorted by the number of the class in the tally: sort them by its position.
            term = np.repeat(np.arange(len(part.starts) - 1), np.diff(part.starts))
            by_place = np.lexsort((classes, term))
            classes, values = classes[by_place], values[:, by_place]
        units = self._units[:, None]
        weighted = isinstance(self._columns[-1], Plane)
        # Arranged as integers and scaled last: each number is rounded once.
        class_scales = order.arrange(part.class_scales) * UNIT
        n_documents = order.arrange(part.class_documents).astype(np.float64)
        class_counts = ClassCounts(
            order=order,
            starts=part.starts,
            classes=classes,
            cells=values * units,
            term_totals=part.term_totals * units,
            class_totals=order.arrange(part.class_totals) * units,
            class_scales=class_scales,
            totals=part.totals * self._units,
            scales=part.scales * UNIT,
            class_documents=class_scales[-1] if weighted else n_documents,
            class_terms=order.arrange(part.class_terms).astype(np.float64),
            n_documents=part.scales[-1] * UNIT if weighted else part.n_documents,
            n_live_terms=part.n_live_terms,
            version=part.version,
            terms=terms,
            source=self,
        )
        return class_counts if self._expected is None else self._expected.add_to(class_counts)


def with_snapshot(reader: CountsReader, make: Callable[[CountsReader], Made]) -> Made:
    """Return ``make(reader)``; if the tally changed meanwhile, make it again from a snapshot.

    For work that reads the tally several times. The copy is made only when it is needed.
    """
    try:
        return make(reader)
    except TallyChanged:
        return make(reader.snapshot())


def check_has_classes(class_counts: ClassCounts) -> None:
    """Raise LabelError if there is no class to predict."""
    if not class_counts.n_classes:
        raise LabelError("there is no class to predict: no document with a label was learned.")


Prior: TypeAlias = Literal["ml", "smoothed", "uniform"] | Mapping[Any, float] | ArrayLike

_PRIOR_NAMES = ("ml", "smoothed", "uniform")


def class_priors(
    prior: Prior,
    beta: float,
    documents: FloatArray,
    classes: NDArray[Any],
    n_documents: float | None = None,
) -> FloatArray:
    r"""Return p(c) for each class.

    ==============  =================================================
    prior           p(c)
    ==============  =================================================
    ``"ml"``        :math:`N_c / \sum_c N_c`
    ``"smoothed"``  :math:`(N_c + \beta) / (\sum_c N_c + C \beta)`
    ``"uniform"``   :math:`1 / C`
    ==============  =================================================

    Numbers may be given as well, in the order of ``classes`` or by label. Those of labels that are
    not in ``classes`` are shared out to the others in proportion.

    Multi-label documents need ``n_documents``, their number N. Priors are then shares of all
    documents, :math:`(N_c + \beta) / (N + 2 \beta)`, which need not sum to one.

    Examples
    --------
    >>> class_priors("smoothed", 1.0, np.array([2.0, 1.0]), np.array(["X", "Y"]))
    array([0.6, 0.4])
    """
    n_classes = len(documents)
    if isinstance(prior, Mapping):
        return _prior_by_label(prior, classes, n_documents is None)
    if not isinstance(prior, str):
        return _check_given_prior(
            np.asarray(prior, dtype=np.float64), n_classes, n_documents is None
        )
    if prior == "uniform":
        return np.full(n_classes, 1.0 / max(n_classes, 1))
    check_prior(prior)
    # Of multi-label documents each class is a yes-or-no question: two outcomes get beta, not C.
    beta = beta if prior == "smoothed" else 0.0
    counts = documents + beta
    norm = float(counts.sum()) if n_documents is None else n_documents + 2 * beta
    return counts / max(norm, float(np.finfo(np.float64).tiny))


def check_prior(prior: Prior) -> None:
    """Raise ValueError for a string that is not the name of a prior."""
    if isinstance(prior, str) and prior not in _PRIOR_NAMES:
        raise ValueError(
            f"prior must be one of {_PRIOR_NAMES}, a mapping or numbers, not {prior!r}."
        )


def log_priors(
    priors: FloatArray, class_weight: Any, classes: NDArray[Any], multi_label: bool, contrast: bool
) -> FloatArray:
    """Return the logarithms of weighted priors, or of their odds against all other classes."""
    if class_weight is not None:
        priors = _weight_priors(priors, class_weight, classes, multi_label)
    with np.errstate(divide="ignore"):
        logs = np.log(priors)
        # A class of all training documents has infinite odds, which no evidence could change.
        return logs - np.log(np.maximum(1 - priors, 1e-12)) if contrast else logs


def _weight_priors(
    priors: FloatArray, class_weight: Any, classes: NDArray[Any], multi_label: bool
) -> FloatArray:
    """Multiply each prior by the weight of its class; ``"balanced"`` makes all equal.

    For multi-label documents the odds of each class are multiplied; balanced odds are even.
    """
    if isinstance(class_weight, str):
        if class_weight != "balanced":
            raise ValueError(f"class_weight must be 'balanced' or a dict, not {class_weight!r}.")
        return np.full(len(priors), 0.5 if multi_label else 1.0 / max(len(priors), 1))
    if not isinstance(class_weight, Mapping):
        raise ValueError(f"class_weight must be 'balanced' or a dict, not {class_weight!r:.80}.")
    weights = np.array([class_weight.get(label, 1.0) for label in classes.tolist()], dtype=float)
    if not (np.isfinite(weights) & (weights >= 0)).all():
        raise ValueError("a class_weight is negative, infinite or not a number.")
    products = priors * weights
    norm = products + (1 - priors) if multi_label else products.sum()
    if not np.all(norm > 0):
        raise ValueError("class_weight leaves no class with a prior above zero.")
    return products / norm


def _check_given_prior(priors: FloatArray, n_classes: int, sum_to_one: bool) -> FloatArray:
    if priors.shape != (n_classes,):
        raise LabelError(
            f"prior has shape {priors.shape}, but there are {n_classes} classes: give one number "
            "per class."
        )
    if not ((priors >= 0) & (priors <= 1)).all():
        raise ValueError(f"priors must be from 0 to 1, not {priors.tolist()}.")
    if sum_to_one and not np.isclose(priors.sum(), 1):
        raise ValueError(f"priors must sum to one, not to {priors.sum():g}.")
    return priors


def _prior_by_label(
    prior: Mapping[Any, float], classes: NDArray[Any], sum_to_one: bool
) -> FloatArray:
    labels = classes.tolist()
    for label in labels:
        if label not in prior:
            raise LabelError(f"prior lacks class {label!r}.{did_you_mean(label, prior)}")
    _check_given_prior(np.array(list(prior.values()), dtype=np.float64), len(prior), sum_to_one)
    given = np.array([prior[label] for label in labels], dtype=np.float64)
    # The prior may list classes that have no document yet, or no longer.
    return given / given.sum() if sum_to_one and given.sum() > 0 else given

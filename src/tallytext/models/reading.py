"""What a model reads of a tally: sums of one moment, for all terms or for some."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from operator import is_
from typing import Any, Literal, NamedTuple, Protocol, TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray

from tallytext._core import TallySlice
from tallytext._typing import FloatArray
from tallytext.errors import CountError, LabelError
from tallytext.models.scorer import Documents, SparseWeights, Weights
from tallytext.tally.labels import Label, array_of_labels, sort_labels
from tallytext.tally.planes import UNIT, Plane
from tallytext.tally.rows import rows_of
from tallytext.tally.tally import Tally
from tallytext.text.vocabulary import Vocabulary

# ------------------------------------------------------------------------------------------------
# The order of classes that a model shows, whatever the order they arrived in.


@dataclass(frozen=True)
class ClassOrder:
    """Classes sorted by label.

    Attributes
    ----------
    classes : ndarray
        The labels.
    sources : ndarray of int
        The tally's number of each class, -1 for one that was only announced.
    places : ndarray of int
        The place of each of the tally's numbers.
    """

    classes: NDArray[Any]
    sources: NDArray[np.intp]
    places: NDArray[np.int32]

    @cached_property
    def in_order(self) -> bool:
        """Whether the tally's numbers ascend in this order."""
        return bool((np.diff(self.sources[self.sources >= 0]) > 0).all())

    @cached_property
    def as_numbered(self) -> bool:
        """Whether this is the tally's own order, with nothing left out or added."""
        return np.array_equal(self.sources, np.arange(len(self.places)))

    def arrange(self, values: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return values by the tally's numbers (along the last axis) in this order."""
        if self.as_numbered:
            return values
        padded = np.concatenate([values, np.zeros((*values.shape[:-1], 1), np.int64)], axis=-1)
        arranged: NDArray[np.int64] = padded[..., self.sources]
        return arranged


class Ordering:
    """Keeps the order until the set of classes changes.

    Parameters
    ----------
    announced : iterable of labels
        Classes to show even while they have no document.
    """

    def __init__(self, announced: Iterable[Label] = ()) -> None:
        self.announced = list(dict.fromkeys(announced))
        self._known: tuple[NDArray[np.bool_], ClassOrder] | None = None

    def of(self, tally: Tally, class_documents: NDArray[np.int64]) -> ClassOrder:
        """Return the order of the classes that have a document or were announced."""
        live, known = class_documents > 0, self._known
        if known is None or not np.array_equal(known[0], live):
            known = live, _order_of(tally.label_names, live, self.announced)
            self._known = known
        return known[1]


def _order_of(names: list[Label], live: NDArray[np.bool_], announced: list[Label]) -> ClassOrder:
    numbers = {names[id]: int(id) for id in np.flatnonzero(live)}
    shown = sort_labels({**dict.fromkeys(announced, -1), **numbers})
    sources = np.array([numbers.get(label, -1) for label in shown], dtype=np.intp)
    places = np.zeros(len(live), dtype=np.int32)
    places[sources[sources >= 0]] = np.flatnonzero(sources >= 0)
    return ClassOrder(array_of_labels(shown), sources, places)


Column: TypeAlias = Plane | str  # "occurrences" or "documents"
Made = TypeVar("Made")


class Moved(Exception):
    """The tally has learned since it was read."""


@dataclass(frozen=True)
class Reading:
    """Sums by term, class and in all, one row per column that was asked for.

    Attributes
    ----------
    order : ClassOrder
        The classes, in the order of everything below.
    starts, classes : ndarray
        The cells: the classes of term i are ``classes[starts[i]:starts[i + 1]]``, ascending.
    cells : ndarray of shape (n_columns, n_cells)
    term_totals : ndarray of shape (n_columns, n_terms)
    class_totals, class_scales : ndarray of shape (n_columns, n_classes)
    totals, scales : ndarray of shape (n_columns,)
    class_documents, class_terms : ndarray of shape (n_classes,)
        Documents are weighed when the last column is a plane.
    n_documents : float
    n_live_terms, version : int
    terms : ndarray of int or None
        Which terms were asked for; None for all.
    source : Reader
        What more can be read from.
    labelled : tuple of ndarray and float, or None
        How many documents of each class, and in all, have labels; None if all these have.
    pooled : bool
        Whether priors are those of all documents, and not of those with labels.
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
    source: Reader
    labelled: tuple[FloatArray, float] | None = None
    pooled: bool = False

    @property
    def labelled_documents(self) -> FloatArray:
        """How many documents of each class have labels."""
        return self.class_documents if self.labelled is None else self.labelled[0]

    @property
    def prior_documents(self) -> tuple[FloatArray, float]:
        """The documents of each class, and all, that say how likely classes are."""
        if self.labelled is None or self.pooled:
            return self.class_documents, float(self.n_documents)
        return self.labelled

    @property
    def n_terms(self) -> int:
        """Number of terms that were asked for."""
        return len(self.starts) - 1

    @property
    def n_classes(self) -> int:
        """Number of classes."""
        return len(self.class_documents)

    @property
    def complete(self) -> bool:
        """Whether all terms were asked for."""
        return self.terms is None

    def all_terms(self) -> Reading:
        """Return the same of all terms, however few this is of.

        Raises
        ------
        Moved
            If the tally has changed since.
        """
        return self if self.complete else self.source.read().check_version(self.version)

    def counts_of_counts(self, events: Literal["cells", "pooled"], few: bool) -> dict[int, int]:
        """Return how many events occurred r times, for small r only if these are enough."""
        found = self.source.counts_of_counts(events, few)
        self.check_version(self.source.version)
        return found

    def check_version(self, version: int) -> Reading:
        """Return the reading, unless it is of another moment."""
        if self.version != version:
            raise Moved
        return self

    def term_of_cell(self) -> NDArray[np.intp]:
        """Return which term each cell belongs to."""
        return np.repeat(np.arange(self.n_terms), np.diff(self.starts))

    def class_sum(self, values: FloatArray) -> FloatArray:
        """Return the sum of a value per cell over each class."""
        return np.bincount(self.classes, values, self.n_classes).astype(np.float64)

    def dense(self, values: FloatArray, first: int, last: int) -> FloatArray:
        """Return a value per cell as rows of terms by classes, zero where there is no cell."""
        rows = np.zeros((last - first, self.n_classes))
        cells = slice(self.starts[first], self.starts[last])
        term = np.repeat(np.arange(last - first), np.diff(self.starts[first : last + 1]))
        rows[term, self.classes[cells]] = values[cells]
        return rows

    def rows(self, values: FloatArray, terms: NDArray[np.int32]) -> FloatArray:
        """Return a value per cell as rows of the terms asked for, each as often as it is."""
        first, n = self.starts[terms], np.diff(self.starts)[terms]
        row = np.repeat(np.arange(len(n)), n)
        cell = np.arange(len(row)) + np.repeat(first - (np.cumsum(n) - n), n)
        rows = np.zeros((len(n), self.n_classes))
        rows[row, self.classes[cell]] = values[cell]
        return rows


class Joining(Protocol):
    """Adds something to readings."""

    def joined(self, reading: Reading) -> Reading:
        """Return the reading with it."""
        ...


class Reader:
    """Reads the same columns again and again; the last counts the documents with each term.

    Parameters
    ----------
    tally : Tally
    columns : sequence of Plane, "occurrences" or "documents"
    ordering : Ordering
        The order of classes.
    expected : object, default=None
        What is added to each reading: see :class:`~tallytext.models.em.Expected`.
    """

    def __init__(
        self,
        tally: Tally,
        columns: Sequence[Column],
        ordering: Ordering,
        expected: Joining | None = None,
    ) -> None:
        self._tally, self._ordering, self._expected = tally, ordering, expected
        self._columns, self._numbers = columns, [tally.column(column) for column in columns]
        self._units = np.array([UNIT if isinstance(column, Plane) else 1.0 for column in columns])

    def at_rest(self) -> Reader:
        """Return a reader of the tally as it is now, whatever it learns meanwhile."""
        return Reader(self._tally._snapshot(), self._columns, self._ordering, self._expected)

    def counts_of_counts(self, events: Literal["cells", "pooled"], few: bool) -> dict[int, int]:
        """Return how many events occurred r times, for small r only if these are enough."""
        tally = self._tally
        return tally.small_counts(events) if few else tally.counts_of_counts(events)

    @property
    def version(self) -> int:
        """The version of the tally."""
        return self._tally.version

    @property
    def n_terms(self) -> int:
        """Number of terms of the vocabulary."""
        return len(self._tally.vocabulary)

    @property
    def vocabulary(self) -> Vocabulary:
        """The terms."""
        return self._tally.vocabulary

    def read(self, terms: NDArray[np.int32] | None = None) -> Reading:
        """Read the sums of some terms, or of all."""
        reading = self._read(terms)
        return reading if self._expected is None else self._expected.joined(reading)

    def _read(self, terms: NDArray[np.int32] | None) -> Reading:
        part = self._tally.slice(self._numbers, terms)
        order = self._ordering.of(self._tally, part.class_documents)
        classes, values = _ascending(part, order)
        units = self._units[:, None]
        weighed = isinstance(self._columns[-1], Plane)
        class_scales = order.arrange(part.class_scales) * UNIT
        n_documents = order.arrange(part.class_documents).astype(np.float64)
        return Reading(
            order=order,
            starts=part.starts,
            classes=classes,
            cells=values * units,
            term_totals=part.term_totals * units,
            class_totals=order.arrange(part.class_totals) * units,
            class_scales=class_scales,
            totals=part.totals * self._units,
            scales=part.scales * UNIT,
            class_documents=class_scales[-1] if weighed else n_documents,
            class_terms=order.arrange(part.class_terms).astype(np.float64),
            n_documents=part.scales[-1] * UNIT if weighed else part.n_documents,
            n_live_terms=part.n_live_terms,
            version=part.version,
            terms=terms,
            source=self,
        )


def at_one_moment(reader: Reader, make: Callable[[Reader], Made]) -> Made:
    """Return what is made from several looks at a tally: at a copy, if it learns between them."""
    try:
        return make(reader)
    except Moved:
        return make(reader.at_rest())


def check_classes(reading: Reading) -> None:
    """Refuse to judge documents before there is a class."""
    if not reading.n_classes:
        raise LabelError("there is no class to predict: no document with a label was learned.")


def _ascending(part: TallySlice, order: ClassOrder) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
    """Return the classes and values of cells by the places of the classes."""
    classes = order.places[part.classes]
    if order.in_order:
        return classes, part.values
    terms = np.repeat(np.arange(len(part.starts) - 1), np.diff(part.starts))
    by_place = np.lexsort((classes, terms))
    return classes[by_place], part.values[:, by_place]


# ------------------------------------------------------------------------------------------------
# Weights at a version of the tally: made in bulk, or on the fly for a few documents.

Make: TypeAlias = Callable[[Reading], Weights]

# Weights of all terms cost about as much as those of the terms of a batch this many times smaller
# than the vocabulary: a batch pays for finding its distinct terms.
_BULK = 8


class Seen(NamedTuple):
    """Weights, and the terms that they are of: all when None."""

    weights: Weights
    terms: NDArray[np.int32] | None
    reading: Reading

    def local(self, documents: Documents) -> Documents:
        """Return documents with terms by their numbers in the weights."""
        if self.terms is None:
            return documents
        at = np.searchsorted(self.terms, documents.terms)
        return documents._replace(terms=at.astype(np.int32))


class _Kept(NamedTuple):
    """Something made at a version of the tally, with these settings."""

    version: int
    settings: tuple[Any, ...]
    value: Any

    def holds(self, version: int, settings: tuple[Any, ...]) -> bool:
        same = len(self.settings) == len(settings) and all(map(is_, self.settings, settings))
        return self.version == version and same


class WeightCache:
    """Keeps the weights of all terms for as long as the tally and the model stay as they are.

    Several threads may ask at a time: what is kept is replaced, never changed.
    """

    def __init__(self) -> None:
        self._kept: _Kept | None = None
        self._constants: dict[str, _Kept] = {}

    def weights(
        self,
        reader: Reader,
        terms: NDArray[np.int32],
        make: Make,
        settings: tuple[Any, ...] = (),
    ) -> Seen:
        """Return weights of at least these terms, of all if there are many.

        Parameters
        ----------
        reader : Reader
        terms : ndarray of int
        make : callable
            From counts to weights.
        settings : tuple
            All that weights depend on but the counts; compared object by object.
        """
        kept = self._still_good(reader, settings)
        if kept is not None:
            return kept
        if len(terms) * _BULK >= reader.n_terms:
            return self.all_weights(reader, make, settings)
        return _made(reader, make, np.unique(terms))

    def all_weights(self, reader: Reader, make: Make, settings: tuple[Any, ...] = ()) -> Seen:
        """Return the weights of all terms."""
        kept = self._still_good(reader, settings)
        if kept is not None:
            return kept
        seen = _made(reader, make, None)
        if isinstance(seen.weights, SparseWeights):
            seen = seen._replace(weights=seen.weights.filled())
        self._kept = _Kept(seen.reading.version, settings, seen)
        return seen

    def constants(
        self,
        version: int,
        make: Callable[[], Made],
        settings: tuple[Any, ...] = (),
        name: str = "constants",
    ) -> Made:
        """Return what weights of any terms share, made once at each version of something."""
        kept = self._constants.get(name)
        if kept is None or not kept.holds(version, settings):
            self._constants[name] = kept = _Kept(version, settings, make())
        made: Made = kept.value
        return made

    def _still_good(self, reader: Reader, settings: tuple[Any, ...]) -> Seen | None:
        kept = self._kept
        return kept.value if kept is not None and kept.holds(reader.version, settings) else None

    def __reduce__(self) -> tuple[type[WeightCache], tuple[()]]:
        # Copies make their own.
        return WeightCache, ()


def _made(reader: Reader, make: Make, terms: NDArray[np.int32] | None) -> Seen:
    def made(reader: Reader) -> Seen:
        reading = reader.read(terms)
        return Seen(make(reading), terms, reading)

    return at_one_moment(reader, made)


# ------------------------------------------------------------------------------------------------
# Count matrices as models take them: whole numbers counted as they are, others in small units.

FRACTION = 2.0**-20
"""The unit in which counts that are not whole are counted."""


def unit_of(X: Any) -> float:
    """Return the unit that the counts of a matrix are counted in: 1 for whole numbers."""
    data = X.data
    whole = data.dtype.kind in "iub" or bool((data == np.floor(data)).all())
    return 1.0 if whole else FRACTION


def in_units(X: Any, unit: float) -> Any:
    """Return the matrix in whole units; refuse fractions where whole numbers were counted."""
    if unit == 1.0:
        if unit_of(X) != 1.0:
            raise CountError("these counts are fractional, but the model began with whole numbers.")
        return X
    scaled = np.rint(X.data.astype(np.float64) / unit)
    return X.__class__((scaled, X.indices, X.indptr), shape=X.shape)


def documents_of(X: Any) -> Documents:
    """Return a CSR matrix as the scorer reads it, each term of a document once, none zero."""
    if X.data.dtype.kind in "iub":
        rows = rows_of(X)
        return Documents(rows.starts, rows.terms, rows.counts.astype(np.float64))
    if not X.has_canonical_format or not X.data.all():
        X = X.copy()
        X.sum_duplicates()
        X.eliminate_zeros()
    return Documents(
        np.ascontiguousarray(X.indptr, dtype=np.int64),
        np.ascontiguousarray(X.indices, dtype=np.int32),
        np.ascontiguousarray(X.data, dtype=np.float64),
    )


def transformed(documents: Documents, tf: str) -> Documents:
    """Return documents with x, ln(1 + x) or 1 in the place of each count."""
    if tf == "raw":
        return documents
    if tf not in ("log", "binary"):
        raise ValueError(f"tf_test must be 'raw', 'log' or 'binary', not {tf!r}.")
    values = documents.values
    made = np.log1p(values) if tf == "log" else np.ones_like(values)
    return documents._replace(values=made, tokens=documents.sizes)


def vocabulary_for(estimator: Any) -> Vocabulary:
    """Return the names of the columns that the estimator was given, or x0, x1 and so on."""
    names = getattr(estimator, "feature_names_in_", None)
    if names is None:
        return numbered(estimator.n_features_in_)
    vocabulary = Vocabulary(list(names))
    vocabulary.freeze()
    return vocabulary


@lru_cache(maxsize=4)
def numbered(n_terms: int) -> Vocabulary:
    """Return a vocabulary of x0, x1 and so on."""
    vocabulary = Vocabulary([f"x{at}" for at in range(n_terms)])
    vocabulary.freeze()
    return vocabulary

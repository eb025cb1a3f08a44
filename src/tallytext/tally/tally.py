"""THE statistic: exact, additive counts of terms in classes."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable, Mapping, Sequence, Set
from itertools import islice
from typing import Any, Literal, Self, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import sparse

from tallytext._core import Change, Recipe, Refusal, TallySlice, row_of_dict
from tallytext._core import Tally as NativeTally
from tallytext.errors import (
    CountError,
    CountOverflowError,
    LabelError,
    NegativeCountError,
    RecipeError,
    TallytextError,
    UnknownNameError,
    VocabularyError,
    did_you_mean,
)
from tallytext.runtime import thread_count
from tallytext.tally.labels import (
    Encoded,
    Label,
    LabelIndex,
    label_iterator,
    listed_labels,
    plain,
    unknown_class,
)
from tallytext.tally.planes import UNIT, Plane, PlaneTotals, check_same, in_order
from tallytext.tally.rows import Rows, counts_of, rows_of
from tallytext.text.sources import pieces
from tallytext.text.vectorizer import TextVectorizer
from tallytext.text.vocabulary import Vocabulary, given_vocabulary

# ------------------------------------------------------------------------------------------------
# What can be read off a tally. Nothing here changes it, so many threads may read at a time.

_OCCURRENCES, _DOCUMENTS, _FIRST_PLANE = 0, 1, 2


class Statistics:
    """Sums per (term, class), per term, per class and in all.

    Arrays over terms follow the ids of :attr:`vocabulary`, arrays over classes the order of
    :attr:`classes`. All are copies.
    """

    _native: NativeTally
    _labels: LabelIndex
    _planes: tuple[Plane, ...]
    _vocabulary: Vocabulary

    @property
    def vocabulary(self) -> Vocabulary:
        """The terms, by id. Some may no longer, or not yet, occur: see :attr:`live`."""
        return self._vocabulary

    @property
    def planes(self) -> tuple[Plane, ...]:
        """The recipes of the fractional planes that are kept."""
        return self._planes

    @property
    def classes(self) -> list[Label]:
        """The labels that some document has, in order of arrival."""
        return [self._labels.names[id] for id in self._live_classes()]

    @property
    def n_documents(self) -> int:
        """Number of documents, those without a label included."""
        return self._native.n_documents

    @property
    def n_several(self) -> int:
        """Number of documents that came with two labels or more.

        It stays when :meth:`~tallytext.Tally.subset` leaves one of the labels out.
        """
        return self._native.n_several

    @property
    def n_unlabelled(self) -> int:
        """Number of documents that came without a label, not those whose class was left out."""
        return self._native.n_unlabelled

    @property
    def n_classes(self) -> int:
        """Number of classes that have a document."""
        return len(self._live_classes())

    @property
    def n_terms(self) -> int:
        """Number of terms that occur."""
        return self._native.n_live_terms

    @property
    def n_cells(self) -> int:
        """Number of pairs of a term and a class that it occurs in."""
        return self._native.n_cells

    @property
    def n_tokens(self) -> int:
        """Occurrences of all terms in all documents."""
        return int(self._native.totals()[_OCCURRENCES])

    @property
    def n_document_terms(self) -> int:
        """Sum over the documents of their number of distinct terms."""
        return int(self._native.totals()[_DOCUMENTS])

    @property
    def class_documents(self) -> NDArray[np.int64]:
        """Number of documents of each class."""
        documents = _integers(self._native.class_documents())
        return documents[documents > 0]

    @property
    def class_tokens(self) -> NDArray[np.int64]:
        """Occurrences of all terms in each class."""
        return self._class_column(_OCCURRENCES)

    @property
    def class_terms(self) -> NDArray[np.int64]:
        """Number of distinct terms of each class."""
        live = self._live_classes()
        return _integers(self._native.class_terms())[live]

    @property
    def class_document_terms(self) -> NDArray[np.int64]:
        """Sum over the documents of each class of their number of distinct terms."""
        return self._class_column(_DOCUMENTS)

    @property
    def term_occurrences(self) -> NDArray[np.int64]:
        """Occurrences of each term in all documents, each document once."""
        return self._term_column(_OCCURRENCES)

    @property
    def term_documents(self) -> NDArray[np.int64]:
        """Number of documents with each term, each document once."""
        return self._term_column(_DOCUMENTS)

    @property
    def live(self) -> NDArray[np.bool_]:
        """Which terms of the vocabulary occur."""
        return self.term_occurrences > 0

    @property
    def occurrences(self) -> sparse.csr_array[np.int64]:
        """Occurrences of each term in each class."""
        return self._matrix(_OCCURRENCES)

    @property
    def documents(self) -> sparse.csr_array[np.int64]:
        """Number of documents of each class with each term."""
        return self._matrix(_DOCUMENTS)

    def plane(self, recipe: Plane) -> sparse.csr_array[np.float64]:
        """Return the sums of a fractional plane over each term and class.

        Parameters
        ----------
        recipe : Plane
            Which plane.

        Raises
        ------
        RecipeError
            If the tally does not keep this plane.
        """
        matrix = self._matrix(self._plane_column(recipe)).astype(np.float64)
        matrix.data *= UNIT
        return matrix

    def plane_totals(self, recipe: Plane) -> PlaneTotals:
        """Return the sums of a fractional plane per term, per class and in all.

        Parameters
        ----------
        recipe : Plane
            Which plane.
        """
        column = self._plane_column(recipe)
        at, now = column - _FIRST_PLANE, self._snapshot()
        return PlaneTotals(
            terms=np.multiply(now._term_column(column), UNIT, dtype=np.float64),
            classes=np.multiply(now._class_column(column), UNIT, dtype=np.float64),
            total=int(now._native.totals()[column]) * UNIT,
            class_scales=np.multiply(now._class_scales()[:, at], UNIT, dtype=np.float64),
            scale=int(now._native.scales()[at]) * UNIT,
        )

    def column(self, name: Plane | str) -> int:
        """Return the number of a column: "occurrences", "documents" or a plane that is kept.

        Parameters
        ----------
        name : Plane or str
            Which column.
        """
        if isinstance(name, Plane):
            return self._plane_column(name)
        return {"occurrences": _OCCURRENCES, "documents": _DOCUMENTS}[name]

    def slice(self, columns: Sequence[int], terms: NDArray[np.int32] | None = None) -> TallySlice:
        """Return the sums of some columns and terms, all of one moment.

        Planes come in units of ``planes.UNIT``, classes by number: see :attr:`label_names`. Costs
        as much as there are terms asked for, and classes.

        Parameters
        ----------
        columns : sequence of int
            Their numbers, as by :meth:`column`.
        terms : ndarray of int32, default=None
            The ids of the terms; None for all.
        """
        return self._native.slice(list(columns), terms)

    @property
    def label_index(self) -> LabelIndex:
        """The numbers of the labels; a copy."""
        return self._labels.copy()

    @property
    def label_names(self) -> list[Label]:
        """The label of each class number, classes without a document included."""
        return self._labels.names

    @property
    def version(self) -> int:
        """A number that changes whenever the sums do."""
        return self._native.version

    def counts_of_counts(self, events: Literal["cells", "pooled"] = "cells") -> dict[int, int]:
        """Return how many events were counted exactly r times, for each r that occurs.

        Parameters
        ----------
        events : {"cells", "pooled"}, default="cells"
            Pairs of term and class, or terms whatever their class.
        """
        if events not in ("cells", "pooled"):
            raise ValueError(f"events must be 'cells' or 'pooled', not {events!r}")
        return self._native.counts_of_counts(events == "pooled")

    def small_counts(self, events: Literal["cells", "pooled"] = "cells") -> dict[int, int]:
        """Return the first entries of :meth:`counts_of_counts`, at no cost.

        Parameters
        ----------
        events : {"cells", "pooled"}, default="cells"
            As for :meth:`counts_of_counts`.

        Examples
        --------
        >>> from tallytext import Tally
        >>> Tally().learn({"to": 2, "be": 1, "or": 1}, "x").small_counts()[1]
        2
        """
        few = self._native.small_counts(events == "pooled").tolist()
        return {r: n for r, n in enumerate(few) if r and n}

    def _snapshot(self) -> Self:
        # To read from: what several calls see of it is of one moment. The sums come first, since
        # terms and labels are there before they are counted.
        native = NativeTally(self._native)
        snapshot = self.__class__.__new__(self.__class__)
        snapshot.__dict__.update(self.__dict__ | {"_native": native})
        return snapshot

    def _plane_column(self, recipe: Plane) -> int:
        if recipe in self._planes:
            return _FIRST_PLANE + self._planes.index(recipe)
        kept = ", ".join(map(repr, self._planes)) or "none"
        raise RecipeError(
            f"this tally does not keep {recipe!r} (it keeps {kept}). "
            f"Tally the documents with planes=[{recipe!r}]."
        )

    def _width(self) -> int:
        return _FIRST_PLANE + len(self._planes)

    def _live_classes(self) -> NDArray[np.intp]:
        return np.flatnonzero(self._native.class_documents()[: len(self._labels)])

    def _class_column(self, column: int) -> NDArray[np.int64]:
        live = self._live_classes()
        totals = _integers(self._native.class_totals()).reshape(-1, self._width())
        picked: NDArray[np.int64] = totals[live, column]
        return picked

    def _class_scales(self) -> NDArray[np.int64]:
        live = self._live_classes()
        if not self._planes:
            return np.zeros((len(live), 0), dtype=np.int64)
        return _integers(self._native.class_scales()).reshape(-1, len(self._planes))[live]

    def _term_column(self, column: int) -> NDArray[np.int64]:
        totals = self._native.term_totals().reshape(-1, self._width())
        padded = np.zeros(len(self._vocabulary), dtype=np.int64)
        padded[: len(totals)] = totals[:, column]
        return padded

    def _matrix(self, column: int) -> sparse.csr_array[np.int64]:
        now = self._snapshot()
        starts, classes, values = now._native.cells(column)
        n_terms = len(now._vocabulary)
        starts = np.append(starts, np.full(n_terms + 1 - len(starts), starts[-1]))
        cells = (_integers(values), now._places()[classes], starts)
        return sparse.csr_array(cells, shape=(n_terms, now.n_classes))

    def _places(self) -> NDArray[np.int32]:
        live = self._live_classes()
        places = np.zeros(len(self._labels), dtype=np.int32)
        places[live] = np.arange(len(live))
        return places

    def __repr__(self) -> str:
        return (
            f"<Tally of {self.n_documents:,} documents: {self.n_tokens:,} tokens, "
            f"{self.n_terms:,} terms, {self.n_classes:,} classes>"
        )


def _integers(values: NDArray[np.int64]) -> NDArray[np.int64]:
    # C's long long is NumPy's int64 under another name, which would show in every repr.
    return values.view(np.int64)


# ------------------------------------------------------------------------------------------------
# A tally as plain arrays and a header, and back, trusting nothing.

Arrays: TypeAlias = dict[str, NDArray[Any]]
Header: TypeAlias = dict[str, Any]

KIND = "tallytext.tally"


class Storing(Statistics):
    """Writes the sums that cannot be derived from others; reading derives the rest anew."""

    def _arrays(self) -> tuple[Arrays, Header]:
        return self._snapshot()._arrays_of_now()

    def _arrays_of_now(self) -> tuple[Arrays, Header]:
        starts, classes, cells = self._native.cells(-1)
        width = self._width()
        whole = [self.n_documents, self.n_several, self.n_unlabelled, *self._native.scales()]
        arrays: Arrays = {
            "starts": starts,
            "classes": self._places()[classes],
            "cells": cells.reshape(-1, width),
            "term_totals": self._native.term_totals().reshape(-1, width),
            "class_documents": self.class_documents,
            "class_scales": self._class_scales(),
            "whole": np.array(whole, dtype=np.int64),
        }
        planes = [plane.to_dict() for plane in self._planes]
        return arrays, {"kind": KIND, "classes": self.classes, "planes": planes}


def vocabulary_from(arrays: Mapping[str, NDArray[Any]]) -> Vocabulary:
    """Read the terms of a stored tally."""
    terms, lengths = array_of(arrays, "terms", np.uint8), array_of(arrays, "lengths", np.uint32)
    return Vocabulary.from_arrays(terms, lengths)


def header_from(header: Mapping[str, Any]) -> tuple[LabelIndex, tuple[Plane, ...]]:
    """Read the classes and the recipes of a stored tally."""
    if header.get("kind") != KIND:
        raise TallytextError(f"this is not a tally, but {header.get('kind')!r}.")
    labels = LabelIndex(_list_of(header, "classes"))
    if len(labels) != len(_list_of(header, "classes")):
        raise TallytextError("this is not a tally: a class is named twice.")
    stored = tuple(Plane.from_dict(_mapping(plane)) for plane in _list_of(header, "planes"))
    if stored != in_order(stored):
        raise TallytextError("this is not a tally: its planes are not in order.")
    return labels, stored


def change_from(arrays: Mapping[str, NDArray[Any]], n_classes: int, n_planes: int) -> Change:
    """Read the sums of a stored tally."""
    names = ("cells", "term_totals", "class_documents", "class_scales", "whole")
    sums = {name: array_of(arrays, name, np.int64) for name in names}
    if len(sums["class_documents"]) != n_classes:
        raise TallytextError("this is not a tally: it names more or fewer classes than it counts.")
    starts, classes = array_of(arrays, "starts", np.int64), array_of(arrays, "classes", np.int32)
    try:
        return Change.of_arrays(n_planes, starts, classes, **sums)
    except OverflowError as problem:
        raise CountOverflowError(f"this is not a tally: {problem}") from None
    except ValueError as problem:
        raise TallytextError(f"this is not a tally: {problem}") from None


def array_of(arrays: Mapping[str, NDArray[Any]], name: str, dtype: type[Any]) -> NDArray[Any]:
    """Return one array of a stored tally, flat, if it is there and of the right kind."""
    found = arrays.get(name)
    if not isinstance(found, np.ndarray) or found.dtype != dtype:
        raise TallytextError(f"this is not a tally: {name!r} must be an array of {dtype.__name__}.")
    return np.ascontiguousarray(found).reshape(-1)


def _list_of(header: Mapping[str, Any], key: str) -> list[Any]:
    found = header.get(key)
    if not isinstance(found, list):
        raise TallytextError(f"this is not a tally: its header has no list of {key}.")
    return found


def _mapping(value: Any) -> Mapping[str, Any]:
    if not isinstance(value, Mapping):
        raise TallytextError(f"this is not a tally: {value!r} is no recipe of a plane.")
    return value


# ------------------------------------------------------------------------------------------------
# Why something cannot be taken out of a tally, in words.

_LABEL = "Was this document ever learned by this tally, with this label?"
_WEIGHT = "Was it learned with other weights?"


def refused(refusal: Refusal, vocabulary: Vocabulary, labels: LabelIndex) -> NegativeCountError:
    """Return the error for what would be left that no documents can add up to."""
    if refusal.term >= 0:
        term = vocabulary.term(refusal.term)
        where = f" in class {labels.names[refusal.label]!r}" if refusal.label >= 0 else ""
        return NegativeCountError(f"cannot forget: term {term!r}{where} {_of_term(refusal.left)}")
    name = f"class {labels.names[refusal.label]!r}" if refusal.label >= 0 else "the tally"
    return NegativeCountError(f"cannot forget: {name} {_of_documents(refusal.left)}")


def unknown_term(term: str, count: int, label: object) -> NegativeCountError:
    """Return the error for a term that the tally has never seen; None stands for no label."""
    where = "" if label is None else f" in class {label!r}"
    return NegativeCountError(
        f"cannot forget: term {term!r}{where} would fall to {-count}. {_LABEL}"
    )


def _of_term(left: list[int]) -> str:
    occurrences, documents, *_ = left
    if occurrences < 0:
        return f"would fall to {occurrences}. {_LABEL}"
    if documents < 0 or documents > occurrences or (documents == 0) != (occurrences == 0):
        return f"would be left with {occurrences} occurrences in {documents} documents. {_LABEL}"
    if min(left) < 0 or (occurrences == 0 and any(left)):
        return f"would be left with a plane that {occurrences} occurrences cannot have. {_WEIGHT}"
    return f"would be left with more than the documents that remain can hold. {_LABEL}"


def _of_documents(left: list[int]) -> str:
    n_documents, *scales = left
    if n_documents < 0:
        return f"would fall to {n_documents} documents. {_LABEL}"
    if any(scale < 0 for scale in scales) or (n_documents == 0 and any(scales)):
        return f"would be left with a plane that {n_documents} documents cannot have. {_WEIGHT}"
    return (
        f"would be left with {n_documents} documents that its counts contradict. "
        "Were these documents ever learned by this tally, with as many labels?"
    )


# ------------------------------------------------------------------------------------------------
# How documents and other tallies enter a tally: one way in, for one document or a million.

Terms: TypeAlias = Vocabulary | Mapping[str, int] | Sequence[str]

_SCALARS = (str, int, float, np.generic)


class Learning(Statistics):
    """Turns what comes in into a change by the tally's ids, and applies all of it or nothing."""

    _recipes: list[Recipe]
    _owns_vocabulary: bool
    _closed: bool  # to new terms

    def _learn(
        self,
        documents: Any,
        labels: Any,
        terms: Terms | None,
        sample_weight: Any,
        sign: int,
    ) -> Self:
        known = len(self._labels)
        try:
            if isinstance(documents, Mapping):
                self._learn_one(documents, labels, sample_weight, sign)
            else:
                rows = rows_of(documents)
                alone = rows.n_documents == 1 and isinstance(labels, _SCALARS)
                self._learn_rows(rows, [labels] if alone else labels, terms, sample_weight, sign)
        except BaseException:
            self._labels.truncate(known)
            raise
        return self

    def _learn_one(self, counts: Mapping[str, Any], labels: Any, weight: Any, sign: int) -> None:
        row = self._row_of(counts) if isinstance(counts, dict) else None
        if row is None:
            counts = counts_of(counts)
            row = self._row_of(counts)
            assert row is not None
        ids, values = row
        encoded = self._labels.encode_one(labels)
        if ids.size and ids.min() < 0:
            if sign < 0:
                at = int(np.argmin(ids))
                raise unknown_term([*counts][at], int(values[at]), self._first_label(encoded, 0))
            ids = self._ids_of_terms([*counts], add=True)
        rows = Rows(np.array([0, len(ids)]), ids, values, len(self._vocabulary))
        self._apply_rows(rows, encoded, weight, sign)

    def _row_of(self, counts: dict[str, Any]) -> tuple[NDArray[np.int32], NDArray[np.int64]] | None:
        try:
            return row_of_dict(self._vocabulary.native, counts)
        except TypeError:
            for term in counts:
                if not isinstance(term, str):
                    raise CountError(f"{term!r} cannot be a term: it is not a str.") from None
            raise

    def _learn_rows(
        self,
        rows: Rows,
        labels: Any,
        terms: Terms | None,
        sample_weight: Any,
        sign: int,
    ) -> None:
        encoded = self._labels.encode(labels, rows.n_documents)
        if terms is None or terms is self._vocabulary:
            check_width(self._vocabulary, rows.width)
        else:
            rows = self._translated(rows, vocabulary_of(terms, rows.width), encoded, sign)
        self._apply_rows(rows, encoded, sample_weight, sign)

    def _translated(self, rows: Rows, theirs: Vocabulary, encoded: Encoded, sign: int) -> Rows:
        ids = self._translate(rows.terms, theirs, add=sign > 0)
        if ids.size and ids.min() < 0:
            at = int(np.argmin(ids))
            document = int(np.searchsorted(rows.starts, at, side="right")) - 1
            name, label = theirs.term(int(rows.terms[at])), self._first_label(encoded, document)
            raise unknown_term(name, int(rows.counts[at]), label)
        return rows._replace(terms=ids)

    def _translate(
        self, terms: NDArray[np.int32], theirs: Vocabulary, add: bool
    ) -> NDArray[np.int32]:
        # A few documents must not pay for a whole vocabulary.
        if 8 * len(terms) < len(theirs) and len(self._vocabulary):
            used, at = np.unique(terms, return_inverse=True)
            return self._ids_of_terms(theirs.terms(used).tolist(), add)[at]
        return self._term_map(theirs, add)[terms]

    def _apply_rows(self, rows: Rows, encoded: Encoded, sample_weight: Any, sign: int) -> None:
        weights = self._weights(sample_weight, rows.n_documents)
        try:
            change = Change.of_documents(
                *rows[:3], *encoded, self._recipes, weights, n_threads=thread_count()
            )
        except OverflowError as problem:
            raise overflow(problem) from None
        self._apply(change, sign)

    def _apply(self, change: Change, sign: int) -> None:
        n_terms, n_labels = len(self._vocabulary), len(self._labels)
        try:
            refusal = self._native.apply(change, sign, n_terms, n_labels)
        except OverflowError as problem:
            raise overflow(problem) from None
        if refusal is not None:
            raise refused(refusal, self._vocabulary, self._labels)

    def _combine(self, other: Learning, sign: int) -> Self:
        check_same(self._planes, other._planes)
        known = len(self._labels)
        try:
            theirs = other._snapshot()
            class_map = theirs._class_map(self._labels)
            term_map = self._term_map(theirs._vocabulary, add=sign > 0)
            other._owns_vocabulary &= other._vocabulary is not self._vocabulary
            if sign < 0:
                theirs._check_terms(term_map)
            self._apply(theirs._native.reshaped(term_map, class_map), sign)
        except BaseException:
            self._labels.truncate(known)
            raise
        return self

    def _check_terms(self, term_map: NDArray[np.int32]) -> None:
        occurrences = self.term_occurrences[: len(term_map)]
        missing = np.flatnonzero((term_map < 0) & (occurrences > 0))
        if missing.size:
            term = int(missing[0])
            starts, classes, values = self._native.cells(0)
            at = int(starts[term])
            labelled = at < starts[term + 1]
            label = self._labels.names[classes[at]] if labelled else None
            count = int(values[at]) if labelled else int(occurrences[term])
            raise unknown_term(self._vocabulary.term(term), count, label)

    def _class_map(self, into: LabelIndex) -> NDArray[np.int32]:
        class_map = np.full(max(len(self._labels), self._native.n_classes), -1, dtype=np.int32)
        class_map[self._live_classes()] = into.join(LabelIndex(self.classes))
        return class_map

    def _term_map(self, theirs: Vocabulary, add: bool) -> NDArray[np.int32]:
        if add and not len(self._vocabulary) and not self._closed:
            self._vocabulary, self._owns_vocabulary = theirs, False
        if theirs is self._vocabulary:
            return np.arange(len(theirs), dtype=np.int32)
        ids = self._vocabulary.locate(theirs)
        if not add or not ids.size or ids.min() >= 0:
            return ids
        self._grow(theirs.term(int(np.argmin(ids))))
        return self._vocabulary.merge(theirs)

    def _ids_of_terms(self, names: list[str], add: bool) -> NDArray[np.int32]:
        ids = self._vocabulary.ids(names)
        if not add or not ids.size or ids.min() >= 0:
            return ids
        self._grow(names[int(np.argmin(ids))])
        return self._vocabulary.add(names)

    def _grow(self, term: str) -> None:
        # Someone else's vocabulary is never added to: its width is theirs to decide.
        if not self._owns_vocabulary and not self._closed:
            self._vocabulary, self._owns_vocabulary = self._vocabulary.copy(), True
        self._vocabulary.add([term])

    def _weights(self, sample_weight: Any, n_documents: int) -> NDArray[np.float64] | None:
        if sample_weight is None:
            return None
        if not any(plane.weighted for plane in self._planes):
            raise RecipeError("sample_weight has no effect here: keep a Plane(weighted=True).")
        weights = np.atleast_1d(np.asarray(sample_weight, dtype=np.float64))
        if weights.shape != (n_documents,):
            raise CountError(f"{n_documents} documents, but weights of shape {weights.shape}.")
        if not (np.isfinite(weights) & (weights >= 0)).all():
            raise CountError("a sample_weight is negative, infinite or not a number.")
        return np.ascontiguousarray(weights)

    def _first_label(self, encoded: Encoded, document: int) -> object:
        starts, ids = encoded
        labelled = starts[document] < starts[document + 1]
        return self._labels.names[ids[starts[document]]] if labelled else None


def vocabulary_of(terms: Terms, width: int) -> Vocabulary:
    """Return the names of ``width`` columns as a vocabulary.

    Examples
    --------
    >>> list(vocabulary_of({"sky": 1, "sea": 0}, 2))
    ['sea', 'sky']
    """
    if isinstance(terms, Vocabulary):
        check_width(terms, width)
        return terms
    names = _names_of(terms)
    vocabulary = Vocabulary(names)
    if len(names) != width:
        raise CountError(f"the counts have {width:,} columns, but there are {len(names):,} terms.")
    if len(vocabulary) != width:
        raise CountError("a term names two columns.")
    return vocabulary


def _names_of(terms: Mapping[str, int] | Sequence[str]) -> list[str]:
    if isinstance(terms, Mapping):
        return list(given_vocabulary(terms)) if terms else []
    try:
        names = listed_labels(terms)
    except LabelError:
        raise CountError(
            f"terms must name the columns in order, or map names to columns, not {terms!r:.80}"
        ) from None
    for name in names:
        if not isinstance(name, str):
            raise CountError(f"{name!r} cannot be a term: it is not a str.")
    return names


def check_width(vocabulary: Vocabulary, width: int) -> None:
    """Refuse columns that the vocabulary does not name."""
    if width > len(vocabulary):
        raise CountError(
            f"the counts have {width:,} columns, but the vocabulary {len(vocabulary):,} terms. "
            "Say what the columns are with terms=."
        )


def overflow(problem: OverflowError) -> CountOverflowError:
    """Return the error for a sum that leaves 64 bits."""
    return CountOverflowError(f"cannot count this: {problem}; nothing has changed.")


# ------------------------------------------------------------------------------------------------
# Tallies derived from a tally: fewer terms, classes or planes, other classes.


class Reshaping(Statistics):
    """Derived tallies. Each is independent, with totals of its own; the vocabulary is shared."""

    def subset(self, classes: Iterable[Label]) -> Self:
        """Keep these classes only.

        The documents of the other classes leave the totals with their class, unless some document
        has several labels: then which documents would be left cannot be known from the sums, and
        the totals (hence every complement and :attr:`n_several`) keep all documents. Documents
        without a label stay. Forgetting a document by the one label left of several then leaves
        :attr:`n_several` as it is, and is refused once no more documents remain than that.

        Parameters
        ----------
        classes : iterable of labels
            The classes.

        Examples
        --------
        >>> from tallytext import Tally
        >>> tally = Tally.from_counts([[1, 0], [1, 2], [0, 3]], ["x", "y", "z"])
        >>> tally.subset(["x", "z"])
        <Tally of 2 documents: 4 tokens, 2 terms, 2 classes>
        """
        tally = self.copy()
        kept = set(tally._class_ids(classes))
        return tally._without([id for id in tally._live_classes().tolist() if id not in kept])

    def drop(self, classes: Iterable[Label]) -> Self:
        """Leave these classes out; the totals are as :meth:`subset` describes.

        Parameters
        ----------
        classes : iterable of labels
            The classes.

        Examples
        --------
        >>> from tallytext import Tally
        >>> Tally.from_counts([[1, 0], [1, 2]], ["x", "y"]).drop(["y"]).classes
        ['x']
        """
        tally = self.copy()
        return tally._without(tally._class_ids(classes))

    def rename(self, names: Mapping[Label, Label]) -> Self:
        """Give classes other labels.

        Parameters
        ----------
        names : mapping of label to label
            Old labels and new ones; others stay.

        Raises
        ------
        LabelError
            If two classes would come to have one label: that is :meth:`merge_classes`.

        Examples
        --------
        >>> from tallytext import Tally
        >>> Tally.from_counts([[1, 0], [1, 2]], ["x", "y"]).rename({"y": "z"}).classes
        ['x', 'z']
        """
        tally = self.copy()
        labels, class_map = tally._renamed(names)
        if len(labels) < tally.n_classes:
            raise LabelError("two classes would have one label; join them with merge_classes.")
        return tally._derived(tally._all_terms(), class_map, labels)

    def merge_classes(self, names: Mapping[Label, Label]) -> Self:
        """Give classes other labels, joining those that come to have one.

        Parameters
        ----------
        names : mapping of label to label
            Old labels and new ones; others stay.

        Raises
        ------
        LabelError
            If documents have several labels: one that has two of the labels joined would count
            twice, and the sums do not tell.

        Examples
        --------
        >>> from tallytext import Tally
        >>> tally = Tally.from_counts([[1, 0], [1, 2], [0, 3]], ["cat", "dog", "oak"])
        >>> merged = tally.merge_classes({"cat": "animal", "dog": "animal"})
        >>> merged.classes, merged.class_documents
        (['animal', 'oak'], array([2, 1]))
        """
        tally = self.copy()
        if tally.n_several:
            raise LabelError(
                f"cannot merge classes: {tally.n_several:,} documents have several labels, and one "
                "with two of the merged labels would be counted twice. Tally the texts anew."
            )
        labels, class_map = tally._renamed(names)
        return tally._derived(tally._all_terms(), class_map, labels)

    def mask(self, terms: ArrayLike | Sequence[str] | Set[str]) -> Self:
        """Keep some terms only; tokens, distinct terms and counts of counts become those of them.

        Documents keep their number and their scale in each plane.

        Parameters
        ----------
        terms : array of bool over the ids of the vocabulary, of ids, or names
            The terms to keep.

        Examples
        --------
        >>> from tallytext import Tally
        >>> tally = Tally.from_counts([[1, 0], [1, 2]], ["x", "y"], ["sea", "sky"])
        >>> tally.mask(["sky"])
        <Tally of 2 documents: 2 tokens, 1 terms, 2 classes>
        """
        tally = self.copy()
        ids = tally._term_ids(terms)
        term_map = np.full(len(tally._vocabulary), -1, dtype=np.int32)
        term_map[ids] = ids
        return tally._derived(term_map, tally._all_classes(), tally._labels)

    def keep_planes(self, planes: Iterable[Plane]) -> Self:
        """Keep these planes only; occurrences and documents stay.

        Parameters
        ----------
        planes : iterable of Plane
            The planes.

        Raises
        ------
        RecipeError
            If one of them is not kept here: it would take the documents to make it.

        Examples
        --------
        >>> from tallytext import Tally
        >>> tally = Tally.from_counts([[1, 0], [1, 2]], ["x", "y"], planes=[Plane("log"), Plane()])
        >>> tally.keep_planes([Plane()]).planes
        (Plane(tf='raw', norm=None, theta=None, weighted=False, shared=False),)
        """
        return self.copy()._with_planes(in_order(planes))

    # Each works on a copy, so that all it reads is of one moment.
    @abstractmethod
    def copy(self) -> Self:
        """Return an independent tally."""

    @abstractmethod
    def _derived(
        self,
        term_map: NDArray[np.int32],
        class_map: NDArray[np.int32],
        labels: LabelIndex,
        leave: bool = False,
    ) -> Self:
        """Return a new tally of terms and classes by their new ids; -1 leaves one out."""

    @abstractmethod
    def _with_planes(self, planes: tuple[Plane, ...]) -> Self:
        """Return a new tally that keeps these planes."""

    def _without(self, ids: list[int]) -> Self:
        class_map = self._all_classes()
        class_map[ids] = -1
        return self._derived(self._all_terms(), class_map, self._labels, leave=not self.n_several)

    def _renamed(self, names: Mapping[Label, Label]) -> tuple[LabelIndex, NDArray[np.int32]]:
        self._class_ids(names)
        new = {plain(old, "class"): plain(new, "class") for old, new in names.items()}
        labels, class_map = LabelIndex(), self._all_classes()
        for id in self._live_classes().tolist():
            name = self._labels.names[id]
            class_map[id] = labels.add(new.get(name, name))
        return labels, class_map

    def _class_ids(self, classes: Iterable[Label]) -> list[int]:
        if isinstance(classes, str):
            raise LabelError(f"classes must be a list of labels, not the string {classes!r}.")
        live = set(self._live_classes().tolist())
        wanted = [(label, self._labels.find(label)) for label in classes]
        for label, id in wanted:
            if id not in live:
                raise unknown_class(label, self.classes)
        return [id for _, id in wanted]

    def _term_ids(self, terms: Any) -> NDArray[np.intp]:
        given = np.asarray(sorted(terms) if isinstance(terms, set | frozenset) else terms)
        if given.ndim != 1:
            raise UnknownNameError("terms must be a mask, ids or names, in one dimension.")
        if given.dtype.kind in "UO":
            return self._ids_of_names([str(name) for name in given])
        if given.size and given.dtype.kind not in "biu":
            raise UnknownNameError(f"terms must be a mask, ids or names, not {given.dtype}.")
        if given.dtype.kind == "b" and len(given) != len(self._vocabulary):
            raise UnknownNameError(
                f"the mask has {len(given):,} entries, the vocabulary {len(self._vocabulary):,}."
            )
        ids = np.flatnonzero(given) if given.dtype.kind == "b" else given.astype(np.intp)
        outside = (ids < 0) | (ids >= len(self._vocabulary))
        if outside.any():
            raise UnknownNameError(f"no term has the id {ids[outside][0]}.")
        return ids

    def _ids_of_names(self, names: list[str]) -> NDArray[np.intp]:
        ids = self._vocabulary.ids(names)
        if (ids < 0).any():
            name = names[int(np.argmin(ids))]
            hint = did_you_mean(name, self._vocabulary)
            raise UnknownNameError(f"there is no term {name!r} here.{hint}")
        return ids.astype(np.intp)

    def _all_terms(self) -> NDArray[np.int32]:
        return np.arange(len(self._vocabulary), dtype=np.int32)

    def _all_classes(self) -> NDArray[np.int32]:
        return np.arange(max(len(self._labels), self._native.n_classes), dtype=np.int32)


class Tally(Learning, Reshaping, Storing):
    """Sums over documents per (term, class), per term, per class and in all.

    Tallies add and subtract exactly: ``(a + b) - b == a`` to the last bit, whatever the order of
    terms, classes and documents, and for fractional planes too. Terms and classes that are new are
    added; what returns to zero is as if never seen. Documents may have several labels, or none:
    those enter the totals and no class.

    Reading from several threads at a time is safe, also while another one learns; a sequence of
    calls may then see the tally before and after.

    Parameters
    ----------
    vocabulary : Vocabulary, default=None
        The terms. It is shared until the tally has to add to it, which it does on a copy. A frozen
        one that is given here closes the tally to new terms.
    planes : iterable of Plane, default=()
        Fractional planes to keep.

    Examples
    --------
    >>> tally = Tally.from_counts([[2, 1, 0], [1, 0, 1]], ["x", "y"], ["to", "be", "or"])
    >>> tally
    <Tally of 2 documents: 5 tokens, 3 terms, 2 classes>
    >>> tally.occurrences.toarray()
    array([[2, 1],
           [1, 0],
           [0, 1]])
    >>> more = tally.copy().learn({"question": 1}, "z")
    >>> more.classes, more.forget({"question": 1}, "z") == tally
    (['x', 'y', 'z'], True)
    """

    _smallest_delta = 4096

    def __init__(
        self, vocabulary: Vocabulary | None = None, *, planes: Iterable[Plane] = ()
    ) -> None:
        own = vocabulary is None
        self._closed = vocabulary is not None and vocabulary.frozen
        self._begin(Vocabulary() if vocabulary is None else vocabulary, own, in_order(planes))

    @classmethod
    def from_counts(
        cls,
        X: Any,
        labels: Any,
        terms: Terms | None = None,
        *,
        planes: Iterable[Plane] = (),
        sample_weight: ArrayLike | None = None,
    ) -> Self:
        """Tally the rows of a count matrix.

        Parameters
        ----------
        X : sparse matrix, sparse array or array-like of shape (n_documents, n_terms)
            Non-negative whole numbers.
        labels : sequence of length n_documents
            One label per document, or a list of labels per document; ``[]`` means none.
        terms : Vocabulary, mapping of str to int or sequence of str, default=None
            The names of the columns; ``x0``, ``x1`` ... if not given.
        planes : iterable of Plane, default=()
            Fractional planes to keep.
        sample_weight : array-like of shape (n_documents,), default=None
            Weights for the planes that are ``weighted``.

        Examples
        --------
        >>> tally = Tally.from_counts([[1, 2], [3, 0]], [["x", "y"], []])
        >>> tally.classes, tally.class_tokens, tally.n_tokens
        (['x', 'y'], array([3, 3]), 6)
        """
        rows = rows_of(X)
        names = [f"x{i}" for i in range(rows.width)] if terms is None else terms
        tally = cls(vocabulary_of(names, rows.width), planes=planes)
        tally._owns_vocabulary, tally._closed = not isinstance(terms, Vocabulary), False
        tally._learn_rows(rows, labels, None, sample_weight, +1)
        return tally

    @classmethod
    def from_texts(
        cls,
        texts: Iterable[str],
        labels: Iterable[Any],
        *,
        vectorizer: TextVectorizer | None = None,
        planes: Iterable[Plane] = (),
        batch_size: int = 16_384,
    ) -> Self:
        """Tally texts, a batch at a time: no document outlives its batch.

        Parameters
        ----------
        texts : list, column or iterable of str
            Whatever :class:`TextVectorizer` reads. May be a generator, as may ``labels``.
        labels : iterable
            One label per text, or a list of labels per text; ``[]`` means none.
        vectorizer : TextVectorizer, default=None
            Learns the words as they come; a new one if not given. One with limits on document
            frequency has to be fitted before.
        planes : iterable of Plane, default=()
            Fractional planes to keep.
        batch_size : int, default=16384
            Number of texts in memory at a time.
        """
        vectorizer = TextVectorizer() if vectorizer is None else vectorizer
        if vectorizer.is_limited and not hasattr(vectorizer, "vocabulary_"):
            raise VocabularyError(
                "min_df, max_df and max_features need all documents at once: fit the vectorizer "
                "first, or tally without limits and mask the tally."
            )
        tally, their = cls(planes=planes), label_iterator(labels)
        for some in pieces(texts, batch_size):
            X = vectorizer.partial_fit_transform(some)
            tally.learn(X, list(islice(their, X.shape[0])), terms=vectorizer.vocabulary_)
        if next(their, None) is not None:
            raise LabelError("there are more labels than texts.")
        return tally

    def learn(
        self,
        documents: Any,
        labels: Any,
        *,
        terms: Terms | None = None,
        sample_weight: ArrayLike | None = None,
    ) -> Self:
        """Add documents; returns the tally itself.

        Parameters
        ----------
        documents : mapping of str to int, or matrix of shape (n_documents, n_terms)
            One document as term and count, or many as the rows of a count matrix.
        labels : label, or sequence
            For a mapping its label, or the list of its labels. For a matrix as in
            :meth:`from_counts`.
        terms : Vocabulary, mapping of str to int or sequence of str, default=None
            The names of the columns. If not given they are the ids of :attr:`vocabulary`.
        sample_weight : float or array-like of shape (n_documents,), default=None
            Weights for the planes that are ``weighted``.

        Raises
        ------
        CountOverflowError
            If a sum would leave 64 bits. Nothing is learned then.
        FrozenVocabularyError
            If a term is new, and the tally was made with a frozen vocabulary.

        Examples
        --------
        >>> tally = Tally().learn({"to": 2, "be": 2}, "hamlet")
        >>> tally.learn({"be": 1}, ["hamlet", "yoda"]).class_tokens
        array([5, 1])
        """
        return self._learn(documents, labels, terms, sample_weight, +1)

    def number_labels(self, labels: Iterable[Any]) -> None:
        """Number labels in this order before a document has them.

        They become classes with their first document. A model that shows classes in the order of
        their numbers reads faster.

        Parameters
        ----------
        labels : iterable of labels
            The labels.
        """
        for label in labels:
            self._labels.add(label)

    def forget(
        self,
        documents: Any,
        labels: Any,
        *,
        terms: Terms | None = None,
        sample_weight: ArrayLike | None = None,
    ) -> Self:
        """Take documents out that were learned; the parameters are those of :meth:`learn`.

        Parameters
        ----------
        documents : mapping of str to int, or matrix of shape (n_documents, n_terms)
            What was learned.
        labels : label, or sequence
            The labels that it was learned with.
        terms : Vocabulary, mapping of str to int or sequence of str, default=None
            The names of the columns.
        sample_weight : float or array-like of shape (n_documents,), default=None
            The weights that it was learned with.

        Raises
        ------
        NegativeCountError
            If the sums tell that they were never put in. Nothing is forgotten then.

        Examples
        --------
        >>> Tally().learn({"to": 2}, "hamlet").forget({"to": 3}, "hamlet")
        Traceback (most recent call last):
        tallytext.errors.NegativeCountError: cannot forget: term 'to' in class 'hamlet' would fall \
to -1. Was this document ever learned by this tally, with this label?
        """
        return self._learn(documents, labels, terms, sample_weight, -1)

    def copy(self) -> Self:
        """Return an independent tally. The cells are shared until one of the two writes its own."""
        # Neither may add to the vocabulary now that both read it.
        self._owns_vocabulary = False
        return self._like(NativeTally(self._native), self._labels.copy())

    def to_arrays(self) -> tuple[Arrays, Header]:
        """Return the tally as plain arrays and a header that JSON can hold.

        Examples
        --------
        >>> tally = Tally.from_counts([[1, 2], [3, 0]], ["x", "y"])
        >>> Tally.from_arrays(*tally.to_arrays()) == tally
        True
        """
        arrays, header = self._arrays()
        terms, lengths = self._vocabulary.to_arrays()
        return arrays | {"terms": terms, "lengths": lengths}, header

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, NDArray[Any]], header: Mapping[str, Any]) -> Self:
        """Read what :meth:`to_arrays` wrote, and check all of it.

        Parameters
        ----------
        arrays : mapping of str to ndarray
            The arrays of it.
        header : mapping
            The plain values that came with them.

        Raises
        ------
        TallytextError
            If an array is missing, or they contradict each other.
        """
        tally = cls()
        tally._restore(vocabulary_from(arrays), True, arrays, header)
        return tally

    def __iadd__(self, other: object) -> Self:
        return self._combine(other, +1) if isinstance(other, Tally) else NotImplemented

    def __isub__(self, other: object) -> Self:
        return self._combine(other, -1) if isinstance(other, Tally) else NotImplemented

    def __add__(self, other: object) -> Self:
        return self.copy()._combine(other, +1) if isinstance(other, Tally) else NotImplemented

    def __sub__(self, other: object) -> Self:
        return self.copy()._combine(other, -1) if isinstance(other, Tally) else NotImplemented

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Tally):
            return NotImplemented
        if self is other:
            return True
        if self._planes != other._planes:
            return False
        theirs = other._snapshot()
        term_map = self._vocabulary.locate(theirs._vocabulary)
        if (term_map[theirs.live[: len(term_map)]] < 0).any():
            return False
        class_map = theirs._class_map(self._labels.copy())
        return self._native.equals(theirs._native.reshaped(term_map, class_map))

    __hash__ = None  # type: ignore[assignment]

    def __getstate__(self) -> dict[str, Any]:
        arrays, header = self._arrays()
        # The object itself, so that what shared it before shares it after.
        state = {"vocabulary": self._vocabulary, "arrays": arrays, "header": header}
        return state | {"closed": self._closed}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self._restore(state["vocabulary"], False, state["arrays"], state["header"])
        self._closed = bool(state.get("closed", False))

    def _begin(self, vocabulary: Vocabulary, own: bool, planes: tuple[Plane, ...]) -> None:
        self._vocabulary, self._owns_vocabulary = vocabulary, own
        self._planes = planes
        self._recipes = [plane.native() for plane in planes]
        self._labels = LabelIndex()
        self._native = NativeTally(len(planes), self._smallest_delta)

    def _like(self, native: NativeTally, labels: LabelIndex) -> Self:
        tally = self.__class__(self._vocabulary, planes=self._planes)
        tally._native, tally._labels, tally._closed = native, labels, self._closed
        return tally

    def _derived(
        self,
        term_map: NDArray[np.int32],
        class_map: NDArray[np.int32],
        labels: LabelIndex,
        leave: bool = False,
    ) -> Self:
        self._owns_vocabulary = False
        tally = self._like(NativeTally(len(self._planes), self._smallest_delta), labels)
        tally._apply(self._native.reshaped(term_map, class_map, leave), +1)
        return tally

    def _with_planes(self, planes: tuple[Plane, ...]) -> Self:
        first = self.column("documents") + 1
        kept = [self.column(plane) - first for plane in planes]
        self._owns_vocabulary = False
        tally = self.__class__(self._vocabulary, planes=planes)
        tally._labels, tally._closed = self._labels, self._closed
        tally._apply(self._native.with_planes(kept), +1)
        return tally

    def _restore(
        self,
        vocabulary: Vocabulary,
        own: bool,
        arrays: Mapping[str, NDArray[Any]],
        header: Mapping[str, Any],
    ) -> None:
        labels, planes = header_from(header)
        change = change_from(arrays, len(labels), len(planes))
        if arrays["starts"].size - 1 > len(vocabulary):
            raise TallytextError("this is not a tally: it counts more terms than it names.")
        self._begin(vocabulary, own, planes)
        self._labels = labels
        self._apply(change, +1)

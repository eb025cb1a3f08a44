"""How documents and other tallies enter a tally: one way in, for one document or a million."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Self, TypeAlias

import numpy as np
from numpy.typing import NDArray

from tallytext._core import Change, Recipe, row_of_dict
from tallytext.errors import CountError, CountOverflowError, LabelError, RecipeError
from tallytext.labels import Encoded, LabelIndex, listed_labels
from tallytext.planes import expect_same
from tallytext.tally.refusal import refused, unknown_term
from tallytext.tally.rows import Rows, counts_of, rows_of
from tallytext.tally.statistics import Statistics
from tallytext.threads import thread_count
from tallytext.vocabulary import Vocabulary, given_vocabulary

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
            expect_width(self._vocabulary, rows.width)
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
        expect_same(self._planes, other._planes)
        known = len(self._labels)
        try:
            theirs = other._snapshot()
            class_map = theirs._class_map(self._labels)
            term_map = self._term_map(theirs._vocabulary, add=sign > 0)
            other._owns_vocabulary &= other._vocabulary is not self._vocabulary
            if sign < 0:
                theirs._expect_terms(term_map)
            self._apply(theirs._native.reshaped(term_map, class_map), sign)
        except BaseException:
            self._labels.truncate(known)
            raise
        return self

    def _expect_terms(self, term_map: NDArray[np.int32]) -> None:
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
        expect_width(terms, width)
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


def expect_width(vocabulary: Vocabulary, width: int) -> None:
    """Refuse columns that the vocabulary does not name."""
    if width > len(vocabulary):
        raise CountError(
            f"the counts have {width:,} columns, but the vocabulary {len(vocabulary):,} terms. "
            "Say what the columns are with terms=."
        )


def overflow(problem: OverflowError) -> CountOverflowError:
    """Return the error for a sum that leaves 64 bits."""
    return CountOverflowError(f"cannot count this: {problem}; nothing has changed.")

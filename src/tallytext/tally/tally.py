"""The tally: exact, additive counts of terms in classes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence, Set
from itertools import islice
from typing import Any, Literal, NamedTuple, Self, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import sparse

from tallytext._core import Change, Refusal, TallySlice, row_of_dict, rows_are_clean
from tallytext._core import Tally as NativeTally
from tallytext._validation import check_sparse, check_weights
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
    list_labels,
    plain_label,
    unknown_class_error,
)
from tallytext.tally.planes import UNIT, Plane, PlaneTotals, different_planes_error, sort_planes
from tallytext.text.sources import split_documents
from tallytext.text.vectorizer import TextVectorizer
from tallytext.text.vocabulary import Vocabulary, fixed_vocabulary

Arrays: TypeAlias = dict[str, NDArray[Any]]
Header: TypeAlias = dict[str, Any]
Terms: TypeAlias = Vocabulary | Mapping[str, int] | Sequence[str]

KIND = "tallytext.tally"
"""The kind of file that holds a tally, in its header."""

# The columns of the native sums: occurrences, documents, then one for each plane.
_OCCURRENCES, _DOCUMENTS, _FIRST_PLANE = 0, 1, 2
_SCALARS = (str, int, float, np.generic)


class Tally:
    """Sums over documents per (term, class), per term, per class and in total.

    Tallies add and subtract exactly: ``(a + b) - b == a``, in any order of terms,
    classes and documents, and for fractional planes too. New terms and classes are added; a term
    or class whose counts return to zero compares as if it had never been seen. A document may have
    several labels or none; a document without a label enters the totals and no class.

    Arrays over terms follow the ids of :attr:`vocabulary`, arrays over classes the order of
    :attr:`classes`. All are copies.

    Several threads may read at the same time, also while another thread learns; a sequence of
    calls may then see the tally before and after.

    Parameters
    ----------
    vocabulary : Vocabulary, default=None
        The terms. It is shared until the tally has to add to it; the tally then adds to a copy. A
        frozen vocabulary given here closes the tally to new terms.
    planes : iterable of Plane, default=()
        Fractional planes to count.

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

    # The core collects changes in a delta of at least this many cells before it merges them into
    # the base, so that learning a document does not cost time proportional to all cells.
    _smallest_delta = 4096

    def __init__(
        self, vocabulary: Vocabulary | None = None, *, planes: Iterable[Plane] = ()
    ) -> None:
        self._owns_vocabulary = vocabulary is None
        self._closed = vocabulary is not None and vocabulary.is_frozen  # to new terms
        self._vocabulary = Vocabulary() if vocabulary is None else vocabulary
        self._planes = sort_planes(planes)
        self._recipes = [plane.native() for plane in self._planes]
        self._labels = LabelIndex()
        self._native = NativeTally(len(self._planes), self._smallest_delta)

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
            Fractional planes to count.
        sample_weight : array-like of shape (n_documents,), default=None
            Weights for the planes that are ``weighted``.

        Examples
        --------
        >>> tally = Tally.from_counts([[1, 2], [3, 0]], [["x", "y"], []])
        >>> tally.classes, tally.class_tokens, tally.n_tokens
        (['x', 'y'], array([3, 3]), 6)
        """
        rows = read_rows(X)
        names = [f"x{i}" for i in range(rows.width)] if terms is None else terms
        tally = cls(_column_vocabulary(names, rows.width), planes=planes)
        # A vocabulary made here can grow in place; one that was given belongs to the caller. Being
        # frozen only fixes the columns of this matrix, so it does not close the tally.
        tally._owns_vocabulary, tally._closed = not isinstance(terms, Vocabulary), False
        encoded = tally._labels.encode(labels, len(rows.starts) - 1)
        tally._apply_rows(rows, encoded, sample_weight, +1)
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
        """Tally texts in batches, so that only one batch is in memory at a time.

        Parameters
        ----------
        texts : list, column or iterable of str
            Anything that :class:`TextVectorizer` reads. May be a generator, as may ``labels``.
        labels : iterable
            One label per text, or a list of labels per text; ``[]`` means none.
        vectorizer : TextVectorizer, default=None
            Splits the texts, and adds new words to its vocabulary; a new one if not given. A
            vectorizer with limits on document frequency must be fitted before.
        planes : iterable of Plane, default=()
            Fractional planes to count.
        batch_size : int, default=16384
            Number of texts in memory at a time.
        """
        vectorizer = TextVectorizer() if vectorizer is None else vectorizer
        if vectorizer.is_limited and not hasattr(vectorizer, "vocabulary_"):
            raise VocabularyError(
                "min_df, max_df and max_features need all documents at once: fit the vectorizer "
                "first, or tally without limits and mask the tally."
            )
        tally, remaining = cls(planes=planes), label_iterator(labels)
        for batch in split_documents(texts, batch_size):
            X = vectorizer.partial_fit_transform(batch)
            tally.learn(X, list(islice(remaining, X.shape[0])), terms=vectorizer.vocabulary_)
        if next(remaining, None) is not None:
            raise LabelError("there are more labels than texts.")
        return tally

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, NDArray[Any]], header: Mapping[str, Any]) -> Self:
        """Return the tally stored by :meth:`to_arrays`, validated.

        Parameters
        ----------
        arrays : mapping of str to ndarray
            The arrays.
        header : mapping
            The header.

        Raises
        ------
        TallytextError
            If an array is missing, or the arrays contradict each other.
        """
        terms = _stored_array(arrays, "terms", np.uint8)
        lengths = _stored_array(arrays, "lengths", np.uint32)
        tally = cls()
        tally._restore(Vocabulary.from_arrays(terms, lengths), True, arrays, header)
        return tally

    def to_arrays(self) -> tuple[Arrays, Header]:
        """Return the tally as arrays and a header of JSON values.

        Examples
        --------
        >>> tally = Tally.from_counts([[1, 2], [3, 0]], ["x", "y"])
        >>> Tally.from_arrays(*tally.to_arrays()) == tally
        True
        """
        arrays, header = self._arrays()
        terms, lengths = self._vocabulary.to_arrays()
        return arrays | {"terms": terms, "lengths": lengths}, header

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
            If a sum would exceed 64 bits. Nothing is learned then.
        FrozenVocabularyError
            If a term is new and the tally was created with a frozen vocabulary.

        Examples
        --------
        >>> tally = Tally().learn({"to": 2, "be": 2}, "hamlet")
        >>> tally.learn({"be": 1}, ["hamlet", "yoda"]).class_tokens
        array([5, 1])
        """
        return self._learn(documents, labels, terms, sample_weight, +1)

    def forget(
        self,
        documents: Any,
        labels: Any,
        *,
        terms: Terms | None = None,
        sample_weight: ArrayLike | None = None,
    ) -> Self:
        """Subtract documents that were learned before; the parameters are those of :meth:`learn`.

        Parameters
        ----------
        documents : mapping of str to int, or matrix of shape (n_documents, n_terms)
            The documents, as they were learned.
        labels : label, or sequence
            The labels they were learned with.
        terms : Vocabulary, mapping of str to int or sequence of str, default=None
            The names of the columns.
        sample_weight : float or array-like of shape (n_documents,), default=None
            The weights they were learned with.

        Raises
        ------
        NegativeCountError
            If the sums show that the documents were never learned. Nothing is forgotten then.

        Examples
        --------
        >>> Tally().learn({"to": 2}, "hamlet").forget({"to": 3}, "hamlet")
        Traceback (most recent call last):
        tallytext.errors.NegativeCountError: cannot forget: term 'to' in class 'hamlet' would fall \
to -1. Was this document ever learned by this tally, with this label?
        """
        return self._learn(documents, labels, terms, sample_weight, -1)

    def number_labels(self, labels: Iterable[Any]) -> None:
        """Assign class numbers to labels in this order, before any document has them.

        A label becomes a class with its first document. A model that shows its classes in the
        order of their numbers reads a tally faster.

        Parameters
        ----------
        labels : iterable of labels
            The labels.
        """
        for label in labels:
            self._labels.add(label)

    def copy(self) -> Self:
        """Return an independent tally. The cells are shared until one of the two writes its own."""
        # Neither may add to the vocabulary now that both read it.
        self._owns_vocabulary = False
        # The sums come before the names, as in a snapshot.
        native, labels = NativeTally(self._native), self._labels.copy()
        tally = self.__class__(self._vocabulary, planes=self._planes)
        tally._native, tally._labels, tally._closed = native, labels, self._closed
        return tally

    def subset(self, classes: Iterable[Label]) -> Self:
        """Return a tally of these classes only.

        The documents of the other classes leave the totals with their class, unless some document
        has several labels. Then the sums do not show which documents would be left, and the totals
        (hence every complement and :attr:`n_multi_label`) still include all documents. Documents
        without a label stay. If one label of a document with several is left, forgetting the
        document by that label does not change :attr:`n_multi_label`; it raises NegativeCountError
        once :attr:`n_documents` is no larger than :attr:`n_multi_label`.

        Parameters
        ----------
        classes : iterable of labels
            The classes.

        Examples
        --------
        >>> tally = Tally.from_counts([[1, 0], [1, 2], [0, 3]], ["x", "y", "z"])
        >>> tally.subset(["x", "z"])
        <Tally of 2 documents: 4 tokens, 2 terms, 2 classes>
        """
        tally = self.copy()
        kept = set(tally._class_ids(classes))
        return tally._without([id for id in tally._live_classes().tolist() if id not in kept])

    def drop(self, classes: Iterable[Label]) -> Self:
        """Return a tally without these classes; :meth:`subset` describes the totals.

        Parameters
        ----------
        classes : iterable of labels
            The classes.

        Examples
        --------
        >>> Tally.from_counts([[1, 0], [1, 2]], ["x", "y"]).drop(["y"]).classes
        ['x']
        """
        tally = self.copy()
        return tally._without(tally._class_ids(classes))

    def rename(self, names: Mapping[Label, Label]) -> Self:
        """Return a tally whose classes have other labels.

        Parameters
        ----------
        names : mapping of label to label
            Old labels and new ones; others stay.

        Raises
        ------
        LabelError
            If two classes would have the same label; use :meth:`merge_classes` for that.

        Examples
        --------
        >>> Tally.from_counts([[1, 0], [1, 2]], ["x", "y"]).rename({"y": "z"}).classes
        ['x', 'z']
        """
        tally = self.copy()
        labels, class_map = tally._rename_map(names)
        if len(labels) < tally.n_classes:
            raise LabelError("two classes would have one label; join them with merge_classes.")
        return tally._derive(tally._all_terms(), class_map, labels)

    def merge_classes(self, names: Mapping[Label, Label]) -> Self:
        """Return a tally whose classes have other labels, merging classes with equal new labels.

        Parameters
        ----------
        names : mapping of label to label
            Old labels and new ones; others stay.

        Raises
        ------
        LabelError
            If documents have several labels. A document with two of the merged labels would count
            twice, and the sums do not show whether there is one.

        Examples
        --------
        >>> tally = Tally.from_counts([[1, 0], [1, 2], [0, 3]], ["cat", "dog", "oak"])
        >>> merged = tally.merge_classes({"cat": "animal", "dog": "animal"})
        >>> merged.classes, merged.class_documents
        (['animal', 'oak'], array([2, 1]))
        """
        tally = self.copy()
        if tally.n_multi_label:
            raise LabelError(
                f"cannot merge classes: {tally.n_multi_label:,} documents have several labels, and "
                "a document with two of the merged labels would be counted twice. Tally the texts "
                "again with the new labels."
            )
        labels, class_map = tally._rename_map(names)
        return tally._derive(tally._all_terms(), class_map, labels)

    def mask(self, terms: ArrayLike | Sequence[str] | Set[str]) -> Self:
        """Return a tally of some terms only; its totals are those of these terms.

        Documents keep their number and their scale in each plane.

        Parameters
        ----------
        terms : array of bool over the ids of the vocabulary, of ids, or names
            The terms to keep.

        Examples
        --------
        >>> tally = Tally.from_counts([[1, 0], [1, 2]], ["x", "y"], ["sea", "sky"])
        >>> tally.mask(["sky"])
        <Tally of 2 documents: 2 tokens, 1 terms, 2 classes>
        """
        tally = self.copy()
        ids = tally._term_ids(terms)
        term_map = np.full(len(tally._vocabulary), -1, dtype=np.int32)
        term_map[ids] = ids
        return tally._derive(term_map, tally._all_classes(), tally._labels)

    def keep_planes(self, planes: Iterable[Plane]) -> Self:
        """Return a tally with these planes only; occurrences and documents stay.

        Parameters
        ----------
        planes : iterable of Plane
            The planes.

        Raises
        ------
        RecipeError
            If this tally does not have one of them: a plane cannot be computed from other sums.

        Examples
        --------
        >>> tally = Tally.from_counts([[1, 0], [1, 2]], ["x", "y"], planes=[Plane("log"), Plane()])
        >>> tally.keep_planes([Plane()]).planes
        (Plane(tf='raw', norm=None, theta=None, weighted=False, shared=False),)
        """
        now = self.copy()
        tally = self.__class__(now._vocabulary, planes=planes)
        columns = [now.column(plane) - _FIRST_PLANE for plane in tally._planes]
        tally._labels, tally._closed = now._labels, now._closed
        tally._apply(now._native.with_planes(columns), +1)
        return tally

    @property
    def vocabulary(self) -> Vocabulary:
        """The terms, by id. Some may no longer, or not yet, occur: see :attr:`live`."""
        return self._vocabulary

    @property
    def planes(self) -> tuple[Plane, ...]:
        """The recipes of the fractional planes that are counted."""
        return self._planes

    @property
    def classes(self) -> list[Label]:
        """The labels with at least one document, in order of arrival."""
        return [self._labels.names[id] for id in self._live_classes()]

    @property
    def n_documents(self) -> int:
        """Number of documents, including those without a label."""
        return self._native.n_documents

    @property
    def n_multi_label(self) -> int:
        """Number of documents that were learned with two labels or more.

        :meth:`subset` does not change it, even if it leaves one of the labels out.
        """
        return self._native.n_several

    @property
    def n_unlabelled(self) -> int:
        """Number of documents learned without a label, not those whose class was left out."""
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
        """Number of pairs of a term and a class in which it occurs."""
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
        documents = _as_int64(self._native.class_documents())
        return documents[documents > 0]

    @property
    def class_tokens(self) -> NDArray[np.int64]:
        """Occurrences of all terms in each class."""
        return self._class_column(_OCCURRENCES)

    @property
    def class_terms(self) -> NDArray[np.int64]:
        """Number of distinct terms of each class."""
        live = self._live_classes()
        return _as_int64(self._native.class_terms())[live]

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
        """Mask of the terms of the vocabulary that occur."""
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
            The plane.

        Raises
        ------
        RecipeError
            If the tally does not have this plane.
        """
        matrix = self._matrix(self.column(recipe)).astype(np.float64)
        matrix.data *= UNIT
        return matrix

    def plane_totals(self, recipe: Plane) -> PlaneTotals:
        """Return the sums of a fractional plane per term, per class and in total.

        Parameters
        ----------
        recipe : Plane
            The plane.
        """
        column = self.column(recipe)
        at, now = column - _FIRST_PLANE, self._snapshot()
        return PlaneTotals(
            terms=np.multiply(now._term_column(column), UNIT, dtype=np.float64),
            classes=np.multiply(now._class_column(column), UNIT, dtype=np.float64),
            total=int(now._native.totals()[column]) * UNIT,
            class_scales=np.multiply(now._class_scales()[:, at], UNIT, dtype=np.float64),
            scale=int(now._native.scales()[at]) * UNIT,
        )

    def column(self, name: Plane | str) -> int:
        """Return the number of a column: "occurrences", "documents" or a plane of the tally.

        Parameters
        ----------
        name : Plane or str
            The column.
        """
        if not isinstance(name, Plane):
            return {"occurrences": _OCCURRENCES, "documents": _DOCUMENTS}[name]
        if name in self._planes:
            return _FIRST_PLANE + self._planes.index(name)
        available = ", ".join(map(repr, self._planes)) or "none"
        raise RecipeError(
            f"this tally does not have the plane {name!r} (its planes: {available}). "
            f"Tally the documents with planes=[{name!r}]."
        )

    def slice(self, columns: Sequence[int], terms: NDArray[np.int32] | None = None) -> TallySlice:
        """Return the sums of some columns and terms, as one consistent snapshot.

        Planes come in units of ``planes.UNIT``, classes by number: see :attr:`label_names`. The
        cost grows with the number of terms and classes in the slice.

        Parameters
        ----------
        columns : sequence of int
            Their numbers, as returned by :meth:`column`.
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
        """The label of each class number, including classes without a document."""
        return self._labels.names

    @property
    def version(self) -> int:
        """A number that changes whenever the sums do."""
        return self._native.version

    def counts_of_counts(self, events: Literal["cells", "pooled"] = "cells") -> dict[int, int]:
        """Return the number of events counted exactly r times, for each r that occurs.

        Parameters
        ----------
        events : {"cells", "pooled"}, default="cells"
            Pairs of term and class, or terms in all classes together.
        """
        if events not in ("cells", "pooled"):
            raise ValueError(f"events must be 'cells' or 'pooled', not {events!r}")
        return self._native.counts_of_counts(events == "pooled")

    def small_counts(self, events: Literal["cells", "pooled"] = "cells") -> dict[int, int]:
        """Return the first entries of :meth:`counts_of_counts`, in constant time.

        Parameters
        ----------
        events : {"cells", "pooled"}, default="cells"
            As for :meth:`counts_of_counts`.

        Examples
        --------
        >>> Tally().learn({"to": 2, "be": 1, "or": 1}, "x").small_counts()[1]
        2
        """
        counts = self._native.small_counts(events == "pooled").tolist()
        return {r: n for r, n in enumerate(counts) if r and n}

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
        # Another thread may add terms after the map was made; the snapshot counts none of them.
        if (term_map[theirs.live[: len(term_map)]] < 0).any():
            return False
        class_map = theirs._class_map(self._labels.copy())  # a comparison must number no label
        return self._native.equals(theirs._native.reshaped(term_map, class_map))

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return (
            f"<Tally of {self.n_documents:,} documents: {self.n_tokens:,} tokens, "
            f"{self.n_terms:,} terms, {self.n_classes:,} classes>"
        )

    def __getstate__(self) -> dict[str, Any]:
        arrays, header = self._arrays()
        # The vocabulary itself, so that objects that shared it before share it after unpickling.
        state = {"vocabulary": self._vocabulary, "arrays": arrays, "header": header}
        return state | {"closed": self._closed}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self._restore(state["vocabulary"], False, state["arrays"], state["header"])
        self._closed = bool(state.get("closed", False))  # older pickles do not have it

    def _snapshot(self) -> Self:
        """Return a tally to read from, whose sums do not change between calls."""
        # The sums are copied first: terms and labels are added before they are counted, so that a
        # snapshot never counts a term or a label that it has no name for.
        native = NativeTally(self._native)
        snapshot = self.__class__.__new__(self.__class__)
        snapshot.__dict__.update(self.__dict__ | {"_native": native})
        return snapshot

    # Learning: documents and other tallies become a change by the ids of this tally, which the
    # core applies as a whole or not at all.

    def _learn(
        self, documents: Any, labels: Any, terms: Terms | None, sample_weight: Any, sign: int
    ) -> Self:
        n_known = len(self._labels.names)
        try:
            if isinstance(documents, Mapping):
                rows, encoded = self._read_one(documents, labels, sign)
            else:
                rows = read_rows(documents)
                n_documents = len(rows.starts) - 1
                single = n_documents == 1 and isinstance(labels, _SCALARS)
                encoded = self._labels.encode([labels] if single else labels, n_documents)
                if terms is not None and terms is not self._vocabulary:
                    theirs = _column_vocabulary(terms, rows.width)
                    rows = self._translate_rows(rows, theirs, encoded, sign)
                elif rows.width > len(self._vocabulary):
                    raise _width_error(self._vocabulary, rows.width)
            self._apply_rows(rows, encoded, sample_weight, sign)
        except BaseException:
            # Also after Ctrl-C: a label left without a document would change the order of later
            # classes. New terms may stay; a term without a count compares as if it were absent.
            self._labels.truncate(n_known)
            raise
        return self

    def _read_one(self, counts: Mapping[str, Any], labels: Any, sign: int) -> tuple[Rows, Encoded]:
        row = self._native_row(counts) if isinstance(counts, dict) else None
        if row is None:  # not plain positive integers
            counts = read_counts(counts)
            row = self._native_row(counts)
            assert row is not None
        ids, values = row
        encoded = self._labels.encode_one(labels)
        if ids.size and ids.min() < 0:
            if sign < 0:
                at = int(np.argmin(ids))
                label = self._first_label(encoded, 0)
                raise _unknown_term_error([*counts][at], int(values[at]), label)
            # Only now, after counts and labels were checked: a vocabulary cannot drop terms again.
            ids = self._ids_of_terms([*counts], add=True)
        return Rows(np.array([0, len(ids)]), ids, values, len(self._vocabulary)), encoded

    def _native_row(
        self, counts: dict[str, Any]
    ) -> tuple[NDArray[np.int32], NDArray[np.int64]] | None:
        try:
            return row_of_dict(self._vocabulary.native, counts)
        except TypeError:
            for term in counts:
                if not isinstance(term, str):
                    raise CountError(f"{term!r} cannot be a term: it is not a str.") from None
            raise

    def _translate_rows(self, rows: Rows, theirs: Vocabulary, encoded: Encoded, sign: int) -> Rows:
        ids = self._translate(rows.terms, theirs, add=sign > 0)
        if ids.size and ids.min() < 0:
            at = int(np.argmin(ids))
            document = int(np.searchsorted(rows.starts, at, side="right")) - 1
            name, label = theirs.term(int(rows.terms[at])), self._first_label(encoded, document)
            raise _unknown_term_error(name, int(rows.counts[at]), label)
        return rows._replace(terms=ids)

    def _translate(
        self, terms: NDArray[np.int32], theirs: Vocabulary, add: bool
    ) -> NDArray[np.int32]:
        # A few documents must not cost as much as mapping a whole vocabulary.
        if 8 * len(terms) < len(theirs) and len(self._vocabulary):
            used, at = np.unique(terms, return_inverse=True)
            return self._ids_of_terms(theirs.terms(used).tolist(), add)[at]
        return self._term_map(theirs, add)[terms]

    def _apply_rows(self, rows: Rows, encoded: Encoded, sample_weight: Any, sign: int) -> None:
        weights = None
        if sample_weight is not None:
            if not any(plane.weighted for plane in self._planes):
                raise RecipeError(
                    "sample_weight has no effect without a weighted plane: tally with "
                    "planes=[Plane(weighted=True)]."
                )
            checked = check_weights(np.atleast_1d(sample_weight), len(rows.starts) - 1)
            weights = np.ascontiguousarray(checked)
        try:
            # Sums within the batch may overflow before they reach those of the tally.
            change = Change.of_documents(
                *rows[:3], *encoded, self._recipes, weights, n_threads=thread_count()
            )
        except OverflowError as problem:
            raise _overflow_error(problem) from None
        self._apply(change, sign)

    def _apply(self, change: Change, sign: int) -> None:
        n_terms, n_labels = len(self._vocabulary), len(self._labels.names)
        try:
            refusal = self._native.apply(change, sign, n_terms, n_labels)
        except OverflowError as problem:
            raise _overflow_error(problem) from None
        if refusal is not None:
            raise _negative_count_error(refusal, self._vocabulary, self._labels)

    def _combine(self, other: Tally, sign: int) -> Self:
        if self._planes != other._planes:
            raise different_planes_error(self._planes, other._planes)
        n_known = len(self._labels.names)
        try:
            # Another thread may change the other tally; and a tally may be added to itself.
            theirs = other._snapshot()
            class_map = theirs._class_map(self._labels)
            term_map = self._term_map(theirs._vocabulary, add=sign > 0)
            # An empty tally takes over the vocabulary, so that the other must not add to it either.
            other._owns_vocabulary &= other._vocabulary is not self._vocabulary
            if sign < 0 and (term_map < 0).any():
                theirs._check_terms_known(term_map)
            self._apply(theirs._native.reshaped(term_map, class_map), sign)
        except BaseException:
            self._labels.truncate(n_known)
            raise
        return self

    def _check_terms_known(self, term_map: NDArray[np.int32]) -> None:
        """Raise NegativeCountError if a term without an id in the map has a count here."""
        occurrences = self.term_occurrences[: len(term_map)]
        missing = np.flatnonzero((term_map < 0) & (occurrences > 0))
        if missing.size:
            term = int(missing[0])
            starts, classes, values = self._native.cells(0)
            at = int(starts[term])
            labelled = at < starts[term + 1]
            label = self._labels.names[classes[at]] if labelled else None
            count = int(values[at]) if labelled else int(occurrences[term])
            raise _unknown_term_error(self._vocabulary.term(term), count, label)

    def _class_map(self, into: LabelIndex) -> NDArray[np.int32]:
        """Return the number in ``into`` of each class number here, adding new labels there."""
        # Only live classes: a class without a document must not become a class by adding tallies.
        live = self._live_classes()
        n_numbers = max(len(self._labels.names), self._native.n_classes)
        class_map = np.full(n_numbers, -1, dtype=np.int32)
        class_map[live] = [into.add(self._labels.names[id]) for id in live]
        return class_map

    def _term_map(self, theirs: Vocabulary, add: bool) -> NDArray[np.int32]:
        if add and not len(self._vocabulary) and not self._closed:
            # Sharing saves a second copy of all terms, and the ids are the same.
            self._vocabulary, self._owns_vocabulary = theirs, False
        if theirs is self._vocabulary:
            return np.arange(len(theirs), dtype=np.int32)
        ids = self._vocabulary.locate(theirs)
        if not add or not ids.size or ids.min() >= 0:
            return ids
        self._add_term(theirs.term(int(np.argmin(ids))))
        return self._vocabulary.merge(theirs)

    def _ids_of_terms(self, names: list[str], add: bool) -> NDArray[np.int32]:
        ids = self._vocabulary.ids(names)
        if not add or not ids.size or ids.min() >= 0:
            return ids
        self._add_term(names[int(np.argmin(ids))])
        return self._vocabulary.add(names)

    def _add_term(self, term: str) -> None:
        # A shared vocabulary is never added to: other objects rely on its number of terms.
        if not self._owns_vocabulary and not self._closed:
            self._vocabulary, self._owns_vocabulary = self._vocabulary.copy(), True
        self._vocabulary.add([term])  # raises if the vocabulary is frozen

    def _first_label(self, encoded: Encoded, document: int) -> object:
        starts, ids = encoded
        labelled = starts[document] < starts[document + 1]
        return self._labels.names[ids[starts[document]]] if labelled else None

    # Derived tallies. Each method works on a copy, so that all it reads is consistent.

    def _derive(
        self,
        term_map: NDArray[np.int32],
        class_map: NDArray[np.int32],
        labels: LabelIndex,
        leave: bool = False,
    ) -> Self:
        """Return a new tally with terms and classes under new ids; -1 leaves one out."""
        self._owns_vocabulary = False
        tally = self.__class__(self._vocabulary, planes=self._planes)
        tally._labels, tally._closed = labels, self._closed
        tally._apply(self._native.reshaped(term_map, class_map, leave), +1)
        return tally

    def _without(self, ids: list[int]) -> Self:
        class_map = self._all_classes()
        class_map[ids] = -1
        # Without multi-label documents, the documents of a class are in no other class.
        leave = not self.n_multi_label
        return self._derive(self._all_terms(), class_map, self._labels, leave=leave)

    def _rename_map(self, names: Mapping[Label, Label]) -> tuple[LabelIndex, NDArray[np.int32]]:
        self._class_ids(names)  # raises if a class is unknown
        new = {plain_label(a, "class"): plain_label(b, "class") for a, b in names.items()}
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
                raise unknown_class_error(label, self.classes)
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
        return np.arange(max(len(self._labels.names), self._native.n_classes), dtype=np.int32)

    # Reading: arrays over the terms of the vocabulary and over the classes that have a document.

    def _live_classes(self) -> NDArray[np.intp]:
        # The core makes room for new classes before it refuses a change. It keeps the room when
        # their labels are removed again, so it may have more classes than there are labels.
        return np.flatnonzero(self._native.class_documents()[: len(self._labels.names)])

    def _live_positions(self) -> NDArray[np.int32]:
        """Return the position of each class number in :attr:`classes`."""
        live = self._live_classes()
        positions = np.zeros(len(self._labels.names), dtype=np.int32)
        positions[live] = np.arange(len(live))
        return positions

    def _class_column(self, column: int) -> NDArray[np.int64]:
        live = self._live_classes()
        totals = _as_int64(self._native.class_totals()).reshape(
            -1, _FIRST_PLANE + len(self._planes)
        )
        selected: NDArray[np.int64] = totals[live, column]
        return selected

    def _class_scales(self) -> NDArray[np.int64]:
        live = self._live_classes()
        if not self._planes:
            return np.zeros((len(live), 0), dtype=np.int64)
        return _as_int64(self._native.class_scales()).reshape(-1, len(self._planes))[live]

    def _term_column(self, column: int) -> NDArray[np.int64]:
        totals = self._native.term_totals().reshape(-1, _FIRST_PLANE + len(self._planes))
        # A shared vocabulary may have grown since this tally last counted. It never shrinks, so
        # its length, read after the sums, is enough for them.
        padded = np.zeros(len(self._vocabulary), dtype=np.int64)
        padded[: len(totals)] = totals[:, column]
        return padded

    def _matrix(self, column: int) -> sparse.csr_array[np.int64]:
        now = self._snapshot()
        starts, classes, values = now._native.cells(column)
        n_terms = len(now._vocabulary)
        # Terms that were never counted have no row in the core.
        starts = np.append(starts, np.full(n_terms + 1 - len(starts), starts[-1]))
        cells = (_as_int64(values), now._live_positions()[classes], starts)
        return sparse.csr_array(cells, shape=(n_terms, now.n_classes))

    # Storage: only the sums that cannot be derived from others are stored.

    def _arrays(self) -> tuple[Arrays, Header]:
        now = self._snapshot()
        starts, classes, cells = now._native.cells(-1)
        width = _FIRST_PLANE + len(now._planes)
        whole = [now.n_documents, now.n_multi_label, now.n_unlabelled, *now._native.scales()]
        arrays: Arrays = {
            "starts": starts,
            # Numbered without empty classes, so that a class that was forgotten leaves no trace.
            "classes": now._live_positions()[classes],
            "cells": cells.reshape(-1, width),
            "term_totals": now._native.term_totals().reshape(-1, width),
            "class_documents": now.class_documents,
            "class_scales": now._class_scales(),
            "whole": np.array(whole, dtype=np.int64),
        }
        planes = [plane.to_dict() for plane in now._planes]
        return arrays, {"kind": KIND, "classes": now.classes, "planes": planes}

    def _restore(
        self,
        vocabulary: Vocabulary,
        owns: bool,
        arrays: Mapping[str, NDArray[Any]],
        header: Mapping[str, Any],
    ) -> None:
        labels, planes = _read_header(header)
        change = _read_sums(arrays, len(labels), len(planes))
        if arrays["starts"].size - 1 > len(vocabulary):
            raise TallytextError("this is not a tally: it counts more terms than it names.")
        # Called here since unpickling makes the object without it.
        Tally.__init__(self, vocabulary, planes=planes)
        self._owns_vocabulary, self._labels = owns, labels
        # Stored sums are a change to an empty tally: totals are derived, and checked, in one place.
        self._apply(change, +1)


# Count matrices in any format become rows of positive integers, with each column once.


class Rows(NamedTuple):
    """Documents as the native core reads them: row d is ``terms[starts[d]:starts[d + 1]]``."""

    starts: NDArray[np.int64]
    terms: NDArray[np.int32]
    counts: NDArray[np.int64]
    width: int


def read_rows(X: Any) -> Rows:
    """Read a SciPy sparse matrix or array of any format, or a dense one.

    Examples
    --------
    >>> read_rows([[2, 0, 1], [0, 0, 3]]).counts
    array([2, 1, 3])
    >>> read_rows([[2, 0, 1], [0, 0, 0.5]])
    Traceback (most recent call last):
    tallytext.errors.CountError: row 1, column 2 holds 0.5, which is not a whole number.
    """
    if isinstance(X, sparse.csr_array | sparse.csr_matrix) and X.data.dtype.kind == "i":
        # The common case, and the fast one for a single document: nothing to convert or repair.
        check_sparse(X)
        rows = Rows(
            np.ascontiguousarray(X.indptr, dtype=np.int64),
            np.ascontiguousarray(X.indices, dtype=np.int32),
            np.ascontiguousarray(X.data, dtype=np.int64),
            X.shape[1],
        )
        if rows_are_clean(*rows, thread_count()):
            return rows
    return _convert_rows(X)


def _convert_rows(X: Any) -> Rows:
    matrix = _canonical(X)
    counts = _integers(matrix)
    return Rows(
        np.ascontiguousarray(matrix.indptr, dtype=np.int64),
        np.ascontiguousarray(matrix.indices, dtype=np.int32),
        np.ascontiguousarray(counts, dtype=np.int64),
        matrix.shape[1],
    )


def read_counts(counts: Mapping[str, Any]) -> dict[str, int]:
    """Read one document given as a mapping of term to count, without the terms that count zero.

    Examples
    --------
    >>> read_counts({"sea": 2.0, "sky": 0})
    {'sea': 2}
    """
    for term, count in counts.items():
        _check_count(f"term {term!r}", count)
    return {term: int(count) for term, count in counts.items() if count}


def _canonical(X: Any) -> Any:
    if not sparse.issparse(X):
        return sparse.csr_array(_dense_counts(X))
    given: Any = X
    if given.ndim != 2:
        raise CountError("counts must have two dimensions: documents by terms.")
    check_sparse(given)
    matrix = given.tocsr()
    if not matrix.has_canonical_format or not matrix.data.all():
        matrix = matrix.copy()  # tocsr may have returned the caller's own matrix
        matrix.sum_duplicates()
        matrix.eliminate_zeros()
    return matrix


def _dense_counts(X: Any) -> Any:
    try:
        dense = np.asarray(X)
    except ValueError:
        raise CountError("all rows of counts must have the same length.") from None
    if dense.ndim != 2 or dense.dtype.kind not in "biuf":
        raise CountError("counts must be a matrix of numbers: documents by terms.")
    return dense


def _integers(matrix: Any) -> Any:
    data = matrix.data
    if data.size == 0 or data.dtype.kind == "b":
        return data
    if data.dtype.kind not in "iuf":
        raise CountError(f"counts must be numbers, not {data.dtype}.")
    # A float, since 2**63 - 1 is not one: it would round up and let 2**63 pass.
    good = (data > 0) & (data < 2.0**63)
    if data.dtype.kind == "f":
        good &= data == np.floor(data)
    if not good.all():
        at = int(np.argmin(good))
        row = int(np.searchsorted(matrix.indptr, at, side="right")) - 1
        _check_count(f"row {row}, column {matrix.indices[at]}", data[at].item())
    return data


def _check_count(where: str, value: Any) -> None:
    if isinstance(value, np.generic):
        value = value.item()
    if not isinstance(value, int | float) or value != value or value in (np.inf, -np.inf):
        raise CountError(f"{where} holds {value!r}, which is not a count.")
    if value < 0:
        raise CountError(f"{where} holds {value}, and a count cannot be negative.")
    if value != int(value):
        raise CountError(f"{where} holds {value}, which is not a whole number.")
    if value >= 2**63:
        raise CountOverflowError(f"{where} holds {value}, which is more than 64 bits can count.")


def _as_int64(values: NDArray[np.int64]) -> NDArray[np.int64]:
    # C's long long is NumPy's int64 under another name, which would show in every repr.
    return values.view(np.int64)


def _column_vocabulary(terms: Terms, width: int) -> Vocabulary:
    """Return the names of ``width`` columns as a vocabulary.

    Examples
    --------
    >>> list(_column_vocabulary({"sky": 1, "sea": 0}, 2))
    ['sea', 'sky']
    """
    if isinstance(terms, Vocabulary):
        if width > len(terms):
            raise _width_error(terms, width)
        return terms
    names = _column_names(terms)
    vocabulary = Vocabulary(names)
    if len(names) != width:
        raise CountError(f"the counts have {width:,} columns, but there are {len(names):,} terms.")
    if len(vocabulary) != width:
        raise CountError("two columns have the same term as their name.")
    return vocabulary


def _column_names(terms: Mapping[str, int] | Sequence[str]) -> list[str]:
    if isinstance(terms, Mapping):
        return list(fixed_vocabulary(terms)) if terms else []
    try:
        names = list_labels(terms)
    except LabelError:
        raise CountError(
            f"terms must name the columns in order, or map names to columns, not {terms!r:.80}"
        ) from None
    for name in names:
        if not isinstance(name, str):
            raise CountError(f"{name!r} cannot be a term: it is not a str.")
    return names


# Errors. The core reports the first sum that would become impossible; these functions describe it.

_CHECK_LABEL = "Was this document ever learned by this tally, with this label?"
_CHECK_WEIGHT = "Was it learned with other weights?"


def _width_error(vocabulary: Vocabulary, width: int) -> CountError:
    """Return the error for a matrix with more columns than terms."""
    return CountError(
        f"the counts have {width:,} columns, but the vocabulary {len(vocabulary):,} terms. "
        "Name the columns with terms=."
    )


def _overflow_error(problem: OverflowError) -> CountOverflowError:
    return CountOverflowError(f"cannot count this: {problem}; nothing has changed.")


def _unknown_term_error(term: str, count: int, label: object) -> NegativeCountError:
    """Return the error for forgetting a term that the tally has never seen; label may be None."""
    where = "" if label is None else f" in class {label!r}"
    return NegativeCountError(
        f"cannot forget: term {term!r}{where} would fall to {-count}. {_CHECK_LABEL}"
    )


def _negative_count_error(
    refusal: Refusal, vocabulary: Vocabulary, labels: LabelIndex
) -> NegativeCountError:
    """Return the error for remaining sums that no documents can add up to."""
    if refusal.term >= 0:
        where = f" in class {labels.names[refusal.label]!r}" if refusal.label >= 0 else ""
        name = f"term {vocabulary.term(refusal.term)!r}{where}"
        return NegativeCountError(f"cannot forget: {name} {_describe_term_sums(refusal.left)}")
    name = f"class {labels.names[refusal.label]!r}" if refusal.label >= 0 else "the tally"
    return NegativeCountError(f"cannot forget: {name} {_describe_document_sums(refusal.left)}")


def _describe_term_sums(sums: list[int]) -> str:
    occurrences, documents, *_ = sums
    if occurrences < 0:
        return f"would fall to {occurrences}. {_CHECK_LABEL}"
    if documents < 0 or documents > occurrences or (documents == 0) != (occurrences == 0):
        return (
            f"would be left with {occurrences} occurrences in {documents} documents. {_CHECK_LABEL}"
        )
    if min(sums) < 0 or (occurrences == 0 and any(sums)):
        return (
            f"would be left with a plane that {occurrences} occurrences cannot have. "
            f"{_CHECK_WEIGHT}"
        )
    return f"would be left with more than the documents that remain can hold. {_CHECK_LABEL}"


def _describe_document_sums(sums: list[int]) -> str:
    n_documents, *scales = sums
    if n_documents < 0:
        return f"would fall to {n_documents} documents. {_CHECK_LABEL}"
    if any(scale < 0 for scale in scales) or (n_documents == 0 and any(scales)):
        return (
            f"would be left with a plane that {n_documents} documents cannot have. {_CHECK_WEIGHT}"
        )
    return (
        f"would be left with {n_documents} documents that its counts contradict. "
        "Were these documents ever learned by this tally, with as many labels?"
    )


# Reading a stored tally. Its file may be damaged or forged, so nothing in it is trusted.


def _read_header(header: Mapping[str, Any]) -> tuple[LabelIndex, tuple[Plane, ...]]:
    if header.get("kind") != KIND:
        raise TallytextError(f"this is not a tally, but {header.get('kind')!r}.")
    names = _stored_list(header, "classes")
    labels = LabelIndex(names)
    if len(labels) != len(names):
        raise TallytextError("this is not a tally: a class is named twice.")
    recipes = _stored_list(header, "planes")
    for recipe in recipes:
        if not isinstance(recipe, Mapping):
            raise TallytextError(f"this is not a tally: {recipe!r} is not the recipe of a plane.")
    planes = tuple(map(Plane.from_dict, recipes))
    if planes != sort_planes(planes):
        raise TallytextError("this is not a tally: its planes are not in order.")
    return labels, planes


def _read_sums(arrays: Mapping[str, NDArray[Any]], n_classes: int, n_planes: int) -> Change:
    names = ("cells", "term_totals", "class_documents", "class_scales", "whole")
    sums = {name: _stored_array(arrays, name, np.int64) for name in names}
    if len(sums["class_documents"]) != n_classes:
        raise TallytextError("this is not a tally: it names more or fewer classes than it counts.")
    starts = _stored_array(arrays, "starts", np.int64)
    classes = _stored_array(arrays, "classes", np.int32)
    try:
        return Change.of_arrays(n_planes, starts, classes, **sums)
    except OverflowError as problem:
        raise CountOverflowError(f"this is not a tally: {problem}") from None
    except ValueError as problem:
        raise TallytextError(f"this is not a tally: {problem}") from None


def _stored_array(arrays: Mapping[str, NDArray[Any]], name: str, dtype: type[Any]) -> NDArray[Any]:
    """Return one array of a stored tally, flat; raise if it is missing or of another type."""
    found = arrays.get(name)
    if not isinstance(found, np.ndarray) or found.dtype != dtype:
        raise TallytextError(f"this is not a tally: {name!r} must be an array of {dtype.__name__}.")
    return np.ascontiguousarray(found).reshape(-1)


def _stored_list(header: Mapping[str, Any], key: str) -> list[Any]:
    found = header.get(key)
    if not isinstance(found, list):
        raise TallytextError(f"this is not a tally: its header has no list of {key}.")
    return found

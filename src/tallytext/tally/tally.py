"""THE statistic: exact, additive counts of terms in classes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import islice
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tallytext._core import Tally as NativeTally
from tallytext.errors import LabelError, TallytextError, VocabularyError
from tallytext.labels import LabelIndex, label_iterator
from tallytext.planes import Plane, in_order
from tallytext.tally.arrays import (
    Arrays,
    Header,
    Storing,
    change_from,
    header_from,
    vocabulary_from,
)
from tallytext.tally.learning import Learning, Terms, vocabulary_of
from tallytext.tally.reshape import Reshaping
from tallytext.tally.rows import rows_of
from tallytext.text.sources import pieces
from tallytext.vectorizer import TextVectorizer
from tallytext.vocabulary import Vocabulary


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

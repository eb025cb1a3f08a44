"""The classes of a document from those of the documents that are most alike."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from functools import wraps
from hashlib import blake2b
from numbers import Integral
from threading import RLock
from typing import Any, Concatenate, NamedTuple, ParamSpec, Self, TypeVar

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.utils.validation import check_is_fitted

from tallytext._core import InvertedIndex
from tallytext._typing import FloatArray
from tallytext.errors import CountError, FileError, LabelError, NegativeCountError, ScoreError
from tallytext.features.smart import canonical, check_scheme, document_frequencies, smart_weights
from tallytext.models.explaining import Summands
from tallytext.models.reading import documents_of
from tallytext.models.trained import Arrays, TrainedClassifier, check_single
from tallytext.runtime import progress_bar, thread_count
from tallytext.tally.labels import (
    LabelIndex,
    Targets,
    array_of_labels,
    check_lengths,
    plain,
    sort_labels,
    targets_of,
)

# ------------------------------------------------------------------------------------------------
# Documents made ready to be searched: weighed, and indexed by their words.

_AT_ONCE = 4096  # documents that are searched for before a bar moves


class Neighbours(NamedTuple):
    """The nearest documents of each query, nearest first; of equal ones the first learned is first.

    Attributes
    ----------
    similarities : ndarray of shape (n_queries, k)
        0 where there are no more documents that share a word.
    documents : ndarray of shape (n_queries, k)
        Their numbers in order of learning; −1 where there are no more.
    """

    similarities: NDArray[np.float64]
    documents: NDArray[np.int32]

    def matrix(self, n_documents: int) -> sparse.csr_array[Any]:
        """Return the similarities as a sparse matrix, queries by documents.

        Parameters
        ----------
        n_documents : int
            How many documents there are to find, which are the columns.
        """
        there = self.documents >= 0
        starts = np.append(0, np.cumsum(there.sum(axis=1)))
        shape = len(self.documents), n_documents
        return sparse.csr_array(
            (self.similarities[there], self.documents[there], starts), shape=shape
        )


class Searchable:
    """Documents that can be searched for those nearest to others.

    Parameters
    ----------
    counts : csr_array of shape (n_documents, n_terms)
    weighting : str
        A scheme of :class:`~tallytext.SmartWeighting`.

    Examples
    --------
    >>> counts = sparse.csr_array([[2, 1, 0, 0], [1, 0, 1, 0], [0, 1, 2, 1]])
    >>> Searchable(counts, "ltc").nearest(counts[[0]], k=2, n_threads=1)
    Neighbours(similarities=array([[1.       , 0.6088451]]), documents=array([[0, 1]], dtype=int32))
    """

    def __init__(self, counts: Any, weighting: str) -> None:
        self.counts, self.weighting = counts, weighting
        self.frequencies = document_frequencies(counts)
        weighted = self.weigh(counts)
        try:
            self.index = InvertedIndex(*_arrays(weighted), counts.shape[1])
        except ValueError as problem:
            raise _beyond_reach(weighting, problem) from None

    def weigh(self, counts: Any) -> Any:
        """Return the weights of documents, by the frequencies of those that are searched."""
        return smart_weights(counts, self.weighting, self.frequencies, self.counts.shape[0])

    def nearest(self, counts: Any, k: int, n_threads: int, shown: bool | None = None) -> Neighbours:
        """Return the k nearest documents of each of others, fewer where there are no more."""
        firsts, found = range(0, max(1, counts.shape[0]), _AT_ONCE), []
        with progress_bar("Searching", len(firsts), shown) as step:
            for first in firsts:
                found.append(self._nearest(counts[first : first + _AT_ONCE], k, n_threads))
                step()
        return Neighbours(*map(np.concatenate, zip(*found, strict=True)))

    def _nearest(self, counts: Any, k: int, n_threads: int) -> Neighbours:
        try:
            documents, similarities = self.index.nearest(*_arrays(self.weigh(counts)), k, n_threads)
        except ValueError as problem:
            raise _beyond_reach(self.weighting, problem) from None
        return Neighbours(similarities, documents)


def _arrays(weighted: Any) -> tuple[NDArray[np.int64], NDArray[np.int32], NDArray[np.float64]]:
    return weighted.indptr.astype(np.int64), weighted.indices.astype(np.int32), weighted.data


def _beyond_reach(weighting: str, problem: ValueError) -> CountError:
    return CountError(
        f"documents weighed by {weighting!r} cannot be compared: {problem}. "
        "Are these counts, and does the scheme normalise them?"
    )


# ------------------------------------------------------------------------------------------------
# The documents that were learned: they can be added, found again, and taken out.

Matrix = sparse.csr_array[Any]


class Collection:
    """Rows of counts, and which labels each has, in order of learning.

    Labels are columns of a matrix of zeros and ones; the names of the columns are kept elsewhere.
    Learning costs what is learned, and what is found out about all documents together, such as
    weights, is found out when it is next asked for.

    Parameters
    ----------
    n_terms, n_labels : int
        How wide the two matrices are at least.

    Examples
    --------
    >>> row, label = sparse.csr_array([[2, 0, 1]]), sparse.csr_array([[1.0]])
    >>> documents = Collection(3, 1)
    >>> documents.learn(row, label)
    >>> documents.forget(row, label)
    >>> len(documents)
    0
    """

    def __init__(self, n_terms: int, n_labels: int) -> None:
        self._parts: list[tuple[Matrix, Matrix]] = [(_empty(n_terms), _empty(n_labels))]
        self._numbers = np.empty(0, dtype=np.int64)  # never used twice, and ascending
        self._next = 0
        self._places: dict[bytes, list[int]] | None = None
        self._ready: Searchable | None = None
        #: Held by whoever reads several things that must be of one moment, or changes them.
        self.lock = RLock()

    def __len__(self) -> int:
        return len(self._numbers)

    @property
    def counts(self) -> Matrix:
        """The counts of all documents."""
        return self._joined()[0]

    @property
    def labels(self) -> Matrix:
        """Which document has which label."""
        return self._joined()[1]

    def learn(self, counts: Any, labels: Matrix) -> None:
        """Add documents."""
        part = _clean(counts), _clean(labels)
        n = part[0].shape[0]
        if self._places is not None:
            for number, key in enumerate(_keys(*part), self._next):
                self._places[key].append(number)
        self._parts.append(part)
        self._numbers = np.append(self._numbers, np.arange(self._next, self._next + n))
        self._next += n
        self._ready = None

    def forget(self, counts: Any, labels: Matrix) -> None:
        """Take documents out; of equal ones those that were learned last.

        Raises
        ------
        NegativeCountError
            If a document is not here with these labels, or not so often. Nothing changes then.
        """
        found = self._find(_keys(_clean(counts), _clean(labels)))
        places = self._index()
        for key, numbers in found.items():
            del places[key][-len(numbers) :]
            if not places[key]:
                del places[key]
        gone = [number for numbers in found.values() for number in numbers]
        kept = ~np.isin(self._numbers, gone)
        joined = self._joined()
        self._parts = [(joined[0][kept], joined[1][kept])]
        self._numbers = self._numbers[kept]
        self._ready = None

    def searchable(self, weighting: str) -> Searchable:
        """Return the documents as they are now, weighed by a scheme and indexed."""
        ready = self._ready
        if ready is None or ready.weighting != weighting:
            self._ready = ready = Searchable(self.counts, weighting)
        return ready

    def _find(self, keys: list[bytes]) -> dict[bytes, list[int]]:
        """Return for each key the numbers of as many documents as it is wanted for."""
        wanted: dict[bytes, int] = defaultdict(int)
        places = self._index()
        for at, key in enumerate(keys):
            wanted[key] += 1
            if wanted[key] > len(places.get(key, ())):
                raise NegativeCountError(
                    f"cannot forget document {at}: no document with these counts and labels is "
                    "left here. Was it learned by this model, with this label?"
                )
        return {key: places[key][-n:] for key, n in wanted.items()}

    def _index(self) -> dict[bytes, list[int]]:
        if self._places is None:
            self._places = defaultdict(list)
            for number, key in zip(self._numbers.tolist(), _keys(*self._joined()), strict=True):
                self._places[key].append(number)
        return self._places

    def _joined(self) -> tuple[Matrix, Matrix]:
        if len(self._parts) > 1:
            counts, labels = zip(*self._parts, strict=True)
            self._parts = [(_stacked(counts), _stacked(labels))]
        return self._parts[0]

    def __getstate__(self) -> dict[str, Any]:
        # Both can be found again, and the index is not made of Python objects.
        state = {**self.__dict__, "_ready": None, "_places": None}
        del state["lock"]
        return state

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self.lock = RLock()


def _empty(width: int) -> Matrix:
    return sparse.csr_array((0, width), dtype=np.float64)


def _clean(matrix: Any) -> Matrix:
    rows = canonical(matrix)
    parts = rows.data.astype(np.float64), rows.indices.astype(np.int32), rows.indptr
    return sparse.csr_array(parts, shape=rows.shape)


def _stacked(parts: tuple[Matrix, ...]) -> Matrix:
    width = max(part.shape[1] for part in parts)
    data, columns = (
        np.concatenate([getattr(part, name) for part in parts]) for name in ("data", "indices")
    )
    lengths = np.concatenate([np.diff(part.indptr) for part in parts])
    starts = np.append(0, np.cumsum(lengths))
    return sparse.csr_array((data, columns, starts), shape=(len(lengths), width))


def _keys(counts: Matrix, labels: Matrix) -> list[bytes]:
    """Return for each document what only an equal one has."""
    return [
        blake2b(_content(counts, at) + b"|" + _content(labels, at), digest_size=16).digest()
        for at in range(counts.shape[0])
    ]


def _content(rows: Matrix, at: int) -> bytes:
    cells = slice(rows.indptr[at], rows.indptr[at + 1])
    # SciPy takes wider numbers for columns where it likes.
    return rows.indices[cells].astype(np.int64).tobytes() + b":" + rows.data[cells].tobytes()


# ------------------------------------------------------------------------------------------------
# Answers of one moment, though another thread may learn.

P = ParamSpec("P")
Answer = TypeVar("Answer")
Method = Callable[Concatenate[Any, P], Answer]


def at_one_moment(method: Method[P, Answer]) -> Method[P, Answer]:
    """Return a method of a model that waits until its documents are all learned or forgotten."""

    @wraps(method)
    def waiting(self: Any, /, *given: P.args, **named: P.kwargs) -> Answer:
        check_is_fitted(self)
        with self.documents_.lock:
            return method(self, *given, **named)

    return waiting


# ------------------------------------------------------------------------------------------------
# Documents with their classes as arrays for a file, and back; nothing in a file is believed.

_DTYPES = {
    "starts": np.int64,
    "terms": np.int32,
    "counts": np.float64,
    "width": np.int64,
    "label_starts": np.int64,
    "labels": np.int32,
}


class Stored(NamedTuple):
    """What a file held."""

    documents: Collection
    announced: list[Any]


def collection_to_arrays(counts: Any, labels: Any) -> dict[str, NDArray[Any]]:
    """Return counts and labels of documents as arrays by name.

    Examples
    --------
    >>> rows, labels = sparse.csr_array([[2, 0], [0, 1]]), sparse.csr_array([[1.0], [1.0]])
    >>> sorted(collection_to_arrays(rows, labels))
    ['counts', 'label_starts', 'labels', 'starts', 'terms', 'width']
    """
    labels = labels.sorted_indices()
    parts = (
        counts.indptr,
        counts.indices,
        counts.data,
        [counts.shape[1]],
        labels.indptr,
        labels.indices,
    )
    return {
        name: np.ascontiguousarray(part, dtype=dtype)
        for (name, dtype), part in zip(_DTYPES.items(), parts, strict=True)
    }


def collection_from(
    arrays: Mapping[str, NDArray[Any]],
    values: Mapping[str, Any],
    classes: NDArray[Any],
    multi_label: bool,
) -> Stored:
    """Read what was written, and check all of it.

    Raises
    ------
    FileError
        If these cannot be documents of such classes.
    """
    _expect(isinstance(values, Mapping) and values.keys() == {"announced"}, "its values")
    _expect(arrays.keys() == _DTYPES.keys(), "the names of its arrays")
    for name, dtype in _DTYPES.items():
        _expect(arrays[name].ndim == 1 and arrays[name].dtype == dtype, f"the kind of its {name}")
    _expect(len(arrays["width"]) == 1 and 0 <= arrays["width"][0] < 2**31, "its width")
    width = int(arrays["width"][0])
    counts = _rows(arrays["starts"], arrays["terms"], arrays["counts"], width)
    ones = np.ones(len(arrays["labels"]))
    labels = _rows(arrays["label_starts"], arrays["labels"], ones, len(classes))
    _expect(counts.shape[0] == labels.shape[0], "the number of its labels")
    _expect(multi_label or bool((np.diff(labels.indptr) == 1).all()), "the labels of a document")
    announced = _announced(values["announced"], classes)
    _check_all_used(labels, announced, classes)
    documents = Collection(width, len(classes))
    documents.learn(counts, labels)
    return Stored(documents, announced)


def _rows(
    starts: NDArray[Any], columns: NDArray[Any], values: NDArray[Any], width: int
) -> sparse.csr_array[Any]:
    ends = len(starts) > 0 and starts[0] == 0 and starts[-1] == len(columns)
    _expect(bool(ends) and bool((np.diff(starts) >= 0).all()), "where its rows begin")
    _expect(len(values) == len(columns), "the number of its counts")
    inside = len(columns) == 0 or (columns.min() >= 0 and columns.max() < width)
    _expect(bool(inside), "a column")
    row = np.repeat(np.arange(len(starts) - 1), np.diff(starts))
    ascends = (np.diff(columns.astype(np.int64)) > 0) | (np.diff(row) > 0)
    _expect(bool(ascends.all()), "the order of its columns")
    _expect(bool((np.isfinite(values) & (values > 0)).all()), "a count")
    parts = values.copy(), columns.copy(), starts.copy()
    return sparse.csr_array(parts, shape=(len(starts) - 1, width))


def _announced(labels: Any, classes: NDArray[Any]) -> list[Any]:
    _expect(isinstance(labels, list), "its announced classes")
    try:
        names = LabelIndex(labels).names
    except LabelError:
        names = []
    _expect(len(names) == len(labels) and {*names} <= {*classes.tolist()}, "its announced classes")
    return labels


def _check_all_used(labels: Any, announced: list[Any], classes: NDArray[Any]) -> None:
    used = np.bincount(labels.indices, minlength=len(classes)) > 0
    for name, there in zip(classes.tolist(), used.tolist(), strict=True):
        _expect(there or name in announced, "a class that no document has")


def _expect(good: bool, what: str) -> None:
    if not good:
        raise FileError(f"these are not the documents of a CosineKNN: {what} cannot be.")


_SURE = 2.0**-40  # no share of neighbours makes a class surer than this


class CosineKNN(TrainedClassifier):
    r"""Judge a document by the k training documents that are most like it.

    .. math:: score(c \mid x) = \sum_{n \in kNN(x),\, c \in labels(n)} \cos(x, x_n)

    Words are weighed by a SMART scheme; with a norm other than ``c`` the inner product takes the
    place of the cosine. Documents that share no word with x are no neighbours, and of equally near
    ones those that were learned first are taken (Yang and Pedersen 1997).

    Documents can be added and taken out again, at the cost of counting them; words are weighed
    anew when the next document is judged. An inverted index finds the neighbours exactly, without
    a visit to most postings.

    Scores are the log-odds of the share that a class has in the similarity of all neighbours,
    with one more neighbour that is wholly alike and of each class as often as documents are:

    .. math:: p(c \mid x) = \frac{score(c \mid x) + \pi_c}{\sum_{n \in kNN(x)} \cos(x, x_n) + 1},
        \quad \pi_c = \frac{N_c + ½}{N + ½C}

    Parameters
    ----------
    k : int, default=30
        How many neighbours.
    weighting : str, default="ltc"
        The scheme, as for :class:`~tallytext.SmartWeighting`.
    multi_label : bool, default=None
        Whether documents may have several labels or none; None: as the labels say.
    n_jobs : int, default=None
        Threads; None for all cores.
    verbose : bool, default=None
        Whether to show how far a search is; None: on a terminal, if it takes long.

    Attributes
    ----------
    classes_ : ndarray
        The labels, sorted.
    class_documents_ : ndarray
        How many documents each has.
    documents_ : Collection
        What was learned.
    multi_label_ : bool
    n_features_in_ : int

    Examples
    --------
    >>> X, y = [[2, 1, 0, 0], [1, 0, 1, 0], [0, 1, 2, 1]], ["X", "X", "Y"]
    >>> model = CosineKNN(k=2).fit(X, y)
    >>> model.predict([[1, 1, 0, 1]])
    array(['Y'], dtype='<U1')
    >>> model.kneighbors([[1, 1, 0, 1]]).similarities.round(6)
    array([[0.815204, 0.448105]])
    >>> model.learn([[1, 1, 0, 1]], ["Z"]).predict([[1, 1, 0, 1]])
    array(['Z'], dtype='<U1')
    >>> model.forget([[1, 1, 0, 1]], ["Z"]).classes_
    array(['X', 'Y'], dtype='<U1')
    """

    documents_: Collection
    labels_: LabelIndex
    announced_: list[Any]

    def __init__(
        self,
        k: int = 30,
        weighting: str = "ltc",
        *,
        multi_label: bool | None = None,
        n_jobs: int | None = None,
        verbose: bool | None = None,
    ) -> None:
        self.k = k
        self.weighting = weighting
        self.multi_label = multi_label
        self.n_jobs = n_jobs
        self.verbose = verbose

    predict = at_one_moment(TrainedClassifier.predict)
    decision_function = at_one_moment(TrainedClassifier.decision_function)
    scores = at_one_moment(TrainedClassifier.scores)
    scores_lengths_classes = at_one_moment(TrainedClassifier.scores_lengths_classes)
    explain = at_one_moment(TrainedClassifier.explain)

    @at_one_moment
    def kneighbors(self, X: Any, k: int | None = None) -> Neighbours:
        """Return the nearest training documents of each document.

        Parameters
        ----------
        X : sparse matrix, sparse array or array-like of shape (n_documents, n_terms)
        k : int, default=None
            How many; None for the parameter of the model.
        """
        return self._near(self._checked(X), self.k if k is None else k)

    def partial_fit(self, X: Any, y: Any, classes: Iterable[Any] | None = None) -> Self:
        """Learn more documents; new classes are welcome.

        Parameters
        ----------
        X, y
            As in :meth:`fit`.
        classes : iterable, default=None
            Classes to announce, as scikit-learn asks for in the first call; not needed here.
        """
        if not hasattr(self, "documents_"):
            self.fit(X, y)
        else:
            self._move(X, y, Collection.learn)
        if classes is not None:
            self._announce(plain(label, "class") for label in classes)
        return self

    def learn(self, X: Any, y: Any) -> Self:
        """Learn more documents; new classes are welcome.

        Parameters
        ----------
        X : sparse matrix, sparse array or array-like of shape (n_documents, n_terms)
            Counts.
        y : sequence of length n_documents
            Their labels, as for :meth:`fit`.
        """
        return self.partial_fit(X, y)

    def forget(self, X: Any, y: Any) -> Self:
        """Take documents out that were learned; of equal ones those that were learned last.

        A class without a document left is as if it had never been seen.

        Parameters
        ----------
        X : sparse matrix, sparse array or array-like of shape (n_documents, n_terms)
            Counts of the documents.
        y : sequence of length n_documents
            Their labels, as they were learned.

        Raises
        ------
        NegativeCountError
            If one of these was not learned with these labels. Nothing changes then.
        """
        check_is_fitted(self)
        return self._move(X, y, Collection.forget)

    @at_one_moment
    def to_arrays(self) -> tuple[dict[str, NDArray[Any]], dict[str, Any]]:
        """Return what was learned, for a file: arrays by name, and values as JSON has them."""
        check_is_fitted(self)
        labels = self._truth()
        return collection_to_arrays(self.documents_.counts, labels), {"announced": self.announced_}

    def read_arrays(self, arrays: Arrays, values: Mapping[str, Any]) -> Self:
        """Become what :meth:`to_arrays` was taken of; ``classes_`` and its kin are set before.

        Raises
        ------
        FileError
            If these cannot be parts of such a model, or do not fit each other.
        """
        found = collection_from(arrays, values, self.classes_, self.multi_label_)
        self.documents_, self.labels_ = found.documents, LabelIndex(self.classes_.tolist())
        self.announced_ = found.announced
        self.n_features_in_ = found.documents.counts.shape[1]
        self._name_classes()
        return self

    def _meet(self, targets: Targets) -> sparse.csr_array[Any]:
        truth = super()._meet(targets)
        self.announced_ = list(range(targets.columns or 0))
        return truth

    def _train(self, X: Any, truth: sparse.csr_array[Any]) -> None:
        self._check_parameters()
        self.labels_ = LabelIndex(self.classes_.tolist())
        documents = Collection(X.shape[1], truth.shape[1])
        documents.learn(X, truth)
        # Now, so that what cannot be weighed is refused when it is learned.
        documents.searchable(self.weighting)
        self.documents_ = documents

    def _decide(self, X: Any) -> FloatArray:
        return self._summed(self._near(X, self.k))

    def _log_odds(self, X: Any) -> FloatArray:
        near = self._near(X, self.k)
        return self._shares(self._summed(near), near.similarities.sum(axis=1))

    def _odds(self, decisions: FloatArray) -> FloatArray:
        return self._shares(decisions, decisions.sum(axis=1))

    def _shares(self, decisions: FloatArray, mass: FloatArray) -> FloatArray:
        """Return the log-odds of the share of each class in the similarity of all neighbours."""
        sizes = self.class_documents_ + 0.5
        prior = sizes / (len(self.documents_) + 0.5 * len(sizes))
        share = (decisions + prior) / (mass[:, None] + 1.0)
        share = np.clip(share, _SURE, 1.0 - _SURE)
        return np.log(share) - np.log1p(-share)

    def _summands(self, row: Any) -> Summands:
        near = self._near(row, self.k)
        documents, ready = documents_of(row), self._searchable()
        weights = _from_columns(ready.weigh(row), documents.terms)
        used = near.documents[0][near.documents[0] >= 0]
        theirs = ready.weigh(ready.counts[used])
        labels = self._truth()[used]
        columns = np.minimum(documents.terms, max(theirs.shape[1] - 1, 0))
        by_class = np.asarray((theirs[:, columns].T @ labels).toarray())
        known = _from_columns(ready.frequencies, documents.terms) > 0
        terms = np.where(known[:, None], weights[:, None] * by_class, 0.0)
        nothing = np.zeros(len(self.classes_))
        return Summands(
            classes=self.classes_,
            counts=documents.values,
            known=known,
            terms=terms,
            prior=nothing,
            constant=nothing,
            length=nothing,
            scores=self._summed(near)[0],
        )

    def _near(self, X: Any, k: int) -> Neighbours:
        _check_neighbours(k)
        if not len(self.documents_):
            raise ScoreError("every document was forgotten: there is none left to compare with.")
        return self._searchable().nearest(X, k, thread_count(self.n_jobs), self.verbose)

    def _searchable(self) -> Searchable:
        self._check_parameters()
        return self.documents_.searchable(self.weighting)

    def _summed(self, near: Neighbours) -> FloatArray:
        found: FloatArray = (near.matrix(len(self.documents_)) @ self._truth()).toarray()
        return found

    def _truth(self) -> sparse.csr_array[Any]:
        """Return which document has which of ``classes_``."""
        labels = self.documents_.labels
        place = np.full(len(self.labels_), -1, dtype=np.int32)
        for at, label in enumerate(self.classes_.tolist()):
            place[self.labels_.add(label)] = at
        shape = labels.shape[0], len(self.classes_)
        return sparse.csr_array((labels.data, place[labels.indices], labels.indptr), shape=shape)

    @at_one_moment
    def _move(self, X: Any, y: Any, how: Any) -> Self:
        X = self._checked(X)
        targets = targets_of(y)
        check_lengths(X, targets)
        if self.multi_label is False or not (targets.multi_label or self.multi_label_):
            check_single(targets)
        known = self.labels_.copy()
        starts, ids = known.encode(targets.labels, X.shape[0])
        if how is Collection.forget and len(known) > len(self.labels_):
            new = known.names[len(self.labels_)]
            raise NegativeCountError(f"cannot forget: no document of class {new!r} was learned.")
        labels = sparse.csr_array((np.ones(len(ids)), ids, starts), shape=(X.shape[0], len(known)))
        how(self.documents_, X, labels)
        self.labels_ = known
        self.multi_label_ = self.multi_label_ or (self.multi_label is None and targets.multi_label)
        self.n_features_in_ = max(self.n_features_in_, X.shape[1])
        self._announce(range(targets.columns or 0) if how is Collection.learn else ())
        return self

    def _announce(self, labels: Iterable[Any]) -> None:
        """Show these classes even while they have no document."""
        self.announced_ = list(dict.fromkeys([*self.announced_, *labels]))
        for label in self.announced_:
            self.labels_.add(label)
        self._name_classes()

    def _name_classes(self) -> None:
        sizes = np.bincount(self.documents_.labels.indices, minlength=len(self.labels_))
        by_name = dict(zip(self.labels_.names, sizes.tolist(), strict=True))
        announced = set(self.announced_)
        names = sort_labels(name for name, n in by_name.items() if n or name in announced)
        self.classes_ = array_of_labels(names)
        self.class_documents_ = np.array([by_name[name] for name in names], dtype=np.int64)

    def _check_parameters(self) -> None:
        check_scheme(self.weighting)
        _check_neighbours(self.k)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        # Where every column is in every row there is no idf, and angles are all alike.
        tags.classifier_tags.poor_score = True
        return tags


def _check_neighbours(k: Any) -> None:
    if not isinstance(k, Integral) or k < 1:
        raise ValueError(f"k must be a whole number of neighbours, at least 1, not {k!r}.")


def _from_columns(row: Any, columns: NDArray[np.int32]) -> FloatArray:
    """Return what a row has in some columns, 0 beyond its end."""
    dense = row.toarray()[0] if hasattr(row, "toarray") else row
    inside = columns < len(dense)
    return np.where(inside, dense[np.minimum(columns, max(len(dense) - 1, 0))], 0.0)

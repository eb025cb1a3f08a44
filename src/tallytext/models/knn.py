"""k-nearest-neighbour classification by cosine similarity, with documents that can be forgotten."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from functools import wraps
from hashlib import blake2b
from threading import RLock
from typing import Any, Concatenate, NamedTuple, ParamSpec, Self, TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from tallytext._core import InvertedIndex
from tallytext._estimators import check_is_fitted
from tallytext._typing import FloatArray
from tallytext._validation import check_whole
from tallytext.errors import CountError, FileError, LabelError, NegativeCountError, ScoreError
from tallytext.features.tf_idf import (
    canonical_csr,
    check_scheme,
    document_frequencies,
    smart_weights,
)
from tallytext.models.base import (
    ArraysByName,
    Summands,
    TrainedClassifier,
    check_one_label,
    to_documents,
)
from tallytext.runtime import progress_bar, thread_count
from tallytext.tally.labels import (
    LabelIndex,
    Targets,
    check_lengths,
    label_array,
    plain_label,
    read_targets,
    sort_labels,
)

_MIN_SHARE = 2.0**-40  # bounds the share of a class away from 0 and 1, where log-odds are infinite
_QUERY_BLOCK = 4096  # query documents searched between two steps of the progress bar

Matrix: TypeAlias = "sparse.csr_array[Any]"  # a string, because SciPy has it from 1.13 on
P = ParamSpec("P")
Result = TypeVar("Result")
Method = Callable[Concatenate[Any, P], Result]


def with_lock(method: Method[P, Result]) -> Method[P, Result]:
    """Decorate a method of a fitted model to hold the lock of its documents.

    A method that reads documents, labels and ``classes_`` needs all of them from one snapshot,
    and another thread may learn or forget documents at any time.
    """

    @wraps(method)
    def locked_method(self: Any, /, *args: P.args, **kwargs: P.kwargs) -> Result:
        check_is_fitted(self)
        with self.documents_.lock:
            return method(self, *args, **kwargs)

    return locked_method


class CosineKNN(TrainedClassifier):
    r"""Classify a document by its k nearest training documents.

    .. math:: score(c \mid x) = \sum_{n \in kNN(x),\, c \in labels(n)} \cos(x, x_n)

    Terms are weighted by a SMART scheme; with a norm other than ``c`` the inner product replaces
    the cosine. Documents that share no term with x are not neighbours. Ties go to the document
    that was learned first (Yang and Pedersen 1997).

    Documents can be learned and forgotten one by one, at the cost of counting them; the next
    query recomputes the term weights. An inverted index finds the neighbours exactly, without
    visiting most postings.

    Scores are the log-odds of the share that a class has in the similarity of all neighbours,
    smoothed by one more neighbour of similarity one that has each class with its prior
    probability:

    .. math:: p(c \mid x) = \frac{score(c \mid x) + \pi_c}{\sum_{n \in kNN(x)} \cos(x, x_n) + 1},
        \quad \pi_c = \frac{N_c + ½}{N + ½C}

    Parameters
    ----------
    k : int, default=30
        Number of neighbours.
    weighting : str, default="ltc"
        The scheme, as for :class:`~tallytext.SmartWeighting`.
    multi_label : bool, default=None
        True if documents may have several labels or none; None to infer it from the labels.
    n_jobs : int, default=None
        Number of threads; None for all cores.
    verbose : bool, default=None
        True to show a progress bar; None to show it on a terminal if the search takes long.

    Attributes
    ----------
    classes_ : ndarray
        The labels, sorted.
    class_documents_ : ndarray
        The number of documents of each class.
    documents_ : DocumentStore
        The training documents.
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

    documents_: DocumentStore
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

    # Each of these reads the documents and then classes_, class_documents_ or multi_label_. All
    # other methods of the base class, such as rank, call one of them once.
    predict = with_lock(TrainedClassifier.predict)
    predict_log_proba = with_lock(TrainedClassifier.predict_log_proba)
    decision_function = with_lock(TrainedClassifier.decision_function)
    scores_lengths_classes = with_lock(TrainedClassifier.scores_lengths_classes)
    explain = with_lock(TrainedClassifier.explain)
    _top_classes = with_lock(TrainedClassifier._top_classes)

    @with_lock
    def kneighbors(self, X: Any, k: int | None = None) -> Neighbours:
        """Return the nearest training documents of each query document.

        Parameters
        ----------
        X : sparse matrix, sparse array or array-like of shape (n_documents, n_terms)
            Counts of the query documents.
        k : int, default=None
            Number of neighbours; None for the parameter of the model.
        """
        return self._find_neighbours(self._check_counts(X), self.k if k is None else k)

    def partial_fit(self, X: Any, y: Any, classes: Iterable[Any] | None = None) -> Self:
        """Learn more documents, which may have new classes.

        Parameters
        ----------
        X, y
            As in :meth:`fit`.
        classes : iterable, default=None
            Classes to list in ``classes_`` even before they have a document. scikit-learn
            requires them in the first call; they are optional here.
        """
        if not hasattr(self, "documents_"):
            self.fit(X, y)
        else:
            self._update(X, y, DocumentStore.learn)
        if classes is not None:
            self._announce(plain_label(label, "class") for label in classes)
        return self

    def learn(self, X: Any, y: Any) -> Self:
        """Learn more documents, which may have new classes.

        Parameters
        ----------
        X : sparse matrix, sparse array or array-like of shape (n_documents, n_terms)
            Counts.
        y : sequence of length n_documents
            Their labels, as for :meth:`fit`.
        """
        return self.partial_fit(X, y)

    def forget(self, X: Any, y: Any) -> Self:
        """Remove documents that were learned; of equal ones the last learned.

        A class without a remaining document is removed as well.

        Parameters
        ----------
        X : sparse matrix, sparse array or array-like of shape (n_documents, n_terms)
            Counts of the documents.
        y : sequence of length n_documents
            Their labels, as they were learned.

        Raises
        ------
        NegativeCountError
            If one of these was not learned with these labels. The model does not change then.
        """
        check_is_fitted(self)
        return self._update(X, y, DocumentStore.forget)

    @with_lock
    def to_arrays(self) -> tuple[dict[str, NDArray[Any]], dict[str, Any]]:
        """Return the fitted state for a file: arrays by name, and values for JSON."""
        arrays = documents_to_arrays(self.documents_.counts, self._indicator())
        return arrays, {"announced": self.announced_}

    def read_arrays(self, arrays: ArraysByName, values: Mapping[str, Any]) -> Self:
        """Restore the state that :meth:`to_arrays` returned; ``classes_`` must be set before.

        Raises
        ------
        FileError
            If the arrays or values are not those of a CosineKNN, or contradict each other.
        """
        self.documents_, self.announced_ = documents_from_arrays(
            arrays, values, self.classes_, self.multi_label_
        )
        self.labels_ = LabelIndex(self.classes_.tolist())
        self.n_features_in_ = self.documents_.counts.shape[1]
        self._set_classes()
        return self

    def _set_classes_from(self, targets: Targets) -> Matrix:
        truth = super()._set_classes_from(targets)
        self.announced_ = list(range(targets.columns or 0))
        return truth

    def _train(self, X: Any, truth: Matrix) -> None:
        self._check_parameters()
        self.labels_ = LabelIndex(self.classes_.tolist())
        documents = DocumentStore(X.shape[1], truth.shape[1])
        documents.learn(X, truth)
        # Build the index now, so that fit raises if the documents cannot be weighted.
        documents.index(self.weighting)
        self.documents_ = documents

    def _decide(self, X: Any) -> FloatArray:
        return self._sum_similarities(self._find_neighbours(X, self.k))

    def _log_odds(self, X: Any) -> FloatArray:
        near = self._find_neighbours(X, self.k)
        # With several labels per document, the sums over classes count a neighbour repeatedly.
        return self._share_log_odds(self._sum_similarities(near), near.similarities.sum(axis=1))

    def _odds(self, decisions: FloatArray) -> FloatArray:
        return self._share_log_odds(decisions, decisions.sum(axis=1))

    def _share_log_odds(self, decisions: FloatArray, mass: FloatArray) -> FloatArray:
        """Return the log-odds of the share of each class in the similarity of all neighbours."""
        sizes = self.class_documents_ + 0.5
        prior = sizes / (len(self.documents_) + 0.5 * len(sizes))
        share = (decisions + prior) / (mass[:, None] + 1.0)
        share = np.clip(share, _MIN_SHARE, 1.0 - _MIN_SHARE)
        return np.log(share) - np.log1p(-share)

    def _summands(self, row: Any) -> Summands:
        r"""Return the part of each term w in the scores: v_w times the sum of neighbours' v_nw."""
        near = self._find_neighbours(row, self.k)
        query, index = to_documents(row), self._index()
        weights = _values_at(index.weigh(row), query.terms)
        neighbours = near.documents[0][near.documents[0] >= 0]
        neighbour_weights = index.weigh(index.counts[neighbours])
        # A term beyond the width of the index is unknown; np.where below drops its column again.
        columns = np.minimum(query.terms, max(neighbour_weights.shape[1] - 1, 0))
        by_class = (neighbour_weights[:, columns].T @ self._indicator()[neighbours]).toarray()
        known = _values_at(index.frequencies, query.terms) > 0
        zeros = np.zeros(len(self.classes_))
        return Summands(
            classes=self.classes_,
            counts=query.values,
            known=known,
            terms=np.where(known[:, None], weights[:, None] * np.asarray(by_class), 0.0),
            prior=zeros,
            constant=zeros,
            length=zeros,
            scores=self._sum_similarities(near)[0],
        )

    def _find_neighbours(self, X: Any, k: int) -> Neighbours:
        check_whole("k", k, 1)
        if not len(self.documents_):
            raise ScoreError(
                "this CosineKNN has no documents left to compare with: all were forgotten. "
                "Learn some first."
            )
        return self._index().nearest(X, k, thread_count(self.n_jobs), self.verbose)

    def _index(self) -> DocumentIndex:
        # Parameters may have changed since fit; the store builds a new index for a new weighting.
        self._check_parameters()
        return self.documents_.index(self.weighting)

    def _sum_similarities(self, near: Neighbours) -> FloatArray:
        """Return the summed similarity of the neighbours of each class, queries by classes."""
        similarities = near.to_matrix(len(self.documents_))
        sums: FloatArray = (similarities @ self._indicator()).toarray()
        return sums

    def _indicator(self) -> Matrix:
        """Return the indicator matrix of labels, with the columns of ``classes_``."""
        labels = self.documents_.labels
        # The store numbers labels in order of arrival, classes_ are sorted.
        column = np.full(len(self.labels_), -1, dtype=np.int32)
        for at, label in enumerate(self.classes_.tolist()):
            column[self.labels_.add(label)] = at
        shape = labels.shape[0], len(self.classes_)
        return sparse.csr_array((labels.data, column[labels.indices], labels.indptr), shape=shape)

    @with_lock
    def _update(self, X: Any, y: Any, change: Callable[[DocumentStore, Any, Matrix], Any]) -> Self:
        """Learn or forget documents: change is a method of :class:`DocumentStore`."""
        X = self._check_counts(X)
        targets = read_targets(y)
        check_lengths(X, targets)
        if self.multi_label is False or not (targets.multi_label or self.multi_label_):
            check_one_label(targets)
        # A copy, so that a change that fails leaves no new labels behind.
        label_index = self.labels_.copy()
        starts, ids = label_index.encode(targets.labels, X.shape[0])
        if change is DocumentStore.forget and len(label_index) > len(self.labels_):
            unknown = label_index.names[len(self.labels_)]
            raise NegativeCountError(
                f"cannot forget: no document of class {unknown!r} was learned. Is this the label "
                "that the document was learned with?"
            )
        shape = X.shape[0], len(label_index)
        change(self.documents_, X, sparse.csr_array((np.ones(len(ids)), ids, starts), shape=shape))
        self.labels_ = label_index
        self.multi_label_ = self.multi_label_ or (self.multi_label is None and targets.multi_label)
        self.n_features_in_ = max(self.n_features_in_, X.shape[1])
        self._announce(range(targets.columns or 0) if change is DocumentStore.learn else ())
        return self

    def _announce(self, labels: Iterable[Any]) -> None:
        """List these labels in ``classes_`` even while no document has them."""
        self.announced_ = list(dict.fromkeys([*self.announced_, *labels]))
        for label in self.announced_:
            self.labels_.add(label)
        self._set_classes()

    def _set_classes(self) -> None:
        """Set ``classes_`` and ``class_documents_`` from the documents and announced labels."""
        sizes = np.bincount(self.documents_.labels.indices, minlength=len(self.labels_))
        by_name = dict(zip(self.labels_.names, sizes.tolist(), strict=True))
        announced = set(self.announced_)
        names = sort_labels(name for name, n in by_name.items() if n or name in announced)
        self.classes_ = label_array(names)
        self.class_documents_ = np.array([by_name[name] for name in names], dtype=np.int64)

    def _check_parameters(self) -> None:
        check_scheme(self.weighting)
        check_whole("k", self.k, 1)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        # scikit-learn's checks use dense data: with every column in every row, idf is zero.
        tags.classifier_tags.poor_score = True
        return tags


def _values_at(row: Any, columns: NDArray[np.int32]) -> FloatArray:
    """Return the values of a row in some columns, 0 beyond its end."""
    dense = row.toarray()[0] if hasattr(row, "toarray") else row
    inside = columns < len(dense)
    return np.where(inside, dense[np.minimum(columns, max(len(dense) - 1, 0))], 0.0)


class Neighbours(NamedTuple):
    """The nearest documents of each query, nearest first; ties in order of learning.

    Attributes
    ----------
    similarities : ndarray of shape (n_queries, k)
        0 where fewer than k documents share a term with the query.
    documents : ndarray of shape (n_queries, k)
        Row numbers in order of learning; −1 where fewer than k documents share a term.
    """

    similarities: NDArray[np.float64]
    documents: NDArray[np.int32]

    def to_matrix(self, n_documents: int) -> Matrix:
        """Return the similarities as a sparse matrix, queries by documents.

        Parameters
        ----------
        n_documents : int
            Number of documents in the index, which are the columns.
        """
        found = self.documents >= 0
        starts = np.append(0, np.cumsum(found.sum(axis=1)))
        shape = len(self.documents), n_documents
        return sparse.csr_array(
            (self.similarities[found], self.documents[found], starts), shape=shape
        )


class DocumentIndex:
    """Inverted index of weighted documents, for nearest-neighbour search.

    Parameters
    ----------
    counts : csr_array of shape (n_documents, n_terms)
    weighting : str
        A scheme of :class:`~tallytext.SmartWeighting`.

    Examples
    --------
    >>> counts = sparse.csr_array([[2, 1, 0, 0], [1, 0, 1, 0], [0, 1, 2, 1]])
    >>> DocumentIndex(counts, "ltc").nearest(counts[[0]], k=2, n_threads=1)
    Neighbours(similarities=array([[1.       , 0.6088451]]), documents=array([[0, 1]], dtype=int32))
    """

    def __init__(self, counts: Any, weighting: str) -> None:
        self.counts, self.weighting = counts, weighting
        self.frequencies = document_frequencies(counts)
        try:
            self._inverted = InvertedIndex(*_csr_parts(self.weigh(counts)), counts.shape[1])
        except ValueError as problem:
            raise _not_comparable(weighting, problem) from None

    def weigh(self, counts: Any) -> Any:
        """Return the weights of documents, by the document frequencies of this index."""
        return smart_weights(counts, self.weighting, self.frequencies, self.counts.shape[0])

    def nearest(self, counts: Any, k: int, n_threads: int, shown: bool | None = None) -> Neighbours:
        """Return the k nearest indexed documents of each row of counts."""
        firsts, blocks = range(0, max(1, counts.shape[0]), _QUERY_BLOCK), []
        with progress_bar("Searching", len(firsts), shown) as step:
            for first in firsts:
                weights = _csr_parts(self.weigh(counts[first : first + _QUERY_BLOCK]))
                try:
                    documents, similarities = self._inverted.nearest(*weights, k, n_threads)
                except ValueError as problem:
                    raise _not_comparable(self.weighting, problem) from None
                blocks.append((similarities, documents))
                step()
        return Neighbours(*map(np.concatenate, zip(*blocks, strict=True)))


def _csr_parts(weights: Any) -> tuple[NDArray[np.int64], NDArray[np.int32], NDArray[np.float64]]:
    return weights.indptr.astype(np.int64), weights.indices.astype(np.int32), weights.data


def _not_comparable(weighting: str, problem: ValueError) -> CountError:
    return CountError(
        f"documents weighted by {weighting!r} cannot be compared: {problem}. "
        "Check that the matrix holds counts, and use a scheme with a norm, such as 'ltc'."
    )


class DocumentStore:
    """Training documents and their labels in order of learning, which can be forgotten again.

    Labels are columns of an indicator matrix; the model stores their names. Learning costs only
    as much as the new documents: matrices are joined, and indexes built, on first use.

    Parameters
    ----------
    n_terms, n_labels : int
        Minimum widths of the two matrices.

    Examples
    --------
    >>> row, label = sparse.csr_array([[2, 0, 1]]), sparse.csr_array([[1.0]])
    >>> documents = DocumentStore(3, 1)
    >>> documents.learn(row, label)
    >>> is_left = documents.forget(row, label)
    >>> len(documents)
    0
    """

    def __init__(self, n_terms: int, n_labels: int) -> None:
        empty = tuple(sparse.csr_array((0, n), dtype=np.float64) for n in (n_terms, n_labels))
        self._batches: list[tuple[Matrix, ...]] = [empty]
        # The id of each document, ascending. An id is never reused, so that the ids in
        # _ids_by_key stay right when other documents are forgotten.
        self._ids = np.empty(0, dtype=np.int64)
        self._next_id = 0
        self._ids_by_key: dict[bytes, list[int]] | None = None
        self._cached_index: DocumentIndex | None = None
        #: Hold it to change documents, or to read several things from one snapshot.
        self.lock = RLock()
        #: Hold it during a slow change, which holds ``lock`` only at its end.
        self.update_lock = RLock()

    def __len__(self) -> int:
        return len(self._ids)

    @property
    def counts(self) -> Matrix:
        """The counts of all documents."""
        return self._join_batches()[0]

    @property
    def labels(self) -> Matrix:
        """The indicator matrix of labels, documents by labels."""
        return self._join_batches()[1]

    def learn(self, counts: Any, labels: Matrix) -> None:
        """Add documents."""
        batch = _normalize(counts), _normalize(labels)
        n = batch[0].shape[0]
        if self._ids_by_key is not None:
            for number, key in enumerate(document_keys(*batch), self._next_id):
                self._ids_by_key[key].append(number)
        self._batches.append(batch)
        self._ids = np.append(self._ids, np.arange(self._next_id, self._next_id + n))
        self._next_id += n
        self._cached_index = None

    def forget(self, counts: Any, labels: Matrix) -> NDArray[np.bool_]:
        """Remove documents, of equal ones the last learned; return a mask of those that remain.

        Raises
        ------
        NegativeCountError
            If a document is not stored with these labels, or not so often. Nothing changes then.
        """
        found = self._find(document_keys(_normalize(counts), _normalize(labels)))
        ids_by_key = self._key_index()
        for key, ids in found.items():
            del ids_by_key[key][-len(ids) :]
            if not ids_by_key[key]:
                del ids_by_key[key]
        remaining = ~np.isin(self._ids, [number for ids in found.values() for number in ids])
        self._batches = [tuple(matrix[remaining] for matrix in self._join_batches())]
        self._ids = self._ids[remaining]
        self._cached_index = None
        return remaining

    def holds(self, counts: Any, labels: Iterable[Any], names: LabelIndex) -> NDArray[np.bool_]:
        """Return True for each document that is stored with these labels.

        Parameters
        ----------
        counts : sparse matrix of shape (n_documents, n_terms)
        labels : iterable
            The labels of the documents.
        names : LabelIndex
            The numbers of the labels.
        """
        index = names.copy()
        starts, ids = index.encode(labels, counts.shape[0])
        shape = counts.shape[0], len(index)
        indicator = sparse.csr_array((np.ones(len(ids)), ids, starts), shape=shape)
        keys = document_keys(_normalize(counts), _normalize(indicator))
        with self.lock:
            stored = self._key_index()
            return np.array([bool(stored.get(key)) for key in keys], dtype=bool)

    def relabel(self, labels: Matrix) -> None:
        """Replace the labels of all documents."""
        self._batches = [(self.counts, _normalize(labels))]
        self._ids_by_key = None

    def index(self, weighting: str) -> DocumentIndex:
        """Return the index of the current documents for a weighting."""
        index = self._cached_index
        if index is None or index.weighting != weighting:
            self._cached_index = index = DocumentIndex(self.counts, weighting)
        return index

    def _find(self, keys: list[bytes]) -> dict[bytes, list[int]]:
        """Return the ids of the last documents of each key, as many as the key occurs."""
        wanted: dict[bytes, int] = defaultdict(int)
        ids_by_key = self._key_index()
        for at, key in enumerate(keys):
            wanted[key] += 1
            if wanted[key] > len(ids_by_key.get(key, ())):
                raise NegativeCountError(
                    f"cannot forget document {at}: no document with these counts and labels is "
                    "left. Was it learned by this model, with this label?"
                )
        return {key: ids_by_key[key][-n:] for key, n in wanted.items()}

    def _key_index(self) -> dict[bytes, list[int]]:
        # Built by the first call of forget: most models never forget.
        if self._ids_by_key is None:
            self._ids_by_key = defaultdict(list)
            keys = document_keys(*self._join_batches())
            for number, key in zip(self._ids.tolist(), keys, strict=True):
                self._ids_by_key[key].append(number)
        return self._ids_by_key

    def _join_batches(self) -> tuple[Matrix, ...]:
        if len(self._batches) > 1:
            self._batches = [tuple(map(_stack_rows, zip(*self._batches, strict=True)))]
        return self._batches[0]

    def __getstate__(self) -> dict[str, Any]:
        # Both indexes can be rebuilt; the native one and the lock cannot be pickled.
        state = {**self.__dict__, "_cached_index": None, "_ids_by_key": None}
        del state["lock"], state["update_lock"]
        return state

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self.lock, self.update_lock = RLock(), RLock()


def _normalize(matrix: Any) -> Matrix:
    """Return rows in canonical form and of fixed types, so that equal rows have equal bytes."""
    rows = canonical_csr(matrix)
    parts = rows.data.astype(np.float64), rows.indices.astype(np.int32), rows.indptr
    return sparse.csr_array(parts, shape=rows.shape)


def _stack_rows(parts: tuple[Matrix, ...]) -> Matrix:
    """Return the rows of all parts; unlike ``sparse.vstack``, parts may differ in width."""
    width = max(part.shape[1] for part in parts)
    data, columns = (
        np.concatenate([getattr(part, name) for part in parts]) for name in ("data", "indices")
    )
    lengths = np.concatenate([np.diff(part.indptr) for part in parts])
    # scikit-learn accepts 32-bit row starts only, wherever these suffice.
    index = np.int32 if len(columns) < 2**31 else np.int64
    starts = np.append(0, np.cumsum(lengths)).astype(index)
    return sparse.csr_array((data, columns, starts), shape=(len(lengths), width))


def document_keys(counts: Matrix, labels: Matrix) -> list[bytes]:
    """Return a hash of the counts and labels of each document."""
    return [
        blake2b(_row_bytes(counts, at) + b"|" + _row_bytes(labels, at), digest_size=16).digest()
        for at in range(counts.shape[0])
    ]


def _row_bytes(rows: Matrix, at: int) -> bytes:
    cells = slice(rows.indptr[at], rows.indptr[at + 1])
    # SciPy sometimes widens the column numbers, which must not change the key.
    return rows.indices[cells].astype(np.int64).tobytes() + b":" + rows.data[cells].tobytes()


_ARRAY_DTYPES = {
    "starts": np.int64,
    "terms": np.int32,
    "counts": np.float64,
    "width": np.int64,
    "label_starts": np.int64,
    "labels": np.int32,
}


def documents_to_arrays(counts: Any, labels: Any) -> dict[str, NDArray[Any]]:
    """Return counts and labels of documents as arrays by name, for a file.

    Examples
    --------
    >>> rows, labels = sparse.csr_array([[2, 0], [0, 1]]), sparse.csr_array([[1.0], [1.0]])
    >>> sorted(documents_to_arrays(rows, labels))
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
        for (name, dtype), part in zip(_ARRAY_DTYPES.items(), parts, strict=True)
    }


def documents_from_arrays(
    arrays: Mapping[str, NDArray[Any]],
    values: Mapping[str, Any],
    classes: NDArray[Any],
    multi_label: bool,
) -> tuple[DocumentStore, list[Any]]:
    """Read :func:`documents_to_arrays` back; return the documents and the announced classes.

    A file may be damaged or forged, so that every number is checked.

    Raises
    ------
    FileError
        If the arrays are not those of documents of these classes.
    """
    _check(isinstance(values, Mapping) and values.keys() == {"announced"}, "values")
    _check(arrays.keys() == _ARRAY_DTYPES.keys(), "names of arrays")
    for name, dtype in _ARRAY_DTYPES.items():
        _check(arrays[name].ndim == 1 and arrays[name].dtype == dtype, f"type or shape of {name}")
    _check(len(arrays["width"]) == 1 and 0 <= arrays["width"][0] < 2**31, "width")
    width = int(arrays["width"][0])
    counts = _check_rows(arrays["starts"], arrays["terms"], arrays["counts"], width)
    ones = np.ones(len(arrays["labels"]))
    labels = _check_rows(arrays["label_starts"], arrays["labels"], ones, len(classes))
    _check(counts.shape[0] == labels.shape[0], "number of labels")
    _check(multi_label or bool((np.diff(labels.indptr) == 1).all()), "labels of a document")
    announced = _check_announced(values["announced"], classes)
    is_used = np.bincount(labels.indices, minlength=len(classes)) > 0
    for name, used in zip(classes.tolist(), is_used.tolist(), strict=True):
        _check(used or name in announced, "class without documents")
    documents = DocumentStore(width, len(classes))
    documents.learn(counts, labels)
    return documents, announced


def _check_rows(
    starts: NDArray[Any], columns: NDArray[Any], values: NDArray[Any], width: int
) -> Matrix:
    covers = len(starts) > 0 and starts[0] == 0 and starts[-1] == len(columns)
    _check(bool(covers) and bool((np.diff(starts) >= 0).all()), "row starts")
    _check(len(values) == len(columns), "number of counts")
    inside = len(columns) == 0 or (columns.min() >= 0 and columns.max() < width)
    _check(bool(inside), "column number")
    row = np.repeat(np.arange(len(starts) - 1), np.diff(starts))
    ascends = (np.diff(columns.astype(np.int64)) > 0) | (np.diff(row) > 0)
    _check(bool(ascends.all()), "order of columns")
    _check(bool((np.isfinite(values) & (values > 0)).all()), "count")
    parts = values.copy(), columns.copy(), starts.copy()
    return sparse.csr_array(parts, shape=(len(starts) - 1, width))


def _check_announced(labels: Any, classes: NDArray[Any]) -> list[Any]:
    _check(isinstance(labels, list), "announced classes")
    try:
        names = LabelIndex(labels).names
    except LabelError:
        names = []
    _check(len(names) == len(labels) and {*names} <= {*classes.tolist()}, "announced classes")
    return labels


def _check(condition: bool, part: str) -> None:
    if not condition:
        raise FileError(
            f"cannot read the documents of a CosineKNN: invalid {part}. Is the file damaged?"
        )

"""The classes of a document from those of the documents that are most alike."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from numbers import Integral
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.utils.validation import check_is_fitted

from tallytext.bayes.explaining import Summands
from tallytext.bayes.matrices import documents_of
from tallytext.errors import NegativeCountError, ScoreError
from tallytext.labels import LabelIndex, array_of_labels, plain, sort_labels
from tallytext.neighbours.collection import Collection
from tallytext.neighbours.moments import at_one_moment
from tallytext.neighbours.search import Neighbours, Searchable
from tallytext.neighbours.stored import collection_from, collection_to_arrays
from tallytext.smoothing.base import Numbers
from tallytext.targets import Targets, expect_lengths, targets_of
from tallytext.threads import thread_count
from tallytext.trained import Arrays, TrainedClassifier, expect_single
from tallytext.weighting.letters import expect_scheme

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
        The scheme, as for :class:`~tallytext.weighting.SmartWeighting`.
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
        self._expect_parameters()
        self.labels_ = LabelIndex(self.classes_.tolist())
        documents = Collection(X.shape[1], truth.shape[1])
        documents.learn(X, truth)
        # Now, so that what cannot be weighed is refused when it is learned.
        documents.searchable(self.weighting)
        self.documents_ = documents

    def _decide(self, X: Any) -> Numbers:
        return self._summed(self._near(X, self.k))

    def _log_odds(self, X: Any) -> Numbers:
        near = self._near(X, self.k)
        return self._shares(self._summed(near), near.similarities.sum(axis=1))

    def _odds(self, decisions: Numbers) -> Numbers:
        return self._shares(decisions, decisions.sum(axis=1))

    def _shares(self, decisions: Numbers, mass: Numbers) -> Numbers:
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
        _expect_neighbours(k)
        if not len(self.documents_):
            raise ScoreError("every document was forgotten: there is none left to compare with.")
        return self._searchable().nearest(X, k, thread_count(self.n_jobs), self.verbose)

    def _searchable(self) -> Searchable:
        self._expect_parameters()
        return self.documents_.searchable(self.weighting)

    def _summed(self, near: Neighbours) -> Numbers:
        found: Numbers = (near.matrix(len(self.documents_)) @ self._truth()).toarray()
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
        expect_lengths(X, targets)
        if self.multi_label is False or not (targets.several or self.multi_label_):
            expect_single(targets)
        known = self.labels_.copy()
        starts, ids = known.encode(targets.labels, X.shape[0])
        if how is Collection.forget and len(known) > len(self.labels_):
            new = known.names[len(self.labels_)]
            raise NegativeCountError(f"cannot forget: no document of class {new!r} was learned.")
        labels = sparse.csr_array((np.ones(len(ids)), ids, starts), shape=(X.shape[0], len(known)))
        how(self.documents_, X, labels)
        self.labels_ = known
        self.multi_label_ = self.multi_label_ or (self.multi_label is None and targets.several)
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

    def _expect_parameters(self) -> None:
        expect_scheme(self.weighting)
        _expect_neighbours(self.k)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        # Where every column is in every row there is no idf, and angles are all alike.
        tags.classifier_tags.poor_score = True
        return tags


def _expect_neighbours(k: Any) -> None:
    if not isinstance(k, Integral) or k < 1:
        raise ValueError(f"k must be a whole number of neighbours, at least 1, not {k!r}.")


def _from_columns(row: Any, columns: NDArray[np.int32]) -> Numbers:
    """Return what a row has in some columns, 0 beyond its end."""
    dense = row.toarray()[0] if hasattr(row, "toarray") else row
    inside = columns < len(dense)
    return np.where(inside, dense[np.minimum(columns, max(len(dense) - 1, 0))], 0.0)

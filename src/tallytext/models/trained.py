"""What classifiers share that are trained on documents, and not on sums of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.validation import check_is_fitted

from tallytext._typing import FloatArray
from tallytext._validation import checked_matrix
from tallytext.decision.calibrators import log_odds
from tallytext.decision.explanation import Explanation
from tallytext.decision.out_of_sample import posteriors
from tallytext.errors import FileError, LabelError, ScoreError
from tallytext.models.explaining import Summands, as_row, explained, names_of, one_document
from tallytext.models.naive_bayes import tags_of_counts
from tallytext.models.reading import documents_of
from tallytext.tally.labels import (
    LabelIndex,
    Targets,
    array_of_labels,
    check_lengths,
    place_of,
    targets_of,
)
from tallytext.text.vocabulary import Vocabulary

Arrays = Mapping[str, NDArray[Any]]


class TrainedClassifier(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """A classifier of count matrices that is a function of documents, not of their sums.

    A kind of them says how it is trained (:meth:`_train`), what it gives each class
    (:meth:`_decide`), and, where zero is not the even chance, how that becomes log-odds
    (:meth:`_odds`). One that can be explained says what each word adds (:meth:`_summands`); one
    that can be saved, what it consists of (:meth:`to_arrays`, :meth:`read_arrays`).
    """

    multi_label: bool | None
    n_jobs: int | None

    classes_: NDArray[Any]
    class_documents_: NDArray[np.int64]
    multi_label_: bool
    n_features_in_: int
    #: Whether matrices may have more columns than were trained on: words that nobody has seen.
    open_ = False

    #: Scores are log-odds of each class against all others, as far as they can be.
    contrasts = True

    def fit(self, X: Any, y: Any) -> Self:
        """Learn from documents, forgetting any learned before.

        Parameters
        ----------
        X : sparse matrix, sparse array or array-like of shape (n_documents, n_terms)
            Counts.
        y : sequence of length n_documents
            One label per document; or a list of labels per document, or an indicator matrix, for
            documents with several labels or none.

        Returns
        -------
        self
        """
        X = checked_matrix(self, X, reset=True, open_width=False)
        targets = targets_of(y)
        check_lengths(X, targets)
        truth = self._meet(targets)
        self._train(X, truth)
        return self

    def decision_function(self, X: Any) -> FloatArray:
        """Return what the method gives each class, as it was published.

        Columns are those of ``classes_``; for two classes of which a document has exactly one,
        a number per document, by how much the second exceeds the first.

        Parameters
        ----------
        X : sparse matrix, sparse array or array-like of shape (n_documents, n_terms)
            Counts.
        """
        found = self._decide(self._checked(X))
        if len(self.classes_) == 2 and not self.multi_label_:
            return found[:, 1] - found[:, 0]
        return found

    def scores(self, X: Any) -> FloatArray:
        """Return by how much each document speaks for each class; zero is an even chance.

        Parameters
        ----------
        X : sparse matrix, sparse array or array-like of shape (n_documents, n_terms)
            Counts.
        """
        return self._log_odds(self._checked(X))

    def scores_and_lengths(self, X: Any) -> tuple[FloatArray, FloatArray]:
        """Return :meth:`scores` and a length of one for each: they do not grow with it.

        Parameters
        ----------
        X : sparse matrix, sparse array or array-like of shape (n_documents, n_terms)
            Counts.
        """
        found = self.scores(X)
        return found, np.ones(len(found))

    def scores_lengths_classes(self, X: Any) -> tuple[FloatArray, FloatArray, NDArray[Any]]:
        """Return :meth:`scores`, lengths and the labels of the columns, of one moment.

        Parameters
        ----------
        X : sparse matrix, sparse array or array-like of shape (n_documents, n_terms)
            Counts.
        """
        return (*self.scores_and_lengths(X), self.classes_)

    def predict(self, X: Any) -> NDArray[Any]:
        """Return the best class of each document, or which classes are more likely than not.

        Of equal classes the one with more training documents is better, then the first.

        Parameters
        ----------
        X : sparse matrix, sparse array or array-like of shape (n_documents, n_terms)
            Counts.

        Returns
        -------
        ndarray
            Labels; or, for several labels per document, an indicator matrix whose columns are
            ``classes_``.
        """
        X = self._checked(X)
        if self.multi_label_:
            return (self._log_odds(X) > 0).astype(np.int64)
        found = self._decide(X)
        order = np.argsort(-self.class_documents_, kind="stable")
        return self.classes_[order[found[:, order].argmax(axis=1)]]

    def predict_proba(self, X: Any) -> FloatArray:
        """Return the probability of each class that scores stand for; not calibrated.

        For several labels per document, of each class against its absence; otherwise they sum to
        one.

        Parameters
        ----------
        X : sparse matrix, sparse array or array-like of shape (n_documents, n_terms)
            Counts.
        """
        return np.exp(self.predict_log_proba(X))

    def predict_log_proba(self, X: Any) -> FloatArray:
        """Return the logarithms of :meth:`predict_proba`.

        Parameters
        ----------
        X : sparse matrix, sparse array or array-like of shape (n_documents, n_terms)
            Counts.
        """
        return self.posteriors(self.scores(X))

    def rank(self, X: Any, label: Any) -> FloatArray:
        """Return by how much each document speaks for a class, to sort by.

        Parameters
        ----------
        X : sparse matrix, sparse array or array-like of shape (n_documents, n_terms)
            Counts.
        label : label
            A class.
        """
        check_is_fitted(self)
        at = self.class_number(label)
        return self.log_odds(self.scores(X))[:, at]

    def posteriors(self, scores: FloatArray) -> FloatArray:
        """Return the logarithms of the probabilities that :meth:`scores` stand for.

        Parameters
        ----------
        scores : array-like of shape (n_documents, n_classes)
            The scores of each document.
        """
        return posteriors(scores, self.contrasts, self.multi_label_)

    def log_odds(self, scores: FloatArray) -> FloatArray:
        """Return the log-odds of each class against all others that :meth:`scores` stand for.

        Parameters
        ----------
        scores : array-like of shape (n_documents, n_classes)
            The scores of each document.
        """
        return scores if self.contrasts else log_odds(scores)

    def class_number(self, label: Any) -> int:
        """Return the place of a label in ``classes_``.

        Parameters
        ----------
        label : label
            A class.
        """
        return place_of(label, self.classes_)

    def explain(
        self,
        x: Any,
        label: Any = None,
        against: Any = None,
        *,
        terms: Vocabulary | Sequence[str] | None = None,
        text: str | None = None,
        vectorizer: Any = None,
    ) -> Explanation:
        """Return what each term of one document adds to what the method gives a class.

        Parameters
        ----------
        x : matrix of one row, or a row
            The document.
        label : label, default=None
            The class to explain; None for the best.
        against : label, default=None
            The class to compare it with; None for the best of all others, or, for several labels
            per document, for all others together.
        terms : Vocabulary or sequence of str, default=None
            The names of the columns; None for those of the vectorizer, if there is one.
        text : str, default=None
            What the row was made of, to show its words where they stand. Needs ``vectorizer``.
        vectorizer : TextVectorizer, default=None
            What made the row.

        Raises
        ------
        ScoreError
            If the method does not add up from words.
        """
        row = self._checked(as_row(x))
        document = one_document(documents_of(row))
        summands = self._summands(row)
        first, second = (
            None if name is None else self.class_number(name) for name in (label, against)
        )
        pair = summands.pair(first, second, alone=self.multi_label_)
        if terms is None:
            terms = self._columns() if vectorizer is None else vectorizer.vocabulary_
        return explained(summands, pair, names_of(document.terms, terms), text, vectorizer)

    def to_arrays(self) -> tuple[dict[str, NDArray[Any]], dict[str, Any]]:
        """Return what was learned, for a file: arrays by name, and plain values as JSON has them.

        Raises
        ------
        FileError
            If models of this kind cannot be kept in a file.
        """
        raise FileError(f"a {type(self).__name__} cannot be saved.")

    def read_arrays(self, arrays: Arrays, values: Mapping[str, Any]) -> Self:
        """Become what :meth:`to_arrays` was taken of; ``classes_`` and its kin are set before.

        Parameters
        ----------
        arrays : mapping of str to ndarray
            The arrays of it.
        values : mapping
            The plain values that came with them.

        Raises
        ------
        FileError
            If these cannot be parts of such a model, or do not fit each other.
        """
        raise FileError(f"a {type(self).__name__} cannot be loaded.")

    def _check_parameters(self) -> None:
        """Refuse parameters that cannot be, or that contradict each other."""

    def _train(self, X: Any, truth: sparse.csr_array[Any]) -> None:
        """Learn from counts and from which document has which class (float64, zeros and ones)."""
        raise TypeError(f"{type(self).__name__} must say how it is trained.")

    def _decide(self, X: Any) -> FloatArray:
        """Return what the method gives each class for each document."""
        raise TypeError(f"{type(self).__name__} must say how it decides.")

    def _odds(self, decisions: FloatArray) -> FloatArray:
        """Return log-odds, or what comes close: zero is an even chance."""
        return decisions

    def _log_odds(self, X: Any) -> FloatArray:
        """Return :meth:`_odds` of what the method gives; for those that need more to tell them."""
        return self._odds(self._decide(X))

    def _summands(self, row: Any) -> Summands:
        """Return what adds up to what the method gives each class for a document."""
        raise ScoreError(
            f"a {type(self).__name__} does not add up from words, so that it cannot be explained "
            "by them."
        )

    def _meet(self, targets: Targets) -> sparse.csr_array[Any]:
        """Learn what classes there are; return which document has which."""
        if self.multi_label not in (None, True, False):
            raise ValueError(f"multi_label must be True, False or None, not {self.multi_label!r}.")
        multi_label = targets.multi_label
        if multi_label and self.multi_label is False:
            check_single(targets)
        names = targets.classes
        if not names:
            raise LabelError("there is no class to learn: no document has a label.")
        truth = _indicator(targets.labels, names)
        self.multi_label_ = multi_label if self.multi_label is None else bool(self.multi_label)
        self.classes_ = array_of_labels(names)
        self.class_documents_ = np.bincount(truth.indices, minlength=len(names))
        return truth

    def _checked(self, X: Any) -> Any:
        check_is_fitted(self)
        return checked_matrix(self, X, reset=False, open_width=self.open_)

    def _columns(self) -> list[str]:
        names = getattr(self, "feature_names_in_", None)
        return [f"x{at}" for at in range(self.n_features_in_)] if names is None else list(names)

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "classes_")

    def __sklearn_tags__(self) -> Any:
        return tags_of_counts(super().__sklearn_tags__())


def _indicator(labels: list[Any], names: list[Any]) -> sparse.csr_array[Any]:
    starts, ids = LabelIndex(names).encode(labels, len(labels))
    shape = len(labels), len(names)
    return sparse.csr_array((np.ones(len(ids)), ids, starts), shape=shape)


def check_single(targets: Targets) -> None:
    """Refuse documents that do not have exactly one label."""
    if not targets.multi_label:
        return
    for at, given in enumerate(targets.labels):
        if len(given) != 1:
            raise LabelError(
                f"document {at} has {len(given)} labels, but multi_label=False asks for one each."
            )

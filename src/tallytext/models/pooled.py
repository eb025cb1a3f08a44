"""PooledNB: naive Bayes for few labels and a pool of documents without labels."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any, Literal, NamedTuple, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import sparse

from tallytext._estimators import check_is_fitted, clone
from tallytext._typing import FloatArray
from tallytext._validation import check_between, check_matrix, check_whole
from tallytext.errors import (
    CountError,
    FileError,
    LabelError,
    NegativeCountError,
    NotAdditiveError,
    ScoreError,
)
from tallytext.features.svd import SparseProducts
from tallytext.io.array_checks import check_array_names, check_int_array
from tallytext.models.anchored_em import (
    Anchor,
    AnchoredEM,
    ClassWords,
    PoolPosteriors,
    Trust,
    add_names,
    document_weights,
    posterior_regression,
)
from tallytext.models.base import ArraysByName, Summands, TrainedClassifier, to_documents
from tallytext.models.knn import DocumentStore, document_keys, with_lock
from tallytext.models.packed_rows import pack_rows, unpack_rows
from tallytext.models.pool import (
    DocumentPool,
    Rows,
    Topicality,
    Views,
    canonical_counts,
    check_float32_array,
    with_columns,
)
from tallytext.runtime import one_blas_thread, progress_bar, thread_count
from tallytext.tally.labels import (
    LabelIndex,
    check_lengths,
    label_array,
    read_targets,
    sort_labels,
)
from tallytext.text.vocabulary import Vocabulary

MAX_TABLE_BYTES = 2**31
"""Largest size of a table of all terms and classes."""

_REGRESSION_SCALE = 8.0  # factor of the regression in the final scores
# Factors of the anchor at trust 0 and at trust 1: in EM, and in the final scores.
_ANCHOR_IN_EM = (1.0, 12.0)
_ANCHOR_IN_SCORES = (0.25, 1.0)
_MAX_NAIVE_BAYES = 0.5  # largest factor of naive Bayes in the final scores
# Without labelled documents, classes of about equal size: some names fit many documents by chance.
_EVEN_SHARE_OF_NAMES = 1.0
_MAX_NAMED = 2  # labelled documents per class, with which the anchor is trained on names, too
_WARM_ROUNDS = 2  # of EM after a small change
# Share of all documents, and of the labelled ones, that may change before the model settles.
_SETTLING_SHARE = 0.1
# With fewer labels, each one can change which part of the model is trusted.
_MIN_WARM_LABELS = 100


class PooledNB(TrainedClassifier):
    r"""Naive Bayes for few labels that also learns from documents without labels.

    Once for the pool of all documents, it computes term weights (:class:`Topicality`), a latent
    space, and translations of words into words that occur with them. From the labelled documents
    it then trains an *anchor*, a logistic regression; estimates the word distributions of classes;
    runs :class:`AnchoredEM` to estimate the class posteriors of the pool; and fits a least squares
    regression to these. The score of a new document is the sum

    .. math:: s_c(d) = 8\, v_d \cdot B_c + \omega_a\, s^{\text{anchor}}_c(d)
              + \omega_e \left(L \sum_w u_{dw} \ln p(w \mid c) + \kappa\, z_d \cdot m_c
              + \ln \pi_c\right)

    It is linear in the words of the document, so that every prediction can be explained. The
    trust in the anchor is measured on held-out labelled documents: where the anchor is more
    accurate than naive Bayes, it has more weight, in EM and in the sum.

    Terms can be words and strings of characters; strings take part in the anchor, the latent space
    and the regression only. The words of class names can stand for a document of each class, see
    :attr:`class_words`.

    Each document has exactly one label. Training needs memory for a few tables of terms by
    classes.

    Parameters
    ----------
    topicality : float, default=0.05
        The topicality at which a word has half its weight, see :class:`Topicality`; 0 to weight
        all words equally.
    translation : bool or "auto", default="auto"
        True to add translations of words to the word distributions of classes; "auto" to add them
        unless they lower the accuracy on held-out labelled documents.
    beta : float, default=0.8
        Share of the background in the mixture model of the translation.
    n_components : int, default=None
        Dimensions of the latent space; None for 100 to 200, by the number of documents.
    min_df : int, default=2
        Words of fewer documents of the pool are ignored.
    anchor : classifier, default=None
        A linear classifier of scikit-learn; None for a logistic regression.
    cost : float, default=10.0
        C of the logistic regression.
    trust : float, default=None
        Trust in the anchor, from 0 to 1; None to measure it on held-out documents.
    doubt : float, default=0.5
        Number of standard errors subtracted from the lead of the anchor on held-out documents.
        Use more if labelled documents are few and classes have different numbers of them: sampled
        at random, or queried because they are hard.
    rounds, length, concentration, annealing
        Of :class:`AnchoredEM`.
    penalty : float, default=3.0
        Of the regression on the class posteriors of the pool.
    labelled_weight : float, default=20.0
        Weight of a labelled document in this regression; other documents have weight 1.
    random_state : int, default=0
        Seed of the latent space.
    multi_label : bool, default=None
        True is an error: each document has exactly one label.
    n_jobs : int, default=None
        Number of threads, see :func:`tallytext.runtime.thread_count`. Results depend on it only
        through rounding in linear algebra libraries.
    verbose : bool, default=None
        True to show a progress bar; None to show it on a terminal if training takes long.

    Attributes
    ----------
    classes_ : ndarray
        The labels, sorted.
    label_distributions_ : ndarray of shape (n_unlabelled, n_classes)
        The probability of each class for each document without a label.
    transduction_ : ndarray of shape (n_unlabelled,)
        The most probable class of each.
    trust_ : float
        Trust in the anchor.
    translated_ : bool
        True if translations were used.
    emphasis_ : ndarray of shape (n_features,)
        The weight of each word by its topicality.
    notes_ : list of str
        A summary of the training, in sentences.

    Examples
    --------
    >>> from tallytext import TextVectorizer
    >>> vectorizer = TextVectorizer()
    >>> pool = ["salt sea", "sea wave", "deep sea fish", "fish swim", "blue cloud", "cloud and sky",
    ...         "sky high", "high as a kite", "a kite in the sky"]
    >>> P = vectorizer.fit_transform(pool)
    >>> model = PooledNB().fit(vectorizer.transform(["salt sea", "blue cloud"]), ["sea", "sky"], P)
    >>> model.predict(vectorizer.transform(["fish", "kite"]))
    array(['sea', 'sky'], dtype='<U3')
    """

    contrasts = False

    weights_: PooledWeights
    trust_: float
    translated_: bool
    notes_: list[str]
    label_distributions_: FloatArray
    documents_: DocumentStore
    labels_: LabelIndex
    pool_rows_: NDArray[np.intp]
    pool_: DocumentPool | None = None

    #: Returns a row of word weights for the name of each of some labels, given the document
    #: frequencies of all terms; empty rows for names without a known word. None to ignore names.
    class_words: Callable[[list[Any], NDArray[Any]], Rows[Any]] | None = None
    #: The terms of the columns, if some are strings of characters.
    terms: Vocabulary | None = None

    # Labels that were given as classes, with or without documents.
    _declared: tuple[Any, ...] = ()
    # The fit to start from; the number of documents at the last settling, and of documents and
    # labels that changed since.
    _fitted: _FittedPool | None = None
    _n_settled = _n_changed = _n_changed_labels = 0

    # Another thread may learn a class between reading weights_ and classes_.
    predict = with_lock(TrainedClassifier.predict)
    predict_log_proba = with_lock(TrainedClassifier.predict_log_proba)
    decision_function = with_lock(TrainedClassifier.decision_function)
    scores_lengths_classes = with_lock(TrainedClassifier.scores_lengths_classes)
    explain = with_lock(TrainedClassifier.explain)
    _top_classes = with_lock(TrainedClassifier._top_classes)

    def __init__(
        self,
        *,
        topicality: float = 0.05,
        translation: bool | Literal["auto"] = "auto",
        beta: float = 0.8,
        n_components: int | None = None,
        min_df: int = 2,
        anchor: Any = None,
        cost: float = 10.0,
        trust: float | None = None,
        doubt: float = 0.5,
        rounds: int = 12,
        length: float = 20.0,
        concentration: float = 10.0,
        annealing: float = 0.2,
        penalty: float = 3.0,
        labelled_weight: float = 20.0,
        random_state: int = 0,
        multi_label: bool | None = None,
        n_jobs: int | None = None,
        verbose: bool | None = None,
    ) -> None:
        self.topicality = topicality
        self.translation = translation
        self.beta = beta
        self.n_components = n_components
        self.min_df = min_df
        self.anchor = anchor
        self.cost = cost
        self.trust = trust
        self.doubt = doubt
        self.rounds = rounds
        self.length = length
        self.concentration = concentration
        self.annealing = annealing
        self.penalty = penalty
        self.labelled_weight = labelled_weight
        self.random_state = random_state
        self.multi_label = multi_label
        self.n_jobs = n_jobs
        self.verbose = verbose

    def fit(self, X: Any, y: Any, unlabelled: Any = None, *, classes: Sequence[Any] = ()) -> Self:
        """Train on documents; a second call starts over.

        Parameters
        ----------
        X : sparse matrix, sparse array or array-like of shape (n_documents, n_terms)
            Counts of documents with labels.
        y : sequence of length n_documents
            One label per document.
        unlabelled : sparse matrix, sparse array or array-like of shape (n_unlabelled, n_terms)
            Counts of documents without labels, from the same source; the more, the better. None
            for none.
        classes : sequence of labels, default=()
            Labels that need no labelled documents, because :attr:`class_words` has words for them.

        Returns
        -------
        self
        """
        self._declared = tuple(dict.fromkeys(classes))
        if self._declared and not np.shape(X)[0]:
            X = sparse.csr_array(X)
            self.n_features_in_ = X.shape[1]
            truth = sparse.csr_array((0, 0))
        else:
            X = check_matrix(self, X, reset=True, open_width=False)
            targets = read_targets(y)
            check_lengths(X, targets)
            truth = self._set_classes_from(targets)
        self._train(X, truth, unlabelled)
        return self

    def learn(self, X: Any, y: Any) -> Self:
        """Learn more labelled documents, which may have new classes and new columns.

        The model changes at once: expectation-maximisation continues for two rounds from the
        current posteriors. It starts from the labels again if there are fewer than 100 or their
        classes have changed. When a tenth of the labelled or of all documents have changed, the
        model settles.

        Parameters
        ----------
        X : sparse matrix, sparse array or array-like of shape (n_documents, n_terms)
            Counts; columns beyond those learned before are new terms.
        y : sequence of length n_documents
            One label per document.

        Raises
        ------
        NotAdditiveError
            If the model is from a file without its documents.

        Examples
        --------
        >>> model = PooledNB(min_df=1).fit([[2, 1, 0], [0, 1, 2]], ["sea", "sky"])
        >>> model.learn([[0, 0, 0, 3]], ["land"]).predict([[0, 0, 0, 1]])
        array(['land'], dtype='<U4')
        >>> model.forget([[0, 0, 0, 3]], ["land"]).classes_
        array(['sea', 'sky'], dtype='<U3')
        """
        with self._updating():
            X, labels, label_index = self._read_labelled(X, y)
            return self._add(X, labels, label_index)

    def forget(self, X: Any, y: Any) -> Self:
        """Remove labelled documents that were learned. A class without documents is removed, too.

        Parameters
        ----------
        X : sparse matrix, sparse array or array-like of shape (n_documents, n_terms)
            Counts of the documents.
        y : sequence of length n_documents
            Their labels, as they were learned.

        Raises
        ------
        NegativeCountError
            If one of these was not learned with this label. The model does not change then.
        """
        with self._updating():
            X, labels, label_index = self._read_labelled(X, y)
            if len(label_index) > len(self.labels_):
                unknown = label_index.names[len(self.labels_)]
                raise NegativeCountError(
                    f"cannot forget: no document of class {unknown!r} was learned. Is this the "
                    "label that the document was learned with?"
                )
            return self._remove(X, labels)

    def learn_unlabelled(self, X: Any) -> Self:
        """Add documents without labels to the pool.

        Parameters
        ----------
        X : sparse matrix, sparse array or array-like of shape (n_documents, n_terms)
            Counts. Give many at a time: a call costs about as much as one of :meth:`learn`.
        """
        with self._updating():
            X = self._check_columns(X)
            return self._add(X, _no_labels(X), self.labels_)

    def forget_unlabelled(self, X: Any) -> Self:
        """Remove documents without labels from the pool.

        Parameters
        ----------
        X : sparse matrix, sparse array or array-like of shape (n_documents, n_terms)
            Counts of the documents.

        Raises
        ------
        NegativeCountError
            If one of these is not in the pool. The model does not change then.
        """
        with self._updating():
            X = self._check_columns(X)
            return self._remove(X, _no_labels(X))

    def settle(self) -> Self:
        """Retrain from scratch on the documents that the model has now.

        The result depends on these documents only, and not on the order in which they were learned
        or on others that were forgotten: it equals that of :meth:`fit` on them, bit for bit.

        Examples
        --------
        >>> X, y = np.array([[2, 1, 0], [0, 1, 2], [1, 1, 0]]), ["sea", "sky", "sea"]
        >>> history = PooledNB(min_df=1).fit(X[:2], y[:2]).learn(X[2:], y[2:]).settle()
        >>> fitted = PooledNB(min_df=1).fit(X, y)
        >>> np.array_equal(history.decision_function(X), fitted.decision_function(X))
        True
        """
        with self._updating():
            self._check_has_documents()
            self._settle()
        return self

    def refit(self, rows: ArrayLike, y: Any) -> Self:
        """Replace the labels of all documents, and retrain.

        The pool is not recomputed, so that labels can be added one by one.

        Parameters
        ----------
        rows : array-like of int of shape (n_labels,)
            The labelled documents, as row numbers of :meth:`fit`: first its labelled documents,
            then those without labels. All other documents are taken as unlabelled.
        y : sequence of length n_labels
            One label per row.

        Raises
        ------
        LabelError
            If the pool was dropped, or if rows are repeated or not in the pool.

        Examples
        --------
        >>> rows = [[2, 1, 0, 0], [1, 2, 0, 0], [0, 0, 2, 1], [0, 0, 1, 2], [1, 1, 0, 0]]
        >>> counts = np.array(rows)
        >>> model = PooledNB(min_df=1).fit(counts[:2], ["sea", "sky"], counts[2:])
        >>> model.refit([0, 2], ["sea", "sky"]).transduction_
        array(['sea', 'sky', 'sea'], dtype='<U3')
        """
        pool = self._check_pool()
        numbers = np.asarray(rows, dtype=np.intp)
        if numbers.size and not 0 <= numbers.min() <= numbers.max() < pool.n_documents:
            raise LabelError(
                f"rows must lie between 0 and {pool.n_documents - 1}, the documents of the pool, "
                f"but they range from {numbers.min()} to {numbers.max()}."
            )
        if len(np.unique(numbers)) < numbers.size:
            raise LabelError("some rows are repeated: give each document once, with its label.")
        targets = read_targets(y)
        check_lengths(numbers, targets)
        truth = self._set_classes_from(targets)
        _check_one_label(truth.toarray(), self.multi_label)
        with self._updating():
            # The labels of row numbers[i] are row i of truth.
            cells = truth.data, (numbers, truth.indices)
            shape = pool.n_documents, truth.shape[1]
            self.documents_.relabel(sparse.csr_array(cells, shape=shape))
            self.labels_ = LabelIndex(self.classes_.tolist())
            self._fit_pool(pool, self.pool_rows_)
        return self

    @property
    def is_settled(self) -> bool:
        """True if no document has changed since the model was fitted from scratch."""
        return not self._n_changed

    @property
    def transduction_(self) -> NDArray[Any]:
        """The most probable class of each document without a label."""
        return self.classes_[self.label_distributions_.argmax(axis=1)]

    @property
    def emphasis_(self) -> FloatArray:
        """The weight of each word by its topicality."""
        emphasis = np.zeros(self.n_features_in_)
        emphasis[self.weights_.views.columns] = self.weights_.views.emphasis
        return emphasis

    def out_of_sample_scores(self, folds: Any) -> FloatArray:
        """Return cross-validated scores of the labelled documents.

        A held-out document is scored as a new one: of the pool, only the latent space and the
        weights of terms know it. The trust in the anchor is that of the model itself, since scores
        of another trust have another scale.

        Parameters
        ----------
        folds : array-like of int of shape (n_documents,)
            Documents of one fold are held out together. Documents of fold -1 are never held out;
            their scores are those of the model itself.

        Raises
        ------
        LabelError
            If the pool was dropped, or the model was loaded from a file.
        """
        pool = self._check_pool()
        rows, truth, order = self._labelled_rows(self.pool_rows_, self._class_numbers())
        numbers = _check_folds(folds, len(truth))[order]
        scores = self.weights_.pool_scores(pool, rows)
        for fold in np.unique(numbers[numbers >= 0]):
            held = numbers == fold
            # A class whose documents are all held out gets -inf.
            known = truth[~held].any(axis=0)
            if self._names is not None:
                known |= np.diff(self._names.indptr) > 0
            scores[held] = -np.inf
            if known.any():
                with one_blas_thread():
                    fitted = self._fit_labels(
                        pool,
                        rows[~held],
                        truth[~held][:, known],
                        unseen=rows[held],
                        measured=self._measured,
                        names=None if self._names is None else self._names[known],
                    )
                scores[np.ix_(held, known)] = fitted.weights.pool_scores(pool, rows[held])
        return scores[np.argsort(order)]

    def new_document_scores(self, n_documents: int = 300) -> FloatArray:
        """Return the scores of documents of the pool by a model that has not learned from them.

        They show the scale of scores where there are too few labels to hold documents out.

        Parameters
        ----------
        n_documents : int, default=300
            Number of documents, at most a tenth of those without labels. If there are fewer than
            ten of these, the scores are those of the labelled documents by the model itself.
        """
        pool = self._check_pool()
        rows, truth, _ = self._labelled_rows(self.pool_rows_, self._class_numbers())
        others = np.setdiff1d(np.arange(pool.n_documents), rows)
        n = min(n_documents, len(others) // 10)
        if not n:
            return self.weights_.pool_scores(pool, rows)
        unseen = np.random.default_rng(self.random_state).choice(others, n, replace=False)
        with one_blas_thread():
            fitted = self._fit_labels(
                pool, rows, truth, unseen=unseen, measured=self._measured, names=self._names
            )
        return fitted.weights.pool_scores(pool, unseen)

    def drop_pool(self) -> Self:
        """Free the memory of the pool; predictions do not change.

        The counts of the documents are kept: the next change prepares the pool again.
        """
        self.pool_ = self._fitted = None
        return self

    def to_arrays(self) -> tuple[dict[str, NDArray[Any]], dict[str, Any]]:
        """Return the fitted state for a file, with the counts of all documents, packed.

        Fractional counts are left out; a model of such counts cannot learn after it was loaded.
        """
        with self._updating():
            values = {
                "n_features": self.n_features_in_,
                "trust": self.trust_,
                "translated": self.translated_,
                "notes": self.notes_,
            }
            if self._declared:
                values["classes"] = list(self._declared)
            return {**self.weights_.to_arrays(), **self._documents_to_arrays()}, values

    def read_arrays(self, arrays: ArraysByName, values: Mapping[str, Any]) -> Self:
        """Restore the state that :meth:`to_arrays` returned; ``classes_`` must be set before."""
        self.n_features_in_, self.trust_, self.translated_, self.notes_ = check_values(values)
        self._declared = _check_declared(values.get("classes", []), self.classes_)
        n_classes = len(self.classes_)
        given = {name: array for name, array in arrays.items() if name not in _DOCUMENT_ARRAYS}
        self.weights_ = PooledWeights.from_arrays(given, self.n_features_in_, n_classes)
        self.label_distributions_ = np.zeros((0, n_classes))
        self.labels_ = LabelIndex(self.classes_.tolist())
        self.documents_ = self._documents_from_arrays(arrays)
        return self

    def _documents_to_arrays(self) -> dict[str, NDArray[Any]]:
        """Return counts and class numbers of the documents, in their canonical order."""
        numbers = self._class_numbers()
        order = self._canonical_order(numbers)
        if not len(order):
            return {}
        try:
            packed = pack_rows(self._all_counts()[order])
        except CountError:
            return {}
        return {"documents": packed, "labels": numbers[order].astype(np.int32)}

    def _documents_from_arrays(self, arrays: ArraysByName) -> DocumentStore:
        """Return the documents of a file; files of earlier releases have none."""
        n_classes = len(self.classes_)
        documents = DocumentStore(self.n_features_in_, n_classes)
        if not _DOCUMENT_ARRAYS & arrays.keys():
            return documents
        numbers = check_int_array(arrays, "labels", (None,), -1, n_classes)
        if "documents" not in arrays:
            raise FileError("documents is missing.")
        counts = unpack_rows(arrays["documents"], (len(numbers), self.n_features_in_))
        labelled = numbers >= 0
        sizes = np.bincount(numbers[labelled], minlength=n_classes)
        if not np.array_equal(sizes, self.class_documents_):
            raise FileError(
                "the classes of the stored documents are not those of the counts. Is the file "
                "damaged?"
            )
        starts = np.append(0, np.cumsum(labelled))
        cells = np.ones(starts[-1]), numbers[labelled], starts
        documents.learn(counts, sparse.csr_array(cells, shape=(len(numbers), n_classes)))
        return documents

    def _check_pool(self) -> DocumentPool:
        check_is_fitted(self)
        if self.pool_ is None:
            raise LabelError(
                "this model has no pool: it was dropped, or the model was loaded from a file, "
                "which does not store it. To use the pool, call settle() or fit the model again."
            )
        return self.pool_

    def _train(self, X: Any, truth: sparse.csr_array[Any], unlabelled: Any = None) -> None:
        self._check_parameters()
        _check_table_size(X.shape[1], truth.shape[1])
        _check_one_label(truth.toarray(), self.multi_label)
        self.multi_label_ = False
        documents = DocumentStore(X.shape[1], truth.shape[1])
        if not X.shape[0]:
            self.classes_ = label_array([])
        documents.learn(sparse.csr_array(X), truth)
        if unlabelled is not None:
            others = self._check_unlabelled(unlabelled)
            documents.learn(others, _no_labels(others))
        self.documents_, self.labels_ = documents, LabelIndex(self.classes_.tolist())
        self._settle()

    def _check_unlabelled(self, unlabelled: Any) -> Rows[Any]:
        """Return the counts of documents without labels; there may be none."""
        shape = unlabelled.shape if hasattr(unlabelled, "shape") else np.shape(unlabelled)
        n_terms = self.n_features_in_
        if len(shape) == 2 and shape[1] != n_terms:
            raise CountError(
                f"unlabelled has {shape[1]} columns, but the documents with labels have {n_terms}. "
                "Were both counted by the same vectorizer?"
            )
        if shape[:1] == (0,):
            return sparse.csr_array((0, n_terms))
        return sparse.csr_array(check_matrix(self, unlabelled, reset=False, open_width=False))

    # Documents come and go.

    @contextmanager
    def _updating(self) -> Iterator[None]:
        """Let no other thread change the model meanwhile; others can predict."""
        check_is_fitted(self)
        with self.documents_.update_lock:
            yield

    def _check_has_documents(self) -> None:
        if not len(self.documents_) and self.class_documents_.any():
            raise NotAdditiveError(
                "this model cannot be updated: its file does not hold the documents that it was "
                "trained on, because it is of an earlier release or their counts are fractional. "
                "Train it again."
            )

    def _check_columns(self, X: Any) -> Rows[Any]:
        """Return counts that are to be learned or forgotten, of any number of columns."""
        self._check_has_documents()
        # Without rows there is nothing to check, and scikit-learn would raise an error.
        if hasattr(X, "shape") and X.shape[:1] == (0,):
            return sparse.csr_array((0, self.n_features_in_))
        return canonical_counts(check_matrix(self, X, reset=False, open_width=True))

    def _read_labelled(self, X: Any, y: Any) -> tuple[Rows[Any], Rows[Any], LabelIndex]:
        """Return checked counts, their labels as an indicator matrix, and all labels."""
        X = self._check_columns(X)
        targets = read_targets(y)
        check_lengths(X, targets)
        # A copy, so that a change that fails leaves no new labels behind.
        label_index = self.labels_.copy()
        starts, ids = label_index.encode(targets.labels, X.shape[0])
        labels = sparse.csr_array(
            (np.ones(len(ids)), ids, starts), shape=(X.shape[0], len(label_index))
        )
        _check_one_label(np.diff(labels.indptr)[:, None], self.multi_label)
        return X, labels, label_index

    def _add(self, X: Rows[Any], labels: Rows[Any], label_index: LabelIndex) -> Self:
        """Learn documents, or raise an error and change nothing."""
        if not X.shape[0]:
            return self
        _check_table_size(max(X.shape[1], self.n_features_in_), len(label_index))
        before, self.labels_ = self.labels_, label_index
        self.documents_.learn(X, labels)
        try:
            pool, fitted = self.pool_, self._fitted
            if pool is None or fitted is None or self._is_settling_due(labels):
                self._settle()
                return self
            width = max(X.shape[1], pool.n_columns)
            pool = pool.append(
                with_columns(X, width), 1 / (1 + self.topicality), self._strings(width)
            )
            places = np.append(
                self.pool_rows_, np.arange(pool.n_documents - X.shape[0], pool.n_documents)
            )
            self._fit_pool(pool, places, fitted.after_append(pool))
        except BaseException:
            self.documents_.forget(X, labels)
            self.labels_ = before
            raise
        return self

    def _remove(self, X: Rows[Any], labels: Rows[Any]) -> Self:
        """Forget documents, or raise an error and change nothing."""
        if not X.shape[0]:
            return self
        remaining = self.documents_.forget(X, labels)
        try:
            pool, fitted = self.pool_, self._fitted
            if pool is None or fitted is None or self._is_settling_due(labels):
                self._settle()
                return self
            kept = np.sort(self.pool_rows_[remaining])
            places = np.searchsorted(kept, self.pool_rows_[remaining])
            self._fit_pool(pool.take(kept), places, fitted.after_take(kept))
        except BaseException:
            self.documents_.learn(X, labels)
            # The documents are in another order now than the rows of the pool.
            self.drop_pool()
            raise
        return self

    def _is_settling_due(self, labels: Rows[Any]) -> bool:
        """Count documents that change; return True if they are too many since the last settling."""
        self._n_changed += labels.shape[0]
        self._n_changed_labels += labels.nnz
        n_labels = self.class_documents_.sum()
        return bool(
            self._n_changed > _SETTLING_SHARE * self._n_settled
            or self._n_changed_labels > _SETTLING_SHARE * n_labels
        )

    def _settle(self) -> None:
        """Prepare the pool of all documents, in canonical order, and fit to the labels."""
        numbers = self._class_numbers()
        order = self._canonical_order(numbers)
        places = np.argsort(order)
        bar = progress_bar("learning from the pool", 3 + self.rounds, self.verbose)
        with bar as step, one_blas_thread():
            counts = self._all_counts()[order]
            rows, truth, _ = self._labelled_rows(places, numbers)
            pool = DocumentPool.from_counts(
                counts,
                Topicality(self.topicality, seed=self.random_state),
                self.n_components,
                self.min_df,
                self.beta,
                thread_count(self.n_jobs),
                self._strings(counts.shape[1]),
                (rows, truth),
            )
            self._frequencies = np.bincount(counts.indices, minlength=counts.shape[1])
            step()
            self._fit_pool(pool, places, step=step)
        self._n_settled, self._n_changed, self._n_changed_labels = len(order), 0, 0

    def _strings(self, n_columns: int) -> NDArray[np.bool_] | None:
        """Return True for columns that are strings of characters; None if all are words."""
        if self.terms is None:
            return None
        return self.terms.are_strings()[:n_columns]

    def _weigh_names(self, names: list[Any], n_columns: int) -> Rows[Any] | None:
        """Return the weights of the words in the names of classes; None to ignore the names."""
        if self.class_words is None:
            return None
        frequencies = np.zeros(n_columns, dtype=np.int64)
        frequencies[: len(self._frequencies)] = self._frequencies
        return with_columns(self.class_words(names, frequencies), n_columns)

    def _check_declared(
        self, names: list[Any], words: Rows[Any] | None, pool: DocumentPool, truth: FloatArray
    ) -> None:
        """Raise LabelError if a class has neither a document nor a known word in its name."""
        for at in np.flatnonzero(~truth.any(axis=0)) if self._declared else ():
            weighted: Any = [] if words is None else words[[at]].indices
            if not np.isin(weighted, pool.views.columns[~pool.views.strings]).any():
                raise LabelError(
                    f"nothing is known of the class {names[at]!r}: it has no labelled document, "
                    "and no word of its name occurs in several of the texts. Give it a description "
                    "with such words (descriptions=), or a labelled document."
                )

    def _is_near(self, names: list[Any], n_labelled: int) -> bool:
        """Return True if a fit to these labels may start from the present one.

        Otherwise EM would stay near the solution for other labels.
        """
        same = not self._n_changed_labels or n_labelled >= _MIN_WARM_LABELS
        return same and names == self.classes_.tolist()

    def _all_counts(self) -> Rows[Any]:
        """Return the counts of all documents, in the order in which they were learned."""
        counts = self.documents_.counts
        return with_columns(counts, max(counts.shape[1], self.n_features_in_))

    def _class_numbers(self) -> NDArray[np.int64]:
        """Return the class of each document as its position among sorted labels; -1 for none."""
        labels = self.documents_.labels
        position = np.zeros(len(self.labels_), dtype=np.int64)
        for at, name in enumerate(self._present_labels()):
            number = self.labels_.find(name)
            if number >= 0:  # not a class without documents
                position[number] = at
        numbers = np.full(labels.shape[0], -1, dtype=np.int64)
        numbers[np.diff(labels.indptr) > 0] = position[labels.indices]
        return numbers

    def _present_labels(self) -> list[Any]:
        """Return the sorted labels of the documents, and those that were given as classes."""
        present = np.unique(self.documents_.labels.indices)
        return sort_labels({*(self.labels_.names[at] for at in present), *self._declared})

    def _canonical_order(self, numbers: NDArray[np.int64]) -> NDArray[np.intp]:
        """Return an order of the documents that depends on their counts and classes only.

        Documents are sorted by a hash of their counts, and equal ones by their classes.
        """
        counts = self.documents_.counts
        hashes = document_keys(counts, sparse.csr_array((counts.shape[0], 0)))
        halves = np.frombuffer(b"".join(hashes), dtype=">u8").reshape(-1, 2)
        return np.lexsort((numbers, halves[:, 1], halves[:, 0]))

    def _labelled_rows(self, places: Any, numbers: Any) -> tuple[Any, FloatArray, Any]:
        """Return the pool rows of labelled documents, ascending, their labels, and the order.

        ``order[i]`` is the number of row i among the labelled documents as they were learned.
        """
        labelled = np.flatnonzero(numbers >= 0)
        order = np.argsort(places[labelled])
        truth = np.zeros((len(labelled), len(self._present_labels())))
        truth[np.arange(len(labelled)), numbers[labelled[order]]] = 1.0
        return places[labelled[order]], truth, order

    def _fit_pool(
        self,
        pool: DocumentPool,
        places: NDArray[np.intp],
        start: _FittedPool | None = None,
        step: Callable[[], None] = lambda: None,
    ) -> None:
        """Fit to the labelled documents, and set the fitted attributes.

        Parameters
        ----------
        pool : DocumentPool
            All documents.
        places : ndarray of int
            The row of the pool of each document, in the order in which they were learned.
        start : _FittedPool, default=None
            To start from, if it has the same classes.
        step : callable
            For a progress bar.
        """
        numbers = self._class_numbers()
        names = self._present_labels()
        rows, truth, _ = self._labelled_rows(places, numbers)
        words = self._weigh_names(names, pool.n_columns)
        self._check_declared(names, words, pool, truth)
        if start is not None and not self._is_near(names, len(rows)):
            start = None
        with one_blas_thread():
            fitted = self._fit_labels(pool, rows, truth, step, start=start, names=words)
        # At once, for other threads that predict.
        with self.documents_.lock:
            self.classes_ = label_array(names)
            self.class_documents_ = truth.sum(axis=0).astype(np.int64)
            self.n_features_in_ = max(self.n_features_in_, pool.n_columns)
            self.weights_, self.trust_ = fitted.weights, fitted.trust
            self.translated_ = fitted.translated
            self.label_distributions_ = fitted.posteriors[places[numbers < 0]]
            self.notes_ = _training_notes(fitted, len(truth), pool.n_documents)
            self.pool_, self.pool_rows_, self._fitted = pool, places, fitted
            self._measured, self._names = fitted.measured, words

    def _fit_labels(
        self,
        pool: DocumentPool,
        rows: Any,
        truth: FloatArray,
        step: Callable[[], None] = lambda: None,
        unseen: Any = (),
        measured: Trust | None = None,
        start: _FittedPool | None = None,
        names: Rows[Any] | None = None,
    ) -> _FittedPool:
        """Fit to labelled documents of the pool.

        Documents in ``unseen`` take part neither in EM nor in the regression, which would fit
        documents that are to be held out. ``measured`` is the trust to use; None to measure it.
        With ``start``, the fit to nearly the same documents, EM and the regression go on from
        there, and trust is not measured. ``names`` has the weights of the words in the names of
        the classes; each name then counts as a document of its class, or as a part of one if the
        names fit the labelled documents badly.
        """
        if not truth.shape[1]:
            return _FittedPool.without_labels(pool)
        if start is not None:
            measured = start.measured
        elif measured is None:
            measured = Trust.from_held_out(pool, rows, truth, translate=bool(self.translation))
        auto = self.translation == "auto"
        translate = measured.use_translation if auto else bool(self.translation)
        n_documents, n_labelled = pool.n_documents, len(rows)
        if names is not None:
            pool, rows, truth = add_names(pool, rows, truth, names, translate)
        # A name is not like a document: where classes have some, the anchor needs no names.
        sizes = truth[:n_labelled].sum(axis=0)
        trained = slice(n_labelled if sizes.all() and np.median(sizes) > _MAX_NAMED else None)
        estimator = None if self.anchor is None else clone(self.anchor)
        anchor = Anchor.from_labels(pool, rows[trained], truth[trained], self.cost, estimator)
        step()
        words = ClassWords.from_labels(pool, rows, truth, translate)
        em = AnchoredEM(self.rounds, self.length, self.concentration, self.annealing)
        if n_labelled == 0:
            em = replace(em, even_share=_EVEN_SHARE_OF_NAMES)
        if start is not None:
            em = replace(em, rounds=_WARM_ROUNDS, annealing=1.0)
        anchor_log_probs = anchor.log_probabilities(pool)

        def run_em(trust: float) -> PoolPosteriors:
            evidence = _interpolate(_ANCHOR_IN_EM, trust) * anchor_log_probs
            posteriors = None if start is None else start.posteriors
            if posteriors is not None:
                posteriors = np.pad(posteriors, ((0, pool.n_documents - n_documents), (0, 0)))
            return em.run(pool, rows, truth, words, evidence, step, unseen, posteriors)

        evenness = 1.0 if start is None else start.evenness
        trust = self.trust
        if trust is None:
            trust = measured.anchor_trust(evenness, self.doubt)
        expected = run_em(trust)
        # Only EM shows how even the classes of the pool are; uneven ones need more trust.
        evenness = expected.evenness
        if self.trust is None and measured.anchor_trust(evenness, self.doubt) > trust:
            trust = measured.anchor_trust(evenness, self.doubt)
            expected = run_em(trust)
        posteriors = expected.posteriors.copy()
        posteriors[rows] = truth / truth.sum(axis=1, keepdims=True)
        document_weight = document_weights(pool, rows, self.labelled_weight, unseen)
        document_weight[rows] *= truth.sum(axis=1)
        regression, _ = posterior_regression(
            pool,
            posteriors,
            document_weight,
            self.penalty,
            None if start is None else start.regression,
        )
        weights = self._sum_weights(
            pool,
            regression,
            anchor,
            expected,
            anchor_factor=_interpolate(_ANCHOR_IN_SCORES, trust),
            word_factor=_MAX_NAIVE_BAYES * measured.naive_bayes_trust(evenness),
        )
        step()
        return _FittedPool(
            weights,
            expected.posteriors[:n_documents],
            float(trust),
            measured,
            translate,
            regression,
            evenness,
            pool.n_documents > n_documents,
        )

    def _sum_weights(
        self,
        pool: DocumentPool,
        regression: FloatArray,
        anchor: Anchor,
        expected: PoolPosteriors,
        anchor_factor: float,
        word_factor: float,
    ) -> PooledWeights:
        """Return the weighted sum of regression, anchor and naive Bayes."""
        # The mean over classes does not change predictions, and would cost digits in float32.
        log_probs = expected.word_log_probs
        centred = log_probs - log_probs.mean(axis=1, keepdims=True)
        concentration = word_factor * self.concentration
        return PooledWeights.from_float64(
            pool.views,
            units=_REGRESSION_SCALE * regression + anchor_factor * anchor.units,
            shares=word_factor * self.length * centred,
            latent=anchor_factor * anchor.latent + concentration * expected.directions,
            bias=anchor_factor * anchor.bias + word_factor * expected.log_priors,
        )

    def _decide(self, X: Any) -> FloatArray:
        if not len(self.classes_):
            raise ScoreError(
                "this PooledNB has no labelled documents left: all were forgotten. Learn some "
                "first."
            )
        counts = canonical_counts(X)
        counts = with_columns(counts, max(counts.shape[1], self.n_features_in_))
        return self.weights_.scores(counts, thread_count(self.n_jobs))

    def _summands(self, row: Any) -> Summands:
        # to_documents sorts the terms as explanations list them.
        document = to_documents(row)
        parts = document.values, document.terms, document.starts
        return self.weights_.summands(sparse.csr_array(parts, shape=row.shape), self.classes_)

    def _check_parameters(self) -> None:
        if self.translation not in (True, False, "auto"):
            raise ValueError(
                f"translation must be True, False or 'auto', not {self.translation!r}."
            )
        for name in ("min_df", "rounds"):
            check_whole(name, getattr(self, name), 1)
        if self.n_components is not None:
            check_whole("n_components", self.n_components, 1)
        check_whole("random_state", self.random_state, 0)
        for name in ("cost", "length", "penalty", "labelled_weight"):
            check_between(name, getattr(self, name), 1e-9, 1e9)
        for name in ("topicality", "concentration"):
            check_between(name, getattr(self, name), 0.0, 1e6)
        check_between("beta", self.beta, 0.0, 0.999)
        check_between("annealing", self.annealing, 1e-6, 1.0)
        if self.trust is not None:
            check_between("trust", self.trust, 0.0, 1.0)
        check_between("doubt", self.doubt, 0.0, 1e6)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_label = False
        return tags


class _FittedPool(NamedTuple):
    """Result of fitting to labels; ``posteriors`` are those of all documents of the pool."""

    weights: PooledWeights
    posteriors: FloatArray
    trust: float
    measured: Trust
    translated: bool
    regression: FloatArray
    evenness: float
    named: bool = False

    @classmethod
    def without_labels(cls, pool: DocumentPool) -> _FittedPool:
        """Return the fit to no labelled document, which has no class."""
        by_term, n_latent = np.zeros((len(pool.views.columns), 0)), pool.views.n_components
        weights = PooledWeights(pool.views, by_term, by_term, np.zeros((n_latent, 0)), np.zeros(0))
        unknown = Trust(np.nan, np.nan, np.nan, 0, np.nan, np.nan)
        posteriors = np.zeros((pool.n_documents, 0))
        return cls(weights, posteriors, 0.0, unknown, False, by_term, 1.0)

    def after_append(self, pool: DocumentPool) -> _FittedPool:
        """Return the fit as a start for a pool with more documents and terms at the end."""
        n_more = pool.n_documents - len(self.posteriors)
        n_terms = len(pool.views.columns) - len(self.regression)
        return self._replace(
            posteriors=np.pad(self.posteriors, ((0, n_more), (0, 0))),
            regression=np.pad(self.regression, ((0, n_terms), (0, 0))),
        )

    def after_take(self, rows: NDArray[np.intp]) -> _FittedPool:
        """Return the fit as a start for a pool of some of its documents."""
        return self._replace(posteriors=self.posteriors[rows])


def _interpolate(ends: tuple[float, float], trust: float) -> float:
    """Return the geometric interpolation between a factor at trust 0 and one at trust 1."""
    return ends[0] * (ends[1] / ends[0]) ** trust


def _training_notes(fitted: _FittedPool, n_labelled: int, n_documents: int) -> list[str]:
    # A model file stores these sentences.
    note = f"weight of the regression on labelled documents: {fitted.trust:.2f} of 1"
    if fitted.measured.is_known:
        note += (
            f" (held-out accuracy {fitted.measured.anchor:.0%}, "
            f"naive Bayes {fitted.measured.naive_bayes:.0%})"
        )
    others = n_documents - n_labelled
    notes = [
        f"learned from {n_labelled:,} labelled and {others:,} other documents",
        note,
        f"co-occurring words were {'' if fitted.translated else 'not '}used as evidence",
    ]
    if fitted.named:
        notes.append("the words of the class names were used as evidence")
    return notes


def _check_one_label(truth: FloatArray, multi_label: bool | None) -> None:
    ambiguous = np.flatnonzero(truth.sum(axis=1) != 1)
    if not (ambiguous.size or multi_label):
        return
    problem = "multi_label=True was given"
    if ambiguous.size:
        problem = f"document {ambiguous[0]} has {int(truth[ambiguous[0]].sum())} labels"
    raise LabelError(
        f"{problem}, but PooledNB needs exactly one label per document. Pass documents without a "
        "label as unlabelled; for several labels per document use RefinedNB or MultinomialNB."
    )


def _check_table_size(n_terms: int, n_classes: int) -> None:
    needed = 8 * n_terms * n_classes
    if needed > MAX_TABLE_BYTES:
        raise CountError(
            f"{n_terms:,} columns times {n_classes:,} classes need a table of "
            f"{needed / 2**30:.1f} GiB, and the limit of PooledNB is "
            f"{MAX_TABLE_BYTES / 2**30:.0f}. Reduce the vocabulary by min_df or max_features of "
            "the vectorizer, or use MultinomialNB."
        )


def _check_folds(folds: Any, n_documents: int) -> NDArray[np.int64]:
    numbers = np.asarray(folds)
    if numbers.shape != (n_documents,) or numbers.dtype.kind not in "iu":
        raise ValueError(
            f"folds must be {n_documents} whole numbers, one for each labelled document, not "
            f"{numbers.dtype} of shape {numbers.shape}."
        )
    return numbers.astype(np.int64)


def _no_labels(X: Rows[Any]) -> Rows[Any]:
    """Return the indicator matrix of documents without labels."""
    return sparse.csr_array((X.shape[0], 0))


_DOCUMENT_ARRAYS = {"documents", "labels"}
_ARRAY_NAMES = {"columns", "emphasis", "idf", "directions", "units", "shares", "latent", "bias"}
_VALUE_NAMES = {"n_features", "trust", "translated", "notes"}
# Files of format 4 and earlier lack these.
_LATER_ARRAY_NAMES, _LATER_VALUE_NAMES = {"strings"}, {"classes"}


@dataclass(frozen=True)
class PooledWeights:
    r"""Linear scores of documents in three views.

    .. math:: s_c(d) = b_c + \sum_w v_w A_{wc} + \sum_w u_w B_{wc} + \sum_i z_i C_{ic}

    Attributes
    ----------
    views : Views
        Computes v, u and z of a document.
    units, shares : ndarray of shape (n_terms, n_classes)
        A and B.
    latent : ndarray of shape (n_components, n_classes)
        C.
    bias : ndarray of shape (n_classes,)
    """

    views: Views
    units: FloatArray
    shares: FloatArray
    latent: FloatArray
    bias: FloatArray

    @classmethod
    def from_float64(
        cls,
        views: Views,
        units: FloatArray,
        shares: FloatArray,
        latent: FloatArray,
        bias: FloatArray,
    ) -> Self:
        """Round weights to the precision of a file, so that a saved model predicts the same."""
        parts = (units, shares, latent, bias)
        return cls(views, *(part.astype(np.float32).astype(np.float64) for part in parts))

    def scores(self, counts: Rows[Any], n_threads: int) -> FloatArray:
        """Return the score of each class for each document."""
        counts = self.views.select_terms(counts)
        units = SparseProducts(self.views.units(counts), n_threads)
        shares = SparseProducts(self.views.shares(counts), n_threads)
        scores = units.times(self.units) + shares.times(self.shares)
        return scores + self.views.latent(units) @ self.latent + self.bias

    def pool_scores(self, pool: DocumentPool, rows: Any) -> FloatArray:
        """Return the scores of some documents of the pool, whose views are known."""
        scores = pool.units.matrix[rows] @ self.units + pool.shares.matrix[rows] @ self.shares
        return scores + pool.latent[rows] @ self.latent + self.bias

    def summands(self, row: Rows[Any], classes: NDArray[Any]) -> Summands:
        """Return the part of each word in the scores of one document."""
        weighted, places = _find_columns(row.indices, self.views.columns)
        parts = row.data[weighted], places, np.array([0, len(places)])
        selected = sparse.csr_array(parts, shape=(1, len(self.views.columns)))
        terms, zeros = np.zeros((len(weighted), len(classes))), np.zeros(len(classes))
        terms[weighted] = self._term_scores(selected)
        return Summands(
            classes=classes,
            counts=row.data,
            # A word that is too common or too rare to have a weight is not an unknown word.
            known=np.ones(len(weighted), dtype=bool),
            terms=terms,
            prior=self.bias,
            constant=zeros,
            length=zeros,
            scores=terms.sum(axis=0) + self.bias,
        )

    def _term_scores(self, row: Rows[Any]) -> FloatArray:
        """Return the part of each word of a document in the scores, words by classes."""
        units, shares = self.views.units(row), self.views.shares(row)
        scores = units.data[:, None] * self.units[row.indices]
        scores += shares.data[:, None] * self.shares[row.indices]
        # z is the sum of the words' projections, divided by a length that is the document's own.
        projections = units.data[:, None] * self.views.directions[row.indices]
        length = np.sqrt(np.square(projections.sum(axis=0)).sum())
        return scores + (projections / length if length > 0 else projections) @ self.latent

    def to_arrays(self) -> dict[str, NDArray[Any]]:
        """Return all attributes as arrays by name, for a file."""
        names = ("units", "shares", "latent", "bias")
        parts = {name: getattr(self, name).astype(np.float32) for name in names}
        return {**self.views.to_arrays(), **parts}

    @classmethod
    def from_arrays(
        cls, arrays: Mapping[str, NDArray[Any]], n_features: int, n_classes: int
    ) -> Self:
        """Read the arrays of :meth:`to_arrays`.

        Raises
        ------
        FileError
            If the arrays are not weights of n_features columns and n_classes classes.
        """
        check_array_names(arrays, _ARRAY_NAMES | (_LATER_ARRAY_NAMES & arrays.keys()))
        views = Views.from_arrays(arrays, n_features)
        n_terms, n_components = views.directions.shape
        return cls(
            views,
            units=check_float32_array(arrays, "units", (n_terms, n_classes)),
            shares=check_float32_array(arrays, "shares", (n_terms, n_classes)),
            latent=check_float32_array(arrays, "latent", (n_components, n_classes)),
            bias=check_float32_array(arrays, "bias", (n_classes,)),
        )


def _find_columns(terms: Any, columns: NDArray[np.int64]) -> tuple[Any, Any]:
    """Return a mask of the terms that are among the columns, and their positions there."""
    places = np.minimum(np.searchsorted(columns, terms), max(len(columns) - 1, 0))
    known = columns[places] == terms if len(columns) else np.zeros(len(terms), dtype=bool)
    return known, places[known]


def _check_declared(labels: Any, classes: NDArray[Any]) -> tuple[Any, ...]:
    """Return the classes that were given to fit, of a file."""
    known = classes.tolist()
    if not isinstance(labels, list) or not all(each in known for each in labels):
        raise FileError(f"these are not classes of the model: {labels!r:.80}.")
    return tuple(labels)


def check_values(values: Mapping[str, Any]) -> tuple[int, float, bool, list[str]]:
    """Check the values of a file; return n_features, trust, translated and notes.

    Raises
    ------
    FileError
        If these are not the values of a pooled model.

    Examples
    --------
    >>> check_values({"n_features": 9, "trust": 0.5, "translated": True, "notes": ["learned"]})
    (9, 0.5, True, ['learned'])
    """
    names = set(values) - _LATER_VALUE_NAMES if isinstance(values, Mapping) else set()
    if names != _VALUE_NAMES:
        raise FileError(f"these are not the values of a pooled model: {values!r:.80}.")
    n_features, trust = values["n_features"], values["trust"]
    translated, notes = values["translated"], values["notes"]
    valid = isinstance(trust, int | float) and 0 <= trust <= 1 and isinstance(translated, bool)
    valid = valid and type(n_features) is int and 0 < n_features < 2**31
    if not valid or not (isinstance(notes, list) and all(isinstance(each, str) for each in notes)):
        raise FileError(f"these are not the values of a pooled model: {values!r:.80}.")
    return n_features, float(trust), translated, notes

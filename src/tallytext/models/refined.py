"""RefinedNB: a linear support vector machine centred on naive Bayes, which learns and forgets."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from hashlib import blake2b
from threading import RLock
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from tallytext._core import DualDescent, LiveDescent, unit_scores
from tallytext._estimators import check_is_fitted, clone
from tallytext._typing import FloatArray
from tallytext._validation import check_between, check_matrix, check_random_state, check_whole
from tallytext.errors import (
    CountError,
    FileError,
    NegativeCountError,
    NotAdditiveError,
    ScoreError,
)
from tallytext.features.tf_idf import canonical_csr, log_tf
from tallytext.models.base import (
    ArraysByName,
    DocumentRows,
    Summands,
    TopClasses,
    TrainedClassifier,
    Weights,
    check_one_label,
    tie_order,
    to_documents,
    top_classes,
)
from tallytext.models.class_counts import ClassCounts
from tallytext.models.multinomial import MultinomialNB
from tallytext.models.packed_rows import pack_rows, unpack_rows
from tallytext.models.smoothing.base import term_emphasis
from tallytext.runtime import progress_bar, rows_per_block, thread_count
from tallytext.tally.labels import (
    LabelIndex,
    Targets,
    check_lengths,
    label_array,
    read_targets,
    sort_labels,
)
from tallytext.text.duplicates import document_keys
from tallytext.text.vocabulary import Vocabulary

MAX_WEIGHT_BYTES = 2**31
"""Largest size of the weights of all terms and classes."""

_BIAS_FEATURE = 0.3  # value of the constant feature of all documents; the core has the same
_MIN_CHI_SQUARE = 1e-6

# Steps on other documents after each document that is learned, or forgotten. Without a step,
# forgetting ruins a model, because the dual variables of the others balanced those of the document.
_STEPS_LEARN, _STEPS_FORGET = 8, 64
# A batch of more than this share of the documents is followed by one pass over all of them, and so
# is the document with which so many have changed since the scale and the centre were estimated.
_MAX_CHANGED = 0.5
_MIN_CHANGED = 16

_LARGEST_HALF = float(np.finfo(np.float16).max)

Float32Array = NDArray[np.float32]


class RefinedNB(TrainedClassifier):
    r"""A linear support vector machine whose regulariser is centred on naive Bayes.

    A document is a vector of length one, :math:`v_w \propto (1 + \ln x_w)\, \mathrm{idf}_w\,
    (\chi^2_w)^p`. For each class, with y = +1 for its documents and −1 for all others, minimise

    .. math:: \tfrac12 \lVert w - w_0 \rVert^2 + C \sum_i \max(0,\, 1 - y_i\, w \cdot x_i)^2

    where :math:`w_0` are the weights of naive Bayes, scaled to fit ±1 best by least squares, times
    ``centre``. With ``centre=0`` and ``chi_power=0`` it is ``LinearSVC`` on tf-idf. Weights that
    the documents do not contradict stay those of naive Bayes.

    Dual coordinate descent trains all classes in one sweep over the documents; a few passes
    suffice. The weights need four bytes for each term and class.

    The problem has one solution, which depends only on the documents. So the model can learn and
    forget single documents: it stores the counts of its documents and a dual variable for each
    document and class, see the notes.

    Parameters
    ----------
    cost : float, default=1.0
        C, the cost of errors relative to the regulariser.
    passes : int, default=8
        Number of sweeps over all documents.
    centre : float, default=0.8
        Factor of the naive Bayes weights in the centre of the regulariser; 0 for none.
    chi_power : float, default=0.2
        p, the power of a term's largest :math:`\chi^2` over the classes; 0 for plain tf-idf.
    nb : MultinomialNB, default=None
        The model to refine; None for :meth:`MultinomialNB.chi_contrast`. It is copied.
    random_state : int, RandomState instance or None, default=0
        Determines the order of documents.
    keep : bool, default=True
        True to store the counts of documents, so that the model can learn and forget.
    multi_label : bool, default=None
        True to decide for each class independently; None if training documents have several
        labels.
    n_jobs : int, default=None
        Number of threads, see :func:`tallytext.runtime.thread_count`. Results do not depend on it.
    verbose : bool, default=None
        True to show a progress bar; None to show it on a terminal if training takes long.

    Attributes
    ----------
    classes_ : ndarray
        The labels, sorted.
    coef_ : ndarray of shape (n_classes, n_features)
        Weights of the features for each class.
    intercept_ : ndarray of shape (n_classes,)
        The bias of each class.
    scale_ : ndarray of shape (n_features,)
        :math:`\mathrm{idf}_w (\chi^2_w)^p`, zero for terms that occur in no training document.

    Notes
    -----
    At any time :math:`w = w_0 + \sum_i a_i y_i x_i`, with a dual variable :math:`a_i \ge 0` for
    each document and class. :meth:`learn` appends a document, moves its dual variables to their
    optimum, then those of eight others at random, then its own again. :meth:`forget` subtracts
    :math:`a_i y_i x_i` and moves those of 64 others. Scale and centre are held meanwhile;
    :meth:`refit` estimates both again and makes a pass over all documents, starting from their
    dual variables. It is called automatically when half as many documents as it holds have changed.

    :meth:`settle` trains from scratch on the stored documents. Training sorts documents by their
    contents, so the result depends on the multiset of documents and not on their history.

    Weights are rounded to half precision (11 bits) at the end of training, as they are stored.

    Examples
    --------
    >>> from tallytext import TextVectorizer
    >>> vectorizer = TextVectorizer()
    >>> X = vectorizer.fit_transform(["salt wave", "salt sea", "blue cloud", "blue sky"])
    >>> model = RefinedNB().fit(X, ["sea", "sea", "sky", "sky"])
    >>> model.predict(vectorizer.transform(["a blue wave in the sky"]))
    array(['sky'], dtype='<U3')
    """

    _state: _Reading
    _kept: KeptDocuments | PackedDocuments | None = None
    #: The terms of the columns, if strings of characters among them are optional.
    optional_terms: Vocabulary | None = None
    _optional: NDArray[np.bool_] | None = None

    def __init__(
        self,
        cost: float = 1.0,
        passes: int = 8,
        centre: float = 0.8,
        chi_power: float = 0.2,
        nb: MultinomialNB | None = None,
        random_state: Any = 0,
        keep: bool = True,
        multi_label: bool | None = None,
        n_jobs: int | None = None,
        verbose: bool | None = None,
    ) -> None:
        self.cost = cost
        self.passes = passes
        self.centre = centre
        self.chi_power = chi_power
        self.nb = nb
        self.random_state = random_state
        self.keep = keep
        self.multi_label = multi_label
        self.n_jobs = n_jobs
        self.verbose = verbose

    @property
    def weights_(self) -> UnitWeights:
        """The weights at this moment, with the columns of ``classes_``."""
        state = self._state
        if state.weights is not None:
            return state.weights
        assert state.live is not None
        scale, rows, bias = state.live.weights()
        columns = state.columns
        return UnitWeights(scale, np.ascontiguousarray(rows[:, columns]), bias[columns])

    @property
    def coef_(self) -> Float32Array:
        """Weights of the features for each class."""
        return self.weights_.rows.T

    @property
    def intercept_(self) -> Float32Array:
        """The bias of each class."""
        return self.weights_.bias

    @property
    def scale_(self) -> Float32Array:
        """Scale of each term, before documents are normalised to length one."""
        return self.weights_.scale

    @property
    def n_documents_(self) -> int:
        """Number of documents that the model holds; 0 if it stores none."""
        live = self._state.live
        if live is not None:
            return len(live)
        return 0 if self._kept is None else self._kept.n_documents

    def fit(
        self,
        X: Any,
        y: Any,
        sample_weight: Any = None,
        *,
        optional: NDArray[np.bool_] | None = None,
    ) -> Self:
        """Train on documents; an earlier training is discarded.

        Parameters
        ----------
        X : sparse matrix, sparse array or array-like of shape (n_documents, n_terms)
            Counts.
        y : sequence of length n_documents
            One label per document; or, for multi-label documents, a list of labels per document
            or an indicator matrix.
        sample_weight : array-like of shape (n_documents,), default=None
            Factors of the cost of each document; one of weight zero is left out.
        optional : ndarray of shape (n_terms,), default=None
            True for columns that get a weight only if two documents have them.

        Returns
        -------
        self
        """
        X = check_matrix(self, X, reset=True, open_width=False)
        targets = read_targets(y)
        check_lengths(X, targets)
        self._check_parameters()
        costs = _document_costs(X.shape[0], self.cost, sample_weight)
        if not costs.all():
            # A document without weight is no document: its class may have no other.
            kept_rows = np.flatnonzero(costs)
            X, costs = X[kept_rows], costs[kept_rows]
            labels = [targets.labels[row] for row in kept_rows]
            targets = Targets(labels, targets.multi_label, targets.columns)
        truth = self._set_classes_from(targets)
        _check_weight_size(X.shape[1], truth.shape[1])
        counts, names = canonical_csr(X), self.classes_.tolist()
        keys = document_keys(counts, truth, label_hashes(names))
        kept = KeptDocuments(counts, truth, keys, costs, names, optional=optional)
        self._kept, self._optional = None, optional
        self._solve(kept.sort(), self.passes)
        return self

    def learn(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Learn more documents, which may have new columns and new classes.

        Parameters
        ----------
        X : sparse matrix, sparse array or array-like of shape (n_documents, n_terms)
            Counts.
        y : sequence of length n_documents
            Labels, as for :meth:`fit`.
        sample_weight : array-like of shape (n_documents,), default=None
            Factors of the cost of each document, above zero.

        Raises
        ------
        NotAdditiveError
            If the model stores no documents.

        Examples
        --------
        >>> model = RefinedNB().fit([[2, 0], [0, 3]], ["sea", "sky"])
        >>> model.learn([[0, 0, 4]], ["sand"]).predict([[0, 0, 1]])
        array(['sand'], dtype='<U4')
        >>> model.forget([[0, 0, 4]], ["sand"]).classes_
        array(['sea', 'sky'], dtype='<U3')
        """
        check_is_fitted(self)
        with self._lock:
            live = self._wake("learn")
            rows = self._read_documents(X, y)
            costs = _document_costs(rows.n_documents, self.cost, sample_weight)
            is_batch = self._is_many(rows.n_documents)
            # The bias of a class without documents so far: no other document contradicts it.
            live.learn(
                *_row_arrays(rows.counts),
                label_starts=rows.truth.indptr.astype(np.int64),
                labels=rows.truth.indices.astype(np.int32),
                keys=rows.keys,
                costs=costs,
                new_classes=[-1.0] * (len(rows.names) - len(self._names)),
                n_steps=0 if is_batch else _STEPS_LEARN,
            )
            self._set_documents(rows, 1)
            self.n_features_in_ = max(self.n_features_in_, rows.counts.shape[1])
            self._note_changes(rows.n_documents, is_batch)
        return self

    def forget(self, X: Any, y: Any) -> Self:
        """Forget documents that were learned before.

        Parameters
        ----------
        X : sparse matrix, sparse array or array-like of shape (n_documents, n_terms)
            Counts, as they were learned.
        y : sequence of length n_documents
            Labels, as they were learned.

        Raises
        ------
        NegativeCountError
            If one of the documents was never learned with these labels. Nothing changes then.
        NotAdditiveError
            If the model stores no documents.
        """
        check_is_fitted(self)
        with self._lock:
            live = self._wake("forget")
            rows = self._read_documents(X, y)
            is_batch = self._is_many(rows.n_documents)
            if not live.forget(rows.keys, n_steps=0 if is_batch else _STEPS_FORGET):
                raise NegativeCountError(
                    f"cannot forget: {_missing_document(live, rows.keys)} was never learned, or "
                    "with other labels."
                )
            self._set_documents(rows, -1)
            self._note_changes(rows.n_documents, is_batch)
        return self

    def is_learned(self, X: Any, y: Any) -> NDArray[np.bool_]:
        """Return True for each document that the model holds with these labels.

        Parameters
        ----------
        X : sparse matrix, sparse array or array-like of shape (n_documents, n_terms)
            Counts.
        y : sequence of length n_documents
            Labels, as for :meth:`fit`.
        """
        with self._lock:
            live = self._wake("look documents up")
            return np.asarray(live.holds(self._read_documents(X, y).keys))

    def refit(self, passes: int = 1) -> Self:
        """Estimate scale and centre again, and make passes over all documents from where it is.

        Parameters
        ----------
        passes : int, default=1
            Number of sweeps over all documents.
        """
        check_whole("passes", passes, 1)
        with self._lock:
            self._wake("refit")
            if self.n_documents_:
                kept = self._documents()
                self._solve(kept, passes)
                # The result depends on the dual variables that it started from.
                self._is_settled = False
                self._wake("refit")
        return self

    def settle(self) -> Self:
        """Train from scratch on the stored documents, with the same result as :meth:`fit`.

        Returns
        -------
        self
        """
        with self._lock:
            self._wake("settle")
            if self.n_documents_:
                kept = self._documents()
                kept = replace(kept, duals=None).sort()
                self._solve(kept, self.passes)
        return self

    def documents(self) -> tuple[sparse.csr_array[Any], list[Any]]:
        """Return the counts and the labels of the documents that the model holds.

        Returns
        -------
        X : csr_array of shape (n_documents, n_features_in_)
        labels : list
            A label for each document, or a list of labels if documents may have several.
        """
        with self._lock:
            kept = self._documents()
        names = kept.names
        listed: list[Any] = [
            [names[c] for c in kept.truth.indices[first:last]]
            for first, last in zip(kept.truth.indptr, kept.truth.indptr[1:], strict=False)
        ]
        X = kept.counts.copy()
        X.resize(X.shape[0], self.n_features_in_)
        return X, listed if self.multi_label_ else [labels[0] for labels in listed]

    def to_arrays(self) -> tuple[dict[str, NDArray[Any]], dict[str, Any]]:
        """Return the fitted state for a file: weights in half precision, and the documents."""
        arrays = self.weights_.to_arrays()
        values: dict[str, Any] = {}
        if self._state.live is not None or self._kept is not None:
            with self._lock:
                packed = self._documents_or_packed()
            if packed is not None:
                arrays |= packed.arrays
                values = {"documents": packed.n_documents}
        return arrays, values

    def read_arrays(self, arrays: ArraysByName, values: Mapping[str, Any]) -> Self:
        """Restore the state that :meth:`to_arrays` returned; ``classes_`` must be set before."""
        weights = UnitWeights.from_arrays(arrays, len(self.classes_))
        self.n_features_in_ = max(len(weights.scale), getattr(self, "n_features_in_", 0))
        self._kept = None
        if "documents" in values:
            self._kept = PackedDocuments.from_arrays(
                arrays, values["documents"], self.classes_.tolist(), self.n_features_in_
            )
        self._set_settled(weights)
        return self

    def _solve(self, kept: KeptDocuments, passes: int) -> None:
        """Train on documents, from their dual variables if they have any; set the state."""
        truth = kept.truth
        seed, *sweep_seeds = check_random_state(self.random_state).randint(2**31, size=passes + 1)
        start = NaiveBayesStart.from_documents(
            self.nb, kept, self.cost, self.multi_label_, self.n_jobs
        )
        scale = start.scale(self.chi_power, kept.optional)
        starts, terms, counts = _row_arrays(kept.counts)
        descent = DualDescent(
            starts,
            terms,
            counts,
            scale,
            label_starts=truth.indptr.astype(np.int64),
            labels=truth.indices.astype(np.int32),
            n_classes=truth.shape[1],
            costs=kept.costs,
            seed=int(seed),
            n_threads=thread_count(self.n_jobs),
        )
        self._set_start(descent, start, len(scale))
        if kept.duals is not None:
            descent.resume(kept.duals)
        with progress_bar("refining", passes, self.verbose) as step:
            for sweep_seed in sweep_seeds:
                descent.sweep(int(sweep_seed))
                step()
        weights = UnitWeights(scale, _round_to_half(descent.weights()), descent.bias()[0])
        if self.keep:
            self._kept = replace(
                kept, duals=descent.duals(), optional=None, new_scale=start.new_scale(scale)
            )
        self._set_settled(weights)

    def _set_start(self, descent: DualDescent, start: NaiveBayesStart, n_terms: int) -> None:
        """Set the centre of the regulariser."""
        if self.centre:
            for first, rows in start.weight_blocks(n_terms):
                descent.place(first, rows)
        # Least squares: the factor f that minimises the sum of (y - f * w0 . x)^2.
        agreement, square = descent.agreement()
        factor = self.centre * max(agreement, 0.0) / square if square > 0 else 0.0
        counts = start.class_counts
        share = counts.class_documents / counts.n_documents
        # A document without words starts from the mean of y, which is 2 p(c) - 1.
        descent.start(factor, ((2 * share - 1) / _BIAS_FEATURE).astype(np.float32))

    # Documents that come and go. One thread changes the model at a time, and readers need no lock:
    # the state is replaced as a whole, and the native object gives scores of one moment.

    def _set_settled(self, weights: UnitWeights) -> None:
        """Set the state of a model that is trained and has changed no document since."""
        if "_lock" not in vars(self):
            # Made once: a thread may be waiting for it while another one refits the model.
            self._lock = RLock()
        self._n_changed = 0
        self._is_settled = True
        columns = np.arange(len(self.classes_))
        self._state = _Reading(weights, None, self.classes_, columns, self.class_documents_)
        self._names = self.classes_.tolist()
        self._sizes = self.class_documents_.copy()

    def _wake(self, verb: str) -> LiveDescent:
        """Return the native object that holds the documents and the weights."""
        check_is_fitted(self)
        state = self._state
        if state.live is not None:
            return state.live
        kept = self._stored_documents(verb)
        assert state.weights is not None and kept.duals is not None
        live = LiveDescent(
            _padded_scale(state.weights.scale, self.n_features_in_),
            kept.new_scale,
            state.weights.rows,
            state.weights.bias,
            seed=len(kept.keys),
        )
        truth = kept.truth
        live.fill(
            *_row_arrays(kept.counts),
            label_starts=truth.indptr.astype(np.int64),
            labels=truth.indices.astype(np.int32),
            keys=kept.keys,
            costs=kept.costs,
            duals=kept.duals,
        )
        self._kept = None
        self._state = state._replace(weights=None, live=live)
        return live

    def _stored_documents(self, verb: str) -> KeptDocuments:
        """Return the documents of a model that has not changed since training."""
        if self._kept is None:
            raise NotAdditiveError(
                f"cannot {verb}: this model stores no documents. Train it with keep=True."
            )
        return self._kept.unpack() if isinstance(self._kept, PackedDocuments) else self._kept

    def _documents(self) -> KeptDocuments:
        """Return the documents, with their dual variables."""
        live = self._state.live
        if live is None:
            return self._stored_documents("return its documents")
        starts, terms, counts, label_starts, labels, keys, costs, duals = live.documents()
        state, n = self._state, len(keys)
        # Classes in the order of classes_; those that have no document left are dropped.
        column = np.full(len(self._names), -1, dtype=np.int32)
        column[state.columns] = np.arange(len(state.columns))
        return KeptDocuments(
            counts=_csr(counts, terms, starts, (n, self.n_features_in_)),
            truth=_csr(np.ones(len(labels)), column[labels], label_starts, (n, len(state.columns))),
            keys=keys,
            costs=costs,
            names=state.classes.tolist(),
            duals=np.ascontiguousarray(duals[:, state.columns]),
            optional=self._optional_columns(),
        )

    def _optional_columns(self) -> NDArray[np.bool_] | None:
        """Return True for columns that get a weight only if two documents have them."""
        found = self._optional if self.optional_terms is None else self.optional_terms.are_strings()
        if found is None:
            return None
        columns = np.zeros(self.n_features_in_, dtype=bool)
        n = min(len(found), len(columns))
        columns[:n] = found[:n]
        return columns

    def _documents_or_packed(self) -> PackedDocuments | None:
        """Return the documents as they are stored in a file; None if they are not whole counts."""
        if isinstance(self._kept, PackedDocuments):
            return self._kept
        kept = self._documents()
        if kept.counts.nnz and (kept.counts.data != np.floor(kept.counts.data)).any():
            return None
        return PackedDocuments.from_documents(kept)

    def _read_documents(self, X: Any, y: Any) -> KeptDocuments:
        """Return documents to learn or forget, with the names of new classes after the others."""
        # New columns are welcome even where predictions require those of training.
        X = canonical_csr(check_matrix(self, X, reset=False, open_width=True))
        targets = read_targets(y)
        check_lengths(X, targets)
        if self.multi_label is False or not (targets.multi_label or self.multi_label_):
            check_one_label(targets)
        index = LabelIndex(self._names)
        starts, ids = index.encode(targets.labels, X.shape[0])
        truth = _csr(np.ones(len(ids)), ids, starts, (X.shape[0], len(index)))
        keys = document_keys(X, truth, label_hashes(index.names))
        self.multi_label_ = self.multi_label_ or (self.multi_label is None and targets.multi_label)
        return KeptDocuments(X, truth, keys, np.empty(0, np.float32), list(index.names))

    def _set_documents(self, rows: KeptDocuments, sign: int) -> None:
        """Set the classes after documents have been learned (1) or forgotten (-1)."""
        names = rows.names
        sizes = np.zeros(len(names), dtype=np.int64)
        sizes[: len(self._sizes)] = self._sizes
        sizes += sign * np.bincount(rows.truth.indices, minlength=len(names))
        self._names, self._sizes = names, sizes
        by_name = {name: at for at, name in enumerate(names) if sizes[at]}
        classes = sort_labels(by_name)
        columns = np.array([by_name[name] for name in classes], dtype=np.intp)
        self._state = self._state._replace(
            classes=label_array(classes), columns=columns, class_documents=sizes[columns]
        )
        self.classes_, self.class_documents_ = self._state.classes, sizes[columns]

    def _note_changes(self, n: int, is_batch: bool) -> None:
        """Make a pass over all documents if many have changed since the last."""
        if not n:
            return
        self._n_changed += n
        self._is_settled = False
        if is_batch or self._is_many(self._n_changed):
            self.refit()

    def _is_many(self, n: int) -> bool:
        """Return True if so many changed documents need a pass over all."""
        return n > max(_MIN_CHANGED, _MAX_CHANGED * self.n_documents_)

    @property
    def is_settled(self) -> bool:
        """True if it was trained from scratch on the documents that it holds now."""
        return self._is_settled

    # Scores.

    def scores_lengths_classes(self, X: Any) -> tuple[FloatArray, FloatArray, NDArray[Any]]:
        """Return :meth:`scores`, lengths of one, and the labels of the columns.

        Parameters
        ----------
        X : sparse matrix, sparse array or array-like of shape (n_documents, n_terms)
            Counts.
        """
        documents = to_documents(self._check_counts(X))
        state = self._state
        scores = state.scores(documents, thread_count(self.n_jobs))
        return scores, np.ones(len(scores)), state.classes

    def _decide(self, X: Any) -> FloatArray:
        return self._state.scores(to_documents(X), thread_count(self.n_jobs))

    def _top_classes(self, X: Any, k: int) -> tuple[TopClasses, NDArray[Any]]:
        documents = to_documents(self._check_counts(X))
        state = self._state
        scores = state.scores(documents, thread_count(self.n_jobs))
        return top_classes(scores, k, tie_order(state.class_documents)), state.classes

    def _summands(self, row: Any) -> Summands:
        return self.weights_.summands(to_documents(row), self.classes_)

    def __getstate__(self) -> dict[str, Any]:
        state = dict(super().__getstate__())
        if "_state" in state:
            weights = self.weights_
            if self._state.live is not None:
                with self._lock:
                    state["_kept"] = self._documents()
                    weights = self.weights_
            del state["_lock"], state["_state"], state["_names"], state["_sizes"]
            state["_pickled"] = weights, self._n_changed, self._is_settled
        return state

    def __setstate__(self, state: dict[str, Any]) -> None:
        pickled = state.pop("_pickled", None)
        super().__setstate__(state)
        if pickled is not None:
            weights, n_changed, is_settled = pickled
            self._set_settled(weights)
            self._n_changed, self._is_settled = n_changed, is_settled

    def _check_parameters(self) -> None:
        check_between("cost", self.cost, 1e-6, 1e6)
        check_between("centre", self.centre, 0.0, 1e3)
        check_between("chi_power", self.chi_power, 0.0, 10.0)
        check_whole("passes", self.passes, 1)
        if self.nb is not None and not isinstance(self.nb, MultinomialNB):
            raise ValueError(f"nb must be a MultinomialNB, not {self.nb!r:.80}.")


def _check_weight_size(n_terms: int, n_classes: int) -> None:
    needed = 4 * n_terms * n_classes
    if needed > MAX_WEIGHT_BYTES:
        raise CountError(
            f"{n_terms:,} columns times {n_classes:,} classes need weights of "
            f"{needed / 2**30:.1f} GiB, and the limit of RefinedNB is "
            f"{MAX_WEIGHT_BYTES / 2**30:.0f}. Reduce the vocabulary by min_df or max_features of "
            "the vectorizer, or use MultinomialNB, which stores only weights of terms and classes "
            "that occur together."
        )


class _Reading(NamedTuple):
    """All that a prediction reads: weights, or the native object; classes and their columns."""

    weights: UnitWeights | None
    live: LiveDescent | None
    classes: NDArray[Any]
    columns: NDArray[np.intp]
    class_documents: NDArray[np.int64]

    def scores(self, documents: DocumentRows, n_threads: int) -> FloatArray:
        """Return the score of each document for each class."""
        if self.weights is not None:
            return self.weights.scores(documents, n_threads)
        assert self.live is not None
        counts = documents.values.astype(np.float64, copy=False)
        scores = self.live.scores(documents.starts, documents.terms, counts, n_threads)
        return scores[:, self.columns].astype(np.float64)


@dataclass(frozen=True)
class KeptDocuments:
    """Documents that a model was trained on.

    Attributes
    ----------
    counts : csr_array of shape (n_documents, n_terms)
    truth : csr_array of shape (n_documents, n_classes)
        Their classes.
    keys : ndarray of uint64
        Hashes of counts and labels.
    costs : ndarray of float32
        The cost of an error.
    names : list
        The label of each class.
    duals : ndarray of shape (n_documents, n_classes) or None
    optional : ndarray of bool or None
        True for columns that get a weight only if two documents have them.
    new_scale : float
        The scale of terms that come later.
    """

    counts: Any
    truth: Any
    keys: NDArray[np.uint64]
    costs: Float32Array
    names: list[Any]
    duals: Float32Array | None = None
    optional: NDArray[np.bool_] | None = None
    new_scale: float = 1.0

    @property
    def n_documents(self) -> int:
        """Number of documents."""
        return len(self.keys)

    def sort(self) -> KeptDocuments:
        """Return the documents in an order that depends on their contents alone."""
        order = np.argsort(self.keys, kind="stable")
        return replace(
            self,
            counts=self.counts[order],
            truth=self.truth[order],
            keys=self.keys[order],
            costs=self.costs[order],
            duals=None if self.duals is None else self.duals[order],
        )


@dataclass(frozen=True)
class PackedDocuments:
    """Documents of a model as they are stored in a file; they are unpacked when they are needed."""

    arrays: dict[str, NDArray[Any]]
    n_documents: int
    names: list[Any]
    n_terms: int

    @classmethod
    def from_documents(cls, kept: KeptDocuments) -> Self:
        """Pack documents: counts and classes as variable-length integers, duals in half."""
        assert kept.duals is not None
        duals = np.minimum(kept.duals, _LARGEST_HALF).astype(np.float16)
        arrays: dict[str, NDArray[Any]] = {
            "documents.counts": pack_rows(kept.counts),
            "documents.labels": pack_rows(kept.truth),
            "documents.costs": kept.costs if len(set(kept.costs.tolist())) > 1 else kept.costs[:1],
            # Half-precision numbers, packed as counts: most are zero.
            "documents.duals": pack_rows(sparse.csr_array(duals.view(np.uint16).astype(np.int32))),
            "documents.scale": np.array([kept.new_scale], dtype=np.float32),
        }
        return cls(arrays, kept.n_documents, list(kept.names), kept.counts.shape[1])

    @classmethod
    def from_arrays(
        cls, arrays: ArraysByName, n_documents: Any, names: list[Any], n_terms: int
    ) -> Self:
        """Take the arrays of a file, whose contents are checked when they are unpacked."""
        if type(n_documents) is not int or not 0 < n_documents < 2**31:
            raise FileError(f"{n_documents!r:.40} is not a number of documents.")
        own = {name: a for name, a in arrays.items() if name.startswith("documents.")}
        wanted = {"counts", "labels", "costs", "duals", "scale"}
        if own.keys() != {f"documents.{name}" for name in wanted}:
            raise FileError("the documents of a refined model lack an array.")
        return cls(own, n_documents, names, n_terms)

    def unpack(self) -> KeptDocuments:
        """Return the documents.

        Raises
        ------
        FileError
            If the arrays contradict each other.
        """
        n, n_classes = self.n_documents, len(self.names)
        parts = {name.removeprefix("documents."): array for name, array in self.arrays.items()}
        counts = unpack_rows(parts["counts"], (n, self.n_terms))
        truth = unpack_rows(parts["labels"], (n, n_classes)).astype(np.float64)
        halves = unpack_rows(parts["duals"], (n, n_classes))
        costs, scale = parts["costs"], parts["scale"]
        is_valid = costs.dtype == scale.dtype == np.float32 and scale.shape == (1,)
        is_valid = is_valid and costs.shape in ((1,), (n,)) and bool((costs > 0).all())
        is_valid = is_valid and bool(np.isfinite(costs).all() and np.isfinite(scale).all())
        is_valid = is_valid and halves.data.max(initial=0) < 0x7C00  # finite and not negative
        is_valid = is_valid and bool((truth.data == 1).all())
        if not is_valid:
            raise FileError("the documents of a refined model have impossible values.")
        counts = counts.astype(np.float64)
        duals = halves.toarray().astype(np.uint16).view(np.float16).astype(np.float32)
        return KeptDocuments(
            counts=counts,
            truth=truth,
            keys=document_keys(counts, truth, label_hashes(self.names)),
            costs=np.ascontiguousarray(np.broadcast_to(costs, (n,))),
            names=self.names,
            duals=duals,
            new_scale=float(scale[0]),
        )


def label_hashes(names: list[Any]) -> NDArray[np.uint64]:
    """Return a hash of each label, which does not depend on the other labels."""
    return np.array([_label_hash(type(name).__name__, name) for name in names], dtype=np.uint64)


@lru_cache(maxsize=1 << 14)
def _label_hash(kind: str, name: Any) -> int:
    digest = blake2b(f"{kind}:{name!r}".encode(), digest_size=8).digest()
    return int.from_bytes(digest, "little")


def _document_costs(n: int, cost: float, sample_weight: Any) -> Float32Array:
    """Return the cost of an error in each document."""
    if sample_weight is None:
        return np.full(n, cost, dtype=np.float32)
    weights = np.asarray(sample_weight, dtype=np.float64)
    if weights.shape != (n,) or not (np.isfinite(weights) & (weights >= 0)).all():
        raise CountError(
            f"sample_weight must be a number, zero or above, for each of {n} documents."
        )
    if not weights.any():
        raise CountError("sample_weight is zero for all documents.")
    return (cost * weights).astype(np.float32)


def _round_to_half(weights: Float32Array) -> Float32Array:
    """Return weights rounded to half precision, as they are stored."""
    return np.clip(weights, -_LARGEST_HALF, _LARGEST_HALF).astype(np.float16).astype(np.float32)


def _padded_scale(scale: Float32Array, n_terms: int) -> Float32Array:
    """Return a scale of zero for the columns beyond the last that has a weight."""
    padded = np.zeros(max(n_terms, len(scale)), dtype=np.float32)
    padded[: len(scale)] = scale
    return padded


def _row_arrays(counts: Any) -> tuple[NDArray[Any], NDArray[Any], NDArray[np.float64]]:
    documents = to_documents(counts)
    return documents.starts, documents.terms, documents.values.astype(np.float64, copy=False)


def _csr(data: Any, indices: Any, starts: Any, shape: tuple[int, int]) -> sparse.csr_array[Any]:
    return sparse.csr_array((data, indices, starts), shape=shape)


def _missing_document(live: LiveDescent, keys: NDArray[np.uint64]) -> str:
    """Describe the first of the documents to forget that the model lacks."""
    missing = np.flatnonzero(~np.asarray(live.holds(keys)))
    if not len(missing):
        return "a document that is given more often than it was learned"
    return "the document" if len(keys) == 1 else f"document {missing[0]}"


@dataclass(frozen=True)
class NaiveBayesStart:
    """Class counts of the training documents, and the naive Bayes weights estimated from them.

    Attributes
    ----------
    class_counts : ClassCounts
        The counts; the last column counts documents.
    weights : Weights
        The naive Bayes weight of each term and class.
    multi_label : bool
        False if each document has one label: then only differences between classes matter.
    """

    class_counts: ClassCounts
    weights: Weights
    multi_label: bool

    @classmethod
    def from_documents(
        cls,
        model: MultinomialNB | None,
        documents: KeptDocuments,
        cost: float,
        multi_label: bool,
        n_jobs: int | None,
    ) -> Self:
        """Fit a copy of the model, to class numbers in the place of labels."""
        nb = MultinomialNB.chi_contrast() if model is None else clone(model)
        nb.set_params(multi_label=multi_label, n_jobs=n_jobs)
        costs, labels = documents.costs, _class_numbers(documents.truth, multi_label)
        if (costs == costs[0]).all():
            nb.fit(documents.counts, labels)
        else:
            nb.fit(documents.counts, labels, sample_weight=costs / np.float32(cost))
        class_counts = nb._reader().read()
        return cls(class_counts, nb._weights(class_counts), multi_label)

    def scale(self, chi_power: float, optional: NDArray[np.bool_] | None) -> Float32Array:
        r"""Return the scale of each term, zero for one that no document has.

        .. math:: s_w = \left(1 + \ln \frac{1 + n}{1 + n_w}\right) \max(\chi^2_w, 10^{-6})^p

        The last columns are left out if none of them has a scale.
        """
        df, n = self.class_counts.term_totals[-1], self.class_counts.n_documents
        scale: FloatArray = 1 + np.log((1 + n) / (1 + df))
        if chi_power:
            chi = term_emphasis(self.class_counts, "chi", 1.0)
            scale *= np.maximum(chi, _MIN_CHI_SQUARE) ** chi_power
        least = 1 if optional is None else np.where(optional, 2, 1)
        scale = np.where(df >= least, scale, 0.0).astype(np.float32)
        return scale[: np.flatnonzero(scale)[-1] + 1] if scale.any() else scale[:1]

    def new_scale(self, scale: Float32Array) -> float:
        """Return the scale of a term that comes later: that of the rarest terms."""
        df = self.class_counts.term_totals[-1][: len(scale)]
        known = scale > 0
        if not known.any():
            return 1.0
        return float(scale[known & (df == df[known].min())].mean())

    def weight_blocks(self, n_terms: int) -> Iterator[tuple[int, NDArray[np.float64]]]:
        """Yield the weights in blocks of terms by classes, each with the number of its first term.

        Parameters
        ----------
        n_terms : int
            Number of terms that have a scale.

        Raises
        ------
        ScoreError
            If a weight is infinite, as it can be without smoothing.
        """
        step = rows_per_block(self.class_counts.n_classes)
        for first in range(0, n_terms, step):
            rows = self.weights.rows(first, min(first + step, n_terms)).astype(np.float64)
            if not np.isfinite(rows).all():
                raise ScoreError(
                    "cannot refine a naive Bayes model with infinite weights: some of its terms "
                    "have probability zero. Give nb a smoothing."
                )
            yield first, rows if self.multi_label else rows - rows.mean(axis=1, keepdims=True)


def _class_numbers(truth: sparse.csr_array[Any], multi_label: bool) -> Any:
    """Return class numbers as labels, in the form of single labels or of several per document."""
    if not multi_label:
        return truth.indices
    # An indicator matrix of one column would be read as single labels 0 and 1.
    return truth if truth.shape[1] > 1 else [[0] * n for n in np.diff(truth.indptr).tolist()]


@dataclass(frozen=True)
class UnitWeights:
    r"""Linear scores of documents of length one.

    .. math:: s_c(d) = b_c + \frac{\sum_w v_w W_{wc}}{\sqrt{\sum_w v_w^2}},
        \qquad v_w = s_w \cdot (1 + \ln x_w)

    A fractional count below one replaces its own 1 + ln x.

    Attributes
    ----------
    scale : ndarray of shape (n_terms,)
        :math:`s_w`.
    rows : ndarray of shape (n_terms, n_classes)
        :math:`W_{wc}`.
    bias : ndarray of shape (n_classes,)
        :math:`b_c`.

    Examples
    --------
    >>> scale, bias = np.array([3.0, 4.0], np.float32), np.array([0.5], np.float32)
    >>> weights = UnitWeights(scale, np.ones((2, 1), np.float32), bias)
    >>> document = DocumentRows(np.array([0, 2]), np.array([0, 1], np.int32), np.array([1.0, 1.0]))
    >>> weights.scores(document, 1).round(6)
    array([[1.9]])
    """

    scale: Float32Array
    rows: Float32Array
    bias: Float32Array

    def scores(self, documents: DocumentRows, n_threads: int) -> FloatArray:
        """Return the score of each document for each class, ignoring terms without a weight."""
        starts, terms = documents.starts, documents.terms
        counts = documents.values.astype(np.float64, copy=False)
        scores = unit_scores(starts, terms, counts, self.scale, self.rows, self.bias, n_threads)
        return scores.astype(np.float64)

    def summands(self, document: DocumentRows, classes: NDArray[Any]) -> Summands:
        """Return the part of each term in the scores of one document."""
        known = document.terms < len(self.scale)
        terms = np.where(known, document.terms, 0)
        values = log_tf(document.values) * np.where(known, self.scale[terms], 0.0)
        length = np.sqrt(values @ values)
        shares = values / length if length > 0 else values
        zeros = np.zeros(len(classes))
        return Summands(
            classes=classes,
            counts=document.values,
            known=values > 0,
            terms=shares[:, None] * self.rows[terms],
            prior=self.bias.astype(np.float64),
            constant=zeros,
            length=zeros,
            scores=self.scores(document, 1)[0],
        )

    def to_arrays(self) -> dict[str, NDArray[Any]]:
        """Return the attributes as arrays by name, for a file."""
        rows = _round_to_half(self.rows).astype(np.float16)
        return {"scale": self.scale, "weights": rows, "bias": self.bias}

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, NDArray[Any]], n_classes: int) -> Self:
        """Read the arrays of :meth:`to_arrays`.

        Raises
        ------
        FileError
            If the arrays are not weights of n_classes classes.
        """
        # Files of format 3 and earlier have weights in single precision.
        halves = arrays.get("weights")
        if isinstance(halves, np.ndarray) and halves.dtype == np.float16:
            arrays = {**arrays, "weights": halves.astype(np.float32)}
        scale = _check_float32(arrays, "scale", (None,))
        if (scale < 0).any():
            raise FileError("scale of a refined model has negative values. Is the file damaged?")
        rows = _check_float32(arrays, "weights", (len(scale), n_classes))
        return cls(scale, rows, _check_float32(arrays, "bias", (n_classes,)))


def _check_float32(
    arrays: Mapping[str, NDArray[Any]], name: str, shape: tuple[int | None, ...]
) -> Float32Array:
    array = arrays.get(name)
    if not isinstance(array, np.ndarray) or array.dtype != np.float32 or array.ndim != len(shape):
        raise FileError(
            f"{name} of a refined model must be an array of 32-bit floats with {len(shape)} "
            "dimensions."
        )
    if any(n is not None and n != size for n, size in zip(shape, array.shape, strict=True)):
        raise FileError(f"{name} of shape {array.shape} does not fit the other arrays.")
    if not np.isfinite(array).all():
        raise FileError(f"{name} of a refined model has values that are not finite.")
    return np.ascontiguousarray(array)

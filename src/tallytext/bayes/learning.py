"""How documents enter a model: into its tally, and out of it again."""

from __future__ import annotations

import copy
from collections.abc import Iterable
from dataclasses import replace
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn.utils.validation import check_is_fitted

from tallytext.bayes.base import ModelBase
from tallytext.bayes.class_order import Ordering
from tallytext.bayes.expectation import ExpectationMaximisation, way_of_learning
from tallytext.bayes.matrices import documents_of, in_units, unit_of, vocabulary_for
from tallytext.bayes.training import Training, training_of
from tallytext.bayes.weight_cache import WeightCache
from tallytext.errors import CountError
from tallytext.labels import Label, sort_labels
from tallytext.matrices import checked_matrix, weights_of
from tallytext.planes import Plane
from tallytext.smoothing.base import Numbers
from tallytext.tally import Tally
from tallytext.targets import Targets, expect_lengths, targets_of


class Learning(ModelBase):
    """Counts documents; nothing else is ever learned."""

    def fit(
        self,
        X: Any,
        y: Any,
        sample_weight: ArrayLike | None = None,
        *,
        unlabelled: Any = None,
        em: ExpectationMaximisation | None = None,
    ) -> Self:
        """Count the documents anew.

        Parameters
        ----------
        X : sparse matrix, sparse array or array-like of shape (n_documents, n_terms)
            Counts. Fractions are counted in units of 2⁻²⁰.
        y : sequence of length n_documents
            One label per document; or a list of labels per document, or an indicator matrix, for
            documents with several labels or none.
        sample_weight : array-like of shape (n_documents,), default=None
            How often each document counts.
        unlabelled : matrix of shape (n_others, n_terms), default=None
            Documents without labels, to learn from as well: see :meth:`refresh`.
        em : ExpectationMaximisation, default=None
            How; None for ``ExpectationMaximisation()``.

        Returns
        -------
        self
        """
        how = way_of_learning(em)
        X = checked_matrix(self, X, reset=True, open_width=False)
        X, targets, weights = self._weighed(X, targets_of(y), sample_weight)
        self._begin(X, targets, weights)
        self._learn(X, targets, weights, +1)
        if unlabelled is not None:
            # What is chosen for a smoothing is chosen with the background that it will have.
            self.refresh(unlabelled, replace(how, rounds=0))
        self._choose(X, targets, weights)
        return self.refresh(unlabelled, how) if unlabelled is not None and how.rounds else self

    def refresh(
        self,
        X: Any,
        em: ExpectationMaximisation | None = None,
        *,
        anchors: ArrayLike | None = None,
    ) -> Self:
        """Learn from documents without labels, in the place of any from before.

        What they are expected to add to classes is held in ``expected_``, beside the counts of
        documents with labels, which stay exact. Learning and forgetting leave it as it is, until
        it is found anew or dropped.

        Parameters
        ----------
        X : matrix of shape (n_documents, n_terms)
            The documents; none for no more than :meth:`drop_unlabelled` does.
        em : ExpectationMaximisation, default=None
            How; None for ``ExpectationMaximisation()``.
        anchors : array-like of shape (n_documents, n_classes), default=None
            What is known of the documents besides, as logarithms: added to those of their shares,
            in the order of ``classes_``.

        Raises
        ------
        ScoreError
            If documents may have several labels, unless ``em.rounds`` is 0.

        Examples
        --------
        >>> from tallytext import MultinomialNB
        >>> model = MultinomialNB().fit([[1, 0, 0], [0, 0, 1]], ["sea", "sky"])
        >>> model.refresh([[2, 1, 0], [1, 2, 0]]).predict([[0, 1, 0]])
        array(['sea'], dtype='<U3')
        >>> model.drop_unlabelled().unknown_shares([[0, 1, 0]])
        array([1.])
        """
        check_is_fitted(self)
        how = way_of_learning(em)
        known = None if anchors is None else np.asarray(anchors, dtype=np.float64)
        self.expected_ = None if _is_empty(X) else how.run(self, X, known)
        return self

    def drop_unlabelled(self) -> Self:
        """Forget all documents without labels that :meth:`fit` or :meth:`refresh` were given."""
        self.expected_ = None
        return self

    def partial_fit(
        self,
        X: Any,
        y: Any,
        classes: Iterable[Any] | None = None,
        sample_weight: ArrayLike | None = None,
    ) -> Self:
        """Count more documents; new classes are welcome.

        Parameters
        ----------
        X, y, sample_weight
            As in :meth:`fit`.
        classes : iterable, default=None
            Classes to announce, as scikit-learn asks for in the first call; not needed here.

        Returns
        -------
        self
        """
        first = not hasattr(self, "tally_")
        X = checked_matrix(self, X, reset=first, open_width=not first and self.open_)
        X, targets, weights = self._weighed(X, targets_of(y), sample_weight)
        if first:
            self._begin(X, targets, weights)
        self._learn(X, targets, weights, +1)
        # Not before: documents that are refused must leave no trace.
        self._announce(_plain_labels(classes))
        self._announce(range(targets.columns or 0))
        self.multi_label_ = self.multi_label_ or (self.multi_label is None and targets.several)
        if first:
            self._choose(X, targets, weights)
        return self

    def forget(self, X: Any, y: Any, sample_weight: ArrayLike | None = None) -> Self:
        """Take documents out that were learned, exactly.

        Parameters
        ----------
        X : sparse matrix, sparse array or array-like of shape (n_documents, n_terms)
            Counts of the documents.
        y : sequence of length n_documents
            Their labels, as they were learned.
        sample_weight : float or array-like of shape (n_documents,), default=None
            As they were learned with.

        Raises
        ------
        NegativeCountError
            If these documents were never learned with these labels. Nothing changes then.
        """
        check_is_fitted(self)
        X = checked_matrix(self, X, reset=False, open_width=self.open_)
        self._learn(*self._weighed(X, targets_of(y), sample_weight), -1)
        return self

    @classmethod
    def from_tally(cls, tally: Tally, **parameters: Any) -> Self:
        """Return a model of counts that are there already; no document is needed.

        The model reads this very tally: what the tally learns, the model knows. Matrices that it
        is asked about have the columns of ``tally.vocabulary``; columns beyond it are words that
        nobody has seen. Whether documents may have several labels is settled now: a tally that
        is to learn such documents later needs ``multi_label=True``.

        Parameters
        ----------
        tally : Tally
        **parameters
            Those of the constructor.

        Raises
        ------
        RecipeError
            If the tally does not keep the planes that the parameters ask for.
        """
        if not isinstance(tally, Tally):
            raise CountError(f"from_tally reads a Tally, not {tally!r:.60}. To learn, use fit.")
        model = cls(**parameters)
        several = tally.n_several > 0 or tally.n_unlabelled > 0
        model._settle(several)
        model._start(tally, 1.0, weighted=False, open_=True)
        return model

    def with_tally(self, tally: Tally) -> Self:
        """Return a model with the settings and choices of this one, which reads another tally.

        Parameters
        ----------
        tally : Tally
            What was counted.
        """
        model = copy.copy(self)
        model.tally_, model.cache_ = tally, WeightCache()
        model.ordering_ = Ordering(self.ordering_.announced)
        if self.open_:
            model.n_features_in_ = len(tally.vocabulary)
        return model

    def _begin(self, X: Any, targets: Targets, weights: Numbers | None) -> None:
        expect_documents(X)
        self._settle(targets.several)
        unit, weighted = unit_of(X), weights is not None
        planes = [column for column in self._columns(unit, weighted) if isinstance(column, Plane)]
        tally = Tally(vocabulary_for(self), planes=planes)
        self._start(tally, unit, weighted, open_=False)
        self._announce(range(targets.columns or 0))
        tally.number_labels(sort_labels(targets.distinct))

    def _settle(self, several: bool) -> None:
        self.multi_label_ = several if self.multi_label is None else bool(self.multi_label)
        self._expect_parameters()

    def _start(self, tally: Tally, unit: float, weighted: bool, open_: bool) -> None:
        self.tally_, self.unit_, self.weighted_, self.open_ = tally, unit, weighted, open_
        self.expected_ = None
        self.ordering_ = Ordering()
        self.cache_ = WeightCache()
        if open_:
            self.n_features_in_ = len(tally.vocabulary)
        for column in self._columns(unit, weighted):
            tally.column(column)

    def _weighed(
        self, X: Any, targets: Targets, sample_weight: Any
    ) -> tuple[Any, Targets, Numbers | None]:
        """Return what was given without the documents that weigh nothing."""
        expect_lengths(X, targets)
        weights = weights_of(sample_weight, X.shape[0])
        if weights is None or weights.all():
            return X, targets, weights
        kept = np.flatnonzero(weights)
        labels = [targets.labels[at] for at in kept]
        return X[kept], targets._replace(labels=labels), weights[kept]

    def _learn(self, X: Any, targets: Targets, weights: Numbers | None, sign: int) -> None:
        if weights is not None and not self.weighted_:
            raise CountError("sample_weight must be given from the first call on, or never.")
        move = self.tally_.learn if sign > 0 else self.tally_.forget
        move(in_units(X, self.unit_), targets.labels, sample_weight=weights)

    def _announce(self, classes: Iterable[Label]) -> None:
        """Show these classes even while they have no document."""
        known = self.ordering_.announced
        if new := [label for label in classes if label not in known]:
            self.ordering_ = Ordering([*known, *new])

    def _training(self, X: Any, targets: Targets, sample_weight: Any = None) -> Training:
        counted = documents_of(in_units(X, self.unit_))
        weights = weights_of(sample_weight, X.shape[0])
        return training_of(counted, targets.labels, self.tally_.label_index, weights)


def _is_empty(X: Any) -> bool:
    shape: tuple[int, ...] = X.shape if hasattr(X, "shape") else np.shape(X)
    return shape[:1] == (0,)


def _plain_labels(classes: Iterable[Any] | None) -> list[Label]:
    if classes is None:
        return []
    return [label.item() if isinstance(label, np.generic) else label for label in classes]


def expect_documents(X: Any) -> None:
    """Refuse to begin with documents that all weigh nothing."""
    if not X.shape[0]:
        raise CountError("every sample_weight is zero, so that no document is left to count.")

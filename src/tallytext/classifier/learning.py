"""How a fitted classifier learns more, forgets, and is calibrated anew."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from sklearn.utils.validation import check_is_fitted

from tallytext.bayes.out_of_sample import OutOfSample
from tallytext.classifier.base import SETTLING, ClassifierBase
from tallytext.classifier.calibration import Calibration
from tallytext.classifier.judging import most_judged
from tallytext.classifier.labels import (
    expect_as_many,
    expect_columns,
    expect_labels,
    expect_single,
    labels_of,
)
from tallytext.classifier.report import Changes
from tallytext.classifier.sample import random_keys
from tallytext.errors import LabelError, NegativeCountError, ScoreError, SettingsError
from tallytext.targets import targets_as, truth_of


class Learning(ClassifierBase):
    """Moves counts; what was found out from training documents stays, and is marked stale."""

    def learn(self, texts: Any, labels: Any) -> Self:
        """Learn more documents; new words and new classes are welcome.

        Parameters
        ----------
        texts : list, column or iterable of str; or one str
        labels : as for :meth:`fit`; or the label of one str

        Returns
        -------
        self
        """
        self._expect_learning("learn")
        X, listed = self._counted(texts, labels)
        self._counts().learn(X, listed, terms=self.vectorizer_.vocabulary_)
        if not self.learner_.additive and X.shape[0]:
            self.model_.learn(self._select(X), targets_as(listed, self.multi_label_))
        self.changes_ = self.changes_.more("learned", X.shape[0])
        return self

    def forget(self, texts: Any, labels: Any) -> Self:
        """Take documents out that were learned, exactly.

        Parameters
        ----------
        texts, labels
            As they were learned.

        Raises
        ------
        NegativeCountError
            If the counts tell that these were never learned. Nothing changes then.
        """
        self._expect_learning("forget")
        X, listed = self._counted(texts, labels)
        self._counts().forget(X, listed, terms=self.vectorizer_.vocabulary_)
        if not self.learner_.additive and X.shape[0]:
            self._forget_documents(X, listed)
        self.changes_ = self.changes_.more("forgotten", X.shape[0])
        return self

    def _forget_documents(self, X: Any, labels: list[Any]) -> None:
        """Have a model forget that has kept documents; it refuses more than sums can."""
        try:
            self.model_.forget(self._select(X), targets_as(labels, self.multi_label_))
        except NegativeCountError:
            self._counts().learn(X, labels, terms=self.vectorizer_.vocabulary_)
            raise

    def reselect(self) -> Self:
        """Choose terms anew, by all that was learned meanwhile; only with ``select``.

        Terms that came after the last choice have their chance now.

        Raises
        ------
        SettingsError
            If no terms are selected.
        NotAdditiveError
            If the model is no function of counts.
        """
        self._expect_additive("reselect")
        if self._selected is None:
            raise SettingsError(
                'there is nothing to choose anew: this classifier reads all terms. Say select="ig" '
                "to have some selected."
            )
        before = {*self._selected.ids.tolist()}
        self._follow(self._selected.reselect())
        exchanged = len(before ^ {*self._selected.ids.tolist()})
        self.changes_ = self.changes_.more("exchanged", exchanged)
        return self

    def recalibrate(self, texts: Any, labels: Any) -> Self:
        """Find probabilities, sets and thresholds anew.

        Parameters
        ----------
        texts, labels
            Documents that the classifier has not learned. Where numbers for all of them and all
            classes would fill memory, some are drawn.
        """
        check_is_fitted(self)
        X, listed = self._counted(texts, labels, grow=False)
        expect_labels(listed)
        if not X.shape[0]:
            raise LabelError("there is no document to calibrate on.")
        rows = np.argsort(random_keys(0, len(listed)))[: most_judged(len(self.classes_))]
        calibration = Calibration.fit(self._seen(X[rows], [listed[row] for row in rows]))
        if calibration is None:
            raise ScoreError(
                "nothing to calibrate on: these documents have no label that the model knows, or "
                "it knows one only."
            )
        with SETTLING:  # or what is being fitted to training documents would replace it
            self._calibration, self._pending, self.changes_ = calibration, None, Changes()
            self._drop_documents()
        return self

    def _counted(self, texts: Any, labels: Any, grow: bool = True) -> tuple[Any, list[Any]]:
        if isinstance(texts, str):
            texts, labels = [texts], [labels]
        listed, columns = labels_of(labels)
        expect_columns(listed, columns, self.n_columns_)
        if not self.multi_label_:
            listed = expect_single(listed)
        if hasattr(texts, "__len__"):  # before words of a refused batch are in the vocabulary
            expect_as_many(len(texts), listed)
        count = self.vectorizer_.partial_fit_transform if grow else self.vectorizer_.transform
        X = count(texts)
        expect_as_many(X.shape[0], listed)
        return X, listed

    def _seen(self, X: Any, labels: list[Any]) -> OutOfSample:
        scores, lengths, classes = self._judged(self._select(X))
        return OutOfSample(
            scores=scores,
            lengths=lengths,
            truth=truth_of(labels, classes),
            classes=classes,
            contrasts=self.model_.contrasts,
            several=self.multi_label_,
            method="held out",
        )

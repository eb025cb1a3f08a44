"""How a model does with some of the terms."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from tallytext.bayes.model import NaiveBayes
from tallytext.curves.splits import Split
from tallytext.labels import array_of_labels
from tallytext.selection.masking import without_others
from tallytext.smoothing.base import Numbers
from tallytext.tally import Tally
from tallytext.targets import truth_of


@dataclass(frozen=True)
class Cut:
    """A split with some of its terms, made for models as they ask for it.

    Attributes
    ----------
    split : Split
        Documents with all terms.
    ids : ndarray
        The terms to keep.
    classes : ndarray
        All classes there are.
    unit : float
        What counts are counted in.
    """

    split: Split
    ids: NDArray[np.intp]
    classes: NDArray[Any]
    unit: float

    @cached_property
    def tally(self) -> Tally:
        """The tally of the kept terms."""
        return self.split.tally.mask(self.ids)

    @cached_property
    def columns(self) -> tuple[Any, Any]:
        """The kept columns of the training documents and of those to judge."""
        ids = np.sort(self.ids)
        return self.split.train.X[:, ids], self.split.test.X[:, ids]

    def outcome(self, model: Any) -> Numbers:
        """Return right labels, wrong ones, and missing ones."""
        several = self.split.train.targets.several
        if several:
            return _counts(self._truth(self.split.test), self._decided(model))
        predicted = self._predicted(model).tolist()
        pairs = zip(predicted, self.split.test.targets.labels, strict=True)
        wrong = sum(mine != truth for mine, truth in pairs)
        return np.array([len(predicted) - wrong, wrong, wrong], dtype=np.float64)

    def _predicted(self, model: Any) -> NDArray[Any]:
        if isinstance(model, NaiveBayes):
            return self._read_off(model).predict(self.split.test.X)
        train, test = self.columns
        labels = array_of_labels(self.split.train.targets.labels)
        return np.asarray(clone(model).fit(train, labels).predict(test))

    def _decided(self, model: Any) -> NDArray[np.bool_]:
        if not isinstance(model, NaiveBayes):
            train, test = self.columns
            fitted = clone(model).fit(train, self._truth(self.split.train).astype(np.int64))
            found = fitted.predict(test)
            return np.asarray(found.toarray() if hasattr(found, "toarray") else found) > 0
        read = self._read_off(model)
        decided = np.zeros((self.split.test.X.shape[0], len(self.classes)), dtype=bool)
        place = {label: at for at, label in enumerate(self.classes.tolist())}
        columns = [place[label] for label in read.classes_.tolist()]
        decided[:, columns] = read.predict(self.split.test.X) > 0
        return decided

    def _read_off(self, model: NaiveBayes) -> NaiveBayes:
        """Return the model of the masked tally: nothing is counted again."""
        train, read = self.split.train, clone(model)
        read._settle(train.targets.several)
        read._start(self.tally, self.unit, weighted=False, open_=True)
        kept = np.zeros(train.X.shape[1], dtype=bool)
        kept[self.ids] = True
        read._choose(without_others(train.X, kept), train.targets, None)
        return read

    def _truth(self, documents: Any) -> NDArray[np.bool_]:
        return truth_of(documents.targets.labels, self.classes)


def error_of(outcome: Numbers) -> float:
    """Return what F1 lacks; where each document has one label and gets one, the share of errors.

    Examples
    --------
    >>> error_of(np.array([3.0, 1.0, 1.0]))
    0.25
    """
    right, wrong, missing = outcome.tolist()
    pairs = 2 * right + wrong + missing
    return (wrong + missing) / pairs if pairs else 0.0


def _counts(truth: NDArray[np.bool_], decided: NDArray[np.bool_]) -> Numbers:
    parts = truth & decided, decided & ~truth, truth & ~decided
    return np.array([part.sum() for part in parts], dtype=np.float64)

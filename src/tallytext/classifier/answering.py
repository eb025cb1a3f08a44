"""What a classifier says of texts."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from numbers import Integral, Real
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from tallytext.bayes.targets import truth_of
from tallytext.classifier.base import ClassifierBase
from tallytext.classifier.labels import (
    as_lists,
    expect_as_many,
    expect_labels,
    expect_single,
    labels_of,
)
from tallytext.classifier.moments import Said, joined
from tallytext.errors import InputError, ScoreError, StaleWarning
from tallytext.evaluation import f_measures
from tallytext.explanation import Explanation
from tallytext.smoothing.base import Numbers
from tallytext.text.sources import pieces

_PIECE = 16_384


class Answer(NamedTuple):
    """A label, and how likely it is."""

    label: Any
    probability: float


class Answering(ClassifierBase):
    """Labels, probabilities, sets, ranks and reasons, a batch of texts at a time."""

    def predict(self, texts: Any, *, min_confidence: float | None = None) -> NDArray[Any]:
        """Return the label of each text, or its labels where it may have several.

        Parameters
        ----------
        texts : list, column or iterable of str
        min_confidence : float, default=None
            Rather say nothing (None, or no label) than something less likely than this.

        Returns
        -------
        ndarray of shape (n_documents,)
            Labels; or lists of labels where there may be several. Where those were given as an
            indicator matrix, such a matrix.
        """
        _expect_probability(min_confidence)
        if not self._is_several() and min_confidence is None:
            return np.concatenate([self._best(X) for X in self._rows(texts)])
        self._warn_if_stale()
        if self.multi_label_:
            return self._labels(self._decided(texts, min_confidence))
        proba, classes = self._likely(texts)
        found = classes.astype(object)[proba.argmax(axis=1)]
        found[proba.max(axis=1, initial=0.0) < min_confidence] = None
        return found

    def predict_proba(self, texts: Any) -> Numbers:
        """Return how likely each class is, calibrated on documents kept from the model.

        Columns are those of ``classes_``. They sum to one, unless documents may have several
        labels: then each class is a question of its own.
        """
        self._warn_if_stale()
        return self._likely(texts).values

    def predict_log_proba(self, texts: Any) -> Numbers:
        """Return the logarithms of :meth:`predict_proba`."""
        self._warn_if_stale()
        with np.errstate(divide="ignore"):
            return np.log(self._likely(texts).values)

    def predict_set(
        self,
        texts: Any,
        coverage: float = 0.95,
        *,
        by_class: bool = False,
        never_empty: bool = False,
    ) -> list[list[Any]]:
        """Return for each text the labels among which the right one is, as often as asked for.

        Parameters
        ----------
        texts : list, column or iterable of str
        coverage : float, default=0.95
            How often the right label is to be in the set, on documents like those learned.
        by_class : bool, default=False
            Whether this is to hold for each class on its own, where it has documents enough.
        never_empty : bool, default=False
            Whether the likeliest label is in the set in any case. Where the model is right more
            often than is asked for, the sets of texts that it is least sure of are empty without.

        Returns
        -------
        list of list of labels
            The likeliest first.
        """
        calibration = self._expect_calibration()
        self._warn_if_stale()
        proba, classes = self._likely(texts)
        names = classes.tolist()
        sets = calibration.sets.sets(
            proba, coverage, classes=names, by_class=by_class, never_empty=never_empty
        )
        order = np.argsort(-proba, axis=1, kind="stable")
        return [
            [names[c] for c in ranked if chosen[c]]
            for ranked, chosen in zip(order, sets, strict=True)
        ]

    def top_k(self, texts: Any, k: int = 3) -> list[list[Answer]]:
        """Return the k likeliest labels of each text, with their probabilities."""
        if not isinstance(k, Integral) or k < 1:
            raise ScoreError(f"k must be a whole number from 1 up, not {k!r}.")
        self._warn_if_stale()
        proba, classes = self._likely(texts)
        names, order = classes.tolist(), np.argsort(-proba, axis=1, kind="stable")[:, :k]
        return [
            [Answer(names[c], float(row[c])) for c in ranked]
            for ranked, row in zip(order, proba, strict=True)
        ]

    def scores(self, texts: Any) -> Numbers:
        """Return the raw score of each text for each class, a pure function of the counts."""
        return self._asked(texts, self._scored, -np.inf).values

    def rank(self, texts: Any, label: Any) -> Numbers:
        """Return by how much each text speaks for a class, to sort by.

        Its log-odds, or what the model has instead: see the ``rank`` of the model.
        """
        check_is_fitted(self)
        self.model_.class_number(label)
        return np.concatenate(
            [self.model_.rank(X, label) if X.shape[0] else np.empty(0) for X in self._rows(texts)]
        )

    def explain(self, text: str, label: Any = None, against: Any = None) -> Explanation:
        """Return what each word of a text says for a class.

        Parameters
        ----------
        text : str
        label : label, default=None
            The class to explain; None for the best.
        against : label, default=None
            The class to compare it with; None for the next best, or for all others.
        """
        if not isinstance(text, str):
            raise InputError(f"explain takes one text, not {text!r:.60}")
        check_is_fitted(self)
        vectorizer = self.vectorizer_
        x = vectorizer.transform([text])
        return self.model_.explain(x, label, against, text=text, vectorizer=vectorizer)

    def score(self, texts: Any, labels: Any) -> float:
        """Return the accuracy; micro-averaged F1 where documents may have several labels."""
        listed, _ = labels_of(labels)
        expect_labels(listed)
        if not self._is_several():
            found = self.predict(texts).tolist()
            expect_as_many(len(found), listed)
            pairs = zip(found, expect_single(listed), strict=True)
            return float(np.mean([label == right for label, right in pairs]))
        self._warn_if_stale()
        decided, classes = self._decided(texts, None)
        expect_as_many(len(decided), listed)
        return float(f_measures(truth_of(listed, classes), decided).micro_f1)

    def _is_several(self) -> bool:
        check_is_fitted(self)
        return self.multi_label_

    def _rows(self, texts: Any) -> Iterator[Any]:
        check_is_fitted(self)
        vectorizer, empty = self.vectorizer_, True
        for some in pieces(texts, _PIECE):
            empty = False
            yield vectorizer.transform(some)
        if empty:
            yield vectorizer.transform([])

    def _best(self, X: Any) -> NDArray[Any]:
        return self.model_.predict(X) if X.shape[0] else self.classes_[:0]

    def _asked(self, texts: Any, ask: Callable[[Any], Said], missing: float) -> Said:
        return joined([ask(X) for X in self._rows(texts)], missing)

    def _likely(self, texts: Any) -> Said:
        return self._asked(texts, self._proba, 0.0)

    def _scored(self, X: Any) -> Said:
        scores, _, classes = self._scores(X)
        return Said(scores, classes)

    def _scores(self, X: Any) -> tuple[Numbers, Numbers, NDArray[Any]]:
        """Return scores, lengths and classes of one moment, though another thread may learn."""
        model = self.model_
        while True:
            classes = model.classes_
            if not X.shape[0]:
                return np.empty((0, len(classes))), np.empty(0), classes
            scores, lengths = model.scores_and_lengths(X)
            if scores.shape[1] == len(classes) and np.array_equal(classes, model.classes_):
                return scores, lengths, classes

    def _proba(self, X: Any) -> Said:
        model, calibration = self.model_, self.calibration_
        scores, lengths, classes = self._scores(X)
        if calibration is None:
            return Said(np.exp(model.posteriors(scores)), classes)
        found = calibration.probabilities(scores, lengths, classes, model.log_odds)
        return Said(found, classes)

    def _decided(self, texts: Any, min_confidence: float | None) -> Said:
        proba, classes = self._likely(texts)
        if self.calibration_ is None:
            chosen: NDArray[np.bool_] = proba >= 0.5
        else:
            chosen = self.calibration_.decided(proba, classes)
        least = 0.0 if min_confidence is None else min_confidence
        return Said(chosen & (proba >= least), classes)

    def _labels(self, said: Said) -> NDArray[Any]:
        decided, classes = said
        if self.n_columns_ is None:
            return as_lists(decided, classes)
        matrix = np.zeros((len(decided), self.n_columns_), dtype=np.int64)
        matrix[:, classes.astype(np.intp)] = decided
        return matrix

    def _expect_calibration(self) -> Any:
        check_is_fitted(self)
        if self.calibration_ is None:
            raise ScoreError(
                "there is no calibration to make sets with: there were too few documents. Call "
                "recalibrate(texts, labels) with documents that were not learned."
            )
        return self.calibration_

    def _warn_if_stale(self) -> None:
        check_is_fitted(self)
        if self.calibration_ is not None and self.changes_:
            warnings.warn(
                f"probabilities, sets and thresholds are stale: {self.changes_} since they were "
                "found. Call recalibrate(texts, labels).",
                StaleWarning,
                stacklevel=3,
            )


def _expect_probability(least: Any) -> None:
    if least is not None and not (isinstance(least, Real) and 0 <= float(least) <= 1):
        raise ScoreError(f"min_confidence must lie from 0 to 1, not {least!r}.")

"""What a classifier says of texts."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from numbers import Integral, Real
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from tallytext.classifier.base import ClassifierBase
from tallytext.classifier.calibration import Calibration
from tallytext.classifier.labels import (
    as_indicator,
    as_lists,
    expect_as_many,
    expect_labels,
    expect_single,
    labels_of,
    shared,
)
from tallytext.classifier.moments import Said, joined
from tallytext.errors import InputError, ScoreError, StaleWarning
from tallytext.explanation import Explanation
from tallytext.smoothing.base import Numbers
from tallytext.text.sources import pieces

_PIECE = 16_384
_MOST_NUMBERS = 1 << 22  # documents times classes that are looked at together


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
        expect_probability(min_confidence)
        if not self._is_several() and min_confidence is None:
            return np.concatenate([self._best(X) for X in self._rows(texts, _PIECE)])
        self._warn_if_stale()
        least = 0.0 if min_confidence is None else float(min_confidence)
        if not self.multi_label_:
            calibration = self.calibration_
            return np.concatenate([_sure(said, least) for said in self._likely(texts, calibration)])
        found = self._lists(texts, least)
        return found if self.n_columns_ is None else as_indicator(found, self.n_columns_)

    def predict_proba(self, texts: Any) -> Numbers:
        """Return how likely each class is, calibrated on documents kept from the model.

        Columns are those of ``classes_``. They sum to one, unless documents may have several
        labels: then each class is a question of its own.

        Parameters
        ----------
        texts : list, column or iterable of str
            The texts.
        """
        self._warn_if_stale()
        return joined([*self._likely(texts, self.calibration_)], 0.0).values

    def predict_log_proba(self, texts: Any) -> Numbers:
        """Return the logarithms of :meth:`predict_proba`.

        Parameters
        ----------
        texts : list, column or iterable of str
            The texts.
        """
        self._warn_if_stale()
        with np.errstate(divide="ignore"):
            return np.log(joined([*self._likely(texts, self.calibration_)], 0.0).values)

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
        found: list[list[Any]] = []
        for proba, classes in self._likely(texts, calibration):
            names = classes.tolist()
            sets = calibration.sets.sets(
                proba, coverage, classes=names, by_class=by_class, never_empty=never_empty
            )
            for row, chosen in zip(proba, sets, strict=True):
                inside = np.flatnonzero(chosen)
                found.append([names[c] for c in inside[np.argsort(-row[inside], kind="stable")]])
        return found

    def top_k(self, texts: Any, k: int = 3) -> list[list[Answer]]:
        """Return the k likeliest labels of each text, with their probabilities.

        Parameters
        ----------
        texts : list, column or iterable of str
            The texts.
        k : int, default=3
            How many labels.
        """
        if not isinstance(k, Integral) or k < 1:
            raise ScoreError(f"k must be a whole number from 1 up, not {k!r}.")
        self._warn_if_stale()
        found: list[list[Answer]] = []
        for proba, classes in self._likely(texts, self.calibration_):
            names, order = classes.tolist(), np.argsort(-proba, axis=1, kind="stable")[:, :k]
            for ranked, row in zip(order, proba, strict=True):
                found.append([Answer(names[c], float(row[c])) for c in ranked])
        return found

    def scores(self, texts: Any) -> Numbers:
        """Return the raw score of each text for each class, a pure function of the counts.

        Parameters
        ----------
        texts : list, column or iterable of str
            The texts.
        """
        said = ((scores, classes) for scores, _, classes in map(self._judged, self._rows(texts)))
        return joined([Said(*each) for each in said], -np.inf).values

    def rank(self, texts: Any, label: Any) -> Numbers:
        """Return by how much each text speaks for a class, to sort by.

        Its log-odds, or what the model has instead: see the ``rank`` of the model.

        Parameters
        ----------
        texts : list, column or iterable of str
            The texts.
        label : label
            A class.
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
        x = self._select(vectorizer.transform([text]))
        return self.model_.explain(x, label, against, text=text, vectorizer=vectorizer)

    def score(self, texts: Any, labels: Any) -> float:
        """Return the accuracy; micro-averaged F1 where documents may have several labels.

        Parameters
        ----------
        texts : list, column or iterable of str
            The texts.
        labels : list, column or array
            Their true labels, as for :meth:`fit`.
        """
        listed, _ = labels_of(labels)
        expect_labels(listed)
        if not self._is_several():
            found = self.predict(texts).tolist()
            expect_as_many(len(found), listed)
            pairs = zip(found, expect_single(listed), strict=True)
            return float(np.mean([label == right for label, right in pairs]))
        self._warn_if_stale()
        lists = self._lists(texts, 0.0).tolist()
        expect_as_many(len(lists), listed)
        right, given, wanted = shared(lists, listed)
        return 2 * right / max(given + wanted, 1)

    def _is_several(self) -> bool:
        check_is_fitted(self)
        return self.multi_label_

    def _rows(self, texts: Any, size: int | None = None) -> Iterator[Any]:
        """Yield counts of texts, of so many that numbers for all classes fit into memory."""
        check_is_fitted(self)
        if size is None:
            size = max(1, min(_PIECE, _MOST_NUMBERS // max(1, len(self.classes_))))
        vectorizer, empty = self.vectorizer_, True
        for some in pieces(texts, size):
            empty = False
            yield self._select(vectorizer.transform(some))
        if empty:
            yield vectorizer.transform([])

    def _best(self, X: Any) -> NDArray[Any]:
        return self.model_.predict(X) if X.shape[0] else self.classes_[:0]

    def _likely(self, texts: Any, calibration: Calibration | None) -> Iterator[Said]:
        """Yield probabilities, piece by piece; all by one calibration, though it be replaced."""
        model = self.model_
        for X in self._rows(texts):
            scores, lengths, classes = self._judged(X)
            if calibration is None:
                yield Said(np.exp(model.posteriors(scores)), classes)
            else:
                found = calibration.probabilities(scores, lengths, classes, model.log_odds)
                yield Said(found, classes)

    def _lists(self, texts: Any, least: float) -> NDArray[np.object_]:
        """Return the labels of texts that may have several."""
        calibration = self.calibration_
        found = []
        for proba, classes in self._likely(texts, calibration):
            chosen = proba >= 0.5 if calibration is None else calibration.decided(proba, classes)
            found.append(as_lists(chosen & (proba >= least), classes))
        return np.concatenate(found)

    def _expect_calibration(self) -> Calibration:
        check_is_fitted(self)
        calibration = self.calibration_
        if calibration is None:
            raise ScoreError(
                "there is no calibration to make sets with: there were too few documents. Call "
                "recalibrate(texts, labels) with documents that were not learned."
            )
        return calibration

    def _warn_if_stale(self) -> None:
        check_is_fitted(self)
        if self.calibration_ is not None and self.changes_:
            warnings.warn(
                f"probabilities, sets and thresholds are stale: {self.changes_} since they were "
                "found. Call recalibrate(texts, labels).",
                StaleWarning,
                stacklevel=3,
            )


def _sure(said: Said, least: float) -> NDArray[np.object_]:
    """Return the likeliest label of each document; None where it is less likely than this."""
    proba, classes = said
    found = classes.astype(object)[proba.argmax(axis=1)]
    found[proba.max(axis=1, initial=0.0) < least] = None
    return found


def expect_probability(least: Any) -> None:
    """Refuse a least probability that is none.

    Raises
    ------
    ScoreError

    Examples
    --------
    >>> expect_probability(90)
    Traceback (most recent call last):
    tallytext.errors.ScoreError: min_confidence must lie from 0 to 1, not 90.
    """
    if least is not None and not (isinstance(least, Real) and 0 <= float(least) <= 1):
        raise ScoreError(f"min_confidence must lie from 0 to 1, not {least!r}.")

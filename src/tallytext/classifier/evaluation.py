"""A classifier judged by labelled documents that come batch by batch."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tallytext._typing import FloatArray
from tallytext.classifier.classifier import Answering
from tallytext.evaluation.evaluation import Evaluation
from tallytext.tally.labels import listed_labels

# ------------------------------------------------------------------------------------------------
# What is said of documents: the label of each and how likely it is, or lists of both.

_MOST_PROBABILITIES = 1 << 24
# Rounding may have put equal ones so far apart, or unequal ones together.
_NEARLY = 1e-9


def batch_size(classifier: Answering, most: int) -> int:
    """Return how many documents to ask about at a time: probabilities of all classes are held."""
    return min(most, max(1, _MOST_PROBABILITIES // max(1, len(classifier.classes_))))


def labels_and_probabilities(
    classifier: Answering, texts: Any, proba: FloatArray, min_confidence: float | None = None
) -> Iterator[tuple[Any, Any]]:
    """Yield the label of each document and its probability, or lists of both, likeliest first.

    The labels are those of ``classifier.predict(texts, min_confidence=min_confidence)``.

    Parameters
    ----------
    classifier : TextClassifier
    texts : list or column of str
    proba : ndarray of shape (n_documents, n_classes)
        What ``classifier.predict_proba(texts)`` returned.
    min_confidence : float, default=None
        Say None rather than a label less likely than this.

    Examples
    --------
    >>> from tallytext import TextClassifier
    >>> clf = TextClassifier("multinomial").fit(["buy now", "lunch?"], ["spam", "ham"])
    >>> [*labels_and_probabilities(clf, ["now"], np.array([[0.25, 0.75]]))]
    [('spam', 0.75)]
    >>> [*labels_and_probabilities(clf, ["now"], np.array([[0.25, 0.75]]), 0.9)]
    [(None, 0.75)]
    """
    least = 0.0 if min_confidence is None else min_confidence
    names = classifier.classes_.tolist()
    if classifier.multi_label_:
        yield from _several(proba, decided(classifier, proba) & (proba >= least), names)
        return
    best = proba.argmax(axis=1)
    if min_confidence is None:
        best = _untied(classifier, texts, proba, best, names)
    for c, p in zip(best.tolist(), proba[np.arange(len(best)), best].tolist(), strict=True):
        yield names[c] if p >= least else None, p


def decided(classifier: Answering, proba: FloatArray) -> NDArray[np.bool_]:
    """Return which classes documents get, where they may get several."""
    calibration = classifier.calibration_
    if calibration is None:
        return proba >= 0.5
    return calibration.decided(proba, classifier.classes_)


def _several(
    proba: FloatArray, chosen: NDArray[np.bool_], names: list[Any]
) -> Iterator[tuple[list[Any], list[float]]]:
    for row, mask in zip(proba, chosen, strict=True):
        likely = np.flatnonzero(mask)
        ranked = likely[np.argsort(-row[likely], kind="stable")]
        yield [names[c] for c in ranked], row[ranked].tolist()


def _untied(
    classifier: Answering, texts: Any, proba: FloatArray, best: NDArray[np.intp], names: list[Any]
) -> NDArray[np.intp]:
    """Return the best classes by scores, where probabilities do not tell which is better."""
    near = proba >= proba.max(axis=1, keepdims=True, initial=0.0) * (1 - _NEARLY)
    tied = np.flatnonzero(near.sum(axis=1) > 1)
    if not len(tied):
        return best
    number = {name: c for c, name in enumerate(names)}
    some = texts.take(tied) if hasattr(texts, "take") else [texts[row] for row in tied]
    best[tied] = [number[label] for label in classifier.predict(some).tolist()]
    return best


_PIECE = 16_384


def evaluated(classifier: Answering, batches: Iterable[tuple[Any, Any]]) -> Evaluation:
    """Return how predictions and true labels compare, summed up over all batches.

    Parameters
    ----------
    classifier : TextClassifier
    batches : iterable of (texts, labels)
        Of each document its label, or the list of its labels. Memory does not depend on the
        sizes of batches.

    Examples
    --------
    >>> from tallytext import TextClassifier
    >>> clf = TextClassifier("multinomial").fit(["buy now", "lunch?"], ["spam", "ham"])
    >>> evaluated(clf, [(["buy lunch", "buy"], ["ham", "spam"])]).n_documents
    2
    """
    evaluation, classes = Evaluation(), classifier.classes_.tolist()
    for texts, labels in _pieces(batches, batch_size(classifier, _PIECE)):
        proba = classifier.predict_proba(texts)
        given = [label for label, _ in labels_and_probabilities(classifier, texts, proba)]
        evaluation.add(labels, given, proba, classes)
    return evaluation


def _pieces(batches: Iterable[tuple[Any, Any]], size: int) -> Iterator[tuple[Any, list[Any]]]:
    for texts, labels in batches:
        listed = listed_labels(labels)
        for at in range(0, len(texts), size):
            yield texts[at : at + size], listed[at : at + size]

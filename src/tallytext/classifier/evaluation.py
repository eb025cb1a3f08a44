"""Evaluation of a classifier on batches of labelled documents."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tallytext._typing import FloatArray
from tallytext.classifier.classifier import TextClassifier
from tallytext.evaluation.evaluation import Evaluation
from tallytext.runtime import rows_per_block
from tallytext.tally.labels import list_labels

_MAX_BATCH_DOCUMENTS = 16_384
# Probabilities this close may be equal, because rounding has separated them.
_TIE_TOLERANCE = 1e-9


def evaluate_classifier(
    classifier: TextClassifier, batches: Iterable[tuple[Any, Any]], *, ranking: bool = False
) -> Evaluation:
    """Return an evaluation of the predictions for labelled documents.

    Parameters
    ----------
    classifier : TextClassifier
    batches : iterable of (texts, labels)
        A label, or a list of labels, for each document. Memory does not depend on the sizes of
        batches.
    ranking : bool, default=False
        True for average precision and break-even point, too.

    Examples
    --------
    >>> from tallytext import TextClassifier
    >>> clf = TextClassifier("multinomial").fit(["buy now", "lunch?"], ["spam", "ham"])
    >>> evaluate_classifier(clf, [(["buy lunch", "buy"], ["ham", "spam"])]).n_documents
    2
    """
    evaluation = Evaluation(multi_label=classifier.multi_label_, ranking=ranking)
    for _ in answer_batches(classifier, batches, evaluation):
        pass
    return evaluation


class Answers(NamedTuple):
    """Documents with their labels and the predictions of a classifier.

    Attributes
    ----------
    start : int
        The position of the first document in its batch.
    texts, labels : sequence
        The documents and their true labels.
    predicted : list of (label, probability)
        The predicted label and its probability, or a list of each.
    proba : ndarray of shape (n_documents, n_classes)
        The probability of each class.
    """

    start: int
    texts: Any
    labels: list[Any]
    predicted: list[tuple[Any, Any]]
    proba: FloatArray


def answer_batches(
    classifier: TextClassifier, batches: Iterable[tuple[Any, Any]], evaluation: Evaluation
) -> Iterator[Answers]:
    """Predict labelled documents, add them to an evaluation, and yield the predictions.

    Parameters
    ----------
    classifier : TextClassifier
    batches : iterable of (texts, labels)
        As for :func:`evaluate_classifier`. A large batch is predicted in parts.
    evaluation : Evaluation
        Grows with each part.
    """
    classes = classifier.classes_.tolist()
    size = prediction_batch_size(classifier, _MAX_BATCH_DOCUMENTS)
    for all_texts, all_labels in batches:
        listed = list_labels(all_labels)
        for at in range(0, len(all_texts), size):
            texts, labels = all_texts[at : at + size], listed[at : at + size]
            proba = classifier.predict_proba(texts)
            predicted = [*labels_and_probabilities(classifier, texts, proba)]
            evaluation.add(labels, [label for label, _ in predicted], proba, classes)
            if classifier.n_kept:
                evaluation.n_learned += int(classifier.is_learned(texts, labels).sum())
            yield Answers(at, texts, labels, predicted, proba)


def prediction_batch_size(classifier: TextClassifier, largest: int) -> int:
    """Return the number of documents whose probabilities of all classes fit into memory."""
    return min(largest, rows_per_block(len(classifier.classes_)))


def labels_and_probabilities(
    classifier: TextClassifier, texts: Any, proba: FloatArray, min_confidence: float | None = None
) -> Iterator[tuple[Any, Any]]:
    """Yield the label of each document and its probability, or lists of both, the best first.

    The labels are those of ``classifier.predict(texts, min_confidence=min_confidence)``.

    Parameters
    ----------
    classifier : TextClassifier
    texts : list or column of str
    proba : ndarray of shape (n_documents, n_classes)
        The result of ``classifier.predict_proba(texts)``.
    min_confidence : float, default=None
        Yield None instead of a label below this probability.

    Examples
    --------
    >>> from tallytext import TextClassifier
    >>> clf = TextClassifier("multinomial").fit(["buy now", "lunch?"], ["spam", "ham"])
    >>> [*labels_and_probabilities(clf, ["now"], np.array([[0.25, 0.75]]))]
    [('spam', 0.75)]
    >>> [*labels_and_probabilities(clf, ["now"], np.array([[0.25, 0.75]]), 0.9)]
    [(None, 0.75)]
    """
    threshold = 0.0 if min_confidence is None else min_confidence
    names = classifier.classes_.tolist()
    if classifier.multi_label_:
        assigned = assign_labels(classifier, proba) & (proba >= threshold)
        for row, mask in zip(proba, assigned, strict=True):
            columns = np.flatnonzero(mask)
            ranked = columns[np.argsort(-row[columns], kind="stable")]
            yield [names[c] for c in ranked], row[ranked].tolist()
        return
    best = proba.argmax(axis=1)
    # predict compares scores here, which may differ where probabilities round to the same number.
    if min_confidence is None:
        best = _break_ties(classifier, texts, proba, best)
    for c, p in zip(best.tolist(), proba[np.arange(len(best)), best].tolist(), strict=True):
        yield names[c] if p >= threshold else None, p


def assign_labels(classifier: TextClassifier, proba: FloatArray) -> NDArray[np.bool_]:
    """Return True for the labels of each document, which may have several."""
    return classifier._assign_labels(proba, classifier.classes_, classifier.calibration_)


def _break_ties(
    classifier: TextClassifier, texts: Any, proba: FloatArray, best: NDArray[np.intp]
) -> NDArray[np.intp]:
    """Return the best classes, by scores if several have the highest probability."""
    near = proba >= proba.max(axis=1, keepdims=True, initial=0.0) * (1 - _TIE_TOLERANCE)
    tied = np.flatnonzero(near.sum(axis=1) > 1)
    if not len(tied):
        return best
    number = {name: c for c, name in enumerate(classifier.classes_.tolist())}
    tied_texts = texts.take(tied) if hasattr(texts, "take") else [texts[row] for row in tied]
    best[tied] = [number[label] for label in classifier.predict(tied_texts).tolist()]
    return best

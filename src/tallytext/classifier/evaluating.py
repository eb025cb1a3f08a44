"""A classifier judged by labelled documents that come batch by batch."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from tallytext.classifier.answering import Answering
from tallytext.classifier.answers import batch_size, labels_and_probabilities
from tallytext.evaluation import Evaluation
from tallytext.labels import listed_labels

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

"""Documents to examine models on: prepared once, however many models are to judge them."""

from __future__ import annotations

from typing import Any

import numpy as np

from tallytext.bayes.base import ModelBase
from tallytext.bayes.matrices import documents_of, transformed
from tallytext.bayes.out_of_sample import OutOfSample, in_columns
from tallytext.bayes.reading import Reader, at_one_moment
from tallytext.smoothing.base import Numbers
from tallytext.targets import truth_of
from tallytext.threads import thread_count


class Exam:
    """Documents that models have not learned, and their labels.

    A model makes weights for the words of these documents and for no others, and does not keep
    them, so that examining many models costs little where the vocabulary is large.

    Parameters
    ----------
    X : CSR matrix of shape (n_documents, n_terms)
        Counts, by the ids of the vocabulary of the models' tallies.
    labels : list
        A label per document, or a list of labels.
    """

    def __init__(self, X: Any, labels: list[Any]) -> None:
        documents = documents_of(X)
        used = np.zeros(X.shape[1], dtype=np.int32)
        used[documents.terms] = 1
        self._terms = np.flatnonzero(used).astype(np.int32)
        used[self._terms] = np.arange(len(self._terms), dtype=np.int32)
        self._documents = documents._replace(terms=used[documents.terms])
        self._labels = labels

    def __len__(self) -> int:
        return len(self._labels)

    def judged(self, model: ModelBase, classes: Any, method: str) -> OutOfSample:
        """Return what a model says of these documents.

        Parameters
        ----------
        model : NaiveBayes
        classes : ndarray
            The labels of the columns, sorted: those of the model and perhaps more, which get a
            score of minus infinity.
        method : str
            How these documents were kept from the model.
        """
        found, lengths, known = at_one_moment(
            model._reader(), lambda reader: self._scores(model, reader)
        )
        return OutOfSample(
            scores=in_columns(found, known, classes),
            lengths=lengths,
            truth=truth_of(self._labels, classes),
            classes=classes,
            contrasts=model._contrasts,
            several=model.multi_label_,
            method=method,
        )

    def _scores(self, model: ModelBase, reader: Reader) -> tuple[Numbers, Numbers, Any]:
        reading = reader.read(self._terms)
        if not reading.n_classes:  # what is left has no label
            return np.empty((len(self), 0)), np.zeros(len(self)), reading.order.classes
        weights = model._weights(reading)
        documents = transformed(self._documents, model.tf_test)
        scores, lengths = weights.scores(documents, thread_count(model.n_jobs))
        scores = model._lengthened(model._or_prior(scores, weights), documents, reading)
        return scores, lengths, reading.order.classes

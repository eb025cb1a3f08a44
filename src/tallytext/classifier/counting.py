"""Training documents as they stream by: counted, some of them kept to judge models on."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from tallytext.classifier.labels import expect_as_many, expect_single
from tallytext.classifier.sample import Keys, Sample
from tallytext.duplicates import Duplicates
from tallytext.errors import LabelError, VocabularyError
from tallytext.labels import LabelIndex, sort_labels
from tallytext.planes import Plane
from tallytext.tally import Tally
from tallytext.text.sources import fingerprints
from tallytext.vectorizer import TextVectorizer

SAMPLE = 4096
"""How many documents are kept to judge models on, at most."""


class Counting:
    """Counts documents, batch by batch, in memory that does not grow with their number.

    But for eight bytes and a label each, to find those that come twice; and for all of them, if a
    model is to be trained on documents.

    Parameters
    ----------
    vectorizer : TextVectorizer
        Not fitted; learns the words.
    planes : iterable of Plane
        What to count besides.
    keep_documents : bool
        Whether a model needs the documents themselves.
    """

    def __init__(
        self,
        vectorizer: TextVectorizer,
        planes: Iterable[Plane],
        keep_documents: bool,
    ) -> None:
        self.vectorizer = vectorizer
        self.sample = Sample(SAMPLE)
        self._planes = list(planes)
        self._tally: Tally | None = None
        self._kept: list[Any] | None = [] if keep_documents else None
        self._labels: list[Any] = []
        self._fingerprints: list[NDArray[np.uint64]] = []

    def add(self, texts: Any, labels: list[Any], keys: Keys | None = None) -> None:
        """Count more documents.

        Parameters
        ----------
        texts : list or column of str
        labels : list
            A label per document, or a list of labels.
        keys : ndarray of uint64, default=None
            What documents are drawn by, see :class:`~tallytext.classifier.sample.Sample`.
        """
        self._expect_order()
        X = self.vectorizer.partial_fit_transform(texts)
        expect_as_many(X.shape[0], labels)
        self._counted_into(labels).learn(X, labels, terms=self.vectorizer.vocabulary_)
        self.sample.add(X, labels, keys)
        self._labels += labels
        self._fingerprints.append(self._prints(texts))
        if self._kept is not None:
            self._kept.append(X)

    @property
    def tally(self) -> Tally:
        """What was counted."""
        if self._tally is None or not self._tally.n_documents:
            raise LabelError("there is no document to learn from.")
        return self._tally

    @property
    def n_documents(self) -> int:
        """How many documents were counted."""
        return len(self._labels)

    def documents(self, several: bool) -> tuple[Any, list[Any]] | None:
        """Return the counts and labels of all documents, if they were kept."""
        if self._kept is None:
            return None
        width = len(self.vectorizer.vocabulary_)
        for X in self._kept:
            X.resize(X.shape[0], width)
        labels = self._labels if several else expect_single(self._labels)
        return sparse.vstack(self._kept, format="csr"), labels

    def duplicates(self) -> Duplicates:
        """Return which documents came more than once."""
        index = LabelIndex()
        encoded = index.encode(self._labels, len(self._labels))
        return Duplicates.of(np.concatenate(self._fingerprints), encoded, index.names)

    def _counted_into(self, labels: list[Any]) -> Tally:
        if self._tally is None:
            index = LabelIndex()
            index.encode(labels, len(labels))
            self._tally = Tally(self.vectorizer.vocabulary_, planes=self._planes)
            self._tally.number_labels(sort_labels(index.names))
        return self._tally

    def _prints(self, texts: Any) -> NDArray[np.uint64]:
        read = self.vectorizer
        return fingerprints(
            texts, encoding=read.encoding, decode_error=read.decode_error, n_jobs=read.n_jobs
        )

    def _expect_order(self) -> None:
        if self.vectorizer.is_limited and self._fingerprints:
            raise VocabularyError(
                "min_df, max_df and max_features need all documents at once: use fit, or a "
                "vectorizer without limits."
            )

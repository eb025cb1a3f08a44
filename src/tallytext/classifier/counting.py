"""Training documents as they stream by: counted, some of them kept to judge models on."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tallytext.classifier.kept import KeptRows, TrainingDocuments
from tallytext.classifier.labels import expect_as_many, expect_single
from tallytext.classifier.sample import Keys, Sample
from tallytext.duplicates import Duplicates
from tallytext.errors import CountOverflowError, LabelError, VocabularyError
from tallytext.labels import LabelIndex, distinct_labels
from tallytext.planes import Plane, in_order
from tallytext.tally import Tally
from tallytext.tally.outgrown import added
from tallytext.text.sources import fingerprints
from tallytext.vectorizer import TextVectorizer

SAMPLE = 4096
"""How many documents are kept to judge models on, at most."""
SAMPLE_OF_KEPT = 16_384
"""The same where all documents are kept anyway."""


class Counting:
    """Counts documents, batch by batch, in memory that does not grow with their number.

    But for eight bytes and a label each, to find those that come twice; and for all of them, if a
    model is to be trained on documents.

    Parameters
    ----------
    vectorizer : TextVectorizer
        Not fitted; learns the words.
    planes : iterable of Plane
        What to count besides, as long as sums have room for it.
    kept : dict of KeptRows
        By names of features, what to keep of all documents; those with this vectorizer are
        counted once.
    most_words : mapping
        By names of features, of how many words documents may be on average in the first batch for
        these features to be counted at all.
    pool : dict of KeptRows
        By names of features, what to keep of documents without labels.
    n_drawn : int
        How many documents are kept to judge models on, at most.
    """

    def __init__(
        self,
        vectorizer: TextVectorizer,
        planes: Iterable[Plane],
        kept: Mapping[str, KeptRows] = MappingProxyType({}),
        most_words: Mapping[str, float] = MappingProxyType({}),
        pool: Mapping[str, KeptRows] = MappingProxyType({}),
        n_drawn: int = SAMPLE,
    ) -> None:
        self.vectorizer = vectorizer
        self.sample = Sample(n_drawn)
        self._planes = in_order(planes)
        self._tally: Tally | None = None
        self.kept, self._pool = dict(kept), dict(pool)
        self.n_unlabelled = 0
        self._most_words = most_words
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
        self._learn(X, labels)
        self.sample.add(X, labels, keys)
        self._labels += labels
        self._fingerprints.append(self._prints(texts))
        self._keep(texts, X)

    def add_unlabelled(self, texts: Any) -> None:
        """Count more documents without labels, for the models that learn from these.

        They are in no class and in no tally; but their words are known from now on.
        """
        for rows in self._pool.values():
            rows.count(texts)
        self.n_unlabelled = max((rows.n_documents for rows in self._pool.values()), default=0)

    @property
    def tally(self) -> Tally:
        """What was counted."""
        if self._tally is None or not self._tally.n_documents:
            raise LabelError("there is no document to learn from.")
        return self._tally

    @property
    def outgrown(self) -> list[Plane]:
        """What is no longer counted, since sums would have left 64 bits."""
        kept = self._planes if self._tally is None else self._tally.planes
        return [each for each in self._planes if each not in kept]

    @property
    def n_documents(self) -> int:
        """How many documents were counted."""
        return len(self._labels)

    def documents(self, several: bool) -> TrainingDocuments | None:
        """Return all documents, if they were kept."""
        labels = self._labels if several else expect_single(self._labels)
        pool = self._pool if self.n_unlabelled else {}
        return TrainingDocuments(self.kept, labels, pool) if self.kept else None

    def duplicates(self) -> Duplicates:
        """Return which documents came more than once."""
        index = LabelIndex()
        encoded = index.encode(self._labels, len(self._labels))
        return Duplicates.of(np.concatenate(self._fingerprints), encoded, index.names)

    def _keep(self, texts: Any, X: Any) -> None:
        if len(self._fingerprints) == 1:
            words = X.sum() / max(X.shape[0], 1)
            for name, most in self._most_words.items():
                if words > most:
                    self.kept.pop(name, None)
        for rows in self.kept.values():
            if rows.vectorizer is self.vectorizer:
                rows.add(X)
            else:
                rows.count(texts)

    def _learn(self, X: Any, labels: list[Any]) -> None:
        tally, terms = self._counted_into(labels), self.vectorizer.vocabulary_
        try:
            tally.learn(X, labels, terms=terms)
        except CountOverflowError:
            if not tally.planes:
                raise
            more = Tally(terms, planes=tally.planes).learn(X, labels, terms=terms)
            self._tally = added(tally, more)

    def _counted_into(self, labels: list[Any]) -> Tally:
        if self._tally is None:
            self._tally = Tally(self.vectorizer.vocabulary_, planes=self._planes)
            self._tally.number_labels(distinct_labels(labels))
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

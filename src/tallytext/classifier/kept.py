"""Count rows of all documents, for models that are trained on documents."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from scipy import sparse

from tallytext.vectorizer import TextVectorizer


class KeptRows:
    """Documents as rows of counts, kept batch by batch while the vocabulary grows.

    Parameters
    ----------
    vectorizer : TextVectorizer
        What counts them.
    """

    def __init__(self, vectorizer: TextVectorizer) -> None:
        self.vectorizer = vectorizer
        self.n_documents = 0
        self._rows: list[Any] = []

    def add(self, X: Any) -> None:
        """Keep more rows."""
        self.n_documents += X.shape[0]
        self._rows.append(X)

    def count(self, texts: Any) -> None:
        """Count more documents, and keep their rows."""
        self.add(self.vectorizer.partial_fit_transform(texts))

    def matrix(self) -> Any:
        """Return all rows, one under the other."""
        width = len(self.vectorizer.vocabulary_)
        for X in self._rows:
            X.resize(X.shape[0], width)
        if len(self._rows) != 1:
            self._rows = [sparse.vstack(self._rows, format="csr")]
        # So that nothing depends on the batches that documents came in.
        self._rows[0].sort_indices()
        return self._rows[0]


@dataclass(frozen=True)
class TrainingDocuments:
    """All training documents: as rows of counts for each set of features, and their labels.

    Attributes
    ----------
    kept : dict of KeptRows
        By names of features.
    labels : list
    pool : dict of KeptRows
        The documents without labels, where a model learns from these, too.
    """

    kept: dict[str, KeptRows]
    labels: list[Any]
    pool: dict[str, KeptRows]

    def has_words(self, features: str) -> bool:
        """Whether documents were counted by these features, and one of them has a word."""
        return features in self.kept and len(self.kept[features].vectorizer.vocabulary_) > 0

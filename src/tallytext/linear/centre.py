"""What a naive Bayes model knows of words: how rare, how telling, and for which class each is."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.base import clone

from tallytext.bayes import MultinomialNB
from tallytext.bayes.reading import Reading
from tallytext.bayes.weighting import term_emphasis
from tallytext.errors import ScoreError
from tallytext.scorer import Weights
from tallytext.smoothing.base import Numbers

_LEAST_CHI = 1e-6
_ROW_NUMBERS = 1 << 19  # of one block of rows: 4 MB


@dataclass(frozen=True)
class Centre:
    """The counts of training documents, and the weights that naive Bayes takes from them.

    Attributes
    ----------
    reading : Reading
        The counts; the last column is that of documents.
    weights : Weights
        What naive Bayes gives each word and class.
    several : bool
        Whether documents may have several labels: if not, only differences between classes count.
    """

    reading: Reading
    weights: Weights
    several: bool

    @classmethod
    def of(
        cls,
        model: MultinomialNB | None,
        X: Any,
        truth: sparse.csr_array[Any],
        several: bool,
        n_jobs: int | None,
    ) -> Self:
        """Count documents, of which ``truth`` says the classes by their numbers."""
        chosen = MultinomialNB.chi_contrast() if model is None else clone(model)
        chosen.set_params(multi_label=several, n_jobs=n_jobs).fit(X, _numbers(truth, several))
        reading = chosen._reader().read()
        return cls(reading, chosen._weights(reading), several)

    def scale(self, chi_power: float) -> NDArray[np.float32]:
        r"""Return what one of each word weighs, zero for one that was never seen.

        .. math:: s_w = \left(1 + \ln \frac{1 + n}{1 + n_w}\right) \max(\chi^2_w, 10^{-6})^p
        """
        documents, total = self.reading.term_totals[-1], self.reading.n_documents
        scale: Numbers = 1 + np.log((1 + total) / (1 + documents))
        if chi_power:
            chi = term_emphasis(self.reading, "chi", 1.0)
            scale *= np.maximum(chi, _LEAST_CHI) ** chi_power
        return np.where(documents > 0, scale, 0.0).astype(np.float32)

    def rows(self) -> Iterator[tuple[int, NDArray[np.float64]]]:
        """Yield the weights of some words after others, words by classes, and the first of them.

        Raises
        ------
        ScoreError
            If a weight is infinite, as it can be without smoothing.
        """
        n_terms = self.reading.n_terms
        step = max(1, _ROW_NUMBERS // self.reading.n_classes)
        for first in range(0, n_terms, step):
            rows = self.weights.rows(first, min(first + step, n_terms)).astype(np.float64)
            if not np.isfinite(rows).all():
                raise ScoreError(
                    "a naive Bayes model whose words can have the probability zero cannot be "
                    "refined: its weights are infinite. Give it a smoothing."
                )
            yield first, rows if self.several else rows - rows.mean(axis=1, keepdims=True)


def _numbers(truth: sparse.csr_array[Any], several: bool) -> Any:
    """Return labels by their numbers, in a form that tells one from several."""
    if not several:
        return truth.indices
    # An indicator matrix of one column would be taken for labels 0 and 1.
    return truth if truth.shape[1] > 1 else [[0] * n for n in np.diff(truth.indptr).tolist()]

"""Weights of words: how much a word says about the classes, from documents that have it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from tallytext.bayes.reading import Reading
from tallytext.contingency import CLASS_METHODS, Table
from tallytext.selection.postings import Postings
from tallytext.smoothing.base import Numbers

_ROW_NUMBERS = 1 << 21


def term_emphasis(reading: Reading, method: str | None, power: float) -> Numbers:
    """Return one weight per word, common to all classes."""
    if method is None:
        return np.ones(reading.n_terms)
    postings = Postings(
        starts=reading.starts,
        classes=reading.classes,
        counts=reading.cells[-1],
        terms=reading.term_totals[-1],
        sizes=reading.class_documents.astype(np.float64),
        total=float(reading.n_documents),
    )
    live = postings.terms > 0
    scores = np.where(live, METHODS[method](postings), 0.0)
    return np.power(np.maximum(scores, 0.0), power, out=np.zeros_like(scores), where=live)


@dataclass(frozen=True)
class ClassWeighting:
    """Weights per word and class (Kim et al., eqs. 11-13), in rows made on demand."""

    reading: Reading
    method: str | None
    power: float = 1.0

    def rows(self, first: int, last: int) -> Numbers:
        """Return the weights of a range of words, words by classes."""
        words = self.reading.term_totals[-1, first:last, None]
        return self._weights(self.reading.dense(self.reading.cells[-1], first, last), words)

    def scale(self) -> Numbers:
        """Return V / W of each class: what makes its weights one on average."""
        whole = replace(self, reading=self.reading.all_terms())
        n_live = float((whole.reading.term_totals[-1] > 0).sum())
        total = sum(whole.rows(*ends).sum(axis=0) for ends in blocks(whole.reading))
        return np.divide(n_live, total, out=np.zeros(self.reading.n_classes), where=total > 0)

    def held(self) -> Callable[[NDArray[np.int32]], Numbers]:
        """Return the weights of any words, one on average, as they are now."""
        scale = self.scale()
        return lambda terms: (
            scale
            * self._weights(
                self.reading.rows(self.reading.cells[-1], terms),
                self.reading.term_totals[-1, terms, None],
            )
        )

    def _weights(self, class_with: Numbers, words: Numbers) -> Numbers:
        reading = self.reading
        if self.method is None:
            return np.broadcast_to((words > 0) * 1.0, class_with.shape)
        table = Table.of(
            class_with=class_with,
            with_term=words,
            in_class=reading.class_documents,
            n_documents=reading.n_documents,
        )
        weights: Numbers = np.where(words > 0, CLASS_METHODS[self.method](table), 0.0)
        return weights if self.power == 1 else weights**self.power


def blocks(reading: Reading) -> list[tuple[int, int]]:
    """Return ranges of words whose rows fit into memory together."""
    step = max(1, _ROW_NUMBERS // max(1, reading.n_classes))
    return [(at, min(at + step, reading.n_terms)) for at in range(0, reading.n_terms, step)]


METHODS: dict[str, Callable[[Postings], Numbers]] = {
    "ig": lambda postings: postings.summed(Table.gain, np.ones_like(postings.sizes)),
    "chi": lambda postings: postings.topmost(Table.chi_square),
    "prr": lambda postings: postings.topmost(Table.probability_ratio),
    "mi": lambda postings: postings.largest(Table.mutual_information(postings.tables())),
    "df": lambda postings: postings.terms,
}
"""Scores of words, over all classes. Gains are those of telling each class from the others, summed:
that is right for documents with several labels, too."""

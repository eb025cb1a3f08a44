"""Weights at a version of the tally: made in bulk, or on the fly for a few documents."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from tallytext.bayes.reading import Reader, Reading
from tallytext.scorer import Documents, Weights

# Weights of all terms cost about as much as those of the terms of a batch this many times smaller
# than the vocabulary: a batch pays for finding its distinct terms.
_BULK = 8

Made = TypeVar("Made")


class Seen(NamedTuple):
    """Weights, and the terms that they are of: all when None."""

    weights: Weights
    terms: NDArray[np.int32] | None
    reading: Reading

    def local(self, documents: Documents) -> Documents:
        """Return documents with terms by their numbers in the weights, -1 for terms not there."""
        if self.terms is None:
            return documents
        at = np.searchsorted(self.terms, documents.terms)
        return documents._replace(terms=at.astype(np.int32))


class WeightCache:
    """Keeps the weights of all terms for as long as the tally stays as it is.

    Several threads may ask at a time: what is kept is replaced, never changed.
    """

    def __init__(self) -> None:
        self._kept: tuple[int, Seen] | None = None
        self._constants: tuple[int, Any] | None = None

    def weights(
        self,
        reader: Reader,
        terms: NDArray[np.int32],
        make: Callable[[Reading], Weights],
    ) -> Seen:
        """Return weights of at least these terms, of all if there are many."""
        kept = self._kept
        if kept is not None and kept[0] == reader.version:
            return kept[1]
        if len(terms) * _BULK >= reader.n_terms:
            return self.all_weights(reader, make)
        some = np.unique(terms)
        reading = reader.read(some)
        return Seen(make(reading), some, reading)

    def all_weights(self, reader: Reader, make: Callable[[Reading], Weights]) -> Seen:
        """Return the weights of all terms."""
        kept = self._kept
        if kept is not None and kept[0] == reader.version:
            return kept[1]
        reading = reader.read()
        seen = Seen(make(reading), None, reading)
        self._kept = reading.version, seen
        return seen

    def kept_at(self, version: int, make: Callable[[], Made]) -> Made:
        """Return what weights of any terms share, made once at each version of the tally."""
        kept = self._constants
        if kept is None or kept[0] != version:
            self._constants = kept = version, make()
        made: Made = kept[1]
        return made

    def clear(self) -> None:
        """Forget all weights, as when a parameter has changed."""
        self._kept = self._constants = None

    def __getstate__(self) -> dict[str, Any]:
        return {}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.clear()

    def __deepcopy__(self, memo: Any) -> WeightCache:
        return WeightCache()

"""Weights at a version of the tally: made in bulk, or on the fly for a few documents."""

from __future__ import annotations

from collections.abc import Callable
from operator import is_
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from tallytext.bayes.reading import Made, Reader, Reading, at_one_moment
from tallytext.scorer import Documents, SparseWeights, Weights

Make: TypeAlias = Callable[[Reading], Weights]

# Weights of all terms cost about as much as those of the terms of a batch this many times smaller
# than the vocabulary: a batch pays for finding its distinct terms.
_BULK = 8


class Seen(NamedTuple):
    """Weights, and the terms that they are of: all when None."""

    weights: Weights
    terms: NDArray[np.int32] | None
    reading: Reading

    def local(self, documents: Documents) -> Documents:
        """Return documents with terms by their numbers in the weights."""
        if self.terms is None:
            return documents
        at = np.searchsorted(self.terms, documents.terms)
        return documents._replace(terms=at.astype(np.int32))


class _Kept(NamedTuple):
    """Something made at a version of the tally, with these settings."""

    version: int
    settings: tuple[Any, ...]
    value: Any

    def holds(self, version: int, settings: tuple[Any, ...]) -> bool:
        same = len(self.settings) == len(settings) and all(map(is_, self.settings, settings))
        return self.version == version and same


class WeightCache:
    """Keeps the weights of all terms for as long as the tally and the model stay as they are.

    Several threads may ask at a time: what is kept is replaced, never changed.
    """

    def __init__(self) -> None:
        self._kept: _Kept | None = None
        self._constants: dict[str, _Kept] = {}

    def weights(
        self,
        reader: Reader,
        terms: NDArray[np.int32],
        make: Make,
        settings: tuple[Any, ...] = (),
    ) -> Seen:
        """Return weights of at least these terms, of all if there are many.

        Parameters
        ----------
        reader : Reader
        terms : ndarray of int
        make : callable
            From counts to weights.
        settings : tuple
            All that weights depend on but the counts; compared object by object.
        """
        kept = self._still_good(reader, settings)
        if kept is not None:
            return kept
        if len(terms) * _BULK >= reader.n_terms:
            return self.all_weights(reader, make, settings)
        return _made(reader, make, np.unique(terms))

    def all_weights(self, reader: Reader, make: Make, settings: tuple[Any, ...] = ()) -> Seen:
        """Return the weights of all terms."""
        kept = self._still_good(reader, settings)
        if kept is not None:
            return kept
        seen = _made(reader, make, None)
        if isinstance(seen.weights, SparseWeights):
            seen = seen._replace(weights=seen.weights.filled())
        self._kept = _Kept(seen.reading.version, settings, seen)
        return seen

    def constants(
        self,
        version: int,
        make: Callable[[], Made],
        settings: tuple[Any, ...] = (),
        name: str = "constants",
    ) -> Made:
        """Return what weights of any terms share, made once at each version of something."""
        kept = self._constants.get(name)
        if kept is None or not kept.holds(version, settings):
            self._constants[name] = kept = _Kept(version, settings, make())
        made: Made = kept.value
        return made

    def _still_good(self, reader: Reader, settings: tuple[Any, ...]) -> Seen | None:
        kept = self._kept
        return kept.value if kept is not None and kept.holds(reader.version, settings) else None

    def __reduce__(self) -> tuple[type[WeightCache], tuple[()]]:
        # Copies make their own.
        return WeightCache, ()


def _made(reader: Reader, make: Make, terms: NDArray[np.int32] | None) -> Seen:
    def made(reader: Reader) -> Seen:
        reading = reader.read(terms)
        return Seen(make(reading), terms, reading)

    return at_one_moment(reader, made)

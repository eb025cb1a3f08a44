r"""Xtract (Smadja 1993): collocations from where words stand to each other.

Stage one looks at one word after another, and at the words that stand near it (its *collocates*);
stage two lets pairs grow into phrases. The original tags words, and lets nouns and adjectives stand
in phrases; here there is no tagger, and function words, which would crowd out everything else, are
left out instead. Their places count: the offset to the next word but one is 2, whatever is between.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil, sqrt

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tallytext._core import WordPlaces
from tallytext.errors import CountError
from tallytext.runtime import progress_bar
from tallytext.semantic.matching import Found, WordStreams, tree_of

_BLOCKS = 32


@dataclass(frozen=True)
class StageOne:
    """What stage one finds of the collocates of a word, one entry for each."""

    mean_freq: float
    sigma: float
    freq: NDArray[np.int64]
    strength: NDArray[np.float64]
    spread: NDArray[np.float64]
    peaks: list[list[int]]
    accepted: NDArray[np.bool_]


def stage_one(
    histograms: ArrayLike,
    offsets: ArrayLike,
    k0: float = 1.0,
    k1: float = 1.0,
    u0: float = 10.0,
) -> StageOne:
    r"""Judge the collocates of a word by how often they stand at each offset from it.

    With :math:`p_j` how often a collocate stands at offset j, out of m offsets, :math:`f` the sum
    over all of them and :math:`\bar p = f / m`, and with :math:`\bar f` and :math:`\sigma` the mean
    and the standard deviation of :math:`f` over the collocates of the word,

    .. math::

        \text{strength} = \frac{f - \bar f}{\sigma} \ge k_0, \qquad
        \text{spread } U = \frac{1}{m} \sum_j (p_j - \bar p)^2 \ge U_0, \qquad
        \text{peaks: } p_j \ge \bar p + k_1 \sqrt{U}.

    The strength is 0 where all collocates are as frequent (:math:`\sigma = 0`).

    Parameters
    ----------
    histograms : array-like of shape (n_collocates, n_offsets)
        How often each collocate stands at each offset.
    offsets : array-like of shape (n_offsets,)
        The offsets.
    k0, k1, u0 : float, default=1, 1 and 10
        The least strength, the height of peaks, and the least spread.

    Returns
    -------
    StageOne
        ``mean_freq``, ``sigma``; for each collocate ``freq``, ``strength``, ``spread``, ``peaks``
        (the offsets) and whether it is ``accepted``.

    Examples
    --------
    >>> found = stage_one([[0, 3, 40, 2], [0, 1, 0, 1], [1, 0, 1, 0]], [-2, -1, 1, 2])
    >>> found.accepted.tolist(), found.peaks[0]
    ([True, False, False], [1])
    """
    table, places = np.asarray(histograms), np.asarray(offsets)
    if table.ndim != 2 or places.shape != table.shape[1:] or not table.size or table.min() < 0:
        raise CountError(
            "histograms must be counts, one row for each collocate and one column for each offset, "
            f"but they have shape {table.shape}, and there are {places.size} offsets."
        )
    freq = table.sum(axis=1)
    mean, sigma = float(freq.mean()), float(freq.std())
    strength = _strength(freq, np.array(mean), np.array(sigma))
    spread, is_peak = _spread_and_peaks(table, k1)
    accepted = (strength >= k0) & (spread >= u0) & is_peak.any(axis=1)
    peaks = [places[row].tolist() for row in is_peak]
    return StageOne(mean, sigma, freq, strength, spread, peaks, accepted)


@dataclass(frozen=True)
class XtractSearch:
    """Xtract with its settings: strength k0, peak k1, spread U0, share T."""

    strength: float
    peak: float
    spread: float
    share: float
    window: int
    min_count: int
    max_words: int
    n_threads: int
    verbose: bool | None = None

    def find(self, streams: WordStreams) -> Found:
        """Return phrases with the greatest strength of a pair that they grew from."""
        places = WordPlaces(streams.starts, streams.words, len(streams.names))
        frequent = np.flatnonzero(streams.occurrences() >= self.min_count).astype(np.int32)
        blocks = np.array_split(frequent, _BLOCKS)
        grown: Found = {}
        with progress_bar("finding collocations", len(blocks), self.verbose) as step:
            for block in blocks:
                for phrase, strength in self._grown(places, self._pairs(places, block)):
                    grown[phrase] = max(strength, grown.get(phrase, strength))
                step()
        return self._frequent(grown, streams)

    def _pairs(self, places: WordPlaces, words: NDArray[np.int32]) -> _Pairs:
        """Stage one: pairs with the offsets at which they peak."""
        first, second, bins, n, sums, squares = places.histograms(
            words, self.window, self._least(), self.n_threads
        )
        table = bins.reshape(len(first), 2 * self.window)
        at = np.searchsorted(words, first)
        mean = sums[at] / n[at]
        sigma = np.sqrt(np.maximum(squares[at] / n[at] - mean**2, 0.0))
        strength = _strength(table.sum(axis=1), mean, sigma)
        spread, is_peak = _spread_and_peaks(table, self.peak)
        good = (strength >= self.strength) & (spread >= self.spread)
        offsets = np.r_[-self.window : 0, 1 : self.window + 1].astype(np.int32)
        near = np.abs(offsets) < self.max_words
        rows, columns = np.nonzero(
            is_peak & good[:, None] & near[None, :] & (table >= self.min_count)
        )
        return _Pairs(first[rows], second[rows], offsets[columns], strength[rows])

    def _least(self) -> int:
        """Return how often words must stand together for their spread to be large enough."""
        # The spread is at most that of a histogram with everything in one place, f²(m - 1)/m².
        m = 2 * self.window
        return max(1, ceil(m * sqrt(max(self.spread, 0.0) / (m - 1)) - 1e-6))

    def _grown(self, places: WordPlaces, pairs: _Pairs) -> list[tuple[tuple[int, ...], float]]:
        """Stage two: let pairs grow by the words that nearly always stand beside them."""
        reach = self.max_words - 1
        totals, words, counts = places.align(
            pairs.first, pairs.second, pairs.offsets, reach, self.n_threads
        )
        words = words.reshape(-1, 2 * reach + 1)
        shares = counts.reshape(words.shape) / totals[:, None]
        grown = []
        for i, (offset, strength) in enumerate(
            zip(pairs.offsets.tolist(), pairs.strength.tolist(), strict=True)
        ):
            low, high = sorted((reach, reach + offset))
            span = _stretch(shares[i], low, high, self.share, self.max_words)
            if span:
                grown.append((tuple(words[i, slice(*span)].tolist()), strength))
        return grown

    def _frequent(self, grown: Found, streams: WordStreams) -> Found:
        """Keep the phrases that stand in the texts often enough, word for word."""
        phrases = list(grown)
        words = np.array([word for phrase in phrases for word in phrase], dtype=np.int32)
        tree = tree_of([len(phrase) for phrase in phrases], words, len(streams.names))
        counts = tree.occurrences(streams.starts, streams.words, self.n_threads)
        return {
            phrase: grown[phrase]
            for phrase, count in zip(phrases, counts.tolist(), strict=True)
            if count >= self.min_count
        }


@dataclass(frozen=True)
class _Pairs:
    first: NDArray[np.int32]
    second: NDArray[np.int32]
    offsets: NDArray[np.int32]
    strength: NDArray[np.float64]


def _strength(
    freq: NDArray[np.int64], mean: NDArray[np.float64], sigma: NDArray[np.float64]
) -> NDArray[np.float64]:
    return np.divide(freq - mean, sigma, out=np.zeros(len(freq)), where=sigma > 0)


def _spread_and_peaks(
    table: NDArray[np.integer], k1: float
) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
    mean = table.mean(axis=1, keepdims=True)
    spread = np.square(table - mean).mean(axis=1)
    return spread, table >= mean + k1 * np.sqrt(spread)[:, None]


def _stretch(
    shares: NDArray[np.float64], low: int, high: int, least: float, max_words: int
) -> tuple[int, int] | None:
    """Return from where to where words stand often enough, around a pair; None if they do not.

    It grows by one word at a time, towards the side where the next word is the more certain one.
    """
    if (shares[low : high + 1] < least).any():
        return None
    while high - low + 1 < max_words:
        before = shares[low - 1] if low > 0 else 0.0
        after = shares[high + 1] if high + 1 < len(shares) else 0.0
        if max(before, after) < least:
            break
        low, high = (low - 1, high) if before > after else (low, high + 1)
    return low, high + 1

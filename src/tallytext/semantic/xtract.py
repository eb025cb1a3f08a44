r"""Xtract (Smadja 1993): collocations from the relative positions of words.

Stage one finds, for each word, the words near it (its *collocates*) with a preferred position.
Stage two extends these pairs to phrases. The original uses a part-of-speech tagger and allows
nouns and adjectives in phrases. Without a tagger, function words are dropped instead, because they
would dominate all collocations. Dropped words still count in offsets.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil, sqrt

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tallytext._core import WordPlaces
from tallytext.errors import CountError
from tallytext.runtime import progress_bar
from tallytext.semantic.matching import ScoredPhrases, TokenStreams, phrase_tree

_N_BLOCKS = 32


@dataclass(frozen=True)
class StageOne:
    """Statistics of the collocates of a word from stage one, one entry for each collocate."""

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
    r"""Score the collocates of a word by their counts at each offset from it.

    Let :math:`p_j` be the count of a collocate at offset j, out of m offsets, :math:`f` the sum of
    these counts and :math:`\bar p = f / m`; let :math:`\bar f` and :math:`\sigma` be the mean and
    the standard deviation of :math:`f` over the collocates of the word. The conditions are

    .. math::

        \text{strength} = \frac{f - \bar f}{\sigma} \ge k_0, \qquad
        \text{spread } U = \frac{1}{m} \sum_j (p_j - \bar p)^2 \ge U_0, \qquad
        \text{peaks: } p_j \ge \bar p + k_1 \sqrt{U}.

    The strength is 0 if all collocates are equally frequent (:math:`\sigma = 0`).

    Parameters
    ----------
    histograms : array-like of shape (n_collocates, n_offsets)
        The count of each collocate at each offset.
    offsets : array-like of shape (n_offsets,)
        The offsets.
    k0, k1, u0 : float, default=1, 1 and 10
        The minimal strength, the height of peaks, and the minimal spread.

    Returns
    -------
    StageOne
        ``mean_freq``, ``sigma``; for each collocate ``freq``, ``strength``, ``spread``, ``peaks``
        (the offsets) and ``accepted``.

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

    def find(self, streams: TokenStreams) -> ScoredPhrases:
        """Return phrases, each with the greatest strength of the pairs that it extends."""
        places = WordPlaces(streams.starts, streams.words, len(streams.names))
        frequent = np.flatnonzero(streams.occurrences() >= self.min_count).astype(np.int32)
        blocks = np.array_split(frequent, _N_BLOCKS)
        grown: ScoredPhrases = {}
        with progress_bar("finding collocations", len(blocks), self.verbose) as step:
            for block in blocks:
                for phrase, strength in self._grow_pairs(places, self._pairs(places, block)):
                    grown[phrase] = max(strength, grown.get(phrase, strength))
                step()
        return self._frequent_phrases(grown, streams)

    def _pairs(self, places: WordPlaces, words: NDArray[np.int32]) -> _Pairs:
        """Stage one: find pairs, with the offsets of their peaks."""
        first, second, bins, n, sums, squares = places.histograms(
            words, self.window, self._min_frequency(), self.n_threads
        )
        table = bins.reshape(len(first), 2 * self.window)
        at = np.searchsorted(words, first)
        mean = sums[at] / n[at]
        # Rounding can make the difference slightly negative.
        sigma = np.sqrt(np.maximum(squares[at] / n[at] - mean**2, 0.0))
        strength = _strength(table.sum(axis=1), mean, sigma)
        spread, is_peak = _spread_and_peaks(table, self.peak)
        good = (strength >= self.strength) & (spread >= self.spread)
        offsets = np.r_[-self.window : 0, 1 : self.window + 1].astype(np.int32)
        # Words that are farther apart cannot be in one phrase.
        near = np.abs(offsets) < self.max_words
        rows, columns = np.nonzero(
            is_peak & good[:, None] & near[None, :] & (table >= self.min_count)
        )
        return _Pairs(first[rows], second[rows], offsets[columns], strength[rows])

    def _min_frequency(self) -> int:
        """Return the smallest frequency of a pair at which its spread can reach the minimum."""
        # The spread is largest if all f occurrences have the same offset: f²(m - 1)/m².
        m = 2 * self.window
        return max(1, ceil(m * sqrt(max(self.spread, 0.0) / (m - 1)) - 1e-6))

    def _grow_pairs(self, places: WordPlaces, pairs: _Pairs) -> list[tuple[tuple[int, ...], float]]:
        """Stage two: extend pairs by the words that are nearly always beside them."""
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
            # Columns are offsets from the first word of the pair, which is in the middle.
            low, high = sorted((reach, reach + offset))
            span = _grow_span(shares[i], low, high, self.share, self.max_words)
            if span:
                grown.append((tuple(words[i, slice(*span)].tolist()), strength))
        return grown

    def _frequent_phrases(self, grown: ScoredPhrases, streams: TokenStreams) -> ScoredPhrases:
        """Return the phrases that occur in the texts at least min_count times."""
        phrases = list(grown)
        words = np.array([word for phrase in phrases for word in phrase], dtype=np.int32)
        tree = phrase_tree([len(phrase) for phrase in phrases], words, len(streams.names))
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


def _grow_span(
    shares: NDArray[np.float64], low: int, high: int, least: float, max_words: int
) -> tuple[int, int] | None:
    """Return the bounds of the phrase around a pair; None if the pair itself has a gap.

    The span grows by one word at a time, to the side where the next word has the larger share.
    """
    # The words between the pair must be nearly always the same, or there is no phrase.
    if (shares[low : high + 1] < least).any():
        return None
    while high - low + 1 < max_words:
        before = shares[low - 1] if low > 0 else 0.0
        after = shares[high + 1] if high + 1 < len(shares) else 0.0
        if max(before, after) < least:
            break
        low, high = (low - 1, high) if before > after else (low, high + 1)
    return low, high + 1

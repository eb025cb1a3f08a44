"""The settings of Phrases, checked, as a search for phrases."""

from __future__ import annotations

from collections.abc import Callable
from math import inf, isfinite
from numbers import Integral, Real
from typing import Any

from tallytext.errors import SettingsError, did_you_mean
from tallytext.semantic.pairs import METHODS, Found, PairSearch, find_by_pairs
from tallytext.semantic.streams import WordStreams
from tallytext.semantic.xtract import XtractSearch

_NAMES = (*METHODS, "xtract")
_STRENGTH = 1.0


def checked_search(settings: Any, n_threads: int) -> Callable[[WordStreams], Found]:
    """Return how phrases are found, as the parameters of a ``Phrases`` say.

    Raises
    ------
    SettingsError
        If one of them is none of what it may be.
    """
    _check(settings)
    if settings.method == "xtract":
        return _xtract(settings, n_threads).find
    method = METHODS[settings.method]
    threshold = method.threshold if settings.threshold is None else float(settings.threshold)
    search = PairSearch(method, threshold, int(settings.min_count), n_threads)
    return lambda streams: find_by_pairs(streams, search, int(settings.max_words))


def _xtract(settings: Any, n_threads: int) -> XtractSearch:
    return XtractSearch(
        strength=_STRENGTH if settings.threshold is None else float(settings.threshold),
        peak=float(settings.peak),
        spread=float(settings.spread),
        share=float(settings.share),
        window=int(settings.window),
        min_count=int(settings.min_count),
        max_words=int(settings.max_words),
        n_threads=n_threads,
        verbose=settings.verbose,
    )


def _check(settings: Any) -> None:
    method = settings.method
    if not isinstance(method, str) or method not in _NAMES:
        raise SettingsError(
            f"method must be one of {', '.join(map(repr, _NAMES))}, not {method!r:.80}."
            + did_you_mean(method, _NAMES)
        )
    if settings.threshold is not None:
        _check_number("threshold", settings.threshold)
    _check_whole("min_count", settings.min_count, 1, 2**31 - 1)
    _check_whole("max_words", settings.max_words, 2, 4)
    _check_whole("window", settings.window, 1, 1000)
    _check_number("peak", settings.peak)
    _check_number("spread", settings.spread, 0)
    _check_number("share", settings.share, 0, 1)


def _check_whole(name: str, value: Any, least: int, most: int) -> None:
    whole = isinstance(value, Integral) and not isinstance(value, bool)
    if not whole or not least <= value <= most:
        raise SettingsError(
            f"{name} must be a whole number from {least} to {most}, not {value!r:.80}."
        )


def _check_number(name: str, value: Any, least: float = -inf, most: float = inf) -> None:
    real = isinstance(value, Real) and not isinstance(value, bool) and isfinite(value)
    if not real or not least <= value <= most:
        limits = f" from {least} to {most}" if isfinite(most) else f" from {least} on"
        limits = limits if isfinite(least) else ""
        raise SettingsError(f"{name} must be a number{limits}, not {value!r:.80}.")

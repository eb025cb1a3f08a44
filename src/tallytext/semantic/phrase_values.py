"""Phrases as plain values, and back. What is read is checked, since files may hold anything."""

from __future__ import annotations

from collections.abc import Mapping
from math import isfinite
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tallytext.errors import FileError
from tallytext.semantic.counting import strings_in
from tallytext.semantic.phrase_settings import checked_search
from tallytext.semantic.plain_settings import checked_settings, plain_settings

_NAMES = {"settings", "phrases", "scores", "counts", "stop_words"}
Checked = tuple[dict[str, Any], dict[str, float], dict[str, int], NDArray[np.object_]]


def phrases_to_values(model: Any) -> dict[str, Any]:
    """Return a fitted ``Phrases`` as strings, numbers, lists and one dict of settings."""
    return {
        "settings": plain_settings(model),
        "phrases": list(model.phrases_),
        "scores": [float(score) for score in model.phrases_.values()],
        "counts": [int(count) for count in model.counts_.values()],
        "stop_words": [str(word) for word in model.stop_words_],
    }


def phrases_from_values(values: Any, cls: type) -> Checked:
    """Return settings, phrases with scores, counts, and stop words, all checked."""
    if not isinstance(values, Mapping) or set(values) != _NAMES:
        raise FileError("these are no phrases: other values are there than should be.")
    settings = checked_settings(values["settings"], cls, lambda model: checked_search(model, 1))
    phrases = strings_in(values, "phrases")
    _check_phrases(phrases, settings["max_words"])
    scores = _numbers(values, "scores", float, len(phrases))
    counts = _numbers(values, "counts", int, len(phrases))
    stop_words = np.array([None, *strings_in(values, "stop_words")], dtype=object)[1:]
    return (
        settings,
        dict(zip(phrases, scores, strict=True)),
        dict(zip(phrases, counts, strict=True)),
        stop_words,
    )


def _check_phrases(phrases: list[str], max_words: int) -> None:
    if len(set(phrases)) != len(phrases):
        raise FileError("a phrase comes twice.")
    for phrase in phrases:
        words = phrase.split(" ")
        if not 2 <= len(words) <= max_words or not all(words):
            raise FileError(f"{phrase!r:.80} is no phrase of two to {max_words} words.")


def _numbers(values: Mapping[str, Any], name: str, kind: type, n: int) -> list[Any]:
    found = values[name]
    allowed = (int, float) if kind is float else (int,)
    good = isinstance(found, list) and all(
        isinstance(item, allowed) and not isinstance(item, bool) and isfinite(item)
        for item in found
    )
    if not good or len(found) != n or (kind is int and any(item < 0 for item in found)):
        raise FileError(f"{name!r} must be {n:,} numbers, one for each phrase.")
    return [kind(item) for item in found]

"""Parameters of Phrases and Concepts as plain values, and back."""

from __future__ import annotations

import codecs
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from tallytext.errors import FileError, SettingsError, TallytextError

# Threads, and what is shown, belong to a machine and its user; a mapping is kept by itself.
_NOT_KEPT = frozenset(("n_jobs", "verbose", "mapping"))
_KINDS = {"lowercase": bool, "language": str | None, "encoding": str, "decode_error": str}


def plain_settings(model: Any) -> dict[str, Any]:
    """Return the parameters of an estimator as strings, numbers and lists.

    Raises
    ------
    SettingsError
        If one of them is a function.
    """
    settings = {
        name: value.item() if isinstance(value, np.generic) else value
        for name, value in model.get_params().items()
        if name not in _NOT_KEPT
    }
    if callable(settings["strip_accents"]):
        raise SettingsError("strip_accents is a function, which cannot be kept in a file.")
    words = settings.get("stop_words")
    if words is not None and not isinstance(words, str):
        settings["stop_words"] = sorted(words)
    return settings


def checked_settings(
    settings: Any, cls: Any, check: Callable[[Any], object] = lambda model: None
) -> dict[str, Any]:
    """Return settings that an estimator takes, all of them.

    Parameters
    ----------
    settings : object
        What was read.
    cls : type
        The estimator's class.
    check : callable
        Raises an error if an estimator with these settings could not be used.

    Raises
    ------
    FileError
        If there are others, or fewer, or one of them is none of what it may be.
    """
    wanted = set(cls().get_params()) - _NOT_KEPT
    if not isinstance(settings, Mapping) or set(settings) != wanted:
        raise FileError("the settings of these phrases are not those that are known here.")
    for name, kind in _KINDS.items():
        if not isinstance(settings[name], kind):
            raise FileError(f"the setting {name} cannot be {settings[name]!r:.80}.")
    model = cls(**settings)
    try:
        check(model)
        model._cutter().analyzer()
        codecs.lookup(model.encoding)
        codecs.lookup_error(model.decode_error)
    except (TallytextError, TypeError, LookupError) as problem:
        raise FileError(f"a setting of these phrases cannot be used: {problem}") from None
    return dict(settings)

"""How texts become words, as plain values for a file, and back."""

from __future__ import annotations

import codecs
from collections.abc import Mapping
from numbers import Integral, Real
from typing import Any

import numpy as np

from tallytext.errors import FileError
from tallytext.vectorizer import TextVectorizer

# Threads are the machine's; the vocabulary is kept by itself.
_NOT_KEPT = frozenset(("n_jobs", "vocabulary"))
_PAIRS = ("ngram_range", "chars")


def vectorizer_to_values(vectorizer: TextVectorizer) -> dict[str, Any]:
    """Return the parameters of a vectorizer as JSON can hold them.

    Raises
    ------
    FileError
        If one of them is a function or a pattern.

    Examples
    --------
    >>> vectorizer_to_values(TextVectorizer(language="de"))["language"]
    'de'
    """
    return {
        name: _plain(name, value)
        for name, value in vectorizer.get_params(deep=False).items()
        if name not in _NOT_KEPT
    }


def vectorizer_from_values(values: Any) -> TextVectorizer:
    """Return a vectorizer, not fitted, of what :func:`vectorizer_to_values` returned.

    Raises
    ------
    FileError
        If it returned nothing of the kind.

    Examples
    --------
    >>> vectorizer_from_values(vectorizer_to_values(TextVectorizer(ngram_range=(1, 2))))
    TextVectorizer(dtype=dtype('int64'), ngram_range=(1, 2))
    """
    wanted = set(TextVectorizer._get_param_names()) - _NOT_KEPT
    if not isinstance(values, Mapping) or set(values) != wanted:
        raise FileError("these are not the settings of a vectorizer")
    settings = dict(values)
    for name in _PAIRS:
        settings[name] = _pair(name, settings[name])
    settings["dtype"] = _number_type(settings["dtype"])
    made = TextVectorizer(**settings)
    _expect_usable(made)
    return made


def _plain(name: str, value: Any) -> Any:
    if isinstance(value, np.generic):
        value = value.item()
    if name == "dtype":
        return np.dtype(value).str
    if name in _PAIRS and value is not None:
        return list(value)
    if name == "stop_words" and value is not None and not isinstance(value, str):
        return sorted(value)
    if value is None or isinstance(value, str | bool | int | float):
        return value
    raise FileError(
        f"TextVectorizer cannot be kept in a file with {name}={value!r:.80}: a file holds names "
        "and numbers, and no code."
    )


def _pair(name: str, value: Any) -> tuple[int, int] | None:
    if value is None:
        return None
    if not isinstance(value, list) or [type(each) for each in value] != [int, int]:
        raise FileError(f"{name} cannot be {value!r:.40}")
    return value[0], value[1]


def _number_type(name: Any) -> np.dtype[Any]:
    known = [np.dtype(kind).str for kind in (*"bhilqBHILQefd",)]
    if not isinstance(name, str) or name not in known:
        raise FileError(f"{name!r:.40} is no type of numbers")
    return np.dtype(name)


def _expect_usable(vectorizer: TextVectorizer) -> None:
    """Refuse parameters that would be refused when they are used."""
    flags = vectorizer.lowercase, vectorizer.binary
    shares = vectorizer.min_df, vectorizer.max_df
    most = vectorizer.max_features
    if not all(isinstance(flag, bool) for flag in flags):
        raise FileError("lowercase and binary are True or False")
    if not all(isinstance(share, Real) for share in shares):
        raise FileError("min_df and max_df are numbers")
    if most is not None and not isinstance(most, Integral):
        raise FileError("max_features is a whole number")
    words = vectorizer.stop_words
    if isinstance(words, list) and not all(isinstance(word, str) for word in words):
        raise FileError("stop words are str")
    vectorizer.build_analyzer()
    b"text".decode(vectorizer.encoding, "replace")  # not all codecs make text of bytes
    codecs.lookup_error(vectorizer.decode_error)

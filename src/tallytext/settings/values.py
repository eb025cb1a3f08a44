"""Values of parameters as JSON that keeps their types, and back.

What JSON has is itself. Everything else is a mapping of one name, which says what it is, to what
it is made of: ``{"tuple": [1, 2]}``, ``{"mapping": [[7, 0.5]]}``, ``{"float": "inf"}``.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from tallytext.errors import FileError
from tallytext.smoothing import Smoothing
from tallytext.smoothing.stored import smoothing_from_dict, smoothing_to_dict
from tallytext.vocabulary import Vocabulary

_LONGEST_PATTERN = 10_000
_FLAGS = re.ASCII | re.IGNORECASE | re.MULTILINE | re.DOTALL | re.VERBOSE | re.UNICODE


def to_plain(value: Any) -> Any:
    """Return a value as JSON can hold it.

    Raises
    ------
    FileError
        If it cannot: a function, or an object of a kind that is not known here.

    Examples
    --------
    >>> to_plain({7: (1, 2), "x": np.float32(0.5)})
    {'mapping': [[7, {'tuple': [1, 2]}], ['x', 0.5]]}
    """
    if isinstance(value, np.generic):
        return to_plain(value.item())
    if value is None or isinstance(value, bool | int | str):
        return value
    if isinstance(value, float):
        return value if math.isfinite(value) else {"float": str(value)}
    if isinstance(value, list):
        return [to_plain(item) for item in value]
    for kind, (name, parts) in _PARTS.items():
        if isinstance(value, kind):
            return {name: parts(value)}
    raise FileError(_why_not(value))


def from_plain(value: Any) -> Any:
    """Read what :func:`to_plain` wrote.

    Raises
    ------
    FileError
        If it wrote nothing of the kind.

    Examples
    --------
    >>> from_plain({"mapping": [[7, {"tuple": [1, 2]}], ["x", 0.5]]})
    {7: (1, 2), 'x': 0.5}
    """
    if isinstance(value, list):
        return [from_plain(item) for item in value]
    if not isinstance(value, Mapping):
        return value
    name, parts = next(iter(value.items()), ("nothing", None))
    if len(value) != 1 or name not in _MAKERS:
        raise FileError(f"{name!r:.40} is no kind of value that is known here")
    try:
        return _MAKERS[name](parts)
    except FileError:
        raise
    except (TypeError, ValueError, OverflowError, re.error) as problem:
        raise FileError(f"{parts!r:.80} is no {name}: {problem}") from None


def _why_not(value: Any) -> str:
    if callable(value):
        return (
            f"{value!r:.80} is a Python function, and a file holds no code. Use one of the "
            "choices that have a name, or for tokens a compiled regular expression"
        )
    return f"a value of type {type(value).__name__} cannot be kept in a file"


def _items(values: Any) -> list[Any]:
    return [to_plain(item) for item in values]


def _sorted(values: Any) -> list[Any]:
    # So that the same settings give the same file.
    return sorted(_items(values), key=repr)


def _pairs(mapping: Mapping[Any, Any]) -> list[list[Any]]:
    return [[to_plain(key), to_plain(value)] for key, value in mapping.items()]


def _spelt_pattern(pattern: re.Pattern[Any]) -> list[Any]:
    spelt = [pattern.pattern, pattern.flags]
    _pattern(spelt)
    return spelt


def _dtype_name(dtype: Any) -> str:
    name = str(np.dtype(dtype).str)
    _dtype(name)
    return name


def _type_name(kind: type[Any]) -> str:
    if kind not in (bool, int, float) and not issubclass(kind, np.generic):
        raise FileError(_why_not(kind))
    return _dtype_name(kind)


_PARTS: dict[type[Any], tuple[str, Callable[[Any], Any]]] = {
    tuple: ("tuple", _items),
    frozenset: ("frozenset", _sorted),
    set: ("set", _sorted),
    Mapping: ("mapping", _pairs),
    np.ndarray: ("array", lambda array: _items(array.tolist())),
    np.dtype: ("dtype", _dtype_name),
    type: ("type", _type_name),
    re.Pattern: ("pattern", _spelt_pattern),
    Vocabulary: ("vocabulary", lambda vocabulary: [list(vocabulary), vocabulary.frozen]),
    Smoothing: ("smoothing", smoothing_to_dict),
}


def _listed(parts: Any) -> list[Any]:
    if not isinstance(parts, list):
        raise FileError(f"a list was expected, not {parts!r:.80}")
    return [from_plain(part) for part in parts]


def _mapping(parts: Any) -> dict[Any, Any]:
    pairs = _listed(parts)
    if not all(isinstance(pair, list) and len(pair) == 2 for pair in pairs):
        raise FileError("a mapping needs pairs of a name and a value")
    made = dict(pairs)
    if len(made) != len(pairs):
        raise FileError("a mapping has a name twice")
    return made


def _float(spelt: Any) -> float:
    if spelt not in ("inf", "-inf", "nan"):
        raise FileError(f"{spelt!r:.40} is no number that JSON lacks")
    return float(spelt)


def _array(parts: Any) -> Any:
    made = np.array(_listed(parts))
    if made.dtype.kind not in "biufU":
        raise FileError("an array needs numbers or names, all of one kind")
    return made


def _pattern(parts: Any) -> re.Pattern[str]:
    source, flags = parts
    if not isinstance(source, str) or not isinstance(flags, int) or flags & ~_FLAGS:
        raise FileError("only patterns of str with the usual flags can be kept in a file")
    if len(source) > _LONGEST_PATTERN:
        raise FileError(f"a pattern of {len(source):,} characters is too long to be kept in a file")
    return re.compile(source, flags)


def _dtype(name: Any) -> np.dtype[Any]:
    if not isinstance(name, str) or not re.fullmatch(r"[<>|=][biuf]\d{1,2}", name):
        raise FileError(f"{name!r:.40} is no type of numbers")
    return np.dtype(name)


def _vocabulary(parts: Any) -> Vocabulary:
    terms, frozen = parts
    if not isinstance(terms, list) or not all(isinstance(term, str) for term in terms):
        raise FileError("a vocabulary needs a list of terms")
    made = Vocabulary(terms)
    if len(made) != len(terms):
        raise FileError("a vocabulary has a term twice")
    return made.freeze() if frozen is True else made


_MAKERS: dict[Any, Callable[[Any], Any]] = {
    "float": _float,
    "tuple": lambda parts: tuple(_listed(parts)),
    "set": lambda parts: set(_listed(parts)),
    "frozenset": lambda parts: frozenset(_listed(parts)),
    "mapping": _mapping,
    "array": _array,
    "dtype": _dtype,
    "type": lambda name: _dtype(name).type,
    "pattern": _pattern,
    "vocabulary": _vocabulary,
    "smoothing": smoothing_from_dict,
}

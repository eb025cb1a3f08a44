"""The parameters of estimators as plain values, and estimators from them."""

from __future__ import annotations

import codecs
import math
import re
from collections.abc import Callable, Mapping
from dataclasses import fields
from importlib import import_module
from numbers import Integral, Real
from typing import Any

import numpy as np

from tallytext import decision
from tallytext.errors import FileError
from tallytext.models.smoothing.base import Smoothing
from tallytext.models.smoothing.serialization import smoothing_from_dict, smoothing_to_dict
from tallytext.text.vectorizer import TextVectorizer
from tallytext.text.vocabulary import Vocabulary, given_vocabulary

# ------------------------------------------------------------------------------------------------
# Values of parameters as JSON that keeps their types, and back.
#
# What JSON has is itself. Everything else is a mapping of one name, which says what it is, to what
# it is made of: ``{"tuple": [1, 2]}``, ``{"mapping": [[7, 0.5]]}``, ``{"float": "inf"}``.

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

# Where each kind lives; imported when a file has one, since some bring much with them.
_HOMES = {
    "BernoulliNB": "tallytext.models.bernoulli",
    "CosineKNN": "tallytext.models.knn",
    "L1Selector": "tallytext.features.l1",
    "LLSF": "tallytext.models.llsf",
    "MultinomialNB": "tallytext.models.multinomial",
    "PoissonNB": "tallytext.models.poisson",
    "PooledNB": "tallytext.models.pooled",
    "RefinedNB": "tallytext.models.refined",
    "RotationForest": "tallytext.models.rotation",
    "TermSelector": "tallytext.features.selector",
    "TextVectorizer": "tallytext.text.vectorizer",
}
_SELECTORS = ("L1Selector", "TermSelector")
# How many threads there are is for the machine to say that reads the file, and what it shows.
_NOT_KEPT = {"n_jobs", "verbose"}


def settings_of(estimator: Any) -> dict[str, Any]:
    """Return the parameters of an estimator as plain values, for a file.

    All but ``n_jobs`` and ``verbose``, which are of the machine and not of the model.

    Raises
    ------
    FileError
        If a parameter is a function, or something else that a file cannot hold.

    Examples
    --------
    >>> from tallytext import BernoulliNB
    >>> settings_of(BernoulliNB(0.5))["parameters"]["gamma"]
    0.5
    >>> settings_of(TextVectorizer(term_filter=str.strip))
    Traceback (most recent call last):
    tallytext.errors.FileError: TextVectorizer cannot be saved with this term_filter: <method \
'strip' of 'str' objects> is a Python function, and a file holds no code. Use one of the choices \
that have a name, or for tokens a compiled regular expression.
    """
    kind = type(estimator).__name__
    if not _is_known(estimator):
        raise FileError(f"{estimator!r:.80} cannot be saved: only {', '.join(_HOMES)} can.")
    names = [name for name in estimator._get_param_names() if name not in _NOT_KEPT]
    parameters = {name: _plain(kind, name, getattr(estimator, name)) for name in names}
    return {"kind": kind, "parameters": parameters}


def estimator_from(settings: Any) -> Any:
    """Return an estimator with the parameters that :func:`settings_of` returned.

    A vectorizer is checked here; what a model can be is known with its counts, so it is checked by
    :func:`~tallytext.models.serialization.model_from`.

    Raises
    ------
    FileError
        If there is no such estimator, or it has no such parameter, or one that cannot be.

    Examples
    --------
    >>> from tallytext import BernoulliNB
    >>> estimator_from(settings_of(BernoulliNB(0.5)))
    BernoulliNB(gamma=0.5)
    """
    if not isinstance(settings, Mapping) or settings.keys() != {"kind", "parameters"}:
        raise FileError(f"these are not the settings of an estimator: {settings!r:.80}.")
    kind, parameters = settings["kind"], settings["parameters"]
    if not isinstance(kind, str) or kind not in _HOMES:
        raise FileError(f"there is no {kind!r:.80} here: is the file of a newer release?")
    known = set(_kind(kind)._get_param_names()) - _NOT_KEPT
    if not isinstance(parameters, Mapping) or parameters.keys() - known:
        raise FileError(f"{kind} has no such parameters as {parameters!r:.200}.")
    try:
        estimator = _kind(kind)(**{name: _value(parameters[name]) for name in parameters})
        if isinstance(estimator, TextVectorizer):
            _check_vectorizer(estimator)
        if kind in _SELECTORS:
            estimator._check_parameters()
    except (AttributeError, LookupError, RecursionError, TypeError, ValueError) as problem:
        reason = str(problem).removesuffix(".")
        raise FileError(f"{kind} cannot have these settings: {reason}.") from None
    return estimator


def _kind(name: str) -> Any:
    return getattr(import_module(_HOMES[name]), name)


def _is_known(value: Any) -> bool:
    name = type(value).__name__
    return name in _HOMES and type(value) is _kind(name)


def _value(stored: Any) -> Any:
    """Return the value of a parameter, which may be an estimator itself."""
    if isinstance(stored, Mapping) and stored.keys() == {"estimator"}:
        return estimator_from(stored["estimator"])
    return from_plain(stored)


def _plain(kind: str, name: str, value: Any) -> Any:
    if _is_known(value):
        return {"estimator": settings_of(value)}
    try:
        return to_plain(value)
    except FileError as problem:
        reason = str(problem).removesuffix(".")
        raise FileError(f"{kind} cannot be saved with this {name}: {reason}.") from None


def _check_vectorizer(vectorizer: TextVectorizer) -> None:
    """Refuse parameters that would be refused when they are used."""
    vectorizer.build_analyzer()
    b"text".decode(vectorizer.encoding, "replace")  # not all codecs make text of bytes
    codecs.lookup_error(vectorizer.decode_error)
    np.zeros(1, dtype=vectorizer.dtype) + 1
    if vectorizer.vocabulary is not None:
        given_vocabulary(vectorizer.vocabulary)
    limits = [vectorizer.min_df, vectorizer.max_df, vectorizer.max_features]
    flags = [vectorizer.lowercase, vectorizer.binary]
    if not all(isinstance(flag, bool) for flag in flags):
        raise ValueError("lowercase and binary are True or False")
    if not all(isinstance(limit, Real) for limit in limits[:2]):
        raise ValueError("min_df and max_df are numbers")
    if limits[2] is not None and not isinstance(limits[2], Integral):
        raise ValueError("max_features is a whole number")


# ------------------------------------------------------------------------------------------------
# Calibrations and decision rules as plain values, and back.

_KINDS: dict[str, Any] = {
    kind.__name__: kind
    for kind in (
        decision.Argmax,
        decision.Isotonic,
        decision.PCut,
        decision.Platt,
        decision.PredictionSets,
        decision.RCut,
        decision.SCut,
        decision.Temperature,
        decision.TopLabel,
    )
}


def calibrator_to_dict(calibrator: Any) -> dict[str, Any]:
    """Return a calibration or a decision rule as plain values, for a file.

    Examples
    --------
    >>> from tallytext.decision import Temperature
    >>> calibrator_to_dict(Temperature(2.0, 0.5))
    {'kind': 'Temperature', 'parameters': {'mapping': [['a', 2.0], ['p', 0.5]]}}
    """
    kind = type(calibrator).__name__
    if _KINDS.get(kind) is not type(calibrator):
        raise FileError(f"{calibrator!r:.80} cannot be saved: only {', '.join(_KINDS)} can.")
    return {"kind": kind, "parameters": to_plain(_parameters(calibrator))}


def calibrator_from_dict(stored: Any) -> Any:
    """Read what :func:`calibrator_to_dict` wrote.

    Raises
    ------
    FileError
        If there is no such calibration, or its parameters cannot be.

    Examples
    --------
    >>> from tallytext.decision import RCut
    >>> calibrator_from_dict(calibrator_to_dict(RCut(2)))
    RCut(t=2)
    """
    if not isinstance(stored, Mapping) or stored.keys() != {"kind", "parameters"}:
        raise FileError(f"this is no calibration: {stored!r:.80}.")
    kind = stored["kind"]
    if not isinstance(kind, str) or kind not in _KINDS:
        raise FileError(
            f"there is no calibration {kind!r:.80} here: is the file of a newer release?"
        )
    try:
        values = from_plain(stored["parameters"])
        if not isinstance(values, Mapping):
            raise ValueError(f"they are no mapping, but {values!r:.80}")
        made = _KINDS[kind]
        return made.from_dict(values) if hasattr(made, "from_dict") else made(**values)
    except (AttributeError, LookupError, RecursionError, TypeError, ValueError) as problem:
        reason = str(problem).removesuffix(".")
        raise FileError(f"{kind} cannot have these parameters: {reason}.") from None


def _parameters(calibrator: Any) -> dict[str, Any]:
    if hasattr(calibrator, "to_dict"):
        values: dict[str, Any] = calibrator.to_dict()
        return values
    found = {field.name: getattr(calibrator, field.name) for field in fields(calibrator)}
    return {name: _listed_of_calibrators(value) for name, value in found.items()}


def _listed_of_calibrators(value: Any) -> Any:
    return value.tolist() if isinstance(value, np.ndarray) else value

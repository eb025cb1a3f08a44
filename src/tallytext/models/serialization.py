"""Convert estimators and fitted models to values for JSON and to arrays, and back.

A model file holds values and arrays, never code, so that loading one runs nothing:

- :func:`to_json` and :func:`from_json`: values of parameters, with their Python types.
- :func:`smoothing_to_dict`, :func:`estimator_to_dict`, :func:`calibrator_to_dict` and their
  inverses: objects as their class name and their parameters.
- :func:`model_state`, :func:`model_arrays` and :func:`restore_model`: the fitted state of a naive
  Bayes model besides its tally.
"""

from __future__ import annotations

import codecs
import json
import math
import re
from collections.abc import Callable, Mapping
from dataclasses import fields, replace
from importlib import import_module
from numbers import Integral, Real
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from tallytext import decision
from tallytext._estimators import check_is_fitted
from tallytext.errors import FileError
from tallytext.io.safetensors import parse_json
from tallytext.models.base import FRACTION
from tallytext.models.class_counts import ClassOrderCache
from tallytext.models.em import expected_from_dict, expected_to_dict
from tallytext.models.multinomial import MultinomialNB
from tallytext.models.naive_bayes import NO_TERMS, NaiveBayes
from tallytext.models.smoothing.base import Background, Dirichlet, Laplace, Smoothing, Unsmoothed
from tallytext.models.smoothing.discounting import AbsoluteDiscount
from tallytext.models.smoothing.semantic import Semantic, Translation, check_translation
from tallytext.semantic.translation import TranslationModel
from tallytext.tally.labels import LabelIndex
from tallytext.tally.tally import Tally
from tallytext.text.vectorizer import TextVectorizer
from tallytext.text.vocabulary import Vocabulary, fixed_vocabulary

_SMOOTHINGS: dict[str, type[Any]] = {
    kind.__name__: kind
    for kind in (AbsoluteDiscount, Background, Dirichlet, Laplace, Semantic, Unsmoothed)
}
# The translation of Semantic is stored as arrays, since it is too large for a header of JSON.
_ARRAY_PARAMETER = "translation"
# The values of parameters that files of earlier releases do not have.
_FORMER_VALUES = {"Semantic": {"min_probability": 1e-5}}
# The JSON values of a translation model, as an array of bytes.
_TRANSLATION_HEADER = "header"


def smoothing_to_dict(smoothing: Smoothing) -> dict[str, Any]:
    """Convert a smoothing to values for JSON.

    The rows of a translation are stored as arrays: see :func:`smoothing_to_arrays`.

    Raises
    ------
    FileError
        If the smoothing is not one of this package.

    Examples
    --------
    >>> smoothing_to_dict(Laplace(0.1))
    {'kind': 'Laplace', 'parameters': {'epsilon': 0.1}}
    """
    kind = type(smoothing)
    if _SMOOTHINGS.get(kind.__name__) is not kind:
        raise FileError(
            f"cannot save {smoothing!r:.80}: a file stores values and no code, so only the "
            f"smoothings of tallytext ({', '.join(_SMOOTHINGS)}) can be saved."
        )
    names = [field.name for field in fields(_SMOOTHINGS[kind.__name__])]
    values = {name: getattr(smoothing, name) for name in names if name != _ARRAY_PARAMETER}
    parameters = {
        name: value.item() if isinstance(value, np.generic) else value
        for name, value in values.items()
    }
    return {"kind": kind.__name__, "parameters": parameters}


def smoothing_from_dict(stored: Any) -> Smoothing:
    """Return the smoothing of a dictionary made by :func:`smoothing_to_dict`.

    Raises
    ------
    FileError
        If the smoothing or one of its parameters is unknown.

    Examples
    --------
    >>> smoothing_from_dict({"kind": "Laplace", "parameters": {"epsilon": 0.1}})
    Laplace(epsilon=0.1)
    """
    if not isinstance(stored, Mapping) or stored.keys() != {"kind", "parameters"}:
        raise FileError(f"invalid smoothing: {stored!r:.80}")
    kind, parameters = stored["kind"], stored["parameters"]
    if not isinstance(kind, str) or kind not in _SMOOTHINGS:
        raise FileError(f"unknown smoothing {kind!r:.80}. Was the file written by a newer release?")
    known = {
        field.name: field.type
        for field in fields(_SMOOTHINGS[kind])
        if field.name != _ARRAY_PARAMETER
    }
    if not isinstance(parameters, Mapping) or parameters.keys() - known.keys():
        raise FileError(f"these are not the parameters of {kind}: {parameters!r:.80}")
    for name, value in parameters.items():
        if (known[name] == "bool") != isinstance(value, bool):
            raise FileError(f"{kind} cannot have {name}={value!r:.80}")
    try:
        smoothing: Smoothing = _SMOOTHINGS[kind](**_FORMER_VALUES.get(kind, {}) | {**parameters})
    except (TypeError, ValueError) as problem:
        raise FileError(f"{kind}: {problem}") from None
    return smoothing


def smoothing_to_arrays(smoothing: Smoothing | None) -> dict[str, NDArray[Any]]:
    """Return the arrays of a smoothing: the rows of its translation, if it has one."""
    if not isinstance(smoothing, Semantic) or smoothing.translation is None:
        return {}
    translation = smoothing.translation
    check_translation(translation)
    if not isinstance(translation, TranslationModel):
        return Translation.from_model(translation).to_arrays()
    # The whole model, since a classifier that is loaded must count its phrases and concepts, too.
    arrays, values = translation.to_arrays()
    header = json.dumps(values, allow_nan=False).encode("ascii")
    return {**arrays, _TRANSLATION_HEADER: np.frombuffer(header, dtype=np.uint8)}


def smoothing_with_arrays(smoothing: Smoothing, arrays: Mapping[str, NDArray[Any]]) -> Smoothing:
    """Return a smoothing with the arrays of :func:`smoothing_to_arrays` put back.

    Raises
    ------
    FileError
        If these are not the arrays of a translation.

    Examples
    --------
    >>> smoothing_with_arrays(Laplace(0.1), smoothing_to_arrays(Laplace(0.1)))
    Laplace(epsilon=0.1)
    """
    if not isinstance(smoothing, Semantic) or not arrays:
        return smoothing
    if _TRANSLATION_HEADER not in arrays:
        return replace(smoothing, translation=Translation.from_arrays(arrays))
    rows = {**arrays}
    header = rows.pop(_TRANSLATION_HEADER)
    if header.dtype != np.uint8 or header.ndim != 1:
        raise FileError("this is not a translation: its settings are not text")
    values = parse_json(header.tobytes(), "the settings of its translation")
    if not isinstance(values, dict):
        raise FileError("this is not a translation: its settings are not a mapping")
    return replace(smoothing, translation=TranslationModel.from_arrays(rows, values))


_MAX_PATTERN_LENGTH = 10_000
_PATTERN_FLAGS = re.ASCII | re.IGNORECASE | re.MULTILINE | re.DOTALL | re.VERBOSE | re.UNICODE


def to_json(value: Any) -> Any:
    """Convert the value of a parameter to JSON that preserves its type.

    Values that JSON has are themselves. Any other value is a mapping from the name of its type to
    its parts: ``{"tuple": [1, 2]}``, ``{"mapping": [[7, 0.5]]}``, ``{"float": "inf"}``.

    Raises
    ------
    FileError
        If the value is a function, or an object of an unknown type.

    Examples
    --------
    >>> to_json({7: (1, 2), "x": np.float32(0.5)})
    {'mapping': [[7, {'tuple': [1, 2]}], ['x', 0.5]]}
    """
    if isinstance(value, np.generic):
        return to_json(value.item())
    if value is None or isinstance(value, bool | int | str):
        return value
    if isinstance(value, float):
        return value if math.isfinite(value) else {"float": str(value)}
    if isinstance(value, list):
        return [to_json(item) for item in value]
    for kind, (name, parts) in _ENCODERS.items():
        if isinstance(value, kind):
            return {name: parts(value)}
    raise FileError(_refusal(value))


def from_json(value: Any) -> Any:
    """Convert the result of :func:`to_json` back to the value.

    Raises
    ------
    FileError
        If it is not a result of :func:`to_json`.

    Examples
    --------
    >>> from_json({"mapping": [[7, {"tuple": [1, 2]}], ["x", 0.5]]})
    {7: (1, 2), 'x': 0.5}
    """
    if isinstance(value, list):
        return [from_json(item) for item in value]
    if not isinstance(value, Mapping):
        return value
    name, parts = next(iter(value.items()), ("nothing", None))
    if len(value) != 1 or name not in _DECODERS:
        raise FileError(f"unknown type of value {name!r:.40}")
    try:
        return _DECODERS[name](parts)
    except FileError:
        raise
    except (TypeError, ValueError, OverflowError, re.error) as problem:
        raise FileError(f"{parts!r:.80} is not a valid {name}: {problem}") from None


def _refusal(value: Any) -> str:
    """Return the reason why a file cannot store a value."""
    if callable(value):
        return (
            f"{value!r:.80} is a Python function, and a file holds no code. Use one of the "
            "choices that have a name, or for tokens a compiled regular expression"
        )
    return f"a value of type {type(value).__name__} cannot be stored in a file"


def _encode_items(values: Any) -> list[Any]:
    return [to_json(item) for item in values]


def _encode_set(values: Any) -> list[Any]:
    # Sorted, so that the same settings give the same file.
    return sorted(_encode_items(values), key=repr)


def _encode_mapping(mapping: Mapping[Any, Any]) -> list[list[Any]]:
    return [[to_json(key), to_json(value)] for key, value in mapping.items()]


def _encode_pattern(pattern: re.Pattern[Any]) -> list[Any]:
    parts = [pattern.pattern, pattern.flags]
    _decode_pattern(parts)  # raises FileError if it could not be loaded
    return parts


def _encode_dtype(dtype: Any) -> str:
    name = str(np.dtype(dtype).str)
    _decode_dtype(name)  # raises FileError if it could not be loaded
    return name


def _encode_type(kind: type[Any]) -> str:
    if kind not in (bool, int, float) and not issubclass(kind, np.generic):
        raise FileError(_refusal(kind))
    return _encode_dtype(kind)


_ENCODERS: dict[type[Any], tuple[str, Callable[[Any], Any]]] = {
    tuple: ("tuple", _encode_items),
    frozenset: ("frozenset", _encode_set),
    set: ("set", _encode_set),
    Mapping: ("mapping", _encode_mapping),
    np.ndarray: ("array", lambda array: _encode_items(array.tolist())),
    np.dtype: ("dtype", _encode_dtype),
    type: ("type", _encode_type),
    re.Pattern: ("pattern", _encode_pattern),
    Vocabulary: ("vocabulary", lambda vocabulary: [list(vocabulary), vocabulary.is_frozen]),
    Smoothing: ("smoothing", smoothing_to_dict),
}


def _decode_list(parts: Any) -> list[Any]:
    if not isinstance(parts, list):
        raise FileError(f"a list was expected, not {parts!r:.80}")
    return [from_json(part) for part in parts]


def _decode_mapping(parts: Any) -> dict[Any, Any]:
    pairs = _decode_list(parts)
    if not all(isinstance(pair, list) and len(pair) == 2 for pair in pairs):
        raise FileError("a mapping must consist of pairs of a key and a value")
    made = dict(pairs)
    if len(made) != len(pairs):
        raise FileError("a mapping has the same key twice")
    return made


def _decode_float(name: Any) -> float:
    if name not in ("inf", "-inf", "nan"):
        raise FileError(f"a float must be 'inf', '-inf' or 'nan' here, not {name!r:.40}")
    return float(name)


def _decode_array(parts: Any) -> Any:
    made = np.array(_decode_list(parts))
    if made.dtype.kind not in "biufU":
        raise FileError("an array must consist of numbers or of strings")
    return made


def _decode_pattern(parts: Any) -> re.Pattern[str]:
    source, flags = parts
    if not isinstance(source, str) or not isinstance(flags, int) or flags & ~_PATTERN_FLAGS:
        raise FileError("only patterns of str with the usual flags can be stored in a file")
    if len(source) > _MAX_PATTERN_LENGTH:
        raise FileError(
            f"a pattern of {len(source):,} characters is too long to be stored in a file: at most "
            f"{_MAX_PATTERN_LENGTH:,} are possible"
        )
    return re.compile(source, flags)


def _decode_dtype(name: Any) -> np.dtype[Any]:
    if not isinstance(name, str) or not re.fullmatch(r"[<>|=][biuf]\d{1,2}", name):
        raise FileError(f"{name!r:.40} is not a type of numbers")
    return np.dtype(name)


def _decode_vocabulary(parts: Any) -> Vocabulary:
    terms, frozen = parts
    if not isinstance(terms, list) or not all(isinstance(term, str) for term in terms):
        raise FileError("the terms of a vocabulary must be a list of strings")
    made = Vocabulary(terms)
    if len(made) != len(terms):
        raise FileError("a vocabulary has the same term twice")
    return made.freeze() if frozen is True else made


_DECODERS: dict[Any, Callable[[Any], Any]] = {
    "float": _decode_float,
    "tuple": lambda parts: tuple(_decode_list(parts)),
    "set": lambda parts: set(_decode_list(parts)),
    "frozenset": lambda parts: frozenset(_decode_list(parts)),
    "mapping": _decode_mapping,
    "array": _decode_array,
    "dtype": _decode_dtype,
    "type": lambda name: _decode_dtype(name).type,
    "pattern": _decode_pattern,
    "vocabulary": _decode_vocabulary,
    "smoothing": smoothing_from_dict,
}

# The module of each estimator, imported when a file has one, since some import slow libraries.
_ESTIMATOR_MODULES = {
    "BernoulliNB": "tallytext.models.bernoulli",
    "CosineKNN": "tallytext.models.knn",
    "FisherFeatures": "tallytext.features.fisher",
    "L1Selector": "tallytext.features.l1",
    "LLSF": "tallytext.models.llsf",
    "LinearDiscriminant": "tallytext.models.discriminant",
    "MultinomialNB": "tallytext.models.multinomial",
    "PoissonNB": "tallytext.models.poisson",
    "PooledNB": "tallytext.models.pooled",
    "RefinedNB": "tallytext.models.refined",
    "RotationForest": "tallytext.models.rotation",
    "TermSelector": "tallytext.features.selector",
    "TextVectorizer": "tallytext.text.vectorizer",
}
_SELECTOR_CLASSES = ("L1Selector", "TermSelector")
# These depend on the machine that loads the file and are not stored.
_MACHINE_PARAMETERS = {"n_jobs", "verbose"}


def estimator_to_dict(estimator: Any) -> dict[str, Any]:
    """Convert the parameters of an estimator to values for JSON.

    ``n_jobs`` and ``verbose`` are omitted, since they belong to the machine and not to the model.

    Raises
    ------
    FileError
        If a parameter is a function or another object that a file cannot store.

    Examples
    --------
    >>> from tallytext import BernoulliNB
    >>> estimator_to_dict(BernoulliNB(0.5))["parameters"]["gamma"]
    0.5
    >>> estimator_to_dict(TextVectorizer(term_filter=str.strip))
    Traceback (most recent call last):
    tallytext.errors.FileError: TextVectorizer cannot be saved with this term_filter: <method \
'strip' of 'str' objects> is a Python function, and a file holds no code. Use one of the choices \
that have a name, or for tokens a compiled regular expression.
    """
    kind = type(estimator).__name__
    if not _is_estimator(estimator):
        raise FileError(
            f"{estimator!r:.80} cannot be saved: only {', '.join(_ESTIMATOR_MODULES)} can."
        )
    names = [name for name in estimator._get_param_names() if name not in _MACHINE_PARAMETERS]
    parameters = {name: _encode_parameter(kind, name, getattr(estimator, name)) for name in names}
    return {"kind": kind, "parameters": parameters}


def estimator_from_dict(settings: Any) -> Any:
    """Return an estimator with the parameters that :func:`estimator_to_dict` returned.

    The parameters of a vectorizer or selector are checked here, those of a model by
    :func:`restore_model`, since they depend on its counts.

    Raises
    ------
    FileError
        If the estimator or a parameter is unknown, or a value is invalid.

    Examples
    --------
    >>> from tallytext import BernoulliNB
    >>> estimator_from_dict(estimator_to_dict(BernoulliNB(0.5)))
    BernoulliNB(gamma=0.5)
    """
    if not isinstance(settings, Mapping) or settings.keys() != {"kind", "parameters"}:
        raise FileError(f"invalid settings of an estimator: {settings!r:.80}.")
    kind, parameters = settings["kind"], settings["parameters"]
    if not isinstance(kind, str) or kind not in _ESTIMATOR_MODULES:
        raise FileError(f"unknown estimator {kind!r:.80}. Was the file written by a newer release?")
    known = set(_estimator_class(kind)._get_param_names()) - _MACHINE_PARAMETERS
    if not isinstance(parameters, Mapping) or parameters.keys() - known:
        raise FileError(f"{kind} has other parameters than {parameters!r:.200}.")
    try:
        estimator = _estimator_class(kind)(
            **{name: _decode_parameter(parameters[name]) for name in parameters}
        )
        if isinstance(estimator, TextVectorizer):
            _check_vectorizer(estimator)
        if kind in _SELECTOR_CLASSES:
            estimator._check_parameters()
    except (AttributeError, LookupError, RecursionError, TypeError, ValueError) as problem:
        reason = str(problem).removesuffix(".")
        raise FileError(f"{kind} cannot have these settings: {reason}.") from None
    return estimator


def _estimator_class(name: str) -> Any:
    return getattr(import_module(_ESTIMATOR_MODULES[name]), name)


def _is_estimator(value: Any) -> bool:
    name = type(value).__name__
    return name in _ESTIMATOR_MODULES and type(value) is _estimator_class(name)


def _decode_parameter(stored: Any) -> Any:
    """Return the value of a parameter, which may be an estimator itself."""
    if isinstance(stored, Mapping) and stored.keys() == {"estimator"}:
        return estimator_from_dict(stored["estimator"])
    return from_json(stored)


def _encode_parameter(kind: str, name: str, value: Any) -> Any:
    if _is_estimator(value):
        return {"estimator": estimator_to_dict(value)}
    try:
        return to_json(value)
    except FileError as problem:
        reason = str(problem).removesuffix(".")
        raise FileError(f"{kind} cannot be saved with this {name}: {reason}.") from None


def _check_vectorizer(vectorizer: TextVectorizer) -> None:
    """Raise an error for parameters that would fail later, when texts are counted."""
    vectorizer.build_analyzer()
    b"text".decode(vectorizer.encoding, "replace")  # fails for codecs from bytes to bytes
    codecs.lookup_error(vectorizer.decode_error)
    np.zeros(1, dtype=vectorizer.dtype) + 1
    if vectorizer.vocabulary is not None:
        fixed_vocabulary(vectorizer.vocabulary)
    limits = [vectorizer.min_df, vectorizer.max_df, vectorizer.max_features]
    flags = [vectorizer.lowercase, vectorizer.binary]
    if not all(isinstance(flag, bool) for flag in flags):
        raise ValueError("lowercase and binary must be True or False")
    if not all(isinstance(limit, Real) for limit in limits[:2]):
        raise ValueError("min_df and max_df must be numbers")
    if limits[2] is not None and not isinstance(limits[2], Integral):
        raise ValueError("max_features must be a whole number")


_DECISION_CLASSES: dict[str, Any] = {
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
    """Convert a calibrator or a decision rule to values for JSON.

    Examples
    --------
    >>> from tallytext.decision import Temperature
    >>> calibrator_to_dict(Temperature(2.0, 0.5))
    {'kind': 'Temperature', 'parameters': {'mapping': [['a', 2.0], ['p', 0.5]]}}
    """
    kind = type(calibrator).__name__
    if _DECISION_CLASSES.get(kind) is not type(calibrator):
        raise FileError(
            f"{calibrator!r:.80} cannot be saved: only {', '.join(_DECISION_CLASSES)} can."
        )
    if hasattr(calibrator, "to_dict"):
        return {"kind": kind, "parameters": to_json(calibrator.to_dict())}
    found = {field.name: getattr(calibrator, field.name) for field in fields(calibrator)}
    values = {
        name: value.tolist() if isinstance(value, np.ndarray) else value
        for name, value in found.items()
    }
    return {"kind": kind, "parameters": to_json(values)}


def calibrator_from_dict(stored: Any) -> Any:
    """Return the calibrator or decision rule that :func:`calibrator_to_dict` converted.

    Raises
    ------
    FileError
        If it is unknown, or its parameters are invalid.

    Examples
    --------
    >>> from tallytext.decision import RCut
    >>> calibrator_from_dict(calibrator_to_dict(RCut(2)))
    RCut(t=2)
    """
    if not isinstance(stored, Mapping) or stored.keys() != {"kind", "parameters"}:
        raise FileError(f"invalid calibration: {stored!r:.80}.")
    kind = stored["kind"]
    if not isinstance(kind, str) or kind not in _DECISION_CLASSES:
        raise FileError(
            f"unknown calibration {kind!r:.80}. Was the file written by a newer release?"
        )
    try:
        values = from_json(stored["parameters"])
        if not isinstance(values, Mapping):
            raise ValueError(f"a mapping was expected, not {values!r:.80}")
        made = _DECISION_CLASSES[kind]
        return made.from_dict(values) if hasattr(made, "from_dict") else made(**values)
    except (AttributeError, LookupError, RecursionError, TypeError, ValueError) as problem:
        reason = str(problem).removesuffix(".")
        raise FileError(f"{kind} cannot have these parameters: {reason}.") from None


Model = TypeVar("Model", bound=NaiveBayes)

_EXPECTED_PREFIX = "expected."
_STATE_KEYS = {"unit", "weighted", "open", "named", "several", "announced", "chosen"}


def model_state(model: NaiveBayes) -> dict[str, Any]:
    """Return the fitted state of a model besides its tally and parameters, as values for JSON.

    Examples
    --------
    >>> model = MultinomialNB().fit([[2, 1, 0], [0, 0, 3]], ["sea", "sky"])
    >>> state = model_state(model)
    >>> again = restore_model(MultinomialNB(), model.tally_, state)
    >>> again.predict([[1, 0, 0]])
    array(['sea'], dtype='<U3')
    """
    check_is_fitted(model)
    chosen = model.chosen_ if isinstance(model, MultinomialNB) else None
    # A choice for another smoothing is obsolete: the parameter has been changed since.
    if chosen is not None and chosen[0] is not model.smoothing:
        chosen = None
    expected = {} if model.expected_ is None else {"expected": expected_to_dict(model.expected_)}
    choices = getattr(model, "per_class_", {})
    own = {"per_class": to_json(dict(choices))} if choices else {}
    return (
        expected
        | own
        | {
            "unit": model.unit_,
            "weighted": model.weighted_,
            "open": model.open_,
            "named": hasattr(model, "feature_names_in_"),
            "several": model.multi_label_,
            "announced": model.ordering_.announced,
            "chosen": None if chosen is None else smoothing_to_dict(chosen[1]),
        }
    )


def model_arrays(model: NaiveBayes) -> dict[str, NDArray[Any]]:
    """Return the arrays of a model besides its tally.

    They are the rows of a translation, and the expected counts of documents without labels.

    Examples
    --------
    >>> model_arrays(MultinomialNB())
    {}
    """
    found = smoothing_to_arrays(model.smoothing) if isinstance(model, MultinomialNB) else {}
    if model.expected_ is None:
        return found
    counts, _ = model.expected_.tally.to_arrays()
    return found | {_EXPECTED_PREFIX + name: array for name, array in counts.items()}


def restore_model(
    model: Model,
    tally: Tally,
    state: Mapping[str, Any],
    arrays: Mapping[str, NDArray[Any]] | None = None,
) -> Model:
    """Set the fitted state of a saved model; return the model, which predicts exactly the same.

    Parameters
    ----------
    model : NaiveBayes
        A model with the parameters of the saved one. It is changed and returned.
    tally : Tally
        The counts of the saved model, which the model shares.
    state : mapping
        The result of :func:`model_state`.
    arrays : mapping, default=None
        The result of :func:`model_arrays`.

    Raises
    ------
    FileError
        If the state or a parameter of the model is invalid, or the tally lacks a plane.
    """
    _check_state(state)
    expected, translation = {}, {}
    for name, array in (arrays or {}).items():
        if name.startswith(_EXPECTED_PREFIX):
            expected[name.removeprefix(_EXPECTED_PREFIX)] = array
        else:
            translation[name] = array
    try:
        if isinstance(model, MultinomialNB) and model.smoothing is not None:
            model.smoothing = smoothing_with_arrays(model.smoothing, translation)
            if isinstance(model.smoothing, Semantic) and model.smoothing.translation is None:
                raise FileError("the rows of its translation are missing")
        _restore_fitted(model, tally, state)
        if "expected" in state:
            model.expected_ = expected_from_dict(
                state["expected"], expected, tally, model._expected_columns()
            )
    except (AttributeError, TypeError, ValueError) as problem:
        reason = str(problem).removesuffix(".")
        raise FileError(f"{type(model).__name__} cannot be restored: {reason}.") from None
    return model


def _restore_fitted(model: NaiveBayes, tally: Tally, state: Mapping[str, Any]) -> None:
    model.multi_label_ = state["several"]
    if "per_class" in state:
        _restore_choices(model, from_json(state["per_class"]))
    model._check_parameters()
    model._set_tally(tally, state["unit"], state["weighted"], open_=state["open"])
    model.ordering_ = ClassOrderCache(LabelIndex(state["announced"]).names)
    # A closed model has a column for each term of its vocabulary.
    model.n_features_in_ = len(tally.vocabulary)
    if state["named"]:
        model.feature_names_in_ = tally.vocabulary.terms()
    if state["chosen"] is not None:
        _restore_smoothing(model, smoothing_from_dict(state["chosen"]))
    # An invalid prior must fail now, not in the first prediction.
    class_counts = model._reader().read(NO_TERMS)
    if class_counts.n_classes:
        model._log_priors(class_counts)


def _restore_choices(model: NaiveBayes, choices: Any) -> None:
    """Set the choices of ``PoissonNB(per_class=True)``; its parameters are checked next."""
    is_valid = isinstance(choices, Mapping) and all(
        isinstance(choice, tuple) and len(choice) == 2 for choice in choices.values()
    )
    if getattr(model, "per_class", None) is not True or not is_valid:
        raise FileError(f"{type(model).__name__} could not have chosen {choices!r:.80}")
    model.per_class_ = choices


def _restore_smoothing(model: NaiveBayes, chosen: Smoothing) -> None:
    if not isinstance(model, MultinomialNB) or type(model.smoothing) is not type(chosen):
        raise FileError(f"{type(model).__name__} could not have chosen {chosen!r:.80}")
    own = model.smoothing
    # A file stores the rows of a translation once, for both smoothings.
    if isinstance(own, Semantic) and isinstance(chosen, Semantic):
        chosen = replace(chosen, translation=own.translation)
    model.chosen_ = (own, chosen)


def _check_state(state: Any) -> None:
    if not isinstance(state, Mapping) or state.keys() - {"expected", "per_class"} != _STATE_KEYS:
        raise FileError(f"invalid state of a model: {state!r:.80}")
    flags = [state[name] for name in ("weighted", "open", "named", "several")]
    if not all(isinstance(flag, bool) for flag in flags) or state["unit"] not in (1.0, FRACTION):
        raise FileError(f"invalid state of a model: {flags!r:.80} or {state['unit']!r:.40}")
    if not isinstance(state["announced"], list):
        raise FileError(f"invalid state of a model: {state['announced']!r:.80} is not a list")

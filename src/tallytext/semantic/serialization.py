"""Model files of translation models: safetensors with a JSON header, without code.

Every value read from a file is validated before it is used.
"""

from __future__ import annotations

import codecs
import json
from collections.abc import Mapping
from numbers import Integral, Real
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from tallytext._validation import check_between, check_whole
from tallytext.errors import FileError
from tallytext.io.array_checks import (
    check_array_names,
    check_float_array,
    check_int_array,
    check_offsets,
)
from tallytext.io.safetensors import MAX_HEADER_BYTES, load_arrays, parse_json, save_arrays
from tallytext.semantic.concepts import Concepts
from tallytext.semantic.estimation import COUNTS, MAX_BETA, SOLVERS
from tallytext.semantic.phrases import Phrases
from tallytext.semantic.signatures import CombinedFinder, Finder, combine_finders
from tallytext.text.vectorizer import TextVectorizer
from tallytext.text.vocabulary import Vocabulary

if TYPE_CHECKING:
    from tallytext.semantic.translation import TranslationModel

_KINDS: dict[str, Any] = {"Phrases": Phrases, "Concepts": Concepts}


def finders_to_bytes(finder: Finder | None) -> NDArray[np.uint8]:
    """Return phrases and concepts as JSON, in an array because the size of headers is limited.

    Raises
    ------
    FileError
        If a finder is neither a Phrases nor a Concepts, or the JSON is too large.
    """
    parts = (
        finder.parts if isinstance(finder, CombinedFinder) else [] if finder is None else [finder]
    )
    encoded = json.dumps([_to_values(part) for part in parts], allow_nan=False).encode("ascii")
    if len(encoded) > MAX_HEADER_BYTES:
        raise FileError(
            f"the phrases take {len(encoded):,} bytes, but a file can store {MAX_HEADER_BYTES:,}: "
            "find fewer phrases, for example with a higher min_count."
        )
    return np.frombuffer(encoded, dtype=np.uint8)


def finders_from_bytes(stored: NDArray[Any]) -> list[Any]:
    """Return the finders stored by :func:`finders_to_bytes`.

    Raises
    ------
    FileError
        If the array is not such JSON.
    """
    if stored.dtype != np.uint8 or stored.ndim != 1 or stored.size > MAX_HEADER_BYTES:
        raise FileError("its phrases are not bytes of text, or too large")
    found = parse_json(stored.tobytes(), "the list of its phrases")
    if not isinstance(found, list):
        raise FileError("its phrases are not a list")
    return [_KINDS[each["kind"]].from_values(each["values"]) for each in found]


def _to_values(finder: Any) -> dict[str, Any]:
    kind = type(finder).__name__
    if type(finder) is not _KINDS.get(kind):
        raise FileError(
            f"{finder!r:.80} cannot be stored in a file: only Phrases and Concepts can."
        )
    return {"kind": kind, "values": finder.to_values()}


def signatures_to_plain(signatures: Any) -> Any:
    """Return the parameter ``signatures``, with the index of each finder in place of the finder.

    Examples
    --------
    >>> signatures_to_plain(["words", "phrases", Concepts({"bus": "vehicle"})])
    ['words', 'phrases', 1]
    """
    if isinstance(signatures, str):
        return signatures
    is_list = isinstance(signatures, list | tuple)
    parts, n_finders = [], 0
    for part in signatures if is_list else [signatures]:
        parts.append(part if isinstance(part, str) else n_finders)
        n_finders += not (isinstance(part, str) and part == "words")
    return parts if is_list else parts[0]


def signatures_from_plain(stored: Any, finders: list[Any]) -> Any:
    """Return the parameter ``signatures`` stored by :func:`signatures_to_plain`."""
    if isinstance(stored, list):
        return [_signature(part, finders) for part in stored]
    return _signature(stored, finders)


def _signature(stored: Any, finders: list[Any]) -> Any:
    if isinstance(stored, str) and set(stored.split("+")) <= {"words", "phrases"}:
        return stored
    if type(stored) is not int or stored < 0 or (finders and stored >= len(finders)):
        raise FileError(f"signatures cannot be {stored!r:.40}")
    return finders[stored] if finders else "phrases"  # a model fitted on counts has no finders


# The number of threads depends on the machine; the vocabulary is stored separately.
_NOT_STORED = frozenset(("n_jobs", "vocabulary"))
_PAIRS = ("ngram_range", "chars")


def vectorizer_to_values(vectorizer: TextVectorizer) -> dict[str, Any]:
    """Return the parameters of a vectorizer as JSON values.

    Raises
    ------
    FileError
        If a parameter is a function or a pattern.

    Examples
    --------
    >>> vectorizer_to_values(TextVectorizer(language="de"))["language"]
    'de'
    """
    return {
        name: _plain_parameter(name, value)
        for name, value in vectorizer.get_params(deep=False).items()
        if name not in _NOT_STORED
    }


def vectorizer_from_values(values: Any) -> TextVectorizer:
    """Return the unfitted vectorizer with the parameters stored by :func:`vectorizer_to_values`.

    Raises
    ------
    FileError
        If a parameter is missing or invalid.

    Examples
    --------
    >>> vectorizer_from_values(vectorizer_to_values(TextVectorizer(ngram_range=(1, 2))))
    TextVectorizer(dtype=dtype('int64'), ngram_range=(1, 2))
    """
    wanted = set(TextVectorizer._get_param_names()) - _NOT_STORED
    if not isinstance(values, Mapping) or set(values) != wanted:
        raise FileError("these are not the settings of a vectorizer")
    settings = dict(values)
    for name in _PAIRS:
        settings[name] = _check_pair(name, settings[name])
    settings["dtype"] = _check_dtype(settings["dtype"])
    made = TextVectorizer(**settings)
    _check_usable(made)
    return made


def _plain_parameter(name: str, value: Any) -> Any:
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
        f"a TextVectorizer with {name}={value!r:.80} cannot be stored: a file holds names and "
        "numbers, no code."
    )


def _check_pair(name: str, value: Any) -> tuple[int, int] | None:
    if value is None:
        return None
    if not isinstance(value, list) or [type(each) for each in value] != [int, int]:
        raise FileError(f"{name} cannot be {value!r:.40}")
    return value[0], value[1]


def _check_dtype(name: Any) -> np.dtype[Any]:
    # A closed list, because np.dtype() also accepts strings that describe objects and records.
    known = [np.dtype(kind).str for kind in (*"bhilqBHILQefd",)]
    if not isinstance(name, str) or name not in known:
        raise FileError(f"{name!r:.40} is not a type of numbers")
    return np.dtype(name)


def _check_usable(vectorizer: TextVectorizer) -> None:
    """Raise for parameters that would raise when they are used."""
    flags = vectorizer.lowercase, vectorizer.binary
    shares = vectorizer.min_df, vectorizer.max_df
    most = vectorizer.max_features
    if not all(isinstance(flag, bool) for flag in flags):
        raise FileError("lowercase and binary must be True or False")
    if not all(isinstance(share, Real) for share in shares):
        raise FileError("min_df and max_df must be numbers")
    if most is not None and not isinstance(most, Integral):
        raise FileError("max_features must be a whole number")
    words = vectorizer.stop_words
    if isinstance(words, list) and not all(isinstance(word, str) for word in words):
        raise FileError("stop words must be str")
    vectorizer.build_analyzer()
    b"text".decode(vectorizer.encoding, "replace")  # raises for codecs that do not decode to text
    codecs.lookup_error(vectorizer.decode_error)


KIND = "tallytext.translation"
FORMAT = 1
Arrays = Mapping[str, NDArray[Any]]

_NAMES = ("words", "others")
_ARRAY_NAMES = {
    *("background", "columns", "starts", "row_words", "shares", "finders"),
    *(f"{of}.{part}" for of in _NAMES for part in ("terms", "lengths")),
}
_SETTINGS = (
    "beta",
    "solver",
    "n_steps",
    "min_probability",
    "max_entries",
    "min_df",
    "counts",
    "trim",
    "phrase_weight",
)
# The errors that invalid values can cause where they are used; all are reported as FileError.
_VALUE_ERRORS = (
    ArithmeticError,
    AttributeError,
    LookupError,
    RecursionError,
    TypeError,
    ValueError,
)


def save(model: TranslationModel, path: str | Path) -> None:
    """Write a fitted model to a file, atomically."""
    arrays, values = to_arrays(model)
    save_arrays(path, arrays, {"kind": KIND, "format": FORMAT, **values})


def load(model: TranslationModel, path: str | Path) -> None:
    """Read a file into an unfitted model.

    Raises
    ------
    FileError
        If the file is missing, damaged, of a newer format, or not a translation model.
    """
    arrays, header = load_arrays(path, KIND, newest=FORMAT)
    try:
        read_arrays(model, arrays, header)
    except FileError as problem:
        raise FileError(f"cannot read {str(path)!r}: {problem}") from None


def to_arrays(model: TranslationModel) -> tuple[dict[str, NDArray[Any]], dict[str, Any]]:
    """Return a fitted model as arrays and JSON values."""
    template = model.vectorizer
    values = {
        "settings": {name: _plain(getattr(model, name)) for name in _SETTINGS},
        "signatures": signatures_to_plain(model.signatures),
        "stop_words": _stop_words(model.stop_words),
        "template": None if template is None else vectorizer_to_values(template),
        "vectorizer": vectorizer_to_values(model.vectorizer_),
    }
    names = {"words": model.words_, "others": model._phrase_names}
    arrays = {
        **{
            f"{of}.{part}": array
            for of in names
            for part, array in _names_to_arrays(names[of]).items()
        },
        "background": model.background_,
        "columns": model.columns_,
        "starts": model.rows_.indptr.astype(np.int64),
        "row_words": model.rows_.indices.astype(np.int32),
        "shares": model.rows_.data,
        "finders": finders_to_bytes(model.phrases_),
    }
    return arrays, values


def read_arrays(model: TranslationModel, arrays: Arrays, values: Mapping[str, Any]) -> None:
    """Fill an unfitted model with the arrays and values of :func:`to_arrays`, validated.

    Raises
    ------
    FileError
        If an array or a value is missing or invalid.
    """
    try:
        _fill_model(model, arrays, values)
    except KeyError as missing:
        raise FileError(f"it lacks {missing}.") from None
    except _VALUE_ERRORS as problem:
        raise FileError(f"{str(problem).removesuffix('.')}.") from None


def _fill_model(model: TranslationModel, arrays: Arrays, values: Mapping[str, Any]) -> None:
    check_array_names(arrays, _ARRAY_NAMES)
    words, others = (_names_from_arrays(arrays, of) for of in _NAMES)
    finders = finders_from_bytes(arrays["finders"])
    vectorizer = vectorizer_from_values(values["vectorizer"])
    vectorizer.vocabulary_ = words
    finder = combine_finders(finders)
    if finder is not None and finder.get_feature_names_out().tolist() != others.terms().tolist():
        raise FileError("its phrases differ from the phrases of its finder")
    settings = {**_settings(values["settings"]), **_estimator_parameters(values, finders)}
    background, rows = _background(arrays, len(words)), _rows(arrays, len(words))
    columns = _columns(arrays, rows.shape[0], len(words) + len(others))
    # The model is changed only after all values were checked.
    model.set_params(**settings)
    model._set_fitted(words.terms(), others.terms(), background, rows, columns)
    model.vectorizer_, model.phrases_ = vectorizer, finder


def _background(arrays: Arrays, n_words: int) -> NDArray[np.float64]:
    background = check_float_array(arrays, "background", (n_words,)).astype(np.float64)
    if (background < 0).any() or (n_words and abs(background.sum() - 1) > 1e-6):
        raise FileError("its background does not consist of probabilities")
    return background


def _rows(arrays: Arrays, n_words: int) -> sparse.csr_array[np.float64]:
    """Return the rows; raise unless words ascend and probabilities sum to one."""
    shares = check_float_array(arrays, "shares", (None,)).astype(np.float64)
    words = check_int_array(arrays, "row_words", (len(shares),), 0, max(1, n_words))
    n_rows = max(0, arrays["starts"].size - 1)
    starts = check_offsets(arrays, "starts", n_rows, len(shares))
    if len(shares) and not n_words:
        raise FileError("it has rows without words")
    if (np.diff(starts) <= 0).any():
        raise FileError("a row is empty")
    within = np.ones(len(words), bool)
    # The first word of a row may be smaller than the last one of the row before.
    within[starts[:-1]] = False
    if (np.diff(words, prepend=-1)[within] <= 0).any():
        raise FileError("the words of a row do not ascend")
    rows = sparse.csr_array((shares, words.astype(np.int32), starts), shape=(n_rows, n_words))
    if not ((shares > 0) & (shares <= 1)).all() or not np.allclose(rows.sum(axis=1), 1, atol=1e-6):
        raise FileError("a row does not consist of probabilities")
    return rows


def _columns(arrays: Arrays, n_rows: int, n_columns: int) -> NDArray[np.int64]:
    columns = check_int_array(arrays, "columns", (n_rows,), 0, n_columns)
    if (np.diff(columns) <= 0).any():
        raise FileError("its signatures are not in order")
    return columns


def _settings(stored: Mapping[str, Any]) -> dict[str, Any]:
    if set(stored) != set(_SETTINGS) or type(stored["trim"]) is not bool:
        raise FileError("these are not the settings of a translation model")
    if stored["solver"] not in SOLVERS or stored["counts"] not in COUNTS:
        raise FileError("there is no such solver or no such kind of counts")
    check_between("beta", stored["beta"], 0, MAX_BETA)
    for name in ("min_probability", "phrase_weight"):
        check_between(name, stored[name], 0, 1)
    for name in ("n_steps", "min_df"):
        check_whole(name, stored[name], 0)
    if stored["max_entries"] is not None:
        check_whole("max_entries", stored["max_entries"], 1)
    return dict(stored)


def _estimator_parameters(header: Mapping[str, Any], finders: list[Any]) -> dict[str, Any]:
    """Return the parameters that are not JSON values."""
    template, stop_words = header["template"], header["stop_words"]
    listed = isinstance(stop_words, list) and all(isinstance(word, str) for word in stop_words)
    if not (listed or stop_words is None or isinstance(stop_words, str)):
        raise FileError(f"stop_words cannot be {stop_words!r:.40}")
    return {
        "signatures": signatures_from_plain(header["signatures"], finders),
        "stop_words": stop_words,
        "vectorizer": None if template is None else vectorizer_from_values(template),
    }


def _names_to_arrays(names: NDArray[np.object_]) -> dict[str, NDArray[Any]]:
    terms, lengths = Vocabulary(names.tolist()).to_arrays()
    return {"terms": terms, "lengths": lengths}


def _names_from_arrays(arrays: Arrays, of: str) -> Vocabulary:
    terms, lengths = (np.array(arrays[f"{of}.{part}"]) for part in ("terms", "lengths"))
    return Vocabulary.from_arrays(terms, lengths)


def _stop_words(given: Any) -> Any:
    return given if given is None or isinstance(given, str) else sorted(given)


def _plain(value: Any) -> Any:
    return value.item() if isinstance(value, np.generic) else value

"""A translation model as one file: safetensors with a JSON header, and no code in it."""

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

from tallytext.errors import FileError
from tallytext.io.array_checks import check_parts, float_part, starts_part, whole_part
from tallytext.io.safetensors import LONGEST_HEADER, load_arrays, parsed, save_arrays
from tallytext.semantic.concepts import Concepts
from tallytext.semantic.estimation import COUNTS, LARGEST_BETA, SOLVERS, between, whole
from tallytext.semantic.phrases import Phrases
from tallytext.semantic.signatures import Finder, Several, together
from tallytext.text.vectorizer import TextVectorizer
from tallytext.text.vocabulary import Vocabulary

if TYPE_CHECKING:
    from tallytext.semantic.translation import Translating


# ------------------------------------------------------------------------------------------------
# Phrases and concepts of a translation model in its file, and what had asked for them.

_KINDS: dict[str, Any] = {"Phrases": Phrases, "Concepts": Concepts}


def finders_to_bytes(finder: Finder | None) -> NDArray[np.uint8]:
    """Return what finds phrases and concepts as JSON, in an array: headers have a limit.

    Raises
    ------
    FileError
        If a finder is neither of phrases nor of concepts, or has too many of them.
    """
    parts = finder.parts if isinstance(finder, Several) else [] if finder is None else [finder]
    spelt = json.dumps([_to_values(part) for part in parts], allow_nan=False).encode("ascii")
    if len(spelt) > LONGEST_HEADER:
        raise FileError(f"phrases of {len(spelt):,} bytes are too many to be kept in a file.")
    return np.frombuffer(spelt, dtype=np.uint8)


def finders_from_bytes(stored: NDArray[Any]) -> list[Any]:
    """Return the finders of what :func:`finders_to_bytes` returned.

    Raises
    ------
    FileError
        If it returned nothing of the kind.
    """
    if stored.dtype != np.uint8 or stored.ndim != 1 or stored.size > LONGEST_HEADER:
        raise FileError("its phrases are no text, or too many")
    found = parsed(stored.tobytes(), "the list of its phrases")
    if not isinstance(found, list):
        raise FileError("its phrases are no list")
    return [_KINDS[each["kind"]].from_values(each["values"]) for each in found]


def _to_values(finder: Any) -> dict[str, Any]:
    kind = type(finder).__name__
    if type(finder) is not _KINDS.get(kind):
        raise FileError(f"{finder!r:.80} cannot be kept in a file: Phrases and Concepts can.")
    return {"kind": kind, "values": finder.to_values()}


def spelt_signatures(signatures: Any) -> Any:
    """Return what was asked for, with a number for each finder that was given.

    Examples
    --------
    >>> spelt_signatures(["words", "phrases", Concepts({"bus": "vehicle"})])
    ['words', 'phrases', 1]
    """
    if isinstance(signatures, str):
        return signatures
    multi_label = isinstance(signatures, list | tuple)
    parts, n_finders = [], 0
    for part in signatures if multi_label else [signatures]:
        parts.append(part if isinstance(part, str) else n_finders)
        n_finders += not (isinstance(part, str) and part == "words")
    return parts if multi_label else parts[0]


def signatures_from(stored: Any, finders: list[Any]) -> Any:
    """Return what was asked for, of what :func:`spelt_signatures` returned."""
    if isinstance(stored, list):
        return [_signature(part, finders) for part in stored]
    return _signature(stored, finders)


def _signature(stored: Any, finders: list[Any]) -> Any:
    if isinstance(stored, str) and set(stored.split("+")) <= {"words", "phrases"}:
        return stored
    if type(stored) is not int or stored < 0 or (finders and stored >= len(finders)):
        raise FileError(f"signatures cannot be {stored!r:.40}")
    return finders[stored] if finders else "phrases"  # a model of counts has no finders


# ------------------------------------------------------------------------------------------------
# How texts become words, as plain values for a file, and back.

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
        name: _plain_of_stored_vectorizer(name, value)
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
    _check_usable(made)
    return made


def _plain_of_stored_vectorizer(name: str, value: Any) -> Any:
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


def _check_usable(vectorizer: TextVectorizer) -> None:
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


KIND = "tallytext.translation"
FORMAT = 1
Arrays = Mapping[str, NDArray[Any]]

_NAMES = ("words", "others")
_PARTS = {
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
# What values that cannot be lead to where they are used; a file is to blame for all of it.
_REFUSALS = (ArithmeticError, AttributeError, LookupError, RecursionError, TypeError, ValueError)


def save(model: Translating, path: str | Path) -> None:
    """Write a fitted model to a file, whole or not at all."""
    arrays, values = to_arrays(model)
    save_arrays(path, arrays, {"kind": KIND, "format": FORMAT, **values})


def load(model: Translating, path: str | Path) -> None:
    """Read a file into a model that is not fitted.

    Raises
    ------
    FileError
        If the file is missing, damaged, of a newer format, or no translation model.
    """
    arrays, header = load_arrays(path, KIND, newest=FORMAT)
    try:
        read_arrays(model, arrays, header)
    except FileError as problem:
        raise FileError(f"cannot read {str(path)!r}: {problem}") from None


def to_arrays(model: Translating) -> tuple[dict[str, NDArray[Any]], dict[str, Any]]:
    """Return a fitted model as arrays and as values that JSON can hold."""
    template = model.vectorizer
    values = {
        "settings": {name: _plain(getattr(model, name)) for name in _SETTINGS},
        "signatures": spelt_signatures(model.signatures),
        "stop_words": _stop_words(model.stop_words),
        "template": None if template is None else vectorizer_to_values(template),
        "vectorizer": vectorizer_to_values(model.vectorizer_),
    }
    names = {"words": model.words_, "others": model._others}
    arrays = {
        **{f"{of}.{part}": array for of in names for part, array in _spelling(names[of]).items()},
        "background": model.background_,
        "columns": model.columns_,
        "starts": model.rows_.indptr.astype(np.int64),
        "row_words": model.rows_.indices.astype(np.int32),
        "shares": model.rows_.data,
        "finders": finders_to_bytes(model.phrases_),
    }
    return arrays, values


def read_arrays(model: Translating, arrays: Arrays, values: Mapping[str, Any]) -> None:
    """Make a model of what :func:`to_arrays` returned, and check all of it.

    Raises
    ------
    FileError
        If it returned nothing of the kind.
    """
    try:
        _fill(model, arrays, values)
    except KeyError as missing:
        raise FileError(f"it lacks {missing}.") from None
    except _REFUSALS as problem:
        raise FileError(f"{str(problem).removesuffix('.')}.") from None


def _fill(model: Translating, arrays: Arrays, values: Mapping[str, Any]) -> None:
    check_parts(arrays, _PARTS)
    words, others = (_vocabulary(arrays, of) for of in _NAMES)
    finders = finders_from_bytes(arrays["finders"])
    vectorizer = vectorizer_from_values(values["vectorizer"])
    vectorizer.vocabulary_ = words
    finder = together(finders)
    if finder is not None and finder.get_feature_names_out().tolist() != others.terms().tolist():
        raise FileError("its phrases are not those that it finds")
    settings = {**_settings(values["settings"]), **_given(values, finders)}
    background, rows = _background(arrays, len(words)), _rows(arrays, len(words))
    columns = _columns(arrays, rows.shape[0], len(words) + len(others))
    model.set_params(**settings)
    model._take(words.terms(), others.terms(), background, rows, columns)
    model.vectorizer_, model.phrases_ = vectorizer, finder


def _background(arrays: Arrays, n_words: int) -> NDArray[np.float64]:
    background = float_part(arrays, "background", (n_words,)).astype(np.float64)
    if (background < 0).any() or (n_words and abs(background.sum() - 1) > 1e-6):
        raise FileError("its background is not made of probabilities")
    return background


def _rows(arrays: Arrays, n_words: int) -> sparse.csr_array[np.float64]:
    """Return the rows, each with words that ascend and probabilities that sum to one."""
    shares = float_part(arrays, "shares", (None,)).astype(np.float64)
    words = whole_part(arrays, "row_words", (len(shares),), 0, max(1, n_words))
    n_rows = max(0, arrays["starts"].size - 1)
    starts = starts_part(arrays, "starts", n_rows, len(shares))
    if len(shares) and not n_words:
        raise FileError("it has rows without words")
    if (np.diff(starts) <= 0).any():
        raise FileError("a row is empty")
    within = np.ones(len(words), bool)
    within[starts[:-1]] = False
    if (np.diff(words, prepend=-1)[within] <= 0).any():
        raise FileError("the words of a row do not ascend")
    rows = sparse.csr_array((shares, words.astype(np.int32), starts), shape=(n_rows, n_words))
    if not ((shares > 0) & (shares <= 1)).all() or not np.allclose(rows.sum(axis=1), 1, atol=1e-6):
        raise FileError("a row is not made of probabilities")
    return rows


def _columns(arrays: Arrays, n_rows: int, n_columns: int) -> NDArray[np.int64]:
    columns = whole_part(arrays, "columns", (n_rows,), 0, n_columns)
    if (np.diff(columns) <= 0).any():
        raise FileError("its signatures are not in order")
    return columns


def _settings(stored: Mapping[str, Any]) -> dict[str, Any]:
    if set(stored) != set(_SETTINGS) or type(stored["trim"]) is not bool:
        raise FileError("these are not the settings of a translation model")
    if stored["solver"] not in SOLVERS or stored["counts"] not in COUNTS:
        raise FileError("there is no such solver, or no such counts")
    between("beta", stored["beta"], 0, LARGEST_BETA)
    for name in ("min_probability", "phrase_weight"):
        between(name, stored[name], 0, 1)
    for name in ("n_steps", "min_df"):
        whole(name, stored[name], 0)
    if stored["max_entries"] is not None:
        whole("max_entries", stored["max_entries"], 1)
    return dict(stored)


def _given(header: Mapping[str, Any], finders: list[Any]) -> dict[str, Any]:
    """Return the parameters that are not plain values."""
    template, stop_words = header["template"], header["stop_words"]
    listed = isinstance(stop_words, list) and all(isinstance(word, str) for word in stop_words)
    if not (listed or stop_words is None or isinstance(stop_words, str)):
        raise FileError(f"stop_words cannot be {stop_words!r:.40}")
    return {
        "signatures": signatures_from(header["signatures"], finders),
        "stop_words": stop_words,
        "vectorizer": None if template is None else vectorizer_from_values(template),
    }


def _spelling(names: NDArray[np.object_]) -> dict[str, NDArray[Any]]:
    terms, lengths = Vocabulary(names.tolist()).to_arrays()
    return {"terms": terms, "lengths": lengths}


def _vocabulary(arrays: Arrays, of: str) -> Vocabulary:
    terms, lengths = (np.array(arrays[f"{of}.{part}"]) for part in ("terms", "lengths"))
    return Vocabulary.from_arrays(terms, lengths)


def _stop_words(given: Any) -> Any:
    return given if given is None or isinstance(given, str) else sorted(given)


def _plain(value: Any) -> Any:
    return value.item() if isinstance(value, np.generic) else value

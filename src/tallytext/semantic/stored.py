"""A translation model as one file: safetensors with a JSON header, and no code in it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from tallytext.errors import FileError
from tallytext.parts import expect_parts, float_part, starts_part, whole_part
from tallytext.semantic.concepts import Concepts
from tallytext.semantic.estimation import LARGEST_BETA, SOLVERS, between, whole
from tallytext.semantic.phrases import Phrases
from tallytext.semantic.signatures import Finder, Several, together
from tallytext.semantic.stored_vectorizer import vectorizer_from_values, vectorizer_to_values
from tallytext.semantic.weighing import COUNTS
from tallytext.storage import load_arrays, save_arrays
from tallytext.storage.layout import LONGEST_HEADER, parsed
from tallytext.vocabulary import Vocabulary

if TYPE_CHECKING:
    from tallytext.semantic.translation import TranslationModel

KIND = "tallytext.translation"
FORMAT = 1
Arrays = Mapping[str, NDArray[Any]]

_NAMES = ("words", "others")
_FINDERS: dict[str, Any] = {"Phrases": Phrases, "Concepts": Concepts}
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


def save(model: TranslationModel, path: str | Path) -> None:
    """Write a fitted model to a file, whole or not at all."""
    finders = _parts_of(model.phrases_)
    template = model.vectorizer
    header = {
        "kind": KIND,
        "format": FORMAT,
        "settings": {name: _plain(getattr(model, name)) for name in _SETTINGS},
        "signatures": _spelt(model.signatures),
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
        "finders": _bytes_of([_finder_to_values(finder) for finder in finders]),
    }
    save_arrays(path, arrays, header)


def load(model: TranslationModel, path: str | Path) -> None:
    """Read a file into a model that is not fitted.

    Raises
    ------
    FileError
        If the file is missing, damaged, of a newer format, or no translation model.
    """
    arrays, header = load_arrays(path, KIND, newest=FORMAT)
    try:
        _fill(model, arrays, header)
    except KeyError as missing:
        raise FileError(f"cannot read {str(path)!r}: it lacks {missing}.") from None
    except _REFUSALS as problem:
        reason = str(problem).removesuffix(".")
        raise FileError(f"cannot read {str(path)!r}: {reason}.") from None


def _fill(model: TranslationModel, arrays: Arrays, header: Mapping[str, Any]) -> None:
    spelt = {f"{of}.{part}" for of in _NAMES for part in ("terms", "lengths")}
    expect_parts(
        arrays, {"background", "columns", "starts", "row_words", "shares", "finders"} | spelt
    )
    words, others = (_vocabulary(arrays, of) for of in _NAMES)
    finders = _finders(arrays["finders"])
    vectorizer = vectorizer_from_values(header["vectorizer"])
    vectorizer.vocabulary_ = words
    finder = together(finders)
    if finder is not None and finder.get_feature_names_out().tolist() != others.terms().tolist():
        raise FileError("its phrases are not those that it finds")
    model.set_params(**_settings(header["settings"]), **_given(header, finders))
    n_words = len(words)
    background = float_part(arrays, "background", (n_words,)).astype(np.float64)
    if (background < 0).any() or (n_words and abs(background.sum() - 1) > 1e-6):
        raise FileError("its background is not made of probabilities")
    rows, columns = _rows(arrays, n_words), _columns(arrays, n_words + len(others))
    if rows.shape[0] != len(columns):
        raise FileError(f"{len(columns)} signatures have {rows.shape[0]} rows")
    model._take(words.terms(), others.terms(), background, rows, columns)
    model.vectorizer_, model.phrases_ = vectorizer, finder


def _rows(arrays: Arrays, n_words: int) -> sparse.csr_array[np.float64]:
    """Return the rows, each with words that ascend and probabilities that sum to one."""
    shares = float_part(arrays, "shares", (None,)).astype(np.float64)
    words = whole_part(arrays, "row_words", (len(shares),), 0, max(1, n_words))
    n_rows = max(0, arrays["starts"].size - 1)
    starts = starts_part(arrays, "starts", n_rows, len(shares))
    if len(shares) and not n_words:
        raise FileError("it has rows without words")
    ascends = np.diff(words) > 0
    inner = np.delete(ascends, starts[1:-1] - 1) if len(ascends) else ascends
    if (np.diff(starts) <= 0).any() or not inner.all():
        raise FileError("a row is empty, or its words do not ascend")
    rows = sparse.csr_array((shares, words.astype(np.int32), starts), shape=(n_rows, n_words))
    if not ((shares > 0) & (shares <= 1)).all() or not np.allclose(rows.sum(axis=1), 1, atol=1e-6):
        raise FileError("a row is not made of probabilities")
    return rows


def _columns(arrays: Arrays, n_columns: int) -> NDArray[np.int64]:
    columns = whole_part(arrays, "columns", (None,), 0, n_columns)
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
        "signatures": _signatures(header["signatures"], finders),
        "stop_words": stop_words,
        "vectorizer": None if template is None else vectorizer_from_values(template),
    }


def _spelt(signatures: Any) -> Any:
    """Return what signatures were asked for, with a number for each finder that was given."""
    if isinstance(signatures, str):
        return signatures
    several = isinstance(signatures, list | tuple)
    parts, n_finders = [], 0
    for part in signatures if several else [signatures]:
        is_words = isinstance(part, str) and part == "words"
        parts.append(part if isinstance(part, str) else n_finders)
        n_finders += not is_words
    return parts if several else parts[0]


def _signatures(stored: Any, finders: list[Any]) -> Any:
    if isinstance(stored, list):
        return [_signatures(part, finders) for part in stored if not isinstance(part, list)]
    if isinstance(stored, str):
        if not set(stored.split("+")) <= {"words", "phrases"}:
            raise FileError(f"signatures cannot be {stored!r:.40}")
        return stored
    # A model of counts has no finder, whatever was asked for.
    if type(stored) is not int or not 0 <= stored < max(1, len(finders)):
        raise FileError(f"signatures cannot be {stored!r:.40}")
    return finders[stored] if finders else "phrases"


def _parts_of(finder: Finder | None) -> list[Any]:
    if finder is None:
        return []
    return finder.parts if isinstance(finder, Several) else [finder]


def _finder_to_values(finder: Any) -> dict[str, Any]:
    kind = type(finder).__name__
    if type(finder) is not _FINDERS.get(kind):
        raise FileError(f"{finder!r:.80} cannot be kept in a file: Phrases and Concepts can.")
    return {"kind": kind, "values": finder.to_values()}


def _finders(stored: NDArray[Any]) -> list[Any]:
    if stored.dtype != np.uint8 or stored.ndim != 1 or stored.size > LONGEST_HEADER:
        raise FileError("its phrases are no text, or too many")
    found = parsed(stored.tobytes(), "the list of its phrases")
    if not isinstance(found, list):
        raise FileError("its phrases are no list")
    return [_FINDERS[each["kind"]].from_values(each["values"]) for each in found]


def _bytes_of(values: list[Any]) -> NDArray[np.uint8]:
    spelt = json.dumps(values, allow_nan=False).encode("ascii")
    if len(spelt) > LONGEST_HEADER:
        raise FileError(f"phrases of {len(spelt):,} bytes are too many to be kept in a file.")
    return np.frombuffer(spelt, dtype=np.uint8)


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

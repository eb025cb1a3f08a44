"""Answers of one classifier in many places: sent as bytes, unpacked once in each process."""

from __future__ import annotations

import hashlib
import math
from collections import OrderedDict
from os import PathLike, fspath
from threading import Lock
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from tallytext.classifier import TextClassifier
from tallytext.classifier.answers import batch_size, labels_and_probabilities
from tallytext.datasets.parquet import plain_texts
from tallytext.errors import InputError
from tallytext.threads import at_most

_KEPT = 2
_PIECE = 16_384
_BEGIN = 8  # the length of the header, in eight bytes

_models: OrderedDict[bytes, TextClassifier] = OrderedDict()
_opening = Lock()


def expect_classifier(model: Any) -> None:
    """Refuse what is no fitted classifier, before anyone is sent anything.

    Raises
    ------
    InputError
        If it is something else, as the name of a file.
    sklearn.exceptions.NotFittedError
        If it has learned nothing yet.

    Examples
    --------
    >>> expect_classifier("mails.tally")
    Traceback (most recent call last):
    tallytext.errors.InputError: model must be a fitted TextClassifier, not a str: \
TextClassifier.load('mails.tally') reads one.
    """
    wanted = "model must be a fitted TextClassifier"
    if isinstance(model, str | PathLike):
        read = f"TextClassifier.load({fspath(model)!r}) reads one"
        raise InputError(f"{wanted}, not a {type(model).__name__}: {read}.")
    if not isinstance(model, TextClassifier):
        raise InputError(f"{wanted}, not {type(model).__name__}.")
    check_is_fitted(model)


def expect_names(into: Any) -> None:
    """Refuse what are not two different names, of new columns.

    Raises
    ------
    InputError

    Examples
    --------
    >>> expect_names(("label", "label"))
    Traceback (most recent call last):
    tallytext.errors.InputError: into must be the names of two columns, not ('label', 'label').
    """
    names = list(into) if isinstance(into, tuple | list) else []
    if not (all(isinstance(name, str) for name in names) and len({*names}) == len(names) == 2):
        raise InputError(f"into must be the names of two columns, not {into!r}.")


def model_bytes(classifier: TextClassifier) -> bytes:
    """Return a classifier as bytes that hold no code.

    Raises
    ------
    InputError
        If it is no fitted classifier.
    FileError
        If a setting is a Python function, which cannot be sent.
    """
    expect_classifier(classifier)
    return classifier.to_bytes()


def model_of(packed: bytes) -> TextClassifier:
    """Return the classifier that was sent; the last two are kept, by all threads of a process.

    Examples
    --------
    >>> packed = model_bytes(TextClassifier("multinomial").fit(["to be"], ["verb"]))
    >>> model_of(packed) is model_of(bytes(bytearray(packed)))
    True
    """
    key = _key(packed)
    with _opening:
        if key not in _models:
            _models[key] = TextClassifier.from_bytes(packed)
        _models.move_to_end(key)
        while len(_models) > _KEPT:
            _models.popitem(last=False)
        return _models[key]


def answer_fields(classifier: TextClassifier) -> list[pa.Field]:
    """Return the columns of answers: "label" and "probability", or lists of both.

    Examples
    --------
    >>> answer_fields(TextClassifier("multinomial").fit(["to be", "or not"], [1, 2]))
    [pyarrow.Field<label: int64>, pyarrow.Field<probability: double>]
    """
    label, probability = _label_type(classifier.classes_.tolist()), pa.float64()
    if classifier.multi_label_:
        label, probability = pa.list_(label), pa.list_(probability)
    return [pa.field("label", label), pa.field("probability", probability)]


def answer_columns(
    packed: bytes, texts: Any, *, min_confidence: float | None = None
) -> list[pa.Array]:
    """Return a label and its probability for each text, or lists of both, likeliest first.

    Parameters
    ----------
    packed : bytes
        The classifier.
    texts : pyarrow.Array, pyarrow.ChunkedArray or list
        A text that is missing gets no answer.
    min_confidence : float, default=None
        As in ``TextClassifier.predict``.

    Examples
    --------
    >>> clf = TextClassifier("multinomial").fit(["to be", "or not"], ["verb", "other"])
    >>> labels, _ = answer_columns(model_bytes(clf), pa.array(["be", None, "not"]))
    >>> labels.to_pylist()
    ['verb', None, 'other']
    """
    classifier = model_of(packed)
    kinds = [field.type for field in answer_fields(classifier)]
    known, given = _without_missing(texts)
    rows = np.flatnonzero(known).tolist()
    labels: list[Any] = [None] * len(known)
    sure: list[Any] = [None] * len(known)
    for row, (label, probability) in zip(
        rows, _answers(classifier, given, min_confidence), strict=True
    ):
        labels[row], sure[row] = label, probability
    return [_column(labels, kinds[0]), pa.array(sure, kinds[1])]


def text_column(texts: list[str]) -> pa.Array:
    """Return texts as a column of Arrow, in which lone surrogates are spelt out.

    Examples
    --------
    >>> text_column(["sea \\ud800"]).to_pylist()
    ['sea \\\\ud800']
    """
    return pa.array([_spelt(text) for text in texts], pa.string())


def _answers(
    classifier: TextClassifier, texts: Any, min_confidence: float | None
) -> list[tuple[Any, Any]]:
    size, found = batch_size(classifier, _PIECE), list[tuple[Any, Any]]()
    with at_most(1):
        for at in range(0, len(texts), size):
            some = texts[at : at + size]
            proba = classifier.predict_proba(some)
            found += labels_and_probabilities(classifier, some, proba, min_confidence)
    return found


def _without_missing(texts: Any) -> tuple[NDArray[np.bool_], Any]:
    """Return which texts there are, and these."""
    if not isinstance(texts, pa.Array | pa.ChunkedArray):
        known = np.array([not _is_missing(text) for text in texts], dtype=bool)
        return known, [text for text in texts if not _is_missing(text)]
    column = plain_texts(texts.combine_chunks() if isinstance(texts, pa.ChunkedArray) else texts)
    if pa.types.is_null(column.type):
        column = column.cast(pa.string())
    known = np.asarray(column.is_valid().to_numpy(zero_copy_only=False), dtype=bool)
    return known, column.drop_null() if column.null_count else column


def _is_missing(text: Any) -> bool:
    return text is None or (isinstance(text, float) and math.isnan(text))


def _label_type(classes: list[Any]) -> pa.DataType:
    kinds = {type(label) for label in classes}
    if kinds == {bool}:
        return pa.bool_()
    if kinds == {int} and all(-(2**63) <= label < 2**63 for label in classes):
        return pa.int64()
    if float in kinds and kinds <= {int, float} and all(map(_is_double, classes)):
        return pa.float64()
    return pa.string()


def _is_double(label: float) -> bool:
    return abs(label) <= 2**53 or isinstance(label, float)


def _column(labels: list[Any], kind: pa.DataType) -> pa.Array:
    if pa.types.is_list(kind) and pa.types.is_string(kind.value_type):
        labels = [None if some is None else [*map(_spelt, some)] for some in labels]
    elif pa.types.is_string(kind):
        labels = [None if label is None else _spelt(label) for label in labels]
    return pa.array(labels, kind)


def _spelt(label: Any) -> str:
    """Return a label as Arrow can hold it, which has no lone surrogates."""
    return str(label).encode("utf-8", "backslashreplace").decode()


def _key(packed: bytes) -> bytes:
    # The header holds checksums of all that follows, so the rest need not be read each time.
    end = _BEGIN + int.from_bytes(packed[:_BEGIN], "little")
    return hashlib.blake2b(packed[:end], digest_size=16).digest() + len(packed).to_bytes(8, "big")

"""Prediction and evaluation by workers, with a classifier that is sent to them as bytes.

Each process restores the classifier once and keeps it. Evaluations of partitions add up exactly, so
that the report equals that of a single machine.
"""

from __future__ import annotations

import hashlib
import math
import warnings
from collections import OrderedDict
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from itertools import chain
from os import PathLike, fspath
from pathlib import Path
from threading import Lock
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from tallytext._estimators import check_is_fitted
from tallytext.classifier.classifier import TextClassifier
from tallytext.classifier.evaluation import (
    evaluate_classifier,
    labels_and_probabilities,
    prediction_batch_size,
)
from tallytext.classifier.prediction_rows import OutputOptions
from tallytext.distributed.files import Split
from tallytext.errors import FileError, InputError, StaleWarning
from tallytext.evaluation.evaluation import Evaluation
from tallytext.evaluation.report import EvaluationReport
from tallytext.io.atomic import save_blocks
from tallytext.io.batches import Batch, SkippedRows
from tallytext.io.documents import DocumentReader
from tallytext.io.parquet import decode_dictionary
from tallytext.io.safetensors import pack_arrays, unpack_arrays
from tallytext.runtime import ignore_warnings, limit_threads

_MAX_MODELS = 2  # restored at a time in a process
_MAX_BATCH = 16_384  # documents
_LENGTH_BYTES = 8  # of the number before a header, which is its length

_EVALUATION_KIND = "tallytext.evaluation"
_RESULT_KIND = "tallytext.outcome"
_REQUEST_KIND = "tallytext.asking"
_CONTENT = "content"

_models: OrderedDict[bytes, TextClassifier] = OrderedDict()
_models_lock = Lock()


def check_classifier(model: Any) -> None:
    """Check that a model is a fitted classifier, before anything is sent to workers.

    Raises
    ------
    InputError
        If it is something else, such as the name of a file.
    sklearn.exceptions.NotFittedError
        If it is not fitted.

    Examples
    --------
    >>> check_classifier("mails.tally")
    Traceback (most recent call last):
    tallytext.errors.InputError: model must be a fitted TextClassifier, not a str: \
TextClassifier.load('mails.tally') reads one.
    """
    wanted = "model must be a fitted TextClassifier"
    if isinstance(model, str | PathLike):
        remedy = f"TextClassifier.load({fspath(model)!r}) reads one"
        raise InputError(f"{wanted}, not a {type(model).__name__}: {remedy}.")
    if not isinstance(model, TextClassifier):
        raise InputError(f"{wanted}, not {type(model).__name__}.")
    check_is_fitted(model)


def model_bytes(classifier: TextClassifier) -> bytes:
    """Return a classifier as bytes that hold no code.

    Raises
    ------
    InputError
        If it is not a classifier.
    sklearn.exceptions.NotFittedError
        If it is not fitted.
    FileError
        If a setting is a Python function, which cannot be sent.
    """
    check_classifier(classifier)
    return classifier.to_bytes()


def load_model(packed: bytes) -> TextClassifier:
    """Restore a classifier from its bytes; the threads of a process share the last two.

    Examples
    --------
    >>> packed = model_bytes(TextClassifier("multinomial").fit(["to be"], ["verb"]))
    >>> load_model(packed) is load_model(bytes(bytearray(packed)))
    True
    """
    key = _model_key(packed)
    # Held while a model is restored, so that threads of a worker do not restore it twice.
    with _models_lock:
        if key not in _models:
            _models[key] = TextClassifier.from_bytes(packed)
        _models.move_to_end(key)
        while len(_models) > _MAX_MODELS:
            _models.popitem(last=False)
        return _models[key]


def _model_key(packed: bytes) -> bytes:
    # The header has checksums of everything behind it, so hashing the header is enough.
    end = _LENGTH_BYTES + int.from_bytes(packed[:_LENGTH_BYTES], "little")
    return hashlib.blake2b(packed[:end], digest_size=16).digest() + len(packed).to_bytes(8, "big")


def prediction_fields(classifier: TextClassifier) -> list[pa.Field]:
    """Return the Arrow fields of predictions: "label" and "probability", or lists of both.

    Examples
    --------
    >>> prediction_fields(TextClassifier("multinomial").fit(["to be", "or not"], [1, 2]))
    [pyarrow.Field<label: int64>, pyarrow.Field<probability: double>]
    """
    label, probability = _label_type(classifier.classes_.tolist()), pa.float64()
    if classifier.multi_label_:
        label, probability = pa.list_(label), pa.list_(probability)
    return [pa.field("label", label), pa.field("probability", probability)]


def predict_columns(
    packed: bytes, texts: Any, *, min_confidence: float | None = None
) -> list[pa.Array]:
    """Return the label and its probability for each text, or lists of both, most probable first.

    Parameters
    ----------
    packed : bytes
        The classifier.
    texts : pyarrow.Array, pyarrow.ChunkedArray or list
        Missing texts get null.
    min_confidence : float, default=None
        As in ``TextClassifier.predict``.

    Examples
    --------
    >>> clf = TextClassifier("multinomial").fit(["to be", "or not"], ["verb", "other"])
    >>> labels, _ = predict_columns(model_bytes(clf), pa.array(["be", None, "not"]))
    >>> labels.to_pylist()
    ['verb', None, 'other']
    """
    classifier = load_model(packed)
    label_type, probability_type = (field.type for field in prediction_fields(classifier))
    present, texts = _drop_missing(texts)
    labels: list[Any] = [None] * len(present)
    probabilities: list[Any] = [None] * len(present)
    predictions = _predict(classifier, texts, min_confidence)
    for row, prediction in zip(np.flatnonzero(present).tolist(), predictions, strict=True):
        labels[row], probabilities[row] = prediction
    return [_label_column(labels, label_type), pa.array(probabilities, probability_type)]


def text_column(texts: list[str]) -> pa.Array:
    """Return texts as an Arrow column, with lone surrogates escaped.

    Examples
    --------
    >>> text_column(["sea \\ud800"]).to_pylist()
    ['sea \\\\ud800']
    """
    return pa.array([_escape_surrogates(text) for text in texts], pa.string())


def _predict(
    classifier: TextClassifier, texts: Any, min_confidence: float | None
) -> list[tuple[Any, Any]]:
    size, predictions = prediction_batch_size(classifier, _MAX_BATCH), list[tuple[Any, Any]]()
    with limit_threads(1):
        for at in range(0, len(texts), size):
            batch = texts[at : at + size]
            proba = classifier.predict_proba(batch)
            predictions += labels_and_probabilities(classifier, batch, proba, min_confidence)
    return predictions


def _drop_missing(texts: Any) -> tuple[NDArray[np.bool_], Any]:
    """Return a mask of the texts that are present, and these texts."""
    if not isinstance(texts, pa.Array | pa.ChunkedArray):
        present = np.array([not _is_missing(text) for text in texts], dtype=bool)
        return present, [text for text in texts if not _is_missing(text)]
    column = decode_dictionary(
        texts.combine_chunks() if isinstance(texts, pa.ChunkedArray) else texts
    )
    if pa.types.is_null(column.type):
        column = column.cast(pa.string())
    present = np.asarray(column.is_valid().to_numpy(zero_copy_only=False), dtype=bool)
    return present, column.drop_null() if column.null_count else column


def _is_missing(text: Any) -> bool:
    return text is None or (isinstance(text, float) and math.isnan(text))


def _label_type(classes: list[Any]) -> pa.DataType:
    """Return the Arrow type that holds all classes exactly; strings if there is no other."""
    kinds = {type(label) for label in classes}
    # type() above keeps bool apart from int, of which it is a subtype.
    if kinds == {bool}:
        return pa.bool_()
    if kinds == {int} and all(-(2**63) <= label < 2**63 for label in classes):
        return pa.int64()
    if float in kinds and kinds <= {int, float} and all(map(_is_exact_double, classes)):
        return pa.float64()
    return pa.string()


def _is_exact_double(label: float) -> bool:
    # Larger integers have no exact double, and two labels could become one.
    return abs(label) <= 2**53 or isinstance(label, float)


def _label_column(labels: list[Any], kind: pa.DataType) -> pa.Array:
    if pa.types.is_list(kind) and pa.types.is_string(kind.value_type):
        labels = [None if some is None else [*map(_escape_surrogates, some)] for some in labels]
    elif pa.types.is_string(kind):
        labels = [None if label is None else _escape_surrogates(label) for label in labels]
    return pa.array(labels, kind)


def _escape_surrogates(label: Any) -> str:
    """Return a label as a string without lone surrogates, which Arrow cannot hold."""
    return str(label).encode("utf-8", "backslashreplace").decode()


def evaluate_batches(packed: bytes, batches: Iterable[Batch], *, ranking: bool = False) -> bytes:
    """Evaluate a classifier on the documents of a partition; return the evaluation as bytes.

    Parameters
    ----------
    packed : bytes
        The classifier, from :func:`model_bytes`.
    batches : iterable of Batch
        Documents with labels.
    ranking : bool, default=False
        True for average precision and break-even point, too.
    """
    classifier = load_model(packed)
    with limit_threads(1):
        pairs = ((batch.texts, batch.labels) for batch in batches)
        evaluation = evaluate_classifier(classifier, pairs, ranking=ranking)
    return _pack_evaluation(evaluation)


def merge_evaluations(packed: Iterable[bytes]) -> bytes:
    """Add up evaluations of :func:`evaluate_batches`; return the sum as bytes."""
    return _pack_evaluation(_sum_evaluations(packed))


def evaluation_report(packed: Iterable[bytes]) -> EvaluationReport:
    """Return the report on all documents, which is the same for any partitions.

    Parameters
    ----------
    packed : iterable of bytes
        Evaluations of :func:`evaluate_batches` or :func:`merge_evaluations`.

    Raises
    ------
    ScoreError
        If there was no document.
    FileError
        If an evaluation is damaged.
    """
    return EvaluationReport.from_evaluation(_sum_evaluations(packed))


def warn_of_skipped(n_skipped: int, first: str | None = None) -> None:
    """Warn the caller of the caller about skipped rows, if there are any.

    Parameters
    ----------
    n_skipped : int
    first : str, default=None
        Place and reason of the first one, if known.
    """
    if not n_skipped:
        return
    rows = "row" if n_skipped == 1 else "rows"
    example = "" if first is None else f" The first: {first}."
    warnings.warn(f"skipped {n_skipped:,} {rows} that could not be read.{example}", stacklevel=3)


def _sum_evaluations(packed: Iterable[bytes]) -> Evaluation:
    total = Evaluation()
    for each in packed:
        total += _unpack_evaluation(each)
    return total


def _pack_evaluation(evaluation: Evaluation) -> bytes:
    arrays, header = evaluation.to_arrays()
    return pack_arrays(arrays, {"kind": _EVALUATION_KIND, "evaluation": header})


def _unpack_evaluation(packed: bytes) -> Evaluation:
    arrays, header = unpack_arrays(packed, _EVALUATION_KIND)
    if not isinstance(header.get("evaluation"), dict):
        raise FileError("cannot read a message of a worker: it is not an evaluation.")
    return Evaluation.from_arrays(arrays, header["evaluation"])


@dataclass(frozen=True)
class SplitResult:
    """Result of a task that predicted or evaluated the documents of a split.

    Attributes
    ----------
    content : bytes
        Lines of predictions, or an evaluation.
    n_documents, n_bytes : int
        Number of documents, and their size in the file.
    skipped : SkippedRows
        Rows that could not be read.

    Examples
    --------
    >>> SplitResult.unpack(SplitResult(b"lines", 7, 512, SkippedRows()).pack()).n_documents
    7
    """

    content: bytes
    n_documents: int
    n_bytes: int
    skipped: SkippedRows

    def pack(self) -> bytes:
        """Return the result as bytes that hold no code."""
        counts = {"n_documents": self.n_documents, "n_bytes": self.n_bytes}
        header = {"kind": _RESULT_KIND, **counts, "skipped": asdict(self.skipped)}
        return pack_arrays({_CONTENT: np.frombuffer(self.content, np.uint8)}, header)

    @classmethod
    def unpack(cls, packed: bytes) -> SplitResult:
        """Restore a result from the bytes of :meth:`pack`."""
        arrays, header = unpack_arrays(packed, _RESULT_KIND)
        content, skipped = arrays[_CONTENT].tobytes(), SkippedRows(**header["skipped"])
        return cls(content, header["n_documents"], header["n_bytes"], skipped)


def pack_request(
    model: bytes,
    reading: dict[str, Any],
    output: OutputOptions | None = None,
    folder: str | None = None,
    *,
    ranking: bool = False,
) -> bytes:
    """Pack a classifier and options for :func:`predict_split` or :func:`evaluate_split`.

    Parameters
    ----------
    model : bytes
        The classifier, from :func:`model_bytes`.
    reading : dict
        Options of :func:`tallytext.io.read_documents`.
    output : OutputOptions, default=None
        Content and format of predictions; not needed for an evaluation.
    folder : str, default=None
        Folder to which workers write predictions; None to send them back.
    ranking : bool, default=False
        True for the ranking measures of an evaluation, too.
    """
    header = {
        "kind": _REQUEST_KIND,
        "reading": reading,
        "asked": None if output is None else asdict(output),
        "folder": folder,
        "ranking": ranking,
    }
    request = pack_arrays({}, header)
    # The model has checksums of its own, so it stays outside: load_model checks it once per
    # process, not once per split.
    return len(request).to_bytes(_LENGTH_BYTES, "little") + request + model


def predict_split(split: Split, request: bytes) -> bytes:
    """Predict the documents of a split; return a packed :class:`SplitResult`.

    Its content is empty if the predictions are written to a file. The file has the number of the
    split in its name, and is written completely or not at all.
    """
    model, header = _unpack_request(request)
    options, folder = OutputOptions(**header["asked"]), header["folder"]
    reader = CountedReader(split.reader(**header["reading"]))
    with _worker_settings():
        lines = _predict_lines(reader, split, model, options)
        if folder is None:
            return reader.result(b"".join(lines)).pack()
        # A retried task replaces its own file, because the name depends on the split alone.
        path = Path(folder) / part_file_name(f"{split.number:05}", options)
        _save(path, chain([options.formatter().header], lines))
    return reader.result(b"").pack()


def evaluate_split(split: Split, request: bytes) -> bytes:
    """Evaluate the classifier on a split; return a packed :class:`SplitResult`."""
    model, header = _unpack_request(request)
    reader = CountedReader(split.reader(**header["reading"]))
    with _worker_settings():
        packed = evaluate_batches(model, reader, ranking=header["ranking"])
        return reader.result(packed).pack()


def part_file_name(number: str, options: OutputOptions) -> str:
    """Return the name of the file of predictions of a split.

    Examples
    --------
    >>> part_file_name("00007", OutputOptions(to="csv"))
    'part-00007.csv'
    """
    return f"part-{number}.{options.to}"


class CountedReader:
    """Batches of a reader; documents and bytes are counted while they are read."""

    def __init__(self, reader: DocumentReader) -> None:
        self._reader = reader
        self.n_documents = self.n_bytes = 0

    def __iter__(self) -> Iterator[Batch]:
        for batch in self._reader:
            self.n_documents += len(batch)
            self.n_bytes += batch.n_bytes
            yield batch

    def result(self, content: bytes) -> SplitResult:
        """Return the result of the documents that were read."""
        return SplitResult(content, self.n_documents, self.n_bytes, self._reader.skipped)


def _unpack_request(request: bytes) -> tuple[bytes, dict[str, Any]]:
    """Return the classifier as bytes, and the header of a request."""
    end = _LENGTH_BYTES + int.from_bytes(request[:_LENGTH_BYTES], "little")
    _, header = unpack_arrays(request[_LENGTH_BYTES:end], _REQUEST_KIND)
    return request[end:], header


def _predict_lines(
    reader: CountedReader, split: Split, model: bytes, options: OutputOptions
) -> Iterator[bytes]:
    predictor, formatter = options.predictor(load_model(model)), options.formatter()
    file = split.name if options.has_file else None
    for batch in reader:
        yield formatter.format(predictor.predict(batch, file))


def _save(path: Path, blocks: Iterable[bytes]) -> None:
    try:
        save_blocks(path, blocks)
    except OSError as problem:
        raise FileError(
            f"cannot write {str(path)!r}: {problem.strerror or problem}. Every worker must find "
            "the folder under the same name, and must be allowed to write to it."
        ) from None


@contextmanager
def _worker_settings() -> Iterator[None]:
    """Use one core, since other tasks use the others; the client warns of stale models itself."""
    with limit_threads(1), ignore_warnings(StaleWarning):
        yield

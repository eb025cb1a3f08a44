"""Answers of one classifier in many places: sent as bytes, unpacked once in each process."""

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
from sklearn.utils.validation import check_is_fitted

from tallytext.classifier.classifier import TextClassifier
from tallytext.classifier.evaluation import batch_size, evaluated, labels_and_probabilities
from tallytext.distributed.answers import Asked
from tallytext.distributed.job import Split
from tallytext.errors import FileError, InputError, StaleWarning
from tallytext.evaluation.evaluation import Evaluation
from tallytext.evaluation.report import EvaluationReport
from tallytext.io.batches import Batch, Skipped
from tallytext.io.documents import DocumentReader, check_on_error
from tallytext.io.parquet import plain_texts
from tallytext.io.safetensors import pack_arrays, save_blocks, unpack_arrays
from tallytext.runtime import at_most

_KEPT = 2
_PIECE = 16_384
_BEGIN = 8  # the length of the header, in eight bytes

_models: OrderedDict[bytes, TextClassifier] = OrderedDict()
_opening = Lock()


def check_classifier(model: Any) -> None:
    """Refuse what is no fitted classifier, before anyone is sent anything.

    Raises
    ------
    InputError
        If it is something else, as the name of a file.
    sklearn.exceptions.NotFittedError
        If it has learned nothing yet.

    Examples
    --------
    >>> check_classifier("mails.tally")
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


def check_names(into: Any) -> None:
    """Refuse what are not two different names, of new columns.

    Raises
    ------
    InputError

    Examples
    --------
    >>> check_names(("label", "label"))
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
    check_classifier(classifier)
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


# ------------------------------------------------------------------------------------------------
# A classifier judged in many places: each sums up its documents, and the sums add up exactly.

KIND = "tallytext.evaluation"


def warn_of_skipped(n_skipped: int, first: str | None = None) -> None:
    """Warn of rows that were left out, if there are any; it is the caller's caller who is warned.

    Parameters
    ----------
    n_skipped : int
    first : str, default=None
        What is wrong with the first, if that is known.
    """
    if not n_skipped:
        return
    rows = (
        "row that could not be read was" if n_skipped == 1 else "rows that could not be read were"
    )
    more = "" if first is None else f" The first: {first}."
    warnings.warn(f"{n_skipped:,} {rows} left out.{more}", stacklevel=3)


def judged(packed: bytes, batches: Iterable[Batch]) -> bytes:
    """Return how a classifier does on the documents of a partition, as bytes.

    Parameters
    ----------
    packed : bytes
        The classifier, from :func:`~tallytext.distributed.predicting.model_bytes`.
    batches : iterable of Batch
        Documents with labels.
    """
    classifier = model_of(packed)
    with at_most(1):
        evaluation = evaluated(classifier, ((batch.texts, batch.labels) for batch in batches))
    return _packed(evaluation)


def check_labels(labels: Any, on_error: Any) -> None:
    """Refuse to judge without labels, and ways to take errors that are not known.

    Raises
    ------
    InputError

    Examples
    --------
    >>> check_labels("topic", "skipp")
    Traceback (most recent call last):
    tallytext.errors.InputError: on_error must be 'fail' or 'skip', not 'skipp'.
    """
    if labels is None:
        raise InputError("there is nothing to judge a classifier by: labels must name a column.")
    check_on_error(on_error)


def summed(parts: Iterable[bytes]) -> Evaluation:
    """Add up what :func:`judged` returned for partitions, as they come: none of them is kept.

    Raises
    ------
    FileError
        If something was damaged on its way.

    Examples
    --------
    >>> summed([]).n_documents
    0
    """
    whole = Evaluation()
    for each in parts:
        whole += _unpacked(each)
    return whole


def merged(parts: Iterable[bytes]) -> bytes:
    """Add up what :func:`judged` returned for partitions, to what it returns for all of them."""
    return _packed(summed(parts))


def report_of(packed: Iterable[bytes]) -> EvaluationReport:
    """Return the report on all documents, the same to the last bit however they were shared out.

    Parameters
    ----------
    packed : iterable of bytes
        What :func:`judged` or :func:`merged` returned. They are added up as they come.

    Raises
    ------
    ScoreError
        If there was no document.
    FileError
        If something was damaged on its way.
    """
    return EvaluationReport.of(summed(packed))


def _packed(evaluation: Evaluation) -> bytes:
    arrays, header = evaluation.to_arrays()
    return pack_arrays(arrays, {"kind": KIND, "evaluation": header})


def _unpacked(packed: bytes) -> Evaluation:
    arrays, header = unpack_arrays(packed, KIND)
    if not isinstance(header.get("evaluation"), dict):
        raise FileError("cannot read what was sent: it is no evaluation.")
    return Evaluation.from_arrays(arrays, header["evaluation"])


# ------------------------------------------------------------------------------------------------
# What became of a piece of work, as it is sent back by who did it.

_KIND, _CONTENT = "tallytext.outcome", "content"


@dataclass(frozen=True)
class Outcome:
    """What was made of the documents of a piece of work.

    Attributes
    ----------
    content : bytes
        What was made.
    n_documents, n_bytes : int
        How many documents there were, and how much of the file they took.
    skipped : Skipped
        What could not be read.

    Examples
    --------
    >>> Outcome.unpack(Outcome(b"answers", 7, 512, Skipped()).pack()).n_documents
    7
    """

    content: bytes
    n_documents: int
    n_bytes: int
    skipped: Skipped

    def pack(self) -> bytes:
        """Return this as bytes that hold no code."""
        counts = {"n_documents": self.n_documents, "n_bytes": self.n_bytes}
        header = {"kind": _KIND, **counts, "skipped": asdict(self.skipped)}
        return pack_arrays({_CONTENT: np.frombuffer(self.content, np.uint8)}, header)

    @classmethod
    def unpack(cls, sent: bytes) -> Outcome:
        """Read what :meth:`pack` returned."""
        arrays, header = unpack_arrays(sent, _KIND)
        content, skipped = arrays[_CONTENT].tobytes(), Skipped(**header["skipped"])
        return cls(content, header["n_documents"], header["n_bytes"], skipped)


class Seen:
    """The batches of a reader, counted as they go by."""

    def __init__(self, reader: DocumentReader) -> None:
        self._reader = reader
        self.n_documents = self.n_bytes = 0

    def __iter__(self) -> Iterator[Batch]:
        for batch in self._reader:
            self.n_documents += len(batch)
            self.n_bytes += batch.n_bytes
            yield batch

    def outcome(self, content: bytes) -> Outcome:
        """Return what was made of all of them."""
        return Outcome(content, self.n_documents, self.n_bytes, self._reader.skipped)


# ------------------------------------------------------------------------------------------------
# A model is asked of the documents in a piece of work, or judged by them, by who has both.

_KIND_of_asking = "tallytext.asking"
_BEGIN_of_asking = 8  # bytes, which tell how long the question is


def packed_question(
    model: bytes, reading: dict[str, Any], asked: Asked | None = None, folder: str | None = None
) -> bytes:
    """Return what everyone has to know who is to answer, or to judge.

    Parameters
    ----------
    model : bytes
        As :func:`tallytext.distributed.predicting.model_bytes` returns it.
    reading : dict
        How documents are read, as :func:`tallytext.io.read_documents` takes it.
    asked : Asked, default=None
        What is asked.
    folder : str, default=None
        Where answers are written to; None to have them sent back.
    """
    question = None if asked is None else asdict(asked)
    header = {"kind": _KIND_of_asking, "reading": reading, "asked": question, "folder": folder}
    asking = pack_arrays({}, header)
    # Behind it the model, which has checksums of its own: it is read once, not for every split.
    return len(asking).to_bytes(_BEGIN_of_asking, "little") + asking + model


def part_name(number: str, asked: Asked) -> str:
    """Return what a file of answers is called.

    Examples
    --------
    >>> part_name("00007", Asked(to="csv"))
    'part-00007.csv'
    """
    return f"part-{number}.{asked.to}"


def answered(split: Split, question: bytes) -> bytes:
    """Return an outcome, packed: answers as lines, unless they were written to a file.

    The file has the number of the split, and appears whole or not at all.
    """
    model, header = _unpacked_of_asking(question)
    asked, folder = Asked(**header["asked"]), header["folder"]
    seen = Seen(split.reader(**header["reading"]))
    with _alone():
        blocks = _answers_of_asking(seen, split, model, asked)
        if folder is None:
            return seen.outcome(b"".join(blocks)).pack()
        path = Path(folder) / part_name(f"{split.number:05}", asked)
        _save(path, chain([asked.lines().head], blocks))
    return seen.outcome(b"").pack()


def judged_split(split: Split, question: bytes) -> bytes:
    """Return an outcome, packed: what :func:`tallytext.distributed.predicting.judged` found."""
    model, header = _unpacked_of_asking(question)
    seen = Seen(split.reader(**header["reading"]))
    with _alone():
        return seen.outcome(judged(model, seen)).pack()


def _unpacked_of_asking(question: bytes) -> tuple[bytes, dict[str, Any]]:
    """Return the model, and what is asked of it."""
    end = _BEGIN_of_asking + int.from_bytes(question[:_BEGIN_of_asking], "little")
    _, header = unpack_arrays(question[_BEGIN_of_asking:end], _KIND_of_asking)
    return question[end:], header


def _save(path: Path, blocks: Iterable[bytes]) -> None:
    try:
        save_blocks(path, blocks)
    except OSError as problem:
        raise FileError(
            f"cannot write {str(path)!r}: {problem.strerror or problem}. Every worker must find "
            "the folder under the same name, and may write to it."
        ) from None


def _answers_of_asking(seen: Seen, split: Split, model: bytes, asked: Asked) -> Iterator[bytes]:
    answers, lines = asked.answers(model_of(model)), asked.lines()
    file = split.name if asked.has_file else None
    for batch in seen:
        yield lines.of(answers.of(batch, file))


@contextmanager
def _alone() -> Iterator[None]:
    """Leave the other cores to others, and warnings to who asked."""
    with at_most(1), warnings.catch_warnings():
        warnings.simplefilter("ignore", StaleWarning)
        yield

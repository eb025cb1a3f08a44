"""Tallies counted by Dask."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any, NamedTuple
from uuid import uuid4

import pyarrow as pa

from tallytext.classifier.classifier import TextClassifier, check_probability
from tallytext.classifier.training import SAMPLE
from tallytext.distributed.counting import PartReader, counted
from tallytext.distributed.dask_cluster import client_or_get, computed, sent
from tallytext.distributed.dask_tasks import (
    Partitions,
    Tree,
    Wrong,
    batches_in,
    dask_module,
    kind_of,
    partitions_of,
    tell,
    texts_of_frame,
    tree_of,
    tried,
    unless_wrong,
)
from tallytext.distributed.job import Job, OnError, check_count
from tallytext.distributed.part import gathered, n_shards_for
from tallytext.distributed.predicting import (
    answer_columns,
    answer_fields,
    check_classifier,
    check_labels,
    check_names,
    judged,
    merged,
    model_bytes,
    report_of,
    warn_of_skipped,
)
from tallytext.distributed.watching import Note
from tallytext.errors import InputError
from tallytext.evaluation.report import EvaluationReport
from tallytext.io.batches import Batch, Columns, Skipped
from tallytext.runtime import peak_memory
from tallytext.tally.gathered import GatheredTally
from tallytext.tally.planes import Plane
from tallytext.text.vectorizer import TextVectorizer


def dask_tally(
    source: Any,
    *,
    text: str = "text",
    labels: str | None = "label",
    weights: str | None = None,
    label_separator: str | None = None,
    vectorizer: TextVectorizer | None = None,
    planes: Iterable[Plane] = (),
    on_error: OnError = "fail",
    sample: int = SAMPLE,
    max_terms: int | None = None,
    shards: int | None = None,
    fan_in: int = 8,
    retries: int = 2,
    client: Any = None,
    verbose: bool | None = None,
) -> GatheredTally:
    """Count documents with Dask: the tally equals that of one machine, to the last bit.

    Partitions are counted where they are; what travels and is merged is counts. However documents
    are spread over partitions, in whatever order these are counted, and whichever workers fail on
    the way, the result is the same.

    Parameters
    ----------
    source : dask.dataframe.DataFrame, dask.bag.Bag or Files
        The documents. Of a DataFrame, no other columns are read than those named here. A Bag has
        pairs of text and label (and weight), or mappings with these names, or plain strings if
        there are no labels.
    text : str, default="text"
        The column of the documents.
    labels : str or None, default="label"
        The column of their labels: strings, numbers, or lists of them; ``[]`` for none. None if
        documents have no labels.
    weights : str or None, default=None
        The column of their weights, which go into planes that are weighted.
    label_separator : str or None, default=None
        Makes lists of labels of strings: with ``";"``, ``"a; b"`` stands for two labels.
    vectorizer : TextVectorizer, default=None
        How texts become terms. It must have no limits on document frequency.
    planes : iterable of Plane, default=()
        Fractional planes to keep.
    on_error : {"fail", "skip"}, default="fail"
        Whether a row that cannot be read, as its text or label is null for instance, ends the
        counting or is left out, and counted in ``origin.n_skipped``.
    sample : int, default=4096
        How many documents to keep in ``origin``, to judge models on.
    max_terms : int or None, default=None
        How many terms to keep, about: the rarest are left out at each merge, and
        ``origin.dropped`` bounds the error of every count. None is exact.
    shards : int or None, default=None
        Into how many pieces tallies are cut, each of which is merged by itself; by default more
        for more partitions.
    fan_in : int, default=8
        How many parts are merged at a time.
    retries : int, default=2
        How often a task that failed is tried again.
    client : distributed.Client, default=None
        The cluster; by default the current client, else what Dask is configured for: threads,
        processes, or one after the other.
    verbose : bool or None, default=None
        Whether to show on standard error how far it is, and how much memory workers take. None: if
        it is a terminal and this takes longer than a second or two.

    Returns
    -------
    GatheredTally
        For :meth:`tallytext.TextClassifier.from_tally`, and all that tallies are good for.

    Raises
    ------
    InputError
        If a row cannot be read, with the number of its partition.
    FileError
        If a column is not there or holds no text, or a file cannot be read.
    EngineError
        If the cluster is lost, workers die again and again, a partition fails more often than is
        allowed for, or Dask is not installed.

    Examples
    --------
    >>> import dask.bag
    >>> mails = dask.bag.from_sequence(
    ...     [("cheap cheap pills", "spam"), ("see you at noon", "ham"), ("noon then", "ham")],
    ...     npartitions=2,
    ... )
    >>> import dask
    >>> with dask.config.set(scheduler="threads"):
    ...     tally = dask_tally(mails)
    >>> tally
    <Tally of 3 documents: 9 tokens, 7 terms, 2 classes>
    >>> tally.origin.costs.n_parts
    2
    """
    dask_module("dask")
    job = Job.of(
        text=text,
        labels=labels,
        weights=weights,
        label_separator=label_separator,
        vectorizer=vectorizer,
        planes=planes,
        on_error=on_error,
        sample=sample,
        max_terms=max_terms,
    )
    check_count("fan_in", fan_in, 2)
    check_count("retries", retries, 0)
    check_count("shards", 1 if shards is None else shards, 1)
    partitions = partitions_of(source, job.columns)
    many = n_shards_for(len(partitions), max_terms)
    job = job.in_shards(many if shards is None else shards)
    pieces = _pieces(partitions, job, fan_in, retries, client, verbose)
    return gathered(pieces, job)


def _pieces(
    partitions: Partitions, job: Job, fan_in: int, retries: int, client: Any, verbose: bool | None
) -> list[bytes]:
    """Count and merge, and return a piece for each shard."""
    client, get = client_or_get(client, partitions.default_get)
    if not partitions:
        return counted(job, "nothing", [])
    topic = "" if client is None else uuid4().hex
    # A cluster tries again by itself, and on another worker.
    tree = tree_of(partitions, job, fan_in, retries + 1 if client is None else 1, topic)
    return computed(client, get, tree, len(partitions), verbose, topic, retries)


# ------------------------------------------------------------------------------------------------
# Labels for documents that Dask has.


def dask_predict(
    source: Any,
    model: TextClassifier,
    *,
    text: str = "text",
    min_confidence: float | None = None,
    into: tuple[str, str] = ("label", "probability"),
    client: Any = None,
) -> Any:
    """Return documents with the labels that a classifier gives them, and how sure it is.

    Nothing is computed until Dask is asked to, and then by partitions: what comes out can be
    written to Parquet without ever being in one place. Each worker gets the classifier once.

    Parameters
    ----------
    source : dask.dataframe.DataFrame or dask.bag.Bag
        The documents. A Bag has strings, tuples that begin with a text, or mappings.
    model : TextClassifier
        One that was fitted.
    text : str, default="text"
        The column of the documents. A text that is missing gets no label.
    min_confidence : float or None, default=None
        Give no label rather than one less likely than this.
    into : tuple of two str, default=("label", "probability")
        What the new columns are called.
    client : distributed.Client, default=None
        The cluster that will compute, if it is not the current one.

    Returns
    -------
    dask.dataframe.DataFrame or dask.bag.Bag
        The DataFrame with two columns more, which hold lists if the classifier gives several
        labels; a Bag of dicts.

    Raises
    ------
    InputError
        If there are columns of these names already, or the source is of another kind.
    ScoreError
        If ``min_confidence`` is no probability.
    FileError
        If there is no such column, or the classifier cannot be sent.

    Examples
    --------
    >>> import dask
    >>> import dask.bag
    >>> clf = TextClassifier("multinomial").fit(["cheap pills", "see you at noon"], ["spam", "ham"])
    >>> mails = dask.bag.from_sequence([{"text": "pills!", "id": 7}])
    >>> with dask.config.set(scheduler="threads"):
    ...     dask_predict(mails, clf).pluck("label").compute()
    ['spam']
    """
    check_classifier(model)
    check_names(into)
    check_probability(min_confidence)
    kind = kind_of(source)
    if kind is None:
        raise InputError(
            f"dask_predict reads a Dask DataFrame or a Bag, not {type(source).__name__}: use "
            "dask.dataframe.read_parquet, or tally predict --engine dask."
        )
    if kind == "frame":
        return _frame_answered(source, model, text, min_confidence, into, client)
    options = {"text": text, "min_confidence": min_confidence, "into": tuple(into)}
    return source.map_partitions(_answered_rows, _sent(model, client), **options)


def _frame_answered(
    source: Any, model: Any, text: str, least: float | None, into: tuple[str, str], client: Any
) -> Any:
    Columns(text, None).find(list(source.columns), "the DataFrame")
    taken = [name for name in into if name in source.columns]
    if taken:
        raise InputError(
            f"the DataFrame has a column {taken[0]!r} already: drop it, or name the new columns "
            "with into=('predicted', 'probability') for instance."
        )
    columns = [pa.array([], field.type) for field in answer_fields(model)]
    meta = _with_columns(source._meta, columns, into)
    options = {"text": text, "min_confidence": least, "into": tuple(into), "meta": meta}
    return source.map_partitions(_answered_frame, _sent(model, client), **options)


def _sent(model: TextClassifier, client: Any) -> Any:
    """Return the classifier as one task of a graph, or as a future that workers have already."""
    packed = model_bytes(model)
    client, _ = client_or_get(client)
    return dask_module("dask").delayed(sent(client, packed), pure=True)


def _answered_frame(
    frame: Any, packed: bytes, text: str, min_confidence: float | None, into: tuple[str, str]
) -> Any:
    columns = answer_columns(packed, texts_of_frame(frame, text), min_confidence=min_confidence)
    return _with_columns(frame, columns, into)


def _with_columns(frame: Any, columns: Iterable[Any], names: tuple[str, str]) -> Any:
    """Return a pandas DataFrame with two columns more."""
    pandas = dask_module("pandas")
    wide = frame.copy(deep=False)
    for name, column in zip(names, columns, strict=True):
        kind = pandas.ArrowDtype(column.type)
        wide[name] = pandas.Series(pandas.array(column, dtype=kind), index=frame.index)
    return wide


def _answered_rows(
    rows: Iterable[Any],
    packed: bytes,
    text: str,
    min_confidence: float | None,
    into: tuple[str, str],
) -> list[dict[str, Any]]:
    documents = [_as_mapping(row, text, into) for row in rows]
    texts = [document[text] for document in documents]
    columns = answer_columns(packed, texts, min_confidence=min_confidence)
    answers = zip(*(column.to_pylist() for column in columns), strict=True)
    # A list, as Dask keeps what is returned, and may read it more than once.
    return [
        document | dict(zip(into, answer, strict=True))
        for document, answer in zip(documents, answers, strict=True)
    ]


def _as_mapping(row: Any, text: str, into: tuple[str, str]) -> dict[str, Any]:
    first = row[0] if isinstance(row, tuple | list) and row else row
    document = dict(row) if isinstance(row, Mapping) else {text: first}
    if text not in document:
        raise InputError(f"a row has no {text!r}, but {', '.join(map(str, row))}.")
    taken = [name for name in into if name in document]
    if taken:
        raise InputError(f"a row has {taken[0]!r} already: name others with into=.")
    return document


# ------------------------------------------------------------------------------------------------
# How well a classifier does on documents that Dask has.

_FAN_IN = 16


def dask_evaluate(
    source: Any,
    model: TextClassifier,
    *,
    text: str = "text",
    labels: str = "label",
    label_separator: str | None = None,
    on_error: OnError = "fail",
    retries: int = 2,
    client: Any = None,
    verbose: bool | None = None,
) -> EvaluationReport:
    """Judge a classifier by labelled documents that it has not learned from.

    Partitions are judged where they are, and what they found adds up exactly: the report is that of
    one machine, however documents are spread.

    Parameters
    ----------
    source : dask.dataframe.DataFrame, dask.bag.Bag or Files
        The documents, as for :func:`dask_tally`.
    model : TextClassifier
        One that was fitted.
    text, labels : str
        The columns of the documents and of their labels.
    label_separator : str or None, default=None
        Makes lists of labels of strings.
    on_error : {"fail", "skip"}, default="fail"
        Whether a row that cannot be read ends it, or is left out; a warning says how many were.
    retries : int, default=2
        How often a task that failed is tried again.
    client : distributed.Client, default=None
        The cluster, as for :func:`dask_tally`.
    verbose : bool or None, default=None
        Whether to show how far it is, as for :func:`dask_tally`.

    Raises
    ------
    InputError, FileError, EngineError
        As for :func:`dask_tally`.
    ScoreError
        If there is no document.

    Examples
    --------
    >>> import dask
    >>> import dask.bag
    >>> clf = TextClassifier("multinomial").fit(["cheap pills", "see you at noon"], ["spam", "ham"])
    >>> mails = dask.bag.from_sequence([("pills!", "spam"), ("at noon", "ham"), ("you", "spam")])
    >>> with dask.config.set(scheduler="threads"):
    ...     dask_evaluate(mails, clf).accuracy
    0.6666666666666666
    """
    check_classifier(model)
    check_labels(labels, on_error)
    check_count("retries", retries, 0)
    columns = Columns(text, labels, (), label_separator or None)
    partitions = partitions_of(source, columns)
    client, get = client_or_get(client, partitions.default_get)
    if not partitions:
        return report_of([])
    topic = "" if client is None else uuid4().hex
    leaf = _Leaf(columns, on_error, partitions.kind, retries + 1 if client is None else 1, topic)
    tree = _tree(partitions, sent(client, model_bytes(model)), leaf)
    (found,) = computed(client, get, tree, len(partitions), verbose, topic, retries)
    warn_of_skipped(found.skipped.count, next(iter(found.skipped.messages), None))
    return report_of([found.packed])


class _Leaf(NamedTuple):
    columns: Columns
    on_error: OnError
    kind: str
    tries: int
    topic: str


class Judged(NamedTuple):
    """What was found of some documents, what could not be read, and a note about it."""

    packed: bytes
    skipped: Skipped
    note: Note


def _tree(partitions: Partitions, packed: Any, leaf: _Leaf) -> Tree:
    token = uuid4().hex
    model = f"tallytext-model-{token}"
    tasks: dict[Any, Any] = partitions.graph | {model: packed}
    level: list[Any] = [(f"tallytext-judge-{token}", number) for number in range(len(partitions))]
    names = partitions.named(level)
    task = partial(judge, leaf)
    for number, (key, source) in enumerate(zip(level, partitions.sources, strict=True)):
        tasks[key] = (task, model, number, names[key], source)
    while len(level) > 1:
        groups = [level[at : at + _FAN_IN] for at in range(0, len(level), _FAN_IN)]
        level = [(f"tallytext-merge-{token}", len(tasks) + at) for at in range(len(groups))]
        tasks |= {
            key: (unless_wrong, merge, group) for key, group in zip(level, groups, strict=True)
        }
    return Tree(tasks, level, names, "Judging")


def judge(leaf: _Leaf, packed: bytes, number: int, name: str, source: Any) -> Judged | Wrong:
    """Judge a classifier by a partition."""
    work = partial(_judged, leaf, packed, number, name, source)
    found = tried(work, leaf.tries, name, bool(leaf.topic))
    tell(leaf.topic, found if isinstance(found, Wrong) else found.note)
    return found


def _judged(leaf: _Leaf, packed: bytes, number: int, name: str, source: Any) -> Judged:
    reader = PartReader(leaf.columns, leaf.on_error, name)
    n_documents = 0

    def batches() -> Iterator[Batch]:
        nonlocal n_documents
        for batch in batches_in(reader, leaf.kind, source, leaf.columns):
            n_documents += len(batch)
            yield batch

    found = judged(packed, batches())
    skipped = Skipped(reader.skipped.count, [f"{name}, {each}" for each in reader.skipped.messages])
    return Judged(found, skipped, Note(number, n_documents, peak_memory=peak_memory()))


def merge(parts: Sequence[Judged]) -> Judged:
    """Add up what was found."""
    skipped = Skipped()
    for part in parts:
        skipped += part.skipped
    return Judged(
        merged(part.packed for part in parts), skipped, Note(-1, peak_memory=peak_memory())
    )

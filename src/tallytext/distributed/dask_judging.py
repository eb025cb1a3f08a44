"""How well a classifier does on documents that Dask has."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from typing import Any, NamedTuple
from uuid import uuid4

from tallytext.classifier import TextClassifier
from tallytext.datasets.batch import Batch, Skipped
from tallytext.datasets.columns import Columns
from tallytext.distributed.answering import expect_classifier, model_bytes
from tallytext.distributed.dask_graphs import Tree
from tallytext.distributed.dask_running import client_or_get, computed, sent
from tallytext.distributed.dask_sources import Partitions, partitions_of
from tallytext.distributed.dask_tasks import Wrong, batches_in, tell, tried, unless_wrong
from tallytext.distributed.job import OnError, expect_count
from tallytext.distributed.judging import expect_labels, judged, merged, report_of, warn_of_skipped
from tallytext.distributed.part_reading import PartReader
from tallytext.distributed.watching import Note
from tallytext.evaluation import EvaluationReport
from tallytext.memory import peak_memory

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
    expect_classifier(model)
    expect_labels(labels, on_error)
    expect_count("retries", retries, 0)
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

"""Counting, prediction and evaluation of documents with Dask."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import pyarrow as pa

from tallytext.classifier.classifier import TextClassifier
from tallytext.classifier.training import SAMPLE_SIZE
from tallytext.distributed.counting import count_partition
from tallytext.distributed.dask_cluster import (
    DaskRun,
    compute_graph,
    find_scheduler,
    share_bytes,
)
from tallytext.distributed.dask_tasks import (
    collection_kind,
    counting_graph,
    dask_module,
    evaluation_graph,
    frame_texts,
    list_partitions,
)
from tallytext.distributed.options import (
    CountingOptions,
    EvaluationOptions,
    OnError,
    PredictionOptions,
    check_new_columns,
)
from tallytext.distributed.partial_tally import gather_tally
from tallytext.distributed.prediction import (
    check_classifier,
    evaluation_report,
    model_bytes,
    predict_columns,
    prediction_fields,
    warn_of_skipped,
)
from tallytext.errors import InputError
from tallytext.evaluation.report import EvaluationReport
from tallytext.io.batches import Columns
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
    sample: int = SAMPLE_SIZE,
    max_terms: int | None = None,
    shards: int | None = None,
    fan_in: int = 8,
    retries: int = 2,
    client: Any = None,
    verbose: bool | None = None,
) -> GatheredTally:
    """Count documents with Dask; the tally is bit-identical to that of one machine.

    Workers count the partitions where they are, and only counts are sent and merged. The result
    does not depend on the partitions, on the order of tasks, or on workers that fail on the way.

    Parameters
    ----------
    source : dask.dataframe.DataFrame, dask.bag.Bag or Files
        The documents. Of a DataFrame, only the columns named here are read. A Bag has pairs of text
        and label (and weight), or mappings with these names, or plain strings if there are no
        labels.
    text : str, default="text"
        The column of the documents.
    labels : str or None, default="label"
        The column of their labels: strings, numbers, or lists of them; ``[]`` for an unlabelled
        document. None if no document has a label.
    weights : str or None, default=None
        The column of their weights, for planes that are weighted.
    label_separator : str or None, default=None
        Splits strings into lists of labels: with ``";"``, ``"a; b"`` is two labels.
    vectorizer : TextVectorizer, default=None
        Settings that turn texts into terms. It must have no limits on document frequency.
    planes : iterable of Plane, default=()
        Fractional counts to add up besides the integer counts.
    on_error : {"fail", "skip"}, default="fail"
        Treatment of a row that cannot be read, for instance since its text or label is null: raise
        an error, or skip the row and count it in ``origin.n_skipped``.
    sample : int, default=4096
        Number of documents to sample into ``origin``, on which models are evaluated.
    max_terms : int or None, default=None
        Approximate number of terms to count: the rarest are dropped at each merge, and
        ``origin.dropped`` bounds the error of every count. None is exact.
    shards : int or None, default=None
        Number of shards into which tallies are split by terms, to be merged in parallel; by
        default more for more partitions.
    fan_in : int, default=8
        Number of tallies that one task merges.
    retries : int, default=2
        How often a failed task is retried.
    client : distributed.Client, default=None
        The cluster; by default the current client, or else the scheduler that Dask is configured
        for: threads, processes, or synchronous.
    verbose : bool or None, default=None
        Whether to show progress and the memory use of workers on standard error. None: if it is a
        terminal and the work takes longer than a second or two.

    Returns
    -------
    GatheredTally
        A tally from which :meth:`tallytext.TextClassifier.from_tally` makes a classifier.

    Raises
    ------
    InputError
        If a row cannot be read, with the number of its partition.
    FileError
        If a column is missing or does not hold text, or a file cannot be read.
    EngineError
        If the cluster is lost, workers die repeatedly, a partition fails after all retries, or Dask
        is not installed.

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
    options = CountingOptions.from_arguments(
        text=text,
        labels=labels,
        weights=weights,
        label_separator=label_separator,
        vectorizer=vectorizer,
        planes=planes,
        on_error=on_error,
        sample=sample,
        max_terms=max_terms,
        shards=shards,
        fan_in=fan_in,
    )
    partitions = list_partitions(source, options.columns)
    options = options.for_partitions(len(partitions))
    run = DaskRun.start(client, partitions.default_get, retries, verbose)
    if not partitions:
        return gather_tally(count_partition(options, "no partition", []), options)
    graph = counting_graph(partitions, options, run.tries, run.topic)
    return gather_tally(compute_graph(run, graph), options)


def dask_predict(
    source: Any,
    model: TextClassifier,
    *,
    text: str = "text",
    min_confidence: float | None = None,
    into: tuple[str, str] = ("label", "probability"),
    client: Any = None,
) -> Any:
    """Add the predicted label and its probability to documents, with Dask.

    Nothing is computed until Dask computes the result, partition by partition: it can be written to
    Parquet without ever being in one place. Each worker gets the classifier once.

    Parameters
    ----------
    source : dask.dataframe.DataFrame or dask.bag.Bag
        The documents. A Bag has strings, tuples that begin with a text, or mappings.
    model : TextClassifier
        A fitted classifier.
    text : str, default="text"
        The column of the documents. Missing texts get no label.
    min_confidence : float or None, default=None
        Predict no label instead of one below this probability.
    into : tuple of two str, default=("label", "probability")
        Names of the new columns.
    client : distributed.Client, default=None
        The cluster that will compute the result, if it is not the current one.

    Returns
    -------
    dask.dataframe.DataFrame or dask.bag.Bag
        The DataFrame with two more columns, which hold lists if the classifier is multi-label; or a
        Bag of dicts.

    Raises
    ------
    InputError
        If columns of these names exist already, or the source is of another kind.
    ScoreError
        If ``min_confidence`` is not a probability.
    FileError
        If the column is missing, or the classifier cannot be sent.

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
    options = PredictionOptions(text, min_confidence, into)
    kind = collection_kind(source)
    if kind is None:
        raise InputError(
            f"dask_predict reads a Dask DataFrame or a Bag, not {type(source).__name__}: use "
            "dask.dataframe.read_parquet, or tally predict --engine dask."
        )
    if kind == "rows":
        return source.map_partitions(_predict_rows, _delay_model(model, client), options=options)
    Columns(text, None).positions(list(source.columns), "the DataFrame")
    check_new_columns(into, source.columns, "the DataFrame")
    columns = [pa.array([], field.type) for field in prediction_fields(model)]
    # Dask needs the types of the result before anything is computed.
    meta = _add_columns(source._meta, columns, into)
    packed = _delay_model(model, client)
    return source.map_partitions(_predict_frame, packed, options=options, meta=meta)


def _delay_model(model: TextClassifier, client: Any) -> Any:
    """Return the classifier as one task of a graph, so that each worker gets it once."""
    packed = model_bytes(model)
    client, _ = find_scheduler(client)
    return dask_module("dask").delayed(share_bytes(client, packed), pure=True)


def _predict_frame(frame: Any, packed: bytes, options: PredictionOptions) -> Any:
    texts = frame_texts(frame, options.text)
    columns = predict_columns(packed, texts, min_confidence=options.min_confidence)
    return _add_columns(frame, columns, options.into)


def _add_columns(frame: Any, columns: Iterable[Any], names: tuple[str, str]) -> Any:
    """Return a pandas DataFrame with more columns."""
    pandas = dask_module("pandas")
    # Shallow, because Dask may use the partition again, and only columns are added.
    wide = frame.copy(deep=False)
    for name, column in zip(names, columns, strict=True):
        # Arrow types, because NumPy's would turn integer labels with missing values into floats.
        kind = pandas.ArrowDtype(column.type)
        wide[name] = pandas.Series(pandas.array(column, dtype=kind), index=frame.index)
    return wide


def _predict_rows(
    rows: Iterable[Any], packed: bytes, options: PredictionOptions
) -> list[dict[str, Any]]:
    documents = [_as_mapping(row, options) for row in rows]
    texts = [document[options.text] for document in documents]
    columns = predict_columns(packed, texts, min_confidence=options.min_confidence)
    predictions = zip(*(column.to_pylist() for column in columns), strict=True)
    # A list and no iterator, since Dask may read a partition more than once.
    return [
        document | dict(zip(options.into, prediction, strict=True))
        for document, prediction in zip(documents, predictions, strict=True)
    ]


def _as_mapping(row: Any, options: PredictionOptions) -> dict[str, Any]:
    first = row[0] if isinstance(row, tuple | list) and row else row
    document = dict(row) if isinstance(row, Mapping) else {options.text: first}
    if options.text not in document:
        raise InputError(f"a row has no {options.text!r}, but {', '.join(map(str, row))}.")
    check_new_columns(options.into, document, "a row")
    return document


def dask_evaluate(
    source: Any,
    model: TextClassifier,
    *,
    text: str = "text",
    labels: str = "label",
    label_separator: str | None = None,
    on_error: OnError = "fail",
    ranking: bool = False,
    retries: int = 2,
    client: Any = None,
    verbose: bool | None = None,
) -> EvaluationReport:
    """Evaluate a classifier with Dask, on labelled documents that it was not trained on.

    Workers evaluate the partitions where they are, and their evaluations add up exactly: the report
    equals that of one machine, for any partitions.

    Parameters
    ----------
    source : dask.dataframe.DataFrame, dask.bag.Bag or Files
        The documents, as for :func:`dask_tally`.
    model : TextClassifier
        A fitted classifier.
    text, labels : str
        The columns of the documents and of their labels.
    label_separator : str or None, default=None
        Splits strings into lists of labels.
    on_error : {"fail", "skip"}, default="fail"
        Treatment of a row that cannot be read: raise an error, or skip it; a warning gives the
        number of skipped rows.
    ranking : bool, default=False
        True to measure average precision and break-even point, too.
    retries : int, default=2
        How often a failed task is retried.
    client : distributed.Client, default=None
        The cluster, as for :func:`dask_tally`.
    verbose : bool or None, default=None
        Whether to show progress, as for :func:`dask_tally`.

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
    options = EvaluationOptions.from_arguments(text, labels, label_separator, on_error, ranking)
    partitions = list_partitions(source, options.columns)
    run = DaskRun.start(client, partitions.default_get, retries, verbose)
    if not partitions:
        return evaluation_report([])
    packed = share_bytes(run.client, model_bytes(model))
    graph = evaluation_graph(partitions, options, packed, run.tries, run.topic)
    (result,) = compute_graph(run, graph)
    warn_of_skipped(result.skipped.count, next(iter(result.skipped.messages), None))
    return evaluation_report([result.packed])

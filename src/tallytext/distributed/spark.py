"""Counting, prediction and evaluation of documents with Spark."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import closing
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from tallytext.classifier.training import SAMPLE_SIZE
from tallytext.distributed.counting import count_partition
from tallytext.distributed.files import Files, Split
from tallytext.distributed.options import (
    CountingOptions,
    EvaluationOptions,
    OnError,
    PredictionOptions,
    check_new_columns,
)
from tallytext.distributed.partial_tally import gather_tally
from tallytext.distributed.prediction import (
    evaluation_report,
    model_bytes,
    prediction_fields,
    warn_of_skipped,
)
from tallytext.distributed.spark_session import (
    JobGroup,
    live_session,
    map_batches,
    map_groups,
    n_shuffle_partitions,
    number_splits,
    require_spark,
    run_jobs,
    stored_on_disk,
)
from tallytext.distributed.spark_tasks import (
    BLOCK_SCHEMA,
    EVALUATION_SCHEMA,
    RESULT_SCHEMA,
    call_on_splits,
    count_partitions,
    evaluate_partitions,
    merge_blocks,
    predict_rows,
    predict_splits,
)
from tallytext.errors import FileError, InputError
from tallytext.io.batches import Columns
from tallytext.io.parquet import check_column_types

if TYPE_CHECKING:
    from tallytext.classifier.classifier import TextClassifier
    from tallytext.evaluation.report import EvaluationReport
    from tallytext.tally.gathered import GatheredTally
    from tallytext.tally.planes import Plane
    from tallytext.text.vectorizer import TextVectorizer

_SOURCE = "the DataFrame"


def spark_tally(
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
    session: Any = None,
    verbose: bool | None = None,
) -> GatheredTally:
    """Count documents with Spark; the tally equals that of one machine.

    Each partition is counted where it is, as Arrow batches, in memory that does not grow with the
    number of its rows. Its tally is split into shards by terms. The tallies of each shard are
    merged, some at a time, until one is left, and all shards together make the tally. Only counts
    and a sample leave a worker, and the sum does not depend on partitions, order or retried tasks.

    Parameters
    ----------
    source : pyspark.sql.DataFrame or Files
        The documents.
    text : str, default="text"
        The column of the texts.
    labels : str or None, default="label"
        The column of their labels: strings, numbers, booleans, or arrays of them; None to count
        documents without labels.
    weights : str, default=None
        The column of their weights, for a :class:`~tallytext.Plane` that is weighted.
    label_separator : str, default=None
        Splits strings into lists of labels: with ``";"``, ``"a; b"`` is two labels.
    vectorizer : TextVectorizer, default=None
        Settings that turn texts into terms; None for the defaults.
    planes : iterable of Plane, default=()
        Fractional counts to add up besides the integer counts.
    on_error : {"fail", "skip"}, default="fail"
        Treatment of a row that cannot be read, for instance one without a text: raise an error, or
        skip the row and count it in ``origin.n_skipped``.
    sample : int, default=4096
        Number of documents to sample, on which models are evaluated.
    max_terms : int, default=None
        Approximate number of terms to count: the rarest are dropped when there are more, and
        ``origin.dropped`` bounds the error of every count. None is exact.
    shards : int, default=None
        Number of shards into which tallies are split; None to derive it from the number of shuffle
        partitions, or of files.
    fan_in : int, default=8
        Number of tallies that one task merges.
    session : pyspark.sql.SparkSession, default=None
        The session that reads files; None for the active one. A DataFrame has its own.
    verbose : bool, default=None
        Whether to show progress; None: if standard error is a terminal, and Spark itself shows
        none.

    Returns
    -------
    GatheredTally
        A tally from which :meth:`tallytext.TextClassifier.from_tally` makes a classifier.

    Raises
    ------
    InputError
        If a row cannot be read and ``on_error`` is "fail", or the source is of another kind.
    FileError
        If a column is missing, or does not hold texts or labels, or a file cannot be read.
    EngineError
        If Spark is missing, the session is lost, or a partition fails after all retries.

    Examples
    --------
    With a DataFrame that has the columns ``body`` and ``topic``::

        from pyspark.sql import SparkSession
        from tallytext import TextClassifier
        from tallytext.distributed import spark_tally

        spark = SparkSession.builder.getOrCreate()
        tally = spark_tally(spark.read.parquet("mails"), text="body", labels="topic")
        classifier = TextClassifier.from_tally(tally)
    """
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
    session = _source_session(source, session)
    with run_jobs(session, verbose) as jobs:
        frame, splits = _input_frame(session, source, options.columns)
        # The number of partitions of a DataFrame is unknown until Spark plans the query.
        n_parts = n_shuffle_partitions(session) if splits is None else len(splits)
        options = options.for_partitions(n_parts)
        count = count_partitions(options.pack(), splits, jobs.memory)
        blocks = map_batches(frame, count, BLOCK_SCHEMA)
        return gather_tally(_merge(blocks, options, jobs), options)


def _merge(blocks: Any, options: CountingOptions, jobs: JobGroup) -> list[bytes]:
    """Merge the tallies of partitions level by level; return one block for each shard, in order."""
    # Stored, since the number of levels depends on the number of partitions with documents.
    with stored_on_disk(blocks) as level:
        # Numbers have gaps, since an empty partition gives no block: the largest one counts.
        last = jobs.run("counting", level.agg({"part": "max"}).collect)[0][0]
        if last is None:
            return count_partition(options.with_shards(1), "no partition", [])
        n_parts, is_last = last + 1, False
        # One job for Spark, with a shuffle per level. There is at least one level, since the last
        # one also cuts blocks into chunks for the driver.
        while not is_last:
            n_parts = -(-n_parts // options.fan_in)
            is_last = n_parts == 1
            level = _merge_level(level, n_parts, options, jobs)
        return _join_chunks(jobs.rows("merging", level))


def _merge_level(blocks: Any, n_parts: int, options: CountingOptions, jobs: JobGroup) -> Any:
    n_groups = n_parts * options.n_shards
    # Twice as many shuffle partitions as groups, since a hash assigns groups to them. With a given
    # number, Spark does not coalesce small partitions, whose groups would be merged one by one.
    limit = max(n_shuffle_partitions(jobs.session), 2 * options.n_shards)
    group = f"cast(part div {options.fan_in} as int) as part"
    keys = ("shard", "part")
    keyed = blocks.selectExpr(group, "shard", "block").repartition(min(2 * n_groups, limit), *keys)
    merge = merge_blocks(options.pack(), n_parts == 1, jobs.memory)
    return map_groups(keyed, keys, merge, BLOCK_SCHEMA)


def _join_chunks(rows: Iterable[Any]) -> list[bytes]:
    """Return the block of each shard, in order, from rows with its chunks."""
    shards: dict[int, dict[int, bytes]] = {}
    for row in rows:
        shards.setdefault(row.shard, {})[row.part] = bytes(row.block)
    blocks = []
    for shard in sorted(shards):
        chunks = shards.pop(shard)  # popped, so that chunks are freed once they are joined
        blocks.append(b"".join(chunks[at] for at in sorted(chunks)))
    return blocks


def spark_predict(
    source: Any,
    model: TextClassifier,
    *,
    text: str = "text",
    min_confidence: float | None = None,
    into: tuple[str, str] = ("label", "probability"),
    session: Any = None,
) -> Any:
    """Add the predicted label and its probability to documents, with Spark.

    Parameters
    ----------
    source : pyspark.sql.DataFrame or Files
        The documents.
    model : TextClassifier
        A fitted classifier.
    text : str, default="text"
        The column of the texts. Null texts get null.
    min_confidence : float, default=None
        Predict null instead of a label below this probability.
    into : pair of str, default=("label", "probability")
        Names of the new columns. If the classifier is multi-label they hold arrays, the most
        probable label first.
    session : pyspark.sql.SparkSession, default=None
        The session that reads files; None for the active one. A DataFrame has its own.

    Returns
    -------
    pyspark.sql.DataFrame
        The columns of the source and the two new ones; for files, the texts and the two new ones.
        As usual with Spark, it is computed when its rows are used.

    Raises
    ------
    InputError
        If the source has a column of such a name, or one that cannot be sent to Python; or if
        ``into`` is not a pair of names.
    ScoreError
        If ``min_confidence`` is not a probability.

    Examples
    --------
    With a DataFrame that has the column ``body``::

        answers = spark_predict(spark.read.parquet("mails"), classifier, text="body")
        answers.write.parquet("answers")
    """
    packed = model_bytes(model)
    options = PredictionOptions(text, min_confidence, into)
    session = _source_session(source, session)
    if isinstance(source, Files):
        numbers, splits = number_splits(session, source.splits())
        predict = predict_splits(packed, options, splits)
        return map_batches(numbers, predict, _prediction_schema([], model, (text, *into)))
    _check_columns(source, Columns(text, None))
    for field in source.schema.fields:
        _check_field(field)
    schema = _prediction_schema(source.schema.fields, model, into)
    return map_batches(source, predict_rows(packed, options), schema)


def _prediction_schema(fields: list[Any], model: TextClassifier, names: tuple[str, ...]) -> Any:
    """Return the schema of predictions; the last two columns are the label and probability."""
    from pyspark.sql.pandas.types import from_arrow_type
    from pyspark.sql.types import StringType, StructField, StructType

    existing = [field.name for field in fields]
    # Spark compares names without case by default.
    check_new_columns(names, existing, _SOURCE if fields else "the output", key=str.lower)
    types = [StringType(), *(from_arrow_type(field.type) for field in prediction_fields(model))]
    new = [StructField(*pair) for pair in zip(names, types[-len(names) :], strict=True)]
    return StructType([*fields, *new])


def spark_evaluate(
    source: Any,
    model: TextClassifier,
    *,
    text: str = "text",
    labels: str = "label",
    label_separator: str | None = None,
    on_error: OnError = "fail",
    ranking: bool = False,
    session: Any = None,
    verbose: bool | None = None,
) -> EvaluationReport:
    """Evaluate a classifier with Spark, on labelled documents that it was not trained on.

    Workers evaluate the partitions where they are, and their evaluations add up exactly: the report
    equals that of one machine exactly.

    Parameters
    ----------
    source : pyspark.sql.DataFrame or Files
        The documents.
    model : TextClassifier
        A fitted classifier.
    text, labels : str, default="text" and "label"
        The columns of the texts and of their labels.
    label_separator : str, default=None
        Splits strings into lists of labels: with ``";"``, ``"a; b"`` is two labels.
    on_error : {"fail", "skip"}, default="fail"
        Treatment of a row that cannot be read: raise an error, or skip it; a warning gives the
        number of skipped rows.
    ranking : bool, default=False
        True to measure average precision and break-even point, too.
    session : pyspark.sql.SparkSession, default=None
        The session that reads files; None for the active one. A DataFrame has its own.
    verbose : bool, default=None
        Whether to show progress; None: if standard error is a terminal, and Spark itself shows
        none.

    Raises
    ------
    InputError
        If a row cannot be read and ``on_error`` is "fail".
    EngineError
        If the session is lost, or a partition fails after all retries.

    Examples
    --------
    With a DataFrame that has the columns ``body`` and ``topic``::

        report = spark_evaluate(test, classifier, text="body", labels="topic")
        print(report)
    """
    options = EvaluationOptions.from_arguments(text, labels, label_separator, on_error, ranking)
    packed, n_skipped = model_bytes(model), 0
    session = _source_session(source, session)

    def evaluations(rows: Iterable[Any]) -> Iterator[bytes]:
        nonlocal n_skipped
        for row in rows:
            n_skipped += row.n_skipped
            yield bytes(row.evaluation)

    with run_jobs(session, verbose) as jobs:
        frame, splits = _input_frame(session, source, options.columns)
        evaluate = evaluate_partitions(packed, options, splits)
        rows = jobs.rows("evaluating", map_batches(frame, evaluate, EVALUATION_SCHEMA))
        report = evaluation_report(evaluations(rows))
    warn_of_skipped(n_skipped)
    return report


def map_splits(
    function: Callable[[Split, bytes], bytes],
    splits: Sequence[Split],
    shared: bytes,
    *,
    session: Any = None,
    verbose: bool | None = None,
) -> Iterator[bytes]:
    """Yield the result of a function for each split, in order.

    All results are computed first, in parallel, and stored on the disks of workers. So the first
    one arrives late, but the driver holds one at a time.

    Parameters
    ----------
    function : callable
        Gets a split and the shared bytes. It must be importable by workers.
    splits : sequence of Split
    shared : bytes
        The second argument of the function.
    session : pyspark.sql.SparkSession, default=None
        None for the active one.
    verbose : bool or None, default=None
        Whether to show progress; None: if standard error is a terminal.
    """
    session = live_session(session)
    if not splits:
        return
    with run_jobs(session, verbose) as jobs:
        numbers, listed = number_splits(session, splits)
        results = map_batches(numbers, call_on_splits(function, listed, shared), RESULT_SCHEMA)
        # A consumer may stop early; closing removes the results from the disks of workers.
        with closing(jobs.rows("working", results)) as rows:
            for row in rows:
                yield bytes(row.result)


def _source_session(source: Any, session: Any) -> Any:
    """Return the session of a DataFrame, or the session that is to read files.

    Raises
    ------
    InputError
        If the source is neither a DataFrame nor files.
    """
    if isinstance(source, Files):
        return live_session(session)
    require_spark()
    from pyspark.sql import DataFrame

    if not isinstance(source, DataFrame):
        kind = f"{type(source).__module__}.{type(source).__qualname__}"
        raise InputError(f"documents must be a Spark DataFrame or Files, not {kind}.")
    return live_session(source.sparkSession)


def _input_frame(session: Any, source: Any, columns: Columns) -> tuple[Any, list[str] | None]:
    """Return the input of a task: documents, or numbers of splits and the splits as JSON.

    Raises
    ------
    FileError
        If a column is missing, or does not hold texts or labels.
    InputError
        If Spark cannot send a column to Python, or the DataFrame is a stream.
    """
    if isinstance(source, Files):
        return number_splits(session, source.splits())
    if source.isStreaming:
        raise InputError("a stream has no end: count each of its batches on its own.")
    columns.positions(source.columns, _SOURCE)
    source = _with_string_labels(source, columns.label)
    _check_columns(source, columns)
    return source.select(*dict.fromkeys(columns.names)), None


def _with_string_labels(frame: Any, label: str | None) -> Any:
    """Return a DataFrame with arrays of strings as labels, if all arrays of labels are empty."""
    from pyspark.sql.types import ArrayType, NullType

    if label is None or "`" in label:
        return frame
    kind = frame.schema[label].dataType
    if not (isinstance(kind, ArrayType) and isinstance(kind.elementType, NullType)):
        return frame
    return frame.withColumn(label, frame[f"`{label}`"].cast("array<string>"))


def _check_columns(frame: Any, columns: Columns) -> None:
    """Raise an error if a DataFrame lacks columns, or has them with wrong types."""
    columns.positions(frame.columns, _SOURCE)
    fields = [frame.schema[name] for name in dict.fromkeys(columns.names)]
    for field in fields:
        _check_field(field)
    check_column_types(pa.schema([_arrow_field(field) for field in fields]), columns, _SOURCE)


def _check_field(field: Any) -> None:
    """Raise InputError if Spark cannot send a column to Python, or not under its name."""
    from pyspark.sql.types import UserDefinedType

    if isinstance(field.dataType, UserDefinedType):
        raise InputError(
            f"column {field.name!r} of {_SOURCE} has a user-defined type, "
            f"{type(field.dataType).__name__}: select its content as text or numbers."
        )
    if defect := _name_defect(field.name):
        raise InputError(
            f"column {field.name!r} of {_SOURCE} has {defect}: rename it with withColumnRenamed."
        )


def _name_defect(name: str) -> str | None:
    # Spark does not quote names when it sends columns to Python.
    if name == "*":
        return "a star for a name, which Spark reads as all columns"
    if "." in name:
        return "a dot in its name, which Spark reads as a field of a struct"
    return "a backtick in its name, which Spark reads as a quote" if "`" in name else None


def _arrow_field(field: Any) -> Any:
    from pyspark.sql.pandas.types import to_arrow_schema
    from pyspark.sql.types import StructType

    try:
        return to_arrow_schema(StructType([field])).field(0)
    except Exception:  # of many kinds, which do not name the column
        kind = field.dataType.simpleString()
        raise FileError(
            f"column {field.name!r} of {_SOURCE} holds {kind}, which is neither text nor a label "
            "nor a weight: cast it, for instance to string."
        ) from None

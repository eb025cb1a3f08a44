"""Tallies counted by Spark."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import closing, contextmanager
from tempfile import TemporaryFile
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from tallytext.classifier.classifier import check_probability
from tallytext.classifier.training import SAMPLE
from tallytext.distributed.counting import PartCounter
from tallytext.distributed.job import Files, Job, OnError, Split, check_count
from tallytext.distributed.part import gathered, n_shards_for
from tallytext.distributed.predicting import (
    answer_fields,
    check_labels,
    check_names,
    model_bytes,
    report_of,
    warn_of_skipped,
)
from tallytext.distributed.spark_session import (
    begun,
    check_master,
    context_of,
    failures_told,
    grouped,
    kept,
    mapped,
    numbers_of,
    running,
)
from tallytext.distributed.spark_tasks import (
    JUDGED,
    PIECES,
    answering_rows,
    answering_splits,
    counting_rows,
    counting_splits,
    judging_rows,
    judging_splits,
    merging,
    numbers_in,
)
from tallytext.errors import EngineError, FileError, InputError
from tallytext.io.batches import Columns
from tallytext.io.parquet import check_types

if TYPE_CHECKING:
    from tallytext.classifier.classifier import TextClassifier
    from tallytext.distributed.spark_session import Work
    from tallytext.evaluation.report import EvaluationReport
    from tallytext.tally.gathered import GatheredTally
    from tallytext.tally.planes import Plane
    from tallytext.text.vectorizer import TextVectorizer


# ------------------------------------------------------------------------------------------------
# Sessions of Spark, and functions of files that are run in them.

_RESULTS = "number long, result binary"
_QUIET: dict[str, Any] = {"spark.ui.enabled": "false", "spark.ui.showConsoleProgress": "false"}


def needed_spark() -> None:
    """See that Spark is there.

    Raises
    ------
    EngineError
        If it is not installed.
    """
    try:
        import pyspark  # noqa: F401, I001 - what is most likely missing first
        import pandas  # noqa: F401 - without it, Spark sends no Arrow batch to Python
    except ImportError as problem:
        raise EngineError(
            f"this needs Spark, but there is no {problem.name}: install it with "
            "pip install 'tallytext[spark]' (in a clone of the sources, '.[spark]'). Spark runs on "
            "Java."
        ) from None


def chosen_session(session: Any = None) -> Any:
    """Return a session that is alive: the one given, or the active one.

    Raises
    ------
    EngineError
        If there is none.
    """
    needed_spark()
    from pyspark.sql import SparkSession

    found = SparkSession.getActiveSession() if session is None else session
    if found is None:
        raise EngineError(
            "there is no Spark session: make one with SparkSession.builder.getOrCreate(), "
            "or give one as session=."
        )
    context = context_of(found)
    if context is not None and context._jsc is None:
        raise EngineError("the Spark session was stopped: make a new one, and read the data again.")
    return found


def n_shuffled(session: Any) -> int:
    """Return into how many partitions Spark shuffles, as the session is configured."""
    return int(session.conf.get("spark.sql.shuffle.partitions", "200"))


def spark_session(master: str | None = None) -> Any:
    """Make a session that says no more than it must.

    Parameters
    ----------
    master : str, default=None
        Such as ``"local[4]"``, ``"spark://host:7077"``, ``"yarn"``, or ``"sc://host"`` for Spark
        Connect; None for what Spark is configured for, which is this machine by default.

    Raises
    ------
    EngineError
        If Spark or Java is missing, or there is nobody at the address.
    """
    needed_spark()
    from pyspark.sql import SparkSession

    builder = SparkSession.builder.appName("tallytext")
    if master is not None:
        is_remote = master.startswith("sc://")
        builder = builder.remote(master) if is_remote else builder.master(master)
    check_master(master)
    if (master or "local").startswith("local"):
        os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
        builder = builder.config(map=_QUIET)
    with begun(master), _silent():
        return builder.getOrCreate()


def mapped_splits(
    function: Callable[[Split, bytes], bytes],
    splits: Sequence[Split],
    shared: bytes,
    *,
    session: Any = None,
    verbose: bool | None = None,
) -> Iterator[bytes]:
    """Yield what a function makes of each split, in order.

    All of the work is done first, by all at once, and kept on their disks. So the first result
    comes late, but here there is one in memory at a time.

    Parameters
    ----------
    function : callable
        Of a module that workers can import.
    splits : sequence of Split
    shared : bytes
        Its second argument.
    session : pyspark.sql.SparkSession, default=None
        None for the active one.
    verbose : bool or None, default=None
        Whether to show progress; None: if standard error is a terminal.
    """
    session = chosen_session(session)
    if not splits:
        return
    with running(session, verbose) as work:
        numbers, spelt = numbers_of(session, splits)
        results = mapped(numbers, _on_splits(function, spelt, shared), _RESULTS)
        with closing(work.rows("working", results)) as rows:
            for row in rows:
                yield bytes(row.result)


def _on_splits(
    function: Callable[[Split, bytes], bytes], splits: Sequence[str], shared: bytes
) -> Callable[[Iterator[Any]], Iterator[Any]]:
    def run(batches: Iterator[Any]) -> Iterator[Any]:
        for number in numbers_in(batches):
            split = Split(**json.loads(splits[number]))
            with failures_told(str(split)):
                result = function(split, shared)
            columns = [pa.array([number]), pa.array([result], pa.binary())]
            yield pa.record_batch(columns, ["number", "result"])

    return run


@contextmanager
def _silent() -> Iterator[None]:
    """Let a new Java process write to nowhere: it keeps what is standard error when it begins."""
    sys.stderr.flush()
    with TemporaryFile() as nowhere:
        before = os.dup(2)
        os.dup2(nowhere.fileno(), 2)
        try:
            yield
        finally:
            os.dup2(before, 2)
            os.close(before)


# ------------------------------------------------------------------------------------------------
# Where Spark's documents come from: a DataFrame, or files that its workers read.

_NAME = "the DataFrame"


def is_files(source: object) -> bool:
    """Whether a source is files; if it is no DataFrame either, say so.

    Raises
    ------
    InputError
        If the source is neither.
    """
    if isinstance(source, Files):
        return True
    needed_spark()
    from pyspark.sql import DataFrame

    if not isinstance(source, DataFrame):
        kind = f"{type(source).__module__}.{type(source).__qualname__}"
        raise InputError(f"documents must be a Spark DataFrame or Files, not {kind}.")
    return False


def session_of(source: Any, session: Any) -> Any:
    """Return the session that a source belongs to, or is to be read by."""
    return chosen_session(session if isinstance(source, Files) else source.sparkSession)


def rows_of(frame: Any, columns: Columns) -> Any:
    """Return a DataFrame of the wanted columns only.

    Raises
    ------
    FileError
        If a column is missing, or holds no text or no labels.
    InputError
        If it is of a type that Spark cannot send to Python as it is, or the rows never end.
    """
    if frame.isStreaming:
        raise InputError("a DataFrame of a stream has no end: count what each batch brings.")
    columns.find(frame.columns, _NAME)
    frame = _with_typed_labels(frame, columns.label)
    check_columns(frame, columns)
    return frame.select(*dict.fromkeys(columns.names))


def check_columns(frame: Any, columns: Columns) -> None:
    """Refuse a DataFrame that lacks columns, or has them of the wrong types."""
    columns.find(frame.columns, _NAME)
    fields = [frame.schema[name] for name in dict.fromkeys(columns.names)]
    for field in fields:
        check_field(field)
    check_types(pa.schema([_arrow_field(field) for field in fields]), columns, _NAME)


def _arrow_field(field: Any) -> Any:
    from pyspark.sql.pandas.types import to_arrow_schema
    from pyspark.sql.types import StructType

    try:
        return to_arrow_schema(StructType([field])).field(0)
    except Exception:  # of many kinds, and without a word on the column
        kind = field.dataType.simpleString()
        raise FileError(
            f"column {field.name!r} of {_NAME} holds {kind}, which is neither text nor a label nor "
            "a weight: cast it to string, for instance."
        ) from None


def _with_typed_labels(frame: Any, label: str | None) -> Any:
    """Return a DataFrame whose arrays of labels, if all are empty, are such of strings."""
    from pyspark.sql.types import ArrayType, NullType

    if label is None or "`" in label:
        return frame
    kind = frame.schema[label].dataType
    if not (isinstance(kind, ArrayType) and isinstance(kind.elementType, NullType)):
        return frame
    return frame.withColumn(label, frame[f"`{label}`"].cast("array<string>"))


def check_field(field: Any) -> None:
    """Refuse a column that Spark cannot send to Python, or not under its name.

    Raises
    ------
    InputError
        With what to do about it.
    """
    from pyspark.sql.types import UserDefinedType

    if isinstance(field.dataType, UserDefinedType):
        raise InputError(
            f"column {field.name!r} of {_NAME} is of a user-defined type, "
            f"{type(field.dataType).__name__}: select what it stands for, as text or numbers."
        )
    if meant := _mistaken(field.name):
        raise InputError(
            f"column {field.name!r} of {_NAME} has {meant}: give it another with withColumnRenamed."
        )


def _mistaken(name: str) -> str | None:
    """Return what Spark takes a name for, where it sends columns to Python without quotes."""
    if name == "*":
        return "a star for a name, which Spark takes for all columns"
    if "." in name:
        return "a dot in its name, which Spark takes for a field of a struct"
    return "a backtick in its name, which Spark takes for a quote" if "`" in name else None


_KEYS = ("shard", "part")


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
    sample: int = SAMPLE,
    max_terms: int | None = None,
    shards: int | None = None,
    fan_in: int = 8,
    session: Any = None,
    verbose: bool | None = None,
) -> GatheredTally:
    """Count documents with Spark: the tally is equal to that of one machine.

    Each partition is counted where it is, as Arrow batches, in memory that does not grow with the
    number of its rows. What was counted is cut into pieces by terms; pieces of the same terms are
    merged, some at a time, until one is left, and these make the tally. Nothing but pieces leaves
    a worker, and the sum does not depend on partitions, order or repeated tasks.

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
        Makes lists of labels of strings: with ``";"``, ``"a; b"`` stands for two labels.
    vectorizer : TextVectorizer, default=None
        How texts become terms; None for the usual way.
    planes : iterable of Plane, default=()
        Further counts to keep.
    on_error : {"fail", "skip"}, default="fail"
        Whether a row that cannot be read, one without a text for instance, ends the work or is
        left out, and counted.
    sample : int, default=4096
        How many documents to keep, to judge models on.
    max_terms : int, default=None
        How many terms to keep: the rarest are left out whenever there are more.
        ``origin.dropped`` says what that has cost. None keeps all.
    shards : int, default=None
        Into how many pieces tallies are cut; None for what suits the number of shuffle partitions,
        or of files.
    fan_in : int, default=8
        How many pieces are merged at a time.
    session : pyspark.sql.SparkSession, default=None
        Who reads the files; None for the active one. A DataFrame has its own.
    verbose : bool, default=None
        Whether to show progress; None: if standard error is a terminal, and Spark itself shows
        none.

    Returns
    -------
    GatheredTally
        Of which :meth:`tallytext.TextClassifier.from_tally` makes a classifier.

    Raises
    ------
    InputError
        If a row cannot be read, and rows are not to be left out; or the source is of no use.
    FileError
        If a column is not there, or holds no text or no labels, or a file cannot be read.
    EngineError
        If Spark is missing, was lost, or a partition failed as often as it was tried.

    Examples
    --------
    Of a DataFrame with the columns ``body`` and ``topic``::

        from pyspark.sql import SparkSession
        from tallytext import TextClassifier
        from tallytext.distributed import spark_tally

        spark = SparkSession.builder.getOrCreate()
        tally = spark_tally(spark.read.parquet("mails"), text="body", labels="topic")
        classifier = TextClassifier.from_tally(tally)
    """
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
    return _counted(source, job, shards, int(fan_in), session, verbose)


def _counted(
    source: Any, job: Job, shards: int | None, fan_in: int, session: Any, verbose: bool | None
) -> GatheredTally:
    from_files = is_files(source)
    session = session_of(source, session)
    splits = source.splits() if from_files else []
    with running(session, verbose) as work:
        n_parts = len(splits) if from_files else n_shuffled(session)
        job = job.in_shards(n_shards_for(n_parts, job.max_terms) if shards is None else shards)
        if from_files:
            numbers, spelt = numbers_of(session, splits)
            counts = mapped(numbers, counting_splits(job.pack(), spelt, work.memory), PIECES)
        else:
            rows = rows_of(source, job.columns)
            counts = mapped(rows, counting_rows(job.pack(), work.memory), PIECES)
        return gathered(_Tree(job, fan_in, work).pieces(counts), job)


class _Tree:
    """Merges pieces, some at a time, until there is one of each shard."""

    def __init__(self, job: Job, fan_in: int, work: Work) -> None:
        self._job, self._fan_in, self._work = job, fan_in, work

    def pieces(self, counts: Any) -> list[bytes]:
        """Return the pieces that are left, in the order of their shards."""
        # Kept, since how high the tree is depends on how many partitions there were.
        with kept(counts) as parts:
            last = self._work.done("counting", parts.agg({"part": "max"}).collect)[0][0]
            if last is None:
                return PartCounter(self._job.in_shards(1), "nothing").pack()
            return _in_order(self._work.rows("merging", self._merged(parts, last + 1)))

    def _merged(self, pieces: Any, n_parts: int) -> Any:
        """Return the pieces of the last level: one job for Spark, with a shuffle per level."""
        n_left = -(-n_parts // self._fan_in)
        pieces = self._level(pieces, n_left)
        return pieces if n_left == 1 else self._merged(pieces, n_left)

    def _level(self, pieces: Any, n_parts: int) -> Any:
        n_groups = n_parts * self._job.n_shards
        # Twice as many places as groups, since these are put into places by a hash. The number is
        # given, so that Spark does not lay small places together, to be done by one after another.
        n_places = min(2 * n_groups, max(n_shuffled(self._work.session), 2 * self._job.n_shards))
        part = f"cast(part div {self._fan_in} as int) as part"
        keyed = pieces.selectExpr(part, "shard", "piece").repartition(n_places, *_KEYS)
        merge = merging(self._job.pack(), self._fan_in, n_parts == 1, self._work.memory)
        return grouped(keyed, _KEYS, merge, PIECES)


def _in_order(rows: Iterable[Any]) -> list[bytes]:
    """Return the piece of each shard, of which rows hold chunks."""
    shards: dict[int, dict[int, bytes]] = {}
    for row in rows:
        shards.setdefault(row.shard, {})[row.part] = bytes(row.piece)
    # Chunks are let go of as soon as they are put together.
    return [_whole(shards.pop(shard)) for shard in sorted(shards)]


def _whole(chunks: dict[int, bytes]) -> bytes:
    return b"".join(chunks[at] for at in sorted(chunks))


# ------------------------------------------------------------------------------------------------
# A classifier that answers on Spark, and is judged there: it is sent once to each worker.


def spark_predict(
    source: Any,
    model: TextClassifier,
    *,
    text: str = "text",
    min_confidence: float | None = None,
    into: tuple[str, str] = ("label", "probability"),
    session: Any = None,
) -> Any:
    """Say the label of every document with Spark, and how sure the classifier is.

    Parameters
    ----------
    source : pyspark.sql.DataFrame or Files
        The documents.
    model : TextClassifier
        A fitted one.
    text : str, default="text"
        The column of the texts. A text that is null gets null for an answer.
    min_confidence : float, default=None
        Say null rather than a label less likely than this.
    into : pair of str, default=("label", "probability")
        The names of the new columns. Of a classifier with several labels they are arrays, the
        likeliest label first.
    session : pyspark.sql.SparkSession, default=None
        Who reads the files; None for the active one. A DataFrame has its own.

    Returns
    -------
    pyspark.sql.DataFrame
        The columns of the source, and the two; of files, the texts, and the two. As usual with
        Spark, the work is done when the rows are asked for.

    Raises
    ------
    InputError
        If the source has a column of such a name, or one that cannot be sent to Python; or if the
        names are not two.
    ScoreError
        If ``min_confidence`` is no probability.

    Examples
    --------
    Of a DataFrame with the column ``body``::

        answers = spark_predict(spark.read.parquet("mails"), classifier, text="body")
        answers.write.parquet("answers")
    """
    packed = model_bytes(model)
    check_names(into)
    check_probability(min_confidence)
    if is_files(source):
        numbers, splits = numbers_of(session_of(source, session), source.splits())
        answer = answering_splits(packed, splits, text, min_confidence, into)
        return mapped(numbers, answer, _schema([], model, (text, *into)))
    check_columns(source, Columns(text, None))
    for field in source.schema.fields:
        check_field(field)
    answer = answering_rows(packed, text, min_confidence, into)
    return mapped(source, answer, _schema(source.schema.fields, model, into))


def spark_evaluate(
    source: Any,
    model: TextClassifier,
    *,
    text: str = "text",
    labels: str = "label",
    label_separator: str | None = None,
    on_error: OnError = "fail",
    session: Any = None,
    verbose: bool | None = None,
) -> EvaluationReport:
    """Judge a classifier by labelled documents with Spark.

    Every partition is judged where it is, and sums are sent. The report is that of one machine, to
    the last bit.

    Parameters
    ----------
    source : pyspark.sql.DataFrame or Files
        The documents, none of which the classifier has learned.
    model : TextClassifier
        A fitted one.
    text, labels : str, default="text" and "label"
        The columns of the texts and of their labels.
    label_separator : str, default=None
        Makes lists of labels of strings: with ``";"``, ``"a; b"`` stands for two labels.
    on_error : {"fail", "skip"}, default="fail"
        Whether a row that cannot be read ends the work, or is left out. A warning says how many
        were.
    session : pyspark.sql.SparkSession, default=None
        Who reads the files; None for the active one. A DataFrame has its own.
    verbose : bool, default=None
        Whether to show progress; None: if standard error is a terminal, and Spark itself shows
        none.

    Raises
    ------
    InputError
        If a row cannot be read, and rows are not to be left out.
    EngineError
        If Spark was lost, or a partition failed as often as it was tried.

    Examples
    --------
    Of a DataFrame with the columns ``body`` and ``topic``::

        report = spark_evaluate(test, classifier, text="body", labels="topic")
        print(report)
    """
    check_labels(labels, on_error)
    packed, columns = model_bytes(model), Columns(text, labels, (), label_separator or None)
    from_files = is_files(source)
    session = session_of(source, session)
    with running(session, verbose) as work:
        if from_files:
            frame, splits = numbers_of(session, source.splits())
            judge = judging_splits(packed, splits, columns, on_error)
        else:
            frame = rows_of(source, columns)
            judge = judging_rows(packed, columns, on_error)
        found = _Found(work.rows("evaluating", mapped(frame, judge, JUDGED)))
        report = report_of(found)
    warn_of_skipped(found.n_skipped)
    return report


class _Found:
    """The sums of partitions, as they come; it counts what these have left out."""

    def __init__(self, rows: Iterator[Any]) -> None:
        self._rows, self.n_skipped = rows, 0

    def __iter__(self) -> Iterator[bytes]:
        for row in self._rows:
            self.n_skipped += row.n_skipped
            yield bytes(row.sums)


def _schema(fields: list[Any], model: TextClassifier, names: tuple[str, ...]) -> Any:
    """Return the columns of answers, the last two of which are a label and its probability."""
    from pyspark.sql.pandas.types import from_arrow_type
    from pyspark.sql.types import StringType, StructField, StructType

    kinds = [from_arrow_type(field.type) for field in answer_fields(model)]
    more = [StringType(), *kinds][-len(names) :]
    taken = {field.name.lower() for field in fields}
    for name in names:
        if name.lower() in taken:
            raise InputError(f"there is a column {name!r} already: name others with into=.")
        taken.add(name.lower())
    new = [StructField(name, kind) for name, kind in zip(names, more, strict=True)]
    return StructType([*fields, *new])

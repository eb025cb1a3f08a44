"""A classifier that answers on Spark, and is judged there: it is sent once to each worker."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from tallytext.classifier.answering import expect_probability
from tallytext.datasets.columns import Columns
from tallytext.distributed.answering import answer_fields, expect_names, model_bytes
from tallytext.distributed.job import OnError
from tallytext.distributed.judging import expect_labels, report_of, warn_of_skipped
from tallytext.distributed.spark_answers import (
    JUDGED,
    answering_rows,
    answering_splits,
    judging_rows,
    judging_splits,
)
from tallytext.distributed.spark_sources import (
    check_columns,
    check_field,
    is_files,
    rows_of,
    session_of,
)
from tallytext.distributed.spark_work import mapped, numbers_of, running
from tallytext.errors import InputError

if TYPE_CHECKING:
    from tallytext.classifier import TextClassifier
    from tallytext.evaluation import EvaluationReport


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
    expect_names(into)
    expect_probability(min_confidence)
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
    expect_labels(labels, on_error)
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

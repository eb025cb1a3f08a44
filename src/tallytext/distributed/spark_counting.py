"""Tallies counted by Spark."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from tallytext.classifier.counting import SAMPLE
from tallytext.distributed.counting import PartCounter
from tallytext.distributed.job import Job, OnError, expect_count
from tallytext.distributed.part import gathered
from tallytext.distributed.shards import n_shards_for
from tallytext.distributed.spark_running import n_shuffled
from tallytext.distributed.spark_sources import is_files, rows_of, session_of
from tallytext.distributed.spark_tasks import PIECES, counting_rows, counting_splits, merging
from tallytext.distributed.spark_work import grouped, kept, mapped, numbers_of, running

if TYPE_CHECKING:
    from tallytext.distributed.spark_work import Work
    from tallytext.planes import Plane
    from tallytext.tally import GatheredTally
    from tallytext.vectorizer import TextVectorizer

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
    expect_count("fan_in", fan_in, 2)
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

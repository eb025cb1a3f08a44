"""Tallies counted by Dask."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any
from uuid import uuid4

from tallytext.classifier.counting import SAMPLE
from tallytext.distributed.counting import counted
from tallytext.distributed.dask_graphs import tree_of
from tallytext.distributed.dask_modules import dask_module
from tallytext.distributed.dask_running import client_or_get, computed
from tallytext.distributed.dask_sources import Partitions, partitions_of
from tallytext.distributed.job import Job, OnError, expect_count
from tallytext.distributed.part import gathered
from tallytext.distributed.shards import n_shards_for
from tallytext.planes import Plane
from tallytext.tally import GatheredTally
from tallytext.vectorizer import TextVectorizer


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
    expect_count("fan_in", fan_in, 2)
    expect_count("retries", retries, 0)
    expect_count("shards", 1 if shards is None else shards, 1)
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

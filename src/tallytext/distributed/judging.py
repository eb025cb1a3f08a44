"""A classifier judged in many places: each sums up its documents, and the sums add up exactly."""

from __future__ import annotations

import warnings
from collections.abc import Iterable
from typing import Any

from tallytext.classifier.evaluating import evaluated
from tallytext.datasets.batch import Batch
from tallytext.datasets.reading import expect_on_error
from tallytext.distributed.answering import model_of
from tallytext.errors import FileError, InputError
from tallytext.evaluation import Evaluation, EvaluationReport
from tallytext.storage import pack_arrays, unpack_arrays
from tallytext.threads import at_most

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
        The classifier, from :func:`~tallytext.distributed.answering.model_bytes`.
    batches : iterable of Batch
        Documents with labels.
    """
    classifier = model_of(packed)
    with at_most(1):
        evaluation = evaluated(classifier, ((batch.texts, batch.labels) for batch in batches))
    return _packed(evaluation)


def expect_labels(labels: Any, on_error: Any) -> None:
    """Refuse to judge without labels, and ways to take errors that are not known.

    Raises
    ------
    InputError

    Examples
    --------
    >>> expect_labels("topic", "skipp")
    Traceback (most recent call last):
    tallytext.errors.InputError: on_error must be 'fail' or 'skip', not 'skipp'.
    """
    if labels is None:
        raise InputError("there is nothing to judge a classifier by: labels must name a column.")
    expect_on_error(on_error)


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

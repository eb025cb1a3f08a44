"""Labels for documents that Dask has."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import pyarrow as pa

from tallytext.classifier import TextClassifier
from tallytext.classifier.answering import expect_probability
from tallytext.datasets.columns import Columns
from tallytext.distributed.answering import (
    answer_columns,
    answer_fields,
    expect_classifier,
    expect_names,
    model_bytes,
)
from tallytext.distributed.dask_frames import texts_of_frame
from tallytext.distributed.dask_modules import dask_module
from tallytext.distributed.dask_running import client_or_get, sent
from tallytext.distributed.dask_sources import kind_of
from tallytext.errors import InputError


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
    expect_classifier(model)
    expect_names(into)
    expect_probability(min_confidence)
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

"""Some documents of a source, and how a stream of rows becomes batches of bounded size."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, NamedTuple, Self, TypeAlias

from tallytext.datasets.columns import Columns

if TYPE_CHECKING:
    import pyarrow as pa

#: The place of a document, its text, its label or labels, and the further columns.
Row: TypeAlias = tuple[Any, str, Any, Sequence[Any]]

_MESSAGES = 10


class Limits(NamedTuple):
    """Where a batch ends: so many documents, or so many bytes of text."""

    documents: int
    bytes: int


@dataclass(frozen=True)
class Batch:
    """Documents that follow one another in a source; its length is their number.

    Attributes
    ----------
    texts : list of str or pyarrow.Array
        The documents, for anything that takes documents. A parquet column stays one.
    labels : list or None
        For each document its label or the list of its labels; None if none were asked for.
    places : sequence of int or of str
        Where each document is from: the line, from 1 on (of a CSV record its first line), the
        row, from 0 on (parquet), or the name of the file.
    also : dict of str to list
        The further columns that were asked for, by name.
    n_bytes : int
        How many bytes of the source, compressed as it may be, were taken since the last batch.

    Examples
    --------
    >>> batch = Batch(["Cheap pills!", "See you at noon"], ["spam", "ham"], places=[2, 3])
    >>> len(batch), batch.labels
    (2, ['spam', 'ham'])
    """

    texts: list[str] | pa.Array
    labels: list[Any] | None
    places: Sequence[Any]
    also: dict[str, list[Any]] = field(default_factory=dict)
    n_bytes: int = 0

    def __len__(self) -> int:
        return len(self.texts)

    @property
    def strings(self) -> list[str]:
        """The documents as a list, whatever they came as."""
        return self.texts if isinstance(self.texts, list) else self.texts.to_pylist()

    def some(self, rows: Sequence[int]) -> Batch:
        """Return some of the documents.

        Parameters
        ----------
        rows : sequence of int
            Which, from 0 on.

        Examples
        --------
        >>> Batch(["a", "b", "c"], None, [7, 8, 9]).some([0, 2]).places
        [7, 9]
        """
        texts, labels = self.texts, self.labels
        return replace(
            self,
            texts=[texts[r] for r in rows] if isinstance(texts, list) else _taken(texts, rows),
            labels=None if labels is None else [labels[row] for row in rows],
            places=[self.places[row] for row in rows],
            also={name: [values[row] for row in rows] for name, values in self.also.items()},
        )


def _taken(texts: pa.Array, rows: Sequence[int]) -> pa.Array:
    import pyarrow as pa

    return texts.take(pa.array([*rows], pa.int64()))  # of no rows, a list would have no type


@dataclass
class Skipped:
    """Rows that could not be read: how many, and why the first ten could not.

    Attributes
    ----------
    count : int
        How many.
    messages : list of str
        Why, of the first ten.

    Examples
    --------
    >>> skipped = Skipped()
    >>> skipped.add("line 7: not JSON")
    >>> skipped
    Skipped(count=1, messages=['line 7: not JSON'])
    """

    count: int = 0
    messages: list[str] = field(default_factory=list)

    def add(self, message: str) -> None:
        """Count one more.

        Parameters
        ----------
        message : str
            Where, and why.
        """
        self.count += 1
        if len(self.messages) < _MESSAGES:
            self.messages.append(message)

    def __iadd__(self, other: Skipped) -> Self:
        self.count += other.count
        self.messages = [*self.messages, *other.messages][:_MESSAGES]
        return self


def in_batches(
    rows: Iterable[Row], columns: Columns, limits: Limits, position: Callable[[], int]
) -> Iterator[Batch]:
    """Gather rows into batches that stay within the limits, or have one document only.

    Parameters
    ----------
    rows : iterable of Row
        The documents.
    columns : Columns
        What was asked for.
    limits : Limits
        Where a batch ends.
    position : callable
        Returns how many bytes of the source have been taken so far.

    Examples
    --------
    >>> rows = [(i, text, None, ()) for i, text in enumerate(["a", "b", "c", "long", "d"])]
    >>> gathered = in_batches(rows, Columns("text", None), Limits(2, 3), lambda: 0)
    >>> [batch.texts for batch in gathered]
    [['a', 'b'], ['c'], ['long'], ['d']]
    """
    some: list[Row] = []
    size = before = 0
    for row in rows:
        length = n_bytes_of(row[1])
        if some and size + length > limits.bytes:
            yield _batch(some, columns, position() - before)
            some, size, before = [], 0, position()
        some.append(row)
        size += length
        # Not when the next row comes: who writes to a pipe may wait for an answer first.
        if len(some) == limits.documents:
            yield _batch(some, columns, position() - before)
            some, size, before = [], 0, position()
    if some:
        yield _batch(some, columns, position() - before)


def n_bytes_of(text: str) -> int:
    """Return the length of a text in UTF-8.

    Examples
    --------
    >>> n_bytes_of("naïve")
    6
    """
    return len(text) if text.isascii() else len(text.encode("utf-8", "surrogatepass"))


def _batch(rows: list[Row], columns: Columns, n_bytes: int) -> Batch:
    places, texts, labels, also = zip(*rows, strict=True)
    further = zip(*also, strict=True)
    return Batch(
        list(texts),
        None if columns.label is None else list(labels),
        list(places),
        {name: list(values) for name, values in zip(columns.also, further, strict=False)},
        n_bytes,
    )

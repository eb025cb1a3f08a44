"""A collection of labelled documents with what is known of each."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tallytext.errors import FileError
from tallytext.io.sources import Source, plain_errors

if TYPE_CHECKING:
    import pyarrow as pa


@dataclass(frozen=True, repr=False)
class Corpus:
    """Documents in the order of their source; its length is their number.

    Attributes
    ----------
    name : str
        What it is called.
    texts : list of str
        The documents, exactly as the source has them.
    labels : list of str or list of list of str
        The label of each document; the list of its labels where the corpus is one of several
        labels to a document.
    ids : list of str
        What the source calls each document.
    splits : list of str
        ``"train"``, ``"test"``, or ``""`` for documents on neither side.
    columns : dict of str to list
        What else the source says of each document, by name: a date, a university.

    Examples
    --------
    >>> corpus = Corpus("mails", ["Cheap!", "At noon?"], ["spam", "ham"], ["1", "2"],
    ...                 ["train", "test"])
    >>> corpus
    Corpus('mails', 2 documents, 2 classes, 1 train, 1 test)
    >>> corpus.train.texts, corpus.test.labels
    (['Cheap!'], ['ham'])
    """

    name: str
    texts: list[str]
    labels: list[Any]
    ids: list[str]
    splits: list[str]
    columns: dict[str, list[Any]] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self.texts)

    def __repr__(self) -> str:
        sides = [f"{self.splits.count(side):,} {side}" for side in ("train", "test")]
        split = [] if not any(self.splits) else sides
        described = [f"{len(self):,} documents", f"{len(self.classes):,} classes", *split]
        return f"Corpus({self.name!r}, {', '.join(described)})"

    @property
    def multi_label(self) -> bool:
        """Whether a document may have several labels, or none."""
        return any(not isinstance(given, str) for given in self.labels)

    @property
    def classes(self) -> list[str]:
        """The labels there are, sorted."""
        return sorted({label for given in self.labels for label in _each(given)})

    @property
    def train(self) -> Corpus:
        """The documents to learn from."""
        return self.where(side == "train" for side in self.splits)

    @property
    def test(self) -> Corpus:
        """The documents to judge by."""
        return self.where(side == "test" for side in self.splits)

    def where(self, kept: Iterable[Any]) -> Corpus:
        """Return the documents for which something is true.

        Parameters
        ----------
        kept : iterable of bool
            One for each document.
        """
        return self.take([row for row, keep in zip(range(len(self)), kept, strict=True) if keep])

    def take(self, rows: Sequence[int]) -> Corpus:
        """Return the documents in some rows, in the order of these.

        Parameters
        ----------
        rows : sequence of int
            Row numbers, from 0 on.
        """
        return replace(
            self,
            texts=[self.texts[row] for row in rows],
            labels=[self.labels[row] for row in rows],
            ids=[self.ids[row] for row in rows],
            splits=[self.splits[row] for row in rows],
            columns={name: [values[row] for row in rows] for name, values in self.columns.items()},
        )


def _each(given: Any) -> Iterable[str]:
    return (given,) if isinstance(given, str) else given


# ------------------------------------------------------------------------------------------------
# Corpora in parquet files: a row for each document, a column for each thing known of it.

_NEEDED = ("text", "labels", "split", "id")


def read_table(path: Path) -> dict[str, list[Any]]:
    """Return the columns of a corpus.

    Parameters
    ----------
    path : Path
        A parquet file with columns text, split and id of text, and labels of lists of it.

    Raises
    ------
    FileError
        If it is damaged, or a column is missing or of another kind.
    """
    import pyarrow.parquet as pq

    from tallytext.io.parquet import arrow_errors

    source = Source(path, "parquet")
    with plain_errors(source), arrow_errors(source):
        table = pq.read_table(path)
        _check_columns(table, source)
        columns: dict[str, list[Any]] = table.to_pydict()
    return columns


def check_labels(columns: Mapping[str, list[Any]], source: object) -> None:
    """Refuse documents without a label, where each has one."""
    for number, given in enumerate(columns["labels"]):
        if len(given) != 1:
            raise FileError(
                f"cannot read {source}: each document should have one label, "
                f"but {columns['id'][number]!r} has {len(given)}."
            )


def _check_columns(table: pa.Table, source: Source) -> None:
    names = table.schema.names
    if missing := [name for name in _NEEDED if name not in names]:
        raise FileError(
            f"{source} is no table of a corpus: there is no column {' or '.join(missing)}. "
            f"It has {', '.join(names)}."
        )
    for name in _NEEDED:
        found = table.schema.field(name).type
        if not _is_as_needed(name, found):
            needed = "lists of text" if name == "labels" else "text"
            raise FileError(f"column {name!r} of {source} holds {found}, not {needed}.")
        if table.column(name).null_count:
            raise FileError(f"column {name!r} of {source} has empty places.")


def _is_as_needed(name: str, found: Any) -> bool:
    import pyarrow as pa

    from tallytext.io.parquet import is_string

    if name != "labels":
        return is_string(found)
    return (pa.types.is_list(found) or pa.types.is_large_list(found)) and is_string(
        found.value_type
    )

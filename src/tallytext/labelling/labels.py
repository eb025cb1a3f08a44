"""Labels of documents, in order, and which of them a model has learned from."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import islice
from types import MappingProxyType

# When labels have grown by so much, in per cent, the model learns anew.
_GROWTH = 5


class Labels:
    """The labels that documents have: given ones first, then answers in their order.

    Parameters
    ----------
    given : mapping of int to str
        Labels by document.
    answers : iterable of (int, str)
        Documents and labels; they stand above given ones.

    Examples
    --------
    >>> labels = Labels({4: "sea"}, [(7, "sea")])
    >>> labels.due  # of one kind: there is nothing to learn
    {}
    >>> labels.add(2, "sky")
    >>> labels.due
    {4: 'sea', 7: 'sea', 2: 'sky'}
    >>> labels.take_back(2)
    >>> labels.by_row
    mappingproxy({4: 'sea', 7: 'sea'})
    """

    def __init__(self, given: Mapping[int, str], answers: Iterable[tuple[int, str]]) -> None:
        self._given = dict(given)
        self._by_row = self._given | dict(answers)

    @property
    def by_row(self) -> Mapping[int, str]:
        """The label of each document that has one."""
        return MappingProxyType(self._by_row)

    @property
    def due(self) -> dict[int, str]:
        """The labels that a model learns from; none before there are two kinds.

        They depend on the labels alone, not on how they came to be: the same after an undo or a
        break as before.
        """
        first = self._first_size()
        n = 0 if first is None else due_size(len(self._by_row), first)
        return dict(islice(self._by_row.items(), n))

    def add(self, row: int, label: str) -> None:
        """Give a document a label."""
        self._by_row[row] = label

    def take_back(self, row: int) -> None:
        """Take the last label that was added back; a given one that it stood above is there again.

        Parameters
        ----------
        row : int
            Its document.
        """
        if row in self._given:
            self._by_row[row] = self._given[row]
        else:
            del self._by_row[row]

    def _first_size(self) -> int | None:
        """Return of how many labels the first model is: all given ones, and two kinds."""
        one = next(iter(self._by_row.values()), None)
        kinds = enumerate(self._by_row.values(), 1)
        other = next((n for n, label in kinds if label != one), None)
        return None if other is None else max(other, len(self._given))


def due_size(n: int, first: int) -> int:
    """Return how many of n labels a model has learned from: at first each is learned from at once.

    Parameters
    ----------
    n : int
    first : int
        Of how many the first model is.

    Examples
    --------
    >>> [due_size(n, 2) for n in (2, 3, 20, 21, 22, 23, 60)]
    [2, 3, 20, 21, 21, 23, 59]
    """
    size = first
    while (after := size - (-size * _GROWTH // 100)) <= n:
        size = after
    return size

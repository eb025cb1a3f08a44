"""Documents that come again: with the same labels, or, which confuses a model, with others."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tallytext.errors import CountError, LabelError

_MOST_SHOWN = 10
_Labels = tuple[Any, ...]


class Conflict(NamedTuple):
    """Two documents of one text: the first that had it, and one with other labels.

    Attributes
    ----------
    first, other : int
        Places of the documents, in the order they were given in.
    first_labels, other_labels : tuple
        Their labels.
    """

    first: int
    other: int
    first_labels: _Labels
    other_labels: _Labels


class ConflictingLabels(NamedTuple):
    """Labels that one text had both of, in how many documents other than its first.

    Attributes
    ----------
    labels, other_labels : tuple
        Those of the first document of the text, and those of the others.
    n_documents : int
        How many others there are.
    """

    labels: _Labels
    other_labels: _Labels
    n_documents: int


@dataclass(frozen=True)
class Duplicates:
    """How many documents repeat others, and whether their labels agree.

    Two documents agree if they have the same labels, in any order; to have none is to have other
    labels than a document with some.

    Attributes
    ----------
    n_documents : int
    n_repeated : int
        Documents whose text occurred before with the same labels.
    n_conflicting : int
        Documents whose text also occurs with other labels.
    examples : tuple of Conflict
        The first ten documents, by number, whose labels differ from those of the first document
        of the same text.
    pairs : tuple of ConflictingLabels
        The ten pairs of labels that differ so most often.

    Examples
    --------
    >>> texts = np.array([7, 7, 8, 7], dtype=np.uint64)  # fingerprints
    >>> labels = np.arange(5), np.array([0, 0, 1, 1])
    >>> print(Duplicates.of(texts, labels, ["ham", "spam"]))
    1 of 4 documents repeats an earlier one with the same labels.
    3 have a text that also has other labels: document 0 is 'ham', but document 3 is 'spam'.
    Most often in conflict: 'ham' and 'spam' (1).
    """

    n_documents: int
    n_repeated: int
    n_conflicting: int
    examples: tuple[Conflict, ...] = ()
    pairs: tuple[ConflictingLabels, ...] = ()

    def __post_init__(self) -> None:
        counts = self.n_documents, self.n_repeated, self.n_conflicting
        if any(type(count) is not int or not 0 <= count <= self.n_documents for count in counts):
            raise CountError(
                f"of {self.n_documents!r} documents, {self.n_repeated!r} cannot be repeated and "
                f"{self.n_conflicting!r} in conflict."
            )

    @classmethod
    def of(
        cls,
        fingerprints: ArrayLike,
        labels: tuple[NDArray[np.integer[Any]], NDArray[np.integer[Any]]],
        names: Sequence[Any],
    ) -> Duplicates:
        """Compare documents by the fingerprints of their texts.

        Parameters
        ----------
        fingerprints : array-like of uint64 of shape (n_documents,)
            Equal for equal texts. That two others are equal by chance is to be expected once in
            some thousand million documents.
        labels : (starts, ids)
            The labels of document d are ``ids[starts[d]:starts[d + 1]]``, each once.
        names : sequence of labels
            The label of each id.
        """
        prints = np.asarray(fingerprints)
        starts, ids = _checked(prints, *labels, len(names))
        documents, firsts = _repeats(prints)
        numbers = _set_numbers(starts, ids)
        differs = numbers[documents] != numbers[firsts]
        named = _Namer(starts, ids, names)
        others, their_firsts = documents[differs], firsts[differs]
        by_number = np.argsort(others)
        others, their_firsts = others[by_number], their_firsts[by_number]
        return cls(
            n_documents=len(prints),
            n_repeated=_n_repeated(firsts, numbers[documents]),
            n_conflicting=int(np.isin(firsts, their_firsts).sum()),
            examples=_examples(their_firsts, others, named),
            pairs=_pairs(their_firsts, others, numbers, named),
        )

    def to_dict(self) -> dict[str, Any]:
        """Return plain values, as JSON has them."""
        return {
            "n_documents": self.n_documents,
            "n_repeated": self.n_repeated,
            "n_conflicting": self.n_conflicting,
            "examples": [_listed(each) for each in self.examples],
            "pairs": [_listed(each) for each in self.pairs],
        }

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> Duplicates:
        """Read what :meth:`to_dict` wrote.

        Parameters
        ----------
        values : mapping
            What it returned.

        Examples
        --------
        >>> Duplicates.from_dict(Duplicates(9, 1, 0).to_dict())
        Duplicates(n_documents=9, n_repeated=1, n_conflicting=0, examples=(), pairs=())
        """
        if set(values) != set(cls.__dataclass_fields__) or not all(
            isinstance(values[name], list | tuple) for name in ("examples", "pairs")
        ):
            raise CountError(f"these are not the figures of duplicates: {sorted(values)}")
        examples = tuple(_read(Conflict, each) for each in values["examples"])
        pairs = tuple(_read(ConflictingLabels, each) for each in values["pairs"])
        n_documents, n_repeated = values["n_documents"], values["n_repeated"]
        return cls(n_documents, n_repeated, values["n_conflicting"], examples, pairs)

    def __str__(self) -> str:
        repeat = "repeats" if self.n_repeated == 1 else "repeat"
        lines = [
            f"{self.n_repeated:,} of {self.n_documents:,} documents {repeat} an earlier one with "
            "the same labels."
        ]
        for each in self.examples[:1]:
            lines.append(
                f"{self.n_conflicting:,} have a text that also has other labels: document "
                f"{each.first} is {_shown(each.first_labels)}, but document {each.other} is "
                f"{_shown(each.other_labels)}."
            )
        often = ", ".join(f"{_shown(a)} and {_shown(b)} ({n:,})" for a, b, n in self.pairs[:3])
        return "\n".join([*lines, f"Most often in conflict: {often}."] if often else lines)


class _Namer(NamedTuple):
    """Names the labels of a document."""

    starts: NDArray[np.int64]
    ids: NDArray[np.int64]
    names: Sequence[Any]

    def of(self, document: int) -> _Labels:
        of_document = slice(self.starts[document], self.starts[document + 1])
        return tuple(self.names[id] for id in np.sort(self.ids[of_document]))


def _checked(
    prints: NDArray[Any], starts: ArrayLike, ids: ArrayLike, n_names: int
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    if prints.ndim != 1 or prints.dtype != np.uint64:
        raise CountError(
            "one fingerprint of 64 bits per document is needed, not "
            f"{prints.dtype} of shape {prints.shape}."
        )
    begins, numbers = np.asarray(starts, dtype=np.int64), np.asarray(ids, dtype=np.int64)
    if begins.shape != (len(prints) + 1,):
        raise LabelError(f"there are {len(prints)} documents, but labels for {len(begins) - 1}.")
    if begins[0] != 0 or begins[-1] != len(numbers) or (np.diff(begins) < 0).any():
        raise LabelError("the starts of labels must rise from 0 to the number of labels.")
    if len(numbers) and not 0 <= numbers.min() <= numbers.max() < n_names:
        raise LabelError(f"there are {n_names} labels, but ids up to {numbers.max()}.")
    return begins, numbers


def _repeats(prints: NDArray[np.uint64]) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Return the documents whose text occurs twice or more, and the first with that text."""
    order = np.argsort(prints, kind="stable")
    again = np.zeros(len(prints), dtype=np.bool_)
    again[1:] = prints[order[1:]] == prints[order[:-1]]
    begins = np.maximum.accumulate(np.where(again, 0, np.arange(len(prints))))
    kept = again.copy()
    kept[:-1] |= again[1:]
    return order[kept], order[begins[kept]]


def _set_numbers(starts: NDArray[np.int64], ids: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return a number for each document that is equal for equal sets of labels."""
    sizes = np.diff(starts)
    numbers = np.zeros(len(sizes), dtype=np.int64)
    rows = np.flatnonzero(sizes)
    ordered, width = _sorted_within(ids, sizes), int(ids.max(initial=0)) + 1
    numbers[rows] = ordered[starts[rows]] + 1
    fresh = width + 1
    # Label by label: what two documents have in common so far, and the next one.
    for k in range(1, int(sizes.max(initial=0))):
        rows = rows[sizes[rows] > k]
        keys = numbers[rows] * width + ordered[starts[rows] + k]
        distinct, which = np.unique(keys, return_inverse=True)
        numbers[rows] = fresh + which
        fresh += len(distinct)
    return numbers


def _sorted_within(ids: NDArray[np.int64], sizes: NDArray[np.int64]) -> NDArray[np.int64]:
    if sizes.max(initial=0) <= 1:
        return ids
    return ids[np.lexsort((ids, np.repeat(np.arange(len(sizes)), sizes)))]


def _n_repeated(firsts: NDArray[np.intp], numbers: NDArray[np.int64]) -> int:
    order = np.lexsort((numbers, firsts))
    texts, sets = firsts[order], numbers[order]
    return int(((texts[1:] == texts[:-1]) & (sets[1:] == sets[:-1])).sum())


def _examples(
    firsts: NDArray[np.intp], others: NDArray[np.intp], named: _Namer
) -> tuple[Conflict, ...]:
    shown = zip(firsts[:_MOST_SHOWN].tolist(), others[:_MOST_SHOWN].tolist(), strict=True)
    return tuple(Conflict(a, b, named.of(a), named.of(b)) for a, b in shown)


def _pairs(
    firsts: NDArray[np.intp], others: NDArray[np.intp], numbers: NDArray[np.int64], named: _Namer
) -> tuple[ConflictingLabels, ...]:
    """Count the pairs of sets of labels, whichever of the two came first."""
    both = np.sort(np.stack([numbers[firsts], numbers[others]], axis=1), axis=1)
    keys = both[:, 0] * (numbers.max(initial=0) + 1) + both[:, 1]
    _, examples, counts = np.unique(keys, return_index=True, return_counts=True)
    most = np.lexsort((examples, -counts))[:_MOST_SHOWN]
    return tuple(
        ConflictingLabels(named.of(firsts[i]), named.of(others[i]), int(count))
        for i, count in zip(examples[most], counts[most], strict=True)
    )


def _listed(fields: tuple[Any, ...]) -> list[Any]:
    return [list(field) if isinstance(field, tuple) else field for field in fields]


def _read(kind: type[Any], fields: Any) -> Any:
    if not isinstance(fields, list | tuple) or len(fields) != len(kind._fields):
        raise CountError(f"this is not one of the conflicts of duplicates: {fields!r:.80}")
    made = kind(*(tuple(field) if isinstance(field, list) else field for field in fields))
    if not all(_can_be(name, field) for name, field in made._asdict().items()):
        raise CountError(f"this is not one of the conflicts of duplicates: {fields!r:.80}")
    return made


def _can_be(name: str, field: Any) -> bool:
    if name.endswith("labels"):
        return isinstance(field, tuple) and all(isinstance(one, str | int | float) for one in field)
    return type(field) is int and field >= 0


def _shown(labels: _Labels) -> str:
    return " + ".join(map(repr, labels)) or "without label"

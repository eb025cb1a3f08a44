"""Duplicate documents: repeated with the same labels, or in conflict with other labels."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import sparse

from tallytext._core import row_hashes
from tallytext._validation import check_sparse
from tallytext.errors import CountError, LabelError
from tallytext.runtime import thread_count

_MAX_EXAMPLES = 10
# Near duplicates agree in one of 8 bands of 3 smallest hashes: 99.7% of pairs that share 80% of
# their terms, and 2% of those that share 14%.
_N_BANDS, _N_PER_BAND = 8, 3
_N_COMPARED = 4
_MIN_EQUAL_HASHES, _MIN_COSINE = 0.4, 0.9
_Labels = tuple[Any, ...]


class Conflict(NamedTuple):
    """Two documents with the same text and different labels.

    Attributes
    ----------
    first, other : int
        Positions of the first document with the text, and of the other one.
    first_labels, other_labels : tuple
        Their labels.
    """

    first: int
    other: int
    first_labels: _Labels
    other_labels: _Labels


class ConflictingLabels(NamedTuple):
    """Two sets of labels that the same texts have, and the number of documents in conflict.

    Attributes
    ----------
    labels, other_labels : tuple
        The labels of the first document of a text, and those of the others.
    n_documents : int
        Number of the others.
    """

    labels: _Labels
    other_labels: _Labels
    n_documents: int


@dataclass(frozen=True)
class Duplicates:
    """The numbers of duplicate documents with equal and with conflicting labels.

    Two documents agree if they have the same labels, in any order. A document without labels and
    a document with labels do not agree.

    Attributes
    ----------
    n_documents : int
    n_repeated : int
        Documents whose text occurred before with the same labels.
    n_conflicting : int
        Documents whose text also occurs with other labels.
    examples : tuple of Conflict
        The first ten documents, by position, whose labels differ from those of the first document
        with the same text.
    pairs : tuple of ConflictingLabels
        The ten most frequent pairs of conflicting labels.

    Examples
    --------
    >>> texts = np.array([7, 7, 8, 7], dtype=np.uint64)  # fingerprints
    >>> labels = np.arange(5), np.array([0, 0, 1, 1])
    >>> print(Duplicates.from_fingerprints(texts, labels, ["ham", "spam"]))
    1 of 4 documents repeats an earlier one with the same labels.
    3 have a text that also has other labels: document 1 is 'ham', but document 4 is 'spam'.
    Most often in conflict: 'ham' and 'spam' (1).
    """

    n_documents: int
    n_repeated: int
    n_conflicting: int
    examples: tuple[Conflict, ...] = ()
    pairs: tuple[ConflictingLabels, ...] = ()

    def __post_init__(self) -> None:
        counts = self.n_documents, self.n_repeated, self.n_conflicting
        # The counts may come from a file. True and False are instances of int, but no counts.
        if any(type(count) is not int or not 0 <= count <= self.n_documents for count in counts):
            raise CountError(
                f"of {self.n_documents!r} documents, {self.n_repeated!r} cannot be repeated and "
                f"{self.n_conflicting!r} in conflict."
            )

    @classmethod
    def from_fingerprints(
        cls,
        fingerprints: ArrayLike,
        labels: tuple[NDArray[np.integer[Any]], NDArray[np.integer[Any]]],
        names: Sequence[Any],
    ) -> Duplicates:
        """Compare documents by the fingerprints of their texts.

        Parameters
        ----------
        fingerprints : array-like of uint64 of shape (n_documents,)
            Equal for equal texts. By chance, two different texts among a few billion documents may
            have the same fingerprint.
        labels : (starts, ids)
            The labels of document d are ``ids[starts[d]:starts[d + 1]]``, each once.
        names : sequence of labels
            The label of each id.
        """
        prints = np.asarray(fingerprints)
        starts, ids = _check_arrays(prints, *labels, len(names))
        documents, firsts = _find_repeats(prints)
        sets = _number_label_sets(starts, ids)
        # Sorted by text and labels, a repeat is equal to its neighbour in both.
        order = np.lexsort((sets[documents], firsts))
        texts, their_sets = firsts[order], sets[documents[order]]
        n_repeated = int(((texts[1:] == texts[:-1]) & (their_sets[1:] == their_sets[:-1])).sum())
        differs = sets[documents] != sets[firsts]
        if not differs.any():
            return cls(len(prints), n_repeated, n_conflicting=0)
        # Runs of equal texts come in the order of their hashes; examples go by position.
        order = np.argsort(documents[differs])
        others, their_firsts = documents[differs][order], firsts[differs][order]
        n_conflicting = int(np.isin(firsts, their_firsts).sum())

        def labels_of(document: int) -> _Labels:
            own = np.sort(ids[starts[document] : starts[document + 1]])
            return tuple(names[id] for id in own)

        some = zip(
            their_firsts[:_MAX_EXAMPLES].tolist(), others[:_MAX_EXAMPLES].tolist(), strict=True
        )
        examples = tuple(
            Conflict(first, other, labels_of(first), labels_of(other)) for first, other in some
        )
        pairs = tuple(
            ConflictingLabels(labels_of(their_firsts[at]), labels_of(others[at]), count)
            for at, count in _frequent_pairs(sets[their_firsts], sets[others])
        )
        return cls(len(prints), n_repeated, n_conflicting, examples, pairs)

    def to_dict(self) -> dict[str, Any]:
        """Return the numbers as JSON values."""
        return {
            "n_documents": self.n_documents,
            "n_repeated": self.n_repeated,
            "n_conflicting": self.n_conflicting,
            "examples": [_to_list(each) for each in self.examples],
            "pairs": [_to_list(each) for each in self.pairs],
        }

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> Duplicates:
        """Return the duplicates with the values of :meth:`to_dict`.

        Parameters
        ----------
        values : mapping
            The values.

        Examples
        --------
        >>> Duplicates.from_dict(Duplicates(9, 1, 0).to_dict())
        Duplicates(n_documents=9, n_repeated=1, n_conflicting=0, examples=(), pairs=())
        """
        if set(values) != set(cls.__dataclass_fields__) or not all(
            isinstance(values[name], list | tuple) for name in ("examples", "pairs")
        ):
            raise CountError(f"this is not a record of duplicates: {sorted(values)}")
        examples = tuple(_from_list(Conflict, each) for each in values["examples"])
        pairs = tuple(_from_list(ConflictingLabels, each) for each in values["pairs"])
        return cls(**(dict(values) | {"examples": examples, "pairs": pairs}))

    def __str__(self) -> str:
        repeat = "repeats" if self.n_repeated == 1 else "repeat"
        lines = [
            f"{self.n_repeated:,} of {self.n_documents:,} documents {repeat} an earlier one with "
            "the same labels."
        ]
        for each in self.examples[:1]:
            lines.append(
                f"{self.n_conflicting:,} have a text that also has other labels: document "
                f"{each.first + 1} is {_show_labels(each.first_labels)}, but document "
                f"{each.other + 1} is "
                f"{_show_labels(each.other_labels)}."
            )
        frequent = ", ".join(
            f"{_show_labels(a)} and {_show_labels(b)} ({n:,})" for a, b, n in self.pairs[:3]
        )
        return "\n".join([*lines, f"Most often in conflict: {frequent}."] if frequent else lines)


def _check_arrays(
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


def _find_repeats(prints: NDArray[np.uint64]) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Return the documents whose text occurs twice or more, and the first with that text."""
    order = np.argsort(prints, kind="stable")
    # The sort is stable, so the first document of a run of equal fingerprints is the earliest.
    repeats = np.zeros(len(prints), dtype=np.bool_)
    repeats[1:] = prints[order[1:]] == prints[order[:-1]]
    run_starts = np.maximum.accumulate(np.where(repeats, 0, np.arange(len(prints))))
    in_run = repeats.copy()
    in_run[:-1] |= repeats[1:]
    return order[in_run], order[run_starts[in_run]]


def _number_label_sets(starts: NDArray[np.int64], ids: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return a number for each document that is equal for equal sets of labels."""
    sizes = np.diff(starts)
    numbers = np.zeros(len(sizes), dtype=np.int64)
    rows = np.flatnonzero(sizes)
    width, ordered = int(ids.max(initial=0)) + 1, ids
    if sizes.max(initial=0) > 1:  # sort the labels within each document
        ordered = ids[np.lexsort((ids, np.repeat(np.arange(len(sizes)), sizes)))]
    numbers[rows] = ordered[starts[rows]] + 1  # 0 is for documents without a label
    fresh = width + 1
    # Label by label: the number of the first k labels and the next label give the number of k + 1.
    for k in range(1, int(sizes.max(initial=0))):
        rows = rows[sizes[rows] > k]
        keys = numbers[rows] * width + ordered[starts[rows] + k]
        distinct, which = np.unique(keys, return_inverse=True)
        numbers[rows] = fresh + which
        fresh += len(distinct)
    return numbers


def _frequent_pairs(
    firsts: NDArray[np.int64], others: NDArray[np.int64]
) -> Iterator[tuple[int, int]]:
    """Return the position of an example and the count of the most frequent pairs of label sets.

    The order within a pair does not matter.
    """
    # One integer per pair, since np.unique compares whole rows only as slower records.
    both = np.sort(np.stack([firsts, others], axis=1), axis=1)
    keys = both[:, 0] * (both.max(initial=0) + 1) + both[:, 1]
    _, examples, counts = np.unique(keys, return_index=True, return_counts=True)
    # Ties go by the first example, so that the result does not depend on the numbers of the sets.
    most = np.lexsort((examples, -counts))[:_MAX_EXAMPLES]
    return zip(examples[most].tolist(), counts[most].tolist(), strict=True)


def _to_list(fields: tuple[Any, ...]) -> list[Any]:
    return [list(field) if isinstance(field, tuple) else field for field in fields]


def _from_list(kind: type[Any], fields: Any) -> Any:
    if not isinstance(fields, list | tuple) or len(fields) != len(kind._fields):
        raise CountError(f"this is not a record of conflicting labels: {fields!r:.80}")
    made = kind(*(tuple(field) if isinstance(field, list) else field for field in fields))
    if not all(_is_valid_field(name, field) for name, field in made._asdict().items()):
        raise CountError(f"this is not a record of conflicting labels: {fields!r:.80}")
    return made


def _is_valid_field(name: str, field: Any) -> bool:
    if name.endswith("labels"):
        return isinstance(field, tuple) and all(isinstance(one, str | int | float) for one in field)
    return type(field) is int and field >= 0


def _show_labels(labels: _Labels) -> str:
    return " + ".join(map(repr, labels)) or "without label"


def document_keys(
    counts: Any,
    labels: Any = None,
    label_hashes: NDArray[np.uint64] | None = None,
    term_hashes: NDArray[np.uint64] | None = None,
) -> NDArray[np.uint64]:
    """Return a hash of the counts and labels of each document, whatever their order.

    Parameters
    ----------
    counts : CSR matrix of shape (n_documents, n_terms)
    labels : CSR matrix of shape (n_documents, n_classes), default=None
        The classes of each document; None for hashes of the counts alone.
    label_hashes : ndarray of shape (n_classes,), default=None
        A hash of each label; None for the numbers of the columns.
    term_hashes : ndarray of shape (n_terms,), default=None
        A hash of each term; None for the numbers of the columns.

    Examples
    --------
    >>> from scipy import sparse
    >>> one, other, third = document_keys(sparse.csr_array([[1, 2], [1, 2], [2, 1]]))
    >>> bool(one == other), bool(one == third)
    (True, False)
    """
    keys = splitmix64(_row_hashes(check_sparse(counts), term_hashes))
    if labels is not None:
        keys = splitmix64(keys + _row_hashes(check_sparse(labels), label_hashes))
    return keys


def _row_hashes(rows: Any, hashes: NDArray[np.uint64] | None) -> NDArray[np.uint64]:
    return row_hashes(
        rows.indptr.astype(np.int64),
        rows.indices.astype(np.int32),
        rows.data.astype(np.float64),
        np.empty(0, np.uint64) if hashes is None else hashes,
        thread_count(None),
    )


def splitmix64(z: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Return 64-bit hashes of numbers, by the finalizer of splitmix64."""
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return z ^ (z >> np.uint64(31))


def has_near_duplicate(X: Any, groups: ArrayLike) -> NDArray[np.bool_]:
    """Return True for documents with a near duplicate in another group.

    Two documents are near duplicates if the cosine of their counts, weighted by inverse document
    frequency, is 0.9 or more. Pairs to compare are found by their smallest hashes, so that a few
    may be missed; time and memory are proportional to the counts.

    Parameters
    ----------
    X : CSR matrix of shape (n_documents, n_terms)
        Counts of terms.
    groups : array-like of int of shape (n_documents,)
        The group of each document, such as its fold.

    Examples
    --------
    >>> from scipy import sparse
    >>> X = sparse.csr_array([[3, 1, 1, 0], [3, 1, 1, 0], [0, 0, 1, 2], [0, 1, 0, 2]])
    >>> has_near_duplicate(X, [0, 1, 0, 1]).tolist()
    [True, True, False, False]
    """
    X, group = sparse.csr_array(check_sparse(X)), np.asarray(groups)
    found = np.zeros(X.shape[0], dtype=bool)
    filled = np.flatnonzero(np.diff(X.indptr))
    if len(filled) < 2:
        return found
    hashes = _smallest_hashes(X[filled])
    likely, similarity = np.full(len(filled), -1), np.zeros(len(filled))
    for first, second in _likely_pairs(hashes, group[filled]):
        equal = (hashes[first] == hashes[second]).mean(axis=1)
        for one, other in ((first, second), (second, first)):
            better = equal > similarity[one]
            likely[one[better]], similarity[one[better]] = other[better], equal[better]
    rows = np.flatnonzero(similarity >= _MIN_EQUAL_HASHES)
    weighted = _weighted_rows(X)
    one, other = filled[rows], filled[likely[rows]]
    cosines = np.asarray((weighted[one] * weighted[other]).sum(axis=1)).ravel()
    found[one[cosines >= _MIN_COSINE]] = True
    return found


def _smallest_hashes(X: Any) -> NDArray[np.uint32]:
    """Return the smallest hashes of the terms of each document, by several functions."""
    chance = np.random.default_rng(0)
    values = np.empty((X.shape[0], _N_BANDS * _N_PER_BAND), dtype=np.uint32)
    for at in range(values.shape[1]):
        hashes = chance.permutation(X.shape[1]).astype(np.uint32)
        values[:, at] = np.minimum.reduceat(hashes[X.indices], X.indptr[:-1])
    return values


def _likely_pairs(
    hashes: NDArray[np.uint32], group: NDArray[Any]
) -> Iterator[tuple[NDArray[np.intp], NDArray[np.intp]]]:
    """Yield documents of different groups that are likely to agree in a band of hashes."""
    # The last band has all hashes, so that repeated documents are compared with each other.
    for band in [*np.split(hashes, _N_BANDS, axis=1), hashes]:
        order = np.lexsort((group, *band.T))
        ranked = band[order]
        # Equal bands are a run. Groups are sorted in it: if it has several, then its first or its
        # last document is of another group than any other document.
        begins = np.append(True, (ranked[1:] != ranked[:-1]).any(axis=1))
        run = np.cumsum(begins) - 1
        starts = np.flatnonzero(begins)
        ends = np.append(starts[1:], len(order)) - 1
        candidates = [order[starts[run]], order[ends[run]]]
        # Neighbours, too: a few, because a run may be long.
        candidates += [np.roll(order, step) for step in range(1, _N_COMPARED + 1)]
        for other in candidates:
            differ = group[order] != group[other]
            yield order[differ], other[differ]


def _weighted_rows(X: Any) -> Any:
    """Return rows of length 1, weighted by inverse document frequency."""
    n_documents, n_terms = X.shape
    frequency = np.bincount(X.indices, minlength=n_terms)
    weights = np.log1p(n_documents / np.maximum(frequency, 1))
    data = X.data * weights[X.indices]
    weighted = sparse.csr_array((data, X.indices, X.indptr), shape=X.shape)
    norms = np.sqrt(np.asarray(weighted.multiply(weighted).sum(axis=1)).ravel())
    return sparse.csr_array(weighted.multiply(1 / np.maximum(norms, 1e-300)[:, np.newaxis]))

"""The vocabulary: an append-only numbering of terms, so that the id of a term never changes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tallytext._core import Vocabulary as NativeVocabulary
from tallytext.errors import FileError, FrozenVocabularyError, TallytextError, VocabularyError
from tallytext.io.safetensors import load_arrays, save_arrays


class Vocabulary:
    """An append-only numbering of terms.

    Ids are assigned in order of arrival and never reused, so two tallies that share a prefix of
    the vocabulary can be added without renumbering it. All terms lie in one block of bytes.

    Parameters
    ----------
    terms : iterable of str, default=()
        The first terms, in order; a repeated term has the id of its first occurrence.

    Attributes
    ----------
    is_frozen : bool
        True if no new terms can be added; set by :meth:`freeze`.
    native : tallytext._core.Vocabulary
        The vocabulary of the native core, which the counting functions use.

    Examples
    --------
    >>> vocabulary = Vocabulary(["to", "be"])
    >>> vocabulary.add(["or", "not", "to", "be"])
    array([2, 3, 0, 1], dtype=int32)
    >>> vocabulary["not"], vocabulary.term(3), "question" in vocabulary
    (3, 'not', False)
    """

    def __init__(self, terms: Iterable[str] = ()) -> None:
        self.native = NativeVocabulary()
        self.is_frozen = False
        if not isinstance(terms, tuple) or terms:
            self.add(terms)

    @classmethod
    def _from_native(cls, native: NativeVocabulary, frozen: bool = False) -> Vocabulary:
        vocabulary = cls.__new__(cls)
        vocabulary.native, vocabulary.is_frozen = native, frozen
        return vocabulary

    def freeze(self) -> Vocabulary:
        """Allow no new terms from now on; returns the vocabulary itself."""
        self.is_frozen = True
        return self

    def copy(self) -> Vocabulary:
        """Return an independent vocabulary with the same ids, not frozen."""
        return self._from_native(NativeVocabulary(self.native))

    def select(self, ids: ArrayLike) -> Vocabulary:
        """Return an independent vocabulary of the terms with these ids, in this order.

        Parameters
        ----------
        ids : array-like of int
            Ids, each at most once.

        Examples
        --------
        >>> list(Vocabulary(["salt", "sea", "sky"]).select([2, 0]))
        ['sky', 'salt']
        """
        return Vocabulary._from_native(self.native.select(_check_ids(ids, len(self))))

    def are_strings(self) -> NDArray[np.bool_]:
        """Return True for terms that begin with "#": strings of characters beside words.

        Examples
        --------
        >>> Vocabulary(["salt", "#sa"]).are_strings()
        array([False,  True])
        """
        arena, lengths = self.to_arrays()
        starts = np.cumsum(lengths, dtype=np.int64) - lengths
        found: NDArray[np.bool_] = np.zeros(len(lengths), dtype=bool)
        found[lengths > 0] = arena[starts[lengths > 0]] == ord("#")
        return found

    def hashes(self) -> NDArray[np.uint64]:
        """Return a hash of each term, which depends on the term alone."""
        return np.asarray(self.native.hashes())

    def add(self, terms: Iterable[str]) -> NDArray[np.int32]:
        """Return the ids of ``terms``, appending new terms.

        Parameters
        ----------
        terms : iterable of str
            The terms.

        Raises
        ------
        FrozenVocabularyError
            If the vocabulary is frozen and a term is new. Nothing is added then.
        """
        wanted = _list_terms(terms)
        if not self.is_frozen:
            return self.native.add(wanted)
        ids = self.native.ids(wanted)
        if (ids < 0).any():
            new = wanted[int(np.argmax(ids < 0))]
            raise FrozenVocabularyError(f"cannot add the term {new!r}: this vocabulary is frozen.")
        return ids

    def merge(self, other: Vocabulary) -> NDArray[np.int32]:
        """Append the new terms of ``other``; return the id here of each of its ids.

        Parameters
        ----------
        other : Vocabulary
            Another vocabulary.
        """
        # A frozen vocabulary may still be merged with a part of itself; add() checks each term.
        if self.is_frozen and other is not self:
            return self.add(other.terms().tolist())
        return self.native.merge(other.native)

    def locate(self, other: Vocabulary) -> NDArray[np.int32]:
        """Return the id here of each id of ``other``, -1 for unknown terms.

        Parameters
        ----------
        other : Vocabulary
            Another vocabulary.
        """
        return self.native.locate(other.native)

    def ids(self, terms: Iterable[str]) -> NDArray[np.int32]:
        """Return the ids of ``terms``, -1 for unknown terms.

        Parameters
        ----------
        terms : iterable of str
            The terms.
        """
        return self.native.ids(_list_terms(terms))

    def terms(
        self, ids: Sequence[int] | NDArray[np.integer[Any]] | None = None
    ) -> NDArray[np.object_]:
        """Return the terms with these ids, or all of them in order.

        Parameters
        ----------
        ids : sequence of int, default=None
            Their numbers; None for all.
        """
        if ids is None:
            array = np.empty(len(self), dtype=object)
            self.native.fill_terms(array)
            return array
        wanted = _check_ids(ids, len(self))
        array = np.empty(len(wanted), dtype=object)
        self.native.fill_terms(array, wanted)
        return array

    def term(self, id: int) -> str:
        """Return the term with this id.

        Parameters
        ----------
        id : int
            Its number, from 0.
        """
        return str(self.terms([id])[0])

    def sorted_ids(self) -> NDArray[np.int32]:
        """Return all ids, sorted by the code points of their terms."""
        return self.native.sorted()

    def ranks(self) -> dict[str, int]:
        """Return the rank of each term among the sorted terms, in that order.

        Examples
        --------
        >>> Vocabulary(["to", "be", "or"]).ranks()
        {'be': 0, 'or': 1, 'to': 2}
        """
        return self.native.ranks()

    def to_arrays(self) -> tuple[NDArray[np.uint8], NDArray[np.uint32]]:
        """Return the bytes of all terms, laid end to end, and the length of each.

        Examples
        --------
        >>> Vocabulary(["to", "be"]).to_arrays()
        (array([116, 111,  98, 101], dtype=uint8), array([2, 2], dtype=uint32))
        """
        lengths = self.native.lengths()
        # Another thread may append terms meanwhile; their bytes lie behind these.
        return self.native.arena()[: int(lengths.sum(dtype=np.int64))], lengths

    @classmethod
    def from_arrays(cls, arena: NDArray[np.uint8], lengths: NDArray[np.uint32]) -> Vocabulary:
        """Return the vocabulary stored by :meth:`to_arrays`, validated.

        Parameters
        ----------
        arena : ndarray of uint8
            The bytes of all terms.
        lengths : ndarray of uint32
            The number of bytes of each term.

        Raises
        ------
        TallytextError
            If the arrays have another type, contradict each other, or repeat a term.
        """
        if arena.dtype != np.uint8 or lengths.dtype != np.uint32:
            raise TallytextError("this is not a vocabulary: its arrays must be uint8 and uint32.")
        try:
            return cls._from_native(NativeVocabulary.from_arrays(arena, lengths))
        except (TypeError, ValueError) as problem:
            raise TallytextError(f"this is not a vocabulary: {problem}") from None

    def save(self, path: str | Path) -> None:
        """Write the terms to a file (safetensors: the bytes of all terms and their lengths).

        Parameters
        ----------
        path : str or Path
            The file; an existing one is replaced.
        """
        arena, lengths = self.to_arrays()
        save_arrays(path, {"terms": arena, "lengths": lengths}, {"kind": "tallytext.vocabulary"})

    @classmethod
    def load(cls, path: str | Path) -> Vocabulary:
        """Read a file that :meth:`save` wrote.

        Parameters
        ----------
        path : str or Path
            The file.

        Raises
        ------
        FileError
            If the file is missing, damaged, or not a vocabulary.
        """
        # Format 0 had no checksums; its vocabularies can still be read.
        arrays, _ = load_arrays(path, kind="tallytext.vocabulary", oldest=0)
        try:
            return cls.from_arrays(arrays["terms"], arrays["lengths"])
        except KeyError as missing:
            raise FileError(f"cannot read {str(path)!r}: it lacks the array {missing}.") from None
        except TallytextError as problem:
            raise FileError(f"cannot read {str(path)!r}: {problem}") from None

    def __len__(self) -> int:
        return len(self.native)

    def __contains__(self, term: object) -> bool:
        return isinstance(term, str) and int(self.native.ids([term])[0]) >= 0

    def __getitem__(self, term: str) -> int:
        id = int(self.native.ids([term])[0])
        if id < 0:
            raise KeyError(term)
        return id

    def __iter__(self) -> Iterator[str]:
        return iter(self.terms().tolist())

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Vocabulary):
            return NotImplemented
        if self.native is other.native:
            return True
        (arena, lengths), (their_arena, their_lengths) = self.to_arrays(), other.to_arrays()
        # Lengths too: the same bytes can be split into other terms.
        return np.array_equal(lengths, their_lengths) and np.array_equal(arena, their_arena)

    __hash__ = None  # type: ignore[assignment]

    def __getstate__(self) -> dict[str, Any]:
        arena, lengths = self.to_arrays()
        return {"terms": arena.tobytes(), "lengths": lengths, "frozen": self.is_frozen}

    def __setstate__(self, state: dict[str, Any]) -> None:
        arena = np.frombuffer(state["terms"], dtype=np.uint8)
        self.native = self.from_arrays(arena, state["lengths"]).native
        self.is_frozen = state["frozen"]

    def __repr__(self) -> str:
        return f"<Vocabulary of {len(self):,} terms{', frozen' if self.is_frozen else ''}>"


def fixed_vocabulary(terms: Vocabulary | Mapping[str, int] | Iterable[str]) -> Vocabulary:
    """Return the frozen vocabulary given by a ``vocabulary=`` parameter.

    Parameters
    ----------
    terms : Vocabulary, mapping or iterable of str
        A mapping gives each term its id, from 0 on without gaps; a set is read in sorted order.

    Raises
    ------
    VocabularyError
        If it is empty, repeats a term, or has ids that repeat or leave gaps.

    Examples
    --------
    >>> list(fixed_vocabulary({"b": 1, "a": 0}))
    ['a', 'b']
    """
    if isinstance(terms, Iterator):
        raise VocabularyError("the vocabulary must be a list, a set or a mapping, not an iterator.")
    if isinstance(terms, Vocabulary):
        return terms if terms.is_frozen else terms.copy().freeze()
    if isinstance(terms, Mapping):
        ordered = sorted(terms, key=terms.__getitem__)
        if [terms[term] for term in ordered] != list(range(len(ordered))):
            raise VocabularyError(
                "the ids of the vocabulary must be 0, 1, 2 … each once, without gaps."
            )
    else:
        ordered = sorted(terms) if isinstance(terms, set | frozenset) else _list_terms(terms)
    vocabulary = Vocabulary(ordered)
    if len(vocabulary) != len(ordered):
        repeated = next(term for i, term in enumerate(ordered) if vocabulary[term] != i)
        raise VocabularyError(f"the vocabulary has the term {repeated!r} twice.")
    if not ordered:
        raise VocabularyError("the vocabulary is empty.")
    return vocabulary.freeze()


def _list_terms(terms: Iterable[str]) -> list[str]:
    if isinstance(terms, str):
        raise TypeError("terms must be an iterable of strings, not one string")
    return terms if isinstance(terms, list) else list(terms)


def _check_ids(ids: Any, size: int) -> NDArray[np.int32]:
    given = np.asarray(ids)
    if given.size and given.dtype.kind not in "iu":
        raise TypeError(f"ids must be whole numbers, not {given.dtype}")
    if given.size and not (given.min() >= 0 and given.max() < size):
        raise IndexError(f"no term has this id: there are {size:,} terms")
    return np.ascontiguousarray(given, dtype=np.int32)

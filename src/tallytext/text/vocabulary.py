"""Term to id and back: append-only, so that an id means the same term for ever."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tallytext._core import Vocabulary as NativeVocabulary
from tallytext.errors import FileError, FrozenVocabularyError, TallytextError, VocabularyError
from tallytext.io.safetensors import load_arrays, save_arrays


class Vocabulary:
    """An append-only numbering of terms.

    Ids are handed out in order of arrival and never reused, so two parts that share a prefix of
    the vocabulary can be added without renumbering it. All terms lie in one block of bytes.

    Parameters
    ----------
    terms : iterable of str, default=()
        The first terms, in order; a term that comes again keeps its first id.

    Examples
    --------
    >>> vocabulary = Vocabulary(["to", "be"])
    >>> vocabulary.add(["or", "not", "to", "be"])
    array([2, 3, 0, 1], dtype=int32)
    >>> vocabulary["not"], vocabulary.term(3), "question" in vocabulary
    (3, 'not', False)
    """

    def __init__(self, terms: Iterable[str] = ()) -> None:
        self._native = NativeVocabulary()
        self._frozen = False
        self.add(terms)

    @classmethod
    def _of(cls, native: NativeVocabulary, frozen: bool = False) -> Vocabulary:
        vocabulary = cls.__new__(cls)
        vocabulary._native, vocabulary._frozen = native, frozen
        return vocabulary

    @property
    def native(self) -> NativeVocabulary:
        """The core's own vocabulary, which counting works on."""
        return self._native

    @property
    def frozen(self) -> bool:
        """Whether new terms are refused."""
        return self._frozen

    def freeze(self) -> Vocabulary:
        """Refuse new terms from now on; returns the vocabulary itself."""
        self._frozen = True
        return self

    def copy(self) -> Vocabulary:
        """Return an independent vocabulary with the same ids, not frozen."""
        return self._of(NativeVocabulary(self._native))

    def add(self, terms: Iterable[str]) -> NDArray[np.int32]:
        """Return the ids of ``terms``, appending those that are new.

        Parameters
        ----------
        terms : iterable of str
            The terms.

        Raises
        ------
        FrozenVocabularyError
            If the vocabulary is frozen and a term is new. Nothing is added then.
        """
        wanted = _listed(terms)
        if not self._frozen:
            return self._native.add(wanted)
        ids = self._native.ids(wanted)
        if (ids < 0).any():
            new = wanted[int(np.argmax(ids < 0))]
            raise FrozenVocabularyError(f"cannot add the term {new!r}: this vocabulary is frozen.")
        return ids

    def merge(self, other: Vocabulary) -> NDArray[np.int32]:
        """Append the terms of ``other`` that are new; return where each of its ids went.

        Parameters
        ----------
        other : Vocabulary
            Another vocabulary.
        """
        if self._frozen and other is not self:
            return self.add(other.terms().tolist())
        return self._native.merge(other._native)

    def locate(self, other: Vocabulary) -> NDArray[np.int32]:
        """Return where each id of ``other`` lies here, -1 for terms that are unknown.

        Parameters
        ----------
        other : Vocabulary
            Another vocabulary.
        """
        return self._native.locate(other._native)

    def ids(self, terms: Iterable[str]) -> NDArray[np.int32]:
        """Return the ids of ``terms``, -1 for those that are unknown.

        Parameters
        ----------
        terms : iterable of str
            The terms.
        """
        return self._native.ids(_listed(terms))

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
            self._native.fill_terms(array)
            return array
        wanted = _checked_ids(ids, len(self))
        array = np.empty(len(wanted), dtype=object)
        self._native.fill_terms(array, wanted)
        return array

    def term(self, id: int) -> str:
        """Return the term with this id.

        Parameters
        ----------
        id : int
            Its number, from 0.
        """
        return str(self.terms([id])[0])

    def sorted(self) -> NDArray[np.int32]:
        """Return all ids, by the code points of their terms."""
        return self._native.sorted()

    def ranks(self) -> dict[str, int]:
        """Return the place of each term among the sorted terms, in that order.

        Examples
        --------
        >>> Vocabulary(["to", "be", "or"]).ranks()
        {'be': 0, 'or': 1, 'to': 2}
        """
        return self._native.ranks()

    def to_arrays(self) -> tuple[NDArray[np.uint8], NDArray[np.uint32]]:
        """Return the bytes of all terms, laid end to end, and the length of each.

        Examples
        --------
        >>> Vocabulary(["to", "be"]).to_arrays()
        (array([116, 111,  98, 101], dtype=uint8), array([2, 2], dtype=uint32))
        """
        lengths = self._native.lengths()
        # Terms that another thread adds meanwhile lie behind these.
        return self._native.arena()[: int(lengths.sum(dtype=np.int64))], lengths

    @classmethod
    def from_arrays(cls, arena: NDArray[np.uint8], lengths: NDArray[np.uint32]) -> Vocabulary:
        """Read what :meth:`to_arrays` returned, and check all of it.

        Parameters
        ----------
        arena : ndarray of uint8
            The bytes of all terms.
        lengths : ndarray of uint32
            How many bytes each has.

        Raises
        ------
        TallytextError
            If the arrays are of another kind, contradict each other, or repeat a term.
        """
        if arena.dtype != np.uint8 or lengths.dtype != np.uint32:
            raise TallytextError("this is not a vocabulary: its arrays are of another type.")
        try:
            return cls._of(NativeVocabulary.from_arrays(arena, lengths))
        except (TypeError, ValueError) as problem:
            raise TallytextError(f"this is not a vocabulary: {problem}") from None

    def save(self, path: str | Path) -> None:
        """Write the terms to a file (safetensors: the bytes of all terms and their lengths).

        Parameters
        ----------
        path : str or Path
            The file, which is replaced if it is there.
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
            If the file is missing, damaged, or holds something else.
        """
        arrays, _ = load_arrays(path, kind="tallytext.vocabulary", oldest=0)
        try:
            return cls.from_arrays(arrays["terms"], arrays["lengths"])
        except KeyError as missing:
            raise FileError(f"cannot read {str(path)!r}: it lacks the array {missing}.") from None
        except TallytextError as problem:
            raise FileError(f"cannot read {str(path)!r}: {problem}") from None

    def __len__(self) -> int:
        return len(self._native)

    def __contains__(self, term: object) -> bool:
        return isinstance(term, str) and int(self._native.ids([term])[0]) >= 0

    def __getitem__(self, term: str) -> int:
        id = int(self._native.ids([term])[0])
        if id < 0:
            raise KeyError(term)
        return id

    def __iter__(self) -> Iterator[str]:
        return iter(self.terms().tolist())

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Vocabulary):
            return NotImplemented
        if self._native is other._native:
            return True
        (arena, lengths), (their_arena, their_lengths) = self.to_arrays(), other.to_arrays()
        return np.array_equal(lengths, their_lengths) and np.array_equal(arena, their_arena)

    __hash__ = None  # type: ignore[assignment]

    def __getstate__(self) -> dict[str, Any]:
        arena, lengths = self.to_arrays()
        return {"terms": arena.tobytes(), "lengths": lengths, "frozen": self._frozen}

    def __setstate__(self, state: dict[str, Any]) -> None:
        arena = np.frombuffer(state["terms"], dtype=np.uint8)
        self._native = self.from_arrays(arena, state["lengths"])._native
        self._frozen = state["frozen"]

    def __repr__(self) -> str:
        return f"<Vocabulary of {len(self):,} terms{', frozen' if self._frozen else ''}>"


def given_vocabulary(terms: Vocabulary | Mapping[str, int] | Iterable[str]) -> Vocabulary:
    """Return the frozen vocabulary that a user spelt out.

    Parameters
    ----------
    terms : Vocabulary, mapping or iterable of str
        A mapping gives each term its id, from 0 on without gaps; a set is taken in sorted order.

    Raises
    ------
    VocabularyError
        If it is empty, repeats a term, or has ids that repeat or leave gaps.

    Examples
    --------
    >>> list(given_vocabulary({"b": 1, "a": 0}))
    ['a', 'b']
    """
    if isinstance(terms, Iterator):
        raise VocabularyError("the vocabulary must be a list, a set or a mapping, not an iterator.")
    if isinstance(terms, Vocabulary):
        return terms if terms.frozen else terms.copy().freeze()
    if isinstance(terms, Mapping):
        ordered = sorted(terms, key=terms.__getitem__)
        if [terms[term] for term in ordered] != list(range(len(ordered))):
            raise VocabularyError(
                "the ids of the vocabulary must be 0, 1, 2 … each once, without gaps."
            )
    else:
        ordered = sorted(terms) if isinstance(terms, set | frozenset) else _listed(terms)
    vocabulary = Vocabulary(ordered)
    if len(vocabulary) != len(ordered):
        again = next(term for i, term in enumerate(ordered) if vocabulary[term] != i)
        raise VocabularyError(f"the vocabulary has the term {again!r} twice.")
    if not ordered:
        raise VocabularyError("the vocabulary is empty.")
    return vocabulary.freeze()


def _listed(terms: Iterable[str]) -> list[str]:
    if isinstance(terms, str):
        raise TypeError("terms must be an iterable of strings, not one string")
    return terms if isinstance(terms, list) else list(terms)


def _checked_ids(ids: Any, size: int) -> NDArray[np.int32]:
    given = np.asarray(ids)
    if given.size and given.dtype.kind not in "iu":
        raise TypeError(f"ids must be whole numbers, not {given.dtype}")
    if given.size and not (given.min() >= 0 and given.max() < size):
        raise IndexError(f"no term has this id: there are {size:,} terms")
    return np.ascontiguousarray(given, dtype=np.int32)

"""A translation as plain arrays: what semantic smoothing needs of one, and what a file keeps."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from tallytext.errors import FileError
from tallytext.vocabulary import Vocabulary

Arrays = dict[str, NDArray[Any]]

_KINDS = (0, 1, 2)
_ROUNDING = 1e-6


@dataclass(frozen=True, eq=False, repr=False)
class Translation:
    """Rows p(w|t) and the names of what they are of, without what they were learned by.

    Attributes
    ----------
    words_ : ndarray of str
        The words.
    signatures_ : ndarray of str
        The signatures, one for each row.
    kinds_ : ndarray of int8
        0 for a word, 1 for a phrase, 2 for a concept.
    rows_ : CSR matrix of shape (n_signatures, n_words)
        Each row sums to one.
    phrase_weight : float
        The share of phrases and concepts beside words.
    phrases_ : ndarray of str
        All phrases and concepts, those without a row included.

    Examples
    --------
    >>> translation = Translation(np.array(["sea", "wave"]), np.array(["sea"]),
    ...                           np.array([0], np.int8), sparse.csr_array([[0.7, 0.3]]), 0.5,
    ...                           np.array([], dtype=str))
    >>> translation.get_feature_names_out().tolist()
    ['sea', 'wave']
    """

    words_: NDArray[Any]
    signatures_: NDArray[Any]
    kinds_: NDArray[np.int8]
    rows_: Any
    phrase_weight: float
    phrases_: NDArray[Any]

    @classmethod
    def like(cls, translation: Any) -> Translation:
        """Return the plain arrays of a translation.

        Parameters
        ----------
        translation : TranslationModel or Translation
            The translation.
        """
        if isinstance(translation, cls):
            return translation
        n_words = len(translation.words_)
        return cls(
            words_=translation.words_,
            signatures_=translation.signatures_,
            kinds_=np.asarray(translation.kinds_, dtype=np.int8),
            rows_=sparse.csr_array(translation.rows_),
            phrase_weight=float(translation.phrase_weight),
            phrases_=np.asarray(translation.get_feature_names_out()[n_words:]),
        )

    def __repr__(self) -> str:
        return (
            f"<Translation of {len(self.signatures_):,} signatures into {len(self.words_):,} words>"
        )

    def get_feature_names_out(self) -> NDArray[Any]:
        """Return the words, then the phrases and concepts."""
        return np.array([*self.words_.tolist(), *self.phrases_.tolist()], dtype=object)

    def to_arrays(self) -> Arrays:
        """Return the translation for a file, names and all."""
        words, phrases = (Vocabulary(map(str, names)) for names in (self.words_, self.phrases_))
        terms, lengths = words.to_arrays()
        phrase_terms, phrase_lengths = phrases.to_arrays()
        signatures, rows = list(map(str, self.signatures_)), self.rows_
        at = np.where(self.kinds_ == 0, words.ids(signatures), phrases.ids(signatures))
        return {
            "terms": terms,
            "lengths": lengths,
            "phrase_terms": phrase_terms,
            "phrase_lengths": phrase_lengths,
            "signatures": at.astype(np.int32),
            "kinds": np.asarray(self.kinds_, dtype=np.int8),
            "starts": rows.indptr.astype(np.int64),
            "words": rows.indices.astype(np.int32),
            "values": rows.data.astype(np.float64),
            "phrase_weight": np.array([self.phrase_weight], dtype=np.float64),
        }

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, NDArray[Any]]) -> Translation:
        """Read what :meth:`to_arrays` returned, and check all of it.

        Parameters
        ----------
        arrays : mapping of str to ndarray
            The arrays of it.

        Raises
        ------
        FileError
            If these are not the arrays of a translation.

        Examples
        --------
        >>> row = sparse.csr_array([[0.7, 0.3]])
        >>> names = np.array(["sea", "wave"])
        >>> kept = Translation(names, names[:1], np.zeros(1, np.int8), row, 0.5, names[:0])
        >>> Translation.from_arrays(kept.to_arrays()).words_.tolist()
        ['sea', 'wave']
        """
        words, phrases = _names(arrays, ""), _names(arrays, "phrase_")
        weight = _array(arrays, "phrase_weight", np.float64)
        _expect(len(weight) == 1 and 0 <= weight[0] <= 1, "phrase_weight")
        at, kinds = _array(arrays, "signatures", np.int32), _array(arrays, "kinds", np.int8)
        _expect(len(kinds) == len(at) and bool(np.isin(kinds, _KINDS).all()), "kinds")
        _expect_inside("signatures", at[kinds == 0], len(words))
        _expect_inside("signatures", at[kinds > 0], len(phrases))
        places = at + np.where(kinds > 0, len(words), 0)
        _expect(len(np.unique(places)) == len(places), "signatures")
        signatures = np.append(words, phrases)[places]
        rows = _rows(arrays, len(at), len(words))
        return cls(words, signatures, kinds, rows, float(weight[0]), phrases)


def same_translation(one: Any, other: Any) -> bool:
    """Whether two translations have the same rows, whatever they were learned by.

    Examples
    --------
    >>> names, row = np.array(["sea", "wave"]), sparse.csr_array([[0.7, 0.3]])
    >>> kept = Translation(names, names[:1], np.zeros(1, np.int8), row, 0.5, names[:0])
    >>> same_translation(kept, Translation.from_arrays(kept.to_arrays()))
    True
    """
    if one is other:
        return True
    if not (hasattr(one, "rows_") and hasattr(other, "rows_")):
        return False
    pairs = zip(*(_compared(Translation.like(each)) for each in (one, other)), strict=True)
    return all(np.array_equal(mine, theirs) for mine, theirs in pairs)


def _compared(kept: Translation) -> list[Any]:
    names = [kept.words_, kept.signatures_, kept.phrases_, kept.kinds_, kept.phrase_weight]
    return [*names, kept.rows_.indptr, kept.rows_.indices, kept.rows_.data]


def _names(arrays: Mapping[str, NDArray[Any]], which: str) -> NDArray[Any]:
    terms = _array(arrays, which + "terms", np.uint8)
    lengths = _array(arrays, which + "lengths", np.uint32)
    return Vocabulary.from_arrays(terms, lengths).terms()


def _rows(arrays: Mapping[str, NDArray[Any]], n_rows: int, n_words: int) -> Any:
    starts, words = _array(arrays, "starts", np.int64), _array(arrays, "words", np.int32)
    values = _array(arrays, "values", np.float64)
    whole = len(starts) == n_rows + 1 and starts[0] == 0 and starts[-1] == len(words)
    _expect(whole and len(values) == len(words) and bool((np.diff(starts) >= 0).all()), "starts")
    _expect_inside("words", words, n_words)
    _expect(bool((np.isfinite(values) & (values >= 0)).all()), "values")
    made = sparse.csr_array((values, words, starts), shape=(n_rows, n_words))
    _expect(bool((np.abs(made.sum(axis=1) - 1.0) < _ROUNDING).all()), "values")
    return made


def _array(arrays: Mapping[str, NDArray[Any]], name: str, dtype: type[Any]) -> NDArray[Any]:
    found = arrays.get(name)
    if not isinstance(found, np.ndarray) or found.dtype != dtype or found.ndim != 1:
        raise FileError(f"this is no translation: {name!r} must be an array of {dtype.__name__}.")
    return np.array(found)


def _expect_inside(name: str, numbers: NDArray[Any], most: int) -> None:
    _expect(not numbers.size or bool(numbers.min() >= 0 and numbers.max() < most), name)


def _expect(holds: bool, name: str) -> None:
    if not holds:
        raise FileError(f"this is no translation: its {name} cannot be.")

"""Semantic smoothing: words that are often near those of a class share in its probability."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, Self

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from tallytext._typing import FloatArray
from tallytext._validation import check_between
from tallytext.errors import CountError, FileError, RecipeError
from tallytext.models.smoothing.base import Classes, Corpus, Smoothing, safe_ratio
from tallytext.text.vocabulary import Vocabulary

# ------------------------------------------------------------------------------------------------
# How much of semantic smoothing: what judges left-out documents best.

WEIGHTS = [step / 10 for step in range(10)]
ALPHAS = [step / 10 for step in range(1, 10)]

Accuracies = Callable[[Sequence[Any]], list[float]]


def best_of(candidates: Sequence[Any], accuracies: Accuracies) -> Any | None:
    """Return the candidate of the highest accuracy, the first of equal ones.

    None if nothing was right under any of them, so that they say nothing.

    Examples
    --------
    >>> best_of([0.1, 0.2, 0.3], lambda candidates: [0.5, 0.7, 0.7])
    0.2
    """
    found = accuracies(candidates)
    highest = max(found)
    return candidates[found.index(highest)] if highest > 0 else None


# ------------------------------------------------------------------------------------------------
# From counts of signatures to the words they stand for: the linear part of semantic smoothing.

_ATTRIBUTES = ("words_", "signatures_", "kinds_", "rows_", "phrase_weight", "get_feature_names_out")
_NOTHING = 1e-9  # of what was there: less is what rounding leaves

Locate = Callable[[Iterable[str]], NDArray[Any]]


@dataclass(frozen=True, eq=False)
class Signatures:
    """Where the words and signatures of a translation are among the columns of a model.

    Attributes
    ----------
    words : ndarray of int of shape (n_words,)
        The column of each word, -1 for one that the model does not have.
    columns : ndarray of int of shape (n_signatures,)
        The column of each signature with a row, or -1.
    only : ndarray of int
        Columns that are signatures and nothing else: phrases and concepts.
    group : ndarray of int of shape (n_signatures,)
        The group of each signature: 0 for words, 1 for phrases and concepts.
    shares : ndarray of shape (n_groups,)
        What each group has where all of them are there.
    rows : CSR matrix of shape (n_signatures, n_words)
        p(w|t), each row summing to one.
    """

    words: NDArray[Any]
    columns: NDArray[Any]
    only: NDArray[Any]
    group: NDArray[Any]
    shares: FloatArray
    rows: Any

    @classmethod
    def of(cls, translation: Any, locate: Locate | None, width: int) -> Signatures:
        """Find a translation's words and signatures among columns.

        Parameters
        ----------
        translation : TranslationModel
            Fitted.
        locate : callable
            From names to columns, -1 for names that have none; None if columns have no names.
        width : int
            How many columns there are.
        """
        check_translation(translation)
        names = [str(name) for name in translation.get_feature_names_out()]
        n_words, kinds = len(translation.words_), np.asarray(translation.kinds_)
        at = _columns(names, locate, width)
        # A word and a phrase may be spelt alike.
        places = [
            dict(zip(names[part], at[part].tolist(), strict=True))
            for part in (slice(n_words), slice(n_words, None))
        ]
        spelt = zip(kinds.tolist(), map(str, translation.signatures_), strict=True)
        columns = np.array([places[kind > 0].get(name, -1) for kind, name in spelt], np.intp)
        group = (kinds != 0).astype(np.intp)
        parts = [1.0 - translation.phrase_weight, float(translation.phrase_weight)]
        if len(np.unique(group)) < 2:
            parts = [1.0, 1.0]
        return cls(
            words=at[:n_words],
            columns=columns,
            only=np.setdiff1d(at[n_words:], [-1, *at[:n_words]]),
            group=group,
            shares=np.array(parts),
            rows=sparse.csr_array(translation.rows_),
        )

    def counted(self, counts: Any) -> Any:
        """Return the counts of signatures, a CSR matrix of shape (n, n_signatures).

        Parameters
        ----------
        counts : CSR matrix of shape (n, n_columns)
            Of classes or of documents.
        """
        known = np.flatnonzero(self.columns >= 0)
        found = sparse.csr_array(counts[:, self.columns[known]])
        shape = counts.shape[0], len(self.columns)
        return sparse.csr_array((found.data, known[found.indices], found.indptr), shape=shape)

    def sizes(self, counted: Any) -> FloatArray:
        """Return how many signatures of each group there are, groups by rows."""
        rows, n = _row_of_entry(counted), counted.shape[0]
        inside = self.group[counted.indices]
        return np.array(
            [np.bincount(rows, counted.data * (inside == k), n) for k in range(len(self.shares))]
        )

    def mixed(self, counts: Any) -> Any:
        """Return p_t of each row of counts, before it is brought to the words of a model."""
        counted = self.counted(counts)
        factors = self.factors(self.sizes(counted))
        counted.data = counted.data * factors[self.group[counted.indices], _row_of_entry(counted)]
        counted.eliminate_zeros()
        return sparse.csr_array(counted @ self.rows)

    def translated(self, counts: Any) -> Translations:
        """Return what the signatures of each row of counts stand for, group by group."""
        counted = self.counted(counts)
        words = []
        for k in range(len(self.shares)):
            part = counted.copy()
            part.data[self.group[part.indices] != k] = 0.0
            part.eliminate_zeros()
            words.append(sparse.csr_array(part @ self.rows))
        return Translations(words, self.sizes(counted))

    def factors(self, sizes: FloatArray) -> FloatArray:
        """Return what the sums of each group are multiplied by, so that together they are one.

        Parameters
        ----------
        sizes : ndarray of shape (n_groups, ...)
            How many signatures of each group there are.
        """
        shares = self.shares.reshape(-1, *[1] * (sizes.ndim - 1)) * (sizes > 0)
        return safe_ratio(safe_ratio(shares, shares.sum(axis=0), 0.0), sizes, 0.0)


@dataclass(frozen=True, eq=False)
class Translations:
    """What the signatures of classes or documents stand for.

    Attributes
    ----------
    words : list of CSR matrix of shape (n, n_words)
        For each group the sum of the rows of its signatures, each as often as it was counted.
    sizes : ndarray of shape (n_groups, n)
        How many signatures of each group were counted.
    """

    words: list[Any]
    sizes: FloatArray

    def mixed(self, factors: FloatArray) -> Any:
        """Return the groups of each row together, a CSR matrix of shape (n, n_words)."""
        parts = [
            sparse.diags_array(factor) @ words
            for factor, words in zip(factors, self.words, strict=True)
        ]
        return sparse.csr_array(sum(parts[1:], parts[0]))


def _row_of_entry(matrix: Any) -> NDArray[np.intp]:
    return np.repeat(np.arange(matrix.shape[0]), np.diff(matrix.indptr))


def less(whole: FloatArray, part: FloatArray) -> FloatArray:
    """Return what is left of something, exactly zero where only rounding would be."""
    left = whole - part
    return np.where(left > _NOTHING * np.abs(whole), left, 0.0)


def check_translation(translation: Any) -> None:
    """Refuse what is no fitted translation."""
    missing = [name for name in _ATTRIBUTES if not hasattr(translation, name)]
    if missing:
        raise ValueError(
            f"translation must be a fitted TranslationModel, but {translation!r:.60} has no "
            f"{missing[0]}."
        )
    check_between("phrase_weight", translation.phrase_weight, 0.0, 1.0)
    shape = (len(translation.signatures_), len(translation.words_))
    if translation.rows_.shape != shape or len(translation.kinds_) != shape[0]:
        raise ValueError(
            f"this translation has rows of shape {translation.rows_.shape} for {shape[0]} "
            f"signatures and {shape[1]} words."
        )


def _columns(names: list[str], locate: Locate | None, width: int) -> NDArray[Any]:
    if locate is not None:
        at = np.asarray(locate(names))
        return np.where(at < width, at, -1)
    if len(names) != width:
        raise CountError(
            f"the counts have {width:,} columns without names, but the translation has "
            f"{len(names):,}. Make them by translation.transform, or give columns names."
        )
    return np.arange(width)


# ------------------------------------------------------------------------------------------------
# A translation as plain arrays: what semantic smoothing needs of one, and what a file keeps.

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
        _check_inside("signatures", at[kinds == 0], len(words))
        _check_inside("signatures", at[kinds > 0], len(phrases))
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
    _check_inside("words", words, n_words)
    _expect(bool((np.isfinite(values) & (values >= 0)).all()), "values")
    made = sparse.csr_array((values, words, starts), shape=(n_rows, n_words))
    _expect(bool((np.abs(made.sum(axis=1) - 1.0) < _ROUNDING).all()), "values")
    return made


def _array(arrays: Mapping[str, NDArray[Any]], name: str, dtype: type[Any]) -> NDArray[Any]:
    found = arrays.get(name)
    if not isinstance(found, np.ndarray) or found.dtype != dtype or found.ndim != 1:
        raise FileError(f"this is no translation: {name!r} must be an array of {dtype.__name__}.")
    return np.array(found)


def _check_inside(name: str, numbers: NDArray[Any], most: int) -> None:
    _expect(not numbers.size or bool(numbers.min() >= 0 and numbers.max() < most), name)


def _expect(holds: bool, name: str) -> None:
    if not holds:
        raise FileError(f"this is no translation: its {name} cannot be.")


_RULE = "leave-one-out"
_DEFAULTS = {"weight": 0.4, "alpha": 0.5}


@dataclass(frozen=True)
class Semantic(Smoothing):
    r"""Mix each class with the words that its signatures stand for (Zhou et al.).

    .. math:: p(w \mid c) = (1 - \lambda_c) \left[(1 - \alpha) \frac{N_{cw}}{T_c}
              + \alpha \frac{T_w}{T}\right] + \lambda_c\, p_t(w \mid c), \qquad
              p_t(w \mid c) = \sum_t p(w \mid t)\, \frac{n_{ct}}{\sum_s n_{cs}}

    A signature t is a word, a phrase or a concept for which ``translation`` has a row
    :math:`p(w \mid t)`; :math:`n_{ct}` is its count in the class. :math:`\lambda_c` is ``weight``,
    but zero for a class without tokens or without signatures. Where there are words and phrases,
    :math:`p_t` is their mixture by ``translation.phrase_weight``. It is brought to the words that
    the model knows, and to a sum of one. What is below 1e-5 then goes to the background, so that
    few cells need a number of their own.

    Columns are matched to words and signatures by their names. A matrix without names must have
    the columns of ``translation.get_feature_names_out()``. Columns of phrases and of concepts are
    signatures only: they are counted for :math:`n_{ct}` and otherwise ignored.

    Parameters
    ----------
    translation : TranslationModel
        The rows, and the words and signatures they are of.
    weight : float or "leave-one-out", default=0.4
        :math:`\lambda`, from 0 to 1. With "leave-one-out" that of 0, 0.1, ... 0.9 under which most
        training documents are judged right when each is left out, the smallest of equal ones. It
        needs documents, and two of a class; it is 0.4 if there are none such.
    alpha : float or "leave-one-out", default=0.5
        The share of the unigram of all documents, above 0 and at most 1; or chosen of 0.1, 0.2,
        ... 0.9 in the same way, after the weight, which is then chosen for an alpha of 0.5.

    Examples
    --------
    Two documents, one without a label, and a translation by which "sea" stands for "wave", too:

    >>> from scipy.sparse import csr_array
    >>> from tallytext import MultinomialNB
    >>> from tallytext.models import Translation
    >>> words = np.array(["sea", "sky", "wave"])
    >>> rows = csr_array([[0.6, 0.0, 0.4], [0.0, 1.0, 0.0]])
    >>> translation = Translation(words, words[:2], np.zeros(2, np.int8), rows, 0.5, words[:0])
    >>> model = MultinomialNB(Semantic(translation), multi_label=False)
    >>> model = model.fit([[2, 0, 0], [0, 2, 0], [0, 0, 1]], [["water"], ["air"], []])
    >>> model.predict([[0, 0, 1]])
    array(['water'], dtype='<U5')
    """

    translation: Any = None
    weight: float | Literal["leave-one-out"] = 0.4
    alpha: float | Literal["leave-one-out"] = 0.5

    def __post_init__(self) -> None:
        for name, least in (("weight", 0.0), ("alpha", 1e-12)):
            value = getattr(self, name)
            if isinstance(value, str):
                if value != _RULE:
                    raise ValueError(f"{name} must be a number or {_RULE!r}, not {value!r}.")
            else:
                check_between(name, value, least, 1.0)

    @property
    def local(self) -> bool:
        """Whether f / gamma of a class follows from its own counts alone: not if words vanish."""
        return False

    @property
    def translates(self) -> bool:
        """Whether columns stand for other words."""
        return True

    def seen(self, counts: FloatArray, classes: Classes) -> FloatArray:
        """Return f of counts, without what signatures add."""
        kept = (1 - self._shares(classes)) * (1 - _number("alpha", self.alpha))
        return safe_ratio(kept * counts, classes.tokens, 0.0)

    def translated(self, shares: FloatArray, classes: Classes) -> FloatArray:
        """Return what signatures add to words of which p_t is given."""
        return self._shares(classes) * shares

    def freed(self, classes: Classes) -> FloatArray:
        """Return gamma of each class."""
        shares = self._shares(classes)
        mass = (1 - shares) * _number("alpha", self.alpha) + shares * classes.pruned
        return np.where(classes.tokens > 0, mass, 1.0)

    def signatures(
        self, locate: Callable[[Iterable[str]], NDArray[Any]] | None, width: int
    ) -> Signatures:
        """Return where words and signatures are among the columns of a model."""
        return Signatures.of(self.translation, locate, width)

    def resolved(self, corpus: Corpus) -> Self:
        """Return the smoothing with numbers for its weight and for alpha.

        Raises
        ------
        RecipeError
            If one is to be chosen and there are no documents to choose it from.
        """
        if not isinstance(self.weight, str) and not isinstance(self.alpha, str):
            return self
        if corpus.left_out is None:
            raise RecipeError(
                f"weight={self.weight!r}, alpha={self.alpha!r} cannot be found from sums alone: "
                "fit on the training documents, or give numbers."
            )
        found = self
        for name, values in (("weight", WEIGHTS), ("alpha", ALPHAS)):
            if isinstance(getattr(self, name), str):
                found = found._best(name, values, corpus.left_out)
        return found

    def _best(self, name: str, values: list[float], accuracies: Accuracies) -> Self:
        """Return the smoothing with the best value of a parameter; others are as by default."""
        plain = {each: value for each, value in _DEFAULTS.items() if each != name}
        here = {each: plain[each] for each in plain if isinstance(getattr(self, each), str)}
        candidates = [replace(self, **here, **{name: value}) for value in values]
        best = best_of(candidates, accuracies)
        value = _DEFAULTS[name] if best is None else getattr(best, name)
        return replace(self, **{name: value})

    def _shares(self, classes: Classes) -> FloatArray:
        """Return lambda of each class."""
        weight = _number("weight", self.weight)
        return np.where(np.logical_and(classes.usable, classes.tokens > 0), weight, 0.0)

    def __eq__(self, other: object) -> bool:
        # Files hold rows, and not what they were learned by: what was loaded is still the same.
        if not isinstance(other, Semantic):
            return NotImplemented
        numbers = (self.weight, self.alpha) == (other.weight, other.alpha)
        return numbers and same_translation(self.translation, other.translation)

    def __hash__(self) -> int:
        return hash((Semantic, self.weight, self.alpha))

    def __deepcopy__(self, memo: Any) -> Self:
        # It never changes, and rows are large: copies of a model share them.
        return self


def _number(name: str, value: float | str) -> float:
    if isinstance(value, str):
        raise ValueError(f"{name}={value!r} is not a number yet: call resolved(corpus) first.")
    return value

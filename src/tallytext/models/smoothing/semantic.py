"""Semantic smoothing: mix each class with the words that its topic signatures translate to.

:class:`Semantic` is the smoothing, :class:`Translation` the rows p(w|t) as plain arrays, and
:class:`Signatures` the places of words and signatures among the columns of a model.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, Self, TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from tallytext._typing import FloatArray
from tallytext._validation import check_between
from tallytext.errors import CountError, FileError, RecipeError
from tallytext.models.smoothing.base import ClassStatistics, CorpusStatistics, Smoothing, safe_ratio
from tallytext.text.vocabulary import Vocabulary

Accuracies: TypeAlias = Callable[[Sequence[Any]], list[float]]
Locate: TypeAlias = Callable[[Iterable[str]], NDArray[Any]]
Arrays: TypeAlias = dict[str, NDArray[Any]]

_CHOOSE = "leave-one-out"
_DEFAULTS = {"weight": 0.4, "alpha": 0.5}
_WEIGHTS = [step / 10 for step in range(10)]
_ALPHAS = [step / 10 for step in range(1, 10)]

SIGNATURES = ("words", "phrases", "words+phrases")
"""Kinds of signatures that a classifier can learn a translation of."""

_ATTRIBUTES = ("words_", "signatures_", "kinds_", "rows_", "phrase_weight", "get_feature_names_out")
_KINDS = (0, 1, 2)  # words, phrases, concepts
_MIN_DIFFERENCE = 1e-9  # relative to the whole: a smaller difference is a rounding error
_SUM_TOLERANCE = 1e-6  # of the sum of a row, which is one


@dataclass(frozen=True)
class Semantic(Smoothing):
    r"""Mix each class with the translation of its signatures (Zhou et al.).

    .. math:: p(w \mid c) = (1 - \lambda_c) \left[(1 - \alpha) \frac{N_{cw}}{T_c}
              + \alpha \frac{T_w}{T}\right] + \lambda_c\, p_t(w \mid c), \qquad
              p_t(w \mid c) = \sum_t p(w \mid t)\, \frac{n_{ct}}{\sum_s n_{cs}}

    A signature t is a word, a phrase or a concept for which ``translation`` has a row
    :math:`p(w \mid t)`; :math:`n_{ct}` is its count in the class. :math:`\lambda_c` is ``weight``,
    but zero for a class without tokens or without signatures. Where there are words and phrases,
    :math:`p_t` is their mixture by ``translation.phrase_weight``. It is restricted to the words of
    the model and normalised. Probabilities below ``min_probability`` are then pruned and their mass
    goes to the background.

    Columns are matched to words and signatures by their names. A matrix without names must have
    the columns of ``translation.get_feature_names_out()``. Columns of phrases and of concepts are
    signatures only: they count for :math:`n_{ct}` and are otherwise ignored.

    Parameters
    ----------
    translation : TranslationModel, default=None
        The rows p(w|t), with the names of words and signatures. None, or a model that is not
        fitted: a :class:`~tallytext.TextClassifier` learns it from its training texts and from
        the texts without labels.
    weight : float or "leave-one-out", default=0.4
        :math:`\lambda`, from 0 to 1. "leave-one-out" chooses the value of 0, 0.1, ... 0.9 with the
        best leave-one-out accuracy on the training documents, the smallest if several are equal. It
        needs the documents; it is 0.4 if no class has two of them.
    alpha : float or "leave-one-out", default=0.5
        The share of the unigram of all documents, above 0 and at most 1. "leave-one-out" chooses
        it from 0.1, 0.2, ... 0.9 in the same way, after the weight, which is chosen at alpha = 0.5.
    signatures : {"words", "phrases", "words+phrases"}, default="words"
        The signatures to learn if there is no translation.
    min_probability : float, default=0.0
        Smaller values of :math:`p_t` are pruned. A limit such as 1e-5 saves memory if classes are
        very many, and changes some predictions.

    Examples
    --------
    Three documents, one without a label, and a translation of "sea" into "sea" and "wave":

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
    signatures: Literal["words", "phrases", "words+phrases"] = "words"
    min_probability: float = 0.0

    translates = True

    def __post_init__(self) -> None:
        check_between("min_probability", self.min_probability, 0.0, 1.0)
        if self.signatures not in SIGNATURES:
            raise ValueError(
                f"signatures must be one of {', '.join(map(repr, SIGNATURES))}, not "
                f"{self.signatures!r:.80}. For others, give TranslationModel(...) as translation."
            )
        for name, least in (("weight", 0.0), ("alpha", 1e-12)):
            value = getattr(self, name)
            if isinstance(value, str):
                if value != _CHOOSE:
                    raise ValueError(f"{name} must be a number or {_CHOOSE!r}, not {value!r}.")
            else:
                check_between(name, value, least, 1.0)

    @property
    def local(self) -> bool:
        """False: words that vanish change p_t of every class."""
        return False

    def seen_probability(self, counts: FloatArray, classes: ClassStatistics) -> FloatArray:
        """Return f of counts, without the translation."""
        share = (1 - self._translation_weight(classes)) * (1 - _number("alpha", self.alpha))
        return safe_ratio(share * counts, classes.tokens, 0.0)

    def translated_probability(self, shares: FloatArray, classes: ClassStatistics) -> FloatArray:
        """Return lambda p_t, the term that the translation adds to f."""
        return self._translation_weight(classes) * shares

    def backoff_mass(self, classes: ClassStatistics) -> FloatArray:
        """Return gamma of each class."""
        weight = self._translation_weight(classes)
        mass = (1 - weight) * _number("alpha", self.alpha) + weight * classes.pruned
        return np.where(classes.tokens > 0, mass, 1.0)

    def locate_signatures(
        self, locate: Callable[[Iterable[str]], NDArray[Any]] | None, width: int
    ) -> Signatures:
        """Return the columns of words and signatures in a model."""
        found = Signatures.from_translation(self.translation, locate, width)
        return replace(found, min_probability=self.min_probability)

    def choose_parameters(self, corpus: CorpusStatistics) -> Self:
        """Return the smoothing with numbers for its weight and for alpha.

        Raises
        ------
        RecipeError
            If one is to be chosen and there are no documents.
        """
        if not isinstance(self.weight, str) and not isinstance(self.alpha, str):
            return self
        if corpus.leave_one_out_accuracies is None:
            raise RecipeError(
                f"weight={self.weight!r}, alpha={self.alpha!r} cannot be chosen from sums alone: "
                "fit on the training documents, or give numbers."
            )
        found = self
        for name, values in (("weight", _WEIGHTS), ("alpha", _ALPHAS)):
            if isinstance(getattr(self, name), str):
                found = found._choose_best(name, values, corpus.leave_one_out_accuracies)
        return found

    def _choose_best(self, name: str, values: list[float], accuracies: Accuracies) -> Self:
        """Return the smoothing with the best value of one parameter; open ones have defaults."""
        plain = {each: value for each, value in _DEFAULTS.items() if each != name}
        is_open = [each for each in plain if isinstance(getattr(self, each), str)]
        here: dict[str, Any] = {each: plain[each] for each in is_open}
        candidates = [replace(self, **{**here, name: value}) for value in values]
        # No best candidate: every class loses its only document, so nothing can be chosen.
        best = _best_candidate(candidates, accuracies)
        chosen: dict[str, Any] = {name: _DEFAULTS[name] if best is None else getattr(best, name)}
        return replace(self, **chosen)

    def _translation_weight(self, classes: ClassStatistics) -> FloatArray:
        """Return lambda of each class."""
        weight = _number("weight", self.weight)
        return np.where(np.logical_and(classes.usable, classes.tokens > 0), weight, 0.0)

    def __repr__(self) -> str:
        translation = self.translation
        if hasattr(translation, "rows_"):
            translation = Translation.from_model(translation)
        parts = [f"translation={translation!r}", f"weight={self.weight!r}", f"alpha={self.alpha!r}"]
        if translation is None:
            parts[0] = f"signatures={self.signatures!r}"
        if self.min_probability:
            parts.append(f"min_probability={self.min_probability!r}")
        return f"Semantic({', '.join(parts)})"

    def __eq__(self, other: object) -> bool:
        # A file stores rows only, not the model that learned them, so compare the rows.
        if not isinstance(other, Semantic):
            return NotImplemented
        return self._values() == other._values() and same_translation(
            self.translation, other.translation
        )

    def __hash__(self) -> int:
        return hash((Semantic, *self._values()))

    def _values(self) -> tuple[Any, ...]:
        # The kind of signatures to learn has no meaning once there is a translation.
        learned = self.signatures if self.translation is None else None
        return self.weight, self.alpha, self.min_probability, learned

    def __deepcopy__(self, memo: Any) -> Self:
        # It is immutable and its rows are large: copies of a model share them.
        return self


def _number(name: str, value: float | str) -> float:
    if isinstance(value, str):
        raise ValueError(
            f"{name}={value!r} is not a number yet: call choose_parameters(corpus) first."
        )
    return value


def _best_candidate(candidates: Sequence[Any], accuracies: Accuracies) -> Any | None:
    """Return the first candidate with the highest accuracy; None if all accuracies are zero.

    Examples
    --------
    >>> _best_candidate([0.1, 0.2, 0.3], lambda candidates: [0.5, 0.7, 0.7])
    0.2
    """
    scores = accuracies(candidates)
    highest = max(scores)
    return candidates[scores.index(highest)] if highest > 0 else None


@dataclass(frozen=True, eq=False)
class Signatures:
    """Columns of the words and signatures of a translation in a model.

    Attributes
    ----------
    words : ndarray of int of shape (n_words,)
        The column of each word, -1 if the model does not have it.
    columns : ndarray of int of shape (n_signatures,)
        The column of each signature with a row, or -1.
    only : ndarray of int
        Columns of signatures that are not words: phrases and concepts.
    group : ndarray of int of shape (n_signatures,)
        The group of each signature: 0 for words, 1 for phrases and concepts.
    shares : ndarray of shape (n_groups,)
        Mixture weight of each group where a class has signatures of both.
    rows : CSR matrix of shape (n_signatures, n_words)
        p(w|t), each row summing to one.
    min_probability : float
        Smaller translation probabilities are pruned.
    """

    words: NDArray[Any]
    columns: NDArray[Any]
    only: NDArray[Any]
    group: NDArray[Any]
    shares: FloatArray
    rows: Any
    min_probability: float = 0.0

    @classmethod
    def from_translation(cls, translation: Any, locate: Locate | None, width: int) -> Signatures:
        """Find the columns of a translation's words and signatures.

        Parameters
        ----------
        translation : TranslationModel
            Fitted.
        locate : callable
            From names to columns, -1 for unknown names; None if columns have no names.
        width : int
            Number of columns.
        """
        check_translation(translation)
        names = [str(name) for name in translation.get_feature_names_out()]
        n_words, kinds = len(translation.words_), np.asarray(translation.kinds_)
        at = _columns(names, locate, width)
        # A word and a phrase may have the same spelling, so each kind has its own dictionary.
        places = [
            dict(zip(names[part], at[part].tolist(), strict=True))
            for part in (slice(n_words), slice(n_words, None))
        ]
        spelt = zip(kinds.tolist(), map(str, translation.signatures_), strict=True)
        columns = np.array([places[kind > 0].get(name, -1) for kind, name in spelt], np.intp)
        group = (kinds != 0).astype(np.intp)
        parts = [1.0 - translation.phrase_weight, float(translation.phrase_weight)]
        if len(np.unique(group)) < 2:
            # The phrase weight divides words from phrases: a single group has all of the mass.
            parts = [1.0, 1.0]
        return cls(
            words=at[:n_words],
            columns=columns,
            only=np.setdiff1d(at[n_words:], [-1, *at[:n_words]]),
            group=group,
            shares=np.array(parts),
            rows=sparse.csr_array(translation.rows_),
        )

    def signature_counts(self, counts: Any) -> Any:
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
        """Return the number of signatures of each group, groups by rows."""
        rows, n = _row_of_entry(counted), counted.shape[0]
        inside = self.group[counted.indices]
        return np.array(
            [np.bincount(rows, counted.data * (inside == k), n) for k in range(len(self.shares))]
        )

    def translate(self, counts: Any) -> Any:
        """Return p_t of each row of counts over all words of the translation, as a CSR matrix."""
        counted = self.signature_counts(counts)
        factors = self.factors(self.sizes(counted))
        counted.data = counted.data * factors[self.group[counted.indices], _row_of_entry(counted)]
        counted.eliminate_zeros()
        return sparse.csr_array(counted @ self.rows)

    def translate_groups(self, counts: Any) -> GroupTranslations:
        """Return the sums of translated signatures of each row of counts, group by group."""
        counted = self.signature_counts(counts)
        words = []
        for k in range(len(self.shares)):
            part = counted.copy()
            part.data[self.group[part.indices] != k] = 0.0
            part.eliminate_zeros()
            words.append(sparse.csr_array(part @ self.rows))
        return GroupTranslations(words, self.sizes(counted))

    def factors(self, sizes: FloatArray) -> FloatArray:
        """Return the factor of each group that turns the sums of rows into a distribution.

        Parameters
        ----------
        sizes : ndarray of shape (n_groups, ...)
            Number of signatures of each group.
        """
        # A group without signatures leaves its share to the other.
        shares = self.shares.reshape(-1, *[1] * (sizes.ndim - 1)) * (sizes > 0)
        return safe_ratio(safe_ratio(shares, shares.sum(axis=0), 0.0), sizes, 0.0)


@dataclass(frozen=True, eq=False)
class GroupTranslations:
    """Translated signatures of classes or documents: sums of rows p(w|t), group by group.

    Attributes
    ----------
    words : list of CSR matrix of shape (n, n_words)
        For each group the sum of the rows of its signatures, weighted by their counts.
    sizes : ndarray of shape (n_groups, n)
        Number of signatures of each group.
    """

    words: list[Any]
    sizes: FloatArray

    def mix(self, factors: FloatArray) -> Any:
        """Return the weighted sum of the groups, a CSR matrix of shape (n, n_words)."""
        parts = [
            sparse.diags_array(factor) @ words
            for factor, words in zip(factors, self.words, strict=True)
        ]
        return sparse.csr_array(sum(parts[1:], parts[0]))


def _row_of_entry(matrix: Any) -> NDArray[np.intp]:
    return np.repeat(np.arange(matrix.shape[0]), np.diff(matrix.indptr))


def subtract(whole: FloatArray, part: FloatArray) -> FloatArray:
    """Return the difference, exactly zero where it is only a rounding error."""
    left = whole - part
    return np.where(left > _MIN_DIFFERENCE * np.abs(whole), left, 0.0)


def check_translation(translation: Any) -> None:
    """Raise ValueError unless this is a fitted translation."""
    missing = [name for name in _ATTRIBUTES if not hasattr(translation, name)]
    if missing:
        raise ValueError(
            f"translation must be a fitted TranslationModel, but {translation!r:.60} has no "
            f"{missing[0]}. Only a TextClassifier, which has texts, learns a translation itself."
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


@dataclass(frozen=True, eq=False, repr=False)
class Translation:
    """A translation as plain arrays: rows p(w|t), with the names of words and signatures.

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
        The weight of phrases and concepts relative to words.
    phrases_ : ndarray of str
        All phrases and concepts, including signatures without a row.

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
    def from_model(cls, translation: Any) -> Translation:
        """Return a translation as plain arrays.

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
        """Return the arrays of the translation and of its names, for a file."""
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
        """Read the arrays of :meth:`to_arrays`, and check them.

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
        >>> stored = Translation(names, names[:1], np.zeros(1, np.int8), row, 0.5, names[:0])
        >>> Translation.from_arrays(stored.to_arrays()).words_.tolist()
        ['sea', 'wave']
        """
        words, phrases = _names(arrays, ""), _names(arrays, "phrase_")
        weight = _array(arrays, "phrase_weight", np.float64)
        _check(len(weight) == 1 and 0 <= weight[0] <= 1, "phrase_weight")
        at, kinds = _array(arrays, "signatures", np.int32), _array(arrays, "kinds", np.int8)
        _check(len(kinds) == len(at) and bool(np.isin(kinds, _KINDS).all()), "kinds")
        _check_inside("signatures", at[kinds == 0], len(words))
        _check_inside("signatures", at[kinds > 0], len(phrases))
        places = at + np.where(kinds > 0, len(words), 0)
        _check(len(np.unique(places)) == len(places), "signatures")
        signatures = np.append(words, phrases)[places]
        rows = _rows(arrays, len(at), len(words))
        return cls(words, signatures, kinds, rows, float(weight[0]), phrases)


def same_translation(one: Any, other: Any) -> bool:
    """Return True if two translations have the same names and rows.

    Examples
    --------
    >>> names, row = np.array(["sea", "wave"]), sparse.csr_array([[0.7, 0.3]])
    >>> stored = Translation(names, names[:1], np.zeros(1, np.int8), row, 0.5, names[:0])
    >>> same_translation(stored, Translation.from_arrays(stored.to_arrays()))
    True
    """
    if one is other:
        return True
    if not (hasattr(one, "rows_") and hasattr(other, "rows_")):
        return False
    pairs = zip(
        *(_compared_arrays(Translation.from_model(each)) for each in (one, other)), strict=True
    )
    return all(np.array_equal(mine, theirs) for mine, theirs in pairs)


def _compared_arrays(one: Translation) -> list[Any]:
    names = [one.words_, one.signatures_, one.phrases_, one.kinds_, one.phrase_weight]
    return [*names, one.rows_.indptr, one.rows_.indices, one.rows_.data]


def _names(arrays: Mapping[str, NDArray[Any]], which: str) -> NDArray[Any]:
    terms = _array(arrays, which + "terms", np.uint8)
    lengths = _array(arrays, which + "lengths", np.uint32)
    return Vocabulary.from_arrays(terms, lengths).terms()


def _rows(arrays: Mapping[str, NDArray[Any]], n_rows: int, n_words: int) -> Any:
    starts, words = _array(arrays, "starts", np.int64), _array(arrays, "words", np.int32)
    values = _array(arrays, "values", np.float64)
    whole = len(starts) == n_rows + 1 and starts[0] == 0 and starts[-1] == len(words)
    _check(whole and len(values) == len(words) and bool((np.diff(starts) >= 0).all()), "starts")
    _check_inside("words", words, n_words)
    _check(bool((np.isfinite(values) & (values >= 0)).all()), "values")
    made = sparse.csr_array((values, words, starts), shape=(n_rows, n_words))
    _check(bool((np.abs(made.sum(axis=1) - 1.0) < _SUM_TOLERANCE).all()), "values")
    return made


def _array(arrays: Mapping[str, NDArray[Any]], name: str, dtype: type[Any]) -> NDArray[Any]:
    found = arrays.get(name)
    if not isinstance(found, np.ndarray) or found.dtype != dtype or found.ndim != 1:
        raise FileError(
            f"this is not a translation: {name!r} must be an array of {dtype.__name__}."
        )
    return np.array(found)


def _check_inside(name: str, numbers: NDArray[Any], most: int) -> None:
    _check(not numbers.size or bool(numbers.min() >= 0 and numbers.max() < most), name)


def _check(holds: bool, name: str) -> None:
    if not holds:
        raise FileError(
            f"this is not a translation: its array {name!r} is invalid. Is the file damaged?"
        )

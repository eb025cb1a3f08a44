"""Text analysis: from texts to sparse rows of term counts.

An :class:`Analyzer` splits texts into tokens and n-grams and counts them. A :class:`TermAnalysis`
strips accents, drops stop words, filters and stems. It is applied to each distinct term once, not
to each token, so that slow steps cost little.
"""

from __future__ import annotations

import re
import sys
import unicodedata
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from functools import cache
from numbers import Integral
from operator import index
from typing import Any, Literal, TypeAlias

import numpy as np
import scipy.sparse as sp
from numpy.typing import DTypeLike, NDArray

from tallytext._core import (
    CHAR_MARK,
    AsTheyAre,
    CharRules,
    MixedRules,
    NgramRange,
    Texts,
    TokenLists,
    WordRules,
    count_analysed,
    count_terms,
    stream_terms,
    unicode_version,
)
from tallytext.errors import AnalysisError, FrozenVocabularyError
from tallytext.text.stop_words import language_name
from tallytext.text.stop_words import stop_words as stop_words_of
from tallytext.text.vocabulary import Vocabulary

Accents: TypeAlias = Literal["ascii", "unicode"] | Callable[[str], str] | None
TermFilter: TypeAlias = Callable[[str], str | None] | None
Tokens: TypeAlias = (
    Literal["words", "sklearn", "chars"] | re.Pattern[str] | Callable[[str], Iterable[str]]
)
Hangul: TypeAlias = Literal["words", "words+bigrams"]


def check_unicode_version(built: str, running: str) -> None:
    """Raise ImportError if the native core and this Python have different Unicode databases.

    The core splits and lower-cases words by tables that were written when it was built; stop
    words and filters use :class:`str`. They agree only if both use the same database.
    """
    if built != running:
        raise ImportError(
            f"tallytext was built for Unicode {built}, and this Python uses Unicode {running}, so "
            "words would be split in two ways. Install it again with this Python: "
            "pip install --force-reinstall --no-deps --no-cache-dir tallytext"
        )


check_unicode_version(unicode_version(), unicodedata.unidata_version)

_MAX_NGRAM = 2**31  # the core stores lengths in 32 bits, and no document is as long
_NATIVE_WORDS = ("words", "sklearn")
_NATIVE_TOKENS = (*_NATIVE_WORDS, "chars")


@dataclass(frozen=True)
class TermAnalysis:
    """A map from raw terms to analysed terms.

    A term goes through four steps, in this order:

    1. *Accents* are stripped.
    2. *Stop words* are dropped. A term is compared with the list with and without its accents, so
       that a list with accents works even if accents are stripped.
    3. The *filter* replaces the term, or drops it by returning ``None`` or ``""``. It sees whole
       words, not stems.
    4. *Stemming* comes last, so that neither list nor filter has to be written in stems.

    A term that becomes empty is dropped. Two analyses with equal settings are equal.

    Parameters
    ----------
    stop_words : frozenset of str
        Terms to drop.
    language : str or None
        The Snowball name of the language to stem in; None does not stem.
    strip_accents : {"ascii", "unicode"}, callable or None
        ``"unicode"`` decomposes and drops combining marks, ``"ascii"`` drops characters without an
        ASCII equivalent, both as in scikit-learn; a callable takes and returns a str.
    term_filter : callable or None
        Takes a term; returns the one to use instead, or None to drop it.

    Examples
    --------
    >>> analysis = TermAnalysis.from_settings(
    ...     stop_words="fr", language="fr", strip_accents="unicode"
    ... )
    >>> analysis.analyse(["les", "écoles", "étaient", "fermées"])
    [None, 'ecol', None, 'ferme']
    """

    stop_words: frozenset[str] = field(default=frozenset(), repr=False)
    language: str | None = None
    strip_accents: Accents = None
    term_filter: TermFilter = None

    @classmethod
    def from_settings(
        cls,
        *,
        stop_words: str | Iterable[str] | None = None,
        language: str | None = None,
        strip_accents: Accents = None,
        term_filter: TermFilter = None,
    ) -> TermAnalysis:
        """Return the analysis for the parameters of a vectorizer.

        Parameters
        ----------
        stop_words : str, iterable of str or None
            A language that has a list of stop words, or the stop words.
        language : str or None
            The language to stem in: its name or ISO 639-1 code.
        strip_accents, term_filter
            As in the class.

        Raises
        ------
        LanguageError
            If there is no stemmer, or no list of stop words, for a language.
        AnalysisError
            If a setting has the wrong type or value.
        """
        if not (strip_accents in (None, "ascii", "unicode") or callable(strip_accents)):
            raise AnalysisError(
                "strip_accents must be 'ascii', 'unicode', a callable or None, not "
                f"{strip_accents!r}."
            )
        if not (term_filter is None or callable(term_filter)):
            raise AnalysisError(f"term_filter must be a callable or None, not {term_filter!r}.")
        name = None if language is None else language_name(language, _stemmers(), "stemmer")
        words: frozenset[str] = frozenset() if stop_words is None else _stop_set(stop_words)
        return cls(words, name, strip_accents, term_filter)

    @property
    def is_identity(self) -> bool:
        """True if the analysis changes no term."""
        return self == _IDENTITY

    def analyse(self, terms: list[str]) -> list[str | None]:
        """Return the analysed term for each term, None if it is dropped."""
        if self == _IDENTITY:
            return list(terms)
        stripped = self._strip(terms)
        filtered = [self._filter(raw, term) for raw, term in zip(terms, stripped, strict=True)]
        return _stem(filtered, self.language) if self.language else filtered

    def _strip(self, terms: list[str]) -> list[str]:
        strip = accent_stripper(self.strip_accents)
        if strip is None:
            return terms
        stripped = [strip(term) for term in terms]
        for term, result in zip(terms, stripped, strict=True):
            if not isinstance(result, str):
                raise AnalysisError(
                    f"strip_accents must return a str, but returned {result!r} for {term!r}."
                )
        return stripped

    def _filter(self, raw: str, term: str) -> str | None:
        if term in self.stop_words or raw in self.stop_words:
            return None
        if self.term_filter is None or not term:
            return term or None
        result: Any = self.term_filter(term)
        if result is not None and not isinstance(result, str):
            raise AnalysisError(
                f"term_filter must return a str or None, but returned {result!r} for {term!r}."
            )
        return result or None


_IDENTITY = TermAnalysis()


def accent_stripper(strip_accents: Accents) -> Callable[[str], str] | None:
    """Return the function for a ``strip_accents`` setting; None if accents are not stripped.

    Examples
    --------
    >>> accent_stripper("unicode")("élève")
    'eleve'
    """
    if strip_accents is None or callable(strip_accents):
        return strip_accents
    from sklearn.feature_extraction import text

    strip: Callable[[str], str] = getattr(text, f"strip_accents_{strip_accents}")
    return strip


def stemming_languages() -> tuple[str, ...]:
    """Return the languages that have a stemmer, sorted.

    Examples
    --------
    >>> "hungarian" in stemming_languages()
    True
    """
    return tuple(sorted(_stemmers()))


@cache
def _stemmers() -> frozenset[str]:
    import Stemmer

    return frozenset(Stemmer.algorithms())


def _stem(terms: list[str | None], language: str) -> list[str | None]:
    import Stemmer

    # Snowball works on UTF-8, which cannot encode lone surrogates; such terms are not words.
    whole = [i for i, term in enumerate(terms) if term and not _has_surrogate(term)]
    # A new stemmer for each call, since threads cannot share one. Each term comes once, so its
    # cache (size 0) would not help.
    stems = Stemmer.Stemmer(language, 0).stemWords([terms[i] for i in whole])
    for i, stem in zip(whole, stems, strict=True):
        terms[i] = stem or None
    return terms


def _has_surrogate(term: str) -> bool:
    return not term.isascii() and any("\ud800" <= char <= "\udfff" for char in term)


def _stop_set(given: str | Iterable[str]) -> frozenset[str]:
    if isinstance(given, str):
        return stop_words_of(given)
    # Parameters of an estimator are read again by each fit and by clone.
    if isinstance(given, Iterator):
        raise AnalysisError(
            "stop_words must be a list or a set: an iterator can be read only once."
        )
    words = frozenset(given)
    for word in words:
        if not isinstance(word, str):
            raise AnalysisError(f"stop words must be str, but {word!r} is {type(word).__name__}.")
    return words


def mark_char_ngram(gram: str) -> str:
    """Return a character n-gram with the mark that distinguishes it from words.

    Examples
    --------
    >>> mark_char_ngram(" ab")
    '# ab'
    """
    return CHAR_MARK + gram


def analyse_mixed(terms: list[str], analysis: TermAnalysis) -> list[str | None]:
    """Return the analysed term for each word and marked character n-gram, None if it is dropped.

    Words go through the whole analysis. Character n-grams only lose their accents: stop words,
    filters and stems are for words.

    Raises
    ------
    AnalysisError
        If an analysed word begins with the mark of character n-grams.

    Examples
    --------
    >>> analysis = TermAnalysis.from_settings(stop_words=["le"], strip_accents="unicode")
    >>> analyse_mixed(["le", "thé", "#le", "#é "], analysis)
    [None, 'the', '#le', '#e ']
    """
    are_grams = [term.startswith(CHAR_MARK) for term in terms]
    pairs = list(zip(terms, are_grams, strict=True))
    words = iter(_analyse_words([term for term, is_gram in pairs if not is_gram], analysis))
    grams = iter(analyse_char_ngrams([term for term, is_gram in pairs if is_gram], analysis))
    return [next(grams if is_gram else words) for is_gram in are_grams]


def analyse_char_ngrams(terms: list[str], analysis: TermAnalysis) -> list[str | None]:
    """Return marked character n-grams without accents, None for one that becomes empty.

    Examples
    --------
    >>> analyse_char_ngrams(["#é", "#\u0301"], TermAnalysis.from_settings(strip_accents="unicode"))
    ['#e', None]
    """
    # Without the mark, which a strip_accents of the user might change.
    accents = TermAnalysis(strip_accents=analysis.strip_accents)
    grams = accents.analyse([term.removeprefix(CHAR_MARK) for term in terms])
    return [None if gram is None else mark_char_ngram(gram) for gram in grams]


def _analyse_words(words: list[str], analysis: TermAnalysis) -> list[str | None]:
    analysed = analysis.analyse(words)
    for word, term in zip(words, analysed, strict=True):
        if term and term.startswith(CHAR_MARK):
            raise AnalysisError(
                f"{word!r} cannot become {term!r}: with chars, terms that begin with "
                f"{CHAR_MARK!r} are character n-grams. Does term_filter or strip_accents add it?"
            )
    return analysed


@dataclass(frozen=True)
class TermCounts:
    """The term counts of documents: row i is ``starts[i]:starts[i + 1]`` of terms and counts.

    A term comes once in a row, by default in order of first appearance.
    """

    starts: NDArray[np.int64]
    terms: NDArray[np.int32]
    counts: NDArray[np.int64]

    @classmethod
    def stack(cls, batches: Iterable[TermCounts]) -> TermCounts:
        """Return the rows of all batches, one batch after the other."""
        parts = list(batches)
        if len(parts) == 1:  # the usual case: documents in memory are one batch, not copied here
            return parts[0]
        ends = np.cumsum([part.starts[-1] for part in parts])
        starts = [
            part.starts[1:] + end - part.starts[-1] for part, end in zip(parts, ends, strict=True)
        ]
        return cls(
            np.concatenate([np.zeros(1, np.int64), *starts]),
            np.concatenate([np.empty(0, np.int32), *(part.terms for part in parts)]),
            np.concatenate([np.empty(0, np.int64), *(part.counts for part in parts)]),
        )

    def select_columns(self, column_of: NDArray[np.int32]) -> TermCounts:
        """Return the rows without the terms whose column is -1, under their new column numbers."""
        columns = column_of[self.terms]
        kept = columns >= 0
        # The number of kept entries before an old position is its new position.
        before = np.concatenate([np.zeros(1, np.int64), np.cumsum(kept)])
        return TermCounts(before[self.starts], columns[kept], self.counts[kept])

    def append_columns(self, other: TermCounts) -> TermCounts:
        """Return each row with the terms of another count of the same document after its own."""
        starts = self.starts + other.starts
        terms = np.empty(int(starts[-1]), dtype=np.int32)
        counts = np.empty(int(starts[-1]), dtype=np.int64)
        # Before the entries of row i come those of earlier rows of the other; and vice versa.
        shifts = ((self, other.starts[:-1]), (other, self.starts[1:]))
        for part, shift in shifts:
            places = np.arange(len(part.terms)) + np.repeat(shift, np.diff(part.starts))
            terms[places], counts[places] = part.terms, part.counts
        return TermCounts(starts, terms, counts)

    def to_matrix(self, n_columns: int, dtype: DTypeLike, binary: bool = False) -> Any:
        """Return the rows as a CSR matrix (or array, as scikit-learn is configured).

        With ``binary``, all counts are 1.
        """
        # The core's "long long" is int64 under another name; NumPy would show the difference.
        counts = self.counts.view(np.int64).astype(dtype, copy=False)
        if binary:
            counts = np.ones_like(counts)
        parts = (counts, self.terms, self.starts)
        shape = (len(self.starts) - 1, n_columns)
        # Not imported here: without scikit-learn nobody has configured it.
        sklearn = sys.modules.get("sklearn")
        as_array = sklearn is not None and sklearn.get_config().get("sparse_interface") == "sparray"
        return sp.csr_array(parts, shape) if as_array else sp.csr_matrix(parts, shape)


@dataclass(frozen=True)
class Analyzer:
    """The settings that turn texts into terms; equal settings give equal terms.

    Parameters
    ----------
    tokens : {"words", "sklearn", "chars"}, compiled pattern or callable
        The definition of a token; see :class:`tallytext.TextVectorizer`.
    ngram_range : tuple of int
        Shortest and longest n-gram, of words or, for ``tokens="chars"``, of characters.
    lowercase : bool
        True to lower-case the text; a callable gets the text unchanged.
    hangul : {"words", "words+bigrams"}
        ``"words+bigrams"`` adds the pairs of syllables of each Korean word.
    inside_words : bool
        True for character n-grams inside words padded with spaces, False for the whole text.
    min_length : {1, 2}
        The shortest word, in characters.
    chars : tuple of int or None
        Shortest and longest marked character n-gram to count in addition to words.
    analysis : TermAnalysis
        The analysis of each distinct token.

    Examples
    --------
    >>> from tallytext import Vocabulary
    >>> from tallytext.text.sources import as_texts
    >>> vocabulary = Vocabulary()
    >>> rows = Analyzer().count(as_texts(["To be, or not to be"]), vocabulary, grow=True)
    >>> dict(zip(vocabulary, rows.counts.tolist()))
    {'to': 2, 'be': 2, 'or': 1, 'not': 1}
    """

    tokens: Tokens = "words"
    ngram_range: tuple[int, int] = (1, 1)
    lowercase: bool = True
    hangul: Hangul = "words"
    inside_words: bool = True
    min_length: int = 2
    chars: tuple[int, int] | None = None
    analysis: TermAnalysis = field(default_factory=TermAnalysis)

    def __post_init__(self) -> None:
        own = isinstance(self.tokens, re.Pattern) or callable(self.tokens)
        if not own and self.tokens not in _NATIVE_TOKENS:
            raise AnalysisError(
                f"tokens must be one of {', '.join(map(repr, _NATIVE_TOKENS))}, a compiled regular "
                f"expression (re.compile) or a callable, not {self.tokens!r}."
            )
        if self.hangul not in ("words", "words+bigrams"):
            raise AnalysisError(f"hangul must be 'words' or 'words+bigrams', not {self.hangul!r}.")
        if isinstance(self.tokens, re.Pattern) and not isinstance(self.tokens.pattern, str):
            raise AnalysisError("the pattern given as tokens must match str, not bytes.")
        check_ngram_range(self.ngram_range)
        if not isinstance(self.min_length, Integral) or self.min_length not in (1, 2):
            raise AnalysisError(f"min_length must be 1 or 2, not {self.min_length!r}.")
        if self.chars is not None:
            check_ngram_range(self.chars, "chars")
        for name, value, usual in (("min_length", self.min_length, 2), ("chars", self.chars, None)):
            if value != usual and self.tokens not in _NATIVE_WORDS:
                raise AnalysisError(
                    f"{name}={value!r} works with tokens='words' and tokens='sklearn', not with "
                    f"tokens={self.tokens!r:.80}."
                )

    def count(
        self,
        texts: Texts,
        vocabulary: Vocabulary,
        *,
        grow: bool,
        n_threads: int = 1,
        in_order: bool = False,
    ) -> TermCounts:
        """Count the terms of each document.

        Parameters
        ----------
        texts : Texts
            The documents.
        vocabulary : Vocabulary
            The ids of the terms.
        grow : bool
            True to add new terms to the vocabulary, False to ignore them.
        n_threads : int, default=1
            Number of threads; the result does not depend on it.
        in_order : bool, default=False
            True to number the columns of a growing vocabulary by the rank of their terms instead of
            their ids, and to sort each row by column.

        Raises
        ------
        FrozenVocabularyError
            If ``grow`` is True and the vocabulary is frozen.
        """
        if grow and vocabulary.is_frozen:
            raise FrozenVocabularyError("cannot count new terms: this vocabulary is frozen.")
        documents, rules = self._documents(texts)
        # The rules for characters make their n-grams themselves; each is one term here.
        word_ngrams = NgramRange(*((1, 1) if self.tokens == "chars" else self.ngram_range))
        target = (vocabulary.native, grow, word_ngrams, n_threads, in_order)
        if self.analysis == _IDENTITY:  # the core counts in one pass, without a map of terms
            return TermCounts(*count_terms(documents, rules, *target))
        # Both are discarded after the batch: stored, the map from raw to analysed terms would be a
        # second and larger vocabulary.
        raw, analysed, marked = Vocabulary(), Vocabulary(), self.chars is not None
        starts, ids = stream_terms(documents, rules, raw.native, n_threads)
        terms = list(raw)
        found = analyse_mixed(terms, self.analysis) if marked else self.analysis.analyse(terms)
        analysed_of = _add_terms(found, analysed)
        return TermCounts(
            *count_analysed(starts, ids, analysed_of, analysed.native, marked, *target)
        )

    @property
    def word_rules(self) -> WordRules:
        """The native tokenizer's rules for words, for ``tokens`` of "words" and "sklearn"."""
        bigrams = self.hangul == "words+bigrams"
        python = self.tokens == "sklearn"
        return WordRules(python, bool(self.lowercase), bigrams, int(self.min_length))

    def _documents(self, texts: Texts) -> tuple[Any, Any]:
        """Return the documents and the rules of tokenization for the core."""
        lowercase = bool(self.lowercase)
        if self.tokens == "chars":
            return texts, CharRules(self.inside_words, lowercase, *self.ngram_range)
        if self.chars is not None:
            return texts, MixedRules(self.word_rules, CharRules(True, lowercase, *self.chars))
        if self.tokens in _NATIVE_WORDS:
            return texts, self.word_rules
        tokenize = self._python_tokenizer()
        tokens = (_token_list(tokenize(text), i) for i, text in enumerate(texts.strings()))
        return TokenLists.from_lists(tokens), AsTheyAre()

    def _python_tokenizer(self) -> Callable[[str], Iterable[str]]:
        if not isinstance(self.tokens, re.Pattern):
            assert callable(self.tokens)
            return self.tokens
        find = self.tokens.findall
        if self.tokens.groups > 1:  # findall would return tuples
            raise AnalysisError("the pattern given as tokens may have at most one group.")
        return (lambda text: find(text.lower())) if self.lowercase else find


def check_ngram_range(ngram_range: Any, name: str = "ngram_range") -> tuple[int, int]:
    """Return the lengths of the shortest and longest n-gram; raise AnalysisError if invalid.

    Examples
    --------
    >>> check_ngram_range([1, 2])
    (1, 2)
    """
    try:
        shortest, longest = map(index, ngram_range)
    except (TypeError, ValueError):
        shortest = longest = 0
    if not 1 <= shortest <= longest < _MAX_NGRAM:
        raise AnalysisError(
            f"{name} must be (shortest, longest), integers from 1 on, not {ngram_range!r:.80}."
        )
    return shortest, longest


def _token_list(tokens: Any, position: int) -> list[str]:
    listed = list(tokens) if isinstance(tokens, Iterable) and not isinstance(tokens, str) else None
    if listed is None or not all(isinstance(token, str) for token in listed):
        raise AnalysisError(
            "the callable given as tokens must return a list of str, but for document "
            f"{position} it returned {tokens!r:.80}."
        )
    return listed


def _add_terms(terms: list[str | None], vocabulary: Vocabulary) -> NDArray[np.int32]:
    """Add terms to a vocabulary and return their ids, -1 for None."""
    kept = np.array([term is not None for term in terms], dtype=bool)
    ids = np.full(len(terms), -1, dtype=np.int32)
    ids[kept] = vocabulary.add([term for term in terms if term is not None])
    return ids

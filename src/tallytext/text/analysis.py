"""What becomes of a term once it is cut out of the text: applied to each distinct term once."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from functools import cache
from typing import Any, Literal, TypeAlias

from tallytext._core import CHAR_MARK
from tallytext.errors import AnalysisError
from tallytext.text.stop_words import language_name
from tallytext.text.stop_words import stop_words as stop_words_of

Accents: TypeAlias = Literal["ascii", "unicode"] | Callable[[str], str] | None
TermFilter: TypeAlias = Callable[[str], str | None] | None


@dataclass(frozen=True)
class TermAnalysis:
    """A map from raw terms to analysed terms.

    A term goes through four steps, in this order:

    1. *Accents* are stripped.
    2. *Stop words* are dropped: terms that are in the list as they stand now, or as they stood in
       the text, so that a list with accents works whether or not accents are stripped.
    3. The *filter* replaces the term, or drops it by returning ``None`` or ``""``. It sees whole
       words, not stems.
    4. *Stemming*, last, so that neither list nor filter has to be written in stems.

    A term of which nothing is left is dropped. Two analyses with equal settings are equal.

    Parameters
    ----------
    stop_words : frozenset of str
        Terms to drop.
    language : str or None
        The Snowball name of the language to stem in; None does not stem.
    strip_accents : {"ascii", "unicode"}, callable or None
        ``"unicode"`` decomposes and drops combining marks, ``"ascii"`` drops whatever has no ASCII
        equivalent, both as in scikit-learn; a callable takes and returns a str.
    term_filter : callable or None
        Takes a term; returns the one to use instead, or None to drop it.

    Examples
    --------
    >>> analysis = TermAnalysis.of(stop_words="fr", language="fr", strip_accents="unicode")
    >>> analysis.analyse(["les", "écoles", "étaient", "fermées"])
    [None, 'ecol', None, 'ferme']
    """

    stop_words: frozenset[str] = field(default=frozenset(), repr=False)
    language: str | None = None
    strip_accents: Accents = None
    term_filter: TermFilter = None

    @classmethod
    def of(
        cls,
        *,
        stop_words: str | Iterable[str] | None = None,
        language: str | None = None,
        strip_accents: Accents = None,
        term_filter: TermFilter = None,
    ) -> TermAnalysis:
        """Build an analysis from what users write.

        Parameters
        ----------
        stop_words : str, iterable of str or None
            A language that has a list, or the terms themselves.
        language : str or None
            The language to stem in: its name or ISO 639-1 code.
        strip_accents, term_filter
            As they are kept.

        Raises
        ------
        LanguageError
            If there is no stemmer, or no list, for a language.
        AnalysisError
            If a setting is none of what it may be.
        """
        _check_callables(strip_accents, term_filter)
        name = None if language is None else language_name(language, _stemmers(), "stemmer")
        return cls(_stop_set(stop_words), name, strip_accents, term_filter)

    @property
    def is_identity(self) -> bool:
        """Whether every term stays what it is."""
        return self == TermAnalysis()

    def analyse(self, terms: list[str]) -> list[str | None]:
        """Return what becomes of each term: another term, or None where it is dropped."""
        if self.is_identity:
            return list(terms)
        stripped = self._stripped(terms)
        kept = [self._kept(raw, term) for raw, term in zip(terms, stripped, strict=True)]
        return _stemmed(kept, self.language) if self.language else kept

    def _stripped(self, terms: list[str]) -> list[str]:
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

    def _kept(self, raw: str, term: str) -> str | None:
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


def accent_stripper(strip_accents: Accents) -> Callable[[str], str] | None:
    """Return the function that a ``strip_accents`` setting stands for; None for no function.

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
    """Return the languages that terms can be stemmed in, sorted.

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


def _stemmed(terms: list[str | None], language: str) -> list[str | None]:
    import Stemmer

    # Lone surrogates have no UTF-8, which is what Snowball works on; such terms are no words.
    whole = [i for i, term in enumerate(terms) if term and not _has_surrogate(term)]
    # Made anew each time, since a stemmer cannot be shared by threads; every term comes once, so
    # there is nothing to cache.
    stems = Stemmer.Stemmer(language, 0).stemWords([terms[i] for i in whole])
    for i, stem in zip(whole, stems, strict=True):
        terms[i] = stem or None
    return terms


def _has_surrogate(term: str) -> bool:
    return not term.isascii() and any("\ud800" <= char <= "\udfff" for char in term)


def _stop_set(given: str | Iterable[str] | None) -> frozenset[str]:
    if given is None:
        return frozenset()
    if isinstance(given, str):
        return stop_words_of(given)
    if isinstance(given, Iterator):
        raise AnalysisError(
            "stop_words must be a list or a set: an iterator can be read once only."
        )
    words = frozenset(given)
    for word in words:
        if not isinstance(word, str):
            raise AnalysisError(f"stop words must be str, but {word!r} is {type(word).__name__}.")
    return words


def _check_callables(strip_accents: object, term_filter: object) -> None:
    if not (strip_accents in (None, "ascii", "unicode") or callable(strip_accents)):
        raise AnalysisError(
            f"strip_accents must be 'ascii', 'unicode', a callable or None, not {strip_accents!r}."
        )
    if not (term_filter is None or callable(term_filter)):
        raise AnalysisError(f"term_filter must be a callable or None, not {term_filter!r}.")


# ------------------------------------------------------------------------------------------------
# Character n-grams that are counted besides words: their spelling, and what becomes of them.


def marked(gram: str) -> str:
    """Return a character n-gram as it is spelt besides words, which never hold the mark.

    Examples
    --------
    >>> marked(" ab")
    '# ab'
    """
    return CHAR_MARK + gram


def analyse_mixed(terms: list[str], analysis: TermAnalysis) -> list[str | None]:
    """Return what becomes of words and of marked character n-grams; None for what is dropped.

    Words go through the whole analysis. From character n-grams accents are stripped, and no more:
    stop words, filters and stems are made for words.

    Raises
    ------
    AnalysisError
        If a word would be taken for a character n-gram from now on.

    Examples
    --------
    >>> analysis = TermAnalysis.of(stop_words=["le"], strip_accents="unicode")
    >>> analyse_mixed(["le", "thé", "#le", "#é "], analysis)
    [None, 'the', '#le', '#e ']
    """
    are_grams = [term.startswith(CHAR_MARK) for term in terms]
    pairs = list(zip(terms, are_grams, strict=True))
    words = iter(_words([term for term, is_gram in pairs if not is_gram], analysis))
    grams = iter(analyse_marked([term for term, is_gram in pairs if is_gram], analysis))
    return [next(grams if is_gram else words) for is_gram in are_grams]


def analyse_marked(terms: list[str], analysis: TermAnalysis) -> list[str | None]:
    """Return what becomes of marked character n-grams; None for one of which nothing is left.

    Examples
    --------
    >>> analyse_marked(["#é", "#\u0301"], TermAnalysis.of(strip_accents="unicode"))
    ['#e', None]
    """
    accents = TermAnalysis(strip_accents=analysis.strip_accents)
    grams = accents.analyse([term.removeprefix(CHAR_MARK) for term in terms])
    return [None if gram is None else marked(gram) for gram in grams]


def _words(words: list[str], analysis: TermAnalysis) -> list[str | None]:
    analysed = analysis.analyse(words)
    for word, term in zip(words, analysed, strict=True):
        if term and term.startswith(CHAR_MARK):
            raise AnalysisError(
                f"{word!r} cannot become {term!r}: with chars, terms that begin with "
                f"{CHAR_MARK!r} are character n-grams. Does term_filter or strip_accents add it?"
            )
    return analysed

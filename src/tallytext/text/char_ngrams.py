"""Character n-grams that are counted besides words: their spelling, and what becomes of them."""

from __future__ import annotations

from tallytext._core import CHAR_MARK
from tallytext.errors import AnalysisError
from tallytext.text.analysis import TermAnalysis


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

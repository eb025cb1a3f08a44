"""Where in a text its terms stand."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from tallytext._core import Texts, stream_terms, token_spans
from tallytext.documents import Analyzer
from tallytext.text.char_ngrams import analyse_marked, marked
from tallytext.vocabulary import Vocabulary

_WORD = re.compile(r"\S+")


class Place(NamedTuple):
    """A term, and the code points of the text that it was made of."""

    term: str
    start: int
    end: int


def places_of(analyzer: Analyzer, text: str) -> list[Place]:
    """Return the terms of a text, each with where it stands.

    An n-gram of words goes from the start of its first word to the end of its last. Character
    n-grams come behind all words; the space that pads a word has no place of its own: a gram that
    is nothing else stands with the character beside it. The tokens of a callable are looked for in
    the text, from left to right, in any case; those that are not there as they are have no place
    and are left out.

    Parameters
    ----------
    analyzer : Analyzer
        As by :meth:`tallytext.TextVectorizer.build_analyzer`.
    text : str

    Examples
    --------
    >>> places_of(Analyzer(ngram_range=(1, 2)), "À bas, élèves!")
    [Place(term='bas', start=2, end=5), Place(term='élèves', start=7, end=13), \
Place(term='bas élèves', start=2, end=13)]
    """
    tokens = list(_tokens(analyzer, text))
    kept = _named(tokens, analyzer.analysis.analyse([token.term for token in tokens]))
    shortest, longest = (1, 1) if analyzer.tokens == "chars" else analyzer.ngram_range
    words = [
        _joined(kept[at : at + n])
        for n in range(shortest, min(longest, len(kept)) + 1)
        for at in range(len(kept) - n + 1)
    ]
    return words + _besides(analyzer, text)


def _named(tokens: list[Place], terms: list[str | None]) -> list[Place]:
    """Return tokens under what became of them, without those that were dropped."""
    pairs = zip(tokens, terms, strict=True)
    return [token._replace(term=term) for token, term in pairs if term is not None]


def _joined(tokens: list[Place]) -> Place:
    if len(tokens) == 1:
        return tokens[0]
    term = " ".join(token.term for token in tokens)
    return Place(term, min(t.start for t in tokens), max(t.end for t in tokens))


def _besides(analyzer: Analyzer, text: str) -> list[Place]:
    """Return the character n-grams that are counted besides words."""
    if analyzer.chars is None:
        return []
    grams = list(_grams(analyzer.chars, text, analyzer.lowercase))
    return _named(grams, analyse_marked([marked(gram.term) for gram in grams], analyzer.analysis))


def _tokens(analyzer: Analyzer, text: str) -> Iterable[Place]:
    if analyzer.tokens in ("words", "sklearn"):
        return _words(analyzer, text)
    if analyzer.tokens == "chars":
        return _grams(analyzer.ngram_range, text, analyzer.lowercase)
    if isinstance(analyzer.tokens, re.Pattern):
        return _matches(analyzer.tokens, text, analyzer.lowercase)
    assert callable(analyzer.tokens)
    return _found(analyzer.tokens(text), text)


def _words(analyzer: Analyzer, text: str) -> Iterator[Place]:
    raw = Vocabulary()
    _, ids = stream_terms(Texts.from_strings([text]), analyzer.word_rules, raw.native, 1)
    starts, ends = token_spans(text, analyzer.word_rules)
    names = raw.terms(ids).tolist()
    return map(Place, names, starts.tolist(), ends.tolist())


def _grams(ngram_range: tuple[int, int], text: str, lowercase: bool) -> Iterator[Place]:
    """Yield the character n-grams of words padded with a space on each side."""
    lowered, origins = _lowered(text, lowercase)
    shortest, longest = ngram_range
    for word in _WORD.finditer(lowered):
        padded, before = f" {word[0]} ", word.start() - 1
        for n in range(shortest, min(longest, max(shortest, len(padded))) + 1):
            for at in range(max(1, len(padded) - n + 1)):
                gram = padded[at : at + n]
                first = min(max(before + at, word.start()), word.end() - 1)
                last = max(min(before + at + len(gram), word.end()) - 1, first)
                yield Place(gram, origins[first], origins[last] + 1)


def _matches(pattern: re.Pattern[str], text: str, lowercase: bool) -> Iterator[Place]:
    lowered, origins = _lowered(text, lowercase)
    for match in pattern.finditer(lowered):
        start, end = match.span(pattern.groups)
        if start < end:
            yield Place(lowered[start:end], origins[start], origins[end - 1] + 1)


def _found(tokens: Iterable[str], text: str) -> Iterator[Place]:
    lowered, origins = _lowered(text, True)
    at = 0
    for token in tokens:
        start = lowered.find(token.lower(), at)
        if start >= 0 and token:
            at = start + len(token.lower())
            yield Place(token, origins[start], origins[at - 1] + 1)


def _lowered(text: str, lowercase: bool) -> tuple[str, list[int]]:
    """Return the text in lower case, and from which character each of its characters came."""
    if not lowercase:
        return text, list(range(len(text)))
    return text.lower(), [at for at, char in enumerate(text) for _ in char.lower()]

"""What one summand of a score is: a term of the document, or something else."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from itertools import pairwise
from typing import Any, NamedTuple

from tallytext._core import Texts, stream_terms, token_spans
from tallytext.text.analysis import analyse_marked, marked
from tallytext.text.counting import Analyzer
from tallytext.text.vocabulary import Vocabulary


@dataclass(frozen=True)
class Contribution:
    """What one term adds to a difference of scores.

    Attributes
    ----------
    term : str
    count : float
        What the term counts in the document.
    value : float
        The count times the difference of the term's weights in the two classes.
    known : bool
        Whether the model has ever seen the term; the value is 0 if not.
    spans : tuple of (start, end)
        Where the term stands in the text, in characters, where that is known.

    Examples
    --------
    >>> Contribution("wave", 2.0, 1.25).per_token
    0.625
    """

    term: str
    count: float
    value: float
    known: bool = True
    spans: tuple[tuple[int, int], ...] = ()

    @property
    def per_token(self) -> float:
        """What each occurrence adds: of those in the text, if there is one."""
        times = len(self.spans) or self.count
        return self.value / times if times else 0.0

    def to_dict(self) -> dict[str, Any]:
        """Return plain values, as JSON has them."""
        return asdict(self) | {"spans": [list(span) for span in self.spans]}


class Part(NamedTuple):
    """What adds to a difference of scores without being a word."""

    name: str
    value: float


# ------------------------------------------------------------------------------------------------
# Where in a text its terms stand.

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


# ------------------------------------------------------------------------------------------------
# A text in stretches, each with the terms that it is part of.


@dataclass(frozen=True)
class Segment:
    """A stretch of text, and the terms that cover all of it.

    Attributes
    ----------
    text : str
    terms : tuple of Contribution
    """

    text: str
    terms: tuple[Contribution, ...]

    @property
    def value(self) -> float:
        """What the terms add, for one occurrence of each."""
        return sum(each.per_token for each in self.terms)


def segments_of(text: str, contributions: Sequence[Contribution]) -> list[Segment]:
    """Cut a text wherever a term begins or ends.

    Examples
    --------
    >>> wave = Contribution("wave", 1, 1.5, spans=((4, 8),))
    >>> [segment.text for segment in segments_of("One wave!", [wave])]
    ['One ', 'wave', '!']
    """
    begins: dict[int, list[Contribution]] = {}
    ends: dict[int, list[Contribution]] = {}
    for each in contributions:
        for start, end in each.spans:
            begins.setdefault(start, []).append(each)
            ends.setdefault(end, []).append(each)
    cuts = sorted({0, len(text), *begins, *ends})
    open_: list[Contribution] = []
    segments = []
    for start, end in pairwise(cuts):
        for each in ends.get(start, ()):
            open_.remove(each)
        open_ += begins.get(start, ())
        # Not by their values: a term of a long document has many places, and hashing looks at all.
        distinct = {id(each): each for each in open_}
        segments.append(Segment(text[start:end], tuple(distinct.values())))
    return segments

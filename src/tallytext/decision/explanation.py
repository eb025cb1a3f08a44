"""Explanations: a difference of two scores as a sum of contributions of terms."""

from __future__ import annotations

import math
import re
import unicodedata
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING, Any, NamedTuple

from tallytext._core import Texts, stream_terms, token_spans
from tallytext.decision.rendering import format_value, render_html, render_rich, render_text
from tallytext.text.analysis import Analyzer, analyse_char_ngrams, mark_char_ngram
from tallytext.text.vocabulary import Vocabulary

if TYPE_CHECKING:
    from rich.console import ConsoleRenderable


@dataclass(frozen=True)
class Contribution:
    """The contribution of one term to a difference of scores.

    Attributes
    ----------
    term : str
    count : float
        Weight of the term in the document, for most models its number of occurrences.
    value : float
        The count times the difference of the term's weights in the two classes.
    known : bool
        True if the term is in the model's training documents; otherwise the value is 0.
    spans : tuple of (start, end)
        Positions of the term in the text, in characters, if the text is known.

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
        """The contribution of one occurrence, counted in the text if there is one."""
        # The count may be weighted or logarithmic, so it is not the number of places in the text.
        times = len(self.spans) or self.count
        return self.value / times if times else 0.0

    def to_dict(self) -> dict[str, Any]:
        """Return the contribution as JSON values."""
        return asdict(self) | {"spans": [list(span) for span in self.spans]}


class ScorePart(NamedTuple):
    """A part of a difference of scores that belongs to no term, such as the prior."""

    name: str
    value: float


@dataclass(frozen=True)
class Explanation:
    r"""The difference between the scores of two classes as a sum of parts and terms.

    .. math:: s_a(d) - s_b(d) = \text{prior} + \text{absent} + \text{length} + \sum_w v_w

    If ``against`` is None, the score is itself a comparison: the log-odds of the class against all
    others.

    Attributes
    ----------
    label : label
        The class that is explained.
    against : label or None
        The class that it is compared with; None for all others.
    score, other_score : float
        Scores of the two classes; ``other_score`` is 0 if ``against`` is None.
    difference : float
        ``score - other_score``.
    prior : float
        Contribution of the class prior.
    contributions : tuple of Contribution
        Contribution of each term of the document.
    absent : float or None
        Contribution of an empty document, in models where absent words count. The contribution of
        a word that is present includes the share of it that the word cancels.
    length : float or None
        Contribution of the document length, in models that use it.
    text : str or None
        The document.

    Examples
    --------
    >>> why = Explanation("sea", "sky", -2.0, -3.5, 1.5, 0.5, (
    ...     Contribution("wave", 2, 1.25), Contribution("blue", 1, -0.25)))
    >>> print(why)
    sea rather than sky: +1.50
    <BLANKLINE>
    term     count  contribution
    wave         2         +1.25          │█████████████████████████████████████████
    (prior)                +0.50          │████████████████▍
    blue         1         -0.25  ████████│
    """

    label: Any
    against: Any
    score: float
    other_score: float
    difference: float
    prior: float
    contributions: tuple[Contribution, ...] = ()
    absent: float | None = None
    length: float | None = None
    text: str | None = None

    @property
    def parts(self) -> tuple[ScorePart, ...]:
        """The parts that belong to no term: prior, and absent words and length if they count."""
        named = {"prior": self.prior, "absent words": self.absent, "length": self.length}
        return tuple(ScorePart(name, value) for name, value in named.items() if value is not None)

    @property
    def unknown_terms(self) -> tuple[Contribution, ...]:
        """The terms that are not in the model's training documents."""
        return tuple(each for each in self.contributions if not each.known)

    @property
    def headline(self) -> str:
        """The two classes and the difference of their scores."""
        other = "anything else" if self.against is None else self.against
        return f"{self.label} rather than {other}: {format_value(self.difference)}"

    def top(self, k: int = 10) -> tuple[Contribution, ...]:
        """Return the k known terms with the largest contributions, positive or negative.

        Parameters
        ----------
        k : int, default=10
            Number of terms.
        """
        known = (each for each in self.contributions if each.known)
        return tuple(sorted(known, key=lambda each: -abs(each.value))[:k])

    def to_dict(self) -> dict[str, Any]:
        """Return the explanation as JSON values.

        Examples
        --------
        >>> Explanation("sea", None, 1.5, 0.0, 1.5, 1.5).to_dict()["parts"]
        {'prior': 1.5}
        """
        return {
            "label": self.label,
            "against": self.against,
            "score": self.score,
            "other_score": self.other_score,
            "difference": self.difference,
            "parts": {part.name: part.value for part in self.parts},
            "contributions": [each.to_dict() for each in self.contributions],
            "text": self.text,
        }

    def to_text(self, k: int = 10, width: int = 80) -> str:
        """Return a table of the k most important terms as plain text, with bars.

        Parameters
        ----------
        k : int, default=10
            Number of terms in the table.
        width : int, default=80
            Maximum length of a line.
        """
        return render_text(self, k, width)

    def to_html(self, k: int = 10) -> str:
        """Return an HTML fragment: the text with coloured words, and a table of k terms.

        The fragment has no scripts, needs no style sheet, and is readable on light and dark
        backgrounds.

        Parameters
        ----------
        k : int, default=10
            Number of terms in the table.
        """
        return render_html(self, k)

    def to_rich(self, k: int = 10) -> ConsoleRenderable:
        """Return a renderable for :func:`rich.print`: the text with coloured words, and a table.

        Words for the class are green and words against it are red; the stronger the brighter.
        There are no colours if the output is not a terminal or ``NO_COLOR`` is set. Control
        characters of the text are shown as symbols and have no effect on the terminal.

        Parameters
        ----------
        k : int, default=10
            Number of terms in the table.

        Examples
        --------
        >>> from rich.console import Console
        >>> wave = Contribution("wave", 1, 1.25, spans=((4, 8),))
        >>> why = Explanation("sea", "sky", 2.0, 0.75, 1.25, 0.0, (wave,), text="One wave!")
        >>> Console(width=60, color_system=None).print(why)  # doctest: +NORMALIZE_WHITESPACE
        sea rather than sky: +1.25
        <BLANKLINE>
        One +wave!
        <BLANKLINE>
        term  count  contribution
        wave      1         +1.25                  │████████████████
        """
        return render_rich(self, k)

    def __str__(self) -> str:
        return self.to_text()

    def __rich__(self) -> ConsoleRenderable:
        return self.to_rich()

    def _repr_html_(self) -> str:
        return self.to_html()


class TermSpan(NamedTuple):
    """A term and its position in a text, in characters."""

    term: str
    start: int
    end: int


def locate_terms(analyzer: Analyzer, text: str) -> list[TermSpan]:
    """Return the terms of a text with their positions.

    A word n-gram spans from the start of its first word to the end of its last. Character n-grams
    come after all words. The space that pads a word has no position: a character n-gram of nothing
    else is located at the adjacent character. Tokens of a callable are searched for in the text,
    from left to right, ignoring case; a token that does not occur there is left out.

    Parameters
    ----------
    analyzer : Analyzer
        From :meth:`tallytext.TextVectorizer.build_analyzer`.
    text : str

    Examples
    --------
    >>> for span in locate_terms(Analyzer(ngram_range=(1, 2)), "À bas, élèves!"):
    ...     print(span.term, span.start, span.end)
    bas 2 5
    élèves 7 13
    bas élèves 2 13
    """
    located = _locate_ngrams(analyzer, _locate_analysed(analyzer, text))
    ngrams = [_join_spans(words) for words in located]
    return ngrams if analyzer.chars is None else ngrams + _locate_strings(analyzer, text)


def _locate_analysed(analyzer: Analyzer, text: str) -> list[TermSpan]:
    """Return the words of a text after analysis, or its character n-grams if these are tokens."""
    tokens = list(_locate_tokens(analyzer, text))
    return _replace_terms(tokens, analyzer.analysis.analyse([token.term for token in tokens]))


def _locate_ngrams(analyzer: Analyzer, words: list[TermSpan]) -> list[list[TermSpan]]:
    """Return the words of each word n-gram."""
    shortest, longest = (1, 1) if analyzer.tokens == "chars" else analyzer.ngram_range
    return [
        words[at : at + n]
        for n in range(shortest, min(longest, len(words)) + 1)
        for at in range(len(words) - n + 1)
    ]


def _locate_strings(analyzer: Analyzer, text: str) -> list[TermSpan]:
    """Return the marked character n-grams that are counted in addition to words."""
    assert analyzer.chars is not None
    grams = list(_locate_char_ngrams(analyzer.chars, text, analyzer.lowercase))
    marked = [mark_char_ngram(gram.term) for gram in grams]
    return _replace_terms(grams, analyse_char_ngrams(marked, analyzer.analysis))


def _replace_terms(spans: list[TermSpan], terms: list[str | None]) -> list[TermSpan]:
    """Return spans with their analysed terms, without those that analysis drops (None)."""
    pairs = zip(spans, terms, strict=True)
    return [span._replace(term=term) for span, term in pairs if term is not None]


def _join_spans(spans: list[TermSpan]) -> TermSpan:
    if len(spans) == 1:
        return spans[0]
    term = " ".join(span.term for span in spans)
    # Minimum and maximum, because a word and its Hangul bigrams overlap.
    return TermSpan(term, min(span.start for span in spans), max(span.end for span in spans))


def _locate_tokens(analyzer: Analyzer, text: str) -> Iterable[TermSpan]:
    if analyzer.tokens in ("words", "sklearn"):
        return _locate_words(analyzer, text)
    if analyzer.tokens == "chars":
        return _locate_char_ngrams(analyzer.ngram_range, text, analyzer.lowercase)
    if isinstance(analyzer.tokens, re.Pattern):
        return _locate_matches(analyzer.tokens, text, analyzer.lowercase)
    assert callable(analyzer.tokens)
    return _search_tokens(analyzer.tokens(text), text)


def _locate_words(analyzer: Analyzer, text: str) -> Iterator[TermSpan]:
    raw = Vocabulary()
    # The tokenizer of the core itself, so that an explanation finds exactly the counted words.
    _, ids = stream_terms(Texts.from_strings([text]), analyzer.word_rules, raw.native, 1)
    starts, ends = token_spans(text, analyzer.word_rules)
    names = raw.terms(ids).tolist()
    return map(TermSpan, names, starts.tolist(), ends.tolist())


def _locate_char_ngrams(
    ngram_range: tuple[int, int], text: str, lowercase: bool
) -> Iterator[TermSpan]:
    """Yield the character n-grams of words padded with a space on each side."""
    lowered, origins = _lowercase_with_origins(text, lowercase)
    shortest, longest = ngram_range
    for word in re.finditer(r"\S+", lowered):
        padded, before = f" {word[0]} ", word.start() - 1
        # A word shorter than n is one n-gram, and is not repeated for each larger n.
        for n in range(shortest, min(longest, max(shortest, len(padded))) + 1):
            for at in range(max(1, len(padded) - n + 1)):
                gram = padded[at : at + n]
                first = min(max(before + at, word.start()), word.end() - 1)
                last = max(min(before + at + len(gram), word.end()) - 1, first)
                yield TermSpan(gram, origins[first], origins[last] + 1)


def _locate_matches(pattern: re.Pattern[str], text: str, lowercase: bool) -> Iterator[TermSpan]:
    lowered, origins = _lowercase_with_origins(text, lowercase)
    for match in pattern.finditer(lowered):
        # The group, or the whole match (group 0) of a pattern without groups.
        start, end = match.span(pattern.groups)
        if start < end:
            yield TermSpan(lowered[start:end], origins[start], origins[end - 1] + 1)


def _search_tokens(tokens: Iterable[str], text: str) -> Iterator[TermSpan]:
    lowered, origins = _lowercase_with_origins(text, True)
    at = 0
    for token in tokens:
        start = lowered.find(token.lower(), at)
        if start >= 0 and token:
            at = start + len(token.lower())
            yield TermSpan(token, origins[start], origins[at - 1] + 1)


def _lowercase_with_origins(text: str, lowercase: bool) -> tuple[str, list[int]]:
    """Return the text in lower case and the original position of each of its characters.

    Lower case may be longer: "İ" becomes two characters.
    """
    if not lowercase:
        return text, list(range(len(text)))
    return text.lower(), [at for at, char in enumerate(text) for _ in char.lower()]


def sum_onto_words(explanation: Explanation, analyzer: Analyzer) -> Explanation:
    """Return an explanation whose contributions are those of the words of its text.

    The value of a term is divided equally among its occurrences, that of an n-gram of words among
    its words, and that of a string of characters among the words it lies in. In scripts without
    spaces, Japanese and Chinese, it is divided among characters; adjacent characters of one script
    whose values have the same sign are then joined into runs. A string that lies in no word, such
    as one of punctuation, belongs to the characters between two words. The sum of all
    contributions stays the same.

    An explanation without a text, or with infinite values, is returned as it is; so is the
    contribution of a term that does not occur literally in the text.

    Parameters
    ----------
    explanation : Explanation
        Contributions of terms.
    analyzer : Analyzer
        The settings that turned the text into these terms.

    Examples
    --------
    >>> terms = Contribution("new york", 1, 1.0), Contribution("#yor", 1, 0.5)
    >>> why = Explanation("city", "sky", 1.5, 0.0, 1.5, 0.0, terms, text="New York")
    >>> found = sum_onto_words(why, Analyzer(ngram_range=(1, 2), chars=(3, 3))).contributions
    >>> [(each.term, each.value) for each in found]
    [('new', 0.5), ('york', 1.0)]
    """
    text, contributions = explanation.text, explanation.contributions
    if text is None or not all(math.isfinite(each.value) for each in contributions):
        return explanation
    words = _locate_analysed(analyzer, text)
    found: dict[str, list[list[TermSpan]]] = defaultdict(list)
    for ngram in _locate_ngrams(analyzer, words):
        found[_join_spans(ngram).term].append(ngram)
    if analyzer.chars is not None:
        for string in _locate_strings(analyzer, text):
            found[string.term].append([string])
    pieces, kept = _Pieces(text, words), []
    for each in contributions:
        places = found.get(each.term)
        if places is None:
            kept.append(each)
            continue
        for place in places:
            for part in place:
                share = each.value / len(places) / len(place)
                pieces.add(part.start, part.end, share, each.known)
    summed = _group_by_word(pieces.runs(), text, analyzer.lowercase)
    return replace(explanation, contributions=(*summed, *kept))


@dataclass
class _Piece:
    """A word, or a character of a script without spaces, with its value so far."""

    start: int
    end: int
    script: str = ""
    value: float = 0.0
    known: bool = False
    is_used: bool = False

    def joins(self, other: _Piece) -> bool:
        """Return True if both are adjacent characters of one run."""
        return (
            bool(self.script)
            and (self.script, self.end, self.known) == (other.script, other.start, other.known)
            and (self.value < 0) == (other.value < 0)
        )


class _Pieces:
    """The pieces of a text that contributions of terms are divided among."""

    def __init__(self, text: str, words: list[TermSpan]) -> None:
        self._text = text
        self._at: list[_Piece | None] = [None] * len(text)
        covered = bytearray(len(text))
        starts = set()
        for start, end in _merge_overlaps(words):
            covered[start:end] = b"\1" * (end - start)
            starts.add(start)
        for at, char in enumerate(text):
            # What lies between words is a piece of its own, up to a space.
            inside = bool(covered[at])
            before = self._at[at - 1] if at else None
            if not inside and char.isspace():
                continue
            script = _unspaced_script(char)
            continues = before is not None and not (
                script or before.script or at in starts or inside != bool(covered[at - 1])
            )
            if continues:
                assert before is not None
                before.end = at + 1
                self._at[at] = before
            else:
                self._at[at] = _Piece(at, at + 1, script)
        self._covered = covered

    def add(self, start: int, end: int, value: float, known: bool) -> None:
        """Divide a value among the pieces between two positions, words first."""
        inside = [at for at in range(start, end) if self._covered[at]]
        places = inside or [at for at in range(start, end) if self._at[at] is not None]
        pieces = {id(piece): piece for at in places if (piece := self._at[at]) is not None}
        for piece in pieces.values():
            piece.value += value / len(pieces)
            piece.known |= known
            piece.is_used = True

    def runs(self) -> list[_Piece]:
        """Return words and runs of characters, in the order of the text."""
        found: list[_Piece] = []
        last = None
        for piece in self._at:
            if piece is None or piece is last or not piece.is_used:
                continue
            last = piece
            if found and found[-1].joins(piece):
                found[-1] = replace(found[-1], end=piece.end, value=found[-1].value + piece.value)
            else:
                found.append(piece)
        return found


def _merge_overlaps(spans: list[TermSpan]) -> Iterator[tuple[int, int]]:
    """Yield the extent of spans that overlap, as a Korean word and its pairs of syllables do."""
    first = last = None
    for _, start, end in sorted(spans, key=lambda span: span.start):
        if last is None or first is None or start >= last:
            if first is not None and last is not None:
                yield first, last
            first, last = start, end
        else:
            last = max(last, end)
    if first is not None and last is not None:
        yield first, last


def _unspaced_script(char: str) -> str:
    """Return the script of a Japanese or Chinese character, and "" for any other.

    Examples
    --------
    >>> [_unspaced_script(char) for char in "\u6620\u304c\u30d3\ud55ca"]
    ['CJK', 'HIRAGANA', 'KATAKANA', '', '']
    """
    if char < "\u2e80":
        return ""
    name = unicodedata.name(char, "")
    if char in "\u3005\u3007":  # the iteration mark and zero stand for ideographs
        return "CJK"
    if name.startswith("KATAKANA-HIRAGANA"):  # the sign of a long vowel
        return "KATAKANA"
    script = name.partition(" ")[0]
    return script if script in ("CJK", "HIRAGANA", "KATAKANA") and char.isalpha() else ""


def _group_by_word(runs: list[_Piece], text: str, lowercase: bool) -> list[Contribution]:
    """Return the contribution of each distinct word, with all places of it."""
    places: dict[str, list[_Piece]] = defaultdict(list)
    for run in runs:
        word = text[run.start : run.end]
        places[word.lower() if lowercase else word].append(run)
    return [
        Contribution(
            word,
            float(len(found)),
            math.fsum(run.value for run in found),
            any(run.known for run in found),
            tuple((run.start, run.end) for run in found),
        )
        for word, found in places.items()
    ]

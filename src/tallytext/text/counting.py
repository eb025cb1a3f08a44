"""From documents to sparse rows of term counts."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from numbers import Integral
from operator import index
from typing import Any, Literal, TypeAlias

import numpy as np
import scipy.sparse as sp
import sklearn
from numpy.typing import DTypeLike, NDArray

from tallytext._core import (
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
)
from tallytext.errors import AnalysisError, FrozenVocabularyError
from tallytext.text.analysis import TermAnalysis, analyse_mixed
from tallytext.text.vocabulary import Vocabulary

Tokens: TypeAlias = (
    Literal["words", "sklearn", "chars"] | re.Pattern[str] | Callable[[str], Iterable[str]]
)
Hangul: TypeAlias = Literal["words", "words+bigrams"]

# No document is as long, and the core would not take the number.
_TOO_LONG = 2**31
_NATIVE_WORDS = ("words", "sklearn")
_NATIVE_TOKENS = (*_NATIVE_WORDS, "chars")


@dataclass(frozen=True)
class Rows:
    """The counts of some documents: row i is ``starts[i]:starts[i + 1]`` of terms and counts.

    A term comes once in a row, in order of first appearance unless asked for otherwise.
    """

    starts: NDArray[np.int64]
    terms: NDArray[np.int32]
    counts: NDArray[np.int64]

    @classmethod
    def stack(cls, parts: Sequence[Rows]) -> Rows:
        """Lay the rows of several parts under one another."""
        if len(parts) == 1:
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

    def only(self, column_of: NDArray[np.int32]) -> Rows:
        """Keep the terms that have a column, under the number of that column."""
        columns = column_of[self.terms]
        kept = columns >= 0
        before = np.concatenate([np.zeros(1, np.int64), np.cumsum(kept)])
        return Rows(before[self.starts], columns[kept], self.counts[kept])

    def matrix(self, n_columns: int, dtype: DTypeLike) -> Any:
        """Return the rows as a CSR matrix (or array, as scikit-learn is configured)."""
        # The core's "long long" is int64 under another name; NumPy would show the difference.
        counts = self.counts.view(np.int64).astype(dtype, copy=False)
        parts = (counts, self.terms, self.starts)
        shape = (len(self.starts) - 1, n_columns)
        as_array = sklearn.get_config().get("sparse_interface") == "sparray"
        return sp.csr_array(parts, shape) if as_array else sp.csr_matrix(parts, shape)


@dataclass(frozen=True)
class Analyzer:
    """How documents are cut into terms: equal settings give equal terms.

    Parameters
    ----------
    tokens : {"words", "sklearn", "chars"}, compiled pattern or callable
        What a token is; see :class:`tallytext.TextVectorizer`.
    ngram_range : tuple of int
        Shortest and longest n-gram, of words or, for ``tokens="chars"``, of characters.
    lowercase : bool
        Whether text is lower-cased; a callable gets the text as it is.
    hangul : {"words", "words+bigrams"}
        Whether Korean words are accompanied by the pairs of their syllables.
    inside_words : bool
        Whether character n-grams stay inside words padded with spaces, or run over the text.
    min_length : {1, 2}
        The shortest word, in characters.
    chars : tuple of int or None
        Shortest and longest n-gram of the characters that are counted besides words, marked.
    analysis : TermAnalysis
        What becomes of each distinct token.

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
            raise AnalysisError("the pattern of tokens must be one of str, not of bytes.")
        checked_range(self.ngram_range)
        self._check_word_settings()

    def _check_word_settings(self) -> None:
        if not isinstance(self.min_length, Integral) or self.min_length not in (1, 2):
            raise AnalysisError(f"min_length must be 1 or 2, not {self.min_length!r}.")
        if self.chars is not None:
            checked_range(self.chars, "chars")
        changed = [("min_length", self.min_length, 2), ("chars", self.chars, None)]
        for name, value, usual in changed:
            if value != usual and self.tokens not in _NATIVE_WORDS:
                raise AnalysisError(
                    f"{name}={value!r} is for tokens='words' and tokens='sklearn', and has no "
                    f"meaning with tokens={self.tokens!r:.80}."
                )

    def count(
        self,
        texts: Texts,
        vocabulary: Vocabulary,
        *,
        grow: bool,
        n_threads: int = 1,
        in_order: bool = False,
    ) -> Rows:
        """Count the terms of each document.

        Parameters
        ----------
        texts : Texts
            The documents.
        vocabulary : Vocabulary
            Numbers the terms.
        grow : bool
            Whether new terms join the vocabulary; otherwise they are ignored.
        n_threads : int, default=1
            Threads to share the work; the result does not depend on it.
        in_order : bool, default=False
            Whether the columns of a growing vocabulary follow its sorted terms, not their ids,
            and the entries of every row its columns.

        Raises
        ------
        FrozenVocabularyError
            If a frozen vocabulary is to grow.
        """
        if grow and vocabulary.frozen:
            raise FrozenVocabularyError("cannot count new terms: this vocabulary is frozen.")
        documents, rules = self._documents(texts)
        target = (vocabulary.native, grow, self._word_ngrams, n_threads, in_order)
        if self.analysis.is_identity:
            return Rows(*count_terms(documents, rules, *target))
        raw = Vocabulary()
        starts, ids = stream_terms(documents, rules, raw.native, n_threads)
        analysed = Vocabulary()
        analysed_of = _ids_of(self._analysed(list(raw)), analysed)
        marked = self.chars is not None
        return Rows(*count_analysed(starts, ids, analysed_of, analysed.native, marked, *target))

    @property
    def word_rules(self) -> WordRules:
        """How the core cuts words, for ``tokens`` of "words" and "sklearn"."""
        bigrams = self.hangul == "words+bigrams"
        python = self.tokens == "sklearn"
        return WordRules(python, bool(self.lowercase), bigrams, int(self.min_length))

    @property
    def _word_ngrams(self) -> NgramRange:
        return NgramRange(*((1, 1) if self.tokens == "chars" else self.ngram_range))

    def _documents(self, texts: Texts) -> tuple[Any, Any]:
        """Return what the core counts: texts with the rules to cut them by, or tokens without."""
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

    def _analysed(self, terms: list[str]) -> list[str | None]:
        mixed = self.chars is not None
        return analyse_mixed(terms, self.analysis) if mixed else self.analysis.analyse(terms)

    def _python_tokenizer(self) -> Callable[[str], Iterable[str]]:
        if not isinstance(self.tokens, re.Pattern):
            assert callable(self.tokens)
            return self.tokens
        find = self.tokens.findall
        if self.tokens.groups > 1:
            raise AnalysisError("the pattern of tokens may have one group at most.")
        return (lambda text: find(text.lower())) if self.lowercase else find


def checked_range(ngram_range: Any, name: str = "ngram_range") -> tuple[int, int]:
    """Return the shortest and the longest n-gram, if that is what is given.

    Examples
    --------
    >>> checked_range([1, 2])
    (1, 2)
    """
    try:
        shortest, longest = map(index, ngram_range)
    except (TypeError, ValueError):
        shortest = longest = 0
    if not 1 <= shortest <= longest < _TOO_LONG:
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


def _ids_of(terms: list[str | None], vocabulary: Vocabulary) -> NDArray[np.int32]:
    """Return the ids of terms in a vocabulary that they join, -1 for None."""
    kept = np.array([term is not None for term in terms], dtype=bool)
    ids = np.full(len(terms), -1, dtype=np.int32)
    ids[kept] = vocabulary.add([term for term in terms if term is not None])
    return ids

"""Streams of words, and the search for phrases in them.

Texts become streams of word ids with breaks at punctuation. A :class:`Matcher` counts given phrases
in streams; :func:`find_by_pairs` finds new ones by joining neighbouring words.
"""

from __future__ import annotations

import codecs
from abc import abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from tallytext._core import BREAK, PhraseTree, Texts, count_word_pairs, stream_broken
from tallytext._estimators import BaseEstimator, TransformerMixin
from tallytext.errors import AnalysisError, FileError, SettingsError
from tallytext.runtime import thread_count
from tallytext.semantic.association import gensim_score, log_likelihood, npmi
from tallytext.text.analysis import Accents, Analyzer, TermAnalysis, TermCounts
from tallytext.text.sources import read_batches
from tallytext.text.vocabulary import Vocabulary

# Ids in streams. Words on the two sides of a break are not neighbours; a dropped word is counted in
# distances.
_BREAK_ID, _DROPPED_ID = -1, -2


class RawTokenStreams(NamedTuple):
    """Ids of words before the analysis; the first term of the vocabulary is the break."""

    starts: NDArray[np.int64]
    ids: NDArray[np.int32]
    vocabulary: Vocabulary


@dataclass(frozen=True)
class TokenStreams:
    """Words of documents: document d is ``starts[d]:starts[d + 1]`` of ``words``.

    A word is an index into ``names``. -1 is a break and -2 a dropped word: both separate words,
    and a dropped word still counts in distances.
    """

    starts: NDArray[np.int64]
    words: NDArray[np.int32]
    names: NDArray[np.object_]

    @property
    def n_documents(self) -> int:
        """The number of documents."""
        return len(self.starts) - 1

    def mask_words(self, unwanted: NDArray[np.bool_]) -> TokenStreams:
        """Drop unwanted words, without moving the others."""
        new = np.arange(len(unwanted), dtype=np.int32)
        new[unwanted] = _DROPPED_ID
        return replace(self, words=map_words(self.words, new))

    def sample(self, max_documents: int) -> TokenStreams:
        """Return at most ``max_documents`` documents, evenly spaced."""
        n = self.n_documents
        if n <= max_documents:
            return self
        # Evenly spaced, because the first documents of a sorted collection are all of one kind.
        chosen = np.arange(max_documents) * n // max_documents
        begins, ends = self.starts[chosen], self.starts[chosen + 1]
        parts = [self.words[begin:end] for begin, end in zip(begins, ends, strict=True)]
        starts = np.concatenate([np.zeros(1, np.int64), np.cumsum(ends - begins)])
        return replace(self, starts=starts, words=np.concatenate(parts))

    def occurrences(self) -> NDArray[np.int64]:
        """Return the number of occurrences of each word."""
        return np.bincount(self.words[self.words >= 0], minlength=len(self.names))

    def counts(self) -> sp.csr_matrix:
        """Return the counts of words, one row for each document."""
        kept = self.words >= 0
        before = np.concatenate([np.zeros(1, np.int64), np.cumsum(kept)])
        columns, starts = self.words[kept], before[self.starts]
        shape = (self.n_documents, len(self.names))
        X = sp.csr_matrix((np.ones(len(columns), np.int64), columns, starts), shape)
        X.sum_duplicates()
        return X


@dataclass(frozen=True)
class StreamTokenizer:
    """Splits texts into words, as :class:`tallytext.TextVectorizer`, with breaks between them.

    Two words are neighbours if there is nothing between them but spaces, at most one line feed,
    apostrophes, or a single hyphen without spaces.

    Examples
    --------
    >>> tokenizer = StreamTokenizer()
    >>> texts = tokenizer.batches(["The space-shuttle\\nprogram. It's -- over"])
    >>> streams = tokenizer.number_words(tokenizer.tokenize(texts, n_threads=1))
    >>> [streams.names[i] if i >= 0 else "|" for i in streams.words]
    ['the', 'space', 'shuttle', 'program', '|', 'it', '|', 'over']
    """

    tokens: str = "words"
    lowercase: bool = True
    min_length: int = 2
    stop_words: str | Iterable[str] | None = None
    language: str | None = None
    strip_accents: Accents = None
    encoding: str = "utf-8"
    decode_error: str = "strict"

    def analyzer(self) -> Analyzer:
        """Return the analyzer for these settings; raise if a setting is invalid."""
        if not (isinstance(self.tokens, str) and self.tokens in ("words", "sklearn")):
            raise AnalysisError(
                f"tokens must be 'words' or 'sklearn' here, not {self.tokens!r:.80}."
            )
        analysis = TermAnalysis.from_settings(
            stop_words=self.stop_words, language=self.language, strip_accents=self.strip_accents
        )
        return Analyzer(
            tokens=self.tokens,  # type: ignore[arg-type]
            lowercase=self.lowercase,
            min_length=self.min_length,
            analysis=analysis,
        )

    def batches(self, texts: Any) -> Iterable[Texts]:
        """Return the documents in batches."""
        return read_batches(texts, encoding=self.encoding, decode_error=self.decode_error)

    def tokenize(self, texts: Iterable[Texts], n_threads: int) -> RawTokenStreams:
        """Split batches of documents into words."""
        vocabulary, rules = Vocabulary([BREAK]), self.analyzer().word_rules
        parts = [stream_broken(batch, rules, vocabulary.native, n_threads) for batch in texts]
        return RawTokenStreams(*_concatenate_streams(parts), vocabulary)

    def analyse_words(self, raw: Vocabulary) -> list[str | None]:
        """Return the analysed form of each raw word, None if it is dropped; the break stays."""
        return [BREAK, *self.analyzer().analysis.analyse(raw.terms().tolist()[1:])]

    def locate_words(self, raw: Vocabulary, known: Vocabulary) -> NDArray[np.int32]:
        """Return the id in ``known`` of each raw word, negative for words that are not in it."""
        if self.analyzer().analysis.is_identity:
            return known.locate(raw)
        # The empty string stands for a dropped word: it is never in a vocabulary.
        return known.ids([word or "" for word in self.analyse_words(raw)])

    def number_words(self, raw: RawTokenStreams) -> TokenStreams:
        """Return streams of analysed words, with ids in the order of their first occurrence."""
        if self.analyzer().analysis.is_identity:
            # The break, which is the first term, becomes -1.
            return TokenStreams(raw.starts, raw.ids - np.int32(1), raw.vocabulary.terms()[1:])
        words = self.analyse_words(raw.vocabulary)[1:]
        known = Vocabulary(word for word in words if word is not None)
        found = known.ids([word or "" for word in words])
        found[found < 0] = _DROPPED_ID
        new = np.concatenate([np.array([_BREAK_ID], np.int32), found])
        return TokenStreams(raw.starts, new[raw.ids], known.terms())


def map_words(words: NDArray[np.int32], new: NDArray[np.int32]) -> NDArray[np.int32]:
    """Return streams with new ids for the words; breaks and dropped words stay.

    Examples
    --------
    >>> map_words(np.array([0, -1, 1, -2], np.int32), np.array([5, -2], np.int32))
    array([ 5, -1, -2, -2], dtype=int32)
    """
    # Negative ids index from the end of the array, where break and dropped word are appended.
    return np.concatenate([new, np.array([_DROPPED_ID, _BREAK_ID], np.int32)])[words]


def _concatenate_streams(
    parts: list[tuple[NDArray[np.int64], NDArray[np.int32]]],
) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
    if len(parts) == 1:
        return parts[0]
    ends = np.cumsum([0, *(starts[-1] for starts, _ in parts)])
    starts = [starts[1:] + begin for (starts, _), begin in zip(parts, ends, strict=False)]
    return np.concatenate([np.zeros(1, np.int64), *starts]), np.concatenate(
        [ids for _, ids in parts]
    )


class Matcher:
    """Counts given phrases in documents: the longest match from left to right, without overlap.

    Parameters
    ----------
    phrases : sequence of sequences of str
        The words of each phrase, at least one; the phrases are distinct.
    columns : ndarray of int32
        The column that each phrase is counted in.

    Examples
    --------
    >>> matcher = Matcher([["new", "york"], ["new", "york", "city"]], np.array([0, 1], np.int32))
    >>> tokenizer = StreamTokenizer()
    >>> raw = tokenizer.tokenize(tokenizer.batches(["New York City is in New York"]), 1)
    >>> matcher.rows(raw, tokenizer, 1).terms
    array([1, 0], dtype=int32)
    """

    def __init__(self, phrases: Sequence[Sequence[str]], columns: NDArray[np.int32]) -> None:
        self._phrases, self._columns = phrases, columns
        self._vocabulary = Vocabulary()
        words = self._vocabulary.add([word for phrase in phrases for word in phrase])
        self._tree = phrase_tree([len(phrase) for phrase in phrases], words, len(self._vocabulary))

    def rows(self, raw: RawTokenStreams, tokenizer: StreamTokenizer, n_threads: int) -> TermCounts:
        """Count the phrases of each document."""
        words = tokenizer.locate_words(raw.vocabulary, self._vocabulary)[raw.ids]
        return TermCounts(*self._tree.count(raw.starts, words, self._columns, n_threads))

    def __reduce__(self) -> tuple[Any, ...]:
        # The native tree cannot be pickled, and is built again.
        return Matcher, (self._phrases, self._columns)


def phrase_tree(lengths: Sequence[int], words: NDArray[np.int32], n_words: int) -> PhraseTree:
    """Return the tree of phrases of these lengths; ``words`` holds the words of all phrases."""
    starts = np.concatenate([np.zeros(1, np.int64), np.cumsum(lengths, dtype=np.int64)])
    return PhraseTree(starts, words, n_words)


class PhraseCounter(TransformerMixin, BaseEstimator, auto_wrap_output_keys=None):  # type: ignore[misc, call-arg]
    """Base class of Phrases and Concepts: a transformer from texts to counts of matches."""

    n_jobs: int | None

    @abstractmethod
    def _tokenizer(self) -> StreamTokenizer:
        """Return the tokenizer for the parameters of this estimator."""

    @abstractmethod
    def _fitted_matcher(self) -> Matcher:
        """Return the matcher; raise if there is none yet."""

    @abstractmethod
    def get_feature_names_out(self, input_features: Any = None) -> NDArray[np.object_]:
        """Return the names of the columns.

        Parameters
        ----------
        input_features : ignored
            Present by convention.
        """

    def transform(self, raw_documents: Any) -> Any:
        """Count phrases in texts: the longest match from left to right, without overlap.

        Parameters
        ----------
        raw_documents : list, column or iterable of str
            The documents.

        Returns
        -------
        X : sparse matrix of shape (n_documents, n_columns)
            Counts. The entries of a row are in order of first appearance in its document.
        """
        matcher, tokenizer = self._fitted_matcher(), self._tokenizer()
        n_threads = thread_count(self.n_jobs)
        parts = (
            tokenizer.tokenize([batch], n_threads) for batch in tokenizer.batches(raw_documents)
        )
        return self._matrix([matcher.rows(raw, tokenizer, n_threads) for raw in parts])

    def _count_streams(self, raw: RawTokenStreams) -> Any:
        matcher, tokenizer = self._fitted_matcher(), self._tokenizer()
        return self._matrix([matcher.rows(raw, tokenizer, thread_count(self.n_jobs))])

    def _matrix(self, rows: list[TermCounts]) -> Any:
        return TermCounts.stack(rows).to_matrix(len(self.get_feature_names_out()), np.int64)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.string = True
        tags.input_tags.two_d_array = False
        return tags


def check_strings(values: Mapping[str, Any], name: str) -> list[str]:
    """Return the list of strings that ``values`` holds under a name.

    Raises
    ------
    FileError
        If there is no list of strings under this name.
    """
    found = values.get(name) if isinstance(values, Mapping) else None
    if not isinstance(found, list) or not all(isinstance(item, str) for item in found):
        raise FileError(f"{name!r} must be a list of strings, not {found!r:.80}")
    return found


# The number of threads and the progress bar depend on the machine and the user; the mapping of
# Concepts is stored separately.
_NOT_STORED = frozenset(("n_jobs", "verbose", "mapping"))
_SETTING_TYPES: dict[str, Any] = {
    "lowercase": bool,
    "language": str | None,
    "encoding": str,
    "decode_error": str,
    "stop_words": str | list | None,
}


def settings_to_plain(model: Any) -> dict[str, Any]:
    """Return the parameters of a Phrases or Concepts as JSON values.

    Raises
    ------
    SettingsError
        If a parameter is a function.
    """
    settings = {
        name: value.item() if isinstance(value, np.generic) else value
        for name, value in model.get_params().items()
        if name not in _NOT_STORED
    }
    if callable(settings["strip_accents"]):
        raise SettingsError("strip_accents is a function, which cannot be stored in a file.")
    words = settings.get("stop_words")
    if words is not None and not isinstance(words, str):
        # A set has no order, and equal settings should give equal files.
        settings["stop_words"] = sorted(words)
    return settings


def check_settings(
    settings: Any, cls: Any, check: Callable[[Any], object] = lambda model: None
) -> dict[str, Any]:
    """Return settings read from a file, validated.

    Parameters
    ----------
    settings : object
        The settings.
    cls : type
        The class of the estimator.
    check : callable
        Called with an estimator that has these settings; raises if they are invalid.

    Raises
    ------
    FileError
        If a setting is missing, unknown or invalid.
    """
    wanted = set(cls().get_params()) - _NOT_STORED
    if not isinstance(settings, Mapping) or set(settings) != wanted:
        raise FileError("the settings of these phrases are incomplete or unknown.")
    for name, kind in _SETTING_TYPES.items():
        if name in settings and not isinstance(settings[name], kind):
            raise FileError(f"the setting {name} cannot be {settings[name]!r:.80}.")
    model = cls(**settings)
    try:
        check(model)
        model._tokenizer().analyzer()
        codecs.lookup(model.encoding)
        codecs.lookup_error(model.decode_error)
    except (ValueError, TypeError, LookupError) as problem:
        raise FileError(f"a setting of these phrases cannot be used: {problem}") from None
    return dict(settings)


#: Phrases as tuples of words (indices into the names of the streams), each with its score.
ScoredPhrases: TypeAlias = dict[tuple[int, ...], float]


@dataclass(frozen=True)
class PairCounts:
    """Counts of pairs, of their words and of all words; ``n_distinct`` counts words and pairs."""

    together: NDArray[np.int64]
    first: NDArray[np.int64]
    second: NDArray[np.int64]
    total: int
    n_distinct: int
    min_count: int


@dataclass(frozen=True)
class PairMethod:
    """Association score of pairs, with the default threshold for a phrase."""

    score: Callable[[PairCounts], NDArray[np.float64]]
    threshold: float
    strict: bool = False  # True if a phrase must exceed the threshold
    counts_all: bool = False  # True if the score depends on pairs below min_count, too


PAIR_METHODS = {
    "npmi": PairMethod(lambda n: npmi(n.together, n.first, n.second, n.total), 0.3),
    "likelihood": PairMethod(
        lambda n: log_likelihood(n.together, n.first, n.second, n.total), 10.83
    ),
    "gensim": PairMethod(
        lambda n: gensim_score(n.together, n.first, n.second, n.n_distinct, n.min_count),
        10.0,
        strict=True,
        counts_all=True,
    ),
}


@dataclass(frozen=True)
class PairSearch:
    """Search for pairs of neighbouring words with a score from a threshold on."""

    method: PairMethod
    threshold: float
    min_count: int
    n_threads: int

    def pairs(self, streams: TokenStreams) -> ScoredPhrases:
        """Return the pairs that reach the threshold, with their scores."""
        occurrences = streams.occurrences()
        words = (
            streams.words
            if self.method.counts_all
            else self._without_rare_words(streams, occurrences)
        )
        first, second, together, n_pairs = count_word_pairs(
            streams.starts, words, self.min_count, self.n_threads
        )
        n_distinct = int((occurrences > 0).sum()) + n_pairs
        total = int(occurrences.sum())
        scores = self.method.score(
            PairCounts(
                together, occurrences[first], occurrences[second], total, n_distinct, self.min_count
            )
        )
        good = scores > self.threshold if self.method.strict else scores >= self.threshold
        found = zip(first[good].tolist(), second[good].tolist(), strict=True)
        return dict(zip(found, scores[good].tolist(), strict=True))

    def _without_rare_words(
        self, streams: TokenStreams, occurrences: NDArray[np.int64]
    ) -> NDArray[np.int32]:
        """Drop words below min_count: no pair of theirs can reach it."""
        new = np.arange(len(occurrences), dtype=np.int32)
        new[occurrences < self.min_count] = -1
        return map_words(streams.words, new)


def find_by_pairs(streams: TokenStreams, search: PairSearch, max_words: int) -> ScoredPhrases:
    """Return phrases of two words and, from a second pass, of three and four.

    The second pass reads every pair of the first pass as one word, and joins neighbours of which
    at least one is such a pair.
    """
    pairs = search.pairs(streams)
    if max_words == 2 or not pairs:
        return pairs
    n_words = len(streams.names)
    # Ids beyond those of words are pairs, in this order.
    units = [(word,) for word in range(n_words)] + list(pairs)
    joined = _join_pairs(streams, list(pairs), search.n_threads)
    longer = {
        units[first] + units[second]: score
        for (first, second), score in search.pairs(joined).items()
        if max(first, second) >= n_words
    }
    return pairs | {words: score for words, score in longer.items() if len(words) <= max_words}


def _join_pairs(
    streams: TokenStreams, pairs: list[tuple[int, ...]], n_threads: int
) -> TokenStreams:
    n_words = len(streams.names)
    tree = phrase_tree([2] * len(pairs), np.array(pairs, dtype=np.int32).ravel(), n_words)
    starts, words = tree.join(streams.starts, streams.words, n_threads)
    return TokenStreams(starts, words, np.empty(n_words + len(pairs), dtype=object))

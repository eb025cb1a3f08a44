"""Phrases to be found in streams of words: the longest, from left to right, none that overlaps."""

from __future__ import annotations

import codecs
from abc import abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, TransformerMixin

from tallytext._core import BREAK, PhraseTree, Texts, count_word_pairs, stream_broken
from tallytext.errors import AnalysisError, FileError, SettingsError
from tallytext.runtime import thread_count
from tallytext.semantic.association import gensim_score, log_likelihood, npmi
from tallytext.text.analysis import Accents, TermAnalysis
from tallytext.text.counting import Analyzer, Rows
from tallytext.text.sources import batches
from tallytext.text.vocabulary import Vocabulary

# ------------------------------------------------------------------------------------------------
# Texts as streams of words, with breaks where neighbouring words end and others begin.

_BREAK, _HOLE = -1, -2


class RawStreams(NamedTuple):
    """Ids of words as they are cut out of texts; the vocabulary's first term is the break."""

    starts: NDArray[np.int64]
    ids: NDArray[np.int32]
    vocabulary: Vocabulary


@dataclass(frozen=True)
class WordStreams:
    """Words of documents: document d is ``starts[d]:starts[d + 1]`` of ``words``.

    A word is its place in ``names``. -1 is a break, -2 a word that was left out: both keep words
    apart, and the latter takes a place.
    """

    starts: NDArray[np.int64]
    words: NDArray[np.int32]
    names: NDArray[np.object_]

    @property
    def n_documents(self) -> int:
        """The number of documents."""
        return len(self.starts) - 1

    def without(self, unwanted: NDArray[np.bool_]) -> WordStreams:
        """Leave out some words, but not their places."""
        new = np.arange(len(unwanted), dtype=np.int32)
        new[unwanted] = _HOLE
        return replace(self, words=mapped(self.words, new))

    def sample(self, most: int) -> WordStreams:
        """Return at most so many documents, evenly chosen."""
        n = self.n_documents
        if n <= most:
            return self
        chosen = np.arange(most) * n // most
        begins, ends = self.starts[chosen], self.starts[chosen + 1]
        parts = [self.words[begin:end] for begin, end in zip(begins, ends, strict=True)]
        starts = np.concatenate([np.zeros(1, np.int64), np.cumsum(ends - begins)])
        return replace(self, starts=starts, words=np.concatenate(parts))

    def occurrences(self) -> NDArray[np.int64]:
        """Return how often each word comes."""
        return np.bincount(self.words[self.words >= 0], minlength=len(self.names))

    def counts(self) -> sp.csr_matrix:
        """Return the counts of words in documents."""
        kept = self.words >= 0
        before = np.concatenate([np.zeros(1, np.int64), np.cumsum(kept)])
        columns, starts = self.words[kept], before[self.starts]
        shape = (self.n_documents, len(self.names))
        X = sp.csr_matrix((np.ones(len(columns), np.int64), columns, starts), shape)
        X.sum_duplicates()
        return X


@dataclass(frozen=True)
class Cutter:
    """How texts are cut into words, as by :class:`tallytext.TextVectorizer`, and where they break.

    Two words are neighbours if nothing stands between them but spaces, at most one line feed,
    apostrophes, or a single hyphen that touches both.

    Examples
    --------
    >>> cutter = Cutter()
    >>> texts = cutter.batches(["The space-shuttle\\nprogram. It's -- over"])
    >>> streams = cutter.numbered(cutter.cut(texts, n_threads=1))
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
        """Return the settings, checked."""
        if not (isinstance(self.tokens, str) and self.tokens in ("words", "sklearn")):
            raise AnalysisError(
                f"tokens must be 'words' or 'sklearn' here, not {self.tokens!r:.80}."
            )
        analysis = TermAnalysis.of(
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
        return batches(texts, encoding=self.encoding, decode_error=self.decode_error)

    def cut(self, texts: Iterable[Texts], n_threads: int) -> RawStreams:
        """Cut batches of documents into words."""
        vocabulary, rules = Vocabulary([BREAK]), self.analyzer().word_rules
        parts = [stream_broken(batch, rules, vocabulary.native, n_threads) for batch in texts]
        return RawStreams(*_end_to_end(parts), vocabulary)

    def analysed(self, raw: Vocabulary) -> list[str | None]:
        """Return what becomes of every word, None where it is left out; the break stays."""
        return [BREAK, *self.analyzer().analysis.analyse(raw.terms().tolist()[1:])]

    def located(self, raw: Vocabulary, known: Vocabulary) -> NDArray[np.int32]:
        """Return which known word every cut one is, negative where it is none."""
        if self.analyzer().analysis.is_identity:
            return known.locate(raw)
        # No word is empty, so that nothing left out is known.
        return known.ids([word or "" for word in self.analysed(raw)])

    def numbered(self, raw: RawStreams) -> WordStreams:
        """Number the words that are left of those that were cut."""
        if self.analyzer().analysis.is_identity:
            # The break, which is the first term, becomes -1.
            return WordStreams(raw.starts, raw.ids - np.int32(1), raw.vocabulary.terms()[1:])
        words = self.analysed(raw.vocabulary)[1:]
        known = Vocabulary(word for word in words if word is not None)
        found = known.ids([word or "" for word in words])
        found[found < 0] = _HOLE
        new = np.concatenate([np.array([_BREAK], np.int32), found])
        return WordStreams(raw.starts, new[raw.ids], known.terms())


def mapped(words: NDArray[np.int32], new: NDArray[np.int32]) -> NDArray[np.int32]:
    """Return streams with every word replaced; breaks and holes stay.

    Examples
    --------
    >>> mapped(np.array([0, -1, 1, -2], np.int32), np.array([5, -2], np.int32))
    array([ 5, -1, -2, -2], dtype=int32)
    """
    # Negative ids count from the end, where the marks are.
    return np.concatenate([new, np.array([_HOLE, _BREAK], np.int32)])[words]


def _end_to_end(
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
    """Finds phrases in documents.

    Parameters
    ----------
    phrases : sequence of sequences of str
        The words of each, at least one; no phrase twice.
    columns : ndarray of int32
        In which column each phrase is counted.

    Examples
    --------
    >>> matcher = Matcher([["new", "york"], ["new", "york", "city"]], np.array([0, 1], np.int32))
    >>> raw = Cutter().cut(Cutter().batches(["New York City is in New York"]), 1)
    >>> matcher.rows(raw, Cutter(), 1).terms
    array([1, 0], dtype=int32)
    """

    def __init__(self, phrases: Sequence[Sequence[str]], columns: NDArray[np.int32]) -> None:
        self._phrases, self._columns = phrases, columns
        self._vocabulary = Vocabulary()
        words = self._vocabulary.add([word for phrase in phrases for word in phrase])
        self._tree = tree_of([len(phrase) for phrase in phrases], words, len(self._vocabulary))

    def rows(self, raw: RawStreams, cutter: Cutter, n_threads: int) -> Rows:
        """Count the phrases of each document."""
        words = cutter.located(raw.vocabulary, self._vocabulary)[raw.ids]
        return Rows(*self._tree.count(raw.starts, words, self._columns, n_threads))

    def __reduce__(self) -> tuple[Any, ...]:
        return Matcher, (self._phrases, self._columns)


def tree_of(lengths: Sequence[int], words: NDArray[np.int32], n_words: int) -> PhraseTree:
    """Return the tree of phrases of these lengths, whose words lie end to end."""
    starts = np.concatenate([np.zeros(1, np.int64), np.cumsum(lengths, dtype=np.int64)])
    return PhraseTree(starts, words, n_words)


# ------------------------------------------------------------------------------------------------
# What Phrases and Concepts have in common: counting what they find in texts.


class PhraseCounter(TransformerMixin, BaseEstimator, auto_wrap_output_keys=None):  # type: ignore[misc, call-arg]
    """A transformer from texts to counts of what a matcher finds in them."""

    n_jobs: int | None

    @abstractmethod
    def _cutter(self) -> Cutter:
        """Return how texts are cut into words."""

    @abstractmethod
    def _fitted_matcher(self) -> Matcher:
        """Return the matcher, or raise an error that says what is missing."""

    @abstractmethod
    def get_feature_names_out(self, input_features: Any = None) -> NDArray[np.object_]:
        """Return the names of the columns.

        Parameters
        ----------
        input_features : ignored
            Present by convention.
        """

    def transform(self, raw_documents: Any) -> Any:
        """Count what is found in texts: the longest, from left to right, none that overlaps.

        Parameters
        ----------
        raw_documents : list, column or iterable of str
            The documents.

        Returns
        -------
        X : sparse matrix of shape (n_documents, n_columns)
            Counts. The entries of a row are in order of first appearance in its document.
        """
        matcher, cutter = self._fitted_matcher(), self._cutter()
        n_threads = thread_count(self.n_jobs)
        parts = (cutter.cut([batch], n_threads) for batch in cutter.batches(raw_documents))
        return self._matrix([matcher.rows(raw, cutter, n_threads) for raw in parts])

    def _counted(self, raw: RawStreams) -> Any:
        matcher, cutter = self._fitted_matcher(), self._cutter()
        return self._matrix([matcher.rows(raw, cutter, thread_count(self.n_jobs))])

    def _matrix(self, rows: list[Rows]) -> Any:
        return Rows.stack(rows).matrix(len(self.get_feature_names_out()), np.int64)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.string = True
        tags.input_tags.two_d_array = False
        return tags


def strings_in(values: Mapping[str, Any], name: str) -> list[str]:
    """Return a list of strings out of plain values.

    Raises
    ------
    FileError
        If there is none under this name.
    """
    found = values.get(name) if isinstance(values, Mapping) else None
    if not isinstance(found, list) or not all(isinstance(item, str) for item in found):
        raise FileError(f"{name!r} must be a list of strings, not {found!r:.80}")
    return found


# ------------------------------------------------------------------------------------------------
# Parameters of Phrases and Concepts as plain values, and back.

# Threads, and what is shown, belong to a machine and its user; a mapping is kept by itself.
_NOT_KEPT = frozenset(("n_jobs", "verbose", "mapping"))
_KINDS: dict[str, Any] = {
    "lowercase": bool,
    "language": str | None,
    "encoding": str,
    "decode_error": str,
    "stop_words": str | list | None,
}


def plain_settings(model: Any) -> dict[str, Any]:
    """Return the parameters of an estimator as strings, numbers and lists.

    Raises
    ------
    SettingsError
        If one of them is a function.
    """
    settings = {
        name: value.item() if isinstance(value, np.generic) else value
        for name, value in model.get_params().items()
        if name not in _NOT_KEPT
    }
    if callable(settings["strip_accents"]):
        raise SettingsError("strip_accents is a function, which cannot be kept in a file.")
    words = settings.get("stop_words")
    if words is not None and not isinstance(words, str):
        settings["stop_words"] = sorted(words)
    return settings


def checked_settings(
    settings: Any, cls: Any, check: Callable[[Any], object] = lambda model: None
) -> dict[str, Any]:
    """Return settings that an estimator takes, all of them.

    Parameters
    ----------
    settings : object
        What was read.
    cls : type
        The estimator's class.
    check : callable
        Raises an error if an estimator with these settings could not be used.

    Raises
    ------
    FileError
        If there are others, or fewer, or one of them is none of what it may be.
    """
    wanted = set(cls().get_params()) - _NOT_KEPT
    if not isinstance(settings, Mapping) or set(settings) != wanted:
        raise FileError("the settings of these phrases are not those that are known here.")
    for name, kind in _KINDS.items():
        if name in settings and not isinstance(settings[name], kind):
            raise FileError(f"the setting {name} cannot be {settings[name]!r:.80}.")
    model = cls(**settings)
    try:
        check(model)
        model._cutter().analyzer()
        codecs.lookup(model.encoding)
        codecs.lookup_error(model.decode_error)
    except (ValueError, TypeError, LookupError) as problem:
        raise FileError(f"a setting of these phrases cannot be used: {problem}") from None
    return dict(settings)


# ------------------------------------------------------------------------------------------------
# Phrases of up to four words, by joining neighbours that belong together, twice.

#: Phrases as tuples of words (their places in the names of the streams), each with its score.
Found: TypeAlias = dict[tuple[int, ...], float]


@dataclass(frozen=True)
class PairCounts:
    """Counts of pairs, of the words in them, and of all words; ``n_distinct`` words and pairs."""

    together: NDArray[np.int64]
    first: NDArray[np.int64]
    second: NDArray[np.int64]
    total: int
    n_distinct: int
    min_count: int


@dataclass(frozen=True)
class PairMethod:
    """A score of pairs, and the least one that makes a phrase of them."""

    score: Callable[[PairCounts], NDArray[np.float64]]
    threshold: float
    strict: bool = False  # whether the threshold itself is too little
    counts_all: bool = False  # whether the score depends on pairs that are too rare


METHODS = {
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
    """What makes two neighbours a phrase."""

    method: PairMethod
    threshold: float
    min_count: int
    n_threads: int

    def pairs(self, streams: WordStreams) -> Found:
        """Return the pairs of neighbours that belong together."""
        occurrences = streams.occurrences()
        words = streams.words if self.method.counts_all else self._frequent(streams, occurrences)
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
        words_of = zip(first[good].tolist(), second[good].tolist(), strict=True)
        return dict(zip(words_of, scores[good].tolist(), strict=True))

    def _frequent(self, streams: WordStreams, occurrences: NDArray[np.int64]) -> NDArray[np.int32]:
        """Leave out words that are too rare to be in a pair that is frequent enough."""
        new = np.arange(len(occurrences), dtype=np.int32)
        new[occurrences < self.min_count] = -1
        return mapped(streams.words, new)


def find_by_pairs(streams: WordStreams, search: PairSearch, max_words: int) -> Found:
    """Return phrases of two words and, from a second pass, of three and four.

    The second pass reads the texts with every pair that was found as one word, and joins
    neighbours one of which, or both, are such pairs.
    """
    pairs = search.pairs(streams)
    if max_words == 2 or not pairs:
        return pairs
    n_words = len(streams.names)
    # Ids beyond those of words are pairs, in this order.
    units = [(word,) for word in range(n_words)] + list(pairs)
    joined = _joined(streams, list(pairs), search.n_threads)
    longer = {
        units[first] + units[second]: score
        for (first, second), score in search.pairs(joined).items()
        if max(first, second) >= n_words
    }
    return pairs | {words: score for words, score in longer.items() if len(words) <= max_words}


def _joined(streams: WordStreams, pairs: list[tuple[int, ...]], n_threads: int) -> WordStreams:
    n_words = len(streams.names)
    tree = tree_of([2] * len(pairs), np.array(pairs, dtype=np.int32).ravel(), n_words)
    starts, words = tree.join(streams.starts, streams.words, n_threads)
    return WordStreams(starts, words, np.empty(n_words + len(pairs), dtype=object))

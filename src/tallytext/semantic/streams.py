"""Texts as streams of words, with breaks where neighbouring words end and others begin."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from tallytext._core import BREAK, Texts, stream_broken
from tallytext.documents import Analyzer
from tallytext.errors import AnalysisError
from tallytext.text.analysis import Accents, TermAnalysis
from tallytext.text.sources import batches
from tallytext.vocabulary import Vocabulary

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

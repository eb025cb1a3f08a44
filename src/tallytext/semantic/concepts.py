"""Concepts: words and phrases from a list, counted by their meaning."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from os import PathLike
from pathlib import Path
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from tallytext._core import BREAK
from tallytext.errors import FileError, VocabularyError
from tallytext.semantic.matching import (
    Matcher,
    PhraseCounter,
    StreamTokenizer,
    check_settings,
    check_strings,
    settings_to_plain,
)
from tallytext.text.analysis import Accents
from tallytext.text.sources import as_texts


@dataclass(frozen=True)
class ConceptLine:
    """Phrase and concept of a line of a file, with the number of the line."""

    number: int
    phrase: str
    concept: str


def read_concepts(path: str | PathLike[str]) -> list[ConceptLine]:
    """Read a file with a phrase, a TAB and a concept on each line.

    Raises
    ------
    FileError
        If the file cannot be read, has no concepts, or has a malformed line.
    """
    lines = [
        _parse_line(path, number, line)
        for number, line in enumerate(_read_text(path).split("\n"), 1)
        if line.strip() and not line.startswith("#")
    ]
    if not lines:
        raise FileError(f"cannot read {str(path)!r}: it has no concepts.")
    return lines


def line_error(path: str | PathLike[str], number: int, why: str) -> FileError:
    """Return the error for a malformed line."""
    return FileError(f"cannot read {str(path)!r}: line {number}: {why}.")


def _read_text(path: str | PathLike[str]) -> str:
    try:
        data = Path(path).read_bytes()
    except OSError as problem:
        raise FileError(f"cannot read {str(path)!r}: {problem.strerror or problem}.") from None
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as problem:
        number = data.count(b"\n", 0, problem.start) + 1
        raise line_error(path, number, "it is not UTF-8") from None


def _parse_line(path: str | PathLike[str], number: int, line: str) -> ConceptLine:
    parts = [part.strip() for part in line.split("\t")]
    if len(parts) != 2:
        why = f"expected a phrase, a TAB and a concept, but there are {len(parts) - 1} TABs"
        raise line_error(path, number, why)
    if not all(parts):
        raise line_error(path, number, f"the {'phrase' if not parts[0] else 'concept'} is missing")
    return ConceptLine(number, *parts)


@dataclass(frozen=True)
class ConceptList:
    """Concepts of distinct phrases; a phrase is a tuple of words, with BREAK for punctuation."""

    concept_of: dict[tuple[str, ...], str]

    @classmethod
    def from_mapping(
        cls,
        mapping: Mapping[str, str] | Iterable[tuple[str, str]],
        tokenizer: StreamTokenizer,
        refuse: Callable[[int, str], Exception] | None = None,
    ) -> ConceptList:
        """Split phrases into words.

        Parameters
        ----------
        mapping : mapping or iterable of pairs
            The concept of each phrase.
        tokenizer : StreamTokenizer
            Splits the phrases.
        refuse : callable or None
            Returns the error to raise, given the index of a phrase and the problem.

        Raises
        ------
        VocabularyError
            If there are no phrases, a phrase has no words, or a phrase has two concepts.
        """
        phrases, concepts = check_pairs(mapping)
        refuse = refuse or (lambda place, why: VocabularyError(f"{why} (item {place})."))
        concept_of: dict[tuple[str, ...], str] = {}
        for place, (words, concept) in enumerate(
            zip(_tokenize_phrases(phrases, tokenizer), concepts, strict=True)
        ):
            if not words:
                raise refuse(place, f"there is no word in {phrases[place]!r:.80}")
            # Compared after the analysis, because two spellings can become the same words.
            known = concept_of.setdefault(words, concept)
            if known != concept:
                raise refuse(
                    place,
                    f"{phrases[place]!r:.80} means {concept!r:.80}, but meant {known!r:.80} before",
                )
        return cls(concept_of)

    @cached_property
    def concepts(self) -> list[str]:
        """The distinct concepts, in order of first appearance."""
        return list(dict.fromkeys(self.concept_of.values()))

    @cached_property
    def matcher(self) -> Matcher:
        """The matcher that counts the concepts in texts."""
        column = {concept: i for i, concept in enumerate(self.concepts)}
        columns = [column[concept] for concept in self.concept_of.values()]
        return Matcher(list(self.concept_of), np.array(columns, dtype=np.int32))

    def spelled_phrases(self) -> dict[str, str]:
        """Return the concept of each phrase, words joined by spaces, punctuation as a bar."""
        return {
            " ".join("|" if word == BREAK else word for word in words): concept
            for words, concept in self.concept_of.items()
        }


def check_pairs(mapping: Any) -> tuple[list[str], list[str]]:
    """Return the phrases and their concepts; raise if the mapping is malformed."""
    if isinstance(mapping, Iterator):
        raise VocabularyError(
            "concepts must be a mapping or a list of pairs: an iterator can be read once only, "
            "so pass a list of its items."
        )
    items = list(mapping.items() if isinstance(mapping, Mapping) else mapping)
    if not items:
        raise VocabularyError("there are no concepts: pass a mapping of phrases to concepts.")
    for item in items:
        pair = isinstance(item, Sequence) and not isinstance(item, str) and len(item) == 2
        if not pair or not all(isinstance(part, str) for part in item):
            raise VocabularyError(
                "concepts must be a mapping of str to str, or pairs of str, but one item is "
                f"{item!r:.80}."
            )
        if not item[1].strip():
            raise VocabularyError(f"the concept of {item[0]!r:.80} is empty.")
    return [phrase for phrase, _ in items], [concept for _, concept in items]


def _tokenize_phrases(phrases: list[str], tokenizer: StreamTokenizer) -> Iterator[tuple[str, ...]]:
    """Yield the words of each phrase, an empty tuple if the analysis drops one of them."""
    raw = tokenizer.tokenize([as_texts(phrases)], n_threads=1)
    words = tokenizer.analyse_words(raw.vocabulary)
    for start, end in zip(raw.starts[:-1], raw.starts[1:], strict=True):
        found = [words[i] for i in raw.ids[start:end]]
        yield () if None in found else tuple(word for word in found if word is not None)


_FILE_KEYS = {"settings", "phrases", "concepts"}


def concepts_to_values(model: Any) -> dict[str, Any]:
    """Return a ``Concepts`` as JSON values."""
    phrases, concepts = check_pairs(model.mapping)
    return {"settings": settings_to_plain(model), "phrases": phrases, "concepts": concepts}


def concepts_from_values(values: Any, cls: Any) -> Any:
    """Return the concepts stored by :func:`concepts_to_values`, with every value validated."""
    if not isinstance(values, Mapping) or set(values) != _FILE_KEYS:
        raise FileError("these are no concepts: the names of the stored values are wrong.")
    settings = check_settings(values["settings"], cls)
    phrases, concepts = check_strings(values, "phrases"), check_strings(values, "concepts")
    if len(phrases) != len(concepts):
        raise FileError(f"there are {len(phrases):,} phrases, but {len(concepts):,} concepts.")
    try:
        return cls(tuple(zip(phrases, concepts, strict=True)), **settings).fit()
    except VocabularyError as problem:
        raise FileError(f"these are no concepts: {problem}") from None


class Concepts(PhraseCounter, auto_wrap_output_keys=None):  # type: ignore[call-arg]
    """Count concepts in texts: words and phrases from a list, grouped by their meaning.

    There is nothing to learn, so ``fit`` is optional. A phrase is split into words as texts are,
    including words of one character. It matches if its words are neighbours in the text, with any
    spaces, line feed, hyphen or apostrophe between them. If there is other punctuation between its
    words, as in "St. Louis", the text must also have punctuation there. Matches are the longest
    from left to right, without overlap.

    Parameters
    ----------
    mapping : mapping of str to str, or iterable of pairs of str
        The concept of each phrase or word. It must not be changed in place later on.
    tokens : {"words", "sklearn"}, default="words"
        The tokenizer, as in :class:`tallytext.TextVectorizer`.
    lowercase, language, strip_accents, encoding, decode_error
        As in :class:`tallytext.TextVectorizer`. With a ``language``, phrases match words with the
        same stems.
    n_jobs : int or None, default=None
        Threads; None means all cores this process may use. The result does not depend on it.

    See Also
    --------
    Phrases : Finds phrases in texts.

    Examples
    --------
    >>> concepts = Concepts({"heart attack": "C0027051", "myocardial infarction": "C0027051"})
    >>> concepts.transform(["A heart-attack, or myocardial\\ninfarction"]).toarray()
    array([[2]])
    >>> concepts.get_feature_names_out()
    array(['=C0027051'], dtype=object)
    """

    def __init__(
        self,
        mapping: Mapping[str, str] | Iterable[tuple[str, str]] = (),
        *,
        tokens: str = "words",
        lowercase: bool = True,
        language: str | None = None,
        strip_accents: Accents = None,
        encoding: str = "utf-8",
        decode_error: Literal["strict", "ignore", "replace"] = "strict",
        n_jobs: int | None = None,
    ) -> None:
        self.mapping = mapping
        self.tokens = tokens
        self.lowercase = lowercase
        self.language = language
        self.strip_accents = strip_accents
        self.encoding = encoding
        self.decode_error = decode_error
        self.n_jobs = n_jobs

    @classmethod
    def read(cls, path: str | PathLike[str], **settings: Any) -> Concepts:
        """Read a UTF-8 file with a phrase, a TAB and its concept on each line.

        Empty lines and lines that begin with ``#`` are skipped. A phrase may be repeated with the
        same concept, but not with another.

        Parameters
        ----------
        path : str or path
            The file.
        **settings
            Parameters of the new object, such as ``language``.

        Raises
        ------
        FileError
            If the file is missing, is not UTF-8, or has a malformed line; the error has the number
            of the line.
        """
        lines = read_concepts(path)
        concepts = cls(tuple((line.phrase, line.concept) for line in lines), **settings)
        # Split here, so that errors have the number of the line.
        concepts._concept_list(lambda place, why: line_error(path, lines[place].number, why))
        return concepts

    def fit(self, raw_documents: Any = None, y: Any = None) -> Concepts:
        """Check the phrases. There is nothing to learn.

        Parameters
        ----------
        raw_documents, y : ignored
            Present by convention.

        Raises
        ------
        VocabularyError
            If there are no phrases, a phrase has no words, or a phrase has two concepts.
        """
        self._concept_list()
        return self

    def get_feature_names_out(self, input_features: Any = None) -> NDArray[np.object_]:
        """Return ``"="`` and the name of each concept, in the order of the columns."""
        return np.array([f"={concept}" for concept in self._concept_list().concepts], dtype=object)

    def to_dict(self) -> dict[str, str]:
        """Return the concept of each phrase, with the phrase spelt as it is matched.

        Examples
        --------
        >>> Concepts([("New-York", "NYC"), ("N.Y.C.", "NYC")]).to_dict()
        {'new york': 'NYC', 'n | y | c': 'NYC'}
        """
        return self._concept_list().spelled_phrases()

    def to_values(self) -> dict[str, Any]:
        """Return the settings and the phrases as JSON values, for files."""
        return concepts_to_values(self.fit())

    @classmethod
    def from_values(cls, values: Mapping[str, Any]) -> Concepts:
        """Return the concepts stored by :meth:`to_values`, with every value validated.

        Parameters
        ----------
        values : mapping
            The stored values.

        Raises
        ------
        FileError
            If a value is missing or invalid.

        Examples
        --------
        >>> concepts = Concepts({"St. Louis": "city"})
        >>> Concepts.from_values(concepts.to_values()).to_dict() == concepts.to_dict()
        True
        """
        return concepts_from_values(values, cls)

    def _tokenizer(self) -> StreamTokenizer:
        return StreamTokenizer(
            tokens=self.tokens,
            lowercase=self.lowercase,
            min_length=1,
            language=self.language,
            strip_accents=self.strip_accents,
            encoding=self.encoding,
            decode_error=self.decode_error,
        )

    def _fitted_matcher(self) -> Matcher:
        return self._concept_list().matcher

    def _concept_list(self, refuse: Callable[[int, str], Exception] | None = None) -> ConceptList:
        """Return the split phrases, cached until a parameter changes."""
        tokenizer = self._tokenizer()
        mapping, used_tokenizer, concept_list = getattr(self, "_cached", (None, None, None))
        # By identity, because comparing long lists at each call would take too long.
        if concept_list is None or mapping is not self.mapping or used_tokenizer != tokenizer:
            concept_list = ConceptList.from_mapping(self.mapping, tokenizer, refuse)
            self._cached = self.mapping, tokenizer, concept_list
        return concept_list

    def __sklearn_is_fitted__(self) -> bool:
        return True

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.requires_fit = False
        return tags

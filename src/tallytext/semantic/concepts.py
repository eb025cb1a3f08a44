"""Concepts: phrases from a list, counted by what they mean."""

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
    Cutter,
    Matcher,
    PhraseCounter,
    checked_settings,
    plain_settings,
    strings_in,
)
from tallytext.text.analysis import Accents
from tallytext.text.sources import as_texts

# ------------------------------------------------------------------------------------------------
# Files of phrases and their concepts.


@dataclass(frozen=True)
class ConceptLine:
    """A line of the file that says something."""

    number: int
    phrase: str
    concept: str


def read_concepts(path: str | PathLike[str]) -> list[ConceptLine]:
    """Return the lines of a file that hold a phrase, a TAB and a concept.

    Raises
    ------
    FileError
        If it cannot be read, holds no phrase, or has a line of another kind.
    """
    lines = [
        _parsed(path, number, line)
        for number, line in enumerate(_text(path).split("\n"), 1)
        if line.strip() and not line.startswith("#")
    ]
    if not lines:
        raise FileError(f"cannot read {str(path)!r}: it holds no concepts.")
    return lines


def bad_line(path: str | PathLike[str], number: int, why: str) -> FileError:
    """Return the error that says what is wrong with a line."""
    return FileError(f"cannot read {str(path)!r}: line {number}: {why}.")


def _text(path: str | PathLike[str]) -> str:
    try:
        data = Path(path).read_bytes()
    except OSError as problem:
        raise FileError(f"cannot read {str(path)!r}: {problem.strerror or problem}.") from None
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as problem:
        number = data.count(b"\n", 0, problem.start) + 1
        raise bad_line(path, number, "it is not UTF-8") from None


def _parsed(path: str | PathLike[str], number: int, line: str) -> ConceptLine:
    parts = [part.strip() for part in line.split("\t")]
    if len(parts) != 2:
        why = f"a phrase, a TAB and a concept are wanted, but it has {len(parts) - 1} TABs"
        raise bad_line(path, number, why)
    if not all(parts):
        raise bad_line(path, number, f"the {'phrase' if not parts[0] else 'concept'} is missing")
    return ConceptLine(number, *parts)


# ------------------------------------------------------------------------------------------------
# Phrases with their concepts, cut into words.


@dataclass(frozen=True)
class ConceptList:
    """Distinct phrases, each as a tuple of words, where BREAK stands for punctuation."""

    concept_of: dict[tuple[str, ...], str]

    @classmethod
    def of(
        cls,
        mapping: Mapping[str, str] | Iterable[tuple[str, str]],
        cutter: Cutter,
        refuse: Callable[[int, str], Exception] | None = None,
    ) -> ConceptList:
        """Cut phrases into words.

        Parameters
        ----------
        mapping : mapping or iterable of pairs
            The concept of each phrase.
        cutter : Cutter
            How they are cut.
        refuse : callable or None
            Makes the error to raise of the place of a phrase and of what is wrong with it.

        Raises
        ------
        VocabularyError
            If there are no phrases, one has no word in it, or one has two concepts.
        """
        phrases, concepts = pairs_of(mapping)
        refuse = refuse or (lambda place, why: VocabularyError(f"{why} (item {place})."))
        concept_of: dict[tuple[str, ...], str] = {}
        for place, (words, concept) in enumerate(zip(_cut(phrases, cutter), concepts, strict=True)):
            if not words:
                raise refuse(place, f"there is no word in {phrases[place]!r:.80}")
            known = concept_of.setdefault(words, concept)
            if known != concept:
                raise refuse(
                    place,
                    f"{phrases[place]!r:.80} means {concept!r:.80}, but meant {known!r:.80} before",
                )
        return cls(concept_of)

    @cached_property
    def concepts(self) -> list[str]:
        """The different concepts, in order of first appearance."""
        return list(dict.fromkeys(self.concept_of.values()))

    @cached_property
    def matcher(self) -> Matcher:
        """What finds the phrases in texts."""
        column = {concept: i for i, concept in enumerate(self.concepts)}
        columns = [column[concept] for concept in self.concept_of.values()]
        return Matcher(list(self.concept_of), np.array(columns, dtype=np.int32))

    def spelt(self) -> dict[str, str]:
        """Return the concept of each phrase, words joined by spaces, punctuation as a bar."""
        return {
            " ".join("|" if word == BREAK else word for word in words): concept
            for words, concept in self.concept_of.items()
        }


def pairs_of(mapping: Any) -> tuple[list[str], list[str]]:
    """Return the phrases and the concept of each, if that is what is given."""
    if isinstance(mapping, Iterator):
        raise VocabularyError(
            "concepts must be a mapping or a list of pairs: an iterator can be read once only."
        )
    items = list(mapping.items() if isinstance(mapping, Mapping) else mapping)
    if not items:
        raise VocabularyError("there are no concepts: give a mapping of phrases to concepts.")
    for item in items:
        pair = isinstance(item, Sequence) and not isinstance(item, str) and len(item) == 2
        if not pair or not all(isinstance(part, str) for part in item):
            raise VocabularyError(
                "concepts must be a mapping of str to str, or pairs of str, but there is "
                f"{item!r:.80}."
            )
        if not item[1].strip():
            raise VocabularyError(f"the concept of {item[0]!r:.80} is empty.")
    return [phrase for phrase, _ in items], [concept for _, concept in items]


def _cut(phrases: list[str], cutter: Cutter) -> Iterator[tuple[str, ...]]:
    """Yield the words of each phrase; none if one of them is left out."""
    raw = cutter.cut([as_texts(phrases)], n_threads=1)
    words = cutter.analysed(raw.vocabulary)
    for start, end in zip(raw.starts[:-1], raw.starts[1:], strict=True):
        found = [words[i] for i in raw.ids[start:end]]
        yield () if None in found else tuple(word for word in found if word is not None)


# ------------------------------------------------------------------------------------------------
# Concepts as plain values, and back. What is read is checked, since files may hold anything.

_NAMES = {"settings", "phrases", "concepts"}


def concepts_to_values(model: Any) -> dict[str, Any]:
    """Return concepts as lists of strings and one dict of settings."""
    phrases, concepts = pairs_of(model.mapping)
    return {"settings": plain_settings(model), "phrases": phrases, "concepts": concepts}


def concepts_from_values(values: Any, cls: Any) -> Any:
    """Return the concepts that :func:`concepts_to_values` wrote."""
    if not isinstance(values, Mapping) or set(values) != _NAMES:
        raise FileError("these are no concepts: other values are there than should be.")
    settings = checked_settings(values["settings"], cls)
    phrases, concepts = strings_in(values, "phrases"), strings_in(values, "concepts")
    if len(phrases) != len(concepts):
        raise FileError(f"{len(phrases):,} phrases have {len(concepts):,} concepts.")
    try:
        return cls(tuple(zip(phrases, concepts, strict=True)), **settings).fit()
    except VocabularyError as problem:
        raise FileError(f"these are no concepts: {problem}") from None


class Concepts(PhraseCounter, auto_wrap_output_keys=None):  # type: ignore[call-arg]
    """Count concepts in texts: words and phrases from a list, several of which may mean the same.

    Nothing is learned, so there is no need to fit. A phrase is cut into words as texts are, words
    of one character included, and matches wherever its words are neighbours, whatever spaces, line
    feed, hyphen or apostrophe stand between them. Where there is other punctuation between its
    words, as in "St. Louis", the text must have some there, too. The longest phrase is
    taken, from left to right, and none that overlaps.

    Parameters
    ----------
    mapping : mapping of str to str, or iterable of pairs of str
        The concept of each phrase or word. It must not be changed in place later on.
    tokens : {"words", "sklearn"}, default="words"
        How words are cut, as in :class:`tallytext.TextVectorizer`.
    lowercase, language, strip_accents, encoding, decode_error
        As in :class:`tallytext.TextVectorizer`. With a ``language``, phrases match whatever has
        the same stems.
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
        """Read a file of phrases and concepts: UTF-8, one phrase, a TAB and its concept a line.

        Empty lines, and lines that begin with ``#``, are skipped. A phrase may come again with the
        same concept, but not with another.

        Parameters
        ----------
        path : str or path
            The file.
        **settings
            Of the concepts, such as ``language``.

        Raises
        ------
        FileError
            If the file is missing, is not UTF-8, or has a line that is not of this kind; the error
            names the line.
        """
        lines = read_concepts(path)
        concepts = cls(tuple((line.phrase, line.concept) for line in lines), **settings)
        recipe = concepts._recipe()
        concepts._made = (
            recipe,
            ConceptList.of(*recipe, lambda place, why: bad_line(path, lines[place].number, why)),
        )
        return concepts

    def fit(self, raw_documents: Any = None, y: Any = None) -> Concepts:
        """Check the phrases and do nothing else.

        Parameters
        ----------
        raw_documents, y : ignored
            Present by convention.

        Raises
        ------
        VocabularyError
            If there are no phrases, one has no word in it, or one has two concepts.
        """
        self._listed()
        return self

    def get_feature_names_out(self, input_features: Any = None) -> NDArray[np.object_]:
        """Return ``"="`` and the name of each concept, in the order of the columns."""
        return np.array([f"={concept}" for concept in self._listed().concepts], dtype=object)

    def to_dict(self) -> dict[str, str]:
        """Return the concept of each phrase, spelt as it is looked for.

        Examples
        --------
        >>> Concepts([("New-York", "NYC"), ("N.Y.C.", "NYC")]).to_dict()
        {'new york': 'NYC', 'n | y | c': 'NYC'}
        """
        return self._listed().spelt()

    def to_values(self) -> dict[str, Any]:
        """Return the settings and the phrases as plain values, for files."""
        return concepts_to_values(self.fit())

    @classmethod
    def from_values(cls, values: Mapping[str, Any]) -> Concepts:
        """Read what :meth:`to_values` returned, and check all of it.

        Parameters
        ----------
        values : mapping
            What it returned.

        Raises
        ------
        FileError
            If it returned nothing of the kind.

        Examples
        --------
        >>> concepts = Concepts({"St. Louis": "city"})
        >>> Concepts.from_values(concepts.to_values()).to_dict() == concepts.to_dict()
        True
        """
        return concepts_from_values(values, cls)

    def _cutter(self) -> Cutter:
        return Cutter(
            tokens=self.tokens,
            lowercase=self.lowercase,
            min_length=1,
            language=self.language,
            strip_accents=self.strip_accents,
            encoding=self.encoding,
            decode_error=self.decode_error,
        )

    def _fitted_matcher(self) -> Matcher:
        return self._listed().matcher

    def _listed(self) -> ConceptList:
        """Return the phrases, cut; they are cut anew when a parameter has changed."""
        recipe, made = self._recipe(), getattr(self, "_made", None)
        if made is None or not _same(made[0], recipe):
            made = self._made = recipe, ConceptList.of(self.mapping, self._cutter())
        return made[1]

    def _recipe(self) -> tuple[Any, Cutter]:
        return self.mapping, self._cutter()

    def __sklearn_is_fitted__(self) -> bool:
        return True

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.requires_fit = False
        return tags


def _same(made: tuple[Any, Cutter], wanted: tuple[Any, Cutter]) -> bool:
    return made[0] is wanted[0] and made[1] == wanted[1]

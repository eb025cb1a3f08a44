"""Concepts: phrases from a list, counted by what they mean."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from os import PathLike
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from tallytext.semantic.concept_file import bad_line, read_concepts
from tallytext.semantic.concept_list import ConceptList
from tallytext.semantic.concept_values import concepts_from_values, concepts_to_values
from tallytext.semantic.counting import PhraseCounter
from tallytext.semantic.matching import Matcher
from tallytext.semantic.streams import Cutter
from tallytext.text.analysis import Accents

__all__ = ["Concepts"]


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

"""What can be a signature: words, phrases, concepts, or several of them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple, Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.base import clone

from tallytext.errors import VocabularyError
from tallytext.semantic.phrases import Phrases
from tallytext.text.vectorizer import TextVectorizer

WORD, PHRASE, CONCEPT = 0, 1, 2
KIND_NAMES = ("word", "phrase", "concept")

# What says how texts are cut into words.
_CUTTING = (
    "tokens",
    "lowercase",
    "min_length",
    "language",
    "strip_accents",
    "encoding",
    "decode_error",
    "n_jobs",
)


class Finder(Protocol):
    """Finds phrases or concepts in texts: a scikit-learn transformer with names."""

    def transform(self, texts: Any) -> Any:
        """Return how often each occurs in each text."""

    def get_feature_names_out(self) -> NDArray[np.object_]:
        """Return their names."""


Signatures: TypeAlias = str | Finder | Sequence[str | Finder]


class Chosen(NamedTuple):
    """Whether words are signatures, and what finds the others, not fitted yet."""

    words: bool
    finders: list[Any]


def chosen(signatures: Any) -> Chosen:
    """Return what a parameter asks for.

    Examples
    --------
    >>> chosen("words+phrases")
    Chosen(words=True, finders=['phrases'])
    """
    if isinstance(signatures, str):
        parts: list[Any] = list(signatures.split("+"))
    else:
        parts = list(signatures) if isinstance(signatures, list | tuple) else [signatures]
    if not parts or not all(map(_is_possible, parts)):
        raise ValueError(
            'signatures must be "words", "phrases", "words+phrases", a Phrases, a Concepts or a '
            f"list of such, not {signatures!r:.80}."
        )
    finders = [part for part in parts if not _is_words(part)]
    return Chosen(len(finders) < len(parts), finders)


def _is_words(part: Any) -> bool:
    return isinstance(part, str) and part == "words"


def _is_possible(part: Any) -> bool:
    if isinstance(part, str):
        return part in ("words", "phrases")
    return not isinstance(part, type) and hasattr(part, "transform")


def found_in(
    texts: Any, finders: Iterable[Any], vectorizer: TextVectorizer, verbose: bool | None
) -> tuple[Finder | None, Any]:
    """Return copies of finders that know some texts, as one, and what they find there."""
    parts = [_new(finder, vectorizer, verbose) for finder in finders]
    held = [_fit_transform(part, texts) for part in parts]
    own = [getattr(part, "estimator", part) for part in parts]  # of what is frozen
    return together(own), sparse.csr_array(sparse.hstack(held, "csr")) if held else None


def _fit_transform(finder: Any, texts: Any) -> Any:
    # What is frozen can do one after the other only.
    once = getattr(finder, "fit_transform", None)
    return finder.fit(texts, None).transform(texts) if once is None else once(texts)


def together(parts: Sequence[Finder]) -> Finder | None:
    """Return several finders as one, or None if there are none."""
    return parts[0] if len(parts) == 1 else Several(parts) if parts else None


def _new(finder: Any, vectorizer: TextVectorizer, verbose: bool | None) -> Any:
    """Return a finder that is not fitted; phrases are made of words as the vectorizer cuts them."""
    if not isinstance(finder, str):
        return clone(finder)
    shared = {name: getattr(vectorizer, name) for name in _CUTTING}
    stop_words = "auto" if vectorizer.stop_words is None else vectorizer.stop_words
    return Phrases(stop_words=stop_words, verbose=verbose, **shared)


class Several:
    """Finders side by side: the columns of one after those of the other."""

    def __init__(self, parts: Sequence[Finder]) -> None:
        self.parts = list(parts)

    def transform(self, texts: Any) -> sparse.csr_array[Any]:
        """Return how often each phrase or concept occurs in each text."""
        return sparse.csr_array(sparse.hstack([part.transform(texts) for part in self.parts]))

    def get_feature_names_out(self) -> NDArray[np.object_]:
        """Return the names of all of them."""
        return np.concatenate([part.get_feature_names_out() for part in self.parts])

    def __repr__(self) -> str:
        return f"Several({self.parts!r})"


def kinds_of(names: Iterable[str]) -> NDArray[np.int8]:
    """Return the kind of each signature that is no word: the name of a concept begins with "=".

    Examples
    --------
    >>> kinds_of(["space program", "=C0018787"])
    array([1, 2], dtype=int8)
    """
    return np.array([CONCEPT if name.startswith("=") else PHRASE for name in names], np.int8)


def checked_names(names: Any, n: int, what: str) -> NDArray[np.object_]:
    """Return names as an array of str, one for each of n columns, none twice."""
    listed = list(names)
    if len(listed) != n:
        raise VocabularyError(f"there are {n} columns, but {len(listed)} names of {what}.")
    if not all(isinstance(name, str) for name in listed):
        raise VocabularyError(f"names of {what} must be str.")
    if len(set(listed)) != n:
        again = next(name for i, name in enumerate(listed) if name in listed[:i])
        raise VocabularyError(f"there are two {what} {again!r:.80}.")
    made = np.empty(n, dtype=object)
    made[:] = [str(name) for name in listed]
    return made

"""Signatures of a translation model: words, phrases, concepts, or a combination of these."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple, Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from tallytext._estimators import clone
from tallytext.errors import AnalysisError, VocabularyError
from tallytext.semantic.phrases import Phrases
from tallytext.text.analysis import TermCounts
from tallytext.text.sources import read_batches
from tallytext.text.vectorizer import TextVectorizer
from tallytext.text.vocabulary import Vocabulary

WORD, PHRASE, CONCEPT = 0, 1, 2
KIND_NAMES = ("word", "phrase", "concept")

# The parameters of a TextVectorizer that determine its words; phrases must be made of the same.
_TOKENIZER_PARAMETERS = (
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
    """Scikit-learn transformer that counts phrases or concepts in texts."""

    def transform(self, texts: Any) -> Any:
        """Return the counts, one row for each text."""

    def get_feature_names_out(self) -> NDArray[np.object_]:
        """Return the names of the phrases or concepts."""


Signatures: TypeAlias = str | Finder | Sequence[str | Finder]


class SignatureChoice(NamedTuple):
    """Parsed parameter ``signatures``: True for words, and the unfitted finders of the others."""

    words: bool
    finders: list[Any]


def parse_signatures(signatures: Any) -> SignatureChoice:
    """Parse the parameter ``signatures`` of a translation model.

    Examples
    --------
    >>> parse_signatures("words+phrases")
    SignatureChoice(words=True, finders=['phrases'])
    """
    if isinstance(signatures, str):
        parts: list[Any] = list(signatures.split("+"))
    else:
        parts = list(signatures) if isinstance(signatures, list | tuple) else [signatures]
    if not parts or not all(map(_is_signature, parts)):
        raise ValueError(
            'signatures must be "words", "phrases", "words+phrases", a Phrases, a Concepts or a '
            f"list of such, not {signatures!r:.80}."
        )
    finders = [part for part in parts if not _is_words(part)]
    return SignatureChoice(len(finders) < len(parts), finders)


def _is_words(part: Any) -> bool:
    return isinstance(part, str) and part == "words"


def _is_signature(part: Any) -> bool:
    if isinstance(part, str):
        return part in ("words", "phrases")
    return not isinstance(part, type) and hasattr(part, "transform")


def fit_finders(
    texts: Any, finders: Iterable[Any], vectorizer: TextVectorizer, verbose: bool | None
) -> tuple[Finder | None, Any]:
    """Fit clones of finders on texts; return them as one finder, with its counts of the texts."""
    parts = [_new_finder(finder, vectorizer, verbose) for finder in finders]
    held = [_fit_transform(part, texts) for part in parts]
    # A FrozenEstimator only prevents fitting; files store the finder inside it.
    unfrozen = [getattr(part, "estimator", part) for part in parts]
    return combine_finders(unfrozen), sparse.csr_array(sparse.hstack(held, "csr")) if held else None


def _fit_transform(finder: Any, texts: Any) -> Any:
    # A FrozenEstimator has no fit_transform.
    fit_transform = getattr(finder, "fit_transform", None)
    if fit_transform is None:
        return finder.fit(texts, None).transform(texts)
    return fit_transform(texts)


def combine_finders(parts: Sequence[Finder]) -> Finder | None:
    """Return one finder for all parts, or None if there are no parts."""
    return parts[0] if len(parts) == 1 else CombinedFinder(parts) if parts else None


def _new_finder(finder: Any, vectorizer: TextVectorizer, verbose: bool | None) -> Any:
    """Return an unfitted finder; ``"phrases"`` splits texts into words as the vectorizer does."""
    if not isinstance(finder, str):
        return clone(finder)
    shared = {name: getattr(vectorizer, name) for name in _TOKENIZER_PARAMETERS}
    # Without a list, phrases would consist of function words, which are the most frequent pairs.
    stop_words = "auto" if vectorizer.stop_words is None else vectorizer.stop_words
    return Phrases(stop_words=stop_words, verbose=verbose, **shared)


class CombinedFinder:
    """Finder with the columns of several finders, one after the other."""

    def __init__(self, parts: Sequence[Finder]) -> None:
        self.parts = list(parts)

    def transform(self, texts: Any) -> sparse.csr_array[Any]:
        """Return the counts of all phrases and concepts, one row for each text."""
        return sparse.csr_array(sparse.hstack([part.transform(texts) for part in self.parts]))

    def get_feature_names_out(self) -> NDArray[np.object_]:
        """Return the names of all phrases and concepts."""
        return np.concatenate([part.get_feature_names_out() for part in self.parts])

    def __repr__(self) -> str:
        return f"CombinedFinder({self.parts!r})"


class SignatureVectorizer(TextVectorizer):
    """Vectorizer that counts words, and phrases and concepts as separate terms.

    A phrase contains a space and a concept begins with "=", so neither can be confused with a word.
    They are counted in addition to their words.

    Parameters
    ----------
    finder : Phrases, Concepts or CombinedFinder
        Fitted; counts the phrases and concepts.
    **parameters : Any
        Those of a :class:`~tallytext.TextVectorizer` of single words.

    Examples
    --------
    >>> texts = ["the red planet", "a red planet"]
    >>> phrases = Phrases(min_count=1, stop_words=["the", "a"]).fit(texts)
    >>> vectorizer = SignatureVectorizer(phrases)
    >>> vectorizer.fit_transform(["a red planet", "the planet"]).toarray()
    array([[1, 1, 0, 1],
           [0, 1, 1, 0]])
    >>> vectorizer.get_feature_names_out()
    array(['red', 'planet', 'the', 'red planet'], dtype=object)
    """

    def __init__(self, finder: Any, **parameters: Any) -> None:
        super().__init__(**parameters)
        self.finder = finder

    @classmethod
    def from_vectorizer(cls, vectorizer: TextVectorizer, finder: Any) -> SignatureVectorizer:
        """Return an unfitted vectorizer that also counts what a finder finds.

        Raises
        ------
        AnalysisError
            If the terms of the vectorizer are not single words.
        """
        is_words = isinstance(vectorizer.tokens, str) and vectorizer.tokens in ("words", "sklearn")
        if not is_words or vectorizer.ngram_range not in (None, (1, 1)):
            raise AnalysisError(
                "phrases and concepts are counted beside single words: use a TextVectorizer with "
                f"tokens='words' and ngram_range=None, not {vectorizer!r:.80}."
            )
        return cls(finder, **clone(vectorizer).get_params(deep=False))

    def without_signatures(self) -> TextVectorizer:
        """Return an unfitted vectorizer that counts the words only."""
        names = TextVectorizer._get_param_names()
        return TextVectorizer(**{name: getattr(self, name) for name in names})

    @classmethod
    def _get_param_names(cls) -> list[str]:
        # Scikit-learn finds no names behind **parameters.
        return sorted(["finder", *TextVectorizer._get_param_names()])

    def __sklearn_clone__(self) -> SignatureVectorizer:
        # A clone of the finder would not be fitted.
        return type(self).from_vectorizer(self.without_signatures(), self.finder)

    def _count_batches(
        self, raw_documents: Any, vocabulary: Vocabulary, grow: bool
    ) -> Iterator[TermCounts]:
        names = self.finder.get_feature_names_out()
        sources = read_batches(
            raw_documents, encoding=self.encoding, decode_error=self.decode_error
        )
        for texts in sources:
            (words,) = super()._count_batches(texts, vocabulary, grow)
            found = sparse.csr_array(self.finder.transform(texts))
            used = np.unique(found.indices)
            column_of = np.full(len(names), -1, dtype=np.int32)
            listed = names[used].tolist()
            column_of[used] = vocabulary.add(listed) if grow else vocabulary.ids(listed)
            rows = TermCounts(found.indptr.astype(np.int64), found.indices, found.data)
            yield words.append_columns(rows.select_columns(column_of))


def signature_kinds(names: Iterable[str]) -> NDArray[np.int8]:
    """Return PHRASE or CONCEPT for each name; the name of a concept begins with "=".

    Examples
    --------
    >>> signature_kinds(["space program", "=C0018787"])
    array([1, 2], dtype=int8)
    """
    return np.array([CONCEPT if name.startswith("=") else PHRASE for name in names], np.int8)


def check_names(names: Any, n: int, what: str) -> NDArray[np.object_]:
    """Return the names of n columns as an array of str; raise if they are not distinct."""
    listed = list(names)
    if len(listed) != n:
        raise VocabularyError(f"there are {n} columns, but {len(listed)} names of {what}.")
    if not all(isinstance(name, str) for name in listed):
        raise VocabularyError(f"names of {what} must be str.")
    if len(set(listed)) != n:
        duplicate = next(name for i, name in enumerate(listed) if name in listed[:i])
        raise VocabularyError(f"there are two {what} {duplicate!r:.80}.")
    made = np.empty(n, dtype=object)
    made[:] = [str(name) for name in listed]
    return made

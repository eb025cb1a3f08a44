"""Words of class names: what "rec.sport.hockey" says before any document has this label."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from tallytext.errors import LabelError
from tallytext.text.vectorizer import TextVectorizer

_CASE_CHANGE = re.compile(r"(?<=[^\W\d_A-Z])(?=[A-Z])")
_SEPARATORS = re.compile(r"[\W_]+")
# A word of a name also stands for longer words that begin with it, if it is not too short.
_MIN_PREFIX = 4
_MIN_RARE_PREFIX = 3
_MIN_KNOWN_DOCUMENTS = 10  # a word of so many documents is not an abbreviation
_LAST = "\U0010ffff"


def split_name(label: Any) -> list[str]:
    """Return the words of a label, in lower case, each once.

    Examples
    --------
    >>> split_name("rec.sport.hockey"), split_name("card_arrival"), split_name("cardArrival")
    (['rec', 'sport', 'hockey'], ['card', 'arrival'], ['card', 'arrival'])
    """
    parts = _SEPARATORS.split(_CASE_CHANGE.sub(" ", str(label)).lower())
    return [*dict.fromkeys(part for part in parts if part)]


def check_descriptions(descriptions: Any) -> None:
    """Raise LabelError unless these are descriptions of labels: None, False or texts by label."""
    if descriptions is None or descriptions is False:
        return
    if not isinstance(descriptions, Mapping):
        raise LabelError(
            "descriptions must be a mapping from labels to texts, or False to ignore the names of "
            f"labels, not {descriptions!r:.80}."
        )
    for label, text in descriptions.items():
        if not isinstance(text, str):
            raise LabelError(f"the description of {label!r} must be a text, not {text!r:.80}.")


class ClassNames:
    """Weights of the words in the names and descriptions of classes.

    A word of a name stands for itself and for longer words that begin with it, each weighted by
    its number of documents: "tech" for "technology" and "technical". A word of three letters
    does so only if it is rare itself.

    Parameters
    ----------
    vectorizer : TextVectorizer
        Fitted; its vocabulary has the terms of the columns.
    descriptions : mapping of str, default=None
        More words for some labels.

    Examples
    --------
    >>> vectorizer = TextVectorizer().fit(["sports and sporting news", "technology"])
    >>> weights = ClassNames(vectorizer)(["sports", "tech", "A"], np.array([2, 1, 1, 1, 4]))
    >>> weights.toarray().round(2)
    array([[0.67, 0.  , 0.33, 0.  , 0.  ],
           [0.  , 0.  , 0.  , 0.  , 1.  ],
           [0.  , 0.  , 0.  , 0.  , 0.  ]])
    """

    def __init__(
        self, vectorizer: TextVectorizer, descriptions: Mapping[Any, str] | None = None
    ) -> None:
        self._vectorizer, self._descriptions = vectorizer, descriptions or {}
        self._sorted: tuple[list[str], NDArray[np.intp]] = [], np.empty(0, dtype=np.intp)
        self._n_sorted = -1

    def __call__(
        self, labels: list[Any], frequencies: NDArray[Any]
    ) -> sparse.csr_array[np.float64]:
        """Return a row of word weights per label; a name without a known word has an empty row.

        Parameters
        ----------
        labels : list
        frequencies : ndarray of shape (n_terms,)
            Number of documents of each term.
        """
        rows = [self._weigh(label, frequencies) for label in labels]
        starts = np.append(0, np.cumsum([len(terms) for terms, _ in rows]))
        terms = np.concatenate([terms for terms, _ in rows] or [np.empty(0, dtype=np.int64)])
        weights = np.concatenate([weights for _, weights in rows] or [np.empty(0)])
        found = sparse.csr_array((weights, terms, starts), shape=(len(labels), len(frequencies)))
        found.sum_duplicates()
        return found

    def _weigh(
        self, label: Any, frequencies: NDArray[Any]
    ) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        """Return terms and their weights for one label; terms may be repeated."""
        described = split_name(self._descriptions.get(label, ""))
        words = dict.fromkeys([*split_name(label), *described])
        found = [self._find_terms(word, frequencies) for word in words]
        found = [terms for terms in found if len(terms)]
        if not found:
            return np.empty(0, dtype=np.int64), np.empty(0)
        weights = [frequencies[terms] / frequencies[terms].sum() for terms in found]
        return np.concatenate(found), np.concatenate(weights)

    def _find_terms(self, word: str, frequencies: NDArray[Any]) -> NDArray[np.int64]:
        """Return the terms of documents that a word of a name stands for."""
        counted = self._vectorizer.transform([word])
        exact = counted.indices[~self._are_strings(counted.indices)].astype(np.int64)
        known = frequencies[exact].sum() if len(exact) else 0
        stem = word[:-1] if len(word) > 4 and word.endswith("s") and word[-2] != "s" else word
        is_prefix = len(stem) >= _MIN_PREFIX
        is_prefix |= len(stem) >= _MIN_RARE_PREFIX and known < _MIN_KNOWN_DOCUMENTS
        if is_prefix:
            exact = np.union1d(exact, self._terms_from(stem))
        return exact[frequencies[exact] > 0]

    def _are_strings(self, terms: NDArray[Any]) -> NDArray[np.bool_]:
        vocabulary = self._vectorizer.vocabulary_
        return np.array([vocabulary.term(int(term)).startswith("#") for term in terms], dtype=bool)

    def _terms_from(self, prefix: str) -> NDArray[np.int64]:
        """Return the words of the vocabulary that begin with a prefix."""
        vocabulary = self._vectorizer.vocabulary_
        if self._n_sorted != len(vocabulary):
            terms = vocabulary.terms().tolist()
            order = sorted(range(len(terms)), key=terms.__getitem__)
            self._sorted = [terms[at] for at in order], np.array(order, dtype=np.intp)
            self._n_sorted = len(terms)
        words, numbers = self._sorted
        found = range(bisect_left(words, prefix), bisect_left(words, prefix + _LAST))
        # Pairs of words contain a blank.
        return np.array([numbers[at] for at in found if " " not in words[at]], dtype=np.int64)

"""What texts can be made of: sets of terms that are worth a try."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Features:
    """A way to make terms of texts.

    Attributes
    ----------
    name : str
        What it is called.
    summary : str
        What terms these are, to go on after "on".
    vectorizer : mapping
        Parameters of a :class:`~tallytext.TextVectorizer`.
    most_words : float or None
        It is tried where documents have this many words at most, on average.
    """

    name: str
    summary: str
    vectorizer: Mapping[str, Any]
    most_words: float | None = None


_ALL = (
    Features("words", "words", {"hangul": "words+bigrams"}),
    Features("all words", "words, short ones too", {"hangul": "words+bigrams", "min_length": 1}),
    Features("pairs", "words and pairs of words", {"ngram_range": (1, 2), "min_length": 1}),
    Features(
        "characters",
        "words, pairs of words and strings of characters",
        {"ngram_range": (1, 2), "min_length": 1, "chars": (2, 4)},
        most_words=80.0,
    ),
)

#: All of them, by name; the fewest terms first.
FEATURES = {each.name: each for each in _ALL}

#: Stands for the terms of a vectorizer that somebody has given.
GIVEN = "given"

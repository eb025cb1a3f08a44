"""Phrases with their concepts, cut into words."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from tallytext._core import BREAK
from tallytext.errors import VocabularyError
from tallytext.semantic.matching import Matcher
from tallytext.semantic.streams import Cutter
from tallytext.text.sources import as_texts


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

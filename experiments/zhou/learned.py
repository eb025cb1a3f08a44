"""Translations, learned from all texts of a corpus, and the counts that go with them."""

from __future__ import annotations

from copy import copy
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from experiments.reproduction.workplace import Workplace
from experiments.zhou.corpora import documents
from tallytext import TextVectorizer
from tallytext.semantic import Phrases, TranslationModel


@dataclass(frozen=True)
class Learned:
    """A translation of words and phrases, and what each document has of them.

    Attributes
    ----------
    translation : TranslationModel
        Rows of words and of phrases.
    counts : csr_array of shape (n_documents, n_words + n_phrases)
        In the columns of the translation.
    """

    translation: TranslationModel
    counts: sparse.csr_array[Any]

    @classmethod
    def of(cls, model: TranslationModel, texts: list[str]) -> Learned:
        """Fit a model to texts, and count them."""
        return cls(model.fit(texts), model.transform(texts))

    @property
    def n_words(self) -> int:
        return len(self.translation.words_)

    @property
    def words(self) -> sparse.csr_array[Any]:
        return self.counts[:, : self.n_words]

    @property
    def phrases(self) -> sparse.csr_array[Any]:
        return self.counts[:, self.n_words :]

    @property
    def phrase_names(self) -> NDArray[Any]:
        return self.translation.get_feature_names_out()[self.n_words :]

    def mixed(self, phrase_weight: float) -> TranslationModel:
        """Return the translation with another share of phrases: 0 is CISS, 1 is CSSS."""
        return copy(self.translation).set_params(phrase_weight=phrase_weight)

    def with_phrases(self, finder: Phrases, texts: list[str], **settings: Any) -> Learned:
        """Return the same words with other phrases, without counting words anew."""
        held = sparse.csr_array(finder.fit_transform(texts))
        given: dict[str, Any] = {"counts": "documents", "phrase_weight": 1.0, **CUT, **settings}
        model = TranslationModel("phrases", **given)
        model.fit_counts(self.words, self.translation.words_, held, finder.get_feature_names_out())
        return Learned(model, sparse.csr_array(sparse.hstack([self.words, held], "csr")))


#: Rows as they were when the parts were measured: shorter than the defaults of the library are now.
CUT: dict[str, Any] = {"min_probability": 0.001, "max_entries": 200}
#: Translated probability below this goes to the background, as when the parts were measured.
LIMIT = 1e-5


@lru_cache(maxsize=5)
def learned(work: Workplace, name: str) -> Learned:
    """Return the translation of a corpus, learned from all of its texts without their labels."""
    work.say(f"learning translations, {name}")
    return Learned.of(new_model(name), documents(work, name).texts)


def let_go() -> None:
    """Keep translations and texts no longer: five corpora are a lot of memory."""
    learned.cache_clear()
    documents.cache_clear()


def new_model(name: str, **settings: Any) -> TranslationModel:
    """Return a model as all parts have it, but for some settings.

    A word counts once for each document that has it, as in the authors' own code.
    """
    given: dict[str, Any] = {"counts": "documents", **CUT, **settings}
    phrases = given.pop("phrases", new_phrases(name))
    vectorizer = given.pop("vectorizer", TextVectorizer(stop_words=stop_words(name)))
    return TranslationModel(["words", phrases], vectorizer=vectorizer, **given)


def new_phrases(name: str, method: Any = "npmi", **settings: Any) -> Phrases:
    """Return what finds phrases; Korean has no list of stop words, so they are looked for."""
    return Phrases(method, stop_words=stop_words(name) or "auto", **settings)


def stop_words(name: str) -> str | None:
    return None if name == "ynat" else "english"


def class_shares(counts: sparse.csr_array[Any], labels: NDArray[Any]) -> NDArray[np.float64]:
    """Return p(c|w): of the documents that have a word, the share that is in each class."""
    held = sparse.csr_array(counts.astype(bool), dtype=np.float64)
    of_class = (labels[:, None] == np.unique(labels)).astype(np.float64)
    sums = held.T @ of_class
    return sums / np.maximum(sums.sum(axis=1, keepdims=True), 1.0)

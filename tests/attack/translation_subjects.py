"""Files of translation models, to be bent."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from subjects import TEXTS, Subject

from tallytext import TextVectorizer
from tallytext.semantic import Concepts, Phrases, TranslationModel


def translation_subjects(path: Path) -> Iterator[Subject]:
    """Yield the file of a model of words, phrases and concepts."""
    signatures = ["words", Phrases(min_count=2), Concepts({"blue cloud": "sky", "sun": "sky"})]
    vectorizer = TextVectorizer(ngram_range=(1, 2), strip_accents="unicode")
    TranslationModel(signatures, vectorizer=vectorizer).fit(TEXTS * 3).save(path)
    yield Subject(path.read_bytes(), TranslationModel.load, use_translation)


def use_translation(model: TranslationModel) -> Any:
    """Return what a model says: all of its rows, and of texts that it knows in part."""
    other = model.restricted_to(["sea", "blue", "new"])
    said = [
        (each.transform(TEXTS).toarray().tolist(), each.translate(TEXTS).toarray().tolist())
        for each in (model, other)
    ]
    rows = [model.explain(signature, None) for signature in model.signatures_]
    return said, rows, model.coverage([*TEXTS, "unheard"])

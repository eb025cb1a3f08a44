"""A translation model used with other texts: its words mapped by name, and how many are known."""

from __future__ import annotations

from collections.abc import Iterable
from copy import copy
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.base import clone

from tallytext.errors import VocabularyError
from tallytext.semantic.coverage import Coverage, Known
from tallytext.semantic.mixing import rows_to_one
from tallytext.semantic.signatures import WORD, checked_names
from tallytext.semantic.weighing import shares
from tallytext.vectorizer import TextVectorizer
from tallytext.vocabulary import Vocabulary

if TYPE_CHECKING:
    from tallytext.semantic.translation import TranslationModel


def restricted(model: TranslationModel, vocabulary: Any) -> TranslationModel:
    """Return a model of the words of another vocabulary; see ``TranslationModel.restricted_to``."""
    vectorizer = _vectorizer(model, vocabulary)
    words = vectorizer.vocabulary_.terms()
    place = vectorizer.vocabulary_.ids(model.words_.tolist())
    background = np.zeros(len(words))
    background[place[place >= 0]] = model.background_[place >= 0]
    columns = _columns(model, place, len(words))
    order = np.argsort(columns, kind="stable")[(columns < 0).sum() :]
    rows = _mapped(model.rows_[order], place, len(words))
    made = clone(model)
    made._take(words, model._others, shares(background), rows, columns[order])
    made.vectorizer_, made.phrases_ = vectorizer, model.phrases_
    return made


def _vectorizer(model: TranslationModel, vocabulary: Any) -> TextVectorizer:
    if isinstance(vocabulary, TextVectorizer):
        vocabulary._check_fitted()
        return copy(vocabulary)
    if not isinstance(vocabulary, Vocabulary):
        names = list(vocabulary)
        vocabulary = Vocabulary(checked_names(names, len(names), "words").tolist())
    vectorizer = clone(model.vectorizer_)
    vectorizer.vocabulary_ = vocabulary
    return vectorizer


def _columns(model: TranslationModel, place: NDArray[np.int32], n_words: int) -> NDArray[Any]:
    """Return the new column of each signature, -1 for words that are not there any more."""
    is_word = model.kinds_ == WORD
    columns = model.columns_ - len(model.words_) + n_words
    columns[is_word] = place[model.columns_[is_word]]
    return columns


def _mapped(rows: Any, place: NDArray[np.int32], n_words: int) -> sparse.csr_array[np.float64]:
    """Return rows with words at other places; words without a place are left out."""
    kept = place[rows.indices] >= 0
    starts = np.append(0, np.cumsum(kept))[rows.indptr]
    arrays = rows.data[kept], place[rows.indices[kept]], starts
    made = sparse.csr_array(arrays, shape=(rows.shape[0], n_words))
    made.sort_indices()
    return rows_to_one(made)


def coverage_of_names(model: TranslationModel, names: Iterable[str]) -> Coverage:
    """Return how many of some names are words, and signatures with a row."""
    if isinstance(names, str):
        raise VocabularyError("names must be several str, not one.")
    listed = list(names)
    return Coverage(_known(listed, model.words_), _known(listed, model.signatures_), 0, 0)


def _known(names: list[str], known: NDArray[np.object_]) -> Known:
    different, those = set(names), set(known.tolist())
    found = [name in those for name in names]
    return Known(len(different), len(different & those), len(names), sum(found))


def coverage_of_texts(model: TranslationModel, texts: Any) -> Coverage:
    """Return how much of some texts is known."""
    texts = texts if hasattr(texts, "__len__") else list(texts)
    words, is_known, has_row = _words_of(model, texts)
    held, with_row = [], []
    if (model.kinds_ == WORD).any():
        held.append(words)
        with_row.append(has_row)
    if model.phrases_ is not None:
        held.append(sparse.csr_array(model.phrases_.transform(texts)))
        with_row.append(np.isin(np.arange(len(model._others)) + len(model.words_), model.columns_))
    signatures = sparse.csr_array(sparse.hstack(held, "csr")) if held else words[:, :0]
    usable = np.concatenate([np.zeros(0, bool), *with_row])
    n_covered = int(((signatures @ usable.astype(np.int64)) > 0).sum())
    counted = _counted(words, is_known), _counted(signatures, usable)
    return Coverage(*counted, words.shape[0], n_covered)


def _words_of(
    model: TranslationModel, texts: Any
) -> tuple[sparse.csr_array[Any], NDArray[np.bool_], NDArray[np.bool_]]:
    """Return counts of all words of texts, which of them are known, and which have a row."""
    reader = clone(model.vectorizer_).set_params(
        vocabulary=None, min_df=1, max_df=1.0, max_features=None
    )
    words = sparse.csr_array(reader.fit_transform(texts))
    place = model.vectorizer_.vocabulary_.ids(reader.get_feature_names_out().tolist())
    return words, place >= 0, np.isin(place, model.columns_)


def _counted(counts: sparse.csr_array[Any], known: NDArray[np.bool_]) -> Known:
    sums = np.asarray(counts.sum(axis=0)).ravel()
    there = sums > 0
    different, all_known = int(there.sum()), int(sums[known].sum())
    return Known(different, int((there & known).sum()), int(sums.sum()), all_known)

"""From counts of signatures to the words they stand for: the linear part of semantic smoothing."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from tallytext.errors import CountError
from tallytext.smoothing.base import Numbers, expect_between, safe_ratio

_ATTRIBUTES = ("words_", "signatures_", "kinds_", "rows_", "phrase_weight", "get_feature_names_out")
_NOTHING = 1e-9  # of what was there: less is what rounding leaves

Locate = Callable[[Iterable[str]], NDArray[Any]]


@dataclass(frozen=True, eq=False)
class Signatures:
    """Where the words and signatures of a translation are among the columns of a model.

    Attributes
    ----------
    words : ndarray of int of shape (n_words,)
        The column of each word, -1 for one that the model does not have.
    columns : ndarray of int of shape (n_signatures,)
        The column of each signature with a row, or -1.
    only : ndarray of int
        Columns that are signatures and nothing else: phrases and concepts.
    group : ndarray of int of shape (n_signatures,)
        The group of each signature: 0 for words, 1 for phrases and concepts.
    shares : ndarray of shape (n_groups,)
        What each group has where all of them are there.
    rows : CSR matrix of shape (n_signatures, n_words)
        p(w|t), each row summing to one.
    """

    words: NDArray[Any]
    columns: NDArray[Any]
    only: NDArray[Any]
    group: NDArray[Any]
    shares: Numbers
    rows: Any

    @classmethod
    def of(cls, translation: Any, locate: Locate | None, width: int) -> Signatures:
        """Find a translation's words and signatures among columns.

        Parameters
        ----------
        translation : TranslationModel
            Fitted.
        locate : callable
            From names to columns, -1 for names that have none; None if columns have no names.
        width : int
            How many columns there are.
        """
        expect_translation(translation)
        names = [str(name) for name in translation.get_feature_names_out()]
        n_words, kinds = len(translation.words_), np.asarray(translation.kinds_)
        at = _columns(names, locate, width)
        # A word and a phrase may be spelt alike.
        places = [
            dict(zip(names[part], at[part].tolist(), strict=True))
            for part in (slice(n_words), slice(n_words, None))
        ]
        spelt = zip(kinds.tolist(), map(str, translation.signatures_), strict=True)
        columns = np.array([places[kind > 0].get(name, -1) for kind, name in spelt], np.intp)
        group = (kinds != 0).astype(np.intp)
        parts = [1.0 - translation.phrase_weight, float(translation.phrase_weight)]
        if len(np.unique(group)) < 2:
            parts = [1.0, 1.0]
        return cls(
            words=at[:n_words],
            columns=columns,
            only=np.setdiff1d(at[n_words:], [-1, *at[:n_words]]),
            group=group,
            shares=np.array(parts),
            rows=sparse.csr_array(translation.rows_),
        )

    def counted(self, counts: Any) -> Any:
        """Return the counts of signatures, a CSR matrix of shape (n, n_signatures).

        Parameters
        ----------
        counts : CSR matrix of shape (n, n_columns)
            Of classes or of documents.
        """
        known = np.flatnonzero(self.columns >= 0)
        found = sparse.csr_array(counts[:, self.columns[known]])
        shape = counts.shape[0], len(self.columns)
        return sparse.csr_array((found.data, known[found.indices], found.indptr), shape=shape)

    def sizes(self, counted: Any) -> Numbers:
        """Return how many signatures of each group there are, groups by rows."""
        rows, n = _row_of_entry(counted), counted.shape[0]
        inside = self.group[counted.indices]
        return np.array(
            [np.bincount(rows, counted.data * (inside == k), n) for k in range(len(self.shares))]
        )

    def mixed(self, counts: Any) -> Any:
        """Return p_t of each row of counts, before it is brought to the words of a model."""
        counted = self.counted(counts)
        factors = self.factors(self.sizes(counted))
        counted.data = counted.data * factors[self.group[counted.indices], _row_of_entry(counted)]
        counted.eliminate_zeros()
        return sparse.csr_array(counted @ self.rows)

    def translated(self, counts: Any) -> Translations:
        """Return what the signatures of each row of counts stand for, group by group."""
        counted = self.counted(counts)
        words = []
        for k in range(len(self.shares)):
            part = counted.copy()
            part.data[self.group[part.indices] != k] = 0.0
            part.eliminate_zeros()
            words.append(sparse.csr_array(part @ self.rows))
        return Translations(words, self.sizes(counted))

    def factors(self, sizes: Numbers) -> Numbers:
        """Return what the sums of each group are multiplied by, so that together they are one.

        Parameters
        ----------
        sizes : ndarray of shape (n_groups, ...)
            How many signatures of each group there are.
        """
        shares = self.shares.reshape(-1, *[1] * (sizes.ndim - 1)) * (sizes > 0)
        return safe_ratio(safe_ratio(shares, shares.sum(axis=0), 0.0), sizes, 0.0)


@dataclass(frozen=True, eq=False)
class Translations:
    """What the signatures of classes or documents stand for.

    Attributes
    ----------
    words : list of CSR matrix of shape (n, n_words)
        For each group the sum of the rows of its signatures, each as often as it was counted.
    sizes : ndarray of shape (n_groups, n)
        How many signatures of each group were counted.
    """

    words: list[Any]
    sizes: Numbers

    def mixed(self, factors: Numbers) -> Any:
        """Return the groups of each row together, a CSR matrix of shape (n, n_words)."""
        parts = [
            sparse.diags_array(factor) @ words
            for factor, words in zip(factors, self.words, strict=True)
        ]
        return sparse.csr_array(sum(parts[1:], parts[0]))


def _row_of_entry(matrix: Any) -> NDArray[np.intp]:
    return np.repeat(np.arange(matrix.shape[0]), np.diff(matrix.indptr))


def less(whole: Numbers, part: Numbers) -> Numbers:
    """Return what is left of something, exactly zero where only rounding would be."""
    left = whole - part
    return np.where(left > _NOTHING * np.abs(whole), left, 0.0)


def expect_translation(translation: Any) -> None:
    """Refuse what is no fitted translation."""
    missing = [name for name in _ATTRIBUTES if not hasattr(translation, name)]
    if missing:
        raise ValueError(
            f"translation must be a fitted TranslationModel, but {translation!r:.60} has no "
            f"{missing[0]}."
        )
    expect_between("phrase_weight", translation.phrase_weight, 0.0, 1.0)
    shape = (len(translation.signatures_), len(translation.words_))
    if translation.rows_.shape != shape or len(translation.kinds_) != shape[0]:
        raise ValueError(
            f"this translation has rows of shape {translation.rows_.shape} for {shape[0]} "
            f"signatures and {shape[1]} words."
        )


def _columns(names: list[str], locate: Locate | None, width: int) -> NDArray[Any]:
    if locate is not None:
        at = np.asarray(locate(names))
        return np.where(at < width, at, -1)
    if len(names) != width:
        raise CountError(
            f"the counts have {width:,} columns without names, but the translation has "
            f"{len(names):,}. Make them by translation.transform, or give columns names."
        )
    return np.arange(width)

"""From counts of signatures to the words they stand for: the linear part of semantic smoothing."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from tallytext.errors import CountError
from tallytext.smoothing.base import Numbers, safe_ratio

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
    groups : list of ndarray of int
        The signatures of each group that have a column: words; phrases and concepts.
    shares : ndarray of shape (n_groups,)
        What each group has where all of them are there.
    rows : CSR matrix of shape (n_signatures, n_words)
        p(w|t), each row summing to one.
    """

    words: NDArray[Any]
    columns: NDArray[Any]
    only: NDArray[Any]
    groups: list[NDArray[Any]]
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
        members = [np.flatnonzero(kinds == 0), np.flatnonzero(kinds != 0)]
        parts = [1.0 - translation.phrase_weight, float(translation.phrase_weight)]
        if not all(group.size for group in members):
            parts = [1.0, 1.0]
        return cls(
            words=at[:n_words],
            columns=columns,
            only=np.setdiff1d(at[n_words:], [-1, *at[:n_words]]),
            groups=[group[columns[group] >= 0] for group in members],
            shares=np.array(parts),
            rows=sparse.csr_array(translation.rows_),
        )

    def counted(self, counts: Any) -> list[Any]:
        """Return the counts of the signatures of each group.

        Parameters
        ----------
        counts : CSR matrix of shape (n, n_columns)
            Of classes or of documents.
        """
        return [counts[:, self.columns[group]] for group in self.groups]

    def translated(self, counts: Any) -> Translations:
        """Return what the signatures of each row of counts stand for, group by group."""
        counted = self.counted(counts)
        pairs = zip(counted, self.groups, strict=True)
        return Translations(
            words=[sparse.csr_array(part @ self.rows[group]) for part, group in pairs],
            sizes=np.array([part.sum(axis=1) for part in counted]),
        )

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

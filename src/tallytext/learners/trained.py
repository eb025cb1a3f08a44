"""Learners that are trained on documents: no functions of counts, and known all the same.

Of these a choice considers the refined naive Bayes model only: the others take longer, and on many
corpora none of them came out ahead. Where there are documents without labels, it considers those
besides that learn from them.
"""

from __future__ import annotations

from typing import Any

from tallytext.learners.learner import Learner
from tallytext.learners.registry import register

# Numbers of four bytes that may lie in memory together: a gigabyte.
_MOST_WEIGHTS = 1 << 28
# Some eleven tables of words by classes are held at a time, which then come to 6 GiB.
_MOST_POOLED = 1 << 26


def _refined(**setting: Any) -> Any:
    from tallytext.linear import RefinedNB

    return RefinedNB(**setting)


def _neighbours(**setting: Any) -> Any:
    from tallytext.neighbours import CosineKNN

    return CosineKNN(**setting)


def _least_squares(**setting: Any) -> Any:
    from tallytext.linear import LLSF

    return LLSF(**setting)


def _pooled(**setting: Any) -> Any:
    from tallytext.unlabelled import PooledNB

    return PooledNB(**setting)


def _rotation(**setting: Any) -> Any:
    from tallytext.rotation import RotationForest

    return RotationForest(**setting)


register(
    Learner.of_documents(
        name="refined",
        summary="chi-contrast, refined where it errs; the best with many labels",
        make=_refined,
        features=("all words", "pairs", "characters"),
        most_weights=_MOST_WEIGHTS,
    )
)
register(
    Learner.of_documents(
        name="neighbours",
        summary="the labels of the most similar documents, which are kept",
        make=_neighbours,
        considered=False,
        learns=True,
    )
)
register(
    Learner.of_documents(
        name="llsf",
        summary="least squares from words to labels, as Yang and Chute",
        make=_least_squares,
        considered=False,
    )
)
register(
    Learner.of_documents(
        name="rotation",
        summary="decision trees on rotations of the words, as in Aggarwal's book",
        make=_rotation,
        considered=False,
    )
)
register(
    Learner.of_pools(
        name="pooled",
        summary="for few labels: learns from documents without labels, too",
        make=_pooled,
        features=("all words",),
        considered=False,
        most_weights=_MOST_POOLED,
    )
)

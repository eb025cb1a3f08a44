"""Terms dealt into blocks, and each block reduced to a few features."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from tallytext.smoothing.base import Numbers
from tallytext.svd import singular_vectors

Terms = NDArray[np.integer[Any]]


class Block(NamedTuple):
    """Some terms, and the directions among them in which documents differ most.

    Attributes
    ----------
    terms : ndarray of shape (n_terms,)
    vectors : ndarray of shape (n_terms, n_features)
        Right singular vectors; of each, the number of the largest magnitude is positive.
    """

    terms: Terms
    vectors: Numbers


def deal(n_terms: int, n_blocks: int, random: Any) -> list[Terms]:
    """Deal terms into blocks at random, of sizes that differ by at most one.

    Blocks without a term are left out.

    Examples
    --------
    >>> [len(block) for block in deal(8, 3, np.random.RandomState(0))]
    [3, 3, 2]
    """
    order = random.permutation(n_terms).astype(np.int32)
    return [block for block in np.array_split(order, n_blocks) if len(block)]


@dataclass(frozen=True)
class Rotation:
    r"""Features of documents: for each block of terms, :math:`x_{block} V_r`.

    Examples
    --------
    >>> X = sparse.csc_array([[2.0, 1, 0, 0], [1, 0, 1, 0], [0, 1, 2, 1]])
    >>> rotation = Rotation.of(X, [np.array([0, 1]), np.array([2, 3])], 1, 0)
    >>> rotation.features(X).round(4)
    array([[2.2361, 0.    ],
           [0.8944, 0.9239],
           [0.4472, 2.2304]], dtype=float32)
    """

    blocks: tuple[Block, ...]

    @classmethod
    def of(cls, X: sparse.csc_array[Any], dealt: list[Terms], r: int, random_state: Any) -> Self:
        """Take each block of training documents apart; one of low rank has fewer features."""
        blocks = []
        for terms in dealt:
            found = singular_vectors(X[:, terms], r, random_state, "fast")
            blocks.append(Block(terms, found.right.astype(np.float32)))
        return cls(tuple(blocks))

    @property
    def n_features(self) -> int:
        """How many features documents have."""
        return sum(block.vectors.shape[1] for block in self.blocks)

    def features(self, X: sparse.csc_array[Any]) -> NDArray[np.float32]:
        """Return the features of documents, those of one block after the other.

        Rows are summed one by one, so that a document has the same features in any company.
        """
        found = [X[:, block.terms] @ block.vectors for block in self.blocks]
        return np.concatenate(found, axis=1).astype(np.float32)

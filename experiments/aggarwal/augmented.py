"""Tree-augmented naive Bayes: each term depends on the class and on one other term."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from scipy.sparse.csgraph import breadth_first_order, minimum_spanning_tree

Numbers = NDArray[np.float64]


class Shares(NamedTuple):
    """Of each class: its share of documents, its share with each pair of terms.

    Attributes
    ----------
    sizes : ndarray of shape (n_classes,)
        Numbers of documents.
    both : ndarray of shape (n_classes, n_terms, n_terms)
        Numbers of documents with two terms; on the diagonal, with one.
    """

    sizes: Numbers
    both: Numbers


def class_shares(X: sparse.csr_array, y: NDArray[Any]) -> Shares:
    """Count documents of each class, and those that have two terms."""
    binary = sparse.csr_array((X > 0).astype(float))
    classes = np.unique(y)
    rows = [binary[np.flatnonzero(y == label)] for label in classes]
    sizes = np.array([float(each.shape[0]) for each in rows])
    return Shares(sizes, np.array([(each.T @ each).toarray() for each in rows]))


def dependence(shares: Shares) -> Numbers:
    r"""Return the mutual information of each pair of terms given the class, in nats.

    .. math:: I(i; j \mid c) = \sum_c p(c) \sum_{a, b} p(a, b \mid c)
        \ln \frac{p(a, b \mid c)}{p(a \mid c) p(b \mid c)}
    """
    total = np.zeros(shares.both.shape[1:])
    for size, both in zip(shares.sizes, shares.both, strict=True):
        one = np.diag(both) / size
        total += size / shares.sizes.sum() * _information(both / size, one)
    return total


def _information(both: Numbers, one: Numbers) -> Numbers:
    first, second = one[:, None], one[None, :]
    cells = (
        (both, first * second),
        (first - both, first * (1 - second)),
        (second - both, (1 - first) * second),
        (1 - first - second + both, (1 - first) * (1 - second)),
    )
    return sum(_term(np.maximum(found, 0), expected) for found, expected in cells)


def _term(found: Numbers, expected: Numbers) -> Numbers:
    ratio = np.divide(found, expected, out=np.ones_like(found), where=(found > 0) & (expected > 0))
    return found * np.log(ratio)


class TreeAugmented(NamedTuple):
    """A Bernoulli model in which each term has at most one other to depend on.

    Attributes
    ----------
    classes : ndarray
    priors : ndarray of shape (n_classes,)
        Logarithms.
    parents : ndarray of shape (n_terms,)
        The term that each depends on; itself for the root.
    shares : ndarray of shape (2, n_classes, n_terms)
        How likely a term is where its parent is absent, and where it is present.
    """

    classes: NDArray[Any]
    priors: Numbers
    parents: NDArray[np.intp]
    shares: Numbers

    @classmethod
    def of(cls, X: sparse.csr_array, y: NDArray[Any]) -> TreeAugmented:
        """Learn the tree, and the shares along it."""
        counted = class_shares(X, y)
        parents = tree(dependence(counted))
        sizes = counted.sizes
        below = X.shape[1] / max(X.nnz / X.shape[0], 1e-9)
        priors = np.log((sizes + 1) / (sizes + 1).sum())
        return cls(np.unique(y), priors, parents, _along(counted, parents, below))

    def predict(self, Z: sparse.csr_array) -> NDArray[Any]:
        """Return the most likely class of each document."""
        words = (Z > 0).toarray()
        given = words[:, self.parents] & (self.parents != np.arange(len(self.parents)))
        scores = np.tile(self.priors, (len(words), 1))
        for state, shares in enumerate(self.shares):
            here = given if state else ~given
            scores += (words & here) @ np.log(shares).T + (~words & here) @ np.log1p(-shares).T
        return self.classes[scores.argmax(axis=1)]


def tree(weights: Numbers) -> NDArray[np.intp]:
    """Return the parent of each term in the tree of the largest weights; the first is the root.

    Examples
    --------
    >>> tree(np.array([[0, 3, 1], [3, 0, 2], [1, 2, 0.0]]))
    array([0, 0, 1])
    """
    # Zero would be no edge at all to the search.
    costs = np.triu(weights.max() + 1.0 - weights, 1)
    found = minimum_spanning_tree(sparse.csr_array(costs))
    _, parents = breadth_first_order(found, 0, directed=False)
    return np.where(parents < 0, np.arange(len(parents)), parents)


def _along(counted: Shares, parents: NDArray[np.intp], below: float) -> Numbers:
    """Return shares given the parent, smoothed by those without it, and these as in (5.17)."""
    terms = np.arange(len(parents))
    own = counted.both[:, terms, terms]
    alone = np.minimum((own + 1) / (counted.sizes[:, None] + below), 1 - 1e-9)
    with_parent = counted.both[:, terms, parents]
    parent = own[:, parents]
    present = (with_parent + alone) / (parent + 1)
    absent = (own - with_parent + alone) / (counted.sizes[:, None] - parent + 1)
    root = parents == terms
    absent[:, root] = alone[:, root]
    return np.clip(np.array([absent, present]), 1e-9, 1 - 1e-9)

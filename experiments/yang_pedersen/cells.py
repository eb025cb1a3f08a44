"""Tables of terms and classes, for scores that the library does not offer."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from scipy.special import xlogy

from experiments.yang_pedersen.corpora import Deal

Floats = NDArray[np.float64]


class Cells(NamedTuple):
    """Numbers of training documents, as arrays that broadcast to classes by terms.

    Attributes
    ----------
    both : ndarray of shape (n_classes, n_terms)
        Documents of the class with the term.
    of_class : ndarray of shape (n_classes, 1)
    with_term : ndarray of shape (n_terms,)
    n : int
        All documents.
    """

    both: Floats
    of_class: Floats
    with_term: Floats
    n: int

    @classmethod
    def of(cls, deal: Deal) -> Cells:
        """Count the training documents of a split."""
        counts = sparse.csr_array(deal.train.counts)
        ones = np.ones(counts.nnz)
        present = sparse.csr_array((ones, counts.indices, counts.indptr), shape=counts.shape)
        both = (deal.learned.T @ present).toarray()
        sizes = np.asarray(deal.learned.sum(axis=0)).reshape(-1, 1)
        return cls(both, sizes, deal.frequencies.astype(float), len(deal.train))


def gain_as_printed(deal: Deal) -> Floats:
    """Return information gain by its formula with Pr(c) the share of documents that have c.

    With several labels to a document these do not sum to one, and the result is no information.
    """
    cells = Cells.of(deal)
    with_term, without = cells.with_term, cells.n - cells.with_term
    prior = -_negative_entropy(cells.of_class, cells.n)
    gain = prior + with_term / cells.n * _negative_entropy(cells.both, with_term)
    return gain + without / cells.n * _negative_entropy(cells.of_class - cells.both, without)


def _negative_entropy(counts: Floats, total: Floats | int) -> Floats:
    """Return Σ p log p over classes."""
    p = counts / np.maximum(total, 1)
    return xlogy(p, p).sum(axis=0)


def shrunken_information(cells: Cells, pseudo: float) -> Floats:
    """Return log of A N / ((A + B)(A + C)), classes by terms, with a pseudo-count in each cell.

    Minus infinity where a class never has the term, even with pseudo-counts: such a pair says
    nothing for the class.
    """
    observed = (cells.both + pseudo) * (cells.n + 4 * pseudo)
    expected = (cells.of_class + 2 * pseudo) * (cells.with_term + 2 * pseudo)
    there = cells.both > 0
    ratio = np.divide(observed, expected, out=np.ones_like(cells.both), where=there)
    return np.where(there, np.log(ratio), -np.inf)

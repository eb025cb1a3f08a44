"""The 2×2 table of a term and a class, and what it tells of how much they have to do together."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

Floats: TypeAlias = NDArray[np.float64]
Weight = Literal["ig", "chi", "prr"]

_LEAST = np.finfo(np.float64).tiny
_ABOVE_MINUS_ONE = -1 + 2.0**-53


@dataclass(frozen=True)
class Table:
    r"""Documents by whether they have a term and whether they are of a class, elementwise.

    ===========  ============  ===========  ================
    ..           of the class  of another   in all
    ===========  ============  ===========  ================
    with term    :math:`A`     :math:`B`    ``with_term``
    without      :math:`C'`    :math:`D`    :math:`N - A - B`
    in all       ``in_class``               :math:`N`
    ===========  ============  ===========  ================

    Made by :meth:`of`. The arrays are broadcast against each other; every method returns an
    array of their common shape. Counts may be fractional.

    Examples
    --------
    >>> table = Table.of(class_with=[[2, 0]], with_term=2, in_class=[[2, 1]], n_documents=3)
    >>> [cell.tolist() for cell in table.cells]
    [[[2.0, 0.0]], [[0.0, 2.0]], [[0.0, 1.0]], [[1.0, 0.0]]]
    >>> table.chi_square()
    array([[3., 3.]])
    """

    both: Floats
    with_term: Floats
    in_class: Floats
    n_documents: Floats

    @classmethod
    def of(
        cls,
        class_with: ArrayLike,
        with_term: ArrayLike,
        in_class: ArrayLike,
        n_documents: ArrayLike,
    ) -> Table:
        """Make a table of counts; those that no documents can have become the nearest possible.

        Parameters
        ----------
        class_with : array-like
            :math:`A`, documents of the class with the term.
        with_term : array-like
            :math:`A + B`, documents with the term.
        in_class : array-like
            :math:`A + C'`, documents of the class.
        n_documents : array-like
            :math:`N`, all documents.
        """
        n = np.maximum(_floats(n_documents), 0.0)
        term = np.clip(_floats(with_term), 0.0, n)
        label = np.clip(_floats(in_class), 0.0, n)
        least = np.maximum(term + label - n, 0.0)
        both = np.clip(_floats(class_with), least, np.minimum(term, label))
        return cls(both, term, label, n)

    @property
    def cells(self) -> tuple[Floats, Floats, Floats, Floats]:
        """:math:`A, B, C', D`."""
        term_only = np.maximum(self.with_term - self.both, 0.0)
        class_only = np.maximum(self.in_class - self.both, 0.0)
        neither = np.maximum(self.n_documents - self.in_class - term_only, 0.0)
        return self.both, term_only, class_only, neither

    def chi_square(self) -> Floats:
        r"""Return how far the term and the class are from independence; 0 for an empty margin.

        .. math:: \chi^2 = \frac{N (AD - C'B)^2}{(A+C')(B+D)(A+B)(C'+D)}

        Examples
        --------
        >>> Table.of([49], 49 + 27652, 49 + 141, 49 + 27652 + 141 + 774106).chi_square().round(2)
        array([284.29])
        """
        return self.n_documents * self.phi_square()

    def phi_square(self) -> Floats:
        r"""Return :math:`\chi^2 / N`, from 0 to 1: the CHI weight of Kim, Seo and Rim (2003).

        Examples
        --------
        >>> Table.of([2, 1], [2, 2], 2, 3).phi_square()
        array([1.  , 0.25])
        """
        n, term, label = self.n_documents, self.with_term, self.in_class
        # A N - (A+B)(A+C') is AD - C'B with one product of two full arrays less.
        excess = self.both * n - term * label
        return _ratio(excess * excess, (term * (n - term)) * (label * (n - label)), 0.0)

    def information(self) -> Floats:
        r"""Return the class's part of the information gain of the term, in nats.

        .. math:: \sum_{\omega \in \{w, \bar w\}}
            p(c, \omega) \log \frac{p(c, \omega)}{p(c)\, p(\omega)}

        with 0 log 0 = 0. Summed over classes that part the documents it is the gain (Vilar et al.
        2004, equation 9); for one class alone it can be negative.
        """
        n, term, label = self.n_documents, self.with_term, self.in_class
        joint, expected = self.both * n, term * label
        lift = np.maximum(_ratio(joint, expected, 1.0), _LEAST)
        # The logarithm for documents without the term is that of almost one for rare terms, which
        # log1p keeps exact where a difference of logarithms would leave noise.
        growth = np.maximum(_ratio(expected - joint, label * (n - term), 0.0), _ABOVE_MINUS_ONE)
        parts = self.both * np.log(lift) + (label - self.both) * np.log1p(growth)
        return parts / np.maximum(n, _LEAST)

    def gain(self) -> Floats:
        r"""Return the information gain for telling the class from all others, in nats.

        .. math:: \sum_{\kappa \in \{c, \bar c\}} \sum_{\omega \in \{w, \bar w\}}
            p(\kappa, \omega) \log \frac{p(\kappa, \omega)}{p(\kappa)\, p(\omega)}

        (Kim, Seo and Rim 2003, equation 11).

        Examples
        --------
        >>> Table.of([2, 1], [2, 2], 2, 3).gain().round(6)
        array([0.636514, 0.174416])
        """
        others = self.n_documents - self.in_class
        rest = Table(self.with_term - self.both, self.with_term, others, self.n_documents)
        return np.maximum(self.information() + rest.information(), 0.0)

    def mutual_information(self) -> Floats:
        r"""Return how much more likely the term is in the class, as a logarithm; −inf for A = 0.

        .. math:: I(w, c) = \log \frac{A N}{(A+C')(A+B)}

        Examples
        --------
        >>> Table.of([2, 0], [2, 2], [2, 1], 3).mutual_information().round(6)
        array([0.405465,     -inf])
        """
        lift = _ratio(self.both * self.n_documents, self.with_term * self.in_class, 0.0)
        return np.where(lift > 0, np.log(np.maximum(lift, _LEAST)), -np.inf)

    def shrunken_information(self) -> Floats:
        r"""Return the mutual information with ½ added to every cell: finite, and near 0 if rare.

        .. math:: \log \frac{(A + ½)(N + 2)}{(A + C' + 1)(A + B + 1)}

        Examples
        --------
        >>> Table.of([2, 0], [2, 2], [2, 1], 3).shrunken_information().round(6)
        array([ 0.328504, -0.875469])
        """
        expected = (self.with_term + 1.0) * (self.in_class + 1.0)
        lift = (self.both + 0.5) * (self.n_documents + 2.0) / expected
        return np.asarray(np.log(lift))

    def probability_ratio(self, cap: float = 100.0) -> Floats:
        r"""Return the ratio of the term's probabilities in the class and elsewhere, both ways.

        .. math:: \min\left(\mathrm{cap},\; \frac{p}{q} + \frac{q}{p}\right), \quad
            p = \frac{A + ½}{A + C' + 1},\; q = \frac{B + ½}{B + D + 1}

        It is 2 for a term that tells nothing (Kim, Seo and Rim 2003, equation 13).

        Examples
        --------
        >>> Table.of([2, 0], [2, 1], 2, 3).probability_ratio().round(6)
        array([3.633333, 4.722222])
        """
        inside = (self.both + 0.5) / (self.in_class + 1.0)
        others = self.n_documents - self.in_class
        outside = (self.with_term - self.both + 0.5) / (others + 1.0)
        ratio = inside / outside
        return np.minimum(ratio + 1.0 / ratio, cap)


CLASS_METHODS: dict[str, Callable[[Table], Floats]] = {
    "ig": Table.gain,
    "chi": Table.phi_square,
    "prr": Table.probability_ratio,
}
"""What a term weighs for a class, by name."""


def class_weights(
    class_with: ArrayLike,
    with_term: ArrayLike,
    in_class: ArrayLike,
    n_documents: ArrayLike,
    method: Weight,
) -> Floats:
    """Return what a term weighs for a class, by one of the measures of Kim, Seo and Rim (2003).

    Parameters
    ----------
    class_with, with_term, in_class, n_documents : array-like
        Counts of documents, as in :meth:`Table.of`.
    method : {"ig", "chi", "prr"}
        :meth:`Table.gain`, :meth:`Table.phi_square` or :meth:`Table.probability_ratio`.

    Examples
    --------
    >>> class_weights([2, 1, 1, 0], [2, 2, 2, 1], 2, 3, "chi")
    array([1.  , 0.25, 0.25, 1.  ])
    """
    if method not in CLASS_METHODS:
        raise ValueError(f"method must be one of {', '.join(CLASS_METHODS)}, not {method!r}.")
    return CLASS_METHODS[method](Table.of(class_with, with_term, in_class, n_documents))


def _floats(values: ArrayLike) -> Floats:
    return np.asarray(values, dtype=np.float64)


def _ratio(above: Floats, below: Floats, otherwise: float) -> Floats:
    """Divide, with ``otherwise`` for what would be divided by zero."""
    found = np.full(np.broadcast_shapes(np.shape(above), np.shape(below)), otherwise)
    np.divide(above, below, out=found, where=below > 0)
    return found

"""Scores of terms after Yang and Pedersen (1997): pure functions of a tally."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Literal, TypeAlias, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import sparse

from tallytext.tally.planes import Plane
from tallytext.tally.tally import Tally

# ------------------------------------------------------------------------------------------------
# The 2×2 table of a term and a class, and what it tells of how much they have to do together.

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


# ------------------------------------------------------------------------------------------------
# Documents by term and class, laid out for sums and maxima over the classes of each term.


@dataclass(frozen=True)
class Postings:
    """The cells of a tally, term after term, and the totals they are compared with.

    Attributes
    ----------
    starts : ndarray of shape (n_terms + 1,)
        Where the cells of each term begin.
    classes : ndarray of shape (n_cells,)
        The class of each cell.
    counts : ndarray of shape (n_cells,)
        Documents of the class with the term.
    terms : ndarray of shape (n_terms,)
        Documents with each term.
    sizes : ndarray of shape (n_classes,)
        Documents of each class.
    total : float
        All documents.
    """

    starts: NDArray[Any]
    classes: NDArray[Any]
    counts: Floats
    terms: Floats
    sizes: Floats
    total: float

    @classmethod
    def of(cls, tally: Tally) -> Postings:
        """Read a tally: a document counts once for each of its labels."""
        # Before the cells: a vocabulary may grow meanwhile, by terms that are not counted here.
        terms = tally.term_documents.astype(np.float64)
        sizes = tally.class_documents.astype(np.float64)
        return cls._of(tally.documents, terms, sizes, tally.n_documents)

    @classmethod
    def shared(cls, tally: Tally) -> Postings:
        """Read a tally: a document counts for one in all, shared out among its labels."""
        if not tally.n_several:
            return cls.of(tally)
        terms = tally.term_documents.astype(np.float64)
        plane = Plane("binary", shared=True)
        sizes = tally.plane_totals(plane).class_scales
        return cls._of(tally.plane(plane), terms, sizes, tally.n_documents)

    @classmethod
    def _of(
        cls, cells: sparse.csr_array[Any], terms: Floats, sizes: Floats, total: int
    ) -> Postings:
        starts = cells.indptr[: len(terms) + 1]
        return cls(starts, cells.indices, cells.data.astype(np.float64), terms, sizes, float(total))

    def over(self, terms: Floats, total: float) -> Postings:
        """Return the same cells, compared with other totals."""
        return replace(self, terms=terms, total=total)

    def tables(self, counts: Floats | float | None = None) -> Table:
        """Return the table of each cell, with its own count or another in place of it."""
        own = self.counts if counts is None else counts
        with_term = np.repeat(self.terms, np.diff(self.starts))
        return Table.of(own, with_term, self.sizes[self.classes], self.total)

    def sums(self, values: Floats) -> Floats:
        """Add up the values of the cells of each term."""
        return self._reduced(np.add, values, 0.0)

    def largest(self, values: Floats) -> Floats:
        """Return the largest value of the cells of each term; −inf for a term without any."""
        return self._reduced(np.maximum, values, -np.inf)

    def _reduced(self, how: np.ufunc, values: Floats, empty: float) -> Floats:
        # reduceat would give an empty term the first value of the next one.
        filled = np.flatnonzero(np.diff(self.starts))
        found = np.full(len(self.terms), empty)
        if len(filled):
            found[filled] = how.reduceat(values, self.starts[filled])
        return found

    def summed(self, value: Callable[[Table], Floats], weights: Floats) -> Floats:
        """Return the weighted sum of a value over all classes, for each term.

        What a class adds that a term does not occur in depends on no more than the frequency of
        the term and the size of the class; both take few different values. So all classes are
        taken to be such, once for each pair of these values, and the cells make up the difference.
        """
        difference = value(self.tables()) - value(self.tables(0.0))
        return self._if_absent(value, weights) + self.sums(weights[self.classes] * difference)

    def _if_absent(self, value: Callable[[Table], Floats], weights: Floats) -> Floats:
        frequencies, of_term = np.unique(self.terms, return_inverse=True)
        sizes, of_class = np.unique(self.sizes, return_inverse=True)
        together = np.bincount(of_class, weights=weights, minlength=len(sizes))
        values = value(Table.of(0.0, frequencies[:, None], sizes, self.total))
        # Not by a product of matrices: its last bit depends on how many frequencies there are.
        picked: Floats = (values * together).sum(axis=1)[of_term]
        return picked

    def topmost(self, value: Callable[[Table], Floats]) -> Floats:
        """Return the largest value over all classes, for each term; −inf if there are no classes.

        Of the classes that a term does not occur in, only the largest and the smallest are looked
        at: the value must have no maximum in between.
        """
        found = self.largest(value(self.tables()))
        absent = len(self.sizes) - np.diff(self.starts) > 0
        for sizes in self._extremes_absent():
            theirs = value(Table.of(0.0, self.terms, sizes, self.total))
            found = np.where(absent, np.maximum(found, theirs), found)
        return found

    def _extremes_absent(self) -> tuple[Floats, Floats]:
        """The sizes of the largest and of the smallest class that each term does not occur in."""
        width, n_cells = len(self.sizes), np.diff(self.starts)
        by_size = np.argsort(-self.sizes, kind="stable")
        place = np.empty(width, dtype=np.int64)
        place[by_size] = np.arange(width)
        firsts = np.repeat(np.arange(len(n_cells)) * width, n_cells)
        places = np.sort(firsts + place[self.classes], kind="stable") - firsts
        # Among the sorted places of a term, those that are as if no class before were absent.
        nth = np.arange(len(places)) - np.repeat(self.starts[:-1], n_cells)
        before = self.sums((places == nth).astype(np.float64))
        from_end = width - np.repeat(n_cells, n_cells) + nth
        after = self.sums((places == from_end).astype(np.float64))
        ordered = np.append(self.sizes[by_size], 0.0)
        return ordered[before.astype(np.intp)], ordered[(width - 1 - after).astype(np.intp)]


# ------------------------------------------------------------------------------------------------
# Information gain of terms, also where documents have several labels or none.

Labels = Literal["fractional", "pairs", "binary"]


def fractional_gain(tally: Tally) -> Floats:
    """Return the gain where a document with m labels counts 1/m for each.

    What no class has of a document, all of it if it has no label, is a class of its own: so the
    probabilities are those of documents and sum to one.
    """
    postings = Postings.shared(tally)
    with_label, in_classes = postings.sums(postings.counts), float(postings.sizes.sum())
    # Sixths, rounded, sum to more than one.
    rest = max(postings.total - in_classes, 0.0)
    unnamed = np.clip(postings.terms - with_label, 0.0, rest)
    whole = postings.over(with_label + unnamed, in_classes + rest)
    if not rest:
        return _gain(whole)
    return _gain(whole) + Table.of(unnamed, whole.terms, rest, whole.total).information()


def gain_of_pairs(tally: Tally) -> Floats:
    """Return the gain where each pair of a document and one of its labels is an event."""
    postings = Postings.of(tally)
    pairs = postings.over(postings.sums(postings.counts), float(postings.sizes.sum()))
    return _gain(pairs)


def sum_of_gains(tally: Tally) -> Floats:
    """Return the sum of the gains for telling each class from all others."""
    postings = Postings.of(tally)
    return postings.summed(Table.gain, np.ones_like(postings.sizes))


def _gain(postings: Postings) -> Floats:
    """Return equation 9 of Vilar et al. (2004); a class without the term adds −p(c) log p(w̄)."""
    present = postings.sums(postings.tables().information())
    absent = postings.sizes.sum() - postings.sums(postings.sizes[postings.classes])
    if not postings.total:
        return present
    # A term that all documents have is absent from no class: the bound only keeps 0 log 0 quiet.
    share = np.minimum(postings.terms / postings.total, 1 - 2.0**-53)
    found: Floats = present - absent / postings.total * np.log1p(-share)
    return found


Method = Literal["df", "ig", "mi", "chi", "prr"]
Average = Literal["max", "avg"]
Unit = Literal["nats", "bits"]
METHODS: tuple[Method, ...] = get_args(Method)

_GAINS: dict[Labels, Callable[[Tally], Floats]] = {
    "fractional": fractional_gain,
    "pairs": gain_of_pairs,
    "binary": sum_of_gains,
}
_TAKES = {
    "df": (),
    "ig": ("labels", "unit"),
    "mi": ("average", "shrunken"),
    "chi": ("average",),
    "prr": ("average", "cap"),
}


def scores(
    tally: Tally,
    method: Method = "ig",
    *,
    average: Average | None = None,
    labels: Labels | None = None,
    shrunken: bool | None = None,
    unit: Unit | None = None,
    cap: float | None = None,
) -> Floats:
    r"""Return how much each term tells of the classes, by the ids of the vocabulary.

    Events are documents: a term is in one or not, however often. The tables and formulas of
    ``mi``, ``chi`` and ``prr`` are those of :class:`~tallytext.features.term_scores.Table`.
    Takes the time of reading the cells, however many classes there are.

    Parameters
    ----------
    tally : Tally
        What was counted.
    method : {"ig", "chi", "mi", "prr", "df"}, default="ig"
        ``df``: documents with the term.
        ``ig``: information gain,
        :math:`\sum_c \sum_{\omega \in \{w, \bar w\}}
        p(c, \omega) \log \frac{p(c, \omega)}{p(c)\, p(\omega)}`.
        ``mi``: mutual information with a class; favours rare terms.
        ``chi``: :math:`\chi^2` with a class; unreliable for terms in a handful of documents.
        ``prr``: ratio of the term's probabilities within and without a class.
    average : {"max", "avg"}, default="max"
        For ``mi``, ``chi`` and ``prr``: the largest over the classes, or
        :math:`\sum_c \frac{N_c}{N}` of each. ``mi`` is −∞ with a class that does not have the
        term; its maximum is therefore taken over the classes that have it, and its average of
        tables with ½ added to every cell.
    labels : {"fractional", "pairs", "binary"}, default="fractional"
        For ``ig``, what a document with several labels is. ``fractional``: 1/m of a document for
        each of its m labels; this needs the plane ``Plane("binary", shared=True)`` if there is
        such a document. What no class has of a document, such as all of one without a label, is
        a class of its own. ``pairs``: as many events as it has labels. ``binary``: a document,
        and the gains for telling each class from the others are summed. The first two are the
        same where each document has exactly one label.
    shrunken : bool, default=False
        For ``mi`` with ``max``: add ½ to every cell, so that none is empty. Terms of one
        document come first all the same.
    unit : {"nats", "bits"}, default="nats"
        Of ``ig``.
    cap : float, default=100
        For ``prr``: no ratio is larger.

    Returns
    -------
    ndarray of shape (n_terms,)
        A term that does not occur, or no class at all, scores 0; under ``mi`` −∞. So does, under
        ``mi`` with ``max``, a term that only documents without a label have.

    Raises
    ------
    RecipeError
        If documents have several labels and the plane for sharing them out is not kept.

    Examples
    --------
    >>> tally = Tally.from_counts([[2, 1, 0, 0], [1, 0, 1, 0], [0, 1, 2, 1]], ["X", "X", "Y"])
    >>> scores(tally).round(6)
    array([0.636514, 0.174416, 0.174416, 0.636514])
    >>> scores(tally, "chi", average="avg")
    array([3.  , 0.75, 0.75, 3.  ])
    >>> scores(tally, "mi").round(3)
    array([0.405, 0.405, 0.405, 1.099])
    """
    given = {"average": average, "labels": labels, "shrunken": shrunken, "unit": unit, "cap": cap}
    _check_taken(method, given)
    now = tally._snapshot()
    if method == "df":
        return now.term_documents.astype(np.float64)
    if method == "ig":
        return _gains(now, labels or "fractional", unit or "nats")
    if method == "mi":
        return _mutual(now, average or "max", bool(shrunken))
    ratio = partial(Table.probability_ratio, cap=100.0 if cap is None else cap)
    return _over_classes(now, Table.chi_square if method == "chi" else ratio, average or "max")


def _gains(tally: Tally, labels: Labels, unit: Unit) -> Floats:
    # Rounding may leave a term that tells nothing a hair below.
    nats = np.maximum(_GAINS[labels](tally), 0.0)
    return nats / np.log(2.0) if unit == "bits" else nats


def _mutual(tally: Tally, average: Average, shrunken: bool) -> Floats:
    if average == "avg":
        return _over_classes(tally, Table.shrunken_information, "avg", nothing=-np.inf)
    postings = Postings.of(tally)
    value = Table.shrunken_information if shrunken else Table.mutual_information
    return postings.largest(value(postings.tables()))


def _over_classes(
    tally: Tally, value: Callable[[Table], Floats], average: Average, nothing: float = 0.0
) -> Floats:
    postings = Postings.of(tally)
    if not len(postings.sizes):
        return np.full_like(postings.terms, nothing)
    if average == "avg":
        found = postings.summed(value, postings.sizes / postings.total)
    else:
        found = postings.topmost(value)
    return np.where(postings.terms > 0, found, nothing)


def _check_taken(method: str, given: Mapping[str, object]) -> None:
    if not isinstance(method, str) or method not in _TAKES:
        raise ValueError(f"method must be one of {', '.join(_TAKES)}, not {method!r}.")
    choices = {"average": get_args(Average), "labels": get_args(Labels), "unit": get_args(Unit)}
    for option, value in given.items():
        if value is None:
            continue
        if option not in _TAKES[method]:
            raise ValueError(f"{option}={value!r} has no effect on method={method!r}.")
        if value not in choices.get(option, (value,)):
            raise ValueError(f"{option} must be one of {choices[option]}, not {value!r}.")

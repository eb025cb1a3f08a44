"""Scores of terms: chi-square, information gain, mutual information and others.

:func:`score_terms` scores the terms of a tally (Yang and Pedersen 1997). The formulas are methods
of :class:`ContingencyTable`; :class:`Postings` combines their values over the classes of a term.
:func:`signed_g2` finds the terms that are typical of one class.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import partial
from itertools import islice
from typing import Any, Literal, TypeAlias, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import sparse

from tallytext._core import CHAR_MARK
from tallytext._typing import FloatArray
from tallytext.features.tf_idf import reduce_rows
from tallytext.tally.planes import Plane
from tallytext.tally.tally import Tally

Method = Literal["df", "ig", "mi", "chi", "prr"]
Average = Literal["max", "avg"]
Labels = Literal["fractional", "pairs", "binary"]
Unit = Literal["nats", "bits"]
Weight = Literal["ig", "chi", "prr"]

METHODS: tuple[Method, ...] = get_args(Method)

# The options that have an effect on each method.
_OPTIONS = {
    "df": (),
    "ig": ("labels", "unit"),
    "mi": ("average", "shrunken"),
    "chi": ("average",),
    "prr": ("average", "cap"),
}

_TINY = np.finfo(np.float64).tiny
_ABOVE_MINUS_ONE = -1 + 2.0**-53


def score_terms(
    tally: Tally,
    method: Method = "ig",
    *,
    average: Average | None = None,
    labels: Labels | None = None,
    shrunken: bool | None = None,
    unit: Unit | None = None,
    cap: float | None = None,
) -> FloatArray:
    r"""Return a score for each term: its association with the classes, by vocabulary id.

    Events are documents: a term is present or absent, however often it occurs. The formulas of
    ``mi``, ``chi`` and ``prr`` are those of
    :class:`~tallytext.features.term_scores.ContingencyTable`. The time is that of reading the
    cells of the tally, however many classes there are.

    Parameters
    ----------
    tally : Tally
        The counts.
    method : {"ig", "chi", "mi", "prr", "df"}, default="ig"
        ``df``: number of documents with the term.
        ``ig``: information gain,
        :math:`\sum_c \sum_{\omega \in \{w, \bar w\}}
        p(c, \omega) \log \frac{p(c, \omega)}{p(c)\, p(\omega)}`.
        ``mi``: mutual information with a class; favours rare terms.
        ``chi``: :math:`\chi^2` with a class; unreliable for terms in a handful of documents.
        ``prr``: ratio of the term's probabilities inside and outside a class.
    average : {"max", "avg"}, default=None
        For ``mi``, ``chi`` and ``prr``: the largest over the classes, or
        :math:`\sum_c \frac{N_c}{N}` of each. ``mi`` is −∞ with a class that does not have the
        term; its maximum is therefore taken over the classes that have it, and its average of
        tables with ½ added to every cell. None for "avg" with ``chi`` and "max" with the others.
    labels : {"fractional", "pairs", "binary"}, default="fractional"
        For ``ig``, how a multi-label document counts. ``fractional``: 1/m for each of its m labels;
        this needs the plane ``Plane("binary", shared=True)`` if there is such a document.
        Unlabelled documents form an additional class. ``pairs``: one event for each of its labels.
        ``binary``: one document for each class, and the gains of each class versus its complement
        are summed. The first two are the same if each document has exactly one label.
    shrunken : bool, default=False
        For ``mi`` with ``max``: add ½ to every cell, so that none is empty. Terms of one
        document still come first.
    unit : {"nats", "bits"}, default="nats"
        The unit of ``ig``.
    cap : float, default=100
        For ``prr``: the largest ratio.

    Returns
    -------
    ndarray of shape (n_terms,)
        A term that does not occur, or no class at all, scores 0; under ``mi`` −∞. So does, under
        ``mi`` with ``max``, a term that only documents without a label have.

    Raises
    ------
    RecipeError
        If documents have several labels and the tally has no plane of fractional labels.

    Examples
    --------
    >>> tally = Tally.from_counts([[2, 1, 0, 0], [1, 0, 1, 0], [0, 1, 2, 1]], ["X", "X", "Y"])
    >>> score_terms(tally).round(6)
    array([0.636514, 0.174416, 0.174416, 0.636514])
    >>> score_terms(tally, "chi")
    array([3.  , 0.75, 0.75, 3.  ])
    >>> score_terms(tally, "mi").round(3)
    array([0.405, 0.405, 0.405, 1.099])
    """
    # Options default to None, so that an option without effect is refused, not ignored.
    given = {"average": average, "labels": labels, "shrunken": shrunken, "unit": unit, "cap": cap}
    _check_options(method, given)
    now = tally._snapshot()
    if method == "df":
        return now.term_documents.astype(np.float64)
    if method == "ig":
        # Rounding may leave the gain of a term without information just below zero.
        nats = np.maximum(_GAINS[labels or "fractional"](now), 0.0)
        return nats / np.log(2.0) if unit == "bits" else nats
    if method == "mi":
        return _mutual_information(now, average or "max", bool(shrunken))
    if method == "chi":
        # The mean over classes selects better terms than their maximum, which prefers the terms of
        # rare classes (docs/terms.md).
        return _combine_classes(now, ContingencyTable.chi_square, average or "avg")
    ratio = partial(ContingencyTable.probability_ratio, cap=100.0 if cap is None else cap)
    return _combine_classes(now, ratio, average or "max")


def _mutual_information(tally: Tally, average: Average, shrunken: bool) -> FloatArray:
    if average == "avg":
        return _combine_classes(
            tally, ContingencyTable.shrunken_information, "avg", nothing=-np.inf
        )
    postings = Postings.from_tally(tally)
    value = (
        ContingencyTable.shrunken_information if shrunken else ContingencyTable.mutual_information
    )
    return reduce_rows(np.maximum, value(postings.tables()), postings.starts, -np.inf)


def _combine_classes(
    tally: Tally,
    value: TableValue,
    average: Average,
    nothing: float = 0.0,
) -> FloatArray:
    postings = Postings.from_tally(tally)
    if not len(postings.sizes):
        return np.full_like(postings.terms, nothing)
    if average == "avg":
        found = postings.sum_over_classes(value, postings.sizes / postings.total)
    else:
        found = postings.max_over_classes(value)
    return np.where(postings.terms > 0, found, nothing)


def _check_options(method: str, given: Mapping[str, object]) -> None:
    if not isinstance(method, str) or method not in _OPTIONS:
        raise ValueError(f"method must be one of {', '.join(_OPTIONS)}, not {method!r}.")
    choices = {"average": get_args(Average), "labels": get_args(Labels), "unit": get_args(Unit)}
    for option, value in given.items():
        if value is None:
            continue
        if option not in _OPTIONS[method]:
            raise ValueError(f"{option}={value!r} has no effect on method={method!r}.")
        if value not in choices.get(option, (value,)):
            raise ValueError(f"{option} must be one of {choices[option]}, not {value!r}.")


@dataclass(frozen=True)
class ContingencyTable:
    r"""Contingency tables of terms and classes, elementwise, with numbers of documents.

    ===========  ============  ===========  ================
    ..           of the class  of another   in all
    ===========  ============  ===========  ================
    with term    :math:`A`     :math:`B`    ``with_term``
    without      :math:`C'`    :math:`D`    :math:`N - A - B`
    in all       ``in_class``               :math:`N`
    ===========  ============  ===========  ================

    The arrays are broadcast against each other; every method returns an array of their common
    shape. Counts may be fractional.

    Examples
    --------
    >>> table = ContingencyTable.from_counts([[2, 0]], 2, [[2, 1]], 3)
    >>> [cell.tolist() for cell in table.cells]
    [[[2.0, 0.0]], [[0.0, 2.0]], [[0.0, 1.0]], [[1.0, 0.0]]]
    >>> table.chi_square()
    array([[3., 3.]])
    """

    both: FloatArray
    with_term: FloatArray
    in_class: FloatArray
    n_documents: FloatArray

    @classmethod
    def from_counts(
        cls,
        class_with: ArrayLike,
        with_term: ArrayLike,
        in_class: ArrayLike,
        n_documents: ArrayLike,
    ) -> ContingencyTable:
        """Make a table of counts; impossible counts are replaced by the nearest possible ones.

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
        given = (class_with, with_term, in_class, n_documents)
        both, term, label, n = (np.asarray(each, dtype=np.float64) for each in given)
        # Fractional counts are rounded one by one: a negative cell would give a negative logarithm
        # argument in the formulas below.
        n = np.maximum(n, 0.0)
        term, label = np.clip(term, 0.0, n), np.clip(label, 0.0, n)
        least = np.maximum(term + label - n, 0.0)
        return cls(np.clip(both, least, np.minimum(term, label)), term, label, n)

    @property
    def cells(self) -> tuple[FloatArray, FloatArray, FloatArray, FloatArray]:
        """:math:`A, B, C', D`."""
        term_only = np.maximum(self.with_term - self.both, 0.0)
        class_only = np.maximum(self.in_class - self.both, 0.0)
        neither = np.maximum(self.n_documents - self.in_class - term_only, 0.0)
        return self.both, term_only, class_only, neither

    def chi_square(self) -> FloatArray:
        r"""Return the chi-square statistic of term and class; 0 for an empty margin.

        .. math:: \chi^2 = \frac{N (AD - C'B)^2}{(A+C')(B+D)(A+B)(C'+D)}

        Examples
        --------
        >>> n = 49 + 27652 + 141 + 774106
        >>> ContingencyTable.from_counts([49], 49 + 27652, 49 + 141, n).chi_square().round(2)
        array([284.29])
        """
        return self.n_documents * self.phi_square()

    def phi_square(self) -> FloatArray:
        r"""Return :math:`\chi^2 / N`, from 0 to 1: the CHI weight of Kim, Seo and Rim (2003).

        Examples
        --------
        >>> ContingencyTable.from_counts([2, 1], [2, 2], 2, 3).phi_square()
        array([1.  , 0.25])
        """
        n, term, label = self.n_documents, self.with_term, self.in_class
        # A N - (A+B)(A+C') is AD - C'B, with one product of full arrays fewer.
        excess = self.both * n - term * label
        return _ratio(excess * excess, (term * (n - term)) * (label * (n - label)), 0.0)

    def information(self) -> FloatArray:
        r"""Return the contribution of the class to the information gain of the term, in nats.

        .. math:: \sum_{\omega \in \{w, \bar w\}}
            p(c, \omega) \log \frac{p(c, \omega)}{p(c)\, p(\omega)}

        with 0 log 0 = 0. Its sum over disjoint classes is the gain (Vilar et al. 2004,
        equation 9); for one class alone it can be negative.
        """
        n, term, label = self.n_documents, self.with_term, self.in_class
        joint, expected = self.both * n, term * label
        lift = np.maximum(_ratio(joint, expected, 1.0), _TINY)
        # For rare terms the ratio of the documents without the term is almost one: log1p is exact
        # there, and a difference of logarithms would be mostly rounding.
        growth = np.maximum(_ratio(expected - joint, label * (n - term), 0.0), _ABOVE_MINUS_ONE)
        parts = self.both * np.log(lift) + (label - self.both) * np.log1p(growth)
        return parts / np.maximum(n, _TINY)

    def gain(self) -> FloatArray:
        r"""Return the information gain of the class versus its complement, in nats.

        .. math:: \sum_{\kappa \in \{c, \bar c\}} \sum_{\omega \in \{w, \bar w\}}
            p(\kappa, \omega) \log \frac{p(\kappa, \omega)}{p(\kappa)\, p(\omega)}

        (Kim, Seo and Rim 2003, equation 11).

        Examples
        --------
        >>> ContingencyTable.from_counts([2, 1], [2, 2], 2, 3).gain().round(6)
        array([0.636514, 0.174416])
        """
        others = self.n_documents - self.in_class
        complement = ContingencyTable(
            self.with_term - self.both, self.with_term, others, self.n_documents
        )
        return np.maximum(self.information() + complement.information(), 0.0)

    def mutual_information(self) -> FloatArray:
        r"""Return the pointwise mutual information of term and class; −inf for A = 0.

        .. math:: I(w, c) = \log \frac{A N}{(A+C')(A+B)}

        Examples
        --------
        >>> ContingencyTable.from_counts([2, 0], [2, 2], [2, 1], 3).mutual_information().round(6)
        array([0.405465,     -inf])
        """
        lift = _ratio(self.both * self.n_documents, self.with_term * self.in_class, 0.0)
        return np.where(lift > 0, np.log(np.maximum(lift, _TINY)), -np.inf)

    def shrunken_information(self) -> FloatArray:
        r"""Return the mutual information with ½ added to every cell, which is always finite.

        .. math:: \log \frac{(A + ½)(N + 2)}{(A + C' + 1)(A + B + 1)}

        Examples
        --------
        >>> ContingencyTable.from_counts([2, 0], [2, 2], [2, 1], 3).shrunken_information().round(6)
        array([ 0.328504, -0.875469])
        """
        expected = (self.with_term + 1.0) * (self.in_class + 1.0)
        lift = (self.both + 0.5) * (self.n_documents + 2.0) / expected
        return np.asarray(np.log(lift))

    def probability_ratio(self, cap: float = 100.0) -> FloatArray:
        r"""Return the probability ratio of the term inside and outside the class, and its inverse.

        .. math:: \min\left(\mathrm{cap},\; \frac{p}{q} + \frac{q}{p}\right), \quad
            p = \frac{A + ½}{A + C' + 1},\; q = \frac{B + ½}{B + D + 1}

        It is 2 for a term that is independent of the class (Kim, Seo and Rim 2003, equation 13).

        Examples
        --------
        >>> ContingencyTable.from_counts([2, 0], [2, 1], 2, 3).probability_ratio().round(6)
        array([3.633333, 4.722222])
        """
        inside = (self.both + 0.5) / (self.in_class + 1.0)
        others = self.n_documents - self.in_class
        outside = (self.with_term - self.both + 0.5) / (others + 1.0)
        ratio = inside / outside
        return np.minimum(ratio + 1.0 / ratio, cap)


TableValue: TypeAlias = Callable[[ContingencyTable], FloatArray]

CLASS_WEIGHTS: dict[str, TableValue] = {
    "ig": ContingencyTable.gain,
    "chi": ContingencyTable.phi_square,
    "prr": ContingencyTable.probability_ratio,
}
"""The weight of a term for a class, by the name of its measure."""


def class_weights(
    class_with: ArrayLike,
    with_term: ArrayLike,
    in_class: ArrayLike,
    n_documents: ArrayLike,
    method: Weight,
) -> FloatArray:
    """Return the weight of a term for a class, by a measure of Kim, Seo and Rim (2003).

    Parameters
    ----------
    class_with, with_term, in_class, n_documents : array-like
        Counts of documents, as in :meth:`ContingencyTable.from_counts`.
    method : {"ig", "chi", "prr"}
        The measures :meth:`ContingencyTable.gain`, :meth:`ContingencyTable.phi_square` and
        :meth:`ContingencyTable.probability_ratio`.

    Examples
    --------
    >>> class_weights([2, 1, 1, 0], [2, 2, 2, 1], 2, 3, "chi")
    array([1.  , 0.25, 0.25, 1.  ])
    """
    if method not in CLASS_WEIGHTS:
        raise ValueError(f"method must be one of {', '.join(CLASS_WEIGHTS)}, not {method!r}.")
    return CLASS_WEIGHTS[method](
        ContingencyTable.from_counts(class_with, with_term, in_class, n_documents)
    )


def _ratio(above: FloatArray, below: FloatArray, otherwise: float) -> FloatArray:
    """Divide, with ``otherwise`` in the place of a division by zero."""
    found = np.full(np.broadcast_shapes(np.shape(above), np.shape(below)), otherwise)
    np.divide(above, below, out=found, where=below > 0)
    return found


@dataclass(frozen=True)
class Postings:
    """The cells of a tally by term, and the totals for their contingency tables.

    Attributes
    ----------
    starts : ndarray of shape (n_terms + 1,)
        The position of the first cell of each term.
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
    counts: FloatArray
    terms: FloatArray
    sizes: FloatArray
    total: float

    @classmethod
    def from_tally(cls, tally: Tally) -> Postings:
        """Read a tally; a document counts once for each of its labels."""
        # Read before the cells: the vocabulary may grow meanwhile, by terms that are not counted.
        terms = tally.term_documents.astype(np.float64)
        sizes = tally.class_documents.astype(np.float64)
        return cls._from_cells(tally.documents, terms, sizes, tally.n_documents)

    @classmethod
    def from_shared_tally(cls, tally: Tally) -> Postings:
        """Read a tally; a document with m labels counts 1/m for each of them."""
        if not tally.n_multi_label:
            return cls.from_tally(tally)
        terms = tally.term_documents.astype(np.float64)
        plane = Plane("binary", shared=True)
        sizes = tally.plane_totals(plane).class_scales
        return cls._from_cells(tally.plane(plane), terms, sizes, tally.n_documents)

    @classmethod
    def _from_cells(
        cls, cells: sparse.csr_array[Any], terms: FloatArray, sizes: FloatArray, total: int
    ) -> Postings:
        starts = cells.indptr[: len(terms) + 1]
        return cls(starts, cells.indices, cells.data.astype(np.float64), terms, sizes, float(total))

    def with_totals(self, terms: FloatArray, total: float) -> Postings:
        """Return the same cells with other totals."""
        return replace(self, terms=terms, total=total)

    def tables(self, counts: FloatArray | float | None = None) -> ContingencyTable:
        """Return the contingency table of each cell, with its own count or a given one."""
        own = self.counts if counts is None else counts
        with_term = np.repeat(self.terms, np.diff(self.starts))
        return ContingencyTable.from_counts(own, with_term, self.sizes[self.classes], self.total)

    def sum_over_classes(self, value: TableValue, weights: FloatArray) -> FloatArray:
        """Return the weighted sum of a value over all classes, for each term.

        The value of a class without the term depends only on the frequency of the term and on the
        size of the class, and both take few distinct values. So the sum is computed as if the term
        occurred in no class, once for each pair of these values, and the cells are corrected.
        """
        difference = value(self.tables()) - value(self.tables(0.0))
        correction = reduce_rows(np.add, weights[self.classes] * difference, self.starts)
        return self._sum_if_absent(value, weights) + correction

    def _sum_if_absent(self, value: TableValue, weights: FloatArray) -> FloatArray:
        frequencies, of_term = np.unique(self.terms, return_inverse=True)
        sizes, of_class = np.unique(self.sizes, return_inverse=True)
        together = np.bincount(of_class, weights=weights, minlength=len(sizes))
        values = value(ContingencyTable.from_counts(0.0, frequencies[:, None], sizes, self.total))
        # No matrix product: its last bit would depend on the number of distinct frequencies.
        sums: FloatArray = (values * together).sum(axis=1)
        return sums[of_term]

    def max_over_classes(self, value: TableValue) -> FloatArray:
        """Return the largest value over all classes, for each term; −inf if there are no classes.

        Of the classes without the term only the largest and the smallest are evaluated, so that
        the value must be monotonic or convex in the size of the class.
        """
        found = reduce_rows(np.maximum, value(self.tables()), self.starts, -np.inf)
        # A term that all classes have has no class to evaluate as absent.
        absent = len(self.sizes) - np.diff(self.starts) > 0
        for sizes in self._extremes_absent():
            theirs = value(ContingencyTable.from_counts(0.0, self.terms, sizes, self.total))
            found = np.where(absent, np.maximum(found, theirs), found)
        return found

    def _extremes_absent(self) -> tuple[FloatArray, FloatArray]:
        """Return the sizes of the largest and of the smallest class without each term."""
        width, n_cells = len(self.sizes), np.diff(self.starts)
        by_size = np.argsort(-self.sizes, kind="stable")
        place = np.empty(width, dtype=np.int64)
        place[by_size] = np.arange(width)
        # Offsets of one width per term sort the cells of all terms in one call.
        firsts = np.repeat(np.arange(len(n_cells)) * width, n_cells)
        places = np.sort(firsts + place[self.classes], kind="stable") - firsts
        # Sorted by size, the classes of a term that come before its first absent class.
        nth = np.arange(len(places)) - np.repeat(self.starts[:-1], n_cells)
        before = reduce_rows(np.add, (places == nth).astype(np.float64), self.starts)
        from_end = width - np.repeat(n_cells, n_cells) + nth
        after = reduce_rows(np.add, (places == from_end).astype(np.float64), self.starts)
        # A term that all classes have reads the zero at the end; the caller ignores it.
        ordered = np.append(self.sizes[by_size], 0.0)
        return ordered[before.astype(np.intp)], ordered[(width - 1 - after).astype(np.intp)]


def fractional_gain(tally: Tally) -> FloatArray:
    """Return the information gain with 1/m of a document for each of its m labels.

    The part of a document that no class has, such as all of one without a label, is a class of its
    own, so that the probabilities of documents sum to one.
    """
    postings = Postings.from_shared_tally(tally)
    with_label = reduce_rows(np.add, postings.counts, postings.starts)
    in_classes = float(postings.sizes.sum())
    # Fractions such as sixths may sum to more than one by rounding.
    unlabelled = max(postings.total - in_classes, 0.0)
    without_label = np.clip(postings.terms - with_label, 0.0, unlabelled)
    whole = postings.with_totals(with_label + without_label, in_classes + unlabelled)
    if not unlabelled:
        return _information_gain(whole)
    return (
        _information_gain(whole)
        + ContingencyTable.from_counts(
            without_label, whole.terms, unlabelled, whole.total
        ).information()
    )


def pair_gain(tally: Tally) -> FloatArray:
    """Return the information gain with one event for each pair of a document and a label."""
    postings = Postings.from_tally(tally)
    with_term = reduce_rows(np.add, postings.counts, postings.starts)
    return _information_gain(postings.with_totals(with_term, float(postings.sizes.sum())))


def binary_gain(tally: Tally) -> FloatArray:
    """Return the sum of the information gains of each class versus its complement."""
    postings = Postings.from_tally(tally)
    return postings.sum_over_classes(ContingencyTable.gain, np.ones_like(postings.sizes))


def _information_gain(postings: Postings) -> FloatArray:
    """Return equation 9 of Vilar et al. (2004); a class without the term adds −p(c) log p(w̄)."""
    present = reduce_rows(np.add, postings.tables().information(), postings.starts)
    having = reduce_rows(np.add, postings.sizes[postings.classes], postings.starts)
    absent = postings.sizes.sum() - having
    if not postings.total:
        return present
    # A term of all documents is absent from no class: the bound only avoids a warning for 0 log 0.
    share = np.minimum(postings.terms / postings.total, 1 - 2.0**-53)
    found: FloatArray = present - absent / postings.total * np.log1p(-share)
    return found


_GAINS: dict[Labels, Callable[[Tally], FloatArray]] = {
    "fractional": fractional_gain,
    "pairs": pair_gain,
    "binary": binary_gain,
}


def typical_terms(
    tally: Tally, classes: Iterable[int], top: int, *, without_strings: bool = False
) -> Iterator[list[str]]:
    """Yield the most typical terms of each of these classes, by :func:`signed_g2`.

    Strings of characters inside words, which repeat the words, can be left out.
    """
    # By class: the tally stores its cells by term, where a class is scattered over all rows.
    occurrences = sparse.csc_array(tally.occurrences)
    for c in classes:
        cells = slice(occurrences.indptr[c], occurrences.indptr[c + 1])
        ids = occurrences.indices[cells]
        scores = signed_g2(
            occurrences.data[cells],
            int(tally.class_tokens[c]),
            tally.term_occurrences[ids],
            int(tally.n_tokens),
        )
        order = np.argsort(-scores, kind="stable")
        ranked = (str(tally.vocabulary.term(int(id))) for id in ids[order])
        shown = (term for term in ranked if not (without_strings and term.startswith(CHAR_MARK)))
        yield list(islice(shown, top))


def signed_g2(
    inside: NDArray[Any], class_tokens: int, everywhere: NDArray[Any], tokens: int
) -> NDArray[np.float64]:
    r"""Return the log-likelihood ratio of terms inside a class versus outside.

    The statistic of two binomials versus one, negative for a term that is rarer inside than
    outside:

    .. math:: G^2 = 2 \sum_{i} O_i \log \frac{O_i}{E_i}

    over the four cells of term or other term, inside or outside. Unlike a ratio of frequencies it
    does not favour terms that occur once.

    Parameters
    ----------
    inside : ndarray
        Occurrences of each term inside the class.
    class_tokens : int
        Occurrences of all terms inside the class.
    everywhere : ndarray
        Occurrences of each term in all classes together.
    tokens : int
        Occurrences of all terms in all classes together.

    Returns
    -------
    ndarray of float
        The score of each term.

    Examples
    --------
    >>> signed_g2(np.array([10, 5, 0]), 50, np.array([10, 10, 10]), 100).round(1)
    array([ 15.,   0., -15.])
    """
    a = np.asarray(inside, dtype=np.float64)
    b = np.asarray(everywhere, dtype=np.float64) - a
    observed = np.stack([a, b, class_tokens - a, tokens - class_tokens - b])
    term = observed[0] + observed[1]
    expected = np.stack(
        [
            term * class_tokens,
            term * (tokens - class_tokens),
            (tokens - term) * class_tokens,
            (tokens - term) * (tokens - class_tokens),
        ]
    ) / max(tokens, 1)
    from scipy.special import xlogy

    ratio = np.divide(observed, expected, out=np.ones_like(observed), where=expected > 0)
    g2 = 2 * xlogy(observed, ratio).sum(axis=0)
    return np.asarray(np.where(observed[0] >= expected[0], g2, -g2))

"""Scores of terms after Yang and Pedersen (1997): pure functions of a tally."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Literal, get_args

import numpy as np

from tallytext.contingency import Floats, Table
from tallytext.selection.gain import Labels, fractional_gain, gain_of_pairs, sum_of_gains
from tallytext.selection.postings import Postings
from tallytext.tally import Tally

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
    ``mi``, ``chi`` and ``prr`` are those of :class:`~tallytext.contingency.Table`. Takes the time
    of reading the cells, however many classes there are.

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
    _expect_taken(method, given)
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


def _expect_taken(method: str, given: Mapping[str, object]) -> None:
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

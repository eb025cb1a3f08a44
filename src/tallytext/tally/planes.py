"""Recipes of fractional planes: how a document enters a sum that is not a plain count."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, fields
from typing import Any, Literal, cast, get_args

import numpy as np
from numpy.typing import NDArray

from tallytext._core import Recipe
from tallytext.errors import RecipeError

TermFrequency = Literal["raw", "log", "binary"]
Norm = Literal["l1", "l2", "poisson", "poisson_mass", "log_length", "log_length_squared"]

UNIT = 2.0**-32
"""What one step of the fixed-point integers of a plane is worth."""

_TFS = get_args(TermFrequency)
_NORMS = (None, *get_args(Norm))


@dataclass(frozen=True)
class Plane:
    r"""The recipe of a plane: each document d adds :math:`\mathrm{tf}(x_{dw})\, s(d)` to word w.

    Sums are kept as 64-bit integers with unit :math:`2^{-32}`. Each document's contribution is
    rounded once, so what was added can be taken away again to the last bit. With
    :math:`x_+ = \sum_w \mathrm{tf}(x_{dw})`,

    ======================  =====================================================
    norm                    :math:`s(d)`
    ======================  =====================================================
    None                    1
    ``l1``                  :math:`1 / x_+`
    ``l2``                  :math:`1 / \sqrt{\sum_w \mathrm{tf}(x_{dw})^2}`
    ``poisson``             :math:`1 / (x_+ + \theta)`
    ``poisson_mass``        :math:`x_+ / (x_+ + \theta)`
    ``log_length``          :math:`\ln(1 + x_+)`
    ``log_length_squared``  :math:`\ln(1 + x_+)^2`
    ======================  =====================================================

    and zero for an empty document under ``l1`` and ``l2``. The scales of the two logarithmic norms
    add up to what a log-normal model of document lengths needs.

    Parameters
    ----------
    tf : {"raw", "log", "binary"}, default="raw"
        x, ln(1 + x), or 1.
    norm : str or None, default=None
        The scale of a document: one of those above.
    theta : float, default=None
        Needed by the Poisson norms, and by no other.
    weighted : bool, default=False
        Multiply by the document's ``sample_weight`` (1 where none is given).
    shared : bool, default=False
        Divide by the document's number of labels (1 if it has none), so that a document with m
        labels weighs 1/m in each of its classes.

    Examples
    --------
    >>> Plane("log", "l2")
    Plane(tf='log', norm='l2', theta=None, weighted=False, shared=False)
    >>> Plane(norm="poisson", theta=10) == Plane(norm="poisson", theta=10.0)
    True
    """

    tf: TermFrequency = "raw"
    norm: Norm | None = None
    theta: float | None = None
    weighted: bool = False
    shared: bool = False

    def __post_init__(self) -> None:
        if self.tf not in _TFS or self.norm not in _NORMS:
            raise RecipeError(f"no such plane: {self!r}. tf is one of {_TFS}, norm of {_NORMS}.")
        if (self.theta is not None) != (self.norm in ("poisson", "poisson_mass")):
            raise RecipeError(f"theta goes with the Poisson norms and with no other, not {self!r}.")
        if self.theta is not None and not 0 < self.theta < math.inf:
            raise RecipeError(f"theta must be positive, not {self.theta}.")

    def native(self) -> Recipe:
        """Return the recipe as the core reads it."""
        theta = 0.0 if self.theta is None else float(self.theta)
        tf, norm = _TFS.index(self.tf), _NORMS.index(self.norm)
        return Recipe(tf, norm, theta, self.weighted, self.shared)

    def to_dict(self) -> dict[str, Any]:
        """Return the recipe as plain values, for a file."""
        return asdict(self)

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> Plane:
        """Read what :meth:`to_dict` wrote.

        Parameters
        ----------
        values : mapping
            What it returned.

        Examples
        --------
        >>> Plane.from_dict(Plane("binary", weighted=True).to_dict())
        Plane(tf='binary', norm=None, theta=None, weighted=True, shared=False)
        """
        theta, weighted = values.get("theta"), values.get("weighted", False)
        shared, names = values.get("shared", False), {field.name for field in fields(cls)}
        if set(values) - names or type(weighted) is not bool or type(shared) is not bool:
            raise RecipeError(f"this is not the recipe of a plane: {dict(values)}")
        if theta is not None and not isinstance(theta, int | float):
            raise RecipeError(f"theta must be a number, not {theta!r}.")
        tf, norm = cast(TermFrequency, values.get("tf")), cast(Norm, values.get("norm"))
        return cls(tf, norm, theta, weighted, shared)


def in_order(planes: Iterable[Plane]) -> tuple[Plane, ...]:
    """Return distinct recipes in an order of their own, so that the order given cannot matter."""
    given = [planes] if isinstance(planes, Plane) else list(planes)
    for plane in given:
        if not isinstance(plane, Plane):
            raise RecipeError(f"planes must be recipes such as Plane('log', 'l2'), not {plane!r}.")
    return tuple(sorted(set(given), key=_rank))


def _rank(plane: Plane) -> tuple[int, int, float, bool, bool]:
    theta = 0.0 if plane.theta is None else plane.theta
    tf, norm = _TFS.index(plane.tf), _NORMS.index(plane.norm)
    return tf, norm, theta, plane.weighted, plane.shared


def check_same(mine: tuple[Plane, ...], theirs: tuple[Plane, ...]) -> None:
    """Refuse tallies whose planes follow different recipes, naming both."""
    if mine != theirs:
        raise RecipeError(
            f"planes of different recipes do not add: {_named(mine)} here, {_named(theirs)} there. "
            "Tally both with the same planes=."
        )


def _named(planes: tuple[Plane, ...]) -> str:
    return " and ".join(map(repr, planes)) or "none"


@dataclass(frozen=True)
class PlaneTotals:
    """The sums of one plane.

    Attributes
    ----------
    terms : ndarray of shape (n_terms,)
        Over all documents, each once, by the ids of the vocabulary.
    classes : ndarray of shape (n_classes,)
        Over all terms, in the order of ``classes``.
    total : float
        Over all terms and documents.
    class_scales : ndarray of shape (n_classes,)
        The sum of s(d) over the documents of each class.
    scale : float
        The sum of s(d) over all documents.
    """

    terms: NDArray[np.float64]
    classes: NDArray[np.float64]
    total: float
    class_scales: NDArray[np.float64]
    scale: float

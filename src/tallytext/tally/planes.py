"""Recipes of fractional planes: sums over documents that are not plain counts."""

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
"""The value of one step of the fixed-point integers of a plane."""

# The core knows each by its position here.
_TFS = get_args(TermFrequency)
_NORMS = (None, *get_args(Norm))


@dataclass(frozen=True)
class Plane:
    r"""The recipe of a plane: each document d adds :math:`\mathrm{tf}(x_{dw})\, s(d)` to word w.

    Sums are 64-bit integers with unit :math:`2^{-32}`. Each document's contribution is rounded
    once, so subtracting it later is exact. With :math:`x_+ = \sum_w \mathrm{tf}(x_{dw})`,

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

    and zero for an empty document under ``l1`` and ``l2``. The sums of the two logarithmic scales
    are the sufficient statistics of a log-normal model of document lengths.

    Parameters
    ----------
    tf : {"raw", "log", "binary"}, default="raw"
        x, ln(1 + x), or 1.
    norm : str or None, default=None
        The scale of a document: one of the norms above.
    theta : float, default=None
        Required by the Poisson norms, and not allowed with any other.
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
            raise RecipeError(
                f"theta belongs to the Poisson norms, and only to them, not to {self!r}."
            )
        if self.theta is not None and not 0 < self.theta < math.inf:  # nor NaN
            raise RecipeError(f"theta must be positive, not {self.theta}.")

    def native(self) -> Recipe:
        """Return the recipe in the form that the native core reads."""
        theta = 0.0 if self.theta is None else float(self.theta)
        tf, norm = _TFS.index(self.tf), _NORMS.index(self.norm)
        return Recipe(tf, norm, theta, self.weighted, self.shared)

    def to_dict(self) -> dict[str, Any]:
        """Return the recipe as JSON values, for a file."""
        return asdict(self)

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> Plane:
        """Return the recipe with the values of :meth:`to_dict`.

        Parameters
        ----------
        values : mapping
            The values.

        Examples
        --------
        >>> Plane.from_dict(Plane("binary", weighted=True).to_dict())
        Plane(tf='binary', norm=None, theta=None, weighted=True, shared=False)
        """
        theta, weighted = values.get("theta"), values.get("weighted", False)
        # An unknown key would give the sums another meaning, so it must not be ignored.
        shared, names = values.get("shared", False), {field.name for field in fields(cls)}
        if set(values) - names or type(weighted) is not bool or type(shared) is not bool:
            raise RecipeError(f"this is not the recipe of a plane: {dict(values)}")
        if theta is not None and not isinstance(theta, int | float):
            raise RecipeError(f"theta must be a number, not {theta!r}.")
        tf, norm = cast(TermFrequency, values.get("tf")), cast(Norm, values.get("norm"))
        return cls(tf, norm, theta, weighted, shared)


def sort_planes(planes: Iterable[Plane]) -> tuple[Plane, ...]:
    """Return the distinct recipes, sorted, so that the order given does not matter."""
    given = [planes] if isinstance(planes, Plane) else list(planes)
    for plane in given:
        if not isinstance(plane, Plane):
            raise RecipeError(f"planes must be recipes such as Plane('log', 'l2'), not {plane!r}.")
    return tuple(
        sorted(
            set(given),
            # None and numbers do not compare, so names go by their positions and None by 0, which
            # no theta can be.
            key=lambda plane: (
                _TFS.index(plane.tf),
                _NORMS.index(plane.norm),
                plane.theta or 0.0,
                plane.weighted,
                plane.shared,
            ),
        )
    )


def different_planes_error(mine: tuple[Plane, ...], theirs: tuple[Plane, ...]) -> RecipeError:
    """Return the error for adding or subtracting tallies whose planes differ."""
    here, there = (" and ".join(map(repr, planes)) or "none" for planes in (mine, theirs))
    return RecipeError(
        "tallies with different planes cannot be added or subtracted: "
        f"{here} here, {there} there. Tally both with the same planes=."
    )


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

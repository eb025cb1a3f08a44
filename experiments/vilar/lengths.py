"""Distributions of document lengths, one for each class."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import gammaln

Floats = NDArray[np.float64]

_LEAST_VARIANCE = 1e-3


def lengths_of(matrix: Any) -> Floats:
    """Return the number of words of each document.

    Examples
    --------
    >>> lengths_of(np.array([[1, 2], [0, 4]]))
    array([3., 4.])
    """
    return np.asarray(matrix.sum(axis=1), dtype=np.float64).ravel()


@dataclass(frozen=True)
class Moments:
    """Mean and variance of a number in each class, drawn to those of all by one document."""

    mean: Floats
    variance: Floats

    @classmethod
    def of(cls, values: Floats, number: NDArray[Any], n_classes: int) -> Moments:
        """Return the moments of each class.

        Examples
        --------
        >>> Moments.of(np.array([1.0, 3.0, 2.0]), np.array([0, 0, 1]), 2).mean
        array([2., 2.])
        """
        n = np.bincount(number, minlength=n_classes) + 1.0
        mean = (np.bincount(number, values, n_classes) + values.mean()) / n
        square = (np.bincount(number, values**2, n_classes) + (values**2).mean()) / n
        return cls(mean, np.maximum(square - mean**2, _LEAST_VARIANCE))


def log_normal(lengths: Floats, number: NDArray[Any], n_classes: int, asked: Floats) -> Floats:
    """Return log p(length | class) of lengths that are asked for, from those of known classes."""
    found = Moments.of(np.log1p(lengths), number, n_classes)
    away = np.log1p(asked)[:, None] - found.mean
    return -0.5 * (np.log(2 * np.pi * found.variance) + away**2 / found.variance)


def negative_binomial(
    lengths: Floats, number: NDArray[Any], n_classes: int, asked: Floats
) -> Floats:
    r"""Return the same of a negative binomial with the mean and variance of each class.

    .. math:: p(x) = \frac{\Gamma(x + r)}{\Gamma(r)\, x!} (1 - q)^r q^x, \qquad
              r = \frac{\mu^2}{\sigma^2 - \mu}, \quad q = \frac{\mu}{\mu + r}
    """
    found = Moments.of(lengths, number, n_classes)
    mean = np.maximum(found.mean, 1e-3)
    # A variance below the mean is no negative binomial: nearly Poisson then.
    r = mean**2 / np.maximum(found.variance - mean, 1e-3 * mean)
    x = asked[:, None]
    shared = gammaln(x + r) - gammaln(r) - gammaln(x + 1)
    return shared + r * np.log(r / (r + mean)) + x * np.log(mean / (r + mean))


DISTRIBUTIONS = {"log_normal": log_normal, "negative_binomial": negative_binomial}

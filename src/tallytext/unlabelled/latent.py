"""Directions in which documents differ most: the leading right singular vectors of a matrix."""

from __future__ import annotations

import numpy as np
from scipy import linalg

from tallytext.products import Products
from tallytext.smoothing.base import Numbers

_MORE = 10  # directions looked at besides those that are kept
_CLOSE = 1e-8  # squared lengths of columns, made orthogonal, that are as good as nothing


def leading_directions(products: Products, k: int, n_steps: int = 3, seed: int = 0) -> Numbers:
    """Return the first k right singular vectors, about, in columns.

    By random directions that are brought towards the leading ones ``n_steps`` times. There are
    fewer where the matrix has fewer rows or columns, or where nothing is left of it.

    Examples
    --------
    >>> products = Products(np.diag([3.0, 2.0, 0.0]))
    >>> abs(leading_directions(products, 2).round(6))
    array([[1., 0.],
           [0., 1.],
           [0., 0.]])
    """
    n_rows, n_columns = products.shape
    width = min(k + _MORE, n_rows, n_columns)
    if not width:
        return np.zeros((n_columns, 0))
    found: Numbers = np.random.default_rng(seed).standard_normal((n_columns, width))
    for _ in range(n_steps):
        found = _orthogonal(products.transposed_times(products.times(found)))
    images = products.times(found)
    values, turns = linalg.eigh(images.T @ images)
    first = np.argsort(-values, kind="stable")[:k]
    first = first[values[first] > 1e-12 * max(values.max(initial=0.0), 1e-300)]
    return np.ascontiguousarray(found @ turns[:, first])


def unit_rows(rows: Numbers) -> Numbers:
    """Return rows of length one; those of zeros as they are."""
    lengths = np.sqrt(np.einsum("ij,ij->i", rows, rows))
    return rows / np.where(lengths > 0, lengths, 1.0)[:, None]


def _orthogonal(columns: Numbers) -> Numbers:
    """Return orthogonal columns of length one that span the same space."""
    values, turns = linalg.eigh(columns.T @ columns)
    if values[0] > _CLOSE * values[-1]:
        return columns @ (turns / np.sqrt(values))
    # Columns that nearly depend on each other would lose digits so; otherwise it is much faster.
    return linalg.qr(columns, mode="economic", check_finite=False)[0]

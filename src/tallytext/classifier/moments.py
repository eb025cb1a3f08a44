"""Answers in several pieces, between which another thread may have learned."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray


class Said(NamedTuple):
    """A number for each document and class, and which classes these are."""

    values: NDArray[Any]
    classes: NDArray[Any]


def joined(parts: list[Said], missing: float) -> Said:
    """Return all parts, for the classes of the last.

    Parameters
    ----------
    parts : list of Said
    missing : float
        What is said of a class that was not there yet.

    Examples
    --------
    >>> before = Said(np.array([[1.0]]), np.array(["sky"]))
    >>> after = Said(np.array([[0.3, 0.7]]), np.array(["sea", "sky"]))
    >>> joined([before, after], 0.0).values
    array([[0. , 1. ],
           [0.3, 0.7]])
    """
    classes = parts[-1].classes
    return Said(np.concatenate([_for(classes, part, missing) for part in parts]), classes)


def _for(classes: NDArray[Any], part: Said, missing: float) -> NDArray[Any]:
    if np.array_equal(classes, part.classes):
        return part.values
    place = {label: at for at, label in enumerate(part.classes.tolist())}
    padded = np.hstack([part.values, np.full((len(part.values), 1), missing)])
    arranged: NDArray[Any] = padded[:, [place.get(label, -1) for label in classes.tolist()]]
    return arranged

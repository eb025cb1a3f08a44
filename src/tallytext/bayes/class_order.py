"""The order of classes that a model shows, whatever the order they arrived in."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tallytext.labels import Label, array_of_labels, sort_labels
from tallytext.tally import Tally


@dataclass(frozen=True)
class ClassOrder:
    """Classes sorted by label.

    Attributes
    ----------
    classes : ndarray
        The labels.
    sources : ndarray of int
        The tally's number of each class, -1 for one that was only announced.
    places : ndarray of int
        The place of each of the tally's numbers.
    """

    classes: NDArray[Any]
    sources: NDArray[np.intp]
    places: NDArray[np.int32]

    @cached_property
    def in_order(self) -> bool:
        """Whether the tally's numbers ascend in this order."""
        return bool((np.diff(self.sources[self.sources >= 0]) > 0).all())

    @cached_property
    def as_numbered(self) -> bool:
        """Whether this is the tally's own order, with nothing left out or added."""
        return np.array_equal(self.sources, np.arange(len(self.places)))

    def arrange(self, values: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return values by the tally's numbers (along the last axis) in this order."""
        if self.as_numbered:
            return values
        padded = np.concatenate([values, np.zeros((*values.shape[:-1], 1), np.int64)], axis=-1)
        arranged: NDArray[np.int64] = padded[..., self.sources]
        return arranged


class Ordering:
    """Keeps the order until the set of classes changes.

    Parameters
    ----------
    announced : iterable of labels
        Classes to show even while they have no document.
    """

    def __init__(self, announced: Iterable[Label] = ()) -> None:
        self.announced = list(dict.fromkeys(announced))
        self._known: tuple[NDArray[np.bool_], ClassOrder] | None = None

    def of(self, tally: Tally, class_documents: NDArray[np.int64]) -> ClassOrder:
        """Return the order of the classes that have a document or were announced."""
        live, known = class_documents > 0, self._known
        if known is None or not np.array_equal(known[0], live):
            known = live, _order_of(tally.label_names, live, self.announced)
            self._known = known
        return known[1]


def _order_of(names: list[Label], live: NDArray[np.bool_], announced: list[Label]) -> ClassOrder:
    numbers = {names[id]: int(id) for id in np.flatnonzero(live)}
    shown = sort_labels({**dict.fromkeys(announced, -1), **numbers})
    sources = np.array([numbers.get(label, -1) for label in shown], dtype=np.intp)
    places = np.zeros(len(live), dtype=np.int32)
    places[sources[sources >= 0]] = np.flatnonzero(sources >= 0)
    return ClassOrder(array_of_labels(shown), sources, places)

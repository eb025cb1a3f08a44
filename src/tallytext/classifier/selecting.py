"""Which terms a classifier reads: all of them, or those that a selector chose."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from tallytext.errors import FileError
from tallytext.planes import Plane
from tallytext.selection import TermSelector
from tallytext.settings import estimator_from, settings_of
from tallytext.tally import Tally

_PREFIX = "selection."


def selector_for(select: Any) -> TermSelector | None:
    """Return what chooses terms, as the settings of a classifier say; None for nothing.

    Examples
    --------
    >>> selector_for("chi"), selector_for(None)
    (TermSelector(method='chi'), None)
    """
    if select is None:
        return None
    selector = TermSelector(cast(Any, select)) if isinstance(select, str) else select
    if not isinstance(selector, TermSelector):
        raise TypeError(f"select must be a TermSelector or the name of a score, not {select!r:.80}")
    selector = clone(selector)
    selector._expect_parameters()
    return selector


def planes_to_select(selector: TermSelector | None) -> list[Plane]:
    """Return what a selector reads that is no whole count: shares of documents with many labels."""
    fractional = (
        selector is not None and selector.method == "ig" and selector.labels in (None, "fractional")
    )
    return [Plane("binary", shared=True)] if fractional else []


def masked_tally(tally: Tally, selector: TermSelector | None) -> Tally:
    """Return the counts of the terms that a selector chooses by these very counts."""
    return tally if selector is None else tally.mask(clone(selector).fit_tally(tally).best_)


def parts_of_selection(selector: TermSelector | None) -> tuple[dict[str, NDArray[Any]], Any]:
    """Return what was chosen, for a file: arrays, and a part of the header."""
    if selector is None:
        return {}, None
    arrays = {
        _PREFIX + "scores": selector.scores_,
        _PREFIX + "documents": selector.documents_.astype(np.int64),
        _PREFIX + "best": selector.best_.astype(np.int64),
    }
    return arrays, {"selector": settings_of(selector), "open": selector.open_}


def selection_from(
    stored: Any, arrays: Mapping[str, NDArray[Any]], tally: Tally
) -> TermSelector | None:
    """Read what :func:`parts_of_selection` wrote.

    Raises
    ------
    FileError
        If no such terms could have been chosen.
    """
    if stored is None:
        return None
    if not isinstance(stored, Mapping) or stored.keys() != {"selector", "open"}:
        raise FileError(f"this is no choice of terms: {stored!r:.80}")
    selector, is_open = estimator_from(stored["selector"]), stored["open"]
    if not isinstance(selector, TermSelector) or type(is_open) is not bool:
        raise FileError(f"this is no choice of terms: {stored!r:.80}")
    kinds = {"scores": np.float64, "documents": np.int64, "best": np.int64}
    parts = {name: np.array(arrays[_PREFIX + name]) for name in kinds}
    if any(parts[name].dtype != kind or parts[name].ndim != 1 for name, kind in kinds.items()):
        raise FileError("the terms that were chosen are not what they should be")
    _expect_choice(parts, len(tally.vocabulary))
    return selector.restored(**parts, vocabulary=tally.vocabulary, open_=is_open)


def _expect_choice(parts: Mapping[str, NDArray[Any]], n_terms: int) -> None:
    scores, documents, best = parts["scores"], parts["documents"], parts["best"]
    sound = len(scores) == len(documents) <= n_terms and not np.isnan(scores).any()
    sound = sound and bool((documents >= 0).all() and len(np.unique(best)) == len(best))
    if not sound or (len(best) and not 0 <= best.min() <= best.max() < len(scores)):
        raise FileError("the terms that were chosen do not fit the counts")

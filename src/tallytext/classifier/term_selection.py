"""Which terms a classifier reads: all of them, or those that a selector chose."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, TypeAlias, cast

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from tallytext.classifier.registry import Learner
from tallytext.errors import FileError, NotAdditiveError
from tallytext.features.selector import TermSelector
from tallytext.models.parameters import estimator_from, settings_of
from tallytext.tally.planes import Plane
from tallytext.tally.tally import Tally

if TYPE_CHECKING:
    from tallytext.features.l1 import L1Selector

Selector: TypeAlias = "TermSelector | L1Selector"

_PREFIX = "selection."


def selector_for(select: Any) -> Selector | None:
    """Return what chooses terms, as the settings of a classifier say; None for nothing.

    Examples
    --------
    >>> selector_for("chi"), selector_for(None)
    (TermSelector(method='chi'), None)
    """
    if select is None:
        return None
    selector = TermSelector(cast(Any, select)) if isinstance(select, str) else select
    if not isinstance(selector, TermSelector) and not _is_l1(selector):
        raise TypeError(
            f"select must be a TermSelector, an L1Selector or the name of a score, not "
            f"{select!r:.80}."
        )
    selector = clone(selector)
    selector._check_parameters()
    return selector


def _is_l1(selector: Any) -> bool:
    if type(selector).__name__ != "L1Selector":
        return False  # what it is need not be imported to tell
    from tallytext.features.l1 import L1Selector

    return isinstance(selector, L1Selector)


def check_documents(selector: Selector | None, learners: Iterable[Learner]) -> None:
    """Refuse to choose terms by documents for models that are functions of sums.

    Raises
    ------
    NotAdditiveError
    """
    if selector is None or isinstance(selector, TermSelector):
        return
    if any(learner.additive for learner in learners):
        raise NotAdditiveError(
            f"{type(selector).__name__} looks at documents, and this model at sums of them: name a "
            'learner that is trained on documents, such as model="refined", or select terms by a '
            'score, as in select="chi".'
        )


def planes_to_select(selector: Selector | None) -> list[Plane]:
    """Return what a selector reads that is no whole count: shares of documents with many labels."""
    fractional = (
        isinstance(selector, TermSelector)
        and selector.method == "ig"
        and selector.labels in (None, "fractional")
    )
    return [Plane("binary", shared=True)] if fractional else []


def masked_tally(tally: Tally, selector: Selector | None) -> Tally:
    """Return the counts of the terms that a selector chooses by these very counts."""
    if not isinstance(selector, TermSelector):
        return tally
    return tally.mask(clone(selector).fit_tally(tally).best_)


def parts_of_selection(selector: Selector | None) -> tuple[dict[str, NDArray[Any]], Any]:
    """Return what was chosen, for a file: arrays, and a part of the header."""
    if selector is None:
        return {}, None
    if not isinstance(selector, TermSelector):
        kept = {_PREFIX + "support": selector.get_support()}
        return kept, {"selector": settings_of(selector), "open": True}
    arrays = {
        _PREFIX + "scores": selector.scores_,
        _PREFIX + "documents": selector.documents_.astype(np.int64),
        _PREFIX + "best": selector.best_.astype(np.int64),
    }
    return arrays, {"selector": settings_of(selector), "open": selector.open_}


def selection_from(
    stored: Any, arrays: Mapping[str, NDArray[Any]], tally: Tally
) -> Selector | None:
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
    if type(is_open) is not bool:
        raise FileError(f"this is no choice of terms: {stored!r:.80}")
    if _is_l1(selector):
        return _restored_l1(selector, arrays, len(tally.vocabulary))
    if not isinstance(selector, TermSelector):
        raise FileError(f"{type(selector).__name__} chooses no terms")
    kinds = {"scores": np.float64, "documents": np.int64, "best": np.int64}
    parts = {name: np.array(arrays[_PREFIX + name]) for name in kinds}
    if any(parts[name].dtype != kind or parts[name].ndim != 1 for name, kind in kinds.items()):
        raise FileError("the terms that were chosen are not what they should be")
    _check_choice(parts, len(tally.vocabulary))
    return selector.restored(**parts, vocabulary=tally.vocabulary, open_=is_open)


def _restored_l1(selector: Any, arrays: Mapping[str, NDArray[Any]], n_terms: int) -> Selector:
    support = np.array(arrays[_PREFIX + "support"])
    if support.dtype != bool or support.ndim != 1 or len(support) > n_terms:
        raise FileError("the terms that were chosen are not what they should be")
    restored: Selector = selector.restored(support)
    return restored


def _check_choice(parts: Mapping[str, NDArray[Any]], n_terms: int) -> None:
    scores, documents, best = parts["scores"], parts["documents"], parts["best"]
    sound = len(scores) == len(documents) <= n_terms and not np.isnan(scores).any()
    sound = sound and bool((documents >= 0).all() and len(np.unique(best)) == len(best))
    if not sound or (len(best) and not 0 <= best.min() <= best.max() < len(scores)):
        raise FileError("the terms that were chosen do not fit the counts")

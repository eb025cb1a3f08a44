"""A tally of selected terms that learns, forgets and merges in step with the tally of all terms."""

from __future__ import annotations

from copy import copy
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tallytext._core import Change
from tallytext._estimators import clone
from tallytext.errors import CountError
from tallytext.features.selector import TermSelector
from tallytext.tally.tally import Tally, Terms


class SelectedTally:
    """A tally of all terms and a tally of the selected terms, which are updated together.

    No counts are lost by selection: documents are learned and forgotten whole, and the counts of
    the selected terms also go into a second tally with its own totals, at the cost of reading the
    document. The second tally is always ``all.mask(ids)``, in every plane: documents keep the
    length and the norm that they had with all their terms.

    Terms that are added after the selection are left out until :meth:`reselect`.

    Parameters
    ----------
    tally : Tally
        The counts so far; not changed.
    selector : TermSelector
        The settings of the selection; not changed.
    documents : sparse matrix of shape (n_documents, n_terms), default=None
        For a selector with ``nonempty``: documents of the tally that must not become empty, see
        :meth:`~tallytext.TermSelector.fit_tally`.

    Examples
    --------
    >>> tally = Tally().learn({"sky": 2, "the": 1}, "X").learn({"sea": 2, "the": 1}, "Y")
    >>> selected = SelectedTally(tally, TermSelector(k=2))
    >>> selected.terms.tolist(), selected.tally
    (['sea', 'sky'], <Tally of 2 documents: 4 tokens, 2 terms, 2 classes>)
    >>> selected.learn({"wave": 1, "sea": 1}, "Y").tally == selected.all.mask(["sea", "sky"])
    True
    """

    def __init__(self, tally: Tally, selector: TermSelector, documents: Any = None) -> None:
        _check_tally(tally)
        if selector.nonempty and documents is None:
            raise CountError(
                "nonempty=True needs single documents, and a tally has only their sums: pass "
                "documents=, or select with nonempty=False."
            )
        self._selector = clone(selector)
        self._all = _followed_copy(tally)
        self.reselect(documents)

    @classmethod
    def from_fitted(cls, tally: Tally, selector: TermSelector) -> Self:
        """Make a selected tally by a fitted selector, without scoring terms again.

        Parameters
        ----------
        tally : Tally
            The counts so far; not changed.
        selector : TermSelector
            Fitted on this vocabulary.

        Examples
        --------
        >>> tally = Tally().learn({"sky": 2, "the": 1}, "X").learn({"sea": 2, "the": 1}, "Y")
        >>> selector = TermSelector(k=2).fit_tally(tally)
        >>> SelectedTally.from_fitted(tally, selector) == SelectedTally(tally, TermSelector(k=2))
        True
        """
        _check_tally(tally)
        made = cls.__new__(cls)
        made.__setstate__({"all": tally, "selector": copy(selector)})
        return made

    @property
    def all(self) -> Tally:
        """The counts of all terms, read-only; :meth:`learn` and :meth:`forget` change them."""
        return self._all

    @property
    def tally(self) -> Tally:
        """The counts of the selected terms, read-only.

        A model of it (``MultinomialNB.from_tally``) is updated by :meth:`learn`, until
        :meth:`reselect` makes another tally.
        """
        follower = self._all.follower
        assert follower is not None
        return follower

    @property
    def selector(self) -> TermSelector:
        """The fitted selector; its scores are those at the time of the selection."""
        return self._selector

    @property
    def ids(self) -> NDArray[np.intp]:
        """The ids of the selected terms, best first."""
        return self._selector.best_.copy()

    @property
    def terms(self) -> NDArray[np.object_]:
        """The selected terms, best first."""
        return self._all.vocabulary.terms(self._selector.best_)

    def learn(
        self,
        documents: Any,
        labels: Any,
        *,
        terms: Terms | None = None,
        sample_weight: ArrayLike | None = None,
    ) -> Self:
        """Add documents, whole, as :meth:`tallytext.Tally.learn` does.

        Parameters
        ----------
        documents : mapping of str to int, or matrix of shape (n_documents, n_terms)
            As for :meth:`tallytext.Tally.learn`.
        labels : label, or sequence
            Their labels.
        terms : Vocabulary, mapping of str to int or sequence of str, default=None
            The names of the columns.
        sample_weight : float or array-like of shape (n_documents,), default=None
            Weights for the planes that are ``weighted``.
        """
        self._all.learn(documents, labels, terms=terms, sample_weight=sample_weight)
        return self

    def forget(
        self,
        documents: Any,
        labels: Any,
        *,
        terms: Terms | None = None,
        sample_weight: ArrayLike | None = None,
    ) -> Self:
        """Subtract documents, whole, as :meth:`tallytext.Tally.forget` does.

        Parameters
        ----------
        documents : mapping of str to int, or matrix of shape (n_documents, n_terms)
            As for :meth:`tallytext.Tally.learn`.
        labels : label, or sequence
            Their labels.
        terms : Vocabulary, mapping of str to int or sequence of str, default=None
            The names of the columns.
        sample_weight : float or array-like of shape (n_documents,), default=None
            The weights that they were learned with.
        """
        self._all.forget(documents, labels, terms=terms, sample_weight=sample_weight)
        return self

    def reselect(self, documents: Any = None) -> Self:
        """Score and select all terms again; :attr:`tally` is a new tally then.

        Parameters
        ----------
        documents : sparse matrix of shape (n_documents, n_terms), default=None
            As for the constructor.
        """
        self._selector.fit_tally(self._all, documents)
        self._follow()
        return self

    def copy(self) -> Self:
        """Return an independent copy with the same terms."""
        other = self.__class__.__new__(self.__class__)
        other.__setstate__(self.__getstate__())
        return other

    def __iadd__(self, other: object) -> Self:
        return self._combine(other, +1)

    def __isub__(self, other: object) -> Self:
        return self._combine(other, -1)

    def __add__(self, other: object) -> Self:
        return self.copy()._combine(other, +1)

    def __sub__(self, other: object) -> Self:
        return self.copy()._combine(other, -1)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, SelectedTally):
            return NotImplemented
        # Sets, because the order by score is that at the time of the selection.
        return self._all == other._all and {*self.terms} == {*other.terms}

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"<SelectedTally of {len(self.ids):,} terms of {self._all!r}>"

    def __getstate__(self) -> dict[str, Any]:
        return {"all": self._all.copy(), "selector": copy(self._selector)}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self._selector, self._all = state["selector"], _followed_copy(state["all"])
        self._follow()

    def _combine(self, other: object, sign: int) -> Self:
        # All counts, because the other tally may have selected other terms.
        theirs = other._all if isinstance(other, SelectedTally) else other
        if not isinstance(theirs, Tally):
            return NotImplemented
        self._all._combine(theirs, sign)
        return self

    def _follow(self) -> None:
        self._all.follow(self._all.mask(self._selector.best_), self._selector.kept_)


class _FollowedTally(Tally):
    """A tally that applies each change to a second tally, too, without some terms."""

    follower: Tally | None = None
    _mask: NDArray[np.uint8]

    def follow(self, tally: Tally, mask: NDArray[np.bool_]) -> None:
        """Apply all changes to a tally of the selected terms, too."""
        # Both tallies number new labels, so they must share one index of labels.
        tally._labels = self._labels
        self.follower, self._mask = tally, mask.view(np.uint8)

    def _apply(self, change: Change, sign: int) -> None:
        super()._apply(change, sign)
        if self.follower is not None:
            # Cannot fail: the change was possible for all counts, so it is for a part of them.
            self.follower._apply(change.masked(self._mask), sign)


def _followed_copy(tally: Tally) -> _FollowedTally:
    own = tally.copy()
    followed = _FollowedTally(own._vocabulary, planes=own._planes)
    followed._native, followed._labels, followed._closed = own._native, own._labels, own._closed
    return followed


def _check_tally(tally: Any) -> None:
    if not isinstance(tally, Tally):
        raise CountError(f"SelectedTally needs the counts of a Tally, not {tally!r:.60}.")

"""A tally of chosen terms that learns, forgets and merges, in step with the tally of all terms."""

from __future__ import annotations

from copy import copy
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import clone

from tallytext._core import Change
from tallytext.errors import CountError
from tallytext.features.selector import TermSelector
from tallytext.tally.tally import Tally, Terms


class SelectedTally:
    """All counts, and those of the chosen terms, which follow each change.

    A mask is a choice of terms, not a loss of counts: documents are learned and forgotten whole,
    and what the chosen terms have of them goes into a second tally with totals of its own, at the
    cost of reading the document. It is always ``all.mask(ids)``, in every plane: documents keep the
    length and the norm that they had with all their terms.

    Terms that come after the choice stay outside until :meth:`reselect`.

    Parameters
    ----------
    tally : Tally
        What was counted so far; it stays as it is.
    selector : TermSelector
        What chooses; it stays as it is, too.

    Examples
    --------
    >>> tally = Tally().learn({"sky": 2, "the": 1}, "X").learn({"sea": 2, "the": 1}, "Y")
    >>> selected = SelectedTally(tally, TermSelector(k=2))
    >>> selected.terms.tolist(), selected.tally
    (['sea', 'sky'], <Tally of 2 documents: 4 tokens, 2 terms, 2 classes>)
    >>> selected.learn({"wave": 1, "sea": 1}, "Y").tally == selected.all.mask(["sea", "sky"])
    True
    """

    def __init__(self, tally: Tally, selector: TermSelector) -> None:
        _check_possible(tally, selector)
        self._selector = clone(selector)
        self._all = _followed(tally)
        self.reselect()

    @classmethod
    def chosen(cls, tally: Tally, selector: TermSelector) -> Self:
        """Return the tally of terms that a fitted selector has chosen before.

        Parameters
        ----------
        tally : Tally
            What was counted so far; it stays as it is.
        selector : TermSelector
            Fitted, on this vocabulary.

        Examples
        --------
        >>> tally = Tally().learn({"sky": 2, "the": 1}, "X").learn({"sea": 2, "the": 1}, "Y")
        >>> selector = TermSelector(k=2).fit_tally(tally)
        >>> SelectedTally.chosen(tally, selector) == SelectedTally(tally, TermSelector(k=2))
        True
        """
        _check_possible(tally, selector)
        made = cls.__new__(cls)
        made.__setstate__({"all": tally, "selector": copy(selector)})
        return made

    @property
    def all(self) -> Tally:
        """The counts of all terms, to be read; they change by :meth:`learn` and its kin."""
        return self._all

    @property
    def tally(self) -> Tally:
        """The counts of the chosen terms, to be read.

        A model of it (``MultinomialNB.from_tally``) knows what is learned here, until
        :meth:`reselect` makes another tally.
        """
        follower = self._all.follower
        assert follower is not None
        return follower

    @property
    def selector(self) -> TermSelector:
        """What has chosen: its scores are those of the moment of the choice."""
        return self._selector

    @property
    def ids(self) -> NDArray[np.intp]:
        """The ids of the chosen terms, best first."""
        return self._selector.best_.copy()

    @property
    def terms(self) -> NDArray[np.object_]:
        """The chosen terms, best first."""
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
        """Take documents out, whole, as :meth:`tallytext.Tally.forget` does.

        Parameters
        ----------
        documents : mapping of str to int, or matrix of shape (n_documents, n_terms)
            As for :meth:`tallytext.Tally.learn`.
        labels : label, or sequence
            Their labels.
        terms : Vocabulary, mapping of str to int or sequence of str, default=None
            The names of the columns.
        sample_weight : float or array-like of shape (n_documents,), default=None
            As they were learned with.
        """
        self._all.forget(documents, labels, terms=terms, sample_weight=sample_weight)
        return self

    def reselect(self) -> Self:
        """Score all terms anew, and choose among them: :attr:`tally` is another one then."""
        self._selector.fit_tally(self._all)
        self._follow()
        return self

    def copy(self) -> Self:
        """Return an independent one with the same choice."""
        other = self.__class__.__new__(self.__class__)
        other.__setstate__(self.__getstate__())
        return other

    def __iadd__(self, other: object) -> Self:
        return self._combined(other, +1)

    def __isub__(self, other: object) -> Self:
        return self._combined(other, -1)

    def __add__(self, other: object) -> Self:
        return self.copy()._combined(other, +1)

    def __sub__(self, other: object) -> Self:
        return self.copy()._combined(other, -1)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, SelectedTally):
            return NotImplemented
        return self._all == other._all and {*self.terms} == {*other.terms}

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"<SelectedTally of {len(self.ids):,} terms of {self._all!r}>"

    def __getstate__(self) -> dict[str, Any]:
        return {"all": self._all.copy(), "selector": copy(self._selector)}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self._selector, self._all = state["selector"], _followed(state["all"])
        self._follow()

    def _combined(self, other: object, sign: int) -> Self:
        theirs = other._all if isinstance(other, SelectedTally) else other
        if not isinstance(theirs, Tally):
            return NotImplemented
        self._all._combine(theirs, sign)
        return self

    def _follow(self) -> None:
        self._all.follow(self._all.mask(self._selector.best_), self._selector.kept_)


class _Followed(Tally):
    """A tally whose changes go, without some terms, into another one too."""

    follower: Tally | None = None
    _kept: NDArray[np.uint8]

    def follow(self, tally: Tally, kept: NDArray[np.bool_]) -> None:
        """Have a tally of the kept terms follow from now on."""
        # Numbers of labels are handed out by either, so that there must be one list of them.
        tally._labels = self._labels
        self.follower, self._kept = tally, kept.view(np.uint8)

    def _apply(self, change: Change, sign: int) -> None:
        super()._apply(change, sign)
        if self.follower is not None:
            # Cannot fail: what all counts can take, some of them can.
            self.follower._apply(change.masked(self._kept), sign)


def _followed(tally: Tally) -> _Followed:
    own = tally.copy()
    followed = _Followed(own._vocabulary, planes=own._planes)
    followed._native, followed._labels, followed._closed = own._native, own._labels, own._closed
    return followed


def _check_possible(tally: Any, selector: TermSelector) -> None:
    if not isinstance(tally, Tally):
        raise CountError(f"terms are selected of a Tally, not of {tally!r:.60}.")
    if selector.nonempty:
        raise CountError(
            "nonempty=True looks at single documents, and a tally holds their sums only: "
            "select with nonempty=False, or give documents to TermSelector.transform."
        )

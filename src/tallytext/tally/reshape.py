"""Tallies derived from a tally: fewer terms, classes or planes, other classes."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable, Mapping, Sequence, Set
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tallytext.errors import LabelError, UnknownNameError, did_you_mean
from tallytext.labels import Label, LabelIndex, plain, unknown_class
from tallytext.planes import Plane, in_order
from tallytext.tally.statistics import Statistics


class Reshaping(Statistics):
    """Derived tallies. Each is independent, with totals of its own; the vocabulary is shared."""

    def subset(self, classes: Iterable[Label]) -> Self:
        """Keep these classes only.

        The documents of the other classes leave the totals with their class, unless some document
        has several labels: then which documents would be left cannot be known from the sums, and
        the totals (hence every complement and :attr:`n_several`) keep all documents. Documents
        without a label stay. Forgetting a document by the one label left of several then leaves
        :attr:`n_several` as it is, and is refused once no more documents remain than that.

        Parameters
        ----------
        classes : iterable of labels
            The classes.

        Examples
        --------
        >>> from tallytext.tally import Tally
        >>> tally = Tally.from_counts([[1, 0], [1, 2], [0, 3]], ["x", "y", "z"])
        >>> tally.subset(["x", "z"])
        <Tally of 2 documents: 4 tokens, 2 terms, 2 classes>
        """
        tally = self.copy()
        kept = set(tally._class_ids(classes))
        return tally._without([id for id in tally._live_classes().tolist() if id not in kept])

    def drop(self, classes: Iterable[Label]) -> Self:
        """Leave these classes out; the totals are as :meth:`subset` describes.

        Parameters
        ----------
        classes : iterable of labels
            The classes.

        Examples
        --------
        >>> from tallytext.tally import Tally
        >>> Tally.from_counts([[1, 0], [1, 2]], ["x", "y"]).drop(["y"]).classes
        ['x']
        """
        tally = self.copy()
        return tally._without(tally._class_ids(classes))

    def rename(self, names: Mapping[Label, Label]) -> Self:
        """Give classes other labels.

        Parameters
        ----------
        names : mapping of label to label
            Old labels and new ones; others stay.

        Raises
        ------
        LabelError
            If two classes would come to have one label: that is :meth:`merge_classes`.

        Examples
        --------
        >>> from tallytext.tally import Tally
        >>> Tally.from_counts([[1, 0], [1, 2]], ["x", "y"]).rename({"y": "z"}).classes
        ['x', 'z']
        """
        tally = self.copy()
        labels, class_map = tally._renamed(names)
        if len(labels) < tally.n_classes:
            raise LabelError("two classes would have one label; join them with merge_classes.")
        return tally._derived(tally._all_terms(), class_map, labels)

    def merge_classes(self, names: Mapping[Label, Label]) -> Self:
        """Give classes other labels, joining those that come to have one.

        Parameters
        ----------
        names : mapping of label to label
            Old labels and new ones; others stay.

        Raises
        ------
        LabelError
            If documents have several labels: one that has two of the labels joined would count
            twice, and the sums do not tell.

        Examples
        --------
        >>> from tallytext.tally import Tally
        >>> tally = Tally.from_counts([[1, 0], [1, 2], [0, 3]], ["cat", "dog", "oak"])
        >>> merged = tally.merge_classes({"cat": "animal", "dog": "animal"})
        >>> merged.classes, merged.class_documents
        (['animal', 'oak'], array([2, 1]))
        """
        tally = self.copy()
        if tally.n_several:
            raise LabelError(
                f"cannot merge classes: {tally.n_several:,} documents have several labels, and one "
                "with two of the merged labels would be counted twice. Tally the texts anew."
            )
        labels, class_map = tally._renamed(names)
        return tally._derived(tally._all_terms(), class_map, labels)

    def mask(self, terms: ArrayLike | Sequence[str] | Set[str]) -> Self:
        """Keep some terms only; tokens, distinct terms and counts of counts become those of them.

        Documents keep their number and their scale in each plane.

        Parameters
        ----------
        terms : array of bool over the ids of the vocabulary, of ids, or names
            The terms to keep.

        Examples
        --------
        >>> from tallytext.tally import Tally
        >>> tally = Tally.from_counts([[1, 0], [1, 2]], ["x", "y"], ["sea", "sky"])
        >>> tally.mask(["sky"])
        <Tally of 2 documents: 2 tokens, 1 terms, 2 classes>
        """
        tally = self.copy()
        ids = tally._term_ids(terms)
        term_map = np.full(len(tally._vocabulary), -1, dtype=np.int32)
        term_map[ids] = ids
        return tally._derived(term_map, tally._all_classes(), tally._labels)

    def keep_planes(self, planes: Iterable[Plane]) -> Self:
        """Keep these planes only; occurrences and documents stay.

        Parameters
        ----------
        planes : iterable of Plane
            The planes.

        Raises
        ------
        RecipeError
            If one of them is not kept here: it would take the documents to make it.

        Examples
        --------
        >>> from tallytext.tally import Tally
        >>> tally = Tally.from_counts([[1, 0], [1, 2]], ["x", "y"], planes=[Plane("log"), Plane()])
        >>> tally.keep_planes([Plane()]).planes
        (Plane(tf='raw', norm=None, theta=None, weighted=False, shared=False),)
        """
        return self.copy()._with_planes(in_order(planes))

    # Each works on a copy, so that all it reads is of one moment.
    @abstractmethod
    def copy(self) -> Self:
        """Return an independent tally."""

    @abstractmethod
    def _derived(
        self,
        term_map: NDArray[np.int32],
        class_map: NDArray[np.int32],
        labels: LabelIndex,
        leave: bool = False,
    ) -> Self:
        """Return a new tally of terms and classes by their new ids; -1 leaves one out."""

    @abstractmethod
    def _with_planes(self, planes: tuple[Plane, ...]) -> Self:
        """Return a new tally that keeps these planes."""

    def _without(self, ids: list[int]) -> Self:
        class_map = self._all_classes()
        class_map[ids] = -1
        return self._derived(self._all_terms(), class_map, self._labels, leave=not self.n_several)

    def _renamed(self, names: Mapping[Label, Label]) -> tuple[LabelIndex, NDArray[np.int32]]:
        self._class_ids(names)
        new = {plain(old, "class"): plain(new, "class") for old, new in names.items()}
        labels, class_map = LabelIndex(), self._all_classes()
        for id in self._live_classes().tolist():
            name = self._labels.names[id]
            class_map[id] = labels.add(new.get(name, name))
        return labels, class_map

    def _class_ids(self, classes: Iterable[Label]) -> list[int]:
        if isinstance(classes, str):
            raise LabelError(f"classes must be a list of labels, not the string {classes!r}.")
        live = set(self._live_classes().tolist())
        wanted = [(label, self._labels.find(label)) for label in classes]
        for label, id in wanted:
            if id not in live:
                raise unknown_class(label, self.classes)
        return [id for _, id in wanted]

    def _term_ids(self, terms: Any) -> NDArray[np.intp]:
        given = np.asarray(sorted(terms) if isinstance(terms, set | frozenset) else terms)
        if given.ndim != 1:
            raise UnknownNameError("terms must be a mask, ids or names, in one dimension.")
        if given.dtype.kind in "UO":
            return self._ids_of_names([str(name) for name in given])
        if given.size and given.dtype.kind not in "biu":
            raise UnknownNameError(f"terms must be a mask, ids or names, not {given.dtype}.")
        if given.dtype.kind == "b" and len(given) != len(self._vocabulary):
            raise UnknownNameError(
                f"the mask has {len(given):,} entries, the vocabulary {len(self._vocabulary):,}."
            )
        ids = np.flatnonzero(given) if given.dtype.kind == "b" else given.astype(np.intp)
        outside = (ids < 0) | (ids >= len(self._vocabulary))
        if outside.any():
            raise UnknownNameError(f"no term has the id {ids[outside][0]}.")
        return ids

    def _ids_of_names(self, names: list[str]) -> NDArray[np.intp]:
        ids = self._vocabulary.ids(names)
        if (ids < 0).any():
            name = names[int(np.argmin(ids))]
            hint = did_you_mean(name, self._vocabulary)
            raise UnknownNameError(f"there is no term {name!r} here.{hint}")
        return ids.astype(np.intp)

    def _all_terms(self) -> NDArray[np.int32]:
        return np.arange(len(self._vocabulary), dtype=np.int32)

    def _all_classes(self) -> NDArray[np.int32]:
        return np.arange(max(len(self._labels), self._native.n_classes), dtype=np.int32)

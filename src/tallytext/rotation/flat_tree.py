"""Decision trees as flat arrays, which a file can hold and which are checked when it is read."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from tallytext.errors import FileError
from tallytext.parts import float_part, whole_part
from tallytext.smoothing.base import Numbers

Whole = NDArray[np.int64]


@dataclass(frozen=True)
class FlatTree:
    """A decision tree: at each node a question, at each leaf probabilities.

    Attributes
    ----------
    left, right : ndarray of shape (n_nodes,)
        Where to go on if the feature is at most the threshold, and if not. Both are further on
        than the node; at a leaf, both are -1.
    feature : ndarray of shape (n_nodes,)
    threshold : ndarray of shape (n_nodes,)
    leaf : ndarray of shape (n_nodes,)
        The row of the probabilities, -1 for nodes that are no leaves.
    probabilities : ndarray of shape (n_leaves, n_classes)
    """

    left: Whole
    right: Whole
    feature: Whole
    threshold: Numbers
    leaf: Whole
    probabilities: Numbers

    @classmethod
    def of(cls, tree: Any, several: bool) -> Self:
        """Take over a tree that scikit-learn has grown.

        Parameters
        ----------
        tree : DecisionTreeClassifier
            Its classes are 0, 1 and so on; or, for several labels per document, it has an output
            of 0 or 1 for each class.
        several : bool
        """
        nodes = tree.tree_
        left = nodes.children_left.astype(np.int64)
        at_end = left < 0
        leaf = np.where(at_end, np.cumsum(at_end) - 1, -1)
        shares = nodes.value[at_end]
        probabilities = _of_outputs(shares, tree) if several else shares[:, 0]
        return cls(
            left,
            nodes.children_right.astype(np.int64),
            np.where(at_end, 0, nodes.feature).astype(np.int64),
            np.where(at_end, 0.0, nodes.threshold),
            leaf,
            probabilities,
        )

    def predict_proba(self, features: NDArray[np.float32]) -> Numbers:
        """Return the probabilities of the leaf that each document comes to."""
        at = np.zeros(len(features), dtype=np.int64)
        going = np.flatnonzero(self.left[at] >= 0)
        while len(going):
            node = at[going]
            low = features[going, self.feature[node]] <= self.threshold[node]
            at[going] = np.where(low, self.left[node], self.right[node])
            going = going[self.left[at[going]] >= 0]
        return self.probabilities[self.leaf[at]]

    def to_arrays(self) -> dict[str, NDArray[Any]]:
        """Return what the tree consists of."""
        return {
            "left": self.left,
            "right": self.right,
            "feature": self.feature,
            "threshold": self.threshold,
            "probabilities": self.probabilities,
        }

    @classmethod
    def read(cls, arrays: Mapping[str, NDArray[Any]], n_features: int, n_classes: int) -> Self:
        """Read what :meth:`to_arrays` returned.

        Raises
        ------
        FileError
            If this is no tree: a node that leads back, out of the tree, or to where another leads.
        """
        threshold = float_part(arrays, "threshold", (None,))
        n_nodes = len(threshold)
        left, right = (
            whole_part(arrays, name, (n_nodes,), -1, n_nodes) for name in ("left", "right")
        )
        feature = whole_part(arrays, "feature", (n_nodes,), 0, max(n_features, 1))
        _expect_tree(left, right)
        at_end = left < 0
        if not n_features and not at_end.all():
            raise FileError("a tree asks for features, and there are none.")
        probabilities = float_part(arrays, "probabilities", (int(at_end.sum()), n_classes))
        if probabilities.size and (probabilities.min() < 0 or probabilities.max() > 1 + 1e-9):
            raise FileError("a tree has probabilities that are no probabilities.")
        leaf = np.where(at_end, np.cumsum(at_end) - 1, -1)
        return cls(left, right, feature, threshold, leaf, probabilities)


def _of_outputs(shares: Numbers, tree: Any) -> Numbers:
    """Return the share of ones in each output, leaves by outputs."""
    # A tree of one output has its classes by themselves.
    outputs = tree.classes_ if isinstance(tree.classes_, list) else [tree.classes_]
    columns = [np.flatnonzero(classes == 1) for classes in outputs]
    return np.stack([shares[:, out, ones].sum(axis=1) for out, ones in enumerate(columns)], axis=1)


def _expect_tree(left: Whole, right: Whole) -> None:
    if not len(left):
        raise FileError("a tree has no root.")
    inner = np.flatnonzero(left >= 0)
    if ((left < 0) != (right < 0)).any():
        raise FileError("a node of a tree leads somewhere on one side only.")
    if (left[inner] <= inner).any() or (right[inner] <= inner).any():
        raise FileError("a node of a tree leads back.")
    children = np.sort(np.concatenate([left[inner], right[inner]]))
    if not np.array_equal(children, np.arange(1, len(left))):
        raise FileError("a node of a tree is not led to from exactly one other.")

"""The members of a rotation forest as a few large arrays, and back."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tallytext.errors import FileError
from tallytext.parts import expect_parts, float_part, starts_part, whole_part
from tallytext.rotation.blocks import Block, Rotation
from tallytext.rotation.flat_tree import FlatTree

Arrays = Mapping[str, NDArray[Any]]
Pair = tuple[Rotation, FlatTree]

_OF_NODES = ("left", "right", "feature", "threshold")
_NAMES = {*_OF_NODES, "order", "sizes", "ranks", "vectors", "node_starts", "probabilities"}


def arrays_of(members: Sequence[Any]) -> dict[str, NDArray[Any]]:
    """Return the arrays of all members, one after the other; each has as many blocks."""
    blocks = [member.rotation.blocks for member in members]
    trees = [member.classifier.to_arrays() for member in members]
    nodes = [0, *(len(tree["left"]) for tree in trees)]
    return {
        "order": np.stack([np.concatenate([block.terms for block in own]) for own in blocks]),
        "sizes": np.array([[len(block.terms) for block in own] for own in blocks], np.int64),
        "ranks": np.array([[block.vectors.shape[1] for block in own] for own in blocks], np.int64),
        "vectors": np.concatenate([block.vectors.ravel() for own in blocks for block in own]),
        "node_starts": np.cumsum(nodes, dtype=np.int64),
        **{name: np.concatenate([tree[name] for tree in trees]) for name in _OF_NODES},
        "probabilities": np.concatenate([tree["probabilities"] for tree in trees]),
    }


def members_from(arrays: Arrays, n_terms: int, n_classes: int) -> list[Pair]:
    """Read what :func:`arrays_of` returned, each number checked.

    Raises
    ------
    FileError
        If these are not the arrays of a forest on so many terms and classes.
    """
    expect_parts(arrays, _NAMES)
    rotations = _rotations(arrays, n_terms)
    return list(zip(rotations, _trees(arrays, rotations, n_classes), strict=True))


def _rotations(arrays: Arrays, n_terms: int) -> list[Rotation]:
    order = whole_part(arrays, "order", (None, n_terms), 0, n_terms)
    if not len(order) or (np.sort(order, axis=1) != np.arange(n_terms)).any():
        raise FileError("order should have each term once for each tree, of at least one tree.")
    sizes = whole_part(arrays, "sizes", (len(order), None), 1, n_terms + 1)
    ranks = whole_part(arrays, "ranks", sizes.shape, 0, n_terms + 1)
    if (sizes.sum(axis=1) != n_terms).any() or (ranks > sizes).any():
        raise FileError("the blocks of terms do not fit the terms.")
    vectors = float_part(arrays, "vectors", (int((sizes * ranks).sum()),)).astype(np.float32)
    ends = np.cumsum(sizes * ranks).reshape(sizes.shape)
    return [
        _rotation(order[at].astype(np.int32), sizes[at], ranks[at], vectors, ends[at])
        for at in range(len(order))
    ]


def _rotation(
    order: NDArray[Any],
    sizes: NDArray[Any],
    ranks: NDArray[Any],
    vectors: NDArray[Any],
    ends: NDArray[Any],
) -> Rotation:
    blocks, first = [], 0
    for size, rank, end in zip(sizes.tolist(), ranks.tolist(), ends.tolist(), strict=True):
        own = vectors[end - size * rank : end].reshape(size, rank)
        blocks.append(Block(order[first : first + size], own))
        first += size
    return Rotation(tuple(blocks))


def _trees(arrays: Arrays, rotations: list[Rotation], n_classes: int) -> list[FlatTree]:
    n_nodes = len(float_part(arrays, "threshold", (None,)))
    starts = starts_part(arrays, "node_starts", len(rotations), n_nodes)
    for name in _OF_NODES:
        if arrays[name].shape != (n_nodes,):
            raise FileError(f"{name} should have {n_nodes} numbers.")
    probabilities = float_part(arrays, "probabilities", (None, n_classes))
    leaves = np.append(0, np.cumsum(arrays["left"] < 0))
    if leaves[-1] != len(probabilities):
        raise FileError(f"{leaves[-1]} leaves cannot have {len(probabilities)} probabilities.")
    trees = []
    for rotation, first, last in zip(rotations, starts[:-1], starts[1:], strict=True):
        own = {name: arrays[name][first:last] for name in _OF_NODES}
        own["probabilities"] = probabilities[leaves[first] : leaves[last]]
        trees.append(FlatTree.read(own, rotation.n_features, n_classes))
    return trees

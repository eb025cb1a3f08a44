"""Rotation forest: trees on features of blocks of terms, each tree with blocks of its own."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.base import clone
from sklearn.tree import DecisionTreeClassifier, ExtraTreeClassifier
from sklearn.utils import check_random_state
from sklearn.utils.parallel import Parallel, delayed
from sklearn.utils.validation import check_is_fitted

from tallytext._typing import FloatArray
from tallytext._validation import check_whole
from tallytext.errors import FileError
from tallytext.features.smart import WEIGHER_PARTS, Weigher
from tallytext.features.svd import singular_vectors
from tallytext.io.array_checks import check_parts, float_part, starts_part, whole_part
from tallytext.models.trained import Arrays as Arrays_of_trained
from tallytext.models.trained import TrainedClassifier
from tallytext.runtime import progress_bar, thread_count

# ------------------------------------------------------------------------------------------------
# Terms dealt into blocks, and each block reduced to a few features.

Terms = NDArray[np.integer[Any]]


class Block(NamedTuple):
    """Some terms, and the directions among them in which documents differ most.

    Attributes
    ----------
    terms : ndarray of shape (n_terms,)
    vectors : ndarray of shape (n_terms, n_features)
        Right singular vectors; of each, the number of the largest magnitude is positive.
    """

    terms: Terms
    vectors: FloatArray


def deal(n_terms: int, n_blocks: int, random: Any) -> list[Terms]:
    """Deal terms into blocks at random, of sizes that differ by at most one.

    Blocks without a term are left out.

    Examples
    --------
    >>> [len(block) for block in deal(8, 3, np.random.RandomState(0))]
    [3, 3, 2]
    """
    order = random.permutation(n_terms).astype(np.int32)
    return [block for block in np.array_split(order, n_blocks) if len(block)]


@dataclass(frozen=True)
class Rotation:
    r"""Features of documents: for each block of terms, :math:`x_{block} V_r`.

    Examples
    --------
    >>> X = sparse.csc_array([[2.0, 1, 0, 0], [1, 0, 1, 0], [0, 1, 2, 1]])
    >>> rotation = Rotation.of(X, [np.array([0, 1]), np.array([2, 3])], 1, 0)
    >>> rotation.features(X).round(4)
    array([[2.2361, 0.    ],
           [0.8944, 0.9239],
           [0.4472, 2.2304]], dtype=float32)
    """

    blocks: tuple[Block, ...]

    @classmethod
    def of(cls, X: sparse.csc_array[Any], dealt: list[Terms], r: int, random_state: Any) -> Self:
        """Take each block of training documents apart; one of low rank has fewer features."""
        blocks = []
        for terms in dealt:
            found = singular_vectors(X[:, terms], r, random_state, "fast")
            blocks.append(Block(terms, found.right.astype(np.float32)))
        return cls(tuple(blocks))

    @property
    def n_features(self) -> int:
        """How many features documents have."""
        return sum(block.vectors.shape[1] for block in self.blocks)

    def features(self, X: sparse.csc_array[Any]) -> NDArray[np.float32]:
        """Return the features of documents, those of one block after the other.

        Rows are summed one by one, so that a document has the same features in any company.
        """
        found = [X[:, block.terms] @ block.vectors for block in self.blocks]
        return np.concatenate(found, axis=1).astype(np.float32)


# ------------------------------------------------------------------------------------------------
# Decision trees as flat arrays, which a file can hold and which are checked when it is read.

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
    threshold: FloatArray
    leaf: Whole
    probabilities: FloatArray

    @classmethod
    def of(cls, tree: Any, multi_label: bool) -> Self:
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
        probabilities = _of_outputs_of_flat_tree(shares, tree) if multi_label else shares[:, 0]
        return cls(
            left,
            nodes.children_right.astype(np.int64),
            np.where(at_end, 0, nodes.feature).astype(np.int64),
            np.where(at_end, 0.0, nodes.threshold),
            leaf,
            probabilities,
        )

    def predict_proba(self, features: NDArray[np.float32]) -> FloatArray:
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
        _check_tree(left, right)
        at_end = left < 0
        if not n_features and not at_end.all():
            raise FileError("a tree asks for features, and there are none.")
        probabilities = float_part(arrays, "probabilities", (int(at_end.sum()), n_classes))
        if probabilities.size and (probabilities.min() < 0 or probabilities.max() > 1 + 1e-9):
            raise FileError("a tree has probabilities that are no probabilities.")
        leaf = np.where(at_end, np.cumsum(at_end) - 1, -1)
        return cls(left, right, feature, threshold, leaf, probabilities)


def _of_outputs_of_flat_tree(shares: FloatArray, tree: Any) -> FloatArray:
    """Return the share of ones in each output, leaves by outputs."""
    # A tree of one output has its classes by themselves.
    outputs = tree.classes_ if isinstance(tree.classes_, list) else [tree.classes_]
    columns = [np.flatnonzero(classes == 1) for classes in outputs]
    return np.stack([shares[:, out, ones].sum(axis=1) for out, ones in enumerate(columns)], axis=1)


def _check_tree(left: Whole, right: Whole) -> None:
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


# ------------------------------------------------------------------------------------------------
# The members of a rotation forest as a few large arrays, and back.

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
    check_parts(arrays, _NAMES)
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


_TREES = (DecisionTreeClassifier, ExtraTreeClassifier)


class Member(NamedTuple):
    """One classifier of the ensemble, and the features that it looks at."""

    rotation: Rotation
    classifier: Any


class RotationForest(TrainedClassifier):
    r"""An ensemble of classifiers, each on features of its own (Aggarwal, 5.2.7).

    For each classifier the terms are dealt into K blocks at random; each block is reduced to r
    features by latent semantic analysis (the right singular vectors :math:`V_r` of the documents
    with the terms of the block alone, nothing subtracted), a document being
    :math:`x_{block} V_r`; the :math:`K r` features of all blocks train the classifier. What the
    classifiers say, as probabilities, is averaged. Trees on such features are no longer parallel
    to the axes of single words, and differ from each other, which is what an average needs.

    Parameters
    ----------
    n_estimators : int, default=50
        How many classifiers.
    n_blocks : int, default=5
        K.
    n_components : int, default=20
        r. A block of lower rank has fewer features.
    estimator : classifier of scikit-learn, default=None
        None: ``DecisionTreeClassifier(max_features="sqrt")``. It must have ``predict_proba``; for
        several labels per document, learn from an indicator matrix as trees do.
    weighting : str or None, default="ltc"
        How words are weighted, in the letters of SMART; None: not at all.
    multi_label : bool, default=None
        Whether documents may have several labels or none; None: as y has them.
    n_jobs : int, default=None
        Threads; None for all cores.
    verbose : bool, default=None
        Whether to show how far it is; None: where it takes long, on a terminal.
    random_state : int, RandomState or None, default=0
        For the blocks and the classifiers.

    Attributes
    ----------
    classes_ : ndarray
    members_ : list of Member
        Each with its ``rotation`` and its ``classifier``.

    Notes
    -----
    Decision trees are kept as flat arrays, and can be saved; other classifiers cannot. Memory:
    ``n_estimators * n_terms * n_components`` numbers of 32 bits.

    Examples
    --------
    >>> X = [[2, 1, 0, 0], [1, 0, 0, 0], [0, 1, 2, 1], [0, 0, 1, 1]]
    >>> forest = RotationForest(10, n_blocks=2, n_components=1).fit(X, ["X", "X", "Y", "Y"])
    >>> forest.predict([[1, 0, 0, 0], [0, 0, 3, 1]])
    array(['X', 'Y'], dtype='<U1')
    """

    members_: list[Member]
    weigher_: Weigher

    def __init__(
        self,
        n_estimators: int = 50,
        n_blocks: int = 5,
        n_components: int = 20,
        estimator: Any = None,
        weighting: str | None = "ltc",
        *,
        multi_label: bool | None = None,
        n_jobs: int | None = None,
        verbose: bool | None = None,
        random_state: Any = 0,
    ) -> None:
        self.n_estimators = n_estimators
        self.n_blocks = n_blocks
        self.n_components = n_components
        self.estimator = estimator
        self.weighting = weighting
        self.multi_label = multi_label
        self.n_jobs = n_jobs
        self.verbose = verbose
        self.random_state = random_state

    def to_arrays(self) -> tuple[dict[str, NDArray[Any]], dict[str, Any]]:
        """Return what was learned, for a file: arrays by name, and plain values as JSON has them.

        Raises
        ------
        FileError
            If the classifiers are no decision trees.
        """
        check_is_fitted(self)
        if not all(isinstance(member.classifier, FlatTree) for member in self.members_):
            raise FileError(
                f"a RotationForest of {type(self.members_[0].classifier).__name__} cannot be "
                "saved: only decision trees can be kept in a file."
            )
        return {**arrays_of(self.members_), **self.weigher_.to_arrays()}, {}

    def read_arrays(self, arrays: Arrays_of_trained, values: Mapping[str, Any]) -> Self:
        """Become what :meth:`to_arrays` was taken of; ``classes_`` and its kin are set before."""
        if values:
            raise FileError(f"these are not the values of a rotation forest: {values!r:.80}.")
        own = {name: part for name, part in arrays.items() if name not in WEIGHER_PARTS}
        weigher = Weigher.read(arrays, self.weighting, getattr(self, "n_features_in_", None))
        n_terms = len(weigher.frequencies)
        pairs = members_from(own, n_terms, len(self.classes_))
        self.members_ = [Member(*pair) for pair in pairs]
        self.weigher_, self.n_features_in_ = weigher, n_terms
        return self

    def _train(self, X: Any, truth: sparse.csr_array[Any]) -> None:
        self._check_parameters()
        self.weigher_ = Weigher.of(X, self.weighting)
        columns = self.weigher_(X).tocsc()
        wanted = truth.toarray().astype(np.int64) if self.multi_label_ else truth.indices
        seeds = check_random_state(self.random_state).randint(2**31 - 1, size=self.n_estimators)
        parallel = Parallel(thread_count(self.n_jobs), prefer="threads", return_as="generator")
        work = (delayed(self._grown)(columns, wanted, seed) for seed in seeds.tolist())
        self.members_ = []
        with progress_bar("rotation forest", self.n_estimators, self.verbose) as step:
            for member in parallel(work):
                self.members_.append(member)
                step()

    def _grown(self, X: sparse.csc_array[Any], wanted: NDArray[Any], seed: int) -> Member:
        """Train one classifier on blocks of its own."""
        dealt = deal(X.shape[1], self.n_blocks, np.random.RandomState(seed))
        rotation = Rotation.of(X, dealt, self.n_components, seed)
        classifier = self._classifier(seed).fit(_some(rotation.features(X)), wanted)
        if type(classifier) in _TREES:
            return Member(rotation, FlatTree.of(classifier, self.multi_label_))
        return Member(rotation, classifier)

    def _classifier(self, seed: int) -> Any:
        if self.estimator is None:
            return DecisionTreeClassifier(max_features="sqrt", random_state=seed)
        chosen = clone(self.estimator)
        seeded = "random_state" in chosen.get_params(deep=False)
        return chosen.set_params(random_state=seed) if seeded else chosen

    def _decide(self, X: Any) -> FloatArray:
        columns = self.weigher_(X).tocsc()
        total = np.zeros((X.shape[0], len(self.classes_)))
        parallel = Parallel(thread_count(self.n_jobs), prefer="threads", return_as="generator")
        work = (delayed(_said)(member, columns) for member in self.members_)
        for said in parallel(work):
            total += said
        return total / len(self.members_)

    def _odds(self, decisions: FloatArray) -> FloatArray:
        # As if each classifier had a vote, and one more were half for and half against.
        votes = decisions * len(self.members_)
        return np.log(votes + 0.5) - np.log(len(self.members_) - votes + 0.5)

    def _check_parameters(self) -> None:
        for name in ("n_estimators", "n_blocks", "n_components"):
            check_whole(name, getattr(self, name), 1)
        if self.estimator is not None and not hasattr(self.estimator, "predict_proba"):
            raise ValueError(
                f"estimator must be a classifier with predict_proba, not {self.estimator!r:.80}."
            )


def _said(member: Member, X: sparse.csc_array[Any]) -> FloatArray:
    """Return the probability of each class by one classifier."""
    said = member.classifier.predict_proba(_some(member.rotation.features(X)))
    if isinstance(said, list):
        return _of_outputs(said, member.classifier.classes_)
    return np.asarray(said)


def _some(features: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return features, of which a classifier needs at least one."""
    return features if features.shape[1] else np.zeros((len(features), 1), dtype=np.float32)


def _of_outputs(said: list[FloatArray], classes: list[NDArray[Any]]) -> FloatArray:
    """Return the probability of 1 in each output, documents by outputs."""
    each = zip(said, classes, strict=True)
    return np.stack([found[:, own == 1].sum(axis=1) for found, own in each], axis=1)

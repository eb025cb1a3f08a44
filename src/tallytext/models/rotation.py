"""RotationForest: an ensemble of classifiers, each trained on its own random blocks of terms.

:class:`Rotation` computes the features of a classifier, and :class:`FlatTree` is a decision tree in
arrays that a model file can store.
"""

from __future__ import annotations

import math
import zlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any, NamedTuple, Self

import numpy as np
from joblib import Parallel, delayed
from numpy.typing import NDArray
from scipy import sparse

from tallytext._estimators import check_is_fitted, clone
from tallytext._typing import FloatArray
from tallytext._validation import check_random_state, check_whole
from tallytext.errors import FileError
from tallytext.features.svd import truncated_svd
from tallytext.features.tf_idf import TermWeighting
from tallytext.io.array_checks import (
    check_array_names,
    check_float_array,
    check_int_array,
    check_offsets,
)
from tallytext.models.base import ArraysByName, TrainedClassifier
from tallytext.models.packed_rows import max_unpacked_bytes
from tallytext.runtime import preserve_warning_filters, progress_bar, thread_count

IntArray = NDArray[np.integer[Any]]

_NODE_ARRAYS = ("left", "right", "feature", "threshold")
_ARRAY_NAMES = {
    *(*_NODE_ARRAYS, "order", "sizes", "ranks", "vectors", "scales"),
    *("node_starts", "probabilities"),
}
_STEPS = 127  # from zero to the largest element of a singular vector, as whole numbers of 8 bits
_STORED_TYPES = ("int8", "int32", "int64", "float32", "float64")
_ROUNDING = 1e-9  # by which a probability in a leaf may exceed one


class RotationForest(TrainedClassifier):
    r"""An ensemble of classifiers, each trained on its own random blocks of terms.

    For each classifier the terms are partitioned into K blocks at random. Latent semantic analysis
    reduces each block to r features: a document has the features :math:`x_{block} V_r`, where
    :math:`V_r` are the first right singular vectors of the columns of the block, not centred. The
    classifier is trained on the :math:`K r` features of all blocks, and the probabilities of all
    classifiers are averaged (Aggarwal, 5.2.7). Trees on such features are not restricted to splits
    by single words, and they differ from each other, so that their average is more accurate than
    each of them.

    Parameters
    ----------
    n_estimators : int, default=50
        Number of classifiers.
    n_blocks : int, default=5
        K, the number of blocks.
    n_components : int, default=20
        r, the number of features of a block. A block of lower rank has fewer.
    estimator : classifier of scikit-learn, default=None
        A classifier with ``predict_proba``; None for
        ``DecisionTreeClassifier(max_features="sqrt")``. For multi-label documents it must learn
        from an indicator matrix, as trees do.
    weighting : str or None, default="ltc"
        The SMART scheme of the word weights; None for unweighted counts.
    multi_label : bool, default=None
        True if documents may have several labels or none; None to infer it from the labels.
    n_jobs : int, default=None
        Number of threads; None for all cores.
    verbose : bool, default=None
        True to show a progress bar; None to show it on a terminal if training takes long.
    random_state : int, RandomState or None, default=0
        Seed of the blocks and of the classifiers.

    Attributes
    ----------
    classes_ : ndarray
        The labels, sorted.
    members_ : list of Member
        The classifiers, each with its ``rotation`` and its ``classifier``.

    Notes
    -----
    Decision trees are stored as flat arrays, and can be saved in a file; other classifiers cannot.
    The elements of each singular vector are rounded to 1/127 of the largest before the classifier
    is trained, so that the model needs one byte for each of
    ``n_estimators * n_terms * n_components`` elements. A file is compressed, too.

    Examples
    --------
    >>> X = [[2, 1, 0, 0], [1, 0, 0, 0], [0, 1, 2, 1], [0, 0, 1, 1]]
    >>> forest = RotationForest(10, n_blocks=2, n_components=1).fit(X, ["X", "X", "Y", "Y"])
    >>> forest.predict([[1, 0, 0, 0], [0, 0, 3, 1]])
    array(['X', 'Y'], dtype='<U1')
    """

    members_: list[Member]
    term_weighting_: TermWeighting

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
        """Return the fitted state for a file: arrays by name, and values for JSON.

        Raises
        ------
        FileError
            If the classifiers are not decision trees.
        """
        check_is_fitted(self)
        if not all(isinstance(member.classifier, FlatTree) for member in self.members_):
            raise FileError(
                f"a RotationForest of {type(self.members_[0].classifier).__name__} cannot be "
                "saved: a model file can store decision trees only."
            )
        arrays, deflated = deflate_arrays(members_to_arrays(self.members_))
        return {**arrays, **self.term_weighting_.to_arrays()}, {"deflated": deflated}

    def read_arrays(self, arrays: ArraysByName, values: Mapping[str, Any]) -> Self:
        """Restore the state that :meth:`to_arrays` returned; ``classes_`` must be set before.

        Raises
        ------
        FileError
            If the arrays or values are not those of a RotationForest, or contradict each other.
        """
        if values.keys() - {"deflated"}:
            raise FileError(f"these are not the values of a RotationForest: {values!r:.80}.")
        weighting, own = TermWeighting.from_arrays(
            arrays, self.weighting, getattr(self, "n_features_in_", None)
        )
        n_terms = len(weighting.frequencies)
        own = inflate_arrays(own, values["deflated"]) if values else _from_first_format(own)
        self.members_ = members_from_arrays(own, n_terms, len(self.classes_))
        self.term_weighting_, self.n_features_in_ = weighting, n_terms
        return self

    def _train(self, X: Any, truth: sparse.csr_array[Any]) -> None:
        self._check_parameters()
        self.term_weighting_ = TermWeighting.from_documents(X, self.weighting)
        columns = self.term_weighting_(X).tocsc()
        targets = truth.toarray().astype(np.int64) if self.multi_label_ else truth.indices
        seeds = check_random_state(self.random_state).randint(2**31 - 1, size=self.n_estimators)
        parallel = Parallel(thread_count(self.n_jobs), prefer="threads", return_as="generator")
        work = (delayed(self._fit_member)(columns, targets, seed) for seed in seeds.tolist())
        self.members_ = []
        bar = progress_bar("rotation forest", self.n_estimators, self.verbose)
        # Not the Parallel of scikit-learn, whose threads reset the filters of warnings.
        with preserve_warning_filters(), bar as step:
            for member in parallel(work):
                self.members_.append(member)
                step()

    def _fit_member(self, X: sparse.csc_array[Any], targets: NDArray[Any], seed: int) -> Member:
        """Train one classifier on its own blocks."""
        from sklearn.tree import DecisionTreeClassifier, ExtraTreeClassifier

        blocks = random_blocks(X.shape[1], self.n_blocks, np.random.RandomState(seed))
        rotation = Rotation.from_blocks(X, blocks, self.n_components, seed)
        classifier = self._make_classifier(seed).fit(_at_least_one(rotation.features(X)), targets)
        # Only these are known to predict by the arrays of their nodes, and not their subclasses.
        if type(classifier) in (DecisionTreeClassifier, ExtraTreeClassifier):
            return Member(rotation, FlatTree.from_sklearn(classifier, self.multi_label_))
        return Member(rotation, classifier)

    def _make_classifier(self, seed: int) -> Any:
        if self.estimator is None:
            from sklearn.tree import DecisionTreeClassifier

            return DecisionTreeClassifier(max_features="sqrt", random_state=seed)
        classifier = clone(self.estimator)
        has_seed = "random_state" in classifier.get_params(deep=False)
        return classifier.set_params(random_state=seed) if has_seed else classifier

    def _decide(self, X: Any) -> FloatArray:
        columns = self.term_weighting_(X).tocsc()
        total = np.zeros((X.shape[0], len(self.classes_)))
        parallel = Parallel(thread_count(self.n_jobs), prefer="threads", return_as="generator")
        work = (delayed(member.predict_proba)(columns) for member in self.members_)
        with preserve_warning_filters():
            for probabilities in parallel(work):
                total += probabilities
        return total / len(self.members_)

    def predict_proba(self, X: Any) -> FloatArray:
        """Return the average of the probabilities of the classifiers; it can be zero.

        Parameters
        ----------
        X : sparse matrix, sparse array or array-like of shape (n_documents, n_terms)
            Counts.
        """
        return self._decide(self._check_counts(X))

    def predict_log_proba(self, X: Any) -> FloatArray:
        """Return the logarithms of :meth:`predict_proba`; -inf for zero.

        Parameters
        ----------
        X : sparse matrix, sparse array or array-like of shape (n_documents, n_terms)
            Counts.
        """
        with np.errstate(divide="ignore"):
            return np.log(self.predict_proba(X))

    def _odds(self, decisions: FloatArray) -> FloatArray:
        # As if each classifier had one vote, and one more vote were split in halves.
        votes = decisions * len(self.members_)
        return np.log(votes + 0.5) - np.log(len(self.members_) - votes + 0.5)

    def _check_parameters(self) -> None:
        for name in ("n_estimators", "n_blocks", "n_components"):
            check_whole(name, getattr(self, name), 1)
        if self.estimator is not None and not hasattr(self.estimator, "predict_proba"):
            raise ValueError(
                f"estimator must be a classifier with predict_proba, not {self.estimator!r:.80}."
            )


class Member(NamedTuple):
    """One classifier of the ensemble, with the rotation that computes its features."""

    rotation: Rotation
    classifier: Any

    def predict_proba(self, X: sparse.csc_array[Any]) -> FloatArray:
        """Return the probabilities of the classes, documents by classes."""
        found = self.classifier.predict_proba(_at_least_one(self.rotation.features(X)))
        if not isinstance(found, list):
            return np.asarray(found)
        # A multi-label classifier returns a matrix for each class, with columns for 0 and 1.
        outputs = zip(found, self.classifier.classes_, strict=True)
        return np.stack([each[:, values == 1].sum(axis=1) for each, values in outputs], axis=1)


def _at_least_one(features: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return the features, or one feature of zeros if there are none: classifiers need one."""
    return features if features.shape[1] else np.zeros((len(features), 1), dtype=np.float32)


class Block(NamedTuple):
    """A block of terms, and its right singular vectors, rounded.

    Attributes
    ----------
    terms : ndarray of shape (n_terms,)
    vectors : ndarray of int8 of shape (n_terms, n_features)
        The vectors in units of ``scales``. The largest magnitude of each is 127, and positive.
    scales : ndarray of float32 of shape (n_features,)
    """

    terms: IntArray
    vectors: NDArray[Any]
    scales: NDArray[np.float32]

    @classmethod
    def from_vectors(cls, terms: IntArray, vectors: FloatArray) -> Block:
        """Round vectors."""
        largest = np.abs(vectors).max(axis=0, initial=0.0)
        scales = (np.where(largest > 0, largest, 1.0) / _STEPS).astype(np.float32)
        return cls(terms, np.rint(vectors / scales).astype(np.int8), scales)


def random_blocks(n_terms: int, n_blocks: int, random: Any) -> list[IntArray]:
    """Partition terms at random into blocks, each in ascending order, of nearly equal sizes.

    Sizes differ by at most one. There are fewer than ``n_blocks`` blocks if there are fewer terms.

    Examples
    --------
    >>> [len(block) for block in random_blocks(8, 3, np.random.RandomState(0))]
    [3, 3, 2]
    """
    order = random.permutation(n_terms).astype(np.int32)
    return [np.sort(block) for block in np.array_split(order, n_blocks) if len(block)]


@dataclass(frozen=True)
class Rotation:
    r"""Features of documents: :math:`x_{block} V_r` for each block of terms.

    Examples
    --------
    >>> X = sparse.csc_array([[2.0, 1, 0, 0], [1, 0, 1, 0], [0, 1, 2, 1]])
    >>> rotation = Rotation.from_blocks(X, [np.array([0, 1]), np.array([2, 3])], 1, 0)
    >>> rotation.features(X).round(2)
    array([[2.23, 0.  ],
           [0.89, 0.92],
           [0.44, 2.23]], dtype=float32)
    """

    blocks: tuple[Block, ...]

    @classmethod
    def from_blocks(
        cls, X: sparse.csc_array[Any], blocks: list[IntArray], r: int, random_state: Any
    ) -> Self:
        """Decompose each block of columns of the training documents, to at most r features."""
        vectors = (truncated_svd(X[:, terms], r, random_state, "fast").right for terms in blocks)
        pairs = zip(blocks, vectors, strict=True)
        return cls(tuple(Block.from_vectors(*pair) for pair in pairs))

    @property
    def n_features(self) -> int:
        """Number of features of a document."""
        return sum(block.vectors.shape[1] for block in self.blocks)

    def features(self, X: sparse.csc_array[Any]) -> NDArray[np.float32]:
        """Return the features of documents, block after block."""
        # The sparse product sums each row on its own, so that the features of a document are the
        # same to the last bit in any batch.
        features = [X[:, block.terms] @ block.vectors * block.scales for block in self.blocks]
        return np.concatenate(features, axis=1).astype(np.float32)


@dataclass(frozen=True)
class FlatTree:
    """A decision tree in arrays with one element per node.

    Attributes
    ----------
    left, right : ndarray of shape (n_nodes,)
        The child of each node for documents whose feature is at most the threshold, and the child
        for all others. Children come after their parent; at a leaf both are -1.
    feature : ndarray of shape (n_nodes,)
        The feature that a node compares.
    threshold : ndarray of shape (n_nodes,)
    leaf : ndarray of shape (n_nodes,)
        The number of a leaf, which is its row of ``probabilities``; -1 for other nodes.
    probabilities : ndarray of shape (n_leaves, n_classes)
    """

    left: NDArray[np.int64]
    right: NDArray[np.int64]
    feature: NDArray[np.int64]
    threshold: FloatArray
    leaf: NDArray[np.int64]
    probabilities: FloatArray

    @classmethod
    def from_sklearn(cls, tree: Any, multi_label: bool) -> Self:
        """Copy a tree of scikit-learn.

        Parameters
        ----------
        tree : DecisionTreeClassifier
            Fitted, with the classes 0, 1 and so on; for multi-label documents, with an output of 0
            or 1 for each class.
        multi_label : bool
        """
        nodes = tree.tree_
        left = nodes.children_left.astype(np.int64)
        is_leaf = left < 0
        leaf = np.where(is_leaf, np.cumsum(is_leaf) - 1, -1)
        shares = nodes.value[is_leaf]
        probabilities = _shares_of_ones(shares, tree) if multi_label else shares[:, 0]
        return cls(
            left,
            nodes.children_right.astype(np.int64),
            np.where(is_leaf, 0, nodes.feature).astype(np.int64),
            np.where(is_leaf, 0.0, nodes.threshold),
            leaf,
            probabilities,
        )

    def predict_proba(self, features: NDArray[np.float32]) -> FloatArray:
        """Return the probabilities of the leaf that each document reaches."""
        nodes = np.zeros(len(features), dtype=np.int64)
        # All documents descend one level per iteration, until the last one has reached its leaf.
        active = np.flatnonzero(self.left[nodes] >= 0)
        while len(active):
            node = nodes[active]
            low = features[active, self.feature[node]] <= self.threshold[node]
            nodes[active] = np.where(low, self.left[node], self.right[node])
            active = active[self.left[nodes[active]] >= 0]
        return self.probabilities[self.leaf[nodes]]

    def to_arrays(self) -> dict[str, NDArray[Any]]:
        """Return the arrays that a model file stores; ``leaf`` follows from ``left``."""
        return {
            "left": self.left,
            "right": self.right,
            "feature": self.feature,
            "threshold": self.threshold,
            "probabilities": self.probabilities,
        }

    @classmethod
    def from_arrays(
        cls, arrays: Mapping[str, NDArray[Any]], n_features: int, n_classes: int
    ) -> Self:
        """Read the arrays of :meth:`to_arrays`.

        Raises
        ------
        FileError
            If the arrays are not a tree, or it has features or probabilities that cannot be.
        """
        threshold = check_float_array(arrays, "threshold", (None,))
        n_nodes = len(threshold)
        left, right = (
            check_int_array(arrays, name, (n_nodes,), -1, n_nodes) for name in ("left", "right")
        )
        feature = check_int_array(arrays, "feature", (n_nodes,), 0, max(n_features, 1))
        _check_tree(left, right)
        is_leaf = left < 0
        if not n_features and not is_leaf.all():
            raise FileError(
                "a tree compares features, but its documents have none. Is the file damaged?"
            )
        probabilities = check_float_array(arrays, "probabilities", (int(is_leaf.sum()), n_classes))
        if probabilities.size and (probabilities.min() < 0 or probabilities.max() > 1 + _ROUNDING):
            raise FileError(
                "probabilities of a tree must lie between 0 and 1, but they range from "
                f"{probabilities.min():g} to {probabilities.max():g}. Is the file damaged?"
            )
        leaf = np.where(is_leaf, np.cumsum(is_leaf) - 1, -1)
        return cls(left, right, feature, threshold, leaf, probabilities)


def _shares_of_ones(shares: FloatArray, tree: Any) -> FloatArray:
    """Return the share of ones in each output, leaves by outputs."""
    # With one output, classes_ is an array and not a list of arrays.
    outputs = tree.classes_ if isinstance(tree.classes_, list) else [tree.classes_]
    columns = [np.flatnonzero(classes == 1) for classes in outputs]
    return np.stack([shares[:, out, ones].sum(axis=1) for out, ones in enumerate(columns)], axis=1)


def _check_tree(left: NDArray[np.int64], right: NDArray[np.int64]) -> None:
    if not len(left):
        raise FileError("a tree has no nodes. Is the file damaged?")
    inner = np.flatnonzero(left >= 0)
    if ((left < 0) != (right < 0)).any():
        raise FileError("a node of a tree has one child only. Is the file damaged?")
    if (left[inner] <= inner).any() or (right[inner] <= inner).any():
        raise FileError("a child of a tree comes before its parent. Is the file damaged?")
    children = np.sort(np.concatenate([left[inner], right[inner]]))
    if not np.array_equal(children, np.arange(1, len(left))):
        raise FileError("a node of a tree has not exactly one parent. Is the file damaged?")


def members_to_arrays(members: Sequence[Member]) -> dict[str, NDArray[Any]]:
    """Return the arrays of all members, concatenated; all members have as many blocks."""
    blocks = [member.rotation.blocks for member in members]
    trees = [member.classifier.to_arrays() for member in members]
    nodes = [0, *(len(tree["left"]) for tree in trees)]
    return {
        "order": np.stack([np.concatenate([block.terms for block in own]) for own in blocks]),
        "sizes": np.array([[len(block.terms) for block in own] for own in blocks], np.int64),
        "ranks": np.array([[block.vectors.shape[1] for block in own] for own in blocks], np.int64),
        # Vector by vector: neighbouring numbers are alike, which compresses better.
        "vectors": np.concatenate([block.vectors.T.ravel() for own in blocks for block in own]),
        "scales": np.concatenate([block.scales for own in blocks for block in own]),
        "node_starts": np.cumsum(nodes, dtype=np.int64),
        **{name: np.concatenate([tree[name] for tree in trees]) for name in _NODE_ARRAYS},
        "probabilities": np.concatenate([tree["probabilities"] for tree in trees]),
    }


def deflate_arrays(
    arrays: Mapping[str, NDArray[Any]],
) -> tuple[dict[str, NDArray[Any]], dict[str, Any]]:
    """Compress arrays to bytes; return them, and the type and shape of each array.

    Examples
    --------
    >>> packed, kinds = deflate_arrays({"zeros": np.zeros((9, 1000), np.int8)})
    >>> len(packed["zeros"]) < 100, kinds
    (True, {'zeros': ['int8', 9, 1000]})
    >>> inflate_arrays(packed, kinds)["zeros"].shape
    (9, 1000)
    """
    packed = {name: _deflate(array.tobytes()) for name, array in arrays.items()}
    return packed, {name: [array.dtype.name, *array.shape] for name, array in arrays.items()}


def _deflate(content: bytes) -> NDArray[np.uint8]:
    """Compress bytes, unless so few are left of them that they would be refused as forged."""
    packed = zlib.compress(content)
    if len(content) > max_unpacked_bytes(len(packed)):
        packed = zlib.compress(content, level=0)
    return np.frombuffer(packed, np.uint8)


def inflate_arrays(packed: ArraysByName, kinds: Any) -> dict[str, NDArray[Any]]:
    """Return the arrays that :func:`deflate_arrays` compressed.

    Raises
    ------
    FileError
        If the bytes are damaged, or are not arrays of these types and shapes.
    """
    if not isinstance(kinds, dict) or kinds.keys() != packed.keys():
        raise FileError(f"the arrays of a RotationForest are not those named: {kinds!r:.80}.")
    return {name: _inflate(name, packed[name], kinds[name]) for name in packed}


def _inflate(name: str, packed: NDArray[Any], kind: Any) -> NDArray[Any]:
    fits = isinstance(kind, list) and bool(kind) and kind[0] in _STORED_TYPES
    if not fits or not all(type(size) is int and 0 <= size < 2**40 for size in kind[1:]):
        raise FileError(f"{name} has no type and shape: {kind!r:.80}. Is the file damaged?")
    dtype, shape = np.dtype(kind[0]), tuple(kind[1:])
    n_bytes, inflate = math.prod(shape) * dtype.itemsize, zlib.decompressobj()
    if n_bytes > max_unpacked_bytes(packed.size):
        raise FileError(f"{name}: {packed.size:,} bytes cannot be an array of {n_bytes:,} bytes.")
    try:
        # No more than was announced: a few forged bytes could fill the memory.
        content = inflate.decompress(packed.astype(np.uint8).tobytes(), n_bytes + 1)
    except zlib.error as problem:
        raise FileError(f"{name} cannot be decompressed: {problem}.") from None
    if len(content) != n_bytes or not inflate.eof:
        raise FileError(f"{name} is not an array of {n_bytes} bytes. Is the file damaged?")
    return np.frombuffer(content, dtype).reshape(shape)


def _from_first_format(arrays: ArraysByName) -> dict[str, NDArray[Any]]:
    """Return the arrays of earlier files, which have exact vectors, as those of today."""
    check_array_names(arrays, _ARRAY_NAMES - {"scales"})
    n_vectors = int(np.asarray(arrays["ranks"]).sum())
    return {**arrays, "scales": np.ones(n_vectors, np.float32)}


def members_from_arrays(arrays: ArraysByName, n_terms: int, n_classes: int) -> list[Member]:
    """Read the arrays of :func:`members_to_arrays`.

    A file may be damaged or forged, so that every number is checked.

    Raises
    ------
    FileError
        If the arrays are not those of a forest for n_terms terms and n_classes classes.
    """
    check_array_names(arrays, _ARRAY_NAMES)
    rotations = _read_rotations(arrays, n_terms)
    trees = _read_trees(arrays, rotations, n_classes)
    return [Member(*pair) for pair in zip(rotations, trees, strict=True)]


def _read_rotations(arrays: ArraysByName, n_terms: int) -> list[Rotation]:
    order = check_int_array(arrays, "order", (None, n_terms), 0, n_terms)
    if not len(order) or (np.sort(order, axis=1) != np.arange(n_terms)).any():
        raise FileError(
            "order must have a row for each tree, with each term once. Is the file damaged?"
        )
    sizes = check_int_array(arrays, "sizes", (len(order), None), 1, n_terms + 1)
    ranks = check_int_array(arrays, "ranks", sizes.shape, 0, n_terms + 1)
    if (sizes.sum(axis=1) != n_terms).any() or (ranks > sizes).any():
        raise FileError(
            f"sizes and ranks of blocks do not fit the {n_terms} terms. Is the file damaged?"
        )
    vectors = _read_vectors(arrays, int((sizes * ranks).sum()))
    scales = check_float_array(arrays, "scales", (int(ranks.sum()),)).astype(np.float32)
    blocks = iter(
        _read_blocks(order.ravel().astype(np.int32), sizes.ravel(), ranks.ravel(), vectors, scales)
    )
    return [Rotation(tuple(islice(blocks, sizes.shape[1]))) for _ in order]


def _read_vectors(arrays: ArraysByName, size: int) -> NDArray[Any]:
    vectors = np.asarray(arrays["vectors"])
    if vectors.dtype != np.int8:
        return check_float_array(arrays, "vectors", (size,)).astype(np.float32)
    if vectors.shape != (size,):
        raise FileError(f"vectors must have {size} numbers, but the shape is {vectors.shape}.")
    return vectors


def _read_blocks(
    order: NDArray[Any],
    sizes: NDArray[Any],
    ranks: NDArray[Any],
    vectors: NDArray[Any],
    scales: NDArray[np.float32],
) -> Iterator[Block]:
    # Earlier files have floats, term by term.
    by_vector = vectors.dtype == np.int8
    term = number = vector = 0
    for size, rank in zip(sizes.tolist(), ranks.tolist(), strict=True):
        own = vectors[number : number + size * rank]
        own = own.reshape(rank, size).T if by_vector else own.reshape(size, rank)
        yield Block(order[term : term + size], own, scales[vector : vector + rank])
        term, number, vector = term + size, number + size * rank, vector + rank


def _read_trees(arrays: ArraysByName, rotations: list[Rotation], n_classes: int) -> list[FlatTree]:
    n_nodes = len(check_float_array(arrays, "threshold", (None,)))
    starts = check_offsets(arrays, "node_starts", len(rotations), n_nodes)
    for name in _NODE_ARRAYS:
        if arrays[name].shape != (n_nodes,):
            raise FileError(
                f"{name} must have {n_nodes} numbers, one per node, but its shape is "
                f"{arrays[name].shape}. Is the file damaged?"
            )
    probabilities = check_float_array(arrays, "probabilities", (None, n_classes))
    leaves = np.append(0, np.cumsum(arrays["left"] < 0))
    if leaves[-1] != len(probabilities):
        raise FileError(
            f"probabilities must have {leaves[-1]} rows, one per leaf, but there are "
            f"{len(probabilities)}. Is the file damaged?"
        )
    trees = []
    for rotation, first, last in zip(rotations, starts[:-1], starts[1:], strict=True):
        own = {name: arrays[name][first:last] for name in _NODE_ARRAYS}
        own["probabilities"] = probabilities[leaves[first] : leaves[last]]
        trees.append(FlatTree.from_arrays(own, rotation.n_features, n_classes))
    return trees

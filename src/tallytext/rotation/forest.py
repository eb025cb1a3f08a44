"""Rotation forest: trees on features of blocks of terms, each tree with blocks of its own."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.base import clone
from sklearn.tree import DecisionTreeClassifier, ExtraTreeClassifier
from sklearn.utils import check_random_state
from sklearn.utils.parallel import Parallel, delayed
from sklearn.utils.validation import check_is_fitted

from tallytext.errors import FileError
from tallytext.progress import progress_bar
from tallytext.rotation.blocks import Rotation, deal
from tallytext.rotation.flat_tree import FlatTree
from tallytext.rotation.stored import arrays_of, members_from
from tallytext.smoothing.base import Numbers, expect_whole
from tallytext.threads import thread_count
from tallytext.trained import Arrays, TrainedClassifier
from tallytext.weighting.weigher import WEIGHER_PARTS, Weigher

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

    def read_arrays(self, arrays: Arrays, values: Mapping[str, Any]) -> Self:
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
        self._expect_parameters()
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

    def _decide(self, X: Any) -> Numbers:
        columns = self.weigher_(X).tocsc()
        total = np.zeros((X.shape[0], len(self.classes_)))
        parallel = Parallel(thread_count(self.n_jobs), prefer="threads", return_as="generator")
        work = (delayed(_said)(member, columns) for member in self.members_)
        for said in parallel(work):
            total += said
        return total / len(self.members_)

    def _odds(self, decisions: Numbers) -> Numbers:
        # As if each classifier had a vote, and one more were half for and half against.
        votes = decisions * len(self.members_)
        return np.log(votes + 0.5) - np.log(len(self.members_) - votes + 0.5)

    def _expect_parameters(self) -> None:
        for name in ("n_estimators", "n_blocks", "n_components"):
            expect_whole(name, getattr(self, name), 1)
        if self.estimator is not None and not hasattr(self.estimator, "predict_proba"):
            raise ValueError(
                f"estimator must be a classifier with predict_proba, not {self.estimator!r:.80}."
            )


def _said(member: Member, X: sparse.csc_array[Any]) -> Numbers:
    """Return the probability of each class by one classifier."""
    said = member.classifier.predict_proba(_some(member.rotation.features(X)))
    if isinstance(said, list):
        return _of_outputs(said, member.classifier.classes_)
    return np.asarray(said)


def _some(features: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return features, of which a classifier needs at least one."""
    return features if features.shape[1] else np.zeros((len(features), 1), dtype=np.float32)


def _of_outputs(said: list[Numbers], classes: list[NDArray[Any]]) -> Numbers:
    """Return the probability of 1 in each output, documents by outputs."""
    each = zip(said, classes, strict=True)
    return np.stack([found[:, own == 1].sum(axis=1) for found, own in each], axis=1)

"""Rotation forest: blocks, trees as arrays, files."""

import zlib

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse
from sklearn.linear_model import LogisticRegression
from sklearn.svm import LinearSVC
from sklearn.tree import DecisionTreeClassifier, ExtraTreeClassifier
from sklearn.utils.estimator_checks import parametrize_with_checks

from corpora import column
from oracle import least_squares
from tallytext import RotationForest, SmartWeighting, TextVectorizer
from tallytext.errors import FileError
from tallytext.features.svd import truncated_svd
from tallytext.models.rotation import (
    FlatTree,
    Rotation,
    deflate_arrays,
    inflate_arrays,
    random_blocks,
)
from trained_files import bent, read_back

TOY = sparse.csc_array(np.array([[2.0, 1, 0, 0], [1, 0, 1, 0], [0, 1, 2, 1]]))
SMALL = {"n_estimators": 5, "n_blocks": 3, "n_components": 2}


PUBLISHED = [
    (
        [0, 1],
        [2.449489743, 1.0],
        [0.894427191, 0.4472135955],
        [2.236067977, 0.894427191, 0.4472135955],
    ),
    (
        [2, 3],
        [2.414213562, 0.4142135624],
        [0.9238795325, 0.3826834324],
        [0.0, 0.9238795325, 2.230442497],
    ),
]


@pytest.mark.parametrize(("terms", "values", "first", "features"), PUBLISHED)
def test_a_block_of_the_toy_has_the_published_vectors(terms, values, first, features):
    found = truncated_svd(TOY[:, terms], 2)
    assert_allclose(found.values, values, rtol=1e-6)
    assert_allclose(found.right[:, 0], first, rtol=1e-6)
    assert_allclose(TOY[:, terms] @ found.right[:, 0], features, rtol=1e-6, atol=1e-12)


def test_the_toy_has_the_published_features():
    rotation = Rotation.from_blocks(TOY, [np.array([0, 1]), np.array([2, 3])], 1, 0)
    pooled = [[2.236067977, 0.0], [0.894427191, 0.9238795325], [0.4472135955, 2.230442497]]
    # Elements are rounded to 1/127 of the largest.
    assert_allclose(rotation.features(TOY), pooled, atol=3 * 0.5 / 127)


def test_vectors_are_rounded_to_the_nearest_step():
    X, _ = corpus()
    columns = sparse.csc_array(X.astype(float))
    exact = truncated_svd(columns, 3, 0, "fast").right
    (block,) = Rotation.from_blocks(columns, [np.arange(20)], 3, 0).blocks
    assert block.vectors.dtype == np.int8 and (block.vectors.max(axis=0) == 127).all()
    steps = np.abs(exact).max(axis=0) / 127
    assert (np.abs(block.vectors * block.scales - exact) <= 0.5001 * steps).all()


@given(st.integers(1, 60), st.integers(1, 9), st.integers(0, 99))
def test_blocks_partition_the_terms_into_nearly_equal_sizes(n_terms, n_blocks, seed):
    blocks = random_blocks(n_terms, n_blocks, np.random.RandomState(seed))
    sizes = [len(block) for block in blocks]
    assert len(blocks) == min(n_blocks, n_terms)
    assert max(sizes) - min(sizes) <= 1
    assert_array_equal(np.sort(np.concatenate(blocks)), np.arange(n_terms))


def corpus(n=90, terms=20, classes=3, seed=0):
    rng = np.random.default_rng(seed)
    labels = np.arange(n) % classes
    X = rng.poisson(0.4, (n, terms))
    X[np.arange(n), labels] += rng.poisson(2.0, n)
    return X, labels


@pytest.mark.parametrize("kind", [DecisionTreeClassifier, ExtraTreeClassifier])
@pytest.mark.parametrize("multi_label", [False, True])
@given(seed=st.integers(0, 50))
@settings(max_examples=15)
def test_a_flat_tree_predicts_as_the_tree_of_scikit_learn(kind, multi_label, seed):
    X, labels = corpus(seed=seed)
    X = X.astype(np.float32)
    wanted = np.eye(4, dtype=int)[labels] if multi_label else labels
    tree = kind(random_state=seed, max_leaf_nodes=None if seed % 2 else 9).fit(X, wanted)
    flat = FlatTree.from_sklearn(tree, multi_label)
    said = flat.predict_proba(X + 0.3)
    if multi_label:
        peers = zip(tree.predict_proba(X + 0.3), tree.classes_, strict=True)
        expected = np.stack([own[:, of == 1].sum(axis=1) for own, of in peers], axis=1)
    else:
        expected = tree.predict_proba(X + 0.3)
    assert_array_equal(said, expected)
    assert_array_equal(said[0], least_squares.walk(flat, X[0] + np.float32(0.3)))


def test_a_forest_averages_the_probabilities_of_its_trees():
    X, labels = corpus()
    forest = RotationForest(**SMALL).fit(X, labels)
    weighted = forest.term_weighting_(sparse.csr_array(X)).tocsc()
    said = [
        each.classifier.predict_proba(each.rotation.features(weighted)) for each in forest.members_
    ]
    assert_allclose(forest.decision_function(X), np.mean(said, axis=0))
    assert_allclose(forest.decision_function(X).sum(axis=1), 1.0)
    assert_allclose(forest.predict_proba(X), np.mean(said, axis=0))
    assert_allclose(forest.predict_proba(X).sum(axis=1), 1.0)
    assert_array_equal(np.exp(forest.predict_log_proba(X)) > 0, forest.predict_proba(X) > 0)
    assert (forest.predict(X) == labels).mean() > 0.9


def test_an_even_average_is_an_even_chance():
    forest = RotationForest(**SMALL).fit(*corpus())
    assert_allclose(forest._odds(np.array([0.5])), 0.0, atol=1e-12)
    assert (np.diff(forest._odds(np.linspace(0, 1, 11))) > 0).all()


@pytest.mark.parametrize("estimator", [None, LogisticRegression()], ids=str)
def test_the_number_of_threads_does_not_change_scores(estimator):
    X, labels = corpus()
    one, many = (
        RotationForest(**SMALL, estimator=estimator, n_jobs=n).fit(X, labels) for n in (1, 3)
    )
    assert_array_equal(one.decision_function(X), many.decision_function(X))


def test_the_score_of_a_document_does_not_depend_on_its_batch():
    X, labels = corpus()
    forest = RotationForest(**SMALL).fit(X, labels)
    alone = np.vstack([forest.decision_function(X[[row]]) for row in range(30)])
    assert_array_equal(alone, forest.decision_function(X)[:30])


def test_documents_may_have_several_labels_or_none():
    X, labels = corpus()
    given = [[label, "any"] if label else [] for label in labels.astype(str).astype(object)]
    given = [own if own and own[0] != "0" else [] for own in given]
    forest = RotationForest(**SMALL).fit(X, given)
    assert forest.classes_.tolist() == ["1", "2", "any"]
    truth = np.stack([labels == 1, labels == 2, labels > 0], axis=1)
    assert (forest.predict(X) == truth).mean() > 0.9


def test_a_classifier_without_probabilities_is_refused():
    with pytest.raises(ValueError, match="predict_proba"):
        RotationForest(estimator=LinearSVC()).fit(*corpus())
    with pytest.raises(ValueError, match="n_blocks"):
        RotationForest(n_blocks=0).fit(*corpus())


@pytest.mark.parametrize("multi_label", [False, True])
def test_a_saved_forest_predicts_the_same(multi_label):
    X, labels = corpus()
    forest = RotationForest(**SMALL, multi_label=multi_label).fit(X, labels)
    again = read_back(forest, *forest.to_arrays())
    assert_array_equal(again.decision_function(X), forest.decision_function(X))
    assert_array_equal(again.predict_proba(X), forest.predict_proba(X))


def test_files_of_earlier_versions_can_be_read():
    X, labels = corpus()
    forest = RotationForest(**SMALL).fit(X, labels)
    arrays, values = forest.to_arrays()
    weighting = {name: part for name, part in arrays.items() if name not in values["deflated"]}
    old = inflate_arrays({name: arrays[name] for name in values["deflated"]}, values["deflated"])
    del old["scales"]
    # They have exact vectors of 32 bits, term by term, and nothing is compressed.
    blocks = [block for member in forest.members_ for block in member.rotation.blocks]
    exact = [(block.vectors * block.scales).astype(np.float32).ravel() for block in blocks]
    again = read_back(forest, {**old, "vectors": np.concatenate(exact), **weighting}, {})
    assert_allclose(again.decision_function(X), forest.decision_function(X))


def test_a_file_is_a_small_part_of_exact_vectors():
    X, labels = corpus(n=300, terms=3000)
    arrays, _ = RotationForest(n_estimators=10).fit(X, labels).to_arrays()
    assert sum(part.nbytes for part in arrays.values()) < 10 * 3000 * 20 * 4 / 3


def test_only_trees_can_be_saved():
    forest = RotationForest(**SMALL, estimator=LogisticRegression()).fit(*corpus())
    with pytest.raises(FileError, match="LogisticRegression"):
        forest.to_arrays()


def hostile():
    forest = RotationForest(**SMALL).fit(*corpus())
    packed, values = forest.to_arrays()
    kinds = values["deflated"]
    arrays = inflate_arrays({name: packed[name] for name in kinds}, kinds)
    weighting = {name: part for name, part in packed.items() if name not in kinds}
    inner = int(np.flatnonzero(arrays["left"] >= 0)[1])

    def other(name, at, value):
        part = arrays[name].copy()
        part[at] = value
        return file(bent(arrays, **{name: part}))

    def file(arrays):
        packed, kinds = deflate_arrays(arrays)
        return {**packed, **weighting}, {"deflated": kinds}

    yield forest, packed, {"more": 1}
    yield forest, packed, {"deflated": None}
    for kind in (["int8", 10**6], ["int8", -1], ["object", 1], [], ["int8", 1]):
        yield forest, packed, {"deflated": kinds | {"vectors": kind}}
    yield forest, bent(packed, vectors=packed["vectors"][::-1]), values
    yield forest, *other("left", inner, 0)
    yield forest, *other("left", inner, inner)
    yield forest, *other("left", inner, -1)
    yield forest, *other("left", inner, 10**6)
    yield forest, *other("right", inner, arrays["left"][inner])
    yield forest, *other("feature", inner, 6)
    yield forest, *other("feature", inner, -1)
    yield forest, *other("threshold", inner, np.nan)
    yield forest, *other("probabilities", 0, 2.0)
    yield forest, *other("probabilities", 0, -0.5)
    yield forest, *other("order", (0, 0), arrays["order"][0, 1])
    yield forest, *other("order", (0, 0), 20)
    yield forest, *other("sizes", (0, 0), 8)
    yield forest, *other("ranks", (0, 0), 3)
    yield forest, *other("node_starts", 1, 0)
    yield forest, *other("node_starts", 1, arrays["node_starts"][2])
    for name in sorted(arrays):
        yield forest, *file(bent(arrays, **{name: arrays[name][1:]}))
        yield forest, *file({key: part for key, part in arrays.items() if key != name})
    for name in sorted(packed):
        yield forest, bent(packed, **{name: packed[name][:-1]}), values
        yield forest, {key: part for key, part in packed.items() if key != name}, values


@pytest.mark.parametrize("case", hostile())
def test_damaged_files_are_refused(case):
    with pytest.raises(FileError):
        read_back(*case)


def test_a_small_forest_beats_a_tree_on_a_ninth_of_the_newsgroups():
    texts, labels, split = (column("20ng_bydate", of) for of in ("text", "labels", "split"))
    rows = np.arange(0, len(texts), 9)
    texts, split = texts.take(rows), np.array(split.take(rows).to_pylist())
    labels = np.array([own[0] for own in labels.take(rows).to_pylist()])
    X = TextVectorizer(stop_words="english", min_df=2).fit_transform(texts)
    train, test = np.flatnonzero(split == "train"), np.flatnonzero(split == "test")
    forest = RotationForest(30).fit(X[train], labels[train])
    weighting = SmartWeighting("ltc").fit(X[train])
    tree = DecisionTreeClassifier(random_state=0).fit(weighting.transform(X[train]), labels[train])
    alone = (tree.predict(weighting.transform(X[test])) == labels[test]).mean()
    assert (forest.predict(X[test]) == labels[test]).mean() > alone + 0.05


MODELS = [RotationForest(**SMALL), RotationForest(**SMALL, weighting="lnc")]
FAILING = {
    "check_decision_proba_consistency": "the check gives negative numbers for counts",
    "check_classifiers_multilabel_output_format_predict_proba": "an average can be zero",
}


@parametrize_with_checks(MODELS, expected_failed_checks=lambda model: FAILING)
@pytest.mark.filterwarnings("default")
def test_a_forest_is_an_estimator(estimator, check):
    check(estimator)


def test_an_array_that_holds_next_to_nothing_is_not_inflated_from_a_few_bytes():
    zeros = {"order": np.zeros(2**21, np.int32)}
    packed, kinds = deflate_arrays(zeros)
    assert (inflate_arrays(packed, kinds)["order"] == 0).all()
    few = {"order": np.frombuffer(zlib.compress(zeros["order"].tobytes()), np.uint8)}
    with pytest.raises(FileError, match="cannot be an array of 8,388,608 bytes"):
        inflate_arrays(few, kinds)

"""Fisher's discriminant: directions of points, features of documents."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.pipeline import make_pipeline
from sklearn.tree import DecisionTreeClassifier
from sklearn.utils.estimator_checks import parametrize_with_checks

from tallytext import FisherFeatures
from tallytext.errors import CountError, LabelError
from tallytext.features import fisher_directions
from tallytext.features.fisher import ClassScatter

POINTS = np.array([[2.0, 1], [1, 0], [3, 2], [0, 2], [1, 3], [0, 4]])
CLASSES = np.array([0, 0, 0, 1, 1, 1])


@pytest.mark.parametrize(
    ("gamma", "direction", "unit", "ratio"),
    [
        (0.0, [-1.6, 1.3], [-0.7761140001, 0.6305926251], 5.266666667),
        (0.1, [-1.475261008, 1.207444394], [-0.7738512006, 0.6333674442], 5.266373979),
    ],
)
def test_the_toy_has_the_published_direction(gamma, direction, unit, ratio):
    found = fisher_directions(POINTS, CLASSES, gamma)
    along = found.directions[:, 0]
    assert_allclose(along, direction, rtol=1e-6)
    assert_allclose(along / np.linalg.norm(along), unit, rtol=1e-6)
    assert_allclose(found.ratios, [ratio], rtol=1e-6)


def test_the_toy_has_the_published_scatter():
    scatter = ClassScatter.from_points(POINTS, sparse.csr_array(np.eye(2)[CLASSES]))
    assert_allclose(scatter.means, [[2.0, 1.0], [1 / 3, 3.0]], rtol=1e-6)
    assert_allclose(scatter.within, [[2.666666667, 2.0], [2.0, 4.0]], rtol=1e-6)


def points(n_classes, seed, dimensions=5):
    rng = np.random.default_rng(seed)
    y = np.arange(12 * n_classes) % n_classes
    return rng.normal(size=(len(y), dimensions)) + 2 * rng.normal(size=(n_classes, dimensions))[
        y
    ], y


@given(st.integers(3, 8), st.integers(0, 100), st.sampled_from([0.0, 0.5]))
def test_directions_solve_their_equation(n_classes, seed, gamma):
    X, y = points(n_classes, seed)
    found = fisher_directions(X, y, gamma)
    assert found.directions.shape == (5, min(5, n_classes - 1))
    scatter = ClassScatter.from_points(X, sparse.csr_array(np.eye(n_classes)[y]))
    firm = scatter.within + gamma * np.eye(5)
    rho = np.diag(found.directions.T @ scatter.between_classes @ found.directions)
    left, right = scatter.between_classes @ found.directions, firm @ found.directions * rho
    assert_allclose(left, right, atol=1e-8 * np.abs(left).max())
    assert (np.diff(rho) <= 1e-9 * rho[0]).all()
    total = (X - X.mean(axis=0)).T @ (X - X.mean(axis=0))
    assert_allclose(scatter.within + scatter.between_classes, total)


def test_directions_are_those_of_scikit_learn():
    X, y = points(4, 7)
    peer = LinearDiscriminantAnalysis(solver="eigen").fit(X, y).scalings_[:, :3]
    own = fisher_directions(X, y).directions
    for mine, theirs in zip(own.T, peer.T, strict=True):
        cosine = mine @ theirs / np.linalg.norm(mine) / np.linalg.norm(theirs)
        assert_allclose(abs(cosine), 1.0, rtol=1e-9)


def corpus(n=120, terms=40, classes=4, seed=0):
    rng = np.random.default_rng(seed)
    y = np.arange(n) % classes
    X = rng.poisson(0.3, (n, terms))
    for row, label in enumerate(y):
        X[row, label * 8 : label * 8 + 8] += rng.poisson(0.7, 8)
    return X, y


def test_features_are_the_reduced_documents_along_the_directions():
    X, y = corpus()
    fisher = FisherFeatures(n_lsa=10).fit(X, y)
    features = fisher.transform(X)
    both = FisherFeatures(n_lsa=10, append=True).fit(X, y)
    assert features.shape == (120, 3)
    assert both.transform(X).shape == (120, 13)
    assert_allclose(both.transform(X)[:, 10:], features)
    assert_allclose(both.transform(X)[:, :10] @ fisher.directions_, features)
    assert len(both.get_feature_names_out()) == 13
    assert FisherFeatures(2, n_lsa=10).fit(X, y).transform(X).shape == (120, 2)


def test_a_tree_of_few_questions_does_better_with_them():
    X, y = corpus()
    fresh, wanted = corpus(seed=1)
    tree = DecisionTreeClassifier(max_depth=3, random_state=0)
    plain = tree.fit(X, y).score(fresh, wanted)
    with_them = make_pipeline(FisherFeatures(n_lsa=20), tree).fit(X, y).score(fresh, wanted)
    assert with_them > plain + 0.1


def test_a_document_of_several_classes_counts_in_each():
    X, y = corpus()
    multi_label = [
        [label, (label + 1) % 4] if row % 5 == 0 else [label] for row, label in enumerate(y)
    ]
    twice = np.flatnonzero(np.arange(len(y)) % 5 == 0)
    listed = FisherFeatures(n_lsa=40, weighting=None).fit(X, multi_label)
    truth = np.eye(4)[y]
    truth[twice, (y[twice] + 1) % 4] = 1
    assert_array_equal(
        FisherFeatures(n_lsa=40, weighting=None).fit(X, truth.astype(int)).ratios_, listed.ratios_
    )
    assert listed.ratios_[0] < FisherFeatures(n_lsa=40, weighting=None).fit(X, y).ratios_[0]


def test_invalid_arguments_are_refused():
    X, y = corpus()
    with pytest.raises(LabelError, match="one class"):
        FisherFeatures().fit(X, np.zeros(len(X), dtype=int))
    with pytest.raises(CountError, match="weighting=None"):
        FisherFeatures().fit(-X, y)
    for wrong in ({"n_lsa": 0}, {"ridge": 0.0}, {"n_components": 0}):
        with pytest.raises(ValueError, match=next(iter(wrong))):
            FisherFeatures(**wrong).fit(X, y)


@parametrize_with_checks([FisherFeatures(), FisherFeatures(append=True, weighting=None)])
@pytest.mark.filterwarnings("default")
def test_features_are_an_estimator(estimator, check):
    check(estimator)

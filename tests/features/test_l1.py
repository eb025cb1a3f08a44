"""Selection of terms by an L1 penalty."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse
from sklearn.pipeline import make_pipeline
from sklearn.utils.estimator_checks import parametrize_with_checks

from tallytext import L1Selector, MultinomialNB
from tallytext.errors import CountError, LabelError

TOY = np.array([[2, 1, 0, 0], [1, 0, 1, 0], [0, 1, 2, 1]])
PLAIN = {"weighting": None, "fit_intercept": False}


def test_the_toy_has_the_published_weights():
    selector = L1Selector(l1_lambda=3.0, **PLAIN).fit(TOY, [1, 1, -1])
    assert_allclose(selector.coef_.toarray(), [[0.3, 0, 0, 0]], rtol=1e-6)
    assert_allclose(selector.objective_, [2.55], rtol=1e-6)
    assert_allclose(selector.l1_lambda_max_, 6.0, rtol=1e-6)
    rest = np.array([1, 1, -1]) - TOY @ selector.coef_.toarray()[0]
    assert_allclose(2 * TOY.T @ rest, [3.0, -1.2, -2.6, -2.0], rtol=1e-6)
    assert_array_equal(selector.get_support(indices=True), [0])
    assert_array_equal(selector.transform(TOY), TOY[:, :1])


def corpus(n=80, terms=25, classes=3, seed=0):
    """Counts in which the first terms tell the class, one each, and the others nothing."""
    rng = np.random.default_rng(seed)
    labels = np.arange(n) % classes
    X = rng.poisson(0.3, (n, terms))
    X[np.arange(n), labels] += rng.poisson(3.0, n)
    return X, labels


@pytest.mark.parametrize("intercept", [True, False])
@given(share=st.floats(0.05, 0.9), seed=st.integers(0, 5))
def test_no_weight_can_be_moved_to_make_the_squared_objective_smaller(intercept, share, seed):
    X, labels = corpus(30, 8, seed=seed)
    plain = L1Selector(l1_lambda=1.0, weighting=None, fit_intercept=intercept, tol=1e-10)
    most = plain.fit(X, labels).l1_lambda_max_
    found = plain.set_params(l1_lambda=share * most).fit(X, labels)
    weights = found.coef_.toarray()
    for c, w in enumerate(weights):
        rest = np.where(labels == c, 1.0, -1.0) - X @ w - found.intercept_[c]
        slope = 2 * X.T @ rest
        assert (np.abs(slope) <= share * most * (1 + 1e-3)).all()
        assert_allclose(slope[w != 0], (share * most * np.sign(w))[w != 0], rtol=1e-3)
        if intercept:
            assert_allclose(rest.sum(), 0, atol=1e-6)


@pytest.mark.parametrize("loss", ["squared", "logistic"])
@pytest.mark.parametrize("intercept", [True, False])
def test_terms_come_in_just_below_the_largest_penalty(loss, intercept):
    X, labels = corpus()
    selector = L1Selector(loss, 1.0, fit_intercept=intercept, tol=1e-8)
    most = selector.fit(X, labels).l1_lambda_max_
    above, below = (
        selector.set_params(l1_lambda=most * by).fit(X, labels).get_support().sum()
        for by in (1.02, 0.9)
    )
    assert above == 0 < below


@pytest.mark.parametrize("loss", ["squared", "logistic"])
def test_cross_validation_selects_the_terms_that_separate_classes(loss):
    X, labels = corpus()
    selector = L1Selector(loss, n_lambdas=12).fit(X, labels)
    assert selector.get_support()[:3].all()
    assert selector.l1_lambda_max_ / 1001 < selector.l1_lambda_ < selector.l1_lambda_max_
    assert_allclose(
        selector.cv_losses_.min(), selector.cv_losses_[np.isfinite(selector.cv_losses_)].min()
    )
    assert selector.cv_losses_.min() < selector.cv_losses_[0]


@pytest.mark.parametrize("loss", ["squared", "logistic"])
@pytest.mark.parametrize("wanted", [1, 3, 7])
def test_n_terms_is_the_number_of_selected_terms(loss, wanted):
    X, labels = corpus()
    selector = L1Selector(loss, n_terms=wanted).fit(X, labels)
    assert selector.get_support().sum() == wanted
    sizes = np.abs(selector.coef_.toarray()).max(axis=0)
    kept = selector.get_support()
    assert sizes[kept].min() >= sizes[~kept].max()


def test_terms_of_every_label_of_multi_label_documents_are_selected():
    X, labels = corpus()
    multi_label = L1Selector(l1_lambda=5.0).fit(X, [[str(label)] for label in labels])
    single = L1Selector(l1_lambda=5.0).fit(X, [str(label) for label in labels])
    assert_array_equal(multi_label.coef_.toarray(), single.coef_.toarray())
    assert multi_label.classes_.tolist() == ["0", "1", "2"]


def test_threads_and_the_kind_of_matrix_do_not_change_the_selection():
    X, labels = corpus()
    one, many, rows = (
        L1Selector(n_jobs=n, n_lambdas=8).fit(counts, labels).coef_.toarray()
        for n, counts in ((1, X), (3, X), (1, sparse.csr_array(X)))
    )
    assert_array_equal(one, many)
    assert_array_equal(one, rows)


def test_threads_do_not_share_the_chance_of_logistic_loss():
    chance = np.random.default_rng(0)
    X = chance.poisson(0.15, (300, 400))
    labels = (X[:, :8].argmax(axis=1) + 8 * (X.sum(axis=1) % 2)).tolist()
    alone, *others = (
        L1Selector(l1_lambda=0.3, loss="logistic", n_jobs=n, max_iter=30).fit(X, labels).coef_
        for n in (1, 4, 4, 4)
    )
    for other in others:
        assert_array_equal(alone.toarray(), other.toarray())


def test_a_pipeline_learns_from_the_selected_counts():
    X, labels = corpus()
    pipeline = make_pipeline(L1Selector(n_terms=3), MultinomialNB()).fit(X, labels)
    assert pipeline[-1].n_features_in_ == 3
    assert (pipeline.predict(X) == labels).mean() > 0.8


def test_invalid_arguments_are_refused():
    with pytest.raises(LabelError, match="one class"):
        L1Selector().fit(TOY, ["X"] * 3)
    with pytest.raises(CountError, match="weighting=None"):
        L1Selector().fit(-TOY, [1, 1, 0])
    for wrong in ({"loss": "hinge"}, {"cv": 1}, {"n_terms": 0}, {"l1_lambda": 0.0}):
        with pytest.raises(ValueError, match=next(iter(wrong))):
            L1Selector(**wrong).fit(TOY, [1, 1, 0])


SELECTORS = [
    L1Selector(l1_lambda=1e-3),
    L1Selector(weighting=None, n_terms=2, n_lambdas=5),
    L1Selector("logistic", l1_lambda=1e-3, weighting=None),
]


@parametrize_with_checks(SELECTORS)
@pytest.mark.filterwarnings("default")
def test_a_selector_is_an_estimator(estimator, check):
    check(estimator)

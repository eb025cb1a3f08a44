"""Linear least squares fit: as published, as ridge, in files."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import Ridge
from sklearn.utils.estimator_checks import parametrize_with_checks

from oracle import least_squares
from tallytext import LLSF
from tallytext.errors import FileError
from tallytext.features.tf_idf import TermWeighting
from trained_files import bent, read_back

TOY = np.array([[2, 1, 0, 0], [1, 0, 1, 0], [0, 1, 2, 1]])
QUERIES = np.array([[1, 1, 0, 1], [0, 0, 1, 2], [0, 2, 1, 0]])
LABELS = [["X"], ["X"], ["Y"]]
EXACT = {"tol": 1e-12, "max_iter": 2000}

PUBLISHED = {
    1: (
        [
            [0.5851556764, 0.3203535552, 0.5352318839, 0.1454338795],
            [0.2494358522, 0.1365579542, 0.2281547056, 0.06199448309],
        ],
        [[0.6067622881, 0.2586461595], [0.3974120149, 0.1694058669], [0.548024327, 0.233607774]],
    ),
    2: (
        [
            [1.119389494, 0.3137453339, 0.03872829013, -0.1622552907],
            [-0.3292546316, 0.1437160835, 0.7659752171, 0.3952882377],
        ],
        [[0.7337426427, 0.1210990398], [-0.1200128336, 0.729888611], [0.2898413143, 0.5132756791]],
    ),
    3: (
        [
            [1.194511542, -0.05607916789, 0.2197020199, -0.3159086876],
            [-0.4573603946, 0.7743784627, 0.4573603946, 0.6573136481],
        ],
        [
            [0.4748842721, 0.5625306786],
            [-0.1602812924, 0.7985584853],
            [0.06344153673, 0.8993556216],
        ],
    ),
}


@pytest.mark.parametrize("k", PUBLISHED)
def test_a_truncated_fit_is_the_published_one(k):
    model = LLSF("svd", k, weighting="lnc", multi_label=True).fit(TOY, LABELS)
    weights, scores = PUBLISHED[k]
    values = [1.392281466, 0.8782259838, 0.5387684481]
    assert_allclose(model.singular_values_, values[:k], rtol=1e-6)
    assert_allclose(model.term_weights(range(4)).T, weights, rtol=1e-6)
    assert_allclose(model.decision_function(QUERIES), scores, rtol=1e-6)


@st.composite
def corpora(draw):
    """Counts and labels, of two classes or more."""
    n, terms = draw(st.integers(3, 12)), draw(st.integers(1, 9))
    counts = draw(st.lists(st.integers(0, 3), min_size=n * terms, max_size=n * terms))
    labels = draw(st.lists(st.integers(0, 3), min_size=n - 2, max_size=n - 2))
    return np.array(counts).reshape(n, terms), np.array([0, 1, *labels])


def targets(labels):
    return (labels[:, None] == np.unique(labels)).astype(float)


@pytest.mark.parametrize("intercept", [True, False])
@pytest.mark.parametrize("keep", ["terms", "documents"])
@given(corpus=corpora(), alpha=st.sampled_from([0.1, 1.0, 7.0]))
def test_conjugate_gradients_find_the_closed_form(intercept, keep, corpus, alpha):
    X, labels = corpus
    model = LLSF(
        alpha=alpha,
        weighting=None,
        fit_intercept=intercept,
        keep=keep,
        multi_label=True,
        **EXACT,
    ).fit(X, [[label] for label in labels])
    weights, bias = least_squares.ridge(X, targets(labels), alpha, intercept)
    assert_allclose(model.term_weights(range(X.shape[1])), weights, atol=1e-7)
    assert_allclose(model.decision_function(X), X @ weights + bias, atol=1e-7)


@given(corpus=corpora())
def test_weights_of_terms_and_coefficients_of_documents_give_equal_scores(corpus):
    X, labels = corpus
    primal, dual = (LLSF(keep=keep, **EXACT).fit(X, labels) for keep in ("terms", "documents"))
    assert_allclose(primal.scores(X), dual.scores(X), atol=1e-8)


def test_ridge_is_that_of_scikit_learn():
    rng = np.random.default_rng(0)
    X, labels = rng.poisson(0.4, (60, 30)), rng.integers(0, 5, 60)
    model = LLSF(alpha=2.0, **EXACT).fit(X, labels)
    weighted = TermWeighting.from_documents(sparse.csr_array(X), "ltc")(
        sparse.csr_array(X)
    ).toarray()
    peer = Ridge(alpha=2.0, solver="svd").fit(weighted, targets(labels))
    assert_allclose(model.decision_function(X), peer.predict(weighted), atol=1e-8)


@given(corpus=corpora())
def test_with_all_singular_values_it_is_least_squares(corpus):
    X, labels = corpus
    model = LLSF("svd", 1000, weighting=None, multi_label=True).fit(X, [[y] for y in labels])
    best = np.linalg.lstsq(X.astype(float), targets(labels), rcond=1e-10)[0]
    assert_allclose(model.decision_function(X), X @ best, atol=1e-6)


def test_few_singular_values_of_a_large_matrix_are_those_of_all_of_it():
    rng = np.random.default_rng(1)
    X = sparse.csr_array(rng.random((700, 500)) * (rng.random((700, 500)) < 0.02))
    labels = rng.integers(0, 3, 700)
    model = LLSF("svd", 20, weighting=None).fit(X, labels)
    left, values, right = np.linalg.svd(X.toarray(), full_matrices=False)
    weights = right[:20].T / values[:20] @ (left[:, :20].T @ targets(labels))
    assert_allclose(model.singular_values_, values[:20], rtol=1e-10)
    assert_allclose(model.term_weights(range(500)), weights, atol=1e-8)
    again = LLSF("svd", 20, weighting=None).fit(X, labels)
    assert_array_equal(again.scores(X), model.scores(X))


def wide(n_classes=70, seed=2):
    rng = np.random.default_rng(seed)
    return rng.poisson(0.3, (150, 40)), np.arange(150) % n_classes


def test_the_number_of_threads_does_not_change_scores():
    X, labels = wide()
    one, many = (LLSF(n_jobs=n).fit(X, labels) for n in (1, 4))
    assert_array_equal(one.scores(X), many.scores(X))


def test_the_score_of_a_document_does_not_depend_on_its_batch():
    X, labels = wide(5)
    for model in (LLSF(), LLSF(keep="documents"), LLSF("svd", 7)):
        together = model.fit(X, labels).decision_function(X)
        alone = np.vstack([model.decision_function(X[[row]]) for row in range(20)])
        assert_allclose(alone, together[:20], atol=1e-12)


def test_one_half_is_an_even_chance():
    model = LLSF(multi_label=True).fit(TOY, LABELS)
    assert_array_equal(model.scores(QUERIES) > 0, model.decision_function(QUERIES) > 0.5)
    assert_array_equal(model.predict(QUERIES), model.decision_function(QUERIES) > 0.5)


@pytest.mark.parametrize("model", [LLSF(), LLSF(keep="documents"), LLSF("svd", 2)], ids=str)
def test_contributions_add_up_to_the_score_of_a_class(model):
    model.fit(TOY, ["X", "X", "Y"])
    weights = model._decide(sparse.csr_array(QUERIES[[0]]))[0]
    told = model.explain(QUERIES[0], "X", "Y")
    assert_allclose(told.difference, weights[0] - weights[1])
    added = told.prior + sum(part.value for part in told.contributions)
    assert_allclose(added, told.difference, atol=1e-12)


def test_too_few_steps_warn():
    X, labels = wide(5)
    with pytest.warns(ConvergenceWarning, match="max_iter=1"):
        LLSF(max_iter=1).fit(X, labels)


@pytest.mark.parametrize(
    "wrong",
    [{"solver": "qr"}, {"keep": "all"}, {"alpha": -1}, {"max_iter": 0}, {"n_components": 1.5}],
)
def test_invalid_parameters_are_refused(wrong):
    with pytest.raises(ValueError, match=next(iter(wrong))):
        LLSF(**wrong).fit(TOY, ["X", "X", "Y"])


KEPT = [LLSF(), LLSF(keep="documents"), LLSF("svd", 3), LLSF(weighting=None, multi_label=True)]


@pytest.mark.parametrize("model", KEPT, ids=str)
def test_a_saved_model_predicts_the_same(model):
    X, labels = wide(5)
    model.fit(X, labels)
    again = read_back(model, *model.to_arrays())
    assert_array_equal(again.decision_function(X), model.decision_function(X))


def hostile():
    model = LLSF().fit(*wide(5))
    arrays, values = model.to_arrays()
    weights = arrays["weights"]
    yield model, arrays, {}
    yield model, arrays, {"kept": "everything"}
    yield model, arrays, {"kept": ["terms"]}
    yield model, arrays, {"kept": "factors"}
    yield model, bent(arrays, weights=weights[1:]), values
    yield model, bent(arrays, weights=np.where(weights == weights[0, 0], np.nan, weights)), values
    yield model, bent(arrays, weights=weights.astype(np.int64)), values
    yield model, bent(arrays, bias=arrays["bias"][1:]), values
    yield model, bent(arrays, more=weights), values
    yield model, bent(arrays, document_frequencies=arrays["document_frequencies"] - 1000), values
    yield model, bent(arrays, n_documents=np.array([0])), values
    dual = LLSF(keep="documents").fit(*wide(5))
    arrays, values = dual.to_arrays()
    yield dual, bent(arrays, terms=arrays["terms"] + 1), values
    yield dual, bent(arrays, terms=arrays["terms"] - 1), values
    yield dual, bent(arrays, starts=arrays["starts"][::-1]), values
    yield dual, bent(arrays, starts=arrays["starts"] + 1), values
    yield dual, bent(arrays, values=arrays["values"][1:]), values
    yield dual, bent(arrays, coefficients=arrays["coefficients"][:, 1:]), values


@pytest.mark.parametrize("case", hostile())
def test_damaged_files_are_refused(case):
    with pytest.raises(FileError):
        read_back(*case)


MODELS = [LLSF(), LLSF("svd"), LLSF(keep="documents", weighting="lnc")]
FAILING = {"check_decision_proba_consistency": "the check gives negative numbers for counts"}


@parametrize_with_checks(MODELS, expected_failed_checks=lambda model: FAILING)
@pytest.mark.filterwarnings("default")
def test_a_fit_is_an_estimator(estimator, check):
    check(estimator)

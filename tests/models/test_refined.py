"""RefinedNB: a support vector machine centred on naive Bayes."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse
from sklearn.feature_extraction.text import TfidfTransformer
from sklearn.metrics import f1_score
from sklearn.svm import LinearSVC
from sklearn.utils.estimator_checks import parametrize_with_checks

from oracle import dual_descent as oracle
from tallytext import MultinomialNB, RefinedNB
from tallytext.errors import CountError, FileError, LabelError, ScoreError
from tallytext.models import Unsmoothed, refined

NEGATIVE = "the check gives negative numbers for counts"
FAILING = dict.fromkeys(
    ["check_class_weight_classifiers", "check_decision_proba_consistency"], NEGATIVE
) | dict.fromkeys(
    [
        "check_sample_weight_equivalence_on_dense_data",
        "check_sample_weight_equivalence_on_sparse_data",
    ],
    "the solutions are equal after many passes only",
)


@parametrize_with_checks([RefinedNB()], expected_failed_checks=lambda model: FAILING)
@pytest.mark.filterwarnings("default")
def test_it_is_an_estimator(estimator, check):
    check(estimator)


def documents(n=200, n_terms=40, n_classes=3, seed=0):
    """Counts of words of which some are likelier in one class."""
    random = np.random.default_rng(seed)
    labels = np.arange(n) % n_classes
    rates = random.gamma(0.3, 1.0, (n_classes, n_terms))
    return sparse.csr_array(random.poisson(rates[labels])), np.array(list("abcdefgh"))[labels]


def rows_of(model, X):
    """Documents as the model sees them, the bias last."""
    return np.array([oracle.unit_row(row, model.scale_.tolist()) for row in X.toarray().tolist()])


def start_of(X, y, **parameters):
    """The centre of each class, bias last: where a model is that cannot afford to move."""
    still = RefinedNB(cost=1e-6, passes=1, **parameters).fit(X, y)
    return np.column_stack([still.coef_, still.intercept_ / oracle.BIAS])


def objectives(model, X, start):
    rows, found = rows_of(model, X), np.column_stack([model.coef_, model.intercept_ / oracle.BIAS])
    for c, label in enumerate(model.classes_):
        signs = np.where(model.labels == label, 1.0, -1.0)
        yield oracle.objective(rows, signs, found[c], start[c], model.cost)


def fitted(X, y, **parameters):
    model = RefinedNB(**parameters).fit(X, y)
    model.labels = np.asarray(y)
    return model


def test_many_passes_find_the_machine_of_scikit_learn():
    X, y = documents(n=100, n_classes=2)  # of equal size, so that no bias is the centre
    model = RefinedNB(centre=0, chi_power=0, passes=500).fit(X, y)
    Z = TfidfTransformer(sublinear_tf=True).fit_transform(X)
    peer = LinearSVC(intercept_scaling=oracle.BIAS, tol=1e-8, max_iter=100_000).fit(Z, y)
    np.testing.assert_allclose(model.coef_[1], peer.coef_[0], atol=2e-4)
    np.testing.assert_allclose(model.intercept_[1], peer.intercept_[0], atol=2e-4)
    np.testing.assert_allclose(model.coef_[0], -peer.coef_[0], atol=2e-4)


@pytest.mark.parametrize("cost", [0.1, 1.0, 10.0])
def test_after_many_passes_no_direction_leads_further_down(cost):
    X, y = documents(n=60, n_terms=15)
    model, start = fitted(X, y, passes=2000, cost=cost), start_of(X, y)
    rows, found = rows_of(model, X), np.column_stack([model.coef_, model.intercept_ / oracle.BIAS])
    for label, weights, origin in zip(model.classes_, found, start, strict=True):
        signs = np.where(y == label, 1.0, -1.0)
        losses = np.maximum(0, 1 - signs * (rows @ weights))
        gradient = weights - origin - 2 * cost * (losses * signs) @ rows
        # Weights are rounded to half precision, which costs multiply.
        np.testing.assert_allclose(gradient, 0, atol=2e-2 * max(1.0, cost))


def test_the_centre_is_naive_bayes_up_to_its_size():
    X, y = documents()
    start = start_of(X, y, nb=MultinomialNB())[:, :-1]
    logs = MultinomialNB().fit(X, y).to_sklearn().feature_log_prob_
    centred = logs - logs.mean(axis=0)
    for row, expected in zip(start, centred, strict=True):
        assert np.corrcoef(row, expected)[0, 1] > 0.9999
    sizes = np.linalg.norm(start, axis=1) / np.linalg.norm(centred, axis=1)
    np.testing.assert_allclose(sizes, sizes[0], rtol=1e-3)


def test_twice_the_centre_is_twice_as_far():
    X, y = documents()
    once, twice = (start_of(X, y, centre=centre)[:, :-1] for centre in (0.5, 1.0))
    np.testing.assert_allclose(twice, 2 * once, atol=1e-3)


@given(st.integers(1, 5), st.integers(2, 8))
def test_the_number_of_threads_does_not_change_weights(n_jobs, n_classes):
    X, y = documents(n=40, n_classes=n_classes, seed=n_jobs)
    one, many = (RefinedNB(n_jobs=n).fit(X, y) for n in (1, n_jobs))
    assert np.array_equal(one.coef_, many.coef_)
    assert np.array_equal(one.decision_function(X), many.decision_function(X))


def test_training_again_finds_the_same_and_another_order_nearly_the_same():
    X, y = documents()
    first, second = RefinedNB().fit(X, y), RefinedNB().fit(X, y)
    other = RefinedNB(random_state=1).fit(X, y)
    assert np.array_equal(first.coef_, second.coef_)
    assert not np.array_equal(first.coef_, other.coef_)
    np.testing.assert_allclose(first.coef_, other.coef_, atol=0.2)


def test_scores_do_not_depend_on_the_batch_or_the_kind_of_matrix():
    X, y = documents()
    model = RefinedNB().fit(X, y)
    together = model.decision_function(X)
    assert np.array_equal(
        together, np.vstack([model.decision_function(X[[i]]) for i in range(200)])
    )
    assert np.array_equal(together, model.decision_function(X.toarray()))
    assert np.array_equal(RefinedNB().fit(X.toarray(), y).coef_, model.coef_)


def test_probabilities_sum_to_one():
    X, y = documents()
    found = RefinedNB().fit(X, y).predict_proba(X)
    np.testing.assert_allclose(found.sum(axis=1), 1)


@pytest.mark.parametrize("as_lists", [True, False])
def test_documents_may_have_several_labels_or_none(as_lists):
    random = np.random.default_rng(0)
    truth = random.integers(2, size=(200, 5))
    truth[0] = 0
    X = random.poisson(0.05 + 2.0 * truth @ np.repeat(np.eye(5), 4, axis=1))
    y = [np.flatnonzero(row).tolist() for row in truth] if as_lists else truth
    model = RefinedNB().fit(X, y)
    assert model.multi_label_
    assert f1_score(truth, model.predict(X), average="micro") > 0.95
    assert model.explain(X[1]).against is None


def test_a_class_that_no_document_has_is_never_given():
    X, truth = np.eye(4, dtype=int), np.array([[1, 0, 0], [1, 0, 0], [0, 0, 1], [0, 0, 1]])
    assert not RefinedNB().fit(X, truth).predict(X)[:, 1].any()


@pytest.mark.parametrize("multi_label", [False, True])
def test_one_class_is_given_to_all(multi_label):
    model = RefinedNB(multi_label=multi_label).fit([[1, 0], [0, 2]], ["a", "a"])
    expected = [[1]] if multi_label else ["a"]
    assert model.predict([[1, 1]]).tolist() == expected


def test_one_class_is_separated_from_no_class():
    X = [[2, 0], [3, 1], [0, 2], [1, 4]] * 5
    model = RefinedNB().fit(X, [["a"], ["a"], [], []] * 5)
    assert model.predict(X[:4]).tolist() == [[1], [1], [0], [0]]


def test_empty_documents_have_the_score_of_the_bias():
    X, y = documents(n_classes=2)
    X = sparse.vstack([X, sparse.csr_array((3, 40), dtype=int)], format="csr")
    model = RefinedNB().fit(X, [*y, "a", "a", "b"])
    empty = model._decide(sparse.csr_array((1, 40), dtype=int))[0]
    np.testing.assert_allclose(empty, model.intercept_, rtol=1e-6)


def test_words_that_were_never_seen_change_nothing():
    X, y = documents()
    wider = sparse.hstack([X, sparse.csr_array((200, 1), dtype=int)], format="csr")
    model = RefinedNB().fit(wider, y)
    strange = sparse.hstack([X, sparse.csr_array(np.full((200, 1), 9))], format="csr")
    assert np.array_equal(model.decision_function(wider), model.decision_function(strange))


@pytest.mark.parametrize("multi_label", [False, True])
def test_contributions_of_words_add_up_to_the_score(multi_label):
    X, y = documents()
    model = RefinedNB(multi_label=multi_label).fit(X, y)
    scores = model._decide(X)
    for i in range(5):
        summands = model._summands(X[[i]])
        np.testing.assert_allclose(
            summands.terms.sum(axis=0) + summands.prior, scores[i], rtol=1e-4, atol=1e-5
        )
        why = model.explain(X[[i]])
        added = sum(each.value for each in why.contributions) + why.prior
        assert added == pytest.approx(why.difference, abs=1e-4)


def restored(model, **changes):
    arrays, values = model.to_arrays()
    copy = RefinedNB()
    copy.classes_, copy.class_documents_ = model.classes_, model.class_documents_
    copy.multi_label_ = model.multi_label_
    return copy.read_arrays(arrays | changes, values)


def test_a_saved_model_predicts_the_same():
    X, y = documents()
    model = RefinedNB().fit(X, y)
    copy = restored(model)
    assert copy.n_features_in_ == 40
    assert np.array_equal(model.decision_function(X), copy.decision_function(X))
    assert np.array_equal(model.predict(X), copy.predict(X))


@pytest.mark.parametrize(
    "change",
    [
        {"scale": np.zeros(39, np.float32)},
        {"scale": np.zeros(40)},
        {"scale": np.full(40, -1, np.float32)},
        {"scale": np.full(40, np.nan, np.float32)},
        {"scale": np.zeros((40, 1), np.float32)},
        {"scale": None},
        {"weights": np.zeros((3, 40), np.float32)},
        {"weights": np.zeros((40, 2), np.float32)},
        {"weights": np.zeros(120, np.float32)},
        {"weights": np.full((40, 3), np.inf, np.float32)},
        {"weights": np.zeros((40, 3), np.int32)},
        {"bias": np.zeros(4, np.float32)},
        {"bias": np.full(3, np.nan, np.float32)},
        {"bias": "bias"},
    ],
)
def test_arrays_that_do_not_fit_are_refused(change):
    X, y = documents()
    with pytest.raises(FileError):
        restored(RefinedNB().fit(X, y), **change)


@pytest.mark.parametrize(
    "parameters",
    [
        {"cost": 0},
        {"cost": "1"},
        {"passes": 0},
        {"passes": 1.5},
        {"centre": -1},
        {"chi_power": np.nan},
        {"nb": LinearSVC()},
        {"multi_label": "yes"},
        {"n_jobs": 0},
    ],
)
def test_parameters_that_cannot_be_are_refused(parameters):
    with pytest.raises(ValueError, match=next(iter(parameters))):
        RefinedNB(**parameters).fit([[1, 0], [0, 1]], ["a", "b"])


def test_weights_without_bound_are_refused():
    with pytest.raises(ScoreError, match="smoothing"):
        RefinedNB(nb=MultinomialNB(Unsmoothed())).fit([[1, 0], [0, 1]], ["a", "b"])


def test_too_many_weights_are_refused_before_any_work(monkeypatch):
    monkeypatch.setattr(refined, "MAX_WEIGHT_BYTES", 4 * 100)
    X, y = documents()
    with pytest.raises(CountError, match="max_features"):
        RefinedNB().fit(X, y)
    RefinedNB().fit(X[:, :30], y)


def test_no_label_at_all_is_refused():
    with pytest.raises(LabelError):
        RefinedNB().fit([[1, 0], [0, 1]], [[], []])

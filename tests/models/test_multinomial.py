"""Multinomial naive Bayes: equal to the obvious version, for every option."""

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from scipy import sparse
from scipy.special import expit
from sklearn.naive_bayes import ComplementNB
from sklearn.naive_bayes import MultinomialNB as Peer

from models import (
    QUERIES,
    SEVERAL,
    agree,
    clear,
    closed,
    corpora,
    multinomial_options,
    open_,
    wider,
)
from oracle import bayes as oracle
from tallytext import MultinomialNB
from tallytext.models import AbsoluteDiscount, Background, Laplace, Unsmoothed, base

slow = [HealthCheck.too_slow, HealthCheck.filter_too_much, HealthCheck.function_scoped_fixture]
some = settings(max_examples=60, deadline=None, suppress_health_check=slow)
few = settings(max_examples=30, deadline=None, suppress_health_check=slow)


# ---------------------------------------------------------------------- the obvious version


@some
@given(st.data(), corpora(), QUERIES)
def test_scores_of_one_label_each_are_the_obvious_ones(data, corpus, queries):
    fractional = set(corpus.weights) != {1.0}
    options = data.draw(multinomial_options(contrast=False, fractional=fractional))
    model = closed(MultinomialNB(**options), corpus)
    expected = oracle.multinomial_scores(corpus, queries, **options)
    agree(model.scores(queries), expected, options["length_model"])
    assert model.classes_.tolist() == corpus.classes
    best, sure = model.predict(queries), clear(expected)
    assert best[sure].tolist() == model.classes_[expected.argmax(axis=1)][sure].tolist()


@some
@given(st.data(), corpora(SEVERAL), QUERIES)
def test_scores_of_several_labels_each_are_the_obvious_ones(data, corpus, queries):
    fractional = set(corpus.weights) != {1.0}
    options = data.draw(multinomial_options(contrast=True, fractional=fractional))
    model = closed(MultinomialNB(**options, multi_label=True), corpus)
    expected = oracle.multinomial_scores(corpus, queries, **options, multi_label=True)
    agree(model.scores(queries), expected, options["length_model"])
    np.testing.assert_allclose(model.predict_proba(queries), expit(expected), rtol=1e-3, atol=1e-6)
    found = model.predict(queries)
    assert ((found == (expected > 0)) | (np.abs(expected) < 1e-3)).all()


@some
@given(st.data(), corpora(SEVERAL, weighted=False), QUERIES)
def test_scores_in_an_open_vocabulary_are_the_obvious_ones(data, corpus, queries):
    options = data.draw(multinomial_options(contrast=True, fractional=False))
    model = open_(MultinomialNB(**options, multi_label=True), corpus)
    if options["length_model"]:
        longer = [[*query, 3] for query in queries]  # tokens that nobody knows are tokens
        corpus.rows = np.hstack([corpus.rows, np.zeros((len(corpus.rows), 1))])
        expected = oracle.multinomial_scores(corpus, longer, **options, multi_label=True)
    else:
        expected = oracle.multinomial_scores(corpus, queries, **options, multi_label=True)
    agree(model.scores(wider(queries)), expected, options["length_model"])


@few
@given(st.data(), corpora(), QUERIES)
def test_weights_on_the_fly_and_in_bulk_are_the_same(monkeypatch, data, corpus, queries):
    fractional = set(corpus.weights) != {1.0}
    options = data.draw(multinomial_options(contrast=False, fractional=fractional))
    found = []
    for bulk in (0, 10**9):
        monkeypatch.setattr(base, "_BATCHES_PER_VOCABULARY", bulk)
        model = closed(MultinomialNB(**options), corpus)
        found.append(model.scores(queries))
        one_by_one = np.vstack([model.scores([query]) for query in queries])
        np.testing.assert_allclose(one_by_one, found[-1], rtol=1e-12, atol=1e-12)
    np.testing.assert_allclose(found[0], found[1], rtol=1e-12, atol=1e-12)


@few
@given(st.data(), corpora(), QUERIES)
def test_precision_and_threads_do_not_change_much(data, corpus, queries):
    fractional = set(corpus.weights) != {1.0}
    options = data.draw(multinomial_options(contrast=False, fractional=fractional))
    model = closed(MultinomialNB(**options, n_jobs=1), corpus)
    one = model.scores(queries)
    assert (model.set_params(n_jobs=3).scores(queries) == one).all()
    single = model.set_params(dtype="float32").scores(queries)
    assert single.dtype == np.float32
    np.testing.assert_allclose(single, one, rtol=1e-4, atol=1e-3)


@few
@given(st.data(), corpora(), QUERIES)
def test_the_k_best_are_the_first_of_all_scores_in_order(data, corpus, queries):
    fractional = set(corpus.weights) != {1.0}
    options = data.draw(multinomial_options(contrast=False, fractional=fractional))
    model = closed(MultinomialNB(**options), corpus)
    scores = model.scores(queries)
    for k in (1, 2, 9):
        best = model.top_k(queries, k)
        width = min(k, scores.shape[1])
        np.testing.assert_allclose(best.scores, -np.sort(-scores, axis=1)[:, :width], rtol=1e-12)
        np.testing.assert_allclose(
            np.take_along_axis(scores, best.classes, axis=1), best.scores, rtol=1e-12
        )
        assert all(len({*row}) == width for row in best.classes.tolist())


# ---------------------------------------------------------------------- scikit-learn's


def matrices(seed, fractional=False):
    random = np.random.default_rng(seed)
    X = random.poisson(0.6, size=(40, 30)).astype(float)
    if fractional:
        X *= random.integers(1, 9, size=X.shape) / 8
    return X[:30], random.integers(0, 4, size=30), X[30:], random.integers(1, 5, size=30) / 2


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("fractional", [False, True])
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("container", [np.asarray, sparse.csr_matrix, sparse.csc_array])
def test_laplace_is_what_scikit_learn_does(seed, fractional, weighted, container):
    X, y, queries, weights = matrices(seed, fractional)
    weights = weights if weighted else None
    model = MultinomialNB(Laplace(1)).fit(container(X), y, sample_weight=weights)
    peer = Peer().fit(X, y, sample_weight=weights)
    assert (model.predict(container(queries)) == peer.predict(queries)).all()
    np.testing.assert_allclose(
        model.predict_log_proba(container(queries)), peer.predict_log_proba(queries), rtol=1e-9
    )
    np.testing.assert_allclose(
        model.scores(container(queries)), peer.predict_joint_log_proba(queries), rtol=1e-9
    )


@pytest.mark.parametrize("seed", range(5))
def test_the_complement_alone_is_what_scikit_learn_does(seed):
    X, y, queries, _ = matrices(seed)
    model = MultinomialNB(Laplace(0.5), complement="only", prior="uniform").fit(X, y)
    peer = ComplementNB(alpha=0.5).fit(X, y)
    expected = peer.predict_joint_log_proba(queries)
    scores = model.scores(queries)
    np.testing.assert_allclose(scores - scores[:, :1], expected - expected[:, :1], atol=1e-9)
    assert (model.predict(queries) == peer.predict(queries)).all()


# ---------------------------------------------------------------------- corners


def test_a_document_that_no_class_explains_gets_the_prior():
    model = MultinomialNB(Unsmoothed()).fit([[1, 0, 0], [1, 0, 0], [0, 1, 0]], ["x", "x", "y"])
    np.testing.assert_allclose(np.exp(model.scores([[1, 1, 0]])), [[2 / 3, 1 / 3]])
    assert model.predict([[1, 1, 0], [0, 1, 0]]).tolist() == ["x", "y"]


def test_without_smoothing_a_contrast_is_large_but_finite():
    model = MultinomialNB(Unsmoothed(), complement=True, prior="uniform")
    model.fit([[1, 0, 1], [0, 1, 1]], ["x", "y"])
    scores = model.scores([[1, 0, 0], [1, 1, 0], [0, 0, 3]])
    assert scores[0, 0] > 500 > -500 > scores[0, 1]
    np.testing.assert_allclose(scores[1:], 0, atol=1e-9)


def test_the_length_of_a_document_counts_its_tokens_whatever_they_are_worth():
    rows, labels = [[1, 1], [2, 1], [30, 20], [20, 30]], ["short", "short", "long", "long"]
    for tf_test in ("raw", "log", "binary"):
        model = MultinomialNB(length_model=True, tf_test=tf_test).fit(rows, labels)
        assert model.predict([[25, 25], [1, 1]]).tolist() == ["long", "short"]


def test_a_word_without_emphasis_says_nothing():
    model = MultinomialNB(Unsmoothed(), weighting="chi").fit([[1, 1, 0], [1, 0, 1]], ["x", "y"])
    empty = model.scores([[0, 0, 0]])
    assert (model.scores([[5, 0, 0]]) == empty).all()
    assert model.unknown_shares([[5, 0, 0]]).tolist() == [0.0]


def test_the_preset_is_a_contrast_that_learns():
    model = MultinomialNB.chi_contrast(n_jobs=1).fit([[3, 1, 0], [0, 1, 3]], ["x", "y"])
    assert model.predict([[1, 0, 0], [0, 0, 1]]).tolist() == ["x", "y"]
    assert model.n_jobs == 1
    assert model.smoothing == Laplace(0.1)


def test_fractions_are_counted_to_the_millionth():
    rows = np.array([[0.25, 1.5], [2.0, 1e-3]])
    model = MultinomialNB(Background(0.5)).fit(rows, ["x", "y"])
    counts = model.word_counts(model._reader().read())
    np.testing.assert_allclose(counts.class_counts.dense(counts.cells, 0, 2).T, rows, atol=2**-21)
    binary = MultinomialNB(tf="binary", normalize="l1").fit(rows, ["x", "y"])
    whole = MultinomialNB(tf="binary", normalize="l1").fit([[1, 1], [1, 1]], ["x", "y"])
    np.testing.assert_allclose(binary.scores([[1, 0]]), whole.scores([[1, 0]]))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"tf": "idf"}, "tf must be one of .*'log'.*, not 'idf'"),
        ({"tf_test": "idf"}, "tf_test must be one of"),
        ({"normalize": "l3"}, "normalize must be one of"),
        ({"norm_length": -1}, "norm_length must be a number"),
        ({"complement": "maybe"}, "complement must be True, False or 'only', not 'maybe'"),
        ({"weighting": "tfidf"}, "weighting must be one of .*'chi'"),
        ({"weight_power": -1}, "weight_power must be a number"),
        ({"weighting": "df", "weight_by_class": True, "complement": True}, "weights by class are"),
        ({"weighting": "chi", "weight_by_class": True}, "weights by class need complement=True"),
        ({"smoothing": "laplace"}, "smoothing must be a Smoothing such as Laplace"),
        ({"prior": "flat"}, "prior must be one of .*'uniform'"),
        ({"prior_beta": -1}, "prior_beta must be a number"),
        ({"multi_label": "yes"}, "multi_label must be True, False or None"),
        ({"dtype": "int32"}, "dtype must be 'float64' or 'float32'"),
    ],
)
def test_options_that_cannot_be_are_refused_before_anything_is_learned(options, message):
    with pytest.raises(ValueError, match=message):
        MultinomialNB(**options).fit([[1, 0], [0, 1]], ["x", "y"])
    model = MultinomialNB().fit([[1, 0], [0, 1]], ["x", "y"]).set_params(**options)
    with pytest.raises(ValueError):
        model.predict([[1, 0]])


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"prior": [0.5, 0.6]}, "priors must sum to one, not to 1.1"),
        ({"prior": [1.0]}, "prior has shape .* but there are 2 classes"),
        ({"prior": [1.5, -0.5]}, "priors must be from 0 to 1"),
        ({"prior": {"x": 1.0}}, "prior lacks class 'y'"),
        ({"prior": {"x": 0.5, "y": 0.6}}, "priors must sum to one, not to 1.1"),
        ({"class_weight": [1.0, 2.0]}, r"must be 'balanced' or a dict, not \[1.0, 2.0\]"),
        ({"class_weight": "even"}, "class_weight must be 'balanced' or a dict"),
        ({"class_weight": {"x": -1}}, "a class_weight is negative"),
        ({"class_weight": {"x": 0, "y": 0}}, "class_weight leaves no class"),
        ({"n_jobs": 0}, "n_jobs=0"),
    ],
)
def test_options_that_do_not_fit_the_classes_are_refused(options, message):
    model = MultinomialNB(**options).fit([[1, 0], [0, 1]], ["x", "y"])
    with pytest.raises(ValueError, match=message):
        model.predict([[1, 0]])


@pytest.mark.parametrize("options", [{"tf": "log"}, {"length_model": True}])
def test_what_needs_whole_counts_says_so(options):
    with pytest.raises(ValueError, match="needs whole counts"):
        MultinomialNB(**options).fit([[0.5, 0], [0, 1]], ["x", "y"])


def test_backing_off_keeps_the_mass_when_there_is_nobody_to_share_it_with():
    model = MultinomialNB(AbsoluteDiscount(0.5, scheme="backoff"), prior="uniform")
    model.fit([[3, 1], [1, 0]], ["x", "y"])
    np.testing.assert_allclose(np.exp(model.scores([[1, 0], [0, 1]]))[:, 0], [0.375, 0.125])

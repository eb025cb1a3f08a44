"""Documents without labels: shared out to classes, beside counts that stay exact."""

import copy
import pickle

import numpy as np
import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st
from scipy import sparse
from scipy.special import logsumexp

import models
from models import COUNTS, ONE, again, corpora, given_labels, open_
from oracle import bayes as oracle
from oracle import leave_one_out as oracle_left_out
from tallytext import BernoulliNB, ExpectationMaximisation, MultinomialNB, PoissonNB, Tally
from tallytext.errors import CountError, FileError, RecipeError, ScoreError
from tallytext.models import AbsoluteDiscount, Background, Dirichlet, Laplace, Semantic
from tallytext.models.em import UnlabelledDocuments
from tallytext.models.serialization import model_arrays, model_state, restore_model
from translations import BOTH, WORDS

slow = [HealthCheck.too_slow, HealthCheck.filter_too_much]
some = settings(max_examples=25, deadline=None, suppress_health_check=slow)

MODELS = [
    MultinomialNB(),
    MultinomialNB(Laplace(0.5), tf="log", normalize="l2"),
    MultinomialNB(AbsoluteDiscount(0.3), complement=True),
    MultinomialNB(AbsoluteDiscount(0.3, scheme="backoff")),
    MultinomialNB(Dirichlet(), weighting="chi", tf_test="log"),
    MultinomialNB(complement=True, weighting="prr", weight_by_class=True),
    MultinomialNB(length_model=True),
    MultinomialNB(Semantic(BOTH)),
    MultinomialNB(Semantic(WORDS, 0.9, 0.1), complement=True, normalize="l1"),
    BernoulliNB(),
    BernoulliNB(complement=True),
    PoissonNB(),
    PoissonNB(weighting="chi"),
]
each_model = pytest.mark.parametrize("model", MODELS, ids=lambda model: f"{model!r:.60}")
POOLS = st.lists(COUNTS, min_size=1, max_size=5).map(np.array)
HOW = st.builds(
    ExpectationMaximisation,
    rounds=st.integers(1, 3),
    length=st.sampled_from([None, 5.0, 20.0]),
    weight=st.sampled_from([1.0, 0.25, 3.0]),
    prior=st.sampled_from(["labelled", "all"]),
)


def fitted(model, corpus, **options):
    return copy.deepcopy(model).fit(corpus.rows.astype(int), given_labels(corpus), **options)


def plain(corpora_):
    return corpora_.filter(lambda corpus: len(corpus.classes) > 1)


TWO = plain(corpora(ONE, weighted=False))


# ---------------------------------------------------------------------- expectation, maximisation


@each_model
@some
@given(TWO, POOLS, HOW, models.QUERIES)
def test_expected_counts_are_those_of_documents_shared_out(model, corpus, pool, how, queries):
    assume((corpus.rows[:, :3].sum(axis=1) > 0).all())
    found = fitted(model, corpus, unlabelled=pool, em=how)
    judge = fitted(model, corpus)
    if how.rounds > 1:
        before = ExpectationMaximisation(how.rounds - 1, how.length, how.weight, how.prior)
        judge.refresh(pool, before)
    shares = how.shares(judge, UnlabelledDocuments.from_matrix(judge, pool))
    np.testing.assert_allclose(shares.sum(axis=1), 1.0)
    shares = np.where(shares < 1e-6, 0.0, shares)  # too little to be shared out
    shares = shares / shares.sum(axis=1, keepdims=True)
    expected = shared_out(model, corpus, pool, shares * how.weight, how.prior)
    np.testing.assert_allclose(
        found.scores(queries), expected.scores(queries), rtol=1e-4, atol=1e-4
    )


def shared_out(model, corpus, pool, shares, prior):
    """A model of all documents, those of the pool once for each class, weighed by its share."""
    classes = corpus.classes
    rows = np.vstack([corpus.rows, np.repeat(pool, len(classes), axis=0)]).astype(int)
    labels = [*given_labels(corpus), *classes * len(pool)]
    weights = np.append(np.ones(len(corpus.rows)), shares.ravel())
    made = copy.deepcopy(model)
    if prior == "labelled":
        n = np.array([float(len(corpus.members(label))) for label in classes])
        beta = model.prior_beta if model.prior == "smoothed" else 0.0
        made.set_params(prior=(n + beta) / (n + beta).sum())
    return made.fit(rows, labels, weights)


@some
@given(TWO, POOLS, models.QUERIES, st.sampled_from([1.0, 0.3]), st.data())
def test_weighed_documents_and_fractions_are_joined_too(corpus, pool, queries, factor, data):
    weights = np.array(data.draw(st.lists(models.WEIGHTS, min_size=7, max_size=7)))
    weights, rows, labels = weights[: len(corpus.rows)], corpus.rows * factor, given_labels(corpus)
    how = ExpectationMaximisation(rounds=1, prior="all")
    assume(pool.sum() > 0)
    found = MultinomialNB(Laplace(0.5)).fit(rows, labels, weights)
    shares = how.shares(found, UnlabelledDocuments.from_matrix(found, pool * factor))
    found.refresh(pool * factor, how)
    n = len(found.classes_)
    everything = np.vstack([rows, np.repeat(pool * factor, n, axis=0)])
    expected = MultinomialNB(Laplace(0.5)).fit(
        everything,
        [*labels, *found.classes_.tolist() * len(pool)],
        np.append(weights, shares.ravel()),
    )
    asked = np.array(queries) * factor
    np.testing.assert_allclose(found.scores(asked), expected.scores(asked), rtol=1e-4, atol=1e-4)


@some
@given(TWO, POOLS, models.QUERIES, st.sampled_from([None, 7.0]))
def test_shares_follow_from_scores_per_token(corpus, pool, queries, length):
    model = fitted(MultinomialNB(Laplace(0.5)), corpus)
    found = ExpectationMaximisation(length=length).shares(
        model, UnlabelledDocuments.from_matrix(model, pool)
    )
    scores = oracle.multinomial_scores(corpus, pool, smoothing=Laplace(0.5))
    prior = np.log([len(corpus.members(label)) / len(corpus.rows) for label in corpus.classes])
    n_tokens = np.maximum(pool.sum(axis=1), 1)[:, None]
    factor = 1.0 if length is None else length / n_tokens
    logs = (scores - prior) * factor + prior
    np.testing.assert_allclose(found, np.exp(logs - logsumexp(logs, axis=1)[:, None]), rtol=1e-6)


@some
@given(TWO, POOLS, st.sampled_from([0.1, 1.0]), st.sampled_from([1.0, 0.5]))
def test_a_round_never_lowers_the_likelihood_of_all_documents(corpus, pool, epsilon, weight):
    model, values = fitted(MultinomialNB(Laplace(epsilon)), corpus), []
    for rounds in range(1, 7):
        how = ExpectationMaximisation(rounds, None, weight, prior="all")
        values.append(penalised(model.refresh(pool, how), corpus, pool, epsilon, weight))
    assert (np.diff(values) >= -1e-6 * np.abs(values[:-1])).all()


def penalised(model, corpus, pool, epsilon, weight):
    """The likelihood of documents with labels and without, times the prior that Laplace is."""
    own = model.scores(corpus.rows.astype(int))
    labels = [model.class_number(labels[0]) for labels in corpus.labels]
    found = own[np.arange(len(own)), labels].sum()
    found += weight * logsumexp(model.scores(pool), axis=1).sum()
    reading = model._reader().read()
    return found + epsilon * np.log(model.word_counts(reading).rows(0, reading.n_terms)).sum()


def test_what_only_documents_without_labels_tell_is_learned():
    X, y = [[1, 0, 0, 0], [0, 0, 0, 1]], ["sea", "sky"]
    pool = [[2, 2, 0, 0]] * 5 + [[0, 0, 2, 2]] * 5
    model = MultinomialNB().fit(X, y)
    assert (model.unknown_shares([[0, 1, 0, 0], [0, 0, 1, 0]]) == 1).all()
    assert model.refresh(pool).predict([[0, 1, 0, 0], [0, 0, 1, 0]]).tolist() == ["sea", "sky"]


def test_the_pool_may_say_how_likely_classes_are():
    X, y = [[1, 0], [0, 1]], ["sea", "sky"]
    pool = [[3, 0]] * 6
    labelled = MultinomialNB().fit(X, y, unlabelled=pool)
    every = MultinomialNB().fit(X, y, unlabelled=pool, em=ExpectationMaximisation(prior="all"))
    np.testing.assert_allclose(labelled.predict_proba([[0, 0]]), [[0.5, 0.5]])
    assert every.predict_proba([[0, 0]])[0, 0] > 0.8


def test_anchors_say_what_else_is_known():
    X, y = [[1, 0], [0, 1]], ["sea", "sky"]
    model = MultinomialNB().fit(X, y).refresh([[1, 1]], anchors=[[100.0, 0.0]])
    assert model.expected_.tally.class_documents.tolist() == [1]
    with pytest.raises(CountError, match=r"anchors have shape \(1, 3\), but there are 1 documents"):
        model.refresh([[1, 1]], anchors=[[1.0, 2.0, 3.0]])
    with pytest.raises(CountError, match="infinite"):
        model.refresh([[1, 1]], anchors=[[np.inf, 0.0]])


# ---------------------------------------------------------------------- beside exact counts


@each_model
@some
@given(TWO, POOLS, HOW, models.QUERIES)
def test_dropping_them_leaves_the_model_of_labels(model, corpus, pool, how, queries):
    without = fitted(model, corpus)
    found = fitted(model, corpus, unlabelled=pool, em=how)
    assert found.tally_ == without.tally_
    np.testing.assert_array_equal(found.drop_unlabelled().scores(queries), without.scores(queries))
    assert found.expected_ is None


@each_model
@some
@given(TWO, TWO, POOLS, models.QUERIES)
def test_learning_then_forgetting_changes_nothing(model, corpus, more, pool, queries):
    found = fitted(model, corpus, unlabelled=pool)
    before = found.scores(queries)
    rows, labels = more.rows.astype(int), given_labels(more)
    found.partial_fit(rows, labels).scores(queries)
    np.testing.assert_array_equal(found.forget(rows, labels).scores(queries), before)


@some
@given(TWO, POOLS, HOW, st.sampled_from([model for model in MODELS if model.has_leave_one_out]))
def test_a_document_left_out_is_scored_as_if_forgotten(corpus, pool, how, model):
    found = fitted(model, corpus, unlabelled=pool, em=how)
    X, labels = corpus.rows.astype(int), given_labels(corpus)
    expected, lengths = oracle_left_out.leave_one_out(found, X, labels)
    left, known = found.leave_one_out(X, labels), ~np.isnan(lengths)
    np.testing.assert_allclose(left.lengths[known], lengths[known], rtol=1e-7, atol=1e-7)
    np.testing.assert_allclose(left.scores[known], expected[known], rtol=1e-6, atol=1e-6)


@some
@given(TWO, POOLS, models.QUERIES, st.sampled_from(MODELS))
def test_one_document_is_judged_as_in_a_batch(corpus, pool, queries, model):
    found = fitted(model, corpus, unlabelled=pool)
    alone = [found.with_tally(found.tally_).scores([query])[0] for query in queries]
    np.testing.assert_allclose(found.scores(queries), alone, rtol=1e-9, atol=1e-9)


@some
@given(TWO, POOLS, models.QUERIES)
def test_words_and_classes_may_come_and_go_later(corpus, pool, queries):
    model = open_(MultinomialNB(), corpus).refresh(pool)
    before = model.scores(queries)
    model.tally_.learn({"new": 3, "w0": 1}, "W")
    assert "W" in model.classes_
    assert np.isfinite(model.scores(models.wider(queries))).all()
    model.tally_.forget({"new": 3, "w0": 1}, "W")
    np.testing.assert_allclose(model.scores(queries), before, rtol=1e-12)


def test_a_class_that_is_forgotten_is_gone_though_documents_were_expected_in_it():
    X, y = [[1, 0, 1], [0, 1, 1], [0, 2, 0]], ["sea", "sky", "sky"]
    model = MultinomialNB().fit(X, y, unlabelled=[[2, 0, 0], [0, 1, 0]])
    model.forget(X[:1], y[:1])
    assert model.classes_.tolist() == ["sky"]
    assert np.isfinite(model.scores([[1, 1, 1]])).all()


# ---------------------------------------------------------------------- the background alone


@some
@given(TWO, POOLS, models.QUERIES, st.sampled_from([Background(0.4), Laplace(1), Semantic(WORDS)]))
def test_without_a_round_only_the_background_learns(corpus, pool, queries, smoothing):
    how = ExpectationMaximisation(rounds=0)
    found = fitted(MultinomialNB(smoothing), corpus, unlabelled=pool, em=how)
    rows = np.vstack([corpus.rows, pool]).astype(int)
    labels = [*corpus.labels, *[[]] * len(pool)]
    prior = {label: len(corpus.members(label)) / len(corpus.rows) for label in corpus.classes}
    expected = MultinomialNB(smoothing, multi_label=False, prior=prior).fit(rows, labels)
    np.testing.assert_allclose(found.scores(queries), expected.scores(queries), rtol=1e-9)
    assert not found.multi_label_


def test_documents_with_several_labels_are_not_shared_out():
    X, y = [[1, 0], [0, 1]], [["sea", "sky"], ["sky"]]
    with pytest.raises(ScoreError, match="only if each document has one label"):
        MultinomialNB().fit(X, y, unlabelled=X)
    how = ExpectationMaximisation(rounds=0)
    model = MultinomialNB(prior="smoothed").fit(X, y, unlabelled=X, em=how)
    prior = MultinomialNB(prior="smoothed").fit(X, y).scores([[0, 0]])
    np.testing.assert_allclose(model.scores([[0, 0]]), prior)


# ---------------------------------------------------------------------- copies and files


@each_model
@settings(max_examples=8, deadline=None, suppress_health_check=slow)
@given(TWO, POOLS, HOW, models.QUERIES)
def test_a_model_comes_back_to_the_last_bit(model, corpus, pool, how, queries):
    found = fitted(model, corpus, unlabelled=pool, em=how)
    before = found.scores(queries)
    for other in (again(found), pickle.loads(pickle.dumps(found)), copy.deepcopy(found)):
        np.testing.assert_array_equal(other.scores(queries), before)
        np.testing.assert_array_equal(
            other.drop_unlabelled().scores(queries), fitted(model, corpus).scores(queries)
        )


@pytest.mark.parametrize(
    "stored", [None, {}, {"tally": {}, "prior": 1}, {"tally": 3, "prior": True}, {"prior": True}]
)
def test_damaged_expected_counts_are_refused(stored):
    model = MultinomialNB().fit([[1, 0], [0, 1]], ["sea", "sky"], unlabelled=[[1, 1]])
    state = model_state(model) | {"expected": stored}
    with pytest.raises(FileError):
        restore_model(MultinomialNB(), model.tally_, state, model_arrays(model))


def test_expected_counts_of_other_terms_are_refused():
    model = MultinomialNB().fit([[1, 0], [0, 1]], ["sea", "sky"], unlabelled=[[1, 1]])
    other = Tally.from_counts([[1]], ["sea"])
    with pytest.raises((FileError, ValueError)):
        restore_model(MultinomialNB(), other, model_state(model), model_arrays(model))


# ---------------------------------------------------------------------- what cannot be


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"rounds": -1}, "rounds must be a whole number of at least 0"),
        ({"rounds": 1.5}, "rounds"),
        ({"length": 0}, "length must be a number"),
        ({"weight": 0}, "weight must be a number"),
        ({"weight": np.nan}, "weight"),
        ({"prior": "pool"}, "prior must be one of"),
    ],
)
def test_parameters_that_cannot_be_are_refused(options, message):
    with pytest.raises(ValueError, match=message):
        ExpectationMaximisation(**options)


def test_a_pool_that_cannot_be_changes_nothing():
    model = MultinomialNB().fit([[1, 0], [0, 1]], ["sea", "sky"], unlabelled=[[1, 1]])
    before = model.expected_
    for pool in ([[1, 2, 3]], [[-1, 0]], [[0.5, 1]]):
        with pytest.raises(ValueError):
            model.refresh(pool)
    assert model.expected_ is before


@pytest.mark.parametrize("nothing", [[], np.zeros((0, 2)), sparse.csr_array((0, 2))])
def test_a_pool_without_documents_is_none(nothing):
    X, y = [[1, 0], [0, 1]], ["sea", "sky"]
    model = MultinomialNB().fit(X, y, unlabelled=nothing)
    assert model.expected_ is None
    without = MultinomialNB().fit(X, y)
    np.testing.assert_array_equal(model.predict_proba(X), without.predict_proba(X))
    assert model.refresh([[1, 1]]).refresh(nothing).expected_ is None


def test_a_way_to_learn_that_is_none_is_refused_before_anything_is_learned():
    model = MultinomialNB()
    with pytest.raises(ValueError, match="em must be an ExpectationMaximisation, not 'hard'"):
        model.fit([[1, 0], [0, 1]], ["sea", "sky"], unlabelled=[[1, 1]], em="hard")
    assert not hasattr(model, "tally_")
    with pytest.raises(ValueError, match="em must be"):
        model.fit([[1, 0], [0, 1]], ["sea", "sky"]).refresh([[1, 1]], 6)


def test_other_planes_need_another_look_at_the_pool():
    model = MultinomialNB(tf="binary")
    model.fit([[1, 0], [0, 1]], ["sea", "sky"], unlabelled=[[1, 1]]).set_params(tf="raw")
    with pytest.raises(RecipeError):
        model.predict([[1, 0]])
    assert model.refresh([[1, 1]]).predict([[1, 0]]).tolist() == ["sea"]


def test_the_number_of_threads_makes_no_difference():
    rng = np.random.default_rng(0)
    X, pool = rng.poisson(0.3, (40, 30)), sparse.csr_array(rng.poisson(0.3, (300, 30)))
    y = rng.integers(0, 4, 40)
    one, two = (
        MultinomialNB(n_jobs=jobs).fit(X, y, unlabelled=pool).scores(pool) for jobs in (1, 2)
    )
    np.testing.assert_array_equal(one, two)

"""The parts that PooledNB is made of, each beside its obvious version."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse
from sklearn.linear_model import LogisticRegression

from oracle import pooled as oracle
from pools import few_labels, topical
from tallytext.errors import CountError
from tallytext.evaluation.folds import cyclic_fold_numbers
from tallytext.features.svd import SparseProducts
from tallytext.models import (
    Anchor,
    AnchoredEM,
    ClassWords,
    DocumentPool,
    Topicality,
    Trust,
    anchored_em,
    document_weights,
    posterior_regression,
)
from tallytext.models import pool as pool_module
from tallytext.models.pool import canonical_counts, leading_singular_vectors, unit_rows


def pool_of(X, half=0.05, n_components=10, min_df=1, beta=0.8, n_threads=1):
    return DocumentPool.from_counts(X, Topicality(half), n_components, min_df, beta, n_threads)


def labelled_pool(k=3, n=60, seed=0, **parameters):
    """A pool whose first rows have labels, those rows, and the labels."""
    X, y, others = few_labels(topical(n=n, n_topics=3, n_words=8, n_function=5, seed=seed), k)
    pool = pool_of(sparse.vstack([X, others]), **parameters)
    return pool, np.arange(len(y)), np.eye(3)[y]


def test_views_follow_their_equations():
    X = topical(n=40).counts
    pool = pool_of(X, min_df=3)
    g, idf = pool.views.emphasis, pool.views.idf
    for row, u, v, z in zip(
        X.toarray(),
        pool.shares.matrix.toarray(),
        pool.units.matrix.toarray(),
        pool.latent,
        strict=True,
    ):
        row = row[pool.views.columns]
        assert_allclose(u, oracle.shares(row, g), atol=1e-12)
        damped = np.where(row > 0, 1 + np.log(np.maximum(row, 1)), 0)
        assert_allclose(v, oracle.unit(g * idf * damped), atol=1e-12)
        assert_allclose(z, oracle.unit(v @ pool.views.directions), atol=1e-9)


def test_words_of_few_documents_do_not_count_unless_all_are_of_few():
    X = np.array([[1, 1, 0], [1, 0, 2]])
    pool = pool_of(X, min_df=2)
    assert pool.views.columns.tolist() == [0]
    assert (pool.views.emphasis > 0).all()
    pool = pool_of(X, min_df=3)
    assert pool.views.columns.tolist() == [0, 1, 2]
    assert (pool.views.emphasis > 0).all()


def test_the_background_sums_to_one_even_where_there_is_no_word():
    for X in (topical(n=20).counts, np.zeros((3, 4)), np.eye(3)):
        pool = pool_of(X)
        assert pool.background.sum() == pytest.approx(1.0)
        assert pool.translation.shape == (len(pool.views.columns),) * 2


@given(st.integers(1, 12), st.integers(1, 8), st.integers(1, 9), st.integers(0, 50))
def test_leading_directions_are_singular_vectors(n_rows, n_columns, k, seed):
    A = np.random.default_rng(seed).normal(size=(n_rows, n_columns))
    found = leading_singular_vectors(SparseProducts(A), k)
    k = min(k, n_rows, n_columns)
    assert found.shape == (n_columns, k)
    assert_allclose(found.T @ found, np.eye(k), atol=1e-8)
    # So narrow a matrix is looked at as a whole, so that they are exact.
    assert_allclose(
        np.linalg.norm(A @ found, axis=0), np.linalg.svd(A, compute_uv=False)[:k], rtol=1e-6
    )


def test_there_are_no_directions_where_there_is_nothing():
    for shape in ((0, 3), (3, 3)):
        assert leading_singular_vectors(SparseProducts(np.zeros(shape)), 2).shape == (3, 0)
    assert leading_singular_vectors(SparseProducts(np.zeros((3, 0))), 2).shape == (0, 0)
    assert leading_singular_vectors(SparseProducts(np.ones((4, 3))), 2).shape == (3, 1)
    assert_array_equal(unit_rows(np.zeros((2, 0))), np.zeros((2, 0)))


def test_plain_counts_are_copied_only_where_they_have_to_be():
    plain = sparse.csr_array([[1.0, 0.0, 2.0]])
    assert np.shares_memory(canonical_counts(plain).data, plain.data)
    zeros = sparse.csr_array(([0.0, 1.0], [0, 1], [0, 2]), shape=(1, 2))
    assert canonical_counts(zeros).nnz == 1
    assert zeros.nnz == 2
    with pytest.raises(CountError):
        canonical_counts([[-1]])


@pytest.mark.parametrize("translate", [False, True])
def test_class_words_follow_their_equations(translate):
    pool, rows, truth = labelled_pool()
    words = ClassWords.from_labels(pool, rows, truth, translate)
    u = pool.shares.matrix.toarray()
    own = oracle.columns(u[rows].T @ truth, np.zeros_like(words.own))
    assert_allclose(words.own, own, atol=1e-12)
    if translate:
        rows_of = pool.translation.matrix.toarray().T
        assert_allclose(rows_of.sum(axis=1), pool.views.emphasis > 0)
        assert_allclose(words.translated, oracle.translated(own, rows_of), atol=1e-12)
    else:
        assert words.translated is None
    floor = 0.002 / pool.n_distinct * len(own)
    assert_allclose(words.mix().sum(axis=0), 1 + floor)
    assert_allclose(words.mix(own).sum(axis=0), 1 + floor)


def test_classes_without_words_have_those_of_the_background():
    pool, rows, truth = labelled_pool()
    truth = np.column_stack([truth, np.zeros(len(rows))])
    words = ClassWords.from_labels(pool, rows, truth, True)
    assert_allclose(words.own[:, 3], pool.background)
    assert np.isfinite(np.log(words.mix(np.zeros_like(words.own)))).all()


@given(st.integers(0, 30))
@settings(max_examples=10)
def test_one_round_of_em_follows_its_equations(seed):
    pool, rows, truth = labelled_pool(seed=seed)
    words = ClassWords.from_labels(pool, rows, truth, True)
    held = np.random.default_rng(seed).normal(size=(pool.n_documents, 3))
    found = AnchoredEM(1, 15.0, 7.0, 0.3).run(pool, rows, truth, words, held)
    expected = oracle.one_round(
        pool.shares.matrix.toarray(),
        pool.latent,
        rows,
        truth,
        words.own,
        words.translated,
        pool.background,
        0.002 / pool.n_distinct,
        held,
        (15.0, 7.0, 0.3),
    )
    for ours, theirs in zip(
        (found.posteriors, found.word_log_probs, found.directions, found.log_priors),
        expected,
        strict=True,
    ):
        assert_allclose(ours, theirs, atol=1e-9)


def test_every_document_is_shared_out_and_labels_stay():
    pool, rows, truth = labelled_pool()
    words = ClassWords.from_labels(pool, rows, truth, False)
    told = []
    found = AnchoredEM(rounds=5).run(
        pool, rows, truth, words, np.zeros((pool.n_documents, 3)), lambda: told.append(1)
    )
    assert len(told) == 5
    assert_allclose(found.posteriors.sum(axis=1), 1)
    assert_array_equal(found.posteriors[rows], truth)
    assert_allclose(np.linalg.norm(found.directions, axis=0), 1)
    assert 0.9 < found.evenness <= 1 + 1e-12


@pytest.mark.parametrize(
    "parameters", [{"rounds": 0}, {"length": 0}, {"concentration": -1}, {"annealing": 0}]
)
def test_rounds_that_cannot_be_are_refused(parameters):
    with pytest.raises(ValueError, match=next(iter(parameters))):
        AnchoredEM(**parameters)


def test_a_confident_anchor_decides():
    pool, rows, truth = labelled_pool()
    words = ClassWords.from_labels(pool, rows, truth, False)
    held = np.zeros((pool.n_documents, 3))
    held[:, 1] = 1e6
    found = AnchoredEM().run(pool, rows, truth, words, held)
    assert (found.posteriors[len(rows) :, 1] > 0.999).all()
    assert found.evenness < 0.6


def test_the_regression_comes_to_the_exact_minimum():
    pool, rows, truth = labelled_pool(n=200)
    shares = np.random.default_rng(0).dirichlet(np.ones(3), pool.n_documents)
    shares[rows] = truth
    weights = document_weights(pool, rows, 20.0, unseen=[199])
    assert weights.tolist() == [
        20.0 if at in rows else float(at != 199) for at in range(pool.n_documents)
    ]
    found, mean = posterior_regression(pool, shares, weights, 3.0)
    assert_allclose(mean, weights @ shares / weights.sum())
    exact = oracle.regression(pool.units.matrix.toarray(), shares, weights, 3.0)
    assert np.linalg.norm(found - exact) < 0.01 * np.linalg.norm(exact)


@pytest.mark.parametrize("n_classes", [2, 3])
def test_the_anchor_is_the_logistic_regression_on_both_views(n_classes, monkeypatch):
    pool, rows, _ = labelled_pool(k=10)
    truth = np.eye(n_classes)[rows % n_classes]
    views = np.hstack([pool.units.matrix.toarray(), pool.latent])
    peer = LogisticRegression(C=10.0, max_iter=10_000, tol=1e-8)
    peer.fit(views[rows], truth.argmax(axis=1))
    by_pairs = Anchor.from_labels(pool, rows, truth, 10.0, None)
    monkeypatch.setattr(anchored_em, "_MAX_KERNEL_DOCUMENTS", 5)
    by_words = Anchor.from_labels(pool, rows, truth, 10.0, None)
    for found in (by_pairs, by_words):
        expected = np.log(peer.predict_proba(views))
        assert_allclose(found.log_probabilities(pool), expected, atol=0.2)


def test_log_probabilities_of_an_anchor_are_bounded():
    pool, rows, truth = labelled_pool()
    found = Anchor.from_labels(pool, rows, truth, 1e6, LogisticRegression(C=1e6, max_iter=10_000))
    assert found.log_probabilities(pool).min() >= np.log(1e-6)


@given(st.integers(0, 30), st.integers(2, 6))
@settings(max_examples=10)
def test_held_out_squares_are_those_of_really_refitting(seed, k):
    pool, rows, truth = labelled_pool(k=k, seed=seed)
    folds = cyclic_fold_numbers(truth, min(k, 5))
    views = np.hstack([pool.units.matrix.toarray(), pool.latent])[rows]
    expected = oracle.ridge_held_out(views, truth, folds, pool_module._RIDGE_PENALTY)
    found = pool_module.held_out_ridge(views @ views.T, truth, folds)
    assert_allclose(found, expected, atol=1e-8)


@pytest.mark.parametrize("translate", [False, True])
def test_held_out_words_are_those_of_really_relearning(translate):
    pool, rows, truth = labelled_pool(k=4)
    folds = cyclic_fold_numbers(truth, 4)
    found = anchored_em._held_out_naive_bayes(pool, rows, truth, folds, translate)
    for fold in range(4):
        kept = folds != fold
        words = ClassWords.from_labels(pool, rows[kept], truth[kept], translate).mix()
        u = pool.shares.matrix.toarray()[rows[~kept]]
        assert_allclose(found[~kept], u @ np.log(words), atol=1e-9)


def test_trust_is_unknown_with_one_document_per_class():
    pool, rows, truth = labelled_pool(k=1)
    found = Trust.from_held_out(pool, rows, truth)
    assert not found.is_known
    assert found.use_translation
    assert (found.lead, found.anchor_trust(1.0), found.naive_bayes_trust(1.0)) == (0.0, 0.0, 1.0)
    assert (found.anchor_trust(0.5), found.naive_bayes_trust(0.5)) == (0.5, 0.0)


def test_a_lead_is_trusted_less_the_more_it_is_doubted():
    found = Trust(
        anchor=0.85,
        plain=0.8,
        translated=0.82,
        n=40,
        standard_error=0.02,
        translation_standard_error=0.02,
    )
    assert found.anchor_trust(1.0, doubt=0.0) == pytest.approx(1.0)
    assert found.anchor_trust(1.0, doubt=0.5) == pytest.approx(2 / 3)
    assert found.anchor_trust(1.0, doubt=2.0) == 0.0
    assert found.anchor_trust(0.5, doubt=1.5) == 0.5


def test_topics_are_found_by_words_and_by_the_anchor():
    pool, rows, truth = labelled_pool(k=10, n=200)
    found = Trust.from_held_out(pool, rows, truth)
    assert found.n == 30
    assert min(found.anchor, found.plain, found.translated) > 0.9
    assert found.standard_error < 0.1
    plain = Trust.from_held_out(pool, rows, truth, translate=False)
    assert np.isnan(plain.translated)
    assert (plain.anchor, plain.plain) == (found.anchor, found.plain)
    assert plain.naive_bayes == plain.plain


def test_of_many_labelled_documents_a_balanced_part_is_held_out(monkeypatch):
    pool, rows, truth = labelled_pool(k=10, n=200)
    monkeypatch.setattr(anchored_em, "_MAX_HELD_OUT", 12)
    assert Trust.from_held_out(pool, rows, truth).n == 12
    some = pool_module.take_evenly(12, truth)
    assert truth[some].sum(axis=0).tolist() == [4, 4, 4]
    assert_array_equal(rows[some], [0, 1, 2, 3, 10, 11, 12, 13, 20, 21, 22, 23])


def labelled_by(words, n=60):
    """Labelled documents in which one kind of words tells the class, as (counts, truth)."""
    random = np.random.default_rng(0)
    labels = np.arange(n) % 2
    counts = random.poisson(0.5, (n, 6)).astype(float)
    counts[np.arange(n), words[0] + labels] += 3
    return sparse.csr_array(counts), np.eye(2)[labels]


def test_words_count_equally_where_they_predict_better_than_topical_ones():
    emphasis, idf = np.array([1.0, 1.0, 1.0, 1.0, 0.0, 0.0]), np.ones(6)
    assert pool_module.plain_share(*labelled_by([4])[:1], emphasis, idf, labelled_by([4])[1]) == 1
    assert pool_module.plain_share(*labelled_by([0])[:1], emphasis, idf, labelled_by([0])[1]) == 0


def test_one_label_per_class_says_nothing_about_the_weights_of_words():
    counts, truth = labelled_by([4], 2)
    assert pool_module.plain_share(counts, np.zeros(6), np.ones(6), truth) == 0


@given(st.floats(0, 1), st.floats(0, 1), st.floats(0, 1), st.floats(0, 1))
def test_trust_grows_with_the_accuracy_of_the_anchor(anchor_right, plain, translated, evenness):
    some = Trust(anchor_right, plain, translated, 50, 0.02, 0.02)
    more = Trust(min(anchor_right + 0.01, 1), plain, translated, 50, 0.02, 0.02)
    assert 0 <= some.anchor_trust(evenness) <= more.anchor_trust(evenness) <= 1
    assert 0 <= more.naive_bayes_trust(evenness) <= some.naive_bayes_trust(evenness) <= 1
    assert some.use_translation == (plain - translated <= 0.02)


def test_an_anchor_far_ahead_is_trusted_and_one_behind_is_not():
    ahead, behind = (
        Trust(right, words, words, 100, 0.01, 0.01) for right, words in ((0.9, 0.5), (0.5, 0.9))
    )
    assert (ahead.anchor_trust(1.0), ahead.naive_bayes_trust(1.0)) == (1.0, 0.0)
    assert (behind.anchor_trust(1.0), behind.naive_bayes_trust(1.0)) == (0.0, 1.0)
    # Labelled documents, as many of each class, cannot show what uneven classes do.
    assert behind.anchor_trust(0.5) == 0.5
    assert behind.naive_bayes_trust(0.5) == 0.0

"""PooledNB while documents come and go."""

import pickle
from collections import Counter
from threading import Thread

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse

from pools import few_labels, topical
from tallytext import PooledNB
from tallytext.errors import LabelError, NegativeCountError, NotAdditiveError, ScoreError
from tallytext.models import pooled
from tallytext.models.pool import DocumentPool, Topicality
from trained_files import read_back

SMALL = {"n_components": 6, "rounds": 4, "verbose": False}
MADE = topical(n=60, n_topics=3, n_words=8, n_function=5, length=12)
LARGER = topical(n=400, n_topics=3, n_words=40, n_function=10, length=20, share=0.6)


def state(model):
    """All that a file would hold, as bytes."""
    arrays, values = model.to_arrays()
    return {name: array.tobytes() for name, array in arrays.items()}, values


def fitted_on(labelled, others, made=MADE):
    X, y = made.counts[labelled], made.topics[labelled]
    return PooledNB(**SMALL).fit(X, y, made.counts[others])


@st.composite
def histories(draw):
    """Documents to fit on, changes, and what the model has after these."""
    rows = st.integers(0, len(MADE.topics) - 1)
    first = draw(st.lists(rows, min_size=2, max_size=8)), draw(st.lists(rows, max_size=12))
    has, changes = (Counter(first[0]), Counter(first[1])), []
    for _ in range(draw(st.integers(1, 6))):
        kind, batch = draw(st.integers(0, 1)), draw(st.lists(rows, min_size=1, max_size=4))
        changes.append((("learn", "learn_unlabelled")[kind], batch))
        has[kind].update(batch)
        known = sorted(has[kind].elements())
        if draw(st.booleans()) and len(known) > 1:
            gone = draw(st.lists(st.sampled_from(known), min_size=1, max_size=3, unique=True))
            if kind == 1 or len(known) > len(gone):
                changes.append((("forget", "forget_unlabelled")[kind], gone))
                has[kind].subtract(gone)
    final = tuple(draw(st.permutations(sorted(each.elements()))) for each in has)
    return first, changes, final


@given(histories(), st.booleans())
@settings(max_examples=12)
def test_any_history_settles_to_the_fit_on_the_documents_that_are_left(history, stored):
    first, changes, final = history
    model = fitted_on(*first)
    for verb, rows in changes:
        X, y = MADE.counts[rows], MADE.topics[rows]
        getattr(model, verb)(X, *([] if "unlabelled" in verb else [y]))
        if stored:
            model = read_back(model, *model.to_arrays())
    fresh = fitted_on(*final)
    assert state(model.settle()) == state(fresh)
    assert_array_equal(model.predict(MADE.counts), fresh.predict(MADE.counts))


def test_the_order_of_documents_does_not_matter():
    labelled, others = np.arange(9), np.arange(9, 60)
    order = np.random.default_rng(0).permutation
    assert state(fitted_on(labelled, others)) == state(fitted_on(order(labelled), 9 + order(51)))


def test_what_is_shown_of_documents_is_in_the_order_in_which_they_were_given():
    labelled, others = np.arange(9), np.arange(9, 60)
    order = np.random.default_rng(0).permutation(51)
    one, two = fitted_on(labelled, others), fitted_on(labelled, others[order])
    assert_array_equal(one.label_distributions_[order], two.label_distributions_)
    folds = np.arange(9) // 3
    mixed = np.random.default_rng(1).permutation(9)
    three = fitted_on(labelled[mixed], others)
    assert_array_equal(
        one.out_of_sample_scores(folds)[mixed], three.out_of_sample_scores(folds[mixed])
    )


def test_refitting_equals_fitting_with_these_labels():
    model = fitted_on(np.arange(6), np.arange(6, 60))
    rows = np.array([40, 3, 17, 8, 5, 12])
    model.refit(rows, MADE.topics[rows])
    fresh = fitted_on(rows, np.setdiff1d(np.arange(60), rows))
    assert state(model) == state(fresh)
    assert state(model.learn(MADE.counts[[0]], [0]).settle())[0]["labels"]


@pytest.mark.parametrize("made", [MADE, LARGER])
def test_labels_one_by_one_are_as_good_as_all_at_once(made):
    X, y, others = few_labels(made, 10)
    order = np.random.default_rng(0).permutation(len(y))
    together = PooledNB(**SMALL).fit(X, y, others)
    model = PooledNB(**SMALL).fit(X[order[:12]], y[order[:12]], others)
    for row in order[12:]:
        model.learn(X[[row]], y[[row]])
    assert model.score(X, y) == 1
    assert (model.transduction_ == together.transduction_).mean() > 0.95


def test_a_small_change_neither_prepares_the_pool_nor_measures_trust(monkeypatch):
    X, y, others = few_labels(LARGER, 40)
    model = PooledNB(**SMALL).fit(X[1:], y[1:], others)
    measured, prepared = [], []
    monkeypatch.setattr(pooled.Trust, "from_held_out", lambda *given, **named: measured.append(1))
    monkeypatch.setattr(DocumentPool, "from_counts", lambda *given, **named: prepared.append(1))
    model.learn(X[[0]], y[[0]])
    model.learn_unlabelled(others[:5])
    model.forget_unlabelled(others[:5])
    model.forget(X[[0]], y[[0]])
    assert not measured
    assert not prepared
    assert model.label_distributions_.shape == (others.shape[0], 3)


def test_many_small_changes_settle_in_between():
    model = fitted_on(np.arange(9), np.arange(9, 60))
    for row in range(12):
        model.learn_unlabelled(MADE.counts[[row]])
    assert model._n_settled > 60


def test_a_change_that_fails_changes_nothing(monkeypatch):
    X, y, others = few_labels(LARGER, 5)
    model = PooledNB(**SMALL).fit(X, y, others)
    before = state(model)

    def fail(*given, **named):
        raise MemoryError

    for change in (
        lambda: model.learn(X[[0]], [9]),
        lambda: model.learn_unlabelled(X),
        lambda: model.forget(X[[0]], y[[0]]),
        lambda: model.forget_unlabelled(others[[3]]),
    ):
        with monkeypatch.context() as patch:
            patch.setattr(PooledNB, "_fit_labels", fail)
            with pytest.raises(MemoryError):
                change()
        assert state(model) == before
    model.forget(X[[1]], y[[1]]).learn(X[[1]], y[[1]])
    assert state(model.settle()) == before


@pytest.mark.parametrize(
    ("verb", "given", "reason"),
    [
        ("forget", (MADE.counts[[5]], [0]), "cannot forget document 0: no document with these"),
        ("forget", (MADE.counts[[0, 0]], [0, 0]), "cannot forget document 1"),
        ("forget", (MADE.counts[[0]], [1]), "cannot forget document 0"),
        ("forget", (MADE.counts[[0]], ["land"]), "no document of class 'land' was learned"),
        ("forget", (MADE.counts[[20]], [MADE.topics[20]]), "cannot forget document 0"),
        ("forget_unlabelled", (MADE.counts[[0]],), "cannot forget document 0"),
        ("forget_unlabelled", (MADE.counts[[20, 21, 20]],), "cannot forget document 2"),
    ],
)
def test_documents_that_were_never_learned_are_refused(verb, given, reason):
    model = fitted_on(np.arange(3), np.arange(9, 60))
    before = state(model)
    with pytest.raises(NegativeCountError, match=reason):
        getattr(model, verb)(*given)
    assert state(model) == before


@pytest.mark.parametrize("labels", [[["a", "b"]], [[]]])
def test_several_labels_are_refused(labels):
    model = fitted_on(np.arange(3), np.arange(9, 60))
    before = state(model)
    for verb in (model.learn, model.forget):
        with pytest.raises(LabelError, match="exactly one label"):
            verb(MADE.counts[[5]], labels)
    assert state(model) == before


def test_new_words_and_classes_count_at_once():
    X, y, others = few_labels(LARGER, 20)
    n = X.shape[1]
    model = PooledNB(**SMALL).fit(X, y, others)
    new = sparse.csr_array(([2.0, 3.0], [n + 1, n + 3], [0, 2]), shape=(1, n + 5))
    model.learn(new, [3])
    assert model.pool_.n_columns == model.n_features_in_ == n + 5
    assert model.predict(new).tolist() == [3]
    assert model.class_documents_.tolist() == [20, 20, 20, 1]
    wider = sparse.csr_array((others.data, others.indices, others.indptr), shape=(340, n + 5))
    assert (model.predict(wider) == model.transduction_).mean() > 0.9
    model.forget(new, [3])
    assert model.classes_.tolist() == [0, 1, 2]
    # The words are gone, too: nothing of them is left after settling.
    assert model.settle().weights_.views.columns.max() < n


def test_a_pool_is_appended_to_by_the_equations_of_its_views():
    prepared = DocumentPool.from_counts(LARGER.counts[:200], Topicality(), 5, 2, 0.8, 1)
    more = LARGER.counts[200:230]
    found = prepared.append(more, 0.9)
    counts = prepared.views.select_terms(more)
    assert_allclose(found.shares.matrix[200:].toarray(), prepared.views.shares(counts).toarray())
    assert_allclose(found.units.matrix[200:].toarray(), prepared.views.units(counts).toarray())
    again = found.take(np.arange(200))
    assert (again.units.matrix != prepared.units.matrix).nnz == 0
    assert_array_equal(again.latent, prepared.latent)


def test_all_labels_may_be_forgotten_and_others_learned():
    X, y, others = few_labels(MADE, 3)
    model = PooledNB(**SMALL).fit(X, y, others)
    model.forget(X, y)
    assert model.classes_.size == 0
    with pytest.raises(ScoreError, match="all were forgotten"):
        model.predict(X)
    model.learn(X, y)
    assert state(model.settle()) == state(PooledNB(**SMALL).fit(X, y, others))


def test_nothing_learned_is_no_change():
    model = fitted_on(np.arange(3), np.arange(9, 60))
    before, none = state(model), MADE.counts[:0]
    model.learn(none, []).forget(none, []).learn_unlabelled(none).forget_unlabelled(none)
    assert state(model) == before


def test_a_model_from_a_file_or_a_pickle_goes_on_learning():
    X, y, others = few_labels(MADE, 3)
    expected = PooledNB(**SMALL).fit(X, y, others)
    start = PooledNB(**SMALL).fit(X[1:], y[1:], others)
    for model in (read_back(start, *start.to_arrays()), pickle.loads(pickle.dumps(start))):
        model.learn(X[[0]], y[[0]])
        assert_array_equal(model.settle().predict(others), expected.predict(others))
        assert state(model) == state(expected)


def test_a_dropped_pool_is_prepared_again():
    X, y, others = few_labels(MADE, 3)
    model = PooledNB(**SMALL).fit(X[1:], y[1:], others).drop_pool()
    assert state(model.learn(X[[0]], y[[0]])) == state(PooledNB(**SMALL).fit(X, y, others))


def test_files_of_earlier_releases_have_no_documents_and_are_not_updated():
    model = fitted_on(np.arange(6), np.arange(6, 60))
    arrays, values = model.to_arrays()
    for name in ("documents", "labels"):
        del arrays[name]
    old = read_back(model, arrays, values)
    assert_array_equal(old.predict(MADE.counts), model.predict(MADE.counts))
    for change in (
        lambda: old.learn(MADE.counts[[0]], [0]),
        lambda: old.forget_unlabelled(MADE.counts[[7]]),
        old.settle,
    ):
        with pytest.raises(NotAdditiveError, match="Train it again"):
            change()


def test_fractions_are_learned_but_not_stored():
    X, y, others = few_labels(MADE, 3)
    model = PooledNB(**SMALL).fit(X / 2, y, others / 2).learn(X[[0]] / 4, [0])
    assert "documents" not in model.to_arrays()[0]


def test_other_threads_see_scores_of_all_classes_that_there_are():
    X, y, others = few_labels(MADE, 3)
    model = PooledNB(**SMALL).fit(X, y, others)

    def learn():
        for _ in range(5):
            model.learn(X[[0]], [9])
            model.forget(X[[0]], [9])

    thread = Thread(target=learn)
    thread.start()
    seen = set()
    while thread.is_alive():
        scores, _, classes = model.scores_lengths_classes(X)
        assert scores.shape[1] == len(classes)
        seen.add(len(classes))
    thread.join()
    assert seen <= {3, 4}

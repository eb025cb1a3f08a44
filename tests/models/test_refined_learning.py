"""RefinedNB learns and forgets: what remains depends on its documents and not on their history."""

import pickle
import threading

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse

from tallytext import RefinedNB
from tallytext.errors import CountError, FileError, NegativeCountError, NotAdditiveError
from tallytext.models import refined

LABELS = np.array(list("abcd"))


def documents(n=120, n_terms=30, n_classes=3, seed=0):
    """Counts of words of which some are likelier in one class."""
    random = np.random.default_rng(seed)
    labels = np.arange(n) % n_classes
    rates = np.random.default_rng(7).gamma(0.3, 1.0, (n_classes, n_terms))
    return sparse.csr_array(random.poisson(rates[labels])), LABELS[labels]


def is_equal(one, other):
    return all(
        np.array_equal(getattr(one, name), getattr(other, name))
        for name in ("classes_", "coef_", "intercept_", "scale_", "class_documents_")
    )


def restored(model):
    arrays, values = model.to_arrays()
    copy = RefinedNB()
    copy.classes_, copy.class_documents_ = model.classes_, model.class_documents_
    copy.multi_label_, copy.n_features_in_ = model.multi_label_, model.n_features_in_
    return copy.read_arrays(arrays, values)


@given(st.permutations(range(24)))
def test_the_order_of_documents_changes_nothing(order):
    X, y = documents(n=24)
    assert is_equal(RefinedNB().fit(X, y), RefinedNB().fit(X[order], y[order]))


@given(
    st.lists(st.tuples(st.sampled_from(["learn", "forget", "store", "refit"]), st.integers(0, 39)))
)
def test_settling_equals_training_whatever_the_history(steps):
    X, y = documents(n=40, n_classes=4)
    held = list(range(12))
    model = RefinedNB().fit(X[held], y[held])
    for step, at in steps:
        if step == "learn":
            model.learn(X[[at]], y[[at]])
            held.append(at)
        elif step == "forget" and at in held and len(held) > 4:
            model.forget(X[[at]], y[[at]])
            held.remove(at)
        elif step == "store":
            model = restored(model)
        elif step == "refit":
            model.refit()
    assert model.n_documents_ == len(held)
    assert is_equal(model.settle(), RefinedNB().fit(X[held], y[held]))


@given(st.lists(st.integers(0, 29), max_size=12), st.booleans())
def test_several_labels_settle_to_the_same(forgotten, batch):
    X, _ = documents(n=30)
    random = np.random.default_rng(3)
    labels = [[*LABELS[random.random(4) < 0.4]] for _ in range(30)]
    model = RefinedNB(multi_label=True).fit(X[:20], labels[:20]).learn(X[20:], labels[20:])
    gone = sorted({*forgotten})
    if batch and gone:
        model.forget(X[gone], [labels[at] for at in gone])
    else:
        for at in gone:
            model.forget(X[[at]], [labels[at]])
    left = [at for at in range(30) if at not in gone]
    expected = RefinedNB(multi_label=True).fit(X[left], [labels[at] for at in left])
    assert is_equal(model.settle(), expected)


def test_learned_documents_are_classified_almost_as_if_trained_on():
    X, y = documents(n=600, n_terms=60)
    Z, z = documents(n=300, n_terms=60, seed=1)
    whole = (RefinedNB().fit(X, y).predict(Z) == z).mean()
    model = RefinedNB().fit(X[:100], y[:100])
    for at in range(100, 600):
        model.learn(X[[at]], y[[at]])
    assert (model.predict(Z) == z).mean() > whole - 0.03


def test_scores_after_learning_are_those_of_the_weights():
    X, y = documents()
    model = RefinedNB().fit(X[:100], y[:100]).learn(X[[100]], ["new"])
    unit = model.scale_ * np.where(X.toarray() > 0, 1 + np.log(np.maximum(X.toarray(), 1)), 0)
    unit /= np.maximum(np.linalg.norm(unit, axis=1, keepdims=True), 1e-30)
    expected = unit @ model.coef_.T + model.intercept_
    np.testing.assert_allclose(model._decide(X), expected, rtol=1e-4, atol=1e-5)


def test_weights_are_the_centre_plus_the_sum_over_duals_after_any_change(monkeypatch):
    monkeypatch.setattr(refined, "_MIN_CHANGED", 100)  # no pass over all documents
    X, y = documents(n=80)
    model = RefinedNB(passes=50).fit(X[:60], y[:60])
    centre = model.coef_ - _sum_of_duals(model)
    for at in range(60, 70):
        model.learn(X[[at]], y[[at]]).forget(X[[at - 60]], y[[at - 60]])
    np.testing.assert_allclose(model.coef_ - _sum_of_duals(model), centre, atol=2e-3)


def _sum_of_duals(model):
    kept = model._documents()
    unit = (
        model.scale_
        * (kept.counts.toarray() > 0)
        * (1 + np.log(np.maximum(kept.counts.toarray(), 1)))
    )
    unit /= np.linalg.norm(unit, axis=1, keepdims=True)
    signs = 2 * kept.truth.toarray() - 1
    return (kept.duals * signs).T @ unit


def test_new_words_and_classes_come_and_go():
    X, y = documents(n_classes=2)
    model = RefinedNB().fit(X, y)
    model.open_ = True
    wide = sparse.csr_array(([3.0, 2.0], ([0, 0], [30, 33])), shape=(1, 34))
    for label in ("z", "c", "x", "w", "v"):
        model.learn(wide, [label])
    assert model.classes_.tolist() == ["a", "b", "c", "v", "w", "x", "z"]
    assert model.predict(wide)[0] in ("z", "c", "x", "w", "v")
    for label in ("z", "c", "x", "w", "v"):
        model.forget(wide, [label])
    assert model.classes_.tolist() == ["a", "b"]
    assert model.predict(X).tolist().count("a") > 0


def test_what_was_never_learned_is_refused_and_nothing_changes():
    X, y = documents()
    model = RefinedNB().fit(X, y)
    before = model.coef_
    for rows, labels in ((X[[0]], ["b"]), (X[[0]] * 2, [y[0]]), (X[[0, 0]], [y[0], y[0]])):
        with pytest.raises(NegativeCountError, match="never learned"):
            model.forget(rows, labels)
    assert np.array_equal(model.coef_, before)
    assert model.is_learned(X[[0, 1]], [y[0], "a"]).tolist() == [True, y[1] == "a"]


def test_a_model_that_keeps_no_documents_cannot_learn():
    X, y = documents()
    model = RefinedNB(keep=False).fit(X, y)
    assert is_equal(model, RefinedNB().fit(X, y))
    with pytest.raises(NotAdditiveError, match="keep=True"):
        model.learn(X, y)
    assert not restored(model).n_documents_


def test_a_pickled_model_goes_on_where_it_was():
    X, y = documents()
    model = RefinedNB().fit(X[:100], y[:100]).learn(X[100:110], y[100:110])
    copy = pickle.loads(pickle.dumps(model))
    assert np.array_equal(copy.decision_function(X), model.decision_function(X))
    copy.learn(X[110:], y[110:])
    assert is_equal(copy.settle(), RefinedNB().fit(X, y))


def test_weights_of_documents_are_factors_of_their_cost():
    X, y = documents(n=30)
    weights = np.tile([1.0, 2.0, 3.0], 10)
    many = np.repeat(np.arange(30), weights.astype(int))
    once = RefinedNB(passes=500).fit(X, y, sample_weight=weights)
    again = RefinedNB(passes=500).fit(X[many], y[many])
    # Document frequencies are not weighted, so that scales differ, and scores a little.
    assert (once.predict(X) == again.predict(X)).mean() > 0.9
    assert is_equal(RefinedNB().fit(X, y, sample_weight=np.ones(30)), RefinedNB().fit(X, y))
    some = np.arange(30) < 20
    assert is_equal(
        RefinedNB().fit(X, y, sample_weight=some * 1.0), RefinedNB().fit(X[:20], y[:20])
    )
    for bad in (np.ones(29), np.full(30, -1.0), np.full(30, np.nan), np.zeros(30)):
        with pytest.raises(CountError, match="sample_weight"):
            RefinedNB().fit(X, y, sample_weight=bad)


def test_optional_columns_get_a_weight_if_two_documents_have_them():
    X = sparse.csr_array([[1, 0, 1, 0], [0, 1, 0, 1], [1, 0, 1, 0]])
    model = RefinedNB().fit(X, ["a", "b", "a"], optional=np.array([False, False, True, True]))
    assert model.scale_.astype(bool).tolist() == [True, True, True]
    model.learn(sparse.csr_array([[0, 0, 0, 1]]), ["b"])
    for change in (model.refit, model.settle):
        assert change().scale_.astype(bool).tolist() == [True] * 4
    model.forget(sparse.csr_array([[0, 0, 0, 1]]), ["b"]).settle()
    assert model.scale_.astype(bool).tolist() == [True, True, True]


@pytest.mark.parametrize("name", ["counts", "labels", "costs", "duals", "scale"])
def test_damaged_documents_are_refused_when_they_are_needed(name):
    X, y = documents()
    model = RefinedNB().fit(X, y)
    arrays, values = model.to_arrays()
    arrays[f"documents.{name}"] = arrays[f"documents.{name}"][:-1]
    copy = RefinedNB()
    copy.classes_, copy.class_documents_ = model.classes_, model.class_documents_
    copy.multi_label_, copy.n_features_in_ = False, 30
    copy.read_arrays(arrays, values)
    assert np.array_equal(copy.predict(X), model.predict(X))
    with pytest.raises(FileError):
        copy.learn(X, y)


def test_readers_see_one_moment_while_another_thread_learns():
    X, y = documents(n=400)
    model = RefinedNB().fit(X[:50], y[:50])
    problems, done = [], threading.Event()

    def read():
        while not done.is_set():
            scores, _, classes = model.scores_lengths_classes(X)
            if scores.shape != (400, len(classes)) or not np.isfinite(scores).all():
                problems.append(scores)

    readers = [threading.Thread(target=read) for _ in range(2)]
    for reader in readers:
        reader.start()
    for at in range(50, 400):
        model.learn(X[[at]], [y[at] if at % 7 else f"new {at}"])
    done.set()
    for reader in readers:
        reader.join()
    assert not problems


def test_a_large_batch_is_learned_by_a_pass(monkeypatch):
    calls = []
    monkeypatch.setattr(refined.RefinedNB, "refit", lambda self, passes=1: calls.append(passes))
    X, y = documents()
    RefinedNB().fit(X[:60], y[:60]).learn(X[60:], y[60:])
    assert calls == [1]

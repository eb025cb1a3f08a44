"""What holds for every naive Bayes model: it is its tally, and nothing else."""

import copy
import pickle
import sys
import threading

import numpy as np
import pandas as pd
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy import sparse
from sklearn.base import clone
from sklearn.exceptions import NotFittedError

from models import (
    LABELS,
    QUERIES,
    ROWS,
    WIDTH,
    closed,
    corpora,
    each_model,
    few,
    given_labels,
)
from tallytext import MultinomialNB, Tally
from tallytext.models import AbsoluteDiscount, Background, Laplace, base

# ---------------------------------------------------------------------- learning


@each_model
@few
@given(corpora(), corpora(), QUERIES)
def test_forgetting_undoes_learning(model, corpus, more, queries):
    weighted = set(corpus.weights) != {1.0}
    model = closed(clone(model), corpus)
    tally, before, classes = model.tally_.copy(), model.scores(queries), model.classes_
    weights = more.weights if weighted else None
    documents = more.rows.astype(int), given_labels(more)
    model.partial_fit(*documents, sample_weight=weights)
    model.forget(*documents, sample_weight=weights)
    assert model.tally_ == tally
    assert model.classes_.tolist() == classes.tolist()
    assert (model.scores(queries) == before).all()


@each_model
@few
@given(corpora(weighted=False), st.integers(0, 7), QUERIES)
def test_a_merged_model_is_one_of_the_union(model, corpus, at, queries):
    whole = closed(clone(model), corpus)
    planes = whole.tally_.planes
    terms = list(whole.tally_.vocabulary)
    rows, labels = corpus.rows.astype(int), given_labels(corpus)
    assume(0 < at < len(rows))
    first = Tally.from_counts(rows[:at], labels[:at], terms, planes=planes)
    second = Tally.from_counts(rows[at:], labels[at:], terms, planes=planes)
    merged = type(model).from_tally(second + first, **model.get_params())
    again = type(model).from_tally(whole.tally_, **model.get_params())
    assert (merged.scores(queries) == again.scores(queries)).all()
    whole_again = clone(model).partial_fit(rows[:at], labels[:at])
    whole_again.partial_fit(rows[at:], labels[at:])
    np.testing.assert_allclose(whole_again.scores(queries), whole.scores(queries), rtol=1e-12)


@each_model
@few
@given(corpora(), QUERIES, st.randoms())
def test_the_order_of_documents_and_columns_does_not_matter(model, corpus, queries, random):
    rows, labels = corpus.rows.astype(int), given_labels(corpus)
    found = clone(model).fit(rows, labels, corpus.weights).scores(queries)
    documents, columns = list(range(len(rows))), list(range(WIDTH))
    random.shuffle(documents)
    random.shuffle(columns)
    shuffled = clone(model).fit(
        rows[documents][:, columns],
        [labels[at] for at in documents],
        [corpus.weights[at] for at in documents],
    )
    np.testing.assert_allclose(
        shuffled.scores(np.array(queries)[:, columns]), found, rtol=1e-9, atol=1e-9
    )


@each_model
def test_other_names_for_the_classes_permute_the_columns(model):
    names = {"X": "c", "Y": "a", "Z": "b"}
    found = clone(model).fit(ROWS, LABELS).scores(ROWS)
    renamed = clone(model).fit(ROWS, [names[label] for label in LABELS])
    assert renamed.classes_.tolist() == ["a", "b", "c"]
    np.testing.assert_allclose(renamed.scores(ROWS)[:, [2, 0, 1]], found, rtol=1e-12)
    backwards = clone(model).partial_fit(ROWS[3:], LABELS[3:])
    backwards.partial_fit(ROWS[:3], LABELS[:3])
    np.testing.assert_allclose(backwards.scores(ROWS), found, rtol=1e-12)


@each_model
@few
@given(corpora(), QUERIES)
def test_posteriors_of_one_label_each_sum_to_one(model, corpus, queries):
    model = closed(clone(model), corpus)
    np.testing.assert_allclose(model.predict_proba(queries).sum(axis=1), 1.0)
    logs = model.predict_log_proba(queries)
    np.testing.assert_allclose(np.exp(logs), model.predict_proba(queries))
    assert (logs.argmax(axis=1) == model.scores(queries).argmax(axis=1)).all()


@each_model
def test_every_container_says_the_same(model):
    expected = clone(model).fit(ROWS, LABELS).scores(ROWS)
    for container in (
        sparse.csr_array,
        sparse.csr_matrix,
        sparse.csc_matrix,
        sparse.coo_array,
        np.asfortranarray,
        lambda rows: np.array(rows, dtype=np.float32),
        lambda rows: sparse.csr_array(np.array(rows, dtype=np.uint8)),
    ):
        X = container(np.array(ROWS))
        assert (clone(model).fit(X, LABELS).scores(X) == expected).all()


@each_model
def test_rows_may_be_in_any_order_with_zeros_and_the_same_column_twice(model):
    messy = sparse.csr_array(
        (np.array([1, 0, 1, 1, 1, 1]), np.array([1, 3, 0, 0, 2, 0]), np.array([0, 4, 6])),
        shape=(2, 4),
    )
    clean = [[2, 1, 0, 0], [1, 0, 1, 0]]
    for dtype in (np.int64, np.float64):
        found = clone(model).fit(messy.astype(dtype), ["X", "Y"]).scores(messy.astype(dtype))
        assert (found == clone(model).fit(clean, ["X", "Y"]).scores(clean)).all()


# ---------------------------------------------------------------------- parameters and copies


CHANGES = [
    {"smoothing": Laplace(3)},
    {"smoothing": Background(0.05)},
    {"complement": True},
    {"weighting": "ig"},
    {"tf_test": "log"},
    {"prior": "uniform"},
    {"prior": {"X": 0.1, "Y": 0.1, "Z": 0.8}},
    {"prior": "smoothed", "prior_beta": 5.0},
    {"class_weight": {"Z": 20.0}},
    {"dtype": "float32"},
    {"tf": "binary"},
]


@pytest.mark.parametrize("change", CHANGES, ids=repr)
def test_a_new_parameter_takes_effect_at_once(change):
    model = MultinomialNB().fit(ROWS, LABELS)
    before = model.scores(ROWS)
    found = model.set_params(**change).scores(ROWS)
    assert (found == MultinomialNB(**change).fit(ROWS, LABELS).scores(ROWS)).all()
    assert not np.array_equal(found, before)
    defaults = {name: MultinomialNB().get_params()[name] for name in change}
    assert (model.set_params(**defaults).scores(ROWS) == before).all()


def test_weights_are_kept_while_nothing_changes():
    model = MultinomialNB().fit(ROWS, LABELS)
    documents = model._documents(sparse.csr_array(np.array(ROWS)))
    first = model._weights_for(documents)
    assert model._weights_for(documents) is first
    assert model.set_params(class_weight="balanced")._weights_for(documents) is not first


@pytest.mark.parametrize(
    ("name", "given"),
    [
        ("class_weight", {"X": 1.0, "Y": 1.0}),
        ("prior", {"X": 0.5, "Y": 0.5}),
        ("prior", [0.5, 0.5]),
        ("prior", np.array([0.5, 0.5])),
        ("prior", pd.Series([0.5, 0.5])),
    ],
    ids=["class_weight", "mapping", "list", "array", "series"],
)
def test_a_parameter_that_is_changed_in_place_changes_the_scores(name, given):
    rows, labels = [[2, 1], [1, 3]], ["X", "Y"]
    model = MultinomialNB(**{name: given}).fit(rows, labels)
    before = model.scores(rows)
    first, second = ("X", "Y") if isinstance(given, dict) else (0, 1)
    given[first], given[second] = 0.9, 0.1
    assert not np.array_equal(model.scores(rows), before)
    expected = MultinomialNB(**{name: given}).fit(rows, labels).scores(rows)
    assert (model.scores(rows) == expected).all()


@each_model
def test_copies_say_the_same_and_go_their_own_way(model):
    model = clone(model).fit(ROWS, LABELS)
    before = model.scores(ROWS)
    for other in (pickle.loads(pickle.dumps(model)), copy.deepcopy(model)):
        assert (other.scores(ROWS) == before).all()
        assert other.get_params() == model.get_params()
        other.partial_fit([[0, 9, 0, 0]], ["W"])
        assert (model.scores(ROWS) == before).all()
        other.forget([[0, 9, 0, 0]], ["W"])
        assert (other.scores(ROWS) == before).all()


def test_a_discount_that_was_chosen_survives_copying():
    model = MultinomialNB(AbsoluteDiscount("leave-one-out"), normalize="l1").fit(ROWS, LABELS)
    for other in (pickle.loads(pickle.dumps(model)), copy.deepcopy(model)):
        assert (other.scores(ROWS) == model.scores(ROWS)).all()


@each_model
def test_a_model_that_has_learned_nothing_says_so(model):
    for ask in (model.predict, model.scores, model.predict_proba, lambda X: model.forget(X, "X")):
        with pytest.raises(NotFittedError):
            ask(ROWS)


# ---------------------------------------------------------------------- threads


@pytest.fixture
def restless():
    """Threads that take turns as often as they can."""
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(interval)


@pytest.mark.parametrize("bulk", [0, 8], ids=["on the fly", "in bulk"])
@each_model
def test_predicting_while_another_thread_learns_sees_one_state(model, bulk, monkeypatch, restless):
    monkeypatch.setattr(base, "_BATCHES_PER_VOCABULARY", bulk)
    model = clone(model).fit(ROWS, LABELS)
    states, queries = {}, np.array([[3, 0, 1, 1], [0, 2, 0, 2]])
    batches = [(ROWS[:2], ["W", "X"]), (ROWS[2:], ["A", "Y"])]
    for at in range(3):
        if at:
            model.partial_fit(*batches[at - 1])
        states[model.scores(queries).tobytes()] = at
    for batch in reversed(batches):
        model.forget(*batch)
    stop, wrong = threading.Event(), []

    def watch():
        try:
            while not stop.is_set():
                found = model.scores(queries)
                if found.tobytes() not in states:
                    wrong.append(found)
                model.predict(queries), model.top_k(queries, 2), model.predict_proba(queries)
        except BaseException as problem:
            wrong.append(problem)

    watchers = [threading.Thread(target=watch) for _ in range(2)]
    for watcher in watchers:
        watcher.start()
    for _ in range(40):
        for batch in batches:
            model.partial_fit(*batch)
        for batch in reversed(batches):
            model.forget(*batch)
    stop.set()
    for watcher in watchers:
        watcher.join()
    assert not wrong

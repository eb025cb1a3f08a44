"""What holds for every naive Bayes model: it is its tally, and nothing else."""

import copy
import pickle
import threading

import numpy as np
import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st
from scipy import sparse
from sklearn.base import clone
from sklearn.exceptions import NotFittedError

from models import COUNTS, ONE, QUERIES, SEVERAL, WIDTH, closed, corpora, given_labels
from tallytext import BernoulliNB, MultinomialNB, Plane, Tally
from tallytext.errors import (
    CountError,
    LabelError,
    NegativeCountError,
    RecipeError,
    UnknownNameError,
)
from tallytext.smoothing import AbsoluteDiscount, Background, Dirichlet, Laplace

slow = [HealthCheck.too_slow, HealthCheck.filter_too_much]
few = settings(max_examples=40, deadline=None, suppress_health_check=slow)

MODELS = [
    MultinomialNB(),
    MultinomialNB(AbsoluteDiscount()),
    MultinomialNB(AbsoluteDiscount(0.5), complement=True),
    MultinomialNB(Dirichlet(), tf="log", normalize="l2", weighting="chi", prior="smoothed"),
    MultinomialNB(Laplace(0.5), complement=True, weighting="prr", weight_by_class=True),
    MultinomialNB(length_model=True),
    BernoulliNB(),
    BernoulliNB(complement=True),
]
each_model = pytest.mark.parametrize("model", MODELS, ids=repr)

ROWS = [[2, 1, 0, 0], [1, 0, 1, 0], [0, 1, 2, 1], [0, 0, 1, 3]]
LABELS = ["X", "X", "Y", "Z"]


def scores(model, queries):
    return model.scores(queries)


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


# ---------------------------------------------------------------------- classes


@each_model
def test_classes_come_and_go(model):
    model = clone(model).fit(ROWS[:3], LABELS[:3])
    assert model.classes_.tolist() == ["X", "Y"]
    model.partial_fit(ROWS[3:], LABELS[3:])
    assert model.classes_.tolist() == ["X", "Y", "Z"]
    assert model.predict_proba(ROWS).shape == (4, 3)
    model.forget(ROWS[:2], LABELS[:2])
    assert model.classes_.tolist() == ["Y", "Z"]
    assert set(model.predict(ROWS)) <= {"Y", "Z"}


@each_model
def test_classes_may_be_announced(model):
    model = clone(model).set_params(prior="ml")
    model.partial_fit(ROWS[:2], LABELS[:2], classes=np.array(["Y", "X"]))
    assert model.classes_.tolist() == ["X", "Y"]
    assert model.predict_proba(ROWS)[:, 1].tolist() == [0.0] * 4
    model.partial_fit(ROWS[2:3], LABELS[2:3], classes=["Z"])
    assert model.classes_.tolist() == ["X", "Y", "Z"]


def test_a_model_without_a_class_cannot_predict():
    model = MultinomialNB().fit(ROWS[:1], [[]])
    with pytest.raises(LabelError, match="no class to predict"):
        model.predict(ROWS)
    with pytest.raises(LabelError, match="no class to predict"):
        BernoulliNB.from_tally(Tally()).predict(ROWS)


@each_model
def test_labels_keep_their_kind(model):
    for labels in ([3, 1, 2, 1], [True, False, True, True], [0.5, 1.5, 1.5, 0.5], ["b", 7, "a", 7]):
        y = np.array(labels, dtype=object) if "b" in labels else labels
        found = clone(model).fit(ROWS, y).predict(ROWS)
        if "b" in labels or 0.5 not in labels:
            assert {type(label) for label in found.tolist()} <= {type(label) for label in labels}


def test_labels_that_are_continuous_are_refused():
    with pytest.raises(ValueError, match="Unknown label type"):
        MultinomialNB().fit(ROWS, [0.1, 0.2, 0.3, 0.4])


@pytest.mark.parametrize("wrap", [list, tuple, np.array, sparse.csr_array, sparse.csr_matrix])
@each_model
def test_an_indicator_matrix_and_lists_of_labels_say_the_same(model, wrap):
    indicator = [[1, 0, 1], [1, 0, 0], [0, 0, 1], [0, 0, 0]]
    lists = [[0, 2], [0], [2], []]
    of_lists = clone(model).fit(ROWS, lists)
    y = wrap(indicator) if wrap in (list, tuple) else wrap(np.array(indicator))
    of_matrix = clone(model).fit(ROWS, y)
    assert of_lists.classes_.tolist() == [0, 2]
    assert of_matrix.classes_.tolist() == [0, 1, 2]
    assert of_matrix.predict(ROWS).shape == (4, 3)
    assert of_matrix.tally_ == of_lists.tally_
    step_by_step = clone(model)
    for at in range(4):
        step_by_step.partial_fit(ROWS[at : at + 1], np.array(indicator[at : at + 1]))
    np.testing.assert_allclose(
        step_by_step.scores(ROWS), of_matrix.scores(ROWS), rtol=1e-12, atol=1e-12
    )
    objects = np.empty(4, dtype=object)
    objects[:] = lists
    assert (clone(model).fit(ROWS, objects).scores(ROWS) == of_lists.scores(ROWS)).all()


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
    first = model._seen(documents)
    assert model._seen(documents) is first
    assert model.set_params(class_weight="balanced")._seen(documents) is not first


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


@each_model
def test_predicting_while_another_thread_learns_sees_one_state(model):
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


# ---------------------------------------------------------------------- tallies


def test_what_the_tally_learns_the_model_knows():
    tally = Tally().learn({"sea": 2, "salt": 1}, "sea").learn({"blue": 2}, "sky")
    model = MultinomialNB.from_tally(tally)
    assert model.predict([[0, 0, 1]]).tolist() == ["sky"]
    tally.learn({"grass": 3}, "earth")
    assert model.classes_.tolist() == ["earth", "sea", "sky"]
    assert model.predict([[0, 0, 0, 1]]).tolist() == ["earth"]
    assert model.unknown_shares([[1, 0, 0, 0, 3], [0, 0, 0, 0, 0]]).tolist() == [0.75, 0.0]
    assert (model.scores([[1, 0, 0, 0, 3]]) == model.scores([[1, 0, 0, 0]])).all()
    model.partial_fit([[0, 0, 0, 1]], ["sky"])
    assert tally.n_documents == 4


def test_documents_of_nothing_known_get_the_prior():
    tally = Tally().learn({"sea": 2}, "sea").learn({"sea": 1}, "sea").learn({"blue": 2}, "sky")
    model = MultinomialNB.from_tally(tally)
    for query in ([0, 0, 0], [0, 0, 7]):
        np.testing.assert_allclose(np.exp(model.scores([query])), [[2 / 3, 1 / 3]])
    assert model.unknown_shares([[0, 0, 7]]).tolist() == [1.0]


def test_a_tally_without_the_plane_is_told_which():
    tally = Tally().learn({"sea": 2}, "sea")
    with pytest.raises(RecipeError, match=r"does not keep Plane\(tf='log', norm='l2'"):
        MultinomialNB.from_tally(tally, tf="log", normalize="l2")
    with pytest.raises(RecipeError, match="log_length"):
        MultinomialNB.from_tally(tally, length_model=True)
    kept = Tally(planes=[Plane("log", "l2")]).learn({"sea": 2}, "sea")
    assert MultinomialNB.from_tally(kept, tf="log", normalize="l2").predict([[1]]) == ["sea"]


def test_columns_that_were_never_seen_are_unknown_in_a_closed_vocabulary_too():
    model = MultinomialNB().fit([[1, 0, 0], [0, 1, 0]], ["x", "y"])
    assert model.unknown_shares([[1, 0, 1], [0, 2, 0]]).tolist() == [0.5, 0.0]


# ---------------------------------------------------------------------- refusals


@pytest.mark.parametrize(
    ("X", "y", "error", "message"),
    [
        ([[1, -1], [0, 1]], ["x", "y"], CountError, "Negative values in data passed to"),
        ([[1, np.nan], [0, 1]], ["x", "y"], ValueError, "NaN"),
        ([[1, np.inf], [0, 1]], ["x", "y"], ValueError, "infinity"),
        ([[1, 2j], [0, 1]], ["x", "y"], ValueError, "Complex data not supported"),
        ([["a", "b"], ["c", "d"]], ["x", "y"], ValueError, "could not convert|numeric"),
        ([[1, 0], [0, 1]], ["x"], LabelError, "2 documents, but labels for 1"),
        ([[1, 0], [0, 1]], None, LabelError, "requires y to be passed"),
        ([[1, 0], [0, 1]], ["x", None], ValueError, "label|type"),
        ([[1, 0], [0, 1]], [[0, 2, 1], [1, 0, 2]], ValueError, None),
        ([1, 0], ["x", "y"], ValueError, "2D"),
        (np.zeros((0, 2)), [], ValueError, "0 sample"),
    ],
)
@pytest.mark.parametrize("model", [MultinomialNB(), BernoulliNB()], ids=repr)
def test_what_cannot_be_learned_is_refused(model, X, y, error, message):
    if message is None:
        assert clone(model).fit(X, y).classes_.tolist() == [0, 1, 2]  # lists of labels
        return
    with pytest.raises(error, match=message):
        clone(model).fit(X, y)


@pytest.mark.parametrize("model", [MultinomialNB(), BernoulliNB()], ids=repr)
def test_what_does_not_fit_the_model_is_refused_and_changes_nothing(model):
    model = clone(model).fit(ROWS, LABELS)
    before = model.tally_.copy()
    name = type(model).__name__
    for X in ([[1, 0, 0]], sparse.csr_array([[1, 0, 0, 0, 1]])):
        width = np.shape(X)[1]
        for ask in (model.predict, lambda X: model.partial_fit(X, ["X"])):
            with pytest.raises(ValueError, match=f"X has {width} features, but {name} is expect"):
                ask(X)
    with pytest.raises(CountError, match="fractional, but the model began with whole"):
        model.partial_fit([[0.5, 0, 0, 0]], ["X"])
    with pytest.raises(CountError, match="from the first call on, or never"):
        model.partial_fit([[1, 0, 0, 0]], ["X"], sample_weight=[2.0])
    with pytest.raises(NegativeCountError, match="cannot forget"):
        model.forget([[9, 0, 0, 0]], ["X"])
    with pytest.raises(UnknownNameError, match="no class 'W'"):
        model.rank(ROWS, "W")
    with pytest.raises(ValueError, match="k must be at least 1"):
        model.top_k(ROWS, 0)
    assert model.tally_ == before


@pytest.mark.parametrize(
    ("weights", "message"),
    [
        ([1, 2, 3], "2 documents, but sample_weight of shape"),
        ([1, -1], "negative"),
        ([1, np.nan], "not a number"),
        ([0, 0], "every sample_weight is zero"),
    ],
)
def test_weights_that_cannot_be_are_refused(weights, message):
    with pytest.raises(CountError, match=message):
        MultinomialNB().fit([[1, 0], [0, 1]], ["x", "y"], sample_weight=weights)


@few
@given(st.lists(st.tuples(COUNTS, ONE), min_size=2, max_size=6), st.data())
def test_a_document_that_weighs_n_counts_n_times(documents, data):
    rows, labels = zip(*documents, strict=True)
    weights = data.draw(st.lists(st.integers(0, 3), min_size=len(rows), max_size=len(rows)))
    assume(any(weights))
    again = [at for at, weight in enumerate(weights) for _ in range(weight)]
    for model in (MultinomialNB(), MultinomialNB(Laplace(), normalize="l2"), BernoulliNB()):
        weighed = clone(model).fit(rows, [label for (label,) in labels], sample_weight=weights)
        repeated = clone(model).fit([rows[at] for at in again], [labels[at][0] for at in again])
        np.testing.assert_allclose(
            weighed.scores(rows), repeated.scores(rows), rtol=1e-7, atol=1e-7
        )


@few
@given(corpora(SEVERAL, weighted=False), QUERIES)
def test_several_labels_are_judged_each_on_its_own(corpus, queries):
    for model in (MultinomialNB(Laplace(1)), BernoulliNB()):
        several = clone(model).set_params(multi_label=True).fit(corpus.rows, corpus.labels)
        for at, label in enumerate(several.classes_):
            mine = ["in" if label in labels else "out" for labels in corpus.labels]
            assume(len({*mine}) == 2)
            params = {"complement": True, "prior": several.prior, "prior_beta": several.prior_beta}
            alone = clone(model).set_params(**params).fit(corpus.rows, mine)
            np.testing.assert_allclose(
                several.scores(queries)[:, at], alone.scores(queries)[:, 0], rtol=1e-7, atol=1e-7
            )

"""kNN: published values, an oracle, learning and forgetting, files, and scikit-learn's checks."""

import pickle
from threading import Thread

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from sklearn.base import clone
from sklearn.utils.estimator_checks import parametrize_with_checks

from oracle import cosine as oracle
from tallytext import CosineKNN
from tallytext.errors import CountError, FileError, LabelError, NegativeCountError, ScoreError

TOY, LABELS = [[2, 1, 0, 0], [1, 0, 1, 0], [0, 1, 2, 1]], ["X", "X", "Y"]
QUERIES = [[1, 1, 0, 1], [0, 0, 1, 2], [0, 2, 1, 0]]
EXPECTED = {
    ("ltc", 1): [[0, 0.8152044329], [0, 0.8984681155], [0, 0.5143797876]],
    ("ltc", 2): [
        [0.4481052255, 0.8152044329],
        [0.1505980149, 0.8984681155],
        [0.4378737518, 0.5143797876],
    ],
    ("lnc", 1): [[0.790726987, 0], [0, 0.7806069364], [0, 0.7806069364]],
    ("lnc", 2): [
        [0.790726987, 0.5234195824],
        [0.3595937233, 0.7806069364],
        [0.4378737518, 0.7806069364],
    ],
}
LAW = settings(deadline=None)
ROWS = st.lists(st.integers(0, 3), min_size=4, max_size=4)
SINGLE = st.lists(st.tuples(ROWS, st.sampled_from("abc")), min_size=1, max_size=12)
SEVERAL = st.lists(
    st.tuples(ROWS, st.lists(st.sampled_from("abc"), max_size=3, unique=True)), min_size=1
).filter(lambda pairs: any(labels for _, labels in pairs))


def split(pairs):
    rows, labels = zip(*pairs, strict=True)
    return [*rows], [*labels]


def state(model):
    """All that answers depend on."""
    arrays, values = model.to_arrays()
    kept = {name: part.tolist() for name, part in arrays.items()}
    return kept, values, model.classes_.tolist(), model.class_documents_.tolist()


def reloaded(model, arrays=None, values=None):
    own = model.to_arrays()
    other = clone(model)
    other.classes_, other.multi_label_ = model.classes_, model.multi_label_
    other.class_documents_, other.n_features_in_ = model.class_documents_, model.n_features_in_
    given = own[0] if arrays is None else {**own[0], **arrays}
    return other.read_arrays(given, own[1] if values is None else values)


@pytest.mark.parametrize(("weighting", "k"), EXPECTED)
def test_the_toy_corpus_has_the_scores_that_were_worked_out(weighting, k):
    model = CosineKNN(k, weighting, multi_label=True).fit(TOY, LABELS)
    found = model.decision_function(QUERIES)
    np.testing.assert_allclose(found, EXPECTED[weighting, k], rtol=1e-6, atol=1e-12)


@LAW
@given(SEVERAL, st.lists(ROWS, min_size=1, max_size=4), st.integers(1, 9))
def test_class_scores_are_summed_similarities(pairs, queries, k):
    rows, labels = split(pairs)
    model = CosineKNN(k, "lnc", multi_label=True).fit(rows, labels)
    documents = oracle.weights(rows, "lnc", rows)
    for query, row in zip(queries, model.decision_function(queries).tolist(), strict=True):
        weighted = oracle.weights([query], "lnc", rows)[0]
        near = oracle.nearest(weighted, documents, len(rows))
        if len(near) > k and near[k - 1][0] - near[k][0] < 1e-12:
            continue  # rounding decides who is the last neighbour
        expected = oracle.class_scores(near[:k], labels, model.classes_.tolist())
        np.testing.assert_allclose(row, expected, rtol=1e-9, atol=1e-12)


@LAW
@given(SINGLE, st.lists(ROWS, min_size=1, max_size=5))
def test_probabilities_sum_to_one_and_prefer_the_prediction(pairs, queries):
    model = CosineKNN(3).fit(*split(pairs))
    chances = model.predict_proba(queries)
    np.testing.assert_allclose(chances.sum(axis=1), 1.0)
    for row, label in zip(chances.tolist(), model.predict(queries).tolist(), strict=True):
        near = model.decision_function(queries)
        if near.any():
            assert row[model.classes_.tolist().index(label)] > 0


def test_the_share_of_similarity_becomes_a_probability():
    model = CosineKNN(2).fit(TOY, LABELS)
    mass, prior = 0.4481052255 + 0.8152044329, (2 + 0.5) / (3 + 1)
    expected = (0.4481052255 + prior) / (mass + 1)
    np.testing.assert_allclose(model.predict_proba(QUERIES[:1])[0, 0], expected, rtol=1e-6)
    multi_label = CosineKNN(2).fit(TOY, [["X"], ["X", "Y"], ["Y"]])
    # All neighbours are of class Y, and one of them of class X as well.
    mass, prior = 0.1505980149 + 0.8984681155, (2 + 0.5) / (3 + 1)
    expected = [(0.1505980149 + prior) / (mass + 1), (mass + prior) / (mass + 1)]
    np.testing.assert_allclose(multi_label.predict_proba(QUERIES[1:2])[0], expected, rtol=1e-6)
    assert multi_label.predict(QUERIES[1:2]).tolist() == [[0, 1]]


def test_without_neighbours_the_prior_is_left():
    model = CosineKNN().fit(TOY, LABELS)
    chances = model.predict_proba([[0, 0, 0, 0]])[0]
    np.testing.assert_allclose(chances, [2.5 / 4, 1.5 / 4])
    assert model.predict([[0, 0, 0, 0]]).tolist() == ["X"]
    assert model.kneighbors([[0, 0, 0, 0]]).documents.tolist() == [[-1, -1, -1]]


@LAW
@given(SEVERAL, SEVERAL)
def test_forgetting_undoes_learning(first, second):
    model = CosineKNN(4, multi_label=True).fit(*split(first))
    before = state(model), model.decision_function(split(first)[0]).tolist()
    model.learn(*split(second))
    model.forget(*split(second))
    assert (state(model), model.decision_function(split(first)[0]).tolist()) == before


@LAW
@given(SINGLE, SINGLE)
def test_learning_more_is_learning_all_at_once(first, second):
    parts = CosineKNN(4).fit(*split(first)).partial_fit(*split(second))
    whole = CosineKNN(4).fit(*split(first + second))
    assert state(parts) == state(whole)
    assert np.array_equal(parts.scores(split(first)[0]), whole.scores(split(first)[0]))


@LAW
@given(SINGLE, st.data())
def test_forgetting_is_as_if_never_learned(pairs, data):
    gone = data.draw(st.integers(0, len(pairs) - 1))
    left = pairs[:gone] + pairs[gone + 1 :]
    # Of equal documents the last goes: those that are left are the same, in the same order.
    last = len(pairs) - 1 - pairs[::-1].index(pairs[gone])
    expected = pairs[:last] + pairs[last + 1 :]
    model = CosineKNN().fit(*split(pairs)).forget(*split([pairs[gone]]))
    if left:
        assert state(model) == state(CosineKNN().fit(*split(expected)))
    else:
        with pytest.raises(ScoreError, match="forgotten"):
            model.predict([[1, 0, 0, 0]])


@pytest.mark.parametrize(
    ("rows", "labels"),
    [
        ([[2, 1, 0, 0], [9, 9, 9, 9]], ["X", "X"]),
        ([[2, 1, 0, 0]], ["Y"]),
        ([[2, 1, 0, 0]], ["Z"]),
        ([[2, 1, 0, 0], [2, 1, 0, 0]], ["X", "X"]),
    ],
)
def test_a_document_that_was_never_learned_cannot_be_forgotten(rows, labels):
    model = CosineKNN(2).fit(TOY, LABELS)
    before = state(model)
    with pytest.raises(NegativeCountError, match="cannot forget"):
        model.forget(rows, labels)
    assert state(model) == before
    assert state(model.forget(TOY[:1], LABELS[:1])) == state(CosineKNN(2).fit(TOY[1:], LABELS[1:]))


def test_new_and_announced_classes_are_added():
    model = CosineKNN(2).partial_fit(TOY, LABELS, classes=["X", "Y", "W"])
    assert model.classes_.tolist() == ["W", "X", "Y"]
    assert model.class_documents_.tolist() == [0, 2, 1]
    model.learn([[0, 0, 0, 3]], ["A"])
    assert model.predict([[0, 0, 0, 1]]).tolist() == ["A"]
    assert model.decision_function(QUERIES).shape == (3, 4)
    assert model.forget([[0, 0, 0, 3]], ["A"]).classes_.tolist() == ["W", "X", "Y"]


def test_an_open_model_accepts_new_columns():
    model = CosineKNN(2).fit(TOY, LABELS)
    wider = [[0, 0, 0, 0, 4]]
    with pytest.raises(ValueError, match="features"):
        model.learn(wider, ["Z"])
    model.open_ = True
    before = model.decision_function(QUERIES).tolist()
    assert model.learn(wider, ["Z"]).predict([[0, 0, 0, 0, 1, 7]]).tolist() == ["Z"]
    assert model.predict([[0, 1, 2]]).tolist() == ["Y"]
    assert model.forget(wider, ["Z"]).decision_function(QUERIES).tolist() == before


def test_labels_that_do_not_fit_are_refused_and_change_nothing():
    model = CosineKNN(multi_label=False).fit(TOY, LABELS)
    before = state(model)
    with pytest.raises(LabelError, match="labels"):
        model.learn(TOY[:1], [["X", "Y"]])
    with pytest.raises(LabelError):
        model.learn(TOY[:2], ["X"])
    assert state(model) == before


@LAW
@given(SEVERAL, ROWS, st.integers(1, 6))
def test_contributions_of_words_add_up_to_the_score(pairs, query, k):
    rows, labels = split(pairs)
    model = CosineKNN(k, multi_label=True).fit(rows, labels)
    scores = model.decision_function([query])[0]
    for at, label in enumerate(model.classes_.tolist()):
        why = model.explain(query, label)
        total = sum(part.value for part in why.contributions)
        np.testing.assert_allclose([total, why.difference], scores[at], atol=1e-12)


def test_a_word_beyond_an_open_model_adds_nothing():
    model = CosineKNN(2).fit(TOY, LABELS)
    model.open_ = True
    why = model.explain([0, 0, 1, 2, 0, 9], "Y", "X", terms=[*"abcdef"])
    unknown = next(part for part in why.contributions if part.term == "f")
    assert (unknown.value, unknown.known) == (0.0, False)
    assert why.difference == pytest.approx(0.8984681155 - 0.1505980149)


def test_threads_and_batches_change_nothing():
    random = np.random.default_rng(0)
    rows, labels = random.poisson(0.3, (300, 60)), random.integers(0, 5, 300)
    one, many = (CosineKNN(7, n_jobs=n).fit(rows, labels) for n in (1, 4))
    whole = one.scores(rows[:80])
    assert whole.tobytes() == many.scores(rows[:80]).tobytes()
    alone = np.vstack([one.scores(rows[[at]]) for at in range(80)])
    np.testing.assert_array_equal(alone, whole)
    assert np.array_equal(one.scores(sparse.csr_matrix(rows[:80])), whole)


def test_parameters_can_be_changed_without_learning_again():
    model = CosineKNN(2).fit(TOY, LABELS)
    found = model.set_params(k=1, weighting="lnc").decision_function(QUERIES)
    expected = np.array(EXPECTED["lnc", 1])
    np.testing.assert_allclose(found, expected[:, 1] - expected[:, 0], rtol=1e-6)
    for wrong in ({"k": 0}, {"k": 1.5}, {"k": 1, "weighting": "ltx"}):
        with pytest.raises(ValueError):
            clone(model).set_params(**wrong).fit(TOY, LABELS)
        with pytest.raises(ValueError):
            model.set_params(**wrong).predict(QUERIES)


def test_weights_that_cannot_be_compared_are_refused():
    with pytest.raises(CountError, match="cannot be compared"):
        CosineKNN(weighting="snn").fit([[1e12]], ["X"])


READERS = {
    "rank": lambda model: model.rank(QUERIES, "Y").tolist(),
    "top_k": lambda model: model.classes_[model.top_k(QUERIES, 2).classes].tolist(),
    "predict": lambda model: model.predict(QUERIES).tolist(),
    "scores": lambda model: [part.tolist() for part in model.scores_lengths_classes(QUERIES)],
}
# Class A comes before all others and moves the columns of their scores.
NEW = [[1, 2, 1, 0]], ["A"]


@pytest.mark.parametrize("read", READERS.values(), ids=READERS)
@pytest.mark.parametrize("step", ["_find_neighbours", "_sum_similarities", "log_odds"])
def test_a_reader_sees_one_snapshot_while_another_thread_learns_a_new_class(
    read, step, monkeypatch
):
    states = [
        read(CosineKNN(2).fit(*corpus))
        for corpus in ((TOY, LABELS), ([*TOY, *NEW[0]], [*LABELS, *NEW[1]]))
    ]
    model, run_step = CosineKNN(2).fit(TOY, LABELS), getattr(CosineKNN, step)
    learning = Thread(target=model.learn, args=NEW)

    def run_step_and_learn(self, *given):
        found = run_step(self, *given)
        if learning.ident is None:
            learning.start()
            learning.join(timeout=0.2)  # as long as the model is locked, it cannot finish
        return found

    monkeypatch.setattr(CosineKNN, step, run_step_and_learn)
    found = read(model)
    if learning.ident is not None:
        learning.join()
        assert model.classes_.tolist() == ["A", "X", "Y"]
    assert found in states


@LAW
@given(SEVERAL)
def test_a_model_survives_a_file_and_a_pickle(pairs):
    rows, labels = split(pairs)
    model = CosineKNN(3, multi_label=True).fit(rows, labels)
    for again in (reloaded(model), pickle.loads(pickle.dumps(model))):
        assert state(again) == state(model)
        assert np.array_equal(again.scores(rows), model.scores(rows))
        again.forget(rows, labels)
        assert len(again.documents_) == 0


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("starts", [0, 2, 4]),
        ("starts", [0, 4, 2, 7]),
        ("starts", [1, 2, 4, 7]),
        ("starts", []),
        ("terms", [0, 1, 0, 2, 1, 2, 4]),
        ("terms", [0, 1, 0, 2, 1, 2, -1]),
        ("terms", [1, 0, 0, 2, 1, 2, 3]),
        ("terms", [0, 0, 0, 2, 1, 2, 3]),
        ("counts", [2, 1, 1, 1, 1, 2]),
        ("counts", [2, 1, 1, 1, 1, 2, 0]),
        ("counts", [2, 1, 1, 1, 1, 2, -1]),
        ("counts", [2, 1, 1, 1, 1, 2, np.nan]),
        ("counts", [2, 1, 1, 1, 1, 2, np.inf]),
        ("width", [3]),
        ("width", [2**40]),
        ("width", []),
        ("labels", [0, 0, 2]),
        ("labels", [0, 0, -1]),
        ("labels", [0, 0, 0]),
        ("labels", [0, 1]),
        ("label_starts", [0, 2, 2, 3]),
        ("label_starts", [0, 3]),
    ],
)
def test_damaged_files_are_refused(name, value):
    model = CosineKNN().fit(TOY, LABELS)
    dtype = model.to_arrays()[0][name].dtype
    with pytest.raises(FileError, match="CosineKNN"):
        reloaded(model, {name: np.array(value, dtype=dtype)})


def test_files_of_another_kind_are_refused():
    model = CosineKNN().fit(TOY, LABELS)
    arrays, values = model.to_arrays()
    for name, part in arrays.items():
        with pytest.raises(FileError):
            reloaded(model, {name: part.astype(np.float32)})
        with pytest.raises(FileError):
            reloaded(model, {name: part.reshape(-1, 1)})
    announced = [{"announced": wrong} for wrong in (None, ["Q"], [[]])]
    for wrong in ({}, *announced, {**values, "x": 1}):
        with pytest.raises(FileError):
            reloaded(model, values=wrong)
    with pytest.raises(FileError):
        reloaded(model, {"more": arrays["starts"]})


FAILING = {
    "check_decision_proba_consistency": "the check gives negative numbers for counts",
}


@parametrize_with_checks(
    [CosineKNN(), CosineKNN(weighting="lnc")], expected_failed_checks=lambda model: FAILING
)
@pytest.mark.filterwarnings("default")
def test_the_model_is_a_classifier(estimator, check):
    check(estimator)

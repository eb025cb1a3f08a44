"""What models can be given: labels of all kinds, tallies, weights; and what they refuse."""

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy import sparse
from sklearn.base import clone

from models import (
    COUNTS,
    LABELS,
    ONE,
    QUERIES,
    ROWS,
    SEVERAL,
    corpora,
    each_model,
    few,
)
from tallytext import BernoulliNB, MultinomialNB, Plane, Tally
from tallytext.errors import (
    CountError,
    LabelError,
    NegativeCountError,
    RecipeError,
    UnknownNameError,
)
from tallytext.models import Laplace

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
    for labels in ([3, 1, 2, 1], [True, False, True, True], [1.0, 2.0, 1.0, 1.0], ["b", 7, "a", 7]):
        for y in (labels, np.array(labels, dtype=object)):
            model = clone(model).fit(ROWS, y)
            assert {*model.classes_.tolist()} == {*labels}
            found = {type(label) for label in model.predict(ROWS).tolist()}
            assert found <= {type(label) for label in labels}


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
    with pytest.raises(RecipeError, match=r"does not have the plane Plane\(tf='log', norm='l2'"):
        MultinomialNB.from_tally(tally, tf="log", normalize="l2")
    with pytest.raises(RecipeError, match="log_length"):
        MultinomialNB.from_tally(tally, length_model=True)
    kept = Tally(planes=[Plane("log", "l2")]).learn({"sea": 2}, "sea")
    assert MultinomialNB.from_tally(kept, tf="log", normalize="l2").predict([[1]]) == ["sea"]


@pytest.mark.parametrize("model", [MultinomialNB(tf_test="log"), BernoulliNB()], ids=repr)
def test_unknown_shares_are_of_tokens_however_words_are_counted(model):
    model = clone(model).fit([[1, 0], [1, 0]], ["X", "Y"])
    assert model.unknown_shares([[3, 1], [0, 0]]).tolist() == [0.25, 0.0]


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
        ([[1, 0], [0, 1]], ["x", None], LabelError, "labels must be strings or numbers"),
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
    with pytest.raises(CountError, match="fractional, but the model was started with whole"):
        model.partial_fit([[0.5, 0, 0, 0]], ["X"])
    with pytest.raises(CountError, match="from the first call on, or never"):
        model.partial_fit([[1, 0, 0, 0]], ["X"], sample_weight=[2.0])
    with pytest.raises(NegativeCountError, match="cannot forget"):
        model.forget([[9, 0, 0, 0]], ["X"])
    with pytest.raises(UnknownNameError, match="no class 'W'"):
        model.rank(ROWS, "W")
    with pytest.raises(ValueError, match="k must be a whole number of at least 1, not 0"):
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
        multi_label = clone(model).set_params(multi_label=True).fit(corpus.rows, corpus.labels)
        for at, label in enumerate(multi_label.classes_):
            mine = ["in" if label in labels else "out" for labels in corpus.labels]
            assume(len({*mine}) == 2)
            params = {
                "complement": True,
                "prior": multi_label.prior,
                "prior_beta": multi_label.prior_beta,
            }
            alone = clone(model).set_params(**params).fit(corpus.rows, mine)
            np.testing.assert_allclose(
                multi_label.scores(queries)[:, at],
                alone.scores(queries)[:, 0],
                rtol=1e-7,
                atol=1e-7,
            )


def test_a_model_of_a_tally_needs_one():
    with pytest.raises(CountError, match="reads a Tally, not None"):
        MultinomialNB.from_tally(None)


def test_documents_that_are_refused_leave_no_trace():
    model = MultinomialNB().fit(ROWS, LABELS)
    with pytest.raises(CountError):
        model.partial_fit([[0.5, 0, 0, 0]], [["X", "Y"]], classes=["new"])
    assert model.classes_.tolist() == ["X", "Y", "Z"]
    assert model.predict(ROWS).tolist() == LABELS

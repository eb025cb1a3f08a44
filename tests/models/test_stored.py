import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import models
from models import (
    closed,
    corpora,
    each_model,
    few,
    multinomial_options,
    open_,
    prior_options,
    wider,
)
from tallytext import BernoulliNB, MultinomialNB, PoissonNB, Tally
from tallytext.errors import FileError
from tallytext.models import AbsoluteDiscount, Laplace, Smoothing
from tallytext.models.serialization import (
    estimator_from_dict,
    estimator_to_dict,
    model_state,
    restore_model,
    smoothing_from_dict,
    smoothing_to_dict,
)

KINDS = [
    MultinomialNB,
    lambda **options: BernoulliNB(**{name: options[name] for name in PRIORS}),
    lambda **options: PoissonNB(
        weighting="chi",
        per_class={"X": ("prr", 0.2), "never": (None, 1.0)},
        **{name: options[name] for name in PRIORS},
    ),
]
PRIORS = ("prior", "prior_beta", "class_weight")


def again(model):
    """The model, by way of plain values alone."""
    arrays, header = model.tally_.to_arrays()
    kept = json.dumps([estimator_to_dict(model), model_state(model), header], allow_nan=False)
    settings, state, header = json.loads(kept)
    return restore_model(estimator_from_dict(settings), Tally.from_arrays(arrays, header), state)


def same(found, model, queries):
    assert found.classes_.tolist() == model.classes_.tolist()
    np.testing.assert_array_equal(found.scores(queries), model.scores(queries))
    np.testing.assert_array_equal(found.predict(queries), model.predict(queries))


@few
@given(
    st.data(), st.sampled_from([models.ONE, models.SEVERAL]), st.sampled_from(KINDS), models.QUERIES
)
def test_a_model_comes_back_to_the_last_bit(data, labels, kind, queries):
    corpus = data.draw(corpora(labels))
    multi_label = any(len(each) != 1 for each in corpus.labels)
    weighted = set(corpus.weights) != {1.0}
    model = kind(**data.draw(multinomial_options(multi_label, weighted)))
    fitted = closed(model, corpus)
    same(again(fitted), fitted, queries)


@few
@given(corpora(weighted=False), prior_options(), models.QUERIES)
def test_a_model_of_an_open_tally_comes_back(corpus, options, queries):
    model = open_(MultinomialNB(Laplace(0.5), **options), corpus)
    same(again(model), model, wider(queries))


@each_model
def test_a_model_that_came_back_learns_and_forgets_as_before(model):
    fitted = model.fit(models.ROWS, models.LABELS)
    found = again(fitted)
    for each in (fitted, found):
        each.partial_fit([[0, 3, 0, 1]], ["W"]).forget(models.ROWS[:1], models.LABELS[:1])
    same(found, fitted, models.ROWS)


def test_what_was_chosen_from_documents_is_kept():
    model = MultinomialNB(AbsoluteDiscount("leave-one-document-out"), tf="log")
    model.fit(models.ROWS * 3, models.LABELS * 3)
    found = again(model)
    assert found.chosen_[1] == model.chosen_[1]
    same(found, model, models.ROWS)
    model.set_params(smoothing=Laplace(1))
    assert model_state(model)["chosen"] is None


def test_announced_classes_fractions_and_names_are_kept():
    import pandas as pd

    model = MultinomialNB().partial_fit(
        pd.DataFrame([[0.5, 1.0]], columns=["sea", "sky"]), [3], classes=[3, 7, 2.5]
    )
    found = again(model)
    assert found.classes_.tolist() == [2.5, 3, 7]
    assert found.unit_ == model.unit_ != 1
    assert found.feature_names_in_.tolist() == ["sea", "sky"]
    same(found, model, pd.DataFrame([[1.5, 0.0]], columns=["sea", "sky"]))


@pytest.mark.parametrize("labels", [["x", "y"], [1, 2], [1.0, 2.0], [True, False], ["x", 1]])
def test_labels_keep_their_type(labels):
    model = MultinomialNB(class_weight={labels[0]: 2.0}, prior=dict.fromkeys(labels, 0.5))
    model.fit([[1, 0], [0, 1]], labels)
    found = again(model)
    assert {*map(type, found.tally_.classes)} == {*map(type, labels)}
    same(found, model, [[1, 0], [2, 2]])


@pytest.mark.parametrize(
    "bend",
    [
        {"unit": 2.0},
        {"unit": "1"},
        {"weighted": True},
        {"weighted": 0},
        {"open": None},
        {"several": "no"},
        {"announced": "XY"},
        {"announced": [None]},
        {"announced": [["X"]]},
        {"chosen": {"kind": "Laplace", "parameters": {}}},
        {"chosen": {"kind": "os.system", "parameters": {}}},
        {"chosen": "Laplace"},
        {"more": 1},
    ],
)
def test_a_state_that_cannot_be_is_refused(bend):
    model = MultinomialNB().fit(models.ROWS, models.LABELS)
    with pytest.raises(FileError):
        restore_model(MultinomialNB(), model.tally_, model_state(model) | bend)


@pytest.mark.parametrize(
    "model",
    [
        MultinomialNB(tf="tf"),
        MultinomialNB(weighting=["chi"]),
        MultinomialNB(normalize="l2"),
        MultinomialNB(prior=[0.5]),
        MultinomialNB(prior={"X": 1.0}),
        MultinomialNB(class_weight={"X": -1.0}),
        MultinomialNB(class_weight=3),
        PoissonNB(per_class=3),
        PoissonNB(per_class={"X": 3}),
        BernoulliNB(gamma="1"),
    ],
    ids=repr,
)
def test_parameters_that_cannot_be_are_refused_at_once(model):
    fitted = MultinomialNB().fit(models.ROWS, models.LABELS)
    with pytest.raises(FileError):
        restore_model(model, fitted.tally_, model_state(fitted))


@pytest.mark.parametrize("smoothing", [each for each in models.SMOOTHINGS if each], ids=repr)
def test_smoothings_come_back(smoothing):
    assert smoothing_from_dict(json.loads(json.dumps(smoothing_to_dict(smoothing)))) == smoothing


def test_a_smoothing_of_ones_own_cannot_be_kept():
    class Laplace(Smoothing):
        pass

    with pytest.raises(FileError, match="no code"):
        smoothing_to_dict(Laplace())


@pytest.mark.parametrize(
    "stored",
    [
        None,
        {"kind": "Laplace"},
        {"kind": "Laplace", "parameters": [1]},
        {"kind": "Laplace", "parameters": {"alpha": 1}},
        {"kind": "Laplace", "parameters": {"epsilon": "1"}},
        {"kind": "Laplace", "parameters": {"epsilon": True}},
        {"kind": "Laplace", "parameters": {"epsilon": -1}},
        {"kind": "AbsoluteDiscount", "parameters": {"b": "root"}},
        {"kind": "AbsoluteDiscount", "parameters": {"literal": 1}},
        {"kind": "AbsoluteDiscount", "parameters": {"background": ["unigram"]}},
        {"kind": ["Laplace"], "parameters": {}},
        {"kind": "Smoothing", "parameters": {}},
    ],
)
def test_what_is_no_smoothing_is_refused(stored):
    with pytest.raises(FileError):
        smoothing_from_dict(stored)

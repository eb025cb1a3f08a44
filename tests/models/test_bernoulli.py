"""Bernoulli naive Bayes: equal to the obvious version, for every option."""

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from models import QUERIES, SEVERAL, agree, clear, closed, corpora, open_, prior_options, wider
from oracle import bayes as oracle
from tallytext import BernoulliNB
from tallytext.models import base

slow = [HealthCheck.too_slow, HealthCheck.filter_too_much, HealthCheck.function_scoped_fixture]
some = settings(max_examples=50, deadline=None, suppress_health_check=slow)


@st.composite
def options(draw):
    return {
        "gamma": draw(st.sampled_from([1.0, 0.1, 3.0])),
        "complement": draw(st.booleans()),
        **draw(prior_options()),
    }


@some
@given(options(), corpora(), QUERIES)
def test_scores_of_one_label_each_are_the_obvious_ones(options, corpus, queries):
    model = closed(BernoulliNB(**options), corpus)
    expected = oracle.bernoulli_scores(corpus, queries, **options)
    agree(model.scores(queries), expected)
    best, sure = model.predict(queries), clear(expected)
    assert best[sure].tolist() == model.classes_[expected.argmax(axis=1)][sure].tolist()


@some
@given(options(), corpora(SEVERAL), QUERIES)
def test_scores_of_several_labels_each_are_the_obvious_ones(options, corpus, queries):
    model = closed(BernoulliNB(**options, multi_label=True), corpus)
    expected = oracle.bernoulli_scores(corpus, queries, **options, multi_label=True)
    agree(model.scores(queries), expected)
    found = model.predict(queries)
    assert ((found == (expected > 0)) | (np.abs(expected) < 1e-5)).all()


@some
@given(options(), corpora(SEVERAL, weighted=False), QUERIES)
def test_scores_in_an_open_vocabulary_are_the_obvious_ones(options, corpus, queries):
    model = open_(BernoulliNB(**options, multi_label=True), corpus)
    expected = oracle.bernoulli_scores(corpus, queries, **options, multi_label=True)
    agree(model.scores(wider(queries)), expected)


@some
@given(options(), corpora(), QUERIES)
def test_weights_on_the_fly_and_in_bulk_are_the_same(monkeypatch, options, corpus, queries):
    found = []
    for bulk in (0, 10**9):
        monkeypatch.setattr(base, "_BATCHES_PER_VOCABULARY", bulk)
        model = closed(BernoulliNB(**options), corpus)
        found.append(model.scores(queries))
        one_by_one = np.vstack([model.scores([query]) for query in queries])
        np.testing.assert_allclose(one_by_one, found[-1], rtol=1e-12, atol=1e-12)
    np.testing.assert_allclose(found[0], found[1], rtol=1e-12, atol=1e-12)


def test_how_often_a_word_occurs_does_not_matter():
    model = BernoulliNB().fit([[3, 1, 0], [0, 1, 2]], ["x", "y"])
    once = BernoulliNB().fit([[1, 1, 0], [0, 1, 1]], ["x", "y"])
    queries = [[5, 0, 0], [0, 0.5, 2]]
    assert (model.scores(queries) == once.scores(np.array(queries) > 0)).all()


def test_a_word_that_is_absent_speaks_against_its_class():
    model = BernoulliNB(prior="uniform").fit([[1, 1], [1, 1], [0, 1]], ["x", "x", "y"])
    assert model.predict([[0, 1], [1, 1]]).tolist() == ["y", "x"]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"gamma": 0}, "gamma must be a number from 1e-12"),
        ({"gamma": "1"}, "gamma must be a number"),
        ({"complement": "only"}, "complement must be True or False"),
        ({"prior": "flat"}, "prior must be one of"),
    ],
)
def test_options_that_cannot_be_are_refused(options, message):
    with pytest.raises(ValueError, match=message):
        BernoulliNB(**options).fit([[1, 0], [0, 1]], ["x", "y"])

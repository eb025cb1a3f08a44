"""Smoothing: laws that hold for any corpus, and parameters that make sense."""

import math
import pickle

import numpy as np
import pytest
from hypothesis import HealthCheck, assume, given, settings

from naming import name_of
from smoothing_laws import closed, corpora, probabilities, single_label, smoothing_laws
from tallytext.models import (
    AbsoluteDiscount,
    Background,
    CorpusStatistics,
    Dirichlet,
    Laplace,
    Smoothing,
    Unsmoothed,
    safe_ratio,
)

few = settings(max_examples=10, deadline=None, suppress_health_check=[HealthCheck.too_slow])


class WittenBell(Smoothing):
    def seen_probability(self, counts, classes):
        return safe_ratio(counts, classes.tokens + classes.terms, 0.0)

    def backoff_mass(self, classes):
        return safe_ratio(classes.terms, classes.tokens + classes.terms, 1.0)


SMOOTHINGS = [
    Laplace(1),
    Laplace(0.1),
    Background(0.3),
    Background(1),
    Dirichlet(),
    Dirichlet(7),
    *(
        AbsoluteDiscount(b, background, scheme)
        for b in (0.5, 1.5)
        for background in ("unigram", "uniform")
        for scheme in ("interpolate", "backoff")
    ),
    AbsoluteDiscount(0.0),
    AbsoluteDiscount(1, scheme="backoff"),
    AbsoluteDiscount(math.inf, "uniform"),
    AbsoluteDiscount(),
    AbsoluteDiscount(events="pooled"),
    AbsoluteDiscount("leave-one-out"),
    AbsoluteDiscount("leave-one-document-out", "uniform", "backoff"),
    Unsmoothed(),
    WittenBell(),
]


@pytest.mark.parametrize("smoothing", SMOOTHINGS, ids=name_of)
@few
@given(corpora())
def test_every_smoothing_obeys_the_laws(smoothing, corpus):
    rows, labels = corpus
    assume(np.sum(rows) > 0)
    smoothing_laws(smoothing, rows, labels)


@pytest.mark.parametrize("smoothing", SMOOTHINGS, ids=name_of)
@few
@given(single_label())
def test_scores_are_made_of_the_probabilities(smoothing, corpus):
    rows, labels = corpus
    assume(np.sum(rows) > 0)
    for tf, norm in (("raw", None), ("log", "l2")):
        model = closed(smoothing, rows, labels, tf, norm, prior="uniform")
        inside, _ = probabilities(model)
        scores = model.scores(np.eye(5, dtype=int))
        with np.errstate(divide="ignore"):
            logs = np.log(inside) - math.log(len(model.classes_))
        known = (inside > 0).any(axis=1)
        np.testing.assert_allclose(scores[known], logs[known], rtol=1e-9, atol=1e-9)
        np.testing.assert_allclose(scores[~known], -math.log(len(model.classes_)))


@pytest.mark.parametrize("smoothing", SMOOTHINGS, ids=name_of)
def test_smoothings_are_values(smoothing):
    if not isinstance(smoothing, WittenBell):
        assert eval(repr(smoothing).replace("inf", "math.inf")) == smoothing
        assert pickle.loads(pickle.dumps(smoothing)) == smoothing


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Laplace(0), "epsilon must be a number from 1e-12 to 1e\\+12, not 0"),
        (lambda: Laplace("1"), "epsilon"),
        (lambda: Laplace(math.nan), "epsilon"),
        (lambda: Laplace(True), "epsilon"),
        (lambda: Background(0), "alpha"),
        (lambda: Background(1.1), "alpha must be a number from 1e-12 to 1"),
        (lambda: Dirichlet(-1), "m must be"),
        (lambda: AbsoluteDiscount(-0.1), "b must be"),
        (lambda: AbsoluteDiscount("best"), "b must be a number or one of .*'leave-one-out'"),
        (lambda: AbsoluteDiscount(background="words"), "background must be one of"),
        (lambda: AbsoluteDiscount(scheme="mix"), "scheme must be one of"),
        (lambda: AbsoluteDiscount(events="words"), "events must be one of"),
        (lambda: AbsoluteDiscount().backoff_mass(None), "not a number yet: call choose_parameters"),
        (lambda: Dirichlet().backoff_mass(None), "no m yet: call choose_parameters"),
    ],
)
def test_invalid_parameters_are_refused(make, message):
    with pytest.raises(ValueError, match=message):
        make()


def test_numbers_of_numpy_are_numbers():
    assert Laplace(np.float32(0.5)).epsilon == 0.5
    assert AbsoluteDiscount(np.int64(1)).choose_parameters(CorpusStatistics(np.ones(1))).b == 1


def test_a_smoothing_without_its_methods_is_refused():
    with pytest.raises(
        TypeError, match=r"Smoothing has no estimate for seen words: define seen_probability"
    ):
        Smoothing().seen_probability(np.ones(1), None)
    with pytest.raises(
        TypeError, match=r"Smoothing leaves no mass to the background: define backoff_mass"
    ):
        Smoothing().backoff_mass(None)

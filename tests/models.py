"""Corpora and options for models, models of them, and what the obvious version says."""

import json

import numpy as np
import pytest
from hypothesis import HealthCheck, assume, settings
from hypothesis import strategies as st

from oracle.bayes import Corpus
from tallytext import BernoulliNB, MultinomialNB, Plane, Tally
from tallytext.models import AbsoluteDiscount, Background, Dirichlet, Laplace, Unsmoothed
from tallytext.models.serialization import (
    estimator_from_dict,
    estimator_to_dict,
    model_arrays,
    model_state,
    restore_model,
)

slow = [HealthCheck.too_slow, HealthCheck.filter_too_much]
few = settings(max_examples=20, deadline=None, suppress_health_check=slow)

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

WIDTH = 5

COUNTS = st.lists(st.sampled_from([0, 0, 0, 1, 1, 2, 5]), min_size=WIDTH, max_size=WIDTH)
ONE = st.sampled_from(["X", "Y", "Z"]).map(lambda label: [label])
SEVERAL = st.lists(st.sampled_from(["X", "Y", "Z"]), max_size=3, unique=True)
WEIGHTS = st.sampled_from([0.5, 1.0, 2.0, 3.0])

SMOOTHINGS = [
    None,
    Laplace(1),
    Laplace(0.1),
    Background(0.2),
    Dirichlet(),
    Dirichlet(3),
    AbsoluteDiscount(),
    AbsoluteDiscount(1.3),
    AbsoluteDiscount(0.37, "uniform"),
    AbsoluteDiscount(0.37, "unigram", "backoff"),
    AbsoluteDiscount(1.3, "uniform", "backoff"),
    Unsmoothed(),
]

QUERIES = st.lists(COUNTS, min_size=1, max_size=4)


@st.composite
def corpora(draw, labels=ONE, weighted=None):
    """Documents with labels, each in a list, and perhaps weights."""
    documents = draw(st.lists(st.tuples(COUNTS, labels, WEIGHTS), min_size=1, max_size=7))
    rows, labels, weights = map(list, zip(*documents, strict=True))
    assume(np.sum(rows) and any(labels))
    weighted = draw(st.booleans()) if weighted is None else weighted
    return Corpus(rows, labels, weights if weighted else None)


@st.composite
def multinomial_options(draw, contrast, fractional):
    """Options that fit each other, for counts that may be fractional however they are made."""
    tf, norm = draw(st.sampled_from(["raw", "log", "binary"])), draw(NORMS)
    whole = not fractional and tf != "log" and norm is None
    smoothing = draw(st.sampled_from(SMOOTHINGS))
    if isinstance(smoothing, AbsoluteDiscount) and smoothing.b == "closed-form":
        smoothing = smoothing if whole and tf == "raw" else AbsoluteDiscount(0.37)
    if isinstance(smoothing, Unsmoothed) and not whole:
        smoothing = None  # What rounding leaves of a count is not zero.
    complement = draw(st.sampled_from([False, True, "only"]))
    by_class = (contrast or bool(complement)) and draw(st.booleans())
    measures = [None, "ig", "chi", "prr"] if by_class else [None, "ig", "chi", "prr", "mi", "df"]
    return {
        "smoothing": smoothing,
        "tf": tf,
        "normalize": norm,
        "norm_length": draw(st.sampled_from([None, 3.5])),
        "tf_test": draw(st.sampled_from(["raw", "log", "binary"])),
        "complement": complement,
        "weighting": draw(st.sampled_from(measures)),
        "weight_power": draw(st.sampled_from([1.0, 0.3])),
        "weight_by_class": by_class,
        "length_model": draw(st.booleans()),
        **draw(prior_options()),
    }


NORMS = st.sampled_from([None, "l1", "l2"])


@st.composite
def prior_options(draw):
    priors = ["ml", "smoothed", "uniform", {"X": 0.5, "Y": 0.2, "Z": 0.3, "never": 0.0}]
    return {
        "prior": draw(st.sampled_from(priors)),
        "prior_beta": draw(st.sampled_from([1.0, 0.1])),
        "class_weight": draw(st.sampled_from([None, "balanced", {"X": 3.0, "Z": 0.5}])),
    }


def given_labels(corpus):
    """One label per document where each has one, lists otherwise."""
    multi_label = any(len(labels) != 1 for labels in corpus.labels)
    return corpus.labels if multi_label else [labels[0] for labels in corpus.labels]


def closed(model, corpus):
    """The model, fitted on matrices."""
    weighted = set(corpus.weights) != {1.0}
    return model.fit(
        corpus.rows.astype(int), given_labels(corpus), corpus.weights if weighted else None
    )


def open_(model, corpus):
    """The model of a tally whose vocabulary is open, with a word and a class that are no more."""
    planes = [column for column in model._columns(1.0, False) if isinstance(column, Plane)]
    terms = [f"w{at}" for at in range(WIDTH)]
    tally = Tally.from_counts(corpus.rows.astype(int), given_labels(corpus), terms, planes=planes)
    tally.learn({"once": 3}, "gone").forget({"once": 3}, "gone")
    corpus.live_only = True
    return type(model).from_tally(tally, **model.get_params())


def wider(queries):
    """Queries with a word that was forgotten and one that is beyond the vocabulary."""
    return [[*query, 2, 1] for query in queries]


def agree(found, expected, with_lengths=False):
    """Scores are the same; variances of lengths lose some digits of their sums."""
    rtol = 1e-4 if with_lengths else 1e-6
    np.testing.assert_allclose(found, expected, rtol=rtol, atol=rtol)


def clear(scores):
    """Rows whose best score is ahead of all others by more than rounding."""
    ordered = np.sort(np.where(scores == -np.inf, -1e300, scores), axis=1)
    ahead = ordered[:, -1] - ordered[:, -2] if scores.shape[1] > 1 else np.ones(len(scores))
    return ahead > 1e-5


def again(model):
    """The model, by way of plain values and arrays alone."""
    arrays, header = model.tally_.to_arrays()
    kept = json.dumps([estimator_to_dict(model), model_state(model), header], allow_nan=False)
    restored, state, header = json.loads(kept)
    own = {name: np.array(array) for name, array in model_arrays(model).items()}
    return restore_model(
        estimator_from_dict(restored), Tally.from_arrays(arrays, header), state, own
    )

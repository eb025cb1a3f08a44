"""Weights of documents and of classes: whole-number weights are repetitions."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from classifiers import PLACES, TEXTS, spread
from tallytext import TextClassifier
from tallytext.classifier import learners
from tallytext.classifier.training import accepts_weights
from tallytext.errors import CountError, NotAdditiveError, SettingsError

WEIGHING = [each.name for each in learners() if accepts_weights(each.default())]
OTHERS = [each.name for each in learners() if each.name not in WEIGHING]


def repeated(texts, labels, weights):
    rows = np.repeat(np.arange(len(texts)), weights)
    return [texts[row] for row in rows], [labels[row] for row in rows]


def test_all_additive_learners_weigh_documents():
    assert {*WEIGHING} >= {each.name for each in learners(additive=True)}


# The solution of RefinedNB is the same after many passes only.
@pytest.mark.parametrize("model", [model for model in WEIGHING if model != "refined"])
@settings(max_examples=10, deadline=None)
@given(weights=st.lists(st.integers(0, 4), min_size=6, max_size=6))
def test_whole_number_weights_are_repetitions(model, weights):
    weights[0], weights[-1] = max(weights[0], 1), max(weights[-1], 1)  # both classes stay
    clf = TextClassifier(model).fit(TEXTS, PLACES, sample_weight=weights)
    again = TextClassifier(model).fit(*repeated(TEXTS, PLACES, weights))
    assert clf.classes_.tolist() == again.classes_.tolist()
    np.testing.assert_allclose(clf.scores(TEXTS), again.scores(TEXTS), rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("model", WEIGHING)
def test_weights_of_classes_are_weights_of_their_documents(model):
    texts, labels = spread()
    weights = {"sea": 3, "sky": 0.5}
    clf = TextClassifier(model, class_weight=weights).fit(texts, labels)
    own = [weights.get(label, 1.0) for label in labels]
    same = TextClassifier(model).fit(texts, labels, sample_weight=own)
    assert clf.scores(texts).tobytes() == same.scores(texts).tobytes()
    assert clf.predict_proba(texts).shape == (len(texts), 3)


@pytest.mark.parametrize("model", ["auto", "best"])
def test_choices_compare_the_learners_that_weigh_documents(model):
    texts, labels = spread()
    clf = TextClassifier(model, class_weight="balanced").fit(texts, labels)
    assert {each.learner for each in clf.trials_} <= {*WEIGHING}
    assert clf.score(texts, labels) > 0.8
    assert clf.report().score is not None


def test_balanced_classes_have_the_same_prior():
    texts, labels = TEXTS[:4], PLACES[:4]  # three documents of the sea, one of the sky
    clf = TextClassifier("multinomial", class_weight="balanced").fit(texts, labels)
    prior = np.exp(clf.scores(["nothing known"]))
    assert prior[0, 0] == pytest.approx(prior[0, 1])


def test_documents_of_weight_zero_leave_no_trace():
    clf = TextClassifier("multinomial").fit(
        [*TEXTS, "strange words"], [*PLACES, "elsewhere"], sample_weight=[1] * 6 + [0]
    )
    assert "elsewhere" not in clf.classes_
    assert "strange" not in clf.vectorizer_.vocabulary_.terms()


def test_several_labels_can_be_weighed():
    lists, weights = [[place, "all"] for place in PLACES], [1, 2, 3, 1, 2, 3]
    clf = TextClassifier("poisson").fit(TEXTS, lists, sample_weight=weights)
    again = TextClassifier("poisson").fit(*repeated(TEXTS, lists, weights))
    np.testing.assert_allclose(clf.scores(TEXTS), again.scores(TEXTS), rtol=1e-5, atol=1e-5)
    with pytest.raises(SettingsError, match="one label"):
        TextClassifier("poisson", class_weight="balanced").fit(TEXTS, lists)


@pytest.mark.parametrize("model", WEIGHING)
def test_a_weighted_classifier_is_saved_and_cannot_be_updated(model):
    clf = TextClassifier(model, class_weight={"sea": 2.0}).fit(TEXTS, PLACES)
    loaded = TextClassifier.from_bytes(clf.to_bytes())
    assert loaded.scores(TEXTS).tobytes() == clf.scores(TEXTS).tobytes()
    assert loaded.class_weight == {"sea": 2.0}
    for each in (clf, loaded):
        with pytest.raises(NotAdditiveError, match="weight"):
            each.learn(TEXTS, PLACES)
        with pytest.raises(NotAdditiveError, match="weight"):
            each.forget(TEXTS, PLACES)
        with pytest.raises(NotAdditiveError, match="weight"):
            each + each


@pytest.mark.parametrize("model", OTHERS)
def test_learners_that_cannot_weigh_documents_name_those_that_can(model):
    with pytest.raises(SettingsError, match=f"{model} cannot weigh.*multinomial"):
        TextClassifier(model).fit(TEXTS, PLACES, sample_weight=[1, 2, 3, 1, 2, 3])


def test_weights_that_make_no_sense_are_refused():
    for weights in ([1] * 5, [-1] * 6, [float("nan")] * 6):
        with pytest.raises(CountError):
            TextClassifier("multinomial").fit(TEXTS, PLACES, sample_weight=weights)
    for wrong in ("equal", 3, {"sand": 2}):
        with pytest.raises(SettingsError, match="class_weight"):
            TextClassifier("multinomial", class_weight=wrong).fit(TEXTS, PLACES)
    with pytest.raises(SettingsError, match="select"):
        TextClassifier("multinomial", select="chi", class_weight="balanced").fit(TEXTS, PLACES)
    with pytest.raises(SettingsError, match="all documents at once"):
        TextClassifier("multinomial", class_weight="balanced").fit_batches([(TEXTS, PLACES)])

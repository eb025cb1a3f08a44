"""A learner that is no function of counts, among those that are."""

import numpy as np
import pytest
from sklearn.base import BaseEstimator, clone
from sklearn.linear_model import LogisticRegression

from classifiers import NAMED, PLACES, TEXTS, fitted, spread, spread_several
from tallytext import TextClassifier
from tallytext.classifier import Learner, learners, register, unregister
from tallytext.decision import log_odds
from tallytext.decision.calibrators import log_probabilities
from tallytext.errors import NotAdditiveError
from tallytext.tally.labels import class_position


class Logistic(BaseEstimator):
    """Logistic regression, as a classifier asks a model."""

    contrasts = False
    multi_label_ = False

    def __init__(self, C=1.0):
        self.C = C

    def fit(self, X, labels):
        self.fitted_ = LogisticRegression(C=self.C, max_iter=500).fit(X, labels)
        self.classes_ = self.fitted_.classes_
        return self

    def scores_and_lengths(self, X):
        width = self.fitted_.n_features_in_
        X = X[:, :width]
        return self.fitted_.predict_log_proba(X), np.asarray(X.sum(axis=1), dtype=float).ravel()

    def log_odds(self, scores):
        return log_odds(scores)

    def posteriors(self, scores):
        return log_probabilities(scores, False, False)

    def predict(self, X):
        return self.classes_[self.scores_and_lengths(X)[0].argmax(axis=1)]

    def class_number(self, label):
        return class_position(label, self.classes_)

    def rank(self, X, label):
        return log_odds(self.scores_and_lengths(X)[0])[:, self.class_number(label)]


@pytest.fixture
def logistic():
    learner = Learner(
        "logistic",
        "logistic regression",
        Logistic,
        settings=({}, {"C": 10.0}),
        additive=False,
        multi_label=False,
        needs_documents=True,
        validation="refitting",
    )
    register(learner)
    yield learner
    unregister("logistic")


def correlated():
    """One word that tells, and many copies of one that misleads, which naive models count often."""
    rng = np.random.default_rng(2)
    texts, labels = [], []
    for _ in range(300):
        label = rng.integers(0, 2)
        misled = label if rng.random() < 0.6 else 1 - label
        hint = label if rng.random() < 0.95 else 1 - label
        texts.append(" ".join([f"hint{hint}", *(f"copy{n}of{misled}" for n in range(150))]))
        labels.append(["no", "yes"][label])
    return texts, labels


def test_a_choice_of_additive_learners_has_no_other(logistic):
    clf = TextClassifier("additive", budget=600).fit(*correlated())
    assert "logistic" not in {trial.learner for trial in clf.trials_}
    assert clf.report().learner in NAMED


def test_the_best_is_taken_where_it_is_better(logistic):
    texts, labels = correlated()
    clf = TextClassifier("best", budget=600).fit(texts[:200], labels[:200])
    assert {trial.learner for trial in clf.trials_} == {*NAMED, "refined", "logistic"}
    assert clf.report().learner in {"refined", "logistic"}
    assert clf.score(texts[200:], labels[200:]) > 0.85
    assert fitted("multinomial", (texts[:200], labels[:200])).report().score < clf.report().score
    np.testing.assert_allclose(clf.predict_proba(texts).sum(axis=1), 1.0)
    assert clf.predict_set(texts[:3]) and clf.top_k(texts[:3])


def test_the_best_is_additive_where_that_is_as_good(logistic):
    clf = TextClassifier("best", budget=600).fit(["sea salt", "sky blue"] * 20, ["sea", "sky"] * 20)
    assert clf.report().learner in NAMED
    clf.learn("sand", "land")


@pytest.mark.parametrize("labels", [PLACES, [[place] for place in PLACES]])
def test_a_learner_that_is_named_is_taken(logistic, labels):
    clf = TextClassifier("logistic").fit(TEXTS, labels)
    assert clf.report().learner == "logistic"
    assert clf.predict(TEXTS).tolist() == PLACES
    assert clf.predict([*TEXTS, "never heard of"]).shape == (7,)
    assert clf.rank(TEXTS, "sea").argmax() < 3
    assert clf.scores([]).shape == (0, 2)


@pytest.mark.parametrize("verb", ["learn", "forget", "merge"])
def test_what_is_not_additive_cannot_change(logistic, verb):
    clf = fitted("logistic", (TEXTS, PLACES))
    with pytest.raises(NotAdditiveError, match=rf"cannot {verb}.*logistic.*model=\"auto\""):
        clf + clf if verb == "merge" else getattr(clf, verb)(TEXTS, PLACES)
    additive = fitted("multinomial", (TEXTS, PLACES))
    with pytest.raises(NotAdditiveError, match="logistic"):
        additive + clf
    with pytest.raises(NotAdditiveError, match="logistic"):
        clf.partial_fit(TEXTS, PLACES)


def test_what_is_not_additive_can_be_calibrated_anew(logistic):
    texts, labels = spread()
    clf = fitted("logistic", (texts[:120], labels[:120])).recalibrate(texts[120:], labels[120:])
    assert clf.report().method == "held out"
    assert clf.report().score == clf.score(texts[120:], labels[120:])


def test_learners_of_one_label_are_left_out_where_there_are_several(logistic):
    assert "logistic" not in {each.name for each in learners(multi_label=True)}
    for multi_label in (None, True):
        clf = TextClassifier("best", multi_label=multi_label, budget=600).fit(*spread_several())
        assert "logistic" not in {trial.learner for trial in clf.trials_}
        with pytest.raises(ValueError, match="logistic cannot give a document several labels"):
            TextClassifier("logistic", multi_label=multi_label).fit(*spread_several())


def test_documents_that_are_kept_for_training_are_let_go(logistic):
    clf = fitted("logistic", spread())
    assert not hasattr(clf, "counting")
    assert clone(clf).model == "logistic"

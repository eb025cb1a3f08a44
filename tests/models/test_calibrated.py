import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn import naive_bayes as reference
from sklearn.base import clone

from tallytext import BernoulliNB, Calibrated, MultinomialNB, PoissonNB
from tallytext.decision import Isotonic, Platt, Temperature, TopLabel
from tallytext.errors import LabelError, ScoreError
from tallytext.evaluation import calibration_error, top_label

N_TERMS = 60


def corpus(n=400, seed=0):
    """Documents whose words come in bursts, so that naive Bayes is far too sure of itself."""
    random = np.random.default_rng(seed)
    topics = np.random.default_rng(1).dirichlet(np.full(N_TERMS, 2.0), size=3)
    y = random.integers(0, 3, n)
    words = np.stack([random.dirichlet(8 * topics[label]) for label in y])
    X = np.stack([random.multinomial(random.integers(10, 120), each) for each in words])
    return X, np.array(["a", "b", "c"])[y]


def log_loss(y, probabilities):
    right = np.searchsorted(["a", "b", "c"], y)
    return -np.log(probabilities[np.arange(len(y)), right]).mean()


def error(model, X, y):
    return calibration_error(*top_label(model.predict_proba(X), y[:, None] == model.classes_))


@pytest.fixture(scope="module")
def training():
    return corpus()


@pytest.fixture(scope="module")
def new():
    return corpus(2000, seed=5)


@pytest.mark.parametrize(
    "model", [MultinomialNB(), BernoulliNB(), MultinomialNB.chi_contrast(), PoissonNB()], ids=repr
)
@pytest.mark.parametrize("method", ["auto", "temperature", "platt", "isotonic"])
def test_decisions_stay_and_probabilities_improve(model, method, training, new):
    raw = clone(model).fit(*training)
    calibrated = Calibrated(model, method=method).fit(*training)
    probabilities = calibrated.predict_proba(new[0])
    assert np.allclose(probabilities.sum(axis=1), 1)
    assert (calibrated.predict(new[0]) == raw.predict(new[0])).all()
    assert error(calibrated, *new) < max(0.6 * error(raw, *new), 0.03)


def test_the_likeliest_class_is_the_one_predicted(training, new):
    model = Calibrated().fit(*training)
    likeliest = model.classes_[model.predict_proba(new[0]).argmax(axis=1)]
    assert (likeliest == model.predict(new[0])).all()
    logs = model.predict_log_proba(new[0])
    assert np.allclose(np.exp(logs), model.predict_proba(new[0]))


def test_the_calibration_is_fitted_on_documents_left_out(training):
    X, y = training
    model = Calibrated(MultinomialNB(), method="temperature").fit(X, y)
    seen = MultinomialNB().fit(X, y).leave_one_out(X, y)
    expected = Temperature.fit(seen.scores, seen.lengths, seen.truth.argmax(axis=1), shrink=True)
    assert model.calibrator_.a == pytest.approx(expected.a)
    assert model.calibrator_.p == pytest.approx(expected.p)


@pytest.mark.parametrize(
    ("model", "more", "method"),
    [
        (MultinomialNB(), {}, "leave-one-out"),
        (BernoulliNB(), {}, "leave-one-out"),
        (MultinomialNB(weighting="ig"), {}, "cross-validation"),
        (PoissonNB(), {}, "cross-validation"),
        (MultinomialNB(), {"groups": np.arange(400) // 2}, "cross-validation"),
        (MultinomialNB(), {"time": np.arange(400)}, "cross-validation"),
    ],
)
def test_labels_are_never_judged_with_their_own_help(model, more, method, training):
    assert Calibrated(model).fit(*training, **more).out_of_sample_ == method


def test_documents_of_a_group_do_not_vouch_for_each_other():
    X, y = corpus(150, seed=2)
    twice, labels = np.repeat(X, 2, axis=0), np.repeat(y, 2)
    by_itself = Calibrated(method="temperature").fit(twice, labels)
    in_pairs = Calibrated(method="temperature").fit(
        twice, labels, groups=np.repeat(np.arange(150), 2)
    )
    new = corpus(2000, seed=6)
    assert error(in_pairs, *new) < error(by_itself, *new)


def test_either_way_can_be_asked_for(training):
    model = Calibrated(out_of_sample="cross-validation", folds=3).fit(*training)
    assert model.out_of_sample_ == "cross-validation"
    weighed = Calibrated(MultinomialNB(weighting="ig"), out_of_sample="leave-one-out")
    assert weighed.fit(*training).out_of_sample_ == "leave-one-out"


def multi_label(labels):
    return [[label, "more"] if label == "a" else [label] for label in labels]


@pytest.mark.parametrize(("method", "kind"), [("auto", Isotonic), ("platt", Platt)])
def test_several_labels_are_calibrated_one_by_one(method, kind, training, new):
    model = Calibrated(method=method).fit(training[0], multi_label(training[1]))
    assert isinstance(model.calibrator_, kind)
    probabilities = model.predict_proba(new[0])
    assert (model.predict(new[0]) == (probabilities > 0.5)).all()
    truth = np.array(
        [[label in labels for label in model.classes_] for labels in multi_label(new[1])]
    )
    raw = MultinomialNB().fit(training[0], multi_label(training[1])).predict_proba(new[0])
    assert ((probabilities - truth) ** 2).mean() < ((raw - truth) ** 2).mean()


def test_recalibration_changes_nothing_but_the_calibration(training, new):
    model = Calibrated().fit(*training)
    before, tally = model.calibrator_, model.estimator_.tally_.copy()
    model.recalibrate(*new)
    assert model.calibrator_ is not before
    assert model.out_of_sample_ == "held out"
    assert model.estimator_.tally_ == tally
    assert error(model, *new) < 0.06


def test_it_is_an_estimator_like_others(training, new):
    model = Calibrated(MultinomialNB(prior="uniform"), method="platt", folds=4)
    copy = clone(model)
    assert copy.get_params()["estimator__prior"] == "uniform"
    assert copy.set_params(estimator__prior="ml").estimator.prior == "ml"
    fitted = model.fit(*training)
    assert not hasattr(model.estimator, "tally_")
    again = pickle.loads(pickle.dumps(fitted))
    assert np.array_equal(again.predict_proba(new[0]), fitted.predict_proba(new[0]))
    assert fitted.score(*new) > 0.5


def test_classes_of_one_document_are_no_obstacle():
    X, y = corpus(60, seed=3)
    y = np.append(y[:-1], "rare")
    model = Calibrated().fit(X, y)
    assert np.isfinite(model.predict_proba(X)).all()
    assert model.classes_.tolist() == ["a", "b", "c", "rare"]


@pytest.mark.parametrize("method", ["auto", "temperature", "platt"])
def test_a_class_of_one_document_does_not_spoil_the_others(method, training, new):
    X, y = training
    lonely = np.vstack([X, new[0][:1]]), np.append(y, "z")
    others = new[0][1:], new[1][1:]
    losses = []
    for some in (training, lonely):
        model = Calibrated(method=method).fit(*some)
        losses.append(log_loss(others[1], model.predict_proba(others[0])))
    assert losses[1] < losses[0] + 0.15


def test_documents_of_classes_that_are_gone_leave_the_temperature_alone():
    model = Calibrated(method="temperature").fit(np.eye(3, dtype=int), ["a", "b", "c"])
    assert model.calibrator_ == Temperature()


def test_weights_are_passed_on(training):
    X, y = training
    weights = np.where(y == "a", 0.0, 1.0)
    weights[:20] = 1.0
    model = Calibrated().fit(X, y, sample_weight=weights)
    assert model.estimator_.weighted_


def test_documents_that_weigh_nothing_do_not_count(training, new):
    X, y = training
    wrong = np.concatenate([y, np.roll(["a", "b", "c"], 1)[np.searchsorted(["a", "b", "c"], y)]])
    weights = np.repeat([1.0, 0.0], len(y))
    model = Calibrated().fit(np.vstack([X, X]), wrong, sample_weight=weights)
    alone = Calibrated().fit(X, y, sample_weight=np.ones(len(y)))
    np.testing.assert_allclose(model.predict_proba(new[0]), alone.predict_proba(new[0]))


def test_what_cannot_be_is_refused(training):
    with pytest.raises(ValueError, match="method must be one of"):
        Calibrated(method="magic").fit(*training)
    with pytest.raises(ValueError, match="out_of_sample must be one of"):
        Calibrated(out_of_sample="training").fit(*training)
    with pytest.raises(ValueError, match="groups and time need folds"):
        Calibrated(out_of_sample="leave-one-out").fit(*training, groups=np.arange(400))
    with pytest.raises(TypeError, match=r"a model of tallytext.models, not MultinomialNB\(\)"):
        Calibrated(reference.MultinomialNB()).fit(*training)
    with pytest.raises(LabelError, match="400 documents, but labels for 399"):
        Calibrated().fit(*training).recalibrate(training[0], training[1][1:])
    with pytest.raises(ScoreError, match="these documents are multi-label"):
        Calibrated(method="temperature").fit(training[0], multi_label(training[1]))


# ------------------------------------------------------------------ the map of the best class


@given(st.lists(st.lists(st.floats(-50, 50), min_size=3, max_size=3), min_size=1, max_size=6))
def test_the_best_class_stays_the_best(scores):
    lengths = np.arange(len(scores))
    for top in (Platt([2.0], [-3.0]), Platt([0.0], [-9.0]), Platt([0.1], [9.0])):
        logs = TopLabel(Temperature(0.5, 0.3), top, 0.99).log_proba(scores, lengths)
        made = np.exp(logs)
        assert np.allclose(made.sum(axis=1), 1)
        best = Temperature(0.5, 0.3).log_proba(scores, lengths).argmax(axis=1)
        assert (made[np.arange(len(made)), best] == made.max(axis=1)).all()
        assert made.max() <= 0.99 + 1e-12


def test_a_map_of_the_best_class_is_right_as_often_as_it_says():
    random = np.random.default_rng(0)
    scores = random.normal(0, 3, (2000, 4))
    truth = np.where(random.random(2000) < 0.7, scores.argmax(axis=1), 0)
    lengths = np.ones(2000)
    for isotonic in (True, False):
        fitted = TopLabel.fit(scores, lengths, truth, isotonic=isotonic)
        top = np.exp(fitted.log_proba(scores, lengths)).max(axis=1)
        assert top.mean() == pytest.approx((scores.argmax(axis=1) == truth).mean(), abs=0.01)


def test_a_map_survives_a_file():
    random = np.random.default_rng(0)
    scores, truth = random.normal(size=(200, 3)), random.integers(0, 3, 200)
    for isotonic in (True, False):
        fitted = TopLabel.fit(scores, np.ones(200), truth, isotonic=isotonic)
        again = TopLabel.from_dict(fitted.to_dict())
        ones = np.ones(200)
        assert np.array_equal(again.log_proba(scores, ones), fitted.log_proba(scores, ones))
    with pytest.raises(ScoreError, match="not the parameters of TopLabel"):
        TopLabel.from_dict({"kind": "magic"})

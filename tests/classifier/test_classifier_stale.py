"""What is kept from training, and when it is too old."""

import warnings

import numpy as np
import pytest

import model_files
from classifiers import NAMED, PLACES, TEXTS, fitted, proba, spread, spread_several
from tallytext import TextClassifier
from tallytext.classifier import classifier
from tallytext.errors import SettingsError, StaleWarning

each_learner = pytest.mark.parametrize("model", NAMED)

CHANGES = {
    "learned": lambda clf: clf.learn("salt", [] if clf.multi_label_ else "sea"),
    "forgotten": lambda clf: clf.forget(*first_of(clf)),
    "merged": lambda clf: clf + clf,
}
WRONG = {"sea": "sky", "sky": "land", "land": "sea"}
each_change = pytest.mark.parametrize(("verb", "change"), CHANGES.items(), ids=CHANGES)


def first_of(clf):
    texts, labels = spread_several() if clf.multi_label_ else spread()
    return texts[:1], labels[:1]


def trained(multi_label):
    return fitted("multinomial", spread_several() if multi_label else spread(), multi_label)


def silent(function, *arguments):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        return function(*arguments)


def learn_wrong_labels(clf, n=60):
    texts, labels = spread()
    return clf.learn(texts[:n], [WRONG[label] for label in labels[:n]])


ASKED = ["predict_proba", "predict_set", "top_k", "predict_log_proba"]


@pytest.mark.parametrize("ask", ASKED)
def test_a_model_that_is_sure_and_wrong_warns_once(ask):
    clf = learn_wrong_labels(trained(False))
    with pytest.warns(StaleWarning, match="^probabilities, sets and thresholds are stale: the "):
        getattr(clf, ask)(TEXTS)
    for again in ASKED:
        silent(getattr(clf, again), TEXTS)
    report = clf.report()
    assert report.is_stale
    assert f"stale        {clf.changes_}" in str(report)
    assert "predicted before learning: " in str(report)
    assert "corrections are often" in str(report)


def test_labels_below_a_confidence_warn_too():
    with pytest.warns(StaleWarning):
        learn_wrong_labels(trained(False)).predict(TEXTS, min_confidence=0.5)


def test_each_model_warns_for_itself():
    clf = learn_wrong_labels(trained(False))
    for each in (clf, TextClassifier.from_bytes(clf.to_bytes()), clf + clf):
        with pytest.warns(StaleWarning):
            each.predict_proba(TEXTS)


@each_change
def test_what_is_within_its_error_does_not_warn(verb, change):
    before = trained(False)
    clf = change(before)
    for ask in ASKED:
        silent(getattr(clf, ask), TEXTS)
    report = clf.report()
    assert not report.is_stale
    assert f"changed      {clf.changes_}" in str(report)
    assert "still valid" in str(report)


def test_documents_that_go_on_as_before_do_not_warn():
    texts, labels = spread()
    clf = fitted("multinomial", (texts[:80], labels[:80]), False)
    for text, label in zip(texts[80:], labels[80:], strict=True):
        clf.learn(text, label)
        silent(clf.predict_proba, TEXTS[:1])
    check = clf.report().check
    assert 16 <= check.n_documents <= len(texts) - 80
    assert abs(check.gap) < 0.3


@pytest.mark.parametrize("at_once", [True, False])
def test_scores_of_few_documents_are_kept_if_there_are_many_classes(at_once, monkeypatch):
    monkeypatch.setattr(classifier, "_MAX_CHECKED_SCORES", 30)  # of 3 classes
    texts, labels = spread()
    clf = fitted("multinomial", (texts[:80], labels[:80]), False)
    size = 120 if at_once else 1
    for at in range(80, 200, size):
        clf.learn(texts[at : at + size], labels[at : at + size])
        assert sum(each.scores.size for each in clf._unchecked) < 30 + 3
    assert clf.report().check.n_documents >= 5


def test_most_documents_forgotten_are_a_reason_to_warn():
    texts, labels = spread()
    rng = np.random.default_rng(0)
    noisy = [str(label) for label in rng.choice([*WRONG], len(labels))]
    clf = fitted("multinomial", (texts, noisy), False)
    clf.forget(texts[4:], noisy[4:])
    with pytest.warns(StaleWarning):
        clf.predict_proba(TEXTS)


def test_the_check_is_saved_and_ends_with_a_new_calibration():
    texts, labels = spread()
    clf = trained(False).learn(texts[:40], labels[:40])
    again = TextClassifier.from_bytes(clf.to_bytes())
    assert again.report().check == clf.report().check
    assert again.report().check.n_documents >= 16
    again.recalibrate(texts, labels)
    assert again.report().check is None


def test_refused_documents_are_not_checked():
    clf = trained(False)
    clf.calibration_  # noqa: B018
    with pytest.raises(ValueError, match="label"):
        clf.learn(["salt", "wind"], ["sea"])
    assert clf.report().check is None


@each_change
def test_scores_ranks_and_single_labels_are_never_stale(verb, change):
    clf = change(trained(False))
    for ask in (clf.predict, clf.scores):
        silent(ask, TEXTS)
    silent(clf.rank, TEXTS, "sea")
    silent(clf.explain, TEXTS[0])


@each_change
def test_of_several_labels_probabilities_and_thresholds_follow(verb, change):
    before = trained(True)
    n_scored = before.calibration_.n_documents
    clf = change(before)
    for ask in (clf.predict, clf.predict_proba, clf.predict_set, clf.top_k, clf.scores):
        silent(ask, TEXTS)
    n = clf.changes_.learned - clf.changes_.forgotten
    assert clf.calibration_.n_documents == (2 * n_scored if verb == "merged" else n_scored + n)
    report = str(clf.report())
    assert f"changed      {clf.changes_} since the training" in report
    assert "stale" not in report


def test_of_several_labels_an_old_file_has_no_scores_to_follow():
    clf = TextClassifier.load(model_files.FOLDER / "model-2.tally")
    before = clf.calibration_
    clf.learn("salt", ["sea"])
    with pytest.warns(StaleWarning):
        clf.predict(TEXTS)
    assert clf.calibration_ is before
    with pytest.raises(SettingsError, match="lacks the scores"):
        clf.set_thresholds("macro")


@pytest.mark.parametrize("multi_label", [False, True])
def test_a_new_calibration_is_not_stale(multi_label):
    texts, labels = spread_several() if multi_label else spread()
    clf = fitted("multinomial", (texts[:80], labels[:80]), multi_label)
    clf.learn(texts[80:120], labels[80:120]).recalibrate(texts[120:], labels[120:])
    for ask in (clf.predict_proba, clf.predict_set, clf.predict, clf.top_k):
        silent(ask, TEXTS)
    report = clf.report()
    assert "stale" not in str(report)
    assert not report.changes
    assert (report.method, report.n_evaluated) == ("held out", len(texts) - 120)
    if not multi_label:
        assert report.score == clf.score(texts[120:], labels[120:])


def test_a_fresh_classifier_is_not_stale():
    clf = trained(False)
    silent(clf.predict_proba, TEXTS)
    assert "stale" not in str(clf.report())


def test_nothing_learned_is_no_change():
    clf = trained(False).learn([], [])
    silent(clf.predict_proba, TEXTS)


def test_raw_probabilities_are_never_stale():
    clf = fitted("multinomial", (["salt"], ["sea"])).learn("wind", "sky")
    assert clf.calibration_ is None
    np.testing.assert_allclose(silent(clf.predict_proba, TEXTS).sum(axis=1), 1.0)


@each_learner
@pytest.mark.parametrize("multi_label", [False, True])
def test_a_class_that_is_new_gets_probabilities(model, multi_label):
    texts, labels = spread_several() if multi_label else spread()
    clf = fitted(model, (texts, labels), multi_label)
    before = proba(clf, texts)
    new = ["desert sand dune", "dune camel sand", "sand sand desert"] * 5
    clf.learn(new, [["dry"] if multi_label else "dry"] * 15)
    found = proba(clf, [*new[:3], *texts])
    assert clf.classes_.tolist() == ["dry", "land", "sea", "sky"]
    assert ((found >= 0) & (found <= 1)).all()
    assert found[:3, 0].min() > found[3:, 0].mean()
    if multi_label:
        assert np.median(np.abs(found[3:, 1:] - before)) < 0.2
    else:
        np.testing.assert_allclose(found.sum(axis=1), 1.0)
        assert clf.predict(new).tolist() == ["dry"] * 15


@each_learner
@pytest.mark.parametrize("multi_label", [False, True])
def test_a_class_that_is_gone_gets_none(model, multi_label):
    texts, labels = spread_several() if multi_label else spread()
    clf = fitted(model, (texts, labels), multi_label)
    gone = [
        at for at, each in enumerate(labels) if (each == ["sky"] if multi_label else each == "sky")
    ]
    both = [
        at for at, each in enumerate(labels) if multi_label and "sky" in each and each != ["sky"]
    ]
    gone += both
    clf.forget([texts[at] for at in gone], [labels[at] for at in gone])
    found = proba(clf, texts)
    assert clf.classes_.tolist() == ["land", "sea"]
    assert found.shape == (len(texts), 2)
    assert np.isfinite(found).all()


@pytest.mark.parametrize("multi_label", [False, True])
def test_documents_of_unknown_labels_cannot_calibrate(multi_label):
    clf = trained(multi_label)
    with pytest.raises(ValueError, match="no document has a label that the model knows"):
        clf.recalibrate(["salt"], [["moon"] if multi_label else "moon"])
    with pytest.raises(ValueError, match="no document to calibrate on"):
        clf.recalibrate([], [])


def test_recalibrating_learns_no_word():
    clf = trained(False)
    clf.recalibrate(["never heard", *TEXTS], ["sea", *PLACES])
    assert "heard" not in clf.vectorizer_.vocabulary_

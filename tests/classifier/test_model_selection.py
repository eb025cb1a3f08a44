"""Model selection: the selected model, its held-out score, and the report on both."""

import json
import pickle

import numpy as np
import pytest

from classifiers import NAMED, PLACES, TEXTS, answers, fitted, spread, spread_several
from tallytext import MultinomialNB, TextClassifier
from tallytext.classifier import (
    Learner,
    find_learner,
    learners,
    model_selection,
    register,
    unregister,
)

MARKER = "Xyzzyva quokka Zyzzyva plugh"


def absences():
    """Texts of one sort that say a word twice, of another that say it once, and an odd word each.

    How often a word is said tells the classes apart; that it is said at all does not.
    """
    rng = np.random.default_rng(3)
    fillers = np.array([f"w{n}" for n in range(30)])
    once = [" ".join(["key", *rng.choice(fillers, 8)]) for _ in range(60)]
    never = [" ".join(rng.choice(fillers, 8)) for _ in range(60)]
    return once + never, ["once"] * 60 + ["never"] * 60


def best_of(report):
    return max(trial.score for trial in report.trials if trial.score is not None)


@pytest.mark.parametrize("corpus", [spread, spread_several, absences])
def test_what_did_best_is_chosen(corpus):
    clf = TextClassifier("additive").fit(*corpus())
    report = clf.report()
    first = report.trials[0]
    assert first.learner == clf.learner_.name
    finalists = [t.score for t in report.trials[:4]]
    assert finalists == sorted(finalists, reverse=True)
    assert report.learner in NAMED
    assert {trial.learner for trial in report.trials} == set(NAMED)
    assert len(report.trials) == sum(len(each.settings) for each in learners(additive=True))


def test_where_absent_words_decide_a_model_of_absent_words_is_chosen():
    assert TextClassifier("additive").fit(*absences()).report().learner == "bernoulli"


def test_equals_are_won_by_the_first():
    texts, labels = ["sea salt", "sky blue"] * 20, ["sea", "sky"] * 20
    clf = TextClassifier("additive").fit(texts, labels)
    assert {trial.score for trial in clf.trials_ if trial.score is not None} == {1.0}
    assert clf.report().learner == learners()[0].name
    assert repr(clf.model_).startswith("MultinomialNB")


def test_without_a_budget_one_model_is_tried():
    clf = TextClassifier(budget=0).fit(*spread())
    tried = [trial for trial in clf.report().trials if trial.score is not None]
    assert [trial.learner for trial in tried] == [learners()[0].name]
    assert "to save time" in clf.report().to_text(verbose=True)
    assert clf.calibration_ is not None


def test_time_enough_tries_all_models():
    clf = TextClassifier(budget=600).fit(*spread())
    assert all(trial.score is not None for trial in clf.trials_)
    assert "to save time" not in clf.report().to_text(verbose=True)


def test_a_model_that_was_named_is_not_compared():
    clf = fitted("poisson", spread())
    report = clf.report()
    assert [trial.learner for trial in report.trials] == ["poisson"]
    assert report.score > 0.5
    assert report.n_evaluated == 200
    assert "setting" in report.to_text(verbose=True)


def test_the_expected_score_is_near_that_of_new_documents():
    texts, labels = spread()
    clf = fitted("multinomial", (texts[:100], labels[:100]))
    assert abs(clf.report().score - clf.score(texts[100:], labels[100:])) < 0.15


def copies():
    """Five copies of each text under a label of chance: nothing can be learned but the copies."""
    rng = np.random.default_rng(11)
    texts = [" ".join(rng.choice([f"w{n}" for n in range(400)], 12)) for _ in range(40)]
    labels = rng.integers(0, 2, 40).tolist()
    return texts * 5, labels * 5, list(range(40)) * 5


@pytest.mark.parametrize("model", ["multinomial", "bernoulli", "auto"])
def test_groups_are_kept_from_models_together(model):
    texts, labels, groups = copies()
    leaking = TextClassifier(model).fit(texts, labels).report()
    honest = TextClassifier(model).fit(texts, labels, groups=groups).report()
    assert leaking.score > 0.95
    assert honest.score < 0.75
    assert (leaking.method, honest.method) == ("cross-validation", "groups")
    assert "pass groups= or time=" in str(leaking)
    assert "pass groups= or time=" not in str(honest)
    assert honest.n_evaluated == 200


def test_one_group_leaves_nothing_to_judge():
    report = TextClassifier("multinomial").fit(TEXTS, PLACES, groups=["x"] * 6).report()
    assert report.score is None
    assert "not calibrated" in str(report)


def drifting():
    """Texts whose words mean the opposite from a moment on."""
    texts = ["salt wave", "cloud wind"] * 50
    labels = ["sea", "sky"] * 40 + ["sky", "sea"] * 10
    return texts, labels, np.arange(100)


def test_models_are_judged_on_the_latest():
    texts, labels, time = drifting()
    shuffled = np.random.default_rng(5).permutation(100)
    texts, labels = ([items[at] for at in shuffled] for items in (texts, labels))
    report = TextClassifier("multinomial").fit(texts, labels, time=time[shuffled]).report()
    assert (report.score, report.n_evaluated, report.method) == (0.0, 20, "time")
    assert TextClassifier("multinomial").fit(texts, labels).report().score > 0.7


def test_documents_of_one_moment_are_on_one_side():
    texts, labels, _ = drifting()
    times = ["2024"] * 70 + ["2025"] * 14 + ["2026"] * 16
    report = TextClassifier("multinomial").fit(texts, labels, time=times).report()
    assert report.n_evaluated == 16
    assert report.score == 0.0
    # There is nothing earlier than the only moment.
    assert TextClassifier("multinomial").fit(texts, labels, time=[1] * 100).report().score is None


def test_groups_and_time_say_what_is_wrong():
    clf = TextClassifier("multinomial")
    with pytest.raises(ValueError, match="groups or time, not both"):
        clf.fit(TEXTS, PLACES, groups=PLACES, time=range(6))
    with pytest.raises(ValueError, match=r"6 documents, but groups of shape \(2,\)"):
        clf.fit(TEXTS, PLACES, groups=[1, 2])
    with pytest.raises(ValueError, match=r"6 documents, but time of shape"):
        clf.fit(TEXTS, PLACES, time=[[1] * 6])


FEW = {
    "one document": (["salt"], ["sea"]),
    "one class": (TEXTS, ["sea"] * 6),
    "one document per class": (["salt", "wind", "road"], ["sea", "sky", "land"]),
    "two documents": (["salt", "wind"], ["sea", "sky"]),
    "empty documents": (["", "  ", "...", ""], ["a", "b", "a", "b"]),
    "an empty document": ([""], ["a"]),
    "equal documents": (["salt wave"] * 6, ["a", "b"] * 3),
    "equal documents of one class": (["salt"] * 5, ["a"] * 5),
    "several labels": (["salt wind", "salt"], [["sea", "sky"], ["sea"]]),
    "one document of several labels": (["salt wind"], [["sea", "sky"]]),
    "no label but one": (["salt wind", "road", "hill"], [["sea"], [], []]),
}


@pytest.mark.parametrize("model", ["auto", *NAMED])
@pytest.mark.parametrize("corpus", FEW.values(), ids=FEW)
def test_few_documents_are_no_reason_to_fail(model, corpus):
    texts, labels = corpus
    clf = TextClassifier(model).fit(texts, labels)
    queries = [*texts, "something else", ""]
    found = clf.predict_proba(queries)
    assert found.shape == (len(queries), len(clf.classes_))
    assert ((found >= 0) & (found <= 1)).all()
    assert len(clf.predict(queries)) == len(queries)
    report = clf.report()
    assert report.n_documents == len(texts)
    assert "best of 0" not in str(report)
    json.dumps(report.to_dict())
    clf.learn(*corpus).forget(*corpus)
    clf.explain(texts[0])


@pytest.mark.parametrize("model", ["auto", *NAMED])
def test_one_document_per_class_is_recognised(model):
    clf = TextClassifier(model).fit(*FEW["one document per class"])
    assert clf.predict(["salt", "wind", "road"]).tolist() == ["sea", "sky", "land"]
    # A model that has never seen a class cannot find it, which says nothing about this one.
    assert clf.report().score is None
    assert clf.predict_proba(["salt"]).max() < 0.75


def test_equal_documents_are_as_likely_as_their_labels():
    clf = TextClassifier().fit(["salt wave"] * 40, ["a", "b", "b", "b"] * 10)
    assert clf.predict_proba(["salt wave"])[0, 1] == pytest.approx(0.75, abs=0.1)


def test_no_choice_is_reported_as_none():
    report = TextClassifier().fit(*FEW["one class"]).report().to_text(verbose=True)
    assert "probabilities are not calibrated" in report
    assert "to save time" not in report


def test_documents_without_any_label_cannot_be_learned_from():
    with pytest.raises(ValueError, match="label"):
        TextClassifier("multinomial").fit(TEXTS, [[]] * 6).predict(TEXTS)


@pytest.mark.parametrize("multi_label", [False, True])
def test_duplicates_are_reported(multi_label):
    texts = ["salt wave", "cloud", "salt wave", "cloud", "salt wave", "Salt wave"]
    labels = ["sea", "sky", "sea", "land", "sea", "sky"]
    labels = [[label] for label in labels] if multi_label else labels
    report = fitted("multinomial", (texts, labels), multi_label).report()
    found = report.duplicates
    assert (found.n_documents, found.n_repeated, found.n_conflicting) == (6, 2, 2)
    assert [(each.first, each.other) for each in found.examples] == [(1, 3)]
    assert found.examples[0][2:] == (("sky",), ("land",))
    assert "2 of 6 documents repeat an earlier one" in str(report)
    assert "'sky' and 'land' (1)" in str(report)


def test_without_duplicates_there_is_no_word_of_them():
    assert "  duplicates  " not in str(fitted("multinomial", (TEXTS, PLACES)).report())


@pytest.mark.parametrize("corpus", [spread, spread_several])
def test_a_report_is_plain_values(corpus):
    report = TextClassifier().fit(*corpus()).report()
    values = json.loads(json.dumps(report.to_dict()))
    assert values["learner"] == report.learner
    assert len(values["trials"]) == len(report.trials)


@pytest.mark.parametrize("model", ["auto", "best", *NAMED])
def test_training_documents_are_not_kept(model):
    texts, labels = spread()
    clf = TextClassifier(model).fit([MARKER, *texts], ["sea", *labels])
    clf.learn(f"{MARKER} again", "sea")
    dumped = pickle.dumps(clf)
    assert b"plugh" in dumped.lower()  # words are what it learned
    assert MARKER.encode() not in dumped
    assert MARKER.lower().encode() not in dumped
    assert not [text for text in reachable(clf) if MARKER.lower() in text.lower()]


def reachable(root):
    """All strings that can be reached from an object."""
    seen, waiting, found = set(), [root], []
    while waiting:
        each = waiting.pop()
        if id(each) in seen or isinstance(each, type):
            continue
        seen.add(id(each))
        found += [each] if isinstance(each, str) else []
        if isinstance(each, dict):
            waiting += [*each.keys(), *each.values()]
        elif isinstance(each, list | tuple | set | frozenset):
            waiting += each
        elif isinstance(each, np.ndarray) and each.dtype == object:
            waiting += each.tolist()
        waiting += vars(each).values() if hasattr(each, "__dict__") else []
        waiting += [getattr(each, name, None) for name in getattr(type(each), "__slots__", ())]
    return found


def test_the_same_documents_give_the_same_classifier():
    one, two = TextClassifier().fit(*spread()), TextClassifier().fit(*spread())
    assert answers(one, TEXTS) == answers(two, TEXTS)


def test_a_learner_is_known_everywhere_until_it_is_not():
    try:
        register(Learner("twin", "the same again", find_learner("bernoulli").make))
        assert "twin" in {trial.learner for trial in TextClassifier().fit(*spread()).trials_}
        assert fitted("twin", spread()).report().learner == "twin"
    finally:
        unregister("twin")
    assert "twin" not in {each.name for each in learners()}
    with pytest.raises(ValueError, match="there is no model 'twin'"):
        fitted("twin", spread())


def test_learners_that_contradict_themselves_are_refused():
    with pytest.raises(ValueError, match="cannot be the name of a learner"):
        register(Learner("auto", "", object))
    with pytest.raises(ValueError, match="no setting"):
        Learner("empty", "", object, settings=())
    with pytest.raises(ValueError, match="validated by subtraction"):
        Learner("odd", "", object, needs_documents=True)


def test_groups_that_are_too_large_to_be_judged_whole_are_not_parted(monkeypatch):
    monkeypatch.setattr(model_selection, "_MAX_SCORES", 1)
    texts, labels = spread()
    groups = np.arange(200) // 40
    clf = TextClassifier("multinomial").fit(texts, labels, groups=groups)
    assert clf.report().n_evaluated == 40


@pytest.mark.parametrize("missing", [None, np.nan, np.datetime64("NaT", "D")])
@pytest.mark.parametrize("name", ["groups", "time"])
def test_a_missing_group_or_time_is_refused(missing, name):
    given = [np.datetime64("2024-01-01") if isinstance(missing, np.datetime64) else 1.0] * 3
    given[1] = missing
    with pytest.raises(ValueError, match=f"{name} lacks a value for document 1"):
        TextClassifier().fit(TEXTS[:3], PLACES[:3], **{name: given})


def test_only_finalists_store_their_scores(monkeypatch):
    most, score_folds = [], model_selection._Run.score_folds
    alive = []

    def counted(self, scorer, folds):
        score_folds(self, scorer, folds)
        alive.append(self)
        most.append(sum(bool(each.samples) for each in alive))

    monkeypatch.setattr(model_selection._Run, "score_folds", counted)
    TextClassifier().fit(*spread())
    assert len(most) > 6
    assert max(most[:-4]) <= 5


def test_a_pending_calibration_holds_no_more_than_it_needs():
    pending = TextClassifier("additive").fit(*spread())._pending
    assert pending._scorer.documents is None
    assert not pending._scorer._held_out


@pytest.mark.parametrize("multi_label", [False, True])
def test_priors_in_order_are_priors_by_name_also_where_a_fold_takes_a_class_away(multi_label):
    names = [*PLACES[:-1], "land"]
    labels = [[place] for place in names] if multi_label else names
    given, by_name = [0.2, 0.5, 0.3], {"land": 0.2, "sea": 0.5, "sky": 0.3}
    one, other = (
        TextClassifier(MultinomialNB(prior=prior), multi_label=multi_label).fit(TEXTS, labels)
        for prior in (given, by_name)
    )
    np.testing.assert_array_equal(one.predict_proba(TEXTS), other.predict_proba(TEXTS))


def test_priors_for_other_classes_are_refused_at_once():
    with pytest.raises(ValueError, match=r"prior has shape \(3,\), but there are 2 classes"):
        TextClassifier(MultinomialNB(prior=[0.2, 0.5, 0.3])).fit(TEXTS, PLACES)

"""Names of classes: words of labels and their descriptions stand for documents."""

from __future__ import annotations

from itertools import chain

import numpy as np
import pytest

from classifiers import spread
from tallytext import TextClassifier, TextVectorizer
from tallytext.classifier.class_names import ClassNames, split_name
from tallytext.errors import LabelError, SettingsError

WORDS = {
    "sea": ["salt", "wave", "tide", "ship", "fish", "sail", "reef", "whale", "harbour"],
    "sky": ["cloud", "star", "moon", "wing", "bird", "wind", "kite", "storm", "plane"],
    "field": ["wheat", "plough", "barn", "horse", "fence", "seed", "hay", "tractor", "cow"],
}


def texts_of_topics(n=240, seed=0):
    """Texts of three topics; a third of them have the word of their topic."""
    random = np.random.default_rng(seed)
    labels = [[*WORDS][at % 3] for at in range(n)]
    every = [*chain.from_iterable(WORDS.values())]
    texts = []
    for at, label in enumerate(labels):
        words = [*random.choice(WORDS[label], 5), *random.choice(every, 2)]
        texts.append(" ".join([*words, *([label] if at % 9 < 3 else [])]))
    return texts, labels


TEXTS, LABELS = texts_of_topics()
NEW, TRUTH = texts_of_topics(90, 1)


def raw(clf, texts):
    return clf.scores(texts).tobytes()


@pytest.mark.parametrize(
    "label, words",
    [
        ("Sci/Tech", ["sci", "tech"]),
        ("talk.politics.misc", ["talk", "politics", "misc"]),
        ("lostCard_arrival", ["lost", "card", "arrival"]),
        (7, ["7"]),
        ("세계", ["세계"]),
        ("--", []),
        ("sea sea", ["sea"]),
    ],
)
def test_a_name_is_split_into_words(label, words):
    assert split_name(label) == words


def test_a_word_of_a_name_stands_for_longer_words_by_their_documents():
    texts = ["sports news", "sporty news", "car", "card"]
    vectorizer = TextVectorizer().fit(texts)
    terms, df = vectorizer.vocabulary_, np.array([1, 3, 5, 20, 40])
    assert terms.terms().tolist() == ["sports", "news", "sporty", "car", "card"]
    sport, car, described = ClassNames(vectorizer, {"x": "news"})(
        ["sport", "car", "x"], df
    ).toarray()
    assert sport.tolist() == [1 / 6, 0, 5 / 6, 0, 0]
    assert car.tolist() == [0, 0, 0, 1, 0]  # frequent itself, and short
    assert described.tolist() == [0, 1, 0, 0, 0]


def test_names_alone_find_classes():
    clf = TextClassifier().fit([], [], unlabelled=TEXTS, classes=["sea", "sky", "field"])
    assert clf.classes_.tolist() == ["field", "sea", "sky"]
    assert clf.score(NEW, TRUTH) > 0.8
    np.testing.assert_allclose(clf.predict_proba(NEW).sum(axis=1), 1)
    report = clf.report()
    assert report.n_documents == 0 and report.n_evaluated == 0
    assert "no document has a label" in str(report)
    assert "class names" in report.to_text(verbose=True)


def test_descriptions_are_words_of_names():
    names = {"A": "the sea", "B": "sky", "C": "a field"}
    clf = TextClassifier(descriptions=names).fit([], [], unlabelled=TEXTS, classes=[*names])
    expected = [{"sea": "A", "sky": "B", "field": "C"}[label] for label in TRUTH]
    assert clf.score(NEW, expected) > 0.8
    again = TextClassifier.from_bytes(clf.to_bytes())
    assert again.descriptions == names
    assert raw(again, NEW) == raw(clf, NEW)


def test_names_help_a_label_per_class():
    without, with_names = (
        TextClassifier(descriptions=given).fit(TEXTS[3:6], LABELS[3:6], unlabelled=TEXTS[6:])
        for given in (False, None)
    )
    assert with_names.score(NEW, TRUTH) >= without.score(NEW, TRUTH)
    assert raw(with_names, NEW) != raw(without, NEW)
    assert any("class names" in note for note in with_names.report().notes)


def test_names_that_say_nothing_change_nothing():
    labels = [{"sea": "A", "sky": "B", "field": "7"}[label] for label in LABELS]
    one, other = (
        TextClassifier(descriptions=given).fit(TEXTS[:6], labels[:6], unlabelled=TEXTS[6:])
        for given in (False, None)
    )
    assert raw(one, NEW) == raw(other, NEW)


def test_names_that_contradict_the_labels_are_left_out():
    wrong = [{"sea": "sky", "sky": "field", "field": "sea"}[label] for label in LABELS]
    clf = TextClassifier().fit(TEXTS[:30], wrong[:30], unlabelled=TEXTS[30:])
    assert not any("class names" in note for note in clf.report().notes)
    assert clf.score(NEW, [wrong[LABELS.index(label)] for label in TRUTH]) > 0.8


def test_classes_without_documents_learn_and_forget():
    classes = ["sea", "sky", "field"]
    clf = TextClassifier().fit([], [], unlabelled=TEXTS[20:], classes=classes)
    before = clf.model_.settle().decision_function(clf.vectorizer_.transform(NEW))
    clf = TextClassifier.from_bytes(clf.to_bytes())
    clf.learn(TEXTS[:20], LABELS[:20])
    assert clf.classes_.tolist() == ["field", "sea", "sky"]
    assert clf.model_.class_documents_.tolist() == [6, 7, 7]
    clf.forget(TEXTS[:20], LABELS[:20])
    assert clf.classes_.tolist() == ["field", "sea", "sky"]
    after = clf.model_.settle().decision_function(clf.vectorizer_.transform(NEW))
    np.testing.assert_allclose(after, before, atol=1e-3)


def test_some_classes_may_have_documents_and_others_names():
    rows = [at for at in range(12) if LABELS[at] != "field"]
    few, labels = [TEXTS[at] for at in rows], [LABELS[at] for at in rows]
    clf = TextClassifier().fit(few, labels, unlabelled=TEXTS[12:], classes=["field"])
    assert clf.classes_.tolist() == ["field", "sea", "sky"]
    assert clf.score(NEW, TRUTH) > 0.8


def test_a_class_whose_name_is_not_in_the_texts_is_an_error():
    with pytest.raises(LabelError, match=r"'xyzzy'.*description"):
        TextClassifier().fit([], [], unlabelled=TEXTS, classes=["sea", "xyzzy"])


POOL = {"unlabelled": TEXTS}


@pytest.mark.parametrize(
    "settings, arguments, error, words",
    [
        ({}, {"classes": ["sea"]}, SettingsError, "unlabelled"),
        ({"descriptions": False}, {"classes": ["sea"], **POOL}, SettingsError, "False"),
        ({"model": "refined"}, {"classes": ["sea"], **POOL}, SettingsError, "pooled"),
        ({"model": "refined"}, {"classes": ["sea"]}, SettingsError, "unlabelled"),
        ({"descriptions": ["sea"]}, {}, LabelError, "mapping"),
        ({"descriptions": {"sea": 7}}, {}, LabelError, "text"),
    ],
)
def test_impossible_names_are_refused(settings, arguments, error, words):
    with pytest.raises(error, match=words):
        TextClassifier(**settings).fit(TEXTS[:6], LABELS[:6], **arguments)


def test_settled_history_equals_a_fit_with_names():
    texts, labels = spread()
    clf = TextClassifier("pooled").fit(texts[:12], labels[:12], unlabelled=texts[40:150])
    clf.learn(texts[12:18], labels[12:18]).forget(texts[:3], labels[:3])
    clf.model_.settle()
    X = clf.vectorizer_.transform
    model = type(clf.model_)(multi_label=False)
    model.terms, model.class_words = clf.model_.terms, clf.model_.class_words
    model.fit(X(texts[3:18]), labels[3:18], X(texts[40:150]))
    np.testing.assert_array_equal(
        model.decision_function(X(texts[150:])), clf.model_.decision_function(X(texts[150:]))
    )

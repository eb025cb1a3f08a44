"""A classifier that has learned and forgotten settles to the one trained on its documents."""

import pickle
import subprocess
import sys
import threading
from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from commands import write_csv
from tallytext import TextClassifier, TextVectorizer
from tallytext.classifier import training
from tallytext.errors import NegativeCountError, NotAdditiveError, SettingsError

WORDS = {
    "sea": ["salt", "wave", "ship", "fish", "harbour"],
    "sky": ["blue", "cloud", "wind", "kite", "bird"],
    "land": ["tree", "road", "hill", "stone", "field"],
}
VECTORIZERS = {
    "words": {"min_length": 1},
    "pairs": {"ngram_range": (1, 2), "min_length": 1},
    "strings": {"ngram_range": (1, 2), "min_length": 1, "chars": (2, 4)},
}


def documents(n=30, seed=0):
    """Short texts of three places, with words of others here and there."""
    random, places = np.random.default_rng(seed), list(WORDS)
    texts, labels = [], []
    for at in range(n):
        own, other = WORDS[places[at % 3]], WORDS[places[random.integers(3)]]
        words = [*random.choice(own, 3), random.choice(other), f"w{random.integers(20)}"]
        texts.append(" ".join(words))
        labels.append(places[at % 3])
    return texts, labels


def untrained(features, **more):
    return TextClassifier("refined", vectorizer=TextVectorizer(**VECTORIZERS[features]), **more)


def is_equal(one, other):
    texts, _ = documents(20, seed=9)
    return (
        one.classes_.tolist() == other.classes_.tolist()
        and list(one.vectorizer_.vocabulary_) == list(other.vectorizer_.vocabulary_)
        and np.array_equal(one.scores(texts), other.scores(texts))
        and np.array_equal(one.predict_proba(texts), other.predict_proba(texts))
        and one.to_bytes() == other.to_bytes()
    )


STEPS = st.lists(
    st.tuples(st.sampled_from(["learn", "forget", "merge", "store"]), st.integers(0, 29)),
    max_size=8,
)


@pytest.mark.parametrize("features", VECTORIZERS)
@settings(max_examples=12, deadline=None)
@given(steps=STEPS)
def test_settling_equals_training_whatever_the_history(features, steps):
    texts, labels = documents()
    held = list(range(15))
    clf = untrained(features).fit(texts[:15], labels[:15])
    for step, at in steps:
        text, label = texts[at], labels[at]
        if step == "learn":
            clf.learn(text, label)
            held.append(at)
        elif step == "forget" and Counter(held)[at] and len(held) > 9:
            clf.forget(text, label)
            held.remove(at)
        elif step == "merge":
            more = [at, (at + 1) % 30, (at + 2) % 30]
            other = untrained(features).fit([texts[i] for i in more], [labels[i] for i in more])
            clf = clf + other
            held += more
        elif step == "store":
            clf = TextClassifier.from_bytes(clf.to_bytes())
    expected = untrained(features).fit([texts[i] for i in held], [labels[i] for i in held])
    assert clf.n_kept == len(held)
    settled = clf.settle()
    # The report still has the history.
    settled.trials_, settled.duplicates_ = expected.trials_, expected.duplicates_
    settled._updates = expected._updates
    settled.model, settled.vectorizer = expected.model, expected.vectorizer
    assert is_equal(settled, expected)


@pytest.mark.parametrize("multi_label", [False, True])
def test_forgotten_words_are_not_in_the_file(multi_label):
    texts, labels = documents()
    if multi_label:
        labels = [[label] for label in labels]
    clf = untrained("strings", multi_label=multi_label).fit(texts, labels)
    secret = "Ottokar Zwiebelfisch"
    clf.learn([secret], labels[:1])
    clf.forget([secret], labels[:1])
    packed = TextClassifier.from_bytes(clf.to_bytes())
    assert "ottokar" not in set(packed.vectorizer_.vocabulary_)
    assert not any("ott" in term for term in packed.vectorizer_.vocabulary_)


def test_a_document_that_was_never_learned_is_refused():
    texts, labels = documents()
    clf = untrained("pairs").fit(texts, labels)
    before = clf.scores(texts)
    for text, label in ((texts[0], "sky"), (texts[0] + " " + texts[0], labels[0])):
        with pytest.raises(NegativeCountError):
            clf.forget(text, label)
    assert np.array_equal(clf.scores(texts), before)
    assert clf.is_learned([*texts[:2], "unheard of"], [*labels[:2], "sea"]).tolist() == [
        True,
        True,
        False,
    ]
    assert clf.evaluate(texts, labels).n_learned == 30
    assert "the model has learned 30 of these 30" in str(clf.evaluate(texts, labels))


def test_classifiers_of_other_terms_cannot_be_merged():
    texts, labels = documents()
    with pytest.raises(SettingsError, match="ngram_range"):
        untrained("words").fit(texts, labels) + untrained("pairs").fit(texts, labels)


def test_only_counts_are_kept_if_asked():
    texts, labels = documents()
    clf = TextClassifier(keep="counts").fit(texts, labels)
    assert clf.learner_.additive
    assert not clf.n_kept
    with pytest.raises(NotAdditiveError, match="class counts"):
        clf.is_learned(texts, labels)
    with pytest.raises(ValueError, match="keep must be"):
        TextClassifier(keep="texts").fit(texts, labels)


def test_documents_that_do_not_fit_are_dropped_and_the_report_says_so(monkeypatch):
    monkeypatch.setattr(training, "MAX_KEPT_BYTES", 1000)
    texts, labels = documents()
    report = TextClassifier().fit(texts, labels).report()
    assert report.learner != "refined"
    assert any("not kept: only additive learners" in note for note in report.origin)
    frozen = TextClassifier("refined").fit(texts, labels)
    assert any("cannot learn or forget" in note for note in frozen.report().origin)
    with pytest.raises(NotAdditiveError, match="stores no documents"):
        frozen.learn(texts[0], labels[0])


def test_a_reader_sees_one_moment_while_another_thread_learns_and_settles():
    texts, labels = documents(60)
    clf = untrained("words").fit(texts[:20], labels[:20])
    problems, done = [], threading.Event()

    def read():
        while not done.is_set():
            found = clf.predict(texts)
            if len(found) != 60 or not {*found} <= {*WORDS}:
                problems.append(found)

    readers = [threading.Thread(target=read) for _ in range(2)]
    for reader in readers:
        reader.start()
    for at in range(20, 60):
        clf.learn(texts[at], labels[at])
        if at % 10 == 0:
            clf.settle()
    done.set()
    for reader in readers:
        reader.join()
    assert not problems


@pytest.mark.parametrize("command", ["learn", "forget"])
def test_a_killed_command_leaves_the_old_file_or_the_new_one(tmp_path, command):
    texts, labels = documents()
    clf = untrained("words").fit(texts * 2, labels * 2)
    model, rows = tmp_path / "a.tally", list(zip(texts[:6], labels[:6], strict=True))
    more = write_csv(tmp_path / "more.csv", rows)
    clf.save(model)
    before = model.read_bytes()
    change = clf.learn if command == "learn" else clf.forget
    after = change(texts[:6], labels[:6]).n_kept
    for seconds in (0.3, 0.7, 1.1):
        model.write_bytes(before)
        process = subprocess.Popen(
            [sys.executable, "-m", "tallytext", command, model, more, "--quiet"]
        )
        try:
            process.wait(seconds)
        except subprocess.TimeoutExpired:
            process.kill()
        process.wait()
        assert TextClassifier.load(model).n_kept in (60, after)


@pytest.mark.parametrize("copied", [False, True])
def test_a_warm_pass_over_all_documents_does_not_settle(copied):
    texts, labels = documents(90)
    clf = untrained("words").fit(texts[:60], labels[:60])
    clf.learn(texts[60:], labels[60:])
    clf.forget(texts[:60], labels[:60])  # so many are followed by a pass over all others
    if copied:
        clf = pickle.loads(pickle.dumps(clf))
    expected = untrained("words").fit(texts[60:], labels[60:])
    settled = clf.settle()
    settled.duplicates_ = expected.duplicates_  # the report still has the history
    settled._updates = expected._updates
    assert is_equal(settled, expected)


@pytest.mark.parametrize("model", ["pooled", "knn"])
def test_other_models_that_store_documents_find_them_too(model):
    texts = [f"{word} no{at}" for at in range(10) for word in ("sea salt", "sky blue")]
    labels, pool = ["sea", "sky"] * 10, [f"sea {at} wind" for at in range(30)]
    clf = TextClassifier(model).fit(texts, labels, unlabelled=pool if model == "pooled" else None)
    again = TextClassifier.from_bytes(clf.to_bytes())
    for each in (clf, again):
        found = each.is_learned([texts[0], texts[0], pool[0], "new"], ["sea", "sky", "sea", "sky"])
        assert found.tolist() == [True, False, False, False]
        assert each.evaluate([*texts, "sea"], [*labels, "sea"]).n_learned == 20
    again.forget(texts[:1], labels[:1])
    assert again.is_learned(texts[:2], labels[:2]).tolist() == [False, True]

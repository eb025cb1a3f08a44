"""Classifiers of models that are trained on documents, and not on sums of them."""

import threading
import warnings
from dataclasses import replace

import numpy as np
import pytest

from classifiers import spread, spread_several
from tallytext import L1Selector, RefinedNB, TermSelector, TextClassifier, TextVectorizer
from tallytext.classifier import find_learner, learners, register
from tallytext.errors import NegativeCountError, NotAdditiveError, StaleWarning, VocabularyError

NAMES = [learner.name for learner in learners(additive=False)]
each_learner = pytest.mark.parametrize("name", NAMES)
SEVERAL = [learner.name for learner in learners(additive=False, multi_label=True)]
each_of_several = pytest.mark.parametrize("name", SEVERAL)
L1 = L1Selector(n_terms=8)
TEXTS, LABELS = spread()
NEW, TRUTH = TEXTS[150:], LABELS[150:]


@pytest.fixture(scope="module")
def fitted():
    """Classifiers by name and number of labels, each trained once."""
    made = {}

    def find(name, multi_label=False, **parameters):
        key = name, multi_label, repr(parameters)
        if key not in made:
            corpus = spread_several() if multi_label else (TEXTS[:150], LABELS[:150])
            made[key] = TextClassifier(name, **parameters).fit(*corpus)
        return made[key]

    return find


@each_learner
def test_a_learner_that_is_trained_on_documents_finds_labels(fitted, name):
    clf = fitted(name)
    assert clf.report().learner == name
    assert clf.score(NEW, TRUTH) > 0.6
    assert abs(clf.report().score - clf.score(NEW, TRUTH)) < 0.25
    proba = clf.predict_proba(NEW)
    np.testing.assert_allclose(proba.sum(axis=1), 1.0)
    assert clf.predict_set(NEW[:3]) and clf.top_k(NEW[:3]) and clf.terms(LABELS[0], 3)
    assert clf.rank(NEW, LABELS[0]).shape == (len(NEW),)
    assert clf.predict(["", "never heard of"]).shape == (2,)
    assert clf.scores([]).shape == (0, len(clf.classes_))


@each_of_several
def test_documents_may_have_several_labels(fitted, name):
    clf = fitted(name, multi_label=True)
    texts, labels = spread_several()
    assert clf.multi_label_
    assert clf.score(texts, labels) > 0.6
    assert isinstance(clf.predict(texts[:2]).tolist()[0], list)


@each_learner
@pytest.mark.parametrize("multi_label", [False, True], ids=["one", "several"])
@pytest.mark.parametrize("select", [None, TermSelector("chi", k=8), L1], ids=["all", "chi", "l1"])
def test_a_file_holds_the_model(fitted, name, multi_label, select, tmp_path):
    if multi_label and name not in SEVERAL:
        pytest.skip("for one label per document")
    clf = fitted(name, multi_label, select=select)
    clf.save(tmp_path / "model")
    again = TextClassifier.load(tmp_path / "model")
    np.testing.assert_array_equal(again.scores(NEW), clf.scores(NEW))
    np.testing.assert_array_equal(again.predict_proba(NEW), clf.predict_proba(NEW))
    assert str(again.report()) == str(clf.report())
    again.save(tmp_path / "again")
    assert (tmp_path / "again").read_bytes() == (tmp_path / "model").read_bytes()


@each_learner
@pytest.mark.parametrize("select", [TermSelector("chi", k=8), L1], ids=["chi", "l1"])
def test_a_model_of_chosen_terms_is_deaf_to_others(fitted, name, select):
    clf = fitted(name, select=select)
    kept = {clf.tally_.vocabulary.term(id) for id in clf.selector_.get_support(indices=True)}
    assert len(kept) == 8
    words = [" ".join(word for word in text.split() if word in kept) for text in NEW]
    np.testing.assert_array_equal(clf.scores(NEW), clf.scores(words))


@each_learner
def test_what_each_word_says_adds_up(fitted, name):
    clf = fitted(name)
    if name == "rotation":
        with pytest.raises(ValueError, match="cannot be explained"):
            clf.explain(NEW[0])
        return
    why = clf.explain(NEW[0])
    parts = sum(part.value for part in why.parts) + sum(each.value for each in why.contributions)
    assert why.label == clf.predict(NEW[:1])[0]
    np.testing.assert_allclose(parts, why.difference, atol=1e-5)
    assert any(each.spans for each in why.contributions)


@pytest.mark.parametrize("name", [name for name in NAMES if not find_learner(name).incremental])
def test_what_is_trained_as_a_whole_learns_and_forgets_nothing(fitted, name):
    for verb in ("learn", "forget"):
        with pytest.raises(NotAdditiveError, match=f"cannot {verb}"):
            getattr(fitted(name), verb)(NEW, TRUTH)


@pytest.mark.parametrize("select", [None, TermSelector("chi", k=8), L1], ids=["all", "chi", "l1"])
def test_neighbours_learn_and_forget(select):
    clf = TextClassifier("neighbours", select=select).fit(TEXTS[:100], LABELS[:100])
    scores, counts = clf.scores(NEW), clf.tally_.copy()
    clf.learn(["sand dune", "a dune of sand"], ["land", "land"])
    if select is None:
        assert clf.predict(["dune"]).tolist() == ["land"]
    assert "land" in clf.classes_
    clf.forget(["sand dune", "a dune of sand"], ["land", "land"])
    np.testing.assert_array_equal(clf.scores(NEW), scores)
    assert clf.tally_ == counts
    with pytest.raises(NegativeCountError):
        clf.forget(["never learned"], [LABELS[0]])
    assert clf.tally_ == counts
    with pytest.raises(NotAdditiveError, match="cannot merge"):
        clf + clf


def test_a_model_can_be_given_by_its_settings(tmp_path):
    clf = TextClassifier(RefinedNB(cost=0.5)).fit(TEXTS, LABELS)
    assert clf.model_.cost == 0.5
    assert clf.report().learner == "RefinedNB"
    clf.save(tmp_path / "model")
    again = TextClassifier.load(tmp_path / "model")
    assert again.model_.cost == 0.5 and again.learner_.needs_documents
    np.testing.assert_array_equal(again.scores(NEW), clf.scores(NEW))


def test_the_best_is_looked_for_on_several_sets_of_terms():
    clf = TextClassifier("best").fit(TEXTS, LABELS)
    tried = {trial.setting for trial in clf.trials_ if trial.learner == "refined"}
    assert {setting.partition(" on ")[2] for setting in tried} == {
        "words, short ones too",
        "words and pairs of words",
        "words, pairs of words and strings of characters",
    }
    assert {trial.learner for trial in clf.trials_}.isdisjoint({"neighbours", "llsf", "rotation"})


def test_strings_of_characters_are_tried_for_short_documents_only():
    long = [" ".join([text] * 40) for text in TEXTS]
    clf = TextClassifier("best").fit(long, LABELS)
    assert not [trial for trial in clf.trials_ if "characters" in trial.setting]


def test_pairs_of_words_are_found_where_they_tell():
    rng = np.random.default_rng(0)
    texts, labels = [], []
    for _ in range(400):
        first, second, label = *rng.permutation(["salt", "wave"]), rng.choice(["sea", "sky"])
        fill = " ".join(rng.choice(["a1", "b2", "c3", "d4"], 4))
        # The order of two words tells the class, and which words there are does not.
        pair = f"{first} {second}"
        label = "sea" if pair == "salt wave" else "sky"
        texts.append(f"{fill} {pair} {fill}")
        labels.append(label)
    clf = TextClassifier("best").fit(texts[:300], labels[:300])
    assert clf.report().learner == "refined"
    assert "pairs of words" in clf.report().setting
    assert clf.score(texts[300:], labels[300:]) > 0.95
    assert clf.vectorizer_.ngram_range == (1, 2)


def test_a_vectorizer_that_is_given_is_the_only_one():
    vectorizer = TextVectorizer(stop_words={"salt"})
    clf = TextClassifier("best", vectorizer=vectorizer).fit(TEXTS, LABELS)
    refined = [trial for trial in clf.trials_ if trial.learner == "refined"]
    assert [trial.setting for trial in refined] == ["refined"]
    assert clf.vectorizer_.stop_words == {"salt"}


@pytest.fixture
def narrow():
    """A refined learner that may have a single weight."""
    learner = find_learner("refined")
    yield register(replace(learner, max_weights=1))
    register(learner)


def test_learners_that_would_fill_memory_are_left_out(narrow):
    clf = TextClassifier("best").fit(TEXTS, LABELS)
    refined = [trial for trial in clf.trials_ if trial.learner == narrow.name]
    assert refined and all(trial.score is None for trial in refined)
    assert "not all tried, to save time: " in clf.report().to_text(verbose=True)


@pytest.mark.parametrize("name", ["refined", "neighbours"])
def test_a_class_that_only_a_judged_document_has_is_not_given_to_all(name):
    texts, labels = spread_several()
    texts, labels = [*texts, "unheard of"], [*labels, ["rare"]]
    judged_alone = 0
    for shift in range(6):
        order = np.roll(np.arange(len(texts)), shift * 17)
        given = [texts[at] for at in order], [labels[at] for at in order]
        clf = TextClassifier(name).fit(*given)
        judged_alone += "rare" not in clf.calibration_.classes
        assert sum("rare" in found for found in clf.predict(texts)) <= 1
    assert judged_alone


@each_learner
@pytest.mark.parametrize("labels", [[0.5, 1.5], [1.5, "b"], [True, "b"]], ids=repr)
def test_labels_stay_what_they_are(name, labels, tmp_path):
    given = [labels[label == LABELS[0]] for label in LABELS]
    clf = TextClassifier(name).fit(TEXTS, given)
    assert sorted(map(repr, clf.classes_.tolist())) == sorted(map(repr, labels))
    clf.save(tmp_path / "model")
    assert (
        TextClassifier.load(tmp_path / "model").predict(NEW).tolist() == clf.predict(NEW).tolist()
    )


@each_of_several
def test_one_label_each_may_be_said_to_be_several(name, tmp_path):
    clf = TextClassifier(name, multi_label=True).fit(TEXTS, LABELS)
    assert clf.multi_label_ and clf.model_.multi_label_
    clf.save(tmp_path / "model")
    again = TextClassifier.load(tmp_path / "model")
    assert again.predict(NEW).tolist() == clf.predict(NEW).tolist()


@each_of_several
def test_one_class_is_told_from_none(name):
    wanted = [["x"] if label == LABELS[0] else [] for label in LABELS]
    clf = TextClassifier(name).fit(TEXTS, wanted)
    assert clf.calibration_ is not None
    assert np.mean([a == b for a, b in zip(clf.predict(TEXTS), wanted, strict=True)]) > 0.8


@pytest.mark.parametrize("name", [*NAMES, "best"])
def test_documents_without_words_or_labels_are_no_surprise(name):
    if name == "best":
        assert TextClassifier(name).fit(["", ""], ["x", "y"]).predict(["z"]).tolist()
    else:
        with pytest.raises(VocabularyError, match="no document has a word"):
            TextClassifier(name).fit(["", ""], ["x", "y"])
    if name in set(NAMES) - set(SEVERAL):
        return
    few = TextClassifier(name).fit(["aa bb", "cc dd", "ee ff"], [["x", "y"], [], []])
    assert few.classes_.tolist() == ["x", "y"]


def test_the_best_of_chosen_terms_may_be_on_other_features():
    clf = TextClassifier("best", select="ig").fit(TEXTS, LABELS)
    assert clf.predict(TEXTS).shape == (len(TEXTS),)


def test_a_forget_that_is_refused_leaves_model_and_counts(tmp_path):
    clf = TextClassifier("neighbours", select=TermSelector("chi", k=8)).fit(TEXTS, LABELS)
    clf.learn(["brand new salt"], ["q"])
    counts, n_kept = clf.tally_.copy(), len(clf.model_.documents_)
    with pytest.raises(NegativeCountError):
        clf.forget(["different old salt"], ["q"])
    assert (clf.tally_, len(clf.model_.documents_)) == (counts, n_kept)
    clf.learn([], []).forget([], [])
    clf.save(tmp_path / "model")
    TextClassifier.load(tmp_path / "model")


def test_neighbours_answer_while_others_learn():
    clf, problems, done = TextClassifier("neighbours").fit(TEXTS, LABELS), [], threading.Event()

    def ask():
        while not done.is_set():
            try:
                clf.predict_proba(TEXTS[:5])
            except Exception as problem:
                problems.append(problem)

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", StaleWarning)
        askers = [threading.Thread(target=ask) for _ in range(3)]
        for asker in askers:
            asker.start()
        for at in range(60):
            clf.learn([TEXTS[0]], [f"class {at % 3}"])
        clf.forget([TEXTS[0]] * 20, ["class 0"] * 20)
        done.set()
        for asker in askers:
            asker.join()
    assert not problems
    assert len(clf.model_.documents_) == clf.tally_.n_documents == len(TEXTS) + 40
    assert clf.predict(TEXTS[:2]).shape == (2,)


@pytest.mark.parametrize("multi_label", [False, True], ids=["one", "several"])
def test_batches_do_not_matter(multi_label):
    texts, labels = spread_several() if multi_label else (TEXTS, LABELS)
    whole = TextClassifier("refined").fit(texts, labels)
    batches = [(texts[:50], labels[:50]), (texts[50:], labels[50:])]
    apart = TextClassifier("refined").fit_batches(batches)
    np.testing.assert_array_equal(apart.scores(texts), whole.scores(texts))


def test_classes_that_are_rare_are_told_apart_by_what_is_common():
    multi_label = [[label] if at % 2 else [label, "z"] for at, label in enumerate(LABELS)]
    texts, labels = [*TEXTS, "peseta spain madrid"], [*multi_label, ["peseta"]]
    clf = TextClassifier("refined").fit(texts, labels)
    rare = clf.predict_proba(["peseta spain madrid", TEXTS[0]])[:, clf.classes_ == "peseta"]
    assert rare[0] > rare[1] + 0.2

"""Classifiers that learn from documents without labels, too."""

import pickle
from dataclasses import replace

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from classifiers import corpora, raw, spread, spread_several, texts
from tallytext import PooledNB, TermSelector, TextClassifier, TextVectorizer
from tallytext.classifier import (
    Learner,
    find_learner,
    learners,
    model_file,
    register,
    training,
)
from tallytext.classifier.model_selection import StoredRows, TrainingSize, is_affordable
from tallytext.classifier.registry import FEATURES
from tallytext.classifier.training import DocumentCounter
from tallytext.errors import (
    CountError,
    FileError,
    InputError,
    LabelError,
    NegativeCountError,
    NotAdditiveError,
    SettingsError,
    VocabularyError,
)
from tallytext.io import load_arrays, save_arrays

TEXTS, LABELS = spread()
FEW, THEIRS = TEXTS[:18], LABELS[:18]
POOL, NEW, TRUTH = TEXTS[18:150], TEXTS[150:], LABELS[150:]


@pytest.fixture(scope="module")
def pooled():
    return TextClassifier().fit(FEW, THEIRS, unlabelled=POOL)


@pytest.fixture(scope="module")
def alone():
    """The same learner on the same terms, without a pool."""
    vectorizer = TextVectorizer(**FEATURES["trigrams"].vectorizer)
    return TextClassifier("pooled", vectorizer=vectorizer).fit(FEW, THEIRS)


def test_few_labels_go_to_the_learner_that_learns_from_the_pool(pooled):
    report = pooled.report()
    assert report.learner == "pooled"
    assert (report.n_documents, report.n_unlabelled) == (18, len(POOL))
    assert "so few labels (6 per class, the median)" in report.reason
    assert report.notes == pooled.model_.notes_
    assert f"{len(POOL)} documents" in str(report)
    assert report.reason in str(report)
    assert pooled.score(NEW, TRUTH) > 0.6


@pytest.mark.parametrize("model", ["best", "pooled"])
def test_the_choice_comes_to_what_can_be_named(pooled, model):
    named = TextClassifier(model).fit(FEW, THEIRS, unlabelled=POOL)
    assert raw(named, NEW) == raw(pooled, NEW)
    assert named.tally_ == pooled.tally_
    np.testing.assert_array_equal(named.predict_proba(NEW), pooled.predict_proba(NEW))
    assert named.report().reason == (pooled.report().reason if model == "best" else "")


def test_the_pool_is_in_no_count(pooled, alone):
    assert pooled.tally_ == alone.tally_
    assert pooled.tally_.n_documents == len(FEW)
    own = TextClassifier("pooled").fit(FEW, THEIRS, unlabelled=["unheard of words"])
    assert own.tally_ == alone.tally_
    assert "unheard" in own.vectorizer_.vocabulary_
    assert own.terms(THEIRS[0], 50) == alone.terms(THEIRS[0], 50)


@pytest.mark.parametrize("model", ["auto", "best", "pooled", "multinomial"])
@pytest.mark.parametrize("empty", [list, tuple, lambda: iter([]), lambda: np.array([])])
def test_an_empty_pool_is_none(model, empty):
    if model == "multinomial" and not hasattr(empty(), "__len__"):
        pytest.skip("nobody knows that it is empty before it is read")
    one = TextClassifier(model).fit(TEXTS[:40], LABELS[:40])
    other = TextClassifier(model).fit(TEXTS[:40], LABELS[:40], unlabelled=empty())
    assert raw(one, NEW) == raw(other, NEW)
    np.testing.assert_array_equal(one.predict_proba(NEW), other.predict_proba(NEW))
    assert str(one.report()) == str(other.report())


@pytest.mark.parametrize("kind", [tuple, iter, np.array, pd.Series, pa.array])
def test_texts_may_come_as_anything(pooled, kind):
    other = TextClassifier().fit(FEW, THEIRS, unlabelled=kind(POOL))
    assert raw(other, NEW) == raw(pooled, NEW)


def test_batches_do_not_matter(pooled):
    labelled = [(FEW[:5], THEIRS[:5]), (FEW[5:], THEIRS[5:])]
    pool = iter([POOL[:1], [], POOL[1:90], POOL[90:]])
    other = TextClassifier().fit_batches(labelled, unlabelled=pool)
    assert raw(other, NEW) == raw(pooled, NEW)
    assert other.report().to_dict() == pooled.report().to_dict()


def test_the_order_of_the_pool_does_not_matter_for_what_is_counted(pooled):
    other = TextClassifier().fit(FEW, THEIRS, unlabelled=POOL[::-1])
    assert other.tally_ == pooled.tally_
    assert {*other.vectorizer_.vocabulary_} == {*pooled.vectorizer_.vocabulary_}


@given(corpora(multi_label=False), st.lists(texts, max_size=8), st.integers(1, 4))
def test_counts_of_labelled_documents_know_nothing_of_the_pool(corpus, pool, size):
    plain, whole, apart = (counted(corpus, *parts) for parts in ([], [pool], batched(pool, size)))
    assert plain.tally == whole.tally == apart.tally
    assert plain.n_unlabelled == 0
    assert whole.n_unlabelled == apart.n_unlabelled == len(pool)
    assert plain.documents(False).unlabelled == {}
    if pool:
        documents, again = whole.documents(False), apart.documents(False)
        one, other = documents.unlabelled["words"].matrix(), again.unlabelled["words"].matrix()
        assert one.shape == (len(pool), documents.rows["words"].matrix().shape[1])
        np.testing.assert_array_equal(one.toarray(), other.toarray())


def counted(corpus, *pool):
    """What is counted of documents with labels, and then of batches without."""
    vectorizer = TextVectorizer()
    rows, more = ({"words": StoredRows(vectorizer)} for _ in range(2))
    counting = DocumentCounter(vectorizer, [], rows, unlabelled=more)
    counting.add(*corpus)
    for each in pool:
        counting.add_unlabelled(each)
    return counting


def batched(pool, size):
    return [pool[at : at + size] for at in range(0, len(pool), size)]


@pytest.mark.parametrize(
    "pool",
    [
        {"n_documents": -1},
        {"n_documents": 1.5},
        {"n_documents": 2**63},
        {"reason": 3},
        {"notes": "text"},
        {"notes": [3]},
        {"notes": None},
        {"more": 1},
    ],
    ids=repr,
)
def test_what_a_file_says_of_a_pool_is_checked(pooled, pool, tmp_path):
    pooled.save(tmp_path / "model")
    arrays, header = load_arrays(tmp_path / "model", model_file.KIND, newest=model_file.FORMAT)
    header["summary"]["pool"] |= pool
    save_arrays(tmp_path / "bent", arrays, header)
    with pytest.raises(FileError, match="cannot read"):
        TextClassifier.load(tmp_path / "bent")


def test_a_file_that_knows_of_no_pool_is_read(pooled, tmp_path):
    pooled.save(tmp_path / "model")
    arrays, header = load_arrays(tmp_path / "model", model_file.KIND, newest=model_file.FORMAT)
    del header["summary"]["pool"]
    save_arrays(tmp_path / "older", arrays, header)
    assert TextClassifier.load(tmp_path / "older").report().n_unlabelled == 0


def test_a_file_holds_the_model_and_not_the_pool(pooled, tmp_path):
    pooled.save(tmp_path / "model")
    again = TextClassifier.load(tmp_path / "model")
    assert raw(again, NEW) == raw(pooled, NEW)
    np.testing.assert_array_equal(again.predict_proba(NEW), pooled.predict_proba(NEW))
    assert str(again.report()) == str(pooled.report())
    assert again.report().to_dict() == pooled.report().to_dict()
    again.save(tmp_path / "again")
    assert (tmp_path / "again").read_bytes() == (tmp_path / "model").read_bytes()


def test_a_pickled_classifier_has_let_the_pool_go():
    clf = TextClassifier("pooled").fit(FEW, THEIRS, unlabelled=POOL)
    assert clf.model_.pool_ is not None  # until its calibration is asked for
    again = pickle.loads(pickle.dumps(clf))
    assert clf.model_.pool_ is again.model_.pool_ is None
    np.testing.assert_array_equal(again.predict_proba(NEW), clf.predict_proba(NEW))


def test_a_recalibrated_classifier_has_let_the_pool_go():
    clf = TextClassifier("pooled").fit(FEW, THEIRS, unlabelled=POOL).recalibrate(NEW, TRUTH)
    assert clf.model_.pool_ is None
    assert clf.report().method == "held out"


def test_what_is_said_of_its_own_documents_is_said_without_their_labels():
    clf = TextClassifier("pooled").fit(FEW, THEIRS, unlabelled=POOL)
    model = clf.model_
    folds = np.full(len(FEW), -1)
    folds[4] = 0
    X, rest = clf.vectorizer_.transform(FEW), [at for at in range(len(FEW)) if at != 4]
    pool = clf.vectorizer_.transform(POOL)
    other = PooledNB().fit(X[rest], [THEIRS[at] for at in rest], unlabelled=pool)
    # With the trust of the model itself, since scores of another trust have another scale.
    rows, truth, _ = other._labelled_rows(other.pool_rows_, other._class_numbers())
    fitted = other._fit_labels(other.pool_, rows, truth, measured=model._measured)
    other.weights_ = fitted.weights
    np.testing.assert_allclose(
        model.out_of_sample_scores(folds)[4], other.scores(X[[4]])[0], rtol=0.05, atol=0.5
    )
    assert clf.report().n_evaluated == len(FEW)


def test_many_labels_are_compared():
    clf = TextClassifier().fit(TEXTS * 2, LABELS * 2, unlabelled=POOL)
    tried = {trial.learner: trial for trial in clf.trials_}
    assert {"pooled", "multinomial", "chi-contrast"} <= {*tried}
    assert tried["pooled"].score is not None
    assert clf.report().n_unlabelled == len(POOL)
    both = [max(t.score for t in clf.trials_ if (t.learner == "pooled") is is_pooled and t.score)
            for is_pooled in (True, False)]  # fmt: skip
    assert all(f"{score:.1%}" in clf.report().reason for score in both)
    if clf.report().learner != "pooled":
        clf.learn(["salt wave"], [LABELS[0]])


def test_few_labels_per_class_are_compared_if_they_are_many_in_all(monkeypatch):
    monkeypatch.setattr(training, "MIN_COMPARED_WITH_POOL", len(FEW) - 1)
    clf = TextClassifier().fit(FEW, THEIRS, unlabelled=POOL)
    assert {"pooled", "refined", "multinomial"} <= {trial.learner for trial in clf.trials_}
    assert "not compared" not in clf.report().reason


def test_a_pool_smaller_than_the_labelled_documents_is_left_alone():
    clf = TextClassifier().fit(FEW, THEIRS, unlabelled=POOL[: len(FEW) - 1])
    assert clf.report().learner != "pooled"
    assert "not used: fewer than the labelled documents" in str(clf.report())
    named = TextClassifier("pooled").fit(FEW, THEIRS, unlabelled=POOL[: len(FEW) - 1])
    assert named.report().learner == "pooled"


def test_an_unused_pool_changes_nothing():
    more = [f"{text} unheard" for text in FEW]
    with_pool = TextClassifier().fit(FEW, THEIRS, unlabelled=more[:-1])
    without = TextClassifier().fit(FEW, THEIRS)
    assert with_pool.report().score == without.report().score
    assert np.array_equal(with_pool.predict_proba(more), without.predict_proba(more))
    assert "unheard" not in with_pool.tally_.vocabulary
    with_pool.learn(more[:3], THEIRS[:3]).forget(more[:3], THEIRS[:3])
    assert np.array_equal(with_pool.settle().predict_proba(more), without.predict_proba(more))


def test_a_pool_is_used_from_as_many_documents_as_have_labels():
    batches = [[text] for text in POOL[: len(FEW)]]
    one_by_one = TextClassifier().fit_batches([(FEW, THEIRS)], unlabelled=batches)
    at_once = TextClassifier().fit(FEW, THEIRS, unlabelled=POOL[: len(FEW)])
    assert one_by_one.report().learner == at_once.report().learner == "pooled"
    assert one_by_one.report().n_unlabelled == at_once.report().n_unlabelled == len(FEW)
    assert np.array_equal(one_by_one.predict_proba(TEXTS), at_once.predict_proba(TEXTS))


@pytest.fixture
def confident():
    """A registry in which pooled competes with a learner that is always wrong."""
    others, wrong = [each for each in learners() if each.automatic], find_learner("multinomial")
    for learner in others:
        register(replace(learner, automatic=False))
    prior = {label: 1.0 if label == LABELS[0] else 1e-300 for label in {*LABELS}}
    register(replace(wrong, make=lambda **_: wrong.make(prior=prior), settings=({},)))
    yield
    for learner in others:
        register(learner)


def test_the_pool_wins_where_it_is_better(confident):
    clf = TextClassifier("best").fit(TEXTS * 2, LABELS * 2, unlabelled=POOL)
    assert clf.report().learner == "pooled"
    assert "learns from them: " in clf.report().reason
    assert "of held-out documents right, and 32.5% by multinomial" in clf.report().reason
    assert clf.predict_proba(NEW).shape == (len(NEW), 3)


@pytest.fixture
def narrow():
    learner = find_learner("pooled")
    yield register(replace(learner, max_weights=1))
    register(learner)


def test_a_pool_that_would_fill_memory_is_left_alone(narrow):
    clf = TextClassifier().fit(FEW, THEIRS, unlabelled=POOL)
    assert clf.report().learner != "pooled"
    assert "not used: a table of their words and all classes would not fit into memory" in str(
        clf.report()
    )


def test_only_words_that_were_never_seen_are_called_unknown():
    clf = TextClassifier().fit(
        ["the sea", "the sky"], ["sea", "sky"], unlabelled=["the sea once", "the sky"]
    )
    known = {each.term: each.known for each in clf.explain("once the sea, fjord").contributions}
    assert known == {"once": True, "the": True, "sea": True, "fjord": False}


def test_a_pool_is_learned_from_by_itself_only_where_its_tables_are_a_few_gigabytes():
    at_a_time, size = 11, TrainingSize(3_000, 10**5, 0, 20_000, 2_000)
    assert is_affordable(find_learner("pooled"), size)
    assert not is_affordable(find_learner("pooled"), size._replace(n_classes=3_000))
    assert 8 * at_a_time * find_learner("pooled").max_weights < 6 * 2**30


@pytest.mark.parametrize("model", ["multinomial", "refined", "neighbours"])
def test_a_learner_that_cannot_use_a_pool_says_who_can(model):
    with pytest.raises(SettingsError, match=f"{model} learns nothing .*model='pooled'"):
        TextClassifier(model).fit(FEW, THEIRS, unlabelled=POOL)
    with pytest.raises(SettingsError, match="model='pooled'"):
        TextClassifier(find_learner(model).default()).fit(FEW, THEIRS, unlabelled=POOL)


@pytest.mark.parametrize(("model", "does"), [("multinomial", True), ("neighbours", False)])
def test_models_that_use_a_pool_by_themselves_are_not_said_to_be_unable(model, does):
    with pytest.raises(SettingsError) as refusal:
        TextClassifier(model).fit(FEW, THEIRS, unlabelled=POOL)
    assert ("by itself, given counts, has fit(X, y, unlabelled=)" in str(refusal.value)) == does


@pytest.mark.parametrize("model", ["auto", "best", "pooled"])
@pytest.mark.parametrize("multi_label", [None, True])
def test_several_labels_and_a_pool_do_not_go_together_yet(model, multi_label):
    with pytest.raises(LabelError, match=r"exactly one label.*fit without unlabelled="):
        TextClassifier(model, multi_label=multi_label).fit(*spread_several(), unlabelled=POOL)


@pytest.mark.parametrize("missing", [None, float("nan")])
def test_a_missing_label_is_no_label(missing):
    with pytest.raises(LabelError, match=r"document 1 .*unlabelled="):
        TextClassifier().fit(["a b", "c d"], ["x", missing])


def test_minus_one_is_a_label_like_any_other():
    clf = TextClassifier("pooled").fit(FEW, [-1 if label == LABELS[0] else 1 for label in THEIRS])
    assert clf.classes_.tolist() == [-1, 1]


def test_pooled_models_cannot_be_merged(pooled):
    with pytest.raises(NotAdditiveError, match=r"cannot merge.*pooled.*without unlabelled="):
        pooled + pooled


@pytest.mark.parametrize("stored", [False, True])
def test_a_pooled_classifier_learns_and_forgets(stored):
    clf = TextClassifier("pooled").fit(FEW[:12], THEIRS[:12], unlabelled=POOL[:100])
    clf = TextClassifier.from_bytes(clf.to_bytes()) if stored else clf
    extra = ["an entirely novel sentence", "novel words of a sentence"]
    clf.learn(extra, ["new", "new"]).learn_unlabelled(POOL[100:])
    clf.learn(FEW[12:], THEIRS[12:]).learn_unlabelled(POOL[:3])
    assert clf.predict(["novel sentence"]).tolist() == ["new"]
    clf.forget_unlabelled(POOL[:3]).forget(extra[0], "new").forget(extra[1:], ["new"])
    report = clf.report()
    assert (report.n_documents, report.n_unlabelled) == (18, len(POOL))
    assert f"18 labelled and {len(POOL)} other documents" in " ".join(report.notes)
    assert "weight of the regression" in report.to_text(verbose=True)
    assert "weight of the regression" not in report.to_text()
    clf.model_.settle()
    # The words of sentences that were forgotten have columns still, and no document.
    fresh = PooledNB(multi_label=False)
    fresh.terms, fresh.class_words = clf.model_.terms, clf.model_.class_words
    fresh.fit(clf.vectorizer_.transform(FEW), THEIRS, clf.vectorizer_.transform(POOL))
    X = clf.vectorizer_.transform(NEW)
    np.testing.assert_array_equal(clf.model_.decision_function(X), fresh.decision_function(X))


def test_what_was_not_learned_is_not_forgotten():
    clf = TextClassifier("pooled").fit(FEW, THEIRS, unlabelled=POOL)
    before = clf.to_bytes()
    for verb, arguments in (
        ("forget", (POOL[:1], [THEIRS[0]])),
        ("forget", (FEW[:1], ["another label"])),
        ("forget_unlabelled", (["unheard of"],)),
        ("forget_unlabelled", (POOL[:1] * 9,)),
    ):
        with pytest.raises(NegativeCountError, match="cannot forget"):
            getattr(clf, verb)(*arguments)
        assert clf.to_bytes() == before


def test_a_document_that_the_model_cannot_learn_is_not_counted(monkeypatch):
    clf = TextClassifier("pooled").fit(FEW, THEIRS, unlabelled=POOL)
    before = clf.to_bytes()
    monkeypatch.setattr("tallytext.models.pooled.MAX_TABLE_BYTES", 8)
    with pytest.raises(CountError, match="need a table"):
        clf.learn(FEW[:1], THEIRS[:1])
    assert clf.to_bytes() == before


@pytest.mark.parametrize("verb", ["learn_unlabelled", "forget_unlabelled"])
def test_only_models_that_use_them_learn_documents_without_labels(verb):
    clf = TextClassifier("multinomial").fit(FEW, THEIRS)
    with pytest.raises(NotAdditiveError, match="does not use them"):
        getattr(clf, verb)(POOL)


def test_one_text_is_learned_without_a_label():
    clf = TextClassifier("pooled").fit(FEW, THEIRS).learn_unlabelled(POOL[0])
    assert clf.report().n_unlabelled == 1
    assert clf.forget_unlabelled(iter(POOL[:1])).report().n_unlabelled == 0


def test_a_file_of_an_earlier_release_is_not_updated(tmp_path):
    clf = TextClassifier("pooled").fit(FEW, THEIRS, unlabelled=POOL)
    clf.save(tmp_path / "model")
    arrays, header = load_arrays(tmp_path / "model", model_file.KIND, newest=model_file.FORMAT)
    old = {
        name: np.array(array)
        for name, array in arrays.items()
        if name not in ("model.documents", "model.labels")
    }
    header["state"]["open"] = False
    save_arrays(tmp_path / "old", old, header)
    again = TextClassifier.load(tmp_path / "old")
    np.testing.assert_array_equal(again.predict(NEW), clf.predict(NEW))
    before = again.to_bytes()
    for verb in ("learn", "forget"):
        with pytest.raises(NotAdditiveError, match=rf"cannot {verb}.*pooled"):
            getattr(again, verb)(["a new sentence"], THEIRS[:1])
    assert again.to_bytes() == before


def test_what_each_word_says_adds_up(pooled):
    why = pooled.explain(NEW[0])
    parts = sum(part.value for part in why.parts) + sum(each.value for each in why.contributions)
    assert why.label == pooled.predict(NEW[:1])[0]
    np.testing.assert_allclose(parts, why.difference, atol=1e-5)


def test_short_texts_are_counted_with_strings_and_long_ones_without(pooled):
    assert pooled.vectorizer_.chars == (3, 3)
    assert pooled.model_.weights_.views.strings.any()
    filler = " ".join("abcdefghijklmnopqrstuvwxyz")
    longer = [f"{text} {filler}" for text in [*FEW, *POOL]]
    clf = TextClassifier().fit(longer[:18], THEIRS, unlabelled=longer[18:])
    assert clf.learner_.name == "pooled"
    assert clf.vectorizer_.chars is None


def test_ranks_are_log_odds(pooled):
    rank = pooled.rank(NEW, LABELS[0])
    proba = np.exp(pooled.model_.posteriors(pooled.scores(NEW)))
    at = pooled.classes_.tolist().index(LABELS[0])
    np.testing.assert_allclose(1 / (1 + np.exp(-rank)), proba[:, at], atol=1e-9)


@pytest.mark.parametrize("pool", [POOL, ["", ""], ["unheard of"], ["salt"]])
@pytest.mark.parametrize("k", [1, 2])
def test_one_or_two_labels_per_class(k, pool):
    rows = [at for c in sorted({*LABELS}) for at in np.flatnonzero(np.array(LABELS) == c)[:k]]
    few, labels = [TEXTS[at] for at in rows], [LABELS[at] for at in rows]
    clf = TextClassifier().fit(few, labels, unlabelled=pool)
    proba = clf.predict_proba([*NEW, ""])
    np.testing.assert_allclose(proba.sum(axis=1), 1.0)
    assert clf.predict(NEW, min_confidence=0.5).shape == (len(NEW),)
    assert clf.report().n_evaluated == (0 if k == 1 else len(few))
    if k == 1:
        assert "probabilities are cautious" in str(clf.report())
        assert proba.max() < 0.95
        assert all({*each} == {*LABELS} for each in clf.predict_set(NEW))


def test_what_has_a_label_of_its_own_is_not_judged():
    clf = TextClassifier().fit([*FEW, "sand dune"], [*THEIRS, "moon"], unlabelled=POOL)
    assert clf.report().n_evaluated == len(FEW)
    assert "1 document left out: each the only one of its class" in str(clf.report())
    assert clf.predict_proba(["dune"]).shape == (1, 4)


@pytest.mark.parametrize("pool", [None, POOL])
def test_one_class(pool):
    clf = TextClassifier("pooled").fit(FEW, ["x"] * len(FEW), unlabelled=pool)
    assert clf.predict([*NEW, ""]).tolist() == ["x"] * (len(NEW) + 1)
    np.testing.assert_allclose(clf.predict_proba(NEW), 1.0)


def test_labelled_texts_without_words():
    clf = TextClassifier().fit(["", "", "salt wave"], ["x", "y", "y"], unlabelled=POOL)
    np.testing.assert_allclose(clf.predict_proba([*NEW, ""]).sum(axis=1), 1.0)
    bare = TextClassifier().fit(["", ""], ["x", "y"], unlabelled=["salt wave", "salt"])
    assert bare.predict(["salt"]).tolist() in (["x"], ["y"])
    with pytest.raises(VocabularyError, match="no document has a word"):
        TextClassifier("pooled").fit(["", ""], ["x", "y"], unlabelled=["", None])


def test_limits_of_the_vocabulary_are_those_of_all_documents():
    vectorizer = TextVectorizer(min_df=2)
    clf = TextClassifier(vectorizer=vectorizer).fit(
        ["salt wave", "blue cloud"], ["sea", "sky"], unlabelled=iter(["salt", "blue", "once"])
    )
    assert {*clf.vectorizer_.vocabulary_} == {"salt", "blue"}
    with pytest.raises(VocabularyError, match="all documents at once"):
        TextClassifier(vectorizer=vectorizer).fit_batches([(FEW, THEIRS)], unlabelled=[POOL])


@pytest.mark.parametrize("select", ["ig", TermSelector("chi", k=8)])
def test_terms_may_be_chosen_by_labels(select, tmp_path):
    clf = TextClassifier(select=select).fit(FEW, THEIRS, unlabelled=POOL)
    assert clf.report().n_evaluated == len(FEW)
    clf.save(tmp_path / "model")
    assert raw(TextClassifier.load(tmp_path / "model"), NEW) == raw(clf, NEW)


@pytest.mark.parametrize("how", ["groups", "time"])
def test_documents_that_belong_together_are_judged_together(how):
    given = {how: [at // 6 for at in range(len(FEW))]}
    clf = TextClassifier().fit(FEW, THEIRS, unlabelled=POOL, **given)
    assert clf.report().method == how
    np.testing.assert_allclose(clf.predict_proba(NEW).sum(axis=1), 1.0)


@pytest.mark.parametrize("pool", [5, "one text", [["a"]], [3]])
def test_what_is_no_text_is_refused(pool):
    with pytest.raises((TypeError, ValueError)):
        TextClassifier().fit(FEW, THEIRS, unlabelled=pool)


def test_batches_of_a_pool_may_be_a_column_and_are_no_texts():
    batches = np.empty(2, dtype=object)
    batches[:] = POOL[:5], POOL[5:]
    clf = TextClassifier().fit_batches([(FEW, THEIRS)], unlabelled=batches)
    assert clf.pool_.n_documents == len(POOL)
    with pytest.raises(InputError, match="not one string"):
        TextClassifier().fit_batches([(FEW, THEIRS)], unlabelled=np.array(POOL))


def test_a_learner_of_pools_is_for_one_label_and_judges_itself():
    learner = Learner.semi_supervised("made", "up", PooledNB)
    assert (learner.unlabelled, learner.multi_label, learner.validation) == (True, False, "self")
    assert [each.name for each in learners(unlabelled=True)] == ["pooled"]
    with pytest.raises(ValueError, match="validated by subtraction"):
        Learner("made", "up", PooledNB, validation="self")


def test_several_labels_are_refused_by_a_model_that_has_one_for_each_document():
    with pytest.raises(LabelError, match="pooled cannot give a document several labels"):
        TextClassifier("pooled").fit(["sea sky"] * 12, [["a"], ["a", "b"], []] * 4)

"""Laws of learning, forgetting and batches."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from classifiers import (
    MODELS,
    PLACES,
    TEXTS,
    answers,
    corpora,
    fitted,
    proba,
    raw,
    some_texts,
    spread,
    spread_several,
)
from tallytext import TextClassifier
from tallytext.errors import LabelError, NegativeCountError

few = settings(max_examples=25)
each_model = pytest.mark.parametrize("model", MODELS, ids=repr)
models = st.sampled_from(MODELS)


def alike(one, other, queries):
    """Whether two say the same: probabilities but for rounding, all else to the last bit."""
    assert raw(one, queries) == raw(other, queries)
    assert one.report() == other.report()
    np.testing.assert_allclose(proba(one, queries), proba(other, queries), rtol=1e-9, atol=1e-9)


@few
@given(st.data(), models, st.booleans())
def test_forgetting_undoes_learning(data, model, multi_label):
    clf = fitted(model, data.draw(corpora(multi_label)), multi_label)
    queries, tally = data.draw(some_texts), clf.tally_.copy()
    before = raw(clf, queries)
    more = data.draw(corpora(multi_label))
    clf.learn(*more).forget(*more)
    assert clf.tally_ == tally
    assert raw(clf, queries) == before


def test_forgetting_new_words_and_classes_leaves_no_trace():
    clf = fitted("multinomial", (TEXTS, PLACES))
    n_terms = clf.report().n_terms
    clf.learn(["a road of stones"], ["land"]).forget(["a road of stones"], ["land"])
    assert clf.classes_.tolist() == ["sea", "sky"]
    assert clf.report().n_terms == n_terms


REFUSED = {
    "never learned": ("forget", ["an unheard word"], ["sea"], NegativeCountError),
    "learned without a word": ("forget", ["salt wave unheard"], ["sea"], NegativeCountError),
    "one of two": ("forget", ["wind", "unheard"], ["sky", "sea"], NegativeCountError),
    "an impossible label": ("learn", ["an unheard word"], [1j], LabelError),
    "several labels": ("learn", ["an unheard word"], [["sea", "sky"]], LabelError),
    "a missing label": ("learn", ["an unheard word", "unheard"], ["sea"], LabelError),
    "not a text": ("learn", ["an unheard word", 7], ["sea", "sky"], (TypeError, ValueError)),
}


@pytest.mark.parametrize("model", ["multinomial", "neighbours"])
@pytest.mark.parametrize("select", [None, "ig"])
@pytest.mark.parametrize(("verb", "texts", "labels", "error"), REFUSED.values(), ids=REFUSED)
def test_a_refused_document_leaves_no_words(model, select, verb, texts, labels, error):
    clf = TextClassifier(model, select=select).fit(TEXTS * 3, PLACES * 3)
    before, words = clf.to_bytes(), [*clf.vectorizer_.vocabulary_]
    for source in (texts, iter(texts)):  # of an iterator, the length is known at the end
        with pytest.raises(error):
            getattr(clf, verb)(source, labels)
        assert [*clf.vectorizer_.vocabulary_] == words
        assert clf.to_bytes() == before


@each_model
@pytest.mark.parametrize("multi_label", [False, True])
def test_a_refused_forget_changes_nothing(model, multi_label):
    labels = [[place] for place in PLACES] if multi_label else PLACES
    clf = fitted(model, (TEXTS, labels), multi_label)
    tally, before = clf.tally_.copy(), answers(clf, TEXTS)
    for text, term in [("never", "never"), ("salt cloud", "(salt|cloud)"), ("wind", "wind")]:
        with pytest.raises(NegativeCountError, match=f"cannot forget: term '{term}'"):
            clf.forget(["salt wave", text], [labels[0], labels[0]])
    assert clf.tally_ == tally
    assert answers(clf, TEXTS) == before
    assert not clf.changes_


def test_words_of_a_refused_batch_are_not_in_the_vocabulary():
    clf = TextClassifier("multinomial").fit(["to be", "or not"], ["a", "b"])
    with pytest.raises(LabelError, match="1 document"):
        clf.learn(["quite new words"], ["a", "b"])
    assert len(clf.vectorizer_.vocabulary_) == 4


def test_a_refused_learn_changes_nothing():
    clf = fitted("multinomial", (TEXTS, PLACES))
    tally, before = clf.tally_.copy(), answers(clf, TEXTS)
    for texts, labels in [(["new word"], [None]), (["new word"], ["a", "b"]), ([3], ["a"])]:
        with pytest.raises(ValueError, match=r"label|document"):
            clf.learn(texts, labels)
    assert clf.tally_ == tally
    assert answers(clf, TEXTS) == before


@few
@given(st.data(), models, st.booleans())
def test_learning_at_once_is_learning_one_by_one(data, model, multi_label):
    first, more = data.draw(corpora(multi_label)), data.draw(corpora(multi_label))
    queries = data.draw(some_texts)
    at_once = fitted(model, first, multi_label).learn(*more)
    one_by_one = fitted(model, first, multi_label)
    for text, label in zip(*more, strict=True):
        one_by_one.learn(text, label)
    assert one_by_one.tally_ == at_once.tally_
    assert raw(one_by_one, queries) == raw(at_once, queries)
    assert one_by_one.changes_ == at_once.changes_


@few
@given(st.data(), models, st.booleans())
def test_batches_are_one_corpus(data, model, multi_label):
    texts, labels = data.draw(corpora(multi_label))
    cuts = sorted(data.draw(st.sets(st.integers(1, len(texts)), max_size=4)))
    batches = [
        (texts[a:b], labels[a:b]) for a, b in zip([0, *cuts], [*cuts, len(texts)], strict=True)
    ]
    queries = data.draw(some_texts)
    clf = TextClassifier(model, multi_label=multi_label).fit_batches(batches)
    whole = fitted(model, (texts, labels), multi_label)
    assert clf.tally_ == whole.tally_
    alike(clf, whole, queries)


@pytest.mark.parametrize("corpus", [spread, spread_several])
def test_batches_lead_to_the_same_choice(corpus):
    texts, labels = corpus()
    batches = [(texts[at : at + 7], labels[at : at + 7]) for at in range(0, len(texts), 7)]
    clf, whole = TextClassifier().fit_batches(batches), TextClassifier().fit(texts, labels)
    alike(clf, whole, texts)
    assert clf.predict_set(texts) == whole.predict_set(texts)
    assert clf.predict(texts).tolist() == whole.predict(texts).tolist()


def test_a_batch_may_be_read_but_once():
    clf = TextClassifier("multinomial").fit_batches([(iter(TEXTS), iter(PLACES))])
    assert answers(clf, TEXTS) == answers(fitted("multinomial", (TEXTS, PLACES), None), TEXTS)


def test_fitting_again_starts_anew():
    clf = fitted("multinomial", spread()).learn("one more", "word").fit(TEXTS, PLACES)
    assert answers(clf, TEXTS) == answers(fitted("multinomial", (TEXTS, PLACES)), TEXTS)


def test_a_failed_fit_leaves_what_was_there():
    clf = fitted("multinomial", (TEXTS, PLACES))
    before = answers(clf, TEXTS)
    with pytest.raises(ValueError, match="label"):
        clf.fit(["another", "text"], ["a", None])
    assert answers(clf, TEXTS) == before


def test_the_last_document_can_be_forgotten_and_others_learned():
    clf = fitted("multinomial", (TEXTS, PLACES)).forget(TEXTS, PLACES)
    assert clf.classes_.tolist() == []
    assert clf.report().n_documents == 0
    clf.learn(TEXTS, PLACES)
    assert raw(clf, TEXTS) == raw(fitted("multinomial", (TEXTS, PLACES)), TEXTS)


@pytest.mark.parametrize("multi_label", [False, True])
def test_the_first_part_is_fitted_and_the_others_are_learned(multi_label):
    labels = [[place] for place in PLACES] if multi_label else PLACES
    clf = TextClassifier("multinomial", multi_label=multi_label)
    for at in range(0, len(TEXTS), 2):
        clf.partial_fit(TEXTS[at : at + 2], labels[at : at + 2], classes=["sea", "sky"])
    assert raw(clf, TEXTS) == raw(fitted("multinomial", (TEXTS, labels), multi_label), TEXTS)
    assert clf.changes_.learned == 4


def test_limits_need_all_documents_at_once():
    from tallytext import TextVectorizer

    clf = TextClassifier("multinomial", vectorizer=TextVectorizer(min_df=2))
    whole = clf.fit(TEXTS, PLACES)
    assert whole.report().n_terms == 5
    with pytest.raises(ValueError, match="all documents at once"):
        clf.fit_batches([(TEXTS[:3], PLACES[:3]), (TEXTS[3:], PLACES[3:])])

"""Laws of adding classifiers up."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from classifiers import (
    BY_COUNTS,
    BY_DOCUMENTS,
    PLACES,
    TEXTS,
    answers,
    corpora,
    fitted,
    larger,
    proba,
    raw,
    some_texts,
)
from tallytext import BernoulliNB, MultinomialNB, TextClassifier, TextVectorizer
from tallytext.errors import SettingsError
from tallytext.models import Background, Laplace

few = settings(max_examples=25)
models = st.sampled_from(BY_COUNTS)


def agree(one, other, queries):
    """Whether two classifiers have the same counts, and say the same but for rounding."""
    assert one.tally_ == other.tally_
    assert one.classes_.tolist() == other.classes_.tolist()
    np.testing.assert_allclose(one.scores(queries), other.scores(queries), rtol=1e-9, atol=1e-9)


@few
@given(st.data(), models, st.booleans())
def test_a_sum_is_the_classifier_of_all_documents(data, model, multi_label):
    ours, theirs = data.draw(corpora(multi_label)), data.draw(corpora(multi_label))
    queries = data.draw(some_texts)
    merged = fitted(model, ours, multi_label) + fitted(model, theirs, multi_label)
    whole = fitted(model, larger(ours, theirs), multi_label)
    assert merged.tally_ == whole.tally_
    assert raw(merged, queries) == raw(whole, queries)


@few
@given(st.data(), models, st.booleans())
def test_the_order_of_summands_does_not_matter(data, model, multi_label):
    a, b, c = (fitted(model, data.draw(corpora(multi_label)), multi_label) for _ in range(3))
    queries = data.draw(some_texts)
    agree(a + b, b + a, queries)
    agree((a + b) + c, a + (b + c), queries)
    if multi_label:
        ours, theirs = (a + b).calibration_, (b + a).calibration_
        assert (ours is None) == (theirs is None)
        assert ours is None or ours.to_dict() == theirs.to_dict()
    else:
        assert (a + b).calibration_ is a.calibration_


@few
@given(st.data(), st.sampled_from([*BY_COUNTS, BY_DOCUMENTS]), st.booleans())
def test_summands_stay_as_they_are(data, model, multi_label):
    a, b = (fitted(model, data.draw(corpora(multi_label)), multi_label) for _ in range(2))
    queries, more = data.draw(some_texts), data.draw(corpora(multi_label))
    before = answers(a, queries), answers(b, queries)
    merged = a + b
    merged.learn(*more).learn("never heard of", [] if multi_label else "new")
    assert (answers(a, queries), answers(b, queries)) == before
    assert "heard" not in a.vectorizer_.vocabulary_
    assert "heard" not in b.vectorizer_.vocabulary_
    merged_before = answers(merged, queries)
    a.learn("nor of this", [] if multi_label else "other")
    assert answers(merged, queries) == merged_before


def test_a_chosen_discount_is_taken_from_the_left():
    ours = fitted(BY_DOCUMENTS, (TEXTS, PLACES))
    theirs = fitted(BY_DOCUMENTS, (["salt salt salt salt", "wind"] * 3, ["sea", "sky"] * 3))
    assert ours.model_.chosen_[1] != theirs.model_.chosen_[1]
    assert (ours + theirs).model_.chosen_ is ours.model_.chosen_


def test_a_sum_has_the_words_and_classes_of_both():
    merged = fitted("multinomial", (TEXTS, PLACES)) + fitted("multinomial", (["a road"], ["land"]))
    assert merged.classes_.tolist() == ["land", "sea", "sky"]
    assert merged.predict(["road"]).tolist() == ["land"]
    assert proba(merged, TEXTS).shape == (6, 3)
    assert merged.changes_.merged == 1


def test_a_sum_is_another_classifier():
    ours = fitted("multinomial", (TEXTS, PLACES))
    merged = ours + ours
    assert merged is not ours
    assert merged.report().n_documents == 12
    assert ours.report().n_documents == 6


def test_only_a_classifier_can_be_added():
    with pytest.raises(TypeError):
        fitted("multinomial", (TEXTS, PLACES)) + 1


DIFFERENCES = [
    ("model.smoothing", {"model": MultinomialNB(Laplace(0.5))}),
    ("model.smoothing", {"model": MultinomialNB(Background(0.25))}),
    ("model.tf", {"model": MultinomialNB(Background(0.5), tf="log")}),
    ("model.prior", {"model": MultinomialNB(Background(0.5), prior={"sea": 0.3, "sky": 0.7})}),
    ("model is 'MultinomialNB' here and 'BernoulliNB'", {"model": BernoulliNB()}),
    ("vectorizer.ngram_range", {"vectorizer": TextVectorizer(ngram_range=(1, 2))}),
    ("vectorizer.tokens", {"vectorizer": TextVectorizer(tokens="chars")}),
    ("vectorizer.binary", {"vectorizer": TextVectorizer(binary=True)}),
    ("vectorizer.stop_words", {"vectorizer": TextVectorizer(stop_words=np.array(["salt", "a"]))}),
    ("multi_label", {"multi_label": True}),
]


@pytest.mark.parametrize(("named", "other"), DIFFERENCES)
def test_other_settings_are_refused_by_name(named, other):
    usual = {"model": MultinomialNB(Background(0.5)), "vectorizer": TextVectorizer()}
    ours = TextClassifier(**usual).fit(TEXTS, PLACES)
    theirs = TextClassifier(**(usual | other)).fit(TEXTS, PLACES)
    before = answers(ours, TEXTS)
    for one, another in [(ours, theirs), (theirs, ours)]:
        with pytest.raises(SettingsError, match="cannot merge") as caught:
            one + another
        assert named.split(" is ")[0] in str(caught.value)
    with pytest.raises(SettingsError, match=named):
        ours + theirs
    assert answers(ours, TEXTS) == before


def test_equal_settings_that_are_arrays_are_equal():
    vectorizers = [TextVectorizer(stop_words=np.array(["a", "the"])) for _ in range(2)]
    ours, theirs = (
        TextClassifier("bernoulli", vectorizer=v).fit(TEXTS, PLACES) for v in vectorizers
    )
    assert (ours + theirs).report().n_documents == 12


def test_how_results_are_reached_does_not_matter():
    ours = fitted("contrast", (TEXTS, PLACES), n_jobs=1, budget=3)
    theirs = fitted("contrast", (TEXTS, PLACES), n_jobs=2, verbose=False)
    assert (ours + theirs).report().n_documents == 12


def test_the_advice_of_the_error_is_good():
    ours = TextClassifier("auto").fit(TEXTS, PLACES)
    theirs = TextClassifier(ours.model_, vectorizer=ours.vectorizer_).fit(["cloud"], ["sky"])
    assert (ours + theirs).report().n_documents == 7
    assert ours.report().n_documents == 6


def test_vocabularies_that_were_limited_apart_are_not_merged():
    def limited():
        return TextClassifier("multinomial", vectorizer=TextVectorizer(min_df=2))

    here = limited().fit(["salt wave", "salt cloud"], ["sea", "sky"])
    there = limited().fit(["blue wave", "blue cloud"], ["sea", "sky"])
    with pytest.raises(SettingsError, match="vocabulary"):
        here + there
    assert (here + here).tally_.n_documents == 4

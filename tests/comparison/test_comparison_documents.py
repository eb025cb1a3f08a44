"""Documents of a comparison: checked before any learner is fitted."""

import json

import pytest

import tallytext
from tallytext import TextVectorizer
from tallytext.comparison.cross_validation import LearnerRun
from tallytext.comparison.documents import check_words
from tallytext.errors import InputError, VocabularyError
from topics import made_up

LABELS = ["a", "b"] * 15


def test_documents_without_words_are_refused_before_fitting(monkeypatch):
    monkeypatch.setattr(LearnerRun, "evaluate_fold", lambda *_: pytest.fail("a learner was fitted"))
    with pytest.raises(InputError, match="no document has a word"):
        tallytext.compare(["!!", "??"] * 15, LABELS)


def test_words_of_one_letter_are_words():
    found = tallytext.compare(["1 5", "2 7"] * 15, LABELS, learners=["refined"])
    assert found.best.score == 1.0


def test_one_word_far_behind_is_enough():
    texts = ["?!"] * 3_000
    with pytest.raises(InputError, match="no document has a word"):
        check_words(texts, TextVectorizer())
    check_words([*texts, "wave"], TextVectorizer())


def test_limits_are_those_of_all_documents():
    alone = [f"word{at}" for at in range(1_500)]
    with pytest.raises(VocabularyError, match="min_df"):
        check_words(alone, TextVectorizer(min_df=2))
    check_words([*alone, "word1"], TextVectorizer(min_df=2))


def test_character_features_need_no_words():
    found = tallytext.compare(
        ["!!", "??"] * 15,
        LABELS,
        vectorizer=TextVectorizer(tokens="chars"),
        learners=["multinomial"],
    )
    assert found.best.score == 1.0
    assert "Near duplicates" not in found.to_html()


@pytest.mark.parametrize("seed", range(3))
def test_training_documents_without_words_leave_out_the_vocabulary_curve_only(seed):
    texts, labels = made_up(60)
    texts[30:] = [""] * 30
    groups = [0] * 30 + [1] * 30
    found = tallytext.compare(
        texts, labels, groups=groups, seed=seed, learners=["multinomial"], folds=2
    )
    has_words = found.splits.splits[0].train[0] == 0
    assert (found.vocabulary_curve is not None) == has_words
    assert ("How many words" in found.to_html()) == has_words
    plain = json.loads(json.dumps(found.to_dict()))
    assert (plain["vocabulary_curve"] is not None) == has_words
    assert found.to_rich().renderables[0].row_count == 1


def test_a_given_vectorizer_stays_as_it_is():
    vectorizer = TextVectorizer(min_length=1)
    tallytext.compare(*made_up(30), vectorizer=vectorizer, learners=["multinomial"], folds=2)
    assert not hasattr(vectorizer, "vocabulary_")

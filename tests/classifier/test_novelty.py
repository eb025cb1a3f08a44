"""Known words, texts without any, and novelty."""

import numpy as np
import pytest

from tallytext import TextClassifier, TextVectorizer

SEA, SKY, WOOD = "salt wave ship reef", "blue cloud wind star", "tree moss fern owl"
LEARNERS = ("multinomial", "contrast", "bernoulli", "poisson", "refined", "neighbours", "llsf")


def documents(n=60, classes=(SEA, SKY)):
    """Sentences of four words, three of one class and one of any, with the class as label."""
    rng = np.random.default_rng(0)
    texts, labels = [], []
    for at in range(n):
        own = classes[at % len(classes)].split()
        texts.append(" ".join([*rng.choice(own, 3), str(rng.choice(["the", "and", "of", "in"]))]))
        labels.append(classes[at % len(classes)][:3])
    return texts, labels


@pytest.fixture(scope="module", params=LEARNERS)
def fitted(request):
    texts, labels = documents()
    return TextClassifier(request.param).fit([*texts, "salt"], [*labels, "sal"])


def test_a_text_without_a_known_word_gets_the_share_of_each_class(fitted):
    proba = fitted.predict_proba(["owl fern", "", "salt wave owl"])
    counts = [31 / 61 if label == "sal" else 30 / 61 for label in fitted.classes_]
    np.testing.assert_allclose(proba[:2], [counts, counts])
    assert proba[2].max() != max(counts)
    assert fitted.predict(["owl fern"]).tolist() == ["sal"]
    found = fitted.predict(["owl fern", "salt wave"], always=False).tolist()
    assert found == [None, "sal"]
    assert fitted.predict(["owl fern"], always=False, min_confidence=0.1).tolist() == [None]


def test_novelty_rises_with_unknown_words_and_reaches_one(fitted):
    novelty = fitted.novelty(["salt wave ship", "salt owl fern moss", "owl fern"])
    assert novelty[0] < novelty[1] < novelty[2] == 1.0
    assert novelty.min() >= 0.0
    assert fitted.novelty([]).shape == fitted.known_share([]).shape == (0,)


def test_novelty_ranks_texts_of_a_class_left_out_above_others(fitted):
    known = fitted.novelty(documents(30)[0])
    new = fitted.novelty(documents(30, (WOOD,))[0])
    assert np.mean(new[:, None] > known) > 0.95


def test_novelty_falls_once_the_class_is_learned_and_returns_once_it_is_forgotten():
    clf = TextClassifier("multinomial").fit(*documents())
    texts, labels = documents(30, (WOOD,))
    with pytest.warns(match="stale"):
        before = clf.novelty(texts)
        after = clf.learn(texts, labels).novelty(texts)
        again = clf.forget(texts, labels).novelty(texts)
    assert (after < before).all()
    np.testing.assert_allclose(again, before)


def test_forgotten_words_are_unknown_again():
    clf = TextClassifier("multinomial").fit(*documents())
    clf.learn(["owl"], ["wood"]).forget(["owl"], ["wood"])
    assert clf.known_share(["owl salt"]).tolist() == [0.5]
    assert clf.predict(["owl"], always=False).tolist() == [None]
    with pytest.warns(match="stale"):
        assert clf.novelty(["owl"]).tolist() == [1.0]


def test_several_labels_of_a_text_without_a_known_word_are_none_on_request():
    texts, labels = documents()
    clf = TextClassifier("multinomial", multi_label=True).fit(texts, labels)
    assert clf.predict(["owl", "salt wave"], always=False).tolist() == [[], ["sal"]]
    np.testing.assert_allclose(clf.predict_proba(["owl"]), [[0.5, 0.5]])


@pytest.mark.parametrize(
    ("text", "share"),
    [
        ("날씨가 좋다", 0.5),  # Korean: one word of two
        ("映画を読む", 0.5),  # Japanese: 映画 and 画を, but neither を読 nor 読む
        ("天气很坏", 2 / 3),  # Chinese: 天气 and 气很, but not 很坏
    ],
)
def test_words_alone_count_as_known_and_no_pairs_and_strings(text, share):
    vectorizer = TextVectorizer(ngram_range=(1, 2), chars=(2, 4))
    texts = ["날씨가 나쁘다", "映画を見た", "今天天气很好"]
    clf = TextClassifier("multinomial", vectorizer=vectorizer).fit(texts, ["ko", "ja", "zh"])
    np.testing.assert_allclose(clf.known_share([text]), [share])
    assert 0 < clf.novelty([text])[0] < 1


def test_words_that_select_leaves_out_are_known_nevertheless():
    clf = TextClassifier("multinomial", select="chi(k=2)").fit(*documents())
    assert clf.known_share(["salt wave ship reef the"]).tolist() == [1.0]


def test_words_of_unlabelled_texts_are_known():
    texts, labels = documents()
    pool = [f"{text} lantern" for text in texts]
    clf = TextClassifier("pooled").fit(texts[:10], labels[:10], unlabelled=pool)
    assert clf.known_share(["lantern"]).tolist() == [1.0]
    assert clf.predict(["lantern"], always=False).tolist() != [None]

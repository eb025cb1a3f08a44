import numpy as np
import pytest
import scipy.sparse as sp

import corpora
from tallytext import TextVectorizer
from tallytext.errors import CountError, SettingsError
from tallytext.semantic import function_words


def topics(n_documents, rng):
    """Documents of ten topics, each with words of its own, and three words for all."""
    common = rng.random((n_documents, 3)) < [0.9, 0.6, 0.3]
    topic = rng.integers(10, size=n_documents)
    own = (rng.random((n_documents, 40)) < 0.5) & (np.arange(40) // 4 == topic[:, None])
    return np.hstack([common, own]).astype(np.int64)


def test_function_words_are_separated_from_topic_words():
    X = topics(2000, np.random.default_rng(0))
    assert function_words(X).tolist() == [True] * 3 + [False] * 40
    assert function_words(sp.csc_array(X)).tolist() == [True] * 3 + [False] * 40


def test_long_documents_alone_make_no_company():
    rng = np.random.default_rng(1)
    length = rng.choice([5, 50, 500], size=3000)
    common = rng.poisson(length[:, None] * [0.02, 0.01, 0.005])
    topical = topics(3000, rng)[:, 3:]
    assert function_words(np.hstack([common, topical]))[:3].all()


def test_many_documents_are_sampled():
    X = topics(12_000, np.random.default_rng(2))
    assert function_words(X).tolist() == [True] * 3 + [False] * 40


def test_too_few_documents_tell_nothing():
    assert not function_words(np.ones((99, 3), dtype=int)).any()
    assert not function_words(sp.csr_matrix((500, 4), dtype=np.int64)).any()
    assert function_words(np.zeros((200, 0))).shape == (0,)


def test_words_in_all_texts_are_not_separated():
    assert not function_words(np.ones((500, 8), dtype=int)).any()


def test_rare_words_are_none():
    X = topics(2000, np.random.default_rng(0))
    assert function_words(X, min_share=0.5).tolist() == [True] * 2 + [False] * 41


@pytest.mark.parametrize("settings", [{"min_share": -1}, {"dependence": None}])
def test_wrong_settings_are_refused(settings):
    with pytest.raises(SettingsError, match=next(iter(settings))):
        function_words(np.ones((200, 3)), **settings)


def test_negative_counts_are_refused():
    with pytest.raises(CountError, match="negative"):
        function_words(np.array([[1, -1]] * 200))


@pytest.mark.parametrize(
    "corpus, common, topical",
    [
        ("20ng_bydate", "the of and they was would because", "god windows game team space"),
        ("ag_news_20k", "the of and was which into after", "oil microsoft game team iraq"),
        ("korean_news8_1600", "있다 등 또 그러나 모두", "미국 북한 경찰 정부"),
    ],
)
def test_function_words_of_real_texts(corpus, common, topical):
    vectorizer = TextVectorizer()
    X = vectorizer.fit_transform(corpora.column(corpus))
    found = set(vectorizer.get_feature_names_out()[function_words(X)])
    assert found >= set(common.split())
    assert not found & set(topical.split())

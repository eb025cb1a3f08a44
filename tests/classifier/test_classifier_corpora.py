import pytest
from sklearn.feature_extraction.text import CountVectorizer

import corpora
from counting import in_term_order, same_matrix
from tallytext import TextVectorizer


@pytest.mark.parametrize("name", ["20ng_bydate", "reuters21578", "klue_ynat"])
def test_every_term_and_count_of_a_corpus_is_that_of_scikit_learn(name):
    texts = corpora.column(name).to_pylist()
    theirs, ours = CountVectorizer(), TextVectorizer(tokens="sklearn")
    expected = theirs.fit_transform(texts)
    expected.sort_indices()
    X, names = in_term_order(ours, ours.fit_transform(texts))
    assert names.tolist() == theirs.get_feature_names_out().tolist()
    assert same_matrix(X, expected)


@pytest.mark.parametrize("name", ["20ng_bydate", "klue_ynat", "korean_news8_1600"])
def test_an_arrow_column_and_any_number_of_threads_give_what_the_list_gives(name):
    column = corpora.column(name)
    listed, arrow = TextVectorizer(n_jobs=1), TextVectorizer(n_jobs=3)
    assert same_matrix(listed.fit_transform(column.to_pylist()), arrow.fit_transform(column))
    assert listed.vocabulary_ == arrow.vocabulary_

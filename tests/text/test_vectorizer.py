import pickle
import re
import threading

import numpy as np
import pytest
import scipy.sparse as sp
import sklearn
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline

import strategies
from counting import counts_by_name, in_term_order, same_matrix
from oracle import tokens as oracle
from tallytext import TextVectorizer, Vocabulary
from tallytext.errors import (
    AnalysisError,
    FrozenVocabularyError,
    InputError,
    VocabularyError,
)
from tallytext.text.analysis import TermCounts
from tallytext.text.sources import as_texts

TEXTS = ["To be, or not to be", "that is the question", "", "to be the question"]


@given(strategies.documents())
def test_batch_equals_one_by_one(texts):
    whole, grown = TextVectorizer(), TextVectorizer()
    X = whole.fit_transform(texts)
    grown.fit([])
    for text in texts:
        grown.partial_fit([text])
    assert grown.vocabulary_ == whole.vocabulary_
    assert same_matrix(grown.transform(texts), X)


@settings(max_examples=15)
@given(strategies.documents(), st.integers(2, 5), st.sampled_from(["words", "sklearn", "chars"]))
def test_one_thread_equals_many(texts, n_jobs, tokens):
    # Enough text that the core really shares it out.
    texts = [text + f" w{i} " * 4000 for i, text in enumerate(texts)] * 3
    one, many = (TextVectorizer(tokens=tokens, n_jobs=n) for n in (1, n_jobs))
    assert same_matrix(one.fit_transform(texts), many.fit_transform(texts))
    assert one.vocabulary_ == many.vocabulary_
    more = [*texts, "some new words " * 9000]
    one.partial_fit(more), many.partial_fit(more)
    assert one.vocabulary_ == many.vocabulary_
    assert same_matrix(one.transform(more), many.transform(more))


def test_one_thread_equals_many_with_analysis_and_ngrams():
    texts = [" ".join(f"walking{i * j % 97} the dogs" for j in range(900)) for i in range(30)]
    settings = {"ngram_range": (1, 3), "stop_words": "english", "language": "en"}
    one, many = TextVectorizer(n_jobs=1, **settings), TextVectorizer(n_jobs=3, **settings)
    assert same_matrix(one.fit_transform(texts), many.fit_transform(texts))
    assert one.vocabulary_ == many.vocabulary_


@given(strategies.documents(), strategies.documents())
def test_earlier_columns_never_move(texts, more):
    vectorizer = TextVectorizer().fit(texts)
    before = vectorizer.transform(texts)
    names = vectorizer.get_feature_names_out()
    vectorizer.partial_fit(more)
    after = vectorizer.transform(texts)
    assert vectorizer.get_feature_names_out()[: len(names)].tolist() == names.tolist()
    assert (after[:, : before.shape[1]] != before).nnz == 0
    assert after[:, before.shape[1] :].nnz == 0


@given(strategies.documents(), strategies.documents())
def test_growing_and_counting_can_be_one_reading(texts, more):
    once, twice = TextVectorizer().fit(texts), TextVectorizer().fit(texts)
    X = once.partial_fit_transform(more)
    assert same_matrix(X, twice.partial_fit(more).transform(more))
    assert once.vocabulary_ == twice.vocabulary_


@given(strategies.documents())
def test_an_iterable_gives_the_same_as_a_list(texts):
    listed, streamed = TextVectorizer(), TextVectorizer()
    assert same_matrix(listed.fit_transform(texts), streamed.fit_transform(iter(texts)))
    assert listed.vocabulary_ == streamed.vocabulary_


def test_a_long_stream_is_read_in_batches_and_stacked():
    texts = [f"shared word{i % 1000} text" for i in range(150_000)]
    listed, streamed = TextVectorizer(), TextVectorizer()
    assert same_matrix(listed.fit_transform(texts), streamed.fit_transform(text for text in texts))


def test_rows_are_counted_in_64_bits():
    far = TermCounts(np.array([0, 2**31]), np.empty(0, np.int32), np.empty(0, np.int32))
    assert TermCounts.stack([far, far, far]).starts.tolist() == [0, 2**31, 2**32, 3 * 2**31]


@given(strategies.documents())
def test_a_row_has_each_term_once_in_order_of_appearance(texts):
    vectorizer = TextVectorizer()
    X = vectorizer.fit_transform(texts)
    names = vectorizer.get_feature_names_out()
    assert X.dtype == np.int64
    for i, text in enumerate(texts):
        row = names[X.indices[X.indptr[i] : X.indptr[i + 1]]].tolist()
        assert row == list(dict.fromkeys(oracle.words(text)))


@given(strategies.documents(), st.sets(st.sampled_from(["the", "cat", "42", "naïve"])))
def test_stop_words_go_before_ngrams_are_made(texts, stop_words):
    vectorizer = TextVectorizer(ngram_range=(1, 2), stop_words=stop_words)
    kept = [[word for word in oracle.words(text) if word not in stop_words] for text in texts]
    assert counts_by_name(vectorizer, texts) == [
        oracle.counts(oracle.ngrams(tokens, 1, 2)) for tokens in kept
    ]


@given(strategies.documents())
def test_a_filter_is_applied_to_every_term_but_called_once_for_each(texts):
    seen = []

    def halve(term):
        seen.append(term)
        return term[: len(term) // 2] if len(term) > 2 else None

    counted = counts_by_name(TextVectorizer(term_filter=halve), texts)
    halved = [[w[: len(w) // 2] for w in oracle.words(text) if len(w) > 2] for text in texts]
    assert counted == [oracle.counts(tokens) for tokens in halved]
    assert len(seen) == len(set(seen))


def test_stems_and_accents_merge_terms():
    vectorizer = TextVectorizer(language="english", strip_accents="unicode")
    assert counts_by_name(vectorizer, ["walking walks café CAFÉS"]) == [{"walk": 2, "cafe": 2}]


def test_a_term_unseen_in_training_is_known_by_its_stem():
    vectorizer = TextVectorizer(language="english").fit(["walking"])
    assert vectorizer.transform(["walks walked"]).toarray().tolist() == [[2]]


@settings(max_examples=25)
@given(
    strategies.documents(),
    st.sampled_from([1, 2, 0.3]),
    st.sampled_from([1.0, 0.7, 3]),
)
def test_frequency_limits_equal_those_of_scikit_learn(texts, min_df, max_df):
    limits = {"min_df": min_df, "max_df": max_df}
    ours, theirs = TextVectorizer(tokens="sklearn", **limits), CountVectorizer(**limits)
    try:
        expected = theirs.fit_transform(texts)
    except ValueError:
        if (min_df, max_df) != (1, 1.0):
            with pytest.raises(VocabularyError):
                ours.fit(texts)
        return
    X, names = in_term_order(ours, ours.fit_transform(texts))
    assert names.tolist() == theirs.get_feature_names_out().tolist()
    assert (expected != X).nnz == 0


def test_max_features_selects_the_most_frequent_terms_ties_by_name():
    vectorizer = TextVectorizer(max_features=2)
    X = vectorizer.fit_transform(["dd cc bb bb aa", "ee ee ee cc"])
    assert vectorizer.get_feature_names_out().tolist() == ["bb", "ee"]
    assert X.toarray().tolist() == [[2, 0], [0, 3]]
    vectorizer.set_params(max_features=3).fit(["dd cc bb bb aa", "ee ee ee"])
    assert sorted(vectorizer.get_feature_names_out()) == ["aa", "bb", "ee"]


def test_terms_outside_the_limits_stay_outside_until_the_next_fit():
    vectorizer = TextVectorizer(min_df=2).partial_fit(["aa bb", "aa cc"])
    vectorizer.partial_fit(["bb bb dd", "bb dd"])
    assert vectorizer.get_feature_names_out().tolist() == ["aa"]
    assert vectorizer.fit(["bb bb dd", "bb dd"]).get_feature_names_out().tolist() == ["bb", "dd"]


@pytest.mark.parametrize(
    "given", [["be", "to"], {"to": 1, "be": 0}, {"be", "to"}, Vocabulary(["be", "to"])]
)
def test_a_fixed_vocabulary_does_not_change(given):
    vectorizer = TextVectorizer(vocabulary=given)
    assert vectorizer.transform(TEXTS[:1]).toarray().tolist() == [[2, 2]]
    assert vectorizer.fit_transform(TEXTS[:2]).toarray().tolist() == [[2, 2], [0, 0]]
    vectorizer.partial_fit(["new words"])
    assert vectorizer.get_feature_names_out().tolist() == ["be", "to"]


def test_a_frozen_vocabulary_takes_no_new_terms():
    vectorizer = TextVectorizer().fit(["to be"])
    vectorizer.vocabulary_.freeze()
    assert vectorizer.partial_fit_transform(["to do"]).toarray().tolist() == [[1, 0]]
    with pytest.raises(FrozenVocabularyError):
        vectorizer.build_analyzer().count(as_texts(["to do"]), vectorizer.vocabulary_, grow=True)


@pytest.mark.parametrize("given", [[], ["aa", "aa"], {"aa": 0, "bb": 0}, {"aa": 0, "bb": 2}])
def test_a_vocabulary_that_contradicts_itself_is_refused(given):
    with pytest.raises(VocabularyError):
        TextVectorizer(vocabulary=given).fit(TEXTS)


def test_missing_and_empty_documents_give_empty_rows():
    X = TextVectorizer().fit_transform([None, "", "to be", float("nan")])
    assert np.diff(X.indptr).tolist() == [0, 0, 2, 0]


def test_binary_counts_are_one_in_the_given_dtype():
    X = TextVectorizer(binary=True, dtype=np.float32).fit_transform(["to be or not to be"])
    assert X.dtype == np.float32
    assert set(X.data.tolist()) == {1.0}


def test_terms_come_back_from_their_counts():
    vectorizer = TextVectorizer().fit(TEXTS)
    back = vectorizer.inverse_transform(vectorizer.transform(["be the question"]))
    assert [terms.tolist() for terms in back] == [["be", "the", "question"]]
    dense = vectorizer.inverse_transform(vectorizer.transform(["be to"]).toarray())
    assert [terms.tolist() for terms in dense] == [["to", "be"]]


@given(strategies.documents())
def test_a_pickled_vectorizer_is_the_same(texts):
    vectorizer = TextVectorizer().fit(texts)
    again = pickle.loads(pickle.dumps(vectorizer))
    assert again.vocabulary_ == vectorizer.vocabulary_
    assert same_matrix(again.transform(texts), vectorizer.transform(texts))


def test_a_clone_has_the_settings_and_nothing_learned():
    vectorizer = TextVectorizer(tokens=re.compile(r"\w"), min_df=2).fit(["a a", "a"])
    copy = clone(vectorizer)
    assert copy.get_params() == vectorizer.get_params()
    assert not hasattr(copy, "vocabulary_")


def test_it_works_in_a_pipeline_under_grid_search():
    texts = ["good fine great", "bad awful poor"] * 12
    pipeline = make_pipeline(TextVectorizer(), LogisticRegression())
    grid = {"textvectorizer__tokens": ["words", "chars"], "textvectorizer__min_df": [1, 2]}
    search = GridSearchCV(pipeline, grid, cv=3)
    assert search.fit(texts, [1, 0] * 12).best_score_ == 1.0


def test_arrays_or_matrices_as_scikit_learn_is_configured():
    assert isinstance(TextVectorizer().fit_transform(TEXTS), sp.spmatrix)
    if "sparse_interface" in sklearn.get_config():
        with sklearn.config_context(sparse_interface="sparray"):
            assert isinstance(TextVectorizer().fit_transform(TEXTS), sp.sparray)


def test_threads_may_read_while_one_writes():
    vectorizer = TextVectorizer(n_jobs=1).fit(TEXTS)
    expected = vectorizer.transform(TEXTS).toarray()
    wrong = []

    def read():
        for _ in range(200):
            found = vectorizer.transform(TEXTS).toarray()[:, : expected.shape[1]]
            if not np.array_equal(found, expected):
                wrong.append(found)

    readers = [threading.Thread(target=read) for _ in range(3)]
    for reader in readers:
        reader.start()
    for i in range(300):
        vectorizer.partial_fit([f"new{i} word{i} " * 20])
    for reader in readers:
        reader.join()
    assert not wrong
    assert len(vectorizer.vocabulary_) == expected.shape[1] + 600


@pytest.mark.parametrize(
    ("settings", "error"),
    [
        ({"tokens": "word"}, AnalysisError),
        ({"tokens": 3}, AnalysisError),
        ({"tokens": re.compile("(a)(b)")}, AnalysisError),
        ({"tokens": str.lower}, AnalysisError),
        ({"ngram_range": (2, 1)}, AnalysisError),
        ({"ngram_range": (0, 1)}, AnalysisError),
        ({"ngram_range": (1.0, 2.0)}, AnalysisError),
        ({"ngram_range": (1, 2, 3)}, AnalysisError),
        ({"min_length": 0}, AnalysisError),
        ({"min_length": 3}, AnalysisError),
        ({"min_length": 1.0}, AnalysisError),
        ({"min_length": 1, "tokens": "chars"}, AnalysisError),
        ({"min_length": 1, "tokens": str.split}, AnalysisError),
        ({"chars": (4, 2)}, AnalysisError),
        ({"chars": 2}, AnalysisError),
        ({"chars": (2, 10**30)}, AnalysisError),
        ({"chars": (2, 4), "tokens": "chars"}, AnalysisError),
        ({"chars": (2, 4), "tokens": str.split}, AnalysisError),
        ({"chars": (2, 4), "tokens": re.compile("x")}, AnalysisError),
        ({"tokens": re.compile(b"x")}, AnalysisError),
        ({"tokens": lambda text: None}, AnalysisError),
        ({"tokens": lambda text: [3]}, AnalysisError),
        ({"strip_accents": lambda term: None}, AnalysisError),
        ({"stop_words": iter(["to"])}, AnalysisError),
        ({"vocabulary": iter(["to"])}, VocabularyError),
        ({"min_df": "2"}, VocabularyError),
        ({"n_jobs": "2"}, ValueError),
        ({"hangul": "syllables"}, AnalysisError),
        ({"min_df": -1}, VocabularyError),
        ({"min_df": 1.5}, VocabularyError),
        ({"min_df": 3, "max_df": 2}, VocabularyError),
        ({"max_features": 0}, VocabularyError),
        ({"n_jobs": 0}, ValueError),
    ],
)
def test_senseless_settings_are_refused(settings, error):
    with pytest.raises(error):
        TextVectorizer(**settings).fit(TEXTS)


def test_a_failed_fit_loses_nothing():
    vectorizer = TextVectorizer().fit(TEXTS)
    before = vectorizer.vocabulary_.copy()
    with pytest.raises(InputError):
        vectorizer.fit(["fine", 3])
    assert vectorizer.vocabulary_ == before


def test_numpy_booleans_are_booleans():
    assert list(counts_by_name(TextVectorizer(lowercase=np.False_), ["To be"])[0]) == ["To", "be"]


def test_stop_words_are_no_matter_of_character_ngrams():
    plain = TextVectorizer(tokens="chars").fit(["the cat"])
    with pytest.warns(UserWarning, match="not used"):
        stopped = TextVectorizer(tokens="chars", stop_words="en", language="en").fit(["the cat"])
    assert stopped.vocabulary_ == plain.vocabulary_


def test_no_limit_leaves_the_vocabulary_open():
    vectorizer = TextVectorizer(min_df=0.0).fit(["to be"])
    assert len(vectorizer.partial_fit(["or not"]).vocabulary_) == 4


def test_names_can_be_read_while_the_vocabulary_grows():
    vectorizer = TextVectorizer(n_jobs=1).fit(TEXTS)
    first = vectorizer.get_feature_names_out().tolist()
    wrong = []

    def read():
        for _ in range(300):
            again = pickle.loads(pickle.dumps(vectorizer.vocabulary_))
            names = vectorizer.get_feature_names_out().tolist()
            if names[: len(first)] != first or list(again)[: len(first)] != first:
                wrong.append(names)

    reader = threading.Thread(target=read)
    reader.start()
    for i in range(500):
        vectorizer.partial_fit([f"new{i} word{i} " * 5])
    reader.join()
    assert not wrong


def test_an_unfitted_vectorizer_raises_not_fitted_error():
    with pytest.raises(NotFittedError):
        TextVectorizer().transform(TEXTS)
    with pytest.raises(NotFittedError):
        TextVectorizer().get_feature_names_out()

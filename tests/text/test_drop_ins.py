import pickle

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.feature_extraction import text as reference

import strategies
from counting import same_matrix
from tallytext.sklearn import CountVectorizer, TfidfVectorizer

NATIVE = {
    "words": {},
    "words as they are": {"lowercase": False},
    "word n-grams": {"ngram_range": (1, 3)},
    "longer word n-grams": {"ngram_range": (2, 4)},
    "chars": {"analyzer": "char"},
    "char n-grams": {"analyzer": "char", "ngram_range": (1, 4)},
    "char n-grams as they are": {
        "analyzer": "char",
        "ngram_range": (3, 9),
        "lowercase": False,
    },
    "chars in words": {"analyzer": "char_wb"},
    "char n-grams in words": {"analyzer": "char_wb", "ngram_range": (2, 5)},
    "accents": {"strip_accents": "unicode"},
    "accents to ASCII": {"strip_accents": "ascii", "ngram_range": (1, 2)},
    "accents by a function": {"strip_accents": str.swapcase},
    "accents of chars": {"strip_accents": "unicode", "analyzer": "char_wb", "ngram_range": (1, 2)},
    "stop words": {"stop_words": "english", "ngram_range": (1, 2)},
    "own stop words": {"stop_words": ["cat", "the"]},
    "rare terms left out": {"min_df": 2},
    "common terms left out": {"max_df": 0.5},
    "both": {"min_df": 2, "max_df": 5, "ngram_range": (1, 2)},
    "most frequent": {"max_features": 3},
    "binary": {"binary": True, "dtype": np.float32},
    "given vocabulary": {"vocabulary": ["the", "cat", "zz"]},
    "given mapping": {"vocabulary": {"cat": 1, "the": 0}},
}
PYTHON = {
    "pattern": {"token_pattern": r"\w+"},
    "tokenizer": {"tokenizer": str.split, "token_pattern": None},
    "preprocessor": {"preprocessor": str.upper},
    "analyzer": {"analyzer": str.split},
}
pytestmark = pytest.mark.filterwarnings("default")  # scikit-learn's own warnings, as it gives them


def outcome(vectorizer, texts):
    """What a vectorizer makes of texts: everything that can be seen, or the error."""
    try:
        X = vectorizer.fit_transform(texts)
    except (ValueError, TypeError, AttributeError) as error:
        return type(error), str(error)
    return X, vectorizer.vocabulary_, vectorizer.transform([*texts, "the cat sat"])


def assert_same_outcome(ours, theirs, texts):
    found, expected = outcome(ours, texts), outcome(theirs, texts)
    if len(expected) == 2:
        assert found == expected
        return
    assert found[1] == expected[1]
    assert list(ours.get_feature_names_out()) == list(theirs.get_feature_names_out())
    for X, Y in ((found[0], expected[0]), (found[2], expected[2])):
        X.sort_indices(), Y.sort_indices()
        assert X.dtype == Y.dtype
        # Norms are sums over a row; scikit-learn's rows are in another order.
        assert np.allclose(X.data, Y.data, rtol=1e-14, atol=0)
        X.data = Y.data
        assert same_matrix(X, Y)


@pytest.mark.parametrize("name", NATIVE)
@settings(max_examples=25)
@given(texts=strategies.documents())
def test_the_same_as_scikit_learn_and_natively(name, texts):
    ours = CountVectorizer(**NATIVE[name])
    assert_same_outcome(ours, reference.CountVectorizer(**NATIVE[name]), texts)
    assert ours.counted_natively_


@pytest.mark.parametrize("name", PYTHON)
@settings(max_examples=10)
@given(texts=strategies.documents())
def test_own_code_is_run_by_scikit_learn(name, texts):
    ours = CountVectorizer(**PYTHON[name])
    assert_same_outcome(ours, reference.CountVectorizer(**PYTHON[name]), texts)
    assert not ours.counted_natively_


@settings(max_examples=25)
@given(strategies.documents(), st.booleans(), st.sampled_from(["l1", "l2", None]))
def test_tfidf_is_that_of_scikit_learn(texts, sublinear, norm):
    given_settings = {"sublinear_tf": sublinear, "norm": norm, "ngram_range": (1, 2)}
    ours, theirs = TfidfVectorizer(**given_settings), reference.TfidfVectorizer(**given_settings)
    assert_same_outcome(ours, theirs, texts)
    assert ours.counted_natively_


@given(strategies.documents())
def test_rows_are_in_canonical_format(texts):
    vectorizer = CountVectorizer(vocabulary=["the", "42", "cat"])
    for X in (vectorizer.fit_transform(texts), vectorizer.transform(iter(texts))):
        assert sp.csr_matrix((X.data, X.indices, X.indptr), X.shape).has_canonical_format


@given(strategies.documents())
def test_an_iterable_gives_the_same_as_a_list(texts):
    ours = CountVectorizer()
    try:
        expected = ours.fit_transform(texts)
    except ValueError:
        assume(False)
    assert same_matrix(CountVectorizer().fit_transform(iter(texts)), expected)


def test_batches_are_stacked_to_one_matrix(monkeypatch):
    monkeypatch.setattr("tallytext.sklearn._BATCH_DOCUMENTS", 3)
    texts = [f"zz{i % 5} yy{i % 7} aa" for i in range(20)]
    ours, theirs = CountVectorizer(), reference.CountVectorizer()
    expected = theirs.fit_transform(texts)
    expected.sort_indices()
    assert same_matrix(ours.fit_transform(iter(texts)), expected)
    assert ours.vocabulary_ == theirs.vocabulary_


@pytest.mark.parametrize("documents", [["fine", None], ["fine", 3], ["fine", np.nan], "one string"])
def test_bad_documents_are_refused_as_scikit_learn_refuses_them(documents):
    with pytest.raises(Exception) as expected:
        reference.CountVectorizer().fit(documents)
    with pytest.raises(expected.type, match=str(expected.value)[:40]):
        CountVectorizer().fit(documents)


def test_bytes_and_files_are_read(tmp_path):
    path = tmp_path / "text"
    path.write_bytes("Déjà vu".encode("latin-1"))
    vectorizer = CountVectorizer(input="filename", encoding="latin-1").fit([path])
    assert list(vectorizer.vocabulary_) == ["déjà", "vu"]
    assert vectorizer.counted_natively_
    assert list(CountVectorizer().fit([b"raw bytes"]).vocabulary_) == ["bytes", "raw"]


def test_a_subclass_with_an_analyzer_of_its_own_is_heeded():
    class Reversed(CountVectorizer):
        def build_analyzer(self):
            analyze = super().build_analyzer()
            return lambda document: [term[::-1] for term in analyze(document)]

    vectorizer = Reversed().fit(["abc def"])
    assert list(vectorizer.vocabulary_) == ["cba", "fed"]
    assert not vectorizer.counted_natively_


def test_another_vocabulary_is_noticed():
    vectorizer = CountVectorizer().fit(["aa bb"])
    assert vectorizer.transform(["bb cc"]).toarray().tolist() == [[0, 1]]
    vectorizer.vocabulary_ = {"cc": 0, "bb": 1}
    assert vectorizer.transform(["bb cc"]).toarray().tolist() == [[1, 1]]


def test_pickles_and_clones_have_the_same_settings():
    vectorizer = CountVectorizer(ngram_range=(1, 2)).fit(["to be"])
    vectorizer.transform(["to be"])
    again = pickle.loads(pickle.dumps(vectorizer))
    assert again.vocabulary_ == vectorizer.vocabulary_
    assert "_native_vocabulary" not in again.__dict__
    assert clone(vectorizer).get_params() == vectorizer.get_params()
    assert CountVectorizer().get_params() == reference.CountVectorizer().get_params()
    assert TfidfVectorizer().get_params() == reference.TfidfVectorizer().get_params()

"""Character n-grams counted in addition to words."""

import sys
import unicodedata

import numpy as np
import pyarrow as pa
import pytest
import scipy.sparse as sp
from hypothesis import example, given, settings
from hypothesis import strategies as st

import strategies
from counting import counts_by_name, rows_as_dict, same_matrix
from naming import name_of
from oracle import tokens as oracle
from tallytext import Tally, TextClassifier, TextVectorizer
from tallytext.errors import AnalysisError
from tallytext.text.analysis import accent_stripper

ranges = st.tuples(st.integers(1, 4), st.integers(0, 3)).map(lambda pair: (pair[0], sum(pair)))
word_ranges = st.sampled_from([(1, 1), (1, 2), (2, 3)])


@given(strategies.texts(), ranges, word_ranges, st.sampled_from([1, 2]))
@example("#ab ##\0# \0", (1, 3), (1, 2), 1)
@example("ab " * 6000 + "\ud800 " + "x" * 40_000, (2, 3), (1, 2), 1)
def test_words_and_characters_match_the_obvious_ones(text, chars, ngrams, min_length):
    vectorizer = TextVectorizer(chars=chars, ngram_range=ngrams, min_length=min_length)
    words = oracle.ngrams(oracle.words(text, min_length=min_length), *ngrams)
    expected = oracle.counts(words + oracle.marked_chars(text, *chars))
    found = counts_by_name(vectorizer, [text])
    assert found == [expected]
    assert list(found[0]) == list(expected)  # in order of first appearance, words first


@given(
    strategies.documents(),
    ranges,
    word_ranges,
    st.sampled_from(["words", "sklearn"]),
    st.booleans(),
)
def test_both_at_once_are_the_two_side_by_side(texts, chars, ngrams, tokens, lowercase):
    common = {"lowercase": lowercase}
    both = TextVectorizer(tokens=tokens, chars=chars, ngram_range=ngrams, **common)
    words = TextVectorizer(tokens=tokens, ngram_range=ngrams, **common)
    grams = TextVectorizer(tokens="chars", ngram_range=chars, **common)
    X = both.fit_transform(texts)
    apart = sp.hstack([words.fit_transform(texts), grams.fit_transform(texts)])
    names = [*words.get_feature_names_out(), *("#" + g for g in grams.get_feature_names_out())]
    assert sorted(names) == sorted(both.get_feature_names_out())
    assert len(set(names)) == len(names)
    columns = [both.vocabulary_[name] for name in names]
    assert (X[:, columns] != apart).nnz == 0


@settings(max_examples=15)
@given(strategies.documents(), st.integers(2, 5), st.sampled_from([None, "unicode"]))
def test_one_thread_equals_many(texts, n_jobs, accents):
    texts = [text + f" w{i} é " * 4000 for i, text in enumerate(texts)] * 3
    common = {"chars": (2, 4), "min_length": 1, "ngram_range": (1, 2), "strip_accents": accents}
    one, many = (TextVectorizer(n_jobs=n, **common) for n in (1, n_jobs))
    assert same_matrix(one.fit_transform(texts), many.fit_transform(texts))
    assert one.vocabulary_ == many.vocabulary_
    more = [*texts, "some new words " * 9000]
    one.partial_fit(more), many.partial_fit(more)
    assert one.vocabulary_ == many.vocabulary_
    assert same_matrix(one.transform(more), many.transform(more))


@given(strategies.documents(), ranges)
def test_growing_text_by_text_equals_growing_all_at_once(texts, chars):
    whole, grown = (TextVectorizer(chars=chars, ngram_range=(1, 2)) for _ in range(2))
    X = whole.fit_transform(texts)
    grown.fit([])
    for text in texts:
        grown.partial_fit([text])
    assert grown.vocabulary_ == whole.vocabulary_
    assert same_matrix(grown.transform(texts), X)


@given(st.one_of(st.binary(max_size=200), st.just(b"\xff" * 5000)))
def test_bytes_that_are_no_text_are_characters(data):
    vectorizer = TextVectorizer(chars=(1, 2), min_length=1)
    text = oracle.decoded(data)
    expected = oracle.words(text, min_length=1) + oracle.marked_chars(text, 1, 2)
    assert counts_by_name(vectorizer, pa.array([data], pa.binary())) == [oracle.counts(expected)]


@given(strategies.documents(), ranges)
def test_analysis_changes_words_and_only_strips_accents_of_characters(texts, chars):
    analysis = {"stop_words": ["the", "cat"], "language": "en", "strip_accents": "unicode"}
    both = TextVectorizer(chars=chars, ngram_range=(1, 2), **analysis)
    words = counts_by_name(TextVectorizer(ngram_range=(1, 2), **analysis), texts)
    strip = accent_stripper("unicode")
    for text, word_counts, found in zip(texts, words, counts_by_name(both, texts), strict=True):
        grams = ["#" + strip(gram) for gram in oracle.padded_chars(text, *chars) if strip(gram)]
        assert found == word_counts | oracle.counts(grams)


def test_filters_see_no_characters():
    seen = []
    vectorizer = TextVectorizer(
        chars=(2, 2), ngram_range=(1, 2), term_filter=lambda term: seen.append(term) or term[:2]
    )
    assert list(counts_by_name(vectorizer, ["wave hill"])[0]) == [
        "wa", "hi", "wa hi", "# w", "#wa", "#av", "#ve", "#e ", "# h", "#hi", "#il", "#ll", "#l ",
    ]  # fmt: skip
    assert seen == ["wave", "hill"]


def test_a_word_cannot_be_made_into_a_character_ngram():
    vectorizer = TextVectorizer(chars=(2, 2), term_filter=lambda term: "#" + term)
    with pytest.raises(AnalysisError, match="'wave' cannot become '#wave'"):
        vectorizer.fit(["wave"])
    assert counts_by_name(vectorizer.set_params(chars=None), ["wave"]) == [{"#wave": 1}]


def test_stripping_accents_never_makes_the_mark():
    characters = "".join(filter(str.isalnum, map(chr, range(sys.maxunicode + 1))))
    assert "#" not in unicodedata.normalize("NFKD", characters)


def test_a_fixed_vocabulary_limits_the_counted_terms():
    vectorizer = TextVectorizer(vocabulary=["#ab", "ab", "# a"], chars=(2, 3))
    assert vectorizer.transform(["ab abab", "#ab"]).toarray().tolist() == [[3, 1, 2], [1, 1, 0]]


def test_limits_count_characters_as_terms():
    vectorizer = TextVectorizer(chars=(2, 2), min_df=2).fit(["ab ac", "ab", "ad"])
    assert vectorizer.get_feature_names_out().tolist() == ["ab", "# a", "#ab", "#b "]


@given(strategies.labelled_documents())
def test_tallies_hold_both(corpus):
    texts, labels = [text for text, _ in corpus], [label for _, label in corpus]
    vectorizer = TextVectorizer(chars=(2, 3), ngram_range=(1, 2), min_length=1)
    X = vectorizer.fit_transform(texts)
    expected = Tally.from_counts(X, labels, vectorizer.vocabulary_)
    fresh = TextVectorizer(**vectorizer.get_params())
    assert Tally.from_texts(texts, labels, vectorizer=fresh, batch_size=3) == expected


SEA, SKY = ["the salt wave", "a ship at sea", "waves"], ["blue cloud", "a windy sky", "clouds"]


@pytest.mark.parametrize(
    "parameters",
    [{"chars": (2, 4)}, {"chars": (1, 3), "ngram_range": (1, 2), "language": "en"}],
    ids=name_of,
)
def test_a_classifier_with_char_ngrams_learns_explains_and_is_stored(parameters, tmp_path):
    vectorizer = TextVectorizer(min_length=1, **parameters)
    made = TextClassifier("multinomial", vectorizer=vectorizer).fit(
        SEA + SKY, ["sea"] * 3 + ["sky"] * 3
    )
    made.learn(["wavy"], ["sea"])
    made.save(tmp_path / "model")
    read = TextClassifier.load(tmp_path / "model")
    assert read.vectorizer_.chars == vectorizer.chars
    assert read.vectorizer_.min_length == 1
    texts = ["wavering", "a cloudlet"]
    assert read.predict(texts).tolist() == ["sea", "sky"]
    np.testing.assert_array_equal(read.scores(texts), made.scores(texts))
    terms = {
        each.term: each.spans for each in read.explain("Waves waver", by="feature").contributions
    }
    assert terms["#av"] == ((1, 3), (7, 9))
    assert terms["# w"] == ((0, 1), (6, 7))


def test_rows_have_each_term_once():
    X = (vectorizer := TextVectorizer(chars=(1, 1))).fit_transform(["aa a aa"])
    names = vectorizer.get_feature_names_out()
    assert rows_as_dict(X, 0, names) == {"aa": 2, "# ": 6, "#a": 5}

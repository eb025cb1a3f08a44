import re

import pyarrow as pa
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from sklearn.feature_extraction.text import CountVectorizer

import strategies
from counting import counts_by_name
from oracle import tokens as oracle
from tallytext import TextVectorizer

lengths = st.sampled_from([1, 2])


def tokens_of(text, **settings):
    """The distinct tokens of a text, in order of appearance."""
    return list(counts_by_name(TextVectorizer(**settings), [text])[0])


@given(strategies.texts(), lengths)
@example("ΑΣ'Α ΑΣ. ΑΣ.Α Σ ΑΣ ΟΔΥΣΣΕΥΣ", 2)
@example("İstanbul DİYARBAKIR K Å Ⓐ ﬀ ß ẞ", 1)
@example("x" * 20_000 + " yy", 2)
@example("x y" * 20_000 + " é z", 1)
def test_sklearn_tokens_equal_those_of_scikit_learn(text, min_length):
    vectorizer = TextVectorizer(tokens="sklearn", min_length=min_length)
    assert counts_by_name(vectorizer, [text]) == [
        oracle.counts(oracle.sklearn_words(text, min_length))
    ]


@given(strategies.documents(), lengths)
def test_sklearn_tokens_give_the_matrix_of_scikit_learn(texts, min_length):
    reference = CountVectorizer(token_pattern=r"(?u)\b\w+\b" if min_length == 1 else r"\b\w\w+\b")
    try:
        expected = counts_by_name(reference, texts)
    except ValueError:  # scikit-learn refuses an empty vocabulary
        expected = [{} for _ in texts]
    vectorizer = TextVectorizer(tokens="sklearn", min_length=min_length)
    assert counts_by_name(vectorizer, texts) == expected


@given(strategies.texts(), st.booleans(), lengths)
@example("日本語のテキスト2024年 text", False, 2)
@example("ภาษาไทย น้ำ ខ្មែរ មြန်မာဘာသာ ພາສາລາວ", False, 2)
@example("SK하이닉스가 나 나라 대한민국", True, 2)
@example("हिन्दी में వచ్చారు می\u200cخواهم e\u0301 x\u0301y", False, 2)
@example("ही e\u0301 x\u0301y я I 5_ _", False, 1)
@example("中" * 9_000 + "文", False, 1)
def test_words_match_the_obvious_ones(text, bigrams, min_length):
    hangul = "words+bigrams" if bigrams else "words"
    vectorizer = TextVectorizer(hangul=hangul, min_length=min_length)
    assert counts_by_name(vectorizer, [text]) == [
        oracle.counts(oracle.words(text, bigrams, min_length))
    ]


@given(strategies.texts(), st.integers(1, 4), st.integers(0, 3))
def test_chars_match_the_obvious_ones(text, shortest, more):
    vectorizer = TextVectorizer(tokens="chars", ngram_range=(shortest, shortest + more))
    expected = oracle.counts(oracle.padded_chars(text, shortest, shortest + more))
    assert counts_by_name(vectorizer, [text]) == [expected]


@given(strategies.texts(), st.integers(1, 3), st.integers(0, 2))
def test_ngrams_join_neighbouring_words(text, shortest, more):
    vectorizer = TextVectorizer(ngram_range=(shortest, shortest + more))
    expected = oracle.ngrams(oracle.words(text), shortest, shortest + more)
    assert counts_by_name(vectorizer, [text]) == [oracle.counts(expected)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Don't panic: 42 x's", ["don", "panic", "42"]),
        ("naïve CAFÉ cafe\u0301", ["naïve", "café", "cafe\u0301"]),
        ("é e\u0301 a", []),
        ("snake_case __init__ _", ["snake_case", "__init__"]),
        ("हिन्दी में", ["हिन्दी", "में"]),
        ("తెలుగు", ["తెలుగు"]),
        ("日本語", ["日本", "本語"]),
        ("本", ["本"]),
        ("カメラ2台", ["カメ", "メラ", "台"]),
        ("大韓民國 나는 집", ["大韓", "韓民", "民國", "나는", "집"]),
        ("น้ำตก", ["น้ำต", "ตก"]),
        ("ខ្មែរ", ["ខ្មែរ"]),
        ("a\ud800bc", ["bc"]),
        ("a\0bc\0", ["bc"]),
        ("", []),
    ],
)
def test_words_follow_the_documentation(text, expected):
    assert tokens_of(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Don't panic: 42 x's", ["don", "t", "panic", "42", "x", "s"]),
        ("é e\u0301 a", ["é", "e\u0301", "a"]),
        ("_ \u0301 + я 5 \0 本", ["_", "я", "5", "本"]),
    ],
)
def test_words_of_one_character_can_be_counted(text, expected):
    assert tokens_of(text, min_length=1) == expected


def test_hangul_bigrams_come_with_their_words():
    assert tokens_of("대한민국 나라", hangul="words+bigrams") == [
        "대한민국", "대한", "한민", "민국", "나라",
    ]  # fmt: skip


@pytest.mark.parametrize("tokens", ["words", "sklearn"])
@pytest.mark.parametrize("size", [16_383, 16_384, 16_385, 40_000, 1_000_003])
def test_huge_words_are_not_cut(tokens, size):
    text = f"ab {'x' * size} cd"
    assert tokens_of(text, tokens=tokens) == ["ab", "x" * size, "cd"]
    assert tokens_of(f"é{'X' * size}", tokens=tokens) == ["é" + "x" * size]


@pytest.mark.parametrize("padding", range(60, 70))
def test_words_across_the_borders_of_blocks_are_whole(padding):
    assert tokens_of(" " * padding + "Word wörd") == ["word", "wörd"]
    assert tokens_of("." * (16_384 - 70) + " " * padding + "Word wörd") == ["word", "wörd"]
    assert tokens_of(" " * padding + "I é 5", min_length=1) == ["i", "é", "5"]
    assert tokens_of("." * (16_384 - 70) + " " * padding + "5", min_length=1) == ["5"]


@given(strategies.texts())
def test_without_lower_casing_words_stay_as_they_are(text):
    found = counts_by_name(TextVectorizer(tokens="sklearn", lowercase=False), [text])
    assert found == [oracle.counts(re.findall(r"\b\w\w+\b", text))]


@given(strategies.texts())
def test_a_pattern_cuts_as_python_does(text):
    pattern = re.compile(r"\w+|[^\w\s]")
    found = counts_by_name(TextVectorizer(tokens=pattern), [text])
    assert found == [oracle.counts(pattern.findall(text.lower()))]


@given(strategies.texts())
def test_a_callable_gets_the_text_and_its_tokens_are_counted(text):
    assert counts_by_name(TextVectorizer(tokens=list), [text]) == [oracle.counts(list(text))]


@given(st.one_of(st.binary(max_size=200), st.just(b"\xff" * 5000)))
@example(b"a\xed\xa0\x80b \xed\xa0 \xc0\xaf")
def test_bytes_that_are_no_text_separate_words_and_are_characters(data):
    text = oracle.decoded(data)
    column = pa.array([data], pa.binary())
    assert counts_by_name(TextVectorizer(), column) == [oracle.counts(oracle.words(text))]
    chars = TextVectorizer(tokens="chars", ngram_range=(1, 2))
    assert counts_by_name(chars, column) == [oracle.counts(oracle.padded_chars(text, 1, 2))]

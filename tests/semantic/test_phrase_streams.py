"""Where neighbouring words end: texts as streams of words with breaks."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import strategies
from oracle import phrases as oracle
from tallytext.errors import AnalysisError
from tallytext.semantic.matching import StreamTokenizer


def streams(texts, n_threads=1, **parameters):
    tokenizer = StreamTokenizer(**parameters)
    found = tokenizer.number_words(tokenizer.tokenize(tokenizer.batches(texts), n_threads))
    marks = {-1: None, -2: ""}
    return [
        [found.names[i] if i >= 0 else marks[i] for i in found.words[start:end].tolist()]
        for start, end in zip(found.starts[:-1], found.starts[1:], strict=True)
    ]


@settings(max_examples=300)
@given(strategies.documents(), st.sampled_from([1, 2]))
def test_native_breaks_are_the_obvious_ones(texts, min_length):
    wanted = [oracle.cut(text, min_length) for text in texts]
    assert streams(texts, min_length=min_length) == wanted


@settings(max_examples=200)
@given(strategies.documents(), st.sampled_from([1, 2]))
def test_native_breaks_between_words_of_scikit_learn_are_the_obvious_ones(texts, min_length):
    wanted = [oracle.cut_sklearn(text, min_length) for text in texts]
    assert streams(texts, tokens="sklearn", min_length=min_length) == wanted


GAPS = st.sampled_from(
    [" ", "  ", "\n", "\n ", "\n\n", "-", " - ", "--", "'", "’ ", ". ", ", ", "x "]
)
WORDS = st.sampled_from(["ab", "Éa", "über", "한국", "12", "中文字"])


@given(st.lists(st.tuples(WORDS, GAPS)).map(lambda pairs: "".join(map("".join, pairs))))
def test_native_breaks_are_the_obvious_ones_for_any_gap(text):
    assert streams([text]) == [oracle.cut(text)]
    assert streams([text], tokens="sklearn") == [oracle.cut_sklearn(text)]


@pytest.mark.parametrize(
    "text, words",
    [
        ("space shuttle", ["space", "shuttle"]),
        ("space-shuttle", ["space", "shuttle"]),
        ("space\nshuttle", ["space", "shuttle"]),
        ("space\r\n shuttle", ["space", "shuttle"]),
        ("boys' club", ["boys", "club"]),
        ("o’reilly", ["reilly"]),
        ("space. Shuttle", ["space", None, "shuttle"]),
        ("space, shuttle", ["space", None, "shuttle"]),
        ("space (shuttle)", ["space", None, "shuttle"]),
        ("space\n\nshuttle", ["space", None, "shuttle"]),
        ("space\r\n\r\nshuttle", ["space", None, "shuttle"]),
        ("space -- shuttle", ["space", None, "shuttle"]),
        ("space - shuttle", ["space", None, "shuttle"]),
        ("space – shuttle", ["space", None, "shuttle"]),
        ("space…shuttle", ["space", None, "shuttle"]),
        ("space。shuttle", ["space", None, "shuttle"]),
        ("space\u2029shuttle", ["space", None, "shuttle"]),
        ("space\xa0shuttle", ["space", "shuttle"]),
        ("space x shuttle", ["space", None, "shuttle"]),
        ("space\x00shuttle", ["space", None, "shuttle"]),
        ("space \ud800 shuttle", ["space", None, "shuttle"]),
        (". space .", ["space"]),
        ("우주 왕복선. 발사", ["우주", "왕복선", None, "발사"]),
        ("中文字", ["中文", "文字"]),
        ("", []),
    ],
)
def test_separators_between_words(text, words):
    assert streams([text]) == [words]


def test_words_longer_than_a_window_are_neighbours_as_others_are():
    huge = "x" * 40_000
    text = f"ab {huge} cd. {huge}é-{huge}" + " " * 40_000 + "ef"
    found = ["ab", huge, "cd", None, huge + "é", huge, "ef"]
    assert streams([text]) == [found]


def test_bytes_that_are_no_text_keep_words_apart():
    import pyarrow as pa

    column = pa.array([b"ab \xff cd", b"ab\xe4\xb8cd", b"\xed\xa0\x80ab cd", b"ab cd\xc3"])
    assert streams(column) == [["ab", None, "cd"], ["ab", None, "cd"], ["ab", "cd"], ["ab", "cd"]]


@settings(max_examples=15)
@given(strategies.documents(), st.integers(2, 5))
def test_one_thread_equals_many(texts, n_threads):
    texts = [text + f" w{i}. ab " * 4000 for i, text in enumerate(texts)] * 3
    assert streams(texts, 1) == streams(texts, n_threads)


@given(strategies.documents())
def test_an_iterable_gives_the_same_as_a_list(texts):
    assert streams(iter(texts)) == streams(texts)


def test_dropped_words_have_a_position_and_breaks_have_none():
    found = streams(["walks of the. dogs"], stop_words="english", language="en")
    assert found == [["walk", "", "", None, "dog"]]


def test_tokens_are_words():
    with pytest.raises(AnalysisError, match="tokens must be 'words' or 'sklearn'"):
        streams(["a"], tokens="chars")

"""Xtract: published figures, and the native counts against the obvious ones."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from oracle import phrases as cutting
from oracle import xtract as oracle
from tallytext._core import WordPlaces
from tallytext.errors import CountError
from tallytext.semantic import Phrases
from tallytext.semantic.xtract import stage_one

OFFSETS = [-5, -4, -3, -2, -1, 1, 2, 3, 4, 5]
HISTOGRAMS = {
    "program": [0, 1, 0, 2, 3, 40, 2, 1, 1, 0],
    "shuttle": [1, 0, 2, 1, 0, 30, 0, 1, 0, 1],
    "the": [9, 8, 9, 8, 30, 7, 9, 8, 9, 8],
    "red": [0, 0, 1, 0, 0, 0, 1, 0, 0, 0],
    "sky": [0, 1, 0, 0, 1, 0, 0, 1, 0, 0],
    "blue": [1, 0, 0, 1, 0, 0, 0, 0, 1, 0],
}
PEAKS = [[1], [1], [-1], [-3, 2], [-4, -1, 3], [-5, -2, 4]]


def test_published_figures_with_a_function_word():
    found = stage_one(list(HISTOGRAMS.values()), OFFSETS)
    assert found.mean_freq == pytest.approx(33.16666667, abs=1e-6)
    assert found.sigma == pytest.approx(37.06488305, abs=1e-6)
    assert found.freq.tolist() == [50, 36, 105, 2, 3, 3]
    assert found.strength == pytest.approx(
        [0.4541585444, 0.07644252727, 1.938042897, -0.8408678, -0.8138880845, -0.8138880845],
        abs=1e-6,
    )
    assert found.spread == pytest.approx([137.0, 77.84, 42.65, 0.16, 0.21, 0.21], abs=1e-6)
    assert found.peaks == PEAKS
    assert found.accepted.tolist() == [False, False, True, False, False, False]


def test_published_figures_without_it():
    rows = [bins for word, bins in HISTOGRAMS.items() if word != "the"]
    found = stage_one(rows, OFFSETS, k0=1, k1=1, u0=10)
    assert found.mean_freq == pytest.approx(18.8, abs=1e-6)
    assert found.sigma == pytest.approx(20.25240726, abs=1e-6)
    assert found.strength == pytest.approx(
        [1.540557603, 0.8492817558, -0.8295310173, -0.780154171, -0.780154171], abs=1e-6
    )
    assert found.spread == pytest.approx([137.0, 77.84, 0.16, 0.21, 0.21], abs=1e-6)
    assert found.peaks == [PEAKS[i] for i in (0, 1, 3, 4, 5)]
    assert found.accepted.tolist() == [True, False, False, False, False]


def test_collocates_that_are_all_as_frequent_have_no_strength():
    assert stage_one([[3, 0], [0, 3]], [-1, 1]).strength.tolist() == [0, 0]


@pytest.mark.parametrize("histograms", [[], [[1]], [[1, -1]], [1, 2]])
def test_histograms_that_are_none_are_refused(histograms):
    with pytest.raises(CountError, match="histograms must be counts"):
        stage_one(histograms, [-1, 1])


#: Documents of few words, with breaks (None) and holes ("").
documents = st.lists(
    st.lists(st.sampled_from(["a", "b", "c", "d", "", None]), max_size=25), min_size=1, max_size=6
)
NAMES = "abcd"


def native(documents):
    ids = {None: -1, "": -2} | {name: i for i, name in enumerate(NAMES)}
    words = np.array([ids[word] for document in documents for word in document], dtype=np.int32)
    starts = np.cumsum([0, *map(len, documents)], dtype=np.int64)
    return WordPlaces(starts, words, len(NAMES))


@given(documents, st.integers(1, 6), st.integers(1, 3))
def test_native_histograms_are_the_obvious_ones(documents, window, n_threads):
    every = np.arange(len(NAMES), dtype=np.int32)
    words, near, bins, n, sums, squares = native(documents).histograms(every, window, 1, n_threads)
    wanted = oracle.histograms(documents, window)
    offsets = [j for j in range(-window, window + 1) if j]
    found = {
        (NAMES[w], NAMES[v]): row.tolist()
        for w, v, row in zip(words, near, bins.reshape(-1, 2 * window), strict=True)
    }
    assert found == {
        (word, other): [places[j] for j in offsets]
        for word, collocates in wanted.items()
        for other, places in collocates.items()
    }
    for i, name in enumerate(NAMES):
        freq = [sum(places.values()) for places in wanted[name].values()]
        assert (n[i], sums[i], squares[i]) == (len(freq), sum(freq), sum(f * f for f in freq))


@given(documents, st.integers(1, 6), st.integers(1, 9))
def test_rare_histograms_count_but_are_not_returned(documents, window, least):
    every = np.arange(len(NAMES), dtype=np.int32)
    places = native(documents)
    words, near, bins, *sums = places.histograms(every, window, 1, 1)
    some_words, some_near, some_bins, *same_sums = places.histograms(every, window, least, 1)
    enough = bins.reshape(-1, 2 * window).sum(axis=1) >= least
    assert some_words.tolist() == words[enough].tolist()
    assert some_near.tolist() == near[enough].tolist()
    assert some_bins.tolist() == bins.reshape(-1, 2 * window)[enough].ravel().tolist()
    assert all(map(np.array_equal, sums, same_sums))


@given(documents, st.integers(-3, 3), st.integers(1, 4))
def test_native_alignments_are_the_obvious_ones(documents, offset, reach):
    pairs = [(w, v) for w in range(len(NAMES)) for v in range(len(NAMES))]
    first, second = (np.array(column, dtype=np.int32) for column in zip(*pairs, strict=True))
    offsets = np.full(len(pairs), offset, dtype=np.int32)
    totals, words, counts = native(documents).align(first, second, offsets, reach, 2)
    width = 2 * reach + 1
    for i, (w, v) in enumerate(pairs):
        total, columns = oracle.aligned(documents, NAMES[w], NAMES[v], offset, reach)
        total = total if offset else 0
        assert totals[i] == total
        for r in range(-reach, reach + 1):
            best = min(columns[r].items(), key=lambda item: (-item[1], item[0]), default=("", 0))
            word = words[i * width + r + reach]
            found = (NAMES[word] if word >= 0 else "", counts[i * width + r + reach])
            assert found == (best if total else ("", 0))


small_texts = st.lists(
    st.lists(
        st.tuples(st.sampled_from(["aa", "bb", "cc", "dd", "of"]), st.sampled_from([" ", ". "])),
        max_size=40,
    ).map(lambda words: "".join(map("".join, words))),
    min_size=1,
    max_size=6,
)


def obvious_phrases(texts, k0, u0, window, share, min_count, max_words):
    """Xtract by the oracle; pairs whose words are in an order that is not certain are left open."""
    sentences = [["" if word == "of" else word for word in cutting.cut(text)] for text in texts]
    found, reach = {}, max_words - 1
    for word, near, j, strength in oracle.pairs(sentences, k0, 1.0, u0, window):
        if abs(j) > reach:
            continue
        total, columns = oracle.aligned(sentences, word, near, j, reach)
        if total < min_count:
            continue
        order = {name: i for i, name in enumerate(first_seen(sentences))}
        best = {
            r: min(columns[r].items(), key=lambda item: (-item[1], order[item[0]]), default=("", 0))
            for r in range(-reach, reach + 1)
        }
        kept = {r: count / total for r, (_, count) in best.items()}
        low, high = min(0, j), max(0, j)
        if any(kept[r] < share for r in range(low, high + 1)):
            continue
        while high - low + 1 < max_words:
            before, after = kept.get(low - 1, 0), kept.get(high + 1, 0)
            if max(before, after) < share:
                break
            low, high = (low - 1, high) if before > after else (low, high + 1)
        phrase = tuple(best[r][0] for r in range(low, high + 1))
        found[phrase] = max(strength, found.get(phrase, strength))
    return {
        phrase: strength
        for phrase, strength in found.items()
        if occurrences(sentences, phrase) >= min_count
    }


def first_seen(documents):
    return dict.fromkeys(word for words in documents for word in words if word)


def occurrences(documents, phrase):
    n = len(phrase)
    return sum(tuple(d[i : i + n]) == phrase for d in documents for i in range(len(d)))


@settings(max_examples=150)
@given(small_texts, st.sampled_from([0.3, 0.5001]), st.integers(1, 2), st.sampled_from([2, 3, 4]))
def test_phrases_equal_those_of_the_obvious_xtract(texts, k0, min_count, max_words):
    window, u0, share = 3, 0.0501, 0.7001  # off the fractions that small counts make
    model = Phrases(
        "xtract", threshold=k0, spread=u0, share=share, window=window, min_count=min_count,
        max_words=max_words, stop_words=["of"],
    ).fit(texts)  # fmt: skip
    wanted = obvious_phrases(texts, k0, u0, window, share, min_count, max_words)
    sentences = [["" if w == "of" else w for w in cutting.cut(text)] for text in texts]
    matched = {phrase for words in sentences for phrase in cutting.matches(words, set(wanted))}
    assert model.phrases_ == pytest.approx({" ".join(p): wanted[p] for p in matched})


def test_a_phrase_grows_from_a_pair():
    rest = ["blue", "red", "old", "new", "big", "far", "wide", "deep"]
    texts = [f"{rest[i % 8]} hubble space telescope {rest[(i * 3 + 1) % 8]}" for i in range(80)]
    model = Phrases("xtract", stop_words=None).fit(texts)
    assert list(model.phrases_) == ["hubble space telescope"]
    shorter = Phrases("xtract", stop_words=None, max_words=2).fit(texts)
    assert shorter.counts_ == {"hubble space": 80}  # which leaves nothing of "space telescope"


def test_a_gap_that_nothing_fills_makes_no_phrase():
    fill = [f"w{i}" for i in range(20)]
    texts = [f"north {fill[i % 20]} south" for i in range(100)]
    assert "north" not in " ".join(Phrases("xtract", stop_words=None).fit(texts).phrases_)

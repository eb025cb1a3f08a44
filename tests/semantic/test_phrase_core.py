"""What the native side of phrases refuses: it must never read where there is nothing."""

import numpy as np
import pytest

from tallytext._core import PhraseTree, WordPlaces, count_word_pairs

STARTS, WORDS = np.array([0, 3], np.int64), np.array([0, 1, -1], np.int32)


def ids(*numbers):
    return np.array(numbers, np.int32)


def starts(*numbers):
    return np.array(numbers, np.int64)


@pytest.mark.parametrize(
    "phrases",
    [
        (starts(0, 2), ids(0, 2), 2),  # no such word
        (starts(0, 2), ids(0, -1), 2),
        (starts(0, 3), ids(0, 1), 2),  # beyond the end
        (starts(1, 2), ids(0, 1), 2),
        (starts(0, 0, 2), ids(0, 1), 2),  # a phrase of no words
        (starts(0, 2, 4), ids(0, 1, 0, 1), 2),  # twice
        (starts(), ids(), 2),
    ],
)
def test_phrases_that_are_none_are_refused(phrases):
    with pytest.raises((ValueError, IndexError)):
        PhraseTree(*phrases)


def test_streams_of_unknown_words_are_refused():
    tree = PhraseTree(starts(0, 2), ids(0, 1), 2)
    columns = ids(0)
    for bad_starts, bad_words in [
        (STARTS, ids(0, 1, 2)),
        (STARTS, ids(0, 1, -3)),
        (starts(0, 4), WORDS),
        (starts(0, 2, 1, 3), WORDS),
    ]:
        for use in (
            lambda s, w: tree.count(s, w, columns, 1),
            lambda s, w: tree.join(s, w, 1),
            lambda s, w: tree.occurrences(s, w, 1),
            lambda s, w: WordPlaces(s, w, 2),
        ):
            with pytest.raises((ValueError, IndexError)):
                use(bad_starts, bad_words)


def test_columns_are_one_for_each_phrase_and_none_is_negative():
    tree = PhraseTree(starts(0, 2), ids(0, 1), 2)
    for columns in (ids(), ids(0, 1), ids(-1)):
        with pytest.raises((ValueError, IndexError)):
            tree.count(STARTS, WORDS, columns, 1)


def test_no_thread_is_refused():
    tree, places = PhraseTree(starts(0, 2), ids(0, 1), 2), WordPlaces(STARTS, WORDS, 2)
    for use in (
        lambda: tree.count(STARTS, WORDS, ids(0), 0),
        lambda: tree.join(STARTS, WORDS, 0),
        lambda: tree.occurrences(STARTS, WORDS, 0),
        lambda: count_word_pairs(STARTS, WORDS, 1, 0),
        lambda: places.histograms(ids(0), 5, 1, 0),
        lambda: places.align(ids(0), ids(1), ids(1), 3, 0),
    ):
        with pytest.raises(ValueError, match="thread"):
            use()


def test_positions_of_unknown_words_and_windows_are_refused():
    places = WordPlaces(STARTS, WORDS, 2)
    for use in (
        lambda: places.histograms(ids(2), 5, 1, 1),
        lambda: places.histograms(ids(-1), 5, 1, 1),
        lambda: places.histograms(ids(0), 0, 1, 1),
        lambda: places.histograms(ids(0), 1001, 1, 1),
        lambda: places.align(ids(0), ids(2), ids(1), 3, 1),
        lambda: places.align(ids(0), ids(1), ids(1001), 3, 1),
        lambda: places.align(ids(0), ids(1), ids(-1001), 3, 1),
        lambda: places.align(ids(0), ids(1), ids(1), 0, 1),
        lambda: places.align(ids(0), ids(1), ids(1, 1), 3, 1),
    ):
        with pytest.raises((ValueError, IndexError)):
            use()


def test_a_tree_of_no_phrases_finds_none():
    tree = PhraseTree(starts(0), ids(), 2)
    assert tree.count(STARTS, WORDS, ids(), 1)[0].tolist() == [0, 0]
    assert tree.join(STARTS, WORDS, 1)[1].tolist() == WORDS.tolist()
    assert tree.occurrences(STARTS, WORDS, 1).tolist() == []


def test_a_tree_grows_with_its_phrases():
    n = 5000
    pairs = np.stack([np.arange(n) % 50, np.arange(n) // 50], axis=1).astype(np.int32)
    tree = PhraseTree(np.arange(n + 1, dtype=np.int64) * 2, pairs.ravel(), 100)
    counts = tree.occurrences(starts(0, 2 * n), pairs.ravel(), 1)
    assert len(tree) == n
    assert (counts >= 1).all()

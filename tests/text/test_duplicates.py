"""Duplicate documents, compared with the counts of a dictionary of texts."""

import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from oracle import duplicates as oracle
from tallytext.errors import CountError, LabelError
from tallytext.tally.labels import LabelIndex
from tallytext.text import Duplicates

NAMES = ["ham", "spam", 3, "news"]
LABELS = st.lists(st.sampled_from(NAMES), max_size=4, unique=True)
CORPORA = st.lists(st.tuples(st.sampled_from("abcd"), LABELS), max_size=40)
SINGLE = st.lists(st.tuples(st.sampled_from("abcdefgh"), st.sampled_from(NAMES)), max_size=60)
# Far apart, and the highest of 64 bits set, so that no sign or rounding comes between.
PRINTS = {letter: 2**64 - 1 - i for i, letter in enumerate("abcdefgh")}


def found_in(texts, labels):
    index = LabelIndex()
    encoded = index.encode(labels, len(texts))
    prints = np.array([PRINTS[text] for text in texts], dtype=np.uint64)
    return Duplicates.from_fingerprints(prints, encoded, index.names)


@given(st.one_of(CORPORA, SINGLE))
def test_numbers_equal_those_of_a_dictionary_of_texts(corpus):
    texts = [text for text, _ in corpus]
    labels = [given if isinstance(given, list) else [given] for _, given in corpus]
    found = found_in(texts, labels)
    repeated, conflicting, conflicts, pairs = oracle.duplicates(texts, labels)
    assert (found.n_documents, found.n_repeated) == (len(texts), repeated)
    assert found.n_conflicting == conflicting
    assert [(each.first, each.other) for each in found.examples] == conflicts[:10]
    for each in found.examples:
        assert set(each.first_labels) == set(labels[each.first])
        assert set(each.other_labels) == set(labels[each.other])
    counted = [frozenset([frozenset(a), frozenset(b)]) for a, b, _ in found.pairs]
    assert [pairs[pair] for pair in counted] == [n for _, _, n in found.pairs]
    assert [n for _, _, n in found.pairs] == sorted(pairs.values(), reverse=True)[:10]


@given(CORPORA)
def test_a_written_record_reads_the_same(corpus):
    found = found_in([text for text, _ in corpus], [given for _, given in corpus])
    assert Duplicates.from_dict(json.loads(json.dumps(found.to_dict()))) == found


@given(CORPORA)
def test_the_summary_has_a_few_lines(corpus):
    found = found_in([text for text, _ in corpus], [given for _, given in corpus])
    lines = str(found).splitlines()
    assert len(lines) == (3 if found.n_conflicting else 1)
    assert f"of {found.n_documents} documents" in lines[0]


def test_multi_label_and_unlabelled_documents_are_shown():
    found = found_in("aaa", [["spam", "ham"], ["ham", "spam"], []])
    assert (found.n_repeated, found.n_conflicting) == (1, 3)
    assert "document 1 is 'spam' + 'ham', but document 3 is without label" in str(found)


def test_documents_that_differ_are_no_duplicates():
    found = found_in("abc", ["ham", "ham", "spam"])
    assert str(found) == "0 of 3 documents repeat an earlier one with the same labels."


@pytest.mark.parametrize(
    ("prints", "starts", "ids", "error"),
    [
        ([1.5, 2.5], [0, 1, 2], [0, 0], CountError),
        (np.zeros((2, 1), np.uint64), [0, 1, 2], [0, 0], CountError),
        (np.zeros(2, np.uint64), [0, 1], [0], LabelError),
        (np.zeros(2, np.uint64), [0, 1, 3], [0, 0], LabelError),
        (np.zeros(2, np.uint64), [0, 3, 2], [0, 0], LabelError),
        (np.zeros(2, np.uint64), [0, 1, 2], [0, 1], LabelError),
        (np.zeros(2, np.uint64), [0, 1, 2], [0, -1], LabelError),
    ],
)
def test_labels_that_do_not_fit_are_refused(prints, starts, ids, error):
    with pytest.raises(error):
        Duplicates.from_fingerprints(prints, (np.array(starts), np.array(ids)), ["ham"])


@pytest.mark.parametrize(
    "change",
    [
        {"n_documents": -1},
        {"n_repeated": 5},
        {"n_conflicting": 1.5},
        {"examples": [[1, 2]]},
        {"pairs": [3]},
        {"pairs": None},
        {"more": 1},
    ],
)
def test_an_invalid_record_is_refused(change):
    with pytest.raises(CountError):
        Duplicates.from_dict(Duplicates(4, 1, 0).to_dict() | change)

"""Every function of the native module refuses wrong arrays and numbers before it uses them."""

import native_calls
import numpy as np
import pytest
from native_calls import REFUSALS, TABLE, native_functions

from tallytext._core import Change, Tally, Vocabulary, number_labels, score_sparse


def test_every_function_with_arrays_or_numbers_is_tried():
    assert {name for name, _ in native_functions()} == TABLE.keys()


@pytest.mark.parametrize("name", TABLE)
def test_wrong_arguments_are_refused(name):
    native_calls.call(name)
    for what, refused, run in native_calls.wrong_calls(name):
        try:
            run()
        except REFUSALS:
            continue
        assert not refused, what


def documents(starts, terms, values):
    weights = [longs(0, 1, 2), np.array([0, 1], np.int32), np.ones(2)]
    rows = [np.zeros(2)] * 4
    return score_sparse(starts, terms, values, *weights, *rows, 1)[0].tolist()


def longs(*values):
    return np.array(values, np.int64)


def test_arrays_of_other_integers_or_layouts_are_copied():
    terms, values = np.array([0, 1, 1], np.int32), np.array([1.0, 2.0, 3.0])
    plain = documents(longs(0, 2, 3), terms, values)
    assert plain == [[1, 2], [0, 3]]
    for dtype in (np.int8, np.uint16, np.int32, np.uint64):
        assert documents(np.array([0, 2, 3], dtype), terms.astype(dtype), values) == plain
    twice = np.repeat(terms, 2)
    assert documents(longs(0, 2, 3), twice[::2], values) == plain
    assert documents(longs(3, 2, 0)[::-1], terms[::-1][::-1], values) == plain


@pytest.mark.parametrize(
    ("starts", "message"),
    [
        ((), "there is no start"),
        ((1, 2, 3), "the first starts at 1, not 0"),
        ((0, 4, 3), "row 1 starts at 4 and ends at 3"),
        ((0, 2, 2), "the last ends at 2 of 3"),
    ],
)
def test_the_message_names_the_row(starts, message):
    with pytest.raises(ValueError, match=message):
        documents(longs(*starts), np.array([0, 1, 1], np.int32), np.ones(3))


def test_the_message_names_the_number():
    with pytest.raises(ValueError, match="number 1 of an array is 4294967296, which 32 bits"):
        documents(longs(0, 2, 3), longs(0, 2**32, 1), np.ones(3))
    with pytest.raises(IndexError, match="number 1 is 9, which is not from 0 to below 2"):
        Vocabulary.from_arrays(np.frombuffer(b"ab", np.uint8), np.array([1, 1], np.uint32)).select(
            np.array([0, 9], np.int32)
        )
    with pytest.raises(ValueError, match="n_terms is 2147483648, and at most 268435456"):
        Tally(0, 8).apply(empty_change(), 1, 2**31, 0)


def empty_change():
    none = np.zeros(0, np.int32)
    return Change.of_documents(longs(0), none, none.astype(np.int64), longs(0), none, [])


def test_two_terms_cannot_become_one():
    change = Change.of_documents(
        longs(0, 2), np.array([0, 1], np.int32), longs(1, 1), longs(0, 1), np.zeros(1, np.int32), []
    )
    tally = Tally(0, 8)
    tally.apply(change, 1, 2, 1)
    with pytest.raises(ValueError, match="two terms are mapped to one"):
        tally.reshaped(np.zeros(2, np.int32), np.zeros(1, np.int32))


class FailingError(Exception):
    """What the object of a user raises."""


class Failing:
    def __eq__(self, other):
        raise FailingError

    def __hash__(self):
        return hash("sea")

    def __index__(self):
        raise FailingError


def test_an_exception_of_an_object_comes_through():
    with pytest.raises(FailingError):
        number_labels(["sea"], {Failing(): 0}, [])
    with pytest.raises(FailingError):
        number_labels(["sea"], {"sea": Failing()}, ["sea"])
    with pytest.raises(OverflowError):
        number_labels(["sea"], {"sea": 2**70}, ["sea"])
    with pytest.raises(ValueError, match="out of range"):
        number_labels(["sea"], {"sea": -1}, ["sea"])


def test_labels_may_change_while_they_are_compared():
    labels = ["sea", "sky"] * 50

    class Emptying:
        def __hash__(self):
            return hash("sea")

        def __eq__(self, other):
            labels.clear()
            return False

    numbers, names = {Emptying(): 0}, ["other"]
    assert number_labels(labels, numbers, names).tolist() == [1, 2] * 50
    assert names == ["other", "sea", "sky"]

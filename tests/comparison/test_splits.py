"""Train/test splits: random, by groups and by time."""

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from tallytext.comparison.documents import group_numbers, make_splits, time_ranks
from tallytext.errors import InputError


@given(st.lists(st.sampled_from("abc"), min_size=4, max_size=40), st.integers(2, 6))
def test_random_splits_test_every_document_once(labels, n_folds):
    splits = make_splits(labels, False, n_folds)
    tested = np.concatenate([split.test for split in splits])
    assert sorted(tested.tolist()) == [*range(len(labels))]
    for split in splits:
        assert not {*split.train.tolist()} & {*split.test.tolist()}


@given(st.lists(st.integers(0, 5), min_size=4, max_size=40), st.integers(2, 6))
def test_no_group_is_in_training_and_test(groups, n_folds):
    if len({*groups}) < 2:
        with pytest.raises(InputError, match="one group"):
            make_splits(["a"] * len(groups), False, n_folds, groups=groups)
        return
    for split in make_splits(["a"] * len(groups), False, n_folds, groups=groups):
        theirs = {groups[row] for row in split.test}
        assert theirs.isdisjoint(groups[row] for row in split.train)


@given(st.lists(st.integers(0, 9), min_size=4, max_size=40), st.integers(2, 6))
def test_test_documents_are_later_than_training_documents(time, n_folds):
    if len({*time}) < 2:
        with pytest.raises(InputError, match="the same time"):
            make_splits(["a"] * len(time), False, n_folds, time=time)
        return
    for split in make_splits(["a"] * len(time), False, n_folds, time=time):
        assert max(time[row] for row in split.train) < min(time[row] for row in split.test)


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        ({"groups": [1, 2], "time": [1, 2]}, "not both"),
        ({"groups": [1, 2]}, r"groups of shape \(2,\)"),
        ({"time": [1, None, 2, "", 4]}, "time has no value for document 1, nor for 1 more"),
        ({"time": [1.0, 2.0, float("nan"), 3, 4]}, "time has no value for document 2"),
        ({"time": [1, "2024-05-31", 3, 4, 5]}, "cannot be put in order"),
    ],
)
def test_invalid_options_are_refused(options, reason):
    with pytest.raises(InputError, match=reason):
        make_splits([*"ababa"], False, 2, **options)


@given(st.lists(st.integers(0, 9), min_size=4, max_size=40), st.integers(2, 6))
def test_the_latest_block_is_first_and_has_most_training_documents(time, n_folds):
    assume(len({*time}) >= 2)
    splits = make_splits(["a"] * len(time), False, n_folds, time=time).splits
    assert max(time) == max(time[row] for row in splits[0].test)
    sizes = [len(split.train) for split in splits]
    assert sizes == sorted(sizes, reverse=True)


def test_blocks_of_time_have_equal_numbers_of_documents_not_of_times():
    time = [0] * 50 + [*range(1, 11)] + [11] * 40
    sizes = [len(split.test) for split in make_splits(["a"] * 100, False, 4, time=time)]
    assert sizes == [40, 10]  # the first 50 have one time, and are in training only
    even = make_splits(["a"] * 100, False, 4, time=[*range(100)])
    assert [len(split.test) for split in even] == [20] * 4


@given(st.lists(st.integers(0, 9), min_size=4, max_size=40), st.integers(2, 6))
def test_every_document_but_the_earliest_is_tested_once(time, n_folds):
    assume(len({*time}) >= 2)
    splits = make_splits(["a"] * len(time), False, n_folds, time=time)
    tested = np.concatenate([split.test for split in splits])
    assert len({*tested.tolist()}) == len(tested) == splits.n_evaluated
    assert {*range(len(time))} - {*tested.tolist()} == {*splits.splits[-1].train.tolist()}


def test_groups_are_stratified_by_class():
    labels = ["a"] * 40 + ["b"] * 10
    groups = [at // 2 for at in range(50)]
    for split in make_splits(labels, False, 5, groups=groups):
        assert [labels[row] for row in split.test].count("b") == 2


def test_documents_without_a_group_are_independent():
    assert group_numbers(["a", None, float("nan"), "", "a", 0], 6).tolist() == [
        0,
        1,
        2,
        3,
        0,
        4,
    ]


def test_groups_of_mixed_types_and_columns_of_pandas():
    pandas = pytest.importorskip("pandas")
    assert group_numbers([1, "1", (2,), 1], 4).tolist() == [0, 1, 2, 0]
    column = pandas.Series(["b", pandas.NA, "a", "b"], dtype="string")
    assert group_numbers(column, 4).tolist() == [0, 1, 2, 0]
    moments = pandas.to_datetime(pandas.Series(["2024-06-01", "2023-01-01", "2024-06-01"]))
    assert time_ranks(moments, 3).tolist() == [1, 0, 1]
    with pytest.raises(InputError, match="no value for document 1"):
        time_ranks(moments.where(moments > "2023-06-01"), 3)


def test_one_fold_is_refused():
    with pytest.raises(InputError, match="2 folds or more"):
        make_splits([*"ababa"], False, 1)


def test_three_documents_are_refused():
    with pytest.raises(InputError, match="too few"):
        make_splits([*"aba"], False, 2)

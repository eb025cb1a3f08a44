"""Which documents are learned and which are judged."""

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from tallytext.comparison.documents import group_numbers, moment_numbers, splits_of
from tallytext.errors import InputError


@given(st.lists(st.sampled_from("abc"), min_size=4, max_size=40), st.integers(2, 6))
def test_at_random_every_document_is_judged_once(labels, n_folds):
    splits = splits_of(labels, False, n_folds)
    judged = np.concatenate([split.judged for split in splits])
    assert sorted(judged.tolist()) == [*range(len(labels))]
    for split in splits:
        assert not {*split.learned.tolist()} & {*split.judged.tolist()}


@given(st.lists(st.integers(0, 5), min_size=4, max_size=40), st.integers(2, 6))
def test_no_group_is_on_both_sides(groups, n_folds):
    if len({*groups}) < 2:
        with pytest.raises(InputError, match="one group"):
            splits_of(["a"] * len(groups), False, n_folds, groups=groups)
        return
    for split in splits_of(["a"] * len(groups), False, n_folds, groups=groups):
        theirs = {groups[row] for row in split.judged}
        assert theirs.isdisjoint(groups[row] for row in split.learned)


@given(st.lists(st.integers(0, 9), min_size=4, max_size=40), st.integers(2, 6))
def test_what_is_judged_is_later_than_all_that_is_learned(time, n_folds):
    if len({*time}) < 2:
        with pytest.raises(InputError, match="one moment"):
            splits_of(["a"] * len(time), False, n_folds, time=time)
        return
    for split in splits_of(["a"] * len(time), False, n_folds, time=time):
        assert max(time[row] for row in split.learned) < min(time[row] for row in split.judged)


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
def test_what_cannot_be_is_refused(options, reason):
    with pytest.raises(InputError, match=reason):
        splits_of([*"ababa"], False, 2, **options)


@given(st.lists(st.integers(0, 9), min_size=4, max_size=40), st.integers(2, 6))
def test_the_latest_block_comes_first_and_has_most_to_learn(time, n_folds):
    assume(len({*time}) >= 2)
    splits = splits_of(["a"] * len(time), False, n_folds, time=time).splits
    assert max(time) == max(time[row] for row in splits[0].judged)
    sizes = [len(split.learned) for split in splits]
    assert sizes == sorted(sizes, reverse=True)


def test_blocks_of_time_have_as_many_documents_not_as_many_moments():
    time = [0] * 50 + [*range(1, 11)] + [11] * 40
    sizes = [len(split.judged) for split in splits_of(["a"] * 100, False, 4, time=time)]
    assert sizes == [40, 10]  # the first 50 are one moment, which is only learned
    even = splits_of(["a"] * 100, False, 4, time=[*range(100)])
    assert [len(split.judged) for split in even] == [20] * 4


@given(st.lists(st.integers(0, 9), min_size=4, max_size=40), st.integers(2, 6))
def test_every_document_but_the_earliest_is_judged_once(time, n_folds):
    assume(len({*time}) >= 2)
    splits = splits_of(["a"] * len(time), False, n_folds, time=time)
    judged = np.concatenate([split.judged for split in splits])
    assert len({*judged.tolist()}) == len(judged) == splits.n_judged
    assert {*range(len(time))} - {*judged.tolist()} == {*splits.splits[-1].learned.tolist()}


def test_groups_are_dealt_out_by_their_classes():
    labels = ["a"] * 40 + ["b"] * 10
    groups = [at // 2 for at in range(50)]
    for split in splits_of(labels, False, 5, groups=groups):
        assert [labels[row] for row in split.judged].count("b") == 2


def test_documents_without_a_group_are_not_kept_together():
    assert group_numbers(["a", None, float("nan"), "", "a", 0], 6).tolist() == [
        0,
        1,
        2,
        3,
        0,
        4,
    ]


def test_groups_may_be_of_different_kinds_and_columns_of_any_library():
    pandas = pytest.importorskip("pandas")
    assert group_numbers([1, "1", (2,), 1], 4).tolist() == [0, 1, 2, 0]
    column = pandas.Series(["b", pandas.NA, "a", "b"], dtype="string")
    assert group_numbers(column, 4).tolist() == [0, 1, 2, 0]
    moments = pandas.to_datetime(pandas.Series(["2024-06-01", "2023-01-01", "2024-06-01"]))
    assert moment_numbers(moments, 3).tolist() == [1, 0, 1]
    with pytest.raises(InputError, match="no value for document 1"):
        moment_numbers(moments.where(moments > "2023-06-01"), 3)


def test_one_fold_is_none():
    with pytest.raises(InputError, match="2 folds or more"):
        splits_of([*"ababa"], False, 1)


def test_three_documents_are_too_few():
    with pytest.raises(InputError, match="too few"):
        splits_of([*"aba"], False, 2)

"""Folds: every document is held out as its kind of split promises."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tallytext.errors import LabelError
from tallytext.evaluation.folds import (
    cyclic_fold_numbers,
    fold_numbers,
    folds_of_sorted_groups,
    iter_splits,
    latest_fold,
    refitting_folds,
    self_evaluation_folds,
    stratified_folds,
    subtraction_folds,
    take_whole_groups,
    time_block_numbers,
    time_blocks,
)
from tallytext.tally.labels import read_targets


@given(st.lists(st.sampled_from("abcd"), min_size=4, max_size=40), st.integers(2, 4))
def test_folds_and_the_classes_in_them_are_of_one_size(labels, folds):
    numbers = fold_numbers(read_targets(labels), folds, None, 3)
    assert np.ptp(np.bincount(numbers, minlength=folds)) <= 1
    for label in set(labels):
        sizes = np.bincount(numbers[np.array(labels) == label], minlength=folds)
        assert np.ptp(sizes) <= 1


def test_the_shuffle_follows_the_random_state():
    targets = read_targets(["a"] * 50)
    first, again, other = (fold_numbers(targets, 5, None, seed) for seed in (1, 1, 2))
    assert np.array_equal(first, again)
    assert not np.array_equal(first, other)


@settings(max_examples=30)
@given(
    st.lists(st.tuples(st.sampled_from("ab"), st.integers(0, 8)), min_size=12, max_size=30),
    st.booleans(),
)
def test_groups_never_straddle(documents, multi_label):
    groups = np.array([*range(3), *(group for _, group in documents)])
    labels = ["a", "b", "a", *(label for label, _ in documents)]
    y = [[label] for label in labels] if multi_label else labels
    numbers = fold_numbers(read_targets(y), 3, groups, 0)
    assert set(numbers) == {0, 1, 2}
    for group in set(groups):
        assert len(set(numbers[groups == group])) == 1


@given(st.lists(st.integers(0, 9), min_size=6, max_size=30).filter(lambda t: len(set(t)) > 1))
def test_time_blocks_ascend_and_equal_times_stay_together(time):
    time = np.array(time)
    blocks = time_blocks(time, 3)
    assert sorted(np.concatenate(blocks).tolist()) == list(range(len(time)))
    for before, after in pairwise(blocks):
        assert time[before].max() < time[after].min()


@given(st.integers(2, 5), st.integers(5, 40), st.integers(0, 9))
def test_a_class_is_in_as_many_folds_as_it_can_be(n_folds, n_documents, seed):
    truth = np.random.default_rng(seed).random((n_documents, 4)) < [0.5, 0.2, 0.1, 0.05]
    folds = stratified_folds(truth, n_folds, seed)
    rarest = truth.sum(axis=0).argmin()
    spread = np.bincount(folds[truth[:, rarest]], minlength=n_folds)
    assert spread.max() - spread.min() <= 1
    assert sorted(set(folds)) == list(range(n_folds))
    np.testing.assert_array_equal(folds, stratified_folds(truth, n_folds, seed))


def test_more_folds_than_documents_are_refused():
    with pytest.raises(LabelError, match="2 documents cannot be split into 3 folds"):
        stratified_folds(np.ones((2, 1), dtype=bool), 3, 0)


@pytest.mark.parametrize(("n", "left"), [(1, 2), (2, 2), (3, 2), (4, 4), (9, 5)])
def test_equal_keys_stay_together(n, left):
    assert len(take_whole_groups(np.array([3, 3, 5, 5, 8], dtype=np.uint64), n)) == left


@given(st.lists(st.integers(0, 3), min_size=1, max_size=20))
def test_a_split_has_each_document_on_one_side(numbers):
    numbers = np.unique(numbers, return_inverse=True)[1]
    splits = list(iter_splits(numbers))
    assert sorted(np.concatenate([split.test for split in splits])) == [*range(len(numbers))]
    for fold, (train, test) in enumerate(splits):
        assert set(numbers[test]) == {fold} and fold not in numbers[train]
        assert sorted([*train, *test]) == [*range(len(numbers))]


@given(st.lists(st.integers(0, 9), min_size=1, max_size=30), st.integers(2, 5))
def test_numbers_of_time_blocks_ascend_with_time(time, n_folds):
    moments = np.unique(time, return_inverse=True)[1]
    numbers = time_block_numbers(moments, n_folds)
    of_moment = [set(numbers[moments == moment]) for moment in range(moments.max() + 1)]
    assert all(len(blocks) == 1 for blocks in of_moment)
    ordered = [blocks.pop() for blocks in of_moment]
    assert ordered == sorted(ordered) and 0 <= ordered[0] <= ordered[-1] <= n_folds


def test_documents_of_each_class_are_assigned_to_folds_in_turn():
    truth = np.eye(2)[[0, 1, 0, 0, 1, 0]]
    assert cyclic_fold_numbers(truth, 3).tolist() == [0, 0, 1, 2, 1, 0]


@given(st.lists(st.sampled_from("abcd"), min_size=2, max_size=40), st.booleans())
def test_folds_of_a_sample_are_disjoint_and_leave_something_to_train_on(labels, multi_label):
    y, n = [[label] for label in labels] if multi_label else labels, len(labels)
    for make in (subtraction_folds, refitting_folds):
        folds = make(y, n, multi_label)
        assert sorted(np.concatenate(folds)) == [*range(n)]
        assert all(0 < len(fold) < n for fold in folds)


@given(st.lists(st.sampled_from("abcdef"), min_size=2, max_size=20))
def test_self_evaluation_folds_hold_out_documents_whose_class_has_others(labels):
    folds = self_evaluation_folds(labels, len(labels), False)
    held_out = [row for fold in folds for row in fold]
    assert len(held_out) == len(set(held_out))
    assert set(held_out) == {row for row, label in enumerate(labels) if labels.count(label) > 1}
    assert len(folds) <= 5


@given(st.lists(st.integers(0, 9), min_size=1, max_size=40), st.integers(0, 20))
def test_folds_of_sorted_keys_are_whole_groups(keys, n_more):
    keys = np.sort(np.array(keys, dtype=np.uint64))
    folds = folds_of_sorted_groups(keys, len(keys) + n_more)
    found = np.concatenate([*folds, np.empty(0, dtype=np.intp)]).tolist()
    assert found == ([*range(len(keys))] if len(set(keys)) > 1 or n_more else [])
    groups = [set(keys[fold].tolist()) for fold in folds]
    assert sum(map(len, groups)) == len(set().union(*groups))
    for fold in latest_fold(keys, len(keys) + n_more):
        assert fold.tolist() == [*range(len(fold))] and len(fold) < len(keys) + n_more
        assert not set(keys[fold]) & set(keys[len(fold) :])

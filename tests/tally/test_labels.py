"""Labels of every type are numbered; errors name an invalid label."""

import numpy as np
import pyarrow as pa
import pytest

from tallytext import Tally
from tallytext.errors import LabelError
from tallytext.tally.labels import LabelIndex

ROWS = [[1, 0], [0, 2], [3, 3]]


@pytest.mark.parametrize(
    "labels",
    [
        ["a", "b", "a"],
        ("a", "b", "a"),
        np.array(["a", "b", "a"]),
        np.array(["a", "b", "a"], dtype=object),
        pa.array(["a", "b", "a"]),
        pa.chunked_array([["a"], ["b", "a"]]),
        pa.array(["a", "b", "a"]).dictionary_encode(),
        pa.array([["a"], ["b"], ["a", "a"]]),
        [["a"], ("b",), {"a"}],
        (label for label in ["a", "b", "a"]),
        [pa.scalar("a"), np.str_("b"), "a"],
    ],
)
def test_one_label_per_document_comes_in_many_shapes(labels):
    tally = Tally.from_counts(ROWS, labels)
    assert tally.classes == ["a", "b"]
    assert tally.class_documents.tolist() == [2, 1]


def test_pandas_columns_are_labels():
    pandas = pytest.importorskip("pandas")
    series = pandas.Series(["a", "b", "a"], index=[7, 8, 9])
    assert Tally.from_counts(ROWS, series) == Tally.from_counts(ROWS, ["a", "b", "a"])
    with pytest.raises(LabelError, match="document 1"):
        Tally.from_counts(ROWS, pandas.Series(["a", None, "a"]))


@pytest.mark.parametrize(
    ("labels", "classes"),
    [
        (np.array([3, 1, 3]), [3, 1]),
        (np.array([True, False, True]), [True, False]),
        ([1.5, np.float64(2.5), 1.5], [1.5, 2.5]),
        ([7, "7", 7], [7, "7"]),
    ],
)
def test_numbers_are_labels_and_come_back_as_python_values(labels, classes):
    tally = Tally.from_counts(ROWS, labels)
    assert tally.classes == classes
    assert all(type(label) in (int, bool, float, str) for label in tally.classes)


@pytest.mark.parametrize("missing", [None, float("nan"), np.float64("nan")])
def test_a_missing_label_names_its_document_and_the_way_out(missing):
    with pytest.raises(
        LabelError, match=r"document 1 .*unlabelled=.*\[\] for a document that has none"
    ):
        Tally.from_counts(ROWS, ["a", missing, "b"])
    with pytest.raises(LabelError, match="document 2"):
        Tally.from_counts(ROWS, ["a", [], ["b", missing]])


@pytest.mark.parametrize("labels", [["a"], ["a"] * 4, []])
def test_the_error_for_a_wrong_number_of_labels_has_both_numbers(labels):
    with pytest.raises(LabelError, match=rf"3 documents, but labels for {len(labels)}"):
        Tally.from_counts(ROWS, labels)


@pytest.mark.parametrize(
    "labels",
    ["abc", b"abc", {"a": 1}, {"a", "b", "c"}, np.eye(3), 7, [b"a", b"b", b"c"], [{}, "a", "b"]],
)
def test_invalid_labels_are_refused(labels):
    with pytest.raises(LabelError):
        Tally.from_counts(ROWS, labels)


def test_a_label_twice_in_a_document_counts_once():
    twice = Tally.from_counts(ROWS, [["a", "a"], ["b", "a", "b"], []])
    assert twice == Tally.from_counts(ROWS, [["a"], ["b", "a"], []])
    assert (twice.n_multi_label, twice.n_unlabelled) == (1, 1)


def test_a_set_of_labels_has_a_stable_order():
    index = LabelIndex()
    index.encode([{"c", "a", "b"}], 1)
    assert index.names == ["a", "b", "c"]


def test_truncating_forgets_the_latest_labels_only():
    index = LabelIndex(["a", "b", "c"])
    index.truncate(1)
    assert (index.names, index.find("a"), index.find("b")) == (["a"], 0, -1)

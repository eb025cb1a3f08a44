"""Errors of the tally: their messages, and that a refused call changes nothing."""

import pickle
import threading
import time
from collections import Counter
from types import MappingProxyType

import numpy as np
import pytest
from scipy import sparse

from tallytext import Plane, Tally, Vocabulary
from tallytext.errors import (
    CountError,
    CountOverflowError,
    FrozenVocabularyError,
    NegativeCountError,
    TallytextError,
)


@pytest.fixture
def tally():
    return Tally.from_counts([[2, 1, 0], [1, 0, 4]], ["X", "Y"], ["sea", "sky", "sun"])


def unchanged(tally, run, error, match):
    before, classes = tally.copy(), tally.classes
    with pytest.raises(error, match=match):
        run()
    assert tally == before
    assert tally.classes == classes


FORMATS = [
    sparse.csr_matrix, sparse.csc_matrix, sparse.coo_matrix, sparse.lil_matrix, sparse.dok_matrix,
    sparse.csr_array, sparse.csc_array, sparse.coo_array, sparse.bsr_array, sparse.dia_array,
    np.asarray, np.ndarray.tolist,
]  # fmt: skip
DTYPES = [np.int8, np.uint64, np.int32, np.float32, np.float64]


@pytest.mark.parametrize("form", FORMATS)
@pytest.mark.parametrize("dtype", DTYPES)
def test_counts_come_in_every_format(form, dtype, tally):
    X = form(np.array([[2, 1, 0], [1, 0, 4]], dtype=dtype))
    assert Tally.from_counts(X, ["X", "Y"], ["sea", "sky", "sun"]) == tally


def test_booleans_count_one():
    X = sparse.csr_array(np.array([[True, False], [True, True]]))
    assert Tally.from_counts(X, ["X", "Y"]).n_tokens == 3


def test_duplicates_add_and_stored_zeros_do_not_count():
    X = sparse.csr_array(([1, 2, 3, 0], [1, 0, 1, 2], [0, 4]), shape=(1, 3))
    tally = Tally.from_counts(X, ["X"])
    assert tally.term_occurrences.tolist() == [2, 4, 0]
    assert tally.term_documents.tolist() == [1, 1, 0]
    assert X.data.tolist() == [1, 2, 3, 0]


@pytest.mark.parametrize("form", [np.asarray, sparse.csr_matrix, sparse.coo_array])
@pytest.mark.parametrize("value", [-1.0, 0.5, np.nan, np.inf])
def test_a_bad_count_is_named_by_row_and_column(form, value):
    X = np.zeros((3, 4))
    X[0, 0], X[1, 2] = 1, value
    with pytest.raises(CountError, match="row 1, column 2"):
        Tally.from_counts(form(X), ["X"] * 3)


def test_a_bad_count_in_a_mapping_is_named_by_its_term(tally):
    for value in (-1, 0.5, "two", None):
        unchanged(tally, lambda v=value: tally.learn({"sea": v}, "X"), CountError, "'sea'")
    assert tally.copy().learn(Counter(["sea", "sea"]), "X") == tally.copy().learn({"sea": 2}, "X")
    assert tally.copy().learn(MappingProxyType({"sea": 2}), "X").n_tokens == 10
    tally.learn({"sea": np.int64(2), "sky": 0, "sun": 1.0, "moon": True}, "Z")
    assert tally.term_occurrences.tolist() == [5, 1, 5, 1]


@pytest.mark.parametrize(
    "X", [[1, 2], [[["a"]]], np.zeros((2, 2, 2)), [["a"]], [[1], [1, 2]], None]
)
def test_invalid_count_matrices_are_refused(X):
    with pytest.raises(CountError):
        Tally.from_counts(X, ["X"])


@pytest.mark.parametrize("index", [-1, 3, 2**31 - 1, 2**32, 2**40])
@pytest.mark.parametrize("dtype", [np.int64, np.float64])
@pytest.mark.parametrize("form", [sparse.csr_array, sparse.csc_array])
def test_an_index_outside_the_matrix_is_refused(index, dtype, form):
    X = form(np.ones((3, 3), dtype=dtype))
    X.indices = X.indices.astype(np.int64)
    X.indices[4] = index
    with pytest.raises(CountError, match="out of range"):
        Tally.from_counts(X, ["X"] * 3)
    if index < 2**31:
        X.indices = X.indices.astype(np.int32)
        with pytest.raises(CountError, match="out of range"):
            Tally.from_counts(X, ["X"] * 3)


def test_a_term_is_a_string(tally):
    for counts in ({1: 2}, {"sea": 1, 1: 2}, {1: 2.0}, MappingProxyType({1: 2})):
        unchanged(tally, lambda c=counts: tally.learn(c, "X"), CountError, "1 cannot be a term")
    with pytest.raises(CountError, match="7 cannot be a term"):
        Tally.from_counts([[1, 1]], ["X"], ["sea", 7])


def test_columns_may_be_named_by_a_mapping(tally):
    columns = {"sun": 2, "sea": 0, "sky": 1}
    assert Tally.from_counts([[2, 1, 0], [1, 0, 4]], ["X", "Y"], columns) == tally
    with pytest.raises(TallytextError, match="without gaps"):
        Tally.from_counts([[1, 1]], ["X"], {"sea": 0, "sky": 2})
    for terms in ({"sea", "sky"}, "ab", 7):
        with pytest.raises(CountError, match="terms must name the columns"):
            Tally.from_counts([[1, 1]], ["X"], terms)


def test_columns_need_names(tally):
    wide = [[1, 1, 1, 1]]
    unchanged(tally, lambda: tally.learn(wide, ["X"]), CountError, "4 columns.*3 terms.*terms=")
    for names in (["a"], ["a", "b", "c", "a"], Vocabulary(["a"])):
        with pytest.raises(CountError):
            Tally.from_counts(wide, ["X"], names)


def test_the_error_for_forgetting_unlearned_documents_names_term_and_class(tally):
    cases = [
        ({"sea": 3}, "X", "'sea' in class 'X' would fall to -1"),
        ({"sea": 1}, "Z", "'sea' in class 'Z' would fall to -1"),
        ({"sea": 1, "moon": 2}, "X", "'moon' in class 'X' would fall to -2"),
        ({"sun": 3}, "Y", "'sun' in class 'Y' would be left with 1 occurrences in 0 documents"),
        ({"sea": 2}, ["X", "Y"], "'sea' in class 'Y' would fall to -1"),
        ({}, "Z", "class 'Z' would fall to -1 documents"),
        ({}, "X", "class 'X' would be left with 0 documents that its counts contradict"),
        ({}, [], "the tally would be left with 1 documents that its counts contradict"),
    ]
    for counts, labels, message in cases:
        forget = lambda c=counts, ls=labels: tally.forget(c, ls)  # noqa: E731
        unchanged(tally, forget, NegativeCountError, message)


def test_forgetting_leaves_no_cell_above_its_term():
    a = Tally().learn({"a": 5}, "x").learn({"a": 1}, [])
    unchanged(a, lambda: a.forget({"a": 3}, []), NegativeCountError, "'a' would be left with more")
    b = Tally().learn({"a": 1}, ["x", "y"]).learn({"a": 1}, ["x", "y"]).learn({"c": 1}, "x")
    unchanged(b, lambda: b.forget({"a": 1}, "x"), NegativeCountError, "'a' would be left with more")


def test_forgetting_leaves_no_class_above_the_whole():
    tally = Tally().learn({}, ["x", "y"]).learn({}, "y")
    unchanged(tally, lambda: tally.forget({}, "x"), NegativeCountError, "class 'y' would be left")


def test_without_multi_label_documents_the_cells_of_all_terms_add_up():
    tally = Tally().learn({"c": 1}, ["x", "y"]).learn({}, "x").learn({}, "y")
    forget = lambda: tally.forget({}, ["x", "y"])  # noqa: E731
    unchanged(tally, forget, NegativeCountError, "'c' would be left with more")


def test_an_unknown_term_without_a_label_is_in_no_class(tally):
    for counts in ({"moon": 2}, {"sea": 1, "moon": 2}):
        forget = lambda c=counts: tally.forget(c, [])  # noqa: E731
        unchanged(tally, forget, NegativeCountError, "term 'moon' would fall to -2")


def test_a_batch_is_forgotten_whole_or_not_at_all(tally):
    batch = [[2, 1, 0], [1, 0, 5]]
    forget = lambda: tally.forget(batch, ["X", "Y"])  # noqa: E731
    unchanged(tally, forget, NegativeCountError, "'sun' in class 'Y' would fall to -1")
    named = lambda: tally.forget([[1, 7]], ["Y"], terms=["sea", "moon"])  # noqa: E731
    unchanged(tally, named, NegativeCountError, "'moon' in class 'Y' would fall to -7")


def test_the_error_for_subtracting_an_unknown_tally_names_term_and_class(tally):
    other = Tally.from_counts([[9, 1]], ["Y"], ["moon", "sea"])
    with pytest.raises(NegativeCountError, match="'moon' in class 'Y' would fall to -9"):
        tally - other
    unchanged(tally, lambda: tally.__isub__(other), NegativeCountError, "moon")
    more = tally + Tally.from_counts([[1]], ["X"], ["sky"])
    unchanged(tally, lambda: tally.__isub__(more), NegativeCountError, "'sky' in class 'X'")


def test_a_sum_beyond_64_bits_is_an_error_and_changes_nothing():
    tally = Tally().learn({"a": 2**62}, "X")
    unchanged(tally, lambda: tally.learn({"b": 2**62}, "Y"), CountOverflowError, "64 bits")
    unchanged(tally, lambda: tally.__iadd__(tally.copy()), CountOverflowError, "64 bits")
    unchanged(tally, lambda: tally.learn({"a": 2**63}, "X"), CountOverflowError, "'a'")
    both = np.array([[2**62, 0], [2**62, 0]])
    batch = lambda: tally.learn(both, ["X", "Y"], terms=["a", "b"])  # noqa: E731
    unchanged(tally, batch, CountOverflowError, "64 bits")
    with pytest.raises(CountOverflowError):
        Tally.from_counts(both, ["X", "Y"])
    with pytest.raises(CountOverflowError, match="row 0, column 1"):
        Tally.from_counts(np.array([[0, 2**63]], dtype=np.uint64), ["X"])
    assert tally.learn({"a": 2**62 - 1}, "X").n_tokens == 2**63 - 1


def test_a_tally_made_with_a_frozen_vocabulary_takes_no_new_terms():
    words = Vocabulary(["sea"]).freeze()
    tally = Tally(words).learn([[1]], ["X"])
    other = Tally().learn({"sky": 1}, "X")
    for closed in (tally, tally.copy(), tally.mask(["sea"]), pickle.loads(pickle.dumps(tally))):
        unchanged(closed, lambda t=closed: t.learn({"sky": 1}, "X"), FrozenVocabularyError, "'sky'")
        unchanged(closed, lambda t=closed: t.__iadd__(other), FrozenVocabularyError, "'sky'")
    assert tally.learn({"sea": 1}, "X").n_tokens == 2


def test_a_frozen_vocabulary_of_counts_closes_no_tally():
    words = Vocabulary(["sea"]).freeze()
    a, b = Tally.from_counts([[1]], ["X"], words), Tally().learn({"sky": 1}, "X")
    adopted = Tally().learn([[1]], ["X"], terms=words)
    assert a + b == b + a == adopted + b
    total = Tally()
    total += a
    assert total.learn({"fish": 1}, "X") - Tally().learn({"fish": 1}, "X") == a
    assert list(words) == ["sea"]


def stored():
    tally = Tally.from_counts(
        [[2, 1, 0], [1, 0, 4], [0, 1, 1]], ["X", "Y", "Y"], planes=[Plane("log")]
    )
    return tally.to_arrays()


@pytest.mark.parametrize("name", sorted(stored()[0]))
def test_stored_arrays_are_not_trusted(name):
    arrays, header = stored()
    good = Tally.from_arrays(arrays, header)
    for at in range(arrays[name].size):
        for change in (-1, 1, 97):
            bent = {key: array.copy() for key, array in arrays.items()}
            flat = bent[name].reshape(-1)
            flat[at] = np.array(int(flat[at]) + change).astype(flat.dtype)
            try:
                tally = Tally.from_arrays(bent, header)
            except TallytextError:
                continue
            # Some bends give another tally that could be; none may give the same, or a broken one.
            assert tally != good
            assert pickle.loads(pickle.dumps(tally)) == tally
            assert (tally + good) - good == tally
    for bad in (arrays[name][:-1], arrays[name].astype(np.float32), None):
        with pytest.raises(TallytextError):
            Tally.from_arrays(arrays | {name: bad}, header)


@pytest.mark.parametrize(
    "bend",
    [
        {"kind": "model"},
        {"classes": ["X"]},
        {"classes": ["X", "X"]},
        {"classes": ["X", None]},
        {"classes": "XY"},
        {"planes": []},
        {"planes": ["log"]},
        {"planes": [{"tf": "log", "norm": "poisson", "theta": "ten"}]},
        {"planes": [{"tf": "log", "power": 3}]},
    ],
)
def test_stored_headers_are_not_trusted(bend):
    arrays, header = stored()
    with pytest.raises(TallytextError):
        Tally.from_arrays(arrays, header | bend)


def test_stored_documents_of_classes_cannot_overflow():
    arrays, header = Tally.from_counts([[1], [1], [1]], ["X", "Y", "Z"]).to_arrays()
    huge = np.array([2**63 - 1] * 3)
    for whole in ([2**63 - 1, 0, 0], [2**63 - 1, 0, 2**63 - 1]):
        bent = arrays | {"class_documents": huge, "whole": np.array(whole)}
        with pytest.raises(TallytextError, match="add up"):
            Tally.from_arrays(bent, header)


def _read_all(tally):
    half = np.arange(len(tally.vocabulary) // 2)
    tally.mask(half), tally.subset([]), tally.drop([]), tally.rename({})
    assert tally.copy() != Tally()
    assert (tally == tally.copy()) in (True, False)
    again = Tally.from_arrays(*tally.to_arrays())
    assert again.n_tokens == again.n_documents * 5
    arrays = tally.__getstate__()["arrays"]
    assert arrays["term_totals"][:, 0].sum() == arrays["whole"][0] * 5
    assert tally.occurrences.sum() % 5 == 0
    plane = tally.plane_totals(tally.planes[0])
    assert np.isclose(plane.classes.sum(), plane.total)
    repr(tally), tally.classes, tally.class_documents, tally.class_tokens, tally.class_terms
    assert (Tally(planes=tally.planes) + tally).n_tokens % 5 == 0


def test_every_read_is_consistent_while_another_thread_learns():
    tally = Tally(planes=[Plane("log", "l2")]).learn({"w": 5}, "first")
    stop, problems = threading.Event(), []

    def read():
        try:
            while not stop.is_set():
                _read_all(tally)
        except Exception as problem:  # pragma: no cover
            problems.append(problem)

    readers = [threading.Thread(target=read) for _ in range(2)]
    for reader in readers:
        reader.start()
    end, i = time.monotonic() + 1, 0
    while time.monotonic() < end and not problems:
        document = {f"w{i + j}": 1 for j in range(5)}, f"class {i % 50}"
        tally.learn(*document)
        if i % 3 == 0:
            tally.forget(*document)
        i += 1
    stop.set()
    for reader in readers:
        reader.join()
    if problems:
        raise problems[0]


def test_reading_while_another_thread_learns_is_safe():
    tally = Tally(planes=[Plane("log", "l2")])
    tally._smallest_delta = 8
    random, stop = np.random.default_rng(0), threading.Event()
    problems = []

    def read():
        try:
            while not stop.is_set():
                assert tally._native.n_documents >= 0
                tally._native.cells(0), tally.counts_of_counts(), tally.copy()
        except Exception as problem:  # pragma: no cover
            problems.append(problem)

    readers = [threading.Thread(target=read) for _ in range(3)]
    for reader in readers:
        reader.start()
    for _ in range(300):
        words = random.integers(0, 500, 20)
        tally.learn({f"w{i}": 1 for i in words}, int(words[0]) % 7)
    stop.set()
    for reader in readers:
        reader.join()
    assert not problems
    assert tally.n_documents == 300

"""What is refused, in which words, and that nothing has changed then."""

import pickle
import threading
from collections import Counter
from types import MappingProxyType

import numpy as np
import pytest
from scipy import sparse

from tallytext.errors import (
    CountError,
    CountOverflowError,
    FrozenVocabularyError,
    NegativeCountError,
    TallytextError,
)
from tallytext.planes import Plane
from tallytext.tally import Tally
from tallytext.vocabulary import Vocabulary


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
def test_what_is_no_matrix_of_counts_is_refused(X):
    with pytest.raises(CountError):
        Tally.from_counts(X, ["X"])


def test_columns_need_names(tally):
    wide = [[1, 1, 1, 1]]
    unchanged(tally, lambda: tally.learn(wide, ["X"]), CountError, "4 columns.*3 terms.*terms=")
    for names in (["a"], ["a", "b", "c", "a"], Vocabulary(["a"])):
        with pytest.raises(CountError):
            Tally.from_counts(wide, ["X"], names)


def test_forgetting_what_was_never_learned_names_term_and_class(tally):
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


def test_a_batch_is_forgotten_whole_or_not_at_all(tally):
    batch = [[2, 1, 0], [1, 0, 5]]
    forget = lambda: tally.forget(batch, ["X", "Y"])  # noqa: E731
    unchanged(tally, forget, NegativeCountError, "'sun' in class 'Y' would fall to -1")
    named = lambda: tally.forget([[1, 7]], ["Y"], terms=["sea", "moon"])  # noqa: E731
    unchanged(tally, named, NegativeCountError, "'moon' in class 'Y' would fall to -7")


def test_subtracting_what_was_never_added_names_term_and_class(tally):
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


def test_a_frozen_vocabulary_takes_no_new_terms():
    words = Vocabulary(["sea"]).freeze()
    tally = Tally.from_counts([[1]], ["X"], words)
    other = Tally().learn({"sky": 1}, "X")
    unchanged(tally, lambda: tally.learn({"sky": 1}, "X"), FrozenVocabularyError, "'sky'")
    unchanged(tally, lambda: tally.__iadd__(other), FrozenVocabularyError, "'sky'")
    assert tally.learn({"sea": 1}, "X").n_tokens == 2


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

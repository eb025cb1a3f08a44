import copy
import pickle

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import strategies
from tallytext import Vocabulary
from tallytext._core import Vocabulary as NativeVocabulary
from tallytext.errors import FileError, FrozenVocabularyError, TallytextError
from tallytext.io import save_arrays

lists_of_terms = st.lists(strategies.terms, max_size=40)


def first_seen(terms):
    return list(dict.fromkeys(terms))


@given(lists_of_terms)
@example(
    ["", "\x00", "\x00\x00", "a", "a\x00", "twelve bytes", "twelve bytes\x00", "a" * 1_000_000]
)
@example(["\ud800", "\udc00", "\ud800\udc00", "\U00010000", "\ufffd"])
def test_ids_count_the_distinct_terms_in_order_of_arrival(terms):
    vocabulary = Vocabulary()
    ids = vocabulary.add(terms)
    distinct = first_seen(terms)
    assert ids.dtype == np.int32
    assert ids.tolist() == [distinct.index(term) for term in terms]
    assert list(vocabulary) == vocabulary.terms().tolist() == distinct
    assert len(vocabulary) == len(distinct)


@given(lists_of_terms, lists_of_terms)
def test_ids_never_move(first, more):
    vocabulary = Vocabulary(first)
    before = vocabulary.ids(first).tolist()
    vocabulary.add(more)
    assert vocabulary.ids(first).tolist() == before


def test_ids_never_move_while_the_table_grows():
    terms = [f"term{i}" for i in range(50_000)]
    vocabulary = Vocabulary()
    for start in range(0, len(terms), 7_000):
        vocabulary.add(terms[start : start + 7_000])
        assert vocabulary.ids(terms[: start + 1]).tolist() == list(range(start + 1))
    assert vocabulary.terms().tolist() == terms


@given(lists_of_terms)
def test_a_term_leads_to_its_id_and_back(terms):
    vocabulary = Vocabulary(terms)
    for term in terms:
        assert vocabulary.term(vocabulary[term]) == term
        assert term in vocabulary
    assert vocabulary.terms(vocabulary.ids(terms)).tolist() == terms


@given(lists_of_terms, lists_of_terms)
def test_terms_that_were_never_added_are_unknown(known, asked):
    vocabulary = Vocabulary(known)
    ids = vocabulary.ids(asked)
    assert [id >= 0 for id in ids] == [term in set(known) for term in asked]
    assert all(id == -1 for id in ids if id < 0)
    assert len(vocabulary) == len(set(known))


@given(lists_of_terms, lists_of_terms)
def test_merging_keeps_own_ids_and_returns_the_new_ids_of_the_other(here, there):
    vocabulary, other = Vocabulary(here), Vocabulary(there)
    went = vocabulary.merge(other)
    assert vocabulary.terms(went).tolist() == first_seen(there)
    assert vocabulary == Vocabulary(here + there)
    assert other == Vocabulary(there)


@given(lists_of_terms)
def test_merging_with_itself_changes_nothing(terms):
    vocabulary = Vocabulary(terms)
    assert vocabulary.merge(vocabulary).tolist() == list(range(len(vocabulary)))
    assert vocabulary == Vocabulary(terms)


@given(lists_of_terms)
def test_terms_are_sorted_as_python_sorts_them(terms):
    vocabulary = Vocabulary(terms)
    assert vocabulary.terms(vocabulary.sorted_ids()).tolist() == sorted(set(terms))


@given(lists_of_terms, st.booleans())
def test_a_pickled_vocabulary_comes_back_equal(terms, frozen):
    vocabulary = Vocabulary(terms)
    if frozen:
        vocabulary.freeze()
    for twin in (pickle.loads(pickle.dumps(vocabulary)), copy.deepcopy(vocabulary)):
        assert twin == vocabulary
        assert twin.is_frozen == frozen
        assert twin.terms().tolist() == first_seen(terms)


@given(lists_of_terms)
def test_a_saved_vocabulary_comes_back_equal(tmp_path_factory, terms):
    path = tmp_path_factory.mktemp("saved") / "vocabulary"
    Vocabulary(terms).save(path)
    assert Vocabulary.load(path) == Vocabulary(terms)
    assert Vocabulary.load(str(path)).terms().tolist() == first_seen(terms)


def test_a_vocabulary_is_pickled_as_its_bytes():
    vocabulary = Vocabulary(f"term{i}" for i in range(10_000))
    assert len(pickle.dumps(vocabulary)) < 10_000 * (9 + 4) + 1_000


@given(lists_of_terms, lists_of_terms)
def test_a_copy_goes_its_own_way(terms, more):
    vocabulary = Vocabulary(terms).freeze()
    twin = vocabulary.copy()
    twin.add(more)
    assert not twin.is_frozen
    assert vocabulary == Vocabulary(terms)
    assert twin == Vocabulary(terms + more)


@given(lists_of_terms, lists_of_terms)
def test_vocabularies_are_equal_when_every_id_means_the_same(a, b):
    assert (Vocabulary(a) == Vocabulary(b)) == (first_seen(a) == first_seen(b))


def test_equality_looks_at_where_terms_end():
    assert Vocabulary(["ab", "c"]) != Vocabulary(["a", "bc"])
    assert Vocabulary(["a"]) != ["a"]


def test_a_frozen_vocabulary_refuses_new_terms_and_stays_as_it_was():
    vocabulary = Vocabulary(["to", "be"]).freeze()
    with pytest.raises(FrozenVocabularyError, match="cannot add the term 'question'"):
        vocabulary.add(["be", "question"])
    with pytest.raises(FrozenVocabularyError, match="'or'"):
        vocabulary.merge(Vocabulary(["to", "or"]))
    assert vocabulary == Vocabulary(["to", "be"])


def test_a_frozen_vocabulary_knows_its_terms():
    vocabulary = Vocabulary(["to", "be"]).freeze()
    assert vocabulary.is_frozen
    assert vocabulary.add(["be", "to"]).tolist() == [1, 0]
    assert vocabulary.merge(Vocabulary(["be"])).tolist() == [1]
    assert vocabulary.merge(vocabulary).tolist() == [0, 1]


def test_a_term_that_is_unknown_is_a_key_error():
    with pytest.raises(KeyError, match="question"):
        Vocabulary(["to"])["question"]


@pytest.mark.parametrize("id", [-1, 1, 2**31 - 1, -(2**31)])
def test_an_id_that_was_never_given_is_an_index_error(id):
    with pytest.raises(IndexError, match="no term has this id"):
        Vocabulary(["to"]).term(id)


def test_one_string_is_not_read_as_its_letters():
    with pytest.raises(TypeError, match="not one string"):
        Vocabulary("letters")


@pytest.mark.parametrize("wrong", [None, 3, b"bytes", ["nested"]])
def test_a_term_that_is_no_string_is_refused_with_its_position(wrong):
    with pytest.raises(TypeError, match="item 1 is"):
        Vocabulary(["fine", wrong])


def test_only_strings_are_contained():
    vocabulary = Vocabulary(["3"])
    assert "3" in vocabulary
    assert 3 not in vocabulary


def test_the_repr_of_a_vocabulary_has_its_size():
    assert repr(Vocabulary(map(str, range(1000)))) == "<Vocabulary of 1,000 terms>"
    assert repr(Vocabulary().freeze()) == "<Vocabulary of 0 terms, frozen>"


def from_arrays(arena, lengths):
    return NativeVocabulary.from_arrays(
        np.frombuffer(arena, dtype=np.uint8), np.array(lengths, dtype=np.uint32)
    )


@pytest.mark.parametrize(
    ("arena", "lengths", "reason"),
    [
        (b"ab", [3], "longer than their bytes"),
        (b"ab", [1, 2**32 - 1], "longer than their bytes"),
        (b"ab", [1], "bytes after the last term"),
        (b"aa", [1, 1], "occurs twice"),
        (b"a", [0, 0, 1], "occurs twice"),
        (b"\xff", [1], "not valid text"),
        (b"\xc3\xa9", [1, 1], "not valid text"),
        (b"\xc0\x80", [2], "not valid text"),
        (b"\xf4\x90\x80\x80", [4], "not valid text"),
    ],
)
def test_damaged_arrays_are_refused(arena, lengths, reason):
    with pytest.raises(ValueError, match=reason):
        from_arrays(arena, lengths)


@given(st.binary(max_size=60), st.lists(st.integers(0, 12), max_size=12))
def test_random_arrays_are_a_vocabulary_or_are_refused(arena, lengths):
    try:
        vocabulary = from_arrays(arena, lengths)
    except ValueError:
        return
    assert vocabulary.arena().tobytes() == arena
    assert vocabulary.lengths().tolist() == lengths
    names = np.empty(len(lengths), dtype=object)
    vocabulary.fill_terms(names)
    assert len(set(names)) == len(lengths)


def test_a_damaged_pickle_is_refused():
    state = Vocabulary(["to", "be"]).__getstate__()
    with pytest.raises(TallytextError, match="this is not a vocabulary"):
        Vocabulary.__new__(Vocabulary).__setstate__(state | {"terms": b"tobeor"})


def test_a_file_cut_short_is_refused(tmp_path):
    path = tmp_path / "vocabulary"
    Vocabulary(["to", "be", "or", "not"]).save(path)
    whole = path.read_bytes()
    path.write_bytes(whole[:-1])
    with pytest.raises(FileError, match="cut short"):
        Vocabulary.load(path)


@pytest.mark.parametrize(
    ("arrays", "reason"),
    [
        ({"terms": np.zeros(3, np.uint8)}, "lacks the array 'lengths'"),
        ({"terms": np.zeros(1, np.uint8), "lengths": np.array([2], np.uint32)}, "longer"),
        ({"terms": np.zeros((1, 1), np.uint8), "lengths": np.array([1], np.uint32)}, "not a voc"),
    ],
)
def test_a_file_with_other_arrays_is_refused(tmp_path, arrays, reason):
    save_arrays(tmp_path / "file", arrays, {"kind": "tallytext.vocabulary"})
    with pytest.raises(FileError, match=reason):
        Vocabulary.load(tmp_path / "file")


@pytest.mark.parametrize(
    ("ids", "error"), [([2**32], IndexError), ([-1], IndexError), ([1.7], TypeError)]
)
def test_invalid_ids_are_refused(ids, error):
    with pytest.raises(error):
        Vocabulary(["a", "b", "c"]).terms(ids)


def test_arrays_of_another_type_are_refused():
    arena, lengths = Vocabulary(["a"]).to_arrays()
    with pytest.raises(TallytextError):
        Vocabulary.from_arrays(arena.astype(np.int64), lengths)

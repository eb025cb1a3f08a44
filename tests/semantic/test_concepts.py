"""Concepts: phrases from a list, counted by what they mean."""

import json
import pickle
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.utils import estimator_checks

import strategies
from counting import same_matrix
from oracle import phrases as oracle
from tallytext.errors import AnalysisError, FileError, SettingsError, VocabularyError
from tallytext.semantic import Concepts

HEART = {
    "heart attack": "MI",
    "myocardial infarction": "MI",
    "heart": "organ",
    "vitamin C": "C",
    "St. Louis": "city",
}


def counts(concepts, text):
    row = concepts.transform([text]).toarray()[0].tolist()
    names = concepts.get_feature_names_out()
    return {name: n for name, n in zip(names, row, strict=True) if n}


@pytest.mark.parametrize(
    "text, found",
    [
        ("A heart attack or a myocardial\ninfarction", {"=MI": 2}),
        ("Heart-attack", {"=MI": 1}),
        ("heart. Attack", {"=organ": 1}),
        ("heart heart attack", {"=organ": 1, "=MI": 1}),
        ("vitamin c, vitamin", {"=C": 1}),
        ("in St. Louis", {"=city": 1}),
        ("in St Louis", {}),
        ("", {}),
    ],
)
def test_concepts_are_counted_by_their_longest_phrases(text, found):
    assert counts(Concepts(HEART), text) == found


def test_columns_are_in_order_of_first_appearance():
    names = Concepts(HEART).get_feature_names_out()
    assert names.tolist() == ["=MI", "=organ", "=C", "=city"]


@given(
    st.lists(st.text("ab .", max_size=20), max_size=8),
    st.dictionaries(
        st.lists(st.sampled_from(["a", "b", "ab"]), min_size=1, max_size=3).map(" ".join),
        st.sampled_from(["x", "y"]),
        min_size=1,
    ),
)
def test_counts_equal_the_longest_matches(texts, mapping):
    concepts = Concepts(mapping)
    X, names = concepts.transform(texts), concepts.get_feature_names_out()
    for i, text in enumerate(texts):
        phrases = {tuple(phrase.split()): concept for phrase, concept in mapping.items()}
        found = oracle.matches(oracle.cut(text, min_length=1), set(phrases))
        wanted = Counter(f"={phrases[phrase]}" for phrase in found)
        row = slice(X.indptr[i], X.indptr[i + 1])
        assert dict(zip(names[X.indices[row]], X.data[row].tolist(), strict=True)) == wanted


def test_pairs_are_as_good_as_a_mapping():
    pairs = Concepts(list(HEART.items()))
    assert pairs.to_dict() == Concepts(HEART).to_dict()
    assert pairs.to_dict()["st | louis"] == "city"
    assert pairs.to_dict()["vitamin c"] == "C"


def test_stems_match_whatever_has_them():
    concepts = Concepts({"heart attacks": "MI"}, language="en")
    assert counts(concepts, "Hearts attacked by a heart attack") == {"=MI": 2}


def test_a_parameter_that_changes_is_heeded():
    concepts = Concepts({"sea": "water"})
    assert counts(concepts, "sea, Lake") == {"=water": 1}
    concepts.set_params(mapping={"lake": "water"})
    assert counts(concepts, "sea") == {}
    concepts.set_params(lowercase=False)
    assert counts(concepts, "Lake") == {}


@pytest.mark.parametrize(
    "mapping, message",
    [
        ({}, "there are no concepts"),
        ([], "there are no concepts"),
        ({"!!": "x"}, "there is no word in '!!'"),
        ({"": "x"}, "there is no word in ''"),
        ([("Big-Sea", "x"), ("big sea", "y")], "'big sea' means 'y', but meant 'x' before"),
        ({"sea": " "}, "the concept of 'sea' is empty"),
        ({"sea": 7}, "mapping of str to str"),
        (["sea"], "mapping of str to str"),
        (["ab"], "mapping of str to str"),
        (iter([("sea", "x")]), "read once only"),
    ],
)
def test_a_wrong_list_is_refused(mapping, message):
    with pytest.raises(VocabularyError, match=message):
        Concepts(mapping).fit()


def test_a_phrase_may_come_again_with_the_same_concept():
    assert Concepts([("Big-Sea", "x"), ("big sea", "x")]).to_dict() == {"big sea": "x"}


def test_wrong_settings_are_refused():
    with pytest.raises(AnalysisError, match="tokens must be"):
        Concepts(HEART, tokens="chars").transform(["a"])


@pytest.fixture
def written(tmp_path):
    def write(data):
        path = tmp_path / "concepts.tsv"
        path.write_bytes(data if isinstance(data, bytes) else data.encode())
        return path

    return write


def test_a_file_is_read(written):
    head = "\ufeff# what it is called\r\n\r\nheart attack\tMI\r\n"
    path = written(head + "Myocardial infarction \t MI\n우주 왕복선\t우주\n")
    concepts = Concepts.read(path, n_jobs=1)
    assert concepts.to_dict() == {
        "heart attack": "MI",
        "myocardial infarction": "MI",
        "우주 왕복선": "우주",
    }
    assert counts(concepts, "Heart attack im 우주 왕복선") == {"=MI": 1, "=우주": 1}
    assert concepts.n_jobs == 1


@pytest.mark.parametrize(
    "data, message",
    [
        ("heart attack MI\n", "line 1: .* 0 TABs"),
        ("# a\nsea\tx\nheart\tattack\tMI\n", "line 3: .* 2 TABs"),
        ("sea\tx\n\t y\n", "line 2: the phrase is missing"),
        ("sea\t\n", "line 1: the concept is missing"),
        ("sea\tx\n\nSEA\ty\n", "line 3: 'SEA' means 'y', but meant 'x' before"),
        ("sea\tx\n...\ty\n", r"line 2: there is no word in '...'"),
        (b"sea\tx\n\nl\xe4ke\ty\n", "line 3: it is not UTF-8"),
        ("", "it has no concepts"),
        ("# only\n\n", "it has no concepts"),
    ],
)
def test_a_wrong_line_is_named(written, data, message):
    with pytest.raises(FileError, match=message):
        Concepts.read(written(data))


def test_a_file_that_is_not_there_is_named(tmp_path):
    with pytest.raises(FileError, match=r"missing.tsv.*No such file"):
        Concepts.read(tmp_path / "missing.tsv")


@given(strategies.documents())
def test_any_text_is_taken(texts):
    concepts = Concepts({"the cat": "cat", "naïve": "n", "한국어": "k"})
    X = concepts.transform(texts)
    assert X.shape == (len(texts), 3)
    assert same_matrix(X, concepts.transform(iter(texts)))


@given(st.dictionaries(strategies.texts(), st.just("x")))
def test_any_phrase_is_taken_or_refused(mapping):
    try:
        concepts = Concepts(mapping).fit()
    except VocabularyError:
        return
    # What is spelt as a phrase is one, unless a longer one swallows it.
    assert (concepts.transform(list(mapping)).toarray().sum(axis=1) >= 1).all()


def test_one_thread_equals_many():
    texts = ["heart attack. vitamin c " * 9000, "heart " * 20000, "St. Louis " * 9000] * 3
    one, many = (Concepts(HEART, n_jobs=n).transform(texts) for n in (1, 3))
    assert same_matrix(one, many)


def test_concepts_can_be_cloned_pickled_and_saved():
    concepts = Concepts(HEART, language="en")
    values = json.loads(json.dumps(concepts.to_values()))
    copies = clone(concepts), pickle.loads(pickle.dumps(concepts)), Concepts.from_values(values)
    for again in copies:
        assert again.to_dict() == concepts.to_dict()
        assert counts(again, "heart attacks in St. Louis") == {"=MI": 1, "=city": 1}
    assert copies[-1].to_values() == values


def test_a_function_cannot_be_saved():
    with pytest.raises(SettingsError, match="strip_accents is a function"):
        Concepts(HEART, strip_accents=str.lower).to_values()


DAMAGE = [
    lambda v: v.pop("phrases"),
    lambda v: v.update(more=1),
    lambda v: v.update(settings=[]),
    lambda v: v["settings"].update(mapping={}),
    lambda v: v["settings"].update(tokens=5),
    lambda v: v["settings"].update(language=5),
    lambda v: v["settings"].update(lowercase=1),
    lambda v: v["phrases"].pop(),
    lambda v: v["phrases"].__setitem__(0, None),
    lambda v: v["phrases"].__setitem__(0, "..."),
    lambda v: v["concepts"].__setitem__(0, ""),
    lambda v: v["phrases"].__setitem__(2, "Heart Attack"),
    lambda v: v.update(phrases=[], concepts=[]),
]


@pytest.mark.parametrize("number", range(len(DAMAGE)))
def test_damaged_values_are_refused(number):
    values = Concepts(HEART).to_values()
    DAMAGE[number](values)
    with pytest.raises(FileError):
        Concepts.from_values(values)


@pytest.mark.parametrize(
    "check",
    [
        "check_estimator_cloneable",
        "check_estimator_repr",
        "check_valid_tag_types",
        "check_no_attributes_set_in_init",
        "check_get_params_invariance",
        "check_set_params",
        "check_mixin_order",
    ],
)
def test_concepts_are_an_estimator(check):
    getattr(estimator_checks, check)("Concepts", Concepts(HEART))

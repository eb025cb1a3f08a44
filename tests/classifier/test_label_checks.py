"""Labels that are probably mistakes: spellings, slips and missing labels."""

import random
import string

import pytest
from hypothesis import given
from hypothesis import strategies as st

from corpora import column
from tallytext import Tally
from tallytext.classifier import find_leaks, label_problems
from tallytext.classifier.label_checks import count_labels, count_problems, replace_labels


def slips_of(rare, frequent, n_rare=1, n_frequent=100):
    found = label_problems([frequent] * n_frequent + [rare] * n_rare).slips
    return [(rare, frequent) for (rare, _), (frequent, _) in found]


def damerau_levenshtein(one, other):
    """The number of edits, slowly: insert, delete, replace, or exchange two neighbours."""
    table = [[i + j for j in range(len(other) + 1)] for i in range(len(one) + 1)]
    for i in range(1, len(one) + 1):
        for j in range(1, len(other) + 1):
            costs = [table[i - 1][j] + 1, table[i][j - 1] + 1]
            costs.append(table[i - 1][j - 1] + (one[i - 1] != other[j - 1]))
            if i > 1 and j > 1 and one[i - 2 : i] == other[j - 2 : j][::-1]:
                costs.append(table[i - 2][j - 2] + 1)
            table[i][j] = min(costs)
    return table[-1][-1]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Ham", "ham"),
        ("ham ", "ham"),
        ("rec  autos", "rec autos"),
        ("CAFE\u0301", "café"),
        (1, "1"),
    ],
)
def test_labels_that_differ_by_case_blanks_form_or_type_are_one_group(one, other):
    found = label_problems([other, other, one])
    assert found.spellings == (((other, 2), (one, 1)),)
    assert repr(one) in str(found)


@pytest.mark.parametrize("name", ["NaN", "nan", "None", "NA", "null", " null "])
def test_what_programs_write_for_a_missing_value_is_named(name):
    assert label_problems(["sea", name, "sky"]).missing == ((name, 1),)


def test_labels_that_only_look_a_little_like_missing_ones_are_labels():
    assert not label_problems(["none", "Nancy", "nano", "nullity", "Other"])


@pytest.mark.parametrize(
    ("slip", "label"),
    [
        ("spma", "spam"),
        ("spaam", "spam"),
        ("freinds", "friends"),
        ("friend", "friends"),
        ("polotics", "politics"),
        ("rec.auots", "rec.autos"),
        ("sportts", "sports"),
    ],
)
def test_a_rare_label_at_one_edit_from_a_frequent_one_is_a_slip(slip, label):
    assert slips_of(slip, label) == [(slip, label)]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("class1", "class2"),
        ("v1.2", "v1.3"),
        ("class1", "class11"),
        ("type A", "type B"),
        ("type-a", "type-b"),
        ("rain", "train"),
        ("wood", "food"),
        ("opec", "oapec"),
        ("rec.autos", "recautos"),
        ("east", "west"),
        ("ham", "hma"),
        ("a b", "ab"),
    ],
)
def test_names_that_differ_by_a_digit_a_sign_or_the_first_letter_are_no_slips(one, other):
    assert not slips_of(one, other)


def test_a_frequent_label_is_no_slip():
    assert not slips_of("friend", "friends", 40, 100)
    assert not slips_of("friend", "friends", 2, 15)
    assert slips_of("friend", "friends", 5, 1000) == [("friend", "friends")]


@given(st.text("abc", min_size=6, max_size=9), st.text("abc", min_size=6, max_size=9))
def test_slips_are_one_edit_apart(one, other):
    for rare, frequent in slips_of(one, other):
        assert damerau_levenshtein(rare, frequent) == 1


@given(st.text("abcd", min_size=7, max_size=9), st.integers(2, 5), st.sampled_from("xyz"))
def test_each_edit_inside_a_long_word_is_found(word, at, letter):
    edits = [word[:at] + letter + word[at:], word[:at] + letter + word[at + 1 :]]
    if word[at] != word[at + 1]:
        edits.append(word[:at] + word[at + 1] + word[at] + word[at + 2 :])
    for edited in edits:
        assert slips_of(edited, word) == [(edited, word)]


def test_merging_leaves_no_problem():
    labels = (
        ["spam"] * 50 + ["Spam", "spma", "SPMA", "NaN"] + ["ham"] * 9 + [["HAM", "spam", "None"]]
    )
    replaced = replace_labels(labels, label_problems(labels).replacements())
    assert set(replaced[:-1]) == {"spam", "ham", None}
    assert replaced[-1] == ["ham", "spam"]
    assert not label_problems([label for label in replaced if label is not None])


def test_only_labels_that_the_model_does_not_know_are_problems():
    known = {"ham": 30, "Ham": 2, "NaN": 4}
    assert not count_problems({"ham": 3, "Ham": 1, "NaN": 1, "work": 2}, known)
    assert count_problems({"HAM": 1}, known).spellings == ((("ham", 30), ("Ham", 2), ("HAM", 1)),)


def test_a_new_label_is_compared_with_the_labels_of_the_model():
    ((rare, frequent),) = count_problems({"freinds": 1}, {"friends": 30}).slips
    assert (rare, frequent) == (("freinds", 1), ("friends", 30))


def test_only_five_problems_of_a_kind_are_named():
    labels = [name for at in range(9) for name in (f"label {at}", f"LABEL {at}")]
    assert len(label_problems(labels).sentences()) == 6
    assert str(label_problems(labels)).endswith("And 4 more like these.")


def test_many_different_labels_are_checked():
    chance = random.Random(1)
    names = {"".join(chance.choices(string.ascii_lowercase, k=12)) for _ in range(20_000)}
    counts = dict.fromkeys(names, 100) | {"internatoinal": 1, "international": 100}
    assert [pair[0] for pair in count_problems(counts).slips] == [("internatoinal", 1)]


@pytest.mark.parametrize(
    "name", ["20ng_bydate", "debian_sections", "reuters21578", "wordnet_gloss_hypernym"]
)
def test_labels_of_public_corpora_are_no_mistakes(name):
    labels = column(name, "labels").to_pylist()
    assert not count_problems(count_labels(labels))
    assert not count_problems(count_labels(labels[:1000]))


def leaks_of(texts, labels):
    return find_leaks(Tally.from_texts(texts, labels))


def test_a_word_in_all_documents_of_a_class_and_no_other_gives_it_away():
    texts = [f"Group: autos, wave {at}" for at in range(30)] + ["a cloud", "the moon"] * 20
    (leak,) = leaks_of(texts, ["rec.autos"] * 30 + ["sky"] * 40)
    assert (leak.term, leak.label, leak.n_documents, leak.n_class) == ("autos", "rec.autos", 30, 30)
    assert "in all 30 documents of 'rec.autos' and in no other" in str(leak)
    assert "contain the label" in str(leak)


def test_a_word_of_a_header_gives_a_class_away():
    texts = ["xref a"] * 200 + ["xref b"] + ["b"] * 200
    (leak,) = leaks_of(texts, ["sea"] * 200 + ["sky"] * 201)
    assert (leak.term, leak.n_others) == ("xref", 1)
    assert "in 1 other" not in str(leak) or "header" in str(leak)


def test_the_name_of_a_class_gives_it_away_if_it_is_in_most_of_its_documents():
    texts = ["sea salt"] * 92 + ["salt"] * 8 + ["salt moon", "salt sun"] * 50
    (leak,) = leaks_of(texts, ["sea"] * 100 + ["sky"] * 100)
    assert (leak.term, leak.n_documents) == ("sea", 92)


@pytest.mark.parametrize("n", [90, 95])
def test_other_words_may_be_in_most_documents_of_a_class(n):
    texts = ["tide"] * n + ["salt"] * (100 - n) + ["sun", "moon"] * 50
    assert not leaks_of(texts, ["sea"] * 100 + ["sky"] * 100)


def test_small_classes_and_a_single_class_are_not_checked():
    assert not leaks_of(["sea"] * 19 + ["sun", "moon"] * 50, ["sea"] * 19 + ["sky"] * 100)
    assert not leaks_of(["sea"] * 50, ["sea"] * 50)


@pytest.mark.parametrize(
    ("rare", "frequent"), [("Worl", "World"), ("Sci/Techs", "Sci/Tech"), ("Sci/Tec", "Sci/Tech")]
)
def test_a_last_letter_is_a_slip_beside_a_label_that_is_much_more_frequent(rare, frequent):
    assert slips_of(rare, frequent, 1, 140) == [(rare, frequent)]
    assert slips_of(rare, frequent, 1, 15) == []
    assert slips_of(rare, frequent, 3, 140) == []


def test_blanks_inside_a_label_are_a_spelling_except_between_digits():
    found = label_problems(["Sci/Tech"] * 5 + ["Sci/ Tech", "1 2", "12"], known={"Sci/Tech": 9})
    assert found.replacements() == {"Sci/ Tech": "Sci/Tech"}
    assert label_problems(["type A", "type B"] * 30).replacements() == {}


def test_labels_of_the_model_are_kept():
    found = label_problems(["world"] * 200, known={"World": 140})
    assert found.replacements() == {"world": "World"}

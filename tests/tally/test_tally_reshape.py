"""Derived tallies equal a recount of what is left."""

import pickle
from contextlib import suppress

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from oracle.tally import OracleTally
from tallies import PLANES, corpora, documents, matches, small_deltas, tally_of
from tallytext import Tally
from tallytext.errors import LabelError, NegativeCountError, RecipeError, UnknownNameError

quick = settings(max_examples=30, deadline=None)


def single():
    """Corpora in which each document has one label, or none."""
    one = documents().map(lambda d: (d[0], d[1][:1], d[2]))
    return st.lists(one, max_size=8)


@quick
@given(single(), st.sets(st.sampled_from(["X", "Y", 7])), small_deltas())
def test_subset_and_drop_recount_the_documents_left(corpus, wanted, smallest):
    tally = tally_of(corpus, PLANES, smallest)
    kept = [label for label in tally.classes if label in wanted]
    rest = [label for label in tally.classes if label not in wanted]
    left = [d for d in corpus if not d[1] or d[1][0] in wanted]
    assert tally.subset(kept) == tally.drop(rest) == tally_of(left, PLANES)
    matches(tally.subset(kept), OracleTally(left, tally.planes))
    assert tally == tally_of(corpus, PLANES)


def some_planes():
    """None, or some with a weighted one among them: the documents of a corpus have weights."""
    return st.sets(st.sampled_from(PLANES)).map(lambda planes: planes and planes | {PLANES[1]})


@quick
@given(corpora(), corpora(), some_planes(), small_deltas())
def test_keep_planes_equals_learning_with_these_planes(corpus, more, kept, smallest):
    tally = tally_of(corpus, PLANES, smallest) + tally_of(more, PLANES)
    expected = tally_of(corpus + more, [*kept])
    derived = tally.keep_planes(kept)
    assert derived == expected
    matches(derived, OracleTally(corpus + more, derived.planes))
    assert derived - expected == Tally(planes=kept)
    assert tally.planes == tally_of([], PLANES).planes


def test_keep_planes_raises_for_a_missing_plane():
    tally = tally_of([({"a": 1}, ["X"], 1.0)], PLANES[:2])
    with pytest.raises(RecipeError, match="binary"):
        tally.keep_planes([PLANES[0], PLANES[2]])


@quick
@given(corpora(), small_deltas())
def test_with_multi_label_documents_the_totals_include_all_documents(corpus, smallest):
    tally = tally_of(corpus, PLANES, smallest)
    kept = [label for label in tally.classes if label != "X"]
    derived = tally.subset(kept)
    recount = tally_of([(c, [x for x in ls if x != "X"], w) for c, ls, w in corpus], PLANES)
    order = [recount.classes.index(label) for label in derived.classes]
    assert set(derived.classes) == set(recount.classes)
    assert (
        derived.occurrences != recount.occurrences[:, order]
    ).nnz == 0 or not tally.n_multi_label
    if tally.n_multi_label:
        assert derived.n_documents == tally.n_documents
        assert derived.term_occurrences.tolist() == tally.term_occurrences.tolist()
        assert derived.class_documents.tolist() == recount.class_documents[order].tolist()


@quick
@given(single())
def test_merging_classes_recounts_under_the_new_labels(corpus):
    tally = tally_of(corpus, PLANES)
    names = {old: new for old, new in {"X": "Q", "Y": "Q", 7: "Z"}.items() if old in tally.classes}
    recount = [(c, [names.get(x, x) for x in ls], w) for c, ls, w in corpus]
    merged = tally.merge_classes(names)
    assert merged == tally_of(recount, PLANES)
    matches(merged, OracleTally(recount, tally.planes))


@quick
@given(corpora())
def test_renaming_there_and_back_changes_nothing(corpus):
    tally = tally_of(corpus, PLANES)
    there = {label: f"new {label}" for label in tally.classes}
    back = {new: old for old, new in there.items()}
    assert tally.rename(there).classes == list(there.values())
    assert tally.rename(there).rename(back) == tally
    swapped = dict(zip(tally.classes, reversed(tally.classes), strict=True))
    assert tally.rename(swapped).rename(swapped) == tally


@quick
@given(corpora(), st.sets(st.sampled_from("abcdefghij")), small_deltas())
def test_a_mask_recounts_the_terms_left(corpus, wanted, smallest):
    tally = tally_of(corpus, (), smallest)
    names = list(tally.vocabulary)
    kept = [term for term in names if term in wanted]
    left = [({t: n for t, n in c.items() if t in wanted}, ls, w) for c, ls, w in corpus]
    masked = tally.mask(np.array([term in wanted for term in names], dtype=bool))
    assert masked == tally_of(left)
    matches(masked, OracleTally(left))
    ids = np.array([names.index(term) for term in kept], dtype=int)
    assert masked == tally.mask(ids) == tally.mask(np.array(kept, dtype=object))
    assert masked.vocabulary is tally.vocabulary


def test_a_mask_keeps_the_document_counts():
    tally = Tally.from_counts([[1, 2], [0, 3]], ["X", "Y"], ["sea", "sky"], planes=PLANES)
    masked = tally.mask(["sea"])
    assert (masked.n_documents, masked.classes, masked.n_tokens) == (2, ["X", "Y"], 1)
    for plane in PLANES:
        before, after = tally.plane_totals(plane), masked.plane_totals(plane)
        assert after.scale == before.scale
        assert after.class_scales.tolist() == before.class_scales.tolist()
        assert after.terms.tolist() == [before.terms[0], 0]


def test_unknown_names_come_with_the_nearest():
    tally = Tally.from_counts([[1, 1]], ["politics"], ["election", "minister"])
    for derive in (tally.subset, tally.drop):
        with pytest.raises(UnknownNameError, match=r"'pollitics'.*'politics'"):
            derive(["pollitics"])
    with pytest.raises(UnknownNameError, match=r"'pollitics'.*'politics'"):
        tally.rename({"pollitics": "sports"})
    with pytest.raises(UnknownNameError, match=r"'elections'.*'election'"):
        tally.mask(["minister", "elections"])
    with pytest.raises(UnknownNameError, match="id 2"):
        tally.mask([0, 2])
    with pytest.raises(UnknownNameError, match="3 entries, the vocabulary 2"):
        tally.mask([True, False, True])
    with pytest.raises(LabelError, match="list of labels"):
        tally.subset("politics")


def test_classes_are_not_joined_by_accident_nor_inexactly():
    tally = Tally.from_counts([[1], [2]], ["X", "Y"])
    with pytest.raises(LabelError, match="merge_classes"):
        tally.rename({"X": "Y"})
    tally.learn([[1]], [["X", "Y"]])
    with pytest.raises(LabelError, match="1 documents have several labels"):
        tally.merge_classes({"X": "Y"})


def test_a_mask_takes_sets_and_refuses_fractions():
    tally = Tally.from_counts([[1, 2, 3]], ["X"], ["a", "aa", "b"])
    assert tally.mask({"aa"}) == tally.mask(frozenset({"aa"})) == tally.mask(["aa"])
    assert tally.mask([]).n_tokens == tally.mask(set()).n_tokens == 0
    with pytest.raises(UnknownNameError, match="not float64"):
        tally.mask([0.9])


def test_documents_whose_class_was_left_out_can_be_stored():
    tally = Tally().learn({"a": 1}, ["x", "y"]).learn({"b": 1}, "z")
    left = tally.subset(["x", "y"]).forget({"a": 1}, ["x", "y"])
    assert (left.n_documents, left.n_multi_label, left.n_unlabelled, left.classes) == (1, 0, 0, [])
    assert pickle.loads(pickle.dumps(left)) == left == Tally.from_arrays(*left.to_arrays())
    assert left != Tally().learn({"b": 1}, [])
    more = left + Tally().learn({"a": 2}, "x").learn({"c": 1}, "y")
    assert more.drop(["x", "y"]) == left
    assert more.merge_classes({"x": "y"}).class_documents.tolist() == [2]


@quick
@given(corpora(), corpora(), st.sets(st.sampled_from(["X", "Y", 7])), small_deltas())
def test_derived_tallies_can_be_stored_after_forgetting(corpus, more, wanted, smallest):
    tally = tally_of(corpus, PLANES, smallest)
    tally = tally.drop([label for label in tally.classes if label in wanted])
    for counts, labels, weight in corpus + more:
        with suppress(NegativeCountError):
            tally.forget(counts, labels, sample_weight=weight)
    for derived in (tally, tally.subset([]), tally.drop(tally.classes[:1])):
        assert pickle.loads(pickle.dumps(derived)) == derived
    if not tally.n_multi_label:
        merged = tally.merge_classes(dict.fromkeys(tally.classes, "one"))
        assert pickle.loads(pickle.dumps(merged)) == merged


def test_derived_tallies_are_independent():
    tally = Tally.from_counts([[1], [2]], ["X", "Y"], ["sea"])
    before, derived = tally.copy(), tally.drop(["Y"])
    derived.learn({"moon": 1}, "Z")
    tally.learn({"sun": 1}, "X")
    assert list(derived.vocabulary) == ["sea", "moon"]
    assert before.vocabulary.terms().tolist() == ["sea"]
    assert derived.classes == ["X", "Z"]
    assert tally - Tally().learn({"sun": 1}, "X") == before

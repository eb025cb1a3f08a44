"""A tally of chosen terms stays in step with all counts, whatever is done to them."""

import copy
import pickle

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

from tallies import PLANES, corpora, documents, tally_of
from tallytext import MultinomialNB, Plane, Tally, TermSelector
from tallytext.errors import CountError, NegativeCountError
from tallytext.features import SelectedTally

SELECTORS = [
    TermSelector("chi", k=3),
    TermSelector("df", threshold=1.0),
    TermSelector("ig", labels="pairs", keep=0.5),
]
selectors = st.sampled_from(SELECTORS)
TOY = [({"a": 2, "b": 1}, "X"), ({"a": 1, "c": 1}, "X"), ({"b": 1, "c": 2, "d": 1}, "Y")]


def in_step(selected):
    """Say so if the chosen terms are not what is left of all."""
    assert selected.tally == selected.all.mask(selected.ids)
    assert selected.tally == selected.all.mask(selected.terms)
    return True


def toy():
    tally = Tally()
    for counts, label in TOY:
        tally.learn(counts, label)
    return tally


@settings(max_examples=60, deadline=None)
@given(corpora(), st.lists(st.tuples(documents(), st.booleans()), max_size=8), selectors)
def test_every_change_of_all_counts_is_one_of_the_chosen_terms(corpus, changes, selector):
    selected = SelectedTally(tally_of(corpus, PLANES), selector)
    chosen, known = selected.terms.tolist(), []
    for (counts, labels, weight), back in changes:
        selected.learn(counts, labels, sample_weight=weight)
        known.append((counts, labels, weight))
        assert in_step(selected)
        if back:
            counts, labels, weight = known.pop(0)
            selected.forget(counts, labels, sample_weight=weight)
            assert in_step(selected)
    assert selected.terms.tolist() == chosen
    assert selected.all == tally_of([*corpus, *known], PLANES)


@given(corpora(), documents(), selectors)
def test_forgetting_undoes_learning(corpus, document, selector):
    counts, labels, _ = document
    selected = SelectedTally(tally_of(corpus), selector)
    before = selected.copy()
    selected.learn(counts, labels).forget(counts, labels)
    assert selected == before
    assert selected.tally == before.tally


@settings(max_examples=60, deadline=None)
@given(corpora(), corpora(), selectors)
def test_merging_is_training_on_the_union_and_masking_then(mine, theirs, selector):
    one, other = (SelectedTally(tally_of(each, PLANES), selector) for each in (mine, theirs))
    both = one + other
    union = tally_of([*mine, *theirs], PLANES)
    assert both.all == union
    assert both.terms.tolist() == one.terms.tolist()
    assert both.tally == union.mask(one.terms) if mine else in_step(both)
    assert both - other == one
    assert (both - other).tally == one.tally
    assert one + other.all == both


@given(corpora(), corpora(), selectors)
def test_selecting_anew_is_selecting_from_all_counts(mine, more, selector):
    selected = SelectedTally(tally_of(mine), selector)
    selected += tally_of(more)
    fresh = selector.select(selected.all)
    assert selected.reselect() == fresh
    assert selected.terms.tolist() == fresh.terms.tolist()
    assert selected.tally == fresh.tally == selected.all.mask(fresh.ids)


def test_terms_that_come_later_wait_for_a_new_choice():
    selected = TermSelector("df", k=2).select(toy())
    assert selected.terms.tolist() == ["a", "b"]
    selected.learn([[5, 1]] * 4, ["Z"] * 4, terms=["e", "a"])
    assert selected.terms.tolist() == ["a", "b"]
    assert selected.tally.classes == ["X", "Y", "Z"]
    assert selected.tally.n_tokens == 3 + 2 + 4
    assert selected.reselect().terms.tolist() == ["a", "e"]
    assert selected.tally.n_tokens == 3 + 4 + 4 * 5
    assert in_step(selected)


def test_the_tally_that_was_given_stays_as_it_is():
    tally = toy()
    selected = SelectedTally(tally, TermSelector(k=2))
    selected.learn({"new": 1, "a": 1}, "Z")
    assert tally == toy()
    assert "new" not in tally.vocabulary
    tally.learn({"other": 1}, "X")
    assert "other" not in selected.all.vocabulary
    assert in_step(selected)


def test_copies_are_independent():
    one = SelectedTally(toy(), TermSelector(k=2))
    for other in (one.copy(), copy.deepcopy(one), pickle.loads(pickle.dumps(one))):
        assert other == one
        other.learn({"a": 1, "new": 1}, "Z")
        assert in_step(other)
        assert other != one
        assert one.all == toy()


def test_a_failed_forget_changes_nothing():
    selected = SelectedTally(toy(), TermSelector(k=2))
    before = selected.copy()
    for counts, label in (({"a": 9}, "X"), ({"b": 1, "a": 1}, "W"), ({"never": 1}, "X")):
        with pytest.raises(NegativeCountError):
            selected.forget(counts, label)
        assert selected == before
        assert in_step(selected)
    with pytest.raises(CountError):
        selected.learn({"a": -1}, "new")
    assert selected == before
    assert selected.learn({"a": 1}, "newer").tally.classes == ["X", "Y", "newer"]


def test_a_model_of_the_chosen_terms_learns_with_them():
    selected = TermSelector("df", k=3).select(toy())
    model = MultinomialNB.from_tally(selected.tally)
    selected.learn({"c": 50, "later": 9}, "Z")
    assert model.classes_.tolist() == ["X", "Y", "Z"]
    fresh = MultinomialNB.from_tally(selected.all.mask(selected.ids))
    rows = np.array([[1, 0, 2, 0, 0], [0, 0, 3, 0, 7]])
    np.testing.assert_array_equal(model.scores(rows), fresh.scores(rows))


def test_documents_keep_the_norms_that_they_had_with_all_their_terms():
    plane = Plane(norm="l1")
    selected = SelectedTally(Tally(planes=[plane]).learn({"a": 1}, "X"), TermSelector("df", k=1))
    selected.learn({"a": 1, "b": 3}, "X")
    assert selected.tally.plane_totals(plane).total == 1.25


def test_invalid_counts_are_refused():
    with pytest.raises(CountError, match="only their sums"):
        SelectedTally(toy(), TermSelector(nonempty=True))
    with pytest.raises(CountError, match="counts of a Tally"):
        SelectedTally(np.eye(2), TermSelector())
    with pytest.raises(TypeError):
        SelectedTally(toy(), TermSelector()) + 1
    assert SelectedTally(toy(), TermSelector()) != toy()


def test_repr_shows_the_number_of_terms():
    shown = repr(SelectedTally(toy(), TermSelector(k=2)))
    expected = "<Tally of 3 documents: 9 tokens, 4 terms, 2 classes>"
    assert shown == f"<SelectedTally of 2 terms of {expected}>"


def test_no_document_that_is_given_becomes_empty():
    X = sparse.csr_array([[3, 0, 0, 1, 0], [2, 0, 0, 0, 1], [0, 4, 1, 0, 0], [0, 0, 1, 0, 1]])
    labels = ["x", "x", "y", "y"]
    tally = Tally.from_counts(X, labels, list("abcde"))
    plain = SelectedTally(tally, TermSelector(k=1))
    assert plain.terms.tolist() == ["a"]
    whole = SelectedTally(tally, TermSelector(k=1, nonempty=True), X)
    assert whole.terms.tolist() == ["a", "c"]
    assert whole.tally == tally.mask(["a", "c"])
    # What is read from a file or copied selects the same terms, and learns on.
    copied = whole.copy()
    assert copied == whole
    assert copied.learn({"c": 1}, "y").tally.n_tokens == whole.tally.n_tokens + 1
    # Without documents, terms are selected by their scores alone.
    assert copied.reselect().terms.tolist() == ["c"]
    with pytest.raises(CountError, match="pass documents="):
        SelectedTally(tally, TermSelector(nonempty=True))

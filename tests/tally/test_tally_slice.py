"""A slice of a tally equals the properties of the tally."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

from tallies import PLANES, corpora, documents, small_deltas, tally_of
from tallytext import Tally, _core
from tallytext.tally.planes import UNIT

LAW = settings(max_examples=30, deadline=None)
COLUMNS = list(range(2 + len(PLANES)))


def says_the_same(tally):
    piece = tally._native.slice(COLUMNS, None)
    _cells_agree(tally, piece)
    live = np.flatnonzero(piece.class_documents)
    assert piece.class_documents[live].tolist() == tally.class_documents.tolist()
    assert piece.class_terms[live].tolist() == tally.class_terms.tolist()
    assert piece.class_document_terms[live].tolist() == tally.class_document_terms.tolist()
    assert piece.class_totals[0, live].tolist() == tally.class_tokens.tolist()
    assert piece.class_scales[:2].tolist() == np.zeros((2, len(piece.class_documents))).tolist()
    assert piece.totals[:2].tolist() == [tally.n_tokens, tally.n_document_terms]
    assert piece.scales[:2].tolist() == [0, 0]
    for j, plane in enumerate(tally.planes, start=2):
        totals = tally.plane_totals(plane)
        assert (piece.term_totals[j] * UNIT).tolist() == totals.terms[: _n_terms(piece)].tolist()
        assert (piece.class_totals[j, live] * UNIT).tolist() == totals.classes.tolist()
        assert (piece.class_scales[j, live] * UNIT).tolist() == totals.class_scales.tolist()
        assert (piece.totals[j] * UNIT, piece.scales[j] * UNIT) == (totals.total, totals.scale)
    assert piece.n_documents == tally.n_documents
    assert (piece.n_live_terms, piece.n_tokens) == (tally.n_terms, tally.n_tokens)
    assert piece.n_document_terms == tally.n_document_terms
    assert (piece.n_several, piece.n_unlabelled) == (tally.n_multi_label, tally.n_unlabelled)
    assert piece.version == tally._native.version


def _n_terms(piece):
    return len(piece.starts) - 1


def _cells_agree(tally, piece):
    live = np.flatnonzero(piece.class_documents)
    views = [tally.occurrences, tally.documents, *map(tally.plane, tally.planes)]
    shape = (_n_terms(piece), len(piece.class_documents))
    for j, view in enumerate(views):
        unit = 1 if j < 2 else UNIT
        found = sparse.csr_array((piece.values[j] * unit, piece.classes, piece.starts), shape=shape)
        assert found[:, live].toarray().tolist() == view[: _n_terms(piece)].toarray().tolist()
        assert found.nnz == tally.n_cells
    assert piece.documents.tolist() == piece.values[1].tolist()
    assert piece.term_documents.tolist() == tally.term_documents[: _n_terms(piece)].tolist()
    assert piece.term_totals[0].tolist() == tally.term_occurrences[: _n_terms(piece)].tolist()


def is_made_of_rows(tally, terms):
    native = tally._native
    whole, some = native.slice(COLUMNS, None), native.slice(COLUMNS, terms)
    for i, term in enumerate(terms.tolist()):
        known = 0 <= term < _n_terms(whole)
        row = slice(*whole.starts[term : term + 2].tolist()) if known else slice(0, 0)
        mine = slice(*some.starts[i : i + 2].tolist())
        assert some.classes[mine].tolist() == whole.classes[row].tolist()
        assert some.values[:, mine].tolist() == whole.values[:, row].tolist()
        assert some.documents[mine].tolist() == whole.documents[row].tolist()
        totals = whole.term_totals[:, term] if known else np.zeros(len(COLUMNS))
        assert some.term_totals[:, i].tolist() == totals.tolist()
        assert some.term_documents[i] == (whole.term_documents[term] if known else 0)
    for name in ("class_totals", "class_scales", "class_documents", "class_terms", "totals"):
        assert getattr(some, name).tolist() == getattr(whole, name).tolist()


@LAW
@given(corpora(), st.lists(documents(), max_size=4), small_deltas(), st.data())
def test_a_slice_equals_the_tally(corpus, more, smallest, data):
    tally = tally_of(corpus, PLANES, smallest)
    terms = data.draw(st.lists(st.integers(-2, 14), max_size=12))
    terms = np.array(terms, dtype=np.int32)
    for step in (tally.learn, tally.forget):
        says_the_same(tally)
        is_made_of_rows(tally, terms)
        for counts, labels, weight in more:
            step(counts, labels, sample_weight=weight)
    says_the_same(tally)
    is_made_of_rows(tally, terms)


def test_a_slice_outlives_its_tally():
    tally = Tally.from_counts([[2, 1, 0], [1, 0, 4]], ["x", "y"])
    piece = tally._native.slice([0], None)
    values = piece.values
    tally.learn([[5, 5, 5]], ["z"])
    del tally, piece
    assert values.tolist() == [[2, 1, 1, 4]]
    with pytest.raises(ValueError, match="read-only"):
        values[0, 0] = 9


def test_columns_come_in_the_given_order():
    native = Tally.from_counts([[2, 3]], ["x"])._native
    piece = native.slice([1, 0, 1], np.array([1], dtype=np.int32))
    assert piece.values.tolist() == [[1], [3], [1]]
    assert piece.class_totals.tolist() == [[2], [5], [2]]
    assert native.slice([], None).values.shape == (0, 2)
    assert (native.slice([], None).documents.dtype, piece.classes.dtype) == (np.int64, np.int32)


@pytest.mark.parametrize("column", [2, 99])
def test_an_unknown_column_is_refused(column):
    with pytest.raises(IndexError, match="no such column"):
        Tally.from_counts([[2, 3]], ["x"])._native.slice([0, column], None)


def test_the_version_moves_with_each_change_and_with_nothing_else():
    tally = Tally()
    seen = [tally._native.version]
    for step in (tally.learn, tally.learn, tally.forget):
        step({"a": 1}, "x")
        seen.append(tally._native.version)
    tally += tally.copy()
    seen.append(tally._native.version)
    assert seen == sorted(set(seen))
    assert _core.Tally(tally._native).version == seen[-1]
    with pytest.raises(ValueError, match="cannot forget"):
        tally.forget({"a": 9}, "x")
    assert len(tally.classes) == 1
    assert tally._native.version == seen[-1]


@LAW
@given(corpora(), small_deltas())
def test_small_counts_of_counts_are_the_first_of_all(corpus, smallest):
    tally = tally_of(corpus, (), smallest)
    for events in ("cells", "pooled"):
        found = tally._native.small_counts(events == "pooled")
        every = tally.counts_of_counts(events)
        assert found.tolist() == [every.get(r, 0) for r in range(8)]

"""Tables of a term and a class: published figures, the obvious formulas, and odd counts."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from oracle import selection as oracle
from tallytext.features.term_scores import ContingencyTable, class_weights

# Of "export" and "poultry" in Manning, Raghavan and Schütze, chapter 13.
LARGE = (49, 27652, 141, 774106)
# df_cw, df_w and N_c of the terms a, b, c, d and the class X; there are three documents.
TOY = [2, 1, 1, 0], [2, 2, 2, 1], 2, 3

METHODS = ["chi_square", "gain", "mutual_information", "shrunken_information", "probability_ratio"]
counts = st.integers(0, 10**6) | st.integers(0, 3)
fractions = st.sampled_from([0.0, 0.25, 0.5, 1.0, 1.75, 300.5])


def table_of(a, b, c, d):
    return ContingencyTable.from_counts(a, a + b, a + c, a + b + c + d)


def test_a_large_table_has_the_published_figures():
    table = table_of(*LARGE)
    assert table.chi_square() == pytest.approx(284.2863183, rel=1e-6)
    assert table.phi_square() == pytest.approx(0.0003544947033, rel=1e-6)
    assert table.mutual_information() == pytest.approx(2.01037148, rel=1e-6)
    assert table.gain() == pytest.approx(7.661742986e-05, rel=1e-6)
    assert table.gain() / np.log(2) == pytest.approx(0.0001105355861, rel=1e-6)


def test_a_class_without_the_term_has_the_closed_form():
    table = ContingencyTable.from_counts(0, 4, 3, 10)
    assert table.chi_square() == pytest.approx(2.857142857, rel=1e-6)
    assert table.chi_square() == pytest.approx(10 * 3 * 4 / ((10 - 3) * (10 - 4)))
    assert table.gain() == pytest.approx(0.1949759937, rel=1e-6)


@pytest.mark.parametrize(
    ("method", "expected"),
    [
        ("ig", [0.6365141683, 0.1744160479, 0.1744160479, 0.6365141683]),
        ("chi", [1, 0.25, 0.25, 1]),
        ("prr", [3.633333333, 2.166666667, 2.166666667, 4.722222222]),
    ],
)
def test_weights_of_the_toy_corpus(method, expected):
    assert class_weights(*TOY, method) == pytest.approx(expected, rel=1e-6)


@pytest.mark.parametrize("method", METHODS)
@given(st.tuples(counts, counts, counts, counts) | st.tuples(*[fractions] * 4))
def test_every_measure_is_the_obvious_one(method, cells):
    found, expected = getattr(table_of(*cells), method)(), getattr(oracle, method)(*cells)
    assert found == pytest.approx(expected, rel=1e-7, abs=1e-12)


@given(st.tuples(counts, counts, counts, counts))
def test_cells_are_the_counts_that_the_table_was_made_from(cells):
    assert tuple(map(float, table_of(*cells).cells)) == cells


@given(st.lists(st.tuples(counts, counts, counts, counts), min_size=1, max_size=5))
def test_rows_of_classes_are_tables_side_by_side(tables):
    a, b = np.array([[t[0] for t in tables]]), np.array([[t[1] for t in tables]])
    term, label, n = np.array([[5], [9]]), a + b, 4 * 10**6
    together = ContingencyTable.from_counts(a, term, label, n)
    for method in METHODS:
        found = getattr(together, method)()
        assert found.shape == (2, len(tables))
        for i, j in np.ndindex(found.shape):
            alone = getattr(
                ContingencyTable.from_counts(a[0, j], term[i, 0], label[0, j], n), method
            )()
            assert found[i, j] == pytest.approx(float(alone), rel=1e-12)


@pytest.mark.parametrize("method", METHODS)
@given(*[st.integers(-5, 2**62) | st.integers(-1, 4)] * 4)
def test_counts_that_cannot_be_give_numbers_all_the_same(method, both, term, label, n):
    found = float(getattr(ContingencyTable.from_counts(both, term, label, n), method)())
    assert not np.isnan(found)
    assert np.isfinite(found) or method == "mutual_information"


def test_chi_square_of_billions_of_documents_does_not_overflow():
    assert ContingencyTable.from_counts(10**9, 10**9, 10**9, 10**10).chi_square() == pytest.approx(
        1e10
    )


def test_the_gain_of_a_rare_term_among_many_documents_keeps_its_digits():
    n, size = 10**12, 10**6
    # To first order in 1/n, of the one document with the term and of those without.
    expected = (np.log(n / size) - 1 + size / n) / n
    assert ContingencyTable.from_counts(1, 1, size, n).gain() == pytest.approx(expected, rel=1e-6)


def test_the_cap_is_the_largest_ratio():
    assert ContingencyTable.from_counts(1000, 1000, 1000, 2000).probability_ratio() == 100
    assert ContingencyTable.from_counts(1000, 1000, 1000, 2000).probability_ratio(cap=np.inf) > 2000


def test_an_unknown_measure_is_refused_by_name():
    with pytest.raises(ValueError, match="ig, chi, prr, not 'df'"):
        class_weights(*TOY, "df")

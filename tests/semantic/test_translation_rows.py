"""Translations of signatures: published vectors, and the native core against loops."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse

from oracle import translation as oracle
from tallytext._core import Translation
from tallytext.errors import CountError
from tallytext.semantic.estimation import translation_rows

# Three documents of the words a, b, c, d; t1 is in the first two, t2 in the last two.
TOY = np.array([[2.0, 1, 0, 0], [1, 0, 1, 0], [0, 1, 2, 1]])
HELD = np.array([[1, 0], [1, 1], [0, 1]])
BACKGROUND = np.array([3, 2, 3, 1]) / 9
WHOLE = {"min_probability": 0.0, "max_entries": None, "min_df": 1}

EM = {  # of each number of steps: p(. | t1), its log-likelihood, and the same of t2
    0: ([0.6, 0.2, 0.2, 0], -5.163546687, [1 / 6, 1 / 6, 0.5, 1 / 6], -7.624390389),
    1: (
        [0.6944162437, 0.1705583756, 0.1350253807, 0],
        -5.076646189,
        [0.1054216867, 0.1355421687, 0.5692771084, 0.1897590361],
        -7.519046962,
    ),
    2: (
        [0.7372174747, 0.1579300694, 0.1048524559, 0],
        -5.053511654,
        [0.0764734114, 0.1205812884, 0.6022089752, 0.2007363251],
        -7.486678443,
    ),
    15: (
        [0.797226355, 0.1543957801, 0.04837786494, 0],
        -5.037212318,
        [0.01679900415, 0.1074431798, 0.6568183621, 0.218939454],
        -7.456205013,
    ),
    2000: (
        [0.8, 0.1555555556, 0.04444444444, 0],
        -5.037144765,
        [0.000138827837, 0.1110833289, 0.6665833825, 0.2221944608],
        -7.454720053,
    ),
}


def rows(documents, background, **settings):
    return translation_rows(np.asarray(documents, float), background, **settings).toarray()


def log_likelihoods(p):
    counts = HELD.T @ TOY
    mixture = 0.5 * p + 0.5 * BACKGROUND
    return (counts * np.log(mixture)).sum(axis=1)


@pytest.mark.parametrize("n_steps", EM)
def test_steps_of_em_equal_a_manual_calculation(n_steps):
    found = rows(TOY, BACKGROUND, signatures=HELD, solver="em", n_steps=n_steps, **WHOLE)
    first, first_likelihood, second, second_likelihood = EM[n_steps]
    np.testing.assert_allclose(found, [first, second], atol=1e-8)
    expected = [first_likelihood, second_likelihood]
    np.testing.assert_allclose(log_likelihoods(found), expected, rtol=1e-8)


def test_the_exact_solution_is_where_em_ends():
    found = rows(TOY, BACKGROUND, signatures=HELD)
    expected = [
        [0.8, 0.1555555556, 0.04444444444, 0],
        [0, 0.1111111111, 0.6666666667, 0.2222222222],
    ]
    np.testing.assert_allclose(found, expected, atol=1e-9)


def test_trimming_leaves_words_of_at_least_the_mean_count():
    found = rows(TOY, BACKGROUND, signatures=HELD, solver="em", trim=True, **WHOLE)
    np.testing.assert_allclose(found, [[1, 0, 0, 0], [0, 0, 1, 0]], atol=1e-12)


@pytest.mark.parametrize(
    ("settings", "expected"),
    [
        ({"solver": "em", "trim": True}, [0.6666666667, 0, 0, 0.3333333333]),
        ({"solver": "em"}, [0.6394519016, 0.0408221476, 2.43248099e-12, 0.3197259508]),
        ({"solver": "exact"}, [0.6421052632, 0.03684210526, 0, 0.3210526316]),
    ],
)
def test_trimming_and_solving_a_larger_row(settings, expected):
    background = np.array([0.2, 0.3, 0.4, 0.1])
    found = rows([[10, 4, 1, 5]], background, signatures=[[1]], **settings, **WHOLE)
    np.testing.assert_allclose(found, [expected], rtol=1e-8, atol=1e-15)


VALUES = st.sampled_from([0.0, 0.0, 0.0, 0.1, 0.25, 1.0, 1.0, 2.0, 7.5])
BETAS = st.sampled_from([0.0, 0.1, 0.5, 0.8, 0.99])


@st.composite
def problems(draw):
    """Documents, a background that may lack words, and which documents hold which signature."""
    n_words, n_signatures = draw(st.integers(1, 7)), draw(st.integers(1, 4))
    n_documents = draw(st.integers(1, 8))
    row = st.lists(VALUES, min_size=n_words, max_size=n_words)
    documents = draw(st.lists(row, min_size=n_documents, max_size=n_documents))
    marks = st.lists(st.integers(0, 1), min_size=n_signatures, max_size=n_signatures)
    held = draw(st.lists(marks, min_size=n_documents, max_size=n_documents))
    shares = st.lists(st.sampled_from([0.0, 1.0, 1.0, 5.0]), min_size=n_words, max_size=n_words)
    background = np.array(draw(shares.filter(any)))
    return np.array(documents), background / background.sum(), np.array(held)


def dense(row, width):
    return np.array([row.get(w, 0.0) for w in range(width)])


def solved(counts, background, beta, solver, trim):
    if trim:
        counts, background = oracle.trimmed(counts, background)
    if solver == "exact":
        return oracle.exact(counts, background, beta)
    return oracle.em(counts, background, beta, 15)


@given(problems(), BETAS, st.sampled_from(["exact", "em"]), st.booleans())
def test_native_rows_equal_those_of_loops(problem, beta, solver, trim):
    documents, background, held = problem
    settings = {"beta": beta, "solver": solver, "trim": trim, **WHOLE}
    found = rows(documents, background, signatures=held, **settings)
    for t, row in enumerate(found):
        counts = oracle.counts_of(documents.tolist(), held.tolist(), t)
        expected = solved(counts, background.tolist(), beta, solver, trim) if counts else {}
        np.testing.assert_allclose(row, dense(expected, len(background)), atol=1e-9)


@given(problems(), BETAS, st.sampled_from([0.0, 0.0123, 0.123]), st.integers(1, 4))
def test_pruning_keeps_the_most_probable_and_rows_sum_to_one(problem, beta, least, most):
    documents, background, held = problem
    settings = {"signatures": held, "beta": beta, "min_df": 1}
    whole = rows(documents, background, **settings, min_probability=0.0, max_entries=None)
    found = rows(documents, background, **settings, min_probability=least, max_entries=most)
    for before, after in zip(whole, found, strict=True):
        expected = oracle.pruned(dict(enumerate(before.tolist())), least, most)
        np.testing.assert_allclose(after, dense(expected, len(background)), atol=1e-9)
        assert after.sum() == pytest.approx(1) or not after.any()


@given(problems(), BETAS, st.integers(0, 200))
def test_no_number_of_steps_is_likelier_than_the_exact_solution(problem, beta, n_steps):
    documents, background, held = problem
    background = (background + 0.01) / (background + 0.01).sum()
    settings = {"signatures": held, "beta": beta, **WHOLE}
    exact = rows(documents, background, **settings)
    em = rows(documents, background, **settings, solver="em", n_steps=n_steps)
    for t in range(held.shape[1]):
        counts = oracle.counts_of(documents.tolist(), held.tolist(), t)
        of = [
            oracle.log_likelihood(dict(enumerate(row.tolist())), counts, background.tolist(), beta)
            for row in (exact[t], em[t])
        ]
        assert of[0] >= of[1] - 1e-9 * max(1.0, abs(of[1]))


@given(problems())
def test_without_a_background_rows_are_shares_of_the_counts(problem):
    documents, background, held = problem
    found = rows(documents, background, signatures=held, beta=0, **WHOLE)
    counts = held.T @ documents
    totals = counts.sum(axis=1, keepdims=True)
    expected = np.divide(counts, totals, out=np.zeros_like(counts), where=totals > 0)
    np.testing.assert_allclose(found, expected, atol=1e-12)


def zipf(n_documents=400, n_words=3000):
    """Documents as texts are: a few words are nearly everywhere, most are rare."""
    random = np.random.default_rng(7)
    share = np.minimum(0.9, 8 / np.arange(1, n_words + 1))
    made = sparse.csr_array(random.random((n_documents, n_words)) < share).astype(np.float64)
    made.data = np.log1p(1.0 + random.poisson(0.5, made.nnz))
    return made


def shares_of(documents):
    return (documents.sum(axis=0) + 0.001) / (documents.sum(axis=0) + 0.001).sum()


@pytest.mark.parametrize("solver", ["exact", "em"])
def test_results_do_not_depend_on_the_number_of_threads(monkeypatch, solver):
    documents = zipf()
    settings = {"beta": 0.8, "solver": solver, "min_probability": 1e-4, "max_entries": 50}
    one = translation_rows(documents, shares_of(documents), n_threads=1, **settings)
    # Blocks, too, make no difference.
    monkeypatch.setattr("tallytext.semantic.estimation._BLOCK_COST", 20_000)
    many = translation_rows(documents, shares_of(documents), n_threads=5, **settings)
    for array in ("indptr", "indices", "data"):
        np.testing.assert_array_equal(getattr(one, array), getattr(many, array))


def test_frequent_and_rare_words_are_translated_alike():
    documents = zipf()
    background = shares_of(documents)
    found = translation_rows(documents, background, **WHOLE)
    dense_documents = documents.toarray().tolist()
    for t in (0, 1, 30, 500, 1500, 2999):
        held = [[row[t]] for row in dense_documents]
        counts = oracle.counts_of(dense_documents, held, 0)
        expected = oracle.exact(counts, background.tolist(), 0.5) if counts else {}
        np.testing.assert_allclose(found[[t]].toarray()[0], dense(expected, 3000), atol=1e-12)


def test_words_are_the_signatures_unless_others_are_given():
    words = rows(TOY, BACKGROUND)
    np.testing.assert_array_equal(words, rows(TOY, BACKGROUND, signatures=TOY))
    assert not words[3].any()  # d is in one document only


def test_inputs_are_not_modified_and_zeros_and_duplicates_are_handled():
    arrays = np.array([2.0, 0.0, 0.5, 0.5]), np.array([0, 3, 1, 1]), np.array([0, 4])
    given = sparse.csr_array(arrays, shape=(1, 4))
    found = translation_rows(given, BACKGROUND, beta=0, **WHOLE).toarray()
    np.testing.assert_allclose(found[[0, 1]], [[2 / 3, 1 / 3, 0, 0]] * 2)
    assert not found[[2, 3]].any()
    assert given.nnz == 4


def test_a_row_of_small_probabilities_only_is_empty():
    flat = np.ones((2, 2000))
    assert translation_rows(flat, np.full(2000, 1 / 2000), beta=0, min_probability=0.001).nnz == 0


def test_nothing_to_translate_gives_nothing():
    assert translation_rows(sparse.csr_array((0, 3)), np.ones(3) / 3).shape == (3, 3)
    assert translation_rows(sparse.csr_array((2, 0)), np.ones(0)).shape == (0, 0)


@pytest.mark.parametrize(
    ("changes", "error", "message"),
    [
        ({"beta": 1.0}, ValueError, "beta must be"),
        ({"beta": math.nan}, ValueError, "beta must be"),
        ({"solver": "newton"}, ValueError, "'exact' or 'em'"),
        ({"n_steps": -1}, ValueError, "n_steps must be"),
        ({"max_entries": 0}, ValueError, "max_entries must be"),
        ({"min_df": 0}, ValueError, "min_df must be"),
        ({"min_probability": -0.1}, ValueError, "min_probability must be"),
        ({"background": [0.5, 0.5]}, CountError, "background has shape"),
        ({"background": [1.0, 1, 1, 1]}, CountError, "its sum is 4"),
        ({"background": [1.5, -0.5, 0, 0]}, CountError, "its smallest entry -0.5"),
        ({"signatures": [[1]]}, CountError, "one row of signatures for each"),
        ({"documents": [[1.0, -1, 0, 0]]}, CountError, "negative"),
        ({"documents": [[1.0, math.inf, 0, 0]]}, CountError, "larger than"),
        ({"documents": [1.0, 2.0]}, CountError, "two dimensions"),
    ],
)
def test_bad_input_is_refused_with_its_values(changes, error, message):
    given = {"documents": TOY, "background": BACKGROUND, **changes}
    with pytest.raises(error, match=message):
        translation_rows(given.pop("documents"), given.pop("background"), **given)


def test_the_core_refuses_arrays_that_contradict_each_other():
    starts, words = np.array([0, 2], np.int64), np.array([0, 1], np.int32)
    good = [starts, words, np.ones(2), np.full(2, 0.5), starts, words, 2]
    assert Translation(*good).n_signatures == 2
    beyond = np.array([0, 2], np.int32)
    for place, bad in [(0, words.astype(np.int64)), (1, beyond), (2, np.ones(3)), (5, beyond)]:
        with pytest.raises((ValueError, IndexError)):
            Translation(*good[:place], bad, *good[place + 1 :])
    with pytest.raises(IndexError):
        Translation(*good).rows(
            0,
            3,
            beta=0.5,
            exact=True,
            n_steps=0,
            trim=False,
            least=0,
            most=9,
            min_df=1,
            n_threads=1,
        )

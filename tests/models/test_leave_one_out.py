"""Leaving out a document is the same as forgetting it first."""

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from scipy import sparse

from naming import name_of
from oracle import leave_one_out as oracle
from tallytext import BernoulliNB, MultinomialNB, PoissonNB, Tally
from tallytext._core import left_out_gains, own_cells
from tallytext.errors import CountError, LabelError, NegativeCountError, ScoreError
from tallytext.models import AbsoluteDiscount, Background, Dirichlet, Laplace, Smoothing, Unsmoothed


class WittenBell(Smoothing):
    """A smoothing as users write them."""

    def seen_probability(self, counts, classes):
        return counts / np.maximum(classes.tokens + classes.terms, 1e-300)

    def backoff_mass(self, classes):
        below = np.maximum(classes.tokens + classes.terms, 1e-300)
        return np.where(classes.tokens > 0, classes.terms / below, 1.0)


class Clipped(Smoothing):
    """One that sums over the words of a class, and frees nothing of some classes."""

    def seen_probability(self, counts, classes):
        kept = np.maximum(counts - 0.4, 0.0) * (counts > 1)
        return np.where(classes.tokens > 0, kept / np.maximum(classes.tokens, 1e-300), 0.0)

    def backoff_mass(self, classes):
        kept = classes.sum(lambda counts: np.maximum(counts - 0.4, 0.0) * (counts > 1))
        share = 1.0 - kept / np.maximum(classes.tokens, 1e-300)
        return np.where(classes.terms == 1, 0.0, np.where(classes.tokens > 0, share, 1.0))


SMOOTHINGS = [
    Laplace(0.3),
    Background(0.6),
    Background(1.0),
    Dirichlet(),
    AbsoluteDiscount(0.7),
    AbsoluteDiscount(1.4, background="uniform"),
    AbsoluteDiscount(0.5, literal=True),
    AbsoluteDiscount(0.6, scheme="backoff"),
    AbsoluteDiscount(1.3, scheme="backoff", background="uniform"),
    Unsmoothed(),
    WittenBell(),
    Clipped(),
]

COMMON = {
    "prior": st.sampled_from(["ml", "smoothed", "uniform"]),
    "class_weight": st.sampled_from([None, None, "balanced", {"a": 2.0, "b": 0.5}]),
}

SETTINGS = st.fixed_dictionaries(
    COMMON
    | {
        "complement": st.sampled_from([False, True, "only"]),
        "tf": st.sampled_from(["raw", "log", "binary"]),
        "normalize": st.sampled_from([None, "l1", "l2"]),
        "tf_test": st.sampled_from(["raw", "raw", "log", "binary"]),
        "weighting": st.sampled_from([None, None, "chi"]),
        "length_model": st.booleans(),
    }
)

ONE_LABEL = st.sampled_from("abc")
LABELS = st.lists(ONE_LABEL, max_size=2, unique=True)


@st.composite
def corpora(draw, labels=None):
    """Return counts and labels of a few documents."""
    n, width = draw(st.integers(2, 6)), draw(st.integers(1, 5))
    count = st.sampled_from([0, 0, 0, 1, 1, 2, 3])
    rows = draw(st.lists(st.lists(count, min_size=width, max_size=width), min_size=n, max_size=n))
    kind = draw(st.sampled_from([ONE_LABEL, ONE_LABEL, LABELS])) if labels is None else labels
    y = draw(st.lists(kind, min_size=n, max_size=n))
    assume(any(y))
    return np.array(rows), y


def model_of(make, X, y, open_, announced=False, sample_weight=None):
    """Return a model that has learned a matrix, or one that reads a tally."""
    model = make()
    if not open_:
        classes = ["q"] if announced else None
        return model.partial_fit(X, y, classes=classes, sample_weight=sample_weight)
    multi_label = any(isinstance(labels, list) for labels in y)
    model.multi_label_ = multi_label
    planes = [column for column in model._columns(1.0, False) if not isinstance(column, str)]
    tally = Tally.from_counts(X, y, planes=planes)
    opened = type(model).from_tally(tally, **model.get_params(deep=False))
    return opened


def agree(model, X, y, sample_weight=None):
    found = model.leave_one_out(X, y, sample_weight)
    scores, lengths = oracle.leave_one_out(model, X, y, sample_weight)
    known = ~np.isnan(lengths)
    assert found.method == "leave-one-out"
    np.testing.assert_allclose(found.lengths[known], lengths[known], rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose(found.scores[known], scores[known], rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("smoothing", SMOOTHINGS, ids=name_of)
@settings(max_examples=20)
@given(corpus=corpora(), parameters=SETTINGS, open_=st.booleans(), announced=st.booleans())
def test_a_document_left_out_is_scored_as_if_forgotten(
    smoothing, corpus, parameters, open_, announced
):
    X, y = corpus
    model = model_of(lambda: MultinomialNB(smoothing, **parameters), X, y, open_, announced)
    agree(model, X, y)


@settings(max_examples=40)
@given(
    corpus=corpora(),
    parameters=st.fixed_dictionaries(COMMON | {"complement": st.booleans()}),
    gamma=st.sampled_from([0.2, 1.0]),
    open_=st.booleans(),
    announced=st.booleans(),
)
def test_a_set_of_words_left_out_is_scored_as_if_forgotten(
    corpus, parameters, gamma, open_, announced
):
    X, y = corpus
    agree(model_of(lambda: BernoulliNB(gamma, **parameters), X, y, open_, announced), X, y)


@settings(max_examples=25)
@given(
    corpus=corpora(),
    weights=st.lists(st.sampled_from([0.0, 0.25, 1.0, 3.0]), min_size=6, max_size=6),
    smoothing=st.sampled_from(SMOOTHINGS),
    complement=st.booleans(),
    normalize=st.sampled_from([None, "l2"]),
    sets=st.booleans(),
)
def test_weights_of_documents_are_subtracted_too(
    corpus, weights, smoothing, complement, normalize, sets
):
    X, y = corpus
    weights = np.array(weights[: len(y)])
    assume(any(label and weight for label, weight in zip(y, weights, strict=True)))

    def make():
        if sets:
            return BernoulliNB(complement=complement)
        return MultinomialNB(smoothing, complement=complement, normalize=normalize)

    agree(model_of(make, X, y, False, sample_weight=weights), X, y, weights)


@settings(max_examples=25)
@given(
    corpus=corpora(),
    smoothing=st.sampled_from([Laplace(0.5), AbsoluteDiscount(0.5)]),
    weighting=st.sampled_from(["ig", "chi", "prr", None]),
    complement=st.sampled_from([True, "only"]),
)
def test_weights_by_class_are_those_of_all_documents(corpus, smoothing, weighting, complement):
    X, y = corpus
    parameters = {"complement": complement, "weighting": weighting, "weight_by_class": True}
    agree(model_of(lambda: MultinomialNB(smoothing, **parameters), X, y, False), X, y)


@settings(max_examples=25)
@given(corpus=corpora(), smoothing=st.sampled_from(SMOOTHINGS), complement=st.booleans())
def test_fractional_counts_are_subtracted_too(corpus, smoothing, complement):
    X, y = corpus
    fractions = X * 0.3
    fractions[0, 0] = 1e-9  # too little to be counted
    agree(MultinomialNB(smoothing, complement=complement).fit(fractions, y), fractions, y)


def big_corpus(n=300, width=120, classes=6):
    """Return documents with words that occur often, so that products of factors grow large."""
    rng = np.random.default_rng(5)
    y = rng.integers(0, classes, n)
    rates = rng.gamma(0.3, 2.0, (classes, width))
    return rng.poisson(rates[y] * rng.gamma(1.0, 8.0, (n, 1))), y.tolist()


@pytest.mark.parametrize("complement", [False, True, "only"])
@pytest.mark.parametrize("smoothing", [Laplace(1e-8), Background(1e-9), AbsoluteDiscount(1e-6)])
def test_long_documents_do_not_overflow(smoothing, complement):
    X, y = big_corpus(n=40)
    agree(MultinomialNB(smoothing, complement=complement).fit(X, y), X, y)


@pytest.mark.parametrize("complement", [False, True])
@pytest.mark.parametrize("smoothing", [Background(0.5), AbsoluteDiscount(0.5)])
def test_results_do_not_depend_on_threads(smoothing, complement, monkeypatch):
    monkeypatch.setattr("tallytext.models.leave_one_out._MAX_BATCH_NUMBERS", 1 << 11)
    X, y = big_corpus()
    model = MultinomialNB(smoothing, complement=complement, n_jobs=1).fit(X, y)
    alone = model.leave_one_out(X, y)
    together = model.set_params(n_jobs=3).leave_one_out(X, y)
    assert np.array_equal(alone.scores, together.scores)
    assert np.array_equal(alone.lengths, together.lengths)


@pytest.mark.parametrize("model", [MultinomialNB(Laplace(0.5)), BernoulliNB()])
def test_scores_do_not_depend_on_batches(model, monkeypatch):
    X, y = big_corpus(n=60)
    whole = model.fit(X, y).leave_one_out(X, y).scores
    monkeypatch.setattr("tallytext.models.leave_one_out._MAX_BATCH_NUMBERS", 300)
    np.testing.assert_allclose(model.leave_one_out(X, y).scores, whole, rtol=1e-12)


def test_some_of_the_documents_may_be_left_out():
    X, y = big_corpus(n=30)
    model = MultinomialNB().fit(X, y)
    some = model.leave_one_out(sparse.csr_array(X[5:9]), y[5:9])
    np.testing.assert_allclose(some.scores, model.leave_one_out(X, y).scores[5:9], rtol=1e-12)
    assert some.truth.argmax(axis=1).tolist() == y[5:9]


def test_given_priors_do_not_change():
    X, y = np.array([[1, 0], [2, 1], [0, 1], [0, 2]]), ["a", "a", "b", "b"]
    given_priors = {"a": 0.25, "b": 0.75}
    agree(MultinomialNB(prior=given_priors).fit(X, y), X, y)


def test_a_class_without_its_only_document_scores_minus_infinity():
    X, y = np.array([[1, 0], [2, 1], [0, 1]]), ["a", "a", "b"]
    scores = MultinomialNB(Laplace(1.0), prior="smoothed").fit(X, y).leave_one_out(X, y).scores
    assert scores[2, 1] == -np.inf
    assert np.isfinite(scores[:2]).all()
    announced = MultinomialNB(Laplace(1.0), prior="smoothed").partial_fit(X, y, classes=["a", "b"])
    assert np.isfinite(announced.leave_one_out(X, y).scores).all()


@pytest.mark.parametrize("make", [MultinomialNB, BernoulliNB])
def test_documents_that_were_never_learned_are_refused(make):
    X, y = [[1, 0, 2], [0, 1, 0]], ["a", "b"]
    model = make().fit(X, y)
    with pytest.raises(NegativeCountError, match=r"class 'b' has less of term 0.*this label\?"):
        model.leave_one_out(X, ["b", "b"])
    with pytest.raises(NegativeCountError, match=r"class of document 1, 'c'"):
        model.leave_one_out(X, ["a", "c"])
    opened = make.from_tally(Tally.from_counts(X, y))
    with pytest.raises(NegativeCountError, match="column 3 is none of the 3 terms"):
        opened.leave_one_out([[1, 0, 2, 1]], ["a"])


def test_weights_that_were_never_learned_are_refused():
    X, y = [[1, 0, 2], [0, 1, 0]], ["a", "b"]
    with pytest.raises(CountError, match="sample_weight was not given"):
        MultinomialNB().fit(X, y).leave_one_out(X, y, sample_weight=[1.0, 2.0])


def test_models_without_leave_one_out_suggest_cross_validation():
    X, y = [[1, 0, 2], [0, 1, 0]], ["a", "b"]
    assert MultinomialNB.has_leave_one_out and BernoulliNB.has_leave_one_out
    assert not PoissonNB.has_leave_one_out
    with pytest.raises(ScoreError, match="cross_validate"):
        PoissonNB().fit(X, y).leave_one_out(X, y)


def test_a_smoothing_that_is_wrongly_called_local_is_refused():
    class Claiming(WittenBell):
        def backoff_mass(self, classes):
            return 1.0 - classes.sum(lambda counts: counts * 1e-3, occurrences=True)

    X, y = [[1, 0, 2], [0, 1, 1]], ["a", "b"]
    with pytest.raises(ScoreError, match=r"Claiming sums over words .* let its property local"):
        MultinomialNB(Claiming()).fit(X, y).leave_one_out(X, y)


def test_a_model_without_classes_is_refused():
    model = MultinomialNB().fit([[1, 0], [0, 1]], [[], []])
    with pytest.raises(LabelError, match="no class to predict"):
        model.leave_one_out([[1, 0], [0, 1]], [[], []])


def test_without_the_only_document_no_class_is_possible():
    model = MultinomialNB(class_weight={"X": 3.0}).fit([[1, 0]], ["X"])
    assert model.leave_one_out([[1, 0]], ["X"]).scores.tolist() == [[-np.inf]]


def test_own_cells_are_found_and_no_others():
    starts, terms = np.array([0, 3]), np.array([0, 1, 7], dtype=np.int32)
    post_starts, post_classes = np.array([0, 2, 3]), np.array([0, 1, 2], dtype=np.int32)
    labels = np.array([1, 2, -1, -(2**31), 2**31 - 1], dtype=np.int32)
    cells = own_cells(starts, terms, np.array([0, 5]), labels, post_starts, post_classes, 1)
    expected = [[1, -1, -1], [-1, 2, -1], *[[-1, -1, -1]] * 3]
    np.testing.assert_array_equal(cells.reshape(5, 3), expected)


def test_the_kernel_refuses_arrays_that_do_not_fit():
    none, nothing = np.empty(0), np.empty((0, 0))
    arrays = {
        "starts": np.array([0, 2]),
        "terms": np.array([0, 1], dtype=np.int32),
        "exponents": np.array([1.0, 2.0]),
        "post_starts": np.array([0, 1, 2]),
        "post_classes": np.array([0, 1], dtype=np.int32),
        "ratios": np.array([1.0, 3.0]),
        "counts": none,
        "tops": np.array([1.0, 3.0]),
        "inverse": np.array([2.0, 0.5]),
        "spread": none,
        "words": none,
        "absent": none,
        "seen": nothing,
        "freed": nothing,
        "gains": np.zeros((1, 2)),
        "n_threads": 1,
    }
    left_out_gains(**arrays)
    np.testing.assert_allclose(arrays["gains"], [[np.log(3.0), 2 * np.log(2.5)]])
    for name in ("exponents", "ratios", "tops", "inverse"):
        with pytest.raises(ValueError, match="different lengths"):
            left_out_gains(**arrays | {name: np.ones(3)})
    with pytest.raises(ValueError, match="different lengths"):
        left_out_gains(**arrays | {"gains": np.zeros((2, 2))})
    with pytest.raises(IndexError, match="no such class"):
        left_out_gains(**arrays | {"gains": np.zeros((1, 1))})
    with pytest.raises(ValueError, match="thread"):
        left_out_gains(**arrays | {"n_threads": 0})

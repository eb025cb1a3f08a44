"""Poisson naive Bayes: the figures of Kim, Seo and Rim on a toy corpus, and its laws."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse

from oracle import poisson as oracle
from tallytext import MultinomialNB, Plane, PoissonNB, Tally
from tallytext.errors import RecipeError, ScoreError
from tallytext.models import Laplace
from tallytext.models.naive_bayes import NO_TERMS

# a a b | a c | b c c d
TOY = [[2, 1, 0, 0], [1, 0, 1, 0], [0, 1, 2, 1]]
LABELS = ["X", "X", "Y"]
QUERIES = [[1, 1, 0, 1], [0, 0, 1, 2], [0, 2, 1, 0]]

# For X: W, A, B, then z hat, z star, z at the scale of the document for each query; minus for Y.
FIGURES = {
    None: (
        (4.0, 0.0, 0.04462967753),
        (0.8388760679, -3.13610607, -1.08179942),
        (0.2208764363, -0.7728690981, -0.2592924357),
        (0.8835057454, -3.091476392, -1.037169743),
    ),
    "ig": (
        (1.621860432, -0.1224560019, 0.1290383436),
        (0.6313302951, -1.691026053, -0.1886831795),
        (0.1900921597, -0.3904969273, -0.01491120897),
        (0.2705446312, -2.051811717, -0.5494688435),
    ),
    "chi": (
        (2.5, -0.19875, 0.2079568755),
        (0.9969168414, -2.640838051, -0.2704498551),
        (0.3012184292, -0.608220294, -0.0156232449),
        (0.4098737168, -3.227881176, -0.8574929796),
    ),
    "prr": (
        (12.68888889, -0.1953888889, 0.1445729963),
        (2.00906626, -13.12180986, -2.343898744),
        (0.5384098142, -3.244309216, -0.549831437),
        (1.372083701, -13.75879242, -2.980881303),
    ),
}
Z_OVER_TAU = {
    None: (0.05521910909, -0.1932172745, -0.06482310893),
    "ig": (0.04170282254, -0.3162743963, -0.08469730695),
    "chi": (0.04098737168, -0.3227881176, -0.08574929796),
    "prr": (0.02703317275, -0.2710795354, -0.05873014827),
}


def toy(**parameters):
    return PoissonNB(**({"theta": 1.0} | parameters)).fit(TOY, LABELS)


def rates(model):
    reading = model._reader().read()
    return model.rates(reading).rows(0, reading.n_terms)


# ---------------------------------------------------------------------- the figures


def test_rates_are_those_of_equations_7_to_9():
    inside, outside = rates(toy())
    np.testing.assert_allclose(inside[:, 0], [0.4925, 0.2025, 0.2325, 0.0725], atol=1e-6)
    np.testing.assert_allclose(outside[:, 0], [0.05, 0.25, 0.45, 0.25], atol=1e-6)
    np.testing.assert_allclose(inside[:, 1], outside[:, 0], atol=1e-12)


def test_the_sums_behind_the_rates_are_additive():
    model = toy()
    reading = model._reader().read()
    inside = model.rates(reading).inside
    np.testing.assert_allclose(inside.documents, [2, 1])
    np.testing.assert_allclose(inside.tokens, [5, 4], atol=1e-6)
    np.testing.assert_allclose(inside.inverse, [0.5833333333, 0.2], atol=1e-6)
    np.testing.assert_allclose(inside.mass, [1.416666667, 0.8], atol=1e-6)
    shares, squares = (reading.dense(reading.cells[at], 0, 4) for at in (0, 1))
    np.testing.assert_allclose(shares[:, 0], [0.8333333333, 0.25, 0.3333333333, 0], atol=1e-6)
    np.testing.assert_allclose(shares[:, 1], [0, 0.2, 0.4, 0.2], atol=1e-6)
    np.testing.assert_allclose(squares[:, 0], [2.166666667, 0.75, 0.6666666667, 0], atol=1e-6)
    np.testing.assert_allclose(squares[:, 1], [0, 0.8, 1.6, 0.8], atol=1e-6)


def test_removing_a_document_and_a_growing_vocabulary_keep_the_rates_exact():
    model = toy().forget(TOY[:1], LABELS[:1])
    np.testing.assert_allclose(
        rates(model)[0][:, 0], [0.4166666667, 0.08333333333, 0.4166666667, 0.08333333333], atol=1e-6
    )
    wide = PoissonNB(theta=1.0).fit(np.pad(TOY, ((0, 0), (0, 1))), LABELS)
    np.testing.assert_allclose(rates(wide)[0][:, 0], [0.478, 0.188, 0.218, 0.058, 0.058], atol=1e-6)


@pytest.mark.parametrize("weighting", FIGURES)
def test_scores_are_those_of_equations_14_and_15(weighting):
    model = toy(weighting=weighting, prior="uniform")
    (w, a, b), hat, star, natural = FIGURES[weighting]
    constants = model.constants()
    np.testing.assert_allclose(constants.w, [w, w], atol=1e-6)
    np.testing.assert_allclose(constants.a, [a, -a], atol=1e-6)
    np.testing.assert_allclose(constants.b, [b, -b], atol=1e-6)
    np.testing.assert_allclose(model.z_star(QUERIES), np.outer(star, [1, -1]), atol=1e-6)
    weighed = model.scores(QUERIES) * constants.w / 4
    np.testing.assert_allclose(weighed, np.outer(natural, [1, -1]), atol=1e-6)
    found_hat = model.z_star(QUERIES)[:, 0] * 4 - constants.b[0]
    np.testing.assert_allclose(found_hat, hat, atol=1e-6)
    per_word = model.evidence(QUERIES)[:, 0] / 4
    np.testing.assert_allclose(per_word, Z_OVER_TAU[weighting], atol=1e-6)


def test_posteriors_are_those_at_the_scale_of_the_document():
    expected = [0.8287299682, 0.08330019122, 0.4148326807]
    found = toy().predict_proba(QUERIES)
    np.testing.assert_allclose(
        found, np.column_stack([expected, 1 - np.array(expected)]), atol=1e-6
    )
    assert toy().predict(QUERIES).tolist() == ["X", "Y", "Y"]


# ---------------------------------------------------------------------- laws

WEIGHTINGS = st.sampled_from([None, "ig", "chi", "prr"])
ALPHAS = st.sampled_from([0.0, 0.3, 0.8, 1.0])


@st.composite
def corpora(draw, least=2):
    """Draw counts of four words, and labels; X and Y are both there."""
    n = draw(st.integers(least, 7))
    rows = draw(
        st.lists(st.lists(st.integers(0, 4), min_size=4, max_size=4), min_size=n, max_size=n)
    )
    labels = draw(st.lists(st.sampled_from("XYZ"), min_size=n - 2, max_size=n - 2))
    return np.array(rows), ["X", "Y", *labels]


@given(corpora(), WEIGHTINGS, ALPHAS, st.sampled_from([0.5, 1.0, 10.0]))
def test_scores_equal_those_of_loops_over_documents(corpus, weighting, alpha, theta):
    rows, labels = corpus
    model = PoissonNB(alpha, theta=theta, weighting=weighting, prior="uniform").fit(rows, labels)
    n_classes = len(model.classes_)
    odds = -np.log(n_classes - 1)
    queries = [[1, 1, 0, 1], [0, 0, 0, 0], [0, 3, 2, 0]]
    for c, label in enumerate(model.classes_):
        mine = [row for row, own in zip(rows.tolist(), labels, strict=True) if own == label]
        rest = [row for row, own in zip(rows.tolist(), labels, strict=True) if own != label]
        slow = [oracle.z(query, mine, rest, alpha, theta / 4, weighting) for query in queries]
        np.testing.assert_allclose(
            model.scores(queries)[:, c], [s[5] + odds for s in slow], atol=1e-5
        )
        stars = [s[4] if s[2] else 0.0 for s in slow]
        np.testing.assert_allclose(model.z_star(queries)[:, c], stars, atol=1e-5)


@given(corpora(), ALPHAS)
def test_rates_sum_to_one(corpus, alpha):
    inside, outside = rates(PoissonNB(alpha, theta=3.0).fit(*corpus))
    np.testing.assert_allclose(inside.sum(axis=0), 1, rtol=1e-12)
    np.testing.assert_allclose(outside.sum(axis=0), 1, rtol=1e-12)


@given(corpora(), ALPHAS)
def test_without_weights_it_is_a_multinomial_contrast(corpus, alpha):
    model = PoissonNB(alpha, theta=1.0, prior="uniform").fit(*corpus)
    inside, outside = rates(model)
    smoothed = np.array(QUERIES) + 1.0 / 4
    contrast = smoothed @ np.log(inside / outside) - np.log(len(model.classes_) - 1)
    np.testing.assert_allclose(model.scores(QUERIES), contrast, atol=1e-9)


def test_almost_unsmoothed_tokens_are_those_of_the_multinomial_model():
    poisson = PoissonNB(0.0, theta=1e-6, prior="uniform").fit([[3, 1], [1, 2]], ["X", "Y"])
    plain = MultinomialNB(Laplace(1e-9), complement=True, prior="uniform")
    plain.fit([[3, 1], [1, 2]], ["X", "Y"])
    np.testing.assert_allclose(poisson.scores([[2, 1]]), plain.scores([[2, 1]]), atol=1e-4)


@given(corpora(), corpora(), WEIGHTINGS)
def test_forgetting_what_was_learned_undoes_it(corpus, more, weighting):
    model = PoissonNB(weighting=weighting).fit(*corpus)
    before, classes = model.scores(QUERIES), model.classes_.tolist()
    model.partial_fit(*more).forget(*more)
    assert model.classes_.tolist() == classes
    np.testing.assert_array_equal(model.scores(QUERIES), before)


@given(corpora(), corpora(), WEIGHTINGS)
def test_learning_in_parts_is_learning_at_once(first, second, weighting):
    rows, labels = np.vstack([first[0], second[0]]), first[1] + second[1]
    whole = PoissonNB(weighting=weighting).fit(rows, labels)
    parts = PoissonNB(weighting=weighting).fit(*first).partial_fit(*second)
    np.testing.assert_array_equal(whole.scores(QUERIES), parts.scores(QUERIES))


@pytest.mark.parametrize("weighting", FIGURES)
def test_a_batch_is_scored_as_its_documents_one_by_one(weighting):
    rng = np.random.default_rng(3)
    rows = sparse.csr_array(rng.poisson(0.02, (60, 400)))
    model = PoissonNB(weighting=weighting).fit(rows, rng.choice(list("XYZ"), 60))
    alone = np.vstack([model.scores(rows[[at]]) for at in range(60)])
    np.testing.assert_allclose(alone, model.scores(rows), rtol=1e-10, atol=1e-10)
    np.testing.assert_allclose(model.scores(rows.toarray()), model.scores(rows))
    stars = np.vstack([model.z_star(rows[[at]]) for at in range(60)])
    np.testing.assert_allclose(stars, model.z_star(rows), rtol=1e-8, atol=1e-10)


@pytest.mark.parametrize("weighting", FIGURES)
def test_a_weight_is_a_number_of_repetitions(weighting):
    weights = np.array([3, 1, 2])
    weighed = PoissonNB(theta=1.0, weighting=weighting).fit(TOY, LABELS, sample_weight=weights)
    repeated = PoissonNB(theta=1.0, weighting=weighting)
    repeated.fit(np.repeat(TOY, weights, axis=0), np.repeat(LABELS, weights))
    np.testing.assert_allclose(weighed.scores(QUERIES), repeated.scores(QUERIES), atol=1e-6)


def test_fractions_of_counts_are_counts_in_a_smaller_unit():
    halves = PoissonNB(theta=1.0).fit(np.array(TOY) / 4, LABELS)
    wholes = PoissonNB(theta=4.0).fit(TOY, LABELS)
    np.testing.assert_allclose(
        halves.scores(np.array(QUERIES) / 4) - np.log([2, 0.5]),
        (wholes.scores(QUERIES) - np.log([2, 0.5])) / 4,
        atol=1e-6,
    )


def test_a_document_with_several_labels_is_outside_none_of_them_and_one_without_outside_all():
    labels = [["X", "Y"], ["X"], [], ["Y"]]
    rows = [*TOY, [1, 1, 1, 1]]
    model = PoissonNB(theta=1.0, prior="uniform").fit(rows, labels)
    assert model.multi_label_
    expected = [oracle.z(q, rows[:2], rows[2:], 0.8, 0.25)[5] for q in QUERIES]
    np.testing.assert_allclose(model.scores(QUERIES)[:, 0], expected, atol=1e-6)


def test_a_class_without_a_complement_is_scored_by_its_prior_alone():
    only = PoissonNB(theta=1.0, weighting="chi").fit(TOY, ["X", "X", "X"])
    assert np.ptp(only.scores(QUERIES)) == 0
    announced = PoissonNB(theta=1.0).partial_fit(TOY, LABELS, classes=["X", "Y", "Z"])
    assert (announced.scores(QUERIES)[:, 2] == -np.inf).all()
    assert (announced.z_star(QUERIES)[:, 2] == -np.inf).all()
    assert announced.predict(QUERIES).tolist() == ["X", "Y", "Y"]


def test_unseen_words_are_ignored_in_an_open_vocabulary():
    planes = Plane("raw", "poisson", 1.0), Plane("raw", "poisson_mass", 1.0)
    tally = Tally.from_counts(np.pad(TOY, ((0, 0), (0, 1))), LABELS, planes=planes)
    model = PoissonNB.from_tally(tally, theta=1.0)
    np.testing.assert_allclose(
        model.scores(np.pad(QUERIES, ((0, 0), (0, 3)), constant_values=5)),
        toy().scores(QUERIES),
        atol=1e-12,
    )
    with pytest.raises(RecipeError):
        PoissonNB.from_tally(tally, theta=2.0)


def test_classes_may_differ_in_weighting_and_alpha():
    mixed = toy(per_class={"X": ("chi", 0.3)})
    chi, plain = toy(weighting="chi", alpha=0.3), toy()
    np.testing.assert_allclose(mixed.scores(QUERIES)[:, 0], chi.scores(QUERIES)[:, 0])
    np.testing.assert_allclose(mixed.scores(QUERIES)[:, 1], plain.scores(QUERIES)[:, 1])


def test_ratios_may_be_those_of_the_rates():
    model = toy(weighting="prr", prr_source="poisson")
    inside, outside = rates(model)
    weights = inside / outside + outside / inside
    np.testing.assert_allclose(model.constants().w, weights.sum(axis=0))
    np.testing.assert_allclose(
        model.constants().a, (weights * (outside - inside)).sum(axis=0), atol=1e-12
    )


def test_documents_are_ranked_by_z_star():
    model = toy(weighting="chi")
    np.testing.assert_array_equal(model.rank(QUERIES, "Y"), model.z_star(QUERIES)[:, 1])


def test_the_evidence_of_a_multinomial_contrast_is_its_score_per_token_without_the_prior():
    model = MultinomialNB(Laplace(1), complement=True).fit(TOY, LABELS)
    prior = model.scores([[0, 0, 0, 0]])
    expected = (model.scores(QUERIES) - prior) / 3
    np.testing.assert_allclose(model.evidence(QUERIES), expected, atol=1e-12)
    assert (model.evidence([[0, 0, 0, 0]]) == 0).all()


@pytest.mark.parametrize(
    ("parameters", "named"),
    [
        ({"alpha": 1.5}, "alpha must be a number from 0 to 1, not 1.5"),
        ({"theta": 0.0}, "theta must be a number from 1e-12 to 1e.12, not 0.0"),
        ({"weighting": "mi"}, "not 'mi'"),
        ({"weight_power": -1.0}, "weight_power must be a number from 0 to 1000, not -1.0"),
        ({"dtype": "int8"}, "dtype must be 'float64' or 'float32', not 'int8'"),
        ({"prior": "zipf"}, "not 'zipf'"),
        ({"prr_source": "tokens"}, "not 'tokens'"),
        ({"per_class": {"X": ("chi", -0.1)}}, "not -0.1"),
        ({"per_class": {"X": ("df", 0.5)}}, "not 'df'"),
    ],
)
def test_invalid_parameters_are_refused(parameters, named):
    with pytest.raises(ValueError, match=named):
        toy(**parameters)


def test_single_documents_cannot_be_left_out():
    with pytest.raises(ScoreError, match="cross_validate"):
        toy().leave_one_out(TOY, LABELS)


def test_constants_are_recomputed_when_the_tally_changes():
    model = toy()
    before = model.constants()
    assert model.constants() is before
    model.partial_fit([[5, 0, 0, 0]], ["Y"])
    assert not np.allclose(model.constants().b, before.b)
    assert model._reader().read(NO_TERMS).version == model.tally_.version

"""Smoothing: published figures on a toy corpus."""

import numpy as np
import pytest

from smoothing_laws import probabilities
from tallytext import BernoulliNB, MultinomialNB, Tally
from tallytext.models import AbsoluteDiscount, Background, Laplace, Unsmoothed

# Words a, b, c, d.
TOY = [[2, 1, 0, 0], [1, 0, 1, 0], [0, 1, 2, 1]]
TOY_LABELS = ["X", "X", "Y"]
QUERIES = [[1, 1, 0, 1], [0, 0, 1, 2], [0, 2, 1, 0]]


def toy(smoothing, **options):
    return MultinomialNB(smoothing, **options).fit(TOY, TOY_LABELS)


def inside(smoothing, **options):
    return probabilities(toy(smoothing, **options))[0].T


def close(found, expected, rtol=1e-6):
    np.testing.assert_allclose(found, expected, rtol=rtol, atol=1e-12)


def test_without_smoothing_words_have_their_relative_frequencies():
    model = toy(Unsmoothed())
    close(probabilities(model)[0].T, [[0.6, 0.2, 0.2, 0.0], [0.0, 0.25, 0.5, 0.25]])
    close(np.exp(model.scores([[0, 0, 0, 0]])), [[0.6666666667, 0.3333333333]])


@pytest.mark.parametrize(
    ("epsilon", "words", "scores", "posteriors"),
    [
        (
            1.0,
            [
                [0.4444444444, 0.2222222222, 0.2222222222, 0.1111111111],
                [0.125, 0.25, 0.375, 0.25],
            ],
            [
                [-4.917697298, -5.950642553],
                [-6.30399166, -4.852030264],
                [-4.917697298, -4.852030264],
            ],
            [0.7374864962, 0.1896998888, 0.4835891381],
        ),
        (
            0.2,
            [
                [0.5517241379, 0.2068965517, 0.2068965517, 0.03448275862],
                [0.04166666667, 0.25, 0.4583333333, 0.25],
            ],
            [
                [-5.943004407, -7.049254841],
                [-8.715593129, -4.651359568],
                [-5.13207419, -4.651359568],
            ],
            [0.7514294159, 0.01688611037, 0.3820833919],
        ),
    ],
)
def test_laplace_gives_the_published_figures(epsilon, words, scores, posteriors):
    model = toy(Laplace(epsilon))
    close(probabilities(model)[0].T, words)
    close(model.scores(QUERIES), scores)
    close(model.predict_proba(QUERIES)[:, 0], posteriors)
    assert model.predict(QUERIES).tolist() == ["X", "Y", "Y"]


@pytest.mark.parametrize(
    ("b", "freed", "words", "scores", "posteriors", "literal_sums"),
    [
        (
            0.5,
            [0.3, 0.375],
            [[0.6, 0.1666666667, 0.2, 0.03333333333], [0.125, 0.2083333333, 0.5, 0.1666666667]],
            [
                [-6.109247583, -6.538429217],
                [-8.817297784, -5.375278408],
                [-5.598421959, -4.928991305],
            ],
            [0.6056782334, 0.03100775194, 0.3386243386],
            [1.0, 1.0],
        ),
        (
            1.0,
            [0.6, 0.75],
            [
                [0.6, 0.1333333333, 0.2, 0.06666666667],
                [0.25, 0.1666666667, 0.5, 0.08333333333],
            ],
            [
                [-5.639243954, -6.761572769],
                [-7.431003423, -6.761572769],
                [-6.044709062, -5.375278408],
            ],
            [0.7544204322, 0.3386243386, 0.3386243386],
            [0.6, 0.5],
        ),
        (
            1.5,
            [0.7, 0.875],
            [
                [0.5333333333, 0.1555555556, 0.2333333333, 0.07777777778],
                [0.2916666667, 0.1944444444, 0.4166666667, 0.09722222222],
            ],
            [
                [-5.44872563, -6.299120729],
                [-6.968551383, -6.635592966],
                [-5.582257022, -5.249298605],
            ],
            [0.7006500171, 0.4175209692, 0.4175209692],
            [0.6, 0.5],
        ),
    ],
)
def test_absolute_discounting_gives_the_published_figures(
    b, freed, words, scores, posteriors, literal_sums
):
    model = toy(AbsoluteDiscount(b))
    counts = model.word_counts(model._reader().read())
    close(counts.smoothing.backoff_mass(counts.classes), freed)
    close(probabilities(model)[0].T, words)
    close(model.scores(QUERIES), scores)
    close(model.predict_proba(QUERIES)[:, 0], posteriors)
    close(inside(AbsoluteDiscount(b, literal=True)).sum(axis=1), literal_sums)


@pytest.mark.parametrize(
    ("b", "words"),
    [
        (0.5, [[0.6, 0.1666666667, 0.2, 0.03333333333], [0.125, 0.2083333333, 0.5, 0.1666666667]]),
        (
            1.0,
            [
                [0.4666666667, 0.04444444444, 0.06666666667, 0.02222222222],
                [0.08333333333, 0.05555555556, 0.3333333333, 0.02777777778],
            ],
        ),
        (
            1.5,
            [
                [0.4, 0.06666666667, 0.1, 0.03333333333],
                [0.125, 0.08333333333, 0.25, 0.04166666667],
            ],
        ),
    ],
)
def test_the_printed_formula_gives_the_published_figures(b, words):
    close(inside(AbsoluteDiscount(b, literal=True)), words)


def test_the_printed_formula_loses_mass_on_fractional_counts():
    normalised = {"normalize": "l1", "norm_length": 3.0}
    close(inside(AbsoluteDiscount(0.9, literal=True), **normalised).sum(axis=1), [1.0, 0.5])
    close(inside(AbsoluteDiscount(0.9), **normalised).sum(axis=1), [1.0, 1.0])
    for literal, freed in ((True, [0.45, 0.3]), (False, [0.45, 0.8])):
        model = toy(AbsoluteDiscount(0.9, literal=literal), **normalised)
        counts = model.word_counts(model._reader().read())
        close(counts.smoothing.backoff_mass(counts.classes), freed)


@pytest.mark.parametrize(
    ("background", "scheme", "words"),
    [
        (
            "uniform",
            "interpolate",
            [[0.575, 0.175, 0.175, 0.075], [0.09375, 0.21875, 0.46875, 0.21875]],
        ),
        ("uniform", "backoff", [[0.5, 0.1, 0.1, 0.3], [0.375, 0.125, 0.375, 0.125]]),
        (
            "unigram",
            "interpolate",
            [[0.6, 0.1666666667, 0.2, 0.03333333333], [0.125, 0.2083333333, 0.5, 0.1666666667]],
        ),
        ("unigram", "backoff", [[0.5, 0.1, 0.1, 0.3], [0.375, 0.125, 0.375, 0.125]]),
    ],
)
def test_backgrounds_and_schemes_give_the_published_figures(background, scheme, words):
    close(inside(AbsoluteDiscount(0.5, background, scheme)), words)


@pytest.mark.parametrize(
    ("background", "scheme", "b", "words"),
    [
        (
            "uniform",
            "interpolate",
            0.5,
            [[0.6875, 0.1875, 0.0625, 0.0625], [0.21875, 0.09375, 0.46875, 0.21875]],
        ),
        (
            "uniform",
            "interpolate",
            1.5,
            [[0.53125, 0.15625, 0.15625, 0.15625], [0.21875, 0.21875, 0.34375, 0.21875]],
        ),
        ("uniform", "backoff", 0.5, [[0.625, 0.125, 0.125, 0.125], [0.125, 0.375, 0.375, 0.125]]),
        (
            "uniform",
            "backoff",
            1.5,
            [
                [0.375, 0.2083333333, 0.2083333333, 0.2083333333],
                [0.2916666667, 0.2916666667, 0.125, 0.2916666667],
            ],
        ),
        (
            "unigram",
            "interpolate",
            0.5,
            [[0.75, 0.15625, 0.0625, 0.03125], [0.3125, 0.046875, 0.46875, 0.171875]],
        ),
        (
            "unigram",
            "interpolate",
            1.5,
            [[0.6875, 0.078125, 0.15625, 0.078125], [0.4375, 0.109375, 0.34375, 0.109375]],
        ),
        (
            "unigram",
            "backoff",
            0.5,
            [[0.625, 0.125, 0.1666666667, 0.08333333333], [0.125, 0.375, 0.375, 0.125]],
        ),
        (
            "unigram",
            "backoff",
            1.5,
            [
                [0.375, 0.15625, 0.3125, 0.15625],
                [0.5833333333, 0.1458333333, 0.125, 0.1458333333],
            ],
        ),
    ],
)
def test_two_unseen_words_share_the_mass_as_published(background, scheme, b, words):
    model = MultinomialNB(AbsoluteDiscount(b, background, scheme))
    model.fit([[3, 1, 0, 0], [1, 0, 2, 1]], ["X", "Y"])
    close(probabilities(model)[0].T, words)


def test_background_smoothing_gives_the_published_figures():
    model = toy(Background(0.5), prior="smoothed")
    close(
        probabilities(model)[0].T,
        [
            [0.4666666667, 0.2111111111, 0.2666666667, 0.05555555556],
            [0.1666666667, 0.2361111111, 0.4166666667, 0.1805555556],
        ],
    )
    close(
        model.scores(QUERIES),
        [[-5.718708125, -5.863219738], [-7.61332498, -5.215192992], [-4.943322846, -4.678665019]],
    )
    close(model.predict_proba(QUERIES)[:, 0], [0.5360651608, 0.08331525277, 0.4342190579])


def test_the_multinomial_of_the_textbook_gives_its_figures():
    model = toy(Laplace(1), prior="smoothed")
    close(np.exp(model.scores([[0] * 4])), [[0.6, 0.4]])
    close(
        model.scores(QUERIES),
        [[-5.023057814, -5.768320996], [-6.409352175, -4.669708707], [-5.023057814, -4.669708707]],
    )
    close(model.rank(QUERIES, "X"), [0.7452631817, -1.739643468, -0.353349107])


def test_the_bernoulli_of_the_textbook_gives_its_figures():
    model = BernoulliNB().fit(TOY, TOY_LABELS)
    counts = model.document_counts(model._reader().read())
    df = np.array([[2, 1, 1, 0], [0, 1, 1, 1]])
    close(
        (df + counts.gamma) / counts.denominators[:, None],
        [
            [0.8076923077, 0.5384615385, 0.5384615385, 0.2692307692],
            [0.3684210526, 0.7368421053, 0.7368421053, 0.7368421053],
        ],
    )
    nothing = np.array([[-3.508695961, -4.46453553]])
    close(model.scores([[0] * 4]), np.log([[0.6, 0.4]]) + nothing)
    close(
        model.scores(QUERIES),
        [[-3.42881521, -3.860583928], [-4.863899735, -3.321587427], [-3.711220225, -3.321587427]],
    )
    close(model.rank(QUERIES, "X"), [0.4317687182, -1.542312308, -0.3896327979])


@pytest.mark.parametrize(
    ("query", "raw", "normalised"),
    [
        ([0, 1, 2, 1], [-6.814817283, -7.036832321], [-1.782724708, -3.4861469]),
        ([0, 2, 4, 3], [-15.72149863, -13.15737391], [-1.840486973, -3.508672739]),
    ],
)
def test_unequal_priors_make_the_length_of_a_query_matter(query, raw, normalised):
    model = toy(Laplace(1), prior={"X": 0.9, "Y": 0.1})
    close(model.scores([query])[0], raw)
    close(model.scores([np.array(query) / sum(query)])[0], normalised)


def test_a_new_word_in_a_new_class_moves_all_as_published():
    terms = ["a", "b", "c", "d"]
    tally = Tally.from_counts(TOY, TOY_LABELS, terms)
    laplace = MultinomialNB.from_tally(tally, smoothing=Laplace(1), prior="smoothed")
    discount = MultinomialNB.from_tally(tally, smoothing=AbsoluteDiscount(0.5))
    before = laplace.scores(QUERIES), discount.scores(QUERIES)
    tally.learn({"d": 1, "e": 2}, "Z")
    close(np.exp(laplace.scores([[0] * 5])), [[0.4285714286, 0.2857142857, 0.2857142857]])
    close(
        probabilities(laplace)[0].T,
        [
            [0.4, 0.2, 0.2, 0.1, 0.1],
            [0.1111111111, 0.2222222222, 0.3333333333, 0.2222222222, 0.1111111111],
            [0.125, 0.125, 0.125, 0.25, 0.375],
        ],
    )
    close(
        probabilities(discount)[0].T,
        [
            [0.575, 0.15, 0.175, 0.05, 0.05],
            [0.09375, 0.1875, 0.46875, 0.1875, 0.0625],
            [0.08333333333, 0.05555555556, 0.08333333333, 0.2222222222, 0.5555555556],
        ],
    )
    assert tally.counts_of_counts() == {1: 5, 2: 2, 3: 1}
    tally.forget({"d": 1, "e": 2}, "Z")
    assert (laplace.scores(QUERIES) == before[0]).all()
    assert (discount.scores(QUERIES) == before[1]).all()


def test_a_word_is_likelier_in_a_class_that_has_it():
    model = toy(AbsoluteDiscount(0.5))
    assert (np.diff(inside(AbsoluteDiscount(0.5))[:, 0]) < 0).all()
    assert model.predict([[1, 0, 0, 0]]) == ["X"]

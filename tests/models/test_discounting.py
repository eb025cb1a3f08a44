"""How much to discount: published figures, and choices on any corpus."""

import itertools
import math

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from scipy import sparse

from smoothing_laws import open_, probabilities, single_label
from tallytext import MultinomialNB
from tallytext.errors import RecipeError
from tallytext.models import AbsoluteDiscount, Dirichlet, DiscountBounds
from tallytext.models.smoothing.discounting import (
    TokenDocuments,
    closed_form_discount,
    document_leave_one_out_discount,
    document_log_likelihood,
    interpolated_discount,
    leave_one_out_discount,
    token_leave_one_out_discount,
    token_log_likelihood,
)
from tallytext.tally.labels import read_targets

few = settings(max_examples=10, deadline=None, suppress_health_check=[HealthCheck.too_slow])

# Words a, b, c, d.
TOY = [[2, 1, 0, 0], [1, 0, 1, 0], [0, 1, 2, 1]]
TOY_LABELS = ["X", "X", "Y"]
QUERIES = [[1, 1, 0, 1], [0, 0, 1, 2], [0, 2, 1, 0]]


def toy(smoothing, **options):
    return MultinomialNB(smoothing, **options).fit(TOY, TOY_LABELS)


def close(found, expected, rtol=1e-6):
    np.testing.assert_allclose(found, expected, rtol=rtol, atol=1e-12)


# ---------------------------------------------------------------------- choosing b


def printed_lower(n):
    return n[1] / (n[1] + 2 * n[2] + sum(n_r for r, n_r in n.items() if r >= 3))


def safe_lower(n):
    return n[1] / (n[1] + 2 * n[2] + sum(r / (r - 1) * n_r for r, n_r in n.items() if r >= 3))


def backoff_likelihood(n, b):
    return n[1] * math.log(b) + sum(r * n_r * math.log(r - 1 - b) for r, n_r in n.items() if r >= 2)


ZIPF = {1: 50000, 2: 14000, 3: 7000, 4: 4200, 5: 2900, 10: 900}


@pytest.mark.parametrize(
    ("n", "lower", "safe", "upper", "exact", "likelihood"),
    [
        ({1: 4, 2: 1, 3: 1}, 0.5714285714, 0.5333333333, 0.6666666667, 0.5808886808, -2.861929459),
        ({1: 1, 2: 1, 3: 2}, 0.2, 0.1666666667, 0.3333333333, 0.1750634555, 1.481766907),
        (
            {1: 1, 2: 1, 3: 10},
            0.07692307692,
            0.05555555556,
            0.3333333333,
            0.05694635944,
            16.94491357,
        ),
        (ZIPF, 0.5376344086, 0.506457331, 0.641025641, 0.5565408792, 7777.77274),
    ],
)
def test_the_discount_and_its_bounds_are_those_published(n, lower, safe, upper, exact, likelihood):
    close([printed_lower(n), safe_lower(n)], [lower, safe])
    close(closed_form_discount(n), upper)
    close(DiscountBounds.from_counts(n), [safe, upper, lower])
    found = leave_one_out_discount(n)
    close(found, exact, rtol=1e-4)
    close(backoff_likelihood(n, found), likelihood)
    assert safe <= found <= upper


def test_the_printed_upper_bound_is_too_high():
    for n, printed in (({1: 4, 2: 1, 3: 1}, 0.8), ({1: 1, 2: 1, 3: 2}, 0.5), (ZIPF, 0.78125)):
        close(n[1] / (n[1] + n[2]), printed)
        assert closed_form_discount(n) < printed


def test_the_interpolated_model_chooses_a_larger_discount():
    events = [(2, 0.1), (2, 0.1), (2, 0.1), (3, 0.2), (3, 0.2), (5, 0.5)]
    b = interpolated_discount(10, events)
    close(b, 0.6208131095, rtol=1e-4)
    close(
        10 * math.log(b) + sum(r * math.log(r - 1 - b * (1 - q)) for r, q in events), -0.7021113291
    )
    close(interpolated_discount(10, [(r, 0) for r, _ in events]), 0.5387912319, rtol=1e-4)
    assert interpolated_discount(10, [(2, 1.0), (3, 2.0)]) == math.inf
    assert interpolated_discount(10, [(2, 0.9)]) > 1


def tokens_of(rows, labels, **options):
    """Training documents token by token, as the model sees them."""
    model = MultinomialNB(**options).fit(rows, labels)
    class_counts = model._reader().read()
    column = model._counted_column(model.unit_, model.weighted_)
    scale = model._scale(class_counts, column)
    training = model._training(sparse.csr_array(np.array(rows)), read_targets(labels))
    return TokenDocuments.from_training(training, column, class_counts, scale, model.unit_)


def matrix_of(documents):
    words = sorted({word for counts, _ in documents for word in counts})
    rows = [[counts.get(word, 0) for word in words] for counts, _ in documents]
    return rows, [label for _, label in documents]


SIX = matrix_of(
    [
        ({"a": 2, "b": 1, "e": 1}, "X"),
        ({"a": 1, "c": 1, "f": 1, "a2": 1}, "X"),
        ({"a": 3, "b": 1, "g": 1, "h": 1}, "X"),
        ({"b": 1, "c": 2, "d": 1}, "Y"),
        ({"c": 3, "d": 1, "e": 1, "i": 1}, "Y"),
        ({"d": 2, "j": 1}, "Y"),
    ]
)
EIGHT = matrix_of(
    [
        ({"w00": 3, "w03": 2, "w01": 1, "w06": 1, "w02": 1}, "X"),
        ({"w00": 2, "w05": 1, "w03": 3, "w04": 1, "w08": 1, "w01": 1}, "X"),
        ({"w02": 1, "w06": 2, "w04": 1, "w01": 2, "w05": 2, "w08": 1}, "X"),
        ({"w05": 4, "w02": 3, "w03": 3, "w04": 2, "w00": 2}, "X"),
        ({"w06": 2, "w08": 2, "w07": 5, "w04": 1, "w03": 1, "w05": 1, "w00": 1}, "Y"),
        ({"w08": 1, "w04": 2, "w07": 2, "w03": 3, "w05": 3, "w06": 1}, "Y"),
        ({"w07": 1, "w03": 4, "w05": 2, "w08": 1, "w04": 1}, "Y"),
        ({"w07": 1, "w10": 1, "w08": 2, "w06": 2, "w05": 2}, "Y"),
    ]
)
RAW = {}


def normalised(length):
    return {"normalize": "l1", "norm_length": length}


@pytest.mark.parametrize(
    ("corpus", "options", "likelihoods"),
    [
        (
            (TOY, TOY_LABELS),
            RAW,
            {0.25: -15.99680925, 0.5: -14.15372292, 0.75: -13.1872482, 1.0: -12.58956136},
        ),
        (
            (TOY, TOY_LABELS),
            normalised(3.0),
            {0.25: -17.48532498, 0.5: -15.38421527, 0.75: -14.22634295, 1.0: -13.44540281},
        ),
        (SIX, RAW, {0.25: -41.26404543, 0.5: -38.62041525, 0.75: -37.16334605, 1.0: -36.22151846}),
        (
            SIX,
            normalised(4.5),
            {0.25: -42.34285361, 0.5: -39.6523313, 0.75: -38.20062268, 1.0: -37.46558718},
        ),
        (
            EIGHT,
            RAW,
            {0.1: -172.6213742, 0.25: -172.1739453, 0.5: -172.3111741, 0.75: -172.8026631},
        ),
        (
            EIGHT,
            normalised(10.25),
            {0.1: -172.6672529, 0.25: -172.4302567, 0.5: -172.737297, 0.75: -173.3306227},
        ),
    ],
)
def test_likelihoods_of_left_out_tokens_are_the_published_ones(corpus, options, likelihoods):
    documents = tokens_of(*corpus, **options)
    for b, expected in likelihoods.items():
        close(token_log_likelihood(documents, b), expected)


def test_rounded_fractions_of_words_seen_once_are_not_confused_with_words_seen_twice():
    chance = np.random.default_rng(0)
    counts = (chance.random((60, 400)) < 0.01).astype(int)
    counts[np.arange(60), chance.integers(0, 400, 60)] = 1  # no document is empty
    counts[:, 0] = 1
    documents = tokens_of(counts.tolist(), ["X", "Y"] * 30, **normalised(149.7))
    term = np.concatenate([np.flatnonzero(row) for row in counts])
    assert documents.occurs_elsewhere.tolist() == (counts.sum(axis=0)[term] > 1).tolist()


@pytest.mark.parametrize(
    ("corpus", "options", "most", "best", "likelihood"),
    [
        (SIX, RAW, 4.0, 1.0, -36.22151846),
        (SIX, normalised(4.5), 4.0, 1.125, -37.18083491),
        (EIGHT, RAW, 0.99, 0.3074121917, -172.1523619),
        (EIGHT, normalised(10.25), 0.99, 0.2394919404, -172.4294707),
    ],
)
def test_the_discount_that_left_out_tokens_choose_is_the_published_one(
    corpus, options, most, best, likelihood
):
    documents = tokens_of(*corpus, **options)
    found = token_leave_one_out_discount(documents, most)
    assert found == pytest.approx(best, abs=2e-4)
    close(token_log_likelihood(documents, found), likelihood, rtol=1e-5)


@pytest.mark.parametrize(
    ("options", "likelihoods", "best", "likelihood"),
    [
        (
            RAW,
            {0.25: -8.434038628, 0.5: -7.552300278, 0.75: -7.37860961, 1.0: -7.680133649},
            0.7144979871,
            -7.374072526,
        ),
        (
            normalised(3.0),
            {0.25: -10.87063596, 0.5: -9.395066007, 1.0: -8.251450428, 1.5: -8.421349465},
            1.072813857,
            -8.24603524,
        ),
    ],
)
def test_likelihoods_of_left_out_documents_are_the_published_ones(
    options, likelihoods, best, likelihood
):
    documents = tokens_of(TOY, TOY_LABELS, **options)
    for b, expected in likelihoods.items():
        close(document_log_likelihood(documents, b), expected)
    found = document_leave_one_out_discount(documents, most=4.0)
    assert found == pytest.approx(best, abs=1e-4)
    close(document_log_likelihood(documents, found), likelihood)


def test_length_normalised_counts_give_the_published_figures():
    b = 1.072813857
    model = toy(AbsoluteDiscount(b), **normalised(3.0))
    counts = model.word_counts(model._reader().read())
    close(counts.class_counts.dense(counts.cells, 0, 4).T, [[3.5, 1, 1.5, 0], [0, 0.75, 1.5, 0.75]])
    close(counts.tokens, [6.0, 3.0])
    close(counts.smoothing.backoff_mass(counts.classes), [0.5242712858, 0.8576046191])
    close(
        probabilities(model)[0].T,
        [
            [0.6084143016, 0.1019416389, 0.2459547857, 0.04368927381],
            [0.3335129074, 0.1667564537, 0.4282635873, 0.07146705159],
        ],
    )
    close(
        model.scores(QUERIES),
        [[-6.316371775, -6.626425645], [-8.069377981, -7.223666208], [-6.37478226, -5.529070488]],
    )
    close(model.predict_proba(QUERIES)[:, 0], [0.5768984101, 0.300333184, 0.300333184])


def chosen(model):
    return model.smoothing_.b


def test_b_and_its_bounds_are_read_off_a_model_and_follow_its_counts():
    rows, labels = EIGHT
    model = MultinomialNB(AbsoluteDiscount("leave-one-out")).fit(rows, labels)
    cells = {1: 2, 2: 1, 3: 1, 4: 3, 5: 2, 6: 1, 7: 2, 8: 3, 9: 1}
    assert model.discount_bounds_ == DiscountBounds.from_counts(cells)
    assert model.discount_bounds_.lower <= chosen(model) <= model.discount_bounds_.upper
    before = chosen(model)
    model.partial_fit(rows[:3], labels[:3])
    assert chosen(model) != before
    assert model.discount_bounds_.lower <= chosen(model) <= model.discount_bounds_.upper
    fixed = MultinomialNB(AbsoluteDiscount(0.3)).fit(rows, labels)
    assert chosen(fixed) == 0.3 and fixed.discount_bounds_ == DiscountBounds.from_counts(cells)
    pooled = MultinomialNB(AbsoluteDiscount(events="pooled")).fit(rows, labels)
    assert pooled.discount_bounds_ != fixed.discount_bounds_
    # Fractions have no counts of counts, and other smoothings no discount.
    normal = MultinomialNB(AbsoluteDiscount(), normalize="l1").fit(rows, labels)
    assert normal.discount_bounds_ is None and 0 < chosen(normal) < 1
    assert MultinomialNB().fit(rows, labels).discount_bounds_ is None


def test_a_model_chooses_b_by_the_rule_it_was_given():
    rows, labels = EIGHT
    fit = {
        rule: MultinomialNB(AbsoluteDiscount(rule)).fit(rows, labels)
        for rule in ("closed-form", "leave-one-out", "leave-one-document-out")
    }
    cells = {1: 2, 2: 1, 3: 1, 4: 3, 5: 2, 6: 1, 7: 2, 8: 3, 9: 1}
    assert chosen(fit["closed-form"]) == 0.5 == closed_form_discount(cells)
    assert chosen(fit["leave-one-out"]) == leave_one_out_discount(cells)
    by_document = document_leave_one_out_discount(tokens_of(rows, labels))
    assert chosen(fit["leave-one-document-out"]) == by_document
    for rule, likelihood in (
        ("leave-one-out", token_log_likelihood),
        ("leave-one-document-out", document_log_likelihood),
    ):
        normal = MultinomialNB(AbsoluteDiscount(rule), **normalised(10.25)).fit(rows, labels)
        documents = tokens_of(rows, labels, **normalised(10.25))
        near = [likelihood(documents, b) for b in np.linspace(0.02, 0.98, 49)]
        assert likelihood(documents, chosen(normal)) >= max(near) - 1e-9


def test_pooled_events_are_words_of_any_class():
    assert chosen(toy(AbsoluteDiscount(events="pooled"))) == pytest.approx(1 / 3)
    assert chosen(toy(AbsoluteDiscount())) == pytest.approx(2 / 3)


@pytest.mark.parametrize("rule", ["closed-form", "leave-one-out", "leave-one-document-out"])
def test_documents_of_weight_zero_do_not_change_b(rule):
    rows, labels = EIGHT
    model = MultinomialNB(AbsoluteDiscount(rule))
    weights = [1.0, 2.0, 0.0, 0.5, 1.0, 1.0, 0.0, 3.0]
    model.fit(rows, labels, sample_weight=weights)
    kept = [at for at, weight in enumerate(weights) if weight]
    again = MultinomialNB(AbsoluteDiscount(rule)).fit(
        [rows[at] for at in kept], [labels[at] for at in kept], [weights[at] for at in kept]
    )
    assert chosen(model) == chosen(again)
    assert 0 < chosen(model) < 1.25


def test_parameters_from_sums_follow_the_sums():
    model = MultinomialNB(Dirichlet(), normalize="l1", norm_length=10.0)
    model.fit([[1, 0], [0, 1]], ["X", "Y"])
    model.partial_fit([[1, 1]] * 6, ["X", "Y"] * 3)
    assert model.word_counts(model._reader().read()).smoothing.m == pytest.approx(20.0)


def test_b_cannot_be_chosen_from_fractional_sums_alone():
    model = open_(AbsoluteDiscount(), TOY, TOY_LABELS, "log", None)
    with pytest.raises(RecipeError, match="fractional sums alone: it needs the training documents"):
        model.predict(QUERIES)
    model = open_(AbsoluteDiscount("leave-one-document-out"), TOY, TOY_LABELS, "raw", None)
    with pytest.raises(RecipeError, match="from sums alone: it needs the training documents"):
        model.predict(QUERIES)


@few
@given(single_label())
def test_a_discount_can_be_chosen_on_any_corpus(corpus):
    rows, labels = corpus
    for rule, norm in itertools.product(
        ("closed-form", "leave-one-out", "leave-one-document-out"), (None, "l1")
    ):
        model = MultinomialNB(AbsoluteDiscount(rule), normalize=norm).fit(rows, labels)
        documents = tokens_of(rows, labels, normalize=norm)
        assert 0 < chosen(model) <= 0.99 * documents.mean_weight + 1e-9

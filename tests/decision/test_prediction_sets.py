"""Prediction sets: ranks by the definition, coverage that holds, thinning that only raises it."""

import json
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from oracle import decisions as oracle
from tallytext.decision import PredictionSets
from tallytext.decision.prediction_sets import RankedScores
from tallytext.errors import LabelError, ScoreError

COVERAGES = st.sampled_from([0.01, 0.1, 0.5, 0.55, 0.7, 0.8, 0.9, 0.95, 0.999])
# Few distinct values, so that there are ties.
PROBABILITIES = st.sampled_from([0.0, 0.1, 0.25, 0.3, 0.7, 0.9, 1.0])
SMALL = [[0.9, 0.1], [0.7, 0.3], [0.2, 0.8], [0.4, 0.6]]


@st.composite
def samples(draw):
    n, c = draw(st.integers(1, 25)), draw(st.integers(1, 4))
    probabilities = draw(hnp.arrays(float, (n, c), elements=PROBABILITIES))
    truth = draw(hnp.arrays(bool, (n, c)))
    truth[0, 0] = True
    return probabilities, truth, draw(hnp.arrays(float, (3, c), elements=PROBABILITIES))


@given(samples(), COVERAGES, st.booleans())
def test_sets_equal_the_definition(sample, coverage, by_class):
    probabilities, truth, new = sample
    fitted = PredictionSets.fit(probabilities, truth)
    found = fitted.sets(new, coverage, by_class=by_class, never_empty=False)
    labels = [np.flatnonzero(row).tolist() for row in truth]
    expected = oracle.prediction_sets(probabilities, labels, new, coverage, by_class)
    assert [set(np.flatnonzero(row).tolist()) for row in found] == expected


@given(samples(), COVERAGES, st.booleans())
def test_never_empty_adds_the_best_class_and_no_other(sample, coverage, by_class):
    fitted = PredictionSets.fit(*sample[:2])
    without, with_best = (
        fitted.sets(sample[2], coverage, by_class=by_class, never_empty=never)
        for never in (False, True)
    )
    best = np.eye(sample[2].shape[1], dtype=bool)[sample[2].argmax(axis=1)]
    assert (with_best == without | best).all()


@given(samples(), st.lists(COVERAGES, min_size=2, max_size=2).map(sorted))
def test_more_coverage_takes_nothing_out_of_a_set(sample, coverages):
    fitted = PredictionSets.fit(*sample[:2])
    low, high = (fitted.thresholds(coverage) for coverage in coverages)
    assert (low <= high).all()


@given(st.integers(1, 400), st.integers(1, 40), COVERAGES)
def test_thinning_rounds_ranks_up_and_by_no_more_than_it_says(n, most, coverage):
    # The score of rank r is r / n, so that scores tell ranks.
    every = np.arange(1, n + 1) / n
    ranked = RankedScores.from_scores(every[::-1], most)
    assert len(ranked.scores) == min(n, most)
    exact = oracle.strangest_allowed(every, coverage)
    assert exact <= ranked.conformal_quantile(Fraction(str(coverage))) < exact + 1 / most + 1e-12
    for rank in range(1, n + 1):
        assert rank <= round(ranked.at_rank(rank) * n) < rank + max(1, n / most)
    assert ranked.at_rank(n) == 1.0


def test_stored_scores_do_not_grow_with_the_sample():
    random = np.random.default_rng(0)
    probabilities = random.dirichlet([1, 1], size=5000)
    fitted = PredictionSets.fit(probabilities, random.integers(2, size=5000))
    assert (fitted.pooled.n, len(fitted.pooled.scores)) == (5000, 1024)
    assert [len(ranked.scores) for ranked in fitted.of_class] == [128, 128]


def drawn(random, n, shares=(0.6, 0.3, 0.1)):
    """Probabilities that are too sure of themselves, and the classes of documents."""
    truth = random.choice(len(shares), size=n, p=shares)
    scores = random.normal(size=(n, len(shares))) + 1.5 * np.eye(len(shares))[truth]
    weights = np.exp(3 * scores)
    return weights / weights.sum(axis=1, keepdims=True), truth


@pytest.mark.parametrize("coverage", [0.5, 0.8, 0.9, 0.95])
@pytest.mark.parametrize("n", [30, 2000])
def test_true_labels_reach_the_requested_coverage(coverage, n):
    random, hits = np.random.default_rng(7), []
    for _ in range(60):
        fitted = PredictionSets.fit(*drawn(random, n))
        probabilities, truth = drawn(random, 400)
        chosen = fitted.sets(probabilities, coverage, never_empty=False)
        hits.append(chosen[np.arange(400), truth].mean())
    # Coverage given the sample is spread like a beta, a new document like a coin.
    variance = coverage * (1 - coverage) * (1 / (n + 2) + 1 / 400)
    slack = 4 * np.sqrt(variance / len(hits))
    assert coverage - slack <= np.mean(hits) <= coverage + 1 / (n + 1) + 1 / 1024 + slack


def test_coverage_by_class_holds_for_the_rare_class_that_pooling_neglects():
    random = np.random.default_rng(3)
    probabilities, truth = drawn(random, 40_000, shares=(0.95, 0.05))
    skewed = probabilities * [1, 0.2]
    fitted = PredictionSets.fit(skewed[:20_000], truth[:20_000])
    new, rare = skewed[20_000:], truth[20_000:] == 1
    pooled, own = (
        fitted.sets(new, 0.9, by_class=b, never_empty=False)[rare, 1].mean() for b in (False, True)
    )
    assert pooled < 0.75
    assert 0.9 - 4 * np.sqrt(0.09 * (1 / rare.sum() + 1 / 1000)) <= own <= 0.95


def test_a_sample_that_is_too_small_lets_all_classes_in():
    fitted = PredictionSets.fit(SMALL, [0, 0, 1, 1])
    assert fitted.thresholds(0.8).tolist() == pytest.approx([0.4, 0.4])
    assert fitted.thresholds(0.81).tolist() == [1.0, 1.0]
    assert fitted.sets([[1.0, 0.0]], 0.81).all()


@pytest.mark.parametrize(("n", "threshold"), [(9, 0.5), (10, 0.25), (11, 0.25)])
def test_a_class_has_its_own_threshold_from_one_over_delta_scores(n, threshold):
    truth = np.array([0] * n + [1] * 90)
    probabilities = np.where(truth[:, None] == [0, 1], [0.75, 0.5], [0.25, 0.5])
    fitted = PredictionSets.fit(probabilities, truth)
    assert fitted.thresholds(0.9, by_class=True).tolist() == [threshold, 0.5]


def test_new_classes_have_the_pooled_threshold():
    truth = np.array([0] * 40 + [1] * 40)
    probabilities = np.where(truth[:, None] == [0, 1], 0.9, 0.1) - [[0.0, 0.3]] * 80
    fitted = PredictionSets.fit(probabilities.clip(0, 1), truth, np.array(["ham", "spam"]))
    asked = fitted.thresholds(0.9, classes=["news", "spam", "ham"], by_class=True)
    assert asked == pytest.approx([0.4, 0.4, 0.1])
    assert fitted.thresholds(0.5, classes=["news"]) == pytest.approx(fitted.thresholds(0.5)[:1])
    assert fitted.sets([[0.2, 0.1, 0.95]], 0.9, classes=["news", "spam", "ham"]).tolist() == [
        [False, False, True]
    ]


@given(samples(), COVERAGES, st.booleans())
def test_stored_values_restore_the_same_sets(sample, coverage, by_class):
    fitted = PredictionSets.fit(*sample[:2], classes=[f"c{c}" for c in range(sample[0].shape[1])])
    read = PredictionSets.from_dict(json.loads(json.dumps(fitted.to_dict())))
    assert read.classes == fitted.classes
    thresholds = (each.thresholds(coverage, by_class=by_class).tolist() for each in (fitted, read))
    assert len(set(map(tuple, thresholds))) == 1


@pytest.mark.parametrize("coverage", [0, 1, 0.0, 1.0, -0.1, 90, np.nan, "0.9", None])
def test_a_coverage_that_is_none_is_refused(coverage):
    with pytest.raises(ValueError, match="between 0 and 1"):
        PredictionSets.fit(SMALL, [0, 0, 1, 1]).thresholds(coverage)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: PredictionSets.fit([[2.0, 0.0]], [0]), "not a probability"),
        (lambda: PredictionSets.fit([[np.nan, 0.0]], [0]), "not a probability"),
        (lambda: PredictionSets.fit(SMALL, np.zeros((4, 2))), "no labels"),
        (lambda: PredictionSets.fit(SMALL, [0, 1]), "4 documents, but 2"),
        (lambda: PredictionSets.fit(SMALL, [0, 1, 2, 0]), "class indices must be from 0 to 1"),
        (lambda: PredictionSets.fit(SMALL, [0, 1, 1, 0], ["a"]), "1 classes"),
        (lambda: PredictionSets.fit(SMALL, [0, 1, 1, 0], ["a", "a"]), "differ"),
        (lambda: PredictionSets.fit(SMALL, [0, 1, 1, 0]).sets([[0.5]], 0.9), "2 classes"),
    ],
)
def test_samples_that_make_no_sense_are_refused(make, message):
    with pytest.raises((ScoreError, LabelError), match=message):
        make()


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"pooled": {"n": 3, "scores": [0.1, 0.2, 0.3]}}, "as many in all"),
        ({"pooled": {"n": 4, "scores": [0.3, 0.2]}}, "ascending"),
        ({"pooled": {"n": 4, "scores": [0.3, 1.2]}}, "from 0 to 1"),
        ({"pooled": {"n": 4, "scores": []}}, "cannot stand for"),
        ({"pooled": {"n": 4.0, "scores": [0.5]}}, "cannot stand for"),
        ({"pooled": {"n": 1, "scores": [0.5, 0.6]}}, "cannot stand for"),
        ({"pooled": {"n": 4}}, "not ranked scores"),
        ({"pooled": [0.1]}, "not ranked scores"),
        ({"classes": ["a"]}, "1 classes"),
        ({"classes": 3}, "not the parameters"),
        ({"of_class": None}, "not the parameters"),
        ({"more": 1}, "not the parameters"),
    ],
)
def test_invalid_stored_values_are_refused(change, message):
    values = PredictionSets.fit(SMALL, [0, 0, 1, 1]).to_dict() | change
    with pytest.raises(ScoreError, match=message):
        PredictionSets.from_dict(values)

"""Calibration: the best parameters are found, and probabilities are probabilities."""

import json

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from scipy.special import expit
from sklearn.linear_model import LogisticRegression

from tallytext.decision import AccuracyPrior, Isotonic, Platt, Temperature, TopLabel
from tallytext.decision.calibrators import OutOfSample, fit_calibrator
from tallytext.errors import LabelError, ScoreError
from tallytext.evaluation import calibration_error, top_label

few = settings(max_examples=15)  # A temperature is fitted in a tenth of a second.

FINITE = st.one_of(st.floats(-500, 0), st.floats(-2, 2), st.just(0.0))


@st.composite
def classified(draw):
    n, n_classes = draw(st.integers(1, 15)), draw(st.integers(2, 4))
    scores = draw(hnp.arrays(float, (n, n_classes), elements=FINITE))
    lengths = draw(hnp.arrays(np.int64, n, elements=st.integers(0, 2000)))
    return scores, lengths, draw(hnp.arrays(np.int64, n, elements=st.integers(0, n_classes - 1)))


@st.composite
def labelled(draw):
    shape = draw(st.tuples(st.integers(1, 20), st.integers(1, 3)))
    scores = draw(hnp.arrays(float, shape, elements=st.one_of(FINITE, st.floats(-1e6, 1e6))))
    return scores, draw(hnp.arrays(bool, shape))


def log_loss(temperature, scores, lengths, truth):
    return -temperature.log_proba(scores, lengths)[np.arange(len(truth)), truth].mean()


def drawn_from(a, p, n=4000, n_classes=4, seed=0):
    """Documents whose posteriors are those of a temperature, and their scores."""
    random = np.random.default_rng(seed)
    lengths = np.exp(random.uniform(1, 7, n)).astype(int)
    scores = random.normal(size=(n, n_classes)) * lengths[:, None] ** 0.8
    posteriors = np.exp(Temperature(a, p).log_proba(scores, lengths))
    truth = (random.random((n, 1)) > posteriors.cumsum(axis=1)).sum(axis=1)
    return scores, lengths, np.minimum(truth, n_classes - 1)


@given(classified(), st.floats(0.01, 100), st.floats(-1, 2))
def test_temperature_posteriors_sum_to_one_and_keep_the_order(sample, a, p):
    scores, lengths, _ = sample
    found = Temperature(a, p).log_proba(scores, lengths)
    assert np.exp(found).sum(axis=1) == pytest.approx(1)
    best = scores.argmax(axis=1)
    assert (found[np.arange(len(best)), best] >= found.max(axis=1) - 1e-12).all()


@few
@given(classified())
def test_the_fitted_temperature_is_no_worse_than_none_or_than_ignorance(sample):
    scores, lengths, truth = sample
    fitted = log_loss(Temperature.fit(scores, lengths, truth), scores, lengths, truth)
    for other in (Temperature(), Temperature(1.0, 0.0), Temperature(1.0, 1.0)):
        assert fitted <= log_loss(other, scores, lengths, truth) + 1e-6
    assert fitted <= np.log(scores.shape[1]) + 1e-6


@few
@given(classified())
def test_a_constant_of_a_document_does_not_change_the_temperature(sample):
    scores, lengths, truth = sample
    shifted = scores + 8.0 * lengths[:, None]
    one, two = (Temperature.fit(s, lengths, truth) for s in (scores, shifted))
    assert log_loss(one, scores, lengths, truth) == pytest.approx(
        log_loss(two, scores, lengths, truth), abs=1e-6
    )


@pytest.mark.parametrize(("a", "p"), [(1.0, 0.5), (0.3, 0.0), (5.0, 1.0), (0.05, 0.3)])
def test_the_temperature_that_made_the_data_is_found(a, p):
    fitted = Temperature.fit(*drawn_from(a, p))
    assert fitted.p == pytest.approx(p, abs=0.1)
    assert np.log(fitted.a) == pytest.approx(np.log(a), abs=0.5)


@pytest.mark.parametrize("seed", range(5))
def test_no_temperature_of_a_grid_is_better_however_large_the_scores(seed):
    random = np.random.default_rng(seed)
    lengths = np.exp(random.uniform(0, 8, 200)).astype(int)
    scores = random.normal(size=(200, 5)) * lengths[:, None] * 10.0 ** (seed - 2)
    guessed = random.integers(0, 5, 200)
    truth = np.where(random.random(200) < 0.6, scores.argmax(axis=1), guessed)
    fitted = log_loss(Temperature.fit(scores, lengths, truth), scores, lengths, truth)
    for a in 10.0 ** np.arange(-6, 5):
        for p in np.arange(-1, 2.1, 0.25):
            assert fitted <= log_loss(Temperature(a, p), scores, lengths, truth) + 1e-6


def test_the_temperature_repairs_overconfident_scores():
    scores, lengths, truth = drawn_from(0.5, 0.6)
    raw, fitted = Temperature(1.0, 0.0), Temperature.fit(scores, lengths, truth)
    errors = [
        calibration_error(*top_label(np.exp(t.log_proba(scores, lengths)), truth))
        for t in (raw, fitted)
    ]
    assert errors[0] > 0.1
    assert errors[1] < 0.03


def test_certain_and_hopeless_scores_have_a_temperature_too():
    scores, truth = -1000.0 * (1 - np.eye(3)), np.arange(3)
    certain = Temperature.fit(scores, [10, 20, 30], truth)
    assert log_loss(certain, scores, [10, 20, 30], truth) < 1e-6
    hopeless = Temperature.fit(scores, [10, 20, 30], [1, 2, 0])
    assert log_loss(hopeless, scores, [10, 20, 30], [1, 2, 0]) == pytest.approx(np.log(3))
    assert Temperature.fit(np.zeros((2, 3)), [1, 2], [0, 1]) == Temperature()


@pytest.mark.parametrize(
    ("scores", "lengths", "truth", "error"),
    [
        ([[0.0, 1.0]], [1, 2], [0], ScoreError),
        ([[0.0, 1.0]], [-1], [0], ScoreError),
        ([[0.0, 1.0]], [np.inf], [0], ScoreError),
        ([[0.0, -np.inf]], [1], [0], ScoreError),
        ([[0.0, 1.0]], [1], [2], LabelError),
        ([[0.0, 1.0]], [1], [[True, False]], LabelError),
        ([[0.0, 1.0]], [1], [0, 1], ScoreError),
        (np.zeros((0, 2)), [], [], ScoreError),
    ],
)
def test_samples_that_do_not_fit_are_refused(scores, lengths, truth, error):
    with pytest.raises(error):
        Temperature.fit(scores, lengths, truth)


@pytest.mark.parametrize("values", [{"a": 0.0, "p": 1.0}, {"a": "1", "p": 0}, {"a": 1.0}, {}])
def test_temperatures_that_cannot_be_are_refused(values):
    with pytest.raises(ScoreError):
        Temperature.from_dict(values)
    with pytest.raises(ScoreError):
        Temperature(p=np.nan)


def smoothed_loss(slope, intercept, scores, wanted):
    n_wanted = wanted.sum()
    high, low = (n_wanted + 1) / (n_wanted + 2), 1 / (len(wanted) - n_wanted + 2)
    logits = slope * scores + intercept
    return (np.logaddexp(0, logits) - np.where(wanted, high, low) * logits).sum()


@given(labelled())
def test_no_sigmoid_nearby_is_better_than_that_of_platt(sample):
    scores, truth = sample
    fitted = Platt.fit(scores, truth)
    for c in range(scores.shape[1]):
        column, wanted = scores[:, c], truth[:, c]
        slope, intercept = fitted.slopes[c], fitted.intercepts[c]
        best = smoothed_loss(slope, intercept, column, wanted)
        unit = 1 / max(1.0, column.std())
        for step in (1e-3, 0.1, 1.0):
            for tilt in (-step, 0.0, step):
                if slope + tilt * unit < 0:
                    continue  # a higher score would have a lower probability
                turned = intercept - tilt * unit * column.mean()
                for shift in (-step, 0.0, step):
                    other = smoothed_loss(slope + tilt * unit, turned + shift, column, wanted)
                    assert best <= other + 1e-7


@pytest.mark.parametrize("kind", [Platt, Isotonic])
@given(sample=labelled())
def test_a_higher_score_never_has_a_lower_probability(kind, sample):
    fitted = kind.fit(*sample)
    some = np.sort(np.concatenate([sample[0], [[-1e6], [0.0], [1e6]] + 0 * sample[0][:1]]), axis=0)
    assert (np.diff(fitted.proba(some), axis=0) >= -1e-12).all()


def test_a_more_certain_document_is_never_less_probably_right():
    scores = np.array([[-1.0, 1.0], [0.0, 0.0], [1.0, -1.0]])  # the wrong one is as far ahead
    fitted = TopLabel.fit(scores, np.ones(3), [0, 0, 0])
    ahead = np.linspace(0, 9, 10)
    best = fitted.log_proba(np.c_[ahead, -ahead], np.ones(10))[:, 0]
    assert (np.diff(best) >= -1e-12).all()


def test_probabilities_sum_to_one_however_far_the_others_are_behind():
    fitted = TopLabel(Temperature(p=0.0), Platt([1.0], [0.0]), most=0.9)
    logs = fitted.log_proba([[0.0, -1e16, -1e16 + 2, -1e16 + 4]], [1])
    assert np.exp(logs).sum() == pytest.approx(1, abs=1e-12)


@pytest.mark.parametrize("kind", [Platt, Isotonic])
def test_scores_as_large_as_numbers_can_be_are_fitted_without_overflow(kind):
    scores = np.array([[-1e308], [-1.0], [1.0], [1e308]])
    with np.errstate(all="raise", under="ignore"):
        proba = kind.fit(scores, [[0], [0], [1], [1]]).proba(scores)
        fitted = Temperature.fit(np.hstack([scores, -scores]), np.ones(4), [1, 1, 0, 0])
    assert np.isfinite(proba).all()
    assert fitted.a > 0


def test_platt_is_logistic_regression_on_smoothed_targets():
    random = np.random.default_rng(0)
    wanted = random.random(300) < 0.3
    scores = random.normal(size=300) + wanted
    high, low = (wanted.sum() + 1) / (wanted.sum() + 2), 1 / ((~wanted).sum() + 2)
    targets = np.where(wanted, high, low)
    reference = LogisticRegression(C=np.inf, tol=1e-10, max_iter=1000).fit(
        np.tile(scores, 2)[:, None],
        np.repeat([1, 0], 300),
        sample_weight=np.concatenate([targets, 1 - targets]),
    )
    fitted = Platt.fit(scores[:, None], wanted[:, None])
    assert fitted.slopes == pytest.approx(reference.coef_[0], abs=1e-5)
    assert fitted.intercepts == pytest.approx(reference.intercept_, abs=1e-5)
    assert fitted.proba([[0.5]]) == pytest.approx(
        expit(reference.coef_ * 0.5 + reference.intercept_), abs=1e-5
    )


@given(labelled())
def test_platt_and_isotonic_give_probabilities(sample):
    scores, truth = sample
    for fitted in (Platt.fit(scores, truth), Isotonic.fit(scores, truth, min_positives=2)):
        found = fitted.proba(np.concatenate([scores, scores - 1e7, scores + 1e7]))
        assert ((found >= 0) & (found <= 1)).all()
        assert np.isfinite(found).all()


def test_platt_of_separated_scores_or_of_equal_ones_is_finite():
    separated = Platt.fit([[-1.0], [1.0]], [[False], [True]])
    assert separated.proba([[-1.0], [1.0]]).ravel() == pytest.approx([1 / 3, 2 / 3])
    equal = Platt.fit(np.full((4, 1), -7.0), [[True], [False], [False], [False]])
    assert equal.proba([[-7.0]]).item() == pytest.approx((2 / 3 + 3 / 5) / 4)
    without = Platt.fit([[0.0], [5.0]], [[False], [False]])
    assert without.proba([[0.0], [5.0]]).ravel() == pytest.approx([0.25, 0.25])


def test_isotonic_pools_adjacent_violators():
    scores = np.array([[-3, -2, -1, 0, 1, 2]]).T
    fitted = Isotonic.fit(scores, [[0], [1], [0], [0], [1], [1]], min_positives=1)
    expected = [0, 0.3333333333, 0.3333333333, 0.3333333333, 1, 1]
    assert fitted.proba(scores).ravel() == pytest.approx(expected, abs=1e-6)
    beyond = fitted.proba([[-9], [0.5], [9]]).ravel()
    assert beyond == pytest.approx([0, 0.6666666667, 1], abs=1e-6)


@given(labelled())
def test_isotonic_rises_and_keeps_the_share_of_each_class(sample):
    scores, truth = sample
    truth[0] = True
    found = Isotonic.fit(scores, truth, min_positives=1).proba(scores)
    assert found.mean(axis=0) == pytest.approx(truth.mean(axis=0), abs=1e-6)
    for c in range(scores.shape[1]):
        assert (np.diff(found[np.argsort(scores[:, c]), c]) >= -1e-9).all()


def test_isotonic_takes_the_sigmoid_for_classes_with_few_documents():
    random = np.random.default_rng(0)
    truth = np.stack([np.arange(200) < 50, np.arange(200) < 49], axis=1)
    scores = random.normal(size=(200, 2)) + truth
    fitted, platt = Isotonic.fit(scores, truth), Platt.fit(scores, truth)
    assert fitted.knots[0] is not None
    assert fitted.knots[1] is None
    assert fitted.proba(scores)[:, 1].tolist() == platt.proba(scores)[:, 1].tolist()
    assert (fitted.proba(scores)[:, 0] != platt.proba(scores)[:, 0]).any()


@given(labelled())
def test_calibration_survives_a_file(sample):
    scores, truth = sample
    for fitted in (Platt.fit(scores, truth), Isotonic.fit(scores, truth, min_positives=2)):
        again = type(fitted).from_dict(json.loads(json.dumps(fitted.to_dict())))
        assert again.proba(scores).tolist() == fitted.proba(scores).tolist()


@few
@given(classified())
def test_a_temperature_survives_a_file(sample):
    temperature = Temperature.fit(*sample)
    assert Temperature.from_dict(json.loads(json.dumps(temperature.to_dict()))) == temperature


SIGMOID = {"slopes": [1.0], "intercepts": [0.0]}


@pytest.mark.parametrize(
    ("kind", "values"),
    [
        (Platt, {"slopes": [1.0]}),
        (Platt, {"slopes": [1.0], "intercepts": [1.0, 2.0]}),
        (Platt, {"slopes": [[1.0]], "intercepts": [[1.0]]}),
        (Isotonic, {"knots": [None]}),
        (Isotonic, {"knots": [None, None], "platt": SIGMOID}),
        (Isotonic, {"knots": [[[1, 0], [0, 1]]], "platt": SIGMOID}),
        (Isotonic, {"knots": [[[0, 1], [0]]], "platt": SIGMOID}),
        (Isotonic, {"knots": [[[], []]], "platt": SIGMOID}),
    ],
)
def test_files_of_something_else_are_refused(kind, values):
    with pytest.raises(ScoreError):
        kind.from_dict(values)


def test_scores_that_cannot_be_calibrated_are_refused():
    fitted = Platt.fit([[0.0], [1.0]], [[0], [1]])
    with pytest.raises(ScoreError, match="document 0 for class 0"):
        fitted.proba([[np.nan]])
    with pytest.raises(ScoreError, match="knows 1 classes"):
        fitted.proba([[0.0, 1.0]])
    with pytest.raises(ScoreError, match="no documents"):
        Isotonic.fit(np.zeros((0, 1)), np.zeros((0, 1)))


def evidence(n, n_right):
    """Held-out documents of equal scores, of which so many are classified correctly."""
    return np.zeros(n), np.arange(n) < n_right


@given(st.integers(2, 50), st.floats(1, 100), st.booleans())
def test_the_accuracy_to_expect_is_above_chance_and_rises_with_labels(n_classes, k, pooled):
    prior = AccuracyPrior(n_classes, k, pooled)
    assert 1 / n_classes < prior.accuracy < 1
    assert prior.accuracy < AccuracyPrior(n_classes, 2 * k, pooled).accuracy
    assert AccuracyPrior(n_classes, k).accuracy <= prior.accuracy


@given(st.integers(0, 60), st.integers(0, 60))
def test_each_right_document_raises_confidence_and_each_wrong_one_lowers_it(n_right, n_wrong):
    prior, at = AccuracyPrior(4, 2.0), [[0.0]]
    n = n_right + n_wrong

    def confidence(n, n_right):
        return prior.fit_top(Temperature(), *evidence(n, n_right)).proba(at).item()

    assert confidence(n + 1, n_right) < confidence(n, n_right) < confidence(n + 1, n_right + 1)


def test_confidence_moves_from_the_prior_to_the_evidence():
    prior = AccuracyPrior(4, 1.0)
    found = [
        prior.fit_top(Temperature(), *evidence(n, n)).proba([[0.0]]).item()
        for n in (0, 2, 20, 200, 20_000)
    ]
    assert found == sorted(found)
    assert found[1] < 0.6
    assert found[-1] > 0.99


@few
@given(classified(), st.data())
def test_few_documents_change_neither_the_best_class_nor_the_sum(sample, data):
    scores, lengths, truth = sample[0].round(3), *sample[1:]
    n_classes = scores.shape[1]
    left_out = data.draw(hnp.arrays(bool, scores.shape))
    left_out[np.arange(len(scores)), scores.argmax(axis=1)] = False
    held_out = OutOfSample(
        scores=np.where(left_out, -np.inf, scores),
        lengths=lengths.astype(float),
        truth=np.eye(n_classes, dtype=bool)[truth],
        classes=np.arange(n_classes),
        contrasts=False,
        multi_label=False,
        method="cross-validation",
    )
    calibrator = fit_calibrator(held_out)
    proba = calibrator.calibrate(scores, lengths.astype(float), lambda each: each)
    np.testing.assert_allclose(proba.sum(axis=1), 1.0)
    assert proba.max() < 0.99
    best = scores.argmax(axis=1)
    np.testing.assert_allclose(proba[np.arange(len(best)), best], proba.max(axis=1), atol=1e-8)


def test_documents_of_classes_that_are_unknown_without_them_are_no_evidence():
    scores = np.array([[-np.inf, 1.0, 0.0], [0.0, -np.inf, 3.0], [1.0, 0.0, -np.inf]])
    sample = OutOfSample(
        scores, np.ones(3), np.eye(3, dtype=bool), np.arange(3), False, False, "cross-validation"
    )
    proba = fit_calibrator(sample).calibrate(np.zeros((1, 3)), np.ones(1), lambda each: each)
    certain = fit_calibrator(sample).calibrate(np.array([[9.0, 0, 0]]), np.ones(1), lambda x: x)
    np.testing.assert_allclose(proba, 1 / 3, atol=1e-6)
    assert 0.4 < certain[0, 0] < 0.96

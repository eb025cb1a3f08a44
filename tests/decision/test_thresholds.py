"""Decision rules: published examples, and that no threshold is better than the one chosen."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from oracle import decisions as oracle
from tallytext.decision import Argmax, PCut, RCut, SCut
from tallytext.errors import ScoreError
from tallytext.evaluation import f_measures

SCORES = np.array([[0.9, 0.2, 0.5], [0.4, 0.8, 0.1], [0.3, 0.6, 0.7]])
# Ties, neighbouring floats, and classes without a score or with a certain one.
VALUES = st.one_of(
    st.sampled_from([-np.inf, np.nan, np.inf, -1.0, 0.0, 0.1, np.nextafter(0.1, 1), 2.0]),
    st.floats(-3, 3),
)


@st.composite
def samples(draw, n_least=1):
    shape = draw(st.tuples(st.integers(n_least, 12), st.integers(1, 4)))
    return draw(hnp.arrays(float, shape, elements=VALUES)), draw(hnp.arrays(bool, shape))


@given(samples())
def test_argmax_assigns_one_class_with_the_highest_score(sample):
    scores = np.where(np.isnan(sample[0]), -np.inf, sample[0])
    decided = Argmax().decide(sample[0])
    assert (decided.sum(axis=1) == 1).all()
    assert (scores[decided] == scores.max(axis=1)).all()
    assert Argmax().choose(sample[0]).tolist() == decided.argmax(axis=1).tolist()


def test_argmax_breaks_ties_by_prior_and_then_by_index():
    scores = [[0.5, 0.5, 0.5, 0.4], [-np.inf, np.nan, -np.inf, np.nan]]
    assert Argmax().choose(scores).tolist() == [0, 0]
    assert Argmax(prior=[0.1, 0.2, 0.2, 0.5]).choose(scores).tolist() == [1, 3]
    with pytest.raises(ScoreError, match="2 classes"):
        Argmax(prior=[0.5, 0.5]).choose(scores)


def test_rcut_and_pcut_of_the_published_example():
    assert RCut(1).decide(SCORES).tolist() == np.eye(3, dtype=bool).tolist()
    decided = PCut(shares=[0.5, 0.25, 0.25]).decide(SCORES)
    assert decided.sum(axis=0).tolist() == [2, 1, 1]
    assert decided.tolist() == [[True, False, False], [True, True, False], [False, False, True]]


@given(samples(), st.integers(1, 5))
def test_rcut_assigns_the_best_scored_classes(sample, t):
    scores = np.where(np.isnan(sample[0]), -np.inf, sample[0])
    decided = RCut(t).decide(sample[0])
    for row, given_classes in zip(scores, decided, strict=True):
        ranked = sorted((c for c in range(len(row)) if row[c] > -np.inf), key=lambda c: -row[c])
        assert np.flatnonzero(given_classes).tolist() == sorted(ranked[:t])


@given(samples(), st.sampled_from([0.0, 0.5, 1.0, 3.0]))
def test_pcut_assigns_each_class_to_its_best_documents(sample, x):
    scores, truth = sample
    decided = PCut(x).fit(truth).decide(scores)
    known = np.where(np.isnan(scores), -np.inf, scores)
    for c in range(scores.shape[1]):
        wanted = int(x * truth[:, c].sum() + 0.5)
        ranked = sorted(
            (d for d in range(len(known)) if known[d, c] > -np.inf), key=lambda d: -known[d, c]
        )
        assert np.flatnonzero(decided[:, c]).tolist() == sorted(ranked[:wanted])


def test_pcut_rounds_a_half_up_even_if_it_is_a_little_less_in_binary():
    assert 0.29 * 50 < 14.5
    assert PCut(shares=[0.29]).decide(np.arange(50.0)[:, None]).sum() == 15


def test_scut_of_the_published_example():
    scores = np.array([[0.9, 0.8, 0.7, 0.6, 0.5, 0.4]]).T
    truth = np.array([[1, 0, 1, 1, 0, 0]]).T
    rule = SCut().fit(scores, truth)
    decided = rule.decide(scores)
    assert rule.thresholds == pytest.approx([0.55], abs=1e-6)
    assert decided.sum() == 4
    assert f_measures(truth, decided).macro_f1 == pytest.approx(0.8571428571, abs=1e-6)


@given(samples())
def test_no_threshold_is_better_than_that_of_scut(sample):
    scores, truth = sample
    decided = SCut(fbr=0.0).fit(scores, truth).decide(scores)
    for c in range(scores.shape[1]):
        known = scores[:, c]
        every = [oracle.f1_of(known >= t, truth[:, c]) for t in known[known > -np.inf]]
        best = max(every, default=0.0)
        assert oracle.f1_of(decided[:, c], truth[:, c]) == pytest.approx(best)


@given(samples())
def test_of_equally_good_thresholds_the_highest_is_taken(sample):
    scores, truth = sample
    decided = SCut(fbr=0.0).fit(scores, truth).decide(scores)
    for c in range(scores.shape[1]):
        known = scores[:, c]
        mine = oracle.f1_of(decided[:, c], truth[:, c])
        fewer = [known >= t for t in known if (known >= t).sum() < decided[:, c].sum()]
        assert all(oracle.f1_of(other, truth[:, c]) < mine for other in fewer)


@given(samples(), st.floats(0, 1))
def test_low_f1_falls_back_to_above_the_highest_score_or_to_never(sample, fbr):
    scores, truth = sample
    trusted, highest, never = (
        SCut(f, fallback).fit(scores, truth)
        for f, fallback in ((0.0, "highest"), (fbr, "highest"), (fbr, "never"))
    )
    f1 = f_measures(truth, trusted.decide(scores)).f1
    known = np.where(np.isnan(scores), -np.inf, scores)
    for c in range(scores.shape[1]):
        if f1[c] >= fbr:
            assert highest.thresholds[c] == never.thresholds[c] == trusted.thresholds[c]
            continue
        assert never.thresholds[c] == np.inf
        assert not highest.decide(scores)[:, c].any()
        top = min(known[:, c].max(), np.finfo(float).max)
        usable = truth[:, c].any() and top > -np.inf
        with np.errstate(over="ignore"):
            above = np.nextafter(top, np.inf)
        assert highest.thresholds[c] == (above if usable else np.inf)


def test_classes_without_documents_or_scores_are_never_assigned():
    scores = np.array([[1.0, -np.inf], [2.0, np.nan]])
    rule = SCut().fit(scores, [[False, True], [False, True]])
    assert rule.thresholds.tolist() == [np.inf, np.inf]
    assert not rule.decide([[np.inf, np.inf]]).any()


def test_thresholds_fitted_to_the_test_scores_are_an_oracle():
    random = np.random.default_rng(0)
    truth = random.random((200, 5)) < [0.5, 0.3, 0.1, 0.05, 0.02]
    scores = truth + random.normal(0, 0.7, truth.shape)
    fitted, oracle_rule = (
        SCut(fbr=0.0).fit(scores[s], truth[s]) for s in (slice(100), slice(100, 200))
    )
    test_scores, test_truth = scores[100:], truth[100:]
    honest = f_measures(test_truth, fitted.decide(test_scores)).macro_f1
    assert f_measures(test_truth, oracle_rule.decide(test_scores)).macro_f1 > honest


def halves_micro_f1(scores, truth, fbr, fallback):
    even, odd = slice(0, None, 2), slice(1, None, 2)
    decided = np.zeros(truth.shape, dtype=bool)
    for fitted, judged in ((even, odd), (odd, even)):
        rule = SCut(fbr, fallback).fit(scores[fitted], truth[fitted])
        decided[judged] = rule.decide(scores[judged])
    return f_measures(truth, decided).micro_f1


@given(samples(n_least=2), st.sampled_from(["highest", "never"]))
def test_the_chosen_fbr_is_the_first_with_the_best_micro_f1_across_halves(sample, fallback):
    scores, truth = sample
    rule = SCut("auto", fallback).fit(scores, truth)
    candidates = [tenth / 10 for tenth in range(1, 9)]
    values = [halves_micro_f1(scores, truth, fbr, fallback) for fbr in candidates]
    assert rule.fbr == candidates[int(np.argmax(values))]
    fixed = SCut(rule.fbr, fallback).fit(scores, truth)
    assert rule.thresholds.tolist() == fixed.thresholds.tolist()


def test_automatic_fbr_distrusts_classes_that_are_noise():
    random = np.random.default_rng(3)
    truth = np.zeros((400, 40), dtype=bool)
    truth[:, 0] = random.random(400) < 0.5
    truth[:, 1:] = random.random((400, 39)) < 0.02
    scores = random.normal(size=truth.shape)
    scores[:, 0] += 4 * truth[:, 0]
    rule = SCut("auto", "never").fit(scores, truth)
    assert rule.fbr > 0.1
    assert np.isfinite(rule.thresholds[0])
    assert np.isinf(rule.thresholds[1:]).mean() > 0.9


def test_rules_are_not_changed_by_fitting_and_cannot_be():
    rule = SCut()
    fitted = rule.fit(SCORES, [0, 1, 2])
    assert rule.thresholds is None
    for array in (fitted.thresholds, PCut().fit(np.eye(3)).shares, Argmax([1, 2]).prior):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 7


def test_rules_that_are_not_ready_say_so():
    for rule in (SCut(), PCut()):
        with pytest.raises(ScoreError, match="use the rule that fit returns"):
            rule.decide(SCORES)
    for rule in (SCut().fit(SCORES, [0, 1, 2]), PCut().fit(np.eye(3))):
        with pytest.raises(ScoreError, match="3 classes, but there are scores of 2"):
            rule.decide(SCORES[:, :2])


@pytest.mark.parametrize(
    "make",
    [
        lambda: RCut(0),
        lambda: PCut(-1.0),
        lambda: PCut(np.nan),
        lambda: SCut(1.5),
        lambda: SCut("some"),
        lambda: SCut(fallback="lowest"),
        lambda: SCut(thresholds=[np.nan]),
        lambda: SCut().fit(np.zeros((0, 2)), np.zeros((0, 2))),
        lambda: SCut("auto").fit([[1.0]], [[True]]),
        lambda: PCut().fit(np.zeros((0, 2))),
        lambda: SCut().fit([[1.0]], [[True], [False]]),
        lambda: RCut().decide([1.0, 2.0]),
    ],
)
def test_rules_that_make_no_sense_are_refused(make):
    with pytest.raises(ScoreError):
        make()


@pytest.mark.parametrize(
    "make", [lambda: RCut(1.5), lambda: RCut("a"), lambda: PCut("a"), lambda: SCut(fbr=None)]
)
def test_invalid_parameters_are_reported(make):
    with pytest.raises(ScoreError, match="must be a"):
        make()

"""Scores, and the coverage of their intervals and of those of differences."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import t as student

from tallytext.classifier import find_learner
from tallytext.comparison import Documents
from tallytext.comparison.comparison import rank_learners
from tallytext.comparison.cross_validation import FoldResult, LearnerRun, select_best
from tallytext.comparison.outcomes import Outcomes, score_difference, score_interval
from tallytext.evaluation import f_measures, mcnemar


def outcomes_of(right, rows=None, n=None):
    right = np.asarray(right)
    rows = np.arange(len(right)) if rows is None else np.asarray(rows)
    found = Outcomes.empty(len(right) if n is None else n)
    found.add(rows, ["right"] * len(rows), np.where(right, "right", "wrong").tolist())
    return found


class TestOutcomes:
    @given(st.lists(st.tuples(*[st.sets(st.sampled_from("abc"))] * 2), min_size=1, max_size=20))
    def test_the_score_is_the_micro_averaged_f1(self, pairs):
        found = Outcomes.empty(len(pairs))
        sides = zip(*pairs, strict=True)
        found.add(np.arange(len(pairs)), *([list(each) for each in side] for side in sides))

        def matrix(side):
            return [[int(name in each) for name in "abc"] for each in side]

        truth, given_labels = map(matrix, zip(*pairs, strict=True))
        assert found.score == pytest.approx(f_measures(truth, given_labels).micro_f1)

    @given(st.lists(st.booleans(), min_size=1, max_size=30))
    def test_with_one_label_each_it_is_the_accuracy(self, right):
        assert outcomes_of(right).score == pytest.approx(np.mean(right))


class TestScoreInterval:
    @given(st.integers(10, 400), st.floats(0.05, 0.95))
    def test_for_single_documents_it_is_the_wilson_interval(self, n, share):
        """Its ends are the true shares at which the score is on the limit of significance."""
        right = np.arange(n) < round(share * n)
        score, quantile = right.mean(), student.ppf(0.975, n - 1)
        for end in score_interval(outcomes_of(right), np.arange(n)):
            reach = quantile * np.sqrt(end * (1 - end) / (n - 1))
            assert abs(score - end) == pytest.approx(reach, abs=1e-9)

    @given(st.lists(st.booleans(), min_size=2, max_size=30), st.integers(1, 5))
    def test_it_contains_the_score_and_stays_between_0_and_1(self, right, size):
        units = np.arange(len(right)) // size
        low, high = score_interval(outcomes_of(right), units)
        assert 0 <= low <= np.mean(right) <= high <= 1

    def test_no_mistake_in_few_documents_is_no_proof(self):
        low, high = score_interval(outcomes_of([True] * 10), np.arange(10))
        assert low < 0.75 and high == 1.0

    def test_it_covers_the_truth_if_documents_of_a_group_are_similar(self):
        """Thirty groups of ten: each is right with a chance of its own."""
        chance = np.random.default_rng(0)
        units = np.repeat(np.arange(30), 10)
        held = {"groups": 0, "documents": 0}
        for _ in range(300):
            group = chance.beta(4, 1, size=30)  # 0.8 on average
            right = chance.random(300) < group[units]
            for name, each in (("groups", units), ("documents", np.arange(300))):
                low, high = score_interval(outcomes_of(right), each)
                held[name] += low <= 0.8 <= high
        assert 275 <= held["groups"] <= 296
        assert held["documents"] < 250  # too narrow, because it ignores the groups

    def test_documents_without_predictions_do_not_count(self):
        some = outcomes_of([True, False, True, True], rows=[1, 3, 5, 7], n=10)
        all_ = outcomes_of([True, False, True, True])
        assert score_interval(some, np.arange(10)) == score_interval(all_, np.arange(4))


class TestDifference:
    @given(st.lists(st.tuples(st.booleans(), st.booleans()), min_size=5, max_size=60))
    def test_it_agrees_with_mcnemar_where_that_is_clear(self, pairs):
        a, b = map(np.array, zip(*pairs, strict=True))
        found = score_difference(outcomes_of(a), outcomes_of(b), np.arange(len(a)))
        assert found.value == pytest.approx(a.mean() - b.mean())
        p_value = mcnemar(a, b).p_value
        if p_value > 0.2:
            assert not found.is_significant
        if p_value < 0.005:
            assert found.is_significant

    @given(st.lists(st.tuples(st.booleans(), st.booleans()), min_size=2, max_size=40))
    def test_the_other_way_round_it_is_the_opposite(self, pairs):
        a, b = (outcomes_of(side) for side in zip(*pairs, strict=True))
        units = np.arange(len(pairs))
        one, other = score_difference(a, b, units), score_difference(b, a, units)
        assert one.value == pytest.approx(-other.value)
        assert one.interval == pytest.approx((-other.interval[1], -other.interval[0]))

    def test_equal_scores_are_not_significantly_different(self):
        same = outcomes_of([True, False] * 20)
        assert not score_difference(same, same, np.arange(40)).is_significant

    def test_only_documents_that_both_predicted_count(self):
        best = outcomes_of([True, True, False, False, False])
        other = outcomes_of([True, False], rows=[0, 2], n=5)
        found = score_difference(other, best, np.arange(5))
        assert (found.value, found.n_documents) == (0.0, 2)

    def test_a_difference_in_one_group_only_is_not_significant(self):
        units = np.arange(100) // 20
        best = outcomes_of(np.ones(100))
        other = outcomes_of(units != 3)
        assert score_difference(other, best, np.arange(100)).is_significant
        assert not score_difference(other, best, units).is_significant


def make_run(name, right, rows, n=100):
    documents = Documents(["text"] * n, ["right"] * n, False)
    run = LearnerRun(find_learner(name), documents, lambda learner: None)
    run.outcomes.add(
        np.asarray(rows), ["right"] * len(rows), np.where(right, "right", "wrong").tolist()
    )
    labels = np.where(right, "right", "wrong").tolist()
    run.evaluation.add(["right"] * len(rows), labels)
    n_folds = len(rows) // 20
    run.folds += [FoldResult(None, 0.0, [], None)] * n_folds
    run.fit_seconds = run.predict_seconds = [1.0]
    return run


class TestRanking:
    """The first 20 documents are easy, and some learners predicted no others."""

    full = make_run("multinomial", np.arange(100) < 60, np.arange(100))

    def test_a_learner_of_easy_documents_only_is_not_the_best(self):
        lucky = make_run("llsf", np.ones(20), np.arange(20))
        found = rank_learners([lucky, self.full], np.arange(100))
        assert [each.name for each in found] == ["multinomial", "llsf"]
        assert found[1].score > found[0].score
        assert found[1].difference.value == 0.0
        assert found[1].as_good

    def test_a_learner_that_is_better_on_the_same_documents_is_the_best(self):
        better = make_run("llsf", np.arange(80) < 78, np.arange(80))
        assert select_best([self.full, better], np.arange(100)) is better
        found = rank_learners([self.full, better], np.arange(100))
        assert [each.name for each in found] == ["llsf", "multinomial"]
        assert found[1].difference.n_documents == 80
        assert not found[1].as_good

    def test_others_are_in_order_of_their_difference(self):
        worse = make_run("bernoulli", np.arange(100) < 40, np.arange(100))
        close = make_run("contrast", np.arange(100) < 59, np.arange(100))
        found = rank_learners([worse, self.full, close], np.arange(100))
        assert [each.name for each in found] == ["multinomial", "contrast", "bernoulli"]
        assert [each.as_good for each in found] == [True, True, False]

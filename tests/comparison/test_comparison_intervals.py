"""Intervals of scores and of differences: they hold what they promise, and no more."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import t as student

from tallytext.classifier import find_learner
from tallytext.comparison import Documents
from tallytext.comparison.comparing import Fold, Trial, best_of, ranked
from tallytext.comparison.documents import Outcomes
from tallytext.comparison.result import difference, score_interval
from tallytext.evaluation import f_measures, mcnemar


def outcomes_of(right, rows=None, n=None):
    right = np.asarray(right)
    rows = np.arange(len(right)) if rows is None else np.asarray(rows)
    found = Outcomes.none(len(right) if n is None else n)
    found.add(rows, ["right"] * len(rows), np.where(right, "right", "wrong").tolist())
    return found


class TestOutcomes:
    @given(st.lists(st.tuples(*[st.sets(st.sampled_from("abc"))] * 2), min_size=1, max_size=20))
    def test_the_score_is_the_micro_averaged_f1(self, pairs):
        found = Outcomes.none(len(pairs))
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
    def test_for_single_documents_it_is_that_of_wilson(self, n, share):
        """Its ends are those true shares from which the score is as far as chance may go."""
        right = np.arange(n) < round(share * n)
        score, quantile = right.mean(), student.ppf(0.975, n - 1)
        for end in score_interval(outcomes_of(right), np.arange(n)):
            reach = quantile * np.sqrt(end * (1 - end) / (n - 1))
            assert abs(score - end) == pytest.approx(reach, abs=1e-9)

    @given(st.lists(st.booleans(), min_size=2, max_size=30), st.integers(1, 5))
    def test_it_holds_the_score_and_stays_between_0_and_1(self, right, size):
        units = np.arange(len(right)) // size
        low, high = score_interval(outcomes_of(right), units)
        assert 0 <= low <= np.mean(right) <= high <= 1

    def test_no_mistake_in_few_documents_is_no_proof(self):
        low, high = score_interval(outcomes_of([True] * 10), np.arange(10))
        assert low < 0.75 and high == 1.0

    def test_it_covers_the_truth_where_documents_of_a_group_are_alike(self):
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
        assert held["documents"] < 250  # as if they were not alike: too narrow

    def test_documents_that_were_not_judged_do_not_count(self):
        some = outcomes_of([True, False, True, True], rows=[1, 3, 5, 7], n=10)
        all_ = outcomes_of([True, False, True, True])
        assert score_interval(some, np.arange(10)) == score_interval(all_, np.arange(4))


class TestDifference:
    @given(st.lists(st.tuples(st.booleans(), st.booleans()), min_size=5, max_size=60))
    def test_it_agrees_with_mcnemar_where_that_is_clear(self, pairs):
        a, b = map(np.array, zip(*pairs, strict=True))
        found = difference(outcomes_of(a), outcomes_of(b), np.arange(len(a)))
        assert found.value == pytest.approx(a.mean() - b.mean())
        p_value = mcnemar(a, b).p_value
        if p_value > 0.2:
            assert found.may_be_chance
        if p_value < 0.005:
            assert not found.may_be_chance

    @given(st.lists(st.tuples(st.booleans(), st.booleans()), min_size=2, max_size=40))
    def test_the_other_way_round_it_is_the_opposite(self, pairs):
        a, b = (outcomes_of(side) for side in zip(*pairs, strict=True))
        units = np.arange(len(pairs))
        one, other = difference(a, b, units), difference(b, a, units)
        assert one.value == pytest.approx(-other.value)
        assert one.interval == pytest.approx((-other.interval[1], -other.interval[0]))

    def test_equals_may_be_chance(self):
        same = outcomes_of([True, False] * 20)
        assert difference(same, same, np.arange(40)).may_be_chance

    def test_only_documents_that_both_were_judged_by_count(self):
        best = outcomes_of([True, True, False, False, False])
        other = outcomes_of([True, False], rows=[0, 2], n=5)
        found = difference(other, best, np.arange(5))
        assert (found.value, found.n_documents) == (0.0, 2)

    def test_what_differs_in_one_group_only_may_be_chance(self):
        units = np.arange(100) // 20
        best = outcomes_of(np.ones(100))
        other = outcomes_of(units != 3)
        assert not difference(other, best, np.arange(100)).may_be_chance
        assert difference(other, best, units).may_be_chance


def trial(name, right, rows, n=100):
    documents = Documents(["text"] * n, ["right"] * n, False)
    made = Trial(find_learner(name), documents, lambda learner: None)
    made.outcomes.add(
        np.asarray(rows), ["right"] * len(rows), np.where(right, "right", "wrong").tolist()
    )
    labels = np.where(right, "right", "wrong").tolist()
    made.evaluation.add(["right"] * len(rows), labels)
    n_folds = len(rows) // 20
    made.folds += [Fold(None, 0.0, [], None)] * n_folds
    made.fit_seconds = made.predict_seconds = [1.0]
    return made


class TestRanking:
    """The first 20 documents are easy, and all that some learners were judged by."""

    full = trial("multinomial", np.arange(100) < 60, np.arange(100))

    def test_one_that_saw_the_easy_documents_only_is_not_the_best(self):
        lucky = trial("llsf", np.ones(20), np.arange(20))
        found = ranked([lucky, self.full], np.arange(100))
        assert [each.name for each in found] == ["multinomial", "llsf"]
        assert found[1].score > found[0].score
        assert found[1].difference.value == 0.0
        assert found[1].as_good

    def test_one_that_is_better_on_the_same_documents_is(self):
        better = trial("llsf", np.arange(80) < 78, np.arange(80))
        assert best_of([self.full, better], np.arange(100)) is better
        found = ranked([self.full, better], np.arange(100))
        assert [each.name for each in found] == ["llsf", "multinomial"]
        assert found[1].difference.n_documents == 80
        assert not found[1].as_good

    def test_others_are_in_the_order_of_their_difference(self):
        worse = trial("bernoulli", np.arange(100) < 40, np.arange(100))
        close = trial("contrast", np.arange(100) < 59, np.arange(100))
        found = ranked([worse, self.full, close], np.arange(100))
        assert [each.name for each in found] == ["multinomial", "contrast", "bernoulli"]
        assert [each.as_good for each in found] == [True, True, False]

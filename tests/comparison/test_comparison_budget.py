"""Cross-validation within a time budget, and the classifiers in memory."""

import numpy as np
import pytest

import tallytext
from tallytext.classifier import find_learner
from tallytext.comparison import Documents, cross_validation
from tallytext.comparison import comparison as comparison_module
from tallytext.comparison.cross_validation import FoldResult, LearnerRun, cross_validate
from tallytext.comparison.documents import make_splits
from tallytext.evaluation import TrainTestSplit
from topics import made_up


class TimedRun(LearnerRun):
    """A run with invented times and errors."""

    SECONDS = {"multinomial": 1.0, "llsf": 50.0, "bernoulli": 12.0}  # noqa: RUF012
    WRONG = {"multinomial": 0, "llsf": 9, "bernoulli": 9}  # noqa: RUF012

    def estimate_fit_seconds(self, split):
        return self.SECONDS[self.learner.name]

    def evaluate_fold(self, split):
        name, n = self.learner.name, len(split.test)
        self.seconds += self.SECONDS[name]
        wrong = ["wrong"] * self.WRONG[name] + ["right"] * n
        self.outcomes.add(split.test, ["right"] * n, wrong[:n])
        self.folds.append(FoldResult(split, 0.0, [], None))


class TestBudget:
    @pytest.fixture
    def count_folds(self, monkeypatch):
        def count_folds(names, budget, **wanted):
            texts, labels = made_up(100)
            documents = Documents(texts, labels, False)
            runs = [TimedRun(find_learner(name), documents, None) for name in names]
            spent = lambda: sum(run.seconds for run in runs)  # noqa: E731
            monkeypatch.setattr(cross_validation, "perf_counter", spent)
            steps = []
            cross_validate(
                runs, make_splits(labels, False, 5), budget, lambda: steps.append(1), **wanted
            )
            assert len(steps) == 5 * len(names)
            assert all(bool(run.folds) != bool(run.failure) for run in runs)
            return [len(run.folds) for run in runs]

        return count_folds

    def test_the_slowest_get_one_fold_only(self, count_folds):
        assert count_folds(["multinomial", "llsf"], 10.0) == [5, 1]

    def test_learners_slower_than_the_budget_are_excluded_unless_named(
        self, count_folds, monkeypatch
    ):
        monkeypatch.setitem(TimedRun.SECONDS, "llsf", 500.0)
        assert count_folds(["multinomial", "llsf"], 400.0, named=False) == [5, 0]
        assert count_folds(["multinomial", "llsf"], 400.0, named=True) == [5, 1]
        assert count_folds(["multinomial", "llsf"], 600.0, named=False) == [5, 1]
        assert count_folds(["multinomial", "llsf"], None, named=True) == [5, 5]

    def test_learners_behind_by_more_than_chance_stop_after_the_first_fold_unless_named(
        self, count_folds, monkeypatch
    ):
        assert count_folds(["multinomial", "llsf"], None, named=False) == [5, 1]
        assert count_folds(["multinomial", "llsf"], None, named=True) == [5, 5]
        monkeypatch.setitem(TimedRun.WRONG, "llsf", 2)  # two of twenty documents may be chance
        assert count_folds(["multinomial", "llsf"], None, named=False) == [5, 5]

    def test_learners_that_fit_within_a_minute_are_never_excluded(self, count_folds, monkeypatch):
        assert count_folds(["multinomial", "llsf"], 0.0, named=False) == [1, 1]
        monkeypatch.setitem(TimedRun.SECONDS, "llsf", 61.0)
        assert count_folds(["multinomial", "llsf"], 0.0, named=False) == [1, 0]

    def test_if_all_are_slow_the_fastest_is_evaluated(self, count_folds, monkeypatch):
        monkeypatch.setitem(TimedRun.SECONDS, "multinomial", 300.0)
        monkeypatch.setitem(TimedRun.SECONDS, "llsf", 200.0)
        assert count_folds(["multinomial", "llsf"], 0.0, named=False) == [0, 1]

    def test_an_excluded_learner_reports_the_time_it_would_take(self, monkeypatch):
        texts, labels = made_up(30)
        monkeypatch.setattr(
            LearnerRun,
            "estimate_fit_seconds",
            lambda self, _: 61.4 * (self.learner.name == "bernoulli"),
        )
        found = tallytext.compare(texts, labels, budget=0, folds=2)
        last = found.results[-1]
        assert last.name == "bernoulli"
        assert last.failure.startswith("excluded: one fit would take 61.4 s or more.")
        assert {each.n_folds for each in found.results[:-1]} == {1}

    def test_time_is_estimated_from_a_tenth_of_many_documents(self, monkeypatch):
        texts, labels = made_up(1_000)
        fitted, moments = [], iter([10.0, 12.5])
        monkeypatch.setattr(cross_validation, "perf_counter", lambda: next(moments))

        class Learning:
            def fit(self, texts, labels):
                fitted.append(len(texts))

        run = LearnerRun(
            find_learner("llsf"), Documents(texts, labels, False), lambda _: Learning()
        )
        split = make_splits(labels, False, 2).splits[0]
        assert run.estimate_fit_seconds(split) == 5.0
        assert fitted == [len(split.train) // 10]
        assert run.estimate_fit_seconds(TrainTestSplit(split.train[:499], split.test)) == 0.0

    def test_the_tenth_is_a_random_sample(self):
        texts, labels, fitted = ["wave"] * 1_000, [*"abcdefghij"] * 100, []

        class Learning:
            def fit(self, texts, labels):
                fitted.append([*labels])

        run = LearnerRun(
            find_learner("llsf"), Documents(texts, labels, False), lambda _: Learning()
        )
        for _ in range(2):
            run.estimate_fit_seconds(TrainTestSplit(np.arange(1_000), np.arange(0)))
        assert {*fitted[0]} == {*labels}
        assert fitted[0] == fitted[1]

    def test_a_learner_that_fails_while_its_time_is_estimated_reports_the_reason(self, monkeypatch):
        class Broken(tallytext.TextClassifier):
            def fit(self, texts, labels):
                if self.model == "bernoulli":
                    raise ZeroDivisionError("no luck")
                return super().fit(texts, labels)

        two = [find_learner("multinomial"), find_learner("bernoulli")]
        monkeypatch.setattr(comparison_module, "TextClassifier", Broken)
        monkeypatch.setattr(comparison_module, "registered_learners", lambda **_: two)
        found = tallytext.compare(*made_up(1_200), folds=2, budget=60)
        assert [each.failure for each in found.results] == ["", "", "ZeroDivisionError: no luck"]

    def test_worse_learners_are_dropped_before_slower_ones(self, count_folds, monkeypatch):
        monkeypatch.setitem(TimedRun.WRONG, "llsf", 0)
        assert count_folds(["bernoulli", "multinomial", "llsf"], 210.0) == [1, 5, 5]

    def test_a_leading_learner_gets_all_folds_even_if_it_slows_down(self, count_folds):
        class Slowing(dict):
            def __getitem__(self, name):
                self.calls = getattr(self, "calls", 0) + 1
                return 1.0 * self.calls

        TimedRun.SECONDS, kept = Slowing(), TimedRun.SECONDS
        try:
            assert count_folds(["multinomial"], 6.0) == [5]  # which takes 15 seconds
        finally:
            TimedRun.SECONDS = kept

    def test_without_a_budget_all_learners_get_all_folds(self, count_folds):
        assert count_folds(["multinomial", "llsf"], None) == [5, 5]

    def test_only_the_two_leaders_keep_their_classifiers(self):
        texts, labels = made_up(60)
        documents = Documents(texts, labels, False)
        runs = [
            LearnerRun(
                find_learner(name), documents, lambda each: tallytext.TextClassifier(each.name)
            )
            for name in ("multinomial", "bernoulli", "contrast")
        ]
        cross_validate(runs, make_splits(labels, False, 3), None, lambda: None)
        holding = [any(fold.classifier is not None for fold in run.folds) for run in runs]
        assert sum(holding) == 2
        for run in runs:  # the others fit theirs again
            assert run.classifier(0).predict([texts[0]]).tolist() == [labels[0]]

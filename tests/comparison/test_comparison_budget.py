"""Where there is not time for all, and what is kept meanwhile."""

import numpy as np
import pytest

import tallytext
from tallytext.classifier import find_learner
from tallytext.comparison import Documents, Split, comparing
from tallytext.comparison import comparing as judging
from tallytext.comparison import comparing as racing
from tallytext.comparison.comparing import Trial, judge_all
from tallytext.comparison.documents import splits_of
from topics import made_up


class Timed(Trial):
    """A learner whose time and whose mistakes are made up."""

    SECONDS = {"multinomial": 1.0, "llsf": 50.0, "bernoulli": 12.0}  # noqa: RUF012
    WRONG = {"multinomial": 0, "llsf": 9, "bernoulli": 9}  # noqa: RUF012

    def foreseen(self, split):
        return self.SECONDS[self.learner.name]

    def judge(self, split):
        name, n = self.learner.name, len(split.judged)
        self.seconds += self.SECONDS[name]
        wrong = ["wrong"] * self.WRONG[name] + ["right"] * n
        self.outcomes.add(split.judged, ["right"] * n, wrong[:n])
        self.folds.append(judging.Fold(split, 0.0, [], None))


class TestBudget:
    @pytest.fixture
    def judged(self, monkeypatch):
        def judged(names, budget, **wanted):
            texts, labels = made_up(100)
            documents = Documents(texts, labels, False)
            trials = [Timed(find_learner(name), documents, None) for name in names]
            spent = lambda: sum(trial.seconds for trial in trials)  # noqa: E731
            monkeypatch.setattr(racing, "perf_counter", spent)
            steps = []
            judge_all(
                trials, splits_of(labels, False, 5), budget, lambda: steps.append(1), **wanted
            )
            assert len(steps) == 5 * len(names)
            assert all(bool(trial.folds) != bool(trial.failure) for trial in trials)
            return [len(trial.folds) for trial in trials]

        return judged

    def test_the_slowest_are_judged_on_one_fold_only(self, judged):
        assert judged(["multinomial", "llsf"], 10.0) == [5, 1]

    def test_who_would_take_longer_than_there_is_is_left_out_unless_wanted(
        self, judged, monkeypatch
    ):
        monkeypatch.setitem(Timed.SECONDS, "llsf", 500.0)
        assert judged(["multinomial", "llsf"], 400.0, all_wanted=False) == [5, 0]
        assert judged(["multinomial", "llsf"], 400.0, all_wanted=True) == [5, 1]
        assert judged(["multinomial", "llsf"], 600.0, all_wanted=False) == [5, 1]
        assert judged(["multinomial", "llsf"], None, all_wanted=False) == [5, 5]

    def test_nobody_is_left_out_who_learns_within_a_minute(self, judged, monkeypatch):
        assert judged(["multinomial", "llsf"], 0.0, all_wanted=False) == [1, 1]
        monkeypatch.setitem(Timed.SECONDS, "llsf", 61.0)
        assert judged(["multinomial", "llsf"], 0.0, all_wanted=False) == [1, 0]

    def test_if_all_are_slow_the_quickest_is_judged(self, judged, monkeypatch):
        monkeypatch.setitem(Timed.SECONDS, "multinomial", 300.0)
        monkeypatch.setitem(Timed.SECONDS, "llsf", 200.0)
        assert judged(["multinomial", "llsf"], 0.0, all_wanted=False) == [0, 1]

    def test_who_is_left_out_is_told_what_it_would_take(self, monkeypatch):
        texts, labels = made_up(30)
        monkeypatch.setattr(
            Trial, "foreseen", lambda self, _: 61.4 * (self.learner.name == "bernoulli")
        )
        found = tallytext.compare(texts, labels, budget=0, folds=2)
        last = found.contenders[-1]
        assert last.name == "bernoulli"
        assert last.failure.startswith("left out: learning once would take 61.4 s or more.")
        assert {each.n_folds for each in found.contenders[:-1]} == {1}

    def test_time_is_foreseen_by_a_tenth_of_many_documents(self, monkeypatch):
        texts, labels = made_up(1_000)
        told, moments = [], iter([10.0, 12.5])
        monkeypatch.setattr(judging, "perf_counter", lambda: next(moments))

        class Learning:
            def fit(self, texts, labels):
                told.append(len(texts))

        trial = Trial(find_learner("llsf"), Documents(texts, labels, False), lambda _: Learning())
        split = splits_of(labels, False, 2).splits[0]
        assert trial.foreseen(split) == 5.0
        assert told == [len(split.learned) // 10]
        assert trial.foreseen(Split(split.learned[:499], split.judged)) == 0.0

    def test_the_tenth_is_drawn_whatever_order_rows_are_in(self):
        texts, labels, told = ["wave"] * 1_000, [*"abcdefghij"] * 100, []

        class Learning:
            def fit(self, texts, labels):
                told.append([*labels])

        trial = Trial(find_learner("llsf"), Documents(texts, labels, False), lambda _: Learning())
        for _ in range(2):
            trial.foreseen(Split(np.arange(1_000), np.arange(0)))
        assert {*told[0]} == {*labels}
        assert told[0] == told[1]

    def test_a_learner_that_cannot_be_foreseen_is_judged_and_tells_why(self, monkeypatch):
        class Broken(tallytext.TextClassifier):
            def fit(self, texts, labels):
                if self.model == "bernoulli":
                    raise ZeroDivisionError("no luck")
                return super().fit(texts, labels)

        two = [find_learner("multinomial"), find_learner("bernoulli")]
        monkeypatch.setattr(comparing, "TextClassifier", Broken)
        monkeypatch.setattr(comparing, "registered", lambda **_: two)
        found = tallytext.compare(*made_up(1_200), folds=2, budget=60)
        assert [each.failure for each in found.contenders] == ["", "ZeroDivisionError: no luck"]

    def test_who_is_behind_gives_way_to_the_slow(self, judged, monkeypatch):
        monkeypatch.setitem(Timed.WRONG, "llsf", 0)
        assert judged(["bernoulli", "multinomial", "llsf"], 210.0) == [1, 5, 5]

    def test_who_went_on_and_leads_is_judged_on_all_though_it_takes_longer(self, judged):
        class Slowing(dict):
            def __getitem__(self, name):
                self.calls = getattr(self, "calls", 0) + 1
                return 1.0 * self.calls

        Timed.SECONDS, kept = Slowing(), Timed.SECONDS
        try:
            assert judged(["multinomial"], 6.0) == [5]  # which take 15
        finally:
            Timed.SECONDS = kept

    def test_without_a_budget_all_are_judged_on_all(self, judged):
        assert judged(["multinomial", "llsf"], None) == [5, 5]

    def test_only_the_leader_keeps_its_classifiers(self):
        texts, labels = made_up(60)
        documents = Documents(texts, labels, False)
        trials = [
            Trial(find_learner(name), documents, lambda each: tallytext.TextClassifier(each.name))
            for name in ("multinomial", "bernoulli", "contrast")
        ]
        judge_all(trials, splits_of(labels, False, 3), None, lambda: None)
        holding = [any(fold.classifier is not None for fold in trial.folds) for trial in trials]
        assert sum(holding) == 1
        for trial in trials:  # and the others get theirs back when asked
            assert trial.classifier(0).predict([texts[0]]).tolist() == [labels[0]]

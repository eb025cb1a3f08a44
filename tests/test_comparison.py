"""Learners compared: the same folds for all, and nothing is judged by who has seen it."""

import json

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import tallytext
from tallytext.comparison import judging, racing
from tallytext.comparison.judging import Documents, Trial
from tallytext.comparison.learning_curve import outlook
from tallytext.comparison.near_duplicates import NearDuplicates, near_duplicates
from tallytext.comparison.per_document import group_numbers, moment_numbers
from tallytext.comparison.racing import judge_all
from tallytext.comparison.splits import Split, splits_of
from tallytext.errors import InputError, LabelError, UnknownNameError
from tallytext.learners import find_learner
from topics import made_up


@pytest.fixture(scope="module")
def comparison():
    texts, labels = made_up(120)
    labels[4] = "field"  # of a document about the sky
    labels[6], labels[7] = labels[7], labels[6]
    return tallytext.compare(texts, labels, learners=["multinomial", "bernoulli"], folds=3)


class TestSplits:
    @given(st.lists(st.sampled_from("abc"), min_size=4, max_size=40), st.integers(2, 6))
    def test_at_random_every_document_is_judged_once(self, labels, n_folds):
        splits = splits_of(labels, False, n_folds)
        judged = np.concatenate([split.judged for split in splits])
        assert sorted(judged.tolist()) == [*range(len(labels))]
        for split in splits:
            assert not {*split.learned.tolist()} & {*split.judged.tolist()}

    @given(st.lists(st.integers(0, 5), min_size=4, max_size=40), st.integers(2, 6))
    def test_no_group_is_on_both_sides(self, groups, n_folds):
        if len({*groups}) < 2:
            with pytest.raises(InputError, match="one group"):
                splits_of(["a"] * len(groups), False, n_folds, groups=groups)
            return
        for split in splits_of(["a"] * len(groups), False, n_folds, groups=groups):
            theirs = {groups[row] for row in split.judged}
            assert theirs.isdisjoint(groups[row] for row in split.learned)

    @given(st.lists(st.integers(0, 9), min_size=4, max_size=40), st.integers(2, 6))
    def test_what_is_judged_is_later_than_all_that_is_learned(self, time, n_folds):
        if len({*time}) < 2:
            with pytest.raises(InputError, match="one moment"):
                splits_of(["a"] * len(time), False, n_folds, time=time)
            return
        for split in splits_of(["a"] * len(time), False, n_folds, time=time):
            assert max(time[row] for row in split.learned) < min(time[row] for row in split.judged)

    @pytest.mark.parametrize(
        ("options", "reason"),
        [
            ({"groups": [1, 2], "time": [1, 2]}, "not both"),
            ({"groups": [1, 2]}, r"groups of shape \(2,\)"),
            ({"time": [1, None, 2, "", 4]}, "time has no value for document 1, nor for 1 more"),
            ({"time": [1.0, 2.0, float("nan"), 3, 4]}, "time has no value for document 2"),
            ({"time": [1, "2024-05-31", 3, 4, 5]}, "cannot be put in order"),
        ],
    )
    def test_what_cannot_be_is_refused(self, options, reason):
        with pytest.raises(InputError, match=reason):
            splits_of([*"ababa"], False, 2, **options)

    @given(st.lists(st.integers(0, 9), min_size=4, max_size=40), st.integers(2, 6))
    def test_the_latest_block_comes_first_and_has_most_to_learn(self, time, n_folds):
        assume(len({*time}) >= 2)
        splits = splits_of(["a"] * len(time), False, n_folds, time=time).splits
        assert max(time) == max(time[row] for row in splits[0].judged)
        sizes = [len(split.learned) for split in splits]
        assert sizes == sorted(sizes, reverse=True)

    def test_blocks_of_time_have_as_many_documents_not_as_many_moments(self):
        time = [0] * 50 + [*range(1, 11)] + [11] * 40
        sizes = [len(split.judged) for split in splits_of(["a"] * 100, False, 4, time=time)]
        assert sizes == [40, 10]  # the first 50 are one moment, which is only learned
        even = splits_of(["a"] * 100, False, 4, time=[*range(100)])
        assert [len(split.judged) for split in even] == [20] * 4

    @given(st.lists(st.integers(0, 9), min_size=4, max_size=40), st.integers(2, 6))
    def test_every_document_but_the_earliest_is_judged_once(self, time, n_folds):
        assume(len({*time}) >= 2)
        splits = splits_of(["a"] * len(time), False, n_folds, time=time)
        judged = np.concatenate([split.judged for split in splits])
        assert len({*judged.tolist()}) == len(judged) == splits.n_judged
        assert {*range(len(time))} - {*judged.tolist()} == {*splits.splits[-1].learned.tolist()}

    def test_groups_are_dealt_out_by_their_classes(self):
        labels = ["a"] * 40 + ["b"] * 10
        groups = [at // 2 for at in range(50)]
        for split in splits_of(labels, False, 5, groups=groups):
            assert [labels[row] for row in split.judged].count("b") == 2

    def test_documents_without_a_group_are_not_kept_together(self):
        assert group_numbers(["a", None, float("nan"), "", "a", 0], 6).tolist() == [
            0,
            1,
            2,
            3,
            0,
            4,
        ]

    def test_groups_may_be_of_different_kinds_and_columns_of_any_library(self):
        pandas = pytest.importorskip("pandas")
        assert group_numbers([1, "1", (2,), 1], 4).tolist() == [0, 1, 2, 0]
        column = pandas.Series(["b", pandas.NA, "a", "b"], dtype="string")
        assert group_numbers(column, 4).tolist() == [0, 1, 2, 0]
        moments = pandas.to_datetime(pandas.Series(["2024-06-01", "2023-01-01", "2024-06-01"]))
        assert moment_numbers(moments, 3).tolist() == [1, 0, 1]
        with pytest.raises(InputError, match="no value for document 1"):
            moment_numbers(moments.where(moments > "2023-06-01"), 3)

    def test_one_fold_is_none(self):
        with pytest.raises(InputError, match="2 folds or more"):
            splits_of([*"ababa"], False, 1)

    def test_three_documents_are_too_few(self):
        with pytest.raises(InputError, match="too few"):
            splits_of([*"aba"], False, 2)


class TestCompare:
    def test_all_learners_are_judged_by_all_documents(self, comparison):
        assert {each.name for each in comparison.contenders} == {"multinomial", "bernoulli"}
        assert all(each.report.n_documents == 120 for each in comparison.contenders)
        assert all(each.n_folds == 3 for each in comparison.contenders)

    def test_the_best_comes_first(self, comparison):
        scores = [each.score for each in comparison.contenders]
        assert scores == sorted(scores, reverse=True)
        assert comparison.best.score > 0.9

    def test_scores_are_those_of_models_without_the_documents(self):
        texts, labels = made_up(60)
        chance = np.random.default_rng(1).permutation(labels).tolist()  # nothing to be learned
        found = tallytext.compare(texts, chance, learners=["neighbours"], folds=3)
        assert found.best.score < 0.6

    def test_wrong_labels_are_found_with_evidence(self, comparison):
        rows = [each.row for each in comparison.suspects[:3]]
        assert {*rows} == {4, 6, 7}
        first = comparison.suspects[0]
        assert first.probability > first.label_probability
        assert first.evidence.contributions

    def test_more_documents_teach_more(self, comparison):
        curve = comparison.learning_curve
        assert curve.sizes[-1] == 80
        assert curve.scores[-1] >= curve.scores[0]

    def test_documents_with_several_labels(self):
        texts, labels = made_up(60)
        both = [[label, "even"] if i % 2 else [label] for i, label in enumerate(labels)]
        texts = [f"{text} even number" if i % 2 else text for i, text in enumerate(texts)]
        found = tallytext.compare(texts, both, learners=["multinomial"], folds=2)
        assert found.measure == "micro-F1"
        assert found.best.score > 0.8
        assert "micro-F1" in found.to_html()

    def test_of_several_labels_one_is_in_doubt(self):
        texts, labels = made_up(90)
        both = [[label, "even"] if i % 2 else [label] for i, label in enumerate(labels)]
        texts = [f"{text} even number" if i % 2 else text for i, text in enumerate(texts)]
        both[3], both[8] = [labels[3]], [labels[8], "even"]  # one lacks it, one has it wrongly
        found = tallytext.compare(texts, both, learners=["multinomial"], folds=3)
        by_row = {each.row: each for each in found.suspects}
        assert by_row[3][1:3] == (None, "even")
        assert by_row[8][1:3] == ("even", None)
        assert by_row[3].evidence.label == by_row[8].evidence.label == "even"
        assert "not labelled <b>even</b>" in found.to_html()

    def test_the_same_documents_give_the_same_figures(self):
        texts, labels = made_up(45)
        one, other = (
            tallytext.compare(texts, labels, learners=["contrast"], folds=3) for _ in range(2)
        )
        assert one.best.report == other.best.report

    @pytest.mark.parametrize(
        ("options", "error", "reason"),
        [
            ({"learners": ["multinomal"]}, UnknownNameError, "multinomial"),
            ({"learners": []}, InputError, "no learner"),
            ({"folds": 1}, InputError, "2 folds"),
        ],
    )
    def test_what_cannot_be_is_refused(self, options, error, reason):
        with pytest.raises(error, match=reason):
            tallytext.compare(*made_up(12), **options)

    @pytest.mark.parametrize(
        ("texts", "labels", "error", "reason"),
        [
            (["a b"] * 6, [*"abcdef"], LabelError, "no two of the 6 documents"),
            (["a b"] * 6, ["a"] * 6, LabelError, "nothing to tell apart"),
            (["a b"] * 6, [["a"], ["a"], [], ["a"], [], []], LabelError, "nothing to tell apart"),
            ([""] * 6, [*"ababab"], InputError, "all documents are empty"),
            (["a b"] * 6, [*"ababa", None], LabelError, "document 5 has the label None"),
        ],
    )
    def test_documents_that_say_nothing_are_refused(self, texts, labels, error, reason):
        with pytest.raises(error, match=reason):
            tallytext.compare(texts, labels, learners=["multinomial"])

    def test_a_class_of_one_document_and_empty_documents(self):
        texts, labels = made_up(40)
        texts[5], texts[9] = "", "?!"
        labels[0] = "alone"
        found = tallytext.compare(texts, labels, learners=["multinomial", "contrast"])
        assert found.best.report.n_documents == 40
        assert found.best.score < 1
        assert any("1 label is that of a single document" in each for each in found.warnings)
        assert "alone" in found.to_html()

    def test_more_classes_than_a_page_can_hold(self):
        chance = np.random.default_rng(0)
        labels = [f"class {c}" for c in range(300)] * 2
        texts = [f"{label.replace(' ', '')} {chance.integers(9)}" for label in labels]
        found = tallytext.compare(texts, labels, learners=["multinomial"], folds=2)
        assert found.best.score > 0.9
        assert "And 100 smaller classes" in found.to_html()

    @pytest.mark.parametrize("several", [False, True])
    def test_all_learners_manage_a_handful_of_documents(self, several):
        texts, labels = made_up(12)
        given = [[label, "all"] for label in labels] if several else labels
        found = tallytext.compare(texts, given, folds=2)
        assert [each.failure for each in found.contenders] == [""] * len(found.contenders)
        assert found.to_html()

    def test_groups_widen_the_interval(self):
        texts, labels = made_up(60, noise=16)
        alone = tallytext.compare(texts, labels, learners=["multinomial"], folds=2)
        groups = [at // 15 for at in range(60)]
        found = tallytext.compare(texts, labels, groups=groups, learners=["multinomial"], folds=2)

        def width(of):
            return of.best.interval[1] - of.best.interval[0]

        assert width(found) > width(alone)
        assert any("4 groups only" in each for each in found.warnings)

    def test_time_is_told_block_by_block(self):
        texts, labels = made_up(60)
        found = tallytext.compare(texts, labels, time=range(60), learners=["multinomial"], folds=3)
        assert found.best.report.n_documents == 45
        assert len(found.best.fold_scores) == 3
        assert "From the earliest block to the latest" in found.to_html()

    def test_answers_are_not_timed_twice(self, monkeypatch):
        clock = iter(range(1000))
        monkeypatch.setattr(judging, "perf_counter", lambda: next(clock))
        texts, labels = made_up(30)
        found = tallytext.compare(texts, labels, learners=["multinomial"], folds=2)
        assert (found.best.fit_seconds, found.best.predict_seconds) == (1, 1)

    def test_plain_values_are_json(self, comparison):
        plain = json.loads(json.dumps(comparison.to_dict()))
        assert plain["measure"] == "accuracy"
        assert plain["contenders"][1]["difference"]["n_documents"] == 120

    def test_labels_must_be_as_many_as_texts(self):
        with pytest.raises(LabelError, match="12 documents, but labels for 11"):
            texts, labels = made_up(12)
            tallytext.compare(texts, labels[:-1])


class TestFailures:
    @pytest.fixture
    def failing(self, monkeypatch):
        """Let a learner fail from a fold on, with an error that nobody expects."""
        judge = judging.Trial._judge

        def fail_from(fold):
            def failing(self, split):
                if self.learner.name == "bernoulli" and len(self.folds) == fold:
                    raise ZeroDivisionError("no luck")
                judge(self, split)

            monkeypatch.setattr(judging.Trial, "_judge", failing)
            texts, labels = made_up(45)
            return tallytext.compare(texts, labels, learners=["bernoulli", "multinomial"], folds=3)

        return fail_from

    def test_a_learner_that_fails_is_told_and_others_go_on(self, failing):
        found = failing(0)
        assert [each.name for each in found.contenders] == ["multinomial", "bernoulli"]
        assert [each.failure for each in found.contenders] == ["", "ZeroDivisionError: no luck"]
        assert "ZeroDivisionError: no luck" in found.to_html()

    def test_one_that_fails_later_keeps_what_it_has_and_says_why(self, failing):
        found = failing(2)
        last = found.contenders[1]
        assert (last.n_folds, last.report.n_documents) == (2, 30)
        assert last.remark(3) == "2 of 3 folds: ZeroDivisionError: no luck"
        assert any("could not be judged on all folds: bernoulli" in each for each in found.warnings)

    def test_if_all_fail_the_reason_is_told(self, monkeypatch):
        def failing(self, split):
            raise InputError("no luck")

        monkeypatch.setattr(judging.Trial, "_judge", failing)
        with pytest.raises(InputError, match=r"no learner could be judged. no luck"):
            tallytext.compare(*made_up(30), learners=["multinomial"])


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

    def test_who_would_take_longer_than_there_is_is_left_out_unless_wanted(self, judged):
        assert judged(["multinomial", "llsf"], 40.0, all_wanted=False) == [5, 0]
        assert judged(["multinomial", "llsf"], 40.0, all_wanted=True) == [5, 1]
        assert judged(["multinomial", "llsf"], None, all_wanted=False) == [5, 5]

    def test_time_is_foreseen_by_a_tenth_of_many_documents(self, monkeypatch):
        texts, labels = made_up(1_000)
        told, moments = [], iter([10.0, 12.5])
        monkeypatch.setattr(judging, "perf_counter", lambda: next(moments))

        class Learning:
            def fit(self, texts, labels):
                told.append(len(texts))

        trial = Trial(find_learner("llsf"), Documents(texts, labels, False), lambda _: Learning())
        split = splits_of(labels, False, 2).splits[0]
        assert trial.foreseen(split) == 25.0
        assert told == [len(split.learned) // 10]
        assert trial.foreseen(Split(split.learned[:499], split.judged)) == 0.0

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


class TestNearDuplicates:
    def test_copies_on_both_sides_are_counted_and_warned_of(self):
        texts, labels = made_up(60)
        texts[30:] = [f"{text} indeed" for text in texts[:30]]
        found = near_duplicates(texts, splits_of(labels, False, 2))
        assert found.n_crossing > 10
        assert "--groups" in found.warning

    def test_it_is_told_how_much_they_flatter(self):
        """Labels are chance, so that only who has seen a copy can be right."""
        texts, _ = made_up(120, noise=8)
        labels = np.random.default_rng(1).permutation(["a", "b"] * 60).tolist()
        texts[60:90], labels[60:90] = texts[:30], labels[:30]
        found = tallytext.compare(texts, labels, learners=["neighbours"]).near_duplicates
        assert found.score_without < found.score - 0.03
        assert f"{found.score_without:.1%} instead of {found.score:.1%}" in found.warning

    def test_no_harm_is_claimed_where_none_shows(self):
        harmless = NearDuplicates(100, 10, score=0.8, score_without=0.8)
        assert "does not show in the score (80.0% instead of 80.0%" in harmless.warning
        assert "too high" in NearDuplicates(100, 10, score=0.8, score_without=0.7).warning
        assert NearDuplicates(100, 1, score=0.8, score_without=0.7).warning == ""

    def test_kept_together_they_do_no_harm(self):
        texts, labels = made_up(60)
        texts[30:] = [f"{text} indeed" for text in texts[:30]]
        groups = [*range(30)] * 2
        assert near_duplicates(texts, splits_of(labels, False, 2, groups=groups)).n_crossing == 0

    def test_documents_without_words_are_no_duplicates(self):
        texts, labels = made_up(30)
        texts[:6] = [""] * 6
        found = near_duplicates(texts, splits_of(labels, False, 2))
        assert found.n_crossing == 0
        assert found.warning == ""


class TestLearningCurve:
    @given(st.lists(st.floats(0.05, 1.0), min_size=3, max_size=6))
    def test_the_outlook_is_never_worse_than_what_is_there(self, scores):
        sizes = np.array([10 * 2**i for i in range(len(scores))])
        assert scores[-1] - 1e-9 <= outlook(sizes, np.array([scores]))[0] <= 1.0

    @given(st.floats(0.1, 1.0), st.floats(0.05, 0.9))
    def test_the_outlook_goes_on_along_a_power_of_the_size(self, exponent, error):
        sizes = np.array([50, 90, 200, 400])
        scores = 1 - error * (sizes / 50) ** -exponent
        expected = 1 - error * (800 / 50) ** -exponent
        assert outlook(sizes, scores[None])[0] == pytest.approx(expected)

    def test_the_interval_holds_the_outlook(self):
        texts, labels = made_up(120, noise=16)
        curve = tallytext.compare(texts, labels, learners=["multinomial"]).learning_curve
        low, high = curve.interval
        assert low <= curve.at_double <= high
        assert curve.n_judged == 120  # all folds, since documents are few

    def test_with_time_the_latest_are_learned_first(self):
        """Labels change their meaning half-way, so that early documents are no help."""
        texts, labels = made_up(200, noise=0)
        turned = {"sea": "sky", "sky": "field", "field": "sea"}
        old = [turned[label] for label in labels]
        order = np.random.default_rng(0).permutation(200)  # rows are in no order
        time = np.empty(200)
        time[order] = np.arange(200)
        mixed = [labels[row] if time[row] >= 140 else old[row] for row in range(200)]
        found = tallytext.compare(texts, mixed, time=time, folds=4, learners=["multinomial"])
        assert found.learning_curve.scores[0] > 0.8


def test_a_learner_that_does_not_add_up_from_words_has_suspects_without_evidence():
    said = [
        "cheap pills",
        "lunch at noon",
        "cheap watches",
        "noon, for lunch",
        "cheap lunch",
        "at noon",
    ]
    texts, labels = said * 5, ["spam", "ham", "spam", "ham", "ham", "spam"] * 5
    labels[0] = "ham"
    found = tallytext.compare(texts, labels, learners=["rotation"])
    assert found.suspects
    assert all(each.evidence is None for each in found.suspects)
    assert f"<pre>{texts[found.suspects[0].row]}</pre>" in found.to_html()

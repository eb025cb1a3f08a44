"""Learners compared: the same folds for all, nothing seen twice, and a page to look at."""

import re
from html.parser import HTMLParser

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tallytext
from tallytext.comparison import judging
from tallytext.comparison.confusion_map import confusion_matrix
from tallytext.comparison.judging import Documents, Trial, judge_all
from tallytext.comparison.learning_curve import LearningCurve
from tallytext.comparison.near_duplicates import near_duplicates
from tallytext.comparison.splits import splits_of
from tallytext.errors import InputError, LabelError, UnknownNameError
from tallytext.learners import find_learner

WORDS = {
    "sea": "wave salt tide ship fish sail reef whale harbour anchor",
    "sky": "cloud star moon wing bird wind kite storm plane comet",
    "field": "wheat plough barn horse fence seed hay tractor cow meadow",
}


def made_up(n, seed=0, noise=2):
    """Documents of three topics: eight words of their own, some of any."""
    chance = np.random.default_rng(seed)
    every = " ".join(WORDS.values()).split()
    labels = [[*WORDS][i % 3] for i in range(n)]
    texts = [
        " ".join([*chance.choice(WORDS[label].split(), 8), *chance.choice(every, noise)])
        for label in labels
    ]
    return texts, labels


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
            ({"time": [1, None, 2, 3, 4]}, "time lacks a value for document 1"),
            ({"time": [1.0, 2.0, float("nan"), 3, 4]}, "time lacks a value for document 2"),
        ],
    )
    def test_what_cannot_be_is_refused(self, options, reason):
        with pytest.raises(InputError, match=reason):
            splits_of([*"ababa"], False, 2, **options)

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
        assert found.suspects == []
        assert "micro-F1" in found.to_html()

    def test_the_same_documents_give_the_same_figures(self):
        texts, labels = made_up(45)
        one, other = (
            tallytext.compare(texts, labels, learners=["contrast"], folds=3) for _ in range(2)
        )
        assert one.best.report == other.best.report

    def test_a_learner_that_fails_is_told_and_others_go_on(self, monkeypatch):
        judge = judging.Trial.judge

        def failing(self, split):
            if self.learner.name == "bernoulli":
                self.failure = "no luck"
            else:
                judge(self, split)

        monkeypatch.setattr(judging.Trial, "judge", failing)
        texts, labels = made_up(45)
        found = tallytext.compare(texts, labels, learners=["bernoulli", "multinomial"], folds=2)
        assert [each.failure for each in found.contenders] == ["", "no luck"]
        assert "no luck" in found.to_html()

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

    def test_labels_must_be_as_many_as_texts(self):
        with pytest.raises(LabelError, match="12 documents, but labels for 11"):
            texts, labels = made_up(12)
            tallytext.compare(texts, labels[:-1])


class TestBudget:
    class Slow(Trial):
        """A learner whose time is made up."""

        def judge(self, split):
            cost = {"multinomial": 1.0, "llsf": 50.0}[self.learner.name]
            self.fit_seconds.append(cost)
            self.predict_seconds.append(0.0)
            self.answers.append(None)

    def test_the_slowest_are_judged_on_one_fold_only(self):
        texts, labels = made_up(30)
        trials = [
            self.Slow(find_learner(name), Documents(texts, labels, False), None)
            for name in ("multinomial", "llsf")
        ]
        steps = []
        judge_all(trials, splits_of(labels, False, 5), 40.0, lambda: steps.append(1))
        assert [len(trial.answers) for trial in trials] == [5, 1]
        assert len(steps) == 10

    def test_without_a_budget_all_are_judged_on_all(self):
        texts, labels = made_up(30)
        trials = [self.Slow(find_learner("llsf"), Documents(texts, labels, False), None)]
        judge_all(trials, splits_of(labels, False, 4), None, lambda: None)
        assert len(trials[0].answers) == 4


class TestNearDuplicates:
    def test_copies_on_both_sides_are_counted_and_warned_of(self):
        texts, labels = made_up(60)
        texts[30:] = [f"{text} indeed" for text in texts[:30]]
        found = near_duplicates(texts, splits_of(labels, False, 2))
        assert found.n_crossing > 10
        assert "--groups" in found.warning

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
    @settings(max_examples=30)
    @given(st.lists(st.floats(0.05, 1.0), min_size=1, max_size=6))
    def test_the_outlook_is_never_worse_than_what_is_there(self, scores):
        curve = LearningCurve(tuple(10 * 2**i for i in range(len(scores))), tuple(scores))
        if curve.at_double is not None:
            assert scores[-1] - 1e-4 <= curve.at_double <= 1.0


class Checked(HTMLParser):
    """Finds elements that are not closed, or closed in the wrong order."""

    EMPTY = frozenset({"meta", "line", "rect", "circle", "path", "br"})

    def __init__(self):
        super().__init__()
        self.open, self.links, self.ids = [], [], []

    def handle_starttag(self, tag, attributes):
        given = dict(attributes)
        self.ids.append(given.get("id"))
        if tag == "a":
            self.links.append(given["href"])
        assert not any(
            name in ("src", "href") and "//" in (value or "") for name, value in attributes
        )
        if tag not in self.EMPTY:
            self.open.append(tag)

    def handle_startendtag(self, tag, attributes):
        pass

    def handle_endtag(self, tag):
        if tag not in self.EMPTY:
            assert self.open.pop() == tag


class TestPage:
    def test_it_is_whole_and_needs_nothing_from_elsewhere(self, comparison):
        page = comparison.to_html()
        checked = Checked()
        checked.feed(page)
        assert checked.open == []
        assert {link[1:] for link in checked.links} <= {*checked.ids}
        assert "http://" not in page.replace("http://www.w3.org/2000/svg", "")
        assert "<script" not in page

    def test_texts_and_labels_cannot_be_taken_for_markup(self):
        texts, labels = made_up(45)
        texts[0] = "<script>alert(1)</script> wave salt tide"
        labels = [f"<b>{label}" for label in labels]
        page = tallytext.compare(texts, labels, learners=["multinomial"], folds=2).to_html()
        assert "<script>alert" not in page
        assert "<b>sea" not in page

    def test_it_can_be_written_whatever_texts_hold(self, tmp_path):
        texts, labels = made_up(45)
        labels[0] = "field"
        texts[0] += " \ud800 \x00"
        found = tallytext.compare(texts, labels, learners=["multinomial"], folds=2)
        found.to_html(tmp_path / "report.html")
        assert (tmp_path / "report.html").read_text(encoding="utf-8").startswith("<!doctype html>")

    def test_figures_of_the_page_are_those_of_the_comparison(self, comparison):
        page = comparison.to_html()
        assert f"{comparison.best.score:.4f}" in page
        cells = re.findall(r'title="(\w+) taken for (\w+): (\d+)"', page)
        labels, matrix = confusion_matrix(comparison.evaluation)
        for truth, predicted, count in cells:
            assert matrix[labels.index(truth), labels.index(predicted)] == int(count)
        assert sum(int(count) for *_, count in cells) == 120

    def test_plain_values_are_json(self, comparison):
        import json

        assert json.loads(json.dumps(comparison.to_dict()))["measure"] == "accuracy"

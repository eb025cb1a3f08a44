"""Comparison of learners: the same folds for all, and no test document in training."""

import json
import warnings

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning

import tallytext
from tallytext import MultinomialNB, TextClassifier, runtime
from tallytext.classifier import Learner, learners, register, unregister
from tallytext.comparison import cross_validation
from tallytext.comparison.comparison import DEFAULT_MODEL, hide_library_warnings
from tallytext.errors import InputError, LabelError, StaleWarning, UnknownNameError
from tallytext.models import Laplace
from topics import made_up


@pytest.fixture(scope="module")
def comparison():
    texts, labels = made_up(120)
    labels[4] = "field"  # of a document about the sky
    labels[6], labels[7] = labels[7], labels[6]
    return tallytext.compare(texts, labels, learners=["multinomial", "bernoulli"], folds=3)


class TestCompare:
    def test_all_learners_are_evaluated_on_all_documents(self, comparison):
        assert {each.name for each in comparison.results} == {"multinomial", "bernoulli"}
        assert all(each.report.n_documents == 120 for each in comparison.results)
        assert all(each.n_folds == 3 for each in comparison.results)

    def test_the_best_comes_first(self, comparison):
        scores = [each.score for each in comparison.results]
        assert scores == sorted(scores, reverse=True)
        assert comparison.best.score > 0.9

    def test_scores_are_measured_on_held_out_documents(self):
        texts, labels = made_up(60)
        chance = np.random.default_rng(1).permutation(labels).tolist()  # nothing to learn
        found = tallytext.compare(texts, chance, learners=["neighbours"], folds=3)
        assert found.best.score < 0.6

    def test_wrong_labels_are_found_with_evidence(self, comparison):
        rows = [each.row for each in comparison.suspects[:3]]
        assert {*rows} == {4, 6, 7}
        first = comparison.suspects[0]
        assert first.probability > first.label_probability
        assert first.evidence.contributions

    def test_more_training_documents_do_not_lower_the_score(self, comparison):
        curve = comparison.learning_curve
        assert curve.sizes[-1] == 80
        assert curve.scores[-1] >= curve.scores[0]

    def test_multi_label_documents(self):
        texts, labels = made_up(60)
        both = [[label, "even"] if i % 2 else [label] for i, label in enumerate(labels)]
        texts = [f"{text} even number" if i % 2 else text for i, text in enumerate(texts)]
        found = tallytext.compare(texts, both, learners=["multinomial"], folds=2)
        assert found.measure == "micro-F1"
        assert found.best.score > 0.8
        assert "micro-F1" in found.to_html()

    def test_one_label_of_a_multi_label_document_is_in_doubt(self):
        texts, labels = made_up(90)
        both = [[label, "even"] if i % 2 else [label] for i, label in enumerate(labels)]
        texts = [f"{text} even number" if i % 2 else text for i, text in enumerate(texts)]
        both[3], both[8] = (
            [labels[3]],
            [labels[8], "even"],
        )  # one lacks the label, one has it wrongly
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
    def test_invalid_options_are_refused(self, options, error, reason):
        with pytest.raises(error, match=reason):
            tallytext.compare(*made_up(12), **options)

    @pytest.mark.parametrize(
        ("texts", "labels", "error", "reason"),
        [
            (["a b"] * 6, [*"abcdef"], LabelError, "no two of the 6 documents"),
            (["a b"] * 6, ["a"] * 6, LabelError, "a comparison needs two classes"),
            (
                ["a b"] * 6,
                [["a"], ["a"], [], ["a"], [], []],
                LabelError,
                "a comparison needs two classes",
            ),
            ([""] * 6, [*"ababab"], InputError, "all documents are empty"),
            (["a b"] * 6, [*"ababa", None], LabelError, "document 5 has the label None"),
        ],
    )
    def test_documents_without_words_or_classes_are_refused(self, texts, labels, error, reason):
        with pytest.raises(error, match=reason):
            tallytext.compare(texts, labels, learners=["multinomial"])

    def test_a_class_of_one_document_and_empty_documents(self):
        texts, labels = made_up(40)
        texts[5], texts[9] = "", "?!"
        labels[0] = "alone"
        found = tallytext.compare(texts, labels, learners=["multinomial", "contrast"])
        assert found.best.report.n_documents == 40
        assert found.best.score < 1
        assert any("1 label has a single document" in each for each in found.warnings)
        assert "alone" in found.to_html()

    def test_more_classes_than_a_page_can_hold(self):
        chance = np.random.default_rng(0)
        labels = [f"class {c}" for c in range(300)] * 2
        texts = [f"{label.replace(' ', '')} {chance.integers(9)}" for label in labels]
        found = tallytext.compare(texts, labels, learners=["multinomial"], folds=2)
        assert found.best.score > 0.9
        assert "And 100 classes with a higher F1" in found.to_html()

    @pytest.mark.parametrize("multi_label", [False, True])
    def test_all_learners_manage_a_handful_of_documents(self, multi_label):
        texts, labels = made_up(12)
        given = [[label, "all"] for label in labels] if multi_label else labels
        found = tallytext.compare(texts, given, folds=2)
        assert [each.failure for each in found.results] == [""] * len(found.results)
        assert found.to_html()

    def test_groups_widen_the_interval(self):
        texts, labels = made_up(60, noise=16)
        alone = tallytext.compare(texts, labels, learners=["multinomial"], folds=2)
        groups = [at // 15 for at in range(60)]
        found = tallytext.compare(texts, labels, groups=groups, learners=["multinomial"], folds=2)

        def width(of):
            return of.best.interval[1] - of.best.interval[0]

        assert width(found) > width(alone)
        assert any("only 4 groups" in each for each in found.warnings)

    def test_scores_are_reported_for_each_block_of_time(self):
        texts, labels = made_up(60)
        found = tallytext.compare(texts, labels, time=range(60), learners=["multinomial"], folds=3)
        assert found.best.report.n_documents == 45
        assert len(found.best.fold_scores) == 3
        assert "From the earliest block to the latest" in found.to_html()

    def test_predictions_are_not_timed_twice(self, monkeypatch):
        clock = iter(range(1000))
        monkeypatch.setattr(cross_validation, "perf_counter", lambda: next(clock))
        texts, labels = made_up(30)
        found = tallytext.compare(texts, labels, learners=["multinomial"], folds=2)
        assert (found.best.fit_seconds, found.best.predict_seconds) == (1, 1)

    @pytest.mark.parametrize("multi_label", [False, True])
    def test_probabilities_are_predicted_in_blocks(self, multi_label, monkeypatch):
        texts, labels = made_up(60)
        labels[4] = "field"
        given = [[label, "all"] for label in labels] if multi_label else labels
        sizes, proba = [], tallytext.TextClassifier.predict_proba

        def record_size(self, texts):
            sizes.append(len(texts))
            return proba(self, texts)

        monkeypatch.setattr(tallytext.TextClassifier, "predict_proba", record_size)
        whole = tallytext.compare(texts, given, learners=["multinomial"], folds=2)
        assert sizes == [30, 30]
        monkeypatch.setattr(runtime, "MAX_BLOCK_NUMBERS", 25)
        parts = tallytext.compare(texts, given, learners=["multinomial"], folds=2)
        assert max(sizes[2:]) == 25 // (3 + multi_label)
        assert sum(sizes[2:]) == 60
        assert [each[:3] for each in parts.suspects] == [each[:3] for each in whole.suspects]
        assert parts.best.report.brier == pytest.approx(whole.best.report.brier)
        assert parts.best.report.micro_f1 == whole.best.report.micro_f1

    def test_plain_values_are_json(self, comparison):
        plain = json.loads(json.dumps(comparison.to_dict()))
        assert plain["measure"] == "accuracy"
        assert plain["contenders"][1]["difference"]["n_documents"] == 120

    def test_labels_must_be_as_many_as_texts(self):
        with pytest.raises(LabelError, match="12 documents, but labels for 11"):
            texts, labels = made_up(12)
            tallytext.compare(texts, labels[:-1])


def test_suspects_of_a_learner_without_word_weights_have_no_evidence():
    lines = [
        "cheap pills",
        "lunch at noon",
        "cheap watches",
        "noon, for lunch",
        "cheap lunch",
        "at noon",
    ]
    texts, labels = lines * 2, ["spam", "ham", "spam", "ham", "ham", "spam"] * 2
    labels[0] = "ham"
    found = tallytext.compare(texts, labels, learners=["rotation"], folds=2)
    assert found.suspects
    assert all(each.evidence is None for each in found.suspects)
    assert f'<pre dir="auto">{texts[found.suspects[0].row]}</pre>' in found.to_html()


def test_the_default_model_is_compared_with_the_learners_that_it_may_select():
    texts, labels = made_up(80)
    found = tallytext.compare(texts, labels, folds=2)
    by_name = {each.name: each for each in found.results}
    able = {each.name for each in learners() if each.automatic}
    assert {*by_name} == {DEFAULT_MODEL} | able
    assert able.isdisjoint({"rotation", "discriminant", "pooled"})
    default = by_name[DEFAULT_MODEL]
    train = found.splits.splits[0].train
    alone = TextClassifier(DEFAULT_MODEL, multi_label=False).fit(*found.documents.take(train))
    assert default.chosen[0] == alone.trials_[0].setting
    assert f"selected {default.chosen[0]}" in default.remark(2)


def test_a_stopped_learner_is_said_to_be_stopped():
    texts, labels = made_up(300)
    # So much smoothing that the words of a text do not matter.
    register(Learner("constant", "the largest class", lambda: MultinomialNB(Laplace(1e12))))
    try:
        found = tallytext.compare(texts, labels, folds=3)
    finally:
        unregister("constant")
    last = found.results[-1]
    assert (last.name, last.n_folds, last.as_good) == ("constant", 1, False)
    assert last.remark(3).startswith(f"stopped after 1 of 3 folds: behind {last.worse_than}")
    assert "stopped after 1 of 3 folds" in found.to_html()
    assert not any("constant" in warning for warning in found.warnings)


def test_warnings_of_other_libraries_are_hidden_and_our_own_are_not():
    with warnings.catch_warnings(record=True) as shown:
        warnings.simplefilter("always")
        with hide_library_warnings():
            warnings.warn("did not converge", ConvergenceWarning, stacklevel=1)
            warnings.warn("divide by zero", RuntimeWarning, stacklevel=1)
            warnings.warn("probabilities are stale", StaleWarning, stacklevel=1)
        warnings.warn("divide by zero", RuntimeWarning, stacklevel=1)
    assert [each.category for each in shown] == [StaleWarning, RuntimeWarning]

"""Near duplicates in training and test documents."""

import numpy as np

import tallytext
from tallytext.classifier.report import HeldOutDuplicates
from tallytext.comparison import NearDuplicates
from tallytext.comparison.documents import make_splits
from tallytext.comparison.near_duplicates import near_duplicates
from tallytext.comparison.outcomes import Outcomes
from topics import made_up


def test_copies_in_training_and_test_documents_give_a_warning():
    texts, labels = made_up(60)
    texts[30:] = [f"{text} indeed" for text in texts[:30]]
    found = near_duplicates(texts, make_splits(labels, False, 2))
    assert found.n_duplicates > 10
    assert "--groups" in found.warning


def test_the_warning_has_scores_with_and_without_duplicates():
    """Labels are random, so that only a copy in training can make a prediction right."""
    texts, _ = made_up(120, noise=8)
    labels = np.random.default_rng(1).permutation(["a", "b"] * 60).tolist()
    texts[60:90], labels[60:90] = texts[:30], labels[:30]
    found = tallytext.compare(texts, labels, learners=["neighbours"]).near_duplicates
    assert found.score_without < found.score - 0.03
    scores = f"(with them {found.score:.1%}, without them {found.score_without:.1%})"
    assert scores in found.warning


def test_near_duplicates_without_a_clear_effect_are_no_warning():
    for score in (0.8, 0.79, 0.85):
        assert NearDuplicates(100, 10, score=0.8, score_without=score).warning == ""
        assert not HeldOutDuplicates(100, 10, 0.8, score).is_notable
    assert HeldOutDuplicates(100, 10, 0.8, 0.7).is_notable
    assert "too high" in NearDuplicates(100, 10, score=0.8, score_without=0.7).warning
    assert NearDuplicates(100, 1, score=0.8, score_without=0.7).warning == ""


def test_copies_in_one_group_are_not_counted():
    texts, labels = made_up(60)
    texts[30:] = [f"{text} indeed" for text in texts[:30]]
    groups = [*range(30)] * 2
    assert near_duplicates(texts, make_splits(labels, False, 2, groups=groups)).n_duplicates == 0


def test_documents_without_words_are_not_duplicates():
    texts, labels = made_up(30)
    texts[:6] = [""] * 6
    found = near_duplicates(texts, make_splits(labels, False, 2))
    assert found.n_duplicates == 0
    assert found.warning == ""


def test_the_remedy_is_an_option_that_is_not_in_use():
    texts, labels = made_up(60)
    texts[30:] = [f"{text} indeed" for text in texts[:30]]
    by_groups = near_duplicates(texts, make_splits(labels, False, 2, groups=[*range(60)])).warning
    assert "give such documents the same group, or split by time (--time)." in by_groups
    assert "--groups" not in by_groups
    by_time = near_duplicates(texts, make_splits(labels, False, 2, time=[*range(60)])).warning
    assert "--groups" in by_time
    assert "--time" not in by_time


def test_there_is_no_score_without_predictions():
    texts, labels = made_up(60)
    splits = make_splits(labels, False, 2)
    nowhere = Outcomes.empty(60)
    assert near_duplicates(texts, splits, best=nowhere).score_without is None

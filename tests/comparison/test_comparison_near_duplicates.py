"""Documents that are nearly the same and stand on both sides."""

import numpy as np

import tallytext
from tallytext.comparison import NearDuplicates
from tallytext.comparison.documents import Outcomes, near_duplicates, splits_of
from topics import made_up


def test_copies_on_both_sides_are_counted_and_warned_of():
    texts, labels = made_up(60)
    texts[30:] = [f"{text} indeed" for text in texts[:30]]
    found = near_duplicates(texts, splits_of(labels, False, 2))
    assert found.n_crossing > 10
    assert "--groups" in found.warning


def test_it_is_told_how_much_they_flatter():
    """Labels are chance, so that only who has seen a copy can be right."""
    texts, _ = made_up(120, noise=8)
    labels = np.random.default_rng(1).permutation(["a", "b"] * 60).tolist()
    texts[60:90], labels[60:90] = texts[:30], labels[:30]
    found = tallytext.compare(texts, labels, learners=["neighbours"]).near_duplicates
    assert found.score_without < found.score - 0.03
    scores = f"(with them {found.score:.1%}, without them {found.score_without:.1%})"
    assert scores in found.warning


def test_no_harm_is_claimed_where_none_shows():
    harmless = NearDuplicates(100, 10, score=0.8, score_without=0.8)
    assert "does not show in the score (with them 80.0%, without them 80.0%)" in harmless.warning
    assert "too high" in NearDuplicates(100, 10, score=0.8, score_without=0.7).warning
    assert NearDuplicates(100, 1, score=0.8, score_without=0.7).warning == ""


def test_kept_together_they_do_no_harm():
    texts, labels = made_up(60)
    texts[30:] = [f"{text} indeed" for text in texts[:30]]
    groups = [*range(30)] * 2
    assert near_duplicates(texts, splits_of(labels, False, 2, groups=groups)).n_crossing == 0


def test_documents_without_words_are_no_duplicates():
    texts, labels = made_up(30)
    texts[:6] = [""] * 6
    found = near_duplicates(texts, splits_of(labels, False, 2))
    assert found.n_crossing == 0
    assert found.warning == ""


def test_only_what_was_not_done_is_advised():
    texts, labels = made_up(60)
    texts[30:] = [f"{text} indeed" for text in texts[:30]]
    by_groups = near_duplicates(texts, splits_of(labels, False, 2, groups=[*range(60)])).warning
    assert "give such documents the same group, or judge by time (--time)." in by_groups
    assert "--groups" not in by_groups
    by_time = near_duplicates(texts, splits_of(labels, False, 2, time=[*range(60)])).warning
    assert "--groups" in by_time
    assert "--time" not in by_time


def test_no_score_is_claimed_of_documents_that_the_best_was_not_judged_by():
    texts, labels = made_up(60)
    splits = splits_of(labels, False, 2)
    nowhere = Outcomes.none(60)
    assert near_duplicates(texts, splits, best=nowhere).score_without is None

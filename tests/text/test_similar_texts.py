"""Near duplicates in other groups: found by smallest hashes, checked against all pairs."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse

from tallytext import TextClassifier, TextVectorizer
from tallytext.text.duplicates import has_near_duplicate
from topics import made_up


def obvious(X, groups):
    """All cosines of rows that are weighted by inverse document frequency."""
    X = X.toarray()
    rows = X * np.log1p(len(X) / np.maximum((X > 0).sum(axis=0), 1))
    norms = np.linalg.norm(rows, axis=1)
    cosines = rows @ rows.T / np.maximum(np.outer(norms, norms), 1e-300)
    apart = np.subtract.outer(groups, groups) != 0
    return ((cosines >= 0.9 - 1e-9) & apart).any(axis=1)


@given(st.lists(st.lists(st.integers(0, 3), min_size=6, max_size=6), min_size=1, max_size=20))
def test_only_near_duplicates_in_other_groups_are_found(rows):
    X, groups = sparse.csr_array(np.array(rows)), np.arange(len(rows)) % 3
    assert not (has_near_duplicate(X, groups) & ~obvious(X, groups)).any()


def test_repeated_documents_are_found_and_those_of_one_group_are_not():
    X = TextVectorizer().fit_transform([f"wave {at} salt tide" for at in range(50)] * 2)
    assert has_near_duplicate(X, [0] * 50 + [1] * 50).all()
    assert not has_near_duplicate(X, [0] * 100).any()


def test_documents_with_a_word_changed_are_nearly_all_found():
    chance = np.random.default_rng(0)
    texts = [" ".join(f"w{chance.integers(3000)}" for _ in range(60)) for _ in range(200)]
    changed = [text.replace(text.split()[7], "other") for text in texts]
    X = TextVectorizer(min_length=1).fit_transform([*texts, *changed])
    groups = np.repeat([0, 1], 200)
    expected = obvious(X, groups)
    assert expected.all()
    assert has_near_duplicate(X, groups).mean() > 0.98


def test_empty_documents_have_no_near_duplicate():
    assert not has_near_duplicate(sparse.csr_array((4, 5)), [0, 1, 0, 1]).any()


@pytest.mark.parametrize("model", ["multinomial", "refined"])
def test_the_report_tells_their_effect_on_the_accuracy(model):
    texts, labels = made_up(80, noise=16)
    copied = [f"{text} again" for text in texts[:30]]
    report = TextClassifier(model).fit(texts + copied, labels + labels[:30]).report()
    near = report.near_duplicates
    assert near.n_checked == report.n_evaluated
    assert near.score == pytest.approx(report.score)
    assert 40 <= near.n_duplicates <= 80
    assert near.is_notable
    assert "near duplicate in training: without them the accuracy is" in str(near)


def test_a_report_without_near_duplicates_does_not_mention_them():
    chance = np.random.default_rng(0)
    texts = [" ".join(f"w{chance.integers(500)}" for _ in range(20)) for _ in range(60)]
    report = TextClassifier("multinomial").fit(texts, ["sea", "sky"] * 30).report()
    assert report.near_duplicates.n_duplicates == 0
    assert not report.near_duplicates.is_notable


def test_documents_that_all_have_a_near_duplicate_leave_no_accuracy():
    texts = ["a wave of salt water", "a cloud of white wool"]
    report = TextClassifier("multinomial").fit(texts * 20, [*"ab"] * 20).report()
    assert report.near_duplicates.score_without is None
    assert "none of them is new" in str(report.near_duplicates)


def test_texts_of_a_word_or_two_are_not_compared():
    texts = ["a wave", "a cloud"] * 20
    assert TextClassifier("multinomial").fit(texts, [*"ab"] * 20).report().near_duplicates is None

"""Naive Bayes on all of 20 Newsgroups, where that corpus is at hand."""

from typing import NamedTuple

import numpy as np
import pytest
from sklearn.naive_bayes import MultinomialNB as TheirNB

import corpora
from tallytext import Calibrated, MultinomialNB, TextVectorizer
from tallytext.evaluation import calibration_error, top_label
from tallytext.models import Laplace


class Split(NamedTuple):
    X: object
    y: np.ndarray
    held_out: object
    truth: np.ndarray


@pytest.fixture(scope="module")
def newsgroups():
    name = "20ng_bydate"
    texts, splits = corpora.column(name), corpora.column(name, "split").to_pylist()
    labels = np.array([one for (one,) in corpora.column(name, "labels").to_pylist()])
    train = np.array([split == "train" for split in splits])
    vectorizer = TextVectorizer()
    X = vectorizer.fit_transform(texts.filter(train))
    return Split(X, labels[train], vectorizer.transform(texts.filter(~train)), labels[~train])


def test_laplace_is_the_multinomial_model_of_scikit_learn(newsgroups):
    X, y, held_out, _ = newsgroups
    ours, theirs = MultinomialNB(Laplace(1)).fit(X, y), TheirNB().fit(X, y)
    np.testing.assert_array_equal(ours.predict(held_out), theirs.predict(held_out))
    np.testing.assert_allclose(
        ours.predict_log_proba(held_out), theirs.predict_log_proba(held_out), rtol=1e-9, atol=1e-7
    )


def test_the_chi_weighted_contrast_is_as_good_as_a_support_vector_machine(newsgroups):
    X, y, held_out, truth = newsgroups
    assert MultinomialNB.chi_contrast().fit(X, y).score(held_out, truth) >= 0.86


def test_calibrated_probabilities_mean_what_they_say(newsgroups):
    X, y, held_out, truth = newsgroups
    model = Calibrated(MultinomialNB()).fit(X, y)
    raw = model.estimator_.predict_proba(held_out)
    wanted = truth[:, None] == model.classes_
    assert calibration_error(*top_label(raw, wanted)) > 0.1
    assert calibration_error(*top_label(model.predict_proba(held_out), wanted)) <= 0.03


def test_leave_one_out_is_a_model_without_the_document(newsgroups):
    X, y, *_ = newsgroups
    model = MultinomialNB().fit(X, y)
    out = model.leave_one_out(X, y)
    for at in (0, 5000, 11313):
        rest = model.forget(X[[at]], y[[at]]).scores(X[[at]])
        np.testing.assert_allclose(out.scores[[at]], rest, rtol=1e-9)
        model.partial_fit(X[[at]], y[[at]])

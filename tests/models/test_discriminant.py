"""LinearDiscriminant: the textbook's formula, files, and explanations that add up."""

import numpy as np
import pytest
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis

from tallytext import TextClassifier
from tallytext.errors import FileError, LabelError
from tallytext.features import FisherFeatures
from tallytext.models import LinearDiscriminant


def corpus(n=90, n_classes=3, n_terms=30, seed=0):
    """Documents whose class has its own frequent words."""
    random = np.random.default_rng(seed)
    y = np.arange(n) % n_classes
    rates = random.gamma(0.5, 1.0, (n_classes, n_terms)) + 0.2
    return random.poisson(rates[y]), y


def test_it_is_linear_discriminant_analysis_of_the_features():
    X, y = corpus()
    # With all dimensions and hardly any ridge, Fisher's directions are those of the classical rule.
    features = FisherFeatures(n_lsa=20, ridge=1e-9)
    model = LinearDiscriminant(features).fit(X, y)
    points = features.fit(X, y).transform(X)
    classical = LinearDiscriminantAnalysis(solver="lsqr").fit(points, y)
    assert np.mean(model.predict(X) == classical.predict(points)) > 0.98
    np.testing.assert_allclose(model.predict_proba(X), classical.predict_proba(points), atol=0.03)


def test_new_documents_are_classified():
    X, y = corpus(300)
    model = LinearDiscriminant(FisherFeatures(n_lsa=20)).fit(X[:200], y[:200])
    assert model.score(X[200:], y[200:]) > 0.9


def test_several_labels_and_none():
    random = np.random.default_rng(5)
    truth = random.random((200, 2)) < 0.5
    # Ten words of the first label, ten of the second, ten of none.
    rates = np.hstack([*(0.2 + 1.5 * np.repeat(truth[:, [c]], 10, axis=1) for c in (0, 1))])
    X = random.poisson(np.hstack([rates, np.ones((200, 10))]))
    labels = [["ab"[c] for c in np.flatnonzero(row)] for row in truth]
    model = LinearDiscriminant(FisherFeatures(n_lsa=15)).fit(X[:150], labels[:150])
    assert model.multi_label_
    assert np.mean((model.decision_function(X[150:]) > 0) == truth[150:]) > 0.95


def test_the_summands_of_an_explanation_add_up():
    texts = [
        "salt wave",
        "wave ship salt",
        "cloud blue",
        "blue cloud wind",
        "house",
        "house street",
    ]
    labels = ["sea", "sea", "sky", "sky", "town", "town"]
    clf = TextClassifier("discriminant(features=fisher(n_lsa=4))").fit(texts, labels)
    found = clf.explain("salt wave blue", "sea", "sky")
    assert clf.predict(["salt ship"]).tolist() == ["sea"]
    model, x = clf.model_, clf.vectorizer_.transform(["salt wave blue"])
    scores = model._decide(model._check_counts(x))[0]
    assert [found.score, found.other_score] == pytest.approx(scores[:2].tolist())


def test_a_file_gives_the_same_answers_and_is_checked(tmp_path):
    texts, labels = ["salt wave", "wave salt", "cloud blue", "blue cloud wind"], list("xxyy")
    clf = TextClassifier("discriminant(features=fisher(n_lsa=3))").fit(texts, labels)
    clf.save(tmp_path / "m.tally")
    again = TextClassifier.load(tmp_path / "m.tally")
    assert np.array_equal(again.scores(texts), clf.scores(texts))
    assert again.model_.features.n_lsa == 3
    arrays, values = clf.model_.to_arrays()
    for name in ("projection", "coefficients", "bias"):
        wrong = arrays | {name: arrays[name][:-1]}
        with pytest.raises(FileError):
            again.model_.read_arrays(wrong, values)
    with pytest.raises(FileError, match="arrays should be"):
        again.model_.read_arrays(arrays | {"more": arrays["bias"]}, values)
    with pytest.raises(FileError, match="not the values"):
        again.model_.read_arrays(arrays, {"more": 1})


def test_what_cannot_be_is_refused():
    with pytest.raises(LabelError, match="at least two classes"):
        LinearDiscriminant().fit([[1, 0], [0, 1]], ["x", "x"])
    with pytest.raises(ValueError, match="features must be FisherFeatures"):
        LinearDiscriminant("lsa").fit([[1, 0], [0, 1]], ["x", "y"])
    with pytest.raises(ValueError, match="n_lsa"):
        LinearDiscriminant(FisherFeatures(n_lsa=0)).fit([[1, 0], [0, 1]], ["x", "y"])

"""A classifier among the tools of scikit-learn."""

import copy
import pickle
from html import escape
from typing import get_args

import joblib
import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.base import clone, is_classifier
from sklearn.exceptions import NotFittedError
from sklearn.metrics import f1_score, get_scorer, roc_auc_score
from sklearn.model_selection import GridSearchCV, cross_val_predict, cross_val_score
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import FunctionTransformer
from sklearn.utils import get_tags

from classifiers import BY_DOCUMENTS, NAMED, PLACES, TEXTS, answers, fitted, raw, spread
from tallytext import MultinomialNB, TextClassifier, TextVectorizer
from tallytext.classifier import CHOICES, ModelName, learners
from tallytext.classifier.evaluation import evaluate_classifier
from tallytext.errors import LabelError, ScoreError
from tallytext.evaluation import EvaluationReport
from tallytext.models import Laplace

INDICATOR = np.array([[1, 0, 0], [1, 0, 0], [1, 0, 1], [0, 0, 1], [0, 0, 0], [0, 0, 1]])


def test_it_ends_a_pipeline():
    lower = FunctionTransformer(lambda texts: [text.lower() for text in texts])
    pipe = Pipeline([("lower", lower), ("label", TextClassifier("multinomial"))]).fit(TEXTS, PLACES)
    assert pipe.predict([text.upper() for text in TEXTS]).tolist() == PLACES
    assert pipe.score(TEXTS, PLACES) == 1.0
    assert pipe.classes_.tolist() == ["sea", "sky"]


def test_settings_are_searched():
    clf = TextClassifier("multinomial", vectorizer=TextVectorizer())
    grid = {"vectorizer__ngram_range": [(1, 1), (1, 2)], "model": ["bernoulli", MultinomialNB()]}
    search = GridSearchCV(clf, grid, cv=3).fit(*spread())
    assert search.best_score_ > 0.5
    assert len(search.cv_results_["params"]) == 4
    assert search.predict(TEXTS).shape == (6,)


@pytest.mark.parametrize("array", [list, np.array, pd.Series])
def test_scores_are_cross_validated(array):
    texts, labels = map(array, spread())
    found = cross_val_score(TextClassifier("multinomial"), texts, labels, cv=4)
    assert found.mean() == pytest.approx(fitted("multinomial", spread()).report().score, abs=0.1)


def test_probabilities_are_cross_validated():
    texts, labels = spread()
    found = cross_val_predict(
        TextClassifier("multinomial"), texts, labels, cv=4, method="predict_proba"
    )
    assert found.shape == (200, 3)
    np.testing.assert_allclose(found.sum(axis=1), 1.0)
    best = np.array(["land", "sea", "sky"])[found.argmax(axis=1)]
    assert (best == np.array(labels)).mean() > 0.5


def test_parameters_are_there_and_can_be_set():
    clf = TextClassifier(MultinomialNB(Laplace(0.5)), vectorizer=TextVectorizer(), budget=2)
    names = {"model", "vectorizer", "select", "multi_label", "thresholds", "keep", "budget"}
    names |= {"class_weight", "descriptions", "n_jobs", "verbose"}
    assert set(clf.get_params(deep=False)) == names
    assert clf.get_params()["vectorizer__ngram_range"] is None
    clf.set_params(vectorizer__ngram_range=(1, 2), model__tf="log", budget=None)
    assert clf.vectorizer.ngram_range == (1, 2)
    assert clf.fit(TEXTS, PLACES).model_.tf == "log"


def test_a_clone_has_the_settings_and_nothing_learned():
    clf = fitted("contrast", (TEXTS, PLACES), n_jobs=1)
    copied = clone(clf)
    assert copied.get_params() == clf.get_params()
    with pytest.raises(NotFittedError):
        copied.predict(TEXTS)
    assert answers(copied.fit(TEXTS, PLACES), TEXTS) == answers(clf, TEXTS)


def test_what_is_given_is_not_changed():
    model, vectorizer = MultinomialNB(), TextVectorizer()
    TextClassifier(model, vectorizer=vectorizer, n_jobs=2).fit(TEXTS, PLACES).learn("salt", "sea")
    assert not hasattr(model, "tally_")
    assert not hasattr(vectorizer, "vocabulary_")
    assert model.n_jobs is None


def through_joblib(clf, folder):
    joblib.dump(clf, folder / "clf")
    return joblib.load(folder / "clf")


COPIES = {
    "pickle": lambda clf, _: pickle.loads(pickle.dumps(clf)),
    "deepcopy": lambda clf, _: copy.deepcopy(clf),
    "joblib": through_joblib,
}


@pytest.mark.parametrize("copied", COPIES.values(), ids=COPIES)
@pytest.mark.parametrize("model", [*NAMED, BY_DOCUMENTS], ids=repr)
def test_copies_answer_alike_and_learn_apart(model, copied, tmp_path):
    clf = fitted(model, (TEXTS, PLACES))
    before, other = answers(clf, TEXTS), copied(clf, tmp_path)
    assert answers(other, TEXTS) == before
    other.learn("a road of stones", "land")
    assert other.predict(["stones"]).shape == (1,)
    assert answers(clf, TEXTS) == before
    clf.learn("a road of stones", "land")
    assert raw(clf, TEXTS) == raw(other, TEXTS)


def test_tags_say_what_it_takes():
    tags = get_tags(TextClassifier())
    assert is_classifier(TextClassifier())
    assert tags.input_tags.string
    assert not tags.input_tags.two_d_array
    assert tags.classifier_tags.multi_label
    assert tags.target_tags.required


QUESTIONS = {
    "predict": lambda clf: clf.predict(TEXTS),
    "predict, if sure": lambda clf: clf.predict(TEXTS, min_confidence=0.5),
    "predict_proba": lambda clf: clf.predict_proba(TEXTS),
    "predict_log_proba": lambda clf: clf.predict_log_proba(TEXTS),
    "predict_set": lambda clf: clf.predict_set(TEXTS),
    "top_k": lambda clf: clf.top_k(TEXTS),
    "scores": lambda clf: clf.scores(TEXTS),
    "rank": lambda clf: clf.rank(TEXTS, "sea"),
    "explain": lambda clf: clf.explain("salt"),
    "score": lambda clf: clf.score(TEXTS, PLACES),
    "report": lambda clf: clf.report(),
    "terms": lambda clf: clf.terms("sea"),
    "learn": lambda clf: clf.learn(TEXTS, PLACES),
    "forget": lambda clf: clf.forget(TEXTS, PLACES),
    "recalibrate": lambda clf: clf.recalibrate(TEXTS, PLACES),
    "merge": lambda clf: clf + clf,
    "merge with a fitted one": lambda clf: fitted("multinomial", (TEXTS, PLACES)) + clf,
}


@pytest.mark.parametrize("ask", QUESTIONS.values(), ids=QUESTIONS)
def test_nothing_can_be_asked_before_fit(ask):
    with pytest.raises(NotFittedError):
        ask(TextClassifier())


MATRICES = {
    "array": np.asarray,
    "booleans": lambda matrix: matrix.astype(bool),
    "csr matrix": sparse.csr_matrix,
    "csc array": sparse.csc_array,
    "frame": pd.DataFrame,
    "lists": lambda matrix: matrix.tolist(),
}


@pytest.mark.parametrize("form", MATRICES.values(), ids=MATRICES)
def test_indicator_matrices_go_in_and_out(form):
    clf = TextClassifier("contrast").fit(TEXTS, form(INDICATOR))
    found = clf.predict(TEXTS)
    assert clf.multi_label_
    assert found.shape == (6, 3)
    assert set(np.unique(found)) <= {0, 1}
    assert not found[:, 1].any()  # no document has it
    assert clf.classes_.tolist() == [0, 2]
    assert clf.score(TEXTS, form(INDICATOR)) == f1_score(INDICATOR, found, average="micro")
    tally = clf.tally_.copy()
    clf.learn(TEXTS, form(INDICATOR)).forget(TEXTS, form(INDICATOR))
    assert clf.tally_ == tally


def test_batches_of_indicators_are_one():
    whole = TextClassifier("contrast").fit(TEXTS, INDICATOR)
    batches = [(TEXTS[:2], INDICATOR[:2]), (TEXTS[2:], sparse.csr_matrix(INDICATOR[2:]))]
    assert answers(TextClassifier("contrast").fit_batches(batches), TEXTS) == answers(whole, TEXTS)


def test_labels_that_are_no_column_are_refused():
    clf = TextClassifier("contrast").fit(TEXTS, INDICATOR)
    before = answers(clf, TEXTS)
    for labels in ([["sea"]], [[3]], [[-1]], [[0.5]], np.array([[1, 0]])):
        with pytest.raises(ValueError, match="column"):
            clf.learn(["salt"], labels)
    assert answers(clf, TEXTS) == before
    clf.learn(["salt"], [[1]])
    assert clf.classes_.tolist() == [0, 1, 2]
    with pytest.raises(ValueError, match="column"):
        TextClassifier().fit_batches([(TEXTS, INDICATOR), (TEXTS, PLACES)])
    with pytest.raises(ValueError, match="column"):
        TextClassifier().fit_batches([(TEXTS, INDICATOR), (TEXTS, INDICATOR[:, :2])])


def test_indicators_can_be_cross_validated():
    found = cross_val_predict(
        TextClassifier("contrast"), TEXTS * 3, np.tile(INDICATOR, (3, 1)), cv=2
    )
    assert found.shape == (18, 3)
    scores = cross_val_score(
        TextClassifier("contrast"), TEXTS * 3, np.tile(INDICATOR, (3, 1)), cv=3
    )
    assert ((scores >= 0) & (scores <= 1)).all()


@pytest.mark.parametrize("model", ["multinomial", "chi-contrast", "refined", "neighbours", "best"])
def test_decisions_have_the_shape_of_scikit_learn_and_agree_with_predictions(model):
    texts, labels = spread()
    clf = TextClassifier(model).fit(texts, labels)
    decisions = clf.decision_function(texts)
    assert decisions.shape == (len(texts), len(clf.classes_))
    columns = np.searchsorted(clf.classes_, clf.predict(texts))
    assert (decisions[np.arange(len(texts)), columns] == decisions.max(axis=1)).all()
    two = TextClassifier(model).fit(TEXTS, PLACES)
    decisions = two.decision_function(TEXTS)
    assert decisions.shape == (len(TEXTS),)
    assert (two.classes_[(decisions > 0).astype(int)] == two.predict(TEXTS)).all()
    assert two.decision_function([]).shape == (0,)
    several = TextClassifier(model).fit(TEXTS, INDICATOR)
    assert several.decision_function(TEXTS).shape == (len(TEXTS), len(several.classes_))


def test_decisions_serve_the_scorers_of_scikit_learn():
    texts, labels = spread()
    two = [label == labels[0] for label in labels]
    clf = TextClassifier("multinomial").fit(texts, two)
    assert get_scorer("roc_auc")(clf, texts, two) == pytest.approx(
        roc_auc_score(two, clf.scores(texts)[:, 1] - clf.scores(texts)[:, 0])
    )


def test_an_evaluation_is_that_of_the_command_line():
    texts, labels = spread()
    clf = TextClassifier("multinomial").fit(texts[::2], labels[::2])
    held_out, truth = texts[1::2], labels[1::2]
    report = clf.evaluate(held_out, truth)
    batches = evaluate_classifier(clf, [(held_out, truth)])
    assert report.to_dict() == EvaluationReport.from_evaluation(batches).to_dict()
    assert report.score == pytest.approx(clf.score(held_out, truth))
    assert clf.evaluate(iter(held_out), np.array(truth)) == report
    assert clf.evaluate(pd.Series(held_out, np.arange(len(truth)) / 2), truth) == report
    assert clf.evaluate(held_out, truth, ranking=True).break_even is not None
    with pytest.raises(LabelError, match="documents, but labels for"):
        clf.evaluate(held_out, truth[1:])
    with pytest.raises(ScoreError):
        clf.evaluate([], [])


def test_labels_of_several_columns_are_evaluated():
    clf = TextClassifier("multinomial").fit(TEXTS, INDICATOR)
    report = clf.evaluate(TEXTS, INDICATOR)
    assert report.measure == "micro-F1"
    assert report.score == pytest.approx(clf.score(TEXTS, INDICATOR))
    with pytest.raises(LabelError, match="columns"):
        clf.evaluate(TEXTS, INDICATOR[:, :2])


def test_the_names_in_the_signature_are_those_of_the_registry():
    assert {*get_args(ModelName)} == {*CHOICES, *(learner.name for learner in learners())}


def test_reports_are_tables_in_a_notebook_and_text_is_escaped():
    texts, labels = spread()
    labels = [f"<{label}>" for label in labels]
    clf = TextClassifier("auto").fit(texts, labels)
    report = clf.report()
    page = report._repr_html_()
    for content in (f"{report.n_documents:,} documents", f"{report.score:.1%}", report.setting):
        assert escape(content) in page
    page = clf.evaluate(texts, ["<other>", *labels[1:]])._repr_html_()
    assert page.count("<table>") == page.count("</table>") == 3
    assert "&lt;other&gt;" in page and "<other>" not in page
    alone = TextClassifier("multinomial").fit(["salt"], ["sea"]).report()._repr_html_()
    assert "probabilities are not calibrated" in alone

"""Vocabulary curves: each point equals a fresh fit, on documents that the scores never saw."""

import json
import re
import xml.etree.ElementTree as ElementTree

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from scipy import sparse
from sklearn.multiclass import OneVsRestClassifier
from sklearn.naive_bayes import MultinomialNB as TheirNB

from tallytext import BernoulliNB, MultinomialNB, PoissonNB, TermSelector, vocabulary_curve
from tallytext.errors import CountError, LabelError
from tallytext.evaluation import f_measures
from tallytext.evaluation.folds import fold_numbers
from tallytext.models import AbsoluteDiscount, Laplace
from tallytext.tally.labels import read_targets
from tallytext.tuning import CurveLine, VocabularyCurve

WIDTH = 6
COUNTS = st.lists(st.sampled_from([0, 0, 1, 1, 2, 5]), min_size=WIDTH, max_size=WIDTH)
MODELS = {
    "laplace": MultinomialNB(Laplace(0.5)),
    "discount": MultinomialNB(AbsoluteDiscount("leave-one-out")),
    "log": MultinomialNB(tf="log", complement=True, weighting="chi"),
    "bernoulli": BernoulliNB(),
    "theirs": TheirNB(),
}
each_model = pytest.mark.parametrize("name", MODELS)


def corpora(labels, least=4):
    documents = st.lists(st.tuples(COUNTS, labels), min_size=least, max_size=10)
    return documents.map(lambda some: (np.array([c for c, _ in some]), [y for _, y in some]))


def counted(X):
    return np.flatnonzero((np.asarray(X) > 0).any(axis=0))


@each_model
@settings(max_examples=25, deadline=None)
@given(corpora(st.sampled_from("XYZ")), corpora(st.sampled_from("XYZW")))
def test_each_point_is_a_model_fitted_on_the_selected_columns(name, training, held_out):
    (X, y), (Q, truth) = training, held_out
    assume(len(counted(X)) and len(set(y)) > 1)
    curve = vocabulary_curve(X, y, Q, truth, scores=["chi"], models={name: MODELS[name]})
    assert curve.sizes[-1] == len(counted(X))
    for size, error in zip(curve.sizes, curve.lines[0].errors, strict=True):
        columns = TermSelector("chi", k=size).fit(X, y).get_support(indices=True)
        predicted = MODELS[name].fit(X[:, columns], y).predict(Q[:, columns])
        assert error == pytest.approx(np.mean(predicted != np.array(truth)))


@settings(max_examples=25, deadline=None)
@given(corpora(st.sampled_from("XYZ"), least=6), st.sampled_from([2, 3]))
def test_terms_are_selected_without_the_held_out_fold(training, folds):
    X, y = training
    assume(len(counted(X)))
    model = MultinomialNB(Laplace(1))
    curve = vocabulary_curve(X, y, scores=["ig"], models=[model], sizes=[1, 3], cv=folds)
    fold, wrong = fold_numbers(read_targets(y), folds, None, 0), np.zeros(len(curve.sizes))
    for number in range(folds):
        mine, others = fold == number, fold != number
        labels = [label for label, inside in zip(y, others, strict=True) if inside]
        for at, size in enumerate(curve.sizes):
            if not X[others].any():
                columns = []
                predicted = [max(sorted(set(labels)), key=labels.count)] * mine.sum()
            else:
                columns = TermSelector("ig", k=size).fit(X[others], labels).best_
                model.fit(X[others][:, columns], labels)
                predicted = model.predict(X[mine][:, columns])
            wrong[at] += (np.array(predicted) != np.array(y)[mine]).sum()
    assert curve.lines[0].errors == pytest.approx(wrong / len(y))
    assert curve.method == "cross-validation"


SEVERAL = st.lists(st.sampled_from("XYZ"), max_size=2, unique=True)


@settings(max_examples=25, deadline=None)
@given(corpora(SEVERAL), corpora(SEVERAL))
def test_the_error_of_multi_label_documents_is_one_minus_f1(training, held_out):
    (X, y), (Q, truth) = training, held_out
    assume(len(counted(X)) and len({label for labels in y for label in labels}) == 3)
    assume(any(truth))
    curve = vocabulary_curve(X, y, Q, truth, scores=["ig"], models=[MultinomialNB(Laplace(1))])
    assert curve.measure == "1 - micro-F1"
    wanted = np.array([[label in labels for label in "XYZ"] for labels in truth])
    for size, error in zip(curve.sizes, curve.lines[0].errors, strict=True):
        columns = TermSelector("ig", k=size).fit(X, y).get_support(indices=True)
        decided = MultinomialNB(Laplace(1)).fit(X[:, columns], y).predict(Q[:, columns]) > 0
        assert error == pytest.approx(1 - f_measures(wanted, decided).micro_f1)


def toy():
    random = np.random.default_rng(5)
    y = np.array(["X", "Y", "Z"] * 20)
    rates = np.full((3, 40), 0.2) + np.kron(np.eye(3), np.ones((1, 40)))[:, :40] * 0.4
    return random.poisson(rates[np.arange(60) % 3]), y


def test_all_kinds_of_classifiers_and_labels_can_be_compared():
    X, y = toy()
    indicator = np.column_stack([y == "X", y == "Y", (y == "Y") | (y == "Z")]).astype(int)
    models = [MultinomialNB(), PoissonNB(), OneVsRestClassifier(TheirNB())]
    curve = vocabulary_curve(X, indicator, models=models, scores=["ig", "prr"], cv=3)
    assert [line.name for line in curve.lines][:2] == ["ig, MultinomialNB", "ig, PoissonNB"]
    assert all(0 <= error <= 1 for line in curve.lines for error in line.errors)
    listed = [[at for at in range(3) if row[at]] for row in indicator]
    assert vocabulary_curve(X, listed, models=models, scores=["ig", "prr"], cv=3) == curve
    assert curve.n_documents == 60


def test_sparse_dense_and_fractional_counts_agree():
    X, y = toy()
    dense = vocabulary_curve(X, y)
    for same in (sparse.csr_array(X), sparse.csc_matrix(X), X.astype(float), X.tolist()):
        assert vocabulary_curve(same, y) == dense
    half = vocabulary_curve(X / 2, y, models=[BernoulliNB()])
    assert half.lines == tuple(line for line in dense.lines if line.model == "BernoulliNB")


def test_the_arguments_are_not_changed():
    X, y = toy()
    doubled = sparse.csr_array((np.ones(3), [0, 0, 1], [0, 2, 3]), shape=(2, 40))
    model = MultinomialNB()
    vocabulary_curve(sparse.csr_array(X), y, doubled, ["X", "Y"], models=[model])
    assert doubled.nnz == 3
    assert not hasattr(model, "tally_")


def test_scores_of_ones_own_and_rare_terms():
    X, y = toy()
    X[:, 7] = 0
    X[0, 7] = 1

    def occurrences(tally):
        return tally.term_occurrences

    curve = vocabulary_curve(X, y, X, y, scores=[occurrences, "mi", "ts"], min_df=2)
    assert curve.sizes[-1] == 39
    assert curve.lines[0].score == "occurrences"
    named = vocabulary_curve(X, y, X, y, scores={"mine": occurrences}, models={"nb": TheirNB()})
    assert [line.name for line in named.lines] == ["mine, nb"]


CURVE = VocabularyCurve(
    (10, 200, 3000),
    (
        CurveLine("ig", "a & <b>", (0.5, 0.25, 0.125)),
        CurveLine("ig", "other", (0.5, 0.0625, 0.25)),
        CurveLine("chi", "a & <b>", (0.75, 0.0625, 0.25)),
    ),
    "error",
    "held-out",
    16,
)


def test_the_best_point_is_the_lowest_then_the_smallest_then_the_first():
    assert CURVE.best == (0.0625, 200, "ig", "other")


def test_a_curve_is_shown_as_a_table_and_as_plain_values():
    lines = str(CURVE).splitlines()
    assert lines[0] == "error of 16 held-out documents, lowest 0.0625: 200 terms by ig, other"
    assert re.split(r"\s{2,}", lines[1].strip()) == ["terms", *(line.name for line in CURVE.lines)]
    assert lines[-1].split() == ["3,000", "0.1250", "0.2500", "0.2500"]
    again = json.loads(json.dumps(CURVE.to_dict()))
    assert again["sizes"] == [10, 200, 3000]
    assert again["lines"][1] == {"score": "ig", "model": "other", "errors": [0.5, 0.0625, 0.25]}
    assert again["best"]["n_terms"] == 200


def test_the_figure_is_one_file_with_a_dot_for_each_point(tmp_path):
    drawing = CURVE.figure(tmp_path / "curve.svg")
    assert (tmp_path / "curve.svg").read_text(encoding="utf-8") == drawing
    root = ElementTree.fromstring(drawing)
    spaces = {"svg": "http://www.w3.org/2000/svg"}
    titles = [each.text for each in root.findall(".//svg:title", spaces)][1:]
    assert len(titles) == 9
    assert titles[0] == "ig, a & <b>: 10 terms, 0.5000"
    assert "http" not in drawing.replace("http://www.w3.org/2000/svg", "")
    entries = [each.text for each in root.findall(".//svg:text[@class='entry']", spaces)]
    assert entries == [line.name for line in CURVE.lines]


@pytest.mark.parametrize("errors", [(0.0,), (0.0, 0.0), (1.0, 0.3), (1e-5, 2e-5)])
def test_every_curve_can_be_drawn_inside_its_frame(errors):
    sizes = tuple(7 * 3**at for at in range(len(errors)))
    curve = VocabularyCurve(sizes, (CurveLine("ig", "m", errors),), "error", "held-out", 9)
    root = ElementTree.fromstring(curve.figure())
    for dot in root.iter("{http://www.w3.org/2000/svg}circle"):
        assert 64 <= float(dot.get("cy")) <= 404 or dot.find("*") is None
        assert 64 <= float(dot.get("cx")) <= 544 or dot.find("*") is None


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"scores": []}, "scores is empty"),
        ({"models": {}}, "models is empty"),
        ({"models": [TheirNB(), TheirNB()]}, "two of the models have the same name"),
        ({"sizes": [0]}, "sizes must be whole numbers from 1 on, not 0"),
        ({"sizes": []}, "sizes is empty"),
        ({"scores": "gini"}, "not 'gini'"),
        ({"min_df": 99}, "min_df is too high"),
        ({"cv": 1}, "folds must be from 2"),
    ],
    ids=str,
)
def test_invalid_arguments_are_refused(options, message):
    with pytest.raises(ValueError, match=message):
        vocabulary_curve(*toy(), **options)


def test_documents_that_cannot_be_are_refused():
    X, y = toy()
    with pytest.raises(LabelError, match="labels for 2"):
        vocabulary_curve(X, ["X", "Y"])
    with pytest.raises(LabelError, match="no document has a label"):
        vocabulary_curve(X, [[]] * 60)
    with pytest.raises(LabelError, match="y is None"):
        vocabulary_curve(X, y, X)
    with pytest.raises(CountError, match="features"):
        vocabulary_curve(sparse.csr_array(X), y, sparse.csr_array(X[:, 1:]), y)

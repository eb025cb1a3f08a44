"""Input that is odd, and input that is wrong."""

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from classifiers import NAMED, PLACES, TEXTS, answers, fitted
from tallytext import TextClassifier, TextVectorizer
from tallytext.errors import InputError, LabelError, ScoreError, UnknownNameError

NO_TEXTS = {
    "bytes": b"salt",
    "a mapping": {"a": "salt"},
    "a number": 3,
    "nothing": None,
    "numbers": [1, 2],
    "a number among texts": ["salt", 2],
    "lists": [["salt"], ["wave"]],
    "an array of numbers": np.ones(2),
    "a matrix": np.array([["salt", "wave"]]),
}


@pytest.mark.parametrize("texts", NO_TEXTS.values(), ids=NO_TEXTS)
def test_what_is_no_list_of_texts_is_refused(texts):
    clf = fitted("multinomial", (TEXTS, PLACES))
    with pytest.raises(ValueError, match=r"document|text"):
        TextClassifier("multinomial").fit(texts, ["a", "b"])
    for ask in (clf.predict, clf.predict_proba, clf.scores, clf.predict_set, clf.top_k):
        with pytest.raises(InputError):
            ask(texts)
    with pytest.raises(InputError):
        clf.rank(texts, "sea")


@pytest.mark.parametrize("missing", [None, float("nan"), np.nan, pd.NA])
def test_a_missing_document_is_an_empty_one(missing):
    texts = ["salt", missing, "wind"]
    clf = TextClassifier("multinomial").fit(texts, ["sea", "sky", "sky"])
    empty = TextClassifier("multinomial").fit(["salt", "", "wind"], ["sea", "sky", "sky"])
    assert answers(clf, TEXTS) == answers(empty, TEXTS)
    assert clf.predict([missing]).tolist() == empty.predict([""]).tolist()


def test_bytes_are_read_as_the_vectorizer_says():
    vectorizer = TextVectorizer(encoding="latin-1")
    texts, labels = ["blå sø", "grøn eng", "blå sø"], ["sea", "land", "sea"]
    clf = TextClassifier("multinomial", vectorizer=vectorizer)
    clf.fit([text.encode("latin-1") for text in texts], labels)
    assert answers(clf, texts) == answers(
        TextClassifier("multinomial", vectorizer=vectorizer).fit(texts, labels), texts
    )
    assert clf.report().duplicates.n_repeated == 1


ODD = {
    "lone surrogates": "salt \ud800 wave\udfff",
    "NUL": "salt\x00wave \x00",
    "a long word": "x" * 5_000_000,
    "marks": "\u0301\u0301 a\u0301",
    "emoji": "👩‍👩‍👧 🏴",
}


@pytest.mark.parametrize("text", ODD.values(), ids=ODD)
@pytest.mark.parametrize("model", ["multinomial", "bernoulli"])
def test_odd_texts_are_texts(model, text):
    clf = TextClassifier(model).fit([*TEXTS, text, text], [*PLACES, "odd", "odd"])
    assert clf.predict([text]).tolist() == ["odd"] or not clf.vectorizer_.transform([text]).nnz
    assert clf.report().duplicates.n_repeated == 1
    tally = clf.tally_.copy()
    assert clf.learn(text, "odd").forget(text, "odd").tally_ == tally
    clf.explain(text)


NO_LABELS = {
    "None": ["a", None],
    "NaN": ["a", float("nan")],
    "None in a list": [["a"], [None]],
    "infinity": [1.0, float("inf")],
    "a mapping": {"a": 1, "b": 2},
    "a string": "ab",
    "a set": {"a", "b"},
    "a number": 3,
    "nothing": None,
    "objects": [object(), object()],
    "mappings": [{"a": 1}, {"b": 2}],
    "too few": ["a"],
    "too many": ["a", "b", "c"],
    "none at all": [],
    "a matrix of anything": np.array([[2, 3], [4, 5]]),
    "a cube": np.ones((2, 1, 1)),
    "a frame of strings": pd.DataFrame({"x": ["a", "b"], "y": ["c", "d"]}),
}


@pytest.mark.parametrize("labels", NO_LABELS.values(), ids=NO_LABELS)
@pytest.mark.parametrize("model", ["auto", "multinomial"])
def test_what_is_no_labels_is_refused(labels, model):
    with pytest.raises(LabelError):
        TextClassifier(model).fit(["salt", "wind"], labels)
    with pytest.raises(LabelError):
        TextClassifier(model).fit_batches([(["salt", "wind"], labels)])
    clf = fitted("multinomial", (TEXTS, PLACES))
    for verb in (clf.learn, clf.forget, clf.recalibrate, clf.score):
        with pytest.raises(LabelError):
            verb(["salt", "wind"], labels)


def test_more_texts_than_labels_are_counted():
    with pytest.raises(LabelError, match="6 documents, but labels for 2"):
        TextClassifier("multinomial").fit(TEXTS, ["a", "b"])
    with pytest.raises(LabelError, match="2 documents, but labels for 6"):
        TextClassifier("multinomial").fit(iter(TEXTS[:2]), PLACES)


@pytest.mark.parametrize("model", ["auto", *NAMED])
def test_there_must_be_something_to_learn_from(model):
    for fit in (lambda clf: clf.fit([], []), lambda clf: clf.fit_batches([])):
        with pytest.raises(LabelError, match="no document to learn from"):
            fit(TextClassifier(model))


def test_one_label_each_means_one():
    labels = [["sea"], ["sea", "sky"]] + [[place] for place in PLACES[2:]]
    message = r"document 1 has the labels \['sea', 'sky'\]"
    with pytest.raises(LabelError, match=message):
        TextClassifier("multinomial", multi_label=False).fit(TEXTS, labels)
    batches = [(TEXTS[:1], labels[:1]), (TEXTS[1:], labels[1:])]
    with pytest.raises(LabelError, match=message):
        TextClassifier("multinomial", multi_label=False).fit_batches(batches)
    clf = fitted("multinomial", (TEXTS, PLACES))
    for verb in (clf.learn, clf.forget, clf.recalibrate):
        with pytest.raises(LabelError, match="one label each"):
            verb(TEXTS, labels)
    with pytest.raises(LabelError, match="one label each"):
        clf.learn(["salt"], [[]])


def test_one_label_each_means_one_however_many_documents():
    texts, labels = ["salt", "wind"] * 3000, ["sea", "sky"] * 3000
    for at in (0, 1234, 5999):
        multi_label = [*labels[:at], ["sea", "sky"], *labels[at + 1 :]]
        with pytest.raises(LabelError, match=f"document {at} has"):
            TextClassifier("multinomial", multi_label=False).fit(texts, multi_label)


def test_labels_of_several_kinds_are_told_apart():
    texts, labels = ["salt", "wind", "road", "hill", "snow"], ["1", 1, 2.5, "a", -3]
    clf = TextClassifier("multinomial").fit(texts, labels)
    assert clf.classes_.tolist() == [-3, 1, 2.5, "1", "a"]
    assert clf.predict(texts).tolist() == labels
    assert clf.predict(texts, min_confidence=0).tolist() == labels
    assert [best[0].label for best in clf.top_k(texts)] == labels
    assert clf.rank(texts, 1).argmax() == 1
    assert clf.rank(texts, "1").argmax() == 0


def test_truth_values_are_labels():
    clf = TextClassifier("multinomial").fit(TEXTS, [True, True, True, False, False, False])
    assert clf.predict(TEXTS).tolist() == [True] * 3 + [False] * 3
    assert clf.classes_.dtype == bool


@pytest.mark.parametrize("label", ["a\x00", "", " ", "\ud800", "é" * 500, 2**70, -(2**70)])
def test_odd_labels_are_labels(label):
    clf = TextClassifier("multinomial").fit(["salt", "wind"], ["a", label])
    assert clf.predict(["wind", "salt"]).tolist() == [label, "a"]
    assert label in clf.classes_.tolist()
    assert clf.rank(["wind", "salt"], label).argmax() == 0
    clf.learn("salt", label).forget("salt", label)


def test_thousands_of_classes_are_classes():
    texts = [f"word{n} shared{n % 7}" for n in range(2000)] * 2
    labels = [f"class {n}" for n in range(2000)] * 2
    clf = TextClassifier("multinomial").fit(texts, labels)
    assert clf.score(texts[:200], labels[:200]) == 1.0
    assert clf.predict_proba(texts[:5]).shape == (5, 2000)
    assert 0.5 < clf.report().score <= 1.0


def test_an_unknown_model_is_named():
    with pytest.raises(UnknownNameError, match=r"no model 'multinomal'\. Did you mean"):
        TextClassifier("multinomal").fit(TEXTS, PLACES)
    for model in (None, 3, MODEL_CLASS, ["auto"]):
        with pytest.raises(TypeError, match="model must be the name of a learner or a model"):
            TextClassifier(model).fit(TEXTS, PLACES)


MODEL_CLASS = type(TextClassifier("multinomial").fit(TEXTS, PLACES).model_)


@pytest.mark.parametrize("vectorizer", ["words", 3, object(), TextVectorizer])
def test_a_vectorizer_of_another_kind_is_refused(vectorizer):
    with pytest.raises(TypeError, match="vectorizer must be a TextVectorizer"):
        TextClassifier(vectorizer=vectorizer).fit(TEXTS, PLACES)


@pytest.mark.parametrize("budget", [-1, float("nan"), "long"])
def test_a_budget_is_a_number_of_seconds(budget):
    with pytest.raises(ValueError, match="budget must be a number of seconds"):
        TextClassifier(budget=budget).fit(TEXTS, PLACES)


@pytest.mark.parametrize("coverage", [0, 1, -0.1, 1.5, float("nan"), "0.9", None])
def test_coverage_is_a_share(coverage):
    with pytest.raises(ScoreError, match="coverage must lie between 0 and 1"):
        fitted("multinomial", (TEXTS, PLACES)).predict_set(TEXTS, coverage)


@pytest.mark.parametrize("least", [-0.1, 1.1, float("nan"), "0.5"])
def test_confidence_is_a_probability(least):
    with pytest.raises(ScoreError, match="min_confidence must lie from 0 to 1"):
        fitted("multinomial", (TEXTS, PLACES)).predict(TEXTS, min_confidence=least)


@pytest.mark.parametrize("text", [TEXTS, [TEXTS[0]], b"salt", None, 3])
def test_one_text_is_explained_at_a_time(text):
    with pytest.raises(InputError, match="explain takes one text"):
        fitted("multinomial", (TEXTS, PLACES)).explain(text)


def test_an_unknown_label_is_named():
    clf = fitted("multinomial", (TEXTS, PLACES))
    questions = [
        lambda: clf.rank(TEXTS, "seas"),
        lambda: clf.rank([], "seas"),
        lambda: clf.explain("salt", "seas"),
        lambda: clf.explain("salt", "sea", "seas"),
        lambda: clf.terms("seas"),
    ]
    for ask in questions:
        with pytest.raises(UnknownNameError, match=r"no class 'seas'.*Did you mean 'sea'"):
            ask()


def test_sets_need_a_calibration():
    clf = TextClassifier("multinomial").fit(["salt"], ["sea"])
    with pytest.raises(ScoreError, match="too few documents"):
        clf.predict_set(["salt"])


def _label_columns():
    table = pa.table({"text": TEXTS, "label": PLACES})
    relation = duckdb.from_arrow(table)
    arrow = pa.array(PLACES)
    return {
        "duckdb": relation["label"],
        "duckdb select": relation.select("label"),
        "duckdb enum": relation.select("label::ENUM('sea', 'sky') as label"),
        "objects": np.array(PLACES, dtype=object),
        "pandas": pd.Series(PLACES, [f"row {at}" for at in range(len(PLACES))]),
        "pandas categories": pd.Series(PLACES, dtype="category"),
        "Categorical": pd.Categorical(PLACES),
        "polars": pl.Series(PLACES),
        "polars categories": pl.Series(PLACES, dtype=pl.Categorical),
        "polars table": pl.DataFrame({"label": PLACES}),
        "Arrow": arrow,
        "Arrow chunks": table["label"],
        "Arrow dictionary": arrow.dictionary_encode(),
        "Arrow table": table.select(["label"]),
    }


@pytest.mark.parametrize("kind", _label_columns())
def test_columns_of_labels_are_read_as_lists_are(kind):
    column = _label_columns()[kind]
    clf = TextClassifier("multinomial").fit(TEXTS, column)
    assert answers(clf, TEXTS) == answers(fitted("multinomial", (TEXTS, PLACES)), TEXTS)
    assert clf.score(TEXTS, column) == clf.score(TEXTS, PLACES)
    clf.learn(TEXTS, column).forget(TEXTS, column)


def test_duckdb_columns_of_texts_and_lists_of_labels_are_read():
    lists = [[place] if place == "sea" else [place, "air"] for place in PLACES]
    relation = duckdb.from_arrow(pa.table({"text": TEXTS, "labels": lists}))
    clf = TextClassifier("multinomial").fit(relation["text"], relation["labels"])
    assert clf.multi_label_ and {*clf.classes_} == {"air", *PLACES}
    with pytest.raises(LabelError, match="one column"):
        TextClassifier("multinomial").fit(relation["text"], relation)

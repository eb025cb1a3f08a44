import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import strategies
from tallies import PLANES
from tallytext import Tally, TextVectorizer
from tallytext.errors import InputError, LabelError, VocabularyError

TEXTS = ["to be or not", "to do", "", "be be be"]
LABELS = ["x", "y", "x", "y"]


@given(strategies.labelled_documents(), st.integers(1, 5), st.booleans())
def test_from_texts_equals_from_counts(corpus, batch_size, with_planes):
    texts, labels = [text for text, _ in corpus], [label for _, label in corpus]
    planes = [plane for plane in PLANES if with_planes and not plane.weighted]
    vectorizer = TextVectorizer()
    X = vectorizer.fit_transform(texts)
    expected = Tally.from_counts(X, labels, vectorizer.vocabulary_, planes=planes)
    assert Tally.from_texts(texts, labels, planes=planes, batch_size=batch_size) == expected


@given(strategies.labelled_documents(), strategies.labelled_documents())
def test_texts_counted_apart_add_up_to_the_union(one, two):
    apart = [Tally.from_texts([t for t, _ in some], [c for _, c in some]) for some in (one, two)]
    union = Tally.from_texts([t for t, _ in one + two], [c for _, c in one + two])
    assert apart[0] + apart[1] == union
    assert union - apart[1] == apart[0]


@settings(max_examples=20)
@given(strategies.labelled_documents(), st.integers(2, 4))
def test_one_thread_equals_many(corpus, n_jobs):
    texts, labels = [text * 500 for text, _ in corpus], [label for _, label in corpus]
    one, many = (
        Tally.from_texts(texts, labels, vectorizer=TextVectorizer(n_jobs=n)) for n in (1, n_jobs)
    )
    assert one == many


def test_generators_and_columns_are_tallied_as_lists_are():
    expected = Tally.from_texts(TEXTS, LABELS)
    assert Tally.from_texts(iter(TEXTS), iter(LABELS), batch_size=2) == expected
    assert Tally.from_texts(pa.array(TEXTS), pa.array(LABELS), batch_size=3) == expected
    assert Tally.from_texts((t for t in TEXTS), LABELS, batch_size=1) == expected


def test_relations_and_series_are_tallied_as_lists_are():
    import duckdb
    import pandas as pd

    expected = Tally.from_texts(TEXTS, LABELS)
    relation = duckdb.from_arrow(pa.table({"text": TEXTS, "label": LABELS}))
    texts, labels = relation.select("text"), relation.select("label")
    assert Tally.from_texts(texts, labels, batch_size=3) == expected
    texts, labels = (pd.Series(of, [0.5, 1.5, 2.5, 3.5]) for of in (TEXTS, LABELS))
    assert Tally.from_texts(texts, labels, batch_size=3) == expected


@pytest.mark.parametrize("texts", ["one text", {"a": "text"}, [1, 2, 3, 4]])
def test_documents_that_are_not_text_are_refused(texts):
    with pytest.raises(InputError):
        Tally.from_texts(texts, LABELS)
    with pytest.raises(InputError):
        Tally.from_texts(TEXTS, LABELS, batch_size=0)
    with pytest.raises(LabelError):
        Tally.from_texts(TEXTS[:1], "x")


def test_a_vectorizer_with_limits_has_to_be_fitted_before():
    vectorizer = TextVectorizer(min_df=2)
    with pytest.raises(VocabularyError, match="fit the vectorizer first"):
        Tally.from_texts(TEXTS, LABELS, vectorizer=vectorizer)
    X = vectorizer.fit_transform(TEXTS)
    tally = Tally.from_texts(TEXTS, LABELS, vectorizer=vectorizer, batch_size=1)
    assert tally == Tally.from_counts(X, LABELS, vectorizer.vocabulary_)


def test_multi_label_and_unlabelled_texts():
    tally = Tally.from_texts(TEXTS, [["x", "y"], [], ["x"], ["y"]])
    assert tally.class_documents.tolist() == [2, 2]
    assert (tally.n_documents, tally.n_multi_label, tally.n_unlabelled) == (4, 1, 1)


@pytest.mark.parametrize("labels", [LABELS[:3], [*LABELS, "z"]])
@pytest.mark.parametrize("as_given", [list, iter])
def test_texts_and_labels_must_be_as_many(labels, as_given):
    with pytest.raises(LabelError):
        Tally.from_texts(as_given(TEXTS), as_given(labels), batch_size=2)


def test_a_vectorizer_keeps_the_words_it_met():
    vectorizer = TextVectorizer(stop_words=["to"]).fit(["old words"])
    tally = Tally.from_texts(TEXTS, LABELS, vectorizer=vectorizer)
    assert tally.vocabulary is vectorizer.vocabulary_
    assert list(tally.vocabulary)[:2] == ["old", "words"]
    assert tally.n_terms == 4

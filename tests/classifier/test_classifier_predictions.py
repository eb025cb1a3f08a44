"""Predictions, probabilities, prediction sets, ranks and explanations of a classifier."""

from itertools import pairwise

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from classifiers import (
    MODELS,
    NAMED,
    PLACES,
    TEXTS,
    answers,
    corpora,
    fitted,
    some_texts,
    spread,
    spread_several,
)
from tallytext import PoissonNB, TextClassifier, runtime
from tallytext.decision import log_odds

few = settings(max_examples=25)
models = st.sampled_from(MODELS)
named = st.sampled_from(NAMED)


@pytest.fixture(scope="module", params=NAMED)
def single(request):
    return fitted(request.param, spread())


@pytest.fixture(scope="module", params=NAMED)
def multi(request):
    return fitted(request.param, spread_several(), True)


@few
@given(st.data(), models, st.booleans())
def test_probabilities_are_probabilities(data, model, multi_label):
    clf = fitted(model, data.draw(corpora(multi_label)), multi_label)
    found = clf.predict_proba(data.draw(some_texts))
    assert found.shape[1] == len(clf.classes_)
    assert ((found >= 0) & (found <= 1)).all()
    if not multi_label:
        np.testing.assert_allclose(found.sum(axis=1), 1.0, rtol=1e-9)


@few
@given(st.data(), models)
def test_the_likeliest_label_is_the_one_given(data, model):
    # One label per document: calibration keeps the best class; ties go by the prior.
    clf = fitted(model, data.draw(corpora(False)))
    queries = data.draw(some_texts)
    found, labels = clf.predict_proba(queries), clf.classes_.tolist()
    for row, given_label in zip(found, clf.predict(queries), strict=True):
        assert row[labels.index(given_label)] >= row.max() - 1e-8


def test_logarithms_of_probabilities(single):
    texts = spread()[0][:20]
    np.testing.assert_allclose(np.exp(single.predict_log_proba(texts)), single.predict_proba(texts))


@pytest.mark.parametrize("by_class", [False, True])
def test_sets_grow_with_coverage(single, by_class):
    texts = spread()[0][:60]
    wider = [
        [set(each) for each in single.predict_set(texts, coverage, by_class=by_class)]
        for coverage in (0.3, 0.6, 0.8, 0.95, 0.999)
    ]
    for small, large in pairwise(wider):
        assert all(a <= b for a, b in zip(small, large, strict=True))
    assert all(each == {"land", "sea", "sky"} for each in wider[-1])


def test_sets_begin_with_the_likeliest_label(single):
    texts = spread()[0][:60]
    assert [each[0] for each in single.predict_set(texts, 0.9, never_empty=True)] == single.predict(
        texts
    ).tolist()


def test_sets_hold_the_right_label_about_as_often_as_asked_for():
    texts, labels = spread()
    clf = fitted("multinomial", (texts[:100], labels[:100]))
    found = clf.predict_set(texts[100:], 0.8)
    assert np.mean([y in each for y, each in zip(labels[100:], found, strict=True)]) > 0.65


@pytest.mark.parametrize("least", [0.0, 0.5, 0.7, 0.9, 1.0])
def test_a_classifier_is_silent_exactly_where_it_is_not_sure(single, least):
    texts = spread()[0][:80]
    sure = single.predict_proba(texts).max(axis=1) >= least
    found = single.predict(texts, min_confidence=least)
    assert [each is not None for each in found] == sure.tolist()
    assert found[sure].tolist() == single.predict(texts)[sure].tolist()


def test_of_several_labels_those_that_are_not_sure_are_left_out(multi):
    texts = spread_several()[0][:80]
    found, labels = multi.predict_proba(texts), multi.classes_.tolist()
    for row, all_, sure in zip(
        found, multi.predict(texts), multi.predict(texts, min_confidence=0.8), strict=True
    ):
        assert sure == [label for label in all_ if row[labels.index(label)] >= 0.8]


def test_labels_of_several_rise_with_their_probability(multi):
    texts = spread_several()[0]
    found, given_labels = multi.predict_proba(texts), multi.predict(texts)
    for at, label in enumerate(multi.classes_.tolist()):
        has = np.array([label in each for each in given_labels])
        assert has.any()
        assert not has.all()
        assert found[has, at].min() >= found[~has, at].max()


@pytest.mark.parametrize("k", [1, 2, 3, 10])
def test_the_likeliest_come_first(single, k):
    texts = spread()[0][:30]
    found, everything = single.top_k(texts, k), single.predict_proba(texts)
    for best, row in zip(found, everything, strict=True):
        assert len(best) == min(k, 3)
        assert [each.probability for each in best] == sorted(row, reverse=True)[:k]
        for label, probability in best:
            assert row[single.classes_.tolist().index(label)] == probability
    assert [best[0].label for best in found] == single.predict(texts).tolist()


@pytest.mark.parametrize("k", [0, -1, 1.5, "2"])
def test_there_is_no_best_but_a_whole_number_of_them(k):
    with pytest.raises(ValueError, match="whole number"):
        fitted("multinomial", (TEXTS, PLACES)).top_k(TEXTS, k)


@few
@given(st.data(), models, st.booleans())
def test_ranks_are_log_odds_or_what_the_model_ranks_by(data, model, multi_label):
    clf = fitted(model, data.draw(corpora(multi_label)), multi_label)
    queries = data.draw(some_texts)
    scores = clf.scores(queries)
    odds = scores if clf.model_.contrasts else log_odds(scores)
    if isinstance(clf.model_, PoissonNB):
        odds = clf.model_.z_star(clf.vectorizer_.transform(queries))
    for at, label in enumerate(clf.classes_.tolist()):
        np.testing.assert_array_equal(clf.rank(queries, label), odds[:, at])


@pytest.mark.parametrize("model", [name for name in NAMED if name != "poisson"])
def test_of_several_labels_log_odds_per_token_are_ranked_as_by_probability(model):
    texts, labels = spread_several()
    clf = fitted(model, (texts, labels), True)
    found, lengths = clf.predict_proba(texts), clf.model_.lengths(clf.vectorizer_.transform(texts))
    for at, label in enumerate(clf.classes_.tolist()):
        order = np.argsort(clf.rank(texts, label) / np.maximum(lengths, 1), kind="stable")
        assert (np.diff(found[order, at]) >= -1e-9).all()


@few
@given(st.data(), named, st.booleans())
def test_threads_make_no_difference(data, model, multi_label):
    corpus, queries = data.draw(corpora(multi_label)), data.draw(some_texts)
    one, many = (fitted(model, corpus, multi_label, n_jobs=n_jobs) for n_jobs in (1, 3))
    assert raw_answers(one, queries) == raw_answers(many, queries)


def raw_answers(clf, queries):
    classes, scores, probabilities, _ = answers(clf, queries)
    return classes, scores, probabilities, clf.report().score


def test_threads_make_no_difference_to_a_choice():
    one, many = (TextClassifier(n_jobs=n_jobs).fit(*spread()) for n_jobs in (1, 3))
    assert raw_answers(one, TEXTS) == raw_answers(many, TEXTS)
    assert [(t.learner, t.score) for t in one.trials_] == [
        (t.learner, t.score) for t in many.trials_
    ]


FORMS = {
    "tuple": tuple,
    "array": np.array,
    "objects": lambda items: np.array(items, dtype=object),
    "Arrow": pa.array,
    "Arrow chunks": lambda items: pa.chunked_array([items[:2], items[2:]]),
    "Arrow dictionary": lambda items: pa.array(items).dictionary_encode(),
    "pandas": lambda items: pd.Series(items, index=range(5, 5 + len(items))),
    "pandas objects": lambda items: pd.Series(items, dtype=object),
    "pandas Arrow": lambda items: pd.Series(items, dtype="string[pyarrow]"),
    "pandas categories": lambda items: pd.Series(items, dtype="category"),
    "polars": pl.Series,
    "iterator": iter,
    "generator": lambda items: (item for item in items),
}


@pytest.mark.parametrize("form", FORMS.values(), ids=FORMS)
def test_texts_and_labels_come_in_any_form(form):
    expected = fitted("contrast", (TEXTS, PLACES))
    clf = fitted("contrast", (form(TEXTS), form(PLACES)))
    assert answers(clf, TEXTS) == answers(expected, TEXTS)
    assert clf.predict(form(TEXTS)).tolist() == expected.predict(TEXTS).tolist()
    np.testing.assert_array_equal(clf.predict_proba(form(TEXTS)), expected.predict_proba(TEXTS))
    clf.learn(form(TEXTS), form(PLACES)).forget(form(TEXTS), form(PLACES))
    assert clf.tally_ == expected.tally_
    assert clf.score(form(TEXTS), form(PLACES)) == expected.score(TEXTS, PLACES)


SEVERAL = [["sea"], ["sea"], ["sea", "sky"], ["sky"], [], ["sky"]]
FORMS_OF_SEVERAL = {
    "tuples": lambda items: [tuple(item) for item in items],
    "sets": lambda items: [set(item) for item in items],
    "frozensets": lambda items: [frozenset(item) for item in items],
    "arrays": lambda items: [np.array(item, dtype=object) for item in items],
    "objects": lambda items: np.array([*map(list, items), None], dtype=object)[:-1],
    "Arrow": pa.array,
    "pandas": pd.Series,
    "polars": pl.Series,
    "generator": lambda items: (item for item in items),
}


@pytest.mark.parametrize("form", FORMS_OF_SEVERAL.values(), ids=FORMS_OF_SEVERAL)
def test_several_labels_come_in_any_form(form):
    expected = fitted("contrast", (TEXTS, SEVERAL), None)
    clf = fitted("contrast", (TEXTS, form(SEVERAL)), None)
    assert clf.multi_label_
    assert answers(clf, TEXTS) == answers(expected, TEXTS)
    clf.learn(TEXTS, form(SEVERAL)).forget(TEXTS, form(SEVERAL))
    assert clf.tally_ == expected.tally_
    clf.recalibrate(TEXTS, form(SEVERAL))
    expected.recalibrate(TEXTS, SEVERAL)
    assert clf.score(TEXTS, form(SEVERAL)) == expected.score(TEXTS, SEVERAL)


def test_lists_of_one_label_are_one_label_each():
    clf = fitted("contrast", (TEXTS, [[place] for place in PLACES]), None)
    assert not clf.multi_label_
    assert answers(clf, TEXTS) == answers(fitted("contrast", (TEXTS, PLACES)), TEXTS)
    assert clf.score(TEXTS, [[place] for place in PLACES]) == clf.score(TEXTS, PLACES) == 1.0


def test_the_score_of_several_labels_is_a_micro_averaged_f1():
    clf = fitted("contrast", (TEXTS, SEVERAL), True)
    right = np.array([["sea" in each, "sky" in each] for each in SEVERAL])
    found = np.array([["sea" in each, "sky" in each] for each in clf.predict(TEXTS)])
    assert clf.score(TEXTS, SEVERAL) == pytest.approx(
        2 * (found & right).sum() / (found.sum() + right.sum())
    )


def test_nothing_is_answered_to_nothing():
    for multi_label in (False, True):
        labels = [[place] for place in PLACES] if multi_label else PLACES
        clf = fitted("multinomial", (TEXTS, labels), multi_label)
        assert clf.predict([]).tolist() == []
        assert clf.predict_proba([]).shape == (0, 2)
        assert clf.scores(iter([])).shape == (0, 2)
        assert clf.rank([], "sea").shape == (0,)
        assert clf.predict_set([]) == clf.top_k([]) == []
        assert clf.predict([], min_confidence=0.5).tolist() == []


def test_an_explanation_adds_up_to_the_scores():
    clf = fitted("multinomial", (TEXTS, PLACES))
    why = clf.explain("a blue wave", "sea", "sky")
    scores = clf.scores(["a blue wave"])[0]
    assert why.difference == pytest.approx(scores[0] - scores[1])
    assert {each.term for each in why.contributions} >= {"blue", "wave"}


def test_terms_are_typical_of_their_class():
    clf = fitted("multinomial", (TEXTS, PLACES))
    assert "wave" in clf.terms("sea", 2)
    assert "cloud" in clf.terms("sky", 2)


def test_labels_that_the_model_does_not_know_are_missed_by_it():
    clf = fitted("multinomial", (TEXTS, [[place] for place in PLACES]), multi_label=True)
    found = clf.predict(TEXTS).tolist()
    n_found = sum(map(len, found))
    assert clf.score(TEXTS, found) == 1
    wanted = [[*labels, "unheard of"] for labels in found]
    assert clf.score(TEXTS, wanted) == 2 * n_found / (2 * n_found + len(TEXTS))


@pytest.mark.parametrize("multi_label", [False, True])
def test_answers_do_not_depend_on_how_many_are_given_at_once(monkeypatch, multi_label):
    labels = [[place] for place in PLACES] if multi_label else PLACES
    clf = fitted("multinomial", (TEXTS, labels), multi_label)

    def said():
        return [
            clf.predict(TEXTS, min_confidence=0.6).tolist(),
            clf.predict_set(TEXTS, 0.7),
            clf.top_k(TEXTS, 1),
            clf.predict_proba(TEXTS).tolist(),
            clf.scores(TEXTS).tolist(),
            clf.score(TEXTS, labels),
        ]

    at_once = said()
    monkeypatch.setattr(runtime, "MAX_BLOCK_NUMBERS", 4)
    assert said() == at_once


def test_a_class_that_no_judged_document_has_can_be_given_all_the_same():
    texts, labels = spread_several()
    clf = fitted("contrast", (texts, labels), multi_label=True)
    some = [at for at, each in enumerate(labels) if "sky" not in each]
    clf.recalibrate([texts[at] for at in some], [labels[at] for at in some])
    assert "sky" not in clf.calibration_.classes
    assert ["sky"] in clf.predict(texts).tolist()

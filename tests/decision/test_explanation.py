"""Explanations: contributions add up, words have names, and what cannot be is refused."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

from tallytext import BernoulliNB, MultinomialNB, PoissonNB, Tally, TextVectorizer
from tallytext.errors import (
    CountError,
    InputError,
    LabelError,
    UnknownNameError,
    VocabularyError,
)
from tallytext.models import AbsoluteDiscount, Background, Dirichlet, Laplace, Unsmoothed

SMOOTHINGS = [Laplace(1), Background(0.5), Dirichlet(10.0), AbsoluteDiscount(0.5)]
MODELS = [
    *(MultinomialNB(smoothing) for smoothing in SMOOTHINGS),
    *(MultinomialNB(smoothing, complement=True) for smoothing in SMOOTHINGS),
    MultinomialNB(complement="only"),
    MultinomialNB(weighting="ig"),
    MultinomialNB(complement=True, weighting="prr", weight_by_class=True),
    MultinomialNB(normalize="l1", tf="log", tf_test="log", prior="smoothed"),
    MultinomialNB.chi_contrast(),
    MultinomialNB(length_model=True),
    MultinomialNB(length_model=True, complement=True),
    BernoulliNB(),
    BernoulliNB(complement=True),
    PoissonNB(),
]
TRAINING = ["salt wave wave", "blue wave", "blue cloud", "cloud wind", "wind rocket"]
LABELS = ["sea", "sea", "sky", "sky", "space"]


def count_rows(n_terms=6):
    return st.lists(st.integers(0, 4), min_size=n_terms, max_size=n_terms)


@st.composite
def corpora(draw):
    rows = draw(st.lists(count_rows(), min_size=3, max_size=8))
    rows[0][0] += 1
    labels = ["a", "b", "c", *draw(st.lists(st.sampled_from("abc"), min_size=5, max_size=5))]
    return np.array(rows), labels[: len(rows)], np.array([draw(count_rows())])


@pytest.fixture
def vectorizer():
    return TextVectorizer().fit(TRAINING)


@pytest.fixture
def model(vectorizer):
    return MultinomialNB().fit(vectorizer.transform(TRAINING), LABELS)


def total(why):
    return sum(part.value for part in why.parts) + sum(each.value for each in why.contributions)


def check_sum(why, score, other):
    near = pytest.approx(score - other, rel=1e-9, abs=1e-9 * (1 + abs(score) + abs(other)))
    assert total(why) == near
    assert why.difference == near


@pytest.mark.parametrize("model", MODELS, ids=repr)
@settings(max_examples=12)
@given(corpora())
def test_contributions_add_up_to_the_difference_of_scores(model, corpus):
    X, y, x = corpus
    scores = model.fit(X, y).scores(x)[0]
    for label in model.classes_:
        for against in set(model.classes_) - {label}:
            why = model.explain(x, label, against)
            first, second = model.class_number(label), model.class_number(against)
            check_sum(why, scores[first], scores[second])
            assert (why.label, why.against) == (label, against)


@given(corpora(), st.sampled_from([MultinomialNB(), BernoulliNB(), MultinomialNB(Laplace(0.1))]))
def test_a_multi_label_score_is_already_a_difference(corpus, model):
    X, y, x = corpus
    scores = model.fit(X, [[label] for label in y]).scores(x)[0]
    why = model.explain(x)
    assert why.against is None
    assert why.label == model.classes_[scores.argmax()]
    check_sum(why, scores.max(), 0.0)


@given(corpora())
def test_the_predicted_class_is_explained_against_the_runner_up(corpus):
    X, y, x = corpus
    model = MultinomialNB(Laplace(1)).fit(X, y)
    why, best = model.explain(x), model.top_k(x, 2)
    assert [why.label, why.against] == model.classes_[best.classes[0]].tolist()
    assert model.explain(x, against=why.label).label == why.against


def test_each_part_equals_its_definition():
    model = MultinomialNB(Laplace(1)).fit([[3, 1], [1, 1], [0, 2]], ["a", "a", "b"])
    why = model.explain([[2, 1]], "a", "b")
    assert why.prior == pytest.approx(np.log(2))
    first, second = why.contributions
    assert first.value == pytest.approx(2 * (np.log(5 / 8) - np.log(1 / 4)))
    assert second.value == pytest.approx(np.log(3 / 8) - np.log(3 / 4))
    assert (first.term, first.count, first.known) == ("x0", 2.0, True)
    assert (why.absent, why.length) == (None, None)


def test_bernoulli_models_show_the_contribution_of_absent_words():
    model = BernoulliNB().fit([[1, 1, 0], [0, 1, 1]], ["sea", "sky"])
    why = model.explain([[0, 0, 1]], "sky", "sea")
    empty = model.explain([[0, 0, 0]], "sky", "sea")
    assert why.absent == empty.absent == pytest.approx(empty.difference)
    assert [part.name for part in why.parts] == ["prior", "absent words"]


def test_a_length_model_is_a_summand():
    model = MultinomialNB(length_model=True).fit([[9, 9], [1, 0]], ["long", "short"])
    why = model.explain([[8, 7]], "long", "short")
    assert why.length > 0
    assert [part.name for part in why.parts] == ["prior", "length"]


def test_an_empty_document_has_only_its_prior(model):
    why = model.explain(np.zeros((1, 6), dtype=int))
    assert why.contributions == ()
    assert why.difference == pytest.approx(why.prior)
    assert why.to_text().splitlines()[0] == "sea rather than sky: 0.00"
    assert "<table" in why.to_html()


def test_words_that_no_class_can_have_written_leave_the_prior():
    model = MultinomialNB(Unsmoothed()).fit([[2, 0, 1], [0, 1, 1]], ["a", "b"])
    one = model.explain([[1, 0, 1]])
    assert (one.label, one.difference) == ("a", np.inf)
    both = model.explain([[1, 1, 0]])
    assert [each.value for each in both.contributions] == [0.0, 0.0]
    assert both.difference == both.prior == 0.0
    assert "inf" in one.to_text() and "inf" in one.to_html()


def test_a_model_of_one_class_is_explained_by_its_score():
    model = MultinomialNB().fit([[1, 2]], ["only"])
    why = model.explain([[1, 1]])
    assert why.against is None
    check_sum(why, model.scores([[1, 1]])[0, 0], 0.0)


def test_single_precision_is_explained_in_double(vectorizer):
    X = vectorizer.transform(TRAINING)
    exact, rough = (MultinomialNB(dtype=dtype).fit(X, LABELS) for dtype in ("float64", "float32"))
    assert exact.explain(X[:1]) == rough.explain(X[:1])


# ------------------------------------------------------------------ names and words


def test_unknown_words_are_shown_and_add_nothing(vectorizer, model):
    text = "Salt and foam, foam"
    why = model.explain(vectorizer.transform([text]), text=text, vectorizer=vectorizer)
    strangers = [(each.term, each.count, each.value) for each in why.unknown_terms]
    assert strangers == [("and", 1.0, 0.0), ("foam", 2.0, 0.0)]
    assert why.unknown_terms[1].spans == ((9, 13), (15, 19))
    assert "unknown: and, foam" in why.to_text()


def test_a_column_that_was_never_filled_is_unknown():
    model = MultinomialNB().fit([[1, 0, 0], [0, 1, 0]], ["a", "b"])
    why = model.explain([[1, 0, 2]])
    assert [each.known for each in why.contributions] == [True, False]
    assert why.contributions[1].value == 0


def test_columns_are_named_by_whoever_knows_them(vectorizer, model):
    x = vectorizer.transform(["salt"])

    def names(**more):
        return [each.term for each in model.explain(x, **more).contributions]

    assert names() == ["x0"]
    assert names(vectorizer=vectorizer) == ["salt"]
    assert names(terms=vectorizer.vocabulary_) == ["salt"]
    assert names(terms=vectorizer.get_feature_names_out()) == ["salt"]
    assert names(terms=["SALT"]) == ["SALT"]


def test_the_column_names_of_a_data_frame_are_the_terms():
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"salt": [1, 0], "cloud": [0, 1]})
    model = MultinomialNB().fit(frame, ["sea", "sky"])
    assert [each.term for each in model.explain(frame[:1]).contributions] == ["salt"]


def test_a_tally_names_its_words_and_numbers_unknown_columns():
    vectorizer = TextVectorizer()
    X = vectorizer.fit_transform(TRAINING)
    tally = Tally(vectorizer.vocabulary_).learn(X, LABELS)
    why = MultinomialNB.from_tally(tally).explain([[1, 0, 0, 0, 0, 0, 3]])
    assert [(each.term, each.known) for each in why.contributions] == [
        ("salt", True),
        ("x6", False),
    ]


# ------------------------------------------------------------------ what cannot be explained


def test_more_than_one_document_is_refused(vectorizer, model):
    with pytest.raises(
        CountError, match=r"one document can be explained at a time, not 5: give one row"
    ):
        model.explain(vectorizer.transform(TRAINING))


@pytest.mark.parametrize("wrap", [np.array, sparse.csr_array, sparse.csr_matrix])
def test_a_row_of_a_matrix_is_a_document(wrap):
    X = wrap([[2, 1, 0], [0, 0, 3]])
    model = MultinomialNB().fit(X, ["sea", "sky"])
    try:
        row = X[0]
    except NotImplementedError:
        pytest.skip("sparse arrays of this SciPy have no vectors")
    assert model.explain(row) == model.explain(X[:1])


def test_a_model_without_a_class_has_nothing_to_explain():
    model = MultinomialNB().fit([[1, 0]], ["sea"]).forget([[1, 0]], ["sea"])
    with pytest.raises(LabelError, match="no class to predict"):
        model.explain([[1, 0]])


def test_an_unknown_label_is_met_with_a_known_one(vectorizer, model):
    x = vectorizer.transform(["salt"])
    with pytest.raises(UnknownNameError, match=r"no class 'spase' here\. Did you mean 'space'"):
        model.explain(x, "spase")
    with pytest.raises(UnknownNameError, match="'se'"):
        model.explain(x, "sea", "se")
    with pytest.raises(LabelError, match="'sea' cannot be compared with itself"):
        model.explain(x, "sea", "sea")


def test_a_text_needs_the_vectorizer_that_counted_it(vectorizer, model):
    x = vectorizer.transform(["salt"])
    with pytest.raises(InputError, match="pass the TextVectorizer that counted"):
        model.explain(x, text="salt")
    with pytest.raises(InputError, match="text must be one document, not \\['salt'\\]"):
        model.explain(x, text=["salt"], vectorizer=vectorizer)
    with pytest.raises(VocabularyError, match=r"1 terms were given, but .* column 2"):
        model.explain(vectorizer.transform(["blue"]), terms=["salt"])

"""Laws of translation models: what signatures bring, and what becomes of it with other texts."""

import numpy as np
import pytest
import sklearn
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.pipeline import make_pipeline
from sklearn.utils import estimator_checks

from tallytext import MultinomialNB, TextVectorizer
from tallytext.errors import CountError, UnknownNameError, VocabularyError
from tallytext.semantic import Concepts, Phrases, TranslationModel
from tallytext.semantic.estimation import translation_rows

TOY = [[2, 1, 0, 0], [1, 0, 1, 0], [0, 1, 2, 1]]
HELD = [[1, 0], [1, 1], [0, 1]]
NAMES = ["a", "b", "c", "d"]
EM_ROWS = {  # of 15 steps, as published
    "t1": {"a": 0.797226355, "b": 0.1543957801, "c": 0.04837786494},
    "t2": {"a": 0.01679900415, "b": 0.1074431798, "c": 0.6568183621, "d": 0.218939454},
}
TEXTS = [
    "The space shuttle is in orbit.",
    "A space shuttle left for the moon.",
    "Orbit of the moon, from space",
    "The bus is late.",
    "A late bus to the sea",
    "Sea and salt, and a bus",
] * 3
WORDS = st.sampled_from(["sea", "sky", "salt", "blue", "wave", "cloud", "ship", "sun"])
CORPORA = st.lists(st.lists(WORDS, max_size=6).map(" ".join), min_size=1, max_size=10)


def em_model(signatures="phrases"):
    """The published example, whose signatures are given as counts."""
    model = TranslationModel(signatures, solver="em", min_probability=0, min_df=1)
    return model.fit_counts(TOY, NAMES, HELD, ["t1", "t2"])


@pytest.mark.parametrize("signature", EM_ROWS)
def test_rows_of_phrases_equal_a_manual_calculation(signature):
    found = dict(em_model().explain(signature, n=None))
    assert found == pytest.approx(EM_ROWS[signature], abs=1e-8)
    assert list(found) == sorted(found, key=found.get, reverse=True)


def test_classes_are_translated_as_worked_out_by_hand():
    # X holds t1 twice and t2 once, Y holds t2 once; words do not count here.
    of_classes = np.array([[3, 1, 1, 0, 2, 1], [0, 1, 2, 1, 0, 1]])
    expected = [
        [0.5370839047, 0.1387449133, 0.251191364, 0.07297981801],
        [0.01679900415, 0.1074431798, 0.6568183621, 0.218939454],
    ]
    np.testing.assert_allclose(em_model().translate(of_classes).toarray(), expected, atol=1e-8)


def test_the_classes_of_the_published_example_mix_as_published():
    translated = em_model().translate([[0, 0, 0, 0, 2, 1], [0, 0, 0, 0, 0, 1]]).toarray()
    own, background = np.array([[3, 1, 1, 0], [0, 1, 2, 1]]), np.array([3, 2, 3, 1]) / 9
    smoothed = 0.5 * own / own.sum(axis=1, keepdims=True) + 0.5 * background
    expected = [
        [0.4948335619, 0.182164632, 0.2604765456, 0.06252526054],
        [0.1067196017, 0.1846439386, 0.5127273448, 0.1959091149],
    ]
    np.testing.assert_allclose(0.6 * smoothed + 0.4 * translated, expected, atol=1e-8)


def test_words_and_phrases_share_by_the_weight_of_phrases():
    counts = np.array([[1, 0, 0, 0, 1, 0], [1, 0, 0, 0, 0, 0], [0, 0, 0, 0, 0, 3]])
    model = em_model("words")
    word, phrase, other = (model.translate(np.eye(6)[[i]]).toarray()[0] for i in (0, 4, 5))
    for weight in (0, 0.3, 1):
        mixed = model.set_params(phrase_weight=weight).translate(counts).toarray()
        np.testing.assert_allclose(mixed[0], (1 - weight) * word + weight * phrase)
        np.testing.assert_allclose(mixed[1:], [word, other])


def test_signatures_without_a_row_are_left_out_before_shares_are_made():
    model = TranslationModel().fit(["sea salt", "salt sea", "rare", "sea"])
    one, other = model.translate(["salt", "salt rare rare rare"]).toarray()
    np.testing.assert_array_equal(one, other)
    assert not model.translate(["rare", "unheard", ""]).nnz


@given(CORPORA, CORPORA, st.sampled_from(["occurrences", "documents", "log"]))
def test_rows_and_translations_sum_to_one(texts, others, counts):
    model = TranslationModel(counts=counts, min_df=1).fit(texts)
    np.testing.assert_allclose(model.rows_.sum(axis=1), 1)
    assert model.rows_.shape == (len(model.signatures_), len(model.words_))
    sums = model.translate(others).sum(axis=1)
    usable = model.transform(others)[:, model.columns_].sum(axis=1) > 0
    np.testing.assert_allclose(sums, usable.astype(float))


@given(CORPORA)
def test_rows_equal_those_of_the_weighted_counts(texts):
    X = TextVectorizer().fit_transform(texts).astype(float)
    log = X.copy()
    log.data = np.log1p(log.data)
    totals = np.asarray(log.sum(axis=1))
    weights = {
        "occurrences": (X, X),
        "documents": ((X > 0).astype(float), (X > 0).astype(float)),
        "log": (sparse.csr_array(log.multiply(1 / np.maximum(totals, 1e-300))), log),
    }
    for counts, (documents, shown) in weights.items():
        model = TranslationModel(counts=counts, min_df=1, beta=0.3).fit(texts)
        if not len(model.words_):
            continue
        background = np.asarray(shown.sum(axis=0)).ravel() / shown.sum()
        expected = translation_rows(documents, background, beta=0.3, min_df=1)
        np.testing.assert_allclose(model.rows_.toarray(), expected.toarray(), atol=1e-12)


def test_texts_and_their_counts_give_the_same_model():
    phrases = Phrases(min_count=2, stop_words="english").fit(TEXTS)
    by_texts = TranslationModel(["words", clone(phrases)]).fit(TEXTS)
    vectorizer = TextVectorizer()
    X, P = vectorizer.fit_transform(TEXTS), phrases.transform(TEXTS)
    by_counts = TranslationModel().fit_counts(
        X, vectorizer.get_feature_names_out(), P, phrases.get_feature_names_out()
    )
    np.testing.assert_array_equal(by_texts.signatures_, by_counts.signatures_)
    np.testing.assert_array_equal(by_texts.kinds_, by_counts.kinds_)
    np.testing.assert_array_equal(by_texts.rows_.toarray(), by_counts.rows_.toarray())
    assert set(by_texts.kinds_) == {0, 1}
    with pytest.raises(CountError, match="fitted on counts of phrases"):
        by_counts.transform(TEXTS)


def test_columns_are_words_then_phrases_then_concepts():
    concepts = Concepts({"bus": "vehicle", "space shuttle": "vehicle", "sea": "water"})
    phrases = Phrases(min_count=3, max_words=2, stop_words="english")
    model = TranslationModel(["words", phrases, concepts])
    X = model.fit(iter(TEXTS)).transform(iter(TEXTS))
    names = model.get_feature_names_out().tolist()
    assert X.shape == (len(TEXTS), len(names))
    assert names[-2:] == ["=vehicle", "=water"] and "space shuttle" in names
    assert X[:, [names.index("space shuttle")]].sum() == 6
    assert X[:, [names.index("=vehicle")]].sum() == 15
    for signature, column, kind in zip(
        model.signatures_, model.columns_, model.kinds_, strict=True
    ):
        assert names[column] == signature
        assert kind == (0 if column < len(model.words_) else 2 if signature[0] == "=" else 1)
    assert model.explain("=water")[0][0] in ("sea", "bus")


def test_frozen_phrases_are_taken_as_they_are():
    frozen = pytest.importorskip("sklearn.frozen").FrozenEstimator
    phrases = Phrases(min_count=2, stop_words="english").fit(["a space shuttle"] * 3)
    model = TranslationModel(frozen(phrases)).fit(TEXTS)
    assert model.signatures_.tolist() == ["space shuttle"]
    assert model.phrases_ is phrases


def test_phrases_alone_leave_words_without_rows():
    model = TranslationModel("phrases", stop_words="english").fit(TEXTS)
    assert set(model.kinds_) == {1}
    assert model.phrases_.stop_words == "english"
    assert model.set_params(verbose=False).fit(TEXTS).phrases_.verbose is False
    assert not model.translate(["bus sea"]).nnz
    assert model.translate(["space shuttle"]).nnz


@pytest.mark.parametrize("n_jobs", [2, 5])
def test_threads_make_no_difference(n_jobs):
    one = TranslationModel("words+phrases", n_jobs=1).fit(TEXTS)
    many = TranslationModel("words+phrases", n_jobs=n_jobs).fit(TEXTS)
    np.testing.assert_array_equal(one.rows_.toarray(), many.rows_.toarray())


def test_fitting_again_forgets_and_a_failure_leaves_everything_as_it_was():
    model = TranslationModel().fit(TEXTS)
    before = model.rows_.copy()
    with pytest.raises(ValueError, match="solver"):
        model.set_params(solver="x").fit(["other"])
    assert (model.rows_ != before).nnz == 0
    assert model.transform(["space"]).shape == (1, len(model.words_))
    again = model.set_params(solver="exact").fit(["sea salt"] * 2)
    assert again.words_.tolist() == ["sea", "salt"]


def test_an_explanation_is_a_list_and_a_table():
    found = TranslationModel(stop_words="english").fit(TEXTS).explain("shuttle", n=2)
    assert len(found) == 2 and all(len(pair) == 2 for pair in found)
    assert str(found).splitlines()[0] == "shuttle"
    assert [line.split()[0] for line in str(found).splitlines()[1:]] == [w for w, _ in found]


def test_a_signature_that_is_not_there_is_named_and_others_are_offered():
    model = TranslationModel().fit([*TEXTS, "rare"])
    with pytest.raises(UnknownNameError, match="Did you mean 'shuttle'"):
        model.explain("shutle")
    with pytest.raises(UnknownNameError, match="min_df=2"):
        model.explain("rare")


# ---------------------------------------------------------------------- other texts


def test_rows_are_mapped_by_name_and_sum_to_one_again():
    model = TranslationModel("words+phrases", stop_words="english").fit(TEXTS)
    words = ["moon", "unheard", "orbit", "bus"]
    other = model.restricted_to(words)
    assert other.words_.tolist() == words
    assert other.signatures_.tolist()[:3] == ["moon", "orbit", "bus"]
    np.testing.assert_allclose(other.rows_.sum(axis=1), 1)
    for signature in other.signatures_:
        before = dict(model.explain(signature, n=None))
        kept = {word: p for word, p in before.items() if word in words}
        expected = {word: p / sum(kept.values()) for word, p in kept.items()}
        assert dict(other.explain(signature, n=None)) == pytest.approx(expected)
    X = other.transform(["space shuttle near the moon"])
    names = other.get_feature_names_out().tolist()
    assert [names[i] for i in X.nonzero()[-1]] == ["moon", "space shuttle"]
    assert model.words_.tolist() != words


@given(CORPORA)
def test_the_own_vocabulary_changes_nothing(texts):
    model = TranslationModel(min_df=1).fit(texts)
    other = model.restricted_to(model.vectorizer_)
    assert other.signatures_.tolist() == model.signatures_.tolist()
    np.testing.assert_allclose(other.rows_.toarray(), model.rows_.toarray(), atol=1e-12)
    np.testing.assert_allclose(other.background_, model.background_)


@given(CORPORA, st.permutations(["sea", "sky", "salt", "blue", "wave", "cloud", "ship", "sun"]))
def test_the_order_of_words_changes_nothing_but_the_columns(texts, order):
    model = TranslationModel(min_df=1).fit(texts)
    other = model.restricted_to(order)
    for signature in model.signatures_:
        own, mapped = (dict(each.explain(signature, None)) for each in (model, other))
        assert own == pytest.approx(mapped)
    assert (np.diff(other.columns_) > 0).all()


def test_a_vectorizer_that_is_given_counts_from_now_on():
    vectorizer = TextVectorizer(language="english").fit(["shuttles", "orbits"])
    other = TranslationModel(vectorizer=clone(vectorizer)).fit(TEXTS).restricted_to(vectorizer)
    assert other.words_.tolist() == ["shuttl", "orbit"]
    assert other.transform(["shuttle"]).toarray().tolist() == [[1, 0]]


def test_coverage_counts_the_known_words_of_other_texts():
    model = TranslationModel("words+phrases", stop_words="english").fit([*TEXTS, "rare"])
    found = model.coverage(["space shuttle news", "rare news", "unheard of"])
    assert (found.words.n_different, found.words.n_known) == (5, 3)  # space, shuttle, rare
    assert (found.words.n_all, found.words.n_all_known) == (6, 3)
    assert (found.signatures.n_different, found.signatures.n_known) == (6, 3)
    assert (found.n_documents, found.n_documents_known) == (3, 1)
    names = model.coverage(names=["space shuttle", "solar system", "bus"])
    assert (names.signatures.n_different, names.signatures.n_known) == (3, 2)
    assert str(names).splitlines()[-1].startswith("  signatures")
    with pytest.raises(ValueError, match="either"):
        model.coverage()


# ---------------------------------------------------------------------- what is refused


@pytest.mark.parametrize(
    "signatures", ["", "word", "words+", [], 7, Phrases, ["words", "concepts"], None]
)
def test_signatures_that_are_none_are_refused(signatures):
    with pytest.raises(ValueError, match="signatures must be"):
        TranslationModel(signatures).fit(TEXTS)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"counts": "tokens"}, "counts must be"),
        ({"phrase_weight": 1.5}, "phrase_weight must be"),
        ({"beta": 1}, "beta must be"),
        (
            {"stop_words": "english", "vectorizer": TextVectorizer()},
            "set stop_words of the vectorizer",
        ),
    ],
)
def test_settings_that_cannot_be_are_refused(settings, message):
    with pytest.raises(ValueError, match=message):
        TranslationModel(**settings).fit(TEXTS)


def test_counts_that_do_not_fit_are_refused():
    model = TranslationModel()
    with pytest.raises(VocabularyError, match="4 columns, but 3 names"):
        model.fit_counts(TOY, NAMES[:3])
    with pytest.raises(VocabularyError, match="two words 'a'"):
        model.fit_counts(TOY, ["a", "b", "c", "a"])
    with pytest.raises(CountError, match="counts of words only"):
        TranslationModel("phrases").fit_counts(TOY, NAMES)
    with pytest.raises(CountError, match="negative"):
        model.fit_counts([[-1, 2, 3, 4]], NAMES)
    model.fit_counts(TOY, NAMES)
    with pytest.raises(CountError, match="4 words"):
        model.translate([[1, 2]])


def test_methods_raise_before_fit():
    for ask in ("transform", "translate", "coverage"):
        with pytest.raises(NotFittedError):
            getattr(TranslationModel(), ask)(["text"])
    with pytest.raises(NotFittedError):
        TranslationModel().explain("word")


# ---------------------------------------------------------------------- scikit-learn


@pytest.mark.parametrize(
    "check",
    [
        estimator_checks.check_estimator_cloneable,
        estimator_checks.check_estimator_repr,
        estimator_checks.check_no_attributes_set_in_init,
        estimator_checks.check_parameters_default_constructible,
        estimator_checks.check_get_params_invariance,
        estimator_checks.check_set_params,
    ],
)
def test_a_translation_model_is_an_estimator(check):
    """Those of scikit-learn's checks that need no matrix: it is fitted on texts."""
    check("TranslationModel", TranslationModel())


def test_counts_are_sparse_whatever_the_output_is_set_to():
    with sklearn.config_context(transform_output="pandas"):
        assert sparse.issparse(TranslationModel("words+phrases").fit_transform(TEXTS))


def test_it_is_a_step_of_a_pipeline():
    pipeline = make_pipeline(TranslationModel("words+phrases"), MultinomialNB())
    labels = ["space"] * 3 + ["sea"] * 3
    assert pipeline.fit(TEXTS, labels * 3).predict(TEXTS[:6]).tolist() == labels


def test_a_signature_that_ends_with_a_zero_is_not_taken_for_another():
    names = ["su\0", "su", "b\0", "c"]
    model = TranslationModel(min_df=1).fit_counts([*TOY, *TOY], names)
    for signature, row in zip(model.signatures_, model.rows_.toarray(), strict=True):
        found = dict(model.explain(signature, None))
        assert found == {names[at]: row[at] for at in np.flatnonzero(row)}

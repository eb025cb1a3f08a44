"""Zhou's system in the classifier: it counts the signatures of a translation, or learns one."""

import warnings

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from scipy import sparse
from sklearn.base import clone

from tallytext import (
    ExpectationMaximisation,
    MultinomialNB,
    RefinedNB,
    Tally,
    TextClassifier,
    TextVectorizer,
)
from tallytext.errors import AnalysisError, CountError, FileError, LabelError, SettingsError
from tallytext.features import TermSelector
from tallytext.models import Background, Laplace, Semantic, Translation
from tallytext.semantic import Concepts, Phrases, TranslationModel

few = settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.too_slow])

SPACE = ["The space shuttle left its orbit", "A space shuttle in orbit", "Moon and orbit"]
SPORT = ["Ice hockey, the last goal", "An ice hockey goal again", "The puck and the goal"]
POOL = [*SPACE, *SPORT] * 3
TEXTS = ["a space shuttle", "some ice hockey", "one shuttle", "hockey tonight"]
LABELS = ["space", "sport", "space", "sport"]
NEW = ["back in orbit", "the last goal", "space hockey in orbit"]
CONCEPTS = {
    "space shuttle": "vehicle",
    "shuttle": "vehicle",
    "ice hockey": "game",
    "hockey": "game",
}


def phrases():
    return Phrases(stop_words="english", min_count=2, threshold=0.1)


KINDS = {
    "words": "words",
    "phrases": phrases(),
    "concepts": Concepts(CONCEPTS),
    "mixture": ["words", phrases(), Concepts(CONCEPTS)],
}
# Of other texts than the pool, with words that the training documents lack.
OTHER_TEXTS = ["shuttle orbit", "a shuttle of the orbit", "hockey goal", "goal of hockey"] * 2


def translation(kind):
    if kind == "another corpus":
        return TranslationModel(stop_words="english").fit(OTHER_TEXTS)
    return TranslationModel(KINDS[kind], stop_words="english").fit(POOL)


TRANSLATIONS = {kind: translation(kind) for kind in [*KINDS, "another corpus"]}
kinds = pytest.mark.parametrize("kind", TRANSLATIONS)


def trained(rows, texts=TEXTS, labels=LABELS, pool=POOL, **options):
    model = MultinomialNB(Semantic(rows), **options)
    return TextClassifier(model).fit(texts, labels, unlabelled=pool)


# ---------------------------------------------------------------------- the rows of the table


@kinds
def test_words_of_no_labelled_document_are_classified_by_their_translation(kind):
    classifier = trained(TRANSLATIONS[kind])
    assert classifier.predict(NEW[:2]).tolist() == ["space", "sport"]
    assert not classifier.multi_label_
    scores = classifier.scores(NEW)
    classifier.model_.set_params(smoothing=Background(0.5))
    assert not np.allclose(classifier.scores(NEW), scores)


@kinds
@pytest.mark.parametrize("complement", [False, True])
def test_scores_are_those_of_counts_by_hand(kind, complement):
    rows, texts = TRANSLATIONS[kind], [*TEXTS, *POOL]
    labels = [*([label] for label in LABELS), *([] for _ in POOL)]
    words = TextVectorizer(stop_words="english").fit(texts)
    finders = [words] if rows.phrases_ is None else [words, rows.phrases_]

    def count(texts):
        return sparse.hstack([finder.transform(texts) for finder in finders], "csr")

    names = [name for finder in finders for name in finder.get_feature_names_out()]
    tally = Tally.from_counts(count(texts), labels, names)
    options = {"complement": complement, "multi_label": False}
    model = MultinomialNB.from_tally(tally, smoothing=Semantic(rows), **options)
    found = trained(rows, complement=complement).scores(NEW)
    np.testing.assert_allclose(found, model.scores(count(NEW)), rtol=1e-12)


def test_texts_without_labels_are_the_background_of_the_paper():
    rows = TRANSLATIONS["mixture"]
    model = MultinomialNB(Semantic(rows)).fit(
        rows.transform(SPACE[:1] + SPORT[:1]),
        LABELS[:2],
        unlabelled=rows.transform(POOL),
        em=ExpectationMaximisation(rounds=0),
    )
    classifier = trained(rows, SPACE[:1] + SPORT[:1], LABELS[:2])
    expected = model.scores(rows.transform(NEW))
    np.testing.assert_allclose(classifier.scores(NEW), expected, rtol=1e-12)


@pytest.mark.parametrize("signatures", ["words", "phrases", "words+phrases"])
def test_a_translation_is_learned_from_all_texts(signatures, tmp_path):
    smoothing = Semantic(signatures=signatures)
    classifier = TextClassifier(MultinomialNB(smoothing), vectorizer=TextVectorizer())
    classifier.fit(TEXTS, LABELS, unlabelled=POOL)
    learned = classifier.model_.smoothing.translation
    same = TranslationModel(signatures, vectorizer=TextVectorizer()).fit([*TEXTS, *POOL])
    assert Semantic(learned) == Semantic(same)
    assert classifier.model.smoothing is smoothing  # parameters are never changed
    classifier.save(tmp_path / "model")
    loaded = TextClassifier.load(tmp_path / "model")
    assert Semantic(loaded.model_.smoothing.translation) == Semantic(learned)
    np.testing.assert_array_equal(loaded.scores(NEW), classifier.scores(NEW))
    # The translation in the model is a file of its own for other documents.
    loaded.model_.smoothing.translation.save(tmp_path / "learned")
    assert Semantic(TranslationModel.load(tmp_path / "learned")) == Semantic(learned)


def test_a_model_that_is_not_fitted_says_how_to_learn():
    unfitted = TranslationModel(KINDS["concepts"], beta=0.7)
    classifier = trained(unfitted)
    learned = classifier.model_.smoothing.translation
    assert learned.beta == 0.7
    assert set(learned.signatures_) == {"=vehicle", "=game"}
    assert not hasattr(unfitted, "rows_")


def test_batches_and_documents_at_once_give_the_same_classifier():
    for smoothing in (Semantic(signatures="words+phrases"), Semantic(TRANSLATIONS["mixture"])):
        untrained = TextClassifier(MultinomialNB(smoothing))
        once = clone(untrained).fit(TEXTS, LABELS, unlabelled=POOL)
        parts = [(TEXTS[:1], LABELS[:1]), (iter(TEXTS[1:]), LABELS[1:])]
        pool = (POOL[at::2] for at in range(2))
        batches = clone(untrained).fit_batches(parts, unlabelled=pool)
        assert batches.tally_ == once.tally_
        np.testing.assert_allclose(batches.scores(NEW), once.scores(NEW))


def test_without_unlabelled_texts_the_labelled_ones_are_the_background():
    classifier = TextClassifier(MultinomialNB(Semantic())).fit(POOL, LABELS[:3] * 6)
    assert classifier.tally_.n_unlabelled == 0
    assert classifier.report().n_documents == len(POOL)


def test_documents_with_several_labels_can_be_smoothed():
    labels = [["space"], ["sport"], ["space", "sport"], []]
    classifier = TextClassifier(MultinomialNB(Semantic(TRANSLATIONS["mixture"])))
    classifier.fit(TEXTS, labels)
    assert classifier.multi_label_
    with pytest.raises(LabelError, match="unlabelled documents can be used only if"):
        classifier.fit(TEXTS, labels, unlabelled=POOL)


def test_the_weight_is_chosen_with_texts_without_labels():
    model = MultinomialNB(Semantic(TRANSLATIONS["phrases"], "leave-one-out"))
    classifier = TextClassifier(model).fit(TEXTS, LABELS, unlabelled=POOL)
    assert 0 <= classifier.model_.chosen_[1].weight <= 0.9


def test_the_report_counts_labelled_documents_and_is_short():
    report = trained(TRANSLATIONS["phrases"]).report()
    assert report.n_documents == len(TEXTS)
    assert report.n_unlabelled == len(POOL)
    assert "signatures into" in report.setting
    assert len(report.setting) < 150


def test_selected_terms_may_be_phrases():
    model, select = MultinomialNB(Semantic(TRANSLATIONS["mixture"])), TermSelector("df", k=12)
    classifier = TextClassifier(model, select=select).fit(TEXTS, LABELS, unlabelled=POOL)
    selected = classifier.vectorizer_.vocabulary_.terms(classifier.selector_.best_)
    assert any(" " in term for term in selected)
    assert classifier.predict(NEW[:2]).tolist() == ["space", "sport"]


def test_words_are_split_as_the_translation_does_unless_a_vectorizer_is_given():
    rows = TRANSLATIONS["phrases"]
    assert trained(rows).vectorizer_.stop_words == "english"
    own = TextClassifier(MultinomialNB(Semantic(rows)), vectorizer=TextVectorizer())
    assert "the" in own.fit(TEXTS, LABELS, unlabelled=POOL).vectorizer_.vocabulary_
    # The parameters of the classifier, and their clones, count the same.
    again = clone(own).fit(TEXTS, LABELS, unlabelled=POOL)
    np.testing.assert_array_equal(again.scores(NEW), own.scores(NEW))


# ---------------------------------------------------------------------- laws

SENTENCES = st.lists(
    st.sampled_from(["space", "shuttle", "orbit", "ice", "hockey", "goal", "new", "space shuttle"]),
    min_size=1,
    max_size=6,
).map(" ".join)
DOCUMENTS = st.lists(st.tuples(SENTENCES, st.sampled_from(["space", "sport", "tea"])), max_size=6)


def texts_and_labels(documents):
    return [text for text, _ in documents], [label for _, label in documents]


@few
@given(DOCUMENTS, st.sampled_from([*TRANSLATIONS]))
def test_forgetting_undoes_learning(more, kind):
    classifier = trained(TRANSLATIONS[kind])
    before, tally = classifier.scores(NEW), classifier.tally_.copy()
    classifier.learn(*texts_and_labels(more)).forget(*texts_and_labels(more))
    assert classifier.tally_ == tally
    np.testing.assert_array_equal(classifier.scores(NEW), before)


@few
@given(DOCUMENTS, DOCUMENTS, st.sampled_from([*TRANSLATIONS]))
def test_merging_equals_training_on_all_documents(one, other, kind):
    start = [*zip(TEXTS, LABELS, strict=True)]
    parts = [texts_and_labels([*start, *part]) for part in (one, other)]
    merged = trained(TRANSLATIONS[kind], *parts[0]) + trained(TRANSLATIONS[kind], *parts[1])
    texts, labels = (a + b for a, b in zip(*parts, strict=True))
    whole = trained(TRANSLATIONS[kind], texts, labels, POOL * 2)
    assert merged.tally_ == whole.tally_
    np.testing.assert_allclose(merged.scores(NEW), whole.scores(NEW), rtol=1e-12)


@few
@given(DOCUMENTS, st.sampled_from([*TRANSLATIONS]), st.sampled_from([0.0, 0.4, 1.0]))
def test_probabilities_of_words_sum_to_one(more, kind, weight):
    classifier = trained(TRANSLATIONS[kind]).learn(*texts_and_labels(more))
    model = classifier.model_
    model.set_params(smoothing=Semantic(TRANSLATIONS[kind], weight, min_probability=0.01))
    for smoothing in (model.smoothing, Semantic(TRANSLATIONS[kind], weight)):
        counts = model.set_params(smoothing=smoothing).word_counts(model._reader().read())
        rows = counts.rows(0, len(classifier.vectorizer_.vocabulary_))
        np.testing.assert_allclose(rows.sum(axis=0), 1.0, rtol=1e-9)


@few
@given(DOCUMENTS, st.sampled_from([*TRANSLATIONS]))
def test_a_loaded_classifier_is_the_saved_one_to_the_bit(more, kind):
    classifier = trained(TRANSLATIONS[kind]).learn(*texts_and_labels(more))
    packed = classifier.to_bytes()
    loaded = TextClassifier.from_bytes(packed)
    assert loaded.to_bytes() == packed
    np.testing.assert_array_equal(loaded.scores(NEW), classifier.scores(NEW))
    for each in (loaded, classifier):
        each.learn(["a space shuttle again"], ["space"])
    np.testing.assert_array_equal(loaded.scores(NEW), classifier.scores(NEW))
    assert (loaded + classifier).tally_ == (classifier + classifier).tally_


@kinds
def test_phrases_and_concepts_add_nothing_of_their_own_to_an_explanation(kind):
    classifier = trained(TRANSLATIONS[kind])
    explanation = classifier.explain("a space shuttle in orbit", "space", "sport")
    shown = {each.term: each.value for each in explanation.contributions}
    assert shown["orbit"] > 0
    assert all(value == 0 for term, value in shown.items() if " " in term or term[0] == "=")


# ---------------------------------------------------------------------- what cannot be


def plain(rows):
    return Translation.from_model(rows)


BY_COUNTS = TranslationModel("phrases").fit_counts(
    TRANSLATIONS["words"].transform(POOL),
    TRANSLATIONS["words"].words_,
    np.ones((len(POOL), 1)),
    ["space shuttle"],
)
FOREIGN = TranslationModel().fit(["Meer und Salz", "Salz im Meer"])


@pytest.mark.parametrize(
    ("make", "error", "message"),
    [
        (lambda: trained(plain(TRANSLATIONS["phrases"])), SettingsError, "rows of phrases"),
        (lambda: trained(BY_COUNTS), CountError, "fitted on counts of phrases"),
        (lambda: trained(FOREIGN), SettingsError, "no signature of the translation occurs"),
        (lambda: trained("news.translation"), ValueError, "a fitted TranslationModel"),
        (lambda: Semantic(signatures="concepts"), ValueError, "signatures must be one of 'words'"),
        (lambda: Semantic(min_probability=2), ValueError, "min_probability must be"),
        (
            lambda: TextClassifier(RefinedNB(nb=MultinomialNB(Semantic()))).fit(TEXTS, LABELS),
            SettingsError,
            "RefinedNB cannot start from semantic smoothing",
        ),
        (
            lambda: TextClassifier(
                MultinomialNB(Semantic(TRANSLATIONS["phrases"])),
                vectorizer=TextVectorizer(ngram_range=(1, 2)),
            ).fit(TEXTS, LABELS),
            AnalysisError,
            "beside single words",
        ),
        (
            lambda: TextClassifier(MultinomialNB(Laplace(1))).fit(TEXTS, LABELS, unlabelled=POOL),
            SettingsError,
            "learns nothing from unlabelled documents",
        ),
        (
            lambda: TextClassifier.from_tally(
                Tally.from_texts(TEXTS, LABELS),
                model=MultinomialNB(Semantic(TRANSLATIONS["phrases"])),
            ),
            SettingsError,
            "cannot count them in texts",
        ),
        (
            lambda: TextClassifier.from_tally(
                Tally.from_texts(TEXTS, LABELS), model=MultinomialNB(Semantic())
            ),
            ValueError,
            "Only a TextClassifier, which has texts, learns a translation",
        ),
        (
            lambda: trained(TRANSLATIONS["phrases"]) + trained(TRANSLATIONS["words"]),
            SettingsError,
            "cannot merge: model.smoothing",
        ),
        (
            lambda: TextClassifier(MultinomialNB(Semantic())).fit([], []),
            LabelError,
            "there is no document to learn from",
        ),
    ],
)
def test_a_translation_without_effect_is_refused(make, error, message):
    with pytest.raises(error, match=message):
        make()


def test_a_tally_of_words_can_be_smoothed_by_a_translation_of_words():
    model = MultinomialNB(Semantic(TRANSLATIONS["words"]))
    texts, labels = [*TEXTS, *POOL], LABELS + (["space"] * 3 + ["sport"] * 3) * 3
    found = TextClassifier.from_tally(Tally.from_texts(texts, labels), model=model)
    expected = TextClassifier(model, vectorizer=TextVectorizer()).fit(texts, labels)
    np.testing.assert_array_equal(found.scores(NEW), expected.scores(NEW))


def test_a_file_of_an_earlier_release_keeps_its_limit():
    from tallytext.models.serialization import smoothing_from_dict, smoothing_to_dict

    stored = smoothing_to_dict(Semantic(weight=0.3))
    assert smoothing_from_dict(stored).min_probability == 0.0
    for name in ("min_probability", "signatures"):
        del stored["parameters"][name]
    assert smoothing_from_dict(stored).min_probability == 1e-5


@pytest.mark.parametrize("damage", [b"[]", b"{", b'{"settings": {}}'])
def test_damaged_settings_of_a_translation_are_refused(damage):
    from tallytext.models.serialization import smoothing_to_arrays, smoothing_with_arrays

    smoothing = Semantic(TRANSLATIONS["mixture"])
    arrays = smoothing_to_arrays(smoothing)
    assert smoothing_with_arrays(Semantic(), arrays) == smoothing
    with pytest.raises(FileError):
        smoothing_with_arrays(
            Semantic(), arrays | {"header": np.frombuffer(damage, dtype=np.uint8)}
        )


def test_predicting_warns_of_nothing():
    classifier = trained(TRANSLATIONS["mixture"])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        proba = classifier.predict_proba(NEW)
    np.testing.assert_allclose(proba.sum(axis=1), 1.0)

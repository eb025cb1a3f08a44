"""Semantic smoothing: equal to the obvious version, and all that models do works with it."""

import copy
import pickle
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st
from scipy import sparse
from sklearn.base import clone

import models
import translations
from models import SEVERAL, again, agree, closed, corpora, given_labels, multinomial_options, open_
from oracle import bayes as oracle
from oracle import leave_one_out as oracle_left_out
from smoothing_laws import corpora as law_corpora
from smoothing_laws import smoothing_laws
from tallytext import ExpectationMaximisation, MultinomialNB, Tally, TextClassifier
from tallytext.errors import CountError, FileError, RecipeError
from tallytext.models import Background, Semantic, Translation, cross_validate
from tallytext.models.serialization import model_state, restore_model
from tallytext.semantic import Phrases, TranslationModel
from translations import BOTH, ELSEWHERE, NAMES, PHRASES, WORDS, smoothings

slow = [HealthCheck.too_slow, HealthCheck.filter_too_much]
some = settings(max_examples=60, deadline=None, suppress_health_check=slow)
few = settings(max_examples=25, deadline=None, suppress_health_check=slow)

# ---------------------------------------------------------------------- published and worked out

ROWS = sparse.csr_array(
    [
        [0.797226355, 0.1543957801, 0.04837786494, 0],
        [0.01679900415, 0.1074431798, 0.6568183621, 0.218939454],
    ]
)
TOY = Translation(
    np.array(list("abcd")),
    np.array(["t one", "t two"]),
    np.array([1, 1], np.int8),
    ROWS,
    0.5,
    np.array(["t one", "t two"]),
)
DOCUMENTS = [[2, 1, 0, 0, 1, 0], [1, 0, 1, 0, 1, 1], [0, 1, 2, 1, 0, 1]]
QUESTIONS = [[1, 1, 0, 1, 0, 0], [0, 0, 1, 2, 0, 0], [0, 2, 1, 0, 0, 0]]


def toy(smoothing):
    return MultinomialNB(smoothing, prior="smoothed").fit(DOCUMENTS, ["X", "X", "Y"])


def from_tally(smoothing):
    return MultinomialNB.from_tally(Tally(), smoothing=smoothing)


def table(model):
    reading = model._reader().read()
    return model.word_counts(reading).rows(0, 4).T


def test_the_background_is_that_of_the_worked_example():
    model = MultinomialNB(Background(0.5), prior="smoothed")
    model.fit(np.array(DOCUMENTS)[:, :4], ["X", "X", "Y"])
    expected = [
        [0.4666666667, 0.2111111111, 0.2666666667, 0.05555555556],
        [0.1666666667, 0.2361111111, 0.4166666667, 0.1805555556],
    ]
    np.testing.assert_allclose(table(model), expected, rtol=1e-6)
    found = model.scores(np.array(QUESTIONS)[:, :4])
    joint = [
        [-5.718708125, -5.863219738],
        [-7.61332498, -5.215192992],
        [-4.943322846, -4.678665019],
    ]
    np.testing.assert_allclose(found, joint, rtol=1e-6)
    posterior = [0.5360651608, 0.08331525277, 0.4342190579]
    np.testing.assert_allclose(np.exp(model.posteriors(found))[:, 0], posterior, rtol=1e-6)


def test_translations_of_classes_are_those_of_the_worked_example():
    model = toy(Semantic(TOY, 1.0, 0.5))
    expected = [
        [0.5370839047, 0.1387449133, 0.251191364, 0.07297981801],
        [0.01679900415, 0.1074431798, 0.6568183621, 0.218939454],
    ]
    np.testing.assert_allclose(table(model), expected, rtol=1e-6)


def test_probabilities_are_those_of_the_worked_example():
    model = toy(Semantic(TOY, 0.4, 0.5))
    expected = [
        [0.4948335619, 0.182164632, 0.2604765456, 0.06252526054],
        [0.1067196017, 0.1846439386, 0.5127273448, 0.1959091149],
    ]
    np.testing.assert_allclose(table(model), expected, rtol=1e-6)
    joint = [[-5.6893885, -6.473271553], [-7.400437352, -4.844510652], [-5.26175694, -4.962953728]]
    np.testing.assert_allclose(model.scores(QUESTIONS), joint, rtol=1e-6)
    posterior = [0.6865163967, 0.07202933193, 0.4258500739]
    np.testing.assert_allclose(model.predict_proba(QUESTIONS)[:, 0], posterior, rtol=1e-6)
    assert model.predict(QUESTIONS).tolist() == ["X", "Y", "Y"]


TABLE_2 = {
    "OHSUMED": [0.352, 0.372, 0.413, 17.3, 10.9, 0.205, 0.280, 0.362, 76.2, 29.1],
    "20NG": [0.427, 0.526, 0.613, 43.7, 16.6, 0.421, 0.523, 0.613, 45.5, 17.2],
    "TDT2": [0.926, 0.934, 0.944, 2.0, 1.0, 0.851, 0.903, 0.937, 10.2, 3.8],
    "LATimes": [0.525, 0.538, 0.581, 10.7, 7.9, 0.492, 0.513, 0.562, 14.3, 9.5],
    "LATimes*": [0.525, 0.538, 0.559, 6.5, 3.8, 0.492, 0.513, 0.541, 10.0, 5.4],
}


@pytest.mark.parametrize("corpus", TABLE_2)
def test_the_published_gains_follow_from_the_published_scores(corpus):
    row = TABLE_2[corpus]
    for laplace, background, semantic, over_laplace, over_background in (row[:5], row[5:]):
        assert 100 * (semantic / laplace - 1) == pytest.approx(over_laplace, abs=0.4)
        assert 100 * (semantic / background - 1) == pytest.approx(over_background, abs=0.4)


# ---------------------------------------------------------------------- the obvious version


@some
@given(st.data(), corpora(), models.QUERIES, smoothings())
def test_single_label_scores_are_the_obvious_ones(data, corpus, queries, smoothing):
    fractional = set(corpus.weights) != {1.0}
    options = data.draw(multinomial_options(contrast=False, fractional=fractional))
    options["smoothing"] = smoothing
    model = closed(MultinomialNB(**options), corpus)
    expected = oracle.multinomial_scores(corpus, queries, **options)
    agree(model.scores(queries), expected, options["length_model"])


@some
@given(st.data(), corpora(SEVERAL), models.QUERIES, smoothings())
def test_multi_label_scores_are_the_obvious_ones(data, corpus, queries, smoothing):
    fractional = set(corpus.weights) != {1.0}
    options = data.draw(multinomial_options(contrast=True, fractional=fractional))
    options["smoothing"] = smoothing
    model = closed(MultinomialNB(**options, multi_label=True), corpus)
    expected = oracle.multinomial_scores(corpus, queries, **options, multi_label=True)
    agree(model.scores(queries), expected, options["length_model"])


@some
@given(
    st.data(), corpora(weighted=False), models.QUERIES, smoothings([*translations.SMALL, ELSEWHERE])
)
def test_columns_of_an_open_vocabulary_are_matched_by_name(data, corpus, queries, smoothing):
    options = data.draw(multinomial_options(contrast=True, fractional=False))
    options |= {"smoothing": smoothing, "length_model": False}
    model = open_(MultinomialNB(**options, multi_label=True), corpus)
    expected = oracle.multinomial_scores(corpus, queries, **options, multi_label=True)
    agree(model.scores(models.wider(queries)), expected)


@pytest.mark.parametrize("smoothing", [Semantic(WORDS), Semantic(BOTH, 1.0), Semantic(PHRASES)])
@few
@given(law_corpora())
def test_the_laws_of_smoothing_hold(smoothing, corpus):
    rows, labels = corpus
    smoothing = Semantic(smoothing.translation, smoothing.weight, 0.3)
    event = smoothing.translation.words_.tolist()
    assume(np.array(rows)[:, : len(event)].sum() > 0)
    smoothing_laws(smoothing, rows, labels)


# ---------------------------------------------------------------------- what models do


@some
@given(
    corpora(st.one_of(models.ONE, SEVERAL)),
    smoothings(),
    st.sampled_from([False, True, "only"]),
    st.sampled_from([("raw", None), ("log", "l2"), ("binary", "l1")]),
    st.booleans(),
)
def test_a_document_left_out_is_scored_as_if_forgotten(corpus, smoothing, complement, made, wide):
    labels, weighted = given_labels(corpus), set(corpus.weights) != {1.0}
    tf, norm = made
    model = MultinomialNB(smoothing, complement=complement, tf=tf, normalize=norm)
    if wide and not weighted:
        corpus_ = copy.copy(corpus)
        model.multi_label_ = any(len(each) != 1 for each in corpus.labels)
        model = open_(model, corpus_)
    else:
        model = closed(model, corpus)
    weights = np.array(corpus.weights) if weighted and model.weighted_ else None
    X = corpus.rows.astype(int)
    expected, lengths = oracle_left_out.leave_one_out(model, X, labels, weights)
    found, known = model.leave_one_out(X, labels, weights), ~np.isnan(lengths)
    np.testing.assert_allclose(found.lengths[known], lengths[known], rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose(found.scores[known], expected[known], rtol=1e-7, atol=1e-7)


@few
@given(corpora(weighted=False), corpora(weighted=False), models.QUERIES, smoothings())
def test_learning_then_forgetting_changes_nothing(corpus, more, queries, smoothing):
    model = closed(MultinomialNB(smoothing), corpus)
    before = model.scores(queries)
    rows, labels = more.rows.astype(int), given_labels(more)
    model.partial_fit(rows, labels).scores(queries)
    np.testing.assert_array_equal(model.forget(rows, labels).scores(queries), before)


@few
@given(corpora(weighted=False), corpora(weighted=False), models.QUERIES, smoothings([ELSEWHERE]))
def test_the_model_of_two_tallies_is_that_of_all_documents(one, other, queries, smoothing):
    tallies = [
        Tally.from_counts(part.rows.astype(int), given_labels(part), NAMES.tolist())
        for part in (one, other)
    ]
    model = MultinomialNB.from_tally(tallies[0], smoothing=smoothing)
    merged = model.with_tally(tallies[0] + tallies[1])
    rows = np.vstack([one.rows, other.rows]).astype(int)
    whole = Tally.from_counts(rows, [*given_labels(one), *given_labels(other)], NAMES.tolist())
    expected = MultinomialNB.from_tally(whole, smoothing=smoothing)
    np.testing.assert_allclose(merged.scores(queries), expected.scores(queries), rtol=1e-12)


@few
@given(st.data(), corpora(weighted=False), models.QUERIES, smoothings())
def test_one_document_is_scored_as_in_a_batch(data, corpus, queries, smoothing):
    options = data.draw(multinomial_options(contrast=False, fractional=False))
    model = open_(MultinomialNB(**options | {"smoothing": smoothing}), corpus)
    alone = [model.with_tally(model.tally_).scores([[*query, 1, 0]])[0] for query in queries]
    wide = np.hstack([queries, np.tile([1, 0], (len(queries), 1))])
    np.testing.assert_allclose(model.scores(wide), alone, rtol=1e-9, atol=1e-9)


@few
@given(corpora(), models.QUERIES, st.sampled_from(translations.SMALL), st.booleans())
def test_what_terms_add_is_the_difference_of_scores(corpus, queries, rows, complement):
    assume(len(corpus.classes) > 1)
    model = closed(MultinomialNB(Semantic(rows), complement=complement, prior="uniform"), corpus)
    scores = model.scores(queries)
    for query, expected in zip(queries, scores, strict=True):
        first, second = model.classes_[:2].tolist()
        why = model.explain(query, label=first, against=second)
        added = why.prior + sum(each.value for each in why.contributions)
        np.testing.assert_allclose(added, expected[0] - expected[1], rtol=1e-9, atol=1e-9)


def named(model, rows, labels):
    import pandas

    return model.fit(pandas.DataFrame(rows, columns=NAMES), labels)


@pytest.mark.parametrize("complement", [False, True])
def test_columns_by_name_and_by_order_give_the_same_scores(complement):
    rows, labels = models.ROWS, models.LABELS
    rows = np.hstack([rows, [[1], [0], [2], [0]]])
    plain = MultinomialNB(Semantic(BOTH), complement=complement).fit(rows, labels)
    same = named(MultinomialNB(Semantic(BOTH), complement=complement), rows, labels)
    documents = plain._documents(rows)
    np.testing.assert_array_equal(
        *(model._score(documents, model._weights_for(documents))[0] for model in (plain, same))
    )


def test_the_exported_model_predicts_the_same():
    rows = np.hstack([models.ROWS, [[1], [0], [2], [0]]])
    model = MultinomialNB(Semantic(BOTH)).fit(rows, models.LABELS)
    plain = model.to_sklearn()
    np.testing.assert_allclose(plain.predict_log_proba(rows), model.predict_log_proba(rows))


def test_single_precision_is_nearly_the_same():
    rows = np.hstack([models.ROWS, [[1], [0], [2], [0]]])
    model = MultinomialNB(Semantic(BOTH)).fit(rows, models.LABELS)
    expected = model.scores(rows)
    found = model.set_params(dtype="float32").scores(rows)
    assert found.dtype == np.float32
    np.testing.assert_allclose(found, expected, rtol=1e-5)


def test_settings_may_change_after_counting():
    rows = np.hstack([models.ROWS, [[1], [0], [2], [0]]])
    model = MultinomialNB(Background(0.5)).fit(rows, models.LABELS)
    model.scores(rows)
    found = model.set_params(smoothing=Semantic(WORDS)).scores(rows)
    expected = MultinomialNB(Semantic(WORDS)).fit(rows, models.LABELS).scores(rows)
    np.testing.assert_array_equal(found, expected)


def test_copies_share_the_rows():
    model = MultinomialNB(Semantic(WORDS))
    assert clone(model).smoothing.translation is WORDS
    again = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(
        again.smoothing.translation.rows_.toarray(), WORDS.rows_.toarray()
    )


def test_folds_are_scored_without_their_documents():
    rows = np.hstack([models.ROWS * 3, [[1], [0], [2], [0]] * 3]).tolist()
    found = cross_validate(MultinomialNB(Semantic(BOTH)), rows, models.LABELS * 3, folds=3)
    assert found.scores.shape == (12, 3)
    assert np.isfinite(found.scores).all()


POOL = [
    "The space shuttle left its orbit.",
    "A space shuttle is in orbit again",
    "the space shuttle and the launch pad",
    "a launch, then orbit",
    "The ice hockey team won.",
    "ice hockey; the team lost a goal",
    "an ice hockey goal, and the team",
    "a goal of the team",
]
FEW, GROUPS = ["a space shuttle", "some ice hockey"], ["space", "sport"]


@pytest.mark.parametrize("signatures", ["words", "phrases", "words+phrases"])
def test_words_that_no_class_has_are_classified_by_their_translation(signatures, tmp_path):
    finder = Phrases(stop_words="english", min_count=2, threshold=0.1)
    wanted = [finder if part == "phrases" else part for part in signatures.split("+")]
    translation = TranslationModel(wanted, stop_words="english").fit(POOL)
    X, pool = translation.transform(FEW), translation.transform(POOL)
    model = MultinomialNB(Semantic(translation))
    model.fit(X, GROUPS, unlabelled=pool, em=ExpectationMaximisation(rounds=0))
    new = translation.transform(["back from orbit", "the last goal"])
    assert model.predict(new).tolist() == GROUPS
    plain = MultinomialNB(Background()).fit(X, GROUPS)
    assert (plain.unknown_shares(new) == 1).all()
    np.testing.assert_array_equal(again(model).scores(new), model.scores(new))


# ---------------------------------------------------------------------- choosing


CHOOSING = "leave-one-out"
WEIGHTS = [step / 10 for step in range(10)]


@few
@given(corpora(), st.sampled_from(translations.SMALL), st.booleans())
def test_the_chosen_weight_has_the_best_leave_one_out_accuracy(corpus, rows, complement):
    model = closed(MultinomialNB(Semantic(rows, CHOOSING), complement=complement), corpus)
    chosen = model.word_counts(model._reader().read()).smoothing
    found = {weight: accuracy(model, corpus, Semantic(rows, weight)) for weight in WEIGHTS}
    best = max(found.values())
    first = next(weight for weight in WEIGHTS if found[weight] == best)
    assert chosen.weight == (first if best else 0.4)
    both = closed(MultinomialNB(Semantic(rows, CHOOSING, CHOOSING), complement=complement), corpus)
    later = both.word_counts(both._reader().read()).smoothing
    assert later.weight == chosen.weight
    assert accuracy(both, corpus, later) >= best


def accuracy(model, corpus, smoothing):
    """Of documents left out, under a smoothing that is given."""
    weights = None if not model.weighted_ else np.array(corpus.weights)
    model = copy.copy(model).set_params(smoothing=smoothing)
    return model.leave_one_out(corpus.rows.astype(int), given_labels(corpus), weights).accuracy


def test_without_a_choice_the_defaults_are_used():
    model = MultinomialNB(Semantic(WORDS, CHOOSING, CHOOSING)).fit(
        np.eye(5, dtype=int)[:2], [*"XY"]
    )
    chosen = model.word_counts(model._reader().read()).smoothing
    assert (chosen.weight, chosen.alpha) == (0.4, 0.5)


def test_the_weight_is_chosen_with_the_background_of_all_documents():
    X, y = [[1, 0, 0, 0, 0], [0, 1, 0, 0, 0], [0, 0, 0, 1, 0], [0, 0, 0, 0, 1]], [*"XXYY"]
    how = ExpectationMaximisation(rounds=0)
    model = MultinomialNB(Semantic(WORDS, CHOOSING))
    # Without others no word of a document is left when it is left out: only ties, or nothing.
    assert model.fit(X, y).chosen_[1].weight in (0.0, 0.4)
    model.fit(X, y, unlabelled=X * 5, em=how)
    assert model.chosen_[1].weight > 0
    found = model.leave_one_out(X, y).accuracy
    assert found > model.set_params(smoothing=Semantic(WORDS, 0.0)).leave_one_out(X, y).accuracy


def test_the_weight_cannot_be_chosen_from_sums_alone():
    tally = Tally.from_counts([[1, 0, 0, 0, 0]], ["X"], NAMES.tolist())
    with pytest.raises(RecipeError, match="cannot be chosen from sums alone"):
        MultinomialNB.from_tally(tally, smoothing=Semantic(WORDS, CHOOSING)).predict([[1]])


# ---------------------------------------------------------------------- files


@few
@given(corpora(), models.QUERIES, smoothings(), st.booleans())
def test_a_loaded_model_equals_the_saved_one_to_the_bit(corpus, queries, smoothing, complement):
    model = closed(MultinomialNB(smoothing, complement=complement), corpus)
    found = again(model)
    np.testing.assert_array_equal(found.scores(queries), model.scores(queries))


def test_a_chosen_weight_is_saved():
    rows = np.hstack([models.ROWS, [[1], [0], [2], [0]]])
    model = MultinomialNB(Semantic(BOTH, CHOOSING)).fit(rows, models.LABELS)
    found = again(model)
    np.testing.assert_array_equal(found.scores(rows), model.scores(rows))
    assert found.smoothing.weight == CHOOSING


def test_a_classifier_stores_the_rows_in_its_file(tmp_path):
    words = np.array(["sea", "wave", "sky", "cloud"], dtype=object)
    rows = sparse.csr_array([[0.5, 0.5, 0, 0], [0, 0, 0.5, 0.5]])
    kept = Translation(words, words[[0, 2]], np.zeros(2, np.int8), rows, 0.5, words[:0])
    texts = ["a wave of the sea", "a sea", "the sky, a cloud", "the sky", "a cloud", "a wave"]
    labels = ["water", "water", "air", "air", "air", "water"]
    classifier = TextClassifier(MultinomialNB(Semantic(kept, CHOOSING))).fit(texts, labels)
    classifier.save(tmp_path / "model")
    found = TextClassifier.load(tmp_path / "model")
    np.testing.assert_array_equal(found.predict_proba(texts), classifier.predict_proba(texts))
    given, own = found.model.smoothing, found.model_.smoothing
    assert given.translation is own.translation
    assert own.translation.signatures_.tolist() == ["sea", "sky"]
    found.learn(["a wave"], ["water"]).save(tmp_path / "more")


def test_classifiers_of_the_same_rows_merge_also_when_they_were_loaded(tmp_path):
    translation = TranslationModel("words+phrases").fit(["salt sea", "sea salt", "blue sky"])
    shards = [
        TextClassifier(MultinomialNB(Semantic(translation))).fit(["sea", "sky"], ["water", air])
        for air in ("air", "wind")
    ]
    for at, shard in enumerate(shards):
        shard.save(tmp_path / f"{at}")
    loaded = [TextClassifier.load(tmp_path / f"{at}") for at in range(2)]
    for one, other in [loaded, (shards[0], loaded[1]), (loaded[0], shards[1])]:
        assert (one + other).tally_ == (shards[0] + shards[1]).tally_


def test_semantic_smoothings_are_equal_by_their_rows():
    again = Translation.from_arrays(BOTH.to_arrays())
    assert Semantic(BOTH) == Semantic(again)
    assert hash(Semantic(BOTH)) == hash(Semantic(again))
    for other in (Semantic(WORDS), Semantic(BOTH, 0.3), Semantic(BOTH, alpha=0.3), Semantic()):
        assert Semantic(BOTH) != other
    assert Semantic(replace(BOTH, phrase_weight=0.1)) != Semantic(BOTH)
    assert Semantic(TranslationModel()) != Semantic(TranslationModel())
    assert Semantic(BOTH) != Background()


@pytest.mark.parametrize(
    ("name", "array"),
    [
        ("kinds", np.array([0, 0, 1, 3], np.int8)),
        ("kinds", np.array([0, 0, 1], np.int8)),
        ("kinds", np.array([0, 1, 1, 1], np.int8)),
        ("signatures", np.array([0, 0, 0, 1], np.int32)),
        ("signatures", np.array([0, 2, 0, 2], np.int32)),
        ("signatures", np.array([0, 3, 0, 1], np.int32)),
        ("signatures", np.array([0, 2, 0, -1], np.int32)),
        ("words", np.array([0, 1, 1, 3, 0, 1, 2, 2], np.int32)),
        ("starts", np.array([0, 2, 4, 7, 9], np.int64)),
        ("starts", np.array([0, 5, 4, 7, 8], np.int64)),
        ("values", np.array([0.9, 0.2, 0.4, 0.6, 0.3, 0.3, 0.4, 1.0])),
        ("values", np.array([np.nan] * 8)),
        ("values", np.array([-1.0, 2.0, 0.4, 0.6, 0.3, 0.3, 0.4, 1.0])),
        ("values", np.ones(8, np.float32)),
        ("phrase_weight", np.array([np.nan])),
        ("phrase_weight", np.array([[0.5]])),
        ("lengths", np.array([1, 2], np.uint32)),
    ],
)
def test_damaged_rows_are_refused(name, array):
    with pytest.raises((FileError, ValueError)):
        Translation.from_arrays(BOTH.to_arrays() | {name: array})


def test_a_file_without_rows_is_refused():
    model = MultinomialNB(Semantic(WORDS)).fit([[1, 0, 0, 0, 1]], ["X"])
    with pytest.raises(FileError, match="the rows of its translation are missing"):
        restore_model(MultinomialNB(Semantic()), model.tally_, model_state(model))


def test_missing_rows_are_named():
    arrays = BOTH.to_arrays()
    for name in arrays:
        with pytest.raises(FileError, match=name):
            Translation.from_arrays({key: arrays[key] for key in arrays if key != name})


# ---------------------------------------------------------------------- what cannot be


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Semantic(WORDS, 1.1), "weight must be a number from 0 to 1, not 1.1"),
        (lambda: Semantic(WORDS, "best"), "weight must be a number or 'leave-one-out'"),
        (lambda: Semantic(WORDS, 0.4, 0), "alpha must be a number from 1e-12 to 1"),
        (lambda: Semantic(WORDS, alpha="all"), "alpha must be"),
        (lambda: Semantic(WORDS, CHOOSING).backoff_mass(None), "not a number yet"),
        (lambda: toy(Semantic()), "a fitted TranslationModel, but None has no"),
        (lambda: toy(Semantic("rows")), "a fitted TranslationModel"),
        (lambda: toy(Semantic(replace(TOY, phrase_weight=2.0))), "phrase_weight must be a number"),
        (lambda: toy(Semantic(TranslationModel())), r"TranslationModel\(\) has no words_"),
        (lambda: from_tally(Semantic(TranslationModel())), r"TranslationModel\(\) has no words_"),
    ],
)
def test_invalid_parameters_are_refused(make, message):
    with pytest.raises((ValueError, AttributeError), match=message):
        make()


def test_columns_without_names_must_be_those_of_the_translation():
    with pytest.raises(CountError, match="2 columns without names, but the translation has 5"):
        MultinomialNB(Semantic(WORDS)).fit([[1, 2]], ["X"])

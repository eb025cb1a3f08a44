"""PooledNB: naive Bayes for few labels and a pool of documents without."""

import pickle

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse
from sklearn.linear_model import LinearRegression, LogisticRegression, RidgeClassifier
from sklearn.neighbors import KNeighborsClassifier
from sklearn.svm import SVC, LinearSVC
from sklearn.utils.estimator_checks import parametrize_with_checks

from pools import few_labels, topical
from tallytext import MultinomialNB, PooledNB, TextVectorizer
from tallytext.errors import CountError, FileError, LabelError, RecipeError
from tallytext.models import pooled as inputs
from tallytext.models.pool import canonical_counts
from trained_files import bent, read_back

FAILING = {"check_decision_proba_consistency": "the check gives negative numbers for counts"}


@parametrize_with_checks([PooledNB()], expected_failed_checks=lambda model: FAILING)
@pytest.mark.filterwarnings("default")
def test_it_is_an_estimator(estimator, check):
    check(estimator)


SMALL = {"n_components": 8, "rounds": 4}
MADE = topical(n=120, n_topics=3, n_words=10, n_function=6)


def fitted(k=4, made=MADE, **parameters):
    """A small model, and the documents without labels."""
    X, y, others = few_labels(made, k)
    return PooledNB(**SMALL | parameters).fit(X, y, others), others


def columns(model, X):
    """What each class gets, also where there are two."""
    return model._decide(model._check_counts(X))


@pytest.mark.parametrize("seed", [0, 1])
def test_a_pool_improves_a_model_of_few_labels(seed):
    made = topical(n=1000, n_topics=5, n_words=150, n_function=40, length=25, share=0.7, seed=seed)
    X, y, others = few_labels(made, 2)
    test, truth = made.counts[510:], made.topics[510:]
    pooled = PooledNB().fit(X, y, others[:500])
    alone = MultinomialNB().fit(X, y)
    assert pooled.score(test, truth) > 0.95
    assert pooled.score(test, truth) > alone.score(test, truth) + 0.4


def test_documents_without_labels_get_one_that_is_mostly_right():
    model, others = fitted(k=2)
    truth = MADE.topics[6:]
    assert model.label_distributions_.shape == (others.shape[0], 3)
    assert_allclose(model.label_distributions_.sum(axis=1), 1)
    assert (model.transduction_ == truth).mean() > 0.95
    assert model.emphasis_.shape == (MADE.counts.shape[1],)
    assert model.emphasis_[:6].max() < model.emphasis_[6:].min()


def test_notes_summarize_the_training():
    model, _ = fitted(k=4)
    said = " ".join(model.notes_)
    for expected in ("12 labelled and 108 other", f": {model.trust_:.2f} of 1", "held-out"):
        assert expected in said
    lonely, _ = fitted(k=1)
    assert "held-out" not in " ".join(lonely.notes_)


@pytest.mark.parametrize("trust", [0.0, 0.3, 1.0])
def test_trust_that_is_given_is_taken(trust):
    assert fitted(trust=trust)[0].trust_ == trust


def test_trust_moves_predictions_towards_the_anchor():
    made = topical(n=120, n_topics=3, n_words=10, n_function=6, share=0.9, length=8)
    X, y, others = few_labels(made, 4)
    anchor = LogisticRegression(C=10.0)
    models = [
        PooledNB(**SMALL, trust=trust, anchor=anchor).fit(X, y, others) for trust in (0.0, 1.0)
    ]
    views = models[0].pool_
    both = np.hstack([views.units.matrix.toarray(), views.latent])[models[0].pool_rows_]
    own = anchor.fit(both[: len(y)], y).predict(both[len(y) :])
    agreed = [(model.transduction_ == own).mean() for model in models]
    assert agreed[0] < agreed[1]


def test_the_pool_is_an_argument_and_never_an_attribute_of_the_model(monkeypatch):
    X, y, others = few_labels(MADE, 4)
    model, make_pool, seen = PooledNB(**SMALL), inputs.DocumentPool.from_counts, []

    def look_at_the_model(*given, **named):
        seen.append(dict(vars(model)))
        return make_pool(*given, **named)

    monkeypatch.setattr(inputs.DocumentPool, "from_counts", look_at_the_model)
    model.fit(X, y, others)
    assert len(seen) == 1
    assert not any(value is others for value in seen[0].values())


@pytest.mark.parametrize("translation", [True, False])
def test_translation_follows_the_parameter(translation):
    model, _ = fitted(translation=translation)
    assert model.translated_ is translation
    # What nobody asked for takes no time.
    assert ("translation" in vars(model.pool_)) is translation


texts_of = st.integers(0, 40).map(lambda seed: topical(40, 2, 6, 3, 8, 0.4, seed))


@given(texts_of, st.integers(1, 3))
@settings(max_examples=15)
def test_contributions_of_words_add_up_to_the_score(made, k):
    model, others = fitted(k, made)
    scores = columns(model, others)
    for i in range(0, others.shape[0], 7):
        row = others[[i]]
        summands = model._summands(row)
        assert_allclose(summands.terms.sum(axis=0) + summands.prior, scores[i], atol=1e-9)
        assert_allclose(summands.scores, scores[i], atol=1e-9)
        why = model.explain(row, label=1, against=0)
        added = sum(each.value for each in why.contributions) + why.prior
        assert added == pytest.approx(model.decision_function(row)[0], abs=1e-9)


@given(texts_of, st.integers(1, 3))
@settings(max_examples=15)
def test_probabilities_sum_to_one(made, k):
    model, others = fitted(k, made)
    assert_allclose(model.predict_proba(others).sum(axis=1), 1)
    assert_array_equal(
        model.classes_[model.predict_proba(others).argmax(axis=1)], model.predict(others)
    )


def test_scores_do_not_depend_on_the_batch_or_the_kind_of_matrix():
    model, others = fitted()
    together = model.decision_function(others)
    alone = np.vstack([model.decision_function(others[[i]]) for i in range(others.shape[0])])
    assert_allclose(together, alone, atol=1e-10)
    assert_allclose(together, model.decision_function(others.toarray()), atol=1e-12)


def test_learning_again_or_by_more_threads_finds_the_same():
    (one, others), (again, _), (two, _) = fitted(n_jobs=1), fitted(n_jobs=1), fitted(n_jobs=2)
    assert_array_equal(one.decision_function(others), again.decision_function(others))
    assert_allclose(one.decision_function(others), two.decision_function(others), atol=1e-5)


@pytest.mark.parametrize("kind", [sparse.csc_matrix, sparse.csr_matrix, np.asarray, "int"])
def test_any_kind_of_matrix_will_do(kind):
    X, y, others = few_labels(MADE, 3)
    if kind == "int":
        X_other, pool = X.astype(np.int32), others.astype(np.int64)
    elif kind is np.asarray:
        X_other, pool = X.toarray(), others.toarray()
    else:
        X_other, pool = kind(X), kind(others)
    one = PooledNB(**SMALL).fit(X, y, others)
    other = PooledNB(**SMALL).fit(X_other, y, pool)
    assert_array_equal(one.decision_function(others), other.decision_function(others))


def test_duplicate_entries_of_a_matrix_are_summed():
    X, y, others = few_labels(MADE, 3)
    repeated = sparse.csr_array(
        (
            np.repeat(others.data / 2, 2),
            np.repeat(others.indices, 2),
            2 * others.indptr,
        ),
        shape=others.shape,
    )
    one, other = (PooledNB(**SMALL).fit(X, y, pool) for pool in (others, repeated))
    assert_array_equal(one.decision_function(others), other.decision_function(repeated))


@pytest.mark.parametrize("empty", [None, [], np.zeros((0, 36)), sparse.csr_array((0, 36))])
def test_no_documents_without_labels_are_as_good_as_none(empty):
    X, y, others = few_labels(MADE, 5)
    found, expected = PooledNB(**SMALL).fit(X, y, empty), PooledNB(**SMALL).fit(X, y)
    assert_array_equal(found.decision_function(others), expected.decision_function(others))
    assert found.label_distributions_.shape == (0, 3)
    assert found.transduction_.shape == (0,)


def test_labelled_documents_may_have_no_word_that_is_known():
    X, y, others = few_labels(MADE, 2)
    blank = sparse.vstack([sparse.csr_array((3, 36)), X])
    model = PooledNB(**SMALL).fit(blank, [0, 1, 2, *y], others)
    assert (model.transduction_ == MADE.topics[6:]).mean() > 0.9
    # A class of nothing but empty documents.
    model = PooledNB(**SMALL).fit(blank, [7, 7, 7, *y], others)
    assert model.classes_.tolist() == [0, 1, 2, 7]
    assert np.isfinite(columns(model, others)).all()


def test_one_class_is_given_to_all():
    X, _, others = few_labels(MADE, 2)
    model = PooledNB(**SMALL).fit(X, ["a"] * 6, others)
    assert set(model.predict(others)) == {"a"}
    assert_allclose(model.predict_proba(others), 1)
    assert_array_equal(model.label_distributions_, np.ones((114, 1)))


def test_there_may_be_more_classes_than_documents_in_the_pool():
    X = np.eye(6, dtype=int) * 3
    model = PooledNB().fit(X, list("abcdef"), X[:2] + 1)
    assert model.predict(X).tolist() == list("abcdef")


@pytest.mark.parametrize(
    "others",
    [
        np.zeros((5, 36)),
        np.ones((1, 36)),
        np.full((3, 36), 1e15),
        np.full((3, 36), 1e100),
        np.full((3, 36), 1e-12),
        np.full((3, 36), 5e-324),
        np.eye(36),
    ],
    ids=["empty", "one", "1e15", "1e100", "1e-12", "5e-324", "eye"],
)
@pytest.mark.parametrize("translation", ["auto", True, False])
def test_degenerate_pools_are_accepted(others, translation):
    X, y, rest = few_labels(MADE, 2)
    model = PooledNB(**SMALL, translation=translation).fit(X, y, others)
    assert np.isfinite(columns(model, rest)).all()
    assert np.isfinite(columns(model, others)).all()
    assert np.isfinite(model.label_distributions_).all()


@pytest.mark.parametrize("n", [1, 2, 4])
def test_documents_may_all_be_empty(n):
    labels = ["a", "b"] * (n // 2) or ["a"]
    model = PooledNB().fit(np.zeros((n, 3)), labels, np.zeros((4, 3)))
    assert np.isfinite(model.predict_proba(np.eye(3))).all()
    assert_array_equal(model.predict_proba(np.eye(3)), model.predict_proba(np.zeros((3, 3))))


def test_documents_may_come_twice_and_words_be_alike():
    X, y, others = few_labels(MADE, 2)
    X, others = (sparse.vstack([rows] * 3) for rows in (X, others))
    model = PooledNB(**SMALL).fit(X, np.tile(y, 3), others)
    assert (model.transduction_ == np.tile(MADE.topics[6:], 3)).mean() > 0.95
    same = np.ones((6, 4))
    model = PooledNB(**SMALL).fit(same, list("ababab"), same)
    assert_allclose(model.predict_proba(same), 0.5, atol=1e-6)


def test_fractions_are_counts_too():
    X, y, others = few_labels(MADE, 3)
    model = PooledNB(**SMALL).fit(0.3 * X, y, 0.3 * others)
    assert (model.transduction_ == MADE.topics[9:]).mean() > 0.95


@given(
    st.integers(1, 6),
    st.integers(1, 5),
    st.integers(0, 4),
    st.integers(1, 4),
    st.integers(0, 99),
)
@settings(max_examples=40)
def test_no_small_corpus_is_too_small(n, n_terms, n_others, n_classes, seed):
    random = np.random.default_rng(seed)
    X, others = random.poisson(0.7, (n, n_terms)), random.poisson(0.7, (n_others, n_terms))
    y = random.integers(n_classes, size=n)
    model = PooledNB().fit(X, y, others)
    assert np.isfinite(columns(model, X)).all()
    assert_allclose(model.predict_proba(X).sum(axis=1), 1)
    assert_array_equal(columns(read_back(model, *model.to_arrays()), X), columns(model, X))
    folds = np.arange(n) % 3 - 1
    assert (model.out_of_sample_scores(folds)[folds >= 0] < np.inf).all()


def test_lists_of_one_label_are_labels():
    X, y, others = few_labels(MADE, 3)
    one = PooledNB(**SMALL).fit(X, y, others)
    lists = PooledNB(**SMALL).fit(X, [[label] for label in y], others)
    assert not lists.multi_label_
    assert_array_equal(one.predict(others), lists.predict(others))


@pytest.mark.parametrize(
    "anchor", [LogisticRegression(), LinearSVC(), RidgeClassifier()], ids=lambda a: type(a).__name__
)
@pytest.mark.parametrize("n_topics", [2, 3])
def test_any_linear_classifier_can_be_the_anchor(anchor, n_topics):
    made = topical(n=120, n_topics=n_topics, n_words=10, n_function=6)
    model, others = fitted(3, made, anchor=anchor)
    assert (model.transduction_ == made.topics[3 * n_topics :]).mean() > 0.95
    assert not hasattr(anchor, "coef_")
    assert_array_equal(
        columns(read_back(model, *model.to_arrays()), others), columns(model, others)
    )


@pytest.mark.parametrize("anchor", [KNeighborsClassifier(1), LinearRegression()], ids=str)
def test_an_anchor_without_weights_of_classes_is_refused(anchor):
    with pytest.raises(RecipeError, match=f"{type(anchor).__name__} has no coef_"):
        fitted(anchor=anchor)


@pytest.mark.parametrize("n_topics", [3, 4])
def test_an_anchor_with_weights_for_pairs_of_classes_is_refused(n_topics):
    made = topical(n=120, n_topics=n_topics)
    with pytest.raises(RecipeError, match="does not decide by its coef_"):
        fitted(3, made, anchor=SVC(kernel="linear"))


def test_out_of_sample_is_really_without_these_labels():
    X, y, others = few_labels(MADE, 4)
    model = PooledNB(**SMALL).fit(X, y, others)
    folds = np.arange(len(y)) % 4 - 1
    found = model.out_of_sample_scores(folds)
    assert found.shape == (12, 3)
    for fold in range(3):
        held = folds == fold
        pool = sparse.vstack([X[held], others])
        refitted = PooledNB(**SMALL).fit(X[~held], y[~held], pool)
        assert_array_equal(
            found[held].argmax(axis=1), refitted.decision_function(X[held]).argmax(1)
        )
        # In the pool they are known without labels; what judges them was not trained on them.
        n, places = len(y) - held.sum(), refitted.pool_rows_
        rows, truth, _ = refitted._labelled_rows(places, refitted._class_numbers())
        learned = refitted._fit_labels(refitted.pool_, rows, truth, unseen=places[n : len(y)])
        expected = learned.weights.scores(canonical_counts(X[held]), 1)
        assert_allclose(found[held], expected, atol=1e-4)
    assert_allclose(found[folds == -1], model.decision_function(X[folds == -1]), atol=1e-9)


def test_a_class_with_no_other_document_gets_nothing():
    X, y, others = few_labels(MADE, 2)
    model = PooledNB(**SMALL).fit(X, y, others)
    found = model.out_of_sample_scores(np.where(y == 1, 0, -1))
    assert (found[y == 1, 1] == -np.inf).all()
    assert np.isfinite(np.delete(found, 1, axis=1)).all()
    assert np.isfinite(found[y != 1]).all()
    assert (model.out_of_sample_scores(np.zeros(6, int)) == -np.inf).all()


@pytest.mark.parametrize("folds", [[0, 1], np.zeros((12, 1), int), np.zeros(12), ["a"] * 12])
def test_folds_that_do_not_fit_are_refused(folds):
    with pytest.raises(ValueError, match="12 whole numbers"):
        fitted()[0].out_of_sample_scores(folds)


def test_a_model_without_its_pool_predicts_as_before():
    model, others = fitted()
    before = model.decision_function(others)
    assert model.drop_pool() is model
    assert_array_equal(before, model.decision_function(others))
    with pytest.raises(LabelError, match="fit the model again"):
        model.out_of_sample_scores([0] * 12)


def test_a_saved_model_predicts_the_same():
    for k in (1, 4):
        model, others = fitted(k)
        again = read_back(model, *model.to_arrays())
        assert_array_equal(again.decision_function(others), model.decision_function(others))
        assert_array_equal(again.predict(others), model.predict(others))
        assert (again.trust_, again.translated_, again.notes_) == (
            model.trust_,
            model.translated_,
            model.notes_,
        )
        assert again.transduction_.shape == (0,)
        with pytest.raises(LabelError):
            again.out_of_sample_scores([0])
        why = again.explain(others[[0]])
        assert why.difference == model.explain(others[[0]]).difference


def test_a_model_can_be_pickled():
    model, others = fitted()
    again = pickle.loads(pickle.dumps(model))
    assert_array_equal(again.decision_function(others), model.decision_function(others))


def hostile():
    model, _ = fitted()
    arrays, values = model.to_arrays()

    def other(name, at, value):
        part = arrays[name].copy()
        part[at] = value
        return bent(arrays, **{name: part}), values

    yield other("emphasis", 0, -0.1)
    yield other("emphasis", 0, 1.5)
    yield other("idf", 0, -1.0)
    yield other("idf", 0, 1e300)
    yield other("columns", 0, -1)
    yield other("columns", 1, arrays["columns"][0])
    yield other("columns", -1, values["n_features"])
    yield bent(arrays, columns=arrays["columns"].astype(np.float64)), values
    yield bent(arrays, columns=arrays["columns"][::-1]), values
    yield bent(arrays, more=np.zeros(1)), values
    yield other("labels", 0, 3)
    yield other("labels", 0, -2)
    yield other("labels", np.flatnonzero(arrays["labels"] >= 0)[0], -1)
    yield other("documents", 0, 7)
    yield other("documents", -1, 255)
    for name in ("documents", "labels"):
        yield bent(arrays, **{name: arrays[name][1:]}), values
        yield bent(arrays, **{name: arrays[name][:-1]}), values
        yield bent(arrays, **{name: arrays[name][None]}), values
        yield bent(arrays, **{name: arrays[name].astype(np.float64)}), values
        yield bent(arrays, **{name: None}), values
        yield {key: part for key, part in arrays.items() if key != name}, values
    for name in sorted(arrays.keys() - {"columns", "documents", "labels"}):
        at = (0,) * arrays[name].ndim
        yield other(name, at, np.nan)
        yield other(name, at, np.inf)
        yield bent(arrays, **{name: arrays[name][1:]}), values
        yield bent(arrays, **{name: arrays[name][None]}), values
        yield bent(arrays, **{name: arrays[name].astype(np.int32)}), values
        yield bent(arrays, **{name: arrays[name].astype(object)}), values
        yield bent(arrays, **{name: None}), values
        yield {key: part for key, part in arrays.items() if key != name}, values
    for name in ("directions", "units", "shares", "latent", "bias"):
        yield bent(arrays, **{name: arrays[name].astype(np.float64)}), values
    for name in ("units", "shares", "latent", "directions"):
        yield bent(arrays, **{name: arrays[name][:, 1:]}), values
    for changed in (
        {"trust": "0.5"},
        {"trust": None},
        {"trust": np.nan},
        {"trust": -1},
        {"trust": 2.0},
        {"trust": [0.5]},
        {"translated": "yes"},
        {"translated": None},
        {"notes": "learned"},
        {"notes": 5},
        {"notes": [1]},
        {"notes": {"a": 1}},
        {"more": 1},
        {"n_features": 0},
        {"n_features": -1},
        {"n_features": 2**40},
        {"n_features": 5.0},
        {"n_features": True},
        {"n_features": "5"},
    ):
        yield arrays, values | changed
    yield arrays, {}
    yield arrays, None
    yield arrays, ["trust", "translated", "notes"]


@pytest.mark.parametrize("case", hostile())
def test_damaged_files_are_refused(case):
    model, _ = fitted()
    with pytest.raises(FileError):
        read_back(model, *case)


@pytest.mark.parametrize(
    "parameters",
    [
        {"topicality": -1},
        {"topicality": "0.1"},
        {"translation": "yes"},
        {"translation": None},
        {"beta": 1.0},
        {"beta": -0.1},
        {"n_components": 0},
        {"n_components": 2.5},
        {"min_df": 0},
        {"min_df": 0.5},
        {"cost": 0},
        {"trust": 1.1},
        {"trust": "all"},
        {"rounds": 0},
        {"length": 0},
        {"concentration": -1},
        {"annealing": 0},
        {"annealing": 1.1},
        {"penalty": 0},
        {"labelled_weight": np.nan},
        {"random_state": None},
        {"random_state": -1},
        {"multi_label": "yes"},
        {"multi_label": True},
        {"n_jobs": 0},
    ],
)
def test_invalid_parameters_are_refused(parameters):
    with pytest.raises(ValueError, match=next(iter(parameters))):
        PooledNB(**parameters).fit([[1, 0], [0, 1]], ["a", "b"])


@pytest.mark.parametrize("labels", [[["a", "b"], ["a"]], [["a"], []], np.array([[1, 1], [0, 1]])])
def test_documents_with_several_labels_are_refused(labels):
    with pytest.raises(LabelError, match=r"document \d has [02] labels.*RefinedNB"):
        PooledNB().fit([[1, 0], [0, 1]], labels)


@pytest.mark.parametrize(
    ("others", "reason"),
    [
        ([[1, -1]], "egative"),
        (sparse.csr_array([[1.0, -1.0]]), "egative"),
        ([[1, 2, 3]], "unlabelled has 3 columns.*same vectorizer"),
        (sparse.csr_array([[1.0]]), "unlabelled has 1 columns"),
        (np.zeros((0, 3)), "unlabelled has 3 columns"),
        ([[1, np.nan]], "NaN"),
        (sparse.csr_array([[1.0, np.inf]]), "infinity"),
        ([1, 2], "2D"),
        ("ab", "."),
    ],
)
def test_documents_without_labels_that_cannot_be_are_refused(others, reason):
    with pytest.raises(ValueError, match=reason):
        PooledNB().fit([[1, 0], [0, 1]], ["a", "b"], others)


def test_names_of_columns_must_be_those_of_the_labelled():
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame([[2, 1], [0, 3]], columns=["sea", "sky"])
    PooledNB().fit(frame, ["a", "b"], frame)
    with pytest.raises(ValueError, match="feature names"):
        PooledNB().fit(frame, ["a", "b"], frame[["sky", "sea"]])


def test_too_many_weights_are_refused_before_any_work(monkeypatch):
    monkeypatch.setattr(inputs, "MAX_TABLE_BYTES", 8 * 100)
    X, y, others = few_labels(MADE, 2)
    with pytest.raises(CountError, match="max_features"):
        PooledNB().fit(X, y, others)
    PooledNB(**SMALL).fit(X[:, :30], y, others[:, :30])


def test_texts_are_learned_from_and_explained():
    pool = [
        "salt sea",
        "sea wave",
        "wave and tide",
        "tide low",
        "blue sky",
        "sky cloud",
        "cloud rain",
    ]
    vectorizer = TextVectorizer()
    P = vectorizer.fit_transform(pool * 4)
    model = PooledNB().fit(vectorizer.transform(["salt sea", "blue sky"]), ["sea", "sky"], P)
    new = vectorizer.transform(["low tide", "rain"])
    assert model.predict(new).tolist() == ["sea", "sky"]
    why = model.explain(new[[0]], text="low tide", vectorizer=vectorizer)
    assert {each.term for each in why.contributions if each.value > 0} >= {"tide"}


@pytest.mark.parametrize("dtype", [np.int64, np.float64])
def test_words_are_explained_by_their_names_in_whatever_order_they_come(dtype):
    model, others = fitted()
    row = others[[0]].astype(dtype)
    back = sparse.csr_array((row.data[::-1], row.indices[::-1], row.indptr), shape=row.shape)
    found, expected = (
        {each.term: each.value for each in model.explain(x, 0, 1).contributions}
        for x in (back, row)
    )
    assert found == pytest.approx(expected)
    for at in range(MADE.n_function):
        if model.emphasis_[at] == 0:
            assert expected.get(f"x{at}", 0.0) == 0.0

"""Choosing weights and alpha for each class by folds of the training documents."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse

from tallytext import MultinomialNB, PoissonNB, TextClassifier
from tallytext.decision import SCut
from tallytext.evaluation import f_measures
from tallytext.evaluation.folds import stratified_folds
from tallytext.models import choose_per_class
from tallytext.models.cross_validation import HeldOutModels
from tallytext.models.poisson import (
    CandidateGrid,
    GridF1,
    HeldOutRates,
    choose_candidates,
    class_groups,
    group_f1,
    mean_f1,
    size_bins,
)
from tallytext.tally.labels import read_targets

RNG = np.random.default_rng(5)
LABELS = [
    [label for label, chance in (("X", 0.5), ("Y", 0.3), ("Z", 0.15)) if RNG.random() < chance]
    for _ in range(60)
]
ROWS = sparse.csr_array(
    RNG.poisson([[0.3 + 0.9 * (word % 3 < len(labels)) for word in range(12)] for labels in LABELS])
)
TRUTH = np.array([[label in labels for label in "XYZ"] for labels in LABELS])


# ---------------------------------------------------------------------- folds


@pytest.mark.parametrize("model", [PoissonNB(weighting="prr"), MultinomialNB()])
def test_a_model_that_forgot_a_fold_is_one_that_never_saw_it(model):
    folds = stratified_folds(TRUTH, 3, 0)
    model.fit(ROWS, LABELS)
    models = HeldOutModels(model, ROWS, read_targets(LABELS), all_classes=True)
    found = models.apply(folds, type(model).scores)
    for fold in range(3):
        seen = np.flatnonzero(folds != fold)
        fresh = type(model)(**model.get_params()).fit(ROWS[seen], [LABELS[at] for at in seen])
        np.testing.assert_array_equal(found[folds == fold], fresh.scores(ROWS[folds == fold]))


def test_a_class_that_is_held_out_as_a_whole_keeps_its_column():
    labels = ["rare", *["X", "Y"] * 4]
    model = PoissonNB().fit(np.eye(9, dtype=int), labels)
    folds = np.array([0, *[0, 0, 1, 1] * 2])
    X = sparse.eye_array(9, format="csr")
    models = HeldOutModels(model, X, read_targets(labels), all_classes=True)
    (_, first), _ = models.iter_folds(folds)
    assert first.classes_.tolist() == ["X", "Y", "rare"]
    assert (first.z_star(np.eye(9))[:, 2] == -np.inf).all()


# ---------------------------------------------------------------------- the grid


@pytest.mark.parametrize("source", ["documents", "poisson"])
def test_the_grid_scores_as_each_model_alone_would(source):
    grid = CandidateGrid((None, "ig", "chi", "prr"), (0.0, 0.4, 1.0), 0.5, source)
    plain = PoissonNB(theta=3.0).fit(ROWS, LABELS)
    documents = plain._documents(ROWS)
    found = grid.z_star(plain.rates(plain._reader().read()), documents, 1)
    for scores, (weighting, alpha) in zip(found, grid.candidates, strict=True):
        model = PoissonNB(
            alpha, theta=3.0, weighting=weighting, weight_power=0.5, prr_source=source
        )
        expected = model.fit(ROWS, LABELS).z_star(ROWS)
        np.testing.assert_allclose(scores, expected, rtol=1e-9, atol=1e-12)


def test_classes_can_be_scored_in_groups():
    grid = CandidateGrid((None, "chi"), (0.2, 0.8))
    model = PoissonNB().fit(ROWS, LABELS)
    folds = [
        HeldOutRates(rows, rest._documents(ROWS[rows]), rest.rates(rest._reader().read()))
        for rows, rest in HeldOutModels(
            model, ROWS, read_targets(LABELS), all_classes=True
        ).iter_folds(stratified_folds(TRUTH, 3, 0))
    ]
    whole = group_f1(grid, folds, TRUTH, 0, 3, 1)
    last = group_f1(grid, folds, TRUTH, 1, 3, 1)
    np.testing.assert_allclose(last.f1, whole.f1[:, 1:])
    np.testing.assert_allclose(last.by_fold, whole.by_fold[:, :, 1:])


def test_groups_cover_all_classes_once():
    groups = class_groups(1_000_000, 100, 44)
    assert groups[0][0] == 0 and groups[-1][1] == 100
    assert all(a[1] == b[0] for a, b in pairwise(groups))


# ---------------------------------------------------------------------- the choice


def test_the_choice_is_a_model_whose_thresholds_can_be_fitted():
    choice = choose_per_class(PoissonNB(theta=2.0), ROWS, LABELS, folds=3, alphas=(0.0, 1.0))
    assert choice.candidates == [(w, a) for a in (0.0, 1.0) for w in (None, "ig", "chi", "prr")]
    fresh = PoissonNB(theta=2.0, per_class=choice.per_class).fit(ROWS, LABELS)
    np.testing.assert_allclose(choice.model.z_star(ROWS), fresh.z_star(ROWS))
    np.testing.assert_array_equal(choice.truth, TRUTH)
    decided = SCut(fbr=0).fit(choice.scores, choice.truth).decide(choice.scores)
    at = [choice.candidates.index(choice.per_class[label]) for label in "XYZ"]
    expected = choice.f1[at, range(3)]
    np.testing.assert_allclose(f_measures(TRUTH, decided).f1, expected, atol=1e-12)


def test_the_f1_of_repeated_cross_validations_is_averaged():
    def choice(**options):
        return choose_per_class(PoissonNB(), ROWS, LABELS, folds=3, alphas=(0.2, 0.9), **options)

    first, second = (choice(random_state=seed) for seed in (4, 5))
    both = choice(random_state=4, repeats=2)
    assert (first.f1 != second.f1).any()
    np.testing.assert_allclose(both.f1, (first.f1 + second.f1) / 2)
    np.testing.assert_array_equal(both.folds, first.folds)
    with pytest.raises(ValueError, match="repeats must be a whole number of at least 1, not 0"):
        choice(repeats=0)


def test_the_mean_of_repeated_cross_validations_has_all_their_folds():
    one, two = grid_f1([[0.5]], [[0.1]]), grid_f1([[0.7]], [[0.3]])
    found = mean_f1([one, two])
    np.testing.assert_allclose(found.f1, [[0.6]])
    np.testing.assert_allclose(found.by_fold, [[[0.4], [0.6], [0.4], [1.0]]])


def test_the_model_that_is_given_is_not_changed():
    model = PoissonNB()
    choose_per_class(model, ROWS, LABELS, folds=2, alphas=(0.5,))
    assert model.per_class is None and not hasattr(model, "tally_")


def grid_f1(f1, spread):
    """Make results in two folds that lie as far apart as said."""
    f1, spread = np.asarray(f1), np.asarray(spread)
    return GridF1(f1, np.stack([f1 - spread, f1 + spread], axis=1))


def test_a_class_follows_its_bin_unless_its_own_best_is_clearly_better():
    bins = np.array([0, 0, 1])
    f1 = [[0.8, 0.5, 0.1], [0.5, 0.6, 0.3]]
    assert choose_candidates(grid_f1(f1, np.full((2, 3), 0.05)), bins) == [0, 1, 1]
    assert choose_candidates(grid_f1(f1, np.full((2, 3), 0.2)), bins) == [0, 0, 1]


def test_the_standard_error_of_a_single_fold_is_infinite():
    found = GridF1(np.array([[0.5], [0.9]]), np.array([[[0.5], [np.nan]], [[0.9], [np.nan]]]))
    assert (found.standard_errors() == np.inf).all()


@given(st.lists(st.integers(1, 50), min_size=1, max_size=30))
def test_larger_classes_are_in_later_bins(sizes):
    bins = size_bins(np.array(sizes))
    assert (bins[np.argsort(sizes, kind="stable")] == np.sort(bins)).all()
    assert bins.min() >= 0 and bins.max() <= 4


def test_a_parameter_chooses_per_class_and_files_keep_the_choices(tmp_path):
    random = np.random.default_rng(3)
    y = np.arange(60) % 3
    X = random.poisson(random.gamma(0.5, 1.0, (3, 20))[y] + 0.1)
    model = PoissonNB(per_class=True).fit(X, y)
    choice = choose_per_class(PoissonNB(), X, y)
    assert model.per_class_ == choice.per_class
    assert np.array_equal(model.predict(X), choice.model.predict(X))
    np.testing.assert_array_equal(model.scores(X), choice.model.scores(X))
    assert model.get_params()["per_class"] is True  # a clone chooses again
    words = np.array([f"w{at}" for at in range(20)])
    texts = [" ".join(np.repeat(words, row)) or "none" for row in X]
    clf = TextClassifier(PoissonNB(per_class=True)).fit(texts, y.tolist())
    assert clf.model_.per_class_.keys() == {0, 1, 2}
    again = TextClassifier.from_bytes(clf.to_bytes())
    assert again.model_.per_class_ == clf.model_.per_class_
    assert np.array_equal(again.scores(texts), clf.scores(texts))
    with pytest.raises(ValueError, match="per_class must be True or a mapping"):
        PoissonNB(per_class=3).fit(X, y)

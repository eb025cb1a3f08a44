"""Cross-validation by subtraction is cross-validation."""

import numpy as np
import pytest
from sklearn.base import clone

from tallytext import BernoulliNB, MultinomialNB, PoissonNB
from tallytext.errors import LabelError
from tallytext.evaluation.folds import fold_numbers, time_blocks
from tallytext.models import AbsoluteDiscount, Dirichlet, Laplace, cross_validate
from tallytext.tally.labels import read_targets

MODELS = [
    MultinomialNB(),
    MultinomialNB(Dirichlet(), complement=True, normalize="l2", weighting="chi"),
    MultinomialNB(AbsoluteDiscount("leave-one-out"), normalize="l1"),
    MultinomialNB(AbsoluteDiscount("closed-form"), length_model=True),
    BernoulliNB(),
    PoissonNB(),
]


def corpus(n=40, multi_label=False, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.poisson(0.7, (n, 12))
    labels = rng.choice(["a", "b", "c"], n).tolist()
    if multi_label:
        return X, [[label] * int(rng.random() < 0.8) for label in labels]
    return X, [*labels[:-1], "only once"]


def refitted(model, X, y, train, test, classes):
    """Return the scores of a model that was fitted on the training part alone."""
    part = clone(model).set_params(multi_label=isinstance(y[0], list))
    part.fit(X[train], [y[at] for at in train])
    scores = np.full((len(test), len(classes)), -np.inf)
    scores[:, np.isin(classes, part.classes_)] = part.scores(X[test])
    return scores


@pytest.mark.parametrize("multi_label", [False, True])
@pytest.mark.parametrize("model", MODELS, ids=repr)
def test_subtracting_a_fold_is_fitting_without_it(model, multi_label):
    X, y = corpus(multi_label=multi_label)
    found = cross_validate(model, X, y, folds=4)
    numbers = fold_numbers(read_targets(y), 4, None, 0)
    assert found.method == "cross-validation" and found.rows is None
    for fold in range(4):
        train, test = np.flatnonzero(numbers != fold), np.flatnonzero(numbers == fold)
        again = refitted(model, X, y, train, test, found.classes)
        np.testing.assert_allclose(found.scores[test], again, rtol=1e-9, atol=1e-9)


def test_weighted_documents_are_subtracted_with_their_weights():
    X, y = corpus()
    weights = np.random.default_rng(1).choice([0.0, 0.5, 2.0], len(y))
    found = cross_validate(MultinomialNB(Laplace(0.5)), X, y, folds=2, sample_weight=weights)
    numbers = fold_numbers(read_targets(y), 2, None, 0)
    train, test = np.flatnonzero(numbers == 0), np.flatnonzero(numbers == 1)
    part = MultinomialNB(Laplace(0.5)).fit(X[train], [y[at] for at in train], weights[train])
    columns = np.isin(found.classes, part.classes_)
    np.testing.assert_allclose(found.scores[np.ix_(test, columns)], part.scores(X[test]))


def test_the_model_stays_as_it_is():
    X, y = corpus()
    model = MultinomialNB()
    cross_validate(model, X, y)
    assert not hasattr(model, "tally_")


def test_a_class_that_is_nowhere_else_is_out_of_the_question():
    X, y = corpus()
    found = cross_validate(MultinomialNB(), X, y, folds=3)
    assert found.classes[-1] == "only once"
    assert found.truth[-1].tolist() == [False, False, False, True]
    assert found.scores[-1, -1] == -np.inf
    assert np.isfinite(found.scores[-1, :-1]).all()


def test_groups_are_kept_together_in_scores():
    X, y = corpus()
    groups = np.arange(len(y)) // 4
    found = cross_validate(MultinomialNB(), X, y, folds=3, groups=groups)
    numbers = fold_numbers(read_targets(y), 3, groups, 0)
    train, test = np.flatnonzero(numbers != 1), np.flatnonzero(numbers == 1)
    again = refitted(MultinomialNB(), X, y, train, test, found.classes)
    np.testing.assert_allclose(found.scores[test], again, rtol=1e-9)


@pytest.mark.parametrize("model", [MultinomialNB(), PoissonNB()], ids=repr)
def test_documents_in_time_are_judged_by_earlier_ones_alone(model):
    X, y = corpus()
    time = np.random.default_rng(2).integers(0, 20, len(y))
    found = cross_validate(model, X, y, folds=3, time=time)
    blocks = time_blocks(time, 3)
    assert found.rows.tolist() == sorted(np.concatenate(blocks[1:]).tolist())
    for at in range(1, len(blocks)):
        train = np.sort(np.concatenate(blocks[:at]))
        again = refitted(model, X, y, train, blocks[at], found.classes)
        place = np.searchsorted(found.rows, blocks[at])
        np.testing.assert_allclose(found.scores[place], again, rtol=1e-9, atol=1e-9)
        assert found.truth[place].any(axis=1).all()


def test_what_cannot_be_folded_is_refused():
    X, y = corpus(n=6)
    with pytest.raises(ValueError, match="folds must be from 2 to 6"):
        cross_validate(MultinomialNB(), X, y, folds=7)
    with pytest.raises(ValueError, match="not both"):
        cross_validate(MultinomialNB(), X, y, groups=y, time=y)
    with pytest.raises(LabelError, match=r"6 documents, but groups of shape \(2,\)"):
        cross_validate(MultinomialNB(), X, y, folds=2, groups=[1, 2])
    with pytest.raises(ValueError, match="the same time"):
        cross_validate(MultinomialNB(), X, y, folds=2, time=[1] * 6)

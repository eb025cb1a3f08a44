"""Settings are chosen by unseen documents, and models that differ in them are counted at once."""

import numpy as np
import pytest
from hypothesis import given, settings
from sklearn.base import clone

from models import SEVERAL, corpora, given_labels
from tallytext import BernoulliNB, MultinomialNB, PoissonNB, tune
from tallytext.errors import CountError, LabelError, ScoreError
from tallytext.evaluation import f_measures
from tallytext.models import AbsoluteDiscount, Background, Dirichlet, Laplace, cross_validate
from tallytext.models.naive_bayes import NaiveBayes, fit_together
from tallytext.tuning.grid_search import expand_grid

SMOOTHINGS = [Laplace(10), Laplace(0.01), Background(0.5), AbsoluteDiscount("leave-one-out")]
GRID = {"smoothing": SMOOTHINGS, "tf": ["raw", "log"], "complement": [False, True]}


def corpus(n=40, multi_label=False, seed=3):
    """Classes that differ in their words enough to be told apart, but not always."""
    rng = np.random.default_rng(seed)
    at = rng.integers(0, 3, n)
    X = rng.poisson(0.4 + 0.9 * (np.arange(12) % 3 == at[:, None]))
    names = np.array(["a", "b", "c"])[at].tolist()
    extra = [["z"] * int(rng.random() < 0.3) for _ in names]
    return X, [
        [name, *more] for name, more in zip(names, extra, strict=True)
    ] if multi_label else names


@pytest.mark.parametrize("multi_label", [False, True])
def test_the_best_by_leave_one_out_is_that_of_models_fitted_one_by_one(multi_label):
    X, y = corpus(multi_label=multi_label)
    found = tune(X, y, grid=GRID)
    scores = []
    for point in expand_grid(GRID):
        seen = MultinomialNB(**point).fit(X, y).leave_one_out(X, y)
        guessed = seen.predict().astype(bool) if multi_label else None
        scores.append(f_measures(seen.truth, guessed).micro_f1 if multi_label else seen.accuracy)
    assert len(set(scores)) > 2
    assert found.method == "leave-one-out"
    assert found.best == expand_grid(GRID)[int(np.argmax(scores))]
    assert [trial.score for trial in found.candidates] == sorted(scores, reverse=True)
    assert found.score == max(scores)


def test_the_model_is_the_best_setting_fitted_on_all_documents():
    X, y = corpus()
    model = MultinomialNB(prior="uniform")
    found = tune(X, y, model, GRID)
    again = MultinomialNB(prior="uniform", **found.best).fit(X, y)
    np.testing.assert_array_equal(found.model.scores(X), again.scores(X))
    assert found.model.prior == "uniform"
    assert not hasattr(model, "tally_") and model.smoothing is None


def test_ties_keep_the_order_of_the_grid():
    X, y = corpus()
    grid = [{"n_jobs": jobs, "smoothing": each} for jobs in (2, 1) for each in SMOOTHINGS]
    found = tune(X, y, grid=grid)
    scores = {id(each): tune(X, y, grid={"smoothing": each}).score for each in SMOOTHINGS}
    expected = sorted(grid, key=lambda point: -scores[id(point["smoothing"])])
    assert [trial.parameters for trial in found.candidates] == expected
    assert found.best["n_jobs"] == 2


def test_settings_are_ranked_by_the_scoring_function():
    X, y = corpus()

    def caution(seen):
        return float(seen.log_proba()[seen.truth].mean())

    found = tune(X, y, grid=GRID, scoring=caution)
    each = [
        caution(MultinomialNB(**point).fit(X, y).leave_one_out(X, y)) for point in expand_grid(GRID)
    ]
    assert found.score == pytest.approx(max(each))
    assert found.best == expand_grid(GRID)[int(np.argmax(each))] != tune(X, y, grid=GRID).best


@pytest.mark.parametrize(
    ("model", "grid", "options"),
    [
        (MultinomialNB(), {"weighting": [None, "chi", "ig"]}, {}),
        (MultinomialNB(weighting="chi"), {"complement": [False, True]}, {}),
        (PoissonNB(), {"alpha": [0.0, 1.0]}, {}),
        (MultinomialNB(), {"smoothing": SMOOTHINGS}, {"groups": np.arange(40) // 4}),
        (BernoulliNB(), {"gamma": [0.01, 1.0]}, {"time": np.arange(40) % 17}),
    ],
    ids=["a weighting in the grid", "a weighting of the model", "poisson", "groups", "time"],
)
def test_folds_are_used_where_leave_one_out_would_flatter(model, grid, options):
    X, y = corpus()
    found = tune(X, y, model, grid, folds=3, **options)
    assert found.method == "cross-validation"
    for trial in found.candidates:
        alone = clone(model).set_params(**trial.parameters)
        assert trial.score == cross_validate(alone, X, y, folds=3, **options).accuracy
    assert found.score == max(trial.score for trial in found.candidates)


def test_multi_label_documents_are_scored_by_micro_f1_in_folds_too():
    X, y = corpus(multi_label=True)
    found = tune(X, y, PoissonNB(), {"alpha": [0.5]}, folds=3)
    seen = cross_validate(PoissonNB(0.5), X, y, folds=3)
    expected = f_measures(seen.truth, seen.predict().astype(bool)).micro_f1
    assert found.score == expected != seen.accuracy


@pytest.mark.parametrize("scale", [1, 0.5], ids=["whole counts", "fractions"])
@pytest.mark.parametrize("multi_label", [False, True])
@pytest.mark.parametrize("model", [None, BernoulliNB(), PoissonNB()], ids=repr)
def test_there_is_a_grid_for_every_model(model, multi_label, scale):
    X, y = corpus(12, multi_label)
    found = tune(X * scale, y, model, folds=2)
    assert type(found.model) is type(model or MultinomialNB())
    assert len(found.candidates) >= 10
    assert 0 < found.score <= 1
    assert found.model.predict(X).shape[0] == 12


def test_a_grid_is_names_and_values_or_several_of_them():
    chosen = [{"tf": "raw", "smoothing": Laplace(2)}, {"tf": np.array(["log"]), "prior": {"a": 1}}]
    assert expand_grid(chosen) == [
        {"smoothing": chosen[0]["smoothing"], "tf": "raw"},
        {"prior": {"a": 1}, "tf": "log"},
    ]
    assert expand_grid({}) == [{}]
    assert expand_grid(point for point in chosen) == expand_grid(chosen)


@pytest.mark.parametrize(
    ("options", "error", "named"),
    [
        ({"grid": []}, ValueError, "the grid is empty"),
        ({"grid": {"tf": []}}, ValueError, "'tf'"),
        ({"grid": {"smooth": [1]}}, ValueError, "Invalid parameter 'smooth'"),
        ({"grid": {"tf": ["cubic"]}}, ValueError, "cubic"),
        ({"groups": [1, 2]}, LabelError, r"40 documents, but groups of shape \(2,\)"),
        ({"time": range(41)}, LabelError, r"40 documents, but time of shape \(41,\)"),
        ({"groups": range(40), "time": range(40)}, ValueError, "not both"),
        ({"time": range(40), "folds": 40}, ValueError, "folds must be from 2 to 39"),
        ({"scoring": lambda seen: np.nan}, ScoreError, "scored nan"),
    ],
)
def test_invalid_arguments_are_refused(options, error, named):
    X, y = corpus()
    with pytest.raises(error, match=named):
        tune(X, y, **{"grid": {"tf": ["raw"]}, **options})


@pytest.mark.parametrize("model", [MultinomialNB(), PoissonNB()])
def test_documents_and_labels_must_be_as_many(model):
    X, y = corpus()
    with pytest.raises(LabelError, match="40 documents, but labels for 39"):
        tune(X, y[1:], model)


def test_a_model_of_another_kind_needs_a_grid():
    class Other(NaiveBayes):
        pass

    with pytest.raises(TypeError, match="no default grid for Other"):
        tune([[1]], ["a"], Other())


TRANSFORMS = {"tf": ["raw", "log"], "normalize": [None, "l2"]}


def test_the_outcome_shows_the_ten_best_settings():
    X, y = corpus()
    found = tune(X, y, grid={"smoothing": [Laplace(e) for e in (9, 3, 1, 0.1)], **TRANSFORMS})
    head, *lines = str(found).splitlines()
    assert head == "16 settings by leave-one-out:"
    assert len(lines) == 10
    assert lines[0].startswith(
        f"  {found.score:.4f}  normalize={found.best['normalize']!r}, smooth"
    )
    one = tune(X, y, PoissonNB(), {"alpha": 0.5})
    assert str(one) == f"1 setting by cross-validation:\n  {one.score:.4f}  alpha=0.5"


def test_progress_shows_a_bar_and_nothing_otherwise(capfd, monkeypatch):
    monkeypatch.setenv("TTY_COMPATIBLE", "1")
    monkeypatch.setenv("FORCE_COLOR", "1")
    X, y = corpus(12)
    tune(X, y, grid={"tf": ["raw", "log"]})
    assert capfd.readouterr() == ("", "")
    tune(X, y, grid={"tf": ["raw", "log"]}, progress=True)
    assert capfd.readouterr().err


KINDS = [
    MultinomialNB(),
    MultinomialNB(Laplace(0.5), tf="log", normalize="l2", complement=True),
    MultinomialNB(Dirichlet(), normalize="l1", length_model=True),
    MultinomialNB(AbsoluteDiscount("leave-one-out"), weighting="chi"),
    BernoulliNB(),
    PoissonNB(weighting="prr"),
    MultinomialNB(tf="log", normalize="l2"),
]


@settings(max_examples=25)
@given(corpora())
def test_models_fitted_together_are_models_fitted_alone(corpus):
    models_agree(corpus)


@settings(max_examples=25)
@given(corpora(labels=SEVERAL))
def test_models_fitted_together_are_models_fitted_alone_on_multi_label_documents(corpus):
    models_agree(corpus)


def models_agree(corpus):
    X, y, weights = corpus.rows.astype(int), given_labels(corpus), corpus.weights
    weights = None if set(weights) == {1.0} else weights
    together = fit_together([clone(model) for model in KINDS], X, y, weights)
    assert len({id(model.tally_) for model in together}) == 1
    for model, shared in zip(KINDS, together, strict=True):
        alone = clone(model).fit(X, y, weights)
        assert shared.classes_.tolist() == alone.classes_.tolist()
        np.testing.assert_array_equal(shared.scores(X), alone.scores(X))


def test_an_indicator_matrix_and_weightless_documents_are_read_as_in_fit():
    X, _ = corpus()
    y = np.random.default_rng(0).integers(0, 2, (40, 4)) * [1, 1, 1, 0]
    weights = np.arange(40) % 3
    for model in fit_together([clone(model) for model in KINDS], X, y, weights):
        alone = clone(model).fit(X, y, weights)
        assert model.classes_.tolist() == [0, 1, 2, 3]
        np.testing.assert_array_equal(model.scores(X), alone.scores(X))


def test_models_fitted_together_share_later_documents():
    X, y = corpus()
    plain, contrast = fit_together([MultinomialNB(), MultinomialNB(complement=True)], X, y)
    plain.partial_fit(X[:5] + 1, ["new"] * 5)
    alone = MultinomialNB(complement=True).fit(np.vstack([X, X[:5] + 1]), [*y, *["new"] * 5])
    np.testing.assert_array_equal(contrast.scores(X), alone.scores(X))


def test_names_of_columns_are_those_of_the_last_documents():
    pandas = pytest.importorskip("pandas")
    X, y = corpus()
    frame = pandas.DataFrame(X, columns=[f"w{at}" for at in range(12)])
    models = fit_together([MultinomialNB(), BernoulliNB()], frame, y)
    for model in models:
        assert model.feature_names_in_.tolist() == list(frame.columns)
        assert list(model.tally_.vocabulary) == list(frame.columns)
    for model in fit_together(models, X[:, :7], y):
        assert not hasattr(model, "feature_names_in_")
        assert model.n_features_in_ == 7


def test_invalid_models_cannot_be_fitted_together():
    X, y = corpus()
    with pytest.raises(ValueError, match="no model"):
        fit_together([], X, y)
    with pytest.raises(CountError, match="every sample_weight is zero"):
        fit_together([MultinomialNB()], X, y, np.zeros(40))
    with pytest.raises(ValueError, match="cubic"):
        fit_together([MultinomialNB(), MultinomialNB(tf="cubic")], X, y)


def test_a_grid_must_map_names_to_values():
    with pytest.raises(ValueError, match="maps names of parameters to values"):
        tune([[1, 0], [0, 1]], ["a", "b"], grid="tf")

"""scikit-learn's checks of estimators, and its machinery around them."""

import numpy as np
import pytest
import sklearn
from sklearn.base import clone
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.metrics import get_scorer
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.utils.estimator_checks import parametrize_with_checks

from tallytext import BernoulliNB, MultinomialNB, PoissonNB
from tallytext.models import AbsoluteDiscount, Background, Laplace

MODELS = [MultinomialNB(), BernoulliNB(), PoissonNB()]

FAILING = {
    "check_class_weight_classifiers": "the check gives negative numbers for counts",
}


@parametrize_with_checks(MODELS, expected_failed_checks=lambda model: FAILING)
@pytest.mark.filterwarnings("default")
def test_a_model_is_an_estimator(estimator, check):
    check(estimator)


TEXTS = ["sea salt sea", "sky blue", "salt wave sea", "blue cloud sky", "wave", "cloud"] * 3
LABELS = np.array(["sea", "sky"] * 9)


@pytest.mark.parametrize("model", MODELS, ids=repr)
def test_weights_of_documents_are_routed_through_pipelines(model):
    weights = np.where(LABELS == "sea", 1.0, 1e-6)
    with sklearn.config_context(enable_metadata_routing=True):
        asking = clone(model).set_fit_request(sample_weight=True)
        scoring = get_scorer("accuracy").set_score_request(sample_weight=True)
        pipeline = make_pipeline(CountVectorizer(), asking)
        pipeline.fit(TEXTS, LABELS, sample_weight=weights)
        params = {"sample_weight": weights}
        found = cross_val_score(pipeline, TEXTS, LABELS, scoring=scoring, params=params, cv=3)
    plain = make_pipeline(CountVectorizer(), clone(model)).fit(TEXTS, LABELS)
    empty = ["nothing known"]
    assert pipeline.predict_proba(empty)[0, 0] > plain.predict_proba(empty)[0, 0] + 0.1
    assert found.shape == (3,)


def test_smoothings_can_be_searched():
    grid = {"multinomialnb__smoothing": [Laplace(1), Background(0.5), AbsoluteDiscount(0.5)]}
    pipeline = make_pipeline(CountVectorizer(), MultinomialNB())
    search = GridSearchCV(pipeline, grid, cv=3).fit(TEXTS, LABELS)
    assert search.best_score_ == 1.0
    assert search.best_params_["multinomialnb__smoothing"] in grid["multinomialnb__smoothing"]


def test_names_of_columns_are_the_words_of_the_tally():
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame([[2, 1], [0, 3]], columns=["sea", "sky"])
    model = MultinomialNB().fit(frame, ["a", "b"])
    assert list(model.tally_.vocabulary) == ["sea", "sky"]
    assert model.feature_names_in_.tolist() == ["sea", "sky"]
    with pytest.raises(ValueError, match="feature names"):
        model.predict(frame[["sky", "sea"]])

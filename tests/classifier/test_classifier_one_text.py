"""One text, as a string, counts as a list of one."""

import numpy as np
import pytest

from tallytext import TextClassifier
from tallytext.errors import InputError

TEXTS = ["salt wave", "deep wave", "white cloud", "cloud wind"] * 10
ONE = {"labels": ["sea", "sea", "sky", "sky"] * 10}
SEVERAL = {"labels": [["sea"], ["sea", "sky"], ["sky"], []] * 10}
METHODS = [
    *("predict", "predict_proba", "predict_log_proba", "predict_set", "top_k", "scores"),
    *("decision_function", "known_share", "novelty"),
]


@pytest.fixture(params=[ONE, SEVERAL], ids=["one label", "several labels"], scope="module")
def clf(request):
    return TextClassifier("multinomial").fit(TEXTS, request.param["labels"])


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("text", ["a deep wave", ""])
def test_one_text_is_a_list_of_one(clf, method, text):
    found, expected = (getattr(clf, method)(given) for given in (text, [text]))
    assert len(found) == 1
    np.testing.assert_equal(found, expected)


def test_one_text_has_a_rank(clf):
    assert clf.rank("deep wave", "sea").tolist() == clf.rank(["deep wave"], "sea").tolist()


def test_predict_of_one_text_keeps_its_options(clf):
    label = clf.predict("an owl", always=False)[0]
    assert label is None or label == []


def test_one_text_is_scored_and_evaluated_with_its_label():
    clf = TextClassifier("multinomial").fit(TEXTS, ONE["labels"])
    assert clf.score("deep wave", "sea") == 1.0
    assert clf.score("deep wave", "sky") == 0.0
    assert clf.evaluate("deep wave", "sea").accuracy == 1.0


def test_explain_takes_one_text_and_no_list():
    clf = TextClassifier("multinomial").fit(TEXTS, ONE["labels"])
    assert clf.explain("deep wave").label == "sea"
    with pytest.raises(InputError, match="one text"):
        clf.explain(["deep wave"])


def test_training_on_one_string_is_refused():
    with pytest.raises(InputError, match=r"pass \[text\]"):
        TextClassifier("multinomial").fit("deep wave", ["sea"])

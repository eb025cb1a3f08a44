"""Laws of classifiers that were saved and loaded."""

import copy
import json
import os
import tempfile
from pathlib import Path

import bending
import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from classifiers import (
    BY_COUNTS,
    MODELS,
    PLACES,
    TEXTS,
    corpora,
    fitted,
    proba,
    raw,
    some_texts,
    spread,
    spread_several,
)
from tallytext import TextClassifier, TextVectorizer
from tallytext.errors import FileError

resource = pytest.importorskip("resource")

flags = st.booleans()
each_kind = pytest.mark.parametrize("multi_label", [False, True])


def again(classifier):
    """The classifier that a file of another one holds."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "model.tally"
        classifier.save(path)
        return TextClassifier.load(path)


def said(classifier, queries):
    """All that two classifiers that ought to be one must say alike."""
    likely = proba(classifier, queries).tobytes()
    return (*raw(classifier, queries), likely, classifier.report().to_dict())


@given(st.data(), st.sampled_from(MODELS), flags, some_texts)
def test_a_loaded_classifier_says_what_the_saved_one_says(data, model, multi_label, queries):
    classifier = fitted(model, data.draw(corpora(multi_label)), multi_label)
    assert said(again(classifier), queries) == said(classifier, queries)


@given(st.data(), st.sampled_from(BY_COUNTS), flags, some_texts)
def test_loaded_classifiers_add_up_as_the_saved_ones_do(data, model, multi_label, queries):
    one, other = (fitted(model, data.draw(corpora(multi_label)), multi_label) for _ in range(2))
    together, loaded = one + other, again(one) + again(other)
    assert loaded.tally_ == together.tally_
    assert said(loaded, queries) == said(together, queries)


@given(st.data(), st.sampled_from(MODELS), flags, some_texts)
def test_a_loaded_classifier_forgets_what_was_learned_before_it_was_saved(
    data, model, multi_label, queries
):
    classifier = fitted(model, data.draw(corpora(multi_label)), multi_label)
    counts, said = classifier.tally_.copy(), raw(classifier, queries)
    more = data.draw(corpora(multi_label))
    loaded = again(classifier.learn(*more)).forget(*more)
    assert loaded.tally_ == counts
    assert raw(loaded, queries) == said


@given(st.data(), st.sampled_from(MODELS), flags, some_texts)
def test_what_is_learned_after_loading_is_as_if_nothing_was_saved(
    data, model, multi_label, queries
):
    classifier = fitted(model, data.draw(corpora(multi_label)), multi_label)
    more = ["unheard words", "salt"], ["new class", "sea"]
    loaded = again(classifier).learn(*more)
    classifier.learn(*more)
    assert said(loaded, queries) == said(classifier, queries)
    assert list(loaded.tally_.vocabulary) == list(classifier.tally_.vocabulary)


@given(st.lists(st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False)
                | st.text(st.characters()), min_size=1, max_size=6, unique=True))  # fmt: skip
@example([2**53 + 1, 0.0, ""])
def test_labels_keep_their_types(labels):
    loaded = again(TextClassifier("multinomial").fit(["salt"] * len(labels), labels))
    assert sorted(map(repr, loaded.tally_.classes)) == sorted(map(repr, labels))


def test_indicator_columns_come_back_also_those_that_no_document_has():
    matrix = np.array([[1, 0, 0, 1], [0, 0, 1, 0], [1, 0, 0, 1], [0, 0, 1, 0]])
    classifier = TextClassifier("multinomial").fit(TEXTS[:4], matrix)
    loaded = again(classifier)
    assert loaded.predict(TEXTS).tolist() == classifier.predict(TEXTS).tolist()
    assert loaded.predict(TEXTS).shape == (6, 4)
    assert loaded.learn(["salt"], [[0, 1, 0, 0]]).classes_.tolist() == [0, 1, 2, 3]


@each_kind
def test_a_saved_classifier_that_was_loaded_gives_the_same_file(multi_label, tmp_path):
    corpus = spread_several() if multi_label else spread()
    classifier = TextClassifier(vectorizer=TextVectorizer(ngram_range=(1, 2))).fit(*corpus)
    classifier.save(tmp_path / "one")
    loaded = TextClassifier.load(tmp_path / "one")
    loaded.save(tmp_path / "other")
    assert (tmp_path / "one").read_bytes() == (tmp_path / "other").read_bytes()
    assert said(loaded, TEXTS) == said(classifier, TEXTS)


# ---------------------------------------------------------------------- what cannot be saved


def simple(**parameters):
    return TextClassifier("multinomial", **parameters).fit(TEXTS, PLACES)


@pytest.fixture
def place(tmp_path):
    """The file of a model, alone in a folder."""
    simple().save(tmp_path / "model.tally")
    return tmp_path / "model.tally"


def check_untouched(place, content):
    assert list(place.parent.iterdir()) == [place]
    assert place.read_bytes() == content


def test_a_function_cannot_be_saved_and_what_was_there_stays(place):
    content = place.read_bytes()
    classifier = simple(vectorizer=TextVectorizer(term_filter=str.strip))
    with pytest.raises(FileError, match=r"term_filter.* is a Python function"):
        classifier.save(place)
    check_untouched(place, content)
    with pytest.raises(FileError, match="a file holds no code"):
        classifier.save(place.with_name("other.tally"))
    check_untouched(place, content)


def test_there_must_be_a_folder(tmp_path):
    with pytest.raises(FileNotFoundError):
        simple().save(tmp_path / "none" / "model.tally")
    assert not list(tmp_path.iterdir())


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root may write")
def test_a_folder_that_is_read_only_keeps_its_model(place):
    content = place.read_bytes()
    place.parent.chmod(0o555)
    try:
        with pytest.raises(PermissionError):
            simple().learn("new", "sea").save(place)
        check_untouched(place, content)
    finally:
        place.parent.chmod(0o755)


def test_a_disk_that_is_full_keeps_its_model(place):
    content = place.read_bytes()
    larger = simple().learn(" ".join(map(str, range(10_000))), "sea")
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (len(content), limits[1]))
    try:
        with pytest.raises(OSError, match="too large"):
            larger.save(place)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    check_untouched(place, content)


# ---------------------------------------------------------------------- what cannot be read

HEADERS = {
    "another vectorizer": (
        "vectorizer",
        {"kind": "BernoulliNB", "parameters": {}},
        "BernoulliNB is not a vectorizer",
    ),
    "another estimator": ("model", {"kind": "TextVectorizer", "parameters": {}}, "not a model"),
    "another learner": (
        "learner",
        "poisson",
        "MultinomialNB is not a model of the learner 'poisson'",
    ),
    "no learner": ("learner", "x", "no model 'x'"),
    "columns that would fill memory": ("columns", 2**40, "columns"),
    "weights": ("state/weighted", True, "weighted"),
    "a closed vocabulary": ("state/open", False, "open"),
    "one label": ("state/several", False, "multi_label"),
    "no list": ("summary/trials", "", "not a list"),
    "a score beyond one": ("summary/trials/0/score", 1.5, "not the score of a model"),
    "negative changes": ("summary/changes/learned", -1, "not numbers of documents"),
    "labels that are none": (
        "summary/duplicates/pairs",
        [[["sea"], 7, 1]],
        "not a record of conflicting labels",
    ),
    "a budget of text": ("parameters/budget", True, "budget"),
    "a setting of text": ("parameters/multi_label", 1, "multi_label"),
    "versions that are none": ("versions/numpy", [], "versions"),
    "an endless number": ("parameters/budget", bending.HUGE, "JSON"),
    "a number beyond floats": ("calibration/thresholds", [10**400] * 3, "too large"),
    "thresholds that are none": ("calibration/thresholds", [{"float": "nan"}] * 3, "match each"),
    "an accuracy of two": ("calibration/score", 2.0, "match each"),
    "another width": ("calibration/classes", ["sea", "sky"], "match each"),
    "a calibration for one label": (
        "calibration",
        lambda: again(fitted("multinomial", spread())).calibration_.to_dict(),
        "another number of labels",
    ),
    "infinite sigmoids": (
        "calibration/common/parameters",
        {"mapping": [["slopes", [{"float": "inf"}]], ["intercepts", [0.0]]]},
        "finite",
    ),
}  # fmt: skip


@pytest.mark.parametrize(("at", "value", "reason"), HEADERS.values(), ids=HEADERS)
def test_a_header_that_cannot_be_is_refused_with_a_reason(at, value, reason, tmp_path):
    path = tmp_path / "model.tally"
    fitted("multinomial", spread_several(), True).save(path)
    header, data = bending.split(path.read_bytes())
    settings = json.loads(header["__metadata__"]["header"])
    *parts, last = at.split("/")
    inner = settings
    for part in parts:
        inner = inner[int(part) if part.isdigit() else part]
    inner[last] = copy.deepcopy(value() if callable(value) else value)
    header["__metadata__"]["header"] = bending.spelt(settings)
    path.write_bytes(bending.sealed(bending.joined(header, data)))
    with pytest.raises(FileError, match=reason):
        TextClassifier.load(path)

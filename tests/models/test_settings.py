import json
import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tallytext import BernoulliNB, Calibrated, MultinomialNB, PoissonNB, TextVectorizer, Vocabulary
from tallytext.decision import (
    Argmax,
    Isotonic,
    PCut,
    Platt,
    RCut,
    SCut,
    Temperature,
    TopLabel,
)
from tallytext.errors import FileError
from tallytext.models import AbsoluteDiscount, Laplace
from tallytext.models.serialization import (
    calibrator_from_dict,
    calibrator_to_dict,
    estimator_from_dict,
    estimator_to_dict,
    from_json,
    to_json,
)

ESTIMATORS = [
    MultinomialNB(),
    MultinomialNB.chi_contrast(),
    MultinomialNB(AbsoluteDiscount(np.float64(0.5)), prior={1: 0.25, 2: 0.75}, dtype=np.float32),
    MultinomialNB(prior=np.array([0.5, 0.5]), class_weight={True: 2, False: 0.5}),
    MultinomialNB(prior=[0.5, 0.5], class_weight="balanced", norm_length=np.float32(2)),
    BernoulliNB(2.0, complement=True),
    PoissonNB(per_class={"x": ("chi", 0.3), 7: (None, 1.0), 2.5: ("ig", 0.0)}),
    TextVectorizer(),
    TextVectorizer(tokens="chars", ngram_range=(2, 3), dtype=np.dtype("float32"), binary=True),
    TextVectorizer(tokens=re.compile(r"\w+(?=é)", re.IGNORECASE), stop_words={"the", "\ud800"}),
    TextVectorizer(stop_words=frozenset(["a"]), language="english", strip_accents="ascii"),
    TextVectorizer(stop_words=["a", "b"], min_df=2, max_df=0.5, max_features=10, hangul="words"),
    TextVectorizer(vocabulary=["b", "a"], encoding="latin-1", decode_error="replace"),
    TextVectorizer(vocabulary={"b": 0, "a": 1}, dtype=float),
    TextVectorizer(min_length=1, chars=(2, 4), ngram_range=(1, 2)),
    TextVectorizer(tokens="sklearn", min_length=np.int64(1), chars=[1, 1]),
]


def by_json(value):
    return json.loads(json.dumps(value, allow_nan=False))


def alike(a, b):
    if isinstance(a, np.ndarray):
        return isinstance(b, np.ndarray) and np.array_equal(a, b)
    if isinstance(a, type | np.dtype):
        return np.dtype(a) == np.dtype(b)
    return a == b and (type(a) is type(b) or isinstance(a, np.generic))


@pytest.mark.parametrize("estimator", ESTIMATORS, ids=lambda each: type(each).__name__)
def test_settings_come_back(estimator):
    found = estimator_from_dict(by_json(estimator_to_dict(estimator)))
    assert type(found) is type(estimator)
    for name, value in estimator.get_params().items():
        assert alike(value, found.get_params()[name]), name


def test_the_number_of_threads_is_not_kept():
    assert estimator_from_dict(by_json(estimator_to_dict(TextVectorizer(n_jobs=7)))).n_jobs is None
    with pytest.raises(FileError, match="n_jobs"):
        estimator_from_dict({"kind": "TextVectorizer", "parameters": {"n_jobs": 10**9}})


def test_a_vocabulary_that_was_given_comes_back():
    words = Vocabulary(["sea", "", "\ud800"]).freeze()
    found = estimator_from_dict(by_json(estimator_to_dict(TextVectorizer(vocabulary=words))))
    assert found.vocabulary == words
    assert found.vocabulary.is_frozen


plain = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text()
values = st.recursive(
    plain,
    lambda inner: (
        st.lists(inner)
        | st.lists(inner).map(tuple)
        | st.frozensets(plain)
        | st.sets(plain)
        | st.dictionaries(plain, inner)
    ),
    max_leaves=10,
)


@given(values)
def test_values_keep_their_types(value):
    found = from_json(by_json(to_json(value)))
    assert found == value
    assert repr_sorted(found) == repr_sorted(value)


def repr_sorted(value):
    """How a value is spelt, sets in order: unlike ==, this tells 1 from True and from 1.0."""
    if isinstance(value, set | frozenset):
        return type(value).__name__, sorted(map(repr, value))
    if isinstance(value, dict):
        return [(repr_sorted(key), repr_sorted(item)) for key, item in value.items()]
    if isinstance(value, list | tuple):
        return type(value).__name__, [repr_sorted(item) for item in value]
    return repr(value)


def test_not_a_number_comes_back():
    assert np.isnan(from_json(by_json(to_json(float("nan")))))


@pytest.mark.parametrize(
    ("parameters", "reason"),
    [
        ({"tokens": str.split}, "this tokens: .* is a Python function, and a file holds no code"),
        ({"term_filter": lambda term: term}, "this term_filter: .*regular expression"),
        ({"strip_accents": str.upper}, "this strip_accents"),
        ({"tokens": re.compile("x" * 10_001)}, "too long"),
        ({"tokens": re.compile(b"x")}, "patterns of str"),
        ({"tokens": re.compile("x", re.DEBUG)}, "usual flags"),
        ({"stop_words": {"a": object()}}, "of type object"),
        ({"stop_words": iter("ab")}, "cannot be stored"),
        ({"dtype": object}, "Python function|cannot be stored"),
    ],
)
def test_what_a_file_cannot_hold_is_named(parameters, reason, capsys):
    with pytest.raises(FileError, match=reason):
        estimator_to_dict(TextVectorizer(**parameters))


@pytest.mark.parametrize(
    "estimator", [Calibrated(), Vocabulary(), None, type("MultinomialNB", (), {})()]
)
def test_only_known_estimators_are_saved(estimator):
    with pytest.raises(FileError, match="cannot be saved"):
        estimator_to_dict(estimator)


@pytest.mark.parametrize(
    "settings",
    [
        None,
        [],
        {"kind": "MultinomialNB"},
        {"kind": "MultinomialNB", "parameters": {}, "more": 1},
        {"kind": "os.system", "parameters": {}},
        {"kind": ["MultinomialNB"], "parameters": {}},
        {"kind": "MultinomialNB", "parameters": []},
        {"kind": "MultinomialNB", "parameters": {"alpha": 1}},
        {"kind": "MultinomialNB", "parameters": {"prior": {"pickle": "x"}}},
        {"kind": "MultinomialNB", "parameters": {"prior": {}}},
        {"kind": "MultinomialNB", "parameters": {"prior": {"tuple": 1}}},
        {"kind": "MultinomialNB", "parameters": {"prior": {"tuple": [], "set": []}}},
        {"kind": "MultinomialNB", "parameters": {"prior": {"mapping": [1]}}},
        {"kind": "MultinomialNB", "parameters": {"prior": {"mapping": [[[1], 2]]}}},
        {"kind": "MultinomialNB", "parameters": {"prior": {"mapping": [[1, 2], [1, 2]]}}},
        {"kind": "MultinomialNB", "parameters": {"prior": {"set": [[1]]}}},
        {"kind": "MultinomialNB", "parameters": {"prior": {"float": "1e5"}}},
        {"kind": "MultinomialNB", "parameters": {"prior": {"array": [1, [2]]}}},
        {"kind": "MultinomialNB", "parameters": {"prior": {"array": [None]}}},
        {"kind": "MultinomialNB", "parameters": {"dtype": {"dtype": "O"}}},
        {"kind": "MultinomialNB", "parameters": {"dtype": {"type": "<f3"}}},
        {"kind": "MultinomialNB", "parameters": {"smoothing": {"smoothing": "Laplace"}}},
        {"kind": "TextVectorizer", "parameters": {"tokens": {"pattern": ["(", 0]}}},
        {"kind": "TextVectorizer", "parameters": {"tokens": {"pattern": ["a", 128]}}},
        {"kind": "TextVectorizer", "parameters": {"tokens": {"pattern": ["a", 4]}}},
        {"kind": "TextVectorizer", "parameters": {"tokens": {"pattern": ["a" * 10_001, 0]}}},
        {"kind": "TextVectorizer", "parameters": {"tokens": {"pattern": ["(" * 9_000, 0]}}},
        {"kind": "TextVectorizer", "parameters": {"tokens": {"pattern": "a"}}},
        {"kind": "TextVectorizer", "parameters": {"tokens": "letters"}},
        {"kind": "TextVectorizer", "parameters": {"ngram_range": [1]}},
        {"kind": "TextVectorizer", "parameters": {"ngram_range": [1, 10**30]}},
        {"kind": "TextVectorizer", "parameters": {"min_length": 0}},
        {"kind": "TextVectorizer", "parameters": {"min_length": 1.0}},
        {"kind": "TextVectorizer", "parameters": {"min_length": None}},
        {"kind": "TextVectorizer", "parameters": {"min_length": "1"}},
        {"kind": "TextVectorizer", "parameters": {"min_length": [1]}},
        {"kind": "TextVectorizer", "parameters": {"min_length": 1, "tokens": "chars"}},
        {"kind": "TextVectorizer", "parameters": {"chars": [2]}},
        {"kind": "TextVectorizer", "parameters": {"chars": [4, 2]}},
        {"kind": "TextVectorizer", "parameters": {"chars": [0, 2]}},
        {"kind": "TextVectorizer", "parameters": {"chars": [1, 2**31]}},
        {"kind": "TextVectorizer", "parameters": {"chars": "24"}},
        {"kind": "TextVectorizer", "parameters": {"chars": True}},
        {"kind": "TextVectorizer", "parameters": {"chars": [2, 4], "tokens": "chars"}},
        {
            "kind": "TextVectorizer",
            "parameters": {"chars": [2, 4], "tokens": {"pattern": ["a", 32]}},
        },
        {"kind": "TextVectorizer", "parameters": {"language": "klingon"}},
        {"kind": "TextVectorizer", "parameters": {"stop_words": 3}},
        {"kind": "TextVectorizer", "parameters": {"stop_words": [3]}},
        {"kind": "TextVectorizer", "parameters": {"encoding": "klingon"}},
        {"kind": "TextVectorizer", "parameters": {"encoding": None}},
        {"kind": "TextVectorizer", "parameters": {"decode_error": "klingon"}},
        {"kind": "TextVectorizer", "parameters": {"dtype": "klingon"}},
        {"kind": "TextVectorizer", "parameters": {"lowercase": "yes"}},
        {"kind": "TextVectorizer", "parameters": {"min_df": "2"}},
        {"kind": "TextVectorizer", "parameters": {"max_features": 1.5}},
        {"kind": "TextVectorizer", "parameters": {"vocabulary": ["a", "a"]}},
        {
            "kind": "TextVectorizer",
            "parameters": {"vocabulary": {"vocabulary": [["a"] * 2, 0]}},
        },
        {"kind": "TextVectorizer", "parameters": {"vocabulary": {"vocabulary": [[3], False]}}},
        {"kind": "TextVectorizer", "parameters": {"vocabulary": {"vocabulary": 3}}},
    ],
    ids=lambda settings: repr(settings)[:80],
)
def test_settings_that_cannot_be_are_refused(settings):
    with pytest.raises(FileError):
        estimator_from_dict(settings)


def test_settings_of_before_there_were_short_words_and_characters_are_read():
    stored = by_json(estimator_to_dict(TextVectorizer(ngram_range=(1, 2))))
    del stored["parameters"]["min_length"], stored["parameters"]["chars"]
    found = estimator_from_dict(stored)
    assert (found.min_length, found.chars, found.ngram_range) == (2, None, (1, 2))


def test_settings_nested_beyond_all_measure_are_refused():
    deep = 1
    for _ in range(100_000):
        deep = [deep]
    with pytest.raises(FileError):
        estimator_from_dict({"kind": "MultinomialNB", "parameters": {"prior": deep}})


CALIBRATORS = [
    Temperature(2.0, 0.25),
    Platt([1.0, -2.0], [0.0, 30.0]),
    Isotonic([None, ([-1.0, 2.0], [0.25, 0.5])], Platt([1.0, 1.0], [0.0, 0.0])),
    TopLabel(Temperature(), Platt([1.0], [0.0]), 0.9),
    TopLabel(Temperature(), Isotonic([([0.0], [0.5])], Platt([1.0], [0.0]))),
    SCut("auto", "never", [0.5, np.inf]),
    SCut(),
    RCut(2),
    PCut(2.0, [0.25]),
    Argmax([0.5, 0.5]),
]


@pytest.mark.parametrize("calibrator", CALIBRATORS, ids=lambda each: type(each).__name__)
def test_calibrations_come_back(calibrator):
    found = calibrator_from_dict(by_json(calibrator_to_dict(calibrator)))
    assert type(found) is type(calibrator)
    assert repr(found) == repr(calibrator)


@pytest.mark.parametrize(
    "stored",
    [
        None,
        {"kind": "Temperature"},
        {"kind": "Laplace", "parameters": {}},
        {"kind": {}, "parameters": {}},
        {"kind": "Temperature", "parameters": 3},
        {"kind": "Temperature", "parameters": {"mapping": []}},
        {"kind": "Temperature", "parameters": {"mapping": [["a", "x"], ["p", 1.0]]}},
        {"kind": "Temperature", "parameters": {"mapping": [["a", -1.0], ["p", 1.0]]}},
        {"kind": "TopLabel", "parameters": {"mapping": [["kind", []]]}},
        {"kind": "Platt", "parameters": {"mapping": [["slopes", [1]], ["intercepts", []]]}},
        {"kind": "Isotonic", "parameters": {"mapping": [["knots", 3], ["platt", 3]]}},
        {"kind": "RCut", "parameters": {"mapping": [["t", 1.5]]}},
        {"kind": "RCut", "parameters": {"mapping": [[1, 1]]}},
        {"kind": "SCut", "parameters": {"mapping": [["fbr", []]]}},
        {"kind": "SCut", "parameters": {"mapping": [["limit", 1]]}},
    ],
    ids=repr,
)
def test_calibrations_that_cannot_be_are_refused(stored):
    with pytest.raises(FileError):
        calibrator_from_dict(stored)


def test_a_calibration_of_ones_own_cannot_be_kept():
    with pytest.raises(FileError, match="cannot be saved"):
        calibrator_to_dict(Laplace())

"""Fractional planes: each recipe by hand, and the laws that make them exact."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from oracle.tally import OracleTally
from tallies import corpora, matches, tally_of
from tallytext import Plane, Tally
from tallytext.errors import CountError, CountOverflowError, NegativeCountError, RecipeError
from tallytext.tally.planes import sort_planes

NORMS = [
    (None, None),
    ("l1", None),
    ("l2", None),
    ("poisson", 10.0),
    ("poisson_mass", 0.5),
    ("log_length", None),
    ("log_length_squared", None),
]
EVERY = [
    Plane(tf, norm, theta, weighted, shared)
    for tf in ("raw", "log", "binary")
    for norm, theta in NORMS
    for weighted in (False, True)
    for shared in (False, True)
]
UNIT = 2.0**-32


@settings(max_examples=25, deadline=None)
@given(corpora())
def test_every_recipe_is_the_obvious_one(corpus):
    tally = tally_of(corpus, EVERY)
    assert len(tally.planes) == len(EVERY) == 84
    matches(tally, OracleTally(corpus, tally.planes))


@pytest.mark.parametrize("plane", EVERY, ids=str)
def test_a_plane_by_hand(plane):
    counts, weight = np.array([3.0, 1.0, 4.0]), 2.5 if plane.weighted else 1.0
    tf = {"raw": counts, "log": np.log1p(counts), "binary": np.ones(3)}[plane.tf]
    length = tf.sum()
    scale = (
        weight
        * {
            None: 1,
            "l1": 1 / length,
            "l2": 1 / math.sqrt((tf**2).sum()),
            "poisson": 1 / (length + 10),
            "poisson_mass": length / (length + 0.5),
            "log_length": math.log(1 + length),
            "log_length_squared": math.log(1 + length) ** 2,
        }[plane.norm]
    )
    weights = [2.5] if plane.weighted else None
    tally = Tally.from_counts([counts], ["X"], planes=[plane], sample_weight=weights)
    found, totals = tally.plane(plane).toarray().ravel(), tally.plane_totals(plane)
    # A sum of logarithms is itself rounded before it becomes a scale.
    assert np.abs(found - tf * scale).max() <= 2 * UNIT
    assert totals.terms.tolist() == found.tolist()
    assert totals.total == found.sum() == totals.classes[0]
    assert abs(totals.scale - scale) <= 2 * UNIT
    assert totals.class_scales.tolist() == [totals.scale]


@settings(max_examples=25, deadline=None)
@given(st.lists(st.integers(1, 10**6), min_size=1, max_size=30), st.randoms())
def test_the_norm_does_not_depend_on_the_order_of_terms(counts, random):
    terms = [f"t{i}" for i in range(len(counts))]
    document = list(zip(terms, counts, strict=True))
    one = Tally(planes=EVERY).learn(dict(document), "X")
    random.shuffle(document)
    assert Tally(planes=EVERY).learn(dict(document), "X") == one


@pytest.mark.parametrize("plane", [p for p in EVERY if p.shared], ids=str)
def test_a_shared_document_weighs_a_whole_in_all_its_classes_together(plane):
    alone = Plane(plane.tf, plane.norm, plane.theta, plane.weighted)
    for labels in ([], ["X"], ["X", "Y"], ["X", "Y", "Z"]):
        tally = Tally(planes=[plane, alone]).learn({"a": 3, "b": 2}, labels)
        shared, whole, m = tally.plane_totals(plane), tally.plane_totals(alone), max(1, len(labels))
        assert np.abs(m * shared.terms - whole.terms).max() <= m * UNIT
        assert abs(m * shared.scale - whole.scale) <= m * UNIT
        assert shared.class_scales.tolist() == [shared.scale] * len(labels)
        assert shared.classes.tolist() == [shared.total] * len(labels)


def test_forgetting_with_fewer_labels_is_noticed():
    plane = Plane(shared=True)
    tally = Tally(planes=[plane]).learn({"a": 1}, ["X", "Y"])
    with pytest.raises(NegativeCountError):
        tally.forget({"a": 1}, "X")
    assert tally.forget({"a": 1}, ["X", "Y"]) == Tally(planes=[plane])


def test_logarithmic_scales_give_the_moments_of_log_lengths():
    planes = Plane(norm="log_length"), Plane(norm="log_length_squared")
    tally = Tally.from_counts([[1, 2], [0, 9], [0, 0], [4, 4]], [*"XXXY"], planes=planes)
    logs = np.log1p([3, 9, 0])
    first, second = (tally.plane_totals(plane).class_scales[0] / 3 for plane in planes)
    assert abs(first - logs.mean()) <= 3 * UNIT
    assert abs(second - first**2 - logs.var()) <= 99 * UNIT


def test_the_error_for_a_missing_plane_names_the_remedy():
    tally = Tally.from_counts([[1]], ["X"], planes=[Plane("log")])
    with pytest.raises(
        RecipeError, match=r"its planes: Plane\(tf='log'.*planes=\[Plane\(tf='binary'"
    ):
        tally.plane(Plane("binary"))


def test_the_order_of_planes_does_not_matter():
    planes = [Plane("log", "l2"), Plane("binary"), Plane("log", "l2")]
    one, two = Tally(planes=planes), Tally(planes=planes[1:])
    assert one.learn({"a": 2}, "X") == two.learn({"a": 2}, "X")
    assert sort_planes(planes) == sort_planes(reversed(planes))


def test_empty_documents_have_a_scale_only_where_it_is_defined():
    planes = [Plane(norm="l1"), Plane(norm="l2"), Plane(norm="poisson", theta=4), Plane()]
    tally = Tally(planes=planes).learn({}, "X")
    assert [tally.plane_totals(p).scale for p in planes] == [0, 0, 0.25, 1]


def test_forgetting_with_other_weights_is_noticed():
    plane = Plane(weighted=True)
    tally = Tally(planes=[plane]).learn({"a": 2}, "X", sample_weight=2.0)
    for weight in (1.0, 3.0):
        with pytest.raises(NegativeCountError, match=r"'a' in class 'X'.*other weights"):
            tally.forget({"a": 2}, "X", sample_weight=weight)
    with pytest.raises(NegativeCountError, match="other weights"):
        Tally(planes=[plane]).learn({}, "X", sample_weight=2.0).forget({}, "X")
    assert tally.forget({"a": 2}, "X", sample_weight=2.0) == Tally(planes=[plane])


@pytest.mark.parametrize("weight", [-1.0, math.nan, math.inf, [1.0, 2.0]])
def test_invalid_weights_are_refused(weight):
    with pytest.raises(CountError):
        Tally(planes=[Plane(weighted=True)]).learn({"a": 1}, "X", sample_weight=weight)


def test_a_weight_without_a_weighted_plane_is_refused():
    with pytest.raises(RecipeError, match="weighted=True"):
        Tally(planes=[Plane()]).learn({"a": 1}, "X", sample_weight=2.0)


@pytest.mark.parametrize(
    "recipe",
    [
        {"tf": "sqrt"},
        {"norm": "l3"},
        {"norm": "poisson"},
        {"norm": "l2", "theta": 1.0},
        {"norm": "poisson", "theta": 0.0},
        {"norm": "poisson", "theta": math.nan},
    ],
)
def test_invalid_recipes_are_refused(recipe):
    with pytest.raises(RecipeError):
        Plane(**recipe)
    with pytest.raises(RecipeError):
        Tally(planes=["log"])


@pytest.mark.parametrize(
    ("plane", "count", "weight"),
    [
        (Plane(), 2**31, None),
        (Plane(norm="l2"), 2**32, None),
        (Plane(weighted=True), 1, 1e300),
        (Plane(norm="l1", weighted=True), 5, 2.0**31),
    ],
)
def test_planes_that_overflow_leave_the_tally_as_it_was(plane, count, weight):
    tally = Tally(planes=[plane]).learn({"a": 1}, "X")
    before = tally.copy()
    with pytest.raises(CountOverflowError):
        tally.learn({"a": count, "b": 1}, "Y", sample_weight=weight)
    assert tally == before
    assert tally.classes == ["X"]

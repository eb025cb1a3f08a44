"""Calibration error, Brier score and the reliability diagram."""

import xml.etree.ElementTree as ET

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from sklearn.calibration import calibration_curve
from sklearn.metrics import brier_score_loss

from tallytext.errors import ScoreError
from tallytext.evaluation import (
    brier_score,
    calibration_error,
    reliability_curve,
    reliability_diagram,
    top_label,
)

SVG = "{http://www.w3.org/2000/svg}"
STRATEGIES = st.sampled_from(["equal-width", "equal-count"])


@st.composite
def samples(draw):
    n = draw(st.integers(1, 40))
    probabilities = draw(hnp.arrays(float, n, elements=st.floats(0, 1)))
    return probabilities, draw(hnp.arrays(bool, n))


@given(samples(), st.integers(1, 20), STRATEGIES)
def test_bins_hold_every_document_once(sample, bins, strategy):
    probabilities, correct = sample
    curve = reliability_curve(probabilities, correct, bins, strategy=strategy)
    assert curve.count.min() > 0
    assert len(curve.count) <= bins
    assert curve.count.sum() == len(correct)
    assert (curve.confidence * curve.count).sum() == pytest.approx(probabilities.sum())
    assert (curve.accuracy * curve.count).sum() == pytest.approx(correct.sum())
    assert (curve.low - 1e-12 <= curve.confidence).all()
    assert (curve.confidence <= curve.high + 1e-12).all()


@given(samples(), st.integers(1, 20))
def test_the_curve_is_that_of_scikit_learn(sample, bins):
    probabilities, correct = sample
    # Theirs puts an edge into the bin below it.
    inside = ~np.isin(probabilities, np.linspace(0, 1, bins + 1))
    if inside.any():
        curve = reliability_curve(probabilities[inside], correct[inside], bins)
        accuracy, confidence = calibration_curve(
            correct[inside], probabilities[inside], n_bins=bins, pos_label=True
        )
        assert curve.accuracy == pytest.approx(accuracy)
        assert curve.confidence == pytest.approx(confidence)


@given(samples(), st.integers(1, 20), STRATEGIES, st.randoms())
def test_the_order_of_documents_does_not_matter(sample, bins, strategy, random):
    probabilities, correct = sample
    order = list(range(len(correct)))
    random.shuffle(order)
    one = calibration_error(probabilities, correct, bins, strategy=strategy)
    two = calibration_error(probabilities[order], correct[order], bins, strategy=strategy)
    assert one == pytest.approx(two, abs=1e-12)


@given(samples(), STRATEGIES)
def test_one_bin_compares_the_means(sample, strategy):
    probabilities, correct = sample
    error = calibration_error(probabilities, correct, 1, strategy=strategy)
    assert error == pytest.approx(abs(probabilities.mean() - correct.mean()), abs=1e-12)


def test_equal_counts_are_equal():
    probabilities = np.random.default_rng(0).random(1000) ** 3
    curve = reliability_curve(probabilities, probabilities > 0.5, 10, strategy="equal-count")
    assert curve.count.tolist() == [100] * 10


def test_calibrated_probabilities_have_a_small_error_and_certain_ones_a_large_one():
    random = np.random.default_rng(0)
    probabilities = random.random(20_000)
    correct = random.random(20_000) < probabilities
    assert calibration_error(probabilities, correct) < 0.02
    assert calibration_error(np.ones(20_000), correct) == pytest.approx(1 - correct.mean())


def test_the_most_likely_class_is_evaluated():
    confidence, correct = top_label([[0.5, 0.5, 0.0], [0.1, 0.2, 0.7]], [1, 2])
    assert confidence.tolist() == [0.5, 0.7]
    assert correct.tolist() == [False, True]


@given(samples())
def test_brier_of_two_classes_is_twice_that_of_one(sample):
    p, correct = sample
    theirs = brier_score_loss(correct, p, pos_label=True)
    both = np.stack([1 - p, p], axis=1)
    assert brier_score(both, correct.astype(int)) == pytest.approx(2 * theirs, abs=1e-12)


def test_brier_goes_from_zero_to_two():
    assert brier_score(np.eye(3), [0, 1, 2]) == 0
    assert brier_score(np.eye(3), [1, 2, 0]) == 2
    assert brier_score(np.full((1, 4), 0.25), [0]) == 0.75


@pytest.mark.parametrize("value", [-0.5, 1.5, np.nan])
def test_scores_are_not_taken_for_probabilities(value):
    with pytest.raises(ScoreError, match="not a probability"):
        reliability_curve([0.5, value], [True, False])
    with pytest.raises(ScoreError, match="not a probability"):
        brier_score([[0.5, value]], [0])


def test_curves_that_make_no_sense_are_refused():
    for arguments in (([], []), ([0.5], [1, 0]), ([[0.5]], [1]), ([0.5], [1], 0)):
        with pytest.raises(ScoreError):
            reliability_curve(*arguments)
    with pytest.raises(ScoreError, match="bins"):
        reliability_curve([0.5], [1], strategy="equal")


def of_class(drawing, name):
    root = ET.fromstring(drawing)
    return [e for e in root.iter() if e.get("class") == name]


@given(samples(), st.integers(1, 20), STRATEGIES)
def test_the_diagram_shows_every_bin_within_its_frame(sample, bins, strategy):
    curve = reliability_curve(*sample, bins, strategy=strategy)
    drawing = reliability_diagram(curve)
    frame = of_class(drawing, "frame")[0]
    left, top, side = (float(frame.get(name)) for name in ("x", "y", "width"))
    dots = of_class(drawing, "mean")
    x = [(float(dot.get("cx")) - left) / side for dot in dots]
    y = [1 - (float(dot.get("cy")) - top) / side for dot in dots]
    assert x == pytest.approx(curve.confidence.tolist(), abs=1e-4)
    assert y == pytest.approx(curve.accuracy.tolist(), abs=1e-4)
    assert len(of_class(drawing, "bar")) == 2 * len(curve.count)
    assert {"Confidence", "Accuracy", "Documents"} == {e.text for e in of_class(drawing, "name")}


def test_the_diagram_shows_the_number_of_documents():
    drawing = reliability_diagram(
        reliability_curve([0.2] * 999 + [0.4] * 1_500, [1, 0, 0] * 833, 5)
    )
    assert [e.text for e in of_class(drawing, "count")] == ["999", "1.5k"]
    assert of_class(drawing, "head")[0].text.endswith("2,499 documents")


def test_the_diagram_is_saved_whole_or_not_at_all(tmp_path, monkeypatch):
    curve = reliability_curve([0.2, 0.8], [0, 1])
    path = tmp_path / "curve.svg"
    drawing = reliability_diagram(curve, path)
    assert path.read_text(encoding="utf-8") == drawing
    monkeypatch.setattr("pathlib.Path.replace", _fails)
    with pytest.raises(OSError, match="no room"):
        reliability_diagram(reliability_curve([0.5], [1]), path)
    assert [p.name for p in tmp_path.iterdir()] == ["curve.svg"]
    assert path.read_text(encoding="utf-8") == drawing


def _fails(*_):
    raise OSError("no room")

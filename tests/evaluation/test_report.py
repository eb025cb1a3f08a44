"""Evaluation reports: the figures of scikit-learn for any batches, and their tables."""

import json
from collections import Counter
from io import StringIO
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len
from rich.console import Console
from sklearn.metrics import accuracy_score, precision_recall_fscore_support
from sklearn.preprocessing import MultiLabelBinarizer

from tallytext.errors import FileError, LabelError, ScoreError
from tallytext.evaluation import (
    Evaluation,
    EvaluationReport,
    average_precision_11,
    bootstrap_interval,
    bootstrap_interval_of_counts,
    break_even,
    brier_score,
    calibration_error,
    top_label,
    wilson_interval,
)

NAMES = ["ham", "spam", "news", "eggs"]
LABELS = st.sampled_from(NAMES)
SETS = st.lists(LABELS, max_size=3, unique=True)
SINGLE = st.lists(st.tuples(LABELS, LABELS), min_size=1, max_size=40)
SEVERAL = st.lists(st.tuples(SETS, SETS), min_size=1, max_size=30)


def reported(pairs, cuts=(), **options):
    """The report of documents that came in batches, which end at these places."""
    evaluation, edges = Evaluation(), [0, *sorted(cuts), len(pairs)]
    for start, end in pairwise(edges):
        batch = pairs[start:end]
        evaluation.add([truth for truth, _ in batch], [given for _, given in batch])
    return EvaluationReport.from_evaluation(evaluation, **options)


def check_averages(report, truth, given):
    assert report.subset_accuracy == pytest.approx(accuracy_score(truth, given))
    for average in ("micro", "macro"):
        theirs = precision_recall_fscore_support(truth, given, average=average, zero_division=0.0)
        for name, value in zip(("precision", "recall", "f1"), theirs[:3], strict=True):
            assert getattr(report, f"{average}_{name}") == pytest.approx(value)


@given(SINGLE)
def test_figures_of_single_labels_are_those_of_scikit_learn(pairs):
    report, (truth, predicted) = reported(pairs), zip(*pairs, strict=True)
    check_averages(report, truth, predicted)
    assert not report.several_labels
    assert report.micro_f1 == report.accuracy == report.score
    assert report.measure == "accuracy"
    labels = [each.label for each in report.classes]
    assert sorted(labels) == sorted({*truth, *predicted})
    theirs = precision_recall_fscore_support(truth, predicted, labels=labels, zero_division=0.0)
    ours = [(each.precision, each.recall, each.f1, each.support) for each in report.classes]
    assert np.array(ours) == pytest.approx(np.transpose(theirs))


@given(SINGLE, st.integers(0, 5))
def test_confusions_are_the_most_frequent_wrong_pairs(pairs, most):
    report = reported(pairs, n_confusions=most)
    wrong = Counter((truth, given) for truth, given in pairs if truth != given)
    counts = [n for _, _, n in report.confusions]
    assert counts == sorted(wrong.values(), reverse=True)[:most]
    assert all(wrong[truth, given] == n for truth, given, n in report.confusions)


@given(SEVERAL)
def test_figures_of_multi_label_documents_are_those_of_scikit_learn(pairs):
    report = reported(pairs)
    seen = sorted({label for pair in pairs for labels in pair for label in labels})
    assert report.several_labels == any(len(a) != 1 or len(b) != 1 for a, b in pairs)
    if not seen:
        assert (report.subset_accuracy, report.macro_f1, report.classes) == (1.0, 0.0, ())
        return
    binarizer = MultiLabelBinarizer(classes=seen).fit([])
    truth, predicted = (binarizer.transform(side) for side in zip(*pairs, strict=True))
    if len(seen) > 1:
        check_averages(report, truth, predicted)
    by_label = {each.label: each for each in report.classes}
    theirs = precision_recall_fscore_support(
        truth, predicted, labels=range(len(seen)), zero_division=0.0
    )
    if len(seen) > 1:
        assert [by_label[name].f1 for name in seen] == pytest.approx(theirs[2])
        assert [by_label[name].support for name in seen] == theirs[3].tolist()


@given(SEVERAL, st.lists(st.integers(0, 30), max_size=4))
def test_batches_do_not_matter(pairs, cuts):
    whole = reported(pairs)
    assert reported(pairs, [min(cut, len(pairs)) for cut in cuts]) == whole


@st.composite
def judged(draw):
    n, c = draw(st.integers(2, 20)), draw(st.integers(2, 4))
    numbers = st.lists(st.integers(1, 9), min_size=c, max_size=c)
    weights = np.array(draw(st.lists(numbers, min_size=n, max_size=n)), dtype=float)
    truth = draw(st.lists(st.integers(0, c - 1), min_size=n, max_size=n))
    return weights / weights.sum(axis=1, keepdims=True), truth, draw(st.integers(1, n - 1))


@given(judged())
def test_calibration_is_that_of_all_documents_at_once(sample):
    probabilities, truth, cut = sample
    names = np.array(NAMES[: probabilities.shape[1]])
    evaluation = Evaluation()
    for part in (slice(cut), slice(cut, None)):
        decided = names[probabilities[part].argmax(axis=1)]
        evaluation.add(names[truth[part]], decided, probabilities[part], names)
    report = EvaluationReport.from_evaluation(evaluation)
    assert report.calibration_error == pytest.approx(
        calibration_error(*top_label(probabilities, truth))
    )
    assert report.brier == pytest.approx(brier_score(probabilities, truth))
    assert report.unknown_labels == ()


def test_labels_that_the_model_does_not_know_are_named_and_count_as_wrong():
    evaluation = Evaluation()
    evaluation.add(["ham", "eggs", "eggs"], ["ham"] * 3, [[0.75, 0.25]] * 3, ["ham", "spam"])
    report = EvaluationReport.from_evaluation(evaluation)
    assert report.unknown_labels == (("eggs", 2),)
    wrong = 0.75**2 + 0.25**2
    assert report.brier == pytest.approx((2 * 0.25**2 + 2 * (wrong + 1)) / 3)
    assert report.calibration_error == pytest.approx(0.75 - 1 / 3)
    assert "does not know: eggs (2)" in str(report)
    assert [each.label for each in report.classes] == ["eggs", "ham"]


@pytest.mark.parametrize("n", [1, 3, 38])
def test_few_documents_that_are_all_right_leave_a_wide_interval(n):
    one, several = reported([("ham", "ham")] * n), reported([(["ham", "spam"],) * 2] * n)
    for found in (one, several):
        assert found.score == 1
        assert found.interval == pytest.approx(wilson_interval(n, n))
        assert found.subset_accuracy_interval == pytest.approx(wilson_interval(n, n))
    assert f"95% interval {one.interval[0]:.3f} to 1.000" in str(one)


def test_intervals_are_those_of_drawing_documents():
    random = np.random.default_rng(0)
    correct = random.random(400) < 0.8
    pairs = [("ham", "ham" if right else "spam") for right in correct]
    found, drawn = reported(pairs), bootstrap_interval(np.mean, correct)
    assert found.interval == pytest.approx((drawn.low, drawn.high), abs=0.01)
    assert found.micro_f1_interval == found.interval
    assert found.interval == wilson_interval(correct.sum(), 400)


def test_the_interval_of_micro_f1_is_that_of_drawing_documents():
    random = np.random.default_rng(1)
    truth, given = (random.random((300, 3)) < 0.4 for _ in range(2))
    given = np.where(random.random((300, 1)) < 0.7, truth, given)

    def named(matrix):
        return [np.array(NAMES[:3])[row].tolist() for row in matrix]

    def micro_f1(truth, given):
        return 2 * (truth & given).sum() / (truth.sum() + given.sum())

    found = reported(list(zip(named(truth), named(given), strict=True)))
    drawn = bootstrap_interval(micro_f1, truth, given)
    assert found.micro_f1_interval == pytest.approx((drawn.low, drawn.high), abs=0.01)


def test_a_batch_that_is_refused_leaves_everything_as_it_was():
    evaluation = Evaluation()
    evaluation.add(["ham"], ["spam"], [[0.5, 0.5]], ["ham", "spam"])
    before = EvaluationReport.from_evaluation(evaluation)
    for arguments, error in (
        ((["new"], ["ham", "ham"]), LabelError),
        ((["new"], [None]), LabelError),
        ((["new"], ["ham"], [[0.5, 0.5]]), ScoreError),
        ((["new"], ["ham"], [[0.5]], ["ham", "spam"]), ScoreError),
        ((["new"], ["ham"], [[0.5, 1.5]], ["ham", "spam"]), ScoreError),
        ((["new"], ["ham"], [[0.5, 0.5]], ["ham", "ham"]), LabelError),
    ):
        with pytest.raises(error):
            evaluation.add(*arguments)
    assert EvaluationReport.from_evaluation(evaluation) == before
    assert evaluation.labels == ["ham", "spam"]


def test_labels_may_be_read_once_only():
    evaluation = Evaluation()
    evaluation.add(iter(["ham", "spam"]), iter(["ham", "ham"]))
    assert EvaluationReport.from_evaluation(evaluation) == reported(
        [("ham", "ham"), ("spam", "ham")]
    )


def test_nothing_is_not_evaluated():
    evaluation = Evaluation()
    evaluation.add([], [])
    with pytest.raises(ScoreError, match="no documents"):
        EvaluationReport.from_evaluation(evaluation)
    for counts in ([], [0], [2, -1], [[1]]):
        with pytest.raises(ScoreError, match="counts of documents"):
            bootstrap_interval_of_counts(lambda drawn: drawn[:, 0], counts)


@given(SEVERAL)
def test_a_report_is_plain_data(pairs):
    data = reported(pairs).to_dict()
    assert json.loads(json.dumps(data)) == data


def test_more_classes_than_are_shown_are_counted():
    report = reported([(c, c + 1) for c in range(30)])
    text = report.to_text(k=5)
    assert "and 26 more" in text
    assert len(text.splitlines()) == 1 + 1 + 3 + 1 + 6 + 1 + 1 + 1 + 6


def test_labels_are_neither_markup_nor_escape_sequences():
    report = reported([("[red]x", "\x1b[2J[/y]")])
    file = StringIO()
    Console(file=file, width=80, color_system=None).print(report)
    for text in (str(report), file.getvalue()):
        assert "[red]x" in text and "\ufffd[2J[/y]" in text
        assert "\x1b" not in text


def test_lines_fit_their_width():
    report = reported([("a" * 200, "파도" * 50)])
    assert max(map(cell_len, report.to_text(width=60).splitlines())) <= 60


def test_several_labels_lead_with_micro_f1_and_name_the_subset_accuracy():
    report = reported([(["ham", "news"], ["ham"]), (["spam"], ["spam"]), ([], ["eggs"])])
    assert (report.measure, report.score) == ("micro-F1", report.micro_f1) == ("micro-F1", 4 / 6)
    assert report.accuracy is None and report.subset_accuracy == pytest.approx(1 / 3)
    first, *others = str(report).splitlines()
    assert first.startswith("3 documents, micro-F1 0.667 (95% interval ")
    assert first.endswith("macro-F1 0.500")
    assert any(line.startswith("subset accuracy 0.333 (95% interval") for line in others)
    data = report.to_dict()
    assert [*data][:4] == ["measure", "score", "interval", "n_documents"]
    assert "accuracy" not in data and data["subset_accuracy"] == report.subset_accuracy
    single = reported([("ham", "ham")]).to_dict()
    assert single["accuracy"] == single["score"] == 1 and "subset_accuracy" not in single


def test_a_multi_label_model_is_measured_as_one_even_if_each_document_has_one_label():
    evaluation = Evaluation(multi_label=True)
    evaluation.add([["ham"], ["spam"]], [["ham"], ["ham"]])
    total = Evaluation()
    total += Evaluation.from_arrays(*evaluation.to_arrays())
    assert EvaluationReport.from_evaluation(total).measure == "micro-F1"


@st.composite
def ranked(draw):
    """Probabilities of documents and classes, some equal, and their truth."""
    n, c = draw(st.integers(1, 15)), draw(st.integers(1, 4))
    # Distinct values lie in distinct bins of log-odds, also the extreme ones.
    values = st.sampled_from([0.0, 0.01, 0.25, 0.5, 0.51, 0.75, 0.999, 1.0])
    rows = st.lists(st.lists(values, min_size=c, max_size=c), min_size=n, max_size=n)
    flags = st.lists(st.lists(st.booleans(), min_size=c, max_size=c), min_size=n, max_size=n)
    return np.array(draw(rows)), np.array(draw(flags)), draw(st.integers(0, n))


@given(ranked(), st.booleans())
def test_ranking_measures_are_those_of_all_documents_at_once(sample, unknown):
    probabilities, truth, cut = sample
    names = NAMES[: probabilities.shape[1]]
    labels = [[name for name, yes in zip(names, row, strict=True) if yes] for row in truth]
    if unknown:
        labels[0].append("unknown")
        # A label without a probability is ranked nowhere.
        extra = np.full((len(truth), 1), -np.inf)
        scores, truth = np.hstack([probabilities, extra]), np.hstack([truth, extra == 0])
        truth[0, -1] = True
    else:
        scores = probabilities
    total = Evaluation()
    for part in (slice(cut), slice(cut, None)):
        evaluation = Evaluation(ranking=True)
        evaluation.add(labels[part], labels[part], probabilities[part], names)
        total += Evaluation.from_arrays(*evaluation.to_arrays())
    report = EvaluationReport.from_evaluation(total)
    if not truth.any():
        assert report.average_precision_11 is None and report.break_even is None
        return
    assert report.average_precision_11 == pytest.approx(average_precision_11(scores, truth))
    assert report.break_even == pytest.approx(break_even(scores, truth))
    assert "11-point average precision" in str(report)


def test_documents_without_rankings_leave_no_ranking_measures():
    with_ranking, without = Evaluation(ranking=True), Evaluation()
    with_ranking.add(["ham"], ["ham"], [[0.75, 0.25]], ["ham", "spam"])
    without.add(["ham"], ["ham"], [[0.75, 0.25]], ["ham", "spam"])
    with_ranking += without
    assert with_ranking.ranking is None
    without += Evaluation(ranking=True)
    assert without.ranking is None


def test_damaged_sums_of_rankings_are_refused():
    evaluation = Evaluation(ranking=True)
    evaluation.add(["ham"], ["ham"], [[0.75, 0.25]], ["ham", "spam"])
    arrays, header = evaluation.to_arrays()
    for column, value in ((0, 10**6), (2, 2)):
        pairs = arrays["ranked_pairs"].copy()
        pairs[0, column] = value
        with pytest.raises(FileError, match="ranked pairs"):
            Evaluation.from_arrays(arrays | {"ranked_pairs": pairs}, header)
    for ranking in (
        {},
        header["ranking"] | {"precision": 2**33},
        header["ranking"] | {"n_true": 0},
    ):
        with pytest.raises(FileError, match=r"cannot be read|exceed"):
            Evaluation.from_arrays(arrays, header | {"ranking": ranking})

"""Predictions and evaluations by workers equal those of one machine."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.exceptions import NotFittedError

from tallytext import TextClassifier
from tallytext.classifier.evaluation import evaluate_classifier
from tallytext.distributed import prediction
from tallytext.distributed.options import PredictionOptions
from tallytext.distributed.prediction import (
    load_model,
    model_bytes,
    predict_columns,
    prediction_fields,
)
from tallytext.errors import FileError, InputError, ScoreError
from tallytext.evaluation import Evaluation, EvaluationReport
from tallytext.io import Batch

_WORDS = st.lists(st.sampled_from(["sea", "sky", "sun", "ice", "new"]), max_size=5).map(" ".join)
_TOPICS = ("sea", "sky", "ice")


def _documents(n: int = 60) -> tuple[list[str], list[str]]:
    random = np.random.default_rng(3)
    labels = [_TOPICS[c] for c in random.integers(3, size=n)]
    texts = [" ".join([label] * 2 + list(random.choice(_TOPICS, 2))) for label in labels]
    return texts, labels


@pytest.fixture(scope="module")
def single() -> TextClassifier:
    return TextClassifier("multinomial").fit(*_documents())


@pytest.fixture(scope="module")
def multi_label() -> TextClassifier:
    texts, labels = _documents()
    lists = [
        sorted({label, other}) for label, other in zip(labels, [*labels[1:], "ice"], strict=True)
    ]
    both = [f"{a} {b}" for a, b in zip(texts, [*texts[1:], "ice"], strict=True)]
    return TextClassifier("multinomial").fit(both, lists)


class TestModelBytes:
    def test_are_those_of_the_file(self, single: TextClassifier, tmp_path: Any) -> None:
        single.save(tmp_path / "model.tally")
        assert model_bytes(single) == (tmp_path / "model.tally").read_bytes()

    def test_make_the_same_classifier(self, multi_label: TextClassifier) -> None:
        again = TextClassifier.from_bytes(multi_label.to_bytes())
        assert again.tally_ == multi_label.tally_ and again.to_bytes() == multi_label.to_bytes()

    def test_are_of_fitted_classifiers_only(self, tmp_path: Any) -> None:
        with pytest.raises(InputError, match=r"not a str: TextClassifier.load\('m.tally'\)"):
            model_bytes("m.tally")  # type: ignore[arg-type]
        for wrong in (tmp_path / "m.tally", None, TextClassifier):
            with pytest.raises(InputError, match="must be a fitted TextClassifier"):
                model_bytes(wrong)
        with pytest.raises(NotFittedError):
            model_bytes(TextClassifier())

    def test_are_refused_when_damaged(self, single: TextClassifier) -> None:
        packed = bytearray(single.to_bytes())
        packed[-1] ^= 1
        for wrong in (bytes(packed), single.to_bytes()[:-1], b"", b"no model at all"):
            with pytest.raises(FileError, match="cannot read the packed arrays"):
                TextClassifier.from_bytes(wrong)

    def test_are_unpacked_once_by_all_threads(
        self, single: TextClassifier, monkeypatch: Any
    ) -> None:
        packed, opened = model_bytes(single), []
        read = TextClassifier.from_bytes
        monkeypatch.setattr(prediction, "_models", type(prediction._models)())
        monkeypatch.setattr(
            TextClassifier, "from_bytes", lambda packed: opened.append(1) or read(packed)
        )
        with ThreadPoolExecutor(8) as pool:
            models = [*pool.map(lambda _: load_model(bytes(bytearray(packed))), range(32))]
        assert len(opened) == 1 and len({*map(id, models)}) == 1

    def test_at_most_two_models_stay_in_memory(self, single: TextClassifier) -> None:
        packed = [
            model_bytes(TextClassifier("multinomial").fit(["to be"], [label])) for label in "abc"
        ]
        first = load_model(packed[0])
        assert [load_model(each).classes_.tolist() for each in packed] == [["a"], ["b"], ["c"]]
        assert len(prediction._models) == 2 and load_model(packed[0]) is not first


class TestPredictionColumns:
    @settings(max_examples=25)
    @given(texts=st.lists(_WORDS, max_size=6), least=st.sampled_from([None, 0.0, 0.5, 0.9]))
    def test_are_the_predictions_of_the_classifier(
        self, single: TextClassifier, multi_label: TextClassifier, texts: list[str], least: Any
    ) -> None:
        labels, sure = predict_columns(model_bytes(single), pa.array(texts), min_confidence=least)
        assert labels.to_pylist() == single.predict(texts, min_confidence=least).tolist()
        likely = single.predict_proba(texts)
        assert sure.to_pylist() == likely.max(axis=1, initial=0.0).tolist()
        lists, odds = predict_columns(model_bytes(multi_label), texts, min_confidence=least)
        wanted = multi_label.predict(texts, min_confidence=least).tolist()
        assert [{*some} for some in lists.to_pylist()] == [{*some} for some in wanted]
        assert all(row == sorted(row, reverse=True) for row in odds.to_pylist())

    def test_follow_the_model_where_probabilities_are_equal(self) -> None:
        # A contrast of long texts is so sure that several classes have probability one.
        texts = ["a " * 3000 + "b " * 2900, "b " * 3000 + "c " * 2000, "c " * 3000, ""]
        classifier = TextClassifier("contrast").fit(texts, ["z", "y", "x", "y"])
        labels, _ = predict_columns(model_bytes(classifier), texts)
        assert labels.to_pylist() == classifier.predict(texts).tolist()

    @pytest.mark.parametrize("kind", [pa.string(), pa.large_string()])
    def test_are_missing_for_missing_texts(self, multi_label: TextClassifier, kind: Any) -> None:
        texts = pa.chunked_array([pa.array(["sea sea", None], kind), pa.array([], kind)])
        for column in predict_columns(model_bytes(multi_label), texts):
            assert column[1].as_py() is None and column[0].as_py() is not None

    @pytest.mark.parametrize("texts", [pa.nulls(2), [None, None], pa.array([], pa.string())])
    def test_are_empty_without_texts(self, single: TextClassifier, texts: Any) -> None:
        columns = predict_columns(model_bytes(single), texts)
        assert [column.to_pylist() for column in columns] == [[None] * len(texts)] * 2

    def test_take_dictionaries(self, single: TextClassifier) -> None:
        texts = pa.array(["sea sea", "ice", "ice"]).dictionary_encode()
        labels, _ = predict_columns(model_bytes(single), texts)
        assert labels.to_pylist() == single.predict(texts.to_pylist()).tolist()

    @pytest.mark.parametrize(
        ("labels", "kind"),
        [
            (["x", "y"], pa.string()),
            ([1, 2], pa.int64()),
            ([0.5, 2.5], pa.float64()),
            ([True, False], pa.bool_()),
            ([1, "y"], pa.string()),
            ([1, 2**70], pa.string()),
            ([1, 0.5], pa.float64()),
            ([2**53 + 1, 0.5], pa.string()),
            (["\ud800", "y"], pa.string()),
        ],
    )
    def test_are_of_the_type_of_the_classes(self, labels: list[Any], kind: Any) -> None:
        classifier = TextClassifier("multinomial").fit(["sea", "sky"], labels)
        fields = prediction_fields(classifier)
        columns = predict_columns(model_bytes(classifier), ["sea", "sky"])
        assert [field.type for field in fields] == [kind, pa.float64()]
        assert [column.type for column in columns] == [kind, pa.float64()]
        if kind != pa.string():
            assert columns[0].to_pylist() == labels

    def test_are_lists_if_multi_label(self, multi_label: TextClassifier) -> None:
        kinds = [pa.list_(pa.string()), pa.list_(pa.float64())]
        assert [field.type for field in prediction_fields(multi_label)] == kinds
        columns = predict_columns(model_bytes(multi_label), ["sea"])
        assert [column.type for column in columns] == kinds


@st.composite
def _predictions(draw: Any) -> list[tuple[Any, ...]]:
    """Documents: true labels, given labels, probabilities."""
    classes = [*_TOPICS, 7, "7"]
    some = st.lists(st.sampled_from([*classes, "new"]), max_size=3, unique=True)
    rows = st.lists(st.floats(0, 1), min_size=len(classes), max_size=len(classes))
    return draw(st.lists(st.tuples(some, some, rows), min_size=1, max_size=12))


def _evaluation(rows: list[tuple[Any, ...]]) -> Evaluation:
    evaluation = Evaluation()
    if rows:
        truth, said, proba = zip(*rows, strict=True)
        evaluation.add([*truth], [*said], np.array(proba), [*_TOPICS, 7, "7"])
    return evaluation


class TestEvaluations:
    @settings(max_examples=50)
    @given(rows=_predictions(), at=st.integers(0, 12), order=st.randoms(use_true_random=False))
    def test_add_up_to_the_last_bit(self, rows: list[tuple[Any, ...]], at: int, order: Any) -> None:
        whole = EvaluationReport.from_evaluation(_evaluation(rows))
        order.shuffle(rows)
        sums = Evaluation()
        for part in (rows[at:], rows[:at], []):
            sums += Evaluation.from_arrays(*_evaluation(part).to_arrays())
        assert EvaluationReport.from_evaluation(sums) == whole

    @settings(max_examples=25)
    @given(rows=_predictions())
    def test_survive_being_sent(self, rows: list[tuple[Any, ...]]) -> None:
        evaluation = _evaluation(rows)
        arrays, header = evaluation.to_arrays()
        again = Evaluation.from_arrays(arrays, header)
        assert again.labels == evaluation.labels and again.known == evaluation.known
        more, rest = again.to_arrays()
        assert rest == header and all(np.array_equal(more[name], arrays[name]) for name in arrays)

    def test_of_more_documents_than_int64_has_units_for_stay_exact(self) -> None:
        sums, one = Evaluation(), _evaluation([(["sea"], ["sea"], [0.75, 0.5, 0, 0, 0])])
        for _ in range(40):  # 2^40 documents
            one += Evaluation.from_arrays(*one.to_arrays())
        sums += one
        report = EvaluationReport.from_evaluation(sums)
        assert report.n_documents == 2**40
        assert report.calibration_error == 0.25 and report.brier == 0.3125

    @pytest.mark.parametrize(
        ("name", "value"),
        [
            ("by_class", [[1], [0], [0]]),
            ("by_class", [[-1], [0], [0]]),
            ("by_class", np.zeros((3, 9), int)),
            ("documents", [[2, 1, 1, 1]]),
            ("documents", [[0, 1, 1, 0]]),
            ("confusions", [[0, 0, 1]]),
            ("confusions", [[0, 9, 1]]),
            ("known", [9]),
            ("known", [0.5]),
            ("more", [0]),
            ("labels", ["sea", "sea"]),
            ("labels", [None]),
            ("labels", "sea"),
            ("certainty", {}),
            ("certainty", None),
        ],
    )
    def test_that_cannot_be_are_refused(self, name: str, value: Any) -> None:
        arrays, header = _evaluation([(["sea"], ["sky"], [1, 0, 0, 0, 0])]).to_arrays()
        target: Any = header if name in header else arrays
        target[name] = value if name in header else np.array(value)
        with pytest.raises(FileError):
            Evaluation.from_arrays(arrays, header)

    @pytest.mark.parametrize(
        ("name", "value"),
        [
            ("count", [0] * 15),
            ("count", [1]),
            ("right", [2] * 15),
            ("confidence", [2**40] * 15),
            ("squares", -1),
            ("squares", 0.5),
        ],
    )
    def test_with_certainty_that_cannot_be_are_refused(self, name: str, value: Any) -> None:
        arrays, header = _evaluation([(["sea"], ["sea"], [1, 0, 0, 0, 0])]).to_arrays()
        header["certainty"][name] = value
        with pytest.raises(FileError):
            Evaluation.from_arrays(arrays, header)


@pytest.mark.parametrize("into", [("a",), ("a", "a"), ("a", 1), "ab", ("a", "b", "c"), None])
def test_new_columns_have_two_different_names(into: Any) -> None:
    with pytest.raises(InputError, match="into must be the names of two columns"):
        PredictionOptions("text", into=into)


class TestPartitionEvaluation:
    @pytest.mark.parametrize("cuts", [[], [1], [0, 7, 7, 30]])
    def test_reports_do_not_depend_on_partitions(
        self, single: TextClassifier, multi_label: TextClassifier, cuts: list[int]
    ) -> None:
        texts, labels = _documents(40)
        labels[3] = "unheard of"
        for classifier in (single, multi_label):
            whole = EvaluationReport.from_evaluation(
                evaluate_classifier(classifier, [(texts, labels)])
            )
            ends = [*cuts, len(texts)]
            parts = [
                prediction.evaluate_batches(
                    model_bytes(classifier),
                    [Batch(texts[a:b], labels[a:b], places=range(a, b))],
                )
                for a, b in zip([0, *cuts], ends, strict=True)
            ]
            assert prediction.evaluation_report(iter(parts[::-1])) == whole
            assert (
                prediction.evaluation_report([prediction.merge_evaluations(parts[1:]), *parts[:1]])
                == whole
            )

    def test_labels_that_look_like_a_matrix_are_labels(self) -> None:
        texts = ["sea", "sky", "sea sky"]
        classifier = TextClassifier("multinomial").fit(texts, np.array([[1, 0], [0, 1], [1, 1]]))
        batch = Batch(texts, [[0], [1], [0, 1]], places=range(3))
        report = prediction.evaluation_report(
            [prediction.evaluate_batches(model_bytes(classifier), [batch])]
        )
        assert {each.label: each.support for each in report.classes} == {0: 2, 1: 2}

    def test_no_documents_are_no_report(self, single: TextClassifier) -> None:
        nothing = prediction.evaluate_batches(model_bytes(single), [])
        for parts in ([], [nothing]):
            with pytest.raises(ScoreError, match="empty"):
                prediction.evaluation_report(parts)

    def test_damage_is_noticed(self, single: TextClassifier) -> None:
        texts, labels = _documents(4)
        packed = bytearray(
            prediction.evaluate_batches(
                model_bytes(single), [Batch(texts, labels, places=range(4))]
            )
        )
        packed[-1] ^= 1
        with pytest.raises(FileError):
            prediction.evaluation_report([bytes(packed)])

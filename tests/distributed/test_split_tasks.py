"""Prediction and evaluation of splits, as workers do it, without an engine."""

import json
import warnings

import pytest

from commands import MAILS, write_csv, write_jsonl
from tallytext import TextClassifier
from tallytext.classifier.prediction_rows import OutputOptions
from tallytext.distributed import Files
from tallytext.distributed.prediction import (
    SplitResult,
    evaluate_split,
    evaluation_report,
    model_bytes,
    pack_request,
    predict_split,
)
from tallytext.errors import FileError
from tallytext.io.atomic import save_blocks

READING = {"text": "text", "label": "label", "on_error": "skip"}
UNLABELLED = READING | {"label": None}


@pytest.fixture(scope="module")
def classifier():
    texts, labels = zip(*MAILS, strict=True)
    return TextClassifier("multinomial").fit(list(texts), list(labels))


@pytest.fixture(scope="module")
def splits(tmp_path_factory):
    folder = tmp_path_factory.mktemp("files")
    rows = [{"text": "cheap lunch", "label": "spam"}, {"text": 1}, {"text": "noon", "label": "x"}]
    return Files([write_csv(folder / "a.csv"), write_jsonl(folder / "b.jsonl", rows)]).splits()


def request(classifier, reading=UNLABELLED, **output):
    folder = output.pop("folder", None)
    return pack_request(model_bytes(classifier), reading, OutputOptions(**output), folder)


def test_predictions_come_with_the_skipped_rows(classifier, splits):
    packed = request(classifier, has_file=True)
    outcomes = [SplitResult.unpack(predict_split(split, packed)) for split in splits]
    assert [outcome.n_documents for outcome in outcomes] == [len(MAILS), 2]
    assert outcomes[1].skipped.messages == ["line 2: 'text' is 1, not a string"]
    lines = [json.loads(line) for line in outcomes[1].content.splitlines()]
    assert [(line["file"], line["row"]) for line in lines] == [
        (splits[1].name, 1),
        (splits[1].name, 3),
    ]
    texts = ["cheap lunch", "noon"]
    assert [line["label"] for line in lines] == classifier.predict(texts).tolist()
    assert sum(outcome.n_bytes for outcome in outcomes) == sum(s.n_bytes for s in splits)


def test_parts_are_written_whole_or_not_at_all(classifier, splits, tmp_path):
    packed = request(classifier, to="csv", folder=str(tmp_path))
    outcome = SplitResult.unpack(predict_split(splits[1], packed))
    assert outcome.content == b""
    (part,) = tmp_path.iterdir()
    assert part.name == "part-00001.csv"
    assert part.read_text().splitlines()[0] == "row,label,probability"
    strict = request(classifier, UNLABELLED | {"on_error": "fail"}, folder=str(tmp_path))
    with pytest.raises(FileError, match="line 2"):
        predict_split(splits[1], strict)
    assert list(tmp_path.iterdir()) == [part]


def test_a_request_has_the_bytes_of_the_model(classifier, splits):
    packed = request(classifier)
    assert packed.endswith(model_bytes(classifier))
    with pytest.raises(FileError):
        predict_split(splits[0], packed[:20] + b"?" + packed[21:])


def test_a_folder_that_a_worker_does_not_find_is_reported(classifier, splits, tmp_path):
    packed = request(classifier, folder=str(tmp_path / "none"))
    with pytest.raises(FileError, match="Every worker must find the folder"):
        predict_split(splits[0], packed)


def test_evaluations_add_up_to_a_report(classifier, splits):
    packed = pack_request(model_bytes(classifier), READING)
    outcomes = [SplitResult.unpack(evaluate_split(split, packed)) for split in splits]
    report = evaluation_report([outcome.content for outcome in outcomes])
    assert report.n_documents == len(MAILS) + 2
    assert report.unknown_labels == (("x", 1),)


def test_workers_do_not_warn_of_stale_models(classifier, splits):
    stale = TextClassifier.from_bytes(classifier.to_bytes()).learn(["a parcel"], ["parcel"])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        predict_split(splits[0], request(stale))


def test_blocks_that_end_in_an_error_leave_no_file(tmp_path):
    def blocks():
        yield b"half"
        raise ValueError("no more")

    with pytest.raises(ValueError, match="no more"):
        save_blocks(tmp_path / "file", blocks())
    assert list(tmp_path.iterdir()) == []

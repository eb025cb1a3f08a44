"""A model asked where the documents are: what workers do, without an engine."""

import json
import warnings

import pytest

from commands import MAILS, write_csv, write_jsonl
from tallytext import TextClassifier
from tallytext.distributed import Files
from tallytext.distributed.answers import Asked
from tallytext.distributed.predicting import (
    Outcome,
    answered,
    judged_split,
    model_bytes,
    packed_question,
    report_of,
)
from tallytext.errors import FileError
from tallytext.io.safetensors import save_blocks

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


def question(classifier, reading=UNLABELLED, **asked):
    folder = asked.pop("folder", None)
    return packed_question(model_bytes(classifier), reading, Asked(**asked), folder)


def test_answers_come_back_with_what_was_left_out(classifier, splits):
    packed = question(classifier, has_file=True)
    outcomes = [Outcome.unpack(answered(split, packed)) for split in splits]
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
    packed = question(classifier, to="csv", folder=str(tmp_path))
    outcome = Outcome.unpack(answered(splits[1], packed))
    assert outcome.content == b""
    (part,) = tmp_path.iterdir()
    assert part.name == "part-00001.csv"
    assert part.read_text().splitlines()[0] == "row,label,probability"
    strict = question(classifier, UNLABELLED | {"on_error": "fail"}, folder=str(tmp_path))
    with pytest.raises(FileError, match="line 2"):
        answered(splits[1], strict)
    assert list(tmp_path.iterdir()) == [part]


def test_a_question_carries_the_model_as_it_is(classifier, splits):
    packed = question(classifier)
    assert packed.endswith(model_bytes(classifier))
    with pytest.raises(FileError):
        answered(splits[0], packed[:20] + b"?" + packed[21:])


def test_a_folder_that_a_worker_does_not_find_is_told(classifier, splits, tmp_path):
    packed = question(classifier, folder=str(tmp_path / "none"))
    with pytest.raises(FileError, match="Every worker must find the folder"):
        answered(splits[0], packed)


def test_judgements_add_up_to_a_report(classifier, splits):
    packed = packed_question(model_bytes(classifier), READING)
    outcomes = [Outcome.unpack(judged_split(split, packed)) for split in splits]
    report = report_of([outcome.content for outcome in outcomes])
    assert report.n_documents == len(MAILS) + 2
    assert report.unknown_labels == (("x", 1),)


def test_who_asked_is_warned_and_not_those_who_answer(classifier, splits):
    stale = TextClassifier.from_bytes(classifier.to_bytes()).learn(["a parcel"], ["parcel"])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        answered(splits[0], question(stale))


def test_blocks_that_end_in_an_error_leave_no_file(tmp_path):
    def blocks():
        yield b"half"
        raise ValueError("no more")

    with pytest.raises(ValueError, match="no more"):
        save_blocks(tmp_path / "file", blocks())
    assert list(tmp_path.iterdir()) == []

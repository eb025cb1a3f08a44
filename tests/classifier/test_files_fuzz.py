import json
import random

import numpy as np
import pytest

from tallytext import TextClassifier
from tallytext.classifier import learners, model_file
from tallytext.errors import FileError, TallytextError
from tallytext.io import load_arrays, save_arrays
from tallytext.models import serialization
from tallytext.models.packed_rows import max_unpacked_bytes, pack_array

pytest.importorskip("resource")
import attack_model_files
import bending
import subjects


@pytest.fixture(scope="module")
def headers(tmp_path_factory):
    """The settings of each file that is bent."""
    all_subjects = attack_model_files.all_subjects(tmp_path_factory.mktemp("subjects") / "file")
    split = (bending.split(subject.content)[0] for subject in all_subjects)
    return [json.loads(header["__metadata__"]["header"]) for header in split]


def test_bent_files_are_refused_or_read_as_something_that_works():
    findings = []
    counts = attack_model_files.fuzz(200, seed=0, found=findings.append)
    assert not findings
    # Some are read: those with one sum, or one setting, that could as well have been another.
    assert 0 < counts[attack_model_files.READ] < 100
    assert counts["FileError"] > 100


def test_a_file_of_each_learner_is_bent(headers):
    bent = {each.get("learner") for each in headers}  # a model that was given is stored by its kind
    own = [{learner.name, type(learner.default()).__name__} for learner in learners()]
    assert [names for names in own if not names & bent] == []


def test_a_file_of_each_kind_of_estimator_smoothing_and_calibrator_is_bent(headers):
    spelt = json.dumps(headers)
    kinds = {
        *serialization._ESTIMATOR_MODULES,
        *serialization._SMOOTHINGS,
        *serialization._DECISION_CLASSES,
    }
    # These are in no file of a classifier, or without their names, as parts of others.
    never = {"Argmax", "PCut", "PredictionSets", "RCut", "SCut", "Temperature"}
    assert {kind for kind in kinds - never if f'"{kind}"' not in spelt} == set()


def test_checksums_made_anew_leave_only_what_is_wrong_with_a_file(tmp_path):
    path, rng = tmp_path / "file", random.Random(0)
    subject = next(subjects.model_subjects(path))
    path.write_bytes(bending.sealed(subject.content))
    assert subject.load(path)
    bent = bending.edit_array(rng, subject.content)
    reasons = {bent: "checksum", bending.sealed(bent): r"this is not a (tally|vocabulary)"}
    for content, reason in reasons.items():
        path.write_bytes(content)
        with pytest.raises(TallytextError, match=reason):
            subject.load(path)


def test_a_few_bytes_of_a_file_cannot_unpack_to_much(tmp_path):
    path = tmp_path / "file"
    TextClassifier("multinomial").fit(["sea", "sky"], ["a", "b"]).save(path)
    arrays, header = load_arrays(path, model_file.KIND, newest=model_file.FORMAT)
    zeros = np.zeros(2**26, np.uint8)
    for n_arrays in (1, 40):  # one large array, and many smaller ones
        part = zeros[: len(zeros) // n_arrays]
        more = {f"more{at}": pack_array(part) for at in range(n_arrays)}
        header["packed"] = {name: ["|u1", [len(part)]] for name in more}
        save_arrays(path, arrays | more, header)
        with pytest.raises(FileError, match="more than the limit"):
            TextClassifier.load(path)


def test_a_file_with_much_content_that_is_equal_can_be_read_again(monkeypatch):
    classifier = TextClassifier("neighbours").fit(["sea wave"] * 3000, ["a", "b", "b"] * 1000)
    monkeypatch.setattr("tallytext.models.packed_rows._FREE_BYTES", 0)
    packed = classifier.to_bytes()
    assert len(TextClassifier.from_bytes(packed).model_.documents_) == 3000
    assert max_unpacked_bytes(0) == 0

import json

import numpy as np
import pytest

import model_files
from tallytext import TextClassifier
from tallytext.classifier.model_file import FORMAT

each_version = pytest.mark.parametrize("version", range(1, FORMAT + 1))
NUMBERS = ("scores", "probabilities")
# The last text has no known word. Since files of version 3 were written, it gets the prior.
OF_KNOWN_WORDS = ("probabilities", "labels", "sets")


@each_version
def test_a_file_of_any_version_says_what_it_said_when_it_was_written(version):
    read = TextClassifier.load(model_files.FOLDER / f"model-{version}.tally")
    written = (model_files.FOLDER / f"model-{version}.json").read_text(encoding="utf-8")
    expected, found = json.loads(written), model_files.answers(read)
    for answers in (expected, found):
        answers |= {name: answers[name][:-1] for name in OF_KNOWN_WORDS}
    for name in NUMBERS:
        # Logarithms of other machines may differ in the last bit; counts may not.
        np.testing.assert_allclose(found.pop(name), expected.pop(name), rtol=1e-12, atol=1e-12)
    assert found == expected
    assert [type(label) for label in read.classes_.tolist()] == [float, int, str, str]


@each_version
def test_a_file_of_any_version_learns_and_is_written_in_the_newest(version, tmp_path):
    read = TextClassifier.load(model_files.FOLDER / f"model-{version}.tally")
    read.learn(["moon light"], [["moon"]]).save(tmp_path / "model")
    again = TextClassifier.load(tmp_path / "model")
    assert again.tally_ == read.tally_
    assert "moon" in again.classes_.tolist()

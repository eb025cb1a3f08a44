import os
import signal
import time

import pytest

if os.name == "nt":
    pytest.skip("there are no pseudo terminals here", allow_module_level=True)
import killing_label
from killing_label import Notes, Witness

from tallytext.labelling import Annotation


def test_every_answer_that_a_question_followed_is_kept_when_the_command_is_killed(tmp_path):
    notes = Notes(tmp_path, n_documents=60)
    witness = killing_label.killed(notes, kills=3, seed=0)
    killing_label.finished(notes, witness)
    assert witness.counts["kills"] == 3
    assert witness.counts["answers acknowledged"] > 0
    assert witness.counts["answers lost"] == witness.counts["answers made up"] == 0


def test_a_command_that_is_told_to_end_leaves_the_terminal_as_it_was(tmp_path):
    child = Notes(tmp_path, n_documents=60).start()
    before = child.modes()
    assert child.question() is not None
    assert child.modes() != before
    child.send(signal.SIGTERM)
    deadline = time.monotonic() + 30
    while child.modes() != before:
        assert time.monotonic() < deadline
        time.sleep(0.01)
    assert child.wait() == -signal.SIGTERM


@pytest.mark.parametrize("wanted", ["question", "end"])
def test_a_command_that_hangs_is_noticed_and_killed(tmp_path, monkeypatch, wanted):
    child = Notes(tmp_path, n_documents=60).start()
    assert child.question() is not None
    monkeypatch.setattr(killing_label, "PATIENCE", 0.1)
    with pytest.raises(AssertionError, match=f"no {wanted} within"):
        child.question() if wanted == "question" else child.wait()
    assert child._process.returncode == -signal.SIGKILL


@pytest.mark.parametrize(
    ("found", "lost", "made_up"),
    [
        ([(1, "sea"), (2, "sky")], 0, 0),
        ([(1, "sea"), (2, "sky"), (3, "sea")], 0, 0),
        ([(1, "sea")], 1, 0),
        ([(1, "sea"), (2, "sea")], 1, 0),
        ([(2, "sky"), (1, "sea")], 2, 0),
        ([(1, "sea"), (2, "sky"), (4, "sea")], 0, 1),
        ([(1, "sea"), (2, "sky"), (3, "sea"), (4, "sea")], 0, 1),
    ],
)
def test_what_is_lost_or_made_up_is_noticed(found, lost, made_up):
    witness = Witness()
    witness.kept, witness.pending = [(1, "sea"), (2, "sky")], (3, "sea")
    witness.judges([Annotation(row, "", label) for row, label in found])
    assert (witness.counts["answers lost"], witness.counts["answers made up"]) == (lost, made_up)

"""Answers on disk: none is lost, none is made up."""

import json
import os
import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tallytext.datasets import load_documents
from tallytext.errors import FileError
from tallytext.labelling import Answer, Journal

TEXTS = st.text(st.characters(codec="utf-8"), max_size=12)
ANSWERS = st.builds(
    Answer,
    row=st.integers(0, 99),
    text=TEXTS,
    label=st.sampled_from(["sea", "sky", "a\nb", "é"]),
    at_random=st.booleans(),
    guess=st.none() | st.sampled_from(["sea", "sky"]),
)


@pytest.fixture
def path(tmp_path):
    return tmp_path / "notes.labels.jsonl"


def written(path, answers):
    with Journal(path) as journal:
        for answer in answers:
            journal.add(answer)
    return answers


class TestAnswers:
    @given(answers=st.lists(ANSWERS, max_size=8), n_undone=st.integers(0, 8))
    def test_what_was_answered_and_not_taken_back_is_there_again(
        self, answers, n_undone, tmp_path_factory
    ):
        path = tmp_path_factory.mktemp("journal") / "a.jsonl"
        kept = answers[: max(len(answers) - n_undone, 0)]
        with Journal(path) as journal:
            for answer in answers:
                journal.add(answer)
            for answer in reversed(answers[len(kept) :]):
                assert journal.undo() == answer
            assert journal.answers == kept
        with Journal(path) as journal:
            assert journal.answers == kept

    def test_the_file_is_a_data_set(self, path):
        written(path, [Answer(7, "See you", "ham"), Answer(2, "Cheap!", "spam", True, "ham")])
        assert load_documents(path) == (["See you", "Cheap!"], ["ham", "spam"])

    def test_nothing_can_be_taken_back_of_nothing(self, path):
        with Journal(path) as journal, pytest.raises(IndexError):
            journal.undo()


class TestDamage:
    @given(data=st.data())
    def test_a_file_that_was_cut_anywhere_has_all_whole_answers(self, data, tmp_path_factory):
        path = tmp_path_factory.mktemp("journal") / "a.jsonl"
        answers = written(path, data.draw(st.lists(ANSWERS, min_size=1, max_size=4)))
        content = path.read_bytes()
        cut = data.draw(st.integers(0, len(content)))
        path.write_bytes(content[:cut])
        with Journal(path) as journal:
            assert journal.answers == answers[: content[:cut].count(b"\n")]
            journal.add(Answer(1, "more", "sea"))
        with Journal(path) as journal:
            assert journal.answers[-1] == Answer(1, "more", "sea")

    @pytest.mark.parametrize(
        "line",
        [
            "nonsense",
            "[]",
            '{"row": 1}',
            '{"row": "1", "text": "a", "label": "b"}',
            '{"row": 1, "text": "a", "label": null}',
        ],
    )
    def test_other_damage_is_refused_and_nothing_changed(self, path, line):
        written(path, [Answer(1, "a", "sea")])
        content = path.read_bytes() + line.encode() + b"\n"
        path.write_bytes(content)
        with pytest.raises(FileError, match="line 2"):
            Journal(path)
        assert path.read_bytes() == content

    def test_a_file_in_use_is_refused(self, path):
        pytest.importorskip("fcntl")
        with Journal(path), pytest.raises(FileError, match="in use"):
            Journal(path)

    def test_a_full_disk_leaves_what_was_there(self, path, monkeypatch):
        with Journal(path) as journal:
            journal.add(Answer(1, "a", "sea"))
            sync = os.fsync

            def full(descriptor):
                monkeypatch.setattr(os, "fsync", sync)
                raise OSError(28, "No space left on device")

            monkeypatch.setattr(os, "fsync", full)
            with pytest.raises(OSError, match="No space"):
                journal.add(Answer(2, "b", "sky"))
            journal.add(Answer(3, "c", "sky"))
        with Journal(path) as journal:
            assert [answer.row for answer in journal.answers] == [1, 3]


def test_killed_at_any_moment_it_has_every_answer_that_was_told(path):
    """The child tells a number when its answer is kept; a parent that kills it counts these."""
    code = (
        "import sys\nfrom tallytext.labelling import Answer, Journal\n"
        "journal = Journal(sys.argv[1])\n"
        "for row in range(len(journal.answers), 10**6):\n"
        "    journal.add(Answer(row, 'x' * (row % 997), 'sea'))\n"
        "    print(row, flush=True)\n"
    )
    told = -1
    for wanted in (5, 60, 61, 200):
        child = subprocess.Popen(
            [sys.executable, "-c", code, str(path)], stdout=subprocess.PIPE, text=True
        )
        for line in child.stdout:
            told = int(line)
            if told >= wanted:
                child.kill()
                break
        rest = child.stdout.read().split()
        child.stdout.close()
        child.wait()
        told = max([told, *map(int, rest[:-1])])
        with Journal(path) as journal:
            rows = [answer.row for answer in journal.answers]
            assert rows == [*range(len(rows))]
            assert len(rows) > told
            assert all(json.dumps(answer.text) for answer in journal.answers)

"""Answers on disk: none is lost, none is made up."""

import json
import os
import stat
import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tallytext.errors import FileError
from tallytext.io import load_documents
from tallytext.labelling import Annotation, Journal

TEXTS = st.text(st.characters(codec="utf-8"), max_size=12)
ANSWERS = st.builds(
    Annotation,
    row=st.integers(0, 999),
    text=TEXTS,
    label=st.sampled_from(["sea", "sky", "a\nb", "é"]),
    at_random=st.booleans(),
    guess=st.none() | st.sampled_from(["sea", "sky"]),
)


def different(**limits):
    """Answers to different documents."""
    return st.lists(ANSWERS, unique_by=lambda answer: answer.row, **limits)


@pytest.fixture
def path(tmp_path):
    return tmp_path / "notes.labels.jsonl"


def written(path, answers):
    with Journal(path) as journal:
        for answer in answers:
            journal.add(answer)
    return answers


class TestAnswers:
    @given(answers=different(max_size=8), n_undone=st.integers(0, 8))
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
            assert journal.annotations == kept
        with Journal(path) as journal:
            assert journal.annotations == kept

    def test_the_file_is_a_data_set(self, path):
        written(
            path, [Annotation(7, "See you", "ham"), Annotation(2, "Cheap!", "spam", True, "ham")]
        )
        assert load_documents(path) == (["See you", "Cheap!"], ["ham", "spam"])

    def test_nothing_can_be_taken_back_of_nothing(self, path):
        with Journal(path) as journal, pytest.raises(IndexError):
            journal.undo()


class TestDamage:
    @given(data=st.data())
    def test_a_file_that_was_cut_anywhere_has_all_whole_answers(self, data, tmp_path_factory):
        path = tmp_path_factory.mktemp("journal") / "a.jsonl"
        answers = written(path, data.draw(different(min_size=1, max_size=4)))
        content = path.read_bytes()
        cut = data.draw(st.integers(0, len(content)))
        path.write_bytes(content[:cut])
        with Journal(path) as journal:
            kept = answers[: (content[:cut] + b"\n").count(b"}\n")]
            assert journal.annotations == kept
            journal.add(Annotation(1_000, "more", "sea"))
        with Journal(path) as journal:
            assert journal.annotations == [*kept, Annotation(1_000, "more", "sea")]

    @pytest.mark.parametrize(
        "line",
        [
            "nonsense",
            "[]",
            '{"row": 1}',
            '{"row": "1", "text": "a", "label": "b"}',
            '{"row": 1, "text": "a", "label": null}',
            '{"row": 1, "text": "a", "label": " "}',
            '{"row": 1, "text": "a", "label": "twice"}',
            "[" * 100_000,
        ],
    )
    def test_other_damage_is_refused_and_nothing_changed(self, path, line):
        written(path, [Annotation(1, "a", "sea")])
        content = path.read_bytes() + line.encode() + b"\n"
        path.write_bytes(content)
        with pytest.raises(FileError, match=r"line 2|lines 1 and 2"):
            Journal(path)
        assert path.read_bytes() == content

    @pytest.mark.parametrize(
        "content", [b"Dear diary", b"{}", b"1", b"\xff", b'{"row": ' + b"[" * 100_000]
    )
    def test_a_file_of_something_else_is_not_touched(self, path, content):
        path.write_bytes(content)
        with pytest.raises(FileError, match="line 1"):
            Journal(path)
        assert path.read_bytes() == content

    def test_zeros_that_a_lost_power_left_are_dropped(self, path):
        answers = written(path, [Annotation(1, "a", "sea")])
        path.write_bytes(path.read_bytes() + b"\0" * 100)
        with Journal(path) as journal:
            assert journal.annotations == answers

    def test_a_file_in_use_is_refused(self, path):
        pytest.importorskip("fcntl")
        with Journal(path), pytest.raises(FileError, match="in use"):
            Journal(path)

    def test_a_disk_that_fails_leaves_what_was_there(self, path, monkeypatch):
        with Journal(path) as journal:
            journal.add(Annotation(1, "a", "sea"))
            sync = os.fsync

            def full(descriptor):
                monkeypatch.setattr(os, "fsync", sync)
                raise OSError(28, "No space left on device")

            monkeypatch.setattr(os, "fsync", full)
            with pytest.raises(OSError, match="No space"):
                journal.add(Annotation(2, "b", "sky"))
            journal.add(Annotation(3, "c", "sky"))
        with Journal(path) as journal:
            assert [answer.row for answer in journal.annotations] == [1, 3]

    def test_an_answer_that_cannot_be_taken_back_stays(self, path, monkeypatch):
        answers = [Annotation(1, "a", "sea"), Annotation(2, "b", "sky")]
        with Journal(path) as journal:
            for answer in answers:
                journal.add(answer)
            content = path.read_bytes()

            def failing(descriptor):
                raise OSError(5, "Input/output error")

            with monkeypatch.context() as patched:
                patched.setattr(os, "fsync", failing)
                with pytest.raises(OSError, match="Input/output") as raised:
                    journal.undo()
            assert raised.value.filename == str(path)
            assert (journal.annotations, path.read_bytes()) == (answers, content)
            assert journal.undo() == answers[1]
        with Journal(path) as journal:
            assert journal.annotations == answers[:1]

    def test_an_answer_for_which_there_is_no_room_leaves_nothing_of_it(self, path):
        """The largest file is limited in a child: what fits of a line is written, then no more."""
        pytest.importorskip("resource")
        code = (
            "import resource, sys\nfrom tallytext.labelling import Annotation, Journal\n"
            "resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))\n"
            "with Journal(sys.argv[1]) as journal:\n"
            "    journal.add(Annotation(1, 'a', 'sea'))\n"
            "    try:\n        journal.add(Annotation(2, 'b' * 2000, 'sea'))\n"
            "    except OSError:\n        print('full')\n"
            "    journal.add(Annotation(3, 'c', 'sea'))\n"
        )
        done = subprocess.run([sys.executable, "-c", code, str(path)], capture_output=True)
        assert done.stdout == b"full\n", done.stderr
        with Journal(path) as journal:
            assert [answer.row for answer in journal.annotations] == [1, 3]

    @pytest.mark.parametrize("meanwhile", ["removed", "replaced"])
    def test_nothing_is_written_where_nobody_would_find_it(self, path, meanwhile):
        with Journal(path) as journal:
            journal.add(Annotation(1, "a", "sea"))
            path.rename(path.with_suffix(".old"))
            if meanwhile == "replaced":
                path.write_bytes(b"")
            with pytest.raises(FileError, match="in the meantime"):
                journal.add(Annotation(2, "b", "sky"))
            with pytest.raises(FileError, match="in the meantime"):
                journal.undo()
            assert len(journal.annotations) == 1
            path.with_suffix(".old").replace(path)
            journal.add(Annotation(2, "b", "sky"))
        with Journal(path) as journal:
            assert [answer.row for answer in journal.annotations] == [1, 2]

    @pytest.mark.skipif(os.name == "nt", reason="a pipe has no name there")
    def test_a_pipe_keeps_nothing(self, path):
        os.mkfifo(path)
        with pytest.raises(FileError, match="not a regular file"):
            Journal(path)


class TestByHand:
    def test_a_label_can_be_corrected_and_a_remark_added(self, path):
        written(path, [Annotation(1, "a", "sea"), Annotation(2, "b", "sky")])
        lines = [json.loads(line) for line in path.read_text().splitlines()]
        lines[0] |= {"label": "field", "remark": "seen by Ann"}
        path.write_text("\r\n".join(map(json.dumps, lines)))  # an editor of its own mind
        with Journal(path) as journal:
            assert [answer.label for answer in journal.annotations] == ["field", "sky"]
            journal.add(Annotation(3, "c", "sea"))
        assert "seen by Ann" in path.read_text()
        with Journal(path) as journal:
            assert [answer.row for answer in journal.annotations] == [1, 2, 3]

    def test_empty_lines_are_nothing(self, path):
        answers = written(path, [Annotation(1, "a", "sea"), Annotation(2, "b", "sky")])
        path.write_bytes(b"\n" + path.read_bytes().replace(b"}\n", b"}\n\n"))
        with Journal(path) as journal:
            assert journal.annotations == answers
            assert journal.undo() == answers[1]
        with Journal(path) as journal:
            assert journal.annotations == answers[:1]


class TestFile:
    def test_one_that_stays_empty_goes_again(self, path):
        with Journal(path):
            assert path.exists()
        assert not path.exists()

    def test_one_of_the_same_name_that_is_another_stays(self, path):
        with Journal(path):
            path.rename(path.with_suffix(".old"))
            path.write_bytes(b"")
        assert path.exists()
        path.unlink()
        other = path.with_name("other.jsonl")
        written(other, [Annotation(1, "a", "sea")])
        with Journal(path):
            other.replace(path)
        with Journal(path) as journal:
            assert len(journal.annotations) == 1

    def test_one_that_was_there_stays(self, path):
        written(path, [Annotation(1, "a", "sea")])
        with Journal(path) as journal:
            journal.undo()
        assert path.read_bytes() == b""

    def test_a_folder_that_is_not_there_is_said(self, tmp_path):
        with pytest.raises(OSError, match="No such file"):
            Journal(tmp_path / "nowhere" / "a.jsonl")

    def test_its_name_is_on_disk_before_an_answer_is(self, path, monkeypatch):
        if os.name == "nt":
            pytest.skip("folders cannot be opened there")
        synced, sync = [], os.fsync

        def seen(descriptor):
            synced.append(stat.S_ISDIR(os.fstat(descriptor).st_mode))
            sync(descriptor)

        monkeypatch.setattr(os, "fsync", seen)
        written(path, [Annotation(1, "a", "sea")])
        assert synced == [True, False]


def test_killed_at_any_moment_it_has_every_answer_that_was_told(path):
    """The child tells a number when its answer is kept; a parent that kills it counts these."""
    code = (
        "import sys\nfrom tallytext.labelling import Annotation, Journal\n"
        "journal = Journal(sys.argv[1])\n"
        "for row in range(len(journal.annotations), 10**6):\n"
        "    journal.add(Annotation(row, 'x' * (row % 997), 'sea'))\n"
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
            rows = [answer.row for answer in journal.annotations]
            assert rows == [*range(len(rows))]
            assert len(rows) > told
            assert all(json.dumps(answer.text) for answer in journal.annotations)

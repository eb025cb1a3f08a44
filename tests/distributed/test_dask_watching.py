"""Who waits for many to count is told how far they are, if he wants to be."""

import io

import pytest

from tallytext import runtime as progress
from tallytext.distributed import watching
from tallytext.distributed.watching import Note, Watch, shown


class Screen(io.StringIO):
    def __init__(self, watched):
        super().__init__()
        self.watched = watched

    def isatty(self):
        return self.watched


def told(monkeypatch, *, watched, verbose, apart=0.0):
    screen = Screen(watched)
    monkeypatch.setattr("sys.stderr", screen)
    monkeypatch.setattr(progress, "PATIENCE", -1.0)
    monkeypatch.setattr(watching, "LINES_APART", apart)
    monkeypatch.setenv("TTY_COMPATIBLE", "1")
    monkeypatch.setenv("COLUMNS", "80")
    watch = Watch(2)
    with shown(watch, verbose) as show:
        for number in range(2):
            watch.told(Note(number, 1000, 1 << 20, 70, 1 << 10, 100 << 20))
            show()
            show()
    return screen.getvalue()


def test_a_partition_that_was_counted_twice_is_there_once():
    watch = Watch(2)
    for _ in range(2):
        watch.told(Note(1, n_documents=5, text_bytes=7, n_terms=3, n_bytes=9, peak_memory=11))
    assert (watch.n_counted, watch.n_documents, watch.text_bytes) == (1, 5, 7)
    watch.told(Note(0, n_terms=4, n_bytes=10, peak_memory=2))
    assert watch.peak_memory == 11
    assert "largest part 4 terms in 10 bytes" in watch.lines()


def test_notes_survive_their_journey():
    note = Note(1, 2, 3, 4, 5, 6)
    assert Note(*note.to_list()) == note


def test_merges_are_steps_too_and_no_more_than_there_are():
    watch = Watch(2, n_merges=1)
    assert (watch.n_done, watch.n_steps) == (0, 3)
    for note in (Note(0), Note(1), Note(-1, n_bytes=5), Note(-1, n_bytes=5)):
        watch.told(note)
    assert watch.n_done == 3
    assert "1 of 1 merges, to 5 bytes" in watch.lines()


@pytest.mark.parametrize("verbose", [None, True])
def test_a_bar_tells_all_of_it_on_a_terminal(monkeypatch, verbose):
    seen = told(monkeypatch, watched=True, verbose=verbose)
    assert "2 of 2 partitions, 2,000 documents, 2.0 MiB" in seen
    assert "a worker takes up to 100.0 MiB" in seen


def test_lines_tell_it_where_there_is_no_terminal_and_no_line_comes_twice(monkeypatch):
    lines = told(monkeypatch, watched=False, verbose=True).splitlines()
    assert [line.split(",")[0] for line in lines] == [
        "Counting: 1 of 2 partitions",
        "Counting: 2 of 2 partitions",
    ]


def test_lines_come_now_and_then(monkeypatch):
    lines = told(monkeypatch, watched=False, verbose=True, apart=1e9).splitlines()
    assert len(lines) == 1
    assert lines[0].startswith("Counting: 2 of 2 partitions")


@pytest.mark.parametrize(("watched", "verbose"), [(False, None), (True, False), (False, False)])
def test_nothing_is_told_where_nobody_looks_or_wants_to(monkeypatch, watched, verbose):
    assert told(monkeypatch, watched=watched, verbose=verbose) == ""

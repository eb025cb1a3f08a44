"""Progress of workers on standard error: bars, lines or nothing."""

import io

import pytest

from tallytext import runtime as progress
from tallytext.distributed import progress as worker_progress
from tallytext.distributed.progress import ProgressTracker, TaskReport, show_progress


class Screen(io.StringIO):
    def __init__(self, watched):
        super().__init__()
        self.watched = watched

    def isatty(self):
        return self.watched


def displayed(monkeypatch, *, watched, verbose, apart=0.0):
    screen = Screen(watched)
    monkeypatch.setattr("sys.stderr", screen)
    monkeypatch.setattr(progress, "PROGRESS_DELAY", -1.0)
    monkeypatch.setattr(worker_progress, "SECONDS_BETWEEN_LINES", apart)
    monkeypatch.setenv("TTY_COMPATIBLE", "1")
    monkeypatch.setenv("COLUMNS", "80")
    watch = ProgressTracker(2)
    with show_progress(watch, verbose) as show:
        for number in range(2):
            watch.add(TaskReport(number, 1000, 1 << 20, 70, 1 << 10, 100 << 20))
            show()
            show()
    return screen.getvalue()


def test_a_partition_that_was_counted_twice_is_there_once():
    watch = ProgressTracker(2)
    for _ in range(2):
        watch.add(TaskReport(1, n_documents=5, text_bytes=7, n_terms=3, n_bytes=9, peak_memory=11))
    assert (watch.n_finished, watch.n_documents, watch.text_bytes) == (1, 5, 7)
    watch.add(TaskReport(0, n_terms=4, n_bytes=10, peak_memory=2))
    assert watch.peak_memory == 11
    assert "largest partition: 4 terms, 10 bytes" in watch.lines()


def test_reports_are_restored_from_lists():
    note = TaskReport(1, 2, 3, 4, 5, 6)
    assert TaskReport(*note.to_list()) == note


def test_merges_are_steps_too_and_no_more_than_there_are():
    watch = ProgressTracker(2, n_merges=1)
    assert (watch.n_done, watch.n_steps) == (0, 3)
    for note in (
        TaskReport(0),
        TaskReport(1),
        TaskReport(-1, n_bytes=5),
        TaskReport(-1, n_bytes=5),
    ):
        watch.add(note)
    assert watch.n_done == 3
    assert "1 of 1 merges, results of up to 5 bytes" in watch.lines()


@pytest.mark.parametrize("verbose", [None, True])
def test_a_terminal_shows_a_bar(monkeypatch, verbose):
    seen = displayed(monkeypatch, watched=True, verbose=verbose)
    assert "2 of 2 partitions, 2,000 documents, 2.0 MiB" in seen
    assert "peak memory of a worker: 100.0 MiB" in seen


def test_without_a_terminal_there_are_lines_and_none_twice(monkeypatch):
    lines = displayed(monkeypatch, watched=False, verbose=True).splitlines()
    assert [line.split(",")[0] for line in lines] == [
        "Counting: 1 of 2 partitions",
        "Counting: 2 of 2 partitions",
    ]


def test_lines_have_some_seconds_in_between(monkeypatch):
    lines = displayed(monkeypatch, watched=False, verbose=True, apart=1e9).splitlines()
    assert len(lines) == 1
    assert lines[0].startswith("Counting: 2 of 2 partitions")


@pytest.mark.parametrize(("watched", "verbose"), [(False, None), (True, False), (False, False)])
def test_nothing_is_shown_unless_wanted(monkeypatch, watched, verbose):
    assert displayed(monkeypatch, watched=watched, verbose=verbose) == ""

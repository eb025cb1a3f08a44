import io

from tallytext import runtime as progress
from tallytext.runtime import progress_bar


class Screen(io.StringIO):
    def __init__(self, watched):
        super().__init__()
        self.watched = watched

    def isatty(self):
        return self.watched


def shows(monkeypatch, *, watched, patience, wanted=None):
    screen = Screen(watched)
    monkeypatch.setattr("sys.stderr", screen)
    monkeypatch.setattr(progress, "PATIENCE", patience)
    monkeypatch.setenv("TTY_COMPATIBLE", "1")
    with progress_bar("Working", 3, wanted) as step:
        for _ in range(3):
            step()
    return "Working" in screen.getvalue()


def test_a_bar_appears_where_someone_looks_and_work_takes_its_time(monkeypatch):
    assert shows(monkeypatch, watched=True, patience=-1.0)


def test_no_bar_appears_for_work_that_is_soon_done(monkeypatch):
    assert not shows(monkeypatch, watched=True, patience=1e9)


def test_no_bar_appears_where_nobody_looks(monkeypatch):
    assert not shows(monkeypatch, watched=False, patience=-1.0)


def test_a_bar_that_is_asked_for_appears_at_once(monkeypatch):
    assert shows(monkeypatch, watched=False, patience=1e9, wanted=True)


def test_work_within_work_shows_one_bar(monkeypatch):
    screen = Screen(True)
    monkeypatch.setattr("sys.stderr", screen)
    monkeypatch.setenv("TTY_COMPATIBLE", "1")
    with progress_bar("Outer", 2, True) as step:
        step()
        assert not shows(monkeypatch, watched=True, patience=-1.0)
        step()
    assert "Outer" in screen.getvalue()
    assert shows(monkeypatch, watched=True, patience=-1.0)


def test_a_bar_that_is_not_wanted_stays_away(monkeypatch):
    assert not shows(monkeypatch, watched=True, patience=-1.0, wanted=False)

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
    monkeypatch.setattr(progress, "PROGRESS_DELAY", patience)
    monkeypatch.setenv("TTY_COMPATIBLE", "1")
    with progress_bar("Working", 3, wanted) as step:
        for _ in range(3):
            step()
    return "Working" in screen.getvalue()


def test_a_bar_appears_on_a_terminal_after_the_delay(monkeypatch):
    assert shows(monkeypatch, watched=True, patience=-1.0)


def test_no_bar_appears_before_the_delay(monkeypatch):
    assert not shows(monkeypatch, watched=True, patience=1e9)


def test_no_bar_appears_without_a_terminal(monkeypatch):
    assert not shows(monkeypatch, watched=False, patience=-1.0)


def test_a_requested_bar_appears_at_once(monkeypatch):
    assert shows(monkeypatch, watched=False, patience=1e9, wanted=True)


def test_nested_work_shows_one_bar(monkeypatch):
    screen = Screen(True)
    monkeypatch.setattr("sys.stderr", screen)
    monkeypatch.setenv("TTY_COMPATIBLE", "1")
    with progress_bar("Outer", 2, True) as step:
        step()
        assert not shows(monkeypatch, watched=True, patience=-1.0)
        step()
    assert "Outer" in screen.getvalue()
    assert shows(monkeypatch, watched=True, patience=-1.0)


def test_a_bar_can_be_switched_off(monkeypatch):
    assert not shows(monkeypatch, watched=True, patience=-1.0, wanted=False)

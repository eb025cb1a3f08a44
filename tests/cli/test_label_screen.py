"""What is seen while documents are labelled, and what keys do."""

import io
import json
import os
import re
import threading
from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.console import Console
from scipy.stats import binomtest

from tallytext.cli.keys import EndOfKeys, Keys
from tallytext.cli.label_screen import (
    COMMANDS,
    Dialogue,
    Highlight,
    Pace,
    Screen,
    excerpt,
    highlight_document,
    label_keys,
)
from tallytext.decision import Contribution, Explanation
from tallytext.errors import FileError, InputError
from tallytext.evaluation import wilson_interval
from tallytext.labelling import Journal, Session

TEXTS = ["wave and reef", "cloud and kite", "reef, wave, salt", "kite and cloud", "salt", "moon"]
LABELS = st.lists(st.text(min_size=1, max_size=3) | st.sampled_from("abcnsuq0123"), max_size=50)


@pytest.fixture
def session(tmp_path):
    with Journal(tmp_path / "notes.labels.jsonl") as journal:
        yield Session(TEXTS, journal)


class Person(Keys):
    """Somebody who types at a terminal."""

    from_terminal = True


def seen(session, keys, *, classes=(), quiet=False, reader=Keys, **options):
    """Label as a script does, or as a person, and return what was shown."""
    file = io.StringIO()
    console = Console(file=file, width=options.pop("width", 80), **options)
    dialogue = Dialogue(
        session, reader(io.StringIO(keys)), Screen(session, Pace(), console), Pace(), classes, quiet
    )
    with suppress(EndOfKeys):
        dialogue.run()
    return file.getvalue()


class TestLabelKeys:
    @given(LABELS, LABELS)
    def test_a_key_stays_when_labels_come(self, labels, more):
        before, after = label_keys(labels), label_keys([*labels, *more])
        assert before.items() <= after.items()

    @given(LABELS)
    def test_a_key_is_of_one_label_and_of_no_command(self, labels):
        keys = label_keys(labels)
        assert len(set(keys.values())) == len(keys)
        assert not keys.keys() & {*COMMANDS, "", " ", "-"}

    def test_thirty_labels_have_keys(self):
        assert len(label_keys(f"class {i}" for i in range(30))) == 30


class TestScreen:
    def test_a_page_fits_the_screen_with_the_keys_at_its_end(self, session):
        shown = seen(session, "sea\nsky\n", force_terminal=True, height=24)
        page = re.sub(r"\x1b\[[0-9;]*m", "", shown.split("\x1b[2J")[-1])
        lines = page.splitlines()
        assert len(lines) <= 23
        assert lines[-2].startswith("[n] new label")
        assert lines[-1] == "sky: saved. Press u to undo."

    @pytest.mark.parametrize("width", [20, 40, 80, 120])
    def test_no_line_is_wider_than_the_screen(self, session, width):
        shown = seen(session, "sea\nsky\n" * 2, force_terminal=True, height=24, width=width)
        plain = re.sub(r"\x1b\[[0-9;]*[mHJ]", "", shown)
        assert max(map(len, plain.splitlines())) <= width

    @given(text=st.text(max_size=40))
    def test_no_control_character_of_a_document_reaches_the_terminal(self, text):
        shown = highlight_document(text + "\x1b[2J\x9b\r\b\u202e", None, Highlight.COLOURS).plain
        assert not {*shown} & {*map(chr, [*range(10), *range(11, 32), *range(127, 160), 0x202E])}

    def test_words_are_marked_without_colours_too(self, session):
        assert "+wave" in seen(session, "sea\nsky\nsea\n") + seen(session, "")
        fonts = seen(session, "", force_terminal=True, no_color=True, height=24)
        assert "\x1b[1;7m" in fonts
        assert "\x1b[38" not in fonts and "\x1b[48" not in fonts

    def test_a_long_document_is_cut_around_what_tells_and_shown_in_parts(self, tmp_path):
        long = "\n".join(["and so on"] * 100 + ["wave and reef"] + ["and so on"] * 100)
        with Journal(tmp_path / "a.jsonl") as journal:
            session = Session([*TEXTS, long], journal, given={0: "sea", 1: "sky"})
            while session.query().text != long:
                session.skip()
            options = {"force_terminal": True, "height": 24, "color_system": "truecolor"}
            pages = seen(session, "\x1b[B\n\x1b[B\n-\n-\n", **options).split("\x1b[2J")[1:]
        assert "wave" in pages[0] and "more lines: press space to see all" in pages[0]
        assert "lines 1 to" in pages[1]
        assert "lines 1 to" not in pages[2] and "press space for more" in pages[2]
        assert pages[3:] == [pages[1], pages[0]]

    def test_an_empty_document_is_said_to_be_empty(self):
        assert "empty" in highlight_document(" \n", None, Highlight.SIGNS).plain

    @given(st.lists(st.integers(0, 3), max_size=40), st.integers(4, 20))
    def test_an_excerpt_takes_the_room_that_there_is(self, weights, room):
        parts = excerpt(weights, room)
        taken = sum(part.end - part.start for part in parts) + len(parts) - 1
        assert taken == min(room, len(weights))
        assert parts[0].start == 0

    def test_a_term_that_stands_everywhere_takes_no_time(self):
        n = 20_000
        wave = Contribution("wave", n, 1.0, spans=tuple((5 * i, 5 * i + 4) for i in range(n)))
        why = Explanation("sea", "sky", 1.0, 0.0, 1.0, 0.0, (wave,))
        assert len(highlight_document("wave " * n, why, Highlight.COLOURS).spans) > 5_000


class TestKeysPressed:
    def test_undo_is_told_and_can_be_repeated(self, session):
        shown = seen(session, "sea\nsky\nu\nu\nu\n", reader=Person, force_terminal=True, height=24)
        assert "sky: undone" in shown and "sea: undone" in shown
        assert "there is no answer to undo" in shown
        assert session.n_annotations == 0

    def test_a_label_that_was_taken_back_has_no_key(self, session):
        seen(session, "sea\nzoo\nu\nsky\n2\n")
        assert [answer.label for answer in session.journal.annotations] == ["sea", "sky", "sky"]

    def test_labels_named_before_have_the_first_keys(self, session):
        seen(session, "2\n1\n", classes=["sky", "sea"])
        assert [answer.label for answer in session.journal.annotations] == ["sea", "sky"]

    def test_a_label_may_be_any_text(self, session):
        seen(session, "n\nq\nn\na, b ⚽\n")
        assert [answer.label for answer in session.journal.annotations] == ["q", "a, b ⚽"]

    def test_keys_stay_in_a_later_session_without_class(self, tmp_path):
        path = tmp_path / "kept.labels.jsonl"
        with Journal(path) as journal:
            seen(Session(TEXTS, journal), "3\n2\n", classes=["zoo", "sky", "sea"])
        with Journal(path) as journal:
            seen(Session(TEXTS, journal), "2\n3\nn\nnew\n1\n")
            labels = [answer.label for answer in journal.annotations]
        assert labels == ["sea", "sky", "sky", "sea", "new", "new"]

    def test_keys_stay_when_other_labels_are_named_first(self, tmp_path):
        path = tmp_path / "kept.labels.jsonl"
        with Journal(path) as journal:
            seen(Session(TEXTS, journal), "sea\nsky\n")
        with Journal(path) as journal:
            session = Session(TEXTS, journal, given={5: "moon"})
            seen(session, "1\n2\n3\n", classes=["moon", "zoo"])
            labels = [answer.label for answer in journal.annotations]
        assert labels == ["sea", "sky", "sea", "sky", "moon"]

    @pytest.mark.parametrize("key", [7, "", "n", "12", None, "/"])
    def test_a_key_that_is_none_is_ignored(self, tmp_path, key):
        path = tmp_path / "kept.labels.jsonl"
        row = {"row": 0, "text": TEXTS[0], "label": "sea", "key": key}
        path.write_text(json.dumps(row) + "\n")
        with Journal(path) as journal:
            seen(Session(TEXTS, journal), "1\n")
            assert [answer.label for answer in journal.annotations] == ["sea", "sea"]

    def test_labels_are_searched_by_any_letters(self, session):
        classes = [f"class {number}" for number in range(60)]
        seen(session, "/\n57\n/\nCLASS 9\n", classes=classes)
        assert [answer.label for answer in session.journal.annotations] == ["class 57", "class 9"]

    def test_labels_found_are_shown_while_somebody_types(self, session):
        typed = iter(["/", "e", "a", ""])

        class Typist(Person):
            def read_key(self):
                return next(typed, "q")

            def read_line(self, show, known=()):
                line = ""
                while key := next(typed):
                    line += key
                    show(line)
                return line

        options = {"force_terminal": True, "height": 24, "classes": ["zoo", "sea", "ear"]}
        shown = seen(session, "", reader=Typist, **options)
        assert "search: e  → ear · sea" in shown and "search: ea  → ear · sea" in shown
        assert [answer.label for answer in session.journal.annotations] == ["ear"]

    def test_a_search_without_a_match_says_what_to_do(self, session):
        with pytest.raises(InputError, match="no label contains 'xyz'; press n"):
            seen(session, "/\nxyz\n", classes=["sea"])

    @pytest.mark.parametrize("problem", [OSError(28, "No space left on device"), FileError("gone")])
    def test_an_answer_that_cannot_be_kept_is_asked_for_again(self, session, problem, monkeypatch):
        question = session.query()
        with monkeypatch.context() as patch:
            patch.setattr(session.journal, "add", lambda answer: (_ for _ in ()).throw(problem))
            shown = seen(session, "sea\n", reader=Person, force_terminal=True, height=24)
        is_full = isinstance(problem, OSError)
        assert ("not be saved: No space left on device" if is_full else "gone") in shown
        assert session.query() is question
        seen(session, "sea\n")
        assert session.journal.annotations[0].row == question.row

    def test_an_answer_that_cannot_be_taken_back_is_said_to_stay(self, session, monkeypatch):
        def failing(file, end):
            raise OSError(5, "Input/output error")

        monkeypatch.setattr(os, "ftruncate", failing)
        shown = seen(session, "sea\nu\n", reader=Person, force_terminal=True, width=100, height=24)
        assert "the answer could not be undone: Input/output error" in shown
        assert "not be saved" not in shown
        assert session.n_annotations == len(session.labels) == 1

    @pytest.mark.parametrize("line", ["!", "", "u"])
    def test_a_script_ends_where_a_line_cannot_be_obeyed(self, session, line):
        with pytest.raises(InputError):
            seen(session, f"{line}\nsea\n")
        assert session.n_annotations == 0

    def test_nobody_there_is_the_end(self, monkeypatch):
        monkeypatch.setattr("sys.stdin", None)
        with pytest.raises(EndOfKeys):
            Keys().read_key()


@pytest.mark.skipif(os.name == "nt", reason="there are no pseudo terminals")
class TestTerminal:
    @pytest.fixture
    def terminal(self):
        import pty

        ours, theirs = pty.openpty()
        with os.fdopen(theirs, "r", encoding="utf-8", closefd=True) as stream:
            yield ours, stream
        os.close(ours)

    @pytest.mark.parametrize(
        ("pressed", "wanted"),
        [
            (b"a", ["a"]),
            (b"\r\n", ["", ""]),
            ("é漢⚽".encode(), ["é", "漢", "⚽"]),
            (b"\x1b[A\x1b[6~\x1bOPx", ["\x1b[A", "\x1b[6~", "\x1bOP", "x"]),
            (b"\x7f\t\x15", ["\x7f", "\t", "\x15"]),
        ],
    )
    def test_keys_come_one_by_one(self, terminal, pressed, wanted):
        ours, stream = terminal
        with Keys(stream) as keys:
            os.write(ours, pressed)
            assert [keys.read_key() for _ in wanted] == wanted

    def test_the_terminal_is_afterwards_as_it_was(self, terminal):
        import termios

        before = termios.tcgetattr(terminal[1])
        with Keys(terminal[1]):
            assert termios.tcgetattr(terminal[1]) != before
        assert termios.tcgetattr(terminal[1]) == before

    def test_what_was_pressed_too_early_is_forgotten(self, terminal):
        ours, stream = terminal
        with Keys(stream) as keys:
            os.write(ours, b"123")
            keys.discard()
            os.write(ours, b"4")
            assert keys.read_key() == "4"

    def test_a_line_is_edited_completed_and_given_up(self, terminal):
        ours, stream = terminal
        shown = []
        with Keys(stream) as keys:
            os.write(ours, b"spin\x7f\x7fa\x1b[A\t\r")
            assert keys.read_line(shown.append, ["ham", "spam"]) == "spam"
            assert shown[:4] == ["", "s", "sp", "spi"]
            threading.Timer(0.1, os.write, (ours, b"\x1b")).start()
            assert keys.read_line(shown.append) is None

    def test_ctrl_d_is_the_end(self, terminal):
        ours, stream = terminal
        with Keys(stream) as keys:
            os.write(ours, b"\x04")
            with pytest.raises(EndOfKeys):
                keys.read_key()


class TestInterval:
    @given(st.integers(1, 500), st.integers(0, 500))
    def test_it_holds_the_share_and_is_symmetric(self, asked, right):
        right = min(right, asked)
        low, high = wilson_interval(right, asked)
        assert 0 <= low <= right / asked <= high <= 1
        other = wilson_interval(asked - right, asked)
        assert other == pytest.approx((1 - high, 1 - low))

    @given(st.integers(1, 500), st.integers(0, 500))
    def test_it_is_that_of_scipy(self, asked, right):
        right = min(right, asked)
        theirs = binomtest(right, asked).proportion_ci(method="wilson")
        assert wilson_interval(right, asked) == pytest.approx((theirs.low, theirs.high), abs=1e-9)

"""Explanations in the terminal: colours where they belong, and texts that cannot do anything."""

import re
from io import StringIO

import pytest
import rich
from hypothesis import given
from rich.console import Console

import strategies
from tallytext.decision import Contribution, Explanation
from tallytext.decision.rendering import escape_controls

WORDS = (
    Contribution("wave", 1, 2.0, spans=((0, 4),)),
    Contribution("cloud", 1, -1.0, spans=((5, 10),)),
    Contribution("foam", 1, 0.0, known=False, spans=((11, 15),)),
)
WHY = Explanation("sea", "sky", 1.5, 0, 1.5, 0.5, WORDS, text="wave cloud foam")
ESCAPES = re.compile(r"\x1b\[[0-9;]*m")


@pytest.fixture(autouse=True)
def no_settings_of_this_terminal(monkeypatch):
    for name in ("NO_COLOR", "FORCE_COLOR", "TTY_COMPATIBLE", "TTY_INTERACTIVE"):
        monkeypatch.delenv(name, raising=False)


def printed(why, width=100, **options):
    file = StringIO()
    settings = {"force_terminal": True, "color_system": "truecolor", "_environ": {}} | options
    Console(file=file, width=width, **settings).print(why)
    return file.getvalue()


def made(text, label="sea", term="wave"):
    word = Contribution(term, 1, 0.5, spans=((0, len(text)),) if text else ())
    lost = Contribution(term, 1, 0.0, known=False)
    return Explanation(label, "sky", 1.0, 0.0, 1.0, 0.5, (word, lost), text=text)


def test_words_are_coloured_by_their_contribution():
    shown = printed(WHY)
    assert "\x1b[38;2;255;255;255;48;2;26;127;55mwave\x1b[0m" in shown
    assert "\x1b[38;2;255;255;255;48;2;100;26;26mcloud\x1b[0m" in shown
    assert "\x1b[2;4mfoam\x1b[0m" in shown


def test_only_the_words_of_an_unknown_pair_are_underlined():
    pair = Contribution("salt foam", 1, 0.0, known=False, spans=((0, 9),))
    words = (Contribution("salt", 1, 1.0, spans=((0, 4),)), pair)
    words += (Contribution("foam", 1, 1.0, spans=((5, 9),)),)
    shown = printed(Explanation("sea", "sky", 2, 0, 2, 0, words, text="salt foam"))
    assert "salt\x1b[0m \x1b[" in shown


def test_bars_go_to_the_side_of_their_sign():
    lines = {line.split()[0]: line for line in ESCAPES.sub("", printed(WHY)).splitlines() if line}
    assert lines["cloud"].rstrip().endswith("████████│")
    assert lines["wave"].rstrip().endswith(f"│{'█' * 16}")
    assert lines["(prior)"].rstrip().endswith("│████")
    assert "\x1b[38;2;248;81;73m████████\x1b[0m" in printed(WHY)


def test_without_text_there_is_the_table_only():
    without = Explanation("sea", "sky", 1.5, 0, 1.5, 0.5, WORDS)
    lines = ESCAPES.sub("", printed(without)).splitlines()
    assert [line.split()[0] for line in lines if line.split()] == [
        *["sea", "term", "wave", "cloud", "(prior)", "unknown:"]
    ]


def test_there_are_no_colours_but_in_a_terminal():
    assert "\x1b" not in printed(WHY, force_terminal=False, color_system="auto")
    assert "38;2" not in printed(WHY, _environ={"NO_COLOR": "1"})
    assert "48;2" not in printed(WHY, _environ={"NO_COLOR": "1"})
    file = StringIO()
    rich.print(WHY, file=file)
    assert "\x1b" not in file.getvalue()
    assert "+wave -cloud foam" in file.getvalue()


def test_texts_terms_and_labels_are_no_markup():
    attack = "[red]x[/red] [link=file:///]y[/] :boom: [/nothing]"
    shown = ESCAPES.sub("", printed(made(attack, attack, attack), width=300))
    assert shown.count(attack) == 4


def test_escape_sequences_are_shown_and_not_sent():
    attack = "\x1b]0;owned\x07\x1b[2J\x9b31m\x7f\x00\x08\r\x85\u202e"
    shown = ESCAPES.sub("", printed(made(attack, attack, attack), width=300))
    assert not set(shown) & set(attack) - set("]0;owned[2J31m")
    assert shown.count("␛]0;owned␇␛[2J\\u009b31m\\u007f␀␈␍\\u0085\\u202e") == 4


@given(strategies.texts(), strategies.terms, strategies.terms)
def test_no_text_reaches_the_terminal_raw(text, label, term):
    shown = ESCAPES.sub("", printed(made(text, label, term[:300])))
    shown.encode()
    assert not any((char < " " and char != "\n") or "\x7f" <= char <= "\x9f" for char in shown)


@given(strategies.texts())
def test_visible_characters_do_not_change(text):
    shown = escape_controls(text)
    assert escape_controls(shown) == shown
    if text.isprintable():
        assert shown == text


def test_lines_stay_lines_and_tabs_become_spaces():
    assert escape_controls("a\r\nb\n\tc") == "a\nb\n    c"
    assert escape_controls("a\nb", keep="") == "a␊b"


def test_k_limits_the_table():
    shown = ESCAPES.sub("", printed(WHY.to_rich(1)))
    assert re.search(r"\(1 other\) +-1\.00", shown)


def in_terminal(why, term, **environment):
    """What a terminal of this name gets."""
    variables = {"TERM": term, **environment}
    return printed(why, color_system="auto", _environ=variables)


def styles(shown):
    """The escape sequence before each word of the text."""
    return {word: codes for codes, word in re.findall(r"\x1b\[([0-9;]*)m[+-]?(\w+)\x1b", shown)}


@pytest.mark.parametrize("term", ["xterm", "screen", "linux", "xterm-256color"])
def test_words_for_and_against_differ_in_every_terminal(term):
    strong = (
        Contribution("wave", 1, 2.0, spans=((0, 4),)),
        Contribution("cloud", 1, -2.0, spans=((5, 10),)),
        Contribution("salt", 1, 0.6, spans=((11, 15),)),
        Contribution("wind", 1, -0.6, spans=((16, 20),)),
    )
    why = Explanation("sea", "sky", 1, 0, 1, 0, strong, text="wave cloud salt wind")
    shown = in_terminal(why, term)
    found = styles(shown)
    assert found["wave"] != found["cloud"]
    assert found["salt"] != found["wind"]
    assert len(set(re.findall(r"\x1b\[([0-9;]*)m█+", shown))) == 2


@pytest.mark.parametrize(
    "options",
    [
        {"color_system": "auto", "_environ": {"TERM": "dumb"}},
        {"color_system": "auto", "_environ": {"TERM": "xterm", "NO_COLOR": "1"}},
        {"color_system": "auto", "_environ": {}, "force_terminal": False},
    ],
    ids=["dumb", "NO_COLOR", "pipe"],
)
def test_without_colours_words_have_a_sign(options):
    shown = ESCAPES.sub("", printed(WHY, **options))
    assert "+wave -cloud foam" in shown


def test_words_of_next_to_no_weight_have_no_sign():
    words = (WORDS[0], Contribution("cloud", 1, -0.01, spans=((5, 10),)))
    why = Explanation("sea", "sky", 1, 0, 1, 0, words, text="wave cloud")
    assert "+wave cloud\n" in printed(why, force_terminal=False, color_system=None)

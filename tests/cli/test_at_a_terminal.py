"""What commands write at a terminal: progress bars and colours, and no command of a text."""

import json
import os
import re
import sys

import pytest

from commands import MAILS, trained, write_jsonl

pytestmark = pytest.mark.skipif(os.name == "nt", reason="needs a pty")

HOSTILE = "\x1b]0;title\x07\x1b[2J\x9b31m\b\r\x7f\u202e\u2028"


@pytest.fixture(scope="module")
def source(tmp_path_factory):
    folder = tmp_path_factory.mktemp("terminal\x1b[2J")
    rows = [
        {"text": text, "label": f"{label}{HOSTILE}", HOSTILE: f"{HOSTILE}{at}"}
        for at, (text, label) in enumerate(MAILS)
    ]
    return write_jsonl(folder / "mails\x9b31m.jsonl", rows)


@pytest.fixture(scope="module")
def model(source):
    mails = [(text, f"{label}{HOSTILE}") for text, label in MAILS]
    return trained(source.parent, "mails.tally", mails)


def at_terminal(folder, *arguments):
    from attack_outputs import PROGRAM
    from attack_outputs import at_terminal as run_at_terminal

    script = folder / "session.json"
    script.write_text(json.dumps([[str(each) for each in arguments]]))
    shown = run_at_terminal([sys.executable, "-c", PROGRAM, str(script)])
    return re.fullmatch(r"(?s)\s*<<0>>\n(.*)<<ended 0 (.*)>>\n", shown).groups()


@pytest.mark.parametrize("to", ["jsonl", "csv"])
def test_rows_are_escaped_beside_the_progress_bar(source, model, tmp_path, to):
    given = ("predict", model, source, "--id", HOSTILE, "--to", to)
    shown, code = at_terminal(tmp_path, *given)
    assert code == "0"
    assert_harmless(shown)
    assert "\x1b[2K" in shown  # the progress bar was there
    if to == "jsonl":
        rows = [json.loads(line) for line in re.findall(r"(?m)\{.*\}$", shown)]
        assert [row[HOSTILE] for row in rows] == [f"{HOSTILE}{at}" for at in range(len(MAILS))]
        assert {row["label"] for row in rows} == {f"{label}{HOSTILE}" for _, label in MAILS}


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (("terms", "MODEL"), "0"),
        (("terms", "MODEL", "--json"), "0"),
        (("evaluate", "MODEL", "SOURCE"), "0"),
        (("filter", "start", "OUT.tally", "SOURCE"), "0"),
        (("predict", "MODEL", "SOURCE", f"--{HOSTILE}"), "2"),
        ((HOSTILE,), "2"),
        (("rank", "MODEL", "SOURCE", "--label", "none"), "1"),
        (("--traceback", "rank", "MODEL", "SOURCE", "--label", HOSTILE), "1"),
    ],
)
def test_tables_and_errors_are_escaped(source, model, tmp_path, arguments, code):
    names = {"MODEL": model, "SOURCE": source, "OUT.tally": tmp_path / f"{HOSTILE}.tally"}
    shown, ended = at_terminal(tmp_path, *(names.get(each, each) for each in arguments))
    assert ended == code
    assert_harmless(shown)
    assert "title" in shown


def assert_harmless(shown):
    from attack_outputs import obeyed

    assert [shown[max(0, at - 20) : at + 20] for at, _ in obeyed(shown)] == []

import subprocess
import sys
from importlib.metadata import version
from io import StringIO

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.console import Console
from scipy.stats import chi2_contingency
from typer.testing import CliRunner

from tallytext.cli import app
from tallytext.cli.demo import _QUERY_TEXT, _activation_hint, load_tickets, show_docstring_job
from tallytext.features.term_scores import signed_g2
from tallytext.io import load_docstrings, load_documents


@pytest.fixture
def tally_command(monkeypatch):
    monkeypatch.setenv("COLUMNS", "160")
    return lambda *arguments: CliRunner().invoke(app, arguments)


@pytest.fixture(scope="module")
def demo():
    return CliRunner(env={"COLUMNS": "160"}).invoke(app, ["demo", "--quick"])


def test_help_names_every_command(tally_command):
    result = tally_command("--help")
    assert result.exit_code == 0
    commands = "train predict evaluate learn forget merge info terms explain demo"
    for command in commands.split():
        assert f"\u2502 {command} " in result.output
    assert "130 interrupted by Ctrl-C" in result.output


def test_the_version_is_that_of_the_package(tally_command):
    result = tally_command("--version")
    assert result.exit_code == 0
    assert result.output.strip() == f"tallytext {version('tallytext')}"


@pytest.mark.parametrize(
    "arguments", [["nonsense"], ["demo", "--slow"], ["terms", "m.tally", "--top", "x"]]
)
def test_arguments_that_make_no_sense_are_refused(tally_command, arguments):
    assert tally_command(*arguments).exit_code == 2


def test_the_demo_trains_on_tickets_and_predicts_the_others(demo):
    assert demo.exit_code == 0, demo.output
    others = [ticket for ticket in load_tickets() if not ticket.queue]
    assert "110" in demo.output.partition("2. ")[0]
    assert all(ticket.id in demo.output for ticket in others[:6])
    assert "of 40 labels have a probability of at least 0.7" in demo.output


def test_the_demo_explains_a_prediction(demo):
    assert "rather than" in demo.output
    assert "courier" in demo.output.partition("3. ")[2]


def test_the_demo_teaches_the_commands(demo):
    commands = ("train", "predict", "terms", "explain", "learn", "forget", "label", "compare")
    for command in commands:
        assert f" tally {command} " in demo.output


def test_the_demo_learns_and_forgets(demo):
    changed = demo.output.partition("4. ")[2]
    assert f"{_QUERY_TEXT!r} is 'jobs'" in changed
    assert "the scores of all tickets are the same as before" in changed


def test_the_larger_job_is_evaluated_and_repeated_with_few_labels():
    texts, labels = load_docstrings(["numpy"], standard_library=False)
    console = Console(width=160, record=True, file=StringIO())
    show_docstring_job(console, texts, labels)
    output = console.export_text()
    for expected in ("accuracy", "95% interval", "tally evaluate ", "--unlabelled"):
        assert expected in output
    assert "learned by the model" not in output


def test_the_demo_says_how_to_put_tally_on_the_path(tmp_path, monkeypatch):
    monkeypatch.setattr(sys, "executable", str(tmp_path / "bin/python"))
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin/activate").touch()
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PATH", str(tmp_path))
    assert ". bin/activate" in _activation_hint()
    (tmp_path / "tally").touch(0o755)
    assert _activation_hint() == ""


def test_the_tickets_are_written_and_overwrite_nothing(tmp_path, tally_command):
    path = tmp_path / "tickets.csv"
    assert tally_command("demo", "--tickets", str(path)).exit_code == 0
    texts, queues = load_documents(path, text="body", label="queue", on_error="skip")
    assert (len(texts), len(set(queues))) == (110, 5)
    assert tally_command("demo", "--tickets", str(path)).exit_code == 1


WITH_LITTLE_SPACE = """
import resource, sys
from tallytext.cli import main
resource.setrlimit(resource.RLIMIT_FSIZE, (2_000, 2_000))
sys.dont_write_bytecode = True
main()
"""


def test_tickets_that_do_not_fit_on_the_disk_leave_no_file(tmp_path):
    pytest.importorskip("resource", reason="needs limits of file sizes")
    path = tmp_path / "tickets.csv"
    command = [sys.executable, "-c", WITH_LITTLE_SPACE, "demo", "--tickets", str(path)]
    ended = subprocess.run(command, capture_output=True, text=True)
    assert ended.returncode == 1
    assert ended.stderr.startswith(f"error: {str(path)!r}: ")
    assert [*tmp_path.iterdir()] == []


@given(st.lists(st.integers(1, 500), min_size=4, max_size=4))
def test_g2_is_the_log_likelihood_ratio_of_the_table(cells):
    a, b, c, d = cells
    score = signed_g2(np.array([a]), a + c, np.array([a + b]), a + b + c + d)[0]
    table = [[a, b], [c, d]]
    expected = chi2_contingency(table, correction=False, lambda_="log-likelihood").statistic
    np.testing.assert_allclose(abs(score), expected, rtol=1e-6, atol=1e-6)
    if abs(score) > 1e-6:
        assert (score > 0) == (a * d > b * c)


def test_g2_of_a_class_that_is_everything_is_zero():
    assert signed_g2(np.array([3, 7]), 10, np.array([3, 7]), 10).tolist() == [0, 0]

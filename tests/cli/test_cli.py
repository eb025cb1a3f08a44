from importlib.metadata import version

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import chi2_contingency
from typer.testing import CliRunner

from tallytext.cli import app
from tallytext.cli.demo import _QUERY_TEXT
from tallytext.features.term_scores import signed_g2


@pytest.fixture
def tally_command(monkeypatch):
    monkeypatch.setenv("COLUMNS", "160")
    return lambda *arguments: CliRunner().invoke(app, arguments)


@pytest.fixture(scope="module")
def demo():
    return CliRunner(env={"COLUMNS": "160"}).invoke(
        app, ["demo", "--quick", "--classes", "5", "--top", "4"]
    )


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
    "arguments", [["nonsense"], ["demo", "--classes", "0"], ["demo", "--top", "x"]]
)
def test_arguments_that_make_no_sense_are_refused(tally_command, arguments):
    assert tally_command(*arguments).exit_code == 2


def test_the_demo_shows_a_report_and_typical_terms(demo):
    assert demo.exit_code == 0, demo.output
    for expected in ("baseline  ", "MB of docstrings", "scipy.stats", "distribution"):
        assert expected in demo.output


def test_the_demo_shows_as_many_classes_as_asked_for(tally_command):
    result = tally_command("demo", "--quick", "--classes", "2", "--top", "1")
    assert result.exit_code == 0, result.output
    typical = result.output.partition("Typical words")[2].partition("Evaluation")[0]
    rows = [line.split() for line in typical.splitlines()]
    named = [row for row in rows if row and row[0].startswith(("numpy.", "scipy."))]
    assert [len(row) for row in named] == [3, 3]


def test_the_demo_evaluates_a_classifier_and_explains_a_prediction(demo):
    for expected in ("accuracy", "95% interval", "predicted", "rather than"):
        assert expected in demo.output


def test_the_demo_teaches_the_commands(demo):
    for command in ("train", "terms", "evaluate", "explain", "learn", "forget", "label", "compare"):
        assert f" tally {command} " in demo.output
    assert "--unlabelled" in demo.output


def test_the_demo_learns_and_forgets(demo):
    changed = demo.output.partition("6. ")[2]
    assert f"{_QUERY_TEXT!r} is 'haiku'" in changed
    assert "docstrings are the same as before" in changed


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

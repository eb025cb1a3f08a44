"""``tally reproduce``: what it says where it cannot run."""

import sys

import pytest

from commands import run, succeed

pytest.importorskip("experiments", reason="the source distribution has no experiments")
pytest.importorskip("matplotlib", reason="figures need it")

# The package has the function of that name.
reproduce = sys.modules["tallytext.cli.reproduce"]


def test_a_paper_has_to_be_named():
    result = run("reproduce")
    assert result.exit_code == 2
    assert "PAPER" in result.output


def test_an_unknown_paper_is_answered_with_those_that_are_there():
    result = run("reproduce", "villar")
    assert result.exit_code == 2
    assert "yang-pedersen" in result.output


def test_pages_are_not_written_from_samples(tmp_path):
    result = run("reproduce", "vilar", "--quick", "--docs", "-o", tmp_path)
    assert result.exit_code == 1
    assert "leave out --quick or --docs" in result.output


def test_without_sources_it_says_where_to_run(tmp_path, monkeypatch):
    monkeypatch.setattr(reproduce, "__file__", str(tmp_path / "a" / "b" / "c" / "d.py"))
    monkeypatch.chdir(tmp_path)
    result = run("reproduce", "all")
    assert result.exit_code == 1
    assert "run this in the folder of tallytext's sources" in result.output


def test_without_matplotlib_it_says_what_to_install(monkeypatch):
    monkeypatch.setattr(reproduce, "find_spec", lambda name: None)
    result = run("reproduce", "all")
    assert result.exit_code == 1
    assert "pip install matplotlib" in result.output


def test_without_corpora_all_parts_are_left_out_and_nothing_is_judged(tmp_path):
    result = succeed("reproduce", "aggarwal", "--quick", "--data", tmp_path, "-o", tmp_path / "out")
    assert "aggarwal: 0 of" in result.output
    assert "claims: 0 hold, 0 do not" in result.output

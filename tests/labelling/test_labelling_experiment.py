"""The simulation of labelling: what is counted, kept and written."""

import pytest

pytest.importorskip("experiments", reason="the experiments are with the sources")
pytest.importorskip("matplotlib", reason="figures are drawn with matplotlib")

from experiments.labelling.page import text, write
from experiments.labelling.results import Results
from experiments.labelling.simulation import LOOP, RANDOM, Game, Half, Run, simulate
from test_labelling import LABELS, TEXTS


def test_a_level_is_reached_and_may_be_lost_again():
    run = Run("ag-news-20k", LOOP, 0, [0.0, 0.9, 0.8, 0.86, 0.9])
    assert run.first(0.85) == 2
    assert run.lasting(0.85) == 4
    assert run.first(0.95) is None
    assert run.lasting(0.95) is None
    assert run.lasting(0.0) == 1


@pytest.mark.parametrize("order", [LOOP, RANDOM])
def test_the_model_gets_better_with_answers(order):
    half, told = Half(TEXTS, LABELS), list[None]()
    run = simulate(Game("made up", half, half, 15), order, 1, lambda: told.append(None))
    assert len(run.accuracies) == len(told) == 15
    assert run.accuracies[0] == 0.0
    assert run.accuracies[-1] > 0.9


def test_results_are_kept_and_the_page_counts_them(tmp_path):
    path = tmp_path / "results.json"
    for order, late in ((LOOP, 0.8), (RANDOM, 0.2)):
        Results(path).add(Run("ag-news-20k", order, 0, [0.1] * 11 + [late] * 3 + [0.9] * 6))
    results = Results(path)
    assert not results.lacks("ag-news-20k", LOOP, 0)
    assert results.lacks("ag-news-20k", LOOP, 1)
    assert results.lacks("klue-ynat", LOOP, 0)
    assert "| active learning, first | 15 | 15 |" in text(results)
    write(results, tmp_path)
    assert (tmp_path / "labelling-results.svg").read_text().startswith("<?xml")

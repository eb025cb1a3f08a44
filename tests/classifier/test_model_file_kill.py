import signal

import pytest

if not hasattr(signal, "SIGKILL"):
    pytest.skip("there is no SIGKILL here", allow_module_level=True)
import killing_learn


def test_a_command_that_is_killed_leaves_one_of_the_models_that_it_saved(tmp_path):
    counts = killing_learn.killed(tmp_path, kills=4, seed=0)
    assert counts["old"] + counts["between"] + counts["new"] == 4


def test_a_file_is_the_old_model_until_it_is_the_new_one(tmp_path):
    assert killing_learn.paused(tmp_path, kills=2) == {"old": 2, "new": 1}


def test_a_file_that_is_none_of_the_models_is_noticed(tmp_path):
    experiment = killing_learn.Experiment(tmp_path, n_words=40, n_documents=1)
    assert experiment.found() == "new"
    experiment.model.write_bytes(experiment.first[:-1])
    with pytest.raises(ValueError, match="not in list"):
        experiment.found()

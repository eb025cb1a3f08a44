"""A command that is killed before, in and after any write: the file is one of the saved models."""

import faults
import jobs
import pytest

if not faults.can_fault():
    pytest.skip("needs Linux and a C compiler", allow_module_level=True)


@pytest.fixture(scope="module")
def learning(tmp_path_factory):
    """Return ``tally learn --save-every``, and what runs it."""
    folder = tmp_path_factory.mktemp("kills")
    (job,) = (job for job in jobs.JOBS if job.parts)
    with faults.commands(folder) as tally:
        before = jobs.workspace(folder / "before", tally)
        yield jobs.Bench(job, before, folder, tally), tally


@pytest.mark.parametrize("fault", [faults.Fault.KILL, faults.Fault.KILL_HALFWAY])
def test_a_command_that_is_killed_leaves_one_of_the_models_that_it_saved(learning, fault):
    bench, tally = learning
    found = []
    for at in range(0, bench.undisturbed.changes + 1, 3):
        bench.restore()
        outcome = tally.run(bench.job.arguments, bench.folder, fault=fault, at=at)
        assert outcome.code == (-9 if at < bench.undisturbed.changes else 0)
        found.append(bench.found())
        assert bench.strangers() == []
    assert set(found) == {"old", "between", "new"}


def test_a_command_can_be_repeated_after_a_kill_and_leaves_no_lock(learning):
    bench, tally = learning
    bench.restore()
    tally.run(bench.job.arguments, bench.folder, fault=faults.Fault.KILL, at=2)
    assert bench.found() == "old"
    assert ".counts.tally.lock" in bench.left_behind()
    assert bench.repeat() == ""


def test_a_file_that_is_none_of_the_models_is_noticed(learning):
    bench, _ = learning
    bench.restore()
    (bench.folder / "counts.tally").write_bytes(bench.old[0][:-1])
    assert bench.found() == "neither the old nor the new content"

import joblib
import pytest

from tallytext.runtime import _cores, thread_count


@pytest.fixture(autouse=True)
def four_cores(monkeypatch):
    monkeypatch.delenv("OMP_NUM_THREADS", raising=False)
    monkeypatch.setattr("tallytext.runtime._cores", lambda: 4)


def test_by_default_every_core_is_used():
    assert thread_count() == thread_count(None) == 4


@pytest.mark.parametrize(("setting", "expected"), [("1", 1), ("3", 3), ("64", 4), ("2,1", 2)])
def test_by_default_the_limit_of_the_environment_holds(monkeypatch, setting, expected):
    monkeypatch.setenv("OMP_NUM_THREADS", setting)
    assert thread_count(None) == expected


@pytest.mark.parametrize("setting", ["", "0", "-2", "many", "1.5", "٣٣٣٣"])
def test_an_invalid_limit_is_ignored(monkeypatch, setting):
    monkeypatch.setenv("OMP_NUM_THREADS", setting)
    assert thread_count(None) == 4


@pytest.mark.parametrize("n_jobs", [1, 3, 100])
def test_a_positive_number_is_the_number_of_threads(monkeypatch, n_jobs):
    monkeypatch.setenv("OMP_NUM_THREADS", "2")
    assert thread_count(n_jobs) == n_jobs


@pytest.mark.parametrize(("n_jobs", "expected"), [(-1, 4), (-2, 3), (-4, 1), (-5, 1), (-99, 1)])
def test_a_negative_number_leaves_cores_free(n_jobs, expected):
    assert thread_count(n_jobs) == expected


@pytest.mark.parametrize("n_jobs", [-1, -2, -3])
def test_a_negative_number_equals_that_of_joblib(monkeypatch, n_jobs):
    monkeypatch.undo()
    assert thread_count(n_jobs) == joblib.effective_n_jobs(n_jobs)


def test_the_number_of_cores_equals_that_of_joblib(monkeypatch):
    monkeypatch.undo()
    assert _cores() == joblib.cpu_count()


def test_zero_threads_are_refused():
    with pytest.raises(ValueError, match="n_jobs=0 has no meaning"):
        thread_count(0)


def test_workers_of_joblib_share_the_cores(monkeypatch):
    monkeypatch.undo()
    monkeypatch.delenv("OMP_NUM_THREADS", raising=False)
    cores = joblib.cpu_count()
    shares = joblib.Parallel(n_jobs=cores, timeout=120)(
        joblib.delayed(thread_count)(None) for _ in range(cores)
    )
    assert sum(shares) == cores


def test_more_threads_than_a_machine_has_are_refused():
    with pytest.raises(ValueError, match="n_jobs=5000 is too many: at most 4096"):
        thread_count(5000)

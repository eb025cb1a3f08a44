"""Threads share the filters of warnings, so that work in threads must leave them as they were."""

import sys
import threading
import warnings
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from sklearn.model_selection import StratifiedKFold

from tallytext.evaluation.folds import k_fold_numbers
from tallytext.features import L1Selector
from tallytext.models import RotationForest
from tallytext.runtime import ignore_warnings

ROWS = np.random.default_rng(0).poisson(0.5, (40, 12))
LABELS = [f"class {at % 3}" for at in range(39)] + ["rare"]


@pytest.fixture
def frequent_switches():
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(interval)


def fit_forest():
    RotationForest(n_estimators=4, n_jobs=2).fit(ROWS, LABELS).predict(ROWS)


def fit_selector():
    L1Selector(n_lambdas=3, n_jobs=2).fit(ROWS, LABELS)


@pytest.mark.parametrize(("work", "times"), [(fit_forest, 8), (fit_selector, 8)])
def test_work_in_threads_leaves_the_filters_of_warnings_as_they_were(
    work, times, frequent_switches
):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        before = list(warnings.filters)
        # One after the other, since scikit-learn's checks of a matrix change the filters for a
        # moment; each works in threads of its own.
        for _ in range(times):
            work()
        assert warnings.filters == before


def test_folds_of_two_threads_leave_the_filters_of_warnings_as_they_were(monkeypatch):
    entered, left, divide = threading.Barrier(2), threading.Event(), StratifiedKFold.split

    def wait_and_split(self, X, y=None, groups=None):
        # Both threads are inside before the first one leaves, and it leaves before the second one.
        if entered.wait(20):
            left.wait(20)
        yield from divide(self, X, y, groups)

    def work():
        k_fold_numbers(5, 2, 0, classes=np.array([0, 0, 1, 1, 2]))
        left.set()

    monkeypatch.setattr(StratifiedKFold, "split", wait_and_split)
    before = list(warnings.filters)
    with ThreadPoolExecutor(2) as pool:
        for each in [pool.submit(work) for _ in range(2)]:
            each.result()
    assert warnings.filters == before


def test_warnings_are_ignored_inside_the_context_only():
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        with ignore_warnings(UserWarning, "few"), ignore_warnings(RuntimeWarning):
            warnings.warn("few documents", stacklevel=1)
            warnings.warn("overflow", RuntimeWarning, stacklevel=1)
            warnings.warn("many documents", stacklevel=1)
        warnings.warn("few documents", stacklevel=1)
    assert [str(each.message) for each in seen] == ["many documents", "few documents"]

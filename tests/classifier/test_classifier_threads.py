"""Answers while another thread learns and forgets: each is of one moment."""

import os
import signal
import subprocess
import sys
import warnings
from concurrent.futures import ThreadPoolExecutor, wait
from threading import Event, Thread

import numpy as np
import pytest

from classifiers import NAMED, PLACES, TEXTS, fitted, spread
from tallytext.classifier.model_selection import LazyCalibration
from tallytext.errors import StaleWarning
from tallytext.models.class_counts import CountsReader

# A class that comes before all others moves the places of all, and takes every text.
NEW = (["wave wave cloud cloud blue salt wind ship"] * 9, ["A"] * 9)


@pytest.fixture(autouse=True)
def often():
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-5)
    yield
    sys.setswitchinterval(before)


QUESTIONS = {
    "predict": lambda clf: clf.predict(TEXTS).tolist(),
    "sure": lambda clf: clf.predict(TEXTS, min_confidence=0.4).tolist(),
    "proba": lambda clf: clf.predict_proba(TEXTS).tolist(),
    "sets": lambda clf: clf.predict_set(TEXTS, 0.6),
    "top": lambda clf: clf.top_k(TEXTS, 2),
    "scores": lambda clf: clf.scores(TEXTS).tolist(),
    "rank": lambda clf: clf.rank(TEXTS, "sea").tolist(),
    "explain": lambda clf: clf.explain(TEXTS[0], "sea", "sky").difference,
}


def moments(clf, new, ask):
    """Answers by the scores before and after, each with the calibration before and after."""
    before = clf.calibration_
    clf.learn(*new)
    after = clf.calibration_
    found = [answer_with(clf, each, ask) for each in (before, after)]
    clf.forget(*new)
    return found + [answer_with(clf, each, ask) for each in (before, after)]


def answer_with(clf, calibration, ask):
    own, clf._calibration = clf.calibration_, calibration
    answer = ask(clf)
    clf._calibration = own
    return answer


@pytest.mark.parametrize("multi_label", [False, True])
@pytest.mark.parametrize("model", ["multinomial", "contrast", "bernoulli"])
def test_every_answer_is_of_one_moment(model, multi_label):
    wrap = (lambda labels: [[label] for label in labels]) if multi_label else list
    clf, new = fitted(model, (TEXTS, wrap(PLACES)), multi_label), (NEW[0], wrap(NEW[1]))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", StaleWarning)
        clf.learn("salt", wrap(["sea"])[0]).forget("salt", wrap(["sea"])[0])
        valid = {name: moments(clf, new, ask) for name, ask in QUESTIONS.items()}
        with ThreadPoolExecutor(9) as pool:
            stop = Event()
            asked = [pool.submit(ask_on, clf, name, stop) for name in QUESTIONS]
            for _ in range(60):
                clf.learn(*new).forget(*new)
            stop.set()
            found = {name: job.result(60) for name, job in zip(QUESTIONS, asked, strict=True)}
    for name, given in found.items():
        assert given
        assert all(each in valid[name] for each in given), name
    np.testing.assert_array_equal(QUESTIONS["scores"](clf), valid["scores"][-1])


def ask_on(clf, name, stop):
    found = [QUESTIONS[name](clf)]
    while not stop.is_set():
        found.append(QUESTIONS[name](clf))
    return found


@pytest.mark.parametrize("normalize", [None, True, False])
@pytest.mark.parametrize("model", NAMED)
def test_a_rank_is_of_one_moment_if_a_class_is_learned_after_the_first_look(
    model, normalize, monkeypatch
):
    def ranks(clf):
        return clf.rank(TEXTS, "sea", normalize).tolist()

    first, second, clf = (fitted(model, (TEXTS, PLACES)) for _ in range(3))
    states = [ranks(first), ranks(second.learn(*NEW))]
    read, learning = CountsReader.read, Thread(target=clf.learn, args=NEW)

    def read_and_learn(self, *given):
        counts = read(self, *given)
        if learning.ident is None:
            learning.start()
            learning.join()
        return counts

    monkeypatch.setattr(CountsReader, "read", read_and_learn)
    assert ranks(clf) in states
    assert learning.ident is not None
    assert ranks(clf) == states[1]


def test_a_new_calibration_is_not_replaced_by_one_that_is_being_fitted(monkeypatch):
    clf, begun, go_on = fitted("multinomial", spread()), Event(), Event()
    fit = LazyCalibration.fit

    def slowly(pending):
        begun.set()
        go_on.wait(60)
        return fit(pending)

    monkeypatch.setattr(LazyCalibration, "fit", slowly)
    with ThreadPoolExecutor(2) as pool:
        asked = pool.submit(clf.predict_proba, TEXTS)
        begun.wait(60)
        renewed = pool.submit(clf.recalibrate, TEXTS, PLACES)
        renewed_first = not wait([renewed], 0.5).not_done
        go_on.set()
        asked.result(60), renewed.result(60)
    assert not renewed_first
    assert clf.calibration_.method == "held out"


def test_an_answer_is_by_one_calibration():
    texts, labels = spread()
    clf = fitted("multinomial", (texts[:100], labels[:100]))
    first = clf.calibration_
    expected = clf.predict_proba(texts)

    def given():
        for at, text in enumerate(texts):
            if at == 50:
                clf.recalibrate(texts[100:110], ["sea"] * 10)
            yield text

    np.testing.assert_array_equal(clf.predict_proba(given()), expected)
    assert clf.calibration_ is not first


FORK_WHILE_CALIBRATING = """
import os
import sys
from threading import Event, Thread

from tallytext import TextClassifier
from tallytext.classifier.model_selection import LazyCalibration

texts = ["salt wave ship", "cloud blue wind", "salt ship", "blue wind"] * 5
labels = ["sea", "sky"] * 10
clf, other = (
    TextClassifier("multinomial", n_jobs=1).fit(texts, labels) for _ in range(2)
)
begun, end, slow = Event(), Event(), [True]
fit = LazyCalibration.fit

def fit_slowly(pending):
    if slow:  # only the thread, not the child
        slow.clear()
        begun.set()
        end.wait()
    return fit(pending)

LazyCalibration.fit = fit_slowly
thread = Thread(target=clf.predict_proba, args=(texts[:2],))
thread.start()
begun.wait()
child = os.fork()
if not child:
    asked = {"same": clf, "other": other}[sys.argv[1]]
    os._exit(0 if asked.predict_proba(texts[:2]).shape == (2, 2) else 1)
_, status = os.waitpid(child, 0)
end.set()
thread.join()
sys.exit(os.waitstatus_to_exitcode(status))
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
@pytest.mark.parametrize("asked", ["same", "other"])
def test_a_child_that_is_forked_while_a_thread_calibrates_can_predict(asked):
    # A new process, so that no thread of the test runner is forked.
    command = [sys.executable, "-c", FORK_WHILE_CALIBRATING, asked]
    with subprocess.Popen(command, start_new_session=True) as process:
        try:
            assert process.wait(60) == 0
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)  # the child hangs, too
            pytest.fail("the forked child hangs")


def test_one_classifier_does_not_wait_for_the_calibration_of_another(monkeypatch):
    slow, quick = fitted("multinomial", spread()), fitted("multinomial", spread())
    begun, go_on, fit = Event(), Event(), LazyCalibration.fit

    def slowly(pending):
        if pending is waiting:
            begun.set()
            go_on.wait(60)
        return fit(pending)

    waiting = slow._pending
    monkeypatch.setattr(LazyCalibration, "fit", slowly)
    with ThreadPoolExecutor(2) as pool:
        first = pool.submit(slow.predict_proba, TEXTS)
        begun.wait(60)
        try:
            assert pool.submit(quick.predict_proba, TEXTS).result(30).shape == (6, 3)
        finally:
            go_on.set()
        first.result(60)

"""What went wrong on a Spark cluster: told where it happened, said to the user in plain words.

Between a Python worker and the driver, an error becomes a text among lines of Java. So it is
written there as one line that can be found again.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from traceback import extract_tb

from tallytext import errors
from tallytext.errors import EngineError, TallytextError

_MARK = "tallytext-failure: "
_TOLD = re.compile(re.escape(_MARK) + r"(\{.*\})")
_MISSING = re.compile(r"No module named '([\w.]+)'")
_ABORTED = re.compile(r"Task (\d+) in stage \S+ failed (\d+) times.*?: ([^\n]+)")
# The last place of a traceback, and the error that follows.
_RAISED = re.compile(r'^  File "([^"\n]+)", line (\d+)[^\n]*\n(?:    [^\n]*\n)*(\w[^\n]*)', re.M)
_CLASSES = re.compile(r"^(?:(?:Caused by: )?[\w.$]+(?:Exception|Error): )+")
_TOO_LARGE = "spark.driver.maxResultSize"
_LOST = (
    "SparkContext was shut down",
    "stopped SparkContext",
    "SESSION_OR_CONTEXT_NOT_EXISTS",
    "NO_ACTIVE_SESSION",
    "SESSION_CLOSED",
    "SESSION_NOT_FOUND",
    "Answer from Java side is empty",
    "communication channel",
    "StatusCode.UNAVAILABLE",
    "Channel closed",
    "RETRIES_EXCEEDED",
)


@contextmanager
def failures_told(name: str) -> Iterator[None]:
    """Write what fails on a worker so that :func:`plain_failures` finds it.

    Parameters
    ----------
    name : str
        The partition, or another piece of work.
    """
    try:
        yield
    except Exception as problem:
        raise RuntimeError(_MARK + _spelt(name, problem)) from None


@contextmanager
def plain_failures(is_over: Callable[[], bool] = lambda: False) -> Iterator[None]:
    """Turn what Spark raises into an error of ours.

    Parameters
    ----------
    is_over : callable, optional
        Returns whether the session has ended by now. Spark itself may say of it what is true of
        the moment: that something is null, for instance.

    Raises
    ------
    TallytextError
        What was raised on a worker, if it was one of ours.
    EngineError
        If work failed for another reason, or the session was lost.
    """
    from pyspark.errors import AnalysisException, PySparkException

    of_java = import_module("py4j.protocol").Py4JError
    try:
        yield
    except (AnalysisException, TallytextError):
        raise  # Spark says itself what is wrong with a query
    except (PySparkException, of_java, ConnectionError, EOFError) as problem:
        raise failure_of(problem, is_over()) from None
    except Exception as problem:
        if is_over():  # and PySpark has stumbled over what is no longer there
            raise _lost() from problem
        raise


def failure_of(problem: Exception, is_over: bool = False) -> TallytextError:
    """Return what a user is told of an error that Spark raised.

    Parameters
    ----------
    problem : Exception
    is_over : bool, default=False
        Whether the session has ended.

    Examples
    --------
    >>> failure_of(RuntimeError("org.apache.spark.SparkException: the disk is full.\\n\\tat java"))
    EngineError('Spark could not do its work: the disk is full.')
    """
    text = str(problem)
    if found := _TOLD.search(text):
        return _told(json.loads(found[1]))
    is_over |= isinstance(problem, ConnectionError | EOFError)
    if is_over or any(sign in text for sign in _LOST):
        return _lost()
    if _TOO_LARGE in text:
        return _too_large()
    if found := _MISSING.search(text):
        return _not_installed(found[1])
    if raised := _RAISED.findall(text):
        place, line, reason = raised[-1]
        return _failed_before(reason, f"{Path(place).name}, line {line}")
    if found := _ABORTED.search(text):
        return _aborted(int(found[1]), int(found[2]), _CLASSES.sub("", found[3]))
    said = _CLASSES.sub("", _first_line(text)).rstrip(".")
    return EngineError(f"Spark could not do its work: {said}.")


def _spelt(name: str, problem: Exception) -> str:
    last = extract_tb(problem.__traceback__)[-1]
    told = {
        "name": name,
        "kind": type(problem).__name__,
        "ours": isinstance(problem, TallytextError),
        "message": str(problem),
        "place": f"{Path(last.filename).name}, line {last.lineno}",
    }
    return json.dumps(told)


def _told(told: dict[str, str]) -> TallytextError:
    kind = getattr(errors, told["kind"], EngineError) if told["ours"] else EngineError
    if told["ours"]:
        error: TallytextError = kind(told["message"])
        return error
    reason = f"{told['kind']}: {told['message']}".rstrip(".")
    return EngineError(
        f"{told['name']} failed, as often as Spark tried: {reason} ({told['place']}). Nothing was "
        "changed; once the reason is gone, count again."
    )


def _failed_before(reason: str, place: str) -> EngineError:
    return EngineError(
        f"a partition failed, as often as Spark tried: {reason.rstrip('.')} ({place}). That is "
        "where its rows are made, before they are read here."
    )


def _lost() -> EngineError:
    return EngineError(
        "the Spark session was lost: it was stopped, or its driver ended, perhaps for want of "
        "memory (spark.driver.memory). Nothing was changed; make a session and count again."
    )


def _too_large() -> EngineError:
    return EngineError(
        f"a piece of the result is larger than the driver allows ({_TOO_LARGE}): allow more, or "
        "cut tallies into more pieces (shards)."
    )


def _not_installed(module: str) -> EngineError:
    return EngineError(
        f"the Python of Spark's workers has no module {module!r}. Install tallytext there too: "
        "send an environment with --archives, or name the Python that has it by PYSPARK_PYTHON."
    )


def _aborted(task: int, times: int, reason: str) -> EngineError:
    said = reason.partition(". ")[0].rstrip(".")
    hint = ""
    if "worker exited" in reason or "ExecutorLost" in reason or "memory" in reason.lower():
        hint = (
            " A worker that was killed has often taken more memory than it may: make partitions "
            "smaller (spark.sql.files.maxPartitionBytes, or repartition), or give Python more "
            "(spark.executor.memoryOverhead)."
        )
    return EngineError(f"partition {task} failed {times} times, the last time with: {said}.{hint}")


def _first_line(text: str) -> str:
    lines = [line for line in text.splitlines() if line.strip()]
    java = [line for line in lines if line.startswith(": ")]
    return (java or lines or ["no reason was given"])[0].removeprefix(": ")

"""Sessions of Spark, and groups of jobs in them: start, progress, cancellation and errors."""

from __future__ import annotations

import json
import os
import re
import shutil
import socket
import sys
import warnings
from collections.abc import Callable, Generator, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from functools import partial
from importlib import import_module
from pathlib import Path
from tempfile import TemporaryFile
from threading import Event, Thread
from traceback import extract_tb
from typing import Any, TypeAlias, TypeVar, cast
from uuid import uuid4

from tallytext import errors
from tallytext.distributed.files import Split
from tallytext.distributed.progress import LineProgress, format_bytes
from tallytext.errors import EngineError, TallytextError
from tallytext.runtime import PROGRESS_DELAY
from tallytext.terminal import console

# Sessions

_QUIET: dict[str, Any] = {"spark.ui.enabled": "false", "spark.ui.showConsoleProgress": "false"}
_CONNECT_SECONDS = 10.0  # to wait for a connection to a master
_DEFAULT_PORT = 7077
_MASTERS = re.compile(r"local(-cluster)?(\[[\d*, .]+\])?$|spark://|yarn|k8s://|sc://")
_JAVA_ERROR = re.compile(r"An error occurred while calling .*\n: (?:[\w.$]+: )?(.*)")


def require_spark() -> None:
    """Raise EngineError if Spark is not installed."""
    try:
        import pyspark  # noqa: F401, I001 - most likely to be missing, so it is tried first
        import pandas  # noqa: F401 - without it, Spark sends no Arrow batches to Python
    except ImportError as problem:
        raise EngineError(
            f"this needs Spark, but there is no {problem.name}: install it with "
            "pip install 'tallytext[spark]' (in a clone of the sources, '.[spark]'). Spark also "
            "needs Java."
        ) from None


def start_session(master: str | None = None) -> Any:
    """Start a session that writes as little as possible to the terminal.

    Parameters
    ----------
    master : str, default=None
        Such as ``"local[4]"``, ``"spark://host:7077"``, ``"yarn"``, or ``"sc://host"`` for Spark
        Connect; None for the master that Spark is configured for, by default this machine.

    Raises
    ------
    EngineError
        If Spark or Java is missing, or no master answers at the address.
    """
    require_spark()
    from pyspark.sql import SparkSession

    builder = SparkSession.builder.appName("tallytext")
    if master is not None:
        is_remote = master.startswith("sc://")
        builder = builder.remote(master) if is_remote else builder.master(master)
    check_master(master)
    if (master or "local").startswith("local"):
        # Otherwise local workers run the first "python3" of the PATH, which may lack tallytext.
        os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
        builder = builder.config(map=_QUIET)
    with explain_start_failure(master), _discard_stderr():
        return builder.getOrCreate()


def live_session(session: Any = None) -> Any:
    """Return the session that is given, or the active one, if it is not stopped.

    Raises
    ------
    EngineError
        If there is none, or it is stopped.
    """
    require_spark()
    from pyspark.sql import SparkSession

    found = SparkSession.getActiveSession() if session is None else session
    if found is None:
        raise EngineError(
            "there is no Spark session: make one with SparkSession.builder.getOrCreate(), "
            "or pass one as session=."
        )
    context = _spark_context(found)
    if context is not None and context._jsc is None:
        raise EngineError("the Spark session was stopped: make a new one, and read the data again.")
    return found


def n_shuffle_partitions(session: Any) -> int:
    """Return the number of shuffle partitions that a session is configured for."""
    return int(session.conf.get("spark.sql.shuffle.partitions", "200"))


def check_master(master: str | None) -> None:
    """Raise EngineError at once for a wrong address, on which Spark would spend minutes.

    Parameters
    ----------
    master : str or None
        Connections are tried for ``"spark://host:port"`` only, which may list several addresses:
        one that answers is enough.
    """
    if master is None:
        return
    if not _MASTERS.match(master):
        examples = "local[4], spark://host:7077, yarn, k8s://host or sc://host"
        raise EngineError(f"{_start_failure(master)}: a master is {examples}.")
    addresses = master.removeprefix("spark://").split(",")
    if master.startswith("spark://") and not any(map(_accepts_connections, addresses)):
        raise EngineError(_no_answer_message(master))


@contextmanager
def explain_start_failure(master: str | None) -> Iterator[None]:
    """Raise errors of a session start as an EngineError of one sentence, with a remedy.

    Parameters
    ----------
    master : str or None
        The master; None for the one that Spark is configured for.
    """
    try:
        yield
    except Exception as problem:
        raise EngineError(_start_message(str(problem), master)) from None


def _accepts_connections(address: str) -> bool:
    host, _, port = address.strip().rpartition(":")
    try:
        number = int(port) if host else _DEFAULT_PORT
        with socket.create_connection(((host or port).strip("[]"), number), _CONNECT_SECONDS):
            return True
    except (OSError, ValueError, OverflowError):
        return False


def _start_message(problem: str, master: str | None) -> str:
    start = _start_failure(master)
    if from_java := _JAVA_ERROR.search(problem):
        problem = from_java[1]
    first = next((line for line in problem.splitlines() if line.strip()), "no reason").rstrip(".")
    if "JAVA_GATEWAY_EXITED" in problem or not _has_java(master):
        return (
            f"{start}: {first}. Spark needs Java 17 or newer: is it installed, and JAVA_HOME set?"
        )
    if "PACKAGE_NOT_INSTALLED" in problem or "No module named" in problem:
        return f"{start}: {first}. Install the missing package: pip install 'pyspark[connect]'."
    if master is None or master.startswith("local"):
        return f"{start}: {first}."
    return _no_answer_message(master)


def _has_java(master: str | None) -> bool:
    is_remote = master is not None and master.startswith("sc://")
    return is_remote or "JAVA_HOME" in os.environ or shutil.which("java") is not None


def _no_answer_message(master: str) -> str:
    return f"{_start_failure(master)}: no answer. Is the master running, and is the address right?"


def _start_failure(master: str | None) -> str:
    return "cannot start a Spark session" + ("" if master is None else f" at {master!r}")


@contextmanager
def _discard_stderr() -> Iterator[None]:
    """Discard the output of a new Java process, which keeps the standard error it starts with."""
    sys.stderr.flush()
    # Descriptor 2 and not sys.stderr, because Java inherits the descriptor.
    with TemporaryFile() as sink:
        before = os.dup(2)
        os.dup2(sink.fileno(), 2)
        try:
            yield
        finally:
            os.dup2(before, 2)
            os.close(before)


def _spark_context(session: Any) -> Any:
    """Return the SparkContext of a session; None with Spark Connect, which has none here."""
    try:
        return session.sparkContext
    except Exception:  # the type of the error differs between versions of Spark
        return None


def _is_stopped(session: Any) -> bool:
    """Return True if a session was stopped, or its driver has ended."""
    try:
        context = session.sparkContext
    except Exception:  # Spark Connect reports itself that a session is closed
        return False
    try:
        return context._jsc is None or bool(context._jsc.sc().isStopped())
    except Exception:  # the Java process does not answer
        return True


# DataFrames


def map_batches(frame: Any, function: Callable[..., Any], schema: Any) -> Any:
    """Return a DataFrame with the results of a function on the Arrow batches of each partition."""
    with _ignore_pandas_warnings():
        return frame.mapInArrow(function, schema)


def map_groups(frame: Any, keys: Sequence[str], function: Callable[..., Any], schema: Any) -> Any:
    """Return a DataFrame with the results of a function on each group of rows, as Arrow tables."""
    with _ignore_pandas_warnings():
        return frame.groupBy(*keys).applyInArrow(function, schema)


def number_splits(session: Any, splits: Sequence[Split]) -> tuple[Any, list[str]]:
    """Return a DataFrame with the number of a split in each partition, and the splits as JSON."""
    n_splits = len(splits)
    # One partition for each split, so that Spark schedules and retries splits one by one.
    numbers = session.range(0, n_splits, 1, max(n_splits, 1))
    return numbers, [split.to_json() for split in splits]


@contextmanager
def stored_on_disk(frame: Any) -> Iterator[Any]:
    """Store the computed rows of a DataFrame on the disks of workers inside a with block."""
    from pyspark import StorageLevel

    frame = frame.persist(StorageLevel.DISK_ONLY)
    try:
        yield frame
    finally:
        with suppress(Exception):  # the session may be lost, and its storage with it
            frame.unpersist()


@contextmanager
def _ignore_pandas_warnings() -> Iterator[None]:
    """Ignore Spark's warnings about new versions of pandas, of which nothing here is used."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "PySpark does not yet fully support", FutureWarning)
        yield


# Groups of jobs

Result = TypeVar("Result")


@contextmanager
def run_jobs(session: Any, verbose: bool | None = None) -> Iterator[JobGroup]:
    """Yield a group of jobs; errors of Spark inside the with block become a TallytextError.

    Parameters
    ----------
    session : pyspark.sql.SparkSession
    verbose : bool or None, default=None
        Whether to show progress; None: if standard error is a terminal.
    """
    with translate_failures(partial(_is_stopped, session)):
        yield JobGroup(session, verbose)


class JobGroup:
    """Jobs of Spark that belong to one call, and are shown and cancelled together.

    Parameters
    ----------
    session : pyspark.sql.SparkSession
    verbose : bool or None
        Whether to show progress; None: if standard error is a terminal, and Spark shows none.

    Attributes
    ----------
    session : pyspark.sql.SparkSession
    name : str
        Name of the group, or tag of its jobs with Spark Connect.
    memory : Accumulator or None
        Gets the peak memory of tasks; None if progress is not shown.
    """

    def __init__(self, session: Any, verbose: bool | None = None) -> None:
        self.session, self.name = session, f"tallytext-{uuid4().hex[:12]}"
        self._context, self._verbose = _spark_context(session), verbose
        if verbose is None and _shows_progress(self._context):
            self._verbose = False
        has_memory = is_shown(self._verbose) and self._context is not None
        self.memory = self._context.accumulator(0, MaxAccumulator()) if has_memory else None

    def run(self, activity: str, action: Callable[[], Result]) -> Result:
        """Run an action and show its progress; Ctrl-C cancels its jobs.

        The action runs in another thread: while this one waits for it, Python can handle Ctrl-C,
        which it cannot inside a call of Java.
        """
        from pyspark import inheritable_thread_target

        # Properties such as the scheduler pool belong to a thread of Java, and are copied to the
        # new one.
        in_group = inheritable_thread_target(self.session)(self._run_in_group)
        with self._progress(activity), ThreadPoolExecutor(1) as threads:
            future = threads.submit(in_group, action)
            try:
                return cast(Result, future.result())
            except KeyboardInterrupt:
                self._cancel()
                raise

    def rows(self, activity: str, frame: Any) -> Generator[Any, None, None]:
        """Yield the rows of a DataFrame; all are computed before the first one is sent.

        Workers compute them in parallel and store them on their disks. So the first row arrives
        late, but the driver gets one partition at a time, whatever the limit on its results.
        """
        with stored_on_disk(frame) as stored:
            # count() computes and stores all rows; toLocalIterator() alone would compute them one
            # by one.
            self.run(activity, stored.count)
            yield from stored.toLocalIterator()

    def _run_in_group(self, action: Callable[[], Result]) -> Result:
        # Group and tag belong to the thread, which ends with the action.
        if self._context is None:
            self.session.addTag(self.name)
        else:
            self._context.setJobGroup(self.name, "tallytext", interruptOnCancel=True)
        return action()

    def _cancel(self) -> None:
        with suppress(Exception):  # the session may be lost
            if self._context is None:
                self.session.interruptTag(self.name)
            else:
                self._context.cancelJobGroup(self.name)

    @contextmanager
    def _progress(self, activity: str) -> Iterator[None]:
        if not is_shown(self._verbose):
            yield
        elif self._context is not None:
            stages = StageProgress(self._context, self.name, self.memory)
            with show_bar(activity, stages.state, self._verbose):
                yield
        else:
            remote = RemoteStageProgress(self.session)
            try:
                with show_bar(activity, remote.state, self._verbose):
                    yield
            finally:
                remote.close()


def _shows_progress(context: Any) -> bool:
    """Return True if Spark shows progress bars itself, which would overwrite others."""
    if context is None:
        return False
    return str(context.getConf().get("spark.ui.showConsoleProgress", "false")) == "true"


# Progress

ReadState: TypeAlias = Callable[[], tuple[int, int, int]]
"""Returns the number of finished tasks, of all tasks, and their peak memory in bytes."""

ShowState: TypeAlias = Callable[[int, int, int], None]
"""Shows the values of a ReadState."""

_SECONDS_BETWEEN_UPDATES = 0.3


def is_shown(verbose: bool | None) -> bool:
    """Return True if progress is shown: if requested, or else if standard error is a terminal."""
    return sys.stderr.isatty() if verbose is None else verbose


@contextmanager
def show_bar(activity: str, read_state: ReadState, verbose: bool | None) -> Iterator[None]:
    """Show a bar while a with block runs; a thread updates it and removes it at the end.

    Parameters
    ----------
    activity : str
        The text beside the bar.
    read_state : callable
        Returns the state of the work; it is called by the other thread.
    verbose : bool or None
        None: if standard error is a terminal, and the work takes longer than a second or two.
    """
    if not is_shown(verbose):
        yield
        return
    over = Event()
    delay = 0.0 if verbose else PROGRESS_DELAY
    thread = Thread(target=_update_bar, args=(activity, read_state, over, delay), daemon=True)
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join()


def _update_bar(activity: str, read_state: ReadState, over: Event, delay: float) -> None:
    if over.wait(delay):
        return

    def update() -> None:
        with suppress(Exception):  # a session that is being stopped has no state
            show(*read_state())

    with _open_display(activity) as show:
        while not over.wait(_SECONDS_BETWEEN_UPDATES):
            update()
        update()


@contextmanager
def _open_display(activity: str) -> Iterator[ShowState]:
    """Yield a function that draws a bar, or writes lines if standard error is not a terminal."""
    if not sys.stderr.isatty():
        lines = LineProgress(activity)
        yield lambda *state: lines.show(_format_state(*state) if state[1] else "")
        lines.write()
        return
    from rich.errors import LiveError
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

    columns = (TextColumn("{task.description}"), BarColumn(), TimeElapsedColumn())
    progress = Progress(*columns, console=console(stderr=True), transient=True)
    task = progress.add_task(activity, total=None)

    def show(done: int, total: int, memory: int) -> None:
        text = f"{activity}: {_format_state(done, total, memory)}" if total else activity
        progress.update(task, description=text, completed=done, total=total or None)

    try:
        progress.start()
    except LiveError:  # another bar of rich is on the screen
        yield lambda *_: None
        return
    try:
        yield show
    finally:
        progress.stop()


def _format_state(done: int, total: int, memory: int) -> str:
    """Return the state of the work as text.

    Examples
    --------
    >>> _format_state(3, 1200, 700 << 20)
    '3 of 1,200 tasks, peak memory of a worker: 700.0 MiB'
    """
    peak = f", peak memory of a worker: {format_bytes(memory)}" if memory else ""
    return f"{done:,} of {total:,} tasks{peak}"


class StageProgress:
    """Counts of the tasks of a job group.

    Parameters
    ----------
    context : SparkContext
    name : str
        Name of the job group.
    memory : Accumulator
        Has the peak memory of tasks.
    """

    def __init__(self, context: Any, name: str, memory: Any) -> None:
        self._tracker, self._name, self._memory = context.statusTracker(), name, memory
        # A group has several actions, and each bar shows the stages of its own action.
        self._before = self._stages()

    def state(self) -> tuple[int, int, int]:
        """Return the finished tasks, all tasks and peak memory, of stages started since."""
        infos = [self._tracker.getStageInfo(each) for each in self._stages() - self._before]
        # Spark also lists stages that it skips, since their results are stored.
        started = [info for info in infos if info is not None and _is_started(info)]
        done = sum(info.numCompletedTasks for info in started)
        return done, sum(info.numTasks for info in started), self._memory.value

    def _stages(self) -> set[int]:
        infos = map(self._tracker.getJobInfo, self._tracker.getJobIdsForGroup(self._name))
        return {stage for info in infos if info is not None for stage in info.stageIds}


def _is_started(info: Any) -> bool:
    return bool(info.numActiveTasks or info.numCompletedTasks or info.numFailedTasks)


class RemoteStageProgress:
    """Counts of tasks that Spark Connect reports.

    Parameters
    ----------
    session : pyspark.sql.SparkSession
    """

    def __init__(self, session: Any) -> None:
        self._session, self._counts = session, (0, 0)
        session.registerProgressHandler(self._update)

    def state(self) -> tuple[int, int, int]:
        """Return the finished tasks, all tasks, and 0 for the unknown peak memory."""
        return *self._counts, 0

    def close(self) -> None:
        """Receive no more reports."""
        self._session.removeProgressHandler(self._update)

    def _update(self, stages: Any, **_: Any) -> None:
        started = [stage for stage in stages or () if stage.num_completed_tasks]
        done = sum(stage.num_completed_tasks for stage in started)
        self._counts = done, sum(stage.num_tasks for stage in started)


class MaxAccumulator:
    """Parameter of an accumulator that holds the largest of the numbers added by tasks."""

    def zero(self, value: int) -> int:
        """Return the initial value."""
        return 0

    def addInPlace(self, one: int, other: int) -> int:
        """Return the larger number."""
        return max(one, other)


# Failures
#
# Between a Python worker and the driver, an error becomes text among lines of Java. So a worker
# writes it as one line of JSON behind a mark, where the driver finds it again.

_MARK = "tallytext-failure: "
_MARKED = re.compile(re.escape(_MARK) + r"(\{.*\})")
_MISSING_MODULE = re.compile(r"No module named '([\w.]+)'")
_TASK_FAILED = re.compile(r"Task (\d+) in stage \S+ failed (\d+) times.*?: ([^\n]+)")
# The last frame of a Python traceback, and the error that follows it.
_PYTHON_ERROR = re.compile(
    r'^  File "([^"\n]+)", line (\d+)[^\n]*\n(?:    [^\n]*\n)*(\w[^\n]*)', re.M
)
_EXCEPTION_CLASSES = re.compile(r"^(?:(?:Caused by: )?[\w.$]+(?:Exception|Error): )+")
_RESULT_LIMIT = "spark.driver.maxResultSize"
_SESSION_LOST = (
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
def mark_failures(name: str) -> Iterator[None]:
    """Raise errors of a worker in a form that :func:`translate_failures` recognises.

    Parameters
    ----------
    name : str
        The partition or other unit of work, as messages call it.
    """
    try:
        yield
    except Exception as problem:
        last = extract_tb(problem.__traceback__)[-1]
        failure = {
            "name": name,
            "kind": type(problem).__name__,
            "ours": isinstance(problem, TallytextError),
            "message": str(problem),
            "place": f"{Path(last.filename).name}, line {last.lineno}",
        }
        # json.dumps() escapes line feeds, so that the message stays on one line.
        raise RuntimeError(_MARK + json.dumps(failure)) from None


@contextmanager
def translate_failures(is_stopped: Callable[[], bool] = lambda: False) -> Iterator[None]:
    """Raise errors of Spark as a TallytextError.

    Parameters
    ----------
    is_stopped : callable, optional
        Returns True if the session has ended. Spark's own error may then be misleading: that some
        object is null, for instance.

    Raises
    ------
    TallytextError
        The error of a worker, if it was one of tallytext.
    EngineError
        If the work failed for another reason, or the session was lost.
    """
    from pyspark.errors import AnalysisException, PySparkException

    java_error = import_module("py4j.protocol").Py4JError
    try:
        yield
    except (AnalysisException, TallytextError):
        raise  # Spark's messages about wrong queries are clear
    except (PySparkException, java_error, ConnectionError, EOFError) as problem:
        raise translate_failure(problem, is_stopped()) from None
    except Exception as problem:
        if is_stopped():  # PySpark fails in many ways without its Java process
            raise _session_lost() from problem
        raise


def translate_failure(problem: Exception, is_stopped: bool = False) -> TallytextError:
    """Return the error to raise for an error of Spark.

    Parameters
    ----------
    problem : Exception
    is_stopped : bool, default=False
        Whether the session has ended.

    Examples
    --------
    >>> error = RuntimeError("org.apache.spark.SparkException: the disk is full.\\n\\tat java")
    >>> translate_failure(error)
    EngineError('Spark failed: the disk is full.')
    """
    text = str(problem)
    # First, because our own error is the cause of all lines of Java around it.
    if found := _MARKED.search(text):
        return _worker_error(json.loads(found[1]))
    is_stopped |= isinstance(problem, ConnectionError | EOFError)
    if is_stopped or any(sign in text for sign in _SESSION_LOST):
        return _session_lost()
    if _RESULT_LIMIT in text:
        return EngineError(
            f"a block of the result is larger than the driver allows ({_RESULT_LIMIT}): raise the "
            "limit, or split tallies into more shards (shards)."
        )
    if found := _MISSING_MODULE.search(text):
        return EngineError(
            f"the Python of Spark's workers has no module {found[1]!r}. Install tallytext there "
            "too: send an environment with --archives, or set PYSPARK_PYTHON to a Python that has "
            "it."
        )
    if raised := _PYTHON_ERROR.findall(text):
        file, line, reason = raised[-1]
        return EngineError(
            f"a partition failed after all retries: {reason.rstrip('.')} "
            f"({Path(file).name}, line {line}). The error is in the query that makes its rows."
        )
    if found := _TASK_FAILED.search(text):
        return _task_failed(int(found[1]), int(found[2]), _EXCEPTION_CLASSES.sub("", found[3]))
    reason = _EXCEPTION_CLASSES.sub("", _first_line(text)).rstrip(".")
    return EngineError(f"Spark failed: {reason}.")


def _worker_error(failure: dict[str, str]) -> TallytextError:
    if failure["ours"]:
        error: TallytextError = getattr(errors, failure["kind"], EngineError)(failure["message"])
        return error
    reason = f"{failure['kind']}: {failure['message']}".rstrip(".")
    return EngineError(
        f"{failure['name']} failed after all retries: {reason} ({failure['place']}). No result was "
        "stored: remove the cause and run it again."
    )


def _session_lost() -> EngineError:
    return EngineError(
        "the Spark session was lost: it was stopped, or its driver ended, perhaps for lack of "
        "memory (spark.driver.memory). No result was stored: make a session and run it again."
    )


def _task_failed(task: int, times: int, reason: str) -> EngineError:
    sentence = reason.partition(". ")[0].rstrip(".")
    remedy = ""
    if "worker exited" in reason or "ExecutorLost" in reason or "memory" in reason.lower():
        remedy = (
            " Workers are often killed because they exceed their memory: make partitions smaller "
            "(spark.sql.files.maxPartitionBytes, or repartition), or give Python more memory "
            "(spark.executor.memoryOverhead)."
        )
    return EngineError(
        f"partition {task} failed {times} times, most recently with: {sentence}.{remedy}"
    )


def _first_line(text: str) -> str:
    lines = [line for line in text.splitlines() if line.strip()]
    from_java = [line for line in lines if line.startswith(": ")]
    return (from_java or lines or ["no reason was given"])[0].removeprefix(": ")

"""Work that is done in a session of Spark: named, shown, cancelled, and its errors told."""

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
from threading import Event, Thread
from traceback import extract_tb
from typing import Any, TypeAlias, TypeVar, cast
from uuid import uuid4

from tallytext import errors
from tallytext.distributed.job import Split
from tallytext.distributed.watching import Lines
from tallytext.errors import EngineError, TallytextError
from tallytext.runtime import PATIENCE

# ------------------------------------------------------------------------------------------------
# What went wrong on a Spark cluster: told where it happened, said to the user in plain words.
#
# Between a Python worker and the driver, an error becomes a text among lines of Java. So it is
# written there as one line that can be found again.

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


# ------------------------------------------------------------------------------------------------
# How far Spark is, on standard error while it works.

#: Returns how many tasks are done, how many there are, and how much memory they took, in bytes.
Look: TypeAlias = Callable[[], tuple[int, int, int]]

#: Is told the same.
Show: TypeAlias = Callable[[int, int, int], None]

_SECONDS_APART = 0.3


def is_shown(verbose: bool | None) -> bool:
    """Whether progress is shown: as asked for, or else if standard error is a terminal."""
    return sys.stderr.isatty() if verbose is None else verbose


@contextmanager
def bar(what: str, look: Look, verbose: bool | None) -> Iterator[None]:
    """Show a bar that looks by itself how far the work is, and vanishes when it is done.

    Parameters
    ----------
    what : str
        What is going on.
    look : callable
        Who knows; it is called by another thread.
    verbose : bool or None
        None: if standard error is a terminal, and the work takes longer than a second or two.
    """
    if not is_shown(verbose):
        yield
        return
    over = Event()
    patience = 0.0 if verbose else PATIENCE
    looking = Thread(target=_looking, args=(what, look, over, patience), daemon=True)
    looking.start()
    try:
        yield
    finally:
        over.set()
        looking.join()


def _looking(what: str, look: Look, over: Event, patience: float) -> None:
    if over.wait(patience):
        return
    with _screen(what) as show:
        while not over.wait(_SECONDS_APART):
            _shown(show, look)
        _shown(show, look)


def _shown(show: Show, look: Look) -> None:
    # Spark may be about to end, and then has no more to tell.
    with suppress(Exception):
        show(*look())


@contextmanager
def _screen(what: str) -> Iterator[Show]:
    """Yield what draws a bar, or where there is no terminal to draw on, writes lines."""
    if not sys.stderr.isatty():
        lines = Lines(what)
        yield lambda *counts: lines.show(_said(*counts) if counts[1] else "")
        lines.write()
        return
    from rich.console import Console
    from rich.errors import LiveError
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

    columns = (TextColumn("{task.description}"), BarColumn(), TimeElapsedColumn())
    progress = Progress(*columns, console=Console(stderr=True), transient=True)
    task = progress.add_task(what, total=None)

    def show(done: int, total: int, memory: int) -> None:
        said = f"{what}: {_said(done, total, memory)}" if total else what
        progress.update(task, description=said, completed=done, total=total or None)

    try:
        progress.start()
    except LiveError:  # somebody else has something on the screen that moves
        yield lambda *_: None
        return
    try:
        yield show
    finally:
        progress.stop()


def _said(done: int, total: int, memory: int) -> str:
    """Return how far the work is, in words.

    Examples
    --------
    >>> _said(3, 1200, 700 << 20)
    '3 of 1,200 tasks, a worker takes up to 700 MiB'
    """
    takes = f", a worker takes up to {memory >> 20:,} MiB" if memory else ""
    return f"{done:,} of {total:,} tasks{takes}"


class Stages:
    """Counts the tasks of the jobs that go by a name.

    Parameters
    ----------
    context : SparkContext
    name : str
        Of a group of jobs.
    memory : Accumulator
        What tasks have told.
    """

    def __init__(self, context: Any, name: str, memory: Any) -> None:
        self._tracker, self._name, self._memory = context.statusTracker(), name, memory
        self._before = self._stages()

    def look(self) -> tuple[int, int, int]:
        """Return how many tasks are done of those begun since, and how many there are."""
        found = [self._tracker.getStageInfo(each) for each in self._stages() - self._before]
        pairs = [_counts(info) for info in found if info is not None and _is_begun(info)]
        done, total = (sum(counts) for counts in zip((0, 0), *pairs, strict=True))
        return done, total, self._memory.value

    def _stages(self) -> set[int]:
        infos = map(self._tracker.getJobInfo, self._tracker.getJobIdsForGroup(self._name))
        return {stage for info in infos if info is not None for stage in info.stageIds}


class RemoteStages:
    """Is told of tasks by Spark Connect.

    Parameters
    ----------
    session : pyspark.sql.SparkSession
    """

    def __init__(self, session: Any) -> None:
        self._session, self._counts = session, (0, 0)
        session.registerProgressHandler(self._told)

    def look(self) -> tuple[int, int, int]:
        """Return how many tasks are done, and how many there are."""
        return *self._counts, 0

    def end(self) -> None:
        """Be told no more."""
        self._session.removeProgressHandler(self._told)

    def _told(self, stages: Any, **_: Any) -> None:
        begun = [each for each in stages or () if each.num_completed_tasks]
        pairs = [(each.num_completed_tasks, each.num_tasks) for each in begun]
        done, total = (sum(counts) for counts in zip((0, 0), *pairs, strict=True))
        self._counts = done, total


class Most:
    """How an accumulator keeps the largest of the numbers that tasks add to it."""

    def zero(self, value: int) -> int:
        """Return what it begins with."""
        return 0

    def addInPlace(self, one: int, other: int) -> int:
        """Return the larger."""
        return max(one, other)


def _is_begun(info: Any) -> bool:
    """Whether a stage is at work, or was; others are known of that never will be."""
    return bool(info.numActiveTasks or info.numCompletedTasks or info.numFailedTasks)


def _counts(info: Any) -> tuple[int, int]:
    return info.numCompletedTasks, info.numTasks


Result = TypeVar("Result")


class Work:
    """Some jobs that belong together.

    Parameters
    ----------
    session : pyspark.sql.SparkSession
    verbose : bool or None
        Whether to show progress; None: if standard error is a terminal, and Spark shows none.

    Attributes
    ----------
    session : pyspark.sql.SparkSession
    name : str
        Under which the jobs can be found.
    memory : Accumulator or None
        Is to be told by tasks how much memory they took, if somebody looks.
    """

    def __init__(self, session: Any, verbose: bool | None = None) -> None:
        self.session, self.name = session, f"tallytext-{uuid4().hex[:12]}"
        self._context, self._verbose = context_of(session), verbose
        if verbose is None and _shows_itself(self._context):
            self._verbose = False
        watched = is_shown(self._verbose) and self._context is not None
        self.memory = self._context.accumulator(0, Most()) if watched else None

    def done(self, what: str, action: Callable[[], Result]) -> Result:
        """Do something, and show how far it is; an interrupt ends the jobs that it has begun.

        It is done by another thread: to this one Spark can then listen while it waits.
        """
        from pyspark import inheritable_thread_target

        named = inheritable_thread_target(self.session)(self._named)
        with self._shown(what), ThreadPoolExecutor(1) as threads:
            doing = threads.submit(named, action)
            try:
                return cast(Result, doing.result())
            except KeyboardInterrupt:
                self._cancel()
                raise

    def rows(self, what: str, frame: Any) -> Generator[Any, None, None]:
        """Yield the rows of a DataFrame: all are computed first, and then sent one by one.

        They are computed by all at once, and kept on their disks. So the first row comes late, but
        what is sent is never more at a time than a partition, of which the driver allows so much.
        """
        with kept(frame) as computed:
            self.done(what, computed.count)
            yield from computed.toLocalIterator()

    def _named(self, action: Callable[[], Result]) -> Result:
        """Do something in jobs that go by a name; the thread ends with them."""
        if self._context is None:
            self.session.addTag(self.name)
        else:
            self._context.setJobGroup(self.name, "tallytext", interruptOnCancel=True)
        return action()

    def _cancel(self) -> None:
        with suppress(Exception):  # there may be no Spark any more
            if self._context is None:
                self.session.interruptTag(self.name)
            else:
                self._context.cancelJobGroup(self.name)

    @contextmanager
    def _shown(self, what: str) -> Iterator[None]:
        if not is_shown(self._verbose):
            yield
        elif self._context is not None:
            stages = Stages(self._context, self.name, self.memory)
            with bar(what, stages.look, self._verbose):
                yield
        else:
            remote = RemoteStages(self.session)
            try:
                with bar(what, remote.look, self._verbose):
                    yield
            finally:
                remote.end()


@contextmanager
def running(session: Any, verbose: bool | None = None) -> Iterator[Work]:
    """Do work in a session; errors of Spark become errors of ours.

    Parameters
    ----------
    session : pyspark.sql.SparkSession
    verbose : bool or None, default=None
        Whether to show progress; None: if standard error is a terminal.
    """
    with plain_failures(partial(_is_over, session)):
        yield Work(session, verbose)


def context_of(session: Any) -> Any:
    """Return the SparkContext of a session; None if it is elsewhere, as with Spark Connect."""
    try:
        return session.sparkContext
    except Exception:  # of which kind has changed between versions of Spark
        return None


def _is_over(session: Any) -> bool:
    """Whether a session was stopped, or its driver has ended."""
    try:
        context = session.sparkContext
    except Exception:  # it is elsewhere, and says itself when it is closed
        return False
    try:
        return context._jsc is None or bool(context._jsc.sc().isStopped())
    except Exception:  # nobody answers
        return True


def _shows_itself(context: Any) -> bool:
    """Whether Spark draws bars of its own, with which others would take turns."""
    if context is None:
        return False
    return str(context.getConf().get("spark.ui.showConsoleProgress", "false")) == "true"


def mapped(frame: Any, function: Callable[..., Any], schema: Any) -> Any:
    """Return the DataFrame that a function makes of the Arrow batches of each partition."""
    with _no_word_of_pandas():
        return frame.mapInArrow(function, schema)


def grouped(frame: Any, keys: Sequence[str], function: Callable[..., Any], schema: Any) -> Any:
    """Return the DataFrame that a function makes of the rows of each group."""
    with _no_word_of_pandas():
        return frame.groupBy(*keys).applyInArrow(function, schema)


def numbers_of(session: Any, splits: Sequence[Split]) -> tuple[Any, list[str]]:
    """Return a DataFrame with the number of a split in each partition, and the splits as JSON."""
    n_splits = len(splits)
    numbers = session.range(0, n_splits, 1, max(n_splits, 1))
    return numbers, [json.dumps(split.to_dict()) for split in splits]


@contextmanager
def kept(frame: Any) -> Iterator[Any]:
    """Keep what is computed of a DataFrame on the disks of workers, as long as it is needed."""
    from pyspark import StorageLevel

    frame = frame.persist(StorageLevel.DISK_ONLY)
    try:
        yield frame
    finally:
        with suppress(Exception):  # Spark may be gone, and with it what it kept
            frame.unpersist()


@contextmanager
def _no_word_of_pandas() -> Iterator[None]:
    """Spark warns of new versions of pandas, which nothing here makes use of."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "PySpark does not yet fully support", FutureWarning)
        yield


# ------------------------------------------------------------------------------------------------
# Masters of Spark: whether there is one at an address, and why no session was begun there.

_PATIENCE = 10.0  # seconds to wait for a master
_PORT = 7077
_KINDS = re.compile(r"local(-cluster)?(\[[\d*, .]+\])?$|spark://|yarn|k8s://|sc://")
_CALLED = re.compile(r"An error occurred while calling .*\n: (?:[\w.$]+: )?(.*)")


def check_master(master: str | None) -> None:
    """Refuse early what is no address, or one where nobody listens: Spark would try for minutes.

    Parameters
    ----------
    master : str or None
        Who listens is seen of ``"spark://host:port"`` only, which may name several: one is enough.

    Raises
    ------
    EngineError
    """
    if master is None:
        return
    if not _KINDS.match(master):
        kinds = "local[4], spark://host:7077, yarn, k8s://host or sc://host"
        raise EngineError(f"{_where(master)}: masters are called {kinds}.")
    if master.startswith("spark://") and not _is_there(master):
        raise EngineError(_nobody(master))


@contextmanager
def begun(master: str | None) -> Iterator[None]:
    """Say in a sentence why a session was not begun.

    Parameters
    ----------
    master : str or None
        Where; None for what Spark is configured for.

    Raises
    ------
    EngineError
    """
    try:
        yield
    except Exception as problem:
        raise EngineError(_reason(str(problem), master)) from None


def _is_there(master: str) -> bool:
    return any(map(_listens, master.removeprefix("spark://").split(",")))


def _listens(address: str) -> bool:
    host, _, port = address.strip().rpartition(":")
    try:
        number = int(port) if host else _PORT
        with socket.create_connection(((host or port).strip("[]"), number), _PATIENCE):
            return True
    except (OSError, ValueError, OverflowError):
        return False


def _reason(said: str, master: str | None) -> str:
    where = _where(master)
    if called := _CALLED.search(said):  # what Java raised, by way of its bridge
        said = called[1]
    first = next((line for line in said.splitlines() if line.strip()), "no reason").rstrip(".")
    if "JAVA_GATEWAY_EXITED" in said or not _has_java(master):
        needs = "Spark runs on Java 17 or newer: is it installed, and is JAVA_HOME right?"
        return f"{where}: {first}. {needs}"
    if "PACKAGE_NOT_INSTALLED" in said or "No module named" in said:
        return f"{where}: {first}. Install what it needs: pip install 'pyspark[connect]'."
    if master is None or master.startswith("local"):
        return f"{where}: {first}."
    return _nobody(master)


def _has_java(master: str | None) -> bool:
    is_elsewhere = master is not None and master.startswith("sc://")
    return is_elsewhere or "JAVA_HOME" in os.environ or shutil.which("java") is not None


def _nobody(master: str) -> str:
    asked = "Is the master running, and is the address right?"
    return f"{_where(master)}: nobody answered there. {asked}"


def _where(master: str | None) -> str:
    return "cannot begin a Spark session" + ("" if master is None else f" at {master!r}")

"""Resources of a computation: threads, memory, block sizes, the progress bar, lazy imports."""

from __future__ import annotations

import os
import sys
import threading
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from functools import cache
from importlib import import_module
from numbers import Integral
from pathlib import Path
from time import monotonic
from typing import Any, ClassVar

from tallytext.errors import InputError
from tallytext.terminal import console

MAX_BLOCK_NUMBERS = 1 << 21
"""The largest number of floats in one block of rows: 16 MB."""

MAX_THREADS = 4096
"""The most threads that ``n_jobs`` may ask for."""

PROGRESS_DELAY = 1.5
"""Seconds of work after which a progress bar appears."""

# A context variable, so that the limit of one worker thread does not hold in the others.
_THREAD_LIMIT: ContextVar[int | None] = ContextVar("most_threads", default=None)
_STATUS = Path("/proc/self/status")
_CGROUPS = Path("/sys/fs/cgroup")


def thread_count(n_jobs: int | None = None) -> int:
    """Return the number of threads for ``n_jobs``.

    Parameters
    ----------
    n_jobs : int or None, default=None
        None: the cores that this process may use, but no more than ``OMP_NUM_THREADS`` (which
        joblib sets in its workers, so that together they use each core once) and no more than
        :func:`limit_threads` allows. A positive number: that many. A negative number: as in
        joblib, -1 for all cores, -2 for all but one, and so on, at least one.

    Returns
    -------
    int
        At least 1.

    Raises
    ------
    ValueError
        If ``n_jobs`` is 0 or more than :data:`MAX_THREADS`.

    Examples
    --------
    >>> thread_count(3)
    3
    >>> import joblib
    >>> thread_count(-1) == joblib.cpu_count()
    True
    """
    if n_jobs is None:
        # OpenMP allows one number per level of nesting, as in "4,2"; the first is the outermost.
        outermost = os.environ.get("OMP_NUM_THREADS", "").split(",")[0].strip()
        valid = outermost.isdecimal() and int(outermost) > 0
        allowed = min(_cores(), int(outermost)) if valid else _cores()
        limit = _THREAD_LIMIT.get()
        return allowed if limit is None else min(allowed, limit)
    if not isinstance(n_jobs, Integral):
        raise ValueError(f"n_jobs must be a whole number or None, not {n_jobs!r}.")
    if n_jobs == 0:
        raise ValueError("n_jobs=0 has no meaning: pass a positive number, -1 for all, or None.")
    if n_jobs > MAX_THREADS:
        raise ValueError(f"n_jobs={n_jobs} is too many: at most {MAX_THREADS}, or -1 for all.")
    return n_jobs if n_jobs > 0 else max(1, _cores() + 1 + n_jobs)


@contextmanager
def limit_threads(n_threads: int) -> Iterator[None]:
    """Limit the threads of ``n_jobs=None`` inside the context.

    For workers of a cluster or a pool, which already use all cores together.

    Parameters
    ----------
    n_threads : int
        The limit, at least 1.

    Examples
    --------
    >>> with limit_threads(1):
    ...     thread_count()
    1
    """
    before = _THREAD_LIMIT.set(n_threads)
    try:
        yield
    finally:
        _THREAD_LIMIT.reset(before)


class _WarningFilters:
    """The filters of :mod:`warnings`, saved by the first thread and restored by the last one."""

    def __init__(self) -> None:
        self._lock, self._n_threads = threading.Lock(), 0
        # Not entered here; save() makes another, since one can be entered only once.
        self._saved = warnings.catch_warnings()

    def save(self) -> None:
        with self._lock:
            self._n_threads += 1
            if self._n_threads == 1:
                self._saved = warnings.catch_warnings()
                self._saved.__enter__()

    def restore(self) -> None:
        with self._lock:
            self._n_threads -= 1
            if not self._n_threads:
                self._saved.__exit__(None, None, None)


_FILTERS = _WarningFilters()


@contextmanager
def preserve_warning_filters() -> Iterator[None]:
    """Restore the filters of :mod:`warnings` at the end of work that changes them in threads.

    The filters belong to the whole process. Two threads that enter ``catch_warnings`` and leave it
    in turn, as scikit-learn does when it checks an array, would leave a filter behind for good.
    Here the first thread saves the filters, and the last one restores them.
    """
    _FILTERS.save()
    try:
        yield
    finally:
        _FILTERS.restore()


@contextmanager
def ignore_warnings(category: type[Warning], message: str = "") -> Iterator[None]:
    """Ignore warnings inside the context, which several threads may enter at a time.

    They are ignored until the last thread has left the context.

    Parameters
    ----------
    category : type of Warning
        The warnings to ignore.
    message : str, default=""
        A regular expression that the start of their message must match.

    Examples
    --------
    >>> with ignore_warnings(UserWarning, "few"):
    ...     warnings.warn("few documents")
    """
    with preserve_warning_filters():
        warnings.filterwarnings("ignore", message, category)
        yield


@contextmanager
def one_blas_thread() -> Iterator[None]:
    """Use one thread for NumPy's linear algebra inside the context.

    BLAS threads wait for each other by spinning. If products are small and alternate with other
    work, or if cores are busy, the waiting takes many times as long as the products.

    Examples
    --------
    >>> with one_blas_thread():
    ...     pass
    """
    # Imported where needed: every package imports this module, and help must be fast.
    from threadpoolctl import threadpool_limits

    with threadpool_limits(limits=1, user_api="blas"):
        yield


@cache
def _cores() -> int:
    """Return the number of cores that this process may use, as ``joblib.cpu_count`` does.

    It respects CPU affinity, the limits of containers and ``LOKY_MAX_CPU_COUNT``. joblib itself
    takes longer to import than a text to predict. Cached, since the system calls take time too.
    """
    cores = os.cpu_count() or 1
    if hasattr(os, "sched_getaffinity"):
        cores = min(cores, len(os.sched_getaffinity(0)))
    return max(
        1, min(cores, _container_cores(cores), _int(os.environ.get("LOKY_MAX_CPU_COUNT"), cores))
    )


def _container_cores(cores: int) -> int:
    """Return the cores that the control group of this process may use: its quota per period."""
    quota, _, period = _read_line(_CGROUPS / "cpu.max").partition(" ")
    if not period:  # version 1 of control groups
        quota = _read_line(_CGROUPS / "cpu/cpu.cfs_quota_us")
        period = _read_line(_CGROUPS / "cpu/cpu.cfs_period_us")
    limit, each = _int(quota, 0), _int(period, 0)
    return -(-limit // each) if limit > 0 and each > 0 else cores


def _read_line(path: Path) -> str:
    try:
        return path.read_text().strip()
    except OSError:
        return ""


def _int(text: str | None, default: int) -> int:
    return int(text) if text and text.lstrip("-").isdecimal() else default


def rows_per_block(row_size: int, max_numbers: int | None = None) -> int:
    """Return the number of rows of a matrix to compute at a time, at least one.

    Computing a large matrix (such as documents by classes) in blocks of rows bounds the memory.

    Parameters
    ----------
    row_size : int
        Number of columns.
    max_numbers : int, default=None
        The largest number of entries of a block, if it is not bounded by memory alone; None for
        :data:`MAX_BLOCK_NUMBERS`.

    Examples
    --------
    >>> rows_per_block(1 << 20), rows_per_block(1 << 30), rows_per_block(10, max_numbers=105)
    (2, 1, 10)
    """
    most = MAX_BLOCK_NUMBERS if max_numbers is None else max_numbers
    return max(1, most // max(1, row_size))


@contextmanager
def progress_bar(
    description: str, total: int, show: bool | None = None
) -> Iterator[Callable[..., None]]:
    """Show a progress bar on standard error, which is removed when the work is done.

    Inside another progress bar that is visible, nothing is shown.

    Parameters
    ----------
    description : str
        The text beside the bar.
    total : int
        Number of steps.
    show : bool, default=None
        True to show the bar at once, False to show nothing. None shows it if standard error is a
        terminal and the work takes longer than ``PROGRESS_DELAY``.

    Yields
    ------
    callable
        ``step(description=None, steps=1)``, to be called after each step. It moves the bar and
        changes its text if one is given.
    """
    if not (sys.stderr.isatty() if show is None else show):
        # Some versions of rich end the line even if a bar is disabled.
        yield lambda description=None, steps=1: None
        return
    bar = _Bar(description, total, 0.0 if show else PROGRESS_DELAY)
    try:
        bar.show()
        yield bar.step
    finally:
        bar.stop()


class _Bar:
    """A progress bar that appears after a delay, unless another one is visible."""

    visible: ClassVar[bool] = False  # of any bar: there is one screen

    def __init__(self, description: str, total: int, delay: float) -> None:
        from rich.progress import Progress

        self._bar = Progress(console=console(stderr=True), transient=True)
        self._task = self._bar.add_task(description, total=total)
        self._due: float | None = monotonic() + delay
        self._started = False

    def step(self, description: str | None = None, steps: int = 1) -> None:
        self._bar.update(self._task, description=description, advance=steps)
        self.show()

    def show(self) -> None:
        if self._due is None or monotonic() < self._due:
            return
        self._due = None
        if _Bar.visible:
            return
        from rich.errors import LiveError

        # The calling program may have a live display of its own, and rich allows only one.
        with suppress(LiveError):
            self._bar.start()
            _Bar.visible = self._started = True

    def stop(self) -> None:
        if self._started:
            self._bar.stop()
            _Bar.visible = False


def current_memory() -> int:
    """Return the current memory use of this process in bytes; 0 if the system does not report it.

    Examples
    --------
    >>> current_memory() >= 0
    True
    """
    return _read_status("VmRSS") if _STATUS.exists() else 0


def peak_memory() -> int:
    """Return the peak memory use of this process in bytes; 0 if the system does not report it.

    Examples
    --------
    >>> peak_memory() >= 0
    True
    """
    if _STATUS.exists():  # on Linux, rusage includes the peak of the parent process
        return _read_status("VmHWM")
    try:
        import resource
    except ImportError:  # Windows
        return 0
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return int(peak if sys.platform == "darwin" else peak * 1024)  # bytes on macOS, else KiB


def _read_status(name: str) -> int:
    lines = _STATUS.read_text().splitlines()
    return next((1024 * int(line.split()[1]) for line in lines if line.startswith(f"{name}:")), 0)


def import_pyarrow(purpose: str, module: str = "pyarrow") -> Any:
    """Import pyarrow, or a module of it, which is an optional dependency.

    Parameters
    ----------
    purpose : str
        What needs pyarrow, as the start of the message.
    module : str, default="pyarrow"
        The module to import.

    Raises
    ------
    InputError
        If pyarrow is not installed.

    Examples
    --------
    >>> import_pyarrow("reading Parquet").__name__
    'pyarrow'
    """
    try:
        return import_module(module)
    except ModuleNotFoundError:
        raise InputError(
            f"{purpose} needs pyarrow. Install it: pip install pyarrow (tallytext[parquet])."
        ) from None


def has_pyarrow() -> bool:
    """Return True if pyarrow can be imported."""
    try:
        import_module("pyarrow")
    except ModuleNotFoundError:
        return False
    return True


def import_zstd() -> Any:
    """Return the zstd module of the standard library, or its backport for Python before 3.14."""
    package = "compression.zstd" if sys.version_info >= (3, 14) else "backports.zstd"
    try:
        return import_module(package)
    except ModuleNotFoundError:
        raise InputError(
            f"data compressed with zstd, which model files hold, need {package}. "
            "Install it: pip install backports.zstd."
        ) from None


def lazy_exports(
    package: str, homes: Mapping[str, Sequence[str]]
) -> tuple[Callable[[str], object], Callable[[], list[str]]]:
    """Return the ``__getattr__`` and ``__dir__`` of a package that imports names on first use.

    Parameters
    ----------
    package : str
        ``__name__`` of the package.
    homes : mapping of str to sequence of str
        The public names defined in each module of the package.
    """
    home_of = {name: f"{package}.{home}" for home, names in homes.items() for name in names}

    def __getattr__(name: str) -> object:
        if name not in home_of:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        value = getattr(import_module(home_of[name]), name)
        # Importing a module binds its name in the package, and a function may have the same name.
        setattr(sys.modules[package], name, value)
        return value

    def __dir__() -> list[str]:
        return sorted({*home_of, *vars(sys.modules[package])})

    return __getattr__, __dir__

"""The command ``tally`` for tests that run it many times, without the wait for its imports.

Most of the time of a short command goes into importing NumPy, SciPy and scikit-learn. Here one
process imports all of that, and then forks for each command, which goes on as if it had just been
started: with the arguments, the folder, the environment and the open files of the ``tally`` that
was called, a small script that hands them over through a Unix socket. Nothing is carried from one
command to the next. That ``tally`` itself starts is for other tests.

``python tests/warm_tally.py SOCKET`` is that process, which ends when its standard input does.
"""

import atexit
import json
import os
import select
import signal
import socket
import subprocess
import sys
import tempfile
from contextlib import contextmanager, suppress
from importlib import import_module
from pathlib import Path
from shlex import join

CLIENT = Path(__file__).with_name("warm_tally_client.py")
# What commands import when they run.
PACKAGES = (
    *("classifier", "cli", "cli.translate", "comparison", "comparison.html_report", "io"),
    *("labelling", "models", "semantic", "sklearn", "tuning"),
)
OTHERS = ("sklearn.linear_model", "pyarrow.parquet", "pydantic.types")


@contextmanager
def warm_tally():
    """Yield a folder that has a fast ``tally``, to be put first on PATH."""
    with tempfile.TemporaryDirectory() as folder:
        if not hasattr(os, "fork"):
            yield folder  # where there is nothing, so that the next one on PATH is run
            return
        address, script = Path(folder, "socket"), Path(folder, "tally")
        command = join([sys.executable, "-IS", str(CLIENT), str(address)])
        script.write_text(f'#!/bin/sh\nexec {command} "$@"\n')
        script.chmod(0o755)
        with _server(address):
            yield folder


@contextmanager
def _server(address):
    # One thread of linear algebra: a process that has more of them must not fork.
    environment = os.environ | {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
    with subprocess.Popen([sys.executable, __file__, address], env=environment, **pipes) as process:
        assert process.stdout.readline() == b"ready\n"
        yield
        process.stdin.close()
    assert process.returncode == 0


def serve(address):
    """Import what commands need; then fork for each that is asked for."""
    _import_all()
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(address)
        listener.listen(16)
        signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # nobody waits for those that have ended
        os.write(1, b"ready\n")
        while select.select([listener, 0], [], [])[0] == [listener]:
            connection, _ = listener.accept()
            if os.fork() == 0:
                signal.signal(signal.SIGCHLD, signal.SIG_DFL)
                listener.close()
                _answer(connection)
            connection.close()


def _import_all():
    for name in PACKAGES:
        # The names that a package gives are imported when they are asked for.
        package = import_module(f"tallytext.{name}")
        for each in getattr(package, "__all__", ()):
            getattr(package, each)
    for name in OTHERS:
        with suppress(ImportError):
            import_module(name)


def _answer(connection):
    """Be the command that is asked for: this process ends here, whatever happens."""
    code = 1
    try:
        _become(connection)
        code = _run()
    except BaseException:
        sys.excepthook(*sys.exc_info())
    finally:
        with suppress(OSError):
            connection.sendall(str(code).encode())
        os._exit(code)


def _become(connection):
    """Take over what belongs to the one who asks."""
    _, (*files, folder), _, _ = socket.recv_fds(connection, 1, 4)
    with connection.makefile("rb") as stream:
        wanted = json.loads(stream.read())
    for place, file in enumerate(files):
        os.dup2(file, place)
        os.close(file)
    # Those of before know what kind of files they had.
    sys.stdin = os.fdopen(0, closefd=False)
    sys.stdout = os.fdopen(1, "w", closefd=False)
    sys.stderr = os.fdopen(2, "w", 1, errors="backslashreplace", closefd=False)
    os.fchdir(folder)
    os.close(folder)
    os.environ.clear()
    os.environ.update(wanted["environment"])
    sys.argv = ["tally", *wanted["arguments"]]


def _run():
    """Run ``tally`` and return its exit code, all that it wrote being where it belongs."""
    from tallytext.cli import main

    try:
        main()
        code = 0
    except SystemExit as end:
        code = end.code if isinstance(end.code, int) else int(end.code is not None)
    atexit._run_exitfuncs()
    try:
        sys.stdout.flush()
        sys.stderr.flush()
    except OSError:
        return 120  # as Python does
    return code


if __name__ == "__main__":
    serve(sys.argv[1])

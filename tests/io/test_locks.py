"""Locks: one process at a time changes a file, and a killed one blocks nobody."""

import errno
import os
import subprocess
import sys
import threading

import pytest

from tallytext.errors import FileError, FileInUseError
from tallytext.io import lock_file
from tallytext.io.locks import lock_path

HOLD = """
import sys
from tallytext.io import lock_file
with lock_file(sys.argv[1]):
    print("held", flush=True)
    sys.stdin.read()
"""
COUNT = """
import sys
from pathlib import Path
from tallytext.io import lock_file, save_text
path = Path(sys.argv[1])
for _ in range(20):
    with lock_file(path, 600):
        save_text(path, str(int(path.read_text()) + 1))
"""


@pytest.fixture
def path(tmp_path):
    return tmp_path / "mails.tally"


@pytest.fixture
def holder(path):
    """Return another process, which has locked the path."""
    command = [sys.executable, "-c", HOLD, str(path)]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
    with subprocess.Popen(command, **pipes) as process:
        assert process.stdout.readline() == b"held\n"
        yield process
        process.stdin.close()


def test_the_error_names_the_process_that_holds_the_lock(path, holder):
    with pytest.raises(FileInUseError) as refused, lock_file(path, wait=0):
        pass
    assert f"in use by process {holder.pid}." in str(refused.value)
    assert refused.value.holder == f"process {holder.pid}"


def test_a_lock_is_free_once_its_process_has_ended(path, holder):
    holder.stdin.close()
    with lock_file(path, wait=600):
        assert lock_path(path).read_text().startswith(f"{os.getpid()} ")
    assert list(path.parent.iterdir()) == []


def test_a_killed_process_blocks_nobody_and_its_lock_file_is_removed(path, holder):
    holder.kill()
    holder.wait()
    assert lock_path(path).exists()
    with lock_file(path, wait=0):
        pass
    assert not lock_path(path).exists()


def test_processes_that_count_in_one_file_lose_nothing(path):
    path.write_text("0")
    command = [sys.executable, "-c", COUNT, str(path)]
    for process in [subprocess.Popen(command) for _ in range(3)]:
        assert process.wait(600) == 0
    assert path.read_text() == "60"
    assert list(path.parent.iterdir()) == [path]


def test_threads_of_one_process_wait_for_each_other(path):
    order = []

    def change():
        with lock_file(path, 600):
            order.append("thread")

    with lock_file(path):
        thread = threading.Thread(target=change)
        thread.start()
        with pytest.raises(FileInUseError), lock_file(path, 0.1):
            pass
        order.append("first")
    thread.join()
    assert order == ["first", "thread"]


def test_a_lock_that_somebody_removed_is_not_taken_from_the_next(path):
    with lock_file(path):
        lock_path(path).unlink()
        with lock_file(path, wait=0):
            inner = lock_path(path).stat()
        lock_path(path).touch()
    assert lock_path(path).exists() and inner.st_size


def test_an_error_in_the_block_frees_the_lock(path):
    with pytest.raises(ZeroDivisionError), lock_file(path):
        raise ZeroDivisionError
    with lock_file(path, wait=0):
        pass


def test_names_of_any_length_can_be_locked(tmp_path):
    for first, second in [("a" * 240, "a" * 239 + "b"), ("é" * 120, "é" * 119 + "e")]:
        with lock_file(tmp_path / first, wait=0), lock_file(tmp_path / second, wait=0):
            pass


def test_a_missing_folder_is_named(tmp_path):
    with pytest.raises(FileNotFoundError) as missing, lock_file(tmp_path / "none" / "mails.tally"):
        pass
    assert missing.value.filename == str(tmp_path / "none")


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root may write all")
def test_a_folder_that_may_not_be_written_to_is_an_error_of_the_file(path, tmp_path):
    tmp_path.chmod(0o555)
    try:
        with pytest.raises(PermissionError) as refused, lock_file(path):
            pass
    finally:
        tmp_path.chmod(0o755)
    assert refused.value.filename == str(path)


@pytest.mark.skipif(not hasattr(os, "O_NOFOLLOW"), reason="needs O_NOFOLLOW")
def test_a_link_in_the_place_of_a_lock_is_not_followed(path, tmp_path):
    precious = tmp_path / "precious"
    precious.write_text("text")
    lock_path(path).symlink_to(precious)
    with pytest.raises(OSError), lock_file(path):
        pass
    assert precious.read_text() == "text"


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs named pipes")
def test_a_lock_that_is_no_file_is_an_error(path):
    os.mkfifo(lock_path(path))
    with pytest.raises(FileError, match="not a regular file"), lock_file(path):
        pass


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root may write all")
def test_a_lock_file_that_may_only_be_read_is_replaced(path):
    lock_path(path).write_text("1 elsewhere\n")
    lock_path(path).chmod(0o444)
    with lock_file(path, wait=0):
        assert lock_path(path).read_text().startswith(f"{os.getpid()} ")
    assert not lock_path(path).exists()


def test_a_file_system_without_locks_is_told(path, monkeypatch):
    fcntl = pytest.importorskip("fcntl")

    def refuse(*_):
        raise OSError(errno.ENOLCK, os.strerror(errno.ENOLCK))

    monkeypatch.setattr(fcntl, "flock", refuse)
    with pytest.warns(UserWarning, match="has no locks: if another process"), lock_file(path):
        pass
    assert not lock_path(path).exists()


def test_a_link_to_a_file_has_the_lock_of_the_file(tmp_path):
    target, link = tmp_path / "a.tally", tmp_path / "b.tally"
    target.write_text("old")
    link.symlink_to(target)
    with lock_file(link), pytest.raises(FileInUseError), lock_file(target, wait=0):
        pass

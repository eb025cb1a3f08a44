"""Masters of Spark: whether there is one at an address, and why no session was begun there."""

from __future__ import annotations

import os
import re
import shutil
import socket
from collections.abc import Iterator
from contextlib import contextmanager

from tallytext.errors import EngineError

_PATIENCE = 10.0  # seconds to wait for a master
_PORT = 7077
_KINDS = re.compile(r"local(-cluster)?(\[[\d*, .]+\])?$|spark://|yarn|k8s://|sc://")
_CALLED = re.compile(r"An error occurred while calling .*\n: (?:[\w.$]+: )?(.*)")


def expect_master(master: str | None) -> None:
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

"""Masters of Spark that are not there: told in a sentence, without Java."""

import re
import socket

import pytest

from tallytext.distributed.spark_session import begun, check_master
from tallytext.errors import EngineError


@pytest.fixture
def port():
    with socket.create_server(("127.0.0.1", 0)) as server:
        yield server.getsockname()[1]


def test_one_who_listens_is_enough(port):
    check_master(f"spark://127.0.0.1:{port}")
    check_master(f"spark://127.0.0.1:1,127.0.0.1:{port}")
    for elsewhere in (None, "local[2]", "yarn", "k8s://https://host", "sc://host"):
        check_master(elsewhere)


@pytest.mark.parametrize("address", ["127.0.0.1:1", "127.0.0.1:many", "127.0.0.1:99999", ":"])
def test_where_nobody_listens_is_told(address):
    told = rf"at 'spark://{address}': nobody answered there. Is the master running, and"
    with pytest.raises(EngineError, match=told):
        check_master(f"spark://{address}")


@pytest.mark.parametrize("master", ["host:7077", "localhost:7077", "local[x]", "local[2"])
def test_what_is_no_master_is_told(master):
    told = rf"at '{re.escape(master)}': masters are called local\[4\], spark://"
    with pytest.raises(EngineError, match=told):
        check_master(master)


@pytest.mark.parametrize("master", ["local", "local[*]", "local[4]", "local[2,4]", "local[*, 2]"])
def test_threads_of_this_machine_are_a_master(master):
    check_master(master)


SAID = [
    ("local[2]", "[JAVA_GATEWAY_EXITED] Java ended.\n at x", r"Java ended. Spark runs on Java 17"),
    (
        "sc://host",
        "[PACKAGE_NOT_INSTALLED] no grpcio.",
        r"no grpcio.*install 'pyspark\[connect\]'",
    ),
    (
        "local[2]",
        "An error occurred while calling None.x.Context.\n: org.x.SparkException: No room.\n\tat y",
        r"at 'local\[2\]': No room\.$",
    ),
    ("spark://host:7077", "An error occurred.\n at java", r"'spark://host:7077': nobody answered"),
    ("local[2]", "the disk is full.", r"at 'local\[2\]': the disk is full.$"),
    (None, "the disk is full.", r"session: the disk is full.$"),
]


@pytest.mark.parametrize(("master", "said", "told"), SAID)
def test_why_a_session_was_not_begun_is_told(master, said, told, monkeypatch):
    monkeypatch.setenv("JAVA_HOME", "/usr/lib/java")
    with pytest.raises(EngineError, match=told), begun(master):
        raise RuntimeError(said)


def test_java_that_is_missing_is_told(monkeypatch):
    monkeypatch.delenv("JAVA_HOME", raising=False)
    monkeypatch.setenv("PATH", "")
    with pytest.raises(EngineError, match="Spark runs on Java 17"), begun("spark://host:7077"):
        raise FileNotFoundError("no such file")

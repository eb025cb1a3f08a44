"""Wrong or missing masters of Spark are reported in one sentence, without Java."""

import re
import socket

import pytest

from tallytext.distributed.spark_session import check_master, explain_start_failure
from tallytext.errors import EngineError


@pytest.fixture
def port():
    with socket.create_server(("127.0.0.1", 0)) as server:
        yield server.getsockname()[1]


def test_one_address_that_answers_is_enough(port):
    check_master(f"spark://127.0.0.1:{port}")
    check_master(f"spark://127.0.0.1:1,127.0.0.1:{port}")
    for elsewhere in (None, "local[2]", "yarn", "k8s://https://host", "sc://host"):
        check_master(elsewhere)


@pytest.mark.parametrize("address", ["127.0.0.1:1", "127.0.0.1:many", "127.0.0.1:99999", ":"])
def test_an_address_without_answer_is_reported(address):
    told = rf"at 'spark://{address}': no answer. Is the master running, and"
    with pytest.raises(EngineError, match=told):
        check_master(f"spark://{address}")


@pytest.mark.parametrize("master", ["host:7077", "localhost:7077", "local[x]", "local[2"])
def test_a_wrong_master_is_reported(master):
    told = rf"at '{re.escape(master)}': a master is local\[4\], spark://"
    with pytest.raises(EngineError, match=told):
        check_master(master)


@pytest.mark.parametrize("master", ["local", "local[*]", "local[4]", "local[2,4]", "local[*, 2]"])
def test_threads_of_this_machine_are_a_master(master):
    check_master(master)


SAID = [
    ("local[2]", "[JAVA_GATEWAY_EXITED] Java ended.\n at x", r"Java ended. Spark needs Java 17"),
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
    ("spark://host:7077", "An error occurred.\n at java", r"'spark://host:7077': no answer"),
    ("local[2]", "the disk is full.", r"at 'local\[2\]': the disk is full.$"),
    (None, "the disk is full.", r"session: the disk is full.$"),
]


@pytest.mark.parametrize(("master", "said", "told"), SAID)
def test_the_reason_of_a_failed_start_is_reported(master, said, told, monkeypatch):
    monkeypatch.setenv("JAVA_HOME", "/usr/lib/java")
    with pytest.raises(EngineError, match=told), explain_start_failure(master):
        raise RuntimeError(said)


def test_missing_java_is_reported(monkeypatch):
    monkeypatch.delenv("JAVA_HOME", raising=False)
    monkeypatch.setenv("PATH", "")
    with (
        pytest.raises(EngineError, match="Spark needs Java 17"),
        explain_start_failure("spark://host:7077"),
    ):
        raise FileNotFoundError("no such file")

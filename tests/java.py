"""Whether there is a Java that Spark can run on."""

import re
import shutil
import subprocess

import pytest

OLDEST = 17


def java_version():
    """The version of Java on this machine; 0 if there is none."""
    if shutil.which("java") is None:
        return 0
    told = subprocess.run(["java", "-version"], capture_output=True, text=True).stderr
    found = re.search(r'version "(?:1\.)?(\d+)', told)
    return int(found[1]) if found else 0


def needs_spark(**how):
    """Skip where Spark cannot run."""
    pytest.importorskip("pyspark")
    if java_version() < OLDEST:
        pytest.skip(f"Spark needs Java {OLDEST} or newer", **how)

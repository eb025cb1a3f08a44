"""Tables are written whatever the clock shows, and hold nothing of how they were written."""

import time

import pytest

from tallytext.io import load_documents
from tallytext.io.table_writer import open_table


def written(path):
    with open_table(path) as table:
        table.write({"text": ["Cheap pills!", "See you at noon"], "label": ["spam", "ham"]})
    return path


@pytest.mark.parametrize("seconds", [1e6, 7.3e9])  # in 1970, and in 2201
@pytest.mark.parametrize("ending", ["csv.gz", "xlsx", "jsonl.bz2", "csv.xz", "csv.zst", "parquet"])
def test_a_wrong_clock_keeps_no_table_from_being_written(tmp_path, monkeypatch, ending, seconds):
    with monkeypatch.context() as patched:
        patched.setattr(time, "time", lambda: seconds)
        path = written(tmp_path / f"mails.{ending}")
    assert load_documents(path)[1] == ["spam", "ham"]


@pytest.mark.parametrize("ending", ["gz", "bz2", "xz", "zst"])
def test_equal_tables_are_equal_files_without_temporary_names(tmp_path, ending):
    first, second = (written(tmp_path / f"{name}.csv.{ending}").read_bytes() for name in "ab")
    assert first == second
    assert b".part" not in first

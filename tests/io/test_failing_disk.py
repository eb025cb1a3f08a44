"""Disks that fail while a file is replaced: the error names the file, and says why."""

import errno
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tallytext.io.atomic import replace_atomically


def test_an_error_names_the_file_even_if_the_temporary_one_cannot_be_removed(tmp_path, monkeypatch):
    path = tmp_path / "mails.tally"
    path.write_text("old")

    def refuse(self, missing_ok=False):
        raise OSError(errno.EROFS, os.strerror(errno.EROFS), str(self))

    monkeypatch.setattr(Path, "unlink", refuse)
    with pytest.raises(OSError) as failed, replace_atomically(path):
        raise OSError(errno.EROFS, os.strerror(errno.EROFS))
    assert (failed.value.errno, failed.value.filename) == (errno.EROFS, str(path))
    assert path.read_text() == "old"


def test_an_error_of_another_library_does_not_name_the_temporary_file(tmp_path):
    path = tmp_path / "mails.parquet"
    with pytest.raises(OSError) as failed, replace_atomically(path) as temporary:
        # As pyarrow reports that a file cannot be created.
        raise OSError(errno.ENOSPC, f"Failed to open local file {str(temporary)!r}")
    assert temporary.name not in str(failed.value)
    assert os.strerror(errno.ENOSPC) in str(failed.value)


WRITE_WITH_LIMIT = """
import resource, sys
from pathlib import Path
from tallytext.io.table_writer import open_table
path = Path(sys.argv[1])
import openpyxl.writer.excel
resource.setrlimit(resource.RLIMIT_FSIZE, (2_000, 2_000))
try:
    with open_table(path) as table:
        table.write({"text": ["a", "b"]})
except OSError as problem:
    print(problem)
"""


def test_a_workbook_for_which_there_is_no_room_is_one_error(tmp_path):
    pytest.importorskip("resource", reason="needs limits of file sizes")
    pytest.importorskip("openpyxl")
    path = tmp_path / "mails.xlsx"
    command = [sys.executable, "-c", WRITE_WITH_LIMIT, str(path)]
    ended = subprocess.run(command, capture_output=True, text=True)
    # Nothing of an exception that Python ignored, as the archive was removed.
    assert ended.stderr == ""
    assert (
        ended.stdout.strip() == f"[Errno {errno.EFBIG}] {os.strerror(errno.EFBIG)}: {str(path)!r}"
    )
    assert list(tmp_path.iterdir()) == []

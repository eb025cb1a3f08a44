"""Disks that fail while a file is replaced: the error names the file, and says why."""

import errno
import os
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

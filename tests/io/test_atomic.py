"""Files appear complete or not at all, with the right permissions, and nothing stays behind."""

import errno
import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from tallytext.io import atomic, save_text
from tallytext.io.atomic import replace_atomically, temporary_folder

posix = pytest.mark.skipif(os.name == "nt", reason="Windows has other permissions and no flock")
HEX = "0123456789abcdef" * 2


def mode(path):
    return stat.S_IMODE(path.stat().st_mode)


@pytest.fixture
def path(tmp_path):
    return tmp_path / "some.tally"


@pytest.fixture
def umask():
    before = os.umask(0o027)
    yield
    os.umask(before)


@posix
def test_a_new_file_has_the_permissions_of_the_umask(path, umask):
    save_text(path, "new")
    assert mode(path) == 0o640


@posix
@pytest.mark.parametrize("kept", [0o600, 0o444, 0o664, 0o666, 0o755])
def test_a_replaced_file_keeps_its_permissions(path, umask, kept):
    path.touch()
    path.chmod(kept)
    save_text(path, "new")
    assert mode(path) == kept
    assert path.read_text() == "new"


@posix
def test_a_file_is_never_readable_by_more_people_than_before(path):
    path.touch()
    path.chmod(0o600)
    with replace_atomically(path) as temporary:
        assert mode(temporary) == 0o600


@posix
def test_the_temporary_file_is_created_by_nobody_else(path, monkeypatch, tmp_path):
    victim = tmp_path / "victim"
    victim.write_text("mine")

    class Guessed:
        hex = HEX

    monkeypatch.setattr(atomic, "uuid4", Guessed)
    (tmp_path / f".some.tally.{HEX}.part").symlink_to(victim)
    with pytest.raises(FileExistsError):
        save_text(path, "stolen")
    assert victim.read_text() == "mine"
    assert not path.exists()


@posix
def test_a_link_stays_and_its_target_is_replaced(path, tmp_path):
    folder = tmp_path / "versions"
    folder.mkdir()
    target = folder / "3.tally"
    path.symlink_to(Path("versions") / "3.tally")
    for text in ("new", "newer"):  # the target is missing at first
        save_text(path, text)
        assert path.is_symlink()
        assert target.read_text() == text
    assert [each.name for each in folder.iterdir()] == ["3.tally"]


@posix
def test_links_that_lead_to_each_other_are_an_error(path, tmp_path):
    path.symlink_to(tmp_path / "other")
    (tmp_path / "other").symlink_to(path)
    with pytest.raises(OSError, match=r"some\.tally") as caught:
        save_text(path, "new")
    assert caught.value.errno == errno.ELOOP


@posix
@pytest.mark.parametrize("make", [os.mkfifo, lambda path: path.symlink_to("/dev/null"), os.mkdir])
def test_what_is_no_file_is_not_replaced(path, make):
    make(path)
    kind = stat.S_IFMT(path.stat().st_mode)
    with pytest.raises(OSError, match=r"some\.tally"):
        save_text(path, "new")
    assert stat.S_IFMT(path.stat().st_mode) == kind
    assert list(path.parent.iterdir()) == [path]


KILLED = """
import os, signal, sys
from pathlib import Path
from tallytext.io.atomic import replace_atomically, temporary_folder
write = temporary_folder if sys.argv[2:] else replace_atomically
with write(Path(sys.argv[1])) as temporary:
    (temporary / "part-0" if temporary.is_dir() else temporary).write_text("half")
    os.kill(os.getpid(), signal.SIGKILL)
"""


def left_by_a_killed_writer(path, *folder):
    subprocess.run([sys.executable, "-c", KILLED, path, *folder], check=False)
    (left,) = path.parent.glob(".*.part")
    return left


@posix
@pytest.mark.parametrize("folder", [(), ("folder",)])
def test_a_save_removes_what_killed_writers_of_the_same_name_left(path, folder):
    left = left_by_a_killed_writer(path, *folder)
    save_text(path.with_name("other.tally"), "new")
    assert left.exists()
    save_text(path, "new")
    assert sorted(each.name for each in path.parent.iterdir()) == ["other.tally", "some.tally"]


@posix
def test_a_save_leaves_the_temporary_files_of_live_writers(path):
    with replace_atomically(path) as temporary, temporary_folder(path) as folder:
        temporary.write_text("first")
        save_text(path, "second")
        assert path.read_text() == "second"
        assert temporary.read_text() == "first"
        assert folder.is_dir()
    assert path.read_text() == "first"
    assert list(path.parent.iterdir()) == [path]


@posix
@pytest.mark.parametrize("name", ["note.part", ".some.tally.part", f".other.{HEX}.part"])
def test_a_save_leaves_files_of_other_names(path, name):
    (path.parent / name).write_text("mine")
    save_text(path, "new")
    assert (path.parent / name).read_text() == "mine"


@posix
def test_a_link_with_the_name_of_a_temporary_file_is_not_followed(path, tmp_path):
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder" / "mine").touch()
    (tmp_path / f".some.tally.{HEX}.part").symlink_to(tmp_path / "folder")
    save_text(path, "new")
    assert (tmp_path / "folder" / "mine").exists()

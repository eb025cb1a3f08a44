"""Corpora from the network, which here is a server of this machine."""

import errno
import hashlib
import socket
import sys
import threading
from dataclasses import replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from archives import packed
from tallytext.errors import FileError
from tallytext.io import CORPORA, load_corpus
from tallytext.io.download import download_file

pooch = pytest.importorskip("pooch")

NAME, FILE = "20newsgroups-bydate", "20news-bydate.tar.gz"


class Handler(BaseHTTPRequestHandler):
    def do_GET(self):
        content = self.server.files.get(self.path)
        self.server.asked.append(self.path)
        if content is None:
            self.send_error(404, "Not here")
            return
        self.send_response(200)
        self.send_header("Content-Length", str(len(content)))
        if self.server.encoding:
            self.send_header("Content-Encoding", self.server.encoding)
        self.end_headers()
        self.wfile.write(content[: len(content) // 2] if self.server.breaks else content)

    def log_message(self, *_):
        pass


@pytest.fixture
def server(monkeypatch):
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        server.files, server.asked, server.breaks, server.encoding = {}, [], False, None
        thread = threading.Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        yield server
        server.shutdown()
        thread.join()


@pytest.fixture
def published(server, tmp_path, monkeypatch):
    """An archive on the server that the corpus is downloaded from."""
    files = {f"20news-bydate-{side}/sci.med/1": side * 9_999 for side in ("train", "test")}
    content = packed(tmp_path / "there" / FILE, files).read_bytes()
    server.files[f"/{FILE}"] = content
    set_original(monkeypatch, server, hashlib.sha256(content).hexdigest())
    return content


def set_original(monkeypatch, server, sha256):
    [original] = CORPORA[NAME].originals
    address = f"http://127.0.0.1:{server.server_port}/{FILE}"
    changed = replace(original, address=address, sha256=sha256)
    monkeypatch.setitem(CORPORA, NAME, replace(CORPORA[NAME], originals=(changed,)))


def refused(folder, match):
    """The corpus is refused with a message that ends with a way out, and nothing is left."""
    with pytest.raises(FileError, match=match) as caught:
        load_corpus(NAME, folder=folder)
    assert str(caught.value).endswith(
        f"Or put '{FILE}' into '{folder}', from {CORPORA[NAME].page}."
    )
    assert not [path for path in folder.rglob("*") if path.is_file()]


def test_what_is_missing_is_downloaded_once(server, published, tmp_path, capfd):
    folder = tmp_path / "new" / "folder"
    assert load_corpus(NAME, folder=folder).labels == ["sci.med"] * 2
    assert load_corpus(NAME, folder=folder).splits == ["test", "train"]
    assert (folder / FILE).read_bytes() == published
    assert [path.name for path in folder.iterdir()] == [FILE]
    assert server.asked == [f"/{FILE}"]
    assert capfd.readouterr() == ("", "")


def test_an_archive_is_kept_as_it_is_whatever_the_server_says_of_it(server, published, tmp_path):
    server.encoding = "gzip"
    load_corpus(NAME, folder=tmp_path / "new")
    assert (tmp_path / "new" / FILE).read_bytes() == published


def test_nothing_is_downloaded_that_is_there_or_is_not_wanted(server, published, tmp_path):
    with pytest.raises(FileError, match="is not in"):
        load_corpus(NAME, folder=tmp_path, download=False)
    (tmp_path / "originals").mkdir()
    (tmp_path / "originals" / FILE).write_bytes(published)
    assert len(load_corpus(NAME, folder=tmp_path)) == 2
    assert not server.asked


def test_a_bar_is_shown_where_it_is_asked_for(published, tmp_path, monkeypatch, capfd):
    monkeypatch.setenv("TTY_COMPATIBLE", "1")
    load_corpus(NAME, folder=tmp_path / "new", verbose=True)
    out, err = capfd.readouterr()
    assert f"Downloading {FILE}" in err
    assert "100%" in err
    assert not out


def test_another_file_than_that_published_is_refused(server, published, tmp_path, monkeypatch):
    set_original(monkeypatch, server, "0" * 64)
    refused(tmp_path / "new", "its checksum differs")


def test_an_address_that_is_gone_is_told(server, published, tmp_path):
    server.files.clear()
    refused(tmp_path / "new", "the answer is 404 Client Error: Not here")


def test_half_a_file_is_refused(server, published, tmp_path):
    server.breaks = True
    refused(tmp_path / "new", "the connection failed or was interrupted")


def test_without_a_network_that_is_told(server, published, tmp_path):
    with socket.socket() as taken:
        # Bound, but nobody listens.
        taken.bind(("127.0.0.1", 0))
        server.server_port = taken.getsockname()[1]
        with pytest.MonkeyPatch.context() as patch:
            set_original(patch, server, "0" * 64)
            refused(tmp_path / "new", "the connection failed or was interrupted")


def test_a_full_disk_is_told(published, tmp_path, monkeypatch):
    def full(*_):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr("shutil.move", full)
    refused(tmp_path / "new", f"cannot write '.*{FILE}': No space left on device")


def test_a_folder_that_must_not_be_written_to_is_told(published, tmp_path, monkeypatch):
    def forbidden(*_, **__):
        raise PermissionError(errno.EACCES, "Permission denied")

    (tmp_path / "new").mkdir()
    monkeypatch.setattr("tempfile.NamedTemporaryFile", forbidden)
    refused(tmp_path / "new", rf"cannot write '.*{FILE}': Permission denied\. Or")


def test_a_folder_that_is_a_file_is_told(published, tmp_path):
    (tmp_path / "file").touch()
    with pytest.raises(FileError, match="cannot write"):
        load_corpus(NAME, folder=tmp_path / "file")


def test_the_package_for_it_is_named_where_it_is_missing(published, tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "pooch", None)
    with pytest.raises(FileError, match=r"pip install pooch \(tallytext\[datasets\]\)\. Or put "):
        load_corpus(NAME, folder=tmp_path / "new")


def test_the_logger_of_pooch_is_left_as_it_was(server, published, tmp_path):
    level = pooch.get_logger().level
    [original] = CORPORA[NAME].originals
    download_file(original.address, original.sha256, tmp_path / "new" / FILE)
    assert pooch.get_logger().level == level
